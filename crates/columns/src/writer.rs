//! Writing tables: groups are packed on any thread and go into the file in their order.

use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::data_type::ByteArray;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnPath, SchemaDescriptor, Type};

use crate::cells::{ColumnData, ColumnValues, RowGroupBuilder, slices};
use crate::error::{Error, Result};
use crate::schema::{ColumnEncoding, ColumnSchema, ColumnType};
use crate::sums;

const PAGE_BYTES: usize = 1 << 20;
/// What the footer says of the least and the greatest text of a column.
const STATISTICS_BYTES: usize = 16;
/// A column with longer dictionaries is written without one.
const DICTIONARY_BYTES: usize = 8 << 20;

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Write(error.to_string())
}

/// What is told to whoever packs and whoever writes.
#[derive(Debug)]
struct ParquetWriterSetup {
    schema: Arc<SchemaDescriptor>,
    properties: Arc<WriterProperties>,
    /// The same without dictionaries.
    plain: Arc<WriterProperties>,
}

/// A table that is being written.
pub struct ParquetWriter {
    file: SerializedFileWriter<Vec<u8>>,
    plan: Arc<ParquetWriterSetup>,
    sums: String,
}

impl std::fmt::Debug for ParquetWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}

/// A row group that is packed.
pub struct PackedRowGroup {
    chunks: Vec<(Vec<u8>, ColumnCloseResult)>,
}

impl std::fmt::Debug for PackedRowGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Packed({} columns)", self.chunks.len())
    }
}

/// Packs row groups, on any thread.
#[derive(Clone, Debug)]
pub struct RowGroupPacker(Arc<ParquetWriterSetup>);

fn column_type(field: &ColumnSchema) -> Result<Type> {
    let (physical, logical) = match field.kind {
        ColumnType::Int => (Physical::INT32, None),
        ColumnType::Long => (Physical::INT64, None),
        ColumnType::Day => (Physical::INT32, Some(LogicalType::Date)),
        ColumnType::Real => (Physical::DOUBLE, None),
        ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Bytes => (Physical::BYTE_ARRAY, None),
    };
    let repetition = if field.required {
        Repetition::REQUIRED
    } else {
        Repetition::OPTIONAL
    };
    Type::primitive_type_builder(field.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
        .map_err(failed)
}

fn properties(
    fields: &[ColumnSchema],
    notes: &[(&str, String)],
    level: i32,
    page_rows: usize,
    dictionaries: bool,
) -> Result<WriterProperties> {
    let notes: Vec<_> = notes
        .iter()
        .map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()))
        .collect();
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(format!("{}{}", crate::WRITER, env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(
            ZstdLevel::try_new(level).map_err(failed)?,
        ))
        .set_data_page_row_count_limit(page_rows)
        .set_data_page_size_limit(PAGE_BYTES)
        .set_dictionary_page_size_limit(DICTIONARY_BYTES)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_statistics_truncate_length(Some(STATISTICS_BYTES))
        // Where pages begin is found by passing over them.
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(notes));
    for field in fields {
        let path = ColumnPath::from(field.name);
        let has_dictionary = dictionaries && field.packing == ColumnEncoding::Dictionary;
        properties = properties.set_column_dictionary_enabled(path.clone(), has_dictionary);
        if field.packing == ColumnEncoding::Delta {
            let encoding = match field.kind {
                ColumnType::Text | ColumnType::Bytes => Encoding::DELTA_LENGTH_BYTE_ARRAY,
                _ => Encoding::DELTA_BINARY_PACKED,
            };
            properties = properties.set_column_encoding(path.clone(), encoding);
        }
        if field.kind == ColumnType::Bytes {
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
        }
    }
    Ok(properties.build())
}

impl ParquetWriter {
    /// Begins a table of these columns, with notes for its footer, compressed at a level of zstd. Whoever reads one row unpacks a
    /// page of each column, of `page_rows` rows.
    pub fn new(
        fields: &[ColumnSchema],
        notes: &[(&str, String)],
        level: i32,
        page_rows: usize,
    ) -> Result<ParquetWriter> {
        let columns: Result<Vec<_>> = fields
            .iter()
            .map(|field| Ok(Arc::new(column_type(field)?)))
            .collect();
        let schema = Type::group_type_builder("schema")
            .with_fields(columns?)
            .build()
            .map_err(failed)?;
        let schema = Arc::new(schema);
        let properties = |dictionaries| properties(fields, notes, level, page_rows, dictionaries);
        let (plain, properties) = (Arc::new(properties(false)?), Arc::new(properties(true)?));
        let file =
            SerializedFileWriter::new(Vec::new(), Arc::clone(&schema), Arc::clone(&properties))
                .map_err(failed)?;
        Ok(ParquetWriter {
            file,
            plan: Arc::new(ParquetWriterSetup {
                schema: Arc::new(SchemaDescriptor::new(schema)),
                properties,
                plain,
            }),
            sums: String::new(),
        })
    }

