//! Move numbers: the format stores the place of a move in its own list of pseudo-legal moves.
//!
//! The list is never built. Squares are looked at file by file; each man that is passed over is only counted, and the
//! one that holds the wanted number is expanded.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, CastlingSide, Color, Role, Square};
use tabiya_model::{Board, Move};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;
/// The moves to the last rank, in order.
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// File and rank steps of a king, in order.
const KING: [(i32, i32); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
/// File and rank steps of a knight, in order.
const KNIGHT: [(i32, i32); 8] = [
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];
/// Directions of a queen, in order; a bishop has the first four, a rook the last four.
const QUEEN: [(i32, i32); 8] = [
    (-1, -1),
    (1, -1),
    (1, 1),
    (-1, 1),
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
];

/// What a number means.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Numbered {
    /// A move; the king's safety and castling rights were not asked.
    Move(Move),
    /// An en passant entry that is counted and can never be played.
    Phantom,
    /// There are fewer moves than that: so many.
    Beyond(u32),
}

/// The variable of en passant: 0, or the file from 1 of the last double step. Castling does not clear it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct EnPassant(u8);

impl EnPassant {
    /// The variable at the start of a game; files that do not exist count as none.
    pub fn new(file: u8) -> EnPassant {
        EnPassant(if file <= 8 { file } else { 0 })
    }

    /// The variable after a move.
    #[inline]
    pub fn after(self, m: Move) -> EnPassant {
        let (from, to) = (u32::from(m.from()), u32::from(m.to()));
        if m.is_castle() {
            self
        } else if m.role() == Role::Pawn && from ^ to == 16 {
            // Only double steps stay in their file two ranks away, and bit 4 differs between ranks 2 and 4, 7 and 5.
            EnPassant(u8::try_from(from & 7).unwrap_or(0) + 1)
        } else {
            EnPassant(0)
        }
    }
}

/// A position as the counting needs it.
struct Counter<'a> {
    board: &'a Board,
    us: u64,
    occupied: u64,
    /// Squares that men may go to: not the own men's, not the other king's.
    targets: u64,
    /// Men that may be taken.
    prey: u64,
    turn: Color,
    pawns: u64,
    en_passant: u32,
}

