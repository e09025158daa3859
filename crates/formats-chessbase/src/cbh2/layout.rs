//! Bytes and typed records of `.2cbh`, and the frames in which `.2cbg` and `.2cba` hold moves, texts and annotations.
//!
//! Nothing here is interpreted: a field has the value in the file. Numbers are little-endian by default.

use tabiya_model::eco::EcoCode;

use crate::cbh::layout::CbhDate;

/// The length of the header of `.2cbh` and of each of its records.
pub const RECORD: usize = 192;
/// The length of the header of `.2cbg` and `.2cba`.
pub const DATA_HEADER: usize = 12;
/// The one version that is known.
pub const VERSION: u8 = 5;

/// An array of bytes at a place, zeros beyond the end.
fn at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    found.copied().unwrap_or([0; N])
}

#[inline(always)]
fn i64_at(bytes: &[u8; RECORD], place: usize) -> i64 {
    i64::from_le_bytes(at(bytes, place))
}

#[inline(always)]
fn i16_at(bytes: &[u8; RECORD], place: usize) -> i16 {
    i16::from_le_bytes(at(bytes, place))
}

#[inline(always)]
fn u16_at(bytes: &[u8; RECORD], place: usize) -> u16 {
    u16::from_le_bytes(at(bytes, place))
}

#[inline(always)]
fn u32_at(bytes: &[u8; RECORD], place: usize) -> u32 {
    u32::from_le_bytes(at(bytes, place))
}

/// The header of `.2cbh`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cbh2FileHeader {
    /// The size of a record, which is 192.
    pub record_size: i16,
    /// The version of the format, which is 5.
    pub version: u8,
    /// One more than the number of records.
    pub next: i32,
}

impl Cbh2FileHeader {
    /// Reads the header; `None` if the file is shorter.
    pub fn decode(bytes: &[u8]) -> Option<Cbh2FileHeader> {
        let bytes = bytes.first_chunk::<RECORD>()?;
        Some(Cbh2FileHeader {
            record_size: i16_at(bytes, 0x0a),
            version: bytes[0x0d],
            next: u32_at(bytes, 0x10).cast_signed(),
        })
    }

    /// Whether the constants are those of this format.
    pub fn is_known(&self) -> bool {
        usize::try_from(self.record_size).is_ok_and(|size| size == RECORD)
    }

    /// The header of a file with so many records.
    pub(super) fn encode(records: u32) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        put(&mut bytes, 0x08, &38_u16.to_le_bytes());
        put(&mut bytes, 0x0a, &(RECORD as u16).to_le_bytes());
        put(&mut bytes, 0x0d, &[VERSION]);
        put(&mut bytes, 0x10, &records.saturating_add(1).to_le_bytes());
        bytes
    }
}

/// Puts bytes into a field of a record.
fn put(record: &mut [u8], at: usize, field: &[u8]) {
    if let Some(to) = record.get_mut(at..at + field.len()) {
        to.copy_from_slice(field);
    }
}

/// A record with the bytes that every one begins with, and numbers of eight bytes behind them.
fn new_record(kind: u8, third: u8, numbers: &[i64]) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    put(&mut bytes, 0, &[kind, 0, third, kind & 0x7f]);
    for (number, at) in numbers.iter().zip((8..).step_by(8)) {
        put(&mut bytes, at, &number.to_le_bytes());
    }
    bytes
}

/// The kind of a rating.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Cbh2RatingKind {
    /// The kind in the low three bits (1 international, 2 national, 3 of a server), the speed above them.
    pub kind: i16,
    /// The number of the list.
    pub list: i16,
    /// The number of the nation.
    pub nation: i16,
    /// The rating organisation, padded with zeros.
    pub name: [u8; 8],
}

impl Cbh2RatingKind {
    /// The usual one.
    pub const FIDE: Cbh2RatingKind = Cbh2RatingKind {
        kind: 1,
        list: 1,
        nation: 0,
        name: *b"FIDE\0\0\0\0",
    };

    fn decode(bytes: &[u8; RECORD], place: usize) -> Cbh2RatingKind {
        Cbh2RatingKind {
            kind: i16_at(bytes, place),
            list: i16_at(bytes, place + 2),
            nation: i16_at(bytes, place + 4),
            name: at(bytes, place + 6),
        }
    }

