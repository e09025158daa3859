//! From rows to facts.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use tabiya_model::facts::{FactFields, FactSource, GameFacts, NameTable};

use super::{
    CHUNK, COLUMNS, FIELDS, IndexRow, NAMES, TABLES, UNSAID, chunk_place, fact_of, name_in,
    table_place,
};
use crate::index::coding::{IndexByteReader, IndexDamage, check, short_check, window};

/// The bytes of an index, in any kind of storage.
pub(in crate::index) type IndexBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The content of the rows of an index: facts about all of its games. The names are checked when it is made, chunks of rows
/// when the first row of each is needed.
pub struct IndexFacts {
    bytes: IndexBytes,
    layers: Vec<RowLayer>,
    games: u64,
    /// Games whose rows no longer count, in ascending order.
    changed: Vec<u64>,
    damaged: AtomicBool,
}

/// The rows of a layer.
struct RowLayer {
    number: u64,
    first: u64,
    games: u64,
    names: [RowNameTable; TABLES],
    chunks: Vec<RowChunk>,
    /// The end of the rows.
    end: usize,
}

/// The names of a table.
struct RowNameTable {
    /// The number of the first name within the whole index.
    first: u32,
    /// The number of names.
    count: u32,
    /// The start of the table of their ends, which their texts follow.
    start: usize,
    end: usize,
}

struct RowChunk {
    /// The start of its bytes.
    start: usize,
    length: usize,
    least: IndexRow,
    /// The number of bits of each column, and of the columns before it in a row.
    columns: [(u32, u32); COLUMNS],
    /// The columns that vary within the chunk, one bit each.
    varied: u32,
    /// The bits of a row.
    bits: usize,
    state: AtomicU8,
}

/// What is known about the bytes of a chunk.
const SOUND: u8 = 1;
const BROKEN: u8 = 2;

impl IndexFacts {
    /// The rows of layers: for each the number of its first game, its number of games, and the place of its rows in the
    /// bytes. Rows of changed games, given in ascending order, are ignored.
    pub(in crate::index) fn read(
        bytes: IndexBytes,
        layers: impl Iterator<Item = (u64, u64, Range<usize>)>,
        changed: Vec<u64>,
    ) -> Result<IndexFacts, IndexDamage> {
        let mut facts = IndexFacts {
            bytes,
            layers: Vec::new(),
            games: 0,
            changed,
            damaged: AtomicBool::new(false),
        };
        let mut before = [0; TABLES];
        for (number, (first, games, span)) in (0..).zip(layers) {
            let all = (*facts.bytes).as_ref();
            let layer = RowLayer::read(all, span, number, first, &mut before)?;
            if layer.games != games || first != facts.games + 1 {
                return Err(IndexDamage);
            }
            facts.games += games;
            facts.layers.push(layer);
        }
        Ok(facts)
    }

    /// All bytes of the index.
    #[inline]
    fn all(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }
}

impl RowLayer {
    /// `before` counts the names of the previous layers.
    fn read(
        all: &[u8],
        span: Range<usize>,
        number: u64,
        first: u64,
        before: &mut [u32; TABLES],
    ) -> Result<RowLayer, IndexDamage> {
        let mut rest = IndexByteReader(all.get(span.clone()).ok_or(IndexDamage)?);
        let at = |rest: &IndexByteReader<'_>| span.end - rest.0.len();
        let right = rest.u64()?;
        let checked = rest.0;
        let length = usize::try_from(rest.u64()?).map_err(|_| IndexDamage)?;
        let mut head = IndexByteReader(rest.take(length)?);
        if check(number, checked.get(..8 + length).ok_or(IndexDamage)?) != right {
            return Err(IndexDamage);
        }
        let games = head.number()?;
        let mut sizes = [(0, 0); TABLES];
        for size in &mut sizes {
            *size = (head.size()?, head.size()?);
        }
        let mut names = Vec::with_capacity(TABLES);
        for (table, (count, length)) in sizes.into_iter().enumerate() {
            let right = rest.u64()?;
            let ends = count.checked_mul(4).ok_or(IndexDamage)?;
            let start = at(&rest);
            let table_bytes = rest.take(ends.checked_add(length).ok_or(IndexDamage)?)?;
            if check(table_place(number, table as u64 + 1), table_bytes) != right {
                return Err(IndexDamage);
            }
            let (_, text) = table_bytes.split_at_checked(ends).ok_or(IndexDamage)?;
            std::str::from_utf8(text).map_err(|_| IndexDamage)?;
            let count = u32::try_from(count).map_err(|_| IndexDamage)?;
            names.push(RowNameTable {
                first: before[table],
                count,
                start,
                end: at(&rest),
            });
            before[table] = before[table].checked_add(count).ok_or(IndexDamage)?;
        }
        let mut chunks = Vec::new();
        let mut left = games;
        while left > 0 {
            let rows = left.min(CHUNK as u64);
            let start = at(&rest);
            chunks.push(RowChunk::read(&mut head, &mut rest, rows as usize, start)?);
            left -= rows;
        }
        if !head.0.is_empty() || !rest.0.is_empty() {
            return Err(IndexDamage);
        }
        Ok(RowLayer {
            number,
            first,
            games,
            names: names.try_into().map_err(|_| IndexDamage)?,
            chunks,
            end: span.end,
        })
    }

    #[inline]
    fn row(&self, all: &[u8], index: u64, wanted: u32) -> Option<IndexRow> {
        let (chunk, at) = (index / CHUNK as u64, index % CHUNK as u64);
        let chunk = self.chunks.get(usize::try_from(chunk).ok()?)?;
        chunk.row(
            all.get(chunk.start..self.end)?,
            chunk_place(self.number, index / CHUNK as u64 + 1),
            at as usize,
            wanted,
        )
    }
}

