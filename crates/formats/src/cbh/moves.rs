//! Moves: each side's men have numbers within their kind, and a move is a code for a numbered man and its way.
//!
//! [`Men`] keeps the numbers while a game is read. At most three queens, rooks, bishops and knights of a side have one;
//! the others move by naming both squares. [`decode`] turns the bytes of a record into a [`Tree`], whose moves have the
//! numbers that annotations know them by; [`Tree::walk`] goes through it in the order of a tape.

use shakmaty::{Color, Role, Square};
use tabiya_model::board::{Board, Move};

use super::layout::{Chess960Record, square_by_files};
use super::tables::{self, Permutation};

/// Why bytes are no move here.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// A code names a man that the side does not have.
    #[error("the side to move has no {} number {number}", role_name(*.role))]
    NoMan {
        /// The kind of man.
        role: Role,
        /// Its number, from 1.
        number: u8,
    },
    /// A pawn leaves the board.
    #[error("the pawn on {0} would leave the board")]
    OffBoard(Square),
    /// The way ends on a man of the own side.
    #[error("an own man stands on {0}")]
    OwnMan(Square),
    /// There is nothing to castle with.
    #[error("king or rook do not stand where castling needs them")]
    NoCastling,
    /// Nobody to move stands on the square that a move names.
    #[error("nobody of the side to move stands on {0}")]
    NobodyThere(Square),
    /// A move that goes nowhere.
    #[error("the move goes from {0} to the same square")]
    Nowhere(Square),
    /// The second half of a move is missing.
    #[error("the record ends within a move")]
    Cut,
    /// More variations within each other than are allowed.
    #[error("more than {0} variations stand within each other")]
    TooDeep(usize),
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// How the bytes of a record are read.
#[derive(Copy, Clone, Debug)]
pub struct Coder {
    table: &'static Permutation,
    /// Whether the count of moves is taken off after the table, not before.
    late: bool,
    /// Whether every move is two bytes that name squares.
    plain: bool,
    /// Whether castling is that of Chess960.
    chess960: bool,
}

impl Coder {
    /// The coder of a mode; nothing for those whose tables are not known.
    pub fn of(mode: u8) -> Option<Coder> {
        let (table, late, plain, chess960) = match mode {
            0 => (&tables::COMPACT, false, false, false),
            4 => (&tables::COMPACT_LATE, true, false, false),
            5 => (&tables::PLAIN, true, true, false),
            10 => (&tables::CHESS960, true, false, true),
            _ => return None,
        };
        Some(Coder {
            table,
            late,
            plain,
            chess960,
        })
    }

    /// Whether the moves are those of Chess960.
    pub fn is_chess960(self) -> bool {
        self.chess960
    }

    /// The code of a byte after so many moves.
    #[inline(always)]
    fn code(self, byte: u8, moves: u8) -> u8 {
        if self.late {
            self.table[usize::from(byte)].wrapping_sub(moves)
        } else {
            self.table[usize::from(byte.wrapping_sub(moves))]
        }
    }
}

/// Codes that are no move of a numbered man.
mod code {
    pub(super) const NULL: u8 = 0;
    pub(super) const CASTLE_SHORT: u8 = 9;
    pub(super) const CASTLE_LONG: u8 = 10;
    pub(super) const SQUARES: u8 = 235;
    pub(super) const FILLER: u8 = 236;
    pub(super) const BRANCH: u8 = 254;
    pub(super) const END: u8 = 255;
}

/// What a code means: the man in the low six bits (role, then number from bit 3), and the way above; 0 for none.
type Meaning = u16;

const PAWN: u16 = Role::Pawn as u16;
const KNIGHT: u16 = Role::Knight as u16;
const BISHOP: u16 = Role::Bishop as u16;
const ROOK: u16 = Role::Rook as u16;
const QUEEN: u16 = Role::Queen as u16;
const KING: u16 = Role::King as u16;

/// The ways: 28 of a queen (of which a rook has the first half and a bishop the second), of a king, of a knight, of a
/// white pawn and of a black one.
const KING_WAYS: usize = 28;
const KNIGHT_WAYS: usize = 36;
const PAWN_WAYS: usize = 44;
const WAYS: usize = 52;

