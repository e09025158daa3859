//! Moves, annotations and guiding texts in the form of the expectations.

use std::path::Path;

use serde_json::{Value, json};
use tabiya_formats::cbh::annotations::{self, CbhAnnotation, CbhLocalisedText};
use tabiya_formats::cbh::layout::{CbhAnnotationHead, CbhMoveHead};
use tabiya_formats::cbh::{tables, text};
use tabiya_model::Game;
use tabiya_model::board::CastlingStyle;
use tabiya_model::charset::Charset;
use tabiya_model::command::{self, CommentPart};
use tabiya_model::tape::{Replay, TapeOp};

use crate::cbh::blobs::quotation;
use crate::cbh::headers::plain;

/// The record of moves of a game.
pub(crate) fn move_record(files: &Files, offset: u64) -> Option<(CbhMoveHead, &[u8])> {
    let bytes = files.moves.get(usize::try_from(offset).ok()?..)?;
    let head = CbhMoveHead::decode(bytes)?;
    Some((head, bytes.get(..head.size as usize)?))
}

pub(crate) struct Files {
    pub(crate) moves: Vec<u8>,
    pub(crate) annotations: Vec<u8>,
}

/// Moves, variations, NAGs and texts of a game in the order of a tape.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Word {
    Move(String, String),
    Nag(u64),
    Text(String),
    Begin,
    End,
}

/// The movetext described by the expectations.
pub(crate) fn expected_words(expected: &Value) -> Vec<Word> {
    let moves = expected["moves"].as_array().expect("moves");
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); moves.len() + 1];
    for (index, m) in moves.iter().enumerate() {
        let parent = m[0].as_i64().expect("a parent");
        children[usize::try_from(parent + 1).expect("a node")].push(index);
    }
    let none = Vec::new();
    let notes = expected["annotations"].as_array().unwrap_or(&none);
    let last_main = expected["main_len"].as_i64().unwrap_or(0) - 1;
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
    // Work still to be done, the next item last.
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

/// The movetext of a game that was read, with texts as in the file.
pub(crate) fn words(game: &Game, charset: Charset) -> Vec<Word> {
    let mut words = Vec::new();
    let mut replay = Replay::new(&game.start_board());
    let style = match game.variant {
        tabiya_model::game::Variant::Chess960 => CastlingStyle::KingTakesRook,
        _ => CastlingStyle::KingMoves,
    };
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                let (mut uci, mut san) = (Vec::new(), Vec::new());
                replay.now().write_uci(m, style, &mut uci);
                let is_legal = m.is_null() || replay.now().is_legal(m);
                if is_legal {
                    replay.now().clone().play_san(m, &mut san);
                }
                let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("ASCII");
                words.push(Word::Move(text(uci), text(san)));
            }
            TapeOp::Nag(nag) => words.push(Word::Nag(u64::from(nag.0))),
            TapeOp::Comment(id) => {
                let original = game.tape.texts().original(id);
                let text = plain(without_commands(&original), charset);
                if !text.trim().is_empty() {
                    words.push(Word::Text(text));
                }
            }
            TapeOp::Begin(_) => words.push(Word::Begin),
            TapeOp::End => words.push(Word::End),
            TapeOp::Raw(_) | TapeOp::Ext(_) | TapeOp::Outcome(_) => {}
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
    while let Some(CommentPart::Command { text, .. }) = command::pieces(&ascii[from..]).next() {
        from += text.len();
        // There is one space after the last command and between some of them.
        from += usize::from(ascii[from..].starts_with(' '));
    }
    &bytes[from..]
}

fn localised(list: &[CbhLocalisedText<'_>], charset: Charset) -> Value {
    list.iter()
        .map(|it| {
            let language = tables::title_language(it.language)
                .map_or(json!(it.language), |letters| json!(letters));
            json!({"lang": language, "text": plain(it.bytes, charset)})
        })
        .collect()
}

/// The annotations of a game in the form of the expectations.
pub(crate) fn notes(files: &Files, offset: u32, charset: Charset) -> Vec<Value> {
    let Some(bytes) = files.annotations.get(offset as usize..) else {
        return Vec::new();
    };
    let head = CbhAnnotationHead::decode(bytes).expect("a head");
    let bytes = &bytes[CbhAnnotationHead::LENGTH..head.size as usize];
    let mut list = annotations::items(bytes);
    let mut notes = Vec::new();
    for item in list.by_ref() {
        let note = item.note().unwrap_or_else(|| panic!("{item:02x?}"));
        let mut value = match &note {
            CbhAnnotation::Text(text) => json!({
                "name": if text.is_before { "text_before" } else { "text_after" },
                "b0": text.unknown, "nation": text.nation,
                "lang": tables::language(text.nation).unwrap_or("any"),
                "text": plain(text.bytes, charset),
            }),
            CbhAnnotation::Symbols(nags) => json!({"name": "symbols", "nags": nags}),
            CbhAnnotation::Squares(_) => json!({"name": "squares", "squares": listed(&note)}),
            CbhAnnotation::Arrows(_) => json!({"name": "arrows", "arrows": listed(&note)}),
            CbhAnnotation::Critical(value) => json!({"name": "critical", "value": value}),
            CbhAnnotation::Medals(bits) => json!({"name": "medals", "medals": bits}),
            CbhAnnotation::VariationColour { flags, colour } => {
                json!({"name": "variation_colour", "flags": flags, "rgb": colour})
            }
            CbhAnnotation::Training(it) => {
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
            CbhAnnotation::Quotation(it) => json!({
                "name": "quotation", "quote": quotation(it, item.payload, charset),
            }),
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
fn listed(note: &CbhAnnotation<'_>) -> Vec<String> {
    let mut command = String::new();
    assert!(note.command(true, &mut command));
    let inner = command.get(6..command.len() - 1).expect("a command");
    inner.split(',').map(str::to_owned).collect()
}

pub(crate) fn guiding_text(files: &Files, offset: u32, charset: Charset) -> Value {
    let (head, bytes) = move_record(files, u64::from(offset)).expect("a body");
    let (it, fault) = text::guiding(&bytes[CbhMoveHead::LENGTH..]);
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

pub(crate) fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_default()
}
