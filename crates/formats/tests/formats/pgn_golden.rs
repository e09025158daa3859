//! The examples in the description of PGN, which are the measure of the export format: read, and written byte for byte.

#![allow(clippy::print_stderr)]

use tabiya_formats::format::OpenOptions;
use tabiya_formats::pgn::{FORMAT, PgnGameWriter, PgnStyle};
use tabiya_model::database::for_each_game;
use tabiya_model::{Game, GameNeeds, Losses};

/// The description, if it is available.
fn description() -> Option<String> {
    let path = tabiya_testing::shared("formats/sources/004_55e8e0d521634d9c.txt")?;
    Some(std::fs::read_to_string(path).expect("a text"))
}

/// The examples: groups of lines that begin with a tabulator, without it.
fn examples(text: &str) -> Vec<String> {
    let mut examples = vec![String::new()];
    for line in text.lines() {
        match (line.strip_prefix('\t'), examples.last_mut()) {
            (Some(line), Some(example)) => {
                example.push_str(line.trim_end());
                example.push('\n');
            }
            // Within an example, tags and movetext are separated by an empty line.
            (None, Some(example)) if line.trim().is_empty() && example.ends_with("]\n") => {
                example.push('\n')
            }
            (None, Some(example)) if example.is_empty() => {}
            _ => examples.push(String::new()),
        }
    }
    examples
}

fn games(pgn: &str) -> Vec<Game> {
    let stream = FORMAT.stream.expect("PGN is read from pipes");
    let bytes = pgn.as_bytes().to_vec();
    let mut source = stream(
        Box::new(std::io::Cursor::new(bytes)),
        &OpenOptions::default(),
    )
    .expect("opens");
    let mut games = Vec::new();
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("reads");
    games
}

fn write(game: &Game, style: PgnStyle) -> String {
    let mut out = Vec::new();
    let mut losses = Losses::default();
    PgnGameWriter::new(style).write(game, &mut out, &mut losses);
    assert!(losses.is_empty(), "{losses:?}");
    String::from_utf8(out).expect("text")
}

/// Compact numbers in lines of 78 characters.
fn compact() -> PgnStyle {
    PgnStyle {
        compact_numbers: true,
        width: 78,
        ..PgnStyle::default()
    }
}

#[test]
fn the_examples_of_the_description_are_written_byte_for_byte() {
    let Some(text) = description() else { return };
    let mut seen = 0;
    for example in examples(&text) {
        let movetext = match example.split_once("]\n\n") {
            Some((_, movetext)) => movetext,
            None => &example,
        };
        if !movetext.starts_with("1.e4") {
            continue;
        }
        seen += 1;
        let games = games(&example);
        assert_eq!(games.len(), 1);
        let game = games.first().expect("one");
        let written = write(game, compact());
        if example.starts_with('[') {
            assert_eq!(written, format!("{example}\n"));
            assert_eq!(game.tape.plies(), 85);
        } else {
            // The examples of single rules have neither tags nor a terminator.
            let (_, ours) = written.split_once("]\n\n").expect("tags and movetext");
            let ours = ours
                .strip_suffix(" *\n\n")
                .or_else(|| ours.strip_suffix("\n*\n\n"))
                .expect("a terminator");
            assert_eq!(ours, movetext.trim_end());
        }
    }
    assert_eq!(seen, 3);
}

#[test]
fn disambiguation_counts_legal_moves_only() {
    let knights = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1\"]\n\n1. Ne2 *\n";
    let free = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1\"]\n\n1. Nge2 *\n\n\
        [SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1\"]\n\n1. Nce2 *\n";
    for (pgn, moves) in [
        (knights, &["1. Ne2 *"][..]),
        (free, &["1. Nge2 *", "1. Nce2 *"][..]),
    ] {
        let written: Vec<String> = games(pgn)
            .iter()
            .map(|game| write(game, PgnStyle::default()))
            .collect();
        let movetexts: Vec<&str> = written
            .iter()
            .filter_map(|game| game.trim_end().lines().last())
            .collect();
        assert_eq!(movetexts, moves);
    }
}
