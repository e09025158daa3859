//! A folder for a game while people change it.

use std::path::{Path, PathBuf};

use tabiya_model::{Error, Result};

use crate::open::temporary_folder::private;

/// A folder that is removed when it is dropped, unless it is kept.
#[derive(Debug)]
pub struct EditFolder(tempfile::TempDir);

/// Makes a folder that no other user can read.
pub fn scratch() -> Result<EditFolder> {
    let made = private(tempfile::Builder::new().prefix("tabiya-"))
        .tempdir_in(tabiya_io::scratch_file::place());
    made.map(EditFolder).map_err(|error| {
        let message = format!("cannot create a temporary folder: {error}");
        Error::of_system(error, message)
    })
}

impl EditFolder {
    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Keeps it.
    pub fn keep(self) -> PathBuf {
        self.0.keep()
    }
}
