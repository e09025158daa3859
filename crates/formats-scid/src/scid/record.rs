//! Reading game records: extra tags, flags, starting position, moves, comments.
//!
//! ```text
//! record = { tag } 0 flags [FEN 0] moves { comment 0 }
//! ```

use tabiya_model::board::{Board, PositionProblems, SanDetails};
use tabiya_model::database::GameNeeds;
use tabiya_model::date::Date;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::{Game, Location, Replay};

use super::codes;
use super::moves::{ScidPieces, token};
use super::text::ScidTextReader;

/// Names of tags that have a number of their own, from 241 on.
pub const COMMON_TAGS: [&str; 10] = [
    "WhiteCountry",
    "BlackCountry",
    "Annotator",
    "PlyCount",
    "EventDate",
    "Opening",
    "Variation",
    "Setup",
    "Source",
    "SetUp",
];

/// The number of the first common tag.
pub const FIRST_COMMON: u8 = 241;
/// The number of the event date of Scid 2.
pub const OLD_EVENT_DATE: u8 = 255;

/// Bits of the flag byte.
pub mod flags {
    /// A FEN follows.
    pub const FEN: u8 = 1;
    /// The main line has a promotion.
    pub const PROMOTION: u8 = 2;
    /// The main line has a promotion to something other than a queen.
    pub const UNDER_PROMOTION: u8 = 4;
}

/// An extra tag of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScidExtraTag<'a> {
    /// Its name.
    pub name: ScidTagName<'a>,
    /// Its value.
    pub value: &'a [u8],
}

/// The name of an extra tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScidTagName<'a> {
    /// Written in full.
    Spelled(&'a [u8]),
    /// One of the common ones.
    Common(&'static str),
    /// A number without a meaning.
    Unknown(u8),
    /// The event date of Scid 2, three bytes.
    OldEventDate,
}

impl ScidTagName<'_> {
    /// The name, if it is one.
    pub fn bytes(&self) -> &[u8] {
        match self {
            ScidTagName::Spelled(name) => name,
            ScidTagName::Common(name) => name.as_bytes(),
            ScidTagName::Unknown(_) | ScidTagName::OldEventDate => b"",
        }
    }
}

/// The extra tags of a record, one after the other.
#[derive(Clone, Debug)]
pub struct ScidExtraTags<'a> {
    rest: &'a [u8],
    /// Whether the end mark was seen.
    ended: bool,
}

impl<'a> ScidExtraTags<'a> {
    /// The tags at the start of a record.
    pub fn new(record: &'a [u8]) -> ScidExtraTags<'a> {
        ScidExtraTags {
            rest: record,
            ended: false,
        }
    }

    /// The bytes after the tags, once all were taken; `None` if the record ended within them.
    pub fn rest(&self) -> Option<&'a [u8]> {
        self.ended.then_some(self.rest)
    }

    fn split(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }
}

impl<'a> Iterator for ScidExtraTags<'a> {
    type Item = ScidExtraTag<'a>;

    fn next(&mut self) -> Option<ScidExtraTag<'a>> {
        if self.ended {
            return None;
        }
        let (&code, rest) = self.rest.split_first()?;
        self.rest = rest;
        let name = match code {
            0 => {
                self.ended = true;
                return None;
            }
            1..=240 => ScidTagName::Spelled(self.split(usize::from(code))?),
            OLD_EVENT_DATE => {
                return Some(ScidExtraTag {
                    name: ScidTagName::OldEventDate,
                    value: self.split(3)?,
                });
            }
            _ => COMMON_TAGS
                .get(usize::from(code - FIRST_COMMON))
                .map_or(ScidTagName::Unknown(code), |name| ScidTagName::Common(name)),
        };
        let (&length, rest) = self.rest.split_first()?;
        self.rest = rest;
        let value = self.split(usize::from(length))?;
        Some(ScidExtraTag { name, value })
    }
}

/// The content of a record besides its tags.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct ScidRecordSummary {
    /// The flag byte.
    pub flags: u8,
    /// The number of bytes up to the end of the last item that was read.
    pub end: usize,
    /// Whether something was damaged.
    pub damaged: bool,
    /// Comments without text, which Scid does not count.
    pub empty_comments: u32,
}

/// Reads records; reuse it for its buffers.
#[derive(Debug, Default)]
pub struct ScidRecordReader {
    /// The bytes may continue after the record: nothing after the last comment counts as part of it.
    open_ended: bool,
    outer: Vec<ScidReaderFrame>,
    replay: Option<Replay>,
}

