//! Bytes and typed records of the files of games: `.cbh`, and the headers of the records of `.cbg` and `.cba`.
//!
//! Nothing here is interpreted: a field has the value in the file.

use shakmaty::{Bitboard, CastlingSide, Color, Piece, Role, Setup, Square};
use tabiya_model::board::Board;
use tabiya_model::date::Date;
use tabiya_model::eco::EcoCode;
use tabiya_model::outcome::Outcome;

/// The length of the header of `.cbh` and of each of its records.
pub const RECORD: usize = 46;

/// The header of `.cbh`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhFileHeader {
    /// 36 in files of the oldest programs, 44 in the others.
    pub word: u16,
    /// The size of a record, which is 46.
    pub record_size: u16,
    /// One more than the number of records.
    pub next: u32,
    /// The same again; 0 in the oldest files.
    pub next_again: u32,
}

impl CbhFileHeader {
    /// Reads the header; `None` if the file is shorter.
    pub fn decode(bytes: &[u8]) -> Option<CbhFileHeader> {
        let bytes = bytes.first_chunk::<RECORD>()?;
        Some(CbhFileHeader {
            word: u16::from_be_bytes([bytes[1], bytes[2]]),
            record_size: u16::from_be_bytes([bytes[3], bytes[4]]),
            next: be32(bytes, 6),
            next_again: be32(bytes, 40),
        })
    }

    /// Whether the constants are those of this format.
    pub fn is_known(&self) -> bool {
        matches!(self.word, 36 | 44) && usize::from(self.record_size) == RECORD
    }
}

#[inline(always)]
fn be32(bytes: &[u8; RECORD], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[inline(always)]
fn be24(bytes: &[u8; RECORD], at: usize) -> u32 {
    u32::from_be_bytes([0, bytes[at], bytes[at + 1], bytes[at + 2]])
}

#[inline(always)]
fn be16(bytes: &[u8; RECORD], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// The kind of a record of `.cbh`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CbhRecordKind {
    /// A game.
    Game,
    /// A guiding text.
    Text,
    /// An unknown kind: the bit of live records is not set.
    Unknown,
}

/// A date of three parts, each 0 if it is not known.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CbhDate(pub u32);

impl CbhDate {
    /// The year.
    #[inline]
    pub fn year(self) -> u16 {
        (self.0 >> 9 & 0xfff) as u16
    }

    /// The month.
    #[inline]
    pub fn month(self) -> u8 {
        (self.0 >> 5 & 15) as u8
    }

    /// The day.
    #[inline]
    pub fn day(self) -> u8 {
        (self.0 & 31) as u8
    }

    /// Whether no part is known.
    #[inline]
    pub fn is_unknown(self) -> bool {
        self.0 & 0x1f_ffff == 0
    }

    /// The date of the model.
    #[inline]
    pub fn date(self) -> Date {
        Date::from_numbers(self.year(), self.month(), self.day())
    }
}

/// The flag of a start position of the game's own.
pub const FLAG_SETUP: u32 = 1;
/// The flag of variations.
pub const FLAG_VARIATIONS: u32 = 1 << 1;
/// The flag of chess by other rules, such as Chess960.
pub const FLAG_UNORTHODOX: u32 = 1 << 27;

/// The record of a game in `.cbh`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CbhGameRecord {
    /// The byte that distinguishes games, texts and deleted records.
    pub kind: u8,
    /// The offset of its moves in `.cbg`.
    pub moves: u32,
    /// The offset of its annotations in `.cba`; 0 for none.
    pub annotations: u32,
    /// Numbers of White and Black in `.cbp`.
    pub players: [u32; 2],
    /// Its tournament in `.cbt`.
    pub tournament: u32,
    /// Its annotator in `.cbc`.
    pub annotator: u32,
    /// Its source in `.cbs`.
    pub source: u32,
    /// When it was played.
    pub date: CbhDate,
    /// Its result.
    pub result: u8,
    /// The NAG of a line, 0 for none.
    pub line_nag: u8,
    /// The round and the part after the point, 0 if missing.
    pub round: [u8; 2],
    /// Ratings of White and Black, 0 for none.
    pub ratings: [u16; 2],
    /// ECO code, or start position of Chess960.
    pub eco: u16,
    /// Medals of the game.
    pub medals: u16,
    /// The kinds of its annotations.
    pub flags: u32,
    /// How many of them, roughly.
    pub magnitude: u16,
    /// Move numbers of the main line, at most 255.
    pub move_count: u8,
}

