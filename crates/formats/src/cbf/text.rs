//! Names, sources and comments: what stands where in the texts, figurines, and symbols to NAGs.

use std::borrow::Cow;

use tabiya_model::charset::Charset;
use tabiya_model::nag::Nag;

/// Figurines in the order of their codes.
const FIGURINES: [char; 6] = ['♔', '♕', '♘', '♗', '♖', '♙'];
/// The code of a king in a comment.
const COMMENT_FIGURINE: u8 = 177;
/// The code of a king in a name.
const NAME_FIGURINE: u8 = 0xa2;
/// A line break in a comment.
const LINE_BREAK: u8 = 0xfe;
/// The end of a comment's record.
pub(super) const COMMENT_END: u8 = 0xff;

/// A trimmed text: spaces and what is left of fixed fields go.
pub(super) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | 0, rest @ ..] | [rest @ .., b' ' | 0] = bytes {
        bytes = rest;
    }
    bytes
}

/// White and Black in a player text. Without a hyphen everything is White.
pub fn split_players(text: &[u8]) -> (&[u8], &[u8]) {
    let cut = |at: usize, width: usize| {
        let white = text.get(..at).unwrap_or_default();
        let black = text.get(at + width..).unwrap_or_default();
        (trim(white), trim(black))
    };
    if let Some(at) = memchr::memmem::find(text, b" - ") {
        cut(at, 3)
    } else if let Some(at) = memchr::memchr(b'-', text) {
        cut(at, 1)
    } else {
        (trim(text), b"")
    }
}

/// A player text of two names; an unknown one is empty.
pub fn join_players(white: &[u8], black: &[u8]) -> Vec<u8> {
    if black.is_empty() && !white.contains(&b'-') {
        return white.to_vec();
    }
    let separator: &[u8] = if white.contains(&b'-') || black.contains(&b'-') {
        b" - "
    } else {
        b"-"
    };
    [white, separator, black].concat()
}

/// The event and the round of a source text; a round that is not there is empty.
pub fn split_source(text: &[u8]) -> (Cow<'_, [u8]>, String) {
    for start in memchr::memchr_iter(b'(', text) {
        let inside = text.get(start + 1..).unwrap_or_default();
        let Some(length) = memchr::memchr(b')', inside) else {
            break;
        };
        let Some(round) = read_round(inside.get(..length).unwrap_or_default()) else {
            continue;
        };
        let before = trim(text.get(..start).unwrap_or_default());
        let after = trim(inside.get(length + 1..).unwrap_or_default());
        let event = match (before, after) {
            (before, []) => Cow::Borrowed(before),
            ([], after) => Cow::Borrowed(after),
            (before, after) => Cow::Owned([before, b" ", after].concat()),
        };
        return (event, round);
    }
    (Cow::Borrowed(trim(text)), String::new())
}

/// The round within parentheses: numbers with dots or slashes, `m/` before them or not.
fn read_round(text: &[u8]) -> Option<String> {
    let text = text
        .strip_prefix(b"m/")
        .or_else(|| text.strip_prefix(b"M/"))
        .unwrap_or(text);
    let mut round = String::new();
    for part in text.split(|byte| matches!(byte, b'.' | b'/' | b'\\')) {
        if !part.iter().all(u8::is_ascii_digit) {
            return None;
        }
        if !part.is_empty() {
            if !round.is_empty() {
                round.push('.');
            }
            round.extend(part.iter().map(|digit| char::from(*digit)));
        }
    }
    (!round.is_empty()).then_some(round)
}

/// A source text of an event (site included) and a round; what is unknown is empty.
pub fn join_source(event: &[u8], round: &str) -> Vec<u8> {
    let mut text = event.to_vec();
    if !round.is_empty() {
        if !text.is_empty() {
            text.push(b' ');
        }
        text.push(b'(');
        text.extend_from_slice(round.as_bytes());
        text.push(b')');
    }
    text
}

/// Whether the byte at a place of a name is a figurine. The same codes are accented letters of DOS charsets: they
/// are figurines only where no letter stands beside them.
fn is_figurine(name: &[u8], at: usize) -> bool {
    let figurine = |byte: u8| (NAME_FIGURINE..NAME_FIGURINE + 6).contains(&byte);
    let letter = |at: Option<usize>| {
        at.and_then(|at| name.get(at))
            .is_some_and(|b| b.is_ascii_alphabetic() || (*b >= 128 && !figurine(*b)))
    };
    name.get(at).is_some_and(|byte| figurine(*byte))
        && !letter(at.checked_sub(1))
        && !letter(at.checked_add(1))
}

/// A player's name; nothing where it is plain text of the charset.
pub fn decode_name(name: &[u8], charset: Charset) -> Option<String> {
    if name.is_ascii() || !(0..name.len()).any(|at| is_figurine(name, at)) {
        return None;
    }
    let mut text = String::new();
    for (at, byte) in name.iter().enumerate() {
        if is_figurine(name, at) {
            text.push(figurine(NAME_FIGURINE, *byte));
        } else {
            text.push_str(&charset.decode(&[*byte]));
        }
    }
    Some(text)
}

