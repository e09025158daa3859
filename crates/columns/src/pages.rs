//! The pages of a chunk.

use crate::error::{Error, Result};
use crate::thrift::{ThriftReader, types};

/// The kind of a page.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum PageKind {
    /// Values after their levels, compressed together.
    First,
    /// Values after their levels, which are not compressed.
    Second { levels: usize, is_packed: bool },
    /// The values that the indices of other pages refer to.
    Dictionary,
    /// A page to be skipped.
    Other,
}

/// The head of a page.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PageHeader {
    pub(crate) shape: PageKind,
    pub(crate) unpacked: usize,
    pub(crate) values: u64,
    pub(crate) encoding: i64,
    /// The start and the end of its content within the chunk.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The largest page that is decompressed.
pub(crate) const MAX_PAGE: usize = 1 << 28;

/// Fields of any of the three structures about pages.
#[derive(Default)]
struct PageFields {
    values: i64,
    encoding: i64,
    definition: i64,
    repetition: i64,
    is_unpacked: bool,
}

fn about(reader: &mut ThriftReader<'_>, kind: i64) -> Result<PageFields> {
    let mut about = PageFields::default();
    let mut last = 0;
    while let Some((number, is)) = reader.field(&mut last)? {
        match (kind, number, is) {
            (_, 1, types::I32) => about.values = reader.signed()?,
            (5 | 7, 2, types::I32) | (8, 4, types::I32) => about.encoding = reader.signed()?,
            (8, 5, types::I32) => about.definition = reader.signed()?,
            (8, 6, types::I32) => about.repetition = reader.signed()?,
            (8, 7, types::TRUE | types::FALSE) => about.is_unpacked = is == types::FALSE,
            _ => reader.skip(is)?,
        }
    }
    Ok(about)
}

impl PageHeader {
    /// Reads the header of the page at an offset in a chunk.
    pub(crate) fn read(chunk: &[u8], at: usize) -> Result<PageHeader> {
        let rest = chunk.get(at..).unwrap_or_default();
        let mut reader = ThriftReader::new(rest);
        let (mut kind, mut unpacked, mut packed) = (-1, -1, -1);
        let mut told = PageFields::default();
        let mut last = 0;
        while let Some((number, is)) = reader.field(&mut last)? {
            match (number, is) {
                (1, types::I32) => kind = reader.signed()?,
                (2, types::I32) => unpacked = reader.signed()?,
                (3, types::I32) => packed = reader.signed()?,
                (5 | 7 | 8, types::STRUCT) => told = about(&mut reader, number)?,
                _ => reader.skip(is)?,
            }
        }
        let wrong = |what: &str| Error::damaged(what, at as u64);
        let size = |value: i64| usize::try_from(value).map_err(|_| wrong("a page has no size"));
        let start = at + reader.at();
        let end = start
            .checked_add(size(packed)?)
            .filter(|end| *end <= chunk.len())
            .ok_or_else(|| wrong("a page extends past its column"))?;
        let unpacked = size(unpacked)?;
        if unpacked > MAX_PAGE {
            return Err(wrong("a page is longer than the limit"));
        }
        let shape = match kind {
            0 => PageKind::First,
            2 => PageKind::Dictionary,
            3 => PageKind::Second {
                levels: size(told.definition)?
                    .checked_add(size(told.repetition)?)
                    .filter(|levels| *levels <= end - start && *levels <= unpacked)
                    .ok_or_else(|| wrong("the levels of a page extend past it"))?,
                is_packed: !told.is_unpacked,
            },
            _ => PageKind::Other,
        };
        Ok(PageHeader {
            shape,
            unpacked,
            values: u64::try_from(told.values).map_err(|_| wrong("a page has no values"))?,
            encoding: told.encoding,
            start,
            end,
        })
    }
}
