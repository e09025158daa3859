//! Finds games in bases: counts them, streams them in their order or sorted, or copies them to a target.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use tabiya_explore::Indexed;
use tabiya_explore::index::Index;
use tabiya_model::positions::PositionLookup;
use tabiya_model::{
    About, Control, Database, Diagnostics, Ended, Error, ErrorKind, Game, Result, Summary, Want,
};
use tabiya_query::ways::Ways;
use tabiya_query::{self as query, Found, Hit, Query};

use crate::base::Base;
use crate::near;
use crate::report::SourceReport;
use crate::sample::Sampler;
use crate::sidecar;
use crate::sort::{Order, Rank, Ranking};
use crate::target::Target;

/// How bases are searched.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether hits need the ply where the query first holds.
    pub plies: bool,
    /// What of each hit's game is to be brought with it, if anything.
    pub keep: Option<Want>,
    /// The order of the hits; that of the games unless said.
    pub sort: Option<Order>,
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

impl Default for Options {
    fn default() -> Options {
        Options {
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

impl Options {
    /// How many hits are looked for: those that are left out are found first.
    fn most(&self) -> u64 {
        let first = self.first.unwrap_or(u64::MAX);
        first.saturating_add(self.offset)
    }

    /// Whether hits of several bases are one row of hits.
    fn mixes(&self) -> bool {
        self.sort.is_some() || self.sample.is_some() || self.offset > 0
    }
}

/// What searching one base has shown.
#[derive(Clone, Debug, Default)]
pub struct Searched {
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
    pub ways: Ways,
}

/// What a search has shown.
#[derive(Debug, Default)]
pub struct Search {
    /// The bases that were searched.
    pub bases: Vec<Searched>,
    /// Whether everything was looked at that had to be.
    pub ended: Ended,
}

impl Search {
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
pub type Each<'e> = dyn FnMut(usize, Found) -> Result<ControlFlow<()>> + 'e;

/// Counts the games for which a query holds.
pub fn count(
    bases: &[Base],
    query: &Query,
    options: &Options,
    control: &Control,
) -> Result<Search> {
    let mut search = Search::default();
    for base in bases {
        if control.is_stopped() {
            break;
        }
        let options = Options {
            plies: false,
            keep: None,
            ..options.clone()
        };
        search
            .bases
            .push(one(base, query, &options, control, None)?);
    }
    search.ended = control.ended();
    Ok(search)
}

/// The numbers of the games of one base that a query finds, rising; as many as were found until a stop.
pub fn numbers(base: &Base, query: &Query, control: &Control) -> Result<Vec<u64>> {
    let options = Options {
        plies: false,
        ..Options::default()
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
    let near = near::names(bases, &names, control);
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join("; ")))
}

/// Finds games. Hits come while the search goes on; where they are sorted, no more of them are kept than are wanted.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use std::ops::ControlFlow;
/// use tabiya::model::{Control, Want};
/// use tabiya::query::{Context, Query};
/// use tabiya::search::{Options, search};
///
/// let query = Query::parse("player:Marchetti", Context::default())?;
/// let options = Options { keep: Some(Want::TAGS), ..Options::default() };
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
    options: &Options,
    control: &Control,
    each: &mut Each<'_>,
) -> Result<Search> {
    if let Some((most, seed)) = options.sample {
        return sampled(bases, query, options, (most, seed), control, each);
    }
    let mut search = Search::default();
    if let Some(order) = &options.sort {
        let mut sorted = Sorted::new(bases, Ranking::new(order, Some(query))?, options);
        let options = Options {
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
        search.ended = control.ended();
        if search.ended.is_whole() {
            sorted.show(control, each)?;
            search.ended = control.ended();
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
    search.ended = control.ended();
    Ok(search)
}

/// Takes hits by chance, each as likely as any other, and shows them in their order.
fn sampled(
    bases: &[Base],
    query: &Query,
    options: &Options,
    (most, seed): (u64, u64),
    control: &Control,
    each: &mut Each<'_>,
) -> Result<Search> {
    let sort = options.sort.as_ref();
    let ranking = sort
        .map(|order| Ranking::new(order, Some(query)))
        .transpose()?;
    let keep = match (options.keep, ranking.as_ref().map(Ranking::want)) {
        (Some(keep), Some(ranked)) => Some(keep.union(ranked)),
        (keep, ranked) => keep.or(ranked),
    };
    // What can be read again is not read before it is chosen.
    let again = bases.iter().all(|base| base.database().is_some());
    let plain = Options {
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
        let options = Options {
            keep,
            ..options.clone()
        };
        Sorted::new(bases, ranking, &options)
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
    found.ended = control.ended();
    Ok(found)
}

/// What a copy of the games that were found has become.
#[derive(Debug, Default)]
pub struct Copied {
    /// The search.
    pub search: Search,
    /// What was written; `None` where it was told to stop, and nothing was.
    pub summary: Option<Summary>,
    /// One report a base, or one for all where they are mixed.
    pub sources: Vec<SourceReport>,
}

/// Copies the games that a query finds to a target.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// # let folder = tempfile::tempdir()?;
/// use tabiya::Target;
/// use tabiya::model::Control;
/// use tabiya::query::{Context, Query};
/// use tabiya::search::{Options, copy};
///
/// let query = Query::parse("result:1-0", Context::default())?;
/// let options = Options { sort: Some("-date".parse()?), ..Options::default() };
/// let target = Target::new(folder.path().join("won.pgn"), None, Default::default())?;
/// let copied = copy(&tabiya::open(path)?, &query, &options, &target, &Control::default())?;
/// assert_eq!(copied.summary.map(|summary| summary.games), Some(2));
/// # Ok(())
/// # }
/// ```
pub fn copy(
    bases: &[Base],
    query: &Query,
    options: &Options,
    target: &Target,
    control: &Control,
) -> Result<Copied> {
    let mut writing = target.begin(bases)?;
    let options = Options {
        plies: options.sort.is_some(),
        keep: Some(Want::ALL),
        ..options.clone()
    };
    let mut copied = Copied::default();
    if options.mixes() && bases.len() > 1 {
        // Games of several bases are mixed.
        let abouts: Vec<About> = bases.iter().map(Base::about).collect::<Result<_>>()?;
        let mut report = SourceReport::default();
        if let Some(base) = bases.first() {
            report = target.report(base);
        }
        report.name = names(bases);
        let mut feed = writing.feed_mixed(&abouts, report);
        let mut singles = feed.singles(control.threads());
        copied.search = search(bases, query, &options, control, &mut |_, found| {
            singles.push(*found.game.unwrap_or_default())?;
            Ok(ControlFlow::Continue(()))
        })?;
        singles.finish()?;
        bases.iter().for_each(|base| feed.lacks(base));
        copied.sources.push(feed.report);
    } else {
        let mut left = options.first;
        for base in bases {
            if left == Some(0) || control.is_stopped() {
                break;
            }
            let options = Options {
                first: left,
                ..options.clone()
            };
            let about = base.about()?;
            let mut feed = writing.feed(about, target.report(base));
            let mut singles = feed.singles(control.threads());
            let each: &mut Each<'_> = &mut |_, found: Found| {
                left = left.map(|left| left.saturating_sub(1));
                singles.push(*found.game.unwrap_or_default())?;
                Ok(ControlFlow::Continue(()))
            };
            let found = search(std::slice::from_ref(base), query, &options, control, each)?;
            copied.search.bases.extend(found.bases);
            singles.finish()?;
            feed.lacks(base);
            copied.sources.push(feed.report);
        }
    }
    copied.search.ended = control.ended();
    if copied.search.ended.is_whole() {
        copied.summary = Some(writing.finish()?);
    }
    Ok(copied)
}

fn names(bases: &[Base]) -> String {
    let names: Vec<&str> = bases.iter().map(Base::name).collect();
    names.join(", ")
}

/// Takes a hit of one base.
type One<'e> = &'e mut dyn FnMut(Found) -> Result<ControlFlow<()>>;

fn one(
    base: &Base,
    query: &Query,
    options: &Options,
    control: &Control,
    each: Option<One<'_>>,
) -> Result<Searched> {
    let asked = query::Options {
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
    let mut adapter = each
        .map(|each| move |found: Found| Ok(each(found)?.is_continue() && !control.is_stopped()));
    let each = adapter
        .as_mut()
        .map(|each| each as &mut dyn FnMut(Found) -> Result<bool>);
    let report = match base.database() {
        Some(database) => {
            let index = index_of(base, query, options, database, &mut notes);
            let report = match index {
                None => query::search(database, query, asked, control, each)?,
                Some(index) => {
                    let indexed = Indexed::new(database, index);
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
    Ok(Searched {
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
    options: &Options,
    database: &dyn Database,
    notes: &mut Vec<String>,
) -> Option<&'b Index> {
    let helps = query.asks_for_positions() || database.facts().is_none();
    if !options.index || !helps {
        return None;
    }
    notes.extend(base.index_note().map(str::to_owned));
    base.index()
}

/// Hits on their way into order: no more than are wanted, and of each no more than is needed.
struct Sorted<'s> {
    bases: &'s [Base],
    ranking: Ranking,
    keep: Option<Want>,
    most: usize,
    offset: usize,
    /// The last of them first.
    heap: BinaryHeap<Ranked>,
}

struct Ranked {
    rank: Rank,
    hit: Hit,
    /// Only where the game cannot be read again, or nothing more of it is wanted.
    game: Option<Box<Game>>,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Games that are kept whole at most while they are sorted; of more than that, all are read again.
const KEPT: usize = 256;

impl<'s> Sorted<'s> {
    fn new(bases: &'s [Base], ranking: Ranking, options: &Options) -> Sorted<'s> {
        let most = options.most();
        Sorted {
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
            && (self.most > KEPT || self.keep == Some(Want::ALL))
    }

    /// What has to be read of each hit.
    fn want(&self) -> Want {
        let ranked = self.ranking.want();
        match self.keep {
            Some(keep) if !self.again() => keep.union(ranked),
            _ => ranked,
        }
    }

    fn take(&mut self, base: usize, found: Found) {
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
        self.heap.push(Ranked {
            rank,
            hit: found.hit,
            game: (!again).then_some(game),
        });
    }

    fn show(self, control: &Control, each: &mut Each<'_>) -> Result<()> {
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
            let found = Found {
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
