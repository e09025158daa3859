//! Values on their way into and out of columns.

use crate::error::{Error, Result};
use crate::schema::{ColumnSchema, ColumnType};

/// The value of a column in a row.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum CellValue<'a> {
    /// None.
    Null,
    /// A whole number or a day.
    Int(i64),
    /// A number.
    Real(f64),
    /// A text or bytes.
    Bytes(&'a [u8]),
}

impl<'a> CellValue<'a> {
    /// The whole number.
    pub fn int(self) -> Option<i64> {
        match self {
            CellValue::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The bytes.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            CellValue::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// Values of one column, one after another.
#[derive(Debug)]
pub enum ColumnValues {
    /// Whole numbers and days.
    Ints(Vec<i64>),
    /// Numbers.
    Reals(Vec<f64>),
    /// Texts or bytes.
    Bytes {
        /// One after the other.
        bytes: Vec<u8>,
        /// The end of each of them.
        ends: Vec<usize>,
    },
}

/// One column of a group.
#[derive(Debug)]
pub struct ColumnData {
    /// Its schema.
    pub field: ColumnSchema,
    /// The values of the rows that have one.
    pub values: ColumnValues,
    /// 1 for each row with a value, 0 for one without.
    pub levels: Vec<i16>,
}

impl ColumnData {
    fn new(field: ColumnSchema) -> ColumnData {
        let values = match field.kind {
            ColumnType::Int | ColumnType::Long | ColumnType::Day => ColumnValues::Ints(Vec::new()),
            ColumnType::Real => ColumnValues::Reals(Vec::new()),
            ColumnType::Text | ColumnType::Bytes => ColumnValues::Bytes {
                bytes: Vec::new(),
                ends: Vec::new(),
            },
        };
        ColumnData {
            field,
            values,
            levels: Vec::new(),
        }
    }

    /// Adds a row; returns whether the column accepts such a value.
    fn push(&mut self, cell: CellValue<'_>) -> bool {
        let is_there = match (&mut self.values, cell) {
            (_, CellValue::Null) => false,
            (ColumnValues::Ints(values), CellValue::Int(value)) => {
                values.push(value);
                true
            }
            (ColumnValues::Reals(values), CellValue::Real(value)) => {
                values.push(value);
                true
            }
            (ColumnValues::Bytes { bytes, ends }, CellValue::Bytes(value)) => {
                bytes.extend_from_slice(value);
                ends.push(bytes.len());
                true
            }
            _ => {
                self.levels.push(0);
                return false;
            }
        };
        self.levels.push(i16::from(is_there));
        true
    }

    /// Takes over the rows of another group's column of the same field; returns whether it is one.
    fn extend(&mut self, other: &ColumnData) -> bool {
        self.levels.extend_from_slice(&other.levels);
        match (&mut self.values, &other.values) {
            (ColumnValues::Ints(values), ColumnValues::Ints(more)) => {
                values.extend_from_slice(more)
            }
            (ColumnValues::Reals(values), ColumnValues::Reals(more)) => {
                values.extend_from_slice(more)
            }
            (
                ColumnValues::Bytes { bytes, ends },
                ColumnValues::Bytes {
                    bytes: more,
                    ends: more_ends,
                },
            ) => {
                let base = bytes.len();
                bytes.extend_from_slice(more);
                ends.extend(more_ends.iter().map(|end| base + end));
            }
            _ => return false,
        }
        true
    }

    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        match &self.values {
            ColumnValues::Ints(values) => values.len(),
            ColumnValues::Reals(values) => values.len(),
            ColumnValues::Bytes { ends, .. } => ends.len(),
        }
    }

    /// The bytes of a text.
    pub(crate) fn text(&self, number: usize) -> &[u8] {
        let ColumnValues::Bytes { bytes, ends } = &self.values else {
            return &[];
        };
        let end = |number: usize| ends.get(number).copied().unwrap_or_default();
        let start = number.checked_sub(1).map_or(0, end);
        bytes.get(start..end(number)).unwrap_or_default()
    }

    fn weight(&self) -> usize {
        let values = match &self.values {
            ColumnValues::Ints(values) => values.len() * 8,
            ColumnValues::Reals(values) => values.len() * 8,
            ColumnValues::Bytes { bytes, ends } => bytes.len() + ends.len() * 8,
        };
        values + self.levels.len() * 2
    }
}

/// Rows that become one row group.
#[derive(Debug)]
pub struct RowGroupBuilder {
    pub(crate) columns: Vec<ColumnData>,
    rows: usize,
    /// The error of the first value that was refused. Nothing is written then: a lost value would look like a missing one.
    fault: Option<Error>,
}

impl RowGroupBuilder {
    /// A group without rows.
    pub fn new(fields: &[ColumnSchema]) -> RowGroupBuilder {
        RowGroupBuilder {
            columns: fields.iter().map(|field| ColumnData::new(*field)).collect(),
            rows: 0,
            fault: None,
        }
    }

    /// Adds the value of a column; every column takes one for each row. A value that does not fit is an error when the group is
    /// packed.
    #[inline]
    pub fn push(&mut self, column: usize, cell: CellValue<'_>) {
        let fits = match self.columns.get_mut(column) {
            Some(column) => column.push(cell),
            None => false,
        };
        if !fits {
            self.misfit(column);
        }
    }

    #[cold]
    fn misfit(&mut self, column: usize) {
        let name = self.columns.get(column).map(|column| column.field.name);
        let row = self.rows + 1;
        self.fault.get_or_insert_with(|| match name {
            Some(name) => Error::Column {
                name: name.to_owned(),
                why: format!("got a value of another type in row {row}"),
            },
            None => Error::Write(format!(
                "there is no column {column}, which got a value in row {row}"
            )),
        });
    }

    /// The columns, if every value was accepted and every row has a value in each of them.
    pub(crate) fn checked(self) -> Result<Vec<ColumnData>> {
        let is_blank = |column: &&ColumnData| column.field.required && column.levels.contains(&0);
        if let (None, Some(column)) = (&self.fault, self.columns.iter().find(is_blank)) {
            return Err(Error::Column {
                name: column.field.name.to_owned(),
                why: "has a row without a value, but every row needs one".to_owned(),
            });
        }
        let uneven = |column: &&ColumnData| column.levels.len() != self.rows;
        match (self.fault, self.columns.iter().find(uneven)) {
            (Some(fault), _) => Err(fault),
            (None, Some(column)) => Err(Error::Column {
                name: column.field.name.to_owned(),
                why: format!(
                    "has values for {} rows of {}",
                    column.levels.len(),
                    self.rows
                ),
            }),
            (None, None) => Ok(self.columns),
        }
    }

    /// Ends a row: columns without a value for it are null.
    pub fn end_row(&mut self) {
        for at in 0..self.columns.len() {
            let is_short = |column: &ColumnData| column.levels.len() <= self.rows;
            if self.columns.get(at).is_some_and(is_short) {
                self.push(at, CellValue::Null);
            }
        }
        self.rows += 1;
    }

    /// Takes over the rows of another group of the same columns.
    pub fn extend(&mut self, other: &RowGroupBuilder) {
        let mut fits = self.columns.len() == other.columns.len();
        for (column, more) in self.columns.iter_mut().zip(&other.columns) {
            fits &= column.extend(more);
        }
        if !fits || other.fault.is_some() {
            let what = "rows of another table were added, or rows that did not match";
            self.fault
                .get_or_insert_with(|| Error::Write(what.to_owned()));
        }
        self.rows += other.rows;
    }

    /// Fills a column of whole numbers with `first` and the numbers after it.
    pub fn count(&mut self, column: usize, first: i64) {
        if let Some(column) = self.columns.get_mut(column) {
            column.values = ColumnValues::Ints((first..).take(self.rows).collect());
            column.levels = vec![1; self.rows];
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, for use in memory.
    pub fn into_columns(self) -> Vec<ColumnData> {
        self.columns
    }

    /// The approximate number of bytes of memory.
    pub fn weight(&self) -> usize {
        self.columns.iter().map(ColumnData::weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::ColumnEncoding;

    const FIELDS: [ColumnSchema; 3] = [
        field("number", ColumnType::Long, true),
        field("name", ColumnType::Text, false),
        field("small", ColumnType::Int, false),
    ];

    const fn field(name: &'static str, kind: ColumnType, required: bool) -> ColumnSchema {
        ColumnSchema {
            name,
            kind,
            required,
            packing: ColumnEncoding::Plain,
        }
    }

    fn packed(fill: impl FnOnce(&mut RowGroupBuilder)) -> Result<crate::PackedRowGroup> {
        let mut group = RowGroupBuilder::new(&FIELDS);
        fill(&mut group);
        crate::ParquetWriter::new(&FIELDS, &[], 1, 100)?
            .packer()
            .pack(group)
    }

    #[test]
    fn a_value_that_does_not_fit_is_no_null() {
        let told =
            |fill: fn(&mut RowGroupBuilder)| packed(fill).err().map(|error| error.to_string());
        assert_eq!(
            told(|group| {
                group.push(0, CellValue::Int(1));
                group.push(1, CellValue::Bytes(b"Tal"));
                group.end_row();
                group.push(0, CellValue::Int(2));
                group.end_row();
            }),
            None
        );
        let of_kind = told(|group| {
            group.push(0, CellValue::Int(1));
            group.push(1, CellValue::Int(7));
            group.end_row();
        });
        assert!(of_kind.is_some_and(|text| text.contains("\"name\"") && text.contains("row 1")));
        let required = told(|group| group.end_row());
        assert!(required.is_some_and(|text| text.contains("\"number\"")));
        let nowhere = told(|group| group.push(3, CellValue::Int(1)));
        assert!(nowhere.is_some_and(|text| text.contains("no column 3")));
        let twice = told(|group| {
            group.push(0, CellValue::Int(1));
            group.push(0, CellValue::Int(2));
            group.end_row();
        });
        assert!(twice.is_some_and(|text| text.contains("2 rows of 1")));
        let large = told(|group| {
            group.push(0, CellValue::Int(1));
            group.push(2, CellValue::Int(1 << 40));
            group.end_row();
        });
        assert!(large.is_some_and(|text| text.contains("1099511627776")));
    }

    #[test]
    fn rows_of_another_table_are_not_taken_over_in_silence() {
        let others = [&FIELDS[..2], &[FIELDS[1], FIELDS[0], FIELDS[2]]];
        for fields in others {
            let other = RowGroupBuilder::new(fields);
            assert!(packed(|group| group.extend(&other)).is_err());
        }
        let same = RowGroupBuilder::new(&FIELDS);
        assert!(packed(|group| group.extend(&same)).is_ok());
    }
}
