//! The form in which PGN is written.

use tabiya_model::error_codes;
use tabiya_model::tags::ROSTER;
use tabiya_model::{Error, Result};

use super::piece_letters::PieceLetters;
use tabiya_codec::options::{FormatOption, FormatSettings, OptionArgument};

const NO_COMMENTS: FormatOption =
    FormatOption::new("no-comments", OptionArgument::Nothing, "Omit comments");
const NO_NAGS: FormatOption = FormatOption::new("no-nags", OptionArgument::Nothing, "Omit NAGs");
const NO_VARIATIONS: FormatOption =
    FormatOption::new("no-variations", OptionArgument::Nothing, "Omit variations");
const REDUCED: FormatOption = FormatOption::new(
    "reduced",
    OptionArgument::Nothing,
    "The reduced export format: seven tags and the moves",
);
const TAGS: FormatOption = FormatOption::new(
    "tags",
    OptionArgument::List("TAG,…"),
    "Write only these tags (`roster`: the Seven Tag Roster)",
);
const MOVES: FormatOption = FormatOption::new(
    "moves",
    OptionArgument::OneOf(&[
        ("san", "Nf3"),
        ("long", "Ng1-f3"),
        ("joined", "Ng1f3"),
        ("squares", "g1-f3"),
        ("uci", "g1f3"),
    ]),
    "Notation of moves",
);
const PIECES: FormatOption = FormatOption::new(
    "pieces",
    OptionArgument::Text("LETTERS"),
    "Piece letters in moves: `figurine`, a language such as german, or five letters, king first (KDTLS)",
);
const NO_TAGS: FormatOption = FormatOption::new(
    "no-tags",
    OptionArgument::Nothing,
    "Omit all tags but those of the starting position",
);
const NO_NUMBERS: FormatOption =
    FormatOption::new("no-numbers", OptionArgument::Nothing, "Omit move numbers");
const NO_CHECKS: FormatOption = FormatOption::new(
    "no-checks",
    OptionArgument::Nothing,
    "Omit + and # after moves",
);
const NO_RESULTS: FormatOption = FormatOption::new(
    "no-results",
    OptionArgument::Nothing,
    "Omit the result after the moves",
);
const COMMENT_LINES: FormatOption = FormatOption::new(
    "comment-lines",
    OptionArgument::Nothing,
    "Write each comment on lines of its own",
);
const WIDTH: FormatOption = FormatOption::new(
    "width",
    OptionArgument::Number("N"),
    "Maximum line length; 0 for one line of movetext per game",
);
const ONE_LINE: FormatOption = FormatOption::new(
    "one-line",
    OptionArgument::Nothing,
    "Write each game on one line, tags included",
);
const COMPACT: FormatOption = FormatOption::new(
    "compact",
    OptionArgument::Nothing,
    "Write `1.e4` instead of `1. e4`, in lines of 78",
);
const GLYPHS: FormatOption = FormatOption::new(
    "glyphs",
    OptionArgument::Nothing,
    "Write NAGs as symbols (`!?`) if they have one",
);
const KEEP_TAG_ORDER: FormatOption = FormatOption::new(
    "keep-tag-order",
    OptionArgument::Nothing,
    "Write tags in the order of the source",
);
const SPLIT: FormatOption = FormatOption::new(
    "split",
    OptionArgument::Number("N"),
    "Start a new file every N games",
);
const MARKS: FormatOption = FormatOption::new(
    "marks",
    OptionArgument::OneOf(&[("lichess", "[%csl …] and [%cal …]"), ("scid", "[%draw …]")]),
    "Translate arrows and coloured squares",
);

/// The options of the writer.
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
    PIECES,
    NO_TAGS,
    NO_NUMBERS,
    NO_CHECKS,
    NO_RESULTS,
    COMMENT_LINES,
];

/// Lets tags be written in the order of the game.
///
/// # Errors
/// Never: the option takes no value.
pub fn keep_tag_order(settings: &mut FormatSettings) -> Result<()> {
    settings.set(&KEEP_TAG_ORDER, "")
}

