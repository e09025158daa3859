//! The players with the most games.

use shakmaty::Color;
use tabiya_model::Result;
use tabiya_model::collect::{NameOf, Needs, Seen, Statistic};
use tabiya_model::facts::{Facts, Fields, NameTable};

use crate::kind::{Counted, Kind, Order, begin};
use crate::names::Names;
use crate::score::seen_by;
use crate::table::Rows;

/// The players with the most games.
pub(crate) static KIND: Kind = Kind {
    name: "players",
    title: "Most frequent players",
    order: Order::Most,
    own: true,
    full: false,
    begin: begin::<Players>,
};

#[derive(Default)]
struct Players;

impl Statistic for Players {
    type Sum = Names;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::WHITE.union(Fields::BLACK).union(Fields::OUTCOME))
    }

    fn see(&self, sum: &mut Names, game: &mut Seen<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        for color in Color::ALL {
            sum.see(game, NameOf::player(color), seen_by(color, outcome))?;
        }
        Ok(())
    }

    fn add(&self, sum: &mut Names, part: Names, _first: u64) {
        sum.add(part);
    }
}

impl Counted for Players {
    fn settle(&self, sum: &mut Names, facts: Option<&dyn Facts>) {
        sum.settle(NameTable::Players, facts);
    }

    fn rows(&self, sum: &Names, most: Option<usize>) -> Rows {
        sum.rows(most)
    }
}