static MEANINGS: [Meaning; 256] = {
    let mut table = [0; 256];
    // First code, number of codes, role, number, first way.
    let blocks: [(usize, usize, u16, u16, usize); 21] = [
        (1, 8, KING, 0, KING_WAYS),
        (11, 28, QUEEN, 0, 0),
        (39, 14, ROOK, 0, 0),
        (53, 14, ROOK, 1, 0),
        (67, 14, BISHOP, 0, 14),
        (81, 14, BISHOP, 1, 14),
        (95, 8, KNIGHT, 0, KNIGHT_WAYS),
        (103, 8, KNIGHT, 1, KNIGHT_WAYS),
        (111, 4, PAWN, 0, PAWN_WAYS),
        (115, 4, PAWN, 1, PAWN_WAYS),
        (119, 4, PAWN, 2, PAWN_WAYS),
        (123, 4, PAWN, 3, PAWN_WAYS),
        (127, 4, PAWN, 4, PAWN_WAYS),
        (131, 4, PAWN, 5, PAWN_WAYS),
        (135, 4, PAWN, 6, PAWN_WAYS),
        (139, 4, PAWN, 7, PAWN_WAYS),
        (143, 28, QUEEN, 1, 0),
        (171, 28, QUEEN, 2, 0),
        (199, 14, ROOK, 2, 0),
        (213, 14, BISHOP, 2, 14),
        (227, 8, KNIGHT, 2, KNIGHT_WAYS),
    ];
    let mut block = 0;
    while block < blocks.len() {
        let (first, count, role, number, way) = blocks[block];
        let mut index = 0;
        while index < count {
            table[first + index] = role | number << 3 | ((way + index) as u16) << 6;
            index += 1;
        }
        block += 1;
    }
    table
};

/// No square: a place in a list that nobody has, a way that leaves the board.
const NONE: u8 = 64;

const KING_STEPS: [(i32, i32); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];
const KNIGHT_STEPS: [(i32, i32); 8] = [
    (2, 1),
    (1, 2),
    (-1, 2),
    (-2, 1),
    (-2, -1),
    (-1, -2),
    (1, -2),
    (2, -1),
];
const PAWN_STEPS: [(i32, i32); 8] = [
    (0, 1),
    (0, 2),
    (1, 1),
    (-1, 1),
    (0, -1),
    (0, -2),
    (-1, -1),
    (1, -1),
];

/// Where a way leads from each square. All but those of pawns come back on the other side of the board.
static TARGETS: [u8; WAYS * 64] = {
    let mut table = [NONE; WAYS * 64];
    let mut way = 0;
    while way < WAYS {
        let step = (way % 7) as i32 + 1;
        let (files, ranks) = match way / 7 {
            0 => (0, step),
            1 => (step, 0),
            2 => (step, step),
            3 => (step, -step),
            _ if way < KNIGHT_WAYS => KING_STEPS[way - KING_WAYS],
            _ if way < PAWN_WAYS => KNIGHT_STEPS[way - KNIGHT_WAYS],
            _ => PAWN_STEPS[way - PAWN_WAYS],
        };
        let mut from = 0;
        while from < 64 {
            let (file, rank) = (from % 8 + files, from / 8 + ranks);
            let is_inside = file >= 0 && file < 8 && rank >= 0 && rank < 8;
            if is_inside || way < PAWN_WAYS {
                table[way * 64 + from as usize] =
                    ((rank.rem_euclid(8)) * 8 + file.rem_euclid(8)) as u8;
            }
            from += 1;
        }
        way += 1;
    }
    table
};

/// The side of a man in [`Men::at`].
const BLACK: u8 = 8;
/// The number of a man that has none.
const UNNUMBERED: u8 = 15;
/// So many men of a kind have numbers, pawns excepted.
const NUMBERED: u8 = 3;

/// The men of both sides with their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Men {
    /// Role and side in the low four bits, the number above; 0 for an empty square.
    at: [u8; 64],
    /// Where the men of a role and side stand, eight places each.
    list: [u8; 128],
    /// 0 for White, [`BLACK`] for Black.
    turn: u8,
    /// The rooks that castle in Chess960: White's on the king's side, on the queen's side, then Black's; [`NONE`] where
    /// the position does not tell.
    rooks: [u8; 4],
}

#[inline(always)]
fn square(index: u8) -> Square {
    Square::new(u32::from(index & 63))
}

#[inline(always)]
fn index(square: Square) -> u8 {
    u32::from(square).to_le_bytes()[0]
}

#[inline(always)]
fn role_of(man: u8) -> Role {
    match man & 7 {
        1 => Role::Pawn,
        2 => Role::Knight,
        3 => Role::Bishop,
        4 => Role::Rook,
        5 => Role::Queen,
        _ => Role::King,
    }
}

