//! Reading games: one pass over the bytes of a block, tags and moves straight into a game.
//!
//! The loop here knows what nearly all files consist of. Whatever is written in another way is read in `wild.rs`,
//! which is never on the way of ordinary movetext.

use std::borrow::Cow;
use std::sync::Arc;

use tabiya_model::board::Board;
use tabiya_model::charset::Charset;
use tabiya_model::charset::detect::Detector;
use tabiya_model::database::{Block, Want};
use tabiya_model::diagnostic::{Code, Diagnostics, Place};
use tabiya_model::error::Result;
use tabiya_model::game::{Game, Origin, Start, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::tags::TagSet;

use super::codes;
use super::lexer::{
    Class, at_line_start, blank_line_before, class, comment_end, digits, ends_move, is_tag_start,
    line_end, next_boundary, terminator, word_end,
};
use super::settings::Settings;
use super::skim::{self, Number, Stop, Trail};

/// The bytes of a block.
enum Content {
    /// Bytes at which nobody has looked.
    Unseen(Vec<u8>),
    /// UTF-8: no part of it has to be looked at for that any more.
    Text(String),
    /// Bytes of which some are not UTF-8.
    Bytes(Vec<u8>),
}

impl Content {
    fn bytes(&self) -> &[u8] {
        match self {
            Content::Unseen(bytes) | Content::Bytes(bytes) => bytes,
            Content::Text(text) => text.as_bytes(),
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Content::Text(text) => Some(text),
            Content::Unseen(_) | Content::Bytes(_) => None,
        }
    }

    /// Finds out whether it is a text.
    fn look(&mut self) {
        if let Content::Unseen(bytes) = self {
            *self = match String::from_utf8(std::mem::take(bytes)) {
                Ok(text) => Content::Text(text),
                Err(error) => Content::Bytes(error.into_bytes()),
            };
        }
    }
}

/// A run of whole games.
pub(super) struct PgnBlock {
    content: Content,
    at: usize,
    section_end: usize,
    number: u64,
    /// Text before the first game of the file.
    preamble: Vec<u8>,
    /// Whether the game at the end was cut by the limit.
    cut: bool,
    first: Option<u64>,
    bytes: u64,
    settings: Arc<Settings>,
    state: State,
    /// Where the game begins that was read last, and whether it is the first of the block.
    last: Option<(usize, bool)>,
}

/// Where a block stands in its file.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct Base {
    pub(super) byte: u64,
    pub(super) line: u64,
}

/// The lines that surround a variation.
#[derive(Clone, Debug)]
struct Frame {
    now: Board,
    before: Board,
    ply: u32,
}

/// A variation before the first move of its line, to be read when that has been played.
#[derive(Copy, Clone, Debug)]
struct Deferred {
    /// The number of variations around it.
    depth: usize,
    start: usize,
    end: usize,
    /// Where its line goes on.
    resume: usize,
}

/// Buffers that live as long as the block.
#[derive(Debug)]
pub(super) struct State {
    base: Base,
    /// Whether lines may end with a carriage return alone.
    lone_returns: bool,
    /// The next opening parenthesis, as far as known.
    next_open: usize,
    /// A place of which the line is known.
    known: (usize, u64),
    pub(super) now: Board,
    before: Board,
    frames: Vec<Frame>,
    deferred: Vec<Deferred>,
    replays: Vec<Deferred>,
    pub(super) names: super::tags::Names,
    /// The same where not all tags are wanted.
    few_names: super::tags::Names,
}

impl PgnBlock {
    /// A block of bytes; `lone_returns` says whether lines may end with a carriage return alone.
    pub(super) fn new(
        data: Vec<u8>,
        lone_returns: bool,
        base: Base,
        settings: Arc<Settings>,
    ) -> PgnBlock {
        PgnBlock {
            at: 0,
            section_end: 0,
            number: 0,
            preamble: Vec::new(),
            cut: false,
            first: None,
            bytes: data.len() as u64,
            settings,
            state: State {
                base,
                lone_returns,
                next_open: 0,
                known: (0, base.line + 1),
                now: Board::standard(),
                before: Board::standard(),
                frames: Vec::new(),
                deferred: Vec::new(),
                replays: Vec::new(),
                names: super::tags::Names::default(),
                few_names: super::tags::Names::default(),
            },
            content: Content::Unseen(data),
            last: None,
        }
    }

    /// The same block with text that stood before it and belongs to no game.
    pub(super) fn with_preamble(mut self, text: Vec<u8>) -> PgnBlock {
        self.bytes += text.len() as u64;
        self.preamble = text;
        self
    }

    /// The same block, known to end within a game.
    pub(super) fn cut(mut self, cut: bool) -> PgnBlock {
        self.cut = cut;
        self
    }

    /// The same block with the number of its first game, where it is known.
    pub(super) fn numbered(mut self, first: Option<u64>) -> PgnBlock {
        self.first = first;
        self.number = first.map_or(0, |first| first.saturating_sub(1));
        self
    }

    /// Where the game that was read last stands, as far as that is known before it is read.
    fn origin(&self, start: usize) -> Origin {
        Origin {
            number: self.number,
            byte: self.state.base.byte + start as u64,
            length: 0,
            line: 0,
        }
    }

