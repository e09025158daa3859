//! The rows of an index: what the tags and the moves of every game say in short, for databases that have no index of
//! their own to say it.
//!
//! A row is a handful of numbers. Rows stand in chunks; a chunk keeps of each column the least number, and of each row
//! what is above it, in as many bits as the chunk needs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, RandomState};
use std::sync::atomic::{AtomicU8, Ordering};

use tabiya_model::Game;
use tabiya_model::date::Date;
use tabiya_model::facts::{
    Fact, Facts, Fields, MoveFacts, NameTable, PROMOTION, SETUP, UNDER_PROMOTION,
};
use tabiya_model::outcome::Outcome;
use tabiya_model::positions::Delta;

use super::coding::{Bytes, Damaged, check, push_number, short_check};
use crate::key::AsItIs;

/// Games of a chunk.
const CHUNK: usize = 1 << 10;
/// Bytes of names that a table holds at most. What finds no room is left unsaid: those games are read.
const TEXT: usize = 64 << 20;

const TABLES: [NameTable; 4] = [
    NameTable::Players,
    NameTable::Events,
    NameTable::Sites,
    NameTable::Rounds,
];

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
/// The column of [`Fact::unsaid`].
const UNSAID: usize = 5;
/// The fields that each column is about.
const FIELDS: [Fields; COLUMNS] = [
    Fields::WHITE,
    Fields::BLACK,
    Fields::EVENT,
    Fields::SITE,
    Fields::ROUND,
    Fields::ALL,
    Fields::RATINGS,
    Fields::RATINGS,
    Fields::DATE,
    Fields::EVENT_DATE,
    Fields::OUTCOME,
    Fields::ECO,
    Fields::PLIES,
    Fields::FLAGS,
    Fields::ANNOTATIONS.and(Fields::MOVES),
    Fields::MOVES,
    Fields::MOVES,
    Fields::MOVES,
];

type Row = [u32; COLUMNS];

/// The bits of the column of marks.
const COMMENTS: u32 = 1;
const VARIATIONS: u32 = 1 << 1;
const NAGS: u32 = 1 << 2;
const MOVES: u32 = 1 << 3;
/// The bits of [`MoveFacts::home_count`] start here.
const HOME: u32 = 4;
/// A date that is there, beside its bits.
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

fn row_of(fact: &Fact) -> Row {
    let mut unsaid = fact.unsaid;
    let mut bits = |date: Date, field| {
        let bits = date_bits(date);
        if date_of(bits) != date {
            unsaid = unsaid.and(field);
        }
        bits
    };
    let date = bits(fact.date, Fields::DATE);
    let event_date = match fact.event_date {
        Some(date) => bits(date, Fields::EVENT_DATE) | DATED,
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
        // Without the number of half-moves a row says nothing about them.
        fact.plies.map_or(0, |plies| plies.saturating_add(1)),
        fact.flags,
        mark(fact.comments, COMMENTS)
            | mark(fact.variations, VARIATIONS)
            | mark(fact.nags, NAGS)
            | mark(fact.moves.is_some(), MOVES)
            | u32::from(moves.home_count) << HOME,
        moves.material,
        (moves.home_pawns >> 32) as u32,
        moves.home_pawns as u32,
    ]
}

