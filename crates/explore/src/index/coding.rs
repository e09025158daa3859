//! Bytes and bits: rising numbers with few bits each, numbers of varying length, and checksums.

/// Why bytes of an index are invalid; the caller only learns that they are.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the index is damaged")]
pub struct IndexDamage;

/// A checksum of bytes and their place: bytes at another place, or changed ones, have another checksum.
#[must_use]
pub(super) fn check(place: u64, bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    // Every step is a bijection of the state for given bytes, and of the bytes for a given state: one changed word always
    // changes the checksum.
    let step = |state: u64, word: u64| (state ^ word).wrapping_mul(K).rotate_left(29);
    let mut state = step(K, place);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.try_into().map_or(0, u64::from_le_bytes);
        state = step(state, word);
    }
    let mut last = [0; 8];
    for (slot, byte) in last.iter_mut().zip(chunks.remainder()) {
        *slot = *byte;
    }
    state = step(state, u64::from_le_bytes(last));
    step(state, bytes.len() as u64)
}

/// The check in four bytes.
#[must_use]
pub(super) fn short_check(place: u64, bytes: &[u8]) -> u32 {
    let check = check(place, bytes);
    (check ^ check >> 32) as u32
}

/// Writes the checksum of all bytes after it into its four bytes.
pub(super) fn put_short_check(out: &mut [u8], start: usize, place: u64) {
    let check = short_check(place, out.get(start + 4..).unwrap_or(&[])).to_le_bytes();
    if let Some(slot) = out.get_mut(start..start + 4) {
        slot.copy_from_slice(&check);
    }
}

/// Appends a number in groups of seven bits, the lowest first.
pub(super) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads bytes from the start.
#[derive(Copy, Clone, Debug)]
pub(super) struct IndexByteReader<'a>(pub(super) &'a [u8]);

impl<'a> IndexByteReader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], IndexDamage> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(IndexDamage)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, IndexDamage> {
        let (byte, rest) = self.0.split_first().ok_or(IndexDamage)?;
        self.0 = rest;
        Ok(*byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, IndexDamage> {
        Ok(u16::from_le_bytes(
            self.take(2)?.try_into().map_err(|_| IndexDamage)?,
        ))
    }

    pub(super) fn u32(&mut self) -> Result<u32, IndexDamage> {
        Ok(u32::from_le_bytes(
            self.take(4)?.try_into().map_err(|_| IndexDamage)?,
        ))
    }

    pub(super) fn u64(&mut self) -> Result<u64, IndexDamage> {
        Ok(u64::from_le_bytes(
            self.take(8)?.try_into().map_err(|_| IndexDamage)?,
        ))
    }

    pub(super) fn number(&mut self) -> Result<u64, IndexDamage> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(IndexDamage);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(IndexDamage)
    }

    pub(super) fn size(&mut self) -> Result<usize, IndexDamage> {
        usize::try_from(self.number()?).map_err(|_| IndexDamage)
    }
}

/// Appends ascending numbers below 2³² as the gaps between them (Rice code): one byte with the number of plain bits per gap,
/// then for each gap the higher part in unary (zeros, then a one) and the plain bits, the lowest first.
pub(super) fn push_rising(
    out: &mut Vec<u8>,
    numbers: impl ExactSizeIterator<Item = u32> + DoubleEndedIterator + Clone,
) {
    let Some(last) = numbers.clone().next_back() else {
        return;
    };
    let mean = (u64::from(last) + 1) / numbers.len() as u64;
    // The best parameter for random gaps is the binary logarithm of their mean times ln 2.
    let plain = (mean * 11 / 16).checked_ilog2().unwrap_or(0).min(31);
    out.push(plain as u8);
    let (mut held, mut bits) = (0_u64, 0_u32);
    let mut next = 0_u64;
    for number in numbers {
        let gap = u64::from(number).wrapping_sub(next) & 0xffff_ffff;
        next = u64::from(number) + 1;
        let mut unary = (gap >> plain) as u32;
        while unary >= 16 {
            // Sixteen zeros at a time; fewer than 32 bits are ever held here.
            bits += 16;
            unary -= 16;
            flush(out, &mut held, &mut bits);
        }
        held |= 1 << (bits + unary);
        bits += unary + 1;
        flush(out, &mut held, &mut bits);
        held |= (gap & ((1 << plain) - 1)) << bits;
        bits += plain;
        flush(out, &mut held, &mut bits);
    }
    let rest = bits.div_ceil(8) as usize;
    out.extend_from_slice(held.to_le_bytes().get(..rest).unwrap_or(&[]));
}