    /// Reads the game at `start` with its section known.
    fn read(&mut self, start: usize, want: Want, game: &mut Game) {
        self.content.look();
        let data = self.content.bytes();
        if self.state.next_open < start {
            let rest = data.get(start..).unwrap_or(&[]);
            self.state.next_open = memchr::memchr(b'(', rest).map_or(usize::MAX, |n| start + n);
        }
        let data = data.get(..self.section_end).unwrap_or(data);
        game.origin.line = self.state.line(data, start);
        let mut reader = Reader::new(data, &self.settings, &mut self.state, game, want);
        reader.text = self.content.text();
        if self.last.is_some_and(|(_, is_first)| is_first) && !self.preamble.is_empty() {
            reader.outside(&self.preamble, start);
        }
        let end = reader.read(start);
        self.end(start, end, game);
    }

    /// Reads a game that is written plainly of which nothing but a few tags is wanted; its section is found on the
    /// way. Whatever is not plain is left to ordinary reading: then nothing has happened.
    fn read_plainly(&mut self, start: usize, want: Want, game: &mut Game) -> bool {
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
        std::mem::swap(&mut self.state.names, &mut self.state.few_names);
        let data = self.content.bytes();
        let mut reader = Reader::new(data, &self.settings, &mut self.state, game, want);
        let found = reader.few_tags(start, want.tags).and_then(|movetext| {
            let section_end = next_boundary(data, movetext, false);
            let section = data.get(..section_end).unwrap_or(data);
            let (after, outcome) = skim::quick_end(section, movetext)?;
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

    fn end(&mut self, start: usize, end: usize, game: &mut Game) {
        // At least one byte is taken, so that no input is read for ever.
        let end = end.max(start + 1);
        game.origin.length = (end - start) as u64;
        let data = self.content.bytes();
        if self.cut && end >= data.len() {
            let place = self.state.place(data, start, self.number, None);
            game.diagnostics.report(
                &codes::SIZE_LIMIT,
                || place,
                || "the game is cut here; what follows is read as another one".to_owned(),
            );
        }
        self.at = end;
    }
}

impl Block for PgnBlock {
    fn next(&mut self, want: Want, game: &mut Game) -> Result<bool> {
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
            let data = self.content.bytes();
            let from = if self.state.lone_returns {
                start
            } else {
                after_tag_lines(data, start)
            };
            self.section_end = next_boundary(data, from, self.state.lone_returns);
        }
        self.read(start, want, game);
        Ok(true)
    }

    fn again(&mut self, want: Want, game: &mut Game) -> Result<bool> {
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

/// How much of a text is looked at to guess its charset, and how sure the guess must be to count more than the file's.
const CHARSET_WINDOW: usize = 1 << 13;
const CHARSET_CONFIDENCE: f32 = 0.5;

/// How far back a column is counted.
const COLUMN_WINDOW: usize = 1 << 16;

impl State {
    /// The line of a place, counted from the last one that was asked for.
    fn line(&mut self, data: &[u8], at: usize) -> u64 {
        let (known, line) = self.known;
        let breaks = |from: usize, to: usize| {
            let part = data.get(from..to).unwrap_or(&[]);
            if self.lone_returns {
                // A carriage return at the end of the part may have its line feed behind it.
                let (feeds, lone) = line_breaks(part);
                let split = part.last() == Some(&b'\r') && data.get(to) == Some(&b'\n');
                feeds + lone - u64::from(split)
            } else {
                memchr::memchr_iter(b'\n', part).count() as u64
            }
        };
        let line = if at >= known {
            line + breaks(known, at)
        } else {
            line.saturating_sub(breaks(at, known))
        };
        self.known = (at, line);
        line
    }

    fn place(&mut self, data: &[u8], at: usize, number: u64, ply: Option<u32>) -> Place {
        let before = data.get(..at).unwrap_or(data);
        let window = before
            .get(before.len().saturating_sub(COLUMN_WINDOW)..)
            .unwrap_or(before);
        let start = window.iter().rposition(|&b| b == b'\n' || b == b'\r');
        let column = match start {
            None if window.len() < before.len() => None,
            start => {
                let line = window.get(start.map_or(0, |n| n + 1)..).unwrap_or(&[]);
                Some(1 + String::from_utf8_lossy(line).chars().count() as u64)
            }
        };
        Place {
            file: None,
            game: Some(number),
            byte: Some(self.base.byte + at as u64),
            line: Some(self.line(data, at)),
            column,
            ply,
        }
    }
}

/// The number of line feeds, and of carriage returns that no line feed follows.
pub(super) fn line_breaks(data: &[u8]) -> (u64, u64) {
    let feeds = memchr::memchr_iter(b'\n', data).count() as u64;
    if memchr::memchr(b'\r', data).is_none() {
        return (feeds, 0);
    }
    // In this form, the compiler counts many bytes at once.
    const RUN: usize = 128;
    let mut lone = 0_u64;
    let next = data.get(1..).unwrap_or(&[]);
    for (here, next) in data.chunks(RUN).zip(next.chunks(RUN)) {
        let found: u8 = here
            .iter()
            .zip(next)
            .map(|(&here, &next)| u8::from(here == b'\r') & u8::from(next != b'\n'))
            .sum();
        lone += u64::from(found);
    }
    (feeds, lone + u64::from(data.last() == Some(&b'\r')))
}

/// Reads one game.
pub(super) struct Reader<'a> {
    /// Everything up to the end of the section: no game crosses it.
    pub(super) data: &'a [u8],
    /// The whole block, where all of it is UTF-8.
    text: Option<&'a str>,
    pub(super) settings: &'a Settings,
    pub(super) state: &'a mut State,
    pub(super) game: &'a mut Game,
    want: Want,
    ply: u32,
    first_ply: u32,
    /// Whether the current line has a move.
    moves: bool,
    /// Whether the game has had a move, readable or not.
    seen: bool,
    /// By how much move numbers differ from the position's.
    number_shift: i64,
    /// What was seen of texts that are not UTF-8.
    pub(super) detector: Option<Box<Detector>>,
    /// Whether the detector learns from the texts that are read now.
    listens: bool,
    /// Whether unusual notation was reported.
    pub(super) odd_notation: bool,
    /// The end of parentheses that are left out.
    transparent: Option<usize>,
    /// Whether variations are put off.
    deferred: bool,
    /// The variation that was put off and is read now.
    replayed: Option<Deferred>,
    /// Whether a wrong move number was reported.
    wrong_number: bool,
    /// Whether there is a tag that decides about the start.
    pub(super) setup: bool,
    /// The index of the Result tag.
    pub(super) result: Option<usize>,
}

/// A text for a message, cut where it is long.
pub(super) fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 200;
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(MOST)).unwrap_or(bytes));
    let more = if bytes.len() > MOST { "…" } else { "" };
    format!(
        "\"{}{more}\"",
        text.trim_end_matches('\u{fffd}').escape_debug()
    )
}

