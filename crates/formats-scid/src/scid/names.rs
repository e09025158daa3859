//! Name files: front-coded and sorted in sn3 and sn4, appended one by one in sn5.

use std::borrow::Cow;

use super::codes;
use super::layout::{NAMES_MAGIC, ScidNameKind, ScidVersion};
use tabiya_io::mmap::FileBytes;
use tabiya_model::charset::Charset;
use tabiya_model::charset::detect::CharsetDetector;
use tabiya_model::{Diagnostics, Location};

/// The place of a name's bytes.
#[derive(Copy, Clone, Debug)]
struct ScidNameSpan {
    start: u32,
    length: u32,
}

/// A number without a name.
const MISSING: ScidNameSpan = ScidNameSpan {
    start: u32::MAX,
    length: u32::MAX,
};

/// The names of a database by their numbers, and the extra information of sn5.
#[derive(Debug)]
pub struct ScidNames {
    /// The file itself (sn5), or the unfolded names.
    bytes: ScidNameBytes,
    spans: [Vec<ScidNameSpan>; 4],
    /// Keys and values of the database, in the order of the file; sn5 only.
    pub info: Vec<(String, Vec<u8>)>,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The legacy charset detected from the names that are not UTF-8.
    pub charset: Option<Charset>,
    /// The frequencies of an sn4 file by number, if they were requested.
    pub frequencies: Option<[Vec<u32>; 4]>,
}

#[derive(Debug)]
enum ScidNameBytes {
    File(FileBytes),
    Own(Vec<u8>),
}

impl ScidNameBytes {
    fn get(&self, span: ScidNameSpan) -> Option<&[u8]> {
        let bytes: &[u8] = match self {
            ScidNameBytes::File(bytes) => bytes,
            ScidNameBytes::Own(bytes) => bytes,
        };
        let start = usize::try_from(span.start).ok()?;
        bytes.get(start..start.checked_add(usize::try_from(span.length).ok()?)?)
    }
}

/// This many names that are not UTF-8 are enough to detect their charset.
const GUESS_NAMES: u32 = 1000;

/// Keys of database information in sn5.
pub const INFO_KEYS: [&str; 9] = [
    "type",
    "description",
    "autoload",
    "flag1",
    "flag2",
    "flag3",
    "flag4",
    "flag5",
    "flag6",
];

impl ScidNames {
    /// No names at all: every game refers to missing ones.
    pub fn none() -> ScidNames {
        ScidNames {
            bytes: ScidNameBytes::Own(Vec::new()),
            spans: Default::default(),
            info: Vec::new(),
            diagnostics: Diagnostics::default(),
            charset: None,
            frequencies: None,
        }
    }

    /// Reads a name file. Damage is reported in the diagnostics; the names before it are kept. With `audit`, the
    /// requirements of Scid's programs are checked too. `budget` bounds the memory of unfolded names.
    pub fn read(version: ScidVersion, file: FileBytes, audit: bool, budget: usize) -> ScidNames {
        let mut names = ScidNames::none();
        match version {
            ScidVersion::Si5 => {
                if names.read_sn5(file, audit) {
                    return names;
                }
            }
            ScidVersion::Si3 | ScidVersion::Si4 => names.read_sn4(version, &file, audit, budget),
        }
        names.charset = names.guess();
        names
    }

    /// The number of numbers of a kind.
    pub fn len(&self, kind: ScidNameKind) -> usize {
        self.spans[kind as usize].len()
    }

    /// The name of a number.
    #[inline]
    pub fn get(&self, kind: ScidNameKind, number: u32) -> Option<&[u8]> {
        let span = *self.spans[kind as usize].get(usize::try_from(number).ok()?)?;
        self.bytes.get(span)
    }

    /// The last value of a key of the database's information.
    pub fn info(&self, key: &str) -> Option<&[u8]> {
        self.info
            .iter()
            .rev()
            .find(|(known, _)| known == key)
            .map(|(_, value)| &value[..])
    }

