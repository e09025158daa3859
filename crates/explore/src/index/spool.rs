//! Postings on their way from games to parts: blocks in memory as far as that reaches, the others in a file.
//!
//! What a run of games has for a part stands there in one piece after a head that names the run. Pieces come in the
//! order in which threads are done with them; readers put them in the order of the games.

use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tabiya_model::Control;

use super::postings::{Posting, SIZE};

/// Bytes of a block: whole postings, about as many as a system moves at once.
const BLOCK: usize = SIZE * 5_120;

/// A place for what does not fit into memory.
pub trait Spill: Sync {
    /// Adds a block and says where it is.
    fn append(&self, block: &[u8]) -> io::Result<u64>;
    /// Reads the block of a place.
    fn read(&self, at: u64, block: &mut [u8]) -> io::Result<()>;
}

enum Kept {
    Memory(Vec<u8>),
    Spilled(u64),
}

/// What one part has so far.
#[derive(Default)]
struct Filling {
    full: Vec<Kept>,
    /// The block that is being filled.
    last: Vec<u8>,
}

/// Takes the postings of all parts from all threads.
pub(super) struct Spool<'s> {
    parts: Vec<Mutex<Filling>>,
    runs: AtomicU32,
    /// Bytes of full blocks that memory still holds.
    left: AtomicU64,
    /// Blocks that were spilled, to be filled again.
    spare: Mutex<Vec<Vec<u8>>>,
    spill: &'s dyn Spill,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'s> Spool<'s> {
    /// For so many parts in so many bytes of memory, the blocks that are being filled included.
    pub(super) fn new(parts: usize, memory: u64, spill: &'s dyn Spill) -> Spool<'s> {
        let filling = (parts * BLOCK) as u64;
        Spool {
            parts: (0..parts).map(|_| Mutex::default()).collect(),
            runs: AtomicU32::new(0),
            left: AtomicU64::new(memory.saturating_sub(filling)),
            spare: Mutex::default(),
            spill,
        }
    }

    /// Adds the postings of a run of games, which stand part by part: `starts` says where each part begins, in postings,
    /// and where the last ends. Gives the number of the run.
    pub(super) fn add(&self, starts: &[u32], bytes: &[u8]) -> io::Result<u32> {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        // Threads that are done at once begin at different parts.
        let turn = run as usize * 37 % self.parts.len().max(1);
        let (front, back) = self.parts.split_at(turn);
        let parts = (turn..).zip(back).chain((0..).zip(front));
        for (part, filling) in parts {
            let bound = |at: usize| starts.get(at).map_or(0, |start| *start as usize);
            let (start, end) = (bound(part), bound(part + 1));
            if start == end {
                continue;
            }
            let mut head = [0; SIZE];
            head[..4].copy_from_slice(&run.to_le_bytes());
            head[4..8].copy_from_slice(&((end - start) as u32).to_le_bytes());
            let mut filling = lock(filling);
            self.push(&mut filling, &head)?;
            let piece = bytes.get(start * SIZE..end * SIZE).unwrap_or(&[]);
            self.push(&mut filling, piece)?;
        }
        Ok(run)
    }

    fn push(&self, filling: &mut Filling, mut bytes: &[u8]) -> io::Result<()> {
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

    fn keep(&self, mut block: Vec<u8>) -> io::Result<Kept> {
        let fits = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(BLOCK as u64)
            })
            .is_ok();
        if fits {
            return Ok(Kept::Memory(block));
        }
        let at = self.spill.append(&block)?;
        block.clear();
        lock(&self.spare).push(block);
        Ok(Kept::Spilled(at))
    }

    /// Ends the taking. `firsts` says for each run which game is its first, from 0 at the start of the layer.
    pub(super) fn finish(self, firsts: Vec<u32>) -> Spooled<'s> {
        let parts = self
            .parts
            .into_iter()
            .map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        Spooled {
            parts,
            firsts,
            spill: self.spill,
        }
    }
}

/// All postings, part by part.
pub(super) struct Spooled<'s> {
    parts: Vec<Filling>,
    firsts: Vec<u32>,
    spill: &'s dyn Spill,
}

/// What a run of games has for a part.
#[derive(Copy, Clone)]
pub(super) struct Piece {
    /// The first game of the run.
    first: u32,
    /// Where the postings start, heads counted as postings.
    at: usize,
    /// Where they start in what [`PartReader::scan`] gave.
    taken: usize,
    count: usize,
}

impl Piece {
    /// The postings of the piece among all that [`PartReader::scan`] gave.
    pub(super) fn of<'p>(&self, scanned: &'p [Posting]) -> &'p [Posting] {
        scanned
            .get(self.taken..self.taken + self.count)
            .unwrap_or(&[])
    }
}

impl Spooled<'_> {
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
            cache: Default::default(),
        })
    }
}

/// Blocks that a reader keeps: pieces that follow each other in the order of the games lie near each other.
const CACHE: usize = 4;

