//! ChessBase databases against those that others wrote, against an encoder of our own, and against damage.

// What is skipped for want of test data is said aloud.
#![allow(clippy::print_stderr)]

#[path = "../games/mod.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod games;

mod archives;
mod base;
mod blobs;
mod encode;
mod headers;
mod hostile;
mod law;
mod movetext;
mod oracles;
mod pack;
mod repairs;
mod samples;
mod walks;

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
