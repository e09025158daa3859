//! Plain words: what people read has none of the phrases in `words.txt`, and says what stands beside them there.
//!
//! What is read: literals of the sources, the help of the command line, the app's English and the documents. Examples between
//! fences and names in backquotes are not ours to change.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::source_text::{SourcePiece, pieces, source_files};
use crate::steps::root;

/// The phrases: each line has one, a bar, and what to say instead.
const PHRASES: &str = include_str!("words.txt");

/// Folders of sources whose literals people read.
const SOURCES: [&str; 3] = ["crates", "python/src", "sql/src"];

/// Sources that people read nothing of: what they write is read by programs, or tests alone use them.
const UNREAD: [&str; 2] = ["crates/testing/", "crates/openings/"];

/// Texts that programs read, or that are understood although they are not written: the file, and its phrase.
const UNDERSTOOD: [(&str, &str); 3] = [
    ("crates/query/src/language/synonyms.rs", "half-moves"),
    ("docs/glossary.md", "half-move"),
    ("python/src/database.rs", "anew"),
];

/// Documents, and folders of documents.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs",
    "python/README.md",
];

/// The app's English.
const MESSAGES: &str = "web/messages/en.json";

/// A phrase that is not used, as words, and what to say instead.
struct UnplainPhrase {
    words: Vec<String>,
    plain: String,
}

/// A word of a text, and its line.
struct PlacedWord {
    word: String,
    line: usize,
}

/// Looks at everything that people read; fails with all that it finds.
pub(crate) fn words(_: &[String]) -> Result<()> {
    let phrases = phrases(PHRASES)?;
    let mut found = Vec::new();
    let mut look = |name: &str, words: &[PlacedWord]| {
        for (line, phrase) in occurrences(words, &phrases) {
            let (unplain, plain) = (phrase.words.join(" "), &phrase.plain);
            if !UNDERSTOOD.contains(&(name, &unplain)) {
                found.push(format!("{name}:{line}: \"{unplain}\": say {plain}"));
            }
        }
    };
    for path in source_files(&SOURCES)? {
        let name = relative(&path);
        if UNREAD.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let text = read(&path)?;
        for piece in pieces(&text) {
            if let SourcePiece::Literal(line, literal) = piece {
                look(&name, &placed(&literal, line));
            }
        }
        if name.starts_with("crates/cli/src/") {
            for (line, help) in help_texts(&text) {
                look(&name, &placed(&help, line));
            }
        }
    }
    for path in documents()? {
        look(&relative(&path), &placed(&prose(&read(&path)?), 1));
    }
    look(MESSAGES, &placed(&read(&root().join(MESSAGES))?, 1));
    if !found.is_empty() {
        bail!("{}\n{} phrases", found.join("\n"), found.len());
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

fn relative(path: &Path) -> String {
    let name = path.strip_prefix(root()).unwrap_or(path);
    name.to_string_lossy().replace('\\', "/")
}

fn phrases(text: &str) -> Result<Vec<UnplainPhrase>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let phrases: Result<Vec<_>> = lines
        .map(|line| {
            let (phrase, plain) = line.split_once('|').with_context(|| line.to_owned())?;
            let words: Vec<String> = phrase.split_whitespace().map(str::to_owned).collect();
            if words.is_empty() || plain.trim().is_empty() {
                bail!("words.txt: a phrase, a bar and a phrase are needed: {line}");
            }
            Ok(UnplainPhrase {
                words,
                plain: plain.trim().to_owned(),
            })
        })
        .collect();
    phrases
}

/// Every Markdown file of the documents.
fn documents() -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    let mut waiting: Vec<PathBuf> = DOCUMENTS.iter().map(|name| root().join(name)).collect();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path).with_context(|| path.display().to_string())? {
                waiting.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "md") {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

/// A document without its examples: fenced lines are empty, and so is what stands between backquotes.
fn prose(document: &str) -> String {
    let mut is_fenced = false;
    let lines = document.lines().map(|line| {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            return "";
        }
        if is_fenced { "" } else { line }
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut is_quoted = false;
    text.chars()
        .map(|now| {
            is_quoted ^= now == '`';
            match now {
                '\n' => now,
                _ if is_quoted || now == '`' => ' ',
                _ => now,
            }
        })
        .collect()
}

/// The texts of help: documentation before what the command line is made of, with their lines.
fn help_texts(source: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let mut texts = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let count = lines[at..]
            .iter()
            .take_while(|line| line.starts_with("///"))
            .count();
        let next = lines.get(at + count).copied().unwrap_or_default();
        if count > 0
            && ["#[arg", "#[command", "#[value"]
                .iter()
                .any(|mark| next.starts_with(mark))
        {
            let text: Vec<&str> = lines[at..at + count]
                .iter()
                .map(|line| &line[3..])
                .collect();
            texts.push((at + 1, text.join("\n")));
        }
        at += count.max(1);
    }
    texts
}

/// The words of a text in small letters, without the punctuation around them.
fn placed(text: &str, first: usize) -> Vec<PlacedWord> {
    let lines = text.split('\n').enumerate();
    lines
        .flat_map(|(number, line)| {
            let words = line.split(|it: char| it.is_whitespace() || "—…/|()[]{}<>*\"".contains(it));
            words.filter_map(move |word| {
                let word = word.trim_matches(|it: char| !it.is_alphanumeric());
                (!word.is_empty()).then(|| PlacedWord {
                    word: word.to_lowercase(),
                    line: first + number,
                })
            })
        })
        .collect()
}

fn occurrences<'p>(
    words: &[PlacedWord],
    phrases: &'p [UnplainPhrase],
) -> Vec<(usize, &'p UnplainPhrase)> {
    let mut found = Vec::new();
    for at in 0..words.len() {
        for phrase in phrases {
            let here = words[at..].iter().map(|placed| &placed.word);
            if here.take(phrase.words.len()).eq(&phrase.words) {
                found.push((words[at].line, phrase));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let phrases = phrases("in place of|instead of\nhalf-moves|plies").expect("phrases");
        occurrences(&placed(text, 1), &phrases)
            .into_iter()
            .map(|(line, _)| line)
            .collect()
    }

    #[test]
    fn phrases_are_found_over_lines_and_beside_punctuation() {
        assert_eq!(lines("a\nIn place\nof it, 7 half-moves."), [2, 3]);
        assert!(lines("in the place of, half moves").is_empty());
    }

    #[test]
    fn examples_and_names_are_not_looked_at() {
        assert!(lines(&prose("`in place of`\n```\nhalf-moves\n```\n")).is_empty());
        assert_eq!(lines(&prose("```\n```\nhalf-moves")), [3]);
    }

    #[test]
    fn help_is_what_stands_before_an_option() {
        let source =
            "/// Half-moves\n/// in all\n#[arg(long)]\nplies: u32,\n/// private\nfn f() {}\n";
        assert_eq!(help_texts(source), [(1, " Half-moves\n in all".to_owned())]);
    }

    #[test]
    fn what_is_no_phrase_is_refused() {
        assert!(phrases("no bar").is_err() && phrases("|x").is_err() && phrases("a|").is_err());
    }
}
