//! The databases that the window of ChessBase shows: `DBItems.cbini` in its folder of documents.
//!
//! Only the list itself is opened. Whether its databases are there is asked of the system, so that nothing is fetched from a cloud
//! folder.

use std::path::{Path, PathBuf};

use tabiya_answers::WindowDatabaseAnswer;
use tabiya_formats::registry::FORMATS;
use tabiya_formats::window_list::{self, CbWindowDatabase};
use tabiya_io::{cloud_placeholder, held_folder, regular_file};
use tabiya_model::{Error, Result};

use crate::open::inspection::{cannot_open, extension_of};

/// The name of the list. Copies with the name of a computer are leftovers of a cloud folder, and are not read.
pub const NAME: &str = "DBItems.cbini";
/// The most bytes of a list.
const MOST: u64 = 16 << 20;

/// Where the database of a list is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum WindowDatabasePlace {
    /// On this computer.
    Here,
    /// In a cloud folder: opening it would fetch it.
    Cloud,
    /// On another computer, which is not asked.
    Network,
    /// Not where the list says.
    Missing,
}

impl WindowDatabasePlace {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            WindowDatabasePlace::Here => "here",
            WindowDatabasePlace::Cloud => "cloud",
            WindowDatabasePlace::Network => "network",
            WindowDatabasePlace::Missing => "missing",
        }
    }
}

/// A database that the window shows.
#[derive(Clone, Debug)]
pub struct WindowDatabase {
    /// What the list says.
    pub listed: CbWindowDatabase,
    /// Where it is on this computer, or would be.
    pub path: PathBuf,
    /// Whether it is there.
    pub place: WindowDatabasePlace,
    /// The title of the format that its name says.
    pub format: Option<&'static str>,
    /// Whether it is the reference database.
    pub is_reference: bool,
}

impl WindowDatabase {
    /// The answer for programs.
    pub fn answer(&self) -> WindowDatabaseAnswer {
        let date = |date: Option<tabiya_model::date::Date>| date.map(|date| date.to_string());
        WindowDatabaseAnswer {
            title: self.listed.title.clone(),
            path: self.path.display().to_string(),
            stored: self.listed.path.clone(),
            place: self.place.name(),
            format: self.format,
            games: self.listed.games,
            used: date(self.listed.used),
            added: date(self.listed.added),
            reference: self.is_reference,
        }
    }
}

/// The databases of a list, in its order. The path is that of the list, or of a folder that has it.
///
/// # Errors
///
/// If the list cannot be read.
pub fn list(path: &Path) -> Result<Vec<WindowDatabase>> {
    Ok(list_within(path, |_| true)?.collect())
}

/// The same, where only some places may be looked at: what lies elsewhere is missing, whether it is there or not. Each database is
/// looked for when it is asked for.
///
/// # Errors
///
/// If the list cannot be read.
pub fn list_within<F: Fn(&Path) -> bool>(
    path: &Path,
    may_look: F,
) -> Result<impl Iterator<Item = WindowDatabase> + use<F>> {
    let path = match held_folder::is_dir(path) {
        true => path.join(NAME),
        false => path.to_path_buf(),
    };
    let there = held_folder::metadata(&path).map_err(|error| cannot_open(&path, error))?;
    let refuse = |why: &str| cannot_open(&path, std::io::Error::other(why.to_owned()));
    if cloud_placeholder::is_placeholder(&there) {
        return Err(refuse("is only in the cloud; fetch it first"));
    }
    if there.len() > MOST {
        return Err(refuse("is too large for a list of databases"));
    }
    let file = regular_file::open(&path).map_err(|error| cannot_open(&path, error))?;
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, MOST), &mut bytes)
        .map_err(|error| cannot_open(&path, error))?;
    let list = window_list::read(&bytes)
        .map_err(|error: Error| error.in_file(path.display().to_string()))?;
    let reference = list.reference;
    Ok(list.databases.into_iter().map(move |listed| {
        let place = find(&path, &listed.path, &may_look);
        let extension = extension_of(&place.0);
        let of_name = FORMATS.iter().find(|format| {
            format.extensions.contains(&extension.as_str()) && format.opens(&extension)
        });
        let is_reference = reference.as_ref() == Some(&listed.path);
        WindowDatabase {
            listed,
            path: place.0,
            place: place.1,
            format: of_name.map(|format| format.title),
            is_reference,
        }
    }))
}

