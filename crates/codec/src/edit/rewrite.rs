//! Formats that are written as a whole: a new database is made beside the old one, and takes its place.

use std::path::Path;

use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::error_codes;
use tabiya_model::{Error, Game, GameNeeds, Losses, Result};

use super::game_list::{EditListEntry, GameListEditor, GameListWriter};
use super::{DatabaseEditor, HistoryNoteFn, failed};
use crate::format::{Format, OpenOptions, WriteOptions};

/// Opens a database for changes.
pub fn open(
    format: &'static Format,
    path: &Path,
    options: &OpenOptions,
) -> Result<Box<dyn DatabaseEditor>> {
    Ok(Box::new(GameListEditor::open(
        format,
        path,
        options,
        &WholeRewrite,
    )?))
}

/// Writes a whole new database.
pub(super) struct WholeRewrite;

impl GameListWriter for WholeRewrite {
    fn write(&self, mut editor: GameListEditor, noting: Option<HistoryNoteFn<'_>>) -> Result<()> {
        let Some(create) = editor.format.create else {
            return Ok(());
        };
        let target = editor.stage.file(&editor.path);
        let options = WriteOptions {
            encoding: editor.options.encoding,
            ..WriteOptions::default()
        };
        let mut sink = create(&target, &options)?;
        let mut losses = Losses::default();
        sink.describe(&editor.database.source(None)?.about(), &mut losses);
        refuse(&editor, &losses, None)?;
        let mut writer = SinkWriter::new(sink);
        let list = match editor.list() {
            Some(list) => list.to_vec(),
            None => {
                let count = editor.database.len()?;
                let old = (1..=count).map(EditListEntry::Old);
                old.chain(editor.added.iter().copied()).collect()
            }
        };
        let mut number = 0_u64;
        // Old games must be written without any loss; the losses of new ones were accepted when they were taken.
        let mut put = |game: &mut Game, is_old: bool| -> Result<()> {
            number += 1;
            let old = std::mem::replace(&mut game.origin.number, number);
            let mut losses = Losses::default();
            writer.write(game, &mut losses)?;
            if is_old {
                refuse(&editor, &losses, Some(old))?;
            }
            Ok(())
        };
        let is_in_order = list
            .iter()
            .filter_map(|piece| match piece {
                EditListEntry::Old(number) => Some(*number),
                EditListEntry::New(_) => None,
            })
            .is_sorted();
        if is_in_order {
            // One pass over the old database, with the new games at their places.
            let mut rest = list.iter().copied().peekable();
            let is_new = |piece: &EditListEntry| matches!(piece, EditListEntry::New(_));
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
        } else {
            for piece in list {
                put(
                    &mut editor.game(piece)?,
                    matches!(piece, EditListEntry::Old(_)),
                )?;
            }
        }
        let summary = writer.finish()?;
        for file in &summary.files {
            let target = editor
                .path
                .with_file_name(file.file_name().unwrap_or_default());
            editor.change.adopt(&target, file).map_err(failed)?;
        }
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
