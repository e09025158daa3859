//! Many games from bases to targets: which of them are taken, how each is changed, and where it goes.
//!
//! A game is selected ([`ConvertSelection`]), reshaped ([`ReshapeOptions`]), and written. If each game can be judged alone,
//! all of that happens on all threads while the sources are read. If the order matters, games are judged in order, between
//! reading and writing. Only if all must be known before the first is written (sorting, the last ones, a sample,
//! splitting), one pass selects them and a second one reads them again; sources that can be read only once are copied to a
//! temporary file for it.

mod append_target;
mod candidates;
mod computed_tags;
mod computed_times;
mod duplicates;
mod file_names;
mod first_pass;
pub mod losses;
mod ply_limits;
mod position_comments;
mod positions;
mod reshape;
mod selection;
mod split;
mod tags;

pub use append_target::AppendTarget;
pub use computed_tags::ComputedTag;
pub use computed_times::ComputedTimes;
pub use duplicates::DuplicateCriterion;
pub use file_names::UniqueFileNames;
pub use ply_limits::PlyLimits;
pub use position_comments::{CommentContent, CommentInterval, PositionComments};
pub use positions::{PositionExport, PositionOperation, PositionSelection};
pub use reshape::ReshapeOptions;
pub use selection::ConvertSelection;
pub use split::SplitKey;
pub(crate) use split::refuse_taken;
pub use tags::{TagChanges, TagRule};

use tabiya_io::output_folder::OutputFolder;
use tabiya_model::{
    Control, DatabaseMetadata, Error, Game, GameNeeds, JobCompletion, Result, Severity, UserHint,
};
use tabiya_query::QueryEvaluator;

use crate::error_codes;
use crate::open::base::Base;
use crate::select::game_order::GameRanker;
use crate::write::convert;
use crate::write::convert::{Conversion, ConvertOptions};
use crate::write::report::SourceReport;
use crate::write::target::{GameTransform, SingleGameCopier, SourceCopier, Target, TargetWriter};
use candidates::{CandidateRequest, ConvertCandidate, ReadCounts, by_number, read};
use duplicates::SeenGames;
use first_pass::{CandidatePlace, FirstPassResult, write};
use selection::PickDecision;
use split::SplitParts;

/// What to do with many games.
#[derive(Clone, Default, Debug)]
pub struct ConvertPlan {
    /// Which of them are taken.
    pub choose: ConvertSelection,
    /// How each is changed.
    pub reshape: ReshapeOptions,
    /// Positions are written instead of games.
    pub positions: Option<PositionExport>,
    /// The target is a folder, with files of games split by this.
    pub split: Option<SplitKey>,
}

/// Where games go.
#[derive(Copy, Clone, Debug)]
pub struct ConvertTargets<'t> {
    /// The games that are taken.
    pub main: &'t Target,
    /// The games that are not.
    pub rest: Option<&'t Target>,
    /// Duplicates; without it they go with the rest.
    pub doubles: Option<&'t Target>,
}

/// The result for the games.
#[derive(Debug, Default)]
pub struct ConvertReport {
    /// Of the games that are taken.
    pub main: Conversion,
    /// Of the games that are not.
    pub rest: Option<Conversion>,
    /// Of duplicates.
    pub doubles: Option<Conversion>,
    /// Games that match, and are duplicates.
    pub double: u64,
    /// Games that were not taken, for any reason.
    pub left_out: u64,
}

impl ConvertPlan {
    fn is_by_game(&self) -> bool {
        self.choose.is_by_game() && self.split.is_none()
    }
}

