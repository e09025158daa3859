//! The nearest ASCII for characters that a charset has no code for.

/// The nearest ASCII text, or `None` if nothing is near; a combining mark is near to nothing at all, `""`.
pub(super) fn in_ascii(_character: char) -> Option<&'static str> {
    None
}
