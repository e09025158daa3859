//! Entries of the index, compared with the records that they refer to.

use std::collections::HashMap;

use tabiya_model::{Game, GameNeeds};

use super::super::encode::ScidDerivedFields;
use super::super::layout::{ScidEntry, ScidVersion, flag};
use super::super::record::{ScidExtraTags, ScidRecordReader, flags};
use super::super::text::ScidTextReader;
use tabiya_codec::format::OpenOptions;

/// The result of comparing an entry with its record.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum ScidEntryVerdict {
    /// The record is complete, and the entry describes it correctly.
    Fits,
    /// The record is complete, but the entry describes another game, or comes from a program that made errors in it.
    Differs,
    /// There is no complete record.
    Fails,
}

/// The entries with their verdicts.
pub(super) struct ScidSalvageEntries {
    entries: Vec<(ScidEntry, ScidEntryVerdict)>,
    /// The end of each accepted entry's record.
    ends: Vec<u64>,
    /// Most entries do not match: they belong to another database.
    is_foreign: bool,
    size: u64,
}

/// The result of combining entries and records.
pub(super) struct ScidSalvageResult {
    /// The entries, in order.
    pub(super) entries: Vec<ScidEntry>,
    /// Records without an entry.
    pub(super) rest: Vec<ScidEntry>,
    /// Entries whose records were found elsewhere.
    pub(super) moved: u64,
    /// Entries in whose places other games were found.
    pub(super) left_out: u64,
}

/// What both the entry and the record contain about a game.
type ScidGameSignature = (u32, u16, u32, u8, [u8; 8], bool);

fn signature(entry: &ScidEntry) -> ScidGameSignature {
    (
        entry.length,
        entry.plies,
        entry.material,
        entry.home_count,
        entry.home,
        entry.has(flag::SETUP),
    )
}

/// From this number of plies on, no two games of a database share their signature at random.
const TELLING: u16 = 12;

