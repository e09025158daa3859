//! Values on their way into and out of columns.

use bytes::Bytes;

use crate::schema::{Field, Kind};

/// The value of a column in a row.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Cell<'a> {
    /// None.
    Null,
    /// A whole number or a day.
    Int(i64),
    /// A number.
    Real(f64),
    /// A text or bytes.
    Bytes(&'a [u8]),
}

impl<'a> Cell<'a> {
    /// The whole number.
    pub fn int(self) -> Option<i64> {
        match self {
            Cell::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The bytes.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Cell::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// Values of one column, one after another.
#[derive(Debug)]
pub enum Values {
    /// Whole numbers and days.
    Ints(Vec<i64>),
    /// Numbers.
    Reals(Vec<f64>),
    /// Texts or bytes.
    Bytes {
        /// One behind the other.
        bytes: Vec<u8>,
        /// Where each of them ends.
        ends: Vec<usize>,
    },
}

/// One column of a group.
#[derive(Debug)]
pub struct Column {
    /// What it holds.
    pub field: Field,
    /// The values of the rows that have one.
    pub values: Values,
    /// 1 for each row with a value, 0 for one without.
    pub levels: Vec<i16>,
}

impl Column {
    fn new(field: Field) -> Column {
        let values = match field.kind {
            Kind::Int | Kind::Long | Kind::Day => Values::Ints(Vec::new()),
            Kind::Real => Values::Reals(Vec::new()),
            Kind::Text | Kind::Bytes => Values::Bytes {
                bytes: Vec::new(),
                ends: Vec::new(),
            },
        };
        Column {
            field,
            values,
            levels: Vec::new(),
        }
    }

    /// Adds a row; a value of another kind than the column's counts as none.
    fn push(&mut self, cell: Cell<'_>) {
        let is_there = match (&mut self.values, cell) {
            (Values::Ints(values), Cell::Int(value)) => {
                values.push(value);
                true
            }
            (Values::Reals(values), Cell::Real(value)) => {
                values.push(value);
                true
            }
            (Values::Bytes { bytes, ends }, Cell::Bytes(value)) => {
                bytes.extend_from_slice(value);
                ends.push(bytes.len());
                true
            }
            _ => false,
        };
        self.levels.push(i16::from(is_there));
    }

    /// Takes over the rows of another group's column of the same field.
    fn extend(&mut self, other: &Column) {
        self.levels.extend_from_slice(&other.levels);
        match (&mut self.values, &other.values) {
            (Values::Ints(values), Values::Ints(more)) => values.extend_from_slice(more),
            (Values::Reals(values), Values::Reals(more)) => values.extend_from_slice(more),
            (
                Values::Bytes { bytes, ends },
                Values::Bytes {
                    bytes: more,
                    ends: more_ends,
                },
            ) => {
                let base = bytes.len();
                bytes.extend_from_slice(more);
                ends.extend(more_ends.iter().map(|end| base + end));
            }
            _ => {}
        }
    }

    fn weight(&self) -> usize {
        let values = match &self.values {
            Values::Ints(values) => values.len() * 8,
            Values::Reals(values) => values.len() * 8,
            Values::Bytes { bytes, ends } => bytes.len() + ends.len() * 8,
        };
        values + self.levels.len() * 2
    }
}

/// The texts of a column as slices of one buffer.
pub(crate) fn slices(bytes: Vec<u8>, ends: &[usize]) -> impl Iterator<Item = Bytes> {
    let whole = Bytes::from(bytes);
    let mut start = 0;
    ends.iter().map(move |&end| {
        let value = whole.slice(start..end);
        start = end;
        value
    })
}

/// Rows that become one row group.
#[derive(Debug)]
pub struct Group {
    pub(crate) columns: Vec<Column>,
    rows: usize,
}

impl Group {
    /// A group without rows.
    pub fn new(fields: &[Field]) -> Group {
        Group {
            columns: fields.iter().map(|field| Column::new(*field)).collect(),
            rows: 0,
        }
    }

    /// Adds the value of a column; every column takes one for each row.
    #[inline]
    pub fn push(&mut self, column: usize, cell: Cell<'_>) {
        if let Some(column) = self.columns.get_mut(column) {
            column.push(cell);
        }
    }

    /// Ends a row: columns that got no value for it have none.
    pub fn end_row(&mut self) {
        self.rows += 1;
        for column in &mut self.columns {
            if column.levels.len() < self.rows {
                column.push(Cell::Null);
            }
        }
    }

    /// Takes over the rows of another group of the same columns.
    pub fn extend(&mut self, other: &Group) {
        for (column, more) in self.columns.iter_mut().zip(&other.columns) {
            column.extend(more);
        }
        self.rows += other.rows;
    }

    /// Fills a column of whole numbers with `first` and the numbers after it.
    pub fn count(&mut self, column: usize, first: i64) {
        if let Some(column) = self.columns.get_mut(column) {
            column.values = Values::Ints((first..).take(self.rows).collect());
            column.levels = vec![1; self.rows];
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, for those who go on with them in memory.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// Bytes of memory, about.
    pub fn weight(&self) -> usize {
        self.columns.iter().map(Column::weight).sum()
    }
}
