//! Tags to the header, the names and the second header. Whatever a field does not say as the tag does is found when the copy
//! is read, so that nothing here has to be exact.

use shakmaty::Color;
use tabiya_codec::fact_losses::{ResultPair, report_empty_tags};
use tabiya_model::charset::Charset;
use tabiya_model::eco::EcoCode;
use tabiya_model::game::FLAGS_TAG;
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;
use tabiya_model::{Game, Tags};

use super::names::{put, put_name, put_player};
use super::{CbhGameNames, CbhGameParts, CbhHeaderPart, CbhLossReport, CbhSecondPart};
use crate::cbh::entities::CbhEntityTable;
use crate::cbh::layout::{CbhDate, CbhGameRecord, CbhTextRecord, LINE, outcome};
use crate::cbh::losses::{LOST_ENDING, LOST_TAG};
use crate::cbh::second_header;
use crate::cbh::tables;
use crate::cbh::tags::{
    self, CREATED_TAG, EVALUATION_TAG, EVENT_FLAGS_TAG, KIND_TAG, MEDALS_TAG, MEDIA_TAG,
    RESULT_TAG, SAVED_TAG, SAVES_TAG, START_TAG, TITLE_TAG,
};

/// The tags of a game by name.
pub(super) struct CbhTagValues<'g> {
    tags: &'g Tags,
}

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

impl<'g> CbhTagValues<'g> {
    pub(super) fn of(game: &'g Game) -> CbhTagValues<'g> {
        CbhTagValues { tags: &game.tags }
    }

    /// The value of a tag; empty where there is none.
    fn get(&self, name: &str) -> &'g str {
        self.tags.value(name)
    }

    /// Whether there is a tag whose name begins so.
    fn has_any(&self, beginning: &str) -> bool {
        self.tags.iter().any(|tag| tag.name.starts_with(beginning))
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
        let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
        value
            .parse()
            .ok()
            .filter(|_| is_plain && !value.starts_with('0'))
            .unwrap_or_default()
    }

    fn date(&self, name: &str) -> CbhDate {
        read_date(self.get(name)).unwrap_or_default()
    }

    /// Everything but the movetext.
    pub(super) fn parts(
        &self,
        game: &Game,
        charset: Option<Charset>,
        report: &mut CbhLossReport<'_>,
    ) -> CbhGameParts {
        let results = ResultPair::of(game);
        if results.other_tag().is_some() {
            report.loss(&LOST_TAG, results.both());
            report.is_result_told = true;
        }
        if results.other_ending().is_some() {
            report.loss(&LOST_ENDING, results.both());
        }
        report_empty_tags(game, true, report.losses);
        let is_text = self.get(KIND_TAG) == "text" && game.tape.main_line().next().is_none();
        let deleted = if self.get(FLAGS_TAG).contains('D') {
            0x80
        } else {
            0
        };
        let header = match is_text {
            true => CbhHeaderPart::Text(CbhTextRecord {
                kind: 3 | deleted,
                round: read_round(self.get("Round")).unwrap_or_default(),
                ..CbhTextRecord::default()
            }),
            false => CbhHeaderPart::Game(self.header(game, results.field, 1 | deleted)),
        };
        CbhGameParts {
            header,
            names: self.names(is_text, charset),
            second: self.second(),
            moves: Vec::new(),
            notes: Vec::new(),
            media: self.media(),
        }
    }

    fn header(&self, game: &Game, result: Outcome, kind: u8) -> CbhGameRecord {
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
        let mut header = CbhGameRecord {
            kind,
            date: self.date("Date"),
            result: if is_own { own } else { plain },
            line_nag: self.number(EVALUATION_TAG),
            round: read_round(self.get("Round")).unwrap_or_default(),
            ratings: [Color::White, Color::Black]
                .map(|color| self.number(RatingKind::Elo.tag_name(color))),
            medals: self.number(MEDALS_TAG),
            ..CbhGameRecord::default()
        };
        if let Some((code, _)) = EcoCode::read(self.get("ECO")) {
            header.set_eco(code, code.sub().unwrap_or(0));
        }
        let number = self.get(START_TAG).parse().ok().filter(|it| *it < 960_u16);
        let own = || crate::cbh::layout::chess960_number(&game.start_board());
        let is_chess960 = game.variant == tabiya_model::game::Variant::Chess960;
        // The program shows the number of the start in the place of the opening.
        match number.or_else(|| own().filter(|_| is_chess960 && self.get("ECO").is_empty())) {
            Some(number) if self.get("ECO").is_empty() => header.set_chess960(number),
            _ => {}
        }
        header
    }