/// Where the database of a stored path is: there, or in the same place below the folder of the list, if that was moved or copied.
fn find(
    list: &Path,
    stored: &str,
    may_look: &impl Fn(&Path) -> bool,
) -> (PathBuf, WindowDatabasePlace) {
    let folder = list.parent().unwrap_or(Path::new(""));
    let is_slash = |at: usize| matches!(stored.as_bytes().get(at), Some(b'\\' | b'/'));
    // A name of another computer can be anybody's: it is not told who we are. For Windows, slashes of both kinds are the same.
    if is_slash(0) && is_slash(1) {
        return (PathBuf::from(stored), WindowDatabasePlace::Network);
    }
    let parts: Vec<&str> = stored.split(['\\', '/']).collect();
    let mut candidates = Vec::new();
    let is_absolute = stored.starts_with(['\\', '/']) || stored.get(1..2) == Some(":");
    if is_absolute {
        candidates.push(PathBuf::from(stored));
        let name = folder.file_name().unwrap_or_default();
        let below = parts
            .iter()
            .rposition(|part| name.eq_ignore_ascii_case(part))
            .and_then(|at| parts.get(at + 1..));
        if let Some(below) = below {
            candidates.push(
                below
                    .iter()
                    .fold(folder.to_path_buf(), |path, part| path.join(part)),
            );
        }
    } else if parts.iter().all(|part| !part.is_empty() && *part != "..") {
        candidates.push(
            parts
                .iter()
                .fold(folder.to_path_buf(), |path, part| path.join(part)),
        );
    }
    for path in candidates.iter().filter(|path| may_look(path)) {
        if let Ok(there) = held_folder::metadata(path)
            && (there.is_file() || there.is_dir())
        {
            let place = match cloud_placeholder::is_placeholder(&there) {
                true => WindowDatabasePlace::Cloud,
                false => WindowDatabasePlace::Here,
            };
            return (path.clone(), place);
        }
    }
    (PathBuf::from(stored), WindowDatabasePlace::Missing)
}

/// Where ChessBase keeps its list for this user, if there is one.
pub fn usual_path() -> Option<PathBuf> {
    let homes = ["OneDrive", "USERPROFILE", "HOME"];
    let folders = homes.iter().filter_map(std::env::var_os);
    folders
        .map(|home| {
            Path::new(&home)
                .join("Documents")
                .join("ChessBase")
                .join(NAME)
        })
        .find(|path| held_folder::is_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_list(folder: &Path, databases: &[(&str, &str)]) {
        let mut items = vec![0xff];
        let string = |items: &mut Vec<u8>, text: &str| {
            let length = u32::try_from(text.len()).expect("short");
            items.extend(length.to_le_bytes());
            items.extend_from_slice(text.as_bytes());
        };
        string(&mut items, "Databases");
        for (path, value) in databases {
            items.push(0x1e);
            string(&mut items, value);
            string(&mut items, path);
        }
        let mut bytes = window_list::MAGIC.to_vec();
        bytes.extend(u32::try_from(items.len()).expect("short").to_be_bytes());
        bytes.extend(items);
        std::fs::write(folder.join(NAME), bytes).expect("written");
    }

    #[test]
    fn databases_are_found_and_not_opened() {
        let room = tempfile::tempdir().expect("a folder");
        let folder = room.path().join("ChessBase");
        std::fs::create_dir_all(folder.join("Bases")).expect("made");
        let here = folder.join("Bases").join("here.cbh");
        // No database: whoever opened it would say so.
        std::fs::write(&here, b"").expect("written");
        std::fs::write(folder.join("sub.pgn"), b"").expect("written");
        write_list(
            &folder,
            &[
                (
                    "C:\\Users\\x\\Documents\\ChessBase\\Bases\\here.cbh",
                    "Here,0,1,3,1,1037620,0",
                ),
                (here.to_str().expect("a name"), "By path,0,1,3,1,1037620,0"),
                ("D:\\gone.2cbh", "Gone,0,28,7,1,0,0"),
                ("sub.pgn", "Sub,0,3,9,1,0,0"),
                ("..\\ChessBase\\sub.pgn", "Outside,0,3,9,1,0,0"),
                ("\\\\other\\share\\x.cbh", "Other,0,1,9,1,0,0"),
                ("\\/other/share/x.cbh", "Mixed,0,1,9,1,0,0"),
            ],
        );
        for path in [folder.clone(), folder.join(NAME)] {
            let found = list(&path).expect("listed");
            let told: Vec<_> = found
                .iter()
                .map(|it| (it.listed.title.as_str(), it.place.name(), it.format))
                .collect();
            let cbh = Some(tabiya_formats::cbh::FORMAT.title);
            assert_eq!(
                told,
                [
                    ("Here", "here", cbh),
                    ("By path", "here", cbh),
                    ("Gone", "missing", Some(tabiya_formats::cbh2::FORMAT.title)),
                    ("Sub", "here", Some("PGN")),
                    ("Outside", "missing", Some("PGN")),
                    ("Other", "network", cbh),
                    ("Mixed", "network", cbh),
                ]
            );
            assert_eq!(found[0].path, here);
            assert_eq!(found[0].answer().used.as_deref(), Some("2026.09.20"));
        }
        // Where nothing else may be looked at, a copy below the list is found, and what lies elsewhere is not.
        let inside = folder.join("Bases");
        let found = list_within(&folder, |path| path.starts_with(&inside)).expect("listed");
        let places: Vec<_> = found.map(|it| it.place.name()).collect();
        let all = [
            "here", "here", "missing", "missing", "missing", "network", "network",
        ];
        assert_eq!(places, all);
        assert!(list(&room.path().join("none")).is_err());
        std::fs::write(folder.join(NAME), b"[text]").expect("written");
        assert!(list(&folder).is_err());
    }
}
