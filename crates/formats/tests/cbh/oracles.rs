//! The databases of `oracles/cbh`: headers, trees, annotations and texts, field by field as the expectations have them.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabiya_formats::cbh::Reader;
use tabiya_formats::cbh::annotations::{self, Localised, Note};
use tabiya_formats::cbh::entities::{self, Name, Source, Table, Team, Tournament};
use tabiya_formats::cbh::layout::{
    AnnotationHead, MoveHead, PackedDate, Record, StartRecord, TextRecord, outcome,
};
use tabiya_formats::cbh::tables;
use tabiya_formats::cbh::text;
use tabiya_formats::format::OpenOptions;
use tabiya_io::compression;
use tabiya_model::board::CastlingStyle;
use tabiya_model::charset::Charset;
use tabiya_model::command::{self, Piece};
use tabiya_model::game::Start;
use tabiya_model::tape::{Op, Replay};
use tabiya_model::{Database, Game, Severity, Want};

use crate::shared;

/// The expectations of a folder, one value for each record.
fn expected(path: &Path) -> Vec<Value> {
    let limits = compression::Limits::default();
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

/// The plain rule of the expectations: UTF-8 where it is valid, else the code page.
fn plain(bytes: &[u8], charset: Charset) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // Bytes without a meaning are another character there.
        Err(_) => charset
            .decode(bytes)
            .chars()
            .map(|c| match c {
                '\u{80}'..='\u{9f}' => '\u{fffd}',
                c => c,
            })
            .collect(),
    }
}

fn name(name: Name<'_>, charset: Charset) -> String {
    plain(name.bytes, charset)
}

fn date(date: PackedDate) -> String {
    let part = |value: u16, digits: usize| match value {
        0 => "?".repeat(digits),
        value => format!("{value:0digits$}"),
    };
    let [month, day] = [date.month(), date.day()].map(u16::from);
    format!(
        "{}.{}.{}",
        part(date.year(), 4),
        part(month, 2),
        part(day, 2)
    )
}

fn tournament(reader: &Reader, id: u32, charset: Charset) -> Value {
    let Some(data) = reader.entities(Table::Tournaments).get(id) else {
        return Value::Null;
    };
    let it = Tournament::decode(data);
    let time = match it.kind >> 5 {
        0 => "normal",
        1 => "blitz",
        2 => "rapid",
        4 => "corr",
        _ => "other",
    };
    json!({
        "title": name(it.title, charset), "place": name(it.place, charset), "date": date(it.date),
        "type": it.kind & 31, "time": time, "team": it.is_team, "nation": it.nation,
        "category": it.category, "rounds": it.rounds,
    })
}

fn source(reader: &Reader, id: u32, charset: Charset) -> Value {
    let Some(data) = reader.entities(Table::Sources).get(id) else {
        return Value::Null;
    };
    let it = Source::decode(data);
    json!({
        "title": name(it.title, charset), "publisher": name(it.publisher, charset),
        "date": date(it.date), "quality": it.quality,
    })
}

