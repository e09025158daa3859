//! Drafts on disk: a file each, in the folder `drafts` of the app's data.
//!
//! The first line identifies the game, the second is the game in the base, as the first line of a draft of the editor, and
//! then follows such a draft (`docs/editor.md`), which grows by a line for each edit.
//!
//! That folder is private to the user, so that nothing in it is reached through a held folder ([`tabiya_io::held`]).

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tabiya_io::held_folder::OpenMode;
use tabiya_io::lock::open_locked;
use tabiya_io::regular_file;
use tabiya_model::editor::GameEditor;
use tabiya_model::editor::draft::game_line;
use tabiya_model::{Error, Game, Result};

use super::{DraftSubject, hold};
use crate::error_codes;
use crate::limits;

const ENDING: &str = "draft";

#[derive(Serialize, Deserialize)]
struct DraftHeader {
    tabiya_draft: u32,
    of: DraftSubject,
    /// The last wish of each tab that is in it, but for those of its lines.
    #[serde(default)]
    heard: Vec<(String, u64)>,
}

/// What stands at the end of a line of the draft that tells whose wish it is.
const HEARD: &str = ",\"by\":";

/// The lines of a wish, of which the last one tells whose wish it is.
pub(super) fn with_request_id(lines: &str, tab: &str, seq: u64) -> String {
    match lines
        .trim_end()
        .strip_suffix('}')
        .filter(|_| !tab.is_empty())
    {
        Some(open) => format!("{open}{HEARD}[\"{tab}\",{seq}]}}\n"),
        None => lines.to_owned(),
    }
}

/// Whose wish a line is. Quotes within texts are never bare, so that nothing else looks like it.
fn heard_in(line: &str) -> Option<(String, u64)> {
    let (_, by) = line.strip_suffix('}')?.rsplit_once(HEARD)?;
    serde_json::from_str(by).ok()
}

/// A draft that is being written; nobody else writes it meanwhile.
pub(super) struct DraftFile {
    /// There until it is dropped.
    file: Option<Arc<std::fs::File>>,
    size: u64,
    syncing: Arc<DraftSync>,
}

/// A sync that is on its way: nobody who types waits for a disk.
#[derive(Default)]
struct DraftSync {
    /// Whether one will begin that reaches what is written now.
    is_ahead: AtomicBool,
    /// Why the last one failed; taken as long as one is under way.
    failed: Mutex<Option<std::io::Error>>,
}

/// A draft that was left behind.
pub(super) struct StoredDraft {
    pub(super) id: String,
    pub(super) of: DraftSubject,
    heard: Vec<(String, u64)>,
    path: PathBuf,
}

fn path_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.{ENDING}"))
}

impl DraftFile {
    /// Writes all of it, in the place of what stands there.
    pub(super) fn make(
        folder: &Path,
        id: &str,
        (of, heard): (&DraftSubject, &[(String, u64)]),
        was: &Game,
        draft: &str,
    ) -> Result<DraftFile> {
        std::fs::create_dir_all(folder)?;
        let head = DraftHeader {
            tabiya_draft: 1,
            of: of.clone(),
            heard: heard.to_vec(),
        };
        let head = serde_json::to_string(&head).map_err(|error| {
            Error::new(
                &error_codes::DRAFT_NOT_KEPT,
                format!("the draft is not saved: {error}"),
            )
        })?;
        let text = format!("{head}\n{}{}", game_line(was), draft);
        let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
        fresh.as_file().try_lock().map_err(std::io::Error::from)?;
        fresh.write_all(text.as_bytes())?;
        fresh.as_file().sync_all()?;
        let file = fresh
            .persist(path_of(folder, id))
            .map_err(|error| Error::from(error.error))?;
        Ok(DraftFile::of(file, text.len() as u64))
    }

    fn of(file: std::fs::File, size: u64) -> DraftFile {
        DraftFile {
            file: Some(Arc::new(file)),
            size,
            syncing: Arc::default(),
        }
    }

    /// Adds lines: no crash of a program takes them away when this returns, and none of the machine a moment later.
    pub(super) fn append(&mut self, lines: &str) -> Result<()> {
        self.size += lines.len() as u64;
        if self.size > limits::DRAFT {
            return Err(Error::new(
                &error_codes::DRAFT_FULL,
                "the draft is full: save the game, or a crash will lose its last changes",
            ));
        }
        if let Some(file) = &self.file {
            (&**file).write_all(lines.as_bytes())?;
            self.sync_soon(file)?;
        }
        Ok(())
    }

