//! Writing tables: groups are packed on any thread and go into the file in their order.

use std::io::Write;
use std::sync::Arc;

use zstd::bulk::Compressor;

use crate::MAGIC;
use crate::cells::RowGroupBuilder;
use crate::chunk_writer::{ChunkEncoder, PackedChunk};
use crate::error::{Error, Result};
use crate::footer_writer::FooterWriter;
use crate::schema::ColumnSchema;
use crate::sums;

/// What the packing threads need to know.
#[derive(Debug)]
struct RowGroupSetup {
    columns: usize,
    level: i32,
    page_rows: usize,
}

/// A table that is being written.
#[derive(Debug)]
pub struct ParquetWriter {
    footer: FooterWriter,
    setup: Arc<RowGroupSetup>,
    sums: String,
    /// Bytes written so far.
    at: u64,
}

/// A row group that is packed.
pub struct PackedRowGroup {
    chunks: Vec<PackedChunk>,
    rows: usize,
}

impl std::fmt::Debug for PackedRowGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Packed({} columns)", self.chunks.len())
    }
}

/// Packs row groups, on any thread.
#[derive(Clone, Debug)]
pub struct RowGroupPacker(Arc<RowGroupSetup>);

impl ParquetWriter {
    /// Begins a table of these columns, with notes for its footer, compressed at a level of zstd. To read one row, a page of
    /// `page_rows` rows of each column has to be decompressed.
    ///
    /// # Errors
    /// If there is no such level.
    pub fn new(
        fields: &[ColumnSchema],
        notes: &[(&str, String)],
        level: i32,
        page_rows: usize,
    ) -> Result<ParquetWriter> {
        if !zstd::compression_level_range().contains(&level) {
            return Err(Error::Write(format!("zstd has no level {level}")));
        }
        let mut footer = FooterWriter::new(fields);
        for (key, value) in notes {
            footer.note(key, value.clone());
        }
        Ok(ParquetWriter {
            footer,
            setup: Arc::new(RowGroupSetup {
                columns: fields.len(),
                level,
                page_rows,
            }),
            sums: String::new(),
            at: 0,
        })
    }

    /// The packer of row groups for this table.
    pub fn packer(&self) -> RowGroupPacker {
        RowGroupPacker(Arc::clone(&self.setup))
    }

    fn put(&mut self, bytes: &[u8], out: &mut dyn Write) -> Result<()> {
        out.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn begin(&mut self, out: &mut dyn Write) -> Result<()> {
        match self.at {
            0 => self.put(MAGIC, out),
            _ => Ok(()),
        }
    }

    /// Adds a row group; all data that is ready goes to `out`. A group without rows is ignored.
    pub fn add(&mut self, packed: PackedRowGroup, out: &mut dyn Write) -> Result<()> {
        if packed.chunks.len() != self.setup.columns {
            return Err(Error::Write("a row group is of another table".into()));
        }
        self.begin(out)?;
        if packed.rows > 0 {
            self.footer.add(packed.rows, &packed.chunks, self.at);
            for chunk in &packed.chunks {
                sums::push(&mut self.sums, &chunk.bytes);
                self.put(&chunk.bytes, out)?;
            }
        }
        Ok(())
    }

    /// Completes the table with more notes for its footer.
    pub fn finish(mut self, notes: &[(&str, String)], out: &mut dyn Write) -> Result<()> {
        self.begin(out)?;
        for (key, value) in notes {
            self.footer.note(key, value.clone());
        }
        let sums = std::mem::take(&mut self.sums);
        self.footer.note(sums::NOTE, sums);
        let footer = self.footer.finish();
        let length = u32::try_from(footer.len())
            .map_err(|_| Error::Write("the footer is too long".into()))?;
        out.write_all(&footer)?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(MAGIC)?;
        Ok(())
    }
}

impl RowGroupPacker {
    /// Packs a row group.
    pub fn pack(&self, group: RowGroupBuilder) -> Result<PackedRowGroup> {
        let rows = group.rows();
        let mut zstd = Compressor::new(self.0.level)?;
        let columns = group.checked()?.into_iter();
        let chunks = columns.map(|column| ChunkEncoder::pack(&column, self.0.page_rows, &mut zstd));
        let chunks: Result<Vec<_>> = chunks.collect();
        Ok(PackedRowGroup {
            chunks: chunks?,
            rows,
        })
    }
}