/// The first value of [`CbhGameRecord::eco`] that is a start position of Chess960.
const CHESS960_ECO: u16 = 65_536_u32.wrapping_sub(960) as u16;

impl CbhGameRecord {
    /// Reads a record.
    #[inline]
    pub fn decode(bytes: &[u8; RECORD]) -> CbhGameRecord {
        CbhGameRecord {
            kind: bytes[0],
            moves: be32(bytes, 1),
            annotations: be32(bytes, 5),
            players: [be24(bytes, 9), be24(bytes, 12)],
            tournament: be24(bytes, 15),
            annotator: be24(bytes, 18),
            source: be24(bytes, 21),
            date: CbhDate(be24(bytes, 24)),
            result: bytes[27],
            line_nag: bytes[28],
            round: [bytes[29], bytes[30]],
            ratings: [be16(bytes, 31), be16(bytes, 33)],
            eco: be16(bytes, 35),
            medals: be16(bytes, 37),
            flags: be32(bytes, 39),
            magnitude: be16(bytes, 43),
            move_count: bytes[45],
        }
    }

    /// The bytes of the record.
    pub fn encode(&self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[0] = self.kind;
        put(&mut bytes, 1, &self.moves.to_be_bytes());
        put(&mut bytes, 5, &self.annotations.to_be_bytes());
        for (at, id) in [
            (9, self.players[0]),
            (12, self.players[1]),
            (15, self.tournament),
            (18, self.annotator),
            (21, self.source),
            (24, self.date.0),
        ] {
            put24(&mut bytes, at, id);
        }
        put(
            &mut bytes,
            27,
            &[self.result, self.line_nag, self.round[0], self.round[1]],
        );
        for (at, word) in [
            (31, self.ratings[0]),
            (33, self.ratings[1]),
            (35, self.eco),
            (37, self.medals),
            (43, self.magnitude),
        ] {
            put(&mut bytes, at, &word.to_be_bytes());
        }
        put(&mut bytes, 39, &self.flags.to_be_bytes());
        bytes[45] = self.move_count;
        bytes
    }

    /// Notes the number of a start position of Chess960, in the place of the opening.
    pub fn set_chess960(&mut self, number: u16) {
        self.eco = CHESS960_ECO.saturating_add(number);
    }

    /// Notes an ECO code with its sub-code.
    pub fn set_eco(&mut self, code: EcoCode, sub: u8) {
        self.eco = (code.index() + 1) << 7 | u16::from(sub & 127);
    }

    /// The number of a start position of Chess960.
    #[inline]
    pub fn chess960(&self) -> Option<u16> {
        self.eco.checked_sub(CHESS960_ECO)
    }

    /// The ECO code without its sub-code, and the sub-code; `None` if there is none.
    #[inline]
    pub fn eco(&self) -> Option<(EcoCode, u8)> {
        if self.eco >= CHESS960_ECO {
            return None;
        }
        let code = EcoCode::from_index((self.eco >> 7).checked_sub(1)?)?;
        Some((code, (self.eco & 127) as u8))
    }
}

/// The record of a guiding text in `.cbh`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CbhTextRecord {
    /// The byte that distinguishes games, texts and deleted records.
    pub kind: u8,
    /// The offset of its body in `.cbg`.
    pub body: u32,
    /// Its tournament in `.cbt`.
    pub tournament: u32,
    /// Its source in `.cbs`.
    pub source: u32,
    /// Its author in `.cbc`.
    pub annotator: u32,
    /// The round and the part after the point.
    pub round: [u8; 2],
    /// Whether it has sound, pictures, videos.
    pub flags: u32,
}

