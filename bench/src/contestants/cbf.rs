//! Our reader and writer of ChessBase's databases for DOS.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use tabiya_formats::cbf::{CbfReader, CbfWriter};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::pgn;
use tabiya_model::database::for_each_game;
use tabiya_model::{Database, Encoder, Error, Game, GameNeeds, Losses, Sink};

use crate::corpora::{Corpus, DerivedCorpus};
use crate::task::{Contestant, FunctionInput, WorkCounts};

/// Games in the database.
const GAMES_MAX: usize = 100_000;
/// Games in a part on its way to the file.
const PART: usize = 512;

pub(crate) const GAMES: Corpus = Corpus {
    name: "otb",
    what: "100,000 master games as a ChessBase database (CBF/CBI)",
    made: Some(DerivedCorpus {
        ending: "100k.cbf",
        make,
    }),
};

pub(crate) fn read() -> Contestant {
    Contestant::function(
        "tabiya",
        "the database opened from the disk, every move verified, tags and games built; one thread",
        read_games,
    )
}

pub(crate) fn rewrite() -> Contestant {
    Contestant::function(
        "tabiya, written anew",
        "the same, and each game written to a new database at once; one thread",
        rewrite_games,
    )
}

/// Writes games as they come.
struct CbfTarget {
    sink: Box<CbfWriter>,
    encoder: Box<dyn Encoder>,
    losses: Losses,
    waiting: usize,
}

impl CbfTarget {
    fn create(path: &Path) -> Result<CbfTarget> {
        let options = WriteOptions {
            force: true,
            ..WriteOptions::default()
        };
        let sink = Box::new(CbfWriter::create(path, &options)?);
        Ok(CbfTarget {
            encoder: sink.encoder(),
            sink,
            losses: Losses::default(),
            waiting: 0,
        })
    }

    fn write(&mut self, game: &Game) -> Result<(), Error> {
        self.encoder.encode(game, &mut self.losses);
        self.losses.clear();
        self.waiting += 1;
        if self.waiting == PART {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.waiting = 0;
        self.sink.append(self.encoder.take(), 0, &mut self.losses)
    }

    fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.sink.finish()?;
        Ok(())
    }
}

fn make(pgn: &Path, to: &Path) -> Result<()> {
    let open = pgn::FORMAT.open.context("PGN cannot be read")?;
    let database = open(pgn, &OpenOptions::default())?;
    let games = to.with_extension("cbf");
    let mut target = CbfTarget::create(&games)?;
    let mut source = database.source(None)?;
    let mut game = Game::default();
    let mut count = 0;
    'all: while let Some(mut block) = source.next_block()? {
        while block.next(GameNeeds::ALL, &mut game)? {
            target.write(&game)?;
            count += 1;
            if count == GAMES_MAX {
                break 'all;
            }
        }
    }
    target.finish()?;
    Ok(fs::rename(games, to)?)
}

fn each(
    input: &FunctionInput,
    mut what: impl FnMut(&Game) -> Result<(), Error>,
) -> Result<WorkCounts> {
    let reader = CbfReader::open(&input.path, &OpenOptions::default())?;
    let mut counts = WorkCounts::default();
    let mut source = reader.source(None)?;
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        counts.games += 1;
        counts.plies += game.tape.plies() as u64;
        what(game)
    })?;
    Ok(counts)
}

fn read_games(input: &FunctionInput) -> Result<WorkCounts> {
    each(input, |_| Ok(()))
}

fn rewrite_games(input: &FunctionInput) -> Result<WorkCounts> {
    let mut target = CbfTarget::create(&input.path.with_extension("again.cbf"))?;
    let counts = each(input, |game| target.write(game))?;
    target.finish()?;
    Ok(counts)
}
