//! Comments, NAGs, marks on the board, clocks and evaluations.
//!
//! Comments at one place are those between a move and its first variation, or between its last variation and the next
//! move. If there is no variation between two moves, comments after the first are also comments before the second: the
//! tape, like PGN, does not distinguish them.

use std::ops::Range;

use crate::command::{
    BoardMark, ClockKind, ClockTime, CommentCommand, Evaluation, MarkShape, commands,
    marks_to_lichess,
};
use crate::nag::Nag;
use crate::tape::TapeOp;

use super::change::{PatchList, TapeItem};
use super::{EditError, GameEditor, comment_text, tree};

/// The side of the move at the cursor that a comment is on.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum CommentSide {
    /// Before it: before the first move of a line, or after the variations of the move before.
    Before,
    /// After it, before its variations; at the start of the game, before the first move.
    #[default]
    After,
}

impl GameEditor {
    /// The range of operations that holds the comments of a side.
    fn region(&self, side: CommentSide) -> Result<Range<usize>, EditError> {
        let tape = self.tape();
        let place = self.place();
        let Some(at) = self.stand.move_index(tape) else {
            return match side {
                CommentSide::After => Ok(place..tree::next_move(tape, place)),
                CommentSide::Before => Err(EditError::AtStart),
            };
        };
        if side == CommentSide::After {
            return Ok(place..region_end(tape, place));
        }
        let line = self.stand.frames.last().map_or(0, |frame| frame.begin + 1);
        if tree::next_move(tape, line) == at {
            return Ok(line..at);
        }
        // The index of the move before this one in the same line.
        let before = self.stand.parent.unwrap_or(1).saturating_sub(1);
        let around = tree::around(tape, before);
        if around.variations.is_empty() {
            Ok(before + 1..at)
        } else {
            Ok(around.rest..at)
        }
    }

    fn comment_indices(&self, region: Range<usize>) -> Vec<usize> {
        region
            .filter(|&i| matches!(self.tape().get(i), Some(TapeOp::Comment(_))))
            .collect()
    }

    fn text_at(&self, index: usize) -> &str {
        match self.tape().get(index) {
            Some(TapeOp::Comment(id)) => self.tape().text(id),
            _ => "",
        }
    }

    /// The comments on a side of the move at the cursor, each with the index of its operation.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`] for the side before no move.
    pub fn comments(&self, side: CommentSide) -> Result<Vec<(usize, &str)>, EditError> {
        let indices = self.comment_indices(self.region(side)?);
        Ok(indices.into_iter().map(|i| (i, self.text_at(i))).collect())
    }

    /// Replaces the comments on a side, commands included, with one comment; an empty one removes them.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`] for the side before no move.
    pub fn set_comment(&mut self, side: CommentSide, comment: &str) -> Result<(), EditError> {
        let region = self.region(side)?;
        let mut texts = self.texts_of(&region);
        for (_, text) in &mut texts {
            text.clear();
        }
        self.put_comments("comment", side, region, texts, |first| {
            first.push_str(comment);
        })
    }

    /// Gives the comments on a side another text; their commands (clocks, evaluations, marks and others) stay.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`] for the side before no move.
    pub fn set_text(&mut self, side: CommentSide, text: &str) -> Result<(), EditError> {
        let region = self.region(side)?;
        let mut texts = self.texts_of(&region);
        for (_, comment) in texts.iter_mut().skip(1) {
            *comment = comment_text::with_text(comment, "");
        }
        self.put_comments("comment", side, region, texts, |first| {
            *first = comment_text::with_text(first, text);
        })
    }

    /// Adds a comment after those on a side.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`] for the side before no move.
    pub fn add_comment(&mut self, side: CommentSide, comment: &str) -> Result<(), EditError> {
        let region = self.region(side)?;
        let slot = match self.comment_indices(region.clone()).last() {
            Some(last) => last + 1,
            None => self.comment_slot(side, &region),
        };
        self.splice("comment", slot..slot, vec![TapeItem::comment(comment)])
    }

