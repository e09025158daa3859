//! The targets of the formats: open, stream and salvage whatever bytes there are.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use tabiya_formats::{
    format::{Format, OpenOptions},
    lake,
    registry::FORMATS,
};
use tabiya_model::{
    Database, Game, GameNeeds,
    canon_game::{CanonGame, canon},
    database::for_each_game,
};

use crate::{BUDGET, FuzzFunction, FuzzTarget, seeds};

/// So many games of a database are read by their numbers too.
const BY_NUMBER: usize = 4;

/// One target for each thing that a format can do with bytes of strangers.
pub fn targets(corpus: &Path) -> Vec<FuzzTarget> {
    let mut targets = Vec::new();
    // A lake is a folder and no file: its target stands in `lake.rs`.
    let files = |format: &&Format| format.name != lake::FORMAT.name;
    for format in FORMATS.iter().copied().filter(files) {
        for (at, extension) in format.extensions.iter().enumerate() {
            let suffixes = suffixes(corpus, format.name, extension);
            // Extensions without samples are other names of the same thing.
            if at > 0 && suffixes.len() < 2 && !has_samples(corpus, format.name, extension) {
                continue;
            }
            let add = |action: &str, run: FuzzFunction| FuzzTarget {
                name: match at {
                    0 => format!("{}{action}", format.name),
                    _ => format!("{}-{extension}{action}", format.name),
                },
                folder: format.name.to_owned(),
                suffixes: suffixes.clone(),
                words: words(format),
                budget: BUDGET,
                run,
            };
            if let Some(open) = format.open {
                let files = suffixes.clone();
                targets.push(add(
                    "",
                    Box::new(move |parts| {
                        let path = lay_out(&files, parts);
                        if let Ok(database) = open(&path, &OpenOptions::default()) {
                            survey(&*database);
                        }
                    }),
                ));
            }
            if let Some(salvage) = format.salvage {
                let files = suffixes.clone();
                targets.push(add(
                    "-salvage",
                    Box::new(move |parts| {
                        let path = lay_out(&files, parts);
                        if let Ok(database) = salvage(&path, &OpenOptions::default()) {
                            survey(&*database);
                        }
                    }),
                ));
            }
            if let Some(stream) = format.stream.filter(|_| suffixes.len() == 1) {
                targets.push(add(
                    "-stream",
                    Box::new(move |parts| {
                        let bytes = Cursor::new(parts.concat());
                        if let Ok(mut source) = stream(Box::new(bytes), &OpenOptions::default()) {
                            // An error is an answer, as long as it is one.
                            let _ = for_each_game(&mut *source, GameNeeds::ALL, |game| {
                                look_at(game);
                                Ok(())
                            });
                            let _ = source.diagnostics();
                        }
                    }),
                ));
            }
        }
    }
    targets
}

/// Reads everything, and checks that the ways to read agree.
pub(crate) fn survey(database: &dyn Database) {
    let _ = database.info();
    let mut first: BTreeMap<u64, CanonGame> = BTreeMap::new();
    let count = database.source(None).and_then(|mut source| {
        for_each_game(&mut *source, GameNeeds::ALL, |game| {
            let canon = look_at(game);
            if first.len() < BY_NUMBER {
                first.insert(game.origin.number, canon);
            }
            Ok(())
        })
    });
    if let (Ok(count), Ok(len)) = (count, database.len()) {
        assert_eq!(count, len, "the number of games is what a scan finds");
    }
    for (number, scanned) in &first {
        let mut game = Game::default();
        if database.read(*number, GameNeeds::ALL, &mut game).is_ok() {
            assert_eq!(
                canon(&game),
                *scanned,
                "game {number} is the same however it is read"
            );
        }
    }
    let _ = database.read(0, GameNeeds::ALL, &mut Game::default());
    let _ = database.read(u64::MAX, GameNeeds::TAGS, &mut Game::default());
    let _ = database.diagnostics();
}

/// Walks a game to the end: its canonical form replays every move.
fn look_at(game: &Game) -> CanonGame {
    assert_eq!(game.tape.depth(), 0, "every variation is closed");
    canon(game)
}

/// The folder of this process for the files of inputs, in memory where there is such a place.
pub(crate) fn folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() {
        memory.to_path_buf()
    } else {
        std::env::temp_dir()
    };
    let folder = base.join(format!("tabiya-fuzz-files-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder of the input can be made");
    folder
}

/// Writes the files of an input into a folder of this process and returns the path of the first. Files without
/// content are not there, the first excepted.
pub(crate) fn lay_out(suffixes: &[String], parts: &[&[u8]]) -> PathBuf {
    let folder = folder();
    let mut paths = suffixes
        .iter()
        .map(|suffix| folder.join(format!("input{suffix}")));
    for (at, (path, part)) in paths.by_ref().zip(parts).enumerate() {
        // A new file each time: the old one may still be mapped.
        let _ = fs::remove_file(&path);
        if at == 0 || !part.is_empty() {
            fs::write(&path, part).expect("the input can be written");
        }
    }
    folder.join(format!(
        "input{}",
        suffixes.first().map_or("", String::as_str)
    ))
}

/// Removes what a worker that died has left behind.
pub fn sweep(process: u32) {
    for base in [PathBuf::from("/dev/shm"), std::env::temp_dir()] {
        // Mostly it is not there.
        let _ = fs::remove_dir_all(base.join(format!("tabiya-fuzz-files-{process}")));
    }
}

/// The extension itself, and what else stands beside samples of that extension under the same stem.
fn suffixes(corpus: &Path, folder: &str, extension: &str) -> Vec<String> {
    let mut others = BTreeSet::new();
    for path in seeds::paths(corpus, folder, extension) {
        others.extend(
            seeds::companions(&path)
                .into_iter()
                .map(|(suffix, _)| suffix),
        );
    }
    let first = format!(".{extension}");
    others.remove(&first);
    std::iter::once(first).chain(others).collect()
}

fn has_samples(corpus: &Path, folder: &str, extension: &str) -> bool {
    !seeds::paths(corpus, folder, extension).is_empty()
}

/// Words of the formats that are text; the others have numbers.
fn words(format: &Format) -> &'static [&'static str] {
    if format.capabilities.raw_movetext {
        WORDS
    } else {
        &[]
    }
}

const WORDS: &[&str] = &[
    "[Event \"",
    "\"]\n",
    "[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]\n",
    "[SetUp \"1\"]\n",
    "[Result \"1-0\"]\n",
    "[Variant \"Chess960\"]\n",
    "\n\n",
    "\r\n",
    "1. ",
    "1... ",
    "e4",
    "Nf3",
    "O-O",
    "O-O-O",
    "0-0",
    "exd5",
    "e8=Q",
    "a1=N+",
    "Nbd7",
    "R1xe4#",
    "--",
    "Z0",
    "e2e4",
    "$1",
    "$255",
    "$",
    "!?",
    "??",
    "+-",
    "(",
    ")",
    "{",
    "}",
    ";",
    "%",
    "[%clk 0:01:02]",
    "[%eval #-3]",
    "[%",
    "1-0",
    "0-1",
    "1/2-1/2",
    "*",
    "\u{feff}",
    "é",
    "\u{2654}",
    "\0",
    "<",
    ">",
];
