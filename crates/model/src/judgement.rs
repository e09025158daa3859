//! Judgements, accuracy and average loss of moves, from the evaluations before and after them.
//!
//! These are the formulas that Lichess publishes, so a game that was analysed here is judged as on Lichess:
//! an evaluation becomes a chance of winning, a move is judged by how much of that chance it gives away, and the
//! accuracy of a game is the mean of two means over its moves. `docs/engine.md` has them all in words.

use shakmaty::Color;

use crate::command::{CommentCommand, Evaluation, commands};
use crate::game::{Game, StartingPosition};
use crate::nag::Nag;
use crate::tape::TapeOp;

/// How quickly an advantage becomes a chance of winning.
const STEEPNESS: f64 = -0.003_682_08;

/// In averages, evaluations beyond ten pawns, and mates, count as ten pawns.
const CEILING: i32 = 1000;

/// The evaluation of the normal starting position.
pub const INITIAL: Evaluation = Evaluation::Centipawns(15);

/// What is wrong with a move.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Judgement {
    /// `?!`: it gives away a tenth of the scale from certain loss to certain win.
    Inaccuracy,
    /// `?`: it gives away two tenths.
    Mistake,
    /// `??`: it gives away three tenths.
    Blunder,
}

impl Judgement {
    /// The glyph of the judgement.
    #[must_use]
    pub fn nag(self) -> Nag {
        Nag(match self {
            Judgement::Inaccuracy => 6,
            Judgement::Mistake => 2,
            Judgement::Blunder => 4,
        })
    }

    /// Its name, in small letters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
    }
}

/// An evaluation as hundredths of a pawn, at most ten pawns either way.
#[must_use]
pub fn ceiled(score: Evaluation) -> i32 {
    match score {
        Evaluation::Centipawns(value) => value.clamp(-CEILING, CEILING),
        Evaluation::Mate(moves) if moves > 0 => CEILING,
        Evaluation::Mate(_) => -CEILING,
    }
}

/// White's chances from −1 (lost) to 1 (won).
#[must_use]
pub fn winning_chances(centipawns: i32) -> f64 {
    (2.0 / (1.0 + (STEEPNESS * f64::from(centipawns)).exp()) - 1.0).clamp(-1.0, 1.0)
}

/// White's chances in per cent. Beyond ten pawns they rise no further.
#[must_use]
pub fn win_percent(score: Evaluation) -> f64 {
    50.0 + 50.0 * winning_chances(ceiled(score))
}

/// The same score from the view of a colour: positive is good for it.
fn seen_by(color: Color, value: i32) -> i32 {
    match color {
        Color::White => value,
        Color::Black => value.saturating_neg(),
    }
}

/// Judges a move of `mover` by the evaluations before and after it, both seen from White.
#[must_use]
pub fn judge(before: Evaluation, after: Evaluation, mover: Color) -> Option<Judgement> {
    use Judgement::{Blunder, Inaccuracy, Mistake};
    let graded = |value: i32| match value {
        1000.. => Inaccuracy,
        701..=999 => Mistake,
        _ => Blunder,
    };
    match (before, after) {
        (Evaluation::Centipawns(before), Evaluation::Centipawns(after)) => {
            let chances = |value: i32| winning_chances(seen_by(mover, value));
            let lost = chances(before) - chances(after);
            [(0.3, Blunder), (0.2, Mistake), (0.1, Inaccuracy)]
                .into_iter()
                .find(|(bound, _)| *bound <= lost)
                .map(|(_, judgement)| judgement)
        }
        // It allows a mate: the smaller the advantage before, the smaller the fault.
        (Evaluation::Centipawns(before), Evaluation::Mate(after)) => {
            (seen_by(mover, after) < 0).then(|| graded(seen_by(mover, before).saturating_neg()))
        }
        // It misses a mate: the greater the remaining advantage, the smaller the fault.
        (Evaluation::Mate(before), Evaluation::Centipawns(after)) => {
            (seen_by(mover, before) > 0).then(|| graded(seen_by(mover, after)))
        }
        (Evaluation::Mate(before), Evaluation::Mate(after)) => {
            (seen_by(mover, before) > 0 && seen_by(mover, after) < 0).then_some(Blunder)
        }
    }
}

