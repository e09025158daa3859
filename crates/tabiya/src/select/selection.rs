//! The games of a base that a job looks at: those that a query finds, counted, with the index beside the base where it helps.

use tabiya_explore::index::ExplorerIndex;
use tabiya_model::collect::{CollectorNeeds, GameView, Statistic};
use tabiya_model::{Control, Database, Error, Result};
use tabiya_query::error::{QueryError, QueryFailure};
use tabiya_query::{self as query, Query};

use crate::open::base::{Base, has_whole_facts};
use crate::select::search;

/// Games, and those of them that are damaged.
pub(crate) struct GameCount;

impl Statistic for GameCount {
    type Sum = (u64, u64);

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::default()
    }

    fn see(&self, (games, damaged): &mut (u64, u64), game: &mut GameView<'_>) -> Result<()> {
        *games += 1;
        *damaged += u64::from(game.is_damaged());
        Ok(())
    }

    fn add(&self, sum: &mut (u64, u64), part: (u64, u64), _first: u64) {
        sum.0 += part.0;
        sum.1 += part.1;
    }
}

/// The query that chooses the games.
pub(crate) fn parse_query(query: Option<&str>) -> Result<Option<Query>> {
    query
        .map(|text| {
            Query::parse(text, query::QueryContext::default())
                .map_err(|error| query_failure("query", text, error))
        })
        .transpose()
}

/// A query that cannot be read, as a failure because of a parameter; it keeps its place.
pub(crate) fn query_failure(parameter: &'static str, text: &str, error: QueryError) -> Error {
    let told = error.render(text);
    let text = text.to_owned();
    Error::usage(told)
        .of_parameter(parameter)
        .because(QueryFailure { text, error })
}

/// The numbers of the games that a query finds.
pub(crate) fn matching_numbers(
    base: &Base,
    query: &Query,
    index: bool,
    control: &Control,
) -> Result<Vec<u64>> {
    if base.database().is_none() {
        return Err(Error::usage(format!(
            "{}: games of a stream can be read only once, so that a query needs a file",
            base.name()
        )));
    }
    let options = search::SearchOptions {
        plies: false,
        index,
        ..search::SearchOptions::default()
    };
    let mut numbers = Vec::new();
    let bases = std::slice::from_ref(base);
    search::search(bases, query, &options, control, &mut |_, found| {
        numbers.push(found.hit.number);
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    Ok(numbers)
}

/// The index beside a base, where the format has none of its own.
pub(crate) fn index_of<'b>(
    base: &'b Base,
    database: &dyn Database,
    is_asked: bool,
    notes: &mut Vec<String>,
) -> Option<&'b ExplorerIndex> {
    if !is_asked || has_whole_facts(database) {
        return None;
    }
    notes.extend(base.index_note().map(str::to_owned));
    base.index()
}
