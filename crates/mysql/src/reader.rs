//! Reading a database from a server.

use mysql::prelude::Queryable;
use mysql::{Conn, Value};
use tabiya::database_server::shown;
use tabiya_formats::format::OpenOptions;
use tabiya_formats::jose::layout::{JoseTableRole, usual_columns};
use tabiya_formats::jose::row::{JoseDay, JoseSlot};
use tabiya_formats::jose::temporary_rows::JoseRowCollector;
use tabiya_model::error_codes;
use tabiya_model::{Database, DatabaseInfo, Error, Result};

use crate::{connect, failed, quoted, tables};

/// Opens the database that a URL names; nothing is written to the server.
pub fn open(url: &str, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let (mut conn, _) = connect(url)?;
    // From here on the server itself refuses everything that would change something.
    conn.query_drop("START TRANSACTION READ ONLY")
        .map_err(|error| failed(error, url))?;
    let tables = tables(&mut conn, url)?;
    let has = |role| {
        tables
            .iter()
            .any(|table| JoseTableRole::of(table) == Some(role))
    };
    if !has(JoseTableRole::Game) || !has(JoseTableRole::MoreGame) {
        return Err(Error::new(
            &error_codes::NOT_THIS_FORMAT,
            "the database has no tables Game and MoreGame, as jose has",
        )
        .in_file(shown(url)));
    }
    let mut gatherer = JoseRowCollector::new()?;
    for table in &tables {
        // Whole games are in archives only.
        if JoseTableRole::of(table).is_some_and(|role| role != JoseTableRole::WholeGame) {
            gather(&mut conn, url, table, &mut gatherer)?;
        }
    }
    let mut info = DatabaseInfo::default();
    info.field("server", shown(url));
    let version: Option<String> = conn
        .query_first("SELECT VERSION()")
        .map_err(|error| failed(error, url))?;
    info.field("server version", version.unwrap_or_default());
    Ok(Box::new(gatherer.open(info, options)?))
}

/// Copies the rows of a table.
fn gather(conn: &mut Conn, url: &str, table: &str, gatherer: &mut JoseRowCollector) -> Result<()> {
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

fn slot(value: Value, bytes: &mut Vec<u8>) -> JoseSlot {
    match value {
        Value::NULL => JoseSlot::Null,
        Value::Int(value) => JoseSlot::Int(value),
        Value::UInt(value) => JoseSlot::Int(i64::try_from(value).unwrap_or(i64::MAX)),
        Value::Date(year, month, day, ..) => JoseSlot::Date(JoseDay { year, month, day }),
        Value::Bytes(value) => {
            let from = bytes.len();
            bytes.extend_from_slice(&value);
            JoseSlot::Bytes(from, bytes.len())
        }
        Value::Float(_) | Value::Double(_) | Value::Time(..) => JoseSlot::Null,
    }
}
