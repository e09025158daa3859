//! Movetext without a position: finds where a game or a variation ends.
//!
//! The reader takes exactly the same steps from token to token, so that games are the same for all needs.

use std::ops::ControlFlow;

use tabiya_model::notation::whole_move;
use tabiya_model::outcome::Outcome;

use super::lexer::{
    PgnByteClass, at_line_start, before_tag, blank_line_before, class, comment_end, decimal_result,
    digits, ends_word, is_game_start, is_space, is_tag_start, line_end, plain_move, skip_space,
    terminator, wide_space, word_end,
};
use super::{nonstandard, raw_comment};

/// The place where skimming stopped.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum SkimEnd {
    /// At a result that ends the game: its start and its end.
    Terminator {
        at: usize,
        after: usize,
        outcome: Outcome,
    },
    /// At the tag or the first move number of another game.
    NextGame(usize),
    /// At the parenthesis that closes the variation.
    Close(usize),
    /// At the end of the data.
    End,
}

/// A token that begins with a digit.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum NumberToken {
    /// A move number: its end, dots included, and whether it has dots.
    Move {
        digits: usize,
        after: usize,
        dots: usize,
    },
    /// A result and its end.
    Terminator(Outcome, usize),
    /// Something else.
    Word,
}

/// What the digit at `i` begins.
#[inline]
pub(super) fn number(data: &[u8], i: usize) -> NumberToken {
    let digits = digits(data, i);
    let mut after = i + digits;
    let mut dots = 0;
    while data.get(after) == Some(&b'.') {
        after += 1;
        dots += 1;
    }
    if dots > 0 {
        if digits == 1
            && matches!(data.get(i), Some(b'0' | b'1'))
            && let Some((outcome, after)) = decimal_result(data, i)
        {
            return NumberToken::Terminator(outcome, after);
        }
        return NumberToken::Move {
            digits,
            after,
            dots,
        };
    }
    other_number(data, i, digits)
}

#[inline(never)]
fn other_number(data: &[u8], i: usize, digits: usize) -> NumberToken {
    if let Some((outcome, after)) = terminator(data, i) {
        return NumberToken::Terminator(outcome, after);
    }
    let after = i + digits;
    let ends = ends_word(data, after);
    if ends && whole_move(data.get(i..after).unwrap_or(&[])).is_some() {
        return NumberToken::Word;
    }
    if ends || plain_move(data, after).is_some() {
        return NumberToken::Move {
            digits,
            after,
            dots: 0,
        };
    }
    NumberToken::Word
}

/// Whether the number at `i` begins another game: number one, not with the dots of a Black move, after an empty line. Only
/// white space precedes it on its own line.
#[inline]
pub(super) fn restarts(data: &[u8], i: usize, number: NumberToken) -> bool {
    matches!(
        number,
        NumberToken::Move {
            digits: 1,
            dots: 1,
            ..
        }
    ) && data.get(i) == Some(&b'1')
        && !matches!(
            data.get(skip_space(data, i + 2)..),
            Some([b'.', ..] | [0xe2, 0x80, 0xa6, ..])
        )
        && blank_line_before(data, i)
}

/// Whether a result within a variation ends the game even so, since nothing of the game follows.
pub(super) fn is_last(data: &[u8], after: usize) -> bool {
    let next = skip_noise(data, after);
    next >= data.len() || is_tag_start(data, next)
}

/// A word that begins at `i`: its end, and the result attached to its end. A plain move is a word of its own, legal or not,
/// whatever is attached to it.
#[inline]
pub(super) fn word(data: &[u8], i: usize) -> (usize, Option<(usize, Outcome)>) {
    if data
        .get(i)
        .is_some_and(|&byte| class(byte) == PgnByteClass::Move)
        && let Some(length) = plain_move(data, i)
    {
        return (i + length, None);
    }
    odd_word(data, i)
}

#[inline(never)]
fn odd_word(data: &[u8], i: usize) -> (usize, Option<(usize, Outcome)>) {
    let end = word_end(data, i);
    let text = data.get(i..end).unwrap_or(&[]);
    let glued = nonstandard::glued_result(text).map(|(at, outcome)| (i + at, outcome));
    (end, glued)
}

/// The end of text in square brackets that is not a tag.
pub(super) fn bracket_end(data: &[u8], i: usize) -> usize {
    let rest = data.get(i..).unwrap_or(&[]);
    match memchr::memchr3(b']', b'\n', b'\r', rest) {
        Some(n) if rest.get(n) == Some(&b']') => i + n + 1,
        Some(n) => i + n,
        None => data.len(),
    }
}

/// The parts of movetext, apart from spaces.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum PgnToken {
    /// A move number: its start, its digits, and its dots.
    Number {
        at: usize,
        digits: usize,
        dots: usize,
    },
    /// A move or another word, without an attached result.
    Word { start: usize, stop: usize },
    /// A comment, a parenthesis, or another sign.
    Other,
}

