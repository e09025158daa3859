//! The common parts of all ways to change a database: commit, sort order, errors.

use tabiya_io::change;
use tabiya_model::error_codes;
use tabiya_model::sort_order::SortKey;
use tabiya_model::{Error, Result};

use super::editor::HistoryNoteFn;

/// Ends a change: requests its history record, and puts everything in place.
pub fn commit(mut change: change::DatabaseChange, noting: Option<HistoryNoteFn<'_>>) -> Result<()> {
    if let Some(noting) = noting
        && !change.is_empty()
        && let Some(note) = noting(change.states()?)?
    {
        change.note(&note).map_err(failed)?;
    }
    change.commit().map_err(failed)
}

/// Whether numbers are those of all games, each once.
pub fn is_order(order: &[u64], count: u64) -> bool {
    let mut seen = vec![false; order.len()];
    let all = order.iter().all(|number| {
        let at = usize::try_from(number.wrapping_sub(1)).unwrap_or(usize::MAX);
        seen.get_mut(at)
            .is_some_and(|seen| !std::mem::replace(seen, true))
    });
    all && order.len() as u64 == count
}

/// The remaining indices, from 0, of a list of `count` games after removing those with some numbers, from 1.
pub fn without(games: &[u64], count: usize) -> Vec<usize> {
    let mut games = games.to_vec();
    games.sort_unstable();
    let is_left = |at: &usize| games.binary_search(&(*at as u64 + 1)).is_err();
    (0..count).filter(is_left).collect()
}

/// The sort keys for the games of a database: any field except those known only to a search.
pub fn edit_keys(words: &[String]) -> Result<Vec<SortKey>> {
    let keys = SortKey::parse_all(words)?;
    match keys.iter().any(|key| key.is_of_searches()) {
        true => Err(Error::new(
            &error_codes::BAD_ORDER,
            "games of a database cannot be sorted by ply or similarity; only search results can",
        )),
        false => Ok(keys),
    }
}

/// The error for an invalid order.
pub fn no_order() -> Error {
    Error::new(
        &error_codes::BAD_ORDER,
        "this is not an order of the games of the database; nothing was changed",
    )
}

/// A change that could not be made, for callers.
pub fn failed(error: change::ChangeError) -> Error {
    Error::from(error)
}
