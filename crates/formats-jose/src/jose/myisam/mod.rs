//! MyISAM tables, read from their files without a server.
//!
//! A table is three files: `.MYI` (its header describes how rows are stored), `.MYD` (the rows) and `.frm` (the columns'
//! names; missing in tables of newer servers). Integers are big-endian in the headers and in row links, little-endian in
//! `.frm` and in column values.
//!
//! Rows are *fixed* (all of the same length, with a mark in the first byte) or *dynamic* (blocks with a length; a row may
//! consist of several, chained by file offsets). See [`rows`] for the walk, [`unpack`] for the fields of one row.
//!
//! No length is trusted: an inconsistent row is a [`MyisamDamage`] with its offset, and the walk continues after it.

mod frm;
mod header;
mod rows;
mod unpack;

pub use frm::{FrmColumn, read_frm};
pub use header::{MyisamField, MyisamHeader, MyisamPackMode};
pub use rows::{MyisamBuffers, MyisamRows};

use super::row::JoseColumnKind;

/// Why the header of a table cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MyisamError {
    /// The file does not begin like a file of its kind.
    #[error("not a MyISAM {file} file (byte {offset})")]
    NotThis {
        /// `.MYI` or `.frm`.
        file: &'static str,
        /// The offset of the first wrong byte.
        offset: u64,
    },
    /// The file ends within its header, or the header contradicts itself.
    #[error("damaged {file} file: {what} (byte {offset})")]
    Corrupt {
        /// `.MYI` or `.frm`.
        file: &'static str,
        /// The offset of the unusable value.
        offset: u64,
        /// The error.
        what: &'static str,
    },
    /// The table is stored in a way that jose never uses.
    #[error("unsupported MyISAM table: {0}")]
    Unsupported(&'static str),
}

/// A row, or a part of the file, that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} (byte {offset})")]
pub struct MyisamDamage {
    /// The offset in the `.MYD` file.
    pub offset: u64,
    /// The error.
    pub what: &'static str,
}

/// One column as the reader of rows needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyisamColumn {
    /// The column's name.
    pub name: String,
    /// The type of its bytes.
    pub kind: JoseColumnKind,
    /// Whether a number cannot be negative.
    pub unsigned: bool,
    /// The server's number of the column's character set and collation.
    pub charset: u16,
    /// Its storage.
    field: MyisamField,
    /// Whether the stored bytes begin with their length (fixed rows with `VARCHAR` only).
    varchar: bool,
}

/// A table whose header has been read: the storage of rows and the names of columns.
#[derive(Debug, Clone)]
pub struct MyisamTable {
    header: MyisamHeader,
    columns: Vec<MyisamColumn>,
    /// Why the `.frm` file was not used, if it was given but unusable.
    pub frm_problem: Option<MyisamError>,
}

impl MyisamTable {
    /// Reads the headers. `fixed_order` has the columns (with their kinds) if `.frm` is missing or unusable.
    pub fn open(
        myi: &[u8],
        frm: Option<&[u8]>,
        fixed_order: &[(&str, JoseColumnKind)],
    ) -> Result<MyisamTable, MyisamError> {
        let header = MyisamHeader::read(myi)?;
        let stored = header.column_fields();
        let mut frm_problem = None;
        let named = frm.and_then(|bytes| {
            match read_frm(bytes).and_then(|columns| match_up(columns, stored)) {
                Ok(columns) => Some(columns),
                Err(error) => {
                    frm_problem = Some(error);
                    None
                }
            }
        });
        let columns = match named {
            Some(columns) => columns,
            None => stored
                .iter()
                .zip(fixed_order)
                .map(|(field, (name, kind))| MyisamColumn {
                    name: (*name).to_owned(),
                    kind: *kind,
                    unsigned: false,
                    charset: u16::from(header.charset),
                    field: *field,
                    varchar: field.packing == MyisamPackMode::Varchar,
                })
                .collect(),
        };
        Ok(MyisamTable {
            header,
            columns,
            frm_problem,
        })
    }

    /// How rows are stored.
    pub fn header(&self) -> &MyisamHeader {
        &self.header
    }

    /// The columns, in the order of a row's slots.
    pub fn columns(&self) -> &[MyisamColumn] {
        &self.columns
    }

    /// Walks the rows of a `.MYD` file's bytes.
    pub fn rows<'a>(&'a self, myd: &'a [u8]) -> MyisamRows<'a> {
        MyisamRows::new(self, myd, MyisamBuffers::default())
    }

    /// The same with buffers of an earlier walk.
    pub fn rows_with<'a>(&'a self, myd: &'a [u8], buffers: MyisamBuffers) -> MyisamRows<'a> {
        MyisamRows::new(self, myd, buffers)
    }
}

/// Matches the named columns of `.frm` with the stored fields of `.MYI`, both by place in the row.
fn match_up(
    mut columns: Vec<FrmColumn>,
    stored: &[MyisamField],
) -> Result<Vec<MyisamColumn>, MyisamError> {
    columns.sort_by_key(|column| column.offset);
    if columns.len() != stored.len() {
        return Err(MyisamError::Corrupt {
            file: ".frm",
            offset: 0,
            what: "its columns are not those of the .MYI file",
        });
    }
    columns
        .into_iter()
        .zip(stored)
        .map(|(column, field)| {
            if column.offset != field.offset {
                return Err(MyisamError::Corrupt {
                    file: ".frm",
                    offset: column.defined_at,
                    what: "a column has another offset than in the .MYI file",
                });
            }
            Ok(MyisamColumn {
                name: column.name,
                kind: column.kind,
                unsigned: column.unsigned,
                charset: column.charset,
                field: *field,
                varchar: column.varchar,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
