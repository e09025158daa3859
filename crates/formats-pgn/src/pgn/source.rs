//! Dividing a stream of bytes into blocks of whole games.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tabiya_model::charset::detect::CharsetDetector;
use tabiya_model::charset::{Charset, is_mostly_utf8};
use tabiya_model::database::{Block, Source};
use tabiya_model::diagnostic::{Diagnostics, Location};
use tabiya_model::error::{Error, Result};
use tabiya_model::error_codes;
use tabiya_model::game_offsets::OffsetLookup;

use super::block::PgnBlock;
use super::block_start::PgnBlockStart;
use super::codes;
use super::lexer::{
    at_line_start, comment_end, digits, is_game_start, is_tag_start, last_boundary, line_end,
    next_boundary,
};
use super::line_numbers::line_breaks;
use super::settings::{NESTED_COMMENTS, PgnReaderSettings};
use super::skim::{begins_movetext, skip_noise};
use super::utf16::{self, Utf16Reader};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::game_places::unreadable;
use tabiya_codec::unpack_failure::UnpackFailure;
use tabiya_io::compression;

/// The usual size of a block: everything made from it, in whatever format, stays in the caches of a core, and its memory is
/// reused.
const BLOCK: usize = 1 << 18;

/// How much of a stream is read to guess its charset.
const SAMPLE: usize = 1 << 20;

/// The games of a stream.
pub(super) struct PgnSource {
    input: Box<dyn Read + Send>,
    name: String,
    options: OpenOptions,
    settings: Option<Arc<PgnReaderSettings>>,
    /// The charset detected from more of the file than this source reads.
    fallback: Option<Charset>,
    /// Bytes that were read and not yet returned.
    pending: Vec<u8>,
    base: PgnBlockStart,
    block: usize,
    ended: bool,
    failed: bool,
    total: Option<u64>,
    /// The places of all games, if the blocks are to be numbered.
    places: Option<Arc<dyn OffsetLookup>>,
    transcoded: bool,
    malformed: Arc<AtomicU64>,
    cut: UnpackFailure,
}

impl PgnSource {
    /// Reads decompressed bytes; `name` is for messages, `total` for progress.
    pub(super) fn new(
        input: Box<dyn Read + Send>,
        name: String,
        options: &OpenOptions,
        total: Option<u64>,
    ) -> PgnSource {
        PgnSource {
            input,
            name,
            options: options.clone(),
            settings: None,
            fallback: None,
            pending: Vec::new(),
            base: PgnBlockStart::default(),
            block: BLOCK,
            ended: false,
            failed: false,
            total,
            places: None,
            transcoded: false,
            malformed: Arc::default(),
            cut: UnpackFailure::default(),
        }
    }

    /// The same source with blocks of another size.
    pub(super) fn with_block_size(mut self, bytes: usize) -> PgnSource {
        self.block = bytes.max(1);
        self
    }

    /// The same source, which reports to the file where it was truncated.
    pub(super) fn with_unpack_failure(mut self, cut: UnpackFailure) -> PgnSource {
        self.cut = cut;
        self
    }

    /// The same source, numbered by the places of all games.
    pub(super) fn numbered(mut self, places: Arc<dyn OffsetLookup>) -> PgnSource {
        self.places = Some(places);
        self
    }

    /// The same source with the charset detected from more of the file than it reads.
    pub(super) fn with_fallback_charset(mut self, fallback: Charset) -> PgnSource {
        self.fallback = Some(fallback);
        self
    }

    /// The same source, starting in the middle of a known file.
    pub(super) fn at(mut self, base: PgnBlockStart, settings: Arc<PgnReaderSettings>) -> PgnSource {
        self.base = base;
        self.settings = Some(settings);
        self
    }

    /// The settings detected at the beginning.
    pub(super) fn settings(&self) -> Arc<PgnReaderSettings> {
        match &self.settings {
            Some(settings) => Arc::clone(settings),
            None => Arc::new(PgnReaderSettings::new(&self.options)),
        }
    }

