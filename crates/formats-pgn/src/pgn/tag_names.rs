//! The tag names that a reader remembers from game to game.

use std::collections::HashSet;

use tabiya_model::tags::TagSet;

use super::swar;

/// The names of the last game's tags, in order: nearly always those of the next game, too.
#[derive(Debug, Default)]
pub(super) struct PgnTagNames {
    /// The names of kept tags; no name occurs twice.
    pub(super) kept: Vec<PgnTagName>,
    /// The beginnings of tags that were not needed, by their place among all tags.
    pub(super) left_out: Vec<swar::TextNeedle>,
    /// The wanted tags.
    pub(super) wanted: Option<TagSet>,
    /// The names in a game with more tags than are remembered: searching the list for each would take too long.
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

    /// Adds a name; false if it is already there.
    pub(super) fn add(&mut self, name: &str) -> bool {
        self.folded.insert(name.to_ascii_lowercase());
        self.exact.insert(name.to_owned())
    }
}

/// The name of a tag. An empty one is for a place about which nothing is known.
#[derive(Clone, Debug, Default)]
pub(super) struct PgnTagName {
    pub(super) text: String,
    /// The beginning of the tag.
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

/// The beginning of a tag with this name, as written by the standard.
pub(super) fn start_of(name: &str) -> swar::TextNeedle {
    swar::TextNeedle::new(format!("[{name} \"").into_bytes())
}

/// What a tag means to the reader.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum TagMeaning {
    #[default]
    Nothing,
    /// It may determine the start of the game.
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

/// The number of names that are remembered.
pub(super) const NAMES: usize = 64;
