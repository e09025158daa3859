//! Games on their way to the end of a base that exists.

use std::path::{Path, PathBuf};

use tabiya_model::{Control, Result};

use crate::open::opener::Opener;
use crate::open::temporary_folder::PrivateFolder;
use crate::write::edit;
use crate::write::edit::{EditOperation, EditOptions, EditReport};
use crate::write::target::Target;

/// A conversion whose games are added to a base: they are written beside it first, in its format, so that the base changes once and
/// only when all of them are there.
#[derive(Debug)]
pub struct AppendTarget {
    base: PathBuf,
    /// The folder of the file, which goes with it.
    _scratch: PrivateFolder,
    file: PathBuf,
}

impl AppendTarget {
    /// Turns a target away from the base that it names to a file of its own.
    ///
    /// # Errors
    ///
    /// Where no temporary folder can be made.
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

    /// The base that grows.
    #[must_use]
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// Adds what was written.
    ///
    /// # Errors
    ///
    /// Where the base cannot be changed.
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
