//! The steps that only call a tool and look at its exit code.

use std::{
    env,
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

/// A call of the cargo that runs this task, in the root of the project and without input.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root()).stdin(Stdio::null());
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
    run(cargo(&["fmt", "--all", "--check"]))
}

pub(crate) fn doc() -> Result<()> {
    let mut command = cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    // A link to a private module is for readers of the code, and does no harm to others.
    command.env(
        "RUSTDOCFLAGS",
        "-D warnings -A rustdoc::private_intra_doc_links",
    );
    run(command)
}

/// The advisory database is not asked: it needs the network, and changes without a change of ours.
pub(crate) fn deny(_: &[String]) -> Result<()> {
    if !has_deny() {
        return Ok(());
    }
    run(cargo(&["deny", "check", "licenses", "bans", "sources"]))
}

/// Whether cargo-deny is installed; where it is not, that is said.
pub(crate) fn has_deny() -> bool {
    let there = cargo(&["deny", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !there {
        eprintln!("skipped: cargo-deny is not installed; `cargo install --locked cargo-deny`");
    }
    there
}

/// Everything at once, with the features that it has when it is tested: whoever builds one package alone builds what it stands on anew.
pub(crate) fn build(_: &[String]) -> Result<()> {
    let mut command = cargo(&["build", "--workspace", "--locked"]);
    command.args(["--bins", "--tests", "--examples"]);
    command.args(PROFILE);
    lint(&mut command)?;
    run(command)
}

/// Lets clippy compile our own crates, so that its lints come out of a build that is made anyway, and nothing is compiled for them alone.
pub(crate) fn lint(command: &mut Command) -> Result<()> {
    command
        .env("RUSTC_WORKSPACE_WRAPPER", clippy_driver()?)
        // How cargo-clippy hands on what clippy is told.
        .env(
            "CLIPPY_ARGS",
            "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__",
        );
    Ok(())
}

/// A program as [`build`] left it, which is brought up to date first.
pub(crate) fn built(program: &str) -> Result<Command> {
    build(&[])?;
    let path = target().join("ci").join(program);
    Ok(Command::new(
        path.with_extension(env::consts::EXE_EXTENSION),
    ))
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
