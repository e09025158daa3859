//! An open book: its positions by their keys, each found at once, without following moves.

use std::hash::{DefaultHasher, Hasher};

use shakmaty::Color;
use tabiya_io::mmap::FileBytes;
use tabiya_model::{Board, Diagnostic, Diagnostics, Location, Move};

use super::codes;
use super::layout::{CtgEntry, CtgNumbers, CtgPage, PAGE};
use super::move_bytes;
use super::position_key::key;
use crate::book::{BookAdvice, BookMoveNotes, BookMoveWeight, PositionBook};

/// Where the entry of a position is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct CtgPlace {
    /// The hash of its key.
    hash: u64,
    /// The offset of the entry in the file.
    at: u64,
}

/// A book in memory or in a map of its file, with the places of its positions.
pub struct CtgBook {
    bytes: FileBytes,
    /// Sorted.
    places: Vec<CtgPlace>,
    count: usize,
}

/// The hash of a key.
fn hash_of(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(key);
    hasher.finish()
}

impl CtgBook {
    /// Lists the positions of all pages.
    pub fn new(bytes: FileBytes) -> (CtgBook, Diagnostics) {
        let mut diagnostics = Diagnostics::default();
        let mut places = Vec::new();
        for (number, page_bytes) in bytes.chunks(PAGE).enumerate().skip(1) {
            let start = number as u64 * PAGE as u64;
            let mut page = CtgPage::new(page_bytes);
            let mut found = 0_usize;
            loop {
                let at = start + page.offset() as u64;
                let Some(entry) = page.next() else { break };
                found += 1;
                let hash = hash_of(entry.key);
                places.push(CtgPlace { hash, at });
            }
            if page.is_damaged || page_bytes.len() < PAGE || found != usize::from(page.count) {
                diagnostics.report(
                    &codes::PAGE,
                    || Location::byte(start),
                    || format!("{found} of {} positions", page.count),
                );
            }
        }
        let count = places.len();
        places.sort_unstable();
        let mut book = CtgBook {
            bytes,
            places: Vec::new(),
            count,
        };
        let (kept, twice) = book.without_repeats(&places);
        book.places = kept;
        for at in twice {
            diagnostics.report(
                &codes::TWICE,
                || Location::byte(at),
                || format!("the entry at byte {at}"),
            );
        }
        let noted = book.bytes.get(24..).and_then(|rest| rest.first_chunk());
        let noted = noted.copied().map_or(0, u32::from_be_bytes);
        if usize::try_from(noted).ok() != Some(count) {
            let message = format!("the header says {noted}, {count} were found");
            diagnostics.push(Diagnostic::new(&codes::COUNT, Location::byte(24), message));
        }
        (book, diagnostics)
    }

    /// The places of the first entries of all positions, and those of further entries, in the order of the file.
    fn without_repeats(&self, places: &[CtgPlace]) -> (Vec<CtgPlace>, Vec<u64>) {
        let mut kept: Vec<CtgPlace> = Vec::with_capacity(places.len());
        let mut twice = Vec::new();
        for same in places.chunk_by(|one, other| one.hash == other.hash) {
            let first = kept.len();
            for place in same {
                let key = self.entry_at(place.at).map(|entry| entry.key);
                let known = kept.get(first..).unwrap_or(&[]);
                let is_known = known
                    .iter()
                    .any(|other| self.entry_at(other.at).map(|entry| entry.key) == key);
                match is_known {
                    true => twice.push(place.at),
                    false => kept.push(*place),
                }
            }
        }
        twice.sort_unstable();
        (kept, twice)
    }

    fn entry_at(&self, at: u64) -> Option<CtgEntry<'_>> {
        let rest = self.bytes.get(usize::try_from(at).ok()?..)?;
        Some(CtgEntry::read(rest)?.0)
    }

    /// The number of entries.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of different positions.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The entry of a key, and its offset in the file.
    fn entry(&self, key: &[u8]) -> Option<(u64, CtgEntry<'_>)> {
        let hash = hash_of(key);
        let from = self.places.partition_point(|place| place.hash < hash);
        let places = self.places.get(from..)?.iter();
        places
            .take_while(|place| place.hash == hash)
            .find_map(|place| {
                let entry = self.entry_at(place.at)?;
                (entry.key == key).then_some((place.at, entry))
            })
    }

    /// The entry of a position, and its offset: the one with its en passant square, if the book has it.
    pub fn find(&self, board: &Board) -> Option<(u64, CtgEntry<'_>)> {
        if board.legal_ep_square().is_some()
            && let Some(found) = key(board, true).and_then(|key| self.entry(&key))
        {
            return Some(found);
        }
        self.entry(&key(board, false)?)
    }

    /// The moves of a position that can be played, in the order of the book, with its data about each.
    pub(super) fn played(
        &self,
        board: &Board,
        entry: CtgEntry<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Vec<(Move, BookMoveWeight)> {
        let mut moves: Vec<(Move, BookMoveWeight)> = Vec::new();
        for [byte, sign] in entry.moves {
            let told = || format!("byte {byte:02x} in {}", board.to_fen());
            let Some((m, is_doubtful)) = move_bytes::read(board, *byte) else {
                diagnostics.report(&codes::MOVE, Location::default, told);
                continue;
            };
            if is_doubtful {
                diagnostics.report(&codes::DOUBTFUL, Location::default, told);
            }
            if moves.iter().any(|(known, _)| *known == m) {
                continue;
            }
            let mut next = board.clone();
            next.play(m);
            let numbers = self.find(&next).map(|(_, entry)| entry.numbers);
            moves.push((m, mark(*sign, numbers, board.turn())));
        }
        moves
    }
}

impl PositionBook for CtgBook {
    fn moves(&self, board: &Board) -> Vec<(Move, BookMoveWeight)> {
        match self.find(board) {
            Some((_, entry)) => self.played(board, entry, &mut Diagnostics::default()),
            None => Vec::new(),
        }
    }
}

/// The NAG of a sign.
fn nag(sign: u8) -> u8 {
    match sign {
        1..=6 | 8 | 0x16 => sign,
        _ => 0,
    }
}

/// The numbers of the position after a move, as data about the move.
fn mark(sign: u8, numbers: Option<CtgNumbers>, mover: Color) -> BookMoveWeight {
    let mut mark = BookMoveWeight {
        sign: nag(sign),
        ..BookMoveWeight::default()
    };
    let Some(numbers) = numbers else { return mark };
    let advice = match numbers.advice {
        128.. => Some(BookAdvice::Play),
        64..128 => Some(BookAdvice::Avoid),
        _ => None,
    };
    let is_bad = advice == Some(BookAdvice::Avoid) || matches!(sign, 2 | 4);
    mark.weight = Some(if is_bad { 0 } else { numbers.games });
    // After the move, the other side is to move.
    let (white, black) = match mover {
        Color::White => (numbers.lost, numbers.won),
        Color::Black => (numbers.won, numbers.lost),
    };
    let [rated, sum] = numbers.rated;
    mark.notes = BookMoveNotes {
        advice,
        games: Some([numbers.games, white, numbers.drawn, black]),
        rating: sum.checked_div(rated),
        ..BookMoveNotes::default()
    };
    mark
}
