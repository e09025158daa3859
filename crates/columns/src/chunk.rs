//! The values of one column in one row group, one after another.

use crate::cells::CellValue;
use crate::deltas::DeltaReader;
use crate::error::{Error, Result};
use crate::footer::PhysicalType;
use crate::hybrid_runs::HybridReader;
use crate::pages::{PageHeader, PageKind};
use crate::unpack::unpack;

/// How the values of a page are stored.
#[derive(Clone, Debug)]
enum PageDecoder {
    /// No page is open.
    None,
    /// Plain, from an offset on.
    Plain(usize),
    /// As indices into the dictionary.
    Dictionary(HybridReader),
    /// Differences.
    Deltas(DeltaReader),
    /// Lengths as differences, and the texts from an offset on.
    Lengths(DeltaReader, usize),
    /// The length of the prefix that each text shares with the previous one, the length of the rest, and the rests from an
    /// offset on.
    Shared(DeltaReader, DeltaReader, usize),
    /// The first bytes of all values, then the second ones and so on, from an offset on; then the index of the value and
    /// their number.
    Split(usize, usize, usize),
}

/// The remaining values of one column of a row group.
#[derive(Debug)]
pub(crate) struct ColumnCursor {
    physical: PhysicalType,
    optional: bool,
    codec: i64,
    /// The offset of the chunk in the file.
    start: u64,
    /// The offset of the next page within the chunk.
    at: usize,
    /// The number of rows of the chunk after this page.
    rows: u64,
    page: Vec<u8>,
    /// Rows left on this page.
    left: u64,
    levels: HybridReader,
    decoder: PageDecoder,
    dictionary: Vec<u8>,
    /// The start and the end of each value of the dictionary.
    entries: Vec<(u32, u32)>,
    /// The last text that was put together from prefix and rest.
    joined: Vec<u8>,
    /// The index of the last value in a dictionary, and the number of dictionaries so far.
    entry: Option<u32>,
    dictionaries: u32,
}

/// The place of a value in a dictionary of its column: equal places hold equal values.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct DictionaryEntry {
    /// The number of the dictionary in the column.
    pub dictionary: u32,
    /// The number of the value in it, from 0.
    pub number: u32,
}

/// The location of a row's value.
enum ValueLocation {
    Null,
    Int(i64),
    Real(f64),
    Page(usize, usize),
    Entry(usize, usize),
    Joined,
}

impl ColumnCursor {
    pub(crate) fn new(
        physical: PhysicalType,
        optional: bool,
        codec: i64,
        start: u64,
        rows: u64,
    ) -> ColumnCursor {
        ColumnCursor {
            physical,
            optional,
            codec,
            start,
            at: 0,
            rows,
            page: Vec::new(),
            left: 0,
            levels: HybridReader::default(),
            decoder: PageDecoder::None,
            dictionary: Vec::new(),
            entries: Vec::new(),
            joined: Vec::new(),
            entry: None,
            dictionaries: 0,
        }
    }

    /// The number of bytes of memory in use.
    pub(crate) fn weight(&self) -> usize {
        self.page.len() + self.dictionary.len() + self.entries.len() * 8
    }

    /// Whether the next row begins a page.
    #[inline]
    pub(crate) fn is_between_pages(&self) -> bool {
        self.left == 0
    }

    /// Whether the open page has at least this number of rows left.
    #[inline]
    pub(crate) fn has_left(&self, rows: u64) -> bool {
        self.left >= rows
    }

    fn width(&self) -> usize {
        match self.physical {
            PhysicalType::Int32 | PhysicalType::Float => 4,
            _ => 8,
        }
    }

