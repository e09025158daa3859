//! The other files of a database with several files: `GAMES.CBF` for `games.cbi`.
//!
//! Old databases were written by DOS and Windows programs, where names are case-insensitive, and have since been copied
//! by case-sensitive systems. So the case of ASCII letters is ignored when a companion is looked up, and an exactly
//! matching name wins over others.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::held_folder;

/// Why a companion cannot be opened.
#[derive(Debug, Error)]
pub enum CompanionError {
    /// There is no such file.
    #[error(
        "{}: its companion \"{wanted}\" is missing in the same folder (upper and lower case are the same)",
        source_path.display()
    )]
    Missing {
        /// The given file.
        source_path: PathBuf,
        /// The name of the missing one.
        wanted: String,
    },
    /// Several files differ only in case, and none has the exact name.
    #[error(
        "{}: several files could be its companion \"{wanted}\": {}",
        source_path.display(),
        candidates.join(", ")
    )]
    Ambiguous {
        /// The given file.
        source_path: PathBuf,
        /// The expected name.
        wanted: String,
        /// The names that were found.
        candidates: Vec<String>,
    },
    /// The folder could not be listed.
    #[error("{}: {error}", folder.display())]
    Io {
        /// The folder.
        folder: PathBuf,
        /// The system error.
        error: io::Error,
    },
}

impl CompanionError {
    /// The file in its message.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            CompanionError::Missing {
                source_path: path, ..
            }
            | CompanionError::Ambiguous {
                source_path: path, ..
            }
            | CompanionError::Io { folder: path, .. } => path,
        }
    }
}

impl From<CompanionError> for io::Error {
    fn from(error: CompanionError) -> Self {
        let kind = match &error {
            CompanionError::Missing { .. } => io::ErrorKind::NotFound,
            CompanionError::Ambiguous { .. } => io::ErrorKind::InvalidInput,
            CompanionError::Io { error, .. } => error.kind(),
        };
        Self::new(kind, error)
    }
}

/// The sibling of `path` with the same stem and another extension (given without its dot).
pub fn find(path: &Path, extension: &str) -> Result<PathBuf, CompanionError> {
    find_optional(path, extension)?.ok_or_else(|| missing(path, extension))
}

/// The same, if a database is complete without the companion.
pub fn find_optional(path: &Path, extension: &str) -> Result<Option<PathBuf>, CompanionError> {
    let mut wanted = path.file_stem().unwrap_or_default().to_os_string();
    wanted.push(".");
    wanted.push(extension);
    find_name(path, &wanted)
}

/// The sibling of `path` with this full name, if there is one.
pub fn find_name(path: &Path, name: &OsStr) -> Result<Option<PathBuf>, CompanionError> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let io_error = |error| CompanionError::Io {
        folder: folder.to_path_buf(),
        error,
    };
    // Links are followed; a link to nothing or to a folder is no companion.
    let is_file =
        |path: &Path| held_folder::metadata(path).is_ok_and(|metadata| metadata.is_file());
    // The folder, which may be large, is listed only if no name matches exactly.
    let exact = sibling(path, name);
    if is_file(&exact) {
        return Ok(Some(exact));
    }
    let mut found: Vec<std::ffi::OsString> = Vec::new();
    for entry in held_folder::read_dir(folder).map_err(io_error)? {
        let Some(candidate) = entry.path.file_name() else {
            continue;
        };
        if candidate.eq_ignore_ascii_case(name) && is_file(&entry.path) {
            found.push(candidate.to_owned());
        }
    }
    // `GAMES.CBF` prefers `GAMES.CBI` to `Games.cbi`: the stem with the same spelling wins.
    if found.len() > 1 {
        let stem = path.file_stem();
        let alike: Vec<_> = found
            .iter()
            .filter(|candidate| Path::new(candidate).file_stem() == stem)
            .cloned()
            .collect();
        let same_case: Vec<_> = alike
            .iter()
            .filter(|candidate| {
                is_upper(Path::new(candidate).extension()) == is_upper(path.extension())
            })
            .cloned()
            .collect();
        if same_case.len() == 1 {
            found = same_case;
        } else if alike.len() == 1 {
            found = alike;
        }
    }
    found.sort();
    match found.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(sibling(path, only))),
        several => Err(CompanionError::Ambiguous {
            source_path: path.to_path_buf(),
            wanted: name.to_string_lossy().into_owned(),
            candidates: several
                .iter()
                .map(|candidate| candidate.to_string_lossy().into_owned())
                .collect(),
        }),
    }
}

