//! Postings on their way from games to parts: in blocks in memory as far as it suffices, the rest in a file.
//!
//! The postings of a run of games for a part are in one piece, common positions first, after a head that names the run.
//! Pieces arrive in the order in which threads finish them; readers put them in the order of the games.

use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tabiya_model::Control;

use super::postings::{IndexPosting, RARE, RarePosting, SIZE, SKIP};

/// The size of a block in bytes: whole postings, about as many as a system transfers at once.
const BLOCK: usize = SIZE * 5_120;

// Rare postings never cross the end of a block.
const _: () = assert!(SIZE.is_multiple_of(RARE));

/// The size of what a run of games has for a part.
#[derive(Copy, Clone, Default)]
pub(super) struct RunSize {
    /// The number of postings of common positions.
    pub(super) common: u32,
    /// The number of rare ones, skips included.
    pub(super) rare: u32,
}

impl RunSize {
    /// Its size in bytes, rounded up to whole postings.
    pub(super) fn bytes(self) -> usize {
        self.common as usize * SIZE + (self.rare as usize * RARE).next_multiple_of(SIZE)
    }
}

/// Storage for what exceeds the memory limit.
pub trait SpillFile: Sync {
    /// Adds a block and returns its place.
    fn append(&self, block: &[u8]) -> io::Result<u64>;
    /// Reads the block at a place.
    fn read(&self, at: u64, block: &mut [u8]) -> io::Result<()>;
}

enum SpoolBlock {
    Memory(Vec<u8>),
    Spilled(u64),
}

/// The content of one part so far.
#[derive(Default)]
struct SpoolPart {
    full: Vec<SpoolBlock>,
    /// The block that is being filled.
    last: Vec<u8>,
}

/// Takes the postings of all parts from all threads.
pub(super) struct PostingSpool<'s> {
    parts: Vec<Mutex<SpoolPart>>,
    runs: AtomicU32,
    /// The number of bytes of full blocks that still fit into memory.
    left: AtomicU64,
    /// Spilled blocks whose memory is reused.
    spare: Mutex<Vec<Vec<u8>>>,
    spill: &'s dyn SpillFile,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'s> PostingSpool<'s> {
    /// For a number of parts in a number of bytes of memory, including the blocks that are being filled.
    pub(super) fn new(parts: usize, memory: u64, spill: &'s dyn SpillFile) -> PostingSpool<'s> {
        let filling = (parts * BLOCK) as u64;
        PostingSpool {
            parts: (0..parts).map(|_| Mutex::default()).collect(),
            runs: AtomicU32::new(0),
            left: AtomicU64::new(memory.saturating_sub(filling)),
            spare: Mutex::default(),
            spill,
        }
    }

    /// Adds the postings of a run of games, which are ordered by part and have these sizes. Returns the number of the run.
    pub(super) fn add(&self, sizes: &[RunSize], bytes: &[u8]) -> io::Result<u32> {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let mut end = 0;
        let pieces: Vec<(RunSize, &[u8])> = sizes
            .iter()
            .map(|size| {
                let start = end;
                end += size.bytes();
                (*size, bytes.get(start..end).unwrap_or(&[]))
            })
            .collect();
        // Threads that finish at the same time begin with different parts.
        let turn = run as usize * 37 % self.parts.len().max(1);
        let parts = self.parts.iter().zip(&pieces);
        for (filling, (size, piece)) in parts.clone().skip(turn).chain(parts.take(turn)) {
            if piece.is_empty() {
                continue;
            }
            let mut head = [0; SIZE];
            head[..4].copy_from_slice(&run.to_le_bytes());
            head[4..8].copy_from_slice(&size.common.to_le_bytes());
            head[8..].copy_from_slice(&size.rare.to_le_bytes());
            let mut filling = lock(filling);
            self.push(&mut filling, &head)?;
            self.push(&mut filling, piece)?;
        }
        Ok(run)
    }

    fn push(&self, filling: &mut SpoolPart, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let block = &mut filling.last;
            if block.capacity() == 0 {
                let spare = lock(&self.spare).pop();
                *block = spare.unwrap_or_else(|| Vec::with_capacity(BLOCK));
            }
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - block.len()));
            block.extend_from_slice(now);
            bytes = later;
            if block.len() == BLOCK {
                let kept = self.keep(std::mem::take(block))?;
                filling.full.push(kept);
            }
        }
        Ok(())
    }

    fn keep(&self, mut block: Vec<u8>) -> io::Result<SpoolBlock> {
        let fits = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(BLOCK as u64)
            })
            .is_ok();
        if fits {
            return Ok(SpoolBlock::Memory(block));
        }
        let at = self.spill.append(&block)?;
        block.clear();
        lock(&self.spare).push(block);
        Ok(SpoolBlock::Spilled(at))
    }

    /// Ends the input. `firsts` has the first game of each run, from 0 at the start of the layer.
    pub(super) fn finish(self, firsts: Vec<u32>) -> SpoolContent<'s> {
        let parts = self
            .parts
            .into_iter()
            .map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        SpoolContent {
            parts,
            firsts,
            spill: self.spill,
        }
    }
}

