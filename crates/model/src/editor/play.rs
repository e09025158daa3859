//! Moves: played, put in another's place, inserted, and the moves that follow kept as far as they can be.

use std::ops::Range;

use crate::board::{Board, Move};
use crate::game::Variant;
use crate::notation;
use crate::tape::{Replay, Tape, TapeOp};

use super::change::{GamePatch, PatchList, TapeItem};
use super::{EditError, GameEditor, tree};

/// The place for a new move.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum PlayMode {
    /// After the existing lines: as a variation, or at the end of the line if nothing follows.
    #[default]
    Variation,
    /// Before the existing lines, which become its variations.
    MainLine,
    /// Instead of the rest of the line, which is deleted; its alternatives stay.
    Overwrite,
    /// Instead of the next move only; everything else stays. `cut` allows dropping following moves that can no longer
    /// be played.
    Replace {
        /// Whether moves may be lost.
        cut: bool,
    },
}

impl GameEditor {
    /// Reads a move as people type it: in standard notation, in that of any known language, in that of engines, or as
    /// two squares; `--` is the null move.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read_move(&self, text: &str) -> Result<Move, EditError> {
        let text = text.trim();
        notation::read(self.board(), text, &self.letters).map_err(|error| match error {
            notation::MoveReadError::NoMove => EditError::NoMoveText {
                text: text.chars().take(40).collect(),
            },
            notation::MoveReadError::Illegal(why) => self.illegal(text, &why),
            notation::MoveReadError::Ambiguous(choices) => EditError::Ambiguous {
                text: text.to_owned(),
                choices,
            },
        })
    }

    fn illegal(&self, text: &str, why: &str) -> EditError {
        EditError::Illegal {
            text: text.chars().take(40).collect(),
            why: why.to_owned(),
            fen: self.board().to_fen(),
        }
    }

    /// Refuses moves that the rules do not allow at the cursor.
    fn check(&self, board: &Board, m: Move) -> Result<(), EditError> {
        if self.game.variant == Variant::Other {
            return Err(EditError::OtherRules);
        }
        let why = if m.is_null() {
            if !board.is_check() {
                return Ok(());
            }
            "a player in check cannot pass"
        } else if board.is_legal(m) {
            return Ok(());
        } else {
            "it is illegal"
        };
        Err(EditError::Illegal {
            text: uci(board, m),
            why: why.to_owned(),
            fen: board.to_fen(),
        })
    }

    /// Plays a move given as text: see [`GameEditor::read_move`] and [`GameEditor::play_move`].
    ///
    /// # Errors
    ///
    /// What is wrong with the move.
    pub fn play(&mut self, text: &str, how: PlayMode) -> Result<(), EditError> {
        if self.game.variant == Variant::Other {
            return Err(EditError::OtherRules);
        }
        let m = self.read_move(text)?;
        self.play_move(m, how)
    }

    /// Plays a move at the cursor and goes to the place after it. A move that is already there is not added again, but
    /// moved to its new place if `how` asks for that.
    ///
    /// # Errors
    ///
    /// [`EditError::Illegal`], [`EditError::WouldCut`].
    pub fn play_move(&mut self, m: Move, how: PlayMode) -> Result<(), EditError> {
        self.check(self.board(), m)?;
        let branches = self.branches();
        let known = branches.iter().position(|branch| branch.m == Some(m));
        if let Some(number) = known {
            let place = branches.get(number).map_or(0, |branch| branch.place);
            return match (number, how) {
                (0, _) | (_, PlayMode::Variation | PlayMode::Replace { .. }) => self.enter(number),
                (_, PlayMode::MainLine) => self.together("play", |editor| {
                    editor.go_to(place)?;
                    editor.promote_to_main()
                }),
                (_, PlayMode::Overwrite) => self.together("play", |editor| {
                    editor.go_to(place)?;
                    editor.promote_to_main()?;
                    let parent = editor.stand.parent.unwrap_or(0);
                    let here = editor.place();
                    editor.go_to(parent)?;
                    editor.enter(1)?;
                    editor.remove()?;
                    editor.go_to(here)
                }),
            };
        }
        if branches.is_empty() {
            return self.append(m);
        }
        let next = tree::next_move(self.tape(), self.place());
        match how {
            PlayMode::Variation => self.add_variation(next, m),
            PlayMode::MainLine => self.displace(next, m, true),
            PlayMode::Overwrite => self.displace(next, m, false),
            PlayMode::Replace { cut } => self.replace(next, m, cut),
        }
    }

    /// Adds a move at the end of the line.
    fn append(&mut self, m: Move) -> Result<(), EditError> {
        let slot = tree::append_slot(self.tape(), self.place());
        let mut pieces = PatchList::default();
        pieces.keep(0..slot);
        pieces.put(TapeItem::Move(m));
        pieces.keep(slot..self.tape().len());
        self.commit("play", GamePatch::of_tape(pieces), slot + 1)
    }

    /// Adds a variation of one move.
    fn add_variation(&mut self, next: usize, m: Move) -> Result<(), EditError> {
        let tape = self.tape();
        let slot = tree::variation_slot(tape, next);
        let mut pieces = PatchList::default();
        pieces.keep(0..slot);
        pieces.put_all([TapeItem::Begin, TapeItem::Move(m), TapeItem::End]);
        pieces.keep(slot..tape.len());
        self.commit("play", GamePatch::of_tape(pieces), slot + 2)
    }

    /// Plays a move as the continuation at the cursor; the old continuation becomes its first variation, or is removed.
    fn displace(&mut self, next: usize, m: Move, keep: bool) -> Result<(), EditError> {
        let tape = self.tape();
        let around = tree::around(tape, next);
        let end = tree::line_end(tape, next);
        let mut pieces = PatchList::default();
        pieces.keep(0..next);
        pieces.put(TapeItem::Move(m));
        if keep {
            pieces.put(TapeItem::Begin);
            pieces.keep(next..around.notes_end);
            pieces.keep(around.rest..end);
            pieces.put(TapeItem::End);
        }
        pieces.keep(around.notes_end..around.rest);
        pieces.keep(end..tape.len());
        self.commit("play", GamePatch::of_tape(pieces), next + 1)
    }

    /// Replaces the next move.
    fn replace(&mut self, next: usize, m: Move, cut: bool) -> Result<(), EditError> {
        let tape = self.tape();
        let around = tree::around(tape, next);
        let end = tree::line_end(tape, next);
        let mut board = self.board().clone();
        board.play(m);
        let rest = replay(tape, around.rest..end, &board);
        if rest.cut > 0 && !cut {
            return Err(EditError::WouldCut { moves: rest.cut });
        }
        let mut pieces = PatchList::default();
        pieces.keep(0..next);
        pieces.put(TapeItem::Move(m));
        pieces.keep(next + 1..around.rest);
        pieces.append(rest.pieces);
        pieces.keep(end..tape.len());
        self.commit("replace", GamePatch::of_tape(pieces), next + 1)
    }

    /// Inserts moves before the next one. The following moves stay as far as they can be played after the inserted ones;
    /// `cut` allows dropping the rest. The cursor is then after the last inserted move.
    ///
    /// # Errors
    ///
    /// [`EditError::Illegal`], [`EditError::WouldCut`], [`EditError::NothingToDo`] without moves.
    pub fn insert(&mut self, moves: &[Move], cut: bool) -> Result<(), EditError> {
        let mut board = self.board().clone();
        for &m in moves {
            self.check(&board, m)?;
            board.play(m);
        }
        if moves.is_empty() {
            return Err(EditError::NothingToDo);
        }
        let tape = self.tape();
        let next = tree::next_move(tape, self.place());
        if !tree::is_move(tape, next) {
            return self.add_line(moves);
        }
        let end = tree::line_end(tape, next);
        let rest = replay(tape, next..end, &board);
        if rest.cut > 0 && !cut {
            return Err(EditError::WouldCut { moves: rest.cut });
        }
        let mut pieces = PatchList::default();
        pieces.keep(0..next);
        pieces.put_all(moves.iter().map(|&m| TapeItem::Move(m)));
        pieces.append(rest.pieces);
        pieces.keep(end..tape.len());
        self.commit("insert", GamePatch::of_tape(pieces), next + moves.len())
    }

    /// Adds a line of moves from the cursor, following existing moves as far as they are the same, and goes to its end:
    /// one step.
    ///
    /// # Errors
    ///
    /// [`EditError::Illegal`]; no move of the line is added then.
    pub fn add_line(&mut self, moves: &[Move]) -> Result<(), EditError> {
        let mut board = self.board().clone();
        for &m in moves {
            self.check(&board, m)?;
            board.play(m);
        }
        let mut rest = moves;
        let mut place = self.place();
        let mut branches = self.branches();
        while let [m, more @ ..] = rest
            && let Some(branch) = branches.iter().find(|branch| branch.m == Some(*m))
        {
            (rest, place) = (more, branch.place);
            branches = tree::branches(self.tape(), place);
        }
        if rest.is_empty() {
            return self.go_to(place);
        }
        let tape = self.tape();
        let mut pieces = PatchList::default();
        let items = rest.iter().map(|&m| TapeItem::Move(m));
        let slot;
        let last;
        if branches.is_empty() {
            slot = tree::append_slot(tape, place);
            pieces.keep(0..slot);
            pieces.put_all(items);
            last = slot + rest.len();
        } else {
            slot = tree::variation_slot(tape, tree::next_move(tape, place));
            pieces.keep(0..slot);
            pieces.put(TapeItem::Begin);
            pieces.put_all(items);
            pieces.put(TapeItem::End);
            last = slot + rest.len() + 1;
        }
        pieces.keep(slot..tape.len());
        self.commit("add line", GamePatch::of_tape(pieces), last)
    }
}

