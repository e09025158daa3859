//! Writing the archives of ChessBase, `.cbv`; [`cbv`](crate::cbv) reads them.
//!
//! Blocks are as long as those of the program, and each is packed in the mode that makes it shortest. The bytes depend on nothing
//! but the members.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::regular_file;

/// A file that becomes a member.
#[derive(Clone, Debug)]
pub struct CbvPart {
    /// Its name in the archive, in code page 1252, of 127 bytes at most.
    pub name: Vec<u8>,
    /// Where it is.
    pub path: PathBuf,
    /// When it was last changed: the date as in 20261127, and the time as in 14305900, the last two digits being hundredths.
    pub changed: [u32; 2],
}

/// The length of the header, of an entry of the table, and of the name in it.
const HEADER: usize = 8;
const ENTRY: usize = 173;
const NAME: usize = 128;
/// Bytes of a member that one block holds.
const BLOCK: usize = 61_440;
/// The greatest distance that a copy reaches back, the smallest, and the most bytes of one.
const FARTHEST: usize = 16 * 255 + 15 + 3;
const NEAREST: usize = 3;
const LONGEST_COPY: usize = 255 + 16;
/// The most times that a byte is repeated.
const LONGEST_RUN: usize = 15 + 16 * 255 + 19;
/// How many earlier places are tried for a copy.
const TRIES: usize = 48;
/// The longest code of a byte.
const LONGEST_CODE: u8 = 15;

/// Writes an archive from its beginning, and returns its size.
pub fn write(out: &mut (impl Write + Seek), parts: &[CbvPart]) -> io::Result<u64> {
    let count = u16::try_from(parts.len())
        .map_err(|_| io::Error::other("an archive has 65,535 members at most"))?;
    let table = HEADER + parts.len() * ENTRY;
    out.write_all(&vec![0; table])?;
    let mut entries = vec![8, 0];
    entries.extend(count.to_le_bytes());
    entries.extend([173, 0, 3, 0]);
    let mut at = table as u64;
    for part in parts {
        let (packed, size) = write_member(out, part)?;
        entries.extend(entry(part, at, packed, size)?);
        at += packed;
    }
    out.seek(SeekFrom::Start(0))?;
    out.write_all(&entries)?;
    out.seek(SeekFrom::Start(at))?;
    Ok(at)
}

/// The entry of a member in the table.
fn entry(part: &CbvPart, at: u64, packed: u64, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = part.name.clone();
    if bytes.is_empty() || bytes.len() >= NAME || bytes.contains(&0) {
        return Err(io::Error::other(
            "the name of a member is empty or too long",
        ));
    }
    bytes.resize(NAME, 0);
    for number in [at, packed, size] {
        let number = u32::try_from(number).map_err(|_| {
            io::Error::other(
                "an archive of this kind has room for 4 GiB, and so has each of its files",
            )
        })?;
        bytes.extend(number.to_le_bytes());
    }
    bytes.push(1);
    for number in part.changed {
        bytes.extend(number.to_le_bytes());
    }
    for number in [at, packed, size] {
        bytes.extend(number.to_le_bytes());
    }
    Ok(bytes)
}

/// Writes the stream of a member, and returns its size and that of the member.
fn write_member(out: &mut impl Write, part: &CbvPart) -> io::Result<(u64, u64)> {
    let mut file = regular_file::open(&part.path)?;
    let (mut packed, mut size) = (0_u64, 0_u64);
    let mut packer = CbvPacker::default();
    loop {
        let start = packer.keep_window();
        let count = (&mut file)
            .take(BLOCK as u64)
            .read_to_end(&mut packer.bytes)?;
        if count == 0 {
            return Ok((packed, size));
        }
        let payload = packer.payload(start);
        let length = u16::try_from(payload.len())
            .map_err(|_| io::Error::other("a block is longer than 65,535 bytes"))?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(&sum(&payload).to_le_bytes())?;
        out.write_all(&payload)?;
        packed += 4 + u64::from(length);
        size += count as u64;
    }
}

/// The check sum of a block: of its whole words.
fn sum(payload: &[u8]) -> u16 {
    let (words, _) = payload.as_chunks::<2>();
    words.iter().fold(0, |sum: u16, word| {
        sum.wrapping_add(u16::from_le_bytes(*word))
    })
}

/// Packs the blocks of one member.
#[derive(Debug, Default)]
struct CbvPacker {
    /// The bytes that copies can reach, and the block after them.
    bytes: Vec<u8>,
}

