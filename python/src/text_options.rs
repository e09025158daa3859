//! Keyword arguments as options of formats.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

/// Names and values: `True` is an option without a value, `False` and `None` are none, a list has commas.
pub(crate) fn said(options: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, Option<String>)>> {
    let mut said = Vec::new();
    for (name, value) in options.iter().flat_map(|options| options.iter()) {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        if let Ok(flag) = value.cast::<PyBool>() {
            if flag.is_true() {
                said.push((name, None));
            }
            continue;
        }
        let value = match value.extract::<Vec<String>>() {
            Ok(list) if value.extract::<String>().is_err() => list.join(","),
            _ => value.str()?.to_str()?.to_owned(),
        };
        said.push((name, Some(value)));
    }
    Ok(said)
}
