//! The order of games.

use std::cmp::Ordering;

use tabiya_model::Error;

use super::super::layout::{Entry, NameKind};

/// What games are sorted by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct SortKey {
    /// The field.
    field: SortField,
    /// From the highest to the lowest.
    descending: bool,
}

/// A field that games can be sorted by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum SortField {
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

impl SortKey {
    /// Reads a word such as `date` or `-whiteelo`.
    pub(super) fn parse(word: &str) -> Option<SortKey> {
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

    /// Compares two games; `name` gives a name by its number.
    pub(super) fn compare<'n>(
        self,
        a: &Entry,
        b: &Entry,
        name: &impl Fn(NameKind, u32) -> &'n [u8],
    ) -> Ordering {
        let by_name = |kind: NameKind, black: bool| {
            let (a, b) = (
                name(kind, a.name(kind, black)),
                name(kind, b.name(kind, black)),
            );
            let folded = |name: &[u8]| name.to_ascii_lowercase();
            folded(a).cmp(&folded(b)).then_with(|| a.cmp(b))
        };
        let order = match self.field {
            SortField::Date => a.date.cmp(&b.date),
            SortField::EventDate => a.event_date.cmp(&b.event_date),
            SortField::White => by_name(NameKind::Player, false),
            SortField::Black => by_name(NameKind::Player, true),
            SortField::Event => by_name(NameKind::Event, false),
            SortField::Site => by_name(NameKind::Site, false),
            SortField::Round => numbers(name(NameKind::Round, a.round))
                .cmp(&numbers(name(NameKind::Round, b.round)))
                .then_with(|| by_name(NameKind::Round, false)),
            SortField::Result => a.outcome.cmp(&b.outcome),
            SortField::WhiteElo => a.white_rating.cmp(&b.white_rating),
            SortField::BlackElo => a.black_rating.cmp(&b.black_rating),
            SortField::Eco => a.eco.cmp(&b.eco),
            SortField::Plies => a.plies.cmp(&b.plies),
        };
        if self.descending {
            order.reverse()
        } else {
            order
        }
    }
}

/// The error for a word that names no field.
pub(super) fn unknown(word: &str) -> Error {
    let words: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
    Error::usage(format!(
        "{word}: games cannot be sorted by this; there are {} (with - in front from the highest)",
        words.join(", ")
    ))
}

/// The numbers of a round such as `4.2`.
fn numbers(round: &[u8]) -> Vec<u64> {
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
