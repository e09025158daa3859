//! Parquet files, compared with those that other programs read and write, and damaged ones.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::path::{Path, PathBuf};
use std::process::Command;

use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::{parquet, pgn};
use tabiya_model::canon_game::canon;
use tabiya_model::database::for_each_game;
use tabiya_model::diff::diff;
use tabiya_model::{Database, Game, GameNeeds, Losses, Result};
use tabiya_testing::{by_form, python_with, shared};

mod audit;
mod damage;
mod docs;
mod plies;
mod walks;

/// Games with a value in every column, and some data without a column.
const GAMES: &str = r#"[Event "First"]
[Site "https://example.org/a"]
[Date "2024.02.29"]
[Round "1"]
[White "A"]
[Black "B"]
[Result "1-0"]
[WhiteElo "2500"]
[BlackElo "?"]
[TimeControl "180+2"]

1. e4 { [%eval 0.17] [%clk 0:03:00] } e5 { [%clk 0:02:59.5] } 2. Bc4 $1 { [%eval -0.2] [%clk 0:02:58] }
Nc6 { [%clk 0:03:01] } (2... Nf6 $6 { the usual move } 3. d3) 3. Qh5 { [%eval #1] } Nf6?? { [%eval #1] } 4. Qxf7# 1-0

[White "C"]
[Black "D"]
[Event "Second"]
[Own "a tag without a column"]
[Own "twice"]
[Date "????.??.??"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 dxc4 3. e4 b5 4. a4 a6 5. axb5 axb5 6. Rxa8 Bb7 7. Rxb8 Qxb8 1/2-1/2

[Event "Third"]
[Site "?"]
[Date "2001.02.30"]
[Round "-"]
[White "E"]
[Black "F"]
[Result "*"]
[SetUp "1"]
[FEN "4k2r/1P6/8/8/8/8/8/R3K3 w Qk - 0 1"]

1. O-O-O O-O 2. b8=N+ *

"#;

fn read(database: &dyn Database) -> Vec<Game> {
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("every game is read");
    games
}

fn open(path: &Path) -> Result<Box<dyn Database>> {
    (parquet::FORMAT.open.expect("it is read"))(path, &OpenOptions::default())
}

fn games_of(path: &Path, first: usize) -> Vec<Game> {
    let open = pgn::FORMAT.open.expect("it is read");
    let database = open(path, &OpenOptions::default()).expect("a database");
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    while let Some(mut block) = source.next_block().expect("a block") {
        let mut game = Game::default();
        while games.len() < first && block.next(GameNeeds::ALL, &mut game).expect("a game") {
            games.push(game.clone());
        }
        if games.len() >= first {
            break;
        }
    }
    games
}

fn write(format: &tabiya_formats::format::Format, path: &Path, games: &[Game]) {
    let create = format.create.expect("it is written");
    let mut sink = create(path, &WriteOptions::default()).expect("a target");
    let mut encoder = sink.encoder();
    let mut losses = Losses::default();
    for game in games {
        encoder.encode(game, &mut losses);
    }
    sink.append(encoder.take(), 1, &mut losses).expect("taken");
    sink.finish().expect("finished");
    if format.name == "parquet" {
        assert!(losses.is_empty());
    }
}

/// The games of this file, and of the available corpora, each as PGN.
fn sources(folder: &Path) -> Vec<(PathBuf, usize)> {
    let own = folder.join("own.pgn");
    std::fs::write(&own, GAMES).expect("written");
    let mut sources = vec![(own, 3)];
    let first = by_form(120, 120, 20_000);
    for name in [
        "otb",
        "lichess-real",
        "annotated-human",
        "engine-matches",
        "lichess",
    ] {
        if let Some(path) = shared(format!("corpora/{name}.pgn.zst")) {
            sources.push((path, first));
        }
    }
    sources
}

fn peers(args: &[&Path], what: &str) -> Option<String> {
    let mut command: Command = python_with("duckdb, pyarrow, chess.pgn")?;
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/formats/parquet/peers.py"
    );
    let output = command
        .arg(script)
        .arg(what)
        .args(args)
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn others_read_what_python_chess_reads_in_the_same_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let (pgn_copy, copy) = (
        folder.path().join("copy.pgn"),
        folder.path().join("copy.parquet"),
    );
    for (path, first) in sources(folder.path()) {
        let games = games_of(&path, first);
        assert!(!games.is_empty());
        write(&pgn::FORMAT, &pgn_copy, &games);
        // Text that could not be read once is read in the same way by both.
        let games = games_of(&pgn_copy, usize::MAX);
        write(&parquet::FORMAT, &copy, &games);
        let Some(said) = peers(&[&pgn_copy, &copy], "check") else {
            return;
        };
        eprintln!(
            "{}: games, clocks and evaluations, programs: {said}",
            path.display()
        );
        assert_eq!(
            said.split(' ').next(),
            Some(games.len().to_string().as_str())
        );
        for path in [&pgn_copy, &copy] {
            std::fs::remove_file(path).expect("removed");
        }
    }
}

#[test]
fn what_others_write_of_the_columns_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, first) in sources(folder.path()) {
        let games = games_of(&path, first.min(2_000));
        let copy = folder.path().join("copy.parquet");
        write(&parquet::FORMAT, &copy, &games);
        let written = tempfile::tempdir().expect("a folder");
        if peers(&[&copy, written.path()], "rewrite").is_none() {
            return;
        }
        let mut files = 0;
        for entry in std::fs::read_dir(written.path()).expect("a folder") {
            let file = entry.expect("an entry").path();
            let again =
                read(&*open(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())));
            assert_eq!(again.len(), games.len(), "{}", file.display());
            for (game, copy) in games.iter().zip(&again) {
                assert!(
                    diff(game, copy).is_empty(),
                    "{}: game {}",
                    file.display(),
                    game.origin.number
                );
            }
            files += 1;
        }
        assert!(files >= 9, "{files} files");
        std::fs::remove_file(&copy).expect("removed");
    }
}

#[test]
fn whole_games_come_back_from_every_corpus() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.parquet");
    for (path, first) in sources(folder.path()) {
        let games = games_of(&path, first * 10);
        write(&parquet::FORMAT, &copy, &games);
        let database = open(&copy).expect("it opens");
        let again = read(&*database);
        assert_eq!(again.len(), games.len());
        for (game, copy) in games.iter().zip(&again) {
            assert_eq!(
                canon(game),
                canon(copy),
                "{}: game {}",
                path.display(),
                game.origin.number
            );
        }
        let mut one = Game::default();
        for number in [1, again.len() / 2 + 1, again.len()] {
            database
                .read(number as u64, GameNeeds::ALL, &mut one)
                .expect("it is read");
            assert_eq!(canon(&one), canon(&again[number - 1]));
        }
        assert!(database.read(0, GameNeeds::ALL, &mut one).is_err());
        assert!(
            database
                .read(again.len() as u64 + 1, GameNeeds::ALL, &mut one)
                .is_err()
        );
        std::fs::remove_file(&copy).expect("removed");
    }
}
