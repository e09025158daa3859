//! A game from its row and the names that it refers to.

use tabiya_model::date::Date;
use tabiya_model::game::{FLAGS_TAG, StartingPosition, Variant};
use tabiya_model::outcome::Outcome;
use tabiya_model::setup_tags::{SetupTags, beginning};
use tabiya_model::{Board, DiagnosticCode, Game, GameNeeds, Location};

use super::codes;
use super::layout::{JoseField, JoseGameRow, attributes, date_flags};
use super::moves::{EXTENSION, JoseMoveColumns, JoseMoveDecoder};
use super::names::{JoseNameTable, JoseNames};
use super::row::JoseDay;
use super::text::{JoseText, JoseTextEncoding};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::options::{FormatOption, OptionArgument};

const DATES: FormatOption = FormatOption::new(
    "dates",
    OptionArgument::OneOf(&[("stored", "As stored"), ("shifted", "One day later")]),
    "How to read exact dates that may be off by one day (time zones)",
);

/// The options of the reader.
pub(super) static OPTIONS: &[FormatOption] = &[DATES];

/// The settings for reading every game of a database.
#[derive(Debug, Default)]
pub struct JoseReadSettings {
    /// How texts are decoded.
    pub coding: JoseTextEncoding,
    /// Add a day to exact dates too.
    pub shift_dates: bool,
}

impl JoseReadSettings {
    /// The settings for the options of a user.
    pub fn of(options: &OpenOptions) -> JoseReadSettings {
        JoseReadSettings {
            coding: JoseTextEncoding {
                declared: options.encoding,
                redecode: options.redecode,
                ..JoseTextEncoding::default()
            },
            shift_dates: options.settings.text(&DATES) == Some("shifted"),
        }
    }
}

/// Builds a game from its row. Its number and place are set already.
pub fn assemble(
    row: &JoseGameRow<'_>,
    names: &JoseNames,
    settings: &JoseReadSettings,
    decoder: &mut JoseMoveDecoder,
    want: GameNeeds,
    game: &mut Game,
) {
    let reader = JoseRecordReader {
        row,
        names,
        settings,
    };
    reader.roster(game);
    reader.more_tags(game);
    if reader.set_up(game) {
        // The result that counts is among the moves.
        if want.moves || want.annotations || want.tags.may_hold(b"Result") {
            let input = JoseMoveColumns {
                bin: row.get(JoseField::Bin).bytes().unwrap_or_default(),
                comments: row
                    .has_comments
                    .then(|| row.get(JoseField::Comments).bytes().unwrap_or_default()),
                coding: settings.coding,
            };
            decoder.decode(input, want, game);
            if want.verify && want.moves {
                reader.compare(game);
            }
        }
    } else if want.annotations
        && let Some(bin) = row.bytes(JoseField::Bin)
    {
        game.tape.push_extension(EXTENSION, bin);
        for text in row
            .bytes(JoseField::Comments)
            .unwrap_or_default()
            .split(|&b| b == 0)
        {
            if !text.is_empty() {
                match settings.coding.read(text) {
                    JoseText::Unicode(text) => game.tape.push_comment(&text),
                    JoseText::Legacy(charset) | JoseText::Guessed(charset) => {
                        game.tape.push_comment_bytes(text, charset)
                    }
                };
            }
        }
    }
}

struct JoseRecordReader<'r, 'a> {
    row: &'r JoseGameRow<'a>,
    names: &'r JoseNames,
    settings: &'r JoseReadSettings,
}

fn report(game: &mut Game, code: &'static DiagnosticCode, message: impl FnOnce() -> String) {
    let place = Location {
        byte: Some(game.origin.byte),
        ..Location::game(game.origin.number)
    };
    game.diagnostics.report(code, || place, message);
}

impl JoseRecordReader<'_, '_> {
    fn roster(&self, game: &mut Game) {
        let row = self.row;
        self.name(game, "Event", &self.names.events, JoseField::Event);
        self.name(game, "Site", &self.names.sites, JoseField::Site);
        let flags = u16::try_from(row.int(JoseField::DateFlags) & 0xFFFF).unwrap_or(0);
        self.date(game, "Date", JoseField::GameDate, flags & 0xFF);
        self.text(game, "Round", JoseField::Round);
        self.name(game, "White", &self.names.players, JoseField::White);
        self.name(game, "Black", &self.names.players, JoseField::Black);
        let result = match row.get(JoseField::Result).int() {
            Some(0) => Outcome::BlackWins,
            Some(1) => Outcome::Draw,
            Some(2) => Outcome::WhiteWins,
            Some(-1) | None => Outcome::Unknown,
            Some(other) => {
                report(game, &codes::DERIVED, || format!("{other} is not a result"));
                Outcome::Unknown
            }
        };
        game.tags.push("Result", result.as_pgn());
    }

