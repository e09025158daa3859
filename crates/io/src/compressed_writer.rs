//! Compressed output.

use std::io::{self, Write};

use super::compression::Compression;

/// A writer that compresses, or passes bytes on unchanged.
///
/// [`CompressedWriter::finish`] has to be called: if it is dropped before, the output is incomplete.
pub struct CompressedWriter<W: Write>(StreamEncoder<W>);

enum StreamEncoder<W: Write> {
    Plain(W),
    Gzip(flate2::write::GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
    Bzip2(bzip2::write::BzEncoder<W>),
    Xz(Box<lzma_rust2::XzWriter<W>>),
}

/// Compresses the written bytes, at the usual level of each program; `None` passes them on.
pub fn compressed_writer<W: Write>(
    compression: Option<Compression>,
    inner: W,
) -> io::Result<CompressedWriter<W>> {
    Ok(CompressedWriter(match compression {
        None => StreamEncoder::Plain(inner),
        // The header has no name and no time, so that the same content gives the same bytes.
        Some(Compression::Gzip) => StreamEncoder::Gzip(flate2::write::GzEncoder::new(
            inner,
            flate2::Compression::default(),
        )),
        Some(Compression::Zstd) => {
            let mut encoder = zstd::stream::write::Encoder::new(inner, 3)?;
            encoder.include_checksum(true)?;
            StreamEncoder::Zstd(encoder)
        }
        Some(Compression::Bzip2) => StreamEncoder::Bzip2(bzip2::write::BzEncoder::new(
            inner,
            bzip2::Compression::best(),
        )),
        Some(Compression::Xz) => StreamEncoder::Xz(Box::new(lzma_rust2::XzWriter::new(
            inner,
            lzma_rust2::XzOptions::with_preset(6),
        )?)),
        Some(other @ (Compression::HeaderlessBzip2 | Compression::Deflate)) => {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("{} can be read, but not written", other.name()),
            ));
        }
    }))
}

impl<W: Write> CompressedWriter<W> {
    /// Writes the end of the compressed data and returns the inner writer.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            StreamEncoder::Plain(inner) => Ok(inner),
            StreamEncoder::Gzip(encoder) => encoder.finish(),
            StreamEncoder::Zstd(encoder) => encoder.finish(),
            StreamEncoder::Bzip2(encoder) => encoder.finish(),
            StreamEncoder::Xz(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for CompressedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            StreamEncoder::Plain(inner) => inner.write(bytes),
            StreamEncoder::Gzip(encoder) => encoder.write(bytes),
            StreamEncoder::Zstd(encoder) => encoder.write(bytes),
            StreamEncoder::Bzip2(encoder) => encoder.write(bytes),
            StreamEncoder::Xz(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            StreamEncoder::Plain(inner) => inner.flush(),
            StreamEncoder::Gzip(encoder) => encoder.flush(),
            StreamEncoder::Zstd(encoder) => encoder.flush(),
            StreamEncoder::Bzip2(encoder) => encoder.flush(),
            StreamEncoder::Xz(encoder) => encoder.flush(),
        }
    }
}

impl<W: Write> std::fmt::Debug for CompressedWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompressedWriter").finish_non_exhaustive()
    }
}
