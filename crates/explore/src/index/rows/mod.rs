//! The rows of an index: the tags and the moves of every game in short, for databases without an index of their own.
//!
//! A row is a handful of numbers. Rows are in chunks; a chunk keeps the minimum of each column, and of each row the
//! difference to it, in as many bits as the chunk needs.

mod reader;
mod writer;

pub(super) use reader::IndexBytes;
pub use reader::IndexFacts;
pub(super) use writer::{RowRun, RowTable};

use tabiya_model::date::Date;
use tabiya_model::facts::{FactFields, GameFacts, MoveFacts, NameTable};
use tabiya_model::outcome::Outcome;

/// Games of a chunk.
const CHUNK: usize = 1 << 10;
/// The maximum size of a table of names, in bytes. Names without room are left unsaid: those games are read.
const TEXT: usize = 64 << 20;

/// The number of tables of names.
const TABLES: usize = NameTable::Rounds as usize + 1;

/// The numbers of a row.
const COLUMNS: usize = 18;
/// The columns that are numbers of names come first; this is the table of each.
const NAMES: [NameTable; 5] = [
    NameTable::Players,
    NameTable::Players,
    NameTable::Events,
    NameTable::Sites,
    NameTable::Rounds,
];
/// The column of [`GameFacts::unsaid`].
const UNSAID: usize = 5;
/// The fields that each column stores.
const FIELDS: [FactFields; COLUMNS] = [
    FactFields::WHITE,
    FactFields::BLACK,
    FactFields::EVENT,
    FactFields::SITE,
    FactFields::ROUND,
    FactFields::ALL,
    FactFields::RATINGS.union(FactFields::ELOS),
    FactFields::RATINGS.union(FactFields::ELOS),
    FactFields::DATE,
    FactFields::EVENT_DATE,
    FactFields::OUTCOME,
    FactFields::ECO,
    FactFields::PLIES,
    FactFields::FLAGS.union(FactFields::MOVES),
    FactFields::ANNOTATIONS
        .union(FactFields::MOVES)
        .union(FactFields::ELOS)
        .union(FactFields::DATE),
    FactFields::MOVES,
    FactFields::MOVES,
    FactFields::MOVES,
];

type IndexRow = [u32; COLUMNS];

/// A name of a table: the text between the end of the previous name and its own end.
fn name_in(text: &[u8], number: u32, end_of: impl Fn(usize) -> Option<u32>) -> &[u8] {
    let number = number as usize;
    let start = match number.checked_sub(1) {
        Some(before) => end_of(before),
        None => Some(0),
    };
    start
        .zip(end_of(number))
        .and_then(|(start, end)| text.get(start as usize..end as usize))
        .unwrap_or(&[])
}

/// The place of a table of names, counted from 1, for its checksum.
fn table_place(layer: u64, table: u64) -> u64 {
    layer << 8 | table
}

/// The place of a chunk, counted from 1, for its checksum.
fn chunk_place(layer: u64, chunk: u64) -> u64 {
    layer << 32 | chunk
}

/// The bits in the column of marks.
const COMMENTS: u32 = 1;
const VARIATIONS: u32 = 1 << 1;
const NAGS: u32 = 1 << 2;
const MOVES: u32 = 1 << 3;
/// The first of the five bits of [`MoveFacts::home_count`].
const HOME: u32 = 4;
/// The Elo ratings are the ratings of any kind; otherwise the row leaves them unsaid.
const ELOS: u32 = 1 << 9;
/// The tags of the Elo ratings, and that of the date, are spelled in the canonical form.
const PLAIN_ELOS: u32 = 1 << 10;
const PLAIN_DATE: u32 = 1 << 11;
/// There is a date, in addition to its bits.
const DATED: u32 = 1 << 31;

/// A date in 26 bits.
fn date_bits(date: Date) -> u32 {
    u32::from(date.year.unwrap_or(0)) << 9
        | u32::from(date.month.unwrap_or(0) & 15) << 5
        | u32::from(date.day.unwrap_or(0) & 31)
}

fn date_of(bits: u32) -> Date {
    let low = |shift: u32, mask: u32| (bits >> shift & mask) as u8;
    Date::from_numbers((bits >> 9) as u16, low(5, 15), low(0, 31))
}

