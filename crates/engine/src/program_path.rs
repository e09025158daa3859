//! The paths of engines.

use std::path::{Path, PathBuf};

/// Folders where systems put games and what people install themselves, which need not be on the path.
#[cfg(unix)]
const FOLDERS: &[&str] = &[
    "/usr/games",
    "/usr/local/games",
    "/usr/local/bin",
    "/usr/bin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/snap/bin",
];
#[cfg(not(unix))]
const FOLDERS: &[&str] = &[];

/// The default engine.
pub const USUAL: &str = "stockfish";

/// The program of a name or path. A name is looked up on the path, and then where systems put games.
#[must_use]
pub fn program(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return is_program(path).then(|| path.to_owned());
    }
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&on_path)
        .filter(|folder| !folder.as_os_str().is_empty())
        .chain(FOLDERS.iter().map(PathBuf::from));
    named
        .map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 == 0 {
        return false;
    }
    metadata.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn programs_are_found_by_name_and_by_path() {
        assert!(program("sh").is_some());
        assert!(program("/bin/sh").is_some());
        assert_eq!(program("no-such-engine-anywhere"), None);
        assert_eq!(program("/etc/passwd"), None);
        assert_eq!(program(""), None);
    }
}
