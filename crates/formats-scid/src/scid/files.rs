//! The three files of a database: found by the name of any of them, opened together, read at offsets.

use std::fs::File;
use std::path::{Path, PathBuf};

use tabiya_io::change;
use tabiya_model::Result;

use super::error::ScidError;
use super::layout::ScidVersion;
use tabiya_codec::edit::failed;
use tabiya_io::companions;
use tabiya_io::mmap::{FileAccess, FileBytes};
use tabiya_io::random_file::RandomFile;

/// The paths of the three files of a database.
#[derive(Clone, Debug)]
pub struct ScidFiles {
    /// The index.
    pub index: PathBuf,
    /// The game records.
    pub games: PathBuf,
    /// The names.
    pub names: PathBuf,
}

impl ScidFiles {
    /// Finds the three files from the name of any of them.
    pub fn find(path: &Path) -> Result<(ScidVersion, ScidFiles), ScidError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let version = ScidVersion::of_extension(&extension).ok_or(ScidError::Extension)?;
        let [index, games, names] = version.extensions();
        let find = |wanted: &str| {
            if extension.eq_ignore_ascii_case(wanted) {
                Ok(path.to_path_buf())
            } else {
                companions::find(path, wanted)
            }
        };
        let files = ScidFiles {
            index: find(index)?,
            games: find(games)?,
            names: find(names)?,
        };
        Ok((version, files))
    }

    /// All three.
    pub fn all(&self) -> [&Path; 3] {
        [&self.index, &self.games, &self.names]
    }

    /// Opens all three in one state of the database, and completes a change that was interrupted before.
    pub(super) fn open(&self, access: FileAccess) -> Result<ScidOpenFiles> {
        loop {
            change::recover(&self.all()).map_err(failed)?;
            let file = tabiya_io::regular_file::open(&self.index)
                .map_err(|e| ScidError::io(&self.index, e))?;
            let index =
                FileBytes::from_file(&file, access).map_err(|e| ScidError::io(&self.index, e))?;
            let opened = ScidOpenFiles {
                index,
                games: tabiya_io::regular_file::open(&self.games)
                    .map_err(|error| error.to_string()),
                names: tabiya_io::regular_file::open(&self.names)
                    .map_err(|error| error.to_string()),
            };
            // A change that was made meanwhile has replaced the index, or is about to.
            if !change::is_pending(&self.index) && change::has_name(&self.index, &file) {
                return Ok(opened);
            }
        }
    }
}

/// The three open files of one state of a database: a later change gives their names to other files.
#[derive(Debug)]
pub(super) struct ScidOpenFiles {
    pub(super) index: FileBytes,
    pub(super) games: Result<File, String>,
    pub(super) names: Result<File, String>,
}

/// The game file.
#[derive(Debug)]
pub enum ScidGameFile {
    /// In memory.
    Mapped(FileBytes),
    /// Read at offsets.
    File(RandomFile),
}

impl ScidGameFile {
    /// Takes over an open file.
    pub fn new(file: &File, mmap: bool) -> std::io::Result<ScidGameFile> {
        if mmap {
            FileBytes::from_file(file, FileAccess::Map).map(ScidGameFile::Mapped)
        } else {
            RandomFile::new(file.try_clone()?).map(ScidGameFile::File)
        }
    }

    /// Its size.
    pub fn size(&self) -> u64 {
        match self {
            ScidGameFile::Mapped(bytes) => bytes.len() as u64,
            ScidGameFile::File(file) => file.size(),
        }
    }

    /// Copies the bytes of a range, as far as they exist.
    pub fn copy(&self, offset: u64, length: u32, buffer: &mut Vec<u8>) -> std::io::Result<()> {
        let end = offset.saturating_add(u64::from(length)).min(self.size());
        let start = offset.min(end);
        match self {
            ScidGameFile::Mapped(bytes) => {
                let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                bytes.copy(at(start)..at(end), buffer)
            }
            ScidGameFile::File(file) => {
                buffer.clear();
                buffer.resize(usize::try_from(end - start).unwrap_or(0), 0);
                file.read_exact_at(buffer, start)
            }
        }
    }

    /// The bytes of a range, as far as they exist.
    #[inline]
    pub fn get<'a>(
        &'a self,
        offset: u64,
        length: u32,
        buffer: &'a mut Vec<u8>,
    ) -> std::io::Result<&'a [u8]> {
        match self {
            ScidGameFile::Mapped(bytes) => {
                let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                let end = at(offset.saturating_add(u64::from(length))).min(bytes.len());
                Ok(bytes.get(at(offset).min(end)..end).unwrap_or(&[]))
            }
            ScidGameFile::File(_) => {
                self.copy(offset, length, buffer)?;
                Ok(buffer)
            }
        }
    }
}