/// The files that a database has under these extensions, or would have: an existing file, or the name that a new one gets, in
/// the case of the first file. A name that nobody can choose among several counts as one of a new file.
pub fn existing_or_new<'e>(
    path: &Path,
    extensions: impl IntoIterator<Item = &'e str>,
) -> Vec<PathBuf> {
    let stem = path.file_stem().unwrap_or_default();
    // The folder, which may be large, is listed once at most.
    let mut listed: Option<Vec<PathBuf>> = None;
    let mut files: Vec<PathBuf> = Vec::new();
    for extension in extensions {
        let is_it = |file: &Path| {
            file.extension()
                .is_some_and(|own| own.eq_ignore_ascii_case(extension))
        };
        let exact = path.with_extension(extension);
        let found = if is_it(path) {
            Some(path.to_path_buf())
        } else if held_folder::is_file(&exact) {
            Some(exact)
        } else {
            let listed = listed.get_or_insert_with(|| beside(path, stem));
            let mut alike = listed
                .iter()
                .filter(|file| is_it(file) && held_folder::is_file(file));
            match (alike.next(), alike.next()) {
                (None, _) => None,
                (Some(only), None) => Some(only.clone()),
                _ => find_optional(path, extension).ok().flatten(),
            }
        };
        let found = found.unwrap_or_else(|| {
            let first = files.first().map_or(path, PathBuf::as_path);
            match is_upper(first.extension()) {
                true => first.with_extension(extension.to_ascii_uppercase()),
                false => first.with_extension(extension),
            }
        });
        files.push(found);
    }
    files
}

/// The files beside `path` with this stem, in any case.
pub fn beside(path: &Path, stem: &OsStr) -> Vec<PathBuf> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let entries = held_folder::read_dir(folder).unwrap_or_default();
    let files = entries.into_iter().map(|entry| entry.path);
    files
        .filter(|file| {
            file.file_stem()
                .is_some_and(|own| own.eq_ignore_ascii_case(stem))
        })
        .collect()
}

/// All companions of a set at once, in the given order; the error names the first missing one.
pub fn find_all<const N: usize>(
    path: &Path,
    extensions: [&str; N],
) -> Result<[PathBuf; N], CompanionError> {
    let mut found = std::array::from_fn(|_| PathBuf::new());
    for (place, extension) in found.iter_mut().zip(extensions) {
        *place = find(path, extension)?;
    }
    Ok(found)
}

fn sibling(path: &Path, name: &OsStr) -> PathBuf {
    path.with_file_name(name)
}

fn is_upper(extension: Option<&OsStr>) -> bool {
    extension.is_some_and(|extension| {
        let bytes = extension.as_encoded_bytes();
        bytes.iter().any(u8::is_ascii_uppercase) && !bytes.iter().any(u8::is_ascii_lowercase)
    })
}

