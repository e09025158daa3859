//! Code that is only compiled on Windows, checked on other systems, because developers there would not notice that it is broken.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::steps;

/// The target, and the compiler for the C in its dependencies.
pub(crate) const TARGET: &str = "x86_64-pc-windows-gnu";
const C_COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// Everything compiles for Windows, with its tests; skipped where the target is not installed.
pub(crate) fn windows(_: &[String]) -> Result<()> {
    if cfg!(windows) {
        eprintln!("skipped: this is Windows, where everything is built for it already");
        return Ok(());
    }
    if !has_target()? || !has_compiler() {
        eprintln!(
            "skipped: the target {TARGET} is not installed; run `rustup target add {TARGET}`, and install the package gcc-mingw-w64-x86-64"
        );
        return Ok(());
    }
    let mut check = steps::cargo(&["check", "--workspace", "--tests", "--locked"]);
    check.args(["--target", TARGET]);
    // What is built here shares nothing with what is built for this system.
    check.env("CARGO_TARGET_DIR", steps::target().join("windows"));
    steps::run(check)
}

pub(crate) fn has_target() -> Result<bool> {
    let told = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(steps::root())
        .stdin(Stdio::null())
        .output()
        .context("cannot start rustc")?;
    let folder = String::from_utf8_lossy(&told.stdout);
    Ok(told.status.success() && Path::new(folder.trim()).is_dir())
}

fn has_compiler() -> bool {
    Command::new(C_COMPILER)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
