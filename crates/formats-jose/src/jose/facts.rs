//! Facts from the numbers in the rows: names by their tables, ratings, dates and openings. Everything that needs the texts
//! or moves of a game is left unsaid.

use std::borrow::Cow;

use tabiya_model::eco::EcoCode;
use tabiya_model::facts::{FactFields, FactSource, GameFacts, NameTable as Kind};
use tabiya_model::rating::{Rating, RatingKind};

use super::index::NOWHERE;
use super::layout::{JoseField, JoseGameRow, date_flags};
use super::names::JoseNameTable;
use super::reader::{JoseDatabaseParts, JoseReader};
use super::record::read_date;

/// Fields whose values are in the texts and moves of a game.
const UNSAID: FactFields = FactFields::ROUND
    .union(FactFields::OUTCOME)
    .union(FactFields::PLIES)
    .union(FactFields::FLAGS)
    .union(FactFields::ANNOTATIONS)
    .union(FactFields::MOVES);

/// The number of the name with an id: its index in the table, or the number after the last if the id stands for no name;
/// `None` if the table lacks the id.
fn name_number(table: &JoseNameTable, id: i64) -> Option<u32> {
    let nobody = table.count();
    let place = match table.place(id) {
        Some(_) if id == 0 && table.get(0) == Some(&b"-"[..]) => nobody,
        Some(place) => place,
        None if id == 0 => nobody,
        None => return None,
    };
    u32::try_from(place).ok()
}

impl JoseDatabaseParts {
    fn fact_of(&self, row: &JoseGameRow<'_>) -> GameFacts {
        let names = &self.names;
        let number = |table: &JoseNameTable, field: JoseField| name_number(table, row.int(field));
        let (Some(white), Some(black), Some(event), Some(site)) = (
            number(&names.players, JoseField::White),
            number(&names.players, JoseField::Black),
            number(&names.events, JoseField::Event),
            number(&names.sites, JoseField::Site),
        ) else {
            // Reading the game reports which name is lost.
            return GameFacts::default();
        };
        let mut fact = GameFacts {
            unsaid: UNSAID,
            players: [white, black],
            event,
            site,
            ..GameFacts::default()
        };
        let fields = [JoseField::WhiteElo, JoseField::BlackElo];
        for (elo, field) in fact.elos.iter_mut().zip(fields) {
            let value = row.int(field);
            if value == 0 {
                continue;
            }
            match Rating::parse(RatingKind::Elo, &value.to_string()) {
                Some(rating) if i64::from(rating.value) == value => *elo = rating.value,
                _ => {
                    fact.unsaid = fact
                        .unsaid
                        .union(FactFields::RATINGS)
                        .union(FactFields::ELOS)
                }
            }
        }
        fact.ratings = fact.elos;
        let flags = u16::try_from(row.int(JoseField::DateFlags) & 0xFFFF).unwrap_or(0);
        let date = |field: JoseField, flags: u16| {
            let is_told = flags & date_flags::NOTHING != date_flags::NOTHING;
            let day = row.get(field).day().filter(|_| is_told)?;
            let date = read_date(day, flags, self.settings.shift_dates).date;
            (!date.is_unknown()).then_some(date)
        };
        match date(JoseField::GameDate, flags & 0xFF) {
            Some(date) if date.is_valid() => fact.date = date,
            Some(_) => fact.unsaid = fact.unsaid.union(FactFields::DATE),
            None => fact.odd = FactFields::DATE,
        }
        fact.event_date = date(JoseField::EventDate, flags >> 8);
        if fact.event_date.is_some_and(|date| !date.is_valid()) {
            fact.unsaid = fact.unsaid.union(FactFields::EVENT_DATE);
        }
        if let Some(text) = row.bytes(JoseField::Eco).filter(|text| *text != &b"-"[..]) {
            let text = String::from_utf8_lossy(text);
            let code = EcoCode::parse(&text).filter(|code| code.to_string() == text);
            match code.filter(|code| code.sub().is_none()) {
                Some(code) => fact.eco = code.to_scid(),
                None => fact.unsaid = fact.unsaid.union(FactFields::ECO),
            }
        }
        fact
    }

    fn table(&self, table: Kind) -> Option<&JoseNameTable> {
        match table {
            Kind::Players => Some(&self.names.players),
            Kind::Events => Some(&self.names.events),
            Kind::Sites => Some(&self.names.sites),
            Kind::Rounds => None,
        }
    }
}

impl FactSource for JoseReader {
    fn len(&self) -> u64 {
        self.parts().index.len()
    }

    fn fact(&self, number: u64, _: FactFields) -> Option<GameFacts> {
        let parts = self.parts();
        let at = number.checked_sub(1).filter(|at| *at < parts.index.len())?;
        let mut fact = GameFacts::default();
        let Ok(Some([first, second])) = parts.index.get(at) else {
            return Some(fact);
        };
        if first == NOWHERE || (parts.halves && second == NOWHERE) {
            // Reading the game reports what is missing.
            return Some(fact);
        }
        let read = self.with_cursor(|cursor| {
            cursor.read([first, NOWHERE], &mut |row| fact = parts.fact_of(row))
        });
        Some(if read.is_ok() {
            fact
        } else {
            GameFacts::default()
        })
    }

    fn has_more_tags(&self, _: u64, _: FactFields) -> bool {
        // Any tag without a column may be in the general column.
        true
    }

    fn names(&self, table: Kind) -> u32 {
        let names = self.parts().table(table).map_or(0, JoseNameTable::count);
        u32::try_from(names).unwrap_or(u32::MAX).saturating_add(1)
    }

    fn name(&self, table: Kind, number: u32) -> Cow<'_, str> {
        let parts = self.parts();
        let name = parts
            .table(table)
            .and_then(|names| names.at(number as usize));
        name.map_or(Cow::Borrowed(""), |name| {
            Cow::Owned(parts.settings.coding.decode(name))
        })
    }
}
