//! The walk over a tape, which makes a tree of it: lines, what stands before and after each move, and what a line cannot hold.

use std::borrow::Cow;

use tabiya_model::nag::Nag;
use tabiya_model::tape::TapeExtension;
use tabiya_model::text::TextId;
use tabiya_model::{Game, LossKind, Move, Replay, Tape, TapeOp};

use super::CbhLossReport;
use super::tree::{CbhTapePlace, CbhTapeTree};
use crate::cbh::annotations::kind;
use crate::cbh::moves::NO_MOVE;
use crate::fallback_text::render;

/// Characters of a line's rest that a message shows.
const SHOWN: usize = 80;

/// What stands for moves and annotations in a format.
pub(crate) trait CbhTapeCodes {
    /// The pieces by which moves are written.
    type Pieces: Clone;
    /// What stands for a move.
    type Code: Copy;
    /// What stands for an annotation.
    type Note;

    /// What the name of the extension of an annotation begins with; its type follows.
    const ANNOTATION: &'static str;
    /// The most moves of a game.
    const MOST_MOVES: usize;

    fn is_white_to_move(pieces: &Self::Pieces) -> bool;

    /// Plays a move and gives what stands for it; nothing, with the pieces as they were, where nothing does.
    fn encode(&self, pieces: &mut Self::Pieces, m: Move) -> Option<Self::Code>;

    /// Makes annotations of what stands after a move; gives the comments that have to stand before the next one, where that
    /// `can_wait` for them.
    fn annotate<'g>(
        &self,
        notes: CbhPlaceNotes<'g>,
        is_white: bool,
        can_wait: bool,
        place: &mut CbhTapePlace<'_, Self::Note>,
        report: &mut CbhLossReport<'_>,
    ) -> Vec<CbhComment<'g>>;

    /// Makes an annotation of a type of a comment that is nothing but text.
    fn text(
        &self,
        kind: u8,
        comment: &CbhComment<'_>,
        place: &mut CbhTapePlace<'_, Self::Note>,
        report: &mut CbhLossReport<'_>,
    );

    /// The word that an extension of an annotation's type says of the comment before it.
    fn word(_kind: u8, _data: &[u8]) -> Option<u16> {
        None
    }

    /// Takes an extension that is no annotation, or tells that it is lost.
    fn extension(&mut self, extension: &TapeExtension, report: &mut CbhLossReport<'_>);
}

/// A comment on its way into the file.
#[derive(Clone, Debug)]
pub(crate) struct CbhComment<'g> {
    pub(crate) text: Cow<'g, str>,
    /// The bytes that it had, where it was not UTF-8.
    pub(crate) original: Option<Vec<u8>>,
    /// A word of its annotation whose meaning is not known; the older format has none.
    pub(crate) unknown: u16,
}

impl CbhComment<'_> {
    /// The bytes that it had from a place in its text on.
    pub(crate) fn original_from(&self, at: usize) -> Option<&[u8]> {
        self.original.as_ref()?.get(at..)
    }
}

/// An annotation that was kept as bytes, and may be what a comment says.
pub(crate) struct CbhKeptNote<'g> {
    pub(crate) kind: u8,
    pub(crate) payload: &'g [u8],
    pub(crate) is_used: bool,
}

/// What stands right after a move.
#[derive(Default)]
pub(crate) struct CbhPlaceNotes<'g> {
    pub(crate) nags: Vec<Nag>,
    pub(crate) comments: Vec<CbhComment<'g>>,
    pub(crate) kept: Vec<CbhKeptNote<'g>>,
}

impl CbhPlaceNotes<'_> {
    /// The NAGs as contents of annotations: of the move, of the position and in front of it, in this order, as many to one as
    /// fit.
    pub(crate) fn symbols(&self) -> Vec<Vec<u8>> {
        let mut payload: Vec<u8> = Vec::new();
        let mut all = Vec::new();
        for nag in &self.nags {
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
        all
    }
}

/// What has stood after the last move.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CbhLastAnnotation {
    Nothing,
    Comment,
    Variation,
}

/// A line that is being walked.
struct CbhTapeLine<'g, P> {
    now: P,
    before: P,
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