    /// The charset of the names that are not UTF-8.
    fn guess(&self) -> Option<Charset> {
        let mut detector = CharsetDetector::new();
        let mut left = GUESS_NAMES;
        for span in self.spans.iter().flatten() {
            let Some(name) = self.bytes.get(*span).filter(|name| !is_ascii(name)) else {
                continue;
            };
            if std::str::from_utf8(name).is_err() {
                detector.push(name);
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
        if left == GUESS_NAMES {
            return None;
        }
        Some(detector.guess().charset)
            .filter(|charset| charset.is_single_byte() && *charset != Charset::Ascii)
    }

    fn bad(&mut self, offset: usize, message: impl Into<String>) {
        let message = message.into();
        self.diagnostics.report(
            &codes::BAD_NAMES,
            || Location::byte(offset as u64),
            || message,
        );
    }

    /// Returns whether all names are ASCII.
    fn read_sn5(&mut self, file: FileBytes, audit: bool) -> bool {
        let bytes: &[u8] = &file;
        let mut at = 0;
        // Bytes from 128 on, in the lengths and in everything: counting them is faster than examining each name.
        let mut in_lengths = 0;
        let high = bytes.iter().filter(|byte| !byte.is_ascii()).count();
        while at < bytes.len() {
            let start = at;
            let Some((value, data)) = varint(bytes, at) else {
                self.bad(start, "the length of a name is truncated or too large");
                break;
            };
            in_lengths += data - start - 1;
            let length = value >> 3;
            let end = usize::try_from(length)
                .ok()
                .and_then(|length| data.checked_add(length));
            let Some(text) = end.and_then(|end| bytes.get(data..end)) else {
                let left = bytes.len().saturating_sub(data);
                self.bad(
                    start,
                    format!("a name of {length} bytes is truncated after {left}"),
                );
                break;
            };
            at = data + text.len();
            let (Ok(offset), Ok(length)) = (u32::try_from(data), u32::try_from(text.len())) else {
                self.bad(start, "names beyond 4 GiB are not read");
                break;
            };
            match usize::try_from(value & 7).unwrap_or(7) {
                4 => self.read_info(text),
                kind => match self.spans.get_mut(kind) {
                    Some(spans) => {
                        spans.push(ScidNameSpan {
                            start: offset,
                            length,
                        });
                        if audit && length >= 255 {
                            self.long_name(start, text);
                        }
                    }
                    None => self.diagnostics.report(
                        &codes::UNKNOWN_NAME_RECORD,
                        || Location::byte(start as u64),
                        || format!("kind {kind}, {length} bytes"),
                    ),
                },
            }
        }
        self.bytes = ScidNameBytes::File(file);
        // Programs give a name one number. Zeros in place of names look like many empty ones.
        let empty =
            |spans: &Vec<ScidNameSpan>| spans.iter().filter(|span| span.length == 0).count();
        if let Some(most) = self.spans.iter().map(empty).max().filter(|most| *most > 1) {
            self.bad(0, format!("{most} names of one kind are empty"));
        }
        high == in_lengths
    }

    fn long_name(&mut self, at: usize, text: &[u8]) {
        self.diagnostics.report(
            &codes::LONG_NAME,
            || Location::byte(at as u64),
            || format!("{} bytes: {}", text.len(), String::from_utf8_lossy(text)),
        );
    }

    fn read_info(&mut self, text: &[u8]) {
        let key = INFO_KEYS
            .iter()
            .find(|key| text.starts_with(key.as_bytes()));
        if let Some(key) = key
            && let Some(value) = text.get(key.len()..)
        {
            self.info.push(((*key).to_owned(), value.to_vec()));
        }
    }

    fn read_sn4(&mut self, version: ScidVersion, bytes: &[u8], audit: bool, budget: usize) {
        let Some(header) = bytes
            .first_chunk::<36>()
            .filter(|h| h.starts_with(NAMES_MAGIC))
        else {
            self.bad(0, "not a name file");
            return;
        };
        let number = |at: usize| {
            let b = header.get(at..at + 3).unwrap_or(&[0; 3]);
            b.iter().fold(0_usize, |n, b| n << 8 | usize::from(*b))
        };
        let mut own: Vec<u8> = Vec::new();
        let mut at = header.len();
        let mut previous: Vec<u8> = Vec::new();
        let mut frequencies: [Vec<u32>; 4] = Default::default();
        'kinds: for kind in ScidNameKind::ALL {
            let (count, most) = (
                number(12 + 3 * kind as usize),
                number(24 + 3 * kind as usize),
            );
            let limit = usize::try_from(version.name_limits()[kind as usize]).unwrap_or(usize::MAX);
            if count > limit + 1 {
                self.bad(
                    12 + 3 * kind as usize,
                    format!("{count} {}s are more than the maximum", kind.word()),
                );
            }
            let id_width = if count >= 1 << 16 { 3 } else { 2 };
            let frequency_width = match most {
                0..=255 => 1,
                256..=65535 => 2,
                _ => 3,
            };
            // A claimed count is trusted as far as the file has room for it.
            let room = bytes.len().saturating_sub(at) / (id_width + frequency_width + 1);
            let known = count.min(room + 1);
            let spans = &mut self.spans[kind as usize];
            spans.resize(known, MISSING);
            if audit {
                frequencies[kind as usize].resize(known, 0);
            }
            previous.clear();
            for index in 0..count {
                let start = at;
                let mut field = |width: usize| -> Option<usize> {
                    let b = bytes.get(at..at + width)?;
                    at += width;
                    Some(b.iter().fold(0_usize, |n, b| n << 8 | usize::from(*b)))
                };
                let fields = (|| {
                    let id = field(id_width)?;
                    let frequency = field(frequency_width)?;
                    let length = field(1)?;
                    let prefix = if index == 0 { 0 } else { field(1)? };
                    Some((id, frequency, length, prefix))
                })();
                let Some((id, frequency, length, prefix)) = fields else {
                    let missing = count - index;
                    self.bad(
                        start,
                        format!("the file ends before the last {missing} {}s", kind.word()),
                    );
                    break 'kinds;
                };
                let suffix = length
                    .checked_sub(prefix)
                    .and_then(|n| bytes.get(at..at + n));
                let Some(suffix) = suffix.filter(|_| prefix <= previous.len()) else {
                    let missing = count - index;
                    self.bad(start, format!("a {} is truncated or refers to more than the name before it; {missing} \
                                             are missing", kind.word()));
                    break 'kinds;
                };
                at += suffix.len();
                let is_ordered = audit && {
                    let mut name = previous.get(..prefix).unwrap_or(&[]).to_vec();
                    name.extend_from_slice(suffix);
                    index == 0 || scid_order(&previous, &name).is_lt()
                };
                previous.truncate(prefix);
                previous.extend_from_slice(suffix);
                if audit {
                    if index > 0 && !is_ordered {
                        let text = String::from_utf8_lossy(&previous).into_owned();
                        self.diagnostics.report(
                            &codes::NAME_ORDER,
                            || Location::byte(start as u64),
                            || text,
                        );
                    }
                    if previous.len() >= 255 {
                        let text = previous.clone();
                        self.long_name(start, &text);
                    }
                    if let Some(slot) = frequencies[kind as usize].get_mut(id) {
                        *slot = u32::try_from(frequency).unwrap_or(u32::MAX);
                    }
                }
                let Some(slot) = self.spans[kind as usize].get_mut(id) else {
                    self.diagnostics.report(
                        &codes::NAME_NUMBERS,
                        || Location::byte(start as u64),
                        || format!("{} number {id} of {count}", kind.word()),
                    );
                    continue;
                };
                if slot.start != u32::MAX {
                    self.diagnostics.report(
                        &codes::NAME_NUMBERS,
                        || Location::byte(start as u64),
                        || format!("a second {} number {id}", kind.word()),
                    );
                    continue;
                }
                if own.len() + previous.len() > budget.min(u32::MAX as usize - 1) {
                    self.bad(start, "the names exceed the memory limit");
                    break 'kinds;
                }
                *slot = ScidNameSpan {
                    start: u32::try_from(own.len()).unwrap_or(u32::MAX),
                    length: u32::try_from(previous.len()).unwrap_or(u32::MAX),
                };
                own.extend_from_slice(&previous);
            }
        }
        self.bytes = ScidNameBytes::Own(own);
        self.frequencies = audit.then_some(frequencies);
    }
}

/// A number in groups of seven bits, the low ones first, and the offset after it.
fn varint(bytes: &[u8], mut at: usize) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for shift in (0..63).step_by(7) {
        let byte = *bytes.get(at)?;
        at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
    }
    None
}

