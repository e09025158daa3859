//! A stand-in for the compiler of our own crates: it lets clippy compile them, so that its lints come out of a build that is made
//! anyway, and writes down how each library was compiled, so that its documentation stands on what is built already.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};

use crate::steps::{root, run, target};

/// Tells a process of this program that it stands in for the compiler: the driver of clippy.
const DRIVER: &str = "TABIYA_CLIPPY_DRIVER";
/// The folder for what is written down.
const CALLS: &str = "TABIYA_COMPILER_CALLS";

/// Lets this program stand in for the compiler.
pub(crate) fn lint(command: &mut Command) -> Result<()> {
    let own = env::current_exe().context("the place of this program")?;
    command
        .env("RUSTC_WORKSPACE_WRAPPER", own)
        .env(DRIVER, clippy_driver()?)
        .env(CALLS, calls())
        // How cargo-clippy hands on what clippy is told.
        .env(
            "CLIPPY_ARGS",
            "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__",
        );
    Ok(())
}

fn calls() -> PathBuf {
    target().join("compiler-calls")
}

/// Compiles, where this process stands in for the compiler.
pub(crate) fn stand_in() -> Option<ExitCode> {
    let driver = env::var_os(DRIVER)?;
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    let outcome = write_down(&args).and_then(|()| {
        let status = Command::new(&driver).args(&args).status();
        status.with_context(|| format!("cannot start {}", driver.display()))
    });
    Some(match outcome {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    })
}

/// Writes down how a library is compiled that others build on. The first of the arguments is the compiler.
fn write_down(args: &[OsString]) -> Result<()> {
    let value = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1).and_then(|value| value.to_str())
    };
    let is_test = args.iter().any(|arg| arg == "--test");
    let (Some(name), Some("lib"), false) = (value("--crate-name"), value("--crate-type"), is_test)
    else {
        return Ok(());
    };
    let Some(folder) = env::var_os(CALLS) else {
        return Ok(());
    };
    fs::create_dir_all(&folder)?;
    let told = env::vars().filter(|(name, value)| is_of_package(name) && !value.contains('\n'));
    let mut lines: Vec<String> = told
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let args = args.iter().skip(1).filter_map(|arg| arg.to_str());
    lines.extend(args.map(str::to_owned));
    Ok(fs::write(Path::new(&folder).join(name), lines.join("\n"))?)
}

/// Whether a variable says what is compiled: a program may have it in its text.
fn is_of_package(name: &str) -> bool {
    name.starts_with("CARGO_PKG_") || matches!(name, "CARGO_MANIFEST_DIR" | "OUT_DIR")
}

/// Documents a library as it was compiled last.
pub(crate) fn document(library: &str) -> Result<()> {
    let path = calls().join(library);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{}: run `cargo xtask build` first", path.display()))?;
    let (told, args): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| {
        line.split_once('=')
            .is_some_and(|(name, _)| is_of_package(name))
    });
    let mut command = Command::new(env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into()));
    command.current_dir(root());
    command.envs(told.iter().filter_map(|line| line.split_once('=')));
    command.args(shared(&args)).arg("--out-dir");
    command.arg(target().join("doc")).args(["-D", "warnings"]);
    // A link to a private module is for readers of the code, and does no harm to others.
    command.args(["-A", "rustdoc::private_intra_doc_links"]);
    run(command).with_context(|| library.to_owned())
}

/// What a compiler is told that rustdoc is told too: what the crate is, and what it stands on.
fn shared<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut args = args.iter().copied();
    while let Some(arg) = args.next() {
        match arg {
            "--crate-name" | "--cfg" | "--check-cfg" | "--extern" | "-L" => {
                kept.push(arg);
                kept.extend(args.next());
            }
            "--crate-type" | "--out-dir" | "-C" => drop(args.next()),
            _ if arg.starts_with("--edition") || !arg.starts_with('-') => kept.push(arg),
            _ => {}
        }
    }
    kept
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustdoc_is_told_what_a_crate_is_and_what_it_stands_on() {
        let call = "--crate-name tabiya_io --edition=2024 crates/io/src/lib.rs --error-format=json --crate-type lib --emit=dep-info \
                    -C opt-level=2 --cfg feature=\"a\" --warn=missing_docs --extern memchr=libmemchr.rmeta -L dependency=deps";
        let args: Vec<&str> = call.split_whitespace().collect();
        assert_eq!(
            shared(&args).join(" "),
            "--crate-name tabiya_io --edition=2024 crates/io/src/lib.rs --cfg feature=\"a\" --extern memchr=libmemchr.rmeta \
             -L dependency=deps"
        );
    }
}
