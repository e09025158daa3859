//! The databases of `oracles/chess-assistant`: their games and facts.

use std::path::{Path, PathBuf};

use shakmaty::Color;
use tabiya_formats::chess_assistant::text::decode_outcome;
use tabiya_formats::chess_assistant::{CaReader, OUTCOME_TAG, PLAYER_TAGS, TYPE_TAG, layout};
use tabiya_formats::format::OpenOptions;
use tabiya_formats::registry;
use tabiya_model::charset::Charset;
use tabiya_model::diff::diff;
use tabiya_model::facts::FactFields;
use tabiya_model::{Database, Game, GameNeeds, Tags, Tape, TapeOp};

use crate::chess_assistant::shared;

pub(crate) const NAMES: [&str; 3] = ["special", "mixed", "empty"];

pub(crate) fn folder() -> Option<PathBuf> {
    shared("oracles/chess-assistant")
}

pub(crate) fn read_all(database: &dyn Database) -> Vec<Game> {
    let mut source = database.source(None).expect("a source");
    let mut games = Vec::new();
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

fn expected(folder: &Path, name: &str) -> Vec<Game> {
    let open = registry::by_name("pgn")
        .and_then(|format| format.open)
        .expect("PGN can be read");
    let path = folder.join(format!("{name}.expected.pgn"));
    read_all(&*open(&path, &OpenOptions::default()).expect("opened"))
}

fn facts(folder: &Path, name: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(folder.join(format!("{name}.facts.json")));
    serde_json::from_str(&text.expect("readable")).expect("JSON")
}

/// The parts that the expected PGN leaves out on purpose: the extensions (folders, the code 233), the NAG of an evaluation
/// in place of the result, and data without a PGN tag. Diagrams, scores and type 6 are the same in both.
fn tolerate(game: &Game, outcome: u8) -> Game {
    let mut plain = game.clone();
    plain.tags = Tags::default();
    for (index, tag) in game.tags.iter().enumerate() {
        let is_ours = tag.name.starts_with("Ca")
            || PLAYER_TAGS
                .iter()
                .skip(1)
                .any(|end| tag.name.ends_with(end));
        if !is_ours {
            plain.tags.push_from(&game.tags, index);
        }
    }
    let ops: Vec<TapeOp> = game.tape.ops().collect();
    let evaluation = decode_outcome(outcome).evaluation.map(|(_, nag)| nag);
    // It is the last NAG of the main line.
    let mut depth = 0;
    let mut last = None;
    for (at, op) in ops.iter().enumerate() {
        match op {
            TapeOp::Begin(_) => depth += 1,
            TapeOp::End => depth -= 1,
            TapeOp::Nag(nag) if depth == 0 && Some(*nag) == evaluation => last = Some(at),
            _ => {}
        }
    }
    assert_eq!(last.is_some(), evaluation.is_some());
    plain.tape = Tape::default();
    for (at, op) in ops.iter().enumerate() {
        // The expected games have no mark after an engine's score.
        let unmarked = match op {
            TapeOp::Comment(id) => game.tape.text(*id).strip_suffix("] CAP"),
            _ => None,
        };
        if let Some(unmarked) = unmarked {
            plain.tape.push_comment(&format!("{unmarked}]"));
        } else if Some(at) != last && !matches!(op, TapeOp::Ext(_)) {
            plain.tape.push_from(&game.tape, *op);
        }
    }
    plain
}

#[test]
fn every_database_gives_its_games() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for name in NAMES {
        let reader = CaReader::open(&folder.join(format!("{name}.cdp")), &OpenOptions::default())
            .expect("opened");
        // That ECO number 0 is no code, and which charset was guessed, is also reported for sound databases.
        let told = reader.diagnostics();
        let others = told
            .counts()
            .iter()
            .filter(|(code, _)| !["ca-eco-zero", "ca-charset"].contains(&code.name));
        assert_eq!(others.count(), 0, "{name}: {told:?}");
        let repaired =
            CaReader::salvage(&folder.join(format!("{name}.cdp")), &OpenOptions::default())
                .expect("opened");
        assert_eq!(
            repaired.len().expect("counted"),
            reader.len().expect("counted")
        );
        assert!(
            repaired.missing().is_empty(),
            "{name}: {:?}",
            repaired.missing()
        );
        let games = read_all(&reader);
        let expected = expected(&folder, name);
        let facts = facts(&folder, name);
        let list = facts["games"].as_array().expect("a list");
        assert_eq!((games.len(), list.len()), (expected.len(), expected.len()));
        let comment = facts["comment"].as_str().expect("a text");
        let info = reader.info();
        assert_eq!(info.value("description").unwrap_or(""), comment);
        for ((game, expected), fact) in games.iter().zip(&expected).zip(list) {
            let number = game.origin.number;
            let outcome = u8::try_from(fact["outcome"].as_u64().expect("a number")).expect("small");
            let differences = diff(&tolerate(game, outcome), expected);
            assert!(differences.is_empty(), "{name} {number}: {differences:?}");
            let unexpected: Vec<_> = game
                .diagnostics
                .iter()
                .filter(|d| d.code.name != "ca-code-233")
                // A king really is in check there.
                .filter(|d| !(d.code.name == "ca-setup" && (name, number) == ("special", 21)))
                .collect();
            assert!(unexpected.is_empty(), "{name}: {unexpected:?}");
            assert_eq!(fact["record_bytes"], game.origin.length, "{name} {number}");
            let kind = fact["type"].as_u64().expect("a number");
            let text = game.tags.value(TYPE_TAG).split(' ').next();
            let told = text.filter(|text| !text.is_empty()).unwrap_or("0");
            assert_eq!(told, kind.to_string(), "{name} {number}");
            let verdict = decode_outcome(outcome);
            assert_eq!(game.result(), verdict.outcome);
            let evaluation = verdict.evaluation.map(|(text, _)| text);
            assert_eq!(game.tags.get(OUTCOME_TAG), evaluation);
            let mut again = Game::default();
            reader
                .read(number, GameNeeds::ALL, &mut again)
                .expect("read");
            assert_eq!(&again, game, "random access");
            count += 1;
        }
    }
    assert_eq!(count, 83);
}

