//! The board beside shakmaty over master games, where the shared corpora are present.
//!
//! A part of the games is read, all of them where `TABIYA_FULL` is set. Unpacking needs the `zstd`
//! program.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position};
use tabiya_model::board::Board;

const PART: u64 = 10_000_000;

#[derive(Default)]
struct CorpusTally {
    games: u64,
    plies: u64,
    same_text: u64,
    refused: u64,
}

/// One game on both boards; dropped at the first token that neither can play.
type BoardPair = Option<(Board, Chess)>;

fn start(fen: &str) -> BoardPair {
    let (board, _) = Board::from_fen(fen).ok()?;
    let chess = fen
        .parse::<Fen>()
        .ok()?
        .into_position(CastlingMode::Chess960);
    Some((board, chess.ok()?))
}

fn token(game: &mut BoardPair, token: &[u8], tally: &mut CorpusTally) {
    let Some((board, chess)) = game else { return };
    let text = String::from_utf8_lossy(token);
    let ours = board
        .read_san(token)
        .filter(|(_, used)| *used == token.len())
        .and_then(|(result, _)| result.ok());
    let theirs = SanPlus::from_ascii(token)
        .ok()
        .and_then(|san| san.san.to_move(chess).ok());
    assert_eq!(
        ours.and_then(|m| m.to_shakmaty(board)),
        theirs,
        "{text} in {}",
        board.to_fen()
    );
    let (Some(m), Some(their_move)) = (ours, theirs) else {
        tally.refused += 1;
        *game = None;
        return;
    };
    let expected = SanPlus::from_move_and_play_unchecked(chess, their_move).to_string();
    let mut quick = board.clone();
    let mut written = Vec::new();
    board.play_san(m, &mut written);
    assert_eq!(written, expected.as_bytes());
    quick.play_legal(m);
    assert_eq!(&quick, board);
    assert_eq!(board.checkers(), chess.checkers());
    tally.plies += 1;
    tally.same_text += u64::from(written == token);
}

#[test]
fn master_games_agree_with_shakmaty() {
    let Some(path) = tabiya_testing::shared("corpora/otb.pgn.zst") else {
        return;
    };
    let unpack = Command::new("zstd")
        .arg("-dcq")
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut unpack) = unpack else {
        eprintln!("skipped: the zstd program is not here");
        return;
    };
    let mut pgn = BufReader::with_capacity(1 << 20, unpack.stdout.take().expect("a pipe"));
    let limit = match tabiya_testing::is_full() {
        true => u64::MAX,
        false => PART,
    };
    let mut tally = CorpusTally::default();
    let mut game: BoardPair = None;
    let mut comment = false;
    let mut depth = 0_u32;
    let (mut line, mut read) = (Vec::new(), 0);
    while read < limit {
        line.clear();
        let length = pgn.read_until(b'\n', &mut line).expect("the corpus");
        if length == 0 {
            break;
        }
        read += length as u64;
        if line.starts_with(b"[") && !comment {
            if line.starts_with(b"[Event ") {
                tally.games += 1;
                (game, depth) = (Some((Board::standard(), Chess::new())), 0);
            } else if line.starts_with(b"[FEN ") {
                let text = String::from_utf8_lossy(&line);
                game = text.split('"').nth(1).and_then(start);
            }
            continue;
        }
        for piece in line.split_inclusive(|b| b" .\r\n(){}".contains(b)) {
            let (word, end) = match piece.split_last() {
                Some((end, word)) if b" .\r\n(){}".contains(end) => (word, *end),
                _ => (piece, b' '),
            };
            let is_move = word
                .first()
                .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'-');
            if is_move && !comment && depth == 0 {
                let text = word.trim_ascii_end();
                let marks = text.iter().rev().take_while(|b| b"!?".contains(b)).count();
                token(&mut game, &text[..text.len() - marks], &mut tally);
            }
            match end {
                b'{' => comment = true,
                b'}' => comment = false,
                b'(' if !comment => depth += 1,
                b')' if !comment => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    drop(pgn);
    let _: std::io::Result<std::process::ExitStatus> = unpack.wait();
    eprintln!(
        "{} games, {} plies, {} written as read, {} games refused by both",
        tally.games, tally.plies, tally.same_text, tally.refused
    );
    assert!(tally.plies > 1_000_000, "{}", tally.plies);
    assert!(tally.refused * 1000 < tally.games, "{}", tally.refused);
    assert!(tally.same_text * 100 > tally.plies * 99);
}
