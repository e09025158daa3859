//! A tape to the moves of a record and its annotations.
//!
//! The tape is turned into a tree whose moves have their numbers already: a number depends on the way to its move alone. The
//! tree is then written in the order of the format; annotations know moves by their order in PGN.

use std::borrow::Cow;

use shakmaty::Color;
use tabiya_codec::fact_losses::StartTags;
use tabiya_model::charset::Charset;
use tabiya_model::nag::Nag;
use tabiya_model::text::TextId;
use tabiya_model::{Game, LossKind, Move, Replay, Tape, TapeOp};

use super::comments::{self, Cbh2KeptNote, is_spoken};
use super::note_order::{Cbh2Candidates, Cbh2PlacedNote, in_order};
use super::notes::Cbh2Note;
use super::start::Cbh2EncodedStart;
use super::texts::text_bytes;
use super::{Cbh2GameParts, Cbh2HeaderPart};
use crate::cbh::encode::CbhLossReport;
use crate::cbh::moves::CbhMoveTree;
use crate::cbh2::annotated_moves::{AFTER_EXTENSION, REST_EXTENSION};
use crate::cbh2::annotations::{self, END, kind};
use crate::cbh2::layout::{
    CHESS960_ECO, Cbh2GameRecord, FLAG_CHESS960, FLAG_SETUP, FLAG_VARIATIONS, MOST_CONTENT,
};
use crate::cbh2::losses::{
    LOST_CHARACTERS, LOST_COMMENT, LOST_EXTENSION, LOST_MOVES, LOST_NAG, LOST_OUTCOME,
    LOST_VARIATION, MOVED_COMMENT, MOVED_NAG, MOVED_VARIATION,
};
use crate::cbh2::move_words;
use crate::cbh2::moves::{self, Cbh2MoveMemory, Cbh2StartPieces, MOST_MOVES, MOST_OPEN};
use crate::cbh2::record::{self, ANALYSIS_EXTENSION, MOVES_EXTENSION, SCORES_EXTENSION};
use crate::fallback_text::render;

/// No move: the start, or nothing that follows.
const NONE: u32 = u32::MAX;
/// Characters of a line's rest that a message shows.
const SHOWN: usize = 80;
/// What the name of the extension of an annotation begins with; its type follows.
const ANNOTATION_EXTENSION: &str = "2cbh.annotation-";

/// A move with its places in the tree.
struct Cbh2TreeMove {
    word: u16,
    /// The first move after it, the last alternative to that one, and the next alternative to itself.
    first: u32,
    last: u32,
    sibling: u32,
    /// Its place in the order of PGN.
    number: u32,
}

/// An annotation at a move, or at the start.
struct Cbh2TreeNote {
    at: u32,
    note: Cbh2Note,
}

/// A comment on its way into the file.
#[derive(Clone, Debug)]
struct Cbh2Comment<'g> {
    text: Cow<'g, str>,
    /// The bytes that it had, where it was not UTF-8.
    original: Option<Vec<u8>>,
    /// A word of its item whose meaning is not known.
    unknown: u16,
}

/// What stands right after a move.
#[derive(Default)]
struct Cbh2PlaceNotes<'g> {
    nags: Vec<Nag>,
    comments: Vec<Cbh2Comment<'g>>,
    kept: Vec<Cbh2KeptNote<'g>>,
}

/// What has stood after the last move.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cbh2LastAnnotation {
    Nothing,
    Comment,
    Variation,
}

/// A line that is being written.
struct Cbh2EncoderLine<'g> {
    now: Cbh2StartPieces,
    before: Cbh2StartPieces,
    /// The last move, and the one before it.
    last: u32,
    parent: u32,
    /// How many moves the line has.
    moves: u32,
    is_variation: bool,
    /// Whether White made the last move.
    is_white: bool,
    notes: Cbh2PlaceNotes<'g>,
    /// Texts that stand before the next move.
    before_next: Vec<Cbh2Comment<'g>>,
    late: Cbh2LastAnnotation,
    is_cut: bool,
}

