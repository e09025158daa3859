//! Numbers in messages.

use std::fmt::Display;

/// A number and what it counts, in words for one or for any other number.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    many: &str,
) -> String {
    let what = if count == N::from(1) { one } else { many };
    format!("{count} {what}")
}

/// A number of bytes.
pub(crate) fn counted_bytes<N: Display + PartialEq + From<u8>>(count: N) -> String {
    counted(count, "byte", "bytes")
}
