//! Reading games: one pass over the bytes of a block, tags and moves straight into a game.
//!
//! The loop here handles the usual parts of nearly all files. Everything unusual is read in `nonstandard.rs`, which
//! ordinary movetext never reaches.

mod ending;
mod language;
mod start;
pub(super) mod state;
mod stray_words;
mod texts;
mod variations;

use tabiya_model::diagnostic::DiagnosticCode;
use tabiya_model::game::Variant;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;

use self::state::{PgnContinuation, PgnReader};
use super::codes;
use super::lexer::{
    PgnByteClass, at_line_start, blank_line_before, class, comment_end, ends_move, is_tag_start,
    line_end, terminator, word_end,
};
use super::quote::quote;
use super::skim::{self, NumberToken};

impl<'a> PgnReader<'a> {
    /// Reports a finding at a place.
    #[cold]
    pub(super) fn report(
        &mut self,
        code: &'static DiagnosticCode,
        at: usize,
        message: impl FnOnce() -> String,
    ) {
        let number = self.game.origin.number;
        let ply = self.seen.then_some(self.first_ply + self.ply);
        let (state, data) = (&mut *self.state, self.data);
        self.game
            .diagnostics
            .report(code, || state.place(data, at, number, ply), message);
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &[u8] {
        self.data.get(start..end).unwrap_or(&[])
    }

    /// A part of the data, if it is UTF-8.
    #[inline]
    pub(super) fn utf8(&self, start: usize, end: usize) -> Option<&'a str> {
        match self.text {
            Some(text) => text.get(start..end),
            None => std::str::from_utf8(self.data.get(start..end)?).ok(),
        }
    }

    /// The start of the game in the data.
    fn start_of_game(&self) -> usize {
        usize::try_from(self.game.origin.byte - self.state.base.byte).unwrap_or(0)
    }

    /// Reads the game that begins at `start`, and returns its end.
    pub(super) fn read(&mut self, start: usize) -> usize {
        let mut i = start;
        loop {
            if self.data.get(i) == Some(&b'[') {
                self.listens = true;
                i = self.tags(i);
                // Text between the tags is not always read, so it must not influence how they are decoded.
                self.listens = false;
            }
            match self.between(i) {
                Some(next) => i = next,
                None => break,
            }
        }
        self.decode_tags_alike();
        self.listens = true;
        self.begin();
        self.check_blank_lines(start, i);
        self.movetext = i;
        if self.language.is_some() {
            self.tell_language(i);
        }
        let end = self.movetext(i);
        self.tell_charset(start);
        self.finish();
        end
    }

    /// Checks for the empty lines before the game and between its tags and moves.
    fn check_blank_lines(&mut self, start: usize, movetext: usize) {
        let data = self.data;
        let missing = |at: usize| at < data.len() && !blank_line_before(data, at);
        if self.want.moves {
            if missing(start) {
                self.no_blank_line(start, "before the game");
            }
            if !self.game.tags.is_empty() && missing(movetext) {
                self.no_blank_line(movetext, "between tags and moves");
            }
        }
    }

    #[cold]
    fn no_blank_line(&mut self, at: usize, place: &str) {
        self.report(&codes::NO_BLANK_LINE, at, || {
            format!("an empty line is missing {place}")
        });
    }

    /// Skips comments and escaped lines between tags; `None` if movetext begins.
    fn between(&mut self, start: usize) -> Option<usize> {
        let mut i = start;
        loop {
            i = skim::skip_noise(self.data, i);
            i = match self.data.get(i) {
                Some(b'{') => match comment_end(self.data, i, self.settings.nested_comments) {
                    (end, true) => end,
                    // The tags after it belong to another game.
                    (_, false) => return None,
                },
                Some(b';') => line_end(self.data, i),
                Some(b'%') if at_line_start(self.data, i) => line_end(self.data, i),
                Some(b'[') if i > start && is_tag_start(self.data, i) => break,
                _ => return None,
            };
        }
        if blank_line_before(self.data, i) {
            return None;
        }
        // Tags follow: the text between them is kept as comments at the start.
        let end = i;
        let mut i = start;
        while i < end {
            i = skim::skip_noise(self.data, i);
            i = match self.data.get(i) {
                Some(b'{') => self.brace_comment(i),
                Some(b';') => self.line_comment(i),
                Some(b'%') => self.escaped_line(i),
                _ => end,
            };
        }
        Some(end)
    }

