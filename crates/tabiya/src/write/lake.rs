//! Lakes: folders of Parquet files with tables about their games, which grow by new files; files never change.
//!
//! Games and their tables are added by one change of the manifest, completely or not at all. A lake whose tables are
//! behind, because another program added games, still answers from its games, and [`complete`] updates the tables.
//!
//! ```
//! # fn main() -> tabiya::model::Result<()> {
//! # let one = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
//! # let other = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
//! # let folder = tempfile::tempdir()?;
//! use tabiya::Target;
//! use tabiya::formats::lake::FORMAT;
//! use tabiya::lake::{LakeTableOptions, add, build, verify};
//! use tabiya::model::Control;
//!
//! let control = Control::default();
//! let target = Target::new(folder.path().join("lake"), Some(&FORMAT), Default::default())?;
//! build(&tabiya::open(one)?, &target, &LakeTableOptions::default(), &control)?;
//! add(&tabiya::open(other)?, &target.path, &control)?;
//! assert!(verify(&target.path, &control)?.faults.is_empty());
//! assert_eq!(tabiya::open(&target.path)?[0].info().games, Some(6));
//! # Ok(())
//! # }
//! ```

use std::ops::Range;
use std::path::Path;

use tabiya_columns::ParquetReader;
use tabiya_formats::format::WriteOptions;
use tabiya_formats::lake::{
    self, LakeChange, LakeCompletion, LakeFileEntry, LakeManifest, manifest,
};
use tabiya_io::fingerprint::hash_all;
use tabiya_model::{Control, Error, ErrorKind, JobCompletion, Result};
pub use tabiya_tables::positions::LakePositionIndex;
use tabiya_tables::{explorer, iceberg, players_and_events, positions};

use crate::error_codes;
use crate::open::base::Base;
use crate::write::convert;
use crate::write::convert::Conversion;
use crate::write::target::Target;

/// The setting that names the tables of a lake.
const TABLES: &str = "tables";
/// The word for a lake with metadata of Iceberg.
const ICEBERG: &str = "iceberg";

/// The tables of a lake besides its games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LakeTableOptions {
    /// What was played in each position.
    pub explorer: bool,
    /// Whether positions of a single game, which are most of them, are included.
    pub singles: bool,
    /// The games of each position.
    pub positions: bool,
    /// Players and events.
    pub names: bool,
    /// Iceberg metadata for the table of games.
    pub iceberg: bool,
}

impl Default for LakeTableOptions {
    fn default() -> LakeTableOptions {
        LakeTableOptions {
            explorer: true,
            singles: false,
            positions: false,
            names: true,
            iceberg: false,
        }
    }
}

impl LakeTableOptions {
    fn of(manifest: &LakeManifest) -> LakeTableOptions {
        let setting = |name: &str| manifest.settings.get(name).map_or("", String::as_str);
        let tables = setting(TABLES);
        let has = |name: &str| tables.split(' ').any(|table| table == name);
        LakeTableOptions {
            explorer: has(explorer::TABLE),
            singles: setting(explorer::SINGLES) != explorer::LEFT_OUT,
            positions: has(positions::TABLE),
            names: has(players_and_events::PLAYERS),
            iceberg: has(ICEBERG),
        }
    }

    fn note(&self, manifest: &mut LakeManifest) {
        let mut tables = Vec::new();
        for (is_there, name) in [
            (self.explorer, explorer::TABLE),
            (self.positions, positions::TABLE),
            (self.names, players_and_events::PLAYERS),
            (self.names, players_and_events::EVENTS),
            (self.iceberg, ICEBERG),
        ] {
            tables.extend(is_there.then_some(name));
        }
        let mut set = |name: &str, value: String| manifest.settings.insert(name.to_owned(), value);
        set(TABLES, tables.join(" "));
        let singles = if self.singles {
            "kept"
        } else {
            explorer::LEFT_OUT
        };
        set(explorer::SINGLES, singles.to_owned());
    }
}

/// Builds a lake from bases. The target is a folder in the format `lake`.
pub fn build(
    bases: &[Base],
    target: &Target,
    tables: &LakeTableOptions,
    control: &Control,
) -> Result<Conversion> {
    write(bases, target, Some(tables), control)
}

/// Adds the games of bases to a lake, and to its tables.
pub fn add(bases: &[Base], folder: &Path, control: &Control) -> Result<Conversion> {
    manifest_of(folder)?;
    let mut target = Target::new(folder, Some(&lake::FORMAT), WriteOptions::default())?;
    lake::append(&mut target.options.settings)?;
    write(bases, &target, None, control)
}

