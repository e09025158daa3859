//! The law of every format: what is written and read again is the game, apart from what was reported as lost.

use std::path::Path;

use tabiya_formats::chess_assistant::{CaReader, CaWriter, EXTENSIONS};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_model::charset::Charset;
use tabiya_model::diff::diff;
use tabiya_model::{Database, Game, GameNeeds, Losses, Severity};

use crate::chess_assistant::oracles::{NAMES, folder, read_all};
use crate::chess_assistant::{generate, kept, second};

pub(crate) fn options() -> OpenOptions {
    OpenOptions {
        encoding: Some(Charset::Cp1251),
        ..OpenOptions::default()
    }
}

/// Writes games to a database and returns the losses of each.
pub(crate) fn write(path: &Path, games: &[Game]) -> Vec<Losses> {
    let options = WriteOptions {
        force: true,
        description: Some("База партий".to_owned()),
        ..WriteOptions::default()
    };
    let sink = Box::new(CaWriter::create(path, &options).expect("created"));
    let (all, summary) = kept::write(sink, games);
    assert_eq!(summary.games, games.len() as u64);
    assert!(
        summary
            .notes
            .iter()
            .any(|note| note.contains("experimental"))
    );
    all
}

/// Checks the law for a run of games; returns how many had no loss at all.
fn check(folder: &Path, games: &[Game]) -> usize {
    let path = folder.join("law.cdp");
    let losses = write(&path, games);
    let reader = CaReader::open(&path, &options()).expect("opened");
    // That ECO number 0 is no code is also reported for sound databases.
    let told = reader.diagnostics();
    let others = told
        .counts()
        .iter()
        .filter(|(code, _)| code.name != "ca-eco-zero");
    assert_eq!(others.count(), 0, "{told:?}");
    assert!(reader.missing().is_empty());
    assert_eq!(reader.info().value("description"), Some("База партий"));
    let mut intact = 0;
    let mut again = Game::default();
    for ((number, game), losses) in (1..).zip(games).zip(&losses) {
        reader
            .read(number, GameNeeds::ALL, &mut again)
            .expect("read");
        kept::assert_told(&format!("game {number}"), game, &again, losses);
        intact += usize::from(losses.is_empty());
        let damage = again.diagnostics.at_least(Severity::Damage);
        assert_eq!(damage, 0, "game {number}: {:?}", again.diagnostics);
    }
    intact
}

#[test]
fn ten_thousand_random_games_come_back_and_a_second_decoder_agrees() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("law.cdp");
    let (mut promotions, mut nested, mut unlucky) = ([0; 6], 0, 0);
    for (seed, count) in [(1, 5_000), (2, 5_000)] {
        let games = generate::games(count, seed);
        let intact = check(folder.path(), &games);
        unlucky += games.len() - intact;
        second::compare(&path);
        for game in &games {
            let mut depth = 0;
            for op in game.tape.ops() {
                match op {
                    tabiya_model::TapeOp::Move(m) => {
                        if let Some(role) = m.promotion() {
                            promotions[role as usize - 1] += 1;
                        }
                    }
                    tabiya_model::TapeOp::Begin(_) => {
                        depth += 1;
                        nested += usize::from(depth == 3);
                    }
                    tabiya_model::TapeOp::End => depth -= 1,
                    _ => {}
                }
            }
        }
    }
    let [_, knights, bishops, rooks, queens, _] = promotions;
    assert!([knights, bishops, rooks, queens].iter().all(|n| *n > 1_000));
    assert!(nested > 500, "{nested}");
    // Of everything that the generator makes, only symbols between variations have no place.
    assert!(unlucky < 2_000, "{unlucky}");
}

fn corpus(name: &str, games: usize, each: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    kept::corpus(name, games, each, |games| check(folder.path(), games));
}

#[test]
fn games_over_the_board_come_back() {
    corpus("otb.pgn.zst", 1_000, 200);
}

#[test]
fn annotated_games_come_back() {
    corpus("annotated.pgn.zst", 500, 17);
}

#[test]
fn games_annotated_by_people_come_back() {
    corpus("annotated-human.pgn.zst", 1_000, 2);
}

#[test]
#[ignore = "takes minutes: all games of all corpora"]
fn everything_comes_back() {
    for name in [
        "otb.pgn.zst",
        "annotated.pgn.zst",
        "annotated-human.pgn.zst",
        "engine-matches.pgn.zst",
        "lichess.pgn.zst",
    ] {
        corpus(name, usize::MAX, 1);
    }
}

#[test]
fn the_oracles_come_back_whole_and_byte_for_byte() {
    let Some(folder) = folder() else { return };
    let target = tempfile::tempdir().expect("a folder");
    for name in NAMES {
        let path = folder.join(format!("{name}.cdp"));
        let games = read_all(&CaReader::open(&path, &options()).expect("opened"));
        let written = target.path().join("again.cdp");
        let losses = write(&written, &games);
        let again = read_all(&CaReader::open(&written, &options()).expect("opened"));
        second::compare(&written);
        for ((game, again), losses) in games.iter().zip(&again).zip(&losses) {
            assert!(losses.is_empty(), "{name}: {losses:?}");
            assert_eq!(diff(game, again), [], "{name}");
            for index in 0..game.tags.len() {
                assert_eq!(game.tags.original(index), again.tags.original(index));
            }
            let texts = game.tape.texts();
            for (id, _) in texts.iter() {
                assert_eq!(texts.original(id), again.tape.texts().original(id));
            }
        }
    }
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("never.cdp");
    drop(CaWriter::create(&path, &WriteOptions::default()).expect("created"));
    let left = std::fs::read_dir(folder.path()).expect("listed").count();
    assert_eq!(left, 0);
    assert!(CaWriter::create(&folder.path().join("x.pgn"), &WriteOptions::default()).is_err());
    let wide = WriteOptions {
        encoding: Some(Charset::Utf8),
        ..WriteOptions::default()
    };
    assert!(CaWriter::create(&path, &wide).is_err());
}

#[test]
fn an_empty_database_has_all_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("EMPTY.EMB"), &[]);
    for extension in EXTENSIONS {
        let path = folder
            .path()
            .join("EMPTY")
            .with_extension(extension.to_uppercase());
        let reader = CaReader::open(&path, &options()).expect("opened");
        assert!(reader.is_empty().expect("counted") && reader.diagnostics().is_empty());
        assert_eq!(reader.inner_files().expect("a volume").len(), 28);
    }
}
