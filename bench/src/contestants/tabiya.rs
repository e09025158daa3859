//! Tabiya itself, in this process.

use std::sync::Mutex;

use anyhow::Result;
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::pgn;
use tabiya_formats::registry::by_name;
use tabiya_model::{Block, Game, Losses, Want, pipeline};

use crate::task::{Contestant, Counts, Input};

/// Everything of every game, verified, on one thread.
pub(crate) fn read() -> Contestant {
    Contestant::function(
        "tabiya",
        "reads the file into tags and tapes, variations, comments and NAGs included, every move verified; one thread",
        |input| read_with(input, 1),
    )
}

/// The same on two threads.
pub(crate) fn read_on_two_threads() -> Contestant {
    Contestant::function("tabiya, 2 threads", "the same on two threads", |input| {
        read_with(input, 2)
    })
}

fn read_with(input: &Input, jobs: usize) -> Result<Counts> {
    let open = pgn::FORMAT.open.expect("PGN is read");
    let database = open(&input.path, &OpenOptions::default())?;
    let mut counts = Counts { games: 0, plies: 0 };
    pipeline::run(
        &mut *database.source(None)?,
        jobs,
        || {
            let mut game = Game::default();
            move |block: &mut dyn Block| {
                let mut counts = (0, 0);
                while block.next(Want::ALL, &mut game)? {
                    counts.0 += 1;
                    counts.1 += game.tape.plies() as u64;
                }
                Ok(counts)
            }
        },
        |(games, plies)| {
            counts.games += games;
            counts.plies += plies;
            Ok(true)
        },
    )?;
    Ok(counts)
}

/// PGN to canonical PGN on two threads.
pub(crate) fn rewrite() -> Contestant {
    Contestant::function(
        "tabiya",
        "reads everything, verifies every move and writes the export format; two threads",
        |input| convert(input, "pgn"),
    )
}

/// PGN to a base of Scid 5 on two threads.
pub(crate) fn to_si5() -> Contestant {
    Contestant::function(
        "tabiya, si5",
        "writes a base of Scid 5; two threads",
        |input| convert(input, "si5"),
    )
}

/// PGN to a base of Scid 4 on two threads.
pub(crate) fn to_si4() -> Contestant {
    Contestant::function(
        "tabiya, si4",
        "writes a base of Scid 4; two threads",
        |input| convert(input, "si4"),
    )
}

fn convert(input: &Input, format: &str) -> Result<Counts> {
    const JOBS: usize = 2;
    let folder = tempfile::tempdir()?;
    let open = pgn::FORMAT.open.expect("PGN is read");
    let create = by_name(format)
        .and_then(|format| format.create)
        .expect("it is written");
    let database = open(&input.path, &OpenOptions::default())?;
    let target = folder.path().join(format!("out.{format}"));
    let mut sink = create(&target, &WriteOptions::default())?;
    let encoders = Mutex::new((0..JOBS).map(|_| sink.encoder()).collect::<Vec<_>>());
    let mut counts = Counts { games: 0, plies: 0 };
    pipeline::run(
        &mut *database.source(None)?,
        JOBS,
        || {
            let mut encoder = encoders
                .lock()
                .ok()
                .and_then(|mut all| all.pop())
                .expect("one a thread");
            let mut game = Game::default();
            move |block: &mut dyn Block| {
                let mut losses = Losses::default();
                let mut done = (0, 0);
                while block.next(Want::ALL, &mut game)? {
                    done.0 += 1;
                    done.1 += game.tape.plies() as u64;
                    encoder.encode(&game, &mut losses);
                }
                Ok((encoder.take(), done, losses))
            }
        },
        |(part, (games, plies), mut losses)| {
            sink.append(part, counts.games + 1, &mut losses)?;
            counts.games += games;
            counts.plies += plies;
            Ok(true)
        },
    )?;
    sink.finish()?;
    Ok(counts)
}
