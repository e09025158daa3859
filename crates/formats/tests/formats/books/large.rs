//! A book of ChessBase with a million positions, made here: how long it takes to open and to ask, and how much memory.

use std::collections::{HashSet, VecDeque};
use std::time::Instant;

use tabiya_formats::book::PositionBook;
use tabiya_formats::ctg::{CtgBook, CtgReader, move_bytes, position_key};
use tabiya_formats::format::OpenOptions;
use tabiya_io::mmap::{FileAccess, FileBytes};
use tabiya_model::{Board, Database, Move};

use super::ctg::book_of;

/// The moves of a position that have a byte, with it.
fn named_moves(board: &Board) -> Vec<(u8, Move)> {
    let mut moves: Vec<(u8, Move)> = Vec::new();
    for byte in 0..=255 {
        if let Some((m, false)) = move_bytes::read(board, byte)
            && !moves.iter().any(|(_, known)| *known == m)
        {
            moves.push((byte, m));
        }
    }
    moves
}

/// The number of games that the book has for a key.
fn games_of(key: &[u8]) -> u32 {
    key.iter()
        .fold(7, |sum, byte| (sum * 31 + u32::from(*byte)) % 1_000_003)
}

/// An entry of a position with its moves.
fn entry(key: &[u8], moves: &[u8]) -> Vec<u8> {
    let mut bytes = key.to_vec();
    bytes.push(1 + 2 * moves.len() as u8);
    bytes.extend(moves.iter().flat_map(|byte| [*byte, 0]));
    bytes.extend_from_slice(&games_of(key).to_be_bytes()[1..]);
    bytes.resize(bytes.len() + 30, 0);
    bytes
}

/// The most moves of a position.
const MOVES: usize = 5;

/// A position with the moves that a book has there, and their numbers.
type BookSample = (Board, Vec<(Move, u32)>);

/// A book of so many positions, the nearest to the start, and some of the positions with what the book has there.
fn large(count: usize) -> (Vec<u8>, Vec<BookSample>) {
    let start = Board::standard();
    let key = |board: &Board| position_key::key(board, false).expect("a key");
    let mut known = HashSet::from([key(&start)]);
    let mut open = VecDeque::from([start]);
    let mut entries = Vec::new();
    let mut samples = Vec::new();
    while let Some(board) = open.pop_front() {
        let (mut bytes, mut moves) = (Vec::new(), Vec::new());
        for (byte, m) in named_moves(&board) {
            let mut next = board.clone();
            next.play(m);
            // A position with a capture en passant has a key of another form.
            if moves.len() == MOVES || next.legal_ep_square().is_some() {
                continue;
            }
            let found = key(&next);
            if known.len() < count && known.insert(found.clone()) {
                open.push_back(next);
            } else if !known.contains(&found) {
                continue;
            }
            bytes.push(byte);
            moves.push((m, games_of(&found)));
        }
        entries.push(entry(&key(&board), &bytes));
        if entries.len() % 97 == 1 {
            samples.push((board, moves));
        }
    }
    (book_of(&entries), samples)
}

/// The most memory that this process has had, in megabytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|number| number.parse::<u64>().ok())
        .unwrap_or(0)
        / 1_024
}

fn compare(book: &dyn PositionBook, samples: &[(Board, Vec<(Move, u32)>)]) -> usize {
    let mut compared = 0;
    for (board, expected) in samples {
        let found = book.moves(board).into_iter();
        let found: Vec<(Move, u32)> = found
            .map(|(m, mark)| (m, mark.weight.expect("a weight")))
            .collect();
        assert_eq!(&found, expected, "{}", board.to_fen());
        compared += expected.len();
    }
    compared
}

#[test]
fn a_book_of_many_pages_is_found_whole() {
    let (bytes, samples) = large(3_000);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.ctg");
    std::fs::write(&path, bytes).expect("written");
    let reader = CtgReader::open(&path, &OpenOptions::default()).expect("opened");
    assert!(
        reader.diagnostics().is_empty(),
        "{:?}",
        reader.diagnostics()
    );
    assert!(compare(reader.book().expect("a book"), &samples) > 50);
    assert_eq!(reader.info().value("positions"), Some("3000"));
}

#[test]
#[ignore = "takes minutes, and measures"]
fn a_book_of_a_million_positions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.ctg");
    let count = usize::try_from(tabiya_testing::number_of("TABIYA_POSITIONS", 1_000_000))
        .expect("a number");
    let samples = if let Some(path) = std::env::var_os("TABIYA_BOOK") {
        // It was made before, so that its making does not count as memory.
        std::fs::copy(path, folder.path().join("large.ctg")).expect("copied");
        Vec::new()
    } else {
        let (bytes, samples) = large(count);
        eprintln!("{} bytes", bytes.len());
        std::fs::write(&path, bytes).expect("written");
        if let Some(kept) = std::env::var_os("TABIYA_KEEP_BOOK") {
            std::fs::copy(&path, kept).expect("copied");
        }
        samples
    };
    let before = memory();
    let began = Instant::now();
    let bytes = FileBytes::open(&path, FileAccess::Map).expect("opened");
    let (book, told) = CtgBook::new(bytes);
    assert!(told.is_empty(), "{told:?}");
    assert_eq!(book.len(), count);
    eprintln!(
        "positions listed after {:?}, {} MB more",
        began.elapsed(),
        memory() - before
    );
    let began = Instant::now();
    let compared = compare(&book, &samples);
    eprintln!(
        "{} positions with {compared} moves asked in {:?}",
        samples.len(),
        began.elapsed()
    );
    drop(book);
    let began = Instant::now();
    let reader = CtgReader::open(&path, &OpenOptions::default()).expect("opened");
    eprintln!(
        "opened as lines after {:?}, {} MB more",
        began.elapsed(),
        memory() - before
    );
    assert!(
        reader.diagnostics().is_empty(),
        "{:?}",
        reader.diagnostics()
    );
    eprintln!(
        "{} moves, {} lines",
        reader.tree().len(),
        reader.len().expect("counted")
    );
    compare(reader.book().expect("a book"), &samples);
}
