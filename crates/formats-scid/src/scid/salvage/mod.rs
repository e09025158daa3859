//! Recovery of games from a damaged database.
//!
//! Every entry of the index is compared with its record. Matching entries are accepted. The parts of the game file that
//! no such entry covers are searched for records: a record is a run of bytes that can be read to its end with legal
//! moves only. A found record belongs to the entry that describes the same game at another offset, if there is one: so
//! the names are restored after bytes were inserted into the game file, or removed from it. Entries without a matching
//! record stay, with the readable part of their games, unless the search has found other games in their places: those
//! were entries of another database.

mod entries;
pub(super) mod search;

use std::io;
use std::path::{Path, PathBuf};

use tabiya_model::{Database, Diagnostics, Location, Result};

use self::entries::{ScidSalvageEntries, ScidSalvageResult};
use super::codes;
use super::error::ScidError;
use super::files::{ScidFiles, ScidGameFile};
use super::layout::{GAMES_MAGIC, ScidEntry, ScidVersion, Si4Header};
use super::reader::{ScidReader, ScidSalvageParts};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::missing_parts::{
    ANNOTATIONS_GONE, HEADERS_GONE, INDEX_GONE, MOVES_GONE, MissingParts, NAMES_GONE,
};
use tabiya_io::companions;
use tabiya_io::mmap::FileBytes;

/// Opens the rest of a damaged database.
pub fn salvage(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(open(path, options)?))
}

/// The files of a database, some of which may be missing.
fn find(path: &Path) -> Result<(ScidVersion, ScidFiles), ScidError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let named = ScidVersion::of_extension(&extension).ok_or(ScidError::Extension)?;
    let find = |wanted: &str| {
        if extension.eq_ignore_ascii_case(wanted) {
            return Ok(path.to_path_buf());
        }
        let found = companions::find_optional(path, wanted)?;
        Ok::<PathBuf, companions::CompanionError>(
            found.unwrap_or_else(|| path.with_extension(wanted)),
        )
    };
    let [index, games, names] = named.extensions();
    let files = ScidFiles {
        index: find(index)?,
        games: find(games)?,
        names: find(names)?,
    };
    Ok((named, files))
}

fn open(path: &Path, options: &OpenOptions) -> Result<ScidReader> {
    let (named, files) = find(path)?;
    let mut found = Diagnostics::default();
    let mut claims = MissingParts::default();
    let access = options.access();
    let mut read = |path: &Path, what: &str| -> FileBytes {
        match FileBytes::open(path, access) {
            Ok(bytes) => bytes,
            Err(error) => {
                missing(path, &error, what, &mut found);
                FileBytes::from(Vec::new())
            }
        }
    };
    let index = read(
        &files.index,
        "names, dates, results, ratings and flags of all games are lost with it",
    );
    let games = read(
        &files.games,
        "moves, comments and extra tags of all games are lost with it",
    );
    let names = tabiya_io::regular_file::open(&files.names);
    if let Err(error) = &names {
        let what = "players, events, sites and rounds of all games are lost with it";
        missing(&files.names, error, what, &mut found);
        claims.lose(&NAMES_GONE, empty_or_missing(&files.names));
    }
    let header = Si4Header::decode(&index);
    let version = match (&header, named) {
        (_, ScidVersion::Si5) => ScidVersion::Si5,
        (Some(header), _) if header.version < 400 => ScidVersion::Si3,
        (Some(_), _) => ScidVersion::Si4,
        (None, named) => named,
    };
    let entries = all_entries(version, &index);
    let beside = beside_zeros(version, &index);
    if !beside.is_empty() {
        found.report(
            &codes::BESIDE_ZEROS,
            || Location::default().in_file(files.index.display().to_string()),
            || {
                let numbers: Vec<String> = beside.iter().map(u64::to_string).collect();
                let numbers = numbers.join(", ");
                format!("zeros extend into the entries of the games {numbers}: names, ratings, dates and results may be wrong")
            },
        );
    }
    let is_whole = is_whole(version, &index, header.as_ref(), entries.len());
    if header.is_none() && (version != ScidVersion::Si5 || entries.is_empty()) {
        claims.lose(&INDEX_GONE, empty_or_missing(&files.index));
    }
    let (entries, rescued_from) = if games.is_empty() {
        let count = entries.len() as u64;
        if count > 0 {
            claims.lose(&MOVES_GONE, empty_or_missing(&files.games));
            claims.lose(&ANNOTATIONS_GONE, empty_or_missing(&files.games));
        }
        (entries, count + 1)
    } else {
        let claimed = header.as_ref().map(|header| u64::from(header.games));
        put_together(
            version, entries, &games, is_whole, claimed, &files, options, &mut found,
        )
    };
    if let Some(header) = &header {
        let claimed = u64::from(header.games);
        claims.games("the header of the index", claimed, entries.len() as u64);
    }
    let rescued = (entries.len() as u64 + 1).saturating_sub(rescued_from);
    if rescued > 0 {
        let what = match rescued {
            1 => "1 game was found without an index entry".to_owned(),
            _ => format!("{rescued} games were found without an index entry"),
        };
        claims.lose(&HEADERS_GONE, what);
    }
    let remains = ScidSalvageParts {
        version,
        files,
        header,
        entries,
        rescued_from,
        games: ScidGameFile::Mapped(games),
        names: names.map_err(|error| error.to_string()),
        diagnostics: found,
        claims,
    };
    Ok(ScidReader::from_remains(remains, options))
}