    /// The value of the next row. `room` is the memory that a page may use.
    #[inline]
    pub(crate) fn next(&mut self, chunk: &[u8], room: usize) -> Result<CellValue<'_>> {
        let found = self.find(chunk, room)?;
        Ok(self.cell(found))
    }

    /// The same, with its index in the dictionary of the column, if it has one.
    #[inline]
    pub(crate) fn next_entry(
        &mut self,
        chunk: &[u8],
        room: usize,
    ) -> Result<(CellValue<'_>, Option<DictionaryEntry>)> {
        let found = self.find(chunk, room)?;
        let entry = self.entry.map(|number| DictionaryEntry {
            dictionary: self.dictionaries,
            number,
        });
        Ok((self.cell(found), entry))
    }

    #[inline]
    fn cell(&self, found: ValueLocation) -> CellValue<'_> {
        match found {
            ValueLocation::Null => CellValue::Null,
            ValueLocation::Int(value) => CellValue::Int(value),
            ValueLocation::Real(value) => CellValue::Real(value),
            ValueLocation::Page(from, to) => {
                CellValue::Bytes(self.page.get(from..to).unwrap_or_default())
            }
            ValueLocation::Entry(from, to) => {
                CellValue::Bytes(self.dictionary.get(from..to).unwrap_or_default())
            }
            ValueLocation::Joined => CellValue::Bytes(&self.joined),
        }
    }

    /// Skips up to this number of rows without a value; returns 0 if the next row has one.
    pub(crate) fn pass_nulls(&mut self, chunk: &[u8], most: u64, room: usize) -> Result<u64> {
        let mut passed = 0;
        while self.optional && passed < most {
            if self.left == 0 {
                self.open(chunk, room)?;
            }
            let nulls = self
                .levels
                .pass_zeros(&self.page, self.left.min(most - passed))
                .map_err(|error| error.shifted(self.start))?;
            if nulls == 0 {
                break;
            }
            self.left -= nulls;
            passed += nulls;
        }
        Ok(passed)
    }

    /// Skips rows, and whole pages without decompressing them.
    pub(crate) fn skip(&mut self, chunk: &[u8], mut rows: u64, room: usize) -> Result<()> {
        while rows > 0 {
            if self.left == 0 {
                let head = self.head(chunk)?;
                if !matches!(head.shape, PageKind::Dictionary) && head.values <= rows {
                    self.pass(&head)?;
                    rows -= head.values;
                    continue;
                }
                self.open(chunk, room)?;
            }
            let here = rows.min(self.left);
            self.left -= here;
            let values = match self.optional {
                true => self.levels.skip_and_count(&self.page, here),
                false => Ok(here),
            };
            values
                .and_then(|values| self.skip_values(values))
                .map_err(|error| error.shifted(self.start))?;
            rows -= here;
        }
        Ok(())
    }

    fn head(&self, chunk: &[u8]) -> Result<PageHeader> {
        if self.rows == 0 {
            return Err(Error::damaged("a column has no more rows", self.start));
        }
        PageHeader::read(chunk, self.at).map_err(|error| error.shifted(self.start))
    }

    /// Continues after a page, whose rows are skipped.
    fn pass(&mut self, head: &PageHeader) -> Result<()> {
        if !matches!(head.shape, PageKind::Other) {
            self.rows = self.rows.checked_sub(head.values).ok_or_else(|| {
                Error::damaged(
                    "a page has more rows than its group",
                    self.start.saturating_add(self.at as u64),
                )
            })?;
        }
        self.at = head.end;
        Ok(())
    }

    /// Opens the next page that has rows.
    fn open(&mut self, chunk: &[u8], room: usize) -> Result<()> {
        while self.left == 0 {
            let place = self.start.saturating_add(self.at as u64);
            let head = self.head(chunk)?;
            if head.shape == PageKind::Other {
                self.pass(&head)?;
                continue;
            }
            let others = self.weight() - self.page.len();
            if head.unpacked.saturating_add(others) > room {
                return Err(Error::damaged(
                    "the pages of a row group exceed the memory limit",
                    place,
                ));
            }
            let content = chunk.get(head.start..head.end).unwrap_or_default();
            if head.shape == PageKind::Dictionary {
                self.at = head.end;
                self.read_dictionary(&head, content)
            } else {
                self.pass(&head)?;
                self.read_page(&head, content)
            }
            .map_err(|error| error.shifted(place))?;
        }
        Ok(())
    }

    fn read_dictionary(&mut self, head: &PageHeader, content: &[u8]) -> Result<()> {
        self.dictionary.clear();
        self.entries.clear();
        self.dictionaries = self.dictionaries.wrapping_add(1);
        unpack(self.codec, content, head.unpacked, &mut self.dictionary)?;
        let mut at = 0;
        for _ in 0..head.values {
            let (from, to) = match self.physical {
                PhysicalType::Bytes => sized(&self.dictionary, at),
                _ => at.checked_add(self.width()).map(|to| (at, to)),
            }
            .filter(|(_, to)| *to <= self.dictionary.len())
            .ok_or_else(|| Error::damaged("a dictionary ends before its values", 0))?;
            self.entries.push((from as u32, to as u32));
            at = to;
        }
        Ok(())
    }

    fn read_page(&mut self, head: &PageHeader, content: &[u8]) -> Result<()> {
        self.page.clear();
        let mut at = 0;
        match head.shape {
            PageKind::Second { levels, is_packed } => {
                self.page
                    .extend_from_slice(content.get(..levels).unwrap_or_default());
                let values = content.get(levels..).unwrap_or_default();
                let codec = if is_packed { self.codec } else { 0 };
                let length = head.unpacked - levels;
                if length > 0 {
                    unpack(codec, values, length, &mut self.page)?;
                }
                self.levels = HybridReader::new(1, 0);
                at = levels;
            }
            _ => {
                unpack(self.codec, content, head.unpacked, &mut self.page)?;
                if self.optional {
                    let length = self.page.get(..4).unwrap_or_default();
                    let length = u32::from_le_bytes(length.try_into().unwrap_or_default());
                    at = 4 + length as usize;
                    self.levels = HybridReader::new(1, 4);
                }
            }
        }
        if at > self.page.len() {
            return Err(Error::damaged("the levels of a page extend past it", 0));
        }
        self.left = head.values;
        self.decoder = self.decoder(head, at)?;
        Ok(())
    }

    /// The decoder for the values of a page, which begin at an offset in it.
    fn decoder(&self, head: &PageHeader, at: usize) -> Result<PageDecoder> {
        let page = &self.page;
        let is_text = self.physical == PhysicalType::Bytes;
        let is_int = matches!(self.physical, PhysicalType::Int32 | PhysicalType::Int64);
        // A page of rows without values may have no bytes at all.
        if at == page.len() {
            return Ok(PageDecoder::Plain(at));
        }
        Ok(match head.encoding {
            0 => PageDecoder::Plain(at),
            2 | 8 => {
                let width = page.get(at).copied().unwrap_or(0);
                if width > 32 {
                    return Err(Error::damaged("numbers of values have too many bits", 0));
                }
                PageDecoder::Dictionary(HybridReader::new(u32::from(width), at + 1))
            }
            5 if is_int => PageDecoder::Deltas(DeltaReader::open(page, at, head.values)?),
            6 if is_text => {
                let lengths = DeltaReader::open(page, at, head.values)?;
                let texts = end_of(lengths.clone(), page)?;
                PageDecoder::Lengths(lengths, texts)
            }
            7 if is_text => {
                let prefixes = DeltaReader::open(page, at, head.values)?;
                let lengths =
                    DeltaReader::open(page, end_of(prefixes.clone(), page)?, head.values)?;
                let texts = end_of(lengths.clone(), page)?;
                PageDecoder::Shared(prefixes, lengths, texts)
            }
            9 if !is_text => PageDecoder::Split(at, 0, (page.len() - at) / self.width()),
            other => {
                return Err(Error::Unsupported(format!(
                    "the encoding of values (number {other}) is not supported"
                )));
            }
        })
    }

    /// Skips values of the open page.
    fn skip_values(&mut self, values: u64) -> Result<()> {
        let early = || Error::damaged("a page ends before its values", 0);
        let count = usize::try_from(values).unwrap_or(usize::MAX);
        let width = self.width();
        match &mut self.decoder {
            PageDecoder::Plain(at) if self.physical != PhysicalType::Bytes => {
                let to = count
                    .checked_mul(width)
                    .and_then(|bytes| at.checked_add(bytes));
                *at = to.filter(|to| *to <= self.page.len()).ok_or_else(early)?;
            }
            PageDecoder::Dictionary(numbers) => numbers.skip(&self.page, values)?,
            PageDecoder::Split(_, number, all) => {
                *number = number
                    .checked_add(count)
                    .filter(|to| *to <= *all)
                    .ok_or_else(early)?;
            }
            // The offset of each value depends on the previous ones.
            _ => (0..count).try_for_each(|_| self.value().map(|_| ()))?,
        }
        Ok(())
    }

    #[inline]
    fn find(&mut self, chunk: &[u8], room: usize) -> Result<ValueLocation> {
        if self.left == 0 {
            self.open(chunk, room)?;
        }
        self.left -= 1;
        self.entry = None;
        if self.optional
            && self
                .levels
                .next(&self.page)
                .map_err(|error| error.shifted(self.start))?
                == 0
        {
            return Ok(ValueLocation::Null);
        }
        self.value().map_err(|error| error.shifted(self.start))
    }

    #[inline]
    fn value(&mut self) -> Result<ValueLocation> {
        let early = || Error::damaged("a page ends before its values", 0);
        let width = self.width();
        let page = &self.page;
        let text = |at: usize, length: i64| {
            let to = usize::try_from(length)
                .ok()
                .and_then(|length| at.checked_add(length));
            to.filter(|to| *to <= page.len()).ok_or_else(early)
        };
        match &mut self.decoder {
            PageDecoder::None => Err(early()),
            PageDecoder::Plain(at) => {
                let (from, to) = match self.physical {
                    PhysicalType::Bytes => sized(page, *at),
                    _ => at.checked_add(width).map(|to| (*at, to)),
                }
                .filter(|(_, to)| *to <= page.len())
                .ok_or_else(early)?;
                *at = to;
                Ok(typed(self.physical, page.get(from..to).unwrap_or_default())
                    .unwrap_or(ValueLocation::Page(from, to)))
            }
            PageDecoder::Dictionary(numbers) => {
                let number = numbers.next(page)?;
                self.entry = u32::try_from(number).ok();
                let number = usize::try_from(number).unwrap_or(usize::MAX);
                let (from, to) = self.entries.get(number).copied().ok_or_else(|| {
                    Error::damaged("a value is not in the dictionary of its column", 0)
                })?;
                let (from, to) = (from as usize, to as usize);
                let bytes = self.dictionary.get(from..to).unwrap_or_default();
                Ok(typed(self.physical, bytes).unwrap_or(ValueLocation::Entry(from, to)))
            }
            PageDecoder::Deltas(deltas) => {
                let value = deltas.next(page)?;
                // Sums of 32-bit values are 32-bit, too.
                Ok(ValueLocation::Int(match self.physical {
                    PhysicalType::Int32 => i64::from(value as i32),
                    _ => value,
                }))
            }
            PageDecoder::Lengths(lengths, at) => {
                let from = *at;
                *at = text(from, lengths.next(page)?)?;
                Ok(ValueLocation::Page(from, *at))
            }
            PageDecoder::Shared(prefixes, lengths, at) => {
                let shared = usize::try_from(prefixes.next(page)?).unwrap_or(usize::MAX);
                if shared > self.joined.len() {
                    return Err(Error::damaged(
                        "a text shares more than the length of the one before",
                        0,
                    ));
                }
                let from = *at;
                *at = text(from, lengths.next(page)?)?;
                self.joined.truncate(shared);
                self.joined
                    .extend_from_slice(page.get(from..*at).unwrap_or_default());
                Ok(ValueLocation::Joined)
            }
            PageDecoder::Split(start, number, count) => {
                if number >= count {
                    return Err(early());
                }
                let mut bytes = [0_u8; 8];
                for (at, byte) in bytes.iter_mut().take(width).enumerate() {
                    *byte = page
                        .get(*start + at * *count + *number)
                        .copied()
                        .unwrap_or(0);
                }
                *number += 1;
                typed(self.physical, bytes.get(..width).unwrap_or_default()).ok_or_else(early)
            }
        }
    }
}

