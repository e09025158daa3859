//! Opening codes: `B33`, the sub-codes of PGN (`B33/10`) and the extended codes of Scid (`B33a1`).

use std::fmt;

/// The number of codes: two digits for each letter, A to E.
const CODES: u16 = 500;
/// Extensions per code in Scid's numbering: none, and 26 letters of five.
const EXTENSIONS: u16 = 131;

/// An ECO code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EcoCode {
    /// 100 times the letter (A = 0) plus the number.
    index: u16,
    /// Scid's extension: 0 none, else 1 + 5 * letter + digit.
    extension: u8,
    /// The sub-code after a slash.
    sub: Option<u8>,
}

impl EcoCode {
    /// The code of an index, 100 times the letter (A = 0) plus the number; `None` from 500 on.
    #[must_use]
    pub fn from_index(index: u16) -> Option<Self> {
        (index < CODES).then_some(Self {
            index,
            extension: 0,
            sub: None,
        })
    }

    /// 100 times the letter (A = 0) plus the number.
    #[must_use]
    pub fn index(self) -> u16 {
        self.index
    }

    /// The letter, `A` to `E`.
    #[must_use]
    pub fn letter(self) -> char {
        match self.index / 100 {
            0 => 'A',
            1 => 'B',
            2 => 'C',
            3 => 'D',
            _ => 'E',
        }
    }

    /// The number, 0 to 99.
    #[must_use]
    pub fn number(self) -> u8 {
        u8::try_from(self.index % 100).unwrap_or(0)
    }

    /// The code without its extension and sub-code.
    #[must_use]
    pub fn base(self) -> Self {
        Self {
            index: self.index,
            extension: 0,
            sub: None,
        }
    }

    /// The sub-code after a slash, 0 to 99.
    #[must_use]
    pub fn sub(self) -> Option<u8> {
        self.sub
    }

    /// The same code with a sub-code, or `None` if that exceeds 99.
    #[must_use]
    pub fn with_sub(self, sub: u8) -> Option<Self> {
        (sub < 100).then_some(Self {
            sub: Some(sub),
            ..self
        })
    }

    /// Scid's extension: its letter and its digit 1 to 4, if there is one.
    #[must_use]
    pub fn extension(self) -> Option<(char, Option<u8>)> {
        let code = self.extension.checked_sub(1)?;
        Some((
            char::from(b'a' + code / 5),
            Some(code % 5).filter(|&digit| digit != 0),
        ))
    }

    /// Reads `B33`, `B33a`, `B33a1` or `B33/10`, and nothing else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (eco, rest) = Self::prefix(text.as_bytes())?;
        rest.is_empty().then_some(eco)
    }

    /// Reads a code tolerantly: a letter of any case, missing digits taken as 0, the rest ignored.
    ///
    /// These are Scid's rules; the flag is true if writing the code gives the same text.
    #[must_use]
    pub fn read(text: &str) -> Option<(Self, bool)> {
        let bytes = text.trim().as_bytes();
        let (&letter, digits) = bytes.split_first()?;
        let mut canonical = [letter.to_ascii_uppercase(), b'0', b'0', 0, 0, 0];
        // A partial code counts only if nothing follows it; otherwise every word would be one.
        let length = match digits {
            [] => 3,
            [tens @ b'0'..=b'9'] => {
                canonical[1] = *tens;
                3
            }
            [b'0'..=b'9', b'0'..=b'9', ..] => {
                let length = bytes.len().min(canonical.len());
                for (slot, &byte) in canonical[1..].iter_mut().zip(digits) {
                    *slot = byte;
                }
                length
            }
            _ => return None,
        };
        let (eco, _) = Self::prefix(&canonical[..length])?;
        Some((eco, Self::parse(text) == Some(eco)))
    }

    /// The longest code at the start of a text, and what follows it.
    fn prefix(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let [
            letter @ b'A'..=b'E',
            tens @ b'0'..=b'9',
            ones @ b'0'..=b'9',
            rest @ ..,
        ] = bytes
        else {
            return None;
        };
        let index =
            u16::from(letter - b'A') * 100 + u16::from(tens - b'0') * 10 + u16::from(ones - b'0');
        let eco = Self {
            index,
            extension: 0,
            sub: None,
        };
        Some(match rest {
            [b'/', a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] => (
                Self {
                    sub: Some((a - b'0') * 10 + b - b'0'),
                    ..eco
                },
                rest,
            ),
            [letter @ b'a'..=b'z', digit @ b'1'..=b'4', rest @ ..] => (
                Self {
                    extension: 1 + 5 * (letter - b'a') + digit - b'0',
                    ..eco
                },
                rest,
            ),
            [letter @ b'a'..=b'z', rest @ ..] => (
                Self {
                    extension: 1 + 5 * (letter - b'a'),
                    ..eco
                },
                rest,
            ),
            _ => (eco, rest),
        })
    }

    /// Scid's code, 1 to 65500; it has no room for the sub-code.
    #[must_use]
    pub fn to_scid(self) -> u16 {
        1 + EXTENSIONS * self.index + u16::from(self.extension)
    }

    /// The code of Scid's number; 0 means none, and numbers above 65500 have no meaning.
    #[must_use]
    pub fn from_scid(code: u16) -> Option<Self> {
        let code = code.checked_sub(1)?;
        let eco = Self::from_index(code / EXTENSIONS)?;
        let extension = u8::try_from(code % EXTENSIONS).ok()?;
        Some(Self { extension, ..eco })
    }
}

