//! tar archives, read front to back from any stream.
//!
//! A member is a block of 512 bytes and its content, filled up to whole blocks:
//!
//! | bytes | content |
//! |---|---|
//! | 0-99 | name |
//! | 124-135 | size, octal, or big-endian with the high bit of the first byte set |
//! | 148-155 | sum of all bytes of the block, these eight counted as spaces, octal |
//! | 156 | type: `0` or NUL a file, `L` a long name for the next member, `x` its attributes |
//! | 257-264 | `ustar` NUL `00`, then bytes 345-499 hold the front of a long name |
//!
//! Links, devices and pipes are reported, and hold no games. A block of zeros ends the archive; an archive that ends without it
//! is truncated.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::compression::UnpackError;

const BLOCK: u64 = 512;

/// The maximum length of the name or the attributes of one member.
const MOST_ATTRIBUTES: u64 = 1 << 20;

/// Whether the bytes begin with the header of a tar member: its checksum has to be correct.
pub fn is_header(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<512>() else {
        return false;
    };
    octal(field(block, 148, 8)).is_some_and(|stored| stored == checksum(block))
}

/// Whether a block is a header, apart from its checksum: the magic of ustar, a name, a size, and a known type.
pub(crate) fn is_plausible(block: &[u8; 512]) -> bool {
    field(block, 257, 5) == b"ustar"
        && block.first().is_some_and(|byte| *byte != 0)
        && size(block).is_some()
        && matches!(
            field(block, 156, 1),
            b"0" | b"\0" | b"5" | b"7" | b"L" | b"x" | b"g"
        )
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
        .fold(0, u64::saturating_add)
}

fn field(block: &[u8; 512], start: usize, length: usize) -> &[u8] {
    block
        .get(start..)
        .and_then(|rest| rest.get(..length))
        .unwrap_or(&[])
}

/// An octal number between spaces and zero bytes.
fn octal(field: &[u8]) -> Option<u64> {
    let mut digits = field
        .iter()
        .skip_while(|byte| **byte == b' ')
        .take_while(|byte| **byte != 0 && **byte != b' ')
        .peekable();
    digits.peek()?;
    digits.try_fold(0u64, |value, digit| match digit {
        b'0'..=b'7' => value
            .checked_mul(8)?
            .checked_add(u64::from(digit.wrapping_sub(b'0'))),
        _ => None,
    })
}

/// The size: octal, or binary if it did not fit.
fn size(block: &[u8; 512]) -> Option<u64> {
    let field = field(block, 124, 12);
    match field.first() {
        Some(0x80) => field.iter().skip(1).try_fold(0u64, |value, byte| {
            value.checked_mul(256)?.checked_add(u64::from(*byte))
        }),
        _ => octal(field),
    }
}

fn until_zero(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or(&[])
}

/// A tar archive being read; its members share the stream.
#[derive(Debug, Clone)]
pub struct TarArchive(Arc<Mutex<TarStream>>);

struct TarStream {
    name: String,
    reader: Box<dyn Read + Send>,
    /// The remaining bytes of the current member, and of its padding.
    remaining: u64,
    padding: u64,
    /// Counts the members, so that a reader of an earlier one is detected.
    member: u64,
    position: u64,
    done: bool,
    /// A header whose wrong checksum was reported, but which is valid otherwise.
    doubtful: Option<Box<[u8; 512]>>,
    /// What was read about the next member before its own header.
    ahead: TarOverrides,
}

/// What precedes the header of a member because it does not fit into it.
#[derive(Default)]
struct TarOverrides {
    name: Option<Vec<u8>>,
    size: Option<u64>,
}

impl std::fmt::Debug for TarStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// One regular file of a tar archive; it can be read until the next one is opened.
#[derive(Debug)]
pub struct TarMember {
    archive: TarArchive,
    member: u64,
    /// The name as the archive has it.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
}

