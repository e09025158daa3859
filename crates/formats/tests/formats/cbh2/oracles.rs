//! The databases of `oracles/2cbh`: headers, trees, annotations and texts, field by field as in the expectations, and games
//! as in the expected PGN.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabiya_formats::cbh::tables;
use tabiya_formats::cbh2::Cbh2Reader;
use tabiya_formats::cbh2::layout::Cbh2Record;
use tabiya_formats::format::OpenOptions;
use tabiya_formats::registry;
use tabiya_io::compression;
use tabiya_io::container::InputFiles;
use tabiya_model::board::CastlingStyle;
use tabiya_model::game::StartingPosition;
use tabiya_model::tape::TapeOp;
use tabiya_model::{Board, Database, Game, GameNeeds, Move, Severity};

use crate::cbh2::{expectations, shared};

/// The content of a file, compressed or not.
fn content(path: &Path) -> String {
    let mut text = String::new();
    compression::open_stream(path, &compression::UnpackLimits::default())
        .expect("opened")
        .read_to_string(&mut text)
        .expect("read");
    text
}

/// The file with a name in a folder, compressed or not.
fn either(folder: &Path, name: &str) -> PathBuf {
    let plain = folder.join(name);
    match plain.exists() {
        true => plain,
        false => folder.join(format!("{name}.zst")),
    }
}

pub(crate) struct Oracle {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
    folder: PathBuf,
    /// The folder of unpacked files.
    _unpacked: Option<tempfile::TempDir>,
}

pub(crate) const PLAIN: [&str; 5] = ["plain", "annotated", "c960setups", "texts", "converted"];

pub(crate) fn oracles() -> Vec<Oracle> {
    let Some(root) = shared("oracles/2cbh") else {
        return Vec::new();
    };
    let mut found: Vec<Oracle> = PLAIN
        .into_iter()
        .map(|name| Oracle {
            name,
            path: root.join(name).join(format!("{name}.2cbh")),
            folder: root.join(name),
            _unpacked: None,
        })
        .collect();
    let unpacked = tempfile::tempdir().expect("a folder");
    let many = root.join("many");
    let limits = compression::UnpackLimits::default();
    for member in InputFiles::open(&many.join("many.tar.zst"), &limits).expect("opened") {
        let mut member = member.expect("a member");
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).expect("unpacked");
        let name = Path::new(member.name()).file_name().expect("a name");
        std::fs::write(unpacked.path().join(name), bytes).expect("written");
    }
    found.push(Oracle {
        name: "many",
        path: unpacked.path().join("many.2cbh"),
        folder: many,
        _unpacked: Some(unpacked),
    });
    found
}

/// The moves of a game in the order of PGN, each with the place of the previous one.
fn tree(game: &Game) -> Value {
    let mut nodes: Vec<Value> = Vec::new();
    let start = game.start_board();
    // The position and the place of the last move, and those before it.
    let (mut now, mut before) = ((start.clone(), -1_i64), (start, -1_i64));
    let mut open = Vec::new();
    let style = match game.variant {
        tabiya_model::game::Variant::Chess960 => CastlingStyle::KingTakesRook,
        _ => CastlingStyle::KingMoves,
    };
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                nodes.push(json!([now.1, uci(&now.0, m, style)]));
                before = now.clone();
                now.0.play(m);
                now.1 = nodes.len() as i64 - 1;
            }
            TapeOp::Begin(_) => {
                open.push((now.clone(), before.clone()));
                now = before.clone();
            }
            TapeOp::End => (now, before) = open.pop().expect("an open line"),
            _ => {}
        }
    }
    json!(nodes)
}

fn uci(board: &Board, m: Move, style: CastlingStyle) -> String {
    let mut text = Vec::new();
    board.write_uci(m, style, &mut text);
    String::from_utf8(text).expect("letters")
}

/// The content of a game, op by op: moves, lines, symbols and words.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Word {
    Move(Move),
    Begin,
    End,
    Nag(u32),
    Text(String),
}

