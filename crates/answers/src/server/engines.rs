//! Engines, and what they think of a position.

use crate::macros::answers;

answers! {
    /// An engine of the user's settings.
    pub struct EngineAnswer {
        /// Its name.
        pub name: String,
        /// Its program.
        pub program: String,
        /// The most threads that it gets here.
        pub threads: u64,
        /// The most megabytes that it gets here.
        pub hash: u32,
    }

    /// What an engine thinks: a line of an answer that goes on as long as it is read.
    pub struct EngineUpdateAnswer {
        /// What it calls itself.
        pub engine: String,
        /// What it does.
        pub state: EngineStateAnswer,
        /// Why it has failed.
        pub message: Option<String>,
        /// How deep the best line was searched.
        pub depth: u32,
        /// Positions that were searched.
        pub nodes: u64,
        /// Positions a second.
        pub speed: u64,
        /// The best lines, the best first.
        pub lines: Vec<EngineLineAnswer>,
    }

    /// What an engine does.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum EngineStateAnswer {
        /// It starts.
        Starting,
        /// It searches.
        Searching,
        /// It has ended.
        Done,
        /// It has failed.
        Failed,
    }

    /// A line of an engine.
    pub struct EngineLineAnswer {
        /// Its evaluation, seen from White; null where there is none.
        pub score: Option<EvaluationAnswer>,
        /// Whether the evaluation is exact, and no bound.
        pub exact: bool,
        /// How deep it was searched.
        pub depth: u32,
        /// Its first moves, in letters.
        pub moves: Vec<String>,
        /// The first move by its squares.
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
            /// In so many moves; negative where White is mated.
            mate: i32,
        },
    }
}
