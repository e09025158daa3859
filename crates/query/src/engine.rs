//! Asks a query of a whole database, on all cores, with results in the order of the games.
//!
//! Where an index of positions says which games can be hits, no other is looked at. What the facts of an index decide is
//! not read; what is read is walked by deltas where the question allows it; what is left is read as a game and asked by
//! the plain [`Evaluator`]. Each of these short cuts has a switch.

use std::sync::atomic::{AtomicU64, Ordering};

use tabiya_model::database::Want;
use tabiya_model::pipeline;
use tabiya_model::positions::Positions;
use tabiya_model::{Block, Control, Database, Diagnostics, Ended, Game, Result, Severity, Source};

use crate::compact::{Runner, Walked, is_compact};
use crate::evaluate::{Evaluator, Hit};
use crate::fields::Needs;
use crate::judge::{Judge, Told};
use crate::listing::{Candidates, Listing};
use crate::query::{Query, Term};
use crate::walk::Answers;
use crate::ways::{Watch, Ways};

/// Games that one thread takes at a time from an index.
const BATCH: u64 = 2048;

/// The same where facts alone are asked.
const RUN: u64 = 1 << 14;

/// The same where an index of positions has chosen the games: few are decided by their facts.
const CHOSEN_BATCH: usize = 64;

/// Up to how many chosen games one thread is quicker than the start of several.
const FEW: usize = 512;

/// One chosen game in so many at most, where games have to be read to be asked: then reading all is quicker.
const SPARSE: u64 = 4;

/// What short cuts a search may take, and what it is to bring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether hits need the ply where the query first holds.
    pub plies: bool,
    /// What of each hit's game is to be brought with it, if anything.
    pub keep: Option<Want>,
    /// Whether an index of positions may say which games can be hits.
    pub lookup: bool,
    /// Whether facts of an index may answer terms about tags and counts.
    pub facts: bool,
    /// Whether facts that follow from the moves (final material, home pawns, stored line) may answer terms.
    pub hints: bool,
    /// Whether games may be walked by deltas.
    pub compact: bool,
    /// Whether the tags that the query asks for are read alone, before anything else of a game.
    pub gate: bool,
    /// Whether the report says how long each way to an answer took.
    pub timed: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            plies: false,
            keep: None,
            lookup: true,
            facts: true,
            hints: true,
            compact: true,
            gate: true,
            timed: false,
        }
    }
}

/// A game that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Which, and where.
    pub hit: Hit,
    /// What [`Options::keep`] asked for.
    pub game: Option<Box<Game>>,
}

/// What a search did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Games that were asked; not those that an index of positions answers for or leaves out.
    pub games: u64,
    /// Games for which the query holds.
    pub hits: u64,
    /// Games that turned out to be damaged: what was read of them was asked.
    pub damaged: u64,
    /// What was found in damaged games.
    pub diagnostics: Diagnostics,
    /// Positions that were looked at by deltas.
    pub positions: u64,
    /// How the games were answered, where that was wanted.
    pub ways: Ways,
    /// Whether all games were searched, as far as more hits were wanted. Else the hits are those of the first
    /// [`Report::games`] that would have been asked.
    pub ended: Ended,
}

/// What one block or batch brought.
#[derive(Default)]
struct Part {
    games: u64,
    found: Vec<Found>,
    hits: u64,
    first: Option<u64>,
    damaged: u64,
    diagnostics: Diagnostics,
    positions: u64,
    ways: Ways,
}

impl Part {
    fn damaged(&mut self, game: &Game) {
        self.damaged += 1;
        self.diagnostics.append(&game.diagnostics);
    }
}

fn is_damaged(game: &Game) -> bool {
    game.diagnostics.at_least(Severity::Damage) > 0
}

/// Takes hits and answers whether to go on.
pub type Each<'e> = &'e mut dyn FnMut(Found) -> Result<bool>;

