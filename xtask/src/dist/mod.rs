//! The packages for users, made by one command: Debian packages, an archive, an installer for Windows, and their accessories.
//!
//! The same commit gives the same bytes: times are those of the commit, the results have no paths of this machine, and files
//! are ordered by name.

mod archive;
mod build;
mod debian;
mod files;
mod manifests;
mod materials;
mod windows;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use crate::identity::ProjectIdentity;
use crate::steps::{self, root};

/// The programs of every package: the one that people start, and the one that it starts to fetch their games from sites.
pub(crate) const PROGRAMS: [&str; 2] = ["tabiya", "tabiya-fetch"];
/// The crates they are in.
pub(crate) const PROGRAM_CRATES: [&str; 2] = ["tabiya-cli", "tabiya-fetch"];

/// What is made, and from what.
pub(crate) struct Distribution {
    /// The version, as `Cargo.toml` has it.
    pub(crate) version: String,
    /// The commit, short.
    pub(crate) commit: String,
    /// Its day.
    pub(crate) date: String,
    /// Its second since 1970, which all files get.
    pub(crate) time: String,
    pub(crate) identity: ProjectIdentity,
    /// The profile of cargo.
    pub(crate) profile: String,
    /// Where all of it goes.
    pub(crate) out: PathBuf,
}

/// Makes a part.
type PartMaker = fn(&Distribution) -> Result<()>;

/// What can be made, and by what.
const PARTS: [(&str, PartMaker); 6] = [
    ("materials", materials::make),
    ("archive", archive::make),
    ("debian", debian::make),
    ("sql", debian::make_sql),
    ("windows", windows::make),
    ("manifests", manifests::make),
];

/// What is made after somebody has signed the programs for Windows in their stage: only when it is named.
const AFTER_SIGNING: (&str, PartMaker) = ("windows-signed", windows::pack);

/// Makes everything, or the parts that are named; `--release` refuses what must not go out, `--profile NAME` builds otherwise.
pub(crate) fn dist(args: &[String]) -> Result<()> {
    let mut profile = "release".to_owned();
    let mut is_release = false;
    let mut parts = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--release" => is_release = true,
            "--profile" => profile = args.next().context("--profile NAME")?.clone(),
            name => {
                let mut all = PARTS.into_iter().chain([AFTER_SIGNING]);
                let part = all.find(|(part, _)| *part == name);
                parts.push(part.with_context(|| {
                    let names = PARTS.map(|(part, _)| part).join(", ");
                    format!(
                        "no such part: {name}; parts are {names}, {}",
                        AFTER_SIGNING.0
                    )
                })?);
            }
        }
    }
    let distribution = Distribution::read(profile)?;
    if is_release {
        ensure!(
            distribution.profile == "release",
            "a release must be built with the profile `release`"
        );
        distribution.may_go_out()?;
    }
    fs::create_dir_all(&distribution.out)?;
    for (name, make) in if parts.is_empty() { &PARTS[..] } else { &parts } {
        eprintln!("--- {name}");
        make(&distribution).with_context(|| format!("making {name}"))?;
    }
    sums(&distribution.out)
}

impl Distribution {
    fn read(profile: String) -> Result<Distribution> {
        let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
        let version = manifest
            .lines()
            .find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
            .context("Cargo.toml has no version")?
            .to_owned();
        Ok(Distribution {
            out: steps::target().join("dist"),
            commit: git(&["rev-parse", "--short=10", "HEAD"])?,
            date: git(&["log", "-1", "--format=%cs"])?,
            time: git(&["log", "-1", "--format=%ct"])?,
            identity: ProjectIdentity::read()?,
            version,
            profile,
        })
    }

    /// Refuses what is not whole, or is not what a commit and a changelog say that it is.
    fn may_go_out(&self) -> Result<()> {
        self.identity.complete()?;
        let changed = git(&["status", "--porcelain"])?;
        if !changed.is_empty() {
            bail!("there are uncommitted changes:\n{changed}");
        }
        let changelog = fs::read_to_string(root().join("CHANGELOG.md"))?;
        ensure!(
            changelog.contains(&format!("## {} - ", self.version)),
            "CHANGELOG.md has no section for {}",
            self.version
        );
        Ok(())
    }

    /// A folder of its own below the output, empty.
    pub(crate) fn stage(&self, name: &str) -> Result<PathBuf> {
        let folder = self.out.join("stage").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

/// Writes `SHA256SUMS` over all files of a folder.
fn sums(folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_file() && name != "SHA256SUMS" {
            names.push(name);
        }
    }
    names.sort();
    let output = Command::new("sha256sum")
        .args(&names)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .context("cannot start sha256sum")?;
    ensure!(output.status.success(), "sha256sum: {}", output.status);
    fs::write(folder.join("SHA256SUMS"), &output.stdout)?;
    eprint!("{}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}

/// What git answers about this copy.
fn git(args: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(args)
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .context("cannot start git")?;
    ensure!(
        output.status.success(),
        "git {}: {}",
        args.join(" "),
        output.status
    );
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Runs a program that must succeed, with nothing to read.
pub(crate) fn call(program: &str, args: &[&str], folder: &Path) -> Result<()> {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    steps::run(command)
}
