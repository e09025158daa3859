//! The index: one file beside a database that knows which games have a position and, for databases without an index of
//! their own, the tags of the games.
//!
//! `docs/index.md` describes the file. In short: games are indexed in layers, one for all games at first and one more each
//! time that games were appended. A layer is a row of buckets, chosen by the first bits of a position's key. A bucket
//! lists, with its key, every position that occurs in many games, with exactly those games and (if they are very many) the
//! precomputed figures of the explorer; all other positions of the bucket share one list of games without keys, and the
//! games of that list are replayed to find the right ones. The rows of the games come last.
//!
//! Only what a question needs is read. Every part that is read has a checksum that depends on its place, so that damage is
//! found wherever it could do harm; then the index is ignored.

mod builder;
mod changed_games;
mod coding;
mod collector;
mod frequent;
mod key_table;
mod layout;
mod offsets;
mod postings;
mod rows;
mod sorter;
mod spool;
mod tallies;
#[cfg(test)]
mod tests;
mod verify;

pub use builder::{IndexBuildReport, build, extend, grow, mark_changed};
pub use changed_games::ChangedGames;
pub use coding::IndexDamage;
pub use layout::GameHeader;
pub use rows::IndexFacts;
pub use spool::SpillFile;
pub use verify::{IndexCheck, verify};

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use shakmaty::Color;
use tabiya_model::Database;
use tabiya_model::game_offsets::OffsetLookup;
use tabiya_model::positions::{PiecePlacement, PositionGames, PositionLookup};

use crate::tally::PositionTally;
use coding::{IndexByteReader, read_rising, short_check};
use layout::{IndexTrailer, LayerHeader};
use tabiya_openings::position_key::PositionKey;

/// An open index.
pub struct ExplorerIndex {
    bytes: rows::IndexBytes,
    trailer: IndexTrailer,
    damaged: AtomicBool,
    damaged_games: OnceLock<Vec<u64>>,
    unsure: OnceLock<Vec<u64>>,
    /// Read for the first fact; none if there are no rows or they are damaged.
    facts: OnceLock<Option<IndexFacts>>,
    /// Read when the offsets are passed to the database for the first time.
    places: OnceLock<Option<Arc<dyn OffsetLookup>>>,
}

impl std::fmt::Debug for ExplorerIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("trailer", &self.trailer)
            .finish_non_exhaustive()
    }
}

/// A range of games that was indexed at once.
#[derive(Copy, Clone, Debug)]
pub struct IndexLayer<'i> {
    head: &'i LayerHeader,
    number: u64,
}

impl IndexLayer<'_> {
    /// The numbers of its games.
    #[must_use]
    pub fn games(&self) -> Range<u64> {
        self.head.first..self.head.first.saturating_add(self.head.games)
    }
}

/// The data of a layer about a position.
#[derive(Clone, Debug)]
pub enum LayerAnswer {
    /// It is in exactly the games of a list.
    Listed(FrequentList),
    /// It may be in these games, and is in no other.
    Candidates(Vec<u64>),
}

/// The place of the list of a frequent position.
#[derive(Clone, Debug)]
pub struct FrequentList {
    key: u64,
    main: usize,
    others: usize,
    main_bytes: Range<usize>,
    other_bytes: Range<usize>,
    lists_check: u32,
    figure_bytes: Range<usize>,
    figures_check: u32,
}

impl FrequentList {
    /// The number of games with it in the main line.
    #[must_use]
    pub fn main_line_games(&self) -> usize {
        self.main
    }

    /// The number of further games with it in variations only.
    #[must_use]
    pub fn other_games(&self) -> usize {
        self.others
    }
}

impl ExplorerIndex {
    /// Opens an index: `None` if the bytes are not an index, or cut off, or of another version.
    #[must_use]
    pub fn open(bytes: Box<dyn AsRef<[u8]> + Send + Sync>) -> Option<ExplorerIndex> {
        let bytes: rows::IndexBytes = Arc::from(bytes);
        let trailer = IndexTrailer::read((*bytes).as_ref()).ok()?;
        Some(ExplorerIndex {
            bytes,
            trailer,
            damaged: AtomicBool::new(false),
            damaged_games: OnceLock::new(),
            unsure: OnceLock::new(),
            facts: OnceLock::new(),
            places: OnceLock::new(),
        })
    }

