//! Headers and names as tags.
//!
//! Names follow the PGN of the program if it has one (`EventType`, `SourceTitle`, `WhiteTeam`); other names begin with
//! `Cbh`. The page on the format lists them all.

use std::borrow::Cow;
use std::fmt::Write;

use shakmaty::Color;
use tabiya_model::charset::Charset;
use tabiya_model::game::FLAGS_TAG;
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;
use tabiya_model::tags::{TagSet, Tags};
use tabiya_model::{Diagnostics, Game, Location};

use super::base::CbhReader;
use super::codes;
use super::commands::round_text;
use super::entities::{self, CbhEntityTable, CbhName, CbhSource, CbhTeam, CbhTournament};
use super::layout::{CbhDate, CbhGameRecord, CbhTextRecord, LINE, outcome};
pub use super::scratch::CbhTagBuffers;
use super::second_header::{self, CbhRatingKind};
use super::tables;

/// The kind of a record that is not a game.
pub const KIND_TAG: &str = "CbhKind";
/// A result that PGN's does not say.
pub const RESULT_TAG: &str = "CbhResult";
/// The NAG of the evaluation of a line.
pub const EVALUATION_TAG: &str = "CbhEvaluation";
/// Medals of the whole game, as the sum of their bits.
pub const MEDALS_TAG: &str = "CbhMedals";
/// The stored number of a Chess960 starting position, which is often wrong.
pub const START_TAG: &str = "CbhStartNumber";
/// How points of a tournament are counted, and whether it is complete.
pub const EVENT_FLAGS_TAG: &str = "CbhEventFlags";
/// How often the game was saved.
pub const SAVES_TAG: &str = "CbhSaves";
/// When the game was made.
pub const CREATED_TAG: &str = "CbhCreated";
/// When the game was last saved.
pub const SAVED_TAG: &str = "CbhSaved";
/// A file that a guiding text shows.
pub const MEDIA_TAG: &str = "CbhMedia";
/// The prefix of titles of games and texts; the language follows.
pub const TITLE_TAG: &str = "CbhTitle";

/// Tags that come out of `.cbj`.
const SECOND_TAGS: [&str; 7] = [
    "WhiteTeam",
    "BlackTeam",
    "WhiteTeamCountry",
    "BlackTeamCountry",
    SAVES_TAG,
    CREATED_TAG,
    SAVED_TAG,
];

/// The words of kinds of tournaments by their numbers.
const EVENT_TYPES: [&str; 9] = [
    "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];

/// The name of a player: last name, comma, first name.
pub fn player_name(data: Option<&[u8]>, charset: Charset) -> Cow<'_, str> {
    let Some(data) = data else {
        return "?".into();
    };
    let [last, first] = entities::player(data);
    match (last.bytes.is_empty(), first.bytes.is_empty()) {
        (true, true) => "?".into(),
        (false, true) => last.decode(charset),
        _ => {
            let mut name = last.decode(charset).into_owned();
            name.push_str(", ");
            name.push_str(&first.decode(charset));
            name.into()
        }
    }
}