/// Reads a part.
pub(super) struct PartReader<'s> {
    control: &'s Control,
    part: &'s Filling,
    firsts: &'s [u32],
    spill: &'s dyn Spill,
    cache: [Option<(usize, Vec<u8>)>; CACHE],
}

impl PartReader<'_> {
    /// The number of postings, heads counted as such.
    pub(super) fn len(&self) -> usize {
        (self.part.full.len() * BLOCK + self.part.last.len()) / SIZE
    }

    /// Whether a part of it lies outside of memory.
    pub(super) fn is_spilled(&self) -> bool {
        let is_there = |kept: &Kept| matches!(kept, Kept::Spilled(_));
        self.part.full.iter().any(is_there)
    }

    /// Gives every posting as they are stored, or a beginning of them after a stop; then the pieces in the order of the
    /// games.
    #[inline]
    pub(super) fn scan(&mut self, mut take: impl FnMut(Posting)) -> io::Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        let (mut at, len) = (0, self.len());
        while at < len && !self.control.is_stopped() {
            let Some((run, count)) = self.rest(at)?.first_chunk::<SIZE>().map(|head| {
                let (run, rest) = head.split_at(4);
                (word(run), word(rest) as usize)
            }) else {
                break;
            };
            at += 1;
            let piece = Piece {
                first: self.firsts.get(run as usize).copied().unwrap_or(0),
                taken: at - 1 - pieces.len(),
                at,
                count,
            };
            self.piece(piece, &mut take)?;
            pieces.push(piece);
            at += count;
        }
        pieces.sort_by_key(|piece| piece.first);
        Ok(pieces)
    }

    /// Gives every posting of the pieces, or a beginning of them after a stop.
    #[inline]
    pub(super) fn each(
        &mut self,
        pieces: &[Piece],
        mut take: impl FnMut(Posting),
    ) -> io::Result<()> {
        for piece in pieces {
            if self.control.is_stopped() {
                return Ok(());
            }
            self.piece(*piece, &mut take)?;
        }
        Ok(())
    }

    #[inline]
    fn piece(&mut self, piece: Piece, take: &mut impl FnMut(Posting)) -> io::Result<()> {
        let (mut at, end) = (piece.at, piece.at + piece.count);
        while at < end {
            let rest = self.rest(at)?;
            let count = (rest.len() / SIZE).min(end - at);
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            for bytes in rest.chunks_exact(SIZE).take(count) {
                take(Posting::of(bytes, piece.first));
            }
            at += count;
        }
        Ok(())
    }

    /// The block of a posting, from the posting on.
    fn rest(&mut self, at: usize) -> io::Result<&[u8]> {
        const IN_BLOCK: usize = BLOCK / SIZE;
        let (index, from) = (at / IN_BLOCK, at % IN_BLOCK * SIZE);
        let part = self.part;
        let bytes = match part.full.get(index) {
            Some(Kept::Memory(block)) => block.as_slice(),
            Some(Kept::Spilled(place)) => {
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

    /// A file in memory that counts.
    #[derive(Default)]
    struct Kept(Mutex<Vec<Vec<u8>>>);

    impl Spill for Kept {
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

    /// Runs come in another order than their games; pieces go over the ends of blocks, some of them in the file.
    #[test]
    fn a_part_is_read_in_the_order_of_its_games() {
        for memory in [0, 3 * BLOCK as u64 + 200_000, u64::MAX] {
            let file = Kept::default();
            let spool = Spool::new(2, memory, &file);
            let mut firsts = Vec::new();
            for run in [3_u32, 0, 2, 1, 4] {
                let games = 1000_u32;
                let each = 17;
                let of_part = |part: u64| {
                    (0..games)
                        .flat_map(move |game| (0..each).map(move |_| (part, game)))
                        .flat_map(|(part, game)| posting(part << 63 | u64::from(game), game))
                };
                let bytes: Vec<u8> = of_part(0).chain(of_part(1)).collect();
                let number = spool
                    .add(&[0, games * each, 2 * games * each], &bytes)
                    .expect("added");
                assert_eq!(number as usize, firsts.len());
                firsts.push(run * games);
            }
            let spooled = spool.finish(firsts);
            let control = Control::default();
            assert_eq!(lock(&file.0).is_empty(), memory == u64::MAX);
            for part in 0..2 {
                let mut reader = spooled.reader(part, &control).expect("there");
                let mut scanned = Vec::new();
                let pieces = reader
                    .scan(|posting| scanned.push(posting.game))
                    .expect("read");
                assert_eq!(pieces.len(), 5);
                assert_eq!(scanned.len(), 5000 * 17);
                let mut games = Vec::new();
                reader
                    .each(&pieces, |posting| {
                        assert_eq!(posting.key >> 63, part as u64);
                        assert_eq!(posting.key as u32 & 0xffff, posting.game % 1000);
                        games.push(posting.game);
                    })
                    .expect("read");
                let expected: Vec<u32> = (0..5000).flat_map(|game| [game; 17]).collect();
                assert!(games == expected);
            }
            assert!(spooled.reader(2, &control).is_none());
        }
    }
}
