//! Writing: the statements that store games, and a dump of them.
//!
//! [`JoseStatementWriter`] turns games into SQL, for a dump or a server. A dump creates the tables without dropping
//! existing ones, so that loading it by mistake into a database in use destroys nothing.

use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tabiya_model::error_codes;
use tabiya_model::metadata::{self, DatabaseMetadata};
use tabiya_model::{EncodedGames, Encoder, Error, Game, Losses, Result, Sink, WriteSummary};

use super::encode::{JoseEncodedGame, JoseGameEncoder};
use super::layout::collection;
use super::row::JoseDay;
use super::schema;
use super::text;
use tabiya_codec::format::WriteOptions;
use tabiya_io::compressed_writer::{CompressedWriter, compressed_writer};
use tabiya_io::compression::Compression;
use tabiya_io::output::{self, OutputFile};

/// A receiver of statements, one at a time, without a semicolon.
pub trait JoseStatementSink: Send {
    /// Runs or writes a statement.
    fn statement(&mut self, sql: &[u8]) -> Result<()>;
}

/// The first line of a dump that ends with [`COMPLETED`].
pub(super) const WHOLE: &str =
    "-- Dump of chess games in the tables of jose; the line \"Dump completed\" ends it.";

/// The last line of a dump, as the programs of the servers write it.
pub(super) const COMPLETED: &str = "-- Dump completed";

/// The most bytes of a statement with several rows; servers accept at least a megabyte.
const STATEMENT: usize = 512 << 10;

/// The first id of everything that jose did not create itself.
const FIRST_ID: i64 = 1001;

/// A table of names that grows.
#[derive(Debug)]
pub struct JoseNameIds {
    table: &'static str,
    ids: HashMap<String, i64>,
    next: i64,
    /// Names that are not in the table yet.
    new: Vec<(i64, String)>,
}

impl JoseNameIds {
    fn new(table: &'static str) -> JoseNameIds {
        JoseNameIds {
            table,
            ids: HashMap::new(),
            next: FIRST_ID,
            new: Vec::new(),
        }
    }

    /// A name that the table has already.
    pub fn add_known(&mut self, id: i64, name: String) {
        self.next = self.next.max(id.saturating_add(1));
        self.ids.entry(name).or_insert(id);
    }

    /// The id of the next new name.
    pub fn next_id(&self) -> i64 {
        self.next
    }

    fn id(&mut self, name: Option<&str>) -> i64 {
        let Some(name) = name else {
            return 0;
        };
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.next;
        self.next = self.next.saturating_add(1);
        self.ids.insert(name.to_owned(), id);
        self.new.push((id, name.to_owned()));
        id
    }
}

/// The names that jose gives to its own collections.
const SYSTEM: [(i64, &str); 3] = [
    (collection::CLIPBOARD, "collection.clipboard"),
    (collection::AUTOSAVE, "collection.autosave"),
    (collection::TRASH, "collection.trash"),
];

/// The beginning of a text, as long as a column of the table of collections allows.
fn beginning(text: &str) -> String {
    let mut room = 255_usize;
    let fits = |character: &char| match room.checked_sub(character.len_utf16()) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    };
    text.chars().take_while(fits).collect()
}

/// A collection to be written to the target.
#[derive(Debug)]
struct JoseNewCollection {
    id: i64,
    name: String,
    /// Its parent collection, by its index in the list.
    parent: Option<usize>,
    source: String,
    /// Places given so far.
    index: i64,
    /// Games that are not in the trash.
    kept: i64,
}

/// Turns games into statements.
#[derive(Debug)]
pub struct JoseStatementWriter {
    /// Players and annotators.
    pub players: JoseNameIds,
    /// Events.
    pub events: JoseNameIds,
    /// Sites.
    pub sites: JoseNameIds,
    /// Openings.
    pub openings: JoseNameIds,
    /// The id of the next game.
    pub next_game: i64,
    /// The id of the next collection.
    pub next_collection: i64,
    /// How many games the trash holds.
    pub trashed: i64,
    /// Whether the target has the rows of unknown names and of jose's own collections already.
    pub has_system_rows: bool,
    /// The name of the collection for games without one, and whether the user has chosen it for all.
    name: String,
    is_chosen: bool,
    collections: Vec<JoseNewCollection>,
    /// The collection for games without one, as soon as it exists.
    own: Option<usize>,
    /// Which games of the current source go into which collection.
    places: Vec<(Range<u64>, usize)>,
    count: i64,
    newly_trashed: i64,
    games: Vec<u8>,
    more: Vec<u8>,
}