impl Cbh2EncoderLine<'_> {
    fn new(now: Cbh2StartPieces, parent: u32, is_variation: bool) -> Self {
        Cbh2EncoderLine {
            before: now.clone(),
            now,
            last: parent,
            parent,
            moves: 0,
            is_variation,
            is_white: true,
            notes: Cbh2PlaceNotes::default(),
            before_next: Vec::new(),
            late: Cbh2LastAnnotation::Nothing,
            is_cut: false,
        }
    }
}

/// Bytes of a record that nobody could read.
#[derive(Default)]
struct Cbh2UnreadBytes {
    /// Moves that could not be read, and what stood behind them all.
    moves: Vec<u8>,
    after_moves: Vec<u8>,
    /// Annotations that could not be read, with their place and how many there are at it.
    notes: Option<(i32, i32, Vec<u8>)>,
    after_notes: Vec<u8>,
}

/// Encodes the movetext of games and keeps its buffers.
pub(super) struct Cbh2MovetextEncoder {
    charset: Option<Charset>,
    moves: Vec<Cbh2TreeMove>,
    /// The first move of the main line and the last alternative to it.
    first: u32,
    last_first: u32,
    notes: Vec<Cbh2TreeNote>,
    plies: u32,
    has_variations: bool,
    material: [u32; 2],
    unread: Cbh2UnreadBytes,
    memory: Cbh2MoveMemory,
}

impl Cbh2MovetextEncoder {
    pub(super) fn new(charset: Option<Charset>) -> Cbh2MovetextEncoder {
        Cbh2MovetextEncoder {
            charset,
            moves: Vec::new(),
            first: NONE,
            last_first: NONE,
            notes: Vec::new(),
            plies: 0,
            has_variations: false,
            material: [0; 2],
            unread: Cbh2UnreadBytes::default(),
            memory: Cbh2MoveMemory::default(),
        }
    }

    fn clear(&mut self) {
        self.moves.clear();
        (self.first, self.last_first) = (NONE, NONE);
        self.notes.clear();
        self.plies = 0;
        self.has_variations = false;
    }

    /// Fills in moves and annotations and what the header says of them. Says whether there is nothing but moves from the
    /// usual start, which are known to be read as they are.
    pub(super) fn encode(
        &mut self,
        game: &Game,
        parts: &mut Cbh2GameParts,
        report: &mut CbhLossReport<'_>,
    ) -> bool {
        self.clear();
        self.unread = Cbh2UnreadBytes::default();
        let start = Cbh2EncodedStart::of(game, report);
        let has_position = start.words.len() > 1;
        let fen = has_position.then(|| start.board.to_fen());
        let told = StartTags {
            fen: fen.as_deref(),
            setup: start.is_whole,
            variant: true,
        };
        told.report(game, report.losses);
        let is_plain = self.plain(game, &start);
        if !is_plain {
            self.tree(game, &start, report);
        }
        parts.tag = start.tag;
        self.write_moves(&start, &mut parts.moves, report);
        self.write_notes(&mut parts.notes, report);
        if let Cbh2HeaderPart::Game(header) = &mut parts.header {
            self.fill_header(&start, header);
        }
        is_plain && !has_position && start.number.is_none()
    }

    /// What the header says of the moves and the annotations.
    fn fill_header(&self, start: &Cbh2EncodedStart, header: &mut Cbh2GameRecord) {
        let starts_black = u32::from(start.board.turn() == Color::Black);
        let numbers = match self.plies {
            0 => 0,
            plies => (plies + 1 + starts_black) / 2,
        };
        header.move_count = i16::try_from(numbers).unwrap_or(i16::MAX);
        header.material = self.material;
        if start.is_setup {
            header.flags |= FLAG_SETUP;
        }
        if self.has_variations {
            header.flags |= FLAG_VARIATIONS;
        }
        if let Some(number) = start.number {
            header.flags |= FLAG_CHESS960;
            // A game of Chess960 has the number of its start in the place of the opening.
            header.eco = CHESS960_ECO.saturating_add(number);
        }
        let mut counts = [0_u32; 32];
        let mut letters = 0_usize;
        let rest = self.unread.notes.iter().filter(|(_, items, _)| *items > 0);
        let unread = rest.filter_map(|(_, _, bytes)| bytes.first().copied());
        for of in self.notes.iter().map(|own| own.note.kind).chain(unread) {
            let bit = flag_of(of);
            if let Some(count) = bit.and_then(|bit| counts.get_mut(bit)) {
                *count += 1;
            }
        }
        for own in &self.notes {
            if matches!(own.note.kind, kind::TEXT_AFTER | kind::TEXT_BEFORE) {
                letters += own.note.payload.len().saturating_sub(8);
            }
        }
        for (bit, count) in (0..32).zip(counts) {
            header.flags |= u32::from(count > 0) << bit;
        }
        // The bit of how many there are, the bit of their kind, and from how many on.
        for (bit, of, most) in [(3, 3, 10), (4, 4, 10), (5, 5, 6), (7, 7, 10), (9, 9, 6)] {
            let count = counts.get(of).copied().unwrap_or(0);
            header.magnitude |= u16::from(count >= most) << bit;
        }
        header.magnitude |= u16::from(letters > 200) << 2;
    }