impl<'g, P: Clone> CbhTapeLine<'g, P> {
    fn new(now: P, parent: u32, is_variation: bool) -> Self {
        CbhTapeLine {
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

    fn kind_of_cut(&self, report: &CbhLossReport<'_>) -> &'static LossKind {
        match self.is_variation {
            true => report.kinds.variation,
            false => report.kinds.moves,
        }
    }

    /// Adds text of our own after the last move.
    fn add_text(&mut self, text: String) {
        self.notes.comments.push(CbhComment {
            text: Cow::Owned(text),
            original: None,
            unknown: 0,
        });
        self.late = self.late.max(CbhLastAnnotation::Comment);
    }

    fn add_comment(&mut self, tape: &'g Tape, id: TextId) {
        let texts = tape.texts();
        let comment = CbhComment {
            text: Cow::Borrowed(tape.text(id)),
            original: texts
                .provenance(id)
                .map(|_| texts.original(id).into_owned()),
            unknown: 0,
        };
        if self.late == CbhLastAnnotation::Variation {
            self.before_next.push(comment);
        } else {
            self.notes.comments.push(comment);
            self.late = CbhLastAnnotation::Comment;
        }
    }

    fn last_comment(&mut self) -> Option<&mut CbhComment<'g>> {
        match self.before_next.last_mut() {
            Some(comment) => Some(comment),
            None => self.notes.comments.last_mut(),
        }
    }

    fn add_nag(&mut self, nag: Nag, report: &mut CbhLossReport<'_>) {
        let kinds = report.kinds;
        if !(1..=255).contains(&nag.0) || (self.is_variation && self.moves == 0) {
            report.loss(kinds.nag, format!("${}", nag.0));
            return;
        }
        if self.late == CbhLastAnnotation::Variation {
            report.loss(kinds.moved_nag, format!("${} after a variation", nag.0));
        }
        if self.late != CbhLastAnnotation::Nothing {
            report.loss(kinds.moved_comment, format!("${} after it", nag.0));
        }
        self.notes.nags.push(nag);
    }

    /// Keeps as text what cannot be held from an operation on, all of its variations with it; gives the index of the
    /// operation to go on with.
    fn cut(
        &mut self,
        tape: &Tape,
        from: usize,
        replay: &mut Replay,
        report: &mut CbhLossReport<'_>,
    ) -> usize {
        let mut text = String::new();
        let end = render(tape, from, replay.now(), &mut text);
        let kind = match tape.get(from) {
            Some(TapeOp::Begin(_)) => report.kinds.variation,
            _ => self.kind_of_cut(report),
        };
        let beginning: String = text.chars().take(SHOWN).collect();
        report.loss(kind, format!("from {beginning} on"));
        self.is_cut = true;
        self.add_text(text);
        for op in (from..end).filter_map(|at| tape.get(at)) {
            replay.follow(op);
        }
        end
    }
}

/// A walk that makes the tree of a game.
pub(crate) struct CbhTapeWalk<'a, 'l, F: CbhTapeCodes> {
    pub(crate) codes: &'a mut F,
    /// Empty at the beginning.
    pub(crate) tree: &'a mut CbhTapeTree<F::Code, F::Note>,
    pub(crate) report: &'a mut CbhLossReport<'l>,
}

impl<F: CbhTapeCodes> CbhTapeWalk<'_, '_, F> {
    /// Makes the tree of a game from the pieces at its start, if moves can be stored at all. Says whether there is nothing
    /// but moves, and gives the pieces after the main line.
    pub(crate) fn run(
        &mut self,
        game: &Game,
        pieces: &F::Pieces,
        has_moves: bool,
    ) -> (bool, F::Pieces) {
        let plain = match has_moves {
            true => self.plain(game, pieces),
            false => None,
        };
        match plain {
            Some(pieces) => (true, pieces),
            None => (false, self.annotated(game, pieces, has_moves)),
        }
    }

    /// A game of moves alone; nothing, with an empty tree, where it is more.
    fn plain(&mut self, game: &Game, pieces: &F::Pieces) -> Option<F::Pieces> {
        if !game.tape.ops().all(|op| matches!(op, TapeOp::Move(_))) {
            return None;
        }
        let mut pieces = pieces.clone();
        let mut parent = NO_MOVE;
        for op in game.tape.ops() {
            let TapeOp::Move(m) = op else { continue };
            let code = self.codes.encode(&mut pieces, m);
            let Some(code) = code.filter(|_| self.tree.moves.len() < F::MOST_MOVES) else {
                self.tree.clear();
                return None;
            };
            parent = self.tree.add(parent, code);
            self.tree.plies += 1;
        }
        Some(pieces)
    }

    /// Makes the tree of a tape, with all annotations; gives the pieces after the main line.
    fn annotated(&mut self, game: &Game, pieces: &F::Pieces, has_moves: bool) -> F::Pieces {
        let tape = &game.tape;
        let mut replay = Replay::new(&game.start_board());
        let mut outer: Vec<CbhTapeLine<'_, F::Pieces>> = Vec::new();
        let mut line = CbhTapeLine::new(pieces.clone(), NO_MOVE, false);
        let kinds = self.report.kinds;
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                TapeOp::Move(m) => {
                    let is_stored = has_moves && self.store(&mut line, m);
                    if !is_stored {
                        at = line.cut(tape, at - 1, &mut replay, self.report);
                        continue;
                    }
                }
                TapeOp::Begin(_) => {
                    if line.moves == 0 {
                        at = line.cut(tape, at - 1, &mut replay, self.report);
                        continue;
                    }
                    if line.is_variation && line.moves == 1 {
                        let what = "a variation of a first move";
                        self.report.loss(kinds.moved_variation, what);
                    }
                    // What stands between two variations goes behind both.
                    if !line.before_next.is_empty() {
                        let what = "a comment between variations";
                        self.report.loss(kinds.moved_comment, what);
                    }
                    line.late = CbhLastAnnotation::Variation;
                    let inner = CbhTapeLine::new(line.before.clone(), line.parent, true);
                    outer.push(std::mem::replace(&mut line, inner));
                }
                TapeOp::End => {
                    if let Some(next) = outer.pop() {
                        let inner = std::mem::replace(&mut line, next);
                        self.close(inner, &mut line);
                    }
                }
                TapeOp::Nag(nag) => line.add_nag(nag, self.report),
                TapeOp::Comment(id) => line.add_comment(tape, id),
                TapeOp::Raw(id) => {
                    let text = tape.text(id);
                    let kind = line.kind_of_cut(self.report);
                    self.report.loss(kind, format!("unreadable {text:?}"));
                    line.is_cut = true;
                    line.add_text(text.to_owned());
                }
                TapeOp::Ext(index) => self.extension(&mut line, tape, index),
                TapeOp::Outcome(outcome) => self.report.loss(kinds.outcome, outcome.as_pgn()),
            }
            replay.follow(op);
        }
        while let Some(next) = outer.pop() {
            let inner = std::mem::replace(&mut line, next);
            self.close(inner, &mut line);
        }
        self.finish_place(&mut line, false);
        line.now
    }

