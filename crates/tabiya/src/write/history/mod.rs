//! The history beside a base (`games.pgn.tabiya-history`): what each change removed, so that it can be restored.
//!
//! `docs/history.md` explains its bytes. It is written as a part of the change that it records, and read from the last
//! change back. A game is followed through it by what every change did to the numbers, so that a version of it is found
//! after games were sorted or removed. If another program has changed the base in between, which the states of the files
//! show, no earlier numbers are used.
//!
//! [`edit`](crate::write::edit::edit) writes it, [`edit::history`](crate::write::edit::history) opens it.

mod file;
mod record;
#[cfg(test)]
mod tests;

use crate::error_codes;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tabiya_io::change::{self, DatabaseStates, HistoryUpdate};
use tabiya_model::editor::draft::game_line;
use tabiya_model::{Error, Game, Result};

pub use self::record::{EditEffect, HistoryEntry, OldFlags, OldGame};

/// The default number of changes that are kept.
pub const KEEP: u64 = 1000;

/// The history of a base.
#[derive(Debug)]
pub struct EditHistory {
    changes: file::HistoryContents,
    /// The state of the base now.
    state: u64,
}

/// A version of a game that a change replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct GameVersion {
    /// The change.
    pub change: HistoryEntry,
    /// The number that the game had before it.
    pub number: u64,
    /// The earlier version.
    pub was: GameVersionContent,
}

/// The version of a game before a change.
#[derive(Clone, Debug, PartialEq)]
pub enum GameVersionContent {
    /// Another game.
    Game(OldGame),
    /// It had other flags.
    Flags(OldFlags),
    /// It did not exist: the change added it.
    New,
}

impl EditHistory {
    /// The path of a base's history, given its first file.
    pub fn path_of(base: &Path) -> PathBuf {
        change::history_of(base)
    }

    /// Opens the history of a base, given all its files, the one that it is opened by first. A base without a history has
    /// an empty one.
    pub fn open(files: &[PathBuf]) -> Result<EditHistory> {
        let first = files.first().map_or(Path::new(""), PathBuf::as_path);
        let changes = file::read(&change::history_of(first))?;
        let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        Ok(EditHistory {
            changes,
            state: change::state_of(&files)?,
        })
    }

    /// The changes, the oldest first.
    pub fn changes(&self) -> &[HistoryEntry] {
        &self.changes.heads
    }

    /// Whether a part of it could not be read.
    pub fn is_damaged(&self) -> bool {
        self.changes.is_damaged
    }

    /// The effect of a change in a base that has never had more than this number of games.
    pub fn effect(&self, change: &HistoryEntry, most: u64) -> Result<EditEffect> {
        self.changes.effect(change, most)
    }

    /// The changes from the last back that lead to the current state of the base, without a gap.
    pub fn contiguous_entries(&self) -> impl Iterator<Item = &HistoryEntry> {
        let mut state = self.state;
        let mut id = None;
        self.changes.heads.iter().rev().take_while(move |head| {
            let follows = id.is_none_or(|id| head.id + 1 == id);
            let leads = std::mem::replace(&mut state, head.states.before) == head.states.after;
            id = Some(head.id);
            follows && leads
        })
    }

    /// Whether the base was changed without this history since its last change.
    pub fn is_outdated(&self) -> bool {
        let last = self.changes.heads.last();
        last.is_some_and(|last| last.states.after != self.state)
    }

    /// The change to undo: the last one that was not undone. Those that changed no game are skipped.
    pub fn to_undo(&self, games: u64) -> Result<(HistoryEntry, EditEffect)> {
        let mut wanted: Option<u64> = None;
        let mut most = games;
        for head in self.contiguous_entries() {
            let effect = self.effect(head, most)?;
            if let EditEffect::Removed(gone) | EditEffect::Deleted(gone) = &effect {
                most = most.saturating_add(gone.len() as u64);
            }
            if wanted.is_some_and(|wanted| head.id > wanted) {
                continue;
            }
            match head.undoes {
                Some(id) => wanted = Some(id.saturating_sub(1)),
                None if effect == EditEffect::Described => {}
                None => return Ok((head.clone(), effect)),
            }
        }
        let path = self.changes.path.display();
        Err(Error::new(
            &error_codes::NOTHING_TO_UNDO,
            if self.changes.heads.is_empty() {
                format!("{path}: there is nothing to undo: the history is empty")
            } else if self.is_outdated() {
                format!(
                    "{path}: there is nothing to undo: the database has since been changed without its history"
                )
            } else {
                format!("{path}: there is nothing left to undo")
            },
        ))
    }

