//! Rows that are held until it is certain that the query does not have to be run again.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom};
use std::path::PathBuf;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::common::Result;

/// Rows in their order: some in memory, more of them on disk.
pub(crate) struct RowBuffer {
    batches: VecDeque<RecordBatch>,
    /// Bytes that may still be held in memory.
    room: usize,
    folder: PathBuf,
    schema: SchemaRef,
    /// What had no room, while it is written.
    rest: Option<StreamWriter<BufWriter<File>>>,
    /// The same while it is read again.
    read: Option<StreamReader<BufReader<File>>>,
}

impl RowBuffer {
    /// Holds so many bytes in memory, and more in a file of a folder.
    pub(crate) fn new(schema: SchemaRef, room: usize, folder: PathBuf) -> RowBuffer {
        RowBuffer {
            batches: VecDeque::new(),
            room,
            folder,
            schema,
            rest: None,
            read: None,
        }
    }

    /// Holds further rows.
    pub(crate) fn push(&mut self, batch: RecordBatch) -> Result<()> {
        let bytes = batch.get_array_memory_size();
        if self.rest.is_none() && bytes <= self.room {
            self.room -= bytes;
            self.batches.push_back(batch);
            return Ok(());
        }
        let writer = match &mut self.rest {
            Some(writer) => writer,
            None => {
                // It has no name: it is gone with the program, however that ends.
                let file = BufWriter::new(tempfile::tempfile_in(&self.folder)?);
                self.rest.insert(StreamWriter::try_new(file, &self.schema)?)
            }
        };
        Ok(writer.write(&batch)?)
    }

    /// The next rows, once there are no further ones.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(batch) = self.batches.pop_front() {
            return Ok(Some(batch));
        }
        if let Some(writer) = self.rest.take() {
            let file = writer.into_inner()?.into_inner();
            let mut file = file.map_err(|error| error.into_error())?;
            file.seek(SeekFrom::Start(0))?;
            let file = BufReader::new(file);
            self.read = Some(StreamReader::try_new(file, None)?);
        }
        let next = self.read.as_mut().and_then(Iterator::next);
        Ok(next.transpose()?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::Int64Array;
    use datafusion::arrow::datatypes::{DataType, Field, Schema};

    use super::*;

    #[test]
    fn rows_come_back_in_their_order_from_memory_and_from_disk() {
        let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]));
        let folder = tempfile::tempdir().expect("a folder");
        let batch = |number: i64| {
            let numbers = Arc::new(Int64Array::from_iter_values(
                number * 100..number * 100 + 100,
            ));
            RecordBatch::try_new(Arc::clone(&schema), vec![numbers]).expect("a batch")
        };
        let mut held = RowBuffer::new(Arc::clone(&schema), 3_000, folder.path().to_owned());
        for number in 0..20 {
            held.push(batch(number)).expect("held");
        }
        assert!(held.batches.len() < 5, "{}", held.batches.len());
        for number in 0..20 {
            assert_eq!(held.next().expect("rows"), Some(batch(number)));
        }
        assert_eq!(held.next().expect("no rows"), None);
    }
}
