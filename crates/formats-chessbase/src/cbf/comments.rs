//! The comment area, record by record, and the codes of evaluations.

use tabiya_model::nag::Nag;

use super::charset::COMMENT_END;

/// One commented move: codes and a text.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CbfComment<'a> {
    /// Codes of the evaluation of the move, of the position and the additional one, and a byte that every known program
    /// ignores; 0 for none.
    pub codes: [u8; 4],
    /// The text; empty for none.
    pub text: &'a [u8],
}

impl CbfComment<'_> {
    /// The codes for an extension, if the NAGs alone would not restore them.
    pub fn odd_codes(&self) -> Option<&[u8]> {
        let [one, two, three, rest] = self.codes;
        let codes = [one, two, three];
        let plain = codes.iter().enumerate().all(|(symbol, code)| {
            *code == 0 || nag_of(symbol, *code).and_then(|nag| code_of(symbol, nag)) == Some(*code)
        });
        match (plain, rest) {
            (true, 0) => None,
            (_, 0) => self.codes.get(..3),
            _ => Some(&self.codes),
        }
    }
}

/// The records of a comment area.
#[derive(Copy, Clone, Debug)]
pub struct CbfComments<'a> {
    rest: &'a [u8],
}

impl<'a> CbfComments<'a> {
    /// The records of an area; false if it does not begin correctly.
    pub fn new(area: &'a [u8]) -> (CbfComments<'a>, bool) {
        match area.split_first() {
            None => (CbfComments { rest: area }, true),
            Some((&COMMENT_END, rest)) => (CbfComments { rest }, true),
            Some(_) => (CbfComments { rest: area }, false),
        }
    }

    /// The unread rest.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The number of records that are left.
    fn records_left(&self) -> usize {
        let ends = memchr::memchr_iter(COMMENT_END, self.rest).count();
        ends + usize::from(self.rest.last().is_some_and(|byte| *byte != COMMENT_END))
    }

    /// Takes the text before the first move off the end: the record without a commented move, if it is the only one and
    /// begins with four zeros. A record of only zeros is an empty text.
    pub fn take_early(&mut self, commented_moves: usize) -> Option<&'a [u8]> {
        if self.rest.is_empty() || self.records_left() != commented_moves + 1 {
            return None;
        }
        let whole = match self.rest {
            [whole @ .., COMMENT_END] => whole,
            open => open,
        };
        let start = memchr::memrchr(COMMENT_END, whole).map_or(0, |at| at + 1);
        let record = whole.get(start..)?;
        let mut text = match record.iter().all(|byte| *byte == 0) {
            true => &[],
            false => record.strip_prefix(&[0, 0, 0, 0])?,
        };
        while let [0, more @ ..] = text {
            text = more;
        }
        self.rest = self.rest.get(..start)?;
        Some(text)
    }
}

impl<'a> Iterator for CbfComments<'a> {
    type Item = CbfComment<'a>;

    fn next(&mut self) -> Option<CbfComment<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let mut comment = CbfComment::default();
        for code in &mut comment.codes {
            match self.rest.split_first() {
                None => return Some(comment),
                Some((&COMMENT_END, rest)) => {
                    self.rest = rest;
                    return Some(comment);
                }
                Some((byte, rest)) => {
                    *code = *byte;
                    self.rest = rest;
                }
            }
        }
        while let [0, rest @ ..] = self.rest {
            self.rest = rest;
        }
        let end = memchr::memchr(COMMENT_END, self.rest);
        comment.text = self.rest.get(..end.unwrap_or(self.rest.len()))?;
        self.rest = self.rest.get(comment.text.len() + 1..).unwrap_or_default();
        Some(comment)
    }
}

/// The NAGs of the codes of the three symbols; 0 where a code has none.
const NAGS: [[u8; 16]; 3] = [
    [0, 1, 2, 5, 6, 3, 4, 0, 22, 32, 0, 0, 0, 0, 0, 0],
    [
        0, 18, 16, 14, 10, 13, 15, 17, 19, 146, 44, 132, 36, 40, 138, 8,
    ],
    [0, 145, 142, 140, 144, 142, 143, 0, 0, 0, 0, 0, 0, 0, 0, 0],
];

/// The NAG of a code of symbol 0, 1 or 2.
pub fn nag_of(symbol: usize, code: u8) -> Option<Nag> {
    let nag = *NAGS.get(symbol)?.get(usize::from(code))?;
    (nag != 0).then(|| Nag(u32::from(nag)))
}

/// The code of symbol 0, 1 or 2 for a NAG.
pub fn code_of(symbol: usize, nag: Nag) -> Option<u8> {
    let nags = NAGS.get(symbol)?;
    let code = nags
        .iter()
        .position(|known| *known != 0 && u32::from(*known) == nag.0)?;
    u8::try_from(code).ok()
}

