//! A folder for a game while people change it.

use std::path::{Path, PathBuf};

use tabiya_model::{Error, Result};

use crate::open::temporary_folder::private;

/// A folder that goes when it is dropped, unless it is kept.
#[derive(Debug)]
pub struct EditFolder(tempfile::TempDir);

/// Makes a folder that nobody else can look into.
pub fn scratch() -> Result<EditFolder> {
    let made = private(tempfile::Builder::new().prefix("tabiya-"))
        .tempdir_in(tabiya_io::scratch_file::place());
    made.map(EditFolder).map_err(|error| {
        let message = format!("no temporary folder can be made: {error}");
        Error::of_system(error, message)
    })
}

impl EditFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Leaves it where it is.
    pub fn keep(self) -> PathBuf {
        self.0.keep()
    }
}
