//! The tokens of SQL text as servers and dump tools write it.

use std::io::Read;

use super::JoseDumpError;

/// A token. Its bytes, if any, are appended to the caller's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DumpToken {
    /// The end of the text.
    End,
    /// A bare word: a keyword, a name, an introducer such as `_binary`.
    Word,
    /// A name in back quotes.
    Name,
    /// A string in single or double quotes, or hex digits, unescaped.
    Text,
    /// A number, as written.
    Number,
    /// A single character.
    Sign(u8),
    /// A string or name that is truncated by the end of the text.
    Cut,
    /// An executable comment, `/*!40101 ... */`; its text without the version.
    Conditional,
}

/// The longest row (or part of a statement) that is kept: a blob and a text of the largest size of jose's columns.
const MAX_TOKENS: usize = 40 << 20;

/// The number of bytes read at once.
const CHUNK: usize = 64 << 10;

/// A byte source with lookahead.
pub(super) struct DumpLexer<R> {
    source: R,
    buffer: Vec<u8>,
    at: usize,
    /// Offset in the text of the buffer's first byte.
    base: u64,
    ended: bool,
    /// The number of bytes read next.
    chunk: usize,
    /// Whether `\` escapes in strings.
    pub(super) backslash: bool,
    /// Whether double quotes enclose names instead of strings.
    pub(super) ansi_quotes: bool,
}

impl<R: Read> DumpLexer<R> {
    /// Begins at the given offset of the text, which must be the position of the source.
    pub(super) fn new(source: R, offset: u64) -> Self {
        DumpLexer {
            source,
            buffer: Vec::new(),
            at: 0,
            base: offset,
            ended: false,
            chunk: CHUNK,
            backslash: true,
            ansi_quotes: false,
        }
    }

    /// The offset of the next byte in the text.
    pub(super) fn offset(&self) -> u64 {
        self.base.saturating_add(self.at as u64)
    }

    /// Goes to a place that is still in the buffer; false if it is not there.
    pub(super) fn jump(&mut self, offset: u64) -> bool {
        let Some(at) = offset
            .checked_sub(self.base)
            .and_then(|at| usize::try_from(at).ok())
        else {
            return false;
        };
        let inside = at < self.buffer.len();
        if inside {
            self.at = at;
        }
        inside
    }

    /// Goes to a place to which `seek` moves the source.
    pub(super) fn restart(&mut self, offset: u64, seek: impl FnOnce(&mut R)) {
        seek(&mut self.source);
        self.buffer.clear();
        self.at = 0;
        self.base = offset;
        self.ended = false;
        // Rows that are far apart are read in small pieces, only consecutive rows in large ones.
        self.chunk = 4 << 10;
    }

    /// Reads more and keeps unread bytes. False at the end.
    fn refill(&mut self) -> Result<bool, JoseDumpError> {
        if self.ended {
            return Ok(false);
        }
        self.buffer.drain(..self.at);
        self.base = self.base.saturating_add(self.at as u64);
        self.at = 0;
        let kept = self.buffer.len();
        let chunk = self.chunk;
        self.chunk = (chunk * 4).min(CHUNK);
        self.buffer.resize(kept + chunk, 0);
        loop {
            let target = self.buffer.get_mut(kept..).unwrap_or_default();
            match self.source.read(target) {
                Ok(count) => {
                    self.buffer.truncate(kept + count.min(chunk));
                    self.ended = count == 0;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => {
                    self.buffer.truncate(kept);
                    let offset = self.base.saturating_add(kept as u64);
                    return Err(JoseDumpError::Io { offset, source });
                }
            }
        }
    }

    /// The byte `ahead` places further, if the text is that long.
    #[inline]
    pub(super) fn peek(&mut self, ahead: usize) -> Result<Option<u8>, JoseDumpError> {
        loop {
            if let Some(&byte) = self.buffer.get(self.at + ahead) {
                return Ok(Some(byte));
            }
            if !self.refill()? {
                return Ok(None);
            }
        }
    }

    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        self.at = (self.at + count).min(self.buffer.len());
    }