impl<'a> Reader<'a> {
    fn new(
        data: &'a [u8],
        settings: &'a Settings,
        state: &'a mut State,
        game: &'a mut Game,
        want: Want,
    ) -> Reader<'a> {
        Reader {
            data,
            text: None,
            settings,
            state,
            game,
            want,
            ply: 0,
            first_ply: 0,
            moves: false,
            seen: false,
            number_shift: 0,
            detector: None,
            listens: false,
            odd_notation: false,
            wrong_number: false,
            transparent: None,
            deferred: false,
            replayed: None,
            setup: false,
            result: None,
        }
    }
}

impl<'a> Reader<'a> {
    /// Reports a finding at a place.
    #[cold]
    pub(super) fn report(
        &mut self,
        code: &'static Code,
        at: usize,
        message: impl FnOnce() -> String,
    ) {
        let number = self.game.origin.number;
        let ply = self.seen.then_some(self.first_ply + self.ply);
        let (state, data) = (&mut *self.state, self.data);
        self.game
            .diagnostics
            .report(code, || state.place(data, at, number, ply), message);
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &[u8] {
        self.data.get(start..end).unwrap_or(&[])
    }

    /// A part of the data, where it is UTF-8.
    #[inline]
    pub(super) fn utf8(&self, start: usize, end: usize) -> Option<&'a str> {
        match self.text {
            Some(text) => text.get(start..end),
            None => std::str::from_utf8(self.data.get(start..end)?).ok(),
        }
    }

    fn read(&mut self, start: usize) -> usize {
        let mut i = start;
        loop {
            if self.data.get(i) == Some(&b'[') {
                self.listens = true;
                i = self.tags(i);
                // What stands between the tags is not always read, so that it has no say in how they are.
                self.listens = false;
            }
            match self.between(i) {
                Some(next) => i = next,
                None => break,
            }
        }
        self.decode_tags_alike();
        self.listens = true;
        self.begin();
        self.check_blank_lines(start, i);
        let end = self.movetext(i);
        self.finish();
        end
    }

    /// Looks for the empty lines before the game and between its tags and moves.
    fn check_blank_lines(&mut self, start: usize, movetext: usize) {
        let data = self.data;
        let missing = |at: usize| at < data.len() && !blank_line_before(data, at);
        if self.want.moves {
            if missing(start) {
                self.no_blank_line(start, "before the game");
            }
            if !self.game.tags.is_empty() && missing(movetext) {
                self.no_blank_line(movetext, "between tags and moves");
            }
        }
    }

    #[cold]
    fn no_blank_line(&mut self, at: usize, place: &str) {
        self.report(&codes::NO_BLANK_LINE, at, || {
            format!("an empty line is missing {place}")
        });
    }

    /// Skips comments and escaped lines that stand between tags; `None` where movetext begins.
    fn between(&mut self, start: usize) -> Option<usize> {
        let mut i = start;
        loop {
            i = skim::skip_noise(self.data, i);
            i = match self.data.get(i) {
                Some(b'{') => comment_end(self.data, i, self.settings.nested_comments).0,
                Some(b';') => line_end(self.data, i),
                Some(b'%') if at_line_start(self.data, i) => line_end(self.data, i),
                Some(b'[') if i > start && is_tag_start(self.data, i) => break,
                _ => return None,
            };
        }
        if blank_line_before(self.data, i) {
            return None;
        }
        // Tags follow: what stood between is kept as comments at the start.
        let end = i;
        let mut i = start;
        while i < end {
            i = skim::skip_noise(self.data, i);
            i = match self.data.get(i) {
                Some(b'{') => self.brace_comment(i),
                Some(b';') => self.line_comment(i),
                Some(b'%') => self.escaped_line(i),
                _ => end,
            };
        }
        Some(end)
    }

    /// Sets up the board by the tags.
    fn begin(&mut self) {
        if !self.want.moves {
            return;
        }
        self.state.frames.clear();
        self.state.deferred.clear();
        self.state.replays.clear();
        self.state.now.clone_from(&STANDARD);
        if !self.setup {
            return;
        }
        let mut fen = None;
        let mut variant = None;
        for tag in self.game.tags.iter() {
            if tag.name.len() == 3 && tag.name.eq_ignore_ascii_case("FEN") {
                fen = fen.or(Some(tag.value.to_owned()));
            } else if tag.name.len() == 7 && tag.name.eq_ignore_ascii_case("Variant") {
                variant = variant.or(Some(tag.value.to_owned()));
            }
        }
        self.set_up(fen, variant);
    }

