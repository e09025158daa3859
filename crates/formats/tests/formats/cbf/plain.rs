//! Games as plain lists of words, so that PGN and the output of a reader can be compared without a PGN reader.

use tabiya_model::canon_game::fold;
use tabiya_model::{Game, Replay, TapeOp};

/// A game as tags and words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Plain {
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) words: Vec<String>,
}

/// Splits PGN in export format.
pub(crate) fn parse_pgn(text: &str) -> Vec<Plain> {
    let mut games: Vec<Plain> = Vec::new();
    let mut rest = text.trim_start();
    let mut in_movetext = true;
    while !rest.is_empty() {
        if rest.starts_with('[') {
            if in_movetext {
                games.push(Plain::default());
                in_movetext = false;
            }
            let (line, tail) = rest.split_once('\n').unwrap_or((rest, ""));
            let line = line.trim().trim_start_matches('[').trim_end_matches(']');
            let (name, value) = line.split_once(' ').expect("a name and a value");
            let value = value.trim_matches('"').replace("\\\"", "\"");
            let game = games.last_mut().expect("a game");
            game.tags.push((name.to_owned(), value));
            rest = tail.trim_start();
            continue;
        }
        in_movetext = true;
        let game = games.last_mut().expect("tags come first");
        if let Some(tail) = rest.strip_prefix('{') {
            let (comment, tail) = tail.split_once('}').expect("an end");
            game.words.push(format!("{{{}}}", fold(comment)));
            rest = tail.trim_start();
            continue;
        }
        if let Some(tail) = rest.strip_prefix(['(', ')']) {
            game.words.push(rest[..1].to_owned());
            rest = tail.trim_start();
            continue;
        }
        let end = rest
            .find(|c: char| c.is_whitespace() || "(){}".contains(c))
            .unwrap_or(rest.len());
        let word = &rest[..end];
        if !word.ends_with('.') {
            game.words.push(word.to_owned());
        }
        rest = rest[end..].trim_start();
    }
    games
}

/// Describes a game in the same words.
pub(crate) fn of_game(game: &Game) -> Plain {
    let mut plain = Plain::default();
    for tag in game.tags.iter() {
        plain.tags.push((tag.name.to_owned(), tag.value.to_owned()));
    }
    let mut replay = Replay::new(&game.start_board());
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                let mut san = Vec::new();
                replay.play_with(|board| board.play_san(m, &mut san));
                plain.words.push(String::from_utf8(san).expect("ASCII"));
                continue;
            }
            TapeOp::Nag(nag) => plain.words.push(format!("${}", nag.0)),
            TapeOp::Comment(id) => {
                let text = fold(game.tape.text(id));
                plain.words.push(format!("{{{text}}}"));
            }
            TapeOp::Begin(_) => plain.words.push("(".to_owned()),
            TapeOp::End => plain.words.push(")".to_owned()),
            other => plain.words.push(format!("{other:?}")),
        }
        replay.follow(op);
    }
    plain.words.push(game.result().as_pgn().to_owned());
    plain
}
