//! Fast positions: moves from their column, with only the pieces on their squares.
//!
//! Every move is looked up by the movement of the pieces, as in reading, so the steps are those of the games, whichever
//! program wrote the file. Everything else (another starting position, moves that the rules do not explain, variations,
//! moves stored as indices) is read as a game.

use std::sync::{Arc, LazyLock};

use shakmaty::{Bitboard, Square, attacks};
use tabiya_columns::{CellValue, RowGroupReader};
use tabiya_model::Result;
use tabiya_model::outcome::Outcome;
use tabiya_model::positions::{
    GameWalker, MoveDelta, PiecePlacement, PositionSource, TapePositions, WalkStart,
};

use super::annotations::{ParquetNote, next};
use super::database::ParquetDatabase;
use super::layout::{self, tag};
use super::reader::ParquetFile;
use super::text::ParquetTextReader;
use tabiya_codec::numbered_database::check_number;

/// The columns that a walk reads: moves, annotations, FEN, names and values of tags, result, variant.
const COLUMNS: [usize; 7] = [
    layout::MOVES,
    layout::ANNOTATIONS,
    tag("FEN"),
    layout::TAG_NAMES,
    layout::TAG_VALUES,
    layout::OUTCOME,
    tag("Variant"),
];
/// The most bytes of moves that are walked here.
const MOST_BYTES: usize = 1 << 20;

impl PositionSource for ParquetDatabase {
    fn walker(&self) -> Box<dyn GameWalker + '_> {
        Box::new(ColumnWalker {
            base: self,
            rows: None,
            moves: Vec::new(),
            notes: Vec::new(),
            at: 0,
            board: ColumnBoard::STANDARD,
            reach: &REACH,
            number: 0,
            tape: None,
            is_taped: false,
        })
    }
}

/// The target squares of each kind of piece on an empty board, by its number and its square.
type PieceReach = [[u64; 64]; 8];

static REACH: LazyLock<Box<PieceReach>> = LazyLock::new(|| {
    let mut reach = Box::new([[0; 64]; 8]);
    for (kind, squares) in reach.iter_mut().enumerate() {
        for (square, place) in Square::ALL.into_iter().zip(squares) {
            *place = u64::from(match kind {
                KNIGHT => attacks::knight_attacks(square),
                BISHOP => attacks::bishop_attacks(square, Bitboard::EMPTY),
                ROOK => attacks::rook_attacks(square, Bitboard::EMPTY),
                QUEEN => attacks::queen_attacks(square, Bitboard::EMPTY),
                KING => attacks::king_attacks(square),
                _ => Bitboard::EMPTY,
            });
        }
    }
    reach
});

const PAWN: usize = 1;
const KNIGHT: usize = 2;
const BISHOP: usize = 3;
const ROOK: usize = 4;
const QUEEN: usize = 5;
const KING: usize = 6;
const BLACK: u8 = 8;

/// The part of a board that the rules of movement need.
#[derive(Clone)]
struct ColumnBoard {
    pieces: PiecePlacement,
    occupied: u64,
    /// Rooks that may still castle.
    castling: u64,
    /// The square that a pawn has just passed over; 64 for none.
    passed: u8,
    /// 8 if Black is to move.
    turn: u8,
}

fn bit(square: u8) -> u64 {
    1 << (square & 63)
}

impl ColumnBoard {
    const STANDARD: ColumnBoard = ColumnBoard {
        pieces: PiecePlacement::STANDARD,
        occupied: 0xffff_0000_0000_ffff,
        castling: 0x8100_0000_0000_0081,
        passed: 64,
        turn: 0,
    };

    #[inline(always)]
    fn at(&self, square: u8) -> u8 {
        self.pieces.0[usize::from(square & 63)]
    }

    /// The effect of a move of the column here, as far as the rules of movement allow it.
    #[inline(always)]
    fn find(&self, code: u16, reach: &PieceReach) -> Option<MoveDelta> {
        if code == 0 {
            return Some(MoveDelta::NULL);
        }
        let (from, to) = ((code & 63) as u8, (code >> 6 & 63) as u8);
        let promotion = (code >> 12) as u8;
        let (mover, captured) = (self.at(from), self.at(to));
        if mover == 0 || mover & BLACK != self.turn {
            return None;
        }
        let is_own = captured != 0 && captured & BLACK == self.turn;
        let kind = usize::from(mover & 7);
        if kind == PAWN {
            return self.find_pawn(from, to, mover, captured, promotion);
        }
        if promotion != 0 {
            return None;
        }
        let goes = reach[kind][usize::from(from & 63)] & bit(to) != 0;
        if goes && !is_own {
            // Knights and kings need no free squares in between.
            let is_free = matches!(kind, KNIGHT | KING) || between(from, to) & self.occupied == 0;
            return is_free.then(|| MoveDelta::plain(from, to, mover, captured));
        }
        match kind {
            KING => self.find_castle(from, to, mover),
            _ => None,
        }
    }