    #[cold]
    fn set_up(&mut self, fen: Option<String>, variant: Option<String>) {
        let start = usize::try_from(self.game.origin.byte - self.state.base.byte).unwrap_or(0);
        self.game.variant = variant
            .as_deref()
            .map_or(Variant::Standard, Variant::from_name);
        if let Some(fen) = fen.filter(|fen| !fen.trim().is_empty()) {
            match Board::from_fen(&fen) {
                Ok((board, problems)) => {
                    if !problems.is_empty() && self.game.variant != Variant::Other {
                        self.report(&codes::ODD_FEN, start, || {
                            let odd: Vec<_> = problems.descriptions().collect();
                            format!(
                                "the position {} is odd: {}",
                                quote(fen.as_bytes()),
                                odd.join(", ")
                            )
                        });
                    }
                    if self.game.variant == Variant::Standard && board.is_chess960() {
                        self.game.variant = Variant::Chess960;
                    }
                    self.state.now.clone_from(&board);
                    self.first_ply = board.ply_number();
                    self.game.start = Start::Setup(Box::new(board), problems);
                }
                Err(error) => {
                    if self.game.variant != Variant::Other {
                        self.report(&codes::BAD_FEN, start, || {
                            format!(
                                "the position {} cannot be understood ({error}); the moves are kept as text",
                                quote(fen.as_bytes())
                            )
                        });
                    }
                    self.game.variant = Variant::Other;
                }
            }
        }
        if self.game.variant == Variant::Other {
            let name = variant.unwrap_or_default();
            if Variant::from_name(&name) == Variant::Other {
                self.report(&codes::VARIANT_MOVETEXT, start, || {
                    format!("the moves of {} are kept as text", quote(name.as_bytes()))
                });
            }
        }
    }

    fn movetext(&mut self, mut i: usize) -> usize {
        if !self.want.moves {
            return self.skim_game(i);
        }
        if self.game.variant == Variant::Other {
            return self.raw_game(i);
        }
        let data = self.data;
        // Letters may mean other men than in English.
        let foreign = !self.settings.piece_letters.is_empty();
        // Without a parenthesis nobody asks for the position before a move.
        let has_variations = self.state.next_open < data.len();
        while let Some(&byte) = data.get(i) {
            match class(byte) {
                Class::Space => i += 1,
                Class::Move => {
                    if !(foreign && byte.is_ascii_uppercase())
                        && let Some((Ok(m), length)) =
                            data.get(i..).and_then(|rest| self.state.now.read_san(rest))
                        && ends_move(data.get(i + length))
                    {
                        if has_variations {
                            self.state.before.clone_from(&self.state.now);
                        }
                        self.state.now.play_legal(m);
                        self.game.tape.push_move(m);
                        self.ply += 1;
                        self.moves = true;
                        self.seen = true;
                        i += length;
                        if self.deferred {
                            i = self.after_first_move(i);
                        }
                        i += usize::from(data.get(i) == Some(&b' '));
                    } else {
                        match self.word(i) {
                            Next::At(next) => i = self.after_first_move(next),
                            Next::End(end) => return end,
                        }
                    }
                }
                Class::Digit => {
                    // Nearly always a move number with a dot, and the right one.
                    let mut value = i64::from(byte & 15);
                    let mut after = i + 1;
                    while let Some(digit) = data.get(after).filter(|byte| byte.is_ascii_digit()) {
                        value = value.wrapping_mul(10).wrapping_add(i64::from(digit & 15));
                        after += 1;
                    }
                    let due = i64::from(self.state.now.fullmoves()).wrapping_add(self.number_shift);
                    if data.get(after) == Some(&b'.') && value == due && (value != 1 || !self.seen)
                    {
                        i = after + 1;
                        i += usize::from(data.get(i) == Some(&b' '));
                    } else {
                        match self.number(i) {
                            Next::At(next) => i = next,
                            Next::End(end) => return end,
                        }
                    }
                }
                Class::Brace => i = self.brace_comment(i),
                Class::Open => i = self.open(i),
                Class::Close => i = self.close(i),
                Class::Dollar => i = self.nag(i),
                Class::Dot => i += 1,
                Class::Suffix => i = self.suffix(i),
                Class::Semicolon => i = self.line_comment(i),
                Class::Percent if at_line_start(data, i) => i = self.escaped_line(i),
                Class::Star if terminator(data, i).is_some() => {
                    if let Some(end) = self.terminate(i + 1, Outcome::Unknown) {
                        return end;
                    }
                    i += 1;
                }
                Class::Bracket if is_tag_start(data, i) => return i,
                Class::Control => {
                    self.report(&codes::CONTROL_CHARACTER, i, || {
                        format!("the control character {byte:#04x} is read as a space")
                    });
                    i += 1;
                }
                Class::BraceEnd => {
                    self.report(&codes::STRAY_BRACE, i, || {
                        "a closing brace without an opening one is left out".to_owned()
                    });
                    i += 1;
                }
                Class::Bracket => {
                    let end = skim::bracket_end(data, i);
                    self.stray(i, end);
                    i = end;
                }
                Class::Star => {
                    let end = word_end(data, i);
                    self.stray(i, end);
                    i = end;
                }
                _ => match self.word(i) {
                    Next::At(next) => i = self.after_first_move(next),
                    Next::End(end) => return end,
                },
            }
        }
        data.len()
    }

