//! Writes games that a job has made to a target.

use tabiya_io::output_folder::OutputFolder;
use tabiya_model::{DatabaseMetadata, Error, Game, Result, WriteSummary};

use crate::open::base::Base;
use crate::write::bulk::{UniqueFileNames, refuse_taken};
use crate::write::report::SourceReport;
use crate::write::target::Target;

/// Writes games that were made from some bases; an existing target is replaced only if its options allow it.
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

/// Writes games that were made from some bases into a new folder, which appears complete or not at all: a file for each
/// name. Returns the summary, and the names of the files in the order of the parts.
///
/// # Errors
///
/// If the folder's name exists already, and if a file cannot be written.
pub fn write_folder(
    parts: Vec<(String, Vec<Game>)>,
    sources: &[Base],
    target: &Target,
) -> Result<(WriteSummary, SourceReport, Vec<String>)> {
    refuse_taken(&target.path)?;
    let failed = |error| Error::from(std::io::Error::from(error));
    let folder = OutputFolder::create(&target.path).map_err(failed)?;
    let extension = target.format.extensions.first().copied().unwrap_or("pgn");
    let mut names = UniqueFileNames::default();
    let mut all = WriteSummary::default();
    let mut report = SourceReport {
        name: target.path.display().to_string(),
        ..SourceReport::default()
    };
    let mut files = Vec::new();
    for (name, games) in parts {
        let file = format!("{}.{extension}", names.name(&name));
        let part = Target {
            path: folder.path().join(&file),
            ..target.clone()
        };
        let (summary, told) = write(games, sources, &part)?;
        all.games += summary.games;
        all.bytes += summary.bytes;
        all.notes.extend(summary.notes);
        let written = summary.files.iter();
        all.files
            .extend(written.filter_map(|path| Some(target.path.join(path.file_name()?))));
        report.losses.append(&told.losses);
        report.unasked += told.unasked;
        files.push(file);
    }
    folder.commit().map_err(failed)?;
    Ok((all, report, files))
}