    fn more_tags(&self, game: &mut Game) {
        let row = self.row;
        for (tag, field) in [
            ("WhiteElo", JoseField::WhiteElo),
            ("BlackElo", JoseField::BlackElo),
        ] {
            let elo = row.int(field);
            if elo != 0 {
                game.tags.push(tag, &elo.to_string());
            }
        }
        if row.bytes(JoseField::Eco).is_some_and(|eco| eco != b"-") {
            self.text(game, "ECO", JoseField::Eco);
        }
        let flags = u16::try_from(row.int(JoseField::DateFlags) & 0xFFFF).unwrap_or(0);
        self.date(game, "EventDate", JoseField::EventDate, flags >> 8);
        self.name(game, "Opening", &self.names.openings, JoseField::Opening);
        self.text(game, "WhiteTitle", JoseField::WhiteTitle);
        self.text(game, "BlackTitle", JoseField::BlackTitle);
        self.name(game, "Annotator", &self.names.players, JoseField::Annotator);
        self.text(game, "Board", JoseField::Board);
        if let Some(info) = row.bytes(JoseField::Info) {
            self.info(game, info);
        }
        let mut marks = String::new();
        let flags = row.int(JoseField::Attributes);
        if self.names.is_trash(row.int(JoseField::Collection)) {
            marks.push('D');
        }
        for (bit, letter) in attributes::MARKS {
            if flags & i64::from(bit) != 0 {
                marks.push(letter);
            }
        }
        // Flags that jose does not have are among the tags, together with those that it has.
        if game.tags.get(FLAGS_TAG).is_none() {
            game.tags.push_some(FLAGS_TAG, &marks);
        }
        if let Some(eval) = row.bytes(JoseField::Eval) {
            report(game, &codes::UNREAD_COLUMN, || {
                format!("{} bytes of engine evaluations are not read", eval.len())
            });
        }
    }

    /// Finds the starting position and its tags; false if the moves have no meaning.
    fn set_up(&self, game: &mut Game) -> bool {
        let is_chess960 =
            self.row.int(JoseField::Attributes) & i64::from(attributes::CHESS960) != 0;
        // A position that was invalid when it was stored is still among the tags.
        let told = beginning(game.tags.iter().map(|tag| (tag.name, tag.value)));
        let fen = self.row.bytes(JoseField::Fen);
        game.variant = variant(is_chess960, fen.is_some(), &told);
        let Some(fen) = fen else {
            return true;
        };
        self.text(game, "FEN", JoseField::Fen);
        game.tags.push("SetUp", "1");
        match Board::from_fen(&String::from_utf8_lossy(fen)) {
            Ok((board, problems)) => {
                if game.variant == Variant::Standard && board.is_chess960() {
                    game.variant = Variant::Chess960;
                }
                game.start = StartingPosition::Setup(Box::new(board), problems);
                true
            }
            Err(problem) => {
                game.variant = Variant::Other;
                report(game, &codes::BAD_FEN, || problem.to_string());
                false
            }
        }
    }

    fn text(&self, game: &mut Game, tag: &str, field: JoseField) {
        if let Some(bytes) = self.row.bytes(field) {
            self.push(game, tag, bytes);
        }
    }

    fn push(&self, game: &mut Game, tag: &str, bytes: &[u8]) {
        match self.settings.coding.read(bytes) {
            JoseText::Unicode(text) => game.tags.push(tag, &text),
            JoseText::Legacy(charset) => game.tags.push_bytes(tag.as_bytes(), bytes, charset),
            JoseText::Guessed(charset) => {
                report(game, &codes::BAD_TEXT, || {
                    format!("the {tag} was read as {}", charset.name())
                });
                game.tags.push_bytes(tag.as_bytes(), bytes, charset);
            }
        }
    }

    fn name(&self, game: &mut Game, tag: &str, table: &JoseNameTable, field: JoseField) {
        let id = self.row.int(field);
        match table.get(id) {
            // The name of id 0 is a dash and means unknown.
            Some(b"-") if id == 0 => {}
            Some(b"") => {}
            Some(name) => self.push(game, tag, name),
            None if id == 0 => {}
            None => report(game, &codes::LOST_NAME, || {
                format!("the {tag} has the unknown id {id}")
            }),
        }
    }

    fn date(&self, game: &mut Game, tag: &str, field: JoseField, flags: u16) {
        let day = match self.row.get(field).day() {
            Some(day) if flags & date_flags::NOTHING != date_flags::NOTHING => day,
            _ => return,
        };
        let date = read_date(day, flags, self.settings.shift_dates);
        if date.slipped {
            report(game, &codes::SLIPPED_DATE, || {
                format!(
                    "the {tag} was stored as {:04}-{:02}-{:02}",
                    day.year, day.month, day.day
                )
            });
        }
        if !date.date.is_valid() || flags & !date_flags::NOTHING != 0 {
            report(game, &codes::BAD_DATE, || {
                format!(
                    "the {tag} is stored as {:04}-{:02}-{:02} with flags {flags:02X}",
                    day.year, day.month, day.day
                )
            });
        }
        if !date.date.is_unknown() {
            game.tags.push(tag, &date.date.to_string());
        }
    }

