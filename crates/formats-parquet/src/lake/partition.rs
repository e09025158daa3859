//! Which folder the games of a month go to.

use tabiya_model::Game;

/// How the games of a lake are divided among folders.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum LakePartition {
    /// All in one folder, in their order.
    #[default]
    None,
    /// By year.
    Year,
    /// By year and month.
    Month,
}

/// The year and the month of games in the same folder.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct LakePartitionKey {
    pub(super) year: Option<u16>,
    pub(super) month: Option<u8>,
}

/// The folder of games with an unknown year.
const UNKNOWN: &str = "unknown";

impl LakePartition {
    /// The partition of a word.
    #[must_use]
    pub fn of_name(name: &str) -> Option<LakePartition> {
        match name {
            "none" => Some(LakePartition::None),
            "year" => Some(LakePartition::Year),
            "month" => Some(LakePartition::Month),
            _ => None,
        }
    }

    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LakePartition::None => "none",
            LakePartition::Year => "year",
            LakePartition::Month => "month",
        }
    }

    pub(super) fn key(self, game: &Game) -> LakePartitionKey {
        let date = match self {
            LakePartition::None => None,
            _ => game.tags.date("Date"),
        };
        let Some(date) = date else {
            return LakePartitionKey::default();
        };
        let month = date.month.filter(|_| self == LakePartition::Month);
        LakePartitionKey {
            year: date.year,
            month,
        }
    }

    /// The folder of games, within that of the lake. Year and month are columns as well, so the folders have plain names:
    /// programs that read `year=2015` as a column would find it twice.
    pub(super) fn folder(self, key: LakePartitionKey) -> String {
        let year = key
            .year
            .map_or_else(|| UNKNOWN.to_owned(), |year| format!("{year:04}"));
        let month = key
            .month
            .map_or_else(|| UNKNOWN.to_owned(), |month| format!("{month:02}"));
        match self {
            LakePartition::None => super::manifest::GAMES.to_owned(),
            LakePartition::Year => format!("{}/{year}", super::manifest::GAMES),
            LakePartition::Month => format!("{}/{year}/{month}", super::manifest::GAMES),
        }
    }
}
