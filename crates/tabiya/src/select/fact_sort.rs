//! The games of a base in an order that facts alone determine: only games whose facts are incomplete are read.

use std::num::NonZero;

use tabiya_model::facts::{FactFields, FactSource, GameFacts, NameTable};
use tabiya_model::sort_order::{SortField, SortKey, SortValue, of_outcome};
use tabiya_model::{Control, Database, Game, GameNeeds, Result};
use tabiya_query::fold::fold;

use crate::open::base::Base;
use crate::select::game_order::GameOrder;

/// Numbers of games that fit beside a rank in 64 bits.
const MOST: u64 = 1 << 31;
/// The rank of what is not known: behind everything.
const MISSING: u64 = 1 << 32;
/// Games that one thread looks at before it asks whether to stop.
const RUN: usize = 4_096;

/// The numbers of games in an order: of the given games, or of all. `None` if facts do not determine the order, or the
/// control was stopped; a search has to sort them then.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use tabiya::model::Control;
/// use tabiya::fact_sort::sorted_numbers;
///
/// for base in tabiya::open(path)? {
///     let numbers = sorted_numbers(&base, &"-white".parse()?, None, &Control::default())?;
///     assert_eq!(numbers.as_deref(), Some(&[2, 5, 1, 4, 3][..]));
/// }
/// # Ok(())
/// # }
/// ```
pub fn sorted_numbers(
    base: &Base,
    order: &GameOrder,
    games: Option<&[u64]>,
    control: &Control,
) -> Result<Option<Vec<u64>>> {
    let ([key], Some(database), Some(facts)) = (order.keys(), base.database(), base.facts()) else {
        return Ok(None);
    };
    let total = facts.len();
    let Some(field) = field_of(key.field).filter(|_| total < MOST) else {
        return Ok(None);
    };
    let sorter = FactSorter {
        key: *key,
        field,
        facts,
        database,
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let count = games.map_or(total, |games| games.len() as u64);
    let share = usize::try_from(count)
        .unwrap_or(usize::MAX)
        .div_ceil(threads)
        .max(RUN);
    let mut shares = Vec::new();
    let mut from = 0_u64;
    while from < count {
        let end = (from + share as u64).min(count);
        shares.push(from..end);
        from = end;
    }
    // What every game says, on all threads, and the few games that have to be read for it.
    let parts: Vec<Result<Option<FactSortPart>>> = std::thread::scope(|scope| {
        let running: Vec<_> = shares
            .into_iter()
            .map(|share| {
                let sorter = &sorter;
                scope.spawn(move || sorter.look(share, games, control))
            })
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or(Ok(None)))
            .collect()
    });
    let mut said = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    let mut read = Vec::new();
    for part in parts {
        match part? {
            Some(part) => {
                said.extend(part.said);
                read.extend(part.read);
            }
            None => return Ok(None),
        }
    }
    let mut keys = sorter.ranked(said, read);
    keys.sort_unstable();
    if control.is_stopped() {
        return Ok(None);
    }
    Ok(Some(keys.into_iter().map(|key| key & (MOST - 1)).collect()))
}

/// What one thread has found out.
struct FactSortPart {
    /// For each game its rank, or the number of its name, and its number.
    said: Vec<(u64, u64)>,
    /// Games whose facts are incomplete, with the facts they have.
    read: Vec<(SortValue, u64)>,
}

/// How a field is looked up.
#[derive(Copy, Clone)]
enum FactSortField {
    /// By the number of a name in a table.
    Name(NameTable, FactFields, fn(&GameFacts) -> u32),
    /// By its value.
    Value(FactFields, fn(&GameFacts) -> SortValue),
    /// It is the number of the game.
    Number,
}

fn number(value: Option<u32>) -> SortValue {
    value.map_or(SortValue::Missing, |value| {
        SortValue::Number(i64::from(value))
    })
}

fn positive(value: u16) -> SortValue {
    number(Some(u32::from(value)).filter(|value| *value > 0))
}

fn field_of(field: SortField) -> Option<FactSortField> {
    use NameTable::{Events, Players, Rounds, Sites};
    Some(match field {
        SortField::Number => FactSortField::Number,
        SortField::White => FactSortField::Name(Players, FactFields::WHITE, |fact| fact.players[0]),
        SortField::Black => FactSortField::Name(Players, FactFields::BLACK, |fact| fact.players[1]),
        SortField::Event => FactSortField::Name(Events, FactFields::EVENT, |fact| fact.event),
        SortField::Site => FactSortField::Name(Sites, FactFields::SITE, |fact| fact.site),
        SortField::Round => FactSortField::Name(Rounds, FactFields::ROUND, |fact| fact.round),
        SortField::Date => FactSortField::Value(FactFields::DATE, |fact| match fact.date.year {
            Some(_) => SortValue::Date(fact.date),
            None => SortValue::Missing,
        }),
        SortField::Result => {
            FactSortField::Value(FactFields::OUTCOME, |fact| of_outcome(fact.outcome))
        }
        SortField::WhiteElo => {
            FactSortField::Value(FactFields::ELOS, |fact| positive(fact.elos[0]))
        }
        SortField::BlackElo => {
            FactSortField::Value(FactFields::ELOS, |fact| positive(fact.elos[1]))
        }
        SortField::Elo => FactSortField::Value(FactFields::ELOS, |fact| match fact.elos {
            [0, _] | [_, 0] => SortValue::Missing,
            [white, black] => number(Some(u32::from(white) + u32::from(black))),
        }),
        SortField::Eco => FactSortField::Value(FactFields::ECO, |fact| positive(fact.eco)),
        SortField::Plies => FactSortField::Value(FactFields::PLIES, |fact| number(fact.plies)),
        SortField::Ply | SortField::EventDate | SortField::Near => return None,
    })
}

