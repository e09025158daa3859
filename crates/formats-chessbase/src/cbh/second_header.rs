//! `.cbj`: the second header of each game, with teams, wide offsets, kinds of ratings and times.
//!
//! Its records grew with every generation of the program: a field exists only if it is within the record size stored in
//! the file.

use tabiya_io::mmap::FileBytes;

/// The bytes of the header.
const HEADER: usize = 32;

/// The kind of a rating.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CbhRatingKind<'a> {
    /// Bits: 1 international, 2 national.
    pub flags: u16,
    /// How fast the game was for a national rating: 1 normal, 2 blitz, 3 rapid, 4 correspondence.
    pub national: u8,
    /// The same for an international rating.
    pub international: u8,
    /// The number of the nation.
    pub nation: u8,
    /// The rating organisation.
    pub name: &'a [u8],
}

/// The parts of a record that are not read: final material, endgames and more. The kinds of the ratings are among them, in which
/// a zero means the usual one.
pub(super) const UNREAD: [std::ops::Range<usize>; 3] = [20..30, 38..78, 88..108];

/// The second header of a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhSecondHeader<'a>(&'a [u8]);

impl<'a> CbhSecondHeader<'a> {
    fn at<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..)?.first_chunk().copied()
    }

    fn number(self, at: usize) -> Option<u32> {
        // A number below zero means none.
        u32::try_from(i32::from_be_bytes(self.at(at)?)).ok()
    }

    /// The numbers of White's and Black's team.
    pub fn teams(self) -> [Option<u32>; 2] {
        [self.number(0), self.number(4)]
    }

    /// Whether it has unexpected zeros: a team does not play itself.
    pub fn is_zeroed(self) -> bool {
        self.teams() == [Some(0), Some(0)]
    }

    /// Whether the game was never saved, as far as the record says.
    pub fn is_never_saved(self) -> bool {
        self.version() == Some(0) && self.created() == Some(0)
    }

    /// The offset of the media list of a text in `.cbm`.
    pub fn media(self) -> Option<u32> {
        self.number(8)
    }

    /// The offset of the annotations, in 64 bits.
    pub fn annotations(self) -> Option<u64> {
        self.at(12).map(u64::from_be_bytes)
    }

    /// The offset of the moves, in 64 bits; 0 in some databases.
    pub fn moves(self) -> Option<u64> {
        self.at(30).map(u64::from_be_bytes)
    }

    /// The kinds of White's and Black's rating.
    pub fn rating_kinds(self) -> [Option<CbhRatingKind<'a>>; 2] {
        [38, 54].map(|at| {
            let bytes = self.0.get(at..at + 16)?;
            let [high, low, national, international, nation, ..] = *bytes else {
                return None;
            };
            let name = bytes.get(5..).unwrap_or(&[]);
            let end = memchr::memchr(0, name).unwrap_or(name.len());
            Some(CbhRatingKind {
                flags: u16::from_be_bytes([high, low]),
                national,
                international,
                nation,
                name: name.get(..end).unwrap_or(&[]),
            })
        })
    }

    /// How often the game was saved.
    pub fn version(self) -> Option<u16> {
        self.at(78).map(u16::from_be_bytes)
    }

    /// When the game was made, in 1/1024 seconds since 2008-12-01 (time of Berlin).
    pub fn created(self) -> Option<u64> {
        self.at(80).map(u64::from_be_bytes)
    }

    /// When the game was last saved, in 100 nanoseconds since 1582-10-15.
    pub fn saved(self) -> Option<u64> {
        self.at(108).map(u64::from_be_bytes)
    }

    /// The number of the game's title in `.cbl`.
    pub fn title(self) -> Option<u32> {
        self.number(116)
    }

    /// The bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }
}

/// A second header that is written.
#[derive(Clone, Debug)]
pub(crate) struct CbhSecondRecord {
    pub(crate) teams: [Option<u32>; 2],
    pub(crate) media: Option<u32>,
    pub(crate) annotations: u64,
    pub(crate) moves: u64,
    pub(crate) ratings: [[u8; 16]; 2],
    pub(crate) saves: u16,
    pub(crate) created: u64,
    pub(crate) saved: u64,
    pub(crate) title: Option<u32>,
}