/// Whether a name is ASCII. All names are checked when a database is opened, and most of them fit into two words.
fn is_ascii(name: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) if name.len() <= 16 => {
            (u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last)) & HIGH == 0
        }
        _ => name.is_ascii(),
    }
}

/// The end of an sn5 file after removing all names but the first `kept` of each kind; everything that is not a name is kept.
pub(super) fn sn5_end(bytes: &[u8], kept: [u64; 4]) -> usize {
    let (mut seen, mut at, mut end) = ([0_u64; 4], 0, 0);
    while at < bytes.len() {
        let next = varint(bytes, at).and_then(|(value, data)| {
            let next = data.checked_add(usize::try_from(value >> 3).ok()?)?;
            (next <= bytes.len()).then_some((usize::try_from(value & 7).ok()?, next))
        });
        let Some((kind, next)) = next else {
            // Unreadable records are kept.
            return bytes.len();
        };
        let is_left = match (seen.get_mut(kind), kept.get(kind)) {
            (Some(seen), Some(kept)) => {
                *seen += 1;
                *seen <= *kept
            }
            _ => true,
        };
        at = next;
        if is_left {
            end = next;
        }
    }
    end
}

/// Appends a record of an sn5 file.
pub fn push_sn5(kind: u8, parts: &[&[u8]], out: &mut Vec<u8>) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut value = (length as u64) << 3 | u64::from(kind & 7);
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low & 0x7f);
            break;
        }
        out.push(low | 0x80);
    }
    for part in parts {
        out.extend_from_slice(part);
    }
}

