//! Rows that were sent once and are kept in a temporary file: those of a server.
//!
//! A row is its length (4 bytes) and its values: a tag (0 no value, 1 number, 2 day, 3 bytes), then 8
//! bytes of a number, 4 of a day, or 4 bytes of a length and as many bytes.

use std::io::Write;
use std::sync::Arc;

use tabiya_model::{Error, Info, Place, Result};

use super::index::{Builder, NOWHERE};
use super::layout::{Field, GameRow, Places, Role, order};
use super::names::{NamePlaces, Names};
use super::reader::{Parts, Reader, RowCursor, RowSource};
use super::record::Settings;
use super::table::{Cell, Day, Row, Slot};
use crate::claims::Claims;
use crate::format::OpenOptions;
use tabiya_io::random::RandomFile;
use tabiya_io::scratch::Scratch;

/// Gathers the rows of a database's tables.
pub struct Gatherer {
    scratch: Scratch,
    at: u64,
    buffer: Vec<u8>,
    names: Names,
    builder: Builder,
    tables: Vec<Table>,
}

/// A table whose rows are being gathered.
struct Table {
    role: Role,
    places: Places,
    names: NamePlaces,
}

/// Which table a row belongs to; see [`Gatherer::table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableId(usize);

impl Gatherer {
    /// Begins with nothing.
    pub fn new() -> Result<Gatherer> {
        Ok(Gatherer {
            scratch: Scratch::new()?,
            at: 0,
            buffer: Vec::new(),
            names: Names::default(),
            builder: Builder::new(true),
            tables: Vec::new(),
        })
    }

    /// Announces a table; `None` if it is none of jose's.
    pub fn table(&mut self, name: &str, columns: &[String]) -> Option<TableId> {
        let role = Role::of(name)?;
        let names = || columns.iter().map(String::as_str);
        self.tables.push(Table {
            role,
            places: Places::find(names()),
            names: NamePlaces::find(names()),
        });
        Some(TableId(self.tables.len() - 1))
    }

    /// Adds a row of a table that was announced, its values in the order of the columns.
    pub fn row(&mut self, table: TableId, bytes: &[u8], slots: &[Slot]) -> Result<()> {
        let Some(known) = self.tables.get(table.0) else {
            return Err(Error::usage("a row of an unknown table"));
        };
        let row = Row {
            offset: self.at,
            bytes,
            slots,
        };
        let int = |field| known.places.cell(&row, field).int().unwrap_or(0);
        let place = (table.0 as u64) << 56 | self.at;
        match known.role {
            Role::Game => {
                let (collection, index) = order(int);
                self.builder
                    .game(int(Field::Id), collection, index, place)?;
            }
            Role::MoreGame => self.builder.more(int(Field::GameId), place)?,
            role => {
                self.names.take(role, &known.names, &row);
                return Ok(());
            }
        }
        self.buffer.clear();
        self.buffer.extend_from_slice(&[0; 4]);
        for number in 0..slots.len() {
            match row.cell(number) {
                Cell::Null => self.buffer.push(0),
                Cell::Int(value) => {
                    self.buffer.push(1);
                    self.buffer.extend_from_slice(&value.to_le_bytes());
                }
                Cell::Date(day) => {
                    self.buffer.push(2);
                    self.buffer.extend_from_slice(&day.year.to_le_bytes());
                    self.buffer.extend_from_slice(&[day.month, day.day]);
                }
                Cell::Bytes(bytes) => {
                    let len = u32::try_from(bytes.len())
                        .map_err(|_| Error::corrupt("a value of more than 4 GiB"))?;
                    self.buffer.push(3);
                    self.buffer.extend_from_slice(&len.to_le_bytes());
                    self.buffer.extend_from_slice(bytes);
                }
            }
        }
        let len = u32::try_from(self.buffer.len() - 4)
            .map_err(|_| Error::corrupt("a row of more than 4 GiB"))?;
        if let Some(head) = self.buffer.get_mut(..4) {
            head.copy_from_slice(&len.to_le_bytes());
        }
        self.scratch.write_all(&self.buffer)?;
        self.at += self.buffer.len() as u64;
        Ok(())
    }

    /// Opens what was gathered.
    pub fn open(self, info: Info, options: &OpenOptions) -> Result<Reader> {
        let file = RandomFile::from_scratch(self.scratch)?;
        let rows = Spooled {
            file: Arc::new(file),
            places: self.tables.into_iter().map(|table| table.places).collect(),
        };
        Ok(Reader::new(Parts {
            info,
            names: self.names,
            index: self.builder.finish()?,
            halves: true,
            rows: Arc::new(rows),
            settings: Settings::of(options),
            diagnostics: tabiya_model::Diagnostics::default(),
            bytes: self.at,
            depth: options.limits.depth,
            claims: Claims::default(),
        }))
    }
}

