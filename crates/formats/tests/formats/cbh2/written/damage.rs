//! Written databases that are cut or flipped are read without a fault, and nothing appears that is not whole.

use std::path::Path;

use tabiya_formats::cbh2::{self, Cbh2Reader};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_model::database::for_each_game;
use tabiya_model::{Database, GameNeeds, Losses};
use tabiya_testing::TestRandom;

use super::{file, write};
use crate::cbh2::games::{self, Wild};

const EXTENSIONS: [&str; 7] = ["2cbh", "2cbg", "2cba", "2lid", "2lgd", "2lcd", "ini"];

/// Reads a database whole, if it can be opened.
fn survey(path: &Path) -> Option<usize> {
    let options = OpenOptions {
        audit: true,
        mmap: false,
        ..OpenOptions::default()
    };
    let reader = Cbh2Reader::open(path, &options).ok()?;
    let mut source = reader.source(None).expect("a source");
    let mut games = 0;
    for_each_game(&mut *source, GameNeeds::ALL, |_| {
        games += 1;
        Ok(())
    })
    .expect("games are never errors");
    let _ = Cbh2Reader::salvage(path, &options).map(|reader| reader.len());
    Some(games)
}

#[test]
fn damaged_copies_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("damaged.2cbh");
    let games = games::games(3, 8, Wild::ALL);
    write(&path, &games);
    assert_eq!(survey(&path), Some(games.len()));
    let tries = if tabiya_testing::is_full() { 2_000 } else { 60 };
    let mut random = TestRandom::new(99);
    for extension in EXTENSIONS {
        let bytes = file(&path, extension);
        let target = path.with_extension(extension);
        for _ in 0..tries {
            let at = random.below(bytes.len());
            std::fs::write(&target, &bytes[..at]).expect("written");
            let found = survey(&path);
            assert!(
                found.is_none_or(|found| found <= games.len()),
                ".{extension} cut at {at}"
            );
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << random.below(8);
            std::fs::write(&target, &flipped).expect("written");
            survey(&path);
        }
        std::fs::write(&target, &bytes).expect("written");
    }
}

#[test]
fn a_database_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("whole.2cbh");
    let create = cbh2::FORMAT.create.expect("it is written");
    let files = || std::fs::read_dir(folder.path()).expect("a folder").count();
    let mut sink = create(&path, &WriteOptions::default()).expect("created");
    let mut encoder = sink.encoder();
    for game in games::games(1, 20, Wild::TAME) {
        encoder.encode(&game, &mut Losses::default());
    }
    sink.append(encoder.take(), 1, &mut Losses::default())
        .expect("taken");
    assert!(!path.exists() && !path.with_extension("2cbg").exists());
    drop(sink);
    assert_eq!(files(), 0, "what is dropped leaves nothing");
    // A file of the set that is there already is not replaced, and nothing of the set appears.
    std::fs::write(path.with_extension("2lcd"), "mine").expect("written");
    let sink = create(&path, &WriteOptions::default());
    let refused = sink.and_then(|sink| sink.finish());
    assert!(refused.is_err());
    assert_eq!((files(), file(&path, "2lcd")), (1, b"mine".to_vec()));
}
