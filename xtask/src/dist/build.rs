//! The programs, built for those who install them.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Distribution;
use crate::steps;

/// For what a program is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuildTarget {
    /// This system, with its own C library.
    Linux,
    /// Any Linux: the C library is in the program.
    StaticLinux,
    /// Windows.
    Windows,
}

impl BuildTarget {
    fn triple(self) -> &'static str {
        match self {
            BuildTarget::Linux | BuildTarget::StaticLinux => "x86_64-unknown-linux-gnu",
            BuildTarget::Windows => crate::windows::TARGET,
        }
    }
}

/// Builds some packages, and answers with the folder of the programs.
pub(crate) fn build(
    distribution: &Distribution,
    target: BuildTarget,
    packages: &[&str],
) -> Result<PathBuf> {
    // What is built for both programs for Linux is built once: only how they are linked differs.
    let folder = match target {
        BuildTarget::Linux | BuildTarget::StaticLinux => "dist-linux",
        BuildTarget::Windows => "dist-windows",
    };
    let mut args = Vec::new();
    for package in packages {
        args.extend(["--package", package]);
    }
    build_in(distribution, target, &steps::root(), folder, &args)
}

/// Builds the program for SQL, which is a workspace of its own, and answers with its path.
pub(crate) fn build_sql(distribution: &Distribution) -> Result<PathBuf> {
    let workspace = steps::root().join("sql");
    let args = ["--features", super::materials::SQL_FEATURES];
    let folder = build_in(
        distribution,
        BuildTarget::Linux,
        &workspace,
        "dist-sql",
        &args,
    )?;
    Ok(folder.join("tabiya-sql"))
}

fn build_in(
    distribution: &Distribution,
    target: BuildTarget,
    workspace: &Path,
    folder: &str,
    args: &[&str],
) -> Result<PathBuf> {
    let folder = steps::target().join(folder);
    let verb = match target {
        BuildTarget::StaticLinux => "rustc",
        BuildTarget::Linux | BuildTarget::Windows => "build",
    };
    let mut command = steps::cargo(&[verb, "--locked", "--target", target.triple()]);
    command.current_dir(workspace).args(args);
    command.args(["--profile", &distribution.profile]);
    // Flags of the command line come to those of the project's configuration, which name the processor.
    let mut flags = vec![
        format!("--remap-path-prefix={}=/tabiya", steps::root().display()),
        format!("--remap-path-prefix={}=/cargo", cargo_home().display()),
    ];
    if target == BuildTarget::Windows {
        // The clock of the linker goes into the program otherwise.
        flags.push("-Clink-arg=-Wl,--no-insert-timestamp".to_owned());
    }
    let flags: Vec<String> = flags.iter().map(|flag| format!("{flag:?}")).collect();
    command.args([
        "--config",
        &format!(
            "target.{}.rustflags=[\"-Ctarget-cpu=x86-64-v2\",{}]",
            target.triple(),
            flags.join(",")
        ),
    ]);
    command
        .env("CARGO_TARGET_DIR", &folder)
        .env("SOURCE_DATE_EPOCH", &distribution.time)
        .env("TABIYA_COMMIT", &distribution.commit)
        .env("TABIYA_DATE", &distribution.date);
    match target {
        BuildTarget::Linux => {}
        // (Of the last crate alone, which is the one that is linked.)
        BuildTarget::StaticLinux => {
            command.args(["--bin", "tabiya", "--", "-Ctarget-feature=+crt-static"]);
        }
        BuildTarget::Windows => super::windows::prepare(&mut command)?,
    }
    steps::run(command)?;
    Ok(folder.join(target.triple()).join(&distribution.profile))
}

/// Where cargo keeps the sources of others.
pub(crate) fn cargo_home() -> PathBuf {
    std::env::var_os("CARGO_HOME").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cargo"),
        PathBuf::from,
    )
}