/// Moves played from another position.
pub(super) struct ReplayResult {
    /// The remaining operations.
    pub(super) pieces: PatchList<TapeItem>,
    /// The number of moves that were removed.
    pub(super) cut: usize,
}

/// Replays the rest of a line from another position: each move that is legal there stays, with its variations; the first
/// illegal move ends its line.
pub(super) fn replay(tape: &Tape, range: Range<usize>, board: &Board) -> ReplayResult {
    let mut replay = Replay::new(board);
    let mut pieces = PatchList::default();
    let mut cut = 0;
    // For each open variation: the pieces before it, and whether it still has a move.
    let mut open: Vec<(PatchList<TapeItem>, bool)> = Vec::new();
    let mut i = range.start;
    while i < range.end {
        let Some(op) = tape.get(i) else { break };
        match op {
            TapeOp::Move(m) => match transfer(replay.now(), m) {
                Some(new) => {
                    if new == m {
                        pieces.keep(i..i + 1);
                    } else {
                        pieces.put(TapeItem::Move(new));
                    }
                    replay.play(new);
                    if let Some((_, has_move)) = open.last_mut() {
                        *has_move = true;
                    }
                }
                None => {
                    let end = tree::line_end(tape, i).min(range.end);
                    cut += (i..end).filter(|&at| tree::is_move(tape, at)).count();
                    let is_bare = matches!(open.last(), Some((_, false)));
                    i = end;
                    if is_bare && let Some((outer, _)) = open.pop() {
                        // This variation is empty now.
                        pieces = outer;
                        replay.end();
                        i += 1;
                    }
                    continue;
                }
            },
            TapeOp::Begin(_) if replay.begin() => {
                open.push((std::mem::take(&mut pieces), false));
                pieces.keep(i..i + 1);
            }
            TapeOp::Begin(_) => {
                i = tape.skip(i);
                continue;
            }
            TapeOp::End => {
                replay.end();
                pieces.keep(i..i + 1);
                if let Some((mut outer, _)) = open.pop() {
                    outer.append(std::mem::take(&mut pieces));
                    pieces = outer;
                }
            }
            TapeOp::Nag(_)
            | TapeOp::Comment(_)
            | TapeOp::Raw(_)
            | TapeOp::Ext(_)
            | TapeOp::Outcome(_) => {
                pieces.keep(i..i + 1);
            }
        }
        i += 1;
    }
    ReplayResult { pieces, cut }
}

/// The same move in another position, by its piece and squares, if it is legal there.
fn transfer(board: &Board, m: Move) -> Option<Move> {
    if m.is_null() {
        return (!board.is_check()).then_some(m);
    }
    if board.is_legal(m) {
        return Some(m);
    }
    if m.is_castle() {
        return None;
    }
    board
        .find_move(m.from(), m.to(), m.promotion())
        .filter(|new| new.role() == m.role() && !new.is_castle() && board.is_legal(*new))
}

/// A move in UCI notation, for messages.
fn uci(board: &Board, m: Move) -> String {
    let mut text = Vec::new();
    board.write_uci(m, crate::board::CastlingStyle::KingMoves, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
