//! Parquet files in object stores that speak S3: `FROM 's3://bucket/lake/'`. Keys and addresses come from the usual
//! variables (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL`, …); `--allow` defines what
//! may be read. Data is compared with the checksums of the file before it is used.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::listing::ListingTableUrl;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions,
    PutPayload, PutResult,
};
use tabiya::formats::lake::{LakeManifest, manifest};
use tabiya_columns::{ChunkSums, TAIL};
use url::Url;

use crate::parquet::{DEPTH, MOST_FILES};
use crate::roots::{AllowedRoots, refuse};
use crate::store::{no_writing, sentence_error};
use crate::table::failed;

/// The longest manifest that is read.
const MANIFEST: u64 = 256 << 20;

/// How many pieces of a file are fetched at once.
const AT_ONCE: usize = 10;
/// The bytes at the end of a file that are fetched at once: most footers are shorter.
const FOOTER: u64 = 1 << 16;
/// How many files are kept in mind with their sums.
const MOST_FILES_KNOWN: usize = 4_096;

/// The variables that say where keys are found. Without any of them a store is asked without keys, and nobody is asked for some:
/// other programs would ask the machine that this one may be running on.
const KEYS: [&str; 5] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_METADATA_ENDPOINT",
];

/// Whether something says where keys are found.
fn has_keys() -> bool {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    KEYS.iter().any(is_set)
}

/// Object stores that are open, by their buckets.
pub(crate) struct S3Buckets {
    roots: AllowedRoots,
    open: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl fmt::Debug for S3Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buckets")
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

impl S3Buckets {
    /// Those that are under roots.
    pub(crate) fn new(roots: AllowedRoots) -> S3Buckets {
        S3Buckets {
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
        let mut builder = AmazonS3Builder::from_env().with_bucket_name(&name);
        if !has_keys() {
            builder = builder.with_skip_signature(true);
        }
        let inner = builder
            .build()
            .map_err(|error| refuse(format!("s3://{name}: {error}")))?;
        let store: Arc<dyn ObjectStore> = Arc::new(S3Bucket {
            inner: Arc::new(inner),
            name: name.clone(),
            roots: self.roots.clone(),
            known: Mutex::default(),
        });
        open.insert(name, Arc::clone(&store));
        Ok(store)
    }
}

/// A bucket, of which queries read what they may.
#[derive(Debug)]
struct S3Bucket {
    inner: Arc<dyn ObjectStore>,
    name: String,
    roots: AllowedRoots,
    known: Mutex<HashMap<Path, Arc<S3File>>>,
}

/// A file as it was when its footer was read.
#[derive(Debug)]
struct S3File {
    meta: ObjectMeta,
    /// Its sums, where it has some of ours.
    sums: Option<ChunkSums>,
    /// The footer of a file that has some, with what stands behind it, and where it begins.
    footer: (u64, Bytes),
}

impl S3File {
    /// A range of the file that is asked for.
    fn range(&self, asked: &GetRange) -> object_store::Result<Range<u64>> {
        let range = asked.as_range(self.meta.size);
        range.map_err(|error| sentence_error(error.to_string()))
    }

    /// Bytes of the footer, if they are all that is asked for.
    fn in_footer(&self, range: &Range<u64>) -> Option<Bytes> {
        let (start, footer) = &self.footer;
        let at = |byte: u64| usize::try_from(byte.checked_sub(*start)?).ok();
        let range = at(range.start)?..at(range.end)?;
        footer.get(range.clone()).map(|_| footer.slice(range))
    }
}

impl fmt::Display for S3Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}", self.name)
    }
}

impl S3Bucket {
    fn keep(&self, location: &Path, known: &Arc<S3File>) {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_FILES_KNOWN {
            all.clear();
        }
        all.insert(location.clone(), Arc::clone(known));
    }

    fn forget(&self, location: &Path) {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(location);
    }

    /// What is known of a file; its footer is read when it is first asked for.
    async fn known(&self, location: &Path) -> object_store::Result<Arc<S3File>> {
        let known = {
            let all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            all.get(location).cloned()
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let meta = self.inner.head(location).await?;
        let mut known = S3File {
            sums: None,
            footer: (meta.size, Bytes::new()),
            meta,
        };
        let size = known.meta.size;
        let mut from = size.saturating_sub(FOOTER);
        let mut end = match size {
            0..TAIL => Bytes::new(),
            _ => self.fetch(&known, from..size).await?,
        };
        let tail = end.len().saturating_sub(TAIL as usize);
        if let Some(place) = ChunkSums::footer_at(end.get(tail..).unwrap_or_default(), size) {
            if place.start < from {
                from = place.start;
                end = self.fetch(&known, from..size).await?;
            }
            let at = (place.start - from) as usize;
            let footer = end.get(at..end.len().saturating_sub(TAIL as usize));
            match ChunkSums::of_footer(footer.unwrap_or_default(), place.start) {
                Ok(Some(sums)) => {
                    known.sums = Some(sums);
                    known.footer = (place.start, end.slice(at..));
                }
                Err(error @ tabiya_columns::Error::Changed { .. }) => {
                    return Err(self.told(location, &error));
                }
                // What we do not read others may.
                Ok(None) | Err(_) => {}
            }
        }
        let known = Arc::new(known);
        self.keep(location, &known);
        Ok(known)
    }

    fn told(&self, location: &Path, error: &tabiya_columns::Error) -> Error {
        sentence_error(format!("s3://{}/{location}: {error}", self.name))
    }

    /// Bytes of a file, as long as it is the one that is known.
    async fn fetch(&self, known: &S3File, range: Range<u64>) -> object_store::Result<Bytes> {
        let location = &known.meta.location;
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: known.meta.e_tag.clone(),
            ..GetOptions::default()
        };
        match self.inner.get_opts(location, options).await {
            Ok(found) => found.bytes().await,
            Err(Error::Precondition { .. }) => {
                self.forget(location);
                Err(sentence_error(format!(
                    "s3://{}/{location}: it was changed while it was read",
                    self.name
                )))
            }
            Err(error) => Err(error),
        }
    }

