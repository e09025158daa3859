//! Changing a database in place.
//!
//! Everything is prepared in memory and next to the files; [`ScidEditor::commit`] then puts it in place, all of it or nothing
//! (see [`tabiya_io::change`]). New records come first, after the end of the game file, where no entry of the old index points,
//! then new names, which no entry of the old index uses, and then the index: after an interrupted change, every program sees
//! the old database, or the new one. Bytes that a change removes from the ends of the files are removed after the index is
//! written. Other unused records and names stay until [`ScidEditor::compact`], which renumbers names and moves records at once:
//! no order of its renames suits both indexes, and between the first and the last of them, some millionths of a second, an
//! interrupted database needs Tabiya to complete it.
//!
//! Games that are only added to si5 are appended to its files, whatever their size.

mod describe;
mod file_ends;
mod names;
mod sort;

use std::ops::Range;
use std::path::Path;

use hashbrown::DefaultHashBuilder;
use tabiya_io::change::DatabaseChange;
use tabiya_io::held_folder;
use tabiya_model::error_codes;
use tabiya_model::sort_order::{SortKey, SortValue};
use tabiya_model::{Database, Error, Game, GameNeeds, Losses, Result, Severity, UserHint};

use self::names::ScidNameTable;
use self::sort::ScidNameRanks;
use super::encode::ScidRecordWriter;
use super::error::ScidError;
use super::files::ScidFiles;
use super::layout::{BLOCK, ScidEntry, ScidNameKind, ScidVersion, Si4Header, flag};
use super::losses;
use super::names::{INFO_KEYS, ScidNameUse, encode_sn4, push_sn5};
use super::reader::ScidReader;
use super::writer::{KINDS, ScidNameList};
use tabiya_codec::edit::{
    DatabaseEditor, DescriptionChange, HistoryNoteFn, commit, edit_keys, failed, is_order,
    no_order, without,
};
use tabiya_codec::format::OpenOptions;

/// A database that is being changed. If it is dropped without [`ScidEditor::commit`], the database stays unchanged.
#[derive(Debug)]
pub struct ScidEditor {
    base: ScidReader,
    change: DatabaseChange,
    header: Si4Header,
    /// The bytes to append to the name file of si5, or all of it if it is rewritten; si4 always writes a new one.
    name_bytes: Vec<u8>,
    /// New texts of the database; si5 only.
    described: Vec<(String, Vec<u8>)>,
    /// All entries, once an old one was needed; before that, only the new ones after those of the database.
    entries: Vec<ScidEntry>,
    has_all: bool,
    names: [ScidNameTable; 4],
    hashes: DefaultHashBuilder,
    writer: ScidRecordWriter,
    /// Records for the end of the game file, with the padding between them.
    records: Vec<u8>,
    /// The offset of the records.
    records_at: u64,
    /// The size of the game file when it was opened.
    size: u64,
    /// The records replace the game file instead of following it.
    rewrites_games: bool,
    changes_names: bool,
    /// Names are used by other games, or more often, so their frequencies have changed.
    changes_uses: bool,
    changes_index: bool,
    /// Games were removed.
    takes_out: bool,
    /// The size of the game file before the change that is undone.
    end_at: Option<u64>,
}

