//! The second pass: games go to the engines, and on to the target once all their positions are known.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use tabiya_engine::annotate::{self, AnnotateStyle};
use tabiya_engine::driver::SearchPosition;
use tabiya_engine::journal::AnalysisJournal;
use tabiya_engine::{EvaluationKey, PositionEvaluation};
use tabiya_model::{Board, Control, Game, JobCompletion, Result};

use super::plan::{AnalyseGames, PositionChoice, PositionChooser};
use super::pool::{AnalyseUnit, AnalyseUnitResult, EnginePool};
use super::{
    AnalyseEvent, AnalyseGameReport, AnalyseOptions, AnalyseReport, ExistingEvaluations, HashReset,
    engine_error,
};
use crate::write::target::SingleGameCopier;

/// The most failures in a row, over all engines, that are borne.
const MOST_FAILURES: u64 = 10;

/// The most games in memory at once.
const MOST_PENDING: usize = 1_000;

/// Takes games that are done, in their order.
pub(super) trait AnalyseOutput {
    /// Takes a game; whether anything in it is new is said.
    fn take(&mut self, game: Game, is_changed: bool) -> Result<()>;
}

impl AnalyseOutput for SingleGameCopier<'_> {
    fn take(&mut self, game: Game, _is_changed: bool) -> Result<()> {
        self.push(game)
    }
}

/// A game that waits for its positions.
struct PendingGame {
    game: Game,
    chosen: PositionChoice,
    found: Vec<Option<PositionEvaluation>>,
    missing: usize,
    failed: u64,
}

/// The second reading.
pub(super) struct AnalysePass<'w, 'e, 'o> {
    options: &'w AnalyseOptions,
    style: AnnotateStyle,
    chooser: PositionChooser,
    shared: HashSet<EvaluationKey>,
    /// What is known of shared positions.
    known: HashMap<EvaluationKey, Option<PositionEvaluation>>,
    /// Where positions that are being searched are wanted: games by their place in the order, and the position's index.
    waiting: HashMap<EvaluationKey, Vec<(u64, usize)>>,
    pending: VecDeque<PendingGame>,
    /// The place of the first pending game.
    first: u64,
    journal: Option<AnalysisJournal>,
    out: &'w mut (dyn AnalyseOutput + 'o),
    report: &'w mut AnalyseReport,
    failures: u64,
    control: &'w Control,
    each: &'w mut (dyn FnMut(AnalyseEvent<'_>) + 'e),
}

