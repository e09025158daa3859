//! The samples under `corpus/`, which are discovered and never listed: what is read from each, and the effect of damage on
//! it.
//!
//! Next to a sample is its `.golden`: every game as NDJSON, findings included. `TABIYA_BLESS=1` writes them again.

#![allow(clippy::print_stderr)] // The tests print what took part.

use std::path::{Path, PathBuf};

use tabiya_formats::format::{Format, FormatProbe, OpenOptions, ProbeAnswer};
use tabiya_formats::{ndjson, registry};
use tabiya_io::compression::HEAD;
use tabiya_model::database::for_each_game;
use tabiya_model::facts::FactFields;
use tabiya_model::{Error, Game, GameNeeds, Severity};

/// Files next to samples that describe their content.
const EXPECTATIONS: [&str; 4] = ["golden", "json", "md", "txt"];

/// Archives of databases, which are opened by a higher layer.
const ARCHIVES: [&str; 2] = ["cbv", "cbz"];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) path: PathBuf,
    pub(crate) format: &'static Format,
    /// `ok`, `bad` or `regression`.
    pub(crate) kind: String,
}

impl Sample {
    /// The name within the corpus.
    pub(crate) fn name(&self) -> String {
        let name = self.path.strip_prefix(corpus()).expect("within the corpus");
        name.display().to_string()
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The format that recognises a file; an uncertain answer counts in the folder of that format.
fn format_of(path: &Path, folder: &Path) -> Option<&'static Format> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let bytes = std::fs::read(path).unwrap_or_default();
    let probe = FormatProbe {
        path: Some(path),
        extension: &extension,
        head: &bytes[..bytes.len().min(HEAD)],
        is_folder: path.is_dir(),
    };
    let (format, identity) = registry::identify(&probe)?;
    let is_in_its_folder = folder.file_name().is_some_and(|name| name == format.name);
    let reads = format.open.is_some() && (identity == ProbeAnswer::Yes || is_in_its_folder);
    (reads && format.opens(&extension)).then_some(format)
}

/// Whether a file only describes the sample next to it.
fn is_expectation(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    EXPECTATIONS.contains(&extension) || path.to_string_lossy().contains(".expected.")
}

/// Every sample that some format recognises.
pub(crate) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for folder in sorted(&corpus()) {
        for kind in ["ok", "bad", "regression"] {
            for path in sorted(&folder.join(kind)) {
                if is_expectation(&path) {
                    continue;
                }
                if let Some(format) = format_of(&path, &folder) {
                    samples.push(Sample {
                        path,
                        format,
                        kind: kind.to_owned(),
                    });
                }
            }
        }
    }
    samples
}

/// Everything that is read from a database, and the severity of its findings.
fn dump(format: &Format, path: &Path) -> Result<(String, u64), Error> {
    let open = format.open.expect("a sample's format is read");
    let database = open(path, &OpenOptions::default())?;
    let mut lines = Vec::new();
    let mut writer = ndjson::NdjsonGameWriter::default();
    let mut source = database.source(None)?;
    let mut damage = 0;
    for_each_game(&mut *source, GameNeeds::ALL, |game: &mut Game| {
        damage += game.diagnostics.at_least(Severity::Damage);
        writer.write(game, &mut lines);
        Ok(())
    })?;
    let mut text = String::from_utf8(lines).expect("JSON is UTF-8");
    for found in [database.diagnostics(), source.diagnostics()] {
        damage += found.at_least(Severity::Damage);
        for diagnostic in found.iter() {
            text.push_str(&format!("# {diagnostic}\n"));
        }
    }
    Ok((text, damage))
}

/// A sample that no format recognises would be skipped, and every other test here would pass.
#[test]
fn every_sample_of_a_format_is_taken_by_one() {
    let samples = samples();
    let mut passed_over = Vec::new();
    for format in registry::FORMATS {
        for kind in ["ok", "bad", "regression"] {
            for path in sorted(&corpus().join(format.name).join(kind)) {
                let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
                let beside = |sample: &Sample| companions(&sample.path).contains(&path);
                let known = is_expectation(&path) || ARCHIVES.contains(&extension);
                if !known && !samples.iter().any(beside) {
                    passed_over.push(path.display().to_string());
                }
            }
        }
    }
    assert!(
        passed_over.is_empty(),
        "no format takes these for its own, by their first {HEAD} bytes and their names:\n{}",
        passed_over.join("\n")
    );
}

