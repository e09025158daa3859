//! Files and pipes of records, divided into blocks of lines.

use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tabiya_codec::format::OpenOptions;
use tabiya_codec::game_places::GamePlaceList;
use tabiya_codec::text_file::{self, TextFile, TextFormat, TextInput, TextWalk};
use tabiya_model::charset::Charset;
use tabiya_model::game_offsets::GameSpan;
use tabiya_model::{Block, Database, Error, Game, GameNeeds, Result, Source};

use super::layout;
use super::reader::{self, EpdLinePlace};

/// The usual size of a block.
const BLOCK: usize = 256 << 10;

/// Opens a file of records, compressed or not.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let file = TextFile::<EpdText>::open(path, options)?;
    // A decompression error is reported now, and not only when the first game is read.
    file.all()?.next_block()?;
    Ok(Box::new(file))
}

/// Reads records from a pipe, compressed or not.
pub(super) fn stream(
    input: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Result<Box<dyn Source<'static>>> {
    text_file::stream::<EpdText>(input, options)
}

/// The start of a block: its offset, its line from 1, and the number of its first game.
#[derive(Copy, Clone, Debug)]
struct EpdBlockStart {
    byte: u64,
    line: u64,
    game: u64,
}

/// The records of a stream.
struct EpdSource {
    input: BufReader<Box<dyn Read + Send>>,
    name: String,
    base: EpdBlockStart,
    longest: usize,
    encoding: Option<Charset>,
    total: Option<u64>,
}

impl EpdSource {
    fn new(input: Box<dyn Read + Send>, name: &str, options: &OpenOptions) -> EpdSource {
        EpdSource {
            input: BufReader::with_capacity(BLOCK, input),
            name: name.to_owned(),
            base: EpdBlockStart {
                byte: 0,
                line: 1,
                game: 1,
            },
            longest: options.limits.game_bytes.max(1),
            encoding: options.encoding,
            total: None,
        }
    }

    /// The same source, starting in the middle of a file.
    fn at(mut self, base: EpdBlockStart) -> EpdSource {
        self.base = base;
        self
    }

    /// Reads a line to the end of `data`, up to the limit; returns its number of bytes and whether it was truncated, or
    /// `None` at the end of the input.
    fn line(&mut self, data: &mut Vec<u8>) -> std::io::Result<Option<(u64, bool)>> {
        let start = data.len();
        let limit = self.longest as u64;
        let mut taken = (&mut self.input).take(limit).read_until(b'\n', data)? as u64;
        if taken == 0 {
            return Ok(None);
        }
        let is_whole = data.get(start..).is_some_and(|line| line.ends_with(b"\n"));
        let mut cut = false;
        if !is_whole && taken == limit {
            // The rest of the line is skipped.
            loop {
                let buffer = self.input.fill_buf()?;
                if buffer.is_empty() {
                    break;
                }
                let end = memchr::memchr(b'\n', buffer);
                let length = end.map_or(buffer.len(), |end| end + 1);
                cut |= end != Some(0);
                self.input.consume(length);
                taken += length as u64;
                if end.is_some() {
                    break;
                }
            }
        }
        Ok(Some((taken, cut)))
    }
}

impl<'a> Source<'a> for EpdSource {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        let mut data = Vec::new();
        let mut records = Vec::new();
        let first = self.base.game;
        let start = self.base.byte;
        while data.len() < BLOCK {
            let from = data.len();
            let line = self.line(&mut data);
            let (taken, cut) = match line {
                Ok(Some(line)) => line,
                Ok(None) => break,
                // The records before it are returned first; the next block reports the error.
                Err(_) if !records.is_empty() => break,
                Err(error) => return Err(Error::from(error).in_file(self.name.clone())),
            };
            let mut range = from..data.len();
            let is_marked = |line: &[u8]| line.starts_with(b"\xef\xbb\xbf");
            if self.base.byte == 0 && data.get(range.clone()).is_some_and(is_marked) {
                range.start += 3;
            }
            let skipped = (range.start - from) as u64;
            let mut line = data.get(range.clone()).unwrap_or_default();
            while let [rest @ .., b'\n' | b'\r'] = line {
                line = rest;
                range.end -= 1;
            }
            if layout::is_record(line) {
                let place = EpdLinePlace {
                    number: self.base.game,
                    byte: self.base.byte + skipped,
                    line: self.base.line,
                    cut,
                };
                records.push((range, place));
                self.base.game += 1;
            } else {
                data.truncate(from);
            }
            self.base.byte += taken;
            self.base.line += 1;
        }
        if records.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(EpdBlock {
            data,
            records,
            at: 0,
            first,
            bytes: self.base.byte - start,
            encoding: self.encoding,
        })))
    }

    fn total_bytes(&self) -> Option<u64> {
        self.total
    }
}

/// A run of records.
struct EpdBlock {
    data: Vec<u8>,
    records: Vec<(Range<usize>, EpdLinePlace)>,
    at: usize,
    first: u64,
    bytes: u64,
    encoding: Option<Charset>,
}

impl EpdBlock {
    fn read(&self, index: usize, want: GameNeeds, game: &mut Game) -> bool {
        let Some((range, place)) = self.records.get(index) else {
            return false;
        };
        let line = self.data.get(range.clone()).unwrap_or_default();
        reader::read(line, *place, want, self.encoding, game);
        true
    }
}

impl Block for EpdBlock {
    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        let found = self.read(self.at, want, game);
        self.at += usize::from(found);
        Ok(found)
    }

    fn again(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        let Some(last) = self.at.checked_sub(1) else {
            return Ok(false);
        };
        Ok(self.read(last, want, game))
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn first(&self) -> Option<u64> {
        Some(self.first)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Texts of records.
struct EpdText;

impl TextFormat for EpdText {
    type Source = EpdSource;
    type Settings = ();

    const NAME: &'static str = "epd";

    fn source(input: TextInput<'_, ()>) -> EpdSource {
        let mut source = EpdSource::new(input.text, &input.name, input.options);
        source.total = input.total;
        match input.start {
            None => source,
            Some(start) => source.at(EpdBlockStart {
                byte: start.byte,
                line: start.line,
                game: start.number,
            }),
        }
    }

    fn walk(mut source: EpdSource) -> Result<TextWalk<()>> {
        let mut places = Vec::new();
        let mut data = Vec::new();
        while let Some((taken, _)) = source.line(&mut data)? {
            let is_marked = source.base.byte == 0 && data.starts_with(b"\xef\xbb\xbf");
            let skipped = if is_marked { 3 } else { 0 };
            let next = source.base.byte + taken;
            if layout::is_record(data.get(skipped..).unwrap_or_default()) {
                places.push(GameSpan {
                    byte: source.base.byte + skipped as u64,
                    end: next,
                    line: source.base.line,
                });
            }
            data.clear();
            source.base.byte = next;
            source.base.line += 1;
        }
        Ok(TextWalk {
            places: Arc::new(GamePlaceList::new(places).without_gaps()),
            settings: (),
            end: source.base.byte,
            is_transcoded: false,
        })
    }

    fn settings_of(_about: &str, _options: &OpenOptions) -> Option<()> {
        Some(())
    }
}
