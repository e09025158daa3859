//! The samples under `corpus/` as seeds, and failures as new samples.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{MAX_LEN, Target, parts};

/// Everything under `corpus/<folder>/{ok,bad,regression}` that has the target's first extension,
/// packed, with its path, in the order of the paths. Larger samples than [`MAX_LEN`] are left out.
pub fn read(corpus: &Path, target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let mut seeds = Vec::new();
    for kind in ["ok", "bad", "regression"] {
        let Ok(entries) = fs::read_dir(corpus.join(target.folder).join(kind)) else {
            continue;
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if let Some(seed) = read_one(&path, target)
                && seed.len() <= MAX_LEN
            {
                seeds.push((path, seed));
            }
        }
    }
    seeds
}

/// The sample whose first file is `path`, packed; none if it is another format's.
pub fn read_one(path: &Path, target: &Target) -> Option<Vec<u8>> {
    let extension = path.extension()?;
    let first = target.files.first()?;
    if !extension.eq_ignore_ascii_case(first) {
        return None;
    }
    let mut files = vec![fs::read(path).ok()?];
    for extension in &target.files[1..] {
        let lower = path.with_extension(extension);
        let upper = path.with_extension(extension.to_uppercase());
        files.push(
            fs::read(lower)
                .or_else(|_| fs::read(upper))
                .unwrap_or_default(),
        );
    }
    Some(parts::pack(&files))
}

/// Writes an input as a sample `corpus/<folder>/regression/fuzz-<hash>.*` and returns its path.
pub fn save(corpus: &Path, target: &Target, input: &[u8]) -> io::Result<PathBuf> {
    let folder = corpus.join(target.folder).join("regression");
    fs::create_dir_all(&folder)?;
    let stem = folder.join(format!("fuzz-{:016x}", hash(input)));
    let files = parts::unpack(target.files.len(), input);
    for (extension, file) in target.files.iter().zip(&files) {
        fs::write(stem.with_extension(extension), file)?;
    }
    Ok(stem.with_extension(target.files.first().copied().unwrap_or("bin")))
}

/// FNV-1a, which stays the same from one toolchain to the next.
fn hash(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
