//! A database with the index that lies beside it.

use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::Arc;

use tabiya_model::facts::Facts;
use tabiya_model::places::{KeptPlaces, Places};
use tabiya_model::positions::{PositionLookup, Positions};
use tabiya_model::{Database, Diagnostics, Game, Info, Losses, Result, Source, Want};

use crate::index::Index;

/// A database that brings what an index knows of it: where its games stand, facts about them where it has none of its
/// own, and in which games a position stands. Who reads it does not see the index.
///
/// Both may be held in any way: as `Indexed<Arc<dyn Database>, Arc<Index>>` it owns them, as
/// `Indexed<&dyn Database, &Index>` it is made for one question.
pub struct Indexed<B, I> {
    base: B,
    index: I,
}

impl<B, I> Indexed<B, I>
where
    B: Deref<Target: Database> + Send + Sync,
    I: Deref<Target = Index> + Send + Sync,
{
    /// Puts an index over its database. It has to be known that the index is of the database as it is.
    #[must_use]
    pub fn new(base: B, index: I) -> Indexed<B, I> {
        if let Some(places) = index.places() {
            base.keep_places(places);
        }
        Indexed { base, index }
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

impl<B, I> Database for Indexed<B, I>
where
    B: Deref<Target: Database> + Send + Sync,
    I: Deref<Target = Index> + Send + Sync,
{
    fn info(&self) -> Info {
        self.base.info()
    }

    fn format(&self) -> &'static str {
        self.base.format()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.base.files()
    }

    fn len(&self) -> Result<u64> {
        // An index that is of the database as it is has all of its games.
        Ok(self.index.game_count())
    }

    fn read(&self, number: u64, want: Want, game: &mut Game) -> Result<()> {
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

    fn facts(&self) -> Option<&dyn Facts> {
        let beside = || self.index.facts().map(|facts| facts as &dyn Facts);
        self.base.facts().or_else(beside)
    }

    fn lookup(&self) -> Option<&dyn PositionLookup> {
        Some(&*self.index)
    }

    fn positions(&self) -> Option<&dyn Positions> {
        self.base.positions()
    }

    fn places(&self) -> Result<Option<Places>> {
        self.base.places()
    }

    fn keep_places(&self, kept: Arc<dyn KeptPlaces>) {
        self.base.keep_places(kept);
    }

    fn diagnostics(&self) -> Diagnostics {
        self.base.diagnostics()
    }

    fn gone(&self) -> Losses {
        self.base.gone()
    }
}
