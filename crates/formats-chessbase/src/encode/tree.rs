//! The tree that a tape becomes: moves with what stands for them, and the annotations at them.

use crate::cbh::moves::NO_MOVE;

/// A move with its places in the tree.
pub(crate) struct CbhTapeMove<C> {
    pub(crate) code: C,
    /// The first move after it, the last alternative to that one, and the next alternative to itself.
    pub(crate) first: u32,
    last: u32,
    pub(crate) sibling: u32,
    /// The number by which annotations know it.
    pub(crate) number: u32,
}

/// An annotation at a move, or at the start.
pub(crate) struct CbhTapeNote<N> {
    pub(crate) at: u32,
    pub(crate) note: N,
}

/// The moves and annotations of a game, as a format has them.
pub(crate) struct CbhTapeTree<C, N> {
    pub(crate) moves: Vec<CbhTapeMove<C>>,
    /// The first move of the main line and the last alternative to it.
    pub(crate) first: u32,
    last_first: u32,
    pub(crate) notes: Vec<CbhTapeNote<N>>,
    /// How many moves the main line has, and all variations.
    pub(crate) plies: u32,
    pub(crate) variation_moves: u32,
}

impl<C, N> Default for CbhTapeTree<C, N> {
    fn default() -> CbhTapeTree<C, N> {
        CbhTapeTree {
            moves: Vec::new(),
            first: NO_MOVE,
            last_first: NO_MOVE,
            notes: Vec::new(),
            plies: 0,
            variation_moves: 0,
        }
    }
}

impl<C, N> CbhTapeTree<C, N> {
    pub(crate) fn clear(&mut self) {
        self.moves.clear();
        self.notes.clear();
        (self.first, self.last_first) = (NO_MOVE, NO_MOVE);
        (self.plies, self.variation_moves) = (0, 0);
    }

    /// Adds a move after another one, as the last of those that follow it.
    pub(super) fn add(&mut self, parent: u32, code: C) -> u32 {
        let new = u32::try_from(self.moves.len()).unwrap_or(NO_MOVE);
        self.moves.push(CbhTapeMove {
            code,
            first: NO_MOVE,
            last: NO_MOVE,
            sibling: NO_MOVE,
            number: NO_MOVE,
        });
        let (first, last) = match self.moves.get_mut(parent as usize) {
            Some(parent) => (&mut parent.first, &mut parent.last),
            None => (&mut self.first, &mut self.last_first),
        };
        let elder = std::mem::replace(last, new);
        if elder == NO_MOVE {
            *first = new;
        }
        if let Some(elder) = self.moves.get_mut(elder as usize) {
            elder.sibling = new;
        }
        new
    }

    /// The place at a move, or at the start, for annotations.
    pub(super) fn place(&mut self, at: u32) -> CbhTapePlace<'_, N> {
        CbhTapePlace {
            at,
            notes: &mut self.notes,
        }
    }
}

/// A place that gets annotations.
pub(crate) struct CbhTapePlace<'a, N> {
    at: u32,
    notes: &'a mut Vec<CbhTapeNote<N>>,
}

impl<N> CbhTapePlace<'_, N> {
    pub(crate) fn push(&mut self, note: N) {
        self.notes.push(CbhTapeNote { at: self.at, note });
    }
}
