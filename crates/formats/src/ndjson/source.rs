//! Dividing a stream of lines into blocks, and reading the games of a block.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memmem, memrchr};
use tabiya_io::compression;
use tabiya_model::GameNeeds;
use tabiya_model::database::{Block, Source};
use tabiya_model::diagnostic::{Diagnostics, Location};
use tabiya_model::error::{Error, Result};
use tabiya_model::error_codes;
use tabiya_model::game::Game;
use tabiya_model::limits::ReadLimits;

use super::codes;
use super::reader::{NdjsonLinePlace, NdjsonReader};
use tabiya_codec::unpack_failure::UnpackFailure;

/// The usual size of a block.
const BLOCK: usize = 1 << 20;

/// The start of a block.
#[derive(Copy, Clone, Debug)]
pub(super) struct NdjsonBlockStart {
    /// Its offset.
    pub(super) byte: u64,
    /// The number of its first line, from 1.
    pub(super) line: u64,
    /// The number of its first game, from 1.
    pub(super) game: u64,
}

impl NdjsonBlockStart {
    /// The beginning of a file.
    pub(super) const START: NdjsonBlockStart = NdjsonBlockStart {
        byte: 0,
        line: 1,
        game: 1,
    };
}

/// The games of a stream of lines.
pub(super) struct NdjsonSource {
    input: Box<dyn Read + Send>,
    name: String,
    limits: Arc<ReadLimits>,
    block: usize,
    pending: Vec<u8>,
    base: NdjsonBlockStart,
    ended: bool,
    cut: UnpackFailure,
    /// The error of a failed read; it is reported after the lines before it.
    fault: Option<std::io::Error>,
    /// The rest of a line that was too long is being skipped.
    dropping: bool,
    started: bool,
    total: Option<u64>,
}

impl NdjsonSource {
    /// Reads decompressed bytes; `name` is for messages, `total` for progress.
    pub(super) fn new(
        input: Box<dyn Read + Send>,
        name: String,
        limits: ReadLimits,
        total: Option<u64>,
    ) -> NdjsonSource {
        NdjsonSource {
            input,
            name,
            limits: Arc::new(limits),
            block: BLOCK,
            pending: Vec::new(),
            base: NdjsonBlockStart::START,
            ended: false,
            fault: None,
            cut: UnpackFailure::default(),
            dropping: false,
            started: false,
            total,
        }
    }

    /// The same source with blocks of another size.
    #[cfg(test)]
    pub(super) fn with_block_size(mut self, bytes: usize) -> NdjsonSource {
        self.block = bytes.max(1);
        self
    }

    /// The same source, which reports to the file where it was truncated.
    pub(super) fn with_unpack_failure(mut self, cut: UnpackFailure) -> NdjsonSource {
        self.cut = cut;
        self
    }

    /// The same source, starting in the middle of a known file.
    pub(super) fn at(mut self, base: NdjsonBlockStart) -> NdjsonSource {
        self.base = base;
        self.started = true;
        self
    }

    /// Reads until `pending` holds `wanted` bytes or the input ends.
    fn fill(&mut self, wanted: usize) {
        let missing = wanted.saturating_sub(self.pending.len());
        if self.ended || missing == 0 {
            return;
        }
        let before = self.pending.len();
        let mut part = (&mut self.input).take(missing as u64);
        let result = part.read_to_end(&mut self.pending);
        if let Err(error) = result {
            self.ended = true;
            if compression::is_damage(&error) {
                let at = self.base.byte + self.pending.len() as u64;
                self.cut.set(at, &error);
            } else {
                self.fault = Some(error);
            }
        } else if self.pending.len() - before < missing {
            self.ended = true;
        }
    }

    /// Refuses a stream that is certainly in another format.
    fn start(&mut self) -> Result<()> {
        self.started = true;
        self.fill(self.block.max(BLOCK));
        if self.pending.starts_with(b"\xef\xbb\xbf") {
            self.take(3);
        }
        let is_empty = self.pending.iter().all(u8::is_ascii_whitespace);
        if is_empty || looks_like_games(&self.pending) {
            return Ok(());
        }
        Err(Error::new(
            &error_codes::NOT_THIS_FORMAT,
            format!(
                "not games in JSON: no line has \"schema\":\"{}\"",
                super::SCHEMA
            ),
        )
        .in_file(self.name.clone()))
    }

    /// Takes bytes from the start of the pending ones.
    fn take(&mut self, count: usize) -> Vec<u8> {
        let rest = self.pending.split_off(count.min(self.pending.len()));
        let taken = std::mem::replace(&mut self.pending, rest);
        self.base.byte += taken.len() as u64;
        taken
    }

