//! The editor: a game, a cursor in its tree, and every change as a value with an inverse.
//!
//! An edit (a move, a comment, a promotion of a line) becomes an [`EditorChange`] that describes how the new tape is built from
//! the old one, and how to undo it; the editor applies it, moves the cursor and keeps it, so that undo and redo go as far as
//! the changes do and restore exactly the same tape. An invalid edit is an [`EditError`], and nothing changes. Parts that the
//! editor does not understand (unreadable movetext, extensions of one format, commands in comments) stay unchanged unless the
//! item they belong to is deleted.
//!
//! A [`Draft`](draft) records all of it: the original game, and line by line the changes.
//!
//! ```
//! use tabiya_model::editor::{GameEditor, PlayMode, CommentSide};
//! use tabiya_model::Game;
//!
//! let mut editor = GameEditor::new(Game::default())?;
//! editor.play("e4", PlayMode::Variation)?;
//! editor.play("Sf6", PlayMode::Variation)?;
//! editor.back()?;
//! editor.play("e5", PlayMode::Variation)?;
//! editor.set_text(CommentSide::After, "the old way")?;
//! editor.promote()?;
//! assert_eq!(editor.path().to_string(), "2");
//! while editor.undo().is_ok() {}
//! assert!(editor.game().tape.is_empty());
//! # Ok::<(), tabiya_model::editor::EditError>(())
//! ```

mod annotations;
mod change;
mod comment_text;
pub mod draft;
mod error;
mod header;
pub mod laws;
mod lines;
mod merge;
mod path;
mod play;
mod strip;
mod tree;

pub use self::annotations::CommentSide;
pub use self::change::{EditorChange, GamePatch, NewTag, PatchList, PatchPart, TapeItem};
pub use self::error::EditError;
pub use self::merge::MergeOptions;
pub use self::path::TreePath;
pub use self::play::PlayMode;
pub use self::strip::{StripOptions, StripReport, strip, strip_patch};
pub use self::tree::TreeBranch;

use crate::board::Board;
use crate::game::Game;
use crate::tape::Tape;

use self::tree::TreePosition;

/// A game that is being changed.
#[derive(Clone, Debug)]
pub struct GameEditor {
    game: Game,
    stand: TreePosition,
    done: Vec<EditorChange>,
    undone: Vec<EditorChange>,
    /// The piece letters that are tried first: king, queen, rook, bishop, knight, pawn.
    letters: Vec<char>,
}

impl GameEditor {
    /// Takes a game, with the cursor at its start.
    ///
    /// # Errors
    ///
    /// [`EditError::BadTape`] if the tape breaks its grammar; no reader produces such a tape.
    pub fn new(game: Game) -> Result<GameEditor, EditError> {
        if !game.tape.is_well_formed() || game.tape.depth() > 0 {
            return Err(EditError::BadTape);
        }
        let stand = TreePosition::at(&game.start_board(), &game.tape, 0)?;
        Ok(GameEditor {
            game,
            stand,
            done: Vec::new(),
            undone: Vec::new(),
            letters: Vec::new(),
        })
    }

    /// Tries the piece letters of a language first: those of king, queen, rook, bishop, knight and pawn, such as
    /// `KDTLSB`. The default is English first, and other languages if English gives no move.
    pub fn read_letters(&mut self, letters: &str) {
        self.letters = letters.chars().collect();
    }

    /// The current game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The game, without further changes.
    pub fn into_game(self) -> Game {
        self.game
    }

    fn tape(&self) -> &Tape {
        &self.game.tape
    }

    /// The cursor: the number of operations of the tape before it.
    pub fn place(&self) -> usize {
        self.stand.place
    }

    /// The position at the cursor.
    pub fn board(&self) -> &Board {
        &self.stand.board
    }

    /// Plies from the start of the game to the cursor.
    pub fn ply(&self) -> u32 {
        self.stand.ply
    }

    /// The number of variations around the cursor.
    pub fn depth(&self) -> usize {
        self.stand.frames.len()
    }

    /// The continuations at the cursor, that of the line first.
    pub fn branches(&self) -> Vec<TreeBranch> {
        tree::branches(self.tape(), self.place())
    }

    /// Puts the cursor at a place, as [`GameEditor::place`] and [`TreeBranch::place`] name them.
    ///
    /// # Errors
    ///
    /// [`EditError::NoSuchPlace`] if it does not follow a move or a start.
    pub fn go_to(&mut self, place: usize) -> Result<(), EditError> {
        self.stand = TreePosition::at(&self.game.start_board(), self.tape(), place)?;
        Ok(())
    }

    /// Goes one move forward along the line.
    ///
    /// # Errors
    ///
    /// [`EditError::NothingBehind`] at the end of the line.
    pub fn forward(&mut self) -> Result<(), EditError> {
        self.enter(0).map_err(|_| EditError::NothingBehind)
    }

    /// Goes one move back; from the first move of a variation to the place before the move that it replaces.
    ///
    /// # Errors
    ///
    /// [`EditError::AtStart`].
    pub fn back(&mut self) -> Result<(), EditError> {
        let parent = self.stand.parent.ok_or(EditError::AtStart)?;
        self.go_to(parent)
    }

    /// Goes to the start of the game.
    pub fn to_start(&mut self) {
        // Every game has a start.
        let went = self.go_to(0);
        debug_assert!(went.is_ok());
    }

    /// Goes to the last move of the line.
    pub fn to_end(&mut self) {
        let mut place = self.place();
        loop {
            let next = tree::next_move(self.tape(), place);
            if !tree::is_move(self.tape(), next) {
                break;
            }
            place = next + 1;
        }
        let went = self.go_to(place);
        debug_assert!(went.is_ok());
    }