    /// Whatever begins with a digit and is not the number that is due.
    #[inline(never)]
    fn number(&mut self, i: usize) -> Next {
        let number = skim::number(self.data, i);
        match number {
            Number::Move { digits, after, .. } => {
                if self.seen && self.depth() == 0 && skim::restarts(self.data, i, number) {
                    return Next::End(i);
                }
                self.check_number(i, digits);
                Next::At(after)
            }
            Number::Terminator(outcome, after) => match self.terminate(after, outcome) {
                Some(end) => Next::End(end),
                None => Next::At(after),
            },
            Number::Word => match self.word(i) {
                Next::At(next) => Next::At(self.after_first_move(next)),
                end @ Next::End(_) => end,
            },
        }
    }

    /// Reads a game whose moves cannot be played: comments before the first move, and the rest as one text.
    fn raw_game(&mut self, mut i: usize) -> usize {
        loop {
            i = skim::skip_noise(self.data, i);
            i = match self.data.get(i) {
                None => return self.data.len(),
                Some(b'{') => self.brace_comment(i),
                Some(b';') => self.line_comment(i),
                Some(b'%') if at_line_start(self.data, i) => self.escaped_line(i),
                Some(b'[') if is_tag_start(self.data, i) => return i,
                Some(_) => match self.raw_rest(i) {
                    // At depth zero, nothing but the end of the game ends the text.
                    Next::At(end) | Next::End(end) => return end,
                },
            };
        }
    }

    /// Goes to the end of a game of which the moves are not wanted.
    fn skim_game(&mut self, i: usize) -> usize {
        if !self.settings.nested_comments
            && !self.state.lone_returns
            && let Some((after, outcome)) = skim::quick_end(self.data, i)
        {
            return self.end_game(after, outcome);
        }
        match skim::skim(self.data, i, 0, None, false, self.settings.nested_comments) {
            Stop::Terminator { after, outcome, .. } => self.end_game(after, outcome),
            Stop::NextGame(at) | Stop::Close(at) => at,
            Stop::End => self.data.len(),
        }
    }

    /// A result: the end of the game, or a remark in a variation.
    fn terminate(&mut self, after: usize, outcome: Outcome) -> Option<usize> {
        if !self.state.frames.is_empty() && !skim::is_last(self.data, after) {
            if self.want.annotations {
                self.game.tape.push_outcome(outcome);
            }
            return None;
        }
        Some(self.end_game(after, outcome))
    }

    fn end_game(&mut self, after: usize, outcome: Outcome) -> usize {
        self.close_all(after);
        self.game.outcome = Some(outcome);
        // Nearly always, nothing but white space follows in the section.
        if skim::skip_noise(self.data, after) >= self.data.len() {
            return self.data.len();
        }
        self.trail(after)
    }

    #[cold]
    fn trail(&mut self, after: usize) -> usize {
        let data = self.data;
        let nested = self.settings.nested_comments;
        let mut text: Option<(usize, usize)> = None;
        let mut found = Vec::new();
        // Adjacent lines of text are one remark.
        let end = skim::trail(data, after, nested, |trail| match (trail, text) {
            (Trail::Text { start, end }, None) => text = Some((start, end)),
            (Trail::Text { end, .. }, Some((start, _))) => text = Some((start, end)),
            (other, before) => {
                if let Some((start, end)) = before {
                    found.push(Trail::Text { start, end });
                    text = None;
                }
                found.push(other);
            }
        });
        if let Some((start, end)) = text {
            found.push(Trail::Text { start, end });
        }
        for trail in found {
            match trail {
                Trail::Comment { start, .. } => {
                    self.brace_comment(start);
                }
                Trail::Line { start, .. } if data.get(start) == Some(&b'%') => {
                    self.escaped_line(start);
                }
                Trail::Line { start, .. } => {
                    self.line_comment(start);
                }
                Trail::Outcome(at, outcome) => {
                    self.report(&codes::EXTRA_RESULT, at, || {
                        format!("a second result, {outcome}, follows the end of the game")
                    });
                    let first = self.game.outcome.replace(outcome).unwrap_or_default();
                    if self.want.annotations {
                        self.game.tape.push_outcome(first);
                    }
                }
                Trail::Text { start, end } => {
                    let text = data.get(start..end).unwrap_or(&[]).trim_ascii().to_vec();
                    self.outside(&text, start);
                }
            }
        }
        end
    }

    /// Keeps text that belongs to no game as a comment.
    #[cold]
    fn outside(&mut self, text: &[u8], at: usize) {
        let text = text.trim_ascii();
        self.report(&codes::TEXT_BETWEEN_GAMES, at, || {
            format!(
                "text outside of the games is kept as a comment: {}",
                quote(text)
            )
        });
        if self.want.annotations {
            self.push_odd_comment(text);
        }
    }

    fn finish(&mut self) {
        if self.game.outcome.is_none() {
            self.close_all(self.data.len());
            if self.want.moves {
                self.report_missing_terminator();
            }
        } else if self.want.moves
            && let Some(tag) = self.result.and_then(|index| self.game.tags.at(index))
            && self.game.outcome.map(Outcome::as_pgn) != Some(tag.value)
        {
            self.report_result();
        }
    }

    #[cold]
    fn report_missing_terminator(&mut self) {
        let start = usize::try_from(self.game.origin.byte - self.state.base.byte).unwrap_or(0);
        self.report(&codes::MISSING_TERMINATOR, start, || {
            "the game does not end with a result".to_owned()
        });
    }

