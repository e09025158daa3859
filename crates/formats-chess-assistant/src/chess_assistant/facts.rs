//! Facts of the games in the headers and lists of a database, without their records.

use std::borrow::Cow;

use tabiya_model::eco::EcoCode;
use tabiya_model::facts::{FactFields, FactSource, GameFacts, NameTable, SETUP};

use super::reader::CaReader;
use super::record::find_setup;
use super::tags::date_of;
use super::text::{CaNameList, decode_outcome};

impl FactSource for CaReader {
    fn len(&self) -> u64 {
        self.count()
    }

    fn fact(&self, number: u64, wanted: FactFields) -> Option<GameFacts> {
        if number == 0 || number > self.count() {
            return None;
        }
        let (Some(header), Some(at)) = (self.header(number), self.address(number)) else {
            // Reading the game reports what is missing.
            return Some(GameFacts::default());
        };
        let lists = &self.lists;
        // Games without such a name have number 0; any other number without a name is damage.
        let known = |names: &CaNameList, id: u32| id == 0 || names.get(id).is_some();
        let sound = known(&lists.players, header.white)
            && known(&lists.players, header.black)
            && known(&lists.events, header.event)
            && known(&lists.places, header.site);
        if !sound {
            return Some(GameFacts::default());
        }
        let mut fact = GameFacts {
            unsaid: UNSAID,
            players: [header.white, header.black],
            event: header.event,
            site: header.site,
            round: u32::from(header.round / 2),
            ratings: [header.white_elo, header.black_elo],
            elos: [header.white_elo, header.black_elo],
            date: date_of(header.date),
            outcome: decode_outcome(header.outcome).outcome,
            ..GameFacts::default()
        };
        if header.eco != 0 || lists.is_a00(header.game) {
            match EcoCode::from_index(header.eco).map(EcoCode::to_scid) {
                Some(eco) => fact.eco = eco,
                None => fact.unsaid = fact.unsaid.union(FactFields::ECO),
            }
        }
        if wanted.meets(FactFields::FLAGS) {
            match self.record(at) {
                Some((_, record)) if find_setup(record).is_some() => fact.flags = SETUP,
                Some(_) => {}
                None => return Some(GameFacts::default()),
            }
        }
        Some(fact)
    }

    fn has_more_tags(&self, _: u64, _: FactFields) -> bool {
        // An empty field may represent a tag with an unknown value.
        true
    }

    fn names(&self, table: NameTable) -> u32 {
        let lists = &self.lists;
        let names = match table {
            NameTable::Players => &lists.players,
            NameTable::Events => &lists.events,
            NameTable::Sites => &lists.places,
            // Rounds are one-byte numbers, of which half are used.
            NameTable::Rounds => return u32::from(u8::MAX),
        };
        // Games without such a name have number 0, even if the list is missing.
        u32::try_from(names.len()).unwrap_or(u32::MAX).max(1)
    }

    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str> {
        let lists = &self.lists;
        let names = match table {
            NameTable::Players => &lists.players,
            NameTable::Events => &lists.events,
            NameTable::Sites => &lists.places,
            NameTable::Rounds if number == 0 => return Cow::Borrowed("?"),
            NameTable::Rounds => return Cow::Owned(number.to_string()),
        };
        match names.get(number) {
            Some((name, _)) if !name.is_empty() => {
                Cow::Owned(self.rules.charset.decode(name).into_owned())
            }
            _ => Cow::Borrowed("?"),
        }
    }
}

/// Fields that the headers do not have.
const UNSAID: FactFields = FactFields::EVENT_DATE
    .union(FactFields::PLIES)
    .union(FactFields::ANNOTATIONS)
    .union(FactFields::MOVES);
