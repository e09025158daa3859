//! The order of games: the sort fields, and the values of a game in them.
//!
//! Unknown values come last, ascending and descending: dates, ratings and names alike. A date with unknown parts comes
//! before all dates that it could be.

use std::cmp::Ordering;

use crate::date::Date;
use crate::eco::EcoCode;
use crate::error_codes;
use crate::facts;
use crate::outcome::Outcome;
use crate::{Error, Game, Result};

/// A field that games can be sorted by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SortField {
    /// The number in its database.
    Number,
    /// The ply at which a search matched.
    Ply,
    /// How similar a game is to the position of a search.
    Near,
    /// The date.
    Date,
    /// The event's date.
    EventDate,
    /// White's name.
    White,
    /// Black's name.
    Black,
    /// The event's name.
    Event,
    /// The site's name.
    Site,
    /// The round; numbers by their value.
    Round,
    /// The result.
    Result,
    /// White's rating.
    WhiteElo,
    /// Black's rating.
    BlackElo,
    /// Both ratings.
    Elo,
    /// The ECO code.
    Eco,
    /// The number of plies.
    Plies,
}

/// Every field with its word for users.
const FIELDS: [(&str, SortField); 16] = [
    ("number", SortField::Number),
    ("ply", SortField::Ply),
    ("similarity", SortField::Near),
    ("date", SortField::Date),
    ("event-date", SortField::EventDate),
    ("white", SortField::White),
    ("black", SortField::Black),
    ("event", SortField::Event),
    ("site", SortField::Site),
    ("round", SortField::Round),
    ("result", SortField::Result),
    ("white-elo", SortField::WhiteElo),
    ("black-elo", SortField::BlackElo),
    ("elo", SortField::Elo),
    ("eco", SortField::Eco),
    ("plies", SortField::Plies),
];

/// Other words for some of them.
const OTHER_WORDS: [(&str, SortField); 7] = [
    ("near", SortField::Near),
    ("rating", SortField::Elo),
    ("length", SortField::Plies),
    ("moves", SortField::Plies),
    ("tournament", SortField::Event),
    ("id", SortField::Number),
    ("opening", SortField::Eco),
];

/// A field by which games are sorted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SortKey {
    /// The field.
    pub field: SortField,
    /// From the highest to the lowest.
    pub descending: bool,
}

/// The value of a game in one field.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SortValue {
    /// A number.
    Number(i64),
    /// A date.
    Date(Date),
    /// A text, folded and original.
    Text(Box<str>, Box<str>),
    /// The numbers of a round, and its text.
    Round(Box<[u64]>, Box<str>),
    /// Unknown.
    Missing,
}

impl SortKey {
    /// Reads a word such as `date` or `-white-elo`; hyphens within it may be left out. If there is no such field, the
    /// error lists the fields.
    pub fn parse(word: &str) -> Result<SortKey> {
        let (descending, name) = match word.strip_prefix('-') {
            Some(name) => (true, name),
            None => (false, word),
        };
        let plain = |name: &str| name.replace('-', "").to_ascii_lowercase();
        let mut all = FIELDS.iter().chain(&OTHER_WORDS);
        let found = all.find(|(known, _)| plain(known) == plain(name));
        match found {
            Some((_, field)) => Ok(SortKey {
                field: *field,
                descending,
            }),
            None => {
                let words: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
                Err(Error::new(
                    &error_codes::BAD_ORDER,
                    format!(
                        "{word}: not a sort field; the fields are {} (prefix - for descending)",
                        words.join(", ")
                    ),
                ))
            }
        }
    }

    /// Reads fields, separated by commas or given as separate words; the first one counts first.
    pub fn parse_all<S: AsRef<str>>(words: &[S]) -> Result<Vec<SortKey>> {
        let words = words.iter().flat_map(|words| words.as_ref().split(','));
        words.map(|word| SortKey::parse(word.trim())).collect()
    }

    /// Whether tags are not enough for it.
    pub fn wants_moves(self) -> bool {
        matches!(self.field, SortField::Plies | SortField::Near)
    }

    /// Whether only a search knows it.
    pub fn is_of_searches(self) -> bool {
        matches!(self.field, SortField::Ply | SortField::Near)
    }

