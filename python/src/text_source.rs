//! Texts of one game each, such as the column `movetext` of a table: a source of games like a file. Only the first game of
//! each text counts; a text without a game is a game without moves.

use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use tabiya::formats::format::OpenOptions;
use tabiya::formats::pgn::{self, PgnTextReader};
use tabiya::model::{Block, Error, Game, GameNeeds, Result, Source, error_codes};

use crate::failure::refused;

/// Bytes of texts that are read as one; each block of them is read by one thread.
const BLOCK: usize = 1 << 17;
/// What parts two texts: an empty line.
const BETWEEN: &[u8] = b"\n\n";

/// Texts, one behind the other, as an array of Arrow holds them.
pub(crate) struct TextColumn {
    bytes: PyBackedBytes,
    /// Where each begins, and where the last one ends.
    places: Vec<usize>,
}

impl TextColumn {
    /// An array of Arrow: its bytes, and the places of its texts as numbers of so many bytes.
    pub(crate) fn new(
        py: Python<'_>,
        bytes: PyBackedBytes,
        places: &[u8],
        width: usize,
    ) -> PyResult<TextColumn> {
        let place = |bytes: &[u8]| match *bytes {
            [a, b, c, d] => Some(i64::from(i32::from_ne_bytes([a, b, c, d]))),
            [a, b, c, d, e, f, g, h] => Some(i64::from_ne_bytes([a, b, c, d, e, f, g, h])),
            _ => None,
        };
        let places = places.chunks(width.max(1));
        let places: Option<Vec<usize>> = places
            .map(|bytes| usize::try_from(place(bytes)?).ok())
            .collect();
        let is_right = |places: &Vec<usize>| {
            places.is_sorted() && places.last().is_some_and(|last| *last <= bytes.len())
        };
        match places.filter(is_right) {
            Some(places) => Ok(TextColumn { bytes, places }),
            None => Err(refused(
                py,
                "UsageError",
                "the offsets of the texts contradict each other",
            )),
        }
    }

    fn len(&self) -> usize {
        self.places.len().saturating_sub(1)
    }

    fn place(&self, at: usize) -> usize {
        self.places.get(at).copied().unwrap_or(self.bytes.len())
    }

    fn text(&self, at: usize) -> &[u8] {
        let span = self.place(at)..self.place(at + 1);
        self.bytes.get(span).unwrap_or_default()
    }
}

/// The games of texts.
pub(crate) struct TextSource {
    columns: Arc<Vec<TextColumn>>,
    /// The column and the text that are next, and how many texts were taken.
    column: usize,
    at: usize,
    before: u64,
}

impl TextSource {
    pub(crate) fn new(columns: Vec<TextColumn>) -> TextSource {
        TextSource {
            columns: Arc::new(columns),
            column: 0,
            at: 0,
            before: 0,
        }
    }
}

impl Source<'static> for TextSource {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block>>> {
        loop {
            let Some(column) = self.columns.get(self.column) else {
                return Ok(None);
            };
            let start = self.at;
            if start >= column.len() {
                self.column += 1;
                self.at = 0;
                continue;
            }
            let limit = column.place(start).saturating_add(BLOCK);
            let mut end = start + 1;
            while end < column.len() && column.place(end + 1) <= limit {
                end += 1;
            }
            self.at = end;
            let first = self.before + 1;
            self.before += (end - start) as u64;
            return Ok(Some(Box::new(TextBlock {
                columns: Arc::clone(&self.columns),
                column: self.column,
                texts: start..end,
                next: start,
                first,
                bytes: (column.place(end) - column.place(start)) as u64,
                joint: None,
            })));
        }
    }

    fn total_bytes(&self) -> Option<u64> {
        let columns = self.columns.iter();
        Some(columns.map(|column| column.bytes.len() as u64).sum())
    }
}

/// Texts that one thread reads.
struct TextBlock {
    columns: Arc<Vec<TextColumn>>,
    column: usize,
    texts: Range<usize>,
    next: usize,
    first: u64,
    bytes: u64,
    joint: Option<JointTexts>,
}

/// The games of all texts of a block, which are read as one.
struct JointTexts {
    games: OpenText,
    /// Where each text begins, and where one after the last would.
    starts: Vec<u64>,
    /// The game that was read last, if it is not its turn yet.
    ahead: Game,
    is_ahead: bool,
}

