//! The result of a game whose movetext is ordinary, found without reading its words.

use tabiya_model::outcome::Outcome;

use super::lexer::{blank_line_before, is_space, is_tag_start, terminator};

/// The number of bytes that are examined together.
const WIDTH: usize = 64;

/// Whether the byte in the middle may belong to anything but moves, numbers and castling: a comment, a tag, a skipped line,
/// a result, the first move of another game.
#[inline(always)]
fn is_odd(before: u8, byte: u8, after: u8) -> bool {
    let line_starts = before == b'\n';
    (byte >= 0x80)
        | (byte == b'*')
        | (byte == b'/')
        | (byte == b':')
        | (byte == b';')
        | (byte == b'[')
        | (byte == b'{')
        | ((byte == b'-') & before.is_ascii_digit())
        | (line_starts & (byte == b'%'))
        | ((before <= b' ') & (byte == b'1') & (after == b'.'))
}

/// Whether any byte with a neighbour on either side is odd. Without a branch, so that it becomes vector code.
#[inline(always)]
fn any_odd(before: &[u8], bytes: &[u8], after: &[u8]) -> bool {
    let neighbours = before.iter().zip(after);
    bytes
        .iter()
        .zip(neighbours)
        .fold(false, |odd, (&byte, (&before, &after))| {
            odd | is_odd(before, byte, after)
        })
}

/// Whether no byte of movetext is odd.
fn is_plain(body: &[u8]) -> bool {
    let &[first, .., last] = body else {
        return false;
    };
    let inner = body.len() - 2;
    let (Some(before), Some(bytes), Some(after)) =
        (body.get(..inner), body.get(1..=inner), body.get(2..))
    else {
        return false;
    };
    let before_last = bytes.last().copied().unwrap_or(first);
    let mut odd = is_odd(b'\n', first, b' ') | is_odd(before_last, last, b' ');
    let (before, rest_before) = before.as_chunks::<WIDTH>();
    let (bytes, rest) = bytes.as_chunks::<WIDTH>();
    let (after, rest_after) = after.as_chunks::<WIDTH>();
    for (bytes, (before, after)) in bytes.iter().zip(before.iter().zip(after)) {
        odd |= any_odd(before, bytes, after);
    }
    !(odd | any_odd(rest_before, rest, rest_after))
}

/// Whether a result may end with the character at `i`: the bytes next to it are of these sets, and a word may end there.
fn may_be_result(data: &[u8], i: usize, before: &[u8], after: &[u8]) -> bool {
    let is = |at: Option<usize>, set: &[u8]| {
        at.and_then(|at| data.get(at))
            .is_some_and(|byte| set.contains(byte))
    };
    is(i.checked_sub(1), before)
        && is(i.checked_add(1), after)
        && data
            .get(i.saturating_add(2))
            .is_none_or(|&byte| !byte.is_ascii_alphanumeric())
}

/// Whether movetext may contain a result with a colon.
fn holds_score(body: &[u8]) -> bool {
    memchr::memchr_iter(b':', body)
        .any(|at| may_be_result(body, at, b"01", b"01") || may_be_result(body, at, b"2", b"1"))
}

/// Whether the end of movetext may be in brackets or braces, or a tag within it.
fn is_enclosed(body: &[u8], last_line: &[u8]) -> bool {
    let tags = memchr::memchr_iter(b'[', body).any(|at| is_tag_start(body, at));
    let bracket =
        memchr::memrchr2(b'[', b']', last_line).is_some_and(|at| last_line.get(at) == Some(&b'['));
    let brace = memchr::memrchr2(b'{', b'}', body).is_some_and(|at| body.get(at) == Some(&b'{'));
    tags || bracket || brace
}

