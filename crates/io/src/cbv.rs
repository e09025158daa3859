//! The archives of ChessBase: `.cbv`, and `.cbz`, which is the same encrypted.
//!
//! An archive is a header of eight bytes, a table of members, and their streams one after the other. A stream is a series
//! of blocks, each stored, packed by LZ, by Huffman, or by both. `docs/formats/chessbase-modern.md` describes every byte.
//!
//! Bytes are returned as they are unpacked: memory is a block and a window of four thousand bytes, whatever the table
//! says.

use std::io::{self, Read};
use std::sync::Arc;

use des::Des;
use des::cipher::{BlockCipherDecrypt, KeyInit};

use super::archive_file::ArchiveFile;
use super::compression::{UnpackError, UnpackLimits};
use super::random_file::RandomFile;
use super::stream_decoder::UnpackMeter;

/// The length of the header.
const HEADER: usize = 8;
/// The length of an entry of the table.
const ENTRY: usize = 173;
/// The bytes of an entry that hold its name.
const NAME: usize = 128;
/// The greatest distance that a copy reaches back.
const WINDOW: usize = 16 * 255 + 15 + 3;
/// A block is unpacked until this number of bytes is ready to be read.
const STEP: usize = 64 * 1024;
/// The name of these archives in messages.
const KIND: &str = "CBV";

/// Whether the first bytes are those of an archive.
pub fn is_header(head: &[u8]) -> bool {
    matches!(head, [8, 0, _, _, 173, 0, 3, 0, ..])
}

/// A member, as the table describes it.
#[derive(Clone, Debug)]
struct CbvEntry {
    name: String,
    offset: u64,
    packed: u64,
    size: u64,
}

/// An archive; iterating yields its members.
#[derive(Debug)]
pub struct CbvArchive {
    of: ArchiveFile,
    count: u16,
    next: u16,
}

impl CbvArchive {
    /// Opens an archive; `name` is for messages, `meter` detects decompression bombs.
    pub fn open(
        name: &str,
        file: Arc<RandomFile>,
        limits: &UnpackLimits,
        meter: UnpackMeter,
    ) -> Result<Self, UnpackError> {
        let mut archive = Self {
            of: ArchiveFile {
                name: name.to_owned(),
                kind: KIND,
                file,
                limits: *limits,
                meter,
            },
            count: 0,
            next: 0,
        };
        let mut head = [0; HEADER];
        archive.of.read_at(&mut head, 0)?;
        if !is_header(&head) {
            return Err(archive.of.damaged(0, "the header is not valid"));
        }
        archive.count = u16::from_le_bytes([head[2], head[3]]);
        Ok(archive)
    }

    fn entry(&self, number: u16) -> Result<CbvEntry, UnpackError> {
        let at = (HEADER + usize::from(number) * ENTRY) as u64;
        let mut bytes = [0; NAME + 12];
        self.of.read_at(&mut bytes, at)?;
        let (name, numbers) = bytes.split_at(NAME);
        let end = memchr::memchr(0, name).unwrap_or(name.len());
        let name = name.get(..end).unwrap_or(&[]);
        let number = |index: usize| {
            let number = numbers.get(index * 4..).and_then(|rest| rest.first_chunk());
            u64::from(number.copied().map_or(0, u32::from_le_bytes))
        };
        let inner = inner_name(name).ok_or_else(|| {
            self.of
                .damaged(at, "a member has a name outside the archive")
        })?;
        Ok(CbvEntry {
            name: inner,
            offset: number(0),
            packed: number(1),
            size: number(2),
        })
    }

