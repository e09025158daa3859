//! The results of jobs, as JSON: `tabiya/_reports.py` makes objects of it.

use pyo3::prelude::*;
use serde::Serialize;

use crate::failure::refused;

/// An answer as a text.
pub(crate) fn json_of(py: Python<'_>, answer: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(answer).map_err(|error| refused(py, "InternalError", &error.to_string()))
}
