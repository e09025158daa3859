//! The order of the moves of a position, in which the compact column counts them: the likelier first.
//!
//! The order is a part of the format and frozen: `docs/formats/lake.md` tells it with all its numbers. It is made of what
//! stands on the board and of the move before, so that whoever has played the game so far can reckon it.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks};
use shakmaty::{Bitboard, Color, Role, Square};
use tabiya_model::{Board, Move};

/// Worth of the men, by shakmaty's number of the role.
const WORTH: [i32; 8] = [0, 100, 310, 320, 500, 950, 0, 0];

/// How good a man stands on a square seen from its own side: the columns a to d of the eight rows, mirrored for e to h.
type Places = [[i32; 4]; 8];

const PAWN: Places = [
    [0, 0, 0, 0],
    [0, 4, 0, -14],
    [3, 2, 5, 6],
    [5, 4, 12, 26],
    [14, 14, 18, 30],
    [30, 30, 34, 40],
    [60, 60, 60, 60],
    [0, 0, 0, 0],
];
const KNIGHT: Places = [
    [-40, -28, -24, -20],
    [-28, -12, 0, 4],
    [-16, 4, 14, 16],
    [-12, 6, 18, 24],
    [-8, 10, 24, 30],
    [-14, 8, 22, 26],
    [-24, -8, 8, 10],
    [-44, -24, -18, -14],
];
const BISHOP: Places = [
    [-16, -8, -14, -10],
    [-4, 10, 2, 4],
    [2, 6, 8, 10],
    [2, 6, 12, 14],
    [0, 12, 10, 14],
    [2, 8, 10, 10],
    [-6, 0, 2, 2],
    [-14, -8, -8, -8],
];
const ROOK: Places = [
    [-6, -2, 6, 10],
    [-10, -2, 2, 6],
    [-8, -2, 2, 4],
    [-6, -2, 2, 4],
    [-2, 2, 4, 6],
    [0, 4, 6, 8],
    [12, 14, 16, 16],
    [6, 8, 8, 10],
];
const QUEEN: Places = [
    [-12, -8, -4, 0],
    [-6, 0, 6, 4],
    [-4, 4, 4, 4],
    [-2, 2, 4, 6],
    [0, 4, 6, 8],
    [2, 6, 8, 8],
    [0, 4, 8, 8],
    [-2, 2, 4, 4],
];
const KING: Places = [
    [6, 14, 0, -6],
    [2, 4, -4, -8],
    [-8, -4, -4, -4],
    [-8, 0, 4, 8],
    [-4, 6, 12, 16],
    [-2, 8, 14, 18],
    [-6, 4, 8, 10],
    [-16, -8, -4, -2],
];
const PLACES: [&Places; 8] = [&PAWN, &PAWN, &KNIGHT, &BISHOP, &ROOK, &QUEEN, &KING, &KING];

fn place(role: usize, square: Square, side: Color) -> i32 {
    let square = u32::from(square) ^ side.fold_wb(0, 56);
    let (row, file) = (square as usize >> 3, square as usize & 7);
    PLACES[role & 7][row & 7][file.min(7 - file) & 3]
}

/// What both sides look at.
struct Looks {
    /// Squares that men of the other side attack: pawns, knights and bishops, rooks, anything.
    pawns: Bitboard,
    minors: Bitboard,
    rooks: Bitboard,
    all: Bitboard,
    /// Squares that own men guard, and those that two of them guard.
    guarded: Bitboard,
    twice: Bitboard,
    /// From where a man of each role would give check.
    checks: [Bitboard; 8],
}

impl Looks {
    fn of(board: &Board) -> Looks {
        let (us, occupied) = (board.turn(), board.occupied());
        let mut looks = Looks {
            pawns: Bitboard::EMPTY,
            minors: Bitboard::EMPTY,
            rooks: Bitboard::EMPTY,
            all: Bitboard::EMPTY,
            guarded: Bitboard::EMPTY,
            twice: Bitboard::EMPTY,
            checks: [Bitboard::EMPTY; 8],
        };
        for color in [us, !us] {
            let men = board.by_color(color);
            for role in Role::ALL {
                for from in board.by_role(role) & men {
                    let seen = match role {
                        Role::Pawn => pawn_attacks(color, from),
                        Role::Knight => knight_attacks(from),
                        Role::Bishop => bishop_attacks(from, occupied),
                        Role::Rook => rook_attacks(from, occupied),
                        Role::Queen => {
                            bishop_attacks(from, occupied) | rook_attacks(from, occupied)
                        }
                        Role::King => king_attacks(from),
                    };
                    if color == us {
                        looks.twice |= looks.guarded & seen;
                        looks.guarded |= seen;
                        continue;
                    }
                    looks.all |= seen;
                    match role {
                        Role::Pawn => looks.pawns |= seen,
                        Role::Knight | Role::Bishop => looks.minors |= seen,
                        Role::Rook => looks.rooks |= seen,
                        Role::Queen | Role::King => {}
                    }
                }
            }
        }
        if let Some(king) = board.king_of(!us) {
            let (lines, slants) = (rook_attacks(king, occupied), bishop_attacks(king, occupied));
            looks.checks = [
                Bitboard::EMPTY,
                pawn_attacks(!us, king),
                knight_attacks(king),
                slants,
                lines,
                lines | slants,
                Bitboard::EMPTY,
                Bitboard::EMPTY,
            ];
        }
        looks
    }

