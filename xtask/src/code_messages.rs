//! The app's sentences for what the library declares by code: findings and losses have one in every language, errors and hints may.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::steps::root;

/// The languages beside English, in which the library speaks itself.
const LANGUAGES: &[&str] = &["de", "es", "fr", "ru"];

/// Compares the messages of the app with the codes that the sources declare.
pub(crate) fn check(web: &Path) -> Result<()> {
    let mut sources = Vec::new();
    read_sources(&root().join("crates"), &mut sources)?;
    let findings: BTreeSet<String> = ["codes!", "losses!"]
        .iter()
        .flat_map(|name| declared(&sources, name))
        .collect();
    let mut errors = declared(&sources, "error_codes!");
    errors.extend(hints(&sources));
    if findings.len() < 100 || errors.len() < 50 {
        bail!("no codes were found in the sources");
    }
    let folder = web.join("messages");
    let mut of_findings = BTreeMap::new();
    let mut of_errors = BTreeMap::new();
    for language in LANGUAGES {
        let read = |kind: &str| messages(&folder.join(kind).join(format!("{language}.json")));
        of_findings.insert(*language, read("findings")?);
        of_errors.insert(*language, read("errors")?);
    }
    let mut faults = of_all(&findings, &of_findings);
    faults.extend(of_some(&errors, &of_errors));
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// What the sources declare in the braces of a macro: the first literal of each entry.
fn declared(sources: &[String], name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for source in sources {
        for (at, _) in source.match_indices(&format!("{name} {{")) {
            // `error_codes!` ends as `codes!` does.
            let is_other = source[..at].ends_with('_');
            let block = source[at..].split("\n}").next().unwrap_or_default();
            for entry in block.split(" = \"").skip(1).filter(|_| !is_other) {
                let code = entry.split('"').next().unwrap_or_default();
                found.insert(code.to_owned());
            }
        }
    }
    found
}

/// The names of the hints, as keys of messages.
fn hints(sources: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for source in sources {
        for entry in source.split("UserHint::").skip(1) {
            let line = entry.lines().next().unwrap_or_default();
            if let Some((_, name)) = line.split_once("=> \"")
                && !name.contains(['{', ' '])
            {
                let name = name.trim_end_matches(['"', ',']);
                found.insert(format!("hint.{name}"));
            }
        }
    }
    found
}

fn read_sources(folder: &Path, sources: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "tests" && name != "target" {
            read_sources(&path, sources)?;
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            // What tests declare is their own.
            let end = text.find("\n#[cfg(test)]\nmod ").unwrap_or(text.len());
            let lines = text[..end].lines();
            let code = lines.filter(|line| !line.trim_start().starts_with("//"));
            sources.push(code.collect::<Vec<_>>().join("\n"));
        }
    }
    Ok(())
}

fn messages(path: &Path) -> Result<BTreeMap<String, String>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let value: Value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    let all = value.as_object().context("messages are an object")?;
    Ok(all
        .iter()
        .map(|(key, text)| (key.clone(), text.as_str().unwrap_or_default().to_owned()))
        .collect())
}

type LanguageMessages = BTreeMap<&'static str, BTreeMap<String, String>>;

/// Every declared code has a sentence in every language, and there are no others.
fn of_all(declared: &BTreeSet<String>, languages: &LanguageMessages) -> Vec<String> {
    let mut faults = Vec::new();
    for (language, messages) in languages {
        let file = format!("web/messages/findings/{language}.json");
        for code in declared {
            if messages.get(code).is_none_or(String::is_empty) {
                faults.push(format!("{file} has no {code}"));
            }
        }
        for code in messages.keys().filter(|code| !declared.contains(*code)) {
            faults.push(format!("{file}: {code} is not declared anywhere"));
        }
    }
    faults
}

/// What has a sentence in one language has one in every other, with the same places to fill, and is declared.
fn of_some(declared: &BTreeSet<String>, languages: &LanguageMessages) -> Vec<String> {
    let mut faults = Vec::new();
    let known: BTreeSet<&String> = languages.values().flat_map(BTreeMap::keys).collect();
    for key in known {
        if !declared.contains(key) {
            faults.push(format!(
                "web/messages/errors: {key} is not declared anywhere"
            ));
        }
        let mut first = None;
        for (language, messages) in languages {
            let file = format!("web/messages/errors/{language}.json");
            let Some(text) = messages.get(key).filter(|text| !text.is_empty()) else {
                faults.push(format!("{file} has no {key}"));
                continue;
            };
            let places = crate::web::places(text);
            if *first.get_or_insert_with(|| places.clone()) != places {
                faults.push(format!(
                    "{file}: {key} has different placeholders than the other languages"
                ));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn languages(of: &[(&'static str, &[(&str, &str)])]) -> LanguageMessages {
        let texts = |all: &[(&str, &str)]| {
            all.iter()
                .map(|(key, text)| ((*key).to_owned(), (*text).to_owned()))
                .collect()
        };
        of.iter().map(|(name, all)| (*name, texts(all))).collect()
    }

    #[test]
    fn a_declared_code_without_a_message_in_a_language_is_a_fault() {
        let source = "codes! {\n    A = \"a-b\", Note,\n        \"x = 1\";\n}\nerror_codes! {\n    C = \"c\", Io, \"y\";\n}\n";
        let sources = [
            source.to_owned(),
            "UserHint::Undo { .. } => \"undo\",".to_owned(),
        ];
        let codes = declared(&sources, "codes!");
        assert_eq!(codes, BTreeSet::from(["a-b".to_owned()]));
        assert_eq!(declared(&sources, "error_codes!").len(), 1);
        assert_eq!(hints(&sources), BTreeSet::from(["hint.undo".to_owned()]));
        let both = languages(&[("de", &[("a-b", "eins")]), ("fr", &[("a-b", "un")])]);
        assert!(of_all(&codes, &both).is_empty());
        let one = languages(&[("de", &[("a-b", "eins")]), ("fr", &[])]);
        assert_eq!(of_all(&codes, &one).len(), 1);
        let more = languages(&[("de", &[("a-b", "eins"), ("z", "zwei")])]);
        assert_eq!(of_all(&codes, &more).len(), 1);
    }

    #[test]
    fn a_message_of_an_error_is_of_a_code_and_in_all_languages() {
        let codes = BTreeSet::from(["c".to_owned()]);
        let both = languages(&[("de", &[("c", "{n} x")]), ("fr", &[("c", "y {n}")])]);
        assert!(of_some(&codes, &both).is_empty());
        let places = languages(&[("de", &[("c", "{n} x")]), ("fr", &[("c", "y")])]);
        assert_eq!(of_some(&codes, &places).len(), 1);
        let one = languages(&[("de", &[("c", "x")]), ("fr", &[])]);
        assert_eq!(of_some(&codes, &one).len(), 1);
        let other = languages(&[("de", &[("d", "x")])]);
        assert_eq!(of_some(&codes, &other).len(), 1);
    }
}