/// The order of names in sn4: the first byte is unsigned, the others are signed, the end of a name counts as 0.
pub fn scid_order(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    let first = |name: &[u8]| name.first().copied().unwrap_or(0);
    first(a).cmp(&first(b)).then_with(|| {
        let rest = |name: &[u8], i: usize| name.get(i).copied().unwrap_or(0).cast_signed();
        for i in 1..a.len().max(b.len()) {
            let order = rest(a, i).cmp(&rest(b, i));
            if order.is_ne() {
                return order;
            }
        }
        std::cmp::Ordering::Equal
    })
}

/// One name for an sn4 file.
#[derive(Copy, Clone, Debug)]
pub struct ScidNameUse<'a> {
    /// Its number.
    pub id: u32,
    /// The number of its uses.
    pub frequency: u32,
    /// The name.
    pub name: &'a [u8],
}

/// Writes an sn4 file; each section is sorted here.
pub fn encode_sn4(sections: &mut [Vec<ScidNameUse<'_>>; 4]) -> Vec<u8> {
    let mut out = NAMES_MAGIC.to_vec();
    out.extend_from_slice(&[0; 4]);
    let three = |n: usize| -> [u8; 3] {
        let [.., a, b, c] = (n as u64).to_be_bytes();
        [a, b, c]
    };
    let most =
        |section: &[ScidNameUse<'_>]| section.iter().map(|name| name.frequency).max().unwrap_or(0);
    for section in sections.iter() {
        out.extend_from_slice(&three(section.len()));
    }
    for section in sections.iter() {
        out.extend_from_slice(&three(
            usize::try_from(most(section).min(0xff_ffff)).unwrap_or(0),
        ));
    }
    for section in sections {
        section.sort_unstable_by(|a, b| scid_order(a.name, b.name));
        let id_width = if section.len() >= 1 << 16 { 3 } else { 2 };
        let frequency_width = match most(section) {
            0..=255 => 1,
            256..=65535 => 2,
            _ => 3,
        };
        let mut previous: Option<&[u8]> = None;
        for name in section.iter() {
            let text = name.name.get(..255).unwrap_or(name.name);
            out.extend_from_slice(&name.id.to_be_bytes()[4 - id_width..]);
            let frequency = name.frequency.min(0xff_ffff);
            out.extend_from_slice(&frequency.to_be_bytes()[4 - frequency_width..]);
            out.push(text.len().to_le_bytes()[0]);
            let prefix = match previous {
                None => 0,
                Some(previous) => {
                    let prefix = previous
                        .iter()
                        .zip(text)
                        .take_while(|(a, b)| a == b)
                        .count();
                    out.push(prefix.to_le_bytes()[0]);
                    prefix
                }
            };
            out.extend_from_slice(text.get(prefix..).unwrap_or(&[]));
            previous = Some(text);
        }
    }
    out
}

/// A name for people, even if it is missing.
pub fn or_unknown(name: Option<&[u8]>) -> &[u8] {
    name.unwrap_or(b"?")
}

/// Bytes as text for messages.
pub fn shown(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_name_counts() {
        for length in 0..40 {
            let mut name = vec![b'a'; length];
            assert!(is_ascii(&name), "{length}");
            for at in 0..length {
                name[at] = 0x80;
                assert!(!is_ascii(&name), "{at} of {length}");
                name[at] = b'a';
            }
        }
    }

    #[test]
    fn names_come_back_from_sn4() {
        let texts: [&[u8]; 5] = [b"Anand", b"", b"Ana\xe9", b"Anastasian", b"Zz"];
        let section: Vec<_> = (0..)
            .zip(texts)
            .map(|(id, name)| ScidNameUse {
                id,
                frequency: 300 - id,
                name,
            })
            .collect();
        let bytes = encode_sn4(&mut [section, vec![], vec![], vec![]]);
        let names = ScidNames::read(
            ScidVersion::Si4,
            FileBytes::from(bytes.clone()),
            true,
            1 << 20,
        );
        for (id, text) in (0..).zip(texts) {
            assert_eq!(names.get(ScidNameKind::Player, id), Some(text));
        }
        assert!(names.diagnostics.is_empty(), "{:?}", names.diagnostics);
        assert_eq!(names.get(ScidNameKind::Player, 5), None);
        assert_eq!(names.get(ScidNameKind::Event, 0), None);
        for length in 0..bytes.len() {
            let cut = ScidNames::read(
                ScidVersion::Si4,
                FileBytes::from(bytes[..length].to_vec()),
                true,
                1 << 20,
            );
            assert!(!cut.diagnostics.is_empty(), "cut at {length}");
        }
    }

    #[test]
    fn names_come_back_from_sn5() {
        let mut bytes = Vec::new();
        push_sn5(1, &[b"Event"], &mut bytes);
        push_sn5(0, &[&[b'x'; 300]], &mut bytes);
        push_sn5(4, &[b"type", b"5"], &mut bytes);
        push_sn5(4, &[b"type", b"7"], &mut bytes);
        push_sn5(6, &[b"?"], &mut bytes);
        push_sn5(0, &[b"Second"], &mut bytes);
        let names = ScidNames::read(
            ScidVersion::Si5,
            FileBytes::from(bytes.clone()),
            false,
            1 << 20,
        );
        assert_eq!(names.get(ScidNameKind::Event, 0), Some(&b"Event"[..]));
        assert_eq!(
            names.get(ScidNameKind::Player, 0).map(<[u8]>::len),
            Some(300)
        );
        assert_eq!(names.get(ScidNameKind::Player, 1), Some(&b"Second"[..]));
        assert_eq!(names.info("type"), Some(&b"7"[..]));
        assert_eq!(names.diagnostics.count_of("scid-unknown-name-record"), 1);
        bytes.pop();
        let cut = ScidNames::read(ScidVersion::Si5, FileBytes::from(bytes), false, 1 << 20);
        assert_eq!(cut.diagnostics.count_of("scid-bad-names"), 1);
    }

    #[test]
    fn the_order_has_signed_bytes_behind_the_first() {
        use std::cmp::Ordering::{Greater, Less};
        assert_eq!(scid_order(b"A", b"\xe9"), Less);
        assert_eq!(scid_order(b"Aa", b"A\xe9"), Greater);
        assert_eq!(scid_order(b"A", b"A\xe9"), Greater);
        assert_eq!(scid_order(b"A", b"Aa"), Less);
    }
}
