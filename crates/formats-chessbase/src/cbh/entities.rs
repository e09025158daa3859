//! Players, tournaments, annotators, sources, teams and game titles: files of records of one size, found by number.
//!
//! The records of a file also form a tree that sorts them; reading needs none of it.

use tabiya_io::mmap::FileBytes;
use tabiya_model::charset::Charset;

use super::layout::CbhDate;

/// The files of names.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CbhEntityTable {
    /// `.cbp`.
    Players,
    /// `.cbt`.
    Tournaments,
    /// `.cbc`.
    Annotators,
    /// `.cbs`.
    Sources,
    /// `.cbe`.
    Teams,
    /// `.cbl`.
    Titles,
}

impl CbhEntityTable {
    /// All of them, in the order of their numbers.
    pub const ALL: [CbhEntityTable; 6] = [
        CbhEntityTable::Players,
        CbhEntityTable::Tournaments,
        CbhEntityTable::Annotators,
        CbhEntityTable::Sources,
        CbhEntityTable::Teams,
        CbhEntityTable::Titles,
    ];

    /// The extension of the file.
    pub fn extension(self) -> &'static str {
        match self {
            CbhEntityTable::Players => "cbp",
            CbhEntityTable::Tournaments => "cbt",
            CbhEntityTable::Annotators => "cbc",
            CbhEntityTable::Sources => "cbs",
            CbhEntityTable::Teams => "cbe",
            CbhEntityTable::Titles => "cbl",
        }
    }

    /// The name of a record, for messages.
    pub fn word(self) -> &'static str {
        match self {
            CbhEntityTable::Players => "player",
            CbhEntityTable::Tournaments => "tournament",
            CbhEntityTable::Annotators => "annotator",
            CbhEntityTable::Sources => "source",
            CbhEntityTable::Teams => "team",
            CbhEntityTable::Titles => "game title",
        }
    }

    /// The bytes of a record's data in every file that is known.
    pub fn data_size(self) -> usize {
        match self {
            CbhEntityTable::Players => 58,
            CbhEntityTable::Tournaments => 90,
            CbhEntityTable::Annotators => 53,
            CbhEntityTable::Sources => 59,
            CbhEntityTable::Teams => 63,
            CbhEntityTable::Titles => 1608,
        }
    }

    /// The offset of the number of uses and of the first game in the data of a record.
    pub fn count_at(self) -> usize {
        self.data_size() - 8
    }
}

/// The header of a file of names.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhEntityHeader {
    /// The number of records, deleted ones included.
    pub count: u32,
    /// The root of the tree.
    pub root: i32,
    /// A constant.
    pub mark: u32,
    /// The bytes of a record's data.
    pub data_size: u32,
    /// The first deleted record.
    pub free: i32,
    /// The number of records that are not deleted.
    pub live: u32,
    /// The bytes of the header beyond 28.
    pub extra: u32,
}

impl CbhEntityHeader {
    /// The constant in every header.
    pub const MARK: u32 = 1_234_567_890;
    /// The bytes that every header has.
    pub const LENGTH: usize = 28;

    /// The bytes of the header, without those that are beyond 28.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(CbhEntityHeader::LENGTH);
        for word in [
            self.count,
            self.root.cast_unsigned(),
            self.mark,
            self.data_size,
            self.free.cast_unsigned(),
            self.live,
            self.extra,
        ] {
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }

    /// Reads the header; `None` if the file is shorter.
    pub fn decode(bytes: &[u8]) -> Option<CbhEntityHeader> {
        let bytes = bytes.first_chunk::<{ CbhEntityHeader::LENGTH }>()?;
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Some(CbhEntityHeader {
            count: word(0),
            root: word(4).cast_signed(),
            mark: word(8),
            data_size: word(12),
            free: word(16).cast_signed(),
            live: word(20),
            extra: word(24),
        })
    }
}

/// The mark of a deleted record, in the place of its left child.
const DELETED: [u8; 4] = (-999_i32).to_le_bytes();
/// The bytes of a record before its data.
const LINKS: usize = 9;

/// A file of names.
#[derive(Debug)]
pub struct CbhEntityFile {
    bytes: FileBytes,
    /// Where the first record begins.
    start: usize,
    /// The bytes of a record.
    size: usize,
    count: u32,
}

/// Why a file of names cannot be read.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CbhEntityError {
    /// The header is cut.
    #[error("the file has {0} bytes, but a header needs 28")]
    Short(usize),
    /// It is another file.
    #[error("the mark {0} in its header is not 1234567890")]
    Mark(u32),
    /// Records of a size that cannot be.
    #[error("its records have {found} bytes of data; {wanted} are expected")]
    Size {
        /// The size in the header.
        found: u32,
        /// The expected size.
        wanted: usize,
    },
}

