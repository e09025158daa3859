//! The openings of games, as a tree of ECO codes.

use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::eco::EcoCode;
use tabiya_model::facts::FactFields;
use tabiya_model::tags::TagSet;
use tabiya_model::{GameNeeds, Result};
use tabiya_openings as openings;

use crate::score::ScoreScale;
use crate::statistic::{RowOrder, StatisticKind, TableStatistic, begin};
use crate::table::{StatsRow, StatsRows};

/// The openings of games, as a tree of ECO codes.
pub(crate) static KIND: StatisticKind = StatisticKind {
    name: "openings",
    title: "Openings (ECO)",
    order: RowOrder::Own,
    own: false,
    full: false,
    begin: begin::<OpeningStatistic>,
};

#[derive(Default)]
struct OpeningStatistic;

/// What is read of a game whose tag has no code.
fn main_line() -> GameNeeds {
    GameNeeds {
        verify: false,
        tags: TagSet::of(&["FEN", "SetUp", "Variant"]),
        ..GameNeeds::MAIN_LINE
    }
}

/// What [`code_of`] needs.
pub(crate) fn needs() -> CollectorNeeds {
    CollectorNeeds::facts(FactFields::ECO).perhaps(main_line())
}

/// The code of a game: that of its tag, and where that has none, the code of the last position of its main line that has a name.
pub(crate) fn code_of(game: &mut GameView<'_>) -> Result<Option<EcoCode>> {
    let fact = game.fact()?;
    if fact.unsaid.meets(FactFields::ECO) {
        // The tag says more than a code, or says it in another way.
        let game = game.game(GameNeeds::TAGS)?;
        if let Some((code, _)) = EcoCode::read(game.tags.value("ECO")) {
            return Ok(Some(code));
        }
    } else if let Some(code) = fact.eco_code() {
        return Ok(Some(code));
    }
    let opening = openings::of_game(game.game(main_line())?);
    Ok(opening.and_then(|opening| opening.code()))
}

impl Statistic for OpeningStatistic {
    /// By [`EcoCode::index`]; games without a code under none.
    type Sum = ScoreScale;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::OUTCOME).union(needs())
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let code = code_of(game)?;
        sum.count(code.map(EcoCode::index), game.fact()?.outcome);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        sum.add(part);
    }
}

/// How many codes a row of each depth stands for: a letter, ten codes, one.
const WIDTHS: [u16; 3] = [100, 10, 1];

impl TableStatistic for OpeningStatistic {
    fn rows(&self, sum: &Self::Sum, _most: Option<usize>) -> StatsRows {
        tree(sum).into()
    }
}

/// The tree of scores that stand at [`EcoCode::index`].
pub(crate) fn tree(sum: &ScoreScale) -> Vec<StatsRow> {
    let mut rows = Vec::new();
    let mut open = [None; WIDTHS.len()];
    for (index, score) in sum.iter() {
        let Some(code) = index.and_then(EcoCode::from_index) else {
            rows.push(StatsRow::new("", score));
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
            rows.push(StatsRow {
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
