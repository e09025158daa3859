//! From parts to buckets: the postings of a part are sorted, and written in the format of the file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tabiya_model::{Control, Database, Error, Result};

use super::builder::{CountingWriter, LayerPlan};
use super::coding::{push_number, push_rising, put_short_check, short_check};
use super::frequent::FrequentPositions;
use super::key_table::KeyTable;
use super::postings::{IndexPosting, RarePosting, TAG, postings_of, tag_of};
use super::spool::{PartReader, SpoolContent, SpoolPiece};
use super::tallies;
use crate::game_brief::GameBrief;
use crate::move_code::MoveCode;
use crate::read_mode::{ReadMode, each};
use crate::tally::PositionTally;

/// The minimum number of main lines for a listed position to have figures.
const FIGURES: usize = 256;

/// The number of postings that are sorted at once. If a part has more (all games contain its first position), its buckets
/// are sorted in groups, and a bucket with more is read twice instead of being sorted.
#[cfg(not(test))]
const AT_ONCE: usize = 2 << 20;
#[cfg(test)]
const AT_ONCE: usize = 1 << 10;

/// Sorts the parts into buckets.
pub(super) struct PostingSorter<'s> {
    pub(super) database: &'s dyn Database,
    pub(super) common: &'s FrequentPositions,
    pub(super) plan: LayerPlan,
    pub(super) number: u64,
    pub(super) first: u64,
    pub(super) bucket_bits: u32,
    pub(super) facts: &'s [u64],
    pub(super) spooled: SpoolContent<'s>,
    pub(super) control: &'s Control,
}

/// A part in the form of the file.
#[derive(Default)]
struct BucketPart {
    bytes: Vec<u8>,
    /// The end of each bucket.
    ends: Vec<usize>,
    shown: Vec<u32>,
}

/// Sorts parts and writes them.
struct PartWriter<'o, 'w> {
    waiting: BTreeMap<usize, BucketPart>,
    next: usize,
    out: &'o mut CountingWriter<'w>,
    start: u64,
    directory: Vec<u64>,
    shown: Vec<u32>,
    failed: Option<Error>,
}

impl PartWriter<'_, '_> {
    fn add(&mut self, part: usize, sorted: Result<BucketPart>) {
        match sorted {
            Ok(sorted) => self.waiting.insert(part, sorted),
            Err(error) => {
                self.failed.get_or_insert(error);
                return;
            }
        };
        while let Some(sorted) = self.waiting.remove(&self.next) {
            self.next += 1;
            let base = self.out.written - self.start;
            if let Err(error) = self.out.write_all(&sorted.bytes) {
                self.failed.get_or_insert(error.into());
                return;
            }
            self.directory
                .extend(sorted.ends.iter().map(|end| base + *end as u64));
            self.shown.extend(sorted.shown);
        }
    }
}

/// The postings of one bucket in the order of the games, which can be read repeatedly.
pub(super) trait PostingSource {
    fn each(&mut self, take: impl FnMut(IndexPosting)) -> io::Result<()>;
}

impl PostingSource for &[IndexPosting] {
    #[inline]
    fn each(&mut self, take: impl FnMut(IndexPosting)) -> io::Result<()> {
        self.iter().copied().for_each(take);
        Ok(())
    }
}

/// One bucket of a part.
struct BucketPostings<'f, 's, B> {
    reader: &'f mut PartReader<'s>,
    pieces: &'f [SpoolPiece],
    bucket_of: B,
    bucket: usize,
}

impl<B: Fn(u64) -> usize> PostingSource for BucketPostings<'_, '_, B> {
    fn each(&mut self, mut take: impl FnMut(IndexPosting)) -> io::Result<()> {
        self.reader.common(self.pieces, |posting| {
            if (self.bucket_of)(posting.key) == self.bucket {
                take(posting);
            }
        })
    }
}

/// Some postings, followed by those of other positions.
struct PostingChain<'b, P>(P, &'b [IndexPosting]);

impl<P: PostingSource> PostingSource for PostingChain<'_, P> {
    #[inline]
    fn each(&mut self, mut take: impl FnMut(IndexPosting)) -> io::Result<()> {
        self.0.each(&mut take)?;
        self.1.each(take)
    }
}

/// The number of postings of a bucket.
#[derive(Copy, Clone, Default)]
struct BucketCount {
    common: usize,
    rare: usize,
}

/// Rare postings of a bucket with the same last bits of their tags.
#[derive(Copy, Clone, Default)]
struct RareCheck {
    games: u32,
    last: u32,
    is_missed: bool,
}

