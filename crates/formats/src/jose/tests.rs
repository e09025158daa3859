//! Whole databases against what they are known to hold.

use std::path::Path;

use tabiya_model::{Block, Database, Diagnostics, Game, Want};

use super::FORMAT;
use super::oracle::{Plain, plain, plain_games, shared};
use crate::format::OpenOptions;

fn open(path: &Path) -> Box<dyn Database> {
    (FORMAT.open.expect("it can be opened"))(path, &OpenOptions::default()).expect("opened")
}

/// All games in plain form, and every finding of games.
fn games_of(database: &dyn Database) -> (Vec<Plain>, Diagnostics) {
    let mut found = Diagnostics::with_cap(1000);
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, Want::ALL, |game| {
        found.append(&game.diagnostics);
        games.push(plain(game));
        Ok(())
    })
    .expect("read");
    (games, found)
}

/// The games with roster tags filled in and tags in order of name.
fn folded(mut games: Vec<Plain>) -> Vec<Plain> {
    for game in &mut games {
        for (name, value) in [
            ("Event", "?"),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "?"),
            ("Black", "?"),
        ] {
            if !game.tags.iter().any(|(tag, _)| tag == name) {
                game.tags.push((name.to_owned(), value.to_owned()));
            }
        }
        game.tags.sort();
    }
    games
}

fn compare(database: &str, expected: &str, count: usize) {
    let (Some(path), Some(pgn)) = (shared(database), shared(expected)) else {
        return;
    };
    let database = open(&path);
    let problems: Vec<_> = database
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(problems, Vec::<String>::new());
    let (games, found) = games_of(&*database);
    let wanted = plain_games(&std::fs::read_to_string(pgn).expect("readable"));
    assert_eq!(games.len(), count);
    assert_eq!(wanted.len(), count);
    let strange: Vec<_> = found
        .iter()
        .filter(|d| !["jose-slipped-date", "jose-illegal-move"].contains(&d.code.name))
        .map(ToString::to_string)
        .collect();
    assert_eq!(strange, Vec::<String>::new());
    for (number, (game, wanted)) in folded(games).iter().zip(&folded(wanted)).enumerate() {
        assert_eq!(game, wanted, "game {}", number + 1);
    }
    assert_eq!(database.len().expect("counted"), count as u64);
}

#[test]
fn the_real_archive_is_read() {
    compare(
        "oracles/jose/first5000.jose",
        "oracles/jose/first5000.expected.pgn",
        5000,
    );
}

#[test]
fn the_live_folder_is_read() {
    compare(
        "oracles/jose/livedb",
        "oracles/jose/livedb.expected.pgn",
        140,
    );
}

#[test]
fn both_dumps_are_read() {
    for dump in ["oracles/jose/dump.sql", "oracles/jose/dump-hexblob.sql"] {
        compare(dump, "oracles/jose/livedb.expected.pgn", 140);
    }
}

#[test]
fn single_games_are_the_games_of_the_whole() {
    let Some(path) = shared("oracles/jose/dump.sql") else {
        return;
    };
    let database = open(&path);
    let (games, _) = games_of(&*database);
    let mut game = Game::default();
    for number in [140, 1, 77, 76, 2] {
        database.read(number, Want::ALL, &mut game).expect("read");
        assert_eq!(game.origin.number, number);
        assert_eq!(plain(&game), games[number as usize - 1]);
    }
    assert!(database.read(0, Want::ALL, &mut game).is_err());
    assert!(database.read(141, Want::ALL, &mut game).is_err());
    let mut source = database.source(Some(100..103)).expect("a source");
    let mut block: Box<dyn Block> = source.next_block().expect("read").expect("a block");
    assert_eq!(block.first(), Some(100));
    for number in 99..102 {
        assert!(block.next(Want::ALL, &mut game).expect("read"));
        assert_eq!(plain(&game), games[number]);
    }
    assert!(!block.next(Want::ALL, &mut game).expect("read"));
}