/// All postings, ordered by part.
pub(super) struct SpoolContent<'s> {
    parts: Vec<SpoolPart>,
    firsts: Vec<u32>,
    spill: &'s dyn SpillFile,
}

/// The place of a run's postings in a part.
#[derive(Copy, Clone)]
pub(super) struct SpoolPiece {
    /// The first game of the run.
    first: u32,
    /// Its start after the header, counted in postings.
    at: usize,
    size: RunSize,
}

impl SpoolContent<'_> {
    /// Reads the postings of a part.
    pub(super) fn reader<'s>(
        &'s self,
        part: usize,
        control: &'s Control,
    ) -> Option<PartReader<'s>> {
        Some(PartReader {
            control,
            part: self.parts.get(part)?,
            firsts: &self.firsts,
            spill: self.spill,
            loaded: Vec::new(),
            cache: Default::default(),
        })
    }
}

/// The number of blocks that a reader caches: pieces that follow each other in the order of the games are close together.
const CACHE: usize = 4;
/// The number of bytes of a part that are read from a file at once.
const AT_ONCE: usize = 16 << 20;

/// Reads a part.
pub(super) struct PartReader<'s> {
    control: &'s Control,
    part: &'s SpoolPart,
    firsts: &'s [u32],
    spill: &'s dyn SpillFile,
    /// All full blocks, if they were read at once.
    loaded: Vec<u8>,
    cache: [Option<(usize, Vec<u8>)>; CACHE],
}

