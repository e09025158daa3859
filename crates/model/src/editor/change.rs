//! Changes of games as values: their effect, and how to undo them.
//!
//! A [`GamePatch`] describes how the new game is built: runs of the old tape that are kept, in any order, and new
//! operations between them; the same for tags. Applying one returns the patch that undoes it. So every edit, however
//! large, has one form, is undone by the same code, and can be saved.

use std::ops::Range;

use crate::board::Move;
use crate::game::{Game, StartingPosition, Variant};
use crate::nag::Nag;
use crate::outcome::Outcome;
use crate::tags::Tags;
use crate::tape::{Tape, TapeExtension, TapeOp};
use crate::text::OwnedText;

use super::EditError;

/// An owned operation of a tape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TapeItem {
    /// A move.
    Move(Move),
    /// A NAG.
    Nag(Nag),
    /// A comment.
    Comment(OwnedText),
    /// Unreadable movetext.
    Raw(OwnedText),
    /// Data specific to one format.
    Ext(TapeExtension),
    /// The start of a variation.
    Begin,
    /// The end of a variation.
    End,
    /// A result within the movetext.
    Outcome(Outcome),
}

impl TapeItem {
    /// A comment in UTF-8.
    pub fn comment(text: &str) -> TapeItem {
        TapeItem::Comment(text.into())
    }

    /// A copy of an operation of a tape.
    pub fn of(tape: &Tape, op: TapeOp) -> TapeItem {
        match op {
            TapeOp::Move(m) => TapeItem::Move(m),
            TapeOp::Nag(nag) => TapeItem::Nag(nag),
            TapeOp::Comment(id) => TapeItem::Comment(tape.texts().owned(id)),
            TapeOp::Raw(id) => TapeItem::Raw(tape.texts().owned(id)),
            TapeOp::Ext(index) => {
                TapeItem::Ext(tape.extensions().get(index as usize).cloned().unwrap_or(
                    TapeExtension {
                        name: String::new(),
                        data: Vec::new(),
                    },
                ))
            }
            TapeOp::Begin(_) => TapeItem::Begin,
            TapeOp::End => TapeItem::End,
            TapeOp::Outcome(outcome) => TapeItem::Outcome(outcome),
        }
    }

    /// Adds it to a tape; false for the end of a variation that never began.
    fn push(&self, tape: &mut Tape) -> bool {
        match self {
            TapeItem::Move(m) => tape.push_move(*m),
            TapeItem::Nag(nag) => tape.push_nag(*nag),
            TapeItem::Comment(text) => {
                tape.push_comment_owned(text);
            }
            TapeItem::Raw(text) => {
                tape.push_raw_owned(text);
            }
            TapeItem::Ext(extension) => tape.push_extension(&extension.name, &extension.data),
            TapeItem::Begin => tape.begin_variation(),
            TapeItem::End => return tape.end_variation(),
            TapeItem::Outcome(outcome) => tape.push_outcome(*outcome),
        }
        true
    }
}

/// A part of a rebuilt list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatchPart<T> {
    /// A run of the old list.
    Keep(Range<usize>),
    /// New entries.
    New(Vec<T>),
}

/// A list rebuilt from an old one. No part of the old one is in it twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatchList<T>(Vec<PatchPart<T>>);

impl<T> Default for PatchList<T> {
    fn default() -> PatchList<T> {
        PatchList(Vec::new())
    }
}

impl<T> PatchList<T> {
    /// The pieces in order.
    pub fn iter(&self) -> impl Iterator<Item = &PatchPart<T>> {
        self.0.iter()
    }

