//! A database that is changed while it is opened.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use tabiya_formats::chess_assistant::FORMAT;
use tabiya_formats::edit::open_settled;
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_model::error_codes;
use tabiya_model::{Database, Error, Game, GameNeeds, Losses, Result};

static OPENED: AtomicUsize = AtomicUsize::new(0);

/// Opens a database slowly: the first time, another program replaces its state meanwhile.
fn slowly(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let open = FORMAT.open.expect("it is read");
    if OPENED.fetch_add(1, Ordering::Relaxed) > 0 {
        return open(path, options);
    }
    let headers = std::fs::read(path).expect("read");
    let opened = open(path, options).map(drop);
    write(path, 3);
    // Half of the old state next to half of the new one.
    assert!(opened.is_ok() && std::fs::read(path).expect("read") != headers);
    Err(Error::new(&error_codes::DAMAGED, "two states"))
}

fn write(path: &Path, games: usize) {
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let create = FORMAT.create.expect("it is written");
    let mut sink = create(path, &options).expect("a sink");
    let mut encoder = sink.encoder();
    let mut losses = Losses::default();
    for number in 0..games {
        let mut game = Game::default();
        game.tags.push("White", &format!("Player {number}"));
        encoder.encode(&game, &mut losses);
    }
    sink.append(encoder.take(), 1, &mut losses).expect("taken");
    sink.finish().expect("written");
}

#[test]
fn a_database_that_is_changed_while_it_is_opened_is_opened_once_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("base.cdp");
    write(&path, 1);
    let options = OpenOptions::default();
    let opened = open_settled(&FORMAT, slowly, &path, &options).expect("opened");
    assert_eq!(opened.len().expect("counted"), 3);
    assert_eq!(OPENED.load(Ordering::Relaxed), 2);
    let mut game = Game::default();
    opened.read(3, GameNeeds::ALL, &mut game).expect("read");
    assert_eq!(game.tags.value("White"), "Player 2");
    // If nothing changes it, opening it once is enough.
    open_settled(&FORMAT, slowly, &path, &options).expect("opened");
    assert_eq!(OPENED.load(Ordering::Relaxed), 3);
}
