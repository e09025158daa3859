//! The law of every format: what is written and read again is the game, apart from what was reported as lost.

use std::path::Path;

use tabiya_formats::cbf::layout::CbfHeader;
use tabiya_formats::cbf::{CbfReader, CbfWriter};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_model::charset::Charset;
use tabiya_model::diff::diff;
use tabiya_model::{Database, Game, GameNeeds, Loss, Losses};

use crate::cbf::oracles::read_all;
use crate::cbf::{kept, second, shared};

pub(crate) fn options() -> OpenOptions {
    OpenOptions {
        encoding: Some(Charset::Cp437),
        audit: true,
        ..OpenOptions::default()
    }
}

/// Writes games to a database and returns the losses of each.
pub(crate) fn write(path: &Path, games: &[Game]) -> Vec<Losses> {
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let sink = Box::new(CbfWriter::create(path, &options).expect("created"));
    let (all, summary) = kept::write(sink, games);
    assert_eq!(summary.games, games.len() as u64);
    all
}

/// Checks the law for a run of games; returns how many had no loss at all.
fn check(folder: &Path, games: &[Game]) -> usize {
    let path = folder.join("law.cbf");
    let losses = write(&path, games);
    let reader = CbfReader::open(&path, &options()).expect("opened");
    assert!(
        reader.diagnostics().is_empty(),
        "{:?}",
        reader.diagnostics()
    );
    let mut intact = 0;
    let mut again = Game::default();
    for ((number, game), losses) in (1..).zip(games).zip(&losses) {
        reader
            .read(number, GameNeeds::ALL, &mut again)
            .expect("read");
        let place = format!("game {number}");
        kept::assert_told(&place, game, &again, losses);
        let tells = |loss: &Loss, name: &str| loss.detail.contains(name);
        kept::assert_named(&place, game, &again, losses, "?", tells);
        intact += usize::from(losses.is_empty());
        // Written games are not damaged.
        let told: Vec<_> = again
            .diagnostics
            .iter()
            .filter(|d| !["cbf-castling-right", "cbf-setup"].contains(&d.code.name))
            .collect();
        assert!(told.is_empty(), "{place}: {told:?}");
    }
    second::compare(&path);
    intact
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
fn matches_of_engines_come_back() {
    corpus("engine-matches.pgn.zst", 500, 5);
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
        "lichess-real.pgn.zst",
    ] {
        corpus(name, usize::MAX, 1);
    }
}

#[test]
fn the_oracles_come_back_whole() {
    let Some(folder) = shared("oracles/cbf") else {
        return;
    };
    let target = tempfile::tempdir().expect("a folder");
    for name in ["special", "annotated", "gaps", "badchk"] {
        let path = folder.join(format!("{name}.cbf"));
        let reader = CbfReader::open(&path, &options()).expect("opened");
        let games = read_all(&reader);
        let written = target.path().join("again.cbf");
        let losses = write(&written, &games);
        let again = read_all(&CbfReader::open(&written, &options()).expect("opened"));
        for ((game, again), losses) in games.iter().zip(&again).zip(&losses) {
            assert!(losses.is_empty(), "{name}: {losses:?}");
            assert_eq!(diff(game, again), [], "{name}");
            assert_eq!(game.tags, again.tags, "{name}: original bytes included");
        }
    }
}

#[test]
fn annotated_games_are_written_as_another_writer_does() {
    let Some(folder) = shared("oracles/cbf") else {
        return;
    };
    let path = folder.join("annotated.cbf");
    let games = read_all(&CbfReader::open(&path, &options()).expect("opened"));
    let target = tempfile::tempdir().expect("a folder");
    let written = target.path().join("annotated.cbf");
    write(&written, &games);
    let bytes = |path: &Path| std::fs::read(path).expect("readable");
    let (before, after) = (bytes(&path), bytes(&written));
    for game in &games {
        let start = game.origin.byte as usize;
        let record = |bytes: &[u8]| bytes[start..start + game.origin.length as usize].to_vec();
        let head =
            |bytes: &[u8]| CbfHeader::decrypt(bytes[start..start + 14].try_into().expect("14"));
        let [mut header, again] = [head(&before), head(&after)];
        // Writers differ in whether a missing White move counts.
        if game.start_board().turn().is_black() {
            header.0[12] = again.0[12];
            assert_eq!(header, again);
            assert_eq!(record(&before)[14..], record(&after)[14..]);
        } else {
            assert_eq!(header, again, "{:?}", game.tags);
            assert!(
                record(&before) == record(&after),
                "game {}",
                game.origin.number
            );
        }
    }
    let index = |path: &Path| bytes(&path.with_extension("cbi"));
    assert!(index(&written) == index(&path));
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("never.cbf");
    let sink = CbfWriter::create(&path, &WriteOptions::default()).expect("created");
    drop(sink);
    let left = std::fs::read_dir(folder.path()).expect("listed").count();
    assert_eq!(left, 0);
    assert!(CbfWriter::create(&folder.path().join("x.pgn"), &WriteOptions::default()).is_err());
}

#[test]
fn an_empty_database_has_two_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("EMPTY.CBF");
    write(&path, &[]);
    assert_eq!(std::fs::read(&path).expect("there"), b"");
    let index = std::fs::read(folder.path().join("EMPTY.CBI")).expect("there");
    assert_eq!(index, [0, 0, 0, 1, 0, 0, 0, 2]);
    let reader = CbfReader::open(&folder.path().join("empty.cbi"), &options());
    // On Windows a name is right whatever its case.
    assert_eq!(reader.is_err(), cfg!(not(windows)));
    let reader = CbfReader::open(&folder.path().join("EMPTY.CBI"), &options()).expect("opened");
    assert!(reader.is_empty().expect("counted") && reader.diagnostics().is_empty());
}
