//! The positions of a line, to count how often one has occurred.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use tabiya_model::Board;

/// The keys of the positions of a line, from its start.
#[derive(Clone, Debug, Default)]
pub(crate) struct PositionHistory {
    keys: Vec<u64>,
    /// The positions that variations have replaced.
    outer: Vec<Option<u64>>,
    /// Keys that were compared.
    compared: usize,
}

impl PositionHistory {
    /// Stands before the start of a game.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.outer.clear();
        self.compared = 0;
    }

    /// Comes to a position, and says how often it has stood on the line that leads to it, this time counted.
    pub(crate) fn come(&mut self, board: &Board, ply: u32) -> u32 {
        self.cut(ply);
        let mut key = board.zobrist();
        if let Some(square) = board.pseudo_legal_ep_square()
            && board.legal_ep_square().is_none()
        {
            key ^= Zobrist64::zobrist_for_en_passant_file(square.file()).0;
        }
        // Nothing from before the last capture or move of a pawn comes back.
        let quiet = usize::try_from(board.halfmoves()).unwrap_or(usize::MAX);
        let recent = self.keys.len().saturating_sub(quiet);
        let recent = self.keys.get(recent..).unwrap_or_default();
        self.compared = self.compared.saturating_add(recent.len());
        let before = recent.iter().filter(|other| **other == key).count();
        self.keys.push(key);
        u32::try_from(before).map_or(u32::MAX, |before| before.saturating_add(1))
    }

    /// Steps for the comparisons since this was asked last; many are made in one.
    pub(crate) fn take_compared(&mut self) -> u32 {
        const AT_ONCE: usize = 16;
        let steps = std::mem::take(&mut self.compared) / AT_ONCE;
        u32::try_from(steps).unwrap_or(u32::MAX)
    }

    /// Enters a variation that replaces the last move.
    pub(crate) fn begin(&mut self) {
        self.outer.push(self.keys.pop());
    }

    /// Leaves a variation for the line whose last position has this ply.
    pub(crate) fn end(&mut self, ply: u32) {
        self.cut(ply);
        self.keys.extend(self.outer.pop().flatten());
    }

    fn cut(&mut self, ply: u32) {
        self.keys
            .truncate(usize::try_from(ply).unwrap_or(usize::MAX));
    }
}
