//! The tags of a game as a mapping. Those of many games are in one arena; a text becomes a Python string when it is needed.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyString, PyTuple};
use tabiya::model::text::{TextArena, TextId};
use tabiya::model::{Game, Tags};

/// Bytes of texts that an arena of many games takes before another one is begun.
const MOST: usize = 1 << 28;
/// So many tags are looked through one after another; of more there is a list of the names.
const FEW: u32 = 48;

/// The tags of some games, one game after the other.
#[derive(Debug, Default)]
pub(crate) struct HeaderBlock {
    /// Names and values in turn.
    texts: TextArena,
    /// How many texts there are up to the end of each game, and its number.
    games: Vec<(u32, u64)>,
}

impl HeaderBlock {
    /// Adds the tags of a game; false where there is no room for them.
    pub(crate) fn push(&mut self, game: &Game) -> bool {
        let more = game.tags.texts();
        if self.texts.bytes().saturating_add(more.bytes()) > MOST && !self.games.is_empty() {
            return false;
        }
        self.texts.push_all(more);
        let end = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.games.push((end, game.origin.number));
        true
    }

    /// How many games there are.
    pub(crate) fn len(&self) -> usize {
        self.games.len()
    }

    /// Counts the games from behind so many others.
    pub(crate) fn number_from(&mut self, before: u64) {
        for (_, number) in &mut self.games {
            *number = number.saturating_add(before);
        }
    }

    /// The first text of a game, and the one behind its last.
    fn span(&self, at: usize) -> (u32, u32) {
        let end = |at: usize| self.games.get(at).map_or(0, |(end, _)| *end);
        (at.checked_sub(1).map_or(0, end), end(at))
    }
}

/// The places of the first values of names.
#[derive(Debug)]
struct TagPlaces(HashMap<Box<str>, u32>);

/// Who has the texts.
#[derive(Debug)]
enum TagOwner {
    Game(Arc<Game>),
    Block(Arc<HeaderBlock>, usize),
    Own(Tags, u64),
}

/// The tags of a game: a mapping from names to values, in their order.
///
/// A name that is repeated has its first value here; ``pairs`` has all of them, ``get_all`` those of a name.
#[derive(Debug)]
#[pyclass(frozen, mapping, module = "tabiya", name = "Tags")]
pub(crate) struct PythonTags {
    owner: TagOwner,
    /// Made where there are many tags: it would take more room than the rest.
    index: OnceLock<Box<TagPlaces>>,
}

impl PythonTags {
    fn new(owner: TagOwner) -> PythonTags {
        PythonTags {
            owner,
            index: OnceLock::new(),
        }
    }

    /// The tags of a game.
    pub(crate) fn of_game(game: Arc<Game>) -> PythonTags {
        PythonTags::new(TagOwner::Game(game))
    }

    /// The tags of a game of many.
    pub(crate) fn of_block(block: Arc<HeaderBlock>, at: usize) -> PythonTags {
        PythonTags::new(TagOwner::Block(block, at))
    }

    /// The arena, the first text and the one behind the last.
    #[inline]
    fn texts(&self) -> (&TextArena, u32, u32) {
        let all = |tags: &Tags| u32::try_from(tags.texts().len()).unwrap_or(u32::MAX);
        match &self.owner {
            TagOwner::Game(game) => (game.tags.texts(), 0, all(&game.tags)),
            TagOwner::Own(tags, _) => (tags.texts(), 0, all(tags)),
            TagOwner::Block(block, at) => {
                let (start, end) = block.span(*at);
                (&block.texts, start, end)
            }
        }
    }

