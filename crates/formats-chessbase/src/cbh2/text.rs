//! Texts: UTF-8 or a code page that nothing names, with figurines among the private characters.

use tabiya_model::charset::Charset;

use crate::cbh::text::CbhTextEncoding;

/// The code page of texts that are not UTF-8, unless another one is requested.
pub const DEFAULT: Charset = Charset::Cp1252;

/// The figurines among the private characters, king first.
const FIRST_FIGURINE: char = '\u{e024}';
const FIGURINES: [char; 6] = ['♔', '♕', '♖', '♗', '♘', '♙'];

/// Decides how a text is read. Of the private characters, only the figurines are certain; the others stay unchanged.
pub fn read(bytes: &[u8], charset: Charset) -> CbhTextEncoding<'_> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return CbhTextEncoding::Bytes(charset);
    };
    // The first byte of private characters.
    if memchr::memchr(0xee, bytes).is_none() || !text.chars().any(|c| figurine(c).is_some()) {
        return CbhTextEncoding::Utf8(text);
    }
    let shown = text.chars().map(|c| figurine(c).unwrap_or(c)).collect();
    CbhTextEncoding::Symbols(shown, Charset::Utf8)
}

fn figurine(c: char) -> Option<char> {
    let number = u32::from(c).checked_sub(u32::from(FIRST_FIGURINE))?;
    FIGURINES.get(usize::try_from(number).ok()?).copied()
}

/// A text with the private characters that are read as its figurines.
pub(super) fn with_private_figurines(text: &str) -> String {
    let private = |c: char| {
        let place = (0..).zip(FIGURINES).find(|(_, own)| *own == c);
        place.and_then(|(place, _)| char::from_u32(u32::from(FIRST_FIGURINE) + place))
    };
    text.chars().map(|c| private(c).unwrap_or(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cbh::text::text_of;

    #[test]
    fn texts_of_both_kinds() {
        let text = |bytes: &[u8]| text_of(bytes, read(bytes, DEFAULT)).into_owned();
        assert_eq!(text("Müller ♘".as_bytes()), "Müller ♘");
        assert_eq!(text(b"M\xfcller \x80"), "Müller €");
        let symbols = "\u{e028}d4 \u{e00a} \u{e029}\u{e024}\u{e02a}";
        let shown = "♘d4 \u{e00a} ♙♔\u{e02a}";
        assert_eq!(text(symbols.as_bytes()), shown);
        assert_eq!(with_private_figurines(shown), symbols);
    }
}
