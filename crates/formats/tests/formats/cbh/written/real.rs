//! Real databases, read and written again: records of moves and annotations byte by byte. What differs is of known classes.

use std::collections::BTreeMap;
use std::path::Path;

use tabiya_formats::cbh::CbhReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::charset::Charset;
use tabiya_model::diff::diff;
use tabiya_model::{Database, Game, GameNeeds};

use super::decoder::{Note, be};
use super::{file, write};
use crate::cbh::shared;

/// The databases, and the charset of their texts.
const BASES: [(&str, &str, Charset); 11] = [
    ("linares", "linares", Charset::Cp1252),
    ("hedgehog", "Hedgehog", Charset::Cp1251),
    ("Mate2", "Mate2", Charset::Cp1252),
    ("text", "text", Charset::Cp1252),
    ("cbhlib_test", "cbhlib_test", Charset::Cp1252),
    ("cb12", "cb12", Charset::Cp1252),
    ("cbh_test", "cbh_test", Charset::Cp1252),
    ("cbh_cbj_test", "cbh_cbj_test", Charset::Cp1252),
    ("test-annotations", "test-annotations", Charset::Cp1252),
    ("srenault-test", "test", Charset::Cp1252),
    ("twic1134", "twic1134", Charset::Cp1252),
];

fn read(path: &Path, charset: Charset) -> Vec<Game> {
    let options = OpenOptions {
        encoding: Some(charset),
        ..OpenOptions::default()
    };
    let reader = CbhReader::open(path, &options).expect("opened");
    let mut games = Vec::new();
    let mut source = reader.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

/// The files of headers, moves and annotations.
pub(super) struct Files {
    headers: Vec<u8>,
    moves: Vec<u8>,
    notes: Vec<u8>,
}

impl Files {
    pub(super) fn of(path: &Path) -> Files {
        Files {
            headers: file(path, "cbh"),
            moves: file(path, "cbg"),
            notes: file(path, "cba"),
        }
    }

    /// The number of games.
    pub(super) fn count(&self) -> usize {
        self.headers.len() / 46 - 1
    }

    /// The header of a game, and its records of moves and annotations, empty for none.
    pub(super) fn records(&self, number: usize) -> (&[u8], &[u8], &[u8]) {
        let header = &self.headers[46 * number..][..46];
        let at = be(header, 1, 4);
        let moves = &self.moves[at..at + be(&self.moves, at + 1, 3)];
        let is_text = header[0] & 2 != 0;
        let notes: &[u8] = match be(header, 5, 4) {
            0 => &[],
            _ if is_text => &[],
            at => &self.notes[at..at + be(&self.notes, at + 10, 4)],
        };
        (header, moves, notes)
    }
}

/// The items of a record, whatever its head says.
fn items(record: &[u8]) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut at = 14;
    while at + 6 <= record.len() {
        let size = be(record, at + 4, 2);
        let place = be(record, at, 3) as i32;
        notes.push(Note {
            place: if place >= 1 << 23 {
                place - (1 << 24)
            } else {
                place
            },
            kind: record[at + 3],
            payload: record[at + 6..at + size].to_vec(),
        });
        at += size;
    }
    notes
}

/// Items in an order that does not depend on how they stood.
fn sorted(mut notes: Vec<Note>) -> Vec<Note> {
    notes.sort_by(|a, b| (a.place, a.kind, &a.payload).cmp(&(b.place, b.kind, &b.payload)));
    notes
}

/// How the moves of a game differ.
pub(super) fn class_of_moves(before: &[u8], after: &[u8]) -> &'static str {
    match before == after {
        true => "moves equal",
        // One code of old programs means nothing.
        false if before.len() == after.len() + 1 => "moves but for a filler",
        // Move 0 is move 1, and the file of a pawn that nobody can take means nothing.
        false
            if before[0] & 64 != 0
                && before.len() == after.len()
                && before[..5] == after[..5]
                && before[8..] == after[8..] =>
        {
            "moves but for a start in another form"
        }
        false => "moves other",
    }
}