/// Searches a database. `each` gets the hits in the order of the games and answers whether to go on; where nothing is
/// done with them, `None` counts only. The first hits come while later games are still read.
pub fn search(
    database: &dyn Database,
    query: &Query,
    options: Options,
    control: &Control,
    each: Option<Each<'_>>,
) -> Result<Report> {
    let wants_facts = options.facts || options.hints;
    let facts = database.facts().filter(|_| wants_facts);
    let lookup = database.lookup().filter(|_| options.lookup);
    let positions = database.positions();
    let mut ways = Ways::default();
    let watch = Watch::start(options.timed);
    let listings = lookup.map_or_else(Vec::new, |lookup| Listing::all(query, lookup));
    watch.stop(&mut ways.index, Listing::size(&listings));
    let plies = options.plies && query.walks();
    let counting = each.is_none() && !plies;
    let judge = Judge::new(query, facts, &listings, options, plies);
    let games = match (facts, lookup) {
        (Some(facts), _) => facts.len(),
        (None, Some(lookup)) => lookup.game_count(),
        (None, None) => 0,
    };
    let mut candidates = Listing::candidates(&listings, counting);
    // Where positions come at speed, games are looked at one by one as their facts leave them open.
    if facts.is_none() || positions.is_none() {
        if facts.is_some() {
            let watch = Watch::start(options.timed);
            let asked = candidates
                .as_ref()
                .map_or(games, |few| few.games.len() as u64);
            let (chosen, ended) = choose(&judge, candidates, games, counting, control)?;
            watch.stop(
                &mut ways.facts,
                asked - (chosen.games.len() as u64).min(asked),
            );
            if !ended.is_whole() {
                return Ok(Report {
                    ways,
                    ended,
                    ..Report::default()
                });
            }
            candidates = Some(chosen);
        }
        // Many games are read in a row sooner than one by one.
        candidates = candidates.filter(|candidates| {
            let chosen = candidates.games.len() as u64;
            chosen == 0 || (database.finds_games() && chosen < games / SPARSE)
        });
        if candidates.is_none() {
            let mut source = database.source(None)?;
            control.expect_more(source.total_bytes());
            let mut report =
                unindexed(&mut *source, Some(database), query, options, control, each)?;
            report.ways.add(&ways);
            return Ok(report);
        }
    }
    let known = Known {
        judge: &judge,
        candidates,
        games,
    };
    let positions = positions.filter(|_| options.compact);
    let mut report = indexed(database, &known, positions, query, options, control, each)?;
    report.ways.add(&ways);
    Ok(report)
}

/// Searches games that can be read only once.
pub fn search_source(
    source: &mut dyn Source<'_>,
    query: &Query,
    options: Options,
    control: &Control,
    each: Option<Each<'_>>,
) -> Result<Report> {
    unindexed(source, None, query, options, control, each)
}

/// Adds parts up and hands their hits on.
struct Collector<'e, 'd> {
    report: Report,
    each: Option<Each<'e>>,
    /// For reading hits again whose number is known only now.
    again: Option<(&'d dyn Database, Want)>,
}

impl Collector<'_, '_> {
    fn take(&mut self, part: Part) -> Result<bool> {
        let base = match part.first {
            Some(_) => 0,
            None => self.report.games,
        };
        let report = &mut self.report;
        report.games += part.games;
        report.hits += part.hits;
        report.damaged += part.damaged;
        report.positions += part.positions;
        report.ways.add(&part.ways);
        let mut diagnostics = part.diagnostics;
        for finding in diagnostics.iter_mut() {
            if let Some(number) = &mut finding.place.game {
                *number += base;
            }
        }
        report.diagnostics.append(&diagnostics);
        let Some(each) = &mut self.each else {
            return Ok(true);
        };
        for mut found in part.found {
            found.hit.number += base;
            if let Some(game) = &mut found.game {
                pipeline::renumber(game, base);
            } else if let Some((database, want)) = self.again {
                let mut game = Box::<Game>::default();
                database.read(found.hit.number, want, &mut game)?;
                found.game = Some(game);
            }
            if !each(found)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn unindexed(
    source: &mut dyn Source<'_>,
    database: Option<&dyn Database>,
    query: &Query,
    options: Options,
    control: &Control,
    each: Option<Each<'_>>,
) -> Result<Report> {
    let unknown = vec![None; query.terms.len()];
    let needed = query.needs(&unknown).want();
    let plies = options.plies && query.walks();
    // The place of a hit is found by walking, even where its tags decide.
    let needed = if plies {
        needed.union(Needs::MainLine.want())
    } else {
        needed
    };
    let (want, again) = match (options.keep, database) {
        (Some(keep), Some(database)) if !needed.covers(keep) => (needed, Some((database, keep))),
        (Some(keep), None) => (needed.union(keep), None),
        _ => (needed, None),
    };
    let gate = options.gate.then(|| query.gate()).flatten();
    let counting = each.is_none();
    // Blocks that do not know their numbers are asked one after the other where the number matters.
    let base = AtomicU64::new(0);
    let control = &match query.asks_for_numbers() {
        true => control.clone().with_threads(1),
        false => control.clone(),
    };
    let mut collector = Collector {
        report: Report::default(),
        each,
        again,
    };
    let keep = options.keep;
    let ended = pipeline::run(
        source,
        control,
        || {
            let mut evaluator = Evaluator::new(query, plies);
            let mut game = Game::default();
            let base = &base;
            move |block: &mut dyn Block| {
                let mut part = Part {
                    first: block.first(),
                    ..Part::default()
                };
                let base_now = if part.first.is_some() {
                    0
                } else {
                    base.load(Ordering::Relaxed)
                };
                // A block that can go back reads no more of a game than is needed, and a hit again for what is kept.
                let repeatable = block.is_repeatable();
                let first = gate.filter(|_| repeatable).unwrap_or(want);
                let watch = Watch::start(options.timed);
                while block.next(first, &mut game)? {
                    part.games += 1;
                    let number = game.origin.number;
                    evaluator.begin();
                    let mut read = first;
                    if first != want {
                        evaluator.ask_tags(&game, base_now + number);
                        let settled = match evaluator.verdict() {
                            Some(verdict) => !verdict || !plies,
                            None => false,
                        };
                        if !settled {
                            block.again(want, &mut game)?;
                            read = want;
                        }
                    }
                    if is_damaged(&game) {
                        part.damaged(&game);
                    }
                    let Some(hit) = evaluator.resume(&game, base_now + number) else {
                        continue;
                    };
                    part.hits += 1;
                    if counting {
                        continue;
                    }
                    let kept = match keep {
                        Some(keep) => read.covers(keep) || block.again(keep, &mut game)?,
                        None => false,
                    };
                    part.found.push(Found {
                        hit: Hit { number, ..hit },
                        game: kept.then(|| Box::new(game.clone())),
                    });
                }
                watch.stop(&mut part.ways.read, part.games);
                base.fetch_add(part.games, Ordering::Relaxed);
                Ok(part)
            }
        },
        |part| collector.take(part),
    )?;
    collector.report.ended = ended;
    Ok(collector.report)
}

/// What is known before any game is looked at.
struct Known<'k, 'j> {
    judge: &'k Judge<'j>,
    /// The only games that are asked.
    candidates: Option<Candidates>,
    /// The number of all games.
    games: u64,
}

/// Ranges of games as blocks: of their numbers, or of their places among the candidates.
struct Batches {
    next: u64,
    end: u64,
    size: u64,
}

/// Games from one number or place on.
struct Batch(u64);

impl Source<'static> for Batches {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block>>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let first = self.next;
        self.next = first.saturating_add(self.size).min(self.end);
        Ok(Some(Box::new(Batch(first))))
    }
}

impl Block for Batch {
    fn next(&mut self, _: Want, _: &mut Game) -> Result<bool> {
        Ok(false)
    }

