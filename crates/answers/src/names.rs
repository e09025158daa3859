//! Names with variants: `names --json`.

use std::collections::BTreeMap;

use crate::macros::answers;

answers! {
    /// Names with variants: `names --json`.
    pub struct NamesAnswer {
        /// Names that were checked.
        pub names: u64,
        /// Damaged games among those that had to be read.
        pub damaged: u64,
        /// The names with their variants, those with the most games first.
        pub groups: Vec<NameGroupAnswer>,
        /// Whether everything was processed.
        pub whole: bool,
    }

    /// A name with its variants.
    pub struct NameGroupAnswer {
        /// The kind of name.
        pub kind: NameKindAnswer,
        /// The spelling that is kept.
        pub keep: NameAnswer,
        /// The variants.
        pub variants: Vec<NameVariantAnswer>,
    }

    /// The kind of a name.
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
        /// Games with this name.
        pub games: u64,
        /// The first and the last year of these games.
        pub years: Option<(u16, u16)>,
        /// The lowest and the highest Elo in these games.
        pub elos: Option<(u16, u16)>,
    }

    /// A name that may be a variant.
    pub struct NameVariantAnswer {
        /// The name.
        #[serde(flatten)]
        pub name: NameAnswer,
        /// How it differs: `spelling`, `title`, `swapped`, `short`, `misspelt` or `country`.
        pub how: &'static str,
        /// The evidence for it.
        pub evidence: Vec<String>,
        /// Other names of which it may be a variant: if there are any, it is not corrected.
        pub or: Vec<String>,
    }

    /// The names that were fixed: `names --apply --json`.
    pub struct NameCorrectionAnswer {
        /// Games that were read.
        pub games: u64,
        /// Games that were changed.
        pub changed: u64,
        /// Names that were fixed.
        pub names: Vec<CorrectedNameAnswer>,
        /// Tags that were filled in, with the number of games.
        pub filled: BTreeMap<String, u64>,
    }

    /// A name that was fixed.
    pub struct CorrectedNameAnswer {
        /// The kind of name.
        pub kind: &'static str,
        /// The old name.
        pub old: String,
        /// The new name.
        pub new: String,
        /// The number of games.
        pub games: u64,
    }
}