impl CbhEntityFile {
    /// No names at all.
    pub fn none() -> CbhEntityFile {
        CbhEntityFile {
            bytes: FileBytes::from(Vec::new()),
            start: 0,
            size: 1,
            count: 0,
        }
    }

    /// The names of a game that is read apart from a database: their data without counts, which are all of one size.
    pub(super) fn of_records(records: &[&[u8]]) -> CbhEntityFile {
        let mut bytes = Vec::new();
        for data in records {
            // Neither links nor counts are zeros.
            bytes.extend([0xff; 8]);
            bytes.push(0);
            bytes.extend_from_slice(data);
            bytes.extend([1, 0, 0, 0, 1, 0, 0, 0]);
        }
        let size = bytes.len().checked_div(records.len()).unwrap_or(1);
        CbhEntityFile {
            bytes: FileBytes::from(bytes),
            start: 0,
            size,
            count: u32::try_from(records.len()).unwrap_or(0),
        }
    }

    /// Takes a file; if its header and its length disagree, the smaller count is used.
    pub fn new(
        table: CbhEntityTable,
        bytes: FileBytes,
    ) -> Result<(CbhEntityFile, CbhEntityHeader), CbhEntityError> {
        let header = CbhEntityHeader::decode(&bytes).ok_or(CbhEntityError::Short(bytes.len()))?;
        if header.mark != CbhEntityHeader::MARK {
            return Err(CbhEntityError::Mark(header.mark));
        }
        let wanted = table.data_size();
        let size = usize::try_from(header.data_size).unwrap_or(usize::MAX);
        if size < wanted || size > 1 << 20 {
            return Err(CbhEntityError::Size {
                found: header.data_size,
                wanted,
            });
        }
        let extra = usize::try_from(header.extra).unwrap_or(usize::MAX);
        let start = extra.saturating_add(CbhEntityHeader::LENGTH);
        let size = size + LINKS;
        let room = bytes.len().saturating_sub(start) / size;
        let count = header.count.min(u32::try_from(room).unwrap_or(u32::MAX));
        let entities = CbhEntityFile {
            bytes,
            start,
            size,
            count,
        };
        Ok((entities, header))
    }

    /// The number of records, deleted ones included.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The data of a record; `None` if it does not exist, or is deleted.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&[u8]> {
        if number >= self.count {
            return None;
        }
        let at = usize::try_from(number).ok()?.checked_mul(self.size)?;
        let at = at.checked_add(self.start)?;
        let record = self.bytes.get(at..at.checked_add(self.size)?)?;
        if record.first_chunk() == Some(&DELETED) {
            return None;
        }
        record.get(LINKS..)
    }

    /// Whether a used record has unexpected zeros: in both of its links, or in its number of uses.
    #[inline]
    pub fn is_zeroed(&self, table: CbhEntityTable, number: u32) -> bool {
        let Some(data) = self.get(number) else {
            return false;
        };
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        let start = at.saturating_mul(self.size).saturating_add(self.start);
        let links = self.bytes.get(start..start.saturating_add(8));
        links == Some(&[0; 8]) || le32(data, table.count_at()) == Some(0)
    }

    /// How often a record says that it is used.
    pub fn uses(&self, table: CbhEntityTable, number: u32) -> Option<u32> {
        le32(self.get(number)?, table.count_at())
    }
}

fn le32(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?
        .first_chunk()
        .copied()
        .map(u32::from_le_bytes)
}

/// A text field: the part before the first zero, and whether there is no zero.
#[inline]
pub fn field(data: &[u8], at: usize, length: usize) -> CbhName<'_> {
    let field = data.get(at..at.saturating_add(length)).unwrap_or(&[]);
    match memchr::memchr(0, field) {
        Some(end) => CbhName {
            bytes: field.get(..end).unwrap_or(&[]),
            is_full: false,
        },
        None => CbhName {
            bytes: field,
            is_full: true,
        },
    }
}

/// The bytes of a name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhName<'a> {
    /// The stored bytes.
    pub bytes: &'a [u8],
    /// Whether they fill their field, so that a last character may be cut.
    pub is_full: bool,
}

