//! The games of bases with their names, events and dates, for questions about many games together: crosstables, names.

use tabiya_model::collect::CollectorPass;
use tabiya_model::{Control, JobCompletion, Result};
use tabiya_stats::crosstable::{CrosstableCollector, CrosstableGames, CrosstablePart};

use crate::select::base_view::{self, BaseView, GameCount};
use crate::select::selection::Selection;

/// What was gathered.
#[derive(Default)]
pub(crate) struct GatherResult {
    /// The games.
    pub(crate) games: CrosstableGames,
    /// Games that are damaged, of those that had to be read.
    pub(crate) damaged: u64,
    /// Notes on indexes that are not used.
    pub(crate) notes: Vec<String>,
    /// Whether everything was looked at.
    pub(crate) ended: JobCompletion,
}

/// Gathers the games that are chosen.
pub(crate) fn gather(games: &Selection, control: &Control) -> Result<GatherResult> {
    let mut all = GatherResult::default();
    for (place, base) in games.bases.iter().enumerate() {
        if control.is_stopped() {
            break;
        }
        let view = BaseView::open(games, base, control, &mut all.notes)?;
        let mut counts = (0, 0);
        let mut sum = CrosstablePart::default();
        let mut pass = CollectorPass::new();
        pass.sum(&GameCount, &mut counts);
        pass.sum(&CrosstableCollector, &mut sum);
        let ended = base_view::run(base, view.as_ref(), pass, control)?;
        let facts = view.as_ref().and_then(|view| view.database().facts());
        let listed = view.as_ref().and_then(BaseView::listed);
        all.games.add(sum, place, facts, listed);
        all.damaged += counts.1;
        all.ended = all.ended.and(ended);
    }
    all.ended = all.ended.and(control.completion());
    Ok(all)
}
