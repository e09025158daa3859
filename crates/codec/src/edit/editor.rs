//! The interface of a database that is being changed.

use tabiya_io::change::{DatabaseStates, HistoryUpdate};
use tabiya_model::{Game, GameNeeds, Losses, Result};

/// The suffix of the folder for new files, after the name of a database.
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

/// A database that is being changed. Nothing changes before [`DatabaseEditor::commit`]; if it is dropped before, the
/// database stays unchanged.
pub trait DatabaseEditor {
    /// The number of games.
    fn len(&self) -> u64;

    /// Whether there is no game.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets and clears flags, in Scid's letters, of ranges of games (from 1, end excluded); returns the number of
    /// changed games.
    fn flags(&mut self, games: &[std::ops::Range<u64>], set: &str, clear: &str) -> Result<u64>;

    /// Gives the database new texts.
    fn describe(&mut self, new: &DescriptionChange) -> Result<()>;

    /// Adds a game at the end; false if the database cannot hold it, which is reported.
    fn append(&mut self, game: &Game, losses: &mut Losses) -> Result<bool>;

    /// Replaces a game; false if the database cannot hold the new one, which is reported.
    fn replace(&mut self, number: u64, game: &Game, losses: &mut Losses) -> Result<bool>;

    /// Removes all games after the first `left` ones.
    fn cut(&mut self, left: u64) -> Result<()>;

    /// Removes games, by their current numbers.
    fn remove(&mut self, games: &[u64]) -> Result<()>;

    /// Whether games are deleted by a mark that other programs understand too; otherwise deleting a game removes it.
    fn marks_deleted(&self) -> bool {
        true
    }

    /// The size of the game data when the database was opened, if undoing a change can restore it exactly: for a text whose
    /// games can be written with saved bytes, or for Scid's game file; `None` for all others.
    fn size(&self) -> Option<u64> {
        None
    }

    /// Truncates it to an earlier size, if only free space or unused records follow it.
    fn end_at(&mut self, _size: u64) {}

    /// How a game can be restored as it was when the database was opened, by its number then: the bytes of a text, or the place
    /// of its record.
    fn text(&self, _number: u64) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Restores an added or replaced game from that, by its current number, if it gives the same game.
    fn keep_text(&mut self, _number: u64, _text: &[u8]) -> Result<()> {
        Ok(())
    }

    /// Sorts the games by keys such as `date` or `-white-elo`; games that are equal in all keys keep their order. Returns
    /// their previous numbers in the new order.
    fn sort(&mut self, keys: &[String]) -> Result<Vec<u64>>;

    /// Puts the games in another order, given by their current numbers.
    fn reorder(&mut self, order: &[u64]) -> Result<()>;

    /// Removes deleted games and everything unused; returns the removed numbers.
    fn compact(&mut self) -> Result<Vec<u64>>;

    /// A game as the database held it when it was opened, by its number then.
    fn read(&self, number: u64, want: GameNeeds) -> Result<Game>;

    /// Puts everything in place, all or nothing, together with the new history record, if any. If nothing has changed, no
    /// history record is requested.
    fn commit(self: Box<Self>, noting: Option<HistoryNoteFn<'_>>) -> Result<()>;
}

/// Returns the history record of a change between two states.
pub type HistoryNoteFn<'n> = &'n mut dyn FnMut(DatabaseStates) -> Result<Option<HistoryUpdate>>;
