//! Databases written as archives, unpacked by an unpacker of these tests: its source is the description alone.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use tabiya_formats::cbh;
use tabiya_formats::format::WriteOptions;
use tabiya_formats::registry;
use tabiya_io::cbv_writer::{self, CbvPart};
use tabiya_io::disk::guarded;
use tabiya_io::disk_faults::{DiskFullFault, KillFault, count};
use tabiya_model::database::SinkWriter;
use tabiya_model::{Game, Losses, Result};

use super::file;
use crate::cbh::games::{self, Wild};
use crate::cbh::shared;

const EXTENSIONS: [&str; 13] = [
    "cbh", "ini", "cbg", "cba", "cbp", "cbt", "cbs", "cbc", "cbj", "cbe", "cbm", "cbtt", "cbl",
];

fn word(bytes: &[u8], at: usize, length: usize) -> usize {
    bytes[at..at + length]
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

/// The members of an archive, in their order.
fn members(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    assert_eq!(archive[..2], [8, 0]);
    assert_eq!(archive[4..8], [173, 0, 3, 0]);
    let count = word(archive, 2, 2);
    let mut next = 8 + count * 173;
    let mut found = Vec::new();
    for member in 0..count {
        let entry = &archive[8 + member * 173..][..173];
        let end = entry.iter().position(|byte| *byte == 0).expect("an end");
        let name = String::from_utf8(entry[..end].to_vec()).expect("ASCII");
        let [at, packed, size] = [128, 132, 136].map(|place| word(entry, place, 4));
        assert_eq!(
            [at, packed, size],
            [149, 157, 165].map(|place| word(entry, place, 8))
        );
        assert_eq!(at, next, "{name}");
        next += packed;
        let (date, time) = (word(entry, 141, 4), word(entry, 145, 4));
        assert!(
            (20_200_101..21_000_101).contains(&date) && time < 24_000_000,
            "{date} {time}"
        );
        let content = unpacked(&archive[at..at + packed]);
        assert_eq!(content.len(), size, "{name}");
        found.push((name, content));
    }
    assert_eq!(next, archive.len());
    found
}

/// What the blocks of a member hold.
fn unpacked(mut blocks: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    while !blocks.is_empty() {
        let length = word(blocks, 0, 2);
        let payload = &blocks[4..4 + length];
        let sum = payload
            .chunks_exact(2)
            .map(|pair| word(pair, 0, 2))
            .sum::<usize>();
        assert_eq!(word(blocks, 2, 2), sum % 65_536);
        match payload[0] {
            0 => output.extend_from_slice(&payload[1..]),
            1 => expand(&payload[1..], &mut output),
            2 => output.extend(decoded(&payload[1..])),
            3 => expand(&decoded(&payload[1..]), &mut output),
            mode => panic!("mode {mode}"),
        }
        blocks = &blocks[4 + length..];
    }
    output
}

/// The bits of bytes, the highest first.
fn decoded(content: &[u8]) -> Vec<u8> {
    let length = usize::from(content[0]) << 8 | usize::from(content[1]);
    let mut bits = content[2..]
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |place| byte >> place & 1));
    let mut codes: BTreeMap<Vec<u8>, u8> = BTreeMap::new();
    let mut room = 0.0;
    for byte in 0..=255_u8 {
        let size = (0..4).fold(0, |sum, _| sum * 2 + bits.next().expect("a length"));
        if size > 0 {
            let code: Vec<u8> = bits.by_ref().take(usize::from(size)).collect();
            assert_eq!(codes.insert(code, byte), None, "a code of its own");
            room += 0.5_f64.powi(i32::from(size));
        }
    }
    assert!((room - 1.0).abs() < 1e-9, "the code is complete: {room}");
    let mut output = Vec::new();
    while output.len() < length {
        let mut code = Vec::new();
        while !codes.contains_key(&code) {
            assert!(code.len() < 15, "no code");
            code.push(bits.next().expect("more bits"));
        }
        output.push(codes[&code]);
    }
    output
}

/// Expands an LZ stream behind what was unpacked before.
fn expand(mut stream: &[u8], output: &mut Vec<u8>) {
    while stream.len() > 1 {
        let control = word(stream, 0, 2);
        stream = &stream[2..];
        for token in (0..16).rev() {
            let Some(&tag) = stream.first() else {
                return;
            };
            if control >> token & 1 == 0 {
                output.push(tag);
                stream = &stream[1..];
                continue;
            }
            let (high, low) = (usize::from(tag / 16), usize::from(tag % 16));
            let a = usize::from(stream[1]);
            match high {
                0 => output.extend(std::iter::repeat_n(stream[1], low + 3)),
                1 => output.extend(std::iter::repeat_n(stream[2], low + 16 * a + 19)),
                _ => {
                    let count = if high == 2 {
                        usize::from(stream[2]) + 16
                    } else {
                        high
                    };
                    let distance = 16 * a + low + 3;
                    assert!(distance >= count, "no copy reaches into itself");
                    let from = output
                        .len()
                        .checked_sub(distance)
                        .expect("within the member");
                    output.extend_from_within(from..from + count);
                }
            }
            stream = &stream[if (1..3).contains(&high) { 3 } else { 2 }..];
        }
    }
    output.extend_from_slice(stream);
}