/// How good a move was, in per cent, by its player's chances before and after it.
#[must_use]
pub fn move_accuracy(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    let raw = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * (before - after)).exp()
        - 3.166_924_740_191_411;
    (raw + 1.0).clamp(0.0, 100.0)
}

/// Something for each colour.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct ByColor<T> {
    /// White's.
    pub white: T,
    /// Black's.
    pub black: T,
}

impl<T> ByColor<T> {
    /// One colour's.
    pub fn of(&self, color: Color) -> &T {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }
}

/// Consecutive evaluations of a main line, all seen from White.
#[derive(Clone, PartialEq, Debug)]
pub struct EvaluationRun {
    /// The side that makes the first move.
    pub first: Color,
    /// The plies before the first move.
    pub ply: usize,
    /// The evaluation before the first move.
    pub before: Evaluation,
    /// The evaluation after each move.
    pub after: Vec<Evaluation>,
}

/// A move between two evaluations.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct EvaluationStep {
    /// The side that moves.
    pub mover: Color,
    /// Plies before it.
    pub ply: usize,
    /// The evaluation before it.
    pub before: Evaluation,
    /// The evaluation after it.
    pub after: Evaluation,
}

impl EvaluationStep {
    /// What is wrong with the move.
    #[must_use]
    pub fn judgement(&self) -> Option<Judgement> {
        judge(self.before, self.after, self.mover)
    }

    /// How good it was, in per cent.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        let (before, after) = (win_percent(self.before), win_percent(self.after));
        match self.mover {
            Color::White => move_accuracy(before, after),
            Color::Black => move_accuracy(100.0 - before, 100.0 - after),
        }
    }

    /// Hundredths of a pawn that it lost.
    #[must_use]
    pub fn loss(&self) -> i32 {
        seen_by(self.mover, ceiled(self.before) - ceiled(self.after)).max(0)
    }

    /// Hundredths of a pawn between both evaluations.
    #[must_use]
    pub fn swing(&self) -> i32 {
        (ceiled(self.before) - ceiled(self.after)).abs()
    }

    /// Whether its player could force mate before it and cannot any longer.
    #[must_use]
    pub fn misses_mate(&self) -> bool {
        let mates = |score: Evaluation| matches!(score, Evaluation::Mate(moves) if seen_by(self.mover, moves) > 0);
        mates(self.before) && !mates(self.after)
    }

    /// Whether nothing was lost: the evaluation is at least as good for the player as before.
    #[must_use]
    pub fn is_best(&self) -> bool {
        let rank = |score: Evaluation| match score {
            Evaluation::Centipawns(value) => (0, seen_by(self.mover, value)),
            // The number of moves to a mate differs too much between depths to be compared.
            Evaluation::Mate(moves) => (seen_by(self.mover, moves).signum(), 0),
        };
        rank(self.after) >= rank(self.before)
    }
}