impl CbhTextRecord {
    /// Reads a record.
    #[inline]
    pub fn decode(bytes: &[u8; RECORD]) -> CbhTextRecord {
        CbhTextRecord {
            kind: bytes[0],
            body: be32(bytes, 1),
            tournament: be24(bytes, 7),
            source: be24(bytes, 10),
            annotator: be24(bytes, 13),
            round: [bytes[16], bytes[17]],
            flags: be32(bytes, 18),
        }
    }
}

impl CbhTextRecord {
    /// The bytes of the record.
    pub fn encode(&self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[0] = self.kind;
        put(&mut bytes, 1, &self.body.to_be_bytes());
        for (at, id) in [
            (7, self.tournament),
            (10, self.source),
            (13, self.annotator),
        ] {
            put24(&mut bytes, at, id);
        }
        put(&mut bytes, 16, &self.round);
        put(&mut bytes, 18, &self.flags.to_be_bytes());
        bytes
    }
}

fn put(bytes: &mut [u8; RECORD], at: usize, field: &[u8]) {
    if let Some(to) = bytes.get_mut(at..at + field.len()) {
        to.copy_from_slice(field);
    }
}

fn put24(bytes: &mut [u8; RECORD], at: usize, number: u32) {
    let [_, a, b, c] = number.to_be_bytes();
    put(bytes, at, &[a, b, c]);
}

/// A record of `.cbh`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CbhRecord {
    /// A game.
    Game(CbhGameRecord),
    /// A guiding text.
    Text(CbhTextRecord),
    /// Something else, with its first byte.
    Unknown(u8),
}

impl CbhRecord {
    /// Reads a record.
    #[inline]
    pub fn decode(bytes: &[u8; RECORD]) -> CbhRecord {
        match kind_of(bytes[0]) {
            CbhRecordKind::Game => CbhRecord::Game(CbhGameRecord::decode(bytes)),
            CbhRecordKind::Text => CbhRecord::Text(CbhTextRecord::decode(bytes)),
            CbhRecordKind::Unknown => CbhRecord::Unknown(bytes[0]),
        }
    }

    /// Whether it is marked as deleted.
    #[inline]
    pub fn is_deleted(&self) -> bool {
        let kind = match self {
            CbhRecord::Game(game) => game.kind,
            CbhRecord::Text(text) => text.kind,
            CbhRecord::Unknown(kind) => *kind,
        };
        kind & 0x80 != 0
    }
}

/// The kind of a record by its first byte.
#[inline]
pub fn kind_of(byte: u8) -> CbhRecordKind {
    match byte & 3 {
        1 => CbhRecordKind::Game,
        2 | 3 => CbhRecordKind::Text,
        _ => CbhRecordKind::Unknown,
    }
}

/// The result of a game that is a line.
pub const LINE: u8 = 3;

/// A result of the model, and its own name if the model's is less exact.
pub fn outcome(result: u8) -> (Outcome, Option<&'static str>) {
    match result {
        0 => (Outcome::BlackWins, None),
        1 => (Outcome::Draw, None),
        2 => (Outcome::WhiteWins, None),
        LINE => (Outcome::Unknown, None),
        4 => (Outcome::BlackWins, Some("-:+")),
        5 => (Outcome::Draw, Some("=:=")),
        6 => (Outcome::WhiteWins, Some("+:-")),
        7 => (Outcome::Unknown, Some("0-0")),
        _ => (Outcome::Unknown, Some("unknown")),
    }
}

/// The header of `.cbg` and `.cba`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhDataHeader {
    /// Its length, after which the records begin: 10 or 26.
    pub length: u16,
    /// The size of the file stored last, 0 if the header is too short for one.
    pub size: u64,
}

