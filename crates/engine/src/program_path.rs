//! The paths of engines.

use std::env::consts::EXE_SUFFIX;
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

/// The program of a name or path. A name is looked up on the path, and then where systems put games. Where programs have an ending, it may
/// be left out.
#[must_use]
pub fn program(name: &str) -> Option<PathBuf> {
    let full_name = with_ending(name, EXE_SUFFIX);
    if Path::new(name).components().count() > 1 {
        return [name, &full_name]
            .map(PathBuf::from)
            .into_iter()
            .find(|path| is_program(path));
    }
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&on_path)
        .filter(|folder| !folder.as_os_str().is_empty())
        .chain(FOLDERS.iter().map(PathBuf::from));
    named
        .map(|folder| folder.join(&full_name))
        .find(|path| is_program(path))
}

/// The name with the ending, which it may have already, in lower or upper case.
fn with_ending(name: &str, ending: &str) -> String {
    let last = name.len().saturating_sub(ending.len());
    match name.get(last..) {
        Some(end) if end.eq_ignore_ascii_case(ending) => name.to_owned(),
        _ => format!("{name}{ending}"),
    }
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

    #[test]
    fn an_ending_is_added_to_names_without_it() {
        for (name, ending, full_name) in [
            ("stockfish", ".exe", "stockfish.exe"),
            ("stockfish.exe", ".exe", "stockfish.exe"),
            ("STOCKFISH.EXE", ".exe", "STOCKFISH.EXE"),
            (r"C:\engines\lc0", ".exe", r"C:\engines\lc0.exe"),
            ("stockfish-17.1", ".exe", "stockfish-17.1.exe"),
            ("ähex", ".exe", "ähex.exe"),
            ("é", ".exe", "é.exe"),
            ("exe", ".exe", "exe.exe"),
            ("", ".exe", ".exe"),
            ("stockfish", "", "stockfish"),
            ("", "", ""),
        ] {
            assert_eq!(with_ending(name, ending), full_name);
        }
    }

    #[cfg(windows)]
    #[test]
    fn programs_are_found_with_and_without_their_ending() {
        let system = std::env::var("SystemRoot").expect("Windows says where it is");
        for name in ["cmd", "cmd.exe", "CMD.EXE"] {
            assert!(program(name).is_some(), "{name}");
            let path = format!(r"{system}\system32\{name}");
            assert!(program(&path).is_some(), "{path}");
        }
        assert_eq!(program("no-such-engine-anywhere.exe"), None);
        assert_eq!(program(r"C:\no-such-engine-anywhere"), None);
    }
}