    fn names(&self, is_text: bool, charset: Option<Charset>) -> CbhGameNames {
        let mut names = CbhGameNames::default();
        if !is_text {
            for (record, name) in names.players.iter_mut().zip(["White", "Black"]) {
                put_player(record, self.known(name), charset);
            }
        }
        let event = &mut names.tournament;
        put_name(event, 0, 40, self.known("Event"), charset);
        put_name(event, 40, 30, self.known("Site"), charset);
        put(event, 70, &self.date("EventDate").0.to_le_bytes());
        let (mut kind, mut is_team) = read_event_type(self.get("EventType")).unwrap_or_default();
        let (flags, team_kind) = read_event_flags(self.get(EVENT_FLAGS_TAG)).unwrap_or_default();
        if let Some(marked) = team_kind.filter(|_| kind & 31 == 0 && is_team) {
            kind |= tags::TEAM_KIND;
            is_team = marked;
        }
        put(
            event,
            74,
            &[
                kind,
                u8::from(is_team),
                self.nation("EventCountry"),
                0,
                self.number("EventCategory"),
                flags,
                self.number("EventRounds"),
            ],
        );
        put(event, CbhEntityTable::Tournaments.count_at(), &self.extra());
        put_name(&mut names.annotator, 0, 45, self.get("Annotator"), charset);
        let source = &mut names.source;
        put_name(source, 0, 25, self.get("SourceTitle"), charset);
        put_name(source, 25, 16, self.get("Source"), charset);
        put(source, 41, &self.date("SourceDate").0.to_le_bytes());
        put(source, 45, &self.date("SourceVersionDate").0.to_le_bytes());
        put(
            source,
            49,
            &[self.number("SourceVersion"), self.number("SourceQuality")],
        );
        for (team, color) in names.teams.iter_mut().zip(["White", "Black"]) {
            *team = self.team(color, charset);
        }
        if !is_text {
            names.title = self.title(charset);
        }
        names
    }

