//! Changes that were interrupted, and those that are under way while a database is opened.

use std::path::{Path, PathBuf};

use tabiya_io::change::{self, DatabaseFileStamps};
use tabiya_io::companions;
use tabiya_model::{Database, Result};

use super::steps::failed;
use crate::format::{Format, OpenFn, OpenOptions};

/// How often a database is opened again if others keep changing it.
const TRIES: usize = 100;

/// Opens a database in one state of its files: if somebody has changed it in the meantime, it is opened again, because files of
/// two states are not a database. An interrupted change is completed first.
pub fn open_settled(
    format: &Format,
    open: OpenFn,
    path: &Path,
    options: &OpenOptions,
) -> Result<Box<dyn Database>> {
    if format.edit.is_none() || format.companions.is_empty() {
        finish_interrupted(format, path)?;
        return open(path, options);
    }
    let mut tries = 0;
    loop {
        tries += 1;
        finish_interrupted(format, path)?;
        let files = files_of(format, path);
        let before = DatabaseFileStamps::of(&files);
        let opened = open(path, options);
        let is_pending = files
            .iter()
            .take(format.extensions.len() + 1)
            .any(|file| change::is_pending(file));
        if tries == TRIES || (!is_pending && DatabaseFileStamps::of(&files) == before) {
            return opened;
        }
    }
}

/// The extensions of all files that a database of a format can have.
pub(super) fn extensions_of(format: &Format) -> impl Iterator<Item = &'static str> {
    let (opening, all) = (format.extensions, format.companions);
    let others = all.iter().filter(move |it| !opening.contains(it));
    opening.iter().chain(others).copied()
}

/// The files that a database has, and if those of its format vary, the ones that it would have.
fn files_of(format: &Format, path: &Path) -> Vec<PathBuf> {
    let mut files = vec![path.to_path_buf()];
    let all = companions::existing_or_new(path, extensions_of(format));
    files.extend(all.into_iter().filter(|file| file != path));
    files
}

/// Completes a change of a database that was interrupted after its decision; every caller that opens a database by path
/// does this first. It costs almost nothing if nothing was interrupted.
pub fn finish_interrupted(format: &Format, path: &Path) -> Result<()> {
    if format.edit.is_none() {
        return Ok(());
    }
    let mut files = files_of(format, path);
    // The journal is next to the file by which the database is opened: these come first.
    for first in 0..files.len().min(format.extensions.len() + 1) {
        let is_pending = files
            .get(first)
            .is_some_and(|file| change::is_pending(file));
        if is_pending {
            files.swap(0, first);
            let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
            change::recover(&files).map_err(failed)?;
            break;
        }
    }
    Ok(())
}