impl ScidEditor {
    /// Opens a database for changes. A damaged database is refused: a change could make its damage permanent.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn DatabaseEditor>> {
        Ok(Box::new(ScidEditor::open_base(path, options)?))
    }

    fn open_base(path: &Path, options: &OpenOptions) -> Result<ScidEditor> {
        let (_, files) = ScidFiles::find(path)?;
        let change = DatabaseChange::begin(&files.all()).map_err(failed)?;
        let base = ScidReader::open(path, options)?;
        let version = base.version();
        if version == ScidVersion::Si3 {
            return Err(Error::new(
                &error_codes::NOT_CHANGEABLE,
                "Scid 3 databases can only be read: convert it to si4 or si5 first",
            ));
        }
        let damaged = [&Database::diagnostics(&base), &base.names().diagnostics]
            .iter()
            .any(|found| found.at_least(Severity::Damage) > 0);
        if damaged {
            return Err(Error::new(
                &error_codes::DAMAGED_NOT_CHANGED,
                "the database is damaged; a change could make the damage permanent",
            )
            .in_file(files.index.display().to_string())
            .with_hint(UserHint::Repair));
        }
        let size = held_folder::metadata(&files.games)
            .map_err(|error| ScidError::io(&files.games, error))?
            .len();
        Ok(ScidEditor {
            change,
            header: base.header().cloned().unwrap_or_default(),
            name_bytes: Vec::new(),
            entries: Vec::new(),
            has_all: false,
            names: Default::default(),
            hashes: DefaultHashBuilder::default(),
            writer: ScidRecordWriter::new(version, true),
            described: Vec::new(),
            records: Vec::new(),
            records_at: size,
            size,
            rewrites_games: false,
            changes_names: false,
            changes_uses: false,
            changes_index: false,
            takes_out: false,
            end_at: None,
            base,
        })
    }

    /// Loads the old entries, if they are not loaded yet.
    fn load(&mut self) {
        if std::mem::replace(&mut self.has_all, true) {
            return;
        }
        let added = std::mem::take(&mut self.entries);
        self.entries = (1..=self.base.count())
            .filter_map(|number| self.base.entry(number))
            .collect();
        self.entries.extend(added);
    }
}

impl DatabaseEditor for ScidEditor {
    fn len(&self) -> u64 {
        let loaded = self.entries.len() as u64;
        if self.has_all {
            loaded
        } else {
            self.base.count() + loaded
        }
    }

    fn flags(&mut self, games: &[Range<u64>], set: &str, clear: &str) -> Result<u64> {
        let (set, clear) = (flag_bits(set)?, flag_bits(clear)?);
        let mut changed = 0;
        for range in games {
            self.exists(range)?;
        }
        self.load();
        for range in games {
            for number in range.clone() {
                if let Some(entry) = self.entry_mut(number) {
                    let flags = (entry.flags & !clear) | set;
                    changed += u64::from(flags != entry.flags);
                    entry.flags = flags;
                }
            }
        }
        self.changes_index |= changed > 0;
        Ok(changed)
    }

    fn describe(&mut self, new: &DescriptionChange) -> Result<()> {
        self.describe_base(new)
    }

    fn append(&mut self, game: &Game, losses: &mut Losses) -> Result<bool> {
        let Some(entry) = self.encode(game, losses)? else {
            return Ok(false);
        };
        if self.len() >= self.base.version().game_limit() {
            losses.report(
                &losses::LOST_FULL,
                game.origin.number,
                "no room for more games",
            );
            return Ok(false);
        }
        self.entries.push(entry);
        (self.changes_index, self.changes_uses) = (true, true);
        Ok(true)
    }

    fn replace(&mut self, number: u64, game: &Game, losses: &mut Losses) -> Result<bool> {
        self.exists(&(number..number.saturating_add(1)))?;
        let Some(entry) = self.encode(game, losses)? else {
            return Ok(false);
        };
        self.load();
        if let Some(slot) = self.entry_mut(number) {
            *slot = entry;
        }
        (self.changes_index, self.changes_uses) = (true, true);
        Ok(true)
    }

    fn cut(&mut self, left: u64) -> Result<()> {
        self.load();
        self.entries
            .truncate(usize::try_from(left).unwrap_or(usize::MAX));
        (self.changes_index, self.changes_uses) = (true, true);
        self.takes_out = true;
        let count = self.entries.len();
        self.move_autoload(|old| (old < count).then_some(old));
        Ok(())
    }

