//! Studies of a whole database.

use crate::duplicates::DuplicatePairAnswer;
use crate::macros::answers;
use crate::names::NameGroupAnswer;
use crate::novelties::NoveltyAnswer;
use crate::puzzles::PuzzleAnswer;

answers! {
    /// Pairs of duplicates.
    pub struct DuplicatesAnswer {
        /// Games that were compared.
        pub games: u64,
        /// How many pairs were found.
        pub count: u64,
        /// The pairs.
        pub pairs: Vec<DuplicatePairAnswer>,
        /// Damaged games among those that had to be read.
        pub damaged: u64,
        /// Other notes.
        pub notes: Vec<String>,
        /// Whether all pairs were found; false if there are more.
        pub whole: bool,
    }

    /// Names with variants.
    pub struct SpellingsAnswer {
        /// Names that were checked.
        pub names: u64,
        /// Damaged games among those that had to be read.
        pub damaged: u64,
        /// How many names have variants.
        pub count: u64,
        /// The names with their variants, those with the most games first.
        pub groups: Vec<NameGroupAnswer>,
        /// Other notes.
        pub notes: Vec<String>,
        /// Whether these are all; false if there are more.
        pub whole: bool,
    }

    /// The novelties of games.
    pub struct NoveltiesAnswer {
        /// Games that were compared.
        pub games: u64,
        /// Games without a year, which cannot be compared with earlier games.
        pub undated: u64,
        /// The games that stayed longest in known theory, the longest first.
        pub novelties: Vec<NoveltyAnswer>,
        /// Other notes.
        pub notes: Vec<String>,
        /// Whether all games were compared.
        pub whole: bool,
    }

    /// Puzzles from the games of a database.
    pub struct PuzzlesAnswer {
        /// The name that the engine gives itself.
        pub engine: String,
        /// Games that were read.
        pub games: u64,
        /// Positions that the engine has not evaluated.
        pub failed: u64,
        /// Notes about the engine.
        pub notes: Vec<String>,
        /// The puzzles.
        pub puzzles: Vec<PuzzleAnswer>,
        /// Whether all games were searched; false if there were enough puzzles before the end.
        pub whole: bool,
    }
}