impl<'a> CbhName<'a> {
    /// The text if it is UTF-8, without a truncated last character in a full field.
    #[inline]
    pub fn utf8(self) -> Option<&'a str> {
        match std::str::from_utf8(self.bytes) {
            Ok(text) => Some(text),
            Err(error) if self.is_full && error.error_len().is_none() => {
                let whole = self.bytes.get(..error.valid_up_to())?;
                // A field of single bytes may end in one that could begin a character: only other characters of more
                // bytes speak for UTF-8.
                (!whole.is_ascii()).then(|| std::str::from_utf8(whole).ok())?
            }
            Err(_) => None,
        }
    }

    /// The text; in a charset if it is not UTF-8.
    pub fn decode(self, charset: Charset) -> std::borrow::Cow<'a, str> {
        match self.utf8() {
            Some(text) => text.into(),
            None => charset.decode(self.bytes),
        }
    }
}

/// A player's last and first name.
pub fn player(data: &[u8]) -> [CbhName<'_>; 2] {
    [field(data, 0, 30), field(data, 30, 20)]
}

/// A tournament.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhTournament<'a> {
    /// Its title.
    pub title: CbhName<'a>,
    /// Its site.
    pub place: CbhName<'a>,
    /// When it began.
    pub date: CbhDate,
    /// Its kind and speed.
    pub kind: u8,
    /// Whether teams play.
    pub is_team: bool,
    /// The number of its nation.
    pub nation: u8,
    /// Its category.
    pub category: u8,
    /// Whether it is complete, and how points are counted.
    pub flags: u8,
    /// The number of its rounds.
    pub rounds: u8,
}

fn byte(data: &[u8], at: usize) -> u8 {
    data.get(at).copied().unwrap_or(0)
}

impl<'a> CbhTournament<'a> {
    /// Reads a record's data.
    #[inline]
    pub fn decode(data: &'a [u8]) -> CbhTournament<'a> {
        CbhTournament {
            title: field(data, 0, 40),
            place: field(data, 40, 30),
            date: CbhDate(le32(data, 70).unwrap_or(0)),
            kind: byte(data, 74),
            is_team: byte(data, 75) & 1 != 0,
            nation: byte(data, 76),
            category: byte(data, 78),
            flags: byte(data, 79),
            rounds: byte(data, 80),
        }
    }
}

/// An annotator's name.
pub fn annotator(data: &[u8]) -> CbhName<'_> {
    field(data, 0, 45)
}

/// A source.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhSource<'a> {
    /// Its title.
    pub title: CbhName<'a>,
    /// Its publisher.
    pub publisher: CbhName<'a>,
    /// When it was published.
    pub published: CbhDate,
    /// The date of this version.
    pub date: CbhDate,
    /// The number of the version.
    pub version: u8,
    /// 1 for high quality, 2 medium, 3 low, 0 not given.
    pub quality: u8,
}

impl<'a> CbhSource<'a> {
    /// Reads a record's data.
    #[inline]
    pub fn decode(data: &'a [u8]) -> CbhSource<'a> {
        CbhSource {
            title: field(data, 0, 25),
            publisher: field(data, 25, 16),
            published: CbhDate(le32(data, 41).unwrap_or(0)),
            date: CbhDate(le32(data, 45).unwrap_or(0)),
            version: byte(data, 49),
            quality: byte(data, 50),
        }
    }
}

/// A team.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhTeam<'a> {
    /// Its name.
    pub title: CbhName<'a>,
    /// Its number, as of second teams.
    pub number: u32,
    /// Whether the year is the first of a season of two.
    pub is_season: bool,
    /// Its year; 0 and 9999 for none.
    pub year: u32,
    /// The number of its nation.
    pub nation: u8,
}

impl<'a> CbhTeam<'a> {
    /// Reads a record's data.
    #[inline]
    pub fn decode(data: &'a [u8]) -> CbhTeam<'a> {
        CbhTeam {
            title: field(data, 0, 45),
            number: le32(data, 45).unwrap_or(0),
            is_season: byte(data, 49) & 1 != 0,
            year: le32(data, 50).unwrap_or(0),
            nation: byte(data, 54),
        }
    }
}

/// A title of games in the languages of [`super::tables::title_language`] and one more.
pub fn titles(data: &[u8]) -> impl Iterator<Item = (u16, CbhName<'_>)> {
    (0..8_u16).map(|language| (language, field(data, usize::from(language) * 200, 200)))
}

/// The data of a tournament in `.cbtt`.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct CbhTournamentExtra<'a> {
    /// Degrees north and east.
    pub place: [f64; 2],
    /// Rules for equal points, as numbers.
    pub tie_breaks: &'a [u8],
    /// When it ended.
    pub end: CbhDate,
}

/// `.cbtt`: more about tournaments, found by their numbers.
#[derive(Debug)]
pub struct CbhTournamentExtras {
    bytes: FileBytes,
    size: usize,
    count: u32,
    is_sound: bool,
}

