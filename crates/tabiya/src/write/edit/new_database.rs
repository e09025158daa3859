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
    if target.format.edit.is_none() {
        return Err(Error::new(
            &error_codes::NOT_CHANGEABLE,
            format!(
                "{} cannot be edited, so an empty one would stay empty; nothing was created",
                target.format.title
            ),
        )
        .in_file(path.display().to_string()));
    }
    Ok(target.begin(&[])?.finish()?.files)
}