/// A name of the Seven Tag Roster; an empty one is a question mark.
pub fn or_unknown(name: Option<CbhName<'_>>, charset: Charset) -> Cow<'_, str> {
    match name {
        Some(name) if !name.bytes.is_empty() => name.decode(charset),
        _ => "?".into(),
    }
}

/// A date as PGN writes it.
pub fn date_text(date: CbhDate, out: &mut String) -> &str {
    out.clear();
    for (value, digits) in [
        (u32::from(date.year()), 4_usize),
        (u32::from(date.month()), 2),
        (u32::from(date.day()), 2),
    ] {
        if digits == 2 {
            out.push('.');
        }
        if value == 0 {
            out.push_str(if digits == 4 { "????" } else { "??" });
        } else {
            push_digits(value, digits, out);
        }
    }
    out
}

fn push_digits(value: u32, digits: usize, out: &mut String) {
    let mut reversed = [b'0'; 10];
    let (mut rest, mut count) = (value, 0);
    for slot in &mut reversed {
        if rest == 0 && count >= digits {
            break;
        }
        *slot = b'0' + (rest % 10).to_le_bytes()[0];
        rest /= 10;
        count += 1;
    }
    out.extend(reversed.iter().take(count).rev().map(|b| char::from(*b)));
}

/// A number as text.
pub(crate) fn number_text(value: u32, out: &mut String) -> &str {
    out.clear();
    push_digits(value, 1, out);
    out
}

/// The kind of a tournament in the program's words; empty where nothing is said.
pub(crate) fn event_type(kind: u8, is_team: bool, out: &mut String) {
    out.clear();
    let word = usize::from(kind & 31);
    match EVENT_TYPES.get(word) {
        Some(word) if is_team && *word != "team" => {
            out.push_str("team");
            if !word.is_empty() {
                out.push('-');
                out.push_str(word);
            }
        }
        Some(word) => out.push_str(word),
        None => {
            let _ = write!(out, "type {word}");
        }
    }
    for (bit, speed) in [(32, "blitz"), (64, "rapid"), (128, "corr")] {
        if kind & bit != 0 {
            if !out.is_empty() {
                out.push(' ');
            }
            let _ = write!(out, "({speed})");
        }
    }
}

/// The kind of a tournament between teams, which newer databases mark otherwise.
pub(crate) const TEAM_KIND: u8 = 5;

/// How points of a tournament are counted, whether it is complete, and its kind if it is [`TEAM_KIND`], in words.
pub(crate) fn event_flags(flags: u8, kind: u8, is_team: bool, out: &mut String) {
    out.clear();
    for (bit, word) in [
        (1, "complete before"),
        (2, "complete"),
        (4, "board points"),
        (8, "three points"),
    ] {
        if flags & bit != 0 {
            if !out.is_empty() {
                out.push_str(", ");
            }
            out.push_str(word);
        }
    }
    if flags & 0xf0 != 0 {
        let comma = if out.is_empty() { "" } else { ", " };
        let _ = write!(out, "{comma}{}", flags & 0xf0);
    }
    // Three kinds are "team" in the program's words.
    if kind & 31 == TEAM_KIND {
        let comma = if out.is_empty() { "" } else { ", " };
        let marked = if is_team { "marked " } else { "" };
        let _ = write!(out, "{comma}{marked}kind team");
    }
}

/// The tag of a title in a language.
pub fn title_tag(language: u16) -> Cow<'static, str> {
    match tables::title_language(language) {
        Some(letters) => {
            let mut name = TITLE_TAG.to_owned();
            name.extend(letters.chars().take(1).map(|c| c.to_ascii_uppercase()));
            name.extend(letters.chars().skip(1));
            name.into()
        }
        None if language == 7 => "CbhTitleOther".into(),
        None => format!("{TITLE_TAG}{language}").into(),
    }
}

/// The kind of a rating in words; nothing for the usual one and for none.
fn rating_words(kind: CbhRatingKind<'_>, charset: Charset) -> Option<String> {
    let usual = CbhRatingKind {
        flags: 1,
        national: 0,
        international: 1,
        nation: 0,
        name: b"FIDE",
    };
    if kind == usual || kind == CbhRatingKind::default() {
        return None;
    }
    let mut words = Vec::new();
    let speed = |speed: u8| match speed {
        0 => String::new(),
        1 => "normal".to_owned(),
        2 => "blitz".to_owned(),
        3 => "rapid".to_owned(),
        4 => "correspondence".to_owned(),
        other => format!("speed {other}"),
    };
    if kind.flags & 1 != 0 {
        words.push("international".to_owned());
    }
    words.push(speed(kind.international));
    if kind.flags & 2 != 0 {
        words.push("national".to_owned());
    }
    words.push(speed(kind.national));
    if kind.flags & !3 != 0 {
        words.push(format!("flags {}", kind.flags));
    }
    match (kind.nation, tables::nation(kind.nation)) {
        (0, _) => {}
        (_, Some(letters)) => words.push(letters.to_owned()),
        (number, None) => words.push(format!("nation {number}")),
    }
    words.push(charset.decode(kind.name).into_owned());
    words.retain(|word| !word.is_empty());
    Some(words.join(" "))
}

/// Makes tags of what stands outside of the moves.
pub(super) struct CbhTagWriter<'a> {
    pub(super) base: &'a CbhReader,
    pub(super) charset: Charset,
    pub(super) number: u64,
    pub(super) wanted: TagSet,
    pub(super) words: &'a mut CbhTagBuffers,
}

