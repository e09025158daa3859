//! Lines: promoted, demoted, deleted, and everything before or after the cursor deleted.

use crate::board::Board;
use crate::game::StartingPosition;
use crate::tape::TapeOp;

use super::change::{GamePatch, PatchList, TapeItem};
use super::tree::{self, MoveContext};
use super::{EditError, GameEditor, header};

impl GameEditor {
    /// Moves the line around the cursor one place up among the continuations at its branch: the first variation trades
    /// places with its main line.
    ///
    /// # Errors
    ///
    /// [`EditError::NotInVariation`].
    pub fn promote(&mut self) -> Result<(), EditError> {
        let (around, number) = self.branching()?;
        self.arrange_variation("promote", &around, number, number - 1)
    }

    /// Moves the line around the cursor to the first place among the continuations at its branch.
    ///
    /// # Errors
    ///
    /// [`EditError::NotInVariation`].
    pub fn promote_to_main(&mut self) -> Result<(), EditError> {
        let (around, number) = self.branching()?;
        let begin = around.variations.get(number - 1).map(|range| range.start);
        // A variation of the first move of a variation is moved all the way to the front.
        let nested = self.stand.frames.iter().rev().nth(1).is_some_and(|outer| {
            tree::next_move(self.tape(), outer.begin + 1) == around.at && begin.is_some()
        });
        if !nested {
            return self.arrange_variation("promote to main", &around, number, 0);
        }
        self.together("promote to main", |editor| {
            editor.arrange_variation("promote to main", &around, number, 0)?;
            editor.promote_to_main()
        })
    }

    /// Makes the line around the cursor a part of the main line of the game: one step, however deeply it is nested.
    ///
    /// # Errors
    ///
    /// [`EditError::NotInVariation`].
    pub fn promote_fully(&mut self) -> Result<(), EditError> {
        if self.depth() == 0 {
            return Err(EditError::NotInVariation);
        }
        self.together("make main line", |editor| {
            while editor.depth() > 0 {
                editor.promote_to_main()?;
            }
            Ok(())
        })
    }

    /// Moves the line at the cursor one place down: a main line trades places with its first variation, a variation
    /// with the next one.
    ///
    /// # Errors
    ///
    /// [`EditError::LastAlready`] if no other line follows it, [`EditError::AtStart`].
    pub fn demote(&mut self) -> Result<(), EditError> {
        let at = self
            .stand
            .move_index(self.tape())
            .ok_or(EditError::AtStart)?;
        let own = tree::around(self.tape(), at);
        if !own.variations.is_empty() {
            return self.arrange_variation("demote", &own, 1, 0);
        }
        let (around, number) = self.branching().map_err(|_| EditError::LastAlready)?;
        if number >= around.variations.len() {
            return Err(EditError::LastAlready);
        }
        self.arrange_variation("demote", &around, number + 1, number)
    }

    /// The move that the variation around the cursor replaces, and the number of that variation, from 1.
    fn branching(&self) -> Result<(MoveContext, usize), EditError> {
        let frame = self.stand.frames.last().ok_or(EditError::NotInVariation)?;
        let around = tree::around(self.tape(), frame.replaces);
        let number = around
            .variations
            .iter()
            .position(|range| range.start == frame.begin)
            .ok_or(EditError::NotInVariation)?;
        Ok((around, number + 1))
    }

    /// Moves a variation to a lower number; 0 is the line that it replaces.
    fn arrange_variation(
        &mut self,
        wish: &str,
        around: &MoveContext,
        from: usize,
        to: usize,
    ) -> Result<(), EditError> {
        let last = self.stand.place.checked_sub(1);
        let pieces = match to.checked_sub(1) {
            Some(to) => self.shift_variation(around, from - 1, to),
            None => self.raise_variation(around, from - 1)?,
        };
        self.commit_pieces(wish, pieces, last)
    }

    /// Moves a variation before another one, together with everything up to the next variation.
    fn shift_variation(&self, around: &MoveContext, from: usize, to: usize) -> PatchList<TapeItem> {
        let tape = self.tape();
        let mut pieces = PatchList::default();
        let (Some(moved), Some(before)) = (around.variations.get(from), around.variations.get(to))
        else {
            return pieces;
        };
        pieces.keep(0..before.start);
        pieces.keep(moved.clone());
        pieces.keep(before.start..moved.start);
        pieces.keep(moved.end..tape.len());
        pieces
    }

    /// Swaps a variation with the line that it replaces; the variations between them keep their order, after that line.
    fn raise_variation(
        &self,
        around: &MoveContext,
        number: usize,
    ) -> Result<PatchList<TapeItem>, EditError> {
        let tape = self.tape();
        let variation = around
            .variations
            .get(number)
            .cloned()
            .ok_or(EditError::NotInVariation)?;
        let first = tree::next_move(tape, variation.start + 1);
        if !tree::is_move(tape, first) {
            return Err(EditError::NothingToReplace);
        }
        let inner = tree::around(tape, first);
        let end = tree::line_end(tape, around.at);
        let inner_end = variation.end - 1;
        let mut pieces = PatchList::default();
        pieces.keep(0..around.at);
        // The contents before and at the first move of the variation.
        pieces.keep(variation.start + 1..inner.notes_end);
        // The line that it replaces becomes a variation.
        pieces.keep(variation.start..variation.start + 1);
        pieces.keep(around.at..around.notes_end);
        pieces.keep(around.rest..end);
        pieces.keep(inner_end..variation.end);
        // The variations before it, its own alternatives in its place, and the variations after it.
        pieces.keep(around.notes_end..variation.start);
        pieces.keep(inner.notes_end..inner.rest);
        pieces.keep(variation.end..around.rest);
        pieces.keep(inner.rest..inner_end);
        pieces.keep(end..tape.len());
        Ok(pieces)
    }

