//! Databases on a running server, in builds that have the feature for it.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use tabiya_formats::format::WriteOptions;
use tabiya_model::{About, Encoder, Losses, Part, Result, Sink, Summary};

/// The address of a server, where a path is one.
///
/// Where the feature `mysql` is on, it opens as any other base:
///
/// ```no_run
/// # fn main() -> tabiya::model::Result<()> {
/// let url = "mysql://jose@localhost/jose";
/// assert_eq!(tabiya::server::of(std::path::Path::new(url)), Some(url));
/// for base in tabiya::open(url)? {
///     println!("{}: {:?} games", base.name(), base.info().games);
/// }
/// # Ok(())
/// # }
/// ```
pub fn of(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| is_url(text))
}

#[cfg(feature = "mysql")]
pub(crate) use tabiya_mysql::{is_url, open, shown};

#[cfg(not(feature = "mysql"))]
pub(crate) use without::{is_url, open, shown};

#[cfg(feature = "mysql")]
use tabiya_mysql::create as sink;

#[cfg(not(feature = "mysql"))]
use without::create as sink;

/// How many targets on servers are being written.
static WRITING: AtomicUsize = AtomicUsize::new(0);

/// Whether a target on a server is being written. What a job that is told to stop has put there it takes away again,
/// which a program that ends without waiting for it prevents.
pub fn is_writing() -> bool {
    WRITING.load(Ordering::Relaxed) > 0
}

pub(crate) fn create(url: &str, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let writing = Writing::new();
    Ok(Box::new(Counted {
        sink: sink(url, options)?,
        _writing: writing,
    }))
}

/// Counts for as long as it lives.
struct Writing;

impl Writing {
    fn new() -> Writing {
        WRITING.fetch_add(1, Ordering::Relaxed);
        Writing
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A target on a server. The sink goes before the count does.
struct Counted {
    sink: Box<dyn Sink>,
    _writing: Writing,
}

impl Sink for Counted {
    fn encoder(&self) -> Box<dyn Encoder> {
        self.sink.encoder()
    }

    fn describe(&mut self, about: &About, losses: &mut Losses) {
        self.sink.describe(about, losses);
    }

    fn append(&mut self, part: Part, first: u64, losses: &mut Losses) -> Result<()> {
        self.sink.append(part, first, losses)
    }

    fn finish(self: Box<Self>) -> Result<Summary> {
        self.sink.finish()
    }
}

#[cfg(not(feature = "mysql"))]
mod without {
    use tabiya_formats::format::{OpenOptions, WriteOptions};
    use tabiya_model::{Database, Error, ErrorKind, Result, Sink};

    pub(crate) fn is_url(text: &str) -> bool {
        ["mysql://", "mariadb://"].iter().any(|scheme| {
            text.get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        })
    }

    pub(crate) fn shown(_: &str) -> String {
        "a database on a server".to_owned()
    }

    pub(crate) fn open(_: &str, _: &OpenOptions) -> Result<Box<dyn Database>> {
        Err(unsupported())
    }

    pub(crate) fn create(_: &str, _: &WriteOptions) -> Result<Box<dyn Sink>> {
        Err(unsupported())
    }

    fn unsupported() -> Error {
        Error::new(
            ErrorKind::Unsupported,
            "this build of Tabiya does not talk to servers of databases",
        )
    }
}