    /// Adds a move to its line; false where nothing stands for it.
    fn store(&mut self, line: &mut CbhTapeLine<'_, F::Pieces>, m: Move) -> bool {
        // One that is played in vain leaves the pieces as they are.
        let is_white = F::is_white_to_move(&line.now);
        let mut after = line.now.clone();
        let code = self.codes.encode(&mut after, m);
        let Some(code) = code.filter(|_| self.tree.moves.len() < F::MOST_MOVES) else {
            return false;
        };
        self.finish_place(line, true);
        line.before = std::mem::replace(&mut line.now, after);
        line.parent = line.last;
        line.last = self.tree.add(line.parent, code);
        line.moves += 1;
        line.is_white = is_white;
        line.late = CbhLastAnnotation::Nothing;
        match line.is_variation {
            true => self.tree.variation_moves += 1,
            false => self.tree.plies += 1,
        }
        let place = &mut self.tree.place(line.last);
        for comment in std::mem::take(&mut line.before_next) {
            self.codes
                .text(kind::TEXT_BEFORE, &comment, place, self.report);
        }
        true
    }

    /// Makes annotations of what stands after the last move, now that it is known whether another one follows.
    fn finish_place(&mut self, line: &mut CbhTapeLine<'_, F::Pieces>, has_next: bool) {
        let notes = std::mem::take(&mut line.notes);
        let at = if line.moves > 0 { line.last } else { NO_MOVE };
        let left = if line.moves > 0 || !line.is_variation {
            // Behind variations a text would stand in another place.
            let can_wait = has_next && line.late != CbhLastAnnotation::Variation;
            let place = &mut self.tree.place(at);
            self.codes
                .annotate(notes, line.is_white, can_wait, place, self.report)
        } else {
            // Before the first move of a variation there is only the text before that.
            for note in &notes.kept {
                self.report.lost_annotation(note.kind);
            }
            notes.comments
        };
        drop(line.before_next.splice(0..0, left));
        if !has_next {
            let place = &mut self.tree.place(at);
            for comment in std::mem::take(&mut line.before_next) {
                let what = format!("after a variation: {:?}", comment.text);
                self.report.loss(self.report.kinds.moved_comment, what);
                self.codes
                    .text(kind::TEXT_AFTER, &comment, place, self.report);
            }
        }
    }

    fn extension<'g>(&mut self, line: &mut CbhTapeLine<'g, F::Pieces>, tape: &'g Tape, index: u32) {
        let Some(extension) = tape.extensions().get(index as usize) else {
            return;
        };
        let kind = extension.name.strip_prefix(F::ANNOTATION);
        if let Some(kind) = kind.and_then(|kind| u8::from_str_radix(kind, 16).ok()) {
            if let Some(word) = F::word(kind, &extension.data)
                && let Some(comment) = line.last_comment()
            {
                comment.unknown = word;
                return;
            }
            if line.late != CbhLastAnnotation::Variation {
                line.notes.kept.push(CbhKeptNote {
                    kind,
                    payload: &extension.data,
                    is_used: false,
                });
                return;
            }
        }
        self.codes.extension(extension, self.report);
    }

    /// Ends a variation; what of one without a move could be told goes to the move that it replaces.
    fn close<'g>(
        &mut self,
        mut inner: CbhTapeLine<'g, F::Pieces>,
        outer: &mut CbhTapeLine<'g, F::Pieces>,
    ) {
        if inner.moves > 0 {
            self.finish_place(&mut inner, false);
            return;
        }
        if !inner.is_cut {
            self.report
                .loss(self.report.kinds.variation, "it has no move");
        }
        for note in &inner.notes.kept {
            self.report.lost_annotation(note.kind);
        }
        for comment in inner.notes.comments {
            outer.before_next.push(CbhComment {
                text: Cow::Owned(format!("({})", comment.text)),
                original: None,
                unknown: 0,
            });
        }
    }
}
