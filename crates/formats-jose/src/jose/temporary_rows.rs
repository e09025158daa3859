//! Rows that can be received only once and are kept in a temporary file: those of a server.
//!
//! A row is its length (4 bytes) and its values: a tag (0 no value, 1 number, 2 day, 3 bytes), then 8
//! bytes of a number, 4 of a day, or 4 bytes of a length and as many bytes.

use std::io::Write;
use std::sync::Arc;

use tabiya_model::error_codes;
use tabiya_model::{DatabaseInfo, Error, Location, Result};

use super::index::{JoseIndexBuilder, NOWHERE};
use super::layout::{JoseField, JoseGameColumns, JoseGameRow, JoseTableRole, order};
use super::names::{JoseNameColumns, JoseNames};
use super::reader::{JoseDatabaseParts, JoseReader, JoseRowCursor, JoseRowSource};
use super::record::JoseReadSettings;
use super::row::{JoseCell, JoseDay, JoseRow, JoseSlot};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::missing_parts::MissingParts;
use tabiya_io::random_file::RandomFile;
use tabiya_io::scratch_file::ScratchFile;

/// Collects the rows of a database's tables.
pub struct JoseRowCollector {
    scratch: ScratchFile,
    at: u64,
    buffer: Vec<u8>,
    names: JoseNames,
    builder: JoseIndexBuilder,
    tables: Vec<JoseCollectorTable>,
}

/// A table whose rows are being collected.
struct JoseCollectorTable {
    role: JoseTableRole,
    places: JoseGameColumns,
    names: JoseNameColumns,
}

/// Which table a row belongs to; see [`JoseRowCollector::table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoseTableId(usize);

impl JoseRowCollector {
    /// A collector without rows.
    pub fn new() -> Result<JoseRowCollector> {
        Ok(JoseRowCollector {
            scratch: ScratchFile::new()?,
            at: 0,
            buffer: Vec::new(),
            names: JoseNames::default(),
            builder: JoseIndexBuilder::new(true),
            tables: Vec::new(),
        })
    }

    /// Announces a table; `None` if it does not belong to jose.
    pub fn table(&mut self, name: &str, columns: &[String]) -> Option<JoseTableId> {
        let role = JoseTableRole::of(name)?;
        let names = || columns.iter().map(String::as_str);
        self.tables.push(JoseCollectorTable {
            role,
            places: JoseGameColumns::find(names()),
            names: JoseNameColumns::find(names()),
        });
        Some(JoseTableId(self.tables.len() - 1))
    }

    /// Adds a row of an announced table, its values in the order of the columns.
    pub fn row(&mut self, table: JoseTableId, bytes: &[u8], slots: &[JoseSlot]) -> Result<()> {
        let Some(known) = self.tables.get(table.0) else {
            return Err(Error::new(
                &error_codes::INTERNAL,
                "a row of an unknown table",
            ));
        };
        let row = JoseRow {
            offset: self.at,
            bytes,
            slots,
        };
        let int = |field| known.places.cell(&row, field).int().unwrap_or(0);
        let place = (table.0 as u64) << 56 | self.at;
        match known.role {
            JoseTableRole::Game => {
                let (collection, index) = order(int);
                self.builder
                    .game(int(JoseField::Id), collection, index, place)?;
            }
            JoseTableRole::MoreGame => self.builder.more(int(JoseField::GameId), place)?,
            role => {
                self.names.take(role, &known.names, &row);
                return Ok(());
            }
        }
        self.buffer.clear();
        self.buffer.extend_from_slice(&[0; 4]);
        for number in 0..slots.len() {
            match row.cell(number) {
                JoseCell::Null => self.buffer.push(0),
                JoseCell::Int(value) => {
                    self.buffer.push(1);
                    self.buffer.extend_from_slice(&value.to_le_bytes());
                }
                JoseCell::Date(day) => {
                    self.buffer.push(2);
                    self.buffer.extend_from_slice(&day.year.to_le_bytes());
                    self.buffer.extend_from_slice(&[day.month, day.day]);
                }
                JoseCell::Bytes(bytes) => {
                    let len = u32::try_from(bytes.len()).map_err(|_| {
                        Error::new(&error_codes::TOO_LARGE, "a value of more than 4 GiB")
                    })?;
                    self.buffer.push(3);
                    self.buffer.extend_from_slice(&len.to_le_bytes());
                    self.buffer.extend_from_slice(bytes);
                }
            }
        }
        let len = u32::try_from(self.buffer.len() - 4)
            .map_err(|_| Error::new(&error_codes::TOO_LARGE, "a row of more than 4 GiB"))?;
        if let Some(head) = self.buffer.get_mut(..4) {
            head.copy_from_slice(&len.to_le_bytes());
        }
        self.scratch.write_all(&self.buffer)?;
        self.at += self.buffer.len() as u64;
        Ok(())
    }

