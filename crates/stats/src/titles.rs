//! The titles of players.

use shakmaty::Color;
use tabiya_model::Result;
use tabiya_model::collect::{Needs, Seen, Statistic};
use tabiya_model::facts::Fields;

use crate::kind::{Counted, Kind, Order, begin, tags};
use crate::names::Names;
use crate::score::seen_by;
use crate::table::Rows;

/// The titles of players.
pub(crate) static KIND: Kind = Kind {
    name: "titles",
    title: "Titles",
    order: Order::Most,
    own: true,
    full: true,
    begin: begin::<Titles>,
};

const TAGS: [&str; 2] = ["WhiteTitle", "BlackTitle"];

#[derive(Default)]
struct Titles;

impl Statistic for Titles {
    type Sum = Names;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::OUTCOME).union(Needs::game(tags(&TAGS)))
    }

    fn see(&self, sum: &mut Names, game: &mut Seen<'_>) -> Result<()> {
        let outcome = game.fact()?.outcome;
        let game = game.game(tags(&TAGS))?;
        for (color, tag) in [Color::White, Color::Black].into_iter().zip(TAGS) {
            sum.count(game.tags.value(tag), seen_by(color, outcome));
        }
        Ok(())
    }

    fn add(&self, sum: &mut Names, part: Names, _first: u64) {
        sum.add(part);
    }
}

impl Counted for Titles {
    fn rows(&self, sum: &Names, most: Option<usize>) -> Rows {
        sum.rows(most)
    }
}