impl ScidSalvageEntries {
    /// Reads the records of all entries, on all available threads.
    pub(super) fn of(
        version: ScidVersion,
        entries: Vec<ScidEntry>,
        games: &[u8],
        options: &OpenOptions,
    ) -> ScidSalvageEntries {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let each = entries.len().div_ceil(threads).max(1);
        let judge = |part: &[ScidEntry]| {
            let mut judge = ScidEntryChecker::new(version, games, options);
            part.iter()
                .map(|entry| judge.check(entry))
                .collect::<Vec<_>>()
        };
        let verdicts: Vec<(ScidEntryVerdict, u64)> = std::thread::scope(|scope| {
            let parts: Vec<_> = entries
                .chunks(each)
                .map(|part| scope.spawn(move || judge(part)))
                .collect();
            let parts = parts.into_iter().map(|part| match part.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            parts.flatten().collect()
        });
        let count = |wanted| {
            verdicts
                .iter()
                .filter(|(verdict, _)| *verdict == wanted)
                .count()
        };
        // If half of them fail, entries that only differ do not come from an old program.
        let fail = count(ScidEntryVerdict::Fails);
        let is_foreign = fail > 0 && 2 * (fail + count(ScidEntryVerdict::Differs)) > entries.len();
        let (verdicts, ends): (Vec<_>, Vec<_>) = verdicts
            .into_iter()
            .map(|(verdict, end)| match verdict {
                ScidEntryVerdict::Differs if is_foreign => (ScidEntryVerdict::Fails, 0),
                verdict => (verdict, end),
            })
            .unzip();
        ScidSalvageEntries {
            entries: entries.into_iter().zip(verdicts).collect(),
            ends,
            is_foreign,
            size: games.len() as u64,
        }
    }

    /// Whether every entry has a record.
    pub(super) fn all_fit(&self) -> bool {
        self.entries
            .iter()
            .all(|(_, verdict)| *verdict != ScidEntryVerdict::Fails)
    }

    /// The places of the accepted entries' records, sorted.
    pub(super) fn covered(&self) -> Vec<(u64, u64)> {
        let mut spans: Vec<(u64, u64)> = self
            .entries
            .iter()
            .zip(&self.ends)
            .filter(|((_, verdict), _)| *verdict != ScidEntryVerdict::Fails)
            .map(|((entry, _), end)| (entry.offset, *end))
            .collect();
        spans.sort_unstable();
        spans
    }

    /// Assigns found records to the entries that describe them.
    pub(super) fn join(self, records: Vec<ScidEntry>, is_whole: bool) -> ScidSalvageResult {
        let covered = self.covered();
        let last = covered.iter().map(|(_, end)| *end).max().unwrap_or(0);
        let failing: Vec<(u64, u64)> = self
            .entries
            .iter()
            .filter(|(_, verdict)| *verdict == ScidEntryVerdict::Fails)
            .map(|(entry, _)| {
                let end = entry.offset.saturating_add(u64::from(entry.length));
                (entry.offset, end)
            })
            .collect();
        let failing = merged(failing);
        let ScidSalvageEntries {
            mut entries,
            is_foreign,
            size,
            ..
        } = self;
        // Entries without a record, the first of each signature last.
        let mut waiting: HashMap<ScidGameSignature, Vec<usize>> = HashMap::new();
        for (index, (entry, verdict)) in entries.iter().enumerate().rev() {
            if *verdict == ScidEntryVerdict::Fails {
                waiting.entry(signature(entry)).or_default().push(index);
            }
        }
        let (mut rest, mut moved) = (Vec::new(), 0);
        // The distance of the previous record from the offset in its entry.
        let mut shift: Option<i128> = None;
        let mut places: Vec<(u64, u64)> = covered;
        for record in records {
            places.push((record.offset, record.offset + u64::from(record.length)));
            let by = |index: usize| {
                let (entry, _) = entries.get(index)?;
                Some(i128::from(record.offset) - i128::from(entry.offset))
            };
            let list = waiting.get_mut(&signature(&record));
            let taken = list.and_then(|list| {
                // A record at the same distance as the previous one is the best; otherwise the first one, if the signature
                // is long enough.
                let same = list.iter().rposition(|index| by(*index) == shift);
                match same {
                    Some(at) if shift.is_some() => Some(list.remove(at)),
                    _ if record.plies >= TELLING => list.pop(),
                    _ => None,
                }
            });
            match taken {
                Some(index) => {
                    shift = by(index);
                    if let Some((entry, verdict)) = entries.get_mut(index) {
                        entry.offset = record.offset;
                        *verdict = ScidEntryVerdict::Fits;
                        moved += 1;
                    }
                }
                None => rest.push(record),
            }
        }
        if is_whole && moved == 0 && !is_foreign {
            // Records between those of an intact index are old versions of games.
            rest.retain(|record| {
                let end = record.offset + u64::from(record.length);
                record.offset >= last || overlaps(&failing, record.offset, end)
            });
        }
        if !is_foreign {
            give_remains(&mut entries, &mut rest);
        }
        let places = merged(places);
        let mut left_out = 0;
        entries.retain(|(entry, verdict)| {
            let end = entry.offset.saturating_add(u64::from(entry.length));
            let keeps = *verdict != ScidEntryVerdict::Fails
                // Another game is there.
                || !(overlaps(&places, entry.offset, end)
                    || (is_foreign && (entry.offset >= size || entry.length == 0)));
            left_out += u64::from(!keeps);
            keeps
        });
        ScidSalvageResult {
            entries: entries.into_iter().map(|(entry, _)| entry).collect(),
            rest,
            moved,
            left_out,
        }
    }
}

/// Assigns the bytes found at the offset of an entry to that entry: it has players and result, and the bytes are the rest of
/// the game, such as the last one before the place where a file was truncated.
fn give_remains(entries: &mut [(ScidEntry, ScidEntryVerdict)], rest: &mut Vec<ScidEntry>) {
    let mut failing: HashMap<u64, usize> = HashMap::new();
    for (index, (entry, verdict)) in entries.iter().enumerate() {
        if *verdict == ScidEntryVerdict::Fails && entry.length > 0 {
            failing.entry(entry.offset).or_insert(index);
        }
    }
    rest.retain(|record| {
        let index = failing.remove(&record.offset);
        let Some((entry, verdict)) = index.and_then(|index| entries.get_mut(index)) else {
            return true;
        };
        entry.length = entry.length.max(record.length);
        *verdict = ScidEntryVerdict::Fits;
        false
    });
}

/// The same bytes as spans that are sorted and disjoint.
fn merged(mut spans: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    spans.sort_unstable();
    let mut apart: Vec<(u64, u64)> = Vec::new();
    for (start, end) in spans {
        match apart.last_mut() {
            Some((_, last)) if start < *last => *last = end.max(*last),
            _ => apart.push((start, end)),
        }
    }
    apart
}

/// Whether one of some merged spans overlaps another span.
fn overlaps(spans: &[(u64, u64)], start: u64, end: u64) -> bool {
    let at = spans.partition_point(|(begin, _)| *begin < end);
    let before = at.checked_sub(1).and_then(|at| spans.get(at));
    before.is_some_and(|(_, stop)| *stop > start)
}

/// Reads the records of entries on one thread.
struct ScidEntryChecker<'a> {
    games: &'a [u8],
    text: ScidTextReader,
    reader: ScidRecordReader,
    game: Game,
    fen: Option<String>,
}

impl<'a> ScidEntryChecker<'a> {
    fn new(version: ScidVersion, games: &'a [u8], options: &OpenOptions) -> ScidEntryChecker<'a> {
        ScidEntryChecker {
            games,
            text: ScidTextReader::new(version, options, None),
            reader: ScidRecordReader::default(),
            game: Game::default(),
            fen: None,
        }
    }

    /// The verdict on an entry, and the end of its record.
    fn check(&mut self, entry: &ScidEntry) -> (ScidEntryVerdict, u64) {
        let fails = (ScidEntryVerdict::Fails, 0);
        let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        let end = entry.offset.saturating_add(u64::from(entry.length));
        let Some(record) = self.games.get(at(entry.offset)..at(end)) else {
            return fails;
        };
        let mut tags = ScidExtraTags::new(record);
        tags.by_ref().for_each(drop);
        let Some(rest) = tags.rest() else {
            return fails;
        };
        self.game.clear();
        let begin = record.len() - rest.len();
        let seen = self.reader.read(
            record,
            begin,
            entry.offset,
            &self.text,
            GameNeeds::ALL,
            &mut self.fen,
            &mut self.game,
        );
        if seen.damaged {
            return fails;
        }
        let mut right = *entry;
        ScidDerivedFields::of(&self.game).apply(&mut right);
        let setup = seen.flags & flags::FEN != 0;
        let is_right = signature(&right) == signature(entry) && entry.has(flag::SETUP) == setup;
        let verdict = if is_right {
            ScidEntryVerdict::Fits
        } else {
            ScidEntryVerdict::Differs
        };
        (verdict, entry.offset.saturating_add(seen.end as u64))
    }
}
