//! A database with the index beside it.

use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::Arc;

use tabiya_model::facts::FactSource;
use tabiya_model::game_offsets::{GameOffsets, OffsetLookup};
use tabiya_model::positions::{PositionLookup, PositionSource};
use tabiya_model::{Database, DatabaseInfo, Diagnostics, Game, GameNeeds, Losses, Result, Source};

use crate::index::ExplorerIndex;

/// A database with the data of its index: the offsets of its games, facts about them if it has none of its own, and the
/// games of each position. Readers do not notice the index.
///
/// Both may be owned or borrowed: as `IndexedDatabase<Arc<dyn Database>, Arc<Index>>` it owns them, as `IndexedDatabase<&dyn
/// Database, &Index>` it is made for one query.
pub struct IndexedDatabase<B, I> {
    base: B,
    index: I,
}

impl<B, I> IndexedDatabase<B, I>
where
    B: Deref<Target: Database> + Send + Sync,
    I: Deref<Target = ExplorerIndex> + Send + Sync,
{
    /// Puts an index over its database. The index must be of the current state of the database.
    #[must_use]
    pub fn new(base: B, index: I) -> IndexedDatabase<B, I> {
        if let Some(places) = index.places() {
            base.keep_places(places);
        }
        IndexedDatabase { base, index }
    }

    /// The database alone.
    #[must_use]
    pub fn base(&self) -> &B {
        &self.base
    }

    /// The index.
    #[must_use]
    pub fn index(&self) -> &I {
        &self.index
    }
}

impl<B, I> Database for IndexedDatabase<B, I>
where
    B: Deref<Target: Database> + Send + Sync,
    I: Deref<Target = ExplorerIndex> + Send + Sync,
{
    fn info(&self) -> DatabaseInfo {
        self.base.info()
    }

    fn format(&self) -> &'static str {
        self.base.format()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.base.files()
    }

    fn len(&self) -> Result<u64> {
        // An index that matches the current database has all of its games.
        Ok(self.index.game_count())
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        self.base.read(number, want, game)
    }

    fn finds_games(&self) -> bool {
        self.base.finds_games()
    }

    fn reads_in_rows(&self) -> bool {
        self.base.reads_in_rows()
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        self.base.source(games)
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        let beside = || self.index.facts().map(|facts| facts as &dyn FactSource);
        let own = self.base.facts();
        // The index has more facts than columns do, and faster.
        match own.filter(|facts| facts.is_index()) {
            Some(whole) => Some(whole),
            None => beside().or(own),
        }
    }

    fn lookup(&self) -> Option<&dyn PositionLookup> {
        Some(&*self.index)
    }

    fn positions(&self) -> Option<&dyn PositionSource> {
        self.base.positions()
    }

    fn places(&self) -> Result<Option<GameOffsets>> {
        self.base.places()
    }

    fn keep_places(&self, kept: Arc<dyn OffsetLookup>) {
        self.base.keep_places(kept);
    }

    fn diagnostics(&self) -> Diagnostics {
        self.base.diagnostics()
    }

    fn missing(&self) -> Losses {
        self.base.missing()
    }
}
