//! The compression of a file, detected by its content and never by its name, and how to read it.
//!
//! [`open_stream`] and [`PeekReader`] are for a single stream of bytes, [`super::seek_points::SeekPoints`] for one with random
//! access; [`super::container::InputFiles`] is for any input of a user: a plain file, a compressed one, an archive or a folder.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use thiserror::Error;

use super::regular_file;
use super::seek_points::SeekPoints;
use super::stream_decoder::{StreamDecoder, UnpackMeter};

/// One compressed stream of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// gzip (RFC 1952), one or several members.
    Gzip,
    /// Zstandard (RFC 8878), one or several frames, including skippable ones.
    Zstd,
    /// bzip2, one or several streams.
    Bzip2,
    /// bzip2 whose first two bytes, `BZ`, are missing, as jose writes it.
    HeaderlessBzip2,
    /// xz, one or several streams.
    Xz,
    /// The bare deflate data (RFC 1951) of a zip member; it has no signature.
    Deflate,
}

impl Compression {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "Zstandard",
            Self::Bzip2 => "bzip2",
            Self::HeaderlessBzip2 => "headerless bzip2",
            Self::Xz => "xz",
            Self::Deflate => "deflate",
        }
    }

    /// The compression for the name of an **output**, and the name without that extension.
    ///
    /// Inputs are recognised by their content only.
    pub fn of_target(path: &Path) -> Option<(Self, std::path::PathBuf)> {
        let extension = path.extension()?.to_str()?;
        let compression = [
            ("gz", Self::Gzip),
            ("zst", Self::Zstd),
            ("bz2", Self::Bzip2),
            ("xz", Self::Xz),
        ]
        .into_iter()
        .find(|(ending, _)| ending.eq_ignore_ascii_case(extension))?
        .1;
        Some((compression, path.with_extension("")))
    }
}

/// The kind of a stream, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentKind {
    /// Not compressed.
    Plain,
    /// One compressed stream.
    Compressed(Compression),
    /// A zip archive.
    Zip,
    /// A tar archive.
    Tar,
    /// An archive of ChessBase.
    Cbv,
    /// A RAR archive, which has to be unpacked by its own program.
    Rar,
    /// A 7-Zip archive, which has to be unpacked by its own program.
    SevenZip,
}

impl ContentKind {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Compressed(compression) => compression.name(),
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::Cbv => "CBV",
            Self::Rar => "RAR",
            Self::SevenZip => "7-Zip",
        }
    }
}

/// The number of first bytes that [`detect`] needs; fewer are fine if the file is shorter.
pub const HEAD: usize = 512;