impl<'a> Counter<'a> {
    #[inline]
    fn new(board: &'a Board, en_passant: EnPassant) -> Counter<'a> {
        let us = u64::from(board.us());
        let them = u64::from(board.them());
        let kings = u64::from(board.by_role(Role::King));
        Counter {
            board,
            us,
            occupied: us | them,
            targets: !us & !(them & kings),
            prey: them & !kings,
            turn: board.turn(),
            pawns: us & u64::from(board.by_role(Role::Pawn)),
            en_passant: u32::from(en_passant.0),
        }
    }

    /// The number of moves of the man on a square.
    #[inline]
    fn count(&self, from: Square) -> u32 {
        if self.pawns & 1 << u32::from(from) != 0 {
            return self.pawn(from).count();
        }
        let occupied = Bitboard(self.occupied);
        let reached = match self.board.role_at(from) {
            Some(Role::Knight) => knight_attacks(from),
            Some(Role::Bishop) => bishop_attacks(from, occupied),
            Some(Role::Rook) => rook_attacks(from, occupied),
            Some(Role::Queen) => bishop_attacks(from, occupied) | rook_attacks(from, occupied),
            Some(Role::King) => {
                let castles = CastlingSide::ALL
                    .into_iter()
                    .filter(|side| self.castle(from, *side).is_some());
                let steps = king_attacks(from) & Bitboard(self.targets);
                return u32::try_from(steps.count() + castles.count()).unwrap_or(0);
            }
            Some(Role::Pawn) | None => return 0,
        };
        (u64::from(reached) & self.targets).count_ones()
    }

    /// Castling of the king on a square: rights and attacks do not matter.
    #[inline]
    fn castle(&self, king: Square, side: CastlingSide) -> Option<Move> {
        let home = self.turn.fold_wb(Square::E1, Square::E8);
        if king != home {
            return None;
        }
        let shift = 8 * self.turn.fold_wb(0, 7);
        let (way, rook): (u64, Square) = match side {
            CastlingSide::KingSide => (0x60, self.turn.fold_wb(Square::H1, Square::H8)),
            CastlingSide::QueenSide => (0x0e, self.turn.fold_wb(Square::A1, Square::A8)),
        };
        let rooks = self.us & u64::from(self.board.by_role(Role::Rook));
        let stands = rooks & 1 << u32::from(rook) != 0;
        (stands && self.occupied & way << shift == 0).then(|| Move::castle(king, rook))
    }

    /// What a pawn can do.
    #[inline]
    fn pawn(&self, from: Square) -> Pawn {
        let at = 1_u64 << u32::from(from);
        let free = !self.occupied;
        let file = u32::from(from.file());
        let forward = |set: u64| match self.turn {
            Color::White => set << 8,
            Color::Black => set >> 8,
        };
        let single = forward(at);
        let single_free = single & free != 0;
        let (second, last, fifth) = match self.turn {
            Color::White => (RANK_1 << 8, RANK_1 << 56, RANK_1 << 32),
            Color::Black => (RANK_1 << 48, RANK_1, RANK_1 << 24),
        };
        let left = single >> 1 & !(FILE_A << 7);
        let right = single << 1 & !FILE_A;
        let in_passing = at & fifth != 0;
        Pawn {
            each: if single & last != 0 { 4 } else { 1 },
            double: single_free && at & second != 0 && forward(single) & free != 0,
            single: single_free,
            left: left & self.prey != 0,
            right: right & self.prey != 0,
            pass_left: in_passing && file == self.en_passant,
            pass_right: in_passing && file + 2 == self.en_passant,
        }
    }

    /// Move `number` (from 1) of the man on a square, which has at least so many.
    fn expand(&self, from: Square, number: u32) -> Numbered {
        let Some(role) = self.board.role_at(from) else {
            return Numbered::Phantom;
        };
        match role {
            Role::Pawn => self.expand_pawn(from, number),
            Role::King => {
                let mut steps = 0;
                for to in steps_from(from, &KING) {
                    if self.is_target(to) {
                        steps += 1;
                        if steps == number {
                            return self.plain(role, from, to);
                        }
                    }
                }
                for side in CastlingSide::ALL {
                    if let Some(m) = self.castle(from, side) {
                        steps += 1;
                        if steps == number {
                            return Numbered::Move(m);
                        }
                    }
                }
                Numbered::Phantom
            }
            Role::Knight => {
                let mut steps = 0;
                for to in steps_from(from, &KNIGHT) {
                    if self.is_target(to) {
                        steps += 1;
                        if steps == number {
                            return self.plain(role, from, to);
                        }
                    }
                }
                Numbered::Phantom
            }
            Role::Bishop | Role::Rook | Role::Queen => {
                let mut left = number;
                for direction in directions(role) {
                    let (mut at, mut steps) = (from, 0);
                    while let Some(to) = offset(at, *direction) {
                        if !self.is_target(to) {
                            break;
                        }
                        steps += 1;
                        if steps == left {
                            return self.plain(role, from, to);
                        }
                        if self.occupied & 1 << u32::from(to) != 0 {
                            break;
                        }
                        at = to;
                    }
                    left -= steps;
                }
                Numbered::Phantom
            }
        }
    }

    fn expand_pawn(&self, from: Square, number: u32) -> Numbered {
        let pawn = self.pawn(from);
        let mut left = number;
        for kind in PAWN_KINDS {
            let count = pawn.count_of(kind);
            if left > count {
                left -= count;
                continue;
            }
            let Some(to) = offset(from, kind.step(self.turn)) else {
                return Numbered::Phantom;
            };
            if matches!(kind, PawnKind::PassLeft | PawnKind::PassRight) {
                return if self.board.ep_square() == Some(to) {
                    Numbered::Move(Move::en_passant(from, to))
                } else {
                    Numbered::Phantom
                };
            }
            let capture = matches!(kind, PawnKind::Left | PawnKind::Right);
            let promotion = (pawn.each == 4 && kind != PawnKind::Double)
                .then(|| PROMOTIONS.get(left as usize - 1).copied())
                .flatten();
            return Numbered::Move(Move::normal(Role::Pawn, from, to, capture, promotion));
        }
        Numbered::Phantom
    }

    /// The place of a move among those of its man, from 1.
    fn place(&self, m: Move) -> Option<u32> {
        let (from, to) = (m.from(), m.to());
        match m.role() {
            Role::Pawn => self.place_pawn(m),
            Role::King if m.is_castle() => {
                let steps = king_attacks(from) & Bitboard(self.targets);
                let mut place = u32::try_from(steps.count()).ok()?;
                for side in CastlingSide::ALL {
                    if let Some(castle) = self.castle(from, side) {
                        place += 1;
                        if castle == m {
                            return Some(place);
                        }
                    }
                }
                None
            }
            role @ (Role::King | Role::Knight) => {
                let steps = if role == Role::King { &KING } else { &KNIGHT };
                let mut place = 0;
                for square in steps_from(from, steps) {
                    if self.is_target(square) {
                        place += 1;
                        if square == to {
                            return Some(place);
                        }
                    }
                }
                None
            }
            role @ (Role::Bishop | Role::Rook | Role::Queen) => {
                let mut place = 0;
                for direction in directions(role) {
                    let mut at = from;
                    while let Some(square) = offset(at, *direction) {
                        if !self.is_target(square) {
                            break;
                        }
                        place += 1;
                        if square == to {
                            return Some(place);
                        }
                        if self.occupied & 1 << u32::from(square) != 0 {
                            break;
                        }
                        at = square;
                    }
                }
                None
            }
        }
    }

    fn place_pawn(&self, m: Move) -> Option<u32> {
        let pawn = self.pawn(m.from());
        let mut place = 0;
        for kind in PAWN_KINDS {
            let count = pawn.count_of(kind);
            let passes = matches!(kind, PawnKind::PassLeft | PawnKind::PassRight);
            if count > 0
                && passes == m.is_en_passant()
                && offset(m.from(), kind.step(self.turn)) == Some(m.to())
            {
                return match (m.promotion(), count) {
                    (None, 1) => Some(place + 1),
                    (Some(role), 4) => {
                        let at = PROMOTIONS.iter().position(|r| *r == role)?;
                        Some(place + u32::try_from(at).ok()? + 1)
                    }
                    _ => None,
                };
            }
            place += count;
        }
        None
    }

    #[inline]
    fn is_target(&self, to: Square) -> bool {
        self.targets & 1 << u32::from(to) != 0
    }

    #[inline]
    fn plain(&self, role: Role, from: Square, to: Square) -> Numbered {
        let capture = self.occupied & 1 << u32::from(to) != 0;
        Numbered::Move(Move::normal(role, from, to, capture, None))
    }
}

/// Which of its moves a pawn has.
struct Pawn {
    /// 4 where it goes to the last rank, else 1.
    each: u32,
    double: bool,
    single: bool,
    left: bool,
    right: bool,
    pass_left: bool,
    pass_right: bool,
}

/// A pawn's moves in their order; left and right are White's.
#[derive(Copy, Clone, PartialEq, Eq)]
enum PawnKind {
    Double,
    Single,
    Left,
    Right,
    PassLeft,
    PassRight,
}

const PAWN_KINDS: [PawnKind; 6] = [
    PawnKind::Double,
    PawnKind::Single,
    PawnKind::Left,
    PawnKind::Right,
    PawnKind::PassLeft,
    PawnKind::PassRight,
];

impl PawnKind {
    fn step(self, turn: Color) -> (i32, i32) {
        let forward = turn.fold_wb(1, -1);
        match self {
            PawnKind::Double => (0, 2 * forward),
            PawnKind::Single => (0, forward),
            PawnKind::Left | PawnKind::PassLeft => (-1, forward),
            PawnKind::Right | PawnKind::PassRight => (1, forward),
        }
    }
}

impl Pawn {
    #[inline]
    fn count(&self) -> u32 {
        let several = u32::from(self.single) + u32::from(self.left) + u32::from(self.right);
        u32::from(self.double)
            + several * self.each
            + u32::from(self.pass_left)
            + u32::from(self.pass_right)
    }

