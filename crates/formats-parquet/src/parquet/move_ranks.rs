//! The order of the moves of a position, by which the compact column numbers them: likely moves first.
//!
//! The order is a part of the format and frozen: `docs/formats/lake.md` describes it with all its numbers. It depends on
//! the pieces on the board and on the previous move, so that any program that has replayed the game so far can compute
//! it.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks};
use shakmaty::{Bitboard, CastlingSide, Color, Rank, Role, Square};
use tabiya_model::{Board, Move};

/// The value of the pieces, by shakmaty's number of the role.
const WORTH: [i16; 8] = [0, 100, 310, 320, 500, 950, 0, 0];

/// The value of a piece's squares from the view of its own side: the columns a to d of the eight rows, mirrored for e to h.
type SquareScores = [[i32; 4]; 8];

const PAWN: SquareScores = [
    [0, 0, 0, 0],
    [0, 4, 0, -14],
    [3, 2, 5, 6],
    [5, 4, 12, 26],
    [14, 14, 18, 30],
    [30, 30, 34, 40],
    [60, 60, 60, 60],
    [0, 0, 0, 0],
];
const KNIGHT: SquareScores = [
    [-40, -28, -24, -20],
    [-28, -12, 0, 4],
    [-16, 4, 14, 16],
    [-12, 6, 18, 24],
    [-8, 10, 24, 30],
    [-14, 8, 22, 26],
    [-24, -8, 8, 10],
    [-44, -24, -18, -14],
];
const BISHOP: SquareScores = [
    [-16, -8, -14, -10],
    [-4, 10, 2, 4],
    [2, 6, 8, 10],
    [2, 6, 12, 14],
    [0, 12, 10, 14],
    [2, 8, 10, 10],
    [-6, 0, 2, 2],
    [-14, -8, -8, -8],
];
const ROOK: SquareScores = [
    [-6, -2, 6, 10],
    [-10, -2, 2, 6],
    [-8, -2, 2, 4],
    [-6, -2, 2, 4],
    [-2, 2, 4, 6],
    [0, 4, 6, 8],
    [12, 14, 16, 16],
    [6, 8, 8, 10],
];
const QUEEN: SquareScores = [
    [-12, -8, -4, 0],
    [-6, 0, 6, 4],
    [-4, 4, 4, 4],
    [-2, 2, 4, 6],
    [0, 4, 6, 8],
    [2, 6, 8, 8],
    [0, 4, 8, 8],
    [-2, 2, 4, 4],
];
const KING: SquareScores = [
    [6, 14, 0, -6],
    [2, 4, -4, -8],
    [-8, -4, -4, -4],
    [-8, 0, 4, 8],
    [-4, 6, 12, 16],
    [-2, 8, 14, 18],
    [-6, 4, 8, 10],
    [-16, -8, -4, -2],
];
/// The value of each square for each piece, for White and for Black, by the number of the role.
static PLACES: [[[i16; 64]; 8]; 2] = [places(0), places(56)];

const fn places(flip: usize) -> [[i16; 64]; 8] {
    let tables = [&PAWN, &PAWN, &KNIGHT, &BISHOP, &ROOK, &QUEEN, &KING, &KING];
    let mut places = [[0; 64]; 8];
    let mut role = 0;
    while role < 8 {
        let mut square = 0;
        while square < 64 {
            let (row, file) = ((square ^ flip) >> 3, square & 7);
            let column = if file < 4 { file } else { 7 - file };
            places[role][square] = tables[role][row][column] as i16;
            square += 1;
        }
        role += 1;
    }
    places
}

/// The most that a piece gains from its target square, by the number of its role; for a pawn that stays on its file, by the
/// row that it leaves, from the view of its own side: a pawn on the seventh is promoted.
const MOST: [i16; 8] = [0, 60, 30, 14, 16, 8, 18, 18];
const MOST_OF_PAWN: [i16; 8] = [26, 26, 26, 30, 40, 60, i16::MAX / 2, 0];
const CHECK: i16 = 60;

/// A piece of the side to move, and the squares that it attacks.
#[derive(Copy, Clone, Debug)]
struct PieceAttacks {
    role: Role,
    from: Square,
    seen: Bitboard,
}