    /// A game of moves alone; false, with nothing done, where it is more.
    fn plain(&mut self, game: &Game, start: &Cbh2EncodedStart) -> bool {
        if !start.is_whole || !game.tape.ops().all(|op| matches!(op, TapeOp::Move(_))) {
            return false;
        }
        let mut pieces = start.pieces.clone();
        let mut parent = NONE;
        for op in game.tape.ops() {
            let TapeOp::Move(m) = op else { continue };
            let word = pieces.encode(m, start.number);
            let Some(word) = word.filter(|_| self.moves.len() < MOST_MOVES) else {
                self.clear();
                return false;
            };
            parent = self.add(parent, word);
            self.plies += 1;
        }
        self.material = material(&pieces);
        true
    }

    fn add(&mut self, parent: u32, word: u16) -> u32 {
        let new = u32::try_from(self.moves.len()).unwrap_or(NONE);
        self.moves.push(Cbh2TreeMove {
            word,
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
    fn tree(&mut self, game: &Game, start: &Cbh2EncodedStart, report: &mut CbhLossReport<'_>) {
        let tape = &game.tape;
        let mut replay = Replay::new(&game.start_board());
        let mut outer: Vec<Cbh2EncoderLine<'_>> = Vec::new();
        let mut line = Cbh2EncoderLine::new(start.pieces.clone(), NONE, false);
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                TapeOp::Move(m) => {
                    let is_stored = start.is_whole && self.store(&mut line, m, start, report);
                    if !is_stored {
                        at = cut(&mut line, tape, at - 1, &mut replay, report);
                        continue;
                    }
                }
                TapeOp::Begin(_) => {
                    if line.moves == 0 {
                        at = cut(&mut line, tape, at - 1, &mut replay, report);
                        continue;
                    }
                    if line.is_variation && line.moves == 1 {
                        report.loss(&MOVED_VARIATION, "a variation of a first move");
                    }
                    // What stands between two variations goes behind both.
                    if !line.before_next.is_empty() {
                        report.loss(&MOVED_COMMENT, "a comment between variations");
                    }
                    line.late = Cbh2LastAnnotation::Variation;
                    let inner = Cbh2EncoderLine::new(line.before.clone(), line.parent, true);
                    outer.push(std::mem::replace(&mut line, inner));
                }
                TapeOp::End => {
                    if let Some(next) = outer.pop() {
                        let inner = std::mem::replace(&mut line, next);
                        self.close(inner, &mut line, report);
                    }
                }
                TapeOp::Nag(nag) => add_nag(&mut line, nag, report),
                TapeOp::Comment(id) => add_comment(&mut line, tape, id),
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
        self.material = material(&line.now);
    }

    /// Adds a move to its line; false where nothing stands for it.
    fn store(
        &mut self,
        line: &mut Cbh2EncoderLine<'_>,
        m: Move,
        start: &Cbh2EncodedStart,
        report: &mut CbhLossReport<'_>,
    ) -> bool {
        // One that is played in vain leaves the pieces as they are.
        let is_white = !line.now.is_black_to_move();
        let mut after = line.now.clone();
        let word = after.encode(m, start.number);
        let Some(word) = word.filter(|_| self.moves.len() < MOST_MOVES) else {
            return false;
        };
        self.finish_place(line, true, report);
        line.before = std::mem::replace(&mut line.now, after);
        line.parent = line.last;
        line.last = self.add(line.parent, word);
        line.moves += 1;
        line.is_white = is_white;
        line.late = Cbh2LastAnnotation::Nothing;
        match line.is_variation {
            true => self.has_variations = true,
            false => self.plies += 1,
        }
        for comment in std::mem::take(&mut line.before_next) {
            let note = self.text(kind::TEXT_BEFORE, &comment, report);
            self.push_note(line.last, note);
        }
        true
    }

    /// Makes annotations of what stands after the last move, now that it is known whether another one follows.
    fn finish_place(
        &mut self,
        line: &mut Cbh2EncoderLine<'_>,
        has_next: bool,
        report: &mut CbhLossReport<'_>,
    ) {
        let place = std::mem::take(&mut line.notes);
        let at = if line.moves > 0 { line.last } else { NONE };
        if line.moves > 0 || !line.is_variation {
            self.symbols(at, &place.nags);
            let mut kept = place.kept;
            // Behind variations a text would stand in another place.
            let can_wait = has_next && line.late != Cbh2LastAnnotation::Variation;
            let is_white = line.is_white;
            let (placed, left) =
                self.comments(place.comments, &mut kept, is_white, can_wait, report);
            drop(line.before_next.splice(0..0, left));
            let silent = self.silent_notes(&kept, is_white, report);
            for note in in_order(placed, silent) {
                self.push_note(at, note);
            }
        } else {
            // Before the first move of a variation there is only the text before that.
            drop(line.before_next.splice(0..0, place.comments));
            for note in &place.kept {
                report_kept(note, report);
            }
        }
        if !has_next {
            for comment in std::mem::take(&mut line.before_next) {
                report.loss(
                    &MOVED_COMMENT,
                    format!("after a variation: {:?}", comment.text),
                );
                let note = self.text(kind::TEXT_AFTER, &comment, report);
                self.push_note(at, note);
            }
        }
    }

    /// Makes notes of the comments of a place, and gives those that have to stand before the next move: only what is in front
    /// of the first text are commands, and the program shows one text of a language.
    fn comments<'g>(
        &mut self,
        comments: Vec<Cbh2Comment<'g>>,
        kept: &mut [Cbh2KeptNote<'_>],
        is_white: bool,
        can_wait: bool,
        report: &mut CbhLossReport<'_>,
    ) -> (Vec<Cbh2PlacedNote>, Vec<Cbh2Comment<'g>>) {
        let mut placed: Vec<Cbh2PlacedNote> = Vec::new();
        let mut languages: Vec<u16> = Vec::new();
        let (mut is_first, mut has_no_text) = (true, false);
        let [mut quotations, mut videos] =
            [kind::QUOTATION, kind::VIDEO].map(|of| Cbh2Candidates::of(kept, of));
        // These stand where they are, and so do texts beside them.
        let can_wait = can_wait && quotations.is_empty() && videos.is_empty();
        let mut rest = comments.into_iter();
        while let Some(comment) = rest.next() {
            let quoted =
                quotations.find(kept, |note| note.is_quotation(&comment.text, self.charset));
            if let Some((at, note)) = quoted.and_then(|at| Some((at, kept.get_mut(at)?))) {
                note.is_used = true;
                placed.push((note.note(), Some(at)));
                continue;
            }
            let mut notes = comments::cut(&comment.text, is_first, is_white, self.charset, kept);
            // A quotation is told apart from what stands before it.
            let is_last = rest.as_slice().first().is_none_or(|next| {
                quotations.has(kept, |note| note.is_quotation(&next.text, self.charset))
            });
            if notes.text.is_none() && !can_wait && !is_last {
                // They would be read in front of the next text.
                notes = comments::cut(&comment.text, false, is_white, self.charset, &[]);
            }
            let text = notes.text.as_ref();
            let video = text.and_then(|(language, text)| {
                videos.find(kept, |note| note.is_video((*language, text), self.charset))
            });
            let language = text.map(|(language, _)| *language);
            let is_hidden =
                has_no_text || language.is_some_and(|language| languages.contains(&language));
            if !is_first && can_wait && is_hidden && video.is_none() {
                let left = std::iter::once(comment).chain(rest).collect();
                return (placed, left);
            }
            is_first = false;
            languages.extend(language.filter(|_| video.is_none()));
            has_no_text |= language.is_none();
            for (_, of) in &notes.commands {
                if let Some(note) = of.and_then(|at| kept.get_mut(at)) {
                    note.is_used = true;
                }
            }
            if let Some((at, note)) = video.and_then(|at| Some((at, kept.get_mut(at)?))) {
                note.is_used = true;
                placed.push((note.note(), Some(at)));
            } else if let Some((language, text)) = notes.text {
                let original = comment.original.as_ref();
                let original = original.and_then(|bytes| bytes.get(notes.text_at..));
                let bytes = self.bytes_of(&text, original, report);
                let note = Cbh2Note::text(kind::TEXT_AFTER, comment.unknown, language, &bytes);
                placed.push((note, None));
            }
            placed.extend(notes.commands);
        }
        (placed, Vec::new())
    }

    /// A comment that is nothing but text as a note.
    fn text(&self, of: u8, comment: &Cbh2Comment<'_>, report: &mut CbhLossReport<'_>) -> Cbh2Note {
        let notes = comments::cut(&comment.text, false, true, self.charset, &[]);
        let (language, text) = notes.text.unwrap_or_default();
        let original = comment.original.as_ref();
        let original = original.and_then(|bytes| bytes.get(notes.text_at..));
        let bytes = self.bytes_of(&text, original, report);
        Cbh2Note::text(of, comment.unknown, language, &bytes)
    }

    fn bytes_of(
        &self,
        text: &str,
        original: Option<&[u8]>,
        report: &mut CbhLossReport<'_>,
    ) -> Vec<u8> {
        text_bytes(text, original, self.charset).unwrap_or_else(|| {
            report.loss(&LOST_CHARACTERS, format!("{text:?}"));
            text.as_bytes().to_vec()
        })
    }

    fn push_note(&mut self, at: u32, note: Cbh2Note) {
        self.notes.push(Cbh2TreeNote { at, note });
    }

    /// Writes NAGs: of the move, of the position and in front of it, in this order, as many to an annotation as fit.
    fn symbols(&mut self, at: u32, nags: &[Nag]) {
        let mut slots = [0; 3];
        let mut filled = 0;
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
            if filled > place {
                all.push(std::mem::take(&mut slots));
            }
            if let Some(slot) = slots.get_mut(place) {
                *slot = byte;
            }
            filled = place + 1;
        }
        if filled > 0 {
            all.push(slots);
        }
        for slots in all {
            self.push_note(at, Cbh2Note::new(kind::SYMBOLS, slots.to_vec()));
        }
    }

    /// The annotations that were kept as bytes, but those that a comment has said.
    fn silent_notes(
        &self,
        kept: &[Cbh2KeptNote<'_>],
        is_white: bool,
        report: &mut CbhLossReport<'_>,
    ) -> Vec<Cbh2PlacedNote> {
        let mut silent = Vec::new();
        for (at, note) in kept.iter().enumerate().filter(|(_, note)| !note.is_used) {
            let mut said = String::new();
            note.say(is_white, self.charset, &mut said);
            let is_text = is_spoken(note.kind) || note.kind == kind::SYMBOLS;
            // What would be read as more than bytes, and what would hide everything behind it.
            let is_lost =
                !said.is_empty() || is_text || !annotations::is_whole(note.kind, note.payload);
            match is_lost {
                true => report_kept(note, report),
                false => silent.push((note.note(), Some(at))),
            }
        }
        silent
    }

    fn extension<'g>(
        &mut self,
        line: &mut Cbh2EncoderLine<'g>,
        tape: &'g Tape,
        index: u32,
        report: &mut CbhLossReport<'_>,
    ) {
        let Some(extension) = tape.extensions().get(index as usize) else {
            return;
        };
        let name = extension.name.as_str();
        let of = name.strip_prefix(ANNOTATION_EXTENSION);
        let of = of.and_then(|of| u8::from_str_radix(of, 16).ok());
        if let Some(of) = of {
            let word = extension.data.as_slice().try_into().map(u16::from_le_bytes);
            let comment = match line.before_next.last_mut() {
                Some(comment) => Some(comment),
                None => line.notes.comments.last_mut(),
            };
            match (of, word, comment) {
                (kind::TEXT_AFTER | kind::TEXT_BEFORE, Ok(word), Some(comment)) => {
                    comment.unknown = word;
                    return;
                }
                _ if line.late != Cbh2LastAnnotation::Variation => {
                    line.notes.kept.push(Cbh2KeptNote {
                        kind: of,
                        payload: &extension.data,
                        is_used: false,
                    });
                    return;
                }
                _ => {}
            }
        }
        let slot = match name {
            MOVES_EXTENSION => &mut self.unread.moves,
            record::AFTER_EXTENSION => &mut self.unread.after_moves,
            AFTER_EXTENSION => &mut self.unread.after_notes,
            REST_EXTENSION if self.unread.notes.is_none() => {
                self.unread.notes = unread_notes(&extension.data);
                if self.unread.notes.is_none() {
                    report.loss(&LOST_EXTENSION, name);
                }
                return;
            }
            // Those of the header are written with it.
            ANALYSIS_EXTENSION | SCORES_EXTENSION => return,
            _ => {
                report.loss(&LOST_EXTENSION, name);
                return;
            }
        };
        match slot.is_empty() {
            true => slot.extend_from_slice(&extension.data),
            false => report.loss(&LOST_EXTENSION, name),
        }
    }

    /// Ends a variation; what of one without a move could be told goes to the move that it replaces.
    fn close<'g>(
        &mut self,
        mut inner: Cbh2EncoderLine<'g>,
        outer: &mut Cbh2EncoderLine<'g>,
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
            report_kept(note, report);
        }
        for comment in std::mem::take(&mut inner.notes.comments) {
            outer.before_next.push(Cbh2Comment {
                text: Cow::Owned(format!("({})", comment.text)),
                original: None,
                unknown: 0,
            });
        }
    }

