//! What a database should hold: a repair is compared with it.

use std::path::Path;

use tabiya_formats::cbf::CbfReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::{Database, Game};

use crate::cbf::law::write;
use crate::cbf::oracles::read_all;

/// Games of different lengths with comments, as a repair would find them.
fn games(count: usize) -> Vec<Game> {
    let moves = [
        "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1h1", "f8e7", "f1e1",
        "b7b5",
    ];
    (0..count)
        .map(|number| {
            let mut game = Game::default();
            game.origin.number = number as u64 + 1;
            game.tags.push("White", &format!("White,{number}"));
            game.tags.push("Black", &format!("Black,{number}"));
            game.tags.push("Event", "Somewhere");
            game.tags.push("Date", "1990.??.??");
            game.tags.push("Result", "1-0");
            let mut board = game.start_board();
            for text in moves.iter().take(number % (moves.len() + 1)) {
                let m = board.parse_uci(text.as_bytes()).expect("a move");
                game.tape.push_move(m);
                board.play(m);
            }
            if number % 3 == 0 {
                game.tape.push_comment("a comment");
            }
            game
        })
        .collect()
}

fn salvage(path: &Path) -> (usize, Vec<String>, bool) {
    let reader = CbfReader::salvage(path, &OpenOptions::default()).expect("opened");
    let games = read_all(&reader);
    let gone = reader.missing();
    let damaged = games
        .iter()
        .any(|game| game.diagnostics.at_least(tabiya_model::Severity::Damage) > 0)
        || reader
            .diagnostics()
            .at_least(tabiya_model::Severity::Damage)
            > 0;
    let told = gone
        .iter()
        .map(|loss| format!("{}: {}", loss.kind.name, loss.detail))
        .collect();
    (games.len(), told, damaged)
}

#[test]
fn a_cut_file_is_told_by_the_games_that_are_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("base.cbf");
    let all = games(40);
    let losses = write(&path, &all);
    assert!(losses.iter().all(|losses| losses.is_empty()), "{losses:?}");
    let bytes = std::fs::read(&path).expect("readable");
    let whole = read_all(&CbfReader::open(&path, &OpenOptions::default()).expect("opened"));
    assert_eq!(
        salvage(&path),
        (40, Vec::new(), false),
        "a sound base loses nothing"
    );
    for cut in (0..bytes.len()).step_by(5) {
        std::fs::write(&path, &bytes[..cut]).expect("written");
        let (found, told, damaged) = salvage(&path);
        let wholly_there = whole
            .iter()
            .filter(|game| game.origin.byte + game.origin.length <= cut as u64)
            .count();
        assert!(
            found >= wholly_there && found <= wholly_there + 1,
            "cut at {cut}: {found} of {wholly_there}"
        );
        assert!(damaged, "cut at {cut}");
        let gone = format!("games-gone: {} of 40, counted by the index", 40 - found);
        match found {
            40 => assert_eq!(told, Vec::<String>::new()),
            _ => assert_eq!(told, [gone], "cut at {cut}"),
        }
    }
}

#[test]
fn a_cut_or_empty_index_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("base.cbf");
    write(&path, &games(20));
    let index = folder.path().join("base.cbi");
    let words = std::fs::read(&index).expect("readable");
    for cut in 0..words.len() {
        std::fs::write(&index, &words[..cut]).expect("written");
        let (found, told, _) = salvage(&path);
        assert_eq!(found, 20, "cut at {cut}");
        // A file that has the number of games is compared with it; a file without it is reported.
        let expected: &[&str] = match cut {
            0..4 => &["index-gone"],
            _ => &[],
        };
        let kinds: Vec<_> = told
            .iter()
            .map(|told| told.split(':').next().expect("a name"))
            .collect();
        assert_eq!(kinds, expected, "cut at {cut}: {told:?}");
        // Without the search, the games after the cut are lost.
        let reader = CbfReader::open(&path, &OpenOptions::default()).expect("opened");
        let missing = 20 - reader.len().expect("counted");
        assert_eq!(reader.missing().is_empty(), missing == 0, "cut at {cut}");
    }
    std::fs::remove_file(&index).expect("removed");
    let (found, told, _) = salvage(&path);
    assert_eq!((found, told.len()), (20, 1));
}

#[test]
fn an_index_of_zeros_is_as_good_as_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("base.cbf");
    write(&path, &games(40));
    let index = path.with_extension("cbi");
    let bytes = std::fs::read(&index).expect("read");
    let head = |count: usize| {
        let mut bytes = bytes.clone();
        bytes[..count].fill(0);
        bytes
    };
    let no_entries = {
        let mut bytes = head(bytes.len());
        bytes[..4].copy_from_slice(&41_u32.to_be_bytes());
        bytes
    };
    for zeros in [head(bytes.len()), head(4), head(40), no_entries] {
        std::fs::write(&index, &zeros).expect("written");
        let (found, told, _) = salvage(&path);
        assert_eq!(found, 40);
        assert!(
            told.iter().any(|told| told.starts_with("index-gone")),
            "{told:?}"
        );
        let reader = CbfReader::open(&path, &OpenOptions::default()).expect("opened");
        let gone = reader.missing();
        let is_known = reader.len().expect("counted") == 40;
        assert_eq!(gone.is_empty(), is_known, "{gone:?}");
        let damage = tabiya_model::Severity::Damage;
        let is_told = reader.diagnostics().at_least(damage) > 0
            || read_all(&reader)
                .iter()
                .any(|game| game.diagnostics.at_least(damage) > 0);
        assert!(is_told);
    }
}

#[test]
fn a_comment_before_the_first_move_can_be_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, again) = (folder.path().join("x.cbf"), folder.path().join("y.cbf"));
    let mut game = Game::default();
    game.origin.number = 1;
    game.tape.push_comment("xyz");
    let board = game.start_board();
    game.tape
        .push_move(board.parse_uci(b"e2e4").expect("legal"));
    write(&path, &[game]);
    let mut bytes = std::fs::read(&path).expect("read");
    let at = memchr::memmem::find(&bytes, b"xyz").expect("the comment");
    bytes[at..at + 3].fill(0);
    std::fs::write(&path, &bytes).expect("written");
    let games = read_all(&CbfReader::open(&path, &OpenOptions::default()).expect("opened"));
    assert!(
        games[0].diagnostics.is_empty(),
        "{:?}",
        games[0].diagnostics
    );
    assert_eq!(games[0].tape.extensions().len(), 0);
    let losses = write(&again, &games);
    assert!(losses[0].is_empty(), "{losses:?}");
}

#[test]
fn comments_that_moves_announce_and_that_are_not_there_are_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.cbf");
    let mut game = Game::default();
    game.origin.number = 1;
    let mut board = game.start_board();
    for text in ["e2e4", "e7e5"] {
        let m = board.parse_uci(text.as_bytes()).expect("legal");
        game.tape.push_move(m);
        game.tape.push_comment(text);
        board.play(m);
    }
    write(&path, &[game]);
    let mut bytes = std::fs::read(&path).expect("read");
    // The end of the first comment becomes part of the comment.
    let at = memchr::memmem::find(&bytes, b"e2e4\xff").expect("the comment");
    bytes[at + 4] = b'x';
    std::fs::write(&path, &bytes).expect("written");
    let games = read_all(&CbfReader::open(&path, &OpenOptions::default()).expect("opened"));
    let found = &games[0].diagnostics;
    assert_eq!(found.count_of("cbf-missing-comments"), 1, "{found:?}");
    assert!(found.at_least(tabiya_model::Severity::Damage) > 0);
}