    /// Changes the comment of one operation; an empty text removes it.
    ///
    /// # Errors
    ///
    /// [`EditError::NotHere`] if there is no comment.
    pub fn set_comment_at(&mut self, index: usize, comment: &str) -> Result<(), EditError> {
        if !matches!(self.tape().get(index), Some(TapeOp::Comment(_))) {
            return Err(EditError::NotHere {
                what: "the comment".to_owned(),
            });
        }
        let new = if comment.is_empty() {
            Vec::new()
        } else {
            vec![TapeItem::comment(comment)]
        };
        self.splice("comment", index..index + 1, new)
    }

    /// Where the first comment of a side goes.
    fn comment_slot(&self, side: CommentSide, region: &Range<usize>) -> usize {
        match side {
            CommentSide::Before => region.end,
            CommentSide::After => {
                let mut slot = region.start;
                while slot < region.end && matches!(self.tape().get(slot), Some(TapeOp::Nag(_))) {
                    slot += 1;
                }
                slot
            }
        }
    }

    fn texts_of(&self, region: &Range<usize>) -> Vec<(usize, String)> {
        let indices = self.comment_indices(region.clone());
        let text = |i| (i, self.text_at(i).to_owned());
        indices.into_iter().map(text).collect()
    }

    /// Replaces the comments of a region by new texts: empty ones are removed, unchanged ones keep their provenance. `edit`
    /// changes the first of them, or creates one.
    fn put_comments(
        &mut self,
        wish: &str,
        side: CommentSide,
        region: Range<usize>,
        mut texts: Vec<(usize, String)>,
        edit: impl FnOnce(&mut String),
    ) -> Result<(), EditError> {
        let tape = self.tape();
        let mut pieces = PatchList::default();
        let mut done = 0;
        if let Some((_, first)) = texts.first_mut() {
            edit(first);
        } else {
            let mut new = String::new();
            edit(&mut new);
            if new.is_empty() {
                return Ok(());
            }
            let slot = self.comment_slot(side, &region);
            return self.splice(wish, slot..slot, vec![TapeItem::comment(&new)]);
        }
        if texts.iter().all(|(i, text)| text == self.text_at(*i)) {
            return Ok(());
        }
        for (index, text) in texts {
            if text == self.text_at(index) {
                continue;
            }
            pieces.keep(done..index);
            if !text.is_empty() {
                pieces.put(TapeItem::comment(&text));
            }
            done = index + 1;
        }
        pieces.keep(done..tape.len());
        let last = self.place().checked_sub(1);
        self.commit_pieces(wish, pieces, last)
    }

    /// Replaces a range of operations by items.
    fn splice(
        &mut self,
        wish: &str,
        run: Range<usize>,
        items: Vec<TapeItem>,
    ) -> Result<(), EditError> {
        let mut pieces = PatchList::default();
        pieces.keep(0..run.start);
        pieces.put_all(items);
        pieces.keep(run.end..self.tape().len());
        let last = self.place().checked_sub(1);
        self.commit_pieces(wish, pieces, last)
    }

    fn nag_indices(&self) -> Vec<(usize, Nag)> {
        let end = region_end(self.tape(), self.place());
        (self.place()..end)
            .filter_map(|i| match self.tape().get(i) {
                Some(TapeOp::Nag(nag)) => Some((i, nag)),
                _ => None,
            })
            .collect()
    }

    /// The NAGs of the move at the cursor, or of the start.
    pub fn nags(&self) -> Vec<Nag> {
        self.nag_indices().into_iter().map(|(_, nag)| nag).collect()
    }

    /// Adds a NAG after those of the move at the cursor.
    ///
    /// # Errors
    ///
    /// [`EditError::NothingToDo`] if it is already there.
    pub fn add_nag(&mut self, nag: Nag) -> Result<(), EditError> {
        if self.nags().contains(&nag) {
            return Err(EditError::NothingToDo);
        }
        let mut slot = self.place();
        while matches!(self.tape().get(slot), Some(TapeOp::Nag(_))) {
            slot += 1;
        }
        self.splice("annotate", slot..slot, vec![TapeItem::Nag(nag)])
    }

