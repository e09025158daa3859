//! What users build is what is tested: each dependency has the features that it has when the whole workspace is built.
//!
//! Cargo gives a dependency the features that anything in a build asks for. A feature that only a test asks for would be missing for
//! those who build the program alone, and would show with them first.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use crate::steps::cargo;

/// Dependencies to which tests, and the client of servers in `crates/mysql`, give features that our code does not need. `cargo xtask quick`
/// tests without them.
const MORE_IN_TESTS: &[&str] = &[
    "btoi ",
    "flate2 ",
    "getrandom ",
    "num-traits ",
    "regex ",
    "regex-automata ",
    "regex-syntax ",
    "syn ",
];

/// Compares the features of the default members with those of the whole workspace and its tests.
pub(crate) fn features(_: &[String]) -> Result<()> {
    let tested = tree(&["--workspace", "--edges", "all"])?;
    let built = tree(&["--edges", "normal,build"])?;
    let differ: Vec<&String> = built
        .difference(&tested)
        .filter(|line| !MORE_IN_TESTS.iter().any(|name| line.starts_with(name)))
        .collect();
    for line in &differ {
        eprintln!("not tested with just these features: {line}");
    }
    if !differ.is_empty() {
        bail!(
            "what users build differs from what is tested: a member lacks features that it asks for"
        );
    }
    Ok(())
}

/// The packages of a build, each with its version and its features.
fn tree(what: &[&str]) -> Result<BTreeSet<String>> {
    let mut command = cargo(&["tree", "--locked", "--prefix", "none"]);
    command.args(["--format", "{p} [{f}]"]).args(what);
    let output = command.output().context("cannot start cargo tree")?;
    if !output.status.success() {
        bail!("cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout).context("what cargo tree says")?;
    // A star stands where the dependencies of a package were told before.
    Ok(text
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect())
}
