//! The buffers of a thread that reads games.

use super::annotations::Cbh2AnnotationSlot;
use super::moves::Cbh2MoveMemory;
use crate::cbh::moves::CbhMoveTree;

/// Buffers of one reading thread.
#[derive(Debug, Default)]
pub struct Cbh2Scratch {
    pub(super) tree: CbhMoveTree,
    pub(super) memory: Cbh2MoveMemory,
    pub(super) notes: Cbh2AnnotationBuffers,
    pub(super) words: String,
    /// The number of the start of Chess960 of the last game that was read.
    pub(super) start_number: Option<u16>,
}

/// Buffers of annotations.
#[derive(Debug, Default)]
pub(super) struct Cbh2AnnotationBuffers {
    pub(super) slots: Vec<Cbh2AnnotationSlot>,
    /// For each place from -1 on, where its slots begin.
    pub(super) heads: Vec<u32>,
    pub(super) command: String,
    pub(super) bytes: Vec<u8>,
}
