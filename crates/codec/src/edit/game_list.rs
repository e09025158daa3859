//! Changes of formats that cannot be changed in place: the list of games is changed, and written at the end.
//!
//! A changed database is a list of pieces: old games in their place, by their old numbers, and new ones. Writing the list
//! depends on the format: text formats copy the bytes of the old games and put new ones between them ([`super::splice`]),
//! others are completely rewritten ([`super::rewrite`]). In both cases the result replaces the old database at the end,
//! or is appended to it, by [`DatabaseChange`]: all of it, or nothing.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tabiya_io::change::DatabaseChange;
use tabiya_io::disk::Disk;
use tabiya_io::held_folder;
use tabiya_model::database::for_each_game;
use tabiya_model::error_codes;
use tabiya_model::game::FLAGS_TAG;
use tabiya_model::sort_order::{SortKey, SortValue};
use tabiya_model::{
    Database, Diagnostics, Encoder, Error, Game, GameAspect, GameNeeds, Losses, Result, Severity,
    Sink, UserHint,
};

use super::rewrite::RewrittenGame;
use super::spans::GameSpans;
use super::{
    DatabaseEditor, DescriptionChange, HistoryNoteFn, STAGE, commit, edit_keys, failed, is_order,
    no_order, splice, without,
};
use crate::format::{Format, OpenOptions, WriteOptions};

/// The letters of flags in their order; see [`FLAGS_TAG`].
const FLAGS: &str = "DWBMENPTKQ!?U123456";

/// One game of the changed list.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum EditListEntry {
    /// A game of the unchanged database, from 1.
    Old(u64),
    /// A new game, by its index.
    New(usize),
}

/// A new game.
#[derive(Clone, Debug)]
pub(super) struct NewGame {
    pub(super) game: Game,
    /// The game of the unchanged database in whose place it is.
    pub(super) replaces: Option<u64>,
    /// The saved bytes to write it with, if there are any.
    pub(super) text: Option<Vec<u8>>,
}

/// How the changed list is written.
pub(super) trait GameListWriter {
    /// The places of the games in the file, if it is a text whose bytes are copied.
    fn spans(&self, _editor: &GameListEditor) -> Result<Option<GameSpans>> {
        Ok(None)
    }

    /// Whether a deleted game has a mark that other programs understand too.
    fn marks_deleted(&self, editor: &GameListEditor) -> bool {
        editor.format.capabilities.deleted
    }

    /// The files that the database has or may have, out of those that were found.
    fn files(&self, _format: &Format, _path: &Path, found: Vec<PathBuf>) -> Vec<PathBuf> {
        found
    }

    /// Puts the list in place.
    fn write(&self, editor: GameListEditor, noting: Option<HistoryNoteFn<'_>>) -> Result<()>;
}

/// A folder for new files, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct StageFolder(PathBuf);

impl StageFolder {
    fn beside(path: &Path) -> Result<StageFolder> {
        let real = held_folder::real(path)
            .map_err(|error| Error::from(error).in_file(path.display().to_string()))?;
        let mut name = real.file_name().unwrap_or_default().to_owned();
        name.push(STAGE);
        let folder = real.with_file_name(name);
        // The process that left it has ended, since its lock is ours.
        let disk = Disk::current();
        let inside = tabiya_io::interrupt::enter()?;
        let made = disk
            .remove_folder(&folder)
            .and_then(|()| disk.create_private_folder(&folder));
        tabiya_io::interrupt::add(&folder);
        drop(inside);
        made.map_err(|error| Error::from(error).in_file(folder.display().to_string()))?;
        Ok(StageFolder(folder))
    }

