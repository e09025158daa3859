//! The table `explorer`: for each position and each move that was played there, how many games and how they ended.
//!
//! Its files are sorted by the key of the position, and each has its range of keys: an answer reads a page or two. Games that
//! were added later have rows of their own, in files of their own, until the lake is compacted: an answer puts them together.

mod build;
mod row;
mod rows;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabiya_explore::tally::PositionTally;
use tabiya_formats::lake::{LakeChange, LakeFileEntry, LakeManifest};
use tabiya_model::{Control, Result};
use tabiya_openings::position_key::PositionKey;

pub use build::{LakeExplorerFiles, build};
use row::LakeExplorerRow;
pub(crate) use row::{digits, move_number};
use rows::{MergedRows, StoredRows};

use crate::table_file::{LakeTableFile, is_whole, may_have};

/// The name of the table.
pub const TABLE: &str = "explorer";
/// The setting for whether positions of a single game are included.
pub const SINGLES: &str = "single-games";
/// The word for a lake without them.
pub const LEFT_OUT: &str = "left out";
/// The setting with the number of games that could not be decoded to their end.
pub const DAMAGED: &str = "damaged-games";

/// Merges the tables of all games into one. `number` gives each game its new number.
pub fn merge(
    lake: &Path,
    entries: &[LakeFileEntry],
    number: &dyn Fn(u64) -> u64,
    games: Range<u64>,
    change: &mut LakeChange,
    control: &Control,
) -> Result<Option<Vec<LakeFileEntry>>> {
    let tables = generations(entries)
        .into_iter()
        .map(|(_, entries)| StoredRows::new(lake, entries, number))
        .collect();
    let merged = MergedRows::new(tables)?;
    build::write(merged, true, (games.start, games.end), change, control)
}

/// The files of each run of games that was added at once.
fn generations(entries: &[LakeFileEntry]) -> Vec<((u64, u64), Vec<LakeFileEntry>)> {
    let mut found: Vec<((u64, u64), Vec<LakeFileEntry>)> = Vec::new();
    for entry in entries {
        match found.iter_mut().find(|(games, _)| *games == entry.games) {
            Some((_, entries)) => entries.push(entry.clone()),
            None => found.push((entry.games, vec![entry.clone()])),
        }
    }
    found
}

/// The table of a lake, open for lookups.
pub struct LakeExplorer {
    lake: PathBuf,
    files: Vec<(LakeFileEntry, OnceLock<LakeTableFile>)>,
    singles: bool,
    damaged: u64,
}

impl LakeExplorer {
    /// Opens the table of a lake; `None` if it has none, or not for all its games.
    pub fn open(lake: &Path) -> Result<Option<LakeExplorer>> {
        let Some(manifest) = LakeManifest::of_folder(lake)? else {
            return Ok(None);
        };
        if !is_whole(manifest.table(TABLE), manifest.games()) {
            return Ok(None);
        }
        let setting = |name: &str| manifest.settings.get(name).map(String::as_str);
        Ok(Some(LakeExplorer {
            lake: lake.to_path_buf(),
            singles: setting(SINGLES) != Some(LEFT_OUT),
            damaged: setting(DAMAGED)
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            files: manifest
                .table(TABLE)
                .iter()
                .map(|entry| (entry.clone(), OnceLock::new()))
                .collect(),
        }))
    }

    /// Whether positions of a single game are included: otherwise a position that is not found occurs in fewer than two
    /// games.
    #[must_use]
    pub fn has_singles(&self) -> bool {
        self.singles
    }

    /// Games that could not be decoded, or not to their end.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// The moves played in a position.
    pub fn ask(&self, key: PositionKey) -> Result<PositionTally> {
        let hash = key.0.cast_signed();
        let mut tally = PositionTally::default();
        for (entry, open) in &self.files {
            if !may_have(entry, hash) {
                continue;
            }
            let open = LakeTableFile::open_once(open, &self.lake, entry, &row::FIELDS)?;
            let mut found = PositionTally::default();
            let mut row = LakeExplorerRow::default();
            open.find(hash, &open.all_columns(), |rows| {
                row.read(rows)?;
                let is_it = row.hash == hash;
                if is_it {
                    row.add_to_tally(&mut found);
                }
                Ok(is_it)
            })?;
            tally.merge(&found);
        }
        Ok(tally)
    }
}
