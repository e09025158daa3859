//! Comments, NAGs, marks on the board, clocks and evaluations.
//!
//! Comments at one place are those between a move and its first variation, or between its last variation and the next
//! move. Where no variation stands between two moves, what is said behind the first is what is said before the second:
//! the tape, like PGN, does not tell them apart.

use std::ops::Range;

use crate::command::{
    ClockKind, ClockTime, Command, Mark, Score, Shape, commands, marks_to_lichess,
};
use crate::nag::Nag;
use crate::tape::Op;

use super::change::{Item, Pieces};
use super::{EditError, Editor, remarks, tree};

/// On which side of the move at the cursor a comment stands.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Side {
    /// Before it: before the first move of a line, or behind the variations of the move before.
    Before,
    /// Behind it, before its variations; at the start of the game, before the first move.
    #[default]
    After,
}

impl Editor {
    /// The operations among which the comments of a side stand.
    fn region(&self, side: Side) -> Result<Range<usize>, EditError> {
        let tape = self.tape();
        let place = self.place();
        let Some(at) = self.stand.move_index(tape) else {
            return match side {
                Side::After => Ok(place..tree::next_move(tape, place)),
                Side::Before => Err(EditError::AtStart),
            };
        };
        if side == Side::After {
            return Ok(place..region_end(tape, place));
        }
        let line = self.stand.frames.last().map_or(0, |frame| frame.begin + 1);
        if tree::next_move(tape, line) == at {
            return Ok(line..at);
        }
        // The move before this one in the same line is where it comes from.
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
            .filter(|&i| matches!(self.tape().get(i), Some(Op::Comment(_))))
            .collect()
    }

    fn text_at(&self, index: usize) -> &str {
        match self.tape().get(index) {
            Some(Op::Comment(id)) => self.tape().text(id),
            _ => "",
        }
    }

    /// The comments on a side of the move at the cursor, each with the index of its operation.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`] for the side before no move.
    pub fn comments(&self, side: Side) -> Result<Vec<(usize, &str)>, EditError> {
        let indices = self.comment_indices(self.region(side)?);
        Ok(indices.into_iter().map(|i| (i, self.text_at(i))).collect())
    }

    /// Puts one comment, commands and all, in the place of those on a side; an empty one removes them.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`] for the side before no move.
    pub fn set_comment(&mut self, side: Side, comment: &str) -> Result<(), EditError> {
        let region = self.region(side)?;
        let mut texts = self.texts_of(&region);
        for (_, text) in &mut texts {
            text.clear();
        }
        self.put_comments("comment", side, region, texts, |first| {
            first.push_str(comment);
        })
    }

    /// Gives the comments on a side another text; their commands (clocks, evaluations, marks and whatever else) stay.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`] for the side before no move.
    pub fn set_text(&mut self, side: Side, text: &str) -> Result<(), EditError> {
        let region = self.region(side)?;
        let mut texts = self.texts_of(&region);
        for (_, comment) in texts.iter_mut().skip(1) {
            *comment = remarks::with_text(comment, "");
        }
        self.put_comments("comment", side, region, texts, |first| {
            *first = remarks::with_text(first, text);
        })
    }

    /// Adds a comment behind those on a side.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`] for the side before no move.
    pub fn add_comment(&mut self, side: Side, comment: &str) -> Result<(), EditError> {
        let region = self.region(side)?;
        let slot = match self.comment_indices(region.clone()).last() {
            Some(last) => last + 1,
            None => self.comment_slot(side, &region),
        };
        self.splice("comment", slot..slot, vec![Item::comment(comment)])
    }

    /// Changes the comment of one operation; an empty text removes it.
    ///
    /// # Errors
    ///
    /// [`EditError::NotHere`] where no comment stands there.
    pub fn set_comment_at(&mut self, index: usize, comment: &str) -> Result<(), EditError> {
        if !matches!(self.tape().get(index), Some(Op::Comment(_))) {
            return Err(EditError::NotHere {
                what: "the comment".to_owned(),
            });
        }
        let new = if comment.is_empty() {
            Vec::new()
        } else {
            vec![Item::comment(comment)]
        };
        self.splice("comment", index..index + 1, new)
    }

