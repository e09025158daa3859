//! Charsets: bytes of files to the text of the model and back.
//!
//! Decoding never fails. In a single-byte charset it is also reversible: a byte without a meaning
//! becomes the character of the same number, mostly a C1 control (the bytes above ASCII in [`Charset::Ascii`]
//! become U+F780 to U+F7FF of the private use area), so `encode(decode(x)) == x` for all bytes.
//! In the Unicode charsets malformed bytes become U+FFFD; [`Charset::round_trips`] shows whether
//! the original bytes must be kept beside the text.

use std::borrow::Cow;

use thiserror::Error;

mod approximate;
pub mod detect;
mod tables;
mod unicode;

use tables::{CharsetTable, InverseCharsetTable};

/// An encoding of text as bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Charset {
    /// UTF-8, the charset of the model itself.
    #[default]
    Utf8,
    /// UTF-8 in which characters above U+FFFF are written as two surrogates of three bytes each.
    Cesu8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// Only ASCII.
    Ascii,
    /// ISO 8859-1.
    Latin1,
    /// ISO 8859-2, Central Europe.
    Latin2,
    /// Windows, Central Europe.
    Cp1250,
    /// Windows, Cyrillic.
    Cp1251,
    /// Windows, Western Europe.
    Cp1252,
    /// Windows, Greek.
    Cp1253,
    /// Windows, Turkish.
    Cp1254,
    /// Windows, the Baltic countries.
    Cp1257,
    /// DOS, United States.
    Cp437,
    /// DOS, Western Europe.
    Cp850,
    /// DOS, Central Europe.
    Cp852,
    /// DOS, Cyrillic.
    Cp866,
    /// Unix, Russian.
    Koi8R,
    /// Macintosh, Western Europe.
    MacRoman,
}

/// A character that a charset has no code for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{} has no code for {character:?} (at byte {at})", charset.name())]
pub struct EncodeError {
    /// The charset.
    pub charset: Charset,
    /// The character.
    pub character: char,
    /// Where it begins in the text, in bytes.
    pub at: usize,
}

/// How a charset turns bytes into characters.
enum CharsetScheme {
    Utf8,
    Cesu8,
    Utf16 { big_endian: bool },
    Ascii,
    Latin1,
    Table(&'static CharsetTable, &'static InverseCharsetTable),
}

/// The characters for bytes that ASCII leaves undefined: U+F700 + byte.
const PRIVATE: u32 = 0xF700;

/// Every charset with its names; the first one is the canonical one.
const NAMES: [(Charset, &[&str]); 19] = [
    (Charset::Utf8, &["UTF-8"]),
    (Charset::Cesu8, &["CESU-8"]),
    (Charset::Utf16Le, &["UTF-16LE", "UTF-16"]),
    (Charset::Utf16Be, &["UTF-16BE"]),
    (Charset::Ascii, &["ASCII", "US-ASCII"]),
    (Charset::Latin1, &["ISO-8859-1", "Latin-1", "L1"]),
    (Charset::Latin2, &["ISO-8859-2", "Latin-2", "L2"]),
    (
        Charset::Cp1250,
        &["CP1250", "windows-1250", "1250", "win-1250"],
    ),
    (
        Charset::Cp1251,
        &["CP1251", "windows-1251", "1251", "win-1251"],
    ),
    (
        Charset::Cp1252,
        &["CP1252", "windows-1252", "1252", "win-1252", "ANSI"],
    ),
    (
        Charset::Cp1253,
        &["CP1253", "windows-1253", "1253", "win-1253"],
    ),
    (
        Charset::Cp1254,
        &["CP1254", "windows-1254", "1254", "win-1254"],
    ),
    (
        Charset::Cp1257,
        &["CP1257", "windows-1257", "1257", "win-1257"],
    ),
    (Charset::Cp437, &["CP437", "437", "IBM437", "DOS-437"]),
    (Charset::Cp850, &["CP850", "850", "IBM850", "DOS-850"]),
    (Charset::Cp852, &["CP852", "852", "IBM852", "DOS-852"]),
    (Charset::Cp866, &["CP866", "866", "IBM866", "DOS-866"]),
    (Charset::Koi8R, &["KOI8-R"]),
    (Charset::MacRoman, &["MacRoman", "macintosh", "x-mac-roman"]),
];

macro_rules! scheme {
    ($table:ident) => {{
        static INVERSE: InverseCharsetTable = tables::invert(&tables::$table);
        static TABLE: CharsetTable = tables::$table;
        CharsetScheme::Table(&TABLE, &INVERSE)
    }};
}

