//! Files of Avro with records of a schema, as far as Iceberg's manifests need them.

/// The values of a record, one after another.
#[derive(Debug, Default)]
pub(super) struct AvroRecord(pub(super) Vec<u8>);

impl AvroRecord {
    /// An integer of any width.
    pub(super) fn long(&mut self, value: i64) -> &mut AvroRecord {
        let mut left = (value << 1 ^ value >> 63).cast_unsigned();
        while left >= 0x80 {
            self.0.push((left & 0x7f) as u8 | 0x80);
            left >>= 7;
        }
        self.0.push(left as u8);
        self
    }

    /// An optional integer that is present.
    pub(super) fn some(&mut self, value: i64) -> &mut AvroRecord {
        self.long(1).long(value)
    }

    /// A text, or bytes.
    pub(super) fn text(&mut self, text: &str) -> &mut AvroRecord {
        self.long(i64::try_from(text.len()).unwrap_or(i64::MAX));
        self.0.extend_from_slice(text.as_bytes());
        self
    }
}

/// A file of records, with notes in its header.
pub(super) fn file(schema: &str, notes: &[(&str, &str)], records: &[AvroRecord]) -> Vec<u8> {
    // It only has to be unlikely within the records.
    const MARK: [u8; 16] = *b"tabiya-mark\x8a\xf1\x03\xdd\x7e";
    let mut out = AvroRecord(b"Obj\x01".to_vec());
    let count = i64::try_from(notes.len()).unwrap_or(0) + 2;
    out.long(count);
    for (key, value) in [("avro.schema", schema), ("avro.codec", "null")]
        .iter()
        .chain(notes)
    {
        out.text(key).text(value);
    }
    out.long(0);
    out.0.extend_from_slice(&MARK);
    if !records.is_empty() {
        let bytes: Vec<u8> = records
            .iter()
            .flat_map(|record| record.0.iter().copied())
            .collect();
        out.long(i64::try_from(records.len()).unwrap_or(0));
        out.long(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
        out.0.extend_from_slice(&bytes);
        out.0.extend_from_slice(&MARK);
    }
    out.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_zigzag_in_sevens() {
        for (value, bytes) in [
            (0, &[0][..]),
            (-1, &[1]),
            (1, &[2]),
            (64, &[0x80, 1]),
            (i64::MIN, &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
        ] {
            let mut values = AvroRecord::default();
            values.long(value);
            assert_eq!(values.0, bytes, "{value}");
        }
    }
}
