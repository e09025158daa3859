//! Nothing that claims to be a database is missed in a folder, and nothing else stops it.

use std::path::Path;

use tabiya::model::Control;
use tabiya::opener::Opener;

use crate::tar;

const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *\n";

/// An archive of files.
fn packed(members: &[(&str, &[u8])]) -> Vec<u8> {
    let members = members.iter();
    let mut bytes: Vec<u8> = members
        .flat_map(|(name, content)| tar::member(name, b'0', "", content))
        .collect();
    bytes.extend([0; 1024]);
    bytes
}

/// The names of the bases that are opened, and of what is told not to be.
fn opened(folder: &Path) -> (Vec<String>, Vec<String>) {
    let found = Opener::default().open_all(&[folder]);
    let short = |name: &str| {
        let path = Path::new(name).strip_prefix(folder).expect("in the folder");
        path.display().to_string()
    };
    let bases = found.bases.iter().map(|base| short(base.name())).collect();
    let failed = found.failed.iter().map(|it| short(&it.name)).collect();
    (bases, failed)
}

#[test]
fn what_claims_to_be_a_database_is_opened_or_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, content: &[u8]| {
        std::fs::write(folder.path().join(name), content).expect("written");
    };
    put("games.pgn", GAME.as_bytes());
    put("readme.txt", b"Have a look.");
    put("photo.jpg", b"\xff\xd8\xff\xe0JFIF");
    put("firmware.bin", b"no book");
    put("photo.si4", b"\xff\xd8\xff\xe0JFIF");
    put("noise.pgn", &[1; 2000]);
    put("zeros.cbh", &[0; 300]);
    put("book.ctg", b"something");
    put("packed.7z", b"7z\xbc\xaf\x27\x1c....");
    put("left.sg4", &[0; 300]);
    put("left.sn4", &[0; 300]);
    put("games.tar", &packed(&[("a.pgn", GAME.as_bytes())]));
    put("texts.tar", &packed(&[("a.txt", b"Nothing.")]));
    let (bases, failed) = opened(folder.path());
    assert_eq!(bases, ["games.pgn", "games.tar"]);
    assert_eq!(
        failed,
        [
            "book.ctg",
            "left.sg4",
            "noise.pgn",
            "packed.7z",
            "photo.si4",
            "zeros.cbh"
        ]
    );
}

#[test]
fn what_an_unpacked_archive_holds_beside_databases_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("all.tar");
    // A format of several files makes the archive one that is unpacked.
    let files: [(&str, &[u8]); 4] = [
        ("a.pgn", GAME.as_bytes()),
        ("left.sg4", &[0; 300]),
        ("inner.tar", &packed(&[("b.pgn", GAME.as_bytes())])),
        ("notes.txt", b"Nothing."),
    ];
    std::fs::write(&path, packed(&files)).expect("written");
    let found = Opener::default().open_all(&[&path]);
    let shown = |name: &str| {
        let name = name.replace('\\', "/");
        name.split_once("all.tar/").map(|(_, rest)| rest.to_owned())
    };
    let bases: Vec<_> = found.bases.iter().map(|base| shown(base.name())).collect();
    let failed: Vec<_> = found.failed.iter().map(|it| shown(&it.name)).collect();
    // An archive within is unpacked as well, and a part of a base says what is missing.
    assert_eq!(
        bases,
        ["a.pgn", "inner.tar/b.pgn"].map(|name| Some(name.to_owned()))
    );
    assert_eq!(failed, [Some("left.sg4".to_owned())]);
    let mut told = Vec::new();
    for base in &found.bases {
        let mut source = base.source(&Control::default()).expect("a source");
        tabiya_model::database::for_each_game(&mut *source, tabiya_model::GameNeeds::ALL, |_| {
            Ok(())
        })
        .expect("read");
        told.extend(source.diagnostics().iter().map(ToString::to_string));
    }
    assert!(
        told.iter().any(|text| text.contains("notes.txt")),
        "{told:?}"
    );
}
