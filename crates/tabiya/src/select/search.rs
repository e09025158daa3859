//! Finds games in bases: counts them, streams them in order or sorted.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use tabiya_answers::server::QueryFaultAnswer;
use tabiya_explore::IndexedDatabase;
use tabiya_model::positions::PositionLookup;
use tabiya_model::{Control, Diagnostics, Error, Game, GameNeeds, JobCompletion, Result};
use tabiya_query::error::QueryError;
use tabiya_query::profile::SearchProfile;
use tabiya_query::{self as query, MatchedGame, QueryMatch, QueryOptions, SearchShortcuts};

use crate::error_codes;
use crate::open::base::Base;
use crate::open::sidecar;
use crate::select::base_view::{IndexUse, index_note, index_of};
use crate::select::game_order::{GameOrder, GameRank, GameRanker};
use crate::select::sample::Sampler;
use crate::select::selection::Selection;
use crate::select::similar_names;

/// What a search returns, in which order, and how much of it.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Whether hits need the ply at which the query first holds.
    pub plies: bool,
    /// Which parts of each hit's game are returned with it, if any.
    pub keep: Option<GameNeeds>,
    /// The order of the hits; that of the games by default.
    pub sort: Option<GameOrder>,
    /// The maximum number of hits: a page of them, with [`SearchOptions::offset`].
    pub first: Option<u64>,
    /// How many hits are skipped before them.
    pub offset: u64,
    /// How many hits are taken at random before they are sorted, skipped or counted, and the seed.
    pub sample: Option<(u64, u64)>,
    /// Whether the search goes on after a page is full, to find the total number of hits. If they are sorted or sampled, it
    /// is known anyway.
    pub total: bool,
    /// Whether to report how the games were answered, and how long that took.
    pub explain: bool,
    /// The optimisations that may be used.
    pub shortcuts: SearchShortcuts,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            plies: true,
            keep: None,
            sort: None,
            first: None,
            offset: 0,
            sample: None,
            total: false,
            explain: false,
            shortcuts: SearchShortcuts::default(),
        }
    }
}

impl SearchOptions {
    /// How many hits are looked for: those that are left out are found first.
    fn most(&self) -> u64 {
        match self.first {
            None => u64::MAX,
            Some(0) => 0,
            Some(first) => first.saturating_add(self.offset),
        }
    }

    /// Whether hits of several bases are one row of hits.
    pub(crate) fn mixes(&self) -> bool {
        self.sort.is_some() || self.sample.is_some() || self.offset > 0
    }

    /// What is asked of each base, with so much of the games of hits, and with their plies.
    pub(crate) fn asked(
        &self,
        games: &Selection,
        keep: Option<GameNeeds>,
        plies: bool,
    ) -> QueryOptions {
        QueryOptions {
            plies,
            keep,
            shortcuts: SearchShortcuts {
                lookup: games.index && self.shortcuts.lookup,
                ..self.shortcuts
            },
            timed: self.explain,
        }
    }
}

/// The result of searching one base.
#[derive(Clone, Debug, Default)]
pub struct BaseSearchReport {
    /// The name of the base.
    pub name: String,
    /// The name of its format.
    pub format: &'static str,
    /// Games that were found, without those that were skipped before the first.
    pub hits: u64,
    /// Games that were looked up or read.
    pub games: u64,
    /// Damaged games among them: the readable parts were searched.
    pub damaged: u64,
    /// The findings in them.
    pub diagnostics: Diagnostics,
    /// Notes on an index that was not used, or only in part.
    pub notes: Vec<String>,
    /// How its games were answered, if requested.
    pub ways: SearchProfile,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct SearchReport {
    /// The bases that were searched.
    pub bases: Vec<BaseSearchReport>,
    /// The total number of matching games in all bases; `None` if the search ended before it was known: because a page was
    /// full, the caller broke off, or it was stopped.
    pub total: Option<u64>,
    /// Whether everything necessary was searched.
    pub ended: JobCompletion,
}

impl SearchReport {
    /// Games that were found until the search ended. Only if [`SearchReport::total`] is known are these all matches.
    pub fn hits(&self) -> u64 {
        self.bases.iter().map(|base| base.hits).sum()
    }

