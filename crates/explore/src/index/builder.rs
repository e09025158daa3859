//! Builds and extends indexes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use shakmaty::Color;
use tabiya_model::facts::Fields;
use tabiya_model::{Control, Database, Ended, Error, ErrorKind, Game, Result, Want};

use super::Index;
use super::coding::{push_number, push_rising, put_short_check, short_check};
use super::file::{Card, LayerHead, MAGIC, Trailer, VERSION};
use super::postings::{Gathered, Log, Posting, Room};
use super::{figures, places};
use crate::brief::Brief;
use crate::feed;
use crate::tally::Tally;

/// A place for what does not fit into memory.
pub trait Spill: Sync {
    /// Adds bytes and says where they are.
    fn append(&self, bytes: &[u8]) -> io::Result<u64>;
    /// Reads bytes from a place.
    fn read(&self, at: u64, bytes: &mut [u8]) -> io::Result<()>;
}

/// What was built.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Built {
    /// Games in the index.
    pub games: u64,
    /// Games that were read for it; fewer where it was extended.
    pub new_games: u64,
    /// Positions in the index.
    pub positions: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Games that could not be decoded, or not to their end.
    pub damaged: u64,
    /// Whether it was built to its end. Else what was written is of no use.
    pub ended: Ended,
}

impl Built {
    /// What is said of a work that was stopped.
    fn stopped() -> Built {
        Built {
            ended: Ended::Stopped,
            ..Built::default()
        }
    }
}

/// From how many main lines on a listed position gets its figures.
const FIGURES: usize = 256;
/// Layers that an index has at most; it is built anew then.
const LAYERS: usize = 8;

/// Builds the index of a database. As many bytes of postings as the control allows are kept in memory; the rest goes to
/// the spill.
pub fn build(
    database: &dyn Database,
    fingerprint: &[u8],
    spill: &dyn Spill,
    control: &Control,
    out: &mut (dyn Write + Send),
) -> Result<Built> {
    let mut out = Counting::new(out);
    header(&mut out)?;
    let mut trailer = Trailer {
        fingerprint: fingerprint.to_vec(),
        ..Trailer::default()
    };
    let work = Work { spill, control };
    let Some(layer) = layer(database, 1, u64::MAX, 0, work, &mut out)? else {
        return Ok(Built::stopped());
    };
    let new_games = layer.games;
    trailer.layers.push(layer);
    finish(trailer, database, new_games, out)
}

/// Extends an index by the games that were appended, after making sure that the others are still the same; `None`
/// where they are not, or where building anew is better. Nothing is written then that could be used.
pub fn extend(
    old: &Index,
    database: &dyn Database,
    fingerprint: &[u8],
    spill: &dyn Spill,
    control: &Control,
    out: &mut (dyn Write + Send),
) -> Result<Option<Built>> {
    let known = old.game_count();
    let games = database.len()?;
    if games <= known || old.trailer.layers.len() >= LAYERS || games - known > known {
        return Ok(None);
    }
    match same_games(old, database, control)? {
        (_, Ended::Stopped) => return Ok(Some(Built::stopped())),
        (false, _) => return Ok(None),
        (true, _) => {}
    }
    let layers = usize::try_from(old.trailer.layers_end)
        .ok()
        .and_then(|end| old.all().get(..end));
    let Some(layers) = layers else {
        return Ok(None);
    };
    let mut out = Counting::new(out);
    out.write_all(layers)?;
    let mut trailer = Trailer {
        fingerprint: fingerprint.to_vec(),
        ..old.trailer.clone()
    };
    let number = trailer.layers.len() as u64;
    let work = Work { spill, control };
    let Some(layer) = layer(database, known + 1, u64::MAX, number, work, &mut out)? else {
        return Ok(Some(Built::stopped()));
    };
    let new_games = layer.games;
    trailer.layers.push(layer);
    finish(trailer, database, new_games, out).map(Some)
}

