//! Packs tokens into lines, greedily, by the rules of the export format.
//!
//! Tokens go straight to the output. The separator before the last token is remembered, so that a token that grows by
//! a suffix (`)` after a move, `}` after a word) can still be moved to the next line as a whole.

use super::swar;

/// The separator before the next token.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum TokenSeparator {
    /// The token is the first of its line.
    LineStart,
    /// A space, at this index of the output.
    Space(usize),
    /// Nothing: the token was joined to the one before it and starts at this index.
    Joined(usize),
}

/// Packs tokens into lines of a buffer.
#[derive(Debug)]
pub(super) struct LineWrapper<'a> {
    out: &'a mut Vec<u8>,
    /// The maximum number of characters in a line; 0 for no limit.
    width: usize,
    column: usize,
    token: usize,
    separator: TokenSeparator,
    /// The next token is joined to the one before it, if the line has room.
    join: bool,
    /// The last token is a text that may be broken at its spaces.
    breakable: bool,
}

impl<'a> LineWrapper<'a> {
    /// Packs into `out`, which ends with a line end (or is empty).
    pub(super) fn new(out: &'a mut Vec<u8>, width: usize) -> LineWrapper<'a> {
        let token = out.len();
        LineWrapper {
            out,
            width,
            column: 0,
            token,
            separator: TokenSeparator::LineStart,
            join: false,
            breakable: false,
        }
    }

    /// Adds an ASCII token.
    #[inline]
    pub(super) fn token(&mut self, token: &[u8]) {
        self.token_with(|out| out.extend_from_slice(token));
    }

    /// Adds a token of ASCII characters that `write` appends.
    #[inline]
    pub(super) fn token_with<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.separate();
        let start = self.out.len();
        let result = write(self.out);
        self.column += self.out.len() - start;
        self.wrap_token();
        result
    }

    /// Adds a token of any characters.
    pub(super) fn word(&mut self, word: &str) {
        self.separate();
        self.out.extend_from_slice(word.as_bytes());
        self.column += word.chars().count();
        self.wrap_token();
    }

    /// Adds a token of at most eight ASCII bytes: the first of a word, from its lowest byte.
    #[inline]
    pub(super) fn short_token(&mut self, word: u64, length: usize) {
        self.separate();
        push_short(self.out, word, length);
        self.column += length;
        self.wrap_token();
    }

    /// The place of the next byte in the output.
    #[inline]
    pub(super) fn position(&self) -> usize {
        self.out.len()
    }

    /// Whether the next token is to be joined to the last one.
    #[inline]
    pub(super) fn joins(&self) -> bool {
        self.join
    }

    /// Adds words of printable ASCII with single spaces between them, a byte before and a byte after them. They are wrapped
    /// like tokens, but examined one by one only if a line ends among them. White space in a command breaks no line. No
    /// token may be pending to be joined.
    pub(super) fn words(&mut self, before: u8, words: &str, behind: u8) {
        self.words_with(|out| {
            out.push(before);
            out.extend_from_slice(words.as_bytes());
            out.push(behind);
        });
    }

