//! ABK, tested with made-up books, an independent decoder, and damage.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabiya_formats::abk::{AbkReader, FORMAT, decode, encode_tree};
use tabiya_formats::book::{BookMoveWeight, BookNodeId, BookTree, ROOT};
use tabiya_formats::format::OpenOptions;
use tabiya_formats::polyglot;
use tabiya_model::board::CastlingStyle;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, Database, Game, GameNeeds};

use crate::books::{game_of, lines, random_games, settle, write};

/// The tree of a book in the form of the expectations.
fn tree(tree: &BookTree, place: BookNodeId, board: &Board) -> Value {
    let children = tree.children(place).map(|child| {
        let (m, mark) = tree.move_to(child).expect("a move");
        let mut uci = Vec::new();
        board.write_uci(m, CastlingStyle::KingMoves, &mut uci);
        let mut next = board.clone();
        next.play(m);
        let [games, won, _, lost] = mark.notes.games.expect("games");
        json!({
            "uci": String::from_utf8(uci).expect("letters"),
            "priority": mark.notes.priority, "games": games, "won": won, "lost": lost,
            "flags": if mark.notes.is_deleted { 0x0100_0000 } else { 0 },
            "moves": self::tree(tree, child, &next),
        })
    });
    json!(children.collect::<Vec<_>>())
}

/// The same from a decoder that has no chess rules and follows the numbers of the file.
fn decoded(bytes: &[u8], index: i32) -> Value {
    let mut list = Vec::new();
    let mut index = index;
    while index > 0 {
        let entry = &bytes[index as usize * 28..][..28];
        let word = |at: usize| i32::from_le_bytes(entry[at..at + 4].try_into().expect("four"));
        let square = |number: u8| format!("{}{}", char::from(b'a' + number % 8), number / 8 + 1);
        let promotion = match entry[2] as i8 {
            0 => "",
            1 | -1 => "r",
            2 | -2 => "n",
            3 | -3 => "b",
            _ => "q",
        };
        list.push(json!({
            "uci": format!("{}{}{promotion}", square(entry[0]), square(entry[1])),
            "priority": entry[3], "games": word(4), "won": word(8), "lost": word(12),
            "flags": word(16), "moves": decoded(bytes, word(20)),
        }));
        index = word(24);
    }
    json!(list)
}

fn expected(path: &Path) -> Value {
    let text = std::fs::read_to_string(path.with_extension("abk.json")).expect("readable");
    serde_json::from_str(&text).expect("JSON")
}

fn oracles() -> Vec<PathBuf> {
    let Some(root) = tabiya_testing::shared("oracles/books") else {
        return Vec::new();
    };
    ["lines", "wild"]
        .map(|name| root.join(name).with_extension("abk"))
        .into()
}

#[test]
fn the_made_books_are_what_they_are_expected_to_be() {
    for path in oracles() {
        let reader = AbkReader::open(&path, &OpenOptions::default()).expect("opened");
        let told = reader.diagnostics();
        assert!(told.is_empty(), "{told:?}");
        let expected = expected(&path);
        let found = tree(reader.tree(), ROOT, &Board::standard());
        assert_eq!(found, expected["tree"], "{}", path.display());
        assert_eq!(json!(reader.tree().len()), expected["entries"]);
        // After writing it, an independent decoder finds the same tree.
        let bytes = encode_tree(reader.tree());
        assert_eq!(decoded(&bytes, 900), expected["tree"]);
        // Made from its lines as games, it is the same too.
        let folder = tempfile::tempdir().expect("a folder");
        let again = folder.path().join("again.abk");
        let mut games = Vec::new();
        for number in 1..=reader.len().expect("counted") {
            let mut game = Game::default();
            reader
                .read(number, GameNeeds::ALL, &mut game)
                .expect("read");
            games.push(game);
        }
        write(&FORMAT, &again, &games);
        let bytes = std::fs::read(&again).expect("readable");
        assert_eq!(decoded(&bytes, 900), expected["tree"]);
    }
}

#[test]
fn random_books_are_read_as_they_were_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("random.abk");
    let games = random_games(60, 40);
    write(&FORMAT, &path, &games);
    let (found, told) = decode(&std::fs::read(&path).expect("readable"));
    assert!(told.is_empty(), "{told:?}");
    let mut wanted = BookTree::default();
    for game in &games {
        wanted.add_game(game, |_, _| true);
    }
    assert_eq!(
        (found.len(), found.leaves().len()),
        (wanted.len(), wanted.leaves().len())
    );
    let lines = |tree: &BookTree| {
        let line = |leaf| -> Vec<_> {
            let places = tree.line(leaf).into_iter();
            places
                .filter_map(|place| Some(tree.move_to(place)?.0))
                .collect()
        };
        tree.leaves().into_iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(lines(&found), lines(&wanted));
}

/// From Polyglot and back: the same positions, moves and weights.
#[test]
fn polyglot_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, middle, last] =
        ["first.bin", "middle.abk", "last.bin"].map(|name| folder.path().join(name));
    write(&polyglot::FORMAT, &first, &random_games(40, 12));
    let lines =
        |path: &Path, open: fn(&Path, &OpenOptions) -> tabiya_model::Result<Box<dyn Database>>| {
            lines(&*open(path, &OpenOptions::default()).expect("opened"))
        };
    write(
        &FORMAT,
        &middle,
        &lines(&first, polyglot::FORMAT.open.expect("read")),
    );
    write(
        &polyglot::FORMAT,
        &last,
        &lines(&middle, FORMAT.open.expect("read")),
    );
    let bytes = [first, last].map(|path| std::fs::read(path).expect("readable"));
    assert_eq!(bytes[0], bytes[1]);
}

