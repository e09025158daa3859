//! Reads one game from one line.

use tabiya_model::charset::Charset;
use tabiya_model::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Location};
use tabiya_model::game::{Game, StartingPosition, Variant};
use tabiya_model::limits::ReadLimits;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, GameNeeds, Move, Replay};

use super::codes;
use super::{ORIGINAL, REST, SCHEMA};
use crate::registry;
use tabiya_model::json::{JsonFault, JsonScanner, JsonString, read_hex};

/// NAGs of a tape have numbers below this.
const MAX_NAG: u64 = 1 << 24;

/// The place of a line.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct NdjsonLinePlace {
    /// The number of its game.
    pub(super) number: u64,
    /// Its offset in the file.
    pub(super) byte: u64,
    /// Its number, from 1.
    pub(super) line: u64,
    /// Whether it was truncated at the limit.
    pub(super) cut: bool,
}

/// Reads lines and reuses its buffers.
#[derive(Debug, Default)]
pub(super) struct NdjsonReader {
    replay: Option<Replay>,
    scratch: Vec<u8>,
    hex: Vec<u8>,
    nags: Vec<u64>,
}

impl NdjsonReader {
    /// Reads a line into a game.
    pub(super) fn read(
        &mut self,
        data: &[u8],
        place: NdjsonLinePlace,
        want: GameNeeds,
        limits: &ReadLimits,
        game: &mut Game,
    ) {
        game.clear();
        game.origin.number = place.number;
        game.origin.byte = place.byte;
        game.origin.length = data.len() as u64;
        game.origin.line = place.line;
        let board = Board::standard();
        let replay = match self.replay.take() {
            Some(mut replay) => {
                replay.reset(&board);
                replay
            }
            None => Replay::new(&board),
        };
        let mut line = NdjsonLine {
            data,
            place,
            want,
            depth_limit: limits.depth,
            game,
            scan: JsonScanner::new(data),
            replay,
            scratch: std::mem::take(&mut self.scratch),
            hex: std::mem::take(&mut self.hex),
            nags: std::mem::take(&mut self.nags),
            playable: true,
            begun: 0,
        };
        line.read();
        let NdjsonLine {
            replay,
            scratch,
            hex,
            nags,
            ..
        } = line;
        *self = NdjsonReader {
            replay: Some(replay),
            scratch,
            hex,
            nags,
        };
    }
}

/// A line that is being read.
struct NdjsonLine<'a, 'g> {
    data: &'a [u8],
    place: NdjsonLinePlace,
    want: GameNeeds,
    depth_limit: usize,
    game: &'g mut Game,
    scan: JsonScanner<'a>,
    replay: Replay,
    scratch: Vec<u8>,
    hex: Vec<u8>,
    nags: Vec<u64>,
    /// Whether the starting position is known.
    playable: bool,
    /// The start of the part being read: a tag, an item. Of a broken line, everything from here on is kept.
    begun: usize,
}

/// The fields of a game that were found.
#[derive(Default)]
struct NdjsonFields {
    schema: bool,
    tags: bool,
    moves: Option<usize>,
    fen: bool,
    result: Option<Outcome>,
    outcome: Option<Option<Outcome>>,
    /// The starting position came after the moves, which have to be read again.
    late_start: bool,
    /// The findings before the moves, for that case.
    before_moves: Diagnostics,
}

/// One item of a line of moves, as far as it was read.
#[derive(Default)]
struct NdjsonMoveItem<'a> {
    uci: Option<JsonString<'a>>,
    san: Option<JsonString<'a>>,
    bits: Option<u64>,
    nag: Option<u64>,
    comment: Option<JsonString<'a>>,
    raw: Option<JsonString<'a>>,
    extension: Option<JsonString<'a>>,
    hex: Option<JsonString<'a>>,
    charset: Option<JsonString<'a>>,
    result: Option<JsonString<'a>>,
    /// It was a variation, which has been read already.
    variation: bool,
    at: usize,
}

