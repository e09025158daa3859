//! Questions about the evaluations in a game, whoever wrote them.

use shakmaty::Color;
use tabiya_model::Game;
use tabiya_model::judgement::{ByColor, EvaluationStep, Evaluations, Judgement};
use tabiya_model::outcome::Outcome;

use crate::language::values::within;

/// Whose moves are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvaluatedSide {
    /// Those of both: counts are added up, and means must match for each.
    Both,
    /// Those of either.
    Any,
    /// Those of one colour.
    Side(Color),
    /// Those of the winner.
    Winner,
    /// Those of the loser.
    Loser,
}

impl EvaluatedSide {
    /// What a word means.
    pub(crate) fn read(word: &str) -> Option<EvaluatedSide> {
        Some(match word.to_ascii_lowercase().as_str() {
            "both" => EvaluatedSide::Both,
            "any" | "either" => EvaluatedSide::Any,
            "white" | "w" => EvaluatedSide::Side(Color::White),
            "black" | "b" => EvaluatedSide::Side(Color::Black),
            "winner" => EvaluatedSide::Winner,
            "loser" => EvaluatedSide::Loser,
            _ => return None,
        })
    }

    /// The colour, where it is one; an error of nobody where a game has no winner.
    fn color(self, game: &Game) -> Result<Option<Color>, NoWinner> {
        let winner = || match game.result() {
            Outcome::WhiteWins => Ok(Color::White),
            Outcome::BlackWins => Ok(Color::Black),
            _ => Err(NoWinner),
        };
        match self {
            EvaluatedSide::Both | EvaluatedSide::Any => Ok(None),
            EvaluatedSide::Side(color) => Ok(Some(color)),
            EvaluatedSide::Winner => winner().map(Some),
            EvaluatedSide::Loser => winner().map(|color| Some(!color)),
        }
    }
}

/// A game without a winner has no moves by one.
struct NoWinner;

/// What is counted or measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvaluationMeasure {
    /// Moves of a judgement.
    Judged(Judgement),
    /// Moves that miss a forced mate.
    MissedMate,
    /// Moves that lost nothing.
    BestMove,
    /// The moves that lost nothing, in hundredths of a per cent of all.
    BestShare,
    /// The accuracy in hundredths of a per cent.
    Accuracy,
    /// The average loss in hundredths of a pawn.
    AverageLoss,
    /// The largest step between two evaluations, in hundredths of a pawn.
    Swing,
}

/// A question about evaluations: a number between two others, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvaluationTerm {
    /// What is measured.
    pub measure: EvaluationMeasure,
    /// Whose moves.
    pub by: EvaluatedSide,
    /// The minimum.
    pub low: i64,
    /// The maximum.
    pub high: i64,
}

impl EvaluationTerm {
    /// Whether a game matches. One without evaluations around any move matches nothing, not even a count of none.
    pub fn matches(&self, game: &Game) -> bool {
        let all = Evaluations::of(game);
        if all.is_empty() {
            return false;
        }
        let Ok(color) = self.by.color(game) else {
            return false;
        };
        match self.measure {
            EvaluationMeasure::Accuracy => self.mean(&all, color, |run| {
                let accuracy = run.accuracy();
                let hundredths = |value: Option<f64>| value.map(rounded);
                ByColor {
                    white: hundredths(accuracy.white),
                    black: hundredths(accuracy.black),
                }
            }),
            EvaluationMeasure::AverageLoss => self.mean(&all, color, |run| {
                let loss = run.average_loss();
                ByColor {
                    white: loss.white.map(i64::from),
                    black: loss.black.map(i64::from),
                }
            }),
            EvaluationMeasure::Swing => {
                let largest = steps(&all, color).map(|step| i64::from(step.swing())).max();
                largest.is_some_and(|largest| within(self.low, self.high, largest))
            }
            EvaluationMeasure::Judged(judgement) => {
                self.count(&all, color, |step| step.judgement() == Some(judgement))
            }
            EvaluationMeasure::MissedMate => self.count(&all, color, EvaluationStep::misses_mate),
            EvaluationMeasure::BestMove => self.count(&all, color, EvaluationStep::is_best),
            EvaluationMeasure::BestShare => {
                let (mut moves, mut best) = (0, 0);
                for step in steps(&all, color) {
                    moves += 1;
                    best += i64::from(step.is_best());
                }
                moves > 0 && within(self.low, self.high, best * 10_000 / moves)
            }
        }
    }

    fn count(
        &self,
        all: &Evaluations,
        color: Option<Color>,
        test: impl Fn(&EvaluationStep) -> bool,
    ) -> bool {
        let mut counts: ByColor<(i64, i64)> = ByColor::default();
        for step in all.steps() {
            let (moves, fits) = match step.mover {
                Color::White => &mut counts.white,
                Color::Black => &mut counts.black,
            };
            *moves += 1;
            *fits += i64::from(test(&step));
        }
        let fits = |(moves, fits): (i64, i64)| moves > 0 && within(self.low, self.high, fits);
        let (white, black) = (counts.white, counts.black);
        match (color, self.by) {
            (Some(color), _) => fits(*counts.of(color)),
            (None, EvaluatedSide::Any) => fits(white) || fits(black),
            (None, _) => fits((white.0 + black.0, white.1 + black.1)),
        }
    }

    fn mean(
        &self,
        all: &Evaluations,
        color: Option<Color>,
        of: impl Fn(&tabiya_model::judgement::EvaluationRun) -> ByColor<Option<i64>>,
    ) -> bool {
        let Some(run) = all.run() else {
            return false;
        };
        let means = of(&run);
        let fits = |mean: Option<i64>| mean.is_some_and(|mean| within(self.low, self.high, mean));
        match (color, self.by) {
            (Some(color), _) => fits(*means.of(color)),
            (None, EvaluatedSide::Any) => fits(means.white) || fits(means.black),
            (None, _) => fits(means.white) && fits(means.black),
        }
    }
}

fn steps(all: &Evaluations, color: Option<Color>) -> impl Iterator<Item = EvaluationStep> + '_ {
    all.steps()
        .filter(move |step| color.is_none_or(|color| step.mover == color))
}

/// Hundredths of a number from 0 to 100.
#[allow(clippy::cast_possible_truncation)]
fn rounded(value: f64) -> i64 {
    (value * 100.0).round() as i64
}

/// What stands before the operator, and whether the term means something without one.
pub(crate) const WORDS: [(&str, EvaluationMeasure, bool); 8] = [
    (
        "inaccuracy",
        EvaluationMeasure::Judged(Judgement::Inaccuracy),
        true,
    ),
    (
        "mistake",
        EvaluationMeasure::Judged(Judgement::Mistake),
        true,
    ),
    (
        "blunder",
        EvaluationMeasure::Judged(Judgement::Blunder),
        true,
    ),
    ("missed-mate", EvaluationMeasure::MissedMate, true),
    ("best-move", EvaluationMeasure::BestMove, true),
    ("accuracy", EvaluationMeasure::Accuracy, false),
    ("acpl", EvaluationMeasure::AverageLoss, false),
    ("eval-swing", EvaluationMeasure::Swing, false),
];
