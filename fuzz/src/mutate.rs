//! Random damage of the kinds that files meet, and that parsers trip over.

use fastrand::Rng;

use crate::MAX_LEN;

/// Numbers at which lengths, counts and signs go wrong.
const NUMBERS: &[u64] = &[
    0,
    1,
    2,
    0x7e,
    0x7f,
    0x80,
    0xfe,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xfffe,
    0xffff,
    0x1_0000,
    0xff_ffff,
    0x100_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
];

/// Damages `data` in one to eight ways; `other` is a sample to take pieces from.
pub fn mutate(rng: &mut Rng, data: &mut Vec<u8>, other: &[u8], words: &[&str]) {
    // Few changes reach deep into a parser, many reach its recovery.
    for _ in 0..1_u32 << rng.u32(0..4) {
        once(rng, data, other, words);
    }
    data.truncate(MAX_LEN);
}

fn once(rng: &mut Rng, data: &mut Vec<u8>, other: &[u8], words: &[&str]) {
    let at = rng.usize(0..=data.len());
    match rng.u32(0..14) {
        0 => {
            if let Some(byte) = data.get_mut(at) {
                *byte ^= 1 << rng.u32(0..8);
            }
        }
        1 => {
            if let Some(byte) = data.get_mut(at) {
                *byte = rng.u8(..);
            }
        }
        2 => {
            if let Some(byte) = data.get_mut(at) {
                *byte = byte.wrapping_add(rng.u8(0..16)).wrapping_sub(8);
            }
        }
        3 | 4 => number(rng, data, at),
        5 => data.truncate(at),
        6 => {
            let end = piece(rng, at, data.len());
            data.drain(at..end);
        }
        7 => {
            let end = piece(rng, at, data.len());
            let copy = data[at..end].to_vec();
            insert(data, rng, &copy);
        }
        8 => {
            let bytes: Vec<u8> = (0..rng.usize(1..16)).map(|_| rng.u8(..)).collect();
            insert(data, rng, &bytes);
        }
        9 => {
            // One byte many times: deep nesting, long tokens.
            let byte = data.get(at).copied().unwrap_or(b'(');
            let run = vec![byte; 1 << rng.u32(0..14)];
            insert(data, rng, &run);
        }
        10 => {
            let from = rng.usize(0..=other.len());
            let end = piece(rng, from, other.len());
            insert(data, rng, &other[from..end]);
        }
        11 => {
            // The head of one sample with the tail of another.
            let from = rng.usize(0..=other.len());
            data.truncate(at);
            data.extend(&other[from..]);
        }
        12 => {
            if let Some(word) = rng.choice(words) {
                insert(data, rng, word.as_bytes());
            }
        }
        _ => {
            let (from, end) = (at, piece(rng, at, data.len()));
            let to = rng.usize(0..=data.len() - (end - from));
            data.copy_within(from..end, to);
        }
    }
}

/// Overwrites one, two, four or eight bytes with a number that matters, in either byte order.
fn number(rng: &mut Rng, data: &mut [u8], at: usize) {
    let number = rng.choice(NUMBERS).copied().unwrap_or_default();
    let width = 1_usize << rng.u32(0..4);
    let bytes = if rng.bool() {
        number.to_le_bytes()
    } else {
        number
            .rotate_right(8 * u32::try_from(width).unwrap_or(8))
            .to_be_bytes()
    };
    for (byte, new) in data.iter_mut().skip(at).zip(&bytes[..width]) {
        *byte = *new;
    }
}

/// The end of a piece that starts at `at`, mostly a short one.
fn piece(rng: &mut Rng, at: usize, len: usize) -> usize {
    let longest = 1_usize << rng.u32(0..12);
    at + rng.usize(0..=(len - at).min(longest))
}

fn insert(data: &mut Vec<u8>, rng: &mut Rng, piece: &[u8]) {
    if data.len() + piece.len() <= MAX_LEN {
        let at = rng.usize(0..=data.len());
        data.splice(at..at, piece.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::mutate;
    use crate::MAX_LEN;

    #[test]
    fn any_input_can_be_damaged_and_the_seed_decides_how() {
        for seed in 0..2_000 {
            let base = vec![b'x'; usize::try_from(seed % 50).unwrap()];
            let damage = || {
                let mut data = base.clone();
                mutate(
                    &mut Rng::with_seed(seed),
                    &mut data,
                    b"another sample",
                    &["word"],
                );
                data
            };
            assert_eq!(damage(), damage());
            assert!(damage().len() <= MAX_LEN);
        }
    }
}