/// How moves are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum PgnMoveStyle {
    /// Standard algebraic notation: `Nf3`.
    #[default]
    San,
    /// Long algebraic notation: `Ng1-f3`.
    Long,
    /// The same without hyphens and crosses, castling by its squares: `Ng1f3`.
    Joined,
    /// Squares with a hyphen between them: `g1-f3`.
    Squares,
    /// As engines write: `g1f3`.
    Uci,
}

/// Which marks on boards are written in comments.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BoardMarkStyle {
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
    /// Only these tags are written, in this order, if the game has them; all if `None`.
    pub only_tags: Option<Vec<String>>,
    /// The notation.
    pub moves: PgnMoveStyle,
    /// Maximum line length; 0 for one line of movetext per game.
    pub width: usize,
    /// The whole game, tags included, in one line.
    pub one_line: bool,
    /// `1.e4` instead of `1. e4`.
    pub compact_numbers: bool,
    /// `!?` instead of `$5`, and the symbols for positions, if a NAG has one.
    pub glyphs: bool,
    /// Write tags in the order of the source.
    pub keep_tag_order: bool,
    /// A new file after this number of games.
    pub split: Option<u64>,
    /// The form into which marks are converted.
    pub marks: Option<BoardMarkStyle>,
    /// Non-English piece letters.
    pub pieces: Option<PieceLetters>,
    /// Move numbers are written.
    pub numbers: bool,
    /// Check and mate marks are written.
    pub checks: bool,
    /// The result is written after the moves.
    pub results: bool,
    /// Each comment is on lines of its own.
    pub comment_lines: bool,
}

impl Default for PgnStyle {
    fn default() -> PgnStyle {
        PgnStyle {
            comments: true,
            nags: true,
            variations: true,
            only_tags: None,
            moves: PgnMoveStyle::San,
            width: 79,
            one_line: false,
            compact_numbers: false,
            glyphs: false,
            keep_tag_order: false,
            split: None,
            marks: None,
            pieces: None,
            numbers: true,
            checks: true,
            results: true,
            comment_lines: false,
        }
    }
}

impl PgnStyle {
    /// The style for a user's settings.
    ///
    /// # Errors
    /// If an option does not accept its value.
    pub fn of(settings: &FormatSettings) -> Result<PgnStyle> {
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
        if settings.is_set(&NO_TAGS) && settings.is_set(&NO_RESULTS) {
            return Err(Error::new(
                &error_codes::NO_GAME_ENDS,
                "without tags and results, the end of a game cannot be found: keep one of them",
            ));
        }
        let only = match settings.is_set(&NO_TAGS) {
            true => Some(Vec::new()),
            false => only,
        };
        Ok(PgnStyle {
            comments: base.comments && !settings.is_set(&NO_COMMENTS),
            nags: base.nags && !settings.is_set(&NO_NAGS),
            variations: base.variations && !settings.is_set(&NO_VARIATIONS),
            only_tags: only.or(base.only_tags),
            moves: match settings.text(&MOVES) {
                Some("long") => PgnMoveStyle::Long,
                Some("joined") => PgnMoveStyle::Joined,
                Some("squares") => PgnMoveStyle::Squares,
                Some("uci") => PgnMoveStyle::Uci,
                _ => PgnMoveStyle::San,
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
                Some("lichess") => Some(BoardMarkStyle::Lichess),
                Some("scid") => Some(BoardMarkStyle::Scid),
                _ => None,
            },
            pieces: settings
                .text(&PIECES)
                .map(PieceLetters::parse)
                .transpose()?,
            numbers: !settings.is_set(&NO_NUMBERS),
            checks: !settings.is_set(&NO_CHECKS),
            results: !settings.is_set(&NO_RESULTS),
            comment_lines: settings.is_set(&COMMENT_LINES),
        })
    }

    /// Whether moves are written in standard form.
    pub(super) fn has_plain_moves(&self) -> bool {
        self.pieces.is_none() && self.checks
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
