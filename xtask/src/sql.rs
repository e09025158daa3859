//! The workspace in `sql/`, which has dependencies, a lock file and a compiler version of its own.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::{memory_folder::MemoryFolder, steps};

/// Formats, lints, tests and licences of the program that answers SQL.
///
/// Clusters and object stores bring a hundred crates more. They are compiled for the lints; their tests run where there is time for them.
pub(crate) fn sql(_: &[String]) -> Result<()> {
    steps::run(cargo(&["fmt", "--check"]))?;
    let all = ["--features", "cluster,s3"];
    let mut lints = cargo(&["clippy", "--locked", "--all-targets"]);
    lints.args(all).args(["--", "-D", "warnings"]);
    steps::run(lints)?;
    let mut test = cargo(&["test", "--locked"]);
    if steps::is_full() {
        test.args(all);
    } else {
        eprintln!("skipped: the tests of clusters and object stores; TABIYA_FULL=1 runs them");
    }
    let memory = MemoryFolder::new();
    memory.give_tests(&mut test);
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
        .current_dir(steps::root().join("sql"))
        .stdin(Stdio::null());
    // What is built here shares nothing with the rest of the project.
    command.env_remove("CARGO_TARGET_DIR");
    command
}
