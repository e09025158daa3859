//! A row, from any source: a MyISAM file, a SQL dump or a server.

/// The type of a column, for reading its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoseColumnKind {
    /// A whole number of any width.
    Int,
    /// A calendar day.
    Date,
    /// Characters in the column's character set.
    Text,
    /// Bytes without a character set.
    Blob,
    /// A value that is not interpreted, such as a time stamp.
    Other,
}

/// A calendar day as stored by a server: parts may be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoseDay {
    /// Year, 0 to 9999 in a valid row.
    pub year: u16,
    /// Month, 0 (not given) to 12 in a valid row.
    pub month: u8,
    /// Day of the month, 0 (not given) to 31 in a valid row.
    pub day: u8,
}

impl JoseDay {
    /// Reads `YYYY-MM-DD`, with or without a time of day after it.
    pub fn parse(text: &[u8]) -> Option<JoseDay> {
        let mut parts = text.get(..text.len().min(10))?.split(|&b| b == b'-');
        let day = JoseDay {
            year: parts.next().and_then(parse_int)?.try_into().ok()?,
            month: parts.next().and_then(parse_int)?.try_into().ok()?,
            day: parts.next().and_then(parse_int)?.try_into().ok()?,
        };
        parts.next().is_none().then_some(day)
    }
}

/// One value of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoseCell<'a> {
    /// No value.
    Null,
    /// A whole number.
    Int(i64),
    /// A calendar day.
    Date(JoseDay),
    /// Text or bytes; numbers and days in text form are parsed on demand.
    Bytes(&'a [u8]),
}

impl<'a> JoseCell<'a> {
    /// The number in this cell; `None` for no value and for text that is not a number.
    pub fn int(self) -> Option<i64> {
        match self {
            JoseCell::Int(value) => Some(value),
            JoseCell::Bytes(text) => parse_int(text),
            JoseCell::Null | JoseCell::Date(_) => None,
        }
    }

    /// The day in this cell; `None` for no value and for text that is not a day.
    pub fn day(self) -> Option<JoseDay> {
        match self {
            JoseCell::Date(day) => Some(day),
            JoseCell::Bytes(text) => JoseDay::parse(text),
            JoseCell::Null | JoseCell::Int(_) => None,
        }
    }

    /// The bytes in this cell; `None` for no value and for numbers.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            JoseCell::Bytes(bytes) => Some(bytes),
            JoseCell::Null | JoseCell::Int(_) | JoseCell::Date(_) => None,
        }
    }
}

/// The place of a value of a row; see [`JoseRow::cell`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoseSlot {
    /// No value.
    Null,
    /// A whole number.
    Int(i64),
    /// A calendar day.
    Date(JoseDay),
    /// Bytes from the first offset up to, but not including, the second.
    Bytes(usize, usize),
}

/// One row: the slots of its columns and the bytes that they refer to.
#[derive(Debug, Clone, Copy)]
pub struct JoseRow<'a> {
    /// Byte offset of the row in its file; 0 if a server sent it.
    pub offset: u64,
    /// The bytes that the slots refer to.
    pub bytes: &'a [u8],
    /// One slot for each column of the table.
    pub slots: &'a [JoseSlot],
}

impl<'a> JoseRow<'a> {
    /// The value of a column; a column that the row lacks has no value.
    pub fn cell(&self, column: usize) -> JoseCell<'a> {
        match self.slots.get(column) {
            None | Some(JoseSlot::Null) => JoseCell::Null,
            Some(&JoseSlot::Int(value)) => JoseCell::Int(value),
            Some(&JoseSlot::Date(day)) => JoseCell::Date(day),
            Some(&JoseSlot::Bytes(from, to)) => self
                .bytes
                .get(from..to)
                .map_or(JoseCell::Null, JoseCell::Bytes),
        }
    }
}

/// A decimal number, with a sign or not; anything else is `None`.
pub fn parse_int(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i64;
    for &digit in digits {
        let digit = char::from(digit).to_digit(10)?;
        value = value.checked_mul(10)?.checked_sub(i64::from(digit))?;
    }
    if negative {
        Some(value)
    } else {
        value.checked_neg()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(parse_int(b"0"), Some(0));
        assert_eq!(parse_int(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(parse_int(b"9223372036854775808"), None);
        assert_eq!(parse_int(b"+7"), Some(7));
        for bad in [&b""[..], b"-", b"1.5", b" 1", b"0x10"] {
            assert_eq!(parse_int(bad), None);
        }
    }

    #[test]
    fn days() {
        let day = JoseDay {
            year: 2001,
            month: 3,
            day: 31,
        };
        assert_eq!(JoseDay::parse(b"2001-03-31"), Some(day));
        assert_eq!(JoseDay::parse(b"2001-03-31 12:00:00"), Some(day));
        assert_eq!(JoseDay::parse(b"2001-03"), None);
        assert_eq!(JoseDay::parse(b"2001-03-x"), None);
        assert_eq!(JoseDay::parse(b""), None);
    }
}
