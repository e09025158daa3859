//! Sorting of more data than fits into memory: runs of records are sorted, written to a temporary file, and merged at
//! the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use tabiya_io::block_file::BlockFile;

/// A record to be sorted: of fixed size, in the order of `Ord`.
pub(crate) trait SortRecord: Copy + Ord + Send {
    /// The size in bytes.
    const SIZE: usize;
    /// Appends its bytes.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it from its bytes; missing ones count as zeros.
    fn take(bytes: &[u8]) -> Self;
}

/// Eight bytes at an offset as a number; missing ones count as zeros.
pub(crate) fn word(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The approximate size of a block of a run, in bytes.
const BLOCK: usize = 1 << 16;

/// A sorted run in the file.
#[derive(Debug, Default)]
struct SortRun {
    /// The offset and the length of each block.
    blocks: Vec<(u64, usize)>,
}

/// Takes records in any order.
#[derive(Debug)]
pub(crate) struct RecordSorter<R> {
    waiting: Vec<R>,
    /// The number of records that are held in memory.
    room: usize,
    file: BlockFile,
    runs: Vec<SortRun>,
}

impl<R: SortRecord> RecordSorter<R> {
    /// Holds at most this number of bytes in memory.
    pub(crate) fn new(memory: usize) -> RecordSorter<R> {
        RecordSorter {
            waiting: Vec::new(),
            room: (memory / size_of::<R>()).max(1024),
            file: BlockFile::default(),
            runs: Vec::new(),
        }
    }

    /// Adds records.
    pub(crate) fn extend(&mut self, records: &[R]) -> io::Result<()> {
        for part in records.chunks(self.room) {
            if self.waiting.len() + part.len() > self.room {
                self.spill()?;
            }
            if self.waiting.capacity() == 0 {
                self.waiting.reserve(part.len());
            }
            self.waiting.extend_from_slice(part);
        }
        Ok(())
    }

    /// Sorts the waiting records on two threads, into two runs.
    fn sort(waiting: &mut [R]) -> (&[R], &[R]) {
        let (one, two) = waiting.split_at_mut(waiting.len() / 2);
        std::thread::scope(|scope| {
            scope.spawn(|| one.sort_unstable());
            two.sort_unstable();
        });
        (one, two)
    }

    fn spill(&mut self) -> io::Result<()> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let (one, two) = RecordSorter::sort(&mut waiting);
        let mut bytes = Vec::with_capacity(BLOCK);
        for half in [one, two] {
            let mut run = SortRun::default();
            for part in half.chunks((BLOCK / R::SIZE).max(1)) {
                bytes.clear();
                part.iter().for_each(|record| record.put(&mut bytes));
                run.blocks.push((self.file.append(&bytes)?, bytes.len()));
            }
            self.runs.push(run);
        }
        waiting.clear();
        self.waiting = waiting;
        Ok(())
    }

    /// Ends the input; yields the records in order.
    pub(crate) fn finish(mut self) -> io::Result<SortedRecords<R>> {
        if !self.runs.is_empty() {
            self.spill()?;
            self.waiting = Vec::new();
        } else {
            self.waiting.sort_unstable();
        }
        let mut sorted = SortedRecords {
            memory: self.waiting,
            at: 0,
            file: self.file,
            readers: Vec::new(),
            heap: BinaryHeap::new(),
        };
        for run in self.runs {
            let mut reader = SortRunReader {
                run,
                block: 0,
                bytes: Vec::new(),
                at: 0,
            };
            if let Some(record) = reader.next(&sorted.file)? {
                sorted.heap.push(Reverse((record, sorted.readers.len())));
            }
            sorted.readers.push(reader);
        }
        Ok(sorted)
    }
}

/// Reads a run.
#[derive(Debug)]
struct SortRunReader {
    run: SortRun,
    block: usize,
    bytes: Vec<u8>,
    at: usize,
}

impl SortRunReader {
    fn next<R: SortRecord>(&mut self, file: &BlockFile) -> io::Result<Option<R>> {
        if self.at >= self.bytes.len() {
            let Some((place, length)) = self.run.blocks.get(self.block).copied() else {
                return Ok(None);
            };
            self.block += 1;
            self.bytes.resize(length, 0);
            file.read(place, &mut self.bytes)?;
            self.at = 0;
        }
        let record = R::take(self.bytes.get(self.at..).unwrap_or_default());
        self.at += R::SIZE;
        Ok(Some(record))
    }
}

/// Records in their order.
#[derive(Debug)]
pub(crate) struct SortedRecords<R> {
    memory: Vec<R>,
    at: usize,
    file: BlockFile,
    readers: Vec<SortRunReader>,
    heap: BinaryHeap<Reverse<(R, usize)>>,
}

impl<R: SortRecord> SortedRecords<R> {
    /// The next record.
    pub(crate) fn next(&mut self) -> io::Result<Option<R>> {
        if self.readers.is_empty() {
            let found = self.memory.get(self.at).copied();
            self.at += 1;
            return Ok(found);
        }
        let Some(mut least) = self.heap.peek_mut() else {
            return Ok(None);
        };
        let Reverse((record, run)) = *least;
        let next = match self.readers.get_mut(run) {
            Some(reader) => reader.next(&self.file)?,
            None => None,
        };
        match next {
            Some(next) => *least = Reverse((next, run)),
            None => {
                std::collections::binary_heap::PeekMut::pop(least);
            }
        }
        Ok(Some(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl SortRecord for u64 {
        const SIZE: usize = 8;

        fn put(&self, out: &mut Vec<u8>) {
            out.extend_from_slice(&self.to_le_bytes());
        }

        fn take(bytes: &[u8]) -> u64 {
            bytes
                .first_chunk()
                .map_or(0, |bytes| u64::from_le_bytes(*bytes))
        }
    }

    #[test]
    fn records_come_in_order_whatever_the_memory() {
        let records: Vec<u64> = (0..50_000_u64)
            .map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40)
            .collect();
        let mut expected = records.clone();
        expected.sort_unstable();
        for memory in [1, 100_000, 1 << 30] {
            let mut sorter = RecordSorter::new(memory);
            for part in records.chunks(777) {
                sorter.extend(part).expect("taken");
            }
            assert_eq!(sorter.runs.is_empty(), memory == 1 << 30);
            let mut sorted = sorter.finish().expect("sorted");
            let mut found = Vec::new();
            while let Some(record) = sorted.next().expect("read") {
                found.push(record);
            }
            assert!(found == expected, "{memory}");
        }
    }
}
