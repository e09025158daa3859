//! Opening books: FBK with the oracle and damage, Polyglot with the published hashes, Polyglot itself and python-chess.

// Tests skipped for lack of a program or of test data are printed.
#![allow(clippy::print_stderr)]

mod abk;
mod ctg;
mod fbk;
mod large;
mod polyglot;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tabiya_formats::format::{Format, WriteOptions};
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, Database, Game, GameNeeds, Losses, Move};
use tabiya_testing::TestRandom;

/// Writes games through a format's sink; every game must be reported as lost, since a book holds none. Returns the losses.
fn write(format: &Format, path: &Path, games: &[Game]) -> Losses {
    let create = format.create.expect("written");
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let mut sink = create(path, &options).expect("created");
    let mut losses = Losses::default();
    for part in games.chunks(50) {
        let mut encoder = sink.encoder();
        for game in part {
            encoder.encode(game, &mut losses);
        }
        sink.append(encoder.take(), 1, &mut losses)
            .expect("appended");
    }
    let whole = losses.iter().filter(|loss| loss.kind.name == "book-game");
    assert_eq!(whole.count(), games.len());
    let summary = sink.finish().expect("finished");
    assert_eq!(summary.games, games.len() as u64);
    losses
}

/// The names of the kinds of some losses, each once.
fn kinds(losses: &Losses) -> BTreeSet<&'static str> {
    losses.iter().map(|loss| loss.kind.name).collect()
}

/// The lines of a book as games.
fn lines(book: &dyn Database) -> Vec<Game> {
    let count = book.len().expect("counted");
    let read = |number| {
        let mut game = Game::default();
        book.read(number, GameNeeds::ALL, &mut game).expect("read");
        game
    };
    (1..=count).map(read).collect()
}

/// Compares a sample with its expected content, or writes it if `TABIYA_BLESS` is set; returns its path.
fn settle(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus")
        .join(name);
    let is_there = std::fs::read(&path).is_ok_and(|there| there == bytes);
    if !is_there && std::env::var_os("TABIYA_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, bytes).expect("written");
    } else {
        let path = path.display();
        assert!(is_there, "{path}: TABIYA_BLESS=1 writes it anew");
    }
    path
}

/// A game from moves in UCI notation.
fn game_of(moves: &str, outcome: Outcome) -> Game {
    let mut board = Board::standard();
    let mut game = Game::default();
    for text in moves.split_whitespace() {
        let m = board.parse_uci(text.as_bytes()).expect("a move");
        game.tape.push_move(m);
        board.play(m);
    }
    game.tags.push("Result", outcome.as_pgn());
    game.outcome = Some(outcome);
    game
}

/// Random games that often share their first moves.
fn random_games(count: usize, plies: usize) -> Vec<Game> {
    let mut random = TestRandom::new(3);
    let mut list: Vec<Move> = Vec::new();
    (0..count)
        .map(|number| {
            let mut board = Board::standard();
            let mut game = Game::default();
            for ply in 0..plies {
                board.legal_moves(&mut list);
                if list.is_empty() {
                    break;
                }
                list.sort();
                let choices = if ply < 6 {
                    list.len().min(3)
                } else {
                    list.len()
                };
                let m = list[random.below(choices)];
                game.tape.push_move(m);
                board.play(m);
            }
            let outcome = Outcome::ALL[random.below(4)];
            game.tags.push("Result", outcome.as_pgn());
            game.outcome = Some(outcome);
            game.origin.number = number as u64 + 1;
            game
        })
        .collect()
}
