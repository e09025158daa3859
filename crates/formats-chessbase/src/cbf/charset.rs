//! Bytes of texts to characters and back: the letters of a charset, and the chess symbols among them.
//!
//! DOS programs had the letters of CP437. Instead of its line and block characters for drawing boxes, their fonts had
//! chess symbols, and so had byte 127: with the idea, only move, zugzwang, figurines. So their texts cannot hold the
//! letters that other DOS charsets have there, and those bytes do not identify the charset. Texts of Windows programs
//! are in Windows charsets; of the symbols, they have the figurines.

use std::borrow::Cow;

use tabiya_model::charset::Charset;

/// The charset of texts by default, with chess symbols instead of lines and blocks.
pub const DEFAULT_CHARSET: Charset = Charset::Cp437;
/// A line break in a comment.
pub(super) const LINE_BREAK: u8 = 0xfe;
/// The end of a comment's record.
pub(super) const COMMENT_END: u8 = 0xff;
/// The code of a king among the signs; the other pieces follow.
const FIGURINE: u8 = 177;
/// The code of a king in a name that holds no letter.
const NAME_FIGURINE: u8 = 0xa2;
/// Figurines in the order of their codes.
const FIGURINES: [char; 6] = ['♔', '♕', '♘', '♗', '♖', '♙'];
/// The first byte of the signs after 127.
const FIRST: u8 = 176;

/// The signs from byte 176 on. Nobody has agreed on signs for bishops as a pair, of opposite and of the same colour: these
/// are ours. 186 is the charset's, and 189 (compensation, mirrored) is two characters.
const SIGNS: [char; 48] = [
    '‖', '♔', '♕', '♘', '♗', '♖', '♙', '¼', '½', '¾', '║', '±', '⩲', '∞', '∞', '⯹', '⩱', '∓', '⧉',
    '◨', '◫', '≥', '≤', '⌓', '○', '□', '∆', '⟪', '⟫', '⟫', '⟪', '↑', '→', '⇆', '⇗', '⊞', '⇔', '⊥',
    '×', '⊙', '⊕', '∘', '⯺', '⯼', '⯽', '∟', '⯾', '⟳',
];

/// The first half of a mirrored sign.
const MIRRORED: u8 = 189;

/// Characters that are nearly the same signs.
const SYNONYMS: [(char, u8); 5] = [('Δ', 202), ('△', 202), ('⨀', 215), ('⨁', 216), ('∥', 176)];

/// The place of a text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CbfTextKind {
    /// Players and sources.
    Name,
    /// Comments, which have line breaks.
    Comment,
}

/// How the bytes of a database's texts are read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbfCharset {
    charset: Charset,
}

impl CbfCharset {
    /// The letters of a charset, with its symbols.
    pub fn of(charset: Charset) -> CbfCharset {
        CbfCharset { charset }
    }

    /// The charset.
    pub fn charset(self) -> Charset {
        self.charset
    }

    /// Whether 127 and 176 to 223 are signs: so it is with the charsets of DOS.
    fn has_signs(self) -> bool {
        use Charset::{Ascii, Cp437, Cp850, Cp852, Cp866};
        matches!(self.charset, Ascii | Cp437 | Cp850 | Cp852 | Cp866)
    }

    /// The sign that a byte is, where it is one.
    fn sign(self, byte: u8, text: CbfTextKind) -> Option<char> {
        match byte {
            127 if self.has_signs() => Some('∆'),
            177..=182 if text == CbfTextKind::Comment || self.has_signs() => {
                FIGURINES.get(usize::from(byte - FIGURINE)).copied()
            }
            176..=223 if self.has_signs() && byte != 186 => {
                SIGNS.get(usize::from(byte - FIRST)).copied()
            }
            // The second sharp s and the sign of mate.
            156 if self.charset == Charset::Cp437 => Some('#'),
            158 if self.charset == Charset::Cp437 => Some('ß'),
            0 => Some(' '),
            LINE_BREAK if text == CbfTextKind::Comment => Some('\n'),
            _ => None,
        }
    }

