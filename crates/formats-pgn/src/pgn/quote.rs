//! Texts in messages.

/// A text for a message, shortened if it is long.
pub(super) fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 200;
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(MOST)).unwrap_or(bytes));
    let more = if bytes.len() > MOST { "…" } else { "" };
    format!(
        "\"{}{more}\"",
        text.trim_end_matches('\u{fffd}').escape_debug()
    )
}
