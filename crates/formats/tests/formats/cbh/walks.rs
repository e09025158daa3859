//! Fast positions are those of the games: every step is compared with that of the tape.

use std::path::{Path, PathBuf};

use tabiya_formats::cbh::CbhReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::Database;
use tabiya_model::positions::{PositionSource, TapePositions, WalkStart};

use crate::cbh::shared;

/// The headers of all databases in a folder and in those below it.
fn bases(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == "cbh") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Compares a database; returns the numbers of steps and of damaged games.
fn compare(path: &Path) -> [usize; 2] {
    let options = OpenOptions {
        mmap: false,
        ..OpenOptions::default()
    };
    let reader = CbhReader::open(path, &options).expect("opened");
    let slow = TapePositions(&reader);
    let fast = reader.positions().expect("walked at speed");
    let (mut slow, mut fast) = (slow.walker(), fast.walker());
    let (mut wanted, mut got) = (Vec::new(), Vec::new());
    let (mut moves, mut damaged) = (0, 0);
    // The largest one would take long, and its games are all alike.
    for number in 1..=reader.count().min(1_000) {
        for variations in [false, true] {
            let from = slow.open(number).expect("opened");
            assert_ne!(from, WalkStart::Unreadable);
            assert_eq!(
                fast.open(number).expect("opened"),
                from,
                "{path:?} {number}"
            );
            wanted.clear();
            got.clear();
            while slow.steps(variations, 64, &mut wanted).expect("walked") {}
            // Runs may end at any ply.
            while fast.steps(variations, 7, &mut got).expect("walked") {}
            assert_eq!(got, wanted, "{path:?} {number}");
            // Unknown names and truncated texts do not matter here.
            assert!(slow.is_damaged() || !fast.is_damaged(), "{path:?} {number}");
            damaged += usize::from(fast.is_damaged());
            moves += got.len();
        }
    }
    assert!(fast.open(0).is_err() && fast.open(reader.count() + 1).is_err());
    [moves, damaged]
}

#[test]
fn steps_are_those_of_the_tapes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/cbh");
    let mut sums = [0, 0];
    for folder in [Some(corpus), shared("oracles/cbh")].into_iter().flatten() {
        for path in bases(&folder) {
            let found = compare(&path);
            sums = [sums[0] + found[0], sums[1] + found[1]];
        }
    }
    let [moves, damaged] = sums;
    assert!(moves > 100 && damaged > 0, "{moves} steps, {damaged} games");
    eprintln!("{moves} steps equal, {damaged} damaged games");
}
