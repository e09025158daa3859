//! Rescue: games from what is left of a base.
//!
//! Entries of the index that are whole are believed. Where the index is missing, cut, or points beside the game file,
//! the parts of the game file that no entry covers are searched for records: a record is what can be read to
//! its end with legal moves only.

use std::io;
use std::path::Path;

use tabiya_model::{Database, Diagnostics, Game, Place, Result, Severity, Want};

use super::codes;
use super::error::ScidError;
use super::files::{Files, GamesFile};
use super::layout::{BLOCK, Entry, GAMES_MAGIC, Header, MAX_RECORD, Version};
use super::reader::{Remains, ScidBase};
use super::record::{ExtraTags, RecordReader, TagName};
use super::text::TextReader;
use crate::format::OpenOptions;
use tabiya_io::companions;
use tabiya_io::mmap::{Access, Bytes};

/// How often a byte may be looked at before the search gets coarser.
const PATIENCE: u64 = 64;
/// The number of a name that no name file has.
const NO_NAME: u32 = (1 << 28) - 1;

/// Opens what is left of a base.
pub fn salvage(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(open(path, options)?))
}

fn open(path: &Path, options: &OpenOptions) -> Result<ScidBase> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let named = Version::of_extension(&extension).ok_or(ScidError::Extension)?;
    let [index, games, names] = named.extensions();
    let find = |wanted: &str| {
        if extension.eq_ignore_ascii_case(wanted) {
            return Ok(path.to_path_buf());
        }
        let found = companions::find_optional(path, wanted)?;
        Ok::<_, companions::Error>(found.unwrap_or_else(|| path.with_extension(wanted)))
    };
    let files = Files {
        index: find(index).map_err(ScidError::from)?,
        games: find(games).map_err(ScidError::from)?,
        names: find(names).map_err(ScidError::from)?,
    };
    let mut found = Diagnostics::default();
    let access = if options.mmap {
        Access::Map
    } else {
        Access::Read
    };
    let mut read = |path: &Path| -> Bytes {
        match Bytes::open(path, access) {
            Ok(bytes) => bytes,
            Err(error) => {
                missing(path, &error, &mut found);
                Bytes::from(Vec::new())
            }
        }
    };
    let index = read(&files.index);
    let games = read(&files.games);
    let header = Header::decode(&index);
    let version = match (&header, named) {
        (_, Version::Si5) => Version::Si5,
        (Some(header), _) if header.version < 400 => Version::Si3,
        (Some(_), _) => Version::Si4,
        (None, named) => named,
    };
    let mut entries = entries(version, &index);
    let is_whole = is_whole(version, &index, header.as_ref(), entries.len());
    let size = games.len() as u64;
    let valid = |entry: &Entry| {
        entry.length > 0 && entry.offset.saturating_add(u64::from(entry.length)) <= size
    };
    let rescued_from = entries.len() as u64 + 1;
    if !is_whole || !entries.iter().all(valid) {
        let name = files.index.display().to_string();
        let mut spans: Vec<(u64, u64)> = entries
            .iter()
            .filter(|entry| valid(entry))
            .map(|entry| (entry.offset, entry.offset + u64::from(entry.length)))
            .collect();
        spans.sort_unstable();
        let mut search = Search::new(version, &games, options);
        let mut at = if games.starts_with(GAMES_MAGIC) {
            10
        } else {
            0
        };
        for (start, end) in spans.into_iter().chain([(size, size)]) {
            if start > at {
                search.range(at, start, &mut entries);
            }
            at = at.max(end);
        }
        let count = entries.len() as u64 + 1 - rescued_from;
        found.report(
            &codes::FEWER_ENTRIES,
            || Place::default().in_file(name),
            || {
                format!(
                    "{} games of the index, {count} found without it",
                    rescued_from - 1
                )
            },
        );
    }
    let remains = Remains {
        version,
        files,
        header,
        entries,
        rescued_from,
        games: GamesFile::Mapped(games),
        diagnostics: found,
    };
    Ok(ScidBase::from_remains(remains, options))
}

