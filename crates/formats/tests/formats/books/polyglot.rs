//! Polyglot's books, compared with the published hashes, the program itself and python-chess.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tabiya_formats::fbk;
use tabiya_formats::format::OpenOptions;
use tabiya_formats::polyglot::{
    FORMAT, PolyglotBook, PolyglotBookBuilder, PolyglotEntry, PolyglotReader, write_entries,
};
use tabiya_io::mmap::{FileAccess, FileBytes};
use tabiya_model::board::CastlingStyle;
use tabiya_model::database::for_each_game;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, Database, Game, GameNeeds, Replay};

use crate::books::{game_of, random_games, write};

fn book_of(entries: &[PolyglotEntry]) -> PolyglotBook {
    let mut bytes = Vec::new();
    write_entries(entries, &mut bytes).expect("written");
    PolyglotBook::new(FileBytes::from(bytes))
}

fn open(path: &Path) -> PolyglotBook {
    PolyglotBook::new(FileBytes::open(path, FileAccess::Read).expect("opened"))
}

#[test]
fn the_published_hashes() {
    for (moves, key) in [
        ("", 0x463b_9618_1691_fc9c_u64),
        ("e2e4", 0x823c_9b50_fd11_4196),
        ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
        ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
        ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
        ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
        ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
        ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
        ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
    ] {
        let mut board = Board::standard();
        for text in moves.split_whitespace() {
            board.play(board.parse_uci(text.as_bytes()).expect("a move"));
        }
        assert_eq!(board.zobrist(), key, "{moves}");
    }
}

#[test]
fn weights_follow_the_rule() {
    let mut builder = PolyglotBookBuilder::new();
    for (moves, outcome) in [
        ("e2e4 e7e5", Outcome::WhiteWins),
        ("e2e4 c7c5", Outcome::Draw),
        ("d2d4 d7d5", Outcome::BlackWins),
        ("c2c4", Outcome::Unknown),
    ] {
        builder.add_game(&game_of(moves, outcome));
    }
    let book = book_of(&builder.finish());
    let mut board = Board::standard();
    let weights = |board: &Board| -> Vec<(String, u16)> {
        book.moves(board)
            .into_iter()
            .map(|(m, entry)| {
                let mut text = Vec::new();
                board.write_uci(m, CastlingStyle::KingMoves, &mut text);
                (String::from_utf8(text).expect("ASCII"), entry.weight)
            })
            .collect()
    };
    let pair = |text: &str, weight| (text.to_owned(), weight);
    assert_eq!(
        weights(&board),
        [pair("e2e4", 3), pair("c2c4", 1), pair("d2d4", 0)]
    );
    board.play(board.parse_uci(b"d2d4").expect("a move"));
    assert_eq!(weights(&board), [pair("d7d5", 2)]);
}

#[test]
fn high_weights_are_scaled_and_given_ones_are_not_added_up() {
    let board = Board::standard();
    let e4 = board.parse_uci(b"e2e4").expect("a move");
    let d4 = board.parse_uci(b"d2d4").expect("a move");
    let a3 = board.parse_uci(b"a2a3").expect("a move");
    let mut builder = PolyglotBookBuilder::new();
    builder.add(&board, e4, 1_000_000);
    builder.add(&board, d4, 500_000);
    builder.add(&board, a3, 1);
    let weights: Vec<u16> = builder.finish().iter().map(|entry| entry.weight).collect();
    assert_eq!(weights, [65_535, 32_767, 1]);
    let mut builder = PolyglotBookBuilder::new();
    builder.add(&board, e4, 70);
    builder.give(&board, e4, 5);
    builder.give(&board, e4, 4);
    let entries = builder.finish();
    assert_eq!((entries.len(), entries[0].weight), (1, 5));
}