/// Writes games and tables, all or nothing.
fn write(
    bases: &[Base],
    target: &Target,
    tables: Option<&LakeTableOptions>,
    control: &Control,
) -> Result<Conversion> {
    let mut target = target.clone();
    // Iceberg names files by where they are in the end.
    let place = target.path.clone();
    let (tables, reins) = (tables.cloned(), control.clone());
    let completion = LakeCompletion::new(move |change| {
        if let Some(tables) = &tables {
            tables.note(&mut change.manifest);
        }
        let filled = fill(change, &reins)?;
        if filled.ended.is_whole() {
            describe(change, &place)?;
        }
        Ok(filled.ended)
    });
    target.options.completion = Some(completion.for_target());
    let mut done =
        match convert::convert(bases, &target, &convert::ConvertOptions::default(), control) {
            Err(error) if error.kind == ErrorKind::Interrupted => {
                return Ok(Conversion {
                    ended: JobCompletion::Stopped,
                    ..Conversion::default()
                });
            }
            done => done?,
        };
    if let Some(summary) = &mut done.summary
        && let Err(error) = point(&target.path)
    {
        summary.notes.push(error.to_string());
    }
    Ok(done)
}

/// Writes the metadata of Iceberg for a lake as it is to be, where it has such.
fn describe(change: &mut LakeChange, place: &Path) -> Result<()> {
    match LakeTableOptions::of(&change.manifest).iceberg {
        true => iceberg::write(change, place),
        false => Ok(()),
    }
}

/// Lets readers of Iceberg find the metadata of a lake as it is.
fn point(folder: &Path) -> Result<()> {
    let manifest = manifest_of(folder)?;
    if !LakeTableOptions::of(&manifest).iceberg {
        return Ok(());
    }
    iceberg::point(folder, &manifest).map_err(|mut error| {
        error
            .message
            .push_str("; the lake was changed, but readers of Iceberg still see its old state");
        error
    })
}

fn manifest_of(folder: &Path) -> Result<LakeManifest> {
    LakeManifest::of_folder(folder)?.ok_or_else(|| {
        let message = "this is not a lake: a folder with a manifest is required";
        Error::new(&error_codes::NO_LAKE, message).in_file(folder.to_string_lossy())
    })
}

/// The games that no file of a table tells of, where its files tell of the first ones without a gap.
fn untold(entries: &[LakeFileEntry], games: u64) -> Option<Range<u64>> {
    let mut spans: Vec<_> = entries.iter().map(|entry| entry.games).collect();
    spans.sort_unstable();
    spans.dedup();
    let mut next = 1;
    for (first, end) in spans {
        if first != next {
            return None;
        }
        next = end;
    }
    Some(next..games + 1)
}

/// Completes the tables of a lake, and rebuilds damaged ones.
pub fn complete(folder: &Path, control: &Control) -> Result<JobCompletion> {
    manifest_of(folder)?;
    let mut change = LakeChange::begin(folder)?;
    let is_mended = leave_damaged_out(&mut change, control);
    let filled = fill(&mut change, control)?;
    if !filled.ended.is_whole() {
        return Ok(filled.ended);
    }
    let tables = LakeTableOptions::of(&change.manifest);
    if is_mended || filled.is_changed || tables.iceberg && !iceberg::is_current(folder)? {
        describe(&mut change, folder)?;
        change.commit()?;
    }
    point(folder)?;
    Ok(JobCompletion::Whole)
}

/// Takes tables that are not as they were written out of a manifest: all that they told stands in the games.
fn leave_damaged_out(change: &mut LakeChange, control: &Control) -> bool {
    let folder = change.folder().to_path_buf();
    let mut is_damaged = false;
    let LakeManifest {
        tables, settings, ..
    } = &mut change.manifest;
    for (table, entries) in tables {
        let is_of_games = table == manifest::GAMES;
        let is_wrong =
            |entry: &LakeFileEntry| !control.is_stopped() && check(&folder, entry).is_err();
        if !is_of_games && entries.iter().any(is_wrong) {
            entries.clear();
            if table == explorer::TABLE {
                // It counts anew.
                settings.remove(explorer::DAMAGED);
            }
            is_damaged = true;
        }
    }
    is_damaged
}

