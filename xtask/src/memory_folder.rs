//! A folder in memory for the temporary files of tests.
//!
//! Tests of interrupted changes force files to the disk a hundred thousand times, and nobody needs these files after a crash of the
//! machine. The long form stays on the disk, as users do.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command},
};

use crate::steps;

/// Where Linux offers files in memory.
const MEMORY: &str = "/dev/shm";
/// The memory that must be free: tests use much less, but not all machines have it.
const NEEDED: u64 = 6 << 30;

/// A folder that is removed at the end; none where memory is scarce, where the variable `TMPDIR` names another place, and in the long form.
pub(crate) struct MemoryFolder(Option<PathBuf>);

impl MemoryFolder {
    pub(crate) fn new() -> MemoryFolder {
        let is_wanted = !steps::is_full() && env::var_os("TMPDIR").is_none();
        if !is_wanted || free_memory().is_none_or(|free| free < NEEDED) {
            return MemoryFolder(None);
        }
        let folder = Path::new(MEMORY).join(format!("tests-{}", process::id()));
        MemoryFolder(fs::create_dir(&folder).is_ok().then_some(folder))
    }

    /// Has a command put its temporary files there.
    pub(crate) fn give(&self, command: &mut Command) {
        if let Some(folder) = &self.0 {
            command.env("TMPDIR", folder);
        }
    }

    /// Has the tests that `cargo test` runs put theirs there. Cargo itself does not learn of it: it would build anew what depends on its
    /// environment.
    pub(crate) fn give_tests(&self, cargo: &mut Command) {
        if let Some(folder) = &self.0 {
            let runner = format!(
                "target.'cfg(unix)'.runner = ['env', 'TMPDIR={}']",
                folder.display()
            );
            cargo.args(["--config", &runner]);
        }
    }
}

impl Drop for MemoryFolder {
    fn drop(&mut self) {
        if let Some(folder) = &self.0
            && let Err(error) = fs::remove_dir_all(folder)
        {
            eprintln!("{} could not be removed: {error}", folder.display());
        }
    }
}

/// The free bytes of memory, and of the file system in it: whichever is less.
fn free_memory() -> Option<u64> {
    let kept = fs::read_to_string("/proc/meminfo").ok()?;
    let line = kept
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let memory: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    let output = Command::new("df")
        .args(["--output=avail", "--block-size=1", MEMORY])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let room: u64 = text.lines().nth(1)?.trim().parse().ok()?;
    Some(room.min(memory << 10))
}
