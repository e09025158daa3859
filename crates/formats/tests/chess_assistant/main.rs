//! Chess Assistant against databases that others made, against a second decoder, and against damage.

// What is skipped for want of test data is said aloud.
#![allow(clippy::print_stderr)]

mod claims;
mod generate;
mod hostile;
mod law;
mod oracles;
mod second;

use std::path::PathBuf;

/// A file or folder of the shared test data, or a line on stderr that says what is skipped.
fn shared(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TABIYA_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}
