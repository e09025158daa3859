//! `.2lid`: players, tournaments, sources, teams and titles, in blocks that hold a record of every kind.
//!
//! Its header is big-endian, everything else little-endian. A block has a container for each kind, so that the record of a
//! number is found without any index. Two forms of the header are known, distinguished by its own fields.

use tabiya_io::bytes::ByteCursor;
use tabiya_io::mmap::FileBytes;

use crate::cbh::layout::CbhDate;

/// The kinds of names.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Cbh2EntityTable {
    /// Players, annotators and authors.
    Players,
    /// Tournaments.
    Tournaments,
    /// Sources.
    Sources,
    /// Teams.
    Teams,
    /// Titles of games and texts.
    Titles,
}

impl Cbh2EntityTable {
    /// All of them.
    pub const ALL: [Cbh2EntityTable; 5] = [
        Cbh2EntityTable::Players,
        Cbh2EntityTable::Tournaments,
        Cbh2EntityTable::Sources,
        Cbh2EntityTable::Teams,
        Cbh2EntityTable::Titles,
    ];

    /// The number of the kind in the file.
    pub fn number(self) -> usize {
        match self {
            Cbh2EntityTable::Players => 0,
            Cbh2EntityTable::Tournaments => 1,
            Cbh2EntityTable::Sources => 2,
            Cbh2EntityTable::Teams => 4,
            Cbh2EntityTable::Titles => 5,
        }
    }

    /// The name of a record, for messages.
    pub fn word(self) -> &'static str {
        match self {
            Cbh2EntityTable::Players => "player",
            Cbh2EntityTable::Tournaments => "tournament",
            Cbh2EntityTable::Sources => "source",
            Cbh2EntityTable::Teams => "team",
            Cbh2EntityTable::Titles => "title",
        }
    }
}

/// The kinds that every file has.
const KINDS: usize = 6;
/// More kinds than this no file has.
const MOST_KINDS: usize = 32;
/// No container is larger.
const MOST_CONTAINER: usize = 1 << 20;
/// What a deleted record begins with.
const DELETED: [u8; 8] = [0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99];

/// Why a file of names cannot be read.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Cbh2EntityError {
    /// The header is cut.
    #[error("the file ends within its header")]
    Cut,
    /// A number of kinds that no file has.
    #[error("it has {0} kinds of names")]
    Kinds(i32),
    /// A header that is shorter than its content.
    #[error("its header of {0} bytes is too small for its kinds")]
    Header(i32),
    /// A container that makes no sense.
    #[error("a container of {0} bytes is not valid")]
    Container(i32),
    /// A count below zero.
    #[error("it counts {0} names")]
    Count(i64),
}

/// A kind of names in the header.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Cbh2EntityKind {
    /// The offset of its container in a block.
    pub start: usize,
    /// The size of its container.
    pub size: usize,
    /// The number of its records, deleted ones included.
    pub count: u64,
    /// The first deleted record, -1 for none.
    pub first_deleted: i64,
}

/// A record of names.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cbh2EntityRecord<'a> {
    /// There is none with this number.
    None,
    /// It says that it is larger than its container.
    Damaged,
    /// It is deleted, and names the next deleted one.
    Deleted(i64),
    /// Its content.
    Data(&'a [u8]),
}

/// A file of names.
#[derive(Debug)]
pub struct Cbh2EntityFile {
    bytes: FileBytes,
    start: usize,
    block: usize,
    kinds: Vec<Cbh2EntityKind>,
}

impl Cbh2EntityFile {
    /// No file.
    pub fn none() -> Cbh2EntityFile {
        Cbh2EntityFile {
            bytes: FileBytes::from(Vec::new()),
            start: 0,
            block: 0,
            kinds: vec![Cbh2EntityKind::default(); KINDS],
        }
    }

