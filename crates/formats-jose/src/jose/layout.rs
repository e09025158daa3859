//! The tables and columns of jose, and a game's row with its columns by name.
//!
//! The live database divides a game into `Game` and `MoreGame`; an archive has both in `IO_Game`, without an id. Columns
//! that only repeat others are not listed as fields.

use super::row::{JoseCell, JoseColumnKind, JoseRow};

use JoseColumnKind::{Blob, Date, Int, Other, Text};

/// The usual columns of a table, in their order, with their kinds.
pub type JoseTableColumns = &'static [(&'static str, JoseColumnKind)];

/// The tables of jose with the usual order of their columns.
pub static TABLES: &[(&str, JoseTableColumns)] = &[
    (
        "Game",
        &[
            ("Id", Int),
            ("CId", Int),
            ("Idx", Int),
            ("Attributes", Int),
            ("OCId", Int),
            ("OIdx", Int),
            ("PlyCount", Int),
            ("Result", Int),
            ("WhiteId", Int),
            ("BlackId", Int),
            ("WhiteELO", Int),
            ("BlackELO", Int),
            ("EventId", Int),
            ("SiteId", Int),
            ("GameDate", Date),
            ("EventDate", Date),
            ("DateFlags", Int),
            ("OpeningId", Int),
            ("ECO", Text),
            ("AnnotatorId", Int),
        ],
    ),
    (
        "MoreGame",
        &[
            ("GId", Int),
            ("WhiteTitle", Text),
            ("BlackTitle", Text),
            ("Round", Text),
            ("Board", Text),
            ("FEN", Text),
            ("Info", Text),
            ("Bin", Blob),
            ("Comments", Text),
            ("PosMain", Text),
            ("PosVar", Text),
            ("Eval", Blob),
        ],
    ),
    (
        "IO_Game",
        &[
            ("CId", Int),
            ("Idx", Int),
            ("Attributes", Int),
            ("PlyCount", Int),
            ("Result", Int),
            ("WhiteId", Int),
            ("BlackId", Int),
            ("WhiteELO", Int),
            ("BlackELO", Int),
            ("EventId", Int),
            ("SiteId", Int),
            ("GameDate", Date),
            ("EventDate", Date),
            ("DateFlags", Int),
            ("OpeningId", Int),
            ("ECO", Text),
            ("AnnotatorId", Int),
            ("WhiteTitle", Text),
            ("BlackTitle", Text),
            ("Round", Text),
            ("Board", Text),
            ("FEN", Text),
            ("Info", Text),
            ("Bin", Blob),
            ("Comments", Text),
            ("PosMain", Text),
            ("PosVar", Text),
            ("Eval", Blob),
        ],
    ),
    ("Player", &[("Id", Int), ("Name", Text), ("Soundex", Text)]),
    ("Event", &[("Id", Int), ("Name", Text), ("Soundex", Text)]),
    ("Site", &[("Id", Int), ("Name", Text), ("Soundex", Text)]),
    (
        "Opening",
        &[
            ("Id", Int),
            ("HashKey", Int),
            ("Ply", Int),
            ("ECO", Text),
            ("Name", Text),
            ("Soundex", Text),
        ],
    ),
    (
        "Collection",
        &[
            ("Id", Int),
            ("PId", Int),
            ("OPId", Int),
            ("Name", Text),
            ("Path", Text),
            ("Attributes", Int),
            ("SourceURL", Text),
            ("LastModified", Other),
            ("GameCount", Int),
        ],
    ),
    (
        "MetaInfo",
        &[
            ("Property", Text),
            ("SchemaName", Text),
            ("TableName", Text),
            ("Version", Int),
            ("Dirty", Int),
        ],
    ),
    ("IO_Player", &[("Id", Int), ("Name", Text)]),
    ("IO_Event", &[("Id", Int), ("Name", Text)]),
    ("IO_Site", &[("Id", Int), ("Name", Text)]),
    (
        "IO_Opening",
        &[
            ("Id", Int),
            ("HashKey", Int),
            ("Ply", Int),
            ("ECO", Text),
            ("Name", Text),
        ],
    ),
    (
        "IO_Collection",
        &[
            ("Id", Int),
            ("PId", Int),
            ("Name", Text),
            ("Attributes", Int),
            ("SourceURL", Text),
            ("GameCount", Int),
        ],
    ),
];