    /// Opens the collected rows.
    pub fn open(self, info: DatabaseInfo, options: &OpenOptions) -> Result<JoseReader> {
        let file = RandomFile::from_scratch(self.scratch)?;
        let rows = JoseTemporaryRows {
            file: Arc::new(file),
            places: self.tables.into_iter().map(|table| table.places).collect(),
        };
        Ok(JoseReader::new(JoseDatabaseParts {
            info,
            names: self.names,
            index: self.builder.finish()?,
            halves: true,
            rows: Arc::new(rows),
            settings: JoseReadSettings::of(options),
            diagnostics: tabiya_model::Diagnostics::default(),
            bytes: self.at,
            depth: options.limits.depth,
            claims: MissingParts::default(),
        }))
    }
}

/// Rows in a temporary file.
struct JoseTemporaryRows {
    file: Arc<RandomFile>,
    places: Vec<JoseGameColumns>,
}

impl JoseRowSource for JoseTemporaryRows {
    fn cursor(self: Arc<Self>) -> Box<dyn JoseRowCursor> {
        Box::new(JoseTemporaryCursor {
            rows: self,
            first: JoseRowBuffer::default(),
            second: JoseRowBuffer::default(),
        })
    }
}

struct JoseTemporaryCursor {
    rows: Arc<JoseTemporaryRows>,
    first: JoseRowBuffer,
    second: JoseRowBuffer,
}

/// A part of the file, and the row that was found in it.
#[derive(Default)]
struct JoseRowBuffer {
    base: u64,
    buffer: Vec<u8>,
    slots: Vec<JoseSlot>,
}

/// The number of bytes read at once.
const CHUNK: usize = 64 << 10;

impl JoseRowBuffer {
    /// Makes at least `len` bytes from `at` on available and returns them.
    fn bytes(&mut self, file: &RandomFile, at: u64, len: usize) -> Result<&[u8]> {
        let lost = || {
            Error::new(&error_codes::DAMAGED, "the temporary rows are truncated")
                .at(Location::byte(at))
        };
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

    fn row(&mut self, file: &RandomFile, at: u64) -> Result<JoseRow<'_>> {
        let lost = || {
            Error::new(&error_codes::DAMAGED, "the temporary rows are damaged")
                .at(Location::byte(at))
        };
        let head = self.bytes(file, at, 4)?;
        let len = head
            .iter()
            .rev()
            .fold(0usize, |len, &byte| len << 8 | usize::from(byte));
        let mut slots = std::mem::take(&mut self.slots);
        slots.clear();
        let bytes = self.bytes(file, at.saturating_add(4), len)?;
        let mut cursor = tabiya_io::bytes::ByteCursor::new(bytes);
        let read = (|| {
            while !cursor.is_empty() {
                let slot = match cursor.u8()? {
                    1 => JoseSlot::Int(i64::from_le_bytes(cursor.array()?)),
                    2 => {
                        let year = u16::from_le_bytes(cursor.array()?);
                        JoseSlot::Date(JoseDay {
                            year,
                            month: cursor.u8()?,
                            day: cursor.u8()?,
                        })
                    }
                    3 => {
                        let len = u32::from_le_bytes(cursor.array()?) as usize;
                        let from = cursor.position();
                        cursor.skip(len)?;
                        JoseSlot::Bytes(from, from + len)
                    }
                    _ => JoseSlot::Null,
                };
                slots.push(slot);
            }
            Ok::<(), tabiya_io::bytes::OutOfBoundsError>(())
        })();
        self.slots = slots;
        read.map_err(|_| lost())?;
        // The bytes are there already, so nothing is read again.
        let from = usize::try_from(at.saturating_add(4) - self.base).map_err(|_| lost())?;
        let bytes = self.buffer.get(from..from + len).ok_or_else(lost)?;
        Ok(JoseRow {
            offset: at,
            bytes,
            slots: &self.slots,
        })
    }
}

impl JoseRowCursor for JoseTemporaryCursor {
    fn read(&mut self, places: [u64; 2], each: &mut dyn FnMut(&JoseGameRow<'_>)) -> Result<()> {
        let rows = &self.rows;
        let mut game = JoseGameRow::default();
        for (place, half) in places.into_iter().zip([&mut self.first, &mut self.second]) {
            if place == NOWHERE {
                continue;
            }
            let table = usize::try_from(place >> 56)
                .ok()
                .and_then(|at| rows.places.get(at));
            let Some(table) = table else {
                return Err(Error::new(
                    &error_codes::DAMAGED,
                    "the temporary rows are damaged",
                ));
            };
            game.fill(table, half.row(&rows.file, place & ((1 << 56) - 1))?);
        }
        each(&game);
        Ok(())
    }
}
