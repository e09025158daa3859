//! The documentation: commands give the output that is shown below them (`TABIYA_BLESS=1` writes it anew), and links lead somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A line of a page.
enum PageLine<'p> {
    /// A command, without its `$ `.
    Command(&'p str),
    /// What a command has said.
    Output,
    Other(&'p str),
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines of a page. Commands and output stand in blocks of the language `console`.
fn lines(page: &str) -> Vec<PageLine<'_>> {
    let mut is_inside = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_inside = line == "```console";
            lines.push(PageLine::Other(line));
        } else if !is_inside {
            lines.push(PageLine::Other(line));
        } else if let Some(command) = line.strip_prefix("$ ") {
            lines.push(PageLine::Command(command));
        } else {
            lines.push(PageLine::Output);
        }
    }
    lines
}

/// The words of a command as a shell would part them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let (mut quote, mut is_escaped) = (None, false);
    for c in command.chars() {
        match (c, quote) {
            _ if is_escaped => {
                word.get_or_insert_default().push(c);
                is_escaped = false;
            }
            ('\\', None | Some('"')) => is_escaped = true,
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// A folder with the sample games.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let samples = std::fs::read_dir(root().join("docs/samples")).expect("the samples");
    for sample in samples {
        let sample = sample.expect("a sample");
        std::fs::copy(sample.path(), folder.path().join(sample.file_name())).expect("a copy");
    }
    folder
}

/// What a command says: standard output, then standard error, without white space at the ends of lines.
fn said(command: &str, folder: &Path) -> String {
    let words = words(command);
    assert_eq!(
        words.first().map(String::as_str),
        Some("tabiya"),
        "{command}"
    );
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(&words[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1 | 3)), "{command}: {output:?}");
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// Runs the commands of a page one after the other in a fresh folder; answers how many there are.
fn check(page: &str) -> usize {
    let path = root().join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    let folder = folder();
    let (mut now, mut commands) = (String::new(), 0);
    for line in lines(&text) {
        match line {
            PageLine::Command(command) => {
                commands += 1;
                now += &format!("$ {command}\n");
                let said = said(command, folder.path());
                if !said.is_empty() {
                    now += &format!("{said}\n");
                }
            }
            PageLine::Output => {}
            PageLine::Other(line) => now += &format!("{line}\n"),
        }
    }
    if std::env::var_os("TABIYA_BLESS").is_some() {
        std::fs::write(&path, now).expect("written");
    } else {
        let differs = text.lines().zip(now.lines()).find(|(a, b)| a != b);
        assert!(
            text == now,
            "{page} is not what the program says (TABIYA_BLESS=1 writes it anew): {differs:?}"
        );
    }
    commands
}

#[test]
fn commands_say_what_stands_below_them() {
    for (page, least) in [
        ("README.md", 3),
        ("docs/first-steps.md", 15),
        ("docs/repertoire.md", 7),
    ] {
        let commands = check(page);
        assert!(commands >= least, "{page}: {commands} commands");
    }
}

#[test]
fn words_are_parted_as_a_shell_does() {
    for (command, expected) in [
        ("a b  c", &["a", "b", "c"][..]),
        ("a 'b \"c\"' \"d 'e'\"", &["a", "b \"c\"", "d 'e'"]),
        ("a \"b \\\"c\\\"\"", &["a", "b \"c\""]),
        ("a ''", &["a", ""]),
    ] {
        assert_eq!(words(command), expected, "{command}");
    }
}

/// All pages, with their folders.
fn pages() -> Vec<PathBuf> {
    let folders = ["", "docs", "docs/coming-from", "docs/formats"];
    let entries = folders.iter().flat_map(|folder| {
        let folder = root().join(folder);
        std::fs::read_dir(folder).expect("a folder")
    });
    entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

/// The lines of a page outside of blocks of code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// What a heading is called in a link.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let letters = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || matches!(c, '-' | '_') => Some(c),
        _ => None,
    });
    letters.collect()
}

#[test]
fn links_lead_to_pages_and_headings() {
    let mut links = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page");
        for line in prose(&page) {
            for rest in line.split("](").skip(1) {
                let (link, _) = rest.split_once(')').expect("the end of a link");
                if link.starts_with("http") {
                    continue;
                }
                links += 1;
                let place = format!("{}: {link}", path.display());
                let (file, heading) = link.split_once('#').unwrap_or((link, ""));
                let target = match file {
                    "" => path.clone(),
                    file => path.with_file_name("").join(file),
                };
                assert!(target.exists(), "{place}");
                if heading.is_empty() {
                    continue;
                }
                let text = std::fs::read_to_string(&target).expect("a page");
                let headings = prose(&text).filter(|line| line.starts_with('#'));
                let anchors: BTreeSet<String> = headings.map(anchor).collect();
                assert!(anchors.contains(heading), "{place}");
            }
        }
    }
    assert!(links > 100, "{links} links");
}