    fn encode(&self, bytes: &mut [u8; RECORD], place: usize) {
        for (number, at) in [self.kind, self.list, self.nation].iter().zip([0, 2, 4]) {
            put(bytes, place + at, &number.to_le_bytes());
        }
        put(bytes, place + 6, &self.name);
    }

    /// The name without the padding.
    pub fn name(&self) -> &[u8] {
        let end = memchr::memchr(0, &self.name).unwrap_or(self.name.len());
        self.name.get(..end).unwrap_or(&[])
    }
}

/// The flag of a start position of the game's own.
pub const FLAG_SETUP: u32 = 1;
/// The flag of variations.
pub const FLAG_VARIATIONS: u32 = 1 << 1;
/// The flag of Chess960.
pub const FLAG_CHESS960: u32 = 1 << 27;

/// The record of a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Cbh2GameRecord {
    /// The byte that distinguishes texts, other and deleted records.
    pub kind: u8,
    /// The offset of its moves in `.2cbg`.
    pub moves: i64,
    /// The offset of its annotations in `.2cba`; there is always a record.
    pub annotations: i64,
    /// Numbers of White and Black among the players.
    pub players: [i64; 2],
    /// The number of its tournament.
    pub tournament: i64,
    /// The number of its annotator, who is a player.
    pub annotator: i64,
    /// The number of its source.
    pub source: i64,
    /// Numbers of White's and Black's team, -1 for none.
    pub teams: [i64; 2],
    /// The number of its title.
    pub title: i64,
    /// Its result.
    pub result: u8,
    /// The NAG of a line, 0 for none.
    pub line_nag: u8,
    /// Round, sub-round and board; 0 or less if missing.
    pub round: [i16; 3],
    /// Ratings of White and Black; 0 and less for none.
    pub ratings: [i16; 2],
    /// The kinds of these ratings.
    pub rating_kinds: [Cbh2RatingKind; 2],
    /// ECO code, or start position of Chess960.
    pub eco: u16,
    /// Medals of the game.
    pub medals: u16,
    /// The kinds of its annotations.
    pub flags: u32,
    /// How many of them, roughly.
    pub magnitude: u16,
    /// Move numbers of the main line.
    pub move_count: i16,
    /// The material at the end, the greater value first.
    pub material: [u32; 2],
    /// When it was made.
    pub created: i64,
    /// When it was changed, 0 for never.
    pub changed: i64,
    /// Points of the classification, whose layout is not known.
    pub scores: [u8; 6],
    /// How often it was saved.
    pub version: i32,
    /// When it was played.
    pub date: CbhDate,
}

/// The first value of [`Cbh2GameRecord::eco`] that is a start position of Chess960.
pub const CHESS960_ECO: u16 = 64_576;

impl Cbh2GameRecord {
    /// Reads a record.
    #[inline]
    pub fn decode(bytes: &[u8; RECORD]) -> Cbh2GameRecord {
        Cbh2GameRecord {
            kind: bytes[0],
            moves: i64_at(bytes, 0x08),
            annotations: i64_at(bytes, 0x10),
            players: [i64_at(bytes, 0x18), i64_at(bytes, 0x20)],
            tournament: i64_at(bytes, 0x28),
            annotator: i64_at(bytes, 0x30),
            source: i64_at(bytes, 0x38),
            teams: [i64_at(bytes, 0x40), i64_at(bytes, 0x48)],
            title: i64_at(bytes, 0x50),
            result: bytes[0x58],
            line_nag: bytes[0x59],
            round: [0x5a, 0x5c, 0x5e].map(|place| i16_at(bytes, place)),
            ratings: [i16_at(bytes, 0x60), i16_at(bytes, 0x70)],
            rating_kinds: [
                Cbh2RatingKind::decode(bytes, 0x62),
                Cbh2RatingKind::decode(bytes, 0x72),
            ],
            eco: u16_at(bytes, 0x80),
            medals: u16_at(bytes, 0x82),
            flags: u32_at(bytes, 0x84),
            magnitude: u16_at(bytes, 0x88),
            move_count: i16_at(bytes, 0x8a),
            material: [u32_at(bytes, 0x8c), u32_at(bytes, 0x90)],
            created: i64_at(bytes, 0x98),
            changed: i64_at(bytes, 0xa0),
            scores: at(bytes, 0xb0),
            version: u32_at(bytes, 0xb8).cast_signed(),
            date: CbhDate(u32_at(bytes, 0xbc)),
        }
    }

