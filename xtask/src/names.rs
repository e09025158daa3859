//! The rule for names, counted: types that share a name, types that are participles, circles between files of different folders, and
//! arrows between rooms that go up.
//! ARCHITECTURE.md says what the rule is.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use crate::steps::root;
use crate::web_imports;

/// Names that each crate may have.
const ONE_A_CRATE: &[&str] = &["Error", "Result"];

/// Types that stand in the code twice, of which one is compiled: for another system, or without a feature.
const TWINS: &[&str] = &["ClusterArgs", "ClusterJob", "HeldFolder", "StdoutPipe"];

/// Endings of participles.
const ENDINGS: &[&str] = &["ed", "ing"];

/// Participles that the endings do not tell.
const PARTICIPLES: &[&str] = &[
    "Begun", "Built", "Chosen", "Cut", "Drawn", "Found", "Given", "Gone", "Grown", "Heard", "Held",
    "Hit", "Kept", "Known", "Laid", "Led", "Left", "Lost", "Made", "Met", "Read", "Said", "Seen",
    "Shown", "Spun", "Taken", "Told", "Woken", "Written",
];

/// Nouns that end like participles.
const NOUNS: &[&str] = &[
    "Encoding", "Ending", "Feed", "Finding", "King", "Meaning", "Need", "Opening", "Posting",
    "Rating", "Reading", "Setting", "Speed", "String", "Thing", "Warning",
];

