//! From games to postings: every position of every game, divided into parts by the first bits of the key.

use tabiya_model::collect::{GameRun, GameView};
use tabiya_model::error_codes;
use tabiya_model::positions::MoveDelta;
use tabiya_model::{Error, Result};

use super::frequent::FrequentPositions;
use super::rows;
use super::spool::{PostingSpool, RunSize, word};
use crate::move_code::MoveCode;
use crate::read_mode::ReadMode;
use tabiya_openings::position_key::PositionKey;

/// A position in a game, in sorting order.
#[derive(Copy, Clone, Default)]
pub(super) struct IndexPosting {
    pub(super) key: u64,
    /// The game, from 0 at the start of the layer.
    pub(super) game: u32,
    /// The move played there in the lowest 16 bits, and [`VARIATION`].
    data: u32,
}

/// Marks a position of a variation.
const VARIATION: u32 = 1 << 16;
/// Marks a position that is treated as common.
const COMMON: u32 = 1 << 17;
/// The first bit of the number of the game within its run.
pub(super) const GAME: u32 = 18;
/// The most games of one run.
const RUN_GAMES: usize = 1 << (32 - GAME);
/// The size of a stored posting, in bytes.
pub(super) const SIZE: usize = 12;

impl IndexPosting {
    /// A stored posting of a run whose first game is `first`.
    #[inline]
    pub(super) fn of(bytes: &[u8], first: u32) -> IndexPosting {
        let at = |from: usize| word(bytes.get(from..).unwrap_or(&[]));
        let data = at(8);
        IndexPosting {
            key: u64::from(at(0)) | u64::from(at(4)) << 32,
            game: first.wrapping_add(data >> GAME),
            data: data & (VARIATION | 0xffff),
        }
    }

    pub(super) fn step(self) -> MoveCode {
        MoveCode((self.data & 0xffff) as u16)
    }

    pub(super) fn is_main(self) -> bool {
        self.data & VARIATION == 0
    }
}

/// A position that is not treated as common, in sorting order.
#[derive(Copy, Clone, Default)]
pub(super) struct RarePosting {
    /// The game, from 0 at the start of the layer.
    pub(super) game: u32,
    /// The key bits after those that choose the part: see [`tag_of`].
    pub(super) tag: u16,
}

/// The size of a stored rare posting, in bytes: its tag, and the distance from the previous game.
pub(super) const RARE: usize = 3;
/// In place of the distance: skips this number of games, without a posting.
pub(super) const SKIP: u8 = u8::MAX;

/// The number of bits of a tag. Its first bits choose a bucket; its last bits show that positions of one bucket may be
/// equal.
pub(super) const TAG: u32 = u16::BITS;

/// The tag of a key whose first bits choose the part.
#[inline]
pub(super) fn tag_of(key: u64, part_bits: u32) -> u16 {
    (key << part_bits >> (64 - TAG)) as u16
}

/// The number of steps that are decoded at a time.
const STEPS: usize = 1 << 10;

/// A line under way.
#[derive(Copy, Clone)]
struct PostingLine {
    now: PositionKey,
    before: PositionKey,
    /// The log entry of the line's last position, which still needs its move.
    entry: usize,
}

/// The positions of a range of games, in order.
#[derive(Default)]
pub(super) struct PostingLog {
    /// The key in two halves; game within the run, mark and move.
    entries: Vec<[u32; 3]>,
    outer: Vec<PostingLine>,
    /// The start of each run of [`RUN_GAMES`] games.
    runs: Vec<usize>,
    /// The facts of every game.
    pub(super) facts: Vec<u64>,
    /// Games of the range that could not be decoded, from 0.
    pub(super) damaged: Vec<u64>,
    pub(super) digest: GamesDigest,
    positions: u64,
    /// The rows of every game, if games are read.
    pub(super) rows: rows::RowRun,
    /// Set by [`PostingLog::scatter`]: the numbers of the runs in the spool, and the first game of each.
    spooled: Vec<(u32, u64)>,
    /// Memory for [`PostingLog::scatter`].
    parted: Vec<u8>,
}

/// A digest of games in their order, whose parts can be computed independently.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct GamesDigest {
    sum: u64,
    weighted: u64,
}

impl GamesDigest {
    fn add(&mut self, index: u64, game: u64) {
        self.sum = self.sum.wrapping_add(game);
        self.weighted = self.weighted.wrapping_add(game.wrapping_mul(index));
    }

    /// Replaces the digest of a game by another one.
    pub(super) fn exchange(&mut self, index: u64, old: u64, new: u64) {
        let more = new.wrapping_sub(old);
        self.add(index, more);
    }

    /// Adds the digest of a part whose first game has the index `first`.
    pub(super) fn merge(&mut self, part: GamesDigest, first: u64) {
        self.sum = self.sum.wrapping_add(part.sum);
        let moved = part.weighted.wrapping_add(part.sum.wrapping_mul(first));
        self.weighted = self.weighted.wrapping_add(moved);
    }

    pub(super) fn value(self) -> u64 {
        mix(self.sum, self.weighted)
    }
}

