//! Tabiya itself, in this process.

use std::path::Path;

use anyhow::Result;
use tabiya_formats::format::OpenOptions;
use tabiya_formats::pgn;
use tabiya_model::{Block, Control, Game, GameNeeds, pipeline};

use super::awkward;
use crate::task::{Contestant, WorkCounts};

/// Everything of every game, verified, on one thread.
pub(crate) fn read() -> Contestant {
    Contestant::function(
        "tabiya",
        "reads the file into tags and tapes, variations, comments and NAGs included, every move verified; one thread",
        |input| read_with(&input.path, 1),
    )
    .opens()
}

/// The same on two threads.
pub(crate) fn read_on_two_threads() -> Contestant {
    Contestant::function("tabiya, 2 threads", "the same on two threads", |input| {
        read_with(&input.path, 2)
    })
    .opens()
}

/// The same games in the clean form that the awkward one was made of.
pub(crate) fn read_clean() -> Contestant {
    Contestant::function("tabiya, clean", "the same games as they were", |input| {
        read_with(&awkward::clean(&input.path), 1)
    })
    .opens()
}

fn read_with(path: &Path, jobs: usize) -> Result<WorkCounts> {
    let open = pgn::FORMAT.open.expect("PGN is read");
    let database = open(path, &OpenOptions::default())?;
    let mut counts = WorkCounts { games: 0, plies: 0 };
    pipeline::run(
        &mut *database.source(None)?,
        &Control::default().with_threads(jobs),
        || {
            let mut game = Game::default();
            move |block: &mut dyn Block| {
                let mut counts = (0, 0);
                while block.next(GameNeeds::ALL, &mut game)? {
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