    /// The bytes of the record. Which endgames it has is not said.
    pub(super) fn encode(&self) -> [u8; RECORD] {
        let [white, black] = self.players;
        let [white_team, black_team] = self.teams;
        let mut bytes = new_record(
            self.kind,
            1,
            &[
                self.moves,
                self.annotations,
                white,
                black,
                self.tournament,
                self.annotator,
                self.source,
                white_team,
                black_team,
                self.title,
            ],
        );
        put(&mut bytes, 0x58, &[self.result, self.line_nag]);
        for (number, at) in self.round.iter().zip([0x5a, 0x5c, 0x5e]) {
            put(&mut bytes, at, &number.to_le_bytes());
        }
        for ((rating, kind), at) in self
            .ratings
            .iter()
            .zip(&self.rating_kinds)
            .zip([0x60, 0x70])
        {
            put(&mut bytes, at, &rating.to_le_bytes());
            kind.encode(&mut bytes, at + 2);
        }
        put(&mut bytes, 0x80, &self.eco.to_le_bytes());
        put(&mut bytes, 0x82, &self.medals.to_le_bytes());
        put(&mut bytes, 0x84, &self.flags.to_le_bytes());
        put(&mut bytes, 0x88, &self.magnitude.to_le_bytes());
        put(&mut bytes, 0x8a, &self.move_count.to_le_bytes());
        for (value, at) in self.material.iter().zip([0x8c, 0x90]) {
            put(&mut bytes, at, &value.to_le_bytes());
        }
        put(&mut bytes, 0x98, &self.created.to_le_bytes());
        put(&mut bytes, 0xa0, &self.changed.to_le_bytes());
        put(&mut bytes, 0xb0, &self.scores);
        put(&mut bytes, 0xb8, &self.version.to_le_bytes());
        put(&mut bytes, 0xbc, &self.date.0.to_le_bytes());
        bytes
    }

    /// Notes an ECO code with its sub-code.
    pub(super) fn set_eco(&mut self, code: EcoCode, sub: u8) {
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

    /// Whether the number of the code has no meaning.
    pub fn is_bad_eco(&self) -> bool {
        self.eco != 0 && self.eco().is_none() && self.chess960().is_none()
    }
}

/// The record of a guiding text.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Cbh2TextRecord {
    /// The byte that distinguishes texts, other and deleted records.
    pub kind: u8,
    /// The offset of its body in `.2cbg`.
    pub body: i64,
    /// The number of its tournament.
    pub tournament: i64,
    /// The number of its source.
    pub source: i64,
    /// The number of its author, who is a player.
    pub author: i64,
    /// The number of its title.
    pub title: i64,
    /// When it was made.
    pub created: i64,
    /// A number whose meaning is not known.
    pub media: i64,
    /// How often it was saved.
    pub version: i64,
}

impl Cbh2TextRecord {
    /// Reads a record.
    #[inline]
    pub fn decode(bytes: &[u8; RECORD]) -> Cbh2TextRecord {
        Cbh2TextRecord {
            kind: bytes[0],
            body: i64_at(bytes, 0x08),
            tournament: i64_at(bytes, 0x10),
            source: i64_at(bytes, 0x18),
            author: i64_at(bytes, 0x20),
            title: i64_at(bytes, 0x28),
            created: i64_at(bytes, 0x30),
            media: i64_at(bytes, 0x38),
            version: i64_at(bytes, 0x40),
        }
    }

    /// The bytes of the record.
    pub(super) fn encode(&self) -> [u8; RECORD] {
        let numbers = [
            self.body,
            self.tournament,
            self.source,
            self.author,
            self.title,
            self.created,
            self.media,
            self.version,
        ];
        new_record(self.kind, 1, &numbers)
    }

    /// Whether the number of its media says something.
    pub fn has_media(&self) -> bool {
        !matches!(self.media, 0 | 0xffff_ffff)
    }
}

/// The record of an analysis.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Cbh2AnalysisRecord {
    /// The byte that distinguishes texts, other and deleted records.
    pub kind: u8,
    /// The offset of its moves in `.2cbg`.
    pub moves: i64,
    /// The offset of its annotations in `.2cba`.
    pub annotations: i64,
    /// The number of its title.
    pub title: i64,
    /// The number of its source.
    pub source: i64,
    /// The number of its author, who is a player.
    pub author: i64,
}

