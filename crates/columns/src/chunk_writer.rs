//! Encoding the values of one column of a row group: a dictionary if it pays, pages, and their description for the
//! footer.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};
use zstd::bulk::Compressor;

use crate::cells::{ColumnData, ColumnValues};
use crate::deltas::put_deltas;
use crate::error::{Error, Result};
use crate::hybrid_runs::put_hybrid;
use crate::pages::MAX_PAGE;
use crate::schema::{ColumnEncoding, ColumnSchema, ColumnType};
use crate::statistics::ChunkStatistics;
use crate::thrift_writer::ThriftWriter;

/// A page with this number of value bytes ends with its stretch of rows, and one with many more ends at once: longer pages
/// compress better, but are slower to read single rows from.
const PAGE_BYTES: usize = 1 << 20;
const MANY_PAGE_BYTES: usize = 4 << 20;
const STRETCH: usize = 1 << 10;
/// Values after a dictionary has reached this size are written without it.
const DICTIONARY_BYTES: usize = 8 << 20;

/// The encodings of values, by Parquet's numbers.
pub(crate) mod encodings {
    pub(crate) const PLAIN: i32 = 0;
    pub(crate) const RUNS: i32 = 3;
    pub(crate) const DELTAS: i32 = 5;
    pub(crate) const DELTA_LENGTHS: i32 = 6;
    pub(crate) const DICTIONARY: i32 = 8;
}

/// The kinds of pages, by Parquet's numbers.
pub(crate) mod page_kinds {
    pub(crate) const DATA: i32 = 0;
    pub(crate) const DICTIONARY: i32 = 2;
}

/// The values of a column in a row group, as stored in a file.
#[derive(Debug)]
pub(crate) struct PackedChunk {
    pub(crate) field: ColumnSchema,
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: usize,
    /// The number of bytes before compression, including the page headers.
    pub(crate) unpacked: usize,
    /// The offset of the first page of rows.
    pub(crate) data_at: usize,
    pub(crate) pages: Vec<PageCount>,
    pub(crate) statistics: Option<ChunkStatistics>,
}

/// Pages of one kind and encoding that follow each other.
#[derive(Debug)]
pub(crate) struct PageCount {
    pub(crate) kind: i32,
    pub(crate) encoding: i32,
    pub(crate) count: i32,
}

/// The different values of a column, and the index of each row's value.
#[derive(Default)]
struct ColumnDictionary {
    /// The values, one after another.
    bytes: Vec<u8>,
    count: u32,
    /// The indices of as many values as had room.
    numbers: Vec<u32>,
}

/// Packs one column.
pub(crate) struct ChunkEncoder<'a> {
    column: &'a ColumnData,
    page_rows: usize,
    zstd: &'a mut Compressor<'static>,
    chunk: PackedChunk,
    /// The page under construction.
    page: Vec<u8>,
}

/// The number of texts that are checked for repetitions.
const SAMPLE: usize = 8192;

/// Whether a dictionary is worth its space: if most values occur only once, like addresses of games, the indices only add to
/// them.
fn repeats(values: &ColumnValues) -> bool {
    let ColumnValues::Bytes { bytes, ends } = values else {
        return true;
    };
    let ends = ends.get(..SAMPLE.min(ends.len())).unwrap_or_default();
    let starts = std::iter::once(&0).chain(ends);
    let texts = starts.zip(ends).map(|(from, to)| bytes.get(*from..*to));
    let different: HashSet<_> = texts.collect();
    different.len() * 2 <= ends.len()
}

impl ColumnDictionary {
    /// Gives each value an index, as long as there is room for the different ones.
    fn of<T: Copy + PartialEq + std::hash::Hash>(
        values: impl Iterator<Item = T>,
        put: impl Fn(T, &mut Vec<u8>),
    ) -> ColumnDictionary {
        let hasher = DefaultHashBuilder::default();
        let mut table: HashTable<u32> = HashTable::new();
        let mut different: Vec<T> = Vec::new();
        let mut dictionary = ColumnDictionary::default();
        let mut last = None;
        for value in values {
            // Neighbouring values are often the same.
            if let Some((before, number)) = last
                && before == value
            {
                dictionary.numbers.push(number);
                continue;
            }
            let hash = hasher.hash_one(value);
            let is_value = |number: &u32| different.get(*number as usize) == Some(&value);
            let number = match table.find(hash, is_value) {
                Some(number) => *number,
                None => {
                    if dictionary.bytes.len() >= DICTIONARY_BYTES {
                        break;
                    }
                    let number = dictionary.count;
                    let rehash = |number: &u32| {
                        let value = different.get(*number as usize);
                        value.map_or(0, |value| hasher.hash_one(value))
                    };
                    table.insert_unique(hash, number, rehash);
                    different.push(value);
                    dictionary.count += 1;
                    put(value, &mut dictionary.bytes);
                    number
                }
            };
            dictionary.numbers.push(number);
            last = Some((value, number));
        }
        dictionary
    }
}

