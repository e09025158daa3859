//! Examines eight bytes at once: most texts in PGN are too short for anything wider to be worthwhile.
//!
//! A mark is the highest bit of a byte. The lowest mark of a word is always right; above it, there may be false marks. So
//! the first place that is found is right, and so is the result that nothing was found.

const ONES: u64 = 0x0101_0101_0101_0101;
const MARKS: u64 = ONES << 7;

/// The number of bytes examined here before the search for longer texts begins.
const SHORT: usize = 64;

/// Marks the bytes that equal `byte`.
#[inline(always)]
fn equal(word: u64, byte: u8) -> u64 {
    let other = word ^ (ONES * u64::from(byte));
    other.wrapping_sub(ONES) & !other & MARKS
}

/// Marks the bytes below `limit`, which is at most 128.
#[inline(always)]
fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(ONES * u64::from(limit)) & !word & MARKS
}

#[inline(always)]
fn word_at(data: &[u8], at: usize) -> Option<u64> {
    let bytes = data.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*bytes))
}

/// A text that is searched at many places, and rarely longer than two words.
#[derive(Clone, Debug)]
pub(super) struct TextNeedle {
    words: [u64; 2],
    /// Masks for the bytes of the words that are part of the text.
    masks: [u64; 2],
    text: Vec<u8>,
}

impl Default for TextNeedle {
    /// A text that occurs nowhere.
    fn default() -> TextNeedle {
        TextNeedle {
            words: [1, 0],
            masks: [0, 0],
            text: Vec::new(),
        }
    }
}

impl TextNeedle {
    pub(super) fn new(text: Vec<u8>) -> TextNeedle {
        let word = |from: usize| {
            let bytes = text.iter().skip(from).take(8);
            bytes.zip(0..).fold((0, 0), |(word, mask), (byte, at)| {
                (word | u64::from(*byte) << (8 * at), mask | 0xff << (8 * at))
            })
        };
        let ((first, of_first), (second, of_second)) = (word(0), word(8));
        TextNeedle {
            words: [first, second],
            masks: [of_first, of_second],
            text,
        }
    }

    /// The end of the text, if it occurs at a place.
    #[inline(always)]
    pub(super) fn end_at(&self, data: &[u8], at: usize) -> Option<usize> {
        let (Some(first), Some(second)) = (word_at(data, at), word_at(data, at + 8)) else {
            return self.end_near_the_end(data, at);
        };
        let odd =
            (first & self.masks[0] ^ self.words[0]) | (second & self.masks[1] ^ self.words[1]);
        let end = at + self.text.len();
        (odd == 0 && (self.text.len() <= 16 || data.get(at..end) == Some(self.text.as_slice())))
            .then_some(end)
    }

    #[cold]
    fn end_near_the_end(&self, data: &[u8], at: usize) -> Option<usize> {
        let stands = data.get(at..)?.starts_with(&self.text);
        (stands && !self.text.is_empty()).then(|| at + self.text.len())
    }
}

/// The first byte at or after `from` that equals `byte`.
#[inline]
pub(super) fn find(data: &[u8], from: usize, byte: u8) -> Option<usize> {
    match find_near(data, from, byte) {
        Ok(at) => Some(at),
        Err(at) => data
            .get(at..)
            .and_then(|rest| memchr::memchr(byte, rest))
            .map(|n| at + n),
    }
}

