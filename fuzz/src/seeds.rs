//! The samples under `corpus/` as seeds, and failures as new samples.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{FuzzTarget, MAX_LEN, file_parts};

/// Ends of names that stand beside samples and say what is in them; readers never look at them.
const EXPECTATIONS: &[&str] = &["expected.pgn", "json", "golden", "md"];

/// The files under `corpus/<folder>/{ok,bad,regression}` with an extension, sorted within each.
pub fn paths(corpus: &Path, folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for kind in ["ok", "bad", "regression"] {
        let Ok(entries) = fs::read_dir(corpus.join(folder).join(kind)) else {
            continue;
        };
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| {
                path.is_file()
                    && !is_expectation(path)
                    && path
                        .extension()
                        .is_some_and(|own| own.eq_ignore_ascii_case(extension))
            })
            .collect();
        found.sort();
        paths.extend(found);
    }
    paths
}

fn is_expectation(path: &Path) -> bool {
    let name = path.to_string_lossy();
    EXPECTATIONS.iter().any(|end| {
        name.strip_suffix(end)
            .is_some_and(|rest| rest.ends_with('.'))
    })
}

/// The files of the sample that `path` belongs to: what follows the stem, in lower case, and the path.
pub fn companions(path: &Path) -> Vec<(String, PathBuf)> {
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem()) else {
        return Vec::new();
    };
    let stem = stem.to_string_lossy().to_lowercase();
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<(String, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && !is_expectation(path))
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().to_lowercase();
            let suffix = name.strip_prefix(&stem)?;
            suffix.starts_with('.').then(|| (suffix.to_owned(), path))
        })
        .collect();
    found.sort();
    found
}

/// All samples of a target, packed, with their paths. Larger ones than [`MAX_LEN`] are left out.
pub fn read(corpus: &Path, target: &FuzzTarget) -> Vec<(PathBuf, Vec<u8>)> {
    let extension = target.suffixes.first().map_or("", String::as_str);
    paths(corpus, &target.folder, extension.trim_start_matches('.'))
        .into_iter()
        .filter_map(|path| {
            let seed = read_one(&path, target)?;
            (seed.len() <= MAX_LEN).then_some((path, seed))
        })
        .collect()
}

/// The sample whose first file is `path`, packed.
pub fn read_one(path: &Path, target: &FuzzTarget) -> Option<Vec<u8>> {
    let mut files = vec![fs::read(path).ok()?];
    let companions = companions(path);
    for suffix in target.suffixes.iter().skip(1) {
        files.push(
            companions
                .iter()
                .find(|(own, _)| own == suffix)
                .and_then(|(_, path)| fs::read(path).ok())
                .unwrap_or_default(),
        );
    }
    Some(file_parts::pack(&files))
}

/// Writes an input as a sample `corpus/<folder>/regression/fuzz-<hash>.*` and returns its path.
pub fn save(corpus: &Path, target: &FuzzTarget, input: &[u8]) -> io::Result<PathBuf> {
    let folder = corpus.join(&target.folder).join("regression");
    fs::create_dir_all(&folder)?;
    let name = |suffix: &str| folder.join(format!("fuzz-{:016x}{suffix}", hash(input)));
    let files = file_parts::unpack(target.suffixes.len(), input);
    for (at, (suffix, file)) in target.suffixes.iter().zip(&files).enumerate() {
        if at == 0 || !file.is_empty() {
            fs::write(name(suffix), file)?;
        }
    }
    Ok(name(target.suffixes.first().map_or("", String::as_str)))
}

/// FNV-1a, which stays the same from one toolchain to the next.
fn hash(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::{read, save};
    use crate::FuzzTarget;

    #[test]
    fn a_sample_is_its_files_in_any_case_without_what_is_expected_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("form/ok");
        std::fs::create_dir_all(&folder).unwrap();
        for (name, content) in [
            ("Games.CBI", "index"),
            ("games.cbf", "games"),
            ("games.json", "{}"),
            ("games.expected.pgn", "*"),
            ("other.cbi", "alone"),
        ] {
            std::fs::write(folder.join(name), content).unwrap();
        }
        let target = FuzzTarget {
            suffixes: vec![".cbi".to_owned(), ".cbf".to_owned()],
            ..FuzzTarget::new("form", "form", ".cbi", Box::new(|_| {}))
        };
        let seeds = read(dir.path(), &target);
        let packed: Vec<&[u8]> = seeds.iter().map(|(_, seed)| seed.as_slice()).collect();
        assert_eq!(
            packed,
            [b"\x05\0\0\0indexgames" as &[u8], b"\x05\0\0\0alone"]
        );
        assert_eq!(
            super::companions(&folder.join("games.cbf"))
                .into_iter()
                .map(|(suffix, _)| suffix)
                .collect::<Vec<_>>(),
            [".cbf", ".cbi"]
        );

        let saved = save(dir.path(), &target, packed[0]).unwrap();
        assert_eq!(std::fs::read(&saved).unwrap(), b"index");
        assert_eq!(
            std::fs::read(saved.with_extension("cbf")).unwrap(),
            b"games"
        );
        assert_eq!(read(dir.path(), &target).len(), 3);
    }
}
