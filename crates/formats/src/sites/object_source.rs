//! Splitting a stream of JSON into the objects that are games. They are in lines of their own, or in the list of a month; this
//! does not matter, because commas, brackets and the head of a list between two games are ignored.

use std::io::Read;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr_iter, memchr3, memmem};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::text_file::TextInput;
use tabiya_codec::unpack_failure::UnpackFailure;
use tabiya_io::compression;
use tabiya_model::GameNeeds;
use tabiya_model::database::{Block, Source};
use tabiya_model::diagnostic::{Diagnostics, Location};
use tabiya_model::error::{Error, Result};
use tabiya_model::error_codes;
use tabiya_model::game::Game;

use super::codes;

/// The usual size of a block.
const BLOCK: usize = 1 << 20;

/// The place of a game.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct SiteGamePlace {
    pub(crate) number: u64,
    pub(crate) byte: u64,
    pub(crate) line: u64,
    /// Whether it was truncated at the limit.
    pub(crate) is_cut: bool,
}

impl SiteGamePlace {
    /// The place, for a finding.
    pub(crate) fn location(&self, ply: u32) -> Location {
        Location {
            file: None,
            game: Some(self.number),
            byte: Some(self.byte),
            line: Some(self.line),
            column: None,
            ply: (ply > 0).then_some(ply),
        }
    }
}

/// The code for one site.
pub(crate) trait SiteGameReader: Send + 'static {
    /// The beginning of every game.
    const MARK: &'static [u8];

    /// Whether a game always begins a line; then text that looks like a game within another one is not a game.
    const IN_LINES: bool;

    /// The beginning of a list of games, as tokens.
    const HEAD: &'static [&'static [u8]];

    /// The name of these games in messages.
    const GAMES: &'static str;

    /// Whether a text begins like games of this site.
    fn recognise(head: &[u8]) -> bool;

    /// A reader.
    fn new(options: &OpenOptions) -> Self;

    /// Reads the object of a game.
    fn read(&mut self, object: &[u8], place: SiteGamePlace, want: GameNeeds, game: &mut Game);
}

/// The games of a stream.
pub(crate) struct SiteSource<R: SiteGameReader> {
    input: Box<dyn Read + Send>,
    name: String,
    options: Arc<OpenOptions>,
    pending: Vec<u8>,
    base: SiteGamePlace,
    ended: bool,
    cut: UnpackFailure,
    /// The error of a failed read; it is reported after the games before it.
    fault: Option<std::io::Error>,
    /// The rest of a game that was too long is being skipped.
    dropping: bool,
    started: bool,
    total: Option<u64>,
    block: usize,
    reader: PhantomData<R>,
}

impl<R: SiteGameReader> SiteSource<R> {
    /// Reads a text, or a part of one.
    pub(crate) fn new(input: TextInput<'_, ()>) -> SiteSource<R> {
        let mut base = SiteGamePlace {
            number: 1,
            byte: 0,
            line: 1,
            is_cut: false,
        };
        if let Some(start) = &input.start {
            base.number = start.number;
            base.byte = start.byte;
            base.line = start.line;
        }
        SiteSource {
            started: input.start.is_some(),
            input: input.text,
            name: input.name,
            options: Arc::new(input.options.clone()),
            pending: Vec::new(),
            base,
            ended: false,
            cut: input.cut,
            fault: None,
            dropping: false,
            total: input.total,
            block: BLOCK,
            reader: PhantomData,
        }
    }

