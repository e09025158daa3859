//! The file beside a database that lists the sites from which it is fetched: `mine.si5.fetch` beside `mine.si5`.
//! `docs/fetch.md` describes it; the fetching program writes it.

use std::path::{Path, PathBuf};

/// What is added to the name of the database.
const EXTENSION: &str = ".fetch";

/// A larger file is none of these.
pub const LARGEST: u64 = 64 << 20;

/// The file beside a database.
pub fn path_of(base: &Path) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push(EXTENSION);
    PathBuf::from(name)
}