/// Moves that cannot be played, collected into one raw text.
struct UnplayableMoves {
    /// The number of variations around the line or the variation that is kept as text.
    depth: usize,
    /// Whether it is a whole variation, whose parentheses are part of the text.
    whole: bool,
    text: String,
}

impl<'a> NdjsonLine<'a, '_> {
    fn read(&mut self) {
        if self.place.cut {
            let length = self.data.len();
            self.report(&codes::LONG_LINE, length, || {
                format!("the line is longer than the limit of {length} bytes")
            });
        }
        let mut seen = NdjsonFields::default();
        let mut fault = self.members(&mut seen).err();
        if let Some(moves) = seen.moves.filter(|_| seen.late_start) {
            self.game.tape.clear();
            self.scan.go_to(moves);
            let again = self.moves().err();
            fault = fault.or(again);
        }
        if !seen.schema && fault.is_none() {
            self.report(&codes::OTHER_SCHEMA, 0, || {
                format!("the field `schema` is missing; expected {SCHEMA:?}")
            });
        }
        self.game.outcome = match (seen.outcome, seen.result) {
            (Some(outcome), _) => outcome,
            (None, result) => result,
        };
        if let Some(fault) = fault {
            self.broken(fault);
        }
    }

    /// Reports an unreadable part and keeps the rest of the line.
    fn broken(&mut self, fault: JsonFault) {
        let data = self.data;
        let rest = data.get(fault.at.min(self.begun)..).unwrap_or_default();
        self.report(&codes::BROKEN_LINE, fault.at, || {
            let found = data.get(fault.at..).unwrap_or_default();
            let shown = String::from_utf8_lossy(found.get(..60).unwrap_or(found));
            let what = match found.len() {
                0 => format!("the line ends; expected {}", fault.wanted),
                _ => format!("expected {}, found {shown:?}", fault.wanted),
            };
            match rest.len() {
                0 => what,
                length => format!("{what}; {length} bytes are kept unchanged"),
            }
        });
        if !rest.is_empty() && self.want.annotations {
            self.game.tape.push_extension(REST, rest);
        }
    }

    fn report(
        &mut self,
        code: &'static DiagnosticCode,
        at: usize,
        message: impl FnOnce() -> String,
    ) {
        let place = self.place;
        let data = self.data;
        let ply = self.replay.ply();
        let place = || Location {
            file: None,
            game: Some(place.number),
            byte: Some(place.byte.saturating_add(at as u64)),
            line: Some(place.line),
            column: Some(column(data, at)),
            ply: (ply > 0).then_some(ply),
        };
        self.game.diagnostics.report(code, place, message);
    }

    /// Marks everything read so far as complete.
    fn begin_part(&mut self) {
        self.scan.peek();
        self.begun = self.scan.at();
    }

    /// Reads the fields of the game.
    fn members(&mut self, seen: &mut NdjsonFields) -> Result<(), JsonFault> {
        self.scan.expect(b'{', "an object")?;
        let mut first = true;
        while let Some(name) = self.scan.member(std::mem::take(&mut first))? {
            self.member(name, seen)?;
            self.begin_part();
        }
        match self.scan.peek() {
            None => Ok(()),
            Some(_) => Err(self.scan.fault("the end of the line")),
        }
    }

    fn member(&mut self, name: JsonString<'a>, seen: &mut NdjsonFields) -> Result<(), JsonFault> {
        self.begin_part();
        let at = self.begun;
        if name.is("tags") && !std::mem::replace(&mut seen.tags, true) {
            self.tags()
        } else if name.is("moves") && seen.moves.is_none() {
            seen.moves = Some(at);
            if self.want.moves {
                let before = self.game.diagnostics.clone();
                self.moves()?;
                seen.before_moves = before;
                Ok(())
            } else {
                self.scan.skip()
            }
        } else if name.is("schema") && !std::mem::replace(&mut seen.schema, true) {
            let schema = self.scan.text()?;
            if !schema.is(SCHEMA) {
                self.report(&codes::OTHER_SCHEMA, at, || {
                    format!("found {:?}, expected {SCHEMA:?}", schema.to_text())
                });
            }
            Ok(())
        } else if name.is("fen") && !std::mem::replace(&mut seen.fen, true) {
            if let Some(fen) = self.scan.text_or_null()? {
                if seen.moves.is_some() && self.want.moves {
                    seen.late_start = true;
                    self.game.diagnostics = std::mem::take(&mut seen.before_moves);
                }
                self.fen(at, &fen.to_text());
            }
            Ok(())
        } else if name.is("variant") {
            self.variant(at)
        } else if name.is("result") && seen.result.is_none() {
            seen.result = self.outcome(at)?;
            Ok(())
        } else if name.is("outcome") && seen.outcome.is_none() {
            seen.outcome = Some(self.outcome(at)?);
            Ok(())
        } else if name.is("diagnostics") {
            self.diagnostics()
        } else {
            // The number is that of the line; the others are derived.
            if !["number", "plies", "diagnostic_counts"]
                .iter()
                .any(|known| name.is(known))
            {
                self.unknown(at, name);
            }
            self.scan.skip()
        }
    }

    fn unknown(&mut self, at: usize, name: JsonString<'_>) {
        self.report(&codes::UNKNOWN_FIELD, at, || {
            format!("field {:?}", name.to_text())
        });
    }

    fn bad_value(&mut self, at: usize, what: &str, value: &str) {
        self.report(&codes::BAD_VALUE, at, || {
            let shown: String = value.chars().take(60).collect();
            format!("{shown:?} is not a {what}")
        });
    }

    fn variant(&mut self, at: usize) -> Result<(), JsonFault> {
        let Some(variant) = self.scan.text_or_null()? else {
            return Ok(());
        };
        self.game.variant = if variant.is("standard") {
            Variant::Standard
        } else if variant.is("chess960") {
            Variant::Chess960
        } else {
            if !variant.is("other") {
                self.bad_value(at, "variant", &variant.to_text());
            }
            Variant::Other
        };
        Ok(())
    }

    fn outcome(&mut self, at: usize) -> Result<Option<Outcome>, JsonFault> {
        let Some(text) = self.scan.text_or_null()? else {
            return Ok(None);
        };
        let text = text.to_text();
        let outcome = Outcome::read(&text);
        if outcome.is_none() {
            self.bad_value(at, "result", &text);
        }
        Ok(outcome)
    }

    fn fen(&mut self, at: usize, fen: &str) {
        match Board::from_fen(fen) {
            Ok((board, problems)) => {
                if !problems.is_empty() {
                    self.report(&codes::ODD_FEN, at, || {
                        problems.descriptions().collect::<Vec<_>>().join("; ")
                    });
                }
                self.replay.reset(&board);
                self.game.start = StartingPosition::Setup(Box::new(board), problems);
            }
            Err(error) => {
                self.playable = false;
                self.report(&codes::BAD_FEN, at, || format!("{fen:?}: {error}"));
            }
        }
    }

    fn tags(&mut self) -> Result<(), JsonFault> {
        self.scan.expect(b'[', "an array of tags")?;
        let mut first = true;
        while self.scan.element(std::mem::take(&mut first))? {
            self.begin_part();
            self.tag()?;
            self.begin_part();
        }
        Ok(())
    }

    fn tag(&mut self) -> Result<(), JsonFault> {
        const WANTED: &str = "a tag: an array of name and value";
        self.scan.expect(b'[', WANTED)?;
        let at = self.scan.at();
        let name = self.scan.text()?;
        self.scan.expect(b',', WANTED)?;
        let value = self.scan.text()?;
        let (mut charset, mut name_hex, mut hex) = (None, None, None);
        if self.scan.take(b',') {
            self.scan
                .expect(b'{', "an object with the charset of the tag")?;
            let mut first = true;
            while let Some(field) = self.scan.member(std::mem::take(&mut first))? {
                let at = self.scan.at();
                let slot = if field.is("charset") {
                    &mut charset
                } else if field.is("name_hex") {
                    &mut name_hex
                } else if field.is("hex") {
                    &mut hex
                } else {
                    self.unknown(at, field);
                    self.scan.skip()?;
                    continue;
                };
                *slot = self.scan.text_or_null()?;
            }
        }
        self.scan.expect(b']', "the end of the tag")?;
        let mut name_scratch = Vec::new();
        let name = name.bytes(&mut name_scratch);
        let mut scratch = std::mem::take(&mut self.scratch);
        let value = value.bytes(&mut scratch);
        match self.charset(at, charset) {
            None => self.game.tags.push_bytes(name, value, Charset::Utf8),
            Some(charset) => {
                let name_bytes = original(charset, name, name_hex);
                let value_bytes = original(charset, value, hex);
                match (name_bytes, value_bytes) {
                    (Some(name), Some(value)) => self.game.tags.push_bytes(&name, &value, charset),
                    _ => {
                        self.report(&codes::CHANGED_TEXT, at, || {
                            format!("tag {:?}", String::from_utf8_lossy(name))
                        });
                        self.game.tags.push_bytes(name, value, Charset::Utf8);
                    }
                }
            }
        }
        self.scratch = scratch;
        Ok(())
    }

    fn charset(&mut self, at: usize, name: Option<JsonString<'_>>) -> Option<Charset> {
        let name = name?.to_text();
        let charset = Charset::from_name(&name);
        if charset.is_none() {
            self.bad_value(at, "charset", &name);
        }
        charset
    }

    fn diagnostics(&mut self) -> Result<(), JsonFault> {
        self.scan.expect(b'[', "an array of findings")?;
        let mut first = true;
        while self.scan.element(std::mem::take(&mut first))? {
            self.diagnostic()?;
        }
        Ok(())
    }

    fn diagnostic(&mut self) -> Result<(), JsonFault> {
        self.scan.expect(b'{', "a finding")?;
        let (mut code, mut message) = (String::new(), String::new());
        let mut place = Location {
            file: Some(ORIGINAL.to_owned()),
            ..Location::game(self.place.number)
        };
        let mut first = true;
        while let Some(name) = self.scan.member(std::mem::take(&mut first))? {
            if name.is("code") {
                code = self.scan.text()?.to_text();
            } else if name.is("message") {
                message = self.scan.text()?.to_text();
            } else if name.is("file") {
                place.file = Some(self.scan.text()?.to_text());
            } else if name.is("line") {
                place.line = Some(self.scan.number()?);
            } else if name.is("column") {
                place.column = Some(self.scan.number()?);
            } else if name.is("byte") {
                place.byte = Some(self.scan.number()?);
            } else if name.is("ply") {
                place.ply = u32::try_from(self.scan.number()?).ok();
            } else {
                // The severity follows from the code.
                self.scan.skip()?;
            }
        }
        let known = registry::FORMATS
            .iter()
            .flat_map(|format| format.codes)
            .find(|known| known.name == code);
        self.game.diagnostics.push(match known {
            Some(known) => Diagnostic::new(known, place, message),
            None => Diagnostic::new(
                &codes::FOREIGN_FINDING,
                place,
                format!("{message} [{code}]"),
            ),
        });
        Ok(())
    }

    /// Reads the movetext. A counter of open variations replaces recursion.
    fn moves(&mut self) -> Result<(), JsonFault> {
        self.scan.expect(b'[', "an array of moves")?;
        let mut dead = None;
        let result = self.items(&mut dead);
        // If a line is broken, everything read so far is kept in valid form.
        if let Some(dead) = dead {
            self.bury(dead);
        }
        while self.game.tape.depth() > 0 {
            self.game.tape.end_variation();
            self.replay.end();
        }
        result
    }

    fn items(&mut self, dead: &mut Option<UnplayableMoves>) -> Result<(), JsonFault> {
        // The number of open lines of moves around the current one.
        let mut depth = 0_usize;
        let mut first = true;
        if !self.playable {
            *dead = Some(UnplayableMoves {
                depth: 0,
                whole: false,
                text: String::new(),
            });
        }
        loop {
            self.begin_part();
            if self.scan.element(first)? {
                self.begin_part();
                self.scan
                    .expect(b'{', "an object: a move, a comment or another item")?;
                match self.item(true, NdjsonMoveItem::default())? {
                    Some(item) => {
                        first = false;
                        self.emit(&item, depth, dead);
                    }
                    None => {
                        self.begin(depth, dead);
                        depth += 1;
                        first = true;
                    }
                }
                continue;
            }
            if depth == 0 {
                return Ok(());
            }
            self.end(depth, dead);
            depth -= 1;
            first = false;
            // The object around the variation ends; its other fields do not belong to the variation.
            let variation = NdjsonMoveItem {
                variation: true,
                ..NdjsonMoveItem::default()
            };
            if self.item(false, variation)?.is_none() {
                return Err(self.scan.fault("only one variation per item"));
            }
        }
    }

    /// Reads the fields of an item; `None` at the start of a variation, with the scanner after its opening bracket.
    fn item(
        &mut self,
        mut first: bool,
        mut item: NdjsonMoveItem<'a>,
    ) -> Result<Option<NdjsonMoveItem<'a>>, JsonFault> {
        self.nags.clear();
        item.at = self.scan.at();
        while let Some(name) = self.scan.member(std::mem::take(&mut first))? {
            let slot = if name.is("uci") {
                &mut item.uci
            } else if name.is("san") {
                &mut item.san
            } else if name.is("comment") {
                &mut item.comment
            } else if name.is("raw") {
                &mut item.raw
            } else if name.is("extension") {
                &mut item.extension
            } else if name.is("hex") {
                &mut item.hex
            } else if name.is("charset") {
                &mut item.charset
            } else if name.is("result") {
                &mut item.result
            } else {
                if name.is("variation") && self.want.variations && !item.variation {
                    self.scan.expect(b'[', "an array of moves")?;
                    return Ok(None);
                }
                self.other_field(name, &mut item)?;
                continue;
            };
            *slot = self.scan.text_or_null()?;
        }
        Ok(Some(item))
    }

    fn other_field(
        &mut self,
        name: JsonString<'a>,
        item: &mut NdjsonMoveItem<'a>,
    ) -> Result<(), JsonFault> {
        const DERIVED: [&str; 12] = [
            "ply", "clk", "eval", "emt", "egt", "mct", "marks", "medals", "training", "text",
            "fen", "number",
        ];
        if name.is("nag") {
            item.nag = Some(self.scan.number()?);
        } else if name.is("bits") {
            item.bits = Some(self.scan.number()?);
        } else if name.is("nags") {
            self.scan.expect(b'[', "an array of NAGs")?;
            let mut first = true;
            while self.scan.element(std::mem::take(&mut first))? {
                let nag = self.scan.number()?;
                self.nags.push(nag);
            }
        } else {
            if name.is("variation") && !self.want.variations {
                item.variation = true;
            } else if !DERIVED.iter().any(|known| name.is(known)) {
                self.unknown(self.scan.at(), name);
            }
            self.scan.skip()?;
        }
        Ok(())
    }

    fn begin(&mut self, depth: usize, dead: &mut Option<UnplayableMoves>) {
        if let Some(dead) = dead {
            dead.text.push_str(" (");
            return;
        }
        let too_deep = depth >= self.depth_limit || self.game.tape.is_full();
        if !too_deep && self.replay.begin() {
            self.game.tape.begin_variation();
            return;
        }
        let at = self.scan.at();
        let limit = self.depth_limit;
        self.report(&codes::MISPLACED_VARIATION, at, || {
            if too_deep {
                format!("variations are nested more than {limit} levels deep")
            } else {
                "a variation is before the first move of its line".to_owned()
            }
        });
        *dead = Some(UnplayableMoves {
            depth: depth + 1,
            whole: true,
            text: "(".to_owned(),
        });
    }

    fn end(&mut self, depth: usize, dead: &mut Option<UnplayableMoves>) {
        if let Some(buried) = dead.take_if(|dead| dead.depth == depth) {
            let whole = buried.whole;
            self.bury(buried);
            if whole {
                return;
            }
        }
        if let Some(dead) = dead {
            dead.text.push(')');
            return;
        }
        self.game.tape.end_variation();
        self.replay.end();
    }

    /// Puts moves that cannot be played on the tape, as text.
    fn bury(&mut self, mut dead: UnplayableMoves) {
        if dead.whole {
            dead.text.push(')');
        }
        let text = dead.text.trim();
        if !text.is_empty() && self.want.annotations {
            self.game.tape.push_raw(text);
        }
    }

    fn emit(
        &mut self,
        item: &NdjsonMoveItem<'a>,
        depth: usize,
        dead: &mut Option<UnplayableMoves>,
    ) {
        if dead.is_none() && self.game.tape.is_full() {
            self.report(&codes::LONG_LINE, item.at, || {
                "the game has too many moves and comments".to_owned()
            });
            *dead = Some(UnplayableMoves {
                depth,
                whole: false,
                text: String::new(),
            });
        }
        if let Some(dead) = dead {
            self.emit_dead(item, &mut dead.text);
            return;
        }
        if item.uci.is_some() || item.san.is_some() || item.bits.is_some() {
            match self.find(item) {
                Some(m) => {
                    self.game.tape.push_move(m);
                    self.replay.play(m);
                }
                None => {
                    self.unreadable(item);
                    let mut text = String::new();
                    self.emit_dead(item, &mut text);
                    *dead = Some(UnplayableMoves {
                        depth,
                        whole: false,
                        text,
                    });
                    return;
                }
            }
        } else if item.at_most_nags() && self.nags.is_empty() && !item.variation {
            self.report(&codes::BAD_VALUE, item.at, || {
                "an item has neither a move nor anything else".to_owned()
            });
        }
        if !self.want.annotations {
            return;
        }
        let nags = std::mem::take(&mut self.nags);
        for nag in nags.iter().copied().chain(item.nag) {
            match u32::try_from(nag) {
                Ok(number) if nag < MAX_NAG => self.game.tape.push_nag(Nag(number)),
                _ => self.bad_value(item.at, "NAG", &nag.to_string()),
            }
        }
        self.nags = nags;
        self.emit_texts(item);
    }

    fn emit_texts(&mut self, item: &NdjsonMoveItem<'a>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        for (text, is_raw) in [(item.comment, false), (item.raw, true)] {
            let Some(text) = text else { continue };
            let bytes = text.bytes(&mut scratch);
            let charset = self.charset(item.at, item.charset);
            let found = charset.map(|charset| (charset, original(charset, bytes, item.hex)));
            let (charset, bytes) = match &found {
                None => (Charset::Utf8, bytes),
                Some((charset, Some(original))) => (*charset, &original[..]),
                Some((_, None)) => {
                    self.report(&codes::CHANGED_TEXT, item.at, || {
                        String::from_utf8_lossy(bytes).chars().take(60).collect()
                    });
                    (Charset::Utf8, bytes)
                }
            };
            if is_raw {
                self.game.tape.push_raw_bytes(bytes, charset);
            } else {
                self.game.tape.push_comment_bytes(bytes, charset);
            }
        }
        self.scratch = scratch;
        if let Some(name) = item.extension {
            let digits = item.hex.map_or(&[][..], |hex| hex.bytes(&mut self.hex));
            match read_hex(digits) {
                Some(data) => self.game.tape.push_extension(&name.to_text(), &data),
                None => {
                    self.bad_value(item.at, "row of hexadecimal digits", &name.to_text());
                }
            }
        }
        if let Some(result) = item.result {
            let text = result.to_text();
            match Outcome::read(&text) {
                Some(outcome) => self.game.tape.push_outcome(outcome),
                None => self.bad_value(item.at, "result", &text),
            }
        }
    }

    /// Appends an item in the form of movetext.
    fn emit_dead(&self, item: &NdjsonMoveItem<'a>, text: &mut String) {
        let mut add = |token: &str| {
            if !text.is_empty() && !text.ends_with('(') {
                text.push(' ');
            }
            text.push_str(token);
        };
        if let Some(word) = item.san.or(item.uci) {
            add(&word.to_text());
        } else if let Some(bits) = item.bits {
            add(&format!("move:{bits}"));
        }
        if !self.want.annotations {
            return;
        }
        for nag in self.nags.iter().copied().chain(item.nag) {
            add(&format!("${nag}"));
        }
        if let Some(comment) = item.comment {
            add(&format!("{{{}}}", comment.to_text().replace('}', ")")));
        }
        for other in [item.raw, item.result].into_iter().flatten() {
            add(&other.to_text());
        }
    }

    /// The move of an item: by its own bits, else by its squares, else by its notation.
    fn find(&mut self, item: &NdjsonMoveItem<'a>) -> Option<Move> {
        let board = self.replay.now();
        if let Some(bits) = item.bits {
            let m = u32::try_from(bits).ok().and_then(Move::from_bits)?;
            let moves = board.piece_at(m.from());
            return moves
                .filter(|piece| piece.color == board.turn() && piece.role == m.role())
                .map(|_| m);
        }
        let m = match (item.uci, item.san) {
            (Some(uci), _) => board.parse_uci(uci.bytes(&mut self.scratch))?,
            (None, Some(san)) => {
                let san = san.bytes(&mut self.scratch);
                if matches!(san, b"--" | b"Z0" | b"null") {
                    Move::NULL
                } else {
                    board.read_san(san)?.0.ok()?
                }
            }
            (None, None) => return None,
        };
        if self.want.verify && !m.is_null() && !board.is_legal(m) {
            let fen = board.to_fen();
            let text = item.san.or(item.uci).map(JsonString::to_text);
            self.report(&codes::ILLEGAL_MOVE, item.at, || {
                format!("{} in {fen}", text.unwrap_or_default())
            });
        }
        Some(m)
    }

    fn unreadable(&mut self, item: &NdjsonMoveItem<'a>) {
        let fen = self.replay.now().to_fen();
        let text = item
            .san
            .or(item.uci)
            .map(JsonString::to_text)
            .unwrap_or_default();
        self.report(&codes::UNREADABLE_MOVE, item.at, || {
            format!("{text:?} in {fen}; the rest of this line of moves is kept as text")
        });
    }
}

impl NdjsonMoveItem<'_> {
    fn at_most_nags(&self) -> bool {
        self.nag.is_none()
            && self.comment.is_none()
            && self.raw.is_none()
            && self.extension.is_none()
            && self.result.is_none()
    }
}

/// The original bytes of a text, if they still match the text.
fn original(charset: Charset, text: &[u8], hex: Option<JsonString<'_>>) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(text);
    let bytes = match hex {
        Some(hex) => read_hex(hex.bytes(&mut Vec::new()))?,
        // Both halves of a tag have the same charset; one of them may be plain.
        None if text.is_ascii() && !matches!(charset, Charset::Utf16Le | Charset::Utf16Be) => {
            return Some(text.into_owned().into_bytes());
        }
        None => charset.encode(&text).ok()?,
    };
    (charset.decode(&bytes) == text).then_some(bytes)
}

/// The column of an offset, in characters from 1.
fn column(data: &[u8], at: usize) -> u64 {
    let before = data.get(..at).unwrap_or(data);
    // Continuation bytes of UTF-8 are not characters.
    before.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64 + 1
}