    fn remove(&mut self, games: &[u64]) -> Result<()> {
        for number in games {
            self.exists(&(*number..number.saturating_add(1)))?;
        }
        self.load();
        let old = std::mem::take(&mut self.entries);
        let left: Vec<usize> = without(games, old.len());
        self.entries = left.iter().filter_map(|at| old.get(*at).copied()).collect();
        (self.changes_index, self.changes_uses) = (true, true);
        self.takes_out = true;
        self.move_autoload(|old| left.binary_search(&old).ok());
        Ok(())
    }

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }

    fn end_at(&mut self, size: u64) {
        self.end_at = Some(size);
    }

    fn text(&self, number: u64) -> Result<Option<Vec<u8>>> {
        Ok(self.old_entry(number))
    }

    fn keep_text(&mut self, number: u64, text: &[u8]) -> Result<()> {
        self.bring_back_entry(number, text)
    }

    fn sort(&mut self, words: &[String]) -> Result<Vec<u64>> {
        let keys = edit_keys(words)?;
        self.load();
        let (books, names) = (&self.names, self.base.names());
        let ranks = ScidNameRanks::new(&keys, &self.entries, |kind, number| {
            books
                .get(kind as usize)
                .map_or(&[][..], |book| book.get(names, kind, number))
        });
        let mut found: Vec<(Vec<SortValue>, u64)> = (1..)
            .zip(&self.entries)
            .map(|(number, entry)| {
                let values = keys.iter().map(|key| ranks.value(key, number, entry));
                (values.collect(), number)
            })
            .collect();
        found.sort_by(|(a, _), (b, _)| SortKey::compare_all(&keys, a, b));
        let order: Vec<u64> = found.into_iter().map(|(_, number)| number).collect();
        self.reorder(&order)?;
        Ok(order)
    }

    fn reorder(&mut self, order: &[u64]) -> Result<()> {
        self.load();
        if !is_order(order, self.entries.len() as u64) {
            return Err(no_order());
        }
        if order.iter().copied().eq(1..=order.len() as u64) {
            return Ok(());
        }
        self.changes_index = true;
        let place = |number: &u64| usize::try_from(number - 1).unwrap_or(usize::MAX);
        self.entries = order
            .iter()
            .filter_map(|number| self.entries.get(place(number)).copied())
            .collect();
        self.move_autoload(|old| order.iter().position(|number| place(number) == old));
        Ok(())
    }

    fn compact(&mut self) -> Result<Vec<u64>> {
        self.load();
        (self.changes_index, self.changes_uses) = (true, true);
        let old = std::mem::take(&mut self.entries);
        let kept: Vec<usize> = (0..old.len())
            .filter(|index| {
                old.get(*index)
                    .is_some_and(|entry| !entry.has(flag::DELETED))
            })
            .collect();
        let appended = std::mem::take(&mut self.records);
        let appended_at = std::mem::replace(&mut self.records_at, 0);
        let path = &self.base.files().games.clone();
        let mut names: [ScidNameList; 4] = Default::default();
        let mut buffer = Vec::new();
        // First, because the new name file contains it.
        self.move_autoload(|old| kept.iter().position(|index| *index == old));
        self.rewrites_games = true;
        self.changes_names = true;
        self.name_bytes.clear();
        if self.base.version() == ScidVersion::Si5 {
            let mut info = Vec::new();
            for key in INFO_KEYS {
                if let Some(value) = self.info(key) {
                    push_sn5(4, &[key.as_bytes(), value], &mut info);
                }
            }
            self.name_bytes = info;
        }
        let file = self.base.games()?;
        for index in &kept {
            let Some(mut entry) = old.get(*index).copied() else {
                continue;
            };
            let record = match entry.offset.checked_sub(appended_at) {
                Some(at) => slice(&appended, at, entry.length),
                None => file
                    .get(entry.offset, entry.length, &mut buffer)
                    .map_err(|error| ScidError::io(path, error))?,
            };
            if record.len() != entry.length as usize {
                return Err(Error::new(
                    &error_codes::DAMAGED_NOT_CHANGED,
                    format!("the record of game {} is outside the file", index + 1),
                )
                .in_file(path.display().to_string())
                .with_hint(UserHint::Repair));
            }
            entry.offset = place(&mut self.records, 0, record);
            for (field, kind) in fields(&mut entry).into_iter().zip(KINDS) {
                let (Some(from), Some(to)) =
                    (self.names.get(kind as usize), names.get_mut(kind as usize))
                else {
                    continue;
                };
                let limit = u64::from(u32::MAX);
                let name = from.get(self.base.names(), kind, *field);
                if let Some((number, is_new)) = to.intern(&self.hashes, name, 0, limit) {
                    *field = number;
                    if is_new {
                        push_sn5(kind as u8, &[name], &mut self.name_bytes);
                    }
                }
            }
            self.entries.push(entry);
        }
        self.names = names.map(ScidNameTable::of);
        let numbers = 1..=old.len() as u64;
        Ok(numbers
            .zip(&old)
            .filter(|(_, entry)| entry.has(flag::DELETED))
            .map(|(number, _)| number)
            .collect())
    }

    fn read(&self, number: u64, want: GameNeeds) -> Result<Game> {
        let mut game = Game::default();
        Database::read(&self.base, number, want, &mut game)?;
        Ok(game)
    }

    fn commit(mut self: Box<Self>, noting: Option<HistoryNoteFn<'_>>) -> Result<()> {
        let files = self.base.files().clone();
        let is_si5 = self.base.version() == ScidVersion::Si5;
        let games_end = self.games_end();
        if !self.rewrites_games {
            self.change.has_sound_steps();
        }
        if self.rewrites_games {
            self.change
                .replace(&files.games, &[&self.records])
                .map_err(failed)?;
        } else if !self.records.is_empty() {
            self.change
                .append(&files.games, &self.records)
                .map_err(failed)?;
        }
        // The frequencies in sn4 follow from the index.
        if is_si5 && self.changes_names && !self.rewrites_games {
            self.change
                .append(&files.names, &self.name_bytes)
                .map_err(failed)?;
        } else if (is_si5 && self.changes_names)
            || (!is_si5 && self.changes_uses && !self.drops_names())
        {
            let names = self.name_file();
            self.change
                .replace(&files.names, &[&names])
                .map_err(failed)?;
        }
        if self.changes_index {
            let index = self.index();
            let done = if is_si5 && !self.has_all {
                self.change.append(&files.index, &index)
            } else {
                self.change.replace(&files.index, &[&index])
            };
            done.map_err(failed)?;
        }
        // Bytes are removed only after the index without them is written.
        if self.drops_names() {
            self.end_names()?;
        }
        if let Some(end) = games_end {
            self.end_games(end)?;
        }
        commit(self.change, noting)
    }
}