    /// Removes a NAG of the move at the cursor, every time it occurs.
    ///
    /// # Errors
    ///
    /// [`EditError::NotHere`].
    pub fn remove_nag(&mut self, nag: Nag) -> Result<(), EditError> {
        if !self.nags().contains(&nag) {
            return Err(EditError::NotHere {
                what: format!("the NAG ${}", nag.0),
            });
        }
        let rest = self.nags().into_iter().filter(|other| *other != nag);
        let rest: Vec<Nag> = rest.collect();
        self.set_nags(&rest)
    }

    /// Sets a NAG, or removes it if it is set. Of the NAGs for a move (`!`, `?`, …), and of those for a position (`=`, `+-`,
    /// …), only one is kept at a time.
    ///
    /// # Errors
    ///
    /// Only [`EditError::Full`].
    pub fn toggle_nag(&mut self, nag: Nag) -> Result<(), EditError> {
        let group = |nag: Nag| match nag.0 {
            1..=9 => 1,
            10..=21 => 2,
            _ => 0,
        };
        let mut nags = self.nags();
        if nags.contains(&nag) {
            nags.retain(|other| *other != nag);
        } else {
            let own = group(nag);
            match nags.iter_mut().find(|old| own > 0 && group(**old) == own) {
                Some(old) => *old = nag,
                None => nags.push(nag),
            }
        }
        self.set_nags(&nags)
    }

    /// Replaces the NAGs of the move at the cursor.
    ///
    /// # Errors
    ///
    /// Only [`EditError::Full`].
    pub fn set_nags(&mut self, nags: &[Nag]) -> Result<(), EditError> {
        let old = self.nag_indices();
        if old.iter().map(|(_, nag)| nag).eq(nags) {
            return Ok(());
        }
        let place = self.place();
        let mut pieces = PatchList::default();
        pieces.keep(0..place);
        pieces.put_all(nags.iter().map(|nag| TapeItem::Nag(*nag)));
        let mut done = place;
        for (index, _) in old {
            pieces.keep(done..index);
            done = index + 1;
        }
        pieces.keep(done..self.tape().len());
        self.commit_pieces("annotate", pieces, place.checked_sub(1))
    }

    fn commands_here(&self) -> Vec<CommentCommand> {
        let region = self.region(CommentSide::After).unwrap_or(0..0);
        let indices = self.comment_indices(region);
        indices
            .into_iter()
            .flat_map(|i| commands(self.text_at(i)))
            .collect()
    }

    /// Replaces the commands of the same kind after the move at the cursor.
    fn set_commands(
        &mut self,
        wish: &str,
        new: &[CommentCommand],
        is: impl Fn(&CommentCommand) -> bool,
    ) -> Result<(), EditError> {
        let region = self.region(CommentSide::After)?;
        let mut texts = self.texts_of(&region);
        // They stay in the comment that has them now.
        let home = texts
            .iter()
            .position(|(_, text)| commands(text).any(|command| is(&command)))
            .unwrap_or(0);
        for (number, (_, text)) in texts.iter_mut().enumerate() {
            if number != home {
                *text = comment_text::with_commands(text, &[], &is);
            } else {
                *text = comment_text::with_commands(text, new, &is);
            }
        }
        let is_new = texts.is_empty();
        self.put_comments(wish, CommentSide::After, region, texts, |first| {
            if is_new {
                *first = comment_text::with_commands("", new, &is);
            }
        })
    }

    /// A time after the move at the cursor.
    pub fn clock(&self, kind: ClockKind) -> Option<ClockTime> {
        self.commands_here()
            .into_iter()
            .find_map(|command| match command {
                CommentCommand::Clock(own, time) if own == kind => Some(time),
                _ => None,
            })
    }

    /// Sets or removes a time after the move at the cursor.
    ///
    /// # Errors
    ///
    /// Only [`EditError::Full`].
    pub fn set_clock(&mut self, kind: ClockKind, time: Option<ClockTime>) -> Result<(), EditError> {
        let new: Vec<CommentCommand> = time
            .into_iter()
            .map(|time| CommentCommand::Clock(kind, time))
            .collect();
        self.set_commands(
            "clock",
            &new,
            |command| matches!(command, CommentCommand::Clock(own, _) if *own == kind),
        )
    }

