//! Compaction, compared with Scid's own.

use std::path::Path;

use tabiya_formats::format::OpenOptions;
use tabiya_formats::scid::edit::ScidEditor;

/// Compacts a copy of a database that Scid has compacted too, and compares the three files.
fn compacts_as_scid(extensions: [&str; 3], name: &str) {
    let Some(folder) = crate::scid::support::shared("oracles/scid/s09_flags") else {
        return;
    };
    let copy = tempfile::tempdir().expect("folder");
    let file =
        |folder: &Path, name: &str, extension: &str| folder.join(format!("{name}.{extension}"));
    for extension in extensions {
        let bytes = std::fs::read(file(&folder, name, extension)).expect("reads");
        std::fs::write(file(copy.path(), name, extension), bytes).expect("writes");
    }
    let base = file(copy.path(), name, extensions[0]);
    let mut editor = ScidEditor::open(&base, &OpenOptions::default()).expect("opens");
    assert_eq!(editor.compact().expect("compacts").len(), 14);
    editor.commit(None).expect("commits");
    for extension in extensions {
        let ours = std::fs::read(file(copy.path(), name, extension)).expect("reads");
        let scids =
            std::fs::read(file(&folder, &format!("{name}_compacted"), extension)).expect("reads");
        let at = ours.iter().zip(&scids).position(|(a, b)| a != b);
        assert_eq!((at, ours.len()), (None, scids.len()), "{name}.{extension}");
    }
}

#[test]
fn si4_is_compacted_as_scid_does() {
    compacts_as_scid(["si4", "sg4", "sn4"], "w474");
}

#[test]
fn si5_is_compacted_as_scid_does() {
    compacts_as_scid(["si5", "sg5", "sn5"], "w5");
}