#[test]
fn a_book_comes_back_from_its_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.bin");
    write(&FORMAT, &path, &random_games(300, 40));
    let reader = PolyglotReader::open(&path, &OpenOptions::default()).expect("opened");
    assert!(
        reader.diagnostics().is_empty(),
        "{:?}",
        reader.diagnostics()
    );
    let mut lines = Vec::new();
    let mut source = reader.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        lines.push(game.clone());
        Ok(())
    })
    .expect("read");
    assert!(lines.len() > 250);
    let again = folder.path().join("again.bin");
    write(&FORMAT, &again, &lines);
    let bytes = |path: &Path| std::fs::read(path).expect("readable");
    assert_eq!(bytes(&again), bytes(&path));
}

#[test]
fn damage_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.bin");
    write(&FORMAT, &path, &random_games(6, 12));
    let whole = std::fs::read(&path).expect("readable");
    for cut in 0..whole.len() {
        std::fs::write(&path, &whole[..cut]).expect("written");
        let reader = PolyglotReader::open(&path, &OpenOptions::default()).expect("opened");
        let told = reader.diagnostics();
        assert_eq!(told.count_of("polyglot-rest") > 0, cut % 16 != 0, "{cut}");
        assert_eq!(reader.book().len(), cut / 16);
    }
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        std::fs::write(&path, &damaged).expect("written");
        let reader = PolyglotReader::open(&path, &OpenOptions::default()).expect("opened");
        let mut game = Game::default();
        for number in 1..=reader.len().expect("counted") {
            reader
                .read(number, GameNeeds::ALL, &mut game)
                .expect("read");
        }
        // Weights and learning data may be anything; positions and moves may not.
        assert!(
            at % 16 >= 10 || !reader.diagnostics().is_empty(),
            "byte {at}"
        );
    }
}

#[test]
fn a_position_with_endless_entries_has_its_legal_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.bin");
    let board = Board::standard();
    let entries: Vec<PolyglotEntry> = (0..=u16::MAX)
        .rev()
        .map(|code| PolyglotEntry {
            key: board.zobrist(),
            code,
            weight: code,
            learn: 0,
        })
        .collect();
    let mut bytes = Vec::new();
    write_entries(&entries, &mut bytes).expect("written");
    std::fs::write(&path, bytes).expect("written");
    let reader = PolyglotReader::open(&path, &OpenOptions::default()).expect("opened");
    let moves = Database::book(&reader).expect("a book").moves(&board);
    assert_eq!(moves.len(), 20);
    assert!(moves.is_sorted_by_key(|(_, mark)| std::cmp::Reverse(mark.weight)));
}

#[test]
fn an_opening_book_of_chessbase_becomes_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, target) = (folder.path().join("a.fbk"), folder.path().join("a.bin"));
    let mut game = game_of("e2e4 e7e5 g1f3", Outcome::Unknown);
    game.tape.push_nag(tabiya_model::nag::Nag(2));
    let other = game_of("e2e4 c7c5", Outcome::Unknown);
    write(&fbk::FORMAT, &source, &[game, other]);
    let reader = fbk::FbkReader::open(&source, &OpenOptions::default()).expect("opened");
    let mut lines = Vec::new();
    for number in 1..=2 {
        let mut line = Game::default();
        reader
            .read(number, GameNeeds::ALL, &mut line)
            .expect("read");
        lines.push(line);
    }
    write(&FORMAT, &target, &lines);
    let book = open(&target);
    let mut board = Board::standard();
    let weights: Vec<Vec<u16>> = ["e2e4", "e7e5", "g1f3"]
        .iter()
        .map(|text| {
            let weights = book.moves(&board).iter().map(|(_, e)| e.weight).collect();
            board.play(board.parse_uci(text.as_bytes()).expect("a move"));
            weights
        })
        .collect();
    assert_eq!(weights, [vec![2], vec![1, 1], vec![0]]);
}