    /// Adds a run of the old list; it extends the last run if it follows it.
    pub fn keep(&mut self, run: Range<usize>) {
        if run.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(PatchPart::Keep(last)) if last.end == run.start => last.end = run.end,
            _ => self.0.push(PatchPart::Keep(run)),
        }
    }

    /// Adds a new entry.
    pub fn put(&mut self, item: T) {
        match self.0.last_mut() {
            Some(PatchPart::New(items)) => items.push(item),
            _ => self.0.push(PatchPart::New(vec![item])),
        }
    }

    /// Adds several new entries.
    pub fn put_all(&mut self, items: impl IntoIterator<Item = T>) {
        for item in items {
            self.put(item);
        }
    }

    /// Adds the pieces of another list of the same old one.
    pub fn append(&mut self, other: PatchList<T>) {
        for piece in other.0 {
            match piece {
                PatchPart::Keep(run) => self.keep(run),
                PatchPart::New(items) => self.put_all(items),
            }
        }
    }

    /// The length of the rebuilt list.
    pub fn len(&self) -> usize {
        self.0
            .iter()
            .map(|piece| match piece {
                PatchPart::Keep(run) => run.len(),
                PatchPart::New(items) => items.len(),
            })
            .sum()
    }

    /// Whether the rebuilt list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of an entry of the old list in the new one.
    pub fn find(&self, old: usize) -> Option<usize> {
        let mut at = 0;
        for piece in &self.0 {
            match piece {
                PatchPart::Keep(run) if run.contains(&old) => return Some(at + old - run.start),
                PatchPart::Keep(run) => at += run.len(),
                PatchPart::New(items) => at += items.len(),
            }
        }
        None
    }

    /// The pieces of the inverse, given the length of the old list and its entries. `None` if a range is outside the old
    /// list, or two ranges overlap.
    fn back(&self, len: usize, entry: impl Fn(usize) -> Option<T>) -> Option<PatchList<T>> {
        let mut runs = Vec::new();
        let mut at = 0_usize;
        for piece in &self.0 {
            match piece {
                PatchPart::Keep(run) => {
                    if run.start >= run.end || run.end > len {
                        return None;
                    }
                    runs.push((run.clone(), at));
                    at = at.checked_add(run.len())?;
                }
                PatchPart::New(items) => at = at.checked_add(items.len())?,
            }
        }
        runs.sort_by_key(|(run, _)| run.start);
        let mut back = PatchList::default();
        let mut done = 0;
        for (run, to) in runs {
            if run.start < done {
                return None;
            }
            for old in done..run.start {
                back.put(entry(old)?);
            }
            back.keep(to..to + run.len());
            done = run.end;
        }
        for old in done..len {
            back.put(entry(old)?);
        }
        Some(back)
    }
}

/// The name and the value of a new tag.
pub type NewTag = (OwnedText, OwnedText);

/// A change of a game. Unnamed parts stay unchanged.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct GamePatch {
    /// The tape, built from the old one.
    pub tape: Option<PatchList<TapeItem>>,
    /// The tags, built from the old ones.
    pub tags: Option<PatchList<NewTag>>,
    /// The new starting position and variant.
    pub start: Option<(StartingPosition, Variant)>,
    /// The new result at the end of the movetext.
    pub outcome: Option<Option<Outcome>>,
}

impl GamePatch {
    /// A patch of the tape alone.
    pub fn of_tape(tape: PatchList<TapeItem>) -> GamePatch {
        GamePatch {
            tape: Some(tape),
            ..GamePatch::default()
        }
    }

    /// Changes a game and returns the patch that undoes it. If the patch does not belong to this game, nothing changes.
    ///
    /// # Errors
    ///
    /// [`EditError::NotOfThisGame`] and [`EditError::Full`].
    pub fn apply(&self, game: &mut Game) -> Result<GamePatch, EditError> {
        let undo = self.undo(game).ok_or(EditError::NotOfThisGame)?;
        self.apply_for_good(game)?;
        Ok(undo)
    }

    /// The inverse of the patch for a game to which it has not been applied yet; `None` if it does not belong to this game.
    fn undo(&self, game: &Game) -> Option<GamePatch> {
        let (tape, tags) = (&game.tape, &game.tags);
        let op = |index| tape.get(index).map(|op| TapeItem::of(tape, op));
        let mut undo = GamePatch::default();
        if let Some(pieces) = &self.tape {
            undo.tape = Some(pieces.back(tape.len(), op)?);
        }
        if let Some(pieces) = &self.tags {
            undo.tags = Some(pieces.back(tags.len(), |index| tags.owned(index))?);
        }
        if self.start.is_some() {
            undo.start = Some((game.start.clone(), game.variant));
        }
        undo.outcome = self.outcome.map(|_| game.outcome);
        Some(undo)
    }

