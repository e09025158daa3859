//! The databases of `oracles/cbh`: headers, trees, annotations and texts, field by field as in the expectations.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabiya_formats::cbh::CbhReader;
use tabiya_formats::cbh::layout::{CbhRecord, CbhStartRecord};
use tabiya_formats::format::OpenOptions;
use tabiya_io::compression;
use tabiya_model::charset::Charset;
use tabiya_model::game::StartingPosition;
use tabiya_model::{Database, Game, GameNeeds, Severity};

use crate::cbh::headers::header;
use crate::cbh::movetext::{Files, expected_words, guiding_text, move_record, notes, read, words};
use crate::cbh::shared;

/// The expectations of a folder, one value for each record.
fn expected(path: &Path) -> Vec<Value> {
    let limits = compression::UnpackLimits::default();
    let mut text = String::new();
    compression::open_stream(path, &limits)
        .expect("opened")
        .read_to_string(&mut text)
        .expect("read");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The header file of a folder.
fn header_file(folder: &Path) -> Option<PathBuf> {
    std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|own| own == "cbh"))
}

struct Oracle {
    name: String,
    path: PathBuf,
    expected: Vec<Value>,
    charset: Charset,
    damaged: bool,
}

fn oracles() -> Vec<Oracle> {
    let Some(root) = shared("oracles/cbh") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for folder in [root.clone(), root.join("damaged")] {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let folder = entry.expect("an entry").path();
            if !folder.is_dir() {
                continue;
            }
            let Some(path) = header_file(&folder) else {
                continue;
            };
            for (file, charset) in [
                ("expected.jsonl", Charset::Cp1252),
                ("expected.jsonl.gz", Charset::Cp1252),
                ("expected.cp1251.jsonl", Charset::Cp1251),
            ] {
                let file = folder.join(file);
                if file.exists() {
                    found.push(Oracle {
                        name: folder.file_name().expect("a name").to_string_lossy().into(),
                        path: path.clone(),
                        expected: expected(&file),
                        charset,
                        damaged: folder.parent() == Some(&root.join("damaged")),
                    });
                }
            }
        }
    }
    assert!(found.len() >= 19, "{} databases", found.len());
    found
}

/// Keys for data that is not in the header.
const NOT_HEADER: [&str; 17] = [
    "annotations",
    "moves",
    "illegal",
    "main",
    "main_len",
    "all_legal",
    "errors",
    "error",
    "notes",
    "anno_notes",
    "anno_error",
    "mode",
    "cbg_flags",
    "setup",
    "fen",
    "text",
    "c960_sp",
];

fn assert_header(oracle: &Oracle, reader: &CbhReader, number: u64, expected: &Value) {
    let mut wanted = expected.clone();
    let object = wanted.as_object_mut().expect("an object");
    for key in NOT_HEADER {
        object.remove(key);
    }
    let mut got = header(reader, number, oracle.charset);
    // Fields without room in an old second header are left out on both sides.
    if let (Some(got), Some(wanted)) = (got.get_mut("cbj"), object.get("cbj")) {
        let (Some(got), Some(wanted)) = (got.as_object_mut(), wanted.as_object()) else {
            panic!("{}: {number}", oracle.name);
        };
        got.retain(|key, _| wanted.contains_key(key));
    }
    assert_eq!(got, wanted, "{} {number}", oracle.name);
}