    /// Writes the moves in the order of the format, and numbers them in that of PGN.
    fn write_moves(
        &mut self,
        start: &Cbh2EncodedStart,
        content: &mut Vec<u8>,
        report: &mut CbhLossReport<'_>,
    ) {
        content.clear();
        let push = |content: &mut Vec<u8>, word: u16| content.extend(word.to_le_bytes());
        for word in &start.words {
            push(content, *word);
        }
        let moves_at = content.len();
        // The alternatives that follow later.
        let mut later: Vec<u32> = Vec::new();
        let mut lost = 0_u32;
        let mut now = self.first;
        loop {
            let Some(m) = self.moves.get_mut(now as usize) else {
                push(content, move_words::END);
                match later.pop() {
                    Some(next) => now = next,
                    None => break,
                }
                continue;
            };
            push(content, m.word);
            if m.sibling != NONE {
                if later.len() < MOST_OPEN {
                    push(content, move_words::BRANCH);
                    later.push(m.sibling);
                } else {
                    // Nobody would read further.
                    m.sibling = NONE;
                    lost += 1;
                }
            }
            now = m.first;
        }
        if lost > 0 {
            let why = format!("{lost} moves have alternatives while {MOST_OPEN} are open");
            report.loss(&LOST_VARIATION, why.clone());
            report.loss(&LOST_COMMENT, why);
        }
        self.number_moves();
        self.write_unread_moves(start, moves_at, content, report);
    }

