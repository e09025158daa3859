//! The file of a report, which appears when it is complete, and never replaces a database.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use serde_json::Value;
use tabiya::{Base, Target};
use tabiya_io::held_folder;
use tabiya_io::output::{OutputFile, OutputOptions};

/// A report that is to be written, to standard output if there is no file.
pub(crate) struct ReportFile(Option<OutputFile>);

impl ReportFile {
    /// Begins it before the work that it is about, which would be lost if it could not be written. An older report is replaced; files
    /// of databases that are read or written are not.
    pub(crate) fn begin(path: &Path, bases: &[Base], targets: &[&Target]) -> Result<ReportFile> {
        if targets.iter().any(|target| is_of(path, target)) {
            bail!("{}: belongs to the database to be written", path.display());
        }
        let options = OutputOptions {
            force: path.exists(),
            sources: bases.iter().flat_map(Base::files).collect(),
        };
        let output = OutputFile::create(path, &options).map_err(|error| anyhow!("{error}"))?;
        Ok(ReportFile(Some(output)))
    }

    /// One that is printed.
    pub(crate) fn stdout() -> ReportFile {
        ReportFile(None)
    }

    /// Writes it.
    pub(crate) fn write(self, report: &Value) -> Result<()> {
        let text = serde_json::to_string_pretty(report)?;
        let Some(mut file) = self.0 else {
            let mut out = super::output::stdout_of(true);
            writeln!(out, "{text}")?;
            return Ok(out.flush()?);
        };
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.commit().map_err(|error| anyhow!("{error}"))
    }
}

/// Whether a file is one of a database that is to be written.
fn is_of(path: &Path, target: &Target) -> bool {
    let folder = |path: &Path| match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => ".".into(),
    };
    let real = |path: &Path| {
        let folder = folder(path);
        held_folder::full_path(&folder).unwrap_or(folder)
    };
    if real(path) != real(&target.path) {
        return false;
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_companion = path.file_stem() == target.path.file_stem()
        && extension.is_some_and(|extension| {
            let extension = extension.to_ascii_lowercase();
            let mut all = target
                .format
                .extensions
                .iter()
                .chain(target.format.companions);
            all.any(|other| *other == extension)
        });
    path.file_name() == target.path.file_name() || is_companion
}
