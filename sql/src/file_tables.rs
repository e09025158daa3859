//! Tables by the names of files: a name in quotes is a database of any format, a Parquet file, or a folder of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::context::SessionState;
use datafusion::logical_expr::TableType;
use tabiya::formats::registry;
use tabiya::{Base, Opener};
use url::Url;

use crate::failure_words::words;
use crate::parquet::{self, ParquetTable};
use crate::roots::{AllowedRoots, is_address, refuse};
use crate::table::{DatabaseTable, failed};

/// The tables that queries name.
pub(crate) struct FileTables {
    roots: AllowedRoots,
    /// Whether this program itself reads the files, and not another one that gets their names.
    is_near: bool,
    /// Tables that were opened: standard input can be had only once, and a name means the same all through a query.
    open: Mutex<HashMap<String, Arc<dyn TableProvider>>>,
    state: Mutex<Option<Arc<dyn Fn() -> SessionState + Send + Sync>>>,
}

impl std::fmt::Debug for FileTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files")
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

impl FileTables {
    pub(crate) fn new(roots: AllowedRoots, is_near: bool) -> FileTables {
        FileTables {
            roots,
            is_near,
            open: Mutex::default(),
            state: Mutex::default(),
        }
    }

    /// Says how the settings of the session are found.
    pub(crate) fn ask(&self, state: Arc<dyn Fn() -> SessionState + Send + Sync>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }

    /// Forgets what is open, so that the next query sees files as they are then.
    pub(crate) fn forget(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|name, _| is_stdin(name));
    }

    /// The bases that a name stands for.
    pub(crate) fn bases(&self, name: &str) -> Result<Vec<Base>> {
        let path = if is_stdin(name) {
            PathBuf::from("-")
        } else {
            // The words of the user are kept for messages; that they lead to an allowed place is what counts.
            self.roots.resolve(Path::new(name))?;
            PathBuf::from(name)
        };
        let bases = Opener::default().open(&path).map_err(failed)?;
        for base in &bases {
            for file in base.files() {
                if !base.is_unpacked() && !is_stdin(&file.to_string_lossy()) && file.exists() {
                    self.roots.resolve(&file)?;
                }
            }
        }
        if bases.is_empty() {
            return Err(refuse(format!("{name}: there is no database in it")));
        }
        Ok(bases)
    }

    async fn find(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if is_address(name) {
            return self.address(name).await.map(Some);
        }
        if !is_stdin(name) {
            // It may be the name of a function.
            if !looks_like_a_file(name) && !Path::new(name).exists() {
                return Ok(None);
            }
            let real = self.roots.resolve(Path::new(name))?;
            if let Some(found) = parquet::files(&self.roots, &real)? {
                let table = parquet::table(&self.state()?, &found, self.is_near).await;
                return table.map(Some);
            }
        }
        Ok(Some(Arc::new(DatabaseTable::new(name, self.bases(name)?))))
    }

    /// What is at an address of an object store.
    async fn address(&self, name: &str) -> Result<Arc<dyn TableProvider>> {
        self.roots.allow_address(name)?;
        let url = Url::parse(name).map_err(|error| refuse(format!("{name}: {error}")))?;
        let state = self.state()?;
        let store = state.runtime_env().object_store_registry.get_store(&url)?;
        #[cfg(not(feature = "s3"))]
        let urls = {
            // Without object stores none was found.
            drop(store);
            Vec::new()
        };
        #[cfg(feature = "s3")]
        let urls = crate::s3::files(&store, &url).await?;
        // Whether they have sums is seen when they are read.
        let table = ParquetTable::open(&state, urls, true).await;
        let table = table.map_err(|error| refuse(format!("{name}: {}", words(&error))))?;
        Ok(Arc::new(table))
    }

    fn state(&self) -> Result<SessionState> {
        let state = self
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Ok(state.ok_or_else(|| {
            DataFusionError::Internal("no session".into())
        })?())
    }
}

/// Whether a name means standard input.
pub(crate) fn is_stdin(name: &str) -> bool {
    matches!(name, "-" | "stdin")
}

fn looks_like_a_file(name: &str) -> bool {
    name.contains(['.', '/', '\\'])
}

/// The databases of the working folder, for completion and SHOW TABLES.
pub(crate) fn nearby() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(".") else {
        return Vec::new();
    };
    let is_known = |name: &str| {
        let extension = Path::new(name).extension().and_then(|it| it.to_str());
        extension.is_some_and(|it| registry::by_extension(&it.to_ascii_lowercase()).is_some())
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_known(name))
        .collect();
    names.sort();
    names
}

#[async_trait]
impl SchemaProvider for FileTables {
    fn table_names(&self) -> Vec<String> {
        nearby()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let known = |name: &str| {
            let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.get(name).cloned()
        };
        if let Some(table) = known(name) {
            return Ok(Some(table));
        }
        let Some(table) = self.find(name).await? else {
            return Ok(None);
        };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(name.to_owned(), Arc::clone(&table));
        Ok(Some(table))
    }

    async fn table_type(&self, _: &str) -> Result<Option<TableType>> {
        Ok(Some(TableType::Base))
    }

    fn table_exist(&self, name: &str) -> bool {
        is_stdin(name)
            || self.roots.allow_address(name).is_ok()
            || self.roots.resolve(Path::new(name)).is_ok()
    }
}