impl fmt::Display for EcoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:02}", self.letter(), self.number())?;
        if let Some((letter, digit)) = self.extension() {
            write!(f, "{letter}")?;
            if let Some(digit) = digit {
                write!(f, "{digit}")?;
            }
        }
        match self.sub {
            Some(sub) => write!(f, "/{sub:02}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scid_numbers_go_both_ways() {
        for (text, code) in [
            ("A00", 1),
            ("A00a", 2),
            ("A00a1", 3),
            ("E99z4", 65500),
            ("B33", 1 + 131 * 133),
        ] {
            assert_eq!(
                EcoCode::parse(text).map(EcoCode::to_scid),
                Some(code),
                "{text}"
            );
        }
        assert_eq!(EcoCode::from_scid(0), None);
        assert_eq!(EcoCode::from_scid(65501), None);
        for code in 1..=65500 {
            let eco = EcoCode::from_scid(code);
            assert_eq!(eco.map(EcoCode::to_scid), Some(code));
            let text = eco.map(|e| e.to_string()).unwrap_or_default();
            assert_eq!(EcoCode::parse(&text), eco, "{text}");
        }
    }

    #[test]
    fn tolerant_reading() {
        let read = |text: &str| EcoCode::read(text).map(|(eco, exact)| (eco.to_string(), exact));
        for (text, shown, exact) in [
            // As Scid 4.7.4 reads them, apart from the sub-code, which it drops, and leading spaces.
            ("B33", "B33", true),
            ("B33a", "B33a", true),
            ("B33a1", "B33a1", true),
            ("E99z4", "E99z4", true),
            ("b33", "B33", false),
            ("e9", "E90", false),
            ("D", "D00", false),
            ("A0", "A00", false),
            ("C1", "C10", false),
            ("B33A", "B33", false),
            ("B33a0", "B33a", false),
            ("B33a5", "B33a", false),
            ("B33a12", "B33a1", false),
            ("B33aa", "B33a", false),
            ("B333", "B33", false),
            ("B33 x", "B33", false),
            ("B33/1", "B33", false),
            ("B33/10", "B33/10", true),
            (" B33 ", "B33", false),
        ] {
            assert_eq!(read(text), Some((shown.to_owned(), exact)), "{text}");
        }
        for text in [
            "", "?", "F00", "1", "é", "C1a", "A1b", "BB3", "Benoni", "C1é",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn parts() {
        let eco = EcoCode::from_index(133).and_then(|e| e.with_sub(10));
        assert_eq!(eco.map(|e| e.to_string()).as_deref(), Some("B33/10"));
        assert_eq!(eco.and_then(EcoCode::sub), Some(10));
        assert_eq!(eco.map(EcoCode::base), EcoCode::parse("B33"));
        assert_eq!(EcoCode::from_index(500), None);
        assert_eq!(EcoCode::parse("A00").and_then(|e| e.with_sub(100)), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[A-Fa-f]?[0-9]{0,3}.{0,4}") {
            if let Some((eco, exact)) = EcoCode::read(&text) {
                prop_assert_eq!(exact, eco.to_string() == text);
            }
        }
    }
}
