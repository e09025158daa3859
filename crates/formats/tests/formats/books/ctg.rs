//! CTG, tested with made-up books, the real one, and damage.

use std::collections::BTreeMap;

use serde_json::Value;
use tabiya_formats::book::PositionBook;
use tabiya_formats::book::{BookAdvice, BookMoveWeight, BookNodeId, BookTree, ROOT};
use tabiya_formats::ctg::{CtgBook, CtgReader, move_bytes, position_key};
use tabiya_formats::format::OpenOptions;
use tabiya_formats::polyglot;
use tabiya_io::mmap::FileBytes;
use tabiya_model::board::CastlingStyle;
use tabiya_model::{Board, Database};

use crate::books::{kinds, lines, settle, write};

/// The moves of a position in text form, with their data.
type Moves = Vec<(String, BookMoveWeight)>;

/// The moves of every position at which the tree continues.
fn positions(tree: &BookTree) -> BTreeMap<String, Moves> {
    let mut found = BTreeMap::new();
    let mut open: Vec<(BookNodeId, Board)> = vec![(ROOT, Board::standard())];
    while let Some((place, board)) = open.pop() {
        let mut moves = Moves::new();
        for child in tree.children(place) {
            let (m, mark) = tree.move_to(child).expect("a move");
            let mut uci = Vec::new();
            board.write_uci(m, CastlingStyle::KingMoves, &mut uci);
            moves.push((String::from_utf8(uci).expect("letters"), mark));
            let mut next = board.clone();
            next.play(m);
            open.push((child, next));
        }
        if !moves.is_empty() {
            found.insert(position(&board.to_fen()), moves);
        }
    }
    found
}

/// A position without the parts that the book does not store.
fn position(fen: &str) -> String {
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_made_books_are_what_they_are_expected_to_be() {
    let Some(root) = tabiya_testing::shared("oracles/books") else {
        return;
    };
    for name in ["lines", "wild"] {
        let path = root.join(name).with_extension("ctg");
        let reader = CtgReader::open(&path, &OpenOptions::default()).expect("opened");
        let text = std::fs::read_to_string(path.with_extension("ctg.json")).expect("readable");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let told = reader.diagnostics();
        let is_whole = expected["positions"] == expected["reachable_from_the_start"];
        assert!(!is_whole || told.is_empty(), "{name}: {told:?}");
        let found = positions(reader.tree());
        let mut compared = 0;
        for walked in expected["walk"].as_array().expect("a list") {
            let fen = position(walked["fen"].as_str().expect("a text"));
            let place = format!("{name} {fen}");
            let wanted = walked["moves"].as_array().expect("a list");
            if wanted.is_empty() {
                assert!(!found.contains_key(&fen), "{place}");
                continue;
            }
            let moves = found
                .get(&fen)
                .unwrap_or_else(|| panic!("{place}: not reached"));
            assert_eq!(moves.len(), wanted.len(), "{place}: {moves:?}");
            for ((uci, mark), wanted) in moves.iter().zip(wanted) {
                assert_eq!(uci, wanted["uci"].as_str().expect("a text"), "{place}");
                let sign = wanted["sign"].as_u64().expect("a number");
                let nag = match sign {
                    1..=6 | 8 | 22 => sign,
                    _ => 0,
                };
                assert_eq!(u64::from(mark.sign), nag, "{place} {uci}");
                let games = mark.notes.games.map(|[games, ..]| u64::from(games));
                assert_eq!(games, wanted["games"].as_u64(), "{place} {uci}");
                let advice = match wanted["recommendation"].as_u64() {
                    Some(128..) => Some(BookAdvice::Play),
                    Some(64..128) => Some(BookAdvice::Avoid),
                    _ => None,
                };
                assert_eq!(mark.notes.advice, advice, "{place} {uci}");
                compared += 1;
            }
        }
        assert!(compared > 50, "{name}: {compared}");
        // The results of a move are those of the position after it, by colours.
        let first = expected["walk"].as_array().expect("a list");
        let e4 = first.iter().find(|it| it["line"] == "e2e4").expect("1.e4");
        let (_, mark) = found[&position(&Board::standard().to_fen())]
            .iter()
            .find(|(uci, _)| uci == "e2e4")
            .expect("1.e4");
        let stats = |key: &str| e4["stats"][key].as_u64().expect("a number") as u32;
        let counts = [stats("games"), stats("lost"), stats("drawn"), stats("won")];
        assert_eq!(mark.notes.games, Some(counts), "{name}");
        if stats("rated") > 0 {
            let rating = stats("rating_sum") / stats("rated");
            assert_eq!(mark.notes.rating, Some(rating), "{name}");
        }
    }
}

#[test]
fn the_real_book_has_its_four_positions() {
    let Some(path) = tabiya_testing::shared("oracles/books/real/simple.ctg") else {
        return;
    };
    let reader = CtgReader::open(&path, &OpenOptions::default()).expect("opened");
    assert!(
        reader.diagnostics().is_empty(),
        "{:?}",
        reader.diagnostics()
    );
    let found = positions(reader.tree());
    let said: Vec<_> = found
        .values()
        .flatten()
        .map(|(uci, mark)| (uci.as_str(), mark.notes.games.map(|[games, ..]| games)))
        .collect();
    let mut sorted = said.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [("d2d4", Some(1)), ("d7d5", Some(1)), ("e2e4", Some(1))]
    );
}

