//! The tree in a tape: lines, the continuations at a place, and the annotations around a move.
//!
//! A place is the number of operations before it: 0 is the start of the game, every other place is directly after a
//! move, or after the start of a variation that has no move. Variations that replace the first move of a variation are
//! alternatives at the same position as that variation, and are listed after it.

use std::ops::Range;

use crate::board::{Board, Move};
use crate::tape::{Replay, Tape, TapeOp};

use super::EditError;

/// A continuation at a place.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TreeBranch {
    /// The place after it.
    pub place: usize,
    /// The move; none for a variation without moves.
    pub m: Option<Move>,
    /// The start of the variation that it begins; `None` if the line continues.
    pub begin: Option<usize>,
}

/// The parts around a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MoveContext {
    /// The move.
    pub(super) at: usize,
    /// The end of what belongs directly to the move: the NAGs, comments and extensions that follow it before anything else.
    pub(super) notes_end: usize,
    /// The variations that replace it, each with its start and its end.
    pub(super) variations: Vec<Range<usize>>,
    /// The start of the rest of the line: after the last variation, or else where the notes end.
    pub(super) rest: usize,
    /// The next move of the line, or its end.
    pub(super) next: usize,
}

/// The next move of a line at or after an index, or the line's end.
pub(super) fn next_move(tape: &Tape, mut at: usize) -> usize {
    loop {
        match tape.get(at) {
            None => return tape.len(),
            Some(TapeOp::Move(_) | TapeOp::End) => return at,
            Some(TapeOp::Begin(_)) => at = tape.skip(at),
            Some(_) => at += 1,
        }
    }
}

/// Whether there is a move at an index.
pub(super) fn is_move(tape: &Tape, at: usize) -> bool {
    matches!(tape.get(at), Some(TapeOp::Move(_)))
}

/// The end of the line that contains an index: the index of its `End`, or the tape's length.
pub(super) fn line_end(tape: &Tape, mut at: usize) -> usize {
    loop {
        match tape.get(at) {
            None => return tape.len(),
            Some(TapeOp::End) => return at,
            Some(TapeOp::Begin(_)) => at = tape.skip(at),
            Some(_) => at += 1,
        }
    }
}

/// The parts around the move at an index.
pub(super) fn around(tape: &Tape, at: usize) -> MoveContext {
    let mut notes_end = at + 1;
    while matches!(
        tape.get(notes_end),
        Some(TapeOp::Nag(_) | TapeOp::Comment(_) | TapeOp::Ext(_))
    ) {
        notes_end += 1;
    }
    let mut variations = Vec::new();
    let mut i = notes_end;
    let next = loop {
        match tape.get(i) {
            None => break tape.len(),
            Some(TapeOp::Move(_) | TapeOp::End) => break i,
            Some(TapeOp::Begin(_)) => {
                let end = tape.skip(i);
                variations.push(i..end);
                i = end;
            }
            Some(_) => i += 1,
        }
    };
    let rest = variations.last().map_or(notes_end, |last| last.end);
    MoveContext {
        at,
        notes_end,
        variations,
        rest,
        next,
    }
}

/// The continuations from the place, that of the line first.
pub(super) fn branches(tape: &Tape, place: usize) -> Vec<TreeBranch> {
    let first = next_move(tape, place);
    let Some(TapeOp::Move(m)) = tape.get(first) else {
        return Vec::new();
    };
    let mut list = vec![TreeBranch {
        place: first + 1,
        m: Some(m),
        begin: None,
    }];
    let mut open: Vec<usize> = Vec::new();
    let push_variations = |at: usize, open: &mut Vec<usize>| {
        let variations = around(tape, at).variations;
        open.extend(variations.iter().rev().map(|range| range.start));
    };
    push_variations(first, &mut open);
    while let Some(begin) = open.pop() {
        let at = next_move(tape, begin + 1);
        match tape.get(at) {
            Some(TapeOp::Move(m)) => {
                list.push(TreeBranch {
                    place: at + 1,
                    m: Some(m),
                    begin: Some(begin),
                });
                push_variations(at, &mut open);
            }
            _ => list.push(TreeBranch {
                place: begin + 1,
                m: None,
                begin: Some(begin),
            }),
        }
    }
    list
}

/// A variation around a place.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct VariationFrame {
    /// Its start.
    pub(super) begin: usize,
    /// The move that it replaces.
    pub(super) replaces: usize,
}

/// The state at a place.
#[derive(Clone, Debug)]
pub(super) struct TreePosition {
    /// The place.
    pub(super) place: usize,
    /// The position there.
    pub(super) board: Board,
    /// Plies since the start of the game.
    pub(super) ply: u32,
    /// The place one move earlier.
    pub(super) parent: Option<usize>,
    /// The variations around it, the outermost first.
    pub(super) frames: Vec<VariationFrame>,
}

impl TreePosition {
    /// Goes to a place of a tape.
    pub(super) fn at(start: &Board, tape: &Tape, place: usize) -> Result<TreePosition, EditError> {
        let no_such_place = || EditError::NoSuchPlace {
            place: place.to_string(),
        };
        let mut replay = Replay::new(start);
        let mut frames = Vec::new();
        // The places of the last two moves of the current line.
        let (mut here, mut before) = (0, None);
        let mut i = 0;
        while i < place {
            match tape.get(i).ok_or_else(no_such_place)? {
                TapeOp::Move(m) => {
                    before = Some(here);
                    here = i + 1;
                    replay.play(m);
                }
                TapeOp::Begin(_) => {
                    let end = tape.skip(i);
                    if end <= place {
                        i = end;
                        continue;
                    }
                    frames.push(VariationFrame {
                        begin: i,
                        replaces: here.saturating_sub(1),
                    });
                    replay.begin();
                    here = before.unwrap_or(0);
                }
                // The place is within the entered line, so its end is never reached.
                TapeOp::End => return Err(no_such_place()),
                TapeOp::Nag(_)
                | TapeOp::Comment(_)
                | TapeOp::Raw(_)
                | TapeOp::Ext(_)
                | TapeOp::Outcome(_) => {}
            }
            i += 1;
        }
        let parent = match place.checked_sub(1).map(|last| tape.get(last)) {
            None => None,
            Some(Some(TapeOp::Move(_))) => before,
            Some(Some(TapeOp::Begin(_))) if !is_move(tape, next_move(tape, place)) => Some(here),
            Some(_) => return Err(no_such_place()),
        };
        Ok(TreePosition {
            place,
            board: replay.now().clone(),
            ply: replay.ply(),
            parent,
            frames,
        })
    }

    /// The index of the move before the place, if there is one.
    pub(super) fn move_index(&self, tape: &Tape) -> Option<usize> {
        let at = self.place.checked_sub(1)?;
        is_move(tape, at).then_some(at)
    }
}

/// The slot for a new variation of the move at an index: after its existing ones.
pub(super) fn variation_slot(tape: &Tape, at: usize) -> usize {
    around(tape, at).rest
}

/// The slot for a new move at the end of a line, after its last move or its start: before unreadable movetext and results at
/// the end, which would otherwise swallow the move when the game is written and read again.
pub(super) fn append_slot(tape: &Tape, place: usize) -> usize {
    let mut slot = line_end(tape, place);
    while slot > place
        && matches!(
            tape.get(slot - 1),
            Some(TapeOp::Raw(_) | TapeOp::Outcome(_))
        )
    {
        slot -= 1;
    }
    slot
}
