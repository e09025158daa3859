//! Failures of the library as Python's exceptions.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tabiya::model::Error;

/// The exception that says what an error says. Its class and its attributes are those of `tabiya/_errors.py`.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let place = &error.place;
    let attributes = PyDict::new(py);
    let told = || -> PyResult<PyErr> {
        attributes.set_item("kind", error.kind.name())?;
        attributes.set_item("code", error.code.name)?;
        attributes.set_item("message", error.to_string())?;
        attributes.set_item("parameter", error.parameter)?;
        attributes.set_item("file", error.file())?;
        attributes.set_item("game", place.game)?;
        attributes.set_item("line", place.line)?;
        attributes.set_item("column", place.column)?;
        attributes.set_item("byte", place.byte)?;
        attributes.set_item("ply", place.ply)?;
        let errors = py.import("tabiya._errors")?;
        let made = errors.getattr("made")?.call((), Some(&attributes))?;
        Ok(PyErr::from_value(made))
    };
    told().unwrap_or_else(|failure| failure)
}

/// An exception of our own making.
pub(crate) fn refused(py: Python<'_>, class: &str, message: &str) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = py.import("tabiya._errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1((message,))?))
    };
    made().unwrap_or_else(|failure| failure)
}

/// What the library would call an internal failure: a thread has panicked.
pub(crate) fn panicked(py: Python<'_>) -> PyErr {
    refused(
        py,
        "InternalError",
        "a thread of the library has ended early; this is a bug in Tabiya",
    )
}