impl JoseStatementWriter {
    /// For an empty database. All games go into one collection of the chosen name; without one, each goes into a collection
    /// like that of its source, or into one named `otherwise`.
    pub fn new(chosen: Option<&str>, otherwise: &str) -> JoseStatementWriter {
        JoseStatementWriter {
            players: JoseNameIds::new("Player"),
            events: JoseNameIds::new("Event"),
            sites: JoseNameIds::new("Site"),
            openings: JoseNameIds::new("Opening"),
            next_game: FIRST_ID,
            next_collection: FIRST_ID,
            trashed: 0,
            has_system_rows: false,
            name: beginning(chosen.unwrap_or(otherwise)),
            is_chosen: chosen.is_some(),
            collections: Vec::new(),
            own: None,
            places: Vec::new(),
            count: 0,
            newly_trashed: 0,
            games: Vec::new(),
            more: Vec::new(),
        }
    }

    /// Games added so far.
    pub fn count(&self) -> i64 {
        self.count
    }

    /// The ids of the collections that were added.
    pub fn collection_ids(&self) -> impl Iterator<Item = i64> {
        self.collections.iter().map(|collection| collection.id)
    }

    /// Takes the collections of a source whose games come next.
    pub fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        about.lose_settings(losses);
        self.places.clear();
        if self.is_chosen {
            about.lose_description(losses);
            // The only collection has been renamed, as requested.
            if about.collections.len() > 1 {
                about.lose_collections(losses);
            }
            return;
        }
        let is_name = about.collections.is_empty() && !about.is_part;
        if is_name && !about.description.is_empty() {
            self.name = beginning(&about.description);
            if self.name != about.description {
                about.lose_description(losses);
            }
        } else {
            about.lose_description(losses);
        }
        let first = self.collections.len();
        for collection in &about.collections {
            let name = beginning(&collection.name);
            let source = beginning(&collection.source);
            if name != collection.name || source != collection.source {
                let detail = format!("cut to {name:?}, from {source:?}");
                losses.report(&metadata::COLLECTION, 0, detail);
            }
            let system = SYSTEM.iter().find(|(_, known)| *known == name);
            let id = match system {
                Some((id, _)) if !self.has_system_rows => *id,
                _ => self.next_collection_id(),
            };
            let range = collection.games.clone();
            self.places.push((range, self.collections.len()));
            self.collections.push(JoseNewCollection {
                id,
                name,
                parent: collection.parent.map(|parent| first.saturating_add(parent)),
                source,
                index: 0,
                kept: 0,
            });
        }
    }

    fn next_collection_id(&mut self) -> i64 {
        let id = self.next_collection;
        self.next_collection = id.saturating_add(1);
        id
    }

    /// The index of the collection for a game of the current source.
    fn place_of(&mut self, game: u64) -> usize {
        let found = self.places.iter().find(|(games, _)| games.contains(&game));
        match found {
            Some((_, place)) => *place,
            None => self.own_collection(),
        }
    }

    fn own_collection(&mut self) -> usize {
        if let Some(own) = self.own {
            return own;
        }
        let id = self.next_collection_id();
        self.collections.push(JoseNewCollection {
            id,
            name: self.name.clone(),
            parent: None,
            source: String::new(),
            index: 0,
            kept: 0,
        });
        *self.own.insert(self.collections.len() - 1)
    }

    /// The path of a collection: the ids of its parents and its own.
    fn path_of(&self, place: usize) -> String {
        let mut path = String::new();
        let mut next = Some(place);
        // Circular parents end here.
        for _ in 0..=self.collections.len() {
            let Some(collection) = next.and_then(|at| self.collections.get(at)) else {
                break;
            };
            path.insert_str(0, &format!("/{}", collection.id));
            next = collection.parent;
        }
        format!(":{path}/")
    }

    /// Adds a game.
    pub fn add(
        &mut self,
        game: &JoseEncodedGame,
        target: &mut dyn JoseStatementSink,
    ) -> Result<()> {
        let id = self.next_game;
        if id >= i64::from(i32::MAX) {
            return Err(Error::new(
                &error_codes::TOO_MANY_GAMES,
                "jose numbers at most 2^31 games",
            ));
        }
        self.next_game += 1;
        self.count += 1;
        let place = self.place_of(game.number);
        let Some(collection) = self.collections.get_mut(place) else {
            return Err(Error::new(
                &error_codes::INTERNAL,
                "a game of no collection",
            ));
        };
        collection.index += 1;
        let (home, place) = (collection.id, collection.index);
        let place = if game.deleted {
            self.newly_trashed += 1;
            let index = self.trashed + self.newly_trashed;
            let from = (home != collection::TRASH).then_some((home, place));
            [
                Some(collection::TRASH),
                Some(index),
                from.map(|(home, _)| home),
                from.map(|(_, place)| place),
            ]
        } else {
            collection.kept += 1;
            [Some(home), Some(place), None, None]
        };
        let [cid, idx, old_cid, old_idx] = place;
        let out = &mut self.games;
        begin_row(out, "INSERT INTO `Game` VALUES\n");
        number(out, Some(id));
        number(out, cid);
        number(out, idx);
        number(out, Some(i64::from(game.attributes)));
        number(out, old_cid);
        number(out, old_idx);
        number(out, Some(i64::from(game.moves.plies)));
        number(out, Some(i64::from(game.result)));
        number(out, Some(self.players.id(game.white.as_deref())));
        number(out, Some(self.players.id(game.black.as_deref())));
        number(out, game.white_elo.map(i64::from));
        number(out, game.black_elo.map(i64::from));
        number(out, Some(self.events.id(game.event.as_deref())));
        number(out, Some(self.sites.id(game.site.as_deref())));
        day(out, game.game_date);
        day(out, game.event_date);
        number(out, Some(i64::from(game.date_flags)));
        number(out, Some(self.openings.id(game.opening.as_deref())));
        string(out, game.eco.as_deref());
        number(out, Some(self.players.id(game.annotator.as_deref())));
        end_row(out);

        let out = &mut self.more;
        if out.is_empty() {
            out.extend_from_slice(b"INSERT INTO `MoreGame` (");
            out.extend_from_slice(schema::MORE_COLUMNS.as_bytes());
            out.extend_from_slice(b") VALUES\n(");
        } else {
            out.extend_from_slice(b",\n(");
        }
        number(out, Some(id));
        string(out, game.white_title.as_deref());
        string(out, game.black_title.as_deref());
        string(out, game.round.as_deref());
        string(out, game.board.as_deref());
        string(out, game.fen.as_deref());
        string(out, game.info.as_deref());
        hex(out, &game.moves.bin);
        if game.moves.comments.is_empty() {
            out.extend_from_slice(b"NULL,");
        } else {
            quoted(out, &game.moves.comments);
            out.push(b',');
        }
        end_row(out);
        if self.games.len() >= STATEMENT || self.more.len() >= STATEMENT {
            self.flush(target)?;
        }
        Ok(())
    }

    fn flush(&mut self, target: &mut dyn JoseStatementSink) -> Result<()> {
        for rows in [&mut self.games, &mut self.more] {
            if !rows.is_empty() {
                target.statement(rows)?;
                rows.clear();
            }
        }
        Ok(())
    }

    /// Adds the names, the collection and the versions.
    pub fn finish(&mut self, target: &mut dyn JoseStatementSink) -> Result<()> {
        self.flush(target)?;
        if self.collections.is_empty() {
            self.own_collection();
        }
        let fresh = !self.has_system_rows;
        for names in [
            &mut self.players,
            &mut self.events,
            &mut self.sites,
            &mut self.openings,
        ] {
            let opening = names.table == "Opening";
            let mut rows = Vec::new();
            let begin = format!("INSERT INTO `{}` VALUES\n", names.table);
            let unknown = fresh.then(|| (0, "-".to_owned()));
            for (id, name) in unknown.into_iter().chain(names.new.drain(..)) {
                begin_row(&mut rows, &begin);
                number(&mut rows, Some(id));
                if opening {
                    rows.extend_from_slice(if id == 0 { b"0,0,'-'," } else { b"0,NULL,'-'," });
                }
                string(&mut rows, Some(&name));
                rows.extend_from_slice(b"'-',");
                end_row(&mut rows);
                if rows.len() >= STATEMENT {
                    target.statement(&rows)?;
                    rows.clear();
                }
            }
            if !rows.is_empty() {
                target.statement(&rows)?;
            }
        }
        self.write_collections(target)?;
        if fresh {
            target.statement(
                format!(
                    "INSERT INTO `MetaInfo` VALUES\n\
                     ('SCHEMA_VERSION','MAIN',NULL,{},NULL),\n\
                     ('SCHEMA_VERSION','META',NULL,1001,NULL),\n\
                     ('TABLE_VERSION','MAIN','Game',102,0),\n\
                     ('TABLE_VERSION','MAIN','MoreGame',102,0)",
                    schema::VERSION
                )
                .as_bytes(),
            )?;
        } else if self.newly_trashed > 0 {
            target.statement(
                format!(
                    "UPDATE `Collection` SET `GameCount`=`GameCount`+{} WHERE `Id`={}",
                    self.newly_trashed,
                    collection::TRASH
                )
                .as_bytes(),
            )?;
        }
        Ok(())
    }
}

