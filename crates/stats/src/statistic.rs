//! The description of a statistic, and a running one.

use tabiya_model::GameNeeds;
use tabiya_model::collect::{CollectorPass, Statistic};
use tabiya_model::facts::FactSource;
use tabiya_model::tags::TagSet;

use crate::table::StatsRows;

/// The order of a statistic's rows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RowOrder {
    /// As the statistic gives them: along a scale, or a tree.
    Own,
    /// The most games first, and only as many as required: names.
    Most,
}

/// What a statistic is.
#[derive(Debug)]
pub struct StatisticKind {
    /// The name by which users choose it.
    pub name: &'static str,
    /// The heading of its table.
    pub title: &'static str,
    /// The order of its rows.
    pub order: RowOrder,
    /// Whether wins are those of the player that a row is about, and not White's.
    pub own: bool,
    /// Whether it needs the games themselves, so that it is counted on request only.
    pub full: bool,
    /// Begins to count.
    pub begin: fn() -> Box<dyn StatisticRun>,
}

/// A statistic whose answer is a table.
pub trait TableStatistic: Statistic {
    /// Resolves what only the facts of the database of this pass can resolve; called after each pass.
    fn settle(&self, _sum: &mut Self::Sum, _facts: Option<&dyn FactSource>) {}

    /// The rows; of names, no more than the `most` with the most games are necessary.
    fn rows(&self, sum: &Self::Sum, most: Option<usize>) -> StatsRows;
}

/// A running statistic of any kind.
pub trait StatisticRun: Send {
    /// Takes part in a pass.
    fn join<'p>(&'p mut self, pass: &mut CollectorPass<'p>);

    /// Ends the pass over a database with these facts.
    fn settle(&mut self, facts: Option<&dyn FactSource>);

    /// The rows so far; of names, no more than the `most` with the most games are necessary.
    fn rows(&self, most: Option<usize>) -> StatsRows;
}

struct TableStatisticRun<S: TableStatistic> {
    statistic: S,
    sum: S::Sum,
}

/// Begins to count; [`StatisticKind::begin`] of every statistic calls it.
pub fn begin<S: TableStatistic + Default + Send + 'static>() -> Box<dyn StatisticRun> {
    Box::new(TableStatisticRun {
        statistic: S::default(),
        sum: S::Sum::default(),
    })
}

impl<S: TableStatistic + Send> StatisticRun for TableStatisticRun<S> {
    fn join<'p>(&'p mut self, pass: &mut CollectorPass<'p>) {
        pass.sum(&self.statistic, &mut self.sum);
    }

    fn settle(&mut self, facts: Option<&dyn FactSource>) {
        self.statistic.settle(&mut self.sum, facts);
    }

    fn rows(&self, most: Option<usize>) -> StatsRows {
        self.statistic.rows(&self.sum, most)
    }
}

/// What is read of a game for these tags.
pub fn tags(names: &[&str]) -> GameNeeds {
    GameNeeds {
        tags: TagSet::of(names),
        ..GameNeeds::TAGS
    }
}
