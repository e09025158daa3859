//! Which folder the games of a month go to.

use tabiya_model::Game;

/// How the games of a lake are spread over folders.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Partition {
    /// They stand one after another, in their order.
    #[default]
    None,
    /// By years.
    Year,
    /// By years and months.
    Month,
}

/// The year and the month of games that stand together.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Key {
    pub(super) year: Option<u16>,
    pub(super) month: Option<u8>,
}

/// What others call a part without a value.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

impl Partition {
    /// The partition of a word.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Partition> {
        match name {
            "none" => Some(Partition::None),
            "year" => Some(Partition::Year),
            "month" => Some(Partition::Month),
            _ => None,
        }
    }

    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Partition::None => "none",
            Partition::Year => "year",
            Partition::Month => "month",
        }
    }

    pub(super) fn key(self, game: &Game) -> Key {
        let date = match self {
            Partition::None => None,
            _ => game.tags.date("Date"),
        };
        let Some(date) = date else {
            return Key::default();
        };
        let month = date.month.filter(|_| self == Partition::Month);
        Key {
            year: date.year,
            month,
        }
    }

    /// The folder of games, within that of the lake.
    pub(super) fn folder(self, key: Key) -> String {
        let year = key
            .year
            .map_or_else(|| NULL.to_owned(), |year| year.to_string());
        let month = key
            .month
            .map_or_else(|| NULL.to_owned(), |month| month.to_string());
        match self {
            Partition::None => super::manifest::GAMES.to_owned(),
            Partition::Year => format!("{}/year={year}", super::manifest::GAMES),
            Partition::Month => format!("{}/year={year}/month={month}", super::manifest::GAMES),
        }
    }
}
