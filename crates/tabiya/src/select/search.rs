//! Finds games in bases: counts them, streams them in their order or sorted.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use tabiya_explore::IndexedDatabase;
use tabiya_explore::index::ExplorerIndex;
use tabiya_model::positions::PositionLookup;
use tabiya_model::{
    Control, Database, Diagnostics, Error, ErrorKind, Game, GameNeeds, JobCompletion, Result,
};
use tabiya_query::profile::SearchProfile;
use tabiya_query::{self as query, MatchedGame, Query, QueryMatch};

use crate::open::base::{Base, has_whole_facts};
use crate::open::sidecar;
use crate::select::game_order::{GameOrder, GameRank, GameRanker};
use crate::select::sample::Sampler;
use crate::select::similar_names;

/// How bases are searched.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Whether hits need the ply where the query first holds.
    pub plies: bool,
    /// What of each hit's game is to be brought with it, if anything.
    pub keep: Option<GameNeeds>,
    /// The order of the hits; that of the games unless said.
    pub sort: Option<GameOrder>,
    /// How many hits are wanted at most.
    pub first: Option<u64>,
    /// How many hits are left out before them.
    pub offset: u64,
    /// How many hits are taken by chance before they are sorted, left out or counted, and what chance begins with.
    pub sample: Option<(u64, u64)>,
    /// Whether facts of an index may answer terms about tags and counts.
    pub facts: bool,
    /// Whether facts that follow from the moves may answer terms.
    pub hints: bool,
    /// Whether games may be walked by deltas.
    pub compact: bool,
    /// Whether the tags that the query asks for are read alone, before anything else of a game.
    pub gate: bool,
    /// Whether the index beside a base is asked.
    pub index: bool,
    /// Whether it is told how the games were answered, and how long that took.
    pub explain: bool,
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
            facts: true,
            hints: true,
            compact: true,
            gate: true,
            index: true,
            explain: false,
        }
    }
}

impl SearchOptions {
    /// How many hits are looked for: those that are left out are found first.
    fn most(&self) -> u64 {
        let first = self.first.unwrap_or(u64::MAX);
        first.saturating_add(self.offset)
    }

    /// Whether hits of several bases are one row of hits.
    pub(crate) fn mixes(&self) -> bool {
        self.sort.is_some() || self.sample.is_some() || self.offset > 0
    }
}

/// What searching one base has shown.
#[derive(Clone, Debug, Default)]
pub struct BaseSearchReport {
    /// The name of the base.
    pub name: String,
    /// The name of its format.
    pub format: &'static str,
    /// Games for which the query holds.
    pub hits: u64,
    /// Games that were asked, or read.
    pub games: u64,
    /// Games of those that are damaged: what could be read of them was searched.
    pub damaged: u64,
    /// What was found in them.
    pub diagnostics: Diagnostics,
    /// Notes on an index that was not used, or only in part.
    pub notes: Vec<String>,
    /// How its games were answered, where that is told.
    pub ways: SearchProfile,
}

/// What a search has shown.
#[derive(Debug, Default)]
pub struct SearchReport {
    /// The bases that were searched.
    pub bases: Vec<BaseSearchReport>,
    /// Whether everything was looked at that had to be.
    pub ended: JobCompletion,
}

impl SearchReport {
    /// Games for which the query holds, in all bases.
    pub fn hits(&self) -> u64 {
        self.bases.iter().map(|base| base.hits).sum()
    }

    /// Games that are damaged.
    pub fn damaged(&self) -> u64 {
        self.bases.iter().map(|base| base.damaged).sum()
    }
}

/// Takes a hit with the place of its base among those that are searched, and answers whether to go on.
pub type SearchCallback<'e> = dyn FnMut(usize, MatchedGame) -> Result<ControlFlow<()>> + 'e;

/// Counts the games for which a query holds.
pub fn count(
    bases: &[Base],
    query: &Query,
    options: &SearchOptions,
    control: &Control,
) -> Result<SearchReport> {
    let mut search = SearchReport::default();
    for base in bases {
        if control.is_stopped() {
            break;
        }
        let options = SearchOptions {
            plies: false,
            keep: None,
            ..options.clone()
        };
        search
            .bases
            .push(one(base, query, &options, control, None)?);
    }
    search.ended = control.completion();
    Ok(search)
}

