//! A run of whole games: finds the start and the end of each, and reads it.

use std::sync::Arc;

use tabiya_model::database::{Block, GameNeeds};
use tabiya_model::diagnostic::Diagnostics;
use tabiya_model::error::Result;
use tabiya_model::game::{Game, GameOrigin};
use tabiya_model::tags::TagSet;

use super::block_start::PgnBlockStart;
use super::codes;
use super::lexer::next_boundary;
use super::quick_result;
use super::reader::state::{PgnReader, PgnReaderState};
use super::settings::PgnReaderSettings;
use super::skim;

/// The bytes of a block.
enum PgnBlockContent {
    /// Bytes that have not been examined.
    Unseen(Vec<u8>),
    /// UTF-8: no part of it needs to be examined for that any more.
    Text(String),
    /// Bytes of which some are not UTF-8.
    Bytes(Vec<u8>),
}

impl PgnBlockContent {
    fn bytes(&self) -> &[u8] {
        match self {
            PgnBlockContent::Unseen(bytes) | PgnBlockContent::Bytes(bytes) => bytes,
            PgnBlockContent::Text(text) => text.as_bytes(),
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            PgnBlockContent::Text(text) => Some(text),
            PgnBlockContent::Unseen(_) | PgnBlockContent::Bytes(_) => None,
        }
    }

    /// Determines whether it is UTF-8.
    fn look(&mut self) {
        if let PgnBlockContent::Unseen(bytes) = self {
            *self = match String::from_utf8(std::mem::take(bytes)) {
                Ok(text) => PgnBlockContent::Text(text),
                Err(error) => PgnBlockContent::Bytes(error.into_bytes()),
            };
        }
    }
}

/// A run of whole games.
pub(super) struct PgnBlock {
    content: PgnBlockContent,
    at: usize,
    section_end: usize,
    number: u64,
    /// Text before the first game of the file.
    preamble: Vec<u8>,
    /// Whether the game at the end was truncated by the limit.
    cut: bool,
    first: Option<u64>,
    bytes: u64,
    settings: Arc<PgnReaderSettings>,
    state: PgnReaderState,
    /// The start of the game that was read last, and whether it is the first of the block.
    last: Option<(usize, bool)>,
    /// The next opening brace, as far as known.
    next_brace: usize,
}

impl PgnBlock {
    /// A block of bytes; `lone_returns` means that lines may end with a carriage return alone.
    pub(super) fn new(
        data: Vec<u8>,
        lone_returns: bool,
        base: PgnBlockStart,
        settings: Arc<PgnReaderSettings>,
    ) -> PgnBlock {
        PgnBlock::of(PgnBlockContent::Unseen(data), lone_returns, base, settings)
    }

    /// The same of a text that is UTF-8.
    pub(super) fn of_text(
        text: String,
        lone_returns: bool,
        base: PgnBlockStart,
        settings: Arc<PgnReaderSettings>,
    ) -> PgnBlock {
        PgnBlock::of(PgnBlockContent::Text(text), lone_returns, base, settings)
    }

    fn of(
        content: PgnBlockContent,
        lone_returns: bool,
        base: PgnBlockStart,
        settings: Arc<PgnReaderSettings>,
    ) -> PgnBlock {
        PgnBlock {
            at: 0,
            section_end: 0,
            number: 0,
            preamble: Vec::new(),
            cut: false,
            first: None,
            bytes: content.bytes().len() as u64,
            settings,
            state: PgnReaderState::new(base, lone_returns),
            next_brace: 0,
            content,
            last: None,
        }
    }

    /// The same block with text before it that belongs to no game.
    pub(super) fn with_preamble(mut self, text: Vec<u8>) -> PgnBlock {
        self.bytes += text.len() as u64;
        // Blank lines before the first tag are not text.
        if skim::skip_noise(&text, 0) < text.len() {
            self.preamble = text;
        }
        self
    }

    /// The same block, known to end within a game.
    pub(super) fn cut(mut self, cut: bool) -> PgnBlock {
        self.cut = cut;
        self
    }

    /// The same block with the number of its first game, if it is known.
    pub(super) fn numbered(mut self, first: Option<u64>) -> PgnBlock {
        self.first = first;
        self.number = first.map_or(0, |first| first.saturating_sub(1));
        self
    }

    /// The place of the game that was read last, as far as it is known before reading.
    fn origin(&self, start: usize) -> GameOrigin {
        GameOrigin {
            number: self.number,
            byte: self.state.base.byte + start as u64,
            length: 0,
            line: 0,
        }
    }