/// Whether the games of an index are still what they were when it was made.
fn same_games(index: &Index, database: &dyn Database, control: &Control) -> Result<(bool, Ended)> {
    for layer in &index.trailer.layers {
        let mut gathered = Gathered::default();
        let ended = feed::for_all(
            database,
            layer.first..layer.first + layer.games,
            Want::ALL,
            control,
            Log::default,
            |log, visit| log.add(visit, true),
            |_| Ok(()),
            |part| {
                gathered.add(part, layer.first);
                Ok(())
            },
        )?;
        if !ended.is_whole() {
            return Ok((false, ended));
        }
        if gathered.games != layer.games || gathered.digest.value() != layer.digest {
            return Ok((false, Ended::Whole));
        }
    }
    Ok((true, Ended::Whole))
}

fn header(out: &mut Counting<'_>) -> io::Result<()> {
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&[0; 4])
}

fn finish(
    mut trailer: Trailer,
    database: &dyn Database,
    new_games: u64,
    mut out: Counting<'_>,
) -> Result<Built> {
    trailer.layers_end = out.written;
    trailer.places = places::to_bytes(database.places()?.as_ref());
    out.write_all(&trailer.to_bytes())?;
    out.flush()?;
    Ok(Built {
        games: trailer.layers.iter().map(|layer| layer.games).sum(),
        new_games,
        positions: trailer.layers.iter().map(|layer| layer.positions).sum(),
        bytes: out.written,
        damaged: trailer
            .layers
            .iter()
            .map(|layer| layer.damaged.len() as u64)
            .sum(),
        ended: Ended::Whole,
    })
}

/// Counts what is written.
pub(super) struct Counting<'w> {
    out: &'w mut (dyn Write + Send),
    pub(super) written: u64,
}

impl<'w> Counting<'w> {
    pub(super) fn new(out: &'w mut (dyn Write + Send)) -> Counting<'w> {
        Counting { out, written: 0 }
    }
}

impl Write for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How the positions of a layer are cut up, by the number of its games.
#[derive(Copy, Clone)]
struct Plan {
    /// Bits of the key that choose the part in which postings are sorted.
    part_bits: u32,
    /// Postings that a bucket should have.
    bucket: u64,
    /// From how many games on a position is listed.
    listed: usize,
}

impl Plan {
    fn of(games: u64) -> Plan {
        // The gaps between the games of a bucket cost the same whatever the number of games; replaying the games of a
        // bucket takes about as long as a thousandth of all games. In buckets of fewer than 256 their heads would weigh.
        let bucket = (games / 1024).clamp(256, 4096);
        let positions = games.saturating_mul(80);
        Plan {
            part_bits: (positions >> 16).checked_ilog2().unwrap_or(0).min(9),
            bucket,
            listed: usize::try_from(bucket / 2).unwrap_or(128),
        }
    }

    fn bucket_bits(self, positions: u64) -> u32 {
        (positions / self.bucket)
            .checked_ilog2()
            .unwrap_or(0)
            .clamp(self.part_bits, 32)
    }
}

/// What the work on a layer is done with.
#[derive(Copy, Clone)]
pub(super) struct Work<'w> {
    /// Where the postings go that do not fit into memory.
    pub(super) spill: &'w dyn Spill,
    pub(super) control: &'w Control,
}