    fn member(&self, entry: CbvEntry) -> Result<CbvMember, UnpackError> {
        let end = entry.offset.saturating_add(entry.packed);
        // A truncated archive yields what it has of the member, and then an error.
        let table = (HEADER + usize::from(self.count) * ENTRY) as u64;
        if entry.offset < table {
            return Err(self
                .of
                .damaged(entry.offset, "a member begins before the end of the table"));
        }
        Ok(CbvMember {
            unpacking: CbvUnpacker {
                archive: self.of.name.clone(),
                file: Arc::clone(&self.of.file),
                limits: self.of.limits,
                meter: self.of.meter.clone(),
                at: entry.offset,
                end,
                left: entry.size,
                written: 0,
                block: Vec::new(),
                lz: None,
                plain: 0..0,
                ready: Vec::new(),
                window: LzWindow::default(),
                failed: None,
            },
            taken: 0,
            name: entry.name,
            size: entry.size,
        })
    }
}

/// A name of the table as a path within the archive; `None` if it leads out of it.
fn inner_name(bytes: &[u8]) -> Option<String> {
    // Code page 1252 and Latin-1 differ only in characters that do not occur in file names.
    let name: String = bytes
        .iter()
        .map(|byte| match byte {
            b'\\' => '/',
            byte => char::from(*byte),
        })
        .collect();
    let is_inside = !name.is_empty()
        && !name.starts_with('/')
        && !name.contains(':')
        && !name.split('/').any(|part| matches!(part, "" | "." | ".."));
    is_inside.then_some(name)
}

impl Iterator for CbvArchive {
    type Item = Result<CbvMember, UnpackError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.count {
            return None;
        }
        let entry = self.entry(self.next);
        self.next += 1;
        if matches!(entry, Err(UnpackError::Truncated { .. })) {
            // If the table itself is truncated, nothing follows.
            self.next = self.count;
        }
        Some(entry.and_then(|entry| self.member(entry)))
    }
}

/// One file of an archive.
#[derive(Debug)]
pub struct CbvMember {
    /// The name, with `/` between folders.
    pub name: String,
    /// The size in the table.
    pub size: u64,
    unpacking: CbvUnpacker,
    /// How many of the ready bytes have been read.
    taken: usize,
}

impl Read for CbvMember {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let ready = self.unpacking.ready.get(self.taken..).unwrap_or(&[]);
            if !ready.is_empty() {
                let count = ready.len().min(buffer.len());
                if let (Some(to), Some(from)) = (buffer.get_mut(..count), ready.get(..count)) {
                    to.copy_from_slice(from);
                }
                self.taken += count;
                return Ok(count);
            }
            self.taken = 0;
            if buffer.is_empty() || !self.unpacking.more()? {
                return Ok(0);
            }
        }
    }
}

/// The last unpacked bytes.
#[derive(Debug, Default)]
struct LzWindow {
    bytes: Vec<u8>,
}

impl LzWindow {
    /// The byte at this distance before the end, if there is one.
    fn back(&self, distance: usize) -> Option<u8> {
        self.bytes
            .get(self.bytes.len().checked_sub(distance)?)
            .copied()
    }

    fn push(&mut self, byte: u8) {
        if self.bytes.len() >= 8 * WINDOW {
            let from = self.bytes.len() - WINDOW;
            self.bytes.drain(..from);
        }
        self.bytes.push(byte);
    }
}

/// The position within an LZ block.
#[derive(Debug)]
struct LzBlock {
    at: usize,
    control: u16,
    tokens: u8,
}

/// Unpacks the stream of a member, a step at a time.
#[derive(Debug)]
struct CbvUnpacker {
    archive: String,
    file: Arc<RandomFile>,
    limits: UnpackLimits,
    meter: UnpackMeter,
    /// Where the next block begins, and where the stream ends.
    at: u64,
    end: u64,
    /// The number of bytes still to be unpacked.
    left: u64,
    written: u64,
    /// The current block: bytes to return, or an LZ stream.
    block: Vec<u8>,
    lz: Option<LzBlock>,
    plain: std::ops::Range<usize>,
    ready: Vec<u8>,
    window: LzWindow,
    /// The problem; every further read reports it again.
    failed: Option<(u64, &'static str)>,
}

impl CbvUnpacker {
    fn error(&self, input: u64, problem: &str) -> io::Error {
        let error = match problem {
            CUT => UnpackError::Truncated {
                name: self.archive.clone(),
                kind: KIND,
                input,
                output: self.written,
            },
            problem => UnpackError::Damaged {
                name: self.archive.clone(),
                kind: KIND,
                input,
                output: self.written,
                problem: problem.to_owned(),
            },
        };
        io::Error::other(error)
    }

