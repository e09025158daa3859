//! The databases of `oracles/cbf`: their games, their header bytes, and the findings in damaged ones.

use std::path::{Path, PathBuf};

use tabiya_formats::cbf::layout::CbfHeader;
use tabiya_formats::cbf::text::{join_players, join_source};
use tabiya_formats::cbf::{
    CbfReader, PLAYERS_TAG, RESULT_BYTE_TAG, RESULT_TAG, SETUP_TAG, SOURCE_TAG, VERSION_TAG,
};
use tabiya_formats::format::OpenOptions;
use tabiya_model::charset::Charset;
use tabiya_model::{Database, Game, GameNeeds, Severity};

use crate::cbf::plain::{Plain, of_game, parse_pgn};
use crate::cbf::shared;

/// The files of one database of the oracles.
struct Oracle {
    name: String,
    cbf: PathBuf,
    expected: Vec<Plain>,
    facts: serde_json::Value,
}

fn oracles() -> Vec<Oracle> {
    let Some(folder) = shared("oracles/cbf") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let Some(name) = name.strip_suffix(".expected.pgn") else {
            continue;
        };
        let read = |suffix: &str| {
            std::fs::read_to_string(folder.join(format!("{name}{suffix}"))).expect("readable")
        };
        let upper = folder.join(format!("{name}.CBF"));
        found.push(Oracle {
            name: name.to_owned(),
            cbf: if upper.exists() {
                upper
            } else {
                folder.join(format!("{name}.cbf"))
            },
            expected: parse_pgn(&read(".expected.pgn")),
            facts: serde_json::from_str(&read(".facts.json")).expect("JSON"),
        });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(found.len() >= 10, "the folder has ten databases");
    found
}

fn cp850() -> OpenOptions {
    OpenOptions {
        encoding: Some(Charset::Cp850),
        audit: true,
        ..OpenOptions::default()
    }
}

