//! Databases written by the library of CBASCII, and the output of its own decoder.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tabiya_formats::cbf::comments::nag_of;
use tabiya_formats::cbf::{CbfReader, PLAYERS_TAG, RESULT_BYTE_TAG, RESULT_TAG, SOURCE_TAG};
use tabiya_formats::format::OpenOptions;
use tabiya_model::{Database, Game, Replay, TapeOp};

use crate::cbf::law::write;
use crate::cbf::oracles::read_all;
use crate::cbf::shared;

fn bases() -> Vec<(String, PathBuf, Vec<Value>)> {
    let Some(folder) = shared("oracles/cbf-cblib") else {
        return Vec::new();
    };
    ["symbols", "variations", "setups"]
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(format!("{name}.expected.json")))
                .expect("readable");
            let games = serde_json::from_str(&text).expect("JSON");
            (name.to_owned(), folder.join(format!("{name}.cbf")), games)
        })
        .to_vec()
}

fn open(path: &Path) -> CbfReader {
    let options = OpenOptions {
        audit: true,
        ..OpenOptions::default()
    };
    CbfReader::open(path, &options).expect("opened")
}

/// The content of the expected file in our form: squares, marks of variations, NAGs and texts in hexadecimal.
fn expected_words(game: &Value) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(early) = game.get("comment_before_first_move_hex") {
        words.push(format!("text {}", early.as_str().expect("hex")));
    }
    for item in game["moves"].as_array().expect("a list") {
        if let Some(word) = item.as_str() {
            words.push(word.to_owned());
            continue;
        }
        for (symbol, key) in ["move", "position", "extra"].into_iter().enumerate() {
            let code = u8::try_from(item[key].as_u64().unwrap_or(0)).expect("a byte");
            if let Some(nag) = nag_of(symbol, code) {
                words.push(format!("${}", nag.0));
            }
        }
        if let Some(text) = item.get("text_hex").and_then(Value::as_str) {
            words.push(format!("text {text}"));
        }
    }
    words
}

fn words_of(game: &Game) -> Vec<String> {
    let mut replay = Replay::new(&game.start_board());
    let mut words = Vec::new();
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                let to = if m.is_castle() {
                    m.king_target()
                } else {
                    m.to()
                };
                let promotion = m.promotion().map(|role| role.char().to_string());
                words.push(format!("{}{to}{}", m.from(), promotion.unwrap_or_default()));
            }
            TapeOp::Begin(_) => words.push("(".to_owned()),
            TapeOp::End => words.push(")".to_owned()),
            TapeOp::Nag(nag) => words.push(format!("${}", nag.0)),
            TapeOp::Comment(id) => {
                let bytes = game.tape.texts().original(id);
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                words.push(format!("text {hex}"));
            }
            _ => {}
        }
        replay.follow(op);
    }
    words
}

#[test]
fn everything_is_read_as_the_library_reads_it() {
    let (mut games_seen, mut comments) = (0, 0);
    for (name, path, expected) in bases() {
        let reader = open(&path);
        let games = read_all(&reader);
        assert_eq!(games.len(), expected.len(), "{name}");
        for (game, expected) in games.iter().zip(&expected) {
            let number = game.origin.number;
            games_seen += 1;
            let what = format!("{name}, game {number}: {:?}", game.diagnostics);
            // A king that is left in check and captured, and positions whose numbers the library itself doubts.
            let doubtful = matches!(
                (name.as_str(), number),
                ("variations", 8) | ("setups", 12 | 15 | 16)
            );
            if !doubtful {
                assert_eq!(words_of(game), expected_words(expected), "{what}");
            }
            if (name.as_str(), number) == ("setups", 12) {
                // Its first number includes the move that captures the king; its second move breaks the rules.
                assert_eq!(words_of(game), ["h2b8"], "{what}");
                assert_eq!(game.diagnostics.count_of("cbf-king-taken"), 1);
            }
            comments += words_of(game)
                .iter()
                .filter(|w| w.starts_with("text"))
                .count();
            let byte = expected["result_byte"].as_u64().expect("a byte");
            let result = match byte {
                0 => "0-1",
                1 => "1/2-1/2",
                2 => "1-0",
                _ => "*",
            };
            assert_eq!(game.tags.value("Result"), result, "{what}");
            let sign = byte > 2 && byte >> 2 & 15 != 0;
            assert_eq!(game.tags.get(RESULT_TAG).is_some(), sign, "{what}");
            let kept = game.tags.get(RESULT_BYTE_TAG).map(str::to_owned);
            let is_plain = byte <= 2 || byte & 0xc3 == 3;
            assert_eq!(kept, (!is_plain).then(|| byte.to_string()), "{what}");
        }
    }
    assert!(games_seen == 0 || comments > 50, "{comments} comments");
}