    /// The value of a game, as far as the game has it; `fold` makes equivalent texts equal.
    pub fn of_game(self, game: &Game, fold: impl Fn(&str) -> String) -> SortValue {
        let tags = &game.tags;
        let text = |tag: &str| match tags.value(tag) {
            "" | "?" | "-" => SortValue::Missing,
            text => SortValue::Text(fold(text).into(), text.into()),
        };
        let date = |tag: &str| match facts::date(tags, tag) {
            Some(date) if date.year.is_some() => SortValue::Date(date),
            _ => SortValue::Missing,
        };
        let rating = |tag: &str| tags.number(tag).filter(|rating| *rating > 0);
        let number = |number: Option<u32>| {
            number.map_or(SortValue::Missing, |number| {
                SortValue::Number(i64::from(number))
            })
        };
        match self.field {
            SortField::Number => SortValue::Number(i64::try_from(game.origin.number).unwrap_or(0)),
            SortField::Ply | SortField::Near => SortValue::Missing,
            SortField::Date => date("Date"),
            SortField::EventDate => date("EventDate"),
            SortField::White => text("White"),
            SortField::Black => text("Black"),
            SortField::Event => text("Event"),
            SortField::Site => text("Site"),
            SortField::Round => match text("Round") {
                SortValue::Text(folded, _) => {
                    SortValue::Round(numbers(folded.as_bytes()).into(), folded)
                }
                _ => SortValue::Missing,
            },
            SortField::Result => of_outcome(game.result()),
            SortField::WhiteElo => number(rating("WhiteElo")),
            SortField::BlackElo => number(rating("BlackElo")),
            SortField::Elo => {
                let both = rating("WhiteElo").zip(rating("BlackElo"));
                number(both.and_then(|(white, black)| white.checked_add(black)))
            }
            SortField::Eco => match EcoCode::read(tags.value("ECO")) {
                Some((eco, _)) => SortValue::Number(i64::from(eco.to_scid())),
                None => SortValue::Missing,
            },
            SortField::Plies => {
                SortValue::Number(i64::try_from(game.tape.plies()).unwrap_or(i64::MAX))
            }
        }
    }

    /// Compares the values of two games.
    pub fn compare(self, a: &SortValue, b: &SortValue) -> Ordering {
        let is_missing = |value: &SortValue| *value == SortValue::Missing;
        let order = match self.descending {
            true => b.cmp(a),
            false => a.cmp(b),
        };
        is_missing(a).cmp(&is_missing(b)).then(order)
    }

    /// Compares the values of two games in each of the keys.
    pub fn compare_all(keys: &[SortKey], a: &[SortValue], b: &[SortValue]) -> Ordering {
        keys.iter()
            .zip(a.iter().zip(b))
            .map(|(key, (a, b))| key.compare(a, b))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// The order of results: wins of White before draws and wins of Black; a game without a result has none.
pub fn of_outcome(outcome: Outcome) -> SortValue {
    match outcome {
        Outcome::WhiteWins => SortValue::Number(1),
        Outcome::Draw => SortValue::Number(2),
        Outcome::BlackWins => SortValue::Number(3),
        Outcome::Unknown => SortValue::Missing,
    }
}

/// The numbers of a round such as `4.2`.
pub fn numbers(round: &[u8]) -> Vec<u64> {
    round
        .split(|byte| !byte.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map(|digits| {
            digits.iter().fold(0_u64, |number, digit| {
                number
                    .saturating_mul(10)
                    .saturating_add(u64::from(digit - b'0'))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(word: &str, tag: &str, values: &[&str]) -> Vec<String> {
        let key = SortKey::parse(word).expect("a field");
        let mut games: Vec<(SortValue, String)> = values
            .iter()
            .map(|value| {
                let mut game = Game::default();
                game.tags.push(tag, value);
                (key.of_game(&game, str::to_lowercase), (*value).to_owned())
            })
            .collect();
        games.sort_by(|(a, _), (b, _)| key.compare(a, b));
        games.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn what_is_unknown_comes_last_whichever_way() {
        let dates = [
            "????.??.??",
            "1999.05.07",
            "1999.??.??",
            "1999.05.??",
            "2001.01.01",
        ];
        let up = [
            "1999.??.??",
            "1999.05.??",
            "1999.05.07",
            "2001.01.01",
            "????.??.??",
        ];
        let down = [
            "2001.01.01",
            "1999.05.07",
            "1999.05.??",
            "1999.??.??",
            "????.??.??",
        ];
        assert_eq!(sorted("date", "Date", &dates), up);
        assert_eq!(sorted("-date", "Date", &dates), down);
        assert_eq!(
            sorted("-white-elo", "WhiteElo", &["", "0", "900", "2700"]),
            ["2700", "900", "", "0"]
        );
        assert_eq!(sorted("white", "White", &["?", "b", "A"]), ["A", "b", "?"]);
        assert_eq!(sorted("-white", "White", &["?", "b", "A"]), ["b", "A", "?"]);
        assert_eq!(
            sorted("round", "Round", &["-", "10", "9.2", "9.10", "1st"]),
            ["1st", "9.2", "9.10", "10", "-"]
        );
        assert_eq!(
            sorted("result", "Result", &["*", "0-1", "1-0", "1/2-1/2"]),
            ["1-0", "1/2-1/2", "0-1", "*"]
        );
    }

    #[test]
    fn words_are_read_with_and_without_hyphens() {
        let keys = SortKey::parse_all(&["-white-elo,eventdate", "round"]).expect("fields");
        let fields: Vec<_> = keys.iter().map(|key| (key.field, key.descending)).collect();
        assert_eq!(
            fields,
            [
                (SortField::WhiteElo, true),
                (SortField::EventDate, false),
                (SortField::Round, false)
            ]
        );
        let error = SortKey::parse("elos").expect_err("no field");
        assert!(error.message.contains("white-elo"), "{error}");
    }
}
