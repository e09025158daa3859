//! Games that have changed since their layer was made: the layer's data about them no longer counts.
//!
//! They are left out of every list, and read instead. Precomputed figures include their old state: so what they had added
//! is kept, and subtracted.

use tabiya_model::collect::GameView;
use tabiya_model::{Control, Database, Result};

use super::coding::{IndexByteReader, IndexDamage, push_number};
use super::postings::{GamesDigest, digest_of};
use super::{ExplorerIndex, LayerAnswer};
use crate::game_brief::GameBrief;
use crate::move_code::MoveCode;
use crate::read_mode::{self, ReadMode};
use crate::tally::PositionTally;
use tabiya_openings::position_key::PositionKey;

/// The maximum number of changed games before an index is built again: every lookup has to read all of them.
pub(super) const MOST: usize = 256;

/// The maximum share of changed games, one in this number: the index of a smaller database is built again in no time.
const SHARE: u64 = 16;

/// Figures of more games than this are not recomputed for one lookup.
const SLOW: usize = 20_000;

/// Changed games, by their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChangedGames {
    games: Vec<ChangedGame>,
}

/// A changed game as in its layer.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ChangedGame {
    number: u64,
    facts: GameBrief,
    /// The moves played in each position of the main line at its first occurrence, by key.
    steps: Vec<(PositionKey, MoveCode)>,
    /// Its part of the layer's digest.
    digest: u64,
    /// Whether the game is damaged now.
    is_damaged: bool,
}

/// The current digests of some games, one by one.
fn digests(database: &dyn Database, numbers: &[u64]) -> Result<Vec<u64>> {
    let look = ReadMode::for_index(database);
    let digest = |game: &mut GameView<'_>| digest_of(game, look);
    Ok(read_mode::each(database, numbers, look, &alone(), digest)?.0)
}

/// A few games are read on one thread.
fn alone() -> Control {
    Control::default().with_threads(1)
}

/// The size of a step in bytes.
const STEP: usize = 8 + 2;

impl ChangedGame {
    /// The changed game, apart from its number and its digest.
    fn of(game: &mut GameView<'_>, look: ReadMode) -> Result<ChangedGame> {
        let facts = look.brief(game)?;
        let mut steps: Vec<(PositionKey, MoveCode)> = Vec::new();
        let start = look.start(game)?;
        if start.is_readable {
            let mut now = start.key;
            for delta in game.steps()?.iter().filter(|delta| delta.is_move()) {
                steps.push((now, MoveCode::of(*delta)));
                now = now.after(*delta);
            }
            steps.push((now, MoveCode::END));
        }
        // Of equal positions the first one counts: a stable sort keeps their order.
        steps.sort_by_key(|(key, _)| key.0);
        steps.dedup_by_key(|(key, _)| key.0);
        Ok(ChangedGame {
            number: 0,
            facts,
            steps,
            digest: 0,
            is_damaged: false,
        })
    }

    fn step(&self, key: PositionKey) -> Option<MoveCode> {
        let at = self.steps.binary_search_by_key(&key.0, |(key, _)| key.0);
        at.ok()
            .and_then(|at| self.steps.get(at))
            .map(|(_, step)| *step)
    }
}

