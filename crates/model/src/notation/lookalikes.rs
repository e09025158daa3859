//! Words that are moves though their characters are not those of the standard: letters of other alphabets that look the
//! same, wide forms, characters without a width, capitals instead of small letters, and the letters of Russian pieces in
//! the charsets of old files.

use std::borrow::Cow;

use super::move_at;

/// The longest word that is checked.
const LONGEST: usize = 64;

/// The length of a zero-width character at `i`, if there is one.
#[must_use]
pub fn without_width(data: &[u8], i: usize) -> usize {
    match data.get(i..) {
        Some([0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..])
        | Some([0xe2, 0x81, 0xa0, ..])
        | Some([0xef, 0xbb, 0xbf, ..]) => 3,
        Some([0xc2, 0xad, ..]) => 2,
        _ => 0,
    }
}

/// A word in standard letters, if it is written in look-alike ones.
#[must_use]
pub fn plain(word: &[u8]) -> Cow<'_, [u8]> {
    if word.is_ascii() || word.len() > LONGEST {
        return Cow::Borrowed(word);
    }
    let changed = match std::str::from_utf8(word) {
        Ok(text) => plain_text(text),
        Err(_) => plain_bytes(word),
    };
    match changed {
        Some(changed) if changed != word => Cow::Owned(changed),
        _ => Cow::Borrowed(word),
    }
}

fn plain_text(text: &str) -> Option<Vec<u8>> {
    let castles = is_castling(text);
    let mut changed = String::with_capacity(text.len());
    for c in text.chars() {
        if without_width(c.encode_utf8(&mut [0; 4]).as_bytes(), 0) > 0 {
            continue;
        }
        changed.push(match c {
            // Wide forms of ASCII.
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            // Lower-case Cyrillic letters that look like files, and the capture mark.
            '\u{430}' => 'a',
            '\u{441}' => 'c',
            '\u{435}' => 'e',
            '\u{445}' | '\u{425}' => 'x',
            // Cyrillic and Greek letters O.
            '\u{41e}' | '\u{43e}' | '\u{39f}' | '\u{3bf}' if castles => 'O',
            _ => c,
        });
    }
    Some(changed.into_bytes())
}

/// Whether a text begins like castling, in whatever alphabet.
fn is_castling(text: &str) -> bool {
    let is_o = |c: char| "Oo0\u{41e}\u{43e}\u{39f}\u{3bf}".contains(c);
    let is_dash = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let mut chars = text.chars();
    if !chars.next().is_some_and(is_o) {
        return false;
    }
    match chars.next() {
        Some(c) if is_dash(c) => chars.next().is_some_and(is_o),
        Some(c) => is_o(c),
        None => false,
    }
}

/// The same for bytes of an old charset: castling in Cyrillic letters, the Russian piece letters, letters that look like
/// files.
fn plain_bytes(word: &[u8]) -> Option<Vec<u8>> {
    if let Some(castling) = castling_bytes(word) {
        return Some(castling);
    }
    let mut changed = Vec::with_capacity(word.len() + 2);
    let mut rest = word;
    // King, queen, rook and bishop (or knight) in Windows-1251, KOI8-R and code page 866.
    let (piece, king_end) = match word {
        [0xca, end, ..] => (Some('\u{41a}'), *end == 0xf0),
        [0xeb, end, ..] => (Some('\u{41a}'), *end == 0xd2),
        [0x8a, end, ..] => (Some('\u{41a}'), *end == 0xe0),
        [0xd4 | 0xe6 | 0x94, ..] => (Some('\u{424}'), false),
        [0xcb | 0xec | 0x8b, ..] => (Some('\u{41b}'), false),
        [0xd1 | 0xf3 | 0x91, ..] => (Some('\u{421}'), false),
        _ => (None, false),
    };
    if let Some(piece) = piece {
        let mut bytes = [0; 4];
        changed.extend_from_slice(piece.encode_utf8(&mut bytes).as_bytes());
        rest = rest.get(1..)?;
        if king_end {
            changed.extend_from_slice("\u{440}".as_bytes());
            rest = rest.get(1..)?;
        }
    }
    for &byte in rest {
        changed.push(match byte {
            // In Windows-1251.
            0xe0 => b'a',
            0xf1 => b'c',
            0xe5 => b'e',
            0xf5 => b'x',
            0x80.. => return None,
            _ => byte,
        });
    }
    Some(changed)
}

