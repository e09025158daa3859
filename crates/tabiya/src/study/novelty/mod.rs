//! Where games leave the games that were played before them.
//!
//! A position is known to a game if a reference game of an earlier date has reached it, in any move order. The novelty is
//! the move after the last known position before many unknown ones: a game that soon transposes back has not left theory.
//! Two games that meet again in the ending do not make theory.
//!
//! All that matters about a position is its earliest date. So one pass over the reference base answers for many games at
//! once, and a second one counts what was played where they left it. If there are very many games, a pass before them finds
//! the positions that matter.

mod batch;
mod positions;
mod reached_positions;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tabiya_answers::{EarlierMoveAnswer, NoveltyAnswer};
use tabiya_model::{Control, Database, JobCompletion, Result};

use self::batch::NoveltyBatch;
use self::positions::NoveltyLine;
use self::reached_positions::ReachedPositions;
use crate::open::base::Base;
use crate::select::base_view::BaseView;
use crate::select::list::GameListRow;
use crate::select::selection::Selection;

/// From so many games on it is found out first which positions others reached at all.
const MANY: usize = 1 << 15;

/// Where a game leaves the reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoveltyGame {
    /// The game.
    pub game: GameListRow,
    /// The ply that is new, from 1; nothing if the whole game was played before.
    pub ply: Option<u32>,
    /// The new move.
    pub san: String,
    /// The moves played there before, with the number of games, the most frequent first; an empty text means games that
    /// ended there.
    pub before: Vec<(String, u64)>,
}

impl NoveltyGame {
    /// How many games had reached the position before.
    #[must_use]
    pub fn games_before(&self) -> u64 {
        self.before.iter().map(|(_, games)| games).sum()
    }

    /// How many plies were known.
    #[must_use]
    pub fn known(&self) -> u64 {
        match self.ply {
            Some(ply) => u64::from(ply) - 1,
            None => self.game.plies.unwrap_or(0),
        }
    }

    /// The novelty for programs.
    #[must_use]
    pub fn answer(&self, base: &str) -> NoveltyAnswer {
        let before = self.before.iter().map(|(san, games)| EarlierMoveAnswer {
            san: (!san.is_empty()).then(|| san.clone()),
            games: *games,
        });
        NoveltyAnswer {
            game: self.game.base_answer(base),
            ply: self.ply,
            san: self.ply.map(|_| self.san.clone()),
            known: self.known(),
            games: self.games_before(),
            before: before.collect(),
        }
    }
}

/// The games that were compared.
#[derive(Clone, Debug, Default)]
pub struct NoveltyReport {
    /// Games that were compared.
    pub games: u64,
    /// Games without a year, which cannot be compared.
    pub undated: u64,
    /// Games that follow an earlier game to the end, if [`deepest`] left them out.
    pub repeated: u64,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether all games were read.
    pub ended: JobCompletion,
}

/// Takes a game with the index of its base; returns whether to go on.
pub type NoveltyCallback<'e> = dyn FnMut(usize, NoveltyGame) -> Result<ControlFlow<()>> + 'e;

/// Finds where games leave reference bases.
///
/// # Errors
///
/// If games cannot be read, and if a base can be read only once.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/annotated.pgn");
/// # let reference = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// use std::ops::ControlFlow;
/// use tabiya::model::Control;
/// use tabiya::Selection;
/// use tabiya::novelty::novelties;
///
/// let (games, before) = (Selection::of(tabiya::open(path)?), Selection::of(tabiya::open(reference)?));
/// let mut found = Vec::new();
/// novelties(&games, &before, &Control::default(), &mut |_, novelty| {
///     found.push(novelty);
///     Ok(ControlFlow::Continue(()))
/// })?;
/// assert_eq!((found[0].ply, &*found[0].san), (Some(4), "Nc6"));
/// assert_eq!(found[0].before, [("d6".to_owned(), 1)]);
/// # Ok(())
/// # }
/// ```
pub fn novelties(
    games: &Selection,
    reference: &Selection,
    control: &Control,
    each: &mut NoveltyCallback<'_>,
) -> Result<NoveltyReport> {
    let mut report = NoveltyReport::default();
    let known = known(reference, control, &mut report.notes)?;
    let compared = NoveltyComparison::of(games, reference, &known, control);
    let ended = compared.batches(&mut |at, job, numbers, lines| {
        let mut more = ControlFlow::Continue(());
        let ended = job.run(numbers, lines, &mut report, &mut |novelty| {
            more = each(at, novelty)?;
            Ok(more)
        })?;
        Ok((more, ended))
    })?;
    report.ended = ended;
    Ok(report)
}