    /// Sees to it that what is written is on the disk soon; tells what came of the last time.
    fn sync_soon(&self, file: &Arc<std::fs::File>) -> Result<()> {
        if !self.syncing.is_ahead.swap(true, Ordering::AcqRel) {
            let (file, syncing) = (Arc::downgrade(file), Arc::clone(&self.syncing));
            std::thread::Builder::new().spawn(move || {
                std::thread::sleep(limits::DRAFT_SYNC);
                let mut failed = hold(&syncing.failed);
                // What is written from here on starts the next one.
                syncing.is_ahead.store(false, Ordering::Release);
                if let Some(file) = file.upgrade() {
                    *failed = file.sync_data().err();
                }
            })?;
        }
        let failed = self.syncing.failed.try_lock().ok();
        match failed.and_then(|mut failed| failed.take()) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// Takes it away from the disk, for which nothing has to be there any more.
    pub(super) fn remove(self, folder: &Path, id: &str) {
        self.syncing.is_ahead.store(false, Ordering::Release);
        remove(folder, id);
    }
}

impl Drop for DraftFile {
    /// What waits for the disk goes there now; with the file goes its lock, so that another server may take the draft up.
    fn drop(&mut self) {
        let _under_way = hold(&self.syncing.failed);
        if let Some(file) = self.file.take()
            && self.syncing.is_ahead.load(Ordering::Acquire)
        {
            // Whoever could be told is gone.
            let _ = file.sync_data();
        }
    }
}

/// Tabs, and the number of the last wish that each has made.
pub(super) type LastRequests = Vec<(String, u64)>;

impl StoredDraft {
    /// The game that the base held, the editor, the file, ready for more, and the last wish of each tab.
    pub(super) fn read(&self) -> Result<(Game, GameEditor, DraftFile, LastRequests)> {
        let unread = |what: String| {
            Error::new(&error_codes::DAMAGED, what).in_file(self.path.display().to_string())
        };
        let open = open_locked(&self.path, OpenMode::Change, limits::DRAFT_PATIENCE)?;
        let mut file = open.ok_or_else(|| {
            Error::new(
                &error_codes::DRAFT_ELSEWHERE,
                "another server is annotating this game; close that one first",
            )
        })?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut file)
            .take(limits::DRAFT * 2)
            .read_to_end(&mut bytes)?;
        // A last line that was cut off by a crash is no part of it.
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        bytes.truncate(whole);
        let text = String::from_utf8(bytes).map_err(|error| unread(error.to_string()))?;
        let mut lines = text.splitn(3, '\n');
        let (_, was, draft) = (
            lines.next(),
            lines.next().unwrap_or(""),
            lines.next().unwrap_or(""),
        );
        let read =
            |text: &str| GameEditor::from_draft(text).map_err(|error| unread(error.to_string()));
        let was = read(&format!("{was}\n"))?.into_game();
        let editor = read(draft)?;
        let mut heard = self.heard.clone();
        for (tab, seq) in draft.lines().filter_map(heard_in) {
            heard.retain(|(known, _)| *known != tab);
            heard.push((tab, seq));
        }
        heard.drain(..heard.len().saturating_sub(limits::TABS));
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        Ok((was, editor, DraftFile::of(file, whole as u64), heard))
    }
}

/// The drafts of a folder. What cannot be understood there is none.
pub(super) fn list(folder: &Path) -> Vec<StoredDraft> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let drafts = paths.filter(|path| path.extension().is_some_and(|ending| ending == ENDING));
    drafts.take(limits::DRAFTS * 4).filter_map(kept).collect()
}

fn kept(path: PathBuf) -> Option<StoredDraft> {
    let file = regular_file::open(&path).ok()?;
    let mut line = String::new();
    BufReader::new(file.take(limits::BODY as u64))
        .read_line(&mut line)
        .ok()?;
    let head: DraftHeader = serde_json::from_str(&line).ok()?;
    Some(StoredDraft {
        id: path.file_stem()?.to_str()?.to_owned(),
        of: head.of,
        heard: head.heard,
        path,
    })
}

pub(super) fn remove(folder: &Path, id: &str) {
    // One that is gone already is as good.
    let _ = std::fs::remove_file(path_of(folder, id));
}

/// Removes drafts that nobody has touched for a time.
pub(super) fn sweep(folder: &Path, age: Duration) {
    for kept in list(folder) {
        let modified = std::fs::metadata(&kept.path).and_then(|about| about.modified());
        let is_old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|since| since > age));
        if is_old {
            let _ = std::fs::remove_file(&kept.path);
        }
    }
}
