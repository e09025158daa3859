//! A tape to the move area and the comment area.
//!
//! Each move has at most one comment record with three symbols and one text, right after the move. So the tape is first
//! turned into a list of moves and marks with notes beside the moves, and the two areas are made of that.

use std::borrow::Cow;

use tabiya_model::board::Board;
use tabiya_model::nag::Nag;
use tabiya_model::text::TextId;
use tabiya_model::{Game, LossKind, Losses, Move, Tape, TapeOp};

use crate::cbf::charset::{COMMENT_END, CbfCharset, CbfTextKind};
use crate::cbf::comments::{code_of, nag_of, nearest_nag};
use crate::cbf::layout::{COMMENTS_MAX, MOVES_MAX};
use crate::cbf::losses::{
    LOST_BYTES, LOST_CHARACTERS, LOST_COMMENT, LOST_EXTENSION, LOST_MOVES, LOST_NAG, LOST_OUTCOME,
    LOST_VARIATION, MOVED_COMMENT, MOVED_NAG,
};
use crate::cbf::moves::{CbfEnPassant, number_of};
use crate::cbf::record::{BEGIN, COMMENTS_EXTENSION, END, MOVES_EXTENSION, SYMBOLS_EXTENSION, hex};
use crate::fallback_text::render;

/// The highest number of a move.
const NUMBER_MAX: u32 = 127;

/// Characters of a line's rest that a message shows.
const SHOWN: usize = 80;

/// A step of the stored game.
#[derive(Copy, Clone)]
enum CbfMoveItem {
    /// A move's number, and its note's place if it has one.
    Move(u8, Option<u32>),
    Begin,
    End,
}

/// What stands at a move.
#[derive(Default)]
struct CbfMoveNote {
    nags: Vec<Nag>,
    /// The codes as they stood, where they were kept.
    codes: Option<[u8; 4]>,
    text: Option<CbfNoteText>,
}

/// The text of a note, with the bytes that it had if it is one comment.
struct CbfNoteText {
    text: String,
    original: Vec<u8>,
}

/// A line that is being written.
struct CbfEncoderLine {
    now: Board,
    before: Board,
    en_passant: CbfEnPassant,
    en_passant_before: CbfEnPassant,
    /// The last stored move's item.
    last: Option<usize>,
    /// Where the line's items begin, its mark included.
    start: usize,
    /// Text that stands before the first move.
    early: Option<CbfNoteText>,
    /// Whether a part of it could not be stored, which was reported.
    is_cut: bool,
    /// Whether something other than NAGs has stood after the last move, so that more of it comes late.
    late: CbfLastAnnotation,
}

/// What has stood after the last move.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CbfLastAnnotation {
    Nothing,
    Comment,
    Variation,
}

impl CbfEncoderLine {
    fn new(board: Board, en_passant: CbfEnPassant, start: usize) -> CbfEncoderLine {
        CbfEncoderLine {
            before: board.clone(),
            now: board,
            en_passant,
            en_passant_before: en_passant,
            last: None,
            start,
            early: None,
            is_cut: false,
            late: CbfLastAnnotation::Nothing,
        }
    }
}

/// Encodes the movetext of games and keeps its buffers.
pub(super) struct CbfMovetextEncoder {
    letters: CbfCharset,
    /// The move area, not encrypted.
    pub moves: Vec<u8>,
    /// The comment area.
    pub comments: Vec<u8>,
    /// Stored plies of the main line, with one for White's where Black begins.
    plies: usize,
    /// Whether the king that is not to move is in check at the start: then readers take a king that stays there for one
    /// that was taken.
    is_exposed: bool,
    items: Vec<CbfMoveItem>,
    notes: Vec<CbfMoveNote>,
    outer: Vec<CbfEncoderLine>,
}

impl CbfMovetextEncoder {
    pub(super) fn new(letters: CbfCharset) -> CbfMovetextEncoder {
        CbfMovetextEncoder {
            letters,
            moves: Vec::new(),
            comments: Vec::new(),
            plies: 0,
            is_exposed: false,
            items: Vec::new(),
            notes: Vec::new(),
            outer: Vec::new(),
        }
    }