impl<'w, 'e, 'o> AnalysePass<'w, 'e, 'o> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        options: &'w AnalyseOptions,
        chooser: PositionChooser,
        shared: HashSet<EvaluationKey>,
        journal: Option<AnalysisJournal>,
        out: &'w mut (dyn AnalyseOutput + 'o),
        control: &'w Control,
        each: &'w mut (dyn FnMut(AnalyseEvent<'_>) + 'e),
        report: &'w mut AnalyseReport,
    ) -> AnalysePass<'w, 'e, 'o> {
        let mut style = options.style.clone();
        style.redo = options.existing == ExistingEvaluations::Redo;
        if options.sign {
            style.annotator = Some(report.engine.clone());
        }
        AnalysePass {
            options,
            style,
            chooser,
            shared,
            known: HashMap::new(),
            waiting: HashMap::new(),
            pending: VecDeque::new(),
            first: 0,
            journal,
            out,
            report,
            failures: 0,
            control,
            each,
        }
    }

    /// The journal, when the work is done.
    pub(super) fn into_journal(self) -> Option<AnalysisJournal> {
        self.journal
    }

    /// Does it, as far as nobody stops it.
    pub(super) fn run(
        &mut self,
        games: &mut AnalyseGames<'_>,
        pool: &EnginePool<'_>,
    ) -> Result<JobCompletion> {
        let ahead = self.options.processes.max(1) * 4;
        let mut more = true;
        loop {
            while more && pool.outstanding() < ahead && self.pending.len() < MOST_PENDING {
                if self.control.is_stopped() {
                    break;
                }
                match games.next() {
                    Some(game) => {
                        self.begin(game?, pool)?;
                        self.write_done()?;
                    }
                    None => {
                        more = false;
                        pool.complete();
                    }
                }
            }
            self.write_done()?;
            if !more && self.pending.is_empty() {
                return Ok(JobCompletion::Whole);
            }
            if self.control.is_stopped() {
                // What is done meanwhile is kept.
                pool.stop();
                while let Some(done) = pool.next(Duration::from_secs(30)) {
                    self.keep(&done)?;
                }
                return Ok(self.control.completion());
            }
            if let Some(done) = pool.next(Duration::from_millis(20)) {
                self.keep(&done)?;
                self.take(done)?;
            }
        }
    }

    /// Asks for the positions of a game.
    fn begin(&mut self, game: Game, pool: &EnginePool<'_>) -> Result<()> {
        let chosen = self.chooser.choose(&game);
        let place = self.first + self.pending.len() as u64;
        let mut pending = PendingGame {
            found: vec![None; chosen.boards.len()],
            game,
            missing: 0,
            failed: 0,
            chosen,
        };
        let mut own = Vec::new();
        // The last position first: what is remembered of it helps with those before it.
        for &index in pending.chosen.wanted.iter().rev() {
            let Some(board) = pending.chosen.boards.get(index) else {
                continue;
            };
            let Ok(position) = SearchPosition::new(board) else {
                // The game is over there, or no engine could make sense of it.
                if let Some(slot) = pending.found.get_mut(index) {
                    *slot = PositionEvaluation::of_the_end(board);
                }
                self.report.positions += 1;
                self.control.advance(0, 1);
                continue;
            };
            let key = EvaluationKey::of(board);
            let is_shared = self.shared.contains(&key);
            let known = match self.known.get(&key) {
                Some(known) => Some(known.clone()),
                None => match &mut self.journal {
                    Some(journal) => journal.get(board)?.map(Some),
                    None => None,
                },
            };
            if let Some(known) = known {
                if is_shared {
                    self.known.insert(key, known.clone());
                }
                pending.failed += u64::from(known.is_none());
                if let Some(slot) = pending.found.get_mut(index) {
                    *slot = known;
                }
                self.report.positions += 1;
                self.control.advance(0, 1);
                continue;
            }
            pending.missing += 1;
            let waiting = self.waiting.entry(key).or_default();
            waiting.push((place, index));
            if waiting.len() > 1 {
                continue;
            }
            if is_shared || self.options.clearing == HashReset::Position {
                pool.add(AnalyseUnit {
                    positions: vec![position],
                });
            } else {
                own.push(position);
            }
        }
        if !own.is_empty() {
            pool.add(AnalyseUnit { positions: own });
        }
        self.pending.push_back(pending);
        Ok(())
    }

    /// Writes what engines found to the journal.
    fn keep(&mut self, done: &AnalyseUnitResult) -> Result<()> {
        let batch: Vec<(Board, PositionEvaluation)> = done
            .positions
            .iter()
            .filter_map(|(board, found)| Some((board.clone(), found.clone()?)))
            .collect();
        if let Some(journal) = &mut self.journal
            && !batch.is_empty()
        {
            journal.add(&batch)?;
        }
        self.report.searched += batch.len() as u64;
        (self.each)(AnalyseEvent::Searched(batch.len() as u64));
        Ok(())
    }

    /// Brings what was found to the games that wait for it.
    fn take(&mut self, done: AnalyseUnitResult) -> Result<()> {
        if let Some(error) = done.error {
            self.failures += 1;
            if done.is_fatal || self.failures >= MOST_FAILURES {
                return Err(engine_error(error));
            }
        } else {
            self.failures = 0;
        }
        for (board, found) in done.positions {
            let key = EvaluationKey::of(&board);
            if self.shared.contains(&key) {
                self.known.insert(key, found.clone());
            }
            for (place, index) in self.waiting.remove(&key).unwrap_or_default() {
                let Some(pending) = usize::try_from(place - self.first)
                    .ok()
                    .and_then(|place| self.pending.get_mut(place))
                else {
                    continue;
                };
                pending.missing -= 1;
                pending.failed += u64::from(found.is_none());
                if let Some(slot) = pending.found.get_mut(index) {
                    slot.clone_from(&found);
                }
                self.report.positions += 1;
                self.control.advance(0, 1);
            }
        }
        Ok(())
    }

    /// Writes the games at the front whose positions are all known.
    fn write_done(&mut self) -> Result<()> {
        while self.pending.front().is_some_and(|game| game.missing == 0) {
            let Some(pending) = self.pending.pop_front() else {
                break;
            };
            self.first += 1;
            let (game, sides) = annotate::annotate(&pending.game, &pending.found, &self.style);
            let report = AnalyseGameReport {
                number: game.origin.number,
                white: game.tags.value("White").to_owned(),
                black: game.tags.value("Black").to_owned(),
                positions: pending.chosen.wanted.len() as u64,
                failed: pending.failed,
                kept: pending.chosen.kept,
                sides,
            };
            self.report.games += 1;
            self.report.kept += u64::from(report.kept);
            self.report.failed += report.failed;
            let is_changed = game != pending.game;
            self.report.changed += u64::from(is_changed);
            self.out.take(game, is_changed)?;
            self.control.advance(1, 0);
            (self.each)(AnalyseEvent::Game(&report));
        }
        Ok(())
    }
}