/// The attacks of both sides in a position.
struct AttackMaps<'b> {
    board: &'b Board,
    /// The target square of the previous move.
    last: Option<Square>,
    places: &'static [[i16; 64]; 8],
    /// Squares that pieces of the other side attack: pawns, knights and bishops, rooks, any piece.
    pawns: Bitboard,
    minors: Bitboard,
    rooks: Bitboard,
    all: Bitboard,
    /// Squares that own pieces guard, and those that two of them guard.
    guarded: Bitboard,
    twice: Bitboard,
    /// The squares from which a piece of each role would give check.
    checks: [Bitboard; 8],
    /// The square on which a pawn may be captured en passant.
    passed: Bitboard,
}

impl<'b> AttackMaps<'b> {
    /// Computes the attacks of a position, and lists the pieces of the side to move.
    fn of(
        board: &'b Board,
        last: Option<Square>,
        pieces: &mut Vec<PieceAttacks>,
    ) -> AttackMaps<'b> {
        let (us, occupied) = (board.turn(), board.occupied());
        let mut looks = AttackMaps {
            board,
            last,
            places: &PLACES[us.fold_wb(0, 1)],
            pawns: Bitboard::EMPTY,
            minors: Bitboard::EMPTY,
            rooks: Bitboard::EMPTY,
            all: Bitboard::EMPTY,
            guarded: Bitboard::EMPTY,
            twice: Bitboard::EMPTY,
            checks: [Bitboard::EMPTY; 8],
            passed: Bitboard::from_iter(board.ep_square()) & !occupied,
        };
        pieces.clear();
        for role in Role::ALL {
            let all = board.by_role(role);
            let mut attacked = Bitboard::EMPTY;
            for from in all & board.them() {
                attacked |= seen(role, !us, from, occupied);
            }
            looks.all |= attacked;
            match role {
                Role::Pawn => looks.pawns |= attacked,
                Role::Knight | Role::Bishop => looks.minors |= attacked,
                Role::Rook => looks.rooks |= attacked,
                Role::Queen | Role::King => {}
            }
            for from in all & board.us() {
                let seen = seen(role, us, from, occupied);
                looks.twice |= looks.guarded & seen;
                looks.guarded |= seen;
                pieces.push(PieceAttacks { role, from, seen });
            }
        }
        if let Some(king) = board.king_of(!us) {
            let (lines, slants) = (rook_attacks(king, occupied), bishop_attacks(king, occupied));
            let (pawns, knights) = (pawn_attacks(!us, king), knight_attacks(king));
            let (none, queens) = (Bitboard::EMPTY, lines | slants);
            looks.checks = [none, pawns, knights, slants, lines, queens, none, none];
        }
        looks
    }

    /// What a piece may lose on a square, if own pieces guard others.
    #[inline(always)]
    fn danger(&self, kind: usize, at: Square, guarded: Bitboard) -> i16 {
        if !self.all.contains(at) {
            return 0;
        }
        let worth = WORTH[kind];
        if !guarded.contains(at) {
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

    /// What a piece gains from its target square. It does not guard a square by being on it: the squares that it attacks
    /// count only for other pieces.
    #[inline(always)]
    fn arriving(&self, kind: usize, to: Square, guarded: Bitboard) -> i16 {
        let place = self.places[kind][usize::from(to) & 63];
        let check = if self.checks[kind].contains(to) {
            60
        } else {
            0
        };
        place + check - self.danger(kind, to, guarded)
    }

    /// What a check gains, if one of the squares gives it.
    #[inline(always)]
    fn check_on(&self, kind: usize, squares: Bitboard) -> i16 {
        if (self.checks[kind] & squares).any() {
            CHECK
        } else {
            0
        }
    }

    /// The gain of a capture on a square; en passant it is a pawn.
    fn taking(&self, to: Square) -> i16 {
        let taken = self.board.role_at(to).unwrap_or(Role::Pawn);
        WORTH[taken as usize & 7] + if self.last == Some(to) { 150 } else { 0 }
    }

    /// Yields every move that movement allows and whose score is at least `least`.
    #[inline(always)]
    fn each(&self, pieces: &[PieceAttacks], least: i16, mut give: impl FnMut(i16, Move)) {
        let (board, them) = (self.board, self.board.them());
        for &PieceAttacks { role, from, seen } in pieces {
            let kind = role as usize & 7;
            let leaving =
                self.danger(kind, from, self.guarded) - self.places[kind][usize::from(from) & 63];
            if role == Role::Pawn {
                let row = usize::from(from) >> 3 ^ board.turn().fold_wb(0, 7);
                let most =
                    leaving + MOST_OF_PAWN[row & 7] + self.check_on(kind, from.file().into());
                if most >= least || (seen & (them | self.passed)).any() {
                    self.each_of_pawn(from, leaving, seen, &mut |score, m| {
                        if score >= least {
                            give(score, m);
                        }
                    });
                }
                continue;
            }
            for to in seen & them {
                let score = leaving + self.arriving(kind, to, self.twice) + self.taking(to);
                if score >= least {
                    give(score, Move::normal(role, from, to, true, None));
                }
            }
            let free = seen & !board.occupied();
            // Most pieces have no such move.
            if leaving + MOST[kind] + self.check_on(kind, free) < least {
                continue;
            }
            for to in free {
                let score = leaving + self.arriving(kind, to, self.twice);
                if score >= least {
                    give(score, Move::normal(role, from, to, false, None));
                }
            }
        }
        for side in CastlingSide::ALL {
            if let Some(m) = board.find_castle(side).filter(|_| least <= CASTLING) {
                give(CASTLING, m);
            }
        }
    }

    fn each_of_pawn(
        &self,
        from: Square,
        leaving: i16,
        seen: Bitboard,
        give: &mut impl FnMut(i16, Move),
    ) {
        const PAWN: usize = Role::Pawn as usize;
        let board = self.board;
        let mut arrive = |to: Square, score: i16, is_capture: bool| {
            let normal = |promotion| Move::normal(Role::Pawn, from, to, is_capture, promotion);
            if !Bitboard::BACKRANKS.contains(to) || to.rank() == board.turn().backrank() {
                give(score, normal(None));
                return;
            }
            for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                give(score + WORTH[role as usize & 7] - 100, normal(Some(role)));
            }
        };
        for to in seen & board.them() {
            let score = leaving + self.arriving(PAWN, to, self.twice) + self.taking(to);
            arrive(to, score, true);
        }
        let step = board.turn().fold_wb(8, -8);
        let second = board.turn().fold_wb(Rank::Second, Rank::Seventh);
        let ahead = |at: Square| at.offset(step).filter(|to| !board.occupied().contains(*to));
        if let Some(to) = ahead(from) {
            arrive(to, leaving + self.arriving(PAWN, to, self.guarded), false);
            if let Some(to) = ahead(to).filter(|_| from.rank() == second) {
                arrive(to, leaving + self.arriving(PAWN, to, self.guarded), false);
            }
        }
        for to in seen & self.passed {
            let score = leaving + self.arriving(PAWN, to, self.twice) + self.taking(to);
            give(score, Move::en_passant(from, to));
        }
    }

    /// How likely a move of a piece seems.
    fn score(&self, m: Move) -> i16 {
        if m.is_castle() {
            return CASTLING;
        }
        let (kind, from, to) = (m.role() as usize & 7, m.from(), m.to());
        let is_straight = m.role() == Role::Pawn && from.file() == to.file();
        let guarded = if is_straight {
            self.guarded
        } else {
            self.twice
        };
        let leaving = self.danger(kind, from, self.guarded);
        let mut score = leaving - self.places[kind][usize::from(from) & 63];
        score += self.arriving(kind, to, guarded);
        if m.is_capture() {
            score += self.taking(to);
        }
        if let Some(role) = m.promotion() {
            score += WORTH[role as usize & 7] - 100;
        }
        score
    }
}

