//! Files and pipes of records: cut into blocks of lines, with an index of places that is made when it is first asked for.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use tabiya_io::compression;
use tabiya_io::held_folder;
use tabiya_io::seek_points::SeekPoints;
use tabiya_model::charset::Charset;
use tabiya_model::{
    Block, Database, DatabaseInfo, Error, ErrorKind, Game, GameNeeds, Result, Source,
};

use super::layout;
use super::reader::{self, EpdLinePlace};
use crate::format::OpenOptions;
use crate::game_places;

/// The usual size of a block.
const BLOCK: usize = 256 << 10;

/// Opens a file of records, compressed or not.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let size = held_folder::metadata(path)
        .map_err(|error| Error::from(error).in_file(path.display().to_string()))?
        .len();
    let file = EpdFile {
        path: path.to_owned(),
        size,
        options: options.clone(),
        index: OnceLock::new(),
        making: Mutex::new(()),
        points: SeekPoints::default(),
    };
    // What cannot be unpacked is said now and not when the first game is read.
    file.all()?.next_block()?;
    Ok(Box::new(file))
}

/// Reads records from a pipe, compressed or not.
pub(super) fn stream(
    input: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Result<Box<dyn Source<'static>>> {
    let input =
        compression::unpack_stream("input", input, &options.unpacking()).map_err(unpacking)?;
    Ok(Box::new(EpdSource::new(input, "input", options)))
}

fn unpacking(error: compression::UnpackError) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).because(error)
}

/// Where something begins: its offset, its line from 1, and the number of its first game.
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

    /// The same source where it begins in the middle of a file.
    fn at(mut self, base: EpdBlockStart) -> EpdSource {
        self.base = base;
        self
    }

    /// Reads a line to the end of `data`, up to the limit; says how many bytes it took and whether it was cut, or nothing
    /// at the end of the input.
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
            // The rest of the line is passed over.
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
                // What came before it is given first; the next block tells.
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

/// Where each record stands.
struct EpdIndex {
    /// Offset and line.
    places: Vec<(u64, u64)>,
    /// Whether places are offsets in the file as it is.
    plain: bool,
}

/// A file of records.
struct EpdFile {
    path: PathBuf,
    size: u64,
    options: OpenOptions,
    index: OnceLock<EpdIndex>,
    /// One thread makes the index.
    making: Mutex<()>,
    /// Where it can be unpacked from, as far as it was read.
    points: SeekPoints,
}

impl EpdFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn text(&self) -> Result<Box<dyn Read + Send>> {
        self.points
            .open_stream(&self.path, &self.options.unpacking())
            .map_err(unpacking)
    }

    fn all(&self) -> Result<EpdSource> {
        let mut lines = EpdSource::new(self.text()?, &self.name(), &self.options);
        lines.total = Some(self.size);
        Ok(lines)
    }

    fn index(&self) -> Result<&EpdIndex> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let mut places = Vec::new();
        let mut lines = self.all()?;
        let mut data = Vec::new();
        while let Some((taken, _)) = lines.line(&mut data)? {
            let is_marked = lines.base.byte == 0 && data.starts_with(b"\xef\xbb\xbf");
            let skipped = if is_marked { 3 } else { 0 };
            if layout::is_record(data.get(skipped..).unwrap_or_default()) {
                places.push((lines.base.byte + skipped as u64, lines.base.line));
            }
            data.clear();
            lines.base.byte += taken;
            lines.base.line += 1;
        }
        let plain =
            compression::is_plain(&self.path, &self.options.unpacking()).map_err(unpacking)?;
        Ok(self.index.get_or_init(|| EpdIndex { places, plain }))
    }

    /// The records of a range of numbers, read from where they stand.
    fn part(&self, games: Range<u64>) -> Result<EpdSource> {
        let index = self.index()?;
        let first = games.start.max(1);
        let at = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        let last = at(games.end).min(index.places.len());
        let place = index
            .places
            .get(at(first)..last)
            .and_then(|wanted| wanted.first());
        let Some(&(byte, line)) = place else {
            return Ok(EpdSource::new(
                Box::new(std::io::empty()),
                &self.name(),
                &self.options,
            ));
        };
        let end = index.places.get(last).map_or(u64::MAX, |(byte, _)| *byte);
        let mut input: Box<dyn Read + Send> = if index.plain {
            let mut file = tabiya_io::regular_file::open(&self.path)
                .map_err(|error| Error::from(error).in_file(self.name()))?;
            file.seek(SeekFrom::Start(byte))?;
            Box::new(file)
        } else {
            self.points
                .open_at(&self.path, &self.options.unpacking(), byte)
                .map_err(unpacking)?
        };
        input = Box::new(input.take(end.saturating_sub(byte)));
        let base = EpdBlockStart {
            byte,
            line,
            game: first,
        };
        Ok(EpdSource::new(input, &self.name(), &self.options).at(base))
    }
}

impl Database for EpdFile {
    fn info(&self) -> DatabaseInfo {
        let mut info = DatabaseInfo {
            format: super::FORMAT.name,
            files: vec![(self.path.clone(), self.size)],
            games: self.index.get().map(|index| index.places.len() as u64),
            ..DatabaseInfo::default()
        };
        game_places::describe_packing(&mut info, self.points.pieces());
        info
    }

    fn len(&self) -> Result<u64> {
        Ok(self.index()?.places.len() as u64)
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        crate::numbered_database::check_number(number, self.len()?)?;
        let mut part = self.part(number..number + 1)?;
        if let Some(mut block) = part.next_block()?
            && block.next(want, game)?
        {
            return Ok(());
        }
        Err(Error::usage(format!("there is no game {number}")).in_file(self.name()))
    }

    fn finds_games(&self) -> bool {
        self.index.get().is_some_and(|index| index.plain)
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        match games {
            None => Ok(Box::new(self.all()?)),
            Some(range) => Ok(Box::new(self.part(range)?)),
        }
    }
}
