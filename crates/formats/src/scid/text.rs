//! Texts: UTF-8 where they are valid UTF-8, else of a legacy charset, each string for itself.

use std::borrow::Cow;

use tabiya_model::charset::{Charset, redecode};
use tabiya_model::{Tags, Tape};

use super::layout::Version;
use crate::format::OpenOptions;

/// How the strings of a base are read.
#[derive(Clone, Debug)]
pub struct TextReader {
    fallback: Charset,
    redecode: Option<(Charset, Charset)>,
    /// Programs of the time of si3 stored quotes with the backslashes of PGN.
    unescape: bool,
}

impl TextReader {
    /// What the options and the version ask for, and else the names of the base speak for.
    pub fn new(version: Version, options: &OpenOptions, detected: Option<Charset>) -> TextReader {
        TextReader {
            fallback: options.encoding.or(detected).unwrap_or(Charset::Cp1252),
            redecode: options.redecode,
            unescape: version == Version::Si3,
        }
    }

    /// The charset of strings that are not UTF-8.
    pub fn fallback(&self) -> Charset {
        self.fallback
    }

    /// A string as text.
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => self.fallback.decode(bytes),
        };
        match self.redecode {
            Some((wrong, right)) if !text.is_ascii() => {
                redecode(&text, wrong, right).map_or(text, Cow::Owned)
            }
            _ => text,
        }
    }

    /// A name or the value of a tag as text.
    pub fn decode_value<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        let text = self.decode(bytes);
        if self.unescape && text.contains('\\') {
            return Cow::Owned(unescape(&text));
        }
        text
    }

    /// Adds a tag.
    pub fn push_tag(&self, tags: &mut Tags, name: &str, value: &[u8]) {
        if self.redecode.is_some() || (self.unescape && value.contains(&b'\\')) {
            tags.push(name, &self.decode_value(value));
            return;
        }
        match std::str::from_utf8(value) {
            Ok(text) => tags.push(name, text),
            Err(_) => tags.push_bytes(name.as_bytes(), value, self.fallback),
        }
    }

    /// Adds a comment.
    pub fn push_comment(&self, tape: &mut Tape, bytes: &[u8]) {
        match std::str::from_utf8(bytes) {
            Ok(text) if self.redecode.is_none() => tape.push_comment(text),
            Err(_) if self.redecode.is_none() => tape.push_comment_bytes(bytes, self.fallback),
            _ => tape.push_comment(&self.decode(bytes)),
        };
    }
}

/// Takes away the backslashes before quotes and backslashes.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(&next @ ('"' | '\\')) if c == '\\' => {
                plain.push(next);
                chars.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_string_has_its_own_charset() {
        let reader = TextReader::new(Version::Si4, &OpenOptions::default(), None);
        assert_eq!(reader.decode("Müller".as_bytes()), "Müller");
        assert_eq!(reader.decode(b"M\xfcller"), "Müller");
        let mut tags = Tags::default();
        reader.push_tag(&mut tags, "White", b"M\xfcller");
        assert_eq!(&*tags.original(0), b"M\xfcller");
    }

    #[test]
    fn old_quotes_lose_their_backslashes() {
        let reader = TextReader::new(Version::Si3, &OpenOptions::default(), None);
        assert_eq!(
            reader.decode_value(br#"say \"hi\" \\ \n"#),
            r#"say "hi" \ \n"#
        );
    }

    #[test]
    fn a_wrong_charset_is_undone() {
        let options = OpenOptions {
            redecode: Some((Charset::Cp1252, Charset::Cp1251)),
            ..OpenOptions::default()
        };
        let reader = TextReader::new(Version::Si4, &options, None);
        assert_eq!(reader.decode("Êàðïîâ".as_bytes()), "Карпов");
    }
}