/// The place in [`Men::list`] of a man of this role, side and number.
#[inline(always)]
fn slot(man: u8, number: u8) -> usize {
    usize::from(man & 15) << 3 | usize::from(number & 7)
}

/// The most numbers of a kind.
fn numbers(role: Role) -> u8 {
    match role {
        Role::Pawn => 8,
        Role::King => 1,
        _ => NUMBERED,
    }
}

impl Men {
    /// Numbers the men of a position.
    pub fn of(board: &Board, chess960: Option<Chess960Record>) -> Men {
        let mut men = Men {
            at: [0; 64],
            list: [NONE; 128],
            turn: if board.turn() == Color::White {
                0
            } else {
                BLACK
            },
            rooks: [NONE; 4],
        };
        for here in (0..64).filter_map(square_by_files) {
            if let Some(piece) = board.piece_at(here) {
                let side = if piece.color == Color::White {
                    0
                } else {
                    BLACK
                };
                men.add(index(here), piece.role, side);
            }
        }
        if let Some(chess960) = chess960 {
            for (place, rook) in (0_u8..).zip(&mut men.rooks) {
                let named = chess960.rooks.get(usize::from(place)).copied();
                let named = named.and_then(square_by_files).map(index);
                *rook = men_rook(&men.at, men.list, place, named);
            }
        }
        men
    }

    /// Puts a man on the board, with the next number of its kind where there is one.
    fn add(&mut self, at: u8, role: Role, side: u8) {
        let man = role as u8 | side;
        let number = (0..numbers(role)).find(|number| self.list[slot(man, *number)] == NONE);
        if let Some(number) = number {
            self.list[slot(man, number)] = at;
        }
        self.at[usize::from(at & 63)] = man | number.unwrap_or(UNNUMBERED) << 4;
    }

    /// Takes a man off its kind's list. A pawn's number stays empty; of the others those behind it move up.
    #[inline(always)]
    fn remove(&mut self, man: u8) {
        let number = man >> 4;
        if number == UNNUMBERED {
            return;
        }
        if !matches!(role_of(man), Role::Pawn | Role::King) {
            for number in number..NUMBERED - 1 {
                let next = self.list[slot(man, number + 1)];
                self.list[slot(man, number)] = next;
                if next != NONE {
                    self.at[usize::from(next & 63)] = man & 15 | number << 4;
                }
            }
            self.list[slot(man, NUMBERED - 1)] = NONE;
        } else {
            self.list[slot(man, number)] = NONE;
        }
    }

    /// Plays the move of a numbered man.
    #[inline(always)]
    fn ordinary(&mut self, meaning: Meaning) -> Result<Move, Fault> {
        let role = (meaning & 7) as u8;
        let number = (meaning >> 3 & 7) as u8;
        let man = role | self.turn;
        let place = slot(man, number);
        let from = self.list[place];
        if from >= NONE {
            return Err(Fault::NoMan {
                role: role_of(role),
                number: number + 1,
            });
        }
        let is_pawn = role == PAWN as u8;
        let mut way = usize::from(meaning >> 6);
        if is_pawn && self.turn != 0 {
            way += 4;
        }
        let to = TARGETS[(way << 6 | usize::from(from & 63)) % TARGETS.len()];
        if to >= NONE {
            return Err(Fault::OffBoard(square(from)));
        }
        let captured = self.at[usize::from(to & 63)];
        if captured != 0 {
            if captured & BLACK == self.turn {
                return Err(Fault::OwnMan(square(to)));
            }
            self.remove(captured);
        } else if is_pawn
            && (from ^ to) & 7 != 0
            && let Some(m) = self.en_passant(from, to)
        {
            return Ok(m);
        }
        self.at[usize::from(from & 63)] = 0;
        self.at[usize::from(to & 63)] = man | number << 4;
        self.list[place] = to;
        self.turn ^= BLACK;
        Ok(Move::normal(
            role_of(role),
            square(from),
            square(to),
            captured != 0,
            None,
        ))
    }

    /// A pawn goes sideways to an empty square: takes the pawn that it passes, if one is there.
    #[inline(never)]
    fn en_passant(&mut self, from: u8, to: u8) -> Option<Move> {
        let passed = from & 56 | to & 7;
        let taken = self.at[usize::from(passed & 63)];
        if taken & 15 != (PAWN as u8 | BLACK) ^ self.turn {
            return None;
        }
        self.remove(taken);
        self.at[usize::from(passed & 63)] = 0;
        self.shift(from, to);
        self.turn ^= BLACK;
        Some(Move::en_passant(square(from), square(to)))
    }

