use std::io::Read;

use tabiya_model::database::{Source, for_each_game};
use tabiya_model::diff::diff;
use tabiya_model::limits::ReadLimits;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Error, ErrorKind, Game, GameNeeds, Severity, TapeOp};

use super::source::NdjsonSource;
use super::{NdjsonGameWriter, REST};

fn source(text: &[u8], block: usize, limits: ReadLimits) -> NdjsonSource {
    let input: Box<dyn Read + Send> = Box::new(std::io::Cursor::new(text.to_vec()));
    NdjsonSource::new(input, "test".to_owned(), limits, None).with_block_size(block)
}

fn read_with(text: &[u8], block: usize, limits: ReadLimits) -> Result<Vec<Game>, Error> {
    let mut games = Vec::new();
    for_each_game(&mut source(text, block, limits), GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })?;
    Ok(games)
}

fn read(text: &str) -> Game {
    let mut games = read_with(text.as_bytes(), 1 << 20, ReadLimits::default()).expect("games");
    assert_eq!(games.len(), 1);
    games.remove(0)
}

fn codes(game: &Game) -> Vec<&'static str> {
    game.diagnostics.iter().map(|d| d.code.name).collect()
}

fn write(game: &Game) -> String {
    let mut out = Vec::new();
    NdjsonGameWriter::default().write(game, &mut out);
    String::from_utf8(out).expect("text")
}

/// A game with everything in it.
const SAMPLE: &str = concat!(
    r#"{"schema":"tabiya-game-1","number":1,"tags":[["White","M\u00fcller",{"charset":"CP1252"}],"#,
    r#"["Note","a"],["Note","\"b\""]],"result":"1-0","plies":3,"moves":["#,
    r#"{"comment":"[%csl Gd4] first","marks":[{"square":"d4","colour":"green"}],"text":"first"},"#,
    r#"{"ply":1,"uci":"e2e4","san":"e4","nags":[1,1],"clk":62,"eval":{"cp":35,"depth":18}},"#,
    r#"{"comment":"[%clk 0:01:02][%eval 0.35,18]","text":""},{"nag":7},"#,
    r#"{"variation":[{"ply":1,"uci":"d2d4","san":"d4"},{"variation":[{"ply":1,"uci":"c2c4","san":"c4"}]},"#,
    r#"{"ply":2,"uci":"0000","san":"--"},{"result":"1/2-1/2"}]},"#,
    r#"{"ply":2,"uci":"e7e5","san":"e5"},{"raw":"Qi9 x"},{"extension":"a.b","hex":"00ff"}]}"#,
);

#[test]
fn a_game_comes_back_as_it_went() {
    let game = read(SAMPLE);
    assert!(codes(&game).is_empty(), "{:?}", game.diagnostics);
    assert_eq!(game.tags.get("White"), Some("Müller"));
    assert_eq!(&*game.tags.original(0), b"M\xfcller");
    assert_eq!(game.outcome, Some(Outcome::WhiteWins));
    assert_eq!(game.tape.plies(), 2);
    let text = write(&game);
    let expected = SAMPLE
        .replace("\\u00fc", "ü")
        .replace("\"plies\":3", "\"plies\":2");
    assert_eq!(text.trim_end(), expected);
    let mut copy = read(&text);
    copy.origin = game.origin;
    assert_eq!(copy, game);
}

#[test]
fn notation_alone_is_enough_and_the_order_of_fields_is_free() {
    let game = read(
        r#"{"moves":[{"san":"Kd2"},{"san":"--"},{"san":"Kd3","nags":[]}],"fen":"4k3/8/8/8/8/8/8/4K3 w - - 0 1",
"tags":[],"schema":"tabiya-game-1","outcome":null}"#
            .replace('\n', "")
            .as_str(),
    );
    assert!(codes(&game).is_empty(), "{:?}", game.diagnostics);
    assert_eq!(game.tape.plies(), 3);
    assert_eq!(game.outcome, None);
}

#[test]
fn what_cannot_be_played_is_kept_as_text() {
    let game = read(
        r#"{"schema":"tabiya-game-1","moves":[{"san":"e4"},{"variation":[{"san":"d4"},{"uci":"a8a1"},{"nag":4},
{"comment":"why}"},{"variation":[{"san":"h6"}]},{"san":"x"}]},{"san":"e5"},{"san":"Ke7"},{"san":"Nf3"}]}"#
            .replace('\n', "")
            .as_str(),
    );
    let raws: Vec<&str> = game
        .tape
        .ops()
        .filter_map(|op| match op {
            TapeOp::Raw(id) => Some(game.tape.text(id)),
            _ => None,
        })
        .collect();
    assert_eq!(raws, ["a8a1 $4 {why)} (h6) x", "Ke7 Nf3"]);
    assert_eq!(game.tape.plies(), 2);
    assert_eq!(
        codes(&game),
        ["ndjson-unreadable-move", "ndjson-unreadable-move"]
    );
    let copy = read(&write(&game));
    assert!(diff(&game, &copy).is_empty());
    assert_eq!(codes(&copy), codes(&game), "findings ride along");
}

