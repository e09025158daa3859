//! The form in which PGN is written.

use tabiya_model::tags::ROSTER;

use crate::options::{FormatOption, Settings, Takes};

const NO_COMMENTS: FormatOption =
    FormatOption::new("no-comments", Takes::Nothing, "Leave out comments");
const NO_NAGS: FormatOption = FormatOption::new("no-nags", Takes::Nothing, "Leave out NAGs");
const NO_VARIATIONS: FormatOption =
    FormatOption::new("no-variations", Takes::Nothing, "Leave out variations");
const REDUCED: FormatOption = FormatOption::new(
    "reduced",
    Takes::Nothing,
    "The reduced export format: seven tags and the moves",
);
const TAGS: FormatOption = FormatOption::new(
    "tags",
    Takes::List("TAG,…"),
    "Write only these tags (the seven of the roster: `roster`)",
);
const MOVES: FormatOption = FormatOption::new(
    "moves",
    Takes::OneOf(&[("san", "Nf3"), ("long", "Ng1-f3"), ("uci", "g1f3")]),
    "Notation of moves",
);
const WIDTH: FormatOption = FormatOption::new(
    "width",
    Takes::Number("N"),
    "Characters in a line at most; 0 for one line of movetext a game",
);
const ONE_LINE: FormatOption = FormatOption::new(
    "one-line",
    Takes::Nothing,
    "Each game in one line, tags included",
);
const COMPACT: FormatOption = FormatOption::new(
    "compact",
    Takes::Nothing,
    "`1.e4` in place of `1. e4`, in lines of 78",
);
const GLYPHS: FormatOption = FormatOption::new(
    "glyphs",
    Takes::Nothing,
    "`!?` in place of `$5`, where a NAG has a sign",
);
const KEEP_TAG_ORDER: FormatOption = FormatOption::new(
    "keep-tag-order",
    Takes::Nothing,
    "Tags in the order of the source",
);
const SPLIT: FormatOption =
    FormatOption::new("split", Takes::Number("N"), "A new file every N games");
const MARKS: FormatOption = FormatOption::new(
    "marks",
    Takes::OneOf(&[("lichess", "[%csl …] and [%cal …]"), ("scid", "[%draw …]")]),
    "Translate arrows and coloured squares",
);

/// What the writer can be told.
pub(super) static OPTIONS: &[FormatOption] = &[
    NO_COMMENTS,
    NO_NAGS,
    NO_VARIATIONS,
    REDUCED,
    TAGS,
    MOVES,
    WIDTH,
    ONE_LINE,
    COMPACT,
    GLYPHS,
    KEEP_TAG_ORDER,
    SPLIT,
    MARKS,
];

/// Lets tags be written in the order of the game.
///
/// # Errors
/// Never: the option takes no value.
pub fn keep_tag_order(settings: &mut Settings) -> tabiya_model::Result<()> {
    settings.set(&KEEP_TAG_ORDER, "")
}

/// How moves are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum MoveStyle {
    /// Standard algebraic notation: `Nf3`.
    #[default]
    San,
    /// Long algebraic notation: `Ng1-f3`.
    Long,
    /// As engines write: `g1f3`.
    Uci,
}

/// Which marks on boards are written in comments.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Marks {
    /// `[%csl …]` and `[%cal …]`.
    Lichess,
    /// `[%draw …]`.
    Scid,
}

/// The form of PGN; the default is the export format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnStyle {
    /// Comments are written.
    pub comments: bool,
    /// NAGs are written.
    pub nags: bool,
    /// Variations are written.
    pub variations: bool,
    /// Only these tags are written, in this order, where the game has them; all where `None`.
    pub only_tags: Option<Vec<String>>,
    /// The notation.
    pub moves: MoveStyle,
    /// Characters in a line at most; 0 for one line of movetext a game.
    pub width: usize,
    /// The whole game, tags included, in one line.
    pub one_line: bool,
    /// `1.e4` in place of `1. e4`.
    pub compact_numbers: bool,
    /// `!?` in place of `$5`, and the signs of positions, where a NAG has one.
    pub glyphs: bool,
    /// Tags in the order of the source.
    pub keep_tag_order: bool,
    /// A new file every so many games.
    pub split: Option<u64>,
    /// Marks are translated into this form.
    pub marks: Option<Marks>,
}

impl Default for PgnStyle {
    fn default() -> PgnStyle {
        PgnStyle {
            comments: true,
            nags: true,
            variations: true,
            only_tags: None,
            moves: MoveStyle::San,
            width: 79,
            one_line: false,
            compact_numbers: false,
            glyphs: false,
            keep_tag_order: false,
            split: None,
            marks: None,
        }
    }
}

impl PgnStyle {
    /// The form that a user's settings ask for.
    #[must_use]
    pub fn of(settings: &Settings) -> PgnStyle {
        let base = if settings.is_set(&REDUCED) {
            PgnStyle::reduced()
        } else {
            PgnStyle::default()
        };
        let compact = settings.is_set(&COMPACT);
        let width = if compact { 78 } else { base.width };
        let only = settings.list(&TAGS).map(|tags| {
            tags.iter()
                .flat_map(|tag| match tag.as_str() {
                    "roster" => ROSTER.iter().map(|name| (*name).to_owned()).collect(),
                    _ => vec![tag.clone()],
                })
                .collect()
        });
        PgnStyle {
            comments: base.comments && !settings.is_set(&NO_COMMENTS),
            nags: base.nags && !settings.is_set(&NO_NAGS),
            variations: base.variations && !settings.is_set(&NO_VARIATIONS),
            only_tags: only.or(base.only_tags),
            moves: match settings.text(&MOVES) {
                Some("long") => MoveStyle::Long,
                Some("uci") => MoveStyle::Uci,
                _ => MoveStyle::San,
            },
            width: settings
                .number(&WIDTH)
                .and_then(|width| usize::try_from(width).ok())
                .unwrap_or(width),
            one_line: settings.is_set(&ONE_LINE),
            compact_numbers: compact,
            glyphs: settings.is_set(&GLYPHS),
            keep_tag_order: settings.is_set(&KEEP_TAG_ORDER),
            split: settings.number(&SPLIT),
            marks: match settings.text(&MARKS) {
                Some("lichess") => Some(Marks::Lichess),
                Some("scid") => Some(Marks::Scid),
                _ => None,
            },
        }
    }

    /// The reduced export format: roster tags and moves.
    pub fn reduced() -> PgnStyle {
        PgnStyle {
            comments: false,
            nags: false,
            variations: false,
            only_tags: Some(ROSTER.iter().map(|name| (*name).to_owned()).collect()),
            ..PgnStyle::default()
        }
    }
}