impl ChangedGames {
    pub(super) fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Their numbers, ascending.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.games.iter().map(|old| old.number).collect()
    }

    /// Those that are damaged now.
    pub(super) fn damaged(&self) -> impl Iterator<Item = u64> {
        let damaged = self.games.iter().filter(|old| old.is_damaged);
        damaged.map(|old| old.number)
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.games
            .binary_search_by_key(&number, |old| old.number)
            .is_ok()
    }

    /// Subtracts from the figures of a position what the changed games in a range of numbers contributed; false if the rest
    /// cannot be determined.
    pub(super) fn take_off(
        &self,
        figures: &mut PositionTally,
        key: PositionKey,
        games: std::ops::Range<u64>,
    ) -> bool {
        self.games.iter().all(|old| match old.step(key) {
            Some(step) if games.contains(&old.number) => {
                figures.take_off(old.number, step, old.facts)
            }
            _ => true,
        })
    }

    /// Restores the digest of a layer with these games to their state when the layer was made.
    pub(super) fn put_back(
        &self,
        digest: &mut GamesDigest,
        games: &std::ops::Range<u64>,
        database: &dyn Database,
    ) -> Result<()> {
        let numbers: Vec<u64> = self
            .numbers()
            .into_iter()
            .filter(|old| games.contains(old))
            .collect();
        let new = digests(database, &numbers)?;
        let old = self.games.iter().filter(|old| games.contains(&old.number));
        for (old, new) in old.zip(new) {
            digest.exchange(old.number - games.start, new, old.digest);
        }
        Ok(())
    }

    pub(super) fn push(&self, out: &mut Vec<u8>) {
        push_number(out, self.games.len() as u64);
        for old in &self.games {
            push_number(out, old.number);
            push_number(out, u64::from(old.is_damaged));
            out.extend_from_slice(&old.digest.to_le_bytes());
            out.extend_from_slice(&old.facts.to_bits().to_le_bytes());
            push_number(out, old.steps.len() as u64);
            for (key, step) in &old.steps {
                out.extend_from_slice(&key.0.to_le_bytes());
                out.extend_from_slice(&step.0.to_le_bytes());
            }
        }
    }

    pub(super) fn read(
        bytes: &mut IndexByteReader<'_>,
    ) -> std::result::Result<ChangedGames, IndexDamage> {
        let count = bytes.size()?;
        let mut games: Vec<ChangedGame> = Vec::new();
        for _ in 0..count {
            let number = bytes.number()?;
            let is_damaged = bytes.number()? != 0;
            let digest = bytes.u64()?;
            let facts = GameBrief::from_bits(bytes.u64()?);
            let length = bytes.size()?;
            if length > bytes.0.len() / STEP
                || games.last().is_some_and(|last| last.number >= number)
            {
                return Err(IndexDamage);
            }
            let mut steps = Vec::with_capacity(length);
            for _ in 0..length {
                steps.push((PositionKey(bytes.u64()?), MoveCode(bytes.u16()?)));
            }
            games.push(ChangedGame {
                number,
                facts,
                steps,
                digest,
                is_damaged,
            });
        }
        Ok(ChangedGames { games })
    }
}

impl ExplorerIndex {
    /// The overrides when games with these numbers, which rise, change, as the database still has them: all earlier ones,
    /// and these. `None` if rebuilding the index is better.
    pub fn mark_changed(
        &self,
        database: &dyn Database,
        numbers: &[u64],
    ) -> Result<Option<ChangedGames>> {
        let known = &self.trailer.changed_games;
        let new: Vec<u64> = numbers
            .iter()
            .copied()
            .filter(|number| !known.has(*number))
            .collect();
        let count = known.games.len() + new.len();
        let last = self.game_count();
        let is_few = count <= MOST && count as u64 * SHARE <= last;
        let is_there = new.iter().all(|number| (1..=last).contains(number));
        let is_cheap = new.is_empty() || (is_few && is_there);
        if !is_cheap {
            return Ok(None);
        }
        let mut overruled = known.clone();
        let look = ReadMode::at(database, false);
        let (olds, _) = read_mode::each(database, &new, look, &alone(), |game| {
            ChangedGame::of(game, look)
        })?;
        for ((number, old), digest) in new.iter().zip(olds).zip(digests(database, &new)?) {
            let old = ChangedGame {
                number: *number,
                digest,
                ..old
            };
            if self.damaged_games().binary_search(number).is_ok() || !self.is_worth(&old) {
                return Ok(None);
            }
            overruled.games.push(old);
        }
        overruled.games.sort_by_key(|old| old.number);
        Ok(Some(overruled))
    }

    /// Whether the figures of frequent positions remain usable without a game.
    fn is_worth(&self, old: &ChangedGame) -> bool {
        let Some(layer) = self
            .layers()
            .find(|layer| layer.games().contains(&old.number))
        else {
            return false;
        };
        old.steps
            .iter()
            .all(|(key, step)| match self.find(layer, *key) {
                Some(LayerAnswer::Listed(list)) if list.main_line_games() > SLOW => {
                    let figures = self.figures(layer, &list).flatten();
                    figures.is_some_and(|mut left| left.take_off(old.number, *step, old.facts))
                }
                Some(_) => true,
                None => false,
            })
    }
}

impl ChangedGames {
    /// Checks whether the games are damaged now.
    pub(super) fn look(&mut self, database: &dyn Database) -> Result<()> {
        let look = ReadMode::at(database, true);
        let (damaged, _) = read_mode::each(database, &self.numbers(), look, &alone(), |game| {
            look.start(game)?;
            game.steps()?;
            Ok(game.is_damaged())
        })?;
        for (old, is_damaged) in self.games.iter_mut().zip(damaged) {
            old.is_damaged = is_damaged;
        }
        Ok(())
    }
}
