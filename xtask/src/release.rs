//! The changes for a new version in the sources: its number in both workspaces, and its section of CHANGELOG.md.

use std::fs;

use anyhow::{Context as _, Result, bail, ensure};

use crate::steps::{self, root};

/// The part of the changes that no version has yet.
const UNRELEASED: &str = "## Unreleased\n";

/// Prepares a version: `cargo xtask version 1.0.0 2027-01-31`. Nothing is committed.
pub(crate) fn version(args: &[String]) -> Result<()> {
    let [version, date] = args else {
        bail!(
            "a version and the date of its release are required: cargo xtask version 1.0.0 2027-01-31"
        );
    };
    ensure!(
        is_version(version),
        "{version}: not a version of three numbers"
    );
    ensure!(is_date(date), "{date}: not a date such as 2027-01-31");
    let read = |name: &str| fs::read_to_string(root().join(name)).with_context(|| name.to_owned());
    // All of it is made before any of it is written.
    let mut files = vec![(
        "CHANGELOG.md",
        changelog(&read("CHANGELOG.md")?, version, date)?,
    )];
    for name in ["Cargo.toml", "sql/Cargo.toml"] {
        files.push((
            name,
            manifest(&read(name)?, version).with_context(|| name.to_owned())?,
        ));
    }
    let readme = read("README.md")?;
    let main = read("Cargo.toml")?;
    let before = current(&main).context("Cargo.toml has no version")?;
    files.push((
        "README.md",
        readme
            .replace(&format!("tabiya_{before}_"), &format!("tabiya_{version}_"))
            .replace(
                &format!("tabiya-sql_{before}_"),
                &format!("tabiya-sql_{version}_"),
            )
            .replace(&format!("tabiya-{before}-"), &format!("tabiya-{version}-")),
    ));
    for (name, text) in files {
        fs::write(root().join(name), text).with_context(|| name.to_owned())?;
    }
    // The lock files name the version of each crate of ours.
    for workspace in ["", "sql"] {
        let mut command = steps::cargo(&["update", "--workspace", "--offline", "--quiet"]);
        command.current_dir(root().join(workspace));
        steps::run(command)?;
    }
    eprintln!(
        "version {version}: check `git diff`, renew the outputs that show it (TABIYA_BLESS=1 cargo test -p tabiya-cli --test cli), commit"
    );
    Ok(())
}

fn is_version(text: &str) -> bool {
    let numbers: Vec<&str> = text.split('.').collect();
    numbers.len() == 3
        && numbers.iter().all(|it| {
            it.parse::<u32>()
                .is_ok_and(|number| number.to_string() == **it)
        })
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let within = |at: usize, most: u32| {
        parts
            .get(at)
            .and_then(|it| it.parse().ok())
            .is_some_and(|it: u32| (1..=most).contains(&it))
    };
    lengths == [4, 2, 2] && parts.iter().all(is_number) && within(1, 12) && within(2, 31)
}

/// The version that a manifest says.
fn current(manifest: &str) -> Option<&str> {
    manifest
        .lines()
        .find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
}

/// A manifest with another version.
fn manifest(text: &str, version: &str) -> Result<String> {
    let before = current(text).context("no version found")?;
    Ok(text.replacen(
        &format!("\nversion = \"{before}\"\n"),
        &format!("\nversion = \"{version}\"\n"),
        1,
    ))
}

/// The changes with what is not released yet as those of a version, below a part that is empty again.
fn changelog(text: &str, version: &str, date: &str) -> Result<String> {
    ensure!(
        !text.contains(&format!("## {version} - ")),
        "CHANGELOG.md already has a section for {version}"
    );
    let (before, rest) = text
        .split_once(UNRELEASED)
        .context("CHANGELOG.md has no section \"Unreleased\"")?;
    let unreleased = rest.split("\n## ").next().unwrap_or_default();
    ensure!(
        !unreleased.trim().is_empty(),
        "nothing has changed since the last version"
    );
    Ok(format!(
        "{before}{UNRELEASED}\n## {version} - {date}\n{rest}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_released_becomes_a_version() {
        let text =
            "# Changelog\n\n## Unreleased\n\n### Added\n\n* A\n\n## 0.9.0 - 2026-01-01\n\n* B\n";
        let cut = changelog(text, "1.0.0", "2027-01-31").expect("cut");
        assert_eq!(
            cut,
            "# Changelog\n\n## Unreleased\n\n## 1.0.0 - 2027-01-31\n\n### Added\n\n* A\n\n## 0.9.0 - 2026-01-01\n\n* B\n"
        );
        // A second time there is nothing to release, and no version is released twice.
        assert!(changelog(&cut, "1.0.1", "2027-02-01").is_err());
        assert!(changelog(text, "0.9.0", "2027-02-01").is_err());
    }

    #[test]
    fn a_manifest_gets_one_new_version() {
        let text = "[workspace.package]\nversion = \"0.1.0\"\n\n[dependencies]\na = { version = \"0.1.0\" }\n";
        assert_eq!(
            manifest(text, "1.0.0").expect("written"),
            "[workspace.package]\nversion = \"1.0.0\"\n\n[dependencies]\na = { version = \"0.1.0\" }\n"
        );
        for name in ["Cargo.toml", "sql/Cargo.toml"] {
            let text = fs::read_to_string(root().join(name)).expect(name);
            let raised = manifest(&text, "7.8.9").expect(name);
            assert_eq!(current(&raised), Some("7.8.9"), "{name}");
        }
    }

    #[test]
    fn versions_and_days_are_what_they_are() {
        assert!(is_version("1.0.0") && is_version("10.20.30"));
        assert!(
            !["1.0", "1.0.0.0", "1.0.x", "01.0.0", "v1.0.0", ""]
                .iter()
                .any(|it| is_version(it))
        );
        assert!(is_date("2027-01-31"));
        assert!(
            ![
                "2027-13-01",
                "2027-1-31",
                "31.01.2027",
                "2027-01-32",
                "2027-00-10"
            ]
            .iter()
            .any(|it| is_date(it))
        );
    }
}
