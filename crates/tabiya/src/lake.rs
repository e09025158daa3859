//! Lakes: folders of Parquet files with tables about their games, which grow by files and never by changing one.
//!
//! Games come first, by one change of the manifest; the tables that are reckoned from them follow by another. A lake whose
//! tables lag behind, because somebody pulled the plug in between, answers all the same, from its games, and
//! [`complete`] makes up for it.
//!
//! ```
//! # fn main() -> tabiya::model::Result<()> {
//! # let one = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
//! # let other = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
//! # let folder = tempfile::tempdir()?;
//! use tabiya::Target;
//! use tabiya::formats::lake::FORMAT;
//! use tabiya::lake::{Tables, add, build, verify};
//! use tabiya::model::Control;
//!
//! let control = Control::default();
//! let target = Target::new(folder.path().join("lake"), Some(&FORMAT), Default::default())?;
//! build(&tabiya::open(one)?, &target, &Tables::default(), &control)?;
//! add(&tabiya::open(other)?, &target.path, &control)?;
//! assert!(verify(&target.path, &control)?.faults.is_empty());
//! assert_eq!(tabiya::open(&target.path)?[0].info().games, Some(6));
//! # Ok(())
//! # }
//! ```

use std::ops::Range;
use std::path::Path;

use tabiya_columns::Table;
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::lake::{self, Change, Entry, Manifest, manifest};
use tabiya_io::fingerprint::hash_all;
use tabiya_model::{Control, Database, Ended, Error, ErrorKind, Result};
pub use tabiya_tables::positions::Positions;
use tabiya_tables::{explorer, iceberg, names, positions};

use crate::base::Base;
use crate::convert::{self, Conversion};
use crate::target::Target;

/// The setting that names the tables of a lake.
const TABLES: &str = "tables";
/// The word for a lake with metadata of Iceberg.
const ICEBERG: &str = "iceberg";

/// What a lake is to have beside its games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tables {
    /// What was played in each position.
    pub explorer: bool,
    /// Whether positions of a single game are there too.
    pub singles: bool,
    /// In which games each position stands.
    pub positions: bool,
    /// Players and events.
    pub names: bool,
    /// Metadata of Iceberg for the table of games.
    pub iceberg: bool,
}

impl Default for Tables {
    fn default() -> Tables {
        Tables {
            explorer: true,
            singles: true,
            positions: false,
            names: true,
            iceberg: false,
        }
    }
}

impl Tables {
    fn of(manifest: &Manifest) -> Tables {
        let setting = |name: &str| manifest.settings.get(name).map_or("", String::as_str);
        let tables = setting(TABLES);
        let has = |name: &str| tables.split(' ').any(|table| table == name);
        Tables {
            explorer: has(explorer::TABLE),
            singles: setting(explorer::SINGLES) != explorer::LEFT_OUT,
            positions: has(positions::TABLE),
            names: has(names::PLAYERS),
            iceberg: has(ICEBERG),
        }
    }

