//! A tape to the move area and the comment area.
//!
//! Each move has at most one comment record with three symbols and one text, right after the move. So the tape is first
//! turned into a list of moves and marks with notes beside the moves, and the two areas are made of that.

use tabiya_model::board::Board;
use tabiya_model::charset::Charset;
use tabiya_model::nag::Nag;
use tabiya_model::text::TextId;
use tabiya_model::{Game, Losses, Move, Op, Tape};

use super::layout::{COMMENTS_MAX, MOVES_MAX};
use super::losses::{
    LOST_BYTES, LOST_CHARACTERS, LOST_COMMENT, LOST_EXTENSION, LOST_MOVES, LOST_NAG, LOST_OUTCOME,
    LOST_VARIATION, MOVED_COMMENT, MOVED_NAG,
};
use super::moves::{EnPassant, number_of};
use super::record::{
    BEGIN, COMMENTS_EXTENSION, END, MOVES_EXTENSION, SYMBOLS_EXTENSION, castle_is_attacked, hex,
};
use super::text::{COMMENT_END, code_of, encode_comment, nag_of, nearest_nag};

/// The highest number of a move.
const NUMBER_MAX: u32 = 127;

/// A step of the stored game.
#[derive(Copy, Clone)]
enum Item {
    /// A move's number, and its note's place if it has one.
    Move(u8, Option<u32>),
    Begin,
    End,
}

/// What stands at a move.
#[derive(Default)]
struct Note {
    nags: Vec<Nag>,
    /// The symbols as they stood, where they were kept.
    symbols: Option<[u8; 3]>,
    text: Option<String>,
}

/// A line that is being written.
struct Line {
    now: Board,
    before: Board,
    en_passant: EnPassant,
    en_passant_before: EnPassant,
    /// The last stored move's item.
    last: Option<usize>,
    /// Where the line's items begin, its mark included.
    start: usize,
    /// Text that stands before the first move.
    early: Option<String>,
    /// The rest of a line that had to be cut, as text.
    rest: Option<String>,
    /// Whether something other than NAGs has stood after the last move, so that more of it comes late.
    late: Late,
}

/// What has stood after the last move.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Late {
    Nothing,
    Comment,
    Variation,
}

impl Line {
    fn new(board: Board, en_passant: EnPassant, start: usize) -> Line {
        Line {
            before: board.clone(),
            now: board,
            en_passant,
            en_passant_before: en_passant,
            last: None,
            start,
            early: None,
            rest: None,
            late: Late::Nothing,
        }
    }
}

/// Encodes the movetext of games and keeps its buffers.
pub(super) struct Movetext {
    charset: Charset,
    /// The move area, not encrypted.
    pub moves: Vec<u8>,
    /// The comment area.
    pub comments: Vec<u8>,
    /// Stored half-moves of the main line.
    pub plies: usize,
    items: Vec<Item>,
    notes: Vec<Note>,
    outer: Vec<Line>,
}

impl Movetext {
    pub(super) fn new(charset: Charset) -> Movetext {
        Movetext {
            charset,
            moves: Vec::new(),
            comments: Vec::new(),
            plies: 0,
            items: Vec::new(),
            notes: Vec::new(),
            outer: Vec::new(),
        }
    }