    /// Full moves of the main line as the header counts them.
    pub(super) fn full_moves(&self) -> usize {
        self.plies.div_ceil(2)
    }

    /// How many texts are longer than so many bytes.
    pub(super) fn long_comments(&self, bytes: usize) -> u64 {
        if self.comments.len() <= bytes {
            return 0;
        }
        let records = self.comments.split(|byte| *byte == COMMENT_END);
        records.filter(|record| record.len() > bytes + 4).count() as u64
    }

    /// Fills both areas with the moves of a game and reports what they do not hold.
    pub(super) fn encode(
        &mut self,
        game: &Game,
        start: Board,
        en_passant: CbfEnPassant,
        losses: &mut Losses,
    ) {
        self.items.clear();
        self.notes.clear();
        self.outer.clear();
        self.plies = usize::from(start.turn().is_black());
        self.is_exposed = start.is_exposed();
        let tape = &game.tape;
        let mut report = CbfLossReport {
            losses,
            number: game.origin.number,
        };
        let mut line = CbfEncoderLine::new(start, en_passant, 0);
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                TapeOp::Move(m) => {
                    if let Err(why) = self.store(&mut line, m) {
                        at = self.cut(&mut line, tape, at - 1, why, &mut report);
                    }
                }
                TapeOp::Begin(_) => {
                    if line.last.is_none() {
                        let why = "it replaces no move";
                        at = self.cut(&mut line, tape, at - 1, why, &mut report);
                        continue;
                    }
                    let inner = CbfEncoderLine::new(
                        line.before.clone(),
                        line.en_passant_before,
                        self.items.len(),
                    );
                    self.items.push(CbfMoveItem::Begin);
                    line.late = CbfLastAnnotation::Variation;
                    self.outer.push(std::mem::replace(&mut line, inner));
                }
                TapeOp::End => {
                    if let Some(outer) = self.outer.pop() {
                        let inner = std::mem::replace(&mut line, outer);
                        self.close(inner, &mut line, &mut report);
                    }
                }
                TapeOp::Nag(Nag(0)) => report.loss(&LOST_NAG, || "$0".to_owned()),
                TapeOp::Nag(nag) => self.nag(&mut line, nag, &mut report),
                TapeOp::Comment(id) => self.comment(&mut line, tape, id, &mut report),
                TapeOp::Raw(id) => {
                    report.loss(self.kind_of_cut(), || {
                        format!("unreadable {:?}", tape.text(id))
                    });
                    line.is_cut = true;
                    self.add_text(&mut line, tape.text(id));
                }
                TapeOp::Ext(index) => self.extension(&line, tape, index, &mut report),
                TapeOp::Outcome(outcome) => {
                    report.loss(&LOST_OUTCOME, || outcome.as_pgn().to_owned())
                }
            }
        }
        while let Some(outer) = self.outer.pop() {
            let inner = std::mem::replace(&mut line, outer);
            self.close(inner, &mut line, &mut report);
        }
        self.emit(line.early.as_ref(), &mut report);
    }

    fn kind_of_cut(&self) -> &'static LossKind {
        if self.outer.is_empty() {
            &LOST_MOVES
        } else {
            &LOST_VARIATION
        }
    }

    /// Keeps as text what a line cannot hold from an operation on, all of its variations with it; gives the index
    /// of the operation to go on with.
    fn cut(
        &mut self,
        line: &mut CbfEncoderLine,
        tape: &Tape,
        from: usize,
        why: &str,
        report: &mut CbfLossReport<'_>,
    ) -> usize {
        let mut text = String::new();
        let end = render(tape, from, &line.now, &mut text);
        let kind = match tape.get(from) {
            Some(TapeOp::Begin(_)) => &LOST_VARIATION,
            _ => self.kind_of_cut(),
        };
        report.loss(kind, || {
            let beginning: String = text.chars().take(SHOWN).collect();
            format!("{why}, from {beginning} on")
        });
        line.is_cut = true;
        self.add_text(line, &text);
        end
    }

    /// Adds a move to its line, or says why that cannot be.
    #[inline]
    fn store(&mut self, line: &mut CbfEncoderLine, m: Move) -> Result<(), &'static str> {
        if m.is_null() {
            return Err("null move");
        }
        let Some(number) = number_of(&line.now, line.en_passant, m) else {
            return Err("not a move of the format");
        };
        if m.is_en_passant() && line.now.ep_square() != Some(m.to()) {
            return Err("no en passant capture possible");
        }
        let number = match u8::try_from(number) {
            Ok(byte) if number <= NUMBER_MAX => byte,
            _ => return Err("more moves than the format allows"),
        };
        line.before.clone_from(&line.now);
        // As a reader plays it, whose move knows for itself what is taken.
        line.now.play(m);
        if self.is_exposed && line.now.is_exposed() {
            line.now.clone_from(&line.before);
            return Err("illegal move");
        }
        line.en_passant_before = line.en_passant;
        line.en_passant = line.en_passant.after(m);
        line.last = Some(self.items.len());
        line.late = CbfLastAnnotation::Nothing;
        self.items.push(CbfMoveItem::Move(number, None));
        // The main line has a place of its own for what stands before it.
        if !self.outer.is_empty()
            && let Some(early) = line.early.take()
        {
            self.add_text(line, &early.text);
        }
        self.plies += usize::from(self.outer.is_empty());
        Ok(())
    }

    /// Ends a variation; what of it could not be stored goes to the text of its last move, or of the replaced one.
    fn close(
        &mut self,
        mut inner: CbfEncoderLine,
        outer: &mut CbfEncoderLine,
        report: &mut CbfLossReport<'_>,
    ) {
        if inner.last.is_some() {
            self.items.push(CbfMoveItem::End);
            return;
        }
        self.items.truncate(inner.start);
        if !inner.is_cut {
            report.loss(&LOST_VARIATION, || "it has no move".to_owned());
        }
        if let Some(early) = inner.early.take() {
            self.add_text(outer, &format!("({})", early.text));
        }
    }

    /// The note of the last move of a line.
    fn note(&mut self, line: &CbfEncoderLine) -> Option<&mut CbfMoveNote> {
        let CbfMoveItem::Move(_, note) = self.items.get_mut(line.last?)? else {
            return None;
        };
        let at = match *note {
            Some(at) => at,
            None => {
                let at = u32::try_from(self.notes.len()).ok()?;
                *note = Some(at);
                self.notes.push(CbfMoveNote::default());
                at
            }
        };
        self.notes.get_mut(usize::try_from(at).ok()?)
    }

    /// Adds text to the last move of a line, or keeps it for the first one.
    fn add_text(&mut self, line: &mut CbfEncoderLine, text: &str) {
        self.add(line, text, &[]);
    }

    fn add(&mut self, line: &mut CbfEncoderLine, text: &str, original: &[u8]) {
        let place = match self.note(line) {
            Some(note) => &mut note.text,
            None => &mut line.early,
        };
        match place {
            Some(known) => {
                known.text.push(' ');
                known.text.push_str(text);
                known.original.clear();
            }
            None => {
                *place = Some(CbfNoteText {
                    text: text.to_owned(),
                    original: original.to_vec(),
                });
            }
        }
    }

    fn nag(&mut self, line: &mut CbfEncoderLine, nag: Nag, report: &mut CbfLossReport<'_>) {
        if line.late == CbfLastAnnotation::Variation {
            report.loss(&MOVED_NAG, || format!("${} after a variation", nag.0));
        }
        if line.late != CbfLastAnnotation::Nothing {
            report.loss(&MOVED_COMMENT, || format!("${} after it", nag.0));
        }
        match self.note(line) {
            Some(note) => note.nags.push(nag),
            None => report.loss(&LOST_NAG, || format!("${} before any move", nag.0)),
        }
    }

    fn comment(
        &mut self,
        line: &mut CbfEncoderLine,
        tape: &Tape,
        id: TextId,
        report: &mut CbfLossReport<'_>,
    ) {
        let text = tape.text(id);
        let is_first = line.last.is_none();
        if is_first && (!self.outer.is_empty() || line.early.is_some()) {
            report.loss(&MOVED_COMMENT, || {
                format!("before the first move: {text:?}")
            });
        } else if line.late != CbfLastAnnotation::Nothing {
            report.loss(&MOVED_COMMENT, || format!("joined or moved: {text:?}"));
        }
        let texts = tape.texts();
        // What was UTF-8 has no bytes of its own: its line breaks are others than those of this format.
        let original = match texts.provenance(id) {
            Some(_) => texts.original(id),
            None => Cow::default(),
        };
        self.add(line, text, &original);
        if line.last.is_some() {
            line.late = line.late.max(CbfLastAnnotation::Comment);
        }
    }

    fn extension(
        &mut self,
        line: &CbfEncoderLine,
        tape: &Tape,
        index: u32,
        report: &mut CbfLossReport<'_>,
    ) {
        let Some(extension) = tape.extensions().get(index as usize) else {
            return;
        };
        if extension.name == SYMBOLS_EXTENSION
            && line.late == CbfLastAnnotation::Nothing
            && let Some(codes) = codes_of(&extension.data)
            && let Some(note) = self.note(line)
            && note.codes.is_none()
            && note.nags.iter().copied().eq(nags_of(codes))
        {
            note.codes = Some(codes);
            return;
        }
        if matches!(&*extension.name, MOVES_EXTENSION | COMMENTS_EXTENSION) {
            report.loss(&LOST_BYTES, || hex(&extension.data));
        } else {
            report.loss(&LOST_EXTENSION, || extension.name.clone());
        }
    }

    /// Makes the two areas of the items.
    fn emit(&mut self, early: Option<&CbfNoteText>, report: &mut CbfLossReport<'_>) {
        if self.items.len() > MOVES_MAX {
            let mut depth = 0_usize;
            self.items.retain(|item| {
                depth += usize::from(matches!(item, CbfMoveItem::Begin));
                let is_main = depth == 0;
                depth -= usize::from(matches!(item, CbfMoveItem::End));
                is_main
            });
            report.loss(&LOST_VARIATION, || {
                "all of them: the game is too long".to_owned()
            });
            if self.items.len() > MOVES_MAX {
                self.items.truncate(MOVES_MAX);
                self.plies = MOVES_MAX;
                report.loss(&LOST_MOVES, || format!("all after ply {MOVES_MAX}"));
            }
        }
        self.moves.clear();
        self.comments.clear();
        let items = std::mem::take(&mut self.items);
        for item in &items {
            let byte = match *item {
                CbfMoveItem::Begin => BEGIN,
                CbfMoveItem::End => END,
                CbfMoveItem::Move(number, None) => number,
                CbfMoveItem::Move(number, Some(at)) => {
                    if self.record(number, at as usize, report) {
                        number | 0x80
                    } else {
                        number
                    }
                }
            };
            self.moves.push(byte);
        }
        self.items = items;
        if let Some(early) = early {
            // The record that no move asks for begins with four zeros.
            let text = self.encode_text(early, report);
            self.push_record([0; 4], &text, report);
        }
    }

    /// Adds the comment record of a note; says whether there is one.
    fn record(&mut self, number: u8, note: usize, report: &mut CbfLossReport<'_>) -> bool {
        let Some(note) = self.notes.get(note) else {
            return false;
        };
        let codes = note
            .codes
            .unwrap_or_else(|| choose_codes(&note.nags, report));
        let text = match &note.text {
            Some(text) => self.encode_text(text, report),
            None => Vec::new(),
        };
        let has_text = note.text.is_some();
        if text.is_empty() && codes == [0; 4] {
            return false;
        }
        if u32::from(number) == NUMBER_MAX || !self.push_record(codes, &text, report) {
            if codes != [0; 4] {
                report.loss(&LOST_NAG, || "no room for a comment".to_owned());
            }
            if has_text {
                report.loss(&LOST_COMMENT, || "no room for a comment".to_owned());
            }
            return false;
        }
        true
    }

    /// The bytes of a text.
    fn encode_text(&self, text: &CbfNoteText, report: &mut CbfLossReport<'_>) -> Vec<u8> {
        let (mut bytes, replaced) =
            self.letters
                .bytes_of(&text.text, &text.original, CbfTextKind::Comment);
        if replaced > 0 {
            report.loss(&LOST_CHARACTERS, || {
                format!("{replaced} in {:?}", text.text)
            });
        }
        if bytes.is_empty() {
            // An empty comment is one space: it would not be there otherwise.
            bytes.push(b' ');
        }
        bytes
    }

    /// Adds a record of the comment area; false where there is no room for it.
    fn push_record(&mut self, codes: [u8; 4], text: &[u8], report: &mut CbfLossReport<'_>) -> bool {
        let is_first = self.comments.is_empty();
        let room = COMMENTS_MAX - self.comments.len();
        let length = codes.len() + 1 + usize::from(is_first);
        if room < length {
            return false;
        }
        let cut = text.get(..room - length).unwrap_or(text);
        if cut.len() < text.len() {
            report.loss(&LOST_COMMENT, || {
                "comments are limited to 65,535 bytes per game".to_owned()
            });
        }
        if is_first {
            self.comments.push(COMMENT_END);
        }
        if cut.is_empty() {
            let used = codes.iter().rposition(|code| *code != 0);
            let codes = codes.get(..=used.unwrap_or(0)).unwrap_or_default();
            self.comments.extend_from_slice(codes);
        } else {
            self.comments.extend_from_slice(&codes);
            self.comments.extend_from_slice(cut);
        }
        self.comments.push(COMMENT_END);
        true
    }
}