    /// Adds what `write` appends, as [`LineWrapper::words`] does.
    #[inline]
    pub(super) fn words_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.separate();
        let start = self.out.len();
        write(self.out);
        self.column += self.out.len() - start;
        self.breakable = true;
        self.wrap_token();
    }

    /// Appends to the last token, without a break between.
    #[inline]
    pub(super) fn suffix(&mut self, suffix: &[u8]) {
        self.out.extend_from_slice(suffix);
        self.column += suffix.len();
        self.wrap_token();
    }

    /// Appends characters of any kind to the last token, without a break between.
    pub(super) fn word_suffix(&mut self, suffix: &str) {
        self.out.extend_from_slice(suffix.as_bytes());
        self.column += suffix.chars().count();
        self.wrap_token();
    }

    /// Joins the next token to the last one without a space, if the line has room for it.
    pub(super) fn join_next(&mut self) {
        self.join = true;
    }

    /// Ends the line, if it is not empty.
    pub(super) fn end_line(&mut self) {
        if self.column > 0 {
            self.out.push(b'\n');
        }
        self.column = 0;
        self.token = self.out.len();
        self.separator = TokenSeparator::LineStart;
        self.join = false;
        self.breakable = false;
    }

    #[inline]
    fn separate(&mut self) {
        self.breakable = false;
        self.separator = if self.column == 0 {
            TokenSeparator::LineStart
        } else if std::mem::take(&mut self.join) {
            TokenSeparator::Joined(self.out.len())
        } else {
            let at = self.out.len();
            self.out.push(b' ');
            self.column += 1;
            TokenSeparator::Space(at)
        };
        self.token = self.out.len();
    }

    /// Moves the last token to a line of its own if it does not fit any more.
    #[inline]
    fn wrap_token(&mut self) {
        if self.width != 0 && self.column > self.width {
            self.break_line();
        }
    }

    #[inline(never)]
    fn break_line(&mut self) {
        if std::mem::take(&mut self.breakable) {
            if !self.break_plain_words() {
                self.break_words();
            }
        } else {
            self.break_before(self.out.len());
        }
    }

    /// Wraps the words of the last token, examining only the places where lines end; false if a command or an escape may be
    /// among them, so that each word has to be examined.
    fn break_plain_words(&mut self) -> bool {
        let words = self.out.get(self.token..).unwrap_or_default();
        if matches!(self.separator, TokenSeparator::Joined(_))
            || memchr::memchr2(b'[', b'%', words).is_some()
        {
            return false;
        }
        let end = self.out.len();
        // Where the current line would have its first column if everything before were ASCII.
        let mut before = self.column - (end - self.token);
        while before + (end - self.token) > self.width {
            // The first byte after the line, if even one word fits.
            let limit = (self.token + self.width).saturating_sub(before);
            let fitting = self.out.get(self.token..=limit).unwrap_or_default();
            let space = match (memchr::memrchr(b' ', fitting), self.separator) {
                (Some(space), _) => self.token + space,
                (None, TokenSeparator::Space(space)) => space,
                (None, _) => {
                    // A word that is longer than a line has a line of its own.
                    let rest = self.out.get(self.token..).unwrap_or_default();
                    match memchr::memchr(b' ', rest) {
                        Some(space) => self.token + space,
                        None => break,
                    }
                }
            };
            if let Some(byte) = self.out.get_mut(space) {
                *byte = b'\n';
            }
            self.token = space + 1;
            self.separator = TokenSeparator::LineStart;
            before = 0;
        }
        self.column = before + (end - self.token);
        // The next token may still extend the last word.
        let rest = self.out.get(self.token..).unwrap_or_default();
        if let Some(space) = memchr::memrchr(b' ', rest) {
            self.token += space;
            self.separator = TokenSeparator::Space(self.token);
            self.token += 1;
        }
        true
    }

    /// Wraps the words of the last token one by one, as if each had been a token.
    fn break_words(&mut self) {
        let mut before = self.column - (self.out.len() - self.token);
        let words = self.out.get(self.token..).unwrap_or_default();
        let last_close = memchr::memrchr(b']', words).map_or(0, |at| self.token + at);
        loop {
            let end = word_end(self.out, self.token, last_close);
            self.column = before + (end - self.token);
            if self.column > self.width {
                self.break_before(end);
            }
            if end >= self.out.len() {
                return;
            }
            before = self.column + 1;
            self.separator = TokenSeparator::Space(end);
            self.token = end + 1;
        }
    }

    /// Moves the last token, which ends at `end`, to the next line.
    fn break_before(&mut self, mut end: usize) {
        // A line that started with a per cent sign would be an escape: such a word is not moved.
        if self.out.get(self.token) == Some(&b'%') {
            return;
        }
        match self.separator {
            TokenSeparator::LineStart => return,
            TokenSeparator::Space(at) => {
                if let Some(byte) = self.out.get_mut(at) {
                    *byte = b'\n';
                }
            }
            TokenSeparator::Joined(at) => {
                self.out.insert(at, b'\n');
                self.token = at + 1;
                end += 1;
            }
        }
        self.separator = TokenSeparator::LineStart;
        let token = self.out.get(self.token..end).unwrap_or_default();
        // Continuation bytes of UTF-8 are not characters.
        self.column = token.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    }
}

