//! Why an edit is not possible, in one sentence each. After such an error, nothing has changed.

use thiserror::Error;

use crate::error::ErrorCode;
use crate::error_codes as codes;

/// Why an edit is not possible.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum EditError {
    /// The move is illegal here.
    #[error("the move {text} is not possible here: {why} (position: {fen})")]
    Illegal {
        /// The requested move.
        text: String,
        /// The reason.
        why: String,
        /// The position.
        fen: String,
    },
    /// The text is not a move.
    #[error("{text:?} is not a move")]
    NoMoveText {
        /// The text.
        text: String,
    },
    /// The text matches several moves.
    #[error("{text} is ambiguous: write {choices}")]
    Ambiguous {
        /// The text.
        text: String,
        /// The moves, in standard notation.
        choices: String,
    },
    /// Moves that follow could no longer be played.
    #[error("{moves} of the following moves could no longer be played: allow them to be cut off")]
    WouldCut {
        /// The number of moves, those of variations among them.
        moves: usize,
    },
    /// A variation cannot precede the first move of its line.
    #[error("a variation replaces a move, and there is none here yet: play the move first")]
    NothingToReplace,
    /// The cursor is at the start.
    #[error("the cursor is at the start of the game, before the first move")]
    AtStart,
    /// There is no move before the cursor.
    #[error("there is no move before the cursor")]
    NothingBefore,
    /// There is no move after the cursor.
    #[error("there is no move after the cursor")]
    NothingBehind,
    /// There is no such continuation.
    #[error("there is no continuation {number} here: the count is {count}")]
    NoSuchBranch {
        /// The requested number, from 0.
        number: usize,
        /// Their number.
        count: usize,
    },
    /// The cursor is on the main line.
    #[error("the cursor is not in a variation")]
    NotInVariation,
    /// The line is already the first.
    #[error("this line is already the first")]
    FirstAlready,
    /// The line is already the last.
    #[error("this line is already the last")]
    LastAlready,
    /// There is no such place.
    #[error("this game has no move at the place {place}")]
    NoSuchPlace {
        /// The place.
        place: String,
    },
    /// There is no such comment, NAG or tag.
    #[error("{what} is not here")]
    NotHere {
        /// The missing item.
        what: String,
    },
    /// There is nothing to change.
    #[error("nothing to change")]
    NothingToDo,
    /// A tag that is derived from another part of the game.
    #[error("the tag {name} is derived from {from}: change that instead")]
    Derived {
        /// The tag.
        name: String,
        /// The part that it is derived from.
        from: &'static str,
    },
    /// Not a valid tag name.
    #[error("{name:?} is not a tag name: use letters, digits and _")]
    BadTagName {
        /// The name.
        name: String,
    },
    /// The text is not a position.
    #[error("{fen:?} is not a position: {why}")]
    BadPosition {
        /// The text.
        fen: String,
        /// The reason.
        why: String,
    },
    /// The rules of the variant are not known.
    #[error("the rules of this variant are not known, so no moves can be played")]
    OtherRules,
    /// The other game never reaches the position.
    #[error("the other game does not reach this position")]
    NotReached,
    /// Nothing to undo.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// Nothing to redo.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// The tape is full.
    #[error("the game is full: it cannot hold more moves or text")]
    Full,
    /// The tape breaks its grammar.
    #[error("the moves of this game are malformed: a variation does not end, or replaces no move")]
    BadTape,
    /// The change was made for another game, or another version of this one.
    #[error(
        "the change does not belong to this game: it was made for another game, or another version of it"
    )]
    NotOfThisGame,
    /// The draft cannot be read.
    #[error("line {line} of the draft cannot be read: expected {wanted} at byte {at}")]
    BadDraft {
        /// The line, from 1.
        line: usize,
        /// The byte in that line, from 0.
        at: usize,
        /// What was expected.
        wanted: &'static str,
    },
}

impl EditError {
    /// What is wrong, for programs and translations.
    #[must_use]
    pub fn code(&self) -> &'static ErrorCode {
        match self {
            EditError::Illegal { .. } => &codes::EDIT_ILLEGAL,
            EditError::NoMoveText { .. } => &codes::EDIT_NO_MOVE_TEXT,
            EditError::Ambiguous { .. } => &codes::EDIT_AMBIGUOUS,
            EditError::WouldCut { .. } => &codes::EDIT_WOULD_CUT,
            EditError::NothingToReplace => &codes::EDIT_NOTHING_TO_REPLACE,
            EditError::AtStart => &codes::EDIT_AT_START,
            EditError::NothingBefore => &codes::EDIT_NOTHING_BEFORE,
            EditError::NothingBehind => &codes::EDIT_NOTHING_BEHIND,
            EditError::NoSuchBranch { .. } => &codes::EDIT_NO_SUCH_BRANCH,
            EditError::NotInVariation => &codes::EDIT_NOT_IN_VARIATION,
            EditError::FirstAlready => &codes::EDIT_FIRST_ALREADY,
            EditError::LastAlready => &codes::EDIT_LAST_ALREADY,
            EditError::NoSuchPlace { .. } => &codes::EDIT_NO_SUCH_PLACE,
            EditError::NotHere { .. } => &codes::EDIT_NOT_HERE,
            EditError::NothingToDo => &codes::EDIT_NOTHING_TO_DO,
            EditError::Derived { .. } => &codes::EDIT_DERIVED,
            EditError::BadTagName { .. } => &codes::EDIT_BAD_TAG_NAME,
            EditError::BadPosition { .. } => &codes::EDIT_BAD_POSITION,
            EditError::OtherRules => &codes::EDIT_OTHER_RULES,
            EditError::NotReached => &codes::EDIT_NOT_REACHED,
            EditError::NothingToUndo => &codes::EDIT_NOTHING_TO_UNDO,
            EditError::NothingToRedo => &codes::EDIT_NOTHING_TO_REDO,
            EditError::Full => &codes::EDIT_FULL,
            EditError::BadTape => &codes::EDIT_BAD_TAPE,
            EditError::NotOfThisGame => &codes::EDIT_NOT_OF_THIS_GAME,
            EditError::BadDraft { .. } => &codes::EDIT_BAD_DRAFT,
        }
    }
}

impl From<EditError> for crate::error::Error {
    fn from(error: EditError) -> crate::error::Error {
        let told = crate::error::Error::new(error.code(), error.to_string());
        let told = match &error {
            EditError::Illegal { text, .. } | EditError::NoMoveText { text } => {
                told.with("move", text)
            }
            EditError::Ambiguous { text, choices } => {
                // Moves have no spaces: this is the English between them.
                let choices = choices.replace(" or ", ", ");
                told.with("move", text).with("choices", choices)
            }
            EditError::WouldCut { moves } => told.with("count", moves),
            EditError::NoSuchBranch { number, count } => {
                told.with("number", number).with("count", count)
            }
            EditError::NoSuchPlace { place } => told.with("place", place),
            EditError::Derived { name, .. } | EditError::BadTagName { name } => {
                told.with("tag", name)
            }
            EditError::BadPosition { fen, .. } => told.with("fen", fen),
            EditError::BadDraft { line, at, .. } => told.with("line", line).with("byte", at),
            _ => told,
        };
        told.because(error)
    }
}
