//! Runs of small numbers: repeated ones, or packed bit by bit; reading and writing them.

use crate::error::{Error, Result};

/// The bits of a packed number at a bit offset; bits beyond the end are zero.
#[inline]
pub(crate) fn packed(bytes: &[u8], bit: usize, width: u32) -> u64 {
    if width == 0 {
        return 0;
    }
    let mut word = [0_u8; 16];
    let start = bit / 8;
    let rest = bytes.get(start..).unwrap_or_default();
    let count = rest.len().min(9);
    if let (Some(to), Some(from)) = (word.get_mut(..count), rest.get(..count)) {
        to.copy_from_slice(from);
    }
    let value = u128::from_le_bytes(word) >> (bit % 8);
    let mask = if width >= 64 {
        u64::MAX
    } else {
        (1_u64 << width) - 1
    };
    (value & u128::from(mask)) as u64
}

/// Reads a number in groups of seven bits from the start of bytes; also returns the rest.
pub(crate) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * at as u32)?;
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(at + 1..)?));
        }
    }
    None
}

/// Appends a number in groups of seven bits.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Packs numbers of `width` bits one after another; zeros fill the last byte.
pub(crate) fn put_packed(out: &mut Vec<u8>, width: u32, values: impl Iterator<Item = u64>) {
    let (mut word, mut bits) = (0_u128, 0);
    for value in values {
        word |= u128::from(value) << bits;
        bits += width;
        while bits >= 32 {
            out.extend_from_slice(&(word as u32).to_le_bytes());
            word >>= 32;
            bits -= 32;
        }
    }
    let rest = (word as u32).to_le_bytes();
    out.extend(rest.iter().take(bits.div_ceil(8) as usize));
}

/// The minimum length at which a run of one value is shorter than packed numbers, which it interrupts.
fn shortest_run(width: u32) -> usize {
    let bits = (3 + width.div_ceil(8)) * 8;
    (bits.div_ceil(width.max(1)) as usize).next_multiple_of(8)
}

/// Writes numbers of `width` bits in Parquet's hybrid encoding.
pub(crate) fn put_hybrid<T: Copy + PartialEq + Into<i64>>(
    out: &mut Vec<u8>,
    width: u32,
    values: &[T],
) {
    let number = |value: &T| (*value).into().cast_unsigned();
    // Packed numbers come in groups of eight.
    let packed = |out: &mut Vec<u8>, values: &[T]| {
        if !values.is_empty() {
            let eights = values.len().div_ceil(8);
            put_varint(out, ((eights as u64) << 1) | 1);
            let fill = eights * 8 - values.len();
            let zeros = std::iter::repeat_n(0, fill);
            put_packed(out, width, values.iter().map(number).chain(zeros));
        }
    };
    let shortest = shortest_run(width);
    let mut rest = values;
    // The number of values at the start of the rest that were checked and will be packed.
    let mut looked_at = 0;
    while let Some(value) = rest.get(looked_at) {
        let tail = rest.get(looked_at..).unwrap_or_default();
        let run = tail.iter().take_while(|other| *other == value).count();
        // The values that complete the group of eight before the run.
        let fill = looked_at.next_multiple_of(8) - looked_at;
        if run < fill + shortest {
            looked_at += run;
            continue;
        }
        let (before, after) = rest.split_at(looked_at + fill);
        packed(out, before);
        put_varint(out, ((run - fill) as u64) << 1);
        let bytes = number(value).to_le_bytes();
        out.extend(bytes.iter().take(width.div_ceil(8) as usize));
        rest = after.get(run - fill..).unwrap_or_default();
        looked_at = 0;
    }
    packed(out, rest);
}

/// Reads the runs of Parquet's hybrid encoding on demand.
#[derive(Clone, Debug, Default)]
pub(crate) struct HybridReader {
    width: u32,
    /// The offset of the next run.
    at: usize,
    /// Values left in this run.
    left: u64,
    /// The value of a run that repeats it.
    repeated: Option<u64>,
    /// The next bit of a packed run.
    bit: usize,
}

/// A part of a run that is skipped.
enum RunSlice {
    /// A value and the number of its repetitions.
    Repeated(u64, u64),
    /// The bit offset of the first value, and the number of values.
    Packed(usize, u64),
}