    /// Deletes the variation around the cursor with everything in it; the cursor goes to its branch.
    ///
    /// # Errors
    ///
    /// [`EditError::NotInVariation`].
    pub fn delete_line(&mut self) -> Result<(), EditError> {
        let (around, number) = self.branching()?;
        let Some(variation) = around.variations.get(number - 1).cloned() else {
            return Err(EditError::NotInVariation);
        };
        let before = self.place();
        self.leave()?;
        let after = self.place();
        let mut pieces = PatchList::default();
        pieces.keep(0..variation.start);
        pieces.keep(variation.end..self.tape().len());
        self.go_to(before)?;
        self.commit("delete line", GamePatch::of_tape(pieces), after)
    }

    /// Deletes the move at the cursor with the line after it; its alternatives stay, and the first of them takes its place.
    /// The cursor goes one move back.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`].
    pub fn remove(&mut self) -> Result<(), EditError> {
        let at = self
            .stand
            .move_index(self.tape())
            .ok_or(EditError::AtStart)?;
        let after = self.stand.parent.unwrap_or(0);
        let tape = self.tape();
        let around = tree::around(tape, at);
        let end = tree::line_end(tape, at);
        let frame = self.stand.frames.last();
        let starts = frame.filter(|frame| tree::next_move(tape, frame.begin + 1) == at);
        let mut pieces = PatchList::default();
        if let Some(frame) = starts {
            // The variation is removed; alternatives to its first move become variations of the move that it replaced.
            pieces.keep(0..frame.begin);
            pieces.keep(around.notes_end..around.rest);
            pieces.keep(end + 1..tape.len());
        } else {
            // An alternative without moves cannot take the place.
            let takes = around
                .variations
                .iter()
                .position(|range| tree::is_move(tape, tree::next_move(tape, range.start + 1)));
            match takes {
                Some(number) => {
                    let variation = around.variations.get(number).cloned().unwrap_or(0..0);
                    let inner = tree::around(tape, tree::next_move(tape, variation.start + 1));
                    let inner_end = variation.end - 1;
                    pieces.keep(0..at);
                    pieces.keep(variation.start + 1..inner.notes_end);
                    pieces.keep(inner.notes_end..inner.rest);
                    pieces.keep(around.notes_end..variation.start);
                    pieces.keep(variation.end..around.rest);
                    pieces.keep(inner.rest..inner_end);
                    pieces.keep(end..tape.len());
                }
                None => {
                    pieces.keep(0..at);
                    pieces.keep(end..tape.len());
                }
            }
        }
        self.commit("delete move", GamePatch::of_tape(pieces), after)
    }

    /// Deletes everything after the cursor, alternatives included. The annotations of the move at the cursor stay.
    ///
    /// # Errors
    ///
    /// [`EditError::NothingBehind`].
    pub fn delete_after(&mut self) -> Result<(), EditError> {
        let tape = self.tape();
        let place = self.place();
        if !tree::is_move(tape, tree::next_move(tape, place)) {
            return Err(EditError::NothingBehind);
        }
        let from = match self.stand.move_index(tape) {
            Some(at) => tree::around(tape, at).rest,
            None => {
                let mut i = place;
                while matches!(
                    tape.get(i),
                    Some(TapeOp::Nag(_) | TapeOp::Comment(_) | TapeOp::Ext(_))
                ) {
                    i += 1;
                }
                i
            }
        };
        let end = tree::line_end(tape, place);
        let mut pieces = PatchList::default();
        pieces.keep(0..from);
        pieces.keep(end..tape.len());
        self.commit("delete after", GamePatch::of_tape(pieces), place)
    }

    /// Deletes everything that leads to the cursor and all other lines: the game starts at the position of the cursor.
    /// Comments before the first move of the game, and those at the cursor, stay.
    ///
    /// # Errors
    ///
    /// [`EditError::NothingBefore`].
    pub fn delete_before(&mut self) -> Result<(), EditError> {
        let tape = self.tape();
        let at = self
            .stand
            .move_index(tape)
            .ok_or(EditError::NothingBefore)?;
        let around = tree::around(tape, at);
        let mut pieces = PatchList::default();
        pieces.keep(0..tree::next_move(tape, 0));
        for i in at + 1..around.notes_end {
            // A NAG judges a move that no longer exists.
            if !matches!(tape.get(i), Some(TapeOp::Nag(_))) {
                pieces.keep(i..i + 1);
            }
        }
        pieces.keep(around.rest..tree::line_end(tape, at));
        let board = self.board().clone();
        let variant = header::variant_of(&self.game, &board);
        let mut patch = header::start_patch(&self.game, &start_of(&board), variant);
        patch.tape = Some(pieces);
        self.commit("delete before", patch, 0)
    }
}

/// A board as the starting position of a game.
fn start_of(board: &Board) -> StartingPosition {
    match Board::from_fen(&board.to_fen()) {
        Ok((board, problems)) => StartingPosition::Setup(Box::new(board), problems),
        Err(_) => StartingPosition::Setup(
            Box::new(board.clone()),
            crate::board::PositionProblems::NONE,
        ),
    }
}
