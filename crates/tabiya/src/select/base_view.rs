//! A base as jobs see it: the chosen games, with the index beside the base if it helps. Only here is decided whether an
//! index is used.

use tabiya_explore::IndexedDatabase;
use tabiya_explore::index::ExplorerIndex;
use tabiya_model::collect::{CollectorNeeds, CollectorPass, GameView, PassRange, Statistic};
use tabiya_model::{Control, Database, JobCompletion, Result};

use crate::open::base::{Base, has_whole_facts};
use crate::open::sidecar;
use crate::select::selection::Selection;

/// What the index beside a base is asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum IndexUse {
    /// Facts of games: a format whose own index has all of them needs no other.
    Facts,
    /// Positions, which no format but a lake knows itself.
    Positions,
}

impl IndexUse {
    fn helps(self, base: &Base) -> bool {
        let is_enough = |database| self == IndexUse::Facts && has_whole_facts(database);
        base.database().is_some_and(|database| !is_enough(database))
    }
}

/// The index beside a base, where it may be asked and helps.
pub(crate) fn index_of(base: &Base, is_asked: bool, what: IndexUse) -> Option<&ExplorerIndex> {
    match is_asked && what.helps(base) {
        true => base.index(),
        false => None,
    }
}

/// Why the index beside a base is not used that would help.
pub(crate) fn index_note(base: &Base, is_asked: bool, what: IndexUse) -> Option<String> {
    match is_asked && what.helps(base) {
        true => base.index_note().map(str::to_owned),
        false => None,
    }
}

/// A database with the games of it that are chosen, and with its index over it where that helps.
pub(crate) struct BaseView<'b> {
    base: &'b Base,
    database: BaseViewDatabase<'b>,
    /// The numbers of the games, rising; `None` where these are all.
    listed: Option<Vec<u64>>,
}

enum BaseViewDatabase<'b> {
    Plain(&'b dyn Database),
    Indexed(
        Box<IndexedDatabase<&'b dyn Database, &'b ExplorerIndex>>,
        &'b ExplorerIndex,
    ),
}

impl<'b> BaseView<'b> {
    /// The view of a base; `None` of a stream, which can be read only once, and of which all games are looked at.
    pub(crate) fn open(
        games: &Selection,
        base: &'b Base,
        control: &Control,
        notes: &mut Vec<String>,
    ) -> Result<Option<BaseView<'b>>> {
        let Some(database) = base.database() else {
            return match games.is_all() {
                true => Ok(None),
                false => Err(games.wants_file(base)),
            };
        };
        let listed = games.numbers_in(base, control)?;
        notes.extend(index_note(base, games.index, IndexUse::Facts));
        let database = match index_of(base, games.index, IndexUse::Facts) {
            None => BaseViewDatabase::Plain(database),
            Some(index) => {
                let indexed = IndexedDatabase::new(database, index);
                BaseViewDatabase::Indexed(Box::new(indexed), index)
            }
        };
        Ok(Some(BaseView {
            base,
            database,
            listed,
        }))
    }

    /// The same for a job that reads games more than once.
    pub(crate) fn of_file(
        games: &Selection,
        base: &'b Base,
        control: &Control,
        notes: &mut Vec<String>,
    ) -> Result<BaseView<'b>> {
        BaseView::open(games, base, control, notes)?.ok_or_else(|| games.wants_file(base))
    }

    pub(crate) fn database(&self) -> &dyn Database {
        match &self.database {
            BaseViewDatabase::Plain(database) => *database,
            BaseViewDatabase::Indexed(indexed, _) => &**indexed,
        }
    }

    /// The numbers of the games, rising; `None` where these are all.
    pub(crate) fn listed(&self) -> Option<&[u64]> {
        self.listed.as_deref()
    }

    /// How many games there are.
    pub(crate) fn count(&self) -> Result<u64> {
        match &self.listed {
            Some(listed) => Ok(listed.len() as u64),
            None => self.database().len(),
        }
    }

    /// Shows the games to collectors.
    pub(crate) fn run(&self, pass: CollectorPass<'_>, control: &Control) -> Result<JobCompletion> {
        let over = self.listed().map_or(PassRange::All, PassRange::List);
        pass.run(self.database(), over, control)
    }

    /// What was found to be damaged in the index.
    pub(crate) fn damage(&self) -> Option<String> {
        match &self.database {
            BaseViewDatabase::Plain(_) => None,
            BaseViewDatabase::Indexed(_, index) => sidecar::damage(self.base.database()?, index),
        }
    }
}

/// Shows the games of a base to collectors, by its view, or as the stream that it is.
pub(crate) fn run(
    base: &Base,
    view: Option<&BaseView<'_>>,
    pass: CollectorPass<'_>,
    control: &Control,
) -> Result<JobCompletion> {
    match view {
        Some(view) => view.run(pass, control),
        None => pass.run_source(&mut *base.source(control)?, control),
    }
}

/// Games, and those of them that are damaged.
pub(crate) struct GameCount;

impl Statistic for GameCount {
    type Sum = (u64, u64);

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::default()
    }

    fn see(&self, (games, damaged): &mut (u64, u64), game: &mut GameView<'_>) -> Result<()> {
        *games += 1;
        *damaged += u64::from(game.is_damaged());
        Ok(())
    }

    fn add(&self, sum: &mut (u64, u64), part: (u64, u64), _first: u64) {
        sum.0 += part.0;
        sum.1 += part.1;
    }
}
