//! Single records of `oracles/cbh`: moves in all modes and annotations, each put into a database without other records; and
//! the PGN that another program made from one of the databases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabiya_formats::cbh::CbhReader;
use tabiya_formats::cbh::annotations::{CbhQuotation, items};
use tabiya_formats::cbh::layout::{CbhAnnotationHead, CbhMoveHead};
use tabiya_formats::format::OpenOptions;
use tabiya_model::charset::Charset;
use tabiya_model::eco::EcoCode;
use tabiya_model::game::StartingPosition;
use tabiya_model::{Database, Game, GameNeeds, Severity};

use crate::cbh::base::{Base, More, NEWEST, games};
use crate::cbh::encode;
use crate::cbh::headers::{date, result_text};
use crate::cbh::movetext::{Files, expected_words, notes, read, words};
use crate::cbh::shared;

/// The expectations of a folder of records.
fn expected(folder: &Path) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(folder.join("expected.json")).expect("read");
    serde_json::from_str(&text).expect("JSON")
}

/// Reads a record of moves, and one of annotations, as the only game of a database.
fn read_record(moves: &[u8], annotations: Option<&[u8]>) -> Game {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one.cbh");
    let mut base = Base::new(NEWEST);
    let items = annotations.map(|bytes| {
        items(&bytes[CbhAnnotationHead::LENGTH..])
            .map(|item| (item.place, item.kind, item.payload.to_vec()))
            .collect()
    });
    let more = More {
        moves: Some(moves.to_vec()),
        items: items.unwrap_or_default(),
        ..More::default()
    };
    base.game(&Game::default(), &more);
    base.write(&path);
    let options = OpenOptions {
        encoding: Some(Charset::Cp1252),
        ..OpenOptions::default()
    };
    let reader = CbhReader::open(&path, &options).expect("opened");
    let mut game = Game::default();
    reader.read(1, GameNeeds::ALL, &mut game).expect("read");
    game
}

fn assert_moves(name: &str, game: &Game, wanted: &Value) {
    let damage = game.diagnostics.at_least(Severity::Damage);
    assert_eq!(damage, 0, "{name}: {:?}", game.diagnostics);
    let got = words(game, Charset::Cp1252);
    assert_eq!(got, expected_words(wanted), "{name}");
    let fen = match &game.start {
        StartingPosition::Standard => Value::Null,
        StartingPosition::Setup(board, _) => board.to_fen().into(),
    };
    assert_eq!(&fen, wanted.get("fen").unwrap_or(&Value::Null), "{name}");
}

/// The offset of the moves in a record.
fn stream(record: &[u8]) -> &[u8] {
    let head = CbhMoveHead::decode(record).expect("a head");
    let start = match (head.has_start(), head.mode()) {
        (false, _) => 4,
        (true, 10) => 4 + 28 + 8,
        (true, _) => 4 + 28,
    };
    &record[start..head.size as usize]
}

/// Whether the newly encoded moves equal the stored ones without fillers; returns the number of fillers.
fn fillers_beside(stored: &[u8], encoded: &[u8]) -> Option<usize> {
    let (mut fillers, mut at) = (0, 0);
    for byte in stored {
        match encoded.get(at) {
            Some(own) if own == byte => at += 1,
            _ => fillers += 1,
        }
    }
    (at == encoded.len() && at + fillers == stored.len()).then_some(fillers)
}

#[test]
fn records_of_moves_in_all_modes() {
    for folder in ["move-blobs", "synthetic-modes"] {
        let Some(folder) = shared("oracles/cbh").map(|root| root.join(folder)) else {
            return;
        };
        let mut modes = BTreeMap::<u8, usize>::new();
        for (name, wanted) in expected(&folder) {
            let bytes = read(&folder.join(&name));
            let mode = CbhMoveHead::decode(&bytes).expect("a head").mode();
            let game = read_record(&bytes, None);
            assert_moves(&name, &game, &wanted);
            let (again, ..) = encode::game(&game, mode);
            let wanted_fillers = usize::from(name.starts_with("brokenchess960"));
            let fillers = fillers_beside(stream(&bytes), stream(&again));
            assert_eq!(fillers, Some(wanted_fillers), "{name}: encoded again");
            *modes.entry(mode).or_default() += 1;
        }
        assert!(modes.values().sum::<usize>() >= 9, "{modes:?}");
        eprintln!("{}: records by mode {modes:?}", folder.display());
    }
}