    fn movetext(&mut self, mut i: usize) -> usize {
        if !self.want.moves {
            return self.skim_game(i);
        }
        if self.game.variant == Variant::Other {
            return self.raw_game(i);
        }
        let data = self.data;
        // Letters may mean other pieces than in English.
        let foreign = !self.letters().is_empty();
        // Without a parenthesis, the position before a move is never needed.
        let has_variations = self.state.next_open < data.len();
        while let Some(&byte) = data.get(i) {
            match class(byte) {
                PgnByteClass::Space => i += 1,
                PgnByteClass::Move => {
                    if !(foreign && byte.is_ascii_uppercase())
                        && let Some((Ok(m), length)) =
                            data.get(i..).and_then(|rest| self.state.now.read_san(rest))
                        && ends_move(data.get(i + length))
                    {
                        if has_variations {
                            self.state.before.clone_from(&self.state.now);
                        }
                        if self.want.notation {
                            let notation = self.state.now.play_with_details(m);
                            self.game.tape.push_move_with_details(m, notation);
                        } else {
                            self.state.now.play_legal(m);
                            self.game.tape.push_move(m);
                        }
                        self.ply += 1;
                        self.moves = true;
                        self.seen = true;
                        i += length;
                        if self.deferred {
                            i = self.after_first_move(i);
                        }
                        i += usize::from(data.get(i) == Some(&b' '));
                    } else {
                        match self.word(i) {
                            PgnContinuation::At(next) => i = self.after_first_move(next),
                            PgnContinuation::End(end) => return end,
                        }
                    }
                }
                PgnByteClass::Digit => {
                    // Nearly always the right move number, with a dot.
                    let mut value = i64::from(byte & 15);
                    let mut after = i + 1;
                    while let Some(digit) = data.get(after).filter(|byte| byte.is_ascii_digit()) {
                        value = value.wrapping_mul(10).wrapping_add(i64::from(digit & 15));
                        after += 1;
                    }
                    let due = i64::from(self.state.now.fullmoves()).wrapping_add(self.number_shift);
                    if data.get(after) == Some(&b'.') && value == due && (value != 1 || !self.seen)
                    {
                        i = after + 1;
                        i += usize::from(data.get(i) == Some(&b' '));
                    } else {
                        match self.number(i) {
                            PgnContinuation::At(next) => i = next,
                            PgnContinuation::End(end) => return end,
                        }
                    }
                }
                PgnByteClass::Brace => i = self.brace_comment(i),
                PgnByteClass::Open => i = self.open(i),
                PgnByteClass::Close => i = self.close(i),
                PgnByteClass::Dollar => i = self.nag(i),
                PgnByteClass::Dot => i += 1,
                PgnByteClass::Suffix => i = self.suffix(i),
                PgnByteClass::Semicolon => i = self.line_comment(i),
                PgnByteClass::Percent if at_line_start(data, i) => i = self.escaped_line(i),
                PgnByteClass::Star if terminator(data, i).is_some() => {
                    if let Some(end) = self.terminate(i + 1, Outcome::Unknown) {
                        return end;
                    }
                    i += 1;
                }
                PgnByteClass::Bracket if is_tag_start(data, i) => return i,
                PgnByteClass::Control => {
                    self.report(&codes::CONTROL_CHARACTER, i, || {
                        format!("the control character {byte:#04x} is read as a space")
                    });
                    i += 1;
                }
                PgnByteClass::BraceEnd => {
                    self.stray_sign(&codes::STRAY_BRACE, i);
                    i += 1;
                }
                PgnByteClass::Bracket => {
                    let end = skim::bracket_end(data, i);
                    match self.stray_word(i, end) {
                        None => i = end,
                        Some(PgnContinuation::At(next)) => i = next,
                        Some(PgnContinuation::End(end)) => return end,
                    }
                }
                PgnByteClass::Star => {
                    let end = word_end(data, i);
                    match self.stray_word(i, end) {
                        None => i = end,
                        Some(PgnContinuation::At(next)) => i = next,
                        Some(PgnContinuation::End(end)) => return end,
                    }
                }
                _ => match self.word(i) {
                    PgnContinuation::At(next) => i = self.after_first_move(next),
                    PgnContinuation::End(end) => return end,
                },
            }
        }
        data.len()
    }

