//! The bytes of the files as typed records: the CDP, game headers, player facts, tables of addresses, dates, lengths.
//!
//! Nothing here knows chess rules or checks values.

/// Bytes of the CDP before the database comment.
pub const CDP_BYTES: usize = 112;
/// Bytes of a game's header in the D00.
pub const HEADER_BYTES: usize = 38;
/// Bytes of a player's facts in `Players.d00`.
pub const PLAYER_BYTES: usize = 10;
/// The longest record in the D02, without its length field.
pub const RECORD_MAX: usize = 0x7fff;
/// The first bytes of CDP and EMB, as written here.
pub const SIGNATURE: &[u8] = b"Chess Assistant 3.0 database.";
/// The version text of the one known CDP.
pub const CDP_VERSION: &[u8] = b"\nChess Data Pro format. Version 1.3";
/// The version text of the one known EMB.
pub const EMB_VERSION: &[u8] = b"\nData Pro Volume format. Version 1.1";
/// The largest number of a name: a field of three bytes.
pub const ID_MAX: u32 = 0xff_ffff;

/// A fixed array from a slice, by offset.
pub(super) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

/// Four bytes at an offset as a number.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

/// A text up to its first zero.
pub fn c_string(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The content of the CDP.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CaCdp<'a> {
    /// The program that made the database.
    pub signature: &'a [u8],
    /// The version of the format.
    pub version: &'a [u8],
    /// Four bytes without a known meaning.
    pub unknown: [u8; 4],
    /// The number of games.
    pub games: u32,
    /// The length of the database comment as the file claims it.
    pub comment_length: u32,
    /// The database comment, as far as it exists.
    pub comment: &'a [u8],
}

impl<'a> CaCdp<'a> {
    /// Reads a CDP; `None` if it is shorter than its fixed part.
    pub fn read(bytes: &'a [u8]) -> Option<CaCdp<'a>> {
        let (fixed, rest) = bytes.split_at_checked(CDP_BYTES)?;
        let comment_length = u32_at(fixed, 108)?;
        let length = usize::try_from(comment_length).unwrap_or(usize::MAX);
        Some(CaCdp {
            signature: c_string(fixed.get(..50)?),
            version: c_string(fixed.get(50..100)?),
            unknown: array(fixed, 100)?,
            games: u32_at(fixed, 104)?,
            comment_length,
            comment: rest.get(..length).unwrap_or(rest),
        })
    }

    /// Whether the texts are those of a CDP of any version.
    pub fn is_known(&self) -> bool {
        contains(self.signature, b"Chess") || contains(self.version, b"Data Pro")
    }
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(text, word).is_some()
}

/// A game's header.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CaHeader {
    /// White's number in the list of players.
    pub white: u32,
    /// Black's number in the list of players.
    pub black: u32,
    /// White's Elo, 0 for none.
    pub white_elo: u16,
    /// Black's Elo, 0 for none.
    pub black_elo: u16,
    /// Result or evaluation, see the table of outcomes in the documentation.
    pub outcome: u8,
    /// The packed date, see [`unpack_date`].
    pub date: u32,
    /// The event's number.
    pub event: u32,
    /// The place's number.
    pub site: u32,
    /// The type of the game.
    pub kind: u32,
    /// The game's index in the A02.
    pub game: u32,
    /// A byte without a known meaning.
    pub unknown: u8,
    /// Twice the round.
    pub round: u8,
    /// 100 times the letter (A = 0) plus the number.
    pub eco: u16,
    /// The annotator's number in the list of players.
    pub annotator: u32,
    /// The source's number.
    pub source: u32,
}

impl CaHeader {
    /// Decodes a header.
    pub fn read(bytes: &[u8; HEADER_BYTES]) -> CaHeader {
        let b = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let u16_at = |at| u16::from_le_bytes([b(at), b(at + 1)]);
        let u24_at = |at| u32::from_le_bytes([b(at), b(at + 1), b(at + 2), 0]);
        let u32_at = |at| u32::from_le_bytes([b(at), b(at + 1), b(at + 2), b(at + 3)]);
        CaHeader {
            white: u24_at(0),
            black: u24_at(3),
            white_elo: u16_at(6),
            black_elo: u16_at(8),
            outcome: b(10),
            date: u24_at(11),
            event: u24_at(14),
            site: u24_at(17),
            kind: u32_at(20),
            game: u32_at(24),
            unknown: b(28),
            round: b(29),
            eco: u16_at(30),
            annotator: u24_at(32),
            source: u24_at(35),
        }
    }

    /// Encodes a header; numbers of names keep their lowest three bytes.
    pub fn write(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let mut at = 0;
        let mut put = |value: u32, width: usize| {
            for byte in value.to_le_bytes().into_iter().take(width) {
                if let Some(place) = bytes.get_mut(at) {
                    *place = byte;
                }
                at += 1;
            }
        };
        put(self.white, 3);
        put(self.black, 3);
        put(self.white_elo.into(), 2);
        put(self.black_elo.into(), 2);
        put(self.outcome.into(), 1);
        put(self.date, 3);
        put(self.event, 3);
        put(self.site, 3);
        put(self.kind, 4);
        put(self.game, 4);
        put(self.unknown.into(), 1);
        put(self.round.into(), 1);
        put(self.eco.into(), 2);
        put(self.annotator, 3);
        put(self.source, 3);
        bytes
    }
}