fn missing(path: &Path, extension: &str) -> CompanionError {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    CompanionError::Missing {
        source_path: path.to_path_buf(),
        wanted: format!("{stem}.{extension}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for name in names {
            std::fs::write(folder.path().join(name), b"").expect("written");
        }
        folder
    }

    #[test]
    fn case_does_not_matter() {
        let folder = folder_of(&["X.CBF", "x.cbi", "other.cbi"]);
        let path = folder.path().join("X.CBF");
        // If the file system ignores the case, the first spelling that is tried is found.
        let spelled = |found: PathBuf| match cfg!(windows) {
            true => PathBuf::from(
                found
                    .to_string_lossy()
                    .replace("X.", "x.")
                    .replace(".CBI", ".cbi"),
            ),
            false => found,
        };
        for wanted in ["cbi", "CBI"] {
            let found = find(&path, wanted).expect("found");
            assert_eq!(spelled(found), folder.path().join("x.cbi"));
        }
        let [index, games] = find_all(&path, ["cbi", "cbf"]).expect("both");
        assert!(spelled(index).ends_with("x.cbi"));
        let games = games.file_name().unwrap_or_default();
        assert!(games == "X.CBF" || (cfg!(windows) && games.eq_ignore_ascii_case("X.CBF")));
    }

    #[test]
    fn the_missing_one_is_named() {
        let folder = folder_of(&["x.si4"]);
        let path = folder.path().join("x.si4");
        let error = find(&path, "sn4").expect_err("missing");
        assert!(
            error.to_string().contains("\"x.sn4\" is missing"),
            "{error}"
        );
        assert_eq!(io::Error::from(error).kind(), io::ErrorKind::NotFound);
        assert!(find_optional(&path, "sn4").expect("listed").is_none());
        std::fs::create_dir(folder.path().join("x.sn4")).expect("made");
        assert!(find(&path, "sn4").is_err(), "a folder is no companion");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_better_spelling_wins_and_a_draw_is_an_error() {
        let folder = folder_of(&[
            "G.CBF", "G.CBI", "g.cbi", "g.cbf", "Q.CBF", "q.Cbi", "Q.cbI",
        ]);
        let find_beside = |name: &str, extension| find(&folder.path().join(name), extension);
        assert!(
            find_beside("G.CBF", "CBI")
                .expect("exact")
                .ends_with("G.CBI")
        );
        assert!(
            find_beside("g.cbf", "cbi")
                .expect("exact")
                .ends_with("g.cbi")
        );
        assert!(
            find_beside("G.CBF", "cbi")
                .expect("stem")
                .ends_with("G.CBI")
        );
        assert!(
            find_beside("Q.CBF", "cbi")
                .expect("stem")
                .ends_with("Q.cbI")
        );
        let error = find_beside("Q2/../Q.CBF", "cbi");
        assert!(
            error.is_err(),
            "a folder that does not exist cannot be listed"
        );
        let folder = folder_of(&["a.CBI", "A.cbi"]);
        let error = find(&folder.path().join("a.cbf"), "Cbi");
        assert!(error.expect("stem").ends_with("a.CBI"));
        let folder = folder_of(&["q.CBI", "Q.cbi"]);
        let error = find(&folder.path().join("qQ").with_file_name("z.cbf"), "cbi");
        assert!(matches!(error, Err(CompanionError::Missing { .. })));
        let name = OsStr::new("QX.cbi");
        let folder = folder_of(&["qx.CBI", "Qx.CBI"]);
        let error = find_name(&folder.path().join("base"), name).expect_err("two of them");
        assert!(error.to_string().contains("Qx.CBI, qx.CBI"), "{error}");
    }

    #[test]
    fn files_that_exist_and_names_of_new_ones() {
        let folder = folder_of(&["Base.CBH", "base.cbg", "BASE.cba", "other.cbp"]);
        let path = folder.path().join("Base.CBH");
        // On Windows a file is the same whatever the case of its name.
        let compared = |name: &str| match cfg!(windows) {
            true => name.to_lowercase(),
            false => name.to_owned(),
        };
        let wanted = ["Base.CBH", "base.cbg", "BASE.cba", "Base.CBP"].map(compared);
        let names = |path: &Path| -> Vec<String> {
            existing_or_new(path, ["cbh", "cbg", "cba", "cbp"])
                .iter()
                .map(|file| compared(&file.file_name().expect("named").to_string_lossy()))
                .collect()
        };
        assert_eq!(names(&path), wanted);
        // By whatever file it is named: a new one is named like the first.
        let moves = folder.path().join("base.cbg");
        assert_eq!(names(&moves), wanted);
        let nothing = folder.path().join("none.cbh");
        assert_eq!(names(&nothing)[3], "none.cbp");
    }
}
