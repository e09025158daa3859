//! Texts of rows: UTF-8, or what an old Java program makes of it.
//!
//! Characters above U+FFFF are written as two surrogates of three bytes each, and some tables hold
//! another character set than they say.

use std::borrow::Cow;

use tabiya_model::charset::Charset;

/// Decodes UTF-8 with or without paired surrogates; `None` if the bytes are something else.
pub fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(Cow::Borrowed(text));
    }
    let text = Charset::Cesu8.decode(bytes);
    // A replacement character that stands in the text itself is three bytes that are there.
    let replaced = text.matches(char::REPLACEMENT_CHARACTER).count();
    let written = memchr::memmem::find_iter(bytes, "\u{FFFD}".as_bytes()).count();
    (replaced == written).then_some(text)
}

/// Appends text as a column of three-byte UTF-8 holds it.
pub fn encode(text: &str, out: &mut Vec<u8>) {
    if text
        .chars()
        .all(|character| u32::from(character) < 0x1_0000)
    {
        out.extend_from_slice(text.as_bytes());
    } else if let Ok(bytes) = Charset::Cesu8.encode(text) {
        out.extend_from_slice(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_pair_up() {
        let text = "a 𝄞 b é";
        let mut bytes = Vec::new();
        encode(text, &mut bytes);
        assert_eq!(bytes.len(), text.len() + 2);
        assert_eq!(decode(&bytes).as_deref(), Some(text));
        assert_eq!(decode(text.as_bytes()).as_deref(), Some(text));
        assert_eq!(decode("\u{FFFD}".as_bytes()).as_deref(), Some("\u{FFFD}"));
        assert_eq!(decode(b"M\xFCller"), None);
    }
}
