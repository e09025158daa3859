//! Taking things out of a game by their kind: the one function for one game in an editor and for many in a conversion.

use std::borrow::Cow;

use crate::game::{FLAGS_TAG, Game};
use crate::tape::TapeOp;

use super::change::{GamePatch, PatchList, TapeItem};
use super::comment_text::{self, CommentPartKind};
use super::tree::TreePosition;
use super::{EditError, GameEditor, header};

/// The parts to remove.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct StripOptions {
    /// The words of comments, and commands in them that belong to no kind below.
    pub comments: bool,
    /// Variations with everything in them.
    pub variations: bool,
    /// NAGs.
    pub nags: bool,
    /// Clocks and times of moves.
    pub clocks: bool,
    /// Evaluations.
    pub evaluations: bool,
    /// Arrows and coloured squares.
    pub marks: bool,
    /// The flags of the game.
    pub flags: bool,
    /// Tags of these names, in any case.
    pub tags: Vec<String>,
    /// If not empty: removes all tags except these names, in any case. Flags are a separate kind.
    pub only_tags: Vec<String>,
}

impl StripOptions {
    /// The words for the kinds, as [`StripOptions::add`] takes them; a tag is `tag:Name`.
    pub const KINDS: [&'static str; 7] = [
        "comments",
        "variations",
        "nags",
        "clocks",
        "evaluations",
        "marks",
        "flags",
    ];

    /// Adds a kind by its word; false if the word is unknown.
    pub fn add(&mut self, word: &str) -> bool {
        if let Some(name) = word.strip_prefix("tag:") {
            self.tags.push(name.to_owned());
            return !name.is_empty();
        }
        let kind = match word {
            "comments" => &mut self.comments,
            "variations" => &mut self.variations,
            "nags" => &mut self.nags,
            "clocks" => &mut self.clocks,
            "evaluations" => &mut self.evaluations,
            "marks" => &mut self.marks,
            "flags" => &mut self.flags,
            _ => return false,
        };
        *kind = true;
        true
    }

    /// Everything except some kinds; if no tag is among them, all tags stay.
    ///
    /// # Errors
    ///
    /// The unknown word.
    pub fn all_but<S: AsRef<str>>(words: &[S]) -> Result<StripOptions, String> {
        let mut kept = StripOptions::default();
        for word in words {
            let word = word.as_ref();
            if !kept.add(word) {
                return Err(word.to_owned());
            }
        }
        Ok(StripOptions {
            comments: !kept.comments,
            variations: !kept.variations,
            nags: !kept.nags,
            clocks: !kept.clocks,
            evaluations: !kept.evaluations,
            marks: !kept.marks,
            flags: !kept.flags,
            tags: Vec::new(),
            only_tags: kept.tags,
        })
    }

    /// The kinds of parts of comments that are removed.
    fn kinds(&self) -> Vec<CommentPartKind> {
        [
            (self.comments, CommentPartKind::Text),
            (self.clocks, CommentPartKind::Clock),
            (self.evaluations, CommentPartKind::Evaluation),
            (self.marks, CommentPartKind::Mark),
        ]
        .into_iter()
        .filter_map(|(goes, kind)| goes.then_some(kind))
        .collect()
    }

    fn takes_tag(&self, name: &str) -> bool {
        let is_in = |tags: &[String]| tags.iter().any(|tag| tag.eq_ignore_ascii_case(name));
        if name == FLAGS_TAG {
            return self.flags || is_in(&self.tags);
        }
        let is_other = !self.only_tags.is_empty() && !is_in(&self.only_tags);
        is_other || is_in(&self.tags)
    }
}

/// The kinds that were removed.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct StripReport {
    /// Variations.
    pub variations: bool,
    /// Comments, or parts of them; those in removed variations count as these.
    pub comments: bool,
    /// NAGs.
    pub nags: bool,
    /// Tags, including flags.
    pub tags: bool,
}

impl StripReport {
    /// Whether there was anything.
    #[must_use]
    pub fn is_anything(self) -> bool {
        self != StripReport::default()
    }
}

/// Removes parts of a game, and reports the kinds that were found. The starting position of the game stays, whatever
/// happens to its tags.
pub fn strip(game: &mut Game, what: &StripOptions) -> StripReport {
    let (patch, taken) = patch_of(game, what);
    // A patch made for this game can be applied, and does not make it larger.
    if taken.is_anything() && patch.apply_for_good(game).is_ok() {
        taken
    } else {
        StripReport::default()
    }
}

/// The patch that removes parts of a game, if there are any.
pub fn strip_patch(game: &Game, what: &StripOptions) -> Option<GamePatch> {
    let (patch, taken) = patch_of(game, what);
    taken.is_anything().then_some(patch)
}

fn patch_of(game: &Game, what: &StripOptions) -> (GamePatch, StripReport) {
    let tape = &game.tape;
    let kinds = what.kinds();
    let takes_all = kinds.len() == CommentPartKind::COUNT;
    let mut pieces: PatchList<TapeItem> = PatchList::default();
    let mut taken = StripReport::default();
    let mut i = 0;
    while let Some(op) = tape.get(i) {
        match op {
            TapeOp::Begin(_) if what.variations => {
                taken.variations = true;
                i = tape.skip(i);
                continue;
            }
            TapeOp::Nag(_) if what.nags => taken.nags = true,
            TapeOp::Comment(id) if !kinds.is_empty() => {
                let text = tape.text(id);
                let left = match takes_all && !text.trim().is_empty() {
                    true => Cow::Borrowed(""),
                    false => comment_text::without(text, &kinds),
                };
                if left == text {
                    pieces.keep(i..i + 1);
                } else {
                    taken.comments = true;
                    if !left.is_empty() {
                        pieces.put(TapeItem::comment(&left));
                    }
                }
            }
            _ => pieces.keep(i..i + 1),
        }
        i += 1;
    }
    let changes_tape = taken.is_anything();
    taken.tags = game.tags.iter().any(|tag| what.takes_tag(tag.name));
    let tags = |name: &str| what.takes_tag(name);
    let patch = GamePatch {
        tape: changes_tape.then_some(pieces),
        tags: taken.tags.then(|| header::without_tags(&game.tags, tags)),
        ..GamePatch::default()
    };
    (patch, taken)
}

impl GameEditor {
    /// Removes parts of the game: one step. The cursor stays, or goes to the branch of its removed line.
    ///
    /// # Errors
    ///
    /// [`EditError::NothingToDo`] if there is nothing to remove.
    pub fn strip(&mut self, what: &StripOptions) -> Result<(), EditError> {
        let patch = strip_patch(&self.game, what).ok_or(EditError::NothingToDo)?;
        let mut last = self.place().checked_sub(1);
        if what.variations
            && let Some(outermost) = self.stand.frames.first()
        {
            let place = outermost.replaces + 1;
            let stand = TreePosition::at(&self.game.start_board(), self.tape(), place)?;
            last = stand.parent.and_then(|parent| parent.checked_sub(1));
        }
        let after = match (&patch.tape, last) {
            (_, None) => 0,
            (None, Some(last)) => last + 1,
            (Some(pieces), Some(last)) => pieces.find(last).map_or(0, |at| at + 1),
        };
        self.commit("strip", patch, after)
    }
}
