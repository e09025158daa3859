//! The games of bases as crosstables need them, with their names as numbers of one list.

use std::collections::HashMap;

use shakmaty::Color;
use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, NameField, NameRef, Statistic};
use tabiya_model::date::Date;
use tabiya_model::facts::{FactFields, FactSource};
use tabiya_model::outcome::Outcome;

use crate::numbered_texts::NumberedTexts;

/// A game of an event. Names are numbers of [`CrosstableGames::name`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CrosstableGame {
    /// The index of its base among those that were read.
    pub base: usize,
    /// Its number there.
    pub number: u64,
    /// White and Black.
    pub players: [u32; 2],
    /// The event.
    pub event: u32,
    /// The site.
    pub site: u32,
    /// The round.
    pub round: u32,
    /// White's and Black's Elo; 0 for none.
    pub elos: [u16; 2],
    /// The date.
    pub date: Date,
    /// The event's date.
    pub event_date: Option<Date>,
    /// The result.
    pub outcome: Outcome,
    /// Plies, if they are known without reading the moves.
    pub plies: Option<u32>,
}

/// What names a number is of: those of the facts, or those of the run.
const OWN: u32 = 1 << 31;

/// The names of an [`CrosstableGame`] that are looked up, in order.
const NAMES: [NameField; 5] = [
    NameField::White,
    NameField::Black,
    NameField::Event,
    NameField::Site,
    NameField::Round,
];

fn names(entry: &mut CrosstableGame) -> [&mut u32; 5] {
    let [white, black] = &mut entry.players;
    [
        white,
        black,
        &mut entry.event,
        &mut entry.site,
        &mut entry.round,
    ]
}

/// What one pass over a base leaves.
#[derive(Default, Debug)]
pub struct CrosstablePart {
    games: Vec<CrosstableGame>,
    texts: NumberedTexts,
}

/// Gathers games; those that are marked as deleted are left out.
pub struct CrosstableCollector;

impl Statistic for CrosstableCollector {
    type Sum = CrosstablePart;

    fn needs(&self) -> CollectorNeeds {
        let names = FactFields::WHITE
            .union(FactFields::BLACK)
            .union(FactFields::EVENT)
            .union(FactFields::SITE)
            .union(FactFields::ROUND);
        let dates = FactFields::DATE.union(FactFields::EVENT_DATE);
        CollectorNeeds::facts(
            names
                .union(dates)
                .union(FactFields::ELOS)
                .union(FactFields::OUTCOME)
                .union(FactFields::PLIES)
                .union(FactFields::FLAGS),
        )
    }

    fn see(&self, sum: &mut CrosstablePart, game: &mut GameView<'_>) -> Result<()> {
        let fact = game.fact()?;
        if fact.is_deleted() {
            return Ok(());
        }
        let mut entry = CrosstableGame {
            base: 0,
            number: 0,
            players: [0; 2],
            event: 0,
            site: 0,
            round: 0,
            elos: fact.elos,
            date: fact.date,
            event_date: fact.event_date,
            outcome: fact.outcome,
            plies: fact.plies,
        };
        entry.number = game.place();
        for (slot, of) in names(&mut entry).into_iter().zip(NAMES) {
            *slot = match game.name(of)? {
                NameRef::Number(number) => number & !OWN,
                NameRef::Text(text) => OWN | sum.texts.number(&text),
            };
        }
        sum.games.push(entry);
        Ok(())
    }

    fn add(&self, sum: &mut CrosstablePart, part: CrosstablePart, first: u64) {
        let own: Vec<u32> = part
            .texts
            .iter()
            .map(|text| OWN | sum.texts.number(text))
            .collect();
        sum.games.extend(part.games.into_iter().map(|mut entry| {
            entry.number += first;
            for name in names(&mut entry) {
                if *name & OWN != 0 {
                    *name = usize::try_from(*name & !OWN)
                        .ok()
                        .and_then(|place| own.get(place))
                        .copied()
                        .unwrap_or(*name);
                }
            }
            entry
        }));
    }
}

/// The games of all bases.
#[derive(Default, Debug)]
pub struct CrosstableGames {
    /// The games.
    pub games: Vec<CrosstableGame>,
    texts: NumberedTexts,
}

impl CrosstableGames {
    /// Adds the games of a pass over the base with an index; its facts have the names for the numbers. Games of a list are
    /// numbered by their places in it.
    pub fn add(
        &mut self,
        sum: CrosstablePart,
        base: usize,
        facts: Option<&dyn FactSource>,
        listed: Option<&[u64]>,
    ) {
        let mut known: [HashMap<u32, u32>; 5] = Default::default();
        for mut entry in sum.games {
            entry.base = base;
            if let Some(listed) = listed {
                let place = usize::try_from(entry.number.saturating_sub(1)).ok();
                let number = place.and_then(|place| listed.get(place));
                entry.number = number.copied().unwrap_or(entry.number);
            }
            for ((name, of), known) in names(&mut entry).into_iter().zip(NAMES).zip(&mut known) {
                let texts = &mut self.texts;
                *name = *known
                    .entry(*name)
                    .or_insert_with(|| match (*name & OWN, facts) {
                        (0, Some(facts)) => texts.number(&facts.name(of.table(), *name)),
                        (0, None) => texts.number(""),
                        _ => texts.number(sum.texts.get(*name & !OWN)),
                    });
            }
            self.games.push(entry);
        }
    }

    #[cfg(test)]
    pub(super) fn push_for_test(&mut self, texts: [&str; 5], mut entry: CrosstableGame) {
        for (name, text) in names(&mut entry).into_iter().zip(texts) {
            *name = self.texts.number(text);
        }
        self.games.push(entry);
    }

    /// The text of a name.
    pub fn name(&self, number: u32) -> &str {
        self.texts.get(number)
    }

    /// The names of the players of a game.
    pub fn players(&self, game: &CrosstableGame) -> [&str; 2] {
        game.players.map(|number| self.name(number))
    }
}

/// The points of a side for a result, in halves; nothing where there is none.
pub(super) fn half_points(color: Color, outcome: Outcome) -> Option<u32> {
    match (outcome, color) {
        (Outcome::Unknown, _) => None,
        (Outcome::Draw, _) => Some(1),
        (Outcome::WhiteWins, Color::White) | (Outcome::BlackWins, Color::Black) => Some(2),
        _ => Some(0),
    }
}
