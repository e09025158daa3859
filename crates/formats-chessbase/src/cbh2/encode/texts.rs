//! Texts in the bytes of a comment, a body or an annotation.

use tabiya_model::charset::Charset;

use crate::cbh::text::text_of;
use crate::cbh2::text;

/// A text in bytes that are read as it: as it stood where that is read alike, in the charset that was asked for, or as UTF-8.
pub(super) fn text_bytes(
    wanted: &str,
    original: Option<&[u8]>,
    charset: Option<Charset>,
) -> Option<Vec<u8>> {
    if wanted.is_ascii() {
        return Some(wanted.as_bytes().to_vec());
    }
    let reading = charset.unwrap_or(text::DEFAULT);
    let is_read = |bytes: &[u8]| text_of(bytes, text::read(bytes, reading)) == wanted;
    let original = original.filter(|bytes| is_read(bytes)).map(<[u8]>::to_vec);
    let encoded = || {
        let bytes = charset?.encode(wanted).ok()?;
        is_read(&bytes).then_some(bytes)
    };
    let plain = || is_read(wanted.as_bytes()).then(|| wanted.as_bytes().to_vec());
    original.or_else(encoded).or_else(plain)
}

/// Adds a text with its length in front.
pub(super) fn push_string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(u32::try_from(bytes.len()).unwrap_or(0).to_le_bytes());
    out.extend_from_slice(bytes);
}