/// The digest of one game.
pub(super) fn digest_of(game: &mut GameView<'_>, look: ReadMode) -> Result<u64> {
    let mut log = PostingLog::default();
    log.add(game, look, true)?;
    Ok(log.digest.sum)
}

fn mix(state: u64, word: u64) -> u64 {
    (state ^ word)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(27)
}

impl PostingLog {
    /// Records every position of a game. With `digest_only`, only the digest is kept.
    pub(super) fn add(
        &mut self,
        seen: &mut GameView<'_>,
        look: ReadMode,
        digest_only: bool,
    ) -> Result<()> {
        let index = self.facts.len();
        if index.is_multiple_of(RUN_GAMES) {
            self.runs.push(self.entries.len());
        }
        let game = (index % RUN_GAMES) as u32;
        let facts = look.brief(seen)?.to_bits();
        let mut digest = mix(0, facts);
        let first = look.start(seen)?;
        if first.is_readable {
            let start = self.entries.len();
            self.walk(seen, first.key, game << GAME)?;
            for entry in self.entries.get(start..).unwrap_or(&[]) {
                let [low, high, data] = *entry;
                digest = mix(digest, u64::from(low) | u64::from(high) << 32);
                digest ^= u64::from(data & VARIATION);
            }
            if digest_only {
                self.entries.truncate(start);
            }
        }
        if let Some((game, steps)) = seen.read()? {
            self.rows.add(game, steps);
            digest = mix(digest, self.rows.digest());
            if digest_only {
                self.rows.clear();
            }
        }
        if seen.is_damaged() {
            self.damaged.push(index as u64);
            digest = !digest;
        }
        self.digest.add(index as u64, digest);
        self.facts.push(facts);
        Ok(())
    }

    fn walk(&mut self, seen: &mut GameView<'_>, start: PositionKey, game: u32) -> Result<()> {
        let PostingLog { entries, outer, .. } = self;
        outer.clear();
        let entry = |key: PositionKey, mark: u32| {
            [
                key.0 as u32,
                (key.0 >> 32) as u32,
                game | mark | u32::from(MoveCode::END.0),
            ]
        };
        let mut line = PostingLine {
            now: start,
            before: start,
            entry: entries.len(),
        };
        entries.push(entry(start, 0));
        let mut mark = 0;
        let mut at = 0;
        loop {
            let steps = seen.steps_from(at, STEPS)?;
            if steps.is_empty() {
                break;
            }
            at += steps.len();
            entries.reserve(steps.len());
            for &delta in steps {
                if delta.is_move() {
                    if let Some(last) = entries.get_mut(line.entry) {
                        last[2] = last[2] & !0xffff | u32::from(MoveCode::of(delta).0);
                    }
                    line.before = line.now;
                    line.now = line.now.after(delta);
                    line.entry = entries.len();
                    entries.push(entry(line.now, mark));
                } else if delta == MoveDelta::BEGIN {
                    outer.push(line);
                    line = PostingLine {
                        now: line.before,
                        before: line.before,
                        // The position before the variation has its move already.
                        entry: usize::MAX,
                    };
                    mark = VARIATION;
                } else if let Some(last) = outer.pop() {
                    line = last;
                    if outer.is_empty() {
                        mark = 0;
                    }
                }
            }
        }
        Ok(())
    }

    /// Sorts the positions into parts, and empties the log.
    pub(super) fn scatter(&mut self, into: &PostingTarget<'_>) -> Result<()> {
        let ends: Vec<usize> = self
            .runs
            .iter()
            .skip(1)
            .copied()
            .chain([self.entries.len()])
            .collect();
        for (run, (&start, &end)) in self.runs.iter().zip(&ends).enumerate() {
            let entries = self.entries.get_mut(start..end).unwrap_or(&mut []);
            self.positions += entries.len() as u64;
            let sizes = into.sizes(entries);
            into.fill(entries, &sizes, &mut self.parted)?;
            let number = into.spool.add(&sizes, &self.parted)?;
            self.spooled.push((number, (run * RUN_GAMES) as u64));
        }
        self.entries.clear();
        self.runs.clear();
        Ok(())
    }

    /// The number of positions that fit into its memory.
    pub(super) fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    /// Keeps the memory of the entries for another run.
    pub(super) fn recycle(self) -> PostingLog {
        let PostingLog {
            mut entries,
            mut outer,
            parted,
            ..
        } = self;
        entries.clear();
        outer.clear();
        PostingLog {
            entries,
            outer,
            parted,
            ..PostingLog::default()
        }
    }
}

/// Where the positions of games are put.
pub(super) struct PostingTarget<'p> {
    /// The number of key bits that choose the part.
    pub(super) bits: u32,
    pub(super) common: &'p FrequentPositions,
    pub(super) spool: &'p PostingSpool<'p>,
}

