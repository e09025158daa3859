//! Names by id: players, events, sites, openings, collections.

use super::layout::JoseTableRole;
use super::row::{JoseCell, JoseRow};

/// The names of one table.
#[derive(Debug, Default)]
pub struct JoseNameTable {
    /// Id, start and length of the name; sorted by id once complete.
    entries: Vec<(i64, u32, u32)>,
    text: Vec<u8>,
    sorted: bool,
}

impl JoseNameTable {
    /// Adds a name. Beyond 4 GiB of names nothing is added.
    pub fn add(&mut self, id: i64, name: &[u8]) {
        let (Ok(start), Ok(len)) = (u32::try_from(self.text.len()), u32::try_from(name.len()))
        else {
            return;
        };
        self.sorted = self
            .entries
            .last()
            .is_none_or(|&(last, ..)| self.sorted && last < id);
        self.text.extend_from_slice(name);
        self.entries.push((id, start, len));
    }

    /// Must be called when all names have been added.
    pub fn complete(&mut self) {
        if !self.sorted {
            self.entries.sort_by_key(|&(id, ..)| id);
        }
        self.entries.shrink_to_fit();
    }

    /// The number of names.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// The name of an id.
    pub fn get(&self, id: i64) -> Option<&[u8]> {
        self.at(self.place(id)?)
    }

    /// The index of an id among all of them.
    pub fn place(&self, id: i64) -> Option<usize> {
        self.entries.binary_search_by_key(&id, |&(id, ..)| id).ok()
    }

    /// The name at a place.
    pub fn at(&self, place: usize) -> Option<&[u8]> {
        let &(_, start, len) = self.entries.get(place)?;
        self.text.get(start as usize..)?.get(..len as usize)
    }
}

/// A collection of games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoseCollection {
    /// Its id.
    pub id: i64,
    /// The collection that contains it.
    pub parent: Option<i64>,
    /// Its name.
    pub name: Vec<u8>,
    /// Flags: 8 complete, 10h made by jose, 40h deleted.
    pub attributes: i64,
    /// The origin of its games.
    pub source: Vec<u8>,
    /// How many games it claims to have.
    pub games: i64,
}

/// Everything that games refer to by id.
#[derive(Debug, Default)]
pub struct JoseNames {
    /// Players and annotators.
    pub players: JoseNameTable,
    /// Events.
    pub events: JoseNameTable,
    /// Sites.
    pub sites: JoseNameTable,
    /// Openings.
    pub openings: JoseNameTable,
    /// Collections.
    pub collections: Vec<JoseCollection>,
    /// Version of the schema.
    pub version: Option<i64>,
}

/// The relevant columns of a table of names, by index.
#[derive(Debug, Clone, Copy, Default)]
pub struct JoseNameColumns {
    id: Option<usize>,
    name: Option<usize>,
    parent: Option<usize>,
    attributes: Option<usize>,
    source: Option<usize>,
    games: Option<usize>,
    property: Option<usize>,
    schema: Option<usize>,
    version: Option<usize>,
}

impl JoseNameColumns {
    /// Finds the columns by name.
    pub fn find<'n>(names: impl Iterator<Item = &'n str>) -> JoseNameColumns {
        let mut places = JoseNameColumns::default();
        for (at, name) in names.enumerate() {
            let place = match name.to_ascii_lowercase().as_str() {
                "id" => &mut places.id,
                "name" => &mut places.name,
                "pid" => &mut places.parent,
                "attributes" => &mut places.attributes,
                "sourceurl" => &mut places.source,
                "gamecount" => &mut places.games,
                "property" => &mut places.property,
                "schemaname" => &mut places.schema,
                "version" => &mut places.version,
                _ => continue,
            };
            *place = Some(at);
        }
        places
    }
}

/// The maximum number of collections; further ones are not listed.
const MAX_COLLECTIONS: usize = 1 << 20;

impl JoseNames {
    /// Takes a row of a table of names.
    pub fn take(&mut self, role: JoseTableRole, places: &JoseNameColumns, row: &JoseRow<'_>) {
        let cell = |place: Option<usize>| place.map_or(JoseCell::Null, |at| row.cell(at));
        let Some(id) = cell(places.id)
            .int()
            .or((role == JoseTableRole::MetaInfo).then_some(0))
        else {
            return;
        };
        let name = cell(places.name).bytes().unwrap_or_default();
        match role {
            JoseTableRole::Player => self.players.add(id, name),
            JoseTableRole::Event => self.events.add(id, name),
            JoseTableRole::Site => self.sites.add(id, name),
            JoseTableRole::Opening => self.openings.add(id, name),
            JoseTableRole::Collection if self.collections.len() < MAX_COLLECTIONS => {
                self.collections.push(JoseCollection {
                    id,
                    parent: cell(places.parent).int(),
                    name: name.to_vec(),
                    attributes: cell(places.attributes).int().unwrap_or(0),
                    source: cell(places.source).bytes().unwrap_or_default().to_vec(),
                    games: cell(places.games).int().unwrap_or(0),
                });
            }
            JoseTableRole::MetaInfo => {
                let is = |place, wanted: &[u8]| {
                    cell(place)
                        .bytes()
                        .is_some_and(|b| b.eq_ignore_ascii_case(wanted))
                };
                if is(places.property, b"SCHEMA_VERSION") && is(places.schema, b"MAIN") {
                    self.version = cell(places.version).int();
                }
            }
            JoseTableRole::Collection
            | JoseTableRole::Game
            | JoseTableRole::MoreGame
            | JoseTableRole::WholeGame => {}
        }
    }

    /// Must be called when all rows have been taken.
    pub fn complete(&mut self) {
        self.players.complete();
        self.events.complete();
        self.sites.complete();
        self.openings.complete();
        self.collections.sort_by_key(|collection| collection.id);
    }

    /// A collection by its id.
    pub fn collection(&self, id: i64) -> Option<&JoseCollection> {
        let at = self
            .collections
            .binary_search_by_key(&id, |collection| collection.id)
            .ok()?;
        self.collections.get(at)
    }

    /// Whether a collection is the trash or in it, or is marked as deleted.
    pub fn is_trash(&self, id: i64) -> bool {
        let mut id = id;
        // Circular parents end here.
        for _ in 0..64 {
            if id == super::layout::collection::TRASH {
                return true;
            }
            let Some(collection) = self.collection(id) else {
                return false;
            };
            if collection.attributes & 0x40 != 0 {
                return true;
            }
            match collection.parent {
                Some(parent) if parent != id => id = parent,
                _ => return false,
            }
        }
        false
    }
}
