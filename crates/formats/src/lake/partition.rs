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

/// The folder of games of which it is not known.
const UNKNOWN: &str = "unknown";

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

    /// The folder of games, within that of the lake. Year and month are columns as well: the folders' names are plain, since
    /// programs that take `year=2015` for a column find it twice.
    pub(super) fn folder(self, key: Key) -> String {
        let year = key
            .year
            .map_or_else(|| UNKNOWN.to_owned(), |year| format!("{year:04}"));
        let month = key
            .month
            .map_or_else(|| UNKNOWN.to_owned(), |month| format!("{month:02}"));
        match self {
            Partition::None => super::manifest::GAMES.to_owned(),
            Partition::Year => format!("{}/{year}", super::manifest::GAMES),
            Partition::Month => format!("{}/{year}/{month}", super::manifest::GAMES),
        }
    }
}
