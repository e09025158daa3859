//! Tables of games, of their moves and of their positions, as streams of Arrow.

mod arrays;
mod fact_rows;
mod fields;
mod move_rows;
mod position_rows;
mod reader;

use std::ffi::CStr;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use self::fields::TableColumns;
pub(crate) use self::fields::TableKind;
pub(crate) use self::move_rows::seconds;
use self::reader::TableReader;
use crate::failure::refused;
use tabiya::Selection;

/// The games of a table, in the current state of the database; fails if that is closed or was changed.
pub(crate) type SelectionSource = Box<dyn Fn(Python<'_>) -> PyResult<Selection> + Send + Sync>;

pub(crate) const STREAM: &CStr = c"arrow_array_stream";
pub(crate) const SCHEMA: &CStr = c"arrow_schema";

/// A table that is made while it is read, any number of times. Every library with the Arrow PyCapsule interface takes it:
/// ``polars.DataFrame(table)``, ``pyarrow.table(table)``, ``pandas.DataFrame.from_arrow(table)``, ``duckdb.sql("FROM
/// rows")``.
#[pyclass(frozen, module = "tabiya", name = "Table")]
pub(crate) struct PythonTable {
    games: SelectionSource,
    columns: TableColumns,
    threads: Option<usize>,
}

impl PythonTable {
    pub(crate) fn new(
        games: SelectionSource,
        py: Python<'_>,
        kind: TableKind,
        columns: Option<Vec<String>>,
        threads: Option<usize>,
    ) -> PyResult<PythonTable> {
        let columns = TableColumns::new(kind, columns.as_deref())
            .map_err(|message| refused(py, "UsageError", &message))?;
        Ok(PythonTable {
            games,
            columns,
            threads,
        })
    }
}

#[pymethods]
impl PythonTable {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<&'static str> {
        self.columns.names()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Who asks for other types gets ours, as the interface allows.
        drop(requested_schema);
        let games = (self.games)(py)?;
        let reader = TableReader::new(games, self.columns.clone(), self.threads);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, STREAM)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.columns.schema())
            .map_err(|error| refused(py, "InternalError", &error.to_string()))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    fn __repr__(&self) -> String {
        format!("<tabiya.Table of {}>", self.columns.names().join(", "))
    }
}