/// The losses of one game.
struct CbfLossReport<'a> {
    losses: &'a mut Losses,
    number: u64,
}

impl CbfLossReport<'_> {
    fn loss(&mut self, kind: &'static LossKind, detail: impl FnOnce() -> String) {
        self.losses.report(kind, self.number, detail());
    }
}

/// The codes that an extension has kept: three, or four where the byte after them is none of our own.
fn codes_of(bytes: &[u8]) -> Option<[u8; 4]> {
    let codes = match *bytes {
        [a, b, c] => [a, b, c, 0],
        [a, b, c, d] => [a, b, c, d],
        _ => return None,
    };
    (!codes.contains(&COMMENT_END)).then_some(codes)
}

/// The NAGs that a reader makes of codes.
fn nags_of([one, two, three, _]: [u8; 4]) -> impl Iterator<Item = Nag> {
    [one, two, three]
        .into_iter()
        .enumerate()
        .filter_map(|(symbol, code)| nag_of(symbol, code))
}

/// Codes for the NAGs of a move: the nearest where none fits. No NAG has codes in two places.
fn choose_codes(nags: &[Nag], report: &mut CbfLossReport<'_>) -> [u8; 4] {
    let mut codes = [0; 4];
    let mut kept = Vec::new();
    for given in nags {
        let place = |nag: Nag| (0..3).find_map(|symbol| Some((symbol, code_of(symbol, nag)?)));
        let found = place(*given).or_else(|| place(nearest_nag(*given)?));
        let slot = found.and_then(|(symbol, code)| Some((codes.get_mut(symbol)?, code)));
        match slot {
            Some((slot @ 0, code)) => {
                *slot = code;
                kept.push(*given);
            }
            _ => report.loss(&LOST_NAG, || format!("${}", given.0)),
        }
    }
    if !nags_of(codes).eq(kept.iter().copied()) {
        report.loss(&MOVED_NAG, || {
            let list = |nags: &mut dyn Iterator<Item = Nag>| {
                nags.map(|nag| format!("${}", nag.0))
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            let before = list(&mut kept.iter().copied());
            format!("{before} as {}", list(&mut nags_of(codes)))
        });
    }
    codes
}