    /// Bytes of a file, once they were compared with its sums.
    async fn checked(&self, known: &S3File, range: &Range<u64>) -> object_store::Result<Bytes> {
        if let Some(bytes) = known.in_footer(range) {
            return Ok(bytes);
        }
        let Some(sums) = &known.sums else {
            return self.fetch(known, range.clone()).await;
        };
        let whole = sums.whole(range);
        let bytes = self.fetch(known, whole.clone()).await?;
        let checked = sums.check(&whole, &bytes);
        checked.map_err(|error| self.told(&known.meta.location, &error))?;
        let start = (range.start - whole.start) as usize;
        let end = (range.end - whole.start) as usize;
        if bytes.get(start..end).is_none() {
            return Err(sentence_error(format!(
                "s3://{}/{}: it ends before it should",
                self.name, known.meta.location
            )));
        }
        Ok(bytes.slice(start..end))
    }

    fn allowed(&self, location: &Path) -> object_store::Result<()> {
        let url = format!("s3://{}/{location}", self.name);
        match self.roots.allow_address(&url) {
            Ok(()) => Ok(()),
            Err(DataFusionError::Plan(words)) => Err(sentence_error(words)),
            Err(error) => Err(sentence_error(error.to_string())),
        }
    }
}

#[async_trait]
impl ObjectStore for S3Bucket {
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
        if options.head {
            let found = self.inner.get_opts(location, options).await?;
            let all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let is_other = |it: &Arc<S3File>| {
                (&it.meta.e_tag, it.meta.size) != (&found.meta.e_tag, found.meta.size)
            };
            let is_other = all.get(location).is_some_and(is_other);
            drop(all);
            if is_other {
                self.forget(location);
            }
            return Ok(found);
        }
        // A manifest is fetched whole, and says itself whether it is.
        let Some(range) = options.range.clone() else {
            return self.inner.get_opts(location, options).await;
        };
        let known = self.known(location).await?;
        let range = known.range(&range)?;
        let bytes = self.checked(&known, &range).await?;
        Ok(GetResult {
            payload: GetResultPayload::Stream(futures::stream::iter([Ok(bytes)]).boxed()),
            meta: known.meta.clone(),
            range,
            attributes: Default::default(),
        })
    }

    async fn get_ranges(
        &self,
        location: &Path,
        ranges: &[Range<u64>],
    ) -> object_store::Result<Vec<Bytes>> {
        self.allowed(location)?;
        let known = self.known(location).await?;
        let fetched = ranges.iter().map(|range| self.checked(&known, range));
        let fetched: Vec<_> = fetched.collect();
        futures::stream::iter(fetched)
            .buffered(AT_ONCE)
            .try_collect()
            .await
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
        S3Failure::Store(error) => told(error),
        S3Failure::Manifest(error) => error,
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
            "{url}: there is no Parquet file, and nothing else can be read in object stores"
        )));
    }
    paths.iter().map(|path| address(path)).collect()
}

/// What went wrong where a lake was looked for.
enum S3Failure {
    Store(Error),
    Manifest(DataFusionError),
}

/// The files of a lake, or of a folder within one, as its manifest lists them.
async fn listed(
    store: &dyn ObjectStore,
    place: &Path,
) -> std::result::Result<Option<Vec<String>>, S3Failure> {
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
            Err(error) => return Err(S3Failure::Store(error)),
        };
        if found.meta.size > MANIFEST {
            return Err(S3Failure::Manifest(refuse("the manifest is too long")));
        }
        let bytes = found.bytes().await.map_err(S3Failure::Store)?;
        let told =
            LakeManifest::read(&bytes).map_err(|error| S3Failure::Manifest(failed(error)))?;
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
        Error::Generic { source, .. } if source.is::<crate::store::SentenceError>() => {
            refuse(source.to_string())
        }
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } if !has_keys() => {
            refuse(format!(
                "{url}: access denied without keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            ))
        }
        error => refuse(format!("{url}: {error}")),
    }
}