/// Finds the games that followed reference bases longest before they left them, the longest first, each with the index of
/// its base. Of equals, the first comes first. Games that follow an earlier game to the end are left out, and counted.
///
/// # Errors
///
/// If games cannot be read, and if a base can be read only once.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/annotated.pgn");
/// # let reference = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// use tabiya::model::Control;
/// use tabiya::Selection;
/// use tabiya::novelty::deepest;
///
/// let (games, before) = (Selection::of(tabiya::open(path)?), Selection::of(tabiya::open(reference)?));
/// let (found, _) = deepest(&games, &before, 10, &Control::default())?;
/// let (_, longest) = &found[0];
/// assert_eq!((longest.game.number, longest.known()), (1, 3));
/// # Ok(())
/// # }
/// ```
pub fn deepest(
    games: &Selection,
    reference: &Selection,
    most: usize,
    control: &Control,
) -> Result<(Vec<(usize, NoveltyGame)>, NoveltyReport)> {
    let mut report = NoveltyReport::default();
    let known = known(reference, control, &mut report.notes)?;
    // How far each went, where it stands, and its number.
    let mut best: Vec<(usize, usize, u64)> = Vec::new();
    let compared = NoveltyComparison::of(games, reference, &known, control);
    let ended = compared.batches(&mut |at, job, numbers, lines| {
        let Some(earliest) = job.compare(lines, &mut report)? else {
            return Ok((ControlFlow::Break(()), control.completion()));
        };
        for (line, number) in lines.iter().zip(numbers) {
            let Some(known) = earliest.last_known(line) else {
                continue;
            };
            if known + 1 == line.positions {
                report.repeated += 1;
                continue;
            }
            let place = best.partition_point(|(other, ..)| *other >= known);
            if place < most {
                best.insert(place, (known, at, *number));
                best.truncate(most);
            }
        }
        Ok((ControlFlow::Continue(()), JobCompletion::Whole))
    })?;
    report.ended = ended;
    // What was played before is asked for those alone that are shown.
    let mut found: BTreeMap<(usize, u64), NoveltyGame> = BTreeMap::new();
    for (at, base) in games.bases.iter().enumerate() {
        let of_base = best.iter().filter(|(_, base, _)| *base == at);
        let mut numbers: Vec<u64> = of_base.map(|(.., number)| *number).collect();
        numbers.sort_unstable();
        if numbers.is_empty() || !report.ended.is_whole() {
            continue;
        }
        let all = Selection {
            index: games.index,
            ..Selection::default()
        };
        let view = BaseView::of_file(&all, base, control, &mut Vec::new())?;
        let job = NoveltyBatch {
            database: view.database(),
            known: &known,
            reached: None,
            control,
        };
        let mut rest = &numbers[..];
        while !rest.is_empty() && report.ended.is_whole() {
            let Some(lines) = job.lines(rest)? else {
                report.ended = control.completion();
                break;
            };
            let (some, more) = rest.split_at(lines.len().clamp(1, rest.len()));
            rest = more;
            report.ended = job.run(
                some,
                &lines,
                &mut NoveltyReport::default(),
                &mut |novelty| {
                    found.insert((at, novelty.game.number), novelty);
                    Ok(ControlFlow::Continue(()))
                },
            )?;
        }
    }
    let best = best.into_iter();
    let told = best.filter_map(|(_, at, number)| Some((at, found.remove(&(at, number))?)));
    Ok((told.collect(), report))
}

fn known<'b>(
    reference: &'b Selection,
    control: &Control,
    notes: &mut Vec<String>,
) -> Result<Vec<BaseView<'b>>> {
    let bases = reference.bases.iter();
    bases
        .map(|base| BaseView::of_file(reference, base, control, notes))
        .collect()
}

/// Takes the place of a base, and the numbers and positions of some of its games; answers whether to go on, and whether it was told
/// to stop.
type NoveltyBatchCallback<'e> = dyn FnMut(
        usize,
        &NoveltyBatch<'_>,
        &[u64],
        &[NoveltyLine],
    ) -> Result<(ControlFlow<()>, JobCompletion)>
    + 'e;

/// Games that are compared with a reference.
struct NoveltyComparison<'c> {
    games: &'c Selection,
    known: &'c [BaseView<'c>],
    /// Whether each of the games stands in the reference as well.
    is_within: bool,
    control: &'c Control,
}

impl<'c> NoveltyComparison<'c> {
    fn of(
        games: &'c Selection,
        reference: &Selection,
        known: &'c [BaseView<'c>],
        control: &'c Control,
    ) -> NoveltyComparison<'c> {
        let is_there = |base: &Base| {
            let mut others = reference.bases.iter();
            others.any(|other| (other.path(), other.name()) == (base.path(), base.name()))
        };
        NoveltyComparison {
            games,
            known,
            is_within: reference.is_all() && games.bases.iter().all(is_there),
            control,
        }
    }

    /// Goes through the games that are looked at, so many at once.
    fn batches(&self, each: &mut NoveltyBatchCallback<'_>) -> Result<JobCompletion> {
        let mut reached = None;
        for (at, base) in self.games.bases.iter().enumerate() {
            let view = BaseView::of_file(self.games, base, self.control, &mut Vec::new())?;
            let numbers = match view.listed() {
                Some(numbers) => numbers.to_vec(),
                None => (1..=view.database().len()?).collect(),
            };
            if numbers.len() > MANY && reached.is_none() {
                reached = self.reached(view.database())?;
            }
            let job = NoveltyBatch {
                database: view.database(),
                known: self.known,
                reached: reached.as_ref(),
                control: self.control,
            };
            let mut rest = &numbers[..];
            while !rest.is_empty() {
                if self.control.is_stopped() {
                    return Ok(self.control.completion());
                }
                let Some(lines) = job.lines(rest)? else {
                    return Ok(self.control.completion());
                };
                let (some, more) = rest.split_at(lines.len().clamp(1, rest.len()));
                rest = more;
                let (more, ended) = each(at, &job, some, &lines)?;
                if !ended.is_whole() || more.is_break() {
                    return Ok(ended);
                }
            }
        }
        Ok(self.control.completion())
    }

    /// The positions that others may have reached; nothing where it was told to stop.
    fn reached(&self, database: &dyn Database) -> Result<Option<ReachedPositions>> {
        let mut games = 0;
        for view in self.known {
            games += view.count()?;
        }
        let reached = ReachedPositions::new(games, self.is_within);
        let job = NoveltyBatch {
            database,
            known: self.known,
            reached: None,
            control: self.control,
        };
        let ended = job.over_known(&reached, &mut ())?;
        Ok(ended.is_whole().then_some(reached))
    }
}
