//! Changing a database in place: the only way in which Tabiya touches what it did not create.

use tabiya_io::{change, lock};
use tabiya_model::{Error, ErrorKind, Game, Losses, Result};

/// New texts of a database; `None` keeps the old one.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The description.
    pub description: Option<String>,
    /// Labels of the custom flags, by number from 1.
    pub labels: Vec<(usize, String)>,
    /// Number of the type.
    pub kind: Option<u32>,
    /// Number of the game to show first.
    pub autoload: Option<u64>,
}

/// A database that is being changed. Nothing changes before [`Edit::commit`]; dropped before, it stays as it was.
pub trait Edit {
    /// The number of games.
    fn len(&self) -> u64;

    /// Whether there is no game.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets and clears flags, in Scid's letters, of ranges of games (from 1, end excluded); says how many games changed.
    fn flags(&mut self, games: &[std::ops::Range<u64>], set: &str, clear: &str) -> Result<u64>;

    /// Gives the database new texts.
    fn describe(&mut self, new: &Description) -> Result<()>;

    /// Adds a game at the end; false where the database cannot hold it, which is reported.
    fn append(&mut self, game: &Game, losses: &mut Losses) -> Result<bool>;

    /// Puts a game in the place of another one; false where the database cannot hold it, which is reported.
    fn replace(&mut self, number: u64, game: &Game, losses: &mut Losses) -> Result<bool>;

    /// Sorts the games by keys such as `date` or `-whiteelo`; games that are equal in all keys keep their order.
    fn sort(&mut self, keys: &[String]) -> Result<()>;

    /// Leaves out deleted games and everything that is not used any more; says how many games went.
    fn compact(&mut self) -> Result<u64>;

    /// Puts everything in place, all or nothing.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// A change that could not be made, for callers.
pub(crate) fn failed(error: change::Error) -> Error {
    let kind = match &error {
        change::Error::Lock(lock::Error::Taken { .. }) | change::Error::Overtaken(_) => {
            ErrorKind::Usage
        }
        change::Error::Interrupted { .. } | change::Error::Journal(_) => ErrorKind::Corrupt,
        _ => ErrorKind::Io,
    };
    Error::new(kind, error.to_string()).because(error)
}