impl EvaluationRun {
    /// The moves with the evaluations around them.
    pub fn steps(&self) -> impl Iterator<Item = EvaluationStep> + '_ {
        let before = std::iter::once(self.before).chain(self.after.iter().copied());
        before
            .zip(self.after.iter().copied())
            .enumerate()
            .map(|(index, (before, after))| EvaluationStep {
                mover: if index % 2 == 0 {
                    self.first
                } else {
                    !self.first
                },
                ply: self.ply + index,
                before,
                after,
            })
    }

    /// The accuracy of each side in per cent: the mean of a mean that weights moves by how much the game swings around
    /// them, and of a harmonic mean, which bad moves pull down. None for a side without a move.
    #[must_use]
    pub fn accuracy(&self) -> ByColor<Option<f64>> {
        let percents: Vec<f64> = std::iter::once(&self.before)
            .chain(&self.after)
            .map(|score| win_percent(*score))
            .collect();
        let size = (self.after.len() / 10).clamp(2, 8);
        let mut moves: ByColor<AccuracyMeans> = ByColor::default();
        for (index, step) in self.steps().enumerate() {
            // The first moves share the first window.
            let start = (index + 2).saturating_sub(size);
            let window = percents.get(start..start + size).unwrap_or(&percents);
            let weight = deviation(window).clamp(0.5, 12.0);
            match step.mover {
                Color::White => moves.white.add(step.accuracy(), weight),
                Color::Black => moves.black.add(step.accuracy(), weight),
            }
        }
        ByColor {
            white: moves.white.value(),
            black: moves.black.value(),
        }
    }

    /// The average loss of each side in hundredths of a pawn, rounded.
    #[must_use]
    pub fn average_loss(&self) -> ByColor<Option<u32>> {
        let of = |color: Color| {
            let (count, sum) = self
                .steps()
                .filter(|step| step.mover == color)
                .fold((0_u32, 0_u64), |(count, sum), step| {
                    (count + 1, sum + u64::from(step.loss().unsigned_abs()))
                });
            // Half a hundredth is rounded up.
            let mean = (2 * sum + u64::from(count)).checked_div(2 * u64::from(count))?;
            u32::try_from(mean).ok()
        };
        ByColor {
            white: of(Color::White),
            black: of(Color::Black),
        }
    }
}

/// Both means of one side's moves.
#[derive(Copy, Clone, Default)]
struct AccuracyMeans {
    weighted: f64,
    weights: f64,
    inverse: f64,
    count: f64,
}

impl AccuracyMeans {
    fn add(&mut self, accuracy: f64, weight: f64) {
        self.weighted += accuracy * weight;
        self.weights += weight;
        self.inverse += 1.0 / accuracy.max(1.0);
        self.count += 1.0;
    }

    fn value(&self) -> Option<f64> {
        (self.count > 0.0).then(|| (self.weighted / self.weights + self.count / self.inverse) / 2.0)
    }
}

/// The standard deviation of a whole population.
#[allow(clippy::cast_precision_loss)]
fn deviation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / count)
        .sqrt()
}

/// The evaluations in the main line of a game, from any program.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluations {
    /// The side that makes the first move.
    pub first: Color,
    /// That of the position before the first move: from a comment before it, or that of the normal starting position.
    pub start: Option<Evaluation>,
    /// That of the position after each move; a position after checkmate has none.
    pub after: Vec<Option<Evaluation>>,
}

