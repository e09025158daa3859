//! Numbers as differences to the one before, in blocks of bits.

use crate::error::{Error, Result};
use crate::hybrid_runs::{packed, put_packed, put_varint, varint};
use crate::thrift_writer::zigzag;

/// Reads delta-packed numbers on demand.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeltaReader {
    /// The offset of the next block.
    at: usize,
    block: u64,
    minis: usize,
    /// Values left altogether.
    left: u64,
    value: i64,
    first: bool,
    least: i64,
    /// The offset of the widths of this block's parts.
    widths: usize,
    mini: usize,
    /// Values left in this part.
    mini_left: u64,
    bit: usize,
    width: u32,
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ (value & 1).cast_signed().wrapping_neg()
}

impl DeltaReader {
    /// Opens delta-packed numbers at an offset in a page that has room for `most` of them.
    pub(crate) fn open(page: &[u8], at: usize, most: u64) -> Result<DeltaReader> {
        let wrong = |what: &str| Error::damaged(what, at as u64);
        let early = || wrong("a page ends before its values");
        let rest = page.get(at..).unwrap_or_default();
        let (block, rest) = varint(rest).ok_or_else(early)?;
        let (minis, rest) = varint(rest).ok_or_else(early)?;
        let (left, rest) = varint(rest).ok_or_else(early)?;
        let (first, rest) = varint(rest).ok_or_else(early)?;
        let minis = usize::try_from(minis).unwrap_or(usize::MAX);
        let per_mini = block.checked_div(minis as u64).unwrap_or(0);
        if block > 1 << 20 || per_mini == 0 || per_mini % 8 != 0 || per_mini * minis as u64 != block
        {
            return Err(wrong("blocks of differences have an impossible size"));
        }
        if left > most {
            return Err(wrong("a page claims more values than it has rows"));
        }
        Ok(DeltaReader {
            at: page.len() - rest.len(),
            block,
            minis,
            left,
            value: unzigzag(first),
            first: true,
            ..DeltaReader::default()
        })
    }

    /// Values that are left.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// The offset after the numbers, once all were read.
    pub(crate) fn end(&self) -> usize {
        // All parts of a block with values are present, and empty ones have no bits.
        self.at
    }

    /// The next number.
    #[inline]
    pub(crate) fn next(&mut self, page: &[u8]) -> Result<i64> {
        if self.left == 0 {
            return Err(Error::damaged(
                "a page ends before its values",
                self.at as u64,
            ));
        }
        self.left -= 1;
        if std::mem::take(&mut self.first) {
            return Ok(self.value);
        }
        if self.mini_left == 0 {
            self.part(page)?;
        }
        self.mini_left -= 1;
        let delta = packed(page, self.bit, self.width).cast_signed();
        self.bit += self.width as usize;
        self.value = self.value.wrapping_add(self.least).wrapping_add(delta);
        Ok(self.value)
    }

    /// Opens the next part, and its block if it is the first one.
    fn part(&mut self, page: &[u8]) -> Result<()> {
        let early = |at: usize| Error::damaged("a page ends before its values", at as u64);
        if self.widths == 0 || self.mini >= self.minis {
            let rest = page.get(self.at..).unwrap_or_default();
            let (least, rest) = varint(rest).ok_or_else(|| early(self.at))?;
            self.least = unzigzag(least);
            self.widths = page.len() - rest.len();
            self.mini = 0;
            self.at = self.widths.saturating_add(self.minis);
            if self.at > page.len() {
                return Err(early(self.widths));
            }
        }
        let width = page.get(self.widths.saturating_add(self.mini)).copied();
        self.width = u32::from(width.ok_or_else(|| early(self.at))?);
        if self.width > 64 {
            return Err(Error::damaged(
                "differences have more bits than numbers",
                self.widths as u64,
            ));
        }
        let per_mini = self.block / self.minis as u64;
        self.mini += 1;
        self.mini_left = per_mini;
        self.bit = self.at.saturating_mul(8);
        let bytes = usize::try_from(per_mini).unwrap_or(usize::MAX) / 8 * self.width as usize;
        // The last part may be truncated after its last value.
        let needed = (self.left + 1).min(per_mini) * u64::from(self.width);
        let there = page.len().saturating_sub(self.at) as u64;
        if needed > there * 8 {
            return Err(early(self.at));
        }
        self.at = self.at.saturating_add(bytes).min(page.len());
        Ok(())
    }
}