/// Copies the games that a plan chooses into targets.
///
/// # Errors
///
/// If a target cannot be written, if the only source cannot be read, and if options conflict.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// # let folder = tempfile::tempdir()?;
/// use tabiya::{DeletedGames, Selection, Target};
/// use tabiya::bulk::{ConvertPlan, ConvertSelection, ComputedTag, ReshapeOptions, ConvertTargets, run};
/// use tabiya::model::Control;
///
/// let bulk = ConvertPlan {
///     choose: ConvertSelection {
///         games: Selection { deleted: DeletedGames::LeftOut, ..Selection::of(tabiya::open(path)?) },
///         first: Some(2),
///         ..ConvertSelection::default()
///     },
///     reshape: ReshapeOptions { computed: vec![ComputedTag::PlyCount], ..ReshapeOptions::default() },
///     ..ConvertPlan::default()
/// };
/// let target = Target::new(folder.path().join("two.pgn"), None, Default::default())?;
/// let targets = ConvertTargets { main: &target, rest: None, doubles: None };
/// let done = run(&bulk, targets, &Default::default(), &Control::default())?;
/// assert_eq!((done.main.sources[0].games, done.left_out), (5, 3));
/// # Ok(())
/// # }
/// ```
pub fn run(
    bulk: &ConvertPlan,
    targets: ConvertTargets<'_>,
    options: &ConvertOptions,
    control: &Control,
) -> Result<ConvertReport> {
    bulk.reshape.tags.check()?;
    if !bulk.choose.games.numbers.is_all() {
        let mut asked = bulk.clone();
        asked.choose.games = bulk.choose.games.with_numbers_asked()?;
        return run(&asked, targets, options, control);
    }
    let bases = &bulk.choose.games.bases[..];
    let choose = &bulk.choose;
    let only_one = targets.rest.is_none() && targets.doubles.is_none();
    let counts = choose
        .games
        .query
        .as_ref()
        .is_some_and(|query| query.asks_for_numbers());
    if options.verify && bulk.positions.is_some() {
        return Err(Error::new(
            &error_codes::NOT_VERIFIABLE,
            "positions are not games, and cannot be compared with them",
        )
        .with_hint(UserHint::WithoutVerify));
    }
    if bulk.is_by_game() && only_one && !counts {
        let main = convert::copy(
            bases,
            targets.main,
            options,
            &|| change(bulk, control),
            control,
        )?;
        return Ok(ConvertReport {
            left_out: main.sources.iter().map(|source| source.skipped).sum(),
            main,
            ..ConvertReport::default()
        });
    }
    if options.verify {
        return Err(Error::new(
            &error_codes::NOT_VERIFIABLE,
            "the target cannot be compared with its sources game by game if games \
             are chosen by their places, sorted, split or written as positions",
        )
        .with_hint(UserHint::WithoutVerify));
    }
    let mut work = ConvertRun {
        bulk,
        targets,
        options,
        control,
        seen: SeenGames::default(),
        done: ConvertReport::default(),
    };
    work.learn_known()?;
    if choose.needs_all() || bulk.split.is_some() {
        work.in_two_passes(bases)?;
    } else {
        work.in_order(bases)?;
    }
    Ok(work.done)
}

/// What becomes of a game that is judged alone.
fn change<'b>(bulk: &'b ConvertPlan, control: &Control) -> GameTransform<'b> {
    let positions = bulk.positions.as_ref();
    let query = bulk.choose.games.query.as_deref();
    let mut evaluator =
        query.map(|query| QueryEvaluator::new(query, positions.is_some()).under(control));
    let mut reshaper = bulk.reshape.worker();
    let games = &bulk.choose.games;
    let is_nothing = bulk.reshape.is_nothing();
    let mut position = Game::default();
    Box::new(move |game, told, others| {
        if !games.takes(game) {
            return false;
        }
        let number = game.origin.number;
        let mut found = None;
        if let Some(evaluator) = &mut evaluator {
            let Some(hit) = evaluator.hit(game, number) else {
                return false;
            };
            found = hit.ply;
        }
        if let Some(positions) = positions {
            positions.each(game, found, &mut position, others);
            return false;
        }
        if !is_nothing {
            reshaper.make(game, told);
        }
        true
    })
}

/// What becomes of a candidate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum GameDestination {
    Main,
    Rest,
    Double,
    /// It is not taken, and no later one is.
    End,
}

struct ConvertRun<'w> {
    bulk: &'w ConvertPlan,
    targets: ConvertTargets<'w>,
    options: &'w ConvertOptions,
    control: &'w Control,
    seen: SeenGames,
    done: ConvertReport,
}

/// A target with what has become of it.
struct TargetConversion<'t> {
    writing: TargetWriter<'t>,
    conversion: Conversion,
}