fn row_of(fact: &GameFacts) -> IndexRow {
    let mut unsaid = fact.unsaid;
    let mut bits = |date: Date, field| {
        let bits = date_bits(date);
        if date_of(bits) != date {
            unsaid = unsaid.union(field);
        }
        bits
    };
    let date = bits(fact.date, FactFields::DATE);
    let event_date = match fact.event_date {
        Some(date) => bits(date, FactFields::EVENT_DATE) | DATED,
        None => 0,
    };
    let mark = |is: bool, bit: u32| if is { bit } else { 0 };
    let moves = fact.moves.unwrap_or(NO_MOVES);
    let [white, black] = fact.players;
    let [white_rating, black_rating] = fact.ratings;
    [
        white,
        black,
        fact.event,
        fact.site,
        fact.round,
        u32::from(unsaid.bits()),
        u32::from(white_rating),
        u32::from(black_rating),
        date,
        event_date,
        u32::from(fact.outcome.to_scid()),
        u32::from(fact.eco),
        // Without the number of plies, a row leaves them unsaid.
        fact.plies.map_or(0, |plies| plies.saturating_add(1)),
        fact.flags,
        mark(fact.comments, COMMENTS)
            | mark(fact.variations, VARIATIONS)
            | mark(fact.nags, NAGS)
            | mark(fact.moves.is_some(), MOVES)
            | mark(fact.elos == fact.ratings, ELOS)
            | mark(!fact.odd.meets(FactFields::ELOS), PLAIN_ELOS)
            | mark(!fact.odd.meets(FactFields::DATE), PLAIN_DATE)
            | u32::from(moves.home_count) << HOME,
        moves.material,
        (moves.home_pawns >> 32) as u32,
        moves.home_pawns as u32,
    ]
}

fn fact_of(row: &IndexRow) -> GameFacts {
    let [
        white,
        black,
        event,
        site,
        round,
        unsaid,
        white_rating,
        black_rating,
        date,
        event_date,
        outcome,
        eco,
        plies,
        flags,
        marks,
        material,
        home_high,
        home_low,
    ] = *row;
    let ratings = [white_rating as u16, black_rating as u16];
    let unless = |bit: u32, field| {
        if marks & bit != 0 {
            FactFields::NONE
        } else {
            field
        }
    };
    GameFacts {
        unsaid: FactFields::from_bits(unsaid as u16).union(unless(ELOS, FactFields::ELOS)),
        odd: unless(PLAIN_ELOS, FactFields::ELOS).union(unless(PLAIN_DATE, FactFields::DATE)),
        players: [white, black],
        event,
        site,
        round,
        ratings,
        elos: ratings,
        date: date_of(date),
        event_date: (event_date & DATED != 0).then(|| date_of(event_date & !DATED)),
        outcome: Outcome::from_scid(outcome as u8),
        eco: eco as u16,
        plies: plies.checked_sub(1),
        flags,
        comments: marks & COMMENTS != 0,
        variations: marks & VARIATIONS != 0,
        nags: marks & NAGS != 0,
        moves: (marks & MOVES != 0).then(|| MoveFacts {
            material,
            home_pawns: u64::from(home_high) << 32 | u64::from(home_low),
            home_count: (marks >> HOME & 31) as u8,
            stored_line: 0,
        }),
    }
}

