//! Databases as SQL dumps.
//!
//! The dump is read twice: once from front to back, to collect names and the offsets of the rows of games, then row by
//! row at those offsets. For this, a dump from a pipe or an archive is kept in a temporary file.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use tabiya_model::error_codes;
use tabiya_model::{DatabaseInfo, Diagnostics, Error, Location, Result};

use super::codes;
use super::dump::{JoseDumpColumns, JoseDumpError, JoseDumpEvent, JoseDumpReader, JoseDumpState};
use super::index::{JoseIndexBuilder, NOWHERE};
use super::layout::{JoseField, JoseGameColumns, JoseGameRow, JoseTableRole, order, usual_columns};
use super::names::{JoseNameColumns, JoseNames};
use super::reader::{JoseDatabaseParts, JoseRowCursor, JoseRowSource, not_jose, sized};
use super::record::JoseReadSettings;
use super::text::charset_of_name;
use super::writer::{COMPLETED, WHOLE};
use tabiya_codec::missing_parts::{MissingParts, NAMES_GONE};
use tabiya_io::random_file::RandomFile;
use tabiya_io::scratch_file::ScratchFile;

/// Reads a file from an offset on.
struct OffsetFileReader {
    file: Arc<RandomFile>,
    at: u64,
}

impl Read for OffsetFileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

fn usual(table: &str) -> Vec<String> {
    usual_columns(table)
        .unwrap_or_default()
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect()
}

/// Keeps everything except texts that only repeat positions, which can be long.
fn keep(table: &str, column: &str) -> bool {
    JoseTableRole::of(table).is_some()
        && !column.eq_ignore_ascii_case("PosMain")
        && !column.eq_ignore_ascii_case("PosVar")
}

/// The states from which rows can be read again: 16 bits of a place are the number of the state, 48 the offset.
const OFFSET_BITS: u32 = 48;

/// Opens a dump in a separate file.
pub fn open_file(
    path: &Path,
    settings: JoseReadSettings,
    depth: usize,
) -> Result<JoseDatabaseParts> {
    let file = RandomFile::open(path)?;
    let mut info = DatabaseInfo::default();
    info.files.push(sized(path.to_path_buf()));
    open(file, &path.display().to_string(), info, settings, depth)
}

/// Opens a dump from a pipe or an archive.
pub fn open_stream(
    mut content: impl Read,
    name: &str,
    settings: JoseReadSettings,
    depth: usize,
) -> Result<JoseDatabaseParts> {
    let mut scratch = ScratchFile::new()?;
    let mut buffer = vec![0; 64 << 10];
    let mut fault = None;
    loop {
        match content.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => scratch.write_all(buffer.get(..count).unwrap_or_default())?,
            Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
            Err(problem) => {
                fault = Some(problem.to_string());
                break;
            }
        }
    }
    let file = RandomFile::from_scratch(scratch)?;
    let size = file.size();
    let mut parts = open(file, name, DatabaseInfo::default(), settings, depth)?;
    if let Some(fault) = fault {
        parts.diagnostics.report(
            &codes::BAD_SQL,
            || Location::byte(size).in_file(name),
            || fault,
        );
    }
    Ok(parts)
}

fn fail(problem: JoseDumpError, name: &str) -> Error {
    let (code, offset) = match &problem {
        JoseDumpError::Io { offset, .. } => (&error_codes::SYSTEM, *offset),
        JoseDumpError::Limit { offset, .. } => (&error_codes::TOO_LARGE, *offset),
    };
    Error::new(code, problem.to_string())
        .at(Location::byte(offset))
        .in_file(name)
        .because(problem)
}

/// The kind of the rows of one list of columns.
struct DumpTable {
    role: Option<JoseTableRole>,
    places: JoseGameColumns,
    names: JoseNameColumns,
}

impl DumpTable {
    fn of(columns: &JoseDumpColumns) -> DumpTable {
        let names = || columns.names.iter().map(String::as_str);
        DumpTable {
            role: JoseTableRole::of(&columns.table),
            places: JoseGameColumns::find(names()),
            names: JoseNameColumns::find(names()),
        }
    }
}

