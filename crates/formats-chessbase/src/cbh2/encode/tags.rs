//! Tags to the header and the names. Whatever a field does not say as the tag does is found when the copy is read, so that
//! nothing here has to be exact.

use shakmaty::Color;
use tabiya_codec::fact_losses::{ResultPair, report_empty_tags};
use tabiya_model::Game;
use tabiya_model::charset::Charset;
use tabiya_model::eco::EcoCode;
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;

use super::names::{self, Cbh2GameNames, Cbh2TournamentFields};
use super::{Cbh2GameParts, Cbh2HeaderPart};
use crate::cbh::second_header::{read_created, read_saved, read_time};
use crate::cbh::tags::{
    CREATED_TAG, EVALUATION_TAG, KIND_TAG, MEDALS_TAG, SAVED_TAG, SAVES_TAG, TITLE_TAG,
};
use crate::cbh2::layout::{
    ANALYSIS_REST, Cbh2AnalysisRecord, Cbh2GameRecord, Cbh2RatingKind, Cbh2TextRecord, RECORD,
};
use crate::cbh2::record::{ANALYSIS_EXTENSION, MEDIA_EXTENSION, SCORES_EXTENSION};
use crate::cbh2::tags::{BOARD_TAG, rating_words, title_tag};
use crate::encode::tag_values::{CbhTagValues, CbhTeamTags, nation_of};
use crate::encode::{CbhLossReport, only_extension};

/// No media.
const NO_MEDIA: i64 = 0xffff_ffff;

/// The kind of a record, by the tag that says so.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Cbh2RecordKind {
    Game,
    Text,
    Analysis,
}

/// Everything but the movetext.
pub(super) fn parts(
    game: &Game,
    charset: Option<Charset>,
    report: &mut CbhLossReport<'_>,
) -> Cbh2GameParts {
    let values = CbhTagValues::of(game);
    let results = ResultPair::of(game);
    report.other_results(&results);
    report_empty_tags(game, true, report.losses);
    let of = match values.get(KIND_TAG) {
        "text" if game.tape.main_line().next().is_none() => Cbh2RecordKind::Text,
        "analysis" => Cbh2RecordKind::Analysis,
        _ => Cbh2RecordKind::Game,
    };
    let header = match of {
        Cbh2RecordKind::Game => Cbh2HeaderPart::Game(Box::new(header(values, game, results.field))),
        Cbh2RecordKind::Text => Cbh2HeaderPart::Text(text(values, game)),
        Cbh2RecordKind::Analysis => {
            let record = Cbh2AnalysisRecord {
                kind: values.record_kind(1),
                ..Cbh2AnalysisRecord::default()
            };
            let rest = only_extension(&game.tape, ANALYSIS_EXTENSION);
            let rest = rest.filter(|rest| rest.len() == RECORD - ANALYSIS_REST);
            Cbh2HeaderPart::Analysis(record, rest.unwrap_or(&[]).to_vec())
        }
    };
    Cbh2GameParts::new(header, names(values, of, charset))
}

fn header(values: CbhTagValues<'_>, game: &Game, result: Outcome) -> Cbh2GameRecord {
    let [round, sub] = values.round();
    let ratings = [Color::White, Color::Black]
        .map(|color| values.number::<i16>(RatingKind::Elo.tag_name(color)).max(0));
    let scores = only_extension(&game.tape, SCORES_EXTENSION);
    let mut header = Cbh2GameRecord {
        kind: values.record_kind(1),
        teams: [-1; 2],
        date: values.date("Date"),
        result: values.result(result),
        line_nag: values.number(EVALUATION_TAG),
        round: [round, sub, values.number::<i16>(BOARD_TAG).max(0)],
        ratings,
        medals: values.number(MEDALS_TAG),
        created: created(values),
        changed: read_saved(values.get(SAVED_TAG))
            .and_then(|time| i64::try_from(time).ok())
            .unwrap_or(0),
        scores: scores
            .and_then(|scores| scores.try_into().ok())
            .unwrap_or_default(),
        version: values.number(SAVES_TAG),
        ..Cbh2GameRecord::default()
    };
    for ((kind, name), rating) in header
        .rating_kinds
        .iter_mut()
        .zip(["CbhWhiteRating", "CbhBlackRating"])
        .zip(ratings)
    {
        *kind = match read_rating(values.get(name)) {
            Some(kind) => kind,
            None if rating > 0 => Cbh2RatingKind::FIDE,
            None => Cbh2RatingKind::default(),
        };
    }
    if let Some((code, _)) = EcoCode::read(values.get("ECO")) {
        header.set_eco(code, code.sub().unwrap_or(0));
    }
    header
}