    /// Follows one of the [`GameEditor::branches`]: 0 along the line, the others into variations.
    ///
    /// # Errors
    ///
    /// [`EditError::NoSuchBranch`].
    pub fn enter(&mut self, number: usize) -> Result<(), EditError> {
        let branches = self.branches();
        let Some(branch) = branches.get(number) else {
            return Err(EditError::NoSuchBranch {
                number,
                count: branches.len(),
            });
        };
        let Some(m) = branch.m.filter(|_| branch.begin.is_none()) else {
            return self.go_to(branch.place);
        };
        // For the next move of the line, nothing before it needs to be read.
        self.stand.parent = Some(self.stand.place);
        self.stand.place = branch.place;
        self.stand.ply += 1;
        self.stand.board.play(m);
        Ok(())
    }

    /// Leaves the variation around the cursor, to its branch.
    ///
    /// # Errors
    ///
    /// [`EditError::NotInVariation`].
    pub fn leave(&mut self) -> Result<(), EditError> {
        let frame = *self.stand.frames.last().ok_or(EditError::NotInVariation)?;
        self.go_to(frame.replaces + 1)?;
        self.back()
    }

    /// The changes that can be undone, the oldest first.
    pub fn done(&self) -> &[EditorChange] {
        &self.done
    }

    /// The changes that can be redone, the next one last.
    pub fn undone(&self) -> &[EditorChange] {
        &self.undone
    }

    /// Undoes the last change and returns its name.
    ///
    /// # Errors
    ///
    /// [`EditError::NothingToUndo`].
    pub fn undo(&mut self) -> Result<&str, EditError> {
        let change = self.done.pop().ok_or(EditError::NothingToUndo)?;
        if let Err(error) = change.inverse().apply(&mut self.game) {
            self.done.push(change);
            return Err(error);
        }
        self.go_to(change.before)?;
        self.undone.push(change);
        Ok(self.undone.last().map_or("", |change| &change.wish))
    }

    /// Redoes the last undone change and returns its name.
    ///
    /// # Errors
    ///
    /// [`EditError::NothingToRedo`].
    pub fn redo(&mut self) -> Result<&str, EditError> {
        let change = self.undone.pop().ok_or(EditError::NothingToRedo)?;
        if let Err(error) = change.apply(&mut self.game) {
            self.undone.push(change);
            return Err(error);
        }
        self.go_to(change.after)?;
        self.done.push(change);
        Ok(self.done.last().map_or("", |change| &change.wish))
    }

    /// Applies a change that was made elsewhere for this same game, such as one from a draft or a web app.
    ///
    /// # Errors
    ///
    /// [`EditError::NotOfThisGame`] if it does not apply; nothing has changed then.
    pub fn apply(&mut self, change: &EditorChange) -> Result<(), EditError> {
        let undoes = change::apply_all(&change.does, &mut self.game)?;
        let playable = draft::is_playable(&self.game.start_board(), self.tape());
        self.keep(change, undoes, playable)
    }

    /// Keeps an applied change, or undoes it.
    fn keep(
        &mut self,
        change: &EditorChange,
        undoes: Vec<GamePatch>,
        playable: bool,
    ) -> Result<(), EditError> {
        let before = self.place();
        let went = match playable {
            true => self.go_to(change.after),
            false => Err(EditError::NotOfThisGame),
        };
        if let Err(error) = went {
            let undone = change::apply_all(&undoes, &mut self.game);
            debug_assert!(undone.is_ok());
            return Err(error);
        }
        self.undone.clear();
        self.done.push(EditorChange {
            wish: change.wish.clone(),
            does: change.does.clone(),
            undoes,
            before,
            after: change.after,
        });
        Ok(())
    }

    /// Makes one step of several edits: all of them or none, undone together.
    ///
    /// # Errors
    ///
    /// The error of the edit that failed.
    pub fn together<T>(
        &mut self,
        wish: &str,
        wishes: impl FnOnce(&mut GameEditor) -> Result<T, EditError>,
    ) -> Result<T, EditError> {
        let first = self.done.len();
        let before = self.place();
        let undone = std::mem::take(&mut self.undone);
        match wishes(self) {
            Ok(value) => {
                let steps = self.done.split_off(first.min(self.done.len()));
                if steps.is_empty() {
                    self.undone = undone;
                    return Ok(value);
                }
                let after = self.place();
                let undoes = steps.iter().rev().flat_map(|step| step.undoes.clone());
                self.done.push(EditorChange {
                    wish: wish.to_owned(),
                    undoes: undoes.collect(),
                    does: steps.into_iter().flat_map(|step| step.does).collect(),
                    before,
                    after,
                });
                Ok(value)
            }
            Err(error) => {
                while self.done.len() > first {
                    self.undo()?;
                }
                self.undone = undone;
                self.go_to(before)?;
                Err(error)
            }
        }
    }

    /// Applies a patch as one step; the cursor is then at `after`.
    fn commit(&mut self, wish: &str, patch: GamePatch, after: usize) -> Result<(), EditError> {
        let change = EditorChange {
            wish: wish.to_owned(),
            does: vec![patch],
            undoes: Vec::new(),
            before: self.place(),
            after,
        };
        let undoes = change::apply_all(&change.does, &mut self.game)?;
        self.keep(&change, undoes, true)
    }

    /// Applies new pieces of the tape as one step; the cursor is then after the operation at `last` of the old tape, or at
    /// the start.
    fn commit_pieces(
        &mut self,
        wish: &str,
        pieces: PatchList<TapeItem>,
        last: Option<usize>,
    ) -> Result<(), EditError> {
        let after = last
            .and_then(|old| pieces.find(old))
            .map_or(0, |new| new + 1);
        self.commit(wish, GamePatch::of_tape(pieces), after)
    }
}