#[test]
fn misplaced_variations_are_kept_as_text() {
    let game = read(
        r#"{"schema":"tabiya-game-1","moves":[{"variation":[{"san":"e4"},{"variation":[]}]},{"san":"d4"}]}"#,
    );
    assert_eq!(codes(&game), ["ndjson-misplaced-variation"]);
    assert_eq!(game.tape.plies(), 1);
    assert!(matches!(game.tape.get(0), Some(TapeOp::Raw(id)) if game.tape.text(id) == "(e4 ())"));
}

#[test]
fn a_move_against_the_rules_stays_a_move() {
    let fen = r#"{"schema":"tabiya-game-1","fen":"4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1","moves":[{"uci":"a1a2"}]}"#;
    let game = read(fen);
    assert_eq!(codes(&game), ["ndjson-illegal-move"]);
    assert_eq!(game.tape.plies(), 1);
    // A rook's leap over other pieces has no notation, so only its bits identify it.
    let mut leap = game.clone();
    leap.tape.clear();
    let m = tabiya_model::Move::normal(
        shakmaty::Role::Rook,
        shakmaty::Square::A1,
        shakmaty::Square::H7,
        false,
        None,
    );
    leap.tape.push_move(m);
    let copy = read(&write(&leap));
    assert_eq!(copy.tape, leap.tape);
}