/// The first byte at or after `from` that equals `byte`, if it is near; otherwise a place before which there is none.
#[inline]
pub(super) fn find_near(data: &[u8], from: usize, byte: u8) -> Result<usize, usize> {
    let mut at = from;
    while at < from + SHORT
        && let Some(word) = word_at(data, at)
    {
        let found = equal(word, byte);
        if found != 0 {
            return Ok(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    Err(at)
}

/// The first quote, backslash or line break at or after `from`.
#[inline]
pub(super) fn find_value_end(data: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(word) = word_at(data, at) {
        // Both kinds of line breaks are below the space, and so are bytes that end nothing.
        let found = equal(word, b'"') | equal(word, b'\\') | below(word, b' ');
        if found != 0 {
            at += (found.trailing_zeros() / 8) as usize;
            if data.get(at).is_some_and(|&byte| ends_value(byte)) {
                return Some(at);
            }
            at += 1;
        } else {
            at += 8;
        }
    }
    let rest = data.get(at..)?;
    rest.iter()
        .position(|&byte| ends_value(byte))
        .map(|n| at + n)
}

#[inline(always)]
fn ends_value(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'\n' | b'\r')
}

/// Whether the value of a tag contains no quote, backslash or control character.
#[inline]
pub(super) fn needs_no_escape(value: &[u8]) -> bool {
    let escaped =
        |word: u64| equal(word, b'"') | equal(word, b'\\') | equal(word, 0x7f) | below(word, b' ');
    let mut odd = 0;
    let mut words = value.chunks_exact(8);
    for word in &mut words {
        odd |= word
            .first_chunk()
            .map_or(0, |word| escaped(u64::from_le_bytes(*word)));
    }
    let rest = words.remainder().iter().rev();
    // Padded with bytes that need no escape.
    odd |= escaped(rest.fold(ONES * u64::from(b' '), |word, &byte| {
        word << 8 | u64::from(byte)
    }));
    odd == 0
}

/// Whether a text is printable ASCII without a closing brace, and has single spaces between its words. The result may be
/// false for a text that meets this.
#[inline]
pub(super) fn is_plain(text: &[u8]) -> bool {
    let Some(last) = text.len().checked_sub(8) else {
        return is_plain_short(text);
    };
    let mut odd = u64::from(text.first() == Some(&b' '));
    let mut before = 0;
    let mut at = 0;
    while let Some(word) = word_at(text, at.min(last)) {
        let space = equal(word, b' ');
        odd |= below(word, b' ') | word & MARKS | equal(word, 0x7f) | equal(word, b'}');
        odd |= space & (space << 8 | before);
        at += 8;
        if at >= text.len() {
            odd |= space & 1 << 63;
            break;
        }
        // The last word may overlap the one before, in which these pairs were checked already.
        before = if at <= last { space >> 56 } else { 0 };
    }
    odd == 0
}

fn is_plain_short(text: &[u8]) -> bool {
    let mut after_space = true;
    for &byte in text {
        let is_space = byte == b' ';
        if !matches!(byte, b' '..=b'~') || byte == b'}' || (is_space && after_space) {
            return false;
        }
        after_space = is_space;
    }
    !after_space
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of all lengths up to 40 with one byte of every kind at every place.
    fn each_text(mut check: impl FnMut(&[u8])) {
        for length in 0..40 {
            let text: Vec<u8> = (0..length).map(|n| b'a' + (n % 26) as u8).collect();
            check(&text);
            for place in 0..length {
                for byte in 0..=255 {
                    let mut text = text.clone();
                    text[place] = byte;
                    check(&text);
                }
            }
        }
    }

    #[test]
    fn places_are_those_of_plain_loops() {
        each_text(|text| {
            for from in 0..=text.len() {
                let rest = &text[from..];
                let brace = rest.iter().position(|&byte| byte == b'}');
                assert_eq!(find(text, from, b'}'), brace.map(|n| from + n));
                let end = rest.iter().position(|&byte| ends_value(byte));
                assert_eq!(find_value_end(text, from), end.map(|n| from + n));
                let escaped = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f | 0x7f);
                assert_eq!(needs_no_escape(rest), !rest.iter().any(escaped));
            }
        });
        let long = [b'a'; 500];
        assert_eq!(find(&long, 3, b'}'), None);
        assert_eq!(find(&long, 600, b'}'), None);
        assert_eq!(find_value_end(&long, 600), None);
    }

    #[test]
    fn known_texts_are_found_where_they_stand() {
        let data: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').collect();
        for at in 0..data.len() + 3 {
            assert_eq!(TextNeedle::default().end_at(&data, at), None);
            for length in 1..40 {
                let text = data.iter().cycle().skip(7).take(length);
                let text: Vec<u8> = text.copied().collect();
                let stands = data.get(at..).is_some_and(|rest| rest.starts_with(&text));
                let found = TextNeedle::new(text).end_at(&data, at);
                assert_eq!(found, stands.then_some(at + length), "{at} {length}");
            }
        }
        for place in 0..20 {
            let mut text = data[..20].to_vec();
            text[place] ^= 1;
            assert_eq!(TextNeedle::new(text).end_at(&data, 0), None);
        }
    }

    #[test]
    fn plain_texts_are_plain() {
        each_text(|text| assert!(!is_plain(text) || is_plain_short(text), "{text:?}"));
        for length in 1..60 {
            let text: Vec<u8> = b"[%eval 0.17] [%clk 0:00:30] a good move "
                .iter()
                .copied()
                .cycle()
                .take(length)
                .collect();
            assert_eq!(is_plain(&text), text.last() != Some(&b' '), "{text:?}");
        }
        for place in 0..30 {
            let mut text = *b"abcdefghijklmnopqrstuvwxyzABCDEF";
            text[place] = b' ';
            text[place + 1] = b' ';
            assert!(!is_plain(&text), "{place}");
        }
    }
}
