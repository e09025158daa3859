//! Our reader of Chess Assistant's databases.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use shakmaty::Color;
use tabiya_formats::chess_assistant::{CaReader, CaWriter};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::pgn;
use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::facts::FactFields;
use tabiya_model::{Database, Error, GameNeeds, Losses};

use crate::corpora::{Corpus, DerivedCorpus};
use crate::task::{Contestant, FunctionInput, WorkCounts};

pub(crate) const GAMES: Corpus = Corpus {
    name: "otb",
    what: "286,040 master games as a Chess Assistant database",
    made: Some(DerivedCorpus {
        ending: "ca.d02",
        make,
    }),
};

pub(crate) const MILLION: Corpus = Corpus {
    name: "otb",
    what: "a million headers: the games of the corpus again and again",
    made: Some(DerivedCorpus {
        ending: "ca-million.d02",
        make: make_million,
    }),
};

pub(crate) fn read() -> Contestant {
    Contestant::function(
        "tabiya",
        "the database opened from the disk, every move verified, tags and games built; one thread",
        read_games,
    )
}

pub(crate) fn names() -> Contestant {
    Contestant::function(
        "tabiya",
        "the database opened from the disk, then names, dates, ratings and results of every game; one thread",
        read_names,
    )
}

fn make(pgn: &Path, to: &Path) -> Result<()> {
    write(pgn, to, u64::MAX, 1)
}

fn make_million(pgn: &Path, to: &Path) -> Result<()> {
    write(pgn, to, 1_000_000, 4)
}

/// Writes the games of a PGN file so many times, up to a number of games. The file of moves gets the name.
fn write(pgn: &Path, to: &Path, most: u64, times: usize) -> Result<()> {
    let open = pgn::FORMAT.open.context("PGN cannot be read")?;
    let database = open(pgn, &OpenOptions::default())?;
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let cdp = to.with_extension("cdp");
    let mut games = SinkWriter::new(Box::new(CaWriter::create(&cdp, &options)?));
    let (mut count, mut losses) = (0, Losses::default());
    for _ in 0..times {
        let mut source = database.source(None)?;
        for_each_game(&mut *source, GameNeeds::ALL, |game| {
            if count == most {
                return Ok::<(), Error>(());
            }
            count += 1;
            losses.clear();
            games.write(game, &mut losses)
        })?;
    }
    games.finish()?;
    Ok(fs::rename(to.with_extension("d02"), to)?)
}

fn read_games(input: &FunctionInput) -> Result<WorkCounts> {
    let reader = CaReader::open(&input.path, &OpenOptions::default())?;
    let mut counts = WorkCounts::default();
    let mut source = reader.source(None)?;
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        counts.games += 1;
        counts.plies += game.tape.plies() as u64;
        Ok(())
    })?;
    Ok(counts)
}

fn read_names(input: &FunctionInput) -> Result<WorkCounts> {
    let reader = CaReader::open(&input.path, &OpenOptions::default())?;
    let facts = reader.facts().context("there is an index")?;
    let mut length = 0;
    for number in 1..=facts.len() {
        let fact = facts.fact(number, FactFields::LISTED);
        let fact = fact.context("a fact for every game")?;
        length += facts.player(&fact, Color::White).len() + facts.player(&fact, Color::Black).len();
        length += facts.event(&fact).len() + facts.site(&fact).len();
    }
    std::hint::black_box(length);
    Ok(WorkCounts {
        games: facts.len(),
        plies: 0,
    })
}
