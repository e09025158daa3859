//! A second decoder, written from the specification alone: a mailbox by files, lists of squares, no bit tricks. It shares no
//! code with reader or writer but the table of disguises.

use tabiya_formats::cbh::tables::{CHESS960, COMPACT};

/// A piece: its kind (1 king, 2 queen, 3 knight, 4 bishop, 5 rook, 6 pawn), and whether it is black.
type PieceKind = (u8, bool);

/// A move in the order of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The move before it; nothing for the start.
    pub(super) parent: Option<usize>,
    /// Squares by files, and what a pawn becomes (2 queen, 3 knight, 4 bishop, 5 rook).
    pub(super) squares: Option<(usize, usize, u8)>,
}

/// An annotation as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) place: i32,
    pub(super) kind: u8,
    pub(super) payload: Vec<u8>,
}

pub(super) fn be(bytes: &[u8], at: usize, length: usize) -> usize {
    let field = bytes.get(at..at + length).expect("a number in the file");
    field
        .iter()
        .fold(0, |sum, byte| sum * 256 + usize::from(*byte))
}

pub(super) fn le(bytes: &[u8], at: usize) -> i64 {
    let field: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
    i64::from(i32::from_le_bytes(field))
}

#[derive(Clone)]
struct Position {
    pieces: [Option<PieceKind>; 64],
    /// Numbered pieces by kind and side, at most three of a kind; of pawns eight places.
    lists: Vec<(PieceKind, Vec<usize>)>,
    pawns: [[Option<usize>; 8]; 2],
    black: bool,
    /// In Chess960: White's rook on the king's side and the queen's, then Black's.
    rooks: Option<[usize; 4]>,
}

impl Position {
    fn of(pieces: [Option<PieceKind>; 64], black: bool, rooks: Option<[usize; 4]>) -> Position {
        let mut position = Position {
            pieces,
            lists: Vec::new(),
            pawns: [[None; 8]; 2],
            black,
            rooks,
        };
        let mut pawns = [0, 0];
        for (square, piece) in pieces.into_iter().enumerate() {
            match piece {
                Some((6, side)) => {
                    if let Some(slot) =
                        position.pawns[usize::from(side)].get_mut(pawns[usize::from(side)])
                    {
                        *slot = Some(square);
                    }
                    pawns[usize::from(side)] += 1;
                }
                Some(piece) => position.enlist(piece, square),
                None => {}
            }
        }
        position
    }

    fn standard() -> Position {
        let back = [5, 3, 4, 2, 1, 4, 3, 5];
        let mut pieces = [None; 64];
        for (file, kind) in back.into_iter().enumerate() {
            pieces[file * 8] = Some((kind, false));
            pieces[file * 8 + 1] = Some((6, false));
            pieces[file * 8 + 6] = Some((6, true));
            pieces[file * 8 + 7] = Some((kind, true));
        }
        Position::of(pieces, false, None)
    }

    fn enlist(&mut self, piece: PieceKind, square: usize) {
        match self.lists.iter_mut().find(|(own, _)| *own == piece) {
            Some((_, list)) if list.len() < 3 => list.push(square),
            Some(_) => {}
            None => self.lists.push((piece, vec![square])),
        }
    }

    fn list(&mut self, piece: PieceKind) -> &mut Vec<usize> {
        let at = self
            .lists
            .iter()
            .position(|(own, _)| *own == piece)
            .expect("such a man");
        &mut self.lists[at].1
    }

    /// Takes whoever stands on a square off the board.
    fn take(&mut self, square: usize) {
        let Some(piece) = self.pieces[square].take() else {
            return;
        };
        if piece.0 == 6 {
            for slot in &mut self.pawns[usize::from(piece.1)] {
                if *slot == Some(square) {
                    *slot = None;
                }
            }
        } else {
            self.list(piece).retain(|own| *own != square);
        }
    }

    fn shift(&mut self, from: usize, to: usize) {
        let piece = self.pieces[from].take().expect("a man moves");
        self.pieces[to] = Some(piece);
        if piece.0 == 6 {
            for slot in &mut self.pawns[usize::from(piece.1)] {
                if *slot == Some(from) {
                    *slot = Some(to);
                }
            }
        } else {
            for own in self.list(piece).iter_mut().filter(|own| **own == from) {
                *own = to;
            }
        }
    }

