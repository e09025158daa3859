//! Variations, and the handling of misplaced ones.

use tabiya_model::diagnostic::DiagnosticCode;

use super::state::{DeferredVariation, PgnReader, PgnVariationFrame};
use crate::pgn::codes;
use crate::pgn::quote::quote;
use crate::pgn::skim::{self, SkimEnd};

impl PgnReader<'_> {
    pub(super) fn open(&mut self, i: usize) -> usize {
        if !self.want.variations {
            let nested = self.settings.nested_comments;
            return match skim::skim(self.data, i + 1, 1, self.seen, nested) {
                SkimEnd::Close(at) => at + 1,
                SkimEnd::Terminator { at, .. } | SkimEnd::NextGame(at) => at,
                SkimEnd::End => self.data.len(),
            };
        }
        if let Some(close) = skim::empty_variation(self.data, i, self.settings.nested_comments) {
            return self.empty_variation(i, close);
        }
        if !self.moves || self.state.frames.len() >= self.settings.limits.depth {
            return self.odd_variation(i);
        }
        self.game.tape.begin_variation();
        let state = &mut *self.state;
        let inner = state.before.clone();
        let now = std::mem::replace(&mut state.now, inner.clone());
        let before = std::mem::replace(&mut state.before, inner);
        state.frames.push(PgnVariationFrame {
            now,
            before,
            ply: self.ply,
            number_shift: self.number_shift,
        });
        self.ply = self.ply.saturating_sub(1);
        self.moves = false;
        i + 1
    }

    pub(super) fn close(&mut self, i: usize) -> usize {
        if let Some((end, number_shift)) = self.transparent
            && end == i
        {
            self.transparent = None;
            self.number_shift = number_shift;
            return i + 1;
        }
        if !self.leave() {
            self.stray_sign(&codes::STRAY_PARENTHESIS, i);
        }
        match self.replayed {
            Some(span) if span.end == i + 1 => self.next_replayed(),
            _ => i + 1,
        }
    }

    /// The number of open parentheses, including those that are ignored.
    pub(super) fn depth(&self) -> usize {
        self.state.frames.len() + usize::from(self.transparent.is_some())
    }

    fn leave(&mut self) -> bool {
        if self.deferred {
            self.keep_deferred();
        }
        let Some(frame) = self.state.frames.pop() else {
            return false;
        };
        self.game.tape.end_variation();
        self.state.now = frame.now;
        self.state.before = frame.before;
        self.ply = frame.ply;
        self.number_shift = frame.number_shift;
        self.moves = true;
        true
    }

    pub(super) fn close_all(&mut self, at: usize) {
        if self.deferred {
            self.keep_deferred();
        }
        if !self.state.frames.is_empty() {
            let open = self.state.frames.len();
            self.report(&codes::UNCLOSED_VARIATION, at, || {
                format!("{open} variations are not closed at the end of the game")
            });
            while self.leave() {}
        }
    }

    /// Parentheses without a move between them: their content belongs to the line around them.
    #[cold]
    fn empty_variation(&mut self, i: usize, close: usize) -> usize {
        let text = quote(self.slice(i, close + 1));
        self.report(&codes::EMPTY_VARIATION, i, || {
            format!(
                "the variation {text} has no moves; its content is kept without the parentheses"
            )
        });
        self.transparent = Some((close, self.number_shift));
        i + 1
    }

    /// A variation at an impossible place.
    #[cold]
    fn odd_variation(&mut self, i: usize) -> usize {
        let nested = self.settings.nested_comments;
        let depth = self.state.frames.len();
        let deep = depth >= self.settings.limits.depth;
        let stop = skim::skim(self.data, i + 1, 1, self.seen, nested);
        if let SkimEnd::Close(at) = stop
            && !deep
            && self.replayed.is_none()
        {
            // It replaces the first move of the line, and is read when that move has been played. A deferred variation is
            // never deferred again, so that every byte is read only a few times.
            self.deferred = true;
            self.state.deferred.push(DeferredVariation {
                depth,
                start: i,
                end: at + 1,
                resume: 0,
            });
            return at + 1;
        }
        let end = match stop {
            SkimEnd::Close(at) => at + 1,
            SkimEnd::Terminator { at, .. } | SkimEnd::NextGame(at) => at,
            SkimEnd::End => self.data.len(),
        };
        let code = if deep {
            &codes::DEPTH_LIMIT
        } else {
            // The line has no first move, for which earlier variations could wait.
            self.keep_deferred();
            &codes::LEADING_VARIATION
        };
        self.keep_variation(code, i, end);
        end
    }

    #[cold]
    fn keep_variation(&mut self, code: &'static DiagnosticCode, start: usize, end: usize) {
        let text = quote(self.slice(start, end));
        self.report(code, start, || {
            format!("a variation is kept as text: {text}")
        });
        self.push_raw(start, end);
    }

    /// Reads the variations before the first move of this line, if that has been played now.
    pub(super) fn after_first_move(&mut self, i: usize) -> usize {
        if !self.deferred || !self.moves || self.replayed.is_some() {
            return i;
        }
        self.replay_deferred(i)
    }

    #[cold]
    fn replay_deferred(&mut self, i: usize) -> usize {
        let depth = self.state.frames.len();
        if self
            .state
            .deferred
            .last()
            .is_none_or(|last| last.depth != depth)
        {
            return i;
        }
        // The last one is read last, so that it knows where reading continues.
        if let Some(last) = self.state.deferred.last_mut() {
            last.resume = i;
        }
        let first = self
            .state
            .deferred
            .iter()
            .position(|span| span.depth == depth)
            .unwrap_or(0);
        let spans = self.state.deferred.split_off(first);
        for span in &spans {
            let text = quote(self.slice(span.start, span.end));
            self.report(&codes::LEADING_VARIATION, span.start, || {
                format!("the variation {text} is moved after the move that it replaces")
            });
        }
        self.deferred = !self.state.deferred.is_empty();
        self.state.replays = spans;
        self.state.replays.reverse();
        self.next_replayed()
    }

    /// Goes to the next deferred variation, or back to the place where the line continues.
    fn next_replayed(&mut self) -> usize {
        let resume = self.replayed.map_or(0, |span| span.resume);
        self.replayed = self.state.replays.pop();
        self.replayed.map_or(resume, |span| span.start)
    }

    /// Keeps variations as text if their line has no first move.
    #[cold]
    pub(super) fn keep_deferred(&mut self) {
        let depth = self.state.frames.len();
        while let Some(&span) = self.state.deferred.last()
            && span.depth >= depth
        {
            let first = self
                .state
                .deferred
                .iter()
                .position(|other| other.depth == span.depth)
                .unwrap_or(0);
            for span in self.state.deferred.split_off(first) {
                self.keep_variation(&codes::LEADING_VARIATION, span.start, span.end);
            }
        }
        self.deferred = !self.state.deferred.is_empty();
    }
}