fn write_to(path: &Path, games: &[Game], options: &WriteOptions) -> Result<Vec<PathBuf>> {
    let format = registry::by_extension("cbv").expect("it is written");
    assert_eq!(format.name, cbh::FORMAT.name);
    let create = format.create.expect("it is written");
    let mut writer = SinkWriter::new(create(path, options)?);
    for game in games {
        writer.write(game, &mut Losses::default())?;
    }
    let summary = writer.finish()?;
    assert_eq!(summary.bytes, std::fs::metadata(path)?.len());
    Ok(summary.files)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry.expect("an entry")))
        .collect();
    names.sort();
    names
}

#[test]
fn an_archive_has_the_files_of_the_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let count = if tabiya_testing::is_full() {
        3_000
    } else {
        300
    };
    let games = games::games(5, count, Wild::TAME);
    let path = folder.path().join("games.cbv");
    let files = write_to(&path, &games, &WriteOptions::default()).expect("written");
    assert_eq!(files, [path.as_path()]);
    assert_eq!(names(folder.path()), ["games.cbv"]);
    let plain = folder.path().join("games.cbh");
    super::write(&plain, &games, None);
    let archive = std::fs::read(&path).expect("read");
    let members = members(&archive);
    let mut size = 0;
    for ((name, content), extension) in members.iter().zip(EXTENSIONS) {
        assert_eq!(*name, format!("games.{extension}"));
        assert!(*content == file(&plain, extension), "{name}");
        size += content.len();
    }
    assert_eq!(members.len(), EXTENSIONS.len());
    assert!(archive.len() * 4 < size * 3, "{} of {size}", archive.len());
    // A file that is there is replaced only if that is wanted; a name that no member can have is no obstacle.
    assert!(write_to(&path, &games, &WriteOptions::default()).is_err());
    assert!(std::fs::read(&path).expect("read") == archive);
    let force = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    write_to(&path, &games[..1], &force).expect("replaced");
    let other = folder.path().join("Игры.cbv");
    write_to(&other, &games[..1], &force).expect("written");
    let found = self::members(&std::fs::read(&other).expect("read"));
    assert_eq!(found[0].0, "games.cbh");
}

#[test]
fn real_files_are_packed_as_tightly_as_by_the_program() {
    let Some(root) = shared("oracles/cbh/twic1134") else {
        return;
    };
    let parts: Vec<CbvPart> = EXTENSIONS
        .iter()
        .map(|extension| CbvPart {
            name: format!("twic1134.{extension}").into_bytes(),
            path: root.join("twic1134").with_extension(extension),
            changed: [20_260_101, 0],
        })
        .collect();
    let mut bytes = Cursor::new(Vec::new());
    cbv_writer::write(&mut bytes, &parts).expect("written");
    let bytes = bytes.into_inner();
    for ((_, content), part) in members(&bytes).into_iter().zip(&parts) {
        assert!(
            content == std::fs::read(&part.path).expect("read"),
            "{:?}",
            part.path
        );
    }
    let theirs = std::fs::metadata(root.join("twic1134.cbv"))
        .expect("there")
        .len();
    eprintln!("{} bytes, {theirs} of the program", bytes.len());
    assert!(bytes.len() as u64 * 100 < theirs * 103);
}

#[test]
fn an_archive_appears_whole_or_not_at_all() {
    let games = games::games(1, 3, Wild::TAME);
    let options = WriteOptions::default();
    let all = {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.cbv");
        count(|| drop(write_to(&path, &games, &options).expect("written")))
    };
    let (mut none, mut whole) = (0, 0);
    for step in 0..=all {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.cbv");
        let _ = guarded(KillFault::after(step), || write_to(&path, &games, &options));
        let seen: Vec<String> = names(folder.path());
        let shown: Vec<&String> = seen.iter().filter(|name| !name.starts_with('.')).collect();
        match shown.as_slice() {
            [] => none += 1,
            [name] if *name == "a.cbv" => {
                assert_eq!(members(&std::fs::read(&path).expect("read")).len(), 13);
                whole += 1;
            }
            other => panic!("{step}: {other:?}"),
        }
    }
    assert!(none > 10 && whole >= 1, "{none} {whole}");
    for step in 0..all {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.cbv");
        let told = guarded(DiskFullFault::at(step, 7), || {
            write_to(&path, &games, &options)
        });
        let seen = names(folder.path());
        match told {
            Ok(_) => assert_eq!(seen, ["a.cbv"], "{step}"),
            Err(_) => assert!(seen.is_empty(), "{step}: {seen:?}"),
        }
    }
}
