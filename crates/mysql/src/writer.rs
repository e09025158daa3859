//! Adding a collection to a database on a server.

use std::path::PathBuf;

use mysql::Conn;
use mysql::prelude::Queryable;
use tabiya::database_server::shown;
use tabiya_formats::format::WriteOptions;
use tabiya_formats::jose::schema;
use tabiya_formats::jose::writer::{JoseEncoder, JoseStatementSink, JoseStatementWriter, games_of};
use tabiya_model::error_codes;
use tabiya_model::{
    DatabaseMetadata, EncodedGames, Encoder, Error, Losses, Result, Sink, WriteSummary,
};

use crate::{connect, failed, tables};

/// Where statements go.
struct MysqlServer {
    conn: Conn,
    url: String,
    bytes: u64,
}

impl JoseStatementSink for MysqlServer {
    fn statement(&mut self, sql: &[u8]) -> Result<()> {
        self.bytes = self.bytes.saturating_add(sql.len() as u64);
        let sql = std::str::from_utf8(sql)
            .map_err(|_| Error::new(&error_codes::INTERNAL, "a statement that is not UTF-8"))?;
        self.conn
            .query_drop(sql)
            .map_err(|error| failed(error, &self.url))
    }
}

/// The first ids that are ours; everything from them on goes when the conversion fails.
#[derive(Debug, Clone, Copy)]
struct MysqlFirstIds {
    game: i64,
    collection: i64,
    player: i64,
    event: i64,
    site: i64,
    opening: i64,
    /// Whether the tables themselves are ours.
    created: bool,
}

/// A collection that is being added.
struct MysqlSink {
    server: MysqlServer,
    statements: JoseStatementWriter,
    before: MysqlFirstIds,
    finished: bool,
}

/// Adds a collection to the database that a URL names. Its tables are created if it has none of them.
pub fn create(url: &str, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let same = |source: &PathBuf| shown(&source.to_string_lossy()) == shown(url);
    if options.sources.iter().any(same) {
        return Err(Error::new(
            &error_codes::TARGET_IS_SOURCE,
            format!("{} is being read and cannot be written to", shown(url)),
        ));
    }
    let (mut conn, _) = connect(url)?;
    let ask = |error| failed(error, url);
    // Zero is an id like any other, and a backslash escapes.
    conn.query_drop("SET SESSION sql_mode='NO_AUTO_VALUE_ON_ZERO'")
        .map_err(ask)?;
    let existing = tables(&mut conn, url)?;
    let known = |table: &str| {
        existing
            .iter()
            .any(|other| other.eq_ignore_ascii_case(table))
    };
    let missing: Vec<_> = schema::table_names()
        .filter(|table| !known(table))
        .collect();
    let total = schema::table_names().count();
    let created = missing.len() == total;
    if !created && !missing.is_empty() {
        return Err(Error::new(
            &error_codes::SERVER_TABLES,
            format!(
                "{} has some of jose's tables, but lacks {}",
                shown(url),
                missing.join(", ")
            ),
        ));
    }
    let chosen = options.description.as_deref();
    let mut statements = JoseStatementWriter::new(chosen.filter(|name| !name.is_empty()), "games");
    let mut server = MysqlServer {
        conn,
        url: url.to_owned(),
        bytes: 0,
    };
    if created {
        for statement in schema::create_tables() {
            server.statement(statement.as_bytes())?;
        }
    } else {
        take_stock(&mut server, &mut statements)?;
    }
    let before = MysqlFirstIds {
        game: statements.next_game,
        collection: statements.next_collection,
        player: statements.players.next_id(),
        event: statements.events.next_id(),
        site: statements.sites.next_id(),
        opening: statements.openings.next_id(),
        created,
    };
    Ok(Box::new(MysqlSink {
        server,
        statements,
        before,
        finished: false,
    }))
}

/// Learns which ids and names the tables have already.
fn take_stock(server: &mut MysqlServer, statements: &mut JoseStatementWriter) -> Result<()> {
    let url = server.url.clone();
    let ask = |error| failed(error, &url);
    let first = statements.next_game;
    let conn = &mut server.conn;
    let mut next = |query: &str| -> Result<i64> {
        let last: Option<Option<i64>> = conn.query_first(query).map_err(ask)?;
        Ok(last.flatten().unwrap_or(0).saturating_add(1).max(first))
    };
    // Rows of moves whose game is lost count as well.
    statements.next_game =
        next("SELECT MAX(`Id`) FROM `Game`")?.max(next("SELECT MAX(`GId`) FROM `MoreGame`")?);
    statements.next_collection = next("SELECT MAX(`Id`) FROM `Collection`")?;
    let trashed: Option<Option<i64>> = conn
        .query_first("SELECT MAX(`Idx`) FROM `Game` WHERE `CId`=3")
        .map_err(ask)?;
    statements.trashed = trashed.flatten().unwrap_or(0);
    let system: Option<i64> = conn
        .query_first("SELECT COUNT(*) FROM `Collection` WHERE `Id`<=3")
        .map_err(ask)?;
    statements.has_system_rows = system.unwrap_or(0) > 0;
    for (names, table) in [
        (&mut statements.players, "Player"),
        (&mut statements.events, "Event"),
        (&mut statements.sites, "Site"),
        (&mut statements.openings, "Opening"),
    ] {
        let query = format!("SELECT `Id`,`Name` FROM `{table}`");
        for row in conn.query_iter(query).map_err(ask)? {
            let row = row.map_err(ask)?;
            let id: Option<i64> = row.get(0);
            let name: Option<Vec<u8>> = row.get(1);
            // Id 0 means that the name is unknown; a player of that name gets another id.
            if let (Some(id), Some(name)) = (id, name)
                && id != 0
                && let Some(name) = tabiya_formats::jose::text::decode(&name)
            {
                names.add_known(id, name.into_owned());
            }
        }
    }
    Ok(())
}

impl Sink for MysqlSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(JoseEncoder::default())
    }

    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        self.statements.describe(about, losses);
    }

    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        for game in games_of(part)? {
            self.statements.add(&game, &mut self.server)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.statements.finish(&mut self.server)?;
        self.finished = true;
        let ids: Vec<_> = self
            .statements
            .collection_ids()
            .map(|id| id.to_string())
            .collect();
        Ok(WriteSummary {
            games: u64::try_from(self.statements.count()).unwrap_or(0),
            bytes: self.server.bytes,
            files: vec![PathBuf::from(shown(&self.server.url))],
            notes: vec![format!(
                "the games are in the {} {} of {}",
                if ids.len() == 1 {
                    "collection"
                } else {
                    "collections"
                },
                ids.join(", "),
                shown(&self.server.url)
            )],
        })
    }
}

impl Drop for MysqlSink {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        let before = self.before;
        let mut clean_up = Vec::new();
        if before.created {
            clean_up.extend(schema::table_names().map(|table| format!("DROP TABLE `{table}`")));
        } else {
            for (table, column, id) in [
                ("Game", "Id", before.game),
                ("MoreGame", "GId", before.game),
                ("Collection", "Id", before.collection),
                ("Player", "Id", before.player),
                ("Event", "Id", before.event),
                ("Site", "Id", before.site),
                ("Opening", "Id", before.opening),
            ] {
                clean_up.push(format!("DELETE FROM `{table}` WHERE `{column}`>={id}"));
            }
        }
        for statement in clean_up {
            // The failure that led here is told already; one of the cleaning has no place to go.
            let _ = self.server.conn.query_drop(statement);
        }
    }
}
