//! A tape to the moves of a record and its annotations.
//!
//! The tape is turned into a tree whose moves have their codes already: a code depends on the way to its move alone. The tree
//! is then written in the order of the format, which also gives the moves the numbers by which annotations know them.

use std::borrow::Cow;

use shakmaty::Color;
use tabiya_codec::fact_losses::StartTags;
use tabiya_model::board::Board;
use tabiya_model::charset::Charset;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::text::TextId;
use tabiya_model::{Game, LossKind, Move, Replay, Tape, TapeOp};

use super::comments::{self, CbhComment, CbhKeptNote, CbhNote, PAYLOAD_MAX};
use super::names::text_bytes;
use super::{CbhGameParts, CbhHeaderPart, CbhLossReport};
use crate::cbh::annotations::kind;
use crate::cbh::layout::{
    CbhAnnotationHead, CbhChess960Record, CbhMoveHead, CbhStartRecord, FLAG_SETUP, FLAG_UNORTHODOX,
    FLAG_VARIATIONS,
};
use crate::cbh::losses::{
    LOST_CHARACTERS, LOST_COMMENT, LOST_EXTENSION, LOST_MOVES, LOST_NAG, LOST_OUTCOME, LOST_START,
    LOST_VARIATION, MOVED_COMMENT, MOVED_NAG, MOVED_VARIATION,
};
use crate::cbh::moves::{CbhMoveBytes, CbhMoveCode, CbhMoveEncoding, CbhPieces};
use crate::cbh::record::AFTER_EXTENSION;
use crate::fallback_text::render;

/// No move: the start, or nothing that follows.
const NONE: u32 = u32::MAX;
/// The most bytes of a record of moves.
const MOVES_MAX: usize = (1 << 24) - 1;
/// The most bytes of a record of annotations that is read.
const NOTES_MAX: usize = 16 << 20;
/// The highest number of a move that an annotation can name.
const PLACE_MAX: u32 = (1 << 23) - 1;
/// Characters of a line's rest that a message shows.
const SHOWN: usize = 80;

/// A move with its places in the tree.
struct CbhTreeMove {
    code: CbhMoveCode,
    /// The first move after it, the last alternative to that one, and the next alternative to itself.
    first: u32,
    last: u32,
    sibling: u32,
    /// Its number in the record.
    number: u32,
}

/// An annotation at a move, or at the start.
struct CbhTreeNote {
    at: u32,
    note: CbhNote,
}

/// What stands right after a move.
#[derive(Default)]
struct CbhPlaceNotes<'g> {
    nags: Vec<Nag>,
    comments: Vec<CbhComment<'g>>,
    kept: Vec<CbhKeptNote<'g>>,
}

/// What has stood after the last move.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CbhLastAnnotation {
    Nothing,
    Comment,
    Variation,
}

/// A line that is being written.
struct CbhEncoderLine<'g> {
    now: CbhPieces,
    before: CbhPieces,
    /// The last move, and the one before it.
    last: u32,
    parent: u32,
    /// How many moves the line has.
    moves: u32,
    is_variation: bool,
    /// Whether White made the last move.
    is_white: bool,
    notes: CbhPlaceNotes<'g>,
    /// Texts that stand before the next move.
    before_next: Vec<CbhComment<'g>>,
    late: CbhLastAnnotation,
    is_cut: bool,
}

impl CbhEncoderLine<'_> {
    fn new(now: CbhPieces, parent: u32, is_variation: bool) -> Self {
        CbhEncoderLine {
            before: now.clone(),
            now,
            last: parent,
            parent,
            moves: 0,
            is_variation,
            is_white: true,
            notes: CbhPlaceNotes::default(),
            before_next: Vec::new(),
            late: CbhLastAnnotation::Nothing,
            is_cut: false,
        }
    }
}

/// Encodes the movetext of games and keeps its buffers.
pub(super) struct CbhMovetextEncoder {
    charset: Option<Charset>,
    moves: Vec<CbhTreeMove>,
    /// The first move of the main line and the last alternative to it.
    first: u32,
    last_first: u32,
    notes: Vec<CbhTreeNote>,
    plies: u32,
    variation_moves: u32,
    after: Vec<u8>,
}

impl CbhMovetextEncoder {
    pub(super) fn new(charset: Option<Charset>) -> CbhMovetextEncoder {
        CbhMovetextEncoder {
            charset,
            moves: Vec::new(),
            first: NONE,
            last_first: NONE,
            notes: Vec::new(),
            plies: 0,
            variation_moves: 0,
            after: Vec::new(),
        }
    }

