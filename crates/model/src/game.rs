//! A game: tags, start, tape, result, and its origin.

use crate::board::{Board, PositionProblems};
use crate::diagnostic::Diagnostics;
use crate::outcome::Outcome;
use crate::tags::Tags;
use crate::tape::Tape;

/// The rules that a game is played by.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// Standard chess.
    #[default]
    Standard,
    /// Chess960: standard chess from other starting positions, with its own castling.
    Chess960,
    /// Another variant: its movetext is kept raw; its name is in the Variant tag.
    Other,
}

impl Variant {
    /// The variant for the value of a Variant tag.
    pub fn from_name(name: &str) -> Variant {
        let plain: String = name
            .chars()
            .filter(|c| c.is_alphanumeric())
            .take(40)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        match plain.as_str() {
            "" | "standard" | "chess" | "normal" | "fromposition" | "standardchess"
            | "orthodox" | "classic" | "classical" => Variant::Standard,
            "chess960" | "fischerandom" | "fischerrandom" | "fischerrandomchess"
            | "fischerandomchess" | "freestylechess" | "freestyle" | "960" | "frc" => {
                Variant::Chess960
            }
            _ => Variant::Other,
        }
    }
}

/// The position that a game starts from.
///
/// The `FEN`, `SetUp` and `Variant` tags stay in the tags as in the source (readers of formats without tags add them);
/// this is their meaning. If they are not valid, the moves are raw text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StartingPosition {
    /// The normal starting position.
    #[default]
    Standard,
    /// A custom starting position, with its problems.
    Setup(Box<Board>, PositionProblems),
}

/// The place of a game in its source.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct GameOrigin {
    /// Its number, from 1; in a block of an unnumbered source it counts from the block's start.
    pub number: u64,
    /// Offset of its first byte.
    pub byte: u64,
    /// Its length in bytes.
    pub length: u64,
    /// Its first line, from 1; 0 if the source has no lines.
    pub line: u64,
}

/// A game of chess.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// The tags of the game.
    pub tags: Tags,
    /// The position before the first move.
    pub start: StartingPosition,
    /// The rules.
    pub variant: Variant,
    /// Moves, variations, comments, NAGs.
    pub tape: Tape,
    /// The result at the end of the movetext, if there is one; kept apart from the Result tag.
    pub outcome: Option<Outcome>,
    /// The findings of the reader.
    pub diagnostics: Diagnostics,
    /// Its place in the source.
    pub origin: GameOrigin,
}

/// The tag that carries flags of games, in Scid's letters (`D` for deleted).
pub const FLAGS_TAG: &str = "ScidFlags";

/// The tag for the result at the end of the movetext, if it differs from the Result tag and a format has one field for
/// both.
pub const ENDING_TAG: &str = "MovetextResult";

impl Game {
    /// Removes everything and keeps the memory.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.start = StartingPosition::Standard;
        self.variant = Variant::Standard;
        self.tape.clear();
        self.outcome = None;
        self.diagnostics.clear();
        self.origin = GameOrigin::default();
    }

    /// The position before the first move.
    pub fn start_board(&self) -> Board {
        match &self.start {
            StartingPosition::Standard => Board::standard(),
            StartingPosition::Setup(board, _) => (**board).clone(),
        }
    }

    /// Whether a tag only repeats the starting position: the first FEN of a position, and the first mark of one. A
    /// further one is an ordinary tag, and so is a FEN that says more than the position, and a mark that is not `1`.
    pub fn is_start_tag(&self, index: usize) -> bool {
        matches!(self.start, StartingPosition::Setup(..))
            && self.tags.at(index).is_some_and(|tag| {
                let says_it = match tag.name {
                    "FEN" => !self.fen_says_more(),
                    "SetUp" => tag.value == "1",
                    _ => false,
                };
                says_it && self.tags.position(tag.name) == Some(index)
            })
    }

    /// Whether a part of the FEN tag is not in its position: text after its fields, or a field without meaning there.
    pub fn fen_says_more(&self) -> bool {
        let more = PositionProblems::EXTRA_TEXT
            | PositionProblems::BAD_COUNTER
            | PositionProblems::BAD_CASTLING
            | PositionProblems::BAD_EN_PASSANT
            | PositionProblems::VARIANT_MARKS;
        // The tag is checked: a format may store the position without it.
        matches!(self.start, StartingPosition::Setup(..))
            && (self.tags.get("FEN"))
                .and_then(|fen| Board::from_fen(fen).ok())
                .is_some_and(|(_, problems)| problems.without(more) != problems)
    }

    /// The result: of the Result tag, or of the movetext; if there are two, a definite one.
    pub fn result(&self) -> Outcome {
        match self.tags.result() {
            None | Some(Outcome::Unknown) => self.outcome.unwrap_or(Outcome::Unknown),
            Some(outcome) => outcome,
        }
    }

    /// The result at the end of the movetext, which may differ from the tag; if there is none, that of the tag.
    pub fn ending(&self) -> Outcome {
        (self.outcome.or_else(|| self.tags.result())).unwrap_or(Outcome::Unknown)
    }

    /// Whether the source marks the game as deleted.
    pub fn is_deleted(&self) -> bool {
        self.tags.value(FLAGS_TAG).contains('D')
    }
}
