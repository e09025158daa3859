//! Positions of games for searches, without legality.
//!
//! A record gives the piece and its move, so nearly every move is a [step](super::plain_moves); the others are read in the
//! ordinary way.

use tabiya_model::board::{Board, Move};
use tabiya_model::error_codes;
use tabiya_model::positions::{GameWalker, MoveDelta, PositionSource, WalkStart};
use tabiya_model::{Error, Result};

use super::files::ScidGameFile;
use super::moves::{ScidPieces, token};
use super::reader::ScidReader;
use super::record::{ScidExtraTags, flags};

/// A piece's number in [`MoveDelta`]s.
#[inline(always)]
fn number(piece: u8) -> u8 {
    piece >> 4
}

impl ScidPieces {
    /// The delta of a move, before it is played.
    fn delta(&self, m: Move) -> MoveDelta {
        if m.is_null() {
            return MoveDelta::NULL;
        }
        let index = |square| u32::from(square).to_le_bytes()[0];
        let (from, to) = (index(m.from()), index(m.to()));
        let mover = number(self.at[usize::from(from & 63)]);
        if m.is_castle() {
            return MoveDelta::castle(from, index(m.king_target()), mover, to & 7);
        }
        if m.is_en_passant() {
            return MoveDelta::en_passant(from, to, mover);
        }
        let becomes = m
            .promotion()
            .map_or(mover, |role| mover & 8 | u32::from(role).to_le_bytes()[0]);
        MoveDelta::new(
            from,
            to,
            mover,
            becomes,
            number(self.at[usize::from(to & 63)]),
        )
    }
}

impl PositionSource for ScidReader {
    fn walker(&self) -> Box<dyn GameWalker + '_> {
        Box::new(ScidWalker::new(self, false))
    }

    fn visitor(&self) -> Box<dyn GameWalker + '_> {
        Box::new(ScidWalker::new(self, true))
    }
}

struct ScidWalker<'a> {
    base: &'a ScidReader,
    /// Whether games are far apart: then reading each of them is better than mapping everything around it.
    apart: bool,
    /// The record, if the file is mapped; otherwise it is in `bytes`.
    mapped: Option<&'a [u8]>,
    bytes: Vec<u8>,
    at: usize,
    pieces: ScidPieces,
    /// The pieces before the last move, if a variation can follow.
    before: ScidPieces,
    /// Whether the line has a move that a variation could replace.
    replaceable: bool,
    outer: Vec<(ScidPieces, ScidPieces)>,
    done: bool,
    damaged: bool,
}