/// Castling in the Cyrillic letter O of Windows-1251, KOI8-R or code page 866.
fn castling_bytes(word: &[u8]) -> Option<Vec<u8>> {
    let is_o = |byte: u8| matches!(byte, 0xce | 0xee | 0xef | 0xcf | 0x8e | 0xae);
    let (length, castling): (usize, &[u8]) = match word {
        [a, b'-', b, b'-', c, ..] if is_o(*a) && a == b && a == c => (5, b"O-O-O"),
        [a, b'-', b, ..] if is_o(*a) && a == b => (3, b"O-O"),
        _ => return None,
    };
    let rest = word.get(length..).filter(|rest| rest.is_ascii())?;
    Some([castling, rest].concat())
}

/// A word of capitals in lower case, except for the piece and the promotion piece: `E4`, `BXC6`, `EXD8=Q`; `None` if it
/// is not such a word, or not a move either way.
#[must_use]
pub fn lowered(word: &[u8]) -> Option<Vec<u8>> {
    let is_file = |byte: u8| matches!(byte, b'A'..=b'H');
    if word.len() > LONGEST || word.iter().any(u8::is_ascii_lowercase) {
        return None;
    }
    let mut changed = word.to_vec();
    let piece = usize::from(matches!(word, [b'K' | b'Q' | b'R' | b'N', ..]))
        // A bishop, unless it is the file of a pawn that moves straight ahead.
        + usize::from(matches!(word, [b'B', next, ..] if !next.is_ascii_digit()));
    for at in piece..changed.len() {
        let before = at
            .checked_sub(1)
            .and_then(|before| changed.get(before))
            .copied();
        // A promotion piece follows the last rank, and no square follows it.
        let is_square = word.get(at + 1).is_some_and(u8::is_ascii_digit);
        let promotes = matches!(before, Some(b'=' | b'/'))
            || (matches!(before, Some(b'1' | b'8')) && !is_square);
        let byte = changed.get_mut(at)?;
        if (is_file(*byte) && !promotes) || *byte == b'X' {
            byte.make_ascii_lowercase();
        }
    }
    (changed != word && move_at(&changed).is_some()).then_some(changed)
}

/// The Latin letter that a letter of another alphabet looks like.
#[must_use]
pub fn lookalike(letter: char) -> Option<char> {
    Some(match letter {
        '\u{41a}' | '\u{39a}' => 'K',
        '\u{412}' | '\u{392}' => 'B',
        '\u{39d}' => 'N',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_look_the_same_are_read_as_the_same() {
        let read = |word: &str| String::from_utf8(plain(word.as_bytes()).into_owned());
        for (word, meant) in [
            ("\u{435}4", "e4"),
            ("N\u{441}6", "Nc6"),
            ("\u{430}\u{445}b5", "axb5"),
            ("\u{41e}-\u{41e}-\u{41e}+", "O-O-O+"),
            ("\u{41e}\u{41e}", "OO"),
            ("\u{41e}f4", "\u{41e}f4"),
            ("\u{ff25}\u{ff14}", "E4"),
            ("N\u{200b}f3\u{200b}", "Nf3"),
            ("e4", "e4"),
        ] {
            assert_eq!(read(word).as_deref(), Ok(meant), "{word}");
        }
        for (word, meant) in [
            (&b"\xce-\xce"[..], "O-O"),
            (b"\xef-\xef-\xef!", "O-O-O!"),
            (b"\xcaf3", "\u{41a}f3"),
            (b"\x8a\xe0e2", "\u{41a}\u{440}e2"),
            (b"\xe54", "e4"),
        ] {
            assert_eq!(plain(word), meant.as_bytes(), "{word:?}");
        }
        assert_eq!(plain(b"\xe4\xf64"), &b"\xe4\xf64"[..]);
    }

    #[test]
    fn capitals_become_small_letters() {
        let read = |word: &str| {
            let changed = lowered(word.as_bytes())?;
            String::from_utf8(changed).ok()
        };
        for (word, meant) in [
            ("E4", Some("e4")),
            ("BXC6", Some("Bxc6")),
            ("B4", Some("b4")),
            ("NBD2+", Some("Nbd2+")),
            ("EXD8=Q", Some("exd8=Q")),
            ("EXD8B", Some("exd8B")),
            ("R1D2", Some("R1d2")),
            ("Nf3", None),
            ("O-O", None),
            ("WHITE", None),
            ("D", None),
        ] {
            assert_eq!(read(word).as_deref(), meant, "{word}");
        }
    }
}
