//! The move area and the comment area of a record, on their way to the tape.
//!
//! The fast way plays a correct game. If it finds a problem, the thorough way starts again and gives reasons.

use shakmaty::{CastlingSide, Square};
use tabiya_model::{Board, Game, GameNeeds, Location, Move};

use super::super::charset::CbfTextKind;
use super::super::codes;
use super::super::comments::{CbfComment, CbfComments, nag_of};
use super::super::moves::rotated_board::{CbfReachTable, CbfRotatedBoard};
use super::super::moves::{CbfEnPassant, CbfMoveMeaning, move_among};
use super::trial::try_moves;
use super::{
    BEGIN, COMMENTS_EXTENSION, CbfReadSettings, END, MOVES_EXTENSION, SYMBOLS_EXTENSION, hex,
    is_commented,
};
use crate::counted::counted_bytes;

/// What the quick way keeps.
#[derive(Default)]
pub(super) struct CbfQuickBuffers {
    reach: CbfReachTable,
    /// The positions after and before the last move of each outer line.
    outer: Vec<(CbfRotatedBoard, CbfRotatedBoard)>,
}

/// A line that is being read.
#[derive(Clone)]
pub(super) struct CbfReaderLine {
    pub(super) now: Board,
    pub(super) before: Board,
    pub(super) en_passant: CbfEnPassant,
    pub(super) en_passant_before: CbfEnPassant,
    pub(super) ply: u32,
    pub(super) replaceable: bool,
}

impl CbfReaderLine {
    pub(super) fn new(board: Board, en_passant: CbfEnPassant, ply: u32) -> CbfReaderLine {
        CbfReaderLine {
            before: board.clone(),
            now: board,
            en_passant,
            en_passant_before: en_passant,
            ply,
            replaceable: false,
        }
    }
}

/// The move area on its way to the tape.
pub(super) struct CbfMovetextReader<'a, P> {
    pub(super) area: &'a [u8],
    pub(super) comments: CbfComments<'a>,
    pub(super) rules: CbfReadSettings,
    pub(super) want: GameNeeds,
    pub(super) place: &'a P,
    pub(super) game: &'a mut Game,
    pub(super) outer: &'a mut Vec<CbfReaderLine>,
    /// Comments that were announced and are not there.
    pub(super) missing: u32,
    /// The comment before the first move.
    pub(super) early: Option<&'a [u8]>,
    /// Whether the list of moves has those that take a king.
    pub(super) takes_kings: bool,
    pub(super) has_variations: bool,
}

