//! The names of tags that a reader remembers from game to game.

use std::collections::HashSet;

use tabiya_model::tags::TagSet;

use super::swar;

/// The names of the last game's tags, in their order: nearly always those of the next game, too.
#[derive(Debug, Default)]
pub(super) struct PgnTagNames {
    /// Of those that were kept; no name stands here twice.
    pub(super) kept: Vec<PgnTagName>,
    /// How those begin that were not wanted, by their place among all tags.
    pub(super) left_out: Vec<swar::TextNeedle>,
    /// What was wanted.
    pub(super) wanted: Option<TagSet>,
    /// The names in a game with more tags than are remembered: looking through them for each would take too long.
    pub(super) many: TagNameSet,
}

/// The names of a game with many tags.
#[derive(Debug, Default)]
pub(super) struct TagNameSet {
    pub(super) exact: HashSet<String>,
    /// In lower case.
    pub(super) folded: HashSet<String>,
}

impl TagNameSet {
    pub(super) fn clear(&mut self) {
        self.exact.clear();
        self.folded.clear();
    }

    /// Adds a name; false where it is there already.
    pub(super) fn add(&mut self, name: &str) -> bool {
        self.folded.insert(name.to_ascii_lowercase());
        self.exact.insert(name.to_owned())
    }
}

/// The name of a tag. An empty one holds a place of which nothing is known.
#[derive(Clone, Debug, Default)]
pub(super) struct PgnTagName {
    pub(super) text: String,
    /// How the tag begins.
    pub(super) start: swar::TextNeedle,
    pub(super) meaning: TagMeaning,
}

impl PgnTagName {
    pub(super) fn new(text: &str) -> PgnTagName {
        PgnTagName {
            text: text.to_owned(),
            start: start_of(text),
            meaning: TagMeaning::of(text.as_bytes()),
        }
    }
}

/// How a tag with a name begins that is written as the standard says.
pub(super) fn start_of(name: &str) -> swar::TextNeedle {
    swar::TextNeedle::new(format!("[{name} \"").into_bytes())
}

/// What a tag means to the reader.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum TagMeaning {
    #[default]
    Nothing,
    /// It may decide about the start of the game.
    SetUp,
    Result,
}

impl TagMeaning {
    pub(super) fn of(name: &[u8]) -> TagMeaning {
        match name.len() {
            3 if name.eq_ignore_ascii_case(b"FEN") => TagMeaning::SetUp,
            6 if name.eq_ignore_ascii_case(b"Result") => TagMeaning::Result,
            7 if name.eq_ignore_ascii_case(b"Variant") => TagMeaning::SetUp,
            _ => TagMeaning::Nothing,
        }
    }
}

/// How many names are remembered.
pub(super) const NAMES: usize = 64;
