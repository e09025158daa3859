//! Truncated or changed files: the result is an error or the same games, and never anything else.

use std::path::Path;

use tabiya_formats::parquet;
use tabiya_model::canon_game::canon;
use tabiya_model::database::for_each_game;
use tabiya_model::{Error, ErrorKind, Game, GameNeeds};

use super::{GAMES, games_of, open, write};

/// Bytes of a small file and its games.
fn sample(folder: &Path) -> (Vec<u8>, Vec<Game>) {
    let source = folder.join("own.pgn");
    std::fs::write(&source, GAMES.repeat(20)).expect("written");
    let games = games_of(&source, 60);
    let path = folder.join("games.parquet");
    write(&parquet::FORMAT, &path, &games);
    (std::fs::read(&path).expect("read"), games)
}

fn try_bytes(folder: &Path, bytes: &[u8]) -> Result<Vec<Game>, Error> {
    let path = folder.join("damaged.parquet");
    std::fs::write(&path, bytes).expect("written");
    let database = open(&path)?;
    let mut games = Vec::new();
    let mut source = database.source(None)?;
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })?;
    Ok(games)
}

fn is_said(error: &Error) {
    let kinds = [
        ErrorKind::Corrupt,
        ErrorKind::NotThisFormat,
        ErrorKind::Unsupported,
    ];
    assert!(kinds.contains(&error.kind), "{error}");
    let text = error.to_string();
    assert!(text.contains("damaged.parquet"), "{text}");
}

#[test]
fn every_cut_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bytes, _) = sample(folder.path());
    for length in 0..bytes.len() {
        let error = try_bytes(folder.path(), &bytes[..length]).expect_err("it is cut");
        is_said(&error);
    }
}

#[test]
fn every_changed_byte_is_told_or_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bytes, games) = sample(folder.path());
    let expected: Vec<_> = games.iter().map(canon).collect();
    let (mut told, mut same) = (0, 0);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        match try_bytes(folder.path(), &changed) {
            Err(error) => {
                is_said(&error);
                told += 1;
            }
            Ok(again) => {
                let again: Vec<_> = again.iter().map(canon).collect();
                assert!(again == expected, "byte {at}: {} games", again.len());
                same += 1;
            }
        }
    }
    eprintln!("{told} changes told, {same} that changed no game");
    assert!(told > same);
}

/// Turns a file into one of another writer, whose checksums do not count.
fn no_longer_ours(bytes: &mut [u8]) {
    let writer = b"tabiya 0.";
    let mut windows = bytes.windows(writer.len());
    let at = windows.rposition(|window| window == writer);
    bytes[at.expect("the writer")] = b'T';
}

/// Without checksums, the pages are decoded whatever their content: this ends, with games or with an error.
#[test]
fn pages_without_sums_are_decoded_safely() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut bytes, games) = sample(folder.path());
    no_longer_ours(&mut bytes);
    assert_eq!(
        try_bytes(folder.path(), &bytes).expect("sound").len(),
        games.len()
    );
    let mut random = 1_u64;
    let rounds = if tabiya_testing::is_full() {
        200_000
    } else {
        6_000
    };
    let mut ended = 0;
    for round in 0..rounds {
        let mut changed = bytes.clone();
        for _ in 0..=round % 4 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(random >> 33).unwrap_or(0) % changed.len();
            let values = [
                0,
                0xff,
                0x7f,
                0x80,
                (random >> 24) as u8,
                changed[at] ^ 1,
                changed[at] ^ 0x80,
            ];
            changed[at] = values[usize::try_from(random >> 16 & 0xff).unwrap_or(0) % values.len()];
        }
        match try_bytes(folder.path(), &changed) {
            Ok(games) => assert!(games.len() <= 100_000, "{}", games.len()),
            Err(error) => is_said(&error),
        }
        ended += 1;
    }
    assert_eq!(ended, rounds);
}

#[test]
fn what_is_missing_in_a_table_of_others_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut bytes, _) = sample(folder.path());
    no_longer_ours(&mut bytes);
    // The column loses its name everywhere.
    while let Some(at) = bytes.windows(5).position(|window| window == b"moves") {
        bytes[at..at + 5].copy_from_slice(b"nomov");
    }
    let error = try_bytes(folder.path(), &bytes).expect_err("no moves");
    assert_eq!(error.kind, ErrorKind::NotThisFormat);
    let text = error.to_string();
    assert!(
        text.contains("\"moves\" is missing") && text.contains("white"),
        "{text}"
    );
}
