//! The programs, built for those who install them.

use std::path::PathBuf;

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
            BuildTarget::Windows => super::windows::TARGET,
        }
    }
}

/// Builds some packages, and answers with the folder of the programs.
pub(crate) fn build(
    distribution: &Distribution,
    target: BuildTarget,
    packages: &[&str],
) -> Result<PathBuf> {
    let folder = steps::target().join(match target {
        BuildTarget::Linux => "dist-linux",
        BuildTarget::StaticLinux => "dist-static",
        BuildTarget::Windows => "dist-windows",
    });
    let mut command = steps::cargo(&["build", "--locked", "--target", target.triple()]);
    command.args(["--profile", &distribution.profile]);
    for package in packages {
        command.args(["--package", package]);
    }
    // Flags of the command line come to those of the project's configuration, which name the processor.
    let mut flags = vec![
        format!("--remap-path-prefix={}=/tabiya", steps::root().display()),
        format!("--remap-path-prefix={}=/cargo", cargo_home().display()),
    ];
    if target == BuildTarget::StaticLinux {
        flags.push("-Ctarget-feature=+crt-static".to_owned());
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
    if target == BuildTarget::Windows {
        super::windows::prepare(&mut command)?;
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
