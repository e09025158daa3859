//! The games of bases with their names, events and dates, for what is asked of many games together: cross-tables, names.

use tabiya_model::collect::{Over, Pass};
use tabiya_model::{Control, Ended, Result};
use tabiya_query::Query;
use tabiya_stats::crosstable::{Gather, Gathered, Sum};

use crate::base::Base;
use crate::stats::{self, Games};
use crate::view::View;

/// What was gathered.
#[derive(Default)]
pub(crate) struct Gathering {
    /// The games.
    pub(crate) games: Gathered,
    /// Games that are damaged, of those that had to be read.
    pub(crate) damaged: u64,
    /// Notes on indexes that are not used, and on the query.
    pub(crate) notes: Vec<String>,
    /// Whether everything was looked at.
    pub(crate) ended: Ended,
}

/// Gathers the games of bases, or those that a search finds.
pub(crate) fn gather(
    bases: &[Base],
    query: Option<&str>,
    index: bool,
    control: &Control,
) -> Result<Gathering> {
    let query = stats::parsed(query)?;
    let mut all = Gathering {
        notes: query.iter().filter_map(Query::note).collect(),
        ..Gathering::default()
    };
    for (place, base) in bases.iter().enumerate() {
        if control.is_stopped() {
            break;
        }
        let listed = match &query {
            Some(query) => Some(stats::numbers(base, query, index, control)?),
            None => None,
        };
        let mut games = (0, 0);
        let mut sum = Sum::default();
        let mut pass = Pass::new();
        pass.sum(&Games, &mut games);
        pass.sum(&Gather, &mut sum);
        let ended = match base.database() {
            None => {
                let ended = pass.run_source(&mut *base.source(control)?, control)?;
                all.games.add(sum, place, None, None);
                ended
            }
            Some(_) => {
                let view = View::of(base, index, &mut all.notes)?;
                let listed = listed.as_deref();
                let over = listed.map_or(Over::All, Over::List);
                let ended = pass.run(view.database(), over, control)?;
                all.games.add(sum, place, view.database().facts(), listed);
                ended
            }
        };
        all.damaged += games.1;
        all.ended = all.ended.and(ended);
    }
    all.ended = all.ended.and(control.ended());
    Ok(all)
}
