//! The annotations of one place: which of those that were kept as bytes a comment says, and the order of them all.

use std::collections::{BTreeSet, VecDeque};

use super::comments::is_spoken;
use super::notes::Cbh2Note;
use crate::encode::walk::CbhKeptNote;

/// A note at its place, with the number of the kept item that it is.
pub(super) type Cbh2PlacedNote = (Cbh2Note, Option<usize>);

/// The kept notes of a type that comments may say, in their order.
pub(super) struct Cbh2Candidates(VecDeque<usize>);

impl Cbh2Candidates {
    /// So many of them are compared with a comment.
    const LOOKED_AT: usize = 100;

    pub(super) fn of(kept: &[CbhKeptNote<'_>], of: u8) -> Cbh2Candidates {
        let own = kept.iter().enumerate().filter(|(_, note)| note.kind == of);
        Cbh2Candidates(own.map(|(at, _)| at).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(
        &self,
        kept: &[CbhKeptNote<'_>],
        is_right: impl Fn(&CbhKeptNote<'_>) -> bool,
    ) -> Option<usize> {
        let mut first = self.0.iter().take(Cbh2Candidates::LOOKED_AT);
        first.position(|at| kept.get(*at).is_some_and(&is_right))
    }

    /// Whether one of them is the right one.
    pub(super) fn has(
        &self,
        kept: &[CbhKeptNote<'_>],
        is_right: impl Fn(&CbhKeptNote<'_>) -> bool,
    ) -> bool {
        self.place(kept, is_right).is_some()
    }

    /// Takes out the first that is the right one.
    pub(super) fn find(
        &mut self,
        kept: &[CbhKeptNote<'_>],
        is_right: impl Fn(&CbhKeptNote<'_>) -> bool,
    ) -> Option<usize> {
        let found = self.place(kept, is_right)?;
        self.0.remove(found)
    }
}

/// Notes in an order in which those that were kept come as they were; so do texts, and so do commands.
pub(super) fn in_order(placed: Vec<Cbh2PlacedNote>, silent: Vec<Cbh2PlacedNote>) -> Vec<Cbh2Note> {
    let all_kept = placed.iter().chain(&silent).filter_map(|(_, of)| *of);
    let mut kept: BTreeSet<usize> = all_kept.collect();
    let (spoken, commands): (VecDeque<_>, VecDeque<_>) = placed
        .into_iter()
        .partition(|(note, _)| is_spoken(note.kind));
    let mut queues = [spoken, commands, VecDeque::from(silent)];
    let mut all = Vec::new();
    loop {
        let can_come = |queue: &VecDeque<Cbh2PlacedNote>| {
            let front = queue.front();
            front.is_some_and(|(_, of)| of.is_none() || *of == kept.first().copied())
        };
        // Where their orders contradict each other, texts come first.
        let next = queues.iter().position(can_come);
        let next = next.or_else(|| queues.iter().position(|queue| !queue.is_empty()));
        let note = next.and_then(|at| queues.get_mut(at)?.pop_front());
        let Some((note, of)) = note else { break };
        if let Some(of) = of {
            kept.remove(&of);
        }
        all.push(note);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cbh2::annotations::kind;

    #[test]
    fn what_was_kept_stays_in_its_order() {
        let note = |of: u8, kept: Option<usize>| (Cbh2Note::new(of, Vec::new()), kept);
        let placed = vec![
            note(kind::TEXT_AFTER, None),
            note(kind::QUOTATION, Some(2)),
            note(kind::SQUARES, Some(1)),
            note(kind::MEDALS, None),
        ];
        let silent = vec![
            note(kind::UNKNOWN_27, Some(0)),
            note(kind::UNKNOWN_08, Some(3)),
        ];
        let kinds: Vec<u8> = in_order(placed, silent)
            .iter()
            .map(|note| note.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                kind::TEXT_AFTER,
                kind::UNKNOWN_27,
                kind::SQUARES,
                kind::QUOTATION,
                kind::MEDALS,
                kind::UNKNOWN_08
            ]
        );
    }
}