fn text(values: CbhTagValues<'_>, game: &Game) -> Cbh2TextRecord {
    let media = only_extension(&game.tape, MEDIA_EXTENSION).and_then(|it| it.try_into().ok());
    Cbh2TextRecord {
        kind: values.record_kind(3),
        created: created(values),
        media: media.map_or(NO_MEDIA, i64::from_le_bytes),
        version: values.number(SAVES_TAG),
        ..Cbh2TextRecord::default()
    }
}

/// When a game was made; a time with ten digits behind the point has the units of the older format.
fn created(values: CbhTagValues<'_>) -> i64 {
    let text = values.get(CREATED_TAG);
    let digits = text.rsplit_once('.').map_or("", |(_, digits)| digits);
    let found = || {
        if digits.len() != 7 {
            return i64::try_from(read_created(text)?).ok();
        }
        let (_, fraction) = read_time(text)?;
        let (whole, _) = text.rsplit_once('.')?;
        // Since the beginning of the program's time.
        let seconds = read_created(&format!("{whole}.0"))? >> 10;
        let part = (fraction << 22).div_ceil(10_000_000);
        i64::try_from((seconds << 22) + part).ok()
    };
    found().unwrap_or(0)
}

fn names(values: CbhTagValues<'_>, of: Cbh2RecordKind, charset: Option<Charset>) -> Cbh2GameNames {
    let mut names = Cbh2GameNames {
        annotator: Some(names::player(
            values.get("Annotator"),
            (None, None),
            charset,
        )),
        source: Some(names::source(
            [values.get("SourceTitle"), values.get("Source")],
            [values.date("SourceDate"), values.date("SourceVersionDate")],
            [
                values.number("SourceVersion"),
                values.number("SourceQuality"),
            ],
            charset,
        )),
        title: Some(title(values, charset)),
        ..Cbh2GameNames::default()
    };
    if of != Cbh2RecordKind::Analysis {
        names.tournament = Some(tournament(values, charset));
    }
    if of == Cbh2RecordKind::Game {
        for (name, color) in names.players.iter_mut().zip(["White", "Black"]) {
            let own = |name: String| Some(values.number(&name)).filter(|number| *number > 0);
            let fide = Some(values.number(&format!("{color}FideId")));
            let numbers = (
                own(format!("Cbh{color}Id")),
                fide.filter(|number: &i64| *number > 0),
            );
            *name = Some(names::player(values.known(color), numbers, charset));
        }
        names.teams = ["White", "Black"].map(|color| team(values, color, charset));
    }
    names
}

fn tournament(values: CbhTagValues<'_>, charset: Option<Charset>) -> Vec<u8> {
    let of = values.event_kind();
    let nation = values.nation("EventCountry");
    let (globe, place_nation) = read_place(values.get("CbhEventPlace")).unwrap_or_default();
    let fields = Cbh2TournamentFields {
        place: values.known("Site"),
        title: values.known("Event"),
        date: values.date("EventDate"),
        numbers: [
            of.kind,
            u8::from(of.is_team),
            nation,
            values.number("EventCategory"),
            of.flags,
            values.number("EventRounds"),
        ],
        globe,
        place_nation: match place_nation {
            // That of the place today is the same, where anything is known about the place.
            0 if globe != [0.0; 2] => nation,
            other => other,
        },
        tie_breaks: values.tie_breaks(100),
        end: values.date("EventEndDate"),
    };
    fields.encode(charset)
}

fn team(values: CbhTagValues<'_>, color: &str, charset: Option<Charset>) -> Option<Vec<u8>> {
    let team: CbhTeamTags<'_, u8> = values.team(color)?;
    let year = team.year.parse().unwrap_or(0);
    Some(names::team(
        team.title,
        team.number,
        (team.is_season, year),
        team.nation,
        charset,
    ))
}