/// A NAG that the format has a symbol for and that says nearly the same.
pub fn nearest_nag(nag: Nag) -> Option<Nag> {
    let near = match nag.0 {
        23 => 22,
        30 | 31 | 33..=35 => 32,
        45..=47 => 44,
        133 => 132,
        37 => 36,
        41 => 40,
        139 => 138,
        7 => 8,
        11 | 12 => 10,
        _ => return None,
    };
    Some(Nag(near))
}

/// The signs that a symbol result is told by, from code 1.
const SYMBOLS: [&str; 15] = [
    "+-",
    "+/-",
    "+=",
    "=",
    "unclear",
    "=+",
    "-/+",
    "-+",
    "novelty",
    "compensation",
    "counterplay",
    "initiative",
    "attack",
    "time trouble",
    "only move",
];

/// The annotation symbol of a symbol result.
pub fn symbol_name(code: u8) -> Option<&'static str> {
    SYMBOLS.get(usize::from(code).checked_sub(1)?).copied()
}

/// The code of the annotation symbol of a symbol result.
pub fn symbol_code(name: &str) -> Option<u8> {
    // What two codes were called before a second witness was found.
    match name {
        "compensation for White" => return Some(9),
        "compensation for Black" => return Some(10),
        _ => {}
    }
    let at = SYMBOLS.iter().position(|known| *known == name)?;
    u8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_with_dropped_fields() {
        let area =
            b"\xff\x01\xff\x00\x02\xff\0\0\0\0text\xff\0\0\x03\xff\xff\x01\x02\x03\0\0a\xff\x01\0\0xopen";
        let (comments, fine) = CbfComments::new(area);
        assert!(fine);
        let all: Vec<_> = comments.collect();
        let expected: [([u8; 4], &[u8]); 7] = [
            ([1, 0, 0, 0], b""),
            ([0, 2, 0, 0], b""),
            ([0, 0, 0, 0], b"text"),
            ([0, 0, 3, 0], b""),
            ([0, 0, 0, 0], b""),
            ([1, 2, 3, 0], b"a"),
            ([1, 0, 0, b'x'], b"open"),
        ];
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(codes, text)| CbfComment { codes, text })
            .collect();
        assert_eq!(all, expected);
        assert_eq!(all[5].odd_codes(), None);
        assert_eq!(all[6].odd_codes(), Some(&[1, 0, 0, b'x'][..]));
        assert!(CbfComments::new(b"").1);
        assert!(!CbfComments::new(b"x").1);
    }

    #[test]
    fn the_record_that_no_move_asks_for() {
        let early = |area: &'static [u8], commented| {
            let (mut comments, _) = CbfComments::new(area);
            let text = comments.take_early(commented);
            (text, comments.rest())
        };
        let one: &[u8] = b"\xff\x01\xff\0\0\0\0early\xff";
        assert_eq!(early(one, 1), (Some(&b"early"[..]), &b"\x01\xff"[..]));
        assert_eq!(early(one, 2).0, None);
        assert_eq!(early(one, 0).0, None);
        assert_eq!(
            early(b"\xff\0\0\0\0early\xff", 0),
            (Some(&b"early"[..]), &b""[..])
        );
        assert_eq!(
            early(b"\xff\0\0\0\0early", 0),
            (Some(&b"early"[..]), &b""[..])
        );
        let empty = (Some(&b""[..]), &b""[..]);
        assert_eq!(early(b"\xff\0\0\0\0\xff", 0), empty);
        assert_eq!(early(b"\xff\0\0\0\0\0\xff", 0), empty);
        assert_eq!(early(b"\xff\xff", 0), empty);
        assert_eq!(early(b"\xff\x01\xff\x01\0\0\0late\xff", 1).0, None);
        assert_eq!(early(b"\xff", 0).0, None);
        assert_eq!(early(b"", 0).0, None);
    }

    #[test]
    fn symbols_and_nags() {
        for symbol in 0..3 {
            for code in 0..=255 {
                if let Some(nag) = nag_of(symbol, code) {
                    let again = code_of(symbol, nag).expect("a code");
                    assert_eq!(nag_of(symbol, again), Some(nag));
                    let codes = match symbol {
                        0 => [code, 0, 0, 0],
                        1 => [0, code, 0, 0],
                        _ => [0, 0, code, 0],
                    };
                    let comment = CbfComment { codes, text: b"" };
                    assert_eq!(comment.odd_codes().is_some(), again != code);
                }
            }
        }
        assert_eq!(code_of(2, Nag(142)), Some(2));
        assert_eq!(code_of(0, Nag(0)), None);
        for code in 1..=15 {
            assert_eq!(symbol_name(code).and_then(symbol_code), Some(code));
        }
        assert_eq!(symbol_name(0), None);
    }
}