impl<P: Fn() -> Location> CbfMovetextReader<'_, P> {
    pub(super) fn read(
        mut self,
        board: Board,
        en_passant: CbfEnPassant,
        quick: &mut CbfQuickBuffers,
    ) {
        let comments = self.comments;
        self.push_early();
        if let Some(start) = CbfRotatedBoard::new(&board, en_passant)
            && let Some(end) = self.read_quickly(start, quick)
        {
            if end < self.area.len() {
                self.after_end(end + 1);
            }
            self.finish_comments();
            return;
        }
        self.comments = comments;
        self.takes_kings = self.counts_kings(&board, en_passant);
        self.game.tape.clear();
        self.push_early();
        self.read_with_reasons(CbfReaderLine::new(board, en_passant, 0));
    }

    fn push_early(&mut self) {
        if let Some(text) = self.early {
            push_text(text, self.rules, self.game);
        }
    }

    /// Whether moves that take a king have to be counted: the king that is not to move is in check at the start, the
    /// game breaks without them, and not or later with them.
    fn counts_kings(&self, board: &Board, en_passant: CbfEnPassant) -> bool {
        if !board.is_exposed() {
            return false;
        }
        let plays = |takes_kings| try_moves(self.area, board, en_passant, takes_kings);
        let (without, with) = (plays(false), plays(true));
        !without.is_clean && (with.is_clean || with.played > without.played)
    }

    /// Reads the moves and gives the place of their end mark, if nothing at all is odd about them.
    fn read_quickly(
        &mut self,
        start: CbfRotatedBoard,
        quick: &mut CbfQuickBuffers,
    ) -> Option<usize> {
        let CbfQuickBuffers { reach, outer } = quick;
        outer.clear();
        // The position before the last move stands only where a variation follows.
        let (mut now, mut before, mut replaceable) = (start.clone(), start, false);
        let mut at = 0;
        loop {
            let byte = self.area.get(at).copied().unwrap_or(0);
            at += 1;
            match byte {
                BEGIN => {
                    if self.area.get(at) == Some(&END) || !self.want.variations {
                        at = self.pass_over(at, false);
                    } else if replaceable {
                        outer.push((now, before.clone()));
                        now = before.clone();
                        replaceable = false;
                        self.game.tape.begin_variation();
                    } else {
                        return None;
                    }
                }
                END => {
                    if !now.is_sound() {
                        return None;
                    }
                    (now, before) = outer.pop()?;
                    replaceable = true;
                    self.game.tape.end_variation();
                }
                0 => break,
                byte => {
                    if self.area.get(at) == Some(&BEGIN) {
                        before = now.clone();
                        replaceable = true;
                    }
                    self.game.tape.push_move(now.advance(byte & 0x7f, reach)?);
                    if byte & 0x80 != 0 && self.want.annotations {
                        let comment = self.comments.next()?;
                        if !self.push_symbols(comment) {
                            return None;
                        }
                        self.push_comment(comment);
                    }
                }
            }
        }
        (outer.is_empty() && now.is_sound()).then_some(at - 1)
    }

    fn read_with_reasons(mut self, mut line: CbfReaderLine) {
        if self.takes_kings {
            self.game
                .diagnostics
                .report(&codes::KING_TAKEN, self.place, || {
                    "read with king captures".to_owned()
                });
        }
        let mut at = 0;
        while let Some(&byte) = self.area.get(at) {
            at += 1;
            match byte {
                BEGIN => {
                    let is_empty = self.area.get(at) == Some(&END);
                    if is_empty || !self.want.variations {
                        at = self.pass_over(at, false);
                    } else if !line.replaceable {
                        self.variations(&line, "a variation replaces no move");
                        at = self.pass_over(at, true);
                    } else {
                        let inner = CbfReaderLine::new(
                            line.before.clone(),
                            line.en_passant_before,
                            line.ply.saturating_sub(1),
                        );
                        self.outer.push(std::mem::replace(&mut line, inner));
                        self.game.tape.begin_variation();
                    }
                }
                END => match self.outer.pop() {
                    Some(outer) => {
                        line = outer;
                        self.game.tape.end_variation();
                    }
                    None => self.variations(&line, "the end of a variation that was not opened"),
                },
                0 => {
                    self.after_end(at);
                    break;
                }
                byte => {
                    let number = u32::from(byte & 0x7f);
                    if let Err(why) = self.play(&mut line, number) {
                        let from = at - 1;
                        let end = self.line_end(from);
                        let rest = self.area.get(from..end).unwrap_or_default();
                        self.illegal(&line, from, &why, rest);
                        self.game.tape.push_extension(MOVES_EXTENSION, rest);
                        at = end;
                        self.pass_comments(rest);
                    } else if byte & 0x80 != 0 {
                        self.annotate();
                    }
                }
            }
        }
        if !self.outer.is_empty() {
            if self.area.len() <= at && self.area.last() != Some(&0) {
                self.variations(&line, "a variation is not closed");
            }
            while self.outer.pop().is_some() {
                self.game.tape.end_variation();
            }
        }
        self.finish_comments();
    }

    /// Plays the move of a number, or says why not.
    #[inline]
    fn play(&mut self, line: &mut CbfReaderLine, number: u32) -> Result<(), CbfMoveError> {
        let m = match move_among(&line.now, line.en_passant, number, self.takes_kings) {
            CbfMoveMeaning::Move(m) => m,
            CbfMoveMeaning::Phantom => return Err(CbfMoveError::Phantom(number)),
            CbfMoveMeaning::Beyond(count) => return Err(CbfMoveError::Beyond(number, count)),
        };
        if m.is_castle() && self.want.verify {
            self.check_castle(line, m);
        }
        if self.has_variations {
            line.before.clone_from(&line.now);
            line.en_passant_before = line.en_passant;
        }
        if self.want.verify {
            line.now.play(m);
            if line.now.is_exposed() {
                // Where kings are taken, it is unknown what the numbers of later moves count.
                if self.takes_kings {
                    return Err(CbfMoveError::Check(m));
                }
                self.exposed(line, m);
            }
        } else {
            line.now.play_legal(m);
        }
        line.en_passant = line.en_passant.after(m);
        line.ply = line.ply.saturating_add(1);
        line.replaceable = true;
        self.game.tape.push_move(m);
        Ok(())
    }

    #[inline(never)]
    fn check_castle(&mut self, line: &CbfReaderLine, m: Move) {
        let board = &line.now;
        if castle_is_attacked(board, m) {
            self.exposed(line, m);
        }
        let allowed = m.castling_side().and_then(|side| board.find_castle(side));
        if allowed != Some(m) {
            let (place, ply) = (self.place, line.ply);
            self.game.diagnostics.report(
                &codes::CASTLING_RIGHT,
                || place().at_ply(ply),
                || format!("{m:?} was kept"),
            );
        }
    }

    /// Tells of a move that the list of moves has, though it leaves the king in check or castles out of it.
    #[cold]
    fn exposed(&mut self, line: &CbfReaderLine, m: Move) {
        let (place, ply) = (self.place, line.ply);
        self.game.diagnostics.report(
            &codes::EXPOSED_KING,
            || place().at_ply(ply),
            || format!("{m:?} was kept"),
        );
    }

    /// Adds what the next comment record says.
    fn annotate(&mut self) {
        if !self.want.annotations {
            return;
        }
        let Some(comment) = self.comments.next() else {
            self.missing += 1;
            return;
        };
        if !self.push_symbols(comment) {
            self.game
                .diagnostics
                .report(&codes::SYMBOL, self.place, || {
                    format!("codes {:?}", comment.codes)
                });
        }
        self.push_comment(comment);
    }

    /// Adds the NAGs of a comment's codes, and the codes where NAGs do not give them back; says whether all of them are
    /// known.
    fn push_symbols(&mut self, comment: CbfComment<'_>) -> bool {
        let [one, two, three, rest] = comment.codes;
        if comment.codes == [0; 4] {
            return true;
        }
        let mut known = rest == 0;
        for (symbol, code) in [one, two, three].into_iter().enumerate() {
            match nag_of(symbol, code) {
                Some(nag) => self.game.tape.push_nag(nag),
                None => known &= code == 0,
            }
        }
        if let Some(codes) = comment.odd_codes() {
            self.game.tape.push_extension(SYMBOLS_EXTENSION, codes);
        }
        known
    }

    fn push_comment(&mut self, comment: CbfComment<'_>) {
        if !comment.text.is_empty() {
            push_text(comment.text, self.rules, self.game);
        }
    }

    /// The index after the end mark of the line at `at`, or the index of the mark where `at` is in a variation.
    fn line_end(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for (index, byte) in self.area.iter().enumerate().skip(at) {
            match *byte {
                BEGIN => depth += 1,
                END if depth == 0 && !self.outer.is_empty() => return index,
                END => depth = depth.saturating_sub(1),
                0 => return index,
                _ => {}
            }
        }
        self.area.len()
    }

    /// Passes over a variation whose begin mark stands before `at`; kept as an extension or not.
    fn pass_over(&mut self, at: usize, keep: bool) -> usize {
        let mut depth = 1_usize;
        let mut end = self.area.len();
        for (index, byte) in self.area.iter().enumerate().skip(at) {
            match *byte {
                BEGIN => depth += 1,
                END => depth -= 1,
                0 => depth = 0,
                _ => {}
            }
            if depth == 0 {
                end = index + usize::from(*byte == END);
                break;
            }
        }
        let passed = self.area.get(at..end).unwrap_or_default();
        if keep {
            // The mark belongs to what could not be placed.
            let all = self.area.get(at - 1..end).unwrap_or_default();
            self.game.tape.push_extension(MOVES_EXTENSION, all);
            self.pass_comments(passed);
        } else if self.want.annotations {
            for _ in passed.iter().filter(|byte| is_commented(**byte)) {
                self.comments.next();
            }
        }
        end
    }

    /// Keeps the comments of moves that were not read.
    fn pass_comments(&mut self, moves: &[u8]) {
        if !self.want.annotations {
            return;
        }
        let before = self.comments.rest();
        for _ in moves.iter().filter(|byte| is_commented(**byte)) {
            self.comments.next();
        }
        let passed = before.len() - self.comments.rest().len();
        if let Some(bytes) = before.get(..passed).filter(|bytes| !bytes.is_empty()) {
            self.game.tape.push_extension(COMMENTS_EXTENSION, bytes);
        }
    }

    fn finish_comments(&mut self) {
        if !self.want.annotations {
            return;
        }
        let (missing, left) = (self.missing, self.comments.rest());
        if !left.is_empty() {
            self.game.tape.push_extension(COMMENTS_EXTENSION, left);
        }
        if missing > 0 {
            self.game
                .diagnostics
                .report(&codes::MISSING_COMMENTS, self.place, || {
                    format!("comments missing: {missing}")
                });
        }
        if !left.is_empty() {
            self.game
                .diagnostics
                .report(&codes::COMMENTS, self.place, || {
                    format!("bytes left over: {} ({})", left.len(), hex(left))
                });
        }
    }

    #[inline(never)]
    fn illegal(&mut self, line: &CbfReaderLine, at: usize, why: &CbfMoveError, rest: &[u8]) {
        let (place, ply) = (self.place, line.ply);
        self.game.diagnostics.report(
            &codes::ILLEGAL_MOVE,
            || place().at_ply(ply),
            || {
                format!(
                    "byte {at} of the moves: {}; not read: {} of the {}: {}",
                    why.text(),
                    counted_bytes(rest.len()),
                    if self.outer.is_empty() {
                        "main line"
                    } else {
                        "variation"
                    },
                    hex(rest)
                )
            },
        );
    }

    #[inline(never)]
    fn variations(&mut self, line: &CbfReaderLine, what: &str) {
        let (place, ply) = (self.place, line.ply);
        self.game.diagnostics.report(
            &codes::VARIATIONS,
            || place().at_ply(ply),
            || what.to_owned(),
        );
    }

    fn after_end(&mut self, at: usize) {
        let rest = self.area.get(at..).unwrap_or_default();
        if self.rules.audit && !rest.is_empty() {
            self.game
                .diagnostics
                .report(&codes::AFTER_END, self.place, || hex(rest));
        }
    }
}

