//! Scid's databases as read by us, compared with the output of Scid itself.

use crate::scid::support::{OracleBase, as_exported, oracle_bases, parse_pgn};
use tabiya_formats::format::OpenOptions;
use tabiya_formats::scid::layout::{ScidNameKind, decode_count, flag};
use tabiya_formats::scid::{ScidReader, ScidVersion};
use tabiya_model::facts::{FactFields, FactSource};
use tabiya_model::{Database, Game, GameNeeds, Severity};

fn open(base: &OracleBase, options: &OpenOptions) -> ScidReader {
    ScidReader::open(&base.files.index, options).unwrap_or_else(|error| panic!("{base}: {error}"))
}

#[test]
fn every_game_equals_scids_export() {
    let mut games = 0;
    let mut wrong: Vec<String> = Vec::new();
    for base in oracle_bases() {
        let Some(export) = base.export() else {
            continue;
        };
        let mut expected = parse_pgn(&export);
        let ours = open(&base, &OpenOptions::default());
        assert_eq!(ours.count(), expected.len() as u64, "{base}");
        let mut game = Game::default();
        for (number, theirs) in (1..).zip(&mut expected) {
            ours.read(number, GameNeeds::ALL, &mut game).expect("read");
            assert_eq!(
                game.diagnostics.at_least(Severity::Damage),
                0,
                "{base} game {number}: {:?}",
                game.diagnostics
            );
            let mut read = as_exported(&game);
            read.tags.sort();
            theirs.tags.sort();
            if base.version == ScidVersion::Si3 {
                // Scid prints the backslashes that the programs of that time stored; they are not part of the text.
                for (_, value) in &mut theirs.tags {
                    *value = unescaped(value);
                }
            }
            let show = |tags: &[(Vec<u8>, Vec<u8>)], other: &[(Vec<u8>, Vec<u8>)]| -> String {
                let only = tags.iter().filter(|tag| !other.contains(tag));
                only.map(|(n, v)| format!("[{} {}]", n.escape_ascii(), v.escape_ascii()))
                    .collect()
            };
            if read.tags != theirs.tags {
                let (a, b) = (
                    show(&read.tags, &theirs.tags),
                    show(&theirs.tags, &read.tags),
                );
                wrong.push(format!("{base} game {number}: {a} | {b}"));
            }
            if read.tokens != theirs.tokens {
                let at = read
                    .tokens
                    .iter()
                    .zip(&theirs.tokens)
                    .take_while(|(a, b)| a == b)
                    .count();
                let (a, b) = (read.tokens.get(at), theirs.tokens.get(at));
                wrong.push(format!("{base} game {number} token {at}: {a:?} | {b:?}"));
            }
            games += 1;
        }
    }
    let first = &wrong[..wrong.len().min(30)];
    assert!(wrong.is_empty(), "{} of {games}: {first:#?}", wrong.len());
    eprintln!("{games} games are equal");
}

fn unescaped(value: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut bytes = value.iter().copied().peekable();
    while let Some(b) = bytes.next() {
        match bytes.peek() {
            Some(&next @ (b'"' | b'\\')) if b == b'\\' => {
                plain.push(next);
                bytes.next();
            }
            _ => plain.push(b),
        }
    }
    plain
}

/// The pieces at the end of a game in Scid's list.
fn material(signature: u32) -> String {
    let side = |bits: u32| {
        let mut text = String::new();
        for (shift, letter) in [(10, "Q"), (8, "R"), (6, "B"), (4, "N")] {
            let count = bits >> shift & 3;
            text.push_str(&letter.repeat(count as usize));
        }
        if bits & 15 != 0 {
            text.push_str(&(bits & 15).to_string());
        }
        text
    };
    format!("{}:{}", side(signature >> 12), side(signature & 0xfff))
}

