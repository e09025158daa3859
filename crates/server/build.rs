//! Compresses and lists the files of the app, which the program contains: their names change with their content.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::{env, fs, io};

use flate2::{Compression, write::GzEncoder};

fn main() -> io::Result<()> {
    let dist = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?)
        .join("../../web/dist")
        .canonicalize()?;
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut paths = fs::read_dir(&dist)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let packed = Path::new(&out).join("packed");
    if packed.exists() {
        fs::remove_dir_all(&packed)?;
    }
    fs::create_dir(&packed)?;
    let mut list = "&[\n".to_owned();
    for path in paths {
        let name = path.file_name().unwrap_or_default();
        // (Without a time and a name, so that the same file makes the same bytes.)
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&fs::read(&path)?)?;
        let target = packed.join(name);
        fs::write(&target, packer.finish()?)?;
        writeln!(list, "    ({name:?}, include_bytes!({target:?})),").map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    fs::write(Path::new(&out).join("assets.rs"), list)
}
