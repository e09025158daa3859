//! The app's sentences for what the library declares by code: each finding, loss, error and hint has one in every language.

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
    errors.extend(places(&sources));
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
    let mut faults = of_all("findings", &findings, &of_findings);
    faults.extend(of_all("errors", &errors, &of_errors));
    faults.extend(of_values(&values(&sources), &of_errors));
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

/// The names of the numbers that say where an error is, as keys of messages.
fn places(sources: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in sources
        .iter()
        .flat_map(|source| source.split("(\"").skip(1))
    {
        if let Some((name, rest)) = entry.split_once('"')
            && rest.starts_with(&format!(", place.{name}"))
        {
            found.insert(format!("place.{name}"));
        }
    }
    found
}

/// What the server tells of every error: its English sentence.
const MESSAGE: &str = "message";

/// The values that a sentence may have, by its key. An error's are those that every source gives which makes the error: where one is
/// missing, the app has to show English.
fn values(sources: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let mut given = hint_values(sources);
    for place in places(sources) {
        let name = place.trim_start_matches("place.").to_owned();
        given.insert(place, BTreeSet::from([name]));
    }
    let has_message = sources
        .iter()
        .any(|source| source.contains(&format!("const MESSAGE: &str = {MESSAGE:?};")));
    // Each source is read once: there are many, and many errors.
    let makers: Vec<_> = sources
        .iter()
        .map(|source| (made(source), told_values(source)))
        .collect();
    for (code, constant) in constants(sources) {
        let mut known: Option<BTreeSet<String>> = None;
        for (_, told) in makers.iter().filter(|(made, _)| made.contains(&*constant)) {
            known = Some(match known {
                Some(known) => known.intersection(told).cloned().collect(),
                None => told.clone(),
            });
        }
        let mut known = known.unwrap_or_default();
        if has_message {
            known.insert(MESSAGE.to_owned());
        }
        given.insert(code, known);
    }
    given
}

/// The errors' constants, by their codes.
fn constants(sources: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for source in sources {
        for (at, _) in source.match_indices("error_codes! {") {
            let block = source[at..].split("\n}").next().unwrap_or_default();
            for line in block.lines() {
                if let Some((constant, rest)) = line.trim().split_once(" = \"") {
                    let code = rest.split('"').next().unwrap_or_default();
                    found.insert(code.to_owned(), constant.to_owned());
                }
            }
        }
    }
    found
}

/// The constants of errors that a source names. Formats have lists of findings that are called `codes`, too.
fn made(source: &str) -> BTreeSet<&str> {
    let prefix = match source.contains("error_codes as codes") {
        true => "codes::",
        false => "error_codes::",
    };
    let names = source.split(prefix).skip(1).map(|rest| {
        let end = rest.find(|next: char| next != '_' && !next.is_ascii_alphanumeric());
        &rest[..end.unwrap_or(rest.len())]
    });
    names.collect()
}

/// The values that a source gives to its errors, whichever they are.
fn told_values(source: &str) -> BTreeSet<String> {
    let named = |entry: &str| {
        let name = entry.trim_start().strip_prefix('"')?.split('"').next()?;
        Some(name.to_owned())
    };
    let mut told: BTreeSet<String> = source.split(".with(").skip(1).filter_map(named).collect();
    if source.contains(".in_file(") {
        told.insert("file".to_owned());
    }
    told
}

/// The values of hints, by their keys.
fn hint_values(sources: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut told: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for entry in sources
        .iter()
        .flat_map(|source| source.split("UserHint::").skip(1))
    {
        let end = entry.find(|next: char| !next.is_ascii_alphanumeric());
        let variant = &entry[..end.unwrap_or(entry.len())];
        let line = entry.lines().next().unwrap_or_default();
        if let Some((_, name)) = line.split_once("=> \"")
            && !name.contains(['{', ' '])
        {
            let key = format!("hint.{}", name.trim_end_matches(['"', ',']));
            names.entry(variant).or_default().push(key);
        } else if let Some((_, values)) = line.split_once("=> vec![") {
            let values = values.split("(\"").skip(1);
            let values = values.filter_map(|value| value.split('"').next());
            told.entry(variant)
                .or_default()
                .extend(values.map(str::to_owned));
        }
    }
    let of = |variant: &str| told.get(variant).cloned().unwrap_or_default();
    let keys = names.into_iter().flat_map(|(variant, keys)| {
        let values = of(variant);
        keys.into_iter().map(move |key| (key, values.clone()))
    });
    keys.collect()
}