#[test]
fn damage_is_survived() {
    let Some(path) = tabiya_testing::shared("oracles/books/lines.ctg") else {
        return;
    };
    let bytes = std::fs::read(&path).expect("readable");
    let folder = tempfile::tempdir().expect("a folder");
    let damaged = folder.path().join("damaged.ctg");
    let options = OpenOptions {
        mmap: false,
        ..OpenOptions::default()
    };
    let whole = CtgReader::open(&path, &options)
        .expect("opened")
        .tree()
        .len();
    for cut in (0..bytes.len()).step_by(61) {
        std::fs::write(&damaged, &bytes[..cut]).expect("written");
        match CtgReader::open(&damaged, &options) {
            Err(_) => assert!(cut < 4096, "{cut}"),
            Ok(reader) => {
                assert!(!reader.diagnostics().is_empty(), "{cut}");
                assert!(reader.tree().len() <= whole);
            }
        }
    }
    for at in (0..bytes.len()).step_by(3) {
        let mut flipped = bytes.clone();
        flipped[at] ^= [1, 0x80, 0xff][at / 3 % 3];
        std::fs::write(&damaged, &flipped).expect("written");
        let reader = CtgReader::open(&damaged, &options).expect("opened");
        let _ = reader.len();
        let start = asked(reader.book().expect("a book"), &Board::standard().to_fen());
        assert!(start.len() <= 20, "{start:?}");
    }
}

/// An entry of our own: a position with moves, their annotation symbols, and its numbers.
fn entry(line: &str, moves: &[(&str, u8)], numbers: [u32; 4], advice: u8) -> Vec<u8> {
    let mut board = Board::standard();
    for text in line.split_whitespace() {
        let m = board.parse_uci(text.as_bytes()).expect("a move");
        board.play(m);
    }
    let mut bytes = position_key::key(&board, false).expect("a key");
    bytes.push(1 + 2 * moves.len() as u8);
    for (text, sign) in moves {
        let m = board.parse_uci(text.as_bytes()).expect("a move");
        let means = |byte: &u8| move_bytes::read(&board, *byte) == Some((m, false));
        bytes.push((0..=255).find(means).expect("a byte"));
        bytes.push(*sign);
    }
    for number in numbers {
        bytes.extend_from_slice(&number.to_be_bytes()[1..]);
    }
    bytes.resize(bytes.len() + 4, 0);
    bytes.extend_from_slice(&[0, 0, 2]);
    bytes.extend_from_slice(&5000_u32.to_be_bytes());
    bytes.resize(bytes.len() + 7, 0);
    bytes.extend_from_slice(&[advice, 0, 0]);
    bytes
}

/// The entries of a small book.
fn entries() -> Vec<Vec<u8>> {
    vec![
        entry(
            "",
            &[("e2e4", 1), ("d2d4", 0), ("g2g4", 2)],
            [30, 12, 8, 10],
            0,
        ),
        entry("e2e4", &[("e7e5", 0), ("c7c5", 5)], [20, 6, 9, 5], 128),
        entry("d2d4", &[], [9, 2, 3, 4], 0),
        entry("g2g4", &[], [1, 1, 0, 0], 64),
        entry("e2e4 e7e5", &[("g1f3", 0)], [12, 5, 4, 3], 0),
        entry("e2e4 c7c5", &[], [8, 4, 2, 2], 0),
        entry("e2e4 e7e5 g1f3", &[], [12, 4, 5, 3], 0),
    ]
}

/// A book with some entries, in as many pages as they need.
pub(super) fn book_of(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut book = vec![0; 4096];
    book[..8].copy_from_slice(&[0, 32, 0x10, 0, 0, 1, 0, 1]);
    book[24..28].copy_from_slice(&(entries.len() as u32).to_be_bytes());
    let (mut page, mut count) = (Vec::new(), 0_u16);
    let end = |page: &mut Vec<u8>, count: &mut u16, book: &mut Vec<u8>| {
        book.extend_from_slice(&count.to_be_bytes());
        book.extend_from_slice(&(page.len() as u16 + 4).to_be_bytes());
        book.extend_from_slice(page);
        book.resize(book.len().next_multiple_of(4096), 0);
        page.clear();
        *count = 0;
    };
    for entry in entries {
        if page.len() + entry.len() + 4 > 4096 {
            end(&mut page, &mut count, &mut book);
        }
        page.extend_from_slice(entry);
        count += 1;
    }
    if count > 0 {
        end(&mut page, &mut count, &mut book);
    }
    book
}

