//! A second decoder, written from the specification alone: a mailbox board, lists of moves, no bit tricks. It shares no code
//! with the reader.

use std::path::Path;

use tabiya_formats::cbf::CbfReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::board::CastlingStyle;
use tabiya_model::{Database, Game, GameNeeds, Replay, TapeOp};

use crate::cbf::shared;

/// A piece: 0 for none, else its code on a set-up board (1 king, 2 queen, 3 knight, 4 bishop, 5 rook, 6 pawn; Black + 8).
type PieceCode = u8;

#[derive(Clone)]
struct Position {
    /// By file, then rank.
    pieces: [[PieceCode; 8]; 8],
    black: bool,
    /// The en passant variable.
    e: i32,
}

/// From, to, promotion, and the kind: 0 ordinary, 1 castling, 2 en passant.
type Step = ((i32, i32), (i32, i32), PieceCode, u8);

impl Position {
    fn standard() -> Position {
        let back = [5, 3, 4, 2, 1, 4, 3, 5];
        let mut pieces = [[0; 8]; 8];
        for (file, piece) in back.into_iter().enumerate() {
            pieces[file] = [piece, 6, 0, 0, 0, 0, 14, piece + 8];
        }
        Position {
            pieces,
            black: false,
            e: 0,
        }
    }

    fn at(&self, file: i32, rank: i32) -> Option<PieceCode> {
        if (0..8).contains(&file) && (0..8).contains(&rank) {
            Some(self.pieces[file as usize][rank as usize])
        } else {
            None
        }
    }

    fn is_own(&self, piece: PieceCode) -> bool {
        piece != 0 && (piece > 8) == self.black
    }

    /// Every entry of the list; `None` for a phantom.
    fn list(&self) -> Vec<Option<Step>> {
        let mut list = Vec::new();
        for file in 0..8 {
            for rank in 0..8 {
                let piece = self.at(file, rank).expect("on the board");
                if self.is_own(piece) {
                    self.moves_of(piece & 7, file, rank, &mut list);
                }
            }
        }
        list
    }

    fn moves_of(&self, kind: PieceCode, file: i32, rank: i32, list: &mut Vec<Option<Step>>) {
        let one = |list: &mut Vec<Option<Step>>, df: i32, dr: i32| -> bool {
            let (f, r) = (file + df, rank + dr);
            match self.at(f, r) {
                None => false,
                Some(piece) if self.is_own(piece) || piece & 7 == 1 => false,
                Some(piece) => {
                    list.push(Some(((file, rank), (f, r), 0, 0)));
                    piece == 0
                }
            }
        };
        let diagonals = [(-1, -1), (1, -1), (1, 1), (-1, 1)];
        let straight = [(-1, 0), (0, -1), (1, 0), (0, 1)];
        let ray = |list: &mut Vec<Option<Step>>, (df, dr): (i32, i32)| {
            let mut n = 1;
            while one(list, df * n, dr * n) {
                n += 1;
            }
        };
        match kind {
            1 => {
                for df in -1..=1 {
                    for dr in -1..=1 {
                        if (df, dr) != (0, 0) {
                            one(list, df, dr);
                        }
                    }
                }
                let home = if self.black { 7 } else { 0 };
                let rook = if self.black { 13 } else { 5 };
                if (file, rank) == (4, home) {
                    let empty = |files: &[i32]| files.iter().all(|f| self.at(*f, home) == Some(0));
                    if self.at(7, home) == Some(rook) && empty(&[5, 6]) {
                        list.push(Some(((4, home), (6, home), 0, 1)));
                    }
                    if self.at(0, home) == Some(rook) && empty(&[1, 2, 3]) {
                        list.push(Some(((4, home), (2, home), 0, 1)));
                    }
                }
            }
            2 => {
                for direction in diagonals.into_iter().chain(straight) {
                    ray(list, direction);
                }
            }
            3 => {
                for (df, dr) in [
                    (-2, -1),
                    (-2, 1),
                    (2, -1),
                    (2, 1),
                    (-1, -2),
                    (-1, 2),
                    (1, -2),
                    (1, 2),
                ] {
                    one(list, df, dr);
                }
            }
            4 => diagonals.into_iter().for_each(|d| ray(list, d)),
            5 => straight.into_iter().for_each(|d| ray(list, d)),
            _ => self.pawn(file, rank, list),
        }
    }

