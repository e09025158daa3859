//! Known vulnerabilities in the dependencies of Tabiya: of all Rust workspaces, and of the packages of the app's pages.
//!
//! This is part of releasing and not of the continuous integration: it needs the network, and its answer changes without a change here.
//! A missing answer is not an answer without findings: it is reported, and has its own exit code.

use std::fmt;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use serde_json::Value;

use crate::steps;

/// It could not be looked, everywhere or somewhere. The program ends with another code then.
#[derive(Debug)]
pub(crate) struct IncompleteAudit(Vec<String>);

impl fmt::Display for IncompleteAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "could not check {}", self.0.join("; "))
    }
}

impl std::error::Error for IncompleteAudit {}

/// What a tool has said.
#[derive(Debug, PartialEq, Eq)]
enum AuditAnswer {
    /// So much is known, each in a line.
    Known(Vec<String>),
    /// It did not look, and why.
    NotLooked(String),
}

/// Asks for all that is built or run.
pub(crate) fn advisories(_: &[String]) -> Result<()> {
    let mut known = Vec::new();
    let mut not_looked = Vec::new();
    for (what, said) in [
        ("the crates of the project", crates(".")),
        ("the crates of python/", crates("python")),
        ("the crates of sql/", crates("sql")),
        ("the packages of web/", packages()),
    ] {
        match said {
            AuditAnswer::Known(all) if all.is_empty() => {
                eprintln!("checked {what}: nothing known")
            }
            AuditAnswer::Known(all) => {
                for one in &all {
                    eprintln!("known for {what}: {one}");
                }
                known.extend(all);
            }
            AuditAnswer::NotLooked(why) => {
                eprintln!("could not check {what}: {why}");
                not_looked.push(what.to_owned());
            }
        }
    }
    if !known.is_empty() {
        let rest = match not_looked.is_empty() {
            true => String::new(),
            false => format!(", and {}", IncompleteAudit(not_looked)),
        };
        bail!(
            "{} known vulnerabilities or withdrawn versions{rest}",
            known.len()
        );
    }
    if !not_looked.is_empty() {
        return Err(IncompleteAudit(not_looked).into());
    }
    Ok(())
}

/// What RustSec knows of a workspace, by cargo-deny.
fn crates(folder: &str) -> AuditAnswer {
    if !steps::has_deny() {
        return AuditAnswer::NotLooked("cargo-deny is not installed".to_owned());
    }
    let config = steps::root().join("deny.toml");
    let mut command = steps::cargo(&["deny", "--format", "json", "--all-features", "--config"]);
    command.arg(config).args(["check", "advisories"]);
    command.current_dir(steps::root().join(folder));
    match command.output() {
        Ok(output) => of_deny(
            &String::from_utf8_lossy(&output.stderr),
            output.status.success(),
        ),
        Err(error) => AuditAnswer::NotLooked(error.to_string()),
    }
}

/// What lines of JSON of cargo-deny say. Only one that has looked to the end has a summary.
fn of_deny(text: &str, is_success: bool) -> AuditAnswer {
    let lines: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let field = |line: &Value, name: &str| {
        line["fields"][name]
            .as_str()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let errors = || {
        lines.iter().filter(|line| {
            line["fields"]["level"] == "ERROR" || line["fields"]["severity"] == "error"
        })
    };
    let Some(summary) = lines.iter().find(|line| line["type"] == "summary") else {
        let why = errors().map(|line| field(line, "message")).next_back();
        return AuditAnswer::NotLooked(
            why.unwrap_or_else(|| "cargo-deny reported nothing about advisories".to_owned()),
        );
    };
    let Some(count) = summary["fields"]["advisories"]["errors"].as_u64() else {
        return AuditAnswer::NotLooked("cargo-deny did not check advisories".to_owned());
    };
    let mut known: Vec<String> = errors()
        .filter(|line| line["type"] == "diagnostic")
        .map(|line| {
            let graph = &line["fields"]["graphs"][0]["Krate"];
            let krate = format!(
                "{} {}",
                graph["name"].as_str().unwrap_or("?"),
                graph["version"].as_str().unwrap_or("?")
            );
            let id = line["fields"]["advisory"]["id"].as_str();
            format!(
                "{krate}: {} ({}{})",
                field(line, "message"),
                field(line, "code"),
                id.map(|id| format!(", {id}")).unwrap_or_default()
            )
        })
        .collect();
    // What is counted and not explained is told all the same.
    let unexplained = count.saturating_sub(known.len() as u64);
    known.extend(
        (0..unexplained).map(|_| "an advisory that cargo-deny does not explain".to_owned()),
    );
    if known.is_empty() && !is_success {
        return AuditAnswer::NotLooked("cargo-deny failed without a reason".to_owned());
    }
    AuditAnswer::Known(known)
}

/// What npm's registry knows of the packages of the app's pages and of what builds them.
fn packages() -> AuditAnswer {
    let output = Command::new("npm")
        .args(["audit", "--json"])
        .current_dir(steps::root().join("web"))
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => of_npm(&String::from_utf8_lossy(&output.stdout)),
        Err(error) => AuditAnswer::NotLooked(format!("cannot start npm: {error}")),
    }
}

