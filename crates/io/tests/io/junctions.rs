//! Junctions of Windows are links: they are not followed where links must not be.

#![cfg(windows)]

use std::path::Path;
use std::process::Command;

use tabiya_io::compression::UnpackLimits;
use tabiya_io::container::InputFiles;
use tabiya_io::{disk::Disk, held_folder};

/// Makes a junction; false if the system does not support them.
fn join(link: &Path, target: &Path) -> bool {
    let made = Command::new("cmd")
        .args(["/c", "mklink", "/J"])
        .args([link, target])
        .output();
    made.is_ok_and(|made| made.status.success()) && link.symlink_metadata().is_ok()
}

#[test]
fn junctions_are_links() {
    let room = tempfile::tempdir().expect("a folder");
    let room = room.path().canonicalize().expect("there");
    let (inside, outside) = (room.join("in"), room.join("out"));
    for folder in [&inside, &outside] {
        std::fs::create_dir(folder).expect("made");
        std::fs::write(folder.join("a.pgn"), "*\n").expect("written");
    }
    let link = inside.join("link");
    // `mklink` does not take a verbatim path.
    let plain = |path: &Path| {
        let text = path.to_str().expect("text");
        text.strip_prefix(r"\\?\").unwrap_or(text).to_owned()
    };
    if !join(plain(&link).as_ref(), plain(&outside).as_ref()) {
        eprintln!("skipped: no junction can be made here");
        return;
    }
    let about = held_folder::symlink_metadata(&link).expect("known");
    assert!(about.is_symlink() && !about.is_dir());
    let entries = held_folder::read_dir(&inside).expect("listed");
    let found = entries.iter().find(|entry| entry.path == link);
    assert!(found.is_some_and(|entry| entry.kind.is_symlink() && !entry.kind.is_dir()));
    // The real path is that of the target of the junction.
    let real = held_folder::real(&link).expect("known");
    assert_eq!(real, outside);
    let members = InputFiles::open(&inside, &UnpackLimits::default()).expect("opened");
    let names: Vec<String> = members
        .map(|member| member.expect("a member").name().to_owned())
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    // The folder is removed, and the target of the junction stays.
    Disk::current().remove_folder(&inside).expect("removed");
    assert!(!inside.exists() && outside.join("a.pgn").exists());
}

#[test]
fn what_is_no_file_by_its_name_is_not_opened() {
    for name in [
        r"\\.\pipe\x",
        r"\\.\PhysicalDrive0",
        "NUL",
        "con.pgn",
        "a.pgn:b",
    ] {
        let error = tabiya_io::regular_file::open(Path::new(name)).expect_err(name);
        assert_eq!(error.kind(), std::io::ErrorKind::Unsupported, "{name}");
    }
}
