//! Users build what is tested: each dependency has the same features as when the whole workspace is built.
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

/// More packages are not in the program, ours and those that others wrote, each counted once with its version: what brings many for
/// one job is a program beside it.
const MOST_PACKAGES: usize = 150;

/// Compares the features of the default members with those of the whole workspace and its tests.
pub(crate) fn features(_: &[String]) -> Result<()> {
    let tested = tree(&["--workspace", "--edges", "all"])?;
    let built = tree(&["--edges", "normal,build"])?;
    let differ: Vec<&String> = built
        .difference(&tested)
        .filter(|line| !MORE_IN_TESTS.iter().any(|name| line.starts_with(name)))
        .collect();
    for line in &differ {
        eprintln!("not tested with these features: {line}");
    }
    if !differ.is_empty() {
        bail!(
            "users build something else than what is tested: a member does not declare features that it needs"
        );
    }
    let program = tree(&["--package", "tabiya-cli", "--edges", "normal"])?;
    let packages = count(&program);
    println!("{packages} packages in the default program");
    if packages > MOST_PACKAGES {
        bail!("more than {MOST_PACKAGES} packages are in the default program");
    }
    Ok(())
}

/// How many packages these are, whatever their features.
fn count(lines: &BTreeSet<String>) -> usize {
    let packages = lines.iter().map(|line| {
        let mut words = line.split_whitespace();
        (words.next(), words.next())
    });
    packages.collect::<BTreeSet<_>>().len()
}

/// The packages of a build, each with its version and its features.
fn tree(what: &[&str]) -> Result<BTreeSet<String>> {
    let mut command = cargo(&["tree", "--locked", "--prefix", "none"]);
    command.args(["--format", "{p} [{f}]"]).args(what);
    let output = command.output().context("cannot start cargo tree")?;
    if !output.status.success() {
        bail!("cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout).context("the output of cargo tree")?;
    // A star stands where the dependencies of a package were told before.
    Ok(text
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_counted_by_name_and_version() {
        let lines = [
            "a v1.0.0 [x]",
            "a v1.0.0 [x,y]",
            "a v2.0.0 []",
            "b v1.0.0 (proc-macro) []",
        ];
        assert_eq!(count(&lines.map(str::to_owned).into()), 3);
    }
}
