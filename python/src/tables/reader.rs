//! A table on its way: batches that are made on threads of the library, some of them ahead of the reader.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tabiya::Selection;
use tabiya::formats::parquet::ParquetRowBuffer;
use tabiya::model::{Block, Control, Game, Result, pipeline};
use tabiya::search::{SearchOptions, search};
use tabiya_columns::RowGroupBuilder;

use super::arrays;
use super::fields::{TableColumns, TableKind};
use super::move_rows::MoveRows;
use super::position_rows::PositionRows;
use crate::job;

/// Batches that wait for their reader.
const AHEAD: usize = 4;
/// Games of a batch where a query finds them one by one.
const LOT: usize = 4096;

/// A batch; nothing at the end.
type BatchAnswer = std::result::Result<Option<RecordBatch>, ArrowError>;

/// Reads a table.
pub(super) struct TableReader {
    schema: SchemaRef,
    from: Receiver<BatchAnswer>,
    control: Control,
    is_over: bool,
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
        }
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
        let next = match self.from.recv() {
            Ok(next) => next.transpose(),
            Err(_) => Some(Err(ArrowError::ExternalError(
                "a thread of the library has ended early".into(),
            ))),
        };
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
    Games(Box<ParquetRowBuffer>),
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
                TableKind::Games => RowMaker::Games(Box::default()),
                TableKind::Moves => RowMaker::Moves(Box::new(MoveRows::new(columns))),
                TableKind::Positions => RowMaker::Positions(Box::new(PositionRows::new(columns))),
            },
            numbers: Vec::new(),
        }
    }

    fn push(&mut self, game: &Game) {
        let rows = match &mut self.rows {
            RowMaker::Games(rows) => {
                rows.push(game);
                1
            }
            RowMaker::Moves(rows) => rows.push(game),
            RowMaker::Positions(rows) => rows.push(game),
        };
        let number = i64::try_from(game.origin.number).unwrap_or(i64::MAX);
        self.numbers.extend(std::iter::repeat_n(number, rows));
    }

    fn take(&mut self) -> std::result::Result<RowBatch, ArrowError> {
        let rows: RowGroupBuilder = match &mut self.rows {
            RowMaker::Games(rows) => rows.take(),
            RowMaker::Moves(rows) => rows.take(),
            RowMaker::Positions(rows) => rows.take(),
        };
        let mut columns: Vec<_> = rows.into_columns().into_iter().map(Some).collect();
        let mut made = Vec::with_capacity(self.columns.wanted.len());
        for at in &self.columns.wanted {
            let column = columns.get_mut(*at).and_then(Option::take);
            made.push(match column {
                // The number is known later.
                Some(column) if column.field.name == "game" => None,
                Some(column) => Some(arrays::array(column)?),
                None => return Err(ArrowError::SchemaError("a column twice".to_owned())),
            });
        }
        Ok(RowBatch {
            arrays: made,
            numbers: std::mem::take(&mut self.numbers),
        })
    }
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
    let (needs, schema) = (columns.needs(), columns.schema());
    if let ([base], true) = (&games.bases[..], games.is_all()) {
        let mut before = 0_i64;
        pipeline::run(
            &mut *base.source(control)?,
            control,
            || {
                let (mut maker, mut game) = (BatchMaker::new(columns), Game::default());
                move |block: &mut dyn Block| {
                    let mut games = 0_i64;
                    while block.next(needs, &mut game)? {
                        maker.push(&game);
                        games += 1;
                    }
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
        return Ok(());
    }
    let options = SearchOptions {
        plies: false,
        keep: Some(needs),
        ..SearchOptions::default()
    };
    let (mut maker, mut lot) = (BatchMaker::new(columns), 0);
    search(games, &options, control, &mut |_, found| {
        let Some(mut game) = found.game else {
            return Ok(ControlFlow::Continue(()));
        };
        game.origin.number = found.hit.number;
        maker.push(&game);
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
