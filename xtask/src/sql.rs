//! The workspace in `sql/`, which has dependencies, a lock file and a compiler version of its own.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::{memory_folder::MemoryFolder, steps};

/// Formats, lints, tests and licences of the program that answers SQL, with clusters and object stores.
pub(crate) fn sql(_: &[String]) -> Result<()> {
    steps::run(cargo(&["fmt", "--check"]))?;
    let test = || {
        let mut test = cargo(&["test", "--locked", "--features", "cluster,s3"]);
        steps::lint_what_is_built(&mut test);
        test
    };
    let mut build = test();
    build.arg("--no-run");
    steps::build_without_warnings(build)?;
    let mut test = test();
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