    /// Makes more bytes ready; false at the end.
    fn more(&mut self) -> io::Result<bool> {
        self.ready.clear();
        if let Some((input, problem)) = self.failed {
            return Err(self.error(input, problem));
        }
        let outcome = self.step();
        let count = self.ready.len();
        self.written = self.written.saturating_add(count as u64);
        if let Err(problem) = outcome {
            self.failed = Some((self.at, problem));
            if count == 0 {
                return Err(self.error(self.at, problem));
            }
        }
        self.meter
            .add_output(&self.archive, count, &self.limits)
            .map_err(io::Error::other)?;
        Ok(count > 0)
    }

    /// Unpacks until `STEP` bytes are ready, or the member ends.
    fn step(&mut self) -> Result<(), &'static str> {
        while self.ready.len() < STEP {
            if !self.plain.is_empty() {
                let part = self.plain.clone();
                self.plain = 0..0;
                let block = std::mem::take(&mut self.block);
                for byte in block.get(part).unwrap_or(&[]) {
                    self.put(*byte)?;
                }
                continue;
            }
            if self.lz.is_some() {
                self.lz_step()?;
                continue;
            }
            if self.at >= self.end {
                return match self.left {
                    0 => Ok(()),
                    _ => Err("the blocks hold fewer bytes than the table says"),
                };
            }
            self.next_block()?;
        }
        Ok(())
    }

    fn put(&mut self, byte: u8) -> Result<(), &'static str> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or("the blocks hold more bytes than the table says")?;
        self.window.push(byte);
        self.ready.push(byte);
        Ok(())
    }

    fn next_block(&mut self) -> Result<(), &'static str> {
        let mut head = [0; 4];
        self.file
            .read_exact_at(&mut head, self.at)
            .map_err(|_| CUT)?;
        let length = usize::from(u16::from_le_bytes([head[0], head[1]]));
        let mut payload = vec![0; length];
        self.file
            .read_exact_at(&mut payload, self.at.saturating_add(4))
            .map_err(|_| CUT)?;
        self.at = self.at.saturating_add(4 + length as u64);
        if self.at > self.end {
            return Err("a block extends past its member");
        }
        let (mode, content) = payload.split_first().ok_or("a block is empty")?;
        match mode {
            0 => {
                self.plain = 1..payload.len();
                self.block = payload;
            }
            1 => {
                self.lz = Some(LzBlock::at(1));
                self.block = payload;
            }
            2 => {
                self.block = huffman(content)?;
                self.plain = 0..self.block.len();
            }
            3 => {
                self.block = huffman(content)?;
                self.lz = Some(LzBlock::at(0));
            }
            _ => return Err("a block has an unknown mode"),
        }
        Ok(())
    }

    /// Unpacks one token of an LZ block.
    fn lz_step(&mut self) -> Result<(), &'static str> {
        let Some(mut lz) = self.lz.take() else {
            return Ok(());
        };
        let rest = self.block.get(lz.at..).unwrap_or(&[]);
        if lz.tokens == 0 {
            match *rest {
                [] => return Ok(()),
                // If only one byte is left where a control word should be, it is a literal.
                [byte] => return self.put(byte),
                [low, high, ..] => {
                    lz.control = u16::from_le_bytes([low, high]);
                    lz.tokens = 16;
                    lz.at += 2;
                    self.lz = Some(lz);
                    return Ok(());
                }
            }
        }
        let Some((&first, more)) = rest.split_first() else {
            return Ok(());
        };
        let is_tag = lz.control & 0x8000 != 0;
        lz.control <<= 1;
        lz.tokens -= 1;
        lz.at += 1;
        if !is_tag {
            self.lz = Some(lz);
            return self.put(first);
        }
        const SHORT: &str = "a block ends in the middle of a token";
        let (high, low) = (usize::from(first >> 4), usize::from(first & 15));
        let a = *more.first().ok_or(SHORT)?;
        let b = || more.get(1).copied().ok_or(SHORT);
        let distance = 16 * usize::from(a) + low + 3;
        let (used, count, repeated) = match high {
            0 => (1, low + 3, Some(a)),
            1 => (2, low + 16 * usize::from(a) + 19, Some(b()?)),
            2 => (2, usize::from(b()?) + 16, None),
            count => (1, count, None),
        };
        lz.at += used;
        self.lz = Some(lz);
        for _ in 0..count {
            let byte = match repeated {
                Some(byte) => byte,
                None => self
                    .window
                    .back(distance)
                    .ok_or("a copy begins before the start of the data")?,
            };
            self.put(byte)?;
        }
        Ok(())
    }
}