impl JoseStatementWriter {
    fn write_collections(&self, target: &mut dyn JoseStatementSink) -> Result<()> {
        let mut rows = Vec::new();
        let mut add = |id: i64, parent: Option<i64>, name: &str, path: &str, kind, url, games| {
            begin_row(&mut rows, "INSERT INTO `Collection` VALUES\n");
            number(&mut rows, Some(id));
            number(&mut rows, parent);
            number(&mut rows, None);
            string(&mut rows, Some(name));
            string(&mut rows, Some(&beginning(path)));
            number(&mut rows, Some(kind));
            string(&mut rows, url);
            // The same games give the same bytes, whenever they are written.
            rows.extend_from_slice(b"'2000-01-01 00:00:00',");
            number(&mut rows, Some(games));
            end_row(&mut rows);
        };
        let is_system = |id: i64| SYSTEM.iter().any(|(known, _)| *known == id);
        if !self.has_system_rows {
            for (id, name) in SYSTEM {
                let mut games = match id {
                    collection::TRASH => self.newly_trashed,
                    _ => 0,
                };
                for collection in self.collections.iter().filter(|other| other.id == id) {
                    games += collection.kept;
                }
                add(id, None, name, &format!(":/{id}/"), 0x10, Some("-"), games);
            }
        }
        for (place, collection) in self.collections.iter().enumerate() {
            if is_system(collection.id) {
                continue;
            }
            let parent = collection.parent.and_then(|at| self.collections.get(at));
            let source = Some(collection.source.as_str()).filter(|source| !source.is_empty());
            add(
                collection.id,
                parent.map(|parent| parent.id),
                &collection.name,
                &self.path_of(place),
                8,
                source,
                collection.kept,
            );
        }
        if rows.is_empty() {
            return Ok(());
        }
        target.statement(&rows)
    }
}

