//! The folders within which databases may be opened, listed for somebody who looks for one.

use std::path::{Component, Path, PathBuf};

use axum::http::StatusCode;
use tabiya::folder_listing;
use tabiya::window_list::{self, WindowDatabase, WindowDatabasePlace};
use tabiya_answers::server::{
    FolderAnswer, FolderDatabaseAnswer, FolderEntryAnswer, FolderWindowAnswer,
    FolderWindowDatabaseAnswer,
};
use tabiya_io::held_folder;
use tabiya_model::Control;

use super::{Library, hold_at, push_new};
use crate::answer::Refusal;
use crate::{error_codes, limits};

fn shown_path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The last part of a path; all of it where it has none, as the root of a disk.
fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(
        || shown_path(path),
        |name| name.to_string_lossy().into_owned(),
    )
}

fn folder_entry(path: &Path) -> FolderEntryAnswer {
    FolderEntryAnswer {
        name: name_of(path),
        path: shown_path(path),
    }
}

impl Library {
    /// What a folder holds that may be opened, or the folders and databases that the user has named.
    pub(crate) fn folder(
        &self,
        path: Option<&str>,
        control: &Control,
    ) -> std::result::Result<FolderAnswer, Refusal> {
        let Some(path) = path else {
            return Ok(self.named_places());
        };
        let path = Path::new(path);
        let told = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
        let real = held_folder::full_path(path)
            .map_err(|error| Refusal::bad(&error_codes::BAD_PATH, told(&error)))?;
        if !self.is_allowed(&real) {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                &error_codes::OUTSIDE_FOLDERS,
                told(&"this does not lie in a folder that `tabiya serve` was given"),
            ));
        }
        hold_at(&self.held, &real);
        if !held_folder::is_dir(&real) {
            return Err(Refusal::bad(
                &error_codes::BAD_PATH,
                told(&"this is not a folder"),
            ));
        }
        let found = folder_listing::list_folder(&self.opener, &real, limits::LISTED, control)?;
        let parent = real.parent().filter(|parent| self.is_allowed(parent));
        Ok(FolderAnswer {
            path: Some(shown_path(&real)),
            parent: parent.map(shown_path),
            folders: found.folders.iter().map(|it| folder_entry(it)).collect(),
            databases: found
                .databases
                .iter()
                .map(|one| FolderDatabaseAnswer {
                    name: name_of(&one.path),
                    path: shown_path(&one.path),
                    format: one.format,
                    bytes: one.bytes,
                    base: self.at(&one.path),
                })
                .collect(),
            whole: found.whole,
            window: self.window(&real, control),
        })
    }

    /// The databases that the window of ChessBase shows, if a folder has their list. None of them is opened, and nothing is looked at
    /// outside of what may be opened: lists come from anybody, and their names lead anywhere.
    fn window(&self, folder: &Path, control: &Control) -> Option<FolderWindowAnswer> {
        let list = folder.join(window_list::NAME);
        if !held_folder::exists(&list) || !self.may_look(&list) {
            return None;
        }
        let mut told = FolderWindowAnswer {
            databases: Vec::new(),
            whole: true,
            trouble: None,
        };
        match window_list::list_within(&list, |path| self.may_look(path)) {
            Ok(databases) => {
                for database in databases {
                    if control.is_stopped() || told.databases.len() >= limits::LISTED {
                        told.whole = false;
                        break;
                    }
                    told.databases.push(self.window_database(database));
                }
            }
            Err(error) => told.trouble = Some(error.to_string()),
        }
        Some(told)
    }

    /// Whether a path that somebody else has written may be looked at. Where its words lead out, no link is followed.
    fn may_look(&self, path: &Path) -> bool {
        let mut parts = path.components();
        !parts.any(|part| part == Component::ParentDir)
            && self.is_allowed(path)
            && held_folder::full_path(path).is_ok_and(|real| self.is_allowed(&real))
    }

    fn window_database(&self, database: WindowDatabase) -> FolderWindowDatabaseAnswer {
        // Those in a cloud folder are no links: following one would fetch it.
        let real = match database.place {
            WindowDatabasePlace::Here => held_folder::full_path(&database.path).ok(),
            _ => None,
        };
        FolderWindowDatabaseAnswer {
            title: database.listed.title,
            path: real.as_deref().map(shown_path),
            place: database.place.name(),
            format: database.format,
            games: database.listed.games,
            reference: database.is_reference,
            base: real.and_then(|real| self.at(&real)),
        }
    }

    /// The folders and databases that the user has named.
    fn named_places(&self) -> FolderAnswer {
        let mut named = self.roots.clone();
        let handed = self.handed();
        for path in handed.named.iter().chain(&handed.beside) {
            push_new(&mut named, path);
        }
        drop(handed);
        let all = named.clone();
        // What lies in another one is found there.
        named.retain(|path| !all.iter().any(|one| path != one && path.starts_with(one)));
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = named
            .into_iter()
            .filter(|path| path.exists())
            .partition(|path| path.is_dir());
        let title = |path: &Path| self.opener.identify(path).ok().flatten();
        FolderAnswer {
            path: None,
            parent: None,
            folders: folders.iter().map(|it| folder_entry(it)).collect(),
            databases: files
                .iter()
                .map(|path| FolderDatabaseAnswer {
                    name: name_of(path),
                    path: shown_path(path),
                    format: title(path).map(|(format, _)| format.title),
                    bytes: path.metadata().map_or(0, |it| it.len()),
                    base: self.at(path),
                })
                .collect(),
            whole: true,
            window: None,
        }
    }
}