/// The numbers of the games of one base that a query finds, rising; as many as were found until a stop.
pub fn numbers(base: &Base, query: &Query, control: &Control) -> Result<Vec<u64>> {
    let options = SearchOptions {
        plies: false,
        ..SearchOptions::default()
    };
    let mut numbers = Vec::new();
    let bases = std::slice::from_ref(base);
    search(bases, query, &options, control, &mut |_, found| {
        numbers.push(found.hit.number);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(numbers)
}

/// What may have been meant where nothing was found: names of players, events and sites that are near to those that are
/// asked for.
pub fn hint(bases: &[Base], query: &Query, control: &Control) -> Option<String> {
    let names = query.names();
    let near = similar_names::similar_names(bases, &names, control);
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join("; ")))
}

/// Finds games. Hits come while the search goes on; where they are sorted, no more of them are kept than are wanted.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use std::ops::ControlFlow;
/// use tabiya::model::{Control, GameNeeds};
/// use tabiya::query::{QueryContext, Query};
/// use tabiya::search::{SearchOptions, search};
///
/// let query = Query::parse("player:Marchetti", QueryContext::default())?;
/// let options = SearchOptions { keep: Some(GameNeeds::TAGS), ..SearchOptions::default() };
/// let bases = tabiya::open(path)?;
/// let found = search(&bases, &query, &options, &Control::default(), &mut |base, found| {
///     println!("{} game {}, ply {:?}", bases[base].name(), found.hit.number, found.hit.ply);
///     Ok(ControlFlow::Continue(()))
/// })?;
/// assert_eq!(found.hits(), 3);
/// # Ok(())
/// # }
/// ```
pub fn search(
    bases: &[Base],
    query: &Query,
    options: &SearchOptions,
    control: &Control,
    each: &mut SearchCallback<'_>,
) -> Result<SearchReport> {
    if let Some((most, seed)) = options.sample {
        return sampled(bases, query, options, (most, seed), control, each);
    }
    let mut search = SearchReport::default();
    if let Some(order) = &options.sort {
        let mut sorted = SortedMatches::new(bases, GameRanker::new(order, Some(query))?, options);
        let options = SearchOptions {
            keep: Some(sorted.want()),
            ..options.clone()
        };
        for (at, base) in bases.iter().enumerate() {
            let mut take = |found| {
                sorted.take(at, found);
                Ok(ControlFlow::Continue(()))
            };
            let searched = one(base, query, &options, control, Some(&mut take))?;
            search.bases.push(searched);
        }
        search.ended = control.completion();
        if search.ended.is_whole() {
            sorted.show(control, each)?;
            search.ended = control.completion();
        }
        return Ok(search);
    }
    let most = options.most();
    let mut shown = 0;
    for (at, base) in bases.iter().enumerate() {
        if shown >= most || control.is_stopped() {
            break;
        }
        let mut broken = false;
        let mut take = |found| {
            shown += 1;
            broken = shown > options.offset && each(at, found)?.is_break();
            Ok(if broken || shown >= most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        };
        search
            .bases
            .push(one(base, query, options, control, Some(&mut take))?);
        if broken {
            break;
        }
    }
    search.ended = control.completion();
    Ok(search)
}

/// Takes hits by chance, each as likely as any other, and shows them in their order.
fn sampled(
    bases: &[Base],
    query: &Query,
    options: &SearchOptions,
    (most, seed): (u64, u64),
    control: &Control,
    each: &mut SearchCallback<'_>,
) -> Result<SearchReport> {
    let sort = options.sort.as_ref();
    let ranking = sort
        .map(|order| GameRanker::new(order, Some(query)))
        .transpose()?;
    let keep = match (options.keep, ranking.as_ref().map(GameRanker::want)) {
        (Some(keep), Some(ranked)) => Some(keep.union(ranked)),
        (keep, ranked) => keep.or(ranked),
    };
    // What can be read again is not read before it is chosen.
    let again = bases.iter().all(|base| base.database().is_some());
    let plain = SearchOptions {
        sort: None,
        first: None,
        offset: 0,
        sample: None,
        keep: keep.filter(|_| !again),
        ..options.clone()
    };
    let mut sampler = Sampler::new(most, seed);
    let mut found = search(bases, query, &plain, control, &mut |at, found| {
        sampler.take((at, found));
        Ok(ControlFlow::Continue(()))
    })?;
    if !found.ended.is_whole() {
        return Ok(found);
    }
    let mut sorted = ranking.map(|ranking| {
        let options = SearchOptions {
            keep,
            ..options.clone()
        };
        SortedMatches::new(bases, ranking, &options)
    });
    let left = usize::try_from(options.offset).unwrap_or(usize::MAX);
    let first = options.first.map_or(usize::MAX, |first| {
        usize::try_from(first).unwrap_or(usize::MAX)
    });
    let (left, first) = match sorted {
        Some(_) => (0, usize::MAX),
        None => (left, first),
    };
    for (at, mut found) in sampler.into_sample().into_iter().skip(left).take(first) {
        if control.is_stopped() {
            break;
        }
        if let (Some(want), None, Some(base)) = (keep, &found.game, bases.get(at)) {
            found.game = Some(Box::new(base.read(found.hit.number, want)?));
        }
        match &mut sorted {
            Some(sorted) => sorted.take(at, found),
            None if each(at, found)?.is_break() => break,
            None => {}
        }
    }
    if let Some(sorted) = sorted {
        sorted.show(control, each)?;
    }
    found.ended = control.completion();
    Ok(found)
}

/// Takes a hit of one base.
type BaseMatchCallback<'e> = &'e mut dyn FnMut(MatchedGame) -> Result<ControlFlow<()>>;

fn one(
    base: &Base,
    query: &Query,
    options: &SearchOptions,
    control: &Control,
    each: Option<BaseMatchCallback<'_>>,
) -> Result<BaseSearchReport> {
    let asked = query::QueryOptions {
        lookup: options.index,
        plies: options.plies && each.is_some(),
        keep: options.keep,
        facts: options.facts,
        hints: options.hints,
        compact: options.compact,
        gate: options.gate,
        timed: options.explain,
    };
    let mut notes = Vec::new();
    let mut adapter = each.map(|each| {
        move |found: MatchedGame| Ok(each(found)?.is_continue() && !control.is_stopped())
    });
    let each = adapter
        .as_mut()
        .map(|each| each as &mut dyn FnMut(MatchedGame) -> Result<bool>);
    let report = match base.database() {
        Some(database) => {
            let index = index_of(base, query, options, database, &mut notes);
            let report = match index {
                None => query::search(database, query, asked, control, each)?,
                Some(index) => {
                    let indexed = IndexedDatabase::new(database, index);
                    let report = query::search(&indexed, query, asked, control, each)?;
                    notes.extend(sidecar::damage(database, index));
                    report
                }
            };
            notes.extend(database.lookup().and_then(PositionLookup::damage));
            report
        }
        None => query::search_source(&mut *base.source(control)?, query, asked, control, each)?,
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

/// The index beside a base, where it helps.
fn index_of<'b>(
    base: &'b Base,
    query: &Query,
    options: &SearchOptions,
    database: &dyn Database,
    notes: &mut Vec<String>,
) -> Option<&'b ExplorerIndex> {
    let helps = query.asks_for_positions() || !has_whole_facts(database);
    if !options.index || !helps {
        return None;
    }
    notes.extend(base.index_note().map(str::to_owned));
    base.index()
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
    fn new(bases: &'s [Base], ranking: GameRanker, options: &SearchOptions) -> SortedMatches<'s> {
        let most = options.most();
        SortedMatches {
            bases,
            ranking,
            keep: options.keep,
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
                    let base = bases
                        .get(at)
                        .ok_or_else(|| Error::new(ErrorKind::Usage, "there is no such base"))?;
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
