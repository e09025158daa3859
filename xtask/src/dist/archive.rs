//! An archive for every Linux: the program with its C library in it, so that it runs on older systems than that which built it.

use std::fs;

use anyhow::{Context as _, Result};

use super::build::{BuildTarget, build};
use super::{Distribution, PROGRAM_CRATES, call, files};
use crate::steps::root;

pub(crate) fn make(distribution: &Distribution) -> Result<()> {
    let programs = build(distribution, BuildTarget::StaticLinux, &PROGRAM_CRATES)?;
    let name = format!("tabiya-{}-x86_64-linux", distribution.version);
    let stage = distribution.stage("archive")?;
    let folder = stage.join(&name);
    files::put(distribution, &programs, &folder.join("files"))?;
    fs::copy(
        root().join("packaging/linux/install.sh"),
        folder.join("install.sh"),
    )?;
    fs::copy(root().join("LICENSE"), folder.join("LICENSE"))?;
    let archive = format!("{name}.tar.gz");
    pack(distribution, &stage, &name, &archive)?;
    fs::rename(stage.join(&archive), distribution.out.join(&archive)).context(archive)
}

/// Packs a folder so that the same files make the same bytes.
fn pack(
    distribution: &Distribution,
    stage: &std::path::Path,
    folder: &str,
    archive: &str,
) -> Result<()> {
    let time = format!("--mtime=@{}", distribution.time);
    let tar = archive.strip_suffix(".gz").context("a name in .gz")?;
    let order = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
    let mode = "--mode=u+rwX,go+rX,go-w";
    let mut args = vec!["--create", "--format=gnu", mode, &time, "--file", tar];
    args.extend(order);
    args.push(folder);
    call("tar", &args, stage)?;
    call("gzip", &["-9n", tar], stage)
}
