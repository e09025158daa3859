//! Checked reading and writing of the little records that binary formats are made of.

use thiserror::Error;

/// A read beyond the end of the bytes at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("at byte {offset}: expected {wanted} bytes, {available} left")]
pub struct OutOfBoundsError {
    /// Where the read began, counted from the base of the cursor.
    pub offset: u64,
    /// The number of requested bytes.
    pub wanted: u64,
    /// The number of available bytes.
    pub available: u64,
}

impl From<OutOfBoundsError> for std::io::Error {
    fn from(error: OutOfBoundsError) -> Self {
        Self::new(std::io::ErrorKind::UnexpectedEof, error)
    }
}

/// A value that does not fit its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("at byte {offset}: {value} does not fit a field of {bits} bits")]
pub struct TooLargeError {
    /// Where the field begins in the writer.
    pub offset: u64,
    /// The value that was to be written.
    pub value: u64,
    /// The width of the field.
    pub bits: u32,
}

impl From<TooLargeError> for std::io::Error {
    fn from(error: TooLargeError) -> Self {
        Self::new(std::io::ErrorKind::InvalidInput, error)
    }
}

/// A position in a slice, read forward with every step checked.
///
/// A failed read does not move the cursor, so that the caller can report the place and try another way.
#[derive(Debug, Clone)]
pub struct ByteCursor<'a> {
    bytes: &'a [u8],
    position: usize,
    base: u64,
}

macro_rules! read_integer {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $from:ident;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(&mut self) -> Result<$type, OutOfBoundsError> {
            Ok(<$type>::$from(self.array()?))
        }
    )*};
}

impl<'a> ByteCursor<'a> {
    /// A cursor at the start of `bytes`.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::with_base(bytes, 0)
    }

    /// A cursor whose offsets are reported as if `bytes` began at `base` of a larger file.
    #[inline]
    pub fn with_base(bytes: &'a [u8], base: u64) -> Self {
        Self {
            bytes,
            position: 0,
            base,
        }
    }

    /// The position within the slice.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The position within the file, the base included.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.base.saturating_add(self.position as u64)
    }

    /// The number of remaining bytes.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }

    /// Whether all bytes have been read.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// All bytes of the slice, read or not.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The remaining bytes, without moving.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or(&[])
    }

    /// The next byte without moving.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    /// Moves to a position within the slice; the end itself is allowed.
    #[inline]
    pub fn seek(&mut self, position: usize) -> Result<(), OutOfBoundsError> {
        if position > self.bytes.len() {
            return Err(OutOfBoundsError {
                offset: self.base,
                wanted: position as u64,
                available: self.bytes.len() as u64,
            });
        }
        self.position = position;
        Ok(())
    }

    /// Skips `count` bytes.
    #[inline]
    pub fn skip(&mut self, count: usize) -> Result<(), OutOfBoundsError> {
        self.take(count).map(|_| ())
    }

    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], OutOfBoundsError> {
        match self.rest().get(..count) {
            Some(slice) => {
                // The slice exists, so the sum is at most the length of the whole.
                self.position = self.position.saturating_add(count);
                Ok(slice)
            }
            None => Err(self.out_of_bounds(count)),
        }
    }

    /// The next `count` bytes, for a count that was read from a file as a wide number.
    #[inline]
    pub fn take_u64(&mut self, count: u64) -> Result<&'a [u8], OutOfBoundsError> {
        match usize::try_from(count) {
            Ok(count) => self.take(count),
            Err(_) => Err(OutOfBoundsError {
                wanted: count,
                ..self.out_of_bounds(0)
            }),
        }
    }

    /// The next `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], OutOfBoundsError> {
        match self.rest().first_chunk::<N>() {
            Some(chunk) => {
                self.position = self.position.saturating_add(N);
                Ok(*chunk)
            }
            None => Err(self.out_of_bounds(N)),
        }
    }

    /// The bytes up to `end`, which is skipped; an error if it is missing.
    #[inline]
    pub fn until(&mut self, end: u8) -> Result<&'a [u8], OutOfBoundsError> {
        let rest = self.rest();
        match memchr::memchr(end, rest) {
            Some(length) => {
                let slice = rest.get(..length).unwrap_or(&[]);
                self.position = self.position.saturating_add(length).saturating_add(1);
                Ok(slice)
            }
            None => Err(self.out_of_bounds(rest.len().saturating_add(1))),
        }
    }

    /// A separate cursor over the next `count` bytes, with offsets that stay those of the file.
    #[inline]
    pub fn sub(&mut self, count: usize) -> Result<ByteCursor<'a>, OutOfBoundsError> {
        let base = self.offset();
        Ok(ByteCursor::with_base(self.take(count)?, base))
    }

    read_integer! {
        /// One byte.
        u8: u8 = from_be_bytes;
        /// One signed byte.
        i8: i8 = from_be_bytes;
        /// Two bytes, the high one first.
        u16_be: u16 = from_be_bytes;
        /// Two bytes, the low one first.
        u16_le: u16 = from_le_bytes;
        /// Two bytes, signed, the high one first.
        i16_be: i16 = from_be_bytes;
        /// Two bytes, signed, the low one first.
        i16_le: i16 = from_le_bytes;
        /// Four bytes, the high one first.
        u32_be: u32 = from_be_bytes;
        /// Four bytes, the low one first.
        u32_le: u32 = from_le_bytes;
        /// Four bytes, signed, the high one first.
        i32_be: i32 = from_be_bytes;
        /// Four bytes, signed, the low one first.
        i32_le: i32 = from_le_bytes;
        /// Eight bytes, the high one first.
        u64_be: u64 = from_be_bytes;
        /// Eight bytes, the low one first.
        u64_le: u64 = from_le_bytes;
    }

    /// Three bytes, the high one first.
    #[inline]
    pub fn u24_be(&mut self) -> Result<u32, OutOfBoundsError> {
        let [a, b, c] = self.array()?;
        Ok(u32::from_be_bytes([0, a, b, c]))
    }

    /// Three bytes, the low one first.
    #[inline]
    pub fn u24_le(&mut self) -> Result<u32, OutOfBoundsError> {
        let [a, b, c] = self.array()?;
        Ok(u32::from_le_bytes([a, b, c, 0]))
    }

    #[cold]
    fn out_of_bounds(&self, wanted: usize) -> OutOfBoundsError {
        OutOfBoundsError {
            offset: self.offset(),
            wanted: wanted as u64,
            available: self.remaining() as u64,
        }
    }
}