/// Adds up the games of all moves by position: the judge knows the rules of chess from elsewhere than the numbers.
fn by_position(list: &Value, board: &Board, sums: &mut BTreeMap<(String, String), u64>) {
    let fen = board.to_fen();
    let fen: Vec<&str> = fen.split(' ').take(4).collect();
    for entry in list.as_array().expect("a list") {
        let uci = entry["uci"].as_str().expect("a text");
        let games = entry["games"].as_u64().expect("a number");
        *sums.entry((fen.join(" "), uci.to_owned())).or_default() += games;
        let mut next = board.clone();
        next.play(board.parse_uci(uci.as_bytes()).expect("a move"));
        by_position(&entry["moves"], &next, sums);
    }
}

#[test]
fn counts_of_a_position_are_sums_over_the_ways_to_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ways.abk");
    let mut tree = BookTree::default();
    for (line, outcome) in [
        ("g1f3 g8f6 g2g3 g7g6", Outcome::WhiteWins),
        ("g2g3 g8f6 g1f3 g7g6", Outcome::BlackWins),
        ("g2g3 g7g6 g1f3 g8f6 f1g2", Outcome::Draw),
        ("g1f3 g8f6 g2g3 g7g6 f1g2", Outcome::Unknown),
    ] {
        let mut place = ROOT;
        let mut board = Board::standard();
        for uci in line.split(' ') {
            let m = board.parse_uci(uci.as_bytes()).expect("a move");
            board.play(m);
            place = tree.add(place, m, BookMoveWeight::default());
            tree.count_game(place, outcome);
        }
    }
    let bytes = encode_tree(&tree);
    std::fs::write(&path, &bytes).expect("written");
    let mut sums = BTreeMap::new();
    by_position(&decoded(&bytes, 900), &Board::standard(), &mut sums);
    let reader = AbkReader::open(&path, &OpenOptions::default()).expect("opened");
    let book = reader.book().expect("a book");
    for ((fen, uci), games) in &sums {
        let (board, _) = Board::from_fen(&format!("{fen} 0 1")).expect("a position");
        let m = board.parse_uci(uci.as_bytes()).expect("a move");
        let moves = book.moves(&board);
        let (_, mark) = moves.iter().find(|(known, _)| *known == m).expect("found");
        let found = mark.notes.games.map(|[games, ..]| u64::from(games));
        assert_eq!(found, Some(*games), "{fen} {uci}");
        assert_eq!(mark.weight.map(u64::from), Some(*games), "{fen} {uci}");
    }
    assert!(sums.values().any(|games| *games == 3), "{sums:?}");
    // In a Polyglot book a position is one: its weights are the sums.
    let target = folder.path().join("ways.bin");
    write(&polyglot::FORMAT, &target, &lines(&reader));
    let bytes = std::fs::read(&target).expect("readable");
    assert_eq!(bytes.len(), sums.len() * 16);
    let weights = bytes.chunks(16).map(|entry| u64::from(entry[11]));
    assert_eq!(weights.sum::<u64>(), sums.values().sum::<u64>());
}

#[test]
fn damage_is_told_and_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.abk");
    write(&FORMAT, &path, &random_games(6, 8));
    let bytes = std::fs::read(&path).expect("readable");
    for length in (0..bytes.len())
        .rev()
        .step_by(if bytes.len() > 30_000 { 97 } else { 13 })
    {
        let (_, told) = decode(&bytes[..length]);
        // If it is truncated after a whole move, moves that refer to missing ones report that.
        assert!(!told.is_empty(), "{length}");
    }
    for at in 25_200..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let (tree, _) = decode(&damaged);
            assert!(tree.len() <= bytes.len() / 28);
        }
    }
    // A move that is its own reply, and circular alternatives.
    for (field, value) in [(20, 900_i32), (24, 900), (20, 5), (24, i32::MAX)] {
        let mut damaged = bytes.clone();
        damaged[25_200 + field..][..4].copy_from_slice(&value.to_le_bytes());
        let (_, told) = decode(&damaged);
        assert!(
            told.iter().any(|it| it.code.name == "abk-link"),
            "{field} {value}"
        );
    }
}

#[test]
fn the_sample_is_what_is_made_here() {
    let mut tree = BookTree::default();
    for line in [
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1",
        "e2e4 c7c5",
        "d2d4 d7d5 c2c4",
        "a2a4 b7b5 a4b5 a7a6 b5a6 h7h6 a6a7 h6h5 a7b8n",
    ] {
        tree.add_game(&game_of(line, Outcome::Unknown), |_, _| true);
    }
    let path = settle("abk/ok/small.abk", &encode_tree(&tree));
    let reader = AbkReader::open(&path, &OpenOptions::default()).expect("opened");
    assert!(
        reader.diagnostics().is_empty(),
        "{:?}",
        reader.diagnostics()
    );
    assert_eq!((reader.tree().len(), reader.tree().leaves().len()), (20, 4));
    let author = reader
        .info()
        .fields
        .iter()
        .any(|(_, value)| value == "Tabiya");
    assert!(author, "{:?}", reader.info().fields);
}