/// The offset of the unknown bytes of an analysis.
pub const ANALYSIS_REST: usize = 0x30;

impl Cbh2AnalysisRecord {
    /// Reads a record.
    #[inline]
    pub fn decode(bytes: &[u8; RECORD]) -> Cbh2AnalysisRecord {
        Cbh2AnalysisRecord {
            kind: bytes[0],
            moves: i64_at(bytes, 0x08),
            annotations: i64_at(bytes, 0x10),
            title: i64_at(bytes, 0x18),
            source: i64_at(bytes, 0x20),
            author: i64_at(bytes, 0x28),
        }
    }

    /// The bytes of the record, with those that are not known.
    pub(super) fn encode(&self, rest: &[u8]) -> [u8; RECORD] {
        let numbers = [
            self.moves,
            self.annotations,
            self.title,
            self.source,
            self.author,
        ];
        let mut bytes = new_record(self.kind, 2, &numbers);
        put(&mut bytes, ANALYSIS_REST, rest);
        bytes
    }
}

/// A record of `.2cbh`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cbh2Record {
    /// A game.
    Game(Cbh2GameRecord),
    /// A guiding text.
    Text(Cbh2TextRecord),
    /// An analysis.
    Analysis(Cbh2AnalysisRecord),
    /// Something else, with its first and its third byte.
    Unknown([u8; 2]),
}

impl Cbh2Record {
    /// Reads a record.
    #[inline]
    pub fn decode(bytes: &[u8; RECORD]) -> Cbh2Record {
        match (bytes[0] & 1, bytes[2], bytes[0] & 2) {
            (1, 1, 0) => Cbh2Record::Game(Cbh2GameRecord::decode(bytes)),
            (1, 1, _) => Cbh2Record::Text(Cbh2TextRecord::decode(bytes)),
            (1, 2, _) => Cbh2Record::Analysis(Cbh2AnalysisRecord::decode(bytes)),
            _ => Cbh2Record::Unknown([bytes[0], bytes[2]]),
        }
    }

    /// Whether it is marked as deleted.
    #[inline]
    pub fn is_deleted(&self) -> bool {
        let kind = match self {
            Cbh2Record::Game(game) => game.kind,
            Cbh2Record::Text(text) => text.kind,
            Cbh2Record::Analysis(analysis) => analysis.kind,
            Cbh2Record::Unknown([kind, _]) => *kind,
        };
        kind & 0x80 != 0
    }

    /// The offset of its moves or its text in `.2cbg`.
    pub fn body(&self) -> Option<i64> {
        match self {
            Cbh2Record::Game(game) => Some(game.moves),
            Cbh2Record::Text(text) => Some(text.body),
            Cbh2Record::Analysis(analysis) => Some(analysis.moves),
            Cbh2Record::Unknown(_) => None,
        }
    }

    /// The offset of its annotations in `.2cba`.
    pub fn annotations(&self) -> Option<i64> {
        match self {
            Cbh2Record::Game(game) => Some(game.annotations),
            Cbh2Record::Analysis(analysis) => Some(analysis.annotations),
            Cbh2Record::Text(_) | Cbh2Record::Unknown(_) => None,
        }
    }
}

/// The size of a file of moves or annotations as its header notes it.
pub fn noted_size(bytes: &[u8]) -> Option<i64> {
    bytes.first_chunk().copied().map(i64::from_le_bytes)
}

/// The content of a frame.
pub mod tag {
    /// A game.
    pub const GAME: u16 = 0x0001;
    /// A game of Chess960.
    pub const CHESS960: u16 = 0x0002;
    /// A guiding text.
    pub const TEXT: u16 = 0x1000;
    /// Annotations.
    pub const ANNOTATIONS: u16 = 0x2000;
}

/// The bytes of a frame around its content.
pub const FRAME: usize = 34;
/// The bytes of a frame before its content.
pub const FRAME_HEAD: usize = 26;
/// The bytes with which every frame begins.
pub const FRAME_MARK: [u8; 8] = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
/// More than this no part of a frame has.
const MOST: i32 = 64 << 20;
/// The most bytes of the content of a frame.
pub(super) const MOST_CONTENT: usize = MOST as usize;

