//! Databases that this program has written: against a second decoder of the files and an encoder of the tests' own, the
//! databases of another program, the same games in the older format, and damage.

mod damage;
mod files;
mod laws;
mod real;
mod twins;

use std::path::{Path, PathBuf};

use tabiya_formats::cbh2::{self, Cbh2Reader};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::{Database, Game, GameNeeds, Losses};

/// Writes games and gives what was lost.
fn write(path: &Path, games: &[Game]) -> Losses {
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let create = cbh2::FORMAT.create.expect("it is written");
    let mut writer = SinkWriter::new(create(path, &options).expect("created"));
    let mut losses = Losses::default();
    for game in games {
        writer.write(game, &mut losses).expect("written");
    }
    let summary = writer.finish().expect("finished");
    assert_eq!(summary.files.first().map(PathBuf::as_path), Some(path));
    let sizes = summary
        .files
        .iter()
        .map(|file| std::fs::metadata(file).expect("a file").len());
    assert_eq!(summary.bytes, sizes.sum::<u64>(), "{:?}", summary.files);
    losses
}

/// All games of a database, of whose container `check` finds nothing wrong if it is said to be sound.
fn read(path: &Path, is_sound: bool) -> Vec<Game> {
    let options = OpenOptions {
        audit: true,
        ..OpenOptions::default()
    };
    let reader = Cbh2Reader::open(path, &options).expect("opened");
    let told = reader.diagnostics();
    assert!(!is_sound || told.is_empty(), "{path:?}: {told:?}");
    all(&reader)
}

fn all(database: &dyn Database) -> Vec<Game> {
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

/// The bytes of a file of a database.
fn file(path: &Path, extension: &str) -> Vec<u8> {
    std::fs::read(path.with_extension(extension)).expect("a file")
}
