//! What a database that is being changed can be asked for.

use tabiya_io::change::{DatabaseStates, HistoryUpdate};
use tabiya_model::{Game, GameNeeds, Losses, Result};

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
