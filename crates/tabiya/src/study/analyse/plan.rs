//! Which positions of which games need a search.

use std::collections::HashSet;

use tabiya_engine::{EvaluationKey, annotate};
use tabiya_model::game::Variant;
use tabiya_model::judgement::Evaluations;
use tabiya_model::{Board, Control, Game, GameNeeds, Result};

use super::{ExistingEvaluations, ReferencePositions};
use crate::open::base::{Base, BaseGames};

/// The chosen games of a base, in their order.
pub(crate) struct AnalyseGames<'b> {
    games: BaseGames<'b>,
    numbers: Option<&'b [u64]>,
}

impl<'b> AnalyseGames<'b> {
    /// Those of these numbers, which rise; all where none are said.
    pub(crate) fn new(base: &'b Base, numbers: Option<&'b [u64]>) -> Result<AnalyseGames<'b>> {
        Ok(AnalyseGames {
            games: base.games(GameNeeds::ALL)?,
            numbers,
        })
    }
}

impl Iterator for AnalyseGames<'_> {
    type Item = Result<Game>;

    fn next(&mut self) -> Option<Result<Game>> {
        let numbers = self.numbers;
        self.games.find(|game| {
            let Ok(game) = game else { return true };
            let number = game.origin.number;
            numbers.is_none_or(|numbers| numbers.binary_search(&number).is_ok())
        })
    }
}

/// Says which positions of a game are asked for.
pub(super) struct PositionChooser {
    existing: ExistingEvaluations,
    known: Option<ReferencePositions>,
}

/// A game's positions, and which of them are asked for.
pub(super) struct PositionChoice {
    pub(super) boards: Vec<Board>,
    /// Their indices, rising.
    pub(super) wanted: Vec<usize>,
    /// Whether the game stays as it is because it has evaluations.
    pub(super) kept: bool,
}

impl PositionChooser {
    pub(super) fn new(
        existing: ExistingEvaluations,
        known: Option<ReferencePositions>,
    ) -> PositionChooser {
        PositionChooser { existing, known }
    }

    pub(super) fn choose(&self, game: &Game) -> PositionChoice {
        let boards = annotate::positions(game);
        let mut chosen = PositionChoice {
            boards,
            wanted: Vec::new(),
            kept: false,
        };
        // The movetext of other games than chess is not understood, and a game without moves has nothing to judge.
        if game.variant == Variant::Other || chosen.boards.len() < 2 {
            return chosen;
        }
        let standing = Evaluations::of(game);
        if self.existing == ExistingEvaluations::Keep && !standing.is_empty() {
            chosen.kept = true;
            return chosen;
        }
        let boards = &chosen.boards;
        let from = self
            .known
            .as_ref()
            .map_or(0, |book| book.known_plies(boards));
        let has = |index: usize| {
            self.existing == ExistingEvaluations::Missing
                && index > 0
                && standing.after.get(index - 1).is_some_and(Option::is_some)
        };
        // A game that never leaves the book has no move to judge.
        if from + 1 < boards.len() {
            chosen.wanted = (from..boards.len()).filter(|index| !has(*index)).collect();
        }
        // The start alone judges nothing.
        if chosen.wanted == [0] {
            chosen.wanted.clear();
        }
        chosen
    }
}

/// What is to be done, as the first reading tells it.
pub(super) struct AnalysePlan {
    pub(super) positions: u64,
    /// A sum over all positions in their order.
    pub(super) sum: u128,
    /// Positions that stand in more than one place.
    pub(super) shared: HashSet<EvaluationKey>,
}

impl AnalysePlan {
    pub(super) fn make(
        games: AnalyseGames<'_>,
        chooser: &PositionChooser,
        control: &Control,
    ) -> Result<AnalysePlan> {
        let mut keys: Vec<EvaluationKey> = Vec::new();
        let mut sum = 0_u128;
        for game in games.take_while(|_| !control.is_stopped()) {
            let chosen = chooser.choose(&game?);
            for index in chosen.wanted {
                if let Some(board) = chosen.boards.get(index) {
                    let key = EvaluationKey::of(board);
                    sum = sum.rotate_left(5) ^ key.0;
                    keys.push(key);
                }
            }
        }
        let positions = keys.len() as u64;
        keys.sort_unstable();
        let shared = keys
            .windows(2)
            .filter(|pair| pair.first() == pair.last())
            .filter_map(|pair| pair.first().copied())
            .collect();
        Ok(AnalysePlan {
            positions,
            sum,
            shared,
        })
    }
}