    /// Fills in moves and annotations and what the header says of them. Says whether there is nothing but moves from the
    /// normal start, which are known to be read as they are.
    pub(super) fn encode(
        &mut self,
        game: &Game,
        parts: &mut CbhGameParts,
        report: &mut CbhLossReport<'_>,
    ) -> bool {
        self.moves.clear();
        self.notes.clear();
        self.after.clear();
        (self.first, self.last_first) = (NONE, NONE);
        (self.plies, self.variation_moves) = (0, 0);
        let start = CbhEncodedStart::of(game, report);
        let fen = start.bytes.map(|_| start.board.to_fen());
        let told = StartTags {
            fen: fen.as_deref(),
            setup: start.is_whole,
            variant: true,
        };
        told.report(game, report.losses);
        let coder = CbhMoveEncoding::of(start.mode).or(CbhMoveEncoding::of(0));
        let Some(coder) = coder else { return false };
        let is_plain = self.plain(game, &start, coder);
        if !is_plain {
            self.tree(game, &start, coder, report);
        }
        self.write_moves(&start, coder, &mut parts.moves, report);
        self.write_notes(&mut parts.notes, report);
        if let CbhHeaderPart::Game(header) = &mut parts.header {
            let starts_black = u32::from(start.board.turn() == Color::Black);
            let numbers = (self.plies + 1 + starts_black) / 2;
            header.move_count = u8::try_from(numbers).unwrap_or(u8::MAX);
            header.flags = self.flags(&start);
            if header.flags & FLAG_VARIATIONS != 0 {
                header.magnitude = match self.variation_moves {
                    0..=50 => 0,
                    51..=300 => 1,
                    301..=1000 => 2,
                    _ => 3,
                };
            }
        }
        is_plain && start.bytes.is_none() && start.mode == 0
    }

    /// A game of moves alone; false, with nothing done, where it is more.
    fn plain(&mut self, game: &Game, start: &CbhEncodedStart, coder: CbhMoveEncoding) -> bool {
        if !start.is_whole || !game.tape.ops().all(|op| matches!(op, TapeOp::Move(_))) {
            return false;
        }
        let mut pieces = start.pieces.clone();
        let mut parent = NONE;
        for op in game.tape.ops() {
            let TapeOp::Move(m) = op else { continue };
            let Some(code) = pieces.encode(m, coder) else {
                self.moves.clear();
                (self.first, self.last_first, self.plies) = (NONE, NONE, 0);
                return false;
            };
            parent = self.add(parent, code);
            self.plies += 1;
        }
        true
    }

    fn add(&mut self, parent: u32, code: CbhMoveCode) -> u32 {
        let new = u32::try_from(self.moves.len()).unwrap_or(NONE);
        self.moves.push(CbhTreeMove {
            code,
            first: NONE,
            last: NONE,
            sibling: NONE,
            number: NONE,
        });
        let (first, last) = match self.moves.get_mut(parent as usize) {
            Some(parent) => (&mut parent.first, &mut parent.last),
            None => (&mut self.first, &mut self.last_first),
        };
        let elder = std::mem::replace(last, new);
        if elder == NONE {
            *first = new;
        }
        if let Some(elder) = self.moves.get_mut(elder as usize) {
            elder.sibling = new;
        }
        new
    }