fn figurine(base: u8, byte: u8) -> char {
    FIGURINES
        .get(usize::from(byte.wrapping_sub(base)))
        .copied()
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// A name in the charset, with the number of characters that had to be replaced.
pub fn encode_name(name: &str, charset: Charset) -> (Vec<u8>, usize) {
    if name.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return (name.as_bytes().to_vec(), 0);
    }
    let (mut bytes, mut replaced) = (Vec::with_capacity(name.len()), 0);
    for c in name.chars() {
        if let Some(at) = FIGURINES.iter().position(|known| *known == c) {
            bytes.push(NAME_FIGURINE + u8::try_from(at).unwrap_or(0));
        } else if c.is_ascii_control() {
            bytes.push(b' ');
        } else {
            replaced += encode_char(c, charset, |_| true, &mut bytes);
        }
    }
    // What would be read as something else than it was is told by its being different.
    (bytes, replaced)
}

/// Whether a byte means something of its own in a comment.
pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, 0 | COMMENT_FIGURINE..=182 | LINE_BREAK | COMMENT_END)
}

/// The text of a comment; nothing where it is plain text of the charset.
pub fn decode_comment(bytes: &[u8], charset: Charset) -> Option<String> {
    if !bytes.iter().any(|byte| is_special(*byte)) {
        return None;
    }
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let plain = rest.iter().position(|byte| is_special(*byte));
        let (head, tail) = rest.split_at(plain.unwrap_or(rest.len()));
        text.push_str(&charset.decode(head));
        rest = match tail.split_first() {
            None => break,
            Some((byte, tail)) => {
                text.push(match *byte {
                    0 => ' ',
                    LINE_BREAK => '\n',
                    byte => figurine(COMMENT_FIGURINE, byte),
                });
                tail
            }
        };
    }
    Some(text)
}

/// Appends the text of a comment in the charset and tells how many characters had to be replaced.
pub fn encode_comment(text: &str, charset: Charset, bytes: &mut Vec<u8>) -> usize {
    let mut replaced = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => bytes.push(LINE_BREAK),
            '\r' if chars.peek() == Some(&'\n') => {}
            c if c.is_ascii_control() => bytes.push(b' '),
            c if c.is_ascii() => bytes.push(u8::try_from(c).unwrap_or(b'?')),
            c => match FIGURINES.iter().position(|known| *known == c) {
                Some(at) => bytes.push(COMMENT_FIGURINE + u8::try_from(at).unwrap_or(0)),
                None => replaced += encode_char(c, charset, |byte| !is_special(byte), bytes),
            },
        }
    }
    replaced
}

/// Appends one character, or the nearest ones where there is no code that `allowed` allows: then the answer is 1.
fn encode_char(
    c: char,
    charset: Charset,
    allowed: impl Fn(u8) -> bool,
    bytes: &mut Vec<u8>,
) -> usize {
    if let Some(byte) = charset.encode_char(c).filter(|byte| allowed(*byte)) {
        bytes.push(byte);
        return 0;
    }
    // ASCII has no code for any such character, so this gives the nearest letters of it.
    let (nearest, _) = Charset::Ascii.encode_lossy(c.encode_utf8(&mut [0; 4]));
    bytes.extend_from_slice(&nearest);
    1
}

/// One commented move: three symbols and a text.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Comment<'a> {
    /// Codes of the move's, the position's and the additional evaluation; 0 for none.
    pub symbols: [u8; 3],
    /// The text; empty for none.
    pub text: &'a [u8],
}

/// The comment area, record by record.
#[derive(Copy, Clone, Debug)]
pub struct Comments<'a> {
    rest: &'a [u8],
}