    /// Puts the bytes that nobody could read where they stood, if they are read as such.
    fn write_unread_moves(
        &mut self,
        start: &Cbh2EncodedStart,
        moves_at: usize,
        content: &mut Vec<u8>,
        report: &mut CbhLossReport<'_>,
    ) {
        let unread = std::mem::take(&mut self.unread.moves);
        if !unread.is_empty() {
            // In the place of the last end.
            let known = content.len().saturating_sub(2);
            let mut whole = content.get(..known).unwrap_or(&[]).to_vec();
            whole.extend_from_slice(&unread);
            let stream = whole.get(moves_at..).unwrap_or(&[]);
            let mut tree = CbhMoveTree::default();
            let read = moves::decode(
                stream,
                &start.pieces,
                None,
                true,
                &mut self.memory,
                &mut tree,
                &mut |_, _| {},
            );
            let is_same = read == known - moves_at && tree.len() == self.moves.len();
            match is_same && !self.has_variations && self.unread.after_moves.is_empty() {
                true => *content = whole,
                false => report.loss(&LOST_EXTENSION, MOVES_EXTENSION),
            }
        }
        content.append(&mut self.unread.after_moves);
        if content.len() > MOST_CONTENT {
            // Moves alone are never so many.
            report.loss(&LOST_EXTENSION, "the record has more than 64 MB");
            content.truncate(moves_at);
            content.extend(move_words::END.to_le_bytes());
            self.clear();
        }
    }

