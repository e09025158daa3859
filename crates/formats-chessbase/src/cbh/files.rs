//! The files of a database: one name and many extensions; only `.cbh` is required.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tabiya_io::companions;
use tabiya_io::held_folder::{self, DirectoryEntry};
use tabiya_model::{Error, Result};

/// Files that are read, the header file first.
pub const READ: [&str; 13] = [
    "cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbj", "cbtt", "cbm", "ini",
];

/// Files that are not read, and that a change writes anew where they are: places of moves, and bits of evaluated and top games.
pub(super) const CARRIED: [&str; 2] = ["cbgi", "flags"];

/// All files of a database but the one that opens it: what is read, and what a change writes.
pub(super) const COMPANIONS: [&str; 14] = [
    "cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbj", "cbtt", "cbm", "ini", "cbgi",
    "flags",
];

/// Files that are known and not needed: lists of games and boosters. The program makes them again when they are missing.
pub(super) const REMADE: [&str; 5] = ["cit", "cib", "cit2", "cib2", "cbb"];

/// Files that are known and not needed: keys, and one whose content is not known.
pub(super) const KEYS: [&str; 11] = [
    "cko", "cpo", "ckn", "cpn", "ck1", "ck2", "ck3", "cp1", "cp2", "cp3", "cbd",
];

/// A file that belongs to a PGN file of the same name: the places of its games.
const OF_PGN: [&str; 1] = ["pgi"];

/// The files of a database that were found.
#[derive(Clone, Debug, Default)]
pub struct CbhFiles {
    found: Vec<(&'static str, PathBuf)>,
    /// Files that are known and not read.
    pub unread: Vec<PathBuf>,
}

impl CbhFiles {
    /// Finds the files of the database to which a path belongs, regardless of the case of their names.
    pub fn find(path: &Path) -> Result<CbhFiles> {
        CbhFiles::find_of(
            path,
            &READ,
            &[&CARRIED[..], &REMADE, &KEYS, &OF_PGN].concat(),
        )
    }

    /// Finds files of these extensions, which are read, and of those, which are only known.
    pub(crate) fn find_of(
        path: &Path,
        read: &[&'static str],
        unread: &[&'static str],
    ) -> Result<CbhFiles> {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let stem = path.file_stem().unwrap_or_default();
        let io = |error: std::io::Error| {
            Error::from(error).in_file(folder.to_string_lossy().into_owned())
        };
        let mut candidates: Vec<(&'static str, PathBuf)> = Vec::new();
        let mut files = CbhFiles::default();
        for DirectoryEntry { path: found, .. } in held_folder::read_dir(folder).map_err(io)? {
            let is_ours = found
                .file_stem()
                .is_some_and(|own| own.eq_ignore_ascii_case(stem));
            let extension = found.extension().and_then(OsStr::to_str);
            let (true, Some(extension)) = (is_ours, extension) else {
                continue;
            };
            let known = |list: &[&'static str]| {
                list.iter()
                    .copied()
                    .find(|known| known.eq_ignore_ascii_case(extension))
            };
            if let Some(known) = known(read) {
                candidates.push((known, found));
            } else if known(unread).is_some() {
                files.unread.push(found);
            }
        }
        files.unread.sort();
        for extension in read.iter().copied() {
            let mut of_kind = candidates.iter().filter(|(known, _)| *known == extension);
            let (first, second) = (of_kind.next(), of_kind.next());
            let given = path
                .extension()
                .is_some_and(|own| own.eq_ignore_ascii_case(extension));
            let found = match (first, second) {
                _ if given => path.to_path_buf(),
                (None, _) => continue,
                (Some((_, only)), None) => only.clone(),
                // Names that differ in nothing but case: the one spelled like the path wins, else nobody can tell.
                _ => match companions::find_optional(path, extension) {
                    Ok(Some(found)) => found,
                    Ok(None) => continue,
                    Err(error) => return Err(Error::from(std::io::Error::from(error))),
                },
            };
            files.found.push((extension, found));
        }
        Ok(files)
    }

    /// The file of an extension.
    pub fn get(&self, extension: &str) -> Option<&Path> {
        self.found
            .iter()
            .find(|(known, _)| *known == extension)
            .map(|(_, path)| path.as_path())
    }

    /// The files that are read, in their order.
    pub fn read(&self) -> impl Iterator<Item = &Path> {
        self.found.iter().map(|(_, path)| path.as_path())
    }

    /// The files that are not read, and that a change writes anew, in their order.
    pub(super) fn carried(&self) -> impl Iterator<Item = &Path> {
        CARRIED.iter().filter_map(|extension| {
            let is_it = |file: &&PathBuf| {
                file.extension()
                    .is_some_and(|own| own.eq_ignore_ascii_case(extension))
            };
            self.unread.iter().find(is_it).map(PathBuf::as_path)
        })
    }
}

/// The value of a key in the program's settings, which are lines in sections.
pub fn setting<'a>(ini: &'a [u8], section: &str, key: &str) -> Option<&'a [u8]> {
    let mut inside = false;
    for line in ini.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        if let Some(name) = line.strip_prefix(b"[").and_then(|it| it.strip_suffix(b"]")) {
            inside = name.eq_ignore_ascii_case(section.as_bytes());
        } else if inside
            && let Some(at) = memchr::memchr(b'=', line)
            && line
                .get(..at)
                .is_some_and(|name| name.eq_ignore_ascii_case(key.as_bytes()))
        {
            return line.get(at + 1..);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_stand_in_sections() {
        let ini = b"[A]\r\nTitle=no\r\n[DescrCBG]\r\nType=26\r\ntitle=TWIC = good\r\n[B]\nTitle=x";
        assert_eq!(setting(ini, "DescrCBG", "Title"), Some(&b"TWIC = good"[..]));
        assert_eq!(setting(ini, "DescrCBG", "Usage"), None);
        assert_eq!(setting(b"", "DescrCBG", "Title"), None);
    }

    #[test]
    fn files_are_found_in_any_case() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["Base.CBH", "base.cbg", "BASE.cit", "other.cba", "base.txt"] {
            std::fs::write(folder.path().join(name), b"").expect("written");
        }
        let files = CbhFiles::find(&folder.path().join("Base.CBH")).expect("found");
        assert_eq!(files.read().count(), 2);
        assert!(files.get("cbg").is_some() && files.get("cba").is_none());
        assert_eq!(files.unread.len(), 1);
    }
}
