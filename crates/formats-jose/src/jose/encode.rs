//! A game as columns of jose's tables.
//!
//! A tag goes into its own column if reading it back gives the same tag. All others go into the column `JoseInfoColumn`,
//! which takes names and values, up to 255 characters altogether.

use tabiya_model::date::Date;
use tabiya_model::game::{FLAGS_TAG, StartingPosition, Variant};
use tabiya_model::outcome::Outcome;
use tabiya_model::setup_tags::{beginning, decides};
use tabiya_model::tags::ROSTER;
use tabiya_model::{Board, Game, Losses};

use super::layout::{attributes, date_flags};
use super::losses;
use super::moves::{JoseEncodedMoves, JoseMoveEncoder};
use super::record::variant;
use super::row::JoseDay;
use tabiya_codec::fact_losses::{StartTags, report_empty_tags};

/// The longest name, and the longest text of the column `JoseInfoColumn`, in characters.
const LONG: usize = 255;
/// The longest round, board or title.
const SHORT: usize = 32;
/// The longest custom starting position.
const FEN: usize = 128;
/// The most bytes of moves, and of comments.
const BLOB: usize = (16 << 20) - 1;

/// A game ready to be stored. Names are still names; they get ids when the game is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JoseEncodedGame {
    /// The game's number in its source.
    pub number: u64,
    /// Event.
    pub event: Option<String>,
    /// Site.
    pub site: Option<String>,
    /// White.
    pub white: Option<String>,
    /// Black.
    pub black: Option<String>,
    /// Opening.
    pub opening: Option<String>,
    /// Annotator.
    pub annotator: Option<String>,
    /// Round.
    pub round: Option<String>,
    /// Board number.
    pub board: Option<String>,
    /// White's title.
    pub white_title: Option<String>,
    /// Black's title.
    pub black_title: Option<String>,
    /// ECO code.
    pub eco: Option<String>,
    /// Custom starting position.
    pub fen: Option<String>,
    /// More tags.
    pub info: Option<String>,
    /// White's rating.
    pub white_elo: Option<u32>,
    /// Black's rating.
    pub black_elo: Option<u32>,
    /// Date.
    pub game_date: Option<JoseDay>,
    /// Date of the event.
    pub event_date: Option<JoseDay>,
    /// Which parts of the dates are known.
    pub date_flags: u16,
    /// Result.
    pub result: i8,
    /// Whether the game belongs in the trash.
    pub deleted: bool,
    /// Flags.
    pub attributes: u16,
    /// Moves, texts and their attributes.
    pub moves: JoseEncodedMoves,
}

/// Prepares games; reuse it.
#[derive(Debug, Default)]
pub struct JoseGameEncoder {
    encoder: JoseMoveEncoder,
}

/// The number of characters as a server with three-byte UTF-8 counts them.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

impl JoseGameEncoder {
    /// Prepares a game and reports what jose cannot hold; `None` if it cannot hold the game at all.
    pub fn prepare(&mut self, game: &Game, losses: &mut Losses) -> Option<JoseEncodedGame> {
        let number = game.origin.number;
        let mut prepared = JoseEncodedGame {
            number,
            ..JoseEncodedGame::default()
        };
        if !self.encoder.encode(game, &mut prepared.moves, losses) {
            return None;
        }
        let longest = prepared.moves.bin.len().max(prepared.moves.comments.len());
        if longest > BLOB {
            losses.report(&losses::TOO_LARGE, number, format!("{longest} bytes"));
            return None;
        }
        prepared.attributes = prepared.moves.attributes;
        prepared.result = match game.tags.result().unwrap_or_else(|| game.result()) {
            Outcome::BlackWins => 0,
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
            Outcome::Unknown => -1,
        };
        prepared.deleted = game.is_deleted();
        let mut info = JoseInfoColumn {
            text: String::new(),
            deciding: Vec::new(),
            number,
        };
        let is_setup = set_up(game, &mut prepared);
        // An unknown date has these flags, a missing date of the event has none.
        prepared.date_flags = date_flags::NOTHING;
        if let Some(odd) = game.tags.odd_result() {
            losses.report(&losses::RESULT, number, shown("Result", odd));
        }
        let start = StartTags {
            fen: prepared.fen.as_deref(),
            setup: true,
            variant: false,
        };
        start.report(game, losses);
        report_empty_tags(game, false, losses);
        for (index, tag) in game.tags.iter().enumerate() {
            let first = game.tags.position(tag.name) == Some(index);
            let alone = game
                .tags
                .iter()
                .filter(|other| other.name == tag.name)
                .count()
                == 1;
            let unknown = match tag.name {
                "Date" => tag.value.is_empty() || tag.value == "????.??.??",
                _ => tag.value.is_empty() || tag.value == "?",
            };
            if first && alone && unknown && ROSTER.contains(&tag.name) {
                continue;
            }
            if game.is_start_tag(index) {
                continue;
            }
            // A FEN with more than the position is stored unchanged.
            if tag.name == "FEN" && first && prepared.fen.as_deref() == Some(tag.value) {
                continue;
            }
            if is_setup && matches!(tag.name, "FEN" | "SetUp") {
                // When read again, it would be the FEN of the position.
                losses.report(&losses::INFO_FORM, number, shown(tag.name, tag.value));
                continue;
            }
            let is_taken = first && prepared.take(tag.name, tag.value, losses, number);
            // Flags among the other tags replace all flags.
            if is_taken && (alone || tag.name != FLAGS_TAG) {
                continue;
            }
            info.add(tag.name, tag.value, losses);
        }
        let told = beginning((info.deciding.iter()).map(|(name, value)| (&**name, &**value)));
        let is_chess960 = prepared.attributes & attributes::CHESS960 != 0;
        let mut read = variant(is_chess960, is_setup, &told);
        if let StartingPosition::Setup(board, _) = &game.start
            && read == Variant::Standard
            && board.is_chess960()
        {
            read = Variant::Chess960;
        }
        if read != game.variant {
            losses.report(&losses::VARIANT, number, format!("{read:?}"));
        }
        prepared.info = (!info.text.is_empty()).then_some(info.text);
        Some(prepared)
    }
}

