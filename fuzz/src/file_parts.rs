//! Several files in one sequence of bytes, because a fuzzer only knows one.
//!
//! All files but the last are preceded by their length (four bytes, little-endian); the last takes
//! the rest. A single file is therefore itself. A length that is too long takes what is there.

/// Puts the files of one sample into one sequence.
pub fn pack(files: &[Vec<u8>]) -> Vec<u8> {
    let mut packed = Vec::new();
    for (at, file) in files.iter().enumerate() {
        if at + 1 < files.len() {
            let len = u32::try_from(file.len()).unwrap_or(u32::MAX);
            packed.extend(len.to_le_bytes());
        }
        packed.extend(file);
    }
    packed
}

/// Takes a sequence apart into `count` files, some of them perhaps empty.
pub fn unpack(count: usize, mut data: &[u8]) -> Vec<&[u8]> {
    let mut files = Vec::with_capacity(count);
    for _ in 1..count {
        let Some((len, rest)) = data.split_first_chunk::<4>() else {
            files.push(&data[..0]);
            continue;
        };
        let len = usize::try_from(u32::from_le_bytes(*len)).unwrap_or(usize::MAX);
        let (file, rest) = rest.split_at(len.min(rest.len()));
        files.push(file);
        data = rest;
    }
    files.push(data);
    files
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack};

    #[test]
    fn what_was_packed_comes_out() {
        let files = vec![b"one".to_vec(), Vec::new(), b"three".to_vec()];
        assert_eq!(unpack(3, &pack(&files)), files);
        assert_eq!(pack(&[b"alone".to_vec()]), b"alone");
    }

    #[test]
    fn every_sequence_comes_apart() {
        assert_eq!(unpack(1, b""), [b""]);
        assert_eq!(unpack(3, b"\x01"), [b"" as &[u8], b"", b"\x01"]);
        assert_eq!(unpack(2, b"\xff\xff\xff\xffrest"), [b"rest" as &[u8], b""]);
    }
}