fn missing(path: &Path, error: &io::Error, found: &mut Diagnostics) {
    found.report(
        &codes::MISSING_FILE,
        || Place::default().in_file(path.display().to_string()),
        || error.to_string(),
    );
}

/// All whole entries, also those beyond the header's count.
fn entries(version: Version, index: &[u8]) -> Vec<Entry> {
    let rest = index.get(version.header_size()..).unwrap_or(&[]);
    rest.chunks_exact(version.entry_size())
        .filter_map(|bytes| Entry::decode(version, bytes))
        .collect()
}

/// Whether the index is as long as it says.
fn is_whole(version: Version, index: &[u8], header: Option<&Header>, count: usize) -> bool {
    let expected = version.header_size() + count * version.entry_size();
    let agrees = match header {
        Some(header) => u64::from(header.games) <= count as u64,
        None => version == Version::Si5 && count > 0,
    };
    agrees && index.len() == expected
}

/// The search for records.
struct Search<'a> {
    games: &'a [u8],
    text: TextReader,
    reader: RecordReader,
    game: Game,
    fen: Option<String>,
    block: u64,
    /// Bytes that were looked at.
    work: u64,
}

impl<'a> Search<'a> {
    fn new(version: Version, games: &'a [u8], options: &OpenOptions) -> Search<'a> {
        Search {
            games,
            text: TextReader::new(version, options, None),
            reader: RecordReader::open_ended(),
            game: Game::default(),
            fen: None,
            block: if version == Version::Si3 {
                1 << 15
            } else {
                BLOCK
            },
            work: 0,
        }
    }

    /// Adds an entry for every record between two places.
    fn range(&mut self, start: u64, end: u64, entries: &mut Vec<Entry>) {
        let mut at = start;
        // Whether a record ends here, so that the next one can be expected.
        let mut in_step = true;
        while at < end {
            // No record crosses the border of a block; padding before it looks like the start of one.
            let border = (at / self.block + 1) * self.block;
            let limit = end.min(border);
            match self.record(at, limit, in_step) {
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

    /// Reads the record at a place; the number of bytes that were looked at where there is none.
    fn record(&mut self, start: u64, end: u64, in_step: bool) -> Result<Entry, u64> {
        let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        let bytes = self.games.get(at(start)..at(end)).unwrap_or(&[]);
        let bytes = bytes.get(..MAX_RECORD).unwrap_or(bytes);
        let mut tags = ExtraTags::new(bytes);
        let sensible = tags.by_ref().all(|tag| match tag.name {
            TagName::Spelled(name) => name.iter().all(|b| b.is_ascii_graphic() || *b >= 0x80),
            TagName::Common(_) | TagName::OldEventDate => true,
            TagName::Unknown(_) => false,
        });
        let rest = tags.rest().filter(|_| sensible).ok_or(1_u64)?;
        let begin = bytes.len() - rest.len();
        // Unused bits of the flags, and null moves of both sides at once, are what zeros and other padding look like.
        let flags = rest.first().copied().ok_or(1_u64)?;
        let passes = flags & 1 == 0 && rest.get(1..3) == Some(&[0, 0]);
        if flags > 7 || (passes && !in_step) {
            return Err(begin as u64 + 1);
        }
        self.game.clear();
        let seen = self.reader.read(
            bytes,
            begin,
            start,
            &self.text,
            Want::ALL,
            &mut self.fen,
            &mut self.game,
        );
        if seen.damaged || self.game.diagnostics.at_least(Severity::Warning) > 0 {
            return Err(seen.end as u64);
        }
        let mut entry = Entry {
            length: u32::try_from(seen.end).unwrap_or(u32::MAX),
            white: NO_NAME,
            black: NO_NAME,
            event: NO_NAME,
            site: NO_NAME,
            round: NO_NAME,
            ..Entry::default()
        };
        if seen.flags & super::record::flags::FEN != 0 {
            entry.flags |= super::layout::flag::SETUP;
        }
        super::encode::Derived::of(&self.game).apply(&mut entry);
        Ok(entry)
    }
}
