//! Comments, escaped lines and movetext that cannot be read: the parts kept as text, and their charset.

use std::borrow::Cow;

use tabiya_model::Location;
use tabiya_model::canon_game::is_white;
use tabiya_model::charset::{Charset, decode_mixed, is_mostly_utf8};
use tabiya_model::diagnostic::DiagnosticCode;
use tabiya_model::nag::Nag;

use super::state::{PgnContinuation, PgnReader};
use crate::pgn::lexer::{comment_end, digits, line_end, trim};
use crate::pgn::quote::quote;
use crate::pgn::skim::{self, SkimEnd};
use crate::pgn::{codes, nonstandard, raw_comment};

/// How much of a text is read to guess its charset, and the confidence at which the guess counts more than the file's.
const CHARSET_WINDOW: usize = 1 << 13;
const CHARSET_CONFIDENCE: f32 = 0.5;

impl PgnReader<'_> {
    pub(super) fn brace_comment(&mut self, i: usize) -> usize {
        let (end, closed) = comment_end(self.data, i, self.settings.nested_comments);
        if !closed {
            self.report(&codes::UNCLOSED_COMMENT, i, || {
                "the comment that begins here is not closed".to_owned()
            });
        }
        if self.want.annotations {
            let (start, end) = (i + 1, end - usize::from(closed));
            if raw_comment::begins(self.slice(start, end)) {
                self.raw_comment(start, end);
            } else {
                self.push_comment(start, end);
            }
        }
        end
    }

    /// A comment that contains unreadable movetext.
    #[cold]
    fn raw_comment(&mut self, start: usize, end: usize) {
        match raw_comment::decode(self.slice(start, end)) {
            Some(text) if !self.game.tape.is_full() => {
                let code = match is_line(&text) {
                    true => &codes::RAW_COMMENT,
                    false => &codes::RAW_SIGN,
                };
                self.report(code, start, || {
                    format!("the movetext {} cannot be read", quote(text.as_bytes()))
                });
                self.game.tape.push_raw(&text);
            }
            _ => self.push_comment(start, end),
        }
    }

    pub(super) fn line_comment(&mut self, i: usize) -> usize {
        let end = line_end(self.data, i);
        if self.want.annotations {
            self.push_comment(i + 1, end);
        }
        end
    }

    #[inline]
    fn push_comment(&mut self, start: usize, end: usize) {
        match self.utf8(start, end) {
            Some(text) if self.settings.redecode.is_none() && !self.game.tape.is_full() => {
                self.game.tape.push_comment(text);
            }
            _ => self.push_odd_comment(self.data.get(start..end).unwrap_or(&[])),
        }
    }

    #[cold]
    pub(super) fn push_odd_comment(&mut self, bytes: &[u8]) {
        if self.game.tape.is_full() {
            return;
        }
        if let Some(text) = self.mixed_text(bytes) {
            let charset = self.settings.fallback;
            self.game.tape.push_comment_decoded(&text, bytes, charset);
            return;
        }
        match self.odd_text(bytes) {
            Ok(text) => self.game.tape.push_comment(&text),
            Err(charset) => self.game.tape.push_comment_bytes(bytes, charset),
        };
    }

    pub(in crate::pgn) fn push_raw(&mut self, start: usize, end: usize) {
        let bytes = trim(self.data.get(start..end).unwrap_or(&[]));
        match self.odd_text(bytes) {
            Ok(text) => self.game.tape.push_raw(&text),
            Err(charset) => self.game.tape.push_raw_bytes(bytes, charset),
        };
    }

    /// The text of bytes that are UTF-8 apart from a few, which are in the charset of the file.
    #[cold]
    pub(in crate::pgn) fn mixed_text<'b>(&mut self, bytes: &'b [u8]) -> Option<Cow<'b, str>> {
        let is_utf8 = || std::str::from_utf8(bytes).is_ok();
        // The user's choice is not questioned.
        let is_told = self.settings.told || self.settings.redecode.is_some();
        if is_told || is_utf8() || !is_mostly_utf8(bytes) {
            return None;
        }
        let text = decode_mixed(bytes, self.settings.fallback);
        let number = self.game.origin.number;
        let charset = self.settings.fallback.name();
        self.game.diagnostics.report(
            &codes::MIXED_TEXT,
            || Location::game(number),
            || {
                let shown: String = text.chars().take(60).collect();
                format!(
                    "a few bytes are read as {charset}: {}",
                    quote(shown.as_bytes())
                )
            },
        );
        Some(text)
    }

    /// The text of bytes that are UTF-8 or must be decoded again, or else their charset.
    #[cold]
    pub(in crate::pgn) fn odd_text<'b>(
        &mut self,
        bytes: &'b [u8],
    ) -> Result<Cow<'b, str>, Charset> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                let charset = self.charset(bytes);
                if self.settings.redecode.is_none() {
                    return Err(charset);
                }
                Cow::Owned(charset.decode(bytes).into_owned())
            }
        };
        let Some((wrong, right)) = self.settings.redecode.filter(|_| !text.is_ascii()) else {
            return Ok(text);
        };
        Ok(match tabiya_model::charset::redecode(&text, wrong, right) {
            Some(again) => Cow::Owned(again),
            None => text,
        })
    }

    /// The charset of a text that is not UTF-8: that of the file, unless the texts of the game clearly suggest another one.
    /// Only texts of the game count, so that it is read in the same way alone and among others.
    fn charset(&mut self, text: &[u8]) -> Charset {
        if self.settings.told {
            return self.settings.fallback;
        }
        let detector = self.detector.get_or_insert_with(Box::default);
        if self.listens {
            detector.push(text.get(..CHARSET_WINDOW).unwrap_or(text));
        }
        let guess = detector.guess_legacy();
        if guess.confidence >= CHARSET_CONFIDENCE {
            guess.charset
        } else {
            self.settings.fallback
        }
    }

    /// Reports that a charset was guessed, if that affected a letter.
    pub(super) fn tell_charset(&mut self, start: usize) {
        if self.detector.is_some() {
            let charset = self.charset(b"").name();
            self.report(&codes::GUESSED_CHARSET, start, || {
                format!("texts that are not UTF-8 are read as {charset}")
            });
        }
    }

    /// Chooses the charset of all tags together, after they were read.
    pub(in crate::pgn) fn decode_tags_alike(&mut self) {
        if self.detector.is_some() && self.settings.redecode.is_none() {
            self.decode_tags_again();
        }
    }

    #[cold]
    fn decode_tags_again(&mut self) {
        let charset = self.charset(b"");
        let old = std::mem::take(&mut self.game.tags);
        for (index, tag) in old.iter().enumerate() {
            let value = old.original(index);
            match std::str::from_utf8(&value) {
                Ok(_) => self.game.tags.push_from(&old, index),
                Err(_) if tag.name.is_ascii() && !is_mostly_utf8(&value) => {
                    self.game
                        .tags
                        .push_bytes(tag.name.as_bytes(), &value, charset);
                }
                Err(_) => self.game.tags.push_from(&old, index),
            }
        }
    }

    #[cold]
    pub(super) fn escaped_line(&mut self, i: usize) -> usize {
        let end = line_end(self.data, i);
        let text = self.data.get(i + 1..end).unwrap_or(&[]);
        self.push_escaped_line(text, i);
        end
    }

    /// Keeps an escaped line.
    pub(super) fn push_escaped_line(&mut self, text: &[u8], at: usize) {
        if self.want.annotations {
            self.game.tape.push_extension(crate::pgn::ESCAPE, text);
        }
        self.report(&codes::ESCAPED_LINE, at, || {
            format!("the line after % is kept, but not read: {}", quote(text))
        });
    }

    pub(super) fn nag(&mut self, i: usize) -> usize {
        let length = digits(self.data, i + 1);
        let end = i + 1 + length;
        let mut value = 0_u32;
        for &byte in self.data.get(i + 1..end).unwrap_or(&[]).iter().take(12) {
            value = value
                .saturating_mul(10)
                .saturating_add(u32::from(byte & 15));
        }
        let fits = length > 0 && length <= 12 && value < 1 << 24;
        if !fits {
            self.bad_nag(i, end);
        } else if self.want.annotations {
            self.game.tape.push_nag(Nag(value));
        }
        end
    }

    #[cold]
    fn bad_nag(&mut self, i: usize, end: usize) {
        let text = quote(self.slice(i, end));
        self.report(&codes::BAD_NAG, i, || {
            format!("{text} is not an annotation; it is kept as text")
        });
        if self.want.annotations {
            self.push_raw(i, end);
        }
    }

    pub(super) fn suffix(&mut self, i: usize) -> usize {
        let first = self.data.get(i).copied().unwrap_or(0);
        let second = self.data.get(i + 1).copied().unwrap_or(0);
        let (nag, length) = match (first, second) {
            (b'!', b'!') => (3, 2),
            (b'!', b'?') => (5, 2),
            (b'!', _) => (1, 1),
            (_, b'?') => (4, 2),
            (_, b'!') => (6, 2),
            _ => (2, 1),
        };
        if self.want.annotations {
            self.game.tape.push_nag(Nag(nag));
        }
        i + length
    }

    /// Keeps everything up to the end of this line as text.
    #[cold]
    pub(in crate::pgn) fn raw_rest(&mut self, i: usize) -> PgnContinuation {
        let nested = self.settings.nested_comments;
        let depth = self.depth();
        let seen = self.seen;
        self.seen |= self.transparent.is_none();
        // The move number belongs to the text.
        let from = self.number_before(i).unwrap_or(i);
        if self.deferred && !self.moves {
            self.keep_deferred();
        }
        match skim::skim(self.data, i, depth, seen, nested) {
            SkimEnd::Close(at) => {
                self.push_raw(from, at);
                PgnContinuation::At(at)
            }
            SkimEnd::Terminator { at, after, outcome } => {
                if at > i {
                    self.push_raw(from, at);
                }
                PgnContinuation::End(self.end_game(after, outcome))
            }
            SkimEnd::NextGame(at) => {
                self.push_raw(from, at);
                PgnContinuation::End(at)
            }
            SkimEnd::End => {
                self.push_raw(from, self.data.len());
                PgnContinuation::End(self.data.len())
            }
        }
    }

    /// Keeps a stray closing sign as text.
    #[cold]
    pub(super) fn stray_sign(&mut self, code: &'static DiagnosticCode, i: usize) {
        let sign = quote(self.slice(i, i + 1));
        self.report(code, i, || {
            format!("{sign} closes nothing; it is kept as text")
        });
        if self.want.annotations {
            self.push_raw(i, i + 1);
        }
    }
}

/// Whether unreadable movetext is the rest of a line, which is damage among the moves, and also in a comment of its own; a
/// single word that is not a move, and text in parentheses or brackets, is not.
fn is_line(text: &str) -> bool {
    let is_move = |word: &[u8]| {
        let is_number = word.ends_with(b".") && word.first().is_some_and(u8::is_ascii_digit);
        is_number || nonstandard::is_move_like(word, true) || nonstandard::is_damaged_move(word)
    };
    let mut words = text.split(is_white).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().as_bytes();
    let is_enclosed = matches!(first.first(), Some(b'(' | b'['));
    !is_enclosed && (is_move(first) || words.any(|word| is_move(word.as_bytes())))
}
