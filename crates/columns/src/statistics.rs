//! The statistics of the values of a chunk, in the footer.

use crate::cells::{ColumnData, ColumnValues};
use crate::schema::ColumnType;
use crate::thrift_writer::ThriftWriter;

/// The bounds of longer texts have this number of bytes.
const TEXT_BYTES: usize = 16;

/// The number of rows without a value, and the bounds of the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChunkStatistics {
    nulls: usize,
    least: Option<ChunkBound>,
    greatest: Option<ChunkBound>,
    /// Whether readers that do not know column orders understand the bounds.
    is_signed: bool,
}

/// A bound that no value of the chunk exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ChunkBound {
    bytes: Vec<u8>,
    /// Whether a row has it.
    is_exact: bool,
}

impl ChunkBound {
    fn exact(bytes: &[u8]) -> ChunkBound {
        ChunkBound {
            bytes: bytes.to_vec(),
            is_exact: true,
        }
    }
}

/// The longest prefix of a text that ends with a whole character and is not too long.
fn front(text: &str) -> &str {
    let fits = |end: &usize| text.is_char_boundary(*end);
    let end = (0..=TEXT_BYTES).rev().find(fits).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// A text that is not greater than this one.
fn below(bytes: &[u8]) -> ChunkBound {
    let text = std::str::from_utf8(bytes).ok();
    match text.filter(|text| text.len() > TEXT_BYTES) {
        Some(text) => ChunkBound {
            bytes: front(text).as_bytes().to_vec(),
            is_exact: false,
        },
        None => ChunkBound::exact(bytes),
    }
}

/// A text that is not less than this one: its prefix, in which the last character that has a successor is replaced by it.
fn above(bytes: &[u8]) -> ChunkBound {
    let text = std::str::from_utf8(bytes).ok();
    let Some(text) = text.filter(|text| text.len() > TEXT_BYTES) else {
        return ChunkBound::exact(bytes);
    };
    let mut front = front(text).to_owned();
    while let Some(last) = front.pop() {
        // Between them are numbers that are not characters.
        let next = (last..=char::MAX).nth(1);
        if let Some(next) = next.filter(|next| next.len_utf8() == last.len_utf8()) {
            front.push(next);
            return ChunkBound {
                bytes: front.into_bytes(),
                is_exact: false,
            };
        }
    }
    ChunkBound::exact(bytes)
}

impl ChunkStatistics {
    /// The statistics of a column; none for bytes.
    pub(crate) fn of(column: &ColumnData) -> Option<ChunkStatistics> {
        let kind = column.field.kind;
        let (least, greatest) = match &column.values {
            _ if kind == ColumnType::Bytes => return None,
            ColumnValues::Ints(values) => {
                let bound = |value: &i64| match kind {
                    ColumnType::Long => ChunkBound::exact(&value.to_le_bytes()),
                    _ => ChunkBound::exact(&(*value as i32).to_le_bytes()),
                };
                let (least, greatest) = (values.iter().min(), values.iter().max());
                (least.map(bound), greatest.map(bound))
            }
            ColumnValues::Reals(values) => {
                // NaN has no place in the order, and zeros of both signs are the same.
                let numbers = || values.iter().copied().filter(|value| !value.is_nan());
                let bound = |value: f64, zero: f64| {
                    let value = if value == 0.0 { zero } else { value };
                    ChunkBound::exact(&value.to_le_bytes())
                };
                let least = numbers().reduce(f64::min).map(|value| bound(value, -0.0));
                let greatest = numbers().reduce(f64::max).map(|value| bound(value, 0.0));
                (least, greatest)
            }
            ColumnValues::Bytes { ends, .. } => {
                let texts = || (0..ends.len()).map(|number| column.text(number));
                (texts().min().map(below), texts().max().map(above))
            }
        };
        Some(ChunkStatistics {
            nulls: column.levels.len() - column.count(),
            least,
            greatest,
            is_signed: kind != ColumnType::Text,
        })
    }

    pub(crate) fn write(&self, out: &mut ThriftWriter) {
        let bounds = self.greatest.as_ref().zip(self.least.as_ref());
        if let Some((greatest, least)) = bounds.filter(|_| self.is_signed) {
            out.binary(1, &greatest.bytes);
            out.binary(2, &least.bytes);
        }
        out.long(3, self.nulls as i64);
        if let Some((greatest, least)) = bounds {
            out.binary(5, &greatest.bytes);
            out.binary(6, &least.bytes);
            out.flag(7, greatest.is_exact);
            out.flag(8, least.is_exact);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_texts_are_cut_to_bounds() {
        assert_eq!(below(b"short"), ChunkBound::exact(b"short"));
        assert_eq!(
            above(b"0123456789abcdef"),
            ChunkBound::exact(b"0123456789abcdef")
        );
        assert_eq!(below(b"0123456789abcdefg").bytes, b"0123456789abcdef");
        assert_eq!(above(b"0123456789abcdefg").bytes, b"0123456789abcdeg");
        // A character that would be split, and one without a successor of the same length.
        assert_eq!(
            below("0123456789abcdeä".as_bytes()).bytes,
            b"0123456789abcde"
        );
        assert_eq!(
            above("0123456789abcde\u{7f}g".as_bytes()).bytes,
            b"0123456789abcdf"
        );
        assert_eq!(above("\u{10ffff}".repeat(9).as_bytes()).bytes.len(), 36);
        assert_eq!(
            above("\u{d7ff}".repeat(6).as_bytes()).bytes,
            "\u{d7ff}\u{d7ff}\u{d7ff}\u{d7ff}\u{e000}".as_bytes()
        );
        assert!(above(&[0xff; 30]).is_exact);
    }

    proptest! {
        #[test]
        fn bounds_hold(text in any::<String>()) {
            prop_assert!(below(text.as_bytes()).bytes.as_slice() <= text.as_bytes());
            prop_assert!(above(text.as_bytes()).bytes.as_slice() >= text.as_bytes());
        }
    }
}
