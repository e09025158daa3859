//! Decompressing the bytes of a page, whose length is known and bounded before.

use std::cell::RefCell;
use std::io::Read;

use zstd::bulk::Decompressor;

use crate::error::{Error, Result};

thread_local! {
    /// Creating one takes longer than decompressing a small page.
    static ZSTD: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Appends up to this number of decompressed bytes to a buffer.
fn zstd_into(
    zstd: &mut Option<Decompressor<'static>>,
    bytes: &[u8],
    length: usize,
    out: &mut Vec<u8>,
) -> std::io::Result<()> {
    let zstd = match zstd {
        Some(zstd) => zstd,
        None => zstd.insert(Decompressor::new()?),
    };
    let before = out.len();
    out.resize(before.saturating_add(length), 0);
    let room = out.get_mut(before..).unwrap_or_default();
    let count = zstd.decompress_to_buffer(bytes, room)?;
    out.truncate(before.saturating_add(count));
    Ok(())
}

/// Decompresses bytes to a content of `length` bytes.
pub(crate) fn unpack(codec: i64, bytes: &[u8], length: usize, out: &mut Vec<u8>) -> Result<()> {
    let failed =
        |error: String| Error::damaged(format!("a page cannot be decompressed: {error}"), 0);
    let before = out.len();
    match codec {
        0 => out.extend_from_slice(bytes),
        1 => {
            let claimed =
                snap::raw::decompress_len(bytes).map_err(|error| failed(error.to_string()))?;
            if claimed != length {
                return Err(failed("its length differs from its page".into()));
            }
            out.resize(before + length, 0);
            let room = out.get_mut(before..).unwrap_or_default();
            snap::raw::Decoder::new()
                .decompress(bytes, room)
                .map_err(|error| failed(error.to_string()))?;
        }
        2 => bounded(flate2::read::MultiGzDecoder::new(bytes), length, out)
            .map_err(|error| failed(error.to_string()))?,
        6 => {
            ZSTD.with_borrow_mut(|zstd| zstd_into(zstd, bytes, length, out))
                .map_err(|error| failed(error.to_string()))?;
        }
        other => {
            let name = match other {
                3 => "LZO",
                4 => "Brotli",
                5 | 7 => "LZ4",
                _ => "an unknown method",
            };
            return Err(Error::Unsupported(format!(
                "the columns are compressed with {name}; zstd, snappy and gzip are supported"
            )));
        }
    }
    if out.len() - before != length {
        return Err(failed(
            "its length differs from the length in its page".into(),
        ));
    }
    Ok(())
}

/// Reads one byte more than the maximum at most.
fn bounded(input: impl Read, length: usize, out: &mut Vec<u8>) -> std::io::Result<()> {
    input.take(length as u64 + 1).read_to_end(out)?;
    Ok(())
}