    /// The offset of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.base.byte
    }

    /// Whether offsets refer to a text in another charset.
    pub(super) fn is_transcoded(&self) -> bool {
        self.transcoded
    }

    /// The bytes of the text from its beginning, as offsets count them.
    pub(super) fn into_text(mut self) -> Result<Box<dyn Read + Send>> {
        self.transcode()?;
        Ok(Box::new(
            std::io::Cursor::new(self.pending).chain(self.input),
        ))
    }

    /// Reads until `pending` holds `wanted` bytes or the input ends.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        while !self.ended && self.pending.len() < wanted {
            let missing = wanted - self.pending.len();
            self.pending.reserve(missing);
            let before = self.pending.len();
            let mut part = (&mut self.input).take(missing as u64);
            match part.read_to_end(&mut self.pending) {
                Ok(_) if self.pending.len() - before < missing => self.ended = true,
                Ok(_) => {}
                Err(error) if compression::is_damage(&error) => {
                    // Only what was decompressed before the error is available.
                    self.ended = true;
                    let at = self.base.byte + self.pending.len() as u64;
                    self.cut.set(at, &error);
                }
                Err(error) => {
                    self.ended = true;
                    self.failed = true;
                    return Err(self.fault(error));
                }
            }
        }
        Ok(())
    }

    fn fault(&self, error: std::io::Error) -> Error {
        let at = self.base.byte + self.pending.len() as u64;
        Error::from(error).at(Location::byte(at).in_file(self.name.clone()))
    }

    /// Reads UTF-16 as UTF-8 from here on, if the stream begins with it.
    fn transcode(&mut self) -> Result<()> {
        self.fill(256)?;
        let forced = match self.options.encoding {
            Some(Charset::Utf16Le) => Some(false),
            Some(Charset::Utf16Be) => Some(true),
            _ => None,
        };
        let (big_endian, mark) = match (utf16::recognise(&self.pending), forced) {
            (Some((found, mark)), told) => (told.unwrap_or(found), mark),
            (None, Some(told)) => (told, 0),
            (None, None) => return Ok(()),
        };
        let head = self.pending.split_off(mark.min(self.pending.len()));
        self.pending.clear();
        let rest = std::mem::replace(&mut self.input, Box::new(std::io::empty()));
        let whole = std::io::Cursor::new(head).chain(rest);
        self.input = Box::new(Utf16Reader::new(
            whole,
            big_endian,
            Arc::clone(&self.malformed),
        ));
        self.transcoded = true;
        self.ended = false;
        Ok(())
    }

    /// Examines the beginning of the stream: charset, byte order mark, and whether it is PGN at all.
    fn start(&mut self) -> Result<()> {
        self.transcode()?;
        self.fill(SAMPLE)?;
        let mut settings = PgnReaderSettings::new(&self.options);
        if self.pending.starts_with(b"\xef\xbb\xbf") {
            self.pending.drain(..3);
            self.base.byte = 3;
        }
        if let Some(known) = self.fallback {
            settings.fallback = known;
        } else if self.options.encoding.is_none() {
            let sample = self.pending.get(..SAMPLE).unwrap_or(&self.pending);
            settings.fallback = guess(sample);
        }
        self.settings = Some(Arc::new(settings));
        Ok(())
    }

    /// Takes the text before the first game.
    fn preamble(&mut self) -> Result<Vec<u8>> {
        let first = skip_noise(&self.pending, 0);
        let section = next_boundary(&self.pending, first, first, true, 0);
        if first >= self.pending.len() {
            return Ok(Vec::new());
        }
        let data = self.pending.get(..section).unwrap_or(&self.pending);
        if let Some(game) = first_game(data, self.options.settings.is_set(&NESTED_COMMENTS)) {
            // Lines of text directly before the first game are separated from it.
            return Ok(self.take(game).0);
        }
        if section < self.pending.len() {
            return Ok(self.take(section).0);
        }
        Err(Error::new(
            &error_codes::NOT_THIS_FORMAT,
            "this is not PGN: it has no tags and no moves",
        )
        .in_file(self.name.clone()))
    }

    /// Takes pending bytes; also returns whether lines in them end with carriage returns alone.
    fn take(&mut self, count: usize) -> (Vec<u8>, bool) {
        let rest = self.pending.split_off(count.min(self.pending.len()));
        let taken = std::mem::replace(&mut self.pending, rest);
        self.base.byte += taken.len() as u64;
        let (feeds, lone) = line_breaks(&taken);
        self.base.line += feeds + lone;
        if taken.last() == Some(&b'\r') && self.pending.first() == Some(&b'\n') {
            // The two are one line break, with which the next block begins.
            self.base.line -= 1;
        }
        (taken, lone > 0)
    }
}