impl<'a> ChunkEncoder<'a> {
    /// Packs a column in pages of at most `page_rows` rows.
    pub(crate) fn pack(
        column: &'a ColumnData,
        page_rows: usize,
        zstd: &'a mut Compressor<'static>,
    ) -> Result<PackedChunk> {
        let mut encoder = ChunkEncoder {
            column,
            page_rows: page_rows.max(1),
            zstd,
            chunk: PackedChunk {
                field: column.field,
                bytes: Vec::new(),
                rows: column.levels.len(),
                unpacked: 0,
                data_at: 0,
                pages: Vec::new(),
                statistics: None,
            },
            page: Vec::new(),
        };
        encoder.check()?;
        encoder.chunk.statistics = ChunkStatistics::of(column);
        let wants_dictionary = column.field.packing == ColumnEncoding::Dictionary;
        let dictionary = match wants_dictionary && repeats(&column.values) {
            true => encoder.dictionary()?,
            false => ColumnDictionary::default(),
        };
        encoder.chunk.data_at = encoder.chunk.bytes.len();
        encoder.pages(&dictionary.numbers)?;
        Ok(encoder.chunk)
    }

    fn is_narrow(&self) -> bool {
        matches!(self.column.field.kind, ColumnType::Int | ColumnType::Day)
    }

    /// Whether the column can hold the values.
    fn check(&self) -> Result<()> {
        let field = &self.column.field;
        let fits = match (&self.column.values, field.kind) {
            (ColumnValues::Ints(values), ColumnType::Int | ColumnType::Day) => {
                let large = values.iter().find(|value| i32::try_from(**value).is_err());
                if let Some(value) = large {
                    return Err(Error::Column {
                        name: field.name.to_owned(),
                        why: format!("holds smaller numbers than {value}"),
                    });
                }
                true
            }
            (ColumnValues::Ints(_), ColumnType::Long)
            | (ColumnValues::Reals(_), ColumnType::Real)
            | (ColumnValues::Bytes { .. }, ColumnType::Text | ColumnType::Bytes) => true,
            _ => false,
        };
        let there = self.column.levels.iter().filter(|level| **level != 0);
        if !fits || there.count() != self.column.count() {
            return Err(Error::Write("a column holds values of another type".into()));
        }
        Ok(())
    }

    /// Writes the dictionary page.
    fn dictionary(&mut self) -> Result<ColumnDictionary> {
        let column = self.column;
        let is_narrow = self.is_narrow();
        let dictionary = match &column.values {
            ColumnValues::Ints(values) => {
                ColumnDictionary::of(values.iter().copied(), |value, out| {
                    put_int(out, is_narrow, value);
                })
            }
            // By their bits: negative zero is a different value.
            ColumnValues::Reals(values) => {
                ColumnDictionary::of(values.iter().map(|value| value.to_bits()), |bits, out| {
                    out.extend(bits.to_le_bytes());
                })
            }
            ColumnValues::Bytes { ends, .. } => ColumnDictionary::of(
                (0..ends.len()).map(|number| column.text(number)),
                |text, out| put_text(out, text),
            ),
        };
        if dictionary.count > 0 {
            self.page.extend_from_slice(&dictionary.bytes);
            let count = dictionary.count as usize;
            self.put_page(page_kinds::DICTIONARY, encodings::PLAIN, count)?;
        }
        Ok(dictionary)
    }

    /// Writes the pages of all rows. `numbers` are the dictionary indices of the first values.
    fn pages(&mut self, numbers: &[u32]) -> Result<()> {
        let (mut row, mut value) = (0, 0);
        while row < self.chunk.rows {
            let (first_row, first_value) = (row, value);
            let mut bytes = 0;
            let is_numbered = first_value < numbers.len();
            let is_full = |rows: usize, bytes: usize| {
                let limit = match rows.is_multiple_of(STRETCH) {
                    true => PAGE_BYTES,
                    false => MANY_PAGE_BYTES,
                };
                rows >= self.page_rows || bytes >= limit
            };
            while row < self.chunk.rows && !is_full(row - first_row, bytes) {
                if self.column.levels.get(row).is_some_and(|level| *level != 0) {
                    if (value < numbers.len()) != is_numbered {
                        break;
                    }
                    bytes += if is_numbered { 4 } else { self.size(value) };
                    value += 1;
                }
                row += 1;
            }
            if !self.column.field.required {
                let at = self.page.len();
                self.page.extend([0; 4]);
                let levels = self.column.levels.get(first_row..row).unwrap_or_default();
                put_hybrid(&mut self.page, 1, levels);
                let length = (self.page.len() - at - 4) as u32;
                if let Some(room) = self.page.get_mut(at..at + 4) {
                    room.copy_from_slice(&length.to_le_bytes());
                }
            }
            let values = first_value..value;
            let encoding = match numbers.get(values.clone()) {
                Some(numbers) if !numbers.is_empty() => {
                    let largest = numbers.iter().max().copied().unwrap_or_default();
                    let width = u32::BITS - largest.leading_zeros();
                    self.page.push(width as u8);
                    put_hybrid(&mut self.page, width, numbers);
                    encodings::DICTIONARY
                }
                _ => self.put_values(values),
            };
            self.put_page(page_kinds::DATA, encoding, row - first_row)?;
        }
        Ok(())
    }

