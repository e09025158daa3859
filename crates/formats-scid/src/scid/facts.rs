//! Facts of the index, unchanged.

use std::borrow::Cow;

use tabiya_model::facts::{FactFields, FactSource, FactsOverview, GameFacts, MoveFacts, NameTable};
use tabiya_model::outcome::Outcome;

use super::layout::{ScidNameKind, ScidVersion, flag};
use super::reader::ScidReader;
use super::stored_lines::LINES;

fn kind_of(table: NameTable) -> ScidNameKind {
    match table {
        NameTable::Players => ScidNameKind::Player,
        NameTable::Events => ScidNameKind::Event,
        NameTable::Sites => ScidNameKind::Site,
        NameTable::Rounds => ScidNameKind::Round,
    }
}

impl FactSource for ScidReader {
    fn len(&self) -> u64 {
        self.count()
    }

    #[inline]
    fn fact(&self, number: u64, _: FactFields) -> Option<GameFacts> {
        let entry = self.entry(number)?;
        let setup = entry.has(flag::SETUP);
        // The index counts modulo 1024, and old programs wrote 0 for custom starting positions, or another number; a record
        // that is short enough has no room for more plies than the index has.
        let exact = entry.length < 1024 && !setup;
        let elo = |rating: u16, kind: u8| if kind == 0 { rating } else { 0 };
        Some(GameFacts {
            unsaid: FactFields::NONE,
            odd: FactFields::NONE,
            players: [entry.white, entry.black],
            event: entry.event,
            site: entry.site,
            round: entry.round,
            ratings: [entry.white_rating, entry.black_rating],
            elos: [
                elo(entry.white_rating, entry.white_rating_kind),
                elo(entry.black_rating, entry.black_rating_kind),
            ],
            date: entry.date(),
            event_date: entry.event_date(),
            outcome: Outcome::from_scid(entry.outcome),
            eco: entry.eco,
            plies: exact.then_some(u32::from(entry.plies)),
            flags: entry.flags,
            comments: entry.comments != 0,
            variations: entry.variations != 0,
            nags: entry.nags != 0,
            // Old programs did not limit the counts of si3's final material.
            moves: (!setup && !entry.chess960 && self.version() != ScidVersion::Si3).then(|| {
                MoveFacts {
                    material: entry.material,
                    home_pawns: u64::from_be_bytes(entry.home),
                    home_count: entry.home_count,
                    stored_line: entry.stored_line,
                }
            }),
        })
    }

    fn has_more_tags(&self, number: u64, of: FactFields) -> bool {
        self.more_tags(number).meets(of)
    }

    fn spells_otherwise(&self, number: u64, of: FactFields) -> bool {
        // If a text exceeds its field, it is a tag of the record, which replaces the field.
        self.more_tags(number).meets(of)
    }

    fn names(&self, table: NameTable) -> u32 {
        u32::try_from(ScidReader::names(self).len(kind_of(table))).unwrap_or(u32::MAX)
    }

    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str> {
        self.name_text(kind_of(table), number)
    }

    fn stored_lines(&self) -> &'static [&'static str] {
        &LINES
    }

    fn overview(&self) -> Option<FactsOverview> {
        Some(self.index_overview())
    }
}