/// The bits from a bit offset on, at least 57 of them; beyond the last byte they are zeros.
#[inline]
pub(super) fn window(bytes: &[u8], at: u64) -> u64 {
    let from = usize::try_from(at >> 3).unwrap_or(usize::MAX);
    let word = match bytes.get(from..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(whole) => u64::from_le_bytes(*whole),
        None => {
            let mut padded = [0; 8];
            for (slot, byte) in padded.iter_mut().zip(bytes.get(from..).unwrap_or(&[])) {
                *slot = *byte;
            }
            u64::from_le_bytes(padded)
        }
    };
    word >> (at & 7)
}

/// Writes whole groups of 32 bits.
#[inline]
pub(super) fn flush(out: &mut Vec<u8>, held: &mut u64, bits: &mut u32) {
    if *bits >= 32 {
        out.extend_from_slice(&(*held as u32).to_le_bytes());
        *held >>= 32;
        *bits -= 32;
    }
}

/// Reads `count` numbers of [`push_rising`] and calls `each` with them, as long as they are below `end`.
pub(super) fn read_rising(
    bytes: &[u8],
    count: usize,
    end: u64,
    mut each: impl FnMut(u64),
) -> Result<(), IndexDamage> {
    if count == 0 {
        return if bytes.is_empty() {
            Ok(())
        } else {
            Err(IndexDamage)
        };
    }
    let (plain, bytes) = bytes.split_first().ok_or(IndexDamage)?;
    let plain = u32::from(*plain);
    // A number takes at least one bit, so no claimed count makes this loop long.
    if plain > 31 || count / 8 > bytes.len() {
        return Err(IndexDamage);
    }
    let total = bytes.len() as u64 * 8;
    let window = |at: u64| window(bytes, at);
    let (mut at, mut next) = (0_u64, 0_u64);
    for _ in 0..count {
        let mut unary = 0_u64;
        let mut word = window(at);
        // At least 57 bits of a window are valid; zeros beyond them are read again.
        let mut zeros = u64::from(word.trailing_zeros()).min(56);
        while zeros == 56 {
            unary += 56;
            at += 56;
            if at >= total {
                return Err(IndexDamage);
            }
            word = window(at);
            zeros = u64::from(word.trailing_zeros()).min(56);
        }
        unary += zeros;
        at += zeros + 1;
        let low = window(at) & ((1 << plain) - 1);
        at += u64::from(plain);
        let number = next
            .checked_add(unary.checked_shl(plain).ok_or(IndexDamage)? | low)
            .filter(|number| *number < end)
            .ok_or(IndexDamage)?;
        if at > total {
            return Err(IndexDamage);
        }
        each(number);
        next = number + 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn back(bytes: &[u8], count: usize, end: u64) -> Result<Vec<u64>, IndexDamage> {
        let mut numbers = Vec::new();
        read_rising(bytes, count, end, |number| numbers.push(number)).map(|()| numbers)
    }

    #[test]
    fn extremes_come_back() {
        for numbers in [
            vec![],
            vec![0],
            vec![u32::MAX],
            vec![0, u32::MAX],
            (0..1000).collect(),
            (0..1000).chain([4_000_000_000]).collect(),
            vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 3000, 3001],
        ] {
            let mut bytes = Vec::new();
            push_rising(&mut bytes, numbers.iter().copied());
            let wide: Vec<u64> = numbers.iter().map(|n| u64::from(*n)).collect();
            assert_eq!(back(&bytes, numbers.len(), 1 << 32), Ok(wide));
        }
    }

    #[test]
    fn a_place_and_every_byte_count() {
        let bytes = [7_u8; 45];
        let right = short_check(3, &bytes);
        assert_ne!(right, short_check(4, &bytes));
        for at in 0..bytes.len() {
            let mut changed = bytes;
            changed[at] ^= 1;
            assert_ne!(check(3, &bytes), check(3, &changed));
            assert_ne!(check(3, &bytes), check(3, &bytes[..at]));
        }
    }

    proptest! {
        #[test]
        fn rising_numbers_come_back(mut numbers in prop::collection::vec(0..50_000_u32, 0..600), shift in 0..16_u32) {
            numbers.iter_mut().for_each(|n| *n <<= shift);
            numbers.sort_unstable();
            numbers.dedup();
            let mut bytes = Vec::new();
            push_rising(&mut bytes, numbers.iter().copied());
            let wide: Vec<u64> = numbers.iter().map(|n| u64::from(*n)).collect();
            prop_assert_eq!(back(&bytes, numbers.len(), 1 << 32), Ok(wide));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), count in 0..200_usize) {
            if let Ok(numbers) = back(&bytes, count, 1 << 20) {
                prop_assert!(numbers.is_sorted());
            }
            let _ = IndexByteReader(&bytes).number();
        }

        #[test]
        fn numbers_come_back(number in any::<u64>()) {
            let mut bytes = Vec::new();
            push_number(&mut bytes, number);
            prop_assert_eq!(IndexByteReader(&bytes).number(), Ok(number));
        }
    }
}