/// A line that is interrupted by a variation.
#[derive(Debug)]
struct ScidReaderFrame {
    now: ScidPieces,
    before: ScidPieces,
    ply: u32,
}

/// The state of one reading.
struct ScidRecordCursor<'a, 'g> {
    record: &'a [u8],
    at: usize,
    /// The offset of the record in the game file.
    base: u64,
    /// The rest of the comments, once the first place of one was reached.
    comments: Option<&'a [u8]>,
    text: &'g ScidTextReader,
    want: GameNeeds,
    game: &'g mut Game,
    ply: u32,
    seen: ScidRecordSummary,
    open_ended: bool,
}

impl ScidRecordReader {
    /// Reads records whose length is not known.
    pub fn open_ended() -> ScidRecordReader {
        ScidRecordReader {
            open_ended: true,
            ..ScidRecordReader::default()
        }
    }

    /// Reads the part after the extra tags. `at` is its offset in the record, `base` the offset of the record in the
    /// game file.
    #[allow(clippy::too_many_arguments)]
    pub fn read(
        &mut self,
        record: &[u8],
        at: usize,
        base: u64,
        text: &ScidTextReader,
        want: GameNeeds,
        fen: &mut Option<String>,
        game: &mut Game,
    ) -> ScidRecordSummary {
        let mut reading = ScidRecordCursor {
            record,
            at,
            base,
            comments: None,
            text,
            want,
            game,
            ply: 0,
            seen: ScidRecordSummary::default(),
            open_ended: self.open_ended,
        };
        if let Some(pieces) = reading.start(fen)
            && want.moves
        {
            if want.verify {
                let board = reading.game.start_board();
                match &mut self.replay {
                    Some(replay) => replay.reset(&board),
                    empty => *empty = Some(Replay::new(&board)),
                }
            }
            self.outer.clear();
            let replay = self.replay.as_mut().filter(|_| want.verify);
            reading.moves(pieces, &mut self.outer, replay);
        }
        reading.seen.end = reading.at;
        reading.seen
    }
}

