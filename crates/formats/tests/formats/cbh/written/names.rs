//! The trees of names by their own invariants, and the counts of uses, counted from the headers.

use std::path::Path;

use tabiya_model::Game;

use super::decoder::{be, le};
use super::{file, write};
use crate::cbh::games::{self, Wild};

/// The files of names with the bytes of their data.
const FILES: [(&str, usize); 6] = [
    ("cbp", 58),
    ("cbt", 90),
    ("cbc", 53),
    ("cbs", 59),
    ("cbe", 63),
    ("cbl", 1608),
];

/// By what the program sorts: texts as bytes with or without a sign, numbers.
fn key(extension: &str, data: &[u8]) -> Vec<i64> {
    let mut key = Vec::new();
    let mut text = |at: usize, length: usize, signed: bool| {
        let field = &data[at..at + length];
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(length);
        key.extend(field[..end].iter().map(|byte| match signed {
            true => i64::from(*byte as i8),
            false => i64::from(*byte),
        }));
        // A text stands before those that it begins.
        key.push(-1000);
    };
    match extension {
        "cbp" => {
            text(0, 30, false);
            text(30, 20, false);
        }
        "cbt" => {
            let date = le(data, 70);
            key.push(-(date >> 9 & 4095));
            let mut text = |at: usize, length: usize| {
                let field = &data[at..at + length];
                let end = field.iter().position(|byte| *byte == 0).unwrap_or(length);
                key.extend(field[..end].iter().map(|byte| i64::from(*byte as i8)));
                key.push(-1000);
            };
            text(0, 40);
            text(40, 30);
            key.extend([-(date >> 5 & 15), -(date & 31)]);
        }
        "cbc" => text(0, 45, true),
        "cbs" => text(0, 25, true),
        "cbe" => {
            text(0, 45, false);
            key.extend([
                le(data, 45),
                -i64::from(data[49] & 1),
                le(data, 50),
                i64::from(data[54]),
            ]);
        }
        _ => {
            for language in 0..8 {
                text(language * 200, 200, false);
            }
        }
    }
    key
}

/// Walks a tree: ids in order, and the height, with every balance looked at.
fn walk(bytes: &[u8], size: usize, id: i64, order: &mut Vec<usize>) -> i64 {
    if id == -1 {
        return 0;
    }
    let at = 32 + usize::try_from(id).expect("a record") * size;
    let left = walk(bytes, size, le(bytes, at), order);
    order.push(id as usize);
    let right = walk(bytes, size, le(bytes, at + 4), order);
    assert_eq!(
        right - left,
        i64::from(bytes[at + 8] as i8),
        "balance of {id}"
    );
    assert!((right - left).abs() <= 1, "{id} is out of balance");
    left.max(right) + 1
}

/// How often each id is used by headers, and by which game first.
fn uses(path: &Path, extension: &str) -> Vec<(usize, usize)> {
    let headers = file(path, "cbh");
    let seconds = file(path, "cbj");
    let mut uses = Vec::new();
    for number in 1..headers.len() / 46 {
        let record = &headers[46 * number..][..46];
        let second = &seconds[32 + (number - 1) * 120..][..120];
        let is_text = record[0] & 2 != 0;
        let ids: &[usize] = match (extension, is_text) {
            ("cbp", false) => &[9, 12],
            ("cbt", false) => &[15],
            ("cbc", false) => &[18],
            ("cbs", false) => &[21],
            ("cbt", true) => &[7],
            ("cbs", true) => &[10],
            ("cbc", true) => &[13],
            _ => &[],
        };
        let mut found: Vec<usize> = ids.iter().map(|at| be(record, *at, 3)).collect();
        let wide: &[usize] = match extension {
            "cbe" => &[0, 4],
            "cbl" => &[116],
            _ => &[],
        };
        found.extend(
            wide.iter()
                .map(|at| be(second, *at, 4))
                .filter(|id| *id != 0xffff_ffff),
        );
        for id in found {
            if uses.len() <= id {
                uses.resize(id + 1, (0, 0));
            }
            if uses[id].0 == 0 {
                uses[id].1 = number;
            }
            uses[id].0 += 1;
        }
    }
    uses
}

fn check(path: &Path) -> usize {
    let mut names = 0;
    for (extension, data) in FILES {
        let bytes = file(path, extension);
        let size = data + 9;
        let count = le(&bytes, 0) as usize;
        assert_eq!(
            (le(&bytes, 8), le(&bytes, 12)),
            (1_234_567_890, data as i64)
        );
        assert_eq!(le(&bytes, 24), 4);
        assert_eq!(bytes.len(), 32 + count * size, ".{extension}");
        let mut order = Vec::new();
        walk(&bytes, size, le(&bytes, 4), &mut order);
        let live = le(&bytes, 20) as usize;
        assert_eq!(order.len(), live, ".{extension}");
        let record = |id: usize| &bytes[32 + id * size + 9..][..data];
        for pair in order.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|id| key(extension, record(id)));
            assert!(a <= b, ".{extension}: {} before {}", pair[0], pair[1]);
        }
        let mut free = le(&bytes, 16);
        let mut deleted = Vec::new();
        while free != -1 {
            let at = 32 + free as usize * size;
            assert_eq!(le(&bytes, at), -999);
            deleted.push(free as usize);
            free = le(&bytes, at + 4);
        }
        let mut all = [order, deleted].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..count), ".{extension}: each id once");
        let mut used = uses(path, extension);
        used.resize(count, (0, 0));
        for (id, (times, first)) in used.into_iter().enumerate() {
            let noted = (le(record(id), data - 8), le(record(id), data - 4));
            assert_eq!(noted, (times as i64, first as i64), ".{extension} {id}");
        }
        names += live;
    }
    names
}

/// A game of two players of teams.
fn team_game(number: u64, teams: [&str; 2]) -> Game {
    let mut game = Game::default();
    game.origin.number = number;
    for (tag, value) in [
        ("White", "Tal, Mihail"),
        ("Black", "Keres, Paul"),
        ("WhiteTeam", teams[0]),
        ("BlackTeam", teams[1]),
        ("CbhTitleEn", "A title"),
    ] {
        game.tags.push(tag, value);
    }
    game
}

#[test]
fn trees_of_names_are_sound() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("names.cbh");
    let mut names = 0;
    write(&path, &[], None);
    assert_eq!(check(&path), 0);
    for seed in 0..if tabiya_testing::is_full() { 200 } else { 20 } {
        let games = games::games(seed, 60, Wild::ALL);
        write(&path, &games, None);
        names += check(&path);
    }
    // A team that plays itself, first of all and later.
    let teams = [["A", "A"], ["B", "A"], ["B", "B"], ["Ä", "B"]];
    let games: Vec<Game> = (1..)
        .zip(teams)
        .map(|(number, it)| team_game(number, it))
        .collect();
    let losses = write(&path, &games, None);
    assert!(losses.is_empty(), "{losses:?}");
    names += check(&path);
    eprintln!("{names} names in balanced trees");
}