impl<'a> Comments<'a> {
    /// The records of an area; false where it does not begin as it should.
    pub fn new(area: &'a [u8]) -> (Comments<'a>, bool) {
        match area.split_first() {
            None => (Comments { rest: area }, true),
            Some((&COMMENT_END, rest)) => (Comments { rest }, true),
            Some(_) => (Comments { rest: area }, false),
        }
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Comments<'a> {
    type Item = Comment<'a>;

    fn next(&mut self) -> Option<Comment<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let mut comment = Comment::default();
        for symbol in &mut comment.symbols {
            match self.rest.split_first() {
                None => return Some(comment),
                Some((&COMMENT_END, rest)) => {
                    self.rest = rest;
                    return Some(comment);
                }
                Some((code, rest)) => {
                    *symbol = *code;
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
    [0, 1, 2, 5, 6, 3, 4, 0, 140, 142, 0, 0, 0, 0, 0, 0],
    [
        0, 18, 16, 14, 10, 13, 15, 17, 19, 44, 45, 132, 36, 40, 138, 8,
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
    "compensation for White",
    "compensation for Black",
    "counterplay",
    "initiative",
    "attack",
    "time trouble",
    "only move",
];

/// The sign of a symbol result.
pub fn symbol_name(code: u8) -> Option<&'static str> {
    SYMBOLS.get(usize::from(code).checked_sub(1)?).copied()
}

/// The code of a symbol result's sign.
pub fn symbol_code(name: &str) -> Option<u8> {
    let at = SYMBOLS.iter().position(|known| *known == name)?;
    u8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players() {
        let cases: [(&[u8], &[u8], &[u8]); 7] = [
            (b"Kramnik,V-Anand,V", b"Kramnik,V", b"Anand,V"),
            (
                b"Smyslov-Levi,V - Botvinnik,M",
                b"Smyslov-Levi,V",
                b"Botvinnik,M",
            ),
            (b"Bilguer", b"Bilguer", b""),
            (b"-Anand,V", b"", b"Anand,V"),
            (b" A  -  B ", b"A", b"B"),
            (b"", b"", b""),
            (b"-", b"", b""),
        ];
        for (text, white, black) in cases {
            assert_eq!(split_players(text), (white, black));
            let again = join_players(white, black);
            assert_eq!(split_players(&again), (white, black), "{again:?}");
        }
    }

    #[test]
    fn sources() {
        let cases: [(&[u8], &[u8], &str); 9] = [
            (
                b"Groningen PCA Qualifiers (11)",
                b"Groningen PCA Qualifiers",
                "11",
            ),
            (b"Candidates (m/3)", b"Candidates", "3"),
            (b"Cup (3/2)", b"Cup", "3.2"),
            (b"Cup (3.2) Berlin", b"Cup Berlin", "3.2"),
            (b"(7)", b"", "7"),
            (b"Open (A) (4)", b"Open (A)", "4"),
            (b"Open (A", b"Open (A", ""),
            (b"Open () (./)", b"Open () (./)", ""),
            (b"", b"", ""),
        ];
        for (text, event, round) in cases {
            let (found, number) = split_source(text);
            assert_eq!((&*found, number.as_str()), (event, round));
            let again = join_source(event, round);
            let (found, number) = split_source(&again);
            assert_eq!((&*found, number.as_str()), (event, round));
        }
    }

    #[test]
    fn figurines_and_letters() {
        let name = |bytes: &[u8]| {
            decode_name(bytes, Charset::Cp850)
                .unwrap_or_else(|| Charset::Cp850.decode(bytes).into_owned())
        };
        assert_eq!(name(b"G\xa2mez"), "Gómez");
        assert_eq!(name(b"\xa2+\xa7"), "♔+♙");
        assert_eq!(name(b"\xa2\xa4"), "♔♘");
        for text in ["Gómez", "♔+♙", "Köln"] {
            let (bytes, replaced) = encode_name(text, Charset::Cp850);
            assert_eq!((name(&bytes).as_str(), replaced), (text, 0));
        }
        let text = decode_comment(b"\xb1a1\xfe\xb5d8\0=\x81", Charset::Cp850);
        assert_eq!(text.as_deref(), Some("♔a1\n♖d8 =ü"));
        let mut bytes = Vec::new();
        assert_eq!(encode_comment("♔a1\n♖d8 =ü", Charset::Cp850, &mut bytes), 0);
        assert_eq!(bytes, b"\xb1a1\xfe\xb5d8 =\x81");
        // The code of this letter is a rook's.
        assert_eq!(encode_comment("Á", Charset::Cp850, &mut bytes), 1);
    }

    #[test]
    fn comments_with_dropped_fields() {
        let area =
            b"\xff\x01\xff\x00\x02\xff\0\0\0\0text\xff\0\0\x03\xff\xff\x01\x02\x03\0\0a\xffopen";
        let (comments, fine) = Comments::new(area);
        assert!(fine);
        let all: Vec<_> = comments.collect();
        let expected: [([u8; 3], &[u8]); 7] = [
            ([1, 0, 0], b""),
            ([0, 2, 0], b""),
            ([0, 0, 0], b"text"),
            ([0, 0, 3], b""),
            ([0, 0, 0], b""),
            ([1, 2, 3], b"a"),
            (*b"ope", b"n"),
        ];
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(symbols, text)| Comment { symbols, text })
            .collect();
        assert_eq!(all, expected);
        assert!(Comments::new(b"").1);
        assert!(!Comments::new(b"x").1);
    }

    #[test]
    fn symbols_and_nags() {
        for symbol in 0..3 {
            for code in 0..=255 {
                if let Some(nag) = nag_of(symbol, code) {
                    let again = code_of(symbol, nag).expect("a code");
                    assert_eq!(nag_of(symbol, again), Some(nag));
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
