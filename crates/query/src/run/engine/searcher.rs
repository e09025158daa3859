//! Evaluates games one by one: by known facts, by walking through their moves, and by reading them.

use tabiya_model::database::GameNeeds;
use tabiya_model::pipeline;
use tabiya_model::positions::PositionSource;
use tabiya_model::{Block, Control, Database, Game, Result};

use super::joiner::{QueryPart, QueryPartJoiner, is_damaged};
use super::open_games::GameRangeSource;
use super::{MatchCallback, MatchedGame, QueryOptions, QueryReport};
use crate::plan::term_games::CandidateGames;
use crate::run::delta_walk::{DeltaRunner, WalkOutcome, needs_only_deltas};
use crate::run::evaluator::{QueryEvaluator, QueryMatch};
use crate::run::index_answers::{IndexAnswer, IndexAnswers};
use crate::run::profile::Stopwatch;
use crate::run::walk::TermAnswers;
use crate::terms::fields::ReadDepth;
use crate::terms::openings::{OpeningNamer, OpeningTest};
use crate::terms::query::{Query, QueryTerm};
use crate::terms::repertoires::RepertoireWalker;

/// Games that one thread takes at a time from an index.
const BATCH: u64 = 2048;

/// The same where neighbours share what has to be unpacked.
const LONG_BATCH: u64 = 8192;

/// The same where an index of positions has chosen the games: few are decided by their facts.
const CHOSEN_BATCH: usize = 64;

/// Up to how many chosen games one thread is quicker than the start of several.
const FEW: usize = 512;

/// What is known before any game is looked at.
pub(super) struct SearchPlan<'k, 'j> {
    pub(super) judge: &'k IndexAnswers<'j>,
    /// The only games that are asked.
    pub(super) candidates: Option<CandidateGames>,
    /// The number of all games.
    pub(super) games: u64,
}

/// One thread's search in an index.
struct SearchWorker<'q, 'd, 'j> {
    database: &'d dyn Database,
    judge: &'d IndexAnswers<'j>,
    query: &'q Query,
    options: QueryOptions,
    runner: Option<DeltaRunner<'q, 'd>>,
    /// Names openings by position, where that is asked, and what is asked of the names.
    namer: Option<OpeningNamer<'d>>,
    openings: Vec<(usize, &'q OpeningTest)>,
    /// Follows games through repertoires, where that is asked.
    repertoires: Option<RepertoireWalker<'q, 'd>>,
    evaluator: QueryEvaluator<'q>,
    answers: TermAnswers,
    game: Game,
    /// The terms that deltas cannot answer.
    full: Vec<usize>,
    /// What of a game is read before its moves, where those are not walked.
    gate: Option<GameNeeds>,
    plies: bool,
    counting: bool,
}

/// Asks the games that are open.
pub(super) fn ask_known(
    database: &dyn Database,
    known: &SearchPlan<'_, '_>,
    positions: Option<&dyn PositionSource>,
    query: &Query,
    options: QueryOptions,
    control: &Control,
    each: Option<MatchCallback<'_>>,
) -> Result<QueryReport> {
    let counting = each.is_none();
    let mut joiner = QueryPartJoiner {
        report: QueryReport::default(),
        each,
        again: None,
    };
    let (mut batches, jobs) = match &known.candidates {
        None => {
            let end = known.games.saturating_add(1);
            let size = match database.reads_in_rows() {
                true => LONG_BATCH,
                false => BATCH,
            };
            (GameRangeSource { next: 1, end, size }, control.threads())
        }
        Some(candidates) => {
            joiner.report.hits = candidates.sure;
            let count = candidates.games.len();
            let (jobs, size) = match count {
                0..=FEW => (1, count),
                _ => (control.threads(), CHOSEN_BATCH),
            };
            let (end, size) = (count as u64, size as u64);
            (GameRangeSource { next: 0, end, size }, jobs)
        }
    };
    let size = batches.size;
    let control = &control.clone().with_threads(jobs);
    control.expect_more(Some(batches.end - batches.next));
    let ended = pipeline::run(
        &mut batches,
        control,
        || {
            let mut searcher =
                SearchWorker::new(database, known.judge, positions, query, options, control);
            searcher.counting = counting;
            move |block: &mut dyn Block| {
                let first = block.first().unwrap_or(u64::MAX);
                let mut part = QueryPart {
                    // Games have their numbers already.
                    first: Some(first),
                    ..QueryPart::default()
                };
                let ask = |number: u64| {
                    if !control.is_stopped() {
                        part.games += 1;
                        searcher.ask(number, &mut part)?;
                    }
                    Ok::<(), tabiya_model::Error>(())
                };
                match &known.candidates {
                    None => {
                        let last = first.saturating_add(size - 1).min(known.games);
                        (first..=last).try_for_each(ask)?;
                    }
                    Some(candidates) => {
                        let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                        let chosen = candidates.games.iter().skip(place(first));
                        chosen.take(place(size)).copied().try_for_each(ask)?;
                    }
                }
                if let Some(runner) = &mut searcher.runner {
                    part.positions = std::mem::take(&mut runner.positions);
                }
                control.advance(part.games, part.games);
                Ok(part)
            }
        },
        |part| joiner.take(part),
    )?;
    joiner.report.ended = ended;
    Ok(joiner.report)
}

