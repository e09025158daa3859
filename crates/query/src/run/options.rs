//! What a search returns, and which optimisations it may use.

use tabiya_model::database::GameNeeds;

/// What a search returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueryOptions {
    /// Whether hits need the ply where the query first holds.
    pub plies: bool,
    /// Which parts of each hit's game are returned with it, if any.
    pub keep: Option<GameNeeds>,
    /// The optimisations that may be used.
    pub shortcuts: SearchShortcuts,
    /// Whether the report contains how long each way to an answer took.
    pub timed: bool,
}

/// The ways to an answer that are faster than reading every game. They change no answer, and all are used unless a test, or
/// somebody who looks for a fault, switches one off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchShortcuts {
    /// Whether an index of positions may determine which games can be hits.
    pub lookup: bool,
    /// Whether facts of an index may answer terms about tags and counts.
    pub facts: bool,
    /// Whether facts that follow from the moves (final material, home pawns, stored line) may answer terms.
    pub hints: bool,
    /// Whether games may be walked by deltas.
    pub compact: bool,
    /// Whether the tags that the query needs are read alone, before anything else of a game.
    pub gate: bool,
}

impl Default for SearchShortcuts {
    fn default() -> SearchShortcuts {
        SearchShortcuts {
            lookup: true,
            facts: true,
            hints: true,
            compact: true,
            gate: true,
        }
    }
}
