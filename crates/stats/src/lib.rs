//! Statistics over games, as tables that any front end can show: each is one file, and all are counted in one pass.
//!
//! A statistic is a [`Statistic`](tabiya_model::collect::Statistic) that can also give its answer as [`StatsRow`]s
//! ([`TableStatistic`]), and a [`StatisticKind`] that describes it. [`KINDS`] lists them; nothing else enumerates them.
//! CONTRIBUTING.md explains how to write one.
//!
//! The meaning of a name's number is known only while its database is open: after each pass over one,
//! [`StatisticRun::settle`] turns the numbers of names into texts, so that one count covers any number of databases.
//!
//! `tabiya::stats` counts the games of databases. The results are tables of rows:
//!
//! ```
//! use tabiya_model::outcome::Outcome;
//! use tabiya_stats::{StatsRow, ResultCounts, StatsTable, by_name, csv};
//!
//! let mut score = ResultCounts::default();
//! score.count(Outcome::WhiteWins);
//! score.count(Outcome::Draw);
//! assert_eq!(score.percent(), Some(75.0));
//!
//! let years = by_name("years").expect("it is in the list");
//! let table = StatsTable::new(years, vec![StatsRow::new("1858", score)].into(), None);
//! assert!(csv::csv(&[table]).contains("years,0,1858,2,1,1,0,0"));
//! ```

pub mod crosstable;
pub mod csv;
pub mod html;
pub mod name_scores;
pub mod player;
pub mod plot;
pub mod score;
pub mod statistic;
pub mod table;

mod annotators;
mod elo_differences;
mod events;
mod lengths;
mod numbered_texts;
mod openings;
mod players;
mod ratings;
mod results;
mod sites;
mod terminations;
mod time_controls;
mod titles;
mod years;

pub use score::ResultCounts;
pub use statistic::{RowOrder, StatisticKind, StatisticRun, TableStatistic};
pub use table::{StatsRow, StatsTable};

/// Every statistic, in the order in which they are shown.
pub static KINDS: &[&StatisticKind] = &[
    &results::KIND,
    &lengths::KIND,
    &years::KIND,
    &ratings::KIND,
    &elo_differences::KIND,
    &openings::KIND,
    &players::KIND,
    &events::KIND,
    &sites::KIND,
    &time_controls::KIND,
    &annotators::KIND,
    &titles::KIND,
    &terminations::KIND,
];

/// The statistic with a name.
pub fn by_name(name: &str) -> Option<&'static StatisticKind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}
