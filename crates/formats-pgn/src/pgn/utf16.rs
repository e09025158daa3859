//! Reading UTF-16 as UTF-8.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of bytes that are converted at once.
const CHUNK: usize = 1 << 16;

/// A reader of UTF-8 over a reader of UTF-16 without its byte order mark.
///
/// Surrogates without their partner, and a last byte alone, become U+FFFD.
pub(super) struct Utf16Reader<R> {
    inner: R,
    big_endian: bool,
    /// A byte that is half of a unit.
    odd: Option<u8>,
    /// A high surrogate that waits for its partner.
    high: Option<u16>,
    text: Vec<u8>,
    at: usize,
    ended: bool,
    /// How many invalid characters there were.
    malformed: Arc<AtomicU64>,
}

impl<R: Read> Utf16Reader<R> {
    pub(super) fn new(inner: R, big_endian: bool, malformed: Arc<AtomicU64>) -> Utf16Reader<R> {
        Utf16Reader {
            inner,
            big_endian,
            odd: None,
            high: None,
            text: Vec::new(),
            at: 0,
            ended: false,
            malformed,
        }
    }

    fn push(&mut self, character: char) {
        let mut bytes = [0; 4];
        self.text
            .extend_from_slice(character.encode_utf8(&mut bytes).as_bytes());
    }

    fn replace(&mut self) {
        self.malformed.fetch_add(1, Ordering::Relaxed);
        self.push(char::REPLACEMENT_CHARACTER);
    }

    fn unit(&mut self, unit: u16) {
        match (self.high.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                let code = 0x1_0000 + ((u32::from(high) & 0x3ff) << 10 | u32::from(unit) & 0x3ff);
                self.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (before, 0xd800..=0xdbff) => {
                if before.is_some() {
                    self.replace();
                }
                self.high = Some(unit);
            }
            (before, _) => {
                if before.is_some() {
                    self.replace();
                }
                match char::from_u32(u32::from(unit)) {
                    Some(character) => self.push(character),
                    None => self.replace(),
                }
            }
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.at = 0;
        let mut bytes = vec![0; CHUNK];
        while self.text.is_empty() && !self.ended {
            let count = match self.inner.read(&mut bytes) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if count == 0 {
                self.ended = true;
                let cut = self.odd.take().is_some() | self.high.take().is_some();
                if cut {
                    self.replace();
                }
            }
            for &byte in bytes.get(..count).unwrap_or(&[]) {
                match self.odd.take() {
                    None => self.odd = Some(byte),
                    Some(first) if self.big_endian => self.unit(u16::from_be_bytes([first, byte])),
                    Some(first) => self.unit(u16::from_le_bytes([first, byte])),
                }
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.text.len() {
            self.refill()?;
        }
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count;
        Ok(count)
    }
}

/// Whether the first bytes of a stream are UTF-16: whether it is big-endian, and the length of the mark.
pub(super) fn recognise(head: &[u8]) -> Option<(bool, usize)> {
    match head {
        [0xff, 0xfe, ..] => return Some((false, 2)),
        [0xfe, 0xff, ..] => return Some((true, 2)),
        _ => {}
    }
    // Without a mark: at least half of the units are ASCII, and their other bytes are hardly ever zero.
    let head = head.get(..head.len().min(256)).unwrap_or(head);
    let count = head.len() / 2;
    let zeros = |parity: usize| {
        let bytes = head.iter().skip(parity).step_by(2);
        bytes.filter(|byte| **byte == 0).count()
    };
    let (first, second) = (zeros(0), zeros(1));
    if count < 4 {
        None
    } else if first * 2 >= count && second * 16 <= count {
        Some((true, 0))
    } else if second * 2 >= count && first * 16 <= count {
        Some((false, 0))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], big_endian: bool) -> String {
        let mut text = String::new();
        let mut reader = Utf16Reader::new(bytes, big_endian, Arc::default());
        assert!(reader.read_to_string(&mut text).is_ok());
        text
    }

    #[test]
    fn both_orders() {
        let text = "[White \"Каспаров 😀\"]";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&little, false), text);
        assert_eq!(decode(&big, true), text);
        assert_eq!(recognise(b"\xff\xfe"), Some((false, 2)));
        let ascii: Vec<u8> = "[Event \"x\"]"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(recognise(&ascii), Some((true, 0)));
        assert_eq!(recognise(b"[Event \"x\"]"), None);
    }

    #[test]
    fn malformed_units_become_replacement_characters() {
        assert_eq!(
            decode(b"\x00\xd8a\x00\x00\xdc\x00\xd8", false),
            "\u{fffd}a\u{fffd}\u{fffd}"
        );
        assert_eq!(decode(b"a\x00b", false), "a\u{fffd}");
    }
}
