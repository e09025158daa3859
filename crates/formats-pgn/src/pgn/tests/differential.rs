//! Compares every move of the corpora with what shakmaty reads from the same text.
//!
//! A part of each corpus is read, or all of it if `TABIYA_FULL` is set.

use std::io::Read;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position};
use tabiya_model::board::Move;
use tabiya_model::database::{GameNeeds, for_each_game};
use tabiya_model::diagnostic::Severity;
use tabiya_model::game::Game;
use tabiya_model::tape::{Replay, TapeOp};

use super::super::source::PgnSource;
use tabiya_codec::format::OpenOptions;
use tabiya_io::compression;

const PART: u64 = 6_000_000;

/// The moves of a game, with those of variations at their places, as shakmaty reads them from the text.
fn theirs(text: &[u8], start: Chess) -> Option<Vec<shakmaty::Move>> {
    let mut moves = Vec::new();
    let mut stack: Vec<(Chess, Chess)> = Vec::new();
    let (mut before, mut now) = (start.clone(), start);
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'{' => {
                let end = rest.iter().position(|b| *b == b'}')?;
                rest = rest.get(end + 1..)?;
            }
            b';' => {
                let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                rest = rest.get(end..)?;
            }
            b'(' => {
                stack.push((before.clone(), now));
                now = before.clone();
            }
            b')' => (before, now) = stack.pop()?,
            b'a'..=b'h' | b'A'..=b'Z' => {
                let end = rest
                    .iter()
                    .position(|b| b" \t\r\n(){};!?$".contains(b))
                    .unwrap_or(rest.len());
                let word = text.get(text.len() - rest.len() - 1..text.len() - rest.len() + end)?;
                let san = SanPlus::from_ascii(word).ok()?;
                let m = san.san.to_move(&now).ok()?;
                before = now.clone();
                now.play_unchecked(m);
                moves.push(m);
                rest = rest.get(end..)?;
            }
            // Numbers, results and symbols have no letters in them.
            _ => {
                let end = rest
                    .iter()
                    .position(|b| b" \t\r\n(){};.".contains(b))
                    .unwrap_or(rest.len());
                if rest.get(..end)?.contains(&b'-') && *first == b'-' {
                    // Shakmaty has no null moves.
                    return None;
                }
                rest = match first {
                    b' ' | b'\t' | b'\r' | b'\n' | b'.' => rest,
                    _ => rest.get(end..)?,
                };
            }
        }
    }
    Some(moves)
}

/// The same from the tape.
fn ours(game: &Game) -> Vec<shakmaty::Move> {
    let mut replay = Replay::new(&game.start_board());
    let mut moves = Vec::new();
    for op in game.tape.ops() {
        if let TapeOp::Move(m) = op
            && m != Move::NULL
        {
            moves.extend(m.to_shakmaty(replay.now()));
        }
        replay.follow(op);
    }
    moves
}

fn start(game: &Game) -> Option<Chess> {
    match game.tags.get("FEN") {
        None => Some(Chess::default()),
        Some(fen) => fen
            .parse::<Fen>()
            .ok()?
            .into_position(CastlingMode::Chess960)
            .ok(),
    }
}

#[test]
fn every_move_is_the_one_that_shakmaty_reads() {
    let Some(corpora) = tabiya_testing::shared("corpora") else {
        return;
    };
    let full = tabiya_testing::is_full();
    let part = if full { u64::MAX } else { PART };
    for name in [
        "otb",
        "annotated",
        "annotated-human",
        "engine-matches",
        "lichess",
        "lichess-real",
    ] {
        let path = corpora.join(format!("{name}.pgn.zst"));
        let stream = compression::open_stream(&path, &compression::UnpackLimits::default());
        let mut bytes = Vec::new();
        let read = stream
            .unwrap_or_else(|error| panic!("{error}"))
            .take(part)
            .read_to_end(&mut bytes);
        assert!(read.is_ok());
        let (mut games, mut compared, mut moves, mut damaged) = (0_u64, 0_u64, 0, 0_u64);
        let input = Box::new(std::io::Cursor::new(bytes.clone()));
        let mut source = PgnSource::new(input, name.to_owned(), &OpenOptions::default(), None);
        let result = for_each_game(&mut source, GameNeeds::ALL, |game| {
            games += 1;
            damaged += u64::from(game.diagnostics.at_least(Severity::Warning) > 0);
            let from = usize::try_from(game.origin.byte).unwrap_or(0);
            let to = from + usize::try_from(game.origin.length).unwrap_or(0);
            let text = bytes.get(from..to).unwrap_or(&[]);
            let movetext = text
                .windows(2)
                .rposition(|pair| pair == b"]\n" || pair == b"]\r")
                .and_then(|at| {
                    // A command in a comment may end its line, so only a line of tags counts.
                    let after_tags = text.get(..at)?.iter().rposition(|b| *b == b'\n');
                    let line = after_tags.map_or(0, |n| n + 1);
                    (text.get(line) == Some(&b'['))
                        .then(|| text.get(at + 2..))
                        .flatten()
                });
            let (Some(movetext), Some(start)) = (movetext, start(game)) else {
                return Ok(());
            };
            let Some(expected) = theirs(movetext, start) else {
                return Ok(());
            };
            compared += 1;
            moves += expected.len();
            assert!(
                ours(game) == expected,
                "{name}, game {}",
                game.origin.number
            );
            Ok(())
        });
        assert!(result.is_ok(), "{name}");
        assert!(
            compared * 100 >= games * 85,
            "{name}: {compared} of {games} games"
        );
        assert!(moves > 20_000, "{name}: {moves} moves");
        assert!(damaged * 20 <= games, "{name}: {damaged} of {games} games");
    }
}
