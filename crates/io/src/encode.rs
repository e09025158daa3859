//! Compressed output.

use std::io::{self, Write};

use super::compression::Compression;

/// A writer that compresses, or passes on as it is.
///
/// [`CompressedWriter::finish`] has to be called: what is dropped before it is not whole.
pub struct CompressedWriter<W: Write>(Inner<W>);

enum Inner<W: Write> {
    Plain(W),
    Gzip(flate2::write::GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
    Bzip2(bzip2::write::BzEncoder<W>),
    Xz(Box<lzma_rust2::XzWriter<W>>),
}

/// Compresses what is written, at the usual level of each program; `None` passes it on.
pub fn compressed_writer<W: Write>(
    compression: Option<Compression>,
    inner: W,
) -> io::Result<CompressedWriter<W>> {
    Ok(CompressedWriter(match compression {
        None => Inner::Plain(inner),
        // No name and no time go into the header: the same content gives the same bytes.
        Some(Compression::Gzip) => Inner::Gzip(flate2::write::GzEncoder::new(
            inner,
            flate2::Compression::default(),
        )),
        Some(Compression::Zstd) => {
            let mut encoder = zstd::stream::write::Encoder::new(inner, 3)?;
            encoder.include_checksum(true)?;
            Inner::Zstd(encoder)
        }
        Some(Compression::Bzip2) => Inner::Bzip2(bzip2::write::BzEncoder::new(
            inner,
            bzip2::Compression::best(),
        )),
        Some(Compression::Xz) => Inner::Xz(Box::new(lzma_rust2::XzWriter::new(
            inner,
            lzma_rust2::XzOptions::with_preset(6),
        )?)),
        Some(other @ (Compression::HeaderlessBzip2 | Compression::Deflate)) => {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("{} is read but not written", other.name()),
            ));
        }
    }))
}

impl<W: Write> CompressedWriter<W> {
    /// Writes the end of the compressed data and hands back what is below.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            Inner::Plain(inner) => Ok(inner),
            Inner::Gzip(encoder) => encoder.finish(),
            Inner::Zstd(encoder) => encoder.finish(),
            Inner::Bzip2(encoder) => encoder.finish(),
            Inner::Xz(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for CompressedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Plain(inner) => inner.write(bytes),
            Inner::Gzip(encoder) => encoder.write(bytes),
            Inner::Zstd(encoder) => encoder.write(bytes),
            Inner::Bzip2(encoder) => encoder.write(bytes),
            Inner::Xz(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Inner::Plain(inner) => inner.flush(),
            Inner::Gzip(encoder) => encoder.flush(),
            Inner::Zstd(encoder) => encoder.flush(),
            Inner::Bzip2(encoder) => encoder.flush(),
            Inner::Xz(encoder) => encoder.flush(),
        }
    }
}

impl<W: Write> std::fmt::Debug for CompressedWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompressedWriter").finish_non_exhaustive()
    }
}
