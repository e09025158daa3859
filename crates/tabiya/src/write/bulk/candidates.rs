//! Reads a base on all threads and collects for each game what the selection needs, in the order of the games.

use std::sync::atomic::{AtomicU64, Ordering};

use tabiya_model::pipeline;
use tabiya_model::{Block, Control, Diagnostics, Error, Game, GameNeeds, Losses, Result, Severity};
use tabiya_query::QueryEvaluator;

use super::ConvertPlan;
use super::split::{SplitKey, SplitLabeller};
use crate::error_codes;
use crate::open::base::Base;
use crate::select::game_order::{GameRank, GameRanker};

/// A game on its way to its fate.
pub(super) struct ConvertCandidate {
    /// Its number in its base.
    pub(super) number: u64,
    /// Whether the query holds for it.
    pub(super) fits: bool,
    /// What duplicates have in common.
    pub(super) key: u128,
    /// Where it stands in the order that is asked for.
    pub(super) rank: Option<GameRank>,
    /// The files that it goes into.
    pub(super) labels: Vec<String>,
    /// What is written of it, where it is written at once.
    pub(super) games: Vec<Game>,
    /// What has gone as asked for.
    pub(super) told: Losses,
}

/// What is to be known of the games.
#[derive(Copy, Clone)]
pub(super) struct CandidateRequest<'w> {
    pub(super) bulk: &'w ConvertPlan,
    /// Games that do not fit are wanted too.
    pub(super) misfits: bool,
    /// Games are reshaped and come along.
    pub(super) games: bool,
    /// The place of the base among the others.
    pub(super) base: usize,
    pub(super) ranking: Option<&'w GameRanker>,
    pub(super) split: Option<&'w SplitKey>,
}

/// What was read of a base.
#[derive(Default)]
pub(super) struct ReadCounts {
    pub(super) games: u64,
    pub(super) skipped: u64,
    pub(super) damaged: u64,
    pub(super) diagnostics: Diagnostics,
    pub(super) gone: Losses,
}

#[derive(Default)]
struct CandidateBlock {
    first: Option<u64>,
    tally: ReadCounts,
    found: Vec<ConvertCandidate>,
}

/// Calls `each` with every candidate of a base, in order, until it answers false.
pub(super) fn read(
    base: &Base,
    wish: CandidateRequest<'_>,
    control: &Control,
    tally: &mut ReadCounts,
    mut each: impl FnMut(ConvertCandidate) -> Result<bool>,
) -> Result<()> {
    let choose = &wish.bulk.choose;
    let mut source = base.source(control)?;
    // Blocks that do not know their numbers are asked one after the other where the number matters.
    let query = choose.games.query.as_deref();
    let counts = query.is_some_and(|query| query.asks_for_numbers());
    let threads = match counts {
        true => control.clone().with_threads(1),
        false => control.clone(),
    };
    let before = AtomicU64::new(0);
    let make = || {
        let mut worker = CandidateReader::new(wish, control);
        let before = &before;
        move |block: &mut dyn Block| worker.block(block, before)
    };
    pipeline::run(&mut *source, &threads, make, |mut part: CandidateBlock| {
        let ahead = match part.first {
            Some(_) => 0,
            None => tally.games,
        };
        tally.add(&mut part, ahead);
        before.store(tally.games, Ordering::Relaxed);
        for mut candidate in part.found {
            candidate.renumber(ahead, wish.base);
            if !each(candidate)? {
                return Ok(false);
            }
        }
        Ok(!control.is_stopped())
    })?;
    tally.diagnostics.append(&source.diagnostics());
    tally.gone.append(&mut source.missing());
    Ok(())
}

impl ReadCounts {
    fn add(&mut self, part: &mut CandidateBlock, ahead: u64) {
        for found in part.tally.diagnostics.iter_mut() {
            if let Some(game) = &mut found.place.game {
                *game += ahead;
            }
        }
        self.games += part.tally.games;
        self.skipped += part.tally.skipped;
        self.damaged += part.tally.damaged;
        self.diagnostics.append(&part.tally.diagnostics);
    }
}

impl ConvertCandidate {
    /// Adds what came before to numbers that count from the block's start.
    fn renumber(&mut self, ahead: u64, base: usize) {
        if ahead == 0 {
            return;
        }
        self.number += ahead;
        if let Some(rank) = &mut self.rank {
            rank.place = (base, self.number);
        }
        for game in &mut self.games {
            pipeline::renumber(game, ahead);
        }
        for loss in self.told.iter_mut() {
            loss.game += ahead;
        }
    }
}

