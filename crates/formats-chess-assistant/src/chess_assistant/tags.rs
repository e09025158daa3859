//! A game's header and names as tags. Reader and writer share this, so that the writer knows what will be read.

use tabiya_model::Tags;
use tabiya_model::charset::Charset;
use tabiya_model::date::Date;
use tabiya_model::eco::EcoCode;

use super::layout::{CaHeader, CaPlayer, unpack_date};
use super::text::{decode_outcome, kind_text, sex_text};
use super::{BYTE_TAG, DATE_TAG, ECO_TAG, OUTCOME_TAG, ROUND_TAG, TYPE_TAG};

/// The last year that the Date tag can hold.
const LAST_YEAR: u16 = 9999;

/// The names that a header refers to, as bytes; empty if there is none.
#[derive(Copy, Clone, Default, Debug)]
pub struct CaGameNames<'a> {
    /// White's and Black's names.
    pub players: [&'a [u8]; 2],
    /// Their titles.
    pub titles: [&'a [u8]; 2],
    /// Other data about them.
    pub facts: [CaPlayer; 2],
    /// The event.
    pub event: &'a [u8],
    /// The place.
    pub site: &'a [u8],
    /// The annotator.
    pub annotator: &'a [u8],
    /// The source.
    pub source: &'a [u8],
    /// Whether ECO number 0 is known to be A00.
    pub is_a00: bool,
}

/// A packed date, without years that no tag can hold.
pub fn date_of(packed: u32) -> Date {
    let (year, month, day) = unpack_date(packed);
    Date::from_numbers(if year > LAST_YEAR { 0 } else { year }, month, day)
}

/// Adds the tags of a game. Every field with an undescribed value is reported to `odd`.
pub fn push_tags(
    header: &CaHeader,
    names: &CaGameNames<'_>,
    charset: Charset,
    tags: &mut Tags,
    mut odd: impl FnMut(&'static str, u32),
) {
    let mut roster = |name: &str, value: &[u8]| {
        if value.is_empty() {
            tags.push(name, "?");
        } else {
            tags.push_bytes(name.as_bytes(), value, charset);
        }
    };
    roster("Event", names.event);
    roster("Site", names.site);
    roster("Date", date_of(header.date).to_string().as_bytes());
    match header.round / 2 {
        0 => roster("Round", b""),
        round => roster("Round", round.to_string().as_bytes()),
    }
    let [white, black] = names.players;
    roster("White", white);
    roster("Black", black);
    let judgement = decode_outcome(header.outcome);
    tags.push("Result", judgement.outcome.as_pgn());
    for (name, elo) in [
        ("WhiteElo", header.white_elo),
        ("BlackElo", header.black_elo),
    ] {
        if elo != 0 {
            tags.push(name, &elo.to_string());
        }
    }
    let eco = (header.eco != 0 || names.is_a00).then(|| EcoCode::from_index(header.eco));
    if let Some(Some(eco)) = eco {
        tags.push("ECO", &eco.to_string());
    }
    let sides = ["White", "Black"].into_iter().zip(names.titles);
    for ((color, title), facts) in sides.zip(names.facts) {
        if !title.is_empty() {
            tags.push_bytes(format!("{color}Title").as_bytes(), title, charset);
        }
        if facts.fide != 0 {
            tags.push(&format!("{color}FideId"), &facts.fide.to_string());
        }
        if facts.rating != 0 {
            tags.push(&format!("{color}ListRating"), &facts.rating.to_string());
        }
        if facts.birth != 0 {
            let birth = date_of(facts.birth).to_string();
            tags.push(&format!("{color}BirthDate"), &birth);
        }
        if let Some(sex) = sex_text(facts.sex) {
            tags.push(&format!("{color}Sex"), &sex);
        }
    }
    for (name, value) in [("Annotator", names.annotator), ("Source", names.source)] {
        if !value.is_empty() {
            tags.push_bytes(name.as_bytes(), value, charset);
        }
    }
    if let Some(kind) = kind_text(header.kind) {
        tags.push(TYPE_TAG, &kind);
    }
    if let Some((evaluation, _)) = judgement.evaluation {
        tags.push(OUTCOME_TAG, evaluation);
    }
    let (year, ..) = unpack_date(header.date);
    for (is_odd, name, value) in [
        (!judgement.is_known, OUTCOME_TAG, header.outcome.into()),
        (year > LAST_YEAR, DATE_TAG, header.date),
        (
            !header.round.is_multiple_of(2),
            ROUND_TAG,
            header.round.into(),
        ),
        (eco == Some(None), ECO_TAG, header.eco.into()),
    ] {
        if is_odd {
            tags.push(name, &value.to_string());
            odd(name, value);
        }
    }
    if header.unknown != 0 {
        tags.push(BYTE_TAG, &header.unknown.to_string());
    }
}