/// Adds the first `length` bytes of a word, from the lowest.
#[inline]
pub(super) fn push_short(out: &mut Vec<u8>, word: u64, length: usize) {
    let end = out.len() + length;
    // A copy of a fixed length takes one instruction.
    out.extend_from_slice(&word.to_le_bytes());
    out.truncate(end);
}

/// The end of the word of printable ASCII that begins at `i`; white space in a command belongs to its word.
fn word_end(text: &[u8], mut i: usize, last_close: usize) -> usize {
    while let Some(&byte) = text.get(i) {
        match byte {
            b' ' => break,
            b'[' => i = command_end(text, i, last_close),
            _ => i += 1,
        }
    }
    i
}

/// The end of the command in brackets that begins at `i`, or the bracket if it is not closed. The place of the last closing
/// bracket is given, so that no text is searched for one repeatedly.
pub(super) fn command_end(text: &[u8], i: usize, last_close: usize) -> usize {
    let is_command = text.get(i + 1) == Some(&b'%') && i < last_close;
    let close = is_command.then(|| swar::find(text, i, b']')).flatten();
    close.map_or(i + 1, |close| close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(width: usize, build: impl FnOnce(&mut LineWrapper<'_>)) -> String {
        let mut out = Vec::new();
        let mut lines = LineWrapper::new(&mut out, width);
        build(&mut lines);
        lines.end_line();
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn tokens_are_packed_greedily() {
        let text = pack(9, |lines| {
            for token in ["1.", "e4", "e5", "2.", "Nf3"] {
                lines.token(token.as_bytes());
            }
        });
        assert_eq!(text, "1. e4 e5\n2. Nf3\n");
    }

    #[test]
    fn a_suffix_takes_its_token_along() {
        let text = pack(5, |lines| {
            lines.token(b"abc");
            lines.token(b"d");
            lines.suffix(b")");
        });
        assert_eq!(text, "abc\nd)\n");
    }

    #[test]
    fn joined_tokens_break_only_where_they_must() {
        let text = pack(4, |lines| {
            lines.token(b"1.");
            lines.join_next();
            lines.token(b"e4");
            lines.token(b"2.");
            lines.join_next();
            lines.token(b"Nf3");
        });
        assert_eq!(text, "1.e4\n2.\nNf3\n");
    }

    /// At every width, after every column, words are wrapped like tokens.
    fn words_are_tokens(words: &[&str]) {
        let text = words.join(" ");
        for width in 0..90 {
            for column in 0..30 {
                let before = "x".repeat(column);
                let both = |whole: bool| {
                    pack(width, |lines| {
                        if column > 0 {
                            lines.token(before.as_bytes());
                        }
                        if whole {
                            lines.words(b'{', &text, b'}');
                        } else {
                            lines.token(b"{");
                            for (n, word) in words.iter().enumerate() {
                                if n == 0 {
                                    lines.word_suffix(word);
                                } else {
                                    lines.word(word);
                                }
                            }
                            lines.suffix(b"}");
                        }
                        lines.suffix(b"!?)");
                        lines.suffix(b")");
                        lines.token(b"e4");
                    })
                };
                assert_eq!(both(true), both(false), "width {width}, column {column}");
            }
        }
    }

    #[test]
    fn words_are_packed_as_if_they_were_tokens() {
        words_are_tokens(&[
            "[%eval 0.17]",
            "[%clk 0:00:30]",
            "a",
            "%b",
            "[c",
            "d]",
            "[% e f [%g]",
            "h]i",
            "[%never",
            "closed",
        ]);
        words_are_tokens(&[
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR",
            "w",
            "KQkq",
            "c6",
            "0",
            "2",
        ]);
        words_are_tokens(&[
            "a", "quite", "plain", "text", "of", "several", "words,", "for", "long", "lines",
        ]);
        words_are_tokens(&["one"]);
    }

    #[test]
    fn width_counts_characters_and_long_tokens_stand_alone() {
        let text = pack(4, |lines| {
            lines.word("äöüß");
            lines.word("ñ");
            lines.word("abcdefg");
            lines.word("%x");
        });
        assert_eq!(text, "äöüß\nñ\nabcdefg %x\n");
    }
}