    /// The character of a byte between its neighbours.
    fn char_at(self, bytes: &[u8], at: usize, text: CbfTextKind) -> char {
        let Some(&byte) = bytes.get(at) else {
            return char::REPLACEMENT_CHARACTER;
        };
        if let Some(sign) = self.sign(byte, text) {
            return sign;
        }
        // Norwegians and Danes had their letter in the place of two coins.
        if matches!(byte, 155 | 157) && self.charset == Charset::Cp437 && beside_letter(bytes, at) {
            return if byte == 155 { 'ø' } else { 'Ø' };
        }
        self.charset
            .decode_byte(byte)
            .unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The text of bytes.
    pub fn decode(self, bytes: &[u8], text: CbfTextKind) -> Cow<'_, str> {
        self.decode_special(bytes, text).map_or_else(
            || self.charset.decode(bytes).into_owned().into(),
            Cow::Owned,
        )
    }

    /// The text of bytes; `None` if the charset alone gives the same.
    pub fn decode_special(self, bytes: &[u8], text: CbfTextKind) -> Option<String> {
        if bytes.iter().all(|byte| matches!(byte, 1..=126)) {
            return None;
        }
        let is_figurines = text == CbfTextKind::Name && is_figurine_name(bytes);
        let mut decoded = String::with_capacity(bytes.len());
        for (at, byte) in bytes.iter().enumerate() {
            decoded.push(if is_figurines && is_name_figurine(*byte) {
                FIGURINES
                    .get(usize::from(byte - NAME_FIGURINE))
                    .copied()
                    .unwrap_or(char::REPLACEMENT_CHARACTER)
            } else {
                self.char_at(bytes, at, text)
            });
            if *byte == MIRRORED && self.has_signs() {
                decoded.push('=');
            }
        }
        (decoded != *self.charset.decode(bytes)).then_some(decoded)
    }

    /// Appends the bytes of a text and returns the number of replaced characters.
    pub fn encode(self, text: &str, place: CbfTextKind, bytes: &mut Vec<u8>) -> usize {
        let mut replaced = 0;
        let mut coins = Vec::new();
        let begin = bytes.len();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\n' if place == CbfTextKind::Comment => bytes.push(LINE_BREAK),
                '\r' if chars.peek() == Some(&'\n') => {}
                ' '..='~' => bytes.push(u8::try_from(c).unwrap_or(b'?')),
                // A control character stays what it is in a comment; names are searched for without them.
                '\u{1}'..='\u{1f}' if place == CbfTextKind::Comment => {
                    bytes.push(u8::try_from(c).unwrap_or(b' '));
                }
                c if c.is_ascii_control() => {
                    bytes.push(b' ');
                    replaced += 1;
                }
                c => {
                    if self.charset == Charset::Cp437 && nearest_of_coin(c).is_some() {
                        coins.push((bytes.len() - begin, c));
                    }
                    replaced += self.encode_char(c, place, bytes);
                }
            }
        }
        let written = bytes.get_mut(begin..).unwrap_or_default();
        replaced + self.replace_coins(&coins, place, written)
    }

    /// Coins and the letters in their place are told apart by their neighbours: those that would be read as the other
    /// give way to a letter, which is a neighbour itself. The answer is how many did.
    fn replace_coins(self, coins: &[(usize, char)], text: CbfTextKind, bytes: &mut [u8]) -> usize {
        let mut replaced = 0;
        let mut waiting: Vec<usize> = (0..coins.len()).collect();
        while let Some(index) = waiting.pop() {
            let Some(&(at, c)) = coins.get(index) else {
                continue;
            };
            if matches!(bytes.get(at), Some(155 | 157))
                && self.char_at(bytes, at, text) != c
                && let (Some(byte), Some(letter)) = (bytes.get_mut(at), nearest_of_coin(c))
            {
                *byte = letter;
                replaced += 1;
                waiting.extend([index.wrapping_sub(1), index + 1]);
            }
        }
        replaced
    }

    /// Appends one character, or the nearest ones where there is no code for it: then the answer is 1.
    fn encode_char(self, c: char, place: CbfTextKind, bytes: &mut Vec<u8>) -> usize {
        if let Some(byte) = self.byte_of(c, place) {
            bytes.push(byte);
            return 0;
        }
        if let Some((_, byte)) = SYNONYMS
            .iter()
            .find(|(other, _)| *other == c && self.has_signs())
        {
            bytes.push(*byte);
            return 1;
        }
        // ASCII has no code for any such character, so this gives the nearest letters of it.
        let (nearest, _) = Charset::Ascii.encode_lossy(c.encode_utf8(&mut [0; 4]));
        bytes.extend_from_slice(&nearest);
        1
    }

    fn byte_of(self, c: char, place: CbfTextKind) -> Option<u8> {
        let signs = match (self.has_signs(), place) {
            (true, _) => Some(FIRST..=223),
            (false, CbfTextKind::Comment) => Some(FIGURINE..=FIGURINE + 5),
            (false, CbfTextKind::Name) => None,
        };
        let mut signs = signs.into_iter().flatten().filter(|byte| *byte != MIRRORED);
        if let Some(byte) = signs.find(|byte| self.sign(*byte, place) == Some(c)) {
            return Some(byte);
        }
        let means = |byte: &u8| self.sign(*byte, place).is_none() && *byte != COMMENT_END;
        match (self.charset, c) {
            (Charset::Cp437, 'ø') => Some(155),
            (Charset::Cp437, 'Ø') => Some(157),
            _ => self.charset.encode_char(c).filter(means),
        }
    }

    /// The bytes of a text: its original ones, if they still mean the same, or new ones; and the number of characters that were
    /// replaced, or would be read differently in their place.
    pub fn bytes_of(self, text: &str, original: &[u8], place: CbfTextKind) -> (Vec<u8>, usize) {
        let is_ascii = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if is_ascii && original == text.as_bytes() {
            return (original.to_vec(), 0);
        }
        let fits = !original.contains(&COMMENT_END) || place == CbfTextKind::Name;
        let (mut bytes, mut replaced) = (Vec::with_capacity(text.len()), 0);
        if fits && !original.is_empty() && *self.decode(original, place) == *text {
            bytes.extend_from_slice(original);
        } else {
            replaced = self.encode(text, place, &mut bytes);
        }
        if place == CbfTextKind::Name && self.has_signs() {
            replaced += silence(&mut bytes);
        }
        (bytes, replaced)
    }
}

