//! The editor of the model, applied to games from readers: random scripts of edits, and python-chess's tree compared with
//! ours.
//!
//! Some thousands of scripts are run, 100,000 if `TABIYA_FULL` is set; `TABIYA_SEED` sets the first seed.

#![allow(clippy::print_stderr)] // The tests print what they were run on, and what they had to skip.

use crate::games;
mod python;
mod scripts;
mod size;
mod strip;

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use tabiya_formats::format::OpenOptions;
use tabiya_formats::pgn;
use tabiya_model::database::for_each_game;
use tabiya_model::{Game, GameNeeds};

/// Reads PGN.
fn read(bytes: Vec<u8>) -> Vec<Game> {
    let stream = pgn::FORMAT.stream.expect("PGN is read from streams");
    let mut source =
        stream(Box::new(Cursor::new(bytes)), &OpenOptions::default()).expect("a source");
    let mut games = Vec::new();
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

/// The samples of PGN in the corpus, including damaged ones.
fn samples() -> Vec<Game> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/pgn");
    let mut games = Vec::new();
    for kind in ["ok", "bad"] {
        let folder = std::fs::read_dir(corpus.join(kind)).expect("samples");
        let mut paths: Vec<PathBuf> = folder.map(|entry| entry.expect("listed").path()).collect();
        paths.sort();
        for path in paths
            .iter()
            .filter(|path| path.extension().is_some_and(|e| e == "pgn"))
        {
            games.extend(read(std::fs::read(path).expect("read")));
        }
    }
    games
}

/// The annotated games of the corpora next to the project, up to `bytes` of each text.
fn annotated(bytes: u64) -> Option<Vec<Game>> {
    let mut games = Vec::new();
    for name in ["annotated", "annotated-human"] {
        let path = tabiya_testing::shared(format!("corpora/{name}.pgn.zst"))?;
        let limits = tabiya_io::compression::UnpackLimits::default();
        let stream = tabiya_io::compression::open_stream(&path, &limits).expect("a stream");
        let mut text = Vec::new();
        stream.take(bytes).read_to_end(&mut text).expect("unpacked");
        games.extend(read(text));
    }
    Some(games)
}

/// The first seed of pseudo-random choices.
fn seed() -> u64 {
    std::env::var("TABIYA_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(0)
}
