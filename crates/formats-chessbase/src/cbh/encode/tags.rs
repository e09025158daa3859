//! Tags to the header, the names and the second header. Whatever a field does not say as the tag does is found when the copy
//! is read, so that nothing here has to be exact.

use shakmaty::Color;
use tabiya_codec::fact_losses::{ResultPair, report_empty_tags};
use tabiya_model::Game;
use tabiya_model::charset::Charset;
use tabiya_model::eco::EcoCode;
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;

use super::names::{put, put_name, put_player};
use super::{CbhGameNames, CbhGameParts, CbhHeaderPart, CbhSecondPart};
use crate::cbh::entities::CbhEntityTable;
use crate::cbh::layout::{CbhGameRecord, CbhTextRecord};
use crate::cbh::second_header;
use crate::cbh::tables;
use crate::cbh::tags::{
    self, CREATED_TAG, EVALUATION_TAG, KIND_TAG, MEDALS_TAG, MEDIA_TAG, SAVED_TAG, SAVES_TAG,
    START_TAG, TITLE_TAG,
};
use crate::encode::CbhLossReport;
use crate::encode::tag_values::{CbhTagValues, CbhTeamTags, nation_of};

/// What `.cbtt` says where nobody has said anything else, as the program writes it.
pub(in crate::cbh) const USUAL_EXTRA: [u8; 65] = {
    let mut record = [0; 65];
    record[26] = 7;
    record[37] = 7;
    record[48] = 7;
    let mut at = 50;
    while at < 60 {
        record[at] = 1;
        at += 1;
    }
    record
};

/// Everything but the movetext.
pub(super) fn parts(
    game: &Game,
    charset: Option<Charset>,
    report: &mut CbhLossReport<'_>,
) -> CbhGameParts {
    let values = CbhTagValues::of(game);
    let results = ResultPair::of(game);
    report.other_results(&results);
    report_empty_tags(game, true, report.losses);
    let is_text = values.get(KIND_TAG) == "text" && game.tape.main_line().next().is_none();
    let header = match is_text {
        true => CbhHeaderPart::Text(CbhTextRecord {
            kind: values.record_kind(3),
            round: values.round(),
            ..CbhTextRecord::default()
        }),
        false => CbhHeaderPart::Game(header(values, game, results.field)),
    };
    CbhGameParts {
        header,
        names: names(values, is_text, charset),
        second: second(values),
        moves: Vec::new(),
        notes: Vec::new(),
        media: media(values),
    }
}

fn header(values: CbhTagValues<'_>, game: &Game, result: Outcome) -> CbhGameRecord {
    let mut header = CbhGameRecord {
        kind: values.record_kind(1),
        date: values.date("Date"),
        result: values.result(result),
        line_nag: values.number(EVALUATION_TAG),
        round: values.round(),
        ratings: [Color::White, Color::Black]
            .map(|color| values.number(RatingKind::Elo.tag_name(color))),
        medals: values.number(MEDALS_TAG),
        ..CbhGameRecord::default()
    };
    if let Some((code, _)) = EcoCode::read(values.get("ECO")) {
        header.set_eco(code, code.sub().unwrap_or(0));
    }
    let number = values
        .get(START_TAG)
        .parse()
        .ok()
        .filter(|it| *it < 960_u16);
    let own = || crate::cbh::layout::chess960_number(&game.start_board());
    let is_chess960 = game.variant == tabiya_model::game::Variant::Chess960;
    // The program shows the number of the start in the place of the opening.
    match number.or_else(|| own().filter(|_| is_chess960 && values.get("ECO").is_empty())) {
        Some(number) if values.get("ECO").is_empty() => header.set_chess960(number),
        _ => {}
    }
    header
}

fn names(values: CbhTagValues<'_>, is_text: bool, charset: Option<Charset>) -> CbhGameNames {
    let mut names = CbhGameNames::default();
    if !is_text {
        for (record, name) in names.players.iter_mut().zip(["White", "Black"]) {
            put_player(record, values.known(name), charset);
        }
    }
    let event = &mut names.tournament;
    put_name(event, 0, 40, values.known("Event"), charset);
    put_name(event, 40, 30, values.known("Site"), charset);
    put(event, 70, &values.date("EventDate").0.to_le_bytes());
    let of = values.event_kind();
    put(
        event,
        74,
        &[
            of.kind,
            u8::from(of.is_team),
            values.nation("EventCountry"),
            0,
            values.number("EventCategory"),
            of.flags,
            values.number("EventRounds"),
        ],
    );
    put(
        event,
        CbhEntityTable::Tournaments.count_at(),
        &extra(values),
    );
    put_name(
        &mut names.annotator,
        0,
        45,
        values.get("Annotator"),
        charset,
    );
    let source = &mut names.source;
    put_name(source, 0, 25, values.get("SourceTitle"), charset);
    put_name(source, 25, 16, values.get("Source"), charset);
    put(source, 41, &values.date("SourceDate").0.to_le_bytes());
    put(
        source,
        45,
        &values.date("SourceVersionDate").0.to_le_bytes(),
    );
    put(
        source,
        49,
        &[
            values.number("SourceVersion"),
            values.number("SourceQuality"),
        ],
    );
    for (record, color) in names.teams.iter_mut().zip(["White", "Black"]) {
        *record = team(values, color, charset);
    }
    if !is_text {
        names.title = title(values, charset);
    }
    names
}

