//! Damage: every truncation and every flipped byte is handled, and truncated games are reported.

use std::path::{Path, PathBuf};

use tabiya_formats::cbh2::Cbh2Reader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::facts::FactFields;
use tabiya_model::{Database, Game, GameNeeds};

use crate::cbh2::oracles::PLAIN;
use crate::cbh2::samples::corpus;
use crate::cbh2::shared;

const EXTENSIONS: [&str; 6] = ["2cbh", "2cbg", "2cba", "2lid", "2lgd", "2lcd"];

fn options() -> OpenOptions {
    OpenOptions {
        audit: true,
        mmap: false,
        ..OpenOptions::default()
    }
}

struct Set {
    _folder: tempfile::TempDir,
    files: Vec<(PathBuf, Vec<u8>)>,
    header: PathBuf,
}

/// A copy of a database in a folder of its own.
fn set(from: &Path) -> Set {
    let folder = tempfile::tempdir().expect("a folder");
    let header = folder.path().join("copy.2cbh");
    let mut files = Vec::new();
    for extension in EXTENSIONS {
        if let Ok(bytes) = std::fs::read(from.with_extension(extension)) {
            let to = header.with_extension(extension);
            std::fs::write(&to, &bytes).expect("written");
            files.push((to, bytes));
        }
    }
    Set {
        header,
        files,
        _folder: folder,
    }
}

/// Our own sample, and in long runs the databases of other programs.
fn sets() -> Vec<Set> {
    let mut sets = vec![set(&corpus("2cbh/ok/modern.2cbh"))];
    if let Some(root) = shared("oracles/2cbh").filter(|_| tabiya_testing::is_full()) {
        sets.extend(PLAIN.map(|name| set(&root.join(name).join(format!("{name}.2cbh")))));
    }
    sets
}

/// Reads a complete database; returns whether anything was found to be wrong.
fn survey(path: &Path) -> Option<(Vec<Game>, bool)> {
    let reader = Cbh2Reader::open(path, &options()).ok()?;
    let mut games = Vec::new();
    let mut source = reader.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        assert_eq!(game.tape.depth(), 0);
        games.push(game.clone());
        Ok(())
    })
    .expect("games are never errors");
    if let Some(facts) = reader.facts() {
        for number in 0..=games.len() as u64 + 1 {
            let _ = facts.fact(number, FactFields::ALL);
        }
        let _ = facts.overview();
    }
    let _ = reader.info();
    let told =
        !reader.diagnostics().is_empty() || games.iter().any(|game| !game.diagnostics.is_empty());
    Some((games, told))
}

#[test]
fn every_truncation_is_survived_and_told() {
    for set in sets() {
        let (whole, _) = survey(&set.header).expect("opened");
        for (path, bytes) in &set.files {
            let extension = path.extension().expect("an extension");
            let must_tell = ["2cbh", "2cbg", "2cba"].iter().any(|it| extension == *it);
            // Large files of names are mostly empty containers.
            let step = bytes.len() / 4_000 + 1;
            for cut in (0..bytes.len()).rev().step_by(step) {
                std::fs::write(path, &bytes[..cut]).expect("written");
                match survey(&set.header) {
                    // A header file that is shorter than its own header is refused.
                    None => assert!(extension == "2cbh" && cut < 192, "{path:?} {cut}"),
                    Some((games, told)) => {
                        assert!(told || !must_tell, "{path:?} cut at {cut}");
                        assert!(games.len() <= whole.len());
                    }
                }
                let _ = Cbh2Reader::salvage(&set.header, &options()).map(|reader| reader.len());
            }
            std::fs::write(path, bytes).expect("written");
        }
    }
}

#[test]
fn every_flipped_byte_is_survived() {
    let is_full = tabiya_testing::is_full();
    for set in sets() {
        for (path, bytes) in &set.files {
            let step = bytes.len() / 4_000 + 1;
            for at in (0..bytes.len()).step_by(step) {
                // Each byte gets one of these flips in turn, so that a run stays short.
                let flips = [0x01, 0x80, 0xff];
                let flips = if is_full {
                    &flips[..]
                } else {
                    &flips[at / step % 3..][..1]
                };
                for flip in flips {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= flip;
                    std::fs::write(path, &damaged).expect("written");
                    let _ = survey(&set.header);
                    if is_full {
                        let _ =
                            Cbh2Reader::salvage(&set.header, &options()).map(|reader| reader.len());
                    }
                }
            }
            std::fs::write(path, bytes).expect("written");
        }
    }
}

#[test]
fn files_of_another_database_are_told() {
    let Some(root) = shared("oracles/2cbh") else {
        return;
    };
    for extension in ["2cbg", "2cba"] {
        let set = set(&root.join("texts/texts.2cbh"));
        let other = root.join("annotated/annotated").with_extension(extension);
        let to = set.header.with_extension(extension);
        std::fs::copy(other, to).expect("copied");
        let reader = Cbh2Reader::open(&set.header, &options()).expect("opened");
        let found = reader.diagnostics();
        let told = found
            .iter()
            .filter(|it| it.code.name == "2cbh-foreign-file")
            .any(|it| {
                it.place
                    .file
                    .as_deref()
                    .is_some_and(|file| file.ends_with(extension))
            });
        assert!(told, "{extension}: {found:?}");
    }
}