/// Detects the kind of a stream by its first bytes.
///
/// Headerless bzip2 differs from plain bytes in seven bytes only, so it has to be requested.
pub fn detect(head: &[u8], headerless_bzip2: bool) -> ContentKind {
    match head {
        // The method must be 8, and the reserved flags must be clear.
        [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 == 0 => {
            ContentKind::Compressed(Compression::Gzip)
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            ContentKind::Compressed(Compression::Zstd)
        }
        [b'B', b'Z', rest @ ..] if is_bzip2_level_and_block(rest) => {
            ContentKind::Compressed(Compression::Bzip2)
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => ContentKind::Compressed(Compression::Xz),
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => {
            ContentKind::Zip
        }
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => ContentKind::Rar,
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => ContentKind::SevenZip,
        _ if headerless_bzip2 && is_bzip2_level_and_block(head) => {
            ContentKind::Compressed(Compression::HeaderlessBzip2)
        }
        _ if super::cbv::is_header(head) => ContentKind::Cbv,
        _ if super::tar::is_header(head) => ContentKind::Tar,
        // A wrong checksum is reported when the archive is read.
        _ if head.first_chunk().is_some_and(super::tar::is_plausible) => ContentKind::Tar,
        _ => ContentKind::Plain,
    }
}

/// `h`, a level, and the mark of a first block or, in an empty stream, of its end.
fn is_bzip2_level_and_block(bytes: &[u8]) -> bool {
    match bytes {
        [b'h', b'1'..=b'9', mark @ ..] => [
            [0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
            [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
        ]
        .iter()
        .any(|known| mark.starts_with(known)),
        _ => false,
    }
}

/// Limits for decompression. The defaults suit current machines and any real database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnpackLimits {
    /// The largest window (dictionary) in bytes that a stream may use: 128 MiB, which `zstd --ultra -22`, `--long=27`
    /// and every level of xz stay within.
    pub window: u64,
    /// The maximum ratio of the content to the file: 1000. Real games shrink 3 to 12 times, deflate cannot exceed 1032.
    pub ratio: u64,
    /// The bytes of content before the ratio counts: 256 MiB, so that a small file with the same game a hundred
    /// thousand times is not a bomb.
    pub free: u64,
    /// The number of files allowed in all archives of a file together, plus one for each of its bytes: 100,000.
    pub members: u64,
    /// The number of archives allowed within archives, plus one for each 256 bytes of the file: 1,000.
    pub archives: u64,
    /// The maximum number of nested layers (a .gz in a .zip in a .tar.xz has four).
    pub depth: usize,
    /// The maximum number of bytes kept in a temporary file for an archive that needs random access but comes from a
    /// stream: 16 GiB.
    pub spool: u64,
    /// Whether bzip2 without its `BZ` is recognised, as jose writes it.
    pub headerless_bzip2: bool,
}

impl Default for UnpackLimits {
    fn default() -> Self {
        Self {
            window: 128 << 20,
            ratio: 1000,
            free: 256 << 20,
            members: 100_000,
            archives: 1_000,
            depth: 6,
            spool: 16 << 30,
            headerless_bzip2: false,
        }
    }
}

/// Why a compressed file cannot be read, or not further.
///
/// Readers return it inside an [`io::Error`]; [`UnpackError::of`] finds it there again.
#[derive(Debug, Error)]
pub enum UnpackError {
    /// The compressed bytes are inconsistent.
    #[error(
        "{name}: damaged {kind} data near byte {input} ({problem}); {output} bytes were decompressed before it"
    )]
    Damaged {
        /// The file, or the member of an archive.
        name: String,
        /// Its compression.
        kind: &'static str,
        /// The offset in the compressed bytes.
        input: u64,
        /// The number of bytes decompressed before it.
        output: u64,
        /// The problem.
        problem: String,
    },
    /// The compressed bytes end too early.
    #[error(
        "{name}: the {kind} data is truncated at byte {input}; {output} bytes were decompressed, the rest is missing"
    )]
    Truncated {
        /// The file, or the member of an archive.
        name: String,
        /// Its compression.
        kind: &'static str,
        /// Where the compressed bytes end.
        input: u64,
        /// The number of bytes decompressed before it.
        output: u64,
    },
    /// Other data follows the compressed bytes.
    #[error("{name}: the {kind} data ends at byte {input}, but other data follows")]
    Trailing {
        /// The file, or the member of an archive.
        name: String,
        /// Its compression.
        kind: &'static str,
        /// Where the other data begins.
        input: u64,
    },
    /// A stream needs more memory than allowed.
    #[error(
        "{name}: decompressing this {kind} stream needs a window of more than {limit} bytes; decompress the file \
         yourself if you trust it"
    )]
    Window {
        /// The file, or the member of an archive.
        name: String,
        /// Its compression.
        kind: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The content is suspiciously larger than the file.
    #[error(
        "{name}: {output} bytes were decompressed from {input}, more than {ratio} times as many: this looks like a \
         decompression bomb; decompress the file yourself if you trust it"
    )]
    Bomb {
        /// The file, or the member of an archive.
        name: String,
        /// The number of compressed bytes read.
        input: u64,
        /// The number of decompressed bytes.
        output: u64,
        /// The maximum ratio.
        ratio: u64,
    },
    /// More files or archives than a real archive of this size holds.
    #[error(
        "{name}: more than {limit} {what} in {input} compressed bytes: this looks like a decompression bomb; unpack \
         what you need yourself"
    )]
    Many {
        /// The member at which the limit was reached.
        name: String,
        /// The counted items.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// The number of compressed bytes read.
        input: u64,
    },
    /// An archive in a stream is larger than the limit for temporary files.
    #[error(
        "{name}: a {kind} archive inside another file is read through a temporary file, and this one is larger than \
         {limit} bytes; unpack it yourself"
    )]
    Spool {
        /// The file, or the member of an archive.
        name: String,
        /// Its kind.
        kind: &'static str,
        /// The limit.
        limit: u64,
    },
    /// Too many layers.
    #[error("{name}: more than {limit} layers of archives and compression")]
    Depth {
        /// The innermost name that was reached.
        name: String,
        /// The limit.
        limit: usize,
    },
    /// Packed in an unsupported format, or with an unsupported option.
    #[error("{name}: {problem}; unpack it with its own program and open the result")]
    Unsupported {
        /// The file, or the member of an archive.
        name: String,
        /// The unsupported feature.
        problem: String,
    },
    /// An archive in an unsupported format.
    #[error("{name}: this is a {} archive; unpack it with its own program and open the result", kind.name())]
    ForeignArchive {
        /// The file, or the member of an archive.
        name: String,
        /// Its kind.
        kind: ContentKind,
    },
    /// An archive instead of a single stream.
    #[error("{name}: a {kind} archive holds several files; a single stream was expected")]
    Container {
        /// The file, or the member of an archive.
        name: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A member of an archive that has no content of its own: a link, a pipe, a device.
    #[error("{name}: {what} has no content of its own")]
    NoFile {
        /// The member.
        name: String,
        /// Its kind.
        what: String,
    },
    /// The system could not read the file.
    #[error("{name}: {error}")]
    Io {
        /// The file, or the member of an archive.
        name: String,
        /// The system error.
        error: io::Error,
    },
}

