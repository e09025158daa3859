//! The fields given by the extra tags of a game.
//!
//! Extra tags are in the records. Sorting or searching by Elo needs them for every game whose entry has no rating, and
//! reading the file for each of them would be slow: so a whole run of games is read at once, in long pieces, and the result
//! is kept.

use std::ops::Range;
use std::sync::OnceLock;

use tabiya_model::facts::FactFields;

use super::files::ScidGameFile;
use super::layout::ScidEntry;
use super::record::{ScidExtraTag, ScidExtraTags, ScidTagName};

/// The number of games in a run.
const RUN: u64 = 512;
/// The number of bytes that are read at once, unless one record has more.
const PIECE: u64 = 1 << 20;
/// A gap between two records up to this number of bytes is read rather than skipped.
const GAP: u64 = 1 << 12;

/// The results of runs of games.
#[derive(Debug, Default)]
pub(super) struct ScidExtraTagFields {
    runs: OnceLock<Vec<OnceLock<Box<[FactFields]>>>>,
}

impl ScidExtraTagFields {
    /// The fields given by a game's extra tags; all, if only reading the game can show that.
    pub(super) fn of(
        &self,
        number: u64,
        count: u64,
        games: &ScidGameFile,
        entry: impl Fn(u64) -> Option<ScidEntry>,
    ) -> FactFields {
        if let ScidGameFile::Mapped(_) = games {
            let Some(entry) = entry(number) else {
                return FactFields::NONE;
            };
            let mut buffer = Vec::new();
            let record = games.get(entry.offset, entry.length, &mut buffer);
            return record.map_or(FactFields::ALL, fields_of_record);
        }
        let run = number.saturating_sub(1) / RUN;
        let at = number.saturating_sub(1) % RUN;
        let runs =
            (self.runs).get_or_init(|| (0..count.div_ceil(RUN)).map(|_| OnceLock::new()).collect());
        let Some(told) = usize::try_from(run).ok().and_then(|run| runs.get(run)) else {
            return FactFields::NONE;
        };
        let first = run * RUN + 1;
        let told = told.get_or_init(|| read_run(first..(first + RUN).min(count + 1), games, entry));
        // In most runs, no game has any of them, and nothing is kept.
        told.get(at as usize).copied().unwrap_or(FactFields::NONE)
    }
}

/// A record to be asked.
struct ScidRecordSpan {
    bytes: Range<u64>,
    /// The place of its game in the run.
    at: usize,
}

/// Reads a run of games; empty if none of them gives any field.
fn read_run(
    numbers: Range<u64>,
    games: &ScidGameFile,
    entry: impl Fn(u64) -> Option<ScidEntry>,
) -> Box<[FactFields]> {
    let mut told = vec![FactFields::NONE; (numbers.end - numbers.start) as usize];
    let mut records: Vec<ScidRecordSpan> = (numbers.zip(0..))
        .filter_map(|(number, at)| {
            let ScidEntry { offset, length, .. } = entry(number)?;
            let bytes = offset..offset.saturating_add(u64::from(length));
            Some(ScidRecordSpan { bytes, at })
        })
        .collect();
    records.sort_unstable_by_key(|record| record.bytes.start);
    let mut piece = Vec::new();
    let mut rest = &records[..];
    while let [first, others @ ..] = rest {
        let start = first.bytes.start;
        let mut end = first.bytes.end;
        let together = others.iter().take_while(|record| {
            let longer = end.max(record.bytes.end);
            let is_near = record.bytes.start <= end.saturating_add(GAP) && longer - start <= PIECE;
            if is_near {
                end = longer;
            }
            is_near
        });
        let count = 1 + together.count();
        let read = u32::try_from(end - start)
            .is_ok_and(|length| games.copy(start, length, &mut piece).is_ok());
        let (these, later) = rest.split_at(count);
        for record in these {
            // The file may end within a record, or before it.
            let of_piece = |byte: u64| ((byte - start) as usize).min(piece.len());
            let bytes = of_piece(record.bytes.start)..of_piece(record.bytes.end);
            told[record.at] = match piece.get(bytes).filter(|_| read) {
                Some(record) => fields_of_record(record),
                None => FactFields::ALL,
            };
        }
        rest = later;
    }
    if told.iter().all(|fields| *fields == FactFields::NONE) {
        told.clear();
    }
    told.into()
}

/// The fields given by the tags of a record.
fn fields_of_record(record: &[u8]) -> FactFields {
    let of_tag = |tag: ScidExtraTag<'_>| match tag.name {
        ScidTagName::Common(name) => FactFields::of_tag(name),
        ScidTagName::Spelled(name) => {
            std::str::from_utf8(name).map_or(FactFields::NONE, FactFields::of_tag)
        }
        ScidTagName::OldEventDate => FactFields::EVENT_DATE,
        ScidTagName::Unknown(_) => FactFields::NONE,
    };
    // Many programs write an empty tag for an unknown rating, which has no meaning.
    let said = |tag: ScidExtraTag<'_>| match tag.value {
        [] => of_tag(tag).without(FactFields::RATINGS.union(FactFields::ELOS)),
        _ => of_tag(tag),
    };
    ScidExtraTags::new(record)
        .map(said)
        .fold(FactFields::NONE, FactFields::union)
}
