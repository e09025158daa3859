//! zip archives, read at random from a file.
//!
//! The directory at the end of the file is authoritative; it is read as a stream, so that an archive of a million
//! members takes no memory. If it is missing, because the file is truncated, the members are read front to back by
//! their own headers, and an error follows the last one.
//!
//! | record | mark | fields used here, little-endian |
//! |---|---|---|
//! | end | `PK 05 06` | disk 4:2, directory size 12:4 and offset 16:4, comment length 20:2 |
//! | end of 64 bits | `PK 06 06` | directory size 40:8 and offset 48:8; found by `PK 06 07`, offset 8:8 |
//! | directory entry | `PK 01 02` | flags 8:2, method 10:2, CRC 16:4, sizes 20:4 and 24:4, lengths of name, extra and comment 28:2 30:2 32:2, offset 42:4 |
//! | member | `PK 03 04` | flags 6:2, method 8:2, CRC 14:4, sizes 18:4 and 22:4, lengths of name and extra 26:2 28:2, then the data |

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use super::archive_file::ArchiveFile;
use super::bytes::{ByteCursor, OutOfBoundsError};
use super::compression::{Compression, DEFLATE_MOST, UnpackError, UnpackLimits};
use super::random_file::RandomFile;
use super::stream_decoder::{StreamDecoder, UnpackMeter};

/// The lengths of the end record, of the longest comment, and of the locator of the 64-bit record before them.
const TAIL: u64 = 22 + 65_535 + 20;

/// A part of a file as a stream.
#[derive(Debug)]
struct FileRange {
    file: Arc<RandomFile>,
    at: u64,
    end: u64,
}