    fn pawn(&self, file: i32, rank: i32, list: &mut Vec<Option<Step>>) {
        let (forward, second, fifth, last) = if self.black {
            (-1, 6, 3, 0)
        } else {
            (1, 1, 4, 7)
        };
        let next = rank + forward;
        if rank == second
            && self.at(file, next) == Some(0)
            && self.at(file, next + forward) == Some(0)
        {
            list.push(Some(((file, rank), (file, next + forward), 0, 0)));
        }
        let mut push = |f: i32| {
            if next == last {
                for piece in [2, 5, 4, 3] {
                    list.push(Some(((file, rank), (f, next), piece, 0)));
                }
            } else {
                list.push(Some(((file, rank), (f, next), 0, 0)));
            }
        };
        if self.at(file, next) == Some(0) {
            push(file);
        }
        for side in [file - 1, file + 1] {
            if let Some(piece) = self.at(side, next)
                && piece != 0
                && !self.is_own(piece)
                && piece & 7 != 1
            {
                push(side);
            }
        }
        if rank == fifth {
            // Files of the variable are counted from 1.
            for side in [file - 1, file + 1] {
                if side + 1 == self.e {
                    let victim = if self.black { 6 } else { 14 };
                    let real =
                        self.at(side, next) == Some(0) && self.at(side, rank) == Some(victim);
                    list.push(real.then_some(((file, rank), (side, next), 0, 2)));
                }
            }
        }
    }

    fn play(&mut self, ((f, r), (tf, tr), promotion, special): Step) {
        let piece = self.pieces[f as usize][r as usize];
        self.pieces[f as usize][r as usize] = 0;
        let reached = if promotion == 0 {
            piece
        } else {
            promotion + (piece & 8)
        };
        self.pieces[tf as usize][tr as usize] = reached;
        let double = piece & 7 == 6 && (tr - r).abs() == 2;
        match special {
            1 => {
                let (from, to) = if tf == 6 { (7, 5) } else { (0, 3) };
                self.pieces[to][r as usize] = self.pieces[from][r as usize];
                self.pieces[from][r as usize] = 0;
            }
            2 => self.pieces[tf as usize][r as usize] = 0,
            _ => {}
        }
        if double {
            self.e = f + 1;
        } else if special != 1 {
            self.e = 0;
        }
        self.black = !self.black;
    }

    fn king_in_check(&self, black: bool) -> bool {
        let mut other = self.clone();
        let king = if black { 9 } else { 1 };
        let mut found = None;
        for file in 0..8 {
            for rank in 0..8 {
                if other.pieces[file][rank] == king {
                    found = Some((file as i32, rank as i32));
                    // A piece that may be captured replaces the king, which may not.
                    other.pieces[file][rank] = king + 4;
                }
            }
        }
        other.black = !black;
        other
            .list()
            .into_iter()
            .flatten()
            .any(|(_, to, _, special)| special == 0 && Some(to) == found)
    }
}

/// A game from the second decoder.
#[derive(PartialEq, Eq, Debug)]
struct Decoded {
    texts: Vec<u8>,
    words: Vec<String>,
    legal: bool,
}

fn word(step: Step) -> String {
    let ((f, r), (tf, tr), promotion, _) = step;
    let square =
        |f: i32, r: i32| format!("{}{}", (b'a' + f as u8) as char, (b'1' + r as u8) as char);
    let letter = [b' ', b' ', b'q', b'n', b'b', b'r'][promotion as usize] as char;
    format!("{}{}{letter}", square(f, r), square(tf, tr))
        .trim_end()
        .to_owned()
}

