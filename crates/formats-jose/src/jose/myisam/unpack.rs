//! The fields of one row.
//!
//! A dynamic row consists of pack bits (one for each field that is packed with a bit, in row order, lowest bit first), null
//! marks (1 = no value), and the fields. The meaning of a set bit depends on the packing: a value that is zero or empty and
//! not stored, or a length and a text without its spaces. A checksum byte may end the row. A fixed row has every field at
//! its place.

use super::{MyisamColumn, MyisamPackMode, MyisamTable};
use crate::jose::row::{JoseColumnKind, JoseDay, JoseSlot};

/// Reads a dynamic row's fields into `slots`; the places are those in `row`.
pub(super) fn unpack_dynamic(
    table: &MyisamTable,
    row: &[u8],
    slots: &mut Vec<JoseSlot>,
) -> Result<(), &'static str> {
    const CUT: &str = "a row ends inside a field";
    slots.clear();
    let header = &table.header;
    let bits = row.get(..header.pack_bytes).ok_or(CUT)?;
    let mut at = header.pack_bytes;
    let mut bit_number = 0usize;
    let nulls = row.get(at..at + header.null_bytes).ok_or(CUT)?;
    at += header.null_bytes;
    // Fields without a name must still be skipped to find the row's end.
    for (number, field) in header.column_fields().iter().enumerate() {
        let column = table.columns.get(number);
        let set = match field.packing {
            MyisamPackMode::EndSpace
            | MyisamPackMode::PreSpace
            | MyisamPackMode::SkipZero
            | MyisamPackMode::Blob => {
                let byte = bits
                    .get(bit_number / 8)
                    .ok_or("more packed fields than pack bits")?;
                let set = byte >> (bit_number % 8) & 1 != 0;
                bit_number += 1;
                set
            }
            MyisamPackMode::Plain | MyisamPackMode::Zero | MyisamPackMode::Varchar => false,
        };
        let (len, zero) = match field.packing {
            MyisamPackMode::SkipZero if set => (0, true),
            MyisamPackMode::Zero => (0, true),
            MyisamPackMode::Blob if set => (0, false),
            MyisamPackMode::Blob => {
                let width = field.len.checked_sub(8).filter(|w| (1..=4).contains(w));
                let width = width.ok_or("impossible width of a blob's length")?;
                let len = le(row.get(at..at + width).ok_or(CUT)?);
                at += width;
                (usize::try_from(len).map_err(|_| CUT)?, false)
            }
            MyisamPackMode::EndSpace | MyisamPackMode::PreSpace if set => {
                let first = usize::from(*row.get(at).ok_or(CUT)?);
                at += 1;
                let mut len = first;
                if field.len > 255 && first & 0x80 != 0 {
                    let second = usize::from(*row.get(at).ok_or(CUT)?);
                    at += 1;
                    len = (first & 0x7F) | second << 7;
                }
                if len > field.len {
                    return Err("a text is longer than its column");
                }
                (len, false)
            }
            MyisamPackMode::Varchar => {
                let first = usize::from(*row.get(at).ok_or(CUT)?);
                at += 1;
                let mut len = first;
                if field.len > 256 && first == 0xFF {
                    let wide = row.get(at..at + 2).ok_or(CUT)?;
                    len = wide
                        .iter()
                        .fold(0, |value, &byte| value << 8 | usize::from(byte));
                    at += 2;
                }
                if len > field.len {
                    return Err("a text is longer than its column");
                }
                (len, false)
            }
            MyisamPackMode::Plain
            | MyisamPackMode::SkipZero
            | MyisamPackMode::EndSpace
            | MyisamPackMode::PreSpace => (field.len, false),
        };
        let end = at
            .checked_add(len)
            .filter(|&end| end <= row.len())
            .ok_or(CUT)?;
        let missing = field
            .null
            .is_some_and(|(byte, bit)| nulls.get(byte).is_some_and(|marks| marks & bit != 0));
        if let Some(column) = column {
            slots.push(if missing {
                JoseSlot::Null
            } else if zero {
                zero_value(column.kind, at)
            } else {
                value(column, row, at, end)
            });
        }
        at = end;
    }
    let rest = row.len() - at;
    if rest != usize::from(header.checksum) {
        return Err("the fields of a row do not add up to its length");
    }
    Ok(())
}

