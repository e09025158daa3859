//! Limits: protection of memory and time against hostile files.

/// Bounds that readers keep to. Reaching one is reported; everything within it is kept.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// Bytes of one game in its source.
    pub game_bytes: usize,
    /// Depth of nested variations.
    pub depth: usize,
    /// Bytes of one text: a name, a tag's value, a comment.
    pub text_bytes: usize,
    /// How many times larger than its compressed form a stream may grow.
    pub expansion: u64,
    /// Bytes of the window that a compressed stream may request.
    pub window: u64,
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits {
            game_bytes: 256 << 20,
            depth: 100_000,
            text_bytes: 256 << 20,
            expansion: 1_000,
            window: 128 << 20,
        }
    }
}