    /// Moves a man with its number to an empty square.
    fn shift(&mut self, from: u8, to: u8) {
        let man = std::mem::take(&mut self.at[usize::from(from & 63)]);
        self.at[usize::from(to & 63)] = man;
        if man >> 4 != UNNUMBERED {
            self.list[slot(man, man >> 4)] = to;
        }
    }

    /// Castles with a rook on a square.
    fn castle(&mut self, king: u8, rook: u8) -> Result<Move, Fault> {
        let (king_man, rook_man) = (self.man_at(king), self.man_at(rook));
        if king_man & 15 != KING as u8 | self.turn || rook_man & 15 != ROOK as u8 | self.turn {
            return Err(Fault::NoCastling);
        }
        let m = Move::castle(square(king), square(rook));
        let targets = [index(m.king_target()), index(m.rook_target())];
        for (at, from) in targets.into_iter().zip([king, rook]) {
            if at != king && at != rook && self.man_at(at) != 0 {
                return Err(Fault::OwnMan(square(from)));
            }
        }
        for from in [king, rook] {
            self.at[usize::from(from & 63)] = 0;
        }
        for (to, man) in targets.into_iter().zip([king_man, rook_man]) {
            self.at[usize::from(to & 63)] = man;
            if man >> 4 != UNNUMBERED {
                self.list[slot(man, man >> 4)] = to;
            }
        }
        self.turn ^= BLACK;
        Ok(m)
    }

    fn man_at(&self, at: u8) -> u8 {
        if at < NONE {
            self.at[usize::from(at & 63)]
        } else {
            0
        }
    }

    fn king(&self) -> u8 {
        self.list[slot(KING as u8 | self.turn, 0)]
    }

    /// Castles by the code for it, as standard chess does.
    #[inline(never)]
    fn castle_by_code(&mut self, short: bool) -> Result<Move, Fault> {
        let king = self.king();
        if king >= NONE || king & 7 != 4 {
            return Err(Fault::NoCastling);
        }
        self.castle(king, king & 56 | if short { 7 } else { 0 })
    }

    /// Plays a move that names both squares.
    #[inline(never)]
    fn by_squares(&mut self, word: u16, coder: Coder) -> Result<Move, Fault> {
        let by_files = |bits: u16| (bits & 7) << 3 | bits >> 3 & 7;
        let [from, _] = by_files(word & 63).to_le_bytes();
        let [to, _] = by_files(word >> 6 & 63).to_le_bytes();
        if from == to {
            if coder.plain && from == 0 {
                self.turn ^= BLACK;
                return Ok(Move::NULL);
            }
            let rank = if self.turn == 0 { 0 } else { 56 };
            let side = match to ^ rank {
                6 if coder.chess960 => 0,
                2 if coder.chess960 => 1,
                _ => return Err(Fault::Nowhere(square(from))),
            };
            let rook = self.rooks[usize::from(self.turn >> 2 | side) & 3];
            return self.castle(self.king(), rook);
        }
        let man = self.at[usize::from(from & 63)];
        if man == 0 || man & BLACK != self.turn {
            return Err(Fault::NobodyThere(square(from)));
        }
        let role = role_of(man);
        let is_castling = !coder.chess960
            && role == Role::King
            && from & 7 == 4
            && from & 56 == to & 56
            && matches!(to & 7, 2 | 6);
        if is_castling {
            let rook = from & 56 | if to & 7 == 6 { 7 } else { 0 };
            if self.man_at(rook) & 15 == ROOK as u8 | self.turn {
                return self.castle(from, rook);
            }
        }
        let captured = self.at[usize::from(to & 63)];
        if captured != 0 {
            if captured & BLACK == self.turn {
                return Err(Fault::OwnMan(square(to)));
            }
            self.remove(captured);
        } else if role == Role::Pawn
            && (from ^ to) & 7 != 0
            && let Some(m) = self.en_passant(from, to)
        {
            return Ok(m);
        }
        let last = if self.turn == 0 { 56 } else { 0 };
        let promotion = (role == Role::Pawn && to & 56 == last).then_some(match word >> 12 & 3 {
            0 => Role::Queen,
            1 => Role::Rook,
            2 => Role::Bishop,
            _ => Role::Knight,
        });
        match promotion {
            Some(promoted) => {
                self.remove(man);
                self.at[usize::from(from & 63)] = 0;
                self.add(to, promoted, self.turn);
            }
            None => self.shift(from, to),
        }
        self.turn ^= BLACK;
        Ok(Move::normal(
            role,
            square(from),
            square(to),
            captured != 0,
            promotion,
        ))
    }
}

