//! The bytes of index entries and headers, both ways.
//!
//! Fields have their stored values here; they are interpreted where they are used. Names are in [`super::names`], game
//! records in [`super::record`].

use tabiya_model::date::Date;

/// The three generations of Scid's database.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScidVersion {
    /// `.si3`, `.sg3`, `.sn3`.
    Si3,
    /// `.si4`, `.sg4`, `.sn4`.
    Si4,
    /// `.si5`, `.sg5`, `.sn5`.
    Si5,
}

impl ScidVersion {
    /// The name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            ScidVersion::Si3 => "si3",
            ScidVersion::Si4 => "si4",
            ScidVersion::Si5 => "si5",
        }
    }

    /// Bytes of one index entry.
    pub fn entry_size(self) -> usize {
        match self {
            ScidVersion::Si3 => 46,
            ScidVersion::Si4 => 47,
            ScidVersion::Si5 => 56,
        }
    }

    /// Bytes before the first entry.
    pub fn header_size(self) -> usize {
        match self {
            ScidVersion::Si3 => 128,
            ScidVersion::Si4 => 182,
            ScidVersion::Si5 => 0,
        }
    }

    /// Extensions of index, game and name file.
    pub fn extensions(self) -> [&'static str; 3] {
        match self {
            ScidVersion::Si3 => ["si3", "sg3", "sn3"],
            ScidVersion::Si4 => ["si4", "sg4", "sn4"],
            ScidVersion::Si5 => ["si5", "sg5", "sn5"],
        }
    }

    /// The version that an extension belongs to, in any case.
    pub fn of_extension(extension: &str) -> Option<ScidVersion> {
        [ScidVersion::Si3, ScidVersion::Si4, ScidVersion::Si5]
            .into_iter()
            .find(|version| {
                version
                    .extensions()
                    .iter()
                    .any(|known| extension.eq_ignore_ascii_case(known))
            })
    }

    /// How many names of each kind an index can refer to.
    pub fn name_limits(self) -> [u64; 4] {
        match self {
            ScidVersion::Si3 | ScidVersion::Si4 => {
                [(1 << 20) - 1, (1 << 19) - 1, (1 << 19) - 1, (1 << 18) - 1]
            }
            ScidVersion::Si5 => [1 << 28, 1 << 28, 1 << 32, 1 << 31],
        }
    }

    /// The number of games that a database can hold.
    pub fn game_limit(self) -> u64 {
        match self {
            ScidVersion::Si3 => 16_000_000,
            ScidVersion::Si4 => 16_777_214,
            ScidVersion::Si5 => (1 << 32) - 2,
        }
    }

    /// The size limit of the game file.
    pub fn games_file_limit(self) -> u64 {
        match self {
            ScidVersion::Si3 | ScidVersion::Si4 => u32::MAX as u64,
            ScidVersion::Si5 => 1 << 46,
        }
    }
}

/// The most bytes of a game record: its length is a field of 17 bits.
pub const MAX_RECORD: usize = (1 << 17) - 1;

/// No record crosses a multiple of this in the game file.
pub const BLOCK: u64 = 1 << 17;

/// The first bytes of index and name files.
pub const INDEX_MAGIC: &[u8; 8] = b"Scid.si\0";
/// The first bytes of name files of si3 and si4.
pub const NAMES_MAGIC: &[u8; 8] = b"Scid.sn\0";
/// The bytes that Scidb writes at the start of game files; two bytes of version follow.
pub const GAMES_MAGIC: &[u8; 8] = b"Scid.sg\0";

/// The kinds of names, by their number in name files.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ScidNameKind {
    /// White and Black.
    Player,
    /// The event.
    Event,
    /// The site.
    Site,
    /// The round.
    Round,
}

impl ScidNameKind {
    /// All kinds in the order of name files.
    pub const ALL: [ScidNameKind; 4] = [
        ScidNameKind::Player,
        ScidNameKind::Event,
        ScidNameKind::Site,
        ScidNameKind::Round,
    ];

    /// A word for people.
    pub fn word(self) -> &'static str {
        match self {
            ScidNameKind::Player => "player",
            ScidNameKind::Event => "event",
            ScidNameKind::Site => "site",
            ScidNameKind::Round => "round",
        }
    }
}

