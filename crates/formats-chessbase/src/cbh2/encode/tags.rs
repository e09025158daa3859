//! Tags to the header and the names. Whatever a field does not say as the tag does is found when the copy is read, so that
//! nothing here has to be exact.

use shakmaty::Color;
use tabiya_codec::fact_losses::{ResultPair, report_empty_tags};
use tabiya_model::charset::Charset;
use tabiya_model::eco::EcoCode;
use tabiya_model::game::FLAGS_TAG;
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;
use tabiya_model::{Game, Tags};

use super::names::{self, Cbh2GameNames, Cbh2TournamentFields};
use super::{Cbh2GameParts, Cbh2HeaderPart, extension};
use crate::cbh::encode::CbhLossReport;
use crate::cbh::encode::tags::{read_date, read_event_flags, read_event_type};
use crate::cbh::layout::{CbhDate, LINE, outcome};
use crate::cbh::second_header::{read_created, read_saved, read_time};
use crate::cbh::tables;
use crate::cbh::tags::{
    CREATED_TAG, EVALUATION_TAG, EVENT_FLAGS_TAG, KIND_TAG, MEDALS_TAG, RESULT_TAG, SAVED_TAG,
    SAVES_TAG, TEAM_KIND, TITLE_TAG,
};
use crate::cbh2::layout::{
    ANALYSIS_REST, Cbh2AnalysisRecord, Cbh2GameRecord, Cbh2RatingKind, Cbh2TextRecord, RECORD,
};
use crate::cbh2::losses::{LOST_ENDING, LOST_TAG};
use crate::cbh2::record::{ANALYSIS_EXTENSION, MEDIA_EXTENSION, SCORES_EXTENSION};
use crate::cbh2::tags::{BOARD_TAG, rating_words, title_tag};

/// No media.
const NO_MEDIA: i64 = 0xffff_ffff;

/// The kind of a record, by the tag that says so.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Cbh2RecordKind {
    Game,
    Text,
    Analysis,
}

/// The tags of a game by name.
pub(super) struct Cbh2TagValues<'g> {
    tags: &'g Tags,
}

impl<'g> Cbh2TagValues<'g> {
    pub(super) fn of(game: &'g Game) -> Cbh2TagValues<'g> {
        Cbh2TagValues { tags: &game.tags }
    }

    /// The value of a tag; empty where there is none.
    fn get(&self, name: &str) -> &'g str {
        self.tags.value(name)
    }

