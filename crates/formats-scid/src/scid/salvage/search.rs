//! The search for records.

use tabiya_model::{Game, GameNeeds, Severity};

use super::super::encode::ScidDerivedFields;
use super::super::layout::{BLOCK, MAX_RECORD, ScidEntry, ScidVersion, flag};
use super::super::record::{ScidExtraTags, ScidRecordReader, ScidTagName, flags};
use super::super::text::ScidTextReader;
use tabiya_codec::format::OpenOptions;

/// How often a byte may be examined before the search gets coarser.
const PATIENCE: u64 = 64;
/// The number of a name that no name file has.
const NO_NAME: u32 = (1 << 28) - 1;
/// This many legal plies from the first position cannot be a coincidence.
const NO_CHANCE: u16 = 4;

/// Every record in the parts of the game file that are not covered. The covered spans are sorted.
pub(super) fn uncovered(
    version: ScidVersion,
    start: u64,
    covered: &[(u64, u64)],
    games: &[u8],
    options: &OpenOptions,
) -> Vec<ScidEntry> {
    let size = games.len() as u64;
    let mut search = ScidSalvageSearch::new(version, games, options);
    let mut found = Vec::new();
    let mut at = start;
    for (start, end) in covered.iter().copied().chain([(size, size)]) {
        if start > at {
            search.range(at, start, &mut found);
        }
        at = at.max(end);
    }
    found
}

/// Every record from a place on; `rest` are the bytes from there on.
pub(in super::super) fn records_from(
    version: ScidVersion,
    start: u64,
    rest: &[u8],
    options: &OpenOptions,
) -> Vec<ScidEntry> {
    let mut found = Vec::new();
    let mut search = ScidSalvageSearch::new(version, rest, options);
    search.origin = start;
    search.range(start, start.saturating_add(rest.len() as u64), &mut found);
    found
}

/// The search for records.
struct ScidSalvageSearch<'a> {
    games: &'a [u8],
    /// The offset of these bytes in the game file.
    origin: u64,
    text: ScidTextReader,
    reader: ScidRecordReader,
    game: Game,
    fen: Option<String>,
    block: u64,
    /// The number of bytes that were examined.
    work: u64,
}

impl<'a> ScidSalvageSearch<'a> {
    fn new(version: ScidVersion, games: &'a [u8], options: &OpenOptions) -> ScidSalvageSearch<'a> {
        ScidSalvageSearch {
            games,
            origin: 0,
            text: ScidTextReader::new(version, options, None),
            reader: ScidRecordReader::open_ended(),
            game: Game::default(),
            fen: None,
            block: if version == ScidVersion::Si3 {
                1 << 15
            } else {
                BLOCK
            },
            work: 0,
        }
    }

    /// Adds an entry for every record between two places.
    fn range(&mut self, start: u64, end: u64, entries: &mut Vec<ScidEntry>) {
        let mut at = start;
        // Whether a record ends here, so that the next one is expected.
        let mut in_step = true;
        while at < end {
            // No record crosses the end of a block; padding before it looks like the start of one.
            let border = (at / self.block + 1) * self.block;
            let found = self.record(at, end.min(border), in_step);
            match found {
                Ok(mut entry) => {
                    entry.offset = at;
                    at += u64::from(entry.length).max(1);
                    entries.push(entry);
                    in_step = true;
                }
                Err(looked_at) => {
                    in_step = false;
                    self.work = self.work.saturating_add(looked_at);
                    let patience = PATIENCE.saturating_mul(self.games.len() as u64);
                    at += if self.work > patience {
                        looked_at.max(1)
                    } else {
                        1
                    };
                }
            }
        }
    }

    /// Reads the record at a place; if there is none, the number of bytes that were examined.
    fn record(&mut self, start: u64, end: u64, in_step: bool) -> Result<ScidEntry, u64> {
        let at = |place: u64| usize::try_from(place - self.origin).unwrap_or(usize::MAX);
        let bytes = self.games.get(at(start)..at(end)).unwrap_or(&[]);
        let bytes = bytes.get(..MAX_RECORD).unwrap_or(bytes);
        let mut tags = ScidExtraTags::new(bytes);
        let mut has_words = false;
        let sensible = tags.by_ref().all(|tag| match tag.name {
            ScidTagName::Spelled(name) => {
                has_words |= name.len() >= 3
                    && name.first().is_some_and(u8::is_ascii_uppercase)
                    && name.iter().all(u8::is_ascii_alphanumeric);
                name.iter().all(|b| b.is_ascii_graphic() || *b >= 0x80)
            }
            ScidTagName::Common(_) => {
                has_words |= tag.value.len() >= 3 && tag.value.iter().all(u8::is_ascii_graphic);
                true
            }
            ScidTagName::OldEventDate => true,
            ScidTagName::Unknown(_) => false,
        });
        let rest = tags.rest().filter(|_| sensible).ok_or(1_u64)?;
        let begin = bytes.len() - rest.len();
        // Zeros and other padding look like flags with unused bits, or like null moves of both sides in a row.
        let flag_byte = rest.first().copied().ok_or(1_u64)?;
        let passes = flag_byte & 1 == 0 && rest.get(1..3) == Some(&[0, 0]);
        if flag_byte > 7 || (passes && !in_step) {
            return Err(begin as u64 + 1);
        }
        self.game.clear();
        let seen = self.reader.read(
            bytes,
            begin,
            start,
            &self.text,
            GameNeeds::ALL,
            &mut self.fen,
            &mut self.game,
        );
        if seen.damaged || self.game.diagnostics.at_least(Severity::Warning) > 0 {
            return Err(seen.end as u64);
        }
        let mut entry = ScidEntry {
            length: u32::try_from(seen.end).unwrap_or(u32::MAX),
            white: NO_NAME,
            black: NO_NAME,
            event: NO_NAME,
            site: NO_NAME,
            round: NO_NAME,
            ..ScidEntry::default()
        };
        if seen.flags & flags::FEN != 0 {
            entry.flags |= flag::SETUP;
        }
        ScidDerivedFields::of(&self.game).apply(&mut entry);
        // The end of a damaged record looks like a game of one or two moves.
        let says_something = has_words || seen.flags & flags::FEN != 0;
        if !in_step && !says_something && entry.plies < NO_CHANCE {
            return Err(seen.end as u64);
        }
        Ok(entry)
    }
}
