//! Makes the table of opening names out of the data of the package `esca` (the public-domain collection of Lichess).
//!
//! Every line of it is played, and the position that it reaches becomes a key, so that the program itself has
//! nothing to do but look keys up.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

#[allow(dead_code)]
#[path = "src/zobrist.rs"]
mod zobrist;

const FIRST_BITS: u32 = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/zobrist.rs");
    let folder = data_of("esca", "0.4.0").join("data/openings");
    let mut table = BTreeMap::new();
    for volume in ["a", "b", "c", "d", "e"] {
        read(&folder.join(format!("{volume}.tsv")), &mut table);
    }
    assert!(
        table.len() > 3000,
        "the table of openings is not what it was: {} positions",
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
    let fewest = table.values().map(|named| named.men).min().unwrap_or(0);
    let text = format!(
        "Table {{ entries: &[\n{entries}], texts: {texts:?}, begins: {begins:?}, fewest_men: {fewest} }}\n"
    );
    let target =
        PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo")).join("openings.rs");
    std::fs::write(target, text).expect("the output folder can be written");
}

/// The folder of the package of openings, wherever cargo keeps it: among the unpacked packages of the registry, or
/// where `cargo metadata` says when sources are vendored. The second way asks for every package of the workspace,
/// those of other platforms included, so it fails on a machine that has fetched no more than this build needs.
fn data_of(package: &str, version: &str) -> PathBuf {
    let folder = format!("{package}-{version}");
    in_registry(&folder)
        .or_else(|| in_metadata(package, &folder))
        .unwrap_or_else(|| panic!("cargo has built {folder}, but its folder was not found"))
}

fn in_registry(folder: &str) -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    std::fs::read_dir(home.join("registry/src"))
        .ok()?
        .flatten()
        .map(|registry| registry.path().join(folder))
        .find(|path| path.is_dir())
}

fn in_metadata(package: &str, folder: &str) -> Option<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let here = std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--locked"])
        .current_dir(here)
        .output()
        .expect("cargo can be run");
    let text = String::from_utf8_lossy(&output.stdout);
    text.match_indices("\"manifest_path\":\"")
        .map(|(at, found)| &text[at + found.len()..])
        .filter_map(|rest| rest.split('"').next())
        .map(|path| PathBuf::from(path.replace("\\\\", "\\")))
        .filter_map(|manifest| manifest.parent().map(Path::to_owned))
        .find(|path| {
            path.file_name()
                .is_some_and(|name| name == package || name == folder)
        })
}

/// A position that has a name.
struct Named {
    eco: String,
    name: String,
    men: usize,
    /// The file of a pawn that may be taken in passing.
    passing: Option<usize>,
}

/// Plays the lines of a volume.
fn read(path: &Path, table: &mut BTreeMap<u64, Named>) {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for line in text.lines().skip(1) {
        let mut fields = line.split('\t');
        let (Some(eco), Some(name), Some(moves)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let mut game = esca::Game::new(esca::classic());
        for token in moves.split_whitespace() {
            if !token.starts_with(|c: char| c.is_ascii_digit()) {
                game.play_san(token)
                    .unwrap_or_else(|_| panic!("{name}: {token}"));
            }
        }
        let fen = game.position().fen().to_string();
        let men = fen.split(' ').next().unwrap_or("");
        let named = Named {
            eco: eco.to_owned(),
            name: name.to_owned(),
            men: men.chars().filter(char::is_ascii_alphabetic).count(),
            passing: passing(&fen),
        };
        let key = key_of(&fen);
        // The same men may stand there twice: the plain key is that of the position in which no pawn may be taken in
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
    let men = men_of(fen);
    // Behind the square that was passed stands the pawn, and beside it the one that would take it.
    let (rank, taker) = match square.as_bytes().get(1)? {
        b'3' => (3, 1 | 8),
        _ => (4, 1),
    };
    let beside = [file.checked_sub(1), Some(file + 1).filter(|file| *file < 8)];
    let mut beside = beside.into_iter().flatten();
    beside
        .any(|file| men[rank * 8 + file] == taker)
        .then_some(file)
}

fn key_of(fen: &str) -> u64 {
    zobrist::key(&men_of(fen), fen.split(' ').nth(1) == Some("b"))
}

fn men_of(fen: &str) -> [u8; 64] {
    let mut fields = fen.split(' ');
    let mut men = [0_u8; 64];
    let (mut rank, mut file) = (7, 0);
    for c in fields.next().unwrap_or("").chars() {
        match c {
            '/' => (rank, file) = (rank - 1, 0),
            '1'..='8' => file += c as usize - '0' as usize,
            _ => {
                let role = "pnbrqk".find(c.to_ascii_lowercase()).expect("a man") as u8 + 1;
                men[rank * 8 + file] = role | if c.is_ascii_lowercase() { 8 } else { 0 };
                file += 1;
            }
        }
    }
    men
}