impl Charset {
    /// Every charset.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.into_iter().map(|(charset, _)| charset)
    }

    /// The canonical name, such as `UTF-8` or `CP850`.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(charset, _)| *charset == self)
            .and_then(|(_, names)| names.first())
            .copied()
            .unwrap_or("")
    }

    /// The charset of a name; case, hyphens, underscores and spaces do not matter.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let key = |s: &str| -> String {
            s.chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect()
        };
        // All names are short; the limit prevents a hostile one from being copied.
        let wanted = key(name.get(..name.len().min(32))?);
        let named = |names: &[&str]| names.iter().any(|known| key(known) == wanted);
        NAMES
            .iter()
            .find(|(_, names)| named(names))
            .map(|(charset, _)| *charset)
    }

    fn scheme(self) -> CharsetScheme {
        match self {
            Self::Utf8 => CharsetScheme::Utf8,
            Self::Cesu8 => CharsetScheme::Cesu8,
            Self::Utf16Le => CharsetScheme::Utf16 { big_endian: false },
            Self::Utf16Be => CharsetScheme::Utf16 { big_endian: true },
            Self::Ascii => CharsetScheme::Ascii,
            Self::Latin1 => CharsetScheme::Latin1,
            Self::Latin2 => scheme!(LATIN2),
            Self::Cp1250 => scheme!(CP1250),
            Self::Cp1251 => scheme!(CP1251),
            Self::Cp1252 => scheme!(CP1252),
            Self::Cp1253 => scheme!(CP1253),
            Self::Cp1254 => scheme!(CP1254),
            Self::Cp1257 => scheme!(CP1257),
            Self::Cp437 => scheme!(CP437),
            Self::Cp850 => scheme!(CP850),
            Self::Cp852 => scheme!(CP852),
            Self::Cp866 => scheme!(CP866),
            Self::Koi8R => scheme!(KOI8_R),
            Self::MacRoman => scheme!(MAC_ROMAN),
        }
    }

    /// Whether every byte is one character, so that decoding is always reversible.
    #[must_use]
    pub fn is_single_byte(self) -> bool {
        matches!(
            self.scheme(),
            CharsetScheme::Ascii | CharsetScheme::Latin1 | CharsetScheme::Table(..)
        )
    }

    /// The character of one byte in a single-byte charset; `None` in the others.
    #[must_use]
    pub fn decode_byte(self, byte: u8) -> Option<char> {
        let upper = usize::from(byte).checked_sub(128);
        match (self.scheme(), upper) {
            (CharsetScheme::Utf8 | CharsetScheme::Cesu8 | CharsetScheme::Utf16 { .. }, _) => None,
            (_, None) | (CharsetScheme::Latin1, _) => Some(char::from(byte)),
            (CharsetScheme::Ascii, _) => char::from_u32(PRIVATE + u32::from(byte)),
            (CharsetScheme::Table(table, _), Some(index)) => {
                char::from_u32(u32::from(*table.get(index)?))
            }
        }
    }

    /// The byte of one character in a single-byte charset; `None` if there is none.
    #[must_use]
    pub fn encode_char(self, character: char) -> Option<u8> {
        let scheme = self.scheme();
        if matches!(
            scheme,
            CharsetScheme::Utf8 | CharsetScheme::Cesu8 | CharsetScheme::Utf16 { .. }
        ) {
            return None;
        }
        if character.is_ascii() {
            return u8::try_from(character).ok();
        }
        match scheme {
            CharsetScheme::Ascii => {
                let byte = u8::try_from(u32::from(character).checked_sub(PRIVATE)?).ok()?;
                (byte >= 128).then_some(byte)
            }
            CharsetScheme::Latin1 => u8::try_from(character).ok(),
            CharsetScheme::Table(_, inverse) => {
                let unit = u16::try_from(character).ok()?;
                let place = inverse
                    .binary_search_by_key(&unit, |&(known, _)| known)
                    .ok()?;
                inverse.get(place).map(|&(_, byte)| byte)
            }
            CharsetScheme::Utf8 | CharsetScheme::Cesu8 | CharsetScheme::Utf16 { .. } => None,
        }
    }

    /// Decodes bytes; every input gives some text.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self.scheme() {
            CharsetScheme::Utf8 => return String::from_utf8_lossy(bytes),
            CharsetScheme::Cesu8 => return unicode::decode_cesu8(bytes),
            CharsetScheme::Utf16 { big_endian } => {
                return Cow::Owned(unicode::decode_utf16(bytes, big_endian));
            }
            CharsetScheme::Ascii | CharsetScheme::Latin1 | CharsetScheme::Table(..) => {}
        }
        if bytes.is_ascii() {
            // ASCII is valid UTF-8, so nothing is replaced or copied here.
            return String::from_utf8_lossy(bytes);
        }
        let mut text = String::with_capacity(bytes.len() + bytes.len() / 4);
        text.extend(bytes.iter().filter_map(|&byte| self.decode_byte(byte)));
        Cow::Owned(text)
    }

    /// Encodes text, or returns the first character without a code.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = Vec::with_capacity(text.len());
        match self.scheme() {
            CharsetScheme::Utf8 => bytes.extend_from_slice(text.as_bytes()),
            CharsetScheme::Cesu8 => unicode::encode_cesu8(text, &mut bytes),
            CharsetScheme::Utf16 { big_endian } => {
                unicode::encode_utf16(text, big_endian, &mut bytes)
            }
            CharsetScheme::Ascii | CharsetScheme::Latin1 | CharsetScheme::Table(..) => {
                for (at, character) in text.char_indices() {
                    let unknown = EncodeError {
                        charset: self,
                        character,
                        at,
                    };
                    bytes.push(self.encode_char(character).ok_or(unknown)?);
                }
            }
        }
        Ok(bytes)
    }

    /// Encodes text; characters without a code become the nearest ones, or `?`.
    ///
    /// The number is that of the replaced characters.
    #[must_use]
    pub fn encode_lossy(self, text: &str) -> (Vec<u8>, usize) {
        if let Ok(bytes) = self.encode(text) {
            return (bytes, 0);
        }
        let mut bytes = Vec::with_capacity(text.len());
        let mut replaced = 0;
        for character in text.chars() {
            if let Some(byte) = self.encode_char(character) {
                bytes.push(byte);
            } else {
                replaced += 1;
                bytes.extend_from_slice(approximate::in_ascii(character).unwrap_or("?").as_bytes());
            }
        }
        (bytes, replaced)
    }

    /// Whether encoding the decoded bytes gives the same bytes again.
    #[must_use]
    pub fn round_trips(self, bytes: &[u8]) -> bool {
        match self.scheme() {
            CharsetScheme::Ascii | CharsetScheme::Latin1 | CharsetScheme::Table(..) => true,
            CharsetScheme::Utf8 => std::str::from_utf8(bytes).is_ok(),
            CharsetScheme::Cesu8 | CharsetScheme::Utf16 { .. } => self
                .encode(&self.decode(bytes))
                .is_ok_and(|again| again == bytes),
        }
    }

    /// The byte order mark that files of this charset may begin with.
    #[must_use]
    pub fn byte_order_mark(self) -> Option<&'static [u8]> {
        match self {
            Self::Utf8 => Some(b"\xEF\xBB\xBF"),
            Self::Utf16Le => Some(b"\xFF\xFE"),
            Self::Utf16Be => Some(b"\xFE\xFF"),
            _ => None,
        }
    }

    /// The charset that a byte order mark announces, and the length of the mark.
    #[must_use]
    pub fn from_byte_order_mark(bytes: &[u8]) -> Option<(Self, usize)> {
        [Self::Utf8, Self::Utf16Le, Self::Utf16Be]
            .into_iter()
            .find_map(|charset| {
                let mark = charset.byte_order_mark()?;
                bytes.starts_with(mark).then_some((charset, mark.len()))
            })
    }
}

