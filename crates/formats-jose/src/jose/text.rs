//! Texts of rows: UTF-8, or the variant of it written by an old Java program.
//!
//! Characters above U+FFFF are written as two surrogates of three bytes each, and some tables have another character set
//! than they claim.

use std::borrow::Cow;

use tabiya_model::charset::Charset;

/// Decodes UTF-8 with or without paired surrogates; `None` if the bytes are something else.
pub fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(Cow::Borrowed(text));
    }
    let text = Charset::Cesu8.decode(bytes);
    // A replacement character in the text itself is three bytes of the input.
    let replaced = text.matches(char::REPLACEMENT_CHARACTER).count();
    let written = memchr::memmem::find_iter(bytes, "\u{FFFD}".as_bytes()).count();
    (replaced == written).then_some(text)
}

/// Appends text in the form of a column of three-byte UTF-8.
pub fn encode(text: &str, out: &mut Vec<u8>) {
    if text
        .chars()
        .all(|character| u32::from(character) < 0x1_0000)
    {
        out.extend_from_slice(text.as_bytes());
    } else if let Ok(bytes) = Charset::Cesu8.encode(text) {
        out.extend_from_slice(&bytes);
    }
}

/// How the texts of a database are decoded.
#[derive(Debug, Clone, Copy)]
pub struct JoseTextEncoding {
    /// The charset declared by columns or chosen by the user; UTF-8 if there is none.
    pub declared: Option<Charset>,
    /// The charset of texts that should be UTF-8 and are not.
    pub fallback: Charset,
    /// Texts were decoded with the first charset and should have been with the second.
    pub redecode: Option<(Charset, Charset)>,
}

impl Default for JoseTextEncoding {
    fn default() -> JoseTextEncoding {
        JoseTextEncoding {
            declared: None,
            fallback: Charset::Cp1252,
            redecode: None,
        }
    }
}

/// A text, and how it was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JoseText<'a> {
    /// Valid UTF-8.
    Unicode(Cow<'a, str>),
    /// In a charset that was declared.
    Legacy(Charset),
    /// Not in the declared charset: in a guessed one.
    Guessed(Charset),
}

impl JoseTextEncoding {
    /// Decodes a text if only its words matter.
    pub fn decode(&self, bytes: &[u8]) -> String {
        match self.read(bytes) {
            JoseText::Unicode(text) => text.into_owned(),
            JoseText::Legacy(charset) | JoseText::Guessed(charset) => {
                charset.decode(bytes).into_owned()
            }
        }
    }

    /// Reads a text.
    pub fn read<'a>(&self, bytes: &'a [u8]) -> JoseText<'a> {
        if bytes.is_ascii() {
            return JoseText::Unicode(Cow::Borrowed(
                std::str::from_utf8(bytes).unwrap_or_default(),
            ));
        }
        let text = match self.declared {
            Some(charset) if self.redecode.is_none() => return JoseText::Legacy(charset),
            Some(charset) => Some(charset.decode(bytes)),
            None => decode(bytes),
        };
        match (text, self.redecode) {
            (Some(text), Some((wrong, right))) => {
                match tabiya_model::charset::redecode(&text, wrong, right) {
                    Some(repaired) => JoseText::Unicode(Cow::Owned(repaired)),
                    None => JoseText::Unicode(text),
                }
            }
            (Some(text), None) => JoseText::Unicode(text),
            (None, _) => JoseText::Guessed(self.fallback),
        }
    }
}

/// The charset of a server's number of character set and collation; `None` for UTF-8 and unknown ones.
pub fn charset_of_collation(number: u16) -> Option<Charset> {
    Some(match number {
        5 | 8 | 15 | 31 | 47..=49 | 94 => Charset::Cp1252,
        2 | 9 | 21 | 27 | 77 => Charset::Latin2,
        14 | 23 | 50..=52 => Charset::Cp1251,
        26 | 34 | 44 | 66 | 99 => Charset::Cp1250,
        7 | 74 => Charset::Koi8R,
        4 | 80 => Charset::Cp850,
        40 | 81 => Charset::Cp852,
        36 | 68 => Charset::Cp866,
        39 | 53 => Charset::MacRoman,
        _ => return None,
    })
}

/// The charset of a server's name; `None` for UTF-8 and unknown ones.
pub fn charset_of_name(name: &str) -> Option<Charset> {
    Some(match name {
        "latin1" => Charset::Cp1252,
        "latin2" => Charset::Latin2,
        "cp1251" => Charset::Cp1251,
        "cp1250" => Charset::Cp1250,
        "koi8r" => Charset::Koi8R,
        "cp850" => Charset::Cp850,
        "cp852" => Charset::Cp852,
        "cp866" => Charset::Cp866,
        "macroman" => Charset::MacRoman,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_pair_up() {
        let text = "a 𝄞 b é";
        let mut bytes = Vec::new();
        encode(text, &mut bytes);
        assert_eq!(bytes.len(), text.len() + 2);
        assert_eq!(decode(&bytes).as_deref(), Some(text));
        assert_eq!(decode(text.as_bytes()).as_deref(), Some(text));
        assert_eq!(decode("\u{FFFD}".as_bytes()).as_deref(), Some("\u{FFFD}"));
        assert_eq!(decode(b"M\xFCller"), None);
    }
}