    /// Numbers the moves as PGN prints them: each alternative, with all behind it, after the move that it replaces.
    fn number_moves(&mut self) {
        /// What comes next: what follows a move, or a move with that.
        #[derive(Copy, Clone)]
        enum Cbh2NumberStep {
            Behind(u32),
            From(u32),
        }
        let mut count = 0;
        let mut number = |moves: &mut Vec<Cbh2TreeMove>, at: u32| {
            if let Some(m) = moves.get_mut(at as usize) {
                m.number = count;
                count += 1;
            }
        };
        let mut steps = vec![Cbh2NumberStep::Behind(NONE)];
        let mut others = Vec::new();
        while let Some(step) = steps.pop() {
            let at = match step {
                Cbh2NumberStep::From(at) => {
                    number(&mut self.moves, at);
                    steps.push(Cbh2NumberStep::Behind(at));
                    continue;
                }
                Cbh2NumberStep::Behind(at) => at,
            };
            let next = match self.moves.get(at as usize) {
                Some(m) => m.first,
                None => self.first,
            };
            let Some(mut sibling) = self.moves.get(next as usize).map(|m| m.sibling) else {
                continue;
            };
            number(&mut self.moves, next);
            steps.push(Cbh2NumberStep::Behind(next));
            while let Some(m) = self.moves.get(sibling as usize) {
                others.push(Cbh2NumberStep::From(sibling));
                sibling = m.sibling;
            }
            steps.extend(others.drain(..).rev());
        }
    }