impl ScidEditor {
    /// The index; for si5 only the new entries, as long as no old entry was needed.
    fn index(&mut self) -> Vec<u8> {
        let version = self.base.version();
        if version != ScidVersion::Si5 {
            self.load();
        }
        let mut bytes =
            Vec::with_capacity(version.header_size() + self.entries.len() * version.entry_size());
        if version != ScidVersion::Si5 {
            self.header.games = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&self.header.encode());
        }
        for entry in &self.entries {
            entry.encode(version, &mut bytes);
        }
        bytes
    }

    fn name_file(&mut self) -> Vec<u8> {
        if self.base.version() == ScidVersion::Si5 {
            return std::mem::take(&mut self.name_bytes);
        }
        self.load();
        let kept = match self.drops_names() {
            true => self.names_used(),
            false => [u64::MAX; 4],
        };
        let mut lists: Vec<&mut ScidNameList> = Vec::new();
        for (book, kind) in self.names.iter_mut().zip(ScidNameKind::ALL) {
            let list = book.whole(self.base.names(), kind, &self.hashes);
            list.uses.fill(0);
            lists.push(list);
        }
        for index in 0..self.entries.len() {
            let Some(mut entry) = self.entries.get(index).copied() else {
                continue;
            };
            for (field, kind) in fields(&mut entry).into_iter().zip(KINDS) {
                let list = lists.get_mut(kind as usize);
                if let Some(count) = list.and_then(|list| list.uses.get_mut(*field as usize)) {
                    *count = count.saturating_add(1);
                }
            }
        }
        let mut sections: [Vec<ScidNameUse<'_>>; 4] = Default::default();
        for ((section, list), kept) in sections.iter_mut().zip(&lists).zip(kept) {
            let kept = usize::try_from(kept).unwrap_or(usize::MAX);
            section.extend(
                (0..)
                    .zip(list.uses.iter().take(kept))
                    .map(|(id, uses)| ScidNameUse {
                        id,
                        frequency: *uses,
                        name: list.get(id),
                    }),
            );
        }
        encode_sn4(&mut sections)
    }

    /// Encodes a game, with its record and its names in place.
    fn encode(&mut self, game: &Game, losses: &mut Losses) -> Result<Option<ScidEntry>> {
        let mut record = Vec::new();
        let Some((mut entry, tags)) = self.writer.write(game, &mut record, losses) else {
            return Ok(None);
        };
        let limits = self.base.version().name_limits();
        for ((field, kind), tag) in fields(&mut entry).into_iter().zip(KINDS).zip(tags.at) {
            let name = self.writer.name(game, tag, losses);
            let limit = limits.get(kind as usize).copied().unwrap_or(0);
            let (names, hashes) = (self.base.names(), &self.hashes);
            let book = self.names.get_mut(kind as usize);
            let Some((number, is_new)) =
                book.and_then(|book| book.number(names, kind, hashes, name, limit))
            else {
                losses.report(
                    &losses::LOST_FULL,
                    game.origin.number,
                    "no room for more names",
                );
                return Ok(None);
            };
            *field = number;
            if is_new {
                self.changes_names = true;
                push_sn5(kind as u8, &[name], &mut self.name_bytes);
            }
        }
        let end = self.records_at + (self.records.len() + record.len()) as u64 + BLOCK;
        if end > self.base.version().games_file_limit() {
            losses.report(
                &losses::LOST_FULL,
                game.origin.number,
                "no room for more records",
            );
            return Ok(None);
        }
        entry.offset = place(&mut self.records, self.records_at, &record);
        Ok(Some(entry))
    }

    fn entry_mut(&mut self, number: u64) -> Option<&mut ScidEntry> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        self.entries.get_mut(index)
    }

    fn exists(&self, range: &Range<u64>) -> Result<()> {
        if range.start == 0 || range.end > self.len().saturating_add(1) {
            let number = if range.start == 0 { 0 } else { range.end - 1 };
            let count = self.len();
            return Err(Error::new(
                &error_codes::NO_SUCH_GAME,
                format!("there is no game {number}: the database has {count} games"),
            )
            .with("number", number)
            .with("count", count));
        }
        Ok(())
    }
}