    /// Reads the game at `start`, whose section is known.
    fn read(&mut self, start: usize, want: GameNeeds, game: &mut Game) {
        self.content.look();
        let data = self.content.bytes();
        if self.state.next_open < start {
            let rest = data.get(start..).unwrap_or(&[]);
            self.state.next_open = memchr::memchr(b'(', rest).map_or(usize::MAX, |n| start + n);
        }
        let data = data.get(..self.section_end).unwrap_or(data);
        game.origin.line = self.state.line(data, start);
        let origin = game.origin;
        let mut language = None;
        let end = loop {
            let reader = PgnReader::new(data, &self.settings, &mut self.state, game, want);
            let mut reader = reader.with_language(language);
            reader.text = self.content.text();
            if self.last.is_some_and(|(_, is_first)| is_first) && !self.preamble.is_empty() {
                reader.preamble(&self.preamble, start);
            }
            let end = reader.read(start);
            match reader.found_language {
                Some(found) if language.is_none() => {
                    language = Some(found);
                    game.clear();
                    game.origin = origin;
                }
                _ => break end,
            }
        };
        self.end(start, end, game);
    }

    /// Reads a plain game of which only a few tags are needed; its section is determined on the way. Anything that is not
    /// plain is left to ordinary reading, as if this had not been called.
    fn read_plainly(&mut self, start: usize, want: GameNeeds, game: &mut Game) -> bool {
        let is_few = want.tags != TagSet::ALL && !want.moves && !want.annotations;
        if !is_few
            || start < self.section_end
            || !self.preamble.is_empty()
            || self.state.lone_returns
            || self.settings.nested_comments
            || self.settings.redecode.is_some()
        {
            return false;
        }
        let brace = self.brace_from(start);
        std::mem::swap(&mut self.state.names, &mut self.state.few_names);
        let data = self.content.bytes();
        let mut reader = PgnReader::new(data, &self.settings, &mut self.state, game, want);
        let found = reader.few_tags(start, want.tags).and_then(|movetext| {
            let section_end = next_boundary(data, start, movetext, false, brace);
            let section = data.get(..section_end).unwrap_or(data);
            let (after, outcome) = quick_result::end(section, movetext)?;
            (skim::skip_noise(section, after) >= section.len()).then_some((section_end, outcome))
        });
        std::mem::swap(&mut self.state.names, &mut self.state.few_names);
        let Some((section_end, outcome)) = found else {
            game.tags.clear();
            game.diagnostics = Diagnostics::default();
            return false;
        };
        game.outcome = Some(outcome);
        self.section_end = section_end;
        self.end(start, section_end, game);
        true
    }

    /// The first opening brace from `start` on.
    fn brace_from(&mut self, start: usize) -> usize {
        if self.next_brace < start {
            let rest = self.content.bytes().get(start..).unwrap_or(&[]);
            self.next_brace = memchr::memchr(b'{', rest).map_or(usize::MAX, |n| start + n);
        }
        self.next_brace
    }

    /// The end of the section that begins at `start`.
    fn find_section_end(&mut self, start: usize) -> usize {
        let brace = self.brace_from(start);
        let data = self.content.bytes();
        let lone_returns = self.state.lone_returns;
        let from = if lone_returns {
            start
        } else {
            after_tag_lines(data, start)
        };
        next_boundary(data, start, from, lone_returns, brace)
    }

    fn end(&mut self, start: usize, end: usize, game: &mut Game) {
        // At least one byte is taken, so that reading always ends.
        let end = end.max(start + 1);
        game.origin.length = (end - start) as u64;
        let data = self.content.bytes();
        if self.cut && end >= data.len() {
            let place = self.state.place(data, start, self.number, None);
            game.diagnostics.report(
                &codes::SIZE_LIMIT,
                || place,
                || "the game is split here; the rest is read as another game".to_owned(),
            );
        }
        self.at = end;
    }
}

impl Block for PgnBlock {
    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        game.clear();
        let data = self.content.bytes();
        let start = skim::skip_noise(data, self.at);
        if start >= data.len() {
            self.at = start;
            return Ok(false);
        }
        self.number += 1;
        self.last = Some((start, self.last.is_none()));
        game.origin = self.origin(start);
        if self.read_plainly(start, want, game) {
            return Ok(true);
        }
        if start >= self.section_end {
            self.section_end = self.find_section_end(start);
        }
        self.read(start, want, game);
        Ok(true)
    }

    fn again(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        let Some((start, _)) = self.last else {
            return Ok(false);
        };
        game.clear();
        game.origin = self.origin(start);
        self.read(start, want, game);
        Ok(true)
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn first(&self) -> Option<u64> {
        self.first
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// A place before which no game can begin, since all lines up to it begin like tags.
fn after_tag_lines(data: &[u8], start: usize) -> usize {
    let mut i = start;
    while data.get(i) == Some(&b'[')
        && let Some(n) = data.get(i..).and_then(|rest| memchr::memchr(b'\n', rest))
    {
        i += n + 1;
    }
    i.saturating_sub(1).max(start)
}
