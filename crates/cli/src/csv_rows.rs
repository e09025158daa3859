//! Answers for programs as rows of comma-separated values.

use std::io::{self, Write};

use serde_json::{Map, Value};
use tabiya::list::csv_cells;

use super::args::CellsArgs;

/// Rows of some columns, which are places in the answers: `keep.number` is the field `number` of the field `keep`.
pub(crate) struct CsvRows {
    columns: &'static [&'static str],
    has_heading: bool,
}

impl CsvRows {
    /// With these columns.
    pub(crate) fn new(columns: &'static [&'static str]) -> CsvRows {
        CsvRows {
            columns,
            has_heading: false,
        }
    }

    /// Writes a row, and the heading before the first one.
    pub(crate) fn row(
        &mut self,
        out: &mut impl Write,
        cells: &CellsArgs,
        json: &Value,
    ) -> io::Result<()> {
        let mut text = String::new();
        if !std::mem::replace(&mut self.has_heading, true) {
            text.push_str(&self.columns.join(",").replace('.', "_"));
            text.push('\n');
        }
        let mut flat = Map::new();
        for column in self.columns {
            let value = column
                .split('.')
                .try_fold(json, |value, name| value.get(name));
            let value = value.cloned().unwrap_or_default();
            let value = match value {
                Value::Array(texts) if texts.iter().all(Value::is_string) => {
                    let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                    Value::from(texts.join("; "))
                }
                value => value,
            };
            flat.insert((*column).to_owned(), value);
        }
        let row = csv_cells(&Value::Object(flat), self.columns.iter().copied());
        text.push_str(&row.join(","));
        text.push('\n');
        out.write_all(&cells.values(text))
    }
}