/// The spare area of a new record at an offset: so much that the next one begins on a multiple of eight, and room for changes.
pub(super) fn new_spare(offset: u64, content: usize, tag: u16) -> usize {
    let room = if tag == tag::TEXT { 192 } else { 96 };
    let end = offset.wrapping_add((FRAME + content + room) as u64);
    room + 8 - (end % 8) as usize
}

/// The bytes of a frame before its content.
pub(super) fn frame_head(content: &[u8], spare: usize, tag: u16) -> [u8; FRAME_HEAD] {
    let mut head = [0; FRAME_HEAD];
    let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes();
    put(&mut head, 0, &FRAME_MARK);
    put(&mut head, 0x08, &size(content.len()));
    put(&mut head, 0x0c, &size(spare));
    put(&mut head, 0x10, &checksum(content).to_be_bytes());
    put(&mut head, 0x18, &tag.to_le_bytes());
    head
}

/// The bytes of a frame behind its content.
pub(super) fn frame_tail(content: usize, spare: usize) -> Vec<u8> {
    let mut tail = vec![0; spare];
    tail.extend((FRAME + content + spare).to_le_bytes());
    tail
}

/// Why there is no frame at a place.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Cbh2FrameError {
    /// The offset leads out of the file.
    #[error("the offset {offset} is outside the file of {size} bytes")]
    Offset {
        /// The offset.
        offset: i64,
        /// The size of the file.
        size: usize,
    },
    /// The mark of a frame is not there.
    #[error("no record begins at the offset {0}")]
    Mark(i64),
    /// The sizes are none.
    #[error("the sizes {content} and {spare} are not valid")]
    Size {
        /// The size of the content.
        content: i32,
        /// The size of the spare area.
        spare: i32,
    },
    /// The frame extends past the file.
    #[error("only {have} of {wanted} bytes of the record are within the file")]
    Cut {
        /// The bytes from its beginning to the end of the file.
        have: usize,
        /// The bytes that it has by its sizes.
        wanted: usize,
    },
}

/// A frame of `.2cbg` or `.2cba`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cbh2Frame<'a> {
    /// Its offset in the file.
    pub offset: u64,
    /// Its content.
    pub tag: u16,
    /// The stored checksum.
    pub checksum: u64,
    /// The content.
    pub content: &'a [u8],
    /// The reserved area after the content.
    pub spare: &'a [u8],
    /// The total size stored at its end.
    pub total: i64,
}