    /// Games that are damaged.
    pub fn damaged(&self) -> u64 {
        self.bases.iter().map(|base| base.damaged).sum()
    }

    /// The total of a search that has met all games.
    fn close(&mut self, is_broken: bool) {
        self.total = (self.ended.is_whole() && !is_broken).then(|| self.hits());
    }
}

/// Takes a hit with the index of its base, and returns whether to go on.
pub type SearchCallback<'e> = dyn FnMut(usize, MatchedGame) -> Result<ControlFlow<()>> + 'e;

/// Counts the chosen games.
pub fn count(
    games: &Selection,
    options: &SearchOptions,
    control: &Control,
) -> Result<SearchReport> {
    let asked = options.asked(games, None, false);
    let mut report = SearchReport::default();
    for base in &games.bases {
        if control.is_stopped() {
            break;
        }
        report.bases.push(ask(games, base, asked, control, None)?);
    }
    report.ended = control.completion();
    report.close(false);
    Ok(report)
}

/// Suggestions if nothing was found: names of players, events and sites that are similar to those in the query.
pub fn hint(games: &Selection, control: &Control) -> Option<String> {
    let names = games.query.as_ref()?.names();
    let near = similar_names::similar_names(&games.bases, &names, control);
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join("; ")))
}

/// Finds games. Hits are given while the search goes on; if they are sorted, no more of them are kept than required.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use std::ops::ControlFlow;
/// use tabiya::Selection;
/// use tabiya::model::{Control, GameNeeds};
/// use tabiya::query::{QueryContext, Query};
/// use tabiya::search::{SearchOptions, search};
///
/// let query = Query::parse("player:Marchetti", QueryContext::default())?;
/// let options = SearchOptions { keep: Some(GameNeeds::TAGS), ..SearchOptions::default() };
/// let games = Selection::of(tabiya::open(path)?).matching(query);
/// let found = search(&games, &options, &Control::default(), &mut |base, found| {
///     println!("{} game {}, ply {:?}", games.bases[base].name(), found.hit.number, found.hit.ply);
///     Ok(ControlFlow::Continue(()))
/// })?;
/// assert_eq!(found.total, Some(3));
/// # Ok(())
/// # }
/// ```
pub fn search(
    games: &Selection,
    options: &SearchOptions,
    control: &Control,
    each: &mut SearchCallback<'_>,
) -> Result<SearchReport> {
    match (options.sample, &options.sort) {
        (Some((most, seed)), _) => sampled(games, options, Sampler::new(most, seed), control, each),
        (None, Some(order)) => sorted(games, options, order, control, each),
        (None, None) => paged(games, options, control, each),
    }
}