impl Read for FileRange {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let part = left.min(buffer.len());
        let count = self
            .file
            .read_at(buffer.get_mut(..part).unwrap_or(&mut []), self.at)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

/// What a header contains about a member.
#[derive(Debug, Clone, Default)]
struct ZipHeader {
    name: Vec<u8>,
    flags: u16,
    method: u16,
    checksum: u32,
    packed: u64,
    size: u64,
    offset: u64,
    /// Type and permissions of the file, as in Unix; 0 if unknown.
    mode: u32,
}

#[derive(Debug)]
enum ZipWalk {
    /// Follows the directory.
    Directory {
        reader: BufReader<FileRange>,
        at: u64,
        left: u64,
        base: u64,
    },
    /// Follows the members' own headers.
    Members {
        at: u64,
    },
    Done,
}

/// A zip archive; iterating gives its files.
#[derive(Debug)]
pub struct ZipArchive {
    of: ArchiveFile,
    walk: ZipWalk,
}

/// One file of a zip archive; it can be read at any time and from any thread.
pub struct ZipMember {
    /// The name as the archive has it.
    pub name: String,
    /// The size in bytes, if it is known beforehand.
    pub size: Option<u64>,
    content: Box<dyn Read + Send>,
}

impl std::fmt::Debug for ZipMember {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Read for ZipMember {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.content.read(buffer)
    }
}

impl ZipArchive {
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
                kind: "zip",
                file,
                limits: *limits,
                meter,
            },
            walk: ZipWalk::Done,
        };
        archive.walk = match archive.find_directory()? {
            Some((start, size, base)) => ZipWalk::Directory {
                reader: BufReader::new(FileRange {
                    file: Arc::clone(&archive.of.file),
                    at: start,
                    end: start.saturating_add(size),
                }),
                at: start,
                left: size,
                base,
            },
            None => ZipWalk::Members { at: 0 },
        };
        Ok(archive)
    }

    fn out_of_bounds(&self, error: OutOfBoundsError) -> UnpackError {
        self.of.damaged(error.offset, "a record is truncated")
    }

    /// Start and size of the directory, and how far all offsets are shifted by what precedes the archive (a program that
    /// unpacks itself); `None` if there is no directory.
    fn find_directory(&self) -> Result<Option<(u64, u64, u64)>, UnpackError> {
        let size = self.of.file.size();
        let tail_start = size.saturating_sub(TAIL);
        let mut tail = vec![0; usize::try_from(size - tail_start).unwrap_or(0)];
        self.of.read_at(&mut tail, tail_start)?;
        let Some(end) = memchr::memmem::rfind(&tail, b"PK\x05\x06") else {
            return Ok(None);
        };
        let mut cursor = ByteCursor::with_base(tail.get(end..).unwrap_or(&[]), tail_start);
        let Ok((disk, mut length, mut offset)) = (|| {
            cursor.skip(4)?;
            let disk = cursor.u16_le()?;
            cursor.skip(6)?;
            let length = u64::from(cursor.u32_le()?);
            let offset = u64::from(cursor.u32_le()?);
            Ok::<_, OutOfBoundsError>((disk, length, offset))
        })() else {
            return Ok(None);
        };
        let mut end = tail_start.saturating_add(end as u64);
        if disk != 0 && disk != 0xffff {
            return Err(UnpackError::Unsupported {
                name: self.of.name.clone(),
                problem: "this is one part of a split zip archive".to_owned(),
            });
        }
        if let Some((wide_end, wide_length, wide_offset)) = self.find_wide_end(end)? {
            (end, length, offset) = (wide_end, wide_length, wide_offset);
        }
        let Some(start) = end.checked_sub(length) else {
            return Err(self
                .of
                .damaged(end, "the directory would begin before the file"));
        };
        match start.checked_sub(offset) {
            Some(base) => Ok(Some((start, length, base))),
            // There is something between the directory and its end record: trust the offset.
            None => Ok(Some((
                offset.min(end),
                length.min(end.saturating_sub(offset)),
                0,
            ))),
        }
    }

    /// Place, size and offset of the directory in the 64-bit end record, if there is one.
    fn find_wide_end(&self, end: u64) -> Result<Option<(u64, u64, u64)>, UnpackError> {
        let Some(locator_at) = end.checked_sub(20) else {
            return Ok(None);
        };
        let mut locator = [0; 20];
        self.of.read_at(&mut locator, locator_at)?;
        let mut cursor = ByteCursor::with_base(&locator, locator_at);
        if cursor.take(4) != Ok(b"PK\x06\x07") {
            return Ok(None);
        }
        let parse = |error| self.out_of_bounds(error);
        cursor.skip(4).map_err(parse)?;
        let claimed = cursor.u64_le().map_err(parse)?;
        // If something precedes the archive, the record is right before its locator.
        for place in [Some(claimed), locator_at.checked_sub(56)]
            .into_iter()
            .flatten()
        {
            if place.checked_add(56).is_none_or(|end| end > locator_at) {
                continue;
            }
            let mut record = [0; 56];
            self.of.read_at(&mut record, place)?;
            let mut cursor = ByteCursor::with_base(&record, place);
            if cursor.take(4) != Ok(b"PK\x06\x06") {
                continue;
            }
            cursor.seek(40).map_err(parse)?;
            let length = cursor.u64_le().map_err(parse)?;
            let offset = cursor.u64_le().map_err(parse)?;
            return Ok(Some((place, length, offset)));
        }
        Err(self
            .of
            .damaged(locator_at, "the zip64 end record is missing"))
    }

    fn next_header(&mut self) -> Result<Option<(ZipHeader, bool)>, UnpackError> {
        match &mut self.walk {
            ZipWalk::Done => Ok(None),
            ZipWalk::Directory {
                reader,
                at,
                left,
                base,
            } => {
                // The rest is shorter than an entry: it may be a signature of the directory.
                if *left < 46 {
                    return Ok(None);
                }
                let (place, base) = (*at, *base);
                let mut fixed = [0; 46];
                let result = reader.read_exact(&mut fixed).and_then(|()| {
                    let mut cursor = ByteCursor::with_base(&fixed, place);
                    let header = parse_entry(&mut cursor)?;
                    Ok(header)
                });
                let Some((mut header, name, extra, comment)) =
                    result.map_err(|error| UnpackError::from_io(&self.of.name, error))?
                else {
                    // The signature of the directory follows the entries.
                    if fixed.starts_with(b"PK\x05\x05") {
                        return Ok(None);
                    }
                    return Err(self.of.damaged(place, "a directory entry has no signature"));
                };
                let variable = usize::from(name)
                    .saturating_add(usize::from(extra))
                    .saturating_add(usize::from(comment));
                let mut bytes = vec![0; variable];
                if reader.read_exact(&mut bytes).is_err() {
                    return Err(self.of.damaged(place, "the directory is truncated"));
                }
                let length = 46u64.saturating_add(variable as u64);
                *at = at.saturating_add(length);
                *left = left.saturating_sub(length);
                let mut cursor = ByteCursor::with_base(&bytes, place);
                let parts = (|| {
                    let name = cursor.take(usize::from(name))?.to_vec();
                    let extra = cursor.take(usize::from(extra))?;
                    Ok::<_, OutOfBoundsError>((name, extra))
                })();
                let (name, extra) = parts.map_err(|error| self.out_of_bounds(error))?;
                header.name = name;
                widen(&mut header, extra);
                header.offset = header.offset.saturating_add(base);
                Ok(Some((header, true)))
            }
            ZipWalk::Members { at } => {
                let at = *at;
                let Ok((header, data)) = self.member_header(at) else {
                    return Ok(None);
                };
                let mut header = ZipHeader {
                    offset: at,
                    ..header
                };
                let mut known = true;
                let mut next = data.saturating_add(header.packed);
                if header.flags & 8 != 0 {
                    // The length is in the descriptor after the data.
                    match self.find_descriptor(data)? {
                        Some((found, end)) => {
                            next = end;
                            header = ZipHeader {
                                checksum: found.checksum,
                                packed: found.packed,
                                size: found.size,
                                ..header
                            };
                        }
                        None => (known, next) = (false, self.of.file.size()),
                    }
                }
                self.walk = ZipWalk::Members { at: next };
                Ok(Some((header, known)))
            }
        }
    }

    /// Looks for the descriptor that follows data of unknown length: its mark, and a length that equals the distance to the
    /// data. Returns it and its end.
    fn find_descriptor(&self, data: u64) -> Result<Option<(ZipHeader, u64)>, UnpackError> {
        const CHUNK: u64 = 64 * 1024;
        const LENGTH: u64 = 24;
        let mut at = data;
        while at < self.of.file.size() {
            let chunk = CHUNK
                .saturating_add(LENGTH)
                .min(self.of.file.size().saturating_sub(at));
            let mut bytes = vec![0; usize::try_from(chunk).unwrap_or(0)];
            self.of.read_at(&mut bytes, at)?;
            for place in memchr::memmem::find_iter(&bytes, b"PK\x07\x08") {
                let distance = at.saturating_add(place as u64).saturating_sub(data);
                let cursor = ByteCursor::with_base(bytes.get(place..).unwrap_or(&[]), at);
                for wide in [false, true] {
                    if let Ok(found) = parse_descriptor(cursor.clone(), wide)
                        && found.packed == distance
                    {
                        let length = if wide { 24 } else { 16 };
                        let end = data.saturating_add(distance).saturating_add(length);
                        return Ok(Some((found, end)));
                    }
                }
            }
            at = at.saturating_add(CHUNK);
        }
        Ok(None)
    }

    /// The header before the data of a member, and where the data begins.
    fn member_header(&self, offset: u64) -> Result<(ZipHeader, u64), UnpackError> {
        let mut fixed = [0; 30];
        self.of.read_at(&mut fixed, offset)?;
        let parse = |error| self.out_of_bounds(error);
        let mut cursor = ByteCursor::with_base(&fixed, offset);
        if cursor.take(4) != Ok(b"PK\x03\x04") {
            return Err(self.of.damaged(offset, "a member has no signature"));
        }
        cursor.skip(2).map_err(parse)?;
        let mut header = ZipHeader {
            flags: cursor.u16_le().map_err(parse)?,
            method: cursor.u16_le().map_err(parse)?,
            ..ZipHeader::default()
        };
        cursor.skip(4).map_err(parse)?;
        header.checksum = cursor.u32_le().map_err(parse)?;
        header.packed = u64::from(cursor.u32_le().map_err(parse)?);
        header.size = u64::from(cursor.u32_le().map_err(parse)?);
        let name = cursor.u16_le().map_err(parse)?;
        let extra = cursor.u16_le().map_err(parse)?;
        let mut bytes = vec![0; usize::from(name).saturating_add(usize::from(extra))];
        let variable = offset.saturating_add(30);
        self.of.read_at(&mut bytes, variable)?;
        let (name, extra) = bytes
            .split_at_checked(usize::from(name))
            .unwrap_or((&bytes, &[]));
        header.name = name.to_vec();
        widen(&mut header, extra);
        Ok((header, variable.saturating_add(bytes.len() as u64)))
    }

    fn open_member(&self, header: &ZipHeader, known: bool) -> Result<ZipMember, UnpackError> {
        let inner = String::from_utf8_lossy(&header.name).into_owned();
        let name = format!("{}/{inner}", self.of.name);
        let unsupported = |problem: String| UnpackError::Unsupported {
            name: name.clone(),
            problem,
        };
        if header.flags & 1 != 0 {
            return Err(unsupported("this member is encrypted".to_owned()));
        }
        let most = header.packed.saturating_mul(self.of.limits.ratio);
        let can_be =
            header.method != 8 || header.size <= header.packed.saturating_mul(DEFLATE_MOST);
        if known && can_be && header.size > self.of.limits.free.max(most) {
            // A bomb by its own header need not be unpacked.
            return Err(UnpackError::Bomb {
                name,
                input: header.packed,
                output: header.size,
                ratio: self.of.limits.ratio,
            });
        }
        let (_, data) = self.member_header(header.offset)?;
        // In a truncated archive the length can be unknown; the decompressor then finds the end of the data.
        let end = if known {
            data.saturating_add(header.packed)
        } else {
            self.of.file.size()
        };
        let range = FileRange {
            file: Arc::clone(&self.of.file),
            at: data,
            end,
        };
        let compression = match header.method {
            0 => None,
            8 => Some(Compression::Deflate),
            12 => Some(Compression::Bzip2),
            20 | 93 => Some(Compression::Zstd),
            95 => Some(Compression::Xz),
            other => return Err(unsupported(format!("zip method {other} is not supported"))),
        };
        let content: Box<dyn Read + Send> = match compression {
            None if known => Box::new(range),
            None => {
                return Err(self
                    .of
                    .damaged(data, "the length of a stored member is missing"));
            }
            Some(compression) => Box::new(
                StreamDecoder::new(
                    &name,
                    compression,
                    Box::new(range),
                    &self.of.limits,
                    self.of.meter.clone(),
                )
                .map_err(|error| UnpackError::from_io(&name, error))?,
            ),
        };
        let verified: Box<dyn Read + Send> = if known {
            Box::new(ZipVerifier {
                content,
                name,
                checksum: flate2::Crc::new(),
                read: 0,
                header: header.clone(),
                meter: (compression.is_none()).then(|| self.of.meter.clone()),
                limits: self.of.limits,
                problem: None,
            })
        } else {
            content
        };
        Ok(ZipMember {
            name: inner,
            size: known.then_some(header.size),
            content: verified,
        })
    }
}

