//! A tape to the moves of a record and its annotations.
//!
//! The tape is turned into a tree whose moves have their numbers already: a number depends on the way to its move alone. The
//! tree is then written in the order of the format; annotations know moves by their order in PGN.

use shakmaty::Color;
use tabiya_codec::fact_losses::StartTags;
use tabiya_model::charset::Charset;
use tabiya_model::tape::TapeExtension;
use tabiya_model::{Game, Move};

use super::comments::{self, is_quotation, is_spoken, is_video};
use super::note_order::{Cbh2Candidates, Cbh2PlacedNote, in_order};
use super::notes::Cbh2Note;
use super::start::Cbh2EncodedStart;
use super::texts::text_bytes;
use super::{Cbh2GameParts, Cbh2HeaderPart};
use crate::cbh::moves::{CbhMoveTree, NO_MOVE};
use crate::cbh2::annotated_moves::{AFTER_EXTENSION, REST_EXTENSION};
use crate::cbh2::annotations::{self, END, kind};
use crate::cbh2::layout::{
    CHESS960_ECO, Cbh2GameRecord, FLAG_CHESS960, FLAG_SETUP, FLAG_VARIATIONS, MOST_CONTENT,
};
use crate::cbh2::losses::{
    LOST_CHARACTERS, LOST_COMMENT, LOST_EXTENSION, LOST_NAG, LOST_VARIATION,
};
use crate::cbh2::move_words;
use crate::cbh2::moves::{self, Cbh2MoveMemory, Cbh2StartPieces, MOST_MOVES, MOST_OPEN};
use crate::cbh2::record::{self, ANALYSIS_EXTENSION, MOVES_EXTENSION, SCORES_EXTENSION};
use crate::counted::counted;
use crate::encode::CbhLossReport;
use crate::encode::tree::{CbhTapeMove, CbhTapeNote, CbhTapePlace, CbhTapeTree};
use crate::encode::walk::{CbhComment, CbhKeptNote, CbhPlaceNotes, CbhTapeCodes, CbhTapeWalk};

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

/// What stands for moves and annotations of one game.
struct Cbh2MovetextCodes {
    charset: Option<Charset>,
    /// The number of the start, by which castling is written.
    start: Option<u16>,
    unread: Cbh2UnreadBytes,
}

impl CbhTapeCodes for Cbh2MovetextCodes {
    type Pieces = Cbh2StartPieces;
    type Code = u16;
    type Note = Cbh2Note;

    const ANNOTATION: &'static str = "2cbh.annotation-";
    const MOST_MOVES: usize = MOST_MOVES;

    fn is_white_to_move(pieces: &Cbh2StartPieces) -> bool {
        !pieces.is_black_to_move()
    }

    fn encode(&self, pieces: &mut Cbh2StartPieces, m: Move) -> Option<u16> {
        pieces.encode(m, self.start)
    }

    fn annotate<'g>(
        &self,
        notes: CbhPlaceNotes<'g>,
        is_white: bool,
        can_wait: bool,
        place: &mut CbhTapePlace<'_, Cbh2Note>,
        report: &mut CbhLossReport<'_>,
    ) -> Vec<CbhComment<'g>> {
        for mut payload in notes.symbols() {
            payload.resize(3, 0);
            place.push(Cbh2Note::new(kind::SYMBOLS, payload));
        }
        let CbhPlaceNotes {
            comments, mut kept, ..
        } = notes;
        let (placed, left) = self.comments(comments, &mut kept, is_white, can_wait, report);
        let silent = self.silent_notes(&kept, is_white, report);
        for note in in_order(placed, silent) {
            place.push(note);
        }
        left
    }

    fn text(
        &self,
        kind: u8,
        comment: &CbhComment<'_>,
        place: &mut CbhTapePlace<'_, Cbh2Note>,
        report: &mut CbhLossReport<'_>,
    ) {
        let notes = comments::cut(&comment.text, false, true, self.charset, &[]);
        let (language, text) = notes.text.unwrap_or_default();
        let original = comment.original_from(notes.text_at);
        let bytes = self.bytes_of(&text, original, report);
        place.push(Cbh2Note::text(kind, comment.unknown, language, &bytes));
    }

    fn word(kind: u8, data: &[u8]) -> Option<u16> {
        let is_text = matches!(kind, kind::TEXT_AFTER | kind::TEXT_BEFORE);
        let word = data.try_into().ok().filter(|_| is_text);
        word.map(u16::from_le_bytes)
    }

    fn extension(&mut self, extension: &TapeExtension, report: &mut CbhLossReport<'_>) {
        let name = extension.name.as_str();
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
}

