//! tar archives, read front to back from any stream.

/// Whether the bytes begin with the header of a tar member: its checksum has to be right.
pub fn is_header(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<512>() else {
        return false;
    };
    stored_checksum(block).is_some_and(|stored| stored == checksum(block))
}

/// The sum of all bytes, those of the checksum field counted as spaces.
fn checksum(block: &[u8; 512]) -> u64 {
    block
        .iter()
        .enumerate()
        .map(|(place, byte)| {
            if (148..156).contains(&place) {
                32
            } else {
                u64::from(*byte)
            }
        })
        .sum()
}

fn stored_checksum(block: &[u8; 512]) -> Option<u64> {
    octal(block.get(148..156)?)
}

/// An octal number between spaces and zero bytes.
fn octal(field: &[u8]) -> Option<u64> {
    let digits: Vec<u8> = field
        .iter()
        .copied()
        .skip_while(|byte| *byte == b' ')
        .take_while(|byte| *byte != 0 && *byte != b' ')
        .collect();
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |value, digit| match digit {
        b'0'..=b'7' => value
            .checked_mul(8)?
            .checked_add(u64::from(digit.wrapping_sub(b'0'))),
        _ => None,
    })
}
