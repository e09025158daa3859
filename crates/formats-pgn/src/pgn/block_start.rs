//! The place of a block.

/// Where a block stands in its file.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct PgnBlockStart {
    pub(super) byte: u64,
    pub(super) line: u64,
}