    /// Makes the tree of a tape, with all annotations.
    fn tree(
        &mut self,
        game: &Game,
        start: &CbhEncodedStart,
        coder: CbhMoveEncoding,
        report: &mut CbhLossReport<'_>,
    ) {
        let tape = &game.tape;
        let mut replay = Replay::new(&game.start_board());
        let mut outer: Vec<CbhEncoderLine<'_>> = Vec::new();
        let mut line = CbhEncoderLine::new(start.pieces.clone(), NONE, false);
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                TapeOp::Move(m) => {
                    let is_stored = start.is_whole && self.store(&mut line, m, coder, report);
                    if !is_stored {
                        at = self.cut(&mut line, tape, at - 1, &mut replay, report);
                        continue;
                    }
                }
                TapeOp::Begin(_) => {
                    if line.moves == 0 {
                        at = self.cut(&mut line, tape, at - 1, &mut replay, report);
                        continue;
                    }
                    if line.is_variation && line.moves == 1 {
                        report.loss(&MOVED_VARIATION, "a variation of a first move");
                    }
                    // What stands between two variations goes behind both.
                    if !line.before_next.is_empty() {
                        report.loss(&MOVED_COMMENT, "a comment between variations");
                    }
                    line.late = CbhLastAnnotation::Variation;
                    let inner = CbhEncoderLine::new(line.before.clone(), line.parent, true);
                    outer.push(std::mem::replace(&mut line, inner));
                }
                TapeOp::End => {
                    if let Some(next) = outer.pop() {
                        let inner = std::mem::replace(&mut line, next);
                        self.close(inner, &mut line, report);
                    }
                }
                TapeOp::Nag(nag) => self.nag(&mut line, nag, report),
                TapeOp::Comment(id) => self.comment(&mut line, tape, id, report),
                TapeOp::Raw(id) => {
                    let text = tape.text(id);
                    report.loss(kind_of_cut(&line), format!("unreadable {text:?}"));
                    line.is_cut = true;
                    add_text(&mut line, text.to_owned());
                }
                TapeOp::Ext(index) => self.extension(&mut line, tape, index, report),
                TapeOp::Outcome(outcome) => report.loss(&LOST_OUTCOME, outcome.as_pgn()),
            }
            replay.follow(op);
        }
        while let Some(next) = outer.pop() {
            let inner = std::mem::replace(&mut line, next);
            self.close(inner, &mut line, report);
        }
        self.finish_place(&mut line, false, report);
    }

    /// Keeps as text what a line cannot hold from an operation on, all of its variations with it; gives the index of the
    /// operation to go on with.
    fn cut(
        &mut self,
        line: &mut CbhEncoderLine<'_>,
        tape: &Tape,
        from: usize,
        replay: &mut Replay,
        report: &mut CbhLossReport<'_>,
    ) -> usize {
        let mut text = String::new();
        let end = render(tape, from, replay.now(), &mut text);
        let kind = match tape.get(from) {
            Some(TapeOp::Begin(_)) => &LOST_VARIATION,
            _ => kind_of_cut(line),
        };
        let beginning: String = text.chars().take(SHOWN).collect();
        report.loss(kind, format!("from {beginning} on"));
        line.is_cut = true;
        add_text(line, text);
        for op in (from..end).filter_map(|at| tape.get(at)) {
            replay.follow(op);
        }
        end
    }

    /// Adds a move to its line; false where nothing stands for it.
    fn store(
        &mut self,
        line: &mut CbhEncoderLine<'_>,
        m: Move,
        coder: CbhMoveEncoding,
        report: &mut CbhLossReport<'_>,
    ) -> bool {
        // One that is played in vain leaves the pieces as they are.
        let is_white = line.now.is_white_to_move();
        let mut after = line.now.clone();
        let Some(code) = after.encode(m, coder) else {
            return false;
        };
        self.finish_place(line, true, report);
        line.before = std::mem::replace(&mut line.now, after);
        line.parent = line.last;
        line.last = self.add(line.parent, code);
        line.moves += 1;
        line.is_white = is_white;
        line.late = CbhLastAnnotation::Nothing;
        match line.is_variation {
            true => self.variation_moves += 1,
            false => self.plies += 1,
        }
        for comment in std::mem::take(&mut line.before_next) {
            self.text(line.last, kind::TEXT_BEFORE, &comment, report);
        }
        true
    }

    /// Makes annotations of what stands after the last move, now that it is known whether another one follows.
    fn finish_place(
        &mut self,
        line: &mut CbhEncoderLine<'_>,
        has_next: bool,
        report: &mut CbhLossReport<'_>,
    ) {
        let place = std::mem::take(&mut line.notes);
        let at = if line.moves > 0 { line.last } else { NONE };
        if line.moves > 0 || !line.is_variation {
            self.symbols(at, &place.nags);
            let mut kept = place.kept;
            // Behind variations a text would stand in another place.
            let can_wait = has_next && line.late != CbhLastAnnotation::Variation;
            let left = self.comments(
                at,
                place.comments,
                &mut kept,
                line.is_white,
                can_wait,
                report,
            );
            drop(line.before_next.splice(0..0, left));
            self.kept(at, &kept, line.is_white, report);
        } else {
            // Before the first move of a variation there is only the text before that.
            drop(line.before_next.splice(0..0, place.comments));
            for note in &place.kept {
                report.loss(
                    &LOST_EXTENSION,
                    format!("annotation of type {:02x}", note.kind),
                );
            }
        }
        if !has_next {
            for comment in std::mem::take(&mut line.before_next) {
                report.loss(
                    &MOVED_COMMENT,
                    format!("after a variation: {:?}", comment.text),
                );
                self.text(at, kind::TEXT_AFTER, &comment, report);
            }
        }
    }

    /// Writes the comments of a place, and gives those that have to stand before the next move: only what is in front of the
    /// first text are commands, and the program shows one text of a language.
    fn comments<'g>(
        &mut self,
        at: u32,
        comments: Vec<CbhComment<'g>>,
        kept: &mut [CbhKeptNote<'_>],
        is_white: bool,
        can_wait: bool,
        report: &mut CbhLossReport<'_>,
    ) -> Vec<CbhComment<'g>> {
        let mut nations: Vec<u8> = Vec::new();
        let (mut is_first, mut has_no_text) = (true, false);
        let mut rest = comments.into_iter();
        while let Some(comment) = rest.next() {
            let quoted = kept.iter().position(|note| {
                !note.is_used
                    && note.kind == kind::QUOTATION
                    && note.quotation(self.charset).as_deref() == Some(comment.text.as_ref())
            });
            if let Some(note) = quoted.and_then(|at| kept.get_mut(at)) {
                note.is_used = true;
                let (kind, payload) = (note.kind, note.payload.to_vec());
                self.push_note(at, CbhNote { kind, payload }, report);
                continue;
            }
            let used: Vec<bool> = kept.iter().map(|note| note.is_used).collect();
            let mut notes = comments::cut(&comment.text, is_first, is_white, self.charset, kept);
            if notes.text.is_none() && !can_wait && rest.len() > 0 {
                // They would be read in front of the next text.
                for (note, was_used) in kept.iter_mut().zip(used) {
                    note.is_used = was_used;
                }
                notes = comments::cut(&comment.text, false, is_white, self.charset, &mut []);
            }
            let nation = notes.text.as_ref().map(|(nation, _)| *nation);
            let is_hidden = has_no_text || nation.is_some_and(|nation| nations.contains(&nation));
            if !is_first && can_wait && is_hidden {
                return std::iter::once(comment).chain(rest).collect();
            }
            is_first = false;
            nations.extend(nation);
            has_no_text |= nation.is_none();
            if let Some((nation, text)) = notes.text {
                let original = comment.original.as_ref();
                let original = original.and_then(|bytes| bytes.get(notes.text_at..));
                self.cut_text(at, kind::TEXT_AFTER, nation, &text, original, report);
            }
            for note in notes.commands {
                self.push_note(at, note, report);
            }
        }
        Vec::new()
    }

    /// Writes a comment that is nothing but text.
    fn text(
        &mut self,
        at: u32,
        kind: u8,
        comment: &CbhComment<'_>,
        report: &mut CbhLossReport<'_>,
    ) {
        let notes = comments::cut(&comment.text, false, true, self.charset, &mut []);
        if let Some((nation, text)) = notes.text {
            let original = comment.original.as_ref();
            let original = original.and_then(|bytes| bytes.get(notes.text_at..));
            self.cut_text(at, kind, nation, &text, original, report);
        }
    }

    /// Writes a text in a language, in pieces where it is too long for one.
    fn cut_text(
        &mut self,
        at: u32,
        kind: u8,
        nation: u8,
        text: &str,
        original: Option<&[u8]>,
        report: &mut CbhLossReport<'_>,
    ) {
        let most = PAYLOAD_MAX - 2;
        let bytes = text_bytes(text, original, self.charset);
        let bytes = bytes.unwrap_or_else(|| {
            report.loss(&LOST_CHARACTERS, format!("{text:?}"));
            text.replace('\0', " ").into_bytes()
        });
        if bytes.len() > most {
            let beginning: String = text.chars().take(SHOWN).collect();
            report.loss(&MOVED_COMMENT, format!("cut into pieces: {beginning}"));
        }
        let is_utf8 = std::str::from_utf8(&bytes).is_ok();
        let mut rest = &bytes[..];
        loop {
            let mut end = rest.len().min(most);
            // No character is cut into halves.
            while is_utf8 && rest.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
                end -= 1;
            }
            let Some((piece, more)) = rest.split_at_checked(end) else {
                break;
            };
            let payload = [&[0, nation], piece].concat();
            self.push_note(at, CbhNote { kind, payload }, report);
            rest = more;
            if rest.is_empty() {
                break;
            }
        }
    }

    fn push_note(&mut self, at: u32, note: CbhNote, report: &mut CbhLossReport<'_>) {
        if note.payload.len() > PAYLOAD_MAX {
            report.loss(&LOST_COMMENT, format!("type {:02x} is too long", note.kind));
            return;
        }
        self.notes.push(CbhTreeNote { at, note });
    }

    /// Writes NAGs: of the move, of the position and in front of it, in this order, as many to an annotation as fit.
    fn symbols(&mut self, at: u32, nags: &[Nag]) {
        let mut payload: Vec<u8> = Vec::new();
        let mut all = Vec::new();
        for nag in nags {
            let Ok(byte) = u8::try_from(nag.0) else {
                continue;
            };
            let place = match byte {
                1..=9 | 22 | 23 => 0,
                140..=145 => 2,
                _ => 1,
            };
            if payload.len() > place {
                all.push(std::mem::take(&mut payload));
            }
            payload.resize(place, 0);
            payload.push(byte);
        }
        if !payload.is_empty() {
            all.push(payload);
        }
        self.notes
            .extend(all.into_iter().map(|payload| CbhTreeNote {
                at,
                note: CbhNote {
                    kind: kind::SYMBOLS,
                    payload,
                },
            }));
    }

    /// Writes the annotations that were kept as bytes, but those that a command has said.
    fn kept(
        &mut self,
        at: u32,
        kept: &[CbhKeptNote<'_>],
        is_white: bool,
        report: &mut CbhLossReport<'_>,
    ) {
        for note in kept.iter().filter(|note| !note.is_used) {
            let mut said = String::new();
            note.say(is_white, self.charset, &mut said);
            let is_text = matches!(
                note.kind,
                kind::TEXT_AFTER | kind::TEXT_BEFORE | kind::SYMBOLS | kind::QUOTATION
            );
            if !said.is_empty() || is_text {
                // It would be read as more than bytes.
                report.loss(
                    &LOST_EXTENSION,
                    format!("annotation of type {:02x}", note.kind),
                );
                continue;
            }
            let (kind, payload) = (note.kind, note.payload.to_vec());
            self.push_note(at, CbhNote { kind, payload }, report);
        }
    }

    fn nag(&mut self, line: &mut CbhEncoderLine<'_>, nag: Nag, report: &mut CbhLossReport<'_>) {
        if !(1..=255).contains(&nag.0) || (line.is_variation && line.moves == 0) {
            report.loss(&LOST_NAG, format!("${}", nag.0));
            return;
        }
        if line.late == CbhLastAnnotation::Variation {
            report.loss(&MOVED_NAG, format!("${} after a variation", nag.0));
        }
        if line.late != CbhLastAnnotation::Nothing {
            report.loss(&MOVED_COMMENT, format!("${} after it", nag.0));
        }
        line.notes.nags.push(nag);
    }

    fn comment<'g>(
        &mut self,
        line: &mut CbhEncoderLine<'g>,
        tape: &'g Tape,
        id: TextId,
        _: &mut CbhLossReport<'_>,
    ) {
        let texts = tape.texts();
        let text = tape.text(id);
        let comment = CbhComment {
            text: Cow::Borrowed(text),
            original: texts
                .provenance(id)
                .map(|_| texts.original(id).into_owned()),
        };
        if line.late == CbhLastAnnotation::Variation {
            line.before_next.push(comment);
        } else {
            line.notes.comments.push(comment);
            line.late = CbhLastAnnotation::Comment;
        }
    }

    fn extension<'g>(
        &mut self,
        line: &mut CbhEncoderLine<'g>,
        tape: &'g Tape,
        index: u32,
        report: &mut CbhLossReport<'_>,
    ) {
        let Some(extension) = tape.extensions().get(index as usize) else {
            return;
        };
        let kind = extension.name.strip_prefix("cbh.annotation-");
        let kind = kind.and_then(|kind| u8::from_str_radix(kind, 16).ok());
        match kind {
            Some(kind) if line.late != CbhLastAnnotation::Variation => {
                line.notes.kept.push(CbhKeptNote {
                    kind,
                    payload: &extension.data,
                    is_used: false,
                });
            }
            _ if extension.name == AFTER_EXTENSION && self.after.is_empty() => {
                self.after.extend_from_slice(&extension.data);
            }
            _ => report.loss(&LOST_EXTENSION, extension.name.clone()),
        }
    }

    /// Ends a variation; what of one without a move could be told goes to the move that it replaces.
    fn close<'g>(
        &mut self,
        mut inner: CbhEncoderLine<'g>,
        outer: &mut CbhEncoderLine<'g>,
        report: &mut CbhLossReport<'_>,
    ) {
        if inner.moves > 0 {
            self.finish_place(&mut inner, false, report);
            return;
        }
        if !inner.is_cut {
            report.loss(&LOST_VARIATION, "it has no move");
        }
        for note in &inner.notes.kept {
            report.loss(
                &LOST_EXTENSION,
                format!("annotation of type {:02x}", note.kind),
            );
        }
        for comment in std::mem::take(&mut inner.notes.comments) {
            outer.before_next.push(CbhComment {
                text: Cow::Owned(format!("({})", comment.text)),
                original: None,
            });
        }
    }

    /// Numbers the moves in the order of the format and writes them.
    fn write_moves(
        &mut self,
        start: &CbhEncodedStart,
        coder: CbhMoveEncoding,
        record: &mut Vec<u8>,
        report: &mut CbhLossReport<'_>,
    ) {
        record.clear();
        record.resize(CbhMoveHead::LENGTH, 0);
        let mut flags = start.mode;
        if let Some(bytes) = start.bytes {
            flags |= 64;
            record.extend_from_slice(&bytes);
        }
        if let Some(chess960) = start.chess960 {
            record.extend_from_slice(&chess960.encode());
        }
        let behind_start = record.len();
        let mut numbers = 0;
        let mut out = CbhMoveBytes::new(coder, record);
        // The alternatives that follow later.
        let mut later: Vec<u32> = Vec::new();
        let mut now = self.first;
        loop {
            let Some(m) = self.moves.get_mut(now as usize) else {
                out.end();
                match later.pop() {
                    Some(next) => now = next,
                    None => break,
                }
                continue;
            };
            m.number = numbers;
            numbers += 1;
            if m.sibling != NONE {
                out.branch();
                later.push(m.sibling);
            }
            out.push_move(m.code);
            now = m.first;
        }
        record.extend_from_slice(&self.after);
        if record.len() > MOVES_MAX {
            report.loss(&LOST_MOVES, "the record has more than 16 MB");
            record.truncate(behind_start);
            CbhMoveBytes::new(coder, record).end();
            self.moves.clear();
            self.notes.clear();
            (self.first, self.plies, self.variation_moves) = (NONE, 0, 0);
        }
        let [_, a, b, c] = u32::try_from(record.len()).unwrap_or(0).to_be_bytes();
        if let Some(head) = record.first_chunk_mut() {
            *head = [flags, a, b, c];
        }
    }

    /// Writes the annotations in the order of their moves.
    fn write_notes(&mut self, record: &mut Vec<u8>, report: &mut CbhLossReport<'_>) {
        record.clear();
        if self.notes.is_empty() {
            return;
        }
        let moves = &self.moves;
        let number = |at: u32| match moves.get(at as usize) {
            Some(m) => i64::from(m.number),
            None => -1,
        };
        // Within a place the program most often has symbols, texts before and after, and the rest.
        let rank = |kind| match kind {
            kind::SYMBOLS => 0,
            kind::TEXT_BEFORE => 1,
            kind::TEXT_AFTER | kind::QUOTATION => 2,
            _ => 3,
        };
        self.notes
            .sort_by_key(|note| (number(note.at), rank(note.note.kind)));
        record.resize(CbhAnnotationHead::LENGTH, 0);
        let mut items = 1_u32;
        let mut lost = 0_u64;
        for CbhTreeNote { at, note } in &self.notes {
            let place = number(*at);
            let size = note.payload.len() + 6;
            let too_far = place > i64::from(PLACE_MAX);
            let Ok(length) = u16::try_from(size) else {
                continue;
            };
            if too_far || record.len() + size > NOTES_MAX {
                lost += 1;
                continue;
            }
            let [.., a, b, c] = place.to_be_bytes();
            let [high, low] = length.to_be_bytes();
            record.extend_from_slice(&[a, b, c, note.kind, high, low]);
            record.extend_from_slice(&note.payload);
            items += 1;
        }
        if lost > 0 {
            report.loss(&LOST_COMMENT, format!("{lost} annotations"));
            report.loss(&LOST_NAG, format!("{lost} annotations"));
        }
        let size = u32::try_from(record.len()).unwrap_or(u32::MAX);
        let head = CbhAnnotationHead {
            game: 0,
            mark: CbhAnnotationHead::MARK,
            items,
            size,
        };
        if let Some(bytes) = record.first_chunk_mut() {
            *bytes = head.encode();
        }
    }

    /// The kinds of annotations that a game has.
    fn flags(&self, start: &CbhEncodedStart) -> u32 {
        let mut flags = 0;
        if start.bytes.is_some() {
            flags |= FLAG_SETUP;
        }
        if self.variation_moves > 0 {
            flags |= FLAG_VARIATIONS;
        }
        if start.mode != 0 {
            flags |= FLAG_UNORTHODOX;
        }
        for note in &self.notes {
            let bit = match note.note.kind {
                kind::TEXT_AFTER | kind::TEXT_BEFORE => 2,
                kind::SYMBOLS => 3,
                kind::SQUARES => 4,
                kind::ARROWS => 5,
                kind::TIME_SPENT => 7,
                0x08 => 8,
                kind::TRAINING => 9,
                0x10 => 16,
                0x11 => 17,
                kind::QUOTATION => 19,
                kind::PAWN_STRUCTURE => 20,
                kind::PIECE_PATH => 21,
                kind::WHITE_CLOCK => 22,
                kind::BLACK_CLOCK => 23,
                kind::CRITICAL => 24,
                kind::LINK => 28,
                0x20 => 18,
                0x61 => 25,
                _ => continue,
            };
            flags |= 1 << bit;
        }
        flags
    }
}