impl RowChunk {
    fn read(
        head: &mut IndexByteReader<'_>,
        rest: &mut IndexByteReader<'_>,
        rows: usize,
        start: usize,
    ) -> Result<Self, IndexDamage> {
        let mut least = [0; COLUMNS];
        let mut columns = [(0, 0); COLUMNS];
        let (mut varied, mut bits) = (0, 0);
        for (column, (least, place)) in least.iter_mut().zip(&mut columns).enumerate() {
            *least = u32::try_from(head.number()?).map_err(|_| IndexDamage)?;
            let width = u32::from(head.u8()?);
            if width > 32 {
                return Err(IndexDamage);
            }
            *place = (width, bits);
            varied |= u32::from(width > 0) << column;
            bits += width;
        }
        let bits = bits as usize;
        let length = 4 + (bits * rows).div_ceil(8);
        rest.take(length)?;
        Ok(RowChunk {
            start,
            length,
            least,
            columns,
            varied,
            bits,
            state: AtomicU8::new(0),
        })
    }

    /// Verifies the checksum, once.
    fn is_sound(&self, bytes: &[u8], place: u64) -> bool {
        match self.state.load(Ordering::Relaxed) {
            0 => {
                let (right, bytes) = bytes
                    .get(..self.length)
                    .and_then(|bytes| bytes.split_first_chunk::<4>())
                    .unwrap_or((&[0; 4], &[]));
                let sound = short_check(place, bytes) == u32::from_le_bytes(*right);
                let state = if sound { SOUND } else { BROKEN };
                self.state.store(state, Ordering::Relaxed);
                sound
            }
            state => state == SOUND,
        }
    }

    /// A row; `bytes` are those of the chunk and everything after it.
    #[inline]
    fn row(&self, bytes: &[u8], place: u64, at: usize, wanted: u32) -> Option<IndexRow> {
        if !self.is_sound(bytes, place) {
            return None;
        }
        let mut row = self.least;
        let start = 32 + (self.bits * at) as u64;
        let mut left = wanted & self.varied;
        while left != 0 {
            let column = left.trailing_zeros() as usize;
            left &= left - 1;
            let (Some(number), Some((width, before))) =
                (row.get_mut(column), self.columns.get(column))
            else {
                break;
            };
            let above = window(bytes, start + u64::from(*before)) & ((1 << width) - 1);
            *number = number.wrapping_add(above as u32);
        }
        Some(row)
    }
}

/// The columns that each field needs, one bit each, by the bits of [`FactFields`].
static COLUMNS_OF: [u32; 16] = {
    let mut of = [1 << UNSAID; 16];
    let mut bit = 0;
    while bit < of.len() {
        let field = FactFields::from_bits(1 << bit);
        let mut column = 0;
        while column < COLUMNS {
            if FIELDS[column].meets(field) {
                of[bit] |= 1 << column;
            }
            column += 1;
        }
        bit += 1;
    }
    of
};

/// The columns that fields need, one bit each.
#[inline]
fn columns_of(wanted: FactFields) -> u32 {
    let mut left = wanted.bits();
    let mut columns = 1 << UNSAID;
    while left != 0 {
        columns |= COLUMNS_OF[left.trailing_zeros() as usize & 15];
        left &= left - 1;
    }
    columns
}

impl IndexFacts {
    /// Whether a part that was read was damaged.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    #[inline]
    fn layer(&self, number: u64) -> Option<&RowLayer> {
        self.layers
            .iter()
            .rev()
            .find(|layer| layer.first <= number)
            .filter(|layer| number - layer.first < layer.games)
    }
}

/// A row that leaves everything unsaid: the game is read.
fn silent() -> GameFacts {
    let mut row = [0; COLUMNS];
    row[UNSAID] = u32::from(FactFields::ALL.bits());
    fact_of(&row)
}

impl FactSource for IndexFacts {
    fn len(&self) -> u64 {
        self.games
    }

    #[inline]
    fn fact(&self, number: u64, wanted: FactFields) -> Option<GameFacts> {
        let layer = self.layer(number)?;
        if !self.changed.is_empty() && self.changed.binary_search(&number).is_ok() {
            return Some(silent());
        }
        let Some(mut row) = layer.row(self.all(), number - layer.first, columns_of(wanted)) else {
            // A damaged chunk has no facts about its games.
            self.damaged.store(true, Ordering::Relaxed);
            return Some(silent());
        };
        for (number, table) in row.iter_mut().zip(NAMES) {
            *number = number.wrapping_add(layer.names[table as usize].first);
        }
        Some(fact_of(&row))
    }

    fn has_more_tags(&self, _: u64, _: FactFields) -> bool {
        // Tag values without a field here are left unsaid.
        false
    }

    fn names(&self, table: NameTable) -> u32 {
        self.layers.last().map_or(0, |layer| {
            let listed = &layer.names[table as usize];
            listed.first + listed.count
        })
    }

    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str> {
        let listed = self
            .layers
            .iter()
            .rev()
            .map(|layer| &layer.names[table as usize])
            .find(|listed| listed.first <= number);
        let name = listed.and_then(|listed| listed.get(self.all(), number - listed.first));
        Cow::Borrowed(name.unwrap_or(""))
    }
}

impl RowNameTable {
    fn get<'i>(&self, all: &'i [u8], number: u32) -> Option<&'i str> {
        let table = all.get(self.start..self.end)?;
        let (ends, text) = table.split_at_checked(self.count as usize * 4)?;
        let name = name_in(text, number, |at| {
            ends.get(at * 4..)?
                .first_chunk()
                .map(|end| u32::from_le_bytes(*end))
        });
        // Together they were found to be UTF-8, but an end may still be within a character.
        std::str::from_utf8(name).ok()
    }
}