/// What the report of `npm audit` says.
fn of_npm(text: &str) -> AuditAnswer {
    let report: Value = serde_json::from_str(text).unwrap_or_default();
    let (Some(version), Some(vulnerabilities)) = (
        report["auditReportVersion"].as_u64(),
        report["vulnerabilities"].as_object(),
    ) else {
        let why = report["message"]
            .as_str()
            .or(report["error"]["summary"].as_str());
        return AuditAnswer::NotLooked(why.unwrap_or("npm did not answer").trim().to_owned());
    };
    if version != 2 {
        return AuditAnswer::NotLooked(format!("npm's report has the unknown version {version}"));
    }
    let known = vulnerabilities.iter().map(|(name, one)| {
        let titles = one["via"].as_array().into_iter().flatten();
        let titles: Vec<&str> = titles.filter_map(|via| via["title"].as_str()).collect();
        let severity = one["severity"].as_str().unwrap_or("unrated");
        format!(
            "{name} {}: {severity}, {}",
            one["range"].as_str().unwrap_or("?"),
            titles.join(", ")
        )
    });
    AuditAnswer::Known(known.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_cannot_be_had_is_no_answer() {
        let log = r#"{"fields":{"level":"ERROR","message":"failed to fetch advisory database: no network\n","timestamp":"2026"},"type":"log"}"#;
        let AuditAnswer::NotLooked(why) = of_deny(log, false) else {
            panic!("it looked");
        };
        assert_eq!(why, "failed to fetch advisory database: no network");
        for (text, is_success) in [
            ("", true),
            ("nonsense", false),
            (r#"{"type":"summary","fields":{"bans":{"errors":0}}}"#, true),
        ] {
            assert!(
                matches!(of_deny(text, is_success), AuditAnswer::NotLooked(_)),
                "{text}"
            );
        }
        let clean = r#"{"type":"summary","fields":{"advisories":{"errors":0,"warnings":0,"notes":0,"helps":0}}}"#;
        assert_eq!(of_deny(clean, true), AuditAnswer::Known(Vec::new()));
        assert!(matches!(of_deny(clean, false), AuditAnswer::NotLooked(_)));
    }

    #[test]
    fn what_is_known_of_crates_is_told_with_its_crate() {
        let found = concat!(
            r#"{"type":"diagnostic","fields":{"severity":"error","code":"vulnerability","advisory":{"id":"RUSTSEC-2026-9999"},"message":"it reads too far","graphs":[{"Krate":{"name":"old","version":"0.1.0"}}]}}"#,
            "\n",
            r#"{"type":"diagnostic","fields":{"severity":"warning","code":"unmaintained","message":"nobody looks after it","graphs":[]}}"#,
            "\n",
            r#"{"type":"summary","fields":{"advisories":{"errors":2,"warnings":1}}}"#,
        );
        let AuditAnswer::Known(known) = of_deny(found, false) else {
            panic!("it looked");
        };
        assert_eq!(known.len(), 2);
        assert_eq!(
            known[0],
            "old 0.1.0: it reads too far (vulnerability, RUSTSEC-2026-9999)"
        );
    }

    #[test]
    fn a_registry_that_does_not_answer_is_no_answer() {
        let refused = r#"{"message": "405 Method Not Allowed - POST", "statusCode": 405, "error": {"summary": "", "detail": ""}}"#;
        assert_eq!(
            of_npm(refused),
            AuditAnswer::NotLooked("405 Method Not Allowed - POST".to_owned())
        );
        for text in [
            "",
            "[]",
            "{}",
            r#"{"vulnerabilities": {}}"#,
            r#"{"auditReportVersion": 3, "vulnerabilities": {}}"#,
        ] {
            assert!(matches!(of_npm(text), AuditAnswer::NotLooked(_)), "{text}");
        }
        let clean = r#"{"auditReportVersion": 2, "vulnerabilities": {}, "metadata": {}}"#;
        assert_eq!(of_npm(clean), AuditAnswer::Known(Vec::new()));
        let found = r#"{"auditReportVersion": 2, "vulnerabilities": {"old": {"name": "old", "severity": "high",
            "via": [{"title": "it runs what it reads"}, "other"], "range": "<2"}}}"#;
        assert_eq!(
            of_npm(found),
            AuditAnswer::Known(vec!["old <2: high, it runs what it reads".to_owned()])
        );
    }
}