    /// Splits `key=value;key=value`. There are no escapes, so a part without `=` belongs to the previous value.
    fn info(&self, game: &mut Game, info: &[u8]) {
        let mut start = 0;
        let mut at = 0;
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in info.split(|&byte| byte == b';') {
            let end = at + part.len();
            if memchr::memchr(b'=', part).is_some() && at > 0 && at > start {
                parts.push(info.get(start..at - 1).unwrap_or_default());
                start = at;
            }
            at = end + 1;
        }
        parts.push(info.get(start..).unwrap_or_default());
        for part in parts {
            let (key, value) = match memchr::memchr(b'=', part) {
                Some(at) => (part.get(..at), part.get(at + 1..)),
                None => (Some(part), None),
            };
            let key = key.unwrap_or_default().trim_ascii();
            let key = self.settings.coding.decode(key);
            if !key.is_empty() {
                self.push(game, &key, value.unwrap_or_default());
            } else if let Some(value) = value {
                report(game, &codes::BAD_INFO, || {
                    format!("{:?} has no name", String::from_utf8_lossy(value))
                });
                self.push(game, "Info", value);
            }
        }
    }

    /// Compares redundant columns with the moves.
    fn compare(&self, game: &mut Game) {
        let row = self.row;
        let broken = game.diagnostics.at_least(tabiya_model::Severity::Damage) > 0;
        if !broken && let Some(claimed) = row.get(JoseField::PlyCount).int() {
            let plies = game.tape.plies();
            if i64::try_from(plies) != Ok(claimed) {
                report(game, &codes::DERIVED, || {
                    format!("PlyCount is {claimed}, but there are {plies} plies")
                });
            }
        }
        if !broken
            && let (Some(outcome), Some(tag)) = (game.outcome, game.tags.result())
            && outcome != tag
        {
            report(game, &codes::DERIVED, || {
                format!(
                    "the column Result is {}, but the moves end with {}",
                    tag.as_pgn(),
                    outcome.as_pgn()
                )
            });
        }
    }
}

/// The variant of a game, by its row and its tags.
pub(super) fn variant(is_chess960: bool, has_position: bool, told: &SetupTags) -> Variant {
    match told {
        SetupTags { fault: Some(_), .. } if !has_position => Variant::Other,
        _ if is_chess960 => Variant::Chess960,
        told => (told.name.as_deref()).map_or(Variant::Standard, Variant::from_name),
    }
}

/// A date and whether it had slipped by a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoseDate {
    /// The date with unknown parts left out.
    pub date: Date,
    /// Whether a day was added because the date had slipped.
    pub slipped: bool,
}

/// Reads a day and its flags. Unknown parts are stored as 1; a partial date on another day has slipped by one day, and with
/// `shift` exact dates are assumed to have slipped too.
pub fn read_date(day: JoseDay, flags: u16, shift: bool) -> JoseDate {
    let stored = Date::from_numbers(day.year, day.month, day.day);
    let no_day = flags & date_flags::NO_DAY != 0;
    let no_month = flags & date_flags::NO_MONTH != 0;
    let slipped = (no_day && stored.day.is_some_and(|day| day != 1))
        || (!no_day && no_month && stored.month.is_some_and(|month| month != 1));
    let exact = flags & date_flags::NOTHING == 0;
    let mut date = stored;
    let moved = slipped || (exact && shift && stored.is_complete());
    if moved {
        date = stored.next_day().unwrap_or(stored);
    }
    if no_day {
        date.day = None;
    }
    if no_month {
        date.month = None;
    }
    if flags & date_flags::NO_YEAR != 0 {
        date.year = None;
    }
    JoseDate { date, slipped }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(year: u16, month: u8, day: u8, flags: u16, shift: bool) -> (String, bool) {
        let read = read_date(JoseDay { year, month, day }, flags, shift);
        (read.date.to_string(), read.slipped)
    }

    #[test]
    fn partial_dates_slip_by_a_day() {
        assert_eq!(
            read(2000, 12, 31, 0x30, false),
            ("2001.??.??".to_owned(), true)
        );
        assert_eq!(
            read(2001, 3, 31, 0x10, false),
            ("2001.04.??".to_owned(), true)
        );
        assert_eq!(
            read(2001, 4, 1, 0x10, false),
            ("2001.04.??".to_owned(), false)
        );
        assert_eq!(
            read(2001, 1, 1, 0x30, false),
            ("2001.??.??".to_owned(), false)
        );
        assert_eq!(
            read(2001, 1, 12, 0, false),
            ("2001.01.12".to_owned(), false)
        );
        assert_eq!(read(2001, 1, 12, 0, true), ("2001.01.13".to_owned(), false));
        assert_eq!(
            read(2001, 12, 31, 0, true),
            ("2002.01.01".to_owned(), false)
        );
        assert_eq!(
            read(2001, 1, 15, 0x20, false),
            ("2001.??.15".to_owned(), false)
        );
        assert_eq!(
            read(2001, 1, 1, 0x40, false),
            ("????.01.01".to_owned(), false)
        );
    }
}
