//! What the headers and lists of a database say about its games without their records.

use std::borrow::Cow;

use tabiya_model::eco::Eco;
use tabiya_model::facts::{Fact, Facts, Fields, NameTable, SETUP};

use super::reader::Reader;
use super::record::find_setup;
use super::tags::date_of;
use super::text::{Names, verdict};

impl Facts for Reader {
    fn len(&self) -> u64 {
        self.count()
    }

    fn fact(&self, number: u64, wanted: Fields) -> Option<Fact> {
        if number == 0 || number > self.count() {
            return None;
        }
        let (Some(header), Some(at)) = (self.header(number), self.address(number)) else {
            // Reading says what is missing.
            return Some(Fact::default());
        };
        let lists = &self.lists;
        // Number 0 is what games without such a name have; another that nobody has is damage.
        let known = |names: &Names, id: u32| id == 0 || names.get(id).is_some();
        let sound = known(&lists.players, header.white)
            && known(&lists.players, header.black)
            && known(&lists.events, header.event)
            && known(&lists.places, header.site);
        if !sound {
            return Some(Fact::default());
        }
        let mut fact = Fact {
            unsaid: UNSAID,
            players: [header.white, header.black],
            event: header.event,
            site: header.site,
            round: u32::from(header.round / 2),
            ratings: [header.white_elo, header.black_elo],
            elos: [header.white_elo, header.black_elo],
            date: date_of(header.date),
            outcome: verdict(header.outcome).outcome,
            ..Fact::default()
        };
        if header.eco != 0 || lists.is_a00(header.game) {
            match Eco::from_index(header.eco).map(Eco::to_scid) {
                Some(eco) => fact.eco = eco,
                None => fact.unsaid = fact.unsaid.union(Fields::ECO),
            }
        }
        if wanted.meets(Fields::FLAGS) {
            match self.record(at) {
                Some((_, record)) if find_setup(record).is_some() => fact.flags = SETUP,
                Some(_) => {}
                None => return Some(Fact::default()),
            }
        }
        Some(fact)
    }

    fn has_more_tags(&self, _: u64, _: Fields) -> bool {
        // A field that is empty may stand for a tag that says nothing.
        true
    }

    fn names(&self, table: NameTable) -> u32 {
        let lists = &self.lists;
        let names = match table {
            NameTable::Players => &lists.players,
            NameTable::Events => &lists.events,
            NameTable::Sites => &lists.places,
            // Rounds are numbers of a byte, of which a half is used.
            NameTable::Rounds => return u32::from(u8::MAX),
        };
        // Number 0 is what games without such a name have, where the list is gone too.
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

/// What the headers do not say.
const UNSAID: Fields = Fields::EVENT_DATE
    .union(Fields::PLIES)
    .union(Fields::ANNOTATIONS)
    .union(Fields::MOVES);