    fn count_of(&self, kind: PawnKind) -> u32 {
        match kind {
            PawnKind::Double => u32::from(self.double),
            PawnKind::Single => u32::from(self.single) * self.each,
            PawnKind::Left => u32::from(self.left) * self.each,
            PawnKind::Right => u32::from(self.right) * self.each,
            PawnKind::PassLeft => u32::from(self.pass_left),
            PawnKind::PassRight => u32::from(self.pass_right),
        }
    }
}

fn directions(role: Role) -> &'static [(i32, i32)] {
    match role {
        Role::Bishop => &QUEEN[..4],
        Role::Rook => &QUEEN[4..],
        _ => &QUEEN,
    }
}

/// The square that is a step away, on the board.
#[inline]
fn offset(from: Square, (files, ranks): (i32, i32)) -> Option<Square> {
    let file = i32::from(from.file()) + files;
    let rank = i32::from(from.rank()) + ranks;
    ((0..8).contains(&file) && (0..8).contains(&rank))
        .then(|| u32::try_from(rank * 8 + file).ok().map(Square::new))
        .flatten()
}

fn steps_from(from: Square, steps: &'static [(i32, i32)]) -> impl Iterator<Item = Square> {
    steps.iter().filter_map(move |step| offset(from, *step))
}

/// The lowest square of a set that is not empty.
#[inline]
fn lowest(set: u64) -> Square {
    Square::new(set.trailing_zeros() & 63)
}

/// The move of a number, from 1.
pub fn move_of(board: &Board, en_passant: EnPassant, number: u32) -> Numbered {
    let counter = Counter::new(board, en_passant);
    let mut left = number;
    for file in 0..8 {
        let mut men = counter.us & FILE_A << file;
        while men != 0 {
            let from = lowest(men);
            let count = counter.count(from);
            if left <= count {
                return counter.expand(from, left);
            }
            left -= count;
            men &= men - 1;
        }
    }
    Numbered::Beyond(number - left)
}