fn fact_of(row: &Row) -> Fact {
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
    Fact {
        unsaid: Fields::from_bits(unsaid as u16),
        players: [white, black],
        event,
        site,
        round,
        ratings: [white_rating as u16, black_rating as u16],
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
            home_count: (marks >> HOME) as u8,
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

/// The places of men's kinds in the half of a side of [`MoveFacts::material`], by their numbers from 1 for a pawn.
const SHIFTS: [u32; 7] = [0, 0, 4, 6, 8, 10, 0];
/// The pawns at the start, and the men that a game starts with, in the same order.
const AT_START: [i16; 7] = [0, 8, 2, 2, 2, 1, 1];

/// What follows from the steps of a game from the normal start, and its flags about promotions.
fn moves_of(steps: &[Delta]) -> (MoveFacts, u32) {
    let mut counts = [AT_START; 2];
    let mut home: u64 = 0x00ff_0000_0000_ff00;
    let (mut facts, mut flags) = (NO_MOVES, 0);
    let mut depth = 0_u32;
    for &step in steps {
        match step {
            Delta::BEGIN => depth += 1,
            Delta::END => depth = depth.saturating_sub(1),
            _ if depth > 0 || step.is_null() => {}
            _ => {
                let mut add = |man: u8, count: i16| {
                    counts[usize::from(man >> 3 & 1)][usize::from(man & 7) % 7] += count;
                };
                let (mover, becomes, captured) = (step.mover(), step.becomes(), step.captured());
                if captured != 0 {
                    add(captured, -1);
                }
                if becomes != mover {
                    add(mover, -1);
                    add(becomes, 1);
                    flags |= PROMOTION;
                    if becomes & 7 != 5 {
                        flags |= UNDER_PROMOTION;
                    }
                }
                for square in [step.from(), step.captured_on()] {
                    if home >> square & 1 != 0 {
                        home &= !(1 << square);
                        leave(&mut facts, square);
                    }
                }
            }
        }
    }
    let half = |counts: &[i16; 7]| {
        (1..6).fold(0, |bits, kind| {
            let most = if kind == 1 { 15 } else { 3 };
            let count = counts[kind].clamp(0, most) as u32;
            bits | count << SHIFTS[kind]
        })
    };
    let [white, black] = &counts;
    facts.material = half(white) << 12 | half(black);
    (facts, flags)
}

/// Notes that the pawn of a home square is gone.
fn leave(facts: &mut MoveFacts, square: u8) {
    let file = u64::from(square & 7);
    let pawn = if square < 16 { 15 - file } else { 7 - file };
    // Sixteen pawns fill the list exactly.
    if let Some(shift) = 60_u32.checked_sub(4 * u32::from(facts.home_count)) {
        facts.home_pawns |= pawn << shift;
        facts.home_count += 1;
    }
}

/// Names with their numbers, in the order in which they come.
#[derive(Default)]
struct Names {
    text: String,
    /// Where each name ends.
    ends: Vec<u32>,
    /// The number of a name by its hash; names with the same hash stand at the next ones.
    numbers: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
    hasher: RandomState,
}

impl Names {
    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = match number.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = self.ends.get(number).copied().unwrap_or(start);
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// The number of a name; `None` where there is no room for one more.
    fn number(&mut self, name: &str) -> Option<u32> {
        let mut hash = self.hasher.hash_one(name);
        while let Some(number) = self.numbers.get(&hash) {
            if self.get(*number) == name {
                return Some(*number);
            }
            hash = hash.wrapping_add(1);
        }
        if self.text.len() + name.len() > TEXT {
            return None;
        }
        let number = u32::try_from(self.ends.len()).ok()?;
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        self.numbers.insert(hash, number);
        Some(number)
    }

    fn push(&self, out: &mut Vec<u8>, place: u64) {
        let start = out.len();
        out.extend_from_slice(&[0; 8]);
        for end in &self.ends {
            out.extend_from_slice(&end.to_le_bytes());
        }
        out.extend_from_slice(self.text.as_bytes());
        put_check(out, start, place);
    }
}

/// Writes the check of all bytes after it into its eight bytes.
fn put_check(out: &mut [u8], start: usize, place: u64) {
    let check = check(place, out.get(start + 8..).unwrap_or(&[])).to_le_bytes();
    if let Some(slot) = out.get_mut(start..start + 8) {
        slot.copy_from_slice(&check);
    }
}

/// The rows of a run of games, with names of its own.
#[derive(Default)]
pub(super) struct Run {
    rows: Vec<Row>,
    names: [Names; TABLES.len()],
}

impl Run {
    /// Notes a game with its steps.
    pub(super) fn add(&mut self, game: &Game, steps: &[Delta]) {
        let names = &mut self.names;
        let mut fact = Fact::of_game(game, |table, name| names[table as usize].number(name));
        if fact.flags & SETUP == 0 && !fact.unsaid.meets(Fields::MOVES) {
            let (moves, flags) = moves_of(steps);
            fact.moves = Some(moves);
            fact.flags |= flags;
        }
        self.rows.push(row_of(&fact));
    }

    /// A digest of the row that came last.
    pub(super) fn digest(&self) -> u64 {
        let Some(row) = self.rows.last() else {
            return 0;
        };
        let mut digest = 0;
        for (column, &number) in row.iter().enumerate() {
            digest = match NAMES.get(column) {
                Some(table) => {
                    let name = self.names[*table as usize].get(number);
                    check(digest, name.as_bytes())
                }
                None => check(digest, &number.to_le_bytes()),
            };
        }
        digest
    }

    /// Forgets its games.
    pub(super) fn clear(&mut self) {
        *self = Run::default();
    }
}

/// The rows of a layer on their way to the file.
#[derive(Default)]
pub(super) struct Table {
    names: [Names; TABLES.len()],
    games: u64,
    /// Rows of the last chunk.
    rows: Vec<Row>,
    /// Heads and bytes of the chunks before it.
    heads: Vec<u8>,
    chunks: Vec<u8>,
}

impl Table {
    /// Takes the games of a run, which follow those of the run before.
    pub(super) fn add(&mut self, run: &Run) {
        let numbers: [Vec<Option<u32>>; TABLES.len()] = std::array::from_fn(|table| {
            let (names, own) = (&mut self.names[table], &run.names[table]);
            (0..own.ends.len() as u32)
                .map(|number| names.number(own.get(number)))
                .collect()
        });
        for row in &run.rows {
            let mut row = *row;
            for (column, (table, field)) in NAMES.iter().zip(FIELDS).enumerate() {
                let said = !Fields::from_bits(row[UNSAID] as u16).meets(field);
                let number = numbers[*table as usize].get(row[column] as usize);
                match number.copied().flatten().filter(|_| said) {
                    Some(number) => row[column] = number,
                    None => {
                        row[column] = 0;
                        row[UNSAID] |= u32::from(field.bits());
                    }
                }
            }
            self.rows.push(row);
            self.games += 1;
            if self.rows.len() == CHUNK {
                self.pack();
            }
        }
    }

    fn pack(&mut self) {
        let mut least = [u32::MAX; COLUMNS];
        let mut most = [0; COLUMNS];
        for row in &self.rows {
            for column in 0..COLUMNS {
                least[column] = least[column].min(row[column]);
                most[column] = most[column].max(row[column]);
            }
        }
        let mut widths = [0; COLUMNS];
        for column in 0..COLUMNS {
            widths[column] = 32 - (most[column] - least[column]).leading_zeros();
            push_number(&mut self.heads, u64::from(least[column]));
            self.heads.push(widths[column] as u8);
        }
        let start = self.chunks.len();
        self.chunks.extend_from_slice(&[0; 4]);
        let (mut held, mut bits) = (0_u64, 0);
        for row in &self.rows {
            for column in 0..COLUMNS {
                held |= u64::from(row[column] - least[column]) << bits;
                bits += widths[column];
                if bits >= 32 {
                    self.chunks.extend_from_slice(&(held as u32).to_le_bytes());
                    held >>= 32;
                    bits -= 32;
                }
            }
        }
        let rest = bits.div_ceil(8) as usize;
        self.chunks
            .extend_from_slice(held.to_le_bytes().get(..rest).unwrap_or(&[]));
        let number = self.games.div_ceil(CHUNK as u64);
        let check = short_check(number, self.chunks.get(start + 4..).unwrap_or(&[]));
        if let Some(slot) = self.chunks.get_mut(start..start + 4) {
            slot.copy_from_slice(&check.to_le_bytes());
        }
        self.rows.clear();
    }

    /// The bytes of a layer's rows; none where no game had one.
    pub(super) fn finish(mut self, layer: u64) -> Vec<u8> {
        if self.games == 0 {
            return Vec::new();
        }
        if !self.rows.is_empty() {
            self.pack();
        }
        let mut out = vec![0; 8];
        let mut head = Vec::new();
        push_number(&mut head, self.games);
        for names in &self.names {
            push_number(&mut head, names.ends.len() as u64);
            push_number(&mut head, names.text.len() as u64);
        }
        head.append(&mut self.heads);
        out.extend_from_slice(&(head.len() as u64).to_le_bytes());
        out.append(&mut head);
        put_check(&mut out, 0, layer);
        for (number, names) in (1..).zip(&self.names) {
            names.push(&mut out, layer << 8 | number);
        }
        out.append(&mut self.chunks);
        out
    }
}

/// The rows of an index, which state facts about all of its games.
pub struct Rows<'i> {
    layers: Vec<Layer<'i>>,
    games: u64,
}

/// The rows of a layer.
struct Layer<'i> {
    first: u64,
    games: u64,
    names: [Listed<'i>; TABLES.len()],
    chunks: Vec<Chunk<'i>>,
}

/// The names of a table.
struct Listed<'i> {
    /// The number of the first in the whole index.
    first: u32,
    ends: &'i [[u8; 4]],
    text: &'i str,
}

