//! Facts straight from the headers: lists and header searches read no game.

use std::borrow::Cow;

use tabiya_model::date::Date;
use tabiya_model::facts::{
    DELETED, FactFields, FactSource, FactsOverview, GameFacts, NameTable, SETUP,
};

use super::base::Cbh2Reader;
use super::entities::{Cbh2EntityTable, Cbh2Tournament};
use super::layout::{Cbh2GameRecord, Cbh2Record, FLAG_CHESS960, FLAG_SETUP, FLAG_VARIATIONS};
use super::record::NO_ANNOTATIONS;
use super::tags::{or_unknown, player_name, round_text};
use crate::cbh::facts::is_plain;
use crate::cbh::layout::{CbhDate, outcome};

/// The rounds and sub-rounds that have numbers: larger ones are read where they are asked for.
const ROUNDS: i16 = 256;

impl Cbh2Reader {
    /// How many names of a kind have numbers; the number behind them is that of a name that is not there.
    fn known(&self, table: Cbh2EntityTable) -> u32 {
        let count = self.names.as_ref().map_or(0, |names| names.count(table));
        u32::try_from(count).unwrap_or(u32::MAX - 1)
    }

    /// The number of a name.
    fn name_number(&self, table: Cbh2EntityTable, id: i64) -> u32 {
        let known = self.known(table);
        let found = self.names.as_ref().and_then(|names| names.get(table, id));
        let number = u32::try_from(id).ok().filter(|number| *number < known);
        number.filter(|_| found.is_some()).unwrap_or(known)
    }

    fn data(&self, table: Cbh2EntityTable, id: i64) -> Option<&[u8]> {
        self.names.as_ref()?.get(table, id)
    }

    fn event_date(&self, id: i64) -> Option<Date> {
        let date = self
            .data(Cbh2EntityTable::Tournaments, id)
            .map(Cbh2Tournament::start)?;
        (!date.is_unknown()).then(|| date.date())
    }

    /// Whether a game has no annotations.
    fn is_bare(&self, offset: i64) -> bool {
        match self.annotation_frame(offset) {
            Some(Ok(frame)) => frame.content == NO_ANNOTATIONS,
            _ => false,
        }
    }

    fn fact_of_game(&self, game: &Cbh2GameRecord, wanted: FactFields) -> GameFacts {
        // How many plies there are is known by their moves alone.
        let mut unsaid = FactFields::PLIES.union(FactFields::MOVES);
        if wanted.meets(FactFields::ANNOTATIONS) && !self.is_bare(game.annotations) {
            // Annotations can be of kinds that make no comment; without any there is none.
            unsaid = unsaid.union(FactFields::ANNOTATIONS);
        }
        let mut eco = 0;
        if let Some((code, sub)) = game.eco() {
            match sub {
                1..=99 => unsaid = unsaid.union(FactFields::ECO),
                _ => eco = code.to_scid(),
            }
        }
        if game.flags & FLAG_CHESS960 != 0 || game.chess960().is_some() {
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
        let [round, sub, _] = game.round.map(|part| part.max(0));
        if round >= ROUNDS || sub >= ROUNDS {
            unsaid = unsaid.union(FactFields::ROUND);
        }
        let event = self.name_number(Cbh2EntityTable::Tournaments, game.tournament);
        let event_date = match wanted.meets(FactFields::EVENT_DATE) {
            true => self.event_date(game.tournament),
            false => None,
        };
        let ratings = game
            .ratings
            .map(|rating| u16::try_from(rating).unwrap_or(0));
        GameFacts {
            unsaid,
            players: game
                .players
                .map(|id| self.name_number(Cbh2EntityTable::Players, id)),
            event,
            site: event,
            round: round_number(round, sub),
            ratings,
            elos: ratings,
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

    fn fact_without_players(&self, kind: u8, tournament: Option<i64>) -> GameFacts {
        let known = self.known(Cbh2EntityTable::Tournaments);
        let event = tournament.map_or(known, |id| {
            self.name_number(Cbh2EntityTable::Tournaments, id)
        });
        GameFacts {
            // What a text says are comments of a game without moves.
            unsaid: FactFields::ANNOTATIONS.union(FactFields::MOVES),
            players: [self.known(Cbh2EntityTable::Players); 2],
            event,
            site: event,
            round: 0,
            date: Date::UNKNOWN,
            event_date: tournament.and_then(|id| self.event_date(id)),
            plies: Some(0),
            flags: if kind & 0x80 != 0 { DELETED } else { 0 },
            ..GameFacts::default()
        }
    }
}

fn round_number(round: i16, sub: i16) -> u32 {
    let part = |part: i16| u32::try_from(part.clamp(0, ROUNDS - 1)).unwrap_or(0);
    part(round) << 8 | part(sub)
}

impl FactSource for Cbh2Reader {
    fn len(&self) -> u64 {
        self.count()
    }

    fn fact(&self, number: u64, wanted: FactFields) -> Option<GameFacts> {
        Some(match self.record(number)? {
            Cbh2Record::Game(game) => self.fact_of_game(&game, wanted),
            Cbh2Record::Text(text) => self.fact_without_players(text.kind, Some(text.tournament)),
            Cbh2Record::Analysis(analysis) => {
                // It has moves, and what its start is only they say.
                let mut fact = self.fact_without_players(analysis.kind, None);
                let fields = FactFields::PLIES.union(FactFields::FLAGS);
                fact.unsaid = fact.unsaid.union(fields);
                fact.plies = None;
                fact
            }
            // What is damaged is read whenever it is asked about.
            Cbh2Record::Unknown(_) => GameFacts::default(),
        })
    }

    fn has_more_tags(&self, _: u64, _: FactFields) -> bool {
        // Annotator, source, teams and times: nearly every game has some of them.
        true
    }

    fn names(&self, table: NameTable) -> u32 {
        match table {
            NameTable::Players => self.known(Cbh2EntityTable::Players).saturating_add(1),
            NameTable::Events | NameTable::Sites => {
                self.known(Cbh2EntityTable::Tournaments).saturating_add(1)
            }
            NameTable::Rounds => 1 << 16,
        }
    }

    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str> {
        let charset = self.charset();
        let names = || {
            let data = self.data(Cbh2EntityTable::Tournaments, i64::from(number));
            data.map(Cbh2Tournament::names)
        };
        match table {
            NameTable::Players => player_name(
                self.data(Cbh2EntityTable::Players, i64::from(number)),
                charset,
            ),
            NameTable::Events => or_unknown(names().map(|[_, title]| title), charset),
            NameTable::Sites => or_unknown(names().map(|[place, _]| place), charset),
            NameTable::Rounds => {
                let [_, _, round, sub] = number.to_be_bytes();
                round_text(i16::from(round), i16::from(sub))
            }
        }
    }

    fn overview(&self) -> Option<FactsOverview> {
        let (mut first, mut last, mut deleted) = (u32::MAX, 0, 0);
        for number in 1..=self.headers_count() {
            let record = self.record(number)?;
            deleted += u64::from(record.is_deleted());
            let date = match record {
                Cbh2Record::Game(game) => game.date,
                Cbh2Record::Text(_) | Cbh2Record::Analysis(_) => CbhDate(0),
                Cbh2Record::Unknown(_) => return None,
            };
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
