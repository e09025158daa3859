//! How many games of a reference are still inside a repertoire at each ply.

use std::collections::BTreeMap;

use tabiya_answers::RepertoireCoverageAnswer;
use tabiya_model::board::Board;
use tabiya_model::collect::{
    Collector, CollectorNeeds, CollectorPass, CollectorWorker, GameView, StepScope,
};
use tabiya_model::positions::WalkStart;
use tabiya_model::{Control, JobCompletion, Result};
use tabiya_repertoire::{Repertoire, RepertoireEnd, RepertoireFollower};

use super::side_answer;
use crate::select::base_view::{self, BaseView, GameCount};
use crate::select::selection::Selection;

/// How many games are inside at a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RepertoireCoverage {
    /// The ply.
    pub ply: u32,
    /// Games that have so many plies.
    pub games: u64,
    /// Those whose last position of the repertoire comes after this ply or later.
    pub inside: u64,
    /// Games that the repertoire's side left at this ply.
    pub me: u64,
    /// Games that the opponent left at this ply.
    pub opponent: u64,
    /// Games that went on after this ply where the repertoire has no move.
    pub line_end: u64,
}

impl RepertoireCoverage {
    /// For programs.
    #[must_use]
    pub fn answer(&self, repertoire: &Repertoire) -> RepertoireCoverageAnswer {
        RepertoireCoverageAnswer {
            color: side_answer(repertoire.color()),
            ply: self.ply,
            games: self.games,
            inside: self.inside,
            me: self.me,
            opponent: self.opponent,
            line_end: self.line_end,
        }
    }
}

/// How many games left a repertoire at a position, by the number of the position and how they part.
pub type RepertoireExits = BTreeMap<(u32, RepertoireEnd), u64>;

/// How far games stay in a repertoire.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RepertoireCoverageReport {
    /// For each ply how many games are still inside, from the start to the last ply at which one is.
    pub rows: Vec<RepertoireCoverage>,
    /// For each position how many games left there.
    pub exits: RepertoireExits,
    /// Games that are damaged, as far as they were looked at: what could be read of them was counted.
    pub damaged: u64,
    /// Whether everything was looked at.
    pub ended: JobCompletion,
}

/// Counts how far games stay in a repertoire, and where they leave it.
///
/// # Errors
///
/// If games cannot be read.
pub fn coverage(
    repertoire: &Repertoire,
    games: &Selection,
    control: &Control,
) -> Result<RepertoireCoverageReport> {
    let collector = RepertoirePlyCollector { repertoire };
    let mut sum = RepertoirePlySum::default();
    let mut report = RepertoireCoverageReport::default();
    for base in &games.bases {
        if control.is_stopped() {
            break;
        }
        let view = BaseView::open(games, base, control, &mut Vec::new())?;
        let mut seen = (0, 0);
        let mut pass = CollectorPass::new();
        pass.add(&collector, |part, _| {
            sum.add(part);
            Ok(true)
        });
        pass.sum(&GameCount, &mut seen);
        let ended = base_view::run(base, view.as_ref(), pass, control)?;
        report.ended = report.ended.and(ended);
        report.damaged += seen.1;
    }
    report.ended = report.ended.and(control.completion());
    let deepest = sum.ends.keys().map(|(ply, _)| *ply).max();
    let rows = (0..=deepest.unwrap_or(0)).map(|ply| {
        let at = |end| sum.ends.get(&(ply, end)).copied().unwrap_or(0);
        RepertoireCoverage {
            ply,
            games: sum
                .lengths
                .range(u64::from(ply)..)
                .map(|(_, games)| games)
                .sum(),
            inside: sum
                .ends
                .range((ply, RepertoireEnd::Inside)..)
                .map(|(_, games)| games)
                .sum(),
            me: at(RepertoireEnd::Me),
            opponent: at(RepertoireEnd::Opponent),
            line_end: at(RepertoireEnd::LineEnd),
        }
    });
    if deepest.is_some() {
        report.rows = rows.collect();
    }
    report.exits = sum.places;
    Ok(report)
}

struct RepertoirePlyCollector<'r> {
    repertoire: &'r Repertoire,
}

/// One thread's share.
struct RepertoirePlyWorker<'r> {
    follower: RepertoireFollower<'r>,
    sum: RepertoirePlySum,
}

#[derive(Default)]
struct RepertoirePlySum {
    /// Games by the ply of their last position of the repertoire, and by how they part.
    ends: BTreeMap<(u32, RepertoireEnd), u64>,
    /// Games by their last position of the repertoire, and by how they part.
    places: RepertoireExits,
    /// Games by their plies.
    lengths: BTreeMap<u64, u64>,
}

impl RepertoirePlySum {
    fn add(&mut self, part: RepertoirePlySum) {
        for (place, games) in part.ends {
            *self.ends.entry(place).or_default() += games;
        }
        for (place, games) in part.places {
            *self.places.entry(place).or_default() += games;
        }
        for (plies, games) in part.lengths {
            *self.lengths.entry(plies).or_default() += games;
        }
    }
}

impl Collector for RepertoirePlyCollector<'_> {
    type Part = RepertoirePlySum;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::default().with_steps(StepScope::MainLine)
    }

    fn worker(&self) -> impl CollectorWorker<Part = RepertoirePlySum> {
        RepertoirePlyWorker {
            follower: RepertoireFollower::new(self.repertoire, &Board::standard()),
            sum: RepertoirePlySum::default(),
        }
    }
}

impl CollectorWorker for RepertoirePlyWorker<'_> {
    type Part = RepertoirePlySum;

    fn see(&mut self, game: &mut GameView<'_>) -> Result<()> {
        let RepertoirePlyWorker { follower, sum } = self;
        match game.start()? {
            WalkStart::Standard => follower.start_standard(),
            WalkStart::Setup(board) => follower.start(board),
            WalkStart::Unreadable => return Ok(()),
        }
        let steps = game.steps()?;
        let moves = steps.iter().filter(|delta| delta.is_move());
        *sum.lengths.entry(moves.clone().count() as u64).or_default() += 1;
        for delta in moves {
            if !follower.play(*delta) {
                break;
            }
        }
        let departure = follower.departure();
        if let Some(position) = departure.position {
            let end = departure.end;
            *sum.ends.entry((departure.ply, end)).or_default() += 1;
            *sum.places.entry((position, end)).or_default() += 1;
        }
        Ok(())
    }

    fn take(&mut self) -> Result<RepertoirePlySum> {
        Ok(std::mem::take(&mut self.sum))
    }
}
