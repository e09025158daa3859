//! Statistics of one position: which moves were played, how they scored, and who played them.
//!
//! Tallies of parts of a database, and of several databases, merge into the tally of the whole, in any order.

use std::cmp::Reverse;

use shakmaty::Color;
use tabiya_model::date::Date;
use tabiya_model::outcome::Outcome;

use crate::game_brief::GameBrief;
use crate::move_code::MoveCode;
use tabiya_model::performance;

/// How many top games and recent games a tally keeps.
pub const KEPT: usize = 15;

/// Games with one move.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct MoveScore {
    /// All games, including those without a result.
    pub games: u64,
    /// Won by White.
    pub white: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by Black.
    pub black: u64,
    /// Games in which both players have a rating.
    pub rated: u64,
    /// The sum of White's ratings in those.
    pub white_elo: u64,
    /// The sum of Black's ratings in those.
    pub black_elo: u64,
    /// The last date, in the bits of [`GameBrief::date_bits`].
    pub last: u32,
}

impl MoveScore {
    /// Counts a game.
    #[inline]
    pub fn add(&mut self, facts: GameBrief) {
        self.games += 1;
        match facts.outcome() {
            Outcome::WhiteWins => self.white += 1,
            Outcome::BlackWins => self.black += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Unknown => {}
        }
        if facts.both_rated() {
            self.rated += 1;
            self.white_elo += u64::from(facts.white_elo);
            self.black_elo += u64::from(facts.black_elo);
        }
        self.last = self.last.max(facts.date_bits());
    }

    /// Subtracts a game that was counted; false if that is impossible, or if the date of the last one is then unknown.
    pub fn take_off(&mut self, facts: GameBrief) -> bool {
        let mut one = MoveScore::default();
        one.add(facts);
        if self.last <= one.last && self.games > 1 {
            return false;
        }
        let fields = [
            (&mut self.games, one.games),
            (&mut self.white, one.white),
            (&mut self.draws, one.draws),
            (&mut self.black, one.black),
            (&mut self.rated, one.rated),
            (&mut self.white_elo, one.white_elo),
            (&mut self.black_elo, one.black_elo),
        ];
        fields.into_iter().all(|(sum, less)| {
            let left = sum.checked_sub(less);
            *sum = left.unwrap_or_default();
            left.is_some()
        })
    }

    /// Adds the games of another score.
    pub fn merge(&mut self, other: &MoveScore) {
        // Sums are also read from files; a wrong one must not stop the program.
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.games, other.games);
        add(&mut self.white, other.white);
        add(&mut self.draws, other.draws);
        add(&mut self.black, other.black);
        add(&mut self.rated, other.rated);
        add(&mut self.white_elo, other.white_elo);
        add(&mut self.black_elo, other.black_elo);
        self.last = self.last.max(other.last);
    }

    /// The mean rating of a side in the games in which both players are rated.
    #[must_use]
    pub fn mean_elo(&self, side: Color) -> Option<f64> {
        let sum = side.fold_wb(self.white_elo, self.black_elo);
        #[allow(clippy::cast_precision_loss)]
        (self.rated > 0).then(|| sum as f64 / self.rated as f64)
    }

    /// The performance of a side: the opponents' mean rating, plus what the score of all games with a result adds to it.
    #[must_use]
    pub fn performance(&self, side: Color) -> Option<f64> {
        let half_points = 2 * side.fold_wb(self.white, self.black) + self.draws;
        let mean = self.mean_elo(!side)?;
        let finished = self.white + self.draws + self.black;
        Some(mean + f64::from(performance::difference_of_scid(half_points, finished)))
    }

    /// The last date.
    #[must_use]
    pub fn last_date(&self) -> Date {
        Date::from_scid(self.last)
    }
}

/// A game that a tally shows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ShownGame {
    /// The index of its database.
    pub base: u32,
    /// Its number there.
    pub number: u64,
    /// The move played in it.
    pub step: MoveCode,
    /// Its ratings, date and result.
    pub facts: GameBrief,
}

impl ShownGame {
    fn by_strength(&self) -> (Reverse<u32>, u32, u64) {
        (Reverse(self.facts.strength()), self.base, self.number)
    }

    fn by_date(&self) -> (Reverse<u32>, Reverse<u32>, Reverse<u64>) {
        (
            Reverse(self.facts.date_bits()),
            Reverse(self.base),
            Reverse(self.number),
        )
    }
}

/// The statistics of one position.
#[derive(Clone, Debug, Default)]
pub struct PositionTally {
    /// Sorted by step.
    moves: Vec<(MoveCode, MoveScore)>,
    top: Vec<ShownGame>,
    recent: Vec<ShownGame>,
    /// The game of each move that occurs only once, if known: stored tallies do not have it.
    singles: Vec<ShownGame>,
}

impl PartialEq for PositionTally {
    fn eq(&self, other: &PositionTally) -> bool {
        self.moves == other.moves && self.top == other.top && self.recent == other.recent
    }
}

impl Eq for PositionTally {}

/// Inserts a value into a short sorted list, and drops the last one if the list is full.
fn keep<K: Ord>(list: &mut Vec<ShownGame>, shown: ShownGame, key: impl Fn(&ShownGame) -> K) {
    if list.len() >= KEPT && list.last().is_some_and(|last| key(last) <= key(&shown)) {
        return;
    }
    let at = list.partition_point(|other| key(other) <= key(&shown));
    list.insert(at, shown);
    list.truncate(KEPT);
}

