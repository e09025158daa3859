//! Headers and names as tags. Their names are those that the older format of ChessBase has; the page on the format lists them.

use std::borrow::Cow;
use std::fmt::Write;

use shakmaty::Color;
use tabiya_model::charset::Charset;
use tabiya_model::game::FLAGS_TAG;
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;
use tabiya_model::tags::{TagSet, Tags};
use tabiya_model::{Diagnostics, Game, Location};

use super::base::Cbh2Reader;
use super::codes;
use super::entities::{
    Cbh2EntityRecord, Cbh2EntityTable, Cbh2Player, Cbh2Source, Cbh2Team, Cbh2Tournament, titles,
};
use super::layout::{
    Cbh2AnalysisRecord, Cbh2GameRecord, Cbh2RatingKind, Cbh2Record, Cbh2TextRecord,
};
use super::text;
use crate::cbh::layout::{CbhDate, outcome};
use crate::cbh::second_header::{created_text, saved_text};
use crate::cbh::tables;
use crate::cbh::tags::{
    CREATED_TAG, EVALUATION_TAG, EVENT_FLAGS_TAG, KIND_TAG, MEDALS_TAG, RESULT_TAG, SAVED_TAG,
    SAVES_TAG, START_TAG, TITLE_TAG, date_text, event_flags, event_type, number_text,
};
use crate::cbh::text::{CbhTextEncoding, text_of};

/// The number of the board in a match of teams.
pub const BOARD_TAG: &str = "Board";

/// The name of a player: last name, comma, first name.
pub fn player_name(data: Option<&[u8]>, charset: Charset) -> Cow<'_, str> {
    let Some(data) = data else {
        return "?".into();
    };
    let player = Cbh2Player::decode(data);
    match (player.last.is_empty(), player.first.is_empty()) {
        (true, true) => "?".into(),
        (false, true) => name_text(player.last, charset),
        _ => {
            let mut name = name_text(player.last, charset).into_owned();
            name.push_str(", ");
            name.push_str(&name_text(player.first, charset));
            name.into()
        }
    }
}

/// A name as text.
fn name_text(bytes: &[u8], charset: Charset) -> Cow<'_, str> {
    text_of(bytes, text::read(bytes, charset))
}

/// A name of the Seven Tag Roster; an empty one is a question mark.
pub fn or_unknown(name: Option<&[u8]>, charset: Charset) -> Cow<'_, str> {
    match name {
        Some(name) if !name.is_empty() => name_text(name, charset),
        _ => "?".into(),
    }
}

/// A round with its sub-round as PGN has it.
pub fn round_text(round: i16, sub: i16) -> Cow<'static, str> {
    match (round, sub) {
        (..=0, ..=0) => "?".into(),
        (round, ..=0) => round.to_string().into(),
        (..=0, sub) => format!("?.{sub}").into(),
        (round, sub) => format!("{round}.{sub}").into(),
    }
}

/// The tag of a title in the language that a nation represents.
pub fn title_tag(nation: i32) -> String {
    let letters = u8::try_from(nation).ok().and_then(tables::language);
    let Some(letters) = letters else {
        return match nation {
            0 => format!("{TITLE_TAG}Other"),
            nation => format!("{TITLE_TAG}{}", nation.cast_unsigned()),
        };
    };
    let mut name = TITLE_TAG.to_owned();
    name.extend(letters.chars().take(1).map(|c| c.to_ascii_uppercase()));
    name.extend(letters.chars().skip(1));
    name
}

/// The kind of a rating in words; nothing for the usual one and for none.
pub(super) fn rating_words(kind: &Cbh2RatingKind) -> Option<String> {
    if *kind == Cbh2RatingKind::FIDE || *kind == Cbh2RatingKind::default() {
        return None;
    }
    let mut words = vec![match kind.kind & 7 {
        1 => "international".to_owned(),
        2 => "national".to_owned(),
        3 => "server".to_owned(),
        other => format!("kind {other}"),
    }];
    match kind.kind >> 3 {
        0 => {}
        1 => words.push("bullet".to_owned()),
        2 => words.push("blitz".to_owned()),
        3 => words.push("rapid".to_owned()),
        4 => words.push("correspondence".to_owned()),
        other => words.push(format!("speed {other}")),
    }
    words.push(kind.list.to_string());
    let letters = u8::try_from(kind.nation).ok().and_then(tables::nation);
    match (kind.nation, letters) {
        (0, _) => {}
        (_, Some(letters)) => words.push(letters.to_owned()),
        (nation, None) => words.push(format!("nation {nation}")),
    }
    if !kind.name().is_empty() {
        words.push(name_text(kind.name(), text::DEFAULT).into_owned());
    }
    Some(words.join(" "))
}