/// The score of castling.
const CASTLING: i16 = 150;

/// The squares that a piece attacks.
fn seen(role: Role, color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => pawn_attacks(color, from),
        Role::Knight => knight_attacks(from),
        Role::Bishop => bishop_attacks(from, occupied),
        Role::Rook => rook_attacks(from, occupied),
        Role::Queen => bishop_attacks(from, occupied) | rook_attacks(from, occupied),
        Role::King => king_attacks(from),
    }
}

/// The squares and the promotion of a move in 15 bits; castling is king takes rook.
fn code(m: Move) -> u32 {
    let promotion = m.promotion().map_or(0, |role| role as u32);
    u32::from(m.from()) | u32::from(m.to()) << 6 | promotion << 12
}

/// Keys sort the higher score first, and no two moves have the same key.
fn key(score: i16, m: Move) -> u32 {
    let score = (i32::from(score) + 4096).max(0).unsigned_abs();
    score << 15 | (!code(m) & 0x7fff)
}

/// Ranks the moves of positions; memory is reused.
#[derive(Debug, Default)]
pub(super) struct MoveRanker {
    pieces: Vec<PieceAttacks>,
    moves: Vec<(u32, Move)>,
}

impl MoveRanker {
    /// The index of a legal move among the legal ones, from 0; `None` for a move that is not legal. `last` is the target
    /// square of the previous move.
    pub(super) fn rank(&mut self, board: &Board, m: Move, last: Option<Square>) -> Option<usize> {
        if !board.is_legal(m) {
            return None;
        }
        let looks = AttackMaps::of(board, last, &mut self.pieces);
        let own = looks.score(m);
        let mut before = 0;
        looks.each(&self.pieces, own, |score, other| {
            let is_before = score > own || code(other) < code(m);
            before += usize::from(is_before && board.is_legal(other));
        });
        Some(before)
    }