impl ZipHeader {
    /// Whether the member is not a file but a link, a pipe or a device.
    fn is_special(&self) -> bool {
        matches!(
            self.mode & 0xf000,
            0x1000 | 0x2000 | 0x6000 | 0xa000 | 0xc000
        )
    }
}

impl ZipArchive {
    /// The error for a member without content of its own; for a link, it includes the target.
    fn no_file(&self, header: &ZipHeader, known: bool) -> UnpackError {
        let inner = String::from_utf8_lossy(&header.name);
        let name = format!("{}/{inner}", self.of.name);
        let what = match header.mode & 0xf000 {
            0xa000 => {
                let mut target = Vec::new();
                if let Ok(member) = self.open_member(header, known) {
                    // The readable part of it is reported.
                    let _ = member.take(1000).read_to_end(&mut target);
                }
                format!("a link to {}", String::from_utf8_lossy(&target))
            }
            0x1000 | 0xc000 => "a pipe".to_owned(),
            _ => "a device".to_owned(),
        };
        UnpackError::NoFile { name, what }
    }
}

impl Iterator for ZipArchive {
    type Item = Result<ZipMember, UnpackError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let cut = matches!(self.walk, ZipWalk::Members { .. });
            match self.next_header() {
                // Folders hold nothing themselves.
                Ok(Some((header, _))) if header.name.ends_with(b"/") => {}
                Ok(Some((header, known))) if header.is_special() => {
                    return Some(Err(self.no_file(&header, known)));
                }
                Ok(Some((header, known))) => {
                    let member = self.open_member(&header, known);
                    return Some(member);
                }
                Ok(None) => {
                    self.walk = ZipWalk::Done;
                    return cut.then(|| {
                        Err(UnpackError::Truncated {
                            name: self.of.name.clone(),
                            kind: "zip",
                            input: self.of.file.size(),
                            output: 0,
                        })
                    });
                }
                Err(error) => {
                    self.walk = ZipWalk::Done;
                    return Some(Err(error));
                }
            }
        }
    }
}

