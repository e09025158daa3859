//! Formats that are written as a whole: a new database is made beside the old one, and takes its place.

use std::path::{Path, PathBuf};

use tabiya_io::change::DatabaseChange;
use tabiya_io::companions;
use tabiya_io::disk::Disk;
use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::error_codes;
use tabiya_model::{Error, Game, GameNeeds, Losses, Result};

use super::game_list::{EditListEntry, GameListEditor, GameListWriter};
use super::interrupted::extensions_of;
use super::{DatabaseEditor, HistoryNoteFn, failed};
use crate::format::{Format, OpenOptions, WriteOptions};

/// The databases of a format always have the same files.
pub(super) static SAME_FILES: WholeRewrite = WholeRewrite {
    has_optional_files: false,
    outdated: &[],
    carry: None,
};

/// Opens a database for changes that always has the same files.
pub fn open(
    format: &'static Format,
    path: &Path,
    options: &OpenOptions,
) -> Result<Box<dyn DatabaseEditor>> {
    open_with(format, path, options, &SAME_FILES)
}

/// Opens a database for changes whose files are not always the same.
pub fn open_with(
    format: &'static Format,
    path: &Path,
    options: &OpenOptions,
    rewrite: &'static WholeRewrite,
) -> Result<Box<dyn DatabaseEditor>> {
    Ok(Box::new(GameListEditor::open(
        format, path, options, rewrite,
    )?))
}

/// Writes a whole new database.
#[derive(Debug)]
pub struct WholeRewrite {
    /// Whether a database can lack some of the files of its format, so that a new one can have files that the old one has not.
    pub has_optional_files: bool,
    /// The extensions of files that a changed database makes outdated, and that the programs of this format make again if
    /// they are missing. They are removed before the new database takes its place: without them it is sound, with wrong
    /// ones it is not.
    pub outdated: &'static [&'static str],
    /// Carries over what the writer does not write.
    pub carry: Option<CarryOverFn>,
}

/// Stages files of the change that hold what the writer of the format does not write, and returns their extensions: they are
/// not taken from the new database.
pub type CarryOverFn = fn(&RewrittenDatabase<'_>, &mut DatabaseChange) -> Result<Vec<&'static str>>;

/// A database that is written, and not yet in place.
#[derive(Debug)]
pub struct RewrittenDatabase<'r> {
    /// The files of the old database, existing or not.
    pub files: &'r [PathBuf],
    /// The first file of the new one.
    pub new: &'r Path,
    /// How both are read.
    pub options: &'r OpenOptions,
    /// What each game of the new one was.
    pub origins: &'r [RewrittenGame],
}

/// What a game of a rewritten database was in the old one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RewrittenGame {
    /// The game of this number, unchanged.
    Same(u64),
    /// The game of this number, changed.
    Changed(u64),
    /// Nothing.
    Added,
}

impl RewrittenDatabase<'_> {
    /// The file of the old database with this extension, existing or not.
    pub fn file(&self, extension: &str) -> Option<&Path> {
        file_of(self.files, extension)
    }
}

/// The file with this extension.
fn file_of<'f>(files: &'f [PathBuf], extension: &str) -> Option<&'f Path> {
    let is_it = |file: &&PathBuf| {
        file.extension()
            .is_some_and(|own| own.eq_ignore_ascii_case(extension))
    };
    files.iter().find(is_it).map(PathBuf::as_path)
}

impl WholeRewrite {
    /// Removes the files that the changed database makes outdated.
    fn remove_outdated(&self, path: &Path) -> Result<()> {
        if self.outdated.is_empty() {
            return Ok(());
        }
        for file in companions::beside(path, path.file_stem().unwrap_or_default()) {
            let extension = file.extension().unwrap_or_default();
            let is_it = |outdated: &&str| extension.eq_ignore_ascii_case(outdated);
            if self.outdated.iter().any(is_it) {
                Disk::current()
                    .remove(&file)
                    .map_err(|error| Error::from(error).in_file(file.display().to_string()))?;
            }
        }
        Ok(())
    }

    /// Stages the files of the new database for their places.
    fn stage(
        &self,
        editor: &mut GameListEditor,
        files: &[PathBuf],
        new: &[PathBuf],
        list: &[EditListEntry],
    ) -> Result<()> {
        let mut carried = Vec::new();
        if let (Some(carry), Some(first)) = (self.carry, new.first()) {
            let origins: Vec<RewrittenGame> =
                list.iter().map(|entry| editor.origin(*entry)).collect();
            let rewritten = RewrittenDatabase {
                files,
                new: first,
                options: &editor.options,
                origins: &origins,
            };
            carried = carry(&rewritten, &mut editor.change)?;
        }
        for file in new {
            let extension = file.extension().unwrap_or_default();
            if carried.iter().any(|it| extension.eq_ignore_ascii_case(it)) {
                continue;
            }
            let target = match self.has_optional_files {
                true => file_of(files, &extension.to_string_lossy()).map(Path::to_path_buf),
                false => None,
            };
            let target = target.unwrap_or_else(|| {
                editor
                    .path
                    .with_file_name(file.file_name().unwrap_or_default())
            });
            editor.change.adopt(&target, file).map_err(failed)?;
        }
        Ok(())
    }
}

