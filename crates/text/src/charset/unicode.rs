//! The Unicode charsets beside UTF-8: UTF-16 and CESU-8.

use std::borrow::Cow;

/// The replacement for malformed input.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// Decodes UTF-16; an unpaired surrogate and an odd last byte are replaced.
pub(super) fn decode_utf16(bytes: &[u8], big_endian: bool) -> String {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| {
        if big_endian {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        }
    });
    let mut text: String = char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(REPLACEMENT))
        .collect();
    if !odd.is_empty() {
        text.push(REPLACEMENT);
    }
    text
}

/// Appends text as UTF-16.
pub(super) fn encode_utf16(text: &str, big_endian: bool, bytes: &mut Vec<u8>) {
    for unit in text.encode_utf16() {
        bytes.extend(if big_endian {
            unit.to_be_bytes()
        } else {
            unit.to_le_bytes()
        });
    }
}

/// A surrogate encoded in three bytes, `ED A0..BF 80..BF`.
fn surrogate(bytes: &[u8]) -> Option<(u16, &[u8])> {
    match bytes {
        [0xED, high @ 0xA0..=0xBF, low @ 0x80..=0xBF, rest @ ..] => Some((
            0xD000 | u16::from(high & 0x3F) << 6 | u16::from(low & 0x3F),
            rest,
        )),
        _ => None,
    }
}

/// Decodes UTF-8 in which characters above U+FFFF may be pairs of surrogates.
pub(super) fn decode_cesu8(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        // Surrogates begin with 0xED; everything between two of them is ordinary UTF-8.
        let plain = memchr::memchr(0xED, rest).unwrap_or(rest.len());
        if plain > 0 {
            let (before, after) = rest.split_at(plain);
            text.push_str(&String::from_utf8_lossy(before));
            rest = after;
            continue;
        }
        if let Some((first, after)) = surrogate(rest) {
            let second = surrogate(after);
            let units = [first, second.map_or(0, |(unit, _)| unit)];
            match (char::decode_utf16(units).next(), second) {
                (Some(Ok(character)), Some((_, after))) => {
                    text.push(character);
                    rest = after;
                }
                _ => {
                    text.push(REPLACEMENT);
                    rest = after;
                }
            }
            continue;
        }
        // An ordinary three-byte character that begins with 0xED, or a malformed byte.
        let (length, character) = match rest.get(..3).map(std::str::from_utf8) {
            Some(Ok(three)) => (3, three),
            _ => (1, "\u{FFFD}"),
        };
        text.push_str(character);
        rest = rest.get(length..).unwrap_or_default();
    }
    Cow::Owned(text)
}

/// Appends text with characters above U+FFFF as pairs of surrogates.
pub(super) fn encode_cesu8(text: &str, bytes: &mut Vec<u8>) {
    let mut buffer = [0; 4];
    for character in text.chars() {
        if u32::from(character) < 0x1_0000 {
            bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let [high, low] = unit.to_be_bytes();
            bytes.extend([
                0xE0 | high >> 4,
                0x80 | (high & 0x0F) << 2 | low >> 6,
                0x80 | low & 0x3F,
            ]);
        }
    }
}
