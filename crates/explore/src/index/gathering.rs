//! The pass over the games of a layer: to make it, or to look whether it is still right.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tabiya_model::collect::{Collector, Needs, Over, Pass, Seen, Worker};
use tabiya_model::{Control, Database, Ended, Result};

use super::postings::{Gathered, Log, Parted};
use crate::look::Look;

/// Postings of a log whose memory is kept.
const SPARE: usize = 4 << 20;

/// Looks at the games of a range; their postings go into parts, where they are wanted.
pub(super) fn gather(
    database: &dyn Database,
    games: Range<u64>,
    gathered: &mut Gathered,
    parted: Option<&Parted<'_>>,
    control: &Control,
) -> Result<Ended> {
    let first = games.start;
    let gathering = Gathering {
        look: Look::at(database, true).reading_all(),
        parted,
        spare: Mutex::default(),
    };
    let mut pass = Pass::new();
    pass.add(&gathering, |log: Log, run| {
        let log = gathered.add(log, run, first);
        if log.capacity() < SPARE {
            gathering.spare().push(log);
        }
        Ok(true)
    });
    pass.run(database, Over::Range(games), control)
}

struct Gathering<'g> {
    look: Look,
    parted: Option<&'g Parted<'g>>,
    /// The memory of logs goes round.
    spare: Mutex<Vec<Log>>,
}

impl Gathering<'_> {
    fn spare(&self) -> MutexGuard<'_, Vec<Log>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collector for Gathering<'_> {
    type Part = Log;

    fn needs(&self) -> Needs {
        self.look.needs()
    }

    fn worker(&self) -> impl Worker<Part = Log> {
        Share {
            gathering: self,
            log: Log::default(),
        }
    }
}

/// One thread's share.
struct Share<'g> {
    gathering: &'g Gathering<'g>,
    log: Log,
}

impl Worker for Share<'_> {
    type Part = Log;

    fn see(&mut self, game: &mut Seen<'_>) -> Result<()> {
        let Gathering { look, parted, .. } = self.gathering;
        self.log.add(game, *look, parted.is_none())
    }

    fn take(&mut self) -> Result<Log> {
        if let Some(parted) = self.gathering.parted {
            self.log.scatter(parted)?;
        }
        let next = self.gathering.spare().pop().unwrap_or_default();
        Ok(std::mem::replace(&mut self.log, next))
    }
}
