//! The steps that only call a tool and look at its exit code.

use std::{
    env,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// The profile that builds what is tested: optimised, with every run-time check on.
pub(crate) const PROFILE: [&str; 2] = ["--profile", "ci"];

/// The root of the project, wherever the task was started.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Whether the long forms are wanted.
pub(crate) fn is_full() -> bool {
    env::var_os("TABIYA_FULL").is_some_and(|it| it == "1")
}

/// A call of the cargo that runs this task, in the root of the project and without input.
///
/// It does not learn that this task is a package: build scripts that look at these variables would make it build their crates anew,
/// each time that it is called in another way.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    let of_package =
        |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(of_package)) {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(mut command: Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if !status.success() {
        bail!("{status}");
    }
    Ok(())
}

pub(crate) fn fmt(_: &[String]) -> Result<()> {
    if !has(&["fmt", "--version"]) {
        eprintln!("skipped: rustfmt is not installed");
        return Ok(());
    }
    run(cargo(&["fmt", "--all", "--check"]))
}

/// The advisory database is not asked: it needs the network, and changes without a change of ours.
pub(crate) fn deny(_: &[String]) -> Result<()> {
    if !has_deny() {
        return Ok(());
    }
    run(cargo(&["deny", "check", "licenses", "bans", "sources"]))
}

/// Whether cargo has a subcommand: what it takes to say its version succeeds.
pub(crate) fn has(version: &[&str]) -> bool {
    cargo(version)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Whether cargo-deny is installed; where it is not, that is said.
pub(crate) fn has_deny() -> bool {
    let there = has(&["deny", "--version"]);
    if !there {
        eprintln!("skipped: cargo-deny is not installed; `cargo install --locked cargo-deny`");
    }
    there
}

/// Whether clippy is installed; where it is not, that is said.
pub(crate) fn has_clippy() -> bool {
    let there = has(&["clippy", "--version"]);
    if !there {
        eprintln!("skipped: clippy is not installed");
    }
    there
}

/// Everything at once, with the features that it has when it is tested: whoever builds one package alone builds what it stands on anew.
const EVERYTHING: [&str; 5] = ["--workspace", "--locked", "--bins", "--tests", "--examples"];

/// Clippy has nothing to say.
pub(crate) fn clippy(_: &[String]) -> Result<()> {
    if !has_clippy() {
        return Ok(());
    }
    let mut command = cargo(&["clippy"]);
    command.args(EVERYTHING).args(PROFILE);
    command.args(["--", "-D", "warnings"]);
    run(command)
}

/// Has a call of cargo build the packages of its workspace with clippy, which lints what it builds.
///
/// `cargo clippy` reads every crate that they stand on without building it, and the tests would read each of them once more. What clippy
/// builds is less optimised: this is for workspaces that are small beside what they stand on.
pub(crate) fn lint_what_is_built(command: &mut Command) {
    if has_clippy() {
        command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    }
}

/// Runs a call of cargo that builds, and fails where the compiler or clippy warns.
pub(crate) fn build_without_warnings(mut command: Command) -> Result<()> {
    command.arg("--message-format=json").stdout(Stdio::piped());
    let mut cargo = command.spawn().context("cannot start cargo")?;
    let mut warnings = 0;
    for line in BufReader::new(cargo.stdout.take().context("a pipe")?).lines() {
        let line: serde_json::Value = serde_json::from_str(&line?)?;
        let message = &line["message"];
        warnings += u32::from(message["level"] == "warning");
        if let Some(text) = message["rendered"].as_str() {
            eprint!("{text}");
        }
    }
    let status = cargo.wait()?;
    if !status.success() {
        bail!("{status}");
    }
    if warnings > 0 {
        bail!("{warnings} warnings");
    }
    Ok(())
}

pub(crate) fn build(_: &[String]) -> Result<()> {
    let mut command = cargo(&["build"]);
    command.args(EVERYTHING).args(PROFILE);
    run(command)
}

/// A program as [`build`] left it, which is brought up to date first.
pub(crate) fn built(program: &str) -> Result<Command> {
    build(&[])?;
    let path = target().join("ci").join(program);
    Ok(Command::new(
        path.with_extension(env::consts::EXE_EXTENSION),
    ))
}