fn annotator(reader: &Reader, id: u32, charset: Charset) -> Value {
    match reader.entities(Table::Annotators).get(id) {
        Some(data) => json!(name(entities::annotator(data), charset)),
        None => Value::Null,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn result_text(result: u8) -> String {
    match (result, outcome(result)) {
        (3, _) => "line".to_owned(),
        (_, (_, Some(own))) => own.to_owned(),
        (_, (known, None)) => known.as_pgn().to_owned(),
    }
}

/// The header of a record as the expectations have it.
fn header(reader: &Reader, number: u64, charset: Charset) -> Value {
    let record = reader.record(number).expect("a record");
    let mut value = match record {
        Record::Game(game) => {
            let player = |id| match reader.entities(Table::Players).get(id) {
                None => Value::Null,
                Some(data) => {
                    let [last, first] = entities::player(data);
                    json!({"last": name(last, charset), "first": name(first, charset)})
                }
            };
            let (eco, sub) = match game.eco() {
                Some((eco, sub)) => (eco.to_string(), sub),
                None => (String::new(), 0),
            };
            json!({
                "kind": "game", "flags": game.kind, "cbg": game.moves, "cba": game.annotations,
                "white": player(game.players[0]), "black": player(game.players[1]),
                "ids": [game.players[0], game.players[1], game.tournament, game.annotator, game.source],
                "tournament": tournament(reader, game.tournament, charset),
                "annotator": annotator(reader, game.annotator, charset),
                "source": source(reader, game.source, charset),
                "date": date(game.date), "result": result_text(game.result),
                "line_nag": game.line_nag, "round": game.round[0], "subround": game.round[1],
                "white_elo": game.ratings[0], "black_elo": game.ratings[1],
                "eco": eco, "eco_sub": sub, "medals": game.medals, "anno_flags": game.flags,
                "magnitude": game.magnitude, "move_count": game.move_count,
            })
        }
        Record::Text(TextRecord {
            kind,
            body,
            tournament: event,
            source: origin,
            annotator: author,
            round,
            flags,
        }) => json!({
            "kind": "text", "flags": kind, "cbg": body, "tournament": tournament(reader, event, charset),
            "source": source(reader, origin, charset), "annotator": annotator(reader, author, charset),
            "round": round[0], "subround": round[1], "anno_flags": flags,
        }),
        Record::Unknown(_) => panic!("record {number} is of no kind"),
    };
    value["id"] = json!(number);
    value["deleted"] = json!(record.is_deleted());
    let second = reader.second(number);
    if let (Some(second), Record::Game(_)) = (second, record) {
        let team = |id: Option<u32>| id.map_or(json!(-1), |id| json!(id));
        let [white, black] = second.teams();
        let bytes = second.bytes();
        let part = |from: usize, length| bytes.get(from..from + length).map(hex);
        let mut more = json!({
            "white_team": team(white), "black_team": team(black), "cbm": team(second.media()),
        });
        let mut add = |key: &str, part: Option<Value>| {
            if let Some(part) = part {
                more[key] = part;
            }
        };
        add("cba64", second.annotations().map(|it| json!(it)));
        add("cbg64", second.moves().map(|it| json!(it)));
        add("material", part(20, 10).map(|it| json!(it)));
        add("wr_type", part(38, 16).map(|it| json!(it)));
        add("br_type", part(54, 16).map(|it| json!(it)));
        add("version", second.version().map(|it| json!(it)));
        add("created", second.created().map(|it| json!(it)));
        add("endings", part(88, 20).map(|it| json!(it)));
        // The expectations hold the upper half of the time alone.
        add("saved", second.saved().map(|it| json!(it >> 32)));
        if bytes.len() >= 120 {
            more["tag"] = second.title().map_or(json!(-1), |it| json!(it));
        }
        value["cbj"] = more;
        for (key, id) in ["white_team", "black_team"].into_iter().zip([white, black]) {
            if let Some(data) = id.and_then(|id| reader.entities(Table::Teams).get(id)) {
                value[key] = json!(name(Team::decode(data).title, charset));
            }
        }
    }
    value
}

/// Keys that say what is not in the header.
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

fn assert_header(oracle: &Oracle, reader: &Reader, number: u64, expected: &Value) {
    let mut wanted = expected.clone();
    let object = wanted.as_object_mut().expect("an object");
    for key in NOT_HEADER {
        object.remove(key);
    }
    let mut got = header(reader, number, oracle.charset);
    // What an old second header has no room for is left out of either.
    if let (Some(got), Some(wanted)) = (got.get_mut("cbj"), object.get("cbj")) {
        let (Some(got), Some(wanted)) = (got.as_object_mut(), wanted.as_object()) else {
            panic!("{}: {number}", oracle.name);
        };
        got.retain(|key, _| wanted.contains_key(key));
    }
    assert_eq!(got, wanted, "{} {number}", oracle.name);
}

/// The record of moves of a game.
fn move_record(files: &Files, offset: u64) -> Option<(MoveHead, &[u8])> {
    let bytes = files.moves.get(usize::try_from(offset).ok()?..)?;
    let head = MoveHead::decode(bytes)?;
    Some((head, bytes.get(..head.size as usize)?))
}

struct Files {
    moves: Vec<u8>,
    annotations: Vec<u8>,
}

/// Moves, variations, NAGs and texts of a game in the order of a tape.
#[derive(PartialEq, Eq, Debug)]
enum Word {
    Move(String, String),
    Nag(u64),
    Text(String),
    Begin,
    End,
}

/// The movetext that the expectations describe.
fn expected_words(expected: &Value) -> Vec<Word> {
    let moves = expected["moves"].as_array().expect("moves");
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); moves.len() + 1];
    for (index, m) in moves.iter().enumerate() {
        let parent = m[0].as_i64().expect("a parent");
        children[usize::try_from(parent + 1).expect("a node")].push(index);
    }
    let none = Vec::new();
    let notes = expected["annotations"].as_array().unwrap_or(&none);
    let last_main = expected["main_len"].as_i64().expect("a length") - 1;
    let at = |note: &Value| {
        let at = note["pos"].as_i64().expect("a place");
        if at < moves.len() as i64 {
            at
        } else {
            last_main
        }
    };
    let mut words = Vec::new();
    let texts = |words: &mut Vec<Word>, place: i64, name: &str| {
        for note in notes {
            let is_kind = note["name"] == name || (place == -1 && note["name"] == "text_before");
            if at(note) == place && is_kind {
                let text = note["text"].as_str().expect("a text");
                if !text.trim().is_empty() {
                    words.push(Word::Text(text.to_owned()));
                }
            }
        }
    };
    let nags = |words: &mut Vec<Word>, place: i64| {
        for note in notes {
            if at(note) == place && note["name"] == "symbols" {
                for nag in note["nags"].as_array().expect("a list") {
                    match nag.as_u64().expect("a number") {
                        0 => {}
                        nag => words.push(Word::Nag(nag)),
                    }
                }
            }
        }
    };
    nags(&mut words, -1);
    texts(&mut words, -1, "text_after");
    // What is still to be done, the next thing last.
    enum Task {
        Line(usize),
        Move(usize, bool),
        Word(Word),
    }
    let mut tasks = vec![Task::Line(0)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Word(word) => words.push(word),
            Task::Line(node) => {
                let Some((main, others)) = children[node].split_first() else {
                    continue;
                };
                tasks.push(Task::Line(main + 1));
                for other in others.iter().rev() {
                    tasks.push(Task::Word(Word::End));
                    tasks.push(Task::Move(*other, true));
                    tasks.push(Task::Word(Word::Begin));
                }
                tasks.push(Task::Move(*main, false));
            }
            Task::Move(index, goes_on) => {
                let place = index as i64;
                texts(&mut words, place, "text_before");
                let text = |at: usize| moves[index][at].as_str().unwrap_or("").to_owned();
                words.push(Word::Move(text(1), text(2)));
                nags(&mut words, place);
                texts(&mut words, place, "text_after");
                if goes_on {
                    tasks.push(Task::Line(index + 1));
                }
            }
        }
    }
    words
}

