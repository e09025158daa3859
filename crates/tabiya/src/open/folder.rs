//! Folders of databases: which of their files are opened, and which cannot be opened and are reported.
//!
//! A folder is opened so that nothing in it is missed. Files that have nothing to do with chess are skipped; a file that
//! claims to be a database and cannot be opened is a failure of its own, and the others are opened.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::open::foreign_formats;
use crate::open::inspection::{FileInspection, cannot_open, extension_of, unknown};
use crate::open::open_settings::Opener;
use tabiya_formats::format::{Format, FormatProbe, ProbeAnswer};
use tabiya_formats::registry::{self, FORMATS};
use tabiya_io::compression::ContentKind;
use tabiya_io::held_folder::{self, DirectoryEntry};
use tabiya_io::{change, lock};
use tabiya_model::{Error, Result};

/// Where a folder is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum FolderOrigin {
    /// Where somebody keeps files.
    Folder,
    /// It was unpacked: its archive tells what in it is no database.
    Archive,
}

/// What a file is to somebody who wants every database of a folder.
#[derive(Debug)]
pub(crate) enum FolderFileKind {
    /// The file by which a database is opened.
    Database,
    /// A file beside it.
    Companion(&'static Format),
    /// An archive, which may hold some.
    Archive,
    /// What claims to be a database, or may hold some, and cannot be opened.
    Unread(Error),
    /// No chess, or the file of another program beside a database.
    Other,
}

/// Extensions that files of other kinds have as well.
const OF_OTHERS: [&str; 4] = ["bin", "json", "jsonl", "sql"];

impl FolderFileKind {
    /// Tells what a file of a folder is.
    pub(crate) fn of(file: &Path, look: &FileInspection) -> FolderFileKind {
        let name = || file.display().to_string();
        let extension = extension_of(file);
        if look.is_folder {
            return FolderFileKind::Database;
        }
        if let Some((format, ProbeAnswer::Yes)) = look.found
            && format.open.is_some()
        {
            return match format.opens(&extension) {
                true => FolderFileKind::Database,
                false => FolderFileKind::Companion(format),
            };
        }
        if matches!(
            look.kind,
            ContentKind::Zip | ContentKind::Tar | ContentKind::Cbv
        ) || extension == "cbz"
        {
            return FolderFileKind::Archive;
        }
        let is_packed = matches!(look.kind, ContentKind::Rar | ContentKind::SevenZip);
        let is_claimed = is_claimed(&extension);
        match look.foreign {
            Some(foreign) if is_packed || is_claimed || foreign_formats::has_name(&extension) => {
                FolderFileKind::Unread(foreign.error(&name()))
            }
            _ if is_claimed => FolderFileKind::Unread(unknown(&name())),
            _ => FolderFileKind::Other,
        }
    }
}

/// Whether a file of this extension is a chess database by its name, and a format reads such.
pub(crate) fn is_claimed(extension: &str) -> bool {
    !OF_OTHERS.contains(&extension)
        && FORMATS.iter().any(|format| {
            format.open.is_some()
                && format.extensions.contains(&extension)
                && format.opens(extension)
        })
}

impl Opener {
    /// Every file below a folder, in the order of their names, and the folders that are databases, such as lakes. Hidden ones, and
    /// what a writer has beside a database while it works, are passed over; those of an archive are not.
    pub(crate) fn files_of(folder: &Path, inside: FolderOrigin) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries =
                held_folder::read_dir(&folder).map_err(|error| cannot_open(&folder, error))?;
            for DirectoryEntry { path, kind } in entries {
                let name = path.file_name().unwrap_or_default();
                if is_passed_over(name.as_encoded_bytes(), inside) {
                    continue;
                }
                // Links to folders are not followed: they could lead in a circle.
                if kind.is_dir() {
                    let found = registry::identify(&FormatProbe {
                        path: Some(&path),
                        extension: "",
                        head: &[],
                        is_folder: true,
                    });
                    match found.is_some_and(|(format, _)| format.open.is_some()) {
                        true => files.push(path),
                        false => folders.push(path),
                    }
                } else if !(kind.is_symlink()
                    && held_folder::metadata(&path).is_ok_and(|it| it.is_dir()))
                {
                    files.push(path);
                }
            }
        }
        files.sort();
        Ok(files)
    }
}

/// Whether a regular file stands there, also behind a link.
pub(crate) fn is_regular(file: &Path) -> bool {
    held_folder::metadata(file).is_ok_and(|there| there.is_file())
}

/// A path in lower case, as names that differ by case alone belong together.
pub(crate) fn plain_name(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

/// Whether the file stands in the folder by which a database is opened that this file is a part of.
pub(crate) fn has_main(format: &Format, file: &Path, names: &BTreeSet<String>) -> bool {
    let opening = format.extensions.iter().filter(|it| format.opens(it));
    opening
        .map(|extension| plain_name(&file.with_extension(extension)))
        .any(|name| names.contains(&name))
}

/// Whether a name is hidden, or that of what a writer has beside a database while it works, or has left when it was killed.
pub(crate) fn is_passed_over(name: &[u8], inside: FolderOrigin) -> bool {
    let is_named = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end.as_bytes()));
    match inside {
        FolderOrigin::Archive => is_named(&[tabiya_formats::edit::STAGE]),
        FolderOrigin::Folder => {
            name.starts_with(b".")
                || is_named(&[
                    tabiya_formats::edit::STAGE,
                    change::NEW,
                    change::JOURNAL,
                    lock::EXTENSION,
                ])
        }
    }
}