/// What became of the tables of a change.
struct LakeTableUpdate {
    ended: JobCompletion,
    is_changed: bool,
}

impl LakeTableUpdate {
    const STOPPED: LakeTableUpdate = LakeTableUpdate {
        ended: JobCompletion::Stopped,
        is_changed: false,
    };
}

/// Makes what the tables of a lake lack, within a change.
fn fill(change: &mut LakeChange, control: &Control) -> Result<LakeTableUpdate> {
    let tables = LakeTableOptions::of(&change.manifest);
    let games = change.manifest.games();
    let database = change.games();
    let mut is_changed = false;
    if tables.explorer {
        let left = untold(change.manifest.table(explorer::TABLE), games);
        // Without the positions of single games, two parts do not add up to the whole.
        let left = left.filter(|left| tables.singles || left.start == 1 || left.is_empty());
        let is_kept = left.is_some();
        let left = left.unwrap_or(1..games + 1);
        if !left.is_empty() {
            let built = explorer::build(&*database, left, tables.singles, change, control)?;
            let Some(built) = built else {
                return Ok(LakeTableUpdate::STOPPED);
            };
            let settings = &mut change.manifest.settings;
            let before = settings.get(explorer::DAMAGED).filter(|_| is_kept);
            let before: u64 = before.and_then(|text| text.parse().ok()).unwrap_or(0);
            let damaged = (before + built.damaged).to_string();
            settings.insert(explorer::DAMAGED.to_owned(), damaged);
            put(
                &mut change.manifest,
                explorer::TABLE,
                built.entries,
                is_kept,
            );
            is_changed = true;
        }
    }
    if tables.positions {
        let left = untold(change.manifest.table(positions::TABLE), games);
        let is_kept = left.is_some();
        let left = left.unwrap_or(1..games + 1);
        if !left.is_empty() {
            let Some(entries) = positions::build(&*database, left, &|game| game, change, control)?
            else {
                return Ok(LakeTableUpdate::STOPPED);
            };
            put(&mut change.manifest, positions::TABLE, entries, is_kept);
            is_changed = true;
        }
    }
    let is_told = |table: &&str| {
        let left = untold(change.manifest.table(table), games);
        left.is_some_and(|left| left.is_empty())
    };
    if tables.names
        && ![players_and_events::PLAYERS, players_and_events::EVENTS]
            .iter()
            .all(is_told)
    {
        let Some(built) = players_and_events::build(&*database, change, control)? else {
            return Ok(LakeTableUpdate::STOPPED);
        };
        put(
            &mut change.manifest,
            players_and_events::PLAYERS,
            built.players,
            false,
        );
        put(
            &mut change.manifest,
            players_and_events::EVENTS,
            built.events,
            false,
        );
        is_changed = true;
    }
    Ok(LakeTableUpdate {
        ended: JobCompletion::Whole,
        is_changed,
    })
}

/// Lists files of a table, beside those that it has or in their place.
fn put(manifest: &mut LakeManifest, table: &str, mut entries: Vec<LakeFileEntry>, is_kept: bool) {
    let files = manifest.tables.entry(table.to_owned()).or_default();
    if !is_kept {
        files.clear();
    }
    files.append(&mut entries);
}

/// The result of compacting a lake.
#[derive(Copy, Clone, Debug, Default)]
pub struct LakeCompactReport {
    /// Files of games before and after.
    pub files: (u64, u64),
    /// Games that have another number now.
    pub renumbered: u64,
    /// Whether it was done; else the lake is unchanged.
    pub ended: JobCompletion,
}

