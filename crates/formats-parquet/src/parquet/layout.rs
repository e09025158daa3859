//! The columns.

use tabiya_columns::{ColumnEncoding, ColumnSchema, ColumnType};

/// The version of the layout, noted in the footer.
pub(crate) const VERSION: &str = "1";
/// The note of the version.
pub(crate) const VERSION_NOTE: &str = "tabiya.lake";
/// The note with the description of the database.
pub(crate) const DESCRIPTION_NOTE: &str = "tabiya.description";

/// A tag with a column of its own.
pub(crate) struct TagColumn {
    pub(crate) tag: &'static str,
    pub(crate) field: ColumnSchema,
}

const fn text(tag: &'static str, name: &'static str) -> TagColumn {
    TagColumn {
        tag,
        field: ColumnSchema::new(name, ColumnType::Text, ColumnEncoding::Dictionary),
    }
}

const fn number(tag: &'static str, name: &'static str) -> TagColumn {
    TagColumn {
        tag,
        field: ColumnSchema::new(name, ColumnType::Int, ColumnEncoding::Dictionary),
    }
}

/// The tags with columns. A game whose tags are in this order needs no list of their names.
pub(crate) static TAGS: [TagColumn; TAG_COUNT] = TAG_COLUMNS;

const TAG_COUNT: usize = 32;

const TAG_COLUMNS: [TagColumn; TAG_COUNT] = [
    text("Event", "event"),
    text("Site", "site"),
    text("Date", "date"),
    text("Round", "round"),
    text("White", "white"),
    text("Black", "black"),
    text("Result", "result"),
    number("WhiteElo", "white_elo"),
    number("BlackElo", "black_elo"),
    text("ECO", "eco"),
    text("EventDate", "event_date"),
    text("UTCDate", "utc_date"),
    text("UTCTime", "utc_time"),
    text("WhiteRatingDiff", "white_rating_diff"),
    text("BlackRatingDiff", "black_rating_diff"),
    text("WhiteTitle", "white_title"),
    text("BlackTitle", "black_title"),
    number("WhiteFideId", "white_fide_id"),
    number("BlackFideId", "black_fide_id"),
    text("WhiteCountry", "white_country"),
    text("BlackCountry", "black_country"),
    text("WhiteTeam", "white_team"),
    text("BlackTeam", "black_team"),
    text("Opening", "opening"),
    text("Variation", "variation"),
    text("TimeControl", "time_control"),
    text("Termination", "termination"),
    text("Annotator", "annotator"),
    text("Variant", "variant"),
    text("SetUp", "setup"),
    text("FEN", "fen"),
    text("ScidFlags", "flags"),
];

/// The column of a tag of [`TAGS`]; the one after the last if there is none.
pub(crate) const fn tag(name: &str) -> usize {
    let mut at = 0;
    while at < TAG_COUNT {
        if same(TAG_COLUMNS[at].tag.as_bytes(), name.as_bytes()) {
            break;
        }
        at += 1;
    }
    FIRST_TAG + at
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The number of the game.
pub(crate) const GAME: usize = 0;
/// The first of the columns of tags.
pub(crate) const FIRST_TAG: usize = 1;
const REST: usize = FIRST_TAG + TAG_COUNT;
pub(crate) const YEAR: usize = REST;
pub(crate) const MONTH: usize = REST + 1;
pub(crate) const DAY: usize = REST + 2;
pub(crate) const PLAYED: usize = REST + 3;
pub(crate) const SCORE: usize = REST + 4;
pub(crate) const PLIES: usize = REST + 5;
pub(crate) const TIME_BASE: usize = REST + 6;
pub(crate) const TIME_INCREMENT: usize = REST + 7;
pub(crate) const FINAL_MATERIAL: usize = REST + 8;
pub(crate) const HOME_PAWNS: usize = REST + 9;
pub(crate) const PROMOTIONS: usize = REST + 10;
pub(crate) const OPENING_NAME: usize = REST + 11;
pub(crate) const OUTCOME: usize = REST + 12;
pub(crate) const MOVES: usize = REST + 13;
pub(crate) const CLOCKS: usize = REST + 14;
pub(crate) const EVALS: usize = REST + 15;
pub(crate) const ANNOTATIONS: usize = REST + 16;
pub(crate) const TAG_NAMES: usize = REST + 17;
pub(crate) const TAG_VALUES: usize = REST + 18;

/// The columns other than those of tags, from [`YEAR`] on.
static OTHERS: [ColumnSchema; 19] = [
    ColumnSchema::new("year", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("month", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("day", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("played", ColumnType::Day, ColumnEncoding::Dictionary),
    ColumnSchema::new("score", ColumnType::Real, ColumnEncoding::Dictionary),
    ColumnSchema::new("plies", ColumnType::Int, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("time_base", ColumnType::Real, ColumnEncoding::Dictionary),
    ColumnSchema::new(
        "time_increment",
        ColumnType::Real,
        ColumnEncoding::Dictionary,
    ),
    ColumnSchema::new(
        "final_material",
        ColumnType::Text,
        ColumnEncoding::Dictionary,
    ),
    ColumnSchema::new("home_pawns", ColumnType::Text, ColumnEncoding::Delta),
    ColumnSchema::new("promotions", ColumnType::Text, ColumnEncoding::Dictionary),
    ColumnSchema::new("opening_name", ColumnType::Text, ColumnEncoding::Dictionary),
    ColumnSchema::new("outcome", ColumnType::Text, ColumnEncoding::Dictionary),
    ColumnSchema::new("moves", ColumnType::Bytes, ColumnEncoding::Delta).required(),
    ColumnSchema::new("clocks", ColumnType::Bytes, ColumnEncoding::Delta),
    ColumnSchema::new("evals", ColumnType::Bytes, ColumnEncoding::Delta),
    ColumnSchema::new("annotations", ColumnType::Bytes, ColumnEncoding::Delta),
    ColumnSchema::new("tag_names", ColumnType::Text, ColumnEncoding::Dictionary),
    ColumnSchema::new("tag_values", ColumnType::Bytes, ColumnEncoding::Delta),
];

/// How the moves of the main line are stored.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum MoveColumn {
    /// Two bytes each: from, to, promotion.
    #[default]
    Fast,
    /// Their indices among the legal moves.
    Compact,
}

impl MoveColumn {
    /// The name of the column, whose index is [`MOVES`].
    pub(crate) const fn name(self) -> &'static str {
        match self {
            MoveColumn::Fast => "moves",
            MoveColumn::Compact => "moves_compact",
        }
    }
}

/// A column from [`YEAR`] on.
pub(crate) fn beside_tags(column: usize) -> Option<&'static ColumnSchema> {
    OTHERS.get(column.checked_sub(REST)?)
}

/// All columns, in their order.
pub(crate) fn fields(moves: MoveColumn) -> Vec<ColumnSchema> {
    let game = ColumnSchema::new("game", ColumnType::Long, ColumnEncoding::Delta).required();
    let tags = TAGS.iter().map(|column| column.field);
    let others = OTHERS.map(|field| match field.name {
        "moves" => ColumnSchema {
            name: moves.name(),
            ..field
        },
        _ => field,
    });
    std::iter::once(game).chain(tags).chain(others).collect()
}