#[test]
fn every_database_is_what_it_is_expected_to_be() {
    for oracle in oracles() {
        let options = OpenOptions {
            encoding: Some(oracle.charset),
            ..OpenOptions::default()
        };
        let reader = CbhReader::open(&oracle.path, &options).expect("opened");
        let files = Files {
            moves: read(&oracle.path.with_extension("cbg")),
            annotations: read(&oracle.path.with_extension("cba")),
        };
        assert_eq!(
            reader.len().expect("counted"),
            oracle.expected.len() as u64,
            "{}",
            oracle.name
        );
        let mut source = reader.source(None).expect("a source");
        let mut games = Vec::new();
        tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
            games.push(game.clone());
            Ok(())
        })
        .expect("read");
        let (mut moves, mut notes_seen) = (0, 0);
        for (game, expected) in games.iter().zip(&oracle.expected) {
            let number = game.origin.number;
            let place = format!("{} {number}", oracle.name);
            assert_header(&oracle, &reader, number, expected);
            let mut again = Game::default();
            reader
                .read(number, GameNeeds::ALL, &mut again)
                .expect("read");
            assert_eq!(again, *game, "{place}: random access");
            let has_error = ["error", "errors", "anno_error"]
                .iter()
                .any(|key| expected.get(key).is_some())
                || expected["text"].get("error").is_some();
            let is_unknown = expected["white"].is_null() && expected["kind"] == "game";
            let damage = game.diagnostics.at_least(Severity::Damage) > 0;
            // A missing file is reported once for all games.
            let is_told_once = expected.get("anno_error").is_some() && files.annotations.is_empty();
            assert_eq!(
                damage,
                (has_error && !is_told_once) || is_unknown,
                "{place}: {:?}",
                game.diagnostics
            );
            match reader.record(number).expect("a record") {
                CbhRecord::Text(record) => {
                    assert_eq!(game.tape.plies(), 0);
                    if !has_error {
                        let text = guiding_text(&files, record.body, oracle.charset);
                        assert_eq!(text, expected["text"], "{place}");
                    }
                }
                CbhRecord::Game(record) => {
                    if expected.get("moves").is_none() {
                        assert!(game.tape.plies() == 0 && has_error, "{place}");
                        continue;
                    }
                    let fen = match &game.start {
                        StartingPosition::Standard => Value::Null,
                        StartingPosition::Setup(board, _) => json!(board.to_fen()),
                    };
                    assert_eq!(&fen, expected.get("fen").unwrap_or(&Value::Null), "{place}");
                    let (head, bytes) =
                        move_record(&files, u64::from(record.moves)).expect("moves");
                    assert_eq!(json!(head.flags), expected["cbg_flags"], "{place}");
                    assert_eq!(json!(head.mode()), expected["mode"], "{place}");
                    if let Some(setup) = expected.get("setup") {
                        let start = bytes[4..].first_chunk().expect("a position");
                        let start = CbhStartRecord::decode(start).expect("a position");
                        let got = json!({
                            "black": start.turn.is_black(), "castling": start.castling,
                            "ep_file": start.ep_file, "move_no": start.move_number,
                            "version": start.version,
                        });
                        assert_eq!(&got, setup, "{place}");
                    }
                    if record.annotations != 0 && !is_told_once {
                        let notes = notes(&files, record.annotations, oracle.charset);
                        notes_seen += notes.len();
                        assert_eq!(json!(notes), expected["annotations"], "{place}");
                    }
                    moves += expected["moves"].as_array().expect("moves").len();
                    let (got, wanted) = (words(game, oracle.charset), expected_words(expected));
                    let at = got.iter().zip(&wanted).position(|(a, b)| a != b);
                    assert_eq!(
                        (at, got.len()),
                        (None, wanted.len()),
                        "{place}: {:?} for {:?}",
                        at.map(|at| &got[at..(at + 3).min(got.len())]),
                        at.map(|at| &wanted[at..(at + 3).min(wanted.len())]),
                    );
                }
                CbhRecord::Unknown(_) => panic!("{place}"),
            }
        }
        if !oracle.damaged {
            // The second headers were removed from this one: its teams are in use, which is reported.
            let told: &[&str] = match oracle.name.as_str() {
                "cbh_test" => &["cbh-missing-file"],
                _ => &[],
            };
            let found: Vec<_> = reader.diagnostics().iter().map(|it| it.code.name).collect();
            assert_eq!(found, told, "{}: {:?}", oracle.name, reader.diagnostics());
        }
        eprintln!(
            "{} ({}): {} records, {moves} moves, {notes_seen} annotations equal",
            oracle.name,
            oracle.charset.name(),
            games.len()
        );
    }
}
