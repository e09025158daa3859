//! What the tools for language models answer (`tabiya mcp`, and `/mcp` of the server), beside the answers that commands print as well.

use serde_json::Value;

use crate::explorer::OpeningAnswer;
use crate::findings::FindingAnswer;
use crate::games::{MatchRowAnswer, SideAnswer};
use crate::info::{InfoAnswer, InfoDatesAnswer};
use crate::macros::answers;
use crate::repertoire::{RepertoireGameAnswer, RepertoireGapAnswer, RepertoireLineAnswer};
use crate::server::{BoardMarkAnswer, ChangeLossAnswer, JobStateAnswer, QueryFaultAnswer};
use crate::{AnalysisAnswer, ConversionAnswer};

answers! {
    /// The databases that tools can be asked about.
    pub struct McpBasesAnswer {
        /// The databases, by the names that tools take.
        pub bases: Vec<McpBaseAnswer>,
        /// What could not be opened, with the reason.
        pub failed: Vec<String>,
        /// Whether tools may change databases and write files.
        pub edits: bool,
    }

    /// A database that tools can be asked about.
    pub struct McpBaseAnswer {
        /// The name that tools take.
        pub base: String,
        /// The title of its format.
        pub format: &'static str,
        /// Games; null where it is unknown without reading them.
        pub games: Option<u64>,
        /// The first and the last date, where an index tells them.
        pub dates: Option<InfoDatesAnswer>,
        /// Whether an index beside it is used.
        pub indexed: bool,
        /// Whether `edit` can change it.
        pub editable: bool,
        /// What else is known of it: the answer of `info --json`; where one base is asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub info: Option<InfoAnswer>,
    }

    /// A page of the games that a search has found.
    pub struct McpSearchAnswer {
        /// All games that match; null where they were not counted to the end.
        pub total: Option<u64>,
        /// The place of the first row, from 0.
        pub from: u64,
        /// The games: each is a line of `search --json`.
        pub rows: Vec<MatchRowAnswer<'static>>,
        /// `from` of the next page; null on the last one.
        pub next: Option<u64>,
        /// What there is to know beside: how the query is understood, names that may have been meant.
        pub notes: Vec<String>,
        /// Whether everything was looked at.
        pub whole: bool,
    }

    /// A game as a tree: each move is a node that names the node before it.
    pub struct McpGameAnswer {
        /// The name of its base.
        pub base: String,
        /// The number of the game.
        pub number: u64,
        /// The tags, in their order.
        pub tags: Vec<McpTagAnswer>,
        /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
        pub result: &'static str,
        /// Plies of the main line.
        pub plies: u64,
        /// The start, then the moves in reading order. Evaluations are seen from White.
        pub nodes: Vec<McpNodeAnswer>,
        /// What is damaged or odd.
        pub findings: Vec<FindingAnswer>,
    }

    /// A tag.
    pub struct McpTagAnswer {
        /// Its name.
        pub name: String,
        /// Its value.
        pub value: String,
    }

    /// A move of a game, or the start of the game.
    #[derive(Default)]
    pub struct McpNodeAnswer {
        /// Its id, made of the starting position and the moves up to here: the same moves have the same id in every answer.
        pub id: String,
        /// The id of the node before; null at the start.
        pub parent: Option<String>,
        /// The number of the ply: 0 at the start, 1 after White's first move.
        pub ply: u64,
        /// The move; null at the start.
        pub san: Option<String>,
        /// Whether it is on the main line.
        pub main: bool,
        /// The position after it; at the start alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fen: Option<String>,
        /// Its NAGs.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub nags: Vec<McpNagAnswer>,
        /// The comment before the move.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub before: Option<String>,
        /// The comment after the move; at the start, before the first move.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub comment: Option<String>,
        /// Arrows and coloured squares.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub marks: Vec<BoardMarkAnswer>,
        /// What is left on the clock of who moved, in seconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub clock: Option<f64>,
        /// The evaluation that the game tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub evaluation: Option<McpEvaluationAnswer>,
        /// The first node with the same position, where other moves lead to it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub transposes: Option<String>,
    }

    /// A NAG.
    pub struct McpNagAnswer {
        /// Its number.
        pub nag: u32,
        /// What it means; null where nobody has defined it.
        pub meaning: Option<&'static str>,
    }

    /// An evaluation, always seen from White: more than 0 is better for White, whoever moves.
    pub struct McpEvaluationAnswer {
        /// In hundredths of a pawn; null where it is a mate.
        pub centipawns: Option<i32>,
        /// Moves until mate, less than 0 where White is mated; null where it is no mate.
        pub mate: Option<i32>,
        /// How deep was searched, where it is known.
        pub depth: Option<u32>,
        /// Who says so: the game, or the name of an engine that was asked before.
        pub by: String,
        /// Always `White`: the side from which it is seen.
        pub seen_from: &'static str,
    }

    /// A position, described so that nothing has to be imagined.
    pub struct McpPositionAnswer {
        /// The position.
        pub fen: String,
        /// Whose turn it is.
        pub turn: SideAnswer,
        /// The moves that lead to it, where they are known.
        pub line: Vec<String>,
        /// All legal moves.
        pub legal_moves: Vec<String>,
        /// How it is.
        pub state: McpPositionStateAnswer,
        /// The pieces.
        pub pieces: Vec<McpPieceAnswer>,
        /// The material.
        pub material: McpMaterialAnswer,
        /// The opening: that of the last position on the way that has a name.
        pub opening: Option<OpeningAnswer>,
        /// The evaluation, where the game tells it or an engine was asked before.
        pub evaluation: Option<McpEvaluationAnswer>,
        /// What breaks the rules in it.
        pub problems: Vec<String>,
    }

    /// How a position is for the side to move.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum McpPositionStateAnswer {
        /// It goes on.
        Play,
        /// The king is in check.
        Check,
        /// The king is mated.
        Checkmate,
        /// There is no move, and no check.
        Stalemate,
    }

    /// A piece on the board.
    pub struct McpPieceAnswer {
        /// Its square.
        pub square: String,
        /// Its colour.
        pub color: SideAnswer,
        /// What it is: `king`, `queen`, `rook`, `bishop`, `knight` or `pawn`.
        pub piece: &'static str,
        /// The squares of the other side's pieces that attack it.
        pub attacked_by: Vec<String>,
        /// The squares of its own side's pieces that defend it.
        pub defended_by: Vec<String>,
    }

    /// The material of both sides.
    pub struct McpMaterialAnswer {
        /// White's.
        pub white: McpPieceCountsAnswer,
        /// Black's.
        pub black: McpPieceCountsAnswer,
        /// White's less Black's in pawns, with 3 for a knight or bishop, 5 for a rook, 9 for a queen.
        pub balance: i32,
    }

    /// How many pieces of each kind a side has.
    pub struct McpPieceCountsAnswer {
        /// Queens.
        pub queens: u64,
        /// Rooks.
        pub rooks: u64,
        /// Bishops.
        pub bishops: u64,
        /// Knights.
        pub knights: u64,
        /// Pawns.
        pub pawns: u64,
    }

    /// What an edit of a game has done, or would do.
    pub struct McpEditAnswer {
        /// The name of the base.
        pub base: String,
        /// The number of the game; of a game that would be added it is null.
        pub number: Option<u64>,
        /// Whether the base was changed: false for a preview, and where everything was so already.
        pub changed: bool,
        /// What was done, in words.
        pub wish: String,
        /// For each change the node at which it ended; null where it is about no node.
        pub nodes: Vec<Option<String>>,
        /// What the database cannot hold.
        pub losses: Vec<ChangeLossAnswer>,
        /// What there is to know beside.
        pub notes: Vec<String>,
    }

    /// A job: work that goes on while other tools are asked.
    pub struct McpJobAnswer {
        /// Its id, for the tool `job`.
        pub id: String,
        /// The tool that began it.
        pub tool: &'static str,
        /// How it is.
        pub state: JobStateAnswer,
        /// Games that are done.
        pub games: u64,
        /// Work that is done, in units of its own.
        pub done: u64,
        /// All of that work; null where it is unknown.
        pub total: Option<u64>,
        /// How long it has taken.
        pub seconds: u64,
        /// Why it was stopped or has failed.
        pub message: Option<String>,
    }

    /// The jobs of this run.
    pub struct McpJobsAnswer {
        /// The jobs, the newest last.
        pub jobs: Vec<McpJobAnswer>,
    }

    /// Games beside a repertoire.
    pub struct McpRepertoireCheckAnswer {
        /// The repertoires: one for each side that the games of the repertoire are for.
        pub repertoires: Vec<McpRepertoireAnswer>,
        /// What there is to know beside: for which side a repertoire was recognised.
        pub notes: Vec<String>,
    }

    /// Games beside the repertoire of one side.
    pub struct McpRepertoireAnswer {
        /// The side.
        pub color: SideAnswer,
        /// Positions of the repertoire.
        pub positions: u64,
        /// Games that were compared with it.
        pub games: u64,
        /// Those of them that are damaged.
        pub damaged: u64,
        /// The positions in which games left it, those of the most games first.
        pub lines: Vec<RepertoireLineAnswer>,
        /// The place of the first of the games that follow, from 0.
        pub from: u64,
        /// Where games left it, in the order of the games.
        pub rows: Vec<RepertoireGameAnswer>,
        /// `from` of the next page; null on the last one.
        pub next: Option<u64>,
        /// The opponent's moves in these games that it does not answer, the most frequent first; where they are asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub gaps: Option<Vec<RepertoireGapAnswer>>,
    }

    /// What an engine thinks of a position.
    pub struct McpAnalysisAnswer {
        /// The position.
        pub fen: String,
        /// The engine.
        pub engine: String,
        /// Positions that were searched.
        pub nodes: u64,
        /// The best lines, the best first. Evaluations are seen from White.
        pub lines: Vec<McpAnalysisLineAnswer>,
        /// Whether the search came to its end.
        pub whole: bool,
    }

    /// A line of an engine.
    pub struct McpAnalysisLineAnswer {
        /// The moves.
        pub moves: Vec<String>,
        /// The evaluation; null where the engine told none.
        pub evaluation: Option<McpEvaluationAnswer>,
    }

    /// What an engine found in a game.
    pub struct McpGameAnalysisAnswer {
        /// The numbers: accuracy, mistakes, blunders.
        pub analysis: AnalysisAnswer,
        /// The game with the evaluations.
        pub game: McpGameAnswer,
        /// Whether the evaluations were put into the base, as one change that can be undone.
        pub saved: bool,
    }

    /// What a copy lost.
    pub struct McpConversionAnswer {
        /// The report of `convert --report`.
        pub report: ConversionAnswer,
        /// Whether a file was written; else it was only tried.
        pub written: bool,
    }

    /// Rows that SQL has answered.
    pub struct McpRowsAnswer {
        /// The rows, each with its columns.
        pub rows: Vec<Value>,
        /// Whether these are all rows.
        pub whole: bool,
        /// What there is to know beside.
        pub notes: Vec<String>,
    }

    /// More of a list that was cut.
    pub struct McpItemsAnswer {
        /// The list, as a JSON pointer into the answer that was cut.
        pub path: String,
        /// The place of the first item, from 0.
        pub from: u64,
        /// All items of the list.
        pub total: u64,
        /// The items; the pieces of a text, where it is one that was cut.
        pub items: Vec<Value>,
        /// The cursor for the next ones; null at the end.
        pub next: Option<String>,
    }

    /// A list or a text that was cut because the answer would have been too long.
    pub struct McpCutAnswer {
        /// Where it is, as a JSON pointer into the answer.
        pub path: String,
        /// Items, or letters, that are shown.
        pub shown: u64,
        /// Items, or letters, that there are.
        pub total: u64,
        /// What the tool `more` takes to show the rest.
        pub cursor: String,
    }

    /// Why a tool does not do what it is asked.
    #[derive(Default)]
    pub struct McpRefusalAnswer {
        /// Why.
        pub error: String,
        /// What is wrong, for programs: `illegal-move`, `no-such-game`, `bad-query` and so on.
        pub code: String,
        /// What can be done about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub help: Option<String>,
        /// A fault of a query, at its place.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fault: Option<QueryFaultAnswer>,
        /// The position in which a move was refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fen: Option<String>,
        /// The legal moves, where a move was refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub legal_moves: Option<Vec<String>>,
        /// The place of the change that was refused, from 0. Nothing was changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub change: Option<u64>,
        /// What can be named instead.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub choices: Option<Vec<String>>,
        /// What would be lost, where a base cannot hold a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub losses: Option<Vec<ChangeLossAnswer>>,
    }
}