impl CbhTournamentExtras {
    const HEADER: usize = 32;

    /// The header of a file of so many records, of the newest version.
    pub(super) fn header(count: u32) -> [u8; 32] {
        let mut header = [0; 32];
        let words = [3, 65, count.wrapping_sub(1)];
        for (to, word) in header.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *to = word.to_le_bytes();
        }
        header
    }

    /// Takes a file; one that makes no sense says nothing about any tournament.
    pub fn new(bytes: FileBytes) -> CbhTournamentExtras {
        let size = le32(&bytes, 4).and_then(|size| usize::try_from(size).ok());
        let size = size.filter(|size| (61..=4096).contains(size)).unwrap_or(0);
        let last = le32(&bytes, 8).unwrap_or(u32::MAX);
        let room = bytes.len().saturating_sub(Self::HEADER);
        let room = room.checked_div(size).unwrap_or(0);
        let claimed = last.wrapping_add(1);
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        CbhTournamentExtras {
            // A file without a record is as good as none.
            is_sound: matches!(bytes.len(), 0 | Self::HEADER) || (size > 0 && claimed <= room),
            count: claimed.min(room),
            bytes,
            size,
        }
    }

    /// Whether its header is valid, and no counted record is missing.
    pub fn is_sound(&self) -> bool {
        self.is_sound
    }

    /// The data of a tournament.
    pub fn get(&self, number: u32) -> Option<CbhTournamentExtra<'_>> {
        if number >= self.count {
            return None;
        }
        let at = usize::try_from(number).ok()?.checked_mul(self.size)?;
        let record = self.bytes.get(at.checked_add(Self::HEADER)?..)?;
        let record = record.get(..self.size)?;
        let degrees = |at: usize| {
            let bytes = record
                .get(at..)
                .and_then(|rest| rest.first_chunk().copied());
            bytes.map_or(0.0, f64::from_le_bytes)
        };
        let rules = usize::from(byte(record, 60)).min(10);
        Some(CbhTournamentExtra {
            place: [degrees(0), degrees(8)],
            tie_breaks: record.get(50..50 + rules).unwrap_or(&[]),
            end: CbhDate(le32(record, 61).unwrap_or(0)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_character_at_the_end_of_a_full_field_goes() {
        let name = |bytes, is_full| CbhName { bytes, is_full };
        assert_eq!(name("Müllé".as_bytes(), true).utf8(), Some("Müllé"));
        assert_eq!(name(b"M\xc3\xbcll\xc3", true).utf8(), Some("Müll"));
        // The same in a field that is not full is no UTF-8, and neither is a lone letter of a code page.
        assert_eq!(name(b"M\xc3\xbcll\xc3", false).utf8(), None);
        assert_eq!(name(b"Mull\xc3", true).utf8(), None);
        assert_eq!(name(b"M\xfcll", false).decode(Charset::Cp1252), "Müll");
    }

    #[test]
    fn records_are_found_by_number() {
        let mut file = Vec::new();
        for word in [3_u32, 0, CbhEntityHeader::MARK, 53, u32::MAX, 2, 4, 99] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        for (left, name) in [(-1, "Tal"), (-999, "gone"), (-1, "Keres")] {
            file.extend_from_slice(&i32::to_le_bytes(left));
            file.extend_from_slice(&[0; 5]);
            let mut data = [0; 53];
            data[..name.len()].copy_from_slice(name.as_bytes());
            data[45] = 7;
            file.extend_from_slice(&data);
        }
        let (names, header) =
            CbhEntityFile::new(CbhEntityTable::Annotators, FileBytes::from(file.clone()))
                .expect("a file");
        assert_eq!((names.count(), header.live), (3, 2));
        let name = |number| names.get(number).map(|data| annotator(data).bytes);
        assert_eq!(name(0), Some(&b"Tal"[..]));
        assert_eq!(name(1), None);
        assert_eq!(name(2), Some(&b"Keres"[..]));
        assert_eq!(name(3), None);
        assert_eq!(names.uses(CbhEntityTable::Annotators, 2), Some(7));
        file.pop();
        let (names, _) =
            CbhEntityFile::new(CbhEntityTable::Annotators, FileBytes::from(file.clone()))
                .expect("a file");
        assert_eq!(names.count(), 2);
        assert_eq!(
            CbhEntityFile::new(CbhEntityTable::Players, FileBytes::from(file)).err(),
            Some(CbhEntityError::Size {
                found: 53,
                wanted: 58
            })
        );
    }
}