impl Cbh2MovetextCodes {
    /// Makes notes of the comments of a place, and gives those that have to stand before the next move: only what is in front
    /// of the first text are commands, and the program shows one text of a language.
    fn comments<'g>(
        &self,
        comments: Vec<CbhComment<'g>>,
        kept: &mut [CbhKeptNote<'_>],
        is_white: bool,
        can_wait: bool,
        report: &mut CbhLossReport<'_>,
    ) -> (Vec<Cbh2PlacedNote>, Vec<CbhComment<'g>>) {
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
                quotations.find(kept, |note| is_quotation(note, &comment.text, self.charset));
            if let Some((at, note)) = quoted.and_then(|at| Some((at, kept.get_mut(at)?))) {
                note.is_used = true;
                placed.push((Cbh2Note::of_kept(note), Some(at)));
                continue;
            }
            let mut notes = comments::cut(&comment.text, is_first, is_white, self.charset, kept);
            // A quotation is told apart from what stands before it.
            let is_last = rest.as_slice().first().is_none_or(|next| {
                quotations.has(kept, |note| is_quotation(note, &next.text, self.charset))
            });
            if notes.text.is_none() && !can_wait && !is_last {
                // They would be read in front of the next text.
                notes = comments::cut(&comment.text, false, is_white, self.charset, &[]);
            }
            let text = notes.text.as_ref();
            let video = text.and_then(|(language, text)| {
                videos.find(kept, |note| is_video(note, (*language, text), self.charset))
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
                placed.push((Cbh2Note::of_kept(note), Some(at)));
            } else if let Some((language, text)) = notes.text {
                let original = comment.original_from(notes.text_at);
                let bytes = self.bytes_of(&text, original, report);
                let note = Cbh2Note::text(kind::TEXT_AFTER, comment.unknown, language, &bytes);
                placed.push((note, None));
            }
            placed.extend(notes.commands);
        }
        (placed, Vec::new())
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

    /// The annotations that were kept as bytes, but those that a comment has said.
    fn silent_notes(
        &self,
        kept: &[CbhKeptNote<'_>],
        is_white: bool,
        report: &mut CbhLossReport<'_>,
    ) -> Vec<Cbh2PlacedNote> {
        let mut silent = Vec::new();
        for (at, note) in kept.iter().enumerate().filter(|(_, note)| !note.is_used) {
            let mut said = String::new();
            comments::say_kept(note, is_white, self.charset, &mut said);
            let is_text = is_spoken(note.kind) || note.kind == kind::SYMBOLS;
            // What would be read as more than bytes, and what would hide everything behind it.
            let is_lost =
                !said.is_empty() || is_text || !annotations::is_whole(note.kind, note.payload);
            match is_lost {
                true => report.lost_annotation(note.kind),
                false => silent.push((Cbh2Note::of_kept(note), Some(at))),
            }
        }
        silent
    }
}

/// Encodes the movetext of games and keeps its buffers.
pub(super) struct Cbh2MovetextEncoder {
    charset: Option<Charset>,
    tree: CbhTapeTree<u16, Cbh2Note>,
    memory: Cbh2MoveMemory,
}

impl Cbh2MovetextEncoder {
    pub(super) fn new(charset: Option<Charset>) -> Cbh2MovetextEncoder {
        Cbh2MovetextEncoder {
            charset,
            tree: CbhTapeTree::default(),
            memory: Cbh2MoveMemory::default(),
        }
    }

    /// Fills in moves and annotations and what the header says of them. Says whether there is nothing but moves from the
    /// usual start, which are known to be read as they are.
    pub(super) fn encode(
        &mut self,
        game: &Game,
        parts: &mut Cbh2GameParts,
        report: &mut CbhLossReport<'_>,
    ) -> bool {
        self.tree.clear();
        let start = Cbh2EncodedStart::of(game, report);
        let has_position = start.words.len() > 1;
        let fen = has_position.then(|| start.board.to_fen());
        let told = StartTags {
            fen: fen.as_deref(),
            setup: start.is_whole,
            variant: true,
        };
        told.report(game, report.losses);
        let mut codes = Cbh2MovetextCodes {
            charset: self.charset,
            start: start.number,
            unread: Cbh2UnreadBytes::default(),
        };
        let mut walk = CbhTapeWalk {
            codes: &mut codes,
            tree: &mut self.tree,
            report,
        };
        let (is_plain, pieces) = walk.run(game, &start.pieces, start.is_whole);
        let unread = &mut codes.unread;
        parts.tag = start.tag;
        self.write_moves(&start, unread, &mut parts.moves, report);
        self.write_notes(unread, &mut parts.notes, report);
        if let Cbh2HeaderPart::Game(header) = &mut parts.header {
            self.fill_header(&start, unread, header);
            header.material = material(&pieces);
        }
        is_plain && !has_position && start.number.is_none()
    }

    /// What the header says of the moves and the annotations.
    fn fill_header(
        &self,
        start: &Cbh2EncodedStart,
        unread: &Cbh2UnreadBytes,
        header: &mut Cbh2GameRecord,
    ) {
        let starts_black = u32::from(start.board.turn() == Color::Black);
        let numbers = match self.tree.plies {
            0 => 0,
            plies => (plies + 1 + starts_black) / 2,
        };
        header.move_count = i16::try_from(numbers).unwrap_or(i16::MAX);
        if start.is_setup {
            header.flags |= FLAG_SETUP;
        }
        if self.tree.variation_moves > 0 {
            header.flags |= FLAG_VARIATIONS;
        }
        if let Some(number) = start.number {
            header.flags |= FLAG_CHESS960;
            // A game of Chess960 has the number of its start in the place of the opening.
            header.eco = CHESS960_ECO.saturating_add(number);
        }
        let mut counts = [0_u32; 32];
        let mut letters = 0_usize;
        let rest = unread.notes.iter().filter(|(_, items, _)| *items > 0);
        let unread = rest.filter_map(|(_, _, bytes)| bytes.first().copied());
        for of in self
            .tree
            .notes
            .iter()
            .map(|own| own.note.kind)
            .chain(unread)
        {
            let bit = flag_of(of);
            if let Some(count) = bit.and_then(|bit| counts.get_mut(bit)) {
                *count += 1;
            }
        }
        for own in &self.tree.notes {
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

    /// Writes the moves in the order of the format, and numbers them in that of PGN.
    fn write_moves(
        &mut self,
        start: &Cbh2EncodedStart,
        unread: &mut Cbh2UnreadBytes,
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
        let mut now = self.tree.first;
        loop {
            let Some(m) = self.tree.moves.get_mut(now as usize) else {
                push(content, move_words::END);
                match later.pop() {
                    Some(next) => now = next,
                    None => break,
                }
                continue;
            };
            push(content, m.code);
            if m.sibling != NO_MOVE {
                if later.len() < MOST_OPEN {
                    push(content, move_words::BRANCH);
                    later.push(m.sibling);
                } else {
                    // Nobody would read further.
                    m.sibling = NO_MOVE;
                    lost += 1;
                }
            }
            now = m.first;
        }
        if lost > 0 {
            let moves = counted(lost, "move has", "moves have");
            let why = format!("{moves} alternatives while {MOST_OPEN} are open");
            report.loss(&LOST_VARIATION, why.clone());
            report.loss(&LOST_COMMENT, why);
        }
        self.number_moves();
        self.write_unread_moves(start, unread, moves_at, content, report);
    }

    /// Puts the bytes that nobody could read where they stood, if they are read as such.
    fn write_unread_moves(
        &mut self,
        start: &Cbh2EncodedStart,
        unread: &mut Cbh2UnreadBytes,
        moves_at: usize,
        content: &mut Vec<u8>,
        report: &mut CbhLossReport<'_>,
    ) {
        if !unread.moves.is_empty() {
            // In the place of the last end.
            let known = content.len().saturating_sub(2);
            let mut whole = content.get(..known).unwrap_or(&[]).to_vec();
            whole.extend_from_slice(&unread.moves);
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
            let is_same = read == known - moves_at && tree.len() == self.tree.moves.len();
            let has_variations = self.tree.variation_moves > 0;
            match is_same && !has_variations && unread.after_moves.is_empty() {
                true => *content = whole,
                false => report.loss(&LOST_EXTENSION, MOVES_EXTENSION),
            }
        }
        content.append(&mut unread.after_moves);
        if content.len() > MOST_CONTENT {
            // Moves alone are never so many.
            report.loss(&LOST_EXTENSION, "the record has more than 64 MB");
            content.truncate(moves_at);
            content.extend(move_words::END.to_le_bytes());
            self.tree.clear();
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
        let mut number = |moves: &mut Vec<CbhTapeMove<u16>>, at: u32| {
            if let Some(m) = moves.get_mut(at as usize) {
                m.number = count;
                count += 1;
            }
        };
        let mut steps = vec![Cbh2NumberStep::Behind(NO_MOVE)];
        let mut others = Vec::new();
        while let Some(step) = steps.pop() {
            let at = match step {
                Cbh2NumberStep::From(at) => {
                    number(&mut self.tree.moves, at);
                    steps.push(Cbh2NumberStep::Behind(at));
                    continue;
                }
                Cbh2NumberStep::Behind(at) => at,
            };
            let next = match self.tree.moves.get(at as usize) {
                Some(m) => m.first,
                None => self.tree.first,
            };
            let Some(mut sibling) = self.tree.moves.get(next as usize).map(|m| m.sibling) else {
                continue;
            };
            number(&mut self.tree.moves, next);
            steps.push(Cbh2NumberStep::Behind(next));
            while let Some(m) = self.tree.moves.get(sibling as usize) {
                others.push(Cbh2NumberStep::From(sibling));
                sibling = m.sibling;
            }
            steps.extend(others.drain(..).rev());
        }
    }

    /// Writes the annotations in the order of their moves.
    fn write_notes(
        &mut self,
        unread: &mut Cbh2UnreadBytes,
        content: &mut Vec<u8>,
        report: &mut CbhLossReport<'_>,
    ) {
        content.clear();
        let CbhTapeTree { moves, notes, .. } = &mut self.tree;
        // A move that is not written has no number, and its annotations were told as lost.
        notes.retain(|note| {
            let m = moves.get(note.at as usize);
            m.is_none_or(|m| m.number != NO_MOVE)
        });
        let place = |note: &CbhTapeNote<Cbh2Note>| match moves.get(note.at as usize) {
            Some(m) => i32::try_from(m.number).unwrap_or(i32::MAX - 1),
            None => -1,
        };
        let rank = |of| match of {
            kind::TEXT_BEFORE => 0,
            kind::SYMBOLS => 1,
            _ => 2,
        };
        notes.sort_by_key(|note| (place(note), rank(note.note.kind)));
        let mut lost = 0_u64;
        let mut size = 0_usize;
        notes.retain(|note| {
            let own = note.note.payload.len() + 10;
            let fits = size + own <= MOST_CONTENT - 64;
            size += if fits { own } else { 0 };
            lost += u64::from(!fits);
            fits
        });
        let rest = unread.notes.take().filter(|(at, items, bytes)| {
            let last = notes.last().map_or(-1, place);
            let fits = (*items == 0 || last <= *at) && size + bytes.len() <= MOST_CONTENT - 64;
            if !fits {
                report.loss(&LOST_EXTENSION, REST_EXTENSION);
            }
            fits
        });
        if lost > 0 {
            let what = counted(lost, "annotation", "annotations");
            report.loss(&LOST_COMMENT, what.clone());
            report.loss(&LOST_NAG, what);
        }
        let of_rest = |at: i32| match &rest {
            Some((place, items, _)) if *place == at => (*items).max(0),
            _ => 0,
        };
        let mut last = None;
        for block in notes.chunk_by(|a, b| place(a) == place(b)) {
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
        match &rest {
            None => {
                content.extend(END.to_le_bytes());
                content.append(&mut unread.after_notes);
            }
            Some((at, items, bytes)) => {
                if *items > 0 && last != Some(*at) {
                    content.extend(at.to_le_bytes());
                    content.extend(items.to_le_bytes());
                }
                content.extend_from_slice(bytes);
            }
        }
        unread.notes = rest;
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