/// Bits of [`ScidEntry::flags`].
pub mod flag {
    /// The game starts from a custom starting position.
    pub const SETUP: u32 = 1;
    /// The main line has a promotion.
    pub const PROMOTION: u32 = 1 << 1;
    /// The main line has a promotion to something other than a queen.
    pub const UNDER_PROMOTION: u32 = 1 << 2;
    /// The game is marked as deleted.
    pub const DELETED: u32 = 1 << 3;
    /// Flags that follow from the moves.
    pub const DERIVED: u32 = SETUP | PROMOTION | UNDER_PROMOTION;
    /// The letters of all flags, by bit.
    pub const LETTERS: [u8; 22] = *b"SXYDWBMENPTKQ!?U123456";
}

/// One entry of the index: everything that is known about a game without its record.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct ScidEntry {
    /// The offset of the record in the game file.
    pub offset: u64,
    /// The length of the record.
    pub length: u32,
    /// Flags, see [`flag`].
    pub flags: u32,
    /// Number of White's name among the players.
    pub white: u32,
    /// Number of Black's name among the players.
    pub black: u32,
    /// Number of the event's name.
    pub event: u32,
    /// Number of the site's name.
    pub site: u32,
    /// Number of the round's name.
    pub round: u32,
    /// Rounded number of variations, see [`decode_count`].
    pub variations: u8,
    /// Rounded number of comments.
    pub comments: u8,
    /// Rounded number of NAGs.
    pub nags: u8,
    /// The result, 0 to 3.
    pub outcome: u8,
    /// The ECO code, 0 for none.
    pub eco: u16,
    /// The date in 20 bits, 0 for an unknown part.
    pub date: u32,
    /// The event's date in 20 bits, 0 for none; relative to the date in files before si5.
    pub event_date: u32,
    /// White's rating, 0 for none.
    pub white_rating: u16,
    /// Black's rating, 0 for none.
    pub black_rating: u16,
    /// The list that White's rating comes from.
    pub white_rating_kind: u8,
    /// The list that Black's rating comes from.
    pub black_rating_kind: u8,
    /// The stored line with which the main line begins, 0 for none.
    pub stored_line: u8,
    /// The material at the end of the main line.
    pub material: u32,
    /// Plies of the main line modulo 1024.
    pub plies: u16,
    /// Length of the list of home pawns.
    pub home_count: u8,
    /// The home pawns in the order in which they left, four bits each.
    pub home: [u8; 8],
    /// Castling by the rules of Chess960; si5 only.
    pub chess960: bool,
}

impl ScidEntry {
    /// The date.
    pub fn date(&self) -> Date {
        Date::from_scid(self.date)
    }

    /// The date of the event, if there is one.
    pub fn event_date(&self) -> Option<Date> {
        (self.event_date != 0).then(|| Date::from_scid(self.event_date))
    }

    /// Whether a flag is set.
    pub fn has(&self, bits: u32) -> bool {
        self.flags & bits != 0
    }

    /// The number of a name.
    pub fn name(&self, kind: ScidNameKind, black: bool) -> u32 {
        match kind {
            ScidNameKind::Player if black => self.black,
            ScidNameKind::Player => self.white,
            ScidNameKind::Event => self.event,
            ScidNameKind::Site => self.site,
            ScidNameKind::Round => self.round,
        }
    }

    /// Reads an entry; `None` if there are too few bytes.
    #[inline]
    pub fn decode(version: ScidVersion, bytes: &[u8]) -> Option<ScidEntry> {
        match version {
            ScidVersion::Si3 => {
                let b: &[u8; 46] = bytes.first_chunk()?;
                // The same as si4, apart from the byte with the high bit of the length and custom flags.
                let mut wide = [0; 47];
                wide[..6].copy_from_slice(&b[..6]);
                wide[7..].copy_from_slice(&b[6..]);
                Some(decode_si4(&wide))
            }
            ScidVersion::Si4 => bytes.first_chunk().map(decode_si4),
            ScidVersion::Si5 => bytes.first_chunk().map(decode_si5),
        }
    }

