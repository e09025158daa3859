//! Columns of rows as Arrow arrays; their values are passed on, and not copied if every row has one.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Float64Array, Int32Array, Int64Array, StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use tabiya_columns::{ColumnData, ColumnType, ColumnValues};

/// The rows without a value; nothing where there are none.
fn nulls(levels: &[i16]) -> Option<NullBuffer> {
    levels.contains(&0).then(|| {
        let bits = BooleanBuffer::collect_bool(levels.len(), |at| {
            levels.get(at).is_some_and(|level| *level != 0)
        });
        NullBuffer::new(bits)
    })
}

/// A value for every row: `blank` where there is none.
fn spread<T: Copy, U>(
    levels: &[i16],
    values: Vec<T>,
    blank: U,
    make: impl Fn(T) -> Option<U>,
) -> Result<Vec<U>, ArrowError>
where
    U: Copy,
{
    let mut values = values.into_iter();
    let of_level = |level: &i16| match level {
        0 => Ok(blank),
        _ => values
            .next()
            .and_then(&make)
            .ok_or_else(|| odd("a value does not match the type of its column")),
    };
    levels.iter().map(of_level).collect()
}

fn odd(words: &str) -> ArrowError {
    ArrowError::InvalidArgumentError(words.to_owned())
}

/// Where the texts of rows end; those without a value are empty.
fn offsets(levels: &[i16], ends: &[usize]) -> Result<OffsetBuffer<i32>, ArrowError> {
    let mut offsets = Vec::with_capacity(levels.len() + 1);
    let (mut ends, mut last) = (ends.iter(), 0_i32);
    offsets.push(last);
    for level in levels {
        if *level != 0 {
            let end = ends.next().and_then(|end| i32::try_from(*end).ok());
            last = end.ok_or_else(|| odd("a batch of texts is longer than 2 GB"))?;
        }
        offsets.push(last);
    }
    Ok(OffsetBuffer::new(ScalarBuffer::from(offsets)))
}

/// A column as an array.
pub(super) fn array(column: ColumnData) -> Result<ArrayRef, ArrowError> {
    let levels = column.levels;
    let nulls = nulls(&levels);
    let narrow = |value: i64| i32::try_from(value).ok();
    Ok(match (column.field.kind, column.values) {
        (ColumnType::Long, ColumnValues::Ints(values)) => {
            let values = match nulls {
                None => values,
                Some(_) => spread(&levels, values, 0, Some)?,
            };
            Arc::new(Int64Array::try_new(values.into(), nulls)?)
        }
        (ColumnType::Int, ColumnValues::Ints(values)) => {
            let values = spread(&levels, values, 0, narrow)?;
            Arc::new(Int32Array::try_new(values.into(), nulls)?)
        }
        (ColumnType::Day, ColumnValues::Ints(values)) => {
            let values = spread(&levels, values, 0, narrow)?;
            Arc::new(Date32Array::try_new(values.into(), nulls)?)
        }
        (ColumnType::Real, ColumnValues::Reals(values)) => {
            let values = spread(&levels, values, 0.0, Some)?;
            Arc::new(Float64Array::try_new(values.into(), nulls)?)
        }
        (ColumnType::Text, ColumnValues::Bytes { bytes, ends }) => {
            let offsets = offsets(&levels, &ends)?;
            Arc::new(StringArray::try_new(
                offsets,
                Buffer::from_vec(bytes),
                nulls,
            )?)
        }
        (ColumnType::Bytes, ColumnValues::Bytes { bytes, ends }) => {
            let offsets = offsets(&levels, &ends)?;
            Arc::new(BinaryArray::try_new(
                offsets,
                Buffer::from_vec(bytes),
                nulls,
            )?)
        }
        _ => return Err(odd("a column holds other values than its kind")),
    })
}