    #[cfg(test)]
    pub(crate) fn with_block_size(mut self, bytes: usize) -> SiteSource<R> {
        self.block = bytes.max(1);
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
        if let Err(error) = part.read_to_end(&mut self.pending) {
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
        if self.pending.iter().all(u8::is_ascii_whitespace) || R::recognise(&self.pending) {
            return Ok(());
        }
        // A truncated stream is reported as such, and not as another format.
        if let Some(error) = self.fault.take() {
            return Err(Error::from(error).in_file(self.name.clone()));
        }
        Err(
            Error::new(&error_codes::NOT_THIS_FORMAT, format!("not {}", R::GAMES))
                .in_file(self.name.clone()),
        )
    }

    /// Takes bytes from the start of the pending ones.
    fn take(&mut self, count: usize) -> Vec<u8> {
        let rest = self.pending.split_off(count.min(self.pending.len()));
        let taken = std::mem::replace(&mut self.pending, rest);
        self.base.byte += taken.len() as u64;
        taken
    }

    /// Skips the rest of a game that was too long; false at the end of the input.
    fn drop_rest(&mut self) -> bool {
        while self.dropping {
            self.fill(self.block.max(R::MARK.len() * 2));
            let found = memmem::find_iter(&self.pending, R::MARK)
                .find(|&at| !R::IN_LINES || begins_line(&self.pending, at));
            // The pending bytes may end with the beginning of a mark.
            let end = found.unwrap_or(match self.ended {
                true => self.pending.len(),
                false => self.pending.len().saturating_sub(R::MARK.len()),
            });
            let passed = self.take(end);
            self.base.line += memchr_iter(b'\n', &passed).count() as u64;
            self.dropping = found.is_none();
            if self.dropping && self.ended {
                return false;
            }
        }
        true
    }

    /// The places of the objects at the start of the pending bytes, and where they end.
    fn cut(&self, wanted: usize) -> (Vec<Range<usize>>, usize) {
        let data = &self.pending[..];
        let mut spans = Vec::new();
        let mut at = 0;
        loop {
            let start = pass_separators::<R>(data, at);
            if start >= data.len() {
                return (spans, data.len());
            }
            let end = match data.get(start) {
                Some(b'{') => object_end::<R>(data, start),
                _ => stray_end(data, start),
            };
            match end {
                Some(end) => {
                    spans.push(start..end);
                    at = end;
                    if at >= wanted {
                        return (spans, at);
                    }
                }
                None if self.ended => {
                    spans.push(start..data.len());
                    return (spans, data.len());
                }
                None => return (spans, at),
            }
        }
    }
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']' | b'}' | 0x1e)
}

/// Whether a line begins at an offset.
fn begins_line(data: &[u8], at: usize) -> bool {
    let before = data.get(..at).unwrap_or_default();
    before.last().is_none_or(|byte| *byte == b'\n')
}

/// Skips the characters between two games.
fn pass_separators<R: SiteGameReader>(data: &[u8], mut at: usize) -> usize {
    loop {
        while data.get(at).is_some_and(|byte| is_separator(*byte)) {
            at += 1;
        }
        match pass_head(R::HEAD, data, at) {
            Some(next) => at = next,
            None => return at,
        }
    }
}

/// Skips the head of a list; `None` if there is none.
pub(crate) fn pass_head(head: &[&[u8]], data: &[u8], mut at: usize) -> Option<usize> {
    if head.is_empty() {
        return None;
    }
    for token in head {
        while data.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if !data.get(at..)?.starts_with(token) {
            return None;
        }
        at += token.len();
    }
    Some(at)
}

/// The end of an object; `None` if it continues after the data.
fn object_end<R: SiteGameReader>(data: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        let found = at + memchr3(b'"', b'{', b'}', data.get(at..)?)?;
        at = found + 1;
        match data.get(found) {
            Some(b'"') => at = string_end(data, at)?.ok().unwrap_or(usize::MAX),
            Some(b'{') => {
                let rest = data.get(found..).unwrap_or_default();
                let is_game =
                    rest.starts_with(R::MARK) && (!R::IN_LINES || begins_line(data, found));
                // The enclosing game was never closed.
                if depth > 0 && is_game {
                    return Some(found);
                }
                depth += 1;
            }
            _ => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        if at == usize::MAX {
            // A string does not cross the end of a line: the game was truncated there.
            return data
                .get(found..)
                .and_then(|rest| memchr::memchr(b'\n', rest))
                .map(|length| found + length);
        }
    }
}

/// The end of a string whose text begins at an offset: the place after its quote, or an error if its line ends first; `None`
/// if it continues after the data.
fn string_end(data: &[u8], mut at: usize) -> Option<std::result::Result<usize, ()>> {
    loop {
        let found = at + memchr3(b'"', b'\\', b'\n', data.get(at..)?)?;
        match data.get(found) {
            Some(b'"') => return Some(Ok(found + 1)),
            Some(b'\\') if data.get(found + 1) != Some(&b'\n') => at = found + 2,
            _ => return Some(Err(())),
        }
    }
}

