//! Tags, the start position and the result.

use crate::board::Board;
use crate::game::{Game, StartingPosition, Variant};
use crate::outcome::Outcome;
use crate::tags::{ROSTER, Tags};

use super::change::{GamePatch, NewTag, PatchList};
use super::play::replay;
use super::{EditError, GameEditor, tree};

/// Tags that describe the starting position.
const START_TAGS: [&str; 2] = ["FEN", "SetUp"];

impl GameEditor {
    /// Sets the first tag with a name, or adds it: a tag of the Seven Tag Roster in its place, others at the end. The
    /// result and the variant follow their tags.
    ///
    /// # Errors
    ///
    /// [`EditError::BadTagName`]; [`EditError::Derived`] for the tags of the starting position.
    pub fn set_tag(&mut self, name: &str, value: &str) -> Result<(), EditError> {
        let tags = &self.game.tags;
        check_name(tags, name)?;
        if tags.get(name) == Some(value) && name != "Result" {
            return Ok(());
        }
        if name == "Result"
            && let Some(outcome) = Outcome::from_pgn(value)
        {
            return self.set_result(outcome);
        }
        if name == "Variant" {
            return self.set_variant(value);
        }
        let pieces = with_tag(tags, name, value);
        self.commit_tags("set tag", pieces)
    }

    fn set_variant(&mut self, value: &str) -> Result<(), EditError> {
        let named = Variant::from_name(value);
        let variant = match named {
            Variant::Standard if self.game.start_board().is_chess960() => Variant::Chess960,
            other => other,
        };
        if variant == Variant::Other && self.game.tape.plies() > 0 {
            return Err(EditError::OtherRules);
        }
        let patch = GamePatch {
            tags: Some(with_tag(&self.game.tags, "Variant", value)),
            start: Some((self.game.start.clone(), variant)),
            ..GamePatch::default()
        };
        self.commit("set tag", patch, self.place())
    }

    /// Adds a tag at the end, even if there is one with the same name.
    ///
    /// # Errors
    ///
    /// As [`GameEditor::set_tag`].
    pub fn add_tag(&mut self, name: &str, value: &str) -> Result<(), EditError> {
        let tags = &self.game.tags;
        check_name(tags, name)?;
        if tags.position(name).is_none() {
            return self.set_tag(name, value);
        }
        let mut pieces = PatchList::default();
        pieces.keep(0..tags.len());
        pieces.put((name.into(), value.into()));
        self.commit_tags("add tag", pieces)
    }

    /// Sets the value of the tag at an index.
    ///
    /// # Errors
    ///
    /// [`EditError::NotHere`], and as [`GameEditor::set_tag`].
    pub fn set_tag_at(&mut self, index: usize, value: &str) -> Result<(), EditError> {
        let (name, _) = self.owned_tag(index)?;
        if self.game.tags.position(&name.text) == Some(index) {
            return self.set_tag(&name.text, value);
        }
        check_name(&self.game.tags, &name.text)?;
        let mut pieces = PatchList::default();
        pieces.keep(0..index);
        pieces.put((name, value.into()));
        pieces.keep(index + 1..self.game.tags.len());
        self.commit_tags("set tag", pieces)
    }

    /// Removes the tag at an index.
    ///
    /// # Errors
    ///
    /// [`EditError::NotHere`], and as [`GameEditor::set_tag`].
    pub fn remove_tag_at(&mut self, index: usize) -> Result<(), EditError> {
        let (name, _) = self.owned_tag(index)?;
        check_name(&self.game.tags, &name.text)?;
        if self.game.tags.position(&name.text) == Some(index) && name.text == "Variant" {
            return self.remove_tag("Variant");
        }
        let mut pieces = PatchList::default();
        pieces.keep(0..index);
        pieces.keep(index + 1..self.game.tags.len());
        self.commit_tags("remove tag", pieces)
    }

    /// Removes every tag of a name.
    ///
    /// # Errors
    ///
    /// [`EditError::NotHere`] if there is none, and as [`GameEditor::set_tag`].
    pub fn remove_tag(&mut self, name: &str) -> Result<(), EditError> {
        let tags = &self.game.tags;
        check_name(tags, name)?;
        if tags.position(name).is_none() {
            return Err(EditError::NotHere {
                what: format!("the tag {name}"),
            });
        }
        let mut patch = GamePatch {
            tags: Some(without_tags(tags, |other| other == name)),
            ..GamePatch::default()
        };
        if name == "Variant" {
            let board = self.game.start_board();
            let variant = if board.is_chess960() {
                Variant::Chess960
            } else {
                Variant::Standard
            };
            patch.start = Some((self.game.start.clone(), variant));
        }
        self.commit("remove tag", patch, self.place())
    }

    fn owned_tag(&self, index: usize) -> Result<NewTag, EditError> {
        self.game.tags.owned(index).ok_or(EditError::NotHere {
            what: format!("tag number {index}"),
        })
    }

    fn commit_tags(&mut self, wish: &str, pieces: PatchList<NewTag>) -> Result<(), EditError> {
        let patch = GamePatch {
            tags: Some(pieces),
            ..GamePatch::default()
        };
        self.commit(wish, patch, self.place())
    }

    /// Sets the result: of the movetext and of the tag.
    ///
    /// # Errors
    ///
    /// Only [`EditError::Full`].
    pub fn set_result(&mut self, outcome: Outcome) -> Result<(), EditError> {
        let same_tag = self.game.tags.get("Result") == Some(outcome.as_pgn());
        if same_tag && self.game.outcome == Some(outcome) {
            return Ok(());
        }
        let patch = GamePatch {
            tags: (!same_tag).then(|| with_tag(&self.game.tags, "Result", outcome.as_pgn())),
            outcome: Some(Some(outcome)),
            ..GamePatch::default()
        };
        self.commit("set result", patch, self.place())
    }