/// Decodes one string as UTF-8 if it is valid, or in the fallback; returns the one used.
#[must_use]
pub fn decode_utf8_or(bytes: &[u8], fallback: Charset) -> (Cow<'_, str>, Charset) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), Charset::Utf8),
        Err(_) => (fallback.decode(bytes), fallback),
    }
}

/// Decodes a string that mixes UTF-8 with bytes of a single-byte charset, as left by old imports.
///
/// Valid UTF-8 sequences stay; every other byte is read in the fallback.
#[must_use]
pub fn decode_mixed(bytes: &[u8], fallback: Charset) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 4);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&fallback.decode(chunk.invalid()));
    }
    Cow::Owned(text)
}

/// Whether bytes that are not all UTF-8 are UTF-8 with a few other bytes in between: at least as many UTF-8 characters
/// as other bytes, and no character that is better explained by two letters of a legacy charset.
pub fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut well_formed, mut malformed) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars().filter(|c| !c.is_ascii()) {
            let is_likely = match u32::from(c) {
                // Symbols and letters of Latin, then Greek and Cyrillic.
                0xa0..=0x17f | 0x370..=0x45f => true,
                // Two bytes of other scripts are more often two symbols or letters of one byte each.
                0x80..0x800 => false,
                // Three bytes rarely match at random.
                _ => true,
            };
            if !is_likely {
                return false;
            }
            well_formed += 1;
        }
        malformed += chunk.invalid().len();
    }
    well_formed > 0 && well_formed >= malformed
}

/// Undoes a wrong guess: text that was read in `wrong` is turned back into bytes and read in `right`.
///
/// `None` if the text cannot have come from `wrong`, or if the bytes are malformed in `right`.
#[must_use]
pub fn redecode(text: &str, wrong: Charset, right: Charset) -> Option<String> {
    let bytes = wrong.encode(text).ok()?;
    right
        .round_trips(&bytes)
        .then(|| right.decode(&bytes).into_owned())
}
