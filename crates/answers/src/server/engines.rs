//! Engines and their evaluations of a position.

use crate::macros::answers;

answers! {
    /// An engine of the user's settings.
    pub struct EngineAnswer {
        /// Its name.
        pub name: String,
        /// Its program.
        pub program: String,
        /// The maximum number of threads for it here.
        pub threads: u64,
        /// The maximum hash memory for it here, in megabytes.
        pub hash: u32,
    }

    /// An engine's evaluation: a line of an answer that continues as long as it is read.
    pub struct EngineUpdateAnswer {
        /// The name that the engine gives itself.
        pub engine: String,
        /// Its state.
        pub state: EngineStateAnswer,
        /// Why it failed.
        pub message: Option<String>,
        /// The depth of the best line.
        pub depth: u32,
        /// Positions that were searched.
        pub nodes: u64,
        /// Positions per second.
        pub speed: u64,
        /// The best lines, the best first.
        pub lines: Vec<EngineLineAnswer>,
    }

    /// The state of an engine.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum EngineStateAnswer {
        /// Starting.
        Starting,
        /// Searching.
        Searching,
        /// Finished.
        Done,
        /// Failed.
        Failed,
    }

    /// A line of an engine.
    pub struct EngineLineAnswer {
        /// Its evaluation, seen from White; null if there is none.
        pub score: Option<EvaluationAnswer>,
        /// Whether the evaluation is exact, not a bound.
        pub exact: bool,
        /// The depth of the search.
        pub depth: u32,
        /// Its first moves, in SAN.
        pub moves: Vec<String>,
        /// The first move in UCI notation.
        pub first: Option<String>,
    }

    /// An evaluation.
    #[serde(untagged)]
    pub enum EvaluationAnswer {
        /// In pawns.
        Pawns {
            /// Hundredths of a pawn.
            cp: i32,
        },
        /// A mate.
        Mate {
            /// The number of moves until mate; negative if White is mated.
            mate: i32,
        },
    }
}