    /// Where the first comment of a side goes.
    fn comment_slot(&self, side: Side, region: &Range<usize>) -> usize {
        match side {
            Side::Before => region.end,
            Side::After => {
                let mut slot = region.start;
                while slot < region.end && matches!(self.tape().get(slot), Some(Op::Nag(_))) {
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

    /// Puts new texts in the place of the comments of a region: what became empty goes, what is the same stays with where
    /// it came from. `edit` changes the first of them, or makes one.
    fn put_comments(
        &mut self,
        wish: &str,
        side: Side,
        region: Range<usize>,
        mut texts: Vec<(usize, String)>,
        edit: impl FnOnce(&mut String),
    ) -> Result<(), EditError> {
        let tape = self.tape();
        let mut pieces = Pieces::default();
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
            return self.splice(wish, slot..slot, vec![Item::comment(&new)]);
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
                pieces.put(Item::comment(&text));
            }
            done = index + 1;
        }
        pieces.keep(done..tape.len());
        let last = self.place().checked_sub(1);
        self.commit_pieces(wish, pieces, last)
    }

    /// Puts items in the place of a run of operations.
    fn splice(&mut self, wish: &str, run: Range<usize>, items: Vec<Item>) -> Result<(), EditError> {
        let mut pieces = Pieces::default();
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
                Some(Op::Nag(nag)) => Some((i, nag)),
                _ => None,
            })
            .collect()
    }

    /// The NAGs of the move at the cursor, or of the start.
    pub fn nags(&self) -> Vec<Nag> {
        self.nag_indices().into_iter().map(|(_, nag)| nag).collect()
    }

    /// Adds a NAG behind those of the move at the cursor.
    ///
    /// # Errors
    ///
    /// [`EditError::NothingToDo`] where it stands there already.
    pub fn add_nag(&mut self, nag: Nag) -> Result<(), EditError> {
        if self.nags().contains(&nag) {
            return Err(EditError::NothingToDo);
        }
        let mut slot = self.place();
        while matches!(self.tape().get(slot), Some(Op::Nag(_))) {
            slot += 1;
        }
        self.splice("annotate", slot..slot, vec![Item::Nag(nag)])
    }

    /// Removes a NAG of the move at the cursor, each time that it stands there.
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

    /// Sets a NAG that is not there, and removes it where it is: of the judgements of a move (`!`, `?`, …), and of those of a
    /// position (`=`, `+-`, …), one at a time.
    ///
    /// # Errors
    ///
    /// None but [`EditError::Full`].
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

    /// Gives the move at the cursor these NAGs and no others.
    ///
    /// # Errors
    ///
    /// None but [`EditError::Full`].
    pub fn set_nags(&mut self, nags: &[Nag]) -> Result<(), EditError> {
        let old = self.nag_indices();
        if old.iter().map(|(_, nag)| nag).eq(nags) {
            return Ok(());
        }
        let place = self.place();
        let mut pieces = Pieces::default();
        pieces.keep(0..place);
        pieces.put_all(nags.iter().map(|nag| Item::Nag(*nag)));
        let mut done = place;
        for (index, _) in old {
            pieces.keep(done..index);
            done = index + 1;
        }
        pieces.keep(done..self.tape().len());
        self.commit_pieces("annotate", pieces, place.checked_sub(1))
    }

    fn commands_here(&self) -> Vec<Command> {
        let region = self.region(Side::After).unwrap_or(0..0);
        let indices = self.comment_indices(region);
        indices
            .into_iter()
            .flat_map(|i| commands(self.text_at(i)))
            .collect()
    }

    /// Puts commands in the place of those of their kind behind the move at the cursor.
    fn set_commands(
        &mut self,
        wish: &str,
        new: &[Command],
        is: impl Fn(&Command) -> bool,
    ) -> Result<(), EditError> {
        let region = self.region(Side::After)?;
        let mut texts = self.texts_of(&region);
        // They stay in the comment that has them now.
        let home = texts
            .iter()
            .position(|(_, text)| commands(text).any(|command| is(&command)))
            .unwrap_or(0);
        for (number, (_, text)) in texts.iter_mut().enumerate() {
            if number != home {
                *text = remarks::with_commands(text, &[], &is);
            } else {
                *text = remarks::with_commands(text, new, &is);
            }
        }
        let is_new = texts.is_empty();
        self.put_comments(wish, Side::After, region, texts, |first| {
            if is_new {
                *first = remarks::with_commands("", new, &is);
            }
        })
    }