impl UnpackError {
    /// Wraps a system error, or returns the error of an inner layer unchanged.
    pub fn from_io(name: &str, error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(inner) => inner,
            Err(error) => Self::Io {
                name: name.to_owned(),
                error,
            },
        }
    }

    /// The file in its message, or the member of an archive.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            UnpackError::Damaged { name, .. }
            | UnpackError::Truncated { name, .. }
            | UnpackError::Trailing { name, .. }
            | UnpackError::Window { name, .. }
            | UnpackError::Bomb { name, .. }
            | UnpackError::Many { name, .. }
            | UnpackError::Spool { name, .. }
            | UnpackError::Depth { name, .. }
            | UnpackError::Unsupported { name, .. }
            | UnpackError::ForeignArchive { name, .. }
            | UnpackError::Container { name, .. }
            | UnpackError::NoFile { name, .. }
            | UnpackError::Io { name, .. } => name,
        }
    }

    /// The error of this kind that a reader returned inside an [`io::Error`].
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<UnpackError> for io::Error {
    fn from(error: UnpackError) -> Self {
        let kind = match &error {
            UnpackError::Truncated { .. } => io::ErrorKind::UnexpectedEof,
            UnpackError::Io { error, .. } => error.kind(),
            UnpackError::Unsupported { .. } | UnpackError::ForeignArchive { .. } => {
                io::ErrorKind::Unsupported
            }
            UnpackError::Container { .. } => io::ErrorKind::InvalidInput,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}

/// Whether the compressed data itself is damaged, so that only the bytes before it can be read.
pub fn is_damage(error: &io::Error) -> bool {
    matches!(
        UnpackError::of(error),
        Some(
            UnpackError::Damaged { .. }
                | UnpackError::Truncated { .. }
                | UnpackError::Trailing { .. }
        )
    )
}

/// A stream whose first bytes can be examined before they are read.
///
/// Errors of the stream are reported by reading it, after the bytes before the error.
pub struct PeekReader {
    head: Vec<u8>,
    position: usize,
    fault: Option<io::Error>,
    inner: Box<dyn Read + Send>,
}

impl PeekReader {
    /// Takes the first [`HEAD`] bytes from a stream, or all of a shorter one.
    pub fn new(mut inner: Box<dyn Read + Send>) -> Self {
        let mut head = Vec::with_capacity(HEAD);
        let fault = inner
            .by_ref()
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .err();
        Self {
            head,
            position: 0,
            fault,
            inner,
        }
    }

    /// The first bytes, as long as nothing has been read.
    pub fn head(&self) -> &[u8] {
        self.head.get(self.position..).unwrap_or(&[])
    }

    /// The kind of the stream, by its first bytes.
    pub fn kind(&self, limits: &UnpackLimits) -> ContentKind {
        detect(self.head(), limits.headerless_bzip2)
    }
}

impl std::fmt::Debug for PeekReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Peeked")
            .field("head", &self.head().len())
            .finish_non_exhaustive()
    }
}

impl Read for PeekReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let head = self.head.get(self.position..).unwrap_or(&[]);
        if !head.is_empty() {
            let count = head.len().min(buffer.len());
            if let (Some(to), Some(from)) = (buffer.get_mut(..count), head.get(..count)) {
                to.copy_from_slice(from);
            }
            self.position = self.position.saturating_add(count);
            return Ok(count);
        }
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => self.inner.read(buffer),
        }
    }
}

/// Detects the kind of a stream by its first bytes that cannot be rewound, such as stdin, and keeps them.
pub fn sniff(reader: Box<dyn Read + Send>, limits: &UnpackLimits) -> (ContentKind, PeekReader) {
    let peeked = PeekReader::new(reader);
    (peeked.kind(limits), peeked)
}

/// Whether a file is not compressed. Its size does not show it: a text can be as long as its compressed form.
pub fn is_plain(path: &Path, limits: &UnpackLimits) -> Result<bool, UnpackError> {
    let (_, reader) = open_raw(path)?;
    Ok(sniff(reader, limits).0 == ContentKind::Plain)
}

/// The decompressed bytes of a file, or of stdin for `-`; a plain file is passed through.
pub fn open_stream(
    path: &Path,
    limits: &UnpackLimits,
) -> Result<Box<dyn Read + Send>, UnpackError> {
    open_noting(path, limits, None)
}

