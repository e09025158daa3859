//! Answers terms from the facts of an index, without reading the game.

use std::fmt::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use tabiya_model::eco::EcoCode;
use tabiya_model::facts::{
    FLAG_LETTERS, FROM_THE_GAME, FactFields, FactSource, GameFacts, NameTable,
};

use crate::language::values::{DateBound, within};
use crate::terms::fields::{
    FieldTerm, GameFeature, NumberField, TextField, date_matches, eco_matches, elo_matches, is_in,
    moves_of,
};
use crate::terms::query::{Query, QueryTerm, TermVerdict};
use crate::terms::text::TextTest;

/// The names of a table that pass a test, by their numbers.
#[derive(Debug)]
struct NumberSet {
    bits: Vec<u64>,
    count: u32,
    /// Whether a number without a name passes.
    missing: bool,
}

impl NumberSet {
    /// The names that certain fields of a table may hold.
    fn new(
        facts: &dyn FactSource,
        table: NameTable,
        fields: FactFields,
        test: &TextTest,
    ) -> NumberSet {
        let count = facts.names_of(table, fields);
        let mut bits = vec![0_u64; count as usize / 64 + 1];
        for number in 0..count {
            if test.matches(&facts.name(table, number))
                && let Some(word) = bits.get_mut(number as usize / 64)
            {
                *word |= 1 << (number % 64);
            }
        }
        NumberSet {
            bits,
            count,
            missing: test.matches(&facts.name(table, u32::MAX)),
        }
    }

    #[inline]
    fn has(&self, number: u32) -> bool {
        match self.bits.get(number as usize / 64) {
            Some(word) if number < self.count => word >> (number % 64) & 1 != 0,
            _ => self.missing,
        }
    }
}

/// How a term is answered.
enum FactTest {
    Players {
        passing: NumberSet,
        white: bool,
        black: bool,
    },
    Event(NumberSet),
    Site(NumberSet),
    Round(NumberSet),
    Number(NumberField, i64, i64),
    Numbers(Arc<[Range<u64>]>),
    Date(bool, Option<DateBound>, Option<DateBound>),
    /// Answers by Scid's code: 0 for not known yet, 1 for no, 2 for yes.
    Eco(String, String, OnceLock<Vec<AtomicU8>>),
    HasEcoCode,
    Result([bool; 4]),
    Flag(u32),
    Comments,
    Variations,
    Nags,
}

/// The terms of a query as far as facts answer them, each with the fields that it rests on.
pub(crate) struct FactTerms<'f> {
    facts: &'f dyn FactSource,
    /// With the number of each term.
    rows: Vec<(usize, FactTest, FactFields)>,
}