fn empty_or_missing(path: &Path) -> String {
    format!("{} is empty or missing", path.display())
}

fn missing(path: &Path, error: &io::Error, what: &str, found: &mut Diagnostics) {
    found.report(
        &codes::MISSING_FILE,
        || Location::default().in_file(path.display().to_string()),
        || format!("{error}: {what}"),
    );
}

/// All complete entries, including those beyond the header's count.
fn all_entries(version: ScidVersion, index: &[u8]) -> Vec<ScidEntry> {
    let rest = index.get(version.header_size()..).unwrap_or(&[]);
    rest.chunks_exact(version.entry_size())
        .filter_map(|bytes| ScidEntry::decode(version, bytes))
        .collect()
}

/// The numbers of entries that are partly zeros which also fill the whole previous or next entry; no program leaves such
/// entries.
fn beside_zeros(version: ScidVersion, index: &[u8]) -> Vec<u64> {
    let rest = index.get(version.header_size()..).unwrap_or(&[]);
    let all: Vec<&[u8]> = rest.chunks_exact(version.entry_size()).collect();
    let is_zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
    let is_gone = |at: Option<usize>| at.and_then(|at| all.get(at)).is_some_and(|it| is_zero(it));
    let begins = |bytes: &[u8]| bytes.get(..FEW_ZEROS).is_some_and(is_zero);
    let ends = |bytes: &[u8]| {
        let Some(entry) = ScidEntry::decode(version, bytes) else {
            return false;
        };
        // Each pawn is listed once, so no byte of the list, which holds two pawns, is zero.
        let listed = usize::from(entry.home_count.min(16)) / 2;
        let home = entry.home.get(..listed).unwrap_or_default();
        let end = bytes.len().saturating_sub(entry.home.len() + FEW_ZEROS / 2);
        home.contains(&0) || bytes.get(end..).is_some_and(is_zero)
    };
    (1..)
        .zip(0..all.len())
        .filter(|(_, at)| {
            let Some(bytes) = all.get(*at).filter(|bytes| !is_zero(bytes)) else {
                return false;
            };
            is_gone(at.checked_sub(1)) && begins(bytes) || is_gone(Some(at + 1)) && ends(bytes)
        })
        .map(|(number, _)| number)
        .collect()
}

/// No intact entry begins with this many zeros, unless its names are the first of each kind.
const FEW_ZEROS: usize = 8;

/// Whether the index has the length that it claims.
fn is_whole(version: ScidVersion, index: &[u8], header: Option<&Si4Header>, count: usize) -> bool {
    let expected = version.header_size() + count * version.entry_size();
    let agrees = match header {
        Some(header) => u64::from(header.games) <= count as u64,
        None => version == ScidVersion::Si5 && count > 0,
    };
    agrees && index.len() == expected
}

/// Combines entries and records; reports games without an entry.
#[allow(clippy::too_many_arguments)]
fn put_together(
    version: ScidVersion,
    entries: Vec<ScidEntry>,
    games: &FileBytes,
    is_whole: bool,
    claimed: Option<u64>,
    files: &ScidFiles,
    options: &OpenOptions,
    found: &mut Diagnostics,
) -> (Vec<ScidEntry>, u64) {
    let of_index = entries.len() as u64;
    let judged = ScidSalvageEntries::of(version, entries, games, options);
    let start = if games.starts_with(GAMES_MAGIC) {
        10
    } else {
        0
    };
    // If all entries of a database match, records between theirs are old versions of games.
    let fits = is_whole && judged.all_fit();
    let records = if fits {
        let end = judged.covered().iter().map(|(_, end)| *end).max();
        let end = end.unwrap_or(start);
        let at = usize::try_from(end).unwrap_or(usize::MAX);
        search::records_from(version, end, games.get(at..).unwrap_or(&[]), options)
    } else {
        search::uncovered(version, start, &judged.covered(), games, options)
    };
    let ScidSalvageResult {
        mut entries,
        rest,
        moved,
        left_out,
    } = judged.join(records, is_whole);
    let file = files.index.display().to_string();
    if moved > 0 {
        found.report(
            &codes::MOVED_RECORDS,
            || Location::default().in_file(&file),
            || format!("{moved} records are not at the offset in their entries"),
        );
    }
    if left_out > 0 {
        found.report(
            &codes::MISFIT_ENTRIES,
            || Location::default().in_file(&file),
            || format!("{left_out} of {of_index} entries were left out"),
        );
    }
    let rescued = rest.len() as u64;
    let missing = claimed.map_or(0, |claimed| {
        claimed.saturating_sub(entries.len() as u64 + rescued)
    });
    if rescued > 0 || !is_whole || missing > 0 {
        let code = if fits {
            &codes::LOST_ENTRIES
        } else {
            &codes::FEWER_ENTRIES
        };
        found.report(
            code,
            || Location::default().in_file(&file),
            || {
                let mut text = format!(
                    "{} games of the index, {rescued} found without it",
                    entries.len()
                );
                if let (Some(claimed), true) = (claimed, missing > 0) {
                    text.push_str(&format!(
                        "; {missing} of the {claimed} counted in the header were not found"
                    ));
                }
                text
            },
        );
    }
    let rescued_from = entries.len() as u64 + 1;
    entries.extend(rest);
    (entries, rescued_from)
}
