//! Places in a compressed file from which it can be decompressed without the part before them: the beginnings of its
//! members, frames or streams, if it has several. Programs that compress in parallel, or for random access, write such
//! files (bgzip, pzstd, pbzip2), and so does concatenating compressed files.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::compression::{Compression, UnpackError, UnpackLimits, open_noting, open_stream};
use super::regular_file;
use super::stream_decoder::{StreamDecoder, UnpackMeter};

/// The maximum number of places; when it is reached, every other one is dropped, and the minimum distance doubles.
const MOST: usize = 1 << 16;

/// The minimum number of unpacked bytes between two places.
const APART: u64 = 1 << 16;

/// The places of one file, recorded by its readers. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct SeekPoints(Arc<Mutex<SeekPointList>>);

#[derive(Debug, Default)]
struct SeekPointList {
    points: Vec<SeekPoint>,
    /// The distance of places, if it is more than [`APART`].
    apart: u64,
    /// The pieces seen so far that have content, and where the last piece of any kind begins.
    pieces: u64,
    last: Option<(u64, u64)>,
    /// Whether the end was seen.
    is_whole: bool,
    /// Whether the unpacked bytes are packed once more.
    is_nested: bool,
}

impl SeekPointList {
    /// Counts the piece that ends after this number of unpacked bytes. Skippable frames and end marks have no content.
    fn end_piece(&mut self, unpacked: u64) {
        let has_content = |(_, begin): (u64, u64)| unpacked > begin;
        self.pieces += u64::from(self.last.is_some_and(has_content));
    }
}

#[derive(Debug, Clone, Copy)]
struct SeekPoint {
    compression: Compression,
    packed: u64,
    unpacked: u64,
}

impl SeekPoints {
    fn noted(&self) -> MutexGuard<'_, SeekPointList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a piece begins after `packed` bytes, and its content after `unpacked` bytes. Readers that reach the same
    /// places later add nothing.
    pub(super) fn note(&self, compression: Compression, packed: u64, unpacked: u64) {
        let mut noted = self.noted();
        if noted.last.is_some_and(|(last, _)| packed <= last) {
            return;
        }
        noted.end_piece(unpacked);
        noted.last = Some((packed, unpacked));
        let before = noted.points.last().map_or(0, |point| point.unpacked);
        if unpacked.saturating_sub(before) < noted.apart.max(APART) {
            return;
        }
        if noted.points.len() >= MOST {
            let mut is_kept = false;
            noted.points.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            noted.apart = noted.apart.max(APART).saturating_mul(2);
        }
        noted.points.push(SeekPoint {
            compression,
            packed,
            unpacked,
        });
    }

    /// Records that the content is packed once more: a place in the outer layer is not a place in the text.
    pub(super) fn nested(&self) {
        self.noted().is_nested = true;
    }

    /// Records that nothing follows after this number of unpacked bytes.
    pub(super) fn end(&self, unpacked: u64) {
        let mut noted = self.noted();
        if !noted.is_whole {
            noted.end_piece(unpacked);
            noted.is_whole = true;
        }
    }

    /// The number of pieces of the file that can be decompressed separately: one if it can only be decompressed from its
    /// beginning. `None` if it is not compressed, or was not read to its end yet.
    pub fn pieces(&self) -> Option<u64> {
        let noted = self.noted();
        let pieces = if noted.is_nested { 1 } else { noted.pieces };
        noted.is_whole.then_some(pieces.max(1))
    }

    /// The last place before a byte of the content.
    fn before(&self, byte: u64) -> Option<SeekPoint> {
        let noted = self.noted();
        let after = noted.points.partition_point(|point| point.unpacked <= byte);
        let found = noted.points.get(after.checked_sub(1)?).copied();
        found.filter(|_| !noted.is_nested)
    }

    /// The decompressed bytes of a file, as from [`open_stream`]; its places are recorded while they are read.
    pub fn open_stream(
        &self,
        path: &Path,
        limits: &UnpackLimits,
    ) -> Result<Box<dyn Read + Send>, UnpackError> {
        open_noting(path, limits, Some(self))
    }

    /// The same from a byte of the content on, decompressed from the last known place before it.
    pub fn open_at(
        &self,
        path: &Path,
        limits: &UnpackLimits,
        byte: u64,
    ) -> Result<Box<dyn Read + Send>, UnpackError> {
        let (mut reader, skipped) = match self.before(byte) {
            None => (open_stream(path, limits)?, byte),
            Some(point) => (open_point(path, limits, point)?, byte - point.unpacked),
        };
        io::copy(&mut (&mut reader).take(skipped), &mut io::sink())
            .map_err(|error| UnpackError::from_io(&path.display().to_string(), error))?;
        Ok(reader)
    }
}

fn open_point(
    path: &Path,
    limits: &UnpackLimits,
    point: SeekPoint,
) -> Result<Box<dyn Read + Send>, UnpackError> {
    let name = path.display().to_string();
    let open = || {
        let mut file = regular_file::open(path)?;
        file.seek(SeekFrom::Start(point.packed))?;
        let meter = UnpackMeter::of_size(file.metadata()?.len());
        StreamDecoder::new(&name, point.compression, Box::new(file), limits, meter)
    };
    let decoder = open().map_err(|error| UnpackError::from_io(&name, error))?;
    Ok(Box::new(decoder.at(point.packed, point.unpacked)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_few_however_many_pieces_there_are() {
        let points = SeekPoints::default();
        let pieces = 5 * MOST as u64;
        for piece in 0..pieces {
            points.note(Compression::Gzip, piece * 20, piece * APART);
        }
        points.note(Compression::Gzip, 20, APART);
        assert_eq!(points.pieces(), None);
        points.end(pieces * APART);
        assert_eq!(points.pieces(), Some(pieces));
        assert!(points.noted().points.len() <= MOST);
        for byte in [0, 7 * APART, (pieces - 1) * APART, u64::MAX] {
            let found = points.before(byte).map_or(0, |point| point.unpacked);
            assert!(found <= byte && byte.min(pieces * APART) - found <= 9 * APART);
        }
    }

    #[test]
    fn empty_pieces_take_no_room() {
        let points = SeekPoints::default();
        (0..1000).for_each(|piece| points.note(Compression::Zstd, piece * 9, 0));
        points.end(5);
        points.end(5);
        assert_eq!((points.pieces(), points.noted().points.len()), (Some(1), 0));
    }
}