    /// Calls `each` with every entry of a run of them. Fields that `each` does not use are not decoded.
    #[inline]
    pub fn for_each(version: ScidVersion, bytes: &[u8], each: impl FnMut(ScidEntry)) {
        match version {
            ScidVersion::Si3 => bytes
                .as_chunks::<46>()
                .0
                .iter()
                .filter_map(|entry| ScidEntry::decode(version, entry))
                .for_each(each),
            ScidVersion::Si4 => bytes.as_chunks().0.iter().map(decode_si4).for_each(each),
            ScidVersion::Si5 => bytes.as_chunks().0.iter().map(decode_si5).for_each(each),
        }
    }

    /// Appends the entry to a buffer. Values that exceed their field are truncated: writers check them before.
    #[inline]
    pub fn encode(&self, version: ScidVersion, out: &mut Vec<u8>) {
        match version {
            ScidVersion::Si3 => {
                let b = encode_si4(self);
                out.extend_from_slice(&b[..6]);
                out.extend_from_slice(&b[7..]);
            }
            ScidVersion::Si4 => out.extend_from_slice(&encode_si4(self)),
            ScidVersion::Si5 => out.extend_from_slice(&encode_si5(self)),
        }
    }
}

fn low8(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

fn low16(value: u32) -> u16 {
    let [a, b, _, _] = value.to_le_bytes();
    u16::from_le_bytes([a, b])
}

fn low32(value: u64) -> u32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[inline(always)]
fn decode_si4(b: &[u8; 47]) -> ScidEntry {
    let u16_at = |i: usize| u32::from(u16::from_be_bytes([b[i], b[i + 1]]));
    let u32_at = |i: usize| u32::from_be_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
    let byte = |i: usize| u32::from(b[i]);
    let ids = byte(14);
    let counts = u16_at(21);
    let dates = u32_at(25);
    let date = dates & 0xf_ffff;
    let (white, black) = (u16_at(29), u16::from_be_bytes([b[31], b[32]]));
    let mut home = [0; 8];
    home.copy_from_slice(&b[39..47]);
    ScidEntry {
        offset: u64::from(u32_at(0)),
        length: u16_at(4) | (byte(6) & 0x80) << 9,
        flags: u16_at(7) | (byte(6) & 0x3f) << 16,
        white: u16_at(10) | (byte(9) & 0xf0) << 12,
        black: u16_at(12) | (byte(9) & 0x0f) << 16,
        event: u16_at(15) | (ids & 0xe0) << 11,
        site: u16_at(17) | (ids & 0x1c) << 14,
        round: u16_at(19) | (ids & 0x03) << 16,
        variations: low8(counts & 15),
        comments: low8(counts >> 4 & 15),
        nags: low8(counts >> 8 & 15),
        outcome: low8(counts >> 12 & 3),
        eco: low16(u16_at(23)),
        date,
        event_date: event_date_from_relative(dates >> 20, date),
        white_rating: low16(white & 0xfff),
        black_rating: black & 0xfff,
        white_rating_kind: low8(white >> 12),
        black_rating_kind: b[31] >> 4,
        stored_line: b[33],
        material: u32::from_be_bytes([0, b[34], b[35], b[36]]),
        plies: u16::from(b[37]) | u16::from(b[38] & 0xc0) << 2,
        home_count: b[38] & 0x3f,
        home,
        chess960: false,
    }
}

fn encode_si4(e: &ScidEntry) -> [u8; 47] {
    let mut b = [0; 47];
    b[0..4].copy_from_slice(&low32(e.offset).to_be_bytes());
    b[4..6].copy_from_slice(&low16(e.length).to_be_bytes());
    b[6] = low8((e.length >> 16 & 1) << 7 | e.flags >> 16 & 0x3f);
    b[7..9].copy_from_slice(&low16(e.flags).to_be_bytes());
    b[9] = low8((e.white >> 16 & 15) << 4 | e.black >> 16 & 15);
    b[10..12].copy_from_slice(&low16(e.white).to_be_bytes());
    b[12..14].copy_from_slice(&low16(e.black).to_be_bytes());
    b[14] = low8((e.event >> 16 & 7) << 5 | (e.site >> 16 & 7) << 2 | e.round >> 16 & 3);
    b[15..17].copy_from_slice(&low16(e.event).to_be_bytes());
    b[17..19].copy_from_slice(&low16(e.site).to_be_bytes());
    b[19..21].copy_from_slice(&low16(e.round).to_be_bytes());
    let counts = u16::from(e.variations & 15)
        | u16::from(e.comments & 15) << 4
        | u16::from(e.nags & 15) << 8
        | u16::from(e.outcome & 15) << 12;
    b[21..23].copy_from_slice(&counts.to_be_bytes());
    b[23..25].copy_from_slice(&e.eco.to_be_bytes());
    let relative = event_date_to_relative(e.event_date, e.date).unwrap_or(0);
    b[25..29].copy_from_slice(&(e.date & 0xf_ffff | relative << 20).to_be_bytes());
    let white = e.white_rating & 0xfff | u16::from(e.white_rating_kind & 15) << 12;
    b[29..31].copy_from_slice(&white.to_be_bytes());
    let black = e.black_rating & 0xfff | u16::from(e.black_rating_kind & 15) << 12;
    b[31..33].copy_from_slice(&black.to_be_bytes());
    b[33] = e.stored_line;
    let [_, m2, m1, m0] = e.material.to_be_bytes();
    b[34..37].copy_from_slice(&[m2, m1, m0]);
    b[37] = low8(u32::from(e.plies));
    b[38] = low8(u32::from(e.plies) >> 8 & 3) << 6 | e.home_count & 0x3f;
    b[39..47].copy_from_slice(&e.home);
    b
}

#[inline(always)]
fn decode_si5(b: &[u8; 56]) -> ScidEntry {
    let word = |i: usize| {
        let at = (i * 4) & 63;
        match b.get(at..).and_then(<[u8]>::first_chunk::<4>) {
            Some(bytes) => u32::from_le_bytes(*bytes),
            None => 0,
        }
    };
    const LOW28: u32 = (1 << 28) - 1;
    const LOW20: u32 = (1 << 20) - 1;
    let last = word(11);
    let mut home = [0; 8];
    home.copy_from_slice(&b[48..56]);
    ScidEntry {
        offset: u64::from(word(8) & 0x7fff) << 32 | u64::from(word(9)),
        length: word(8) >> 15,
        flags: word(7) & 0x3f_ffff,
        white: word(0) & LOW28,
        black: word(1) & LOW28,
        event: word(2) & LOW28,
        site: word(3),
        round: word(4) & (u32::MAX >> 1),
        variations: low8(word(1) >> 28),
        comments: low8(word(0) >> 28),
        nags: low8(word(2) >> 28),
        outcome: low8(last >> 16 & 3),
        eco: low16(last),
        date: word(5) & LOW20,
        event_date: word(6) & LOW20,
        white_rating: low16(word(5) >> 20),
        black_rating: low16(word(6) >> 20),
        white_rating_kind: low8(last >> 21 & 7),
        black_rating_kind: low8(last >> 18 & 7),
        stored_line: low8(word(10) >> 24),
        material: word(10) & 0xff_ffff,
        plies: low16(word(7) >> 22),
        home_count: low8(last >> 24),
        home,
        chess960: word(4) >> 31 != 0,
    }
}

fn encode_si5(e: &ScidEntry) -> [u8; 56] {
    let high = |value: u8| u32::from(value & 15) << 28;
    const LOW28: u32 = (1 << 28) - 1;
    const LOW20: u32 = (1 << 20) - 1;
    let [.., o3, o2, o1, o0] = (e.offset >> 32).to_be_bytes();
    let offset_high = u32::from_be_bytes([o3, o2, o1, o0]) & 0x7fff;
    let words = [
        high(e.comments) | e.white & LOW28,
        high(e.variations) | e.black & LOW28,
        high(e.nags) | e.event & LOW28,
        e.site,
        u32::from(e.chess960) << 31 | e.round & (u32::MAX >> 1),
        u32::from(e.white_rating & 0xfff) << 20 | e.date & LOW20,
        u32::from(e.black_rating & 0xfff) << 20 | e.event_date & LOW20,
        u32::from(e.plies & 0x3ff) << 22 | e.flags & 0x3f_ffff,
        (e.length & 0x1_ffff) << 15 | offset_high,
        low32(e.offset),
        u32::from(e.stored_line) << 24 | e.material & 0xff_ffff,
        u32::from(e.home_count) << 24
            | u32::from(e.white_rating_kind & 7) << 21
            | u32::from(e.black_rating_kind & 7) << 18
            | u32::from(e.outcome & 3) << 16
            | u32::from(e.eco),
    ];
    let mut b = [0; 56];
    for (chunk, word) in b.chunks_exact_mut(4).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    b[48..56].copy_from_slice(&e.home);
    b
}

/// The absolute event date for the 12 bits in si3 and si4.
fn event_date_from_relative(bits: u32, date: u32) -> u32 {
    let year_code = bits >> 9 & 7;
    if year_code == 0 {
        return 0;
    }
    // A year before the first one, or beyond the field of si5, counts as unknown.
    let year = (date >> 9 & 0x7ff)
        .saturating_add(year_code)
        .saturating_sub(4);
    let year = if year > 0x7ff { 0 } else { year };
    year << 9 | bits & 0x1ff
}

/// The 12 bits of an event date in si4; `None` if its year is too far away.
///
/// If there is neither an event date nor a date, the year code is 4, as written by new versions of Scid.
pub fn event_date_to_relative(event_date: u32, date: u32) -> Option<u32> {
    let (event_year, year) = (event_date >> 9 & 0x7ff, date >> 9 & 0x7ff);
    let code = (event_year + 4)
        .checked_sub(year)
        .filter(|code| (1..=7).contains(code))?;
    Some(code << 9 | event_date & 0x1ff)
}

/// The four bits for a number of variations, comments or NAGs.
pub fn encode_count(count: u32) -> u8 {
    match count {
        0..=10 => low8(count),
        11..=12 => 10,
        13..=17 => 11,
        18..=24 => 12,
        25..=34 => 13,
        35..=44 => 14,
        _ => 15,
    }
}

/// The number for four bits, as shown by Scid.
pub fn decode_count(code: u8) -> u32 {
    match code & 15 {
        11 => 15,
        12 => 20,
        13 => 30,
        14 => 40,
        15 => 50,
        exact => u32::from(exact),
    }
}

/// The header of an si3 or si4 index.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Si4Header {
    /// The version word: 400, or 300 for the layout of si3.
    pub version: u16,
    /// The number of the type.
    pub kind: u32,
    /// The number of games.
    pub games: u32,
    /// The stored autoload field; its meaning depends on the program that wrote it.
    pub autoload: u32,
    /// The description.
    pub description: Vec<u8>,
    /// The labels of the six custom flags.
    pub labels: [Vec<u8>; 6],
}