    /// The evaluation after the move at the cursor, seen from White, with its depth.
    pub fn evaluation(&self) -> Option<(Evaluation, Option<u32>)> {
        self.commands_here()
            .into_iter()
            .find_map(|command| match command {
                CommentCommand::Eval(score, depth) => Some((score, depth)),
                _ => None,
            })
    }

    /// Sets or removes the evaluation after the move at the cursor.
    ///
    /// # Errors
    ///
    /// Only [`EditError::Full`].
    pub fn set_evaluation(
        &mut self,
        evaluation: Option<(Evaluation, Option<u32>)>,
    ) -> Result<(), EditError> {
        let new: Vec<CommentCommand> = evaluation
            .into_iter()
            .map(|(score, depth)| CommentCommand::Eval(score, depth))
            .collect();
        self.set_commands("evaluation", &new, |command| {
            matches!(command, CommentCommand::Eval(..))
        })
    }

    /// The arrows and coloured squares of the position at the cursor.
    pub fn marks(&self) -> Vec<BoardMark> {
        let all = self.commands_here();
        all.iter().flat_map(CommentCommand::marks).collect()
    }

    /// Replaces the arrows and coloured squares of the position at the cursor. They are written as by Lichess and
    /// ChessBase; as by Scid if such marks are already there, or if a form needs it.
    ///
    /// # Errors
    ///
    /// Only [`EditError::Full`].
    pub fn set_marks(&mut self, marks: &[BoardMark]) -> Result<(), EditError> {
        if self.marks() == marks {
            return Ok(());
        }
        let is_mark = |command: &CommentCommand| {
            matches!(
                command,
                CommentCommand::Squares(_) | CommentCommand::Arrows(_) | CommentCommand::Draw(_)
            )
        };
        let old = self.commands_here();
        let scid = old.iter().any(is_mark)
            && old
                .iter()
                .filter(|command| is_mark(command))
                .all(|command| matches!(command, CommentCommand::Draw(_)));
        let needs_scid = |mark: &BoardMark| {
            scid || matches!(mark, BoardMark::Square { shape, .. } if *shape != MarkShape::Full)
        };
        let plain: Vec<BoardMark> = marks.iter().filter(|m| !needs_scid(m)).cloned().collect();
        let (mut new, _) = marks_to_lichess(&plain);
        let drawn = marks.iter().filter(|mark| needs_scid(mark)).cloned();
        new.extend(drawn.map(CommentCommand::Draw));
        self.set_commands("mark", &new, is_mark)
    }

    /// Draws a mark, or removes it if it has the same colour; if it has another colour, the colour changes.
    ///
    /// # Errors
    ///
    /// Only [`EditError::Full`].
    pub fn toggle_mark(&mut self, mark: BoardMark) -> Result<(), EditError> {
        let mut marks = self.marks();
        let same_place = |other: &BoardMark| match (&mark, other) {
            (
                BoardMark::Arrow { from, to, .. },
                BoardMark::Arrow {
                    from: other_from,
                    to: other_to,
                    ..
                },
            ) => from == other_from && to == other_to,
            (BoardMark::Square { square, .. }, BoardMark::Square { square: other, .. }) => {
                square == other
            }
            _ => false,
        };
        if marks.contains(&mark) {
            marks.retain(|other| *other != mark);
        } else if let Some(at) = marks.iter().position(same_place) {
            if let Some(old) = marks.get_mut(at) {
                *old = mark;
            }
        } else {
            marks.push(mark);
        }
        self.set_marks(&marks)
    }
}

/// The end of everything that follows a place before the next move, variation or end.
fn region_end(tape: &crate::tape::Tape, place: usize) -> usize {
    let mut end = place;
    while matches!(
        tape.get(end),
        Some(
            TapeOp::Nag(_)
                | TapeOp::Comment(_)
                | TapeOp::Raw(_)
                | TapeOp::Ext(_)
                | TapeOp::Outcome(_)
        )
    ) {
        end += 1;
    }
    end
}
