//! The results of an engine analysis of games: `analyse --report`.

use crate::macros::answers;

answers! {
    /// The results of an engine analysis of games: `analyse --report`.
    pub struct AnalysisAnswer {
        /// The version of this answer.
        pub schema: &'static str,
        /// The name that the engine gives itself.
        pub engine: String,
        /// Games that were read.
        pub games: u64,
        /// Games that were changed.
        pub changed: u64,
        /// Games that were skipped because they already have evaluations.
        pub kept: u64,
        /// Positions to be evaluated.
        pub positions: u64,
        /// Positions that were searched in this run.
        pub searched: u64,
        /// Positions that no engine has evaluated.
        pub failed: u64,
        /// How often an engine was restarted.
        pub restarts: u64,
        /// Notes about the engine.
        pub notes: Vec<String>,
        /// Games that were not changed because the database cannot hold them with the results.
        pub refused: Vec<UnchangedGameAnswer>,
        /// The results for each game.
        pub games_found: Vec<AnalysisGameAnswer>,
        /// Whether the analysis was completed; if not, the journal keeps the results so far.
        pub whole: bool,
    }

    /// A game that was not changed.
    pub struct UnchangedGameAnswer {
        /// Its number.
        pub number: u64,
        /// The reason.
        pub why: String,
    }

    /// The results for a game.
    pub struct AnalysisGameAnswer {
        /// Its number.
        pub number: u64,
        /// The names of White and Black.
        pub names: [String; 2],
        /// Positions to be evaluated.
        pub positions: u64,
        /// Positions that no engine has evaluated.
        pub failed: u64,
        /// Whether it was skipped.
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
        /// Inaccuracies: moves with `?!`.
        pub inaccuracies: u32,
        /// Mistakes: moves with `?`.
        pub mistakes: u32,
        /// Blunders: moves with `??`.
        pub blunders: u32,
        /// Accuracy in per cent; null if the evaluations have gaps.
        pub accuracy: Option<f64>,
        /// Average loss per move in hundredths of a pawn.
        pub average_loss: Option<u32>,
    }
}
