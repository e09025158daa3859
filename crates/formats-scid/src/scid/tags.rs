//! Tags of a game: from its entry in the index, and from its record.

use shakmaty::Color;
use tabiya_model::eco::EcoCode;
use tabiya_model::game::{ENDING_TAG, FLAGS_TAG};
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;
use tabiya_model::tags::TagSet;
use tabiya_model::{Game, Location};

use super::codes;
use super::encode::other_ending;
use super::layout::{ScidEntry, ScidNameKind, flag};
use super::names::or_unknown;
use super::reader::ScidReader;
use super::record::{ScidExtraTag, ScidExtraTags, ScidTagName, old_event_date};
pub use super::tag_fields::{date_field, date_text, eco_field, flag_text};
use super::tag_fields::{eco_text, push_number};

impl ScidReader {
    /// Makes the wanted tags from the index entry, apart from those that the record has in full; returns which of the tags of the
    /// record is not a real one, since it has the result at the end of the movetext.
    pub(super) fn push_tags(
        &self,
        wanted: TagSet,
        (entry, record): (&ScidEntry, &[u8]),
        word: &mut String,
        game: &mut Game,
    ) -> Option<usize> {
        let spelled = ScidTagOverrides::find(entry, record);
        let number = game.origin.number;
        if number >= self.rescued_from {
            game.diagnostics.report(
                &codes::RESCUED,
                || Location {
                    byte: Some(entry.offset),
                    ..Location::game(number)
                },
                || {
                    format!(
                        "a record of {} bytes without an entry of the index",
                        entry.length
                    )
                },
            );
        }
        let wants = |tag: &str| wanted.may_hold(tag.as_bytes());
        self.push_name(game, wanted, "Event", ScidNameKind::Event, entry.event);
        self.push_name(game, wanted, "Site", ScidNameKind::Site, entry.site);
        if !spelled.date && wants("Date") {
            game.tags.push("Date", date_text(entry.date, word));
        }
        self.push_name(game, wanted, "Round", ScidNameKind::Round, entry.round);
        self.push_name(game, wanted, "White", ScidNameKind::Player, entry.white);
        self.push_name(game, wanted, "Black", ScidNameKind::Player, entry.black);
        let tags = &mut game.tags;
        let outcome = Outcome::from_scid(entry.outcome);
        if !spelled.result && wants("Result") {
            tags.push("Result", outcome.as_pgn());
        }
        game.outcome = Some(spelled.ending.unwrap_or(outcome));
        for (color, value, kind) in [
            (Color::White, entry.white_rating, entry.white_rating_kind),
            (Color::Black, entry.black_rating, entry.black_rating_kind),
        ] {
            if value == 0 {
                continue;
            }
            let known = RatingKind::from_scid(kind);
            if known.is_none() {
                game.diagnostics.report(
                    &codes::RATING_KIND,
                    || Location::game(number),
                    || format!("type {kind}, rating {value}"),
                );
            }
            word.clear();
            push_number(u32::from(value), 1, word);
            tags.push(known.unwrap_or_default().tag_name(color), word);
        }
        if entry.eco != 0 && !spelled.eco {
            match EcoCode::from_scid(entry.eco) {
                Some(eco) => tags.push("ECO", eco_text(eco, word)),
                None => game.diagnostics.report(
                    &codes::BAD_ECO,
                    || Location::game(number),
                    || format!("code {}", entry.eco),
                ),
            }
        }
        if entry.event_date != 0 && !spelled.event_date {
            tags.push("EventDate", date_text(entry.event_date, word));
        }
        if entry.has(!flag::DERIVED) {
            tags.push(FLAGS_TAG, flag_text(entry.flags, word));
        }
        spelled.ending_at
    }

    /// Adds a tag with a name, if it is wanted. A name that is not there is reported in any case.
    #[inline]
    fn push_name(&self, game: &mut Game, wanted: TagSet, tag: &str, kind: ScidNameKind, id: u32) {
        let number = game.origin.number;
        let is_rescued = number >= self.rescued_from;
        let names = self.names();
        let found = names.get(kind, id).filter(|_| !is_rescued);
        if found.is_none() && !is_rescued {
            game.diagnostics.report(
                &codes::MISSING_NAME,
                || Location::game(number),
                || format!("{} {id} of {}", kind.word(), names.len(kind)),
            );
        }
        if wanted.may_hold(tag.as_bytes()) {
            self.text().push_tag(game, tag, or_unknown(found));
        }
    }

    pub(super) fn push_extra(&self, entry: &ScidEntry, tag: ScidExtraTag<'_>, game: &mut Game) {
        let number = game.origin.number;
        let place = || Location {
            byte: Some(entry.offset),
            ..Location::game(number)
        };
        match tag.name {
            ScidTagName::Common(name) => self.text().push_tag(game, name, tag.value),
            ScidTagName::Spelled(name) => match std::str::from_utf8(name) {
                Ok(name) => self.text().push_tag(game, name, tag.value),
                Err(_) => {
                    let name = self.text().decode(name);
                    self.text().push_tag(game, &name, tag.value);
                }
            },
            ScidTagName::Unknown(code) => {
                game.diagnostics
                    .report(&codes::UNKNOWN_TAG, place, || format!("code {code}"));
                self.text()
                    .push_tag(game, &format!("ScidTag{code}"), tag.value);
            }
            ScidTagName::OldEventDate => {
                game.diagnostics
                    .report(&codes::OLD_EVENT_DATE, place, || "code 255".to_owned());
                if entry.event_date == 0
                    && let Some(date) = old_event_date(tag.value)
                {
                    game.tags.push("EventDate", &date.to_string());
                }
            }
        }
    }
}

/// The tags in a record although the index has a field for them: the text exceeds the field.
#[derive(Copy, Clone, Debug, Default)]
struct ScidTagOverrides {
    date: bool,
    result: bool,
    eco: bool,
    event_date: bool,
    /// The result at the end of the movetext, if it differs from that of the field, and the tag with it.
    ending: Option<Outcome>,
    ending_at: Option<usize>,
}

impl ScidTagOverrides {
    /// A tag replaces the field only if it agrees with it.
    fn find(entry: &ScidEntry, record: &[u8]) -> ScidTagOverrides {
        let mut spelled = ScidTagOverrides::default();
        if record.first() == Some(&0) {
            return spelled;
        }
        let field = Outcome::from_scid(entry.outcome);
        let mut has_result = false;
        for (index, tag) in ScidExtraTags::new(record).enumerate() {
            let value = || std::str::from_utf8(tag.value).unwrap_or("");
            match tag.name.bytes() {
                b"Result" if !std::mem::replace(&mut has_result, true) => {
                    let told = Outcome::read(value()).filter(|told| told.is_definite());
                    spelled.result = told.is_none_or(|told| told == field);
                }
                name if name == ENDING_TAG.as_bytes() => {
                    spelled.ending = other_ending(tag.value, field);
                    spelled.ending_at = spelled.ending.map(|_| index);
                }
                b"Date" => spelled.date |= date_field(value()) == entry.date,
                b"ECO" => spelled.eco |= eco_field(value()) == entry.eco,
                b"EventDate" => spelled.event_date |= date_field(value()) == entry.event_date,
                _ => {}
            }
        }
        spelled
    }
}