    /// A file in the folder with the same name as one of the database.
    pub(super) fn file(&self, path: &Path) -> PathBuf {
        self.0.join(path.file_name().unwrap_or_default())
    }
}

impl Drop for StageFolder {
    fn drop(&mut self) {
        // A killed process leaves the folder behind; the next change removes it.
        if let Ok(_inside) = tabiya_io::interrupt::enter() {
            let _ = Disk::current().remove_folder(&self.0);
            tabiya_io::interrupt::forget(&self.0);
        }
    }
}

/// A database that is being changed.
pub(super) struct GameListEditor {
    pub(super) format: &'static Format,
    pub(super) path: PathBuf,
    pub(super) options: OpenOptions,
    pub(super) database: Box<dyn Database>,
    /// The number of games in the unchanged database, counted when it is first needed.
    count: OnceCell<u64>,
    /// The whole list, as soon as a change does more than append.
    pieces: Option<Vec<EditListEntry>>,
    /// Games appended to those of the database, as long as there is no whole list.
    pub(super) added: Vec<EditListEntry>,
    pub(super) new: Vec<NewGame>,
    /// The places of the games in a text, determined when they are first needed.
    spans: OnceCell<Option<GameSpans>>,
    /// The size to which the text is to be truncated, if that is possible.
    pub(super) end_at: Option<u64>,
    writing: &'static (dyn GameListWriter + Sync),
    encoder: Box<dyn Encoder>,
    /// The sink of the encoder; it is never finished.
    _trial: Box<dyn Sink>,
    pub(super) stage: StageFolder,
    // The last field, so that the lock is released after everything else has been tidied up.
    pub(super) change: DatabaseChange,
}

impl GameListEditor {
    /// Opens a database.
    pub(super) fn open(
        format: &'static Format,
        path: &Path,
        options: &OpenOptions,
        writing: &'static (dyn GameListWriter + Sync),
    ) -> Result<GameListEditor> {
        let (Some(open), Some(create)) = (format.open, format.create) else {
            return Err(Error::new(
                &error_codes::ONLY_READ,
                format!("{} cannot be written", format.title),
            )
            .with("format", format.title));
        };
        if !held_folder::metadata(path).is_ok_and(|found| found.is_file()) {
            return Err(
                Error::new(&error_codes::NOT_CHANGEABLE, "only files can be changed")
                    .in_file(path.display().to_string()),
            );
        }
        // Its files must be known before its state is taken.
        let files = writing.files(format, path, open(path, options)?.files());
        let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        let change = DatabaseChange::begin(&files).map_err(failed)?;
        let database = open(path, options)?;
        let stage = StageFolder::beside(path)?;
        let trial = create(
            &stage.file(path).with_file_name(trial_name(path)),
            &WriteOptions {
                encoding: options.encoding,
                ..WriteOptions::default()
            },
        )?;
        Ok(GameListEditor {
            format,
            path: path.to_path_buf(),
            options: options.clone(),
            database,
            count: OnceCell::new(),
            pieces: None,
            added: Vec::new(),
            new: Vec::new(),
            spans: OnceCell::new(),
            end_at: None,
            writing,
            encoder: trial.encoder(),
            _trial: trial,
            stage,
            change,
        })
    }

    /// Puts everything in place. The trial sink and the staged files are dropped first: as soon as the lock is released, the
    /// next change creates a folder of the same name.
    pub(super) fn finish(self, noting: Option<HistoryNoteFn<'_>>) -> Result<()> {
        let GameListEditor {
            change,
            stage,
            encoder,
            _trial: trial,
            database,
            ..
        } = self;
        drop((encoder, trial, database));
        drop(stage);
        commit(change, noting)
    }

    fn count(&self) -> Result<u64> {
        match self.count.get() {
            Some(count) => Ok(*count),
            None => {
                let count = self.database.len()?;
                Ok(*self.count.get_or_init(|| count))
            }
        }
    }

    /// The whole list; `None` if games were only appended.
    pub(super) fn list(&self) -> Option<&[EditListEntry]> {
        self.pieces.as_deref()
    }

    /// Takes the whole list, to write it.
    pub(super) fn take_list(&mut self) -> Vec<EditListEntry> {
        self.pieces.take().unwrap_or_default()
    }

    /// The places of the games in the file, if it is a text whose bytes are copied.
    pub(super) fn spans(&self) -> Result<Option<&GameSpans>> {
        if self.spans.get().is_none() {
            let spans = self.writing.spans(self)?;
            let _ = self.spans.set(spans);
        }
        Ok(self.spans.get().and_then(Option::as_ref))
    }