/// The same, but records the places from which it can be decompressed.
pub(super) fn open_noting(
    path: &Path,
    limits: &UnpackLimits,
    points: Option<&SeekPoints>,
) -> Result<Box<dyn Read + Send>, UnpackError> {
    check_claim(path, limits)?;
    let (name, reader) = open_raw(path)?;
    unpack_noting(&name, reader, limits, points)
}

/// No deflate data decompresses to more than this many times its size.
pub(super) const DEFLATE_MOST: u64 = 1033;

/// Refuses a gzip file whose own trailer gives a suspiciously large size of its content. Other files are checked while they
/// are decompressed.
pub(super) fn check_claim(path: &Path, limits: &UnpackLimits) -> Result<(), UnpackError> {
    let claim = || -> io::Result<(u64, u64)> {
        let mut file = regular_file::open(path)?;
        if !file.metadata()?.is_file() {
            return Ok((0, 0));
        }
        let mut mark = [0; 2];
        file.read_exact(&mut mark)?;
        if mark != [0x1f, 0x8b] {
            return Ok((0, 0));
        }
        let mut size = [0; 4];
        let end = file.seek(SeekFrom::End(-4))?;
        file.read_exact(&mut size)?;
        Ok((u64::from(u32::from_le_bytes(size)), end.saturating_add(4)))
    };
    // Files whose trailer cannot be read, or makes no sense (because they are truncated), are reported when they are read.
    let (output, input) = claim().unwrap_or_default();
    let is_suspicious = output > limits.free.max(input.saturating_mul(limits.ratio));
    if is_suspicious && output <= input.saturating_mul(DEFLATE_MOST) {
        return Err(UnpackError::Bomb {
            name: path.display().to_string(),
            input,
            output,
            ratio: limits.ratio,
        });
    }
    Ok(())
}

/// The decompressed bytes of an open stream.
pub fn unpack_stream(
    name: &str,
    reader: Box<dyn Read + Send>,
    limits: &UnpackLimits,
) -> Result<Box<dyn Read + Send>, UnpackError> {
    unpack_noting(name, reader, limits, None)
}

fn unpack_noting(
    name: &str,
    reader: Box<dyn Read + Send>,
    limits: &UnpackLimits,
    points: Option<&SeekPoints>,
) -> Result<Box<dyn Read + Send>, UnpackError> {
    let meter = UnpackMeter::default();
    let reader = Box::new(meter.count(reader));
    let mut depth = limits.depth;
    let (kind, peeked) = peel(name, reader, limits, &meter, &mut depth, points)?;
    match kind {
        ContentKind::Plain => Ok(Box::new(peeked)),
        kind => Err(UnpackError::Container {
            name: name.to_owned(),
            kind: kind.name(),
        }),
    }
}

/// Opens a file or stdin unchanged, with its name for messages.
pub(super) fn open_raw(path: &Path) -> Result<(String, Box<dyn Read + Send>), UnpackError> {
    if path.as_os_str() == "-" {
        return Ok(("stdin".to_owned(), Box::new(io::stdin())));
    }
    let name = path.display().to_string();
    match regular_file::open_named(path) {
        Ok(file) => Ok((name, Box::new(file))),
        Err(error) => Err(UnpackError::Io { name, error }),
    }
}

/// Removes all layers of compression; the rest is plain or an archive. Places are recorded for the outermost layer.
pub(super) fn peel(
    name: &str,
    mut reader: Box<dyn Read + Send>,
    limits: &UnpackLimits,
    meter: &UnpackMeter,
    depth: &mut usize,
    points: Option<&SeekPoints>,
) -> Result<(ContentKind, PeekReader), UnpackError> {
    let mut layers = 0;
    loop {
        let (kind, peeked) = sniff(reader, limits);
        match kind {
            ContentKind::Compressed(compression) => {
                *depth = depth.checked_sub(1).ok_or_else(|| UnpackError::Depth {
                    name: name.to_owned(),
                    limit: limits.depth,
                })?;
                let decoder = StreamDecoder::new(
                    name,
                    compression,
                    Box::new(peeked),
                    limits,
                    meter.next_layer(),
                );
                let decoder = decoder.map_err(|error| UnpackError::from_io(name, error))?;
                layers += 1;
                reader = Box::new(match points {
                    Some(points) if layers == 1 => decoder.noting(points.clone()),
                    Some(points) => {
                        points.nested();
                        decoder
                    }
                    None => decoder,
                });
            }
            ContentKind::Rar | ContentKind::SevenZip => {
                return Err(UnpackError::ForeignArchive {
                    name: name.to_owned(),
                    kind,
                });
            }
            ContentKind::Plain | ContentKind::Zip | ContentKind::Tar | ContentKind::Cbv => {
                return Ok((kind, peeked));
            }
        }
    }
}