    fn castle(&mut self, rook: usize, short: bool) {
        let king = self.list_of_king();
        let rank = king % 8;
        let (king_piece, rook_piece) = (self.pieces[king].take(), self.pieces[rook].take());
        assert_eq!(rook_piece, Some((5, self.black)), "a rook to castle with");
        let (king_to, rook_to) = match short {
            true => (6 * 8 + rank, 5 * 8 + rank),
            false => (2 * 8 + rank, 3 * 8 + rank),
        };
        assert!(self.pieces[king_to].is_none() && self.pieces[rook_to].is_none());
        self.pieces[king_to] = king_piece;
        self.pieces[rook_to] = rook_piece;
        let black = self.black;
        *self.list((1, black)) = vec![king_to];
        for own in self.list((5, black)).iter_mut().filter(|own| **own == rook) {
            *own = rook_to;
        }
    }

    fn list_of_king(&mut self) -> usize {
        let black = self.black;
        self.list((1, black))[0]
    }

    /// Plays from square to square, with what a pawn becomes.
    fn play(&mut self, from: usize, to: usize, promotion: u8) {
        let (kind, black) = self.pieces[from].expect("a man moves");
        assert_eq!(black, self.black, "the side to move");
        assert!(
            self.pieces[to].is_none_or(|piece| piece.1 != black),
            "no own man is taken"
        );
        if kind == 6 && from / 8 != to / 8 && self.pieces[to].is_none() {
            let passed = to / 8 * 8 + from % 8;
            assert_eq!(
                self.pieces[passed],
                Some((6, !black)),
                "a pawn that has passed"
            );
            self.take(passed);
        }
        self.take(to);
        if promotion == 0 {
            self.shift(from, to);
        } else {
            self.take(from);
            self.pieces[to] = Some((promotion, black));
            self.enlist((promotion, black), to);
        }
    }

    /// Where a code leads: the squares of the move.
    fn squares(&mut self, code: u8) -> (usize, usize) {
        let code = usize::from(code);
        let black = self.black;
        let way = |from: usize, files: i32, ranks: i32| {
            let file = (from as i32 / 8 + files).rem_euclid(8);
            let rank = (from as i32 % 8 + ranks).rem_euclid(8);
            (from, (file * 8 + rank) as usize)
        };
        // First code, how many, kind, number.
        let blocks = [
            (1, 8, 1, 0),
            (11, 28, 2, 0),
            (39, 14, 5, 0),
            (53, 14, 5, 1),
            (67, 14, 4, 0),
            (81, 14, 4, 1),
            (95, 8, 3, 0),
            (103, 8, 3, 1),
            (143, 28, 2, 1),
            (171, 28, 2, 2),
            (199, 14, 5, 2),
            (213, 14, 4, 2),
            (227, 8, 3, 2),
        ];
        if (111..143).contains(&code) {
            let from = self.pawns[usize::from(black)][(code - 111) / 4].expect("such a pawn");
            let forward = if black { -1 } else { 1 };
            let (files, ranks) = [(0, 1), (0, 2), (1, 1), (-1, 1)][(code - 111) % 4];
            let to = way(from, files * forward, ranks * forward);
            assert!(
                (0..8).contains(&(from as i32 / 8 + files * forward)),
                "on the board"
            );
            return to;
        }
        let (first, _, kind, number) = *blocks
            .iter()
            .find(|(first, count, _, _)| (*first..first + count).contains(&code))
            .unwrap_or_else(|| panic!("code {code}"));
        let k = code - first;
        let from = self.list((kind, black))[number];
        let s = (k % 7) as i32 + 1;
        let line = |group: usize| match group {
            0 => (0, s),
            1 => (s, 0),
            2 => (s, s),
            _ => (s, -s),
        };
        let (files, ranks) = match kind {
            1 => [
                (0, 1),
                (1, 1),
                (1, 0),
                (1, -1),
                (0, -1),
                (-1, -1),
                (-1, 0),
                (-1, 1),
            ][k],
            2 | 5 => line(k / 7),
            4 => line(2 + k / 7),
            _ => [
                (2, 1),
                (1, 2),
                (-1, 2),
                (-2, 1),
                (-2, -1),
                (-1, -2),
                (1, -2),
                (2, -1),
            ][k],
        };
        way(from, files, ranks)
    }
}