/// A text without white space and without parts that PGN or the expectations spell differently.
fn plain(text: &str) -> String {
    // They write a missing sub-round.
    let mut plain = text.replace(".-1)", ")").replace(" (?)", "");
    // A text of an invalid nation has no language.
    plain = plain.replace("[%lang other]", "");
    // The expectations leave training questions out.
    while let Some(at) = plain.find("[%tqu ") {
        // A bracket within quotes closes nothing.
        let mut is_quoted = false;
        let end = plain[at..].find(|c| {
            is_quoted ^= c == '"';
            c == ']' && !is_quoted
        });
        let end = end.map_or(plain.len(), |end| at + end + 1);
        plain.replace_range(at..end, "");
    }
    // A link with quotes in it cannot be written as a command, and is kept; the expectations have it unchanged.
    let mut from = 0;
    while let Some(at) = plain[from..].find("[%link ").map(|at| from + at) {
        let end = plain[at..]
            .find("\"]")
            .map_or(plain.len(), |end| at + end + 2);
        if plain[at..end].matches('"').count() == 4 {
            from = end;
        } else {
            plain.replace_range(at..end, "");
            from = at;
        }
    }
    let figurines = "♔♕♖♗♘♙";
    plain
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| match c {
            '\u{e024}'..='\u{e029}' => {
                let number = c as usize - 0xe024;
                figurines.chars().nth(number).expect("a figurine")
            }
            '{' => '(',
            '}' => ')',
            c => c,
        })
        .collect()
}

/// Evaluations of depth 0 without the depth, which is none.
fn without_depth_0(text: String) -> String {
    let mut parts = text.split("[%eval");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (value, rest) = part.split_once(']').expect("a command ends");
        let value = value.strip_suffix(",0").unwrap_or(value);
        plain.push_str(&format!("[%eval{value}]{rest}"));
    }
    plain
}

fn words(game: &Game) -> Vec<Word> {
    let is_text = game.tags.value("CbhKind") == "text";
    // PGN has no place for symbols before the first move.
    let has_moves = game.tape.ops().any(|op| matches!(op, TapeOp::Move(_)));
    let mut words = Vec::new();
    for op in game.tape.ops() {
        let word = match op {
            TapeOp::Move(m) => Word::Move(m),
            TapeOp::Begin(_) => Word::Begin,
            TapeOp::End => Word::End,
            TapeOp::Nag(_)
                if has_moves && !words.iter().any(|word| matches!(word, Word::Move(_))) =>
            {
                continue;
            }
            TapeOp::Nag(nag) => Word::Nag(nag.0),
            TapeOp::Comment(id) => match without_depth_0(plain(game.tape.text(id))) {
                text if text.is_empty() => continue,
                // Languages without a text.
                text if is_text && text.starts_with("[%lang") && text.ends_with(']') => continue,
                // Where one comment ends and the next begins is arbitrary.
                text => match words.last_mut() {
                    Some(Word::Text(before)) => {
                        before.push_str(&text);
                        continue;
                    }
                    _ => Word::Text(text),
                },
            },
            TapeOp::Raw(_) | TapeOp::Ext(_) | TapeOp::Outcome(_) => continue,
        };
        words.push(word);
    }
    words
}

/// Tags that the expectations do not have.
const OURS: [&str; 17] = [
    "SourceDate",
    "SourceVersion",
    "SourceVersionDate",
    "SourceQuality",
    "CbhWhiteId",
    "CbhBlackId",
    "CbhSaves",
    "CbhCreated",
    "CbhSaved",
    "CbhWhiteRating",
    "CbhBlackRating",
    "EventType",
    "EventCountry",
    "EventEndDate",
    "CbhEventPlace",
    "CbhEventTieBreaks",
    "CbhEventFlags",
];

fn open(path: &Path) -> Cbh2Reader {
    let options = OpenOptions {
        audit: true,
        ..OpenOptions::default()
    };
    Cbh2Reader::open(path, &options).expect("opened")
}