    fn pieces(&mut self) -> Result<&mut Vec<EditListEntry>> {
        if self.pieces.is_none() {
            // A damaged container is refused: a change could make its damage permanent.
            let count = self.count()?;
            self.refuse_damage(&self.database.diagnostics())?;
            let mut list: Vec<EditListEntry> = (1..=count).map(EditListEntry::Old).collect();
            list.append(&mut self.added);
            self.pieces = Some(list);
        }
        Ok(self.pieces.get_or_insert_default())
    }

    fn refuse_damage(&self, found: &Diagnostics) -> Result<()> {
        if found.at_least(Severity::Damage) == 0 {
            return Ok(());
        }
        Err(Error::new(
            &error_codes::DAMAGED_NOT_CHANGED,
            "the database is damaged; a change could make the damage permanent",
        )
        .in_file(self.path.display().to_string())
        .with_hint(UserHint::Repair))
    }

    /// Takes a game if the format can hold it; other losses are reported.
    fn take(&mut self, game: &Game, losses: &mut Losses) -> Option<usize> {
        let mut lost = Losses::default();
        self.encoder.encode(game, &mut lost);
        drop(self.encoder.take());
        let is_held = lost.iter().all(|loss| loss.kind.aspect != GameAspect::Game);
        losses.append(&mut lost);
        if !is_held {
            return None;
        }
        self.new.push(NewGame {
            game: game.clone(),
            replaces: None,
            text: None,
        });
        Some(self.new.len() - 1)
    }

    /// Puts a new game at a place of the list.
    fn put(&mut self, at: usize, new: usize) -> Result<()> {
        let Some(slot) = self.pieces()?.get_mut(at) else {
            return Ok(());
        };
        let old = std::mem::replace(slot, EditListEntry::New(new));
        let replaces = match self.origin(old) {
            RewrittenGame::Same(number) | RewrittenGame::Changed(number) => Some(number),
            RewrittenGame::Added => None,
        };
        if let Some(new) = self.new.get_mut(new) {
            new.replaces = replaces;
        }
        Ok(())
    }

    /// What a game of the list was in the unchanged database.
    pub(super) fn origin(&self, entry: EditListEntry) -> RewrittenGame {
        match entry {
            EditListEntry::Old(number) => RewrittenGame::Same(number),
            EditListEntry::New(index) => match self.new.get(index).and_then(|new| new.replaces) {
                Some(number) => RewrittenGame::Changed(number),
                None => RewrittenGame::Added,
            },
        }
    }

    fn exists(&self, range: &Range<u64>) -> Result<()> {
        let count = self.len();
        if range.start == 0 || range.end > count.saturating_add(1) {
            let number = if range.start == 0 { 0 } else { range.end - 1 };
            return Err(Error::new(
                &error_codes::NO_SUCH_GAME,
                format!("there is no game {number}: the database has {count} games"),
            )
            .with("number", number)
            .with("count", count));
        }
        Ok(())
    }

    /// One game of the current list.
    pub(super) fn game(&self, piece: EditListEntry) -> Result<Game> {
        match piece {
            EditListEntry::New(index) => {
                let new = self.new.get(index);
                Ok(new.map(|new| new.game.clone()).unwrap_or_default())
            }
            EditListEntry::Old(number) => {
                let mut game = Game::default();
                self.database.read(number, GameNeeds::ALL, &mut game)?;
                Ok(game)
            }
        }
    }