impl HybridReader {
    /// Values of `width` bits from an offset in a page on.
    pub(crate) fn new(width: u32, at: usize) -> HybridReader {
        HybridReader {
            width,
            at,
            ..HybridReader::default()
        }
    }

    /// The next value; `page` holds the bytes up to the end of the values.
    #[inline]
    pub(crate) fn next(&mut self, page: &[u8]) -> Result<u64> {
        if self.left == 0 {
            self.run(page)?;
        }
        self.left -= 1;
        Ok(match self.repeated {
            Some(value) => value,
            None => {
                let value = packed(page, self.bit, self.width);
                self.bit += self.width as usize;
                value
            }
        })
    }

    /// Skips values, run by run.
    pub(crate) fn skip(&mut self, page: &[u8], count: u64) -> Result<()> {
        self.pass(page, count, |_| {})
    }

    /// Skips up to a number of one-bit values that are 0, in the current run or the next one; returns how many.
    pub(crate) fn pass_zeros(&mut self, page: &[u8], most: u64) -> Result<u64> {
        if self.left == 0 {
            self.run(page)?;
        }
        let count = match self.repeated {
            Some(0) => self.left.min(most),
            Some(_) => 0,
            None => {
                let here = self.left.min(most).min(64) as u32;
                let zeros = packed(page, self.bit, here).trailing_zeros().min(here);
                self.bit += zeros as usize;
                u64::from(zeros)
            }
        };
        self.left -= count;
        Ok(count)
    }

    /// Skips one-bit values, and counts those that are 1.
    pub(crate) fn skip_and_count(&mut self, page: &[u8], count: u64) -> Result<u64> {
        let mut ones = 0;
        self.pass(page, count, |run| {
            ones += match run {
                RunSlice::Repeated(value, count) => (value & 1) * count,
                RunSlice::Packed(mut bit, mut count) => {
                    let mut ones = 0;
                    while count > 0 {
                        let here = count.min(64) as u32;
                        ones += u64::from(packed(page, bit, here).count_ones());
                        bit += here as usize;
                        count -= u64::from(here);
                    }
                    ones
                }
            };
        })?;
        Ok(ones)
    }

    fn pass(&mut self, page: &[u8], mut count: u64, mut each: impl FnMut(RunSlice)) -> Result<()> {
        while count > 0 {
            if self.left == 0 {
                self.run(page)?;
            }
            let here = count.min(self.left);
            each(match self.repeated {
                Some(value) => RunSlice::Repeated(value, here),
                None => {
                    let bit = self.bit;
                    // The values of a run are within the page.
                    self.bit += here as usize * self.width as usize;
                    RunSlice::Packed(bit, here)
                }
            });
            self.left -= here;
            count -= here;
        }
        Ok(())
    }