type ZipEntry = (ZipHeader, u16, u16, u16);

/// An entry of the directory and the lengths of its name, its extra fields and its comment.
fn parse_entry(cursor: &mut ByteCursor<'_>) -> Result<Option<ZipEntry>, OutOfBoundsError> {
    if cursor.take(4)? != b"PK\x01\x02" {
        return Ok(None);
    }
    let made_by = cursor.u16_le()?;
    cursor.skip(2)?;
    let mut header = ZipHeader {
        flags: cursor.u16_le()?,
        method: cursor.u16_le()?,
        ..ZipHeader::default()
    };
    cursor.skip(4)?;
    header.checksum = cursor.u32_le()?;
    header.packed = u64::from(cursor.u32_le()?);
    header.size = u64::from(cursor.u32_le()?);
    let (name, extra, comment) = (cursor.u16_le()?, cursor.u16_le()?, cursor.u16_le()?);
    cursor.skip(4)?;
    let attributes = cursor.u32_le()?;
    // Unix, and a Mac.
    if matches!(made_by >> 8, 3 | 19) {
        header.mode = attributes >> 16;
    }
    header.offset = u64::from(cursor.u32_le()?);
    Ok(Some((header, name, extra, comment)))
}

/// Checksum and lengths after the data of a member, with 32-bit or 64-bit numbers.
fn parse_descriptor(mut cursor: ByteCursor<'_>, wide: bool) -> Result<ZipHeader, OutOfBoundsError> {
    cursor.skip(4)?;
    let checksum = cursor.u32_le()?;
    let (packed, size) = if wide {
        (cursor.u64_le()?, cursor.u64_le()?)
    } else {
        (u64::from(cursor.u32_le()?), u64::from(cursor.u32_le()?))
    };
    Ok(ZipHeader {
        checksum,
        packed,
        size,
        ..ZipHeader::default()
    })
}

