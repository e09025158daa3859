//! The columns of a `.frm` file: names, types and places in the row.
//!
//! At 64 is a block whose length is at 4 (u16), after it the offset (u32) of the form. In the
//! form: columns (u16) at 258, length of the part before the columns (u16) at 260, length of the
//! names (u16) at 268. The columns begin 288 bytes after the form's start plus that length, 17
//! bytes each: length (u16 at 3), place in the row counted from 1 (u24 at 5), flags (u16 at 8; bit 0
//! set = signed), type (at 13), character set (at 14, high byte at 11). The names follow, each
//! between FF bytes.

use super::MyisamError;
use crate::jose::row::JoseColumnKind;

/// One column of a `.frm` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrmColumn {
    /// The column's name.
    pub name: String,
    /// The type of its bytes.
    pub kind: JoseColumnKind,
    /// Whether a number cannot be negative.
    pub unsigned: bool,
    /// Whether the stored text begins with its length.
    pub varchar: bool,
    /// The server's number of the character set and collation.
    pub charset: u16,
    /// Place in an unpacked row.
    pub offset: usize,
    /// The offset of the column definition in the file.
    pub defined_at: u64,
}

/// Reads the columns of a `.frm` file.
pub fn read_frm(bytes: &[u8]) -> Result<Vec<FrmColumn>, MyisamError> {
    for (at, want) in [0xFE, 0x01].into_iter().enumerate() {
        if bytes.get(at) != Some(&want) {
            return Err(MyisamError::NotThis {
                file: ".frm",
                offset: at as u64,
            });
        }
    }
    let form = le(bytes, 64 + le(bytes, 4, 2)?, 4)?;
    let count = le(bytes, form.saturating_add(258), 2)?;
    let before = le(bytes, form.saturating_add(260), 2)?;
    let names_len = le(bytes, form.saturating_add(268), 2)?;
    let start = form.saturating_add(288 + before);
    let names_at = start.saturating_add(17 * count);
    let mut names = names_at
        .checked_add(names_len)
        .and_then(|end| bytes.get(names_at..end))
        .ok_or_else(|| corrupt(names_at, "the file ends before its column names"))?
        .split(|&byte| byte == 0xFF)
        .skip(1);
    let mut columns = Vec::new();
    for number in 0..count {
        let at = start + 17 * number;
        let name = names
            .next()
            .filter(|name| !name.is_empty())
            .and_then(|name| std::str::from_utf8(name).ok())
            .ok_or_else(|| corrupt(names_at, "a column without a name"))?;
        let offset = le(bytes, at + 5, 3)?
            .checked_sub(1)
            .ok_or_else(|| corrupt(at + 5, "a column without an offset in the row"))?;
        let kind_number = le(bytes, at + 13, 1)?;
        let charset = le(bytes, at + 14, 1)? | (le(bytes, at + 11, 1)? << 8);
        let kind = match kind_number {
            1 | 2 | 3 | 8 | 9 => JoseColumnKind::Int,
            14 => JoseColumnKind::Date,
            15 | 249..=254 if charset == 63 => JoseColumnKind::Blob,
            15 | 249..=254 => JoseColumnKind::Text,
            _ => JoseColumnKind::Other,
        };
        columns.push(FrmColumn {
            name: name.to_owned(),
            kind,
            unsigned: le(bytes, at + 8, 2)? & 1 == 0,
            varchar: kind_number == 15,
            charset: u16::try_from(charset).unwrap_or_default(),
            offset,
            defined_at: at as u64,
        });
    }
    Ok(columns)
}

/// A little-endian number of up to 4 bytes.
fn le(bytes: &[u8], at: usize, len: usize) -> Result<usize, MyisamError> {
    at.checked_add(len)
        .and_then(|end| bytes.get(at..end))
        .map(|part| {
            part.iter()
                .rev()
                .fold(0usize, |value, &byte| (value << 8) | usize::from(byte))
        })
        .ok_or_else(|| corrupt(at, "the file ends inside its header"))
}

fn corrupt(offset: usize, what: &'static str) -> MyisamError {
    MyisamError::Corrupt {
        file: ".frm",
        offset: offset as u64,
        what,
    }
}