/// The problem of a file that is truncated.
const CUT: &str = "cut";

impl LzBlock {
    fn at(at: usize) -> LzBlock {
        LzBlock {
            at,
            control: 0,
            tokens: 0,
        }
    }
}

/// Bits from the top of each byte.
struct CbvBitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl CbvBitReader<'_> {
    fn bit(&mut self) -> Option<u16> {
        let byte = self.bytes.get(self.at / 8)?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Some(u16::from(bit))
    }

    fn bits(&mut self, count: u16) -> Option<u16> {
        (0..count).try_fold(0, |value, _| Some(value << 1 | self.bit()?))
    }
}

/// Unpacks a Huffman block. It begins with its code, which has an entry for each byte value, and the data follows.
fn huffman(content: &[u8]) -> Result<Vec<u8>, &'static str> {
    const SHORT: &str = "a block ends before its data";
    let (length, rest) = content.split_first_chunk::<2>().ok_or(SHORT)?;
    let length = usize::from(u16::from_be_bytes(*length));
    let mut bits = CbvBitReader { bytes: rest, at: 0 };
    // The tree as a list of pairs: the successors for 0 and 1, each another pair or (from LEAF on) a byte.
    const LEAF: u16 = 0x8000;
    const NONE: u16 = 0;
    let mut tree = vec![[NONE; 2]];
    for byte in 0..=255_u16 {
        let code_length = bits.bits(4).ok_or(SHORT)?;
        let mut node = 0_usize;
        for place in (0..code_length).rev() {
            let bit = usize::from(bits.bit().ok_or(SHORT)?) & 1;
            let fresh = u16::try_from(tree.len()).unwrap_or(LEAF);
            let branch = tree.get_mut(node).ok_or(SHORT)?;
            let slot = &mut branch[bit];
            if place == 0 {
                if *slot != NONE {
                    return Err("two bytes have the same code");
                }
                *slot = LEAF | byte;
            } else {
                if *slot & LEAF != 0 {
                    return Err("a code is the beginning of another one");
                }
                if *slot == NONE {
                    *slot = fresh;
                    tree.push([NONE; 2]);
                    node = usize::from(fresh);
                } else {
                    node = usize::from(*slot);
                }
            }
        }
    }
    // Every byte takes at least one bit, so a size that exceeds the data fails before memory is allocated for it.
    let mut output = Vec::new();
    while output.len() < length {
        let mut node = 0_usize;
        loop {
            let bit = usize::from(bits.bit().ok_or(SHORT)?) & 1;
            let next = tree.get(node).map_or(NONE, |branch| branch[bit]);
            if next & LEAF != 0 {
                output.push(next.to_le_bytes()[0]);
                break;
            }
            if next == NONE {
                return Err("the data has a code that belongs to no byte");
            }
            node = usize::from(next);
        }
    }
    Ok(output)
}

