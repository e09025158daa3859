//! Numbers as differences to the one before, in blocks of bits.

use crate::error::{Error, Result};
use crate::hybrid_runs::{packed, varint};

/// Reads delta-packed numbers while they are asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeltaReader {
    /// Where the next block begins.
    at: usize,
    block: u64,
    minis: usize,
    /// Values left altogether.
    left: u64,
    value: i64,
    first: bool,
    least: i64,
    /// Where the widths of this block's parts stand.
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
    /// Opens delta-packed numbers at a place in a page that has room for `most` of them.
    pub(crate) fn open(page: &[u8], at: usize, most: u64) -> Result<DeltaReader> {
        let wrong = |what: &str| Error::damaged(what, at as u64);
        let early = || wrong("a page ends before its values do");
        let rest = page.get(at..).unwrap_or_default();
        let (block, rest) = varint(rest).ok_or_else(early)?;
        let (minis, rest) = varint(rest).ok_or_else(early)?;
        let (left, rest) = varint(rest).ok_or_else(early)?;
        let (first, rest) = varint(rest).ok_or_else(early)?;
        let minis = usize::try_from(minis).unwrap_or(usize::MAX);
        let per_mini = block.checked_div(minis as u64).unwrap_or(0);
        if block > 1 << 20 || per_mini == 0 || per_mini % 8 != 0 || per_mini * minis as u64 != block
        {
            return Err(wrong("differences stand in blocks of an impossible size"));
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

    /// Where what follows the numbers begins, once all were taken.
    pub(crate) fn end(&self) -> usize {
        // All parts of a block that has values are there, and empty ones have no bits.
        self.at
    }

    /// The next number.
    #[inline]
    pub(crate) fn next(&mut self, page: &[u8]) -> Result<i64> {
        if self.left == 0 {
            return Err(Error::damaged(
                "a page ends before its values do",
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

    /// Opens the next part, and with the first one its block.
    fn part(&mut self, page: &[u8]) -> Result<()> {
        let early = |at: usize| Error::damaged("a page ends before its values do", at as u64);
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
        // The last part may be cut behind its last value.
        let needed = (self.left + 1).min(per_mini) * u64::from(self.width);
        let there = page.len().saturating_sub(self.at) as u64;
        if needed > there * 8 {
            return Err(early(self.at));
        }
        self.at = self.at.saturating_add(bytes).min(page.len());
        Ok(())
    }
}