/// Replaces what in a name of DOS would make readers take the database for one of Windows, and says how many bytes that
/// were. A letter of DOS in the same name outvotes them.
fn silence(name: &mut [u8]) -> usize {
    if name.iter().any(|byte| is_dos(*byte)) {
        return 0;
    }
    let mut count = 0;
    for at in 0..name.len() {
        if is_of_windows(name, at)
            && let Some(byte) = name.get_mut(at)
        {
            *byte = b'?';
            count += 1;
        }
    }
    count
}

/// Whether a byte of a name is a letter of DOS and none of Windows.
fn is_dos(byte: u8) -> bool {
    matches!(byte, 128..=154 | 160..=165)
}

/// Whether a byte of a name stands where a letter of Windows would. 225 is a letter of both.
fn is_of_windows(name: &[u8], at: usize) -> bool {
    let letter = |at: Option<usize>| {
        at.and_then(|at| name.get(at))
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0xc0)
    };
    let (before, after) = (at.checked_sub(1), at.checked_add(1));
    let begins_word = before
        .and_then(|at| name.get(at))
        .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte < 128);
    matches!(name.get(at), Some(0xc0..=224 | 226..=0xff))
        && letter(after)
        && (letter(before) || begins_word)
}

/// The letter that comes nearest to one of those that share a byte with a coin, or to the coin.
fn nearest_of_coin(c: char) -> Option<u8> {
    match c {
        'ø' => Some(b'o'),
        'Ø' => Some(b'O'),
        '¢' => Some(b'c'),
        '¥' => Some(b'Y'),
        _ => None,
    }
}

/// Whether letters stand beside a byte.
fn beside_letter(bytes: &[u8], at: usize) -> bool {
    let letter = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(|byte| is_letter(*byte))
    };
    letter(at.checked_sub(1)) || letter(at.checked_add(1))
}

/// Whether a byte is a letter of ASCII or CP437.
pub(super) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, 128..=154 | 160..=165 | 225)
}

fn is_name_figurine(byte: u8) -> bool {
    (NAME_FIGURINE..NAME_FIGURINE + 6).contains(&byte)
}