fn begin_row(out: &mut Vec<u8>, statement: &str) {
    if out.is_empty() {
        out.extend_from_slice(statement.as_bytes());
        out.push(b'(');
    } else {
        out.extend_from_slice(b",\n(");
    }
}

/// Every value is followed by a comma; the last comma becomes the end.
fn end_row(out: &mut Vec<u8>) {
    out.pop();
    out.push(b')');
}

fn number(out: &mut Vec<u8>, value: Option<i64>) {
    match value {
        Some(value) => out.extend_from_slice(value.to_string().as_bytes()),
        None => out.extend_from_slice(b"NULL"),
    }
    out.push(b',');
}

fn day(out: &mut Vec<u8>, value: Option<JoseDay>) {
    match value {
        Some(day) => out.extend_from_slice(
            format!("'{:04}-{:02}-{:02}'", day.year, day.month, day.day).as_bytes(),
        ),
        None => out.extend_from_slice(b"NULL"),
    }
    out.push(b',');
}

fn string(out: &mut Vec<u8>, value: Option<&str>) {
    match value {
        Some(value) => {
            let mut bytes = Vec::with_capacity(value.len());
            text::encode(value, &mut bytes);
            quoted(out, &bytes);
        }
        None => out.extend_from_slice(b"NULL"),
    }
    out.push(b',');
}

