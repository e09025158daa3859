//! A table while it is read: batches that are made on threads of the library, some of them ahead of the reader.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::ThreadId;
use std::time::Instant;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use tabiya::formats::parquet::ParquetColumnBuffer;
use tabiya::model::facts::{FactFields, FactSource};
use tabiya::model::{Block, Control, Database, Game, GameNeeds, Result, pipeline};
use tabiya::search::{SearchOptions, search};
use tabiya::{Base, Selection};
use tabiya_columns::ColumnData;

use super::arrays;
use super::fact_rows::FactRows;
use super::fields::{TableColumns, TableKind};
use super::move_rows::MoveRows;
use super::position_rows::PositionRows;
use crate::job::{self, LOOK};

/// Batches that wait for their reader.
const AHEAD: usize = 4;
/// Games of a batch where a query finds them one by one.
const LOT: usize = 4096;
/// Games of a batch that facts fill.
const FACT_LOT: usize = 16_384;

/// A batch; nothing at the end.
type BatchAnswer = std::result::Result<Option<RecordBatch>, ArrowError>;

/// Reads a table.
pub(super) struct TableReader {
    schema: SchemaRef,
    from: Receiver<BatchAnswer>,
    control: Control,
    is_over: bool,
    /// The thread that has asked for the table, and when it looked for signals last.
    asker: ThreadId,
    looked: Instant,
}

impl TableReader {
    /// Begins to read.
    pub(super) fn new(
        games: Selection,
        columns: TableColumns,
        threads: Option<usize>,
    ) -> TableReader {
        let control = job::control(threads);
        let (schema, reins) = (columns.schema(), control.clone());
        let (to, from) = sync_channel(AHEAD);
        std::thread::spawn(move || {
            let mut last = match produce(&games, &columns, &reins, &to) {
                Ok(()) => Ok(None),
                Err(error) => Err(ArrowError::ExternalError(Box::new(error))),
            };
            if last.is_ok() && games.bases.iter().any(|base| !base.is_current()) {
                let message = "the files have changed while they were read";
                last = Err(ArrowError::ExternalError(message.into()));
            }
            // Nobody may be there any more.
            let _ = to.send(last);
        });
        TableReader {
            schema,
            from,
            control,
            is_over: false,
            asker: std::thread::current().id(),
            looked: Instant::now(),
        }
    }

    /// The next batch, while nobody has pressed Ctrl-C: not every library looks for that while it reads.
    fn receive(&mut self) -> BatchAnswer {
        loop {
            if self.looked.elapsed() >= LOOK {
                self.looked = Instant::now();
                if self.is_interrupted() {
                    self.control.stop();
                    return Err(ArrowError::ExternalError("interrupted by Ctrl-C".into()));
                }
            }
            match self.from.recv_timeout(LOOK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let message = "a thread of the library has ended early";
                    return Err(ArrowError::ExternalError(message.into()));
                }
            }
        }
    }

    /// Whether a signal is to end what Python does. The thread that has asked for the table may ask Python for that, whatever it does
    /// meanwhile; another one might wait for a lock which that thread holds until the table is read.
    fn is_interrupted(&self) -> bool {
        if std::thread::current().id() != self.asker {
            return false;
        }
        let is_raised = Python::try_attach(|py| {
            let is_raised = py.check_signals().is_err();
            if is_raised && let Ok(thread) = py.import("_thread") {
                // The library says in its own words that reading has failed; this raises KeyboardInterrupt then.
                let _ = thread.call_method0("interrupt_main");
            }
            is_raised
        });
        is_raised.unwrap_or(false)
    }
}

impl Drop for TableReader {
    fn drop(&mut self) {
        self.control.stop();
    }
}

impl Iterator for TableReader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.receive().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

impl RecordBatchReader for TableReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Makes rows of games.
enum RowMaker {
    Games(Box<ParquetColumnBuffer>),
    Moves(Box<MoveRows>),
    Positions(Box<PositionRows>),
}

/// Rows of a run of games, with the number of the game of each.
struct RowBatch {
    arrays: Vec<Option<ArrayRef>>,
    numbers: Vec<i64>,
}

/// Makes batches on one thread.
struct BatchMaker<'c> {
    columns: &'c TableColumns,
    rows: RowMaker,
    numbers: Vec<i64>,
}

