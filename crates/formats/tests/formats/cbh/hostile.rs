//! Damage: every truncation and every flipped byte is handled, and truncated games are reported.

use std::path::{Path, PathBuf};

use tabiya_formats::cbh::CbhReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::charset::Charset;
use tabiya_model::{Database, Game, GameNeeds};

use crate::cbh::shared;

/// The small databases, and whether all bytes are tried.
const SMALL: [(&str, &str); 5] = [
    ("cbhlib_test", "cbhlib_test"),
    ("Mate2", "Mate2"),
    ("srenault-test", "test"),
    ("test-annotations", "test-annotations"),
    ("cb12", "cb12"),
];

/// Files whose bytes matter.
const EXTENSIONS: [&str; 12] = [
    "cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbj", "cbtt", "cbm",
];

fn options() -> OpenOptions {
    OpenOptions {
        audit: true,
        mmap: false,
        encoding: Some(Charset::Cp1252),
        ..OpenOptions::default()
    }
}

pub(crate) struct Set {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
    pub(crate) header: PathBuf,
}

pub(crate) fn sets() -> Vec<Set> {
    let Some(root) = shared("oracles/cbh") else {
        return Vec::new();
    };
    SMALL
        .iter()
        .map(|(folder, stem)| {
            let copy = tempfile::tempdir().expect("a folder");
            let mut files = Vec::new();
            for extension in EXTENSIONS {
                let name = format!("{stem}.{extension}");
                if let Ok(bytes) = std::fs::read(root.join(folder).join(&name)) {
                    let to = copy.path().join(name);
                    std::fs::write(&to, &bytes).expect("written");
                    files.push((to, bytes));
                }
            }
            Set {
                header: copy.path().join(format!("{stem}.cbh")),
                folder: copy,
                files,
            }
        })
        .collect()
}

/// Reads a complete database; returns whether anything was found to be wrong.
fn survey(path: &Path) -> Option<(Vec<Game>, bool)> {
    let reader = CbhReader::open(path, &options()).ok()?;
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
            let _ = facts.fact(number, tabiya_model::facts::FactFields::ALL);
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
            let must_tell = ["cbh", "cbg", "cba"].iter().any(|it| extension == *it);
            // The large files of titles are full of padding, which is alike wherever it is cut.
            let step = if bytes.len() > 3_000 && !must_tell {
                tabiya_testing::by_form(23, 5, 1)
            } else {
                1
            };
            for cut in (0..bytes.len()).rev().step_by(step) {
                std::fs::write(path, &bytes[..cut]).expect("written");
                match survey(&set.header) {
                    // A header file that is shorter than its own header is refused.
                    None => assert!(extension == "cbh" && cut < 46, "{path:?} {cut}"),
                    Some((games, told)) => {
                        assert!(told || !must_tell, "{path:?} cut at {cut}");
                        assert!(games.len() <= whole.len());
                    }
                }
                let _ = CbhReader::salvage(&set.header, &options()).map(|reader| reader.len());
            }
            std::fs::write(path, bytes).expect("written");
        }
        drop(set.folder);
    }
}

#[test]
fn every_flipped_byte_is_survived() {
    let is_full = tabiya_testing::is_full();
    for set in sets() {
        for (path, bytes) in &set.files {
            // The large files of titles are full of garbage and padding; all of their fields are alike.
            let step = if bytes.len() > 3_000 {
                tabiya_testing::by_form(29, 13, 1)
            } else {
                1
            };
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
                            CbhReader::salvage(&set.header, &options()).map(|reader| reader.len());
                    }
                }
            }
            std::fs::write(path, bytes).expect("written");
        }
    }
}

#[test]
fn files_of_another_database_are_told() {
    let Some(root) = shared("oracles/cbh") else {
        return;
    };
    // Each file of one database that can be recognised as foreign among the files of another.
    for extension in ["cbg", "cba", "cbj", "cbp", "cbt"] {
        let folder = tempfile::tempdir().expect("a folder");
        for own in EXTENSIONS {
            let from = match own == extension {
                true => root.join("srenault-test/test"),
                false => root.join("linares/linares"),
            };
            let file = from.with_extension(own);
            if file.exists() {
                std::fs::copy(file, folder.path().join(format!("mixed.{own}"))).expect("copied");
            }
        }
        let reader = CbhReader::open(&folder.path().join("mixed.cbh"), &options()).expect("opened");
        let found = reader.diagnostics();
        let told = found
            .iter()
            .filter(|it| it.code.name == "cbh-foreign-file")
            .any(|it| {
                let file = it.place.file.as_deref().unwrap_or("");
                file.ends_with(extension)
            });
        assert!(told, "{extension}: {found:?}");
    }
}
