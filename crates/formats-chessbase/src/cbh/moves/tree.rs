//! The moves of a record in their order, and walks through them.

use tabiya_model::board::Move;

/// No move: the start, or nothing that follows.
pub(crate) const NO_MOVE: u32 = u32::MAX;

#[derive(Copy, Clone, Debug)]
struct CbhTreeLink {
    first: u32,
    last: u32,
    sibling: u32,
}

const UNLINKED: CbhTreeLink = CbhTreeLink {
    first: NO_MOVE,
    last: NO_MOVE,
    sibling: NO_MOVE,
};

/// The moves of a record in their order.
#[derive(Debug, Default)]
pub struct CbhMoveTree {
    moves: Vec<Move>,
    /// The next move and the alternative of each move; empty as long as there is only one line.
    links: Vec<CbhTreeLink>,
    /// The first move of the main line and the last alternative to it, if `links` is used.
    first: u32,
    last_first: u32,
    /// The move after which the record ended, or could not be read further.
    pub(crate) last: u32,
    /// Frames of [`CbhMoveTree::walk`], kept for their memory.
    frames: Vec<(u32, u32)>,
}

/// A step through a tree.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CbhTreeStep {
    /// A move by its number.
    Move(u32, Move),
    /// A variation begins, which replaces the move before.
    Begin,
    /// A variation ends.
    End,
}

impl CbhMoveTree {
    pub(crate) fn clear(&mut self) {
        self.moves.clear();
        self.links.clear();
        self.first = NO_MOVE;
        self.last_first = NO_MOVE;
        self.last = NO_MOVE;
    }

    /// The number of moves, variations included.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there is no move.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The number of moves of the main line, which come first.
    pub fn main_line_len(&self) -> usize {
        if self.links.is_empty() {
            return self.moves.len();
        }
        let mut length = 0;
        let mut now = self.first;
        while let Some(link) = self.links.get(now as usize) {
            length += 1;
            now = link.first;
        }
        length
    }

    /// The moves in the order of their numbers.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The move after which reading ended.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// Links what was read so far, which was one line.
    pub(crate) fn branch(&mut self, now: u32) {
        if self.links.is_empty() && !self.moves.is_empty() {
            self.links.extend((1..=self.moves.len()).map(|next| {
                let next = u32::try_from(next).unwrap_or(NO_MOVE);
                let next = if now == NO_MOVE || next > now {
                    NO_MOVE
                } else {
                    next
                };
                CbhTreeLink {
                    first: next,
                    last: next,
                    sibling: NO_MOVE,
                }
            }));
            self.first = 0;
            self.last_first = 0;
        }
    }

    /// Adds a move after another one.
    #[inline]
    pub(crate) fn add(&mut self, after: u32, m: Move, branched: bool) -> u32 {
        let new = u32::try_from(self.moves.len()).unwrap_or(NO_MOVE);
        self.moves.push(m);
        if branched {
            self.link(after, new);
        }
        new
    }

    #[inline(never)]
    fn link(&mut self, after: u32, new: u32) {
        self.links.push(UNLINKED);
        let elder = match self.links.get_mut(after as usize) {
            Some(parent) => {
                let elder = std::mem::replace(&mut parent.last, new);
                if elder == NO_MOVE {
                    parent.first = new;
                }
                elder
            }
            None => {
                let elder = std::mem::replace(&mut self.last_first, new);
                if elder == NO_MOVE {
                    self.first = new;
                }
                elder
            }
        };
        if let Some(elder) = self.links.get_mut(elder as usize) {
            elder.sibling = new;
        }
    }

    /// Goes through the tree in the order of a tape: each variation follows the move that it replaces.
    pub fn walk(&mut self, mut each: impl FnMut(CbhTreeStep)) {
        if self.links.is_empty() {
            for (m, number) in self.moves.iter().zip(0..) {
                each(CbhTreeStep::Move(number, *m));
            }
            return;
        }
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        let mut now = self.first;
        let mut is_main = true;
        loop {
            while let (Some(m), Some(link)) =
                (self.moves.get(now as usize), self.links.get(now as usize))
            {
                each(CbhTreeStep::Move(now, *m));
                if is_main && let Some(beside) = self.links.get(link.sibling as usize) {
                    each(CbhTreeStep::Begin);
                    frames.push((now, beside.sibling));
                    now = link.sibling;
                    is_main = false;
                    continue;
                }
                now = link.first;
                is_main = true;
            }
            let Some((replaced, next)) = frames.pop() else {
                break;
            };
            each(CbhTreeStep::End);
            if let Some(beside) = self.links.get(next as usize) {
                each(CbhTreeStep::Begin);
                frames.push((replaced, beside.sibling));
                now = next;
                is_main = false;
            } else {
                now = self
                    .links
                    .get(replaced as usize)
                    .map_or(NO_MOVE, |link| link.first);
                is_main = true;
            }
        }
        self.frames = frames;
    }
}