    /// The approximate size of a value without a dictionary, in bytes.
    fn size(&self, number: usize) -> usize {
        match &self.column.values {
            ColumnValues::Ints(_) if self.is_narrow() => 4,
            ColumnValues::Ints(_) | ColumnValues::Reals(_) => 8,
            ColumnValues::Bytes { .. } => {
                let by_deltas = self.column.field.packing == ColumnEncoding::Delta;
                self.column.text(number).len() + if by_deltas { 1 } else { 4 }
            }
        }
    }

    /// Adds values without a dictionary to the page; returns their encoding.
    fn put_values(&mut self, numbers: Range<usize>) -> i32 {
        let is_narrow = self.is_narrow();
        let by_deltas = self.column.field.packing == ColumnEncoding::Delta;
        let out = &mut self.page;
        match &self.column.values {
            ColumnValues::Ints(values) => {
                let values = values.get(numbers).unwrap_or_default();
                if by_deltas {
                    put_deltas(out, is_narrow, values.len(), values.iter().copied());
                    return encodings::DELTAS;
                }
                for value in values {
                    put_int(out, is_narrow, *value);
                }
            }
            ColumnValues::Reals(values) => {
                for value in values.get(numbers).unwrap_or_default() {
                    out.extend(value.to_le_bytes());
                }
            }
            ColumnValues::Bytes { bytes, ends } => {
                if by_deltas {
                    let lengths = numbers.clone().map(|number| self.column.text(number).len());
                    let lengths = lengths.map(|length| length as i64);
                    put_deltas(out, true, numbers.len(), lengths);
                    let place = |number: usize| ends.get(number).copied();
                    let start = numbers.start.checked_sub(1).and_then(place);
                    let end = numbers.end.checked_sub(1).and_then(place);
                    let texts = bytes.get(start.unwrap_or(0)..end.unwrap_or(0));
                    out.extend_from_slice(texts.unwrap_or_default());
                    return encodings::DELTA_LENGTHS;
                }
                for number in numbers {
                    put_text(out, self.column.text(number));
                }
            }
        }
        encodings::PLAIN
    }

    /// Writes the content of `page` with its header.
    fn put_page(&mut self, kind: i32, encoding: i32, values: usize) -> Result<()> {
        let length = self.page.len();
        if length > MAX_PAGE {
            return Err(Error::Column {
                name: self.column.field.name.to_owned(),
                why: format!("has a value too long for a page: {length} bytes"),
            });
        }
        let packed = self.zstd.compress(&self.page)?;
        let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
        let mut head = ThriftWriter::default();
        head.int(1, kind);
        head.int(2, number(length));
        head.int(3, number(packed.len()));
        let is_dictionary = kind == page_kinds::DICTIONARY;
        head.structure(if is_dictionary { 7 } else { 5 }, |head| {
            head.int(1, number(values));
            head.int(2, encoding);
            if !is_dictionary {
                head.int(3, encodings::RUNS);
                head.int(4, encodings::RUNS);
            }
        });
        let head = head.finish();
        self.chunk.unpacked += head.len() + length;
        self.chunk.bytes.extend(head);
        self.chunk.bytes.extend(packed);
        self.page.clear();
        match self.chunk.pages.last_mut() {
            Some(last) if (last.kind, last.encoding) == (kind, encoding) => last.count += 1,
            _ => self.chunk.pages.push(PageCount {
                kind,
                encoding,
                count: 1,
            }),
        }
        Ok(())
    }
}

fn put_int(out: &mut Vec<u8>, is_narrow: bool, value: i64) {
    match is_narrow {
        true => out.extend((value as i32).to_le_bytes()),
        false => out.extend(value.to_le_bytes()),
    }
}

fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend_from_slice(text);
}