/// The start of a record, and where its moves begin.
fn start(record: &[u8]) -> (Position, usize) {
    if record[0] & 64 == 0 {
        return (Position::standard(), 4);
    }
    let bytes = &record[4..32];
    let mut bits = bytes[4..]
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let mut pieces = [None; 64];
    for piece in &mut pieces {
        if bits.next() == Some(1) {
            let black = bits.next() == Some(1);
            let kind = (0..3).fold(0, |sum, _| sum * 2 + bits.next().expect("a bit"));
            *piece = Some((kind, black));
        }
    }
    assert!(bits.all(|bit| bit == 0), "padding");
    let is_chess960 = record[0] & 63 == 10;
    let rooks = is_chess960.then(|| [2, 3, 4, 5].map(|at| usize::from(record[32 + at])));
    let black = bytes[1] & 16 != 0;
    (
        Position::of(pieces, black, rooks),
        if is_chess960 { 40 } else { 32 },
    )
}

/// The moves of a record of `.cbg`, in its order.
pub(super) fn moves(record: &[u8]) -> Vec<Step> {
    let (mut position, mut at) = start(record);
    let mode = record[0] & 63;
    let mut steps: Vec<Step> = Vec::new();
    let mut later = Vec::new();
    let mut now = None;
    loop {
        let n = (steps.len() % 256) as u8;
        let mut next = || {
            let byte = record[at];
            at += 1;
            match mode {
                0 => COMPACT[usize::from(byte.wrapping_sub(n))],
                10 => CHESS960[usize::from(byte)].wrapping_sub(n),
                mode => panic!("mode {mode}"),
            }
        };
        let code = next();
        let squares = match code {
            254 => {
                later.push((position.clone(), now));
                continue;
            }
            255 => match later.pop() {
                Some((before, step)) => {
                    (position, now) = (before, step);
                    continue;
                }
                None => {
                    assert_eq!(at, record.len(), "nothing follows");
                    return steps;
                }
            },
            0 => None,
            9 | 10 => {
                let king = position.list_of_king();
                assert_eq!(king / 8, 4, "the king is on its file");
                let rook = if code == 9 { 56 } else { 0 } + king % 8;
                position.castle(rook, code == 9);
                Some((king, rook, 0))
            }
            235 => {
                let word = usize::from(next()) * 256 + usize::from(next());
                let (from, to) = (word % 64, word / 64 % 64);
                if from == to {
                    let short = from / 8 == 6;
                    let side = usize::from(position.black) * 2 + usize::from(!short);
                    let rook = position.rooks.expect("Chess960")[side];
                    let king = position.list_of_king();
                    position.castle(rook, short);
                    Some((king, rook, 0))
                } else {
                    let is_pawn = position.pieces[from].expect("a man").0 == 6;
                    let is_last = to % 8 == if position.black { 0 } else { 7 };
                    let promotion = match is_pawn && is_last {
                        true => [2, 5, 4, 3][word / 4096 % 4],
                        false => 0,
                    };
                    position.play(from, to, promotion);
                    Some((from, to, promotion))
                }
            }
            code => {
                let (from, to) = position.squares(code);
                position.play(from, to, 0);
                Some((from, to, 0))
            }
        };
        position.black = !position.black;
        steps.push(Step {
            parent: now,
            squares,
        });
        now = Some(steps.len() - 1);
    }
}

/// The annotations of a record of `.cba`, whose head is looked at.
pub(super) fn notes(record: &[u8], game: usize) -> Vec<Note> {
    assert_eq!(be(record, 0, 3), game);
    assert_eq!(record[3..7], [1, 0, 14, 14]);
    assert_eq!(be(record, 10, 4), record.len());
    let mut notes = Vec::new();
    let mut at = 14;
    while at < record.len() {
        let size = be(record, at + 4, 2);
        let place = be(record, at, 3) as i32;
        notes.push(Note {
            place: if place >= 1 << 23 {
                place - (1 << 24)
            } else {
                place
            },
            kind: record[at + 3],
            payload: record[at + 6..at + size].to_vec(),
        });
        at += size;
    }
    assert_eq!(be(record, 7, 3), notes.len() + 1);
    assert!(notes.is_sorted_by_key(|note| note.place), "by their places");
    notes
}
