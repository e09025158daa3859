//! jose's databases on a running MySQL or MariaDB server, by URL: `mysql://user@host/jose`.
//!
//! The client crate brings many dependencies, so that it has a crate of its own and the codecs are
//! never rebuilt for it. Reading sends nothing but `SELECT`s within a read-only transaction, and copies
//! the rows once into a temporary file. Writing adds a collection to the tables, which are created
//! where there are none; a conversion that fails takes away again what it has added.
//!
//! The URL is that of the client crate; `?socket=/path` connects to a local socket. A password that is
//! not in the URL is taken from the environment variable `MYSQL_PWD`.

mod reader;
mod writer;

pub use reader::open;
pub use writer::create;

use mysql::prelude::Queryable;
use mysql::{Conn, Opts, OptsBuilder};
use tabiya_model::{Error, ErrorKind, Result};

/// Whether an argument is the URL of a database on a server.
pub fn is_url(argument: &str) -> bool {
    ["mysql://", "mariadb://"].iter().any(|scheme| {
        argument
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

/// The URL as it may be shown and compared: without a password.
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

fn failed(error: mysql::Error, url: &str) -> Error {
    let kind = match &error {
        mysql::Error::UrlError(_) => ErrorKind::Usage,
        _ => ErrorKind::Io,
    };
    Error::new(kind, error.to_string())
        .in_file(shown(url))
        .because(error)
}

/// Connects, and makes text come and go as the columns hold it.
fn connect(url: &str) -> Result<(Conn, String)> {
    let plain = match url.split_once("://") {
        Some((_, rest)) => format!("mysql://{rest}"),
        None => url.to_owned(),
    };
    let opts =
        Opts::from_url(&plain).map_err(|error| Error::usage(format!("{}: {error}", shown(url))))?;
    let database = opts
        .get_db_name()
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Error::usage(format!("{}: the URL names no database", shown(url))))?
        .to_owned();
    let mut builder = OptsBuilder::from_opts(opts.clone());
    if opts.get_pass().is_none()
        && let Ok(password) = std::env::var("MYSQL_PWD")
    {
        builder = builder.pass(Some(password));
    }
    let mut conn = Conn::new(builder).map_err(|error| failed(error, url))?;
    // The three-byte form is what the columns hold; old servers know it by its old name only.
    if conn.query_drop("SET NAMES utf8mb3").is_err() {
        conn.query_drop("SET NAMES utf8")
            .map_err(|error| failed(error, url))?;
    }
    Ok((conn, database))
}

/// The tables of the database.
fn tables(conn: &mut Conn, url: &str) -> Result<Vec<String>> {
    conn.query::<String, _>("SHOW TABLES")
        .map_err(|error| failed(error, url))
}

/// A name as SQL quotes it.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        assert!(is_url("mysql://root@localhost/jose"));
        assert!(is_url("MariaDB://h/x"));
        assert!(!is_url("mysql.sql"));
        assert_eq!(
            shown("mysql://me:secret@host:3307/jose"),
            "mysql://me@host:3307/jose"
        );
        assert_eq!(shown("mysql://host/jose?x=a@b"), "mysql://host/jose?x=a@b");
        assert_eq!(quoted("a`b"), "`a``b`");
    }
}
