//! The place of a block.

/// The place of a block in its file.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct PgnBlockStart {
    pub(super) byte: u64,
    pub(super) line: u64,
}