/// The number of values in a block, and in each of its parts, which have their own widths.
const BLOCK: usize = 128;
const PART: usize = 32;

/// Writes numbers as differences from the previous one. The differences of 32-bit numbers are 32-bit, too, and wrap around.
pub(crate) fn put_deltas(
    out: &mut Vec<u8>,
    is_narrow: bool,
    count: usize,
    mut values: impl Iterator<Item = i64>,
) {
    put_varint(out, BLOCK as u64);
    put_varint(out, (BLOCK / PART) as u64);
    put_varint(out, count as u64);
    let mut before = values.next().unwrap_or_default();
    put_varint(out, zigzag(before));
    let around = |value: i64| match is_narrow {
        true => i64::from(value as i32),
        false => value,
    };
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        block.clear();
        block.extend(values.by_ref().take(BLOCK).map(|value| {
            let delta = around(value.wrapping_sub(before));
            before = value;
            delta
        }));
        let Some(&least) = block.iter().min() else {
            break;
        };
        put_varint(out, zigzag(least));
        let above = |delta: &i64| delta.wrapping_sub(least).cast_unsigned();
        let width =
            |part: &[i64]| u64::BITS - part.iter().map(above).max().unwrap_or(0).leading_zeros();
        let parts = block.chunks(PART).map(width);
        let none = std::iter::repeat(0);
        out.extend(
            parts
                .chain(none)
                .take(BLOCK / PART)
                .map(|width| width as u8),
        );
        for part in block.chunks(PART) {
            let fill = std::iter::repeat_n(0, PART - part.len());
            put_packed(out, width(part), part.iter().map(above).chain(fill));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8], at: usize, count: usize) -> Option<(Vec<i64>, usize)> {
        let mut reader = DeltaReader::open(bytes, at, count as u64).ok()?;
        let mut values = Vec::new();
        while reader.left() > 0 {
            values.push(reader.next(bytes).ok()?);
        }
        Some((values, reader.end()))
    }

    #[test]
    fn deltas_are_written_as_the_format_says() {
        // The second example of the specification: 7, 5, 3, 1, 2, 3, 4, 5.
        let mut out = Vec::new();
        put_deltas(&mut out, false, 8, [7, 5, 3, 1, 2, 3, 4, 5].into_iter());
        let head = [0x80, 0x01, 0x04, 0x08, 0x0e];
        let block = [0x03, 2, 0, 0, 0, 0b1100_0000, 0b0011_1111, 0, 0, 0, 0, 0, 0];
        assert_eq!(out, [&head[..], &block].concat());
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(values in prop::collection::vec(prop_oneof![any::<i64>(), -50_i64..50, Just(i64::MIN), Just(i64::MAX)], 0..400)) {
            let mut out = vec![7];
            put_deltas(&mut out, false, values.len(), values.iter().copied());
            let end = out.len();
            out.push(9);
            prop_assert_eq!(read(&out, 1, values.len()), Some((values, end)));
        }

        #[test]
        fn any_narrow_numbers_come_back(values in prop::collection::vec(any::<i32>(), 0..400)) {
            let mut out = Vec::new();
            put_deltas(&mut out, true, values.len(), values.iter().map(|value| i64::from(*value)));
            let found = read(&out, 0, values.len()).map(|(values, _)| values).unwrap_or_default();
            let found: Vec<i32> = found.into_iter().map(|value| value as i32).collect();
            prop_assert_eq!(found, values);
        }
    }
}
