//! The years of games.

use tabiya_model::Result;
use tabiya_model::collect::{Needs, Seen, Statistic};
use tabiya_model::facts::Fields;

use crate::kind::{Counted, Kind, Order, begin};
use crate::score::Scale;
use crate::table::{Row, Rows};

/// The years of games.
pub(crate) static KIND: Kind = Kind {
    name: "years",
    title: "Years",
    order: Order::Own,
    own: false,
    full: false,
    begin: begin::<Years>,
};

#[derive(Default)]
struct Years;

impl Statistic for Years {
    /// By year, the unknown one first.
    type Sum = Scale;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::DATE.union(Fields::OUTCOME))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
        let fact = game.fact()?;
        sum.count(fact.date.year, fact.outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        sum.add(part);
    }
}

impl Counted for Years {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> Rows {
        let label = |key: Option<u16>| key.map_or_else(String::new, |year| format!("{year:04}"));
        sum.iter()
            .map(|(key, score)| Row::new(label(key), score))
            .collect::<Vec<_>>()
            .into()
    }
}