impl CbhDataHeader {
    /// Reads the header; `None` if the file is shorter.
    pub fn decode(bytes: &[u8]) -> Option<CbhDataHeader> {
        let head = bytes.first_chunk::<10>()?;
        let length = u16::from_be_bytes([head[0], head[1]]);
        let mut size = u64::from(u32::from_be_bytes([head[2], head[3], head[4], head[5]]));
        if length >= 18
            && let Some(wide) = bytes.get(10..18).and_then(<[u8]>::first_chunk::<8>)
        {
            size = u64::from_be_bytes(*wide);
        }
        Some(CbhDataHeader { length, size })
    }
}

/// The header of a record of `.cbg`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhMoveHead {
    /// The byte with the mode and the mark of a start position.
    pub flags: u8,
    /// The size of the whole record.
    pub size: u32,
}

impl CbhMoveHead {
    /// The length of the head.
    pub const LENGTH: usize = 4;

    /// Reads the head.
    #[inline]
    pub fn decode(bytes: &[u8]) -> Option<CbhMoveHead> {
        let [flags, a, b, c] = *bytes.first_chunk::<4>()?;
        Some(CbhMoveHead {
            flags,
            size: u32::from_be_bytes([0, a, b, c]),
        })
    }

    /// How the moves are written.
    #[inline]
    pub fn mode(self) -> u8 {
        self.flags & 63
    }

    /// Whether it is the body of a guiding text.
    #[inline]
    pub fn is_text(self) -> bool {
        self.flags & 0x80 != 0
    }

    /// Whether a start position follows.
    #[inline]
    pub fn has_start(self) -> bool {
        self.flags & 64 != 0
    }
}

/// A start position as 28 bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhStartRecord {
    /// The number of a version, which is 1.
    pub version: u8,
    /// The en passant file, from 1; 0 for none.
    pub ep_file: u8,
    /// The side to move.
    pub turn: Color,
    /// The rights: White's long and short castling, then Black's, from the lowest bit.
    pub castling: u8,
    /// The number of the first move; 0 means 1.
    pub move_number: u8,
    /// The piece on each square, numbered by files from a1 to h8.
    pub pieces: [Option<Piece>; 64],
}

/// The roles by their numbers in start positions.
const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Pawn,
];

/// The square of a number that counts by files.
#[inline]
pub fn square_by_files(number: u8) -> Option<Square> {
    (number < 64).then(|| Square::new(u32::from(number & 7) << 3 | u32::from(number >> 3)))
}

/// The number of a square that counts by files.
#[inline]
pub fn number_by_files(square: Square) -> u8 {
    let index = u32::from(square).to_le_bytes()[0];
    (index & 7) << 3 | index >> 3
}

impl CbhStartRecord {
    /// The length of a start position.
    pub const LENGTH: usize = 28;

    /// What there is room for of a board. Rights are those of rooks wherever they stand.
    pub fn of(board: &Board) -> CbhStartRecord {
        let mut pieces = [None; 64];
        for (piece, number) in pieces.iter_mut().zip(0_u8..) {
            *piece = square_by_files(number).and_then(|square| board.piece_at(square));
        }
        let mut castling = 0;
        for (color, side, bit) in [
            (Color::White, CastlingSide::QueenSide, 1),
            (Color::White, CastlingSide::KingSide, 2),
            (Color::Black, CastlingSide::QueenSide, 4),
            (Color::Black, CastlingSide::KingSide, 8),
        ] {
            if board.castling_rook(color, side).is_some() {
                castling |= bit;
            }
        }
        let ep_file = board.ep_square().map_or(0, |square| {
            u32::from(square.file()).to_le_bytes()[0].saturating_add(1)
        });
        CbhStartRecord {
            version: 1,
            ep_file,
            turn: board.turn(),
            castling,
            move_number: u8::try_from(board.fullmoves()).unwrap_or(u8::MAX),
            pieces,
        }
    }