/// A room of a crate: a folder of its sources, and the rooms that its files may use.
type Room = (&'static str, &'static [&'static str]);

/// The crates that have rooms.
const ROOMS: &[(&str, &[Room])] = &[
    (
        "crates/query/src",
        &[
            ("parser", &["plan", "terms", "language"]),
            ("run", &["plan", "terms", "language"]),
            ("plan", &["terms", "language"]),
            ("terms", &["language"]),
            ("language", &[]),
        ],
    ),
    (
        "crates/tabiya/src",
        &[
            ("study", &["write", "select", "open", "error_codes"]),
            ("write", &["select", "open", "error_codes"]),
            ("select", &["open", "error_codes"]),
            ("open", &["error_codes"]),
            ("error_codes", &[]),
        ],
    ),
];

/// Counts, and fails where the rule is broken.
pub(crate) fn names(_: &[String]) -> Result<()> {
    crate::error_texts::check()?;
    let mut folders = vec![root().join("python/src"), root().join("sql/src")];
    for entry in fs::read_dir(root().join("crates")).context("crates")? {
        folders.push(entry?.path().join("src"));
    }
    folders.sort();
    let (mut types, mut circles) = (BTreeMap::<String, Vec<String>>::new(), Vec::new());
    let mut upward = Vec::new();
    for folder in folders {
        let modules = modules(&folder)?;
        for module in modules.values() {
            for (line, name) in module.types() {
                let place = format!("{}:{line}", module.shown());
                types.entry(name).or_default().push(place);
            }
        }
        circles.extend(circles_of(&modules));
        if let Some((_, rooms)) = ROOMS.iter().find(|(path, _)| folder.ends_with(path)) {
            upward.extend(upward_of(&modules, rooms));
        }
    }
    let web = web_imports::upward(&root().join("web/src"))?;
    let all: usize = types.values().map(Vec::len).sum();
    let shared: Vec<_> = types
        .iter()
        .filter(|(name, places)| {
            places.len() > 1
                && !ONE_A_CRATE.contains(&name.as_str())
                && !TWINS.contains(&name.as_str())
        })
        .collect();
    let participles: Vec<_> = types.keys().filter(|name| is_participle(name)).collect();
    println!(
        "{all} types: {} share their name with another type, {} are participles",
        shared.iter().map(|(_, places)| places.len()).sum::<usize>(),
        participles.len()
    );
    println!(
        "{} circles between files of different folders",
        circles.len()
    );
    println!("{} uses between rooms go up", upward.len());
    println!("{} imports between folders of the app go up", web.len());
    for (name, places) in &shared {
        eprintln!("{name} is the name of several types: {}", places.join(", "));
    }
    for name in &participles {
        eprintln!("{name} is a participle: {}", types[*name].join(", "));
    }
    for circle in &circles {
        eprintln!("a circle: {}", circle.join(", "));
    }
    for arrow in upward.iter().chain(&web) {
        eprintln!("{arrow}");
    }
    if !(shared.is_empty()
        && participles.is_empty()
        && circles.is_empty()
        && upward.is_empty()
        && web.is_empty())
    {
        bail!("names or uses break the rules of ARCHITECTURE.md");
    }
    Ok(())
}

/// Whether the last word of a name is a participle.
fn is_participle(name: &str) -> bool {
    let start = name.rfind(char::is_uppercase).unwrap_or(0);
    let word = &name[start..];
    PARTICIPLES.contains(&word)
        || (ENDINGS.iter().any(|end| word.ends_with(end)) && !NOUNS.contains(&word))
}

/// A file of a crate.
struct Module {
    path: PathBuf,
    /// Its text without comments and tests.
    text: String,
}

impl Module {
    fn shown(&self) -> String {
        let path = self.path.strip_prefix(root()).unwrap_or(&self.path);
        path.display().to_string()
    }

    /// The types that it defines, with their lines. What stands within an `impl` is no type of its own.
    fn types(&self) -> impl Iterator<Item = (usize, String)> {
        (1..).zip(self.text.lines()).filter_map(|(number, line)| {
            let mut words = line.split_whitespace();
            let mut word = words.next()?;
            while word.starts_with("pub") || word == "unsafe" {
                word = words.next()?;
            }
            let is_associated = word == "type" && line.starts_with(' ');
            if is_associated || !["struct", "enum", "union", "trait", "type"].contains(&word) {
                return None;
            }
            let name: String = words
                .next()?
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            name.starts_with(char::is_uppercase)
                .then_some((number, name))
        })
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }
}

/// The modules of a crate by their paths, which are parts with `/` between.
fn modules(folder: &Path) -> Result<BTreeMap<String, Module>> {
    let mut modules = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        let Ok(entries) = fs::read_dir(&at) else {
            continue;
        };
        for entry in entries {
            let path = entry?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            if name == "tests" || name == "tests.rs" || name.ends_with("_tests.rs") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                let relative = path.strip_prefix(folder)?.with_extension("");
                let mut parts: Vec<_> = relative.iter().filter_map(|part| part.to_str()).collect();
                if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
                    parts.pop();
                }
                let text = without_tests_and_comments(&text);
                modules.insert(parts.join("/"), Module { path, text });
            }
        }
    }
    Ok(modules)
}

fn without_tests_and_comments(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or(text);
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with("//") {
            ""
        } else {
            line
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules of the crate that a module uses.
fn uses<'m>(
    name: &str,
    module: &Module,
    modules: &'m BTreeMap<String, Module>,
) -> BTreeSet<&'m str> {
    let mut found = BTreeSet::new();
    let own: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    let children = children(name, modules);
    for path in paths(&module.text, &children) {
        let mut parts: Vec<&str> = path.split("::").map(str::trim).collect();
        let mut at: Vec<&str> = match parts.first() {
            Some(&"crate") => Vec::new(),
            _ => own.clone(),
        };
        while let Some(&("crate" | "self" | "super")) = parts.first() {
            if parts.remove(0) == "super" {
                at.pop();
            }
        }
        at.extend(parts);
        let longest = (1..=at.len())
            .rev()
            .find_map(|length| modules.get_key_value(&at[..length].join("/")));
        if let Some((used, _)) = longest
            && used != name
        {
            found.insert(used.as_str());
        }
    }
    found
}

/// The modules right within a module, which it may name without more.
fn children<'m>(name: &str, modules: &'m BTreeMap<String, Module>) -> Vec<&'m str> {
    let within = |module: &'m String| match name {
        "" => Some(module.as_str()),
        _ => module.strip_prefix(name)?.strip_prefix('/'),
    };
    let found = modules.keys().filter_map(within);
    found
        .filter(|child| !child.is_empty() && !child.contains('/'))
        .collect()
}

