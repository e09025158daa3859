//! Makes the table of opening names out of `data/openings.tsv`: the positions in it become keys, so that the program itself has
//! nothing to do but look keys up.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

#[allow(dead_code)]
#[path = "src/zobrist.rs"]
mod zobrist;

const FIRST_BITS: u32 = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/zobrist.rs");
    println!("cargo::rerun-if-changed=data/openings.tsv");
    let mut table = BTreeMap::new();
    read(include_str!("data/openings.tsv"), &mut table);
    assert!(
        table.len() > 3000,
        "the table of openings has an unexpected number of positions: {}",
        table.len()
    );
    // No references: a program that is loaded anywhere would have to correct each of them at every start.
    let (mut texts, mut entries) = (String::new(), String::new());
    for (key, named) in &table {
        let _ = write!(texts, "{}{}", named.eco, named.name);
        let _ = writeln!(entries, "    ({key:#018x}, {}),", texts.len());
    }
    // The same number of bits as in src/lib.rs, whose type does not fit otherwise.
    let begin = |first: u64| table.range(..first << (64 - FIRST_BITS)).count();
    let mut begins: Vec<usize> = (0..1 << FIRST_BITS).map(begin).collect();
    begins.push(table.len());
    let fewest = table.values().map(|named| named.pieces).min().unwrap_or(0);
    let text = format!(
        "OpeningTable {{ entries: &[\n{entries}], texts: {texts:?}, begins: {begins:?}, fewest_pieces: {fewest} }}\n"
    );
    let target =
        PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo")).join("openings.rs");
    std::fs::write(target, text).expect("the output folder can be written");
}

/// A position that has a name.
struct NamedPosition {
    eco: String,
    name: String,
    pieces: usize,
    /// The file of a pawn that may be taken in passing.
    passing: Option<usize>,
}

/// Reads the table: a line has a code, a name, the moves and the position that they lead to.
fn read(text: &str, table: &mut BTreeMap<u64, NamedPosition>) {
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [eco, name, _, fen] = *fields else {
            panic!("not a code, name, moves and position: {line}");
        };
        let pieces = fen.split(' ').next().unwrap_or("");
        let named = NamedPosition {
            eco: eco.to_owned(),
            name: name.to_owned(),
            pieces: pieces.chars().filter(char::is_ascii_alphabetic).count(),
            passing: passing(fen),
        };
        let key = key_of(fen);
        // The same pieces may stand there twice: the plain key is that of the position in which no pawn may be taken in
        // passing. Of two that are the same in this as well the first name is the one that Lichess shows.
        let Some(before) = table.remove(&key) else {
            table.insert(key, named);
            continue;
        };
        let (plain, other) = match (before.passing, named.passing) {
            (Some(_), None) => (named, before),
            _ => (before, named),
        };
        if let (None, Some(file)) = (plain.passing, other.passing) {
            table.entry(key ^ zobrist::PASSING[file]).or_insert(other);
        }
        table.insert(key, plain);
    }
}

/// The file of a pawn that may be taken in passing: a position says it whether or not a pawn stands there to take it.
fn passing(fen: &str) -> Option<usize> {
    let square = fen.split(' ').nth(3)?;
    let file = "abcdefgh".find(square.chars().next()?)?;
    let pieces = pieces_of(fen);
    // Behind the square that was passed stands the pawn, and beside it the one that would take it.
    let (rank, taker) = match square.as_bytes().get(1)? {
        b'3' => (3, 1 | 8),
        _ => (4, 1),
    };
    let beside = [file.checked_sub(1), Some(file + 1).filter(|file| *file < 8)];
    let mut beside = beside.into_iter().flatten();
    beside
        .any(|file| pieces[rank * 8 + file] == taker)
        .then_some(file)
}

fn key_of(fen: &str) -> u64 {
    zobrist::key(&pieces_of(fen), fen.split(' ').nth(1) == Some("b"))
}

fn pieces_of(fen: &str) -> [u8; 64] {
    let mut fields = fen.split(' ');
    let mut pieces = [0_u8; 64];
    let (mut rank, mut file) = (7, 0);
    for c in fields.next().unwrap_or("").chars() {
        match c {
            '/' => (rank, file) = (rank - 1, 0),
            '1'..='8' => file += c as usize - '0' as usize,
            _ => {
                let role = "pnbrqk".find(c.to_ascii_lowercase()).expect("a man") as u8 + 1;
                pieces[rank * 8 + file] = role | if c.is_ascii_lowercase() { 8 } else { 0 };
                file += 1;
            }
        }
    }
    pieces
}