    /// The record of `.cbtt`.
    fn extra(&self) -> [u8; 65] {
        let end = self.date("EventEndDate");
        let place = self.get("CbhEventPlace").split_once(',');
        let place = place.and_then(|(north, east)| Some([north.parse().ok()?, east.parse().ok()?]));
        let rules: Option<Vec<u8>> = self
            .get("CbhEventTieBreaks")
            .split(',')
            .map(|rule| rule.parse().ok())
            .collect();
        let rules = rules.filter(|rules| rules.len() <= 10).unwrap_or_default();
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

    fn team(&self, color: &str, charset: Option<Charset>) -> Option<Vec<u8>> {
        let name = |end: &str| format!("{color}Team{end}");
        if !self.has_any(&name("")) {
            return None;
        }
        let title = self.get(&name(""));
        let number: u32 = self.number(&name("Number"));
        let nation = self.nation(&name("Country"));
        let season = self.get(&name("Season"));
        if title.is_empty() && number == 0 && nation == 0 && season.is_empty() {
            return None;
        }
        let mut record = vec![0; CbhEntityTable::Teams.count_at()];
        put_name(&mut record, 0, 45, title, charset);
        put(&mut record, 45, &number.to_le_bytes());
        let (year, is_season) = match season.split_once('/') {
            Some((year, _)) => (year, true),
            None => (season, false),
        };
        let year: u32 = year.parse().ok().filter(|year| *year != 0).unwrap_or(9999);
        put(&mut record, 49, &[u8::from(is_season)]);
        put(&mut record, 50, &year.to_le_bytes());
        put(&mut record, 54, &[nation]);
        Some(record)
    }

    fn title(&self, charset: Option<Charset>) -> Option<Vec<u8>> {
        if !self.has_any(TITLE_TAG) {
            return None;
        }
        let mut record = vec![0; CbhEntityTable::Titles.count_at()];
        let mut has_title = false;
        for language in 0..8_u16 {
            let title = self.get(&tags::title_tag(language));
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

    fn nation(&self, name: &str) -> u8 {
        let value = self.get(name);
        if value.is_empty() {
            return 0;
        }
        let known = (1..=u8::MAX).find(|number| tables::nation(*number) == Some(value));
        known.unwrap_or_else(|| self.number(name))
    }

    fn second(&self) -> CbhSecondPart {
        let mut second = CbhSecondPart {
            saves: self.number(SAVES_TAG),
            created: second_header::read_created(self.get(CREATED_TAG)).unwrap_or(0),
            saved: second_header::read_saved(self.get(SAVED_TAG)).unwrap_or(0),
            ..CbhSecondPart::default()
        };
        for (rating, name) in second
            .ratings
            .iter_mut()
            .zip(["CbhWhiteRating", "CbhBlackRating"])
        {
            if let Some(kind) = read_rating(self.get(name)) {
                *rating = kind;
            }
        }
        second
    }

    /// The list of media as `.cbm` has it.
    fn media(&self) -> Vec<u8> {
        let names = || self.tags.iter().filter(|tag| tag.name == MEDIA_TAG);
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
}

/// A date as PGN writes it; nothing where it is none that fits the bits.
pub(crate) fn read_date(text: &str) -> Option<CbhDate> {
    let mut parts = text.split('.');
    let mut part = |unknown: &str, most: u32| match parts.next()? {
        part if part == unknown => Some(0),
        part if part.len() == unknown.len() && part.bytes().all(|byte| byte.is_ascii_digit()) => {
            part.parse().ok().filter(|number| *number <= most)
        }
        _ => None,
    };
    let (year, month, day) = (part("????", 4095)?, part("??", 15)?, part("??", 31)?);
    parts
        .next()
        .is_none()
        .then_some(CbhDate(year << 9 | month << 5 | day))
}

/// A round and what stands after its point.
fn read_round(text: &str) -> Option<[u8; 2]> {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    let number = |text: &str| match text {
        "?" | "" => Some(0),
        text => text.parse().ok(),
    };
    Some([number(major)?, number(minor)?])
}

/// The kind of a tournament out of the program's words.
pub(crate) fn read_event_type(text: &str) -> Option<(u8, bool)> {
    if text.is_empty() {
        return None;
    }
    let mut words = String::new();
    (0..=u8::MAX)
        .flat_map(|kind| [(kind, false), (kind, true)])
        .find(|(kind, is_team)| {
            tags::event_type(*kind, *is_team, &mut words);
            words == text
        })
}

/// How points are counted out of words, and whether there is a mark besides the kind of a tournament between teams.
pub(crate) fn read_event_flags(text: &str) -> Option<(u8, Option<bool>)> {
    if text.is_empty() {
        return None;
    }
    let mut words = String::new();
    (0..=u8::MAX)
        .flat_map(|flags| [None, Some(false), Some(true)].map(|team| (flags, team)))
        .find(|(flags, team)| {
            let kind = team.map_or(0, |_| tags::TEAM_KIND);
            tags::event_flags(*flags, kind, *team == Some(true), &mut words);
            words == text
        })
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
        && let Some(nation) = (1..=u8::MAX).find(|it| tables::nation(*it) == Some(*word))
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
    fn dates_and_rounds() {
        assert_eq!(read_date("1996.03.??"), Some(CbhDate(1996 << 9 | 3 << 5)));
        assert_eq!(read_date("????.??.??"), Some(CbhDate(0)));
        assert_eq!(read_date("1996.03"), None);
        assert_eq!(read_date("1996.3.01"), None);
        assert_eq!(read_date("9999.01.01"), None);
        assert_eq!(read_round("5.2"), Some([5, 2]));
        assert_eq!(read_round("?.2"), Some([0, 2]));
        assert_eq!(read_round("300"), None);
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        assert_eq!(read_event_type("team-swiss (rapid)"), Some((4 | 64, true)));
        assert_eq!(read_event_flags("complete, three points"), Some((10, None)));
        assert_eq!(
            read_event_flags("complete, kind team"),
            Some((2, Some(false)))
        );
        assert_eq!(read_event_flags("marked kind team"), Some((0, Some(true))));
        assert_eq!(read_event_flags("team"), None);
        let kind = read_rating("national rapid GER DWZ").expect("a kind");
        assert_eq!(kind[..8], [0, 2, 3, 0, 53, b'D', b'W', b'Z']);
        assert_eq!(read_rating("a rating of somebody"), None);
    }
}
