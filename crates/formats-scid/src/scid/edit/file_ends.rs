//! The ends of the files of a database that lost games: unused records and names.
//!
//! Records after the last one in the index look like games whose entries were lost, and `repair` would restore them. So
//! records of removed games are removed as well if they are at the end, and undoing an append leaves the files unchanged.

use std::path::Path;

use tabiya_io::regular_file;
use tabiya_model::{Error, Result};

use super::super::layout::{ScidEntry, ScidNameKind, ScidVersion, flag};
use super::super::names::sn5_end;
use super::{KINDS, ScidEditor, failed, fields, slice};

impl ScidEditor {
    /// The new end of the game file, if records at its end are no longer used by any game.
    pub(super) fn games_end(&mut self) -> Option<u64> {
        if !self.has_all || self.rewrites_games {
            return None;
        }
        let used = self.entries.iter().map(end_of).max().unwrap_or(0);
        // New records that were not needed after all.
        let over = used.max(self.records_at) - self.records_at;
        self.records
            .truncate(usize::try_from(over).unwrap_or(usize::MAX));
        if used >= self.records_at {
            return None;
        }
        let before = (1..=self.base.count()).filter_map(|number| self.base.entry(number));
        let known = before.map(|entry| end_of(&entry)).max();
        let end = match self.end_at {
            Some(size) => used.max(size),
            None if self.takes_out && self.entries.is_empty() => 0,
            // Bytes after the last game of the index may be lost games that somebody wants to recover.
            None if self.takes_out && known == Some(self.records_at) => used,
            None => return None,
        };
        (end < self.records_at).then_some(end)
    }

    /// Truncates the game file. The index without those records is written first.
    pub(super) fn end_games(&mut self, end: u64) -> Result<()> {
        let path = self.base.files().games.clone();
        self.keep_beginning(&path, end)
    }

    /// Whether unused names at the end are removed: if a change that added them is being undone.
    pub(super) fn drops_names(&self) -> bool {
        let is_plain = self.has_all && !self.rewrites_games && self.changes_uses;
        // A new name would come after those to be removed.
        is_plain && self.end_at.is_some() && !self.changes_names
    }

    /// Truncates the name file.
    pub(super) fn end_names(&mut self) -> Result<()> {
        let path = self.base.files().names.clone();
        if self.base.version() != ScidVersion::Si5 {
            let names = self.name_file();
            return self.change.replace(&path, &[&names]).map_err(failed);
        }
        let bytes = regular_file::read(&path)?;
        let end = sn5_end(&bytes, self.names_used());
        match end < bytes.len() {
            true => self.keep_beginning(&path, end as u64),
            false => Ok(()),
        }
    }

    /// For each kind, the number of names up to the last one that a game uses.
    pub(super) fn names_used(&self) -> [u64; 4] {
        let mut used = [0; 4];
        for entry in &self.entries {
            let mut entry = *entry;
            for (field, kind) in fields(&mut entry).into_iter().zip(KINDS) {
                if let Some(used) = used.get_mut(kind as usize) {
                    *used = u64::from(*field).saturating_add(1).max(*used);
                }
            }
        }
        used
    }

    fn keep_beginning(&mut self, path: &Path, end: u64) -> Result<()> {
        let mut out = self.change.create(path).map_err(failed)?;
        let copied = regular_file::open(path).and_then(|from| out.copy_from(&from, end));
        let short = match copied {
            Ok(copied) if copied == end => return self.change.put(path, out).map_err(failed),
            Ok(_) => std::io::ErrorKind::UnexpectedEof.into(),
            Err(error) => error,
        };
        Err(Error::from(short).in_file(path.display().to_string()))
    }

    /// The index entry of a game as it was when the database was opened, for [`ScidEditor::bring_back_entry`].
    pub(super) fn old_entry(&self, number: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.base
            .entry(number)?
            .encode(ScidVersion::Si5, &mut bytes);
        Some(bytes)
    }

    /// Gives a game that was added in this change its earlier entry, if the record and the names that it refers to are still
    /// in the files and are those of the game: then the new record is not needed.
    pub(super) fn bring_back_entry(&mut self, number: u64, kept: &[u8]) -> Result<()> {
        let Some(old) = ScidEntry::decode(ScidVersion::Si5, kept) else {
            return Ok(());
        };
        if !self.has_all {
            return Ok(());
        }
        let Some(new) = self.entry_mut(number).map(|entry| *entry) else {
            return Ok(());
        };
        let Some(at) = new.offset.checked_sub(self.records_at) else {
            return Ok(());
        };
        if end_of(&old) > self.records_at
            || !self.has_same_names(&old, &new)
            || !is_like(&old, &new)
        {
            return Ok(());
        }
        let mut buffer = Vec::new();
        let file = self.base.games()?;
        let known = file.get(old.offset, old.length, &mut buffer)?;
        if known != slice(&self.records, at, new.length) {
            return Ok(());
        }
        if at.saturating_add(u64::from(new.length)) == self.records.len() as u64 {
            self.records
                .truncate(usize::try_from(at).unwrap_or(usize::MAX));
        }
        if let Some(slot) = self.entry_mut(number) {
            *slot = old;
        }
        Ok(())
    }

    fn has_same_names(&self, a: &ScidEntry, b: &ScidEntry) -> bool {
        let (mut a, mut b) = (*a, *b);
        let pairs = fields(&mut a).into_iter().zip(fields(&mut b)).zip(KINDS);
        let mut names = pairs.map(|((a, b), kind): ((&mut u32, &mut u32), ScidNameKind)| {
            let book = self.names.get(kind as usize);
            let name = |number| book.map(|book| book.get(self.base.names(), kind, number));
            let known = (*a as usize) < self.base.names().len(kind);
            known && (a == b || name(*a) == name(*b))
        });
        names.all(|same| same)
    }
}

/// The end of a game's record.
fn end_of(entry: &ScidEntry) -> u64 {
    match entry.length {
        // An entry without a record takes no bytes, whatever its offset.
        0 => 0,
        length => entry.offset.saturating_add(u64::from(length)),
    }
}

/// Whether two entries are equal in everything that does not follow from the record.
fn is_like(a: &ScidEntry, b: &ScidEntry) -> bool {
    let told = |entry: &ScidEntry| {
        (
            (entry.flags & !flag::DERIVED, entry.outcome, entry.eco),
            (entry.date, entry.event_date, entry.chess960),
            (entry.white_rating, entry.white_rating_kind),
            (entry.black_rating, entry.black_rating_kind),
        )
    };
    told(a) == told(b)
}
