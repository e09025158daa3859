//! The databases of another program, read and written again: every record byte by byte. What differs is of known classes.

use std::collections::BTreeMap;
use std::path::Path;

use tabiya_model::diff::diff;

use super::files::{Files, Note, notes, number};
use super::{read, write};
use crate::cbh2::oracles::oracles;

/// How the annotations of a game differ.
fn class_of_notes(before: &[u8], after: &[u8]) -> &'static str {
    if before == after {
        return "equal";
    }
    let ((mut a, rest), (mut b, other_rest)) = (notes(before), notes(after));
    a.sort();
    b.sort();
    if rest != other_rest {
        return "other rest";
    }
    if a == b {
        return "order within a place";
    }
    // Annotations behind the last move belong to the last one.
    let without_place = |notes: &[Note]| {
        let mut plain: Vec<_> = notes
            .iter()
            .map(|(_, kind, data)| (*kind, data.clone()))
            .collect();
        plain.sort();
        plain
    };
    if without_place(&a) == without_place(&b) {
        return "another place";
    }
    // Symbols of two annotations, or in another slot.
    let nags = |notes: &[Note]| {
        let mut all: Vec<(i64, u8)> = Vec::new();
        for (place, kind, data) in notes {
            if *kind == 3 {
                all.extend(
                    data.iter()
                        .filter(|nag| **nag != 0)
                        .map(|nag| (*place, *nag)),
                );
            }
        }
        all.sort_unstable();
        all
    };
    let others = |notes: &[Note]| -> Vec<Note> {
        notes.iter().filter(|note| note.1 != 3).cloned().collect()
    };
    if others(&a) == others(&b) && nags(&a) == nags(&b) {
        return "symbols in other slots";
    }
    // Texts before a move that nothing separates from the one before it stand after that one.
    let is_text = |note: &Note| [2, 0x82].contains(&note.1);
    let texts = |notes: &[Note]| {
        let mut texts: Vec<Vec<u8>> = notes
            .iter()
            .filter(|note| is_text(note))
            .map(|note| note.2.clone())
            .collect();
        texts.sort();
        texts
    };
    let rest_of = |notes: &[Note]| -> Vec<Note> {
        notes
            .iter()
            .filter(|note| !is_text(note) && note.1 != 3)
            .cloned()
            .collect()
    };
    if rest_of(&a) == rest_of(&b) && nags(&a) == nags(&b) && texts(&a) == texts(&b) {
        return "texts before a move after the one before it";
    }
    "other"
}

/// The fields of a header that differ.
fn classes_of_header(before: &[u8], after: &[u8]) -> Vec<&'static str> {
    let mut found = Vec::new();
    let is_game = before[2] == 1 && before[0] & 2 == 0;
    let (mut a, mut b) = (before.to_vec(), after.to_vec());
    // Offsets and numbers of names.
    let numbers = match (is_game, before[2]) {
        (true, _) => 0x08..0x58,
        (false, 1) => 0x08..0x30,
        _ => 0x08..0x30,
    };
    for record in [&mut a, &mut b] {
        record[numbers.clone()].fill(0);
    }
    let mut clear = |range: std::ops::Range<usize>, class, may: bool| {
        if a[range.clone()] != b[range.clone()] && may {
            found.push(class);
            a[range.clone()].fill(0);
            b[range].fill(0);
        }
    };
    if is_game {
        for at in [0x5a, 0x5c, 0x5e] {
            clear(
                at..at + 2,
                "a round that is not given",
                number::<2>(before, at) <= 0,
            );
        }
        for at in [0x60, 0x70] {
            let has_none = number::<2>(before, at) <= 0;
            clear(at..at + 2, "a rating that is not given", has_none);
            clear(
                at + 2..at + 16,
                "the kind of a rating that is not given",
                has_none,
            );
        }
        clear(
            0x88..0x8a,
            "how many moves variations have",
            before[0x88] & 3 != 0,
        );
        clear(0xa8..0xae, "endgames", true);
    } else if before[2] == 1 {
        clear(0x38..0x40, "no media", number::<8>(before, 0x38) == 0);
    }
    if a != b {
        let at = a.iter().zip(&b).position(|(a, b)| a != b);
        eprintln!("header differs at {at:x?}: {before:02x?}\n  became {after:02x?}");
        found.push("other");
    }
    found
}

/// How the names of a game differ, by their roles.
fn classes_of_names(before: &Files, after: &Files, game: usize) -> Vec<String> {
    let mut found = Vec::new();
    for role in 1..=8 {
        for which in 0..2 {
            let (Some(a), b) = (
                before.name(game, role, which),
                after.name(game, role, which),
            ) else {
                continue;
            };
            if Some(a) != b {
                found.push(format!("name of role {role}"));
            }
        }
    }
    found
}

fn compare(name: &str, source: &Path, path: &Path) -> BTreeMap<String, usize> {
    let games = read(source, true);
    let losses = write(path, &games);
    let copies = read(path, true);
    let (before, after) = (Files::of(source, false), Files::of(path, true));
    after.hold_together();
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |class: String| *classes.entry(class).or_default() += 1;
    for (game, copy) in games.iter().zip(&copies) {
        let at = game.origin.number as usize;
        let told: Vec<String> = losses
            .iter()
            .filter(|loss| loss.game == game.origin.number)
            .map(|loss| format!("{}: {}", loss.kind.name, loss.detail))
            .collect();
        let differences = diff(game, copy);
        assert!(
            differences.is_empty() || !told.is_empty(),
            "{name} {at}: {differences:?}"
        );
        for told in told {
            eprintln!("{name} {at}: {told}");
            count(format!("told: {}", told.split(':').next().unwrap_or("")));
        }
        let (moves, moves_again) = (before.moves_of(at), after.moves_of(at));
        count(match moves == moves_again {
            true => "moves: equal".to_owned(),
            false => {
                eprintln!("{name} {at}: {moves:02x?}\n  became {moves_again:02x?}");
                "moves: other".to_owned()
            }
        });
        if let (Some(notes), Some(again)) = (before.notes_of(at), after.notes_of(at)) {
            let class = class_of_notes(&notes.content, &again.content);
            if class.starts_with("other") {
                let (a, b) = (
                    super::files::notes(&notes.content),
                    super::files::notes(&again.content),
                );
                let differs = a.0.iter().zip(&b.0).find(|(a, b)| a != b);
                eprintln!(
                    "{name} {at}: {} and {}: {differs:02x?}",
                    a.0.len(),
                    b.0.len()
                );
            }
            count(format!("notes: {class}"));
        }
        let headers = classes_of_header(&before.headers[at], &after.headers[at]);
        count(match headers.is_empty() {
            true => "header: equal".to_owned(),
            false => format!("header: {}", headers.join(", ")),
        });
        for class in classes_of_names(&before, &after, at) {
            count(class);
        }
    }
    classes
}

#[test]
fn databases_are_written_as_they_were() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("again.2cbh");
    for oracle in oracles() {
        let classes = compare(oracle.name, &oracle.path, &path);
        eprintln!("{}: {classes:#?}", oracle.name);
        for class in classes.keys() {
            assert!(!class.contains("other"), "{}: {class}", oracle.name);
        }
    }
}
