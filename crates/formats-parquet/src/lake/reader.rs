//! Opening a lake as one database.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabiya_io::held_folder::{self, DirectoryEntry};
use tabiya_model::error_codes;
use tabiya_model::facts::FactSource;
use tabiya_model::positions::{PositionLookup, PositionSource};
use tabiya_model::{Database, DatabaseInfo, Error, Result};

use super::manifest::{self, LakeManifest};
use crate::parquet::database::{ParquetDatabase, ParquetDatabaseFile};
use crate::parquet::reader::ParquetFile;
use tabiya_codec::format::OpenOptions;

/// The number of first bytes that show whether a file is a manifest.
const HEAD: u64 = 256;
/// The most files of a folder without a manifest that are read, and the maximum depth of its folders.
const MOST: usize = 1 << 20;
const DEPTH: usize = 4;

/// Whether a folder is a lake, by its manifest or by its folders of years.
pub(super) fn is_lake(folder: &Path) -> bool {
    let mut head = Vec::new();
    let manifest = tabiya_io::regular_file::open(&folder.join(manifest::NAME));
    if let Ok(manifest) = manifest
        && manifest.take(HEAD).read_to_end(&mut head).is_ok()
    {
        return LakeManifest::is_one(&head);
    }
    let Ok(entries) = held_folder::read_dir(folder) else {
        return false;
    };
    entries.iter().any(|DirectoryEntry { path, kind }| {
        let name = path.file_name().and_then(|name| name.to_str());
        kind.is_dir() && name.is_some_and(|name| name.starts_with("year="))
    })
}

/// Opens a lake by its folder.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(match LakeManifest::of_folder(path)? {
        Some(manifest) => of_manifest(path, &manifest, options),
        None => Box::new(LakeDatabase {
            games: found_in(path, options)?,
            first: path.to_owned(),
            lookup: OnceLock::new(),
        }),
    })
}

/// The games that a manifest lists, whether or not it has been put in place.
pub(super) fn of_manifest(
    path: &Path,
    manifest: &LakeManifest,
    options: &OpenOptions,
) -> Box<dyn Database> {
    Box::new(LakeDatabase {
        games: listed(path, manifest, options),
        first: path.join(manifest::NAME),
        lookup: OnceLock::new(),
    })
}

/// The games that a manifest lists.
fn listed(path: &Path, manifest: &LakeManifest, options: &OpenOptions) -> ParquetDatabase {
    let members: Vec<ParquetDatabaseFile> = (manifest.table(manifest::GAMES).iter())
        .map(|entry| ParquetDatabaseFile {
            path: entry.path_in(path),
            games: entry.rows,
            bytes: entry.bytes,
        })
        .collect();
    let mut info = DatabaseInfo {
        format: super::FORMAT.name,
        files: files(&members),
        games: Some(manifest.games()),
        ..DatabaseInfo::default()
    };
    info.field("description", manifest.description.as_str());
    for (name, value) in &manifest.settings {
        info.field(name, value.as_str());
    }
    for (table, entries) in &manifest.tables {
        let rows: u64 = entries
            .iter()
            .map(|entry| entry.rows)
            .fold(0, u64::saturating_add);
        let count = entries.len();
        info.field(table, format!("{rows} rows in {count} files"));
    }
    ParquetDatabase::new(members, manifest.description.clone(), info, options)
}

fn files(members: &[ParquetDatabaseFile]) -> Vec<(PathBuf, u64)> {
    let files = members
        .iter()
        .map(|member| (member.path.clone(), member.bytes));
    files.collect()
}

/// The games of a folder that has no manifest, in the order of the names of its files.
fn found_in(path: &Path, options: &OpenOptions) -> Result<ParquetDatabase> {
    let mut paths = Vec::new();
    let mut open = vec![(path.to_path_buf(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let failed = |error: std::io::Error| Error::from(error).in_file(folder.to_string_lossy());
        for DirectoryEntry { path, kind } in held_folder::read_dir(&folder).map_err(failed)? {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            // Unfinished files of other programs begin like this.
            if name.starts_with(['.', '_']) {
                continue;
            }
            if kind.is_dir() {
                if depth < DEPTH {
                    open.push((path, depth + 1));
                }
            } else if name.ends_with(".parquet") {
                paths.push(path);
            }
        }
        if paths.len() > MOST {
            return Err(
                Error::new(&error_codes::TOO_LARGE, "the folder has too many files")
                    .in_file(path.to_string_lossy()),
            );
        }
    }
    paths.sort_unstable();
    let mut members = Vec::new();
    for path in paths {
        let file = ParquetFile::open(&path, options)?;
        if file.count() > 0 {
            members.push(ParquetDatabaseFile {
                games: file.count(),
                bytes: file.table().size(),
                path,
            });
        }
    }
    let info = DatabaseInfo {
        format: super::FORMAT.name,
        files: files(&members),
        games: Some(members.iter().map(|member| member.games).sum()),
        ..DatabaseInfo::default()
    };
    Ok(ParquetDatabase::new(members, String::new(), info, options))
}

/// An open lake: its games, and its metadata.
struct LakeDatabase {
    games: ParquetDatabase,
    /// The manifest: it changes with every change of the lake.
    first: PathBuf,
    /// Its table of positions, which another crate reads.
    lookup: OnceLock<Box<dyn PositionLookup + Send>>,
}

impl Database for LakeDatabase {
    fn info(&self) -> DatabaseInfo {
        self.games.info()
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.first.clone()]
    }

    fn len(&self) -> Result<u64> {
        Database::len(&self.games)
    }

    fn read(
        &self,
        number: u64,
        want: tabiya_model::GameNeeds,
        game: &mut tabiya_model::Game,
    ) -> Result<()> {
        self.games.read(number, want, game)
    }

    fn source(
        &self,
        games: Option<std::ops::Range<u64>>,
    ) -> Result<Box<dyn tabiya_model::Source<'_> + '_>> {
        self.games.source(games)
    }

    fn reads_in_rows(&self) -> bool {
        self.games.reads_in_rows()
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        self.games.facts()
    }

    fn positions(&self) -> Option<&dyn PositionSource> {
        self.games.positions()
    }

    fn lookup(&self) -> Option<&dyn PositionLookup> {
        let lookup = self.lookup.get()?;
        Some(&**lookup)
    }

    fn keep_lookup(&self, kept: Box<dyn PositionLookup + Send>) {
        // If it is already set, the first one is as good.
        let _ = self.lookup.set(kept);
    }
}