/// The size of a record of the newest version.
const NEWEST: usize = 120;

impl CbhSecondRecord {
    /// The bytes of the record; the final material and the endgames are left open, as the program itself does for games
    /// that it has only imported.
    pub(crate) fn encode(&self) -> [u8; NEWEST] {
        let mut bytes = [0; NEWEST];
        let mut put = |at: usize, field: &[u8]| {
            if let Some(to) = bytes.get_mut(at..at + field.len()) {
                to.copy_from_slice(field);
            }
        };
        let number = |number: Option<u32>| number.unwrap_or(u32::MAX).to_be_bytes();
        put(0, &number(self.teams[0]));
        put(4, &number(self.teams[1]));
        put(8, &number(self.media));
        put(12, &self.annotations.to_be_bytes());
        put(28, &[0xff, 0xfe]);
        put(30, &self.moves.to_be_bytes());
        put(38, &self.ratings[0]);
        put(54, &self.ratings[1]);
        put(78, &self.saves.to_be_bytes());
        put(80, &self.created.to_be_bytes());
        put(108, &self.saved.to_be_bytes());
        put(116, &number(self.title));
        bytes
    }
}

/// What stands in headers of files that this program has written, where others leave what was in their memory.
const OURS: &[u8; 6] = b"tabiya";

/// The header of a file of so many records of the newest version.
pub(crate) fn header(count: u32) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER);
    for word in [11, 120, count] {
        header.extend(word.to_le_bytes());
    }
    header.extend_from_slice(OURS);
    header.resize(HEADER, 0);
    header
}

/// The file of second headers.
#[derive(Debug)]
pub struct CbhSecondHeaders {
    bytes: FileBytes,
    /// The version that the header names.
    pub version: u32,
    size: usize,
    count: u64,
    /// The number of records that the header names.
    pub claimed: u32,
}

impl CbhSecondHeaders {
    /// Takes a file; `None` if its header is truncated or invalid.
    pub fn new(bytes: FileBytes) -> Option<CbhSecondHeaders> {
        let word = |at: usize| {
            bytes
                .get(at..)?
                .first_chunk()
                .copied()
                .map(u32::from_le_bytes)
        };
        let (version, size, claimed) = (word(0)?, word(4)?, word(8)?);
        let size = usize::try_from(size).ok()?;
        if size == 0 || size > 1 << 16 {
            return None;
        }
        let room = bytes.len().saturating_sub(HEADER) / size;
        Some(CbhSecondHeaders {
            version,
            size,
            count: u64::from(claimed).min(room as u64),
            claimed,
            bytes,
        })
    }

    /// Whether this program has written it, which leaves the number of saves and the time of making open.
    pub fn is_ours(&self) -> bool {
        self.bytes.get(12..12 + OURS.len()) == Some(OURS)
    }

    /// The number of records.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The bytes of a record.
    pub fn record_size(&self) -> usize {
        self.size
    }

    /// The second header of a game by its number, from 1.
    #[inline]
    pub fn get(&self, number: u64) -> Option<CbhSecondHeader<'_>> {
        if number > self.count {
            return None;
        }
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let at = index.checked_mul(self.size)?.checked_add(HEADER)?;
        let record = self.bytes.get(at..at.checked_add(self.size)?)?;
        Some(CbhSecondHeader(record))
    }
}