/// The start of each bucket of a group, with room for all of its content.
fn places<T: Copy + Default>(
    group: &[BucketCount],
    of: impl Fn(&BucketCount) -> usize,
    room: &mut Vec<T>,
) -> Vec<usize> {
    let mut end = 0;
    let places = group
        .iter()
        .map(|count| {
            let start = end;
            end += of(count);
            start
        })
        .collect();
    // Every one of them is overwritten.
    if room.len() < end {
        room.resize(end, T::default());
    }
    places
}

/// Puts a value into its place, which advances.
#[inline]
fn put<T>(it: T, bucket: usize, places: &mut [usize], room: &mut [T]) {
    if let Some(place) = places.get_mut(bucket) {
        if let Some(slot) = room.get_mut(*place) {
            *slot = it;
        }
        *place += 1;
    }
}

impl PostingSorter<'_> {
    /// Writes all buckets; returns their directory and the games that figures show, or `None` if it was stopped.
    pub(super) fn write(
        &self,
        out: &mut CountingWriter<'_>,
    ) -> Result<Option<(Vec<u64>, Vec<u32>)>> {
        let parts = 1_usize << self.plan.part_bits;
        let start = out.written;
        let turns = Mutex::new(PartWriter {
            waiting: BTreeMap::new(),
            next: 0,
            out,
            start,
            directory: vec![0],
            shown: Vec::new(),
            failed: None,
        });
        let next = AtomicUsize::new(0);
        let work = || {
            let mut desk = SorterBuffers::default();
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts || self.control.is_stopped() {
                    return;
                }
                let sorted = self.sort(part, &mut desk);
                let mut turns = turns.lock().unwrap_or_else(PoisonError::into_inner);
                turns.add(part, sorted);
                if turns.failed.is_some() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.control.threads().clamp(1, parts) {
                scope.spawn(work);
            }
            work();
        });
        let turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
        match turns.failed {
            Some(error) => Err(error),
            None if turns.next < parts || self.control.is_stopped() => Ok(None),
            None => Ok(Some((turns.directory, turns.shown))),
        }
    }

    /// Sorts a part. The caller discards the result after a stop.
    fn sort(&self, part: usize, desk: &mut SorterBuffers) -> Result<BucketPart> {
        let mut out = BucketPart::default();
        let Some(mut reader) = self.spooled.reader(part, self.control) else {
            return Ok(out);
        };
        reader.load(std::mem::take(&mut desk.loaded))?;
        let bits = self.bucket_bits - self.plan.part_bits;
        let mask = (1_u64 << bits) - 1;
        let shift = 64 - self.bucket_bits;
        // A shift by all 64 bits is invalid; then there is only one bucket.
        let bucket_of = |key: u64| (key.checked_shr(shift).unwrap_or(0) & mask) as usize;
        let bucket_of_tag = |tag: u16| (u32::from(tag) >> (TAG - bits)) as usize;
        let number_of = |bucket: usize| (part << bits | bucket) as u64;

        let pieces = reader.pieces()?;
        let mut counts = vec![BucketCount::default(); 1 << bits];
        reader.common(&pieces, |posting| {
            counts[bucket_of(posting.key)].common += 1
        })?;
        reader.rare(&pieces, |rare| counts[bucket_of_tag(rare.tag)].rare += 1)?;

        let mut from = 0;
        while from < counts.len() && !self.control.is_stopped() {
            // As many buckets as can be sorted at once, or one that has too many common positions for that.
            let group = counts.get(from..).unwrap_or(&[]);
            let mut sum = 0;
            let fitting = group.iter().take_while(|count| {
                sum += count.common + count.rare;
                sum <= AT_ONCE
            });
            let fitting = fitting.count();
            let group = group.get(..fitting.max(1)).unwrap_or(group);
            let buckets = from..from + group.len();

            let mut rare = std::mem::take(&mut desk.rare_ones);
            let mut rare_ends = places(group, |count| count.rare, &mut rare);
            reader.rare(&pieces, |one| {
                let at = bucket_of_tag(one.tag).wrapping_sub(buckets.start);
                put(one, at, &mut rare_ends, &mut rare);
            })?;
            if fitting == 0 {
                let bucket = BucketPostings {
                    reader: &mut reader,
                    pieces: &pieces,
                    bucket_of,
                    bucket: from,
                };
                let rare = rare.get(..rare_ends.first().copied().unwrap_or(0));
                self.bucket(number_of(from), bucket, rare.unwrap_or(&[]), desk, &mut out)?;
            } else {
                let mut sorted = std::mem::take(&mut desk.sorted);
                let mut ends = places(group, |count| count.common, &mut sorted);
                reader.common(&pieces, |posting| {
                    let at = bucket_of(posting.key).wrapping_sub(buckets.start);
                    put(posting, at, &mut ends, &mut sorted);
                })?;
                let (mut start, mut rare_start) = (0, 0);
                for ((bucket, end), rare_end) in buckets.clone().zip(&ends).zip(&rare_ends) {
                    if self.control.is_stopped() {
                        return Ok(out);
                    }
                    let postings = sorted.get(start..*end).unwrap_or(&[]);
                    let rare = rare.get(rare_start..*rare_end).unwrap_or(&[]);
                    self.bucket(number_of(bucket), postings, rare, desk, &mut out)?;
                    (start, rare_start) = (*end, *rare_end);
                }
                desk.sorted = sorted;
            }
            desk.rare_ones = rare;
            from = buckets.end;
        }
        desk.loaded = reader.unload();
        Ok(out)
    }

    /// Writes a bucket.
    fn bucket(
        &self,
        bucket: u64,
        postings: impl PostingSource,
        rare: &[RarePosting],
        desk: &mut SorterBuffers,
        out: &mut BucketPart,
    ) -> Result<()> {
        let missed = self.missed(bucket, rare, desk)?;
        desk.rare.clear();
        let checks = desk.checks.as_slice();
        let is_missed = |one: &RarePosting| {
            let check = usize::from(one.tag) & (checks.len().wrapping_sub(1));
            !missed.is_empty() && checks.get(check).is_some_and(|check| check.is_missed)
        };
        let rare = rare.iter().filter(|one| !is_missed(one));
        desk.rare.extend(rare.map(|one| one.game));
        let is_sorted = desk.rare.len();
        let mut postings = PostingChain(postings, missed.as_slice());
        desk.entries.clear();
        desk.lists.clear();
        let frequent = desk.table.count(&mut postings, self.plan.listed)?;
        if frequent.is_empty() {
            postings.each(|posting| desk.rare.push(posting.game))?;
        } else {
            let mut lists: Vec<FrequentGames> = frequent
                .iter()
                .map(|games| FrequentGames::of(*games))
                .collect();
            postings.each(|posting| {
                match desk
                    .table
                    .frequent(posting.key)
                    .and_then(|at| lists.get_mut(at))
                {
                    Some(list) => list.add(posting),
                    None => desk.rare.push(posting.game),
                }
            })?;
            lists.sort_by_key(|list| list.key);
            for list in &lists {
                self.list(list, desk, out);
            }
        }
        if is_sorted < desk.rare.len() {
            desk.rare.sort_unstable();
        }
        desk.rare.dedup();
        desk.coded.clear();
        push_rising(&mut desk.coded, desk.rare.iter().copied());
        let start = out.bytes.len();
        out.bytes.extend_from_slice(&[0; 4]);
        push_number(&mut out.bytes, desk.rare.len() as u64);
        push_number(&mut out.bytes, desk.coded.len() as u64);
        push_number(&mut out.bytes, frequent.len() as u64);
        push_number(&mut out.bytes, desk.entries.len() as u64);
        out.bytes.extend_from_slice(&desk.entries);
        out.bytes.extend_from_slice(&desk.coded);
        let place = self.number.rotate_right(16) ^ bucket;
        put_short_check(&mut out.bytes, start, place);
        out.bytes.extend_from_slice(&desk.lists);
        out.ends.push(out.bytes.len());
        Ok(())
    }

    /// The postings of positions that may occur in enough games to be listed, but were not treated as common. The rare ones
    /// among them are marked by their check.
    fn missed(
        &self,
        bucket: u64,
        rare: &[RarePosting],
        desk: &mut SorterBuffers,
    ) -> Result<Vec<IndexPosting>> {
        if self.common.is_all() || rare.len() < self.plan.listed {
            return Ok(Vec::new());
        }
        let bits = self.bucket_bits - self.plan.part_bits;
        let mask = (1_usize << (TAG - bits)) - 1;
        desk.checks.clear();
        desk.checks.resize(mask + 1, RareCheck::default());
        let mut is_any = false;
        for one in rare {
            let Some(check) = desk.checks.get_mut(usize::from(one.tag) & mask) else {
                continue;
            };
            if check.games == 0 || check.last != one.game {
                check.games += 1;
                check.last = one.game;
                check.is_missed = check.games as usize >= self.plan.listed;
                is_any |= check.is_missed;
            }
        }
        if !is_any {
            return Ok(Vec::new());
        }
        let is_missed = |tag: u16| {
            let check = desk.checks.get(usize::from(tag) & mask);
            check.is_some_and(|check| check.is_missed)
        };
        let mut games: Vec<u64> = rare
            .iter()
            .filter(|one| is_missed(one.tag))
            .map(|one| self.first + u64::from(one.game))
            .collect();
        games.dedup();
        let look = ReadMode::for_index(self.database);
        let alone = self.control.clone().with_threads(1);
        let number_of = |key: u64| key.checked_shr(64 - self.bucket_bits).unwrap_or(0);
        let is_wanted = |key: u64| {
            let tag = tag_of(key, self.plan.part_bits);
            number_of(key) == bucket && is_missed(tag) && !self.common.has(key)
        };
        let (found, _) = each(self.database, &games, look, &alone, |seen| {
            postings_of(seen, look, is_wanted)
        })?;
        let mut postings = Vec::new();
        for (number, found) in games.iter().zip(found) {
            let game = (number - self.first) as u32;
            postings.extend(found.into_iter().map(|mut posting: IndexPosting| {
                posting.game = game;
                posting
            }));
        }
        Ok(postings)
    }

    /// Writes the entry and the lists of a frequent position.
    fn list(&self, list: &FrequentGames, desk: &mut SorterBuffers, out: &mut BucketPart) {
        let key = list.key;
        let (main, others) = (&list.main, &list.others);
        let start = desk.lists.len();
        push_rising(&mut desk.lists, main.iter().map(|(game, _)| *game));
        let middle = desk.lists.len();
        push_rising(&mut desk.lists, others.iter().copied());
        let end = desk.lists.len();
        if main.len() >= FIGURES {
            let mut tally = PositionTally::default();
            for (game, step) in main {
                let facts = self.facts.get(*game as usize).copied().unwrap_or(0);
                let number = self.first + u64::from(*game);
                tally.add(number, *step, GameBrief::from_bits(facts));
            }
            tallies::push(&mut desk.lists, &tally, self.first);
            let games = tally.top().iter().chain(tally.recent());
            out.shown
                .extend(games.map(|shown| (shown.number - self.first) as u32));
        }
        let of = |from: usize, to: usize| desk.lists.get(from..to).unwrap_or(&[]);
        let lists_check = short_check(key, of(start, end));
        let figures_check = short_check(!key, of(end, desk.lists.len()));
        let entry = &mut desk.entries;
        entry.extend_from_slice(&key.to_le_bytes());
        for number in [
            main.len(),
            others.len(),
            middle - start,
            end - middle,
            desk.lists.len() - end,
        ] {
            push_number(entry, number as u64);
        }
        entry.extend_from_slice(&lists_check.to_le_bytes());
        entry.extend_from_slice(&figures_check.to_le_bytes());
    }
}