    /// Calls `each` with all games of the current list, in any order, and with their places in it.
    fn look(&mut self, want: GameNeeds, mut each: impl FnMut(usize, &Game)) -> Result<()> {
        let list = self.pieces()?.clone();
        let mut places: Vec<(u64, usize)> = Vec::new();
        for (place, piece) in list.iter().enumerate() {
            match piece {
                EditListEntry::New(index) => {
                    if let Some(new) = self.new.get(*index) {
                        each(place, &new.game);
                    }
                }
                EditListEntry::Old(number) => places.push((*number, place)),
            }
        }
        places.sort_unstable();
        let mut places = places.into_iter().peekable();
        let mut source = self.database.source(None)?;
        for_each_game(&mut *source, want, |game| {
            while let Some((_, place)) = places.next_if(|(number, _)| *number == game.origin.number)
            {
                each(place, game);
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// The name of the trial file, with the same extensions, since they determine its compression.
fn trial_name(path: &Path) -> std::ffi::OsString {
    let mut name = std::ffi::OsString::from("trial-");
    name.push(path.file_name().unwrap_or_default());
    name
}

impl DatabaseEditor for GameListEditor {
    fn len(&self) -> u64 {
        let list = self.pieces.as_ref().map(|list| list.len() as u64);
        // An unreadable file is reported when the change is made.
        list.unwrap_or_else(|| self.count().unwrap_or(0) + self.added.len() as u64)
    }

    fn flags(&mut self, games: &[Range<u64>], set: &str, clear: &str) -> Result<u64> {
        for letter in set.chars().chain(clear.chars()) {
            if !FLAGS.contains(letter.to_ascii_uppercase()) {
                return Err(Error::new(
                    &error_codes::NO_SUCH_FLAG,
                    format!("{letter}: not a flag; the flags are {FLAGS}"),
                ));
            }
        }
        for range in games {
            self.exists(range)?;
        }
        let mut changed = 0;
        for number in games.iter().cloned().flatten() {
            let at = usize::try_from(number - 1).unwrap_or(usize::MAX);
            let Some(piece) = self.pieces()?.get(at).copied() else {
                continue;
            };
            let mut game = self.game(piece)?;
            let old = game.tags.value(FLAGS_TAG).to_owned();
            let has = |text: &str, flag: char| text.chars().any(|c| c.to_ascii_uppercase() == flag);
            // Unknown letters are kept, after the known ones.
            let unknown: String = old.chars().filter(|c| !has(FLAGS, *c)).collect();
            let mut flags: String = FLAGS
                .chars()
                .filter(|flag| (has(&old, *flag) && !has(clear, *flag)) || has(set, *flag))
                .collect();
            flags.push_str(&unknown);
            if flags == old {
                continue;
            }
            if flags.is_empty() {
                game.tags.remove(FLAGS_TAG);
            } else {
                game.tags.set(FLAGS_TAG, &flags);
            }
            let mut losses = Losses::default();
            let new = self.take(&game, &mut losses);
            let (Some(new), true) = (new, losses.is_empty()) else {
                let why = losses.iter().next().map(|loss| loss.kind.summary);
                return Err(Error::new(
                    &error_codes::FLAGS_NOT_HELD,
                    format!(
                        "the flags {flags} of game {number} cannot be set: {}",
                        why.unwrap_or("the format cannot hold them")
                    ),
                ));
            };
            self.put(at, new)?;
            changed += 1;
        }
        Ok(changed)
    }

    fn describe(&mut self, _new: &DescriptionChange) -> Result<()> {
        Err(Error::new(
            &error_codes::NO_DESCRIPTION,
            format!(
                "{} has no place for a description of the database",
                self.format.title
            ),
        )
        .in_file(self.path.display().to_string()))
    }

    fn append(&mut self, game: &Game, losses: &mut Losses) -> Result<bool> {
        let Some(new) = self.take(game, losses) else {
            return Ok(false);
        };
        match &mut self.pieces {
            Some(list) => list.push(EditListEntry::New(new)),
            None => self.added.push(EditListEntry::New(new)),
        }
        Ok(true)
    }

    fn replace(&mut self, number: u64, game: &Game, losses: &mut Losses) -> Result<bool> {
        self.exists(&(number..number.saturating_add(1)))?;
        let Some(new) = self.take(game, losses) else {
            return Ok(false);
        };
        let at = usize::try_from(number - 1).unwrap_or(usize::MAX);
        self.put(at, new)?;
        Ok(true)
    }

    fn cut(&mut self, left: u64) -> Result<()> {
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        self.pieces()?.truncate(left);
        Ok(())
    }

    fn remove(&mut self, games: &[u64]) -> Result<()> {
        for number in games {
            self.exists(&(*number..number.saturating_add(1)))?;
        }
        let list = self.pieces()?;
        let left = without(games, list.len());
        *list = left
            .iter()
            .filter_map(|at| list.get(*at).copied())
            .collect();
        Ok(())
    }

    fn marks_deleted(&self) -> bool {
        self.writing.marks_deleted(self)
    }

    fn size(&self) -> Option<u64> {
        splice::text_size(self)
    }

    fn end_at(&mut self, size: u64) {
        self.end_at = Some(size);
    }

    fn text(&self, number: u64) -> Result<Option<Vec<u8>>> {
        match self.spans()? {
            Some(spans) => spans.text(number),
            None => Ok(None),
        }
    }

    fn keep_text(&mut self, number: u64, text: &[u8]) -> Result<()> {
        let Some(at) = number.checked_sub(1) else {
            return Ok(());
        };
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let piece = match self.list() {
            Some(list) => list.get(at).copied(),
            None => self.added.last().copied(),
        };
        let Some(EditListEntry::New(index)) = piece else {
            return Ok(());
        };
        let is_it = match self.new.get(index) {
            Some(new) => splice::holds(self, text, &new.game)?,
            None => false,
        };
        if let Some(new) = self.new.get_mut(index).filter(|_| is_it) {
            new.text = Some(text.to_vec());
        }
        Ok(())
    }

    fn sort(&mut self, words: &[String]) -> Result<Vec<u64>> {
        let keys = edit_keys(words)?;
        let wants_moves = keys.iter().any(|key| key.wants_moves());
        let want = if wants_moves {
            GameNeeds::MAIN_LINE
        } else {
            GameNeeds::TAGS
        };
        let mut found: Vec<(Vec<SortValue>, usize)> = Vec::new();
        self.look(want, |place, game| {
            let value = |key: &SortKey| key.of_game(game, str::to_lowercase);
            found.push((keys.iter().map(value).collect(), place));
        })?;
        // Games that are equal in all keys keep their order: the place is the last key.
        found.sort_by(|(a, place), (b, other)| {
            SortKey::compare_all(&keys, a, b).then_with(|| place.cmp(other))
        });
        let order: Vec<u64> = found.iter().map(|(_, place)| *place as u64 + 1).collect();
        if order.len() != self.pieces()?.len() {
            return Err(Error::new(
                &error_codes::DAMAGED_NOT_CHANGED,
                "not all games can be read in order; nothing was changed",
            ));
        }
        self.reorder(&order)?;
        Ok(order)
    }

    fn reorder(&mut self, order: &[u64]) -> Result<()> {
        let list = self.pieces()?;
        if !is_order(order, list.len() as u64) {
            return Err(no_order());
        }
        let place = |number: &u64| usize::try_from(number - 1).unwrap_or(usize::MAX);
        *list = order
            .iter()
            .filter_map(|number| list.get(place(number)).copied())
            .collect();
        Ok(())
    }

    fn compact(&mut self) -> Result<Vec<u64>> {
        let mut gone = Vec::new();
        self.look(GameNeeds::TAGS, |place, game| {
            if game.is_deleted() {
                gone.push(place);
            }
        })?;
        gone.sort_unstable();
        let list = self.pieces()?;
        let mut place = 0_usize;
        list.retain(|_| {
            let keeps = gone.binary_search(&place).is_err();
            place += 1;
            keeps
        });
        Ok(gone.iter().map(|place| *place as u64 + 1).collect())
    }

    fn read(&self, number: u64, want: GameNeeds) -> Result<Game> {
        let mut game = Game::default();
        self.database.read(number, want, &mut game)?;
        Ok(game)
    }

    fn commit(self: Box<Self>, noting: Option<HistoryNoteFn<'_>>) -> Result<()> {
        let is_changed = match &self.pieces {
            Some(list) => {
                let same = (1..)
                    .zip(list)
                    .all(|(number, piece)| *piece == EditListEntry::Old(number));
                !same || list.len() as u64 != self.count()?
            }
            None => !self.added.is_empty(),
        };
        if !is_changed {
            return Ok(());
        }
        self.writing.write(*self, noting)
    }
}
