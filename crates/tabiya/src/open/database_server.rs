//! Databases on a running server, in programs that have a client of such servers.
//!
//! The library has none: a client brings many dependencies for one rare job. `tabiya-mysql` has one, and registers it with
//! the library when it starts ([`use_client`]); from then on an address opens as any path does.

use crate::error_codes;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_model::{
    Database, DatabaseMetadata, EncodedGames, Encoder, Error, Losses, Result, Sink, UserHint,
    WriteSummary,
};

/// What reads and writes the databases of a server.
pub trait ServerClient: Send + Sync {
    /// Opens the database of an address.
    fn open(&self, url: &str, options: &OpenOptions) -> Result<Box<dyn Database>>;

    /// Adds games to the database of an address.
    fn create(&self, url: &str, options: &WriteOptions) -> Result<Box<dyn Sink>>;
}

/// The client of this program.
static CLIENT: OnceLock<&'static dyn ServerClient> = OnceLock::new();

/// How many targets on servers are being written.
static WRITING: AtomicUsize = AtomicUsize::new(0);

/// Registers a client of servers. The first one stays.
pub fn use_client(client: &'static dyn ServerClient) {
    CLIENT.get_or_init(|| client);
}

/// Whether this program has a client of servers.
pub fn has_client() -> bool {
    CLIENT.get().is_some()
}

/// The address of a server, if a path is one.
///
/// ```
/// let url = "mysql://jose@localhost/jose";
/// assert_eq!(tabiya::database_server::server_url(std::path::Path::new(url)), Some(url));
/// assert_eq!(tabiya::database_server::server_url(std::path::Path::new("games.pgn")), None);
/// ```
pub fn server_url(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| is_url(text))
}

/// The address as it may be shown and compared: without a password.
pub fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{host}{path}")
        }
        None => url.to_owned(),
    }
}

/// Whether a target on a server is being written. A job that is stopped removes what it has put there; a program that ends
/// without waiting for the job prevents that.
pub fn is_writing() -> bool {
    WRITING.load(Ordering::Relaxed) > 0
}

fn is_url(text: &str) -> bool {
    ["mysql://", "mariadb://"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

pub(crate) fn open(url: &str, options: &OpenOptions) -> Result<Box<dyn Database>> {
    client(url)?.open(url, options)
}

pub(crate) fn create(url: &str, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let client = client(url)?;
    let writing = WriteCounter::new();
    Ok(Box::new(CountedSink {
        sink: client.create(url, options)?,
        _writing: writing,
    }))
}

fn client(url: &str) -> Result<&'static dyn ServerClient> {
    CLIENT.get().copied().ok_or_else(|| {
        Error::new(
            &error_codes::PROGRAM_MISSING,
            "databases on a server need the program tabiya-mysql, which is not installed",
        )
        .with_hint(UserHint::InstallServerClient)
        .in_file(shown(url))
    })
}

/// Counts for as long as it lives.
struct WriteCounter;

impl WriteCounter {
    fn new() -> WriteCounter {
        WRITING.fetch_add(1, Ordering::Relaxed);
        WriteCounter
    }
}

impl Drop for WriteCounter {
    fn drop(&mut self) {
        WRITING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A target on a server. The sink goes before the count does.
struct CountedSink {
    sink: Box<dyn Sink>,
    _writing: WriteCounter,
}

impl Sink for CountedSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        self.sink.encoder()
    }

    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        self.sink.describe(about, losses);
    }

    fn append(&mut self, part: EncodedGames, first: u64, losses: &mut Losses) -> Result<()> {
        self.sink.append(part, first, losses)
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        self.sink.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert!(is_url("mysql://root@localhost/jose"));
        assert!(is_url("MariaDB://h/x"));
        assert!(!is_url("mysql.sql"));
        assert_eq!(
            shown("mysql://me:secret@host:3307/jose"),
            "mysql://me@host:3307/jose"
        );
        assert_eq!(shown("mysql://host/jose?x=a@b"), "mysql://host/jose?x=a@b");
    }

    #[test]
    fn an_address_without_a_client_says_what_is_missing() {
        let error = crate::open("mysql://me:secret@host/jose")
            .map(|_| ())
            .unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("tabiya-mysql") && text.contains("me@host"),
            "{text}"
        );
        assert!(!text.contains("secret"), "{text}");
    }
}