#[test]
fn names_rounds_and_annotators() {
    let Some((_, path, _)) = bases().into_iter().next() else {
        return;
    };
    let games = read_all(&open(&path));
    let tags = |number: usize, names: [&str; 5]| {
        let tags = &games[number - 1].tags;
        names.map(|name| tags.value(name).to_owned())
    };
    let all = ["White", "Black", "Event", "Round", "Annotator"];
    let cases = [
        (2, ["Müller,K", "Hübner,R", "Köln", "3", "Andersén"]),
        (45, ["Gómez,á", "Muñoz,J", "Sánchez último í Ñ", "?", ""]),
        (50, ["Kasparov,G", "Karpov,A", "Wch London", "3", "Nunn,J"]),
        (
            51,
            ["Smyslov-Levi,V", "Botvinnik,M", "first comma rule", "?", ""],
        ),
        (
            52,
            ["Saint-Amant,P", "Nimzo-Larsen,B", "underscore", "1.2.3", ""],
        ),
        (53, ["A,B", "C,D", "Ev", "3.2", "Anno"]),
    ];
    for (number, expected) in cases {
        let found = tags(number, all);
        assert_eq!(found, expected, "game {number}");
    }
    // The original texts are kept if the names do not give them back.
    assert_eq!(games[49].tags.value(PLAYERS_TAG), "Kasparov,G-Karpov,A (3)");
    assert_eq!(games[50].tags.get(PLAYERS_TAG), None);
    assert_eq!(games[52].tags.value(SOURCE_TAG), "Ev (m/3/2) [Anno]");
    let text = |number: usize| {
        let tape = &games[number - 1].tape;
        let found = tape.ops().filter_map(|op| match op {
            TapeOp::Comment(id) => Some(tape.text(id).to_owned()),
            _ => None,
        });
        found.collect::<Vec<_>>()
    };
    assert_eq!(text(2)[0], "∆ ♘f3");
    assert_eq!(text(2)[1], "± 2.♗c4\n∞ ⊕");
}

#[test]
fn copies_have_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, path, _) in bases() {
        let reader = open(&path);
        let games = read_all(&reader);
        let target = folder.path().join("copy.cbf");
        let losses = write(&target, &games);
        let before = std::fs::read(&path).expect("readable");
        let after = std::fs::read(&target).expect("readable");
        let again = read_all(&open(&target));
        let mut same = 0;
        for ((game, copy), losses) in games.iter().zip(&again).zip(&losses) {
            let record = |game: &Game, bytes: &[u8]| {
                let start = game.origin.byte as usize;
                bytes[start..start + game.origin.length as usize].to_vec()
            };
            let is_same = record(game, &before) == record(copy, &after);
            same += usize::from(is_same);
            let number = game.origin.number;
            let what = format!("{name}, game {number}: {losses:?}");
            // Everything that is not reported as lost is unchanged.
            assert!(
                is_same || !losses.is_empty(),
                "{what} {:?} {:?}",
                game.tags,
                copy.tags
            );
            if losses.is_empty() {
                assert_eq!((&game.tags, &game.tape), (&copy.tags, &copy.tape), "{what}");
            }
        }
        assert!(same + 1 >= games.len(), "{name}: {same} of {}", games.len());
    }
}

#[test]
fn a_search_finds_games_with_odd_results() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, path, expected) in bases() {
        let alone = folder.path().join(format!("{name}.cbf"));
        std::fs::copy(&path, &alone).expect("copied");
        let found = open(&alone);
        assert_eq!(
            found.len().expect("counted"),
            expected.len() as u64,
            "{name}"
        );
        assert_eq!(found.missing().len(), 1, "nothing says how many there were");
    }
}