/// The state at the start of a scan of movetext.
#[derive(Copy, Clone, Debug)]
pub(super) struct MovetextSkimmer {
    /// The number of open variations there; the end of the innermost one stops the scan.
    pub(super) depth: usize,
    /// Whether the game has moves or words already; those in parentheses do not count.
    pub(super) seen: bool,
    /// Whether comments contain comments.
    pub(super) nested: bool,
}

/// Scans movetext from `i`, to the end of the variation or game. `depth`, `seen`, `nested`: see [`MovetextSkimmer`].
pub(super) fn skim(data: &[u8], i: usize, depth: usize, seen: bool, nested: bool) -> SkimEnd {
    let walk = MovetextSkimmer {
        depth,
        seen,
        nested,
    };
    walk.tokens(data, i, |_, _| ControlFlow::Continue(()))
        .unwrap_or(SkimEnd::End)
}

impl MovetextSkimmer {
    /// Passes every token of movetext from `i` on, with the number of variations around it, until the function breaks;
    /// returns the end of the variation or game, unless it was left before.
    #[inline]
    pub(super) fn tokens(
        self,
        data: &[u8],
        mut i: usize,
        mut each: impl FnMut(PgnToken, usize) -> ControlFlow<()>,
    ) -> Option<SkimEnd> {
        let MovetextSkimmer {
            mut depth,
            mut seen,
            nested,
        } = self;
        let floor = depth;
        while let Some(&byte) = data.get(i) {
            let mut ending = None;
            let mut token = PgnToken::Other;
            match class(byte) {
                PgnByteClass::Space
                | PgnByteClass::Control
                | PgnByteClass::Dot
                | PgnByteClass::Suffix
                | PgnByteClass::BraceEnd => {
                    i += 1;
                    continue;
                }
                PgnByteClass::Digit => {
                    let number = number(data, i);
                    if depth == 0 && seen && restarts(data, i, number) {
                        return Some(SkimEnd::NextGame(i));
                    }
                    match number {
                        NumberToken::Move {
                            digits,
                            after,
                            dots,
                        } => {
                            token = PgnToken::Number {
                                at: i,
                                digits,
                                dots,
                            };
                            i = after;
                        }
                        NumberToken::Terminator(outcome, after) => {
                            ending = Some((i, after, outcome));
                            i = after;
                        }
                        NumberToken::Word => {
                            seen |= depth == 0;
                            (token, ending, i) = word_token(data, i);
                        }
                    }
                }
                PgnByteClass::Brace => i = comment_end(data, i, nested).0,
                PgnByteClass::Semicolon => i = line_end(data, i),
                PgnByteClass::Percent if at_line_start(data, i) => i = line_end(data, i),
                PgnByteClass::Open => {
                    depth += 1;
                    i += 1;
                }
                PgnByteClass::Close => {
                    if depth > 0 && depth == floor {
                        return Some(SkimEnd::Close(i));
                    }
                    depth = depth.saturating_sub(1);
                    i += 1;
                }
                PgnByteClass::Dollar => i += 1 + digits(data, i + 1),
                PgnByteClass::Bracket => {
                    if is_tag_start(data, i) {
                        return Some(SkimEnd::NextGame(i));
                    }
                    i = bracket_end(data, i);
                }
                PgnByteClass::Star => match terminator(data, i) {
                    Some((outcome, after)) => {
                        ending = Some((i, after, outcome));
                        i = after;
                    }
                    None => i = word_end(data, i),
                },
                PgnByteClass::Other if wide_space(data, i) > 0 => {
                    i += wide_space(data, i);
                    continue;
                }
                PgnByteClass::Move | PgnByteClass::Percent | PgnByteClass::Other => {
                    seen |= depth == 0;
                    (token, ending, i) = word_token(data, i);
                }
            }
            if each(token, depth).is_break() {
                return None;
            }
            if let Some((at, after, outcome)) = ending
                && (depth == 0 || is_last(data, after))
            {
                return Some(SkimEnd::Terminator { at, after, outcome });
            }
        }
        Some(SkimEnd::End)
    }
}

/// The word at `i`, the result attached to it, and its end.
#[inline]
fn word_token(data: &[u8], i: usize) -> (PgnToken, Option<(usize, usize, Outcome)>, usize) {
    let (end, glued) = word(data, i);
    let stop = glued.map_or(end, |(at, _)| at);
    let ending = glued.map(|(at, outcome)| (at, end, outcome));
    (PgnToken::Word { start: i, stop }, ending, end)
}

/// Text that follows a result and still belongs to its game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum ResultTrailer {
    /// A comment in braces.
    Comment { start: usize, end: usize },
    /// A comment to the end of the line, or a line with `%`.
    Line { start: usize, end: usize },
    /// A second result.
    Outcome(usize, Outcome),
    /// Text that is not part of a game.
    Text { start: usize, end: usize },
}