impl<'a> ScidWalker<'a> {
    fn new(base: &'a ScidReader, apart: bool) -> ScidWalker<'a> {
        ScidWalker {
            base,
            apart,
            mapped: None,
            bytes: Vec::new(),
            at: 0,
            pieces: ScidPieces::STANDARD,
            before: ScidPieces::STANDARD,
            replaceable: false,
            outer: Vec::new(),
            done: true,
            damaged: false,
        }
    }

    fn record(&self) -> &[u8] {
        self.mapped.unwrap_or(&self.bytes)
    }

    fn unreadable(&mut self) -> WalkStart {
        self.damaged = true;
        WalkStart::Unreadable
    }

    /// Decodes the move list. Unless variations are wanted, they are skipped byte by byte: no move contains the byte of a
    /// token.
    #[inline(always)]
    fn run<const VARIATIONS: bool>(&mut self, most: usize, steps: &mut Vec<MoveDelta>) {
        let record: &[u8] = match self.mapped {
            Some(record) => record,
            None => &self.bytes,
        };
        let mut at = self.at;
        let mut replaceable = self.replaceable;
        // With places made beforehand, no step has to check for room. Every step has a byte of its own, so no more places
        // are made than the record can fill.
        let start = steps.len();
        let most = most.min(record.len().saturating_sub(at).saturating_add(1));
        steps.resize(start.saturating_add(most), MoveDelta::NULL);
        let places = steps.get_mut(start..).unwrap_or_default();
        let mut count = 0;
        while let Some(place) = places.get_mut(count) {
            let Some(&byte) = record.get(at) else {
                (self.done, self.damaged) = (true, true);
                break;
            };
            if !matches!(byte, token::NAG..=token::STOP) {
                if VARIATIONS && matches!(record.get(at + 1), Some(token::NAG..=token::BEGIN)) {
                    self.before.clone_from(&self.pieces);
                }
                replaceable = true;
                if let Some(step) = self.pieces.step(byte) {
                    let (mover, captured) = (number(step.piece), number(step.captured));
                    *place = MoveDelta::plain(step.from, step.to, mover, captured);
                    count += 1;
                    at += 1;
                    continue;
                }
                let next = record.get(at + 1).copied();
                let mut bytes = 1;
                let decoded = self.pieces.decode(byte, || {
                    bytes = 2;
                    next
                });
                let Ok(m) = decoded else {
                    (self.done, self.damaged) = (true, true);
                    break;
                };
                at += bytes;
                if VARIATIONS {
                    self.before.clone_from(&self.pieces);
                }
                *place = self.pieces.delta(m);
                count += 1;
                self.pieces.play(m);
                continue;
            }
            at += 1;
            match byte {
                token::NAG => at += 1,
                token::COMMENT => {}
                token::BEGIN if !replaceable => {
                    (self.done, self.damaged) = (true, true);
                    break;
                }
                token::BEGIN if VARIATIONS => {
                    self.outer.push((self.pieces.clone(), self.before.clone()));
                    self.pieces.clone_from(&self.before);
                    replaceable = false;
                    *place = MoveDelta::BEGIN;
                    count += 1;
                }
                token::BEGIN => match skip_variation(record, at) {
                    Some(end) => at = end,
                    None => {
                        (self.done, self.damaged) = (true, true);
                        break;
                    }
                },
                token::END => match self.outer.pop() {
                    Some((pieces, before)) => {
                        (self.pieces, self.before) = (pieces, before);
                        replaceable = true;
                        *place = MoveDelta::END;
                        count += 1;
                    }
                    None => {
                        (self.done, self.damaged) = (true, true);
                        break;
                    }
                },
                _ => {
                    self.done = true;
                    self.damaged |= !self.outer.is_empty();
                    break;
                }
            }
        }
        steps.truncate(start.saturating_add(count));
        if self.done {
            // A damaged game may end within variations.
            while VARIATIONS && self.outer.pop().is_some() {
                steps.push(MoveDelta::END);
            }
        }
        self.at = at;
        self.replaceable = replaceable;
    }
}

/// The place after the end of a variation whose start was read.
fn skip_variation(record: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 1_u32;
    loop {
        let byte = *record.get(at)?;
        at += 1;
        match byte {
            token::NAG => at += 1,
            token::BEGIN => depth += 1,
            token::END => depth -= 1,
            token::STOP => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

impl GameWalker for ScidWalker<'_> {
    fn open(&mut self, number: u64) -> Result<WalkStart> {
        self.done = true;
        self.damaged = false;
        self.replaceable = false;
        self.outer.clear();
        let entry = if self.apart {
            self.base.entry_unmapped(number, &mut self.bytes)?
        } else {
            self.base.entry(number)
        };
        let Some(entry) = entry else {
            return Err(Error::new(
                &error_codes::NO_SUCH_GAME,
                format!("there is no game {number}"),
            )
            .with("number", number));
        };
        self.mapped = None;
        match self.base.games()? {
            ScidGameFile::Mapped(bytes) if !self.apart => {
                let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                let start = at(entry.offset).min(bytes.len());
                let end = at(entry.offset.saturating_add(u64::from(entry.length))).min(bytes.len());
                self.mapped = bytes.get(start..end);
            }
            file => file.copy(entry.offset, entry.length, &mut self.bytes)?,
        }
        let record = self.record();
        let body = if record.first() == Some(&0) {
            Some(1)
        } else {
            let mut extra = ScidExtraTags::new(record);
            extra.by_ref().for_each(drop);
            extra.rest().map(|rest| record.len() - rest.len())
        };
        let Some((body, flag_byte)) = body.and_then(|at| Some((at, *record.get(at)?))) else {
            return Ok(self.unreadable());
        };
        let cut = record.len() as u64 != u64::from(entry.length);
        if flag_byte & flags::FEN == 0 {
            self.pieces.clone_from(&ScidPieces::STANDARD);
            self.at = body + 1;
            self.done = false;
            self.damaged = cut;
            return Ok(WalkStart::Standard);
        }
        let rest = record.get(body + 1..).unwrap_or(&[]);
        let Some(length) = memchr::memchr(0, rest) else {
            return Ok(self.unreadable());
        };
        let fen = self.base.text().decode(rest.get(..length).unwrap_or(&[]));
        let board = Board::from_fen(&fen).ok().map(|(board, _)| board);
        let pieces = board
            .as_ref()
            .and_then(|board| ScidPieces::from_board(board).ok());
        let (Some(board), Some(pieces)) = (board, pieces) else {
            return Ok(self.unreadable());
        };
        self.pieces = pieces;
        self.at = body + 1 + length + 1;
        self.done = false;
        self.damaged = cut;
        Ok(WalkStart::Setup(Box::new(board)))
    }

    fn steps(&mut self, variations: bool, most: usize, steps: &mut Vec<MoveDelta>) -> Result<bool> {
        if !self.done {
            if variations {
                self.run::<true>(most, steps);
            } else {
                self.run::<false>(most, steps);
            }
        }
        Ok(!self.done)
    }

    fn is_damaged(&self) -> bool {
        self.damaged
    }
}