/// What comes next in an LZ stream.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum CbvToken {
    Literal(u8),
    /// A byte, and how often.
    Run(u8, usize),
    /// From how many bytes before, and how many.
    Copy(usize, usize),
}

impl CbvPacker {
    /// Drops what no copy reaches any more, and returns where the next block begins.
    fn keep_window(&mut self) -> usize {
        let from = self.bytes.len().saturating_sub(FARTHEST);
        self.bytes.drain(..from);
        self.bytes.len()
    }

    /// The payload of the block that begins at `start`: mode and content, in the shortest mode.
    fn payload(&self, start: usize) -> Vec<u8> {
        let plain = self.bytes.get(start..).unwrap_or_default();
        let packed = self.lz(start);
        let mut best = (0, plain.to_vec());
        for (mode, content) in [
            (2, huffman(plain)),
            (3, huffman(&packed)),
            (1, Some(packed)),
        ] {
            if let Some(content) = content
                && content.len() < best.1.len()
            {
                best = (mode, content);
            }
        }
        best.1.insert(0, best.0);
        best.1
    }

    /// The LZ stream of the block that begins at `start`.
    fn lz(&self, start: usize) -> Vec<u8> {
        let mut stream = Vec::new();
        let mut places = CbvPlaces::new(self.bytes.len());
        for at in 0..start {
            places.add(&self.bytes, at);
        }
        // The control word, its place in the stream, and how many tokens it has.
        let (mut control, mut control_at, mut tokens) = (0_u16, 0_usize, 0_u32);
        let mut at = start;
        while at < self.bytes.len() {
            if tokens == 0 {
                control_at = stream.len();
                stream.extend([0, 0]);
                control = 0;
            }
            let token = self.token(&places, at);
            let count = put_token(&mut stream, token);
            if !matches!(token, CbvToken::Literal(_)) {
                control |= 0x8000 >> tokens;
            }
            if let Some(word) = stream.get_mut(control_at..control_at + 2) {
                word.copy_from_slice(&control.to_le_bytes());
            }
            tokens = (tokens + 1) % 16;
            for place in at..at + count {
                places.add(&self.bytes, place);
            }
            at += count;
        }
        stream
    }

    /// What the stream has for the bytes from here on: what leaves the least for the rest.
    fn token(&self, places: &CbvPlaces, at: usize) -> CbvToken {
        let Some((first, rest)) = self.bytes.get(at..).and_then(<[u8]>::split_first) else {
            return CbvToken::Literal(0);
        };
        let run = 1 + rest
            .iter()
            .take(LONGEST_RUN - 1)
            .take_while(|it| *it == first)
            .count();
        let (distance, length) = places.longest(&self.bytes, at);
        match (run >= 3, length >= 3) {
            (true, _) if run >= length => CbvToken::Run(*first, run),
            (_, true) => CbvToken::Copy(distance, length),
            _ => CbvToken::Literal(*first),
        }
    }
}

/// Writes a token, and returns how many bytes it stands for.
fn put_token(stream: &mut Vec<u8>, token: CbvToken) -> usize {
    // All numbers are within their halves of bytes.
    let byte = |number: usize| number.to_le_bytes()[0];
    match token {
        CbvToken::Literal(byte) => {
            stream.push(byte);
            1
        }
        CbvToken::Run(of, count) if count <= 18 => {
            stream.extend([byte(count - 3), of]);
            count
        }
        CbvToken::Run(of, count) => {
            let more = count - 19;
            stream.extend([0x10 | byte(more % 16), byte(more / 16), of]);
            count
        }
        CbvToken::Copy(distance, count) => {
            let back = distance - NEAREST;
            let (low, high) = (byte(back % 16), byte(back / 16));
            match count {
                3..=15 => stream.extend([byte(count) << 4 | low, high]),
                _ => stream.extend([0x20 | low, high, byte(count - 16)]),
            }
            count
        }
    }
}

/// Where triples of bytes were last seen.
struct CbvPlaces {
    /// By the hash of the triple: the last place, plus 1.
    last: Vec<u32>,
    /// By place: the place before with the same hash, plus 1.
    before: Vec<u32>,
}

impl CbvPlaces {
    const HASHES: usize = 1 << 14;

    fn new(size: usize) -> CbvPlaces {
        CbvPlaces {
            last: vec![0; Self::HASHES],
            before: vec![0; size],
        }
    }

