//! Writing the numbers of moves and NAGs.

/// A move number below 1000 with its dots, as bytes from the lowest on, and the number of bytes.
#[inline]
pub(super) fn short_number(number: u32, white: bool) -> (u64, usize) {
    let zeros = u64::from_le_bytes(*b"000\0\0\0\0\0");
    let [ones, tens, hundreds] = [number % 10, number / 10 % 10, number / 100].map(u64::from);
    let digits = 1 + usize::from(number > 9) + usize::from(number > 99);
    let word = (zeros + (hundreds | tens << 8 | ones << 16)) >> (8 * (3 - digits));
    let (dots, count) = if white { (0x2e, 1) } else { (0x2e_2e2e, 3) };
    (word | dots << (8 * digits), digits + count)
}

/// A move number with its dots.
pub(super) fn number_token(number: u32, white: bool, buffer: &mut [u8; 16]) -> &[u8] {
    let dots: &[u8] = if white { b"." } else { b"..." };
    digits_between(b"", number, dots, buffer)
}

/// The number of a NAG, as in `$1`.
pub(super) fn dollar_token(number: u32, buffer: &mut [u8; 16]) -> &[u8] {
    digits_between(b"$", number, b"", buffer)
}

/// Writes a number between a prefix and a suffix (of three bytes at most each) into a buffer.
fn digits_between<'b>(
    prefix: &[u8],
    mut number: u32,
    suffix: &[u8],
    buffer: &'b mut [u8; 16],
) -> &'b [u8] {
    let mut start = buffer.len() - suffix.len();
    if let Some(end) = buffer.get_mut(start..) {
        end.copy_from_slice(suffix);
    }
    loop {
        start -= 1;
        if let Some(slot) = buffer.get_mut(start) {
            *slot = b'0' + u8::try_from(number % 10).unwrap_or(0);
        }
        number /= 10;
        if number == 0 {
            break;
        }
    }
    start -= prefix.len();
    if let Some(begin) = buffer.get_mut(start..start + prefix.len()) {
        begin.copy_from_slice(prefix);
    }
    buffer.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_numbers() {
        for number in 0..1000 {
            for white in [false, true] {
                let (word, length) = short_number(number, white);
                let mut buffer = [0; 16];
                let token = number_token(number, white, &mut buffer);
                assert_eq!(&word.to_le_bytes()[..length], token);
            }
        }
    }
}