/// The result at the end of the data, and its end, if a few quick checks are enough to be sure that reading all words would
/// find the same.
pub(super) fn end(data: &[u8], i: usize) -> Option<(usize, Outcome)> {
    let text = data.get(i..)?.trim_ascii_end();
    if text.len() < 16 {
        return None;
    }
    let start = text.iter().rposition(|&byte| is_space(byte))? + 1;
    let (outcome, after) = terminator(text, start).filter(|&(_, after)| after == text.len())?;
    let body = text.get(..start)?;
    if is_plain(body) || is_harmless(body) {
        return Some((i + after, outcome));
    }
    None
}

/// Whether no part of movetext is another result, begins another game or hides the end, though some bytes may be odd.
fn is_harmless(body: &[u8]) -> bool {
    // No part of the body can be a result, or part of one.
    for at in memchr::memchr3_iter(b'*', b'-', b'/', body) {
        let suspicious = match body.get(at) {
            // The half of a decimal score.
            Some(b'-') => may_be_result(body, at, b"015", b"01"),
            Some(b'/') => may_be_result(body, at, b"1", b"2"),
            _ => true,
        };
        if suspicious {
            return false;
        }
    }
    if !body.is_ascii() {
        return false;
    }
    // No tag begins in it, and no text hides the end.
    let last_line = memchr::memrchr(b'\n', body).map_or(0, |n| n + 1);
    let line = body.get(last_line..).unwrap_or(&[]);
    let hidden = memchr::memchr(b';', line).is_some() || line.first() == Some(&b'%');
    let is_unusual = memchr::memchr3(b'[', b'{', b':', body).is_some();
    if hidden || (is_unusual && (is_enclosed(body, line) || holds_score(body))) {
        return false;
    }
    // No other game begins in it with its first move, which may follow spaces.
    !memchr::memchr_iter(b'\n', body).any(|feed| {
        let line = body.get(feed + 1..).unwrap_or(&[]);
        let is_blank = |byte: &&u8| **byte != b'\n' && is_space(**byte);
        let blanks = line.iter().take_while(is_blank).count();
        line.get(blanks..)
            .is_some_and(|rest| rest.starts_with(b"1."))
            && blank_line_before(body, feed + 1 + blanks)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Movetext of all lengths with every byte, and every relevant pair and triple, at every place.
    #[test]
    fn what_is_odd_is_seen_at_every_place() {
        let plain =
            b"6. e4 e5 2. Nf3 Nc6 3. O-O Bc5+ 4. b4\n10... Bxb4 $12 (11. c3) e8=Q# ".repeat(3);
        for length in [2, 3, 40, 65, 66, 67, 129, 130, 131, 200] {
            let body = &plain[..length];
            assert!(is_plain(body), "{length}");
            for place in 0..length {
                for odd in [
                    &b"*"[..],
                    b"/",
                    b":",
                    b";",
                    b"[",
                    b"{",
                    "\u{e9}".as_bytes(),
                    b"0-1",
                    b"5-0",
                    b"\n%",
                    b"\n1.",
                    b" 1.",
                    b"\t1.",
                ] {
                    let mut body = body.to_vec();
                    let end = place + odd.len();
                    if end <= length {
                        body[place..end].copy_from_slice(odd);
                        assert!(!is_plain(&body), "{length} {place} {odd:?}");
                    }
                }
            }
        }
        assert!(!is_plain(b"%a line that is passed over\n1. e4 "));
        assert!(!is_plain(b"") && !is_plain(b"1"));
    }

    /// If movetext is plain, the slower checks agree.
    #[test]
    fn what_is_plain_is_harmless() {
        let letters = b"1. e4 O-0/2*[]{};%:\n\t\xc2\xbd";
        let mut state = 1_u64;
        for length in 2..150 {
            for _ in 0..200 {
                let body: Vec<u8> = (0..length)
                    .map(|_| {
                        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                        let odd = (state >> 40).is_multiple_of(60);
                        let among = if odd { letters.len() } else { 7 };
                        letters[(state >> 33) as usize % among]
                    })
                    .collect();
                assert!(!is_plain(&body) || is_harmless(&body), "{body:?}");
            }
        }
    }
}
