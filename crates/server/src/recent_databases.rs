//! The databases that were opened last, remembered from run to run, in a folder that is private to the user.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// How many are remembered.
const MOST: usize = 30;
/// The longest file that is read.
const LONGEST: u64 = 1 << 20;

/// Their paths, the newest first, in a file of their own.
#[derive(Debug, Default)]
pub(crate) struct RecentDatabases {
    file: Option<PathBuf>,
    /// What was written last in this run.
    last: Mutex<Option<PathBuf>>,
}

impl RecentDatabases {
    /// Those of a folder; without one nothing is remembered.
    pub(crate) fn of(folder: Option<&Path>) -> RecentDatabases {
        RecentDatabases {
            file: folder.map(|folder| folder.join("recent.json")),
            last: Mutex::default(),
        }
    }

    /// The paths, the newest first. A file that cannot be read is none: it is not worth a failure.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let Some(file) = &self.file else {
            return Vec::new();
        };
        let is_sound = std::fs::metadata(file).is_ok_and(|about| about.len() <= LONGEST);
        let text = if is_sound {
            tabiya_io::regular_file::read_to_string(file).unwrap_or_default()
        } else {
            String::new()
        };
        let known: Value = serde_json::from_str(&text).unwrap_or_default();
        let known = known.as_array().map(Vec::as_slice).unwrap_or_default();
        let paths = known.iter().filter_map(Value::as_str).map(PathBuf::from);
        paths.filter(|path| path.is_absolute()).take(MOST).collect()
    }

    /// Remembers that a database was opened. Where that fails, it is not remembered.
    pub(crate) fn add(&self, path: &Path) {
        let Some(file) = &self.file else { return };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_deref() == Some(path) {
            return;
        }
        let mut paths = self.paths();
        paths.retain(|known| known != path);
        paths.insert(0, path.to_owned());
        paths.truncate(MOST);
        // Paths that are no text cannot be written here.
        let texts: Vec<&str> = paths.iter().filter_map(|path| path.to_str()).collect();
        if write(file, Value::from(texts).to_string().as_bytes()).is_ok() {
            *last = Some(path.to_owned());
        }
    }
}

/// Puts a file that only its user can read in the place of another one, all of it or nothing.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    fresh.write_all(bytes)?;
    fresh.persist(file)?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stands_first_and_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let recent = RecentDatabases::of(Some(folder.path()));
        assert!(recent.paths().is_empty());
        for number in 0..40 {
            recent.add(Path::new(&format!("/bases/{}.pgn", number % 35)));
        }
        let again = RecentDatabases::of(Some(folder.path())).paths();
        assert_eq!(again.len(), MOST);
        assert_eq!(again[0], Path::new("/bases/4.pgn"));
        assert_eq!(again[5], Path::new("/bases/34.pgn"));
        std::fs::write(folder.path().join("recent.json"), "[1, \"x\", {").expect("written");
        assert!(recent.paths().is_empty());
    }
}
