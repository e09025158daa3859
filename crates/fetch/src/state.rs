//! The file beside a base that records what was fetched into it: `mine.si5.fetch` beside `mine.si5`. `docs/fetch.md` describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tabiya::fetch_file;
use tabiya_io::output::{OutputFile, OutputOptions};

use crate::job::FetchSource;
use crate::{FetchError, Result};

/// The name and version of what is in the file.
const SCHEMA: &str = "tabiya-fetch-1";

/// What a site said of the state of something, to ask whether it has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FetchStamp {
    pub(crate) etag: Option<String>,
    pub(crate) modified: Option<String>,
}

/// What is known of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FetchMemory {
    /// Lichess: when the newest game began that is known, in milliseconds.
    pub(crate) newest: u64,
    /// Lichess: games that were not finished.
    pub(crate) unfinished: BTreeSet<String>,
    /// chess.com: months that will not change any more.
    pub(crate) months: BTreeSet<String>,
    /// chess.com: the newest month.
    pub(crate) last_month: Option<String>,
    /// TWIC: the newest issue.
    pub(crate) issue: Option<u32>,
    /// Studies: what a chapter was, there and here.
    pub(crate) chapters: BTreeMap<String, String>,
    /// Stamps by path.
    pub(crate) stamps: BTreeMap<String, FetchStamp>,
}

/// What was fetched into a base.
#[derive(Debug)]
pub struct FetchState {
    path: PathBuf,
    sources: Vec<(FetchSource, FetchMemory)>,
}

impl FetchState {
    /// The file beside a base.
    pub fn path_of(base: &Path) -> PathBuf {
        fetch_file::path_of(base)
    }

    /// Reads the file; empty if there is none.
    pub fn open(base: &Path) -> Result<FetchState> {
        let path = FetchState::path_of(base);
        let shown = path.display().to_string();
        let mut state = FetchState {
            path: path.clone(),
            sources: Vec::new(),
        };
        let size = match std::fs::metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(state),
            Err(error) => return Err(FetchError::File { file: shown, error }),
        };
        let wrong = |why: &str| FetchError::State {
            file: shown.clone(),
            why: why.to_owned(),
        };
        if size > fetch_file::LARGEST {
            return Err(wrong("it is too large to be a fetch file"));
        }
        let bytes = tabiya_io::regular_file::read(&path).map_err(|error| FetchError::File {
            file: shown.clone(),
            error,
        })?;
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|_| wrong("it is damaged: it is not valid JSON"))?;
        if value.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
            return Err(wrong("it is of another version of the program"));
        }
        for one in value
            .get("sources")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let name = one
                .get("source")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let source = FetchSource::from_text(name)
                .ok_or_else(|| wrong("it names a source that this version does not know"))?;
            state.sources.push((source, read_memory(one)));
        }
        Ok(state)
    }

    /// The sources from which the base was updated.
    pub fn sources(&self) -> impl Iterator<Item = &FetchSource> {
        self.sources.iter().map(|(source, _)| source)
    }

    /// What is known of a source.
    pub(crate) fn memory(&self, source: &FetchSource) -> FetchMemory {
        let found = self.sources.iter().find(|(known, _)| known == source);
        found.map(|(_, memory)| memory.clone()).unwrap_or_default()
    }

    /// Forgets what is known of the sources, but not which they are.
    pub(crate) fn forget(&mut self) {
        for (_, memory) in &mut self.sources {
            *memory = FetchMemory::default();
        }
    }

    /// Keeps what is known of a source, if it is something new.
    pub(crate) fn keep(&mut self, source: &FetchSource, memory: &FetchMemory) -> Result<()> {
        match self.sources.iter_mut().find(|(known, _)| known == source) {
            Some((_, known)) if known == memory => return Ok(()),
            Some((_, known)) => known.clone_from(memory),
            None => self.sources.push((source.clone(), memory.clone())),
        }
        self.write()
    }

    fn write(&self) -> Result<()> {
        let sources: Vec<Value> = self
            .sources
            .iter()
            .map(|(source, memory)| write_memory(source, memory))
            .collect();
        let value = json!({"schema": SCHEMA, "sources": sources});
        let mut text = serde_json::to_vec_pretty(&value).unwrap_or_default();
        text.push(b'\n');
        let options = OutputOptions {
            force: true,
            ..OutputOptions::default()
        };
        let mut out = OutputFile::create(&self.path, &options)?;
        out.write_all(&text).map_err(|error| FetchError::File {
            file: self.path.display().to_string(),
            error,
        })?;
        out.commit()?;
        Ok(())
    }
}