/// The games of a text.
struct OpenText {
    /// Nothing where the block has them all.
    source: Option<Box<dyn Source<'static>>>,
    block: Option<Box<dyn Block>>,
}

impl OpenText {
    fn new(text: Vec<u8>) -> Result<OpenText> {
        let stream = pgn::FORMAT
            .stream
            .ok_or_else(|| Error::new(&error_codes::INTERNAL, "PGN cannot be read from a text"))?;
        let source = stream(Box::new(Cursor::new(text)), &OpenOptions::default())?;
        Ok(OpenText {
            source: Some(source),
            block: None,
        })
    }

    /// The same for many games, of which most begin where a text does.
    fn of_many(text: Vec<u8>) -> Result<OpenText> {
        let reader = PgnTextReader::new(&OpenOptions::default());
        let found = match String::from_utf8(text) {
            Ok(text) => reader.block(text).map_err(String::into_bytes),
            Err(error) => Err(error.into_bytes()),
        };
        match found {
            Ok(block) => Ok(OpenText {
                source: None,
                block: Some(block),
            }),
            Err(text) => OpenText::new(text),
        }
    }

    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        loop {
            if let Some(block) = &mut self.block
                && block.next(want, game)?
            {
                return Ok(true);
            }
            let Some(source) = &mut self.source else {
                return Ok(false);
            };
            self.block = source.next_block()?;
            if self.block.is_none() {
                return Ok(false);
            }
        }
    }
}

impl JointTexts {
    fn new(column: &TextColumn, texts: Range<usize>) -> Result<JointTexts> {
        let bytes = column.place(texts.end) - column.place(texts.start);
        let mut all = Vec::with_capacity(bytes + texts.len() * BETWEEN.len());
        let mut starts = Vec::with_capacity(texts.len() + 1);
        for at in texts {
            starts.push(all.len() as u64);
            all.extend_from_slice(column.text(at));
            all.extend_from_slice(BETWEEN);
        }
        starts.push(all.len() as u64);
        Ok(JointTexts {
            games: OpenText::of_many(all)?,
            starts,
            ahead: Game::default(),
            is_ahead: false,
        })
    }

    /// Reads the first game of a text; false where it is not sure that this is what the text alone would give.
    fn read(&mut self, at: usize, want: GameNeeds, game: &mut Game) -> Result<bool> {
        let place = |at: usize| self.starts.get(at).copied().unwrap_or(u64::MAX);
        let (start, end) = (place(at), place(at + 1));
        loop {
            if !self.is_ahead {
                if !self.games.next(want, &mut self.ahead)? {
                    return Ok(false);
                }
                self.is_ahead = true;
            }
            let origin = self.ahead.origin;
            if origin.byte >= end {
                return Ok(false);
            }
            self.is_ahead = false;
            // Further games of the text before are passed over.
            if origin.byte >= start {
                std::mem::swap(&mut self.ahead, game);
                return Ok(origin.byte.saturating_add(origin.length) <= end);
            }
        }
    }
}

impl TextBlock {
    /// Reads a text by itself.
    fn read_alone(&self, at: usize, want: GameNeeds, game: &mut Game) -> Result<()> {
        let text = (self.columns.get(self.column)).map_or(&[][..], |column| column.text(at));
        let found = OpenText::new(text.to_vec()).and_then(|mut games| games.next(want, game));
        match found {
            Ok(true) => Ok(()),
            Err(error) if error.code.name != error_codes::NOT_THIS_FORMAT.name => Err(error),
            Ok(false) | Err(_) => {
                game.clear();
                let text = String::from_utf8_lossy(text);
                if !text.trim().is_empty() {
                    game.tape.push_raw(text.trim());
                }
                Ok(())
            }
        }
    }
}

impl Block for TextBlock {
    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        if self.next >= self.texts.end {
            return Ok(false);
        }
        let at = self.next;
        self.next += 1;
        if self.joint.is_none()
            && let Some(column) = self.columns.get(self.column)
        {
            self.joint = Some(JointTexts::new(column, self.texts.clone())?);
        }
        let place = at - self.texts.start;
        let is_read = match &mut self.joint {
            // What cannot be read as one is read text by text.
            Some(joint) => joint.read(place, want, game).unwrap_or(false),
            None => false,
        };
        if !is_read {
            self.read_alone(at, want, game)?;
        }
        game.origin.number = self.first + place as u64;
        Ok(true)
    }

    fn first(&self) -> Option<u64> {
        Some(self.first)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
