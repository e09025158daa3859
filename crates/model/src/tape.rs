//! The tape: moves, variations, comments and NAGs of a game as one flat buffer.
//!
//! Grammar, in the order of the source:
//!
//! ```text
//! line      = { Comment | Nag | Raw | Ext | Outcome | Move { Nag | Comment | Raw | Ext | Outcome | variation } }
//! variation = Begin(length) line End
//! ```
//!
//! A variation follows the move that it replaces, as in PGN and Scid: it starts from the position before that
//! move. Consecutive variations all replace the same move. A variation is never before the first move of
//! its line: readers bring it into this form. `Begin` holds the number of operations up to its `End`, so that a
//! walk along the main line skips a variation at once.

use crate::board::{Board, Move, SanDetails};
use crate::nag::Nag;
use crate::outcome::Outcome;
use crate::text::{OwnedText, TextArena, TextId};

/// One operation of a tape, unpacked.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TapeOp {
    /// A move, the null move among them.
    Move(Move),
    /// A numeric annotation of the move before it (or of the start).
    Nag(Nag),
    /// A comment at this place.
    Comment(TextId),
    /// Unreadable movetext, unchanged.
    Raw(TextId),
    /// Data specific to one format; an index into [`Tape::extensions`].
    Ext(u32),
    /// The start of a variation with the number of operations before its end.
    Begin(u32),
    /// The end of a variation.
    End,
    /// A result within the movetext.
    Outcome(Outcome),
}

/// A [`TapeOp`] in four bytes: the kind in the lowest three bits, then the SAN details of a move if they are known, the
/// payload in the upper three bytes.
#[derive(Copy, Clone)]
struct TapeCell(u32);

/// The bits of the kind.
const KIND: u32 = 7;
/// The first bit of the SAN details.
const NOTATION: u32 = 3;
/// The SAN details are known.
const IS_TOLD: u32 = 1 << 7;

/// SAN details follow from the moves, so they do not count as a difference.
impl PartialEq for TapeCell {
    fn eq(&self, other: &TapeCell) -> bool {
        const SAME: u32 = KIND | PAYLOAD_MAX << 8;
        self.0 & SAME == other.0 & SAME
    }
}

impl Eq for TapeCell {}

const PAYLOAD_MAX: u32 = (1 << 24) - 1;
/// A variation of at least this many operations: its end is found by walking.
const LONG: u32 = PAYLOAD_MAX;

const MOVE: u32 = 0;
const NAG: u32 = 1;
const COMMENT: u32 = 2;
const RAW: u32 = 3;
const EXT: u32 = 4;
const BEGIN: u32 = 5;
const END: u32 = 6;
const OUTCOME: u32 = 7;

impl TapeCell {
    #[inline]
    fn new(kind: u32, payload: u32) -> TapeCell {
        TapeCell(kind | payload.min(PAYLOAD_MAX) << 8)
    }

    #[inline]
    fn kind(self) -> u32 {
        self.0 & KIND
    }

    #[inline]
    fn payload(self) -> u32 {
        self.0 >> 8
    }

    /// The SAN details of a move, if they are known.
    #[inline]
    fn notation(self) -> Option<SanDetails> {
        let is_told = self.0 & (KIND | IS_TOLD) == MOVE | IS_TOLD;
        is_told.then(|| SanDetails::from_bits((self.0 >> NOTATION) as u8))
    }

    #[inline]
    fn unpack(self) -> TapeOp {
        let payload = self.payload();
        match self.kind() {
            MOVE => TapeOp::Move(Move::from_own_bits(payload)),
            NAG => TapeOp::Nag(Nag(payload)),
            COMMENT => TapeOp::Comment(TextId(payload)),
            RAW => TapeOp::Raw(TextId(payload)),
            EXT => TapeOp::Ext(payload),
            BEGIN => TapeOp::Begin(payload),
            OUTCOME => TapeOp::Outcome(Outcome::from_scid((payload & 3) as u8)),
            _ => TapeOp::End,
        }
    }
}

impl std::fmt::Debug for TapeCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.unpack().fmt(f)
    }
}

/// Data specific to one format, kept as bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TapeExtension {
    /// Format and kind, such as `ca.folder` or `pgn.escape`.
    pub name: String,
    /// The content, unchanged.
    pub data: Vec<u8>,
}