    /// Changes the game that the patch was made for, without a way to undo it.
    ///
    /// # Errors
    ///
    /// [`EditError::NotOfThisGame`] and [`EditError::Full`].
    pub fn apply_for_good(&self, game: &mut Game) -> Result<(), EditError> {
        let tape = self.tape.as_ref();
        let tape = tape.map(|pieces| assemble_tape(&game.tape, pieces));
        let tape = tape.transpose()?;
        let tags = self.tags.as_ref();
        let tags = tags.map(|pieces| assemble_tags(&game.tags, pieces));
        // From here on, nothing fails.
        if let Some(tape) = tape {
            game.tape = tape;
        }
        if let Some(tags) = tags {
            game.tags = tags;
        }
        if let Some((start, variant)) = &self.start {
            game.start.clone_from(start);
            game.variant = *variant;
        }
        if let Some(outcome) = self.outcome {
            game.outcome = outcome;
        }
        Ok(())
    }
}

fn assemble_tape(old: &Tape, pieces: &PatchList<TapeItem>) -> Result<Tape, EditError> {
    if pieces.len() >= Tape::MAX_OPS {
        return Err(EditError::Full);
    }
    let mut tape = Tape::default();
    tape.reserve(pieces.len());
    for piece in pieces.iter() {
        match piece {
            PatchPart::Keep(run) => {
                for op in run.clone().filter_map(|index| old.get(index)) {
                    if op == TapeOp::End && tape.depth() == 0 {
                        return Err(EditError::NotOfThisGame);
                    }
                    tape.push_from(old, op);
                }
            }
            PatchPart::New(items) => {
                for item in items {
                    if !item.push(&mut tape) {
                        return Err(EditError::NotOfThisGame);
                    }
                }
            }
        }
    }
    if tape.texts().is_full() {
        return Err(EditError::Full);
    }
    if !tape.is_well_formed() {
        return Err(EditError::NotOfThisGame);
    }
    Ok(tape)
}

fn assemble_tags(old: &Tags, pieces: &PatchList<NewTag>) -> Tags {
    let mut tags = Tags::default();
    for piece in pieces.iter() {
        match piece {
            PatchPart::Keep(run) => run.clone().for_each(|index| tags.push_from(old, index)),
            PatchPart::New(new) => new
                .iter()
                .for_each(|(name, value)| tags.push_owned(name, value)),
        }
    }
    tags
}

/// One edit of a user: its effect and how to undo it, with the cursor before and after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditorChange {
    /// The name of the edit, in a word or two for a menu: `play`, `promote`, …
    pub wish: String,
    /// Its effect, as patches in order.
    pub does: Vec<GamePatch>,
    /// The patches that undo it, in the order of application.
    pub undoes: Vec<GamePatch>,
    /// The cursor before.
    pub before: usize,
    /// The cursor afterwards.
    pub after: usize,
}

impl EditorChange {
    /// The change that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> EditorChange {
        EditorChange {
            wish: self.wish.clone(),
            does: self.undoes.clone(),
            undoes: self.does.clone(),
            before: self.after,
            after: self.before,
        }
    }

    /// Changes a game: all of it or nothing.
    ///
    /// # Errors
    ///
    /// Those of [`GamePatch::apply`].
    pub fn apply(&self, game: &mut Game) -> Result<(), EditError> {
        apply_all(&self.does, game).map(|_| ())
    }
}

/// Applies patches one after the other, all or none, and returns their inverses in the same order.
pub(super) fn apply_all(
    patches: &[GamePatch],
    game: &mut Game,
) -> Result<Vec<GamePatch>, EditError> {
    let mut undoes = Vec::with_capacity(patches.len());
    for patch in patches {
        match patch.apply(game) {
            Ok(undo) => undoes.push(undo),
            Err(error) => {
                for undo in undoes.iter().rev() {
                    // It undoes what has just been done.
                    let undone = undo.apply(game);
                    debug_assert!(undone.is_ok());
                }
                return Err(error);
            }
        }
    }
    undoes.reverse();
    Ok(undoes)
}