#[test]
fn records_of_annotations() {
    let Some(folder) = shared("oracles/cbh/annotation-blobs") else {
        return;
    };
    let all = expected(&folder);
    let mut compared = 0;
    for (name, wanted) in &all {
        let bytes = read(&folder.join(name));
        if name.ends_with(".moves.bin") {
            let record = bytes;
            let game = read_record(&record, None);
            assert_moves(name, &game, wanted);
            // The same with its annotations, which belong to its moves.
            let beside = name.replace(".moves.", ".annotations.");
            let game = read_record(&record, Some(&read(&folder.join(&beside))));
            let mut both = wanted.clone();
            both["annotations"] = all[&beside]["items"].clone();
            assert_moves(&beside, &game, &both);
            compared += 1;
            continue;
        }
        // A complete file has a header before its only record.
        let start = if name.ends_with(".cba") { 26 } else { 0 };
        let files = Files {
            moves: Vec::new(),
            annotations: bytes[start..].to_vec(),
        };
        let head = CbhAnnotationHead::decode(&files.annotations).expect("a head");
        assert_eq!(wanted["game"], head.game, "{name}");
        assert_eq!(wanted["size"], head.size, "{name}");
        assert_eq!(wanted["count"], head.items - 1, "{name}");
        let mut wanted = wanted["items"].clone();
        for item in wanted.as_array_mut().expect("a list") {
            // The table of quoted moves is unknown, and so is the meaning of a byte after each name.
            if let Some(quotation) = item.get_mut("quote").and_then(Value::as_object_mut) {
                quotation.retain(|key, _| !["moves", "white_x", "black_x"].contains(&&**key));
            }
        }
        let got = notes(&files, 0, Charset::Cp1252);
        assert_eq!(Value::from(got), wanted, "{name}");
        compared += 1;
    }
    assert_eq!(compared, all.len());
    assert!(compared >= 6);
}

/// The databases with all their files, by the path of the headers.
fn databases() -> Vec<PathBuf> {
    let Some(root) = shared("oracles/cbh") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).expect("a folder") {
        let folder = entry.expect("an entry").path();
        if folder.is_dir() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.extension().is_some_and(|own| own == "cbh") {
                    found.push(path);
                }
            }
        }
    }
    assert!(found.len() >= 13, "{found:?}");
    found
}

#[test]
fn every_game_encoded_again_gives_the_stored_bytes() {
    let (mut games, mut with_fillers) = (0, 0);
    for path in databases() {
        let reader = CbhReader::open(&path, &OpenOptions::default()).expect("opened");
        let moves = read(&path.with_extension("cbg"));
        let mut game = Game::default();
        for number in 1..=reader.count() {
            let Some(tabiya_formats::cbh::layout::CbhRecord::Game(header)) = reader.record(number)
            else {
                continue;
            };
            reader
                .read(number, GameNeeds::ALL, &mut game)
                .expect("read");
            let stored = &moves[header.moves as usize..];
            let mode = CbhMoveHead::decode(stored).expect("a head").mode();
            let (again, ..) = encode::game(&game, mode);
            let fillers = fillers_beside(stream(stored), stream(&again));
            let fillers = fillers.unwrap_or_else(|| panic!("{} {number}", path.display()));
            assert!(fillers <= 1, "{} {number}", path.display());
            games += 1;
            with_fillers += fillers;
        }
    }
    if games > 0 {
        assert!(games > 6_800, "{games} games");
        // One game of an old program is padded.
        assert_eq!(with_fillers, 1);
        eprintln!("{games} games encoded again, {with_fillers} of them filled up");
    }
}

#[test]
fn the_pgn_that_another_program_made() {
    let Some(folder) = shared("oracles/cbh/srenault-test") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("output/test.pgn")).expect("read");
    let others = games(&text);
    let reader =
        CbhReader::open(&folder.join("test.cbh"), &OpenOptions::default()).expect("opened");
    assert_eq!(reader.count(), others.len() as u64);
    for (number, other) in (1..).zip(&others) {
        let mut game = Game::default();
        reader
            .read(number, GameNeeds::ALL, &mut game)
            .expect("read");
        for tag in ["Event", "Site", "Date", "Round", "White", "Black", "Result"] {
            assert_eq!(
                game.tags.value(tag),
                other.tags.value(tag),
                "{number}: {tag}"
            );
        }
        // It counts one move too many if Black begins; all other fields are the same.
        let fields = |game: &Game| {
            let fen = game.start_board().to_fen();
            let (position, number) = fen.rsplit_once(' ').expect("a number");
            (
                position.to_owned(),
                number.parse::<u32>().expect("a number"),
            )
        };
        let (ours, theirs) = (fields(&game), fields(other));
        assert_eq!(ours.0, theirs.0, "{number}");
        let is_black = game.start_board().turn() == shakmaty::Color::Black;
        assert_eq!(ours.1 + u32::from(is_black), theirs.1, "{number}");
        let bare = |game: &Game| {
            let mut nodes = encode::tree(game);
            for node in &mut nodes {
                (node.before, node.after, node.nags) = Default::default();
            }
            encode::listed(&nodes)
        };
        assert_eq!(bare(&game), bare(other), "{number}");
    }
}

/// The fields of a quotation, without the moves.
pub(crate) fn quotation(it: &CbhQuotation<'_>, payload: &[u8], charset: Charset) -> Value {
    let [white, black, event, site] = it.names.map(|name| charset.decode(name).into_owned());
    let eco = (it.eco >> 7).checked_sub(1).and_then(EcoCode::from_index);
    let word = |at: usize| u16::from_be_bytes([payload[at], payload[at + 1]]);
    let [kind, nation, category, rounds] = it.tournament;
    json!({
        "size": word(0), "kind": it.kind, "flags": word(4), "white": white, "black": black,
        "white_elo": it.ratings[0], "black_elo": it.ratings[1],
        "eco": eco.map_or(String::new(), |code| code.to_string()), "event": event, "site": site,
        "date": date(it.date), "type": kind, "nation": nation, "category": category,
        "rounds": rounds, "round": it.round[0], "subround": it.round[1],
        "result": result_text(it.result), "unknown": it.unknown,
    })
}