    /// The bytes; nothing where there are too many pieces for them.
    pub fn encode(&self) -> Option<[u8; 28]> {
        let mut bytes = [0; 28];
        let turn = if self.turn.is_black() { 16 } else { 0 };
        bytes[..4].copy_from_slice(&[
            self.version,
            self.ep_file & 15 | turn,
            self.castling,
            self.move_number,
        ]);
        let mut at = 0_usize;
        let mut push = |value: u8, count: usize| -> Option<()> {
            for bit in (0..count).rev() {
                let byte = bytes.get_mut(4 + at / 8)?;
                *byte |= (value >> bit & 1) << (7 - at % 8);
                at += 1;
            }
            Some(())
        };
        for piece in self.pieces {
            let Some(piece) = piece else {
                push(0, 1)?;
                continue;
            };
            let role = ROLES
                .iter()
                .zip(1_u8..)
                .find(|(role, _)| **role == piece.role);
            let color = if piece.color.is_black() { 8 } else { 0 };
            push(16 | color | role.map_or(0, |(_, number)| number), 5)?;
        }
        Some(bytes)
    }

    /// Reads a starting position; `None` if a piece has an unknown number.
    pub fn decode(bytes: &[u8; 28]) -> Option<CbhStartRecord> {
        let mut pieces = [None; 64];
        let mut at = 0_usize;
        let mut bits = |count: usize| -> Option<u8> {
            let mut value = 0;
            for _ in 0..count {
                let byte = bytes.get(4 + at / 8)?;
                value = value << 1 | (byte >> (7 - at % 8) & 1);
                at += 1;
            }
            Some(value)
        };
        for piece in &mut pieces {
            if bits(1)? == 0 {
                continue;
            }
            let color = Color::from_white(bits(1)? == 0);
            let role = usize::from(bits(3)?).checked_sub(1)?;
            let role = *ROLES.get(role)?;
            *piece = Some(Piece { color, role });
        }
        Some(CbhStartRecord {
            version: bytes[0],
            ep_file: bytes[1] & 15,
            turn: Color::from_white(bytes[1] & 16 == 0),
            castling: bytes[2],
            move_number: bytes[3],
            pieces,
        })
    }

    /// The position without castling rights and en passant square.
    pub fn setup(&self) -> Setup {
        let mut setup = Setup::empty();
        for (piece, number) in self.pieces.iter().zip(0_u8..) {
            if let (Some(piece), Some(square)) = (piece, square_by_files(number)) {
                setup.board.set_piece_at(square, *piece);
            }
        }
        setup.turn = self.turn;
        setup.castling_rights = Bitboard::EMPTY;
        setup.fullmoves = std::num::NonZeroU32::new(u32::from(self.move_number))
            .unwrap_or(std::num::NonZeroU32::MIN);
        setup
    }
}

/// The record after the starting position of Chess960.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhChess960Record {
    /// Squares (by files) of White's and Black's king.
    pub kings: [u8; 2],
    /// Squares (by files) of the rooks: White's on the king's side, on the queen's side, then Black's.
    pub rooks: [u8; 4],
    /// The number of the start position, which is often wrong.
    pub number: u16,
}

impl CbhChess960Record {
    /// Its length.
    pub const LENGTH: usize = 8;

    /// That of a board; a rook without a right is the outermost one on its side of the king.
    pub fn of(board: &Board) -> CbhChess960Record {
        let mut kings = [0; 2];
        let mut rooks = [0; 4];
        for ((color, king), pair) in [Color::White, Color::Black]
            .into_iter()
            .zip(&mut kings)
            .zip(rooks.as_chunks_mut::<2>().0)
        {
            let at = board.king_of(color);
            *king = at.map_or(0, number_by_files);
            let back = color.fold_wb(shakmaty::Rank::First, shakmaty::Rank::Eighth);
            let on_back = |file: u32| Square::from_coords(shakmaty::File::new(file), back);
            let is_rook = |square: &Square| board.piece_at(*square) == Some(color.rook());
            for (side, rook) in [CastlingSide::KingSide, CastlingSide::QueenSide]
                .into_iter()
                .zip(pair)
            {
                let outermost = || match side {
                    CastlingSide::KingSide => (0..8).rev().map(on_back).find(is_rook),
                    CastlingSide::QueenSide => (0..8).map(on_back).find(is_rook),
                };
                let named = board.castling_rook(color, side).or_else(outermost);
                *rook = named.map_or(0, number_by_files);
            }
        }
        CbhChess960Record {
            kings,
            rooks,
            number: chess960_number(board).unwrap_or(0),
        }
    }

