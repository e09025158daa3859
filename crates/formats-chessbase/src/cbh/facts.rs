//! Facts straight from the headers: lists and header searches read no game.

use std::borrow::Cow;

use tabiya_model::date::Date;
use tabiya_model::facts::{
    DELETED, FactFields, FactSource, FactsOverview, GameFacts, NameTable, SETUP,
};

use super::base::CbhReader;
use super::commands::round_text;
use super::entities::{CbhEntityFile, CbhEntityTable, CbhTournament};
use super::layout::{
    CbhDate, CbhGameRecord, CbhRecord, CbhTextRecord, FLAG_SETUP, FLAG_UNORTHODOX, FLAG_VARIATIONS,
    outcome,
};
use super::tags::{or_unknown, player_name};

/// The number of a name that is not there: one more than the last.
fn name_number(entities: &CbhEntityFile, id: u32) -> u32 {
    match entities.get(id) {
        Some(_) => id,
        None => entities.count(),
    }
}

impl CbhReader {
    fn tournament(&self, id: u32) -> Option<CbhTournament<'_>> {
        self.entities(CbhEntityTable::Tournaments)
            .get(id)
            .map(CbhTournament::decode)
    }

    fn event(&self, id: u32) -> Cow<'_, str> {
        or_unknown(self.tournament(id).map(|it| it.title), self.charset())
    }

    fn site(&self, id: u32) -> Cow<'_, str> {
        or_unknown(self.tournament(id).map(|it| it.place), self.charset())
    }

    fn player(&self, id: u32) -> Cow<'_, str> {
        player_name(
            self.entities(CbhEntityTable::Players).get(id),
            self.charset(),
        )
    }

    fn event_date(&self, id: u32) -> Option<Date> {
        let date = self.tournament(id)?.date;
        (!date.is_unknown()).then(|| date.date())
    }

    fn fact_of_game(&self, game: &CbhGameRecord, wanted: FactFields) -> GameFacts {
        let players = self.entities(CbhEntityTable::Players);
        // How many plies there are is known by their moves alone.
        let mut unsaid = FactFields::PLIES.union(FactFields::MOVES);
        // Annotations can be of kinds that make no comment; without any there is none.
        if game.annotations != 0 {
            unsaid = unsaid.union(FactFields::ANNOTATIONS);
        }
        let mut eco = 0;
        if let Some((code, sub)) = game.eco() {
            match sub {
                1..=99 => unsaid = unsaid.union(FactFields::ECO),
                _ => eco = code.to_scid(),
            }
        }
        if game.flags & FLAG_UNORTHODOX != 0 {
            unsaid = unsaid.union(FactFields::FLAGS);
        }
        if !is_plain(game.date) {
            unsaid = unsaid.union(FactFields::DATE);
        }
        let mut flags = 0;
        if game.flags & FLAG_SETUP != 0 {
            flags |= SETUP;
        }
        if game.kind & 0x80 != 0 {
            flags |= DELETED;
        }
        let event = name_number(self.entities(CbhEntityTable::Tournaments), game.tournament);
        let event_date = match wanted.meets(FactFields::EVENT_DATE) {
            true => self.event_date(game.tournament),
            false => None,
        };
        GameFacts {
            unsaid,
            players: game.players.map(|id| name_number(players, id)),
            event,
            site: event,
            round: u32::from(u16::from_be_bytes(game.round)),
            ratings: game.ratings,
            elos: game.ratings,
            date: game.date.date(),
            event_date,
            outcome: outcome(game.result).0,
            eco,
            flags,
            variations: game.flags & FLAG_VARIATIONS != 0,
            odd: FactFields::NONE,
            ..GameFacts::default()
        }
    }

    fn fact_of_text(&self, text: &CbhTextRecord) -> GameFacts {
        let event = name_number(self.entities(CbhEntityTable::Tournaments), text.tournament);
        GameFacts {
            // What a text says are comments of a game without moves.
            unsaid: FactFields::ANNOTATIONS.union(FactFields::MOVES),
            players: [self.entities(CbhEntityTable::Players).count(); 2],
            event,
            site: event,
            round: u32::from(u16::from_be_bytes(text.round)),
            date: Date::UNKNOWN,
            event_date: self.event_date(text.tournament),
            plies: Some(0),
            flags: if text.kind & 0x80 != 0 { DELETED } else { 0 },
            ..GameFacts::default()
        }
    }
}

/// Whether a date is read from its tag as it stands in the header: a day without its month, or one that no month has,
/// may be read in another way.
pub(crate) fn is_plain(date: CbhDate) -> bool {
    let (year, month, day) = (date.year(), date.month(), date.day());
    date.is_unknown() || (year != 0 && (month != 0 || day == 0) && date.date().is_valid())
}

impl FactSource for CbhReader {
    fn len(&self) -> u64 {
        self.count()
    }

    fn fact(&self, number: u64, wanted: FactFields) -> Option<GameFacts> {
        if number > self.headers_count() {
            return None;
        }
        Some(match self.record(number)? {
            CbhRecord::Game(game) => self.fact_of_game(&game, wanted),
            CbhRecord::Text(text) => self.fact_of_text(&text),
            // What is damaged is read whenever it is asked about.
            CbhRecord::Unknown(_) => GameFacts::default(),
        })
    }

    fn has_more_tags(&self, _: u64, _: FactFields) -> bool {
        // Annotator, source, teams and times: nearly every game has some of them.
        true
    }

    fn names(&self, table: NameTable) -> u32 {
        match table {
            NameTable::Players => self
                .entities(CbhEntityTable::Players)
                .count()
                .saturating_add(1),
            NameTable::Events | NameTable::Sites => self
                .entities(CbhEntityTable::Tournaments)
                .count()
                .saturating_add(1),
            NameTable::Rounds => 1 << 16,
        }
    }

    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str> {
        match table {
            NameTable::Players => self.player(number),
            NameTable::Events => self.event(number),
            NameTable::Sites => self.site(number),
            NameTable::Rounds => {
                let [_, _, major, minor] = number.to_be_bytes();
                round_text([major, minor]).into()
            }
        }
    }

    fn overview(&self) -> Option<FactsOverview> {
        let (mut first, mut last, mut deleted) = (u32::MAX, 0, 0);
        for number in 1..=self.headers_count() {
            let (date, kind) = match self.record(number)? {
                CbhRecord::Game(game) => (game.date, game.kind),
                CbhRecord::Text(text) => (CbhDate(0), text.kind),
                CbhRecord::Unknown(_) => return None,
            };
            deleted += u64::from(kind & 0x80 != 0);
            if date.year() == 0 {
                continue;
            }
            if !is_plain(date) {
                return None;
            }
            first = first.min(date.0 & 0x1f_ffff);
            last = last.max(date.0 & 0x1f_ffff);
        }
        let is_known = first <= last;
        Some(FactsOverview {
            first: is_known.then(|| CbhDate(first).date()),
            last: is_known.then(|| CbhDate(last).date()),
            deleted,
        })
    }
}