#[test]
fn every_byte_of_a_header_is_accounted_for() {
    let Some(folder) = folder() else { return };
    for name in NAMES {
        let bytes = std::fs::read(folder.join(format!("{name}.d00"))).expect("readable");
        let (headers, rest) = bytes.as_chunks::<38>();
        assert!(rest.is_empty());
        for header in headers {
            assert_eq!(layout::CaHeader::read(header).write(), *header);
        }
    }
}

#[test]
fn any_member_opens_the_database_in_any_case_and_a_missing_one_is_named() {
    let Some(folder) = folder() else { return };
    let target = tempfile::tempdir().expect("a folder");
    let members = [
        ("cdp", "CDP"),
        ("emb", "emb"),
        ("d00", "D00"),
        ("a02", "A02"),
        ("d02", "d02"),
    ];
    let path = |end: &str| target.path().join(format!("Special.{end}"));
    for (from, to) in members {
        let bytes = std::fs::read(folder.join(format!("special.{from}"))).expect("readable");
        std::fs::write(path(to), bytes).expect("written");
    }
    for (_, member) in members {
        let reader = CaReader::open(&path(member), &OpenOptions::default()).expect("opened");
        assert_eq!(reader.len().expect("counted"), 23);
    }
    for (_, member) in members {
        let away = target.path().join("away");
        std::fs::rename(path(member), &away).expect("moved");
        let left = members
            .iter()
            .find(|(_, other)| *other != member)
            .expect("others");
        let error = CaReader::open(&path(left.1), &OpenOptions::default()).err();
        let message = error.expect("not whole").to_string().to_lowercase();
        let wanted = format!("special.{}", member.to_lowercase());
        assert!(message.contains(&wanted), "{message}");
        std::fs::rename(&away, path(member)).expect("moved back");
    }
}

#[test]
fn less_is_read_where_less_is_wanted() {
    let Some(folder) = folder() else { return };
    for name in NAMES {
        let reader = CaReader::open(&folder.join(format!("{name}.d02")), &OpenOptions::default())
            .expect("opened");
        let facts = reader.facts().expect("an index");
        assert_eq!(facts.len(), Database::len(&reader).expect("counted"));
        let mut game = Game::default();
        for whole in read_all(&reader) {
            let number = whole.origin.number;
            reader
                .read(number, GameNeeds::TAGS, &mut game)
                .expect("read");
            assert_eq!((&game.tags, game.tape.len()), (&whole.tags, 0));
            assert_eq!(game.start, whole.start);
            reader
                .read(number, GameNeeds::MAIN_LINE, &mut game)
                .expect("read");
            assert!(game.tape.main_line().eq(whole.tape.main_line()));
            assert_eq!(game.tape.len(), whole.tape.plies());
            let trusting = GameNeeds {
                verify: false,
                ..GameNeeds::ALL
            };
            reader.read(number, trusting, &mut game).expect("read");
            assert_eq!(game.tape, whole.tape);
            let fact = facts.fact(number, FactFields::ALL).expect("a fact");
            assert!(fact.says(FactFields::LISTED));
            let value = |name| whole.tags.value(name).to_owned();
            let eco = fact
                .eco_code()
                .map_or_else(String::new, |eco| eco.to_string());
            assert_eq!(
                [
                    facts.player(&fact, Color::White),
                    facts.player(&fact, Color::Black),
                    facts.event(&fact),
                    facts.site(&fact),
                    facts.round(&fact),
                    eco.into(),
                ]
                .map(String::from),
                ["White", "Black", "Event", "Site", "Round", "ECO"].map(value)
            );
            assert_eq!(Some(fact.date), whole.tags.date("Date"));
            let elo = Some(fact.elos[0]).filter(|elo| *elo != 0);
            assert_eq!(elo.map(u32::from), whole.tags.number("WhiteElo"));
            assert_eq!(Some(fact.outcome), whole.tags.result());
            assert_eq!(fact.is_setup(), whole.tags.get("FEN").is_some());
        }
    }
}

#[test]
fn texts_keep_their_bytes_in_any_charset() {
    let Some(folder) = folder() else { return };
    let open = |encoding| {
        let options = OpenOptions {
            encoding,
            ..OpenOptions::default()
        };
        read_all(&CaReader::open(&folder.join("special.cdp"), &options).expect("opened"))
    };
    let russian = open(None);
    let mut cyrillic = 0;
    for charset in [
        Charset::Cp1251,
        Charset::Cp1252,
        Charset::Cp866,
        Charset::Utf8,
    ] {
        for (game, other) in russian.iter().zip(open(Some(charset))) {
            for index in 0..game.tags.len() {
                assert_eq!(game.tags.original(index), other.tags.original(index));
                cyrillic += usize::from(!game.tags.original(index).is_ascii());
            }
            for (id, _) in game.tape.texts().iter() {
                let texts = other.tape.texts();
                assert_eq!(game.tape.texts().original(id), texts.original(id));
            }
        }
    }
    assert!(cyrillic > 100);
    assert_eq!(russian[0].tags.value("White"), "Корчной, Виктор");
}