/// A `.cbz`, read as the `.cbv` inside.
pub struct CbzReader<R> {
    reader: R,
    cipher: Des,
    ready: [u8; 8],
    left: usize,
}

impl<R: Read> CbzReader<R> {
    /// Decrypts the bytes of `reader` with a password.
    pub fn new(reader: R, password: &[u8]) -> Self {
        Self {
            reader,
            cipher: Des::new(&key(password).into()),
            ready: [0; 8],
            left: 0,
        }
    }
}

impl<R> std::fmt::Debug for CbzReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is not shown.
        f.debug_struct("Deciphered").finish_non_exhaustive()
    }
}

impl<R: Read> Read for CbzReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut count = 0;
        while count < buffer.len() {
            if self.left == 0 {
                let mut block = [0; 8];
                let mut filled = 0;
                while let Some(space) = block.get_mut(filled..).filter(|space| !space.is_empty()) {
                    match self.reader.read(space) {
                        Ok(0) => break,
                        Ok(read) => filled += read,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                // An incomplete block is not part of the archive.
                if filled < block.len() {
                    break;
                }
                let mut block = block.into();
                self.cipher.decrypt_block(&mut block);
                self.ready = block.into();
                self.left = block.len();
            }
            let part = self.left.min(buffer.len() - count);
            let from = self.ready.len() - self.left;
            if let (Some(to), Some(from)) = (
                buffer.get_mut(count..count + part),
                self.ready.get(from..from + part),
            ) {
                to.copy_from_slice(from);
            }
            count += part;
            self.left -= part;
        }
        Ok(count)
    }
}

