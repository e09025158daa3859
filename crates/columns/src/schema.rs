//! The schema of a table.

/// The type of a column.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// Whole numbers of 32 bits.
    Int,
    /// Whole numbers of 64 bits.
    Long,
    /// Days since 1970-01-01, in 32 bits.
    Day,
    /// Floating-point numbers.
    Real,
    /// Texts in UTF-8.
    Text,
    /// Bytes.
    Bytes,
}

impl ColumnType {
    /// A word for people.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Int | ColumnType::Long => "whole numbers",
            ColumnType::Day => "days",
            ColumnType::Real => "numbers",
            ColumnType::Text => "texts",
            ColumnType::Bytes => "bytes",
        }
    }
}

/// How the values of a column are encoded before compression.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ColumnEncoding {
    /// Each different value once, and its index for each row.
    Dictionary,
    /// Differences from the previous value; for texts and bytes, differences of their lengths.
    Delta,
    /// Unencoded.
    Plain,
}

/// A column.
#[derive(Copy, Clone, Debug)]
pub struct ColumnSchema {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ColumnType,
    /// Its encoding.
    pub packing: ColumnEncoding,
    /// Whether every row has a value.
    pub required: bool,
}

impl ColumnSchema {
    /// A column in which a row may have no value.
    pub const fn new(
        name: &'static str,
        kind: ColumnType,
        packing: ColumnEncoding,
    ) -> ColumnSchema {
        ColumnSchema {
            name,
            kind,
            packing,
            required: false,
        }
    }

    /// The same with a value in every row.
    #[must_use]
    pub const fn required(mut self) -> ColumnSchema {
        self.required = true;
        self
    }
}