impl TarArchive {
    /// Reads an archive from a stream; `name` is for messages.
    pub fn new(name: &str, reader: Box<dyn Read + Send>) -> Self {
        Self(Arc::new(Mutex::new(TarStream {
            name: name.to_owned(),
            reader,
            remaining: 0,
            padding: 0,
            member: 0,
            position: 0,
            done: false,
            doubtful: None,
            ahead: TarOverrides::default(),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, TarStream> {
        // If a reader has panicked, the counters are still right.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Iterator for TarArchive {
    type Item = Result<TarMember, UnpackError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut stream = self.lock();
        if stream.done {
            return None;
        }
        match stream.next_member() {
            Ok(Some((name, size))) => {
                let member = stream.member;
                drop(stream);
                Some(Ok(TarMember {
                    archive: self.clone(),
                    member,
                    name,
                    size,
                }))
            }
            Ok(None) => {
                stream.done = true;
                None
            }
            Err(error) => {
                // If only the checksum is wrong, it is reported and the member follows; after a link, the next members
                // follow.
                let is_link = matches!(error, UnpackError::NoFile { .. });
                stream.done = stream.doubtful.is_none() && !is_link;
                Some(Err(error))
            }
        }
    }
}

impl TarStream {
    fn damaged(&self, problem: &str) -> UnpackError {
        UnpackError::Damaged {
            name: self.name.clone(),
            kind: "tar",
            input: self.position,
            output: self.position,
            problem: problem.to_owned(),
        }
    }

    fn truncated(&self) -> UnpackError {
        UnpackError::Truncated {
            name: self.name.clone(),
            kind: "tar",
            input: self.position,
            output: self.position,
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, UnpackError> {
        loop {
            match self.reader.read(buffer) {
                Ok(count) => {
                    self.position = self.position.saturating_add(count as u64);
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(UnpackError::from_io(&self.name, error)),
            }
        }
    }

    /// The next block; a stream that ends before or within it is truncated.
    fn block(&mut self) -> Result<[u8; 512], UnpackError> {
        let mut block = [0; 512];
        let mut filled = 0usize;
        while let Some(rest) = block.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.read(rest)? {
                0 => return Err(self.truncated()),
                count => filled = filled.saturating_add(count),
            }
        }
        Ok(block)
    }

    fn skip(&mut self, mut count: u64) -> Result<(), UnpackError> {
        let mut buffer = [0; 8192];
        while count > 0 {
            let part = usize::try_from(count)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            match self.read(buffer.get_mut(..part).unwrap_or(&mut []))? {
                0 => return Err(self.truncated()),
                read => count = count.saturating_sub(read as u64),
            }
        }
        Ok(())
    }

    /// Content that belongs to the next header.
    fn attributes(&mut self, size: u64) -> Result<Vec<u8>, UnpackError> {
        if size > MOST_ATTRIBUTES {
            return Err(self.damaged("a name or an attribute is too long"));
        }
        let mut bytes = Vec::new();
        for _ in 0..size.div_ceil(BLOCK) {
            bytes.extend_from_slice(&self.block()?);
        }
        bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    /// Moves to the next regular file.
    fn next_member(&mut self) -> Result<Option<(String, u64)>, UnpackError> {
        self.member = self.member.wrapping_add(1);
        let rest = self.remaining.saturating_add(self.padding);
        (self.remaining, self.padding) = (0, 0);
        self.skip(rest)?;
        loop {
            let doubtful = self.doubtful.take();
            let is_told = doubtful.is_some();
            let block = match doubtful {
                Some(block) => *block,
                None => self.block()?,
            };
            if block.iter().all(|byte| *byte == 0) {
                return self.end().map(|()| None);
            }
            if !is_header(&block) && !is_told {
                if is_plausible(&block) {
                    self.doubtful = Some(Box::new(block));
                }
                return Err(self.damaged("the checksum of a header does not match"));
            }
            let size = size(&block).ok_or_else(|| self.damaged("a size is not a number"))?;
            match field(&block, 156, 1) {
                b"0" | b"\0" | b"7" => {
                    let ahead = std::mem::take(&mut self.ahead);
                    let name = ahead.name.unwrap_or_else(|| short_name(&block));
                    let size = ahead.size.unwrap_or(size);
                    // Archives older than ustar mark a folder only by the end of its name.
                    if name.ends_with(b"/") {
                        self.skip(padded(size))?;
                        continue;
                    }
                    self.remaining = size;
                    self.padding = padded(size).saturating_sub(size);
                    return Ok(Some((String::from_utf8_lossy(&name).into_owned(), size)));
                }
                b"L" => {
                    let mut name = self.attributes(size)?;
                    name.truncate(until_zero(&name).len());
                    self.ahead.name = Some(name);
                }
                b"x" => {
                    for (key, value) in records(&self.attributes(size)?) {
                        match key {
                            b"path" => self.ahead.name = Some(value.to_vec()),
                            b"size" => {
                                let number = std::str::from_utf8(value).ok();
                                let number = number.and_then(|digits| digits.parse().ok());
                                let number =
                                    number.ok_or_else(|| self.damaged("a size is not a number"))?;
                                self.ahead.size = Some(number);
                            }
                            key if key.starts_with(b"GNU.sparse.") => {
                                return Err(self.sparse());
                            }
                            _ => {}
                        }
                    }
                }
                b"S" => return Err(self.sparse()),
                // Folders and attributes of the whole archive hold no games; the name of a game includes its folder.
                kind => {
                    let ahead = std::mem::take(&mut self.ahead);
                    self.skip(padded(ahead.size.unwrap_or(size)))?;
                    if let Some(what) = special(kind, &block) {
                        let name = ahead.name.unwrap_or_else(|| short_name(&block));
                        let inner = String::from_utf8_lossy(&name).into_owned();
                        let name = format!("{}/{inner}", self.name);
                        return Err(UnpackError::NoFile { name, what });
                    }
                }
            }
        }
    }

    fn sparse(&self) -> UnpackError {
        UnpackError::Unsupported {
            name: self.name.clone(),
            problem: "this tar archive has a sparse file".to_owned(),
        }
    }

    /// After the first block of zeros, only zeros may follow.
    fn end(&mut self) -> Result<(), UnpackError> {
        let mut buffer = [0; 8192];
        loop {
            let at = self.position;
            let count = self.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            let mut bytes = buffer.iter().take(count);
            if let Some(place) = bytes.position(|byte| *byte != 0) {
                return Err(UnpackError::Trailing {
                    name: self.name.clone(),
                    kind: "tar",
                    input: at.saturating_add(place as u64),
                });
            }
        }
    }
}

/// The kind of a member without content of its own, such as a link.
fn special(kind: &[u8], block: &[u8; 512]) -> Option<String> {
    let target = || String::from_utf8_lossy(until_zero(field(block, 157, 100))).into_owned();
    Some(match kind {
        b"1" | b"2" => format!("a link to {}", target()),
        b"3" | b"4" => "a device".to_owned(),
        b"6" => "a pipe".to_owned(),
        _ => return None,
    })
}

/// A size filled up to whole blocks.
fn padded(size: u64) -> u64 {
    size.div_ceil(BLOCK).saturating_mul(BLOCK)
}

fn short_name(block: &[u8; 512]) -> Vec<u8> {
    let name = until_zero(field(block, 0, 100));
    if field(block, 257, 8) == b"ustar\x0000" {
        let prefix = until_zero(field(block, 345, 155));
        if !prefix.is_empty() {
            return [prefix, b"/", name].concat();
        }
    }
    name.to_vec()
}

/// The `LENGTH KEY=VALUE
/// ` records of extended attributes; the first invalid one ends them.
fn records(mut bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut records = Vec::new();
    while let Some(space) = bytes.iter().position(|byte| *byte == b' ') {
        let length = bytes
            .get(..space)
            .and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<usize>().ok());
        let Some((record, rest)) = length.and_then(|length| bytes.split_at_checked(length)) else {
            break;
        };
        let record = record.get(space.saturating_add(1)..).unwrap_or(&[]);
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        if let Some(equals) = record.iter().position(|byte| *byte == b'=') {
            let (key, value) = record.split_at(equals);
            records.push((key, value.get(1..).unwrap_or(&[])));
        }
        // A length of zero would loop for ever.
        if length == Some(0) {
            break;
        }
        bytes = rest;
    }
    records
}

impl Read for TarMember {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut stream = self.archive.lock();
        if stream.member != self.member {
            return Err(io::Error::other(
                "a member of a tar archive was read after the next one was opened",
            ));
        }
        let part = usize::try_from(stream.remaining)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let Some(part) = buffer.get_mut(..part).filter(|part| !part.is_empty()) else {
            return Ok(0);
        };
        match stream.read(part)? {
            0 => Err(stream.truncated().into()),
            count => {
                stream.remaining = stream.remaining.saturating_sub(count as u64);
                Ok(count)
            }
        }
    }
}
