//! Puzzles from games: `tactics --json`.

use crate::macros::answers;

answers! {
    /// A puzzle: a line of `tactics --json`.
    pub struct PuzzleAnswer {
        /// The version of this answer.
        pub schema: &'static str,
        /// The position; the solver is to move.
        pub fen: String,
        /// The solution in UCI notation: it begins and ends with a move of the solver.
        pub moves: Vec<String>,
        /// The same in SAN.
        pub san: Vec<String>,
        /// The goal: `mate-in-3`, `win` or `hold`.
        pub goal: String,
        /// The themes.
        pub themes: Vec<&'static str>,
        /// Whether the player of the game found it; null if the game ended there.
        pub found: Option<bool>,
        /// Where it comes from.
        pub source: PuzzleSourceAnswer,
    }

    /// Where a puzzle comes from.
    pub struct PuzzleSourceAnswer {
        /// The name of the database.
        pub base: String,
        /// The number of the game.
        pub game: u64,
        /// The ply.
        pub ply: u64,
        /// White's name.
        pub white: String,
        /// Black's name.
        pub black: String,
        /// The event.
        pub event: String,
        /// The date.
        pub date: String,
    }
}