/// The games as PGN of the simplest form.
fn pgn_of(games: &[Game]) -> String {
    let mut text = String::new();
    for game in games {
        let result = game.result().as_pgn();
        let _ = writeln!(
            text,
            "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"{result}\"]\n"
        );
        let mut replay = Replay::new(&Board::standard());
        for (ply, m) in game.tape.main_line().enumerate() {
            let mut san = Vec::new();
            replay.play_with(|board| board.play_san(m, &mut san));
            if ply % 2 == 0 {
                let _ = write!(text, "{}. ", ply / 2 + 1);
            }
            let _ = writeln!(text, "{}", String::from_utf8_lossy(&san));
        }
        let _ = writeln!(text, "{result}\n");
    }
    text
}

#[test]
fn polyglot_makes_the_same_book() {
    let Some(program) = tabiya_testing::polyglot() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let games = random_games(300, 60);
    let (pgn, theirs) = (folder.path().join("in.pgn"), folder.path().join("out.bin"));
    std::fs::write(&pgn, pgn_of(&games)).expect("written");
    let status = Command::new(program)
        .current_dir(folder.path())
        .args(["make-book", "-min-game", "1", "-pgn"])
        .arg(&pgn)
        .arg("-bin")
        .arg(&theirs)
        .stdout(Stdio::null())
        .status()
        .expect("run");
    assert!(status.success());
    let mut builder = PolyglotBookBuilder::new();
    for game in &games {
        builder.add_game(game);
    }
    // The program leaves out moves that never scored. It has its own order for equal weights.
    let sorted = |entries: &mut dyn Iterator<Item = PolyglotEntry>| {
        let mut list: Vec<PolyglotEntry> = entries.filter(|entry| entry.weight > 0).collect();
        list.sort();
        list
    };
    let ours = sorted(&mut builder.finish().into_iter());
    let theirs = sorted(&mut open(&theirs).entries());
    assert_eq!(ours.len(), theirs.len());
    assert!(ours.len() > 5_000);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
}

/// Prints the moves of a book in each position of some lines.
const SCRIPT: &str = "
import sys, chess, chess.polyglot
with chess.polyglot.open_reader(sys.argv[1]) as reader:
    for line in sys.stdin:
        board = chess.Board()
        for uci in line.split():
            found = sorted((e.move.uci(), e.weight) for e in reader.find_all(board, minimum_weight=0))
            print(chess.polyglot.zobrist_hash(board), *[f'{m}:{w}' for m, w in found])
            board.push_uci(uci)
";

#[test]
fn python_chess_reads_the_same() {
    let Some(mut python) = tabiya_testing::python_with("chess.polyglot") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.bin");
    let games = random_games(100, 60);
    write(&FORMAT, &path, &games);
    let book = open(&path);
    let (mut input, mut expected) = (String::new(), String::new());
    for game in &games {
        let mut board = Board::standard();
        for m in game.tape.main_line() {
            let found: BTreeMap<String, u16> = book
                .moves(&board)
                .into_iter()
                .map(|(m, entry)| {
                    let mut text = Vec::new();
                    board.write_uci(m, CastlingStyle::KingMoves, &mut text);
                    (String::from_utf8(text).expect("ASCII"), entry.weight)
                })
                .collect();
            let _ = write!(expected, "{}", board.zobrist());
            for (text, weight) in found {
                let _ = write!(expected, " {text}:{weight}");
            }
            expected.push('\n');
            let mut text = Vec::new();
            board.write_uci(m, CastlingStyle::KingMoves, &mut text);
            let _ = write!(input, "{} ", String::from_utf8_lossy(&text));
            board.play(m);
        }
        input.push('\n');
    }
    let lines = folder.path().join("lines");
    std::fs::write(&lines, input).expect("written");
    let output = python
        .args(["-c", SCRIPT])
        .arg(&path)
        .stdin(std::fs::File::open(&lines).expect("opened"))
        .output()
        .expect("run");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed.lines().count(), expected.lines().count());
    for (ours, theirs) in expected.lines().zip(printed.lines()) {
        assert_eq!(ours, theirs);
    }
}
