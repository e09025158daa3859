//! Rows of games as arrays of Arrow.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BinaryViewBuilder, Date32Array, Float64Array, Int32Array, Int64Array,
    StringViewBuilder,
};
use datafusion::common::{DataFusionError, Result};
use tabiya_columns::{ColumnData, ColumnType, ColumnValues};

/// The rows of a column with or without a value, in their order.
fn spread<T>(levels: &[i16], values: Vec<T>) -> impl Iterator<Item = Option<T>> {
    let mut values = values.into_iter();
    levels
        .iter()
        .map(move |&level| if level == 0 { None } else { values.next() })
}

/// The texts or bytes of a column, in the order of its rows.
pub(crate) fn slices<'c>(
    levels: &'c [i16],
    bytes: &'c [u8],
    ends: &'c [usize],
) -> impl Iterator<Item = Option<&'c [u8]>> {
    let mut start = 0;
    let mut ends = ends.iter();
    levels.iter().map(move |&level| {
        if level == 0 {
            return None;
        }
        let &end = ends.next()?;
        let value = bytes.get(start..end);
        start = end;
        value
    })
}

/// A column of rows as an array.
pub(crate) fn array(column: ColumnData) -> Result<ArrayRef> {
    let levels = column.levels;
    Ok(match (column.field.kind, column.values) {
        (ColumnType::Long, ColumnValues::Ints(values)) => {
            Arc::new(spread(&levels, values).collect::<Int64Array>())
        }
        (ColumnType::Int, ColumnValues::Ints(values)) => {
            Arc::new(spread(&levels, values).map(narrow).collect::<Int32Array>())
        }
        (ColumnType::Day, ColumnValues::Ints(values)) => {
            Arc::new(spread(&levels, values).map(narrow).collect::<Date32Array>())
        }
        (ColumnType::Real, ColumnValues::Reals(values)) => {
            Arc::new(spread(&levels, values).collect::<Float64Array>())
        }
        (ColumnType::Text, ColumnValues::Bytes { bytes, ends }) => {
            let mut texts = StringViewBuilder::with_capacity(levels.len());
            for text in slices(&levels, &bytes, &ends) {
                match text.map(std::str::from_utf8) {
                    None => texts.append_null(),
                    Some(Ok(text)) => texts.append_value(text),
                    Some(Err(_)) => return Err(odd("a text is not UTF-8")),
                }
            }
            Arc::new(texts.finish())
        }
        (ColumnType::Bytes, ColumnValues::Bytes { bytes, ends }) => {
            let mut cells = BinaryViewBuilder::with_capacity(levels.len());
            for cell in slices(&levels, &bytes, &ends) {
                cells.append_option(cell);
            }
            Arc::new(cells.finish())
        }
        _ => return Err(odd("a column holds other values than its kind")),
    })
}

fn narrow(value: Option<i64>) -> Option<i32> {
    value.and_then(|value| i32::try_from(value).ok())
}

fn odd(words: &str) -> DataFusionError {
    DataFusionError::Internal(words.to_owned())
}
