//! What a second decoder reads from written files is what the games say, word by word.

use std::path::Path;

use tabiya_formats::format::OpenOptions;
use tabiya_formats::pgn;
use tabiya_io::compression;
use tabiya_model::board::CastlingStyle;
use tabiya_model::database::for_each_game;
use tabiya_model::game::StartingPosition;
use tabiya_model::{Game, GameNeeds, Replay, TapeOp};

use super::decoder::{self, Note, Step, be, le};
use super::{file, write};
use crate::cbh::games::{self, Wild};
use crate::cbh::shared;

/// The words of a game in the order of PGN.
fn words_of(game: &Game) -> Vec<String> {
    let mut words = Vec::new();
    let mut replay = Replay::new(&game.start_board());
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                let mut text = Vec::new();
                replay
                    .now()
                    .write_uci(m, CastlingStyle::KingTakesRook, &mut text);
                words.push(String::from_utf8(text).expect("ASCII"));
            }
            TapeOp::Nag(nag) => words.push(format!("${}", nag.0)),
            TapeOp::Comment(id) => words.push(format!("{{{}}}", game.tape.text(id).trim())),
            TapeOp::Begin(_) => words.push("(".to_owned()),
            TapeOp::End => words.push(")".to_owned()),
            TapeOp::Raw(_) | TapeOp::Ext(_) | TapeOp::Outcome(_) => words.push("?".to_owned()),
        }
        replay.follow(op);
    }
    words
}

fn square(number: usize) -> String {
    let letter = |at: usize, first: u8| char::from(first + at as u8);
    format!("{}{}", letter(number / 8, b'a'), letter(number % 8, b'1'))
}

fn move_word(step: &Step) -> String {
    match step.squares {
        None => "0000".to_owned(),
        Some((from, to, promotion)) => {
            let letter = match promotion {
                2 => "q",
                3 => "n",
                4 => "b",
                5 => "r",
                _ => "",
            };
            format!("{}{}{letter}", square(from), square(to))
        }
    }
}

