//! Errors are data: no code searches their texts, and the library names no flag and no command.
//!
//! A text is for people. What a program does about a failure depends on its kind and code: otherwise an unlucky file name could decide it.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::source_text::{SourcePiece, pieces, source_files};
use crate::steps::root;

/// The crates that no front end belongs to: what a user calls something, they do not know.
const LIBRARY: &[&str] = &[
    "answers", "codec", "columns", "engine", "explore", "formats", "io", "model", "openings",
    "query", "stats", "tabiya", "tables", "text",
];

/// Words by which failures and their texts are called.
const NAMES: &[&str] = &[
    "error", "err", "e", "failure", "fault", "message", "cause", "reason", "refusal", "trouble",
    "words",
];

/// What looks into a text.
const LOOKS: &[&str] = &[
    "contains",
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "find",
    "split",
    "split_once",
    "matches",
    "replace",
    "includes",
    "startsWith",
    "endsWith",
    "indexOf",
    "match",
];

/// Literals that may name a flag: those of other programs, and what is written into files.
const FOREIGN_FLAGS: &[(&str, &str)] = &[
    ("crates/formats-jose/src/jose/open.rs", "--result-file"),
    ("crates/formats-jose/src/jose/myisam/header.rs", "--unpack"),
    (
        "crates/formats-jose/src/jose/writer.rs",
        "--default-character-set",
    ),
];

/// Places where a text is no failure of ours: the file, what stands there, and why it may.
const READ_TEXTS: &[(&str, &str, &str)] = &[
    (
        "sql/src/cluster_failure.rs",
        "words",
        "a scheduler of a cluster sends its failures as text alone",
    ),
    (
        "sql/src/failure_words.rs",
        "words",
        "the planner tells a table that is missing as text alone",
    ),
];

/// Looks at every source file; fails with all that it finds.
pub(crate) fn check() -> Result<()> {
    let mut found = Vec::new();
    for path in source_files(&["crates", "python/src", "sql/src", "web/src"])? {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let name = path.strip_prefix(root()).unwrap_or(&path);
        let name = name.to_string_lossy().replace('\\', "/");
        found.extend(looks(&name, &text));
        if is_library(&name) {
            found.extend(flags(&name, &text));
        }
    }
    if !found.is_empty() {
        bail!("{}", found.join("\n"));
    }
    Ok(())
}

fn is_library(name: &str) -> bool {
    let mut parts = name.split('/');
    parts.next() == Some("crates")
        && parts.next().is_some_and(|part| {
            LIBRARY.contains(&part) || part.starts_with("format-") || part.starts_with("formats-")
        })
}

/// Where a file looks into the text of a failure.
fn looks(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in pieces(text) {
        let SourcePiece::Code(first, code) = piece else {
            continue;
        };
        for look in LOOKS {
            for (at, _) in code.match_indices(&format!(".{look}(")) {
                let before = code[..at].trim_end();
                let asked = subject(before);
                let is_text = before.ends_with(".to_string()");
                if !is_text && !NAMES.contains(&asked) {
                    continue;
                }
                let may = |(file, word, _): &(&str, &str, &str)| *file == name && asked == *word;
                if !READ_TEXTS.iter().any(may) {
                    let line = first + code[..at].matches('\n').count();
                    found.push(format!(
                        "{name}:{line}: `.{look}(` searches the text of a failure: use its kind or its code"
                    ));
                }
            }
        }
    }
    found
}

/// The last name of an expression, without a call at its end: what `a.error` or `error()` is about.
fn subject(expression: &str) -> &str {
    let bare = expression.strip_suffix("()").unwrap_or(expression);
    let start = bare
        .rfind(|it: char| !(it.is_alphanumeric() || it == '_'))
        .map_or(0, |at| {
            at + bare[at..].chars().next().map_or(1, char::len_utf8)
        });
    &bare[start..]
}

/// Where a file of the library names a flag or a command in a literal.
fn flags(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in pieces(text) {
        let SourcePiece::Literal(line, literal) = piece else {
            continue;
        };
        let may = |(file, word): &(&str, &str)| *file == name && literal.contains(word);
        if FOREIGN_FLAGS.iter().any(may) {
            continue;
        }
        if names_flag(&literal) || literal.contains("`tabiya ") {
            found.push(format!(
                "{name}:{line}: a text of the library names a flag or a command: {literal:?}; leave that to a front end (`UserAction`)"
            ));
        }
    }
    found
}

/// Whether two hyphens stand before a small letter, and nothing that belongs to a word before them.
fn names_flag(literal: &str) -> bool {
    literal.match_indices("--").any(|(at, _)| {
        let before = literal[..at].chars().next_back();
        let after = literal[at + 2..].chars().next();
        let is_word = |it: char| it.is_alphanumeric() || matches!(it, '-' | '!' | '<');
        after.is_some_and(|it| it.is_ascii_lowercase()) && !before.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_into_a_text_is_found() {
        for code in [
            "if error.to_string().contains(\"busy\") {}",
            "failure\n    .message\n    .starts_with(\"no\")",
            "let of = error.message().strip_prefix(\"x\");",
            "one.message.replace(/^note: /, '')",
            "let name = '\"'; error.to_string().ends_with(\".\")",
        ] {
            assert_eq!(looks("crates/io/src/x.rs", code).len(), 1, "{code}");
        }
        for code in [
            "// error.to_string().contains(\"busy\")",
            "path.to_str().contains(\"busy\")",
            "let text = \"error.to_string().contains(1)\";",
            "errors.contains(&error)",
            "let x = 1;\n#[cfg(test)]\nmod tests {\n    error.to_string().contains(\"a\")\n}",
        ] {
            assert!(looks("crates/io/src/x.rs", code).is_empty(), "{code}");
        }
    }

    #[test]
    fn flags_and_commands_in_the_library_are_found_at_their_line() {
        let code = "//! `tabiya index`\nlet x = \"a\";\nError::new(&CODE, \"exists \\\n  already; --force replaces it\");";
        let found = flags("crates/io/src/x.rs", code);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/io/src/x.rs:3: "), "{found:?}");
        for text in ["run `tabiya repair`", "(--from FORMAT insists)", "--x"] {
            let code = format!("let a = r#\"{text}\"#;");
            assert_eq!(flags("crates/io/src/x.rs", &code).len(), 1, "{text}");
        }
        for text in ["a -- b", "<!--x-->", "1--x", "tabiya lock", "--"] {
            let code = format!("let a = \"{text}\";");
            assert!(flags("crates/io/src/x.rs", &code).is_empty(), "{text}");
        }
        assert!(is_library("crates/io/src/x.rs") && !is_library("crates/cli/src/x.rs"));
    }
}
