//! Changing a database in place: the only way in which Tabiya touches what it did not create.
//!
//! Every format that can be written can be changed. Scid's bases have a way of their own ([`crate::scid::edit`]); files of
//! text are copied around what is new, and others are written anew beside the old one and take its place.

mod game_list;
pub(crate) mod rewrite;
mod spans;
pub(crate) mod splice;
#[cfg(test)]
pub(crate) mod tests;

use std::path::{Path, PathBuf};

use tabiya_io::change::{DatabaseStates, HistoryUpdate};
use tabiya_io::{change, companions, lock};
use tabiya_model::sort_order::SortKey;
use tabiya_model::{Error, ErrorKind, Game, GameNeeds, Losses, Result};

use crate::format::Format;

/// What is added to the name of a database for the folder in which its new files are made.
pub const STAGE: &str = ".tabiya-stage";

/// New texts of a database; `None` keeps the old one.
#[derive(Clone, Debug, Default)]
pub struct DescriptionChange {
    /// The description.
    pub description: Option<String>,
    /// Labels of the custom flags, by number from 1.
    pub labels: Vec<(usize, String)>,
    /// Number of the type.
    pub kind: Option<u32>,
    /// Number of the game to show first.
    pub autoload: Option<u64>,
}

/// A database that is being changed. Nothing changes before [`DatabaseEditor::commit`]; dropped before, it stays as it was.
pub trait DatabaseEditor {
    /// The number of games.
    fn len(&self) -> u64;

    /// Whether there is no game.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets and clears flags, in Scid's letters, of ranges of games (from 1, end excluded); says how many games changed.
    fn flags(&mut self, games: &[std::ops::Range<u64>], set: &str, clear: &str) -> Result<u64>;

    /// Gives the database new texts.
    fn describe(&mut self, new: &DescriptionChange) -> Result<()>;

    /// Adds a game at the end; false where the database cannot hold it, which is reported.
    fn append(&mut self, game: &Game, losses: &mut Losses) -> Result<bool>;

    /// Puts a game in the place of another one; false where the database cannot hold it, which is reported.
    fn replace(&mut self, number: u64, game: &Game, losses: &mut Losses) -> Result<bool>;

    /// Takes away all games behind the first ones.
    fn cut(&mut self, left: u64) -> Result<()>;

    /// Takes games out, by the numbers that they have now.
    fn remove(&mut self, games: &[u64]) -> Result<()>;

    /// Whether games are deleted by a mark that other programs understand too; else deleting one means taking it out.
    fn marks_deleted(&self) -> bool {
        true
    }

    /// The size of what holds the games when it was opened, where taking a change back can leave it as it was: of a text whose
    /// games can be written with bytes that somebody has kept, of Scid's game file; `None` for all others.
    fn size(&self) -> Option<u64> {
        None
    }

    /// Ends it at a size that it had, if nothing but space, or records that no game uses, stands behind that.
    fn end_at(&mut self, _size: u64) {}

    /// What a game of it can be brought back by as it was when it was opened, by its number then: the bytes of a text, or where
    /// its record stands.
    fn text(&self, _number: u64) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Brings a game that was added or replaced back by that, by its number now, if that is the game that it leads to.
    fn keep_text(&mut self, _number: u64, _text: &[u8]) -> Result<()> {
        Ok(())
    }

    /// Sorts the games by keys such as `date` or `-white-elo`; games that are equal in all keys keep their order. Says which
    /// numbers they had before, one after another.
    fn sort(&mut self, keys: &[String]) -> Result<Vec<u64>>;

    /// Puts the games in another order, given by the numbers that they have now.
    fn reorder(&mut self, order: &[u64]) -> Result<()>;

    /// Leaves out deleted games and everything that is not used any more; says which numbers went.
    fn compact(&mut self) -> Result<Vec<u64>>;

    /// A game as the database held it when it was opened, by its number then.
    fn read(&self, number: u64, want: GameNeeds) -> Result<Game>;

    /// Puts everything in place, all or nothing, with what is left in the history, if anything. Where nothing has changed, nobody
    /// is asked for that.
    fn commit(self: Box<Self>, noting: Option<HistoryNoteFn<'_>>) -> Result<()>;
}

/// Says what is left in the history of a change between two states.
pub type HistoryNoteFn<'n> = &'n mut dyn FnMut(DatabaseStates) -> Result<Option<HistoryUpdate>>;

/// Ends a change: asks what is left in the history, and puts everything in place.
pub(crate) fn commit(
    mut change: change::DatabaseChange,
    noting: Option<HistoryNoteFn<'_>>,
) -> Result<()> {
    if let Some(noting) = noting
        && !change.is_empty()
        && let Some(note) = noting(change.states()?)?
    {
        change.note(&note).map_err(failed)?;
    }
    change.commit().map_err(failed)
}

/// Whether numbers are those of all games, each once.
pub(crate) fn is_order(order: &[u64], count: u64) -> bool {
    let mut seen = vec![false; order.len()];
    let all = order.iter().all(|number| {
        let at = usize::try_from(number.wrapping_sub(1)).unwrap_or(usize::MAX);
        seen.get_mut(at)
            .is_some_and(|seen| !std::mem::replace(seen, true))
    });
    all && order.len() as u64 == count
}

/// The places, from 0, of a list of so many games that are left when those of some numbers, from 1, are taken out.
pub(crate) fn without(games: &[u64], count: usize) -> Vec<usize> {
    let mut games = games.to_vec();
    games.sort_unstable();
    let is_left = |at: &usize| games.binary_search(&(*at as u64 + 1)).is_err();
    (0..count).filter(is_left).collect()
}

/// What the games of a database are sorted by: anything but what only a search knows of them.
pub(crate) fn edit_keys(words: &[String]) -> Result<Vec<SortKey>> {
    let keys = SortKey::parse_all(words)?;
    match keys.iter().any(|key| key.is_of_searches()) {
        true => Err(Error::usage(
            "the games of a database have no ply to be sorted by, and are near to nothing; what a search finds is",
        )),
        false => Ok(keys),
    }
}

/// The error for an order that is none.
pub(crate) fn no_order() -> Error {
    Error::usage("this is no order of the games of the base; nothing was changed")
}

/// A change that could not be made, for callers.
pub(crate) fn failed(error: change::ChangeError) -> Error {
    let kind = match &error {
        change::ChangeError::Lock(lock::LockError::Taken { .. })
        | change::ChangeError::Overtaken(_) => ErrorKind::Usage,
        change::ChangeError::Interrupted { .. } | change::ChangeError::Journal(_) => {
            ErrorKind::Corrupt
        }
        _ => ErrorKind::Io,
    };
    Error::new(kind, error.to_string()).because(error)
}

/// Finishes a change of a database that was interrupted after its decision; whoever opens a database by path does this
/// first. Costs next to nothing where nothing was interrupted.
pub fn finish_interrupted(format: &Format, path: &Path) -> Result<()> {
    if format.edit.is_none() {
        return Ok(());
    }
    let mut files = vec![path.to_path_buf()];
    for extension in format.extensions {
        if let Ok(Some(file)) = companions::find_optional(path, extension)
            && file != path
        {
            files.push(file);
        }
    }
    for first in 0..files.len() {
        let is_pending = files
            .get(first)
            .is_some_and(|file| change::is_pending(file));
        if is_pending {
            // The journal lies beside the file that the database is opened by.
            files.swap(0, first);
            let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
            change::recover(&files).map_err(failed)?;
            break;
        }
    }
    Ok(())
}