fn texts(value: &Value, name: &str) -> BTreeSet<String> {
    let list = value.get(name).and_then(Value::as_array);
    let words = list.into_iter().flatten().filter_map(Value::as_str);
    words.map(str::to_owned).collect()
}

fn read_memory(value: &Value) -> FetchMemory {
    let object = |name: &str| {
        let found = value.get(name).and_then(Value::as_object);
        found.into_iter().flatten()
    };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    FetchMemory {
        newest: value.get("newest").and_then(Value::as_u64).unwrap_or(0),
        unfinished: texts(value, "unfinished"),
        months: texts(value, "months"),
        last_month: text(value.get("last_month")),
        issue: value
            .get("issue")
            .and_then(Value::as_u64)
            .and_then(|issue| u32::try_from(issue).ok()),
        chapters: object("chapters")
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect(),
        stamps: object("stamps")
            .map(|(path, stamp)| {
                let stamp = FetchStamp {
                    etag: text(stamp.get("etag")),
                    modified: text(stamp.get("modified")),
                };
                (path.clone(), stamp)
            })
            .collect(),
    }
}

/// Fields that say nothing are left out.
fn write_memory(source: &FetchSource, memory: &FetchMemory) -> Value {
    let mut object = Map::new();
    object.insert("source".to_owned(), json!(source.to_string()));
    let mut put = |name: &str, value: Value, is_said: bool| {
        if is_said {
            object.insert(name.to_owned(), value);
        }
    };
    put("newest", json!(memory.newest), memory.newest > 0);
    put(
        "unfinished",
        json!(memory.unfinished),
        !memory.unfinished.is_empty(),
    );
    put("months", json!(memory.months), !memory.months.is_empty());
    put(
        "last_month",
        json!(memory.last_month),
        memory.last_month.is_some(),
    );
    put("issue", json!(memory.issue), memory.issue.is_some());
    put(
        "chapters",
        json!(memory.chapters),
        !memory.chapters.is_empty(),
    );
    let stamps: Map<String, Value> = memory
        .stamps
        .iter()
        .map(|(path, stamp)| {
            let stamp = json!({"etag": stamp.etag, "modified": stamp.modified});
            (path.clone(), stamp)
        })
        .collect();
    let is_said = !stamps.is_empty();
    put("stamps", Value::Object(stamps), is_said);
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_comes_back_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("mine.pgn");
        let mut state = FetchState::open(&base).expect("nothing yet");
        let lichess = FetchSource::from_text("lichess samplerook").expect("a source");
        let twic = FetchSource::from_text("twic").expect("a source");
        let memory = FetchMemory {
            newest: 1_714_505_150_384,
            unfinished: ["abcdefgh".to_owned()].into(),
            months: ["2024/05".to_owned()].into(),
            last_month: Some("2024/06".to_owned()),
            issue: Some(1650),
            chapters: [("https://x".to_owned(), "1 2".to_owned())].into(),
            stamps: [(
                "/pub".to_owned(),
                FetchStamp {
                    etag: Some("W/\"x\"".to_owned()),
                    modified: None,
                },
            )]
            .into(),
        };
        state.keep(&lichess, &memory).expect("kept");
        state.keep(&twic, &FetchMemory::default()).expect("kept");
        let again = FetchState::open(&base).expect("read");
        assert_eq!(again.memory(&lichess), memory);
        assert_eq!(again.memory(&twic), FetchMemory::default());
        assert_eq!(again.sources().count(), 2);
    }

    #[test]
    fn a_damaged_file_is_told_and_not_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("mine.pgn");
        for text in ["", "{", "[]", "{\"schema\":\"tabiya-fetch-9\"}"] {
            std::fs::write(FetchState::path_of(&base), text).expect("written");
            assert!(FetchState::open(&base).is_err(), "{text}");
        }
    }
}
