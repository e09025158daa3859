//! CBF against databases that others wrote, against a second decoder, and against damage.

// What is skipped for want of test data is said aloud.
#![allow(clippy::print_stderr)]

mod cblib;
mod claims;
mod hostile;
mod law;
mod oracles;
mod plain;
mod second;
mod through_pgn;

use std::path::PathBuf;

/// A folder of the shared test data, or a line on stderr that says what is skipped.
fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TABIYA_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let path = root.join(folder);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}