/// A game's moves, variations, comments and NAGs.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Tape {
    cells: Vec<TapeCell>,
    texts: TextArena,
    extensions: Vec<TapeExtension>,
    /// The cells of the variations that are still open.
    open: Vec<u32>,
}

impl Tape {
    /// The most operations, and the most texts, that a tape holds.
    pub const MAX_OPS: usize = PAYLOAD_MAX as usize - 1;

    /// Removes everything and keeps the memory.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.texts.clear();
        self.extensions.clear();
        self.open.clear();
    }

    /// Reserves room for this number of additional operations.
    pub fn reserve(&mut self, operations: usize) {
        self.cells.reserve(operations);
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is no operation.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Whether the tape holds no more texts: a reader then keeps the rest of the game as one raw text.
    pub fn is_full(&self) -> bool {
        self.texts.len() >= Self::MAX_OPS || self.cells.len() >= u32::MAX as usize - 2
    }

    /// Adds a move.
    #[inline]
    pub fn push_move(&mut self, m: Move) {
        self.cells.push(TapeCell::new(MOVE, m.bits()));
    }

    /// Adds a move with its SAN details. Code that builds another tape from this one drops them.
    #[inline]
    pub fn push_move_with_details(&mut self, m: Move, notation: SanDetails) {
        let told = IS_TOLD | u32::from(notation.bits()) << NOTATION;
        self.cells.push(TapeCell(MOVE | told | m.bits() << 8));
    }

    /// Whether every move has SAN details, so that no board is needed to write SAN.
    pub fn has_san_details(&self) -> bool {
        self.cells
            .iter()
            .all(|cell| cell.kind() != MOVE || cell.notation().is_some())
    }

    /// The SAN details of the move at an index, if known.
    #[inline]
    pub fn notation(&self, index: usize) -> Option<SanDetails> {
        self.cells.get(index)?.notation()
    }

    /// The consecutive moves from an index on, as long as each has SAN details.
    #[inline]
    pub fn moves_with_details(&self, from: usize) -> impl Iterator<Item = (Move, SanDetails)> + '_ {
        let cells = self.cells.get(from..).unwrap_or_default();
        cells.iter().map_while(|cell| {
            let notation = cell.notation()?;
            Some((Move::from_own_bits(cell.payload()), notation))
        })
    }

    /// Adds a NAG.
    pub fn push_nag(&mut self, nag: Nag) {
        self.cells.push(TapeCell::new(NAG, nag.0));
    }

    /// Adds a comment.
    pub fn push_comment(&mut self, text: &str) -> TextId {
        let id = self.texts.push(text);
        self.cells.push(TapeCell::new(COMMENT, id.0));
        id
    }

    /// Adds a comment in `charset`.
    pub fn push_comment_bytes(
        &mut self,
        bytes: &[u8],
        charset: tabiya_text::charset::Charset,
    ) -> TextId {
        let id = self.texts.push_bytes(bytes, charset);
        self.cells.push(TapeCell::new(COMMENT, id.0));
        id
    }

    /// Adds a comment that a format decoded by its own rules from bytes in `charset`.
    pub fn push_comment_decoded(
        &mut self,
        text: &str,
        bytes: &[u8],
        charset: tabiya_text::charset::Charset,
    ) -> TextId {
        let id = self.texts.push_decoded(text, bytes, charset);
        self.cells.push(TapeCell::new(COMMENT, id.0));
        id
    }

    /// Adds an owned comment, with its provenance.
    pub fn push_comment_owned(&mut self, text: &OwnedText) -> TextId {
        let id = self.texts.push_owned(text);
        self.cells.push(TapeCell::new(COMMENT, id.0));
        id
    }

    /// Adds owned unreadable movetext, with its provenance.
    pub fn push_raw_owned(&mut self, text: &OwnedText) -> TextId {
        let id = self.texts.push_owned(text);
        self.cells.push(TapeCell::new(RAW, id.0));
        id
    }

    /// Adds unreadable movetext.
    pub fn push_raw(&mut self, text: &str) -> TextId {
        let id = self.texts.push(text);
        self.cells.push(TapeCell::new(RAW, id.0));
        id
    }

    /// Adds unreadable movetext in `charset`.
    pub fn push_raw_bytes(
        &mut self,
        bytes: &[u8],
        charset: tabiya_text::charset::Charset,
    ) -> TextId {
        let id = self.texts.push_bytes(bytes, charset);
        self.cells.push(TapeCell::new(RAW, id.0));
        id
    }

    /// Adds data specific to one format.
    pub fn push_extension(&mut self, name: &str, data: &[u8]) {
        let index = u32::try_from(self.extensions.len()).unwrap_or(u32::MAX);
        self.extensions.push(TapeExtension {
            name: name.to_owned(),
            data: data.to_vec(),
        });
        self.cells.push(TapeCell::new(EXT, index));
    }

    /// Adds a result within the movetext.
    pub fn push_outcome(&mut self, outcome: Outcome) {
        self.cells
            .push(TapeCell::new(OUTCOME, u32::from(outcome.to_scid())));
    }

    /// Opens a variation that replaces the last move of the current line.
    pub fn begin_variation(&mut self) {
        self.open
            .push(u32::try_from(self.cells.len()).unwrap_or(u32::MAX));
        self.cells.push(TapeCell::new(BEGIN, LONG));
    }

    /// Closes the innermost open variation; returns whether there was one.
    pub fn end_variation(&mut self) -> bool {
        let Some(begin) = self.open.pop() else {
            return false;
        };
        let length = self.cells.len() - begin as usize - 1;
        if let Some(cell) = self.cells.get_mut(begin as usize) {
            *cell = TapeCell::new(BEGIN, u32::try_from(length).unwrap_or(LONG));
        }
        self.cells.push(TapeCell::new(END, 0));
        true
    }

    /// Whether there are any variations.
    pub fn has_variations(&self) -> bool {
        self.ops().any(|op| matches!(op, TapeOp::Begin(_)))
    }

    /// Whether the tape keeps to its grammar: every variation is closed and follows a move of its line.
    pub fn is_well_formed(&self) -> bool {
        let mut depth = 0_usize;
        let mut has_move = false;
        for op in self.ops() {
            match op {
                TapeOp::Move(_) => has_move = true,
                TapeOp::Begin(_) if !has_move => return false,
                TapeOp::Begin(_) => {
                    depth += 1;
                    has_move = false;
                }
                TapeOp::End => {
                    let Some(outer) = depth.checked_sub(1) else {
                        return false;
                    };
                    depth = outer;
                    // A variation can only follow a move.
                    has_move = true;
                }
                TapeOp::Nag(_)
                | TapeOp::Comment(_)
                | TapeOp::Raw(_)
                | TapeOp::Ext(_)
                | TapeOp::Outcome(_) => {}
            }
        }
        depth == 0
    }

    /// The number of variations that are still open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The operation at an index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<TapeOp> {
        self.cells.get(index).map(|cell| cell.unpack())
    }

    /// Every operation in order.
    pub fn ops(&self) -> impl DoubleEndedIterator<Item = TapeOp> + ExactSizeIterator + '_ {
        self.cells.iter().map(|cell| cell.unpack())
    }

    /// A text of a comment or of raw movetext.
    #[inline]
    pub fn text(&self, id: TextId) -> &str {
        self.texts.get(id)
    }

    /// The arena of the texts.
    pub fn texts(&self) -> &TextArena {
        &self.texts
    }

    /// Data specific to one format.
    pub fn extensions(&self) -> &[TapeExtension] {
        &self.extensions
    }

    /// The index after the `End` that belongs to the `Begin` at `begin`.
    pub fn skip(&self, begin: usize) -> usize {
        match self
            .cells
            .get(begin)
            .map(|cell| (cell.kind(), cell.payload()))
        {
            Some((BEGIN, length)) if length != LONG => begin + length as usize + 2,
            Some((BEGIN, _)) => {
                let mut depth = 0_usize;
                for (index, cell) in self.cells.iter().enumerate().skip(begin) {
                    match cell.kind() {
                        BEGIN => depth += 1,
                        END if depth == 1 => return index + 1,
                        END => depth -= 1,
                        _ => {}
                    }
                }
                self.cells.len()
            }
            _ => begin + 1,
        }
    }

    /// The moves of the main line.
    pub fn main_line(&self) -> MainLine<'_> {
        MainLine { tape: self, at: 0 }
    }

    /// The number of plies of the main line.
    pub fn plies(&self) -> usize {
        self.main_line().count()
    }

    /// Adds an operation of another tape, with its text.
    pub fn push_from(&mut self, other: &Tape, op: TapeOp) {
        match op {
            TapeOp::Move(m) => self.push_move(m),
            TapeOp::Nag(nag) => self.push_nag(nag),
            TapeOp::Comment(id) => {
                let id = self.texts.push_from(&other.texts, id);
                self.cells.push(TapeCell::new(COMMENT, id.0));
            }
            TapeOp::Raw(id) => {
                let id = self.texts.push_from(&other.texts, id);
                self.cells.push(TapeCell::new(RAW, id.0));
            }
            TapeOp::Ext(index) => {
                if let Some(extension) = other.extensions.get(index as usize) {
                    self.push_extension(&extension.name, &extension.data);
                }
            }
            TapeOp::Begin(_) => self.begin_variation(),
            TapeOp::End => {
                self.end_variation();
            }
            TapeOp::Outcome(outcome) => self.push_outcome(outcome),
        }
    }
}