    /// Fills both areas with the moves of a game and reports what they do not hold.
    pub(super) fn encode(
        &mut self,
        game: &Game,
        start: Board,
        en_passant: EnPassant,
        losses: &mut Losses,
    ) {
        self.items.clear();
        self.notes.clear();
        self.outer.clear();
        self.plies = 0;
        let tape = &game.tape;
        let mut report = Report {
            losses,
            number: game.origin.number,
        };
        let mut line = Line::new(start, en_passant, 0);
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                Op::Move(m) => self.play(&mut line, m, &mut report),
                Op::Begin(_) if line.rest.is_some() => {
                    // The move that it replaces is not stored either.
                    at = tape.skip(at - 1);
                }
                Op::Begin(_) => {
                    if line.last.is_none() {
                        report.loss(&LOST_VARIATION, || "it replaces no move".to_owned());
                        at = tape.skip(at - 1);
                        continue;
                    }
                    let inner = Line::new(
                        line.before.clone(),
                        line.en_passant_before,
                        self.items.len(),
                    );
                    self.items.push(Item::Begin);
                    line.late = Late::Variation;
                    self.outer.push(std::mem::replace(&mut line, inner));
                }
                Op::End => {
                    if let Some(outer) = self.outer.pop() {
                        let inner = std::mem::replace(&mut line, outer);
                        self.close(inner, &mut line, &mut report);
                    }
                }
                Op::Nag(Nag(0)) => {}
                Op::Nag(nag) => self.nag(&mut line, nag, &mut report),
                Op::Comment(id) => self.comment(&mut line, tape, id, &mut report),
                Op::Raw(id) => {
                    let kind = if self.outer.is_empty() {
                        &LOST_MOVES
                    } else {
                        &LOST_VARIATION
                    };
                    report.loss(kind, || format!("unreadable {:?}", tape.text(id)));
                    self.add_text(&mut line, tape.text(id));
                }
                Op::Ext(index) => self.extension(&line, tape, index, &mut report),
                Op::Outcome(outcome) => report.loss(&LOST_OUTCOME, || outcome.as_pgn().to_owned()),
            }
        }
        while let Some(outer) = self.outer.pop() {
            let inner = std::mem::replace(&mut line, outer);
            self.close(inner, &mut line, &mut report);
        }
        if let Some(rest) = line.rest.take() {
            self.add_text(&mut line, &rest);
        }
        if line.early.is_some() {
            report.loss(&LOST_COMMENT, || "the game has no move".to_owned());
        }
        self.emit(&mut report);
    }

    fn play(&mut self, line: &mut Line, m: Move, report: &mut Report<'_>) {
        if let Some(rest) = &mut line.rest {
            append_san(&mut line.now, m, rest);
            return;
        }
        let stored = self.store(line, m);
        if let Err(why) = stored {
            let kind = if self.outer.is_empty() {
                &LOST_MOVES
            } else {
                &LOST_VARIATION
            };
            let mut rest = String::new();
            append_number(&line.now, &mut rest);
            append_san(&mut line.now, m, &mut rest);
            report.loss(kind, || format!("{why}, from {rest} on"));
            line.rest = Some(rest);
        }
    }

    /// Adds a move to its line, or says why that cannot be.
    #[inline]
    fn store(&mut self, line: &mut Line, m: Move) -> Result<(), &'static str> {
        if m.is_null() {
            return Err("null move");
        }
        let Some(number) = number_of(&line.now, line.en_passant, m) else {
            return Err("no move of the format");
        };
        if m.is_en_passant() && line.now.ep_square() != Some(m.to()) {
            return Err("nothing to take in passing");
        }
        let number = match u8::try_from(number) {
            Ok(byte) if number <= NUMBER_MAX => byte,
            _ => return Err("more moves than the format counts"),
        };
        if m.is_castle() && castle_is_attacked(&line.now, m) {
            return Err("illegal move");
        }
        line.before.clone_from(&line.now);
        // As a reader plays it, whose move knows for itself what is taken.
        line.now.play(m);
        if line.now.is_exposed() {
            line.now.clone_from(&line.before);
            return Err("illegal move");
        }
        line.en_passant_before = line.en_passant;
        line.en_passant = line.en_passant.after(m);
        line.last = Some(self.items.len());
        line.late = Late::Nothing;
        self.items.push(Item::Move(number, None));
        if let Some(early) = line.early.take() {
            self.add_text(line, &early);
        }
        self.plies += usize::from(self.outer.is_empty());
        Ok(())
    }

    /// Ends a variation; what of it could not be stored goes to the text of its last move, or of the replaced one.
    fn close(&mut self, mut inner: Line, outer: &mut Line, report: &mut Report<'_>) {
        if inner.last.is_some() {
            if let Some(rest) = inner.rest.take() {
                self.add_text(&mut inner, &rest);
            }
            self.items.push(Item::End);
            return;
        }
        self.items.truncate(inner.start);
        let mut text = inner.early.take().unwrap_or_default();
        match inner.rest.take() {
            Some(rest) => {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(&rest);
            }
            None => report.loss(&LOST_VARIATION, || "it has no move".to_owned()),
        }
        if !text.is_empty() {
            self.add_text(outer, &format!("({text})"));
        }
    }

    /// The note of the last move of a line.
    fn note(&mut self, line: &Line) -> Option<&mut Note> {
        let Item::Move(_, note) = self.items.get_mut(line.last?)? else {
            return None;
        };
        let at = match *note {
            Some(at) => at,
            None => {
                let at = u32::try_from(self.notes.len()).ok()?;
                *note = Some(at);
                self.notes.push(Note::default());
                at
            }
        };
        self.notes.get_mut(usize::try_from(at).ok()?)
    }

    /// Adds text to the last move of a line, or keeps it for the first one.
    fn add_text(&mut self, line: &mut Line, text: &str) {
        let place = match self.note(line) {
            Some(note) => &mut note.text,
            None => &mut line.early,
        };
        match place {
            Some(known) => {
                known.push(' ');
                known.push_str(text);
            }
            None => *place = Some(text.to_owned()),
        }
    }

    fn nag(&mut self, line: &mut Line, nag: Nag, report: &mut Report<'_>) {
        if let Some(rest) = &mut line.rest {
            rest.push_str(&format!(" ${}", nag.0));
            return;
        }
        if line.late == Late::Variation {
            report.loss(&MOVED_NAG, || format!("${} after a variation", nag.0));
        }
        if line.late != Late::Nothing {
            report.loss(&MOVED_COMMENT, || format!("${} after it", nag.0));
        }
        match self.note(line) {
            Some(note) => note.nags.push(nag),
            None => report.loss(&LOST_NAG, || format!("${} before any move", nag.0)),
        }
    }

    fn comment(&mut self, line: &mut Line, tape: &Tape, id: TextId, report: &mut Report<'_>) {
        let text = tape.text(id);
        if let Some(rest) = &mut line.rest {
            rest.push_str(" {");
            rest.push_str(text);
            rest.push('}');
            return;
        }
        if line.last.is_none() {
            report.loss(&MOVED_COMMENT, || {
                format!("before the first move: {text:?}")
            });
        } else if line.late != Late::Nothing {
            report.loss(&MOVED_COMMENT, || format!("joined or moved: {text:?}"));
        }
        self.add_text(line, text);
        if line.last.is_some() {
            line.late = line.late.max(Late::Comment);
        }
    }

    fn extension(&mut self, line: &Line, tape: &Tape, index: u32, report: &mut Report<'_>) {
        let Some(extension) = tape.extensions().get(index as usize) else {
            return;
        };
        if extension.name == SYMBOLS_EXTENSION
            && line.rest.is_none()
            && line.late == Late::Nothing
            && let Ok(symbols) = <[u8; 3]>::try_from(&extension.data[..])
            && let Some(note) = self.note(line)
            && note.symbols.is_none()
            && note.nags.iter().copied().eq(nags_of(symbols))
            && !symbols.contains(&COMMENT_END)
        {
            note.symbols = Some(symbols);
            return;
        }
        if matches!(&*extension.name, MOVES_EXTENSION | COMMENTS_EXTENSION) {
            report.loss(&LOST_BYTES, || hex(&extension.data));
        } else {
            report.loss(&LOST_EXTENSION, || extension.name.clone());
        }
    }

    /// Makes the two areas of the items.
    fn emit(&mut self, report: &mut Report<'_>) {
        if self.items.len() > MOVES_MAX {
            let mut depth = 0_usize;
            self.items.retain(|item| {
                depth += usize::from(matches!(item, Item::Begin));
                let is_main = depth == 0;
                depth -= usize::from(matches!(item, Item::End));
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
                Item::Begin => BEGIN,
                Item::End => END,
                Item::Move(number, None) => number,
                Item::Move(number, Some(at)) => {
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
    }

    /// Adds the comment record of a note; says whether there is one.
    fn record(&mut self, number: u8, note: usize, report: &mut Report<'_>) -> bool {
        let Some(note) = self.notes.get(note) else {
            return false;
        };
        let symbols = note
            .symbols
            .unwrap_or_else(|| choose_symbols(&note.nags, report));
        let mut text = Vec::new();
        if let Some(comment) = &note.text {
            let replaced = encode_comment(comment, self.charset, &mut text);
            if replaced > 0 {
                report.loss(&LOST_CHARACTERS, || format!("{replaced} in {comment:?}"));
            }
            if text.is_empty() {
                // An empty comment is one space: it would not be there otherwise.
                text.push(b' ');
            }
        }
        if text.is_empty() && symbols == [0; 3] {
            return false;
        }
        let is_first = self.comments.is_empty();
        let room = COMMENTS_MAX - self.comments.len();
        let length = 5 + usize::from(is_first);
        if u32::from(number) == NUMBER_MAX || room < length {
            if symbols != [0; 3] {
                report.loss(&LOST_NAG, || "no room for a comment".to_owned());
            }
            if note.text.is_some() {
                report.loss(&LOST_COMMENT, || "no room for a comment".to_owned());
            }
            return false;
        }
        if text.len() > room - length {
            text.truncate(room - length);
            report.loss(&LOST_COMMENT, || {
                "the comments of a game have 65,535 bytes".to_owned()
            });
        }
        if is_first {
            self.comments.push(COMMENT_END);
        }
        if text.is_empty() {
            let used = symbols.iter().rposition(|code| *code != 0);
            let symbols = symbols.get(..=used.unwrap_or(0)).unwrap_or_default();
            self.comments.extend_from_slice(symbols);
        } else {
            self.comments.extend_from_slice(&symbols);
            self.comments.push(0);
            self.comments.append(&mut text);
        }
        self.comments.push(COMMENT_END);
        true
    }
}

/// The losses of one game.
struct Report<'a> {
    losses: &'a mut Losses,
    number: u64,
}

impl Report<'_> {
    fn loss(&mut self, kind: &'static tabiya_model::LossKind, detail: impl FnOnce() -> String) {
        self.losses.report(kind, self.number, detail());
    }
}

/// The NAGs that a reader makes of three symbols.
fn nags_of(symbols: [u8; 3]) -> impl Iterator<Item = Nag> {
    symbols
        .into_iter()
        .enumerate()
        .filter_map(|(symbol, code)| nag_of(symbol, code))
}

/// Three symbols for the NAGs of a move: in their order where that can be, and the nearest where none fits.
fn choose_symbols(nags: &[Nag], report: &mut Report<'_>) -> [u8; 3] {
    let mut symbols = [0; 3];
    let mut next = 0;
    let mut kept = Vec::new();
    for (at, given) in nags.iter().enumerate() {
        let nag = if (0..3).any(|symbol| code_of(symbol, *given).is_some()) {
            *given
        } else if let Some(near) = nearest_nag(*given) {
            near
        } else {
            report.loss(&LOST_NAG, || format!("${}", given.0));
            continue;
        };
        let later = nags.get(at + 1..).unwrap_or_default();
        let more = later
            .iter()
            .any(|nag| (1..3).any(|symbol| code_of(symbol, *nag).is_some()));
        let fits =
            |symbol: &usize| code_of(*symbol, nag).is_some() && symbols.get(*symbol) == Some(&0);
        // A sign that can stand in two places leaves the later one to the signs after it.
        let place = if more {
            (next..3).find(fits)
        } else {
            (next..3).rev().find(fits)
        };
        match place.or_else(|| (0..3).find(fits)) {
            Some(symbol) => {
                if let (Some(slot), Some(code)) = (symbols.get_mut(symbol), code_of(symbol, nag)) {
                    *slot = code;
                }
                next = next.max(symbol + 1);
                kept.push(*given);
            }
            None => report.loss(&LOST_NAG, || format!("${}", given.0)),
        }
    }
    if !nags_of(symbols).eq(kept.iter().copied()) {
        report.loss(&MOVED_NAG, || {
            let list = |nags: &mut dyn Iterator<Item = Nag>| {
                nags.map(|nag| format!("${}", nag.0))
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            let before = list(&mut kept.iter().copied());
            format!("{before} as {}", list(&mut nags_of(symbols)))
        });
    }
    symbols
}

/// Appends the number of the next move.
fn append_number(board: &Board, text: &mut String) {
    let dots = board.turn().fold_wb(".", "...");
    text.push_str(&format!("{}{dots}", board.fullmoves()));
}

/// Appends a move and plays it.
fn append_san(board: &mut Board, m: Move, text: &mut String) {
    if !text.is_empty() && !text.ends_with('.') {
        text.push(' ');
    }
    let mut san = Vec::new();
    board.play_san(m, &mut san);
    text.push_str(&String::from_utf8_lossy(&san));
}
