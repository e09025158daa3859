//! Repertoires: `repertoire check --json` and the other reports.

use crate::games::{BaseGameAnswer, SideAnswer};
use crate::macros::answers;

answers! {
    /// How a game leaves a repertoire.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "kebab-case")]
    pub enum RepertoireEndAnswer {
        /// The game ends in a position of the repertoire.
        Inside,
        /// The repertoire has no move in a position where the game continues.
        LineEnd,
        /// The repertoire's side left it.
        Me,
        /// The opponent left it.
        Opponent,
        /// The game never reaches a position of the repertoire.
        Elsewhere,
    }

    /// Where a game leaves a repertoire: a line of `repertoire check --json`.
    pub struct RepertoireGameAnswer {
        /// The game.
        pub game: BaseGameAnswer<'static>,
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// How the game leaves the repertoire.
        pub end: RepertoireEndAnswer,
        /// Plies to the last position in the repertoire; null for a game that starts elsewhere.
        pub ply: Option<u32>,
        /// This position.
        pub fen: Option<String>,
        /// The moves of the repertoire there.
        pub expected: Vec<String>,
        /// The move that was played there; null if the game ends there.
        pub played: Option<String>,
        /// Whether the repertoire marks this move as bad.
        pub marked_bad: bool,
        /// The first few moves of the game from there on.
        pub then: String,
    }

    /// A position where games left a repertoire: a line of `repertoire check --summary --json`.
    pub struct RepertoireLineAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The moves to the position.
        pub line: String,
        /// The position; null for games that start elsewhere.
        pub fen: Option<String>,
        /// Games.
        pub games: u64,
        /// Games that ended there.
        pub inside: u64,
        /// Games that continued where the repertoire has no move.
        pub line_end: u64,
        /// Games that the repertoire's side left.
        pub me: u64,
        /// Games that the opponent left.
        pub opponent: u64,
        /// The score of the repertoire's side in per cent, of games with a result.
        pub score: Option<f64>,
    }

    /// A move of the opponent that the repertoire does not answer: a line of `repertoire gaps --json`.
    pub struct RepertoireGapAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The moves to the position.
        pub line: String,
        /// The position.
        pub fen: String,
        /// The move.
        pub san: String,
        /// The move in UCI notation.
        pub uci: String,
        /// Reference games in which it was played there.
        pub games: u64,
        /// Reference games that continued there.
        pub of: u64,
        /// The probability that a game reaches the position and the move is played, if the repertoire is played.
        pub frequency: f64,
        /// Whether the repertoire has no move at all in the position.
        pub end_of_line: bool,
        /// The score of the repertoire's side after the move in per cent, of games with a result.
        pub score: Option<f64>,
    }

    /// The kind of a conflict.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "kebab-case")]
    pub enum RepertoireConflictKindAnswer {
        /// Several own moves, none of them chosen.
        Several,
        /// An own move that is marked bad.
        Bad,
        /// The line ends where the opponent has a frequent move.
        Stops,
        /// An own move scores less than another.
        Score,
        /// An own move is evaluated lower than another.
        Evaluation,
    }

    /// A conflict: a line of `repertoire conflicts --json`.
    pub struct RepertoireConflictAnswer {
        /// The kind of a conflict.
        pub kind: RepertoireConflictKindAnswer,
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The moves to the position.
        pub line: String,
        /// The position.
        pub fen: String,
        /// The moves; of two that are compared, the worse one first.
        pub moves: Vec<RepertoireMoveAnswer>,
    }

    /// A move of a repertoire.
    pub struct RepertoireMoveAnswer {
        /// The move.
        pub san: String,
        /// The move in UCI notation.
        pub uci: String,
        /// Reference games in which it was played there; null without a reference.
        pub games: Option<u64>,
        /// The score of the repertoire's side in these games in per cent, of games with a result.
        pub score: Option<f64>,
        /// The evaluation after the move from the file, seen from White, in hundredths of a pawn.
        pub evaluation: Option<i64>,
        /// The marks of the move: `bad`, `good`, `only`, `skip`.
        pub marks: Vec<&'static str>,
        /// The share from the file, in per cent.
        pub share: Option<u8>,
        /// Whether the position after it is shown elsewhere, with the moves after it.
        pub transposes: bool,
    }

    /// The number of games still in the repertoire at a ply: a line of `repertoire coverage --json`.
    pub struct RepertoireCoverageAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The ply.
        pub ply: u32,
        /// Reference games with at least this many plies.
        pub games: u64,
        /// Those of them that are still in the repertoire after this ply or later.
        pub inside: u64,
        /// Games that the repertoire's side left at this ply.
        pub me: u64,
        /// Games that the opponent left at this ply.
        pub opponent: u64,
        /// Games that continued after this ply where the repertoire has no move.
        pub line_end: u64,
    }

    /// A position with its moves: a line of `repertoire show --json`.
    pub struct RepertoirePositionAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The moves to the position.
        pub line: String,
        /// The position.
        pub fen: String,
        /// Whether the repertoire's side is to move.
        pub my_turn: bool,
        /// How often it arises if the repertoire is played; null without a reference.
        pub frequency: Option<f64>,
        /// Its moves, those marked as bad last.
        pub moves: Vec<RepertoireMoveAnswer>,
    }
    /// A position to train: a line of `repertoire due --json`.
    pub struct RepertoireCardAnswer {
        /// The side of the repertoire.
        pub color: SideAnswer,
        /// The moves to the position.
        pub line: String,
        /// The position.
        pub fen: String,
        /// The correct moves.
        pub moves: Vec<String>,
        /// When it is due, in UTC; null for a new position.
        pub due: Option<String>,
        /// Whether it is due now.
        pub is_due: bool,
        /// Whether it was never asked.
        pub is_new: bool,
        /// Reviews so far.
        pub reviews: u32,
        /// Reviews with a wrong answer.
        pub lapses: u32,
        /// Days after which it is recalled with a probability of 90 per cent; null for a new position.
        pub stability: Option<f64>,
        /// From 1 (easy) to 10; null for a new position.
        pub difficulty: Option<f64>,
        /// The probability that the move is recalled now; null for a new position.
        pub retrievability: Option<f64>,
        /// How often the position arises if the repertoire is played; with a reference, by its games.
        pub frequency: f64,
    }
}
