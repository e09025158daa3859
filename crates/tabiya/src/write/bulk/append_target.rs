//! Games that are appended to an existing base.

use std::path::{Path, PathBuf};

use tabiya_model::{Control, Result};

use crate::open::opener::Opener;
use crate::open::temporary_folder::PrivateFolder;
use crate::write::edit;
use crate::write::edit::{EditOperation, EditOptions, EditReport};
use crate::write::target::Target;

/// A conversion whose games are appended to a base: they are written to a temporary file in its format first, so that the
/// base changes once and only when all of them are there.
#[derive(Debug)]
pub struct AppendTarget {
    base: PathBuf,
    /// The folder of the file, which goes with it.
    _scratch: PrivateFolder,
    file: PathBuf,
}

impl AppendTarget {
    /// Redirects a target from the base that it names to a temporary file.
    ///
    /// # Errors
    ///
    /// If no temporary folder can be made.
    pub fn begin(target: &mut Target) -> Result<AppendTarget> {
        let scratch = PrivateFolder::new()?;
        let extension = target.format.extensions.first().copied().unwrap_or("pgn");
        let file = scratch.path().join(format!("games.{extension}"));
        let base = std::mem::replace(&mut target.path, file.clone());
        Ok(AppendTarget {
            base,
            _scratch: scratch,
            file,
        })
    }

    /// The base to append to.
    #[must_use]
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// Appends the new games.
    ///
    /// # Errors
    ///
    /// If the base cannot be changed.
    pub fn end(
        self,
        opener: &Opener,
        options: &EditOptions,
        control: &Control,
    ) -> Result<EditReport> {
        let new = Opener::default().open(&self.file)?;
        let change = EditOperation::Append(new);
        edit::edit_with(opener, &self.base, &change, options, control, &mut |_| {})
    }
}
