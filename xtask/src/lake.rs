//! The workspace in `lake/`, which has dependencies, a lock file and a compiler version of its own.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::steps;

/// Formats, lints, tests and licences of the program that answers SQL.
///
/// Its hundreds of dependencies are built once: the lints come out of the build of the tests, for which the compiler of our own
/// crate is clippy.
pub(crate) fn lake(_: &[String]) -> Result<()> {
    steps::run(cargo(&["fmt", "--check"]))?;
    let mut test = cargo(&["test", "--locked"]);
    test.env("RUSTC_WORKSPACE_WRAPPER", clippy_driver()?)
        // How cargo-clippy hands on what clippy is told.
        .env(
            "CLIPPY_ARGS",
            "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__",
        );
    steps::run(test)?;
    if !steps::has_deny() {
        return Ok(());
    }
    steps::run(cargo(&[
        "deny",
        "--config",
        "../deny.toml",
        "check",
        "licenses",
        "bans",
        "sources",
    ]))
}

/// A call of cargo in the folder of the workspace.
fn cargo(args: &[&str]) -> Command {
    let mut command = steps::cargo(args);
    command
        .current_dir(steps::root().join("lake"))
        .stdin(Stdio::null());
    // What is built here shares nothing with the rest of the project.
    command.env_remove("CARGO_TARGET_DIR");
    command
}

/// The driver of clippy that stands beside the compiler.
fn clippy_driver() -> Result<PathBuf> {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&compiler)
        .args(["--print", "sysroot"])
        .output()
        .with_context(|| format!("cannot start {}", compiler.display()))?;
    let sysroot = String::from_utf8(output.stdout).context("the place of the compiler")?;
    let driver = PathBuf::from(sysroot.trim())
        .join("bin")
        .join(format!("clippy-driver{}", env::consts::EXE_SUFFIX));
    if !driver.is_file() {
        bail!("{}: clippy is not installed", driver.display());
    }
    Ok(driver)
}
