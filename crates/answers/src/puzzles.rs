//! Puzzles out of games: `tactics --json`.

use crate::macros::answers;

answers! {
    /// A puzzle: a line of `tactics --json`.
    pub struct PuzzleAnswer {
        /// The version of this answer.
        pub schema: &'static str,
        /// The position, from which the solver moves.
        pub fen: String,
        /// The solution by squares: from a move of the solver to a move of the solver.
        pub moves: Vec<String>,
        /// The same in letters.
        pub san: Vec<String>,
        /// What the solver reaches: `mate-in-3`, `win` or `hold`.
        pub goal: String,
        /// What it is about.
        pub themes: Vec<&'static str>,
        /// Whether the player of the game found it; null where the game ended there.
        pub found: Option<bool>,
        /// Where it comes from.
        pub source: PuzzleSourceAnswer,
    }

    /// Where a puzzle comes from.
    pub struct PuzzleSourceAnswer {
        /// The name of the base.
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
