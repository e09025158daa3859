//! The offsets of the games of a text, and their bytes.

use std::path::Path;

use tabiya_io::random_file::RandomFile;
use tabiya_model::game_offsets::GameOffsets;
use tabiya_model::{Error, Result};

/// The most bytes of a game that are read at once.
pub(super) const LONG: u64 = 1 << 22;

/// The places of the games in a file.
#[derive(Debug)]
pub(super) struct GameSpans {
    file: RandomFile,
    /// Where each game begins.
    starts: Vec<u64>,
}

impl GameSpans {
    pub(super) fn new(path: &Path, places: GameOffsets) -> Result<GameSpans> {
        let file = RandomFile::open(path).map_err(Error::from)?;
        Ok(GameSpans {
            file,
            starts: places.bytes,
        })
    }

    /// The byte order mark at the start of the file.
    pub(super) fn mark(&self) -> Result<&'static [u8]> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        Ok(if self.bytes(0, 3)? == MARK { MARK } else { b"" })
    }

    pub(super) fn size(&self) -> u64 {
        self.file.size()
    }

    pub(super) fn count(&self) -> u64 {
        self.starts.len() as u64
    }

    pub(super) fn start(&self, number: u64) -> Result<u64> {
        if number <= 1 {
            // Text before the first game is a part of it.
            return Ok(self.mark()?.len() as u64);
        }
        let at = usize::try_from(number - 1).unwrap_or(usize::MAX);
        Ok(self.starts.get(at).copied().unwrap_or(self.size()))
    }

    /// The end of a game, including the space after it.
    pub(super) fn end(&self, number: u64) -> u64 {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        self.starts.get(at).copied().unwrap_or(self.size())
    }

    /// The bytes of a game, including the space after it; only the first ones of a very long game.
    pub(super) fn head(&self, number: u64) -> Result<Vec<u8>> {
        let start = self.start(number)?;
        let length = self.end(number).saturating_sub(start).min(LONG);
        self.bytes(start, length)
    }

    /// The bytes of a game, including the space after it, unless it is very long.
    pub(super) fn text(&self, number: u64) -> Result<Option<Vec<u8>>> {
        let length = self.end(number).saturating_sub(self.start(number)?);
        match length <= LONG {
            true => self.head(number).map(Some),
            false => Ok(None),
        }
    }

    /// Bytes of the file, as far as they exist.
    pub(super) fn bytes(&self, at: u64, length: u64) -> Result<Vec<u8>> {
        let length = length.min(self.size().saturating_sub(at)).min(LONG);
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(bytes)
    }
}