fn open(
    file: RandomFile,
    name: &str,
    info: DatabaseInfo,
    mut settings: JoseReadSettings,
    depth: usize,
) -> Result<JoseDatabaseParts> {
    let file = Arc::new(file);
    let mut diagnostics = Diagnostics::default();
    let mut names = JoseNames::default();
    let mut halves = JoseIndexBuilder::new(true);
    let mut wholes = JoseIndexBuilder::new(false);
    let (mut half_rows, mut whole_rows) = (0u64, 0i64);
    let mut lists: Vec<DumpTable> = Vec::new();
    let mut resumes: Vec<JoseDumpState> = Vec::new();
    let mut dump = JoseDumpReader::new(
        OffsetFileReader {
            file: Arc::clone(&file),
            at: 0,
        },
        usual,
        keep,
    );
    loop {
        let modes = dump.modes();
        match dump.next_event().map_err(|problem| fail(problem, name))? {
            JoseDumpEvent::End => break,
            JoseDumpEvent::Table => {
                lists.extend(dump.lists().iter().skip(lists.len()).map(DumpTable::of))
            }
            JoseDumpEvent::Damage(damage) => {
                diagnostics.report(
                    &codes::BAD_SQL,
                    || Location::byte(damage.offset).in_file(name),
                    || damage.what.to_owned(),
                );
            }
            JoseDumpEvent::Row(number, row) => {
                let modes = JoseDumpState {
                    columns: number,
                    ..modes
                };
                let Some(list) = lists.get(number) else {
                    continue;
                };
                let Some(role) = list.role else {
                    continue;
                };
                let int = |field| list.places.cell(&row, field).int().unwrap_or(0);
                let mut place = || -> Result<u64> {
                    let known = resumes.iter().position(|resume| *resume == modes);
                    let at = known.unwrap_or_else(|| {
                        resumes.push(modes);
                        resumes.len() - 1
                    });
                    match u64::try_from(at) {
                        Ok(at) if at < 0xFFFF && row.offset >> OFFSET_BITS == 0 => {
                            Ok(at << OFFSET_BITS | row.offset)
                        }
                        _ => Err(Error::new(&error_codes::TOO_LARGE, "the dump is too large")),
                    }
                };
                match role {
                    JoseTableRole::Game => {
                        half_rows += 1;
                        let (collection, index) = order(int);
                        halves.game(int(JoseField::Id), collection, index, place()?)?;
                    }
                    JoseTableRole::MoreGame => {
                        half_rows += 1;
                        halves.more(int(JoseField::GameId), place()?)?;
                    }
                    JoseTableRole::WholeGame => {
                        whole_rows += 1;
                        let (collection, index) = order(int);
                        wholes.game(whole_rows, collection, index, place()?)?;
                    }
                    _ => names.take(role, &list.names, &row),
                }
            }
        }
    }
    let about_games = |columns: &JoseDumpColumns| {
        matches!(
            JoseTableRole::of(&columns.table),
            Some(JoseTableRole::Game | JoseTableRole::MoreGame | JoseTableRole::WholeGame)
        )
    };
    if !dump.lists().iter().any(about_games) {
        return Err(not_jose(name));
    }
    if settings.coding.declared.is_none() {
        settings.coding.declared = dump.charset().and_then(charset_of_name);
    }
    let cut = cut_short(&file, dump.is_locked());
    let is_halves = half_rows > 0 || whole_rows == 0;
    let columns = dump.lists().to_vec();
    drop(dump);
    let index = if is_halves {
        halves.finish()?
    } else {
        wholes.finish()?
    };
    let bytes = file.size();
    let mut claims = MissingParts::default();
    if let Some(why) = cut {
        diagnostics.report(
            &codes::CUT_DUMP,
            || Location::byte(bytes).in_file(name),
            || why.to_owned(),
        );
        let claimed = (names.collections.iter())
            .filter_map(|collection| u64::try_from(collection.games).ok())
            .fold(0, u64::saturating_add);
        claims.games("the collections", claimed, index.len());
        if names.players.count() == 0 {
            claims.lose(&NAMES_GONE, "the dump ends before the table of players");
        }
    }
    let rows = DumpRows {
        file,
        name: name.to_owned(),
        places: lists.into_iter().map(|list| list.places).collect(),
        columns,
        resumes,
    };
    Ok(JoseDatabaseParts {
        info,
        names,
        index,
        halves: is_halves,
        rows: Arc::new(rows),
        settings,
        diagnostics,
        bytes,
        depth,
        claims,
    })
}

