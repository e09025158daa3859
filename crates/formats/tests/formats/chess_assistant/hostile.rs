//! Damage: every truncation and every flipped byte is reported, and has no other effect.

use std::path::Path;

use tabiya_formats::chess_assistant::{CaReader, EXTENSIONS};
use tabiya_formats::format::OpenOptions;
use tabiya_model::charset::Charset;
use tabiya_model::{Database, Game};

use crate::chess_assistant::generate;
use crate::chess_assistant::law::write;
use crate::chess_assistant::oracles::read_all;

type Files = [Vec<u8>; 5];

const D02: usize = 4;

fn options() -> OpenOptions {
    OpenOptions {
        mmap: false,
        encoding: Some(Charset::Cp1251),
        ..OpenOptions::default()
    }
}

fn sample(games: u64) -> Files {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.cdp");
    write(&path, &generate::games(games, 7));
    EXTENSIONS.map(|extension| std::fs::read(path.with_extension(extension)).expect("readable"))
}

fn lay_out(folder: &Path, files: &Files) {
    for (extension, bytes) in EXTENSIONS.into_iter().zip(files) {
        std::fs::write(folder.join("x").with_extension(extension), bytes).expect("written");
    }
}

/// The games in a set of files, or `None` if it is refused; and whether anything was reported.
fn read(folder: &Path) -> Option<(Vec<Game>, bool)> {
    let reader = CaReader::open(&folder.join("x.cdp"), &options()).ok()?;
    let games = read_all(&reader);
    for game in &games {
        assert_eq!(game.tape.depth(), 0);
    }
    // That ECO number 0 is no code is also reported for sound databases.
    let diagnostics = reader.diagnostics();
    let damage = |(code, _): &(&tabiya_model::DiagnosticCode, u64)| code.name != "ca-eco-zero";
    let told = diagnostics.counts().iter().any(damage)
        || games.iter().any(|game| !game.diagnostics.is_empty());
    Some((games, told))
}

#[test]
fn every_truncation_is_told() {
    let files = sample(6);
    let folder = tempfile::tempdir().expect("a folder");
    lay_out(folder.path(), &files);
    let (whole, told) = read(folder.path()).expect("opened");
    assert!(!told);
    for (member, extension) in EXTENSIONS.into_iter().enumerate() {
        let path = folder.path().join("x").with_extension(extension);
        for cut in 0..files[member].len() {
            std::fs::write(&path, &files[member][..cut]).expect("written");
            let Some((games, told)) = read(folder.path()) else {
                // Only the volume of names can be damaged beyond reading.
                assert_eq!(extension, "emb");
                continue;
            };
            assert!(told, "{extension} cut at byte {cut}");
            if member == D02 {
                for (game, intact) in games.iter().zip(&whole) {
                    if intact.origin.byte + intact.origin.length <= cut as u64 {
                        assert_eq!(game, intact, "cut at byte {cut}");
                    }
                }
            }
        }
        std::fs::write(&path, &files[member]).expect("written");
    }
}

#[test]
fn every_flipped_byte_is_survived() {
    let files = sample(3);
    let folder = tempfile::tempdir().expect("a folder");
    lay_out(folder.path(), &files);
    let (mut refused, mut told, mut silent) = (0, 0, 0);
    for (member, extension) in EXTENSIONS.into_iter().enumerate() {
        let path = folder.path().join("x").with_extension(extension);
        for at in 0..files[member].len() {
            let mut bytes = files[member].clone();
            bytes[at] ^= [0x01, 0x80, 0xff][at % 3];
            std::fs::write(&path, &bytes).expect("written");
            match read(folder.path()) {
                None => refused += 1,
                Some((_, true)) => told += 1,
                Some((_, false)) => silent += 1,
            }
            if at % 16 == 0 {
                let reader = CaReader::salvage(&folder.path().join("x.d02"), &options());
                read_all(&reader.expect("something is left"));
            }
        }
        std::fs::write(&path, &files[member]).expect("written");
    }
    assert!(refused > 0 && told > 0 && silent > 0);
}

