//! Reading a database from a server.

use mysql::prelude::Queryable;
use mysql::{Conn, Value};
use tabiya::server::shown;
use tabiya_formats::format::OpenOptions;
use tabiya_formats::jose::layout::{Role, usual_columns};
use tabiya_formats::jose::spool::Gatherer;
use tabiya_formats::jose::table::{Day, Slot};
use tabiya_model::{Database, Error, ErrorKind, Info, Result};

use crate::{connect, failed, quoted, tables};

/// Opens the database that a URL names; the server is not written to.
pub fn open(url: &str, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let (mut conn, _) = connect(url)?;
    // From here on the server itself refuses everything that would change something.
    conn.query_drop("START TRANSACTION READ ONLY")
        .map_err(|error| failed(error, url))?;
    let tables = tables(&mut conn, url)?;
    let has = |role| tables.iter().any(|table| Role::of(table) == Some(role));
    if !has(Role::Game) || !has(Role::MoreGame) {
        return Err(Error::new(
            ErrorKind::NotThisFormat,
            "the database has no tables Game and MoreGame, as those of jose have",
        )
        .in_file(shown(url)));
    }
    let mut gatherer = Gatherer::new()?;
    for table in &tables {
        // Whole games are in archives only.
        if Role::of(table).is_some_and(|role| role != Role::WholeGame) {
            gather(&mut conn, url, table, &mut gatherer)?;
        }
    }
    let mut info = Info::default();
    info.field("server", shown(url));
    let version: Option<String> = conn
        .query_first("SELECT VERSION()")
        .map_err(|error| failed(error, url))?;
    info.field("server version", version.unwrap_or_default());
    Ok(Box::new(gatherer.open(info, options)?))
}

/// Copies the rows of a table.
fn gather(conn: &mut Conn, url: &str, table: &str, gatherer: &mut Gatherer) -> Result<()> {
    let existing: Vec<(String, String)> = conn
        .query_map(
            format!("SHOW COLUMNS FROM {}", quoted(table)),
            |row: mysql::Row| {
                let text = |at| row.get::<String, usize>(at).unwrap_or_default();
                (text(0), text(1))
            },
        )
        .map_err(|error| failed(error, url))?;
    let usual = usual_columns(table).unwrap_or_default();
    // Those that only repeat positions are long and are left where they are.
    let wanted: Vec<String> = existing
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| {
            usual
                .iter()
                .any(|(known, _)| known.eq_ignore_ascii_case(name))
                && !name.eq_ignore_ascii_case("PosMain")
                && !name.eq_ignore_ascii_case("PosVar")
        })
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let Some(id) = gatherer.table(table, &wanted) else {
        return Ok(());
    };
    let columns: Vec<_> = wanted.iter().map(|name| quoted(name)).collect();
    let query = format!("SELECT {} FROM {}", columns.join(","), quoted(table));
    let mut bytes = Vec::new();
    let mut slots = Vec::new();
    for row in conn.query_iter(query).map_err(|error| failed(error, url))? {
        let row = row.map_err(|error| failed(error, url))?;
        bytes.clear();
        slots.clear();
        for value in row.unwrap() {
            slots.push(slot(value, &mut bytes));
        }
        gatherer.row(id, &bytes, &slots)?;
    }
    Ok(())
}

fn slot(value: Value, bytes: &mut Vec<u8>) -> Slot {
    match value {
        Value::NULL => Slot::Null,
        Value::Int(value) => Slot::Int(value),
        Value::UInt(value) => Slot::Int(i64::try_from(value).unwrap_or(i64::MAX)),
        Value::Date(year, month, day, ..) => Slot::Date(Day { year, month, day }),
        Value::Bytes(value) => {
            let from = bytes.len();
            bytes.extend_from_slice(&value);
            Slot::Bytes(from, bytes.len())
        }
        Value::Float(_) | Value::Double(_) | Value::Time(..) => Slot::Null,
    }
}