impl PartReader<'_> {
    /// The number of postings that would take as much room, headers included.
    fn len(&self) -> usize {
        (self.part.full.len() * BLOCK + self.part.last.len()) / SIZE
    }

    /// Reads the part at once, if it is not in memory and not too long.
    pub(super) fn load(&mut self, mut memory: Vec<u8>) -> io::Result<()> {
        let full = &self.part.full;
        let is_outside = |kept: &SpoolBlock| matches!(kept, SpoolBlock::Spilled(_));
        if full.len() * BLOCK > AT_ONCE || !full.iter().any(is_outside) {
            return Ok(());
        }
        memory.resize(full.len() * BLOCK, 0);
        for (kept, block) in full.iter().zip(memory.chunks_exact_mut(BLOCK)) {
            match kept {
                SpoolBlock::Memory(bytes) => block.copy_from_slice(bytes),
                SpoolBlock::Spilled(place) => self.spill.read(*place, block)?,
            }
        }
        self.loaded = memory;
        Ok(())
    }

    /// Returns the memory that it was given.
    pub(super) fn unload(self) -> Vec<u8> {
        self.loaded
    }

    /// The pieces in the order of the games, or some of them after a stop.
    pub(super) fn pieces(&mut self) -> io::Result<Vec<SpoolPiece>> {
        let mut pieces = Vec::new();
        let (mut at, len) = (0, self.len());
        while at < len && !self.control.is_stopped() {
            let Some(head) = self.rest(at)?.first_chunk::<SIZE>() else {
                break;
            };
            let (words, _) = head.as_chunks::<4>();
            let word = |at: usize| words.get(at).map_or(0, |word| u32::from_le_bytes(*word));
            let run = word(0);
            let size = RunSize {
                common: word(1),
                rare: word(2),
            };
            at += 1;
            pieces.push(SpoolPiece {
                first: self.firsts.get(run as usize).copied().unwrap_or(0),
                at,
                size,
            });
            at += size.bytes() / SIZE;
        }
        pieces.sort_by_key(|piece| piece.first);
        Ok(pieces)
    }

    /// Yields every posting of a common position of the pieces, or the first ones after a stop.
    #[inline]
    pub(super) fn common(
        &mut self,
        pieces: &[SpoolPiece],
        mut take: impl FnMut(IndexPosting),
    ) -> io::Result<()> {
        for piece in pieces {
            if self.control.is_stopped() {
                return Ok(());
            }
            let (mut at, end) = (piece.at, piece.at + piece.size.common as usize);
            while at < end {
                let bytes = self.some(at, end)?;
                for bytes in bytes.chunks_exact(SIZE) {
                    take(IndexPosting::of(bytes, piece.first));
                }
                at += bytes.len() / SIZE;
            }
        }
        Ok(())
    }

    /// Yields every rare posting of the pieces, or the first ones after a stop.
    #[inline]
    pub(super) fn rare(
        &mut self,
        pieces: &[SpoolPiece],
        mut take: impl FnMut(RarePosting),
    ) -> io::Result<()> {
        for piece in pieces {
            if self.control.is_stopped() {
                return Ok(());
            }
            let mut game = piece.first;
            let mut left = piece.size.rare as usize;
            let mut at = piece.at + piece.size.common as usize;
            let end = piece.at + piece.size.bytes() / SIZE;
            while left > 0 {
                let bytes = self.some(at, end)?;
                let (stored, _) = bytes.as_chunks::<RARE>();
                for [low, high, gap] in stored.iter().take(left) {
                    game = game.wrapping_add(u32::from(*gap));
                    if *gap < SKIP {
                        let tag = u16::from_le_bytes([*low, *high]);
                        take(RarePosting { game, tag });
                    }
                }
                left -= stored.len().min(left);
                at += bytes.len() / SIZE;
            }
        }
        Ok(())
    }

    /// The bytes from a place on, as far as they are in one block and before the end.
    #[inline]
    fn some(&mut self, at: usize, end: usize) -> io::Result<&[u8]> {
        let rest = self.rest(at)?;
        let length = rest.len().min((end - at) * SIZE);
        if length < SIZE {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(rest.get(..length).unwrap_or(rest))
    }

    /// The block of a posting, from the posting on.
    fn rest(&mut self, at: usize) -> io::Result<&[u8]> {
        const IN_BLOCK: usize = BLOCK / SIZE;
        if at * SIZE < self.loaded.len() {
            return Ok(self.loaded.get(at * SIZE..).unwrap_or(&[]));
        }
        let (index, from) = (at / IN_BLOCK, at % IN_BLOCK * SIZE);
        let part = self.part;
        let bytes = match part.full.get(index) {
            Some(SpoolBlock::Memory(block)) => block.as_slice(),
            Some(SpoolBlock::Spilled(place)) => {
                let slot = &mut self.cache[index % CACHE];
                if slot.as_ref().is_none_or(|(kept, _)| *kept != index) {
                    let mut block = slot
                        .take()
                        .map_or_else(|| vec![0; BLOCK], |(_, block)| block);
                    self.spill.read(*place, &mut block)?;
                    *slot = Some((index, block));
                }
                slot.as_ref().map_or(&[][..], |(_, block)| block.as_slice())
            }
            None => &part.last,
        };
        Ok(bytes.get(from..).unwrap_or(&[]))
    }
}