    /// Anything that begins with a digit and is not the expected move number.
    #[inline(never)]
    fn number(&mut self, i: usize) -> PgnContinuation {
        let number = skim::number(self.data, i);
        match number {
            NumberToken::Move { digits, after, .. } => {
                if self.seen && self.depth() == 0 && skim::restarts(self.data, i, number) {
                    return PgnContinuation::End(i);
                }
                self.check_number(i, digits);
                PgnContinuation::At(after)
            }
            NumberToken::Terminator(outcome, after) => match self.terminate(after, outcome) {
                Some(end) => PgnContinuation::End(end),
                None => PgnContinuation::At(after),
            },
            NumberToken::Word => match self.word(i) {
                PgnContinuation::At(next) => PgnContinuation::At(self.after_first_move(next)),
                end @ PgnContinuation::End(_) => end,
            },
        }
    }

    /// Reads a game whose moves cannot be played: comments before the first move, and the rest as one text.
    fn raw_game(&mut self, mut i: usize) -> usize {
        loop {
            i = skim::skip_noise(self.data, i);
            i = match self.data.get(i) {
                None => return self.data.len(),
                Some(b'{') => self.brace_comment(i),
                Some(b';') => self.line_comment(i),
                Some(b'%') if at_line_start(self.data, i) => self.escaped_line(i),
                Some(b'[') if is_tag_start(self.data, i) => return i,
                Some(_) => match self.raw_rest(i) {
                    // At depth zero, only the end of the game ends the text.
                    PgnContinuation::At(end) | PgnContinuation::End(end) => return end,
                },
            };
        }
    }

    fn check_number(&mut self, i: usize, digits: usize) {
        let mut value = 0_i64;
        for &byte in self.data.get(i..i + digits).unwrap_or(&[]) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(byte & 15));
        }
        let shift = value.wrapping_sub(i64::from(self.state.now.fullmoves()));
        if shift != self.number_shift {
            self.wrong_number(i, digits, shift);
        }
    }

    #[cold]
    fn wrong_number(&mut self, i: usize, digits: usize, shift: i64) {
        self.number_shift = shift;
        if shift == 0 || std::mem::replace(&mut self.wrong_number, true) {
            return;
        }
        let due = self.state.now.fullmoves();
        let text = quote(self.slice(i, i + digits));
        self.report(&codes::MOVE_NUMBER, i, || {
            format!("move number {text} instead of {due}")
        });
    }

    /// A word that the fast way could not read.
    #[cold]
    fn word(&mut self, i: usize) -> PgnContinuation {
        if let Some(length) = stray_words::odd_space(self.data, i) {
            self.report(&codes::ODD_SPACE, i, || {
                "a non-ASCII space is read as a space".to_owned()
            });
            return PgnContinuation::At(i + length);
        }
        // Remarks in parentheses do not mean that the game has begun.
        self.seen |= self.transparent.is_none();
        let (end, glued) = skim::word(self.data, i);
        let stop = glued.map_or(end, |(at, _)| at);
        if stop > i
            && let Some(next) = self.nonstandard_word(i, stop)
        {
            return next;
        }
        match glued {
            None => PgnContinuation::At(end),
            Some((_, outcome)) => match self.terminate(end, outcome) {
                Some(end) => PgnContinuation::End(end),
                None => PgnContinuation::At(end),
            },
        }
    }

    /// The difference between the move numbers and those of the position.
    fn number_shift(&self) -> i64 {
        self.number_shift
    }

    /// Whether comments and the like are kept.
    fn wants_annotations(&self) -> bool {
        self.want.annotations
    }

    /// Whether the main line, or this variation, has had a move.
    pub(super) fn has_moves(&self) -> bool {
        self.moves || !self.state.frames.is_empty()
    }

    /// Plays a move that was read in an unusual form.
    pub(super) fn play(&mut self, m: tabiya_model::board::Move) {
        self.state.before.clone_from(&self.state.now);
        self.state.now.play(m);
        self.game.tape.push_move(m);
        self.ply += 1;
        self.moves = true;
        self.seen = true;
    }

    pub(super) fn push_nag(&mut self, nag: Nag) {
        if self.want.annotations {
            self.game.tape.push_nag(nag);
        }
    }
}