/// Every path of a text that begins in its own crate or with one of its children, with lists in braces as paths of their own.
fn paths(text: &str, children: &[&str]) -> Vec<String> {
    let mut paths = Vec::new();
    for start in ["crate", "super", "self"].iter().chain(children) {
        let start = format!("{start}::");
        for (at, _) in text.match_indices(&start) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            // Who may see an item says nothing of what is used.
            if text[..at].ends_with("pub(in ") {
                continue;
            }
            spread(&text[at..], "", &mut paths);
        }
    }
    paths
}

/// Adds the paths that begin with a text; gives back how much of it they take.
fn spread(text: &str, prefix: &str, paths: &mut Vec<String>) -> usize {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(text.len());
    let path = format!("{prefix}{}", &text[..end]);
    if !text[end..].starts_with('{') {
        paths.push(path.trim_end_matches("::").to_owned());
        return end;
    }
    let mut at = end + 1;
    while at < text.len() {
        let rest = &text[at..];
        match rest.chars().next() {
            Some('}') | None => return at + 1,
            Some(c) if c.is_alphanumeric() || c == '_' => {
                at += spread(rest, &path, paths).max(1);
                // The other name of an import says nothing of where it is from.
                if let Some(alias) = text[at..].strip_prefix(" as ") {
                    at += 4 + alias.find([',', '}']).unwrap_or(alias.len());
                }
            }
            Some(c) => at += c.len_utf8(),
        }
    }
    at
}

/// Modules of different folders of which each reaches all others.
fn circles_of(modules: &BTreeMap<String, Module>) -> Vec<Vec<String>> {
    let arrows: BTreeMap<&str, BTreeSet<&str>> = modules
        .iter()
        .map(|(name, module)| (name.as_str(), uses(name, module, modules)))
        .collect();
    let reach: BTreeMap<&str, BTreeSet<&str>> = arrows
        .keys()
        .map(|name| {
            let (mut reached, mut next) = (BTreeSet::new(), vec![*name]);
            while let Some(at) = next.pop() {
                next.extend(arrows[at].iter().filter(|used| reached.insert(**used)));
            }
            (*name, reached)
        })
        .collect();
    let mut circles = BTreeSet::new();
    for (name, reached) in &reach {
        let circle: Vec<&str> = reached
            .iter()
            .filter(|other| reach[**other].contains(name))
            .copied()
            .collect();
        let folders: BTreeSet<&Path> = circle.iter().map(|name| modules[*name].folder()).collect();
        if folders.len() > 1 {
            circles.insert(
                circle
                    .iter()
                    .map(|name| modules[*name].shown())
                    .collect::<Vec<_>>(),
            );
        }
    }
    circles.into_iter().collect()
}