    /// The bytes of its file.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.all().len() as u64
    }

    fn all(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// What the index records about the files of the database.
    #[must_use]
    pub fn fingerprint(&self) -> &[u8] {
        &self.trailer.fingerprint
    }

    /// The offsets of the database's games, if the index has them: then no file has to be walked to find one.
    #[must_use]
    pub fn places(&self) -> Option<Arc<dyn OffsetLookup>> {
        let read = || {
            if self.trailer.places.is_empty() {
                return None;
            }
            let kept = offsets::IndexedOffsets::read(self.trailer.places.clone()).ok()?;
            Some(Arc::new(kept) as Arc<dyn OffsetLookup>)
        };
        self.places.get_or_init(read).clone()
    }

    /// Passes the offsets of its games to the database. Only for an index of the current state of the database.
    pub fn tell_places(&self, database: &dyn Database) {
        if let Some(places) = self.places() {
            database.keep_places(places);
        }
    }

    /// The number of games.
    #[must_use]
    pub fn game_count(&self) -> u64 {
        self.trailer.layers.iter().map(|layer| layer.games).sum()
    }

    /// The number of positions, each counted once per game.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.trailer
            .layers
            .iter()
            .map(|layer| layer.positions)
            .sum()
    }

    /// The ranges of games that were indexed one after another.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = IndexLayer<'_>> {
        (0..)
            .zip(&self.trailer.layers)
            .map(|(number, head)| IndexLayer { head, number })
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// The games that could not be decoded, or not to their end.
    #[must_use]
    pub fn damaged_games(&self) -> &[u64] {
        self.damaged_games.get_or_init(|| {
            let layers = self.trailer.layers.iter();
            let overruled = &self.trailer.changed_games;
            let mut games: Vec<u64> = layers
                .flat_map(|layer| layer.damaged.iter().copied())
                .filter(|game| !overruled.has(*game))
                .chain(overruled.damaged())
                .collect();
            games.sort_unstable();
            games
        })
    }

    /// The games that have changed since their layer was made: rising numbers. No list and no figures include them.
    #[must_use]
    pub fn changed_games(&self) -> Vec<u64> {
        self.trailer.changed_games.numbers()
    }

    /// Unused bytes of the file.
    #[must_use]
    pub fn waste(&self) -> u64 {
        let layers = self.trailer.layers.iter();
        let used: u64 = layers
            .map(|layer| layer.end.saturating_sub(layer.buckets))
            .sum();
        let used = used.saturating_add(self.size().saturating_sub(self.trailer.layers_end));
        self.size().saturating_sub(used)
    }

    /// Whether a part that was read was damaged.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        let facts = self.facts.get().and_then(Option::as_ref);
        self.damaged.load(Ordering::Relaxed) || facts.is_some_and(IndexFacts::is_damaged)
    }

    fn note<T>(&self, result: Result<T, IndexDamage>) -> Option<T> {
        if result.is_err() {
            self.damaged.store(true, Ordering::Relaxed);
        }
        result.ok()
    }

    /// The data of a layer about a position; `None` if it is damaged.
    #[must_use]
    pub fn find(&self, layer: IndexLayer<'_>, key: PositionKey) -> Option<LayerAnswer> {
        self.note(self.find_in(layer, key))
    }

    fn find_in(&self, layer: IndexLayer<'_>, key: PositionKey) -> Result<LayerAnswer, IndexDamage> {
        let head = layer.head;
        let number = if head.bucket_bits == 0 {
            0
        } else {
            key.0 >> (64 - head.bucket_bits)
        };
        let span = head.bucket(self.all(), number)?;
        let bucket = IndexBucket::read(self.all(), span, layer.number, number)?;
        let mut frequent = IndexByteReader(bucket.frequent);
        let mut start = bucket.lists;
        for _ in 0..bucket.frequent_count {
            let list = bucket.entry(&mut frequent, &mut start)?;
            if list.key == key.0 {
                return Ok(LayerAnswer::Listed(list));
            }
        }
        let mut games = Vec::with_capacity(bucket.rare_count.min(1 << 16));
        read_rising(bucket.rare, bucket.rare_count, head.games, |game| {
            games.push(head.first + game)
        })?;
        self.leave_out_changed(&mut games);
        Ok(LayerAnswer::Candidates(games))
    }

    /// The games of a list, rising; `None` if it is damaged.
    #[must_use]
    pub fn list(
        &self,
        layer: IndexLayer<'_>,
        list: &FrequentList,
        variations: bool,
    ) -> Option<Vec<u64>> {
        self.note(self.read_list(layer, list, variations))
    }

    fn read_list(
        &self,
        layer: IndexLayer<'_>,
        list: &FrequentList,
        variations: bool,
    ) -> Result<Vec<u64>, IndexDamage> {
        let head = layer.head;
        let all = self
            .all()
            .get(list.main_bytes.start..list.other_bytes.end)
            .ok_or(IndexDamage)?;
        if short_check(list.key, all) != list.lists_check {
            return Err(IndexDamage);
        }
        let (main, others) = all
            .split_at_checked(list.main_bytes.len())
            .ok_or(IndexDamage)?;
        let mut games = Vec::with_capacity(list.main.min(1 << 20));
        read_rising(main, list.main, head.games, |game| {
            games.push(head.first + game)
        })?;
        if variations && list.others > 0 {
            read_rising(others, list.others, head.games, |game| {
                games.push(head.first + game)
            })?;
            games.sort_unstable();
        }
        self.leave_out_changed(&mut games);
        Ok(games)
    }

    fn leave_out_changed(&self, games: &mut Vec<u64>) {
        let overruled = &self.trailer.changed_games;
        if !overruled.is_empty() {
            games.retain(|game| !overruled.has(*game));
        }
    }

    /// The figures of a list without the games that have changed since: `None` if they are damaged, `Some(None)` if there
    /// are none, or if they do not show what they were without those games.
    #[must_use]
    pub fn figures(
        &self,
        layer: IndexLayer<'_>,
        list: &FrequentList,
    ) -> Option<Option<PositionTally>> {
        let found = self.all_figures(layer, list)?;
        Some(found.and_then(|mut figures| {
            let overruled = &self.trailer.changed_games;
            let is_left = overruled.take_off(&mut figures, PositionKey(list.key), layer.games());
            is_left.then_some(figures)
        }))
    }

    fn all_figures(
        &self,
        layer: IndexLayer<'_>,
        list: &FrequentList,
    ) -> Option<Option<PositionTally>> {
        if list.figure_bytes.is_empty() {
            return Some(None);
        }
        let read = || {
            let bytes = self
                .all()
                .get(list.figure_bytes.clone())
                .ok_or(IndexDamage)?;
            if short_check(!list.key, bytes) != list.figures_check {
                return Err(IndexDamage);
            }
            tallies::read(bytes, layer.head.first, layer.head.games)
        };
        self.note(read()).map(Some)
    }

    /// Whether everything in a layer matches its checksums.
    fn is_sound(&self, layer: IndexLayer<'_>) -> bool {
        let read = || -> Result<(), IndexDamage> {
            for number in 0..1_u64 << layer.head.bucket_bits {
                let span = layer.head.bucket(self.all(), number)?;
                let bucket = IndexBucket::read(self.all(), span, layer.number, number)?;
                read_rising(bucket.rare, bucket.rare_count, layer.head.games, |_| {})?;
                let (mut frequent, mut start) = (IndexByteReader(bucket.frequent), bucket.lists);
                for _ in 0..bucket.frequent_count {
                    let list = bucket.entry(&mut frequent, &mut start)?;
                    self.read_list(layer, &list, true)?;
                    self.all_figures(layer, &list).ok_or(IndexDamage)?;
                }
            }
            Ok(())
        };
        read().is_ok() && (layer.head.rows == layer.head.end || self.facts().is_some())
    }

    /// The facts about the games in the index; `None` if the database has an index of its own for that, or if the names are
    /// damaged. They are checked once.
    #[must_use]
    pub fn facts(&self) -> Option<&IndexFacts> {
        self.facts.get_or_init(|| self.read_facts()).as_ref()
    }

    fn read_facts(&self) -> Option<IndexFacts> {
        let layers = &self.trailer.layers;
        if layers.iter().any(|head| head.rows == head.end) {
            return None;
        }
        let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        let layers = layers
            .iter()
            .map(|head| (head.first, head.games, at(head.rows)..at(head.end)));
        let changed = self.trailer.changed_games.numbers();
        self.note(IndexFacts::read(Arc::clone(&self.bytes), layers, changed))
    }

    /// The header data of a game that figures show; `None` for all other games.
    #[must_use]
    pub fn card(&self, number: u64) -> Option<GameHeader> {
        if self.trailer.changed_games.has(number) {
            return None;
        }
        let layers = self.trailer.layers.iter();
        let head = layers.rev().find(|head| head.first <= number)?;
        head.card(self.all(), number)
    }
}