/// The games of a frequent position.
struct FrequentGames {
    key: u64,
    /// The last game, and whether the position occurs in its main line.
    last: Option<(u32, bool)>,
    /// Games with the position in the main line, and the move played there first.
    main: Vec<(u32, MoveCode)>,
    /// Games with it in variations only.
    others: Vec<u32>,
}

impl FrequentGames {
    /// With room for this number of games with the position in the main line.
    fn of(games: usize) -> FrequentGames {
        FrequentGames {
            key: 0,
            last: None,
            main: Vec::with_capacity(games),
            others: Vec::new(),
        }
    }

    #[inline]
    fn add(&mut self, posting: IndexPosting) {
        self.key = posting.key;
        let game = posting.game;
        let known = match self.last {
            // If a position occurs repeatedly, the move played first counts.
            Some((last, true)) if last == game => return,
            Some((last, false)) => last == game,
            _ => false,
        };
        self.last = Some((game, posting.is_main()));
        if posting.is_main() {
            if known {
                self.others.pop();
            }
            self.main.push((game, posting.step()));
        } else if !known {
            self.others.push(game);
        }
    }
}

/// Memory that is reused for each bucket.
#[derive(Default)]
struct SorterBuffers {
    loaded: Vec<u8>,
    sorted: Vec<IndexPosting>,
    rare_ones: Vec<RarePosting>,
    checks: Vec<RareCheck>,
    table: KeyTable,
    rare: Vec<u32>,
    coded: Vec<u8>,
    entries: Vec<u8>,
    lists: Vec<u8>,
}
