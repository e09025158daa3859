//! What people install, tried: the packages in bare systems, the programs for Windows under Wine, and the tests under Wine.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::dist;
use crate::steps::{self, root};
use crate::windows::{TARGET, has_target};

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
        "Wine 8 keeps the name of a file that is removed until nobody has it open any more",
    ),
    (
        "a_stop_waits_for_what_is_under_way_and_leaves_nothing",
        "Wine 8 keeps the name of a file that is removed until nobody has it open any more",
    ),
];

/// Makes the packages and tries them. It takes long, and is part of `./check --long` alone.
pub(crate) fn packages(args: &[String]) -> Result<()> {
    if args.is_empty() && !steps::is_full() {
        eprintln!(
            "skipped: the packages in bare systems and under Wine; TABIYA_FULL=1 or `cargo xtask packages PART…` tries them"
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
        if has_target()? {
            parts.push("windows".to_owned());
        } else {
            eprintln!("skipped: what is for Windows, because the target {TARGET} is not installed");
        }
        dist::dist(&parts)?;
    }
    if is_wanted("chroots") {
        script("chroots.sh", &["archive", "debian", "source"])?;
    }
    if is_wanted("wine") {
        script("wine.sh", &[])?;
    }
    if is_wanted("tests") {
        tests_under_wine()?;
    }
    Ok(())
}

fn script(name: &str, args: &[&str]) -> Result<()> {
    let mut command = Command::new(root().join("packaging/tests").join(name));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    steps::run(command).with_context(|| name.to_owned())
}

/// Runs the tests of some crates for Windows under Wine.
fn tests_under_wine() -> Result<()> {
    let has_wine = Command::new("wine")
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !has_wine.is_ok_and(|status| status.success()) || !has_target()? {
        eprintln!(
            "skipped: the tests under Wine, because wine or the target {TARGET} is not installed"
        );
        return Ok(());
    }
    let folder = steps::target().join("wine");
    let prefix = folder.to_str().context("a path that is text")?;
    script("wine_prefix.sh", &[prefix])?;
    let mut command = steps::cargo(&["test", "--locked", "--no-fail-fast", "--target", TARGET]);
    for package in UNDER_WINE {
        command.args(["--package", package]);
    }
    command.args(["--lib", "--bins", "--tests", "--", "--exact"]);
    for (test, reason) in NOT_UNDER_WINE {
        ensure!(!reason.is_empty(), "{test} has no reason");
        eprintln!("skipped: {test}: {reason}");
        command.args(["--skip", test]);
    }
    command
        .env("CARGO_TARGET_DIR", steps::target().join("windows"))
        .env(
            "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER",
            "x86_64-w64-mingw32-gcc",
        )
        .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine")
        .env("WINEPREFIX", &folder)
        .env("WINEDEBUG", "-all");
    steps::run(command)
}
