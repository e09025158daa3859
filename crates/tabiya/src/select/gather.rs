//! The games of bases with their names, events and dates, for what is asked of many games together: cross-tables, names.

use tabiya_model::collect::{CollectorPass, PassRange};
use tabiya_model::{Control, JobCompletion, Result};
use tabiya_query::Query;
use tabiya_stats::crosstable::{CrosstableCollector, CrosstableGames, CrosstablePart};

use crate::open::base::Base;
use crate::select::base_view::BaseView;
use crate::select::selection;
use crate::select::selection::GameCount;

/// What was gathered.
#[derive(Default)]
pub(crate) struct GatherResult {
    /// The games.
    pub(crate) games: CrosstableGames,
    /// Games that are damaged, of those that had to be read.
    pub(crate) damaged: u64,
    /// Notes on indexes that are not used, and on the query.
    pub(crate) notes: Vec<String>,
    /// Whether everything was looked at.
    pub(crate) ended: JobCompletion,
}

/// Gathers the games of bases, or those that a search finds.
pub(crate) fn gather(
    bases: &[Base],
    query: Option<&str>,
    index: bool,
    control: &Control,
) -> Result<GatherResult> {
    let query = selection::parse_query(query)?;
    let mut all = GatherResult {
        notes: query.iter().filter_map(Query::note).collect(),
        ..GatherResult::default()
    };
    for (place, base) in bases.iter().enumerate() {
        if control.is_stopped() {
            break;
        }
        let listed = match &query {
            Some(query) => Some(selection::matching_numbers(base, query, index, control)?),
            None => None,
        };
        let mut games = (0, 0);
        let mut sum = CrosstablePart::default();
        let mut pass = CollectorPass::new();
        pass.sum(&GameCount, &mut games);
        pass.sum(&CrosstableCollector, &mut sum);
        let ended = match base.database() {
            None => {
                let ended = pass.run_source(&mut *base.source(control)?, control)?;
                all.games.add(sum, place, None, None);
                ended
            }
            Some(_) => {
                let view = BaseView::of(base, index, &mut all.notes)?;
                let listed = listed.as_deref();
                let over = listed.map_or(PassRange::All, PassRange::List);
                let ended = pass.run(view.database(), over, control)?;
                all.games.add(sum, place, view.database().facts(), listed);
                ended
            }
        };
        all.damaged += games.1;
        all.ended = all.ended.and(ended);
    }
    all.ended = all.ended.and(control.completion());
    Ok(all)
}