    #[cold]
    fn report_result(&mut self) {
        let start = usize::try_from(self.game.origin.byte - self.state.base.byte).unwrap_or(0);
        let value = self.game.tags.value("Result").to_owned();
        let outcome = self.game.outcome.unwrap_or_default();
        match Outcome::from_pgn(&value) {
            Some(tag) => {
                let counts = self.game.result();
                self.report(&codes::RESULT_MISMATCH, start, || {
                    format!(
                        "the Result tag says {tag}, the game ends with {outcome}; {counts} counts"
                    )
                });
            }
            None => self.report(&codes::BAD_RESULT, start, || {
                format!(
                    "{} is not a result as PGN writes it",
                    quote(value.as_bytes())
                )
            }),
        }
    }

    fn check_number(&mut self, i: usize, digits: usize) {
        let mut value = 0_i64;
        for &byte in self.data.get(i..i + digits).unwrap_or(&[]) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(byte & 15));
        }
        let shift = value.wrapping_sub(i64::from(self.state.now.fullmoves()));
        if shift != self.number_shift {
            self.wrong_number(i, digits, shift);
        }
    }

    #[cold]
    fn wrong_number(&mut self, i: usize, digits: usize, shift: i64) {
        self.number_shift = shift;
        if shift == 0 || std::mem::replace(&mut self.wrong_number, true) {
            return;
        }
        let due = self.state.now.fullmoves();
        let text = quote(self.slice(i, i + digits));
        self.report(&codes::MOVE_NUMBER, i, || {
            format!("move number {text} stands where number {due} is due")
        });
    }

    fn brace_comment(&mut self, i: usize) -> usize {
        let (end, closed) = comment_end(self.data, i, self.settings.nested_comments);
        if !closed {
            self.report(&codes::UNCLOSED_COMMENT, i, || {
                "the comment that begins here is not closed".to_owned()
            });
        }
        if self.want.annotations {
            self.push_comment(i + 1, end - usize::from(closed));
        }
        end
    }

    fn line_comment(&mut self, i: usize) -> usize {
        let end = line_end(self.data, i);
        if self.want.annotations {
            self.push_comment(i + 1, end);
        }
        end
    }

    #[inline]
    fn push_comment(&mut self, start: usize, end: usize) {
        match self.utf8(start, end) {
            Some(text) if self.settings.redecode.is_none() && !self.game.tape.is_full() => {
                self.game.tape.push_comment(text);
            }
            _ => self.push_odd_comment(self.data.get(start..end).unwrap_or(&[])),
        }
    }

    #[cold]
    fn push_odd_comment(&mut self, bytes: &[u8]) {
        if self.game.tape.is_full() {
            return;
        }
        match self.odd_text(bytes) {
            Ok(text) => self.game.tape.push_comment(&text),
            Err(charset) => self.game.tape.push_comment_bytes(bytes, charset),
        };
    }

    pub(super) fn push_raw(&mut self, start: usize, end: usize) {
        let bytes = self.data.get(start..end).unwrap_or(&[]).trim_ascii();
        match self.odd_text(bytes) {
            Ok(text) => self.game.tape.push_raw(&text),
            Err(charset) => self.game.tape.push_raw_bytes(bytes, charset),
        };
    }

    /// The text of bytes that are UTF-8 or have to be decoded again, or else their charset.
    #[cold]
    pub(super) fn odd_text<'b>(&mut self, bytes: &'b [u8]) -> Result<Cow<'b, str>, Charset> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                let charset = self.charset(bytes);
                if self.settings.redecode.is_none() {
                    return Err(charset);
                }
                Cow::Owned(charset.decode(bytes).into_owned())
            }
        };
        let Some((wrong, right)) = self.settings.redecode.filter(|_| !text.is_ascii()) else {
            return Ok(text);
        };
        Ok(match tabiya_model::charset::redecode(&text, wrong, right) {
            Some(again) => Cow::Owned(again),
            None => text,
        })
    }

    /// The charset of a text that is not UTF-8: that of the file, unless what was seen of the game speaks clearly for
    /// another one. Only texts of the game count, so that it is read alike alone and among others.
    fn charset(&mut self, text: &[u8]) -> Charset {
        if self.settings.told {
            return self.settings.fallback;
        }
        let detector = self.detector.get_or_insert_with(Box::default);
        if self.listens {
            detector.push(text.get(..CHARSET_WINDOW).unwrap_or(text));
        }
        let guess = detector.guess_legacy();
        if guess.confidence >= CHARSET_CONFIDENCE {
            guess.charset
        } else {
            self.settings.fallback
        }
    }

    /// Decides about the charset of all tags together, once they were read.
    pub(super) fn decode_tags_alike(&mut self) {
        if self.detector.is_some() && self.settings.redecode.is_none() {
            self.decode_tags_again();
        }
    }

    #[cold]
    fn decode_tags_again(&mut self) {
        let charset = self.charset(b"");
        let old = std::mem::take(&mut self.game.tags);
        for (index, tag) in old.iter().enumerate() {
            let value = old.original(index);
            match std::str::from_utf8(&value) {
                Ok(_) => self.game.tags.push_from(&old, index),
                Err(_) if tag.name.is_ascii() => {
                    self.game
                        .tags
                        .push_bytes(tag.name.as_bytes(), &value, charset);
                }
                Err(_) => self.game.tags.push_from(&old, index),
            }
        }
    }

    #[cold]
    fn escaped_line(&mut self, i: usize) -> usize {
        let end = line_end(self.data, i);
        let text = self.data.get(i + 1..end).unwrap_or(&[]);
        if self.want.annotations {
            self.game.tape.push_extension(super::ESCAPE, text);
        }
        self.report(&codes::ESCAPED_LINE, i, || {
            format!("the line after % is kept, and not read: {}", quote(text))
        });
        end
    }

    fn nag(&mut self, i: usize) -> usize {
        let length = digits(self.data, i + 1);
        let end = i + 1 + length;
        let mut value = 0_u32;
        for &byte in self.data.get(i + 1..end).unwrap_or(&[]).iter().take(12) {
            value = value
                .saturating_mul(10)
                .saturating_add(u32::from(byte & 15));
        }
        let fits = length > 0 && length <= 12 && value < 1 << 24;
        if !fits {
            self.bad_nag(i, end);
        } else if self.want.annotations {
            self.game.tape.push_nag(Nag(value));
        }
        end
    }

    #[cold]
    fn bad_nag(&mut self, i: usize, end: usize) {
        let text = quote(self.slice(i, end));
        self.report(&codes::BAD_NAG, i, || {
            format!("{text} is no annotation; it is kept as text")
        });
        if self.want.annotations {
            self.push_raw(i, end);
        }
    }

    fn suffix(&mut self, i: usize) -> usize {
        let first = self.data.get(i).copied().unwrap_or(0);
        let second = self.data.get(i + 1).copied().unwrap_or(0);
        let (nag, length) = match (first, second) {
            (b'!', b'!') => (3, 2),
            (b'!', b'?') => (5, 2),
            (b'!', _) => (1, 1),
            (_, b'?') => (4, 2),
            (_, b'!') => (6, 2),
            _ => (2, 1),
        };
        if self.want.annotations {
            self.game.tape.push_nag(Nag(nag));
        }
        i + length
    }

    fn open(&mut self, i: usize) -> usize {
        if !self.want.variations {
            let nested = self.settings.nested_comments;
            return match skim::skim(self.data, i + 1, 1, Some(1), self.seen, nested) {
                Stop::Close(at) => at + 1,
                Stop::Terminator { at, .. } | Stop::NextGame(at) => at,
                Stop::End => self.data.len(),
            };
        }
        if let Some(close) = skim::empty_variation(self.data, i, self.settings.nested_comments) {
            return self.empty_variation(i, close);
        }
        if !self.moves || self.state.frames.len() >= self.settings.limits.depth {
            return self.odd_variation(i);
        }
        self.game.tape.begin_variation();
        let state = &mut *self.state;
        let inner = state.before.clone();
        let now = std::mem::replace(&mut state.now, inner.clone());
        let before = std::mem::replace(&mut state.before, inner);
        state.frames.push(Frame {
            now,
            before,
            ply: self.ply,
        });
        self.ply = self.ply.saturating_sub(1);
        self.moves = false;
        i + 1
    }

    fn close(&mut self, i: usize) -> usize {
        if self.transparent == Some(i) {
            self.transparent = None;
            return i + 1;
        }
        if !self.leave(i) {
            self.report(&codes::STRAY_PARENTHESIS, i, || {
                "a closing parenthesis without an opening one is left out".to_owned()
            });
        }
        match self.replayed {
            Some(span) if span.end == i + 1 => self.next_replayed(),
            _ => i + 1,
        }
    }

    /// The number of parentheses that are open, those that are left out included.
    fn depth(&self) -> usize {
        self.state.frames.len() + usize::from(self.transparent.is_some())
    }

    fn leave(&mut self, at: usize) -> bool {
        if self.deferred {
            self.keep_deferred(at);
        }
        let Some(frame) = self.state.frames.pop() else {
            return false;
        };
        self.game.tape.end_variation();
        self.state.now = frame.now;
        self.state.before = frame.before;
        self.ply = frame.ply;
        self.moves = true;
        true
    }

    fn close_all(&mut self, at: usize) {
        if self.deferred {
            self.keep_deferred(at);
        }
        if !self.state.frames.is_empty() {
            let open = self.state.frames.len();
            self.report(&codes::UNCLOSED_VARIATION, at, || {
                format!("{open} variations are not closed at the end of the game")
            });
            while self.leave(at) {}
        }
    }

    /// Parentheses without a move between them: what they hold belongs to the line around them.
    #[cold]
    fn empty_variation(&mut self, i: usize, close: usize) -> usize {
        let text = quote(self.slice(i, close + 1));
        self.report(&codes::EMPTY_VARIATION, i, || {
            format!(
                "the variation {text} has no moves; what it holds is kept without the parentheses"
            )
        });
        self.transparent = Some(close);
        i + 1
    }

    /// A variation that cannot stand where it stands.
    #[cold]
    fn odd_variation(&mut self, i: usize) -> usize {
        let nested = self.settings.nested_comments;
        let depth = self.state.frames.len();
        let deep = depth >= self.settings.limits.depth;
        let stop = skim::skim(self.data, i + 1, 1, Some(1), self.seen, nested);
        if let Stop::Close(at) = stop
            && !deep
            && self.replayed.is_none()
        {
            // It replaces the first move of the line, and is read when that has been played. What is put off is never
            // put off again, so that every byte is looked at only a few times.
            self.deferred = true;
            self.state.deferred.push(Deferred {
                depth,
                start: i,
                end: at + 1,
                resume: 0,
            });
            return at + 1;
        }
        let end = match stop {
            Stop::Close(at) => at + 1,
            Stop::Terminator { at, .. } | Stop::NextGame(at) => at,
            Stop::End => self.data.len(),
        };
        let code = if deep {
            &codes::DEPTH_LIMIT
        } else {
            &codes::LEADING_VARIATION
        };
        self.keep_variation(code, i, end);
        end
    }

    #[cold]
    fn keep_variation(&mut self, code: &'static Code, start: usize, end: usize) {
        let text = quote(self.slice(start, end));
        self.report(code, start, || {
            format!("a variation is kept as text: {text}")
        });
        self.push_raw(start, end);
    }

    /// Reads the variations that stood before the first move of this line, where that has been played now.
    fn after_first_move(&mut self, i: usize) -> usize {
        if !self.deferred || !self.moves || self.replayed.is_some() {
            return i;
        }
        self.replay_deferred(i)
    }

    #[cold]
    fn replay_deferred(&mut self, i: usize) -> usize {
        let depth = self.state.frames.len();
        if self
            .state
            .deferred
            .last()
            .is_none_or(|last| last.depth != depth)
        {
            return i;
        }
        // The last one is read last, so that it knows where to go on.
        if let Some(last) = self.state.deferred.last_mut() {
            last.resume = i;
        }
        let first = self
            .state
            .deferred
            .iter()
            .position(|span| span.depth == depth)
            .unwrap_or(0);
        let spans = self.state.deferred.split_off(first);
        for span in &spans {
            let text = quote(self.slice(span.start, span.end));
            self.report(&codes::LEADING_VARIATION, span.start, || {
                format!("the variation {text} is moved behind the move that it replaces")
            });
        }
        self.deferred = !self.state.deferred.is_empty();
        self.state.replays = spans;
        self.state.replays.reverse();
        self.next_replayed()
    }

    /// Goes to the next variation that was put off, or back to where the line goes on.
    fn next_replayed(&mut self) -> usize {
        let resume = self.replayed.map_or(0, |span| span.resume);
        self.replayed = self.state.replays.pop();
        self.replayed.map_or(resume, |span| span.start)
    }

    /// Keeps variations as text whose line has no first move.
    #[cold]
    fn keep_deferred(&mut self, _at: usize) {
        let depth = self.state.frames.len();
        while let Some(&span) = self.state.deferred.last()
            && span.depth >= depth
        {
            let first = self
                .state
                .deferred
                .iter()
                .position(|other| other.depth == span.depth)
                .unwrap_or(0);
            for span in self.state.deferred.split_off(first) {
                self.keep_variation(&codes::LEADING_VARIATION, span.start, span.end);
            }
        }
        self.deferred = !self.state.deferred.is_empty();
    }

    /// Keeps everything up to the end of this line as text.
    #[cold]
    pub(super) fn raw_rest(&mut self, i: usize) -> Next {
        let nested = self.settings.nested_comments;
        let depth = self.depth();
        let floor = (depth > 0).then_some(depth);
        let seen = std::mem::replace(&mut self.seen, true);
        if self.deferred && !self.moves {
            self.keep_deferred(i);
        }
        match skim::skim(self.data, i, depth, floor, seen, nested) {
            Stop::Close(at) => {
                self.push_raw(i, at);
                Next::At(at)
            }
            Stop::Terminator { at, after, outcome } => {
                if at > i {
                    self.push_raw(i, at);
                }
                Next::End(self.end_game(after, outcome))
            }
            Stop::NextGame(at) => {
                self.push_raw(i, at);
                Next::End(at)
            }
            Stop::End => {
                self.push_raw(i, self.data.len());
                Next::End(self.data.len())
            }
        }
    }

    /// Keeps a word that is no move as text.
    #[cold]
    pub(super) fn stray(&mut self, start: usize, end: usize) {
        let text = quote(self.slice(start, end));
        self.report(&codes::UNKNOWN_WORD, start, || {
            format!("{text} is no move and no sign; it is kept as text")
        });
        if self.want.annotations {
            self.push_raw(start, end);
        }
    }

    /// A word that the fast way could not read.
    #[cold]
    fn word(&mut self, i: usize) -> Next {
        // Remarks in parentheses are no sign that the game has begun.
        self.seen |= self.transparent.is_none();
        let (end, glued) = skim::word(self.data, i);
        let stop = glued.map_or(end, |(at, _)| at);
        if stop > i
            && let Some(next) = self.wild(i, stop)
        {
            return next;
        }
        match glued {
            None => Next::At(end),
            Some((_, outcome)) => match self.terminate(end, outcome) {
                Some(end) => Next::End(end),
                None => Next::At(end),
            },
        }
    }

    /// Plays a move that was read in an unusual way.
    pub(super) fn play(&mut self, m: tabiya_model::board::Move) {
        self.state.before.clone_from(&self.state.now);
        self.state.now.play(m);
        self.game.tape.push_move(m);
        self.ply += 1;
        self.moves = true;
        self.seen = true;
    }

    pub(super) fn push_nag(&mut self, nag: Nag) {
        if self.want.annotations {
            self.game.tape.push_nag(nag);
        }
    }
}

/// Where reading goes on.
#[derive(Copy, Clone, Debug)]
pub(super) enum Next {
    /// In the same game.
    At(usize),
    /// The game is over; the next one begins here.
    End(usize),
}

static STANDARD: std::sync::LazyLock<Board> = std::sync::LazyLock::new(Board::standard);