impl<'a> CbhTagWriter<'a> {
    fn name(&self, tags: &mut Tags, tag: &str, name: CbhName<'_>) {
        match name.utf8() {
            Some(text) if text.len() == name.bytes.len() => tags.push(tag, text),
            Some(text) => tags.push_decoded(tag, text, name.bytes, Charset::Utf8),
            None => tags.push_bytes(tag.as_bytes(), name.bytes, self.charset),
        }
    }

    fn some_name(&self, tags: &mut Tags, tag: &str, name: CbhName<'_>) {
        if !name.bytes.is_empty() {
            self.name(tags, tag, name);
        }
    }

    fn roster_name(&self, tags: &mut Tags, tag: &str, name: Option<CbhName<'_>>) {
        match name {
            Some(name) if !name.bytes.is_empty() => self.name(tags, tag, name),
            _ => tags.push(tag, "?"),
        }
    }

    fn player(&mut self, tags: &mut Tags, tag: &str, data: Option<&[u8]>) {
        let Some(data) = data else {
            tags.push(tag, "?");
            return;
        };
        let [last, first] = entities::player(data);
        if first.bytes.is_empty() {
            self.roster_name(tags, tag, Some(last));
            return;
        }
        if let (Some(last), Some(first)) = (last.utf8(), first.utf8()) {
            self.words.text.clear();
            self.words.text.push_str(last);
            self.words.text.push_str(", ");
            self.words.text.push_str(first);
            tags.push(tag, &self.words.text);
            return;
        }
        let text = player_name(Some(data), self.charset);
        let bytes = &mut self.words.bytes;
        bytes.clear();
        bytes.extend_from_slice(last.bytes);
        bytes.extend_from_slice(b", ");
        bytes.extend_from_slice(first.bytes);
        if self.charset.decode(bytes) == text {
            tags.push_bytes(tag.as_bytes(), bytes, self.charset);
        } else {
            // One of both is UTF-8.
            tags.push_decoded(tag, &text, bytes, self.charset);
        }
    }