/// Replaces the numbers that did not fit by the 64-bit ones in extra field 1.
fn widen(header: &mut ZipHeader, extra: &[u8]) {
    let mut fields = ByteCursor::new(extra);
    while let (Ok(kind), Ok(length)) = (fields.u16_le(), fields.u16_le()) {
        let Ok(mut field) = fields.sub(usize::from(length)) else {
            return;
        };
        if kind == 1 {
            // In this order, and only those that did not fit.
            for number in [&mut header.size, &mut header.packed, &mut header.offset] {
                if *number == 0xffff_ffff
                    && let Ok(wide) = field.u64_le()
                {
                    *number = wide;
                }
            }
            return;
        }
    }
}

/// A member whose length and checksum are verified at its end.
struct ZipVerifier {
    content: Box<dyn Read + Send>,
    name: String,
    checksum: flate2::Crc,
    read: u64,
    header: ZipHeader,
    /// For stored members only; a decompressor has its own.
    meter: Option<UnpackMeter>,
    limits: UnpackLimits,
    problem: Option<&'static str>,
}

impl ZipVerifier {
    fn damaged(&mut self, problem: &'static str) -> io::Error {
        self.problem = Some(problem);
        UnpackError::Damaged {
            name: self.name.clone(),
            kind: "zip",
            input: self.header.offset,
            output: self.read,
            problem: problem.to_owned(),
        }
        .into()
    }
}

impl Read for ZipVerifier {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(problem) = self.problem {
            return Err(self.damaged(problem));
        }
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = self.content.read(buffer)?;
        if count == 0 {
            if self.read < self.header.size {
                return Err(self.damaged("the member is shorter than it should be"));
            }
            if self.checksum.sum() != self.header.checksum {
                return Err(self.damaged("the checksum does not match"));
            }
            return Ok(0);
        }
        if let Some(meter) = &self.meter {
            meter.add_output(&self.name, count, &self.limits)?;
        }
        self.checksum.update(buffer.get(..count).unwrap_or(&[]));
        self.read = self.read.saturating_add(count as u64);
        if self.read > self.header.size {
            // The bytes within the claimed size are returned; the error comes with the next read.
            let excess = usize::try_from(self.read - self.header.size).unwrap_or(count);
            self.read = self.header.size;
            self.problem = Some("the member is longer than it should be");
            return match count.saturating_sub(excess) {
                0 => Err(self.damaged("the member is longer than it should be")),
                announced => Ok(announced),
            };
        }
        Ok(count)
    }
}