/// Reads a fixed row's fields into `slots`; the places are those in `row`.
pub(super) fn unpack_fixed(
    table: &MyisamTable,
    row: &[u8],
    slots: &mut Vec<JoseSlot>,
) -> Result<(), &'static str> {
    const CUT: &str = "a row ends inside a field";
    slots.clear();
    for column in &table.columns {
        let field = column.field;
        let missing = field
            .null
            .is_some_and(|(byte, bit)| row.get(byte).is_some_and(|marks| marks & bit != 0));
        if missing {
            slots.push(JoseSlot::Null);
            continue;
        }
        let mut at = field.offset;
        let mut end = at + field.len;
        if column.varchar {
            let width = if field.len > 256 { 2 } else { 1 };
            let len = le(row.get(at..at + width).ok_or(CUT)?);
            at += width;
            end = usize::try_from(len)
                .ok()
                .and_then(|len| at.checked_add(len))
                .filter(|&stop| stop <= end)
                .ok_or("a text is longer than its column")?;
        }
        if end > row.len() {
            return Err(CUT);
        }
        slots.push(value(column, row, at, end));
    }
    Ok(())
}

/// The value in `row[at..end]`, which exists.
fn value(column: &MyisamColumn, row: &[u8], at: usize, end: usize) -> JoseSlot {
    let bytes = row.get(at..end).unwrap_or_default();
    match column.kind {
        JoseColumnKind::Int if bytes.len() <= 8 => {
            let raw = le(bytes);
            let unused = 64u32
                .saturating_sub(8 * u32::try_from(bytes.len()).unwrap_or(8))
                .min(63);
            JoseSlot::Int(if column.unsigned {
                i64::try_from(raw).unwrap_or(i64::MAX)
            } else {
                // Shifting up and down again extends the sign.
                (raw << unused).cast_signed() >> unused
            })
        }
        JoseColumnKind::Date if bytes.len() == 3 => {
            let raw = le(bytes);
            if raw == 0 {
                return JoseSlot::Null;
            }
            JoseSlot::Date(JoseDay {
                year: u16::try_from(raw >> 9).unwrap_or(u16::MAX),
                month: u8::try_from(raw >> 5 & 0x0F).unwrap_or_default(),
                day: u8::try_from(raw & 0x1F).unwrap_or_default(),
            })
        }
        // A text column that is not VARCHAR is padded with spaces, which have no meaning.
        JoseColumnKind::Text
            if matches!(
                column.field.packing,
                MyisamPackMode::Plain | MyisamPackMode::EndSpace | MyisamPackMode::PreSpace
            ) && !column.varchar =>
        {
            let kept = bytes
                .iter()
                .rposition(|&byte| byte != b' ')
                .map_or(0, |last| last + 1);
            JoseSlot::Bytes(at, at + kept)
        }
        JoseColumnKind::Int
        | JoseColumnKind::Date
        | JoseColumnKind::Text
        | JoseColumnKind::Blob
        | JoseColumnKind::Other => JoseSlot::Bytes(at, end),
    }
}

/// The value of a field whose bytes are all zero and are not stored.
fn zero_value(kind: JoseColumnKind, at: usize) -> JoseSlot {
    match kind {
        JoseColumnKind::Int => JoseSlot::Int(0),
        JoseColumnKind::Date => JoseSlot::Null,
        JoseColumnKind::Text | JoseColumnKind::Blob | JoseColumnKind::Other => {
            JoseSlot::Bytes(at, at)
        }
    }
}

fn le(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}
