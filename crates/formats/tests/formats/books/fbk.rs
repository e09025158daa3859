//! FBK, read in both ways, damaged and written.

use tabiya_formats::fbk::{FORMAT, FbkReader, FbkStructure, encode_tree};
use tabiya_formats::format::OpenOptions;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Database, Game, GameNeeds, Replay, TapeOp};

use crate::books::{game_of, random_games, write};

/// A line as text: moves, `?` after weak ones.
fn text_of(game: &Game) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut replay = Replay::new(&game.start_board());
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                let mut san = Vec::new();
                replay.play_with(|board| board.play_san(m, &mut san));
                words.push(String::from_utf8(san).expect("ASCII"));
            }
            TapeOp::Nag(Nag(2)) => words.last_mut().expect("a move").push('?'),
            other => panic!("{other:?}"),
        }
    }
    words.join(" ")
}

fn lines(reader: &FbkReader) -> Vec<String> {
    let mut game = Game::default();
    (1..=reader.len().expect("counted"))
        .map(|number| {
            reader
                .read(number, GameNeeds::ALL, &mut game)
                .expect("read");
            text_of(&game)
        })
        .collect()
}

#[test]
fn the_oracle_gives_its_lines() {
    let Some(path) = tabiya_testing::shared("oracles/cbf/tree_interpretationA.fbk") else {
        return;
    };
    let reader = FbkReader::open(&path, &OpenOptions::default()).expect("opened");
    let expected = std::fs::read_to_string(path.with_extension("lines.txt")).expect("readable");
    assert_eq!(lines(&reader), expected.lines().collect::<Vec<_>>());
    assert_eq!(reader.reading(), FbkStructure::Tree);
    let told: Vec<_> = reader.diagnostics().iter().map(|d| d.code.name).collect();
    assert_eq!(told, ["fbk-reading"]);
    // Written again, the file is the same.
    let bytes = std::fs::read(&path).expect("readable");
    assert_eq!(encode_tree(reader.tree()), bytes);
    // The same from one game with variations.
    let folder = tempfile::tempdir().expect("a folder");
    let again = folder.path().join("again.fbk");
    write(&FORMAT, &again, &[reader.whole_game()]);
    assert_eq!(std::fs::read(&again).expect("readable"), bytes);
}

/// The bytes of lines that all begin at the start.
fn list_of(lines: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        let moves: Vec<&str> = line.split(' ').collect();
        for (n, text) in moves.iter().enumerate() {
            let square = |at: usize| {
                let text = text.as_bytes();
                (text[at] - b'a') + 8 * (text[at + 1] - b'1')
            };
            let first = u8::from(n != 0) << 6 | u8::from(n + 1 == moves.len()) << 7;
            let weak = u8::from(text.ends_with('?')) << 7;
            bytes.extend([square(0) | first, square(2) | weak]);
        }
    }
    bytes
}

#[test]
fn a_list_of_lines_is_told_from_a_tree() {
    let bytes = list_of(&["e2e4 e7e5 g1f3", "e2e4 c7c5", "d2d4 d7d5? c2c4"]);
    let mut reader = FbkReader::from_bytes(&bytes, "list");
    assert_eq!(reader.reading(), FbkStructure::Lines);
    assert_eq!(lines(&reader), ["e4 e5 Nf3", "e4 c5", "d4 d5? c4"]);
    assert_eq!(reader.diagnostics().count_of("fbk-illegal-move"), 0);
    reader.mark_weak(None);
    assert_eq!(lines(&reader), ["e4 e5 Nf3", "e4 c5", "d4 d5 c4"]);
    // The same moves as a tree.
    let tree = encode_tree(reader.tree());
    let again = FbkReader::from_bytes(&tree, "tree");
    assert_eq!(again.reading(), FbkStructure::Tree);
    reader.mark_weak(Some(Nag(2)));
    assert_eq!(lines(&again), lines(&reader));
    // A single line is read correctly either way.
    for bytes in [list_of(&["e2e4 e7e5"]), vec![12 | 0x40, 28, 52 | 0xc0, 36]] {
        assert_eq!(lines(&FbkReader::from_bytes(&bytes, "")), ["e4 e5"]);
    }
}

#[test]
fn castling_and_queens() {
    let line = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8";
    let mut reader = FbkReader::from_bytes(&list_of(&[line]), "");
    reader.mark_weak(None);
    assert_eq!(lines(&reader), ["e4 e5 Nf3 Nf6 Bc4 Bc5 O-O O-O"]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("castles.fbk");
    // A pawn becomes a queen; a line with a promotion to a knight ends before it.
    let queen = game_of(
        "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6 b7a8q",
        Outcome::Unknown,
    );
    let knight = game_of(
        "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 g7g6 b7a8n g8f6",
        Outcome::Unknown,
    );
    write(
        &FORMAT,
        &path,
        &[game_of(line, Outcome::Draw), queen, knight],
    );
    let reader = FbkReader::open(&path, &OpenOptions::default()).expect("opened");
    assert_eq!(
        lines(&reader),
        [
            "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O O-O",
            "a4 b5 axb5 a6 bxa6 Bb7 axb7 h6 bxa8=Q",
            "a4 b5 axb5 a6 bxa6 Bb7 axb7 g6",
        ]
    );
}

#[test]
fn random_trees_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("random.fbk");
    let mut games = random_games(200, 30);
    for game in &mut games {
        let cut: Vec<_> = game.tape.main_line().collect();
        game.tape.clear();
        for m in cut.into_iter().take_while(|m| m.promotion().is_none()) {
            game.tape.push_move(m);
        }
    }
    write(&FORMAT, &path, &games);
    let reader = FbkReader::open(&path, &OpenOptions::default()).expect("opened");
    assert_eq!(reader.reading(), FbkStructure::Tree);
    assert_eq!(
        reader.diagnostics().counts().len(),
        1,
        "{:?}",
        reader.diagnostics()
    );
    let found = lines(&reader);
    for game in &games {
        let line = text_of(game);
        assert!(found.iter().any(|other| other.starts_with(&line)), "{line}");
    }
    for line in &found {
        assert!(games.iter().any(|game| text_of(game) == *line), "{line}");
    }
}

#[test]
fn every_truncation_and_flip_is_survived() {
    let mut games = random_games(12, 9);
    games.push(game_of("e2e4 e7e5", Outcome::Draw));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("damaged.fbk");
    write(&FORMAT, &path, &games);
    let bytes = std::fs::read(&path).expect("readable");
    let whole = FbkReader::from_bytes(&bytes, "");
    assert_eq!(whole.diagnostics().counts().len(), 1);
    for cut in 1..bytes.len() {
        let reader = FbkReader::from_bytes(&bytes[..cut], "");
        assert!(reader.diagnostics().counts().len() > 1, "cut at byte {cut}");
        assert!(reader.tree().len() <= whole.tree().len());
    }
    assert_eq!(FbkReader::from_bytes(&[], "").len().expect("counted"), 0);
    let mut told = 0;
    for at in 0..bytes.len() {
        for flip in [0x01, 0x40, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let reader = FbkReader::from_bytes(&damaged, "");
            let mut game = Game::default();
            for number in 1..=reader.len().expect("counted") {
                reader
                    .read(number, GameNeeds::ALL, &mut game)
                    .expect("read");
            }
            told += usize::from(reader.diagnostics().counts().len() > 1);
        }
    }
    assert!(told > bytes.len(), "most damage is told: {told}");
}