/// The movetext of a game that was read, texts as they stood in the file.
fn words(game: &Game, charset: Charset) -> Vec<Word> {
    let mut words = Vec::new();
    let mut replay = Replay::new(&game.start_board());
    let style = match game.variant {
        tabiya_model::game::Variant::Chess960 => CastlingStyle::KingTakesRook,
        _ => CastlingStyle::KingMoves,
    };
    for op in game.tape.ops() {
        match op {
            Op::Move(m) => {
                let (mut uci, mut san) = (Vec::new(), Vec::new());
                replay.now().write_uci(m, style, &mut uci);
                let is_legal = m.is_null() || replay.now().is_legal(m);
                if is_legal {
                    replay.now().clone().play_san(m, &mut san);
                }
                let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("ASCII");
                words.push(Word::Move(text(uci), text(san)));
            }
            Op::Nag(nag) => words.push(Word::Nag(u64::from(nag.0))),
            Op::Comment(id) => {
                let original = game.tape.texts().original(id);
                let text = plain(without_commands(&original), charset);
                if !text.trim().is_empty() {
                    words.push(Word::Text(text));
                }
            }
            Op::Begin(_) => words.push(Word::Begin),
            Op::End => words.push(Word::End),
            Op::Raw(_) | Op::Ext(_) | Op::Outcome(_) => {}
        }
        replay.follow(op);
    }
    words
}

