//! Damage: every truncation and every flipped byte gives a diagnostic, and has no other effect.

use std::path::Path;

use tabiya_formats::cbf::CbfReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::charset::Charset;
use tabiya_model::{Database, Game, GameNeeds};

use crate::cbf::oracles::read_all;
use crate::cbf::shared;

struct Pair {
    cbf: Vec<u8>,
    cbi: Vec<u8>,
}

fn special() -> Option<Pair> {
    let folder = shared("oracles/cbf")?;
    Some(Pair {
        cbf: std::fs::read(folder.join("special.cbf")).expect("readable"),
        cbi: std::fs::read(folder.join("special.cbi")).expect("readable"),
    })
}

fn options() -> OpenOptions {
    OpenOptions {
        audit: true,
        encoding: Some(Charset::Cp850),
        mmap: false,
        ..OpenOptions::default()
    }
}

/// Reads a pair of files and returns the games and whether anything was reported.
fn read_pair(folder: &Path, cbf: &[u8], cbi: &[u8]) -> (Vec<Game>, bool) {
    let path = folder.join("x.cbf");
    std::fs::write(&path, cbf).expect("written");
    std::fs::write(folder.join("x.cbi"), cbi).expect("written");
    let reader = CbfReader::open(&path, &options()).expect("opened");
    let games = read_all(&reader);
    let reported =
        !reader.diagnostics().is_empty() || games.iter().any(|game| !game.diagnostics.is_empty());
    (games, reported)
}

#[test]
fn every_truncation_is_reported() {
    let Some(pair) = special() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, reported) = read_pair(folder.path(), &pair.cbf, &pair.cbi);
    assert!(!reported);
    for cut in 0..pair.cbf.len() {
        let (games, reported) = read_pair(folder.path(), &pair.cbf[..cut], &pair.cbi);
        assert!(reported, "cut at byte {cut}");
        assert_eq!(games.len(), whole.len());
        for (game, intact) in games.iter().zip(&whole) {
            if intact.origin.byte + intact.origin.length <= cut as u64 {
                assert_eq!(game, intact, "cut at byte {cut}");
            }
        }
    }
    for cut in 0..pair.cbi.len() {
        let (games, reported) = read_pair(folder.path(), &pair.cbf, &pair.cbi[..cut]);
        assert!(reported, "cut at byte {cut} of the index");
        assert_eq!(games, whole[..games.len()]);
    }
}

#[test]
fn every_flipped_byte_is_survived() {
    let Some(pair) = special() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, _) = read_pair(folder.path(), &pair.cbf, &pair.cbi);
    let mut silent = 0;
    for at in 0..pair.cbf.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut cbf = pair.cbf.clone();
            cbf[at] ^= flip;
            let (games, reported) = read_pair(folder.path(), &cbf, &pair.cbi);
            assert_eq!(games.len(), whole.len());
            for (game, intact) in games.iter().zip(&whole) {
                let record = intact.origin.byte..intact.origin.byte + intact.origin.length;
                if record.contains(&(at as u64)) {
                    // A flip may give another name or another legal move: only then nothing has to be reported.
                    silent += u32::from(!reported && game != intact);
                } else {
                    assert_eq!(game, intact, "byte {at}");
                }
            }
        }
    }
    assert!(silent > 0, "names have no checksum");
    for at in 0..pair.cbi.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut cbi = pair.cbi.clone();
            cbi[at] ^= flip;
            let (_, reported) = read_pair(folder.path(), &pair.cbf, &cbi);
            assert!(reported, "byte {at} of the index");
        }
    }
}

#[test]
fn a_flipped_header_is_noticed() {
    let Some(pair) = special() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, _) = read_pair(folder.path(), &pair.cbf, &pair.cbi);
    for game in &whole {
        // The checksum covers year, source length, Elo of Black, and itself.
        for byte in [0, 5, 9, 13] {
            let mut cbf = pair.cbf.clone();
            cbf[game.origin.byte as usize + byte] ^= 0x20;
            let (games, reported) = read_pair(folder.path(), &cbf, &pair.cbi);
            let number = game.origin.number as usize;
            assert!(reported, "game {number}, byte {byte}");
            let told = &games[number - 1].diagnostics;
            assert_eq!(
                told.count_of("cbf-checksum"),
                1,
                "game {number}, byte {byte}"
            );
        }
    }
}

#[test]
fn searching_survives_truncation_and_finds_what_is_whole() {
    let Some(pair) = special() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("alone.cbf");
    let (whole, _) = read_pair(folder.path(), &pair.cbf, &pair.cbi);
    for cut in (0..pair.cbf.len()).step_by(7) {
        std::fs::write(&path, &pair.cbf[..cut]).expect("written");
        let reader = CbfReader::open(&path, &options()).expect("opened");
        let found: Vec<u64> = read_all(&reader)
            .iter()
            .map(|game| game.origin.byte)
            .collect();
        for game in &whole {
            if game.origin.byte + game.origin.length <= cut as u64 {
                assert!(found.contains(&game.origin.byte), "cut at byte {cut}");
            }
        }
        // The same with the front cut off.
        std::fs::write(&path, &pair.cbf[cut..]).expect("written");
        let reader = CbfReader::open(&path, &options()).expect("opened");
        let found: Vec<u64> = read_all(&reader)
            .iter()
            .map(|game| game.origin.byte + cut as u64)
            .collect();
        for game in &whole {
            if game.origin.byte >= cut as u64 {
                assert!(found.contains(&game.origin.byte), "cut before byte {cut}");
            }
        }
    }
}

#[test]
fn a_search_in_noise_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("noise.cbf");
    let mut state = 1_u64;
    let noise: Vec<u8> = (0..60_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        })
        .collect();
    for bytes in [noise, vec![0; 60_000], vec![0xff; 60_000]] {
        std::fs::write(&path, &bytes).expect("written");
        let reader = CbfReader::open(&path, &options()).expect("opened");
        let mut game = Game::default();
        let count = reader.len().expect("counted");
        assert!(count < 10, "{count} games in noise");
        for number in 1..=count {
            reader
                .read(number, GameNeeds::ALL, &mut game)
                .expect("read");
        }
        assert!(!reader.diagnostics().is_empty());
    }
}