/// How the annotations of a game differ.
pub(super) fn class_of_notes(before: &[u8], after: &[u8]) -> &'static str {
    let without_number = |record: &[u8]| record.get(3..).unwrap_or_default().to_vec();
    if before == after {
        return "equal";
    }
    if without_number(before) == without_number(after) {
        return "another number of the game";
    }
    let (a, b) = (items(before), items(after));
    if a.is_empty() && b.is_empty() {
        return "no items";
    }
    let (a, b) = (sorted(a), sorted(b));
    if a == b {
        return "order within a place";
    }
    // Texts before a move that nothing separates from the one before it stand after that one.
    let others = |notes: &[Note]| -> Vec<Note> {
        notes
            .iter()
            .filter(|note| ![2, 0x82].contains(&note.kind))
            .cloned()
            .collect()
    };
    let texts = |notes: &[Note]| {
        let mut texts: Vec<Vec<u8>> = notes
            .iter()
            .filter(|note| [2, 0x82].contains(&note.kind))
            .map(|note| note.payload.clone())
            .collect();
        texts.sort();
        texts
    };
    if others(&a) == others(&b) && texts(&a) == texts(&b) {
        return "texts before a move after the one before it";
    }
    "other"
}

#[test]
fn real_databases_are_written_as_they_were() {
    let Some(root) = shared("oracles/cbh") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("again.cbh");
    let mut total: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, stem, charset) in BASES {
        let source = root.join(name).join(stem).with_extension("cbh");
        let games = read(&source, charset);
        let losses = write(&path, &games, Some(charset));
        let told: Vec<String> = losses
            .iter()
            .map(|loss| format!("{} {}: {}", loss.kind.name, loss.game, loss.detail))
            .collect();
        let copies = read(&path, charset);
        assert_eq!(games.len(), copies.len(), "{name}");
        for (game, copy) in games.iter().zip(&copies) {
            let number = game.origin.number;
            let is_told = losses.iter().any(|loss| loss.game == number);
            let differences = diff(game, copy);
            assert!(
                differences.is_empty() || is_told,
                "{name} {number}: {differences:?}"
            );
        }
        let (before, after) = (Files::of(&source), Files::of(&path));
        let mut classes: BTreeMap<String, usize> = BTreeMap::new();
        for game in &games {
            let number = game.origin.number as usize;
            let (header, moves, notes) = before.records(number);
            let (header_again, moves_again, notes_again) = after.records(number);
            let class = class_of_moves(moves, moves_again);
            *classes.entry(class.to_owned()).or_default() += 1;
            if !notes.is_empty() || !notes_again.is_empty() {
                let class = class_of_notes(notes, notes_again);
                *classes.entry(format!("notes: {class}")).or_default() += 1;
                *total.entry(class).or_default() += 1;
                if class == "other" {
                    let (a, b) = (sorted(items(notes)), sorted(items(notes_again)));
                    let at = a.iter().zip(&b).position(|(a, b)| a != b);
                    eprintln!(
                        "{name} {number}: annotation {at:?} of {} and {}",
                        a.len(),
                        b.len()
                    );
                }
            }
            // Of headers: all but offsets, numbers of names, and how many annotations there are.
            let plain = |header: &[u8]| {
                let mut plain = header.to_vec();
                let is_text = header[0] & 2 != 0;
                let dirt: &[std::ops::Range<usize>] = match is_text {
                    true => &[1..5, 7..16, 18..46],
                    false => &[1..24, 43..45],
                };
                for range in dirt {
                    plain[range.clone()].fill(0);
                }
                plain
            };
            let class = match plain(header) == plain(header_again) {
                true => "headers equal",
                false => "headers other",
            };
            if class == "headers other" {
                eprintln!("{name} {number}: {header:02x?}\n  became {header_again:02x?}");
            }
            *classes.entry(class.to_owned()).or_default() += 1;
        }
        eprintln!(
            "{name}: {classes:?}; {} losses {:?}",
            told.len(),
            told.iter().take(8).collect::<Vec<_>>()
        );
        assert_eq!(classes.get("moves other"), None, "{name}");
        assert_eq!(classes.get("notes: other"), None, "{name}");
    }
    eprintln!("annotations: {total:?}");
}
