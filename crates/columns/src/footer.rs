//! The footer: the columns, and the offsets of their chunks.

use crate::error::{Error, Result};
use crate::sums;
use crate::thrift::{ThriftReader, types};

/// The types of values, by Parquet's numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum PhysicalType {
    Int32,
    Int64,
    Float,
    Double,
    Bytes,
    /// A type that no column of ours has.
    Other(i64),
}

/// A column of the file.
#[derive(Clone, Debug)]
pub(crate) struct LeafColumn {
    pub(crate) name: String,
    pub(crate) physical: PhysicalType,
    /// Whether rows may lack a value; `None` for nested columns, or with several values per row.
    pub(crate) optional: Option<bool>,
}

/// The values of a column in a row group.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnChunk {
    pub(crate) codec: i64,
    pub(crate) values: u64,
    pub(crate) start: u64,
    pub(crate) length: u64,
    /// The least and the greatest value, if they are given and are eight-byte numbers.
    pub(crate) bounds: Option<(i64, i64)>,
}

/// A row group.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowGroup {
    pub(crate) rows: u64,
    pub(crate) chunks: Vec<ColumnChunk>,
}

/// The content of a footer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParquetFooter {
    pub(crate) leaves: Vec<LeafColumn>,
    pub(crate) groups: Vec<RowGroup>,
    pub(crate) notes: Vec<(String, String)>,
    pub(crate) writer: String,
    /// The offset of the footer's own checksum in it.
    sum_at: Option<usize>,
}

/// The maximum number of columns, and of rows in a group.
const MAX_COLUMNS: usize = 10_000;
const MAX_ROWS: u64 = 1 << 26;
/// The number of columns that memory is reserved for at once, whatever a footer claims.
const FEW_COLUMNS: usize = 128;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn natural(value: i64, reader: &ThriftReader<'_>) -> Result<u64> {
    u64::try_from(value).map_err(|_| {
        Error::damaged(
            "an offset or a number in the footer is negative",
            reader.at() as u64,
        )
    })
}

/// Calls `each` with every field of a structure; a field that it does not read is skipped.
fn fields<'a>(
    reader: &mut ThriftReader<'a>,
    mut each: impl FnMut(i64, u8, &mut ThriftReader<'a>) -> Result<bool>,
) -> Result<()> {
    let mut last = 0;
    while let Some((number, kind)) = reader.field(&mut last)? {
        if !each(number, kind, reader)? {
            reader.skip(kind)?;
        }
    }
    Ok(())
}

/// Calls `each` for every structure of a list.
fn structures<'a>(
    reader: &mut ThriftReader<'a>,
    each: impl FnMut(&mut ThriftReader<'a>) -> Result<()>,
) -> Result<()> {
    let count = count_of_structures(reader)?;
    structures_of(count, reader, each)
}

/// The number of structures in a list, from its header.
fn count_of_structures(reader: &mut ThriftReader<'_>) -> Result<usize> {
    let (count, kind) = reader.list()?;
    if kind != types::STRUCT && count > 0 {
        return Err(Error::damaged(
            "the footer has a list of the wrong type",
            reader.at() as u64,
        ));
    }
    Ok(count)
}

/// Calls `each` for a number of structures.
fn structures_of<'a>(
    count: usize,
    reader: &mut ThriftReader<'a>,
    mut each: impl FnMut(&mut ThriftReader<'a>) -> Result<()>,
) -> Result<()> {
    (0..count).try_for_each(|_| each(reader))
}

/// An element of the schema, in the order of a walk from the root.
#[derive(Default)]
struct SchemaElement {
    physical: Option<i64>,
    repetition: i64,
    name: String,
    children: i64,
}