fn all(database: &dyn Database) -> Vec<Game> {
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

#[test]
fn every_record_is_what_it_is_expected_to_be() {
    for oracle in oracles() {
        let (mut moves, mut notes_seen) = (0, 0);
        let expected: Vec<Value> = content(&either(&oracle.folder, "expected.jsonl"))
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let facts: Value =
            serde_json::from_str(&content(&oracle.folder.join("facts.json"))).expect("JSON");
        let reader = open(&oracle.path);
        let told = reader.diagnostics();
        assert!(told.is_empty(), "{}: {told:?}", oracle.name);
        assert_eq!(json!(reader.count()), facts["records"], "{}", oracle.name);
        for (table, key) in [
            (
                tabiya_formats::cbh2::entities::Cbh2EntityTable::Players,
                "players",
            ),
            (
                tabiya_formats::cbh2::entities::Cbh2EntityTable::Tournaments,
                "tournaments",
            ),
            (
                tabiya_formats::cbh2::entities::Cbh2EntityTable::Sources,
                "sources",
            ),
            (
                tabiya_formats::cbh2::entities::Cbh2EntityTable::Teams,
                "teams",
            ),
            (
                tabiya_formats::cbh2::entities::Cbh2EntityTable::Titles,
                "titles",
            ),
        ] {
            let count = reader.names().expect("names").count(table);
            assert_eq!(
                json!(count),
                facts["entities"][key],
                "{}: {key}",
                oracle.name
            );
        }
        let guesses: Vec<u64> = facts["resting_on_a_guess"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|guess| guess["id"].as_u64().expect("a number"))
            .collect();
        let games = all(&reader);
        assert_eq!(games.len(), expected.len(), "{}", oracle.name);
        for (game, mut expected) in games.iter().zip(expected) {
            let number = game.origin.number;
            let place = format!("{} {number}", oracle.name);
            let mut again = Game::default();
            reader
                .read(number, GameNeeds::ALL, &mut again)
                .expect("read");
            assert_eq!(again, *game, "{place}: random access");
            let mut take = |key: &str| {
                let object = expected.as_object_mut().expect("an object");
                object.remove(key).unwrap_or(Value::Null)
            };
            let (san, start, own_tree) = (take("san"), take("start"), take("tree"));
            let (notes, rest, texts) = (take("annotations"), take("rest"), take("texts"));
            assert_eq!(expectations::header(&reader, number), expected, "{place}");
            let is_damaged = game.diagnostics.at_least(Severity::Damage) > 0;
            assert_eq!(
                is_damaged,
                !rest.is_null(),
                "{place}: {:?}",
                game.diagnostics
            );
            if matches!(reader.record(number), Some(Cbh2Record::Text(_))) {
                let body = game
                    .tape
                    .extensions()
                    .iter()
                    .find(|it| it.name == "2cbh.text");
                assert_eq!(body_texts(&body.expect("a body").data), texts, "{place}");
                continue;
            }
            assert_eq!(tree(game), own_tree, "{place}");
            moves += own_tree.as_array().map_or(0, Vec::len);
            assert_eq!(
                san.as_array().map(Vec::len),
                own_tree.as_array().map(Vec::len)
            );
            let fen = match &game.start {
                StartingPosition::Standard => Board::standard().to_fen(),
                StartingPosition::Setup(board, _) => board.to_fen(),
            };
            assert_eq!(json!(fen), start["fen"], "{place}");
            let (found, found_rest) = expectations::annotations(&reader, number);
            notes_seen += notes.as_array().map_or(0, Vec::len);
            for (found, wanted) in found
                .as_array()
                .into_iter()
                .flatten()
                .zip(notes.as_array().into_iter().flatten())
            {
                assert_eq!(found, wanted, "{place}");
            }
            assert_eq!(found, notes, "{place}");
            assert_eq!(found_rest, rest, "{place}");
            let told: Vec<_> = game.diagnostics.iter().map(|it| it.code.name).collect();
            // The list contains one of each kind: every en passant capture is a guess.
            let passes = fen.split(' ').nth(3) != Some("-");
            let is_told = told.contains(&"2cbh-start-guess");
            assert!(!is_told || passes || guesses.contains(&number), "{place}");
            assert!(is_told || !passes, "{place}");
            assert!(
                !told.contains(&"2cbh-illegal-move"),
                "{place}: {:?}",
                game.diagnostics
            );
            assert!(
                !told.contains(&"2cbh-wrong-field"),
                "{place}: {:?}",
                game.diagnostics
            );
        }
        // All of it was compared.
        assert_eq!(json!(moves), facts["moves_of_all_lines"], "{}", oracle.name);
        let kinds = facts["annotations"].as_object().expect("an object");
        let counted: u64 = kinds.values().filter_map(Value::as_u64).sum();
        assert_eq!(notes_seen as u64, counted, "{}", oracle.name);
    }
}

/// The texts of a body, extracted by the test's own reader.
fn body_texts(body: &[u8]) -> Value {
    let word = |at: usize| i32::from_le_bytes(body[at..at + 4].try_into().expect("four bytes"));
    assert_eq!(word(2) as usize, body.len() - 6);
    let mut at = 10;
    let mut texts = Vec::new();
    for _ in 0..word(6) {
        let (nation, length) = (word(at), word(at + 4) as usize);
        let text = std::str::from_utf8(&body[at + 8..at + 8 + length]).expect("UTF-8");
        texts.push(json!([nation, text]));
        at += 8 + length;
    }
    json!(texts)
}

#[test]
fn every_game_is_that_of_the_expected_pgn() {
    for oracle in oracles() {
        let folder = tempfile::tempdir().expect("a folder");
        let pgn = folder.path().join("expected.pgn");
        std::fs::write(&pgn, content(&either(&oracle.folder, "expected.pgn"))).expect("written");
        let open_pgn = registry::by_name("pgn").and_then(|format| format.open);
        let pgn = open_pgn.expect("PGN is read")(&pgn, &OpenOptions::default()).expect("opened");
        let expected = all(&*pgn);
        let games = all(&open(&oracle.path));
        assert_eq!(games.len(), expected.len(), "{}", oracle.name);
        for (game, expected) in games.iter().zip(&expected) {
            let place = format!("{} {}", oracle.name, game.origin.number);
            for tag in expected.tags.iter() {
                // The expectations have numbers of nations.
                let nation = tag.value.parse().ok().and_then(tables::nation);
                let value = nation
                    .filter(|_| tag.name.ends_with("TeamCountry"))
                    .unwrap_or(tag.value);
                assert_eq!(game.tags.value(tag.name), value, "{place}: {}", tag.name);
            }
            for tag in game.tags.iter() {
                let is_known = OURS.contains(&tag.name) || expected.tags.get(tag.name).is_some();
                assert!(is_known, "{place}: {} {:?}", tag.name, tag.value);
            }
            let (got, wanted) = (words(game), words(expected));
            let differs = got.iter().zip(&wanted).find(|(a, b)| a != b);
            assert_eq!(differs, None, "{place}\n{got:?}\n{wanted:?}");
            assert_eq!(got.len(), wanted.len(), "{place}\n{got:?}\n{wanted:?}");
            assert_eq!(game.result(), expected.result(), "{place}");
        }
    }
}

/// The result of reading damaged databases.
#[test]
fn damaged_databases_are_read_as_far_as_they_go() {
    let Some(root) = shared("oracles/2cbh") else {
        return;
    };
    let note: Value =
        serde_json::from_str(&content(&root.join("damaged/NOTE.json"))).expect("JSON");
    let sound = all(&open(&root.join("annotated/annotated.2cbh")));
    let mut seen = 0;
    for variant in note["variants"].as_array().expect("a list") {
        let text = |key: &str| variant[key].as_str().expect("a text");
        let file = text("file");
        let folder = tempfile::tempdir().expect("a folder");
        for extension in ["2cbh", "2cbg", "2cba", "2lid", "2lgd", "2lcd", "ini"] {
            let name = format!("annotated.{extension}");
            let from = match name == text("replaces") {
                true => root.join("damaged").join(file),
                false => root.join("annotated").join(&name),
            };
            std::fs::copy(from, folder.path().join(name)).expect("copied");
        }
        let reader = open(&folder.path().join("annotated.2cbh"));
        let games = all(&reader);
        let told: Vec<_> = reader.diagnostics().iter().map(|it| it.code.name).collect();
        let codes = |number: usize| -> Vec<&str> {
            let found = games[number - 1].diagnostics.iter();
            found.map(|it| it.code.name).collect()
        };
        let extension = |number: usize, name: &str| {
            games[number - 1]
                .tape
                .extensions()
                .iter()
                .any(|it| it.name == name)
        };
        let moves = |game: &Game| {
            let ops = game.tape.ops().filter(|op| matches!(op, TapeOp::Move(_)));
            ops.count()
        };
        // Games that are affected; all others equal those of the sound database.
        let mut touched = vec![1];
        let mut count = sound.len();
        match file {
            "cut-record.2cbh" => {
                touched = Vec::new();
                count -= 1;
                assert!(told.contains(&"2cbh-headers-cut"), "{told:?}");
            }
            "long.2cbh" => {
                touched = vec![count + 1];
                count += 1;
                assert!(codes(count).contains(&"2cbh-unknown-record"));
                assert!(extension(count, "2cbh.record"));
            }
            "offset.2cbh" | "offset-far.2cbh" | "size.2cbg" | "minus.2cbg" => {
                assert!(codes(1).contains(&"2cbh-no-record"), "{file}");
                assert_eq!(moves(&games[0]), 0, "{file}");
            }
            "negative.2cbh" | "player.2cbh" => {
                touched = vec![2];
                assert!(codes(2).contains(&"2cbh-unknown-name"), "{file}");
                assert_eq!(games[1].tags.value("White"), "?");
                assert_eq!(words(&games[1]), words(&sound[1]));
            }
            "checksum.2cbg" => {
                assert!(codes(1).contains(&"2cbh-checksum"));
                assert_eq!(words(&games[0]), words(&sound[0]));
            }
            "noend.2cbg" => {
                assert!(codes(1).contains(&"2cbh-no-end"));
                assert_eq!(moves(&games[0]), 12);
            }
            "wrongman.2cbg" => {
                assert!(codes(1).contains(&"2cbh-bad-move"));
                assert_eq!(moves(&games[0]), 0);
                assert!(extension(1, "2cbh.moves"));
            }
            "cut.2cbg" => {
                touched = (2..=count).collect();
                for number in 2..=count {
                    assert!(codes(number).contains(&"2cbh-no-record"), "{number}");
                }
            }
            "count.2cba" | "textlen.2cba" => {
                assert_eq!(moves(&games[0]), moves(&sound[0]));
                assert!(extension(1, "2cbh.annotations"), "{file}");
                assert!(codes(1).iter().any(|it| it.starts_with("2cbh-annotation")));
            }
            "types.2lid" | "cut.2lid" => {
                touched = (1..=count).collect();
                let is_told = told.contains(&"2cbh-missing-file")
                    || games
                        .iter()
                        .any(|game| game.diagnostics.count_of("2cbh-unknown-name") > 0);
                assert!(is_told, "{file}");
                for (game, sound) in games.iter().zip(&sound) {
                    assert_eq!(words(game), words(sound), "{file}");
                }
            }
            "loop.2lid" => {
                touched = Vec::new();
                assert!(told.contains(&"2cbh-deleted-names"), "{told:?}");
            }
            "tree.2lcd" => {
                touched = Vec::new();
                assert!(told.contains(&"2cbh-name-order"), "{told:?}");
            }
            "chain.2lgd" => {
                touched = Vec::new();
                assert!(told.contains(&"2cbh-name-games"), "{told:?}");
            }
            other => panic!("nobody knows what becomes of {other}"),
        }
        assert_eq!(games.len(), count, "{file}");
        for (number, (game, sound)) in (1..).zip(games.iter().zip(&sound)) {
            if !touched.contains(&number) {
                assert_eq!(game, sound, "{file} {number}");
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 19);
}
