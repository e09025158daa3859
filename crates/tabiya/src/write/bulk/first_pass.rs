//! The places of games that are written once all of them are known, and how they are read again.

use tabiya_model::{Control, DatabaseMetadata, Error, GameNeeds, Losses, Result};
use tabiya_query::QueryEvaluator;

use super::ConvertPlan;
use super::TargetConversion;
use super::candidates::games_to_write;
use super::positions::{PositionExport, PositionSelection};
use super::selection::{ConvertSelection, PickDecision};
use super::split::SplitPartId;
use crate::error_codes;
use crate::open::base::Base;
use crate::select::game_order::GameRank;
use crate::select::sample::Sampler;
use crate::write::report::SourceReport;

/// A game that may be taken. There may be very many of them.
pub(super) struct CandidatePlace {
    pub(super) base: u32,
    pub(super) number: u64,
    pub(super) rank: Option<Box<GameRank>>,
    /// The files that it goes into: those of its two players at most.
    pub(super) parts: [Option<SplitPartId>; 2],
}

const _: () = assert!(size_of::<CandidatePlace>() <= 32);

/// What has become of the games in the first pass.
#[derive(Default)]
pub(super) struct FirstPassResult {
    pub(super) read: u64,
    pub(super) chosen: Vec<CandidatePlace>,
    pub(super) rest: Vec<CandidatePlace>,
    pub(super) doubles: Vec<CandidatePlace>,
}

impl FirstPassResult {
    /// Leaves those that are taken, in their order.
    pub(super) fn choose(&mut self, choose: &ConvertSelection) {
        if choose.sort.is_some() {
            self.chosen.sort_by(|a, b| a.rank.cmp(&b.rank));
        }
        let mut picker = choose.picker();
        let mut taken = Vec::new();
        for place in std::mem::take(&mut self.chosen) {
            match picker.next() {
                PickDecision::Yes => taken.push(place),
                PickDecision::No | PickDecision::End => self.rest.push(place),
            }
        }
        if let Some(last) = choose.last {
            let last = usize::try_from(last).unwrap_or(usize::MAX);
            self.rest
                .extend(taken.drain(..taken.len().saturating_sub(last)));
        }
        if let Some((wanted, seed)) = choose.sample {
            let mut sampler = Sampler::new(wanted, seed);
            self.rest
                .extend(taken.drain(..).filter_map(|place| sampler.take(place)));
            taken = sampler.into_sample();
        }
        self.chosen = taken;
        self.rest.sort_by_key(|place| (place.base, place.number));
    }
}

/// Reads games again and writes them.
pub(super) fn write(
    outlet: &mut TargetConversion<'_>,
    bases: &[Base],
    places: &[CandidatePlace],
    bulk: &ConvertPlan,
    control: &Control,
) -> Result<()> {
    let is_mixed = bases.len() > 1 && !places.is_sorted_by_key(|place| place.base);
    let runs: Vec<(&[Base], &[CandidatePlace])> = match is_mixed {
        true => vec![(bases, places)],
        false => bases
            .iter()
            .zip(0_u32..)
            .map(|(base, at)| {
                let start = places.partition_point(|place| place.base < at);
                let end = places.partition_point(|place| place.base <= at);
                (
                    std::slice::from_ref(base),
                    places.get(start..end).unwrap_or_default(),
                )
            })
            .collect(),
    };
    let target = outlet.writing.target();
    for (run, places) in runs {
        let abouts: Vec<DatabaseMetadata> = run.iter().map(Base::about).collect::<Result<_>>()?;
        let report = run
            .first()
            .map_or_else(SourceReport::default, |base| target.report(base));
        let mut feed = outlet.writing.feed_mixed(&abouts, report);
        let mut singles = feed.singles(control.threads());
        let mut reshaper = bulk.reshape.worker();
        let mut evaluator = match bulk.positions {
            Some(PositionExport {
                which: PositionSelection::Found,
                ..
            }) => bulk
                .choose
                .games
                .query
                .as_deref()
                .map(|query| QueryEvaluator::new(query, true).under(control)),
            _ => None,
        };
        for place in places {
            if control.is_stopped() {
                break;
            }
            let base = bases
                .get(place.base as usize)
                .ok_or_else(|| Error::new(&error_codes::INTERNAL, "there is no such database"))?;
            let game = base.read(place.number, GameNeeds::ALL)?;
            let hit = evaluator
                .as_mut()
                .and_then(|it| it.hit(&game, place.number));
            let mut told = Losses::default();
            for game in games_to_write(
                game,
                hit.and_then(|hit| hit.ply),
                bulk,
                &mut reshaper,
                &mut told,
            ) {
                singles.put(game)?;
            }
            singles.lose(&told);
        }
        singles.finish()?;
        outlet.conversion.sources.push(feed.into_parts().0);
    }
    Ok(())
}
