//! The databases of another program, read and written again: every record byte by byte. What differs is of known classes.

use std::collections::BTreeMap;
use std::path::Path;

use tabiya_model::diff::diff;

use super::files::{Files, Frame, Note, notes, number};
use super::{read, write};
use crate::cbh2::oracles::oracles;

/// How the moves of a game differ.
fn class_of_moves(before: &Frame, after: &Frame) -> &'static str {
    let (a, b) = (&before.content, &after.content);
    // The words of turn, castling rights and en passant in a set-up, behind a word more in Chess960.
    let at = if before.tag == 2 { 6 } else { 4 };
    let is_setup = a[..2] == [0xfb, 0xff] && a.len() == b.len() && a.len() > at + 4;
    match before == after {
        true => "moves: equal",
        false if is_setup && a[..at] == b[..at] && a[at + 4..] == b[at + 4..] => {
            "moves: rights and en passant of a start as they are read"
        }
        false => {
            eprintln!("{before:02x?}\n  became {after:02x?}");
            "moves: other"
        }
    }
}

/// Whether an annotation has no content that anybody could see.
fn says_nothing((_, kind, data): &Note) -> bool {
    match kind {
        3 => data == &[0; 3],
        4 | 5 => data == &[0; 4],
        _ => false,
    }
}

/// Figurines that everybody has in the place of the program's own, which have as many bytes.
fn with_plain_figurines(text: &[u8]) -> Vec<u8> {
    let mut plain = text.to_vec();
    for at in 0..text.len().saturating_sub(2) {
        if let [0xee, 0x80, figurine @ 0xa4..=0xa9] = text[at..at + 3] {
            plain[at..at + 3].copy_from_slice(&[0xe2, 0x99, figurine - 0x10]);
        }
    }
    plain
}

/// What may not change, symbols with their places, and texts.
type PlainNotes = (Vec<Note>, Vec<(i64, u8)>, Vec<Vec<u8>>);

/// Annotations without what may change: symbols are single ones, texts are after moves in no order, and those that say nothing are not.
fn plain(notes: &[Note]) -> PlainNotes {
    let (mut others, mut nags, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for note in notes.iter().filter(|note| !says_nothing(note)) {
        match note.1 {
            3 => nags.extend(
                note.2
                    .iter()
                    .filter(|nag| **nag != 0)
                    .map(|nag| (note.0, *nag)),
            ),
            2 | 0x82 => texts.push(note.2.clone()),
            0x1c => others.push((note.0, note.1, with_plain_figurines(&note.2))),
            _ => others.push(note.clone()),
        }
    }
    nags.sort_unstable();
    texts.sort();
    (others, nags, texts)
}

/// How the annotations of a game differ.
fn classes_of_notes(before: &[u8], after: &[u8]) -> Vec<&'static str> {
    if before == after {
        return vec!["equal"];
    }
    let ((mut a, rest), (mut b, other_rest)) = (notes(before), notes(after));
    a.sort();
    b.sort();
    let mut found = Vec::new();
    if rest != other_rest {
        return vec!["other rest"];
    }
    if a == b {
        return vec!["order within a place"];
    }
    if a.iter().any(says_nothing) {
        found.push("one that says nothing");
    }
    let ((others, nags, texts), (others_again, nags_again, texts_again)) = (plain(&a), plain(&b));
    let of = |notes: &[Note], kinds: &[i64]| -> Vec<Note> {
        let own = notes
            .iter()
            .filter(|note| kinds.contains(&note.1) && !says_nothing(note));
        own.cloned().collect()
    };
    if of(&a, &[3]) != of(&b, &[3]) && nags == nags_again {
        found.push("symbols in other slots");
    }
    if of(&a, &[2, 0x82]) != of(&b, &[2, 0x82]) && texts == texts_again {
        found.push("a text before a move after the one before it");
    }
    if of(&a, &[0x1c]) != of(&b, &[0x1c]) {
        found.push("figurines of a link");
    }
    if (others, nags, texts) != (others_again, nags_again, texts_again) {
        let missing: Vec<&Note> = a.iter().filter(|note| !b.contains(note)).collect();
        let new: Vec<&Note> = b.iter().filter(|note| !a.contains(note)).collect();
        eprintln!("missing: {missing:02x?}\n  new: {new:02x?}");
        found.push("other");
    }
    found
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
        let flags = [before, after].map(|record| number::<4>(record, 0x84));
        // Symbols, squares and arrows.
        let may = flags[1] & !flags[0] == 0 && (flags[0] & !flags[1]) & !0x38 == 0;
        clear(0x84..0x88, "the bit of annotations that say nothing", may);
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
        count(class_of_moves(moves, moves_again).to_owned());
        if let (Some(notes), Some(again)) = (before.notes_of(at), after.notes_of(at)) {
            let classes = classes_of_notes(&notes.content, &again.content);
            if classes.contains(&"other") {
                eprintln!("{name} {at}");
            }
            for class in classes {
                count(format!("notes: {class}"));
            }
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