    /// Opens the next run.
    fn run(&mut self, page: &[u8]) -> Result<()> {
        let at = self.at as u64;
        let early = || Error::damaged("a page ends before its values", at);
        let rest = page.get(self.at..).unwrap_or_default();
        let (head, data) = varint(rest).ok_or_else(early)?;
        let start = page.len() - data.len();
        let count = head >> 1;
        if count == 0 {
            return Err(Error::damaged("a page has an empty run", at));
        }
        if head & 1 == 1 {
            let bytes = usize::try_from(count)
                .ok()
                .and_then(|count| count.checked_mul(self.width as usize))
                .filter(|bytes| *bytes <= data.len())
                // The last run may be truncated where its values end.
                .unwrap_or(data.len());
            let fits = if self.width == 0 {
                count.saturating_mul(8)
            } else {
                (bytes as u64 * 8) / u64::from(self.width)
            };
            self.left = count.saturating_mul(8).min(fits);
            self.repeated = None;
            self.bit = start.saturating_mul(8);
            self.at = start + bytes;
        } else {
            let bytes = (self.width as usize).div_ceil(8);
            if bytes > data.len() {
                return Err(early());
            }
            self.left = count;
            self.repeated = Some(packed(data, 0, self.width));
            self.at = start + bytes;
        }
        if self.left == 0 {
            return Err(early());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_kinds_of_runs() {
        // Three times 5, then eight packed numbers from 0 to 7.
        let page = [0x06, 0x05, 0x03, 0x88, 0xc6, 0xfa];
        let mut hybrid = HybridReader::new(3, 0);
        let values: Vec<u64> = (0..11).filter_map(|_| hybrid.next(&page).ok()).collect();
        assert_eq!(values, [5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(hybrid.next(&page).is_err());
    }

    #[test]
    fn values_are_passed_over() {
        let page = [0x06, 0x05, 0x03, 0x88, 0xc6, 0xfa];
        for skipped in 0..11 {
            let mut hybrid = HybridReader::new(3, 0);
            assert!(hybrid.skip(&page, skipped).is_ok());
            let next = [5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7][skipped as usize];
            assert_eq!(hybrid.next(&page).ok(), Some(next), "{skipped}");
        }
        assert!(HybridReader::new(3, 0).skip(&page, 12).is_err());
    }

    #[test]
    fn ones_are_counted() {
        // A hundred ones, seventy-two packed bits, five zeros.
        let mut page = vec![0xc8, 0x01, 0x01, 0x13];
        page.extend([0xa5; 9]);
        page.extend([0x0a, 0x00]);
        for skipped in 0..=177 {
            let (mut one, mut other) = (HybridReader::new(1, 0), HybridReader::new(1, 0));
            let plainly: u64 = (0..skipped).filter_map(|_| one.next(&page).ok()).sum();
            assert_eq!(other.skip_and_count(&page, skipped).ok(), Some(plainly));
            assert_eq!(one.next(&page).ok(), other.next(&page).ok());
        }
    }

    #[test]
    fn zeros_are_passed_over() {
        // Seven zeros, two ones, then packed bits, one of them set.
        let page = [0x0e, 0x00, 0x04, 0x01, 0x05, 0x00, 0x10];
        for most in 1..9 {
            let mut hybrid = HybridReader::new(1, 0);
            let mut seen = Vec::new();
            while seen.len() < 25 {
                let left = most.min(25 - seen.len() as u64);
                let zeros = hybrid.pass_zeros(&page, left).ok();
                let zeros = zeros.map(|count| count as usize);
                seen.extend(std::iter::repeat_n(0, zeros.unwrap_or(0)));
                if zeros == Some(0) {
                    seen.extend(hybrid.next(&page));
                }
            }
            let mut plain = HybridReader::new(1, 0);
            let plainly: Vec<u64> = (0..25).filter_map(|_| plain.next(&page).ok()).collect();
            assert_eq!(seen, plainly, "{most}");
        }
        assert!(HybridReader::new(1, 0).pass_zeros(&[], 1).is_err());
    }

    #[test]
    fn wide_numbers() {
        let bytes = [0xff; 9];
        assert_eq!(packed(&bytes, 3, 64), u64::MAX);
        assert_eq!(packed(&bytes, 70, 64), 3);
        assert_eq!(packed(&bytes, 80, 64), 0);
    }

    #[test]
    fn runs_are_read_as_they_are_written() {
        let mut out = Vec::new();
        put_hybrid(&mut out, 3, &[5_u32, 5, 5]);
        assert_eq!(out, [0x03, 0x6d, 0x01, 0x00]);
        out.clear();
        put_hybrid(&mut out, 1, &[1_u32; 100]);
        assert_eq!(out, [0xc8, 0x01, 0x01]);
    }

    proptest! {
        #[test]
        fn any_runs_come_back(runs in prop::collection::vec((any::<u32>(), 1_usize..70), 0..40), width in 0_u32..=32) {
            let mask = (1_u64 << width) - 1;
            let values: Vec<u32> = runs
                .iter()
                .flat_map(|(value, count)| std::iter::repeat_n((u64::from(*value) & mask) as u32, *count))
                .collect();
            let mut out = vec![0xab];
            put_hybrid(&mut out, width, &values);
            let mut reader = HybridReader::new(width, 1);
            for value in values {
                prop_assert_eq!(reader.next(&out).ok(), Some(u64::from(value)));
            }
        }
    }
}