const NO_MOVES: MoveFacts = MoveFacts {
    material: 0,
    home_pawns: 0,
    home_count: 0,
    stored_line: 0,
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tabiya_model::Game;
    use tabiya_model::facts::FactSource;

    use super::super::coding::IndexDamage;
    use super::*;

    fn any_date() -> impl Strategy<Value = Date> {
        (0..10_000_u16, 0..13_u8, 0..32_u8).prop_map(|(y, m, d)| Date::from_numbers(y, m, d))
    }

    prop_compose! {
        fn any_fact()(
            unsaid in 0..4_u16, odd in 0..4_u16, names in any::<[u8; 5]>(), ratings in any::<[u16; 2]>(), date in any_date(),
            event_date in prop::option::of(any_date()), outcome in 0..4_u8, eco in any::<u16>(),
            plies in prop::option::of(0..2000_u32), flags in 0..1_u32 << 22, marks in any::<[bool; 4]>(),
            material in 0..1_u32 << 24, home_pawns in any::<u64>(), home_count in 0..17_u8,
        ) -> GameFacts {
            let [white, black, event, site, round] = names.map(u32::from);
            let [comments, variations, nags, moves] = marks;
            GameFacts {
                unsaid: FactFields::from_bits(unsaid),
                odd: [FactFields::NONE, FactFields::ELOS, FactFields::DATE, FactFields::ELOS.union(FactFields::DATE)][usize::from(odd)],
                elos: ratings,
                players: [white, black],
                event, site, round, ratings, date, event_date,
                outcome: Outcome::from_scid(outcome),
                eco, plies, flags, comments, variations, nags,
                moves: moves.then_some(MoveFacts { material, home_pawns, home_count, stored_line: 0 }),
            }
        }
    }

    /// The name for a number in these tests.
    fn text(number: u32) -> String {
        format!("{:é>1$}", "", number as usize % 7) + &number.to_string()
    }

    /// A run as made from games.
    fn run_of(facts: &[GameFacts]) -> RowRun {
        let mut run = RowRun::default();
        for fact in facts {
            let mut row = row_of(fact);
            for (number, table) in row.iter_mut().zip(NAMES) {
                let name = text(*number);
                *number = run.names[table as usize].number(&name).expect("room");
            }
            run.rows.push(row);
        }
        run
    }

    fn layer_of(facts: &[GameFacts], number: u64, games: usize) -> Vec<u8> {
        let mut table = RowTable::new(number);
        for games in facts.chunks(games) {
            table.add(&run_of(games));
        }
        table.finish()
    }

    /// Reads consecutive layers, each with the number of its first game and its number of games.
    fn read(layers: &[(u64, u64, &[u8])]) -> Result<IndexFacts, IndexDamage> {
        let mut all = Vec::new();
        let mut spans = Vec::new();
        for (first, games, bytes) in layers {
            spans.push((*first, *games, all.len()..all.len() + bytes.len()));
            all.extend_from_slice(bytes);
        }
        IndexFacts::read(std::sync::Arc::new(all), spans.into_iter(), Vec::new())
    }

    fn one_layer(bytes: &[u8], facts: &[GameFacts]) -> Result<IndexFacts, IndexDamage> {
        read(&[(1, facts.len() as u64, bytes)])
    }

    /// A fact with the names of its numbers; unsaid names are `None`.
    fn named(fact: GameFacts, name: impl Fn(NameTable, u32) -> String) -> (GameFacts, [String; 5]) {
        let [white, black] = fact.players;
        let numbers = [white, black, fact.event, fact.site, fact.round];
        let texts = std::array::from_fn(|at| match fact.unsaid.meets(FIELDS[at]) {
            true => String::new(),
            false => name(NAMES[at], numbers[at]),
        });
        let unnamed = GameFacts {
            players: [0; 2],
            event: 0,
            site: 0,
            round: 0,
            ..fact
        };
        (unnamed, texts)
    }

    fn said(rows: &IndexFacts, number: u64) -> Option<(GameFacts, [String; 5])> {
        let fact = rows.fact(number, FactFields::ALL)?;
        Some(named(fact, |table, number| {
            rows.name(table, number).into_owned()
        }))
    }

    fn expected(fact: &GameFacts) -> (GameFacts, [String; 5]) {
        named(*fact, |_, number| text(number))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn facts_come_back_from_layers(
            facts in prop::collection::vec(any_fact(), 1..3000), cut in 0..3000_usize, games in 1..900_usize,
        ) {
            let cut = cut % facts.len();
            let (one, two) = facts.split_at(cut);
            let (old, new) = (layer_of(one, 0, games), layer_of(two, u64::from(cut > 0), games));
            let mut layers = vec![(1, one.len() as u64, &old[..]), (cut as u64 + 1, two.len() as u64, &new[..])];
            layers.retain(|(_, games, _)| *games > 0);
            let rows = read(&layers).expect("read");
            prop_assert_eq!(rows.len(), facts.len() as u64);
            for (number, fact) in (1..).zip(&facts) {
                prop_assert_eq!(said(&rows, number), Some(expected(fact)));
            }
            prop_assert!(rows.fact(0, FactFields::ALL).is_none());
            prop_assert!(rows.fact(facts.len() as u64 + 1, FactFields::ALL).is_none());
            // The division of the games into runs makes no difference.
            prop_assert_eq!(layer_of(one, 0, 7), old);
        }

        #[test]
        fn a_changed_byte_is_found(facts in prop::collection::vec(any_fact(), 1..1500), places in prop::collection::vec(any::<(usize, u8)>(), 40)) {
            let whole = layer_of(&facts, 3, 100);
            prop_assert!(one_layer(&whole, &facts).is_err(), "it is another layer's");
            let whole = layer_of(&facts, 0, 100);
            for (at, flip) in places {
                let mut bytes = whole.clone();
                let at = at % bytes.len();
                bytes[at] ^= flip | 1;
                if let Ok(rows) = one_layer(&bytes, &facts) {
                    for (number, fact) in (1..).zip(&facts) {
                        let (found, names) = said(&rows, number).expect("a row");
                        let is_right = (found, names) == expected(fact);
                        prop_assert!(is_right || (found.unsaid == FactFields::ALL && rows.is_damaged()));
                    }
                }
                prop_assert!(one_layer(&whole[..at], &facts).is_err());
            }
        }

        #[test]
        fn parts_of_another_layer_are_found(facts in prop::collection::vec(any_fact(), 1..60)) {
            let mut others = facts.clone();
            others.reverse();
            let (one, two) = (layer_of(&facts, 0, 100), layer_of(&others, 1, 100));
            let games = facts.len() as u64;
            for end in 0..one.len().min(two.len()) {
                let (a, b) = (one.len() - end, two.len() - end);
                let swapped = [[&one[..a], &two[b..]].concat(), [&two[..b], &one[a..]].concat()];
                let layers = [(1, games, &swapped[0][..]), (games + 1, games, &swapped[1][..])];
                let Ok(rows) = read(&layers) else {
                    continue;
                };
                for (number, fact) in (1..).zip(facts.iter().chain(&others)) {
                    let (found, names) = said(&rows, number).expect("a row");
                    prop_assert!(found.unsaid == FactFields::ALL || (found, names) == expected(fact));
                }
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), games in 0..3_u64) {
            if let Ok(rows) = read(&[(1, games, &bytes[..])]) {
                for number in 0..=games + 1 {
                    let _ = said(&rows, number);
                }
            }
        }
    }

    #[test]
    fn names_beyond_the_room_are_left_unsaid() {
        let mut run = RowRun::default();
        let [long, other] = ["x", "y"].map(|letter| letter.repeat(TEXT / 2));
        for (white, black) in [(&long[..], "a"), ("a", &other[..]), (&long[..], "b")] {
            let mut game = Game::default();
            game.tags.push("White", white);
            game.tags.push("Black", black);
            run.add(&game, &[]);
        }
        let mut table = RowTable::default();
        table.add(&run);
        let bytes = table.finish();
        let rows = read(&[(1, 3, &bytes[..])]).expect("read");
        let unsaid = |number| rows.fact(number, FactFields::ALL).expect("a row").unsaid;
        assert_eq!(unsaid(1), FactFields::NONE);
        assert_eq!(unsaid(2), FactFields::BLACK);
        assert_eq!(unsaid(3), FactFields::NONE);
        let last = rows.fact(3, FactFields::ALL).expect("a row");
        let [white, black] = last
            .players
            .map(|number| rows.name(NameTable::Players, number));
        assert_eq!((white.len(), &*black), (long.len(), "b"));
    }

    #[test]
    fn what_the_tags_say_oddly_is_left_unsaid() {
        let fact = |name: &str, value: &str| {
            let mut game = Game::default();
            game.tags.push(name, value);
            GameFacts::of_game(&game, |_, _| Some(0))
        };
        assert_eq!(fact("ECO", "B33").unsaid, FactFields::NONE);
        assert_eq!(fact("ECO", "B33a1").unsaid, FactFields::NONE);
        for odd in ["b33", "B33/10", "B3", "Sicilian", " B33"] {
            assert_eq!(fact("ECO", odd).unsaid, FactFields::ECO, "{odd}");
        }
        assert_eq!(fact("ScidFlags", "DW").unsaid, FactFields::NONE);
        for odd in ["DS", "z", "W "] {
            assert_eq!(fact("ScidFlags", odd).unsaid, FactFields::FLAGS, "{odd}");
        }
    }
}
