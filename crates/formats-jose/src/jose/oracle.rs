//! Help for tests against data from others; without that data they report it and pass.

use tabiya_model::tape::Replay;
use tabiya_model::{Game, TapeOp};
pub(crate) use tabiya_testing::shared;

/// The rows of a table of tab-separated values, without its head.
pub(crate) fn tsv(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

/// Hex digits to bytes.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("digits")
        })
        .collect()
}

/// A game of a PGN file as pieces of text: tags, then movetext without move numbers and with each comment whole.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
pub(crate) struct JosePlainGame {
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) words: Vec<String>,
}

/// Cuts PGN in export form into games.
pub(crate) fn plain_games(text: &str) -> Vec<JosePlainGame> {
    let mut games: Vec<JosePlainGame> = Vec::new();
    let mut rest = text;
    let mut in_tags = false;
    while let Some(first) = rest.chars().next() {
        match first {
            '[' => {
                if !in_tags {
                    games.push(JosePlainGame::default());
                    in_tags = true;
                }
                let (line, after) = rest.split_once("]\n").expect("a whole tag");
                let (name, value) = line[1..].split_once(' ').expect("name and value");
                let value = value
                    .trim_matches('"')
                    .replace("\\\"", "\"")
                    .replace("\\\\", "\\");
                games
                    .last_mut()
                    .expect("a game")
                    .tags
                    .push((name.to_owned(), value));
                rest = after;
            }
            '{' => {
                let (comment, after) = rest.split_once('}').expect("a whole comment");
                let folded = comment[1..]
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ");
                games
                    .last_mut()
                    .expect("a game")
                    .words
                    .push(format!("{{{folded}}}"));
                rest = after;
                in_tags = false;
            }
            '(' | ')' => {
                games
                    .last_mut()
                    .expect("a game")
                    .words
                    .push(first.to_string());
                rest = &rest[1..];
                in_tags = false;
            }
            c if c.is_whitespace() => rest = &rest[c.len_utf8()..],
            _ => {
                in_tags = false;
                let end = rest
                    .find(|c: char| c.is_whitespace() || "(){}".contains(c))
                    .unwrap_or(rest.len());
                let word = rest[..end].trim_start_matches(|c: char| c.is_ascii_digit());
                // "12." and "12..." are move numbers, "1-0" is none.
                if !word.starts_with('.') {
                    games
                        .last_mut()
                        .expect("a game")
                        .words
                        .push(rest[..end].to_owned());
                }
                rest = &rest[end..];
            }
        }
    }
    games
}

/// The same of a decoded game.
pub(crate) fn plain(game: &Game) -> JosePlainGame {
    let tags = game
        .tags
        .iter()
        .map(|t| (t.name.to_owned(), t.value.to_owned()))
        .collect();
    let mut words = Vec::new();
    let mut replay = Replay::new(&game.start_board());
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                let mut san = Vec::new();
                replay.now().clone().play_san(m, &mut san);
                words.push(String::from_utf8(san).expect("ASCII"));
            }
            TapeOp::Nag(nag) => words.push(format!("${}", nag.0)),
            TapeOp::Comment(id) => {
                let folded = game
                    .tape
                    .text(id)
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ");
                words.push(format!("{{{folded}}}"));
            }
            TapeOp::Raw(id) => words.push(game.tape.text(id).to_owned()),
            TapeOp::Ext(_) => words.push("extension".to_owned()),
            TapeOp::Begin(_) => words.push("(".to_owned()),
            TapeOp::End => words.push(")".to_owned()),
            TapeOp::Outcome(outcome) => words.push(outcome.as_pgn().to_owned()),
        }
        replay.follow(op);
    }
    if let Some(outcome) = game.outcome {
        words.push(outcome.as_pgn().to_owned());
    }
    JosePlainGame { tags, words }
}
