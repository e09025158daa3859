//! Databases that this program has written: against a second decoder, the order of the program's trees, the files of real
//! databases, damage, changes, and archives.

mod archives;
mod damage;
mod decoder;
mod edits;
mod names;
mod real;
mod words;

use std::path::{Path, PathBuf};

use tabiya_formats::cbh;
use tabiya_formats::format::WriteOptions;
use tabiya_model::charset::Charset;
use tabiya_model::database::SinkWriter;
use tabiya_model::{Game, Losses};

/// Writes games and gives what was lost.
fn write(path: &Path, games: &[Game], encoding: Option<Charset>) -> Losses {
    let options = WriteOptions {
        encoding,
        force: true,
        ..WriteOptions::default()
    };
    let create = cbh::FORMAT.create.expect("it is written");
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

/// The bytes of a file of a database.
fn file(path: &Path, extension: &str) -> Vec<u8> {
    std::fs::read(path.with_extension(extension)).expect("a file")
}
