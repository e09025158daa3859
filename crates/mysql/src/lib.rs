//! jose's databases on a running MySQL or MariaDB server, by URL: `mysql://user@host/jose`.
//!
//! The client crate brings many dependencies for one rare job. So the program `tabiya` does not include it: `tabiya-mysql` is
//! the same command line with this client, and `tabiya` runs it for URLs of servers. Reading sends only `SELECT`s within a
//! read-only transaction, and copies the rows once into a temporary file. Writing adds a collection to the tables, which are
//! created if they do not exist; a conversion that fails removes everything that it has added.
//!
//! The URL is that of the client crate; `?socket=/path` connects to a local socket. A password that is
//! not in the URL is taken from the environment variable `MYSQL_PWD`.

mod reader;
mod writer;

pub use reader::open;
pub use writer::create;

use mysql::prelude::Queryable;
use mysql::{Conn, Opts, OptsBuilder};
use tabiya::database_server::{ServerClient, shown};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_model::error_codes;
use tabiya_model::{Database, Error, Result, Sink};

/// The client that `tabiya-mysql` gives to the library.
#[derive(Debug, Clone, Copy)]
pub struct MysqlClient;

impl ServerClient for MysqlClient {
    fn open(&self, url: &str, options: &OpenOptions) -> Result<Box<dyn Database>> {
        open(url, options)
    }

    fn create(&self, url: &str, options: &WriteOptions) -> Result<Box<dyn Sink>> {
        create(url, options)
    }
}

fn failed(error: mysql::Error, url: &str) -> Error {
    let code = match &error {
        mysql::Error::UrlError(_) => &error_codes::BAD_SERVER_URL,
        _ => &error_codes::DATABASE_SERVER,
    };
    Error::new(code, error.to_string())
        .in_file(shown(url))
        .because(error)
}

/// Connects, and makes text come and go as the columns hold it.
fn connect(url: &str) -> Result<(Conn, String)> {
    let plain = match url.split_once("://") {
        Some((_, rest)) => format!("mysql://{rest}"),
        None => url.to_owned(),
    };
    let opts = Opts::from_url(&plain).map_err(|error| {
        Error::new(&error_codes::BAD_SERVER_URL, format!("{error}")).in_file(shown(url))
    })?;
    let database = opts
        .get_db_name()
        .filter(|name| !name.is_empty())
        .ok_or_else(|| {
            Error::new(&error_codes::BAD_SERVER_URL, "the URL has no database name")
                .in_file(shown(url))
        })?
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
    fn a_name_is_quoted() {
        assert_eq!(quoted("a`b"), "`a``b`");
    }
}