    /// What a man stands to lose on a square.
    fn danger(&self, worth: i32, at: Square, is_guarded: bool) -> i32 {
        if !self.all.contains(at) {
            return 0;
        }
        if !is_guarded {
            return worth;
        }
        let taker = if self.pawns.contains(at) {
            100
        } else if self.minors.contains(at) {
            315
        } else if self.rooks.contains(at) {
            500
        } else {
            return 0;
        };
        (worth - taker).max(0)
    }
}

/// Ranks the moves of positions; memory is kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    moves: Vec<Move>,
    keys: Vec<u32>,
}

/// The squares and the promotion of a move in 15 bits; castling is king takes rook.
fn code(m: Move) -> u32 {
    let promotion = m.promotion().map_or(0, |role| role as u32);
    u32::from(m.from()) | u32::from(m.to()) << 6 | promotion << 12
}

impl Ranking {
    /// Reckons the key of every move that movement allows: the greater comes first, and no two are the same. `last` is
    /// where the move before went.
    fn reckon(&mut self, board: &Board, last: Option<Square>) {
        board.pseudo_legal_moves(&mut self.moves);
        self.keys.clear();
        let looks = Looks::of(board);
        let us = board.turn();
        for m in &self.moves {
            let score = score(board, &looks, us, *m, last);
            let score = (score + 4096).clamp(0, 0xffff) as u32;
            self.keys.push(score << 15 | (!code(*m) & 0x7fff));
        }
    }

    /// The place of a legal move among the legal ones, from 0; `None` for a move that is not legal.
    pub(super) fn rank(&mut self, board: &Board, m: Move, last: Option<Square>) -> Option<usize> {
        if !board.is_legal(m) {
            return None;
        }
        self.reckon(board, last);
        let at = self.moves.iter().position(|other| *other == m)?;
        let key = *self.keys.get(at)?;
        let before = self.moves.iter().zip(&self.keys);
        let before = before.filter(|(other, found)| **found > key && board.is_legal(**other));
        Some(before.count())
    }

    /// The legal move at a place.
    pub(super) fn at(&mut self, board: &Board, rank: usize, last: Option<Square>) -> Option<Move> {
        self.reckon(board, last);
        let mut left = rank;
        loop {
            let key = *self.keys.iter().max().filter(|key| **key > 0)?;
            let at = self.keys.iter().position(|other| *other == key)?;
            *self.keys.get_mut(at)? = 0;
            let m = *self.moves.get(at)?;
            if board.is_legal(m) {
                if left == 0 {
                    return Some(m);
                }
                left -= 1;
            }
        }
    }
}

/// How likely a move looks.
fn score(board: &Board, looks: &Looks, us: Color, m: Move, last: Option<Square>) -> i32 {
    if m.is_castle() {
        return 150;
    }
    let (from, to, role) = (m.from(), m.to(), m.role());
    let kind = role as usize;
    let worth = WORTH[kind & 7];
    let mut score = place(kind, to, us) - place(kind, from, us);
    if m.is_capture() {
        let taken = match board.role_at(to) {
            Some(role) => WORTH[role as usize & 7],
            None => WORTH[1],
        };
        score += taken;
        if last == Some(to) {
            score += 150;
        }
    }
    if let Some(role) = m.promotion() {
        score += WORTH[role as usize & 7] - 100;
    }
    // A man guards no square by standing on it: what it attacks itself counts for others alone.
    let guarded = if role == Role::Pawn && from.file() == to.file() {
        looks.guarded
    } else {
        looks.twice
    };
    score -= looks.danger(worth, to, guarded.contains(to));
    score += looks.danger(worth, from, looks.guarded.contains(from));
    if looks.checks[kind & 7].contains(to) {
        score += 60;
    }
    score
}
