//! The index beside a base, brought up to date with a change.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tabiya_explore::index::{Index, Overruled};
use tabiya_formats::format::Format;
use tabiya_io::change::state_of;
use tabiya_io::held;
use tabiya_io::lock::Lock;
use tabiya_model::{Control, Database, Result};

use crate::history::Effect;
use crate::opener::Opener;
use crate::sidecar::{self, Making, Sidecar};

/// Up to so many games an index is made anew when old games have changed: a matter of seconds.
const MOST: u64 = 2_000_000;

/// Games beyond these are not counted where it is asked whether few have changed.
const MOST_CHANGED: usize = 1 << 12;

/// The index of a base that is about to be changed.
pub(super) struct Upkeep<'o> {
    opener: &'o Opener,
    format: &'static Format,
    path: PathBuf,
    files: Vec<PathBuf>,
    control: &'o Control,
    before: Option<Before>,
    way: Way,
}

/// The base and its index before the change.
struct Before {
    database: Box<dyn Database>,
    index: Box<Index>,
}

/// How the index is brought up to date.
enum Way {
    /// By the games that were added.
    Grow,
    /// By what has changed.
    Overrule(Overruled),
    Anew,
}

impl<'o> Upkeep<'o> {
    /// Looks whether there is an index of the base as it is; nothing is to be done where there is none. The caller holds the lock
    /// of the base.
    pub(super) fn of(
        opener: &'o Opener,
        format: &'static Format,
        path: &Path,
        control: &'o Control,
    ) -> Result<Option<Upkeep<'o>>> {
        let upkeep = Upkeep {
            opener,
            format,
            path: path.to_path_buf(),
            files: Vec::new(),
            control,
            before: None,
            way: Way::Anew,
        };
        let Some(database) = upkeep.open()? else {
            return Ok(None);
        };
        let is_there = sidecar::path_of(&*database).is_some_and(|path| held::exists(&path));
        if !is_there {
            return Ok(None);
        }
        let Ok(Sidecar::Fresh(index)) = sidecar::open(&*database, &opener.options) else {
            return Ok(None);
        };
        index.tell_places(&*database);
        Ok(Some(Upkeep {
            files: database.files(),
            before: Some(Before { database, index }),
            ..upkeep
        }))
    }

    /// Takes what is to be known of the base as it is, and lets go of it: it is about to change.
    pub(super) fn expect(&mut self, effect: &Effect) {
        let Some(Before { database, index }) = self.before.take() else {
            return;
        };
        let mut numbers = match effect {
            Effect::Added(_) => {
                self.way = Way::Grow;
                return;
            }
            Effect::Replaced(list) => list.iter().map(|kept| kept.number).collect(),
            // Where the base itself says what is known of its games, the index knows no flags.
            Effect::Flagged(_) if database.facts().is_some() => Vec::new(),
            Effect::Flagged(list) => {
                let games = list.iter().flat_map(|old| old.games.clone());
                games.take(MOST_CHANGED).collect()
            }
            Effect::Described => Vec::new(),
            Effect::Ordered(_) | Effect::Removed(_) | Effect::Deleted(_) | Effect::Inserted(_) => {
                return;
            }
        };
        numbers.sort_unstable();
        numbers.dedup();
        if let Ok(Some(overruled)) = index.overrule(&*database, &numbers) {
            self.way = Way::Overrule(overruled);
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
    pub(super) fn follow(&self, after: u64) -> Option<String> {
        let stale = || {
            Some(
                "the index is older than the base now, and is not used until `tabiya index` renews it"
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
        if !matches!(self.way, Way::Anew) {
            let first = tabiya_io::held::real(first)?;
            // While it is held, nobody changes the base; and where somebody already has, that shows.
            let Ok(_lock) = Lock::take(&first, Duration::ZERO) else {
                return Ok(false);
            };
            let files: Vec<&Path> = self.files.iter().map(PathBuf::as_path).collect();
            if state_of(&files)? == after
                && let Some(database) = self.open()?
                && match &self.way {
                    Way::Grow => sidecar::grow(&*database, &self.opener.options)?,
                    Way::Overrule(changed) => {
                        sidecar::overrule(&*database, &self.opener.options, changed)?
                    }
                    Way::Anew => false,
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
        let making = Making {
            reading: &self.opener.options,
            extend: false,
            control: self.control,
        };
        sidecar::make(&*database, &making).map(|(built, _)| built.ended.is_whole())
    }
}