/// The moves of the main line, as given by [`Tape::main_line`].
#[derive(Clone, Debug)]
pub struct MainLine<'a> {
    tape: &'a Tape,
    at: usize,
}

impl Iterator for MainLine<'_> {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        loop {
            let cell = *self.tape.cells.get(self.at)?;
            match cell.kind() {
                MOVE => {
                    self.at += 1;
                    return Some(Move::from_own_bits(cell.payload()));
                }
                BEGIN => self.at = self.tape.skip(self.at),
                _ => self.at += 1,
            }
        }
    }
}

/// Keeps the positions while a tape is read or written: one stack entry per nested variation.
#[derive(Clone, Debug)]
pub struct Replay {
    now: Board,
    before: Board,
    /// Plies since the start of the game.
    ply: u32,
    /// Whether the current line has a move that a variation could replace.
    replaceable: bool,
    /// Whether variations may follow; then the position before each move has to be kept.
    expecting: bool,
    outer: Vec<(Board, Board, u32)>,
}

impl Replay {
    /// Begins at the start of a game.
    pub fn new(start: &Board) -> Replay {
        Replay {
            now: start.clone(),
            before: start.clone(),
            ply: 0,
            replaceable: false,
            expecting: true,
            outer: Vec::new(),
        }
    }

    /// Goes back to the start of a game and keeps the memory.
    pub fn reset(&mut self, start: &Board) {
        self.now.clone_from(start);
        self.before.clone_from(start);
        self.ply = 0;
        self.replaceable = false;
        self.expecting = true;
        self.outer.clear();
    }