/// Why a dump is incomplete though its last statement is complete: tables are still locked, or the last line is missing that
/// a program writes if it begins its dumps with a comment.
fn cut_short(file: &RandomFile, is_locked: bool) -> Option<&'static str> {
    if is_locked {
        return Some("tables are locked but not unlocked");
    }
    let read = |at: u64, length: usize| {
        let mut bytes = vec![0; length];
        let count = file.read_at(&mut bytes, at).unwrap_or(0);
        bytes.truncate(count);
        bytes
    };
    let has = |bytes: &[u8], words: &[u8]| memchr::memmem::find(bytes, words).is_some();
    let head = read(0, 1024);
    let begins = ["-- MySQL dump", "-- MariaDB dump", WHOLE];
    if !begins.iter().any(|words| has(&head, words.as_bytes())) {
        return None;
    }
    let end = read(file.size().saturating_sub(1024), 1024);
    let is_whole = has(&end, COMPLETED.as_bytes());
    (!is_whole).then_some("the line that marks its completion is missing")
}

/// The rows of games in a dump.
struct DumpRows {
    file: Arc<RandomFile>,
    name: String,
    columns: Vec<JoseDumpColumns>,
    places: Vec<JoseGameColumns>,
    resumes: Vec<JoseDumpState>,
}

impl JoseRowSource for DumpRows {
    fn cursor(self: Arc<Self>) -> Box<dyn JoseRowCursor> {
        let reader = || {
            let source = OffsetFileReader {
                file: Arc::clone(&self.file),
                at: 0,
            };
            JoseDumpReader::with_lists(source, self.columns.clone(), usual, keep)
        };
        Box::new(DumpCursor {
            first: reader(),
            second: reader(),
            rows: self,
        })
    }
}

struct DumpCursor {
    rows: Arc<DumpRows>,
    first: JoseDumpReader<OffsetFileReader>,
    second: JoseDumpReader<OffsetFileReader>,
}

impl JoseRowCursor for DumpCursor {
    fn read(&mut self, places: [u64; 2], each: &mut dyn FnMut(&JoseGameRow<'_>)) -> Result<()> {
        let rows = &self.rows;
        let [first, second] = places;
        let mut row = JoseGameRow::default();
        for (place, dump) in [(first, &mut self.first), (second, &mut self.second)] {
            if place == NOWHERE {
                continue;
            }
            let offset = place & ((1 << OFFSET_BITS) - 1);
            let lost = || {
                Error::new(
                    &error_codes::DAMAGED,
                    "the dump was changed while it was read",
                )
                .at(Location::byte(offset))
                .in_file(&rows.name)
            };
            let resume = usize::try_from(place >> OFFSET_BITS)
                .ok()
                .and_then(|at| rows.resumes.get(at))
                .ok_or_else(lost)?;
            dump.go_to(JoseDumpState { offset, ..*resume }, |source| {
                source.at = offset
            });
            match dump
                .next_event()
                .map_err(|problem| fail(problem, &rows.name))?
            {
                JoseDumpEvent::Row(number, found) => {
                    row.fill(rows.places.get(number).ok_or_else(lost)?, found);
                }
                JoseDumpEvent::Damage(_) | JoseDumpEvent::Table | JoseDumpEvent::End => {
                    return Err(lost());
                }
            }
        }
        each(&row);
        Ok(())
    }
}