/// The rook of a place in [`Men::rooks`]: the one that is named, if a rook stands there; else the outermost on that side
/// of the king.
fn men_rook(at: &[u8; 64], list: [u8; 128], place: u8, named: Option<u8>) -> u8 {
    let side = if place < 2 { 0 } else { BLACK };
    let rank: u8 = if place < 2 { 0 } else { 56 };
    let is_rook = |square: u8| at[usize::from(square & 63)] & 15 == ROOK as u8 | side;
    if let Some(named) = named.filter(|named| named & 56 == rank && is_rook(*named)) {
        return named;
    }
    let king = list[slot(KING as u8 | side, 0)];
    let mut files: Vec<u8> = (0..8).map(|file| rank | file).collect();
    if place & 1 == 0 {
        files.reverse();
    }
    files
        .into_iter()
        .take_while(|square| *square != king)
        .find(|square| is_rook(*square))
        .unwrap_or(NONE)
}

/// No move: the start, or nothing that follows.
pub const NO_MOVE: u32 = u32::MAX;

#[derive(Copy, Clone, Debug)]
struct Link {
    first: u32,
    last: u32,
    sibling: u32,
}

const UNLINKED: Link = Link {
    first: NO_MOVE,
    last: NO_MOVE,
    sibling: NO_MOVE,
};

/// The moves of a record in the order in which they stand there.
#[derive(Debug, Default)]
pub struct Tree {
    moves: Vec<Move>,
    /// What follows each move, and what stands beside it; empty as long as there is one line only.
    links: Vec<Link>,
    /// The first move of the main line and the last alternative to it, where `links` is used.
    first: u32,
    last_first: u32,
    /// The move after which the record ended, or could not be read further.
    last: u32,
    /// Frames of [`Tree::walk`], kept for their memory.
    frames: Vec<(u32, u32)>,
}

/// A step through a tree.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A move by its number.
    Move(u32, Move),
    /// A variation begins, which replaces the move before.
    Begin,
    /// A variation ends.
    End,
}

impl Tree {
    fn clear(&mut self) {
        self.moves.clear();
        self.links.clear();
        self.first = NO_MOVE;
        self.last_first = NO_MOVE;
        self.last = NO_MOVE;
    }

    /// The number of moves, variations included.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there is no move.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The number of moves of the main line, which come first.
    pub fn main_line_len(&self) -> usize {
        if self.links.is_empty() {
            return self.moves.len();
        }
        let mut length = 0;
        let mut now = self.first;
        while let Some(link) = self.links.get(now as usize) {
            length += 1;
            now = link.first;
        }
        length
    }

    /// The moves in the order of their numbers.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The move after which reading ended.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// Links what was read so far, which was one line.
    fn branch(&mut self, now: u32) {
        if self.links.is_empty() && !self.moves.is_empty() {
            self.links.extend((1..=self.moves.len()).map(|next| {
                let next = u32::try_from(next).unwrap_or(NO_MOVE);
                let next = if now == NO_MOVE || next > now {
                    NO_MOVE
                } else {
                    next
                };
                Link {
                    first: next,
                    last: next,
                    sibling: NO_MOVE,
                }
            }));
            self.first = 0;
            self.last_first = 0;
        }
    }

    /// Adds a move after another one.
    #[inline]
    fn add(&mut self, after: u32, m: Move, branched: bool) -> u32 {
        let new = u32::try_from(self.moves.len()).unwrap_or(NO_MOVE);
        self.moves.push(m);
        if branched {
            self.link(after, new);
        }
        new
    }

    #[inline(never)]
    fn link(&mut self, after: u32, new: u32) {
        self.links.push(UNLINKED);
        let elder = match self.links.get_mut(after as usize) {
            Some(parent) => {
                let elder = std::mem::replace(&mut parent.last, new);
                if elder == NO_MOVE {
                    parent.first = new;
                }
                elder
            }
            None => {
                let elder = std::mem::replace(&mut self.last_first, new);
                if elder == NO_MOVE {
                    self.first = new;
                }
                elder
            }
        };
        if let Some(elder) = self.links.get_mut(elder as usize) {
            elder.sibling = new;
        }
    }