fn decode(record: &[u8]) -> Decoded {
    let mut head = record[..14].to_vec();
    let mut key = 101_u32;
    for byte in head.iter_mut().rev() {
        *byte ^= key as u8;
        key = key * 3 % 256;
    }
    let (players, source) = ((head[4] % 64) as usize, (head[5] % 64) as usize);
    head[11] ^= (14 + players + source) as u8;
    let mlen = head[2] as usize * 256 + head[3] as usize;
    let clen = head[6] as usize * 256 + head[7] as usize;
    let mut texts = record[14..14 + players + source].to_vec();
    let mut key = 3 * texts.len() % 256;
    for byte in texts.iter_mut().rev() {
        *byte ^= key as u8;
        key = key * 3 % 256;
    }
    let at = 14 + texts.len();
    let mut moves = record[at..at + mlen - 1].to_vec();
    let mut key = 49 * mlen % 256;
    for index in (1..mlen - 1).rev() {
        moves[index] ^= key as u8;
        key = key * 7 % 256;
    }
    let comments = &record[at + mlen - 1..at + mlen - 1 + clen];
    let mut position = Position::standard();
    if head[10] & 1 != 0 {
        let board = &record[at + mlen - 1 + clen..];
        for square in 0..64 {
            let byte = board[square / 2];
            let piece = if square % 2 == 0 {
                byte / 16
            } else {
                byte % 16
            };
            position.pieces[square % 8][square / 8] = piece;
        }
        position.black = head[10] & 2 != 0;
        position.e = i32::from(head[11] & 15);
    }
    let mut records = comments
        .split(|byte| *byte == 255)
        .skip(1)
        .map(<[u8]>::to_vec)
        .collect::<Vec<_>>();
    if comments.last() == Some(&255) {
        records.pop();
    }
    let end = moves
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(moves.len());
    let flagged = moves[..end]
        .iter()
        .filter(|byte| **byte > 128 && **byte < 255);
    let is_early = records.len() == flagged.count() + 1
        && records
            .last()
            .is_some_and(|r| r.len() > 4 && r.starts_with(&[0; 4]));
    let early = if is_early { records.pop() } else { None };
    let mut records = records.into_iter();
    let mut decoded = Decoded {
        texts,
        words: Vec::new(),
        legal: true,
    };
    if let Some(early) = early {
        decoded.words.push(format!("text {}", early.len() - 4));
    }
    let mut before = position.clone();
    let mut stack = Vec::new();
    for byte in moves {
        match byte {
            0xff => {
                stack.push((position, before.clone()));
                position = before.clone();
                decoded.words.push("(".to_owned());
            }
            0x80 => {
                (position, before) = stack.pop().expect("a variation");
                decoded.words.push(")".to_owned());
            }
            0 => break,
            byte => {
                let list = position.list();
                let step = list.get(byte as usize % 128 - 1).copied().flatten();
                let Some(step) = step else {
                    decoded.legal = false;
                    return decoded;
                };
                before = position.clone();
                position.play(step);
                if position.king_in_check(!position.black) {
                    decoded.legal = false;
                    return decoded;
                }
                decoded.words.push(word(step));
                if byte >= 128
                    && let Some(record) = records.next()
                {
                    for (class, code) in record.iter().take(3).enumerate() {
                        if *code != 0 {
                            decoded.words.push(format!("{class}:{code}"));
                        }
                    }
                    if record.len() > 4 {
                        decoded.words.push(format!("text {}", record.len() - 4));
                    }
                }
            }
        }
    }
    decoded
}

/// The same words from the game of the reader.
fn words_of(game: &Game) -> Vec<String> {
    let mut words = Vec::new();
    let mut replay = Replay::new(&game.start_board());
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                let mut text = Vec::new();
                replay
                    .now()
                    .write_uci(m, CastlingStyle::KingMoves, &mut text);
                if m.is_castle() {
                    text.clear();
                    text.extend(format!("{}{}", m.from(), m.king_target()).bytes());
                }
                words.push(String::from_utf8(text).expect("ASCII"));
            }
            TapeOp::Begin(_) => words.push("(".to_owned()),
            TapeOp::End => words.push(")".to_owned()),
            TapeOp::Comment(id) => {
                let length = game.tape.texts().original(id).len();
                words.push(format!("text {length}"));
            }
            _ => {}
        }
        replay.follow(op);
    }
    words
}

/// Compares both decoders on every complete game of a database.
pub(crate) fn compare(cbf: &Path) -> usize {
    let bytes = std::fs::read(cbf).expect("readable");
    let reader = CbfReader::open(cbf, &OpenOptions::default()).expect("opened");
    let mut compared = 0;
    let mut game = Game::default();
    for number in 1..=reader.len().expect("counted") {
        reader
            .read(number, GameNeeds::ALL, &mut game)
            .expect("read");
        let start = game.origin.byte as usize;
        let cut = game.diagnostics.count_of("cbf-record-cut") > 0;
        if game.origin.length == 0 || cut {
            continue;
        }
        let decoded = decode(&bytes[start..start + game.origin.length as usize]);
        // The other decoder stops at a king that is left in check.
        let illegal = ["cbf-illegal-move", "cbf-exposed-king"]
            .iter()
            .any(|code| game.diagnostics.count_of(code) > 0);
        assert_eq!(decoded.legal, !illegal, "game {number}");
        let mut words = words_of(&game);
        if illegal {
            words.truncate(decoded.words.len());
        }
        let moves_and_texts: Vec<_> = decoded
            .words
            .into_iter()
            .filter(|word| !word.contains(':'))
            .collect();
        assert_eq!(words, moves_and_texts, "{}, game {number}", cbf.display());
        compared += 1;
    }
    compared
}

#[test]
fn both_decoders_agree_on_the_oracles() {
    let Some(folder) = shared("oracles/cbf") else {
        return;
    };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("cbf"))
        {
            compared += compare(&path);
        }
    }
    assert!(compared > 150, "{compared} games");
}
