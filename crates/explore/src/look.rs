//! How games are looked at for their positions: walked where a database has a fast way to them and rows that say the rest, read where
//! it has not.

use tabiya_model::board::Board;
use tabiya_model::collect::{Collector, Needs, Over, Pass, Run, Seen, Steps, Worker};
use tabiya_model::positions::From;
use tabiya_model::{Control, Database, Ended, Game, Result, Want};

use crate::brief::Brief;
use tabiya_openings::key::Key;

/// How games are looked at.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Look {
    steps: Steps,
    /// What is read of each game, where games are not walked.
    want: Option<Want>,
}

/// Where a game starts.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Start {
    pub(crate) key: Key,
    /// Men on the board.
    pub(crate) men: u32,
    /// Whether the game can be decoded at all.
    pub(crate) is_readable: bool,
}

impl Look {
    /// At games of a stream, with their variations or without.
    pub(crate) fn at_source(variations: bool) -> Look {
        Look {
            steps: if variations {
                Steps::Variations
            } else {
                Steps::MainLine
            },
            want: Some(Want {
                variations,
                annotations: false,
                ..Want::ALL
            }),
        }
    }

    /// At games of a database.
    pub(crate) fn at(database: &dyn Database, variations: bool) -> Look {
        let look = Look::at_source(variations);
        // Ratings and dates must come as fast as positions.
        match (database.positions(), database.facts()) {
            (Some(_), Some(_)) => Look { want: None, ..look },
            _ => look,
        }
    }

    /// Where games are not walked, reads all of them: what is looked at for an index.
    pub(crate) fn reading_all(self) -> Look {
        Look {
            want: self.want.map(|_| Want::ALL),
            ..self
        }
    }

    /// Whether games are read, and not walked.
    pub(crate) fn reads(self) -> bool {
        self.want.is_some()
    }

    pub(crate) fn needs(self) -> Needs {
        let needs = match self.want {
            Some(want) => Needs::game(want),
            None => Needs::facts(Brief::FIELDS),
        };
        needs.with_steps(self.steps)
    }

    /// The game with its tags, where it is read.
    pub(crate) fn game<'s>(self, seen: &'s mut Seen<'_>) -> Result<Option<&'s Game>> {
        self.want.map(|want| seen.game(want)).transpose()
    }

    /// Ratings, date and result.
    #[inline]
    pub(crate) fn brief(self, seen: &mut Seen<'_>) -> Result<Brief> {
        match self.game(seen)? {
            Some(game) => Ok(Brief::of_game(game)),
            None => Ok(Brief::from(seen.fact()?)),
        }
    }

    #[inline]
    pub(crate) fn start(self, seen: &mut Seen<'_>) -> Result<Start> {
        // So that it is read once, and as far as it is wanted.
        self.game(seen)?;
        let (key, men, is_readable) = match seen.start()? {
            From::Standard => (Key::standard(), 32, true),
            From::Setup(board) => (Key::of_board(board), men_on(board), true),
            From::Unreadable => (Key(0), 0, false),
        };
        Ok(Start {
            key,
            men,
            is_readable,
        })
    }
}

fn men_on(board: &Board) -> u32 {
    board.occupied().count() as u32
}

/// What is found in each game of a list of rising numbers, in their order; so many as were looked at until a stop.
pub(crate) fn each<T: Send + 'static>(
    database: &dyn Database,
    numbers: &[u64],
    look: Look,
    control: &Control,
    see: impl Fn(&mut Seen<'_>) -> Result<T> + Sync,
) -> Result<(Vec<T>, Ended)> {
    let mut all = Vec::with_capacity(numbers.len());
    let each = Each { look, see };
    let mut pass = Pass::new();
    pass.add(&each, |part: Vec<T>, _: Run| {
        all.extend(part);
        Ok(true)
    });
    let ended = pass.run(database, Over::List(numbers), control)?;
    Ok((all, ended))
}

struct Each<F> {
    look: Look,
    see: F,
}

struct EachWorker<'e, F, T> {
    each: &'e Each<F>,
    found: Vec<T>,
}

impl<T: Send + 'static, F: Fn(&mut Seen<'_>) -> Result<T> + Sync> Collector for Each<F> {
    type Part = Vec<T>;

    fn needs(&self) -> Needs {
        self.look.needs()
    }

    fn worker(&self) -> impl Worker<Part = Vec<T>> {
        EachWorker {
            each: self,
            found: Vec::new(),
        }
    }
}

impl<T, F: Fn(&mut Seen<'_>) -> Result<T>> Worker for EachWorker<'_, F, T> {
    type Part = Vec<T>;

    fn see(&mut self, game: &mut Seen<'_>) -> Result<()> {
        let found = (self.each.see)(game)?;
        self.found.push(found);
        Ok(())
    }

    fn take(&mut self) -> Result<Vec<T>> {
        Ok(std::mem::take(&mut self.found))
    }
}