/// The counterpart of the cursor: appends fields to a buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByteWriter {
    bytes: Vec<u8>,
}

macro_rules! write_integer {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $to:ident;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(&mut self, value: $type) {
            self.bytes.extend_from_slice(&value.$to());
        }
    )*};
}

impl ByteWriter {
    /// An empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of written bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The written bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the written bytes.
    pub fn into_inner(self) -> Vec<u8> {
        self.bytes
    }

    /// Discards the written bytes and keeps the buffer.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Appends bytes unchanged.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends the same byte `count` times.
    pub fn fill(&mut self, byte: u8, count: usize) {
        self.bytes.extend(std::iter::repeat_n(byte, count));
    }

    /// Appends `bytes` in a field of `width`, padded with `fill`; a text that is too long is an error.
    pub fn padded(&mut self, bytes: &[u8], width: usize, fill: u8) -> Result<(), TooLargeError> {
        let Some(rest) = width.checked_sub(bytes.len()) else {
            return Err(TooLargeError {
                offset: self.len() as u64,
                value: bytes.len() as u64,
                bits: u32::try_from(width.saturating_mul(8)).unwrap_or(u32::MAX),
            });
        };
        self.extend(bytes);
        self.fill(fill, rest);
        Ok(())
    }

    write_integer! {
        /// One byte.
        u8: u8 = to_be_bytes;
        /// One signed byte.
        i8: i8 = to_be_bytes;
        /// Two bytes, the high one first.
        u16_be: u16 = to_be_bytes;
        /// Two bytes, the low one first.
        u16_le: u16 = to_le_bytes;
        /// Two bytes, signed, the high one first.
        i16_be: i16 = to_be_bytes;
        /// Two bytes, signed, the low one first.
        i16_le: i16 = to_le_bytes;
        /// Four bytes, the high one first.
        u32_be: u32 = to_be_bytes;
        /// Four bytes, the low one first.
        u32_le: u32 = to_le_bytes;
        /// Four bytes, signed, the high one first.
        i32_be: i32 = to_be_bytes;
        /// Four bytes, signed, the low one first.
        i32_le: i32 = to_le_bytes;
        /// Eight bytes, the high one first.
        u64_be: u64 = to_be_bytes;
        /// Eight bytes, the low one first.
        u64_le: u64 = to_le_bytes;
    }

    /// Three bytes, the high one first.
    pub fn u24_be(&mut self, value: u32) -> Result<(), TooLargeError> {
        let [zero, a, b, c] = value.to_be_bytes();
        self.three(zero, [a, b, c], value)
    }