struct Chunk<'i> {
    /// Its bytes, and those after it.
    bytes: &'i [u8],
    length: usize,
    least: Row,
    /// The bits of each column, and before it in a row.
    columns: [(u32, u32); COLUMNS],
    /// The columns that differ within the chunk, a bit for each.
    varied: u32,
    /// The bits of a row.
    bits: usize,
    state: AtomicU8,
}

/// What is known of the bytes of a chunk.
const SOUND: u8 = 1;
const BROKEN: u8 = 2;

impl<'i> Rows<'i> {
    /// The rows of layers, from the bytes of each with the number of its first game.
    pub(super) fn read(
        layers: impl Iterator<Item = (u64, u64, &'i [u8])>,
    ) -> Result<Rows<'i>, Damaged> {
        let mut rows = Rows {
            layers: Vec::new(),
            games: 0,
        };
        let mut before = [0; TABLES.len()];
        for (number, (first, games, bytes)) in (0..).zip(layers) {
            let layer = Layer::read(bytes, number, first, &mut before)?;
            if layer.games != games || first != rows.games + 1 {
                return Err(Damaged);
            }
            rows.games += games;
            rows.layers.push(layer);
        }
        Ok(rows)
    }
}

impl<'i> Layer<'i> {
    /// `before` counts the names of the layers so far.
    fn read(
        bytes: &'i [u8],
        number: u64,
        first: u64,
        before: &mut [u32; TABLES.len()],
    ) -> Result<Layer<'i>, Damaged> {
        let mut rest = Bytes(bytes);
        let right = rest.u64()?;
        let checked = rest.0;
        let length = usize::try_from(rest.u64()?).map_err(|_| Damaged)?;
        let mut head = Bytes(rest.take(length)?);
        if check(number, checked.get(..8 + length).ok_or(Damaged)?) != right {
            return Err(Damaged);
        }
        let games = head.number()?;
        let mut sizes = [(0, 0); TABLES.len()];
        for size in &mut sizes {
            *size = (head.size()?, head.size()?);
        }
        let mut names = Vec::with_capacity(TABLES.len());
        for (table, (count, length)) in sizes.into_iter().enumerate() {
            let right = rest.u64()?;
            let ends = count.checked_mul(4).ok_or(Damaged)?;
            let all = rest.take(ends.checked_add(length).ok_or(Damaged)?)?;
            if check(number << 8 | (table as u64 + 1), all) != right {
                return Err(Damaged);
            }
            let (ends, text) = all.split_at_checked(ends).ok_or(Damaged)?;
            let listed = Listed {
                first: before[table],
                ends: ends.as_chunks().0,
                text: std::str::from_utf8(text).map_err(|_| Damaged)?,
            };
            before[table] = u32::try_from(count)
                .ok()
                .and_then(|count| before[table].checked_add(count))
                .ok_or(Damaged)?;
            names.push(listed);
        }
        let mut chunks = Vec::new();
        let mut left = games;
        while left > 0 {
            let rows = left.min(CHUNK as u64);
            chunks.push(Chunk::read(&mut head, &mut rest, rows as usize)?);
            left -= rows;
        }
        if !head.0.is_empty() || !rest.0.is_empty() {
            return Err(Damaged);
        }
        Ok(Layer {
            first,
            games,
            names: names.try_into().map_err(|_| Damaged)?,
            chunks,
        })
    }

    #[inline]
    fn row(&self, index: u64, wanted: u32) -> Option<Row> {
        let (chunk, at) = (index / CHUNK as u64, index % CHUNK as u64);
        self.chunks
            .get(usize::try_from(chunk).ok()?)?
            .row(chunk + 1, at as usize, wanted)
    }
}