impl PostingTarget<'_> {
    fn part_of(&self, high: u32) -> usize {
        high.checked_shr(32 - self.bits).unwrap_or(0) as usize
    }

    /// Marks the common positions of a run, and counts how many each part gets.
    fn sizes(&self, entries: &mut [[u32; 3]]) -> Vec<RunSize> {
        let mut sizes = vec![RunSize::default(); 1 << self.bits];
        let mut last = vec![0; 1 << self.bits];
        for [low, high, data] in entries {
            let part = self.part_of(*high);
            let (Some(size), Some(last)) = (sizes.get_mut(part), last.get_mut(part)) else {
                continue;
            };
            if self.common.has(u64::from(*low) | u64::from(*high) << 32) {
                *data |= COMMON;
                size.common += 1;
            } else {
                let game = *data >> GAME;
                size.rare += 1 + (game - *last) / u32::from(SKIP);
                *last = game;
            }
        }
        sizes
    }

    /// Puts the positions of a run into their places.
    fn fill(&self, entries: &[[u32; 3]], sizes: &[RunSize], bytes: &mut Vec<u8>) -> Result<()> {
        struct PartOffsets {
            common: usize,
            rare: usize,
            game: u32,
        }
        let mut end = 0_usize;
        let mut places: Vec<PartOffsets> = Vec::with_capacity(sizes.len());
        for size in sizes {
            let common = end;
            let rare = common + size.common as usize * SIZE;
            end += size.bytes();
            let game = 0;
            places.push(PartOffsets { common, rare, game });
        }
        if u32::try_from(end / SIZE).is_err() {
            return Err(Error::new(
                &error_codes::TOO_LARGE,
                "too many positions in a few games",
            ));
        }
        bytes.resize(end, 0);
        for [low, high, data] in entries {
            let Some(place) = places.get_mut(self.part_of(*high)) else {
                continue;
            };
            if data & COMMON != 0 {
                if let Some(slot) = bytes.get_mut(place.common..place.common + SIZE) {
                    slot[..4].copy_from_slice(&low.to_le_bytes());
                    slot[4..8].copy_from_slice(&high.to_le_bytes());
                    slot[8..].copy_from_slice(&data.to_le_bytes());
                }
                place.common += SIZE;
                continue;
            }
            let tag = tag_of(u64::from(*low) | u64::from(*high) << 32, self.bits).to_le_bytes();
            let mut gap = (data >> GAME) - place.game;
            place.game += gap;
            loop {
                let now = gap.min(u32::from(SKIP)) as u8;
                if let Some(slot) = bytes.get_mut(place.rare..place.rare + RARE) {
                    slot.copy_from_slice(&[tag[0], tag[1], now]);
                }
                place.rare += RARE;
                if now < SKIP {
                    break;
                }
                gap -= u32::from(SKIP);
            }
        }
        Ok(())
    }
}

/// The wanted postings of one game; its number is left at 0.
pub(super) fn postings_of(
    seen: &mut GameView<'_>,
    look: ReadMode,
    is_wanted: impl Fn(u64) -> bool,
) -> Result<Vec<IndexPosting>> {
    let mut log = PostingLog::default();
    let start = look.start(seen)?;
    if start.is_readable {
        log.walk(seen, start.key, 0)?;
    }
    let postings = log.entries.iter().map(|[low, high, data]| IndexPosting {
        key: u64::from(*low) | u64::from(*high) << 32,
        game: 0,
        data: *data & (VARIATION | 0xffff),
    });
    Ok(postings.filter(|posting| is_wanted(posting.key)).collect())
}

/// The data of all games, put together in order.
#[derive(Default)]
pub(super) struct LayerData {
    /// The first game of each run in the spool, from 0 at the start of the layer.
    pub(super) firsts: Vec<u32>,
    /// The facts of every game.
    pub(super) facts: Vec<u64>,
    pub(super) damaged: Vec<u64>,
    pub(super) digest: GamesDigest,
    pub(super) games: u64,
    pub(super) positions: u64,
    pub(super) rows: rows::RowTable,
}

impl LayerData {
    /// The games of a layer, about this number of them.
    pub(super) fn new(layer: u64, games: u64) -> LayerData {
        LayerData {
            // Untouched memory costs nothing; a wrong estimate costs a copy.
            facts: Vec::with_capacity(usize::try_from(games.min(1 << 28)).unwrap_or(0)),
            rows: rows::RowTable::new(layer),
            ..LayerData::default()
        }
    }

    /// Takes the log of a range of games; `layer` is the number of the layer's first game.
    pub(super) fn add(&mut self, mut log: PostingLog, run: GameRun, layer: u64) -> PostingLog {
        let first = run.first.saturating_sub(layer);
        self.games += log.facts.len() as u64;
        self.positions += log.positions;
        self.rows.add(&std::mem::take(&mut log.rows));
        self.digest.merge(log.digest, first);
        self.damaged
            .extend(log.damaged.iter().map(|game| run.first + game));
        let (start, end) = (first as usize, first as usize + log.facts.len());
        if self.facts.len() < end {
            self.facts.resize(end, 0);
        }
        if let Some(slots) = self.facts.get_mut(start..end) {
            slots.copy_from_slice(&log.facts);
        }
        for (number, game) in log.spooled.drain(..) {
            let number = number as usize;
            if self.firsts.len() <= number {
                self.firsts.resize(number + 1, 0);
            }
            self.firsts[number] = (first + game) as u32;
        }
        log.recycle()
    }
}