    /// What packs row groups for this table.
    pub fn packer(&self) -> RowGroupPacker {
        RowGroupPacker(Arc::clone(&self.plan))
    }

    /// Adds a row group; what is to be written so far goes to `out`.
    pub fn add(&mut self, packed: PackedRowGroup, out: &mut dyn Write) -> Result<()> {
        let mut group = self.file.next_row_group().map_err(failed)?;
        for (bytes, closed) in packed.chunks {
            sums::push(&mut self.sums, &bytes);
            group
                .append_column(&bytes::Bytes::from(bytes), closed)
                .map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.drain(out)
    }

    fn drain(&mut self, out: &mut dyn Write) -> Result<()> {
        self.file.flush()?;
        let buffer = self.file.inner_mut();
        out.write_all(buffer)?;
        buffer.clear();
        Ok(())
    }

    /// Completes the table with more notes for its footer.
    pub fn finish(mut self, notes: &[(&str, String)], out: &mut dyn Write) -> Result<()> {
        let sums = std::mem::take(&mut self.sums);
        for (key, value) in notes {
            self.file
                .append_key_value_metadata(KeyValue::new((*key).to_owned(), value.clone()));
        }
        self.file
            .append_key_value_metadata(KeyValue::new(sums::NOTE.to_owned(), sums));
        self.file.append_key_value_metadata(KeyValue::new(
            sums::FOOTER_NOTE.to_owned(),
            sums::BLANK.to_owned(),
        ));
        self.file.finish().map_err(failed)?;
        // Indexes of pages may stand before the footer.
        let tail = self.file.inner_mut();
        let end = tail.len().saturating_sub(8);
        let length = tail.get(end..end + 4).unwrap_or_default();
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
        let footer = tail
            .get_mut(end.saturating_sub(length)..end)
            .unwrap_or_default();
        if !sums::seal(footer) {
            return Err(Error::Write("the footer has no place for its sum".into()));
        }
        self.drain(out)
    }
}

/// Texts that are looked at to find out whether the others repeat them.
const SAMPLE: usize = 8192;

/// Whether a dictionary of the values would be worth its room: where most of them stand there once, as addresses of games do, their
/// numbers come on top of them.
fn repeats(values: &ColumnValues) -> bool {
    let ColumnValues::Bytes { bytes, ends } = values else {
        return true;
    };
    let ends = ends.get(..SAMPLE.min(ends.len())).unwrap_or_default();
    let starts = std::iter::once(&0).chain(ends);
    let texts = starts.zip(ends).map(|(from, to)| bytes.get(*from..*to));
    let different: HashSet<_> = texts.collect();
    different.len() * 2 <= ends.len()
}

impl RowGroupPacker {
    /// Packs a row group.
    pub fn pack(&self, group: RowGroupBuilder) -> Result<PackedRowGroup> {
        let columns = group.checked()?.into_iter().enumerate();
        let chunks: Result<Vec<_>> = columns.map(|(at, column)| self.chunk(at, column)).collect();
        Ok(PackedRowGroup { chunks: chunks? })
    }

    fn chunk(&self, at: usize, column: ColumnData) -> Result<(Vec<u8>, ColumnCloseResult)> {
        let mut buffer = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut buffer));
        let properties = match repeats(&column.values) {
            true => &self.0.properties,
            false => &self.0.plain,
        };
        let properties = Arc::clone(properties);
        let mut writer = get_column_writer(self.0.schema.column(at), properties, pages);
        let levels = (!column.field.required).then_some(&column.levels[..]);
        let written = match (&mut writer, column.values) {
            (ColumnWriter::Int32ColumnWriter(writer), ColumnValues::Ints(values)) => {
                let narrow = |value: i64| {
                    let name = column.field.name;
                    i32::try_from(value).map_err(|_| Error::Column {
                        name: name.to_owned(),
                        why: format!("holds smaller numbers than {value}"),
                    })
                };
                let values: Result<Vec<i32>> = values.into_iter().map(narrow).collect();
                writer.write_batch(&values?, levels, None)
            }
            (ColumnWriter::Int64ColumnWriter(writer), ColumnValues::Ints(values)) => {
                writer.write_batch(&values, levels, None)
            }
            (ColumnWriter::DoubleColumnWriter(writer), ColumnValues::Reals(values)) => {
                writer.write_batch(&values, levels, None)
            }
            (ColumnWriter::ByteArrayColumnWriter(writer), ColumnValues::Bytes { bytes, ends }) => {
                let values: Vec<ByteArray> = slices(bytes, &ends).map(ByteArray::from).collect();
                writer.write_batch(&values, levels, None)
            }
            _ => {
                return Err(Error::Write(
                    "a column holds other values than its kind".into(),
                ));
            }
        };
        written.map_err(failed)?;
        let closed = writer.close().map_err(failed)?;
        let bytes = buffer.into_inner().map_err(failed)?;
        Ok((bytes, closed))
    }
}