    /// Declares whether a variation may replace one of the next moves. If none can, the position before a move is not
    /// kept, and no variation begins.
    #[inline]
    pub fn expect_variations(&mut self, expecting: bool) {
        self.expecting = expecting;
    }

    #[inline]
    fn step(&mut self) {
        if self.expecting {
            self.before.clone_from(&self.now);
        }
        self.ply += 1;
        self.replaceable = self.expecting;
    }

    /// The position on the board.
    #[inline]
    pub fn now(&self) -> &Board {
        &self.now
    }

    /// The position before the last move of this line, if a variation was expected after it.
    #[inline]
    pub fn before(&self) -> &Board {
        &self.before
    }

    /// Plies played since the start of the game on the way to this position.
    #[inline]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Whether the current line has a move that a variation could replace.
    #[inline]
    pub fn replaceable(&self) -> bool {
        self.replaceable
    }

    /// The number of variations around the current line.
    #[inline]
    pub fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Plays a move.
    #[inline]
    pub fn play(&mut self, m: Move) {
        self.step();
        self.now.play(m);
    }

    /// Plays a move that is known to be legal: see [`Board::play_legal`].
    #[inline]
    pub fn play_legal(&mut self, m: Move) {
        self.step();
        self.now.play_legal(m);
    }

    /// Plays a move through the board, for callers that write it at the same time.
    #[inline]
    pub fn play_with<T>(&mut self, play: impl FnOnce(&mut Board) -> T) -> T {
        self.step();
        play(&mut self.now)
    }

