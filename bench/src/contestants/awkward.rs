//! Clean games, spoilt in the ways that files from the wild are.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::corpora::{Corpus, DerivedCorpus};

/// How much of the corpus is taken.
const BYTES: u64 = 60_000_000;

const ENDING: &str = "awkward.pgn";

pub(crate) const GAMES: Corpus = Corpus {
    name: "otb",
    what: "master games with carriage returns, lower-case tags, no empty lines, Latin-1 letters, `0-0`, `:` for captures, \
           glued numbers and results, stray words and unclosed comments",
    made: Some(DerivedCorpus {
        ending: ENDING,
        make,
    }),
};

/// The clean games beside the awkward ones.
pub(crate) fn clean(awkward: &Path) -> PathBuf {
    awkward.with_extension("clean.pgn")
}

fn make(pgn: &Path, to: &Path) -> Result<()> {
    let mut reader = BufReader::new(File::open(pgn)?);
    let mut whole = BufWriter::new(File::create(clean(&to.with_extension("pgn")))?);
    let mut spoilt = BufWriter::new(File::create(to)?);
    let (mut game, mut line, mut copied) = (Vec::new(), Vec::new(), 0);
    let mut number = 0_u64;
    while copied < BYTES && reader.read_until(b'\n', &mut line)? > 0 {
        if line.starts_with(b"[Event ") && !game.is_empty() {
            whole.write_all(&game)?;
            spoilt.write_all(&spoil(&String::from_utf8_lossy(&game), number))?;
            copied += game.len() as u64;
            number += 1;
            game.clear();
        }
        game.append(&mut line);
    }
    whole.flush()?;
    Ok(spoilt.flush()?)
}

/// One game, spoilt in several of the ways that its number chooses.
fn spoil(game: &str, number: u64) -> Vec<u8> {
    let chosen = |one_in: u64, which: u64| number % one_in == which;
    let game = game.replace('\r', "");
    let (tags, moves) = game.split_once("\n\n").unwrap_or((&game, ""));
    let mut tags = tags.to_owned();
    let mut moves = moves.trim_end().to_owned();
    if chosen(2, 0) {
        moves = moves.replace("O-O", "0-0").replace('x', ":");
    }
    if chosen(3, 0) {
        moves = moves.replace(". ", ".");
    }
    if chosen(3, 1) {
        moves = moves.replace(['+', '='], "");
    }
    if chosen(5, 0) {
        // The result is glued to the last move.
        if let Some(space) = moves.rfind([' ', '\n']) {
            moves.remove(space);
        }
    }
    if chosen(5, 1) {
        moves = moves.replace(" 12.", " {un mot de Fran\u{e7}ois} 12.");
    }
    if chosen(7, 0) {
        moves = moves.replace(" 20.", " etwas 20.");
    }
    if chosen(50, 0) {
        moves.push_str(" {and then nobody closed it");
    }
    if chosen(4, 0) {
        tags = tags
            .replace("[White ", "[white ")
            .replace("[Site ", "[ Site  ");
    }
    let between = if chosen(6, 0) { "\n" } else { "\n\n" };
    let mut text = format!("{tags}{between}{moves}\n\n");
    if chosen(3, 2) {
        text = text.replace('\n', "\r\n");
    }
    if chosen(2, 1) {
        text.into_bytes()
    } else {
        // Latin-1, as far as it goes.
        text.chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
            .collect()
    }
}