    #[inline(always)]
    fn find_pawn(
        &self,
        from: u8,
        to: u8,
        mover: u8,
        captured: u8,
        promotion: u8,
    ) -> Option<MoveDelta> {
        let is_black = self.turn != 0;
        let at_end = to >> 3 == if is_black { 0 } else { 7 };
        if at_end != matches!(promotion, 2..=5) || !matches!(promotion, 0 | 2..=5) {
            return None;
        }
        // From the view of the side to move.
        let (a, b) = if is_black {
            (63 - from, 63 - to)
        } else {
            (from, to)
        };
        let becomes = if at_end { promotion | self.turn } else { mover };
        let steps = b.checked_sub(a)?;
        match steps {
            8 if captured == 0 => Some(MoveDelta::new(from, to, mover, becomes, 0)),
            16 if captured == 0 && a >> 3 == 1 => {
                let over = if is_black { from - 8 } else { from + 8 };
                (self.at(over) == 0).then(|| MoveDelta::plain(from, to, mover, 0))
            }
            7 | 9 if (a & 7).abs_diff(b & 7) == 1 => {
                if captured != 0 {
                    let is_enemy = captured & BLACK != self.turn;
                    return is_enemy.then(|| MoveDelta::new(from, to, mover, becomes, captured));
                }
                (to == self.passed).then(|| MoveDelta::en_passant(from, to, mover))
            }
            _ => None,
        }
    }

    /// Castling, given by the square of the rook or by the square that the king reaches.
    #[inline(never)]
    fn find_castle(&self, from: u8, to: u8, mover: u8) -> Option<MoveDelta> {
        let back: u64 = if self.turn == 0 { 0xff } else { 0xff << 56 };
        let rank = from & 0o70;
        [(7_u8, 6_u8, 5_u8), (0, 2, 3)]
            .into_iter()
            .find_map(|(rook, king_to, rook_to)| {
                let rook_at = rank | rook;
                let king_to = rank | king_to;
                let is_meant = to == rook_at || (to == king_to && from.abs_diff(to) >= 2);
                if !is_meant || self.castling & back & bit(rook_at) == 0 {
                    return None;
                }
                let way = between(from, rook_at)
                    | between(rook_at, rank | rook_to)
                    | between(from, king_to)
                    | bit(king_to)
                    | bit(rank | rook_to);
                let others = self.occupied & !bit(from) & !bit(rook_at);
                (way & others == 0).then(|| MoveDelta::castle(from, king_to, mover, rook))
            })
    }

    #[inline(always)]
    fn play(&mut self, delta: MoveDelta) {
        self.pieces.play(delta);
        self.turn ^= BLACK;
        self.passed = 64;
        if delta.is_null() {
            return;
        }
        let (from, to) = (delta.from(), delta.to());
        let moved = bit(from) | bit(to);
        self.castling &= !moved;
        self.occupied = self.occupied & !bit(from) | bit(to);
        match usize::from(delta.mover() & 7) {
            PAWN => {
                if from ^ to == 16 {
                    self.passed = (from + to) / 2;
                } else if delta.is_en_passant() {
                    self.occupied &= !bit(delta.captured_on());
                }
            }
            KING => {
                self.castling &= !(0xff << (from & 0o70));
                if let Some((rook, rook_to)) = delta.rook() {
                    self.occupied = self.occupied & !bit(rook) | bit(rook_to) | bit(to);
                }
            }
            _ => {}
        }
    }
}

/// The squares between two.
#[inline(always)]
fn between(a: u8, b: u8) -> u64 {
    let square = |index: u8| Square::new(u32::from(index & 63));
    u64::from(attacks::between(square(a), square(b)))
}

/// Rows of a row group.
struct WalkerRows {
    file: Arc<ParquetFile>,
    is_ours: bool,
    rows: RowGroupReader,
    next: u64,
    end: u64,
}

struct ColumnWalker<'b> {
    base: &'b ParquetDatabase,
    rows: Option<WalkerRows>,
    moves: Vec<u8>,
    notes: Vec<u8>,
    /// Bytes of the moves that were played.
    at: usize,
    board: ColumnBoard,
    reach: &'static PieceReach,
    number: u64,
    /// Walks through the games that must be read.
    tape: Option<Box<dyn GameWalker + 'b>>,
    is_taped: bool,
}

/// Whether annotations hold nothing that the moves of the main line (or, if requested, variations) need.
fn is_plain(notes: &[u8], variations: bool) -> bool {
    let mut reader = ParquetTextReader::new(notes);
    while !reader.is_empty() {
        match next(&mut reader) {
            None | Some(ParquetNote::Odd(_) | ParquetNote::Start(_) | ParquetNote::Raw(_)) => {
                return false;
            }
            Some(ParquetNote::Begin) if variations => return false,
            Some(_) => {}
        }
    }
    true
}

/// Whether the names of tags could include one that determines the start, whose value is then not in its column.
fn names_start(names: &[u8]) -> bool {
    names
        .split(|byte| *byte == b'\n')
        .any(|line| line == b"=" || line.starts_with(b"FEN"))
}