/// The most bytes of a description.
pub const MAX_DESCRIPTION: usize = 107;
/// The most bytes of a label of a custom flag.
pub const MAX_LABEL: usize = 8;

impl Si4Header {
    /// Reads a header; `None` if there are too few bytes or the magic differs. The labels are read if the version has them.
    pub fn decode(bytes: &[u8]) -> Option<Si4Header> {
        let b: &[u8; 128] = bytes.first_chunk()?;
        if !b.starts_with(INDEX_MAGIC) {
            return None;
        }
        let version = u16::from_be_bytes([b[8], b[9]]);
        let labels = if version < 400 {
            &[][..]
        } else {
            bytes.get(128..182)?
        };
        let mut header = Si4Header {
            version,
            kind: u32::from_be_bytes([b[10], b[11], b[12], b[13]]),
            games: u32::from_be_bytes([0, b[14], b[15], b[16]]),
            autoload: u32::from_be_bytes([0, b[17], b[18], b[19]]),
            description: until_nul(&b[20..20 + MAX_DESCRIPTION]).to_vec(),
            labels: Default::default(),
        };
        for (label, field) in header
            .labels
            .iter_mut()
            .zip(labels.chunks_exact(MAX_LABEL + 1))
        {
            *label = until_nul(field.get(..MAX_LABEL).unwrap_or(field)).to_vec();
        }
        Some(header)
    }