/// A text without the commands that were put before it.
fn without_commands(bytes: &[u8]) -> &[u8] {
    let ascii: String = bytes
        .iter()
        .map(|byte| {
            if byte.is_ascii() {
                char::from(*byte)
            } else {
                'x'
            }
        })
        .collect();
    let mut from = 0;
    while let Some(Piece::Command { text, .. }) = command::pieces(&ascii[from..]).next() {
        from += text.len();
        // One space stands behind the last command and between some of them.
        from += usize::from(ascii[from..].starts_with(' '));
    }
    &bytes[from..]
}

fn localised(list: &[Localised<'_>], charset: Charset) -> Value {
    list.iter()
        .map(|it| {
            let language = tables::title_language(it.language)
                .map_or(json!(it.language), |letters| json!(letters));
            json!({"lang": language, "text": plain(it.bytes, charset)})
        })
        .collect()
}

/// The annotations of a game as the expectations have them.
fn notes(files: &Files, offset: u32, charset: Charset) -> Vec<Value> {
    let Some(bytes) = files.annotations.get(offset as usize..) else {
        return Vec::new();
    };
    let head = AnnotationHead::decode(bytes).expect("a head");
    let bytes = &bytes[AnnotationHead::LENGTH..head.size as usize];
    let mut list = annotations::items(bytes);
    let mut notes = Vec::new();
    for item in list.by_ref() {
        let note = item.note().unwrap_or_else(|| panic!("{item:02x?}"));
        let mut value = match &note {
            Note::Text(text) => json!({
                "name": if text.is_before { "text_before" } else { "text_after" },
                "b0": text.unknown, "nation": text.nation,
                "lang": tables::language(text.nation).unwrap_or("any"),
                "text": plain(text.bytes, charset),
            }),
            Note::Symbols(nags) => json!({"name": "symbols", "nags": nags}),
            Note::Squares(_) => json!({"name": "squares", "squares": listed(&note)}),
            Note::Arrows(_) => json!({"name": "arrows", "arrows": listed(&note)}),
            Note::Critical(value) => json!({"name": "critical", "value": value}),
            Note::Medals(bits) => json!({"name": "medals", "medals": bits}),
            Note::VariationColour { flags, colour } => {
                json!({"name": "variation_colour", "flags": flags, "rgb": colour})
            }
            Note::Training(it) => {
                let solutions: Vec<Value> = it
                    .solutions
                    .iter()
                    .map(|it| {
                        json!({
                            "move": format!("{}{}", it.squares[0], it.squares[1]),
                            "x": it.unknown, "points": it.points,
                            "text": localised(&it.texts, charset),
                        })
                    })
                    .collect();
                let lists: Vec<Value> = it.hints.iter().map(|it| localised(it, charset)).collect();
                json!({"name": "training", "training": {
                    "b": &item.payload[..3], "size": item.payload.len() - 3,
                    "seconds": it.seconds, "points": it.points,
                    "question": localised(&it.question, charset), "lists": lists,
                    "solutions": solutions,
                }})
            }
            other => panic!("{other:?} is in no expectation"),
        };
        value["pos"] = json!(item.place);
        value["type"] = json!(item.kind);
        notes.push(value);
    }
    assert!(list.rest().is_empty());
    notes
}

/// The entries of a list of squares or arrows.
fn listed(note: &Note<'_>) -> Vec<String> {
    let mut command = String::new();
    assert!(note.command(true, &mut command));
    let inner = command.get(6..command.len() - 1).expect("a command");
    inner.split(',').map(str::to_owned).collect()
}

fn guiding_text(files: &Files, offset: u32, charset: Charset) -> Value {
    let (head, bytes) = move_record(files, u64::from(offset)).expect("a body");
    let (it, fault) = text::guiding(&bytes[MoveHead::LENGTH..]);
    assert_eq!(fault, None);
    let language = |number| tables::title_language(number).map_or(json!(number), |it| json!(it));
    let titles: Vec<Value> = it
        .titles
        .iter()
        .map(|(number, title)| json!({"lang": language(*number), "text": plain(title, charset)}))
        .collect();
    let contents: Vec<Value> = it
        .contents
        .iter()
        .map(|content| {
            let mut value = json!({
                "lang": language(content.language), "bytes": content.text.len(),
                "text": plain(content.text, charset),
            });
            let key = if it.format == text::HTML {
                "tail"
            } else {
                "format_bytes"
            };
            value[key] = json!(content.formatting.len());
            value
        })
        .collect();
    json!({
        "format": it.format, "flags": head.flags, "size": head.size, "b": it.unknown,
        "titles": titles, "contents": contents, "notes": [],
    })
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_default()
}

#[test]
fn every_database_is_what_it_is_expected_to_be() {
    for oracle in oracles() {
        let options = OpenOptions {
            encoding: Some(oracle.charset),
            ..OpenOptions::default()
        };
        let reader = Reader::open(&oracle.path, &options).expect("opened");
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
        tabiya_model::database::for_each_game(&mut *source, Want::ALL, |game| {
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
            reader.read(number, Want::ALL, &mut again).expect("read");
            assert_eq!(again, *game, "{place}: random access");
            let has_error = ["error", "errors", "anno_error"]
                .iter()
                .any(|key| expected.get(key).is_some())
                || expected["text"].get("error").is_some();
            let is_unknown = expected["white"].is_null() && expected["kind"] == "game";
            let damage = game.diagnostics.at_least(Severity::Damage) > 0;
            // A file that is missing is told once for all games.
            let is_told_once = expected.get("anno_error").is_some() && files.annotations.is_empty();
            assert_eq!(
                damage,
                (has_error && !is_told_once) || is_unknown,
                "{place}: {:?}",
                game.diagnostics
            );
            match reader.record(number).expect("a record") {
                Record::Text(record) => {
                    assert_eq!(game.tape.plies(), 0);
                    if !has_error {
                        let text = guiding_text(&files, record.body, oracle.charset);
                        assert_eq!(text, expected["text"], "{place}");
                    }
                }
                Record::Game(record) => {
                    if expected.get("moves").is_none() {
                        assert!(game.tape.plies() == 0 && has_error, "{place}");
                        continue;
                    }
                    let fen = match &game.start {
                        Start::Standard => Value::Null,
                        Start::Setup(board, _) => json!(board.to_fen()),
                    };
                    assert_eq!(&fen, expected.get("fen").unwrap_or(&Value::Null), "{place}");
                    let (head, bytes) =
                        move_record(&files, u64::from(record.moves)).expect("moves");
                    assert_eq!(json!(head.flags), expected["cbg_flags"], "{place}");
                    assert_eq!(json!(head.mode()), expected["mode"], "{place}");
                    if let Some(setup) = expected.get("setup") {
                        let start = bytes[4..].first_chunk().expect("a position");
                        let start = StartRecord::decode(start).expect("a position");
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
                Record::Unknown(_) => panic!("{place}"),
            }
        }
        if !oracle.damaged {
            assert!(
                reader.diagnostics().is_empty(),
                "{}: {:?}",
                oracle.name,
                reader.diagnostics()
            );
        }
        eprintln!(
            "{} ({}): {} records, {moves} moves, {notes_seen} annotations equal",
            oracle.name,
            oracle.charset.name(),
            games.len()
        );
    }
}
