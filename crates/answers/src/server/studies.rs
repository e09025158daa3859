//! Looking through a database.

use crate::duplicates::DuplicatePairAnswer;
use crate::macros::answers;
use crate::names::NameGroupAnswer;
use crate::novelties::NoveltyAnswer;
use crate::puzzles::PuzzleAnswer;

answers! {
    /// Pairs of games that are one game.
    pub struct DuplicatesAnswer {
        /// Games that were compared.
        pub games: u64,
        /// How many pairs were found.
        pub count: u64,
        /// The pairs.
        pub pairs: Vec<DuplicatePairAnswer>,
        /// Games that are damaged, of those that had to be read.
        pub damaged: u64,
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// Whether all pairs were looked for; false where there are more than are shown.
        pub whole: bool,
    }

    /// Names that are written in several ways.
    pub struct SpellingsAnswer {
        /// Names that were looked at.
        pub names: u64,
        /// Games that are damaged, of those that had to be read.
        pub damaged: u64,
        /// How many names have variants.
        pub count: u64,
        /// The names with their variants, those with the most games first.
        pub groups: Vec<NameGroupAnswer>,
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// Whether these are all; false where there are more than are shown.
        pub whole: bool,
    }

    /// Where games leave what was played before them.
    pub struct NoveltiesAnswer {
        /// Games that were compared.
        pub games: u64,
        /// Games without a year, before which no game is known to be.
        pub undated: u64,
        /// The games that followed others longest, these first.
        pub novelties: Vec<NoveltyAnswer>,
        /// What there is to know beside.
        pub notes: Vec<String>,
        /// Whether all games were compared.
        pub whole: bool,
    }

    /// Puzzles out of the games of a database.
    pub struct PuzzlesAnswer {
        /// What the engine calls itself.
        pub engine: String,
        /// Games that were looked at.
        pub games: u64,
        /// Positions that the engine would not answer about.
        pub failed: u64,
        /// What was noticed about the engine.
        pub notes: Vec<String>,
        /// The puzzles.
        pub puzzles: Vec<PuzzleAnswer>,
        /// Whether all games were looked at; false where it ended because there were enough puzzles.
        pub whole: bool,
    }
}