#[test]
fn lost_files_still_give_games() {
    let games = generate::games(40, 11);
    let files = sample_of(&games);
    let folder = tempfile::tempdir().expect("a folder");
    let salvage = |without: &[&str]| {
        lay_out(folder.path(), &files);
        for extension in without {
            std::fs::remove_file(folder.path().join("x").with_extension(extension))
                .expect("removed");
        }
        let member = EXTENSIONS
            .iter()
            .find(|extension| !without.contains(extension))
            .expect("some are left");
        let path = folder.path().join("x").with_extension(member);
        if !without.is_empty() {
            assert!(CaReader::open(&path, &options()).is_err());
        }
        let reader = CaReader::salvage(&path, &options()).expect("something is left");
        let lost = reader.diagnostics().count_of("ca-file-lost");
        assert_eq!(lost, without.len() as u64);
        read_all(&reader)
    };
    let whole = salvage(&[]);
    assert_eq!(whole.len(), 40);
    let tapes = |games: &[Game]| -> Vec<_> { games.iter().map(|game| game.tape.clone()).collect() };
    // Without names, everything else is there.
    let nameless = salvage(&["emb", "cdp"]);
    assert_eq!(tapes(&nameless), tapes(&whole));
    assert!(nameless.iter().all(|game| game.tags.value("White") == "?"));
    assert!(
        nameless
            .iter()
            .zip(&whole)
            .all(|(a, b)| a.tags.get("ECO") == b.tags.get("ECO"))
    );
    // Without headers, all records are found by their addresses.
    let headless = salvage(&["d00"]);
    assert_eq!(tapes(&headless), tapes(&whole));
    // Without addresses, headers have no moves, and records of six moves and more are found by trial.
    let adrift = salvage(&["a02"]);
    assert!(adrift.len() > 40);
    let (headers, found) = adrift.split_at(40);
    assert!(
        headers
            .iter()
            .zip(&whole)
            .all(|(a, b)| a.tags.get("White") == b.tags.get("White"))
    );
    let long = |game: &&Game| game.tape.plies() >= 6;
    let expected: Vec<_> = whole.iter().filter(long).collect();
    assert!(expected.len() > 20);
    for game in expected {
        let is_found = found
            .iter()
            .any(|other| other.tape == game.tape && other.start == game.start);
        assert!(is_found, "game {}", game.origin.number);
    }
    // Without both, only the records are left.
    let bare = salvage(&["d00", "a02", "emb", "cdp"]);
    assert_eq!(tapes(&bare), tapes(found));
}

fn sample_of(games: &[Game]) -> Files {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.cdp");
    write(&path, games);
    EXTENSIONS.map(|extension| std::fs::read(path.with_extension(extension)).expect("readable"))
}

#[test]
fn the_mirrored_reading_is_found_out() {
    let games = generate::games(60, 3);
    let mut files = sample_of(&games);
    let folder = tempfile::tempdir().expect("a folder");
    lay_out(folder.path(), &files);
    let (straight, told) = read(folder.path()).expect("opened");
    assert!(!told);
    // Every displacement of the table is mirrored, as if files were counted to the left.
    mirror(&mut files[D02]);
    lay_out(folder.path(), &files);
    let reader = CaReader::open(&folder.path().join("x.cdp"), &options()).expect("opened");
    assert_eq!(reader.diagnostics().count_of("ca-mirrored"), 1);
    assert!(
        reader
            .info()
            .value("reading")
            .is_some_and(|text| text.contains("mirrored"))
    );
    let mirrored = read_all(&reader);
    for (game, other) in straight.iter().zip(&mirrored) {
        assert_eq!(game.tape, other.tape);
        assert!(other.diagnostics.is_empty());
    }
    // One damaged game does not mirror the others.
    mirror(&mut files[D02]);
    let at = straight
        .iter()
        .find(|game| {
            game.tape.plies() > 10 && game.start == tabiya_model::game::StartingPosition::Standard
        })
        .expect("one of them")
        .origin
        .byte as usize;
    files[D02][at + 3] ^= 0x55;
    lay_out(folder.path(), &files);
    let reader = CaReader::open(&folder.path().join("x.cdp"), &options()).expect("opened");
    assert_eq!(reader.diagnostics().count_of("ca-mirrored"), 0);
}

/// Replaces each plain code by that of the mirrored displacement, record by record.
fn mirror(d02: &mut [u8]) {
    use tabiya_formats::chess_assistant::layout::record_length;
    use tabiya_formats::chess_assistant::moves::{TABLE, code_length};
    let turned = |code: u8| {
        let step = TABLE[usize::from(code)];
        let right = (8 - step.right) % 8;
        let other = TABLE.iter().position(|other| {
            other.number == step.number && other.up == step.up && other.right == right
        });
        u8::try_from(other.expect("the table is symmetric")).expect("a code")
    };
    let mut at = 0;
    while at < d02.len() {
        let (head, length) = record_length(&d02[at..]).expect("whole");
        let end = at + head + length;
        at += head;
        while at < end {
            let length = code_length(&d02[at..end]).expect("whole");
            match d02[at] {
                code @ 0..=206 => d02[at] = turned(code),
                209 => d02[at + 1] = turned(d02[at + 1]),
                // The code after an en passant mark is the next one.
                _ => {}
            }
            at += length;
        }
    }
}