impl<'f> FactTerms<'f> {
    pub(crate) fn new(query: &Query, facts: &'f dyn FactSource) -> FactTerms<'f> {
        let rows = query.terms.iter().enumerate().filter_map(|(index, term)| {
            let row = match term {
                QueryTerm::Field(field) => row_of(field, facts)?,
                QueryTerm::Walk(_) => return None,
            };
            let fields = fields_of(&row);
            Some((index, row, fields))
        });
        FactTerms {
            facts,
            rows: rows.collect(),
        }
    }

    /// The fields that the answers rest on.
    pub(crate) fn fields(&self) -> FactFields {
        let fields = self.rows.iter().map(|(.., fields)| *fields);
        fields.fold(FactFields::NONE, FactFields::union)
    }

    /// The fields that the answer of a term rests on, if facts answer it.
    pub(crate) fn fields_of(&self, term: usize) -> Option<FactFields> {
        let mut rows = self.rows.iter();
        let (.., fields) = rows.find(|(index, ..)| *index == term)?;
        Some(*fields)
    }

    /// Answers the open terms as far as the facts go.
    #[inline]
    pub(crate) fn answer(&self, fact: &GameFacts, number: u64, known: &mut [TermVerdict]) {
        for (term, row, fields) in &self.rows {
            if let Some(known) = known.get_mut(*term)
                && known.is_none()
                && !fact.unsaid.meets(*fields)
            {
                *known = self.ask(row, *fields, fact, number);
            }
        }
    }

    fn ask(
        &self,
        row: &FactTest,
        fields: FactFields,
        fact: &GameFacts,
        number: u64,
    ) -> TermVerdict {
        // What the index has no value for may stand among the other tags.
        let unless_tags =
            |verdict: bool| (!self.facts.has_more_tags(number, fields)).then_some(verdict);
        match row {
            FactTest::Players {
                passing,
                white,
                black,
            } => {
                let [w, b] = fact.players;
                Some((*white && passing.has(w)) || (*black && passing.has(b)))
            }
            FactTest::Event(passing) => Some(passing.has(fact.event)),
            FactTest::Site(passing) => Some(passing.has(fact.site)),
            FactTest::Round(passing) => Some(passing.has(fact.round)),
            FactTest::Numbers(ranges) => Some(is_in(ranges, number)),
            FactTest::Number(field, low, high) => match field {
                NumberField::Plies => fact
                    .plies
                    .map(|plies| within(*low, *high, i64::from(plies))),
                NumberField::Moves => fact
                    .plies
                    .map(|plies| within(*low, *high, moves_of(i64::from(plies)))),
                NumberField::Number => Some(within(
                    *low,
                    *high,
                    i64::try_from(number).unwrap_or(i64::MAX),
                )),
                NumberField::Year => match fact.date.year {
                    Some(year) => Some(within(*low, *high, i64::from(year))),
                    None => unless_tags(false),
                },
                NumberField::Month => match fact.date.month {
                    Some(month) => Some(within(*low, *high, i64::from(month))),
                    None => unless_tags(false),
                },
                field => {
                    let [white, black] = fact.ratings.map(|rating| (rating != 0).then_some(rating));
                    let verdict = elo_matches(*field, *low, *high, white, black);
                    let known = match field {
                        NumberField::WhiteElo => white.is_some(),
                        NumberField::BlackElo => black.is_some(),
                        NumberField::AnyElo => verdict || (white.is_some() && black.is_some()),
                        _ => white.is_some() && black.is_some(),
                    };
                    if known {
                        Some(verdict)
                    } else {
                        unless_tags(verdict)
                    }
                }
            },
            FactTest::Date(event, low, high) => {
                let date = if *event {
                    fact.event_date
                } else {
                    Some(fact.date)
                };
                match date.filter(|date| date.year.is_some()) {
                    Some(date) => Some(date_matches(Some(date), *low, *high)),
                    None => unless_tags(false),
                }
            }
            FactTest::Eco(low, high, cache) => {
                // A text may say more than the code, which matters where more than its three letters is asked for.
                if fact.eco == 0
                    || ((low.len() > 3 || high.len() > 3)
                        && self.facts.has_more_tags(number, fields))
                {
                    return unless_tags(false);
                }
                let cache = cache.get_or_init(|| (0..1 << 16).map(|_| AtomicU8::new(0)).collect());
                let slot = cache.get(usize::from(fact.eco))?;
                let mut answer = slot.load(Ordering::Relaxed);
                if answer == 0 {
                    let mut text = String::new();
                    if let Some(eco) = EcoCode::from_scid(fact.eco) {
                        // Writing to a string cannot fail.
                        let _ = write!(text, "{eco}");
                    }
                    answer = if eco_matches(&text, low, high) { 2 } else { 1 };
                    slot.store(answer, Ordering::Relaxed);
                }
                Some(answer == 2)
            }
            FactTest::HasEcoCode => match fact.eco {
                0 => unless_tags(false),
                _ => Some(true),
            },
            FactTest::Result(set) => Some(set[usize::from(fact.outcome.to_scid() & 3)]),
            FactTest::Flag(bits) => {
                let none = fact.flags & !FROM_THE_GAME == 0;
                if none {
                    unless_tags(false)
                } else {
                    Some(fact.flags & bits != 0)
                }
            }
            FactTest::Comments => Some(fact.comments),
            FactTest::Variations => Some(fact.variations),
            FactTest::Nags => Some(fact.nags),
        }
    }
}

fn row_of(field: &FieldTerm, facts: &dyn FactSource) -> Option<FactTest> {
    let passing = |table: NameTable, test| NumberSet::new(facts, table, table.fields(), test);
    let players = |test, fields: FactFields| FactTest::Players {
        passing: NumberSet::new(facts, NameTable::Players, fields, test),
        white: fields.meets(FactFields::WHITE),
        black: fields.meets(FactFields::BLACK),
    };
    Some(match field {
        FieldTerm::Text(TextField::White, test) => players(test, FactFields::WHITE),
        FieldTerm::Text(TextField::Black, test) => players(test, FactFields::BLACK),
        FieldTerm::Text(TextField::Player, test) => players(test, NameTable::Players.fields()),
        FieldTerm::Text(TextField::Event, test) => {
            FactTest::Event(passing(NameTable::Events, test))
        }
        FieldTerm::Text(TextField::Site, test) => FactTest::Site(passing(NameTable::Sites, test)),
        FieldTerm::Text(TextField::Round, test) => {
            FactTest::Round(passing(NameTable::Rounds, test))
        }
        FieldTerm::Numbers(ranges) => FactTest::Numbers(Arc::clone(ranges)),
        FieldTerm::Number(field, low, high) => FactTest::Number(*field, *low, *high),
        FieldTerm::Date { event, low, high } => FactTest::Date(*event, *low, *high),
        FieldTerm::Eco(low, high) => FactTest::Eco(low.clone(), high.clone(), OnceLock::new()),
        FieldTerm::HasEcoCode => FactTest::HasEcoCode,
        FieldTerm::Result(set) => FactTest::Result(*set),
        FieldTerm::Flag(letter) => {
            let bit = FLAG_LETTERS
                .iter()
                .position(|known| char::from(*known) == *letter);
            FactTest::Flag(bit.map_or(0, |bit| 1 << bit) & !FROM_THE_GAME)
        }
        FieldTerm::Has(GameFeature::Comments) => FactTest::Comments,
        FieldTerm::Has(GameFeature::Variations) => FactTest::Variations,
        FieldTerm::Has(GameFeature::Nags) => FactTest::Nags,
        _ => return None,
    })
}

/// The fields that a row's answer rests on.
fn fields_of(row: &FactTest) -> FactFields {
    let if_so = |so: &bool, field| if *so { field } else { FactFields::NONE };
    match row {
        FactTest::Players { white, black, .. } => {
            if_so(white, FactFields::WHITE).union(if_so(black, FactFields::BLACK))
        }
        FactTest::Event(_) => FactFields::EVENT,
        FactTest::Site(_) => FactFields::SITE,
        FactTest::Round(_) => FactFields::ROUND,
        FactTest::Numbers(_) => FactFields::NONE,
        FactTest::Number(field, ..) => match field {
            NumberField::Number => FactFields::NONE,
            NumberField::Plies | NumberField::Moves => FactFields::PLIES,
            NumberField::Year | NumberField::Month => FactFields::DATE,
            _ => FactFields::RATINGS,
        },
        FactTest::Date(false, ..) => FactFields::DATE,
        FactTest::Date(true, ..) => FactFields::EVENT_DATE,
        FactTest::Eco(..) | FactTest::HasEcoCode => FactFields::ECO,
        FactTest::Result(_) => FactFields::OUTCOME,
        FactTest::Flag(_) => FactFields::FLAGS,
        FactTest::Comments | FactTest::Variations | FactTest::Nags => FactFields::ANNOTATIONS,
    }
}