impl<'t> TargetConversion<'t> {
    fn begin(target: &'t Target, bases: &[Base]) -> Result<TargetConversion<'t>> {
        Ok(TargetConversion {
            writing: target.begin(bases)?,
            conversion: Conversion::default(),
        })
    }

    /// Puts the files under their names, unless something has gone wrong.
    fn finish(mut self, ended: JobCompletion) -> Result<Conversion> {
        self.conversion.ended = ended;
        if self.conversion.ended.is_whole() && self.conversion.fault.is_none() {
            self.conversion.summary = Some(self.writing.finish()?);
        }
        Ok(self.conversion)
    }
}

/// Adds what is written of a game.
fn put(singles: &mut SingleGameCopier<'_>, candidate: ConvertCandidate) -> Result<()> {
    if !candidate.told.is_empty() {
        singles.lose(&candidate.told);
    }
    candidate
        .games
        .into_iter()
        .try_for_each(|game| singles.put(game))
}

impl<'w> ConvertRun<'w> {
    /// Learns which games stand in other bases.
    fn learn_known(&mut self) -> Result<()> {
        let Some(same) = self.bulk.choose.unique else {
            return Ok(());
        };
        for base in &self.bulk.choose.known {
            base.for_each(GameNeeds::MAIN_LINE, self.control, |game| {
                self.seen.is_new(same.key(game));
                Ok(std::ops::ControlFlow::Continue(()))
            })?;
        }
        Ok(())
    }

    fn is_double(&mut self, candidate: &ConvertCandidate) -> bool {
        let is_double = self.bulk.choose.unique.is_some() && !self.seen.is_new(candidate.key);
        self.done.double += u64::from(is_double);
        is_double
    }

    /// Takes games in their order while they are read.
    fn in_order(&mut self, bases: &[Base]) -> Result<()> {
        let (targets, control) = (self.targets, self.control);
        let mut main = TargetConversion::begin(targets.main, bases)?;
        let begin = |target: Option<&'w Target>| {
            target
                .map(|it| TargetConversion::begin(it, bases))
                .transpose()
        };
        let (mut rest, mut doubles) = (begin(targets.rest)?, begin(targets.doubles)?);
        let mut picker = self.bulk.choose.picker();
        let only_one = rest.is_none() && doubles.is_none();
        for (at, base) in bases.iter().enumerate() {
            if control.is_stopped() || only_one && picker.is_done() {
                break;
            }
            let about = base.about()?;
            let mut tally = ReadCounts::default();
            let threads = control.threads();
            let mut feed = main.writing.feed(about, targets.main.report(base));
            let mut singles = feed.singles(threads);
            let mut others = [&mut rest, &mut doubles].map(|outlet| {
                let outlet = outlet.as_mut()?;
                let report = outlet.writing.target().report(base);
                Some(outlet.writing.feed(DatabaseMetadata::default(), report))
            });
            let mut other_singles = others
                .each_mut()
                .map(|feed| feed.as_mut().map(|feed| feed.singles(threads)));
            let wish = CandidateRequest {
                bulk: self.bulk,
                misfits: targets.rest.is_some(),
                games: true,
                base: at,
                ranking: None,
                split: None,
            };
            let mut kept = 0;
            let result = read(base, wish, control, &mut tally, |candidate| {
                let fate = if !candidate.fits {
                    GameDestination::Rest
                } else if self.is_double(&candidate) {
                    GameDestination::Double
                } else {
                    match picker.next() {
                        PickDecision::Yes => GameDestination::Main,
                        PickDecision::No => GameDestination::Rest,
                        PickDecision::End => GameDestination::End,
                    }
                };
                let [rest, doubles] = &mut other_singles;
                match fate {
                    GameDestination::Main => {
                        kept += 1;
                        put(&mut singles, candidate)?;
                    }
                    GameDestination::Double if doubles.is_some() => {
                        kept += 1;
                        if let Some(doubles) = doubles {
                            put(doubles, candidate)?;
                        }
                    }
                    GameDestination::Rest | GameDestination::Double | GameDestination::End => {
                        if let Some(rest) = rest {
                            put(rest, candidate)?;
                        }
                    }
                }
                Ok(!(only_one && (fate == GameDestination::End || picker.is_done())))
            });
            singles.finish()?;
            for singles in other_singles.into_iter().flatten() {
                singles.finish()?;
            }
            tally.skipped = tally.games.saturating_sub(kept);
            self.done.left_out += tally.skipped;
            tell(&mut feed, tally);
            main.conversion.sources.push(feed.into_parts().0);
            let reports = others.map(|feed| feed.map(|feed| feed.into_parts().0));
            for (outlet, report) in [&mut rest, &mut doubles].into_iter().zip(reports) {
                if let (Some(outlet), Some(report)) = (outlet, report) {
                    outlet.conversion.sources.push(report);
                }
            }
            if let Err(error) = result {
                convert::note_failure(&mut main.conversion, base, error, bases.len())?;
            }
        }
        self.finish(main, rest, doubles)
    }