impl ParquetFooter {
    /// Reads the bytes of a footer; `end` is where it begins in the file, and all chunks end before it.
    pub(crate) fn parse(bytes: &[u8], end: u64) -> Result<ParquetFooter> {
        let mut footer = ParquetFooter::default();
        let mut elements = Vec::new();
        let mut rows = None;
        let mut reader = ThriftReader::new(bytes);
        fields(&mut reader, |number, kind, reader| {
            match (number, kind) {
                (2, types::LIST) => {
                    let count = count_of_structures(reader)?;
                    elements.reserve_exact(count.min(FEW_COLUMNS));
                    structures_of(count, reader, |reader| {
                        elements.push(element(reader)?);
                        if elements.len() > MAX_COLUMNS {
                            let message = "the table has too many columns";
                            return Err(Error::Unsupported(message.into()));
                        }
                        Ok(())
                    })?;
                }
                (4, types::LIST) => structures(reader, |reader| {
                    footer.groups.push(row_group(reader)?);
                    Ok(())
                })?,
                (5, types::LIST) => structures(reader, |reader| {
                    let (key, value) = note(reader)?;
                    if key == sums::FOOTER_NOTE {
                        // The note is followed by a zero byte after its value.
                        footer.sum_at = reader.at().checked_sub(sums::BLANK.len() + 1);
                    }
                    footer.notes.push((key, value));
                    Ok(())
                })?,
                (3, types::I64) => rows = Some(natural(reader.signed()?, reader)?),
                (6, types::BINARY) => footer.writer = text(reader.binary()?),
                _ => return Ok(false),
            }
            Ok(true)
        })
        .map_err(|error| error.shifted(end))?;
        footer.leaves = leaves(elements, end)?;
        let is_sealed = |at: usize| sums::is_sealed(bytes, at);
        if footer.is_ours() && !footer.sum_at.is_some_and(is_sealed) {
            return Err(Error::Changed {
                what: "the footer".into(),
                at: end,
            });
        }
        footer.check(end)?;
        let sum = footer
            .groups
            .iter()
            .map(|group| group.rows)
            .fold(0, u64::saturating_add);
        if rows != Some(sum) {
            return Err(Error::damaged(
                "the number of rows in the footer differs from its row groups",
                end,
            ));
        }
        Ok(footer)
    }

    /// Whether the file is unchanged since this crate wrote it. Other programs copy the notes of the files that they read.
    pub(crate) fn is_ours(&self) -> bool {
        self.writer.starts_with(crate::WRITER)
    }

    /// Whether the chunks are at valid places.
    fn check(&self, end: u64) -> Result<()> {
        let wrong = |group: usize, what: &str| {
            let number = group + 1;
            Err(Error::damaged(
                format!("row group {number}, according to the footer, {what}"),
                end,
            ))
        };
        for (at, group) in self.groups.iter().enumerate() {
            if group.chunks.len() != self.leaves.len() {
                return wrong(at, "has a different number of columns than the table");
            }
            if group.rows > MAX_ROWS {
                return wrong(at, "has more rows than a row group may have");
            }
            for (chunk, leaf) in group.chunks.iter().zip(&self.leaves) {
                let chunk_end = chunk.start.checked_add(chunk.length);
                if chunk.start < 4 || chunk_end.is_none_or(|chunk_end| chunk_end > end) {
                    return wrong(at, "is outside the file");
                }
                if leaf.optional.is_some() && chunk.values != group.rows {
                    return wrong(
                        at,
                        "has a column whose number of values differs from its number of rows",
                    );
                }
            }
        }
        Ok(())
    }
}

