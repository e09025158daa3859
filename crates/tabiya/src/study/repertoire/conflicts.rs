//! Where a repertoire contradicts itself.

use tabiya_answers::{RepertoireConflictAnswer, RepertoireConflictKindAnswer};
use tabiya_explore::tally::MoveScore;
use tabiya_repertoire::{Repertoire, RepertoireMarks, RepertoireMove, RepertoireNotes};

use super::reference::RepertoireReference;
use super::{move_answer, score_of, side_answer};

/// What counts as a conflict.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RepertoireConflictOptions {
    /// A line stops at a move of the opponent that was played in at least this per cent of the games.
    pub often: f64,
    /// Scores and shares count from this number of games on.
    pub games: u64,
    /// The number of percentage points less than another move that counts as a bad score.
    pub points: f64,
    /// The number of hundredths of a pawn below another move that counts as a bad evaluation.
    pub centipawns: i64,
}

impl Default for RepertoireConflictOptions {
    fn default() -> RepertoireConflictOptions {
        RepertoireConflictOptions {
            often: 30.0,
            games: 5,
            points: 10.0,
            centipawns: 50,
        }
    }
}

/// What is in conflict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RepertoireConflictKind {
    /// Several own moves, and none is chosen.
    Several,
    /// An own move that is marked bad.
    Bad,
    /// The line ends where the opponent has a frequent move.
    Stops,
    /// An own move scores less than another.
    Score,
    /// An own move is evaluated lower than another.
    Evaluation,
}

/// A conflict.
#[derive(Clone, PartialEq, Debug)]
pub struct RepertoireConflict {
    /// What is in conflict.
    pub kind: RepertoireConflictKind,
    /// The number of the position.
    pub position: u32,
    /// The moves in conflict, with their reference games; of two that are compared, the worse one first.
    pub moves: Vec<(RepertoireMove, Option<MoveScore>)>,
}

impl RepertoireConflict {
    /// The answer for programs.
    #[must_use]
    pub fn answer(&self, repertoire: &Repertoire) -> RepertoireConflictAnswer {
        let position = repertoire.position(self.position);
        let moves = position.into_iter().flat_map(|position| {
            let moves = self.moves.iter();
            moves.map(|(m, score)| {
                move_answer(position, m, score.as_ref(), repertoire.color(), false)
            })
        });
        RepertoireConflictAnswer {
            kind: match self.kind {
                RepertoireConflictKind::Several => RepertoireConflictKindAnswer::Several,
                RepertoireConflictKind::Bad => RepertoireConflictKindAnswer::Bad,
                RepertoireConflictKind::Stops => RepertoireConflictKindAnswer::Stops,
                RepertoireConflictKind::Score => RepertoireConflictKindAnswer::Score,
                RepertoireConflictKind::Evaluation => RepertoireConflictKindAnswer::Evaluation,
            },
            color: side_answer(repertoire.color()),
            line: repertoire.line_in_words(self.position),
            fen: position.map_or_else(String::new, |position| position.board.to_fen()),
            moves: moves.collect(),
        }
    }
}

/// The conflicts of a repertoire, in the order of its positions; those that depend on games need a reference.
#[must_use]
pub fn conflicts(
    repertoire: &Repertoire,
    reference: Option<&RepertoireReference>,
    options: RepertoireConflictOptions,
) -> Vec<RepertoireConflict> {
    let mut found = Vec::new();
    for (number, position) in (0..).zip(repertoire.positions()) {
        if !position.is_active {
            continue;
        }
        let mut tell = |kind, moves: Vec<(RepertoireMove, Option<MoveScore>)>| {
            found.push(RepertoireConflict {
                kind,
                position: number,
                moves,
            });
        };
        let scored = |at: usize| {
            let score = reference.map(|reference| reference.score(repertoire, number, at));
            position.moves.get(at).map(|m| (m.clone(), score))
        };
        if !repertoire.is_my_turn(number) {
            if position.moves.is_empty()
                && let Some(reference) = reference
                && let Some(m) = frequent(repertoire, reference, number, options)
            {
                tell(RepertoireConflictKind::Stops, vec![m]);
            }
            continue;
        }
        let moves: Vec<(RepertoireMove, Option<MoveScore>)> = position
            .active_moves(false)
            .into_iter()
            .filter_map(scored)
            .collect();
        let is_chosen = moves.iter().any(|(m, _)| m.marks.is_chosen());
        if moves.len() > 1 && !is_chosen {
            tell(RepertoireConflictKind::Several, moves.clone());
        }
        for bad in &position.bad_moves {
            tell(RepertoireConflictKind::Bad, vec![(bad.clone(), None)]);
        }
        let color = repertoire.color();
        let by_score = |(_, score): &(RepertoireMove, Option<MoveScore>)| {
            let score = score.as_ref().filter(|score| score.games >= options.games);
            score.and_then(|score| score_of(score, color))
        };
        for pair in worse_pairs(&moves, by_score, options.points) {
            tell(RepertoireConflictKind::Score, pair);
        }
        #[allow(clippy::cast_precision_loss)]
        let by_evaluation = |(m, _): &(RepertoireMove, Option<MoveScore>)| {
            let evaluation = m.marks.evaluation? as f64;
            Some(color.fold_wb(evaluation, -evaluation))
        };
        #[allow(clippy::cast_precision_loss)]
        let least = options.centipawns as f64;
        for pair in worse_pairs(&moves, by_evaluation, least) {
            tell(RepertoireConflictKind::Evaluation, pair);
        }
    }
    found
}

/// Each move that is worth so much less than the best one, with that.
fn worse_pairs<M: Clone>(
    moves: &[M],
    worth: impl Fn(&M) -> Option<f64>,
    least: f64,
) -> Vec<Vec<M>> {
    let valued = || moves.iter().filter_map(|m| Some((m, worth(m)?)));
    let mut best: Option<(&M, f64)> = None;
    for (m, value) in valued() {
        if best.is_none_or(|(_, known)| value > known) {
            best = Some((m, value));
        }
    }
    let Some((best, most)) = best else {
        return Vec::new();
    };
    valued()
        .filter(|(_, value)| most - value >= least && most > *value)
        .map(|(m, _)| vec![m.clone(), best.clone()])
        .collect()
}

/// The most frequent move of the opponent where a line ends, if it is frequent enough.
fn frequent(
    repertoire: &Repertoire,
    reference: &RepertoireReference,
    number: u32,
    options: RepertoireConflictOptions,
) -> Option<(RepertoireMove, Option<MoveScore>)> {
    let of = reference.games(number);
    if of < options.games.max(1) {
        return None;
    }
    let moves = reference.moves(number).iter();
    let (step, score) =
        moves.max_by_key(|(step, score)| (score.games, std::cmp::Reverse(*step)))?;
    #[allow(clippy::cast_precision_loss)]
    let share = score.games as f64 * 100.0 / of as f64;
    let step = step.on(&repertoire.position(number)?.board)?;
    let m = RepertoireMove {
        step,
        to: None,
        marks: RepertoireMarks::default(),
        notes: RepertoireNotes::default(),
    };
    (share >= options.often).then_some((m, Some(*score)))
}