    /// Finishes all targets, or none.
    fn finish(
        &mut self,
        mut main: TargetConversion<'_>,
        rest: Option<TargetConversion<'_>>,
        doubles: Option<TargetConversion<'_>>,
    ) -> Result<()> {
        if self.options.strict {
            let outlets = [Some(&main), rest.as_ref(), doubles.as_ref()];
            let fault = outlets
                .into_iter()
                .flatten()
                .find_map(|outlet| fault(&outlet.conversion.sources));
            if fault.is_some() {
                main.conversion.fault = fault;
                self.done.main = main.finish(self.control.completion())?;
                return Ok(());
            }
        }
        // A stop comes before all of them or after all of them.
        let _inside = tabiya_io::interrupt::enter()?;
        let ended = self.control.completion();
        self.done.main = main.finish(ended)?;
        self.done.rest = rest.map(|outlet| outlet.finish(ended)).transpose()?;
        self.done.doubles = doubles.map(|outlet| outlet.finish(ended)).transpose()?;
        Ok(())
    }

    /// Learns first which games are taken, and writes them then.
    fn in_two_passes(&mut self, bases: &[Base]) -> Result<()> {
        let (bulk, targets, control) = (self.bulk, self.targets, self.control);
        if bulk.split.is_some() {
            split::refuse_taken(&targets.main.path)?;
        }
        let choose = &bulk.choose;
        let sort = choose.sort.as_ref();
        let ranking = sort
            .map(|order| GameRanker::new(order, choose.games.query.as_deref()))
            .transpose()?;
        let bases: Vec<Base> = bases
            .iter()
            .map(|base| by_number(base, control))
            .collect::<Result<_>>()?;
        let mut reports = Vec::new();
        let mut places = FirstPassResult::default();
        let mut parts = SplitParts::default();
        for (at, base) in bases.iter().enumerate() {
            let mut tally = ReadCounts::default();
            let wish = CandidateRequest {
                bulk,
                misfits: targets.rest.is_some(),
                games: false,
                base: at,
                ranking: ranking.as_ref(),
                split: bulk.split.as_ref(),
            };
            let result = read(base, wish, control, &mut tally, |candidate| {
                let is_double = candidate.fits && self.is_double(&candidate);
                let mut labels = candidate.labels.iter().map(|label| parts.part(label));
                let place = CandidatePlace {
                    base: u32::try_from(at).unwrap_or(u32::MAX),
                    number: candidate.number,
                    rank: candidate.rank.map(Box::new),
                    parts: [labels.next(), labels.next()],
                };
                match (candidate.fits, is_double) {
                    (true, false) => places.chosen.push(place),
                    (true, true) if targets.doubles.is_some() => places.doubles.push(place),
                    _ => places.rest.push(place),
                }
                Ok(true)
            });
            let mut report = targets.main.report(base);
            places.read += tally.games;
            tally.skipped = 0;
            count(&mut report, &tally);
            report.record_losses(&tally.gone, |loss| targets.main.is_asked_for(loss));
            reports.push(report);
            if let Err(error) = result {
                convert::note_failure(&mut self.done.main, base, error, bases.len())?;
            }
            if control.is_stopped() {
                self.done.main.ended = control.completion();
                return Ok(());
            }
        }
        places.choose(&bulk.choose);
        let taken = places.chosen.len().saturating_add(places.doubles.len()) as u64;
        self.done.left_out = places.read.saturating_sub(taken);
        if let Some(first) = reports.first_mut() {
            first.skipped = self.done.left_out;
        }
        let chosen = std::mem::take(&mut places.chosen);
        let mut main = None;
        if bulk.split.is_none() {
            let mut outlet = TargetConversion::begin(targets.main, &bases)?;
            outlet.conversion.failed = std::mem::take(&mut self.done.main.failed);
            write(&mut outlet, &bases, &chosen, bulk, control)?;
            main = Some(outlet);
        }
        let other = |target: Option<&'w Target>, places: &[CandidatePlace]| {
            let Some(target) = target else {
                return Ok(None);
            };
            let mut outlet = TargetConversion::begin(target, &bases)?;
            write(&mut outlet, &bases, places, bulk, control)?;
            Ok::<_, Error>(Some(outlet))
        };
        let rest = other(targets.rest, &places.rest)?;
        let doubles = other(targets.doubles, &places.doubles)?;
        if let Some(mut main) = main {
            merge(&mut main.conversion.sources, reports);
            return self.finish(main, rest, doubles);
        }
        if let Some(by) = bulk.split {
            let folder = self.split(by, &bases, chosen, parts, reports)?;
            self.finish_split(folder, rest, doubles)?;
        }
        Ok(())
    }

    fn split(
        &mut self,
        by: SplitKey,
        bases: &[Base],
        chosen: Vec<CandidatePlace>,
        mut parts: SplitParts,
        reports: Vec<SourceReport>,
    ) -> Result<Option<OutputFolder>> {
        for (place, index) in chosen.into_iter().zip(0_u64..) {
            if let SplitKey::Number(size) = by {
                let part = parts.part(&format!("{:05}", index / size.max(1) + 1));
                parts.put(part, place.base, place.number);
            }
            for part in place.parts.into_iter().flatten() {
                parts.put(part, place.base, place.number);
            }
        }
        let mut told = SourceReport::default();
        let written = parts.write(bases, self.bulk, self.targets.main, &mut told, self.control)?;
        let main = &mut self.done.main;
        main.sources = reports;
        if let Some(first) = main.sources.first_mut() {
            first.losses.append(&told.losses);
            first.unasked += told.unasked;
        }
        let (summary, folder) = written.unzip();
        main.summary = summary;
        Ok(folder)
    }

    /// Gives the folder its name, and with it the other files theirs, or none of them.
    fn finish_split(
        &mut self,
        folder: Option<OutputFolder>,
        rest: Option<TargetConversion<'_>>,
        doubles: Option<TargetConversion<'_>>,
    ) -> Result<()> {
        // A stop comes before all of them or after all of them.
        let _inside = tabiya_io::interrupt::enter()?;
        let main = &mut self.done.main;
        let Some(folder) = folder.filter(|_| !self.control.is_stopped()) else {
            main.ended = JobCompletion::Stopped;
            main.summary = None;
            return Ok(());
        };
        folder.commit().map_err(std::io::Error::from)?;
        let ended = JobCompletion::Whole;
        main.ended = ended;
        self.done.rest = rest.map(|outlet| outlet.finish(ended)).transpose()?;
        self.done.doubles = doubles.map(|outlet| outlet.finish(ended)).transpose()?;
        Ok(())
    }
}