    fn first(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// The games that are open, or hits that are more than counted: of candidates, or of all games.
fn choose(
    judge: &Judge<'_>,
    among: Option<Candidates>,
    games: u64,
    counting: bool,
    control: &Control,
) -> Result<(Candidates, Ended)> {
    let choose = |answers: &mut Answers, chosen: &mut Candidates, number: u64| match judge
        .ask(number, answers)
    {
        Told::NoGame => {}
        Told::Open { .. } => chosen.games.push(number),
        Told::Settled(false) => {}
        Told::Settled(true) if counting => chosen.sure += 1,
        Told::Settled(true) => chosen.games.push(number),
    };
    let mut chosen = Candidates::default();
    if let Some(among) = among {
        let mut answers = Answers::default();
        chosen.sure = among.sure;
        for number in among.games {
            choose(&mut answers, &mut chosen, number);
        }
        return Ok((chosen, control.ended()));
    }
    let mut batches = Batches {
        next: 1,
        end: games.saturating_add(1),
        size: RUN,
    };
    let control = &match games <= RUN {
        true => control.clone().with_threads(1),
        false => control.clone(),
    };
    control.expect_more(Some(games));
    let ended = pipeline::run(
        &mut batches,
        control,
        || {
            let mut answers = Answers::default();
            move |block: &mut dyn Block| {
                let first = block.first().unwrap_or(u64::MAX);
                let last = first.saturating_add(RUN - 1).min(games);
                let mut chosen = Candidates::default();
                for number in first..=last {
                    choose(&mut answers, &mut chosen, number);
                }
                Ok(chosen)
            }
        },
        |part| {
            chosen.sure += part.sure;
            chosen.games.extend(part.games);
            Ok(true)
        },
    )?;
    Ok((chosen, ended))
}

/// One thread's search in an index.
struct Searcher<'q, 'd, 'j> {
    database: &'d dyn Database,
    judge: &'d Judge<'j>,
    query: &'q Query,
    options: Options,
    runner: Option<Runner<'q, 'd>>,
    evaluator: Evaluator<'q>,
    answers: Answers,
    game: Game,
    /// The terms that deltas cannot answer.
    full: Vec<usize>,
    /// What of a game is read before its moves, where those are not walked.
    gate: Option<Want>,
    plies: bool,
    counting: bool,
}

fn indexed(
    database: &dyn Database,
    known: &Known<'_, '_>,
    positions: Option<&dyn Positions>,
    query: &Query,
    options: Options,
    control: &Control,
    each: Option<Each<'_>>,
) -> Result<Report> {
    let plies = options.plies && query.walks();
    let counting = each.is_none();
    let full: Vec<usize> = query
        .terms
        .iter()
        .enumerate()
        .filter(|(_, term)| matches!(term, Term::Walk(walk) if !is_compact(walk)))
        .map(|(index, _)| index)
        .collect();
    let mut collector = Collector {
        report: Report::default(),
        each,
        again: None,
    };
    let (mut batches, jobs) = match &known.candidates {
        None => {
            let end = known.games.saturating_add(1);
            let size = BATCH;
            (Batches { next: 1, end, size }, control.threads())
        }
        Some(candidates) => {
            collector.report.hits = candidates.sure;
            let count = candidates.games.len();
            let (jobs, size) = match count {
                0..=FEW => (1, count),
                _ => (control.threads(), CHOSEN_BATCH),
            };
            let (end, size) = (count as u64, size as u64);
            (Batches { next: 0, end, size }, jobs)
        }
    };
    let size = batches.size;
    let control = &control.clone().with_threads(jobs);
    control.expect_more(Some(batches.end - batches.next));
    let ended = pipeline::run(
        &mut batches,
        control,
        || {
            let runner = positions
                .filter(|_| query.walks())
                .map(|positions| Runner::new(query, positions, plies));
            let gate = options.gate && runner.is_none();
            let mut searcher = Searcher {
                database,
                judge: known.judge,
                query,
                options,
                runner,
                evaluator: Evaluator::new(query, plies),
                answers: Answers::default(),
                game: Game::default(),
                full: full.clone(),
                gate: gate.then(|| query.gate()).flatten(),
                plies,
                counting,
            };
            move |block: &mut dyn Block| {
                let first = block.first().unwrap_or(u64::MAX);
                let mut part = Part {
                    // Games have their numbers already.
                    first: Some(first),
                    ..Part::default()
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
                Ok(part)
            }
        },
        |part| collector.take(part),
    )?;
    collector.report.ended = ended;
    Ok(collector.report)
}

impl Searcher<'_, '_, '_> {
    fn ask(&mut self, number: u64, part: &mut Part) -> Result<()> {
        let watch = Watch::start(self.options.timed);
        let told = self.judge.ask(number, &mut self.answers);
        watch.stop(
            &mut part.ways.facts,
            u64::from(matches!(told, Told::Settled(_))),
        );
        let promotions = match told {
            Told::NoGame => return Ok(()),
            Told::Settled(answer) => return self.settle(number, answer, part),
            Told::Open { promotions } => promotions,
        };
        let compact = self
            .full
            .iter()
            .all(|term| self.answers.known[*term].is_some());
        let mut damaged = false;
        if let (Some(runner), true) = (&mut self.runner, compact) {
            let watch = Watch::start(self.options.timed);
            let walked = runner.run(number, promotions, &mut self.answers)?;
            let is_settled = self.judge.settled(&self.answers).is_some();
            watch.stop(&mut part.ways.walked, u64::from(is_settled));
            damaged = walked == Walked::Damaged;
            if damaged {
                // Only ordinary reading can say what is wrong.
                self.database
                    .read(number, Needs::Variations.want(), &mut self.game)?;
                part.damaged(&self.game);
            }
            if walked != Walked::Unreadable
                && let Some(answer) = self.judge.settled(&self.answers)
            {
                return self.settle(number, answer, part);
            }
        }
        let watch = Watch::start(self.options.timed);
        let outcome = self.read(number, damaged, part);
        watch.stop(&mut part.ways.read, 1);
        outcome
    }

    /// Reads a game and asks it what is open.
    fn read(&mut self, number: u64, damaged: bool, part: &mut Part) -> Result<()> {
        let needs = self.query.needs(&self.answers.known);
        let needs = if self.plies {
            needs.max(Needs::MainLine)
        } else {
            needs
        };
        let answers = self.evaluator.answers();
        answers.known.clone_from(&self.answers.known);
        answers.plies.clone_from(&self.answers.plies);
        if let Some(gate) = self.gate
            && needs > Needs::Tags
            && self.query.asks_tags(&self.answers.known)
        {
            self.database.read(number, gate, &mut self.game)?;
            self.evaluator.ask_tags(&self.game, number);
            let settled = match self.evaluator.verdict() {
                Some(answer) => !answer || !self.plies,
                None => false,
            };
            if settled {
                if is_damaged(&self.game) {
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

    fn settle(&mut self, number: u64, answer: bool, part: &mut Part) -> Result<()> {
        let hit = answer.then(|| Hit {
            number,
            ply: self
                .plies
                .then(|| self.query.ply(&self.answers.known, &self.answers.plies))
                .flatten(),
        });
        self.found(hit, part)
    }

    fn found(&mut self, hit: Option<Hit>, part: &mut Part) -> Result<()> {
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
        part.found.push(Found { hit, game });
        Ok(())
    }
}