/// The first word of some bytes.
pub(super) fn word(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk::<4>()
        .map_or(0, |word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// A spill file in memory that counts reads and writes.
    #[derive(Default)]
    struct CountingSpillFile(Mutex<Vec<Vec<u8>>>);

    impl SpillFile for CountingSpillFile {
        fn append(&self, block: &[u8]) -> io::Result<u64> {
            assert_eq!(block.len(), BLOCK);
            let mut blocks = lock(&self.0);
            blocks.push(block.to_vec());
            Ok(blocks.len() as u64 - 1)
        }

        fn read(&self, at: u64, block: &mut [u8]) -> io::Result<()> {
            block.copy_from_slice(&lock(&self.0)[at as usize]);
            Ok(())
        }
    }

    fn posting(key: u64, game: u32) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(&key.to_le_bytes());
        bytes[8..].copy_from_slice(&(game << super::super::postings::GAME).to_le_bytes());
        bytes
    }

    /// Runs are added in another order than their games; pieces cross the ends of blocks, some of them in the file.
    #[test]
    fn a_part_is_read_in_the_order_of_its_games() {
        for memory in [0, 3 * BLOCK as u64 + 200_000, u64::MAX] {
            let file = CountingSpillFile::default();
            let spool = PostingSpool::new(2, memory, &file);
            let mut firsts = Vec::new();
            let (games, each) = (1000_u32, 17);
            for run in [3_u32, 0, 2, 1, 4] {
                let size = RunSize {
                    common: games * each,
                    // Every third game has one, and another one follows after a large gap.
                    rare: games.div_ceil(3) + 5,
                };
                let of_part = |part: u64| {
                    let common = (0..games)
                        .flat_map(move |game| (0..each).map(move |_| (part, game)))
                        .flat_map(|(part, game)| posting(part << 63 | u64::from(game), game));
                    let gap = |number: u32| if number == 0 { 0 } else { 3 };
                    let rare = (0..games.div_ceil(3))
                        .flat_map(move |number| [number as u8, part as u8, gap(number)]);
                    let last = [[0, 0, SKIP]; 4].into_iter().chain([[7, 7, 11]]).flatten();
                    let rare: Vec<u8> = rare.chain(last).collect();
                    let padding = rare.len().next_multiple_of(SIZE) - rare.len();
                    common.chain(rare).chain(std::iter::repeat_n(9, padding))
                };
                let bytes: Vec<u8> = of_part(0).chain(of_part(1)).collect();
                assert_eq!(bytes.len(), 2 * size.bytes());
                let number = spool.add(&[size, size], &bytes).expect("added");
                assert_eq!(number as usize, firsts.len());
                firsts.push(run * games);
            }
            let spooled = spool.finish(firsts);
            let control = Control::default();
            assert_eq!(lock(&file.0).is_empty(), memory == u64::MAX);
            for (part, is_loaded) in [(0, false), (0, true), (1, false), (1, true)] {
                let mut reader = spooled.reader(part, &control).expect("there");
                if is_loaded {
                    reader.load(vec![3; 100]).expect("read");
                }
                let pieces = reader.pieces().expect("read");
                assert_eq!(pieces.len(), 5);
                let mut found = Vec::new();
                reader
                    .common(&pieces, |posting| {
                        assert_eq!(posting.key >> 63, part as u64);
                        assert_eq!(posting.key as u32 & 0xffff, posting.game % 1000);
                        found.push(posting.game);
                    })
                    .expect("read");
                let expected: Vec<u32> = (0..5000).flat_map(|game| [game; 17]).collect();
                assert!(found == expected);
                let mut found = Vec::new();
                reader
                    .rare(&pieces, |rare| found.push((rare.game, rare.tag)))
                    .expect("read");
                let expected: Vec<(u32, u16)> = (0..5)
                    .flat_map(|run| {
                        let number = 0..games.div_ceil(3);
                        let tag = move |number: u32| (number as u8 as u16) | (part as u16) << 8;
                        let each = move |number| (run * games + 3 * number, tag(number));
                        let last = run * games + 999 + 4 * 255 + 11;
                        number.map(each).chain([(last, 0x0707)])
                    })
                    .collect();
                assert!(found == expected);
            }
            assert!(spooled.reader(2, &control).is_none());
        }
    }
}