impl PositionTally {
    /// Counts a game with the position, and the move played there.
    #[inline]
    pub fn add(&mut self, number: u64, step: MoveCode, facts: GameBrief) {
        let score = self.score_mut(step);
        score.add(facts);
        let games = score.games;
        let shown = ShownGame {
            base: 0,
            number,
            step,
            facts,
        };
        match games {
            1 => self.singles.push(shown),
            2 => self.singles.retain(|single| single.step != step),
            _ => {}
        }
        keep(&mut self.top, shown, ShownGame::by_strength);
        keep(&mut self.recent, shown, ShownGame::by_date);
    }

    /// Subtracts a game that was counted. False if the rest cannot be known: the game is one of those that are shown, or
    /// the last one of its move.
    pub fn take_off(&mut self, number: u64, step: MoveCode, facts: GameBrief) -> bool {
        let mut shown = self.top.iter().chain(&self.recent);
        if shown.any(|shown| shown.number == number) {
            return false;
        }
        let Ok(at) = self.moves.binary_search_by_key(&step, |(step, _)| *step) else {
            return false;
        };
        let (_, score) = &mut self.moves[at];
        let is_done = score.take_off(facts);
        // The remaining game of the move is unknown.
        self.singles.retain(|single| single.step != step);
        if is_done && score.games == 0 {
            self.moves.remove(at);
        }
        is_done
    }

    fn score_mut(&mut self, step: MoveCode) -> &mut MoveScore {
        let at = match self.moves.binary_search_by_key(&step, |(step, _)| *step) {
            Ok(at) => at,
            Err(at) => {
                self.moves.insert(at, (step, MoveScore::default()));
                at
            }
        };
        &mut self.moves[at].1
    }

    /// Counts games of a move without showing them.
    pub fn add_score(&mut self, step: MoveCode, score: &MoveScore) {
        self.score_mut(step).merge(score);
    }

    /// Shows a game without counting it, if it belongs among the top or the recent ones.
    pub fn show(&mut self, shown: ShownGame, top: bool) {
        if top {
            keep(&mut self.top, shown, ShownGame::by_strength);
        } else {
            keep(&mut self.recent, shown, ShownGame::by_date);
        }
    }

    /// Adds the games of another tally.
    pub fn merge(&mut self, other: &PositionTally) {
        for (step, score) in &other.moves {
            self.add_score(*step, score);
        }
        self.singles.extend(&other.singles);
        let moves = &self.moves;
        self.singles.retain(|single| {
            let at = moves.binary_search_by_key(&single.step, |(step, _)| *step);
            at.is_ok_and(|at| moves[at].1.games == 1)
        });
        for shown in &other.top {
            self.show(*shown, true);
        }
        for shown in &other.recent {
            self.show(*shown, false);
        }
    }

    /// Sets the database of all games, and the offset of their numbers.
    pub fn place(&mut self, base: u32, offset: u64) {
        let shown = self.top.iter_mut().chain(&mut self.recent);
        for shown in shown.chain(&mut self.singles) {
            shown.base = base;
            shown.number = shown.number.saturating_add(offset);
        }
    }

    /// The moves with their scores, the most frequent first. The end of the game counts as a move.
    #[must_use]
    pub fn moves(&self) -> Vec<(MoveCode, MoveScore)> {
        let mut moves = self.moves.clone();
        moves.sort_by_key(|(step, score)| (Reverse(score.games), *step));
        moves
    }

    /// All games together.
    #[must_use]
    pub fn total(&self) -> MoveScore {
        let mut total = MoveScore::default();
        for (_, score) in &self.moves {
            total.merge(score);
        }
        total
    }

    /// The games of the strongest players.
    #[must_use]
    pub fn top(&self) -> &[ShownGame] {
        &self.top
    }

    /// The latest games.
    #[must_use]
    pub fn recent(&self) -> &[ShownGame] {
        &self.recent
    }

    /// The game of a move that occurs only once, if known.
    #[must_use]
    pub fn single(&self, step: MoveCode) -> Option<&ShownGame> {
        let known = self.singles.iter().chain(&self.recent).chain(&self.top);
        let mut known = known.filter(|shown| shown.step == step);
        let is_single = self
            .moves
            .binary_search_by_key(&step, |(step, _)| *step)
            .is_ok_and(|at| self.moves[at].1.games == 1);
        known.next().filter(|_| is_single)
    }

    /// Whether there is no game.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn facts() -> impl Strategy<Value = GameBrief> {
        (0..4_u64, 0..3_u64, 0..3_u64, 0..5_u64).prop_map(|(outcome, white, black, date)| {
            let elo = |n: u64| if n == 0 { 0 } else { 2000 + n };
            GameBrief::from_bits(elo(white) | elo(black) << 16 | date << 32 | outcome << 52)
        })
    }

    proptest! {
        #[test]
        fn parts_merge_to_the_whole_in_any_order(
            games in prop::collection::vec((0..6_u16, facts()), 0..100),
            cut in 0..100_usize,
        ) {
            let cut = cut.min(games.len());
            let (mut whole, mut first, mut second) = <(PositionTally, PositionTally, PositionTally)>::default();
            for (number, (step, facts)) in (1..).zip(&games) {
                whole.add(number, MoveCode(*step), *facts);
                if number <= cut as u64 {
                    first.add(number, MoveCode(*step), *facts);
                } else {
                    second.add(number - cut as u64, MoveCode(*step), *facts);
                }
            }
            second.place(0, cut as u64);
            let mut merged = first.clone();
            merged.merge(&second);
            prop_assert_eq!(&merged, &whole);
            second.merge(&first);
            prop_assert_eq!(&second, &whole);
            for (step, score) in whole.moves() {
                let single = whole.single(step);
                prop_assert_eq!(single.is_some(), score.games == 1);
                prop_assert_eq!(merged.single(step), single);
                prop_assert_eq!(second.single(step), single);
            }
            prop_assert_eq!(whole.total().games, games.len() as u64);
        }
    }
}
