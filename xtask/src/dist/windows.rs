//! For Windows: an archive, and an installer that asks no administrator. Built on Debian with mingw.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::build::{BuildTarget, build, ensure_stripped};
use super::materials::NOTICES;
use super::{Distribution, PROGRAM_CRATES, PROGRAMS, call};
use crate::steps::{self, root};

/// Where the files wait to be packed.
const STAGE: &str = "windows";

pub(crate) fn make(distribution: &Distribution) -> Result<()> {
    let crates = [&PROGRAM_CRATES[..], &["tabiya-app"]].concat();
    let programs = build(distribution, BuildTarget::Windows, &crates)?;
    let folder = distribution.stage(STAGE)?.join(name(distribution));
    fs::create_dir_all(&folder)?;
    for name in PROGRAMS.into_iter().chain(["tabiya-app"]) {
        let program = format!("{name}.exe");
        fs::copy(programs.join(&program), folder.join(&program)).context(name)?;
        ensure_stripped(&folder.join(&program))?;
    }
    icon(&folder.join("tabiya.ico"))?;
    for (from, to) in [
        (root().join("LICENSE"), "LICENSE.txt"),
        (distribution.out.join(NOTICES), "NOTICES.txt"),
    ] {
        // Whoever opens them there expects its line ends.
        let text = fs::read_to_string(from)?.replace("\r\n", "\n");
        fs::write(folder.join(to), text.replace('\n', "\r\n"))?;
    }
    pack(distribution)
}

/// Packs what is in the stage, signed or not.
pub(crate) fn pack(distribution: &Distribution) -> Result<()> {
    let (stage, name) = (
        distribution.out.join("stage").join(STAGE),
        name(distribution),
    );
    let folder = stage.join(&name);
    ensure!(
        folder.is_dir(),
        "{} is missing: make `windows` first",
        folder.display()
    );
    zip(distribution, &stage, &name)?;
    installer(distribution, &folder, &name)
}

fn name(distribution: &Distribution) -> String {
    format!("tabiya-{}-x86_64-windows", distribution.version)
}

/// The icon as Windows wants it: a file of pictures. Each is a PNG, drawn from the project's own icon.
fn icon(to: &Path) -> Result<()> {
    let drawn: Vec<(u32, Vec<u8>)> = [16, 32, 48, 256]
        .into_iter()
        .map(|size| (size, super::super::icon::png(size)))
        .collect();
    Ok(fs::write(to, super::super::icon::ico(&drawn))?)
}

/// Packs the folder so that the same files make the same bytes.
fn zip(distribution: &Distribution, stage: &Path, name: &str) -> Result<()> {
    let archive = distribution.out.join(format!("{name}.zip"));
    if archive.exists() {
        fs::remove_file(&archive)?;
    }
    let stamp = format!("@{}", distribution.time);
    let list = "find \"$1\" -exec touch -d \"$2\" {} + && find \"$1\" -type f | LC_ALL=C sort | TZ=UTC zip -q -X -9 \"$3\" -@";
    call(
        "sh",
        &[
            "-c",
            list,
            "sh",
            name,
            &stamp,
            &archive.display().to_string(),
        ],
        stage,
    )
}

fn installer(distribution: &Distribution, folder: &Path, name: &str) -> Result<()> {
    let publisher = distribution.identity.field_or("publisher", "Nobody")?;
    let out = distribution.out.join(format!("{name}-setup.exe"));
    let numbers: String = {
        let plain = distribution.version.split('-').next().unwrap_or_default();
        format!("{plain}.0")
    };
    let mut command = Command::new("makensis");
    command
        .args(["-V2", "-NOCD"])
        .arg(format!("-DVERSION={}", distribution.version))
        .arg(format!("-DNUMBERS={numbers}"))
        .arg(format!("-DPUBLISHER={publisher}"))
        .arg(format!("-DFILES={}", folder.display()))
        .arg(format!("-DOUT={}", out.display()))
        .arg(root().join("packaging/windows/tabiya.nsi"))
        .env("SOURCE_DATE_EPOCH", &distribution.time)
        .stdin(Stdio::null());
    steps::run(command)
}