/// Reads the blocks of one thread.
struct CandidateReader<'w> {
    wish: CandidateRequest<'w>,
    evaluator: Option<QueryEvaluator<'w>>,
    reshaper: crate::write::bulk::reshape::GameReshaper<'w>,
    labeller: Option<SplitLabeller<'w>>,
    game: Game,
}

impl<'w> CandidateReader<'w> {
    fn new(wish: CandidateRequest<'w>, control: &Control) -> CandidateReader<'w> {
        let needs_ply = wish.ranking.is_some() || wish.bulk.positions.is_some();
        let query = wish.bulk.choose.games.query.as_deref();
        CandidateReader {
            wish,
            evaluator: query.map(|query| QueryEvaluator::new(query, needs_ply).under(control)),
            reshaper: wish.bulk.reshape.worker(),
            labeller: wish.split.map(SplitLabeller::new),
            game: Game::default(),
        }
    }

    fn block(&mut self, block: &mut dyn Block, before: &AtomicU64) -> Result<CandidateBlock> {
        let mut part = CandidateBlock {
            first: block.first(),
            ..CandidateBlock::default()
        };
        let ahead = match part.first {
            Some(_) => 0,
            None => before.load(Ordering::Relaxed),
        };
        while block.next(GameNeeds::ALL, &mut self.game)? {
            let game = &mut self.game;
            part.tally.games += 1;
            if !game.diagnostics.is_empty() {
                let is_damaged = game.diagnostics.at_least(Severity::Damage) > 0;
                part.tally.damaged += u64::from(is_damaged);
                part.tally.diagnostics.append(&game.diagnostics);
            }
            if !self.wish.bulk.choose.games.takes(game) {
                part.tally.skipped += 1;
                continue;
            }
            if let Some(candidate) = self.candidate(ahead)? {
                part.found.push(candidate);
            }
        }
        Ok(part)
    }

    /// What is to be known of the game that was read.
    fn candidate(&mut self, ahead: u64) -> Result<Option<ConvertCandidate>> {
        let wish = self.wish;
        let game = &mut self.game;
        let number = game.origin.number;
        let hit = match &mut self.evaluator {
            Some(evaluator) => evaluator.hit(game, ahead + number),
            None => Some(tabiya_query::QueryMatch { number, ply: None }),
        };
        if hit.is_none() && !wish.misfits {
            return Ok(None);
        }
        let rank = match (wish.ranking, hit) {
            (Some(ranking), Some(hit)) => Some(ranking.rank(wish.base, &hit, game)),
            _ => None,
        };
        let mut candidate = ConvertCandidate {
            number,
            fits: hit.is_some(),
            key: wish.bulk.choose.unique.map_or(0, |same| same.key(game)),
            rank,
            labels: match &mut self.labeller {
                Some(labeller) => labeller.labels(game),
                None => Vec::new(),
            },
            games: Vec::new(),
            told: Losses::default(),
        };
        if wish.games {
            let found = hit.and_then(|hit| hit.ply);
            candidate.games = games_to_write(
                std::mem::take(game),
                found,
                wish.bulk,
                &mut self.reshaper,
                &mut candidate.told,
            );
        }
        Ok(Some(candidate))
    }
}

/// What is written of a game.
pub(super) fn games_to_write(
    mut game: Game,
    found: Option<u32>,
    bulk: &ConvertPlan,
    reshaper: &mut crate::write::bulk::reshape::GameReshaper<'_>,
    told: &mut Losses,
) -> Vec<Game> {
    match &bulk.positions {
        Some(positions) => positions.of(&game, found),
        None => {
            reshaper.make(&mut game, told);
            vec![game]
        }
    }
}

/// The base itself where games can be had by their numbers, else one with its games that can.
pub(super) fn by_number(base: &Base, control: &Control) -> Result<Base> {
    if base.database().is_some() {
        // Where the games stand is learned from the index, if there is one.
        let _ = base.finds_games();
        return Ok(base.clone());
    }
    let folder = std::sync::Arc::new(crate::open::archive::UnpackedArchive::new()?);
    let target = crate::write::target::Target::new(
        folder.path().join("games.pgn"),
        Some(&tabiya_formats::pgn::FORMAT),
        tabiya_formats::format::WriteOptions::default(),
    )?;
    let options = crate::write::convert::ConvertOptions::default();
    let bases = std::slice::from_ref(base);
    crate::write::convert::convert(bases, &target, &options, control)?;
    let opened = crate::open::opener::Opener::default().open(&target.path)?;
    let spooled = opened.into_iter().next().ok_or_else(|| {
        Error::new(&error_codes::NOTHING_FOUND, "no games were read")
            .in_file(base.name().to_owned())
    })?;
    Ok(spooled.unpacked(
        base.name().to_owned(),
        target.path,
        &folder,
        Diagnostics::default(),
    ))
}
