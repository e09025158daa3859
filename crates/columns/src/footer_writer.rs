//! Writing the footer: the columns, the offsets of their chunks, and notes.

use crate::chunk_writer::{PackedChunk, encodings, page_kinds};
use crate::schema::{ColumnSchema, ColumnType};
use crate::sums;
use crate::thrift::types;
use crate::thrift_writer::ThriftWriter;

/// Parquet's number for zstd.
const ZSTD: i32 = 6;

/// The number of a physical type, and its old and current logical types.
fn numbers_of(kind: ColumnType) -> (i32, Option<(i32, i16)>) {
    match kind {
        ColumnType::Int => (1, None),
        ColumnType::Long => (2, None),
        ColumnType::Day => (1, Some((6, 6))),
        ColumnType::Real => (5, None),
        ColumnType::Text => (6, Some((0, 1))),
        ColumnType::Bytes => (6, None),
    }
}

/// The footer of a table that is being written.
#[derive(Debug)]
pub(crate) struct FooterWriter {
    fields: Vec<ColumnSchema>,
    notes: Vec<(String, String)>,
    /// The row groups as encoded in the footer.
    groups: ThriftWriter,
    count: usize,
    rows: usize,
}

impl FooterWriter {
    pub(crate) fn new(fields: &[ColumnSchema]) -> FooterWriter {
        FooterWriter {
            fields: fields.to_vec(),
            notes: Vec::new(),
            groups: ThriftWriter::default(),
            count: 0,
            rows: 0,
        }
    }

    pub(crate) fn note(&mut self, key: &str, value: String) {
        self.notes.push((key.to_owned(), value));
    }

    /// Adds a row group that begins at an offset in the file.
    pub(crate) fn add(&mut self, rows: usize, chunks: &[PackedChunk], at: u64) {
        let ordinal = i16::try_from(self.count).ok();
        self.count += 1;
        self.rows += rows;
        self.groups.element(|group| {
            group.list(1, chunks.len(), types::STRUCT);
            let mut place = at;
            for chunk in chunks {
                group.element(|out| {
                    out.long(2, 0);
                    out.structure(3, |out| put_chunk(out, chunk, place));
                });
                place += chunk.bytes.len() as u64;
            }
            let unpacked: usize = chunks.iter().map(|chunk| chunk.unpacked).sum();
            group.long(2, unpacked as i64);
            group.long(3, rows as i64);
            group.long(5, at.cast_signed());
            group.long(6, (place - at).cast_signed());
            if let Some(ordinal) = ordinal {
                group.short(7, ordinal);
            }
        });
    }

    /// The footer, with its own checksum in its last note.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.note(sums::FOOTER_NOTE, sums::BLANK.to_owned());
        let mut out = ThriftWriter::default();
        out.int(1, 1);
        out.list(2, self.fields.len() + 1, types::STRUCT);
        out.element(|root| {
            root.binary(4, b"schema");
            root.int(5, i32::try_from(self.fields.len()).unwrap_or(i32::MAX));
        });
        for field in &self.fields {
            out.element(|out| put_field(out, field));
        }
        out.long(3, self.rows as i64);
        out.list(4, self.count, types::STRUCT);
        out.written_elements(&self.groups.into_elements());
        out.list(5, self.notes.len(), types::STRUCT);
        let mut sum_end = 0;
        for (key, value) in &self.notes {
            out.element(|out| {
                out.binary(1, key.as_bytes());
                out.binary(2, value.as_bytes());
                sum_end = out.at();
            });
        }
        let writer = format!("{}{}", crate::WRITER, env!("CARGO_PKG_VERSION"));
        out.binary(6, writer.as_bytes());
        // Every column has the order of its type, which its bounds refer to.
        out.list(7, self.fields.len(), types::STRUCT);
        for _ in &self.fields {
            out.element(|out| out.structure(1, |_| {}));
        }
        let mut footer = out.finish();
        sums::seal(&mut footer, sum_end);
        footer
    }
}

fn put_field(out: &mut ThriftWriter, field: &ColumnSchema) {
    let (physical, logical) = numbers_of(field.kind);
    out.int(1, physical);
    out.int(3, i32::from(!field.required));
    out.binary(4, field.name.as_bytes());
    if let Some((converted, logical)) = logical {
        out.int(6, converted);
        out.structure(10, |out| out.structure(logical, |_| {}));
    }
}

/// The footer's entry for a chunk that begins at an offset in the file.
fn put_chunk(out: &mut ThriftWriter, chunk: &PackedChunk, at: u64) {
    let (physical, _) = numbers_of(chunk.field.kind);
    out.int(1, physical);
    let mut used: Vec<i32> = chunk.pages.iter().map(|page| page.encoding).collect();
    used.push(encodings::RUNS);
    used.sort_unstable();
    used.dedup();
    out.list(2, used.len(), types::I32);
    for encoding in used {
        out.int_element(encoding);
    }
    out.list(3, 1, types::BINARY);
    out.binary_element(chunk.field.name.as_bytes());
    out.int(4, ZSTD);
    out.long(5, chunk.rows as i64);
    out.long(6, chunk.unpacked as i64);
    out.long(7, chunk.bytes.len() as i64);
    out.long(9, at.saturating_add(chunk.data_at as u64).cast_signed());
    if chunk
        .pages
        .iter()
        .any(|page| page.kind == page_kinds::DICTIONARY)
    {
        out.long(11, at.cast_signed());
    }
    if let Some(statistics) = &chunk.statistics {
        out.structure(12, |out| statistics.write(out));
    }
    out.list(13, chunk.pages.len(), types::STRUCT);
    for page in &chunk.pages {
        out.element(|out| {
            out.int(1, page.kind);
            out.int(2, page.encoding);
            out.int(3, page.count);
        });
    }
}