fn clock(hundredths: usize) -> String {
    let seconds = hundredths / 100;
    let rest = match hundredths % 100 {
        0 => String::new(),
        rest => format!(".{rest:02}"),
    };
    format!(
        "{}:{:02}:{:02}{rest}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// What a note that is no text says; `is_white` made the move.
fn command(note: &Note, is_white: bool) -> String {
    let bytes = &note.payload;
    let colour = |byte: u8| match byte {
        2 => 'G',
        3 => 'Y',
        4 => 'R',
        other => panic!("colour {other}"),
    };
    let at = |byte: u8| square(usize::from(byte) - 1);
    let list = |parts: Vec<String>| parts.join(",");
    match note.kind {
        4 => {
            let pairs = bytes
                .chunks(2)
                .map(|it| format!("{}{}", colour(it[0]), at(it[1])));
            format!("[%csl {}]", list(pairs.collect()))
        }
        5 => {
            let arrows = bytes
                .chunks(3)
                .map(|it| format!("{}{}{}", colour(it[0]), at(it[1]), at(it[2])));
            format!("[%cal {}]", list(arrows.collect()))
        }
        7 => {
            let [h, m, s, cc] = bytes[..] else {
                panic!("four bytes")
            };
            let seconds = (usize::from(h) * 60 + usize::from(m)) * 60 + usize::from(s);
            format!("[%emt {}]", clock(seconds * 100 + usize::from(cc)))
        }
        0x16 | 0x17 => {
            let name = match (note.kind == 0x16, is_white) {
                (true, true) | (false, false) => "clk",
                (true, false) => "wclk",
                (false, true) => "bclk",
            };
            format!("[%{name} {}]", clock(be(bytes, 0, 4)))
        }
        0x21 => {
            let word = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
            let value = match word(2) {
                0 => {
                    let sign = if word(0) < 0 { "-" } else { "" };
                    let amount = i32::from(word(0)).abs();
                    format!("{sign}{}.{:02}", amount / 100, amount % 100)
                }
                _ => format!("#{}", word(0)),
            };
            match word(4) {
                0 => format!("[%eval {value}]"),
                depth => format!("[%eval {value},{depth}]"),
            }
        }
        0x22 => format!("[%mdl {}]", be(bytes, 0, 4)),
        kind => panic!("a note of type {kind:02x}"),
    }
}

/// The text of a note with the mark of its language.
fn text(note: &Note) -> String {
    let languages = [
        (42, "en"),
        (53, "de"),
        (49, "fr"),
        (43, "es"),
        (70, "it"),
        (103, "nl"),
        (117, "pt"),
        (116, "pl"),
        (55, "el"),
        (121, "RUS"),
    ];
    let text = String::from_utf8(note.payload[2..].to_vec()).expect("UTF-8");
    let text = text.replace('\u{4}', "[#]");
    match note.payload[1] {
        0 => text,
        nation => {
            let known = languages.iter().find(|(number, _)| *number == nation);
            let (_, letters) = known.unwrap_or_else(|| panic!("language {nation}"));
            format!("[%lang {letters}] {text}")
        }
    }
}

/// The words of the notes at a place, those before its move apart.
fn note_words(notes: &[Note], place: i32, is_white: bool) -> (Vec<String>, Vec<String>) {
    let here = || notes.iter().filter(move |note| note.place == place);
    let braced = |note: &Note| format!("{{{}}}", text(note).trim());
    let before = here()
        .filter(|note| note.kind == 0x82)
        .map(braced)
        .collect();
    let mut after: Vec<String> = here()
        .filter(|note| note.kind == 3)
        .flat_map(|note| note.payload.iter().filter(|byte| **byte != 0))
        .map(|byte| format!("${byte}"))
        .collect();
    let mut said = String::new();
    let mut was_apart = false;
    for note in here().filter(|note| ![2, 0x82, 3].contains(&note.kind)) {
        let is_apart = [7, 0x16, 0x17, 0x21].contains(&note.kind);
        if !said.is_empty() && (is_apart || was_apart) {
            said.push(' ');
        }
        said.push_str(&command(note, is_white));
        was_apart = is_apart;
    }
    let mut texts = here().filter(|note| note.kind == 2);
    match (said.is_empty(), texts.next()) {
        (true, first) => after.extend(first.map(braced)),
        (false, None) => after.push(format!("{{{said}}}")),
        (false, Some(first)) => after.push(format!("{{{said} {}}}", text(first).trim_end())),
    }
    after.extend(texts.map(braced));
    (before, after)
}

/// The words of a record in the order of PGN.
fn words_in(steps: &[Step], notes: &[Note], white_first: bool) -> Vec<String> {
    // Place 0 is the start.
    let mut followers = vec![Vec::new(); steps.len() + 1];
    let mut white: Vec<bool> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        followers[step.parent.map_or(0, |parent| parent + 1)].push(at);
        white.push(step.parent.map_or(white_first, |parent| !white[parent]));
    }
    let children = |parent: Option<usize>| &followers[parent.map_or(0, |parent| parent + 1)];
    let is_white = |at: usize| white[at];
    let of = |place: i32, is_white: bool| {
        let first = notes.partition_point(|note| note.place < place);
        let end = notes.partition_point(|note| note.place <= place);
        note_words(&notes[first..end], place, is_white)
    };
    let (before, mut words) = of(-1, true);
    assert!(before.is_empty());
    enum Task {
        /// A move with the alternatives to it, and what follows.
        Line(usize, bool),
        Close,
    }
    let mut tasks: Vec<Task> = children(None)
        .first()
        .map(|at| Task::Line(*at, true))
        .into_iter()
        .collect();
    while let Some(task) = tasks.pop() {
        let (at, is_main) = match task {
            Task::Line(at, is_main) => (at, is_main),
            Task::Close => {
                words.push(")".to_owned());
                continue;
            }
        };
        if !is_main {
            words.push("(".to_owned());
        }
        let (before, after) = of(at as i32, is_white(at));
        words.extend(before);
        words.push(move_word(&steps[at]));
        words.extend(after);
        if !is_main {
            tasks.push(Task::Close);
        }
        if let Some(next) = children(Some(at)).first() {
            tasks.push(Task::Line(*next, true));
        }
        if is_main {
            for other in children(steps[at].parent).iter().skip(1).rev() {
                tasks.push(Task::Line(*other, false));
            }
        }
    }
    words
}

/// A name of a file of names.
fn name(bytes: &[u8], data: usize, id: usize, at: usize, length: usize) -> String {
    let start = 32 + id * (data + 9) + 9 + at;
    let field = &bytes[start..start + length];
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(length);
    String::from_utf8(field[..end].to_vec()).expect("UTF-8")
}

/// The words of a header: names, date, result, ratings, round.
fn header_words(path: &Path, record: &[u8]) -> Vec<(&'static str, String)> {
    let players = file(path, "cbp");
    let events = file(path, "cbt");
    let player = |at: usize| {
        let id = be(record, at, 3);
        let (last, first) = (
            name(&players, 58, id, 0, 30),
            name(&players, 58, id, 30, 20),
        );
        match (last.as_str(), first.as_str()) {
            ("", "") => "?".to_owned(),
            (last, "") => last.to_owned(),
            (last, first) => format!("{last}, {first}"),
        }
    };
    let event = be(record, 15, 3);
    let known = |text: String| {
        if text.is_empty() {
            "?".to_owned()
        } else {
            text
        }
    };
    let date = be(record, 24, 3);
    let part = |value: usize, digits: usize| match value {
        0 => "?".repeat(digits),
        value => format!("{value:0digits$}"),
    };
    let result = ["0-1", "1/2-1/2", "1-0", "*"][usize::from(record[27])];
    let rating = |at: usize| match be(record, at, 2) {
        0 => String::new(),
        rating => rating.to_string(),
    };
    vec![
        ("White", player(9)),
        ("Black", player(12)),
        ("Event", known(name(&events, 90, event, 0, 40))),
        ("Site", known(name(&events, 90, event, 40, 30))),
        (
            "Date",
            format!(
                "{}.{}.{}",
                part(date >> 9, 4),
                part(date >> 5 & 15, 2),
                part(date & 31, 2)
            ),
        ),
        ("Result", result.to_owned()),
        ("WhiteElo", rating(31)),
        ("BlackElo", rating(33)),
    ]
}

/// Compares every game that lost nothing with what the second decoder makes of the files; gives how many.
fn compare(games: &[Game], of: &str) -> (usize, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("words.cbh");
    let losses = write(&path, games, None);
    let lossy: Vec<u64> = losses
        .iter()
        .filter(|loss| !loss.kind.is_layout())
        .map(|loss| loss.game)
        .collect();
    let lossy_movetext: Vec<u64> = losses
        .iter()
        .filter(|loss| loss.kind.aspect != tabiya_model::GameAspect::Tags)
        .map(|loss| loss.game)
        .collect();
    let (headers, moves, notes, seconds) = (
        file(&path, "cbh"),
        file(&path, "cbg"),
        file(&path, "cba"),
        file(&path, "cbj"),
    );
    assert_eq!(headers.len(), 46 * (games.len() + 1), "{of}");
    assert_eq!(be(&headers, 6, 4), games.len() + 1);
    assert_eq!((be(&moves, 0, 2), be(&moves, 2, 4)), (26, moves.len()));
    assert_eq!((be(&notes, 0, 2), be(&notes, 2, 4)), (26, notes.len()));
    assert_eq!((le(&seconds, 0), le(&seconds, 4)), (11, 120));
    assert_eq!(le(&seconds, 8), games.len() as i64);
    let (mut compared, mut steps_seen) = (0, 0);
    for (number, game) in (1..).zip(games) {
        let record = &headers[46 * number..46 * (number + 1)];
        let second = &seconds[32 + (number - 1) * 120..][..120];
        let at = be(record, 1, 4);
        assert_eq!(be(second, 30, 8), at, "{of} {number}");
        assert_eq!(be(second, 12, 8), be(record, 5, 4), "{of} {number}");
        let size = be(&moves, at + 1, 3);
        let steps = decoder::moves(&moves[at..at + size]);
        let notes = match be(record, 5, 4) {
            0 => Vec::new(),
            at => {
                let size = be(&notes, at + 10, 4);
                decoder::notes(&notes[at..at + size], number)
            }
        };
        steps_seen += steps.len();
        let white_first = match &game.start {
            StartingPosition::Standard => true,
            StartingPosition::Setup(board, _) => board.turn().is_white(),
        };
        if !lossy_movetext.contains(&(number as u64)) {
            let (found, wanted) = (words_in(&steps, &notes, white_first), words_of(game));
            let at = found.iter().zip(&wanted).position(|(a, b)| a != b);
            let from = at.unwrap_or(0);
            assert!(
                at.is_none() && found.len() == wanted.len(),
                "{of} {number}: {:?} for {:?}",
                found.get(from..(from + 4).min(found.len())),
                wanted.get(from..(from + 4).min(wanted.len()))
            );
            compared += 1;
        }
        if !lossy.contains(&(number as u64)) {
            for (tag, found) in header_words(&path, record) {
                let wanted = match (tag, game.tags.value(tag)) {
                    ("WhiteElo" | "BlackElo", rating) => rating.trim(),
                    ("Date", "") => "????.??.??",
                    ("Result", "") => game.result().as_pgn(),
                    (_, "") => "?",
                    (_, value) => value,
                };
                assert_eq!(found, wanted, "{of} {number}: {tag}");
            }
        }
    }
    (compared, steps_seen)
}

#[test]
fn random_games_are_what_a_second_decoder_reads() {
    let seeds = if tabiya_testing::is_full() { 400 } else { 30 };
    let (mut compared, mut moves) = (0, 0);
    for seed in 0..seeds {
        for wild in [
            Wild::TAME,
            Wild {
                starts: true,
                ..Wild::TAME
            },
        ] {
            let games = games::games(seed, 24, wild);
            let (count, steps) = compare(&games, &format!("seed {seed}"));
            compared += count;
            moves += steps;
        }
    }
    eprintln!(
        "{compared} of {} random games equal, {moves} moves",
        seeds * 48
    );
    assert!(compared as u64 > seeds * 10, "{compared}");
}

/// The first games of a corpus.
fn corpus(path: &Path, most: usize) -> Vec<Game> {
    let limits = compression::UnpackLimits::default();
    let input = compression::open_stream(path, &limits).expect("opened");
    let stream = pgn::FORMAT.stream.expect("PGN is read from pipes");
    let mut source = stream(Box::new(input), &OpenOptions::default()).expect("it is PGN");
    let mut games = Vec::new();
    // The end of it is no error: enough was read.
    let _ = for_each_game(&mut *source, GameNeeds::ALL, |game| {
        if games.len() >= most {
            return Err(tabiya_model::Error::new(
                &tabiya_model::error_codes::INTERNAL,
                "enough",
            ));
        }
        let mut game = game.clone();
        game.origin.number = games.len() as u64 + 1;
        games.push(game);
        Ok(())
    });
    games
}

#[test]
fn rich_games_are_what_a_second_decoder_reads() {
    let Some(corpora) = shared("corpora") else {
        return;
    };
    let most = if tabiya_testing::is_full() {
        12_000
    } else {
        400
    };
    let mut all = 0;
    for name in [
        "annotated-human",
        "annotated",
        "lichess-real",
        "lichess",
        "engine-matches",
        "otb",
    ] {
        let games = corpus(&corpora.join(format!("{name}.pgn.zst")), most);
        let (compared, moves) = compare(&games, name);
        eprintln!(
            "{name}: {compared} of {} games equal, {moves} moves",
            games.len()
        );
        assert!(
            compared * 10 > games.len() * 7,
            "{name}: {compared} of {}",
            games.len()
        );
        all += compared;
    }
    assert!(all > 1000);
}
