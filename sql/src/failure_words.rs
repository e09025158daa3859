//! Failures, in words for people.

use std::io;

use datafusion::arrow::error::ArrowError;
use datafusion::common::DataFusionError;

use crate::cluster_failure;
use crate::store::SentenceError;

/// The catalog of a session.
pub(crate) const CATALOG: &str = "tabiya";
/// The schema in it whose tables are files.
pub(crate) const SCHEMA: &str = "files";

/// What went wrong, in a sentence for people.
pub(crate) fn words(error: &DataFusionError) -> String {
    if let Some(words) = said(error) {
        return words;
    }
    if is_full(error) {
        return "no space is left where the query spills data that exceeds its memory: allow more memory (--memory), or set \
            TMPDIR to another folder"
            .into();
    }
    match error.find_root() {
        DataFusionError::Plan(words) => missing(words).unwrap_or_else(|| words.clone()),
        DataFusionError::Execution(words) => cluster_failure::sentence(words),
        DataFusionError::NotImplemented(words) | DataFusionError::Configuration(words) => {
            words.clone()
        }
        DataFusionError::ResourcesExhausted(words) => {
            let words = words.lines().next().unwrap_or_default();
            format!("the query needs more memory or disk than allowed (--memory): {words}")
        }
        DataFusionError::SQL(error, _) => format!("invalid query: {error}"),
        DataFusionError::External(error) => {
            let mut text = error.to_string();
            let mut cause = error.source();
            while let Some(inner) = cause {
                let more = inner.to_string();
                if !text.contains(&more) {
                    text.push_str(": ");
                    text.push_str(&more);
                }
                cause = inner.source();
            }
            text
        }
        DataFusionError::ParquetError(error) => error.to_string(),
        // The columns that there are come behind it, on a line as long as there are many.
        other => {
            let words = other.strip_backtrace();
            let first = words.lines().next().unwrap_or_default();
            first.trim_start_matches("Schema error: ").to_owned()
        }
    }
}

/// Whether a disk has no room left.
fn is_full(error: &DataFusionError) -> bool {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        let io = match error.downcast_ref() {
            Some(ArrowError::IoError(_, io)) => Some(io),
            _ => error.downcast_ref::<io::Error>(),
        };
        if io.is_some_and(|io| io.kind() == io::ErrorKind::StorageFull) {
            return true;
        }
        next = error.source();
    }
    false
}

/// A sentence that somewhere below was meant for people.
fn said(error: &DataFusionError) -> Option<String> {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(SentenceError(words)) = error.downcast_ref::<SentenceError>() {
            return Some(words.clone());
        }
        next = error.source();
    }
    None
}

/// What is said where a table is not there.
fn missing(words: &str) -> Option<String> {
    let name = words
        .strip_prefix(&format!("table '{CATALOG}.{SCHEMA}."))?
        .strip_suffix("' not found")?;
    Some(format!(
        "there is no table {name}: put file names in quotes, as in FROM 'games.si5'"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_as_one() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let arrow = ArrowError::IoError("IO error".into(), full());
        for error in [
            DataFusionError::from(arrow),
            DataFusionError::from(full()),
            DataFusionError::External(Box::new(full())).context("while sorting"),
        ] {
            assert!(
                words(&error).contains("no space is left"),
                "{}",
                words(&error)
            );
        }
        let other = DataFusionError::from(io::Error::from(io::ErrorKind::NotFound));
        assert!(!words(&other).contains("no space is left"));
    }
}