/// The data of a player in `Players.d00`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct CaPlayer {
    /// Rating, 0 for none.
    pub rating: u16,
    /// FIDE number, 0 for none.
    pub fide: u32,
    /// The packed date of birth, see [`unpack_date`].
    pub birth: u32,
    /// 0 unknown, 1 male, 2 female.
    pub sex: u8,
}

impl CaPlayer {
    /// Reads a player's facts.
    pub fn read(bytes: &[u8; PLAYER_BYTES]) -> CaPlayer {
        let [r0, r1, f0, f1, f2, f3, b0, b1, b2, sex] = *bytes;
        CaPlayer {
            rating: u16::from_le_bytes([r0, r1]),
            fide: u32::from_le_bytes([f0, f1, f2, f3]),
            birth: u32::from_le_bytes([b0, b1, b2, 0]),
            sex,
        }
    }

    /// Encodes a player's data.
    pub fn write(&self) -> [u8; PLAYER_BYTES] {
        let [r0, r1] = self.rating.to_le_bytes();
        let [f0, f1, f2, f3] = self.fide.to_le_bytes();
        let [b0, b1, b2, _] = self.birth.to_le_bytes();
        [r0, r1, f0, f1, f2, f3, b0, b1, b2, self.sex]
    }
}

/// Year, month and day of a packed date; 0 is unknown.
pub fn unpack_date(packed: u32) -> (u16, u8, u8) {
    let year = packed / (32 * 13);
    let month = packed / 32 % 13;
    let day = packed % 32;
    let byte = |part| u8::try_from(part).unwrap_or(0);
    (u16::try_from(year).unwrap_or(0), byte(month), byte(day))
}

/// A date as three bytes; `None` if a part does not fit.
pub fn pack_date(year: u16, month: u8, day: u8) -> Option<u32> {
    if month > 12 || day > 31 {
        return None;
    }
    let packed = u32::from(day) + 32 * (u32::from(month) + 13 * u32::from(year));
    (packed <= ID_MAX).then_some(packed)
}

/// The length field of a record: its own bytes, and those of the record. `None` if it is truncated.
pub fn record_length(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = usize::from(*bytes.first()?);
    if first < 128 {
        return Some((1, first));
    }
    let second = usize::from(*bytes.get(1)?);
    Some((2, (first & 127) + second * 128))
}

/// Writes the length field of a record of at most [`RECORD_MAX`] bytes.
pub fn write_record_length(length: usize, out: &mut Vec<u8>) {
    let low = u8::try_from(length & 127).unwrap_or(0);
    if length < 128 {
        out.push(low);
    } else {
        out.push(low | 128);
        out.push(u8::try_from(length / 128).unwrap_or(u8::MAX));
    }
}

/// A table of addresses with its indirections followed.
#[derive(Clone, Default, Debug)]
pub struct CaAddressTable {
    targets: Vec<u32>,
    /// Entries that are refused because they point to the same place as another one; see
    /// [`CaAddressTable::refuse_shared`].
    shared: Vec<u32>,
    /// The entries that refer to others, one bit each.
    indirect: Vec<u64>,
    /// The number of entries that are 0.
    zeros: usize,
    /// Entries that are circular or refer beyond the table.
    pub lost: u64,
    /// The first of them.
    pub first_lost: Option<usize>,
}

/// An entry that leads nowhere. Addresses are below 2³¹.
const LOST: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX - 1;
const UNDER_WAY: u32 = u32::MAX - 2;

impl CaAddressTable {
    /// Follows every indirection of a table once: a negative entry is the number of another one.
    pub fn resolve(table: &[u8]) -> CaAddressTable {
        let (entries, _) = table.as_chunks::<4>();
        let mut targets = vec![UNKNOWN; entries.len()];
        let mut indirect = vec![0_u64; entries.len().div_ceil(64)];
        let mut path = Vec::new();
        let (mut lost, mut first_lost) = (0_u64, None);
        for start in 0..entries.len() {
            let mut at = start;
            let target = loop {
                match targets.get_mut(at) {
                    // Beyond the table, or back to an entry already visited: a circle.
                    None | Some(&mut UNDER_WAY) => break LOST,
                    Some(state) if *state == UNKNOWN => *state = UNDER_WAY,
                    Some(known) => break *known,
                }
                path.push(at);
                let entry = entries
                    .get(at)
                    .map_or(0, |entry| i32::from_le_bytes(*entry));
                match u32::try_from(entry) {
                    Ok(address) => break address,
                    Err(_) => {
                        if let Some(bits) = indirect.get_mut(at / 64) {
                            *bits |= 1 << (at % 64);
                        }
                        at = usize::try_from(entry.unsigned_abs()).unwrap_or(usize::MAX);
                    }
                }
            };
            for step in path.drain(..) {
                if target == LOST {
                    lost += 1;
                    first_lost = first_lost.or(Some(start));
                }
                if let Some(state) = targets.get_mut(step) {
                    *state = target;
                }
            }
        }
        CaAddressTable {
            targets,
            shared: Vec::new(),
            indirect,
            zeros: entries.iter().filter(|entry| **entry == [0; 4]).count(),
            lost,
            first_lost,
        }
    }

