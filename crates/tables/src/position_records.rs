//! Every game leaves a record for each of its positions, and the records are sorted.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use tabiya_explore::game_brief::GameBrief;
use tabiya_explore::move_code::MoveCode;
use tabiya_model::collect::{
    Collector, CollectorNeeds, CollectorPass, CollectorWorker, GameView, PassRange, StepScope,
};
use tabiya_model::error_codes;
use tabiya_model::positions::WalkStart;
use tabiya_model::{Control, Database, Error, GameNeeds, Result};
use tabiya_openings::position_key::PositionKey;

use crate::external_sort::{RecordSorter, SortRecord, SortedRecords};

/// The parts that are read of each game.
const WANT: GameNeeds = GameNeeds {
    variations: false,
    annotations: false,
    verify: false,
    ..GameNeeds::ALL
};
/// How many records a thread collects before it passes them on.
const HANDED: usize = 1 << 16;
/// The number of bits of a game number.
pub(crate) const GAME: u32 = 47;

/// A position that occurs in a game for the first time.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FirstOccurrence {
    pub(crate) key: PositionKey,
    /// The move played there.
    pub(crate) step: MoveCode,
    /// The number of the game.
    pub(crate) game: u64,
    /// Plies before it.
    pub(crate) ply: usize,
    pub(crate) brief: GameBrief,
}

/// Makes a record of it.
type RecordFn<'m, R> = &'m (dyn Fn(&FirstOccurrence) -> R + Sync);

/// Collects and sorts the records of games, and counts those that could not be decoded to their end; `None` if it was
/// stopped.
pub(crate) fn gather<R: SortRecord>(
    database: &dyn Database,
    games: Range<u64>,
    make: RecordFn<'_, R>,
    control: &Control,
) -> Result<Option<(SortedRecords<R>, u64)>> {
    let memory = usize::try_from(control.memory()).unwrap_or(usize::MAX);
    let sorter = Mutex::new(RecordSorter::new(memory));
    let gathering = PositionCollector {
        sorter: &sorter,
        make,
    };
    let mut damaged = 0;
    let mut pass = CollectorPass::new();
    pass.add(&gathering, |part, _| {
        damaged += part;
        Ok(true)
    });
    if !pass
        .run(database, PassRange::Range(games), control)?
        .is_whole()
    {
        return Ok(None);
    }
    let sorter = sorter.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Some((sorter.finish()?, damaged)))
}

/// Visits each game.
struct PositionCollector<'g, R> {
    sorter: &'g Mutex<RecordSorter<R>>,
    make: RecordFn<'g, R>,
}

/// One thread's share.
struct PositionWorker<'g, R> {
    sorter: &'g Mutex<RecordSorter<R>>,
    make: RecordFn<'g, R>,
    records: Vec<R>,
    line: Vec<(PositionKey, MoveCode)>,
    seen: HashSet<PositionKey>,
    damaged: u64,
}

impl<R: SortRecord> Collector for PositionCollector<'_, R> {
    type Part = u64;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::game(WANT).with_steps(StepScope::MainLine)
    }

    fn worker(&self) -> impl CollectorWorker<Part = u64> {
        PositionWorker {
            sorter: self.sorter,
            make: self.make,
            records: Vec::new(),
            line: Vec::new(),
            seen: HashSet::new(),
            damaged: 0,
        }
    }
}

impl<R: SortRecord> PositionWorker<'_, R> {
    fn hand_on(&mut self) -> Result<()> {
        let mut sorter = self.sorter.lock().unwrap_or_else(PoisonError::into_inner);
        sorter.extend(&self.records)?;
        self.records.clear();
        Ok(())
    }
}

impl<R: SortRecord> CollectorWorker for PositionWorker<'_, R> {
    type Part = u64;

    fn see(&mut self, seen: &mut GameView<'_>) -> Result<()> {
        let brief = GameBrief::of_game(seen.game(WANT)?);
        let game = seen.number().unwrap_or(seen.place() + 1);
        if game >= 1 << GAME {
            return Err(Error::new(
                &error_codes::TOO_MANY_GAMES,
                "there are more games than a table can number",
            ));
        }
        let mut key = match seen.start()? {
            WalkStart::Standard => PositionKey::standard(),
            WalkStart::Setup(board) => PositionKey::of_board(board),
            WalkStart::Unreadable => {
                self.damaged += 1;
                return Ok(());
            }
        };
        self.line.clear();
        for delta in seen.steps()?.iter().filter(|delta| delta.is_move()) {
            self.line.push((key, MoveCode::of(*delta)));
            key = key.after(*delta);
        }
        self.line.push((key, MoveCode::END));
        self.damaged += u64::from(seen.is_damaged());
        // Each game counts once for a position, at its first occurrence.
        self.seen.clear();
        for (ply, &(key, step)) in self.line.iter().enumerate() {
            if self.seen.insert(key) {
                self.records.push((self.make)(&FirstOccurrence {
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
