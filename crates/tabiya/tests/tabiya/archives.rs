//! Archives are read as far as they can be, and what could not be had of them is told.

use std::path::Path;

use tabiya::formats::format::WriteOptions;
use tabiya::model::{Control, Result, Severity};
use tabiya::report::SourceReport;
use tabiya::{Opener, Target, convert};

use crate::tar;

const GAMES: u64 = 300;

fn games() -> String {
    (1..=GAMES)
        .map(|number| {
            format!(
                "[Event \"E\"]\n[Site \"S\"]\n[Date \"1990.01.01\"]\n[Round \"1\"]\n[White \"White {number}\"]\n\
                 [Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 {{of game {number}}} 1... e5 2. Nf3 Nc6 1-0\n\n"
            )
        })
        .collect()
}

/// Copies the databases of a file; says what was found in the first.
fn read(path: &Path, target: &Path) -> Result<SourceReport> {
    let bases = Opener::default().open(path)?;
    let target = Target::new(target.to_owned(), None, forced())?;
    let options = convert::ConvertOptions {
        verify: true,
        ..convert::ConvertOptions::default()
    };
    let mut done = convert::convert(&bases, &target, &options, &Control::default())?;
    assert!(done.is_verified());
    Ok(done.sources.remove(0))
}

fn forced() -> WriteOptions {
    WriteOptions {
        force: true,
        ..WriteOptions::default()
    }
}

/// The files of a base in a tar archive, with a link and a pipe between them.
fn archive(folder: &Path, extension: &str) -> Vec<u8> {
    let plain = folder.join("plain.pgn");
    std::fs::write(&plain, games()).expect("written");
    let base = folder.join(format!("base.{extension}"));
    read(&plain, &base).expect("copied");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("listed")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.file_stem().is_some_and(|stem| stem == "base"))
        .collect();
    // The moves come last, so that an archive that is cut has the rest.
    files.sort_by_key(|path| std::fs::metadata(path).map_or(0, |data| data.len()));
    let mut bytes = Vec::new();
    for (at, path) in files.iter().enumerate() {
        if at == 1 {
            bytes.extend(tar::member("link.pgn", b'2', "elsewhere.pgn", b""));
            bytes.extend(tar::member("pipe", b'6', "", b""));
        }
        let name = path.file_name().expect("a name").to_string_lossy();
        bytes.extend(tar::member(
            &name,
            b'0',
            "",
            &std::fs::read(path).expect("read"),
        ));
    }
    bytes
}

#[test]
fn links_are_told_and_a_cut_archive_gives_what_it_has() {
    for extension in ["si4", "si5"] {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = archive(folder.path(), extension);
        let path = folder.path().join("archive.tar");
        let target = folder.path().join("out.pgn");
        let mut whole = bytes.clone();
        whole.extend([0; 1024]);
        std::fs::write(&path, &whole).expect("written");
        let report = read(&path, &target).expect("read");
        assert_eq!((report.games, report.damaged), (GAMES, 0), "{extension}");
        assert_eq!(report.diagnostics.count_of("archive-link"), 2);
        assert_eq!(report.diagnostics.at_least(Severity::Damage), 0);

        let cut = bytes.len() - 3000;
        std::fs::write(&path, &bytes[..cut]).expect("written");
        let report = read(&path, &target).expect("what is there is read");
        assert_eq!(report.diagnostics.count_of("archive-link"), 2);
        assert!(report.diagnostics.count_of("archive-member-damaged") > 0);
        assert!(report.games > 0, "{extension}");
    }
}

#[test]
fn a_member_that_is_no_database_spares_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("archive.tar");
    let target = folder.path().join("out.pgn");
    let noise: Vec<u8> = (0..3000_u32)
        .map(|n| ((n * n) >> 3).to_le_bytes()[0])
        .collect();
    let mut bytes = tar::member("noise.pgn", b'0', "", &noise);
    std::fs::write(&path, &bytes).expect("written");
    assert!(read(&path, &target).is_err());
    bytes.extend(tar::member("games.pgn", b'0', "", games().as_bytes()));
    bytes.extend([0; 1024]);
    std::fs::write(&path, &bytes).expect("written");
    let report = read(&path, &target).expect("read");
    assert_eq!(report.games, GAMES);
    assert_eq!(report.diagnostics.count_of("archive-member-skipped"), 1);
}