/// The end and the start of a text that is preceded by its length.
fn sized(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let from = at.checked_add(4)?;
    let length = bytes.get(at..from)?;
    let length = u32::from_le_bytes(length.try_into().ok()?);
    Some((from, from.checked_add(length as usize)?))
}

/// The number in some bytes; `None` for texts.
#[inline]
fn typed(physical: PhysicalType, bytes: &[u8]) -> Option<ValueLocation> {
    Some(match physical {
        PhysicalType::Int32 => {
            ValueLocation::Int(i64::from(i32::from_le_bytes(bytes.try_into().ok()?)))
        }
        PhysicalType::Int64 => ValueLocation::Int(i64::from_le_bytes(bytes.try_into().ok()?)),
        PhysicalType::Float => {
            ValueLocation::Real(f64::from(f32::from_le_bytes(bytes.try_into().ok()?)))
        }
        PhysicalType::Double => ValueLocation::Real(f64::from_le_bytes(bytes.try_into().ok()?)),
        PhysicalType::Bytes | PhysicalType::Other(_) => return None,
    })
}

/// The end of delta-packed numbers.
fn end_of(mut deltas: DeltaReader, page: &[u8]) -> Result<usize> {
    while deltas.left() > 0 {
        deltas.next(page)?;
    }
    Ok(deltas.end())
}