#[test]
fn samples_are_read_as_they_always_were() {
    let bless = std::env::var_os("TABIYA_BLESS").is_some();
    let samples = samples();
    assert!(!samples.is_empty(), "there is no sample under corpus/");
    let mut differ = Vec::new();
    for sample in &samples {
        let name = sample.name();
        let folder = sample.path.parent().expect("a folder");
        let (text, damage) = match dump(sample.format, &sample.path) {
            Ok(read) => read,
            Err(error) => (format!("# error: {error}\n"), 1),
        };
        match &sample.kind[..] {
            "ok" => assert_eq!(damage, 0, "{name} is a sound sample:\n{text}"),
            "bad" => assert!(damage > 0, "{name} is a damaged sample:\n{text}"),
            _ => {}
        }
        // Messages may name the file by its path.
        let folder = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
        let text = text.replace(&folder, "");
        let text = format!("# {}\n{text}", sample.format.name);
        let mut golden = sample.path.clone().into_os_string();
        golden.push(".golden");
        match std::fs::read_to_string(&golden) {
            _ if bless => std::fs::write(&golden, text).expect("the golden file is written"),
            Ok(expected) if expected == text => {}
            Ok(expected) => {
                let at = expected
                    .lines()
                    .zip(text.lines())
                    .position(|(a, b)| a != b)
                    .unwrap_or(expected.lines().count().min(text.lines().count()));
                differ.push(format!(
                    "{name}, line {}:\n  was {}\n  is  {}",
                    at + 1,
                    expected.lines().nth(at).unwrap_or("nothing"),
                    text.lines().nth(at).unwrap_or("nothing")
                ));
            }
            Err(_) => differ.push(format!("{name} has no golden file")),
        }
    }
    assert!(
        differ.is_empty(),
        "TABIYA_BLESS=1 accepts what is new:\n{}",
        differ.join("\n")
    );
}

/// Every file of a sample: those of its folder that share its stem.
fn companions(path: &Path) -> Vec<PathBuf> {
    let stem = path.file_stem();
    sorted(path.parent().expect("a folder"))
        .into_iter()
        .filter(|other| other.file_stem() == stem && !other.to_string_lossy().ends_with(".golden"))
        .collect()
}

/// Reads a damaged copy in every way; it may fail, but must not panic or run for ever.
fn read_damaged(format: &Format, path: &Path) {
    let Ok(database) = format.open.expect("read")(path, &OpenOptions::default()) else {
        return;
    };
    let len = database.len().unwrap_or(0);
    let mut seen = 0_u64;
    if let Ok(mut source) = database.source(None) {
        let _ = for_each_game(&mut *source, GameNeeds::ALL, |game| {
            assert_eq!(game.tape.depth(), 0, "{}: open variations", format.name);
            seen += 1;
            Ok(())
        });
    }
    let mut game = Game::default();
    for number in [1, len] {
        let _ = database.read(number, GameNeeds::ALL, &mut game);
    }
    if let Some(facts) = database.facts() {
        for number in 1..=facts.len().min(seen) {
            let Some(fact) = facts.fact(number, FactFields::ALL) else {
                continue;
            };
            let _ = (facts.event(&fact), facts.site(&fact), facts.round(&fact));
        }
    }
    if let Some(salvage) = format.salvage
        && let Ok(database) = salvage(path, &OpenOptions::default())
        && let Ok(mut source) = database.source(None)
    {
        let _ = for_each_game(&mut *source, GameNeeds::ALL, |_| Ok(()));
    }
}

/// The maximum number of damaged copies of one file.
fn most_copies() -> usize {
    tabiya_testing::by_form(60, 250, 500)
}

#[test]
fn cut_and_flipped_samples_are_read_without_panic() {
    let mut copies = 0_usize;
    for sample in samples() {
        let files = companions(&sample.path);
        let folder = tempfile::tempdir().expect("a folder");
        let copy_of = |file: &Path| folder.path().join(file.file_name().expect("a name"));
        for file in files.iter().filter(|file| file.is_file()) {
            std::fs::copy(file, copy_of(file)).expect("a copy");
        }
        let target = copy_of(&sample.path);
        for file in files.iter().filter(|file| file.is_file()) {
            let bytes = std::fs::read(file).expect("a sample");
            let copy = copy_of(file);
            // Small files are tried at every byte, larger ones at as many places as time allows.
            let step = bytes.len() / most_copies() + 1;
            for at in (0..bytes.len()).step_by(step) {
                std::fs::write(&copy, &bytes[..at]).expect("a cut copy");
                read_damaged(sample.format, &target);
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << (at / step % 8);
                std::fs::write(&copy, &flipped).expect("a flipped copy");
                read_damaged(sample.format, &target);
                copies += 2;
            }
            std::fs::write(&copy, &bytes).expect("a sound copy");
        }
    }
    assert!(copies > 0, "there is no sample under corpus/");
    eprintln!("{copies} damaged copies");
}
