//! Writing Thrift's compact protocol, as far as Parquet's footers and page headers need it.

use crate::hybrid_runs::put_varint;
use crate::thrift::types;

/// Writes the fields of a structure one after another, up to [`ThriftWriter::finish`].
#[derive(Debug, Default)]
pub(crate) struct ThriftWriter {
    bytes: Vec<u8>,
    /// The number of the last field, in this structure and in each one around it.
    last: i16,
    outer: Vec<i16>,
}

pub(crate) fn zigzag(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

impl ThriftWriter {
    fn field(&mut self, number: i16, kind: u8) {
        let step = number.wrapping_sub(self.last);
        match u8::try_from(step) {
            Ok(step @ 1..=15) => self.bytes.push((step << 4) | kind),
            _ => {
                self.bytes.push(kind);
                self.number(i64::from(number));
            }
        }
        self.last = number;
    }

    fn number(&mut self, value: i64) {
        put_varint(&mut self.bytes, zigzag(value));
    }

    /// A field of 16 bits.
    pub(crate) fn short(&mut self, number: i16, value: i16) {
        self.field(number, types::I16);
        self.number(i64::from(value));
    }

    /// A field of 32 bits.
    pub(crate) fn int(&mut self, number: i16, value: i32) {
        self.field(number, types::I32);
        self.number(i64::from(value));
    }

    /// A field of 64 bits.
    pub(crate) fn long(&mut self, number: i16, value: i64) {
        self.field(number, types::I64);
        self.number(value);
    }

    /// A truth value.
    pub(crate) fn flag(&mut self, number: i16, value: bool) {
        self.field(number, if value { types::TRUE } else { types::FALSE });
    }

    /// Bytes or a text.
    pub(crate) fn binary(&mut self, number: i16, value: &[u8]) {
        self.field(number, types::BINARY);
        self.binary_element(value);
    }

    /// A structure as a field; `fill` writes its fields.
    pub(crate) fn structure(&mut self, number: i16, fill: impl FnOnce(&mut ThriftWriter)) {
        self.field(number, types::STRUCT);
        self.element(fill);
    }

    /// The header of a list; its elements follow.
    pub(crate) fn list(&mut self, number: i16, count: usize, kind: u8) {
        self.field(number, types::LIST);
        match u8::try_from(count) {
            Ok(count @ 0..15) => self.bytes.push((count << 4) | kind),
            _ => {
                self.bytes.push(0xf0 | kind);
                put_varint(&mut self.bytes, count as u64);
            }
        }
    }

    /// An element of a list of structures.
    pub(crate) fn element(&mut self, fill: impl FnOnce(&mut ThriftWriter)) {
        self.outer.push(std::mem::take(&mut self.last));
        fill(self);
        self.bytes.push(0);
        self.last = self.outer.pop().unwrap_or_default();
    }

    /// An element of a list of numbers.
    pub(crate) fn int_element(&mut self, value: i32) {
        self.number(i64::from(value));
    }

    /// An element of a list of texts.
    pub(crate) fn binary_element(&mut self, value: &[u8]) {
        put_varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    /// Elements that are already encoded.
    pub(crate) fn written_elements(&mut self, elements: &[u8]) {
        self.bytes.extend_from_slice(elements);
    }

    /// Bytes written so far.
    pub(crate) fn at(&self) -> usize {
        self.bytes.len()
    }

    /// The written bytes, as elements of a list.
    pub(crate) fn into_elements(self) -> Vec<u8> {
        self.bytes
    }

    /// The structure.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_protocol_says() {
        let mut writer = ThriftWriter::default();
        writer.int(1, -2);
        writer.structure(3, |inner| {
            inner.flag(1, true);
            inner.flag(20, false);
        });
        writer.list(4, 2, types::I32);
        writer.int_element(150);
        writer.int_element(0);
        writer.binary(5, b"ab");
        writer.list(6, 15, types::STRUCT);
        let bytes = writer.finish();
        let int = [0x15, 0x03];
        let structure = [0x2c, 0x11, 0x02, 0x28, 0x00];
        let list = [0x19, 0x25, 0xac, 0x02, 0x00];
        let text = [0x18, 0x02, b'a', b'b'];
        let long_list = [0x19, 0xfc, 0x0f];
        let expected = [&int[..], &structure, &list, &text, &long_list, &[0]].concat();
        assert_eq!(bytes, expected);
    }
}