    /// Writes the annotations in the order of their moves.
    fn write_notes(&mut self, content: &mut Vec<u8>, report: &mut CbhLossReport<'_>) {
        content.clear();
        let moves = &self.moves;
        // A move that is not written has no number, and its annotations were told as lost.
        self.notes.retain(|note| {
            let m = moves.get(note.at as usize);
            m.is_none_or(|m| m.number != NONE)
        });
        let place = |note: &Cbh2TreeNote| match moves.get(note.at as usize) {
            Some(m) => i32::try_from(m.number).unwrap_or(i32::MAX - 1),
            None => -1,
        };
        let rank = |of| match of {
            kind::TEXT_BEFORE => 0,
            kind::SYMBOLS => 1,
            _ => 2,
        };
        self.notes
            .sort_by_key(|note| (place(note), rank(note.note.kind)));
        let mut lost = 0_u64;
        let mut size = 0_usize;
        self.notes.retain(|note| {
            let own = note.note.payload.len() + 10;
            let fits = size + own <= MOST_CONTENT - 64;
            size += if fits { own } else { 0 };
            lost += u64::from(!fits);
            fits
        });
        let unread = self.unread.notes.take().filter(|(at, items, bytes)| {
            let last = self.notes.last().map_or(-1, place);
            let fits = (*items == 0 || last <= *at) && size + bytes.len() <= MOST_CONTENT - 64;
            if !fits {
                report.loss(&LOST_EXTENSION, REST_EXTENSION);
            }
            fits
        });
        if lost > 0 {
            report.loss(&LOST_COMMENT, format!("{lost} annotations"));
            report.loss(&LOST_NAG, format!("{lost} annotations"));
        }
        let of_rest = |at: i32| match &unread {
            Some((place, items, _)) if *place == at => (*items).max(0),
            _ => 0,
        };
        let mut last = None;
        for block in self.notes.chunk_by(|a, b| place(a) == place(b)) {
            let at = block.first().map_or(-1, place);
            last = Some(at);
            let count = i32::try_from(block.len()).unwrap_or(i32::MAX);
            content.extend(at.to_le_bytes());
            content.extend(count.saturating_add(of_rest(at)).to_le_bytes());
            for own in block {
                content.extend(u16::from(own.note.kind).to_le_bytes());
                content.extend_from_slice(&own.note.payload);
            }
        }
        match &unread {
            None => {
                content.extend(END.to_le_bytes());
                content.append(&mut self.unread.after_notes);
            }
            Some((at, items, bytes)) => {
                if *items > 0 && last != Some(*at) {
                    content.extend(at.to_le_bytes());
                    content.extend(items.to_le_bytes());
                }
                content.extend_from_slice(bytes);
            }
        }
        self.unread.notes = unread;
    }
}