    /// Goes through the tree in the order of a tape: each variation follows the move that it replaces.
    pub fn walk(&mut self, mut each: impl FnMut(Step)) {
        if self.links.is_empty() {
            for (m, number) in self.moves.iter().zip(0..) {
                each(Step::Move(number, *m));
            }
            return;
        }
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        let mut now = self.first;
        let mut is_main = true;
        loop {
            while let (Some(m), Some(link)) =
                (self.moves.get(now as usize), self.links.get(now as usize))
            {
                each(Step::Move(now, *m));
                if is_main && let Some(beside) = self.links.get(link.sibling as usize) {
                    each(Step::Begin);
                    frames.push((now, beside.sibling));
                    now = link.sibling;
                    is_main = false;
                    continue;
                }
                now = link.first;
                is_main = true;
            }
            let Some((replaced, next)) = frames.pop() else {
                break;
            };
            each(Step::End);
            if let Some(beside) = self.links.get(next as usize) {
                each(Step::Begin);
                frames.push((replaced, beside.sibling));
                now = next;
                is_main = false;
            } else {
                now = self
                    .links
                    .get(replaced as usize)
                    .map_or(NO_MOVE, |link| link.first);
                is_main = true;
            }
        }
        self.frames = frames;
    }
}

/// What is noticed while moves are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// A move that is against the rules.
    Illegal(Move),
    /// Castling for which the start position has no right.
    NoRight {
        /// Who castles.
        color: Color,
        /// Whether to the king's side.
        short: bool,
    },
    /// A code without a meaning, which was passed over.
    UnknownCode(u8),
    /// A code that fills up.
    Filler,
    /// The record ends without the mark of its end.
    NoEnd,
    /// Something that is no move: what follows cannot be read.
    Fault(Fault),
    /// So many bytes follow the end.
    After(usize),
}

/// Where something was noticed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct At {
    /// The byte within the moves.
    pub byte: usize,
    /// Half-moves before it on the way there.
    pub ply: u32,
}

/// What is wanted of the moves.
#[derive(Copy, Clone, Debug)]
pub struct Rules {
    /// How they are written.
    pub coder: Coder,
    /// Whether variations are read too.
    pub variations: bool,
    /// The most variations within each other.
    pub depth: usize,
}

struct Frame {
    men: Men,
    board: Board,
    now: u32,
    ply: u32,
}

/// Memory of [`decode`] that is used again.
#[derive(Default)]
pub struct Memory {
    frames: Vec<Frame>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

/// Reads the moves of a record into a tree; says how many bytes of them were understood. Legality is looked at where
/// `verify` gives the board at the start.
pub fn decode(
    bytes: &[u8],
    men: Men,
    verify: Option<&Board>,
    rules: Rules,
    memory: &mut Memory,
    tree: &mut Tree,
    report: &mut dyn FnMut(At, Finding),
) -> usize {
    tree.clear();
    memory.frames.clear();
    match verify {
        Some(board) => Decoding::<true> {
            bytes,
            at: 0,
            count: 0,
            men,
            board: board.clone(),
            now: NO_MOVE,
            ply: 0,
            branched: false,
            rules,
            frames: &mut memory.frames,
            tree,
            report,
        }
        .run(),
        None => Decoding::<false> {
            bytes,
            at: 0,
            count: 0,
            men,
            board: Board::standard(),
            now: NO_MOVE,
            ply: 0,
            branched: false,
            rules,
            frames: &mut memory.frames,
            tree,
            report,
        }
        .run(),
    }
}

struct Decoding<'a, const VERIFY: bool> {
    bytes: &'a [u8],
    at: usize,
    /// Moves so far, of all lines, as far as a byte goes.
    count: u8,
    men: Men,
    board: Board,
    now: u32,
    ply: u32,
    branched: bool,
    rules: Rules,
    frames: &'a mut Vec<Frame>,
    tree: &'a mut Tree,
    report: &'a mut dyn FnMut(At, Finding),
}