    /// The bytes that were read and not consumed; at least one unless the text ends here.
    fn window(&mut self) -> Result<&[u8], JoseDumpError> {
        if self.at >= self.buffer.len() {
            self.refill()?;
        }
        Ok(self.buffer.get(self.at..).unwrap_or_default())
    }

    /// Skips spaces and comments, up to an executable comment.
    pub(super) fn skip_blank(&mut self) -> Result<(), JoseDumpError> {
        loop {
            match self.peek(0)? {
                Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C) => self.advance(1),
                Some(b'#') => self.skip_line()?,
                Some(b'-')
                    if self.peek(1)? == Some(b'-')
                        && matches!(self.peek(2)?, None | Some(b' ' | b'\t' | b'\n' | b'\r')) =>
                {
                    self.skip_line()?;
                }
                Some(b'/') if self.peek(1)? == Some(b'*') => {
                    if self.peek(2)? == Some(b'!') {
                        return Ok(());
                    }
                    self.advance(2);
                    self.skip_comment()?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_line(&mut self) -> Result<(), JoseDumpError> {
        loop {
            let window = self.window()?;
            if window.is_empty() {
                return Ok(());
            }
            match memchr::memchr(b'\n', window) {
                Some(at) => {
                    self.advance(at + 1);
                    return Ok(());
                }
                None => {
                    let all = window.len();
                    self.advance(all);
                }
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), JoseDumpError> {
        loop {
            let window = self.window()?;
            if window.is_empty() {
                return Ok(());
            }
            match memchr::memchr(b'*', window) {
                Some(at) => {
                    self.advance(at + 1);
                    if self.peek(0)? == Some(b'/') {
                        self.advance(1);
                        return Ok(());
                    }
                }
                None => {
                    let all = window.len();
                    self.advance(all);
                }
            }
        }
    }

    /// Reads one token after blanks and appends its bytes to `out`.
    pub(super) fn token(&mut self, out: &mut Vec<u8>) -> Result<DumpToken, JoseDumpError> {
        self.skip_blank()?;
        let Some(first) = self.peek(0)? else {
            return Ok(DumpToken::End);
        };
        match first {
            b'\'' => self
                .quoted(b'\'', self.backslash, out)
                .map(|whole| text_or_cut(whole, DumpToken::Text)),
            b'"' => {
                let (escapes, token) = if self.ansi_quotes {
                    (false, DumpToken::Name)
                } else {
                    (self.backslash, DumpToken::Text)
                };
                self.quoted(b'"', escapes, out)
                    .map(|whole| text_or_cut(whole, token))
            }
            b'`' => self
                .quoted(b'`', false, out)
                .map(|whole| text_or_cut(whole, DumpToken::Name)),
            b'0' if matches!(self.peek(1)?, Some(b'x' | b'X')) => {
                self.advance(2);
                self.hex(out)?;
                Ok(DumpToken::Text)
            }
            b'x' | b'X' if self.peek(1)? == Some(b'\'') => {
                self.advance(2);
                self.hex(out)?;
                if self.peek(0)? != Some(b'\'') {
                    return Ok(DumpToken::Cut);
                }
                self.advance(1);
                Ok(DumpToken::Text)
            }
            b'0'..=b'9' => self.number(out),
            b'-' | b'+' if matches!(self.peek(1)?, Some(b'0'..=b'9' | b'.')) => {
                out.push(first);
                self.advance(1);
                self.number(out)
            }
            b'/' if self.peek(1)? == Some(b'*') => self.conditional(out),
            byte if is_word(byte) => {
                while let Some(byte) = self.peek(0)? {
                    if !is_word(byte) && !byte.is_ascii_digit() {
                        break;
                    }
                    self.push(out, byte)?;
                    self.advance(1);
                }
                Ok(DumpToken::Word)
            }
            byte => {
                self.advance(1);
                Ok(DumpToken::Sign(byte))
            }
        }
    }

    fn number(&mut self, out: &mut Vec<u8>) -> Result<DumpToken, JoseDumpError> {
        while let Some(byte) = self.peek(0)? {
            if !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E') {
                break;
            }
            self.push(out, byte)?;
            self.advance(1);
        }
        Ok(DumpToken::Number)
    }

    /// The content of `/*!40101 ... */`, of which only the beginning is ever used.
    fn conditional(&mut self, out: &mut Vec<u8>) -> Result<DumpToken, JoseDumpError> {
        self.advance(3);
        while let Some(b'0'..=b'9') = self.peek(0)? {
            self.advance(1);
        }
        let mut kept = 0usize;
        while let Some(byte) = self.peek(0)? {
            if byte == b'*' && self.peek(1)? == Some(b'/') {
                self.advance(2);
                break;
            }
            if kept < 1024 {
                out.push(byte);
                kept += 1;
            }
            self.advance(1);
        }
        Ok(DumpToken::Conditional)
    }

    /// A quoted text, from its opening quote. False if it is truncated.
    fn quoted(
        &mut self,
        quote: u8,
        escapes: bool,
        out: &mut Vec<u8>,
    ) -> Result<bool, JoseDumpError> {
        self.advance(1);
        loop {
            let window = self.window()?;
            if window.is_empty() {
                return Ok(false);
            }
            let found = if escapes {
                memchr::memchr2(quote, b'\\', window)
            } else {
                memchr::memchr(quote, window)
            };
            let plain = found.unwrap_or(window.len());
            out.extend_from_slice(window.get(..plain).unwrap_or_default());
            self.advance(plain);
            self.check_len(out)?;
            if found.is_none() {
                continue;
            }
            let escape = self.peek(0)? == Some(b'\\') && escapes;
            let Some(second) = self.peek(1)? else {
                self.advance(1);
                return Ok(!escape);
            };
            if escape {
                match second {
                    b'0' => out.push(0),
                    b'b' => out.push(8),
                    b'n' => out.push(b'\n'),
                    b'r' => out.push(b'\r'),
                    b't' => out.push(b'\t'),
                    b'Z' => out.push(0x1A),
                    // These two keep their backslash outside of patterns.
                    b'%' | b'_' => out.extend_from_slice(&[b'\\', second]),
                    other => out.push(other),
                }
                self.advance(2);
            } else if second == quote {
                out.push(quote);
                self.advance(2);
            } else {
                self.advance(1);
                return Ok(true);
            }
        }
    }

    /// Hex digits up to the first other character. An odd number counts as if preceded by a 0.
    fn hex(&mut self, out: &mut Vec<u8>) -> Result<(), JoseDumpError> {
        let start = out.len();
        let mut half: Option<u8> = None;
        loop {
            let window = self.window()?;
            let mut passed = 0;
            for &byte in window {
                let digit = match byte {
                    b'0'..=b'9' => byte - b'0',
                    b'a'..=b'f' => byte - b'a' + 10,
                    b'A'..=b'F' => byte - b'A' + 10,
                    _ => break,
                };
                passed += 1;
                half = match half {
                    None => Some(digit << 4),
                    Some(high) => {
                        out.push(high | digit);
                        None
                    }
                };
            }
            let stopped = passed < window.len() || window.is_empty();
            self.advance(passed);
            self.check_len(out)?;
            if stopped {
                break;
            }
        }
        if let Some(high) = half {
            // Every digit moves down by one place.
            out.push(high);
            let mut carry = 0;
            for byte in out.iter_mut().skip(start) {
                let low = *byte & 0x0F;
                *byte = carry << 4 | *byte >> 4;
                carry = low;
            }
        }
        Ok(())
    }

    fn push(&self, out: &mut Vec<u8>, byte: u8) -> Result<(), JoseDumpError> {
        out.push(byte);
        self.check_len(out)
    }

    fn check_len(&self, out: &[u8]) -> Result<(), JoseDumpError> {
        if out.len() > MAX_TOKENS {
            return Err(JoseDumpError::Limit {
                offset: self.offset(),
                what: "a row of more than 40 MiB",
            });
        }
        Ok(())
    }
}

fn text_or_cut(whole: bool, token: DumpToken) -> DumpToken {
    if whole { token } else { DumpToken::Cut }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'@') || byte >= 0x80
}