    /// Takes a file.
    pub fn new(bytes: FileBytes) -> Result<Cbh2EntityFile, Cbh2EntityError> {
        let mut cursor = ByteCursor::new(&bytes);
        let mut word = || cursor.array().map(i32::from_be_bytes);
        let size = word().map_err(|_| Cbh2EntityError::Cut)?;
        let count = word().map_err(|_| Cbh2EntityError::Cut)?;
        let number = usize::try_from(count)
            .ok()
            .filter(|number| (KINDS..=MOST_KINDS).contains(number))
            .ok_or(Cbh2EntityError::Kinds(count))?;
        let start = usize::try_from(size)
            .ok()
            .filter(|size| *size >= 8 + 20 * number)
            .ok_or(Cbh2EntityError::Header(size))?;
        let mut kinds = Vec::with_capacity(number);
        let mut block = 0_usize;
        for _ in 0..number {
            let cut = |_| Cbh2EntityError::Cut;
            let size = i32::from_be_bytes(cursor.array().map_err(cut)?);
            let count = i64::from_be_bytes(cursor.array().map_err(cut)?);
            let first_deleted = i64::from_be_bytes(cursor.array().map_err(cut)?);
            let length = usize::try_from(size)
                .ok()
                .filter(|size| *size <= MOST_CONTAINER)
                .ok_or(Cbh2EntityError::Container(size))?;
            kinds.push(Cbh2EntityKind {
                start: block,
                size: length,
                count: u64::try_from(count).map_err(|_| Cbh2EntityError::Count(count))?,
                first_deleted,
            });
            block += length;
        }
        Ok(Cbh2EntityFile {
            bytes,
            start,
            block,
            kinds,
        })
    }

    /// A file of these records, by the kinds of [`Cbh2EntityTable::ALL`].
    pub(super) fn of_records(lists: &[Vec<Vec<u8>>; 5]) -> Cbh2EntityFile {
        let mut file = Cbh2EntityFile::none();
        for (table, list) in Cbh2EntityTable::ALL.into_iter().zip(lists) {
            let longest = list.iter().map(Vec::len).max().unwrap_or(0);
            if let Some(kind) = file.kinds.get_mut(table.number()) {
                *kind = Cbh2EntityKind {
                    start: file.block,
                    size: longest + 4,
                    count: list.len() as u64,
                    first_deleted: -1,
                };
                file.block += kind.size;
            }
        }
        let blocks = lists.iter().map(Vec::len).max().unwrap_or(0);
        let mut bytes = vec![0; file.block * blocks];
        for (table, list) in Cbh2EntityTable::ALL.into_iter().zip(lists) {
            for (data, block) in list.iter().zip(0..) {
                let at = file.block * block + file.kind(table).start;
                let size = u32::try_from(data.len()).unwrap_or(0).to_le_bytes();
                let record = size.iter().chain(data);
                for (slot, byte) in bytes.iter_mut().skip(at).zip(record) {
                    *slot = *byte;
                }
            }
        }
        file.bytes = FileBytes::from(bytes);
        file
    }

    /// The size of the header.
    pub fn header_size(&self) -> usize {
        self.start
    }

    /// How many names of a kind lie within the file at most.
    fn room(&self) -> u64 {
        let blocks = self.bytes.len().saturating_sub(self.start);
        match self.block {
            0 => 0,
            block => blocks.div_ceil(block) as u64,
        }
    }

    /// A kind of names as the header has it.
    pub fn kind(&self, table: Cbh2EntityTable) -> Cbh2EntityKind {
        self.kinds.get(table.number()).copied().unwrap_or_default()
    }

    /// The number of records of a kind, as far as they are within the file.
    pub fn count(&self, table: Cbh2EntityTable) -> u64 {
        self.kind(table).count.min(self.room())
    }