impl<'q, 'd, 'j> SearchWorker<'q, 'd, 'j> {
    fn new(
        database: &'d dyn Database,
        judge: &'d IndexAnswers<'j>,
        positions: Option<&'d dyn PositionSource>,
        query: &'q Query,
        options: QueryOptions,
        control: &Control,
    ) -> SearchWorker<'q, 'd, 'j> {
        let plies = options.plies && query.has_places();
        let runner = positions
            .filter(|_| query.walks())
            .map(|positions| DeltaRunner::new(query, positions, plies, control));
        let openings = query.opening_tests();
        let namer = positions
            .filter(|_| !openings.is_empty())
            .map(|positions| OpeningNamer::new(positions.walker()));
        let tests = query.repertoire_tests();
        let repertoires = positions
            .filter(|_| !tests.is_empty())
            .map(|positions| RepertoireWalker::new(positions.walker(), &tests));
        // Only games whose tags name no opening are looked at for one.
        let gate = options.shortcuts.gate && (runner.is_none() || namer.is_some());
        let full = query.terms.iter().enumerate();
        let full = full
            .filter(|(_, term)| matches!(term, QueryTerm::Walk(walk) if !needs_only_deltas(walk)));
        SearchWorker {
            database,
            judge,
            query,
            options,
            runner,
            namer,
            openings,
            repertoires,
            evaluator: QueryEvaluator::new(query, plies).under(control),
            answers: TermAnswers::default(),
            game: Game::default(),
            full: full.map(|(index, _)| index).collect(),
            gate: gate.then(|| query.gate()).flatten(),
            plies,
            counting: false,
        }
    }

    fn ask(&mut self, number: u64, part: &mut QueryPart) -> Result<()> {
        let watch = Stopwatch::start(self.options.timed);
        let told = self.judge.ask(number, &mut self.answers);
        watch.stop(
            &mut part.ways.facts,
            u64::from(matches!(told, IndexAnswer::Settled(_))),
        );
        let promotions = match told {
            IndexAnswer::NoGame => return Ok(()),
            IndexAnswer::Settled(answer) => return self.settle(number, answer, part),
            IndexAnswer::Open { promotions } => promotions,
        };
        self.look(number, promotions, part)
    }

    /// Looks at a game. It is kept apart from what is asked of every game, which stays short so.
    #[inline(never)]
    fn look(&mut self, number: u64, promotions: bool, part: &mut QueryPart) -> Result<()> {
        if self.follow_repertoires(number, part)? {
            return Ok(());
        }
        let compact = self
            .full
            .iter()
            .all(|term| self.answers.known[*term].is_some());
        let mut damaged = false;
        if let (Some(runner), true) = (&mut self.runner, compact) {
            let watch = Stopwatch::start(self.options.timed);
            let walked = runner.run(number, promotions, &mut self.answers)?;
            let is_settled = self.judge.settled(&self.answers).is_some();
            watch.stop(&mut part.ways.walked, u64::from(is_settled));
            if walked == WalkOutcome::Cut {
                return Ok(());
            }
            damaged = walked == WalkOutcome::Damaged;
            if damaged {
                // Only ordinary reading can say what is wrong.
                self.database
                    .read(number, ReadDepth::Variations.want(), &mut self.game)?;
                part.damaged(&self.game);
            }
            if walked != WalkOutcome::Unreadable
                && let Some(answer) = self.judge.settled(&self.answers)
            {
                return self.settle(number, answer, part);
            }
        }
        let watch = Stopwatch::start(self.options.timed);
        let outcome = self.read(number, damaged, part);
        watch.stop(&mut part.ways.read, 1);
        outcome
    }

    /// Answers what is asked of repertoires; says whether that settles the game.
    fn follow_repertoires(&mut self, number: u64, part: &mut QueryPart) -> Result<bool> {
        let Some(walker) = &mut self.repertoires else {
            return Ok(false);
        };
        let watch = Stopwatch::start(self.options.timed);
        let answers = &mut self.answers;
        walker.ask(number, &mut answers.known, &mut answers.plies)?;
        let settled = self.judge.settled(&self.answers);
        watch.stop(&mut part.ways.walked, u64::from(settled.is_some()));
        match settled {
            Some(answer) => self.settle(number, answer, part).map(|()| true),
            None => Ok(false),
        }
    }

    /// Reads a game and asks it what is open.
    fn read(&mut self, number: u64, damaged: bool, part: &mut QueryPart) -> Result<()> {
        let needs = self.query.needs(&self.answers.known);
        let needs = if self.plies {
            needs.max(ReadDepth::MainLine)
        } else {
            needs
        };
        let answers = self.evaluator.answers();
        answers.known.clone_from(&self.answers.known);
        answers.plies.clone_from(&self.answers.plies);
        let asks_tags = self.query.asks_tags(&self.answers.known);
        let gate = self.gate.filter(|_| needs > ReadDepth::Tags && asks_tags);
        if let Some(gate) = gate {
            self.database.read(number, gate, &mut self.game)?;
            self.evaluator.ask_tags(&self.game, number);
        }
        if gate.is_some() || !asks_tags {
            if self.evaluator.verdict().is_none() {
                self.name_opening(number)?;
            }
            let settled = match self.evaluator.verdict() {
                Some(answer) => !answer || !self.plies,
                None => false,
            };
            if settled {
                if gate.is_some() && is_damaged(&self.game) {
                    part.damaged(&self.game);
                }
                return self.found(self.evaluator.outcome(number), part);
            }
        }
        self.database.read(number, needs.want(), &mut self.game)?;
        if is_damaged(&self.game) && !damaged {
            part.damaged(&self.game);
        }
        let hit = self.evaluator.resume(&self.game, number);
        self.found(hit, part)
    }

    /// Answers what is asked of the opening by position.
    fn name_opening(&mut self, number: u64) -> Result<()> {
        let Some(namer) = &mut self.namer else {
            return Ok(());
        };
        let answers = self.evaluator.answers();
        if !self
            .openings
            .iter()
            .any(|(term, _)| answers.known[*term].is_none())
        {
            return Ok(());
        }
        if let Some(opening) = namer.name(number)? {
            for (term, test) in &self.openings {
                answers.known[*term].get_or_insert_with(|| test.matches(opening));
            }
        }
        Ok(())
    }

    fn settle(&mut self, number: u64, answer: bool, part: &mut QueryPart) -> Result<()> {
        let hit = answer.then(|| QueryMatch {
            number,
            ply: self
                .plies
                .then(|| self.query.ply(&self.answers.known, &self.answers.plies))
                .flatten(),
        });
        self.found(hit, part)
    }

    fn found(&mut self, hit: Option<QueryMatch>, part: &mut QueryPart) -> Result<()> {
        let Some(hit) = hit else {
            return Ok(());
        };
        part.hits += 1;
        if self.counting {
            return Ok(());
        }
        let game = match self.options.keep {
            Some(want) => {
                let mut game = Box::<Game>::default();
                self.database.read(hit.number, want, &mut game)?;
                Some(game)
            }
            None => None,
        };
        part.found.push(MatchedGame { hit, game });
        Ok(())
    }
}
