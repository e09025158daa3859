//! A new, empty database.

use std::path::{Path, PathBuf};

use tabiya_formats::format::{Format, WriteOptions};
use tabiya_model::{Error, Result};

use crate::error_codes;
use crate::write::target::Target;

/// Creates a database without games; existing files are kept. Returns the files that were made.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// use tabiya::edit::make;
///
/// let files = make(&folder.path().join("mine.si5"), None, Default::default())?;
/// assert_eq!(files.len(), 3);
/// let base = tabiya::open(&files[0])?.remove(0);
/// assert_eq!(base.info().games, Some(0));
/// # Ok(())
/// # }
/// ```
pub fn make(
    path: &Path,
    format: Option<&'static Format>,
    options: WriteOptions,
) -> Result<Vec<PathBuf>> {
    let target = Target::new(path, format, options)?;
    ensure_editable(path, target.format)?;
    Ok(target.begin(&[])?.finish()?.files)
}

/// The format of the database that [`make`] would create, or why it would not.
pub fn new_format(path: &Path) -> Result<&'static Format> {
    let format = Target::new(path, None, WriteOptions::default())?.format;
    ensure_editable(path, format)?;
    Ok(format)
}

fn ensure_editable(path: &Path, format: &Format) -> Result<()> {
    if format.edit.is_some() {
        return Ok(());
    }
    Err(Error::new(
        &error_codes::NOT_CHANGEABLE,
        format!(
            "{} cannot be edited, so an empty one would stay empty; nothing was created",
            format.title
        ),
    )
    .in_file(path.display().to_string()))
}