/// The usual columns of a table; names of tables differ in case between systems.
pub fn usual_columns(table: &str) -> Option<JoseTableColumns> {
    TABLES
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(table))
        .map(|(_, columns)| *columns)
}

/// The content of a table, in archives and elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JoseTableRole {
    /// `Game`.
    Game,
    /// `MoreGame`.
    MoreGame,
    /// `IO_Game`.
    WholeGame,
    /// Players and annotators.
    Player,
    /// Events.
    Event,
    /// Sites.
    Site,
    /// Openings.
    Opening,
    /// Collections.
    Collection,
    /// Versions.
    MetaInfo,
}

impl JoseTableRole {
    /// The content of the table with this name.
    pub fn of(table: &str) -> Option<JoseTableRole> {
        let lower = table.to_ascii_lowercase();
        Some(match lower.strip_prefix("io_").unwrap_or(&lower) {
            "game" if lower.starts_with("io_") => JoseTableRole::WholeGame,
            "game" => JoseTableRole::Game,
            "moregame" => JoseTableRole::MoreGame,
            "player" => JoseTableRole::Player,
            "event" => JoseTableRole::Event,
            "site" => JoseTableRole::Site,
            "opening" => JoseTableRole::Opening,
            "collection" => JoseTableRole::Collection,
            "metainfo" => JoseTableRole::MetaInfo,
            _ => return None,
        })
    }
}

macro_rules! fields {
    ($($(#[$doc:meta])* $ident:ident = $name:literal;)*) => {
        /// A column of a game's row.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum JoseField { $($(#[$doc])* $ident),* }

        /// The names of the columns, in the order of [`JoseField`].
        pub const FIELD_NAMES: [&str; FIELD_COUNT] = [$($name),*];

        /// How many columns a game's row has.
        pub const FIELD_COUNT: usize = [$(JoseField::$ident),*].len();
    };
}

fields! {
    /// The game's id.
    Id = "Id";
    /// The id of the game to which a row of moves belongs.
    GameId = "GId";
    /// Collection.
    Collection = "CId";
    /// Place in the collection.
    Index = "Idx";
    /// Flags.
    Attributes = "Attributes";
    /// The collection from which the game went to the trash.
    OldCollection = "OCId";
    /// Place in the collection from which the game went to the trash.
    OldIndex = "OIdx";
    /// Plies.
    PlyCount = "PlyCount";
    /// Result.
    Result = "Result";
    /// White.
    White = "WhiteId";
    /// Black.
    Black = "BlackId";
    /// White's rating.
    WhiteElo = "WhiteELO";
    /// Black's rating.
    BlackElo = "BlackELO";
    /// Event.
    Event = "EventId";
    /// Site.
    Site = "SiteId";
    /// Date.
    GameDate = "GameDate";
    /// Date of the event.
    EventDate = "EventDate";
    /// Which parts of the dates are known.
    DateFlags = "DateFlags";
    /// Opening.
    Opening = "OpeningId";
    /// ECO code.
    Eco = "ECO";
    /// Annotator.
    Annotator = "AnnotatorId";
    /// White's title.
    WhiteTitle = "WhiteTitle";
    /// Black's title.
    BlackTitle = "BlackTitle";
    /// Round.
    Round = "Round";
    /// Board number.
    Board = "Board";
    /// Custom starting position.
    Fen = "FEN";
    /// More tags.
    Info = "Info";
    /// Moves.
    Bin = "Bin";
    /// Texts.
    Comments = "Comments";
    /// Evaluations of an engine.
    Eval = "Eval";
}

/// The indices of the columns of a game's row in the rows of one table.
#[derive(Debug, Clone)]
pub struct JoseGameColumns([Option<usize>; FIELD_COUNT]);

impl JoseGameColumns {
    /// Finds the columns by name.
    pub fn find<'n>(names: impl Iterator<Item = &'n str>) -> JoseGameColumns {
        let mut places = [None; FIELD_COUNT];
        for (at, name) in names.enumerate() {
            for (place, wanted) in places.iter_mut().zip(FIELD_NAMES) {
                if wanted.eq_ignore_ascii_case(name) {
                    *place = Some(at);
                }
            }
        }
        JoseGameColumns(places)
    }

    /// Whether a column is there.
    pub fn has(&self, field: JoseField) -> bool {
        self.0.get(field as usize).is_some_and(Option::is_some)
    }

    /// One value of a row.
    pub fn cell<'a>(&self, row: &JoseRow<'a>, field: JoseField) -> JoseCell<'a> {
        match self.0.get(field as usize) {
            Some(Some(at)) => row.cell(*at),
            _ => JoseCell::Null,
        }
    }
}