impl Evaluations {
    /// Reads the comments along the main line. If a move has several evaluations, the last one counts.
    #[must_use]
    pub fn of(game: &Game) -> Evaluations {
        let (first, start) = match &game.start {
            StartingPosition::Standard => (Color::White, Some(INITIAL)),
            StartingPosition::Setup(board, _) => (board.turn(), None),
        };
        let mut found = Evaluations {
            first,
            start,
            after: Vec::new(),
        };
        let tape = &game.tape;
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                TapeOp::Begin(_) => at = tape.skip(at - 1),
                TapeOp::Move(_) => found.after.push(None),
                TapeOp::Comment(id) => {
                    if let Some(score) = evaluation(tape.text(id)) {
                        match found.after.last_mut() {
                            Some(last) => *last = Some(score),
                            None => found.start = Some(score),
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Whether no move has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.after.iter().all(Option::is_none)
    }

    /// The moves between two evaluations.
    pub fn steps(&self) -> impl Iterator<Item = EvaluationStep> + '_ {
        let before = std::iter::once(self.start).chain(self.after.iter().copied());
        before
            .zip(self.after.iter().copied())
            .enumerate()
            .filter_map(|(ply, (before, after))| {
                Some(EvaluationStep {
                    mover: if ply % 2 == 0 {
                        self.first
                    } else {
                        !self.first
                    },
                    ply,
                    before: before?,
                    after: after?,
                })
            })
    }

    /// All evaluations as one run. `None` if there are fewer than two in sequence, or if one is missing between others:
    /// results for the whole game would then be those of a part. The last move may lack one, as after mate.
    #[must_use]
    pub fn run(&self) -> Option<EvaluationRun> {
        let known = self.after.iter().position(Option::is_some)?;
        let (ply, before) = match (known, self.start) {
            (0, Some(start)) => (0, start),
            _ => (known + 1, self.after.get(known).copied().flatten()?),
        };
        let rest = self.after.get(ply..)?;
        let length = rest.iter().take_while(|score| score.is_some()).count();
        if rest.len() > length + 1 || length == 0 {
            return None;
        }
        Some(EvaluationRun {
            first: if ply % 2 == 0 {
                self.first
            } else {
                !self.first
            },
            ply,
            before,
            after: rest.iter().copied().flatten().collect(),
        })
    }
}

/// The evaluation that a comment gives last. Mate in 0 moves means that the game is over, and is not an evaluation.
#[must_use]
pub fn evaluation(comment: &str) -> Option<Evaluation> {
    // Most comments have none, and need not be split.
    if !comment.contains("[%eval") {
        return None;
    }
    commands(comment)
        .filter_map(|command| match command {
            CommentCommand::Eval(Evaluation::Mate(0), _) => None,
            CommentCommand::Eval(score, _) => Some(score),
            _ => None,
        })
        .last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Judgement::{Blunder, Inaccuracy, Mistake};

    fn cp(value: i32) -> Evaluation {
        Evaluation::Centipawns(value)
    }

    fn run(first: Color, after: &[i32]) -> EvaluationRun {
        EvaluationRun {
            first,
            ply: 0,
            before: INITIAL,
            after: after.iter().copied().map(cp).collect(),
        }
    }

    #[test]
    fn moves_are_judged_by_the_chances_that_they_give_away() {
        for (before, after, judgement) in [
            (cp(15), cp(-30), None),
            (cp(15), cp(-45), Some(Inaccuracy)),
            (cp(15), cp(-110), Some(Mistake)),
            (cp(15), cp(-170), Some(Blunder)),
            // The same loss counts less if the game is decided.
            (cp(900), cp(600), Some(Inaccuracy)),
            (cp(2000), cp(1000), None),
            (cp(15), Evaluation::Mate(-3), Some(Blunder)),
            (cp(-701), Evaluation::Mate(-3), Some(Mistake)),
            (cp(-700), Evaluation::Mate(-3), Some(Blunder)),
            (cp(-1000), Evaluation::Mate(-3), Some(Inaccuracy)),
            (cp(-999), Evaluation::Mate(-3), Some(Mistake)),
            (Evaluation::Mate(3), cp(1000), Some(Inaccuracy)),
            (Evaluation::Mate(3), cp(999), Some(Mistake)),
            (Evaluation::Mate(3), cp(700), Some(Blunder)),
            (Evaluation::Mate(3), Evaluation::Mate(-2), Some(Blunder)),
            (Evaluation::Mate(3), Evaluation::Mate(9), None),
            (Evaluation::Mate(-3), Evaluation::Mate(-1), None),
            (Evaluation::Mate(-3), cp(0), None),
            (cp(0), Evaluation::Mate(4), None),
        ] {
            assert_eq!(
                judge(before, after, Color::White),
                judgement,
                "{before} {after}"
            );
            let turned = |score| match score {
                Evaluation::Centipawns(value) => Evaluation::Centipawns(-value),
                Evaluation::Mate(moves) => Evaluation::Mate(-moves),
            };
            let black = judge(turned(before), turned(after), Color::Black);
            assert_eq!(black, judgement, "{before} {after} for Black");
        }
    }

    #[test]
    fn accuracies_are_those_that_lichess_expects() {
        // The cases and bounds of its own test of the formula.
        let repeated = |pair: [i32; 2], times: usize| pair.repeat(times);
        let mut white_blunder = vec![15; 20];
        white_blunder.push(-900);
        let mut black_blunder = vec![15; 21];
        black_blunder.push(900);
        for (after, white, black) in [
            (vec![15, 15], (100.0, 1.0), (100.0, 1.0)),
            (vec![-900, -900], (10.0, 5.0), (100.0, 1.0)),
            (vec![15, 900], (100.0, 1.0), (10.0, 5.0)),
            (vec![-900, 0], (10.0, 5.0), (10.0, 5.0)),
            (vec![15; 20], (100.0, 1.0), (100.0, 1.0)),
            (white_blunder, (50.0, 5.0), (100.0, 1.0)),
            (black_blunder, (100.0, 1.0), (50.0, 5.0)),
            (repeated([-50, 15], 5), (76.0, 8.0), (76.0, 8.0)),
            (repeated([-50, 15], 50), (76.0, 8.0), (76.0, 8.0)),
            (repeated([-135, 15], 50), (54.0, 8.0), (54.0, 8.0)),
            (repeated([-435, 15], 50), (20.0, 8.0), (20.0, 8.0)),
        ] {
            let found = run(Color::White, &after).accuracy();
            for (found, (wanted, near)) in [(found.white, white), (found.black, black)] {
                let found = found.expect("both sides moved");
                assert!((found - wanted).abs() <= near, "{after:?}: {found}");
            }
        }
        assert_eq!(run(Color::White, &[]).accuracy(), ByColor::default());
        assert_eq!(run(Color::White, &[15]).accuracy().black, None);
        let black_first = run(Color::Black, &[900, 900]).accuracy();
        assert!(black_first.black.is_some_and(|accuracy| accuracy < 15.0));
        assert!(black_first.white.is_some_and(|accuracy| accuracy > 99.0));
    }

    #[test]
    fn losses_are_averaged_and_rounded() {
        let run = run(Color::White, &[-35, -35, -36, 2000]);
        assert_eq!(run.average_loss().white, Some(26));
        assert_eq!(run.average_loss().black, Some(518));
        assert_eq!(
            super::tests::run(Color::White, &[]).average_loss(),
            ByColor::default()
        );
    }

    #[test]
    fn what_stands_in_a_game_is_one_run_or_none() {
        let of = |start: Option<Evaluation>, after: &[Option<i32>]| Evaluations {
            first: Color::White,
            start,
            after: after.iter().map(|score| score.map(cp)).collect(),
        };
        let whole = of(Some(INITIAL), &[Some(20), Some(30), None])
            .run()
            .expect("whole");
        assert_eq!((whole.ply, whole.after.len()), (0, 2));
        let late = of(Some(INITIAL), &[None, Some(20), Some(30)])
            .run()
            .expect("late");
        assert_eq!(
            (late.ply, late.first, late.before),
            (2, Color::White, cp(20))
        );
        assert_eq!(of(None, &[Some(1), None, Some(2), Some(3)]).run(), None);
        assert_eq!(of(None, &[Some(1)]).run(), None);
        assert_eq!(of(None, &[]).run(), None);
        assert_eq!(
            of(None, &[Some(1), None, Some(2), Some(3)]).steps().count(),
            1
        );
    }

    #[test]
    fn comments_give_their_last_evaluation() {
        assert_eq!(evaluation("[%eval 0.17] [%clk 0:00:30]"), Some(cp(17)));
        assert_eq!(evaluation("a [%eval #-4,20] b"), Some(Evaluation::Mate(-4)));
        assert_eq!(evaluation("[%eval #0]"), None);
        assert_eq!(evaluation("[%eval x]"), None);
        assert_eq!(evaluation("no eval"), None);
    }
}
