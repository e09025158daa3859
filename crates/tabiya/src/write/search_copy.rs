//! Copies the games that a search finds to a target.

use std::ops::ControlFlow;

use tabiya_model::{Control, DatabaseMetadata, GameNeeds, Result, WriteSummary};
use tabiya_query::MatchedGame;

use crate::open::base::Base;
use crate::select::search::{SearchCallback, SearchOptions, SearchReport, scan, search};
use crate::select::selection::Selection;
use crate::write::report::SourceReport;
use crate::write::target::Target;

/// The result of copying the games that were found.
#[derive(Debug, Default)]
pub struct SearchCopyReport {
    /// The search.
    pub search: SearchReport,
    /// The summary of the target; `None` if it was stopped, and nothing was written.
    pub summary: Option<WriteSummary>,
    /// One report per base, or one for all if they are mixed.
    pub sources: Vec<SourceReport>,
}

/// Copies the chosen games to a target.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// # let folder = tempfile::tempdir()?;
/// use tabiya::{Selection, Target};
/// use tabiya::model::Control;
/// use tabiya::query::{QueryContext, Query};
/// use tabiya::search::{SearchOptions, copy};
///
/// let query = Query::parse("result:1-0", QueryContext::default())?;
/// let options = SearchOptions { sort: Some("-date".parse()?), ..SearchOptions::default() };
/// let target = Target::new(folder.path().join("won.pgn"), None, Default::default())?;
/// let games = Selection::of(tabiya::open(path)?).matching(query);
/// let copied = copy(&games, &options, &target, &Control::default())?;
/// assert_eq!(copied.summary.map(|summary| summary.games), Some(2));
/// # Ok(())
/// # }
/// ```
pub fn copy(
    games: &Selection,
    options: &SearchOptions,
    target: &Target,
    control: &Control,
) -> Result<SearchCopyReport> {
    let bases = &games.bases;
    let mut writing = target.begin(bases)?;
    // An order may ask for the ply of a hit; a copy does not.
    let plies = options.sort.is_some();
    let keep = Some(GameNeeds::ALL);
    let mut copied = SearchCopyReport::default();
    if options.mixes() {
        // Hits come in another order than that of the games, or not all of them: the search itself gives them.
        let abouts: Vec<DatabaseMetadata> = bases.iter().map(Base::about).collect::<Result<_>>()?;
        let mut report = SourceReport::default();
        if let Some(base) = bases.first() {
            report = target.report(base);
        }
        report.name = games.base_names().join(", ");
        let mut feed = writing.feed_mixed(&abouts, report);
        let mut singles = feed.singles(control.threads());
        let options = SearchOptions {
            plies,
            keep,
            ..options.clone()
        };
        copied.search = search(games, &options, control, &mut |_, found| {
            singles.push(*found.game.unwrap_or_default())?;
            Ok(ControlFlow::Continue(()))
        })?;
        singles.finish()?;
        bases.iter().for_each(|base| feed.note_missing(base));
        copied.sources.push(feed.report);
    } else {
        let asked = options.asked(games, keep, plies);
        let mut left = options.first.unwrap_or(u64::MAX);
        for base in bases {
            if left == 0 || control.is_stopped() {
                break;
            }
            let about = base.about()?;
            let mut feed = writing.feed(about, target.report(base));
            let mut singles = feed.singles(control.threads());
            let each: &mut SearchCallback<'_> = &mut |_, found: MatchedGame| {
                left -= 1;
                singles.push(*found.game.unwrap_or_default())?;
                Ok(match left {
                    0 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                })
            };
            let found = scan(&games.within(base), asked, control, each)?;
            copied.search.bases.extend(found.bases);
            singles.finish()?;
            feed.note_missing(base);
            copied.sources.push(feed.report);
        }
    }
    copied.search.ended = control.completion();
    if copied.search.ended.is_whole() {
        copied.summary = Some(writing.finish()?);
    }
    Ok(copied)
}