    fn note(&self, manifest: &mut Manifest) {
        let mut tables = Vec::new();
        for (is_there, name) in [
            (self.explorer, explorer::TABLE),
            (self.positions, positions::TABLE),
            (self.names, names::PLAYERS),
            (self.names, names::EVENTS),
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

/// Builds a lake of bases. The target is a folder in the format `lake`.
pub fn build(
    bases: &[Base],
    target: &Target,
    tables: &Tables,
    control: &Control,
) -> Result<Conversion> {
    let done = convert::convert(bases, target, &convert::Options::default(), control)?;
    if !done.ended.is_whole() {
        return Ok(done);
    }
    let mut change = Change::begin(&target.path)?;
    tables.note(&mut change.manifest);
    change.commit()?;
    let ended = complete(&target.path, control)?;
    Ok(Conversion { ended, ..done })
}

/// Adds the games of bases to a lake, and to its tables.
pub fn add(bases: &[Base], folder: &Path, control: &Control) -> Result<Conversion> {
    manifest_of(folder)?;
    let mut target = Target::new(folder, Some(&lake::FORMAT), WriteOptions::default())?;
    lake::append(&mut target.options.settings)?;
    let done = convert::convert(bases, &target, &convert::Options::default(), control)?;
    if !done.ended.is_whole() {
        return Ok(done);
    }
    let ended = complete(folder, control)?;
    Ok(Conversion { ended, ..done })
}

fn manifest_of(folder: &Path) -> Result<Manifest> {
    Manifest::of_folder(folder)?.ok_or_else(|| {
        let message = "there is no lake: a folder with a manifest is wanted";
        Error::new(ErrorKind::NotThisFormat, message).in_file(folder.to_string_lossy())
    })
}

/// The games of a lake.
fn games_of(folder: &Path) -> Result<Box<dyn Database>> {
    let open = lake::FORMAT.open;
    let open = open.ok_or_else(|| Error::usage("lakes are not read"))?;
    open(folder, &OpenOptions::default())
}

/// The games that no file of a table tells of, where its files tell of the first ones without a gap.
fn untold(entries: &[Entry], games: u64) -> Option<Range<u64>> {
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

/// Makes what the tables of a lake lack.
pub fn complete(folder: &Path, control: &Control) -> Result<Ended> {
    let mut change = Change::begin(folder)?;
    let tables = Tables::of(&change.manifest);
    let games = change.manifest.games();
    let database = games_of(folder)?;
    let mut is_changed = false;
    if tables.explorer {
        let left = untold(change.manifest.table(explorer::TABLE), games);
        // Without the positions of single games, two parts do not add up to the whole.
        let left = left.filter(|left| tables.singles || left.start == 1 || left.is_empty());
        let is_kept = left.is_some();
        let left = left.unwrap_or(1..games + 1);
        if !left.is_empty() {
            let built = explorer::build(&*database, left, tables.singles, &mut change, control)?;
            let Some(built) = built else {
                return Ok(Ended::Stopped);
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
            let Some(entries) =
                positions::build(&*database, left, &|game| game, &mut change, control)?
            else {
                return Ok(Ended::Stopped);
            };
            put(&mut change.manifest, positions::TABLE, entries, is_kept);
            is_changed = true;
        }
    }
    let left = untold(change.manifest.table(names::PLAYERS), games);
    if tables.names && left.is_none_or(|left| !left.is_empty()) {
        let Some(built) = names::build(&*database, &mut change, control)? else {
            return Ok(Ended::Stopped);
        };
        put(&mut change.manifest, names::PLAYERS, built.players, false);
        put(&mut change.manifest, names::EVENTS, built.events, false);
        is_changed = true;
    }
    if is_changed {
        change.commit()?;
    } else {
        drop(change);
    }
    if tables.iceberg {
        iceberg::write(folder)?;
    }
    Ok(Ended::Whole)
}

/// Lists files of a table, beside those that it has or in their place.
fn put(manifest: &mut Manifest, table: &str, mut entries: Vec<Entry>, is_kept: bool) {
    let files = manifest.tables.entry(table.to_owned()).or_default();
    if !is_kept {
        files.clear();
    }
    files.append(&mut entries);
}

/// Puts small files together, and the runs of games that were added one after another.
pub fn compact(folder: &Path, control: &Control) -> Result<Ended> {
    if !complete(folder, control)?.is_whole() {
        return Ok(Ended::Stopped);
    }
    let mut change = Change::begin(folder)?;
    let tables = Tables::of(&change.manifest);
    let database = games_of(folder)?;
    let Some(moved) = lake::compact(&mut change, control)? else {
        return Ok(Ended::Stopped);
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
            return Ok(Ended::Stopped);
        };
        put(&mut change.manifest, explorer::TABLE, entries, false);
    }
    if tables.positions {
        // Within a position games stand in the order of their numbers, which are new.
        let built = positions::build(&*database, games, &number, &mut change, control)?;
        let Some(entries) = built else {
            return Ok(Ended::Stopped);
        };
        put(&mut change.manifest, positions::TABLE, entries, false);
    }
    change.commit()?;
    if tables.iceberg {
        iceberg::write(folder)?;
    }
    Ok(Ended::Whole)
}

/// What was found in a lake that was looked through.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Files that were looked at.
    pub files: u64,
    /// What is wrong, a sentence each.
    pub faults: Vec<String>,
    /// What is worth knowing.
    pub notes: Vec<String>,
    /// Whether it was looked through to its end.
    pub ended: Ended,
}

/// Looks whether every file of a lake is there and as it was written, and whether its tables tell of all games.
pub fn verify(folder: &Path, control: &Control) -> Result<Verified> {
    let manifest = manifest_of(folder)?;
    let mut found = Verified::default();
    for (table, entries) in &manifest.tables {
        for entry in entries {
            if control.is_stopped() {
                found.ended = Ended::Stopped;
                return Ok(found);
            }
            found.files += 1;
            if let Err(why) = check(folder, entry) {
                found.faults.push(format!("{}: {why}", entry.path));
            }
        }
        let is_untold = untold(entries, manifest.games()).is_none_or(|left| !left.is_empty());
        if table != manifest::GAMES && is_untold {
            found.notes.push(format!(
                "{table} does not tell of all games; `tabiya lake add` without bases completes it"
            ));
        }
    }
    Ok(found)
}

/// Looks at a file; what is wrong with it in words.
fn check(folder: &Path, entry: &Entry) -> std::result::Result<(), String> {
    let path = entry.path_in(folder);
    let file = tabiya_io::regular::open(&path).map_err(|error| error.to_string())?;
    let (sum, bytes) = hash_all(&file).map_err(|error| error.to_string())?;
    if bytes != entry.bytes {
        let told = entry.bytes;
        return Err(format!(
            "it has {bytes} bytes, and the manifest says {told}"
        ));
    }
    if sum != entry.sum {
        return Err("it was changed after it was written".to_owned());
    }
    let rows = rows_of(&path).map_err(|error| error.to_string())?;
    if rows != entry.rows {
        let told = entry.rows;
        return Err(format!("it has {rows} rows, and the manifest says {told}"));
    }
    Ok(())
}

/// The rows of a file.
fn rows_of(path: &Path) -> Result<u64> {
    let table =
        Table::of_file(path).map_err(|error| Error::new(ErrorKind::Corrupt, error.to_string()))?;
    Ok((0..table.groups()).map(|group| table.rows_of(group)).sum())
}
