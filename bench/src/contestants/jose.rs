//! Our reader of jose's rows and dumps.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::jose;
use tabiya_formats::jose::moves::{
    JoseEncodedMoves, JoseMoveColumns as Columns, JoseMoveDecoder, JoseMoveEncoder,
};
use tabiya_formats::jose::text::JoseTextEncoding;
use tabiya_formats::pgn;
use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::{Game, GameNeeds, Losses};

use crate::corpora::{Corpus, DerivedCorpus};
use crate::task::{Contestant, FunctionInput, WorkCounts};

pub(crate) const ROWS: Corpus = Corpus {
    name: "otb",
    what: "the moves of 286,040 master games as jose's column Bin holds them",
    made: Some(DerivedCorpus {
        ending: "jose-rows",
        make: make_rows,
    }),
};

pub(crate) const DUMP: Corpus = Corpus {
    name: "otb",
    what: "286,040 master games eleven times in a SQL dump of 1 GB, their halves in two tables",
    made: Some(DerivedCorpus {
        ending: "jose-1gb.sql",
        make: make_dump,
    }),
};

pub(crate) fn moves() -> Contestant {
    Contestant::function(
        "tabiya",
        "every byte decoded, the legality of every move verified, the game built; one thread",
        decode,
    )
}

pub(crate) fn dump() -> Contestant {
    Contestant::function(
        "tabiya",
        "the dump read twice from the disk, first for names and places, then game by game: tags, \
         moves verified; one thread",
        read,
    )
    .opens()
}

fn each(pgn: &Path, mut what: impl FnMut(&mut Game) -> Result<()>) -> Result<()> {
    let open = pgn::FORMAT.open.context("PGN cannot be read")?;
    let database = open(pgn, &OpenOptions::default())?;
    let mut source = database.source(None)?;
    let mut failed = None;
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        if failed.is_none() {
            failed = what(game).err();
        }
        Ok(())
    })?;
    failed.map_or(Ok(()), Err)
}

/// Rows: the length of each, then its bytes.
fn make_rows(pgn: &Path, to: &Path) -> Result<()> {
    let mut out = BufWriter::new(File::create(to)?);
    let (mut encoder, mut row) = (JoseMoveEncoder::default(), JoseEncodedMoves::default());
    each(pgn, |game| {
        if encoder.encode(game, &mut row, &mut Losses::default()) {
            out.write_all(&u32::try_from(row.bin.len())?.to_le_bytes())?;
            out.write_all(&row.bin)?;
        }
        Ok(())
    })?;
    Ok(out.flush()?)
}

fn make_dump(pgn: &Path, to: &Path) -> Result<()> {
    let create = jose::FORMAT.create.context("dumps cannot be written")?;
    let mut writer = SinkWriter::new(create(to, &WriteOptions::default())?);
    for _ in 0..11 {
        each(pgn, |game| Ok(writer.write(game, &mut Losses::default())?))?;
    }
    writer.finish()?;
    Ok(())
}

fn decode(input: &FunctionInput) -> Result<WorkCounts> {
    let (mut decoder, mut game) = (JoseMoveDecoder::default(), Game::default());
    let mut counts = WorkCounts::default();
    let mut rest = input.bytes.as_slice();
    while let Some((head, after)) = rest.split_first_chunk::<4>() {
        let len = usize::try_from(u32::from_le_bytes(*head))?;
        let bin = after.get(..len).context("a cut row")?;
        game.clear();
        let columns = Columns {
            bin,
            comments: None,
            coding: JoseTextEncoding::default(),
        };
        decoder.decode(columns, GameNeeds::ALL, &mut game);
        counts.games += 1;
        counts.plies += game.tape.plies() as u64;
        rest = after.get(len..).context("a cut row")?;
    }
    Ok(counts)
}

fn read(input: &FunctionInput) -> Result<WorkCounts> {
    let open = jose::FORMAT.open.context("dumps cannot be read")?;
    let database = open(&input.path, &OpenOptions::default())?;
    let mut counts = WorkCounts::default();
    let mut source = database.source(None)?;
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        counts.games += 1;
        counts.plies += game.tape.plies() as u64;
        Ok(())
    })?;
    Ok(counts)
}