/// The numbers of the names of a game, in the order of [`KINDS`].
fn fields(entry: &mut ScidEntry) -> [&mut u32; 5] {
    [
        &mut entry.event,
        &mut entry.site,
        &mut entry.round,
        &mut entry.white,
        &mut entry.black,
    ]
}

/// Appends a record to others that begin at offset `base` of the file, within one block, and returns its place.
fn place(records: &mut Vec<u8>, base: u64, record: &[u8]) -> u64 {
    let end = base + records.len() as u64;
    let room = BLOCK - end % BLOCK;
    if record.len() as u64 > room {
        // The rest of the block is filled with the beginning of the record, as Scid does.
        let filler = usize::try_from(room).unwrap_or(0);
        records.extend_from_slice(record.get(..filler).unwrap_or(record));
    }
    let start = base + records.len() as u64;
    records.extend_from_slice(record);
    start
}

fn slice(bytes: &[u8], at: u64, length: u32) -> &[u8] {
    let start = usize::try_from(at).unwrap_or(usize::MAX);
    bytes
        .get(start..start.saturating_add(length as usize))
        .unwrap_or_default()
}

/// The bits of flag letters that a user may choose.
fn flag_bits(letters: &str) -> Result<u32> {
    let mut bits = 0;
    for letter in letters.chars() {
        let found = flag::LETTERS
            .iter()
            .position(|known| char::from(*known) == letter.to_ascii_uppercase());
        let bit = found.map_or(0, |at| 1_u32 << at);
        if bit == 0 || bit & flag::DERIVED != 0 {
            let all: String = flag::LETTERS
                .iter()
                .skip(3)
                .map(|letter| char::from(*letter))
                .collect();
            return Err(Error::new(
                &error_codes::NO_SUCH_FLAG,
                format!("{letter}: not a flag; the flags are {all}"),
            ));
        }
        bits |= bit;
    }
    Ok(bits)
}
