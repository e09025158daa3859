//! Numbers as digits, without the detour over a text.

/// Appends a number.
pub fn push_number(mut number: u64, out: &mut Vec<u8>) {
    let start = out.len();
    loop {
        // The remainder is below ten.
        out.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}

/// Appends a number that may be below zero.
pub fn push_signed(number: i32, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    push_number(u64::from(number.unsigned_abs()), out);
}

/// Appends a hash as sixteen hexadecimal digits.
pub fn push_hash(hash: u64, out: &mut Vec<u8>) {
    let digit = |at: u32| b"0123456789abcdef"[(hash >> (60 - 4 * at) & 15) as usize];
    out.extend((0..16).map(digit));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = b"x".to_vec();
        write(&mut out);
        String::from_utf8(out).expect("digits")
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for number in [0, 9, 10, 12_345, u64::MAX] {
            assert_eq!(
                written(|out| push_number(number, out)),
                format!("x{number}")
            );
            assert_eq!(
                written(|out| push_hash(number, out)),
                format!("x{number:016x}")
            );
        }
        for number in [0, -1, 17, i32::MIN, i32::MAX] {
            assert_eq!(
                written(|out| push_signed(number, out)),
                format!("x{number}")
            );
        }
    }
}