impl<'c> BatchMaker<'c> {
    fn new(columns: &'c TableColumns) -> BatchMaker<'c> {
        BatchMaker {
            columns,
            rows: match columns.kind {
                TableKind::Games => {
                    RowMaker::Games(Box::new(ParquetColumnBuffer::new(&columns.wanted)))
                }
                TableKind::Moves => RowMaker::Moves(Box::new(MoveRows::new(columns))),
                TableKind::Positions => RowMaker::Positions(Box::new(PositionRows::new(columns))),
            },
            numbers: Vec::new(),
        }
    }

    /// What is read of games; `knows_plies` where their numbers of plies are told.
    fn needs(&self, knows_plies: bool) -> GameNeeds {
        match &self.rows {
            RowMaker::Games(rows) => rows.needs(knows_plies),
            RowMaker::Moves(_) | RowMaker::Positions(_) => self.columns.needs(),
        }
    }

    /// Whether games have to be read no further than their tags where their numbers of plies are known.
    fn asks_plies_alone(&self) -> bool {
        match &self.rows {
            RowMaker::Games(rows) => rows.asks_plies_alone(),
            RowMaker::Moves(_) | RowMaker::Positions(_) => false,
        }
    }

    fn push(&mut self, game: &Game, plies: Option<u32>) {
        let rows = match &mut self.rows {
            RowMaker::Games(rows) => {
                rows.push(game, plies);
                1
            }
            RowMaker::Moves(rows) => rows.push(game),
            RowMaker::Positions(rows) => rows.push(game),
        };
        let number = i64::try_from(game.origin.number).unwrap_or(i64::MAX);
        self.numbers.extend(std::iter::repeat_n(number, rows));
    }

    fn take(&mut self) -> std::result::Result<RowBatch, ArrowError> {
        let rows = match &mut self.rows {
            RowMaker::Games(rows) => {
                return batch_of(rows.take(), std::mem::take(&mut self.numbers));
            }
            RowMaker::Moves(rows) => rows.take(),
            RowMaker::Positions(rows) => rows.take(),
        };
        let mut all: Vec<_> = rows.into_columns().into_iter().map(Some).collect();
        let wanted = self.columns.wanted.iter();
        let columns: Option<Vec<ColumnData>> = wanted.map(|at| all.get_mut(*at)?.take()).collect();
        let columns =
            columns.ok_or_else(|| ArrowError::SchemaError("a column twice".to_owned()))?;
        batch_of(columns, std::mem::take(&mut self.numbers))
    }
}

/// Columns as arrays.
fn batch_of(
    columns: Vec<ColumnData>,
    numbers: Vec<i64>,
) -> std::result::Result<RowBatch, ArrowError> {
    let columns = columns.into_iter();
    let arrays = columns.map(|column| match column.field.name {
        // The number is known later.
        "game" => Ok(None),
        _ => arrays::array(column).map(Some),
    });
    Ok(RowBatch {
        arrays: arrays.collect::<std::result::Result<_, _>>()?,
        numbers,
    })
}

/// Sends a batch, with numbers that count from behind `before`; false where nobody takes it.
fn send(
    schema: &SchemaRef,
    batch: RowBatch,
    before: i64,
    to: &SyncSender<BatchAnswer>,
) -> std::result::Result<bool, ArrowError> {
    let rows = batch.numbers.len();
    if rows == 0 {
        return Ok(true);
    }
    let mut numbers = Some(batch.numbers);
    let arrays = batch.arrays.into_iter().map(|array| {
        array.unwrap_or_else(|| {
            let mut numbers = numbers.take().unwrap_or_default();
            if before != 0 {
                for number in &mut numbers {
                    *number = number.saturating_add(before);
                }
            }
            Arc::new(Int64Array::from(numbers))
        })
    });
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(Arc::clone(schema), arrays.collect(), &options)?;
    Ok(to.send(Ok(Some(batch))).is_ok())
}

fn failed(error: ArrowError) -> tabiya::model::Error {
    tabiya::model::Error::new(&tabiya::model::error_codes::INTERNAL, error.to_string())
}

fn produce(
    games: &Selection,
    columns: &TableColumns,
    control: &Control,
    to: &SyncSender<BatchAnswer>,
) -> Result<()> {
    if let [base] = &games.bases[..] {
        if let Some(rows) = FactRows::new(base, columns) {
            return of_facts(games, base, rows, &columns.schema(), control, to);
        }
        if games.is_all() {
            return of_all(base, columns, control, to);
        }
    }
    let schema = columns.schema();
    let (mut maker, mut lot) = (BatchMaker::new(columns), 0);
    let options = SearchOptions {
        plies: false,
        keep: Some(maker.needs(false)),
        ..SearchOptions::default()
    };
    search(games, &options, control, &mut |_, found| {
        let Some(mut game) = found.game else {
            return Ok(ControlFlow::Continue(()));
        };
        game.origin.number = found.hit.number;
        maker.push(&game, None);
        lot += 1;
        if lot < LOT {
            return Ok(ControlFlow::Continue(()));
        }
        lot = 0;
        let batch = maker.take().map_err(failed)?;
        Ok(match send(&schema, batch, 0, to).map_err(failed)? {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    })?;
    let batch = maker.take().map_err(failed)?;
    send(&schema, batch, 0, to).map_err(failed)?;
    Ok(())
}

/// The rows of a base whose index says all that they hold.
fn of_facts(
    games: &Selection,
    base: &Base,
    mut rows: FactRows<'_>,
    schema: &SchemaRef,
    control: &Control,
    to: &SyncSender<BatchAnswer>,
) -> Result<()> {
    let chosen = games.numbers_in(base, control)?;
    let all = match &chosen {
        Some(chosen) => chosen.len() as u64,
        None => rows.games(),
    };
    let (mut at, lot) = (0, FACT_LOT as u64);
    while at < all && !control.is_stopped() {
        let end = all.min(at.saturating_add(lot));
        let (columns, numbers) = match &chosen {
            None => {
                let numbers: Vec<u64> = (at + 1..end + 1).collect();
                (rows.columns(&numbers)?, numbers)
            }
            Some(chosen) => {
                let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
                let numbers = chosen.get(place(at)..place(end)).unwrap_or_default();
                (rows.columns(numbers)?, numbers.to_vec())
            }
        };
        let numbers = numbers.into_iter().map(u64::cast_signed).collect();
        let batch = batch_of(columns, numbers).map_err(failed)?;
        if !send(schema, batch, 0, to).map_err(failed)? {
            break;
        }
        control.advance(end - at, 0);
        at = end;
    }
    Ok(())
}

/// The rows of all games of a base, made on all threads.
fn of_all(
    base: &Base,
    columns: &TableColumns,
    control: &Control,
    to: &SyncSender<BatchAnswer>,
) -> Result<()> {
    let schema = columns.schema();
    let index = match BatchMaker::new(columns).asks_plies_alone() {
        true => PlyIndex::of(base),
        false => None,
    };
    let mut source = match &index {
        // The games of a range are numbered, by which the index beside a file is asked.
        Some(index) if base.index().is_some() => {
            let games = 1..index.facts.len().saturating_add(1);
            let source = index.database.source(Some(games))?;
            control.expect_more(source.total_bytes());
            source
        }
        _ => base.source(control)?,
    };
    let mut before = 0_i64;
    pipeline::run(
        &mut *source,
        control,
        || {
            let (mut maker, mut game) = (BatchMaker::new(columns), Game::default());
            let index = index.as_ref();
            move |block: &mut dyn Block| {
                let games = fill(&mut maker, block, index, &mut game)?;
                let batch = maker.take().map_err(failed)?;
                Ok((batch, games, block.first().is_some()))
            }
        },
        |(batch, games, is_numbered)| {
            let more = if is_numbered { 0 } else { before };
            before += games;
            let is_taken = send(&schema, batch, more, to).map_err(failed)?;
            Ok(is_taken && !control.is_stopped())
        },
    )?;
    Ok(())
}

/// An index that says how many plies games have.
struct PlyIndex<'b> {
    facts: &'b dyn FactSource,
    database: &'b dyn Database,
}

impl<'b> PlyIndex<'b> {
    fn of(base: &'b Base) -> Option<PlyIndex<'b>> {
        let database = base.database().filter(|_| base.finds_games())?;
        let facts = base.facts()?;
        let is_told = facts.is_index() && !facts.never_says().meets(FactFields::PLIES);
        is_told.then_some(PlyIndex { facts, database })
    }

    /// The plies of a game, where the index is sure of them.
    fn plies(&self, number: u64) -> Option<u32> {
        let fact = self.facts.fact(number, FactFields::PLIES)?;
        fact.plies.filter(|_| !fact.unsaid.meets(FactFields::PLIES))
    }
}

/// Makes the rows of a block, and says how many games it has. Where no more is asked of moves than how many there are, the block or an
/// index is asked for that; a game of which neither knows it is read once more.
fn fill(
    maker: &mut BatchMaker<'_>,
    block: &mut dyn Block,
    index: Option<&PlyIndex<'_>>,
    game: &mut Game,
) -> Result<i64> {
    let asks = maker.asks_plies_alone();
    let index = index.filter(|_| asks && block.first().is_some());
    let by_block = asks && block.knows_plies();
    let is_known = by_block || index.is_some();
    let (needs, whole) = (maker.needs(is_known), maker.needs(false));
    let mut games = 0;
    while block.next(needs, game)? {
        games += 1;
        let plies = match (by_block, index) {
            (true, _) => block.plies()?,
            (false, Some(index)) => index.plies(game.origin.number),
            (false, None) => None,
        };
        if is_known && plies.is_none() {
            let number = game.origin.number;
            if !block.again(whole, game)? {
                match index {
                    Some(index) => index.database.read(number, whole, game)?,
                    None => {
                        let what = "a block cannot be read again";
                        return Err(failed(ArrowError::ComputeError(what.to_owned())));
                    }
                }
            }
        }
        maker.push(game, plies);
    }
    Ok(games)
}