/// Writes the games of the list, old ones without any loss.
fn write_games(
    editor: &GameListEditor,
    writer: &mut SinkWriter,
    list: &[EditListEntry],
) -> Result<()> {
    let mut number = 0_u64;
    // Old games must be written without any loss; the losses of new ones were accepted when they were taken.
    let mut put = |game: &mut Game, is_old: bool| -> Result<()> {
        number += 1;
        let old = std::mem::replace(&mut game.origin.number, number);
        let mut losses = Losses::default();
        writer.write(game, &mut losses)?;
        if is_old {
            refuse(editor, &losses, Some(old))?;
        }
        Ok(())
    };
    let is_new = |piece: &EditListEntry| matches!(piece, EditListEntry::New(_));
    let is_in_order = list
        .iter()
        .filter_map(|piece| match piece {
            EditListEntry::Old(number) => Some(*number),
            EditListEntry::New(_) => None,
        })
        .is_sorted();
    if !is_in_order {
        for piece in list {
            put(&mut editor.game(*piece)?, !is_new(piece))?;
        }
        return Ok(());
    }
    // One pass over the old database, with the new games at their places.
    let mut rest = list.iter().copied().peekable();
    let mut source = editor.database.source(None)?;
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        while let Some(piece) = rest.next_if(is_new) {
            put(&mut editor.game(piece)?, false)?;
        }
        if rest
            .next_if_eq(&EditListEntry::Old(game.origin.number))
            .is_some()
        {
            put(game, true)?;
        }
        Ok(())
    })?;
    for piece in rest {
        if !is_new(&piece) {
            return Err(Error::new(
                &error_codes::DAMAGED_NOT_CHANGED,
                "not all games can be read in order; nothing was changed",
            )
            .in_file(editor.path.display().to_string()));
        }
        put(&mut editor.game(piece)?, false)?;
    }
    Ok(())
}

impl GameListWriter for WholeRewrite {
    fn files(&self, format: &Format, path: &Path, found: Vec<PathBuf>) -> Vec<PathBuf> {
        match self.has_optional_files {
            true => companions::existing_or_new(path, extensions_of(format)),
            false => found,
        }
    }

    fn write(&self, mut editor: GameListEditor, noting: Option<HistoryNoteFn<'_>>) -> Result<()> {
        let Some(create) = editor.format.create else {
            return Ok(());
        };
        let files = self.files(editor.format, &editor.path, editor.database.files());
        let first = files.first().filter(|_| self.has_optional_files);
        let target = editor.stage.file(first.unwrap_or(&editor.path));
        let options = WriteOptions {
            encoding: editor.options.encoding,
            ..WriteOptions::default()
        };
        let mut sink = create(&target, &options)?;
        let mut losses = Losses::default();
        sink.describe(&editor.database.source(None)?.about(), &mut losses);
        refuse(&editor, &losses, None)?;
        let list = match editor.list() {
            Some(list) => list.to_vec(),
            None => {
                let count = editor.database.len()?;
                let old = (1..=count).map(EditListEntry::Old);
                old.chain(editor.added.iter().copied()).collect()
            }
        };
        let mut writer = SinkWriter::new(sink);
        write_games(&editor, &mut writer, &list)?;
        let summary = writer.finish()?;
        self.stage(&mut editor, &files, &summary.files, &list)?;
        self.remove_outdated(&editor.path)?;
        editor.finish(noting)
    }
}

/// Refuses a change that would lose a part of a game that it was not meant to affect.
fn refuse(editor: &GameListEditor, losses: &Losses, game: Option<u64>) -> Result<()> {
    let Some(loss) = losses.iter().next() else {
        return Ok(());
    };
    let whose = match game {
        Some(number) => format!("game {number}, which is not part of the change,"),
        None => "the database".to_owned(),
    };
    Err(Error::new(
        &error_codes::WOULD_LOSE,
        format!(
            "{whose} would lose something: {} ({}); nothing was changed",
            loss.kind.summary, loss.detail
        ),
    )
    .in_file(editor.path.display().to_string()))
}
