//! The pass over the games of a layer: to make it, or to check it.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tabiya_model::collect::{
    Collector, CollectorNeeds, CollectorPass, CollectorWorker, GameView, PassRange,
};
use tabiya_model::{Control, Database, JobCompletion, Result};

use super::postings::{LayerData, PostingLog, PostingTarget};
use crate::read_mode::ReadMode;

/// The capacity, in postings, up to which the memory of a log is reused.
const SPARE: usize = 4 << 20;

/// Reads the games of a range; their postings are divided into parts, if they are needed.
pub(super) fn gather(
    database: &dyn Database,
    games: Range<u64>,
    gathered: &mut LayerData,
    parted: Option<&PostingTarget<'_>>,
    control: &Control,
) -> Result<JobCompletion> {
    let first = games.start;
    let gathering = LayerCollector {
        look: ReadMode::for_index(database),
        parted,
        spare: Mutex::default(),
    };
    let mut pass = CollectorPass::new();
    pass.add(&gathering, |log: PostingLog, run| {
        let log = gathered.add(log, run, first);
        if log.capacity() < SPARE {
            gathering.spare().push(log);
        }
        Ok(true)
    });
    pass.run(database, PassRange::Range(games), control)
}

struct LayerCollector<'g> {
    look: ReadMode,
    parted: Option<&'g PostingTarget<'g>>,
    /// Logs whose memory is reused.
    spare: Mutex<Vec<PostingLog>>,
}

impl LayerCollector<'_> {
    fn spare(&self) -> MutexGuard<'_, Vec<PostingLog>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collector for LayerCollector<'_> {
    type Part = PostingLog;

    fn needs(&self) -> CollectorNeeds {
        self.look.needs()
    }

    fn worker(&self) -> impl CollectorWorker<Part = PostingLog> {
        LayerWorker {
            gathering: self,
            log: PostingLog::default(),
        }
    }
}

/// One thread's share.
struct LayerWorker<'g> {
    gathering: &'g LayerCollector<'g>,
    log: PostingLog,
}

impl CollectorWorker for LayerWorker<'_> {
    type Part = PostingLog;

    fn see(&mut self, game: &mut GameView<'_>) -> Result<()> {
        let LayerCollector { look, parted, .. } = self.gathering;
        self.log.add(game, *look, parted.is_none())
    }

    fn take(&mut self) -> Result<PostingLog> {
        if let Some(parted) = self.gathering.parted {
            self.log.scatter(parted)?;
        }
        let next = self.gathering.spare().pop().unwrap_or_default();
        Ok(std::mem::replace(&mut self.log, next))
    }
}