    /// Skips the rest of a line that was too long; false at the end of the input.
    fn drop_line(&mut self) -> bool {
        while self.dropping {
            self.fill(self.block);
            match memchr(b'\n', &self.pending) {
                Some(end) => {
                    self.take(end + 1);
                    self.base.line += 1;
                    self.dropping = false;
                }
                None => {
                    let all = self.pending.len();
                    self.take(all);
                    if self.ended {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// Whether a line of these bytes shows that it is a game in JSON.
pub(super) fn looks_like_games(head: &[u8]) -> bool {
    memmem::find(head, super::FAMILY.as_bytes()).is_some()
}

/// The lines of a block with a game: the start and the end of each, and its number within the block.
fn lines(data: &[u8]) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
    let mut start = 0;
    let mut number = 0;
    memchr_iter(b'\n', data)
        .chain(std::iter::once(data.len()))
        .filter_map(move |end| {
            let line = (start, end, number);
            start = end + 1;
            number += 1;
            let content = data.get(line.0..line.1).unwrap_or_default();
            (!content.trim_ascii_start().is_empty()).then_some(line)
        })
}

impl<'a> Source<'a> for NdjsonSource {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        if !self.started {
            self.start()?;
        }
        if !self.drop_line() && self.fault.is_none() {
            return Ok(None);
        }
        let limit = self.limits.game_bytes.max(1);
        let mut wanted = self.block;
        let mut cut = false;
        let end = loop {
            self.fill(wanted);
            if self.ended && self.pending.len() <= wanted {
                break self.pending.len();
            }
            let part = self.pending.get(..wanted).unwrap_or(&self.pending);
            if let Some(end) = memrchr(b'\n', part) {
                break end + 1;
            }
            if wanted >= limit {
                cut = true;
                break wanted;
            }
            wanted = wanted.saturating_mul(2).min(limit);
        };
        if end == 0 {
            return match self.fault.take() {
                None => Ok(None),
                Some(error) => {
                    let place = Location::byte(self.base.byte).in_file(self.name.clone());
                    Err(Error::from(error).at(place))
                }
            };
        }
        let base = self.base;
        let data = self.take(end);
        self.dropping = cut;
        self.base.line += memchr_iter(b'\n', &data).count() as u64;
        self.base.game += lines(&data).count() as u64;
        Ok(Some(Box::new(NdjsonBlock {
            data,
            at: 0,
            base,
            line: 0,
            first: base.game,
            cut,
            limits: Arc::clone(&self.limits),
            reader: NdjsonReader::default(),
            last: None,
        })))
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        self.cut.report(&codes::CUT_INPUT, &self.name, &mut found);
        found
    }

    fn total_bytes(&self) -> Option<u64> {
        self.total
    }
}

/// A run of whole lines.
struct NdjsonBlock {
    data: Vec<u8>,
    at: usize,
    base: NdjsonBlockStart,
    /// Lines before `at`.
    line: u64,
    first: u64,
    cut: bool,
    limits: Arc<ReadLimits>,
    reader: NdjsonReader,
    /// The line that was read last.
    last: Option<(NdjsonLinePlace, Range<usize>)>,
}

impl Block for NdjsonBlock {
    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        while self.at < self.data.len() {
            let start = self.at;
            let rest = self.data.get(start..).unwrap_or_default();
            let (length, is_last) = match memchr(b'\n', rest) {
                Some(end) => (end, false),
                None => (rest.len(), true),
            };
            self.at = start + length + usize::from(!is_last);
            let line = self.line;
            self.line += 1;
            let content = rest.get(..length).unwrap_or_default();
            if content.trim_ascii_start().is_empty() {
                continue;
            }
            let place = NdjsonLinePlace {
                number: self.base.game,
                byte: self.base.byte + start as u64,
                line: self.base.line + line,
                cut: self.cut && is_last,
            };
            self.base.game += 1;
            self.last = Some((place, start..start + length));
            self.reader.read(content, place, want, &self.limits, game);
            return Ok(true);
        }
        Ok(false)
    }

    fn again(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        let Some((place, line)) = self.last.clone() else {
            return Ok(false);
        };
        let content = self.data.get(line).unwrap_or_default();
        self.reader.read(content, place, want, &self.limits, game);
        Ok(true)
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn first(&self) -> Option<u64> {
        Some(self.first)
    }

    fn bytes(&self) -> u64 {
        self.data.len() as u64
    }
}