impl<'a> ScidRecordCursor<'a, '_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.record.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn place(&self, at: usize) -> Location {
        Location {
            game: Some(self.game.origin.number),
            byte: Some(self.base.saturating_add(at as u64)),
            ply: Some(self.ply),
            ..Location::default()
        }
    }

    fn damage(
        &mut self,
        code: &'static tabiya_model::DiagnosticCode,
        at: usize,
        message: impl FnOnce() -> String,
    ) {
        let place = self.place(at);
        self.game.diagnostics.report(code, || place, message);
        self.seen.damaged = true;
    }

    fn rest(&self, at: usize) -> &'a [u8] {
        self.record.get(at..).unwrap_or(&[])
    }

    /// Keeps unreadable bytes, from `at` on.
    fn keep_rest(&mut self, at: usize) {
        let rest = self.rest(at);
        if self.want.moves && self.want.annotations && !rest.is_empty() {
            self.game.tape.push_extension("scid.moves", rest);
        }
    }

    /// Reads flags and custom starting position.
    fn start(&mut self, fen_tag: &mut Option<String>) -> Option<ScidPieces> {
        *fen_tag = None;
        let Some(flags) = self.byte() else {
            self.damage(&codes::CUT_RECORD, self.at, || {
                "the record ends after its tags".to_owned()
            });
            return None;
        };
        self.seen.flags = flags;
        if flags & flags::FEN == 0 {
            return Some(ScidPieces::STANDARD);
        }
        let start = self.at;
        let rest = self.rest(start);
        let Some(length) = memchr::memchr(0, rest) else {
            self.damage(&codes::CUT_RECORD, start, || {
                "the record ends within its FEN".to_owned()
            });
            return None;
        };
        self.at = start + length + 1;
        let fen = self
            .text
            .decode(rest.get(..length).unwrap_or(&[]))
            .into_owned();
        let read = Board::from_fen(&fen);
        let pieces = match &read {
            Ok((board, _)) => ScidPieces::from_board(board).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Ok((board, problems)) = read {
            if self.game.variant == Variant::Standard && board.is_chess960() {
                self.game.variant = Variant::Chess960;
            }
            let odd = problems.without(
                PositionProblems::MISSING_FIELDS
                    | PositionProblems::MISSING_COUNTERS
                    | PositionProblems::BAD_COUNTER
                    | PositionProblems::EXTRA_TEXT,
            );
            if !odd.is_empty() {
                let place = self.place(start);
                self.game.diagnostics.report(
                    &codes::ODD_POSITION,
                    || place,
                    || format!("{odd}: {fen}"),
                );
            }
            self.game.start = StartingPosition::Setup(Box::new(board), problems);
        }
        *fen_tag = Some(fen);
        match pieces {
            Ok(pieces) => Some(pieces),
            Err(error) => {
                self.damage(&codes::BAD_FEN, start, || error);
                self.keep_rest(self.at);
                None
            }
        }
    }

    fn moves(
        &mut self,
        mut now: ScidPieces,
        outer: &mut Vec<ScidReaderFrame>,
        mut replay: Option<&mut Replay>,
    ) {
        // The pieces before the last move of the line, kept only if a variation can follow.
        let mut before: Option<ScidPieces> = None;
        let mut nags = 0_u32;
        loop {
            let start = self.at;
            let Some(byte) = self.byte() else {
                self.damage(&codes::CUT_RECORD, start, || {
                    "the move list has no end".to_owned()
                });
                break;
            };
            match byte {
                token::NAG => {
                    let Some(number) = self.byte() else {
                        self.at = start;
                        self.damage(&codes::CUT_RECORD, start, || {
                            "a NAG has no number".to_owned()
                        });
                        break;
                    };
                    nags += 1;
                    if nags == 8 {
                        let place = self.place(start);
                        self.game.diagnostics.report(
                            &codes::MANY_NAGS,
                            || place,
                            || "the eighth NAG".to_owned(),
                        );
                    }
                    if self.want.annotations {
                        self.game.tape.push_nag(Nag(u32::from(number)));
                    }
                }
                token::COMMENT => self.comment(),
                token::BEGIN => {
                    let Some(pieces) = before.clone() else {
                        self.at = start;
                        self.damage(&codes::BAD_MOVE, start, || {
                            "a variation is before the first move of its line".to_owned()
                        });
                        self.keep_rest(start);
                        break;
                    };
                    if !self.want.variations {
                        if !self.skip_variation() {
                            break;
                        }
                        continue;
                    }
                    self.game.tape.begin_variation();
                    if let Some(replay) = replay.as_deref_mut() {
                        replay.begin();
                    }
                    let frame = ScidReaderFrame {
                        now: std::mem::replace(&mut now, pieces.clone()),
                        before: pieces,
                        ply: self.ply,
                    };
                    outer.push(frame);
                    before = None;
                    self.ply = self.ply.saturating_sub(1);
                    nags = 0;
                }
                token::END => {
                    let Some(frame) = outer.pop() else {
                        self.at = start;
                        self.damage(&codes::BAD_MOVE, start, || {
                            "a variation ends without a beginning".to_owned()
                        });
                        self.keep_rest(start);
                        break;
                    };
                    self.game.tape.end_variation();
                    if let Some(replay) = replay.as_deref_mut() {
                        replay.end();
                    }
                    now = frame.now;
                    before = Some(frame.before);
                    self.ply = frame.ply;
                    nags = 0;
                }
                token::STOP if outer.is_empty() => {
                    self.end();
                    return;
                }
                token::STOP => {
                    self.damage(&codes::BAD_MOVE, start, || {
                        "the game ends within a variation".to_owned()
                    });
                    self.close(outer);
                    self.end();
                    return;
                }
                _ => {
                    // There can be a variation only if more than another move follows.
                    let record = self.record;
                    let ends_run =
                        |at: usize| matches!(record.get(at), Some(&(token::NAG..=token::BEGIN)));
                    before = ends_run(self.at).then(|| now.clone());
                    let m = match now.step(byte) {
                        Some(step) => step.into_move(),
                        None => {
                            let next = record.get(self.at).copied();
                            let mut took_second = false;
                            let decoded = now.decode(byte, || {
                                took_second = true;
                                next
                            });
                            let m = match decoded {
                                Ok(m) => m,
                                Err(fault) => {
                                    self.at = start;
                                    let code = if took_second && next.is_none() {
                                        &codes::CUT_RECORD
                                    } else {
                                        &codes::BAD_MOVE
                                    };
                                    self.damage(code, start, || fault.to_string());
                                    self.keep_rest(start);
                                    break;
                                }
                            };
                            self.at += usize::from(took_second);
                            before = ends_run(self.at).then(|| now.clone());
                            now.play(m);
                            m
                        }
                    };
                    let mut notation = None;
                    if let Some(replay) = replay.as_deref_mut() {
                        replay.expect_variations(before.is_some());
                        if m.is_null() {
                            replay.play(m);
                            notation = self.want.notation.then(SanDetails::default);
                        } else if !replay.now().is_legal(m) {
                            let place = self.place(start);
                            self.game.diagnostics.report(
                                &codes::ILLEGAL_MOVE,
                                || place,
                                || format!("{m:?} is kept"),
                            );
                            replay.play(m);
                        } else if self.want.notation {
                            notation = Some(replay.play_with(|board| board.play_with_details(m)));
                        } else {
                            replay.play_legal(m);
                        }
                    }
                    match notation {
                        Some(notation) => self.game.tape.push_move_with_details(m, notation),
                        None => self.game.tape.push_move(m),
                    }
                    self.ply += 1;
                    nags = 0;
                }
            }
        }
        self.close(outer);
    }

    /// Closes the variations that a damaged record leaves open.
    fn close(&mut self, outer: &mut Vec<ScidReaderFrame>) {
        while outer.pop().is_some() {
            self.game.tape.end_variation();
        }
    }

    /// Skips a variation whose start was read; counts its comments, whose texts are then skipped too.
    fn skip_variation(&mut self) -> bool {
        let mut depth = 1_u32;
        while let Some(byte) = self.byte() {
            match byte {
                token::NAG => {
                    self.byte();
                }
                token::COMMENT => {
                    self.next_comment();
                }
                token::BEGIN => depth += 1,
                token::END => depth -= 1,
                token::STOP => break,
                _ => {}
            }
            if depth == 0 {
                return true;
            }
        }
        self.damage(&codes::CUT_RECORD, self.at, || {
            "a variation has no end".to_owned()
        });
        false
    }

    /// The text of the next comment; `None` if there are too few.
    fn next_comment(&mut self) -> Option<&'a [u8]> {
        let comments = match self.comments {
            Some(comments) => comments,
            None => self.find_comments(),
        };
        let Some(length) = memchr::memchr(0, comments) else {
            // A last text without an end is truncated, and nothing follows it.
            self.comments = Some(&[]);
            if comments.is_empty() {
                return None;
            }
            if !self.open_ended {
                self.damage(&codes::CUT_RECORD, self.record.len(), || {
                    "the text of a comment has no end".to_owned()
                });
            }
            return Some(comments);
        };
        self.comments = Some(comments.get(length + 1..).unwrap_or(&[]));
        comments.get(..length)
    }

    /// The comments follow the end of the move list, which is searched from here on.
    fn find_comments(&self) -> &'a [u8] {
        let mut at = self.at;
        while let Some(found) = memchr::memchr2(token::NAG, token::STOP, self.rest(at)) {
            at += found;
            if self.record.get(at) == Some(&token::STOP) {
                return self.rest(at + 1);
            }
            // The number of a NAG can be any byte.
            at += 2;
        }
        &[]
    }

    fn comment(&mut self) {
        if !self.want.annotations {
            return;
        }
        let at = self.at;
        match self.next_comment() {
            Some(bytes) => {
                if bytes.is_empty() {
                    self.seen.empty_comments += 1;
                }
                self.text.push_comment(self.game, bytes);
            }
            None => {
                let place = self.place(at);
                self.game.diagnostics.report(
                    &codes::COMMENT_COUNT,
                    || place,
                    || "the text of a comment is missing".to_owned(),
                );
                self.seen.damaged = true;
            }
        }
    }

    /// Reads the part after the moves.
    fn end(&mut self) {
        let start = self.at;
        let mut rest = match self.comments {
            Some(comments) => comments,
            None => self.rest(self.at),
        };
        self.at = self.record.len() - rest.len();
        if self.open_ended || !self.want.annotations || !self.want.variations || rest.is_empty() {
            return;
        }
        let place = self.place(start);
        let bytes = rest.len();
        self.game.diagnostics.report(
            &codes::COMMENT_COUNT,
            || place,
            || format!("{bytes} bytes of comments belong to no place in the game"),
        );
        while !rest.is_empty() {
            let length = memchr::memchr(0, rest).unwrap_or(rest.len());
            let (text, after) = rest.split_at(length);
            self.text.push_comment(self.game, text);
            rest = after.get(1..).unwrap_or(&[]);
        }
    }
}

/// The three bytes of the event date of Scid 2.
pub fn old_event_date(value: &[u8]) -> Option<Date> {
    let [a, b, c] = *value else { return None };
    let date = Date::from_scid(u32::from_be_bytes([0, a, b, c]));
    (!date.is_unknown()).then_some(date)
}
