//! Writing a sorted table as files of some million rows, each with its range of keys.

use std::collections::VecDeque;
use std::thread::JoinHandle;

use tabiya_columns::{ColumnSchema, PackedRowGroup, ParquetWriter, RowGroupBuilder};
use tabiya_formats::lake::{LakeChange, LakeFileEntry, NewLakeFile};
use tabiya_model::error_codes;
use tabiya_model::{Error, Result};

/// The number of rows in a row group, whose keys are decompressed to find one.
const GROUP_ROWS: usize = 1 << 15;
/// The number of rows in a page; one page is decompressed to read the other columns of a key.
const PAGE_ROWS: usize = 1 << 10;
/// The approximate number of rows of a file.
const FILE_ROWS: u64 = 1 << 22;
/// The compression level of columns.
const LEVEL: i32 = 6;
/// The number of groups that are packed at the same time.
const AT_ONCE: usize = 2;

pub(crate) fn failed(error: tabiya_columns::Error) -> Error {
    Error::new(&error_codes::WRITE_FAILED, error.to_string())
}

/// A table that is being written.
pub(crate) struct ShardWriter<'c> {
    change: &'c mut LakeChange,
    table: &'static str,
    fields: Vec<ColumnSchema>,
    /// The range of games that it covers.
    games: (u64, u64),
    group: RowGroupBuilder,
    open: Option<ShardFile>,
    entries: Vec<LakeFileEntry>,
}

/// A file under way.
struct ShardFile {
    file: NewLakeFile,
    writer: ParquetWriter,
    packing: VecDeque<JoinHandle<tabiya_columns::Result<PackedRowGroup>>>,
    rows: u64,
    keys: Option<(i64, i64)>,
}

impl<'c> ShardWriter<'c> {
    pub(crate) fn new(
        change: &'c mut LakeChange,
        table: &'static str,
        fields: Vec<ColumnSchema>,
        games: (u64, u64),
    ) -> ShardWriter<'c> {
        ShardWriter {
            change,
            table,
            group: RowGroupBuilder::new(&fields),
            fields,
            games,
            open: None,
            entries: Vec::new(),
        }
    }

    /// The collected rows: a row is pushed into it and then ended with [`ShardWriter::end_row`].
    pub(crate) fn group(&mut self) -> &mut RowGroupBuilder {
        &mut self.group
    }

    /// Ends a row. `key` is its sort key, and `is_new` says that no earlier row has it: a file ends only together with a
    /// key.
    pub(crate) fn end_row(&mut self, key: Option<i64>, is_new: bool) -> Result<()> {
        // The row belongs to the next file if this one is long enough.
        if is_new
            && self.group.rows() == 0
            && self
                .open
                .as_ref()
                .is_some_and(|open| open.rows >= FILE_ROWS)
        {
            self.close()?;
        }
        self.group.end_row();
        if self.open.is_none() {
            self.open = Some(self.begin()?);
        }
        if let Some(open) = &mut self.open {
            open.rows += 1;
            if let Some(key) = key {
                let (least, _) = open.keys.unwrap_or((key, key));
                open.keys = Some((least, key));
            }
        }
        if self.group.rows() >= GROUP_ROWS {
            self.flush()?;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<ShardFile> {
        Ok(ShardFile {
            file: self.change.create(self.table)?,
            writer: ParquetWriter::new(&self.fields, &[], LEVEL, PAGE_ROWS).map_err(failed)?,
            packing: VecDeque::new(),
            rows: 0,
            keys: None,
        })
    }

    fn flush(&mut self) -> Result<()> {
        let Some(open) = self.open.as_mut().filter(|_| self.group.rows() > 0) else {
            return Ok(());
        };
        while open.packing.len() >= AT_ONCE {
            open.write_one()?;
        }
        let group = std::mem::replace(&mut self.group, RowGroupBuilder::new(&self.fields));
        let packer = open.writer.packer();
        let pack = move || packer.pack(group);
        open.packing.push_back(std::thread::spawn(pack));
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        self.flush()?;
        let Some(mut open) = self.open.take() else {
            return Ok(());
        };
        while !open.packing.is_empty() {
            open.write_one()?;
        }
        let ShardFile {
            mut file,
            writer,
            rows,
            keys,
            ..
        } = open;
        writer.finish(&[], &mut file).map_err(failed)?;
        let entry = LakeFileEntry {
            rows,
            keys,
            games: self.games,
            ..self.change.complete(file)?
        };
        self.entries.push(entry);
        Ok(())
    }

    /// Completes the table: its files, which the manifest does not list yet.
    pub(crate) fn finish(mut self) -> Result<Vec<LakeFileEntry>> {
        // A table without rows has a file that says which games it covers.
        if self.open.is_none() && self.entries.is_empty() {
            self.open = Some(self.begin()?);
        }
        self.close()?;
        Ok(self.entries)
    }
}

impl ShardFile {
    fn write_one(&mut self) -> Result<()> {
        let Some(thread) = self.packing.pop_front() else {
            return Ok(());
        };
        let packed = thread
            .join()
            .map_err(|_| {
                Error::new(
                    &error_codes::THREAD_ENDED,
                    "a thread that packs columns has failed",
                )
            })?
            .map_err(failed)?;
        self.writer.add(packed, &mut self.file).map_err(failed)
    }
}