/// What was read, beside what has become of it in the target.
fn count(report: &mut SourceReport, tally: &ReadCounts) {
    report.games += tally.games;
    report.skipped += tally.skipped;
    report.damaged += tally.damaged;
    report.diagnostics.append(&tally.diagnostics);
}

fn tell(feed: &mut SourceCopier<'_, '_>, tally: ReadCounts) {
    count(&mut feed.report, &tally);
    feed.lose(&tally.gone);
}

/// Adds what was read to what has become of it: source by source, or all where they are mixed.
fn merge(written: &mut Vec<SourceReport>, read: Vec<SourceReport>) {
    let is_mixed = written.len() != read.len();
    let mut merged = read;
    for (at, report) in written.drain(..).enumerate() {
        if let Some(source) = merged.get_mut(if is_mixed { 0 } else { at }) {
            source.losses.append(&report.losses);
            source.unasked += report.unasked;
        }
    }
    *written = merged;
}

/// What is wrong with a copy that has to be whole.
fn fault(sources: &[SourceReport]) -> Option<String> {
    let source = sources.iter().find(|source| !source.is_complete())?;
    let damage = source
        .diagnostics
        .iter()
        .find(|found| found.code.severity == Severity::Damage);
    let lost = || {
        let mut kinds = source
            .losses
            .kinds()
            .filter(|(kind, ..)| !kind.asked_for && !kind.is_layout());
        kinds.next().map(|(kind, ..)| kind.summary.to_owned())
    };
    Some(
        damage
            .map(ToString::to_string)
            .or_else(lost)
            .unwrap_or_else(|| "something was lost".to_owned()),
    )
}