/// Sets the position; returns whether there is one.
fn set_up(game: &Game, prepared: &mut JoseEncodedGame) -> bool {
    let StartingPosition::Setup(board, _) = &game.start else {
        return false;
    };
    let as_written = game.tags.get("FEN").filter(|fen| {
        units(fen) <= FEN && Board::from_fen(fen).is_ok_and(|(read, _)| read == **board)
    });
    prepared.fen = Some(as_written.map_or_else(|| board.to_fen(), str::to_owned));
    true
}

impl JoseEncodedGame {
    /// Puts a tag into its column; false if it has none or would not be read back unchanged.
    fn take(&mut self, name: &str, value: &str, losses: &mut Losses, number: u64) -> bool {
        let column = match name {
            "Event" => &mut self.event,
            "Site" => &mut self.site,
            "White" => &mut self.white,
            "Black" => &mut self.black,
            "Opening" => &mut self.opening,
            "Annotator" => &mut self.annotator,
            "Round" => return short(&mut self.round, value),
            "Board" => return short(&mut self.board, value),
            "WhiteTitle" => return short(&mut self.white_title, value),
            "BlackTitle" => return short(&mut self.black_title, value),
            "ECO" => {
                let fits =
                    (1..=3).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_graphic());
                if fits && value != "-" {
                    self.eco = Some(value.to_owned());
                    return true;
                }
                return false;
            }
            "WhiteElo" => return rating(&mut self.white_elo, value),
            "BlackElo" => return rating(&mut self.black_elo, value),
            "Date" => {
                let Some((day, flags)) = date(value) else {
                    return false;
                };
                self.game_date = Some(day);
                self.date_flags = self.date_flags & 0xFF00 | flags;
                return true;
            }
            "EventDate" => {
                let Some((day, flags)) = date(value) else {
                    return false;
                };
                self.event_date = Some(day);
                self.date_flags = self.date_flags & 0x00FF | flags << 8;
                return true;
            }
            "Result" => return true,
            FLAGS_TAG => {
                let mut again = String::new();
                if self.deleted {
                    again.push('D');
                }
                for (bit, letter) in attributes::MARKS {
                    if value.contains(letter) {
                        self.attributes |= bit;
                        again.push(letter);
                    }
                }
                return again == value && !value.is_empty();
            }
            _ => return false,
        };
        if value.is_empty() {
            return false;
        }
        let mut room = LONG;
        let end = value.char_indices().find(|(_, character)| {
            let fits = character.len_utf16() <= room;
            room = room.saturating_sub(character.len_utf16());
            !fits
        });
        let cut = end.map_or(value, |(at, _)| value.get(..at).unwrap_or_default());
        if cut.len() < value.len() {
            losses.report(
                &losses::LONG_NAME,
                number,
                format!("{name}, cut to {cut:?}"),
            );
        }
        *column = Some(cut.to_owned());
        true
    }
}

fn short(column: &mut Option<String>, value: &str) -> bool {
    let fits = !value.is_empty() && units(value) <= SHORT;
    if fits {
        *column = Some(value.to_owned());
    }
    fits
}

fn rating(column: &mut Option<u32>, value: &str) -> bool {
    *column = value
        .parse()
        .ok()
        .filter(|&elo: &u32| elo > 0 && i32::try_from(elo).is_ok() && elo.to_string() == value);
    column.is_some()
}

/// A date that is read back unchanged: the day to store, and the flags of unknown parts.
fn date(value: &str) -> Option<(JoseDay, u16)> {
    let date = Date::parse(value)?;
    if date.to_string() != value || !date.is_valid() {
        return None;
    }
    let mut flags = 0;
    if date.month.is_none() {
        flags |= date_flags::NO_MONTH;
    }
    if date.day.is_none() {
        flags |= date_flags::NO_DAY;
    }
    let day = JoseDay {
        year: date.year?,
        month: date.month.unwrap_or(1),
        day: date.day.unwrap_or(1),
    };
    // An unknown month is stored as January, which has all days.
    Some((day, flags))
}

/// A tag for a message, shortened if it is long.
fn shown(name: &str, value: &str) -> String {
    let beginning: String = value.chars().take(1000).collect();
    format!("[{name} {beginning:?}]")
}

/// The text of the column `JoseInfoColumn` under construction.
struct JoseInfoColumn {
    text: String,
    /// Those of its tags that determine the start.
    deciding: Vec<(String, String)>,
    number: u64,
}

impl JoseInfoColumn {
    fn add(&mut self, name: &str, value: &str, losses: &mut Losses) {
        let named = !name.is_empty() && name.trim_ascii() == name && !name.contains(['=', ';']);
        // A part of a value that looks like another entry would be read as one.
        let plain = value.split(';').skip(1).all(|part| !part.contains('='));
        let room = LONG.saturating_sub(units(&self.text) + usize::from(!self.text.is_empty()));
        if !named || !plain {
            losses.report(&losses::INFO_FORM, self.number, shown(name, value));
        } else if units(name) + 1 + units(value) > room {
            losses.report(&losses::INFO_LENGTH, self.number, shown(name, value));
        } else {
            if !self.text.is_empty() {
                self.text.push(';');
            }
            self.text.push_str(name);
            self.text.push('=');
            self.text.push_str(value);
            if decides(name) {
                self.deciding.push((name.to_owned(), value.to_owned()));
            }
        }
    }
}
