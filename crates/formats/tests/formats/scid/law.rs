//! The law of every format: what is written and read again is the game, apart from what was reported as lost.

use std::path::Path;

use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::scid::{ScidReader, ScidVersion, writer};
use tabiya_model::{Database, ErrorKind, Game, GameAspect, GameNeeds, Loss, Losses};

use crate::scid::kept;
use crate::scid::support::shared;

/// Writes games to a database and returns the losses of each.
pub(crate) fn write(version: ScidVersion, path: &Path, games: &[Game]) -> Vec<Losses> {
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    kept::write(
        writer::create(version, path, &options).expect("created"),
        games,
    )
    .0
}

/// Checks the law for a run of games; returns how many had no loss at all.
fn check(version: ScidVersion, folder: &Path, games: &[Game]) -> usize {
    check_named(version, folder, games, "")
}

fn check_named(version: ScidVersion, folder: &Path, games: &[Game], file: &str) -> usize {
    let path = folder.join("law").with_extension(version.extensions()[0]);
    let losses = write(version, &path, games);
    let options = OpenOptions {
        audit: true,
        ..OpenOptions::default()
    };
    let base = ScidReader::open(&path, &options).expect("opened");
    let found = base.diagnostics();
    assert!(found.is_empty(), "{found:?}");
    let mut intact = 0;
    let mut again = Game::default();
    let mut number = 0;
    for (game, losses) in games.iter().zip(&losses) {
        let is_left_out = |loss: &Loss| loss.kind.aspect == GameAspect::Game;
        if losses.iter().any(is_left_out) {
            continue;
        }
        number += 1;
        base.read(number, GameNeeds::ALL, &mut again).expect("read");
        let place = format!("{file} {version:?} game {number}");
        kept::assert_told(&place, game, &again, losses);
        let tells = |loss: &Loss, _: &str| loss.kind.aspect == GameAspect::Tags;
        kept::assert_named(&place, game, &again, losses, "????.??.??", tells);
        intact += usize::from(losses.is_empty());
        // Written games are not damaged.
        let told: Vec<_> = again
            .diagnostics
            .iter()
            .filter(|d| {
                !["scid-illegal-move", "scid-odd-position", "scid-bad-date"].contains(&d.code.name)
            })
            .collect();
        assert!(told.is_empty(), "{place}: {told:?}");
    }
    assert_eq!(base.count(), number);
    intact
}

/// Every n-th game of a file, up to a number of games; none if it is not PGN.
pub(crate) fn read_pgn(path: &Path, games: usize, each: usize) -> Vec<Game> {
    let open = tabiya_formats::registry::by_name("pgn")
        .and_then(|format| format.open)
        .expect("PGN can be read");
    let mut batch: Vec<Game> = Vec::new();
    let mut read = || -> tabiya_model::Result<()> {
        let database = open(path, &OpenOptions::default())?;
        let mut source = database.source(None)?;
        let mut seen = 0;
        let mut game = Game::default();
        while let Some(mut block) = source.next_block()? {
            while block.next(GameNeeds::ALL, &mut game)? {
                seen += 1;
                if seen % each == 0 {
                    batch.push(game.clone());
                }
                if batch.len() == games {
                    return Ok(());
                }
            }
        }
        Ok(())
    };
    if let Err(error) = read() {
        assert_eq!(
            error.kind,
            ErrorKind::NotThisFormat,
            "{}: {error}",
            path.display()
        );
    }
    batch
}

fn corpus(name: &str, games: usize, each: usize, least: usize) {
    let Some(path) = shared(format!("corpora/{name}")) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let batch = read_pgn(&path, games, each);
    assert!(batch.len() >= least, "{name}: {} games", batch.len());
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let intact = check(version, folder.path(), &batch);
        eprintln!(
            "{name} {version:?}: {} games, {intact} without any loss",
            batch.len()
        );
    }
}

#[test]
fn games_over_the_board_come_back() {
    corpus("otb.pgn.zst", 1_000, 200, 1_000);
}

#[test]
fn annotated_games_come_back() {
    corpus("annotated.pgn.zst", 500, 17, 500);
    corpus("annotated-human.pgn.zst", 3_000, 1, 2_734);
}

#[test]
fn games_with_clocks_and_games_of_engines_come_back() {
    corpus("lichess-real.pgn.zst", 1_000, 2, 1_000);
    corpus("engine-matches.pgn.zst", 300, 10, 163);
}

#[test]
fn games_of_odd_files_come_back() {
    let Some(path) = shared("corpora/nasty") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (mut games, mut intact) = (0, 0);
    for entry in std::fs::read_dir(path).expect("a folder").flatten() {
        if entry
            .path()
            .extension()
            .is_none_or(|extension| extension != "pgn")
        {
            continue;
        }
        let batch = read_pgn(&entry.path(), 300, 1);
        for version in [ScidVersion::Si4, ScidVersion::Si5] {
            let file = entry.path();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            intact += check_named(version, folder.path(), &batch, &name);
            games += batch.len();
        }
    }
    eprintln!("{games} games, {intact} without any loss");
    assert!(games > 2_000 && intact > games / 3, "{intact} of {games}");
}