    /// The legal move with an index.
    pub(super) fn at(&mut self, board: &Board, rank: usize, last: Option<Square>) -> Option<Move> {
        let looks = AttackMaps::of(board, last, &mut self.pieces);
        self.moves.clear();
        looks.each(&self.pieces, i16::MIN, |score, m| {
            self.moves.push((key(score, m), m));
        });
        let mut left = rank;
        loop {
            let next = (0..).zip(&self.moves).max_by_key(|(_, (key, _))| *key);
            let (at, m) = next.map(|(at, (_, m))| (at, *m))?;
            self.moves.swap_remove(at);
            if board.is_legal(m) {
                if left == 0 {
                    return Some(m);
                }
                left -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_that_movement_allows_is_given_once_with_its_score() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R w KQkq d6 0 1",
            "r3k2r/1P6/8/8/3Pp3/8/p5p1/R3K2R b KQkq d3 0 1",
            "2r1k3/8/8/8/8/8/8/1RK4R w BH - 0 1",
            "4k3/8/8/8/8/5n2/4q3/4K3 w - - 0 1",
            "P3k2p/8/8/8/8/8/8/p3K2P w - - 0 1",
            "P3k2p/8/8/8/8/8/8/p3K2P b - - 0 1",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "QQQQQQQQ/QQQQQQQQ/8/8/QQQQQQQQ/8/8/k6K w - - 0 1",
        ] {
            let (board, _) = Board::from_fen(fen).expect("a position");
            let mut expected = Vec::new();
            board.pseudo_legal_moves(&mut expected);
            for last in [None, Some(Square::D5), Some(Square::E4)] {
                let mut ranking = MoveRanker::default();
                let looks = AttackMaps::of(&board, last, &mut ranking.pieces);
                let mut given = Vec::new();
                looks.each(&ranking.pieces, i16::MIN, |score, m| {
                    assert_eq!(score, looks.score(m), "{fen}: {m:?}");
                    given.push(m);
                });
                let mut all = given.clone();
                all.sort_unstable();
                expected.sort_unstable();
                assert_eq!(all, expected, "{fen}");
                for least in [-300, -20, 0, 15, 40, 300] {
                    let mut some = Vec::new();
                    looks.each(&ranking.pieces, least, |_, m| some.push(m));
                    given.retain(|m| looks.score(*m) >= least);
                    assert_eq!(some, given, "{fen}: from {least} on");
                }
            }
        }
    }
}