/// Scid's list was passed through Tcl, which shows every byte that is not UTF-8 as a letter of Latin-1.
fn as_listed(mut bytes: &[u8]) -> Vec<u8> {
    let mut shown = Vec::new();
    while let Some((&first, rest)) = bytes.split_first() {
        let length = match first {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        let follow = bytes
            .get(1..length)
            .filter(|follow| follow.iter().all(|b| b & 0xc0 == 0x80));
        match follow {
            Some(_) if first < 0x80 || length > 1 => {
                shown.extend_from_slice(&bytes[..length]);
                bytes = &bytes[length..];
            }
            _ => {
                shown.extend_from_slice(char::from(first).to_string().as_bytes());
                bytes = rest;
            }
        }
    }
    shown
}

#[test]
fn the_fields_equal_scids_list_of_games() {
    let mut games = 0;
    let mut wrong: Vec<String> = Vec::new();
    for base in oracle_bases() {
        let Some(list) = base.list() else { continue };
        let ours = open(&base, &OpenOptions::default());
        let rows: Vec<&[u8]> = list
            .split(|b| *b == b'\n')
            .filter(|row| !row.is_empty())
            .collect();
        assert_eq!(FactSource::len(&ours), rows.len() as u64, "{base}");
        for (number, row) in (1..).zip(rows) {
            let theirs: Vec<String> = row
                .split(|b| *b == b'\t')
                .map(|c| c.escape_ascii().to_string())
                .collect();
            let entry = ours.entry(number).expect("an entry");
            let read = ours.fact(number, FactFields::ALL).expect("a fact");
            let name = |kind, id| {
                let bytes = ours.names().get(kind, id).unwrap_or(b"?");
                as_listed(bytes).escape_ascii().to_string()
            };
            let rating = |value: u16, shown: &String| match shown.starts_with('(') {
                // A rating that is not in this game.
                true if value == 0 => shown.clone(),
                _ => value.to_string(),
            };
            let flags = read.flag_letters().replace('D', "");
            let date = |date: tabiya_model::date::Date| date.to_string();
            let flagged = |bit, letter: &str| {
                if entry.has(bit) {
                    letter.to_owned()
                } else {
                    " ".to_owned()
                }
            };
            let column = |i: usize| theirs.get(i).cloned().unwrap_or_default();
            let result = ["*", "1-0", "0-1", "=-="][usize::from(entry.outcome)];
            let expected = [
                (1, flagged(flag::DELETED, "D")),
                (2, number.to_string()),
                (3, result.to_owned()),
                (4, entry.plies.div_ceil(2).to_string()),
                (5, name(ScidNameKind::Player, entry.white)),
                (6, rating(entry.white_rating, &column(6))),
                (7, name(ScidNameKind::Player, entry.black)),
                (8, rating(entry.black_rating, &column(8))),
                (9, date(read.date)),
                (10, name(ScidNameKind::Event, entry.event)),
                (11, name(ScidNameKind::Round, entry.round)),
                (12, name(ScidNameKind::Site, entry.site)),
                (13, decode_count(entry.nags).to_string()),
                (14, decode_count(entry.comments).to_string()),
                (15, decode_count(entry.variations).to_string()),
                (16, flagged(flag::DELETED, "D")),
                (17, flags),
                (
                    18,
                    read.eco_code()
                        .map_or_else(String::new, |eco| eco.to_string()),
                ),
                (19, material(entry.material)),
                (20, flagged(flag::SETUP, "S")),
                (21, date(read.event_date.unwrap_or_default())),
            ];
            for (i, expected) in expected {
                if column(i).trim() != expected.trim() {
                    wrong.push(format!(
                        "{base} game {number} column {i}: {expected} | {}",
                        column(i)
                    ));
                }
            }
            games += 1;
        }
    }
    let first = &wrong[..wrong.len().min(30)];
    assert!(wrong.is_empty(), "{} of {games}: {first:#?}", wrong.len());
    eprintln!("{games} rows are equal");
}

#[test]
fn nothing_is_wrong_with_what_new_versions_wrote() {
    let options = OpenOptions {
        audit: true,
        ..OpenOptions::default()
    };
    for base in oracle_bases() {
        let is_newest = base.name.starts_with("w474") || base.name.starts_with("w5");
        if !is_newest {
            continue;
        }
        let ours = open(&base, &options);
        let mut all = ours.diagnostics();
        let mut game = Game::default();
        for number in 1..=ours.count() {
            ours.read(number, GameNeeds::ALL, &mut game).expect("read");
            all.append(&game.diagnostics);
        }
        for found in all.iter() {
            // Edits leave holes and unused names, and the sets contain illegal moves and dates on purpose.
            let known = [
                "scid-unused-bytes",
                "scid-illegal-move",
                "scid-bad-date",
                "scid-odd-position",
            ];
            // The charset sets contain texts in several charsets on purpose: each guess is reported.
            let is_guess = base.folder.to_string_lossy().contains("s06_charset")
                && [
                    "scid-mixed-text",
                    "scid-other-charset",
                    "scid-guessed-charset",
                ]
                .contains(&found.code.name);
            assert!(
                is_guess || known.contains(&found.code.name),
                "{base}: {found}"
            );
        }
    }
}

#[test]
fn the_games_of_every_base_are_found_without_its_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = OpenOptions::default();
    for base in oracle_bases() {
        let ours = open(&base, &options);
        // Edited databases contain old versions of games, too.
        if ours.count() > 700
            || base.folder.ends_with("s09_flags")
            || base.folder.ends_with("scidvspc_bases")
        {
            continue;
        }
        let alone = folder
            .path()
            .join("alone")
            .with_extension(base.version.extensions()[1]);
        std::fs::copy(&base.files.games, &alone).expect("copied");
        // The names that show the charset are missing.
        let options = OpenOptions {
            encoding: Some(ours.text().fallback()),
            ..OpenOptions::default()
        };
        let rescued = tabiya_formats::scid::salvage::salvage(&alone, &options).expect("opened");
        let (mut game, mut again) = (Game::default(), Game::default());
        let mut places = std::collections::BTreeMap::new();
        for number in 1..=rescued.len().expect("counted") {
            rescued
                .read(number, GameNeeds::ALL, &mut again)
                .expect("read");
            places.insert(again.origin.byte, again.tape.clone());
        }
        let mut missing = Vec::new();
        for number in 1..=ours.count() {
            ours.read(number, GameNeeds::ALL, &mut game).expect("read");
            let found = places.remove(&game.origin.byte);
            if found.as_ref() != Some(&game.tape) && game.diagnostics.is_empty() {
                missing.push((number, game.origin.byte));
            }
        }
        assert!(
            places.is_empty(),
            "{base}: {} places hold no game",
            places.len()
        );
        assert!(
            missing.is_empty(),
            "{base}: {missing:?} of {}",
            ours.count()
        );
    }
}
