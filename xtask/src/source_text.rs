//! Source files, and their texts apart from their code.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::steps::root;

/// The source files in these folders, in order, without tests.
pub(crate) fn source_files(folders: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in folders {
        collect(&root().join(folder), &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_test = matches!(
            &*name,
            "tests" | "testing" | "tests.rs" | "target" | "examples"
        );
        if is_test {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else if matches!(
            path.extension().and_then(|it| it.to_str()),
            Some("rs" | "ts" | "tsx")
        ) {
            files.push(path);
        }
    }
    Ok(())
}

/// A piece of a source file.
pub(crate) enum SourcePiece {
    /// Code, with the number of its first line.
    Code(usize, String),
    /// What stands between quotes.
    Literal(usize, String),
}

/// A source file in pieces: code and literals, without comments and without the tests at its end.
pub(crate) fn pieces(text: &str) -> Vec<SourcePiece> {
    let marks = ["\n#[cfg(test)]\nmod ", "\n#[cfg(all(test, unix))]\nmod "];
    let ends = marks.iter().filter_map(|mark| text.find(mark));
    let end = ends.min().unwrap_or(text.len());
    let text: Vec<char> = text[..end].chars().collect();
    let mut all = Vec::new();
    let (mut code, mut start, mut line, mut at) = (String::new(), 1, 1, 0);
    while let Some(&now) = text.get(at) {
        let next = text.get(at + 1).copied();
        if now == '/' && next == Some('/') {
            while text.get(at).is_some_and(|it| *it != '\n') {
                at += 1;
            }
            continue;
        }
        let is_letter = now == '\'' && text.get(at + 2) == Some(&'\'') && next != Some('\\');
        if is_letter {
            code.push_str("' '");
            at += 3;
            continue;
        }
        if now == '\'' && next == Some('\\') {
            at += 2;
            while text.get(at).is_some_and(|it| *it != '\'') {
                at += 1;
            }
            at += 1;
            continue;
        }
        if now != '"' {
            line += usize::from(now == '\n');
            code.push(now);
            at += 1;
            continue;
        }
        all.push(SourcePiece::Code(start, std::mem::take(&mut code)));
        let first = line;
        let hashes = text[..at].iter().rev().take_while(|it| **it == '#').count();
        let is_raw = at > hashes && text[at - hashes - 1] == 'r';
        let mut literal = String::new();
        at += 1;
        while let Some(&now) = text.get(at) {
            let closes = text[at + 1..].iter().take_while(|it| **it == '#').count() >= hashes;
            if now == '"' && (!is_raw || closes) {
                break;
            }
            line += usize::from(now == '\n');
            if now == '\\' && !is_raw {
                let skipped = text.get(at + 1).copied();
                line += usize::from(skipped == Some('\n'));
                literal.push(if skipped == Some('\n') { ' ' } else { '\\' });
                at += 1;
            } else {
                literal.push(now);
            }
            at += 1;
        }
        at += 1;
        all.push(SourcePiece::Literal(first, literal));
        start = line;
        code.push('_');
    }
    all.push(SourcePiece::Code(start, code));
    all
}