/// Merges small files, and the runs of games that were added one after another. If games are spread over folders, they get
/// new numbers.
pub fn compact(folder: &Path, control: &Control) -> Result<LakeCompactReport> {
    manifest_of(folder)?;
    let stopped = LakeCompactReport {
        ended: JobCompletion::Stopped,
        ..LakeCompactReport::default()
    };
    let mut change = LakeChange::begin(folder)?;
    if !fill(&mut change, control)?.ended.is_whole() {
        return Ok(stopped);
    }
    let tables = LakeTableOptions::of(&change.manifest);
    let before = change.manifest.table(manifest::GAMES).len() as u64;
    let database = change.games();
    let Some(moved) = lake::compact(&mut change, control)? else {
        return Ok(stopped);
    };
    let number = |old: u64| {
        let at = moved.partition_point(|moved| moved.from <= old);
        let moved = at.checked_sub(1).and_then(|at| moved.get(at));
        moved.map_or(old, |moved| moved.to + (old - moved.from))
    };
    let games = 1..change.manifest.games() + 1;
    let place = change.folder().to_path_buf();
    if tables.explorer {
        let files = change.manifest.table(explorer::TABLE).to_vec();
        let merged = explorer::merge(&place, &files, &number, games.clone(), &mut change, control)?;
        let Some(entries) = merged else {
            return Ok(stopped);
        };
        put(&mut change.manifest, explorer::TABLE, entries, false);
    }
    if tables.positions {
        // Within a position games stand in the order of their numbers, which are new.
        let built = positions::build(&*database, games, &number, &mut change, control)?;
        let Some(entries) = built else {
            return Ok(stopped);
        };
        put(&mut change.manifest, positions::TABLE, entries, false);
    }
    describe(&mut change, folder)?;
    // Windows does not remove files that are open.
    drop(database);
    let manifest = change.commit()?;
    point(folder)?;
    let renumbered = moved.iter().filter(|moved| moved.from != moved.to);
    Ok(LakeCompactReport {
        files: (before, manifest.table(manifest::GAMES).len() as u64),
        renumbered: renumbered.map(|moved| moved.games).sum(),
        ended: JobCompletion::Whole,
    })
}

/// The result of verifying a lake.
#[derive(Clone, Debug, Default)]
pub struct LakeVerifyReport {
    /// Files that were checked.
    pub files: u64,
    /// What is wrong, each a sentence.
    pub faults: Vec<String>,
    /// Other notes.
    pub notes: Vec<String>,
    /// Whether everything was checked.
    pub ended: JobCompletion,
}

/// Checks that every file of a lake is present and intact, and that its tables cover all games.
pub fn verify(folder: &Path, control: &Control) -> Result<LakeVerifyReport> {
    let manifest = manifest_of(folder)?;
    let mut found = LakeVerifyReport::default();
    for (table, entries) in &manifest.tables {
        for entry in entries {
            if control.is_stopped() {
                found.ended = control.completion();
                return Ok(found);
            }
            found.files += 1;
            if let Err(why) = check(folder, entry) {
                let path = &entry.path;
                found.faults.push(match table == manifest::GAMES {
                    true => format!("{path}: {why}"),
                    false => {
                        format!("{path}: {why}; adding to the lake again rebuilds the table")
                    }
                });
            }
        }
    }
    let tables = LakeTableOptions::of(&manifest);
    for (is_wanted, table) in [
        (tables.explorer, explorer::TABLE),
        (tables.positions, positions::TABLE),
        (tables.names, players_and_events::PLAYERS),
        (tables.names, players_and_events::EVENTS),
    ] {
        let entries = manifest.table(table);
        let is_untold = untold(entries, manifest.games()).is_none_or(|left| !left.is_empty());
        if is_untold && (is_wanted || !entries.is_empty()) {
            found.faults.push(format!(
                "{table}: does not cover all games; adding to the lake again completes it"
            ));
        }
    }
    if tables.iceberg && !iceberg::is_current(folder)? {
        found.faults.push(format!(
            "{}: the Iceberg metadata is of another state or path of the lake; adding to the lake again renews it",
            iceberg::FOLDER
        ));
    }
    Ok(found)
}

/// Looks at a file; what is wrong with it in words.
fn check(folder: &Path, entry: &LakeFileEntry) -> std::result::Result<(), String> {
    let path = entry.path_in(folder);
    let file = tabiya_io::regular_file::open(&path).map_err(|error| error.to_string())?;
    let (sum, bytes) = hash_all(&file).map_err(|error| error.to_string())?;
    if bytes != entry.bytes {
        let told = entry.bytes;
        return Err(format!("it has {bytes} bytes, but the manifest has {told}"));
    }
    if sum != entry.sum {
        return Err("it was changed after it was written".to_owned());
    }
    let rows = rows_of(&path).map_err(|error| error.to_string())?;
    if rows != entry.rows {
        let told = entry.rows;
        return Err(format!("it has {rows} rows, but the manifest has {told}"));
    }
    Ok(())
}

/// The rows of a file.
fn rows_of(path: &Path) -> Result<u64> {
    let table = ParquetReader::of_file(path)
        .map_err(|error| Error::new(&error_codes::DAMAGED, error.to_string()))?;
    Ok((0..table.groups()).map(|group| table.rows_of(group)).sum())
}