    /// Refuses used entries that point to the same place as one with a lower number: only an entry that refers to
    /// another one may do so. Zeros instead of a part of the table look like that, and without zeros nothing is
    /// searched. Returns the entries, ascending.
    pub fn refuse_shared(&mut self, used: impl Iterator<Item = u32>) -> &[u32] {
        if self.zeros < 2 {
            return &[];
        }
        let is_indirect = |id: u32| {
            let bits = self.indirect.get(id as usize / 64).copied().unwrap_or(0);
            bits >> (id % 64) & 1 == 1
        };
        let direct = used.filter(|id| !is_indirect(*id));
        let target = |id: u32| self.targets.get(id as usize).copied();
        let mut places: Vec<(u32, u32)> = direct
            .filter_map(|id| Some((target(id).filter(|target| *target != LOST)?, id)))
            .collect();
        places.sort_unstable();
        places.dedup();
        let same = places.windows(2).filter_map(|pair| match *pair {
            [(place, _), (other, id)] if place == other => Some(id),
            _ => None,
        });
        self.shared = same.collect();
        self.shared.sort_unstable();
        &self.shared
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The address of a record; `None` beyond the table and for entries that lead nowhere.
    #[inline]
    pub fn get(&self, id: u32) -> Option<usize> {
        let target = *self.targets.get(usize::try_from(id).ok()?)?;
        if target == LOST || (!self.shared.is_empty() && self.shared.binary_search(&id).is_ok()) {
            return None;
        }
        usize::try_from(target).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(entries: &[i32]) -> Vec<u8> {
        entries.iter().flat_map(|e| e.to_le_bytes()).collect()
    }

    #[test]
    fn indirections_are_followed_and_circles_end() {
        let entries = [7, -2, -3, 40, -4, -6, -5, -99, i32::MIN, -7];
        let addresses = CaAddressTable::resolve(&table(&entries));
        let all: Vec<_> = (0..11).map(|id| addresses.get(id)).collect();
        let known = [Some(7), Some(40), Some(40), Some(40)];
        assert_eq!(all.get(..4), Some(&known[..]));
        assert!(all.iter().skip(4).all(Option::is_none));
        assert_eq!((addresses.lost, addresses.first_lost), (6, Some(4)));
    }

    #[test]
    fn a_long_chain_takes_one_pass() {
        let n = 200_000;
        let mut entries: Vec<i32> = (0..n).map(|i| -(i + 1)).collect();
        entries.push(5);
        let addresses = CaAddressTable::resolve(&table(&entries));
        assert_eq!(addresses.get(0), Some(5));
        assert_eq!(addresses.lost, 0);
    }

    #[test]
    fn lengths_of_records() {
        for length in [0, 1, 127, 128, 129, 255, 256, 16_383, 16_384, RECORD_MAX] {
            let mut bytes = Vec::new();
            write_record_length(length, &mut bytes);
            assert_eq!(record_length(&bytes), Some((bytes.len(), length)));
        }
        assert_eq!(record_length(&[0x80]), None);
        assert_eq!(record_length(&[]), None);
    }

    #[test]
    fn the_comment_of_a_cdp_is_what_is_there() {
        let mut bytes = vec![0; CDP_BYTES];
        bytes.extend(b"abc");
        for (claimed, comment) in [
            (0_u32, &b""[..]),
            (2, b"ab"),
            (3, b"abc"),
            (u32::MAX, b"abc"),
        ] {
            bytes.splice(108..112, claimed.to_le_bytes());
            let cdp = CaCdp::read(&bytes).expect("long enough");
            assert_eq!((cdp.comment, cdp.comment_length), (comment, claimed));
        }
        assert!(CaCdp::read(&[0; 111]).is_none());
    }

    proptest! {
        #[test]
        fn headers_come_back(bytes: [u8; 32], more: [u8; 6]) {
            let mut header = [0; HEADER_BYTES];
            for (place, byte) in header.iter_mut().zip(bytes.into_iter().chain(more)) {
                *place = byte;
            }
            prop_assert_eq!(CaHeader::read(&header).write(), header);
        }

        #[test]
        fn players_come_back(bytes: [u8; PLAYER_BYTES]) {
            prop_assert_eq!(CaPlayer::read(&bytes).write(), bytes);
        }

        #[test]
        fn dates_come_back(packed in 0..=ID_MAX) {
            let (year, month, day) = unpack_date(packed);
            prop_assert_eq!(pack_date(year, month, day), Some(packed));
        }
    }
}
