//! Reading bases completely, on threads of their own: streams, text without an index, and the matches of a query in them.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use tabiya::Selection;
use tabiya::formats::parquet::ParquetRowBuffer;
use tabiya::model::collect::{
    Collector, CollectorNeeds, CollectorPass, CollectorWorker, GameView, PassRange,
};
use tabiya::model::{Control, GameNeeds};
use tabiya_columns::RowGroupBuilder;
use tokio::sync::mpsc::Sender;

use super::columns::want_of;
use super::facts::failed;
use super::scan::BATCH;
use super::{DatabaseTable, arrays};

/// Makes rows of all games of a run.
struct RowCollector {
    want: GameNeeds,
}

struct RowCollectorWorker {
    want: GameNeeds,
    rows: ParquetRowBuffer,
}

impl Collector for RowCollector {
    type Part = RowGroupBuilder;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::game(self.want)
    }

    fn worker(&self) -> impl CollectorWorker<Part = RowGroupBuilder> {
        RowCollectorWorker {
            want: self.want,
            rows: ParquetRowBuffer::default(),
        }
    }
}

impl CollectorWorker for RowCollectorWorker {
    type Part = RowGroupBuilder;

    fn see(&mut self, game: &mut GameView<'_>) -> tabiya::model::Result<()> {
        self.rows.push(game.game(self.want)?);
        Ok(())
    }

    fn take(&mut self) -> tabiya::model::Result<RowGroupBuilder> {
        Ok(self.rows.take())
    }
}

/// The games of a base as batches, read while they are taken.
pub(super) fn stream(
    table: DatabaseTable,
    part: usize,
    wanted: Vec<usize>,
    schema: SchemaRef,
) -> Result<SendableRecordBatchStream> {
    let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&schema), 4);
    let sender = builder.tx();
    builder.spawn_blocking(move || {
        let out = BatchSender {
            sender,
            wanted,
            schema,
        };
        read(&table, part, &out)
    });
    Ok(builder.build())
}

/// Where batches go.
struct BatchSender {
    sender: Sender<Result<RecordBatch>>,
    wanted: Vec<usize>,
    schema: SchemaRef,
}

impl BatchSender {
    /// Sends rows; false when nobody takes them any more.
    fn send(&self, group: RowGroupBuilder, numbers: &[i64]) -> Result<bool> {
        let rows = group.rows();
        let mut columns: Vec<_> = group.into_columns().into_iter().map(Some).collect();
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.wanted.len());
        for &at in &self.wanted {
            let column = columns.get_mut(at).and_then(Option::take);
            arrays.push(match column {
                Some(_) if at == 0 => {
                    Arc::new(Int64Array::from_iter_values(numbers.iter().copied()))
                }
                Some(column) => arrays::array(column)?,
                None => return Err(DataFusionError::Internal("a column twice".into())),
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?;
        let mut at = 0;
        while at < rows {
            let length = BATCH.min(rows - at);
            if self
                .sender
                .blocking_send(Ok(batch.slice(at, length)))
                .is_err()
            {
                return Ok(false);
            }
            at += length;
        }
        Ok(true)
    }
}

fn read(table: &DatabaseTable, part: usize, out: &BatchSender) -> Result<()> {
    let Some(part) = table.parts.get(part) else {
        return Ok(());
    };
    let base = &part.base;
    let control = Control::default();
    let want = want_of(out.wanted.iter().copied());
    let mut failure = None;
    let mut hand_on = |group: RowGroupBuilder, numbers: &[i64]| match out.send(group, numbers) {
        Ok(more) => more,
        Err(error) => {
            failure = Some(error);
            false
        }
    };
    match table.searches.split_first() {
        None => {
            let gather = RowCollector { want };
            let mut pass = CollectorPass::new();
            pass.add(&gather, |group, run| {
                let first = i64::try_from(run.first).unwrap_or(i64::MAX);
                let rows = i64::try_from(group.rows()).unwrap_or(i64::MAX);
                let numbers: Vec<i64> = (first..first.saturating_add(rows)).collect();
                Ok(hand_on(group, &numbers))
            });
            match base.database() {
                Some(database) => pass.run(database, PassRange::All, &control),
                None => pass.run_source(&mut *base.source(&control).map_err(failed)?, &control),
            }
            .map_err(failed)?;
        }
        Some((first, others)) => {
            if !others.is_empty() {
                return Err(DataFusionError::Plan(
                    "two queries over a database without an index: combine them into one".into(),
                ));
            }
            let options = tabiya::search::SearchOptions {
                plies: false,
                keep: Some(want),
                ..tabiya::search::SearchOptions::default()
            };
            let (mut rows, mut numbers) = (ParquetRowBuffer::default(), Vec::new());
            let games = Selection {
                query: Some(Arc::clone(&first.query)),
                ..Selection::of([base.clone()])
            };
            tabiya::search::search(&games, &options, &control, &mut |_, found| {
                let Some(game) = &found.game else {
                    return Ok(ControlFlow::Continue(()));
                };
                rows.push(game);
                numbers.push(i64::try_from(found.hit.number).unwrap_or(i64::MAX));
                if numbers.len() < BATCH {
                    return Ok(ControlFlow::Continue(()));
                }
                let more = hand_on(rows.take(), &numbers);
                numbers.clear();
                Ok(if more {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                })
            })
            .map_err(failed)?;
            if !numbers.is_empty() {
                hand_on(rows.take(), &numbers);
            }
        }
    }
    match failure {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