    fn hash(bytes: &[u8], at: usize) -> Option<usize> {
        let [a, b, c] = *bytes.get(at..)?.first_chunk::<3>()?;
        let word = u32::from_le_bytes([a, b, c, 0]);
        Some((word.wrapping_mul(0x9e37_79b1) >> 18) as usize)
    }

    fn add(&mut self, bytes: &[u8], at: usize) {
        let Some(last) = Self::hash(bytes, at).and_then(|hash| self.last.get_mut(hash)) else {
            return;
        };
        if let Some(before) = self.before.get_mut(at) {
            *before = *last;
        }
        *last = u32::try_from(at + 1).unwrap_or(0);
    }

    /// The longest copy for the bytes from here on: its distance and its length. A copy does not reach into itself, since no
    /// archive of the program was seen in which one does.
    fn longest(&self, bytes: &[u8], at: usize) -> (usize, usize) {
        let (mut distance, mut length) = (0, 0);
        let last = Self::hash(bytes, at).and_then(|hash| self.last.get(hash));
        let mut place = last.copied().unwrap_or(0);
        let here = bytes.get(at..).unwrap_or_default();
        for _ in 0..TRIES {
            let Some(from) = (place as usize).checked_sub(1) else {
                break;
            };
            let back = at - from;
            if back > FARTHEST {
                break;
            }
            let there = bytes.get(from..at).unwrap_or_default();
            let same = there.iter().zip(here).take(LONGEST_COPY);
            let count = same.take_while(|(a, b)| a == b).count();
            if back >= NEAREST && count > length {
                (distance, length) = (back, count);
            }
            place = self.before.get(from).copied().unwrap_or(0);
        }
        (distance, length)
    }
}

/// The content of a Huffman block: its length, its code, its data. `None` if it is too long for one.
fn huffman(plain: &[u8]) -> Option<Vec<u8>> {
    let length = u16::try_from(plain.len()).ok()?;
    let mut counts = [0_u32; 256];
    for byte in plain {
        *counts.get_mut(usize::from(*byte))? += 1;
    }
    let lengths = code_lengths(counts);
    let mut codes = [0_u32; 256];
    let (mut code, mut before) = (0_u32, 0_u8);
    let mut order: Vec<u8> = (0..=255).collect();
    order.retain(|byte| lengths[usize::from(*byte)] > 0);
    order.sort_by_key(|byte| (lengths[usize::from(*byte)], *byte));
    for byte in order {
        let bits = lengths[usize::from(byte)];
        code <<= bits - before;
        codes[usize::from(byte)] = code;
        code += 1;
        before = bits;
    }
    let mut out = CbvBitWriter::default();
    out.bytes.extend(length.to_be_bytes());
    for (bits, code) in lengths.iter().zip(codes) {
        out.put(u32::from(*bits), 4);
        out.put(code, *bits);
    }
    for byte in plain {
        let at = usize::from(*byte);
        out.put(codes[at], lengths[at]);
    }
    Some(out.finish())
}

/// The lengths of the codes of a complete code, 0 for bytes that do not occur.
fn code_lengths(mut counts: [u32; 256]) -> [u8; 256] {
    // A complete code has two at least.
    for byte in 0..2 {
        if counts.iter().filter(|count| **count > 0).count() < 2 && counts[byte] == 0 {
            counts[byte] = 1;
        }
    }
    loop {
        let lengths = tree_depths(&counts);
        if lengths.iter().all(|length| *length <= LONGEST_CODE) {
            return lengths;
        }
        for count in counts.iter_mut().filter(|count| **count > 0) {
            *count = *count / 2 + 1;
        }
    }
}

/// The depths of the leaves of a Huffman tree.
fn tree_depths(counts: &[u32; 256]) -> [u8; 256] {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    // Nodes 0 to 255 are leaves, the others are made in pairs; each knows the one above it.
    let mut above = vec![0_usize; 256];
    let mut heap: BinaryHeap<Reverse<(u32, usize)>> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(byte, count)| Reverse((*count, byte)))
        .collect();
    while let (Some(Reverse((a, left))), Some(Reverse((b, right)))) = (heap.pop(), heap.pop()) {
        let node = above.len();
        above.push(0);
        for child in [left, right] {
            if let Some(slot) = above.get_mut(child) {
                *slot = node;
            }
        }
        if heap.is_empty() {
            break;
        }
        heap.push(Reverse((a + b, node)));
    }
    let mut depths = [0_u8; 256];
    for (byte, depth) in depths.iter_mut().enumerate() {
        let mut node = byte;
        while let Some(next) = above.get(node).filter(|next| **next > 0) {
            node = *next;
            *depth = depth.saturating_add(1);
        }
    }
    depths
}