/// The key of a password: a short one is repeated, a long one folded.
fn key(password: &[u8]) -> [u8; 8] {
    let mut key = [0_u8; 8];
    if password.len() <= key.len() {
        for (byte, letter) in key.iter_mut().zip(password.iter().cycle()) {
            *byte = *letter;
        }
    } else {
        for (letter, at) in password.iter().zip((0..8).cycle()) {
            if let Some(byte) = key.get_mut(at) {
                *byte = (*byte << 1) ^ letter;
            }
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch_file::ScratchFile;
    use std::io::Write;

    /// An archive whose members have the given blocks.
    fn archive(members: &[(&str, u32, &[u8])]) -> Vec<u8> {
        let count = u16::try_from(members.len()).expect("few");
        let mut bytes = vec![8, 0];
        bytes.extend_from_slice(&count.to_le_bytes());
        bytes.extend_from_slice(&[173, 0, 3, 0]);
        let mut offset = u32::try_from(HEADER + members.len() * ENTRY).expect("small");
        for (name, size, stream) in members {
            let mut entry = vec![0; ENTRY];
            entry[..name.len()].copy_from_slice(name.as_bytes());
            let packed = u32::try_from(stream.len()).expect("small");
            for (at, number) in [offset, packed, *size].into_iter().enumerate() {
                entry[NAME + at * 4..][..4].copy_from_slice(&number.to_le_bytes());
            }
            offset += packed;
            bytes.extend_from_slice(&entry);
        }
        for (_, _, stream) in members {
            bytes.extend_from_slice(stream);
        }
        bytes
    }

    fn block(payload: &[u8]) -> Vec<u8> {
        let mut bytes = u16::try_from(payload.len())
            .expect("short")
            .to_le_bytes()
            .to_vec();
        bytes.extend_from_slice(&[0, 0]);
        bytes.extend_from_slice(payload);
        bytes
    }

    type Unpacked = Vec<Result<(String, Vec<u8>), String>>;

    fn unpack(bytes: &[u8]) -> Unpacked {
        let mut scratch = ScratchFile::new().expect("a file");
        scratch.write_all(bytes).expect("written");
        let file = Arc::new(RandomFile::from_scratch(scratch).expect("opened"));
        let meter = UnpackMeter::of_size(bytes.len() as u64);
        let archive = match CbvArchive::open("x.cbv", file, &UnpackLimits::default(), meter) {
            Ok(archive) => archive,
            Err(error) => return vec![Err(error.to_string())],
        };
        archive
            .map(|member| {
                let mut member = member.map_err(|error| error.to_string())?;
                let mut content = Vec::new();
                member
                    .read_to_end(&mut content)
                    .map_err(|error| error.to_string())?;
                Ok((member.name, content))
            })
            .collect()
    }

    #[test]
    fn blocks_of_all_kinds() {
        // Stored; LZ with a literal, a copy and runs; a leftover literal.
        let mut stream = block(b"\x00abcdefgh");
        // The control word: one literal, then a copy, a short run and a long run.
        stream.extend(block(&[
            1, 0, 0x70, b'X', 0x35, 0, 0x01, b'r', 0x10, 0, b's',
        ]));
        stream.extend(block(&[1, b'!']));
        let mut expected = b"abcdefghX".to_vec();
        // A copy of eight bytes from a distance of nine.
        expected.extend_from_slice(b"bcd");
        expected.extend_from_slice(b"rrrr");
        expected.extend(std::iter::repeat_n(b's', 19));
        expected.push(b'!');
        let size = u32::try_from(expected.len()).expect("small");
        let bytes = archive(&[("a.html\\b.txt", size, &stream), ("empty", 0, b"")]);
        assert_eq!(
            unpack(&bytes),
            [
                Ok(("a.html/b.txt".to_owned(), expected)),
                Ok(("empty".to_owned(), Vec::new()))
            ]
        );
        for length in 0..bytes.len() {
            assert!(
                unpack(&bytes[..length]).iter().any(Result::is_err),
                "{length}"
            );
        }
    }

    #[test]
    fn huffman_with_codes_of_its_own() {
        // a is 0, b is 10, c is 11; then the text cab.
        let mut bits = String::new();
        for byte in 0..=255_u8 {
            bits.push_str(match byte {
                b'a' => "00010",
                b'b' => "001010",
                b'c' => "001011",
                _ => "0000",
            });
        }
        bits.push_str("11010");
        while !bits.len().is_multiple_of(8) {
            bits.push('0');
        }
        let packed = bits.as_bytes().chunks(8).map(|bits| {
            let bits = std::str::from_utf8(bits).expect("ASCII");
            u8::from_str_radix(bits, 2).expect("bits")
        });
        let mut content = vec![0, 3];
        content.extend(packed);
        assert_eq!(huffman(&content), Ok(b"cab".to_vec()));
        content[1] = 200;
        assert!(huffman(&content).is_err());
    }

    #[test]
    fn what_a_table_claims_is_not_believed() {
        let stream = block(b"\x00abc");
        for size in [2, 4, u32::MAX] {
            assert!(unpack(&archive(&[("x", size, &stream)]))[0].is_err());
        }
        for name in ["..\\x", "\\x", "C:x", "a\\..\\b", ""] {
            assert!(
                unpack(&archive(&[(name, 3, &stream)]))[0].is_err(),
                "{name}"
            );
        }
        // A copy from before the beginning, and an unknown mode.
        let stream = block(&[1, 0, 0x80, 0x30, 0]);
        assert!(unpack(&archive(&[("x", 3, &stream)]))[0].is_err());
        let stream = block(&[9, 1]);
        assert!(unpack(&archive(&[("x", 1, &stream)]))[0].is_err());
    }

    #[test]
    fn keys_of_passwords() {
        assert_eq!(&key(b"password"), b"password");
        assert_eq!(&key(b"pass"), b"passpass");
        assert_eq!(key(b"abcdefghi")[0], (b'a' << 1) ^ b'i');
        assert_eq!(key(b""), [0; 8]);
    }
}
