//! From games to rows.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, RandomState};

use tabiya_model::Game;
use tabiya_model::facts::{FactFields, GameFacts, MoveFacts, PROMOTION, SETUP, UNDER_PROMOTION};
use tabiya_model::positions::MoveDelta;

use super::{
    CHUNK, COLUMNS, FIELDS, IndexRow, NAMES, NO_MOVES, TABLES, TEXT, UNSAID, chunk_place, name_in,
    row_of, table_place,
};
use crate::identity_hasher::IdentityHasher;
use crate::index::coding::{check, flush, push_number, put_short_check};

/// The places of the kinds of pieces in one side's half of [`MoveFacts::material`], by their numbers from 1 for a pawn.
const SHIFTS: [u32; 7] = [0, 0, 4, 6, 8, 10, 0];
/// The pawns at the start, and the pieces that a game starts with, in the same order.
const AT_START: [i16; 7] = [0, 8, 2, 2, 2, 1, 1];

/// The facts that follow from the steps of a game from the normal start, and its flags about promotions.
fn moves_of(steps: &[MoveDelta]) -> (MoveFacts, u32) {
    let mut counts = [AT_START; 2];
    let mut home: u64 = 0x00ff_0000_0000_ff00;
    let (mut facts, mut flags) = (NO_MOVES, 0);
    let mut depth = 0_u32;
    for &step in steps {
        match step {
            MoveDelta::BEGIN => depth += 1,
            MoveDelta::END => depth = depth.saturating_sub(1),
            _ if depth > 0 || step.is_null() => {}
            _ => {
                let mut add = |piece: u8, count: i16| {
                    counts[usize::from(piece >> 3 & 1)][usize::from(piece & 7) % 7] += count;
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

/// Records that the pawn of a home square has left.
fn leave(facts: &mut MoveFacts, square: u8) {
    let file = u64::from(square & 7);
    let pawn = if square < 16 { 15 - file } else { 7 - file };
    // Sixteen pawns fill the list exactly.
    if let Some(shift) = 60_u32.checked_sub(4 * u32::from(facts.home_count)) {
        facts.home_pawns |= pawn << shift;
        facts.home_count += 1;
    }
}

/// Names with their numbers, in order of appearance.
#[derive(Default)]
pub(super) struct RowNames {
    text: String,
    /// The end of each name.
    ends: Vec<u32>,
    /// The number of a name by its hash; names with the same hash are at the next ones.
    numbers: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    hasher: RandomState,
}

impl RowNames {
    fn get(&self, number: u32) -> &str {
        let name = name_in(self.text.as_bytes(), number, |at| {
            self.ends.get(at).copied()
        });
        // Names end at the recorded places.
        std::str::from_utf8(name).unwrap_or("")
    }

    /// The number of a name; `None` if there is no room for another one.
    pub(super) fn number(&mut self, name: &str) -> Option<u32> {
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

/// Writes the checksum of all bytes after it into its eight bytes.
fn put_check(out: &mut [u8], start: usize, place: u64) {
    let check = check(place, out.get(start + 8..).unwrap_or(&[])).to_le_bytes();
    if let Some(slot) = out.get_mut(start..start + 8) {
        slot.copy_from_slice(&check);
    }
}

/// The rows of a run of games, with names of its own.
#[derive(Default)]
pub(in crate::index) struct RowRun {
    pub(super) rows: Vec<IndexRow>,
    pub(super) names: [RowNames; TABLES],
}

impl RowRun {
    /// Adds a game with its steps.
    pub(in crate::index) fn add(&mut self, game: &Game, steps: &[MoveDelta]) {
        let names = &mut self.names;
        let mut fact = GameFacts::of_game(game, |table, name| names[table as usize].number(name));
        if fact.flags & SETUP == 0 && !fact.unsaid.meets(FactFields::MOVES) {
            let (moves, flags) = moves_of(steps);
            fact.moves = Some(moves);
            fact.flags |= flags;
        }
        self.rows.push(row_of(&fact));
    }

    /// A digest of the last row.
    pub(in crate::index) fn digest(&self) -> u64 {
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

    /// Removes its games.
    pub(in crate::index) fn clear(&mut self) {
        *self = RowRun::default();
    }
}

/// The rows of a layer before they are written to the file.
#[derive(Default)]
pub(in crate::index) struct RowTable {
    /// The number of the layer.
    layer: u64,
    names: [RowNames; TABLES],
    games: u64,
    /// Rows of the last chunk.
    rows: Vec<IndexRow>,
    /// Headers and bytes of the earlier chunks.
    heads: Vec<u8>,
    chunks: Vec<u8>,
}

impl RowTable {
    /// The rows of a layer with a number.
    pub(in crate::index) fn new(layer: u64) -> RowTable {
        RowTable {
            layer,
            ..RowTable::default()
        }
    }

    /// Takes the games of a run, which follow those of the previous run.
    pub(in crate::index) fn add(&mut self, run: &RowRun) {
        let numbers: [Vec<Option<u32>>; TABLES] = std::array::from_fn(|table| {
            let (names, own) = (&mut self.names[table], &run.names[table]);
            (0..own.ends.len() as u32)
                .map(|number| names.number(own.get(number)))
                .collect()
        });
        for row in &run.rows {
            let mut row = *row;
            for (column, (table, field)) in NAMES.iter().zip(FIELDS).enumerate() {
                let said = !FactFields::from_bits(row[UNSAID] as u16).meets(field);
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
                flush(&mut self.chunks, &mut held, &mut bits);
            }
        }
        let rest = bits.div_ceil(8) as usize;
        self.chunks
            .extend_from_slice(held.to_le_bytes().get(..rest).unwrap_or(&[]));
        let number = self.games.div_ceil(CHUNK as u64);
        put_short_check(&mut self.chunks, start, chunk_place(self.layer, number));
        self.rows.clear();
    }

    /// The bytes of a layer's rows; empty if no game had one.
    pub(in crate::index) fn finish(mut self) -> Vec<u8> {
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
        put_check(&mut out, 0, self.layer);
        for (number, names) in (1..).zip(&self.names) {
            names.push(&mut out, table_place(self.layer, number));
        }
        out.append(&mut self.chunks);
        out
    }
}

#[cfg(test)]
mod tests {
    use tabiya_model::Move;
    use tabiya_model::board::Board;

    use super::*;

    #[test]
    fn moves_are_followed_on_the_main_line() {
        let mut board = Board::standard();
        let mut steps = Vec::new();
        let step = |board: &Board, m: Move| MoveDelta::of_move(board, m);
        for uci in [
            "e2e4", "d7d5", "e4d5", "c7c6", "d5c6", "g8f6", "c6b7", "f6g8", "b7a8n",
        ] {
            let m = board.parse_uci(uci.as_bytes()).expect("legal");
            steps.push(step(&board, m));
            if uci == "c7c6" {
                // A variation instead: its pawn move changes nothing that counts.
                let mut before = Board::standard();
                for uci in ["e2e4", "d7d5", "e4d5"] {
                    before.play(before.parse_uci(uci.as_bytes()).expect("legal"));
                }
                let m = before.parse_uci(b"h7h5").expect("legal");
                steps.extend([
                    MoveDelta::BEGIN,
                    step(&before, m),
                    MoveDelta::NULL,
                    MoveDelta::END,
                ]);
            }
            board.play(m);
        }
        let (facts, flags) = moves_of(&steps);
        assert_eq!(flags, PROMOTION | UNDER_PROMOTION);
        let half = |pawns: u32, knights: u32, bishops: u32, rooks: u32, queens: u32| {
            pawns | knights << 4 | bishops << 6 | rooks << 8 | queens << 10
        };
        let (white, black) = (half(7, 3, 2, 2, 1), half(5, 2, 2, 1, 1));
        assert_eq!(facts.material, white << 12 | black);
        assert_eq!(facts.home_count, 4);
        // e2, d7, c7, b7.
        assert_eq!(facts.home_pawns >> 48, 0xb456);
    }
}
