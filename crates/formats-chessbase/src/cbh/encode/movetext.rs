//! A tape to the moves of a record and its annotations.
//!
//! The tape is turned into a tree whose moves have their codes already: a code depends on the way to its move alone. The tree
//! is then written in the order of the format, which also gives the moves the numbers by which annotations know them.

use shakmaty::Color;
use tabiya_codec::fact_losses::StartTags;
use tabiya_model::board::Board;
use tabiya_model::charset::Charset;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::tape::TapeExtension;
use tabiya_model::{Game, Move};

use super::comments::{self, CbhNote, PAYLOAD_MAX};
use super::names::text_bytes;
use super::{CbhGameParts, CbhHeaderPart};
use crate::cbh::annotations::kind;
use crate::cbh::layout::{
    CbhAnnotationHead, CbhChess960Record, CbhMoveHead, CbhStartRecord, FLAG_SETUP, FLAG_UNORTHODOX,
    FLAG_VARIATIONS,
};
use crate::cbh::losses::{
    LOST_CHARACTERS, LOST_COMMENT, LOST_EXTENSION, LOST_MOVES, LOST_NAG, LOST_START, MOVED_COMMENT,
};
use crate::cbh::moves::{CbhMoveBytes, CbhMoveCode, CbhMoveEncoding, CbhPieces, NO_MOVE};
use crate::cbh::record::AFTER_EXTENSION;
use crate::counted::counted;
use crate::encode::CbhLossReport;
use crate::encode::tree::{CbhTapeNote, CbhTapePlace, CbhTapeTree};
use crate::encode::walk::{CbhComment, CbhKeptNote, CbhPlaceNotes, CbhTapeCodes, CbhTapeWalk};

/// The most bytes of a record of moves.
const MOVES_MAX: usize = (1 << 24) - 1;
/// The most bytes of a record of annotations that is read.
const NOTES_MAX: usize = 16 << 20;
/// The highest number of a move that an annotation can name.
const PLACE_MAX: u32 = (1 << 23) - 1;
/// Characters of a text that a message shows.
const SHOWN: usize = 80;

/// What stands for moves and annotations of one game.
struct CbhMovetextCodes {
    charset: Option<Charset>,
    encoding: CbhMoveEncoding,
    /// What stands behind the moves.
    after: Vec<u8>,
}

impl CbhTapeCodes for CbhMovetextCodes {
    type Pieces = CbhPieces;
    type Code = CbhMoveCode;
    type Note = CbhNote;

    const ANNOTATION: &'static str = "cbh.annotation-";
    const MOST_MOVES: usize = usize::MAX;

    fn is_white_to_move(pieces: &CbhPieces) -> bool {
        pieces.is_white_to_move()
    }

    fn encode(&self, pieces: &mut CbhPieces, m: Move) -> Option<CbhMoveCode> {
        pieces.encode(m, self.encoding)
    }

    fn annotate<'g>(
        &self,
        notes: CbhPlaceNotes<'g>,
        is_white: bool,
        can_wait: bool,
        place: &mut CbhTapePlace<'_, CbhNote>,
        report: &mut CbhLossReport<'_>,
    ) -> Vec<CbhComment<'g>> {
        for payload in notes.symbols() {
            let kind = kind::SYMBOLS;
            place.push(CbhNote { kind, payload });
        }
        let CbhPlaceNotes {
            comments, mut kept, ..
        } = notes;
        let left = self.comments(comments, &mut kept, is_white, can_wait, place, report);
        self.kept(&kept, is_white, place, report);
        left
    }

    fn text(
        &self,
        kind: u8,
        comment: &CbhComment<'_>,
        place: &mut CbhTapePlace<'_, CbhNote>,
        report: &mut CbhLossReport<'_>,
    ) {
        let notes = comments::cut(&comment.text, false, true, self.charset, &mut []);
        if let Some((nation, text)) = notes.text {
            let original = comment.original_from(notes.text_at);
            self.cut_text((kind, nation), &text, original, place, report);
        }
    }

    fn extension(&mut self, extension: &TapeExtension, report: &mut CbhLossReport<'_>) {
        match extension.name == AFTER_EXTENSION && self.after.is_empty() {
            true => self.after.extend_from_slice(&extension.data),
            false => report.loss(&LOST_EXTENSION, extension.name.clone()),
        }
    }
}

impl CbhMovetextCodes {
    /// Writes the comments of a place, and gives those that have to stand before the next move: only what is in front of the
    /// first text are commands, and the program shows one text of a language.
    fn comments<'g>(
        &self,
        comments: Vec<CbhComment<'g>>,
        kept: &mut [CbhKeptNote<'_>],
        is_white: bool,
        can_wait: bool,
        place: &mut CbhTapePlace<'_, CbhNote>,
        report: &mut CbhLossReport<'_>,
    ) -> Vec<CbhComment<'g>> {
        let mut nations: Vec<u8> = Vec::new();
        let (mut is_first, mut has_no_text) = (true, false);
        let mut rest = comments.into_iter();
        while let Some(comment) = rest.next() {
            let quoted = kept.iter().position(|note| {
                !note.is_used
                    && note.kind == kind::QUOTATION
                    && comments::quotation(note, self.charset).as_deref()
                        == Some(comment.text.as_ref())
            });
            if let Some(note) = quoted.and_then(|at| kept.get_mut(at)) {
                note.is_used = true;
                push_note(CbhNote::of_kept(note), place, report);
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
                let original = comment.original_from(notes.text_at);
                let of = (kind::TEXT_AFTER, nation);
                self.cut_text(of, &text, original, place, report);
            }
            for note in notes.commands {
                push_note(note, place, report);
            }
        }
        Vec::new()
    }

    /// Writes a text in a language, in pieces where it is too long for one.
    fn cut_text(
        &self,
        (kind, nation): (u8, u8),
        text: &str,
        original: Option<&[u8]>,
        place: &mut CbhTapePlace<'_, CbhNote>,
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
            push_note(CbhNote { kind, payload }, place, report);
            rest = more;
            if rest.is_empty() {
                break;
            }
        }
    }

    /// Writes the annotations that were kept as bytes, but those that a command has said.
    fn kept(
        &self,
        kept: &[CbhKeptNote<'_>],
        is_white: bool,
        place: &mut CbhTapePlace<'_, CbhNote>,
        report: &mut CbhLossReport<'_>,
    ) {
        for note in kept.iter().filter(|note| !note.is_used) {
            let mut said = String::new();
            comments::say_kept(note, is_white, self.charset, &mut said);
            let is_text = matches!(
                note.kind,
                kind::TEXT_AFTER | kind::TEXT_BEFORE | kind::SYMBOLS | kind::QUOTATION
            );
            if !said.is_empty() || is_text {
                // It would be read as more than bytes.
                report.lost_annotation(note.kind);
                continue;
            }
            push_note(CbhNote::of_kept(note), place, report);
        }
    }
}

