//! Facts straight from the headers and texts of the records.
//!
//! There are no tables of names: each game has its own. So the number of a name is that of its game.

use std::borrow::Cow;

use shakmaty::Color;
use tabiya_model::date::Date;
use tabiya_model::eco::EcoCode;
use tabiya_model::facts::{DELETED, FactFields, FactSource, GameFacts, NameTable, SETUP};

use super::layout::CbfChecksum;
use super::reader::CbfReader;
use super::record::{outcome_of, texts_of};
use super::text::CbfTexts;

/// The bit of a game that is marked: Scid's letter `U`.
const MARKED: u32 = 1 << 15;

/// What only the moves and comments say.
const UNSAID: FactFields = FactFields::PLIES
    .union(FactFields::ANNOTATIONS)
    .union(FactFields::MOVES);

/// The number of a player's name.
fn player_number(game: u32, color: Color) -> u32 {
    game.saturating_mul(2).saturating_add(color.fold_wb(0, 1))
}

impl FactSource for CbfReader {
    fn len(&self) -> u64 {
        self.count()
    }

    fn fact(&self, number: u64, _: FactFields) -> Option<GameFacts> {
        if number == 0 || number > self.count() {
            return None;
        }
        let known = (self.areas(number)).zip(u32::try_from(number - 1).ok());
        let Some((areas, game)) = known else {
            // Reading says what is missing.
            return Some(GameFacts::default());
        };
        let header = areas.header;
        if !areas.is_whole || header.checksum() == CbfChecksum::Wrong {
            return Some(GameFacts::default());
        }
        let mut fact = GameFacts {
            unsaid: UNSAID,
            players: [Color::White, Color::Black].map(|color| player_number(game, color)),
            event: game,
            site: 0,
            round: game,
            date: Date {
                year: header.year(),
                ..Date::UNKNOWN
            },
            outcome: outcome_of(header),
            ..GameFacts::default()
        };
        fact.elos = [Color::White, Color::Black].map(|color| header.elo(color).unwrap_or(0));
        fact.ratings = fact.elos;
        let (main, sub) = header.eco();
        if let Some(eco) = main.checked_sub(1).and_then(EcoCode::from_index) {
            match sub {
                0 => fact.eco = eco.to_scid(),
                // What is no sub-code makes no tag at all.
                1..100 => fact.unsaid = fact.unsaid.union(FactFields::ECO),
                _ => {}
            }
        }
        for (is_set, flag) in [
            (header.is_setup(), SETUP),
            (header.is_deleted(), DELETED),
            (header.is_marked(), MARKED),
        ] {
            fact.flags |= if is_set { flag } else { 0 };
        }
        Some(fact)
    }

    fn has_more_tags(&self, _: u64, _: FactFields) -> bool {
        // What else a record says stands in tags with names of their own.
        false
    }

    fn names(&self, table: NameTable) -> u32 {
        let games = u32::try_from(self.count()).unwrap_or(u32::MAX);
        match table {
            NameTable::Players => games.saturating_mul(2),
            NameTable::Events | NameTable::Rounds => games,
            NameTable::Sites => 1,
        }
    }

    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str> {
        let unknown = Cow::Borrowed("?");
        let game = match table {
            NameTable::Sites => return unknown,
            NameTable::Players => number / 2,
            NameTable::Events | NameTable::Rounds => number,
        };
        let Some(areas) = self.areas(u64::from(game) + 1) else {
            return unknown;
        };
        let mut bytes = Vec::new();
        areas.decrypt_texts(&mut bytes);
        let (players, source) = texts_of(areas.header, &bytes);
        let said = CbfTexts::read(players, source);
        let name = match table {
            NameTable::Rounds if said.round.is_empty() => return unknown,
            NameTable::Rounds => return Cow::Owned(said.round.clone()),
            NameTable::Events | NameTable::Sites => &said.event,
            NameTable::Players if number.is_multiple_of(2) => &said.white,
            NameTable::Players => &said.black,
        };
        if name.is_empty() {
            return unknown;
        }
        Cow::Owned(self.name_text(name))
    }
}