    /// The record of a number.
    #[inline]
    pub fn record(&self, table: Cbh2EntityTable, id: i64) -> Cbh2EntityRecord<'_> {
        let kind = self.kind(table);
        let number = u64::try_from(id).ok().filter(|id| *id < kind.count);
        let place = number
            .and_then(|number| usize::try_from(number).ok())
            .and_then(|number| number.checked_mul(self.block))
            .and_then(|at| at.checked_add(self.start)?.checked_add(kind.start));
        let Some(bytes) = place.and_then(|at| self.bytes.get(at..)) else {
            return Cbh2EntityRecord::None;
        };
        // What is missing of the last container is zeros.
        let container = bytes.get(..kind.size).unwrap_or(bytes);
        let Some((size, content)) = container.split_first_chunk() else {
            return Cbh2EntityRecord::None;
        };
        let size = i32::from_le_bytes(*size);
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        if length == 0 {
            return Cbh2EntityRecord::None;
        }
        if length > kind.size.saturating_sub(4) {
            return Cbh2EntityRecord::Damaged;
        }
        let content = content.get(..length).unwrap_or(content);
        match content.split_first_chunk::<8>() {
            Some((mark, rest)) if *mark == DELETED && length == 16 => {
                let next = rest.first_chunk().copied().map_or(-1, i64::from_le_bytes);
                Cbh2EntityRecord::Deleted(next)
            }
            _ => Cbh2EntityRecord::Data(content),
        }
    }

    /// The content of a record that is there.
    #[inline]
    pub fn get(&self, table: Cbh2EntityTable, id: i64) -> Option<&[u8]> {
        match self.record(table, id) {
            Cbh2EntityRecord::Data(data) => Some(data),
            _ => None,
        }
    }
}

/// A text with its length in front; what is cut of it is not there.
fn string<'a>(cursor: &mut ByteCursor<'a>) -> &'a [u8] {
    let length = cursor.i32_le().unwrap_or(0);
    let length = usize::try_from(length).unwrap_or(0).min(cursor.remaining());
    cursor.take(length).unwrap_or(&[])
}

fn number<const N: usize>(cursor: &mut ByteCursor<'_>) -> [u8; N] {
    cursor.array().unwrap_or([0; N])
}

/// A player.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cbh2Player<'a> {
    /// The last name.
    pub last: &'a [u8],
    /// The first name.
    pub first: &'a [u8],
    /// The number that ChessBase gives: -1 not looked up, 0 none.
    pub chessbase_id: i32,
    /// The number that FIDE gives: -1 not looked up, 0 none.
    pub fide_id: i64,
}

impl<'a> Cbh2Player<'a> {
    /// Reads a record.
    #[inline]
    pub fn decode(data: &'a [u8]) -> Cbh2Player<'a> {
        let mut cursor = ByteCursor::new(data);
        let (last, first) = (string(&mut cursor), string(&mut cursor));
        let _ = number::<8>(&mut cursor);
        let chessbase_id = i32::from_le_bytes(number(&mut cursor));
        let _ = number::<4>(&mut cursor);
        Cbh2Player {
            last,
            first,
            chessbase_id,
            fide_id: i64::from_le_bytes(number(&mut cursor)),
        }
    }
}

/// A tournament.
#[derive(Clone, PartialEq, Debug)]
pub struct Cbh2Tournament<'a> {
    /// Its site.
    pub place: &'a [u8],
    /// Its title.
    pub title: &'a [u8],
    /// When it began.
    pub date: CbhDate,
    /// Its kind and speed.
    pub kind: u8,
    /// Whether teams play.
    pub is_team: bool,
    /// The number of the nation at that time.
    pub nation: u8,
    /// The category.
    pub category: u8,
    /// How points are counted, and whether it is complete.
    pub flags: u8,
    /// The number of rounds.
    pub rounds: u8,
    /// Latitude and longitude, 0 for not known.
    pub globe: [f32; 2],
    /// The number of the nation of the place today.
    pub place_nation: u8,
    /// The rules of tie-breaks.
    pub tie_breaks: Vec<u16>,
    /// When it ended.
    pub end: CbhDate,
}

