//! The programs, built for those who install them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

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
    let workspace = steps::root();
    let args: Vec<&str> = packages
        .iter()
        .flat_map(|package| ["--package", package])
        .collect();
    // One call joins the features of all packages, so that each crate is compiled once; what is said to a program alone needs its own.
    let at_once = match own_flags(distribution, target, &workspace)?.is_empty() {
        true => args.len(),
        false => 2,
    };
    for some in args.chunks(at_once) {
        build_in(distribution, target, &workspace, folder, some)?;
    }
    Ok(folder_of_programs(distribution, target, folder))
}

/// Builds the program for SQL, which is a workspace of its own, and answers with its path.
pub(crate) fn build_sql(distribution: &Distribution) -> Result<PathBuf> {
    let workspace = steps::root().join("sql");
    let args = ["--features", super::materials::SQL_FEATURES];
    let (target, folder) = (BuildTarget::Linux, "dist-sql");
    build_in(distribution, target, &workspace, folder, &args)?;
    Ok(folder_of_programs(distribution, target, folder).join("tabiya-sql"))
}

fn folder_of_programs(distribution: &Distribution, target: BuildTarget, folder: &str) -> PathBuf {
    steps::target()
        .join(folder)
        .join(target.triple())
        .join(&distribution.profile)
}

/// Reading arguments and printing wait for a person, and clap's `derive` alone writes more than a megabyte for them. The profile cannot
/// say so: it means the library of the command line and the program alike, and what the program's own crate says is how far all crates
/// together are optimised when they are joined.
const SMALL_COMMAND_LINE: &str = "profile.release.package.tabiya-cli.opt-level=\"z\"";

fn build_in(
    distribution: &Distribution,
    target: BuildTarget,
    workspace: &Path,
    folder: &str,
    args: &[&str],
) -> Result<()> {
    let folder = steps::target().join(folder);
    let own_flags = own_flags(distribution, target, workspace)?;
    let verb = if own_flags.is_empty() {
        "build"
    } else {
        "rustc"
    };
    let mut command = steps::cargo(&[verb, "--locked", "--target", target.triple()]);
    command.current_dir(workspace).args(args);
    command.args(["--profile", &distribution.profile]);
    // Flags of the command line come to those of the project's configuration, which name the processor.
    let mut flags = vec![
        format!("--remap-path-prefix={}=/tabiya", steps::root().display()),
        format!("--remap-path-prefix={}=/cargo", cargo_home().display()),
        // (The last one that fits is taken.)
        format!("--remap-path-prefix={}=/tabiya/target", folder.display()),
    ];
    if target == BuildTarget::Windows {
        // The clock of the linker goes into the program otherwise.
        flags.push("-Clink-arg=-Wl,--no-insert-timestamp".to_owned());
        flags.push("-Cstrip=symbols".to_owned());
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
        // Not the commit's time: dependencies whose build watches it would be built anew for each commit, and all that needs them.
        .env("SOURCE_DATE_EPOCH", "0")
        .env("TABIYA_COMMIT", &distribution.commit)
        .env("TABIYA_DATE", &distribution.date);
    if target == BuildTarget::Windows {
        crate::windows::prepare(&mut command)?;
    }
    if is_small(distribution, workspace) {
        command.args(["--config", SMALL_COMMAND_LINE]);
    }
    if !own_flags.is_empty() {
        command.args(["--bins", "--"]).args(own_flags);
    }
    steps::run(command)
}

/// Whether the command line is built for size.
fn is_small(distribution: &Distribution, workspace: &Path) -> bool {
    workspace == steps::root() && distribution.profile == "release"
}

/// What is for the crate alone that is linked, so that the others are built once for all programs.
fn own_flags(
    distribution: &Distribution,
    target: BuildTarget,
    workspace: &Path,
) -> Result<Vec<&'static str>> {
    let mut flags = linking(target)?;
    if is_small(distribution, workspace) {
        flags.push("-Copt-level=3");
    }
    Ok(flags)
}

/// Refuses a program with a table of symbols: it would be a third larger, and a profile that says nothing of it leaves them in.
pub(crate) fn ensure_stripped(program: &Path) -> Result<()> {
    let output = Command::new("objdump")
        .env("LC_ALL", "C")
        .arg("--syms")
        .arg(program)
        .stdin(Stdio::null())
        .output()
        .context("cannot start objdump")?;
    ensure!(output.status.success(), "objdump: {}", output.status);
    ensure!(
        String::from_utf8_lossy(&output.stdout).contains("no symbols"),
        "{} is not stripped",
        program.display()
    );
    Ok(())
}

/// How a program is linked.
fn linking(target: BuildTarget) -> Result<Vec<&'static str>> {
    if target == BuildTarget::Windows {
        return Ok(Vec::new());
    }
    // Cargo forgets `strip` of a profile for a package that the profile has more to say of.
    let mut flags = vec!["-Cstrip=symbols"];
    let has_lld = has_lld()?;
    if has_lld {
        // Of functions with the same instructions one is kept: nothing asks where a function is, and a tenth of them are such.
        flags.push("-Clink-arg=-Wl,--icf=all");
    } else {
        eprintln!(
            "skipped: merging identical functions, because this Rust has no lld; the programs get larger"
        );
    }
    if target == BuildTarget::StaticLinux {
        flags.push("-Ctarget-feature=+crt-static");
        if has_lld {
            // A tenth of their size. The C library that knows them is in the program, while that of an older system would not.
            flags.push("-Clink-arg=-Wl,--pack-dyn-relocs=relr");
        }
    }
    Ok(flags)
}

/// Whether the compiler links with the lld that comes with it.
fn has_lld() -> Result<bool> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .current_dir(steps::root())
        .stdin(Stdio::null())
        .output()
        .context("cannot start rustc")?;
    ensure!(output.status.success(), "rustc: {}", output.status);
    let sysroot = String::from_utf8(output.stdout).context("a path that is text")?;
    let folder = format!(
        "lib/rustlib/{}/bin/gcc-ld/ld.lld",
        BuildTarget::Linux.triple()
    );
    Ok(Path::new(sysroot.trim()).join(folder).exists())
}

/// Where cargo keeps the sources of others.
pub(crate) fn cargo_home() -> PathBuf {
    std::env::var_os("CARGO_HOME").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cargo"),
        PathBuf::from,
    )
}
