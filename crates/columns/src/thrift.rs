//! Thrift's compact protocol, as far as the footers and page headers of Parquet need it.
//!
//! Every length and every number of elements is checked against the remaining bytes, and unneeded fields are skipped
//! without recursion.

use crate::error::{Error, Result};

/// The types of fields.
pub(crate) mod types {
    pub(crate) const TRUE: u8 = 1;
    pub(crate) const FALSE: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const I16: u8 = 4;
    pub(crate) const I32: u8 = 5;
    pub(crate) const I64: u8 = 6;
    pub(crate) const DOUBLE: u8 = 7;
    pub(crate) const BINARY: u8 = 8;
    pub(crate) const LIST: u8 = 9;
    pub(crate) const SET: u8 = 10;
    pub(crate) const MAP: u8 = 11;
    pub(crate) const STRUCT: u8 = 12;
    pub(crate) const UUID: u8 = 13;
}

/// The maximum nesting of skipped values.
const DEPTH: usize = 64;

/// Reads from the start of bytes.
#[derive(Clone, Debug)]
pub(crate) struct ThriftReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The values that are still to be skipped.
enum ThriftContainer {
    Struct,
    /// A number of elements of a type.
    Elements(u64, u8),
    /// A number of pairs; whether a key comes next.
    Pairs(u64, u8, u8, bool),
}

impl<'a> ThriftReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> ThriftReader<'a> {
        ThriftReader { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    fn wrong(&self, what: &str) -> Error {
        Error::damaged(what, self.at as u64)
    }

    fn byte(&mut self) -> Result<u8> {
        let byte = self.bytes.get(self.at).copied();
        let byte = byte.ok_or_else(|| self.wrong("the description ends too early"))?;
        self.at += 1;
        Ok(byte)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length);
        let bytes = end.and_then(|end| self.bytes.get(self.at..end));
        let bytes = bytes.ok_or_else(|| self.wrong("the description ends too early"))?;
        self.at += length;
        Ok(bytes)
    }

    /// A number without a sign.
    pub(crate) fn unsigned(&mut self) -> Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).wrapping_shl(shift);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.wrong("a number has too many bytes"))
    }

    /// A number with a sign.
    pub(crate) fn signed(&mut self) -> Result<i64> {
        let value = self.unsigned()?;
        Ok((value >> 1).cast_signed() ^ (value & 1).cast_signed().wrapping_neg())
    }

    /// Bytes that are preceded by their length.
    pub(crate) fn binary(&mut self) -> Result<&'a [u8]> {
        let length = usize::try_from(self.unsigned()?).unwrap_or(usize::MAX);
        self.take(length)
    }

    /// The number and the type of the next field of a structure, whose last field had the number `last`.
    pub(crate) fn field(&mut self, last: &mut i64) -> Result<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Ok(None);
        }
        *last = match head >> 4 {
            0 => self.signed()?,
            step => last.saturating_add(i64::from(step)),
        };
        Ok(Some((*last, head & 15)))
    }

    /// The header of a list: the number of its elements, each of which takes at least one byte, and their type.
    pub(crate) fn list(&mut self) -> Result<(usize, u8)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => usize::try_from(self.unsigned()?).unwrap_or(usize::MAX),
            few => usize::from(few),
        };
        if count > self.left() {
            return Err(self.wrong("a list has more elements than there are bytes"));
        }
        Ok((count, head & 15))
    }

    /// Skips a value of a type.
    pub(crate) fn skip(&mut self, kind: u8) -> Result<()> {
        let mut open: Vec<ThriftContainer> = Vec::new();
        self.skip_one(kind, false, &mut open)?;
        while let Some(top) = open.last_mut() {
            let (kind, within) = match top {
                ThriftContainer::Struct => match self.field(&mut 0)? {
                    None => {
                        open.pop();
                        continue;
                    }
                    Some((_, kind)) => (kind, false),
                },
                ThriftContainer::Elements(0, _) | ThriftContainer::Pairs(0, ..) => {
                    open.pop();
                    continue;
                }
                ThriftContainer::Elements(left, kind) => {
                    *left -= 1;
                    (*kind, true)
                }
                ThriftContainer::Pairs(left, key, value, at_key) => {
                    let kind = if *at_key { *key } else { *value };
                    if !*at_key {
                        *left -= 1;
                    }
                    *at_key = !*at_key;
                    (kind, true)
                }
            };
            if open.len() > DEPTH {
                return Err(self.wrong("the description is nested too deeply"));
            }
            self.skip_one(kind, within, &mut open)?;
        }
        Ok(())
    }

    /// Skips a simple value, or opens a nested one. Within lists, a boolean takes a byte.
    fn skip_one(&mut self, kind: u8, within: bool, open: &mut Vec<ThriftContainer>) -> Result<()> {
        match kind {
            types::TRUE | types::FALSE if !within => {}
            types::TRUE | types::FALSE | types::BYTE => {
                self.byte()?;
            }
            types::I16 | types::I32 | types::I64 => {
                self.unsigned()?;
            }
            types::DOUBLE => {
                self.take(8)?;
            }
            types::UUID => {
                self.take(16)?;
            }
            types::BINARY => {
                self.binary()?;
            }
            types::LIST | types::SET => {
                let (count, kind) = self.list()?;
                open.push(ThriftContainer::Elements(count as u64, kind));
            }
            types::MAP => {
                let count = self.unsigned()?;
                if count > self.left() as u64 {
                    return Err(self.wrong("a map has more pairs than there are bytes"));
                }
                if count > 0 {
                    let kinds = self.byte()?;
                    open.push(ThriftContainer::Pairs(count, kinds >> 4, kinds & 15, true));
                }
            }
            types::STRUCT => open.push(ThriftContainer::Struct),
            _ => return Err(self.wrong("the description has a field of unknown type")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers() {
        let mut reader = ThriftReader::new(&[0x96, 0x01, 0x03, 0x04]);
        assert_eq!(reader.unsigned().ok(), Some(150));
        assert_eq!(reader.signed().ok(), Some(-2));
        assert_eq!(reader.signed().ok(), Some(2));
        assert!(reader.signed().is_err());
    }

    #[test]
    fn nested_lists_are_refused_and_not_followed() {
        let deep = vec![0x19; 100_000];
        assert!(ThriftReader::new(&deep).skip(types::LIST).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_passed_over(bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 0_u8..16) {
            let mut reader = ThriftReader::new(&bytes);
            let _ = reader.skip(kind);
            prop_assert!(reader.at() <= bytes.len());
        }
    }
}