    /// Its bytes.
    pub fn encode(&self) -> [u8; 8] {
        let mut bytes = [0; 8];
        bytes[..2].copy_from_slice(&self.kings);
        bytes[2..6].copy_from_slice(&self.rooks);
        bytes[6..].copy_from_slice(&self.number.to_be_bytes());
        bytes
    }

    /// Reads it.
    pub fn decode(bytes: &[u8; 8]) -> CbhChess960Record {
        CbhChess960Record {
            kings: [bytes[0], bytes[1]],
            rooks: [bytes[2], bytes[3], bytes[4], bytes[5]],
            number: u16::from_be_bytes([bytes[6], bytes[7]]),
        }
    }
}

/// The number of a start position of Chess960; nothing for other positions.
pub fn chess960_number(board: &Board) -> Option<u16> {
    let black = |role| Piece {
        color: Color::Black,
        role,
    };
    let mut back = [Role::Pawn; 8];
    for (role, file) in back.iter_mut().zip(0_u32..) {
        let at = |rank| board.piece_at(Square::from_coords(shakmaty::File::new(file), rank));
        let white = at(shakmaty::Rank::First)?;
        if white.color.is_black() || at(shakmaty::Rank::Eighth)? != black(white.role) {
            return None;
        }
        *role = white.role;
    }
    let pawns = board.by_role(Role::Pawn);
    if pawns != (Bitboard::from(shakmaty::Rank::Second) | Bitboard::from(shakmaty::Rank::Seventh))
        || board.occupied().count() != 32
    {
        return None;
    }
    let places = |wanted: Role| -> Vec<u16> {
        let of_kind = back.iter().zip(0..).filter(|(role, _)| **role == wanted);
        of_kind.map(|(_, place)| place).collect()
    };
    let &[first, second] = places(Role::Bishop).as_slice() else {
        return None;
    };
    let (dark, light) = match (first % 2, second % 2) {
        (0, 1) => (first, second),
        (1, 0) => (second, first),
        _ => return None,
    };
    // The places of the others count without those that have been given away.
    let rest: Vec<Role> = back
        .iter()
        .copied()
        .filter(|role| *role != Role::Bishop)
        .collect();
    let queen = u16::try_from(rest.iter().position(|role| *role == Role::Queen)?).ok()?;
    let rest: Vec<Role> = rest
        .into_iter()
        .filter(|role| *role != Role::Queen)
        .collect();
    let knights: Vec<usize> = (0..rest.len())
        .filter(|at| rest.get(*at) == Some(&Role::Knight))
        .collect();
    let pairs = [
        [0, 1],
        [0, 2],
        [0, 3],
        [0, 4],
        [1, 2],
        [1, 3],
        [1, 4],
        [2, 3],
        [2, 4],
        [3, 4],
    ];
    let pair = u16::try_from(pairs.iter().position(|pair| knights == pair)?).ok()?;
    let others: Vec<Role> = rest
        .into_iter()
        .filter(|role| *role != Role::Knight)
        .collect();
    (others == [Role::Rook, Role::King, Role::Rook])
        .then_some((light - 1) / 2 + 4 * (dark / 2) + 16 * queen + 96 * pair)
}

/// The header of the annotations of a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhAnnotationHead {
    /// The number of the game.
    pub game: u32,
    /// The mark of such records.
    pub mark: [u8; 4],
    /// One more than the number of items.
    pub items: u32,
    /// The size of the whole record.
    pub size: u32,
}

impl CbhAnnotationHead {
    /// The length of the head.
    pub const LENGTH: usize = 14;
    /// The mark in every record.
    pub const MARK: [u8; 4] = [1, 0, 14, 14];