    fn get(
        &self,
        table: CbhEntityTable,
        id: u32,
        diagnostics: &mut Diagnostics,
    ) -> Option<&'a [u8]> {
        let data = self.base.entities(table).get(id);
        if data.is_none() {
            self.unknown(table, id, diagnostics);
        } else if self.base.entities(table).is_zeroed(table, id) {
            self.zeroed(table, id, diagnostics);
        }
        data
    }

    #[cold]
    fn zeroed(&self, table: CbhEntityTable, id: u32, diagnostics: &mut Diagnostics) {
        diagnostics.report(
            &codes::DAMAGED_NAME,
            || Location::game(self.number),
            || format!("{} {id} has zeros in its record", table.word()),
        );
    }

    #[cold]
    fn unknown(&self, table: CbhEntityTable, id: u32, diagnostics: &mut Diagnostics) {
        let entities = self.base.entities(table);
        // A file that is missing is told once, unless it may be missing; and a file without any name is what nothing refers to.
        let is_optional = matches!(table, CbhEntityTable::Teams | CbhEntityTable::Titles);
        let is_told = !self.base.has(table) && !is_optional;
        if is_told || (id == 0 && entities.count() == 0 && self.base.has(table)) {
            return;
        }
        diagnostics.report(
            &codes::UNKNOWN_NAME,
            || Location::game(self.number),
            || format!("{} {id} of {}", table.word(), entities.count()),
        );
    }

    fn wants(&self, tags: &[&str]) -> bool {
        tags.iter().any(|tag| self.wanted.may_hold(tag.as_bytes()))
    }

    /// The tags of a game's header.
    pub(super) fn game(&mut self, record: &CbhGameRecord, game: &mut Game) {
        let Game {
            tags, diagnostics, ..
        } = game;
        let tournament = self
            .get(CbhEntityTable::Tournaments, record.tournament, diagnostics)
            .map(CbhTournament::decode);
        self.roster_name(tags, "Event", tournament.map(|it| it.title));
        self.roster_name(tags, "Site", tournament.map(|it| it.place));
        tags.push("Date", date_text(record.date, &mut self.words.text));
        self.round(tags, record.round);
        for (tag, id) in ["White", "Black"].into_iter().zip(record.players) {
            let data = self.get(CbhEntityTable::Players, id, diagnostics);
            self.player(tags, tag, data);
        }
        let (result, own) = outcome(record.result);
        tags.push("Result", result.as_pgn());
        game.outcome = Some(result);
        for (color, rating) in [Color::White, Color::Black].into_iter().zip(record.ratings) {
            if rating != 0 {
                let rating = number_text(u32::from(rating), &mut self.words.text);
                tags.push(RatingKind::Elo.tag_name(color), rating);
            }
        }
        if let Some((eco, sub)) = record.eco() {
            self.words.text.clear();
            // Sub-code 0 is none; numbers beyond 99 are no code.
            let code = match sub {
                1..=99 => eco.with_sub(sub).unwrap_or(eco),
                _ => eco,
            };
            let _ = write!(self.words.text, "{code}");
            tags.push("ECO", &self.words.text);
        }
        if let Some(tournament) = &tournament {
            self.event(tags, tournament, record.tournament);
        }
        if let Some(own) = own {
            match own {
                "unknown" => {
                    diagnostics.report(
                        &codes::BAD_RESULT,
                        || Location::game(self.number),
                        || format!("result {}", record.result),
                    );
                    tags.push(
                        RESULT_TAG,
                        number_text(u32::from(record.result), &mut self.words.text),
                    );
                }
                own => tags.push(RESULT_TAG, own),
            }
        }
        if record.line_nag != 0 {
            let nag = number_text(u32::from(record.line_nag), &mut self.words.text);
            tags.push(EVALUATION_TAG, nag);
            debug_assert!(record.result != LINE || result == Outcome::Unknown);
        }
        if record.medals != 0 {
            let medals = number_text(u32::from(record.medals), &mut self.words.text);
            tags.push(MEDALS_TAG, medals);
        }
        // What the position says need not be said again.
        if let Some(number) = record.chess960()
            && self.base.start_number(self.number, record.moves) != Some(number)
        {
            tags.push(
                START_TAG,
                number_text(u32::from(number), &mut self.words.text),
            );
        }
        self.origin(tags, diagnostics, record.annotator, record.source);
        if self.wants(&SECOND_TAGS) || self.wanted == TagSet::ALL {
            self.second(tags, diagnostics);
        }
        if record.kind & 0x80 != 0 {
            tags.push(FLAGS_TAG, "D");
        }
    }

    /// The tags of a guiding text's header.
    pub(super) fn text(&mut self, record: &CbhTextRecord, game: &mut Game) {
        let Game {
            tags, diagnostics, ..
        } = game;
        let tournament = self
            .get(CbhEntityTable::Tournaments, record.tournament, diagnostics)
            .map(CbhTournament::decode);
        self.roster_name(tags, "Event", tournament.map(|it| it.title));
        self.roster_name(tags, "Site", tournament.map(|it| it.place));
        tags.push("Date", "????.??.??");
        self.round(tags, record.round);
        tags.push("White", "?");
        tags.push("Black", "?");
        tags.push("Result", "*");
        game.outcome = Some(Outcome::Unknown);
        if let Some(tournament) = &tournament {
            self.event(tags, tournament, record.tournament);
        }
        tags.push(KIND_TAG, "text");
        self.origin(tags, diagnostics, record.annotator, record.source);
        self.second(tags, diagnostics);
        self.media(tags, diagnostics);
        if record.kind & 0x80 != 0 {
            tags.push(FLAGS_TAG, "D");
        }
    }

    /// The tags of a game of which nothing but its moves is known.
    pub(super) fn nameless(game: &mut Game) {
        for (tag, value) in [
            ("Event", "?"),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "?"),
            ("Black", "?"),
            ("Result", "*"),
        ] {
            game.tags.push(tag, value);
        }
        game.outcome = Some(Outcome::Unknown);
    }

    fn round(&mut self, tags: &mut Tags, round: [u8; 2]) {
        match round {
            [0, 0] => tags.push("Round", "?"),
            [major, 0] => {
                tags.push("Round", number_text(u32::from(major), &mut self.words.text));
            }
            round => tags.push("Round", &round_text(round)),
        }
    }

    fn event(&mut self, tags: &mut Tags, tournament: &CbhTournament<'_>, id: u32) {
        if !tournament.date.is_unknown() {
            let date = date_text(tournament.date, &mut self.words.text);
            tags.push("EventDate", date);
        }
        event_type(tournament.kind, tournament.is_team, &mut self.words.text);
        tags.push_some("EventType", &self.words.text);
        if tournament.rounds != 0 {
            let rounds = number_text(u32::from(tournament.rounds), &mut self.words.text);
            tags.push("EventRounds", rounds);
        }
        self.nation(tags, "EventCountry", tournament.nation);
        if tournament.category != 0 {
            let category = number_text(u32::from(tournament.category), &mut self.words.text);
            tags.push("EventCategory", category);
        }
        event_flags(
            tournament.flags,
            tournament.kind,
            tournament.is_team,
            &mut self.words.text,
        );
        tags.push_some(EVENT_FLAGS_TAG, &self.words.text);
        let Some(more) = self.base.tournament_extra(id) else {
            return;
        };
        if !more.end.is_unknown() {
            tags.push("EventEndDate", date_text(more.end, &mut self.words.text));
        }
        if more.place.iter().any(|degrees| *degrees != 0.0) {
            let [north, east] = more.place;
            tags.push("CbhEventPlace", &format!("{north},{east}"));
        }
        if !more.tie_breaks.is_empty() {
            let rules: Vec<String> = more.tie_breaks.iter().map(u8::to_string).collect();
            tags.push("CbhEventTieBreaks", &rules.join(","));
        }
    }

    fn nation(&mut self, tags: &mut Tags, tag: &str, number: u8) {
        match tables::nation(number) {
            Some(letters) => tags.push(tag, letters),
            None if number == 0 => {}
            None => tags.push(tag, number_text(u32::from(number), &mut self.words.text)),
        }
    }

    /// Annotator and source.
    fn origin(
        &mut self,
        tags: &mut Tags,
        diagnostics: &mut Diagnostics,
        annotator: u32,
        source: u32,
    ) {
        if let Some(data) = self.get(CbhEntityTable::Annotators, annotator, diagnostics) {
            self.some_name(tags, "Annotator", entities::annotator(data));
        }
        let Some(data) = self.get(CbhEntityTable::Sources, source, diagnostics) else {
            return;
        };
        let source = CbhSource::decode(data);
        self.some_name(tags, "Source", source.publisher);
        self.some_name(tags, "SourceTitle", source.title);
        for (tag, date) in [
            ("SourceDate", source.published),
            ("SourceVersionDate", source.date),
        ] {
            if !date.is_unknown() {
                tags.push(tag, date_text(date, &mut self.words.text));
            }
        }
        for (tag, value) in [
            ("SourceVersion", source.version),
            ("SourceQuality", source.quality),
        ] {
            if value != 0 {
                tags.push(tag, number_text(u32::from(value), &mut self.words.text));
            }
        }
    }

    /// What `.cbj` and the files that it refers to say.
    fn second(&mut self, tags: &mut Tags, diagnostics: &mut Diagnostics) {
        let Some(second) = self.base.second_header(self.number) else {
            return;
        };
        if second.is_zeroed() || self.base.is_second_cut(self.number, second) {
            diagnostics.report(
                &codes::DAMAGED_SECOND,
                || Location::game(self.number),
                || "teams or offsets are zeros".to_owned(),
            );
        }
        for (color, team) in ["White", "Black"].into_iter().zip(second.teams()) {
            let Some(id) = team else { continue };
            let Some(data) = self.get(CbhEntityTable::Teams, id, diagnostics) else {
                continue;
            };
            let team = CbhTeam::decode(data);
            let tag = |end: &str| match (color, end) {
                ("White", "") => Cow::Borrowed("WhiteTeam"),
                ("Black", "") => Cow::Borrowed("BlackTeam"),
                _ => Cow::Owned(format!("{color}Team{end}")),
            };
            self.some_name(tags, &tag(""), team.title);
            if team.number != 0 {
                let number = number_text(team.number, &mut self.words.text);
                tags.push(&tag("Number"), number);
            }
            if team.nation != 0 {
                self.nation(tags, &tag("Country"), team.nation);
            }
            if !matches!(team.year, 0 | 9999) {
                let year = match team.is_season {
                    true => format!("{}/{}", team.year, team.year.saturating_add(1)),
                    false => team.year.to_string(),
                };
                tags.push(&tag("Season"), &year);
            }
        }
        for (tag, kind) in ["CbhWhiteRating", "CbhBlackRating"]
            .into_iter()
            .zip(second.rating_kinds())
        {
            if let Some(words) = kind.and_then(|kind| rating_words(kind, self.charset)) {
                tags.push(tag, &words);
            }
        }
        if let Some(saves) = second.version().filter(|saves| *saves != 0) {
            tags.push(
                SAVES_TAG,
                number_text(u32::from(saves), &mut self.words.text),
            );
        }
        if self.wanted.may_hold(CREATED_TAG.as_bytes())
            && let Some(time) = second.created().and_then(second_header::created_text)
        {
            tags.push(CREATED_TAG, &time);
        }
        if self.wanted.may_hold(SAVED_TAG.as_bytes())
            && let Some(time) = second.saved().and_then(second_header::saved_text)
        {
            tags.push(SAVED_TAG, &time);
        }
        let Some(id) = second.title() else { return };
        // Number 0 stands for none where there is no file of titles.
        let titles = self.base.entities(CbhEntityTable::Titles);
        if id == 0 && titles.count() == 0 {
            return;
        }
        if let Some(data) = self.get(CbhEntityTable::Titles, id, diagnostics) {
            for (language, title) in entities::titles(data) {
                self.some_name(tags, &title_tag(language), title);
            }
        }
    }

    /// The files that a text shows.
    fn media(&self, tags: &mut Tags, diagnostics: &mut Diagnostics) {
        let record = self
            .base
            .second_header(self.number)
            .and_then(|it| it.media());
        let Some(record) = record else {
            return;
        };
        let text = self.base.media(record).unwrap_or(&[]);
        let mut lines = text.split(|byte| *byte == b'\n');
        let is_list = lines.next().map(<[u8]>::trim_ascii) == Some(b"FilesUsed");
        let count = lines
            .next()
            .and_then(|line| std::str::from_utf8(line).ok()?.trim().parse::<usize>().ok());
        let is_whole =
            |count: &usize| lines.clone().filter(|name| !name.is_empty()).count() >= *count;
        if !is_list || !count.as_ref().is_some_and(is_whole) {
            diagnostics.report(
                &codes::MEDIA_GONE,
                || Location::game(self.number),
                || format!("list {record}"),
            );
        }
        for name in lines.take(count.unwrap_or(0)) {
            let name = name.strip_suffix(b"\r").unwrap_or(name);
            self.some_name(
                tags,
                MEDIA_TAG,
                CbhName {
                    bytes: name,
                    is_full: false,
                },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_tournaments() {
        let say = |kind, is_team| {
            let mut out = String::new();
            event_type(kind, is_team, &mut out);
            out
        };
        assert_eq!(say(0, false), "");
        assert_eq!(say(4, false), "swiss");
        assert_eq!(say(3, true), "team-tourn");
        assert_eq!(say(0, true), "team");
        assert_eq!(say(2 | 32, false), "match (blitz)");
        assert_eq!(say(64, false), "(rapid)");
        assert_eq!(say(9, false), "type 9");
        let mut out = String::new();
        event_flags(2 | 8 | 64, 0, true, &mut out);
        assert_eq!(out, "complete, three points, 64");
        event_flags(2, 5, false, &mut out);
        assert_eq!(out, "complete, kind team");
        event_flags(0, 5 | 64, true, &mut out);
        assert_eq!(out, "marked kind team");
    }

    #[test]
    fn dates_and_titles() {
        let mut out = String::new();
        assert_eq!(
            date_text(CbhDate(1996 << 9 | 3 << 5), &mut out),
            "1996.03.??"
        );
        assert_eq!(title_tag(1), "CbhTitleDe");
        assert_eq!(title_tag(7), "CbhTitleOther");
        assert_eq!(title_tag(9), "CbhTitle9");
    }

    #[test]
    fn unusual_ratings_are_told() {
        let kind = |flags, name| CbhRatingKind {
            flags,
            national: 3,
            international: 0,
            nation: 53,
            name,
        };
        assert_eq!(
            rating_words(kind(2, b"DWZ"), Charset::Cp1252).as_deref(),
            Some("national rapid GER DWZ")
        );
        assert_eq!(
            rating_words(CbhRatingKind::default(), Charset::Cp1252),
            None
        );
    }
}