fn quoted(out: &mut Vec<u8>, bytes: &[u8]) {
    // Surrogates are not UTF-8, which the transport of statements may require.
    if std::str::from_utf8(bytes).is_err() {
        hex(out, bytes);
        out.pop();
        return;
    }
    out.push(b'\'');
    for &byte in bytes {
        match byte {
            0 => out.extend_from_slice(b"\\0"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0x1A => out.extend_from_slice(b"\\Z"),
            b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            other => out.push(other),
        }
    }
    out.push(b'\'');
}

fn hex(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
    out.extend_from_slice(b"0x");
    for &byte in bytes {
        out.push(digit(byte >> 4));
        out.push(digit(byte & 15));
    }
    out.push(b',');
}

/// Prepares games on any thread.
#[derive(Debug, Default)]
pub struct JoseEncoder {
    preparer: JoseGameEncoder,
    games: Vec<JoseEncodedGame>,
}

impl Encoder for JoseEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        self.games.extend(self.preparer.prepare(game, losses));
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(std::mem::take(&mut self.games))
    }
}

/// The games of a part that a [`JoseEncoder`] made.
pub fn games_of(part: EncodedGames) -> Result<Vec<JoseEncodedGame>> {
    match part.downcast::<Vec<JoseEncodedGame>>() {
        Ok(games) => Ok(*games),
        Err(_) => Err(Error::new(
            &error_codes::INTERNAL,
            "these games were encoded for another format",
        )),
    }
}

/// A dump that is being written.
struct DumpFile {
    output: CompressedWriter<OutputFile>,
    bytes: u64,
}

impl DumpFile {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.output.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }
}

impl JoseStatementSink for DumpFile {
    fn statement(&mut self, sql: &[u8]) -> Result<()> {
        self.put(sql)?;
        self.put(b";\n")
    }
}

struct DumpSink {
    file: DumpFile,
    statements: JoseStatementWriter,
    path: PathBuf,
}

/// Creates a dump; the path `-` is standard output.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let (compression, plain) = match Compression::of_target(path) {
        Some((compression, plain)) => (Some(compression), plain),
        None => (None, path.to_path_buf()),
    };
    if plain
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("jose"))
    {
        return Err(Error::new(
            &error_codes::ONLY_READ,
            "jose archives can be read, but not written: write a SQL dump (.sql), or PGN, which jose imports",
        )
        .with("format", "jose (.jose)"));
    }
    let output_options = output::OutputOptions {
        force: options.force,
        sources: options.sources.clone(),
    };
    let output = OutputFile::create(path, &output_options)?;
    let mut file = DumpFile {
        output: compressed_writer(compression, output)?,
        bytes: 0,
    };
    file.put(format!("{WHOLE}\n").as_bytes())?;
    file.put(
        b"-- Load it into a database without such tables: mysql --default-character-set=utf8 jose < dump.sql\n\n\
          /*!40101 SET NAMES utf8mb3 */;\n\
          /*!40101 SET SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;\n\n",
    )?;
    for statement in schema::create_tables() {
        file.statement(statement.as_bytes())?;
    }
    let stem = plain.file_stem().map(|stem| stem.to_string_lossy());
    let otherwise = stem
        .as_deref()
        .filter(|name| *name != "-" && !name.is_empty());
    let chosen = options
        .description
        .as_deref()
        .filter(|name| !name.is_empty());
    Ok(Box::new(DumpSink {
        file,
        statements: JoseStatementWriter::new(chosen, otherwise.unwrap_or("games")),
        path: path.to_path_buf(),
    }))
}

impl Sink for DumpSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(JoseEncoder::default())
    }

    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        self.statements.describe(about, losses);
    }

    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        for game in games_of(part)? {
            self.statements.add(&game, &mut self.file)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.statements.finish(&mut self.file)?;
        self.file.put(format!("{COMPLETED}\n").as_bytes())?;
        let output = self.file.output.finish()?;
        output
            .commit()
            .map_err(|error| Error::from(std::io::Error::from(error)))?;
        Ok(WriteSummary {
            games: u64::try_from(self.statements.count()).unwrap_or(0),
            bytes: self.file.bytes,
            files: vec![self.path],
            notes: Vec::new(),
        })
    }
}