/// Writes a layer with the games from `first` on; `None` where it was stopped.
pub(super) fn layer(
    database: &dyn Database,
    first: u64,
    end: u64,
    number: u64,
    work: Work<'_>,
    out: &mut Counting<'_>,
) -> Result<Option<LayerHead>> {
    let games = database
        .len()?
        .saturating_add(1)
        .min(end)
        .saturating_sub(first);
    if games >= u64::from(u32::MAX) {
        return Err(Error::new(
            ErrorKind::Limit,
            "an index holds at most four thousand million games",
        ));
    }
    let plan = Plan::of(games);
    let room = Room::new(work.control.memory(), work.spill);
    let mut gathered = Gathered::new(number);
    // The memory of logs goes round.
    let spare: Mutex<Vec<Log>> = Mutex::default();
    let lock = || spare.lock().unwrap_or_else(PoisonError::into_inner);
    let ended = feed::for_all(
        database,
        first..first.saturating_add(games),
        Want::ALL,
        work.control,
        || lock().pop().unwrap_or_default(),
        |log, visit| log.add(visit, false),
        |log| log.scatter(plan.part_bits, &room),
        |part| {
            let log = gathered.add(part, first);
            if log.capacity() < SPARE {
                lock().push(log);
            }
            Ok(())
        },
    )?;
    drop(spare);
    if !ended.is_whole() {
        return Ok(None);
    }
    let facts = gathered.finish();
    let positions = gathered.chunks.iter().map(|chunk| chunk.len() as u64).sum();
    let mut head = LayerHead {
        first,
        games: gathered.games,
        positions,
        digest: gathered.digest.value(),
        bucket_bits: plan.bucket_bits(positions),
        buckets: out.written,
        damaged: std::mem::take(&mut gathered.damaged),
        ..LayerHead::default()
    };
    let sorter = Sorter {
        plan,
        number,
        first,
        bucket_bits: head.bucket_bits,
        facts: &facts,
        gathered: &gathered,
        room: &room,
        control: work.control,
    };
    let Some((directory, mut shown)) = sorter.write(out)? else {
        return Ok(None);
    };
    head.directory = out.written;
    let mut bytes = Vec::with_capacity(directory.len() * 8);
    for place in &directory {
        bytes.extend_from_slice(&place.to_le_bytes());
    }
    out.write_all(&bytes)?;
    shown.sort_unstable();
    shown.dedup();
    head.cards = out.written;
    head.card_count = cards(database, first, &shown, &facts, out)?;
    head.rows = out.written;
    out.write_all(&std::mem::take(&mut gathered.rows).finish())?;
    head.end = out.written;
    Ok(Some(head))
}

/// Postings of a log whose memory is kept.
const SPARE: usize = 4 << 20;

const PLAYERS: Fields = Fields::WHITE.union(Fields::BLACK);

/// Writes the names of games that figures show.
fn cards(
    database: &dyn Database,
    first: u64,
    shown: &[u32],
    facts: &[u64],
    out: &mut Counting<'_>,
) -> Result<u64> {
    let (mut directory, mut blobs) = (Vec::new(), Vec::new());
    let mut entry = |game: u32, blobs: &[u8]| {
        directory.extend_from_slice(&game.to_le_bytes());
        directory.extend_from_slice(&(blobs.len() as u32).to_le_bytes());
    };
    let mut game = Game::default();
    let mut count = 0;
    for &index in shown {
        if blobs.len() > u32::MAX as usize / 2 {
            // The others are read when they are shown.
            break;
        }
        let number = first + u64::from(index);
        let said = database.facts().and_then(|facts| {
            let fact = facts.fact(number, PLAYERS)?;
            let names = Color::ALL.map(|color| facts.player(&fact, color).into_owned());
            (!fact.unsaid.meets(PLAYERS)).then_some(names)
        });
        let (white, black) = match said {
            Some([white, black]) => (white, black),
            None => {
                database.read(number, Want::TAGS, &mut game)?;
                (
                    game.tags.value("White").to_owned(),
                    game.tags.value("Black").to_owned(),
                )
            }
        };
        let card = Card {
            white,
            black,
            facts: Brief::from_bits(facts.get(index as usize).copied().unwrap_or(0)),
        };
        entry(index, &blobs);
        card.push(&mut blobs, number);
        count += 1;
    }
    entry(u32::MAX, &blobs);
    out.write_all(&directory)?;
    out.write_all(&blobs)?;
    Ok(count)
}

/// Sorts the parts into buckets.
struct Sorter<'s> {
    plan: Plan,
    number: u64,
    first: u64,
    bucket_bits: u32,
    facts: &'s [u64],
    gathered: &'s Gathered,
    room: &'s Room<'s>,
    control: &'s Control,
}

/// A part as it stands in the file.
#[derive(Default)]
struct Sorted {
    bytes: Vec<u8>,
    /// Where each bucket ends.
    ends: Vec<usize>,
    shown: Vec<u32>,
}

/// Brings parts into order and writes them.
struct Turns<'o, 'w> {
    waiting: BTreeMap<usize, Sorted>,
    next: usize,
    out: &'o mut Counting<'w>,
    start: u64,
    directory: Vec<u64>,
    shown: Vec<u32>,
    failed: Option<io::Error>,
}

