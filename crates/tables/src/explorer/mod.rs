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

use tabiya_explore::tally::Tally;
use tabiya_formats::lake::{Change, Entry, Manifest};
use tabiya_model::{Control, Result};
use tabiya_openings::key::Key;

pub use build::{Built, build};
use row::Row;
pub(crate) use row::{digits, move_number};
use rows::{Merged, Stored};

use crate::stored::{OpenTable, is_whole, may_have};

/// The name of the table.
pub const TABLE: &str = "explorer";
/// The setting that says whether positions of a single game are there.
pub const SINGLES: &str = "single-games";
/// The word for a lake without them.
pub const LEFT_OUT: &str = "left out";
/// The setting with the number of games that could not be decoded to their end.
pub const DAMAGED: &str = "damaged-games";

/// Puts the tables of all games together to one. `number` gives each game its new number.
pub fn merge(
    lake: &Path,
    entries: &[Entry],
    number: &dyn Fn(u64) -> u64,
    games: Range<u64>,
    change: &mut Change,
    control: &Control,
) -> Result<Option<Vec<Entry>>> {
    let tables = generations(entries)
        .into_iter()
        .map(|(_, entries)| Stored::new(lake, entries, number))
        .collect();
    let merged = Merged::new(tables)?;
    build::write(merged, true, (games.start, games.end), change, control)
}

/// The files of each run of games that was added at once.
fn generations(entries: &[Entry]) -> Vec<((u64, u64), Vec<Entry>)> {
    let mut found: Vec<((u64, u64), Vec<Entry>)> = Vec::new();
    for entry in entries {
        match found.iter_mut().find(|(games, _)| *games == entry.games) {
            Some((_, entries)) => entries.push(entry.clone()),
            None => found.push((entry.games, vec![entry.clone()])),
        }
    }
    found
}

/// The table of a lake, open for questions.
pub struct Explorer {
    lake: PathBuf,
    files: Vec<(Entry, OnceLock<OpenTable>)>,
    singles: bool,
    damaged: u64,
}

impl Explorer {
    /// Opens the table of a lake; `None` where it has none, or not of all its games.
    pub fn open(lake: &Path) -> Result<Option<Explorer>> {
        let Some(manifest) = Manifest::of_folder(lake)? else {
            return Ok(None);
        };
        if !is_whole(manifest.table(TABLE), manifest.games()) {
            return Ok(None);
        }
        let setting = |name: &str| manifest.settings.get(name).map(String::as_str);
        Ok(Some(Explorer {
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

    /// Whether positions of a single game are there: else one that is not found stands in fewer than two games.
    #[must_use]
    pub fn has_singles(&self) -> bool {
        self.singles
    }

    /// Games that could not be decoded, or not to their end.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// What was played in a position.
    pub fn ask(&self, key: Key) -> Result<Tally> {
        let hash = key.0.cast_signed();
        let mut tally = Tally::default();
        for (entry, open) in &self.files {
            if !may_have(entry, hash) {
                continue;
            }
            let open = OpenTable::opened(open, &self.lake, entry, &row::FIELDS)?;
            let mut found = Tally::default();
            let mut row = Row::default();
            open.find(hash, &open.all_columns(), |rows| {
                row.read(rows)?;
                let is_it = row.hash == hash;
                if is_it {
                    row.tell(&mut found);
                }
                Ok(is_it)
            })?;
            tally.merge(&found);
        }
        Ok(tally)
    }
}
