//! The tag of a wheel, judged by auditwheel: what the module calls in the system decides on which systems it runs.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::steps;

/// The page that names the tag, and the system of which it says so.
const PAGE: &str = "python/README.md";
const SYSTEM: (&str, &str) = ("debian", "12");

/// The wheel's name has the tag that auditwheel finds, and so has the page, where the system is the one that it speaks of.
///
/// `python` is a Python that may have auditwheel; where it has not, that is said.
pub(crate) fn audit(mut python: Command, wheel: &Path) -> Result<()> {
    let told = python
        .args(["-m", "auditwheel", "show", "--json"])
        .arg(wheel)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start Python")?;
    ensure!(told.status.success(), "auditwheel: {}", told.status);
    let report: Value =
        serde_json::from_slice(&told.stdout).context("what auditwheel says is no JSON")?;
    let tag = found_tag(&report)?;
    let name = wheel.file_stem().unwrap_or_default().to_string_lossy();
    ensure!(
        tags(&name).any(|it| it == tag),
        "auditwheel finds the tag {tag}, which {name} does not name"
    );
    eprintln!("auditwheel: {tag}");
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    if !is_system(&system, SYSTEM) {
        eprintln!("skipped: comparing the tag {tag} with {PAGE}, which names that of Debian 12");
        return Ok(());
    }
    let page = fs::read_to_string(steps::root().join(PAGE)).context(PAGE)?;
    ensure!(
        page.contains(&format!("`{tag}`")),
        "{PAGE} does not name {tag}, which is the tag that auditwheel finds"
    );
    Ok(())
}

/// The tag in a report: one of the systems that packages are promised for, and not of this system alone.
fn found_tag(report: &Value) -> Result<&str> {
    let tag = report["overall_tag"]
        .as_str()
        .context("auditwheel names no tag")?;
    ensure!(
        tag.contains("linux_") && !tag.starts_with("linux_"),
        "the wheel is for {tag} alone: {report:#}"
    );
    let libraries = report["external_libs"].as_object();
    ensure!(
        libraries.is_none_or(serde_json::Map::is_empty),
        "the wheel needs libraries of others: {report:#}"
    );
    Ok(tag)
}

/// The tags of systems in the name of a wheel, which ends in them.
fn tags(name: &str) -> impl Iterator<Item = &str> {
    name.rsplit('-').next().unwrap_or_default().split('.')
}

/// Whether what a system says of itself names a distribution and its version.
fn is_system(told: &str, (id, version): (&str, &str)) -> bool {
    let has = |key: &str, value: &str| {
        told.lines().any(|line| {
            line.split_once('=')
                .is_some_and(|(name, said)| name == key && said.trim_matches('"') == value)
        })
    };
    has("ID", id) && has("VERSION_ID", version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tag_is_read_and_one_of_this_system_alone_refused() {
        let good = json!({ "overall_tag": "manylinux_2_34_x86_64", "external_libs": {} });
        assert_eq!(found_tag(&good).expect("a tag"), "manylinux_2_34_x86_64");
        let plain = json!({ "overall_tag": "linux_x86_64", "external_libs": {} });
        assert!(found_tag(&plain).is_err());
        let others = json!({ "overall_tag": "manylinux_2_34_x86_64", "external_libs": { "libpq.so.5": null } });
        assert!(found_tag(&others).is_err());
        assert!(found_tag(&json!({})).is_err());
    }

    #[test]
    fn the_last_part_of_a_name_has_the_tags() {
        let name = "tabiya-0.1.0-cp311-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64";
        assert_eq!(
            tags(name).collect::<Vec<_>>(),
            ["manylinux_2_17_x86_64", "manylinux2014_x86_64"]
        );
    }

    #[test]
    fn a_system_is_known_by_its_name_and_version() {
        let debian =
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n";
        assert!(is_system(debian, ("debian", "12")));
        assert!(!is_system(debian, ("debian", "13")));
        assert!(!is_system(
            "ID=ubuntu\nVERSION_ID=\"12\"\n",
            ("debian", "12")
        ));
        assert!(!is_system("", ("debian", "12")));
    }
}