    /// A time that stands behind the move at the cursor.
    pub fn clock(&self, kind: ClockKind) -> Option<ClockTime> {
        self.commands_here()
            .into_iter()
            .find_map(|command| match command {
                Command::Clock(own, time) if own == kind => Some(time),
                _ => None,
            })
    }

    /// Sets or removes a time behind the move at the cursor.
    ///
    /// # Errors
    ///
    /// None but [`EditError::Full`].
    pub fn set_clock(&mut self, kind: ClockKind, time: Option<ClockTime>) -> Result<(), EditError> {
        let new: Vec<Command> = time
            .into_iter()
            .map(|time| Command::Clock(kind, time))
            .collect();
        self.set_commands(
            "clock",
            &new,
            |command| matches!(command, Command::Clock(own, _) if *own == kind),
        )
    }

    /// The evaluation that stands behind the move at the cursor, seen from White, with its depth.
    pub fn evaluation(&self) -> Option<(Score, Option<u32>)> {
        self.commands_here()
            .into_iter()
            .find_map(|command| match command {
                Command::Eval(score, depth) => Some((score, depth)),
                _ => None,
            })
    }

    /// Sets or removes the evaluation behind the move at the cursor.
    ///
    /// # Errors
    ///
    /// None but [`EditError::Full`].
    pub fn set_evaluation(
        &mut self,
        evaluation: Option<(Score, Option<u32>)>,
    ) -> Result<(), EditError> {
        let new: Vec<Command> = evaluation
            .into_iter()
            .map(|(score, depth)| Command::Eval(score, depth))
            .collect();
        self.set_commands("evaluation", &new, |command| {
            matches!(command, Command::Eval(..))
        })
    }

    /// The arrows and coloured squares of the position at the cursor.
    pub fn marks(&self) -> Vec<Mark> {
        let all = self.commands_here();
        all.iter().flat_map(Command::marks).collect()
    }

    /// Gives the position at the cursor these arrows and coloured squares and no others. They are written as Lichess and
    /// ChessBase do; as Scid does where such marks stand there, or where a form needs it.
    ///
    /// # Errors
    ///
    /// None but [`EditError::Full`].
    pub fn set_marks(&mut self, marks: &[Mark]) -> Result<(), EditError> {
        if self.marks() == marks {
            return Ok(());
        }
        let is_mark = |command: &Command| {
            matches!(
                command,
                Command::Squares(_) | Command::Arrows(_) | Command::Draw(_)
            )
        };
        let old = self.commands_here();
        let scid = old.iter().any(is_mark)
            && old
                .iter()
                .filter(|command| is_mark(command))
                .all(|command| matches!(command, Command::Draw(_)));
        let needs_scid = |mark: &Mark| {
            scid || matches!(mark, Mark::Square { shape, .. } if *shape != Shape::Full)
        };
        let plain: Vec<Mark> = marks.iter().filter(|m| !needs_scid(m)).cloned().collect();
        let (mut new, _) = marks_to_lichess(&plain);
        let drawn = marks.iter().filter(|mark| needs_scid(mark)).cloned();
        new.extend(drawn.map(Command::Draw));
        self.set_commands("mark", &new, is_mark)
    }

    /// Draws a mark, or removes it where it is there in the same colour; in another colour it changes that.
    ///
    /// # Errors
    ///
    /// None but [`EditError::Full`].
    pub fn toggle_mark(&mut self, mark: Mark) -> Result<(), EditError> {
        let mut marks = self.marks();
        let same_place = |other: &Mark| match (&mark, other) {
            (
                Mark::Arrow { from, to, .. },
                Mark::Arrow {
                    from: other_from,
                    to: other_to,
                    ..
                },
            ) => from == other_from && to == other_to,
            (Mark::Square { square, .. }, Mark::Square { square: other, .. }) => square == other,
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

/// The end of what stands behind a place before the next move, variation or end.
fn region_end(tape: &crate::tape::Tape, place: usize) -> usize {
    let mut end = place;
    while matches!(
        tape.get(end),
        Some(Op::Nag(_) | Op::Comment(_) | Op::Raw(_) | Op::Ext(_) | Op::Outcome(_))
    ) {
        end += 1;
    }
    end
}