impl Turns<'_, '_> {
    fn add(&mut self, part: usize, sorted: io::Result<Sorted>) {
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
                self.failed.get_or_insert(error);
                return;
            }
            self.directory
                .extend(sorted.ends.iter().map(|end| base + *end as u64));
            self.shown.extend(sorted.shown);
        }
    }
}

impl Sorter<'_> {
    /// Writes all buckets; gives their directory and the games that figures show, or nothing where it was stopped.
    fn write(&self, out: &mut Counting<'_>) -> Result<Option<(Vec<u64>, Vec<u32>)>> {
        let parts = 1_usize << self.plan.part_bits;
        let start = out.written;
        let turns = Mutex::new(Turns {
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
            let mut desk = Desk::default();
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
            Some(error) => Err(error.into()),
            None if turns.next < parts || self.control.is_stopped() => Ok(None),
            None => Ok(Some((turns.directory, turns.shown))),
        }
    }

    fn sort(&self, part: usize, desk: &mut Desk) -> io::Result<Sorted> {
        let Desk {
            buffer,
            postings,
            sorted,
            ..
        } = desk;
        postings.clear();
        for chunk in &self.gathered.chunks {
            if self.control.is_stopped() {
                // What is made of it is thrown away.
                return Ok(Sorted::default());
            }
            chunk.read(part, self.room, buffer, postings)?;
        }
        let bits = self.bucket_bits - self.plan.part_bits;
        let mask = (1_u64 << bits) - 1;
        let shift = 64 - self.bucket_bits;
        // A shift by all 64 bits is none; there is one bucket only then.
        let bucket_of = |key: u64| (key.checked_shr(shift).unwrap_or(0) & mask) as usize;
        let mut ends = vec![0_usize; (1 << bits) + 1];
        for posting in postings.iter() {
            ends[bucket_of(posting.key) + 1] += 1;
        }
        for index in 1..ends.len() {
            ends[index] += ends[index - 1];
        }
        let bounds = ends.clone();
        sorted.clear();
        sorted.resize(postings.len(), Posting::default());
        for posting in postings.iter() {
            let place = &mut ends[bucket_of(posting.key)];
            sorted[*place] = *posting;
            *place += 1;
        }
        let sorted = std::mem::take(sorted);
        let mut out = Sorted::default();
        for (index, bound) in bounds.windows(2).enumerate() {
            if self.control.is_stopped() {
                break;
            }
            let bucket = (part << bits | index) as u64;
            self.bucket(
                bucket,
                sorted.get(bound[0]..bound[1]).unwrap_or(&[]),
                desk,
                &mut out,
            );
            out.ends.push(out.bytes.len());
        }
        desk.sorted = sorted;
        Ok(out)
    }

    /// Writes a bucket. Its postings stand in the order of the games.
    fn bucket(&self, bucket: u64, postings: &[Posting], desk: &mut Desk, out: &mut Sorted) {
        let frequent = desk.table.count(postings, self.plan.listed);
        desk.rare.clear();
        desk.entries.clear();
        desk.lists.clear();
        if frequent == 0 {
            desk.rare
                .extend(postings.iter().map(|posting| posting.game));
        } else {
            desk.frequent.clear();
            desk.frequent.resize_with(frequent, Vec::new);
            for posting in postings {
                match desk
                    .table
                    .frequent(posting.key)
                    .and_then(|at| desk.frequent.get_mut(at))
                {
                    Some(list) => list.push(*posting),
                    None => desk.rare.push(posting.game),
                }
            }
            desk.frequent
                .sort_by_key(|list| list.first().map(|posting| posting.key));
            let lists = std::mem::take(&mut desk.frequent);
            for list in &lists {
                self.list(list, desk, out);
            }
            desk.frequent = lists;
        }
        desk.rare.dedup();
        desk.coded.clear();
        push_rising(&mut desk.coded, &desk.rare);
        let start = out.bytes.len();
        out.bytes.extend_from_slice(&[0; 4]);
        push_number(&mut out.bytes, desk.rare.len() as u64);
        push_number(&mut out.bytes, desk.coded.len() as u64);
        push_number(&mut out.bytes, frequent as u64);
        push_number(&mut out.bytes, desk.entries.len() as u64);
        out.bytes.extend_from_slice(&desk.entries);
        out.bytes.extend_from_slice(&desk.coded);
        let place = self.number.rotate_right(16) ^ bucket;
        put_short_check(&mut out.bytes, start, place);
        out.bytes.extend_from_slice(&desk.lists);
    }

    /// Writes the entry and the lists of a frequent position.
    fn list(&self, postings: &[Posting], desk: &mut Desk, out: &mut Sorted) {
        let key = postings.first().map_or(0, |posting| posting.key);
        let (mut main, mut others) = (Vec::new(), Vec::new());
        let mut firsts = Vec::new();
        for game in postings.chunk_by(|a, b| a.game == b.game) {
            // Where a position comes back, what was played first counts.
            match game.iter().find(|posting| posting.is_main()) {
                Some(first) => {
                    main.push(first.game);
                    firsts.push(*first);
                }
                None => others.extend(game.first().map(|posting| posting.game)),
            }
        }
        let start = desk.lists.len();
        push_rising(&mut desk.lists, &main);
        let middle = desk.lists.len();
        push_rising(&mut desk.lists, &others);
        let end = desk.lists.len();
        if main.len() >= FIGURES {
            let mut tally = Tally::default();
            for posting in firsts {
                let facts = self.facts.get(posting.game as usize).copied().unwrap_or(0);
                tally.add(
                    self.first + u64::from(posting.game),
                    posting.step(),
                    Brief::from_bits(facts),
                );
            }
            figures::push(&mut desk.lists, &tally, self.first);
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

/// Memory that goes from bucket to bucket.
#[derive(Default)]
struct Desk {
    buffer: Vec<u8>,
    postings: Vec<Posting>,
    sorted: Vec<Posting>,
    table: Table,
    rare: Vec<u32>,
    coded: Vec<u8>,
    frequent: Vec<Vec<Posting>>,
    entries: Vec<u8>,
    lists: Vec<u8>,
}

/// Counts the games of each key of a bucket.
#[derive(Default)]
struct Table {
    slots: Vec<Slot>,
    /// Slots of other rounds are empty.
    round: u32,
    used: usize,
}

#[derive(Copy, Clone, Default)]
struct Slot {
    key: u64,
    round: u32,
    games: u32,
    last: u32,
    /// The number of a frequent key plus one.
    frequent: u32,
}

impl Table {
    /// Counts, numbers the keys that stand in at least `least` games, and says how many they are.
    fn count(&mut self, postings: &[Posting], least: usize) -> usize {
        if self.slots.is_empty() || self.round == u32::MAX {
            self.slots = vec![Slot::default(); self.slots.len().max(1 << 11)];
            self.round = 0;
        }
        self.round += 1;
        self.used = 0;
        let mut frequent = 0;
        for posting in postings {
            if self.used * 2 > self.slots.len() {
                self.grow();
            }
            let at = self.place(posting.key);
            let slot = &mut self.slots[at];
            if slot.round != self.round {
                *slot = Slot {
                    key: posting.key,
                    round: self.round,
                    games: 0,
                    last: 0,
                    frequent: 0,
                };
                self.used += 1;
            }
            if slot.games == 0 || slot.last != posting.game {
                slot.games += 1;
                slot.last = posting.game;
                if slot.games as usize == least {
                    frequent += 1;
                    slot.frequent = frequent;
                }
            }
        }
        frequent as usize
    }

    /// The slot of a key, or the empty one where it would be.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // The first bits are the same for all keys of a bucket; the last are not.
        let mut at = key as usize & mask;
        loop {
            let slot = &self.slots[at];
            if slot.round != self.round || slot.key == key {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![Slot::default(); old.len() * 2];
        for slot in old.iter().filter(|slot| slot.round == self.round) {
            let at = self.place(slot.key);
            self.slots[at] = *slot;
        }
    }

    /// The number of a key among the frequent ones.
    #[inline]
    fn frequent(&self, key: u64) -> Option<usize> {
        let slot = self.slots.get(self.place(key))?;
        if slot.round != self.round {
            return None;
        }
        (slot.frequent as usize).checked_sub(1)
    }
}
