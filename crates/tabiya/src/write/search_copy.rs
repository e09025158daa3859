//! Copies the games that a search finds to a target.

use std::ops::ControlFlow;

use tabiya_model::{Control, DatabaseMetadata, GameNeeds, Result, WriteSummary};
use tabiya_query::{MatchedGame, Query};

use crate::open::base::Base;
use crate::select::search::{SearchCallback, SearchOptions, SearchReport, search};
use crate::write::report::SourceReport;
use crate::write::target::Target;

/// What a copy of the games that were found has become.
#[derive(Debug, Default)]
pub struct SearchCopyReport {
    /// The search.
    pub search: SearchReport,
    /// What was written; `None` where it was told to stop, and nothing was.
    pub summary: Option<WriteSummary>,
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
/// use tabiya::query::{QueryContext, Query};
/// use tabiya::search::{SearchOptions, copy};
///
/// let query = Query::parse("result:1-0", QueryContext::default())?;
/// let options = SearchOptions { sort: Some("-date".parse()?), ..SearchOptions::default() };
/// let target = Target::new(folder.path().join("won.pgn"), None, Default::default())?;
/// let copied = copy(&tabiya::open(path)?, &query, &options, &target, &Control::default())?;
/// assert_eq!(copied.summary.map(|summary| summary.games), Some(2));
/// # Ok(())
/// # }
/// ```
pub fn copy(
    bases: &[Base],
    query: &Query,
    options: &SearchOptions,
    target: &Target,
    control: &Control,
) -> Result<SearchCopyReport> {
    let mut writing = target.begin(bases)?;
    let options = SearchOptions {
        plies: options.sort.is_some(),
        keep: Some(GameNeeds::ALL),
        ..options.clone()
    };
    let mut copied = SearchCopyReport::default();
    if options.mixes() && bases.len() > 1 {
        // Games of several bases are mixed.
        let abouts: Vec<DatabaseMetadata> = bases.iter().map(Base::about).collect::<Result<_>>()?;
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
        bases.iter().for_each(|base| feed.note_missing(base));
        copied.sources.push(feed.report);
    } else {
        let mut left = options.first;
        for base in bases {
            if left == Some(0) || control.is_stopped() {
                break;
            }
            let options = SearchOptions {
                first: left,
                ..options.clone()
            };
            let about = base.about()?;
            let mut feed = writing.feed(about, target.report(base));
            let mut singles = feed.singles(control.threads());
            let each: &mut SearchCallback<'_> = &mut |_, found: MatchedGame| {
                left = left.map(|left| left.saturating_sub(1));
                singles.push(*found.game.unwrap_or_default())?;
                Ok(ControlFlow::Continue(()))
            };
            let found = search(std::slice::from_ref(base), query, &options, control, each)?;
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

fn names(bases: &[Base]) -> String {
    let names: Vec<&str> = bases.iter().map(Base::name).collect();
    names.join(", ")
}
