//! Changes of the facts of a game that writers of all formats make in the same way, and report in the same words: tags
//! of the starting position that are added or written in another form, empty tags, and different results in the tag and
//! the movetext.

use tabiya_model::canon_game::is_white;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;
use tabiya_model::tags::{ROSTER, Tag};
use tabiya_model::{Game, Losses};

tabiya_model::losses! {
    START_ADDED = "start-tags-added", Layout,
        "Missing FEN, SetUp or Variant tags, which describe the starting position, were added.";
    START_FORM = "start-tag-form", Layout,
        "The FEN tag describes the same position in another form.";
    EMPTY_TAG = "empty-tag", Layout,
        "An empty tag is written as unknown, or left out.";
}

/// The tags of the starting position that will be read from a target, whatever the game has.
pub struct StartTags<'f> {
    /// The position in its written form; `None` if its form is reported elsewhere.
    pub fen: Option<&'f str>,
    /// Whether a SetUp tag is read with it.
    pub setup: bool,
    /// Whether the rules of Chess960 are named.
    pub variant: bool,
}

impl StartTags<'_> {
    /// Reports the tags that the game does not have, or has in another form.
    pub fn report(&self, game: &Game, losses: &mut Losses) {
        let is_missing = |name| game.tags.get(name).is_none();
        let is_setup = matches!(game.start, StartingPosition::Setup(..));
        if let (true, Some(fen), Some(tag)) = (is_setup, self.fen, game.tags.get("FEN"))
            && tag != fen
            && !game.fen_says_more()
        {
            losses.report(&START_FORM, game.origin.number, tag);
        }
        let added: Vec<&str> = [
            ("FEN", is_setup),
            ("SetUp", is_setup && self.setup),
            ("Variant", self.variant && game.variant == Variant::Chess960),
        ]
        .into_iter()
        .filter(|(name, is_read)| *is_read && is_missing(name))
        .map(|(name, _)| name)
        .collect();
        if !added.is_empty() {
            losses.report(&START_ADDED, game.origin.number, added.join(" "));
        }
    }
}

/// Reports empty tags of the Seven Tag Roster, which are read as unknown; if `blank`, those with only white space count as
/// empty, too, and empty ratings are left out.
pub fn report_empty_tags(game: &Game, blank: bool, losses: &mut Losses) {
    let is_folded = |tag: &Tag<'_>| {
        let is_blank = tag.value.trim_matches(is_white).is_empty();
        let is_rating = || blank && RatingKind::from_tag_name(tag.name).is_some();
        let is_empty = tag.value.is_empty() || blank || tag.name == "Result";
        is_blank && is_empty && (ROSTER.contains(&tag.name) || is_rating())
    };
    for (index, tag) in game.tags.iter().enumerate() {
        if is_folded(&tag) && game.tags.position(tag.name) == Some(index) {
            losses.report(&EMPTY_TAG, game.origin.number, tag.name);
        }
    }
}

/// The same for formats in which only the date and the result cannot be empty.
pub fn report_empty_fields(game: &Game, losses: &mut Losses) {
    let is_empty = |tag: &str| tag.is_empty();
    let is_blank = |tag: &str| tag.trim_matches(is_white).is_empty();
    for (name, is_empty) in [("Date", is_empty as fn(&str) -> bool), ("Result", is_blank)] {
        if game.tags.get(name).is_some_and(is_empty) {
            losses.report(&EMPTY_TAG, game.origin.number, name);
        }
    }
}

/// The two results of a game: that of the Result tag, and that at the end of the movetext.
#[derive(Copy, Clone)]
pub struct ResultPair<'g> {
    /// The result that a format with one field for both keeps.
    pub field: Outcome,
    tag: Option<&'g str>,
    ending: Outcome,
}

impl<'g> ResultPair<'g> {
    /// The results of a game.
    pub fn of(game: &'g Game) -> ResultPair<'g> {
        let tag = game.tags.get("Result");
        ResultPair {
            field: game.result(),
            tag: tag.filter(|tag| !tag.trim_matches(is_white).is_empty()),
            ending: game.ending(),
        }
    }

    /// The text of the tag, if it differs from the field.
    pub fn other_tag(&self) -> Option<&'g str> {
        self.tag.filter(|tag| *tag != self.field.as_pgn())
    }

    /// The result at the end of the movetext, if it differs from the field.
    pub fn other_ending(&self) -> Option<Outcome> {
        (self.ending != self.field).then_some(self.ending)
    }

    /// Both, in words.
    pub fn both(&self) -> String {
        let tag = self.tag.unwrap_or_default();
        format!("[Result {tag:?}] with {} at the end", self.ending)
    }
}
