//! Why games ended, as their tags say it.

use tabiya_model::Result;
use tabiya_model::collect::{Needs, Seen, Statistic};
use tabiya_model::facts::Fields;

use crate::kind::{Counted, Kind, Order, begin, tags};
use crate::names::Names;
use crate::table::Rows;

/// Why games ended, as their tags say it.
pub(crate) static KIND: Kind = Kind {
    name: "terminations",
    title: "Terminations",
    order: Order::Most,
    own: false,
    full: true,
    begin: begin::<Terminations>,
};

const TAGS: [&str; 1] = ["Termination"];

#[derive(Default)]
struct Terminations;

impl Statistic for Terminations {
    type Sum = Names;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::OUTCOME).union(Needs::game(tags(&TAGS)))
    }

    fn see(&self, sum: &mut Names, game: &mut Seen<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        sum.count(game.game(tags(&TAGS))?.tags.value("Termination"), outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Names, part: Names, _first: u64) {
        sum.add(part);
    }
}

impl Counted for Terminations {
    fn rows(&self, sum: &Names, most: Option<usize>) -> Rows {
        sum.rows(most)
    }
}