/// What files of rooms use that they may not: files of rooms above, and names that the root of the crate gives out, of which
/// nobody sees where they are from.
fn upward_of(modules: &BTreeMap<String, Module>, rooms: &[Room]) -> Vec<String> {
    let room_of = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for (room, _) in rooms {
        if !modules.keys().any(|name| room_of(name) == *room) {
            found.push(format!("no such room: {room}"));
        }
    }
    for (name, module) in modules {
        let own = room_of(name);
        let Some((_, below)) = rooms.iter().find(|(room, _)| *room == own) else {
            continue;
        };
        let may_use = |room: &str| room == own || below.contains(&room);
        for used in uses(name, module, modules) {
            if !may_use(&room_of(used)) {
                let (from, to) = (module.shown(), modules[used].shown());
                found.push(format!("{from} uses {to}, which is not below it"));
            }
        }
        for path in paths(&module.text, &[]) {
            let first = path
                .strip_prefix("crate::")
                .and_then(|rest| rest.split("::").next());
            if let Some(first) = first
                && !modules.keys().any(|name| room_of(name) == first)
            {
                let from = module.shown();
                found.push(format!("{from} uses {path} through the root of the crate"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_between_rooms_go_down_only() {
        let rooms: &[Room] = &[("top", &["low"]), ("beside", &["low"]), ("low", &[])];
        let found = |files: &[(&str, &str)]| {
            let module = |(name, text): &(&str, &str)| {
                let path = PathBuf::from(format!("{name}.rs"));
                let text = without_tests_and_comments(text);
                ((*name).to_owned(), Module { path, text })
            };
            upward_of(&files.iter().map(module).collect(), rooms)
        };
        let sound = [
            ("", "pub use top::a::A;"),
            ("top/a", "use crate::low::c::C;\nuse crate::top::d;"),
            ("top/d", "// crate::beside::b\nuse super::a::A;"),
            ("beside/b", "fn b() -> crate::low::c::C {}"),
            (
                "low/c",
                "struct C;\n#[cfg(test)]\nmod tests { use crate::top::a; }",
            ),
        ];
        assert_eq!(found(&sound), [""; 0]);
        for (name, text, says) in [
            (
                "low/c",
                "use crate::top::a::A;",
                "low/c.rs uses top/a.rs, which is not below it",
            ),
            (
                "beside/b",
                "fn b(_: super::super::top::a::A) {}",
                "beside/b.rs uses top/a.rs, which is not below it",
            ),
            (
                "top/d",
                "use crate::beside::{b, b::B};",
                "top/d.rs uses beside/b.rs, which is not below it",
            ),
            (
                "low/c",
                "use crate::{A, low::c};",
                "low/c.rs uses crate::A through the root of the crate",
            ),
        ] {
            let broken = sound.map(|file| if file.0 == name { (name, text) } else { file });
            assert_eq!(found(&broken), [says], "{text}");
        }
        assert!(found(&sound[..4]).contains(&"no such room: low".to_owned()));
    }

    #[test]
    fn participles_are_told_from_nouns() {
        for name in ["Kept", "ScidOverruled", "GameTold", "Gathering"] {
            assert!(is_participle(name), "{name}");
        }
        for name in ["KeptGames", "CharsetEncoding", "Speed", "TextFinding"] {
            assert!(!is_participle(name), "{name}");
        }
    }

    #[test]
    fn a_circle_by_the_bare_name_of_a_child_is_found() {
        let found = |files: &[(&str, &str)]| {
            let module = |(name, text): &(&str, &str)| {
                let path = PathBuf::from(format!("{name}.rs"));
                let text = without_tests_and_comments(text);
                ((*name).to_owned(), Module { path, text })
            };
            circles_of(&files.iter().map(module).collect()).len()
        };
        let child = ("a/b/c", "use super::super::A;");
        assert_eq!(
            found(&[
                ("a", "mod b;\nuse b::c::C;\nstruct A;"),
                ("a/b", "mod c;"),
                child
            ]),
            1
        );
        assert_eq!(
            found(&[("a", "fn a() { b::c::f() }"), ("a/b", "mod c;"), child]),
            1
        );
        assert_eq!(
            found(&[("a", "mod b;\nstruct A;"), ("a/b", "mod c;"), child]),
            0
        );
        assert_eq!(
            found(&[
                ("a", "use x::b::c;\nuse my_b::c;"),
                ("a/b", "mod c;"),
                child
            ]),
            0
        );
    }

    #[test]
    fn who_may_see_an_item_is_no_use() {
        let text = "pub(in super::super) fn a() {}\npub(in crate::b) const C: u8 = super::d::E;";
        assert_eq!(paths(text, &[]), ["super::d::E"]);
    }

    #[test]
    fn paths_are_found_in_lists_and_in_lines() {
        let text = "use crate::a::{self, b::{C, D as E}};\nlet x = super::y::Z::new(my_crate::q);";
        assert_eq!(
            paths(text, &["y"]),
            [
                "crate::a::self",
                "crate::a::b::C",
                "crate::a::b::D",
                "super::y::Z::new"
            ]
        );
    }
}
