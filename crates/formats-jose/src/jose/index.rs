//! The order of the games, and the offsets of their rows.
//!
//! Rows come in any order and from two tables. Large numbers are sorted on the disk, first to bring the halves of a
//! game together, then into the order of jose: by collection, by place in it, by id.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

use tabiya_io::random_file::RandomFile;
use tabiya_io::scratch_file::ScratchFile;

/// The place of a missing half.
pub const NOWHERE: u64 = u64::MAX;

/// How many records are sorted in memory.
const RUN: usize = 256 << 10;

/// Records of numbers, sorted.
struct JoseRecordSorter<const N: usize> {
    run: Vec<[u64; N]>,
    run_len: usize,
    spilled: Option<ScratchFile>,
    /// The number of records of each run that was spilled.
    runs: Vec<u64>,
}

impl<const N: usize> JoseRecordSorter<N> {
    fn new(run_len: usize) -> Self {
        JoseRecordSorter {
            run: Vec::new(),
            run_len,
            spilled: None,
            runs: Vec::new(),
        }
    }

    fn push(&mut self, record: [u64; N]) -> io::Result<()> {
        self.run.push(record);
        if self.run.len() >= self.run_len {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        self.run.sort_unstable();
        let scratch = match &mut self.spilled {
            Some(scratch) => scratch,
            none => none.insert(ScratchFile::new()?),
        };
        let mut bytes = Vec::with_capacity(64 << 10);
        for record in &self.run {
            for number in record {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            if bytes.len() >= 64 << 10 {
                scratch.write_all(&bytes)?;
                bytes.clear();
            }
        }
        scratch.write_all(&bytes)?;
        self.runs.push(self.run.len() as u64);
        self.run.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<JoseSortedRecords<N>> {
        if self.spilled.is_none() {
            self.run.sort_unstable();
            return Ok(JoseSortedRecords {
                memory: self.run.into_iter(),
                file: None,
                heap: BinaryHeap::new(),
                runs: Vec::new(),
            });
        }
        if !self.run.is_empty() {
            self.spill()?;
        }
        self.run = Vec::new();
        let file = match self.spilled {
            Some(scratch) => RandomFile::from_scratch(scratch)?,
            None => return Err(io::Error::other("nothing was spilled")),
        };
        let mut sorted = JoseSortedRecords {
            memory: Vec::new().into_iter(),
            file: Some(file),
            heap: BinaryHeap::new(),
            runs: Vec::new(),
        };
        let mut at = 0u64;
        for count in self.runs {
            let end = at + count * 8 * N as u64;
            sorted.runs.push(JoseSortRun {
                at,
                end,
                buffer: Vec::new(),
            });
            at = end;
        }
        for number in 0..sorted.runs.len() {
            sorted.refill(number)?;
        }
        Ok(sorted)
    }
}

/// One spilled run that is being read back.
struct JoseSortRun<const N: usize> {
    at: u64,
    end: u64,
    /// Records that were read and not yet returned, the next one last.
    buffer: Vec<[u64; N]>,
}

/// Records in order.
struct JoseSortedRecords<const N: usize> {
    memory: std::vec::IntoIter<[u64; N]>,
    file: Option<RandomFile>,
    heap: BinaryHeap<Reverse<([u64; N], usize)>>,
    runs: Vec<JoseSortRun<N>>,
}

impl<const N: usize> JoseSortedRecords<N> {
    fn next(&mut self) -> io::Result<Option<[u64; N]>> {
        if self.file.is_none() {
            return Ok(self.memory.next());
        }
        let Some(Reverse((record, number))) = self.heap.pop() else {
            return Ok(None);
        };
        self.refill(number)?;
        Ok(Some(record))
    }

    /// Pushes the next record of a run onto the heap.
    fn refill(&mut self, number: usize) -> io::Result<()> {
        let (Some(run), Some(file)) = (self.runs.get_mut(number), &self.file) else {
            return Ok(());
        };
        if run.buffer.is_empty() && run.at < run.end {
            let wanted = (run.end - run.at).min(1024 * 8 * N as u64);
            let mut bytes = vec![0; usize::try_from(wanted).unwrap_or(0)];
            file.read_exact_at(&mut bytes, run.at)?;
            run.at += wanted;
            for record in bytes.chunks_exact(8 * N).rev() {
                run.buffer.push(numbers(record));
            }
        }
        if let Some(record) = run.buffer.pop() {
            self.heap.push(Reverse((record, number)));
        }
        Ok(())
    }
}

fn numbers<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut record = [0; N];
    let (chunks, _) = bytes.as_chunks::<8>();
    for (number, chunk) in record.iter_mut().zip(chunks) {
        *number = u64::from_le_bytes(*chunk);
    }
    record
}

/// Collects the places of rows.
pub struct JoseIndexBuilder {
    games: JoseRecordSorter<3>,
    more: JoseRecordSorter<2>,
    halves: bool,
    run_len: usize,
}

/// A number of a row as an unsigned one in the same order, negative numbers first.
fn ordered(number: i64) -> u64 {
    let small = i32::try_from(number.clamp(i64::from(i32::MIN), i64::from(i32::MAX)));
    u64::from(small.unwrap_or(0).cast_unsigned() ^ 0x8000_0000)
}

impl JoseIndexBuilder {
    /// For games whose rows come in two halves, or complete.
    pub fn new(halves: bool) -> JoseIndexBuilder {
        JoseIndexBuilder::with_run(halves, RUN)
    }

    fn with_run(halves: bool, run_len: usize) -> JoseIndexBuilder {
        JoseIndexBuilder {
            games: JoseRecordSorter::new(run_len),
            more: JoseRecordSorter::new(run_len),
            halves,
            run_len,
        }
    }

    /// Adds a game's row.
    pub fn game(&mut self, id: i64, collection: i64, index: i64, at: u64) -> io::Result<()> {
        let place = ordered(collection) << 32 | ordered(index);
        self.games.push([ordered(id), place, at])
    }

    /// Adds the other half of a game's row.
    pub fn more(&mut self, game: i64, at: u64) -> io::Result<()> {
        self.more.push([ordered(game), at])
    }

    /// Sorts everything.
    pub fn finish(self) -> io::Result<JoseIndex> {
        let mut order = JoseRecordSorter::<4>::new(self.run_len);
        let mut games = self.games.finish()?;
        let mut more = self.more.finish()?;
        let mut other = more.next()?;
        let (mut lonely, mut orphans) = (0u64, 0u64);
        while let Some([id, place, at]) = games.next()? {
            let mut second = NOWHERE;
            if self.halves {
                while let Some([game, other_at]) = other
                    && game < id
                {
                    orphans += 1;
                    order.push([u64::MAX, game, NOWHERE, other_at])?;
                    other = more.next()?;
                }
                match other {
                    Some([game, other_at]) if game == id => {
                        second = other_at;
                        other = more.next()?;
                    }
                    _ => lonely += 1,
                }
            }
            order.push([place, id, at, second])?;
        }
        while let Some([game, at]) = other {
            orphans += 1;
            order.push([u64::MAX, game, NOWHERE, at])?;
            other = more.next()?;
        }
        drop((games, more));
        let mut sorted = order.finish()?;
        let mut index = JoseIndex {
            len: 0,
            memory: Vec::new(),
            file: None,
            collections: Vec::new(),
            lonely,
            orphans,
        };
        let mut scratch: Option<ScratchFile> = None;
        let mut bytes = Vec::new();
        while let Some([place, _, first, second]) = sorted.next()? {
            let collection = (place != u64::MAX).then_some(i64::from(
                (u32::try_from(place >> 32).unwrap_or(0) ^ 0x8000_0000).cast_signed(),
            ));
            match index.collections.last_mut() {
                Some(last) if last.id == collection => last.games += 1,
                _ => index.collections.push(JoseCollectionRun {
                    id: collection,
                    games: 1,
                }),
            }
            index.len += 1;
            index.memory.push([first, second]);
            if index.memory.len() >= self.run_len {
                let scratch = match &mut scratch {
                    Some(scratch) => scratch,
                    none => none.insert(ScratchFile::new()?),
                };
                write_places(scratch, &mut index.memory, &mut bytes)?;
            }
        }
        if let Some(mut scratch) = scratch {
            write_places(&mut scratch, &mut index.memory, &mut bytes)?;
            index.memory = Vec::new();
            index.file = Some(RandomFile::from_scratch(scratch)?);
        }
        Ok(index)
    }
}

fn write_places(
    scratch: &mut ScratchFile,
    places: &mut Vec<[u64; 2]>,
    bytes: &mut Vec<u8>,
) -> io::Result<()> {
    bytes.clear();
    for place in places.drain(..) {
        for number in place {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }
    scratch.write_all(bytes)
}

/// A run of games of one collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoseCollectionRun {
    /// The collection's id; `None` for moves without a game.
    pub id: Option<i64>,
    /// The number of games.
    pub games: u64,
}

/// The places of the rows of each game, in order.
#[derive(Debug)]
pub struct JoseIndex {
    len: u64,
    memory: Vec<[u64; 2]>,
    file: Option<RandomFile>,
    /// The collections in the order of the games.
    pub collections: Vec<JoseCollectionRun>,
    /// Games without moves.
    pub lonely: u64,
    /// Moves without a game.
    pub orphans: u64,
}

impl JoseIndex {
    /// The number of games.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is no game.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The places of a game's halves, counted from 0.
    pub fn get(&self, number: u64) -> io::Result<Option<[u64; 2]>> {
        if number >= self.len {
            return Ok(None);
        }
        match &self.file {
            None => Ok(usize::try_from(number)
                .ok()
                .and_then(|at| self.memory.get(at).copied())),
            Some(file) => {
                let mut bytes = [0; 16];
                file.read_exact_at(&mut bytes, number * 16)?;
                Ok(Some(numbers(&bytes)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(run: usize) -> (Vec<[u64; 2]>, JoseIndex) {
        let mut builder = JoseIndexBuilder::with_run(true, run);
        // Ids descend while places in the collection ascend; game 7 has no moves, moves 100 no game.
        for n in 0..50i64 {
            builder
                .game(50 - n, 5 - n / 20, n, n as u64)
                .expect("added");
            if n != 43 {
                builder.more(50 - n, 1000 + n as u64).expect("added");
            }
        }
        builder.more(100, 77).expect("added");
        let index = builder.finish().expect("sorted");
        let all = (0..index.len())
            .map(|n| index.get(n).expect("read").expect("there"))
            .collect();
        (all, index)
    }

    #[test]
    fn spilling_changes_nothing() {
        let (plain, index) = places(1 << 20);
        assert_eq!(plain.len(), 51);
        assert_eq!(index.len(), 51);
        assert_eq!((index.lonely, index.orphans), (1, 1));
        assert_eq!(plain[0], [40, 1040]);
        assert_eq!(plain[3], [43, NOWHERE]);
        assert_eq!(plain[50], [NOWHERE, 77]);
        let ids: Vec<_> = index.collections.iter().map(|c| (c.id, c.games)).collect();
        assert_eq!(
            ids,
            [(Some(3), 10), (Some(4), 20), (Some(5), 20), (None, 1)]
        );
        for run in [1, 2, 7, 50] {
            assert_eq!(places(run).0, plain);
        }
        assert_eq!(index.get(51).expect("read"), None);
    }
}
