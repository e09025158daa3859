//! Rows: what an index answers about a game without decoding it.

use std::borrow::Cow;

use crate::date::Date;
use crate::game::Game;
use crate::outcome::Outcome;
use crate::rating::{Rating, RatingKind};

/// A game as its index describes it. Fields that an index does not have are empty or `None`: unknown, not absent.
#[derive(Clone, Debug, Default)]
pub struct Row<'a> {
    /// White's name.
    pub white: Cow<'a, str>,
    /// Black's name.
    pub black: Cow<'a, str>,
    /// The event.
    pub event: Cow<'a, str>,
    /// The site.
    pub site: Cow<'a, str>,
    /// The round.
    pub round: Cow<'a, str>,
    /// White's rating; `None` where it has none.
    pub white_elo: Option<u16>,
    /// Black's rating.
    pub black_elo: Option<u16>,
    /// The date.
    pub date: Option<Date>,
    /// The event's date.
    pub event_date: Option<Date>,
    /// The result.
    pub outcome: Option<Outcome>,
    /// The ECO code as text.
    pub eco: Cow<'a, str>,
    /// Half-moves of the main line.
    pub plies: Option<u32>,
    /// Whether the game starts from a set-up position.
    pub setup: Option<bool>,
    /// Whether the game is marked as deleted.
    pub deleted: bool,
    /// Flags of the game in Scid's letters.
    pub flags: Cow<'a, str>,
    /// Number of variations, rounded as the index keeps it.
    pub variations: Option<u32>,
    /// Number of comments, rounded as the index keeps it.
    pub comments: Option<u32>,
    /// Number of NAGs, rounded as the index keeps it.
    pub nags: Option<u32>,
}

/// What all rows together say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// The first date of which at least the year is known.
    pub first: Option<Date>,
    /// The last date of which at least the year is known.
    pub last: Option<Date>,
    /// The number of games that are marked as deleted.
    pub deleted: u64,
}

impl Overview {
    /// Counts a game in.
    pub fn add(&mut self, date: Option<Date>, deleted: bool) {
        self.deleted += u64::from(deleted);
        let Some(date) = date.filter(|date| date.year.is_some()) else {
            return;
        };
        let key = |date: &Date| (date.year, date.month, date.day);
        if self
            .first
            .as_ref()
            .is_none_or(|first| key(&date) < key(first))
        {
            self.first = Some(date);
        }
        if self.last.as_ref().is_none_or(|last| key(&date) > key(last)) {
            self.last = Some(date);
        }
    }

    /// Counts the games of another overview in.
    pub fn merge(&mut self, other: Overview) {
        self.deleted += other.deleted;
        self.add(other.first, false);
        self.add(other.last, false);
    }
}

/// What statistics ask of a game.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Brief {
    /// White's rating.
    pub white_elo: Option<u16>,
    /// Black's rating.
    pub black_elo: Option<u16>,
    /// The date.
    pub date: Option<Date>,
    /// The result.
    pub outcome: Outcome,
}

impl Brief {
    /// The same of a game that was read.
    pub fn of_game(game: &Game) -> Brief {
        let elo =
            |name| Rating::parse(RatingKind::Elo, game.tags.value(name)).map(|rating| rating.value);
        Brief {
            white_elo: elo("WhiteElo"),
            black_elo: elo("BlackElo"),
            date: game.tags.date("Date"),
            outcome: game.result(),
        }
    }
}

impl Row<'_> {
    /// What statistics ask of it.
    pub fn brief(&self) -> Brief {
        Brief {
            white_elo: self.white_elo,
            black_elo: self.black_elo,
            date: self.date,
            outcome: self.outcome.unwrap_or_default(),
        }
    }
}

/// An index that answers for every game.
pub trait Rows: Sync {
    /// The number of rows, one a game.
    fn len(&self) -> u64;

    /// Whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row of a game by its number, from 1; `None` beyond the last.
    fn row(&self, number: u64) -> Option<Row<'_>>;

    /// What all rows together say.
    fn overview(&self) -> Overview {
        let mut overview = Overview::default();
        for row in (1..=self.len()).filter_map(|number| self.row(number)) {
            overview.add(row.date, row.deleted);
        }
        overview
    }

    /// What statistics ask of a game: a way that touches no names, where there is one.
    fn brief(&self, number: u64) -> Option<Brief> {
        self.row(number).map(|row| row.brief())
    }
}
