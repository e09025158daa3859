//! Code that is only compiled on Windows, checked on other systems, because developers there would not notice that it is broken.

use std::path::PathBuf;
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
    if !can_build()? {
        eprintln!(
            "skipped: the target {TARGET} is not installed; run `rustup target add {TARGET}` or install Debian's rust-web-src, and install the package gcc-mingw-w64-x86-64"
        );
        return Ok(());
    }
    let mut check = steps::cargo(&["check", "--workspace", "--tests", "--locked"]);
    check.args(["--target", TARGET]);
    prepare(&mut check)?;
    // What is built here shares nothing with what is built for this system.
    check.env("CARGO_TARGET_DIR", steps::target().join("windows"));
    steps::run(check)
}

/// Tells cargo how programs for Windows are linked, and to build the standard library too where the compiler has its source alone.
pub(crate) fn prepare(command: &mut Command) -> Result<()> {
    command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", C_COMPILER);
    if !has_target()? {
        command
            .args(["-Zbuild-std=std,panic_unwind"])
            .env("RUSTC_BOOTSTRAP", "1");
    }
    Ok(())
}

/// Whether programs for Windows can be built: with the target that rustup brings, or with the source that Debian's packages bring.
pub(crate) fn can_build() -> Result<bool> {
    Ok((has_target()? || has_source()?) && has_compiler())
}

/// Whether the standard library for Windows is there as it is linked.
fn has_target() -> Result<bool> {
    let folder = ask_compiler(&["--print", "target-libdir", "--target", TARGET])?;
    Ok(folder.is_some_and(|it| it.is_dir()))
}

/// Whether the source of the standard library is there, with what it needs.
fn has_source() -> Result<bool> {
    let folder = ask_compiler(&["--print", "sysroot"])?;
    Ok(folder.is_some_and(|it| it.join("lib/rustlib/src/rust/library/std").is_dir()))
}

/// The path that the compiler answers with.
fn ask_compiler(args: &[&str]) -> Result<Option<PathBuf>> {
    let told = Command::new("rustc")
        .args(args)
        .current_dir(steps::root())
        .stdin(Stdio::null())
        .output()
        .context("cannot start rustc")?;
    let path = String::from_utf8_lossy(&told.stdout);
    Ok(told.status.success().then(|| PathBuf::from(path.trim())))
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
