//! The order of games: the words that users sort by, and how games of any format are compared.

use std::cmp::Ordering;

use tabiya_model::eco::Eco;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Error, Game, Result};

/// What games are sorted by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct SortKey {
    /// The field.
    pub(crate) field: SortField,
    /// From the highest to the lowest.
    pub(crate) descending: bool,
}

/// A field that games can be sorted by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum SortField {
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
    /// The ECO code.
    Eco,
    /// The number of half-moves.
    Plies,
}

/// Every field with its word for users.
const FIELDS: [(&str, SortField); 12] = [
    ("date", SortField::Date),
    ("eventdate", SortField::EventDate),
    ("white", SortField::White),
    ("black", SortField::Black),
    ("event", SortField::Event),
    ("site", SortField::Site),
    ("round", SortField::Round),
    ("result", SortField::Result),
    ("whiteelo", SortField::WhiteElo),
    ("blackelo", SortField::BlackElo),
    ("eco", SortField::Eco),
    ("plies", SortField::Plies),
];

/// What one game has in one field.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    Number(u64),
    /// Without regard to case first.
    Name(String, String),
    Round(Vec<u64>, String),
}

impl SortKey {
    /// Reads words such as `date` or `-whiteelo`.
    pub(crate) fn parse_all(words: &[String]) -> Result<Vec<SortKey>> {
        let read = |word: &String| SortKey::parse(word).ok_or_else(|| unknown(word));
        words.iter().map(read).collect()
    }

    fn parse(word: &str) -> Option<SortKey> {
        let (descending, word) = match word.strip_prefix('-') {
            Some(word) => (true, word),
            None => (false, word),
        };
        let word = word.to_ascii_lowercase();
        let (_, field) = FIELDS.iter().find(|(name, _)| *name == word)?;
        Some(SortKey {
            field: *field,
            descending,
        })
    }

    /// Whether tags do not tell it.
    pub(super) fn wants_moves(self) -> bool {
        self.field == SortField::Plies
    }

    /// What a game has there.
    pub(super) fn of_game(self, game: &Game) -> Key {
        let tags = &game.tags;
        let name = |tag: &str| {
            let name = tags.value(tag);
            Key::Name(name.to_ascii_lowercase(), name.to_owned())
        };
        let date = |tag: &str| {
            let bits = tags.date(tag).and_then(|date| date.to_scid());
            Key::Number(u64::from(bits.unwrap_or(0)))
        };
        let number = |tag: &str| Key::Number(u64::from(tags.number(tag).unwrap_or(0)));
        match self.field {
            SortField::Date => date("Date"),
            SortField::EventDate => date("EventDate"),
            SortField::White => name("White"),
            SortField::Black => name("Black"),
            SortField::Event => name("Event"),
            SortField::Site => name("Site"),
            SortField::Round => {
                let round = tags.value("Round");
                Key::Round(numbers(round.as_bytes()), round.to_ascii_lowercase())
            }
            SortField::Result => {
                let outcome = tags.result().or(game.outcome);
                Key::Number(u64::from(outcome.unwrap_or(Outcome::Unknown).to_scid()))
            }
            SortField::WhiteElo => number("WhiteElo"),
            SortField::BlackElo => number("BlackElo"),
            SortField::Eco => {
                let eco = Eco::read(tags.value("ECO"));
                Key::Number(eco.map_or(0, |(eco, _)| u64::from(eco.to_scid())))
            }
            SortField::Plies => Key::Number(game.tape.plies() as u64),
        }
    }

    /// Compares two games by what they have in each of the keys.
    pub(super) fn compare_all(keys: &[SortKey], a: &[Key], b: &[Key]) -> Ordering {
        keys.iter()
            .zip(a.iter().zip(b))
            .map(|(key, (a, b))| {
                let order = a.cmp(b);
                if key.descending {
                    order.reverse()
                } else {
                    order
                }
            })
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// The error for a word that names no field.
fn unknown(word: &str) -> Error {
    let words: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
    Error::usage(format!(
        "{word}: games cannot be sorted by this; there are {} (with - in front from the highest)",
        words.join(", ")
    ))
}

/// The numbers of a round such as `4.2`.
pub(crate) fn numbers(round: &[u8]) -> Vec<u64> {
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
