//! Names that are written in several ways: `names --json`.

use std::collections::BTreeMap;

use crate::macros::answers;

answers! {
    /// Names that are written in several ways: `names --json`.
    pub struct NamesAnswer {
        /// Names that were looked at.
        pub names: u64,
        /// Games that are damaged, of those that had to be read.
        pub damaged: u64,
        /// The names with their variants, those with the most games first.
        pub groups: Vec<NameGroupAnswer>,
        /// Whether everything was looked at.
        pub whole: bool,
    }

    /// A name with its variants.
    pub struct NameGroupAnswer {
        /// What it names.
        pub kind: NameKindAnswer,
        /// The spelling that stays.
        pub keep: NameAnswer,
        /// The others.
        pub variants: Vec<NameVariantAnswer>,
    }

    /// What a name is of.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum NameKindAnswer {
        /// Players.
        Players,
        /// Events.
        Events,
        /// Sites.
        Sites,
        /// Rounds.
        Rounds,
    }

    /// A name and its games.
    pub struct NameAnswer {
        /// The name.
        pub name: String,
        /// Games in which it stands.
        pub games: u64,
        /// The first and the last year that a game says.
        pub years: Option<(u16, u16)>,
        /// The lowest and the highest Elo that a game says.
        pub elos: Option<(u16, u16)>,
    }

    /// A name that may be another spelling.
    pub struct NameVariantAnswer {
        /// The name.
        #[serde(flatten)]
        pub name: NameAnswer,
        /// How it differs: `spelling`, `title`, `swapped`, `short`, `misspelt` or `country`.
        pub how: &'static str,
        /// What speaks for it.
        pub evidence: Vec<String>,
        /// Other names that it may stand for as well: then it is not corrected.
        pub or: Vec<String>,
    }

    /// What was put right: `names --apply --json`.
    pub struct NameCorrectionAnswer {
        /// Games that were looked at.
        pub games: u64,
        /// Games that are others now.
        pub changed: u64,
        /// Names that were put right.
        pub names: Vec<CorrectedNameAnswer>,
        /// Tags that were filled in, and in how many games.
        pub filled: BTreeMap<String, u64>,
    }

    /// A name that was put right.
    pub struct CorrectedNameAnswer {
        /// What it names.
        pub kind: &'static str,
        /// As it was.
        pub old: String,
        /// As it is.
        pub new: String,
        /// In how many games.
        pub games: u64,
    }
}