/// A value as a number that stands where the value does.
fn place(value: &SortValue) -> u64 {
    match value {
        SortValue::Number(number) => u64::try_from(*number).unwrap_or(0).min(MISSING - 1),
        SortValue::Date(date) => {
            let part = |part: Option<u8>| u64::from(part.unwrap_or(0));
            u64::from(date.year.unwrap_or(0)) << 16 | part(date.month) << 8 | part(date.day)
        }
        SortValue::Text(..) | SortValue::Round(..) | SortValue::Missing => MISSING,
    }
}

struct FactSorter<'b> {
    key: SortKey,
    field: FactSortField,
    facts: &'b dyn FactSource,
    database: &'b dyn Database,
}

impl FactSorter<'_> {
    /// Looks at a share of the games; `None` where it is stopped.
    fn look(
        &self,
        share: std::ops::Range<u64>,
        games: Option<&[u64]>,
        control: &Control,
    ) -> Result<Option<FactSortPart>> {
        let mut part = FactSortPart {
            said: Vec::with_capacity(usize::try_from(share.end - share.start).unwrap_or(0)),
            read: Vec::new(),
        };
        let mut game = Game::default();
        for (at, index) in share.enumerate() {
            if at % RUN == 0 && control.is_stopped() {
                return Ok(None);
            }
            let number = match games {
                None => index + 1,
                Some(games) => match usize::try_from(index).ok().and_then(|at| games.get(at)) {
                    Some(number) => *number,
                    None => continue,
                },
            };
            match self.said(number) {
                Some(said) => part.said.push((said, number)),
                None => {
                    let want = if self.key.wants_moves() {
                        GameNeeds {
                            verify: false,
                            ..GameNeeds::MAIN_LINE
                        }
                    } else {
                        GameNeeds::TAGS
                    };
                    self.database.read(number, want, &mut game)?;
                    let value = self.key.of_game(&game, |text| fold(text).into_owned());
                    part.read.push((value, number));
                }
            }
        }
        Ok(Some(part))
    }

    /// What the facts of a game say: its place, or the number of its name.
    fn said(&self, number: u64) -> Option<u64> {
        match self.field {
            FactSortField::Number => Some(number),
            FactSortField::Name(_, wanted, of) => {
                let fact = self.facts.fact(number, wanted)?;
                (!fact.unsaid.meets(wanted)).then(|| u64::from(of(&fact)))
            }
            FactSortField::Value(wanted, of) => {
                let fact = self.facts.fact(number, wanted)?;
                // What its tag spells in another way may be another number there.
                let is_counted = !self.key.wants_moves() || fact.plies.is_some();
                if !fact.says(wanted) || !is_counted {
                    return None;
                }
                let place = place(&of(&fact));
                // What an index has no place for may stand in a tag of its own.
                (place < MISSING || !self.facts.has_more_tags(number, wanted)).then_some(place)
            }
        }
    }

    /// Ranks and numbers of all games as one number each, which sort as the games do.
    fn ranked(&self, said: Vec<(u64, u64)>, read: Vec<(SortValue, u64)>) -> Vec<u64> {
        let turned = |rank: u64| match self.key.descending {
            true if rank < MISSING => MISSING - 1 - rank,
            _ => rank,
        };
        let whole = |rank: u64, number: u64| turned(rank) << 31 | number;
        let FactSortField::Name(table, ..) = self.field else {
            let said = said.into_iter().map(|(rank, number)| whole(rank, number));
            let read = read
                .iter()
                .map(|(value, number)| whole(place(value), *number));
            return said.chain(read).collect();
        };
        // Names are ranked once, those that only games say among them.
        let names = self.facts.names(table);
        let mut ranks = vec![MISSING; names as usize + read.len()];
        let mut values: Vec<(SortValue, usize)> = (0..names)
            .map(|name| self.name(&self.facts.name(table, name)))
            .chain(read.iter().map(|(value, _)| value.clone()))
            .zip(0..)
            .filter(|(value, _)| *value != SortValue::Missing)
            .collect();
        values.sort_unstable();
        let mut rank = 0;
        let mut before = None;
        for (value, at) in &values {
            // Equal names stand at the same place.
            rank += u64::from(before.is_some_and(|before| before != value));
            before = Some(value);
            if let Some(place) = ranks.get_mut(*at) {
                *place = rank;
            }
        }
        let rank_of = |at: u64| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            ranks.get(at).copied().unwrap_or(MISSING)
        };
        let of_read = read.iter().zip(u64::from(names)..);
        said.iter()
            .map(|(name, number)| whole(rank_of(*name), *number))
            .chain(of_read.map(|((_, number), at)| whole(rank_of(at), *number)))
            .collect()
    }

    /// A name as the value that a game with it has.
    fn name(&self, name: &str) -> SortValue {
        let mut game = Game::default();
        let tag = match self.key.field {
            SortField::White => "White",
            SortField::Black => "Black",
            SortField::Event => "Event",
            SortField::Site => "Site",
            _ => "Round",
        };
        game.tags.push(tag, name);
        self.key.of_game(&game, |text| fold(text).into_owned())
    }
}