/// Whether a name is one of figurines: their codes are accented letters otherwise, so no letter may stand in it.
fn is_figurine_name(name: &[u8]) -> bool {
    let mut figurines = false;
    for byte in name {
        if is_name_figurine(*byte) {
            figurines = true;
        } else if byte.is_ascii_alphabetic() || *byte >= 128 {
            return false;
        }
    }
    figurines
}

/// What the texts of a database say about its charset.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CbfCharsetEvidence {
    /// Letters of DOS in names and sources.
    dos: u32,
    /// The same in comments, where Windows has no quotes or dashes.
    dos_comments: u32,
    /// Letters of Windows in names and sources.
    windows: u32,
    /// Bytes above ASCII anywhere.
    pub(super) high: u32,
}

impl CbfCharsetEvidence {
    /// Counts a name or source.
    pub(super) fn name(&mut self, text: &[u8]) {
        for (at, byte) in text.iter().enumerate() {
            self.high += u32::from(*byte >= 127);
            self.dos += u32::from(is_dos(*byte));
            self.windows += u32::from(is_of_windows(text, at));
        }
    }

    /// Counts a comment.
    pub(super) fn comment(&mut self, text: &[u8]) {
        for window in text.windows(3) {
            let [before, byte, after] = *window else {
                continue;
            };
            let between = before.is_ascii_alphabetic() && after.is_ascii_alphabetic();
            let is_dos = matches!(byte, 128..=154) && !matches!(byte, 133 | 145 | 146 | 150 | 151);
            self.dos_comments += u32::from(between && is_dos);
        }
        let high = text
            .iter()
            .filter(|byte| **byte >= 127 && **byte < LINE_BREAK);
        self.high += u32::try_from(high.count()).unwrap_or(u32::MAX);
    }

    /// Whether the texts are those of a program for Windows: signs of DOS never vote.
    pub(super) fn is_windows(self) -> bool {
        self.windows > 0 && self.dos == 0 && self.dos_comments <= self.windows
    }

