//! A jose database that is open: archive, folder of tables, dump, or rows that a server sent.

use std::any::Any;
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use tabiya_model::about::{self, About};
use tabiya_model::{
    Block, Database, Diagnostics, Error, ErrorKind, Game, Info, Place, Result, Source, Want,
};

use super::assemble::{Settings, assemble};
use super::codes;
use super::index::{Index, NOWHERE};
use super::layout::{GameRow, collection};
use super::moves::Decoder;
use super::names::Names;

/// Something that holds the rows of games.
pub trait RowSource: Send + Sync {
    /// A reader of rows for one thread.
    fn cursor(self: Arc<Self>) -> Box<dyn RowCursor>;
}

/// Reads rows at the places that an [`Index`] tells.
pub trait RowCursor: Send {
    /// Reads the two halves of a row and hands them over as one; a half may be nowhere.
    fn read(&mut self, places: [u64; 2], each: &mut dyn FnMut(&GameRow<'_>)) -> Result<()>;
}

/// What a database consists of once it is open.
pub struct Parts {
    /// What is known about it.
    pub info: Info,
    /// The names that games refer to.
    pub names: Names,
    /// The order of the games.
    pub index: Index,
    /// Whether rows have two halves.
    pub halves: bool,
    /// The rows.
    pub rows: Arc<dyn RowSource>,
    /// How they are to be read.
    pub settings: Settings,
    /// What was noticed while opening.
    pub diagnostics: Diagnostics,
    /// Bytes of everything.
    pub bytes: u64,
    /// The deepest variation that is followed.
    pub depth: usize,
}

/// A database of jose.
pub struct Reader {
    parts: Arc<Parts>,
}

/// Games in a block.
const BLOCK: u64 = 256;

impl Reader {
    /// Takes over what was opened.
    pub fn new(mut parts: Parts) -> Reader {
        parts.names.complete();
        describe(&mut parts);
        Reader {
            parts: Arc::new(parts),
        }
    }

    /// All games as a source that needs no database behind it.
    pub fn into_source(self) -> Box<dyn Source<'static>> {
        let end = self.parts.index.len();
        Box::new(Blocks {
            parts: self.parts,
            next: 0,
            end,
        })
    }

    /// The collections and the games in them, in the order of the games.
    pub fn names(&self) -> &Names {
        &self.parts.names
    }
}

/// Fills the information that people ask for, and checks what the halves say.
fn describe(parts: &mut Parts) {
    let Parts {
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
                        || Place::game(first),
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
        diagnostics.report(&codes::LOST_ROW, Place::default, || {
            format!("{} games have no row of moves", index.lonely)
        });
    }
    if index.orphans > 0 {
        diagnostics.report(&codes::LOST_ROW, Place::default, || {
            format!("{} rows of moves have no game", index.orphans)
        });
    }
}

impl Parts {
    /// The collections: those with games in the order of the games, then the user's own that are empty.
    fn about(&self) -> About {
        let text = |bytes: &[u8]| self.settings.coding.decode(bytes);
        let mut all: Vec<(i64, Option<i64>, about::Collection)> = Vec::new();
        let mut add = |id: i64, games: Range<u64>| {
            let (parent, name, source) = match self.names.collection(id) {
                Some(known) => (known.parent, text(&known.name), text(&known.source)),
                None => (None, format!("collection {id}"), String::new()),
            };
            let collection = about::Collection {
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
        let place =
            |(id, parent, collection): (i64, Option<i64>, about::Collection)| about::Collection {
                parent: parent
                    .filter(|parent| *parent != id)
                    .and_then(|parent| places.get(&parent).copied()),
                ..collection
            };
        About {
            collections: all.into_iter().map(place).collect(),
            ..About::default()
        }
    }

    /// Reads a game by its number, counted from 0.
    fn read(
        &self,
        number: u64,
        want: Want,
        cursor: &mut dyn RowCursor,
        decoder: &mut Decoder,
        game: &mut Game,
    ) -> Result<()> {
        let places = self.index.get(number)?.ok_or_else(|| {
            Error::usage(format!(
                "there is no game {} of {}",
                number + 1,
                self.index.len()
            ))
        })?;
        game.clear();
        game.origin.number = number + 1;
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
                || Place::game(number + 1),
                || what.to_owned(),
            );
        }
        Ok(())
    }

    fn cursor(&self) -> Box<dyn RowCursor> {
        Arc::clone(&self.rows).cursor()
    }
}

impl Database for Reader {
    fn info(&self) -> Info {
        self.parts.info.clone()
    }

    fn len(&self) -> Result<u64> {
        Ok(self.parts.index.len())
    }

    fn read(&self, number: u64, want: Want, game: &mut Game) -> Result<()> {
        let Some(number) = number.checked_sub(1) else {
            return Err(Error::usage("games are numbered from 1"));
        };
        let mut cursor = self.parts.cursor();
        let mut decoder = Decoder::with_depth(self.parts.depth);
        self.parts
            .read(number, want, &mut *cursor, &mut decoder, game)
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        let len = self.parts.index.len();
        let (first, end) = match games {
            None => (1, len.saturating_add(1)),
            Some(range) => (range.start.max(1), range.end.min(len.saturating_add(1))),
        };
        Ok(Box::new(Blocks {
            parts: Arc::clone(&self.parts),
            next: first - 1,
            end: end.saturating_sub(1),
        }))
    }

    fn diagnostics(&self) -> Diagnostics {
        self.parts.diagnostics.clone()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Hands out blocks of games.
struct Blocks {
    parts: Arc<Parts>,
    next: u64,
    end: u64,
}

impl<'a> Source<'a> for Blocks {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let first = self.next;
        self.next = self.next.saturating_add(BLOCK).min(self.end);
        Ok(Some(Box::new(GameBlock {
            cursor: self.parts.cursor(),
            decoder: Decoder::with_depth(self.parts.depth),
            parts: Arc::clone(&self.parts),
            first,
            next: first,
            end: self.next,
        })))
    }

    fn diagnostics(&self) -> Diagnostics {
        self.parts.diagnostics.clone()
    }

    fn about(&self) -> About {
        self.parts.about()
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.parts.bytes)
    }
}

struct GameBlock {
    parts: Arc<Parts>,
    cursor: Box<dyn RowCursor>,
    decoder: Decoder,
    first: u64,
    next: u64,
    end: u64,
}

impl Block for GameBlock {
    fn next(&mut self, want: Want, game: &mut Game) -> Result<bool> {
        if self.next >= self.end {
            return Ok(false);
        }
        let number = self.next;
        self.next += 1;
        self.parts
            .read(number, want, &mut *self.cursor, &mut self.decoder, game)?;
        Ok(true)
    }

    fn first(&self) -> Option<u64> {
        Some(self.first + 1)
    }

    fn bytes(&self) -> u64 {
        let games = u128::from(self.end - self.first);
        let all = u128::from(self.parts.index.len().max(1));
        u64::try_from(u128::from(self.parts.bytes) * games / all).unwrap_or(u64::MAX)
    }
}

/// A file with its size, for the list of a database's files.
pub(super) fn sized(path: PathBuf) -> (PathBuf, u64) {
    let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    (path, size)
}

/// The error for something that holds no table of games.
pub(super) fn not_jose(name: &str) -> Error {
    Error::new(
        ErrorKind::NotThisFormat,
        "neither tables of jose nor a SQL dump of them: there is no table Game or IO_Game",
    )
    .in_file(name)
}