/// Bits from the top of each byte.
#[derive(Default)]
struct CbvBitWriter {
    bytes: Vec<u8>,
    word: u64,
    count: u8,
}

impl CbvBitWriter {
    /// Writes the lowest bits of a number.
    fn put(&mut self, number: u32, bits: u8) {
        self.word = self.word << bits | u64::from(number);
        self.count += bits;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.word >> self.count).to_le_bytes()[0]);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let rest = (8 - self.count % 8) % 8;
        self.put(0, rest);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cbv::CbvArchive;
    use crate::compression::UnpackLimits;
    use crate::random_file::RandomFile;
    use crate::scratch_file::ScratchFile;
    use crate::stream_decoder::UnpackMeter;

    fn contents() -> Vec<Vec<u8>> {
        let mut random = 1_u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random >> 24
        };
        let noise: Vec<u8> = (0..200_000).map(|_| next() as u8).collect();
        let text: Vec<u8> = (0..150_000_u32)
            .flat_map(|n| format!("{} ", n.wrapping_mul(n) % 9_973).into_bytes())
            .collect();
        let zeros = vec![0; 70_000];
        // Counts like Fibonacci's numbers make the longest codes.
        let (mut a, mut b, mut deep) = (1_usize, 1_usize, Vec::new());
        for byte in 0..22_u8 {
            deep.extend(std::iter::repeat_n(byte * 7, a));
            (a, b) = (b, a + b);
        }
        let shuffled: Vec<u8> = (0..deep.len())
            .map(|at| deep[at * 7_919 % deep.len()])
            .collect();
        let records: Vec<u8> = (0..3_000_u32)
            .flat_map(|n| [&n.to_be_bytes()[..], &[7; 20], b"name", &[0; 18]].concat())
            .collect();
        vec![
            Vec::new(),
            vec![65],
            vec![65; 2],
            b"abc".to_vec(),
            zeros,
            noise,
            text,
            shuffled,
            records,
        ]
    }

    #[test]
    fn what_is_packed_is_unpacked_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let contents = contents();
        let mut parts = Vec::new();
        for (number, content) in contents.iter().enumerate() {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, content).expect("written");
            parts.push(CbvPart {
                name: format!("part{number}").into_bytes(),
                path,
                changed: [20_261_127, 0],
            });
        }
        let mut scratch = ScratchFile::new().expect("a file");
        let mut bytes = io::Cursor::new(Vec::new());
        let size = write(&mut bytes, &parts).expect("written");
        let bytes = bytes.into_inner();
        assert_eq!(size, bytes.len() as u64);
        let plain: usize = contents.iter().map(Vec::len).sum();
        assert!(bytes.len() * 3 < plain * 2, "{} of {plain}", bytes.len());
        scratch.write_all(&bytes).expect("written");
        let file = Arc::new(RandomFile::from_scratch(scratch).expect("opened"));
        let meter = UnpackMeter::of_size(size);
        let limits = UnpackLimits::default();
        let archive = CbvArchive::open("x.cbv", file, &limits, meter).expect("opened");
        let mut seen = 0;
        for (member, content) in archive.zip(&contents) {
            let mut member = member.expect("a member");
            let mut found = Vec::new();
            member.read_to_end(&mut found).expect("unpacked");
            assert!(found == *content, "{}", member.name);
            seen += 1;
        }
        assert_eq!(seen, contents.len());
    }

    #[test]
    fn codes_are_complete() {
        for content in contents() {
            let mut counts = [0_u32; 256];
            for byte in &content {
                counts[usize::from(*byte)] += 1;
            }
            let lengths = code_lengths(counts);
            let sum: u32 = lengths
                .iter()
                .filter(|length| **length > 0)
                .map(|length| 1 << (LONGEST_CODE - length))
                .sum();
            assert_eq!(sum, 1 << LONGEST_CODE);
        }
    }

    #[test]
    fn names_that_do_not_fit_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, b"a").expect("written");
        for name in [Vec::new(), vec![b'a'; 128], vec![b'a', 0]] {
            let part = CbvPart {
                name,
                path: path.clone(),
                changed: [0; 2],
            };
            assert!(write(&mut io::Cursor::new(Vec::new()), &[part]).is_err());
        }
    }
}
