//! The databases that are shown, by ids that say nothing of their paths.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tabiya::info::info;
use tabiya::{Base, Opener};
use tabiya_model::{Control, Result, Severity};
use tempfile::TempDir;

use crate::answer::Refusal;
use crate::{Config, limits};

/// One database.
#[derive(Clone)]
struct Shown {
    base: Base,
    /// The folder of a copy that a browser has handed over; it goes with the database.
    copy: Option<Arc<TempDir>>,
    /// What is told of it, as long as its files stay as they are.
    told: Option<Arc<Value>>,
}

/// All of them.
pub(crate) struct Library {
    opener: Opener,
    /// Folders and files within which databases may be opened.
    roots: Vec<PathBuf>,
    bases: Mutex<BTreeMap<String, Shown>>,
    /// The first database that was opened at the start.
    first: Option<String>,
}

/// The id of a database: the same in every run, so that addresses last.
fn id_of(base: &Base) -> String {
    let mut hasher = DefaultHasher::new();
    base.path().hash(&mut hasher);
    base.name().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

impl Library {
    /// Opens what the user has named; says what could not be opened.
    pub(crate) fn open(config: &Config) -> (Library, Vec<String>) {
        let paths: Vec<PathBuf> = config
            .paths
            .iter()
            .map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()))
            .collect();
        let opened = config.opener.open_all(&paths);
        let library = Library {
            opener: config.opener.clone(),
            roots: paths,
            bases: Mutex::default(),
            first: opened.bases.first().map(id_of),
        };
        for base in opened.bases {
            let _ = library.add(base, None);
        }
        let failed = opened
            .failed
            .iter()
            .map(|failure| failure.error.to_string())
            .collect();
        (library, failed)
    }

    /// The id of the first database that was opened at the start.
    pub(crate) fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Shown>> {
        self.bases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows one more; `None` where there are too many.
    pub(crate) fn add(&self, base: Base, copy: Option<Arc<TempDir>>) -> Option<String> {
        let id = id_of(&base);
        let mut bases = self.lock();
        if bases.len() >= limits::BASES && !bases.contains_key(&id) {
            return None;
        }
        let told = None;
        bases.insert(id.clone(), Shown { base, copy, told });
        Some(id)
    }

    /// Opens what lies at a path, where it is within what the user has named when the server was started.
    pub(crate) fn open_path(&self, path: &str) -> std::result::Result<Vec<String>, Refusal> {
        // Links are followed before it is compared, and by component: `/a/bc` is not within `/a/b`.
        let real = Path::new(path)
            .canonicalize()
            .map_err(|error| Refusal::bad(format!("{path}: {error}")))?;
        if !self.roots.iter().any(|root| real.starts_with(root)) {
            return Err(Refusal::new(
                axum::http::StatusCode::FORBIDDEN,
                format!(
                    "{path} does not lie in a folder that `tabiya serve` was given; start it with that folder, or \
                     drop the files on this page"
                ),
            ));
        }
        let opened = self.opener.open_all(&[real]).or_fail()?;
        opened
            .bases
            .into_iter()
            .map(|base| self.add(base, None).ok_or_else(Refusal::busy))
            .collect()
    }

    /// Opens files that a browser has handed over.
    pub(crate) fn open_copy(&self, folder: TempDir) -> std::result::Result<Vec<String>, Refusal> {
        let opened = self.opener.open_all(&[folder.path()]).or_fail()?;
        let folder = Arc::new(folder);
        opened
            .bases
            .into_iter()
            .map(|base| {
                self.add(base, Some(Arc::clone(&folder)))
                    .ok_or_else(Refusal::busy)
            })
            .collect()
    }

    /// The database of an id, opened anew where its files have changed.
    pub(crate) fn get(&self, id: &str) -> std::result::Result<Base, Refusal> {
        let missing = || Refusal::missing("this database is not open here");
        let base = self.lock().get(id).ok_or_else(missing)?.base.clone();
        if base.is_current() {
            return Ok(base);
        }
        self.renew(id)
    }

    /// Opens a database anew, after its files or its index have changed.
    pub(crate) fn renew(&self, id: &str) -> std::result::Result<Base, Refusal> {
        let missing = || Refusal::missing("this database is not open here");
        let base = self.lock().get(id).ok_or_else(missing)?.base.clone();
        let base = base.reopen()?;
        if let Some(shown) = self.lock().get_mut(id) {
            shown.base = base.clone();
            shown.told = None;
        }
        Ok(base)
    }

    /// The ids, in the order of the names.
    pub(crate) fn ids(&self) -> Vec<String> {
        let bases = self.lock();
        let mut ids: Vec<_> = bases
            .iter()
            .map(|(id, shown)| (shown.base.name().to_lowercase(), id.clone()))
            .collect();
        ids.sort();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// What is told of a database.
    pub(crate) fn describe(&self, id: &str) -> std::result::Result<Value, Refusal> {
        let base = self.get(id)?;
        let (copy, told) = match self.lock().get(id) {
            Some(shown) => (shown.copy.is_some(), shown.told.clone()),
            None => (false, None),
        };
        if let Some(told) = told {
            return Ok((*told).clone());
        }
        let told = Arc::new(describe(id, &base, copy)?);
        if let Some(shown) = self.lock().get_mut(id) {
            shown.told = Some(Arc::clone(&told));
        }
        Ok((*told).clone())
    }
}

fn describe(id: &str, base: &Base, copy: bool) -> Result<Value> {
    let description = info(base, false, &Control::default())?;
    let date = |date: &Option<_>| date.as_ref().map(ToString::to_string);
    let years = description
        .overview
        .as_ref()
        .map(|overview| json!([date(&overview.first), date(&overview.last)]));
    let index = if copy || tabiya::index::path(base).is_err() {
        "impossible"
    } else if base.index().is_some() {
        "fresh"
    } else if base.index_note().is_some() {
        "stale"
    } else {
        "none"
    };
    let of = |severity| description.diagnostics.at_least(severity);
    let name = base.path().file_name().map_or_else(
        || base.name().to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    Ok(json!({
        "id": id,
        "name": name,
        "path": if copy { String::new() } else { base.name().to_owned() },
        "format": description.format,
        "games": description.games,
        "years": years,
        "index": index,
        "indexNote": base.index_note(),
        "findings": {
            "damage": of(Severity::Damage),
            "warnings": of(Severity::Warning) - of(Severity::Damage),
        },
        "direct": base.finds_games(),
        "copy": copy,
    }))
}
