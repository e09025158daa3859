//! The answers of the tools for language models (`tabiya mcp`, and `/mcp` of the server), except those that commands print too.

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
    /// The databases that the tools can use.
    pub struct McpBasesAnswer {
        /// The databases, with the names that tools take.
        pub bases: Vec<McpBaseAnswer>,
        /// Databases that could not be opened, with the reason.
        pub failed: Vec<String>,
        /// Whether tools may change databases and write files.
        pub edits: bool,
    }

    /// A database that the tools can use.
    pub struct McpBaseAnswer {
        /// The name that tools take.
        pub base: String,
        /// The title of its format.
        pub format: &'static str,
        /// The number of games; null if it is unknown without reading them.
        pub games: Option<u64>,
        /// The first and the last date, if known from an index.
        pub dates: Option<InfoDatesAnswer>,
        /// Whether an index beside it is used.
        pub indexed: bool,
        /// Whether `edit` can change it.
        pub editable: bool,
        /// More about it, as in `info --json`; only if a single database is asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub info: Option<InfoAnswer>,
    }

    /// A page of the games that match a search.
    pub struct McpSearchAnswer {
        /// The number of games that match; null if they were not all counted.
        pub total: Option<u64>,
        /// The index of the first row, from 0.
        pub from: u64,
        /// The games: each is a line of `search --json`.
        pub rows: Vec<MatchRowAnswer<'static>>,
        /// `from` of the next page; null on the last one.
        pub next: Option<u64>,
        /// Other notes: how the query was understood, names that may have been meant.
        pub notes: Vec<String>,
        /// Whether everything was processed.
        pub whole: bool,
    }

    /// A game as a tree: each move is a node with the id of the node before it.
    pub struct McpGameAnswer {
        /// The name of its database.
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
        /// The issues of the game.
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
        /// Whether it is in the main line.
        pub main: bool,
        /// The position after it; only at the start.
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
        /// The time left on the clock of the player who moved, in seconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub clock: Option<f64>,
        /// The evaluation in the game.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub evaluation: Option<McpEvaluationAnswer>,
        /// The first node with the same position, if other moves lead to it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub transposes: Option<String>,
    }

    /// A NAG.
    pub struct McpNagAnswer {
        /// Its number.
        pub nag: u32,
        /// Its meaning; null if it is not defined.
        pub meaning: Option<&'static str>,
    }

    /// An evaluation, always seen from White: more than 0 is better for White, whichever side is to move.
    pub struct McpEvaluationAnswer {
        /// In hundredths of a pawn; null for a mate.
        pub centipawns: Option<i32>,
        /// Moves until mate, less than 0 if White is mated; null if it is not a mate.
        pub mate: Option<i32>,
        /// The depth of the search, if known.
        pub depth: Option<u32>,
        /// Its origin: the game, or the name of an engine that was asked before.
        pub by: String,
        /// Always `White`: the side from which it is seen.
        pub seen_from: &'static str,
    }

    /// A full description of a position.
    pub struct McpPositionAnswer {
        /// The position.
        pub fen: String,
        /// The side to move.
        pub turn: SideAnswer,
        /// The moves that lead to it, if known.
        pub line: Vec<String>,
        /// All legal moves.
        pub legal_moves: Vec<String>,
        /// Its state.
        pub state: McpPositionStateAnswer,
        /// The pieces.
        pub pieces: Vec<McpPieceAnswer>,
        /// The material.
        pub material: McpMaterialAnswer,
        /// The opening: that of the last position in the line that has a name.
        pub opening: Option<OpeningAnswer>,
        /// The evaluation, if the game has it or an engine was asked before.
        pub evaluation: Option<McpEvaluationAnswer>,
        /// Why it is illegal, if it is.
        pub problems: Vec<String>,
    }

    /// The state of a position for the side to move.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum McpPositionStateAnswer {
        /// The game continues.
        Play,
        /// The king is in check.
        Check,
        /// Checkmate.
        Checkmate,
        /// Stalemate: no legal move, and no check.
        Stalemate,
    }

    /// A piece on the board.
    pub struct McpPieceAnswer {
        /// Its square.
        pub square: String,
        /// Its colour.
        pub color: SideAnswer,
        /// The kind of piece: `king`, `queen`, `rook`, `bishop`, `knight` or `pawn`.
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
        /// White's minus Black's in pawns, with 3 for a knight or bishop, 5 for a rook, 9 for a queen.
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

    /// The effect of an edit of a game, or of its preview.
    pub struct McpEditAnswer {
        /// The name of the database.
        pub base: String,
        /// The number of the game; null for a game that would be added.
        pub number: Option<u64>,
        /// Whether the database was changed: false for a preview, and if there was nothing to change.
        pub changed: bool,
        /// The change in words.
        pub wish: String,
        /// For each change, the node where it ended; null if it is not about a node.
        pub nodes: Vec<Option<String>>,
        /// Data that the database cannot hold.
        pub losses: Vec<ChangeLossAnswer>,
        /// Other notes.
        pub notes: Vec<String>,
    }

    /// A job: work that continues while other tools are called.
    pub struct McpJobAnswer {
        /// Its id, for the tool `job`.
        pub id: String,
        /// The tool that started it.
        pub tool: &'static str,
        /// Its state.
        pub state: JobStateAnswer,
        /// Games processed so far.
        pub games: u64,
        /// Work done so far, in units of the job.
        pub done: u64,
        /// The total work in these units; null if unknown.
        pub total: Option<u64>,
        /// The time that it has taken, in seconds.
        pub seconds: u64,
        /// Why it was stopped or failed.
        pub message: Option<String>,
    }

    /// The jobs of this run.
    pub struct McpJobsAnswer {
        /// The jobs, the newest last.
        pub jobs: Vec<McpJobAnswer>,
    }

    /// Games compared with a repertoire.
    pub struct McpRepertoireCheckAnswer {
        /// The repertoires: one for each side for which there are games.
        pub repertoires: Vec<McpRepertoireAnswer>,
        /// Other notes: the side of a repertoire, if it was detected.
        pub notes: Vec<String>,
    }

    /// Games compared with the repertoire of one side.
    pub struct McpRepertoireAnswer {
        /// The side.
        pub color: SideAnswer,
        /// Positions of the repertoire.
        pub positions: u64,
        /// Games that were compared with it.
        pub games: u64,
        /// Damaged games among them.
        pub damaged: u64,
        /// The positions where games left it, those with the most games first.
        pub lines: Vec<RepertoireLineAnswer>,
        /// The index of the first of the following games, from 0.
        pub from: u64,
        /// Where games left it, in the order of the games.
        pub rows: Vec<RepertoireGameAnswer>,
        /// `from` of the next page; null on the last one.
        pub next: Option<u64>,
        /// The opponent's moves in these games that it does not answer, the most frequent first; only if requested.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub gaps: Option<Vec<RepertoireGapAnswer>>,
    }

    /// The evaluation of a position by an engine.
    pub struct McpAnalysisAnswer {
        /// The position.
        pub fen: String,
        /// The engine.
        pub engine: String,
        /// Positions that were searched.
        pub nodes: u64,
        /// The best lines, the best first. Evaluations are seen from White.
        pub lines: Vec<McpAnalysisLineAnswer>,
        /// Whether the search was completed.
        pub whole: bool,
    }

    /// A line of an engine.
    pub struct McpAnalysisLineAnswer {
        /// The moves.
        pub moves: Vec<String>,
        /// The evaluation; null if the engine gave none.
        pub evaluation: Option<McpEvaluationAnswer>,
    }

    /// The results of an engine analysis of a game.
    pub struct McpGameAnalysisAnswer {
        /// The numbers: accuracy, mistakes, blunders.
        pub analysis: AnalysisAnswer,
        /// The game with the evaluations.
        pub game: McpGameAnswer,
        /// Whether the evaluations were saved in the database, as one change that can be undone.
        pub saved: bool,
    }

    /// The losses of a copy.
    pub struct McpConversionAnswer {
        /// The report of `convert --report`.
        pub report: ConversionAnswer,
        /// Whether a file was written; if not, it was a trial.
        pub written: bool,
    }

    /// The rows of an SQL query.
    pub struct McpRowsAnswer {
        /// The rows, each with its columns.
        pub rows: Vec<Value>,
        /// Whether these are all rows.
        pub whole: bool,
        /// Other notes.
        pub notes: Vec<String>,
    }

    /// More of a list that was cut.
    pub struct McpItemsAnswer {
        /// The list, as a JSON pointer into the answer that was cut.
        pub path: String,
        /// The index of the first item, from 0.
        pub from: u64,
        /// The number of items in the list.
        pub total: u64,
        /// The items; for a text that was cut, its pieces.
        pub items: Vec<Value>,
        /// The cursor for the next items; null at the end.
        pub next: Option<String>,
    }

    /// A list or a text that was cut because the answer would have been too long.
    pub struct McpCutAnswer {
        /// Where it is, as a JSON pointer into the answer.
        pub path: String,
        /// Items, or characters, that are shown.
        pub shown: u64,
        /// Items, or characters, in total.
        pub total: u64,
        /// The cursor with which the tool `more` shows the rest.
        pub cursor: String,
    }

    /// Why a tool call was refused.
    #[derive(Default)]
    pub struct McpRefusalAnswer {
        /// Why.
        pub error: String,
        /// The code of the error, for programs: `illegal-move`, `no-such-game`, `bad-query` and so on.
        pub code: String,
        /// How to fix it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub help: Option<String>,
        /// An error in a query, with its place.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fault: Option<QueryFaultAnswer>,
        /// The position in which a move was refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fen: Option<String>,
        /// The legal moves, if a move was refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub legal_moves: Option<Vec<String>>,
        /// The index of the change that was refused, from 0. Nothing was changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub change: Option<u64>,
        /// Valid choices.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub choices: Option<Vec<String>>,
        /// The losses, if a database cannot hold a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub losses: Option<Vec<ChangeLossAnswer>>,
    }
}