    /// The value of a tag that says something.
    fn known(&self, name: &str) -> &'g str {
        match self.get(name) {
            "?" => "",
            value => value,
        }
    }

    /// A number as it is read again; 0 for none.
    fn number<N: std::str::FromStr + Default>(&self, name: &str) -> N {
        let value = self.get(name);
        let digits = value.strip_prefix('-').unwrap_or(value);
        let is_plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        value.parse().ok().filter(|_| is_plain).unwrap_or_default()
    }

    fn date(&self, name: &str) -> CbhDate {
        read_date(self.get(name)).unwrap_or_default()
    }

    fn nation(&self, name: &str) -> u8 {
        match self.get(name) {
            "" => 0,
            value => nation_of(value).unwrap_or_else(|| self.number(name)),
        }
    }

    /// Everything but the movetext.
    pub(super) fn parts(
        &self,
        game: &Game,
        charset: Option<Charset>,
        report: &mut CbhLossReport<'_>,
    ) -> Cbh2GameParts {
        let results = ResultPair::of(game);
        if results.other_tag().is_some() {
            report.loss(&LOST_TAG, results.both());
            report.is_result_told = true;
        }
        if results.other_ending().is_some() {
            report.loss(&LOST_ENDING, results.both());
        }
        report_empty_tags(game, true, report.losses);
        let of = match self.get(KIND_TAG) {
            "text" if game.tape.main_line().next().is_none() => Cbh2RecordKind::Text,
            "analysis" => Cbh2RecordKind::Analysis,
            _ => Cbh2RecordKind::Game,
        };
        let deleted = match self.get(FLAGS_TAG).contains('D') {
            true => 0x80,
            false => 0,
        };
        let header = match of {
            Cbh2RecordKind::Game => {
                Cbh2HeaderPart::Game(Box::new(self.header(game, results.field, 1 | deleted)))
            }
            Cbh2RecordKind::Text => Cbh2HeaderPart::Text(self.text(game, 3 | deleted)),
            Cbh2RecordKind::Analysis => {
                let record = Cbh2AnalysisRecord {
                    kind: 1 | deleted,
                    ..Cbh2AnalysisRecord::default()
                };
                let rest = extension(&game.tape, ANALYSIS_EXTENSION);
                let rest = rest.filter(|rest| rest.len() == RECORD - ANALYSIS_REST);
                Cbh2HeaderPart::Analysis(record, rest.unwrap_or(&[]).to_vec())
            }
        };
        Cbh2GameParts::new(header, self.names(of, charset))
    }

    fn header(&self, game: &Game, result: Outcome, kind: u8) -> Cbh2GameRecord {
        let plain = match result {
            Outcome::BlackWins => 0,
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
            Outcome::Unknown => LINE,
        };
        let own = match self.get(RESULT_TAG) {
            "-:+" => 4,
            "=:=" => 5,
            "+:-" => 6,
            "0-0" => 7,
            _ => self.number(RESULT_TAG),
        };
        let is_own = own > LINE && outcome(own).0 == result;
        let [round, sub] = read_round(self.get("Round")).unwrap_or_default();
        let ratings = [Color::White, Color::Black]
            .map(|color| self.number::<i16>(RatingKind::Elo.tag_name(color)).max(0));
        let scores = extension(&game.tape, SCORES_EXTENSION);
        let mut header = Cbh2GameRecord {
            kind,
            teams: [-1; 2],
            date: self.date("Date"),
            result: if is_own { own } else { plain },
            line_nag: self.number(EVALUATION_TAG),
            round: [round, sub, self.number::<i16>(BOARD_TAG).max(0)],
            ratings,
            medals: self.number(MEDALS_TAG),
            created: self.created(),
            changed: read_saved(self.get(SAVED_TAG))
                .and_then(|time| i64::try_from(time).ok())
                .unwrap_or(0),
            scores: scores
                .and_then(|scores| scores.try_into().ok())
                .unwrap_or_default(),
            version: self.number(SAVES_TAG),
            ..Cbh2GameRecord::default()
        };
        for ((kind, name), rating) in header
            .rating_kinds
            .iter_mut()
            .zip(["CbhWhiteRating", "CbhBlackRating"])
            .zip(ratings)
        {
            *kind = match read_rating(self.get(name)) {
                Some(kind) => kind,
                None if rating > 0 => Cbh2RatingKind::FIDE,
                None => Cbh2RatingKind::default(),
            };
        }
        if let Some((code, _)) = EcoCode::read(self.get("ECO")) {
            header.set_eco(code, code.sub().unwrap_or(0));
        }
        header
    }

    fn text(&self, game: &Game, kind: u8) -> Cbh2TextRecord {
        let media = extension(&game.tape, MEDIA_EXTENSION).and_then(|it| it.try_into().ok());
        Cbh2TextRecord {
            kind,
            created: self.created(),
            media: media.map_or(NO_MEDIA, i64::from_le_bytes),
            version: self.number(SAVES_TAG),
            ..Cbh2TextRecord::default()
        }
    }

    /// When a game was made; a time with ten digits behind the point has the units of the older format.
    fn created(&self) -> i64 {
        let text = self.get(CREATED_TAG);
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

    fn names(&self, of: Cbh2RecordKind, charset: Option<Charset>) -> Cbh2GameNames {
        let mut names = Cbh2GameNames {
            annotator: Some(names::player(self.get("Annotator"), (None, None), charset)),
            source: Some(names::source(
                [self.get("SourceTitle"), self.get("Source")],
                [self.date("SourceDate"), self.date("SourceVersionDate")],
                [self.number("SourceVersion"), self.number("SourceQuality")],
                charset,
            )),
            title: Some(self.title(charset)),
            ..Cbh2GameNames::default()
        };
        if of != Cbh2RecordKind::Analysis {
            names.tournament = Some(self.tournament(charset));
        }
        if of == Cbh2RecordKind::Game {
            for (name, color) in names.players.iter_mut().zip(["White", "Black"]) {
                let own = |name: String| Some(self.number(&name)).filter(|number| *number > 0);
                let fide = Some(self.number(&format!("{color}FideId")));
                let numbers = (
                    own(format!("Cbh{color}Id")),
                    fide.filter(|number: &i64| *number > 0),
                );
                *name = Some(names::player(self.known(color), numbers, charset));
            }
            names.teams = ["White", "Black"].map(|color| self.team(color, charset));
        }
        names
    }

    fn tournament(&self, charset: Option<Charset>) -> Vec<u8> {
        let (mut kind, mut is_team) = read_event_type(self.get("EventType")).unwrap_or_default();
        let (flags, team_kind) = read_event_flags(self.get(EVENT_FLAGS_TAG)).unwrap_or_default();
        if let Some(marked) = team_kind.filter(|_| kind & 31 == 0 && is_team) {
            kind |= TEAM_KIND;
            is_team = marked;
        }
        let nation = self.nation("EventCountry");
        let (globe, place_nation) = read_place(self.get("CbhEventPlace")).unwrap_or_default();
        let rules: Option<Vec<u16>> = self
            .get("CbhEventTieBreaks")
            .split(',')
            .map(|rule| rule.parse().ok())
            .collect();
        let fields = Cbh2TournamentFields {
            place: self.known("Site"),
            title: self.known("Event"),
            date: self.date("EventDate"),
            numbers: [
                kind,
                u8::from(is_team),
                nation,
                self.number("EventCategory"),
                flags,
                self.number("EventRounds"),
            ],
            globe,
            place_nation: match place_nation {
                // That of the place today is the same, where anything is known about the place.
                0 if globe != [0.0; 2] => nation,
                other => other,
            },
            tie_breaks: rules.filter(|rules| rules.len() <= 100).unwrap_or_default(),
            end: self.date("EventEndDate"),
        };
        fields.encode(charset)
    }

    fn team(&self, color: &str, charset: Option<Charset>) -> Option<Vec<u8>> {
        let name = |end: &str| format!("{color}Team{end}");
        let title = self.get(&name(""));
        let number: u8 = self.number(&name("Number"));
        let nation = self.nation(&name("Country"));
        let season = self.get(&name("Season"));
        if title.is_empty() && number == 0 && nation == 0 && season.is_empty() {
            return None;
        }
        let (year, is_season) = match season.split_once('/') {
            Some((year, _)) => (year, true),
            None => (season, false),
        };
        let year: u16 = year.parse().unwrap_or(0);
        Some(names::team(
            title,
            number,
            (is_season, year),
            nation,
            charset,
        ))
    }

    fn title(&self, charset: Option<Charset>) -> Vec<u8> {
        let mut titles: Vec<(i32, &str)> = Vec::new();
        for tag in self.tags.iter() {
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
}

/// The number of a nation by its letters.
fn nation_of(letters: &str) -> Option<u8> {
    (1..=u8::MAX).find(|number| tables::nation(*number) == Some(letters))
}

/// A round and its sub-round.
fn read_round(text: &str) -> Option<[i16; 2]> {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    let number = |text: &str| match text {
        "?" | "" => Some(0),
        text => text.parse().ok().filter(|number| *number >= 0),
    };
    Some([number(major)?, number(minor)?])
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
        assert_eq!(read_round("5.2"), Some([5, 2]));
        assert_eq!(read_round("?.2"), Some([0, 2]));
        assert_eq!(read_round("x"), None);
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
            Cbh2TagValues::of(&game).created()
        };
        assert_eq!(of("2008.12.01 00:00:01.5000000000"), 1024 + 512);
        let days = 1_000_i64 * 86_400;
        assert_eq!(of("2011.08.28 00:00:00.5000000"), (days << 22) + (1 << 21));
        assert_eq!(of("2011.08.28 00:00:00.0000002"), (days << 22) + 1);
        assert_eq!(of("yesterday"), 0);
    }
}
