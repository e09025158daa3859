//! The openings of games, as a tree of ECO codes.

use tabiya_model::Result;
use tabiya_model::collect::{Needs, Seen, Statistic};
use tabiya_model::eco::Eco;
use tabiya_model::facts::Fields;

use crate::kind::{Counted, Kind, Order, begin};
use crate::score::Scale;
use crate::table::{Row, Rows};

/// The openings of games, as a tree of ECO codes.
pub(crate) static KIND: Kind = Kind {
    name: "openings",
    title: "Openings (ECO)",
    order: Order::Own,
    own: false,
    full: false,
    begin: begin::<Openings>,
};

#[derive(Default)]
struct Openings;

/// The code of a game whose [`Fields::ECO`] are needed.
pub(crate) fn code_of(game: &mut Seen<'_>) -> Result<Option<Eco>> {
    let fact = game.fact()?;
    if !fact.unsaid.meets(Fields::ECO) {
        return Ok(fact.eco_code());
    }
    // The tag says more than a code, or says it in another way.
    let game = game.game(tabiya_model::Want::TAGS)?;
    Ok(Eco::read(game.tags.value("ECO")).map(|(code, _)| code))
}

impl Statistic for Openings {
    /// By [`Eco::index`]; games without a code under none.
    type Sum = Scale;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::ECO.union(Fields::OUTCOME))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
        let code = code_of(game)?;
        sum.count(code.map(Eco::index), game.fact()?.outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        sum.add(part);
    }
}

/// How many codes a row of each depth stands for: a letter, ten codes, one.
const WIDTHS: [u16; 3] = [100, 10, 1];

impl Counted for Openings {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> Rows {
        tree(sum).into()
    }
}

/// The tree of scores that stand at [`Eco::index`].
pub(crate) fn tree(sum: &Scale) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut open = [None; WIDTHS.len()];
    for (index, score) in sum.iter() {
        let Some(code) = index.and_then(Eco::from_index) else {
            rows.push(Row::new("", score));
            continue;
        };
        let (index, letter) = (code.index(), code.letter());
        for ((depth, width), open) in (0..).zip(WIDTHS).zip(&mut open) {
            if *open == Some(index / width) {
                continue;
            }
            *open = Some(index / width);
            let first = index / width * width;
            let number = first % 100;
            rows.push(Row {
                label: match width {
                    100 => letter.to_string(),
                    10 => format!("{letter}{number:02}-{letter}{:02}", number + 9),
                    _ => format!("{letter}{number:02}"),
                },
                depth,
                score: sum.sum(first..first + width),
            });
        }
    }
    rows
}
