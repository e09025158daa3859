//! Compares columns that are derived from the moves with the moves, if searches rely on them.

use tabiya_columns::{CellValue, ColumnData, ColumnValues, RowGroupReader};
use tabiya_model::{Diagnostic, Encoder, Game, Location, Losses, Result, Severity};

use super::encode::ParquetRowEncoder;
use super::reader::ParquetFile;
use super::{codes, layout};

/// The columns from which queries are answered instead of from the moves.
const COLUMNS: [usize; 4] = [
    layout::PLIES,
    layout::FINAL_MATERIAL,
    layout::HOME_PAWNS,
    layout::PROMOTIONS,
];

/// The columns of a row group, read together with its games.
pub(super) struct ParquetAudit {
    columns: Vec<(usize, RowGroupReader)>,
    encoder: ParquetRowEncoder,
}

/// A cell in words.
fn shown(cell: CellValue<'_>) -> String {
    match cell {
        CellValue::Null => "nothing".to_owned(),
        CellValue::Int(value) => value.to_string(),
        CellValue::Real(value) => value.to_string(),
        CellValue::Bytes(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
    }
}

/// The only value of a column.
fn only(column: &ColumnData) -> CellValue<'_> {
    match &column.values {
        ColumnValues::Ints(values) => values.first().copied().map(CellValue::Int),
        ColumnValues::Reals(values) => values.first().copied().map(CellValue::Real),
        ColumnValues::Bytes { bytes, ends } => ends.first().map(|_| CellValue::Bytes(bytes)),
    }
    .unwrap_or(CellValue::Null)
}

impl ParquetAudit {
    /// Begins with a game of a file, counted from 0.
    pub(super) fn new(file: &ParquetFile, game: u64) -> Result<ParquetAudit> {
        let mut columns = Vec::new();
        for column in COLUMNS {
            if let Some(rows) = file.derived_at(game, [column])? {
                columns.push((column, rows));
            }
        }
        Ok(ParquetAudit {
            columns,
            encoder: ParquetRowEncoder::new(file.move_column()),
        })
    }

    /// Compares the next row with its game, which was read completely.
    pub(super) fn look(&mut self, file: &ParquetFile, game: &mut Game) -> Result<()> {
        let is_damaged = game.diagnostics.at_least(Severity::Damage) > 0;
        self.encoder.encode(game, &mut Losses::default());
        let truth = self.encoder.take_rows().into_columns();
        for (column, rows) in &mut self.columns {
            let is = file.cell(rows, 0)?;
            let should = truth.get(*column).map_or(CellValue::Null, only);
            if is != should && !is_damaged {
                let name = layout::beside_tags(*column).map_or("", |field| field.name);
                let (is, should) = (shown(is), shown(should));
                let message = format!("the column {name} is {is} but should be {should}");
                let place = Location::game(game.origin.number);
                let found = Diagnostic::new(&codes::DERIVED, place, message);
                game.diagnostics.push(found);
            }
        }
        Ok(())
    }
}
