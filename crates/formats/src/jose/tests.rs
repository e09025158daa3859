//! Whole databases against what they are known to hold.

use std::path::Path;

use tabiya_model::database::Writer;
use tabiya_model::diff::diff;
use tabiya_model::{Aspect, Block, Database, Diagnostics, Game, Losses, Want};

use super::FORMAT;
use super::moves::{Encoded, Encoder};
use super::oracle::{Plain, plain, plain_games, shared};
use crate::format::{OpenOptions, WriteOptions};

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
    for wanted in &games[99..102] {
        assert!(block.next(Want::ALL, &mut game).expect("read"));
        assert_eq!(plain(&game), *wanted);
    }
    assert!(!block.next(Want::ALL, &mut game).expect("read"));
}

/// Writes games through a format's sink; gives the losses.
fn write_all(games: &[Game], path: &Path) -> Losses {
    let sink =
        FORMAT.create.expect("it can be written")(path, &WriteOptions::default()).expect("created");
    let mut writer = Writer::new(sink);
    let mut losses = Losses::default();
    for game in games {
        writer.write(game, &mut losses).expect("written");
    }
    writer.finish().expect("finished");
    losses
}

fn read_games(database: &dyn Database) -> Vec<Game> {
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, Want::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

/// The law: what comes back is what was written but for what was reported.
fn round_trip(games: &[Game], what: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.sql");
    let losses = write_all(games, &path);
    let database = open(&path);
    let problems: Vec<_> = database
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(problems, Vec::<String>::new(), "{what}");
    let again = read_games(&*database);
    let mut again = again.iter();
    for game in games {
        let number = game.origin.number;
        let of_game: Vec<_> = losses.iter().filter(|loss| loss.game == number).collect();
        if of_game.iter().any(|loss| loss.kind.aspect == Aspect::Game) {
            continue;
        }
        let other = again.next().expect("as many games");
        for difference in diff(game, other) {
            assert!(
                of_game
                    .iter()
                    .any(|loss| loss.kind.aspect.explains(difference.aspect)),
                "{what} game {number}: {difference}"
            );
        }
        for finding in other.diagnostics.iter() {
            assert!(
                // A tag and the movetext may name two results.
                [
                    "jose-illegal-move",
                    "jose-error-marker",
                    "jose-derived-column"
                ]
                .contains(&finding.code.name),
                "{what} game {number}: {finding}"
            );
        }
    }
    assert!(again.next().is_none());
}

fn pgn_games(path: &Path, at_most: usize) -> Vec<Game> {
    let open = crate::pgn::FORMAT.open.expect("PGN can be read");
    let database = open(path, &OpenOptions::default()).expect("opened");
    let end = at_most as u64 + 1;
    // Some files of the corpora are no PGN.
    let Ok(mut source) = database.source(Some(1..end)) else {
        return Vec::new();
    };
    let mut games = Vec::new();
    tabiya_model::database::for_each_game(&mut *source, Want::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    for (number, game) in (1..).zip(&mut games) {
        game.origin.number = number;
    }
    games
}

#[test]
fn what_is_written_comes_back() {
    let mut count = 0;
    for name in [
        "annotated",
        "fen",
        "promotions",
        "real",
        "quirks",
        "first5000.expected",
    ] {
        if let Some(path) = shared(&format!("oracles/jose/{name}.pgn")) {
            let games = pgn_games(&path, 5000);
            count += games.len();
            round_trip(&games, name);
        }
    }
    for name in ["annotated", "annotated-human", "otb", "lichess-real"] {
        if let Some(path) = shared(&format!("corpora/{name}.pgn.zst")) {
            let games = pgn_games(&path, 1000);
            count += games.len();
            round_trip(&games, name);
        }
    }
    assert!(count == 0 || count > 8000, "{count}");
}

#[test]
fn nasty_games_come_back_but_for_what_was_reported() {
    let Some(folder) = shared("corpora/nasty") else {
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    files.sort();
    let mut count = 0;
    for path in files {
        let games = pgn_games(&path, 30);
        count += games.len();
        round_trip(&games, &path.display().to_string());
    }
    assert!(count > 500, "{count}");
}

#[test]
fn encoding_the_pgn_of_others_gives_their_bytes() {
    let mut encoder = Encoder::default();
    let mut encoded = Encoded::default();
    for name in ["annotated", "fen", "promotions", "real"] {
        let (Some(pgn), Some(table)) = (
            shared(&format!("oracles/jose/{name}.pgn")),
            shared(&format!("oracles/jose/{name}.tsv")),
        ) else {
            return;
        };
        let rows = super::oracle::tsv(&std::fs::read_to_string(table).expect("readable"));
        let games = pgn_games(&pgn, 1000);
        assert_eq!(rows.len(), games.len());
        for (row, game) in rows.iter().zip(&games) {
            let mut losses = Losses::default();
            assert!(encoder.encode(game, &mut encoded, &mut losses));
            assert_eq!(
                encoded.bin,
                super::oracle::unhex(&row[5]),
                "{name} {}",
                row[0]
            );
            let comments = super::oracle::unhex(row.get(6).map_or("", |hex| hex));
            // The PGN of the real rows was made from them, with a space at both ends of each comment.
            let trimmed = |bytes: &[u8]| -> Vec<Vec<u8>> {
                let cut = |text: &[u8]| match name {
                    "real" => text.trim_ascii().to_vec(),
                    _ => text.to_vec(),
                };
                bytes.split(|&byte| byte == 0).map(cut).collect()
            };
            assert_eq!(
                trimmed(&encoded.comments),
                trimmed(&comments),
                "{name} {}",
                row[0]
            );
            assert_eq!(encoded.attributes.to_string(), row[2], "{name} {}", row[0]);
            assert_eq!(encoded.plies.to_string(), row[3], "{name} {}", row[0]);
        }
    }
}