impl<'a> Cbh2Tournament<'a> {
    /// Reads place and title.
    #[inline]
    pub fn names(data: &'a [u8]) -> [&'a [u8]; 2] {
        let mut cursor = ByteCursor::new(data);
        [string(&mut cursor), string(&mut cursor)]
    }

    /// Reads when it began.
    #[inline]
    pub fn start(data: &[u8]) -> CbhDate {
        let mut cursor = ByteCursor::new(data);
        let _ = (string(&mut cursor), string(&mut cursor));
        CbhDate(u32::from_le_bytes(number(&mut cursor)))
    }

    /// Reads a record.
    pub fn decode(data: &'a [u8]) -> Cbh2Tournament<'a> {
        let mut cursor = ByteCursor::new(data);
        let (place, title) = (string(&mut cursor), string(&mut cursor));
        let date = CbhDate(u32::from_le_bytes(number(&mut cursor)));
        let [kind, team, nation, _, category, flags, rounds, _] = number(&mut cursor);
        let globe = [
            f32::from_le_bytes(number(&mut cursor)),
            f32::from_le_bytes(number(&mut cursor)),
        ];
        let [place_nation, ..] = number::<38>(&mut cursor);
        let count = u16::from_le_bytes(number(&mut cursor)).cast_signed();
        let mut tie_breaks = Vec::new();
        for _ in 0..count {
            let Ok(rule) = cursor.u16_le() else { break };
            tie_breaks.push(rule);
        }
        Cbh2Tournament {
            place,
            title,
            date,
            kind,
            is_team: team & 1 != 0,
            nation,
            category,
            flags,
            rounds,
            globe,
            place_nation,
            tie_breaks,
            end: CbhDate(u32::from_le_bytes(number(&mut cursor))),
        }
    }
}

/// A source.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cbh2Source<'a> {
    /// Its title.
    pub title: &'a [u8],
    /// Its publisher.
    pub publisher: &'a [u8],
    /// When it was published, and its date.
    pub dates: [CbhDate; 2],
    /// Its version.
    pub version: i16,
    /// Its quality: 1 high, 2 medium, 3 low.
    pub quality: i16,
}

impl<'a> Cbh2Source<'a> {
    /// Reads a record.
    pub fn decode(data: &'a [u8]) -> Cbh2Source<'a> {
        let mut cursor = ByteCursor::new(data);
        let (title, publisher) = (string(&mut cursor), string(&mut cursor));
        let mut date = || CbhDate(u32::from_le_bytes(number(&mut cursor)));
        let dates = [date(), date()];
        let mut word = || i16::from_le_bytes(number(&mut cursor));
        Cbh2Source {
            title,
            publisher,
            dates,
            version: word(),
            quality: word(),
        }
    }
}

/// A team.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cbh2Team<'a> {
    /// Its title.
    pub title: &'a [u8],
    /// Its number in its club.
    pub number: u8,
    /// Whether its year is the first one of a season.
    pub is_season: bool,
    /// The year, 0 for none.
    pub year: u16,
    /// The number of its nation.
    pub nation: u8,
}

impl<'a> Cbh2Team<'a> {
    /// Reads a record.
    pub fn decode(data: &'a [u8]) -> Cbh2Team<'a> {
        let mut cursor = ByteCursor::new(data);
        let title = string(&mut cursor);
        let [count, season, low, high, nation] = number(&mut cursor);
        Cbh2Team {
            title,
            number: count,
            is_season: season & 1 != 0,
            year: u16::from_le_bytes([low, high]),
            nation,
        }
    }
}

/// Texts with the numbers of nations that represent their languages, as in titles and in the bodies of texts.
pub fn texts_by_nation<'a>(
    cursor: &mut ByteCursor<'a>,
) -> Result<Vec<(i32, &'a [u8])>, tabiya_io::bytes::OutOfBoundsError> {
    let mut texts = Vec::new();
    for _ in 0..cursor.i32_le()? {
        let nation = cursor.i32_le()?;
        let length = u64::try_from(cursor.i32_le()?).unwrap_or(u64::MAX);
        texts.push((nation, cursor.take_u64(length)?));
    }
    Ok(texts)
}

