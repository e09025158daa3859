//! Who has annotated the most games.

use tabiya_model::Result;
use tabiya_model::collect::{Needs, Seen, Statistic};
use tabiya_model::facts::Fields;

use crate::kind::{Counted, Kind, Order, begin, tags};
use crate::names::Names;
use crate::table::Rows;

/// Who has annotated the most games.
pub(crate) static KIND: Kind = Kind {
    name: "annotators",
    title: "Most frequent annotators",
    order: Order::Most,
    own: false,
    full: true,
    begin: begin::<Annotators>,
};

const TAGS: [&str; 1] = ["Annotator"];

#[derive(Default)]
struct Annotators;

impl Statistic for Annotators {
    type Sum = Names;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::OUTCOME).union(Needs::game(tags(&TAGS)))
    }

    fn see(&self, sum: &mut Names, game: &mut Seen<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        sum.count(game.game(tags(&TAGS))?.tags.value("Annotator"), outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Names, part: Names, _first: u64) {
        sum.add(part);
    }
}

impl Counted for Annotators {
    fn rows(&self, sum: &Names, most: Option<usize>) -> Rows {
        sum.rows(most)
    }
}
