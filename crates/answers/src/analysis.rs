//! What an engine found in games: `analyse --report`.

use crate::macros::answers;

answers! {
    /// What an engine found in games: `analyse --report`.
    pub struct AnalysisAnswer {
        /// The version of this answer.
        pub schema: &'static str,
        /// What the engine calls itself.
        pub engine: String,
        /// Games that were looked at.
        pub games: u64,
        /// Games that are not what they were.
        pub changed: u64,
        /// Games that were left as they are because they have evaluations already.
        pub kept: u64,
        /// Positions that were asked for.
        pub positions: u64,
        /// Positions that were searched now.
        pub searched: u64,
        /// Positions that no engine would answer about.
        pub failed: u64,
        /// How often an engine had to be started again.
        pub restarts: u64,
        /// What was noticed about the engine.
        pub notes: Vec<String>,
        /// Games that stay as they are because the database could not hold them with what was found.
        pub refused: Vec<UnchangedGameAnswer>,
        /// What was found in each game.
        pub games_found: Vec<AnalysisGameAnswer>,
        /// Whether it came to its end; else the journal keeps what was done.
        pub whole: bool,
    }

    /// A game that stays as it is.
    pub struct UnchangedGameAnswer {
        /// Its number.
        pub number: u64,
        /// Why.
        pub why: String,
    }

    /// What was found in a game.
    pub struct AnalysisGameAnswer {
        /// Its number.
        pub number: u64,
        /// White's name and Black's.
        pub names: [String; 2],
        /// Positions that were asked for.
        pub positions: u64,
        /// Positions that no engine would answer about.
        pub failed: u64,
        /// Whether it was left as it is.
        pub kept: bool,
        /// How White played.
        pub white: AccuracyAnswer,
        /// How Black played.
        pub black: AccuracyAnswer,
    }

    /// How a side played.
    pub struct AccuracyAnswer {
        /// Moves between two evaluations.
        pub moves: u32,
        /// Moves that get `?!`.
        pub inaccuracies: u32,
        /// Moves that get `?`.
        pub mistakes: u32,
        /// Moves that get `??`.
        pub blunders: u32,
        /// In per cent; null where the evaluations have gaps.
        pub accuracy: Option<f64>,
        /// Hundredths of a pawn that a move lost on average.
        pub average_loss: Option<u32>,
    }
}
