//! Every game leaves a record for each of its positions, and the records are sorted.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use tabiya_explore::brief::Brief;
use tabiya_explore::step::Step;
use tabiya_model::collect::{Collector, Needs, Over, Pass, Seen, Steps, Worker};
use tabiya_model::positions::From;
use tabiya_model::{Control, Database, Error, Result, Want};
use tabiya_openings::key::Key;

use crate::sorting::{Record, Sorted, Sorter};

/// What is read of each game.
const WANT: Want = Want {
    variations: false,
    annotations: false,
    verify: false,
    ..Want::ALL
};
/// Records that a thread gathers before it hands them on.
const HANDED: usize = 1 << 16;
/// Bits of the number of a game.
pub(crate) const GAME: u32 = 47;

/// A position that stands in a game for the first time.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Stands {
    pub(crate) key: Key,
    /// What was played there.
    pub(crate) step: Step,
    /// The number of the game.
    pub(crate) game: u64,
    /// Half-moves before it.
    pub(crate) ply: usize,
    pub(crate) brief: Brief,
}

/// What makes a record of it.
type Make<'m, R> = &'m (dyn Fn(&Stands) -> R + Sync);

/// Gathers and sorts what games leave, and counts those that could not be decoded to their end; `None` where it was told
/// to stop.
pub(crate) fn gather<R: Record>(
    database: &dyn Database,
    games: Range<u64>,
    make: Make<'_, R>,
    control: &Control,
) -> Result<Option<(Sorted<R>, u64)>> {
    let memory = usize::try_from(control.memory()).unwrap_or(usize::MAX);
    let sorter = Mutex::new(Sorter::new(memory));
    let gathering = Gathering {
        sorter: &sorter,
        make,
    };
    let mut damaged = 0;
    let mut pass = Pass::new();
    pass.add(&gathering, |part, _| {
        damaged += part;
        Ok(true)
    });
    if !pass.run(database, Over::Range(games), control)?.is_whole() {
        return Ok(None);
    }
    let sorter = sorter.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Some((sorter.finish()?, damaged)))
}

/// Looks at games as they pass.
struct Gathering<'g, R> {
    sorter: &'g Mutex<Sorter<R>>,
    make: Make<'g, R>,
}

/// One thread's share.
struct Share<'g, R> {
    sorter: &'g Mutex<Sorter<R>>,
    make: Make<'g, R>,
    records: Vec<R>,
    line: Vec<(Key, Step)>,
    seen: HashSet<Key>,
    damaged: u64,
}

impl<R: Record> Collector for Gathering<'_, R> {
    type Part = u64;

    fn needs(&self) -> Needs {
        Needs::game(WANT).with_steps(Steps::MainLine)
    }

    fn worker(&self) -> impl Worker<Part = u64> {
        Share {
            sorter: self.sorter,
            make: self.make,
            records: Vec::new(),
            line: Vec::new(),
            seen: HashSet::new(),
            damaged: 0,
        }
    }
}

impl<R: Record> Share<'_, R> {
    fn hand_on(&mut self) -> Result<()> {
        let mut sorter = self.sorter.lock().unwrap_or_else(PoisonError::into_inner);
        sorter.extend(&self.records)?;
        self.records.clear();
        Ok(())
    }
}

impl<R: Record> Worker for Share<'_, R> {
    type Part = u64;

    fn see(&mut self, seen: &mut Seen<'_>) -> Result<()> {
        let brief = Brief::of_game(seen.game(WANT)?);
        let game = seen.number().unwrap_or(seen.place() + 1);
        if game >= 1 << GAME {
            return Err(Error::usage("there are more games than a table can number"));
        }
        let mut key = match seen.start()? {
            From::Standard => Key::standard(),
            From::Setup(board) => Key::of_board(board),
            From::Unreadable => {
                self.damaged += 1;
                return Ok(());
            }
        };
        self.line.clear();
        for delta in seen.steps()?.iter().filter(|delta| delta.is_move()) {
            self.line.push((key, Step::of(*delta)));
            key = key.after(*delta);
        }
        self.line.push((key, Step::END));
        self.damaged += u64::from(seen.is_damaged());
        // Each game counts once for a position, where it first stands there.
        self.seen.clear();
        for (ply, &(key, step)) in self.line.iter().enumerate() {
            if self.seen.insert(key) {
                self.records.push((self.make)(&Stands {
                    key,
                    step,
                    game,
                    ply,
                    brief,
                }));
            }
        }
        if self.records.len() >= HANDED {
            self.hand_on()?;
        }
        Ok(())
    }

    fn take(&mut self) -> Result<u64> {
        self.hand_on()?;
        Ok(std::mem::take(&mut self.damaged))
    }
}