pub(crate) fn read_all(reader: &CbfReader) -> Vec<Game> {
    let mut source = reader.source(None).expect("a source");
    let mut games = Vec::new();
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

/// The parts that the expected PGN leaves out on purpose.
fn tolerate(mut plain: Plain) -> Plain {
    plain.tags.retain(|(name, _)| {
        ![
            RESULT_TAG,
            VERSION_TAG,
            PLAYERS_TAG,
            SOURCE_TAG,
            RESULT_BYTE_TAG,
            SETUP_TAG,
            "Annotator",
            "ScidFlags",
        ]
        .contains(&name.as_str())
    });
    for (name, value) in &mut plain.tags {
        if name == "ECO" {
            value.truncate(3);
        }
        // The decoder that made these leaves the annotator in the event.
        if name == "Event"
            && let Some(at) = value.find(" [")
        {
            value.truncate(at);
        }
    }
    plain.tags.sort();
    plain
}

fn assert_same(name: &str, number: u64, game: &Game, expected: &Plain) {
    let mut expected = tolerate(expected.clone());
    let mut got = tolerate(of_game(game));
    // A second source reads four codes differently than the decoder that made these.
    for word in &mut expected.words {
        let other = match word.as_str() {
            "$44" => "$146",
            "$45" => "$44",
            _ => continue,
        };
        *word = other.to_owned();
    }
    for word in &mut got.words {
        let other = match word.as_str() {
            "$22" => "$140",
            "$32" => "$142",
            _ => continue,
        };
        *word = other.to_owned();
    }
    assert_eq!(got.tags, expected.tags, "{name}, game {number}");
    let differ = got
        .words
        .iter()
        .zip(&expected.words)
        .position(|(a, b)| a != b);
    assert_eq!(
        (differ, got.words.len()),
        (None, expected.words.len()),
        "{name}, game {number}: {:?} for {:?}",
        differ.map(|at| &got.words[at..(at + 5).min(got.words.len())]),
        differ.map(|at| &expected.words[at..(at + 5).min(expected.words.len())]),
    );
}

fn is_damaged(game: &Game) -> bool {
    game.diagnostics.at_least(Severity::Damage) > 0
}

#[test]
fn every_database_gives_its_games() {
    for oracle in oracles() {
        let reader = CbfReader::open(&oracle.cbf, &cp850()).expect("opened");
        let games = read_all(&reader);
        let whole: Vec<u64> = match oracle.facts.get("ok_games") {
            Some(list) => list
                .as_array()
                .expect("a list")
                .iter()
                .map(|n| n.as_u64().expect("a number"))
                .collect(),
            None => (1..=games.len() as u64).collect(),
        };
        assert_eq!(whole.len(), oracle.expected.len(), "{}", oracle.name);
        for (number, expected) in whole.iter().zip(&oracle.expected) {
            let game = &games[*number as usize - 1];
            assert_eq!(game.origin.number, *number);
            assert!(!is_damaged(game), "{} {:?}", oracle.name, game.diagnostics);
            assert_same(&oracle.name, *number, game, expected);
            let mut again = Game::default();
            reader
                .read(*number, GameNeeds::ALL, &mut again)
                .expect("read");
            assert_eq!(&again, game, "random access");
        }
        for game in &games {
            let is_whole = whole.contains(&game.origin.number);
            assert_eq!(is_damaged(game), !is_whole, "{}", oracle.name);
        }
        let file_is_fine = reader.diagnostics().is_empty();
        let intact = [
            "CHK2",
            "annotated",
            "badchk",
            "special",
            "bad_moves",
            "descending",
        ];
        assert_eq!(
            file_is_fine,
            intact.contains(&oracle.name.as_str()),
            "{}: {:?}",
            oracle.name,
            reader.diagnostics()
        );
        let checksums: u64 = games
            .iter()
            .map(|game| game.diagnostics.count_of("cbf-checksum"))
            .sum();
        let wrong = if oracle.name == "badchk" {
            games.len() as u64
        } else {
            0
        };
        assert_eq!(checksums, wrong, "{}", oracle.name);
    }
}

fn decrypted(cbf: &Path, offset: u64) -> CbfHeader {
    let bytes = std::fs::read(cbf).expect("readable");
    let rest = &bytes[offset as usize..];
    CbfHeader::decrypt(rest[..14].try_into().expect("14 bytes"))
}

#[test]
fn headers_and_texts_equal_the_facts() {
    for oracle in oracles() {
        let Some(facts) = oracle.facts.as_array() else {
            continue;
        };
        let reader = CbfReader::open(&oracle.cbf, &cp850()).expect("opened");
        let games = read_all(&reader);
        assert_eq!(facts.len(), games.len());
        for (fact, game) in facts.iter().zip(&games) {
            let header = decrypted(&oracle.cbf, game.origin.byte);
            let hex: String = header.0.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(fact["header_hex"], hex, "{}", oracle.name);
            assert_eq!(fact["length"], game.origin.length);
            assert_eq!(fact["length"], header.record_len());
            let flag = |name: &str| fact.get(name).and_then(serde_json::Value::as_bool);
            assert_eq!(flag("marked").unwrap_or(false), header.is_marked());
            assert_eq!(flag("deleted").unwrap_or(false), header.is_deleted());
            assert_eq!(flag("version").unwrap_or(true), header.version());
            assert_eq!(game.is_deleted(), header.is_deleted());
            let number = |name: &str| fact.get(name).and_then(serde_json::Value::as_u64);
            assert_eq!(number("sub_eco").unwrap_or(0), u64::from(header.eco().1));
            let symbol = number("variant_result").unwrap_or(0);
            assert_eq!(symbol, u64::from(header.symbol()));
            assert_eq!(symbol != 0, game.tags.get(RESULT_TAG).is_some());
            // The original texts are kept if the names do not give them back.
            for (key, tag, parts) in [
                ("players", PLAYERS_TAG, ["White", "Black"]),
                ("source", SOURCE_TAG, ["Event", "Round"]),
            ] {
                if let Some(raw) = fact.get(key).and_then(serde_json::Value::as_str) {
                    let [first, second] = parts.map(|name| match game.tags.value(name) {
                        "?" => "",
                        value => value,
                    });
                    let annotator = game.tags.value("Annotator").as_bytes();
                    let joined = match key {
                        "players" => join_players(first.as_bytes(), second.as_bytes()),
                        _ => join_source(first.as_bytes(), second, annotator),
                    };
                    let joined = String::from_utf8(joined).expect("UTF-8");
                    let kept = game.tags.get(tag).unwrap_or(&joined);
                    assert_eq!(kept, raw, "{}", oracle.name);
                }
            }
        }
    }
}

#[test]
fn a_search_finds_every_game_without_the_index() {
    for oracle in oracles() {
        let folder = tempfile::tempdir().expect("a folder");
        let alone = folder.path().join("alone.cbf");
        std::fs::copy(&oracle.cbf, &alone).expect("copied");
        let found = CbfReader::open(&alone, &cp850()).expect("opened without an index");
        assert_eq!(found.diagnostics().count_of("cbf-no-index"), 1);
        let mut found = read_all(&found);
        let indexed = CbfReader::open(&oracle.cbf, &cp850()).expect("opened");
        let mut indexed = read_all(&indexed);
        // Games that are not in the index can be found even so.
        indexed.retain(|game| game.origin.length > 0);
        let cut = |games: &mut Vec<Game>| {
            games.sort_by_key(|game| game.origin.byte);
            for game in games {
                game.origin.number = 0;
                for diagnostic in game.diagnostics.iter_mut() {
                    diagnostic.place.game = None;
                }
            }
        };
        cut(&mut found);
        cut(&mut indexed);
        for game in &indexed {
            assert!(
                found.contains(game),
                "{}: the game at byte {} was not found",
                oracle.name,
                game.origin.byte
            );
        }
        let more = match oracle.name.as_str() {
            "bad_index" => 1,
            _ => 0,
        };
        assert_eq!(found.len(), indexed.len() + more, "{}", oracle.name);
    }
}

#[test]
fn less_is_read_where_less_is_wanted() {
    for oracle in oracles() {
        let reader = CbfReader::open(&oracle.cbf, &cp850()).expect("opened");
        let mut game = Game::default();
        for whole in read_all(&reader) {
            let number = whole.origin.number;
            reader
                .read(number, GameNeeds::TAGS, &mut game)
                .expect("read");
            assert_eq!((&game.tags, game.tape.len()), (&whole.tags, 0));
            reader
                .read(number, GameNeeds::MAIN_LINE, &mut game)
                .expect("read");
            assert!(game.tape.main_line().eq(whole.tape.main_line()));
            if !is_damaged(&whole) {
                assert_eq!(game.tape.len(), whole.tape.plies(), "{}", oracle.name);
            }
            let trusting = GameNeeds {
                verify: false,
                ..GameNeeds::ALL
            };
            reader.read(number, trusting, &mut game).expect("read");
            if !is_damaged(&whole) {
                assert_eq!(game.tape, whole.tape);
            }
        }
    }
}

#[test]
fn the_charset_is_found_out() {
    let Some(folder) = shared("oracles/cbf") else {
        return;
    };
    for name in ["annotated", "special"] {
        let path = folder.join(format!("{name}.cbf"));
        let reader = CbfReader::open(&path, &OpenOptions::default()).expect("opened");
        let options = OpenOptions {
            encoding: Some(Charset::Cp437),
            ..OpenOptions::default()
        };
        let told = CbfReader::open(&path, &options).expect("opened");
        assert!(read_all(&reader).iter().zip(read_all(&told)).all(|(a, b)| {
            let charsets = |game: &Game| game.tape.texts().charsets().collect::<Vec<_>>();
            a.tags == b.tags && charsets(a) == charsets(&b)
        }));
    }
}
