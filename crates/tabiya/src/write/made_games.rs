//! Writes games that a job has made to a target.

use tabiya_model::{DatabaseMetadata, Game, Result, WriteSummary};

use crate::open::base::Base;
use crate::write::report::SourceReport;
use crate::write::target::Target;

/// Writes games that were made of some bases; a target that stands there is replaced only if its options say so.
///
/// # Errors
///
/// If the target cannot be written.
pub fn write(
    games: Vec<Game>,
    sources: &[Base],
    target: &Target,
) -> Result<(WriteSummary, SourceReport)> {
    let mut writing = target.begin(sources)?;
    let report = SourceReport {
        name: target.path.display().to_string(),
        ..SourceReport::default()
    };
    let mut feed = writing.feed(DatabaseMetadata::default(), report);
    let mut singles = feed.singles(1);
    for game in games {
        singles.push(game)?;
    }
    singles.finish()?;
    let report = std::mem::take(&mut feed.report);
    Ok((writing.finish()?, report))
}
