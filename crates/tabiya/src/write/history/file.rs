//! The file of a history: read from its end, so that adding a change always costs the same.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use tabiya_io::change::HistoryUpdate;
use tabiya_model::{Error, Result, UserHint};

use super::record::{EditEffect, HistoryEntry, HistoryEntryDraft, encode, end_line};
use crate::error_codes;
use crate::open::inspection::cannot_open;

/// The first line.
pub(super) const HEADING: &str = "tabiya history 1\n";
/// The longest line that is looked for before a game stands in it.
const LINE: u64 = 512;
/// A history longer than this is trimmed, however few changes it holds.
const MOST: u64 = 256 << 20;

/// The changes that a history holds, the oldest first.
#[derive(Debug, Default)]
pub(super) struct HistoryContents {
    pub(super) path: PathBuf,
    pub(super) heads: Vec<HistoryEntry>,
    /// Whether a part of it could not be understood.
    pub(super) is_damaged: bool,
}

struct HistoryFile {
    file: File,
    size: u64,
}

impl HistoryFile {
    /// Opens a history; nothing where there is none.
    fn open(path: &Path) -> Result<Option<HistoryFile>> {
        match tabiya_io::regular_file::open(path) {
            Ok(file) => {
                let size = file.metadata()?.len();
                Ok(Some(HistoryFile { file, size }))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(cannot_open(path, error)),
        }
    }

    fn get(&mut self, at: u64, length: u64) -> Result<Vec<u8>> {
        let length = length.min(self.size.saturating_sub(at));
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(at))?;
        (&self.file).take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// A short line that begins at a place, without its end.
    fn line(&mut self, at: u64) -> Result<Option<String>> {
        let bytes = self.get(at, LINE)?;
        let line = bytes.split(|byte| *byte == b'\n').next();
        let is_whole = line.is_some_and(|line| line.len() < bytes.len());
        let line = line.filter(|_| is_whole).map(<[u8]>::to_vec);
        Ok(line.and_then(|line| String::from_utf8(line).ok()))
    }

    /// The change that begins at a place, and where the next one begins.
    fn change(&mut self, at: u64) -> Result<Option<(HistoryEntry, u64)>> {
        let Some(line) = self.line(at)? else {
            return Ok(None);
        };
        let start = at + line.len() as u64 + 1;
        let Some(head) = HistoryEntry::parse(&line, start) else {
            return Ok(None);
        };
        let Some(end) = start
            .checked_add(head.length)
            .filter(|end| *end < self.size)
        else {
            return Ok(None);
        };
        let wanted = end_line(head.id, end - at);
        let is_whole = self.get(end, wanted.len() as u64)? == wanted.as_bytes();
        Ok(is_whole.then_some((head, end + wanted.len() as u64)))
    }

    /// The change that ends at a place, and where it begins.
    fn change_before(&mut self, end: u64) -> Result<Option<(HistoryEntry, u64)>> {
        let from = end.saturating_sub(LINE);
        let bytes = self.get(from, end - from)?;
        let Some(text) = bytes.strip_suffix(b"\n") else {
            return Ok(None);
        };
        let line = text.rsplit(|byte| *byte == b'\n').next().unwrap_or(text);
        let length = std::str::from_utf8(line)
            .ok()
            .and_then(|line| line.strip_prefix("end "))
            .and_then(|line| line.split_once(' '))
            .and_then(|(_, length)| length.parse::<u64>().ok());
        let start = length.and_then(|length| (end - line.len() as u64 - 1).checked_sub(length));
        let Some(start) = start else {
            return Ok(None);
        };
        let change = self.change(start)?.filter(|(_, next)| *next == end);
        Ok(change.map(|(head, _)| (head, start)))
    }

    fn is_ours(&mut self) -> Result<bool> {
        Ok(self.get(0, HEADING.len() as u64)? == HEADING.as_bytes())
    }
}

fn foreign(path: &Path) -> Error {
    Error::new(
        &error_codes::FOREIGN_HISTORY,
        "this is not a history file of Tabiya, but has the name of one",
    )
    .in_file(path.display().to_string())
    .with_hint(UserHint::NoHistory)
}

/// Reads what a history holds. Where it is damaged, what stands before and behind the damage counts.
pub(super) fn read(path: &Path) -> Result<HistoryContents> {
    let mut found = HistoryContents {
        path: path.to_path_buf(),
        ..HistoryContents::default()
    };
    let Some(mut bytes) = HistoryFile::open(path)? else {
        return Ok(found);
    };
    if !bytes.is_ours()? {
        return Err(foreign(path));
    }
    let first = HEADING.len() as u64;
    let mut end = bytes.size;
    while end > first
        && let Some((head, start)) = bytes.change_before(end)?
    {
        found.heads.push(head);
        end = start;
    }
    found.heads.reverse();
    if end > first {
        found.is_damaged = true;
        let mut before = Vec::new();
        let mut at = first;
        while at < end
            && let Some((head, next)) = bytes.change(at)?
        {
            before.push(head);
            at = next;
        }
        before.append(&mut found.heads);
        found.heads = before;
    }
    // Numbers rise, or somebody else has written them.
    let is_rising = found.heads.is_sorted_by(|a, b| a.id < b.id);
    if !is_rising {
        found.is_damaged = true;
        found.heads.clear();
    }
    Ok(found)
}

impl HistoryContents {
    /// What a change did, in a database of at most so many games.
    pub(super) fn effect(&self, head: &HistoryEntry, most: u64) -> Result<EditEffect> {
        let damaged = || {
            Error::new(
                &error_codes::HISTORY_DAMAGED,
                format!(
                    "the record of change {} is damaged, and cannot be used; nothing was changed",
                    head.id
                ),
            )
            .in_file(self.path.display().to_string())
        };
        let mut bytes = HistoryFile::open(&self.path)?.ok_or_else(damaged)?;
        let payload = bytes.get(head.at, head.length)?;
        head.effect(&payload, most).ok_or_else(damaged)
    }
}

/// What is to be written for one more change. At most `keep` changes stay; where the bound is reached, a quarter of them
/// goes at once.
pub(super) fn note(path: &Path, keep: u64, noted: &HistoryEntryDraft<'_>) -> Result<HistoryUpdate> {
    let Some(mut bytes) = HistoryFile::open(path)? else {
        let mut new = HEADING.as_bytes().to_vec();
        new.extend(encode(1, noted));
        return Ok(HistoryUpdate::Anew(new));
    };
    if !bytes.is_ours()? {
        return Err(foreign(path));
    }
    let first = HEADING.len() as u64;
    let size = bytes.size;
    // What stands at both ends says how many there are.
    let last = bytes.change_before(size)?;
    let oldest = bytes.change(first)?;
    if let (Some((last, _)), Some((oldest, _))) = (&last, &oldest)
        && last.id.saturating_sub(oldest.id) + 2 <= keep
        && last.id < u64::MAX
        && size < MOST
    {
        let id = last.id + 1;
        return Ok(HistoryUpdate::Add(encode(id, noted)));
    }
    if size == first {
        return Ok(HistoryUpdate::Add(encode(1, noted)));
    }
    let heads = read(path)?.heads;
    let id = heads.last().map_or(1, |last| last.id.saturating_add(1));
    let room = usize::try_from(keep - keep / 4).unwrap_or(usize::MAX);
    let mut from = heads.len().saturating_sub(room.saturating_sub(1));
    if (heads.len() as u64) < keep && size < MOST {
        // Only damage is left out.
        from = 0;
    }
    let mut new = HEADING.as_bytes().to_vec();
    let mut kept = Vec::new();
    let mut length = 0_u64;
    // From the newest on, as far as they fit.
    for head in heads.get(from..).unwrap_or_default().iter().rev() {
        length = length.saturating_add(head.length);
        if length > MOST / 2 {
            break;
        }
        kept.push(head);
    }
    for head in kept.into_iter().rev() {
        let line = bytes.get(head.at.saturating_sub(LINE), head.at.min(LINE))?;
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let line = line.rsplit(|byte| *byte == b'\n').next().unwrap_or(line);
        let start = new.len();
        new.extend_from_slice(line);
        new.push(b'\n');
        new.extend(bytes.get(head.at, head.length)?);
        let whole = (new.len() - start) as u64;
        new.extend(end_line(head.id, whole).into_bytes());
    }
    new.extend(encode(id, noted));
    Ok(HistoryUpdate::Anew(new))
}
