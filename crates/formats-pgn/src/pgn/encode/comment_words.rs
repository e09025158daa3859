//! The words of a comment, between which lines are broken.

use crate::pgn::lexer::is_space;
use crate::pgn::line_wrapper::command_end;

/// The words of a comment; a command in brackets is one word, whatever white space it holds.
pub(super) struct CommentWords<'t> {
    text: &'t str,
    at: usize,
    /// The last closing bracket.
    last_close: usize,
}

/// One of them.
pub(super) struct CommentWord<'t> {
    pub(super) text: &'t str,
    /// Whether its white space is more than single spaces.
    pub(super) uneven: bool,
}

impl<'t> CommentWords<'t> {
    pub(super) fn new(text: &'t str) -> CommentWords<'t> {
        CommentWords {
            text,
            at: 0,
            last_close: memchr::memrchr(b']', text.as_bytes()).unwrap_or(0),
        }
    }
}

impl<'t> Iterator for CommentWords<'t> {
    type Item = CommentWord<'t>;

    fn next(&mut self) -> Option<CommentWord<'t>> {
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        while let length @ 1.. = space_length(bytes, start) {
            start += length;
        }
        let mut end = start;
        let mut uneven = false;
        while let Some(&byte) = bytes.get(end) {
            if matches!(byte, b'!'..=b'Z' | b'\\'..=b'~') {
                end += 1;
            } else if byte == b'[' {
                let after = command_end(bytes, end, self.last_close);
                uneven |= has_uneven_space(bytes.get(end..after - 1).unwrap_or_default());
                end = after;
            } else if space_length(bytes, end) > 0 {
                break;
            } else {
                end += 1;
            }
        }
        self.at = end;
        let text = self.text.get(start..end).filter(|text| !text.is_empty())?;
        Some(CommentWord { text, uneven })
    }
}

/// The length of the white space at `i`, which may be 0.
#[inline]
fn space_length(bytes: &[u8], i: usize) -> usize {
    match bytes.get(i) {
        Some(&byte) => usize::from(is_space(byte)),
        None => 0,
    }
}

/// Whether folding would change the white space in a command.
pub(super) fn has_uneven_space(command: &[u8]) -> bool {
    let mut after_space = false;
    for (i, &byte) in command.iter().enumerate() {
        let is_space = byte == b' ';
        if (is_space && after_space) || (!is_space && space_length(command, i) > 0) {
            return true;
        }
        after_space = is_space;
    }
    false
}