/// The charset of the texts of a sample that are not UTF-8.
fn guess(sample: &[u8]) -> Charset {
    let mut detector = CharsetDetector::new();
    let mut any = false;
    for line in sample.split(|&byte| byte == b'\n' || byte == b'\r') {
        let is_legacy = !line.is_ascii() && std::str::from_utf8(line).is_err();
        // A stray byte or two in a line of UTF-8 prove little, and the rest of the line would be misleading.
        if is_legacy && !is_mostly_utf8(line) {
            detector.push(line);
            any = true;
        }
    }
    if any {
        detector.guess_legacy().charset
    } else {
        Charset::Cp1252
    }
}

/// The start of the first game of a section, if there is one: at a tag, a move, a result, or a comment before one.
fn first_game(data: &[u8], nested: bool) -> Option<usize> {
    let mut i = skip_noise(data, 0);
    let mut comments = None;
    loop {
        let byte = *data.get(i)?;
        if is_tag_start(data, i) || begins_movetext(data, i) {
            return Some(comments.unwrap_or(i));
        }
        let end = match byte {
            b'{' => {
                comments = comments.or(Some(i));
                comment_end(data, i, nested).0
            }
            b';' | b'%' => {
                comments = comments.or(Some(i));
                line_end(data, i)
            }
            b'$' if digits(data, i + 1) > 0 => {
                comments = comments.or(Some(i));
                i + 1 + digits(data, i + 1)
            }
            _ => {
                comments = None;
                line_end(data, i)
            }
        };
        i = skip_noise(data, end.max(i + 1));
    }
}

impl<'a> Source<'a> for PgnSource {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        let mut preamble = Vec::new();
        if self.failed && self.pending.is_empty() {
            return Ok(None);
        }
        if self.settings.is_none() {
            self.start()?;
            preamble = self.preamble()?;
        }
        let Some(settings) = self.settings.clone() else {
            return Ok(None);
        };
        let mut wanted = self.block;
        let mut cut = false;
        let end = loop {
            self.fill(wanted)?;
            if self.ended && self.pending.len() <= wanted {
                break self.pending.len();
            }
            let part = self.pending.get(..wanted).unwrap_or(&self.pending);
            let end = last_boundary(part, false);
            if end > 0 {
                break end;
            }
            if wanted >= settings.limits.game_bytes {
                cut = true;
                break wanted;
            }
            wanted = wanted
                .saturating_mul(2)
                .min(settings.limits.game_bytes.max(1));
        };
        if end == 0 {
            return Ok(None);
        }
        let base = self.base;
        let (data, lone_returns) = self.take(end);
        let first = match &self.places {
            None => None,
            Some(places) => {
                let before = places.before(base.byte).ok_or_else(unreadable)?;
                Some(before.saturating_add(1))
            }
        };
        let block = PgnBlock::new(data, lone_returns, base, settings)
            .numbered(first)
            .with_preamble(preamble)
            .cut(cut);
        Ok(Some(Box::new(block)))
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        self.cut.report(&codes::CUT_INPUT, &self.name, &mut found);
        let malformed = self.malformed.load(Ordering::Relaxed);
        if malformed > 0 {
            found.report(
                &codes::BAD_UTF16,
                || Location::default().in_file(self.name.clone()),
                || format!("{malformed} invalid characters became replacement characters"),
            );
        }
        found
    }

    fn total_bytes(&self) -> Option<u64> {
        self.total
    }
}

/// Whether bytes at the beginning of a file look like PGN.
pub(super) fn looks_like_pgn(head: &[u8]) -> bool {
    let text;
    let head = match utf16::recognise(head) {
        Some((big_endian, mark)) => {
            let mut bytes = Vec::new();
            let wide = head.get(mark..).unwrap_or(&[]);
            // Reading from memory does not fail.
            let _ = Utf16Reader::new(wide, big_endian, Arc::default()).read_to_end(&mut bytes);
            text = bytes;
            &text[..]
        }
        None => head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head),
    };
    let mut first = skip_noise(head, 0);
    // Comments and symbols may precede the first tag or move.
    loop {
        let end = match head.get(first) {
            Some(b'{') => comment_end(head, first, false).0,
            Some(b';') => line_end(head, first),
            Some(b'%') if at_line_start(head, first) => line_end(head, first),
            Some(b'$') if digits(head, first + 1) > 0 => first + 1 + digits(head, first + 1),
            _ => break,
        };
        first = skip_noise(head, end);
    }
    is_tag_start(head, first) || is_game_start(head, first)
}
