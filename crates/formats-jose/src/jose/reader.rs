//! An open jose database: archive, folder of tables, dump, or rows from a server.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use tabiya_io::held_folder;
use tabiya_model::error_codes;
use tabiya_model::facts::FactSource;
use tabiya_model::metadata::{self, DatabaseMetadata};
use tabiya_model::{
    Database, DatabaseInfo, Diagnostics, Error, Game, GameNeeds, Location, Losses, Result, Source,
};

use super::codes;
use super::index::{JoseIndex, NOWHERE};
use super::layout::{JoseGameRow, collection};
use super::moves::JoseMoveDecoder;
use super::names::JoseNames;
use super::record::{JoseReadSettings, assemble};
use tabiya_codec::missing_parts::MissingParts;
use tabiya_codec::numbered_database::{
    NumberedDatabase, NumberedSource, ScratchPool, check_number,
};

/// A container of the rows of games.
pub trait JoseRowSource: Send + Sync {
    /// A reader of rows for one thread.
    fn cursor(self: Arc<Self>) -> Box<dyn JoseRowCursor>;
}

/// Reads rows at the offsets of a [`JoseIndex`].
pub trait JoseRowCursor: Send {
    /// Reads the two halves of a row and passes them as one; one half may be missing (`NOWHERE`).
    fn read(&mut self, places: [u64; 2], each: &mut dyn FnMut(&JoseGameRow<'_>)) -> Result<()>;
}

/// The parts of an open database.
pub struct JoseDatabaseParts {
    /// Information about it.
    pub info: DatabaseInfo,
    /// The names that games refer to.
    pub names: JoseNames,
    /// The order of the games.
    pub index: JoseIndex,
    /// Whether rows have two halves.
    pub halves: bool,
    /// The rows.
    pub rows: Arc<dyn JoseRowSource>,
    /// How they are read.
    pub settings: JoseReadSettings,
    /// The findings while opening.
    pub diagnostics: Diagnostics,
    /// The size of all files.
    pub bytes: u64,
    /// The deepest variation that is followed.
    pub depth: usize,
    /// The content that the tables should hold but do not.
    pub claims: MissingParts,
}

/// A database of jose.
pub struct JoseReader {
    parts: Arc<JoseDatabaseParts>,
    spare: ScratchPool<JoseRowDecoder>,
}

impl JoseReader {
    /// Takes over the open parts.
    pub fn new(mut parts: JoseDatabaseParts) -> JoseReader {
        parts.names.complete();
        describe(&mut parts);
        JoseReader {
            parts: Arc::new(parts),
            spare: ScratchPool::default(),
        }
    }

    /// All games as a source that needs no database.
    pub fn into_source(self) -> Box<dyn Source<'static>> {
        Box::new(NumberedSource::new(self.parts, None))
    }

    pub(super) fn parts(&self) -> &JoseDatabaseParts {
        &self.parts
    }

    /// Lends a reader of rows.
    pub(super) fn with_cursor<T>(&self, work: impl FnOnce(&mut dyn JoseRowCursor) -> T) -> T {
        let parts = &*self.parts;
        self.spare
            .lend(|| parts.scratch(), |hands| work(&mut *hands.cursor))
    }

    /// The collections and the games in them, in the order of the games.
    pub fn names(&self) -> &JoseNames {
        &self.parts.names
    }
}

/// Fills in the information for users, and checks the halves against each other.
fn describe(parts: &mut JoseDatabaseParts) {
    let JoseDatabaseParts {
        info,
        names,
        index,
        diagnostics,
        ..
    } = parts;
    info.format = "jose";
    info.games = Some(index.len());
    if let Some(version) = names.version {
        info.version = version.to_string();
    }
    let text = |bytes: &[u8]| parts.settings.coding.decode(bytes);
    info.field("players", names.players.count().to_string());
    info.field("events", names.events.count().to_string());
    info.field("sites", names.sites.count().to_string());
    info.field("openings", names.openings.count().to_string());
    let mut first = 1u64;
    for stretch in &index.collections {
        let last = first + stretch.games - 1;
        let games = format!("games {first} to {last}");
        match stretch.id {
            None => info.field("rows of moves without a game", games),
            Some(id) => match names.collection(id) {
                None => {
                    info.field(
                        &format!("collection {id}"),
                        format!("without a name, {games}"),
                    );
                    diagnostics.report(
                        &codes::LOST_NAME,
                        || Location::game(first),
                        || format!("{} games are in the unknown collection {id}", stretch.games),
                    );
                }
                Some(collection) => {
                    let mut words = format!("{}, {games}", text(&collection.name));
                    if names.is_trash(id) {
                        words.push_str(", deleted");
                    }
                    if !collection.source.is_empty() && collection.source != b"-" {
                        words.push_str(&format!(", from {}", text(&collection.source)));
                    }
                    info.field(&format!("collection {id}"), words);
                }
            },
        }
        first = last + 1;
    }
    for collection in &names.collections {
        if !index
            .collections
            .iter()
            .any(|stretch| stretch.id == Some(collection.id))
        {
            info.field(
                &format!("collection {}", collection.id),
                format!("{}, no games", text(&collection.name)),
            );
        }
    }
    if index.lonely > 0 {
        diagnostics.report(&codes::LOST_ROW, Location::default, || {
            format!("{} games have no row of moves", index.lonely)
        });
    }
    if index.orphans > 0 {
        diagnostics.report(&codes::LOST_ROW, Location::default, || {
            format!("{} rows of moves have no game", index.orphans)
        });
    }
}

impl JoseDatabaseParts {
    /// The collections: those with games in the order of the games, then the user's own that are empty.
    fn about(&self) -> DatabaseMetadata {
        let text = |bytes: &[u8]| self.settings.coding.decode(bytes);
        let mut all: Vec<(i64, Option<i64>, metadata::GameCollection)> = Vec::new();
        let mut add = |id: i64, games: Range<u64>| {
            let (parent, name, source) = match self.names.collection(id) {
                Some(known) => (known.parent, text(&known.name), text(&known.source)),
                None => (None, format!("collection {id}"), String::new()),
            };
            let collection = metadata::GameCollection {
                name,
                parent: None,
                source: if source == "-" { String::new() } else { source },
                games,
            };
            all.push((id, parent, collection));
        };
        let mut next = 1;
        for stretch in &self.index.collections {
            let first = next;
            next += stretch.games;
            if let Some(id) = stretch.id {
                add(id, first..next);
            }
        }
        for collection in &self.names.collections {
            let id = Some(collection.id);
            let is_own = collection.id > collection::TRASH && !self.names.is_trash(collection.id);
            if is_own
                && !self
                    .index
                    .collections
                    .iter()
                    .any(|stretch| stretch.id == id)
            {
                add(collection.id, 1..1);
            }
        }
        let places: HashMap<i64, usize> = (0..).zip(&all).map(|(at, (id, ..))| (*id, at)).collect();
        let place = |(id, parent, collection): (i64, Option<i64>, metadata::GameCollection)| {
            metadata::GameCollection {
                parent: parent
                    .filter(|parent| *parent != id)
                    .and_then(|parent| places.get(&parent).copied()),
                ..collection
            }
        };
        DatabaseMetadata {
            collections: all.into_iter().map(place).collect(),
            ..DatabaseMetadata::default()
        }
    }