/// When a game was made, as text. Databases that were converted from the older format have its units, of which no time
/// since is as small as in those of today.
fn made_text(created: i64) -> Option<String> {
    let created = u64::try_from(created)
        .ok()
        .filter(|created| *created != 0)?;
    if created < 1 << 40 {
        return created_text(created);
    }
    // The seconds with seven digits behind the point, from which the parts of 2^22 follow.
    let text = created_text(created >> 22 << 10)?;
    let (whole, _) = text.rsplit_once('.')?;
    let part = (created & ((1 << 22) - 1)) * 10_000_000 / (1 << 22);
    Some(format!("{whole}.{part:07}"))
}

/// Makes tags of what stands outside of the moves.
pub(super) struct Cbh2TagWriter<'a> {
    pub(super) base: &'a Cbh2Reader,
    pub(super) number: u64,
    pub(super) wanted: TagSet,
    pub(super) words: &'a mut String,
}

impl<'a> Cbh2TagWriter<'a> {
    fn name(&self, tags: &mut Tags, tag: &str, bytes: &[u8]) {
        match text::read(bytes, self.base.charset()) {
            CbhTextEncoding::Utf8(text) => tags.push(tag, text),
            CbhTextEncoding::Bytes(charset) => tags.push_bytes(tag.as_bytes(), bytes, charset),
            CbhTextEncoding::Symbols(text, charset) | CbhTextEncoding::NotHebrew(text, charset) => {
                tags.push_decoded(tag, &text, bytes, charset);
            }
        }
    }