/// The collection and place by which a game is sorted: for a game in the trash, its former ones.
pub fn order(get: impl Fn(JoseField) -> i64) -> (i64, i64) {
    let collection = get(JoseField::Collection);
    let old = get(JoseField::OldCollection);
    if collection == collection::TRASH && old > 0 {
        (old, get(JoseField::OldIndex))
    } else {
        (collection, get(JoseField::Index))
    }
}

/// A game's row: the values of its columns.
#[derive(Debug, Clone)]
pub struct JoseGameRow<'a> {
    cells: [JoseCell<'a>; FIELD_COUNT],
    /// Whether there is a column of texts at all.
    pub has_comments: bool,
    /// The offset of the row in its file; if there are two rows, that of the one with the moves.
    pub offset: u64,
}

impl<'a> Default for JoseGameRow<'a> {
    fn default() -> JoseGameRow<'a> {
        JoseGameRow {
            cells: [JoseCell::Null; FIELD_COUNT],
            has_comments: false,
            offset: 0,
        }
    }
}

impl<'a> JoseGameRow<'a> {
    /// Takes over the values of a row.
    pub fn fill(&mut self, places: &JoseGameColumns, row: JoseRow<'a>) {
        self.offset = row.offset;
        self.has_comments |= places.has(JoseField::Comments);
        for (cell, place) in self.cells.iter_mut().zip(places.0) {
            if let Some(at) = place {
                *cell = row.cell(at);
            }
        }
    }

    /// Sets one value.
    pub fn set(&mut self, field: JoseField, cell: JoseCell<'a>) {
        if let Some(slot) = self.cells.get_mut(field as usize) {
            *slot = cell;
        }
    }

    /// One value.
    pub fn get(&self, field: JoseField) -> JoseCell<'a> {
        self.cells
            .get(field as usize)
            .copied()
            .unwrap_or(JoseCell::Null)
    }

    /// A number; 0 if there is none.
    pub fn int(&self, field: JoseField) -> i64 {
        self.get(field).int().unwrap_or(0)
    }

    /// Text or bytes that are not empty.
    pub fn bytes(&self, field: JoseField) -> Option<&'a [u8]> {
        self.get(field).bytes().filter(|bytes| !bytes.is_empty())
    }
}

/// Flags in the column `Attributes` of a game.
pub mod attributes {
    /// The game has variations.
    pub const VARIATIONS: u16 = 1;
    /// The game has comments.
    pub const COMMENTS: u16 = 2;
    /// The game has texts of errors.
    pub const ERRORS: u16 = 4;
    /// The game is Chess960.
    pub const CHESS960: u16 = 8;
    /// The three marks that a user may set, in Scid's letters.
    pub const MARKS: [(u16, char); 3] = [(0x10, '1'), (0x20, '2'), (0x40, '3')];
}

/// Flags in the column `DateFlags`; those of the event's date are 8 bits higher.
pub mod date_flags {
    /// The day is unknown.
    pub const NO_DAY: u16 = 0x10;
    /// The month is unknown.
    pub const NO_MONTH: u16 = 0x20;
    /// The year is unknown.
    pub const NO_YEAR: u16 = 0x40;
    /// Everything is unknown.
    pub const NOTHING: u16 = NO_DAY | NO_MONTH | NO_YEAR;
}

/// The ids of the collections that jose makes itself.
pub mod collection {
    /// Games on the clipboard.
    pub const CLIPBOARD: i64 = 1;
    /// Games saved by themselves.
    pub const AUTOSAVE: i64 = 2;
    /// Deleted games.
    pub const TRASH: i64 = 3;
}
