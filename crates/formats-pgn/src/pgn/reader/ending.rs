//! The end of a game: its result, the text after it, and the result in the tags.

use tabiya_model::outcome::Outcome;

use super::state::PgnReader;
use crate::pgn::codes;
use crate::pgn::lexer::{at_line_start, comment_end, line_end, trim};
use crate::pgn::quick_result;
use crate::pgn::quote::quote;
use crate::pgn::skim::{self, ResultTrailer, SkimEnd};

impl PgnReader<'_> {
    /// Goes to the end of a game whose moves are not needed.
    pub(super) fn skim_game(&mut self, i: usize) -> usize {
        if !self.settings.nested_comments
            && !self.state.lone_returns
            && i >= self.state.no_quick_end
        {
            if let Some((after, outcome)) = quick_result::end(self.data, i) {
                return self.end_game(after, outcome);
            }
            // Other games of the section, which are as odd, are not searched again for each of them.
            self.state.no_quick_end = self.data.len();
        }
        match skim::skim(self.data, i, 0, false, self.settings.nested_comments) {
            SkimEnd::Terminator { after, outcome, .. } => self.end_game(after, outcome),
            SkimEnd::NextGame(at) | SkimEnd::Close(at) => at,
            SkimEnd::End => self.data.len(),
        }
    }

    /// A result: the end of the game, or a remark in a variation.
    pub(super) fn terminate(&mut self, after: usize, outcome: Outcome) -> Option<usize> {
        if !self.state.frames.is_empty() && !skim::is_last(self.data, after) {
            if self.want.annotations {
                self.game.tape.push_outcome(outcome);
            }
            return None;
        }
        Some(self.end_game(after, outcome))
    }

    pub(super) fn end_game(&mut self, after: usize, outcome: Outcome) -> usize {
        self.close_all(after);
        self.game.outcome = Some(outcome);
        // Nearly always, only white space follows in the section.
        if skim::skip_noise(self.data, after) >= self.data.len() {
            return self.data.len();
        }
        self.read_trailer(after)
    }

    #[cold]
    fn read_trailer(&mut self, after: usize) -> usize {
        let data = self.data;
        let nested = self.settings.nested_comments;
        let mut text: Option<(usize, usize)> = None;
        let mut found = Vec::new();
        // Adjacent lines of text are one remark.
        let end = skim::skip_to_next_game(data, after, nested, |trail| match (trail, text) {
            (ResultTrailer::Text { start, end }, None) => text = Some((start, end)),
            (ResultTrailer::Text { end, .. }, Some((start, _))) => text = Some((start, end)),
            (other, before) => {
                if let Some((start, end)) = before {
                    found.push(ResultTrailer::Text { start, end });
                    text = None;
                }
                found.push(other);
            }
        });
        if let Some((start, end)) = text {
            found.push(ResultTrailer::Text { start, end });
        }
        // A result that is followed by another one precedes the text between them.
        let is_result = |trail: &&ResultTrailer| matches!(trail, ResultTrailer::Outcome(..));
        let mut others = found.iter().filter(is_result).count();
        self.push_earlier_result(&mut others);
        for trail in found {
            match trail {
                ResultTrailer::Comment { start, .. } => {
                    self.brace_comment(start);
                }
                ResultTrailer::Line { start, .. } if data.get(start) == Some(&b'%') => {
                    self.escaped_line(start);
                }
                ResultTrailer::Line { start, .. } => {
                    self.line_comment(start);
                }
                ResultTrailer::Outcome(at, outcome) => {
                    self.report(&codes::EXTRA_RESULT, at, || {
                        format!("a second result, {outcome}, follows the end of the game")
                    });
                    self.game.outcome = Some(outcome);
                    self.push_earlier_result(&mut others);
                }
                ResultTrailer::Text { start, end } => {
                    let text = trim(data.get(start..end).unwrap_or(&[])).to_vec();
                    self.keep_outside_text(&text, start);
                }
            }
        }
        end
    }

    /// Keeps the last result among the moves, if others follow it.
    fn push_earlier_result(&mut self, others: &mut usize) {
        let Some(left) = others.checked_sub(1) else {
            return;
        };
        *others = left;
        if self.want.annotations {
            let outcome = self.game.outcome.unwrap_or_default();
            self.game.tape.push_outcome(outcome);
        }
    }

    /// Keeps the text before the first tag of a file: comments and escaped lines unchanged, other text as a comment.
    #[cold]
    pub(in crate::pgn) fn preamble(&mut self, text: &[u8], at: usize) {
        let nested = self.settings.nested_comments;
        let mut i = 0;
        // The start of other text, whose consecutive lines are one comment.
        let mut other = None;
        loop {
            let start = skim::skip_noise(text, i);
            let (end, inner) = match text.get(start) {
                None => break,
                Some(b'{') => match comment_end(text, start, nested) {
                    (end, true) => (end, text.get(start + 1..end - 1)),
                    (end, false) => (end, None),
                },
                Some(b';') => {
                    let end = line_end(text, start);
                    (end, text.get(start + 1..end))
                }
                Some(b'%') if at_line_start(text, start) => {
                    let end = line_end(text, start);
                    self.other_text(text, other.take(), start, at);
                    self.push_escaped_line(text.get(start + 1..end).unwrap_or(&[]), at);
                    i = end;
                    continue;
                }
                Some(_) => (line_end(text, start), None),
            };
            match inner {
                Some(inner) => {
                    self.other_text(text, other.take(), start, at);
                    if self.want.annotations {
                        self.push_odd_comment(inner);
                    }
                }
                None => other = other.or(Some(start)),
            }
            i = end.max(start + 1);
        }
        self.other_text(text, other, text.len(), at);
    }

    /// Keeps text from its start, if there is any, up to `end`.
    fn other_text(&mut self, text: &[u8], start: Option<usize>, end: usize, at: usize) {
        if let Some(text) = start.and_then(|start| text.get(start..end)) {
            self.keep_outside_text(text, at);
        }
    }

    /// Keeps text that belongs to no game as a comment.
    #[cold]
    pub(in crate::pgn) fn keep_outside_text(&mut self, text: &[u8], at: usize) {
        let text = trim(text);
        self.report(&codes::TEXT_BETWEEN_GAMES, at, || {
            format!(
                "text outside the games is kept as a comment: {}",
                quote(text)
            )
        });
        if self.want.annotations {
            self.push_odd_comment(text);
        }
    }

    pub(super) fn finish(&mut self) {
        if self.game.outcome.is_none() {
            self.close_all(self.data.len());
            if self.want.moves {
                self.report_missing_terminator();
            }
        }
        if self.want.moves
            && let Some(tag) = self.result.and_then(|index| self.game.tags.at(index))
            && self.game.outcome.map(Outcome::as_pgn) != Some(tag.value)
        {
            self.report_result();
        }
    }

    #[cold]
    fn report_missing_terminator(&mut self) {
        self.report(&codes::MISSING_TERMINATOR, self.start_of_game(), || {
            "the game does not end with a result".to_owned()
        });
    }

    #[cold]
    fn report_result(&mut self) {
        let start = self.start_of_game();
        let value = self.game.tags.value("Result").to_owned();
        let Some(tag) = Outcome::from_pgn(&value) else {
            let meaning = match Outcome::read(&value) {
                Some(outcome) => format!("is read as {outcome}, and kept unchanged"),
                None => "is not a PGN result; it is kept unchanged".to_owned(),
            };
            return self.report(&codes::BAD_RESULT, start, || {
                format!("{} {meaning}", quote(value.as_bytes()))
            });
        };
        // If the movetext has no result, that of the tag counts, and there is no contradiction.
        if let Some(outcome) = self.game.outcome {
            let counts = self.game.result();
            self.report(&codes::RESULT_MISMATCH, start, || {
                format!(
                    "the Result tag is {tag}, but the game ends with {outcome}; {counts} counts"
                )
            });
        }
    }
}