fn element(reader: &mut ThriftReader<'_>) -> Result<SchemaElement> {
    let mut element = SchemaElement::default();
    fields(reader, |number, kind, reader| {
        match (number, kind) {
            (1, types::I32) => element.physical = Some(reader.signed()?),
            (3, types::I32) => element.repetition = reader.signed()?,
            (4, types::BINARY) => element.name = text(reader.binary()?),
            (5, types::I32) => element.children = reader.signed()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(element)
}

/// The leaves of the schema; those directly below the root are columns like ours.
fn leaves(elements: Vec<SchemaElement>, end: u64) -> Result<Vec<LeafColumn>> {
    let mut leaves = Vec::with_capacity(elements.len());
    // The number of elements still missing in each open one.
    let mut open = vec![1_i64];
    for element in elements {
        while open.last() == Some(&0) {
            open.pop();
        }
        let Some(left) = open.last_mut() else {
            return Err(Error::damaged(
                "the schema has elements without a place",
                end,
            ));
        };
        *left -= 1;
        let depth = open.len();
        match element.physical {
            Some(physical) if element.children <= 0 => leaves.push(LeafColumn {
                name: element.name,
                physical: match physical {
                    1 => PhysicalType::Int32,
                    2 => PhysicalType::Int64,
                    4 => PhysicalType::Float,
                    5 => PhysicalType::Double,
                    6 => PhysicalType::Bytes,
                    other => PhysicalType::Other(other),
                },
                optional: (depth == 2 && element.repetition < 2).then_some(element.repetition == 1),
            }),
            _ => open.push(element.children.max(0)),
        }
    }
    if open.iter().any(|left| *left != 0) {
        return Err(Error::damaged("the schema ends too early", end));
    }
    Ok(leaves)
}

fn row_group(reader: &mut ThriftReader<'_>) -> Result<RowGroup> {
    let mut group = RowGroup::default();
    let mut is_there = false;
    fields(reader, |number, kind, reader| {
        is_there |= number == 1;
        match (number, kind) {
            (1, types::LIST) => {
                let count = count_of_structures(reader)?;
                group.chunks.reserve_exact(count.min(FEW_COLUMNS));
                structures_of(count, reader, |reader| {
                    group.chunks.push(chunk(reader)?);
                    Ok(())
                })?;
            }
            (3, types::I64) => group.rows = natural(reader.signed()?, reader)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    whole(is_there, "a row group", reader)?;
    Ok(group)
}

fn chunk(reader: &mut ThriftReader<'_>) -> Result<ColumnChunk> {
    let mut chunk = ColumnChunk::default();
    let mut is_there = false;
    fields(reader, |number, kind, reader| {
        is_there |= number == 3;
        match (number, kind) {
            (1, types::BINARY) if !reader.clone().binary()?.is_empty() => {
                return Err(Error::Unsupported(
                    "the columns of the table are in other files".into(),
                ));
            }
            (3, types::STRUCT) => chunk = chunk_place(reader)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    whole(is_there, "a column", reader)?;
    Ok(chunk)
}

/// Fails for a structure without content: a small footer could claim many of them, so nothing is kept for them.
fn whole(is_there: bool, what: &str, reader: &ThriftReader<'_>) -> Result<()> {
    if is_there {
        return Ok(());
    }
    Err(Error::damaged(
        format!("the footer has no {what}"),
        reader.at() as u64,
    ))
}

fn chunk_place(reader: &mut ThriftReader<'_>) -> Result<ColumnChunk> {
    let mut chunk = ColumnChunk::default();
    let (mut data, mut dictionary) = (0, None);
    fields(reader, |number, kind, reader| {
        match (number, kind) {
            (4, types::I32) => chunk.codec = reader.signed()?,
            (5, types::I64) => chunk.values = natural(reader.signed()?, reader)?,
            (7, types::I64) => chunk.length = natural(reader.signed()?, reader)?,
            (9, types::I64) => data = natural(reader.signed()?, reader)?,
            (11, types::I64) => dictionary = Some(natural(reader.signed()?, reader)?),
            (12, types::STRUCT) => chunk.bounds = bounds(reader)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    // Some writers write 0 if there is no dictionary.
    chunk.start = match dictionary {
        Some(place) if place >= 4 => place.min(data),
        _ => data,
    };
    Ok(chunk)
}

/// The least and the greatest value of a chunk of integers.
fn bounds(reader: &mut ThriftReader<'_>) -> Result<Option<(i64, i64)>> {
    let (mut least, mut greatest) = (None, None);
    let long = |bytes: &[u8]| bytes.try_into().ok().map(i64::from_le_bytes);
    fields(reader, |number, kind, reader| {
        match (number, kind) {
            (5, types::BINARY) => greatest = long(reader.binary()?),
            (6, types::BINARY) => least = long(reader.binary()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(least.zip(greatest))
}

fn note(reader: &mut ThriftReader<'_>) -> Result<(String, String)> {
    let (mut key, mut value) = (String::new(), String::new());
    fields(reader, |number, kind, reader| {
        match (number, kind) {
            (1, types::BINARY) => key = text(reader.binary()?),
            (2, types::BINARY) => value = text(reader.binary()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    whole(!key.is_empty(), "a note", reader)?;
    Ok((key, value))
}
