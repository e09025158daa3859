//! Positions at speed are those of the games: every step beside the one that the tape gives.

use std::path::{Path, PathBuf};

use tabiya_formats::cbh::Reader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::Database;
use tabiya_model::positions::{From, Positions, TapePositions};

use crate::shared;

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

fn compare(path: &Path) -> usize {
    let options = OpenOptions {
        mmap: false,
        ..OpenOptions::default()
    };
    let reader = Reader::open(path, &options).expect("opened");
    let slow = TapePositions(&reader);
    let fast = reader.positions().expect("walked at speed");
    let (mut slow, mut fast) = (slow.walker(), fast.walker());
    let (mut wanted, mut got) = (Vec::new(), Vec::new());
    let mut moves = 0;
    // The largest would take long, and its games are all alike.
    for number in 1..=reader.count().min(1_000) {
        for variations in [false, true] {
            let from = slow.open(number).expect("opened");
            assert_ne!(from, From::Unreadable);
            assert_eq!(
                fast.open(number).expect("opened"),
                from,
                "{path:?} {number}"
            );
            wanted.clear();
            got.clear();
            while slow.steps(variations, 64, &mut wanted).expect("walked") {}
            // Runs end anywhere.
            while fast.steps(variations, 7, &mut got).expect("walked") {}
            assert_eq!(got, wanted, "{path:?} {number}");
            assert_eq!(fast.is_damaged(), slow.is_damaged(), "{path:?} {number}");
            moves += got.len();
        }
    }
    assert!(fast.open(0).is_err() && fast.open(reader.count() + 1).is_err());
    moves
}

#[test]
fn steps_are_those_of_the_tapes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/cbh");
    let mut moves = 0;
    for folder in [Some(corpus), shared("oracles/cbh")].into_iter().flatten() {
        for path in bases(&folder) {
            moves += compare(&path);
        }
    }
    assert!(moves > 100, "{moves} steps");
    eprintln!("{moves} steps equal");
}
