//! Arguments of Python users as values of the library.

use pyo3::prelude::*;
use tabiya::formats::options::{FormatOption, FormatSettings, OptionArgument};
use tabiya::model::Error;
use tabiya::model::charset::Charset;
use tabiya::query::{Query, QueryContext};

use crate::failure::{raised, refused};

/// A charset by its name.
pub(crate) fn charset_of(py: Python<'_>, name: &str) -> PyResult<Charset> {
    Charset::from_name(name).ok_or_else(|| {
        let all: Vec<_> = Charset::all().map(Charset::name).collect();
        let message = format!(
            "there is no charset {name}; the charsets are {}",
            all.join(", ")
        );
        refused(py, "UsageError", &message)
    })
}

/// A query.
pub(crate) fn query_of(py: Python<'_>, text: &str) -> PyResult<Query> {
    Query::parse(text, QueryContext::default()).map_err(|error| raised(py, &Error::from(error)))
}

/// What a user says of the options that a format declares, by their names with `_` instead of `-`.
pub(crate) fn settings_of(
    py: Python<'_>,
    declared: &[FormatOption],
    said: &[(String, Option<String>)],
) -> PyResult<FormatSettings> {
    let mut settings = FormatSettings::default();
    for (name, value) in said {
        let plain = name.replace('_', "-");
        let Some(option) = declared.iter().find(|option| option.name == plain) else {
            let names: Vec<_> = declared
                .iter()
                .map(|option| option.name.replace('-', "_"))
                .collect();
            let there = match names.is_empty() {
                true => "has no options".to_owned(),
                false => format!("has {}", names.join(", ")),
            };
            let message = format!("the format has no option {name}: it {there}");
            return Err(refused(py, "UsageError", &message));
        };
        match (option.takes, value) {
            (OptionArgument::Nothing, None) => settings.set(option, ""),
            (OptionArgument::Nothing, Some(_)) => {
                let message = format!("{name}: give True or False");
                return Err(refused(py, "UsageError", &message));
            }
            (_, Some(value)) => settings.set(option, value),
            (_, None) => {
                let message = format!("{name}: give a value");
                return Err(refused(py, "UsageError", &message));
            }
        }
        .map_err(|error| raised(py, &error))?;
    }
    Ok(settings)
}