fn title(values: CbhTagValues<'_>, charset: Option<Charset>) -> Vec<u8> {
    let mut titles: Vec<(i32, &str)> = Vec::new();
    for tag in values.tags.iter() {
        let language = tag.name.strip_prefix(TITLE_TAG);
        let Some(language) = language.filter(|_| titles.len() < names::MOST_TITLES) else {
            continue;
        };
        let nation = match language.parse::<u32>() {
            Ok(number) => Some(number.cast_signed()),
            Err(_) => (0..256).find(|nation| title_tag(*nation) == tag.name),
        };
        let nation = nation.filter(|nation| title_tag(*nation) == tag.name);
        if let Some(nation) = nation
            && !titles.iter().any(|(own, _)| *own == nation)
        {
            titles.push((nation, tag.value));
        }
    }
    names::title(titles, charset)
}

/// Latitude, longitude, and the nation of the place where that is another one.
fn read_place(text: &str) -> Option<([f32; 2], u8)> {
    let (globe, nation) = match text.split_once(' ') {
        Some((globe, letters)) => (globe, nation_of(letters).or_else(|| letters.parse().ok())?),
        None => (text, 0),
    };
    let (north, east) = globe.split_once(',')?;
    Some(([north.parse().ok()?, east.parse().ok()?], nation))
}

/// The kind of a rating out of words.
fn read_rating(text: &str) -> Option<Cbh2RatingKind> {
    let mut words = text.split(' ').peekable();
    let mut kind = match words.next()? {
        "international" => 1,
        "national" => 2,
        "server" => 3,
        "kind" => words.next()?.parse().ok()?,
        _ => return None,
    };
    let speeds = ["bullet", "blitz", "rapid", "correspondence"];
    if let Some(speed) = (1..)
        .zip(speeds)
        .find_map(|(number, speed)| (words.peek() == Some(&speed)).then_some(number))
    {
        words.next();
        kind |= speed << 3;
    } else if words.peek() == Some(&"speed") {
        words.next();
        let speed: i16 = words.next()?.parse().ok()?;
        kind |= speed.checked_mul(8)?;
    }
    let list = words.next()?.parse().ok()?;
    let mut nation = 0;
    if words.peek() == Some(&"nation") {
        words.next();
        nation = words.next()?.parse().ok()?;
    } else if let Some(number) = words.peek().and_then(|word| nation_of(word)) {
        words.next();
        nation = i16::from(number);
    }
    let rest = words.collect::<Vec<_>>().join(" ");
    let mut name = [0; 8];
    let room = name.get_mut(..rest.len())?;
    room.copy_from_slice(rest.as_bytes());
    let found = Cbh2RatingKind {
        kind,
        list,
        nation,
        name,
    };
    (rating_words(&found).as_deref() == Some(text)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        assert_eq!(read_place("59.25,-10.5"), Some(([59.25, -10.5], 0)));
        assert_eq!(read_place("0,0 GER"), Some(([0.0; 2], 53)));
        for words in [
            "server blitz 16 NET LiChess",
            "national 100 GER",
            "kind 5 speed 6 -3 nation 999 a b",
            "international 1 XYZ",
        ] {
            let kind = read_rating(words).expect(words);
            assert_eq!(rating_words(&kind).as_deref(), Some(words));
        }
        assert_eq!(read_rating("national rapid GER DWZ"), None);
        assert_eq!(read_rating("international 1 FIDE"), None);
    }

    #[test]
    fn times_of_both_units() {
        let of = |text: &str| {
            let mut game = Game::default();
            game.tags.push(CREATED_TAG, text);
            created(CbhTagValues::of(&game))
        };
        assert_eq!(of("2008.12.01 00:00:01.5000000000"), 1024 + 512);
        let days = 1_000_i64 * 86_400;
        assert_eq!(of("2011.08.28 00:00:00.5000000"), (days << 22) + (1 << 21));
        assert_eq!(of("2011.08.28 00:00:00.0000002"), (days << 22) + 1);
        assert_eq!(of("yesterday"), 0);
    }
}
