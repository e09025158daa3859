//! What short cuts a search may take, and what it is to bring.

use tabiya_model::database::GameNeeds;

/// What short cuts a search may take, and what it is to bring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryOptions {
    /// Whether hits need the ply where the query first holds.
    pub plies: bool,
    /// What of each hit's game is to be brought with it, if anything.
    pub keep: Option<GameNeeds>,
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
    /// Whether the report says how long each way to an answer took.
    pub timed: bool,
}

impl Default for QueryOptions {
    fn default() -> QueryOptions {
        QueryOptions {
            plies: false,
            keep: None,
            lookup: true,
            facts: true,
            hints: true,
            compact: true,
            gate: true,
            timed: false,
        }
    }
}