impl<'i> Chunk<'i> {
    fn read(head: &mut Bytes<'_>, rest: &mut Bytes<'i>, rows: usize) -> Result<Self, Damaged> {
        let mut least = [0; COLUMNS];
        let mut columns = [(0, 0); COLUMNS];
        let (mut varied, mut bits) = (0, 0);
        for (column, (least, place)) in least.iter_mut().zip(&mut columns).enumerate() {
            *least = u32::try_from(head.number()?).map_err(|_| Damaged)?;
            let width = u32::from(head.u8()?);
            if width > 32 {
                return Err(Damaged);
            }
            *place = (width, bits);
            varied |= u32::from(width > 0) << column;
            bits += width;
        }
        let bits = bits as usize;
        let length = 4 + (bits * rows).div_ceil(8);
        let bytes = rest.0;
        rest.take(length)?;
        Ok(Chunk {
            bytes,
            length,
            least,
            columns,
            varied,
            bits,
            state: AtomicU8::new(0),
        })
    }

    /// Looks at the check, once.
    fn is_sound(&self, number: u64) -> bool {
        match self.state.load(Ordering::Relaxed) {
            0 => {
                let (right, bytes) = self
                    .bytes
                    .get(..self.length)
                    .and_then(|bytes| bytes.split_first_chunk::<4>())
                    .unwrap_or((&[0; 4], &[]));
                let sound = short_check(number, bytes) == u32::from_le_bytes(*right);
                let state = if sound { SOUND } else { BROKEN };
                self.state.store(state, Ordering::Relaxed);
                sound
            }
            state => state == SOUND,
        }
    }

