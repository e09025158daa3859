//! Data of comments that is specific to Chess Assistant is kept byte for byte: the mark after an engine's score, scores of
//! other forms, evaluations with their authors.

use std::path::Path;

use tabiya_formats::chess_assistant::CaReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::charset::Charset;
use tabiya_model::{Game, TapeOp};

use crate::chess_assistant::law::write;
use crate::chess_assistant::oracles::read_all;

fn options() -> OpenOptions {
    OpenOptions {
        mmap: false,
        encoding: Some(Charset::Cp1251),
        ..OpenOptions::default()
    }
}

/// A game with a comment of these bytes after its first move, laid out by hand in the record of a database.
fn lay_out(path: &Path, kind: u8, data: &[u8]) {
    let mut game = Game::default();
    game.origin.number = 1;
    let board = game.start_board();
    game.tape
        .push_move(board.parse_uci(b"e2e4").expect("legal"));
    game.tape.push_comment(&"x".repeat(data.len().max(1)));
    let losses = write(path, &[game]);
    assert!(losses.iter().all(tabiya_model::Losses::is_empty));
    let file = path.with_extension("d02");
    let mut bytes = std::fs::read(&file).expect("read");
    let head = [235, u8::try_from(data.len().max(1) + 1).expect("short"), 4];
    let at = memchr::memmem::find(&bytes, &head).expect("the comment");
    bytes[at + 2] = kind;
    let start = at + head.len();
    if data.is_empty() {
        bytes[at + 1] = 1;
        bytes.remove(start);
        bytes[0] -= 1;
    } else {
        bytes[start..start + data.len()].copy_from_slice(data);
    }
    std::fs::write(&file, bytes).expect("written");
}

fn comments(game: &Game) -> Vec<String> {
    let ops = game.tape.ops();
    ops.filter_map(|op| match op {
        TapeOp::Comment(id) => Some(game.tape.text(id).to_owned()),
        _ => None,
    })
    .collect()
}

#[test]
fn every_comment_comes_back_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, again) = (folder.path().join("x.cdp"), folder.path().join("y.cdp"));
    for (kind, data, shown) in [
        (29, &b"\x23\0\xff\0"[..], &["[%eval 0.35]"][..]),
        (29, b"\x23\0\xff\0CAP", &["[%eval 0.35] CAP"]),
        (29, b"\x23\0\xff\0cap", &["[%eval 0.35]"]),
        (29, b"\x23\0", &["[%eval 0.35]"]),
        (29, b"\x23\0\x01\x02\x03", &["[%eval 0.35]"]),
        (29, b"\x23", &[]),
        (6, b"White is better (GM)", &["White is better (GM)"]),
        (4, b"[%eval 0.35] CAPS", &["[%eval 0.35] CAPS"]),
        (7, b"folder", &[]),
        (11, b"?", &[]),
    ] {
        lay_out(&path, kind, data);
        let games = read_all(&CaReader::open(&path, &options()).expect("opened"));
        assert_eq!(comments(&games[0]), shown, "{kind} {data:?}");
        let losses = write(&again, &games);
        let told: Vec<_> = losses.iter().flat_map(|losses| losses.iter()).collect();
        assert!(told.is_empty(), "{kind} {data:?}: {told:?}");
        let bytes = |path: &Path| std::fs::read(path.with_extension("d02")).expect("read");
        assert_eq!(bytes(&path), bytes(&again), "{kind} {data:?}");
    }
}