#[test]
fn castling_without_the_right_is_told_by_the_king() {
    let fen = r#"{"schema":"tabiya-game-1","fen":"4k3/8/8/8/8/8/8/4K2R w - - 0 1","moves":[]}"#;
    let mut game = read(fen);
    let castle = tabiya_model::Move::castle(shakmaty::Square::E1, shakmaty::Square::H1);
    game.tape.push_move(castle);
    let line = write(&game);
    assert!(line.contains(r#""uci":"e1g1""#), "{line}");
    assert_eq!(read(&line).tape, game.tape);
}

#[test]
fn a_broken_line_is_a_damaged_game_and_the_next_is_read() {
    let good = r#"{"schema":"tabiya-game-1","tags":[["White","A"]],"moves":[{"san":"e4"}]}"#;
    let bad = r#"{"schema":"tabiya-game-1","tags":[["White","A"]],"moves":[{"san":"e4"},{"variation":[{"san":"d4"} oops"#;
    let games = read_with(
        format!("\u{feff}{bad}\n\n  \r\n{good}\r\nnot json\n{good}").as_bytes(),
        1 << 20,
        ReadLimits::default(),
    )
    .expect("games");
    assert_eq!(games.len(), 4);
    let lines: Vec<u64> = games.iter().map(|game| game.origin.line).collect();
    assert_eq!(lines, [1, 4, 5, 6]);
    let first = &games[0];
    assert_eq!(codes(first), ["ndjson-broken-line"]);
    let message = first.diagnostics.iter().next().expect("one").to_string();
    assert_eq!(
        message,
        "damage: game 1, line 1, column 99, byte 101, ply 1 (move 1...): expected a comma or a closing bracket, found \
         \"oops\"; 4 bytes are kept unchanged [ndjson-broken-line]"
    );
    assert_eq!(first.tape.depth(), 0);
    assert_eq!(first.tape.plies(), 1);
    assert_eq!(first.tape.extensions()[0].name, REST);
    assert_eq!(first.tape.extensions()[0].data, b"oops");
    assert!(codes(&games[1]).is_empty());
    assert_eq!(games[2].tape.extensions()[0].data, b"not json");
    assert!(codes(&games[3]).is_empty());
}

#[test]
fn blocks_of_any_size_give_the_same_games() {
    let text = format!("{SAMPLE}\n\n{SAMPLE}\n{SAMPLE}\n");
    let whole = read_with(text.as_bytes(), 1 << 20, ReadLimits::default()).expect("games");
    assert_eq!(whole.len(), 3);
    for block in [1, 7, 100, 1000, 2000] {
        let parts = read_with(text.as_bytes(), block, ReadLimits::default()).expect("games");
        assert_eq!(parts, whole, "{block}");
    }
}

#[test]
fn something_else_is_no_damage_but_another_format() {
    for text in [
        "[Event \"?\"]\n\n1. e4 *\n",
        "{\"id\":1}\n{\"id\":2}\n",
        "\0\0",
    ] {
        let error =
            read_with(text.as_bytes(), 1 << 20, ReadLimits::default()).expect_err("no games");
        assert_eq!(error.kind, ErrorKind::NotThisFormat, "{text}");
    }
    assert!(
        read_with(b" \n\n", 1 << 20, ReadLimits::default())
            .expect("nothing")
            .is_empty()
    );
}

#[test]
fn a_line_beyond_the_limit_is_cut_there() {
    let long = format!(
        r#"{{"schema":"tabiya-game-1","tags":[["White","A"]],"moves":[{{"comment":"{}"}}]}}"#,
        "x".repeat(10_000)
    );
    let limits = ReadLimits {
        game_bytes: 1000,
        ..ReadLimits::default()
    };
    let text = format!("{SAMPLE}\n{long}\n{SAMPLE}\n");
    let games = read_with(text.as_bytes(), 100, limits).expect("games");
    assert_eq!(games.len(), 3);
    assert_eq!(codes(&games[1]), ["ndjson-long-line", "ndjson-broken-line"]);
    assert_eq!(games[1].tags.get("White"), Some("A"));
    assert_eq!(games[2].tape, games[0].tape);
    assert_eq!(games[2].origin.line, 3);
}

#[test]
fn deep_nesting_is_bounded_and_takes_linear_time() {
    let mut text = String::from(r#"{"schema":"tabiya-game-1","moves":[{"san":"e4"}"#);
    for _ in 0..300_000 {
        text.push_str(r#",{"variation":[{"san":"d4"}"#);
    }
    let game = read(&text);
    assert_eq!(game.tape.depth(), 0);
    assert!(codes(&game).contains(&"ndjson-misplaced-variation"));
    let copy = read(&write(&game));
    assert!(diff(&game, &copy).is_empty());
    // Nested values of unknown fields are skipped.
    let junk = format!(
        r#"{{"schema":"tabiya-game-1","x":{}{},"moves":[]}}"#,
        "[".repeat(1_000_000),
        "]".repeat(1_000_000)
    );
    assert_eq!(codes(&read(&junk)), ["ndjson-unknown-field"]);
}

#[test]
fn cut_and_flipped_lines_never_panic_and_never_pass_in_silence() {
    let whole = read(SAMPLE);
    for cut in 0..SAMPLE.len() {
        let text = &SAMPLE.as_bytes()[..cut];
        let Ok(games) = read_with(text, 64, ReadLimits::default()) else {
            continue;
        };
        for game in games {
            assert!(
                game.diagnostics.at_least(Severity::Damage) > 0,
                "cut at {cut}"
            );
        }
    }
    for at in 0..SAMPLE.len() {
        for bit in 0..8 {
            let mut text = SAMPLE.as_bytes().to_vec();
            text[at] ^= 1 << bit;
            let Ok(games) = read_with(&text, 1 << 20, ReadLimits::default()) else {
                continue;
            };
            for game in games {
                assert_eq!(game.tape.depth(), 0);
                let copy = read(&write(&game));
                assert!(diff(&game, &copy).is_empty(), "bit {bit} of byte {at}");
            }
        }
    }
    assert!(codes(&whole).is_empty());
}

#[test]
fn a_stream_that_fails_gives_its_lines_first() {
    struct FailingInput(std::io::Cursor<Vec<u8>>);
    impl Read for FailingInput {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(std::io::Error::other("broken cable")),
                count => Ok(count),
            }
        }
    }
    let input = FailingInput(std::io::Cursor::new(format!("{SAMPLE}\n").into_bytes()));
    let mut source = NdjsonSource::new(
        Box::new(input),
        "test".to_owned(),
        ReadLimits::default(),
        None,
    );
    let mut game = Game::default();
    let mut block = source.next_block().expect("a block").expect("lines");
    assert!(block.next(GameNeeds::ALL, &mut game).expect("a game"));
    let error = source.next_block().err().expect("the fault comes last");
    assert_eq!(error.kind, ErrorKind::Io);
}

#[test]
fn original_bytes_are_forgotten_where_the_text_was_changed() {
    let game = read(
        r#"{"schema":"tabiya-game-1","tags":[["White","Miller",{"charset":"CP1252","hex":"4dfc6c6c6572"}]],"moves":[
{"comment":"a","charset":"UTF-8","hex":"ff"},{"comment":"\ufffd","charset":"UTF-8","hex":"ff"}]}"#
            .replace('\n', "")
            .as_str(),
    );
    assert_eq!(codes(&game), ["ndjson-changed-text", "ndjson-changed-text"]);
    assert_eq!(game.tags.get("White"), Some("Miller"));
    let original = |id| game.tape.texts().original(tabiya_model::text::TextId(id));
    assert_eq!(&*original(0), b"a");
    assert_eq!(&*original(1), b"\xff");
}

#[test]
fn a_file_packed_in_pieces_gives_single_games() {
    use std::io::Write;

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.ndjson.gz");
    let mut packed = Vec::new();
    let numbers: Vec<u64> = (1..=3000).collect();
    for part in numbers.chunks(1000) {
        let mut packer = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
        for number in part {
            let line = format!(
                r#"{{"schema":"tabiya-game-1","tags":[["White","{number}"]],"result":"*","moves":[{{"uci":"e2e4"}}]}}"#
            );
            writeln!(packer, "{line}").expect("packed");
        }
        packer.finish().expect("packed");
    }
    std::fs::write(&path, &packed).expect("written");
    let database = super::database::open(&path, &Default::default()).expect("opened");
    let mut game = Game::default();
    for number in [3000, 1, 2001, 1500] {
        database
            .read(number, GameNeeds::ALL, &mut game)
            .expect("read");
        assert_eq!(game.tags.value("White"), number.to_string());
        assert_eq!((game.origin.number, game.origin.line), (number, number));
    }
    let said = database.info().value("packed").map(str::to_owned);
    assert!(said.is_some_and(|text| text.starts_with("in 3 pieces: ")));
}
