//! The sites with the most games.

use tabiya_model::Result;
use tabiya_model::collect::{NameOf, Needs, Seen, Statistic};
use tabiya_model::facts::{Facts, Fields, NameTable};

use crate::kind::{Counted, Kind, Order, begin};
use crate::names::Names;
use crate::table::Rows;

/// The sites with the most games.
pub(crate) static KIND: Kind = Kind {
    name: "sites",
    title: "Most frequent sites",
    order: Order::Most,
    own: false,
    full: false,
    begin: begin::<Sites>,
};

#[derive(Default)]
struct Sites;

impl Statistic for Sites {
    type Sum = Names;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::SITE.union(Fields::OUTCOME))
    }

    fn see(&self, sum: &mut Names, game: &mut Seen<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        sum.see(game, NameOf::Site, outcome)
    }

    fn add(&self, sum: &mut Names, part: Names, _first: u64) {
        sum.add(part);
    }
}

impl Counted for Sites {
    fn settle(&self, sum: &mut Names, facts: Option<&dyn Facts>) {
        sum.settle(NameTable::Sites, facts);
    }

    fn rows(&self, sum: &Names, most: Option<usize>) -> Rows {
        sum.rows(most)
    }
}