/// The end of text that is not an object: at the next object, or at the end of its line.
fn stray_end(data: &[u8], start: usize) -> Option<usize> {
    let rest = data.get(start..)?;
    memchr::memchr2(b'\n', b'{', rest).map(|length| start + length)
}

impl<'a, R: SiteGameReader> Source<'a> for SiteSource<R> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        if !self.started {
            self.start()?;
        }
        if !self.drop_rest() && self.fault.is_none() {
            return Ok(None);
        }
        let limit = self.options.limits.game_bytes.max(1);
        let mut wanted = self.block;
        let mut between = 0_usize;
        let (spans, end, is_cut) = loop {
            self.fill(wanted);
            let (spans, end) = self.cut(wanted);
            if !spans.is_empty() || self.ended {
                break (spans, end, false);
            }
            if end > 0 {
                let passed = self.take(end);
                self.base.line += memchr_iter(b'\n', &passed).count() as u64;
                between = between.saturating_add(passed.len());
                if between < limit.max(BLOCK) {
                    continue;
                }
                // Endless text between two games is reported like an endless game.
                break (std::iter::once(0..0).collect(), 0, true);
            }
            if wanted >= limit {
                let start = pass_separators::<R>(&self.pending, 0);
                let all = self.pending.len();
                let cut = start..all;
                break (vec![cut], all, true);
            }
            wanted = wanted.saturating_mul(2).min(limit.max(self.block));
        };
        if spans.is_empty() {
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
        self.dropping = is_cut;
        self.base.line += memchr_iter(b'\n', &data).count() as u64;
        self.base.number += spans.len() as u64;
        Ok(Some(Box::new(SiteBlock {
            reader: R::new(&self.options),
            data,
            spans,
            next: 0,
            base,
            is_cut,
            counted: (0, base.line),
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

/// A run of whole games.
struct SiteBlock<R: SiteGameReader> {
    reader: R,
    data: Vec<u8>,
    spans: Vec<Range<usize>>,
    next: usize,
    base: SiteGamePlace,
    is_cut: bool,
    /// The line of an offset.
    counted: (usize, u64),
    last: Option<(SiteGamePlace, Range<usize>)>,
}

impl<R: SiteGameReader> SiteBlock<R> {
    fn read(&mut self, place: SiteGamePlace, span: Range<usize>, want: GameNeeds, game: &mut Game) {
        let object = self.data.get(span).unwrap_or_default();
        game.clear();
        game.origin.number = place.number;
        game.origin.byte = place.byte;
        game.origin.length = object.len() as u64;
        game.origin.line = place.line;
        if place.is_cut {
            let length = object.len();
            game.diagnostics.report(
                &codes::LONG_GAME,
                || place.location(0),
                || format!("the game is longer than the limit of {length} bytes"),
            );
        }
        self.reader.read(object, place, want, game);
    }
}

impl<R: SiteGameReader> Block for SiteBlock<R> {
    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        let Some(span) = self.spans.get(self.next).cloned() else {
            return Ok(false);
        };
        let between = self.data.get(self.counted.0..span.start);
        let line = self.counted.1 + memchr_iter(b'\n', between.unwrap_or_default()).count() as u64;
        self.counted = (span.start, line);
        let place = SiteGamePlace {
            number: self.base.number + self.next as u64,
            byte: self.base.byte + span.start as u64,
            line,
            is_cut: self.is_cut && self.next + 1 == self.spans.len(),
        };
        self.next += 1;
        self.last = Some((place, span.clone()));
        self.read(place, span, want, game);
        Ok(true)
    }

    fn again(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool> {
        let Some((place, span)) = self.last.clone() else {
            return Ok(false);
        };
        self.read(place, span, want, game);
        Ok(true)
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn first(&self) -> Option<u64> {
        Some(self.base.number)
    }

    fn bytes(&self) -> u64 {
        self.data.len() as u64
    }
}
