//! The meaning of PGN bytes without a position: classes, tags, terminators, and where games may begin.
//!
//! Everything that decides where one game ends and the next begins is a pure function of the bytes, so that reading
//! tags only, the main line only or everything finds the same games.

use std::sync::LazyLock;

use memchr::{memchr, memchr2, memmem, memrchr, memrchr2};
use tabiya_model::board::parse_san;
use tabiya_model::notation::lookalikes::without_width;
use tabiya_model::outcome::Outcome;

use super::swar;

/// The kind of token that a byte can begin in movetext.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum PgnByteClass {
    /// White space.
    Space,
    /// `0` to `9`.
    Digit,
    /// A letter that begins a move in standard notation.
    Move,
    /// `{`
    Brace,
    /// `}`
    BraceEnd,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`
    Bracket,
    /// `;`
    Semicolon,
    /// `%`
    Percent,
    /// `$`
    Dollar,
    /// `*`
    Star,
    /// `.`
    Dot,
    /// `!` and `?`
    Suffix,
    /// Control characters without meaning, such as NUL and Ctrl-Z.
    Control,
    /// Everything else.
    Other,
}

const fn class_table() -> [PgnByteClass; 256] {
    let mut table = [PgnByteClass::Other; 256];
    let mut i = 0;
    while i < 32 {
        table[i] = PgnByteClass::Control;
        i += 1;
    }
    table[0x7f] = PgnByteClass::Control;
    let lists: [(&[u8], PgnByteClass); 15] = [
        (b" \t\r\n\x0b\x0c", PgnByteClass::Space),
        (b"0123456789", PgnByteClass::Digit),
        (b"abcdefghNBRQKO", PgnByteClass::Move),
        (b"{", PgnByteClass::Brace),
        (b"}", PgnByteClass::BraceEnd),
        (b"(", PgnByteClass::Open),
        (b")", PgnByteClass::Close),
        (b"[", PgnByteClass::Bracket),
        (b";", PgnByteClass::Semicolon),
        (b"%", PgnByteClass::Percent),
        (b"$", PgnByteClass::Dollar),
        (b"*", PgnByteClass::Star),
        (b".", PgnByteClass::Dot),
        (b"!?", PgnByteClass::Suffix),
        (b"\0\x1a", PgnByteClass::Control),
    ];
    let mut list = 0;
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].0.len() {
            table[lists[list].0[at] as usize] = lists[list].1;
            at += 1;
        }
        list += 1;
    }
    table
}

/// The class of every byte.
pub(super) static CLASS: [PgnByteClass; 256] = class_table();

#[inline(always)]
pub(super) fn class(byte: u8) -> PgnByteClass {
    CLASS[usize::from(byte)]
}

#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Whether any token ends before this byte.
#[inline(always)]
pub(super) fn is_delimiter(byte: u8) -> bool {
    matches!(
        class(byte),
        PgnByteClass::Space
            | PgnByteClass::Control
            | PgnByteClass::Open
            | PgnByteClass::Close
            | PgnByteClass::Brace
            | PgnByteClass::BraceEnd
            | PgnByteClass::Semicolon
            | PgnByteClass::Dollar
    )
}

const fn ends_move_table() -> [bool; 256] {
    let mut table = [false; 256];
    let ends = b" \t\r\n\x0b\x0c)({;$!?";
    let mut i = 0;
    while i < ends.len() {
        table[ends[i] as usize] = true;
        i += 1;
    }
    table
}

static ENDS_MOVE: [bool; 256] = ends_move_table();

/// Whether a move in standard notation may end before this byte.
#[inline(always)]
pub(super) fn ends_move(next: Option<&u8>) -> bool {
    next.is_none_or(|&byte| ENDS_MOVE[usize::from(byte)])
}

/// The index of the first byte at or after `i` that is not white space.
#[inline]
pub(super) fn skip_space(data: &[u8], mut i: usize) -> usize {
    while data.get(i).is_some_and(|&byte| is_space(byte)) {
        i += 1;
    }
    i
}

/// The length of a non-ASCII space at `i`: no-break and other wide spaces, zero-width characters, a byte order mark; 0 if
/// there is none.
#[inline]
pub(super) fn wide_space(data: &[u8], i: usize) -> usize {
    match data.get(i) {
        Some(0x80..) => odd_space(data, i),
        _ => 0,
    }
}

#[cold]
fn odd_space(data: &[u8], i: usize) -> usize {
    match data.get(i..) {
        Some([0xc2, 0xa0 | 0x85, ..]) => 2,
        Some([0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..])
        | Some([0xe2, 0x81, 0x9f, ..])
        | Some([0xe3, 0x80, 0x80, ..]) => 3,
        // A no-break space of single-byte charsets, if it is alone.
        Some([0xa0, rest @ ..]) => {
            let before = i.checked_sub(1).and_then(|before| data.get(before));
            let stands_alone =
                before.is_none_or(u8::is_ascii) && rest.first().is_none_or(u8::is_ascii);
            usize::from(stands_alone)
        }
        _ => without_width(data, i),
    }
}

/// The start of the byte order marks directly before `i`: two files may have been concatenated there.
#[inline]
pub(super) fn before_marks(data: &[u8], mut i: usize) -> usize {
    while let Some(before) = i.checked_sub(3)
        && data.get(before..i) == Some(b"\xef\xbb\xbf")
    {
        i = before;
    }
    i
}

/// Bytes without the white space at their end.
pub(super) fn trim_end(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !is_space(*byte));
    bytes.get(..end.map_or(0, |last| last + 1)).unwrap_or(&[])
}

/// Bytes without the white space around them; unlike in the standard library, this is all white space of PGN.
pub(super) fn trim(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| !is_space(*byte));
    trim_end(bytes.get(start.unwrap_or(bytes.len())..).unwrap_or(&[]))
}

/// The index of the line break at or after `i`, or the end.
pub(super) fn line_end(data: &[u8], i: usize) -> usize {
    data.get(i..)
        .and_then(|rest| memchr2(b'\n', b'\r', rest))
        .map_or(data.len(), |n| i + n)
}

/// Whether a line begins at `i`.
#[inline]
pub(super) fn at_line_start(data: &[u8], i: usize) -> bool {
    match i.checked_sub(1).and_then(|before| data.get(before)) {
        None => true,
        Some(&byte) => byte == b'\n' || byte == b'\r',
    }
}

/// Whether there is an empty line directly before the token at `i`.
pub(super) fn blank_line_before(data: &[u8], i: usize) -> bool {
    let i = before_marks(data, i);
    let before = data.get(..i).unwrap_or(data);
    let mut breaks = 0;
    let mut after_lf = false;
    for &byte in before.iter().rev() {
        match byte {
            b'\n' => {
                breaks += 1;
                after_lf = true;
                if breaks == 2 {
                    return true;
                }
                continue;
            }
            b'\r' if !after_lf => breaks += 1,
            _ if !is_space(byte) => return false,
            _ => {}
        }
        after_lf = false;
        if breaks == 2 {
            return true;
        }
    }
    true
}

/// The longest name of a tag.
const NAME_MAX: usize = 255;

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b' ' | b'\t' | b'-' | b'.' | b'/' | b'+' | b'#' | b':'
        )
        || byte >= 0x80
}

/// Whether `[`, a name and a quote begin at `i`: only a tag begins like that. They may be on several lines.
pub(super) fn is_tag_start(data: &[u8], i: usize) -> bool {
    is_tag_line_start(data, i) || is_tag_over_lines(data, i)
}

/// The same within one line.
fn is_tag_line_start(data: &[u8], i: usize) -> bool {
    if data.get(i) != Some(&b'[') {
        return false;
    }
    let mut at = i + 1;
    while matches!(data.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    if !data.get(at).is_some_and(|&byte| is_name_start(byte)) {
        return false;
    }
    let name = data.get(at..data.len().min(at + NAME_MAX)).unwrap_or(&[]);
    match name.iter().position(|&byte| !is_name_byte(byte)) {
        Some(n) => data.get(at + n) == Some(&b'"'),
        None => false,
    }
}

/// The most white space that is skipped between the parts of a tag.
const GAP_MAX: usize = 64;

/// Whether a tag begins at `i` whose parts are on several lines, or separated by other white space: only with a name that
/// the standard allows.
#[inline(never)]
fn is_tag_over_lines(data: &[u8], i: usize) -> bool {
    let skip = |from: usize| {
        let gap = data
            .get(from..data.len().min(from + GAP_MAX))
            .unwrap_or(&[]);
        from + gap.iter().take_while(|byte| is_space(**byte)).count()
    };
    if data.get(i) != Some(&b'[') {
        return false;
    }
    let start = skip(i + 1);
    let name = data
        .get(start..data.len().min(start + NAME_MAX))
        .unwrap_or(&[]);
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = name.iter().take_while(is_name).count();
    length > 0 && data.get(skip(start + length)) == Some(&b'"')
}

/// Whether a line that ends at `end` and begins after the last line break before it belongs to a tag section.
fn is_tag_line(data: &[u8], end: usize) -> bool {
    let line = data.get(..end).unwrap_or(data);
    if line.ends_with(b"\"]") {
        return true;
    }
    // Most files have no carriage returns, so searching for one in the whole text before would be slow.
    let after_feed = memrchr(b'\n', line).map_or(0, |n| n + 1);
    let rest = line.get(after_feed..).unwrap_or(&[]);
    let start = after_feed + memrchr(b'\r', rest).map_or(0, |n| n + 1);
    is_tag_line_start(data, skip_space(line, start))
}

/// The maximum length of a comment that continues over text that looks like a game.
const COMMENT_MAX: usize = 1 << 16;

/// Whether a comment that begins after `floor` extends over `p` and is closed: the nearest brace before is an opening one,
/// and the nearest brace after is a closing one. Otherwise the comment was never closed, and a game does begin at `p`. Both
/// braces must be near, so that the result does not depend on how the data is divided into blocks.
fn in_closed_comment(data: &[u8], p: usize, floor: usize, at_eof: bool) -> GameBoundary {
    let from = floor.max(p.saturating_sub(COMMENT_MAX));
    let before = data.get(from..p).unwrap_or(&[]);
    let open = match memrchr2(b'{', b'}', before) {
        Some(at) if before.get(at) == Some(&b'{') => from + at,
        _ => return GameBoundary::No,
    };
    let limit = open.saturating_add(COMMENT_MAX);
    let behind = data.get(p..data.len().min(limit)).unwrap_or(&[]);
    match memchr2(b'{', b'}', behind) {
        Some(at) if behind.get(at) == Some(&b'}') => GameBoundary::Yes,
        None if limit > data.len() && !at_eof => GameBoundary::Unknown,
        _ => GameBoundary::No,
    }
}

/// The result of [`is_boundary`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum GameBoundary {
    /// A game begins here.
    Yes,
    /// A game need not begin here.
    No,
    /// The data ends too early to decide.
    Unknown,
}

/// Whether a new game begins at the `[` at `p`, whatever the state of the reader: a line with only tags, after an empty
/// line, if the last line with text before it is not in a tag section. No comment that extends over `p` begins before
/// `floor`.
pub(super) fn is_boundary(data: &[u8], p: usize, floor: usize, at_eof: bool) -> GameBoundary {
    if p == 0 {
        return GameBoundary::Yes;
    }
    if !at_line_start(data, p) || !blank_line_before(data, p) {
        return GameBoundary::No;
    }
    // The bytes of a name may show early that a bracket begins no tag, so the result for truncated data is unknown.
    if !is_tag_line_start(data, p) {
        let short = data.len() - p < NAME_MAX + 64;
        let rest = data.get(p..).unwrap_or(&[]);
        let open = !rest.iter().any(|byte| matches!(byte, b'\n' | b'\r' | b']'));
        return if short && !at_eof && open {
            GameBoundary::Unknown
        } else {
            GameBoundary::No
        };
    }
    let end = line_end(data, p);
    if end == data.len() && !at_eof {
        return GameBoundary::Unknown;
    }
    let line = trim(data.get(p..end).unwrap_or(&[]));
    if line.last() != Some(&b']') {
        return GameBoundary::No;
    }
    let text = data.get(..p).unwrap_or(&[]);
    let last = text.iter().rposition(|&byte| !is_space(byte));
    match last {
        Some(last) if is_tag_line(data, last + 1) => GameBoundary::No,
        _ => match in_closed_comment(data, p, floor, at_eof) {
            GameBoundary::Yes => GameBoundary::No,
            GameBoundary::No => GameBoundary::Yes,
            GameBoundary::Unknown => GameBoundary::Unknown,
        },
    }
}

/// The first boundary after `from` for the section that begins at `start`, or the end of the data; `lone_returns` means that
/// lines may end without a line feed. There is no opening brace before `brace`.
pub(super) fn next_boundary(
    data: &[u8],
    start: usize,
    from: usize,
    lone_returns: bool,
    brace: usize,
) -> usize {
    static BRACKETED_LINE: LazyLock<memmem::Finder<'static>> =
        LazyLock::new(|| memmem::Finder::new(b"\n["));
    let mut at = from;
    loop {
        let rest = data.get(at..).unwrap_or(&[]);
        let next = if lone_returns {
            memchr(b'[', rest.get(1..).unwrap_or(&[])).map(|n| n + 1)
        } else {
            BRACKETED_LINE.find(rest).map(|n| n + 1)
        };
        let Some(n) = next else {
            return data.len();
        };
        at += n;
        let floor = start.max(brace.min(at));
        if at_line_start(data, at) && is_boundary(data, at, floor, true) == GameBoundary::Yes {
            return at;
        }
    }
}

/// The last place where `data` can be divided between games, 0 if there is none.
pub(super) fn last_boundary(data: &[u8], at_eof: bool) -> usize {
    let mut end = data.len();
    while let Some(p) = memrchr(b'[', data.get(..end).unwrap_or(&[])) {
        if p == 0 {
            return 0;
        }
        if at_line_start(data, p) && is_boundary(data, p, 0, at_eof) == GameBoundary::Yes {
            return p;
        }
        end = p;
    }
    0
}

/// A terminator at `i`, with the index after it.
#[inline]
pub(super) fn terminator(data: &[u8], i: usize) -> Option<(Outcome, usize)> {
    let rest = data.get(i..)?;
    let (outcome, length) = match rest {
        [b'*', ..] => (Outcome::Unknown, 1),
        [b'1', b'-', b'0', ..] => (Outcome::WhiteWins, 3),
        [b'0', b'-', b'1', ..] => (Outcome::BlackWins, 3),
        [b'1', b'/', b'2', b'-', b'1', b'/', b'2', ..] => (Outcome::Draw, 7),
        [b'1', b'/', b'2', b':', b'1', b'/', b'2', ..] => (Outcome::Draw, 7),
        [b'1', b'/', b'2', ..] => (Outcome::Draw, 3),
        // With a colon, as in newspapers of many countries.
        [b'1', b':', b'0', ..] => (Outcome::WhiteWins, 3),
        [b'0', b':', b'1', ..] => (Outcome::BlackWins, 3),
        _ => return None,
    };
    let after = rest.get(length).copied();
    let ends = match after {
        None => true,
        Some(byte) => {
            is_delimiter(byte) || matches!(byte, b'[' | b'<') || wide_space(data, i + length) > 0
        }
    };
    ends.then_some((outcome, i + length))
}

/// A score in decimals at `i`, with the index after it: it begins with a digit and a dot, but is not a move number.
#[inline(never)]
pub(super) fn decimal_result(data: &[u8], i: usize) -> Option<(Outcome, usize)> {
    let rest = data.get(i..)?;
    let (outcome, length) = match rest {
        [b'0', b'.', b'5', b'-', b'0', b'.', b'5', ..] => (Outcome::Draw, 7),
        [b'1', b'.', b'0', b'-', b'0', b'.', b'0', ..] => (Outcome::WhiteWins, 7),
        [b'0', b'.', b'0', b'-', b'1', b'.', b'0', ..] => (Outcome::BlackWins, 7),
        _ => return None,
    };
    ends_word(data, i + length).then_some((outcome, i + length))
}

/// Whether a word ends before `i`.
#[inline]
pub(super) fn ends_word(data: &[u8], i: usize) -> bool {
    data.get(i).is_none_or(|&byte| is_delimiter(byte)) || wide_space(data, i) > 0
}

/// The end of a word that cannot be a standard move, as far as the bytes show.
pub(super) fn word_end(data: &[u8], i: usize) -> usize {
    let mut at = i;
    while let Some(&byte) = data.get(at) {
        if is_delimiter(byte) {
            break;
        }
        if byte >= 0x80 && at > i && wide_space(data, at) > 0 {
            // Zero-width characters may occur within a move.
            let after = after_no_width(data, at);
            let word = data.get(i..at).unwrap_or(&[]);
            if after == at || ends_word(data, after) || super::nonstandard::is_move_like(word, true)
            {
                break;
            }
            at = after;
            continue;
        }
        at += 1;
    }
    at.max(i + 1).min(data.len().max(i))
}

/// The index after the zero-width characters at `i`.
fn after_no_width(data: &[u8], mut i: usize) -> usize {
    while let width @ 1.. = without_width(data, i) {
        i += width;
    }
    i
}

/// The length of the digits at `i`.
#[inline]
pub(super) fn digits(data: &[u8], i: usize) -> usize {
    let mut at = i;
    while data.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at - i
}

/// The length of the move in plain standard notation at `i`.
#[inline]
pub(super) fn plain_move(data: &[u8], i: usize) -> Option<usize> {
    let rest = data.get(i..)?;
    let (_, length) = parse_san(rest)?;
    ends_move(rest.get(length)).then_some(length)
}

/// Whether a game without tags begins at `i`: with a move, or with a number with dots and a move.
pub(super) fn is_game_start(data: &[u8], i: usize) -> bool {
    let digits = digits(data, i);
    let mut at = i;
    if digits > 0 {
        at = skip_blanks(data, at + digits);
        let dots = data
            .get(at..)
            .unwrap_or(&[])
            .iter()
            .take_while(|&&byte| byte == b'.')
            .count();
        if dots == 0 {
            return false;
        }
        at = skip_space(data, at + dots);
        while let width @ 1.. = wide_space(data, at) {
            at = skip_space(data, at + width);
        }
    }
    let end = before_tag(data, at, word_end(data, at));
    let word = data.get(at..end).unwrap_or(&[]);
    super::nonstandard::is_move_like(word, digits > 0)
}

/// The start of the first tag after `start`, or `end` if there is none before it.
pub(super) fn before_tag(data: &[u8], start: usize, end: usize) -> usize {
    let part = data.get(start..end).unwrap_or(&[]);
    memchr::memchr_iter(b'[', part)
        .map(|at| start + at)
        .find(|&at| at > start && is_tag_start(data, at))
        .unwrap_or(end)
}

/// The index of the first byte at or after `i` that is not a space or tab.
fn skip_blanks(data: &[u8], mut i: usize) -> usize {
    while matches!(data.get(i), Some(b' ' | b'\t')) {
        i += 1;
    }
    i
}

/// The end of the comment in braces at `i`, after its closing brace, and whether it was closed. A comment that is not closed
/// ends where the tags of another game begin.
#[inline]
pub(super) fn comment_end(data: &[u8], i: usize, nested: bool) -> (usize, bool) {
    if nested {
        let mut depth = 0_usize;
        let mut at = i;
        while let Some(n) = data
            .get(at..)
            .and_then(|rest| memchr::memchr2(b'{', b'}', rest))
        {
            at += n;
            if data.get(at) == Some(&b'{') {
                depth += 1;
            } else {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (at + 1, true);
                }
            }
            at += 1;
        }
        let end = game_within(data, i, data.len());
        return (end.unwrap_or(data.len()), false);
    }
    match swar::find_near(data, i, b'}') {
        Ok(close) => (close + 1, true),
        Err(_) => long_comment_end(data, i),
    }
}

/// The same for a comment that may be long enough to contain the tags of another game. If these come before an opening
/// brace, the closing brace belongs to that game, and this comment was never closed.
#[inline(never)]
fn long_comment_end(data: &[u8], i: usize) -> (usize, bool) {
    let mut from = i + 1;
    loop {
        let brace = data
            .get(from..)
            .and_then(|rest| memchr2(b'{', b'}', rest))
            .map(|n| from + n);
        if let Some(at) = brace
            && data.get(at) == Some(&b'}')
        {
            return (at + 1, true);
        }
        let limit = brace.unwrap_or(data.len());
        match (game_within(data, from, limit), brace) {
            (Some(game), _) => return (game, false),
            (None, Some(at)) => from = at + 1,
            (None, None) => return (data.len(), false),
        }
    }
}

/// The start of another game's tags between two places of a comment that was never closed: a line that is only a tag, with
/// another tag on the next line, or with the name that usually comes first. Two concatenated files may have no line break
/// before the first tag.
fn game_within(data: &[u8], from: usize, to: usize) -> Option<usize> {
    let part = data.get(from..to).unwrap_or(&[]);
    memchr::memchr_iter(b'[', part).find_map(|n| {
        let tag = from + n;
        if !is_tag_line_start(data, tag) {
            return None;
        }
        let end = line_end(data, tag);
        let line = trim_end(data.get(tag..end).unwrap_or(&[]));
        if !line.ends_with(b"]") {
            return None;
        }
        let rest = data.get(end..).unwrap_or(&[]);
        let line_break = match rest {
            [b'\r', b'\n', ..] => 2,
            _ => 1,
        };
        let goes_on = is_tag_line_start(data, skip_blanks(data, end + line_break));
        let is_event = line.starts_with(b"[Event \"");
        let mut start = tag;
        loop {
            let blanks = data.get(..start).unwrap_or(&[]);
            let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t');
            let before = start - blanks.iter().rev().take_while(is_blank).count();
            let before = before_marks(data, before);
            if before == start {
                break;
            }
            start = before;
        }
        let begins = match at_line_start(data, start) {
            true => is_event || goes_on || blank_line_before(data, start),
            false => is_event && goes_on,
        };
        begins.then_some(start)
    })
}