/// The title of a game or a text in its languages; damaged parts are missing.
pub fn titles(data: &[u8]) -> Vec<(i32, &[u8])> {
    texts_by_nation(&mut ByteCursor::new(data)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &mut Vec<u8>, text: &str) {
        bytes.extend_from_slice(&(text.len() as i32).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }

    /// A file of three blocks: a player, a deleted one, and a third that lies at its very end.
    fn file() -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [140_i32, 6] {
            bytes.extend_from_slice(&word.to_be_bytes());
        }
        for (size, count) in [(64_i32, 3_i64), (8, 0), (8, 0), (0, 0), (8, 0), (8, 0)] {
            bytes.extend_from_slice(&size.to_be_bytes());
            bytes.extend_from_slice(&count.to_be_bytes());
            bytes.extend_from_slice(&(-1_i64).to_be_bytes());
        }
        bytes.resize(140, 0);
        for block in 0..3 {
            let mut data = Vec::new();
            if block == 1 {
                data.extend_from_slice(&DELETED);
                data.extend_from_slice(&(-1_i64).to_le_bytes());
            } else {
                text(&mut data, "Tal");
                text(&mut data, "M");
                data.extend_from_slice(&[0; 8]);
                data.extend_from_slice(&7_i32.to_le_bytes());
                data.extend_from_slice(&8_i32.to_le_bytes());
                data.extend_from_slice(&99_i64.to_le_bytes());
            }
            let at = bytes.len();
            bytes.extend_from_slice(&(data.len() as i32).to_le_bytes());
            bytes.extend_from_slice(&data);
            if block < 2 {
                bytes.resize(at + 96, 0);
            }
        }
        bytes
    }

    #[test]
    fn records_are_found_by_number() {
        let bytes = file();
        let names = Cbh2EntityFile::new(FileBytes::from(bytes.clone())).expect("a file");
        let table = Cbh2EntityTable::Players;
        assert_eq!(names.count(table), 3);
        for id in [0, 2] {
            let player = Cbh2Player::decode(names.get(table, id).expect("a player"));
            assert_eq!((player.last, player.first), (&b"Tal"[..], &b"M"[..]));
            assert_eq!((player.chessbase_id, player.fide_id), (7, 99));
        }
        assert_eq!(names.record(table, 1), Cbh2EntityRecord::Deleted(-1));
        for id in [-5, -1, 3, i64::MAX] {
            assert_eq!(names.record(table, id), Cbh2EntityRecord::None);
        }
        for length in 0..bytes.len() {
            let Ok(names) = Cbh2EntityFile::new(FileBytes::from(bytes[..length].to_vec())) else {
                assert!(length < 128);
                continue;
            };
            for id in 0..4 {
                let _ = names.get(table, id).map(Cbh2Player::decode);
            }
        }
    }

    #[test]
    fn headers_that_make_no_sense_are_refused() {
        let with = |at: usize, value: [u8; 4]| {
            let mut bytes = file();
            bytes[at..at + 4].copy_from_slice(&value);
            Cbh2EntityFile::new(FileBytes::from(bytes)).err()
        };
        let kinds = 1_i32 << 20;
        assert_eq!(
            with(4, kinds.to_be_bytes()),
            Some(Cbh2EntityError::Kinds(kinds))
        );
        assert_eq!(
            with(0, 100_i32.to_be_bytes()),
            Some(Cbh2EntityError::Header(100))
        );
        assert_eq!(
            with(8, (-1_i32).to_be_bytes()),
            Some(Cbh2EntityError::Container(-1))
        );
        assert!(matches!(
            with(12, [0xff; 4]),
            Some(Cbh2EntityError::Count(_))
        ));
        assert_eq!(with(140, [0xff; 4]), None);
    }
}
