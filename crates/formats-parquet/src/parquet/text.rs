//! Texts among bytes, preceded by their length, with their provenance if it is known.

use tabiya_model::charset::Charset;
use tabiya_model::text::{OwnedText, TextProvenance};

/// Appends a number, seven bits a byte, the lowest first.
pub(super) fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends bytes preceded by their length.
pub(super) fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    push_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Appends a text: twice its length, plus one if the name of its charset follows it, and its original bytes (after a byte 1)
/// or a byte 0.
pub(super) fn push_text(text: &str, provenance: Option<&TextProvenance>, out: &mut Vec<u8>) {
    let is_more = u64::from(provenance.is_some());
    push_varint((text.len() as u64) << 1 | is_more, out);
    out.extend_from_slice(text.as_bytes());
    if let Some(provenance) = provenance {
        push_bytes(provenance.charset.name().as_bytes(), out);
        match &provenance.raw {
            None => out.push(0),
            Some(raw) => {
                out.push(1);
                push_bytes(raw, out);
            }
        }
    }
}

/// Reads what this module writes.
#[derive(Clone, Debug)]
pub(super) struct ParquetTextReader<'a> {
    bytes: &'a [u8],
}

impl<'a> ParquetTextReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> ParquetTextReader<'a> {
        ParquetTextReader { bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        self.take(length)
    }

    pub(super) fn text(&mut self) -> Option<OwnedText> {
        let head = self.varint()?;
        let text = self.take(usize::try_from(head >> 1).ok()?)?;
        let text = std::str::from_utf8(text).ok()?.to_owned();
        let provenance = if head & 1 == 1 {
            let charset = Charset::from_name(std::str::from_utf8(self.bytes()?).ok()?)?;
            let raw = match self.byte()? {
                0 => None,
                1 => Some(self.bytes()?.into()),
                _ => return None,
            };
            Some(TextProvenance { charset, raw })
        } else {
            None
        };
        Some(OwnedText { text, provenance })
    }
}