    /// What was counted, for people.
    pub(super) fn reason(self) -> String {
        format!(
            "DOS letters in names: {}, in comments: {}; Windows letters in names: {}",
            self.dos, self.dos_comments, self.windows
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOS: CbfCharset = CbfCharset {
        charset: Charset::Cp437,
    };

    #[test]
    fn line_breaks_of_other_formats_become_those_of_this_one() {
        let bytes = |text: &str, place| DOS.bytes_of(text, b"", place).0;
        assert_eq!(bytes("one\ntwo", CbfTextKind::Comment), b"one\xfetwo");
        assert_eq!(bytes("one\r\ntwo", CbfTextKind::Comment), b"one\xfetwo");
        assert_eq!(
            bytes("one\n\ntwo\n", CbfTextKind::Comment),
            b"one\xfe\xfetwo\xfe"
        );
        assert_eq!(
            bytes("sch\u{f6}n\ntwo", CbfTextKind::Comment),
            b"sch\x94n\xfetwo"
        );
        // What stood in such a file stays.
        for own in [b"one\xfetwo", b"one\ntwo"] {
            let kept = DOS.bytes_of("one\ntwo", own, CbfTextKind::Comment);
            assert_eq!(kept, (own.to_vec(), 0));
        }
    }

    #[test]
    fn no_name_makes_readers_take_dos_for_windows() {
        // The space that does not break is a letter of Windows between others.
        for (name, original, bytes, replaced) in [
            ("set-\u{a0}up", &b"set-\xffup"[..], &b"set-?up"[..], 1),
            (
                "J\u{f6}rg \u{a0}up",
                b"J\x94rg \xffup",
                b"J\x94rg \xffup",
                0,
            ),
            ("Gau\u{df}ner", b"", b"Gau\xe1ner", 0),
        ] {
            let (written, count) = DOS.bytes_of(name, original, CbfTextKind::Name);
            assert_eq!((&written[..], count), (bytes, replaced), "{name}");
            let mut vote = CbfCharsetEvidence::default();
            vote.name(&written);
            assert!(!vote.is_windows(), "{name}");
        }
    }

    #[test]
    fn every_byte_of_a_comment_comes_back() {
        let mut other = Vec::new();
        for byte in 1..=0xfe_u8 {
            let text = DOS.decode(&[byte], CbfTextKind::Comment).into_owned();
            let (again, replaced) = DOS.bytes_of(&text, &[byte], CbfTextKind::Comment);
            assert_eq!((&again[..], replaced), (&[byte][..], 0), "{text:?}");
            // Without the original byte the text is the same at least.
            let mut bytes = Vec::new();
            let replaced = DOS.encode(&text, CbfTextKind::Comment, &mut bytes);
            assert_eq!(replaced, 0, "{byte} {text:?}");
            assert_eq!(DOS.decode(&bytes, CbfTextKind::Comment), text);
            if bytes != [byte] {
                other.push(byte);
            }
        }
        // Signs that have two bytes, or a character of ASCII.
        let doubles = [
            10, 127, 156, 158, 171, 172, 189, 205, 206, 236, 241, 242, 243,
        ];
        assert_eq!(other, doubles);
    }

    #[test]
    fn what_its_neighbours_would_change_gives_way() {
        let alphabet = ['Ø', '¥', 'ø', '¢', 'n', '4'];
        for number in 0..alphabet.len().pow(5) {
            let digit = |at: u32| number / alphabet.len().pow(at) % alphabet.len();
            let text: String = (0..5).map(|at| alphabet[digit(at)]).collect();
            for place in [CbfTextKind::Comment, CbfTextKind::Name] {
                let mut bytes = Vec::new();
                let replaced = DOS.encode(&text, place, &mut bytes);
                let again = DOS.decode(&bytes, place);
                let others = text.chars().zip(again.chars()).filter(|(a, b)| a != b);
                assert_eq!(others.count(), replaced, "{text} {again}");
            }
        }
        let mut bytes = Vec::new();
        assert_eq!(DOS.encode("Ørn 5¢ Ø4", CbfTextKind::Comment, &mut bytes), 1);
        assert_eq!(bytes, b"\x9drn 5\x9b O4");
    }

    #[test]
    fn signs_and_letters() {
        let text = |bytes: &[u8]| DOS.decode(bytes, CbfTextKind::Comment).into_owned();
        assert_eq!(
            text(b"M\x81ller \xbb\xc9 \xb1f1\xfe\xd7"),
            "Müller ±□ ♔f1\n⊙"
        );
        assert_eq!(text(b"S\x9brensen \x9b"), "Sørensen ¢");
        assert_eq!(text(b"\x7f Gro\xe1 Gro\x9e"), "∆ Groß Groß");
        let name = |bytes: &[u8]| DOS.decode(bytes, CbfTextKind::Name).into_owned();
        assert_eq!(name(b"G\xa2mez"), "Gómez");
        assert_eq!(name(b"\xa2+\xa7"), "♔+♙");
        assert_eq!(name(b"Mu\xa4oz \xa5"), "Muñoz Ñ");
        let windows = CbfCharset::of(Charset::Cp1252);
        assert_eq!(
            windows.decode(b"M\xfcller\xb2", CbfTextKind::Comment),
            "Müller♕"
        );
        assert_eq!(windows.decode(b"\xc1gnes", CbfTextKind::Name), "Ágnes");
        let mut bytes = Vec::new();
        assert_eq!(
            DOS.encode("Ágnes ∓ Ørn", CbfTextKind::Comment, &mut bytes),
            1
        );
        assert_eq!(bytes, b"Agnes \xc1 \x9drn");
    }

    #[test]
    fn signs_never_vote() {
        let vote = |names: &[&[u8]], comments: &[&[u8]]| {
            let mut vote = CbfCharsetEvidence::default();
            names.iter().for_each(|name| vote.name(name));
            comments.iter().for_each(|text| vote.comment(text));
            vote.is_windows()
        };
        assert!(!vote(
            &[b"Kasparov,G-Karpov,A"],
            &[b"\xbb\xc9\xca\xcf\xd0\xd7"]
        ));
        assert!(!vote(&[b"M\x81ller,K"], &[b"\xe9\xf6\xfc"]));
        assert!(!vote(&[b"Gro\xe1mann"], &[]));
        assert!(vote(&[b"M\xfcller,K"], &[b"\xbb\xc9 don\x92t"]));
        assert!(vote(&[b"\xc1gnes"], &[]));
        assert!(!vote(&[b"M\xfcller,K", b"J\x84ger"], &[]));
        assert!(!vote(&[b"M\xfcller"], &[b"f\x81r Wei\xe1", b"sp\x84ter"]));
    }
}