/// Shows hits in the order of the games, those of a page where only these are wanted.
fn paged(
    games: &Selection,
    options: &SearchOptions,
    control: &Control,
    each: &mut SearchCallback<'_>,
) -> Result<SearchReport> {
    let (most, offset) = (options.most(), options.offset);
    let asked = options.asked(games, options.keep, options.plies);
    let (mut met, mut is_broken) = (0, false);
    if most == 0 && !options.total {
        return Ok(SearchReport {
            ended: control.completion(),
            ..SearchReport::default()
        });
    }
    let mut report = scan(games, asked, control, &mut |at, found| {
        met += 1;
        let is_shown = met > offset && met <= most;
        is_broken = (is_shown && each(at, found)?.is_break()) || (met >= most && !options.total);
        Ok(match is_broken {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    })?;
    report.close(is_broken);
    Ok(report)
}

/// Sorts hits and shows them.
fn sorted(
    games: &Selection,
    options: &SearchOptions,
    order: &GameOrder,
    control: &Control,
    each: &mut SearchCallback<'_>,
) -> Result<SearchReport> {
    let ranker = GameRanker::new(order, games.query.as_deref())?;
    let mut sorted = SortedMatches::new(&games.bases, ranker, options.keep, options);
    let asked = options.asked(games, Some(sorted.want()), options.plies);
    let mut report = scan(games, asked, control, &mut |at, found| {
        sorted.take(at, found);
        Ok(ControlFlow::Continue(()))
    })?;
    report.close(false);
    if report.ended.is_whole() {
        sorted.show(control, each)?;
        report.ended = control.completion();
    }
    Ok(report)
}

/// Takes hits at random, each as likely as any other, and shows them in their order.
fn sampled(
    games: &Selection,
    options: &SearchOptions,
    mut sampler: Sampler<(usize, MatchedGame)>,
    control: &Control,
    each: &mut SearchCallback<'_>,
) -> Result<SearchReport> {
    let bases = &games.bases;
    let sort = options.sort.as_ref();
    let ranker = sort
        .map(|order| GameRanker::new(order, games.query.as_deref()))
        .transpose()?;
    let keep = match (options.keep, ranker.as_ref().map(GameRanker::want)) {
        (Some(keep), Some(ranked)) => Some(keep.union(ranked)),
        (keep, ranked) => keep.or(ranked),
    };
    // What can be read again is not read before it is chosen.
    let again = bases.iter().all(|base| base.database().is_some());
    let asked = options.asked(games, keep.filter(|_| !again), options.plies);
    let mut report = scan(games, asked, control, &mut |at, found| {
        sampler.take((at, found));
        Ok(ControlFlow::Continue(()))
    })?;
    report.close(false);
    if !report.ended.is_whole() {
        return Ok(report);
    }
    let read = |at: usize, mut found: MatchedGame| {
        if let (Some(want), None, Some(base)) = (keep, &found.game, bases.get(at)) {
            found.game = Some(Box::new(base.read(found.hit.number, want)?));
        }
        Ok::<_, Error>(found)
    };
    let sample = sampler.into_sample().into_iter();
    let sample = sample.take_while(|_| !control.is_stopped());
    if let Some(ranker) = ranker {
        let mut sorted = SortedMatches::new(bases, ranker, keep, options);
        for (at, found) in sample {
            sorted.take(at, read(at, found)?);
        }
        sorted.show(control, each)?;
    } else {
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let first = options.first.map_or(usize::MAX, count);
        for (at, found) in sample.skip(count(options.offset)).take(first) {
            if each(at, read(at, found)?)?.is_break() {
                break;
            }
        }
    }
    report.ended = control.completion();
    Ok(report)
}

/// Finds the games that are chosen, base by base, in their order, until `each` breaks it off.
pub(crate) fn scan(
    games: &Selection,
    asked: QueryOptions,
    control: &Control,
    each: &mut SearchCallback<'_>,
) -> Result<SearchReport> {
    let mut report = SearchReport::default();
    let mut is_broken = false;
    for (at, base) in games.bases.iter().enumerate() {
        if is_broken || control.is_stopped() {
            break;
        }
        let mut take = |found| {
            let flow = each(at, found)?;
            is_broken = flow.is_break();
            Ok(flow)
        };
        report
            .bases
            .push(search_base(games, base, asked, control, &mut take)?);
    }
    report.ended = control.completion();
    Ok(report)
}

/// Takes a hit of one base.
type BaseMatchCallback<'e> = &'e mut dyn FnMut(MatchedGame) -> Result<ControlFlow<()>>;

/// Finds the games of one base that are chosen.
pub(crate) fn search_base(
    games: &Selection,
    base: &Base,
    asked: QueryOptions,
    control: &Control,
    each: BaseMatchCallback<'_>,
) -> Result<BaseSearchReport> {
    let mut each = |found: MatchedGame| Ok(each(found)?.is_continue() && !control.is_stopped());
    ask(games, base, asked, control, Some(&mut each))
}

fn ask(
    games: &Selection,
    base: &Base,
    asked: QueryOptions,
    control: &Control,
    each: Option<query::engine::MatchCallback<'_>>,
) -> Result<BaseSearchReport> {
    let condition = games.condition(base)?;
    let mut notes = Vec::new();
    let report = match base.database() {
        Some(database) => {
            let what = match condition.asks_for_positions() {
                true => IndexUse::Positions,
                false => IndexUse::Facts,
            };
            notes.extend(index_note(base, games.index, what));
            let report = match index_of(base, games.index, what) {
                None => query::search(database, &condition, asked, control, each)?,
                Some(index) => {
                    let indexed = IndexedDatabase::new(database, index);
                    let report = query::search(&indexed, &condition, asked, control, each)?;
                    notes.extend(sidecar::damage(database, index));
                    report
                }
            };
            notes.extend(database.lookup().and_then(PositionLookup::damage));
            report
        }
        None => {
            let mut source = base.source(control)?;
            query::search_source(&mut *source, &condition, asked, control, each)?
        }
    };
    Ok(BaseSearchReport {
        name: base.name().to_owned(),
        format: base.format().name,
        hits: report.hits,
        games: report.games,
        damaged: report.damaged,
        diagnostics: report.diagnostics,
        notes,
        ways: report.ways,
    })
}

/// Hits on their way into order: no more than are wanted, and of each no more than is needed.
struct SortedMatches<'s> {
    bases: &'s [Base],
    ranking: GameRanker,
    keep: Option<GameNeeds>,
    most: usize,
    offset: usize,
    /// The last of them first.
    heap: BinaryHeap<RankedMatch>,
}

struct RankedMatch {
    rank: GameRank,
    hit: QueryMatch,
    /// Only where the game cannot be read again, or nothing more of it is wanted.
    game: Option<Box<Game>>,
}

impl PartialEq for RankedMatch {
    fn eq(&self, other: &RankedMatch) -> bool {
        self.rank == other.rank
    }
}

impl Eq for RankedMatch {}

impl Ord for RankedMatch {
    fn cmp(&self, other: &RankedMatch) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl PartialOrd for RankedMatch {
    fn partial_cmp(&self, other: &RankedMatch) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Games that are kept whole at most while they are sorted; of more than that, all are read again.
const KEPT: usize = 256;

impl<'s> SortedMatches<'s> {
    fn new(
        bases: &'s [Base],
        ranking: GameRanker,
        keep: Option<GameNeeds>,
        options: &SearchOptions,
    ) -> SortedMatches<'s> {
        let most = options.most();
        SortedMatches {
            bases,
            ranking,
            keep,
            most: usize::try_from(most).unwrap_or(usize::MAX),
            offset: usize::try_from(options.offset).unwrap_or(usize::MAX),
            heap: BinaryHeap::new(),
        }
    }

    /// Whether games are read again when they are shown.
    fn again(&self) -> bool {
        self.bases.iter().all(|base| base.database().is_some())
            && (self.most > KEPT || self.keep == Some(GameNeeds::ALL))
    }

    /// What has to be read of each hit.
    fn want(&self) -> GameNeeds {
        let ranked = self.ranking.want();
        match self.keep {
            Some(keep) if !self.again() => keep.union(ranked),
            _ => ranked,
        }
    }

    fn take(&mut self, base: usize, found: MatchedGame) {
        if self.most == 0 {
            return;
        }
        let game = found.game.unwrap_or_default();
        let rank = self.ranking.rank(base, &found.hit, &game);
        if self.heap.len() >= self.most {
            if self.heap.peek().is_some_and(|last| last.rank <= rank) {
                return;
            }
            self.heap.pop();
        }
        let again = self.again();
        self.heap.push(RankedMatch {
            rank,
            hit: found.hit,
            game: (!again).then_some(game),
        });
    }

    fn show(self, control: &Control, each: &mut SearchCallback<'_>) -> Result<()> {
        let (bases, keep) = (self.bases, self.keep);
        for ranked in self.heap.into_sorted_vec().into_iter().skip(self.offset) {
            if control.is_stopped() {
                break;
            }
            let (at, number) = ranked.rank.place;
            let game = match (ranked.game, keep) {
                (Some(game), Some(_)) => Some(game),
                (_, None) => None,
                (None, Some(want)) => {
                    let base = bases.get(at).ok_or_else(|| {
                        Error::new(&error_codes::INTERNAL, "there is no such database")
                    })?;
                    Some(Box::new(base.read(number, want)?))
                }
            };
            let found = MatchedGame {
                hit: ranked.hit,
                game,
            };
            if each(at, found)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// An error in a query at its place, counted in UTF-16 as scripts do, for programs.
#[must_use]
pub fn query_fault_answer(error: &QueryError) -> QueryFaultAnswer {
    let text = &*error.query;
    let units = |byte: usize| {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        text.get(..byte).unwrap_or("").encode_utf16().count() as u64
    };
    QueryFaultAnswer {
        message: error.message.clone(),
        start: units(error.span.start),
        end: units(error.span.end),
        help: error.help.clone(),
    }
}
