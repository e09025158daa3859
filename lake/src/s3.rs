//! Parquet files in object stores that speak S3: `FROM 's3://bucket/lake/'`. Keys and addresses come from the usual variables
//! (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL`, …); what may be read, from `--allow`.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::listing::ListingTableUrl;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use tabiya::formats::lake::{Manifest, manifest};
use url::Url;

use crate::parquet::{DEPTH, MOST_FILES};
use crate::roots::{Roots, refuse};
use crate::store::{no_writing, said};
use crate::table::failed;

/// The longest manifest that is read.
const MANIFEST: u64 = 256 << 20;

/// Object stores that are open, by their buckets.
pub(crate) struct Buckets {
    roots: Roots,
    open: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl fmt::Debug for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buckets")
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

impl Buckets {
    /// Those that are under roots.
    pub(crate) fn new(roots: Roots) -> Buckets {
        Buckets {
            roots,
            open: Mutex::default(),
        }
    }

    /// The store of an address.
    pub(crate) fn get(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let name = url.host_str().unwrap_or_default().to_owned();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = open.get(&name) {
            return Ok(Arc::clone(store));
        }
        let inner = AmazonS3Builder::from_env()
            .with_bucket_name(&name)
            .build()
            .map_err(|error| refuse(format!("s3://{name}: {error}")))?;
        let store: Arc<dyn ObjectStore> = Arc::new(Bucket {
            inner: Arc::new(inner),
            name: name.clone(),
            roots: self.roots.clone(),
        });
        open.insert(name, Arc::clone(&store));
        Ok(store)
    }
}

/// A bucket, of which queries read what they may.
#[derive(Debug)]
struct Bucket {
    inner: Arc<dyn ObjectStore>,
    name: String,
    roots: Roots,
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}", self.name)
    }
}

impl Bucket {
    fn allowed(&self, location: &Path) -> object_store::Result<()> {
        let url = format!("s3://{}/{location}", self.name);
        match self.roots.allow_address(&url) {
            Ok(()) => Ok(()),
            Err(DataFusionError::Plan(words)) => Err(said(words)),
            Err(error) => Err(said(error.to_string())),
        }
    }
}

#[async_trait]
impl ObjectStore for Bucket {
    async fn put_opts(
        &self,
        _: &Path,
        _: PutPayload,
        _: PutOptions,
    ) -> object_store::Result<PutResult> {
        no_writing()
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        no_writing()
    }

    async fn get_opts(
        &self,
        location: &Path,
        options: GetOptions,
    ) -> object_store::Result<GetResult> {
        self.allowed(location)?;
        self.inner.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        locations.and_then(|_| async { no_writing() }).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        match self.allowed(prefix.unwrap_or(&Path::default())) {
            Ok(()) => self.inner.list(prefix),
            Err(error) => futures::stream::iter([Err(error)]).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.allowed(prefix.unwrap_or(&Path::default()))?;
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> object_store::Result<()> {
        no_writing()
    }
}

/// The Parquet files that an address stands for: one, those of a lake, or those of a folder.
pub(crate) async fn files(store: &dyn ObjectStore, url: &Url) -> Result<Vec<ListingTableUrl>> {
    let bucket = url.host_str().unwrap_or_default();
    let place =
        Path::from_url_path(url.path()).map_err(|error| refuse(format!("{url}: {error}")))?;
    let address = |path: &str| ListingTableUrl::parse(format!("s3://{bucket}/{path}"));
    let told = |error: Error| said_of(url, error);
    match store.head(&place).await {
        Ok(_) => return Ok(vec![address(place.as_ref())?]),
        Err(Error::NotFound { .. }) => {}
        Err(error) => return Err(told(error)),
    }
    let paths = match listed(store, &place).await.map_err(|error| match error {
        Failure::Store(error) => told(error),
        Failure::Manifest(error) => error,
    })? {
        Some(paths) => paths,
        None => {
            let mut paths = Vec::new();
            let mut all = store.list(Some(&place));
            while let Some(file) = all.try_next().await.map_err(told)? {
                let path = file.location.as_ref();
                let within = path.strip_prefix(place.as_ref()).unwrap_or(path);
                // What others have not finished begins so.
                let is_hidden = within.split('/').any(|part| part.starts_with(['.', '_']));
                if path.ends_with(".parquet") && !is_hidden {
                    paths.push(path.to_owned());
                }
                if paths.len() > MOST_FILES {
                    return Err(refuse("a folder has too many Parquet files"));
                }
            }
            paths.sort();
            paths
        }
    };
    if paths.is_empty() {
        return Err(refuse(format!(
            "{url}: there is no Parquet file, and of object stores nothing else is read"
        )));
    }
    paths.iter().map(|path| address(path)).collect()
}

/// What went wrong where a lake was looked for.
enum Failure {
    Store(Error),
    Manifest(DataFusionError),
}

/// The files of a lake, or of a folder within one, as its manifest lists them.
async fn listed(
    store: &dyn ObjectStore,
    place: &Path,
) -> std::result::Result<Option<Vec<String>>, Failure> {
    let parts: Vec<String> = place.parts().map(|part| part.as_ref().to_owned()).collect();
    for length in (0..=parts.len()).rev().take(DEPTH) {
        let lake = parts.get(..length).unwrap_or_default().join("/");
        let within = |path: &str| match lake.as_str() {
            "" => path.to_owned(),
            lake => format!("{lake}/{path}"),
        };
        let found = match store.get(&Path::from(within(manifest::NAME))).await {
            Ok(found) => found,
            Err(Error::NotFound { .. }) => continue,
            // Above what may be read nothing is looked for.
            Err(_) if length < parts.len() => break,
            Err(error) => return Err(Failure::Store(error)),
        };
        if found.meta.size > MANIFEST {
            return Err(Failure::Manifest(refuse("the manifest is too long")));
        }
        let bytes = found.bytes().await.map_err(Failure::Store)?;
        let told = Manifest::read(&bytes).map_err(|error| Failure::Manifest(failed(error)))?;
        let wanted = match length == parts.len() {
            true => format!("{}/", within(manifest::GAMES)),
            false => format!("{place}/"),
        };
        let paths = told.tables.values().flatten();
        let paths = paths.map(|entry| within(&entry.path));
        return Ok(Some(
            paths.filter(|path| path.starts_with(&wanted)).collect(),
        ));
    }
    Ok(None)
}

fn said_of(url: &Url, error: Error) -> DataFusionError {
    match error {
        Error::Generic { source, .. } if source.is::<crate::store::Said>() => {
            refuse(source.to_string())
        }
        error => refuse(format!("{url}: {error}")),
    }
}