/// A book of a few positions.
fn sample() -> Vec<u8> {
    book_of(&entries())
}

#[test]
fn the_sample_is_what_is_made_here() {
    let path = settle("ctg/ok/small.ctg", &sample());
    let reader = CtgReader::open(&path, &OpenOptions::default()).expect("opened");
    assert!(
        reader.diagnostics().is_empty(),
        "{:?}",
        reader.diagnostics()
    );
    let found = positions(reader.tree());
    let said: Vec<_> = found[&position(&Board::standard().to_fen())]
        .iter()
        .map(|(uci, mark)| (uci.as_str(), mark.weight, mark.sign, mark.notes.games))
        .collect();
    assert_eq!(
        said,
        [
            // Black is to move after them, so losses are White's wins.
            ("e2e4", Some(20), 1, Some([20, 9, 5, 6])),
            ("d2d4", Some(9), 0, Some([9, 3, 4, 2])),
            ("g2g4", Some(0), 2, Some([1, 0, 0, 1])),
        ]
    );
    assert_eq!(reader.tree().leaves().len(), 4);
}

/// The moves of a position by its FEN, in text form.
fn asked(book: &dyn PositionBook, fen: &str) -> Moves {
    let (board, _) = Board::from_fen(fen).expect("a position");
    let named = book.moves(&board).into_iter().map(|(m, mark)| {
        let mut uci = Vec::new();
        board.write_uci(m, CastlingStyle::KingMoves, &mut uci);
        (String::from_utf8(uci).expect("letters"), mark)
    });
    named.collect()
}

#[test]
fn a_position_is_found_without_a_line_to_it() {
    let path = settle("ctg/ok/small.ctg", &sample());
    let reader = CtgReader::open(&path, &OpenOptions::default()).expect("opened");
    let book = reader.book().expect("a book");
    let mut compared = 0;
    for (fen, moves) in positions(reader.tree()) {
        assert_eq!(asked(book, &format!("{fen} 0 1")), moves, "{fen}");
        compared += moves.len();
    }
    assert_eq!(compared, reader.tree().len());
    // An entry serves the same position with other colours: the results are by colours.
    let swapped = "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let [e4, c4] = &asked(book, swapped)[..] else {
        panic!("two moves");
    };
    assert_eq!((&*e4.0, &*c4.0, c4.1.sign), ("e2e4", "c2c4", 5));
    assert_eq!(e4.1.notes.games, Some([12, 4, 3, 5]));
    assert!(asked(book, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").is_empty());
}

#[test]
fn a_repeated_position_is_told_and_read_once() {
    let mut entries = entries();
    entries.extend([entry("", &[("a2a3", 0)], [7, 0, 0, 7], 0)]);
    let (book, told) = CtgBook::new(FileBytes::from(book_of(&entries)));
    assert_eq!(
        (book.count(), book.len(), told.count_of("ctg-twice")),
        (8, 7, 1)
    );
    let start = asked(&book, &Board::standard().to_fen());
    assert_eq!(start.len(), 3, "those of the first entry");
}

#[test]
fn large_counts_keep_their_proportions() {
    let entries = [
        entry(
            "",
            &[("e2e4", 0), ("d2d4", 0), ("a2a3", 0)],
            [1_500_002, 0, 0, 0],
            0,
        ),
        entry("e2e4", &[], [1_000_000, 0, 0, 0], 0),
        entry("d2d4", &[], [500_000, 0, 0, 0], 0),
        entry("a2a3", &[], [2, 0, 0, 0], 0),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let [source, target] = ["book.ctg", "book.bin"].map(|name| folder.path().join(name));
    std::fs::write(&source, book_of(&entries)).expect("written");
    let reader = CtgReader::open(&source, &OpenOptions::default()).expect("opened");
    let losses = write(&polyglot::FORMAT, &target, &lines(&reader));
    assert_eq!(kinds(&losses), ["book-game", "book-numbers"].into());
    let bytes = std::fs::read(&target).expect("readable");
    let weights = bytes
        .chunks(16)
        .map(|entry| u16::from_be_bytes([entry[10], entry[11]]));
    assert_eq!(weights.collect::<Vec<_>>(), [65_535, 32_767, 1]);
}