/// A bucket whose checksum was verified.
struct IndexBucket<'a> {
    rare_count: usize,
    rare: &'a [u8],
    frequent_count: usize,
    frequent: &'a [u8],
    /// The start of the lists in the file, and the end of the bucket.
    lists: usize,
    end: usize,
}

/// The minimum size of a frequent position's entry, in bytes.
const ENTRY: usize = 8 + 5 + 8;

impl<'a> IndexBucket<'a> {
    fn read(
        all: &'a [u8],
        span: Range<usize>,
        layer: u64,
        number: u64,
    ) -> Result<IndexBucket<'a>, IndexDamage> {
        let whole = all.get(span.clone()).ok_or(IndexDamage)?;
        let mut bytes = IndexByteReader(whole);
        let check = bytes.u32()?;
        let checked = bytes.0;
        let rare_count = bytes.size()?;
        let rare_length = bytes.size()?;
        let frequent_count = bytes.size()?;
        let frequent_length = bytes.size()?;
        let frequent = bytes.take(frequent_length)?;
        let rare = bytes.take(rare_length)?;
        let checked = checked
            .get(..checked.len() - bytes.0.len())
            .ok_or(IndexDamage)?;
        if short_check(layer.rotate_right(16) ^ number, checked) != check
            || frequent_count > frequent_length / ENTRY
        {
            return Err(IndexDamage);
        }
        Ok(IndexBucket {
            rare_count,
            rare,
            frequent_count,
            frequent,
            lists: span.end - bytes.0.len(),
            end: span.end,
        })
    }

    /// The next entry; `start` is the start of its lists.
    fn entry(
        &self,
        bytes: &mut IndexByteReader<'_>,
        start: &mut usize,
    ) -> Result<FrequentList, IndexDamage> {
        let key = bytes.u64()?;
        let (main, others) = (bytes.size()?, bytes.size()?);
        let mut span = || -> Result<Range<usize>, IndexDamage> {
            let length = bytes.size()?;
            let end = start
                .checked_add(length)
                .filter(|end| *end <= self.end)
                .ok_or(IndexDamage)?;
            Ok(std::mem::replace(start, end)..end)
        };
        let (main_bytes, other_bytes, figure_bytes) = (span()?, span()?, span()?);
        Ok(FrequentList {
            key,
            main,
            others,
            main_bytes,
            other_bytes,
            figure_bytes,
            lists_check: bytes.u32()?,
            figures_check: bytes.u32()?,
        })
    }
}

impl PositionLookup for ExplorerIndex {
    fn games(
        &self,
        pieces: &PiecePlacement,
        turn: Color,
        variations: bool,
    ) -> Option<PositionGames> {
        let key = PositionKey::of_pieces(pieces, turn);
        let mut all = PositionGames {
            games: Vec::new(),
            exact: true,
        };
        for layer in self.layers() {
            match self.find(layer, key)? {
                LayerAnswer::Listed(list) => all.games.extend(self.list(layer, &list, variations)?),
                LayerAnswer::Candidates(games) => {
                    all.exact &= games.is_empty();
                    all.games.extend(games);
                }
            }
        }
        Some(all)
    }

    fn game_count(&self) -> u64 {
        ExplorerIndex::game_count(self)
    }

    fn unsure(&self) -> &[u64] {
        self.unsure.get_or_init(|| {
            let mut games = self.changed_games();
            games.extend_from_slice(self.damaged_games());
            games.sort_unstable();
            games.dedup();
            games
        })
    }
}
