//! Searches games by reading all of them, in order.

use std::sync::atomic::{AtomicU64, Ordering};

use tabiya_model::pipeline;
use tabiya_model::{Block, Control, Database, Game, Result, Source};

use super::joiner::{QueryPart, QueryPartJoiner, is_damaged};
use super::{MatchCallback, MatchedGame, QueryOptions, QueryReport};
use crate::run::evaluator::{QueryEvaluator, QueryMatch};
use crate::run::profile::Stopwatch;
use crate::terms::fields::ReadDepth;
use crate::terms::query::Query;

/// Reads the games of a source and asks each. A database that the source is of can read hits again.
pub(super) fn read_all(
    source: &mut dyn Source<'_>,
    database: Option<&dyn Database>,
    query: &Query,
    options: QueryOptions,
    control: &Control,
    each: Option<MatchCallback<'_>>,
) -> Result<QueryReport> {
    let unknown = vec![None; query.terms.len()];
    let needed = query.needs(&unknown).want();
    let plies = options.plies && query.has_places();
    // The place of a hit is found by walking, even where its tags decide.
    let needed = if plies {
        needed.union(ReadDepth::MainLine.want())
    } else {
        needed
    };
    let (want, again) = match (options.keep, database) {
        (Some(keep), Some(database)) if !needed.covers(keep) => (needed, Some((database, keep))),
        (Some(keep), None) => (needed.union(keep), None),
        _ => (needed, None),
    };
    let gate = options.shortcuts.gate.then(|| query.gate()).flatten();
    let counting = each.is_none();
    // Blocks that do not know their numbers are asked one after the other where the number matters.
    let base = AtomicU64::new(0);
    let control = &match query.asks_for_numbers() {
        true => control.clone().with_threads(1),
        false => control.clone(),
    };
    let mut joiner = QueryPartJoiner {
        report: QueryReport::default(),
        each,
        again,
    };
    let keep = options.keep;
    let ended = pipeline::run(
        source,
        control,
        || {
            let mut evaluator = QueryEvaluator::new(query, plies).under(control);
            let mut game = Game::default();
            let base = &base;
            move |block: &mut dyn Block| {
                let mut part = QueryPart {
                    first: block.first(),
                    ..QueryPart::default()
                };
                let base_now = if part.first.is_some() {
                    0
                } else {
                    base.load(Ordering::Relaxed)
                };
                // A block that can go back reads no more of a game than is needed, and a hit again for what is kept.
                let repeatable = block.is_repeatable();
                let first = gate.filter(|_| repeatable).unwrap_or(want);
                let watch = Stopwatch::start(options.timed);
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
                    part.found.push(MatchedGame {
                        hit: QueryMatch { number, ..hit },
                        game: kept.then(|| Box::new(game.clone())),
                    });
                }
                watch.stop(&mut part.ways.read, part.games);
                base.fetch_add(part.games, Ordering::Relaxed);
                Ok(part)
            }
        },
        |part| joiner.take(part),
    )?;
    joiner.report.ended = ended;
    Ok(joiner.report)
}
