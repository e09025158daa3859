//! How games ended.

use tabiya_model::Result;
use tabiya_model::collect::{Needs, Seen, Statistic};
use tabiya_model::facts::Fields;

use crate::kind::{Counted, Kind, Order, begin};
use crate::score::Score;
use crate::table::{Row, Rows};

/// How games ended.
pub(crate) static KIND: Kind = Kind {
    name: "results",
    title: "Results",
    order: Order::Own,
    own: false,
    full: false,
    begin: begin::<Results>,
};

#[derive(Default)]
struct Results;

impl Statistic for Results {
    type Sum = Score;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::OUTCOME)
    }

    fn see(&self, sum: &mut Score, game: &mut Seen<'_>) -> Result<()> {
        sum.count(game.fact()?.outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Score, part: Score, _first: u64) {
        sum.add(part);
    }
}

impl Counted for Results {
    fn rows(&self, sum: &Score, _most: Option<usize>) -> Rows {
        vec![Row::new("all", *sum)].into()
    }
}
