//! Keeps a terminal from obeying the text of files: control characters and marks that change the direction of writing.
//!
//! The name of a player, a file or a folder may hold any character, and a terminal obeys escape sequences. So everything that
//! is written to a terminal passes through a [`TerminalFilter`], which shows such characters as visible symbols. The program's
//! own terminal commands (colours, redrawn lines) are marked by [`own`] with an unguessable word.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::sync::LazyLock;

/// Precedes each control character of the program's own.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("\x01{:016x}", RandomState::new().build_hasher().finish()));

/// Replaces a character that is not shown.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// Text of the program itself, whose control characters the terminal should obey.
pub fn own(text: &str) -> String {
    let mut marked = String::with_capacity(text.len() + MARK.len());
    for c in text.chars() {
        if c.is_control() {
            marked.push_str(&MARK);
        }
        marked.push(c);
    }
    marked
}

/// Whether a terminal, or a text viewer, obeys a character: control characters, and direction marks.
pub fn is_order(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text within a line, safe to show: control characters become symbols.
pub fn plain(text: &str) -> Cow<'_, str> {
    let sign = |c: char| if is_order(c) { REPLACEMENT } else { c };
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        text.into()
    } else if text.chars().any(is_order) {
        text.chars().map(sign).collect::<String>().into()
    } else {
        text.into()
    }
}

/// How a writer handles control characters.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ControlCharacterMode {
    /// They are passed on: the bytes go to a file or another program.
    Pass,
    /// They are shown as symbols, except line breaks and tabs.
    Show,
    /// They are escaped, as JSON allows everywhere in strings.
    Json,
}

/// A writer that filters control characters.
pub struct TerminalFilter<W: Write> {
    inner: W,
    care: ControlCharacterMode,
    /// The beginning of a character or of a mark whose rest has not arrived yet.
    pending: Vec<u8>,
}

impl<W: Write> TerminalFilter<W> {
    /// A writer that passes text on to another.
    pub fn new(inner: W, care: ControlCharacterMode) -> TerminalFilter<W> {
        TerminalFilter {
            inner,
            care,
            pending: Vec::new(),
        }
    }

    fn pass_on(&mut self, bytes: &[u8], is_last: bool) -> io::Result<()> {
        let joined;
        let bytes = if self.pending.is_empty() {
            bytes
        } else {
            joined = [&self.pending, bytes].concat();
            joined.as_slice()
        };
        let (text, used) = shown(self.care, bytes, is_last);
        let left = bytes.get(used..).unwrap_or_default().to_vec();
        self.pending = left;
        self.inner.write_all(text.as_bytes())
    }
}

/// How many bytes at the start are visible ASCII, spaces, line breaks or tabs.
fn plain_run(text: &str) -> usize {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    text.bytes().take_while(is_plain).count()
}

/// The text to show, and how many of the bytes it covers; the other bytes need the next ones.
fn shown(care: ControlCharacterMode, bytes: &[u8], is_last: bool) -> (String, usize) {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let valid = match std::str::from_utf8(rest) {
            Ok(valid) => valid,
            Err(error) => {
                let (valid, _) = rest.split_at(error.valid_up_to());
                std::str::from_utf8(valid).unwrap_or_default()
            }
        };
        let used = show(care, valid, &mut text, is_last || valid.len() < rest.len());
        rest = rest.get(used..).unwrap_or_default();
        if used < valid.len() {
            break;
        }
        if let Err(error) = std::str::from_utf8(rest) {
            match error.error_len() {
                Some(length) => {
                    text.push(REPLACEMENT);
                    rest = rest.get(length..).unwrap_or_default();
                }
                None if is_last => {
                    text.push(REPLACEMENT);
                    rest = &[];
                }
                None => break,
            }
        }
    }
    (text, bytes.len() - rest.len())
}