    /// The bytes of an si4 header. Texts that are too long are truncated: writers check them before.
    pub fn encode(&self) -> [u8; 182] {
        let mut b = [0; 182];
        b[..8].copy_from_slice(INDEX_MAGIC);
        b[8..10].copy_from_slice(&self.version.to_be_bytes());
        b[10..14].copy_from_slice(&self.kind.to_be_bytes());
        b[14..17].copy_from_slice(&self.games.to_be_bytes()[1..]);
        b[17..20].copy_from_slice(&self.autoload.to_be_bytes()[1..]);
        for (to, from) in b[20..20 + MAX_DESCRIPTION]
            .iter_mut()
            .zip(&self.description)
        {
            *to = *from;
        }
        for (field, label) in b[128..].chunks_exact_mut(MAX_LABEL + 1).zip(&self.labels) {
            for (to, from) in field.iter_mut().take(MAX_LABEL).zip(label) {
                *to = *from;
            }
        }
        b
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&b| b == 0).next().unwrap_or(bytes)
}

/// The words that Scid shows for types.
pub const KINDS: [&str; 32] = [
    "Unknown",
    "Temporary",
    "Clipbase",
    "PGN file",
    "My games",
    "Large database",
    "Correspondence",
    "Computer chess",
    "Sorted index",
    "Player collection",
    "Tournament: all-play-all",
    "Tournament: Swiss",
    "Grandmaster games",
    "International master games",
    "Blitz",
    "Tactics",
    "Endgames",
    "Openings for White",
    "Openings for Black",
    "Openings for both sides",
    "Theory: 1.c4",
    "Theory: 1.d4",
    "Theory: 1.d4 d5",
    "Theory: Queen's Gambit Declined",
    "Theory: Slav",
    "Theory: 1.d4 Nf6",
    "Theory: 1.e4",
    "Theory: Sicilian",
    "Theory: Sicilian 2.Nf3 d6 3.d4",
    "Theory: Caro-Kann",
    "Theory: French",
    "Theory: Open games",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_are_rounded_at_the_right_places() {
        let codes: Vec<u8> = [10, 11, 12, 13, 17, 18, 24, 25, 34, 35, 44, 45, 9999]
            .into_iter()
            .map(encode_count)
            .collect();
        assert_eq!(codes, [10, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15]);
        assert_eq!((decode_count(15), decode_count(7)), (50, 7));
    }

    #[test]
    fn event_dates_reach_three_years() {
        let date = |y: u32, m: u32, d: u32| y << 9 | m << 5 | d;
        for (event, kept) in [(1989, true), (1995, true), (1988, false), (1996, false)] {
            let event = date(event, 5, 6);
            let bits = event_date_to_relative(event, date(1992, 1, 1));
            assert_eq!(bits.is_some(), kept);
            if let Some(bits) = bits {
                assert_eq!(event_date_from_relative(bits, date(1992, 1, 1)), event);
            }
        }
        assert_eq!(event_date_to_relative(0, 0), Some(0x800));
        assert_eq!(event_date_to_relative(0, date(1992, 0, 0)), None);
        assert_eq!(event_date_from_relative(0x800, 0), 0);
    }

    #[test]
    fn a_header_comes_back_and_a_cut_one_does_not() {
        let header = Si4Header {
            version: 400,
            kind: 5,
            games: 0x01_0203,
            autoload: 1,
            description: b"One base".to_vec(),
            labels: [
                b"one".to_vec(),
                b"12345678".to_vec(),
                vec![],
                vec![],
                vec![],
                vec![],
            ],
        };
        let bytes = header.encode();
        assert_eq!(Si4Header::decode(&bytes), Some(header));
        for length in 0..bytes.len() {
            assert_eq!(Si4Header::decode(&bytes[..length]), None);
        }
    }

    proptest! {
        #[test]
        fn any_si5_entry_is_written_as_it_was_read(bytes: [[u8; 28]; 2]) {
            let bytes = bytes.concat();
            let entry = ScidEntry::decode(ScidVersion::Si5, &bytes).expect("whole");
            let mut again = Vec::new();
            entry.encode(ScidVersion::Si5, &mut again);
            prop_assert_eq!(again, bytes);
        }

        #[test]
        fn any_si4_entry_keeps_its_meaning(a: [u8; 24], b: [u8; 23]) {
            let bytes = [&a[..], &b[..]].concat();
            let entry = ScidEntry::decode(ScidVersion::Si4, &bytes).expect("whole");
            let mut again = Vec::new();
            entry.encode(ScidVersion::Si4, &mut again);
            let read = ScidEntry::decode(ScidVersion::Si4, &again).expect("whole");
            // A missing event date has several forms.
            prop_assert_eq!(read, ScidEntry { event_date: read.event_date, ..entry });
            prop_assert!(read.event_date == entry.event_date || entry.event_date >> 9 == 0);
            for length in 0..bytes.len() {
                prop_assert!(ScidEntry::decode(ScidVersion::Si4, &bytes[..length]).is_none());
            }
        }
    }
}