    /// Three bytes, the low one first.
    pub fn u24_le(&mut self, value: u32) -> Result<(), TooLargeError> {
        let [a, b, c, zero] = value.to_le_bytes();
        self.three(zero, [a, b, c], value)
    }

    /// Overwrites bytes written before.
    pub fn patch(&mut self, position: usize, bytes: &[u8]) -> Result<(), OutOfBoundsError> {
        let available = self.bytes.len().saturating_sub(position) as u64;
        let target = position
            .checked_add(bytes.len())
            .and_then(|end| self.bytes.get_mut(position..end));
        match target {
            Some(target) => {
                target.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(OutOfBoundsError {
                offset: position as u64,
                wanted: bytes.len() as u64,
                available,
            }),
        }
    }

    fn three(&mut self, zero: u8, bytes: [u8; 3], value: u32) -> Result<(), TooLargeError> {
        if zero != 0 {
            return Err(TooLargeError {
                offset: self.len() as u64,
                value: u64::from(value),
                bits: 24,
            });
        }
        self.extend(&bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_byte_orders() {
        let mut cursor = ByteCursor::new(&[1, 2, 3, 1, 2, 3, 0xff, 0xfe, 7]);
        assert_eq!(cursor.u24_be(), Ok(0x01_0203));
        assert_eq!(cursor.u24_le(), Ok(0x03_0201));
        assert_eq!(cursor.clone().u16_le(), Ok(0xfeff));
        assert_eq!(cursor.i16_be(), Ok(-2));
        assert_eq!(cursor.peek(), Some(7));
        assert_eq!(cursor.u8(), Ok(7));
        assert!(cursor.is_empty());
    }

    #[test]
    fn a_failed_read_names_its_place_and_moves_nothing() {
        let mut cursor = ByteCursor::with_base(&[1, 2, 3, 4, 5], 100);
        cursor.skip(3).expect("three of five");
        let error = OutOfBoundsError {
            offset: 103,
            wanted: 4,
            available: 2,
        };
        assert_eq!(cursor.u32_be(), Err(error));
        assert_eq!(cursor.u16_be(), Ok(0x0405));
        assert_eq!(
            cursor.take_u64(u64::MAX).map_err(|error| error.wanted),
            Err(u64::MAX)
        );
        assert!(cursor.seek(5).is_ok());
        assert!(cursor.seek(6).is_err());
        assert_eq!(error.to_string(), "at byte 103: expected 4 bytes, 2 left");
    }

    #[test]
    fn a_text_up_to_its_end() {
        let mut cursor = ByteCursor::new(b"ab\0c");
        assert_eq!(cursor.until(0), Ok(&b"ab"[..]));
        assert!(cursor.until(0).is_err());
        assert_eq!(cursor.rest(), b"c");
    }

    #[test]
    fn fields_that_do_not_fit_are_refused() {
        let mut writer = ByteWriter::new();
        assert!(writer.u24_be(0x0100_0000).is_err());
        assert!(writer.padded(b"abc", 2, 0).is_err());
        assert!(writer.is_empty());
        writer.padded(b"abc", 5, b' ').expect("fits");
        assert_eq!(writer.as_slice(), b"abc  ");
        assert!(writer.patch(4, b"xy").is_err());
        assert!(writer.patch(usize::MAX, b"xy").is_err());
        writer.patch(3, b"xy").expect("inside");
        assert_eq!(writer.into_inner(), b"abcxy");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(a: u16, b in 0u32..0x0100_0000, c: u32, d: u64, e: i16) {
            let mut writer = ByteWriter::new();
            writer.u16_be(a);
            writer.u16_le(a);
            writer.u24_be(b)?;
            writer.u24_le(b)?;
            writer.u32_be(c);
            writer.u32_le(c);
            writer.u64_be(d);
            writer.u64_le(d);
            writer.i16_le(e);
            let bytes = writer.into_inner();
            let mut cursor = ByteCursor::new(&bytes);
            prop_assert_eq!(cursor.u16_be()?, a);
            prop_assert_eq!(cursor.u16_le()?, a);
            prop_assert_eq!(cursor.u24_be()?, b);
            prop_assert_eq!(cursor.u24_le()?, b);
            prop_assert_eq!(cursor.u32_be()?, c);
            prop_assert_eq!(cursor.u32_le()?, c);
            prop_assert_eq!(cursor.u64_be()?, d);
            prop_assert_eq!(cursor.u64_le()?, d);
            prop_assert_eq!(cursor.i16_le()?, e);
            prop_assert!(cursor.is_empty());
        }
    }
}