/// The number of a move, from 1; `None` where the list does not have it.
pub fn number_of(board: &Board, en_passant: EnPassant, m: Move) -> Option<u32> {
    let counter = Counter::new(board, en_passant);
    let from = m.from();
    if m.is_null()
        || counter.us & 1 << u32::from(from) == 0
        || board.role_at(from) != Some(m.role())
    {
        return None;
    }
    let mut number = 0;
    let file = u32::from(from.file());
    let here = 1_u64 << u32::from(from);
    for earlier in 0..=file {
        let mut men = counter.us & FILE_A << earlier;
        if earlier == file {
            men &= here - 1;
        }
        while men != 0 {
            number += counter.count(lowest(men));
            men &= men - 1;
        }
    }
    Some(number + counter.place(m)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(fen: &str, file: u8) -> Vec<String> {
        let (board, _) = Board::from_fen(fen).expect("a position");
        let en_passant = EnPassant::new(file);
        let mut list = Vec::new();
        for number in 1.. {
            match move_of(&board, en_passant, number) {
                Numbered::Move(m) => {
                    assert_eq!(number_of(&board, en_passant, m), Some(number), "{m:?}");
                    let mut text = Vec::new();
                    board.write_uci(
                        m,
                        tabiya_model::board::CastlingStyle::KingTakesRook,
                        &mut text,
                    );
                    list.push(String::from_utf8(text).expect("ASCII"));
                }
                Numbered::Phantom => list.push("-".to_owned()),
                Numbered::Beyond(count) => {
                    assert_eq!(count as usize, list.len());
                    break;
                }
            }
        }
        list
    }

    #[test]
    fn the_normal_start() {
        let list = all(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            0,
        );
        assert_eq!(
            list.join(" "),
            "a2a4 a2a3 b1a3 b1c3 b2b4 b2b3 c2c4 c2c3 d2d4 d2d3 e2e4 e2e3 f2f4 f2f3 g1f3 g1h3 g2g4 g2g3 h2h4 h2h3"
        );
    }

    #[test]
    fn castling_needs_no_right_and_kings_are_not_taken() {
        let list = all("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", 0);
        assert!(list.ends_with(&["h1h8".to_owned()]));
        let king: Vec<_> = list.iter().filter(|m| m.starts_with("e1")).collect();
        assert_eq!(
            king,
            ["e1d1", "e1d2", "e1e2", "e1f1", "e1f2", "e1h1", "e1a1"]
        );
        let list = all("k7/8/8/8/8/8/8/R3K3 w - - 0 1", 0);
        assert_eq!(list.iter().filter(|m| m.starts_with("a1")).count(), 9);
    }

    #[test]
    fn promotions_and_both_sides_of_a_pawn() {
        let list = all("n1n4k/1P6/8/8/8/8/8/K7 w - - 0 1", 0);
        assert_eq!(
            list.join(" "),
            "a1a2 a1b1 a1b2 b7b8q b7b8r b7b8b b7b8n b7a8q b7a8r b7a8b b7a8n b7c8q b7c8r b7c8b b7c8n"
        );
        let list = all("k7/8/8/8/8/8/1p6/N1N4K b - - 0 1", 0);
        assert_eq!(
            list.join(" "),
            "a8a7 a8b7 a8b8 b2b1q b2b1r b2b1b b2b1n b2a1q b2a1r b2a1b b2a1n b2c1q b2c1r b2c1b b2c1n"
        );
    }

    #[test]
    fn phantoms_of_en_passant() {
        // The a-pawn has one whenever there was no double step.
        assert_eq!(
            all("7k/8/8/P7/8/8/8/7K w - - 0 1", 0).join(" "),
            "a5a6 - h1g1 h1g2 h1h2"
        );
        assert_eq!(
            all("7k/8/8/P7/8/8/8/7K w - - 0 1", 4).join(" "),
            "a5a6 h1g1 h1g2 h1h2"
        );
        // A true one, and beside the same file on the other side.
        assert_eq!(
            all("7k/8/8/2PpP3/8/8/8/7K w - d6 0 1", 4).join(" "),
            "c5c6 c5d6 e5e6 e5d6 h1g1 h1g2 h1h2"
        );
        // The same with nothing to take.
        assert_eq!(
            all("7k/8/8/2P1P3/8/8/8/7K w - - 0 1", 4).join(" "),
            "c5c6 - e5e6 - h1g1 h1g2 h1h2"
        );
        assert_eq!(
            all("7k/8/8/8/p1pPp2p/8/8/7K b - d3 0 1", 4).join(" "),
            "a4a3 c4c3 c4d3 e4e3 e4d3 h4h3 h8g7 h8g8 h8h7"
        );
    }
}
