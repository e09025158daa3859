//! What a search is to bring, and what shortcuts it may take.

use tabiya_model::database::GameNeeds;

/// What a search is to bring.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueryOptions {
    /// Whether hits need the ply where the query first holds.
    pub plies: bool,
    /// What of each hit's game is to be brought with it, if anything.
    pub keep: Option<GameNeeds>,
    /// The ways to an answer that may be taken.
    pub shortcuts: SearchShortcuts,
    /// Whether the report says how long each way to an answer took.
    pub timed: bool,
}

/// The ways to an answer that are quicker than to read every game. They change no answer, and all are taken unless a test, or
/// somebody who looks for a fault, leaves one out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchShortcuts {
    /// Whether an index of positions may say which games can be hits.
    pub lookup: bool,
    /// Whether facts of an index may answer terms about tags and counts.
    pub facts: bool,
    /// Whether facts that follow from the moves (final material, home pawns, stored line) may answer terms.
    pub hints: bool,
    /// Whether games may be walked by deltas.
    pub compact: bool,
    /// Whether the tags that the query asks for are read alone, before anything else of a game.
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