/// Rows in a temporary file.
struct Spooled {
    file: Arc<RandomFile>,
    places: Vec<Places>,
}

impl RowSource for Spooled {
    fn cursor(self: Arc<Self>) -> Box<dyn RowCursor> {
        Box::new(SpoolCursor {
            rows: self,
            first: Half::default(),
            second: Half::default(),
        })
    }
}

struct SpoolCursor {
    rows: Arc<Spooled>,
    first: Half,
    second: Half,
}

/// A stretch of the file, and the row that was found in it.
#[derive(Default)]
struct Half {
    base: u64,
    buffer: Vec<u8>,
    slots: Vec<Slot>,
}

/// How much is read at once.
const CHUNK: usize = 64 << 10;

impl Half {
    /// Makes at least `len` bytes from `at` on available and gives them.
    fn bytes(&mut self, file: &RandomFile, at: u64, len: usize) -> Result<&[u8]> {
        let lost = || Error::corrupt("the rows kept aside are cut").at(Place::byte(at));
        let inside = |base: u64, have: usize| {
            let from = usize::try_from(at.checked_sub(base)?).ok()?;
            let to = from.checked_add(len)?;
            (to <= have).then_some((from, to))
        };
        if inside(self.base, self.buffer.len()).is_none() {
            self.buffer.resize(len.max(CHUNK), 0);
            let mut have = 0;
            while have < self.buffer.len() {
                let target = self.buffer.get_mut(have..).unwrap_or_default();
                let count = file.read_at(target, at.saturating_add(have as u64))?;
                if count == 0 {
                    break;
                }
                have += count;
            }
            self.buffer.truncate(have);
            self.base = at;
        }
        let (from, to) = inside(self.base, self.buffer.len()).ok_or_else(lost)?;
        self.buffer.get(from..to).ok_or_else(lost)
    }

    fn row(&mut self, file: &RandomFile, at: u64) -> Result<Row<'_>> {
        let lost = || Error::corrupt("the rows kept aside are damaged").at(Place::byte(at));
        let head = self.bytes(file, at, 4)?;
        let len = head
            .iter()
            .rev()
            .fold(0usize, |len, &byte| len << 8 | usize::from(byte));
        let mut slots = std::mem::take(&mut self.slots);
        slots.clear();
        let bytes = self.bytes(file, at.saturating_add(4), len)?;
        let mut cursor = tabiya_io::bytes::Cursor::new(bytes);
        let read = (|| {
            while !cursor.is_empty() {
                let slot = match cursor.u8()? {
                    1 => Slot::Int(i64::from_le_bytes(cursor.array()?)),
                    2 => {
                        let year = u16::from_le_bytes(cursor.array()?);
                        Slot::Date(Day {
                            year,
                            month: cursor.u8()?,
                            day: cursor.u8()?,
                        })
                    }
                    3 => {
                        let len = u32::from_le_bytes(cursor.array()?) as usize;
                        let from = cursor.position();
                        cursor.skip(len)?;
                        Slot::Bytes(from, from + len)
                    }
                    _ => Slot::Null,
                };
                slots.push(slot);
            }
            Ok::<(), tabiya_io::bytes::OutOfBounds>(())
        })();
        self.slots = slots;
        read.map_err(|_| lost())?;
        // The bytes are there already, so that nothing is read again.
        let from = usize::try_from(at.saturating_add(4) - self.base).map_err(|_| lost())?;
        let bytes = self.buffer.get(from..from + len).ok_or_else(lost)?;
        Ok(Row {
            offset: at,
            bytes,
            slots: &self.slots,
        })
    }
}

impl RowCursor for SpoolCursor {
    fn read(&mut self, places: [u64; 2], each: &mut dyn FnMut(&GameRow<'_>)) -> Result<()> {
        let rows = &self.rows;
        let mut game = GameRow::default();
        for (place, half) in places.into_iter().zip([&mut self.first, &mut self.second]) {
            if place == NOWHERE {
                continue;
            }
            let table = usize::try_from(place >> 56)
                .ok()
                .and_then(|at| rows.places.get(at));
            let Some(table) = table else {
                return Err(Error::corrupt("the rows kept aside are damaged"));
            };
            game.fill(table, half.row(&rows.file, place & ((1 << 56) - 1))?);
        }
        each(&game);
        Ok(())
    }
}
