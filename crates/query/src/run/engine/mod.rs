//! Runs a query over a whole database, on all cores, with results in the order of the games.
//!
//! If an index of positions knows which games can be hits, only those are read. Games that the facts of an index decide are
//! not read; of the others, those whose terms allow it are walked by deltas, and the rest is read completely and tested by
//! the simple [`QueryEvaluator`](crate::QueryEvaluator). Each of these optimisations can be switched off.

mod joiner;
mod open_games;
mod reader;
mod searcher;

use tabiya_model::{Control, Database, Diagnostics, Game, JobCompletion, Result, Source};

use crate::plan::term_games::TermGames;
use crate::run::evaluator::QueryMatch;
use crate::run::index_answers::IndexAnswers;
pub use crate::run::options::{QueryOptions, SearchShortcuts};
use crate::run::profile::{SearchProfile, Stopwatch};
use crate::terms::query::Query;

use self::open_games::choose;
use self::reader::read_all;
use self::searcher::{SearchPlan, ask_known};

/// One chosen game in so many at most, where games have to be read to be asked: then reading all is quicker.
const SPARSE: u64 = 4;

/// A game that was found.
#[derive(Clone, Debug)]
pub struct MatchedGame {
    /// Its number and the place.
    pub hit: QueryMatch,
    /// The parts requested by [`QueryOptions::keep`].
    pub game: Option<Box<Game>>,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct QueryReport {
    /// Games that were evaluated; not those that an index of positions answers or excludes.
    pub games: u64,
    /// Games for which the query holds.
    pub hits: u64,
    /// Damaged games among them: the readable parts were evaluated.
    pub damaged: u64,
    /// The findings in damaged games.
    pub diagnostics: Diagnostics,
    /// Positions that were evaluated by deltas.
    pub positions: u64,
    /// How the games were answered, if requested.
    pub ways: SearchProfile,
    /// Whether all games were searched, as far as more hits were required. If not, the hits are those of the first
    /// [`QueryReport::games`] to evaluate.
    pub ended: JobCompletion,
}

/// Takes hits and returns whether to go on.
pub type MatchCallback<'e> = &'e mut dyn FnMut(MatchedGame) -> Result<bool>;

/// Searches a database. `each` gets the hits in the order of the games and returns whether to go on; `None` only counts
/// them. The first hits are given while later games are still being read.
pub fn search(
    database: &dyn Database,
    query: &Query,
    options: QueryOptions,
    control: &Control,
    each: Option<MatchCallback<'_>>,
) -> Result<QueryReport> {
    let wants_facts = options.shortcuts.facts || options.shortcuts.hints;
    let facts = database.facts().filter(|_| wants_facts);
    let lookup = database.lookup().filter(|_| options.shortcuts.lookup);
    let positions = database.positions();
    let mut ways = SearchProfile::default();
    let watch = Stopwatch::start(options.timed);
    let listings = lookup.map_or_else(Vec::new, |lookup| TermGames::all(query, lookup));
    watch.stop(&mut ways.index, TermGames::size(&listings));
    let plies = options.plies && query.has_places();
    let counting = each.is_none() && !plies;
    let judge = IndexAnswers::new(query, facts, &listings, options, plies);
    let games = match (facts, lookup) {
        (Some(facts), _) => facts.len(),
        (None, Some(lookup)) => lookup.game_count(),
        (None, None) => 0,
    };
    let mut candidates = TermGames::candidates(&listings, counting);
    // Where positions come at speed, games are looked at one by one as their facts leave them open.
    let is_read = database.reads_in_rows() && (judge.has_to_read() || !options.shortcuts.compact);
    if facts.is_none() || positions.is_none() || is_read {
        if facts.is_some() {
            let watch = Stopwatch::start(options.timed);
            let asked = candidates
                .as_ref()
                .map_or(games, |few| few.games.len() as u64);
            let (chosen, ended) = choose(&judge, candidates, games, counting, control)?;
            watch.stop(
                &mut ways.facts,
                asked - (chosen.games.len() as u64).min(asked),
            );
            if !ended.is_whole() {
                return Ok(QueryReport {
                    ways,
                    ended,
                    ..QueryReport::default()
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
            let mut report = read_all(&mut *source, Some(database), query, options, control, each)?;
            report.ways.add(&ways);
            return Ok(report);
        }
    }
    let known = SearchPlan {
        judge: &judge,
        candidates,
        games,
    };
    let positions = positions.filter(|_| options.shortcuts.compact);
    let mut report = ask_known(database, &known, positions, query, options, control, each)?;
    report.ways.add(&ways);
    Ok(report)
}

/// Searches games that can be read only once.
pub fn search_source(
    source: &mut dyn Source<'_>,
    query: &Query,
    options: QueryOptions,
    control: &Control,
    each: Option<MatchCallback<'_>>,
) -> Result<QueryReport> {
    read_all(source, None, query, options, control, each)
}
