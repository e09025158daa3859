//! Tests of the packages for users: in bare systems, the programs for Windows under Wine, and the tests under Wine.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::dist;
use crate::steps::{self, root};
use crate::windows::{self, TARGET};

/// The crates whose tests run under Wine: files, formats, editing and history, the server and the command line.
const UNDER_WINE: [&str; 6] = [
    "tabiya-io",
    "tabiya-codec",
    "tabiya-formats",
    "tabiya",
    "tabiya-server",
    "tabiya-cli",
];

/// Tests that do not run under Wine, each with its reason.
const NOT_UNDER_WINE: &[(&str, &str)] = &[
    (
        "lock::tests::one_that_was_taken_away_is_noticed",
        "Wine 8 keeps the name of a removed file until no program has it open",
    ),
    (
        "a_stop_waits_for_what_is_under_way_and_leaves_nothing",
        "Wine 8 keeps the name of a removed file until no program has it open",
    ),
];

/// Makes the packages and tries them, or the parts that are named. It takes long, and is part of `./check --long` alone. After `tests`,
/// names of crates choose whose tests run.
pub(crate) fn packages(args: &[String]) -> Result<()> {
    if args.is_empty() && !steps::is_full() {
        eprintln!(
            "skipped: the packages in bare systems, and programs and tests under Wine; TABIYA_FULL=1 or `cargo xtask packages PART…` runs them"
        );
        return Ok(());
    }
    let is_wanted = |part: &str| args.is_empty() || args.iter().any(|arg| arg == part);
    if is_wanted("make") {
        let parts = [
            "--profile",
            "quick",
            "materials",
            "archive",
            "debian",
            "sql",
        ];
        let mut parts = parts.map(str::to_owned).to_vec();
        if windows::can_build()? {
            parts.push("windows".to_owned());
        } else {
            eprintln!(
                "skipped: everything for Windows, because the target {TARGET} or mingw is not installed"
            );
        }
        dist::dist(&parts)?;
    }
    if is_wanted("bytes") {
        let mut parts = vec!["quick", "archive", "debian"];
        if windows::can_build()? {
            parts.push("windows");
        }
        script("same_bytes.sh", &parts)?;
    }
    if is_wanted("chroots") {
        script("chroots.sh", &["archive", "debian", "source"])?;
    }
    if is_wanted("wine") {
        programs_under_wine()?;
    }
    if is_wanted("tests") {
        let named = |package: &&str| args.iter().any(|arg| arg == package);
        let chosen: Vec<&str> = UNDER_WINE.into_iter().filter(named).collect();
        tests_under_wine(if chosen.is_empty() {
            &UNDER_WINE
        } else {
            &chosen
        })?;
    }
    Ok(())
}

fn script(name: &str, args: &[&str]) -> Result<()> {
    let mut command = Command::new(root().join("packaging/tests").join(name));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    steps::run(command).with_context(|| name.to_owned())
}

/// Whether programs for Windows can be built and run here; where not, it is said what is left out.
fn has_wine(what: &str) -> Result<bool> {
    let told = Command::new("wine")
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if told.is_ok_and(|status| status.success()) && windows::can_build()? {
        return Ok(true);
    }
    eprintln!("skipped: {what}: wine, mingw or the target {TARGET} is not installed");
    Ok(false)
}

/// A call of cargo that builds for Windows, apart from what is built for this system, without what only debuggers read.
fn cargo_for_windows(args: &[&str]) -> Result<Command> {
    let mut command = steps::cargo(args);
    command.args(["--locked", "--target", TARGET]);
    command
        .env("CARGO_TARGET_DIR", steps::target().join("windows"))
        .env("CARGO_PROFILE_DEV_DEBUG", "none")
        .env("CARGO_INCREMENTAL", "0");
    windows::prepare(&mut command)?;
    Ok(command)
}

/// Tries what was made for Windows, with an engine of the tests and a large base, where one is there.
fn programs_under_wine() -> Result<()> {
    if !has_wine("the packages for Windows")? {
        return Ok(());
    }
    let mut engine = cargo_for_windows(&["build"])?;
    engine.args(["--package", "tabiya-engine", "--bin", "tabiya-fake-engine"]);
    steps::run(engine)?;
    let built = steps::target().join("windows").join(TARGET).join("debug");
    let shared = root().join("../shared");
    let or_else = |name: &str, path: PathBuf| env::var_os(name).map_or(path, PathBuf::from);
    let mut command = Command::new(root().join("packaging/tests/wine.sh"));
    command.current_dir(root()).stdin(Stdio::null());
    for (name, path) in [
        ("TABIYA_ENGINE", built.join("tabiya-fake-engine.exe")),
        ("TABIYA_LARGE", shared.join("corpora/otb.pgn.zst")),
        ("TABIYA_CBH", shared.join("oracles/cbh/Mate2/Mate2.cbh")),
    ] {
        command.env(name, or_else(name, path));
    }
    steps::run(command).context("wine.sh")
}

/// Runs the tests of some crates for Windows under Wine.
fn tests_under_wine(packages: &[&str]) -> Result<()> {
    if !has_wine("the tests under Wine")? {
        return Ok(());
    }
    let folder = steps::target().join("wine");
    let prefix = folder.to_str().context("a path that is text")?;
    script("wine_prefix.sh", &[prefix])?;
    let mut command = cargo_for_windows(&["test", "--no-fail-fast"])?;
    for package in packages {
        command.args(["--package", package]);
    }
    command.args(["--lib", "--bins", "--tests", "--", "--exact"]);
    for (test, reason) in NOT_UNDER_WINE {
        ensure!(!reason.is_empty(), "{test} has no reason");
        eprintln!("skipped: {test}: {reason}");
        command.args(["--skip", test]);
    }
    command
        .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine")
        // Wine makes and renames files several times as slowly as Linux.
        .env("TABIYA_QUICK", "1")
        // This suite is for a program for Linux, which does not know the paths of Windows.
        .env_remove("TABIYA_MCP_CONFORMANCE")
        .env("WINEPREFIX", &folder)
        .env("WINEDEBUG", "-all");
    steps::run(command)
}
