//! The events with the most games.

use tabiya_model::Result;
use tabiya_model::collect::{NameOf, Needs, Seen, Statistic};
use tabiya_model::facts::{Facts, Fields, NameTable};

use crate::kind::{Counted, Kind, Order, begin};
use crate::names::Names;
use crate::table::Rows;

/// The events with the most games.
pub(crate) static KIND: Kind = Kind {
    name: "events",
    title: "Most frequent events",
    order: Order::Most,
    own: false,
    full: false,
    begin: begin::<Events>,
};

#[derive(Default)]
struct Events;

impl Statistic for Events {
    type Sum = Names;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::EVENT.union(Fields::OUTCOME))
    }

    fn see(&self, sum: &mut Names, game: &mut Seen<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        sum.see(game, NameOf::Event, outcome)
    }

    fn add(&self, sum: &mut Names, part: Names, _first: u64) {
        sum.add(part);
    }
}

impl Counted for Events {
    fn settle(&self, sum: &mut Names, facts: Option<&dyn Facts>) {
        sum.settle(NameTable::Events, facts);
    }

    fn rows(&self, sum: &Names, most: Option<usize>) -> Rows {
        sum.rows(most)
    }
}
