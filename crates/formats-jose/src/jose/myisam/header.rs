//! The header of a `.MYI` file.
//!
//! | at | bytes | meaning |
//! |---|---|---|
//! | 0 | 4 | FE FE 07 01 |
//! | 4 | 2 | options: 1 dynamic rows, 4 compressed, 20h one checksum byte a row |
//! | 6 | 2 | length of the head; the field table is its end |
//! | 12 | 2 | place of the base information |
//! | 20 | 1 | character set and collation of the table |
//! | 28 | 8 | live rows |
//! | 36 | 8 | deleted rows or blocks |
//! | 68 | 8 | length of the `.MYD` file |
//! | base + 44 | 4 | bytes of an unpacked row |
//! | base + 48 | 4 | bytes of a fixed row in the file |
//! | base + 64 | 4 | fields |
//! | base + 76 | 2 | bytes of pack bits before a dynamic row |
//!
//! A field is 7 bytes: packing (2), length (2), null bit (1), null byte (2).

use super::MyisamError;

/// How one field of a dynamic row is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MyisamPackMode {
    /// Unpacked.
    Plain,
    /// Without spaces at the end, preceded by the length of the rest.
    EndSpace,
    /// Without spaces at the start, preceded by the length of the rest.
    PreSpace,
    /// Not stored if all bytes are zero.
    SkipZero,
    /// A length and as many bytes, not stored if empty.
    Blob,
    /// Always zero, not stored.
    Zero,
    /// A short length and as many bytes.
    Varchar,
}

/// One field of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MyisamField {
    /// How it is packed in dynamic rows.
    pub packing: MyisamPackMode,
    /// Bytes in an unpacked row.
    pub len: usize,
    /// Place in an unpacked row.
    pub offset: usize,
    /// The byte at the start of the row, and the bit in it, that mark a missing value.
    pub null: Option<(usize, u8)>,
}

/// How the rows of a table are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyisamHeader {
    /// Rows are blocks with lengths instead of all the same length.
    pub dynamic: bool,
    /// One checksum byte follows each row.
    pub checksum: bool,
    /// Live rows that the table claims to have.
    pub rows: u64,
    /// Length that the `.MYD` file should have.
    pub data_len: u64,
    /// The server's number of the table's character set and collation.
    pub charset: u8,
    /// Bytes of an unpacked row.
    pub row_len: usize,
    /// Bytes from one fixed row to the next.
    pub stride: usize,
    /// Bytes of pack bits before a dynamic row.
    pub pack_bytes: usize,
    /// Bytes of null marks at the beginning of a row.
    pub null_bytes: usize,
    /// The fields in row order, the block of null marks (if any) first.
    fields: Vec<MyisamField>,
}

/// More columns than any table of jose has; a larger number is damage.
const MAX_FIELDS: usize = 4096;

impl MyisamHeader {
    /// Reads the header.
    pub fn read(myi: &[u8]) -> Result<MyisamHeader, MyisamError> {
        for (at, want) in [0xFE, 0xFE, 0x07, 0x01].into_iter().enumerate() {
            if myi.get(at) != Some(&want) {
                return Err(MyisamError::NotThis {
                    file: ".MYI",
                    offset: at as u64,
                });
            }
        }
        let options = be(myi, 4, 2)?;
        if options & 4 != 0 {
            return Err(MyisamError::Unsupported(
                "its rows were compressed with myisampack; unpack it with `myisamchk --unpack`",
            ));
        }
        let header_len = place(be(myi, 6, 2)?)?;
        let base = place(be(myi, 12, 2)?)?;
        let row_len = place(be(myi, base + 44, 4)?)?;
        let stride = place(be(myi, base + 48, 4)?)?;
        let count = place(be(myi, base + 64, 4)?)?;
        let dynamic = options & 1 != 0;
        if count == 0 || count > MAX_FIELDS {
            return Err(corrupt(base + 64, "impossible number of fields"));
        }
        let table = header_len
            .checked_sub(7 * count)
            .filter(|&start| start >= base)
            .ok_or_else(|| corrupt(6, "the field table does not fit into the header"))?;
        let mut fields = Vec::with_capacity(count);
        let mut offset = 0usize;
        for number in 0..count {
            let at = table + 7 * number;
            let packing = match be(myi, at, 2)? {
                0 => MyisamPackMode::Plain,
                1 => MyisamPackMode::EndSpace,
                2 => MyisamPackMode::PreSpace,
                3 => MyisamPackMode::SkipZero,
                4 => MyisamPackMode::Blob,
                7 => MyisamPackMode::Zero,
                8 => MyisamPackMode::Varchar,
                _ => return Err(corrupt(at, "unknown packing of a field")),
            };
            let len = place(be(myi, at + 2, 2)?)?;
            let bit = be(myi, at + 4, 1)?;
            let byte = place(be(myi, at + 5, 2)?)?;
            let null = match u8::try_from(bit) {
                Ok(0) | Err(_) => None,
                Ok(bit) => Some((byte, bit)),
            };
            fields.push(MyisamField {
                packing,
                len,
                offset,
                null,
            });
            offset += len;
        }
        if offset > row_len {
            return Err(corrupt(base + 44, "the fields are longer than the row"));
        }
        let wanted = fields
            .iter()
            .filter_map(|f| f.null)
            .map(|(byte, _)| byte + 1)
            .max();
        // The block of null marks is a field of its own and has no mark itself. In fixed rows it also holds the live mark,
        // so it exists even if no column can be missing.
        let null_bytes = match fields.first() {
            Some(first)
                if first.packing == MyisamPackMode::Plain
                    && first.null.is_none()
                    && wanted.is_some_and(|bytes| bytes <= first.len) =>
            {
                first.len
            }
            Some(first)
                if !dynamic && wanted.is_none() && first.null.is_none() && first.len == 1 =>
            {
                1
            }
            _ => 0,
        };
        if wanted.is_some_and(|bytes| bytes > null_bytes) {
            return Err(corrupt(table, "null flags outside their block"));
        }
        let stride = if dynamic { 0 } else { stride.max(row_len) };
        if !dynamic && stride == 0 {
            return Err(corrupt(base + 48, "rows without length"));
        }
        Ok(MyisamHeader {
            dynamic,
            checksum: options & 0x20 != 0,
            rows: be(myi, 28, 8)?,
            data_len: be(myi, 68, 8)?,
            charset: u8::try_from(be(myi, 20, 1)?).unwrap_or_default(),
            row_len,
            stride,
            pack_bytes: place(be(myi, base + 76, 2)?)?,
            null_bytes,
            fields,
        })
    }

    /// The fields that are columns: all but the block of null marks.
    pub fn column_fields(&self) -> &[MyisamField] {
        let skip = usize::from(self.null_bytes > 0);
        self.fields.get(skip..).unwrap_or_default()
    }
}

/// A big-endian number in the header.
fn be(bytes: &[u8], at: usize, len: usize) -> Result<u64, MyisamError> {
    at.checked_add(len)
        .and_then(|end| bytes.get(at..end))
        .map(|part| {
            part.iter()
                .fold(0u64, |value, &byte| (value << 8) | u64::from(byte))
        })
        .ok_or_else(|| corrupt(at, "the file ends inside its header"))
}

fn place(value: u64) -> Result<usize, MyisamError> {
    usize::try_from(value).map_err(|_| corrupt(0, "impossible offset"))
}

fn corrupt(offset: usize, what: &'static str) -> MyisamError {
    MyisamError::Corrupt {
        file: ".MYI",
        offset: offset as u64,
        what,
    }
}
