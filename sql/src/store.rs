//! The bytes of Parquet files: only files under the roots, never written to, and columns with checksums compared with them
//! before they are used. The same holds wherever a plan runs, on this machine or on one of a cluster.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::common::DataFusionError;
use datafusion::execution::object_store::ObjectStoreRegistry;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use tabiya_columns::ParquetReader;
use url::Url;

use crate::roots::AllowedRoots;
#[cfg(feature = "s3")]
use crate::s3;

/// How many files are kept open for their sums.
const MOST_TABLES: usize = 4_096;

/// The stores by their addresses.
#[derive(Debug)]
pub(crate) struct ObjectStores {
    files: Arc<LocalStore>,
    #[cfg(feature = "s3")]
    buckets: s3::S3Buckets,
}

impl ObjectStores {
    /// Those whose files are under these roots.
    pub(crate) fn new(roots: AllowedRoots) -> ObjectStores {
        ObjectStores {
            #[cfg(feature = "s3")]
            buckets: s3::S3Buckets::new(roots.clone()),
            files: Arc::new(LocalStore {
                inner: LocalFileSystem::new(),
                roots,
                tables: Mutex::default(),
            }),
        }
    }
}

impl ObjectStoreRegistry for ObjectStores {
    fn register_store(&self, _: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        // Nobody brings a store of their own.
        Some(store)
    }

    fn get_store(&self, url: &Url) -> datafusion::common::Result<Arc<dyn ObjectStore>> {
        match url.scheme() {
            "file" => Ok(Arc::clone(&self.files) as _),
            #[cfg(feature = "s3")]
            "s3" => self.buckets.get(url),
            #[cfg(not(feature = "s3"))]
            "s3" => Err(crate::roots::refuse(format!(
                "{url}: this program was built without object stores: `cargo install --locked --path sql --features s3`"
            ))),
            other => Err(crate::roots::refuse(format!(
                "{url}: files cannot be read by {other}"
            ))),
        }
    }
}

/// A sentence for people, on its way through the errors of others.
#[derive(Debug)]
pub(crate) struct SentenceError(pub(crate) String);

impl fmt::Display for SentenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SentenceError {}

/// An error of a store that is a sentence.
pub(crate) fn sentence_error(words: impl Into<String>) -> Error {
    Error::Generic {
        store: "tabiya",
        source: Box::new(SentenceError(words.into())),
    }
}

/// What is refused to every query.
pub(crate) fn no_writing<T>() -> Result<T> {
    Err(sentence_error("queries cannot write anything"))
}

/// A file with sums, as it was when they were looked at.
#[derive(Clone, Debug)]
struct FileSums {
    length: u64,
    changed: Option<SystemTime>,
    /// `None` where there are no sums of ours.
    table: Option<ParquetReader>,
}

/// The files of this machine.
struct LocalStore {
    inner: LocalFileSystem,
    roots: AllowedRoots,
    tables: Mutex<HashMap<Path, FileSums>>,
}

impl fmt::Debug for LocalStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Files")
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for LocalStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("files")
    }
}

impl LocalStore {
    /// The file at a place, where queries may read it.
    fn allowed(&self, location: &Path) -> Result<PathBuf> {
        let path = self.inner.path_to_filesystem(location)?;
        self.roots.resolve(&path).map_err(|error| match error {
            DataFusionError::Plan(words) => sentence_error(words),
            error => sentence_error(error.to_string()),
        })
    }

    /// The sums of a file, where it has some.
    fn summed(&self, location: &Path) -> Result<Option<ParquetReader>> {
        let path = self.allowed(location)?;
        let about = std::fs::metadata(&path).map_err(|error| sentence_error(error.to_string()))?;
        let (length, changed) = (about.len(), about.modified().ok());
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = tables.get(location)
            && (known.length, known.changed) == (length, changed)
        {
            return Ok(known.table.clone());
        }
        let table = match ParquetReader::of_file(&path) {
            Ok(table) => table.has_sums().then_some(table),
            Err(error @ tabiya_columns::Error::Changed { .. }) => {
                return Err(sentence_error(format!("{}: {error}", path.display())));
            }
            // What we do not read others may.
            Err(_) => None,
        };
        if tables.len() >= MOST_TABLES {
            tables.clear();
        }
        tables.insert(
            location.clone(),
            FileSums {
                length,
                changed,
                table: table.clone(),
            },
        );
        Ok(table)
    }

    fn check(&self, location: &Path, ranges: &[Range<u64>]) -> Result<()> {
        let Some(table) = self.summed(location)? else {
            return Ok(());
        };
        ranges
            .iter()
            .try_for_each(|range| table.check_range(range))
            .map_err(|error| sentence_error(format!("/{location}: {error}")))
    }
}

#[async_trait]
impl ObjectStore for LocalStore {
    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        no_writing()
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        no_writing()
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.allowed(location)?;
        let (range, head) = (options.range.clone(), options.head);
        let result = self.inner.get_opts(location, options).await?;
        if !head {
            let range = match range {
                Some(range) => range
                    .as_range(result.meta.size)
                    .map_err(|error| sentence_error(error.to_string()))?,
                None => 0..result.meta.size,
            };
            self.check(location, &[range])?;
        }
        Ok(result)
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.check(location, ranges)?;
        self.inner.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        locations.and_then(|_| async { no_writing() }).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let allowed = prefix.map_or_else(
            || Err(sentence_error("a whole machine is not listed")),
            |prefix| self.allowed(prefix).map(|_| ()),
        );
        match allowed {
            Ok(()) => self.inner.list(prefix),
            Err(error) => futures::stream::iter([Err(error)]).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        match prefix {
            Some(prefix) => self.allowed(prefix).map(|_| ())?,
            None => return Err(sentence_error("a whole machine is not listed")),
        }
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        no_writing()
    }
}