impl<'b> ColumnWalker<'b> {
    /// Takes the row of a game; false if the game must be read.
    fn take(&mut self, number: u64) -> Result<bool> {
        let game = number - 1;
        let mut under = match self.rows.take() {
            Some(mut under) if (under.next..under.end).contains(&game) => {
                if game > under.next {
                    under.file.skip(&mut under.rows, game - under.next)?;
                }
                under
            }
            _ => {
                let (file, start) = self.base.file_of(game)?;
                if !file.is_fast() {
                    return Ok(false);
                }
                let (end, _) = file.group_end(game - start);
                WalkerRows {
                    is_ours: file.is_ours(),
                    rows: file.columns_at(game - start, &COLUMNS)?,
                    file,
                    next: game,
                    end: end.saturating_add(start),
                }
            }
        };
        under.next = game + 1;
        let file = &under.file;
        let rows = &mut under.rows;
        let moves = file.cell(rows, 0)?.bytes();
        self.moves.clear();
        self.moves.extend_from_slice(moves.unwrap_or_default());
        let mut is_known = moves.is_some_and(|moves| moves.len() <= MOST_BYTES);
        is_known &= self.moves.len().is_multiple_of(2);
        let notes = file.cell(rows, 1)?.bytes().unwrap_or_default();
        self.notes.clear();
        self.notes.extend_from_slice(notes);
        is_known &= file.cell(rows, 2)? == CellValue::Null;
        let names = file.cell(rows, 3)?;
        let is_told = names != CellValue::Null;
        is_known &= !names.bytes().is_some_and(names_start);
        let has_values = file
            .cell(rows, 4)?
            .bytes()
            .is_some_and(|values| !values.is_empty());
        // Files of other programs may contradict themselves, which reading reports.
        if !under.is_ours {
            let is_result = |bytes| std::str::from_utf8(bytes).ok().and_then(Outcome::from_pgn);
            is_known &= !is_told && !has_values && self.notes.is_empty();
            let outcome = file.cell(rows, 5)?.bytes();
            is_known &= outcome.is_none_or(|bytes| is_result(bytes).is_some());
            let rules = file.cell(rows, 6)?.bytes();
            is_known &= rules.is_none_or(|bytes| std::str::from_utf8(bytes).is_ok());
        }
        self.rows = Some(under);
        Ok(is_known && (self.notes.is_empty() || is_plain(&self.notes, false)))
    }

    /// Reads the game, and goes to its start.
    fn read(&mut self) -> Result<WalkStart> {
        self.is_taped = true;
        let base = self.base;
        let tape = self.tape.get_or_insert_with(|| TapePositions(base).walk());
        tape.open(self.number)
    }
}

impl GameWalker for ColumnWalker<'_> {
    fn open(&mut self, number: u64) -> Result<WalkStart> {
        check_number(number, self.base.count())?;
        self.number = number;
        self.is_taped = false;
        if !self.take(number)? {
            return self.read();
        }
        self.at = 0;
        self.board.clone_from(&ColumnBoard::STANDARD);
        Ok(WalkStart::Standard)
    }

    fn steps(&mut self, variations: bool, most: usize, steps: &mut Vec<MoveDelta>) -> Result<bool> {
        if variations && !self.is_taped && self.at == 0 && !is_plain(&self.notes, true) {
            self.read()?;
        }
        if self.is_taped {
            return match &mut self.tape {
                Some(tape) => tape.steps(variations, most, steps),
                None => Ok(false),
            };
        }
        let rest = self.moves.get(self.at..).unwrap_or_default();
        let mut odd = false;
        steps.reserve(most.min(rest.len() / 2));
        for code in rest.chunks_exact(2).take(most) {
            let code = code.first_chunk().copied().map_or(0, u16::from_le_bytes);
            let Some(delta) = self.board.find(code, self.reach) else {
                odd = true;
                break;
            };
            self.board.play(delta);
            steps.push(delta);
            self.at += 2;
        }
        if odd {
            return self.read_on(variations, steps);
        }
        Ok(self.at < self.moves.len())
    }

    fn is_damaged(&self) -> bool {
        self.is_taped && self.tape.as_ref().is_some_and(|tape| tape.is_damaged())
    }
}

impl ColumnWalker<'_> {
    /// Continues with the game as read, after the steps that were already returned.
    fn read_on(&mut self, variations: bool, steps: &mut Vec<MoveDelta>) -> Result<bool> {
        self.read()?;
        let Some(tape) = &mut self.tape else {
            return Ok(false);
        };
        let mut played = Vec::new();
        let mut left = self.at / 2;
        let mut more = true;
        while more && left > 0 {
            played.clear();
            more = tape.steps(variations, left, &mut played)?;
            let count = played.len().min(left);
            left -= count;
            steps.extend(played.iter().skip(count));
        }
        Ok(more)
    }
}