fn kind_of_cut(line: &CbhEncoderLine<'_>) -> &'static LossKind {
    match line.is_variation {
        true => &LOST_VARIATION,
        false => &LOST_MOVES,
    }
}

/// Adds text of our own after the last move.
fn add_text(line: &mut CbhEncoderLine<'_>, text: String) {
    line.notes.comments.push(CbhComment {
        text: Cow::Owned(text),
        original: None,
    });
    line.late = line.late.max(CbhLastAnnotation::Comment);
}

/// The start of a game as the record has it.
struct CbhEncodedStart {
    mode: u8,
    bytes: Option<[u8; CbhStartRecord::LENGTH]>,
    chess960: Option<CbhChess960Record>,
    /// The board that a reader has.
    board: Board,
    pieces: CbhPieces,
    /// Whether there is room for the position, without which no move can be stored.
    is_whole: bool,
}

impl CbhEncodedStart {
    fn of(game: &Game, report: &mut CbhLossReport<'_>) -> CbhEncodedStart {
        let is_chess960 = game.variant == Variant::Chess960;
        if game.variant != Variant::Standard && !is_chess960 {
            report.loss(&LOST_START, "the rules of another variant");
        }
        let standard = |mode| CbhEncodedStart {
            mode,
            bytes: None,
            chess960: None,
            board: Board::standard(),
            pieces: CbhPieces::of(&Board::standard(), None),
            is_whole: true,
        };
        let mode = if is_chess960 { 10 } else { 0 };
        let StartingPosition::Setup(board, _) = &game.start else {
            return standard(mode);
        };
        // Rooks that castle from other files need the data of Chess960.
        let mode = if board.is_chess960() { 10 } else { mode };
        let chess960 = (mode == 10).then(|| CbhChess960Record::of(board));
        let Some(bytes) = CbhStartRecord::of(board).encode() else {
            report.loss(&LOST_START, format!("too many pieces: {}", board.to_fen()));
            let mut start = standard(mode);
            start.is_whole = false;
            return start;
        };
        let read = CbhStartRecord::decode(&bytes);
        let (stored, _) = read.map_or_else(
            || ((**board).clone(), Default::default()),
            |start| crate::cbh::record::start_board(&start, chess960, 0),
        );
        let (before, after) = (board.to_fen(), stored.to_fen());
        if before != after {
            report.loss(&LOST_START, format!("{before} as {after}"));
        }
        CbhEncodedStart {
            mode,
            bytes: Some(bytes),
            chess960,
            pieces: CbhPieces::of(&stored, chess960),
            board: stored,
            is_whole: true,
        }
    }
}
