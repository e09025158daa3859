//! Changes that were interrupted.

use std::path::{Path, PathBuf};

use tabiya_io::{change, companions};
use tabiya_model::Result;

use super::steps::failed;
use crate::format::Format;

/// Finishes a change of a database that was interrupted after its decision; whoever opens a database by path does this
/// first. Costs next to nothing where nothing was interrupted.
pub fn finish_interrupted(format: &Format, path: &Path) -> Result<()> {
    if format.edit.is_none() {
        return Ok(());
    }
    let mut files = vec![path.to_path_buf()];
    for extension in format.extensions {
        if let Ok(Some(file)) = companions::find_optional(path, extension)
            && file != path
        {
            files.push(file);
        }
    }
    for first in 0..files.len() {
        let is_pending = files
            .get(first)
            .is_some_and(|file| change::is_pending(file));
        if is_pending {
            // The journal lies beside the file that the database is opened by.
            files.swap(0, first);
            let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
            change::recover(&files).map_err(failed)?;
            break;
        }
    }
    Ok(())
}
