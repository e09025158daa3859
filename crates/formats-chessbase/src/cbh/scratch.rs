//! The buffers of a thread that reads games.

use super::moves::{CbhDecoderMemory, CbhMoveTree};

/// Buffers of one reading thread.
#[derive(Debug, Default)]
pub struct CbhScratch {
    pub(super) words: CbhTagBuffers,
    pub(super) tree: CbhMoveTree,
    pub(super) memory: CbhDecoderMemory,
    pub(super) notes: CbhAnnotationBuffers,
}

/// Buffers for joined and formatted texts.
#[derive(Debug, Default)]
pub struct CbhTagBuffers {
    pub(super) text: String,
    pub(super) bytes: Vec<u8>,
}

/// Where an annotation stands in the bytes of its record.
#[derive(Copy, Clone, Debug)]
pub(super) struct CbhAnnotationSlot {
    pub(super) place: i32,
    pub(super) kind: u8,
    pub(super) start: u32,
    pub(super) length: u16,
}

/// Buffers that are used again.
#[derive(Debug, Default)]
pub(super) struct CbhAnnotationBuffers {
    pub(super) slots: Vec<CbhAnnotationSlot>,
    /// For each place from −1 on, where its slots begin.
    pub(super) heads: Vec<u32>,
    pub(super) command: String,
    pub(super) bytes: Vec<u8>,
}
