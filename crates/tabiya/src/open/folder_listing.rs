//! What a folder holds for somebody who looks for a database in it: its folders, and the files by which databases are opened.

use std::path::{Path, PathBuf};

use tabiya_formats::format::{Format, FormatProbe, ProbeAnswer};
use tabiya_formats::registry::{self, FORMATS};
use tabiya_io::cloud_placeholder;
use tabiya_io::held_folder::{self, DirectoryEntry};
use tabiya_model::{Control, Result};

use crate::open::folder::{self, FolderFileKind, FolderOrigin};
use crate::open::inspection::{cannot_open, extension_of};
use crate::open::open_settings::Opener;

/// Extensions of archives, which may hold databases.
const ARCHIVES: [&str; 6] = ["cbv", "cbz", "tar", "tbz", "tgz", "zip"];

/// A database or an archive in a folder.
#[derive(Clone, Debug)]
pub struct ListedDatabase {
    /// Where it lies.
    pub path: PathBuf,
    /// The title of its format; nothing for an archive.
    pub format: Option<&'static str>,
    /// Bytes of the file by which it is opened.
    pub bytes: u64,
}

/// What a folder holds.
#[derive(Clone, Debug, Default)]
pub struct FolderContents {
    /// The folders in it, in the order of their names.
    pub folders: Vec<PathBuf>,
    /// The databases and archives in it, in the order of their names.
    pub databases: Vec<ListedDatabase>,
    /// Whether these are all.
    pub whole: bool,
}

/// Lists a folder, and no folder in it. Hidden files, what is no chess, and the files that stand beside the one by which a database is
/// opened are left out. No more than `most` folders and databases are listed.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn list_folder(
    opener: &Opener,
    path: &Path,
    most: usize,
    control: &Control,
) -> Result<FolderContents> {
    let entries = held_folder::read_dir(path).map_err(|error| cannot_open(path, error))?;
    let mut entries: Vec<DirectoryEntry> = entries
        .into_iter()
        .filter(|entry| {
            let name = entry.path.file_name().unwrap_or_default();
            !folder::is_passed_over(name.as_encoded_bytes(), FolderOrigin::Folder)
        })
        .collect();
    entries.sort_by_cached_key(|entry| (folder::plain_name(&entry.path), entry.path.clone()));
    let mut listing = FolderContents {
        whole: true,
        ..FolderContents::default()
    };
    for entry in entries {
        if control.is_stopped() || listing.folders.len() + listing.databases.len() >= most {
            listing.whole = false;
            break;
        }
        look_at(opener, &mut listing, entry);
    }
    Ok(listing)
}

fn look_at(opener: &Opener, listing: &mut FolderContents, entry: DirectoryEntry) {
    let DirectoryEntry { path, kind } = entry;
    if kind.is_dir() {
        let found = registry::identify(&FormatProbe {
            path: Some(&path),
            extension: "",
            head: &[],
            is_folder: true,
        });
        match found.filter(|(format, _)| format.open.is_some()) {
            Some((format, _)) => listing.databases.push(ListedDatabase {
                path,
                format: Some(format.title),
                bytes: 0,
            }),
            None => listing.folders.push(path),
        }
        return;
    }
    let extension = extension_of(&path);
    let is_archive = ARCHIVES.contains(&&*extension);
    let is_format = FORMATS.iter().any(|format| {
        let opens = format.open.is_some() && format.opens(&extension);
        opens && format.extensions.contains(&&*extension)
    });
    // Links to folders lead nowhere here, as where all of a folder is opened.
    let there = held_folder::metadata(&path).ok();
    let Some(there) = there.filter(|there| there.is_file() && (is_archive || is_format)) else {
        return;
    };
    if cloud_placeholder::is_placeholder(&there) {
        // Looking into it would fetch it: what its name says must do.
        let by_name = |format: &&&'static Format| {
            format.open.is_some() && format.extensions.contains(&&*extension)
        };
        listing.databases.push(ListedDatabase {
            format: FORMATS.iter().find(by_name).map(|format| format.title),
            path,
            bytes: there.len(),
        });
        return;
    }
    let Ok(look) = opener.inspect(&path) else {
        return;
    };
    let format = match FolderFileKind::of(&path, &look) {
        FolderFileKind::Database => match look.found {
            Some((format, ProbeAnswer::Yes)) => Some(format.title),
            _ => None,
        },
        FolderFileKind::Archive => None,
        // What claims to be a database is one that can be repaired.
        FolderFileKind::Unread(_) if folder::is_claimed(&extension) => None,
        _ => return,
    };
    listing.databases.push(ListedDatabase {
        path,
        format,
        bytes: there.len(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[White \"A\"]\n\n1. e4 *\n";

    fn names(paths: impl IntoIterator<Item = PathBuf>) -> Vec<String> {
        let name = |path: PathBuf| path.file_name().map(|it| it.to_string_lossy().into_owned());
        paths.into_iter().filter_map(name).collect()
    }

    #[test]
    fn folders_and_databases_are_listed_and_nothing_else() {
        let root = tempfile::tempdir().expect("a folder");
        for folder in ["b", "A", ".hidden", "a/inner"] {
            std::fs::create_dir_all(root.path().join(folder)).expect("made");
        }
        let write = |name: &str, text: &str| {
            std::fs::write(root.path().join(name), text).expect("written");
        };
        for name in ["two.pgn", "One.pgn", ".hidden.pgn", "a/inner/deep.pgn"] {
            write(name, GAME);
        }
        write("notes.txt", "words");
        write("settings.json", "{}");
        write("broken.si5", "no database");
        let listed = |most| {
            let opener = Opener::default();
            list_folder(&opener, root.path(), most, &Control::default()).expect("listed")
        };
        let all = listed(100);
        assert!(all.whole);
        // On Windows names that differ in case alone are one name.
        let mut folders = vec!["A", "a", "b"];
        folders.retain(|name| cfg!(not(windows)) || *name != "a");
        assert_eq!(names(all.folders), folders);
        let found = all.databases;
        assert_eq!(
            found.iter().map(|it| it.format).collect::<Vec<_>>(),
            [Some("Scid 5"), Some("PGN"), Some("PGN")]
        );
        assert_eq!(
            names(found.into_iter().map(|it| it.path)),
            ["broken.si5", "One.pgn", "two.pgn"]
        );
        let some = listed(2);
        assert!(!some.whole);
        assert_eq!(some.folders.len() + some.databases.len(), 2);
        let control = Control::default();
        control.stop();
        let none = list_folder(&Opener::default(), root.path(), 100, &control).expect("listed");
        assert!(!none.whole && none.folders.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_to_folders_and_pipes_are_left_out() {
        let root = tempfile::tempdir().expect("a folder");
        let other = tempfile::tempdir().expect("a folder");
        std::fs::write(root.path().join("one.pgn"), GAME).expect("written");
        std::os::unix::fs::symlink(other.path(), root.path().join("away")).expect("linked");
        std::os::unix::fs::symlink(root.path().join("one.pgn"), root.path().join("same.pgn"))
            .expect("linked");
        let found = list_folder(&Opener::default(), root.path(), 100, &Control::default());
        let found = found.expect("listed");
        assert!(found.folders.is_empty());
        assert_eq!(
            names(found.databases.into_iter().map(|it| it.path)),
            ["one.pgn", "same.pgn"]
        );
    }
}