/// Scans from the end of a game to the start of the next one.
pub(super) fn skip_to_next_game(
    data: &[u8],
    mut i: usize,
    nested: bool,
    mut each: impl FnMut(ResultTrailer),
) -> usize {
    // Comments before this place are known not to belong to later moves.
    let mut decided = 0;
    loop {
        let start = skip_noise(data, i);
        let Some(&byte) = data.get(start) else {
            return data.len();
        };
        match class(byte) {
            PgnByteClass::Bracket if is_tag_start(data, start) => return start,
            PgnByteClass::Brace | PgnByteClass::Semicolon
                if start >= decided && blank_line_before(data, start) =>
            {
                // A comment after an empty line belongs to the moves after it, if there are any.
                let next = after_comments(data, start, nested);
                if data.get(next).is_some() && begins_movetext(data, next) {
                    return start;
                }
                decided = next;
                i = comment(data, start, byte, nested, &mut each);
            }
            PgnByteClass::Brace | PgnByteClass::Semicolon => {
                i = comment(data, start, byte, nested, &mut each)
            }
            PgnByteClass::Percent if at_line_start(data, start) => {
                i = line_end(data, start);
                each(ResultTrailer::Line { start, end: i });
            }
            PgnByteClass::Digit | PgnByteClass::Star if terminator(data, start).is_some() => {
                let Some((outcome, after)) = terminator(data, start) else {
                    return start;
                };
                if blank_line_before(data, start) {
                    return start;
                }
                each(ResultTrailer::Outcome(start, outcome));
                i = after;
            }
            _ if is_game_start(data, start) => return start,
            _ => {
                i = before_tag(data, start, line_end(data, start));
                each(ResultTrailer::Text { start, end: i });
            }
        }
    }
}

/// Skips white space of all kinds and control characters.
pub(super) fn skip_noise(data: &[u8], mut i: usize) -> usize {
    while let Some(&byte) = data.get(i) {
        if is_space(byte) || class(byte) == PgnByteClass::Control {
            i += 1;
            continue;
        }
        match wide_space(data, i) {
            0 => break,
            width => i += width,
        }
    }
    i
}

fn comment(
    data: &[u8],
    start: usize,
    byte: u8,
    nested: bool,
    each: &mut impl FnMut(ResultTrailer),
) -> usize {
    let end = if byte == b'{' {
        comment_end(data, start, nested).0
    } else {
        line_end(data, start)
    };
    each(if byte == b'{' {
        ResultTrailer::Comment { start, end }
    } else {
        ResultTrailer::Line { start, end }
    });
    end
}

/// The index of the first token after the comments at `i`.
fn after_comments(data: &[u8], mut i: usize, nested: bool) -> usize {
    loop {
        i = skip_noise(data, i);
        i = match data.get(i) {
            Some(b'{') => comment_end(data, i, nested).0,
            Some(b';') => line_end(data, i),
            _ => return i,
        };
    }
}

/// Whether there is a move or a result at `i`.
pub(super) fn begins_movetext(data: &[u8], i: usize) -> bool {
    terminator(data, i).is_some() || is_game_start(data, i)
}

/// The place of the closing parenthesis, if the variation at `i` has no move and no other variation.
pub(super) fn empty_variation(data: &[u8], i: usize, nested: bool) -> Option<usize> {
    let mut i = i + 1;
    while let Some(&byte) = data.get(i) {
        match class(byte) {
            PgnByteClass::Space
            | PgnByteClass::Control
            | PgnByteClass::Dot
            | PgnByteClass::Suffix
            | PgnByteClass::BraceEnd => i += 1,
            PgnByteClass::Close => return Some(i),
            PgnByteClass::Brace if raw_comment::begins(data.get(i + 1..).unwrap_or(&[])) => {
                return None;
            }
            PgnByteClass::Brace => i = comment_end(data, i, nested).0,
            PgnByteClass::Semicolon => i = line_end(data, i),
            PgnByteClass::Percent if at_line_start(data, i) => i = line_end(data, i),
            PgnByteClass::Dollar => i += 1 + digits(data, i + 1),
            PgnByteClass::Open | PgnByteClass::Bracket | PgnByteClass::Star => return None,
            PgnByteClass::Digit => match number(data, i) {
                NumberToken::Move { after, .. } => i = after,
                NumberToken::Terminator(..) => return None,
                NumberToken::Word => return None,
            },
            PgnByteClass::Move if plain_move(data, i).is_some() => return None,
            PgnByteClass::Other if wide_space(data, i) > 0 => i += wide_space(data, i),
            PgnByteClass::Move | PgnByteClass::Percent | PgnByteClass::Other => {
                let (end, glued) = word(data, i);
                let text = data.get(i..end).unwrap_or(&[]);
                if glued.is_some()
                    || nonstandard::holds_move(text)
                    || nonstandard::is_damaged_move(text)
                {
                    return None;
                }
                i = end;
            }
        }
    }
    None
}