/// Place, items and bytes of annotations that could not be read.
fn unread_notes(data: &[u8]) -> Option<(i32, i32, Vec<u8>)> {
    let (place, rest) = data.split_first_chunk()?;
    let (items, bytes) = rest.split_first_chunk()?;
    let (place, items) = (i32::from_le_bytes(*place), i32::from_le_bytes(*items));
    Some((place, items, bytes.to_vec()))
}

/// The bit of a header's flags for annotations of a type.
fn flag_of(of: u8) -> Option<usize> {
    Some(match of {
        kind::TEXT_AFTER | kind::TEXT_BEFORE => 2,
        kind::SYMBOLS => 3,
        kind::SQUARES => 4,
        kind::ARROWS => 5,
        kind::TIME_SPENT => 7,
        kind::UNKNOWN_08 => 8,
        kind::TRAINING => 9,
        0x10 => 16,
        0x11 => 17,
        0x12 => 18,
        kind::QUOTATION => 19,
        kind::PAWN_STRUCTURE => 20,
        kind::PIECE_PATH => 21,
        kind::WHITE_CLOCK => 22,
        kind::BLACK_CLOCK => 23,
        kind::CRITICAL => 24,
        0x19 => 25,
        0x1a => 26,
        kind::LINK => 28,
        _ => return None,
    })
}

/// The material of both sides, the greater value first.
fn material(pieces: &Cbh2StartPieces) -> [u32; 2] {
    let mut both = [Color::White, Color::Black].map(|color| pieces.material(color));
    both.sort_unstable_by(|a, b| b.cmp(a));
    both
}

fn report_kept(note: &Cbh2KeptNote<'_>, report: &mut CbhLossReport<'_>) {
    let what = format!("annotation of type {:02x}", note.kind);
    report.loss(&LOST_EXTENSION, what);
}

/// Keeps as text what a line cannot hold from an operation on, all of its variations with it; gives the index of the
/// operation to go on with.
fn cut(
    line: &mut Cbh2EncoderLine<'_>,
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

fn kind_of_cut(line: &Cbh2EncoderLine<'_>) -> &'static LossKind {
    match line.is_variation {
        true => &LOST_VARIATION,
        false => &LOST_MOVES,
    }
}

/// Adds text of our own after the last move.
fn add_text(line: &mut Cbh2EncoderLine<'_>, text: String) {
    line.notes.comments.push(Cbh2Comment {
        text: Cow::Owned(text),
        original: None,
        unknown: 0,
    });
    line.late = line.late.max(Cbh2LastAnnotation::Comment);
}

fn add_comment<'g>(line: &mut Cbh2EncoderLine<'g>, tape: &'g Tape, id: TextId) {
    let texts = tape.texts();
    let comment = Cbh2Comment {
        text: Cow::Borrowed(tape.text(id)),
        original: texts
            .provenance(id)
            .map(|_| texts.original(id).into_owned()),
        unknown: 0,
    };
    if line.late == Cbh2LastAnnotation::Variation {
        line.before_next.push(comment);
    } else {
        line.notes.comments.push(comment);
        line.late = Cbh2LastAnnotation::Comment;
    }
}

fn add_nag(line: &mut Cbh2EncoderLine<'_>, nag: Nag, report: &mut CbhLossReport<'_>) {
    if !(1..=255).contains(&nag.0) || (line.is_variation && line.moves == 0) {
        report.loss(&LOST_NAG, format!("${}", nag.0));
        return;
    }
    if line.late == Cbh2LastAnnotation::Variation {
        report.loss(&MOVED_NAG, format!("${} after a variation", nag.0));
    }
    if line.late != Cbh2LastAnnotation::Nothing {
        report.loss(&MOVED_COMMENT, format!("${} after it", nag.0));
    }
    line.notes.nags.push(nag);
}