/// Days since 1970-01-01 as year, month and day.
pub(super) fn civil(days: i64) -> (i64, i64, i64) {
    // The calendar repeats every 400 years of 146,097 days; its years are counted from March.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// A count of seconds since 1970 with a fraction of so many decimals, as date and time.
fn time_text(seconds: i64, fraction: u64, decimals: usize) -> String {
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    format!(
        "{year:04}.{month:02}.{day:02} {:02}:{:02}:{:02}.{fraction:0decimals$}",
        second / 3600,
        second / 60 % 60,
        second % 60,
    )
}

/// When a game was made, as text; no zone, because the program notes the time of Berlin.
pub fn created_text(value: u64) -> Option<String> {
    /// 2008-12-01 in seconds since 1970.
    const BASE: i64 = 1_228_089_600;
    let seconds = i64::try_from(value >> 10).ok()?;
    // Ten decimals are what 1/1024 takes; times beyond the year 9999 are no times.
    (value != 0 && seconds < 250_000_000_000)
        .then(|| time_text(BASE + seconds, (value & 1023) * 9_765_625, 10))
}

/// When a game was last saved, as text of universal time.
pub fn saved_text(value: u64) -> Option<String> {
    /// 1582-10-15 in seconds since 1970.
    const BASE: i64 = -12_219_292_800;
    let seconds = i64::try_from(value / 10_000_000).ok()?;
    (value != 0 && seconds < 260_000_000_000)
        .then(|| time_text(BASE + seconds, value % 10_000_000, 7))
}

/// Days since 1970-01-01 of a year, month and day.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years are counted from March, as in `civil`.
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + year * 365 + year / 4 - year / 100 + of_year - 719_468
}

/// Seconds since 1970 and the digits of the fraction out of a text that [`time_text`] wrote.
pub(crate) fn read_time(text: &str) -> Option<(i64, u64)> {
    let (date, time) = text.split_once(' ')?;
    let (time, fraction) = time.split_once('.')?;
    let numbers = |text: &str, sign: char| -> Option<[i64; 3]> {
        let parts: Option<Vec<i64>> = text.split(sign).map(|it| it.parse().ok()).collect();
        parts?.try_into().ok()
    };
    let [year, month, day] = numbers(date, '.')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let is_time = (0..10_000).contains(&year)
        && (1..13).contains(&month)
        && (1..32).contains(&day)
        && [hour, minute, second].iter().all(|it| (0..60).contains(it));
    let seconds =
        is_time.then(|| days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)?;
    Some((seconds, fraction.parse().ok()?))
}

/// The number of a time that [`created_text`] wrote.
pub(crate) fn read_created(text: &str) -> Option<u64> {
    let (seconds, fraction) = read_time(text)?;
    let seconds = u64::try_from(seconds - 1_228_089_600).ok()?;
    Some(seconds << 10 | (fraction / 9_765_625).min(1023))
}

/// The number of a time that [`saved_text`] wrote.
pub(crate) fn read_saved(text: &str) -> Option<u64> {
    let (seconds, fraction) = read_time(text)?;
    let seconds = u64::try_from(seconds + 12_219_292_800).ok()?;
    Some(seconds * 10_000_000 + fraction.min(9_999_999))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(
            created_text(1024 + 512).as_deref(),
            Some("2008.12.01 00:00:01.5000000000")
        );
        assert_eq!(
            created_text(448_410_991_712).as_deref(),
            Some("2022.10.17 07:15:59.0937500000")
        );
        assert_eq!(
            saved_text(0x01b2_1dd2_1381_4000).as_deref(),
            Some("1970.01.01 00:00:00.0000000")
        );
        for value in [1, 448_410_991_712, 0x01b2_1dd2_1381_4007] {
            for (text, read) in [
                (created_text(value), read_created as fn(&str) -> Option<u64>),
                (saved_text(value), read_saved),
            ] {
                if let Some(text) = text {
                    assert_eq!(read(&text), Some(value), "{text}");
                }
            }
        }
        assert_eq!(read_saved("yesterday"), None);
        assert_eq!(created_text(0), None);
        assert_eq!(saved_text(u64::MAX), None);
        assert_eq!(created_text(u64::MAX), None);
    }

    #[test]
    fn a_field_beyond_the_record_is_not_there() {
        let mut file = Vec::new();
        for word in [8_u32, 78, 2, 0, 0, 0, 0, 0] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        let mut record = [0xff; 78];
        record[..4].copy_from_slice(&[0, 0, 0, 5]);
        file.extend_from_slice(&record);
        let seconds = CbhSecondHeaders::new(FileBytes::from(file)).expect("a file");
        assert_eq!((seconds.count(), seconds.claimed), (1, 2));
        let second = seconds.get(1).expect("a record");
        assert_eq!(second.teams(), [Some(5), None]);
        assert!(second.rating_kinds()[1].is_some());
        assert_eq!((second.version(), second.title()), (None, None));
        assert!(seconds.get(2).is_none() && seconds.get(0).is_none());
    }
}