    fn some_name(&self, tags: &mut Tags, tag: &str, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.name(tags, tag, bytes);
        }
    }

    fn roster_name(&self, tags: &mut Tags, tag: &str, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) if !bytes.is_empty() => self.name(tags, tag, bytes),
            _ => tags.push(tag, "?"),
        }
    }

    fn player(&mut self, tags: &mut Tags, tag: &str, data: Option<&[u8]>) {
        let player = data.map(Cbh2Player::decode);
        match player {
            Some(player) if !player.first.is_empty() => {
                let bytes = [player.last, b", ", player.first].concat();
                let [last, first] =
                    [player.last, player.first].map(|name| std::str::from_utf8(name).is_ok());
                if last == first {
                    self.name(tags, tag, &bytes);
                } else {
                    // One of both is UTF-8.
                    let charset = self.base.charset();
                    tags.push_decoded(tag, &player_name(data, charset), &bytes, charset);
                }
            }
            player => self.roster_name(tags, tag, player.map(|player| player.last)),
        }
    }

    fn get(
        &self,
        table: Cbh2EntityTable,
        id: i64,
        diagnostics: &mut Diagnostics,
    ) -> Option<&'a [u8]> {
        let record = self.base.names.as_ref()?.record(table, id);
        match record {
            Cbh2EntityRecord::Data(data) => return Some(data),
            Cbh2EntityRecord::None | Cbh2EntityRecord::Damaged | Cbh2EntityRecord::Deleted(_) => {}
        }
        self.no_name(table, id, record, diagnostics);
        None
    }

    #[cold]
    fn no_name(
        &self,
        table: Cbh2EntityTable,
        id: i64,
        record: Cbh2EntityRecord<'_>,
        diagnostics: &mut Diagnostics,
    ) {
        let (code, what) = match record {
            Cbh2EntityRecord::Damaged => (&codes::DAMAGED_NAME, "is damaged"),
            Cbh2EntityRecord::Deleted(_) => (&codes::UNKNOWN_NAME, "is deleted"),
            _ => (&codes::UNKNOWN_NAME, "does not exist"),
        };
        diagnostics.report(
            code,
            || Location::game(self.number),
            || format!("{} {id} {what}", table.word()),
        );
    }

    /// The tags of a game's header.
    pub(super) fn game(&mut self, record: &Cbh2GameRecord, game: &mut Game) {
        let Game {
            tags, diagnostics, ..
        } = game;
        let tournament = self.get(Cbh2EntityTable::Tournaments, record.tournament, diagnostics);
        let names = tournament.map(Cbh2Tournament::names);
        self.roster_name(tags, "Event", names.map(|[_, title]| title));
        self.roster_name(tags, "Site", names.map(|[place, _]| place));
        tags.push("Date", date_text(record.date, self.words));
        let [round, sub, board] = record.round;
        tags.push("Round", &round_text(round, sub));
        for (tag, id) in ["White", "Black"].into_iter().zip(record.players) {
            let data = self.get(Cbh2EntityTable::Players, id, diagnostics);
            self.player(tags, tag, data);
        }
        let (result, own) = outcome(record.result);
        tags.push("Result", result.as_pgn());
        game.outcome = Some(result);
        for (color, rating) in [Color::White, Color::Black].into_iter().zip(record.ratings) {
            if let Some(rating) = u32::try_from(rating).ok().filter(|rating| *rating > 0) {
                let rating = number_text(rating, self.words);
                tags.push(RatingKind::Elo.tag_name(color), rating);
            }
        }
        if let Some((eco, sub)) = record.eco() {
            self.words.clear();
            // Sub-code 0 is none; numbers beyond 99 are no code.
            let code = match sub {
                1..=99 => eco.with_sub(sub).unwrap_or(eco),
                _ => eco,
            };
            let _ = write!(self.words, "{code}");
            tags.push("ECO", self.words);
        } else if record.is_bad_eco() {
            diagnostics.report(
                &codes::BAD_ECO,
                || Location::game(self.number),
                || format!("number {}", record.eco),
            );
        }
        self.event(tags, tournament);
        match own {
            None => {}
            Some("unknown") => {
                diagnostics.report(
                    &codes::BAD_RESULT,
                    || Location::game(self.number),
                    || format!("result {}", record.result),
                );
                let result = number_text(u32::from(record.result), self.words);
                tags.push(RESULT_TAG, result);
            }
            Some(own) => tags.push(RESULT_TAG, own),
        }
        for (tag, value) in [
            (EVALUATION_TAG, u32::from(record.line_nag)),
            (MEDALS_TAG, u32::from(record.medals)),
        ] {
            if value != 0 {
                tags.push(tag, number_text(value, self.words));
            }
        }
        if let Some(number) = record.chess960() {
            tags.push(START_TAG, number_text(u32::from(number), self.words));
        }
        self.origin(tags, diagnostics, record.annotator, record.source);
        if let Some(board) = u32::try_from(board).ok().filter(|board| *board > 0) {
            tags.push(BOARD_TAG, number_text(board, self.words));
        }
        self.teams(tags, diagnostics, record.teams);
        self.people(tags, record);
        self.times(
            tags,
            i64::from(record.version),
            record.created,
            record.changed,
        );
        self.title(tags, diagnostics, record.title);
        self.deleted(tags, record.kind);
    }

    /// The tags of a guiding text's header.
    pub(super) fn text(&mut self, record: &Cbh2TextRecord, game: &mut Game) {
        let Game {
            tags, diagnostics, ..
        } = game;
        let tournament = self.get(Cbh2EntityTable::Tournaments, record.tournament, diagnostics);
        self.roster_without_players(tags, tournament);
        game.outcome = Some(Outcome::Unknown);
        self.event(tags, tournament);
        tags.push(KIND_TAG, "text");
        self.origin(tags, diagnostics, record.author, record.source);
        self.times(tags, record.version, record.created, 0);
        self.title(tags, diagnostics, record.title);
        self.deleted(tags, record.kind);
    }

    /// The tags of an analysis.
    pub(super) fn analysis(&mut self, record: &Cbh2AnalysisRecord, game: &mut Game) {
        let Game {
            tags, diagnostics, ..
        } = game;
        self.roster_without_players(tags, None);
        game.outcome = Some(Outcome::Unknown);
        tags.push(KIND_TAG, "analysis");
        self.origin(tags, diagnostics, record.author, record.source);
        self.title(tags, diagnostics, record.title);
        self.deleted(tags, record.kind);
    }

    /// The tags of a game of which nothing but its moves is known.
    pub(super) fn nameless(&self, game: &mut Game) {
        self.roster_without_players(&mut game.tags, None);
        game.outcome = Some(Outcome::Unknown);
    }

    fn roster_without_players(&self, tags: &mut Tags, tournament: Option<&[u8]>) {
        let names = tournament.map(Cbh2Tournament::names);
        self.roster_name(tags, "Event", names.map(|[_, title]| title));
        self.roster_name(tags, "Site", names.map(|[place, _]| place));
        for (tag, value) in [
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "?"),
            ("Black", "?"),
            ("Result", "*"),
        ] {
            tags.push(tag, value);
        }
    }

    fn deleted(&self, tags: &mut Tags, kind: u8) {
        if kind & 0x80 != 0 {
            tags.push(FLAGS_TAG, "D");
        }
    }

    fn event(&mut self, tags: &mut Tags, tournament: Option<&[u8]>) {
        let Some(tournament) = tournament.map(Cbh2Tournament::decode) else {
            return;
        };
        self.date(tags, "EventDate", tournament.date);
        event_type(tournament.kind, tournament.is_team, self.words);
        tags.push_some("EventType", self.words);
        if tournament.rounds != 0 {
            tags.push(
                "EventRounds",
                number_text(tournament.rounds.into(), self.words),
            );
        }
        self.nation(tags, "EventCountry", tournament.nation);
        if tournament.category != 0 {
            let category = number_text(tournament.category.into(), self.words);
            tags.push("EventCategory", category);
        }
        event_flags(
            tournament.flags,
            tournament.kind,
            tournament.is_team,
            self.words,
        );
        tags.push_some(EVENT_FLAGS_TAG, self.words);
        self.date(tags, "EventEndDate", tournament.end);
        let [north, east] = tournament.globe;
        let is_placed = north != 0.0 || east != 0.0;
        let nation = tournament.place_nation;
        let has_moved = nation != 0 && nation != tournament.nation;
        if is_placed || has_moved {
            self.words.clear();
            let _ = write!(self.words, "{north},{east}");
            if has_moved {
                let _ = match tables::nation(nation) {
                    Some(letters) => write!(self.words, " {letters}"),
                    None => write!(self.words, " {nation}"),
                };
            }
            tags.push("CbhEventPlace", self.words);
        }
        if !tournament.tie_breaks.is_empty() {
            let rules: Vec<String> = tournament.tie_breaks.iter().map(u16::to_string).collect();
            tags.push("CbhEventTieBreaks", &rules.join(","));
        }
    }

    fn date(&mut self, tags: &mut Tags, tag: &str, date: CbhDate) {
        if !date.is_unknown() {
            tags.push(tag, date_text(date, self.words));
        }
    }

    fn nation(&mut self, tags: &mut Tags, tag: &str, number: u8) {
        match tables::nation(number) {
            Some(letters) => tags.push(tag, letters),
            None if number == 0 => {}
            None => tags.push(tag, number_text(u32::from(number), self.words)),
        }
    }

    /// Annotator and source.
    fn origin(
        &mut self,
        tags: &mut Tags,
        diagnostics: &mut Diagnostics,
        annotator: i64,
        source: i64,
    ) {
        if let Some(data) = self.get(Cbh2EntityTable::Players, annotator, diagnostics) {
            let player = Cbh2Player::decode(data);
            if !player.last.is_empty() || !player.first.is_empty() {
                self.player(tags, "Annotator", Some(data));
            }
        }
        let Some(data) = self.get(Cbh2EntityTable::Sources, source, diagnostics) else {
            return;
        };
        let source = Cbh2Source::decode(data);
        self.some_name(tags, "Source", source.publisher);
        self.some_name(tags, "SourceTitle", source.title);
        for (tag, date) in ["SourceDate", "SourceVersionDate"]
            .into_iter()
            .zip(source.dates)
        {
            self.date(tags, tag, date);
        }
        for (tag, value) in [
            ("SourceVersion", source.version),
            ("SourceQuality", source.quality),
        ] {
            if value != 0 {
                tags.push(tag, &value.to_string());
            }
        }
    }

    fn teams(&mut self, tags: &mut Tags, diagnostics: &mut Diagnostics, teams: [i64; 2]) {
        for (color, id) in ["White", "Black"].into_iter().zip(teams) {
            if id == -1 {
                continue;
            }
            let Some(data) = self.get(Cbh2EntityTable::Teams, id, diagnostics) else {
                continue;
            };
            let team = Cbh2Team::decode(data);
            let tag = |end: &str| format!("{color}Team{end}");
            self.some_name(tags, &tag(""), team.title);
            if team.number != 0 {
                let number = number_text(u32::from(team.number), self.words);
                tags.push(&tag("Number"), number);
            }
            self.nation(tags, &tag("Country"), team.nation);
            if team.year != 0 {
                let year = match team.is_season {
                    true => format!("{}/{}", team.year, u32::from(team.year) + 1),
                    false => team.year.to_string(),
                };
                tags.push(&tag("Season"), &year);
            }
        }
    }

    /// Numbers of players, and what their ratings are.
    fn people(&self, tags: &mut Tags, record: &Cbh2GameRecord) {
        for (color, (id, kind)) in ["White", "Black"]
            .into_iter()
            .zip(record.players.into_iter().zip(&record.rating_kinds))
        {
            let names = self.base.names.as_ref();
            let data = names.and_then(|names| names.get(Cbh2EntityTable::Players, id));
            if let Some(player) = data.map(Cbh2Player::decode) {
                if player.fide_id > 0 {
                    tags.push(&format!("{color}FideId"), &player.fide_id.to_string());
                }
                if player.chessbase_id > 0 {
                    tags.push(&format!("Cbh{color}Id"), &player.chessbase_id.to_string());
                }
            }
            if let Some(words) = rating_words(kind) {
                tags.push(&format!("Cbh{color}Rating"), &words);
            }
        }
    }

    fn times(&self, tags: &mut Tags, version: i64, created: i64, changed: i64) {
        if version != 0 {
            tags.push(SAVES_TAG, &version.to_string());
        }
        if self.wanted.may_hold(CREATED_TAG.as_bytes())
            && let Some(time) = made_text(created)
        {
            tags.push(CREATED_TAG, &time);
        }
        if self.wanted.may_hold(SAVED_TAG.as_bytes())
            && let Some(time) = u64::try_from(changed).ok().and_then(saved_text)
        {
            tags.push(SAVED_TAG, &time);
        }
    }

    fn title(&self, tags: &mut Tags, diagnostics: &mut Diagnostics, id: i64) {
        if let Some(data) = self.get(Cbh2EntityTable::Titles, id, diagnostics) {
            for (nation, title) in titles(data) {
                self.some_name(tags, &title_tag(nation), title);
            }
        }
    }

    /// The tags of a record.
    pub(super) fn record(&mut self, record: &Cbh2Record, game: &mut Game) {
        match record {
            Cbh2Record::Game(header) => self.game(header, game),
            Cbh2Record::Text(header) => self.text(header, game),
            Cbh2Record::Analysis(header) => self.analysis(header, game),
            Cbh2Record::Unknown(_) => self.nameless(game),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_titles_and_ratings() {
        assert_eq!(round_text(5, 2), "5.2");
        assert_eq!(round_text(-1, 2), "?.2");
        assert_eq!(round_text(0, -7), "?");
        assert_eq!(round_text(300, 0), "300");
        assert_eq!(title_tag(53), "CbhTitleDe");
        assert_eq!(title_tag(121), "CbhTitleRUS");
        assert_eq!(title_tag(0), "CbhTitleOther");
        assert_eq!(title_tag(-1), "CbhTitle4294967295");
        assert_eq!(rating_words(&Cbh2RatingKind::FIDE), None);
        assert_eq!(rating_words(&Cbh2RatingKind::default()), None);
        let server = Cbh2RatingKind {
            kind: 3 | 2 << 3,
            list: 16,
            nation: 196,
            name: *b"LiChess\0",
        };
        assert_eq!(
            rating_words(&server).as_deref(),
            Some("server blitz 16 NET LiChess")
        );
    }

    #[test]
    fn times_in_both_units() {
        // Half a second after the beginning of time.
        assert_eq!(made_text(0), None);
        assert_eq!(
            made_text(1024 + 512).as_deref(),
            Some("2008.12.01 00:00:01.5000000000")
        );
        let days = 1_000_i64 * 86_400;
        assert_eq!(
            made_text((days << 22) + (1 << 21)).as_deref(),
            Some("2011.08.28 00:00:00.5000000")
        );
        assert_eq!(made_text(-1).or(made_text(i64::MAX)), None);
    }
}