impl<'a> Cbh2Frame<'a> {
    /// Reads the frame at an offset of a file.
    #[inline]
    pub fn decode(file: &'a [u8], offset: i64) -> Result<Cbh2Frame<'a>, Cbh2FrameError> {
        let bytes = usize::try_from(offset)
            .ok()
            .filter(|offset| *offset >= DATA_HEADER)
            .and_then(|offset| file.get(offset..));
        let Some(bytes) = bytes.filter(|bytes| bytes.len() >= FRAME) else {
            let size = file.len();
            return Err(Cbh2FrameError::Offset { offset, size });
        };
        if at::<8>(bytes, 0) != FRAME_MARK {
            return Err(Cbh2FrameError::Mark(offset));
        }
        let (content, spare) = (
            i32::from_le_bytes(at(bytes, 8)),
            i32::from_le_bytes(at(bytes, 12)),
        );
        let size = |size: i32| {
            (0..=MOST)
                .contains(&size)
                .then(|| usize::try_from(size).unwrap_or(0))
        };
        let (Some(length), Some(free)) = (size(content), size(spare)) else {
            return Err(Cbh2FrameError::Size { content, spare });
        };
        let wanted = FRAME + length + free;
        if wanted > bytes.len() {
            let have = bytes.len();
            return Err(Cbh2FrameError::Cut { have, wanted });
        }
        let body = bytes.get(FRAME_HEAD..).unwrap_or(&[]);
        let (content, body) = body.split_at_checked(length).unwrap_or((body, &[]));
        let (spare, _) = body.split_at_checked(free).unwrap_or((body, &[]));
        Ok(Cbh2Frame {
            offset: offset.unsigned_abs(),
            tag: u16::from_le_bytes(at(bytes, 0x18)),
            checksum: u64::from_be_bytes(at(bytes, 0x10)),
            content,
            spare,
            total: i64::from_le_bytes(at(bytes, wanted - 8)),
        })
    }

    /// The bytes of it all.
    pub fn length(&self) -> usize {
        FRAME + self.content.len() + self.spare.len()
    }

    /// Its errors apart from the checksum.
    pub fn fault(&self) -> Option<String> {
        let length = self.length();
        if u64::try_from(self.total).ok() != Some(length as u64) {
            return Some(format!(
                "it has {length} bytes, but stores a size of {}",
                self.total
            ));
        }
        let is_used = self.spare.iter().any(|byte| *byte != 0);
        is_used.then(|| "its reserved area is not empty".to_owned())
    }
}

/// The checksum of a content. If the size is not a multiple of 8, the last bytes do not count.
pub fn checksum(content: &[u8]) -> u64 {
    let part = content.len() / 8;
    if part == 0 {
        let mut bytes = [0; 8];
        for (slot, byte) in bytes.iter_mut().zip(content) {
            *slot = *byte;
        }
        return u64::from_le_bytes(bytes);
    }
    let mut sums = [0; 8];
    for (sum, bytes) in sums.iter_mut().zip(content.chunks_exact(part)) {
        *sum = bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    }
    u64::from_le_bytes(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_add_eighths() {
        assert_eq!(checksum(&[]), 0);
        assert_eq!(checksum(&[1, 2, 3]), 0x03_0201);
        assert_eq!(checksum(&0x7fff_ffff_i32.to_le_bytes()), 0x7fff_ffff);
        assert_eq!(checksum(&[1, 2, 3, 4, 5, 6, 7, 8]), 0x0807_0605_0403_0201);
        // Two bytes an eighth, and three bytes that do not count.
        let content: Vec<u8> = (0_u8..19).map(|byte| byte.wrapping_mul(20)).collect();
        let sums = (0..8).map(|part| u64::from((part * 80 + 20) as u8) << (8 * part));
        assert_eq!(checksum(&content), sums.sum());
    }

    #[test]
    fn codes_of_openings_and_numbers_of_starts() {
        let mut record = [0; RECORD];
        (record[0], record[2]) = (1, 1);
        let with = |eco: u16| {
            let mut record = record;
            record[0x80..0x82].copy_from_slice(&eco.to_le_bytes());
            Cbh2GameRecord::decode(&record)
        };
        let say = |eco| {
            let game = with(eco);
            let code = game.eco().map(|(code, sub)| format!("{code}/{sub}"));
            (code, game.chess960(), game.is_bad_eco())
        };
        assert_eq!(say(0), (None, None, false));
        assert_eq!(say(127), (None, None, true));
        assert_eq!(say(128), (Some("A00/0".to_owned()), None, false));
        assert_eq!(say(64_127), (Some("E99/127".to_owned()), None, false));
        assert_eq!(say(64_128), (None, None, true));
        assert_eq!(say(64_575), (None, None, true));
        assert_eq!(say(64_576), (None, Some(0), false));
        assert_eq!(say(65_535), (None, Some(959), false));
    }

    #[test]
    fn a_frame_is_read_only_where_it_lies_within_the_file() {
        let mut file = vec![0; DATA_HEADER];
        file.extend_from_slice(&FRAME_MARK);
        file.extend_from_slice(&3_i32.to_le_bytes());
        file.extend_from_slice(&2_i32.to_le_bytes());
        file.extend_from_slice(&0x03_0201_u64.to_be_bytes());
        file.extend_from_slice(&tag::TEXT.to_le_bytes());
        file.extend_from_slice(&[1, 2, 3, 0, 0]);
        file.extend_from_slice(&39_i64.to_le_bytes());
        let frame = Cbh2Frame::decode(&file, 12).expect("a frame");
        assert_eq!((frame.content, frame.spare), (&[1, 2, 3][..], &[0, 0][..]));
        assert_eq!((frame.tag, frame.fault()), (tag::TEXT, None));
        assert_eq!(frame.checksum, checksum(frame.content));
        for length in 0..file.len() {
            assert!(Cbh2Frame::decode(&file[..length], 12).is_err(), "{length}");
        }
        for offset in [-1, 0, 11, 13, 1_000, i64::MIN, i64::MAX] {
            assert!(Cbh2Frame::decode(&file, offset).is_err(), "{offset}");
        }
        file[12 + 8..12 + 12].copy_from_slice(&(-2_i32).to_le_bytes());
        assert_eq!(
            Cbh2Frame::decode(&file, 12),
            Err(Cbh2FrameError::Size {
                content: -2,
                spare: 2
            })
        );
    }
}