/// Adds the text of a comment.
pub(super) fn push_text(bytes: &[u8], rules: CbfReadSettings, game: &mut Game) {
    let letters = rules.letters;
    match letters.decode_special(bytes, CbfTextKind::Comment) {
        // A line break of other formats: none of this one's programs writes it.
        None if memchr::memchr(b'\n', bytes).is_some() => {
            let text = letters.charset().decode(bytes);
            game.tape
                .push_comment_decoded(&text, bytes, letters.charset())
        }
        None => game.tape.push_comment_bytes(bytes, letters.charset()),
        Some(text) => game
            .tape
            .push_comment_decoded(&text, bytes, letters.charset()),
    };
}

/// Whether a king that castles from home is attacked on its way.
pub(in crate::cbf) fn castle_is_attacked(board: &Board, m: Move) -> bool {
    let files: [u32; 3] = match m.castling_side() {
        Some(CastlingSide::KingSide) => [4, 5, 6],
        Some(CastlingSide::QueenSide) => [4, 3, 2],
        None => return false,
    };
    let rank = u32::from(m.from()) & !7;
    let them = !board.turn();
    board.king_of(board.turn()).is_some()
        && files.into_iter().any(|file| {
            let square = Square::new((rank | file) & 63);
            board.attackers_to(square, them, board.occupied()).any()
        })
}

/// Why a move cannot be played.
enum CbfMoveError {
    Beyond(u32, u32),
    Phantom(u32),
    Check(Move),
}

impl CbfMoveError {
    fn text(&self) -> String {
        match self {
            CbfMoveError::Beyond(number, count) => format!("move {number} of only {count}"),
            CbfMoveError::Phantom(number) => {
                format!("move {number} is an impossible en passant capture")
            }
            CbfMoveError::Check(m) => {
                format!("{m:?} leaves the king in check, where kings are captured")
            }
        }
    }
}