    /// Reads a game by its number, which must exist.
    fn read(
        &self,
        number: u64,
        want: GameNeeds,
        hands: &mut JoseRowDecoder,
        game: &mut Game,
    ) -> Result<()> {
        let JoseRowDecoder { cursor, decoder } = hands;
        let places = match number.checked_sub(1) {
            Some(at) => self.index.get(at)?,
            None => None,
        };
        let Some(places) = places else {
            return check_number(number, self.index.len());
        };
        game.clear();
        game.origin.number = number;
        cursor.read(places, &mut |row| {
            game.origin.byte = row.offset;
            assemble(row, &self.names, &self.settings, decoder, want, game);
        })?;
        let missing = match places {
            [NOWHERE, _] => Some("a row of moves without a game"),
            [_, NOWHERE] if self.halves => Some("a game without a row of moves"),
            _ => None,
        };
        if let Some(what) = missing {
            game.diagnostics.report(
                &codes::LOST_ROW,
                || Location::game(number),
                || what.to_owned(),
            );
        }
        Ok(())
    }
}

/// The decoder of rows of games.
pub struct JoseRowDecoder {
    cursor: Box<dyn JoseRowCursor>,
    decoder: JoseMoveDecoder,
}

impl Database for JoseReader {
    fn info(&self) -> DatabaseInfo {
        self.parts.info.clone()
    }

    fn len(&self) -> Result<u64> {
        Ok(self.parts.index.len())
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        let parts = &*self.parts;
        check_number(number, parts.index.len())?;
        self.spare.lend(
            || parts.scratch(),
            |hands| parts.read(number, want, hands, game),
        )
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        Ok(Box::new(NumberedSource::new(
            Arc::clone(&self.parts),
            games,
        )))
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        Some(self)
    }

    fn diagnostics(&self) -> Diagnostics {
        self.parts.diagnostics.clone()
    }

    fn missing(&self) -> Losses {
        self.parts.claims.losses()
    }
}

impl NumberedDatabase for JoseDatabaseParts {
    type Scratch = JoseRowDecoder;

    const BLOCK: u64 = 256;

    fn scratch(&self) -> JoseRowDecoder {
        JoseRowDecoder {
            cursor: Arc::clone(&self.rows).cursor(),
            decoder: JoseMoveDecoder::with_depth(self.depth),
        }
    }

    fn count(&self) -> u64 {
        self.index.len()
    }

    fn game_bytes(&self) -> u64 {
        self.bytes
    }

    fn fill(
        &self,
        number: u64,
        want: GameNeeds,
        hands: &mut JoseRowDecoder,
        game: &mut Game,
    ) -> Result<()> {
        self.read(number, want, hands, game)
    }

    fn describe(&self) -> DatabaseMetadata {
        self.about()
    }

    fn findings(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn losses(&self) -> Losses {
        self.claims.losses()
    }
}

/// A file with its size, for the list of a database's files.
pub(super) fn sized(path: PathBuf) -> (PathBuf, u64) {
    let size = held_folder::metadata(&path).map_or(0, |metadata| metadata.len());
    (path, size)
}

/// The error for data without a table of games.
pub(super) fn not_jose(name: &str) -> Error {
    Error::new(
        &error_codes::NOT_THIS_FORMAT,
        "not a jose database or SQL dump: there is no table Game or IO_Game",
    )
    .in_file(name)
}