/// Adds the text to show; returns how many of its bytes it covers. An incomplete mark is left, unless nothing follows.
fn show(care: ControlCharacterMode, text: &str, out: &mut String, is_last: bool) -> usize {
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        // Nearly everything is plain, and goes at once.
        let run = plain_run(rest);
        if run > 0 {
            out.push_str(rest.get(..run).unwrap_or_default());
            at += run;
            continue;
        }
        if c == '\x01' {
            if let Some(ours) = rest.strip_prefix(MARK.as_str()) {
                match ours.chars().next() {
                    Some(own) => {
                        out.push(own);
                        at += MARK.len() + own.len_utf8();
                        continue;
                    }
                    None if !is_last => return at,
                    None => {}
                }
            } else if !is_last && MARK.starts_with(rest) {
                return at;
            }
        }
        match care {
            _ if !is_order(c) || matches!(c, '\n' | '\t') => out.push(c),
            ControlCharacterMode::Json => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            // Line ends of files are kept.
            _ if c == '\r' && rest.as_bytes().get(1) == Some(&b'\n') => {}
            _ => out.push(REPLACEMENT),
        }
        at += c.len_utf8();
    }
    at
}

impl<W: Write> Write for TerminalFilter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.care == ControlCharacterMode::Pass {
            return self.inner.write(bytes);
        }
        self.pass_on(bytes, false)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // A caller that flushes has written complete pieces of text.
        if !self.pending.is_empty() {
            self.pass_on(&[], true)?;
        }
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(care: ControlCharacterMode, pieces: &[&[u8]]) -> String {
        let mut screen = TerminalFilter::new(Vec::new(), care);
        for piece in pieces {
            screen.write_all(piece).expect("memory takes all");
        }
        screen.flush().expect("memory takes all");
        String::from_utf8(screen.inner).expect("text")
    }

    #[test]
    fn orders_of_strangers_are_shown_and_own_ones_obeyed() {
        let red = own("\x1b[31m");
        let text = format!("{red}a\x1b]0;title\x07b\u{9b}2Jc\u{202e}d\x7f\ré\n\tend\r\n");
        let shown = through(ControlCharacterMode::Show, &[text.as_bytes()]);
        assert_eq!(
            shown,
            "\x1b[31ma\u{fffd}]0;title\u{fffd}b\u{fffd}2Jc\u{fffd}d\u{fffd}\u{fffd}é\n\tend\n"
        );
    }

    #[test]
    fn nothing_changes_where_the_pieces_are_cut() {
        let text = format!(
            "x{}y\u{1f600}\x1b[2Jz\x01{}",
            own("\x1b[1m\r"),
            "0123456789abcdef"
        );
        let whole = through(ControlCharacterMode::Show, &[text.as_bytes()]);
        assert!(whole.starts_with("x\x1b[1m\ry\u{1f600}\u{fffd}[2Jz\u{fffd}0123"));
        for cut in 0..text.len() {
            let (one, other) = text.as_bytes().split_at(cut);
            assert_eq!(
                through(ControlCharacterMode::Show, &[one, other]),
                whole,
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_signs() {
        assert_eq!(
            through(ControlCharacterMode::Show, &[b"a\x9bb\xff"]),
            "a\u{fffd}b\u{fffd}"
        );
        assert_eq!(
            through(ControlCharacterMode::Show, &[b"a\xf0\x9f"]),
            "a\u{fffd}"
        );
    }

    #[test]
    fn json_says_the_same_in_escapes() {
        let text = "{\"a\": \"\u{85}\u{202e}\u{7f}ü\"}\n";
        let shown = through(ControlCharacterMode::Json, &[text.as_bytes()]);
        assert_eq!(shown, "{\"a\": \"\\u0085\\u202e\\u007fü\"}\n");
    }

    #[test]
    fn a_line_has_no_orders() {
        assert_eq!(
            plain("a\u{1b}[2Jb\nc\u{2066}"),
            "a\u{fffd}[2Jb\u{fffd}c\u{fffd}"
        );
        assert!(matches!(plain("Öß"), Cow::Borrowed("Öß")));
    }

    #[test]
    fn files_get_the_bytes() {
        assert_eq!(
            through(ControlCharacterMode::Pass, &[b"\x1b[2J\x07"]),
            "\x1b[2J\x07"
        );
    }
}