/// The record of `.cbtt`.
fn extra(values: CbhTagValues<'_>) -> [u8; 65] {
    let end = values.date("EventEndDate");
    let place = values.get("CbhEventPlace").split_once(',');
    let place = place.and_then(|(north, east)| Some([north.parse().ok()?, east.parse().ok()?]));
    let rules: Vec<u8> = values.tie_breaks(10);
    let mut record = USUAL_EXTRA;
    if let Some([north, east]) = place {
        let [north, east]: [f64; 2] = [north, east];
        put(&mut record, 0, &north.to_le_bytes());
        put(&mut record, 8, &east.to_le_bytes());
    }
    put(&mut record, 50, &rules);
    record[60] = u8::try_from(rules.len()).unwrap_or(0);
    put(&mut record, 61, &end.0.to_le_bytes());
    record
}

fn team(values: CbhTagValues<'_>, color: &str, charset: Option<Charset>) -> Option<Vec<u8>> {
    let team: CbhTeamTags<'_, u32> = values.team(color)?;
    let year = team.year.parse().ok().filter(|year| *year != 0_u32);
    let mut record = vec![0; CbhEntityTable::Teams.count_at()];
    put_name(&mut record, 0, 45, team.title, charset);
    put(&mut record, 45, &team.number.to_le_bytes());
    put(&mut record, 49, &[u8::from(team.is_season)]);
    put(&mut record, 50, &year.unwrap_or(9999).to_le_bytes());
    put(&mut record, 54, &[team.nation]);
    Some(record)
}

fn title(values: CbhTagValues<'_>, charset: Option<Charset>) -> Option<Vec<u8>> {
    if !values.has_any(TITLE_TAG) {
        return None;
    }
    let mut record = vec![0; CbhEntityTable::Titles.count_at()];
    let mut has_title = false;
    for language in 0..8_u16 {
        let title = values.get(&tags::title_tag(language));
        has_title |= !title.is_empty();
        put_name(
            &mut record,
            usize::from(language) * 200,
            200,
            title,
            charset,
        );
    }
    has_title.then_some(record)
}

fn second(values: CbhTagValues<'_>) -> CbhSecondPart {
    let mut second = CbhSecondPart {
        saves: values.number(SAVES_TAG),
        created: second_header::read_created(values.get(CREATED_TAG)).unwrap_or(0),
        saved: second_header::read_saved(values.get(SAVED_TAG)).unwrap_or(0),
        ..CbhSecondPart::default()
    };
    for (rating, name) in second
        .ratings
        .iter_mut()
        .zip(["CbhWhiteRating", "CbhBlackRating"])
    {
        if let Some(kind) = read_rating(values.get(name)) {
            *rating = kind;
        }
    }
    second
}

/// The list of media as `.cbm` has it.
fn media(values: CbhTagValues<'_>) -> Vec<u8> {
    let names = || values.tags.iter().filter(|tag| tag.name == MEDIA_TAG);
    let count = names().count();
    if count == 0 {
        return Vec::new();
    }
    let mut text = format!("FilesUsed\n{count}\n");
    for tag in names() {
        text.push_str(tag.value);
        text.push('\n');
    }
    // A longer list has no place.
    let room = usize::try_from(tables::MEDIA_RECORD)
        .unwrap_or(0)
        .saturating_sub(9);
    if text.len() > room {
        return Vec::new();
    }
    text.into_bytes()
}

/// The kind of a rating out of words.
fn read_rating(text: &str) -> Option<[u8; 16]> {
    let mut words = text.split(' ').peekable();
    let mut record = [0; 16];
    let speed = |word: Option<&&str>| match *word? {
        "normal" => Some(1),
        "blitz" => Some(2),
        "rapid" => Some(3),
        "correspondence" => Some(4),
        _ => None,
    };
    let mut flags = 0_u16;
    for (bit, name, at) in [(1, "international", 3_usize), (2, "national", 2)] {
        if words.peek() == Some(&name) {
            words.next();
            flags |= bit;
        }
        if let Some(number) = speed(words.peek())
            && let Some(slot) = record.get_mut(at)
        {
            words.next();
            *slot = number;
        }
    }
    record[..2].copy_from_slice(&flags.to_be_bytes());
    if let Some(word) = words.peek()
        && let Some(nation) = nation_of(word)
    {
        words.next();
        record[4] = nation;
    }
    let name = words.collect::<Vec<_>>().join(" ");
    if text.is_empty() || !name.is_ascii() || name.len() > 11 {
        return None;
    }
    put(&mut record, 5, name.as_bytes());
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_as_they_are_written() {
        let kind = read_rating("national rapid GER DWZ").expect("a kind");
        assert_eq!(kind[..8], [0, 2, 3, 0, 53, b'D', b'W', b'Z']);
        assert_eq!(read_rating("a rating of somebody"), None);
    }
}