    /// Sets the starting position of the game; without one, the normal one. Its moves stay as far as they can be played
    /// from there; `cut` allows dropping the others.
    ///
    /// # Errors
    ///
    /// [`EditError::BadPosition`], [`EditError::WouldCut`].
    pub fn set_start(&mut self, fen: Option<&str>, cut: bool) -> Result<(), EditError> {
        let start = match fen {
            None => StartingPosition::Standard,
            Some(fen) => {
                let (board, problems) =
                    Board::from_fen(fen).map_err(|error| EditError::BadPosition {
                        fen: fen.chars().take(120).collect(),
                        why: error.what.to_owned(),
                    })?;
                if board == Board::standard() && problems.is_empty() {
                    StartingPosition::Standard
                } else {
                    StartingPosition::Setup(Box::new(board), problems)
                }
            }
        };
        let board = match &start {
            StartingPosition::Standard => Board::standard(),
            StartingPosition::Setup(board, _) => (**board).clone(),
        };
        let variant = variant_of(&self.game, &board);
        let mut patch = start_patch(&self.game, &start, variant);
        let tape = self.tape();
        let mut pieces = PatchList::default();
        if board != self.game.start_board() {
            let first = tree::next_move(tape, 0);
            let rest = replay(tape, first..tape.len(), &board);
            if rest.cut > 0 && !cut {
                return Err(EditError::WouldCut { moves: rest.cut });
            }
            pieces.keep(0..first);
            pieces.append(rest.pieces);
        } else {
            pieces.keep(0..tape.len());
        }
        let last = self.place().checked_sub(1).and_then(|at| pieces.find(at));
        patch.tape = Some(pieces);
        self.commit("set start", patch, last.map_or(0, |at| at + 1))
    }
}

/// The variant of a game that starts from a board: the one in its tag, and Chess960 if castling needs that.
pub(super) fn variant_of(game: &Game, board: &Board) -> Variant {
    let named = game
        .tags
        .iter()
        .find(|tag| tag.name.eq_ignore_ascii_case("Variant"))
        .map_or(Variant::Standard, |tag| Variant::from_name(tag.value));
    match named {
        Variant::Standard if board.is_chess960() => Variant::Chess960,
        other => other,
    }
}

/// A patch that gives a game another starting position, with its tags.
pub(super) fn start_patch(game: &Game, start: &StartingPosition, variant: Variant) -> GamePatch {
    let tags = &game.tags;
    let is_start = |name: &str| START_TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag));
    let new_tags = match start {
        StartingPosition::Standard if !tags.iter().any(|tag| is_start(tag.name)) => None,
        StartingPosition::Standard => Some(without_tags(tags, is_start)),
        StartingPosition::Setup(board, _) => {
            let mut pieces = PatchList::default();
            let mut missing = vec![("SetUp", "1".to_owned()), ("FEN", board.to_fen())];
            for (index, tag) in tags.iter().enumerate() {
                if !is_start(tag.name) {
                    pieces.keep(index..index + 1);
                    continue;
                }
                let at = missing
                    .iter()
                    .position(|(name, _)| tag.name.eq_ignore_ascii_case(name));
                // Only the first tag of a name counts; further ones are removed, since they could contradict it.
                if let Some((_, value)) = at.map(|at| missing.remove(at)) {
                    if value == tag.value {
                        pieces.keep(index..index + 1);
                    } else {
                        pieces.put((tag.name.into(), value.as_str().into()));
                    }
                }
            }
            pieces.put_all(
                missing
                    .iter()
                    .map(|(name, value)| ((*name).into(), value.as_str().into())),
            );
            Some(pieces)
        }
    };
    GamePatch {
        tags: new_tags,
        start: Some((start.clone(), variant)),
        ..GamePatch::default()
    }
}

/// Refuses names that no tag can have, and tags that describe the starting position.
fn check_name(tags: &Tags, name: &str) -> Result<(), EditError> {
    if START_TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag)) {
        return Err(EditError::Derived {
            name: name.to_owned(),
            from: "the starting position",
        });
    }
    let fits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if fits || tags.position(name).is_some() {
        Ok(())
    } else {
        Err(EditError::BadTagName {
            name: name.chars().take(40).collect(),
        })
    }
}

/// The tags with a new value for the first of a name, or with one more tag.
fn with_tag(tags: &Tags, name: &str, value: &str) -> PatchList<NewTag> {
    let mut pieces = PatchList::default();
    let (at, next) = match tags.position(name) {
        Some(at) => (at, at + 1),
        None => {
            let slot = slot_of(tags, name);
            (slot, slot)
        }
    };
    pieces.keep(0..at);
    pieces.put((name.into(), value.into()));
    pieces.keep(next..tags.len());
    pieces
}

/// The place for a tag that is missing.
fn slot_of(tags: &Tags, name: &str) -> usize {
    let rank = |name: &str| ROSTER.iter().position(|known| *known == name);
    let Some(own) = rank(name) else {
        return tags.len();
    };
    tags.iter()
        .position(|tag| rank(tag.name).is_none_or(|other| other > own))
        .unwrap_or(tags.len())
}

/// The tags without those of some names.
pub(super) fn without_tags(tags: &Tags, goes: impl Fn(&str) -> bool) -> PatchList<NewTag> {
    let mut pieces = PatchList::default();
    for (index, tag) in tags.iter().enumerate() {
        if !goes(tag.name) {
            pieces.keep(index..index + 1);
        }
    }
    pieces
}