    /// Enters a variation; false, without any change, if the line has no move to replace.
    pub fn begin(&mut self) -> bool {
        if !self.replaceable {
            return false;
        }
        let inner = self.before.clone();
        let now = std::mem::replace(&mut self.now, inner.clone());
        let before = std::mem::replace(&mut self.before, inner);
        self.outer.push((now, before, self.ply));
        self.ply = self.ply.saturating_sub(1);
        self.replaceable = false;
        true
    }

    /// Leaves a variation; false if there is none.
    pub fn end(&mut self) -> bool {
        let Some((now, before, ply)) = self.outer.pop() else {
            return false;
        };
        self.now = now;
        self.before = before;
        self.ply = ply;
        self.replaceable = true;
        true
    }

    /// Follows an operation of a tape.
    pub fn follow(&mut self, op: TapeOp) {
        match op {
            TapeOp::Move(m) => self.play(m),
            TapeOp::Begin(_) => {
                self.begin();
            }
            TapeOp::End => {
                self.end();
            }
            TapeOp::Nag(_)
            | TapeOp::Comment(_)
            | TapeOp::Raw(_)
            | TapeOp::Ext(_)
            | TapeOp::Outcome(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_take_four_bytes() {
        assert_eq!(size_of::<TapeCell>(), 4);
    }

    #[test]
    fn what_san_says_of_a_move_rides_along_and_makes_no_difference() {
        let mut board = Board::standard();
        let (mut told, mut plain) = (Tape::default(), Tape::default());
        let mut expected = Vec::new();
        for uci in ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"] {
            let m = board.parse_uci(uci.as_bytes()).expect("legal");
            let mut text = Vec::new();
            board.clone().play_san(m, &mut text);
            expected.push(text);
            told.push_move_with_details(m, board.play_with_details(m));
            plain.push_move(m);
        }
        assert_eq!(told, plain);
        assert!(told.has_san_details() && !plain.has_san_details());
        for (index, expected) in expected.iter().enumerate() {
            let mut text = Vec::new();
            let notation = told.notation(index).expect("told");
            if let Some(TapeOp::Move(m)) = told.get(index) {
                notation.write(m, &mut text);
            }
            assert_eq!(&text, expected);
            assert_eq!(plain.notation(index), None);
        }
        assert_eq!(expected.last().map(Vec::as_slice), Some(&b"Qxf7#"[..]));
        let mut copy = Tape::default();
        for op in told.ops() {
            copy.push_from(&told, op);
        }
        assert!(copy == told && !copy.has_san_details());
    }

    #[test]
    fn the_main_line_skips_variations() {
        let board = Board::standard();
        let e4 = board.parse_uci(b"e2e4").expect("legal");
        let d4 = board.parse_uci(b"d2d4").expect("legal");
        let mut tape = Tape::default();
        tape.push_comment("before");
        tape.push_move(e4);
        tape.begin_variation();
        tape.push_move(d4);
        tape.push_nag(Nag(1));
        tape.end_variation();
        tape.push_outcome(Outcome::Draw);
        assert_eq!(tape.main_line().collect::<Vec<_>>(), [e4]);
        assert_eq!(tape.get(2), Some(TapeOp::Begin(2)));
        assert_eq!(tape.skip(2), 6);
        assert!(!tape.end_variation());
        let mut copy = Tape::default();
        for op in tape.ops() {
            copy.push_from(&tape, op);
        }
        assert_eq!(copy, tape);
    }

    #[test]
    fn a_variation_starts_before_the_move_that_it_replaces() {
        let board = Board::standard();
        let mut replay = Replay::new(&board);
        assert!(!replay.begin());
        replay.play(board.parse_uci(b"e2e4").expect("legal"));
        let after = replay.now().clone();
        assert!(replay.begin());
        assert_eq!(replay.now(), &board);
        assert_eq!(replay.ply(), 0);
        assert!(!replay.begin());
        assert!(replay.end());
        assert_eq!(replay.now(), &after);
        assert_eq!(replay.ply(), 1);
        assert!(!replay.end());
    }
}
