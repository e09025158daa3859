//! Each game as one row or a few, and which of them need their moves compared.
//!
//! Sorting puts rows of the same players together. With the moves and years in the index, few candidates remain.

use crate::error_codes;
use shakmaty::Color;
use tabiya_model::collect::{CollectorNeeds, GameView, NameField, NameRef, Statistic};
use tabiya_model::facts::FactFields;
use tabiya_model::{Error, Result};

use super::names::{NameComparer, NameKey};

/// So many games of the same players are compared pair by pair; of more, all are looked at.
const PAIRWISE: usize = 24;

/// A game under a key of its players.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct DedupeRow {
    /// Of both players.
    pub(super) key: u64,
    /// Which game, counted through all bases from 0.
    pub(super) game: u32,
    /// The year, 0 where it is not known.
    year: u16,
    /// Plies, as far as two bytes hold them; nothing where they are not known.
    plies: Option<u16>,
    /// What the index says of the moves: the pawns that left their squares, and the pieces at the end.
    hints: Option<(u64, u8, u32)>,
}

impl DedupeRow {
    /// Whether what is known of two games leaves it open that one has the moves of the other, in the same year.
    fn may_be_double(&self, other: &DedupeRow) -> bool {
        let years = self.year.abs_diff(other.year);
        if self.year != 0 && other.year != 0 && years > 1 {
            return false;
        }
        let (Some(one), Some(two)) = (self.hints, other.hints) else {
            return true;
        };
        let (short, long) = if (self.plies, one.1) <= (other.plies, two.1) {
            (one, two)
        } else {
            (two, one)
        };
        if self.plies.is_some() && self.plies == other.plies {
            return one == two;
        }
        // Each pawn has four bits, from the top.
        let shift = 64_u32.saturating_sub(4 * u32::from(short.1));
        let lead = |pawns: u64| pawns.checked_shr(shift).unwrap_or(0);
        short.1 <= long.1 && lead(short.0) == lead(long.0)
    }
}

/// Makes rows of the games of a base.
pub(super) struct DedupeRowBuilder<'r> {
    pub(super) names: &'r NameComparer<'r>,
    /// The keys of names that have numbers.
    pub(super) keys: &'r [NameKey],
    /// How many games stand in the bases before.
    pub(super) before: u64,
    /// The numbers of the games, where not all are looked at.
    pub(super) listed: Option<&'r [u64]>,
    /// Whether colours may be swapped.
    pub(super) swapped: bool,
    /// Whether what the index says of moves is asked.
    pub(super) hints: bool,
}

impl Statistic for DedupeRowBuilder<'_> {
    type Sum = Vec<DedupeRow>;

    fn needs(&self) -> CollectorNeeds {
        let of_moves = FactFields::PLIES.union(FactFields::MOVES);
        let hints = if self.hints {
            of_moves
        } else {
            FactFields::NONE
        };
        CollectorNeeds::facts(
            hints
                .union(FactFields::WHITE)
                .union(FactFields::BLACK)
                .union(FactFields::DATE)
                .union(FactFields::FLAGS),
        )
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        // Places in a run are below its length; the number is known when the run is taken.
        let place = u32::try_from(game.place()).unwrap_or(u32::MAX);
        let fact = *game.fact()?;
        if fact.is_deleted() {
            return Ok(());
        }
        let hints = fact.moves.filter(|_| self.hints && !fact.is_setup());
        let row = DedupeRow {
            key: 0,
            game: place,
            year: fact.date.year.unwrap_or(0),
            plies: fact
                .plies
                .filter(|_| self.hints)
                .and_then(|plies| u16::try_from(plies).ok()),
            hints: hints.map(|moves| (moves.home_pawns, moves.home_count, moves.material)),
        };
        let [white, black] = [Color::White, Color::Black].map(|color| self.key(game, color));
        let (white, black) = (white?, black?);
        for (at, one) in white.words.into_iter().enumerate() {
            for (to, two) in black.words.into_iter().enumerate() {
                // A further word that is none makes no row.
                if (at > 0 && one == 0) || (to > 0 && two == 0) {
                    break;
                }
                let (one, two) = if self.swapped {
                    (one.min(two), one.max(two))
                } else {
                    (one, two)
                };
                let key = u64::from(one) << 32 | u64::from(two);
                sum.push(DedupeRow { key, ..row });
            }
        }
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, first: u64) {
        sum.extend(part.into_iter().filter_map(|row| {
            let at = first.checked_add(u64::from(row.game))?;
            let number = match self.listed {
                None => at,
                Some(list) => *list.get(usize::try_from(at - 1).ok()?)?,
            };
            let game = u32::try_from(self.before + number - 1).ok()?;
            Some(DedupeRow { game, ..row })
        }));
    }
}

impl DedupeRowBuilder<'_> {
    fn key(&self, game: &mut GameView<'_>, color: Color) -> Result<NameKey> {
        Ok(match game.name(NameField::player(color))? {
            NameRef::Number(number) => usize::try_from(number)
                .ok()
                .and_then(|number| self.keys.get(number))
                .copied()
                .unwrap_or_default(),
            NameRef::Text(text) => self.names.key(&text),
        })
    }
}

/// The most games that are compared.
pub(super) fn check_count(games: u64) -> Result<usize> {
    let too_many = || {
        Error::new(
            &error_codes::TOO_MANY_GAMES,
            "too many games to be compared at once",
        )
    };
    let held = u32::try_from(games).map_err(|_| too_many())?;
    usize::try_from(held).map_err(|_| too_many())
}

/// Sorts rows, and says how many games they are of.
pub(super) fn distinct(rows: &mut Vec<DedupeRow>) -> u64 {
    let mut games = 0_u64;
    let mut last = None;
    for row in rows.iter() {
        // The rows of a game come one after another.
        games += u64::from(last.replace(row.game) != Some(row.game));
    }
    rows.sort_unstable_by_key(|row| (row.key, row.game));
    rows.dedup_by_key(|row| (row.key, row.game));
    games
}

/// Marks the games that may have a double; the rows are sorted.
pub(super) fn candidates(rows: &[DedupeRow], games: usize) -> Vec<bool> {
    let mut marks = vec![false; games];
    let mut mark = |row: &DedupeRow| {
        if let Some(slot) = marks.get_mut(row.game as usize) {
            *slot = true;
        }
    };
    for group in rows.chunk_by(|one, two| one.key == two.key) {
        if group.len() > PAIRWISE {
            group.iter().for_each(&mut mark);
            continue;
        }
        for (at, one) in group.iter().enumerate() {
            for two in group.iter().skip(at + 1) {
                if one.game != two.game && one.may_be_double(two) {
                    mark(one);
                    mark(two);
                }
            }
        }
    }
    marks
}
