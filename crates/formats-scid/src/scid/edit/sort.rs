//! The order of games, by their index entries.

use std::collections::{BTreeSet, HashMap};

use tabiya_model::outcome::Outcome;
use tabiya_model::sort_order::{SortField, SortKey, SortValue, numbers, of_outcome};

use super::super::layout::{ScidEntry, ScidNameKind};

/// The names of a database, each kind sorted once, so that games are compared by numbers alone.
pub(super) struct ScidNameRanks(Vec<((ScidNameKind, bool), HashMap<u32, i64>)>);

impl ScidNameRanks {
    /// Sorts the names that the keys need; `name` returns a name by its number.
    pub(super) fn new<'n>(
        keys: &[SortKey],
        entries: &[ScidEntry],
        name: impl Fn(ScidNameKind, u32) -> &'n [u8],
    ) -> ScidNameRanks {
        let mut ranks = ScidNameRanks(Vec::new());
        for (kind, black) in keys.iter().filter_map(|key| name_of(key.field)) {
            let used: BTreeSet<u32> = entries
                .iter()
                .map(|entry| entry.name(kind, black))
                .collect();
            let known = |number: &u32| !matches!(name(kind, *number), b"" | b"?" | b"-");
            let mut keyed: Vec<_> = used
                .into_iter()
                .filter(known)
                .map(|number| {
                    let text = name(kind, number);
                    let folded = String::from_utf8_lossy(text).to_lowercase();
                    let round = match kind {
                        ScidNameKind::Round => numbers(text),
                        _ => Vec::new(),
                    };
                    (round, folded, text, number)
                })
                .collect();
            keyed.sort_unstable();
            let ranked = (0..).zip(keyed).map(|(rank, (.., number))| (number, rank));
            ranks.0.push(((kind, black), ranked.collect()));
        }
        ranks
    }

    /// The value of a game for a key.
    pub(super) fn value(&self, key: &SortKey, number: u64, entry: &ScidEntry) -> SortValue {
        let positive = |number: u32| match number {
            0 => SortValue::Missing,
            number => SortValue::Number(i64::from(number)),
        };
        // The nine bits below the year hold month and day.
        let date = |date: u32| positive(if date >> 9 == 0 { 0 } else { date });
        if let Some(field @ (kind, black)) = name_of(key.field) {
            let ranks = self.0.iter().find(|(known, _)| *known == field);
            let rank = ranks.and_then(|(_, ranks)| ranks.get(&entry.name(kind, black)));
            return rank.map_or(SortValue::Missing, |rank| SortValue::Number(*rank));
        }
        let [white, black] = [entry.white_rating, entry.black_rating].map(u32::from);
        match key.field {
            SortField::Number => SortValue::Number(i64::try_from(number).unwrap_or(i64::MAX)),
            SortField::Date => date(entry.date),
            SortField::EventDate => date(entry.event_date),
            SortField::Result => of_outcome(Outcome::from_scid(entry.outcome)),
            SortField::WhiteElo => positive(white),
            SortField::BlackElo => positive(black),
            SortField::Elo if white > 0 && black > 0 => positive(white + black),
            SortField::Eco => positive(u32::from(entry.eco)),
            SortField::Plies => SortValue::Number(i64::from(entry.plies)),
            _ => SortValue::Missing,
        }
    }
}

/// The kind of name of a field, and whether it is Black's.
fn name_of(field: SortField) -> Option<(ScidNameKind, bool)> {
    Some(match field {
        SortField::White => (ScidNameKind::Player, false),
        SortField::Black => (ScidNameKind::Player, true),
        SortField::Event => (ScidNameKind::Event, false),
        SortField::Site => (ScidNameKind::Site, false),
        SortField::Round => (ScidNameKind::Round, false),
        _ => return None,
    })
}