fn read_sources(folder: &Path, sources: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "tests" && name != "target" {
            read_sources(&path, sources)?;
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            // What tests declare is their own.
            let is_here = |(at, found): &(usize, &str)| {
                let line = text[at + found.len()..].lines().next();
                line.is_some_and(|line| line.ends_with('{'))
            };
            let mut tests = text.match_indices("\n#[cfg(test)]\nmod ");
            let end = tests.find(is_here).map_or(text.len(), |(at, _)| at);
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
fn of_all(kind: &str, declared: &BTreeSet<String>, languages: &LanguageMessages) -> Vec<String> {
    let mut faults = Vec::new();
    for (language, messages) in languages {
        let file = format!("web/messages/{kind}/{language}.json");
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

/// A sentence has the same places to fill in every language, and only values that its error or hint has.
fn of_values(
    given: &BTreeMap<String, BTreeSet<String>>,
    languages: &LanguageMessages,
) -> Vec<String> {
    let mut faults = Vec::new();
    let known: BTreeSet<&String> = languages.values().flat_map(BTreeMap::keys).collect();
    for key in known {
        let mut first = None;
        for (language, messages) in languages {
            let file = format!("web/messages/errors/{language}.json");
            let Some(text) = messages.get(key) else {
                continue;
            };
            let places = crate::web::places(text);
            for place in &places {
                if !given.get(key).is_some_and(|given| given.contains(*place)) {
                    faults.push(format!(
                        "{file}: {key} has {{{place}}}, which not everything that makes it gives"
                    ));
                }
            }
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
        assert!(of_all("findings", &codes, &both).is_empty());
        let one = languages(&[("de", &[("a-b", "eins")]), ("fr", &[])]);
        assert_eq!(of_all("findings", &codes, &one).len(), 1);
        let more = languages(&[("de", &[("a-b", "eins"), ("z", "zwei")])]);
        assert_eq!(of_all("findings", &codes, &more).len(), 1);
    }

    #[test]
    fn a_message_of_an_error_has_only_values_that_every_maker_gives() {
        let list = "error_codes! {\n    BAD = \"bad\", Usage, \"It is bad.\";\n    BAD_NAME = \"bad-name\", Usage, \"x\";\n}\n";
        let makers = [
            "Error::new(&error_codes::BAD, what)\n.with(\n\"n\", n).with(\"m\", m).in_file(name)",
            "Error::new(&error_codes::BAD, what).with(\"n\", n)",
            "report(&codes::BAD)",
            "Error::new(&error_codes::BAD_NAME, what)",
        ];
        let mut sources: Vec<String> = makers.iter().map(|maker| (*maker).to_owned()).collect();
        sources.push(list.to_owned());
        let names = |names: &[&str]| -> BTreeSet<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        let given = values(&sources);
        assert_eq!(given["bad"], names(&["n"]));
        assert_eq!(given["bad-name"], names(&[]));
        sources.push("const MESSAGE: &str = \"message\";".to_owned());
        assert_eq!(values(&sources)["bad-name"], names(&["message"]));
        let both = languages(&[("de", &[("bad", "{n} x")]), ("fr", &[("bad", "y {n}")])]);
        assert!(of_values(&given, &both).is_empty());
        let places = languages(&[("de", &[("bad", "{n} x")]), ("fr", &[("bad", "y")])]);
        assert_eq!(of_values(&given, &places).len(), 1);
        let wrong = languages(&[("de", &[("bad", "{m} x")])]);
        assert_eq!(of_values(&given, &wrong).len(), 1);
        let unknown = languages(&[("de", &[("other", "{n} x")])]);
        assert_eq!(of_values(&given, &unknown).len(), 1);
    }

    #[test]
    fn hints_and_places_have_their_own_values() {
        let sources = [
            "UserHint::Undo { .. } => \"undo\",\nUserHint::Drop => \"drop\",".to_owned(),
            "UserHint::Undo { base } => vec![(\"base\", base.clone())],".to_owned(),
            "(\"line\", place.line),\n(\"count\", games)".to_owned(),
        ];
        let given = values(&sources);
        assert_eq!(given["hint.undo"], BTreeSet::from(["base".to_owned()]));
        assert!(given["hint.drop"].is_empty());
        assert_eq!(given["place.line"], BTreeSet::from(["line".to_owned()]));
        assert_eq!(given.len(), 3);
        assert_eq!(places(&sources), BTreeSet::from(["place.line".to_owned()]));
    }
}