    /// The bytes of the head.
    pub fn encode(&self) -> [u8; 14] {
        let mut bytes = [0; 14];
        bytes[..3].copy_from_slice(&self.game.to_be_bytes()[1..]);
        bytes[3..7].copy_from_slice(&self.mark);
        bytes[7..10].copy_from_slice(&self.items.to_be_bytes()[1..]);
        bytes[10..].copy_from_slice(&self.size.to_be_bytes());
        bytes
    }

    /// Reads the head.
    pub fn decode(bytes: &[u8]) -> Option<CbhAnnotationHead> {
        let bytes = bytes.first_chunk::<{ CbhAnnotationHead::LENGTH }>()?;
        Some(CbhAnnotationHead {
            game: u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]),
            mark: [bytes[3], bytes[4], bytes[5], bytes[6]],
            items: u32::from_be_bytes([0, bytes[7], bytes[8], bytes[9]]),
            size: u32::from_be_bytes([bytes[10], bytes[11], bytes[12], bytes[13]]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_count_by_files() {
        assert_eq!(square_by_files(0), Some(Square::A1));
        assert_eq!(square_by_files(1), Some(Square::A2));
        assert_eq!(square_by_files(8), Some(Square::B1));
        assert_eq!(square_by_files(63), Some(Square::H8));
        assert_eq!(square_by_files(64), None);
    }

    #[test]
    fn a_game_is_read_field_by_field() {
        let mut bytes = [0; RECORD];
        for (byte, value) in bytes.iter_mut().zip(0..) {
            *byte = value;
        }
        bytes[0] = 0x81;
        bytes[35..37].copy_from_slice(&((434_u16) << 7 | 12).to_be_bytes());
        let CbhRecord::Game(game) = CbhRecord::decode(&bytes) else {
            panic!("a game");
        };
        assert!(CbhRecord::Game(game).is_deleted());
        assert_eq!(game.moves, 0x0102_0304);
        assert_eq!(game.annotations, 0x0506_0708);
        assert_eq!(game.players, [0x09_0a0b, 0x0c_0d0e]);
        assert_eq!(game.source, 0x15_1617);
        assert_eq!(game.date.0, 0x18_191a);
        assert_eq!((game.result, game.line_nag), (27, 28));
        assert_eq!(game.round, [29, 30]);
        assert_eq!(game.ratings, [0x1f20, 0x2122]);
        assert_eq!(game.medals, 0x2526);
        assert_eq!(game.flags, 0x2728_292a);
        assert_eq!((game.magnitude, game.move_count), (0x2b2c, 45));
        let (eco, sub) = game.eco().expect("a code");
        assert_eq!((eco.to_string(), sub), ("E33".to_owned(), 12));
        let mut game = game;
        game.eco = 65_535;
        assert_eq!((game.chess960(), game.eco()), (Some(959), None));
        game.eco = 127;
        assert_eq!((game.chess960(), game.eco()), (None, None));
    }

    #[test]
    fn a_start_position_is_read_bit_by_bit() {
        let mut bytes = [0; 28];
        bytes[..4].copy_from_slice(&[1, 0x13, 9, 40]);
        // A white rook on a1, an empty square, a black pawn on a3.
        bytes[4] = 0b1010_1011;
        bytes[5] = 0b1100_0000;
        let start = CbhStartRecord::decode(&bytes).expect("a position");
        assert_eq!((start.ep_file, start.turn), (3, Color::Black));
        assert_eq!((start.castling, start.move_number), (9, 40));
        assert_eq!(start.pieces[0], Some(Color::White.rook()));
        assert_eq!(start.pieces[1], None);
        assert_eq!(start.pieces[2], Some(Color::Black.pawn()));
        assert_eq!(start.pieces.iter().flatten().count(), 2);
        bytes[4] = 0b1011_1000;
        assert_eq!(CbhStartRecord::decode(&bytes), None);
    }
}
