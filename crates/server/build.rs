//! Lists the files of the app, which the program carries: their names change with what is in them.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let dist = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?)
        .join("../../web/dist")
        .canonicalize()?;
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut paths = fs::read_dir(&dist)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let mut list = "&[\n".to_owned();
    for path in paths {
        let name = path.file_name().unwrap_or_default();
        writeln!(list, "    ({name:?}, include_bytes!({path:?})),").map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("assets.rs"), list)
}