impl<const VERIFY: bool> Decoding<'_, VERIFY> {
    fn run(mut self) -> usize {
        let understood = if self.rules.coder.plain {
            self.plain()
        } else {
            self.compact()
        };
        self.tree.last = self.now;
        understood
    }

    #[cold]
    #[inline(never)]
    fn tell(&mut self, byte: usize, finding: Finding) {
        let ply = self.ply;
        (self.report)(At { byte, ply }, finding);
    }

    #[inline(always)]
    fn compact(&mut self) -> usize {
        let coder = self.rules.coder;
        loop {
            let start = self.at;
            let Some(&byte) = self.bytes.get(start) else {
                self.tell(start, Finding::NoEnd);
                return start;
            };
            self.at += 1;
            let code = coder.code(byte, self.count);
            let meaning = MEANINGS[usize::from(code)];
            let played = if meaning != 0 {
                self.men.ordinary(meaning)
            } else {
                match code {
                    code::NULL => {
                        self.men.turn ^= BLACK;
                        Ok(Move::NULL)
                    }
                    code::CASTLE_SHORT | code::CASTLE_LONG => {
                        self.men.castle_by_code(code == code::CASTLE_SHORT)
                    }
                    code::SQUARES => self.squares(),
                    code::BRANCH => match self.branch() {
                        Ok(()) => continue,
                        Err(fault) => Err(fault),
                    },
                    code::END => {
                        if self.end_line() {
                            return self.finished();
                        }
                        continue;
                    }
                    code::FILLER => {
                        self.tell(start, Finding::Filler);
                        continue;
                    }
                    _ => {
                        self.tell(start, Finding::UnknownCode(code));
                        continue;
                    }
                }
            };
            match played {
                Ok(m) => self.add(start, m),
                Err(fault) => {
                    self.tell(start, Finding::Fault(fault));
                    return start;
                }
            }
        }
    }

    fn plain(&mut self) -> usize {
        if self.bytes.is_empty() {
            return 0;
        }
        loop {
            let start = self.at;
            if start >= self.bytes.len() {
                self.tell(start, Finding::NoEnd);
                return start;
            }
            let played = self.word().and_then(|word| {
                if word & 0x8000 != 0 {
                    self.branch()?;
                }
                let m = self.men.by_squares(word, self.rules.coder)?;
                Ok((m, word & 0x4000 != 0))
            });
            match played {
                Ok((m, ends)) => {
                    self.add(start, m);
                    if ends && self.end_line() {
                        return self.finished();
                    }
                }
                Err(fault) => {
                    self.tell(start, Finding::Fault(fault));
                    return start;
                }
            }
        }
    }

    fn word(&mut self) -> Result<u16, Fault> {
        let bytes = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.first_chunk());
        let [high, low] = *bytes.ok_or(Fault::Cut)?;
        self.at += 2;
        let code = |byte| self.rules.coder.code(byte, self.count);
        Ok(u16::from_be_bytes([code(high), code(low)]))
    }

    #[inline(never)]
    fn squares(&mut self) -> Result<Move, Fault> {
        let word = self.word()?;
        self.men.by_squares(word, self.rules.coder)
    }

    /// Another move than the next one follows later from here.
    #[inline(never)]
    fn branch(&mut self) -> Result<(), Fault> {
        if !self.rules.variations {
            return Ok(());
        }
        if self.frames.len() >= self.rules.depth {
            return Err(Fault::TooDeep(self.rules.depth));
        }
        if !self.branched {
            self.tree.branch(self.now);
            self.branched = true;
        }
        self.frames.push(Frame {
            men: self.men.clone(),
            board: self.board.clone(),
            now: self.now,
            ply: self.ply,
        });
        Ok(())
    }

    /// A line ends; says whether it was the last one.
    fn end_line(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else {
            return true;
        };
        self.men = frame.men;
        self.board = frame.board;
        self.now = frame.now;
        self.ply = frame.ply;
        false
    }

    /// The record ends where it should.
    fn finished(&mut self) -> usize {
        let after = self.bytes.len().saturating_sub(self.at);
        if after > 0 && self.rules.variations {
            self.tell(self.at, Finding::After(after));
        }
        self.bytes.len()
    }

    #[inline(always)]
    fn add(&mut self, start: usize, m: Move) {
        if VERIFY {
            if self.board.is_legal(m) {
                self.board.play_legal(m);
            } else {
                self.illegal(start, m);
            }
        }
        self.now = self.tree.add(self.now, m, self.branched);
        self.count = self.count.wrapping_add(1);
        self.ply += 1;
    }

    #[inline(never)]
    fn illegal(&mut self, start: usize, m: Move) {
        // The null move is not among the legal ones, and nothing is wrong with it.
        if !m.is_null() {
            let color = self.board.turn();
            let finding = match m.castling_side() {
                Some(side) if self.board.castling_rook(color, side).is_none() => Finding::NoRight {
                    color,
                    short: side == shakmaty::CastlingSide::KingSide,
                },
                _ => Finding::Illegal(m),
            };
            self.tell(start, finding);
        }
        self.board.play(m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(mode: u8) -> Rules {
        Rules {
            coder: Coder::of(mode).expect("a mode"),
            variations: true,
            depth: 100,
        }
    }

    fn read(bytes: &[u8], mode: u8) -> (Vec<String>, Vec<Finding>) {
        let board = Board::standard();
        let mut tree = Tree::default();
        let mut findings = Vec::new();
        let mut tell = |_: At, finding| findings.push(finding);
        decode(
            bytes,
            Men::of(&board, None),
            Some(&board),
            rules(mode),
            &mut Memory::default(),
            &mut tree,
            &mut tell,
        );
        let mut text = Vec::new();
        tree.walk(|step| {
            text.push(match step {
                Step::Move(_, m) => format!("{}{}", m.from(), m.to()),
                Step::Begin => "(".to_owned(),
                Step::End => ")".to_owned(),
            });
        });
        (text, findings)
    }

    /// The byte of a code after so many moves.
    fn byte(code: u8, moves: u8) -> u8 {
        (0..=255)
            .find(|byte| tables::COMPACT[usize::from(u8::wrapping_sub(*byte, moves))] == code)
            .expect("every code has a byte")
    }

    #[test]
    fn a_short_game() {
        let bytes = [0xff, 0x00, 0xa4, 0xe0, 0x66, 0x0c, 0x60, 0x13];
        let (moves, findings) = read(&bytes, 0);
        assert_eq!(
            moves,
            ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"]
        );
        assert_eq!(findings, []);
    }

    #[test]
    fn variations_follow_the_moves_that_they_replace() {
        // e4 branch c5 end branch c6 end e5 end; pawns five, three and five of their sides.
        let mut bytes = Vec::new();
        for (code, moves) in [
            (128, 0),
            (254, 1),
            (120, 1),
            (255, 2),
            (254, 2),
            (119, 2),
            (255, 3),
            (128, 3),
            (112, 4),
            (255, 5),
        ] {
            bytes.push(byte(code, moves));
        }
        let (moves, findings) = read(&bytes, 0);
        let expected = "e2e4 c7c5 ( c7c6 ) ( e7e5 a2a4 )";
        assert_eq!(moves.join(" "), expected);
        assert_eq!(findings, []);
    }

    #[test]
    fn alternatives_to_the_first_move() {
        let mut bytes = Vec::new();
        for (code, moves) in [(254, 0), (128, 0), (255, 1), (124, 1), (128, 2), (255, 3)] {
            bytes.push(byte(code, moves));
        }
        let (moves, _) = read(&bytes, 0);
        assert_eq!(moves.join(" "), "e2e4 ( d2d4 e7e5 )");
    }

    #[test]
    fn what_is_no_move_ends_the_game() {
        let bytes = [byte(128, 0), byte(143, 1)];
        let (moves, findings) = read(&bytes, 0);
        assert_eq!(moves, ["e2e4"]);
        let fault = Fault::NoMan {
            role: Role::Queen,
            number: 2,
        };
        assert_eq!(findings, [Finding::Fault(fault)]);
        let (moves, findings) = read(&[byte(128, 0)], 0);
        assert_eq!((moves.len(), findings), (1, vec![Finding::NoEnd]));
        let (_, findings) = read(&[byte(236, 0), byte(240, 0), byte(255, 0), 7], 0);
        assert_eq!(
            findings,
            [
                Finding::Filler,
                Finding::UnknownCode(240),
                Finding::After(1)
            ]
        );
    }

    #[test]
    fn a_fourth_queen_has_no_number_and_gets_none_when_another_is_taken() {
        let fen = "k6r/8/8/8/8/8/8/QQQQ3K w - - 0 1";
        let (board, _) = Board::from_fen(fen).expect("a position");
        let mut men = Men::of(&board, None);
        let queen = QUEEN as u8;
        assert_eq!(men.list[slot(queen, 2)], index(Square::C1));
        assert_eq!(men.at[3] >> 4, UNNUMBERED);
        men.remove(men.at[0]);
        assert_eq!(men.list[slot(queen, 0)], index(Square::B1));
        assert_eq!(men.list[slot(queen, 1)], index(Square::C1));
        assert_eq!(men.list[slot(queen, 2)], NONE);
        assert_eq!((men.at[1] >> 4, men.at[2] >> 4), (0, 1));
        // The next queen that is made takes the place.
        men.add(60, Role::Queen, 0);
        assert_eq!(men.list[slot(queen, 2)], 60);
    }
}
