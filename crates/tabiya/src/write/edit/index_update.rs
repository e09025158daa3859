//! Updates the index beside a base with a change.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tabiya_explore::index::{ChangedGames, ExplorerIndex};
use tabiya_formats::format::Format;
use tabiya_io::change::state_of;
use tabiya_io::held_folder;
use tabiya_io::lock::DatabaseLock;
use tabiya_model::{Control, Database, Result};

use crate::open::base::has_whole_facts;
use crate::open::opener::Opener;
use crate::open::sidecar;
use crate::open::sidecar::{IndexBuildOptions, Sidecar};
use crate::write::history::EditEffect;

/// Up to so many games an index is made anew when old games have changed: a matter of seconds.
const MOST: u64 = 2_000_000;

/// Games beyond these are not counted where it is asked whether few have changed.
const MOST_CHANGED: usize = 1 << 12;

/// The index of a base that is about to be changed.
pub(super) struct IndexUpdater<'o> {
    opener: &'o Opener,
    format: &'static Format,
    path: PathBuf,
    files: Vec<PathBuf>,
    control: &'o Control,
    before: Option<PreviousIndex>,
    way: IndexUpdateMode,
}

/// The base and its index before the change.
struct PreviousIndex {
    database: Box<dyn Database>,
    index: Box<ExplorerIndex>,
}

/// How the index is brought up to date.
enum IndexUpdateMode {
    /// By the games that were added.
    Grow,
    /// By what has changed.
    Overrule(ChangedGames),
    Anew,
}

impl<'o> IndexUpdater<'o> {
    /// Looks whether there is an index of the base as it is; nothing is to be done where there is none. The caller holds the lock
    /// of the base.
    pub(super) fn of(
        opener: &'o Opener,
        format: &'static Format,
        path: &Path,
        control: &'o Control,
    ) -> Result<Option<IndexUpdater<'o>>> {
        let upkeep = IndexUpdater {
            opener,
            format,
            path: path.to_path_buf(),
            files: Vec::new(),
            control,
            before: None,
            way: IndexUpdateMode::Anew,
        };
        let Some(database) = upkeep.open()? else {
            return Ok(None);
        };
        let is_there = sidecar::path_of(&*database).is_some_and(|path| held_folder::exists(&path));
        if !is_there {
            return Ok(None);
        }
        let Ok(Sidecar::Fresh(index)) = sidecar::open(&*database, &opener.options) else {
            return Ok(None);
        };
        index.tell_places(&*database);
        Ok(Some(IndexUpdater {
            files: database.files(),
            before: Some(PreviousIndex { database, index }),
            ..upkeep
        }))
    }

    /// Takes what is to be known of the base as it is, and lets go of it: it is about to change.
    pub(super) fn prepare(&mut self, effect: &EditEffect) {
        let Some(PreviousIndex { database, index }) = self.before.take() else {
            return;
        };
        let mut numbers = match effect {
            EditEffect::Added(_) => {
                self.way = IndexUpdateMode::Grow;
                return;
            }
            EditEffect::Replaced(list) => list.iter().map(|kept| kept.number).collect(),
            // Where the base itself says what is known of its games, the index knows no flags.
            EditEffect::Flagged(_) if has_whole_facts(&*database) => Vec::new(),
            EditEffect::Flagged(list) => {
                let games = list.iter().flat_map(|old| old.games.clone());
                games.take(MOST_CHANGED).collect()
            }
            EditEffect::Described => Vec::new(),
            EditEffect::Ordered(_)
            | EditEffect::Removed(_)
            | EditEffect::Deleted(_)
            | EditEffect::Inserted(_) => {
                return;
            }
        };
        numbers.sort_unstable();
        numbers.dedup();
        if let Ok(Some(overruled)) = index.mark_changed(&*database, &numbers) {
            self.way = IndexUpdateMode::Overrule(overruled);
        }
    }

    fn open(&self) -> Result<Option<Box<dyn Database>>> {
        let Some(open) = self.format.open else {
            return Ok(None);
        };
        open(&self.path, &self.opener.options).map(Some)
    }

    /// Brings the index up to date with the change that led to a state; says what is to be known about it. Whatever fails: an
    /// index of another state is not believed.
    pub(super) fn finish(&self, after: u64) -> Option<String> {
        let stale = || {
            Some(
                "the index is now older than the database, and is not used until it is rebuilt"
                    .to_owned(),
            )
        };
        match self.update(after) {
            Ok(true) => None,
            Ok(false) | Err(_) => stale(),
        }
    }

    fn update(&self, after: u64) -> Result<bool> {
        let Some(first) = self.files.first() else {
            return Ok(false);
        };
        if !matches!(self.way, IndexUpdateMode::Anew) {
            let first = tabiya_io::held_folder::real(first)?;
            // While it is held, nobody changes the base; and where somebody already has, that shows.
            let Ok(_lock) = DatabaseLock::take(&first, Duration::ZERO) else {
                return Ok(false);
            };
            let files: Vec<&Path> = self.files.iter().map(PathBuf::as_path).collect();
            if state_of(&files)? == after
                && let Some(database) = self.open()?
                && match &self.way {
                    IndexUpdateMode::Grow => sidecar::grow(&*database, &self.opener.options)?,
                    IndexUpdateMode::Overrule(changed) => {
                        sidecar::update_changed(&*database, &self.opener.options, changed)?
                    }
                    IndexUpdateMode::Anew => false,
                }
            {
                return Ok(true);
            }
        }
        let Some(database) = self.open()? else {
            return Ok(false);
        };
        if database.len()? > MOST {
            return Ok(false);
        }
        let making = IndexBuildOptions {
            reading: &self.opener.options,
            extend: false,
            control: self.control,
        };
        sidecar::make(&*database, &making).map(|(built, _)| built.ended.is_whole())
    }
}