    /// The versions of a game of a base with this number of games now, the newest first.
    pub fn versions(&self, number: u64, games: u64) -> Result<Vec<GameVersion>> {
        let mut found = Vec::new();
        let (mut number, mut games) = (number, games);
        // A game that was put back is followed on from before it was taken out.
        let mut before = u64::MAX;
        for head in self.contiguous_entries() {
            if head.id >= before {
                continue;
            }
            let effect = self.effect(head, games)?;
            let was = match effect {
                EditEffect::Added(count) => {
                    games = games.saturating_sub(count);
                    (number > games).then_some(GameVersionContent::New)
                }
                EditEffect::Inserted(numbers) => {
                    match (numbers.binary_search(&number), head.undoes) {
                        (Ok(_), Some(undone)) => before = undone,
                        (Ok(_), None) => return Ok(found),
                        (Err(lower), _) => {
                            number -= lower as u64;
                            games = games.saturating_sub(numbers.len() as u64);
                        }
                    }
                    None
                }
                EditEffect::Replaced(list) => list
                    .into_iter()
                    .find(|kept| kept.number == number)
                    .map(GameVersionContent::Game),
                EditEffect::Flagged(list) => list
                    .into_iter()
                    .find(|flagged| flagged.games.contains(&number))
                    .map(GameVersionContent::Flags),
                EditEffect::Ordered(order) => {
                    let at = usize::try_from(number.wrapping_sub(1)).unwrap_or(usize::MAX);
                    number = order.get(at).copied().unwrap_or(0);
                    None
                }
                EditEffect::Removed(gone) | EditEffect::Deleted(gone) => {
                    let mut gone: Vec<u64> = gone.iter().map(|kept| kept.number).collect();
                    gone.sort_unstable();
                    games = games.saturating_add(gone.len() as u64);
                    for gone in gone {
                        if gone <= number {
                            number += 1;
                        }
                    }
                    None
                }
                EditEffect::Described => None,
            };
            let is_new = was == Some(GameVersionContent::New);
            if let Some(was) = was {
                found.push(GameVersion {
                    change: head.clone(),
                    number,
                    was,
                });
            }
            if is_new || number == 0 {
                break;
            }
        }
        Ok(found)
    }
}

/// What a change does, noted while it is prepared.
#[derive(Debug)]
pub(crate) struct HistoryNotes {
    pub(crate) effect: EditEffect,
    /// [`HistoryEntry::size`].
    pub(crate) size: Option<u64>,
    kept: usize,
}

impl HistoryNotes {
    pub(crate) fn new(effect: EditEffect) -> HistoryNotes {
        HistoryNotes {
            effect,
            size: None,
            kept: 0,
        }
    }

    /// Keeps an old game, with its bytes where they are known.
    pub(crate) fn keep(&mut self, number: u64, game: &Game, text: Option<Vec<u8>>) {
        let line = game_line(game);
        let length = line.len() + text.as_ref().map_or(0, Vec::len);
        self.kept = self.kept.saturating_add(length);
        let has_room = self.kept <= record::MOST_KEPT;
        let kept = OldGame {
            number,
            line: has_room.then_some(line),
            text: text.filter(|_| has_room),
        };
        match self.effect.old_games_mut() {
            Some(list) => list.push(kept),
            None => self.effect = EditEffect::Replaced(vec![kept]),
        }
    }

    /// Whether something had no room.
    pub(crate) fn is_cut(&self) -> bool {
        self.kept > record::MOST_KEPT
    }

    /// Keeps the flags of an old game.
    pub(crate) fn keep_flags(&mut self, number: u64, touched: &str, had: String) {
        let EditEffect::Flagged(list) = &mut self.effect else {
            return;
        };
        match list.last_mut() {
            Some(last) if last.games.end == number && last.had == had => last.games.end += 1,
            _ => list.push(OldFlags {
                games: number..number.saturating_add(1),
                touched: touched.to_owned(),
                had,
            }),
        }
    }

    /// What is to be written beside a base for a change that was wished in these words.
    pub(crate) fn note(
        &self,
        path: &Path,
        keep: u64,
        states: DatabaseStates,
        wish: &str,
    ) -> Result<HistoryUpdate> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = now.map_or(0, |time| time.as_secs());
        let noted = record::HistoryEntryDraft {
            time,
            states,
            size: self.size,
            wish,
            effect: &self.effect,
        };
        file::note(path, keep, &noted)
    }
}