fn push_note(note: CbhNote, place: &mut CbhTapePlace<'_, CbhNote>, report: &mut CbhLossReport<'_>) {
    match note.payload.len() > PAYLOAD_MAX {
        true => report.loss(&LOST_COMMENT, format!("type {:02x} is too long", note.kind)),
        false => place.push(note),
    }
}

/// Encodes the movetext of games and keeps its buffers.
pub(super) struct CbhMovetextEncoder {
    charset: Option<Charset>,
    tree: CbhTapeTree<CbhMoveCode, CbhNote>,
}

impl CbhMovetextEncoder {
    pub(super) fn new(charset: Option<Charset>) -> CbhMovetextEncoder {
        CbhMovetextEncoder {
            charset,
            tree: CbhTapeTree::default(),
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
        self.tree.clear();
        let start = CbhEncodedStart::of(game, report);
        let fen = start.bytes.map(|_| start.board.to_fen());
        let told = StartTags {
            fen: fen.as_deref(),
            setup: start.is_whole,
            variant: true,
        };
        told.report(game, report.losses);
        let encoding = CbhMoveEncoding::of(start.mode).or(CbhMoveEncoding::of(0));
        let Some(encoding) = encoding else {
            return false;
        };
        let mut codes = CbhMovetextCodes {
            charset: self.charset,
            encoding,
            after: Vec::new(),
        };
        let mut walk = CbhTapeWalk {
            codes: &mut codes,
            tree: &mut self.tree,
            report,
        };
        let (is_plain, _) = walk.run(game, &start.pieces, start.is_whole);
        self.write_moves(&start, &codes, &mut parts.moves, report);
        self.write_notes(&mut parts.notes, report);
        if let CbhHeaderPart::Game(header) = &mut parts.header {
            let starts_black = u32::from(start.board.turn() == Color::Black);
            let numbers = (self.tree.plies + 1 + starts_black) / 2;
            header.move_count = u8::try_from(numbers).unwrap_or(u8::MAX);
            header.flags = self.flags(&start);
            if header.flags & FLAG_VARIATIONS != 0 {
                header.magnitude = match self.tree.variation_moves {
                    0..=50 => 0,
                    51..=300 => 1,
                    301..=1000 => 2,
                    _ => 3,
                };
            }
        }
        is_plain && start.bytes.is_none() && start.mode == 0
    }

    /// Numbers the moves in the order of the format and writes them.
    fn write_moves(
        &mut self,
        start: &CbhEncodedStart,
        codes: &CbhMovetextCodes,
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
        let mut out = CbhMoveBytes::new(codes.encoding, record);
        // The alternatives that follow later.
        let mut later: Vec<u32> = Vec::new();
        let mut now = self.tree.first;
        loop {
            let Some(m) = self.tree.moves.get_mut(now as usize) else {
                out.end();
                match later.pop() {
                    Some(next) => now = next,
                    None => break,
                }
                continue;
            };
            m.number = numbers;
            numbers += 1;
            if m.sibling != NO_MOVE {
                out.branch();
                later.push(m.sibling);
            }
            out.push_move(m.code);
            now = m.first;
        }
        record.extend_from_slice(&codes.after);
        if record.len() > MOVES_MAX {
            report.loss(&LOST_MOVES, "the record has more than 16 MB");
            record.truncate(behind_start);
            CbhMoveBytes::new(codes.encoding, record).end();
            self.tree.clear();
        }
        let [_, a, b, c] = u32::try_from(record.len()).unwrap_or(0).to_be_bytes();
        if let Some(head) = record.first_chunk_mut() {
            *head = [flags, a, b, c];
        }
    }

    /// Writes the annotations in the order of their moves.
    fn write_notes(&mut self, record: &mut Vec<u8>, report: &mut CbhLossReport<'_>) {
        record.clear();
        let CbhTapeTree { moves, notes, .. } = &mut self.tree;
        if notes.is_empty() {
            return;
        }
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
        notes.sort_by_key(|note| (number(note.at), rank(note.note.kind)));
        record.resize(CbhAnnotationHead::LENGTH, 0);
        let mut items = 1_u32;
        let mut lost = 0_u64;
        for CbhTapeNote { at, note } in notes.iter() {
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
            let what = counted(lost, "annotation", "annotations");
            report.loss(&LOST_COMMENT, what.clone());
            report.loss(&LOST_NAG, what);
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
        if self.tree.variation_moves > 0 {
            flags |= FLAG_VARIATIONS;
        }
        if start.mode != 0 {
            flags |= FLAG_UNORTHODOX;
        }
        for note in &self.tree.notes {
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