    #[inline]
    fn row(&self, number: u64, at: usize, wanted: u32) -> Option<Row> {
        if !self.is_sound(number) {
            return None;
        }
        let mut row = self.least;
        let start = 32 + self.bits * at;
        let mut left = wanted & self.varied;
        while left != 0 {
            let column = left.trailing_zeros() as usize;
            left &= left - 1;
            let (Some(number), Some((width, before))) =
                (row.get_mut(column), self.columns.get(column))
            else {
                break;
            };
            let at = start + *before as usize;
            let bytes = self.bytes.get(at / 8..).unwrap_or(&[]);
            let word = match bytes.first_chunk::<8>() {
                Some(whole) => u64::from_le_bytes(*whole),
                None => {
                    let mut padded = [0; 8];
                    for (slot, byte) in padded.iter_mut().zip(bytes) {
                        *slot = *byte;
                    }
                    u64::from_le_bytes(padded)
                }
            };
            let above = word >> (at % 8) & ((1 << width) - 1);
            *number = number.wrapping_add(above as u32);
        }
        Some(row)
    }
}

/// The columns that fields need, a bit for each.
fn columns_of(wanted: Fields) -> u32 {
    (0..COLUMNS).fold(0, |columns, column| {
        columns | u32::from(FIELDS[column].meets(wanted)) << column
    }) | 1 << UNSAID
}

impl Rows<'_> {
    #[inline]
    fn layer(&self, number: u64) -> Option<&Layer<'_>> {
        self.layers
            .iter()
            .rev()
            .find(|layer| layer.first <= number)
            .filter(|layer| number - layer.first < layer.games)
    }
}

impl Facts for Rows<'_> {
    fn len(&self) -> u64 {
        self.games
    }

    #[inline]
    fn fact(&self, number: u64, wanted: Fields) -> Option<Fact> {
        let layer = self.layer(number)?;
        let Some(mut row) = layer.row(number - layer.first, columns_of(wanted)) else {
            // A damaged chunk says nothing about its games.
            let mut row = [0; COLUMNS];
            row[UNSAID] = u32::from(Fields::ALL.bits());
            return Some(fact_of(&row));
        };
        for (number, table) in row.iter_mut().zip(NAMES) {
            *number = number.wrapping_add(layer.names[table as usize].first);
        }
        Some(fact_of(&row))
    }

    fn has_more_tags(&self, _: u64) -> bool {
        // What a tag says that has no field here is left unsaid.
        false
    }

    fn names(&self, table: NameTable) -> u32 {
        self.layers.last().map_or(0, |layer| {
            let listed = &layer.names[table as usize];
            listed.first + listed.ends.len() as u32
        })
    }

    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str> {
        let listed = self
            .layers
            .iter()
            .rev()
            .map(|layer| &layer.names[table as usize])
            .find(|listed| listed.first <= number);
        Cow::Borrowed(listed.map_or("", |listed| listed.get(number - listed.first)))
    }
}

impl Listed<'_> {
    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let end_of = |number: usize| {
            self.ends
                .get(number)
                .map(|end| u32::from_le_bytes(*end) as usize)
        };
        let start = match number.checked_sub(1) {
            Some(before) => end_of(before),
            None => Some(0),
        };
        start
            .zip(end_of(number))
            .and_then(|(start, end)| self.text.get(start..end))
            .unwrap_or("")
    }
}