    /// All names and values.
    fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let (texts, start, end) = self.texts();
        (start..end)
            .step_by(2)
            .map(|at| (texts.get(TextId(at)), texts.get(TextId(at + 1))))
    }

    /// The number of the text that is the first value of a name.
    fn place(&self, name: &str) -> Option<u32> {
        let (texts, start, end) = self.texts();
        if end - start <= 2 * FEW {
            let found = (start..end)
                .step_by(2)
                .find(|at| texts.is(TextId(*at), name));
            return found.map(|at| at + 1);
        }
        let index = self.index.get_or_init(|| {
            let mut index: HashMap<Box<str>, u32> = HashMap::new();
            for at in (start..end).step_by(2) {
                index.entry(texts.get(TextId(at)).into()).or_insert(at + 1);
            }
            Box::new(TagPlaces(index))
        });
        index.0.get(name).copied()
    }

    fn value(&self, name: &str) -> Option<&str> {
        let place = self.place(name)?;
        Some(self.texts().0.get(TextId(place)))
    }

    /// Names and their first values.
    fn firsts(&self) -> impl Iterator<Item = (&str, &str)> {
        let (texts, start, end) = self.texts();
        (start..end).step_by(2).filter_map(move |at| {
            let name = texts.get(TextId(at));
            let is_first = self.place(name) == Some(at + 1);
            is_first.then(|| (name, texts.get(TextId(at + 1))))
        })
    }

    fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.firsts() {
            dict.set_item(PyString::intern(py, name), value)?;
        }
        Ok(dict)
    }

    fn view<'py>(slf: &Bound<'py, Self>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
        let views = slf.py().import("collections.abc")?;
        views.getattr(kind)?.call1((slf,))
    }
}

#[pymethods]
impl PythonTags {
    #[new]
    #[pyo3(signature = (pairs=Vec::new(), number=0))]
    fn of_pairs(pairs: Vec<(String, String)>, number: u64) -> PythonTags {
        let mut tags = Tags::default();
        for (name, value) in &pairs {
            tags.push(name, value);
        }
        PythonTags::new(TagOwner::Own(tags, number))
    }

    /// The number of the game in its database, from 1; 0 if it is not in one.
    #[getter]
    fn number(&self) -> u64 {
        match &self.owner {
            TagOwner::Game(game) => game.origin.number,
            TagOwner::Block(block, at) => block.games.get(*at).map_or(0, |(_, number)| *number),
            TagOwner::Own(_, number) => *number,
        }
    }

    /// All names and values, including repeated ones.
    #[getter]
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let pairs: Vec<_> = self
            .iter()
            .map(|(name, value)| (PyString::intern(py, name), PyString::new(py, value)))
            .collect();
        PyList::new(py, pairs)
    }

    /// All values of a name.
    fn get_all(&self, name: &str) -> Vec<&str> {
        let values = self.iter().filter(|(known, _)| *known == name);
        values.map(|(_, value)| value).collect()
    }

    /// The value of a name, or ``default`` if it is missing.
    #[pyo3(signature = (key, default=None))]
    fn get<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> Option<Bound<'py, PyAny>> {
        let name = key.cast::<PyString>().ok();
        let name = name.as_ref().and_then(|name| name.to_str().ok());
        match name.and_then(|name| self.value(name)) {
            Some(value) => Some(PyString::new(key.py(), value).into_any()),
            None => default,
        }
    }

    /// The names, in their order.
    fn keys<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "KeysView")
    }

    /// Names and values, in their order.
    fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "ItemsView")
    }

    /// The values, in their order.
    fn values<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "ValuesView")
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        let name = key.cast::<PyString>().ok();
        let name = name.as_ref().and_then(|name| name.to_str().ok());
        match name.and_then(|name| self.value(name)) {
            Some(value) => Ok(PyString::new(key.py(), value)),
            None => Err(PyKeyError::new_err(key.clone().unbind())),
        }
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        let name = key.cast::<PyString>().ok();
        let name = name.as_ref().and_then(|name| name.to_str().ok());
        name.is_some_and(|name| self.place(name).is_some())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let names: Vec<_> = self
            .firsts()
            .map(|(name, _)| PyString::intern(py, name))
            .collect();
        PyList::new(py, names)?.try_iter()
    }

    fn __len__(&self) -> usize {
        self.firsts().count()
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let is_same = match other.cast::<PythonTags>() {
            Ok(other) => self.iter().eq(other.get().iter()),
            Err(_) => {
                let mapping = py.import("collections.abc")?.getattr("Mapping")?;
                if !other.is_instance(&mapping)? {
                    return Ok(py.NotImplemented());
                }
                let theirs = py.get_type::<PyDict>().call1((other,))?;
                self.dict(py)?.eq(theirs)?
            }
        };
        let answer = match op {
            CompareOp::Eq => is_same,
            CompareOp::Ne => !is_same,
            _ => return Ok(py.NotImplemented()),
        };
        Ok(answer.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let arguments = (this.pairs(py)?, this.number());
        (slf.get_type(), arguments).into_pyobject(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Tags({})", self.pairs(py)?.repr()?))
    }
}
