//! Databases that find a game by its number: the one source and block of all of them.

use std::ops::{Deref, Range};
use std::sync::{Mutex, PoisonError};

use tabiya_model::error_codes;
use tabiya_model::{
    Block, DatabaseMetadata, Diagnostics, Error, Game, GameNeeds, Losses, Result, Source,
};

/// What the source of the games needs from such a database.
pub trait NumberedDatabase: Send + Sync {
    /// Buffers that are reused for each game.
    type Scratch: Send;

    /// Games in a block.
    const BLOCK: u64;

    /// New buffers.
    fn scratch(&self) -> Self::Scratch;

    /// The number of games.
    fn count(&self) -> u64;

    /// The number of bytes of all games, for progress.
    fn game_bytes(&self) -> u64;

    /// Reads the game with a number, from 1 to the number of games.
    fn fill(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut Self::Scratch,
        game: &mut Game,
    ) -> Result<()>;

    /// See [`Source::about`].
    fn describe(&self) -> DatabaseMetadata {
        DatabaseMetadata::default()
    }

    /// See [`Source::diagnostics`].
    fn findings(&self) -> Diagnostics;

    /// See [`Source::missing`].
    fn losses(&self) -> Losses {
        Losses::default()
    }
}

/// Refuses numbers that no game has.
pub fn check_number(number: u64, count: u64) -> Result<()> {
    if number == 0 || number > count {
        return Err(Error::new(
            &error_codes::NO_SUCH_GAME,
            format!("there is no game {number}: the database has {count} games"),
        )
        .with("number", number)
        .with("count", count));
    }
    Ok(())
}

/// Buffers for single games, kept for the next one.
pub struct ScratchPool<S>(Mutex<Vec<S>>);

impl<S> Default for ScratchPool<S> {
    fn default() -> ScratchPool<S> {
        ScratchPool(Mutex::new(Vec::new()))
    }
}

impl<S> ScratchPool<S> {
    /// Lends buffers: kept ones, or new ones if all are in use.
    pub fn lend<T>(&self, make: impl FnOnce() -> S, work: impl FnOnce(&mut S) -> T) -> T {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch = kept.unwrap_or_else(make);
        let done = work(&mut scratch);
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(scratch);
        done
    }
}

/// A range of games on its way into blocks. `H` is a database, borrowed or shared.
pub struct NumberedSource<H> {
    base: H,
    next: u64,
    end: u64,
}

impl<H> NumberedSource<H>
where
    H: Deref<Target: NumberedDatabase>,
{
    /// All games, or those of a range of numbers (from 1, end excluded).
    pub fn new(base: H, games: Option<Range<u64>>) -> NumberedSource<H> {
        let end = base.count().saturating_add(1);
        let range = games.unwrap_or(1..end);
        NumberedSource {
            base,
            next: range.start.max(1),
            end: range.end.min(end),
        }
    }
}

impl<'a, H> Source<'a> for NumberedSource<H>
where
    H: Deref<Target: NumberedDatabase> + Clone + Send + 'a,
{
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let first = self.next;
        self.next = self
            .end
            .min(first.saturating_add(<H::Target as NumberedDatabase>::BLOCK));
        Ok(Some(Box::new(NumberedBlock {
            scratch: self.base.scratch(),
            base: self.base.clone(),
            first,
            next: first,
            end: self.next,
        })))
    }

    fn diagnostics(&self) -> Diagnostics {
        self.base.findings()
    }

    fn about(&self) -> DatabaseMetadata {
        self.base.describe()
    }

    fn missing(&self) -> Losses {
        self.base.losses()
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.base.game_bytes())
    }
}

/// A block of games.
struct NumberedBlock<H: Deref<Target: NumberedDatabase>> {
    base: H,
    scratch: <H::Target as NumberedDatabase>::Scratch,
    first: u64,
    next: u64,
    end: u64,
}

impl<H> Block for NumberedBlock<H>
where
    H: Deref<Target: NumberedDatabase> + Send,
{
    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        if self.next >= self.end {
            return Ok(false);
        }
        self.base.fill(self.next, want, &mut self.scratch, game)?;
        self.next += 1;
        Ok(true)
    }

    fn again(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        if self.next == self.first {
            return Ok(false);
        }
        self.base
            .fill(self.next - 1, want, &mut self.scratch, game)?;
        Ok(true)
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn first(&self) -> Option<u64> {
        Some(self.first)
    }

    fn bytes(&self) -> u64 {
        // Records may be in any order, so this is the block's share of all bytes.
        let games = u128::from(self.end - self.first);
        let share =
            u128::from(self.base.game_bytes()) * games / u128::from(self.base.count().max(1));
        u64::try_from(share).unwrap_or(u64::MAX)
    }
}
