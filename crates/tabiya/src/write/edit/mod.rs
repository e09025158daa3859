//! Changes a database in place. All jobs do it through this module.
//!
//! An [`EditOperation`] is made as a whole or not at all, together with its record in the
//! [history](mod@crate::write::history). It is reported game by game as [`EditStep`]s; with [`EditOptions::dry_run`], it is
//! only reported. What the database cannot hold is refused, unless [`EditOptions::lossy`] says what to do with it.

mod edit_folder;
mod game_merge;
mod games;
mod index_update;
mod loss_policy;
mod new_database;
mod repertoire_line;
mod text;
mod undo;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabiya_formats::edit::{DatabaseEditor, DescriptionChange};
use tabiya_formats::format::Format;
use tabiya_io::change::{ChangeError, DatabaseStates};
use tabiya_io::held_folder;
use tabiya_io::lock::LockError;
use tabiya_model::diff::diff;
use tabiya_model::editor::StripOptions;
use tabiya_model::{
    Control, Error, ErrorKind, Game, GameNeeds, JobCompletion, LossReport, Losses, Result,
};

use crate::error_codes;
use crate::open::base::Base;
use crate::open::opener::Opener;
use crate::select::game_order::GameOrder;
use crate::select::selection::Selection;
use crate::write::history;
use crate::write::history::EditHistory;

pub use self::edit_folder::{EditFolder, scratch};
pub use self::game_merge::{MergeRequest, MergedGame, grow};
pub use self::games::first_game;
pub use self::loss_policy::LossPolicy;
pub use self::new_database::{make, new_format};
pub use self::repertoire_line::{
    RepertoireLineChange, RepertoireLineRequest, repertoire_header, repertoire_line,
};
pub use self::text::{TextMerge, merge, text_of};

/// A correction of games.
pub trait GameCorrection: std::fmt::Debug + Send + Sync {
    /// Corrects a game; returns whether it has changed.
    fn correct(&self, game: &mut Game) -> bool;
}

/// One change. A [`Selection`] says which games it is about; its bases are ignored: the database is the one that is changed.
#[derive(Clone, Debug)]
pub enum EditOperation {
    /// Appends the games of other bases.
    Append(Vec<Base>),
    /// Appends games unchanged: in memory they hold more than any text shows.
    Add(Vec<Game>),
    /// Replaces a game.
    Replace {
        /// The number of the old game.
        number: u64,
        /// The new game.
        game: Box<Game>,
        /// The expected old game: if it has changed in the meantime, nothing is changed.
        was: Option<Box<Game>>,
    },
    /// Sets and clears flags, in Scid's letters.
    Flags {
        /// Which games.
        games: Selection,
        /// Flags to set.
        set: String,
        /// Flags to clear.
        clear: String,
    },
    /// Deletes games: marks them if the format has a deletion mark that other programs understand; else removes them.
    Delete(Selection),
    /// Sets tags; an empty value removes the tag.
    Set {
        /// Which games.
        games: Selection,
        /// Names and values.
        tags: Vec<(String, String)>,
    },
    /// Strips parts of games.
    Strip {
        /// Which games.
        games: Selection,
        /// What.
        what: StripOptions,
    },
    /// Corrects the names of all games, and fills in facts about their players.
    Correct(Arc<dyn GameCorrection>),
    /// Sorts the games.
    Sort(GameOrder),
    /// Removes deleted games, unused names and unused records. Earlier changes can no longer be undone.
    Compact,
    /// Sets what the database says about itself.
    Describe(DescriptionChange),
    /// Undoes the last change that has not been undone yet.
    Undo,
    /// Restores an earlier version of a game, or adds the games that a change removed.
    Restore {
        /// The current number of the game; without one, removed games are added at the end.
        number: Option<u64>,
        /// The number of the change in the history.
        version: u64,
    },
}

/// How a change is made.
#[derive(Clone, Debug)]
pub struct EditOptions {
    /// The maximum number of changes in the history; 0 for no history.
    pub keep: u64,
    /// Reports what would be done, without doing it.
    pub dry_run: bool,
    /// What to do with what the database cannot hold.
    pub lossy: LossPolicy,
    /// The name of the change in the history; by default, a description.
    pub wish: Option<String>,
}

impl Default for EditOptions {
    fn default() -> EditOptions {
        EditOptions {
            keep: history::KEEP,
            dry_run: false,
            lossy: LossPolicy::Refuse,
            wish: None,
        }
    }
}

impl EditOptions {
    /// The options that the user has set for all programs: `TABIYA_KEEP` is the number of changes that a history keeps.
    pub fn of_user() -> Result<EditOptions> {
        let mut options = EditOptions::default();
        if let Some(text) = std::env::var_os("TABIYA_KEEP").filter(|text| !text.is_empty()) {
            let number = text.to_str().and_then(|text| text.parse().ok());
            options.keep = number.ok_or_else(|| {
                Error::new(
                    &error_codes::BAD_SETTING,
                    "TABIYA_KEEP: a number of changes is required",
                )
            })?;
        }
        Ok(options)
    }
}

/// What a change does to one game, or to the base.
#[derive(Clone, Debug)]
pub struct EditStep<'g> {
    /// The number of the game; 0 for the base. For an added game, its place among the added ones.
    pub number: u64,
    /// The players.
    pub game: String,
    /// What is done.
    pub what: EditAction<'g>,
}

/// What is done to a game.
#[derive(Clone, Debug)]
pub enum EditAction<'g> {
    /// It is added.
    Added,
    /// It is replaced.
    Replaced(GameReplacement<'g>),
    /// Its flags change from these letters to those.
    Flags(String, String),
    /// It gets another number.
    Moved(u64),
    /// It is removed.
    Removed,
    /// The texts of the base change.
    Described,
}

/// A game and its replacement. Comparing long games takes long, and is done on request only.
#[derive(Copy, Clone, Debug)]
pub struct GameReplacement<'g> {
    old: &'g Game,
    new: &'g Game,
}

impl GameReplacement<'_> {
    /// The differences, each a sentence.
    pub fn differences(&self) -> Vec<String> {
        let all = diff(self.old, self.new);
        all.iter().map(ToString::to_string).collect()
    }
}

/// The result of a change.
#[derive(Clone, Debug, Default)]
pub struct EditReport {
    /// Games that were added, changed, sorted or removed.
    pub games: u64,
    /// Games that the database could not hold.
    pub refused: u64,
    /// Games that were removed, among those.
    pub removed: u64,
    /// The number of games in the database now, if games were sorted or removed: counting them can need a walk over a long
    /// file, which appending a game does not.
    pub left: u64,
    /// The numbers that the games of [`EditOperation::Add`] got, end excluded. Others are not numbered: counting games can
    /// need a walk over a long file.
    pub added: Range<u64>,
    /// The state of the database after the change ([`state_of`]); none if nothing was changed.
    pub state: Option<u64>,
    /// What the database could not hold.
    pub losses: LossReport,
    /// Other notes, each a sentence.
    pub notes: Vec<String>,
    /// The description of the change in the history.
    pub wish: String,
    /// Whether it was done; else the database is unchanged.
    pub ended: JobCompletion,
}

/// Takes the steps of a change.
pub type EditCallback<'e> = dyn FnMut(&EditStep<'_>) + 'e;

/// Whether a game was not replaced because somebody else had changed it.
pub fn is_conflict(error: &Error) -> bool {
    *error.code == error_codes::GAME_CHANGED
}

/// Makes one change to the database at a path: all of it, or nothing.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// # std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn"), &path)?;
/// use tabiya::Opener;
/// use tabiya::edit::{EditOperation, edit};
/// use tabiya::model::{Control, GameNeeds};
///
/// let (opener, control) = (Opener::default(), Control::default());
/// let round = EditOperation::Set { games: (1..2).into(), tags: vec![("Round".into(), "1".into())] };
/// edit(&opener, &path, &round, &control)?;
/// assert_eq!(tabiya::open(&path)?[0].read(1, GameNeeds::TAGS)?.tags.value("Round"), "1");
///
/// edit(&opener, &path, &EditOperation::Undo, &control)?;
/// assert_eq!(tabiya::open(&path)?[0].read(1, GameNeeds::TAGS)?.tags.value("Round"), "?");
/// # Ok(())
/// # }
/// ```
pub fn edit(
    opener: &Opener,
    path: &Path,
    change: &EditOperation,
    control: &Control,
) -> Result<EditReport> {
    edit_with(
        opener,
        path,
        change,
        &EditOptions::default(),
        control,
        &mut |_| {},
    )
}

/// The same with options, reporting each step.
pub fn edit_with(
    opener: &Opener,
    path: &Path,
    change: &EditOperation,
    options: &EditOptions,
    control: &Control,
    each: &mut EditCallback<'_>,
) -> Result<EditReport> {
    let format = format_of(opener, path)?;
    let found = games::find(opener, path, change, control)?;
    prepare(
        opener,
        (path, format),
        (change, &found),
        options,
        control,
        each,
    )
    .map_err(unchanged)
}

/// Says of a failure of the system that nothing was changed, unless it says itself what has become of the change.
fn unchanged(mut error: Error) -> Error {
    if error.kind != ErrorKind::Io || tells_outcome(&error) {
        return error;
    }
    error.message.push_str("; nothing was changed");
    error
}

/// Whether a failure is one of a change or of a lock that says what has become of the change.
fn tells_outcome(error: &Error) -> bool {
    let first: &(dyn std::error::Error + 'static) = error;
    std::iter::successors(Some(first), |error| error.source()).any(|cause| {
        let of_change = cause.downcast_ref::<ChangeError>();
        let of_lock = cause.downcast_ref::<LockError>();
        of_change.is_some_and(ChangeError::tells_outcome)
            || of_lock.is_some_and(LockError::tells_outcome)
    })
}

fn prepare(
    opener: &Opener,
    (path, format): (&Path, &'static Format),
    (change, found): (&EditOperation, &games::LocatedGames),
    options: &EditOptions,
    control: &Control,
    each: &mut EditCallback<'_>,
) -> Result<EditReport> {
    let base = begin(opener, path)?;
    if !found.is_current() {
        return Err(Error::new(
            &error_codes::CHANGED_MEANWHILE,
            "the database was changed while its games were searched; nothing was changed: try again",
        )
        .in_file(path.display().to_string()));
    }
    let upkeep = match options.dry_run {
        true => None,
        false => index_update::IndexUpdater::of(opener, format, path, control)?,
    };
    let mut work = EditPreparation {
        base,
        format,
        options,
        history: None,
        notes: history::HistoryNotes::new(history::EditEffect::Described),
        done: EditReport::default(),
        each,
    };
    if matches!(change, EditOperation::Undo | EditOperation::Restore { .. }) {
        work.history = Some(EditHistory::open(&files_of(opener, format, path)?)?);
    }
    work.make(change, found, control)?;
    let EditPreparation {
        base,
        notes,
        mut done,
        ..
    } = work;
    done.ended = control.completion();
    if !done.ended.is_whole() || options.dry_run {
        return Ok(done);
    }
    let (told, state) = commit(base, notes, &done.wish, (path, options), upkeep)?;
    done.notes.extend(told);
    done.state = state;
    Ok(done)
}

/// Whether the database at a path can be changed: checked before anybody works on a change.
pub fn can_change(opener: &Opener, path: &Path) -> Result<()> {
    let format = format_of(opener, path)?;
    match format.edit {
        Some(_) => Ok(()),
        None => Err(no_edit(path, format)),
    }
}

/// Opens the database at a path for changes.
pub(crate) fn begin(opener: &Opener, path: &Path) -> Result<Box<dyn DatabaseEditor>> {
    let format = format_of(opener, path)?;
    let Some(open) = format.edit else {
        return Err(no_edit(path, format));
    };
    open(path, &opener.options)
}

/// Puts a change in place, with what it leaves in the history, and brings the index up to date; says what there is to be said, and the
/// state that is left.
fn commit(
    base: Box<dyn DatabaseEditor>,
    mut notes: history::HistoryNotes,
    wish: &str,
    (path, options): (&Path, &EditOptions),
    mut upkeep: Option<index_update::IndexUpdater<'_>>,
) -> Result<(Vec<String>, Option<u64>)> {
    let mut told = Vec::new();
    if notes.is_cut() && options.keep > 0 {
        told.push(
            "the change removes more than the history keeps of one change: it cannot be undone"
                .to_owned(),
        );
    }
    notes.size = base.size();
    let history = EditHistory::path_of(path);
    if let Some(upkeep) = &mut upkeep {
        upkeep.prepare(&notes.effect);
    }
    let mut after = None;
    base.commit(Some(&mut |states: DatabaseStates| {
        after = Some(states.after);
        if options.keep == 0 {
            return Ok(None);
        }
        notes.note(&history, options.keep, states, wish).map(Some)
    }))?;
    if let (Some(upkeep), Some(after)) = (upkeep, after) {
        told.extend(upkeep.finish(after));
    }
    Ok((told, after))
}

/// Puts changed games back into the base that they came from, all or nothing, while it is what it was. Those that it cannot hold
/// as they are now stay as they were, and are told with the reason.
pub(crate) fn write_back(base: &Base, games: &[Game], wish: &str) -> Result<Vec<(u64, String)>> {
    let mut refused: BTreeMap<u64, String> = BTreeMap::new();
    let (opener, path) = (base.opener(), base.path());
    let control = Control::default();
    loop {
        let mut edit = begin(opener, path)?;
        // From here on no other writer gets at it.
        if !base.is_current() {
            return Err(Error::new(
                &error_codes::CHANGED_MEANWHILE,
                "it was changed by another program during the analysis, and the annotations were not written; run the same command \
                 again: it resumes with the results so far",
            ).in_file(base.name().to_owned()));
        }
        let upkeep =
            index_update::IndexUpdater::of(opener, format_of(opener, path)?, path, &control)?;
        let mut notes = history::HistoryNotes::new(history::EditEffect::Replaced(Vec::new()));
        let before = refused.len();
        for game in games {
            let number = game.origin.number;
            if refused.contains_key(&number) {
                continue;
            }
            let old = edit.read(number, WHOLE)?;
            let mut losses = Losses::default();
            let is_held = edit.replace(number, game, &mut losses)?;
            let lost = losses.iter().find(|loss| !loss.kind.is_layout());
            if let Some(loss) = lost {
                let why = format!("{} ({})", loss.kind.summary, loss.detail);
                refused.insert(number, why);
            } else if !is_held {
                refused.insert(number, "the format cannot hold it".to_owned());
            } else {
                notes.keep(number, &old, edit.text(number)?);
            }
        }
        // What was taken back cannot be taken out of a change: it is made again without those games.
        if refused.len() == before {
            commit(edit, notes, wish, (path, &EditOptions::of_user()?), upkeep)?;
            return Ok(refused.into_iter().collect());
        }
    }
}

/// The current state of a database, as [`EditReport::state`] has it: it differs if somebody has changed its files.
pub fn state_of(base: &Base) -> Result<u64> {
    let files = base.database().map(|database| database.files());
    let files = files.unwrap_or_else(|| vec![base.path().to_path_buf()]);
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    Ok(tabiya_io::change::state_of(&files)?)
}

/// The history of the database at a path.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// # std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn"), &path)?;
/// use tabiya::Opener;
/// use tabiya::edit::{EditOperation, edit, history};
/// use tabiya::history::EditEffect;
/// use tabiya::model::Control;
///
/// let opener = Opener::default();
/// edit(&opener, &path, &EditOperation::Delete((1..2).into()), &Control::default())?;
/// let history = history(&opener, &path)?;
/// let (change, effect) = history.to_undo(0)?;
/// println!("{}: {}", change.utc_time(), change.wish);
/// assert!(matches!(effect, EditEffect::Deleted(games) if games.len() == 1));
/// # Ok(())
/// # }
/// ```
pub fn history(opener: &Opener, path: &Path) -> Result<EditHistory> {
    let format = format_of(opener, path)?;
    if format.edit.is_none() {
        return Err(no_edit(path, format));
    }
    tabiya_formats::edit::finish_interrupted(format, path)?;
    EditHistory::open(&files_of(opener, format, path)?)
}

fn files_of(opener: &Opener, format: &Format, path: &Path) -> Result<Vec<PathBuf>> {
    let Some(open) = format.open else {
        return Ok(vec![path.to_path_buf()]);
    };
    Ok(open(path, &opener.options)?.files())
}

fn format_of(opener: &Opener, path: &Path) -> Result<&'static Format> {
    let refuse = |why: &str| {
        Err(Error::new(&error_codes::NOT_CHANGEABLE, why).in_file(path.display().to_string()))
    };
    if path.as_os_str() == "-" {
        return refuse("a pipe cannot be changed: save it to a file first");
    }
    if held_folder::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return refuse("a pipe or a device cannot be changed: save it to a file first");
    }
    match opener.identify(path)? {
        Some((format, _)) => Ok(format),
        None if opener.open(path).is_ok_and(|bases| !bases.is_empty()) => {
            refuse("an archive or a folder cannot be changed: name a database in it, unpacked")
        }
        None => refuse("not a chess database that Tabiya knows"),
    }
}

fn no_edit(path: &Path, format: &Format) -> Error {
    Error::new(
        &error_codes::NOT_CHANGEABLE,
        format!(
            "{} cannot be changed in place: convert it, and change the copy",
            format.title
        ),
    )
    .in_file(path.display().to_string())
}

/// A change that is being prepared.
struct EditPreparation<'w> {
    base: Box<dyn DatabaseEditor>,
    format: &'static Format,
    options: &'w EditOptions,
    /// Where the change is found in the history.
    history: Option<EditHistory>,
    /// What goes into the history.
    notes: history::HistoryNotes,
    done: EditReport,
    each: &'w mut EditCallback<'w>,
}

/// Who plays, where, when and how it ended.
pub fn title(game: &Game) -> String {
    let tags = &game.tags;
    let known = |name: &str| {
        let value = tags.value(name).trim();
        (!value.is_empty() && !value.starts_with('?')).then(|| value.to_owned())
    };
    let players = [known("White"), known("Black")].map(|name| name.unwrap_or("?".to_owned()));
    let mut parts = vec![players.join(" - ")];
    let event = [known("Event"), known("Date")].into_iter().flatten();
    parts.extend(event);
    parts.push(game.result().as_pgn().to_owned());
    parts.join(", ")
}

/// Whether two games are the same in all that a database holds.
fn is_same(a: &Game, b: &Game) -> bool {
    a.tape == b.tape && a.tags == b.tags && a.start == b.start && a.outcome == b.outcome
}

/// All of a game.
const WHOLE: GameNeeds = GameNeeds::ALL;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_apart_by_kind_and_not_by_the_names_in_them() {
        let busy = Error::new(
            &error_codes::SYSTEM,
            "was changed meanwhile.pgn: is being changed by another process",
        );
        assert!(!is_conflict(&busy));
        assert!(is_conflict(&Error::new(
            &error_codes::GAME_CHANGED,
            "game 1"
        )));
        for name in ["interrupted.pgn", "the change is made.pgn", "games.pgn"] {
            let told =
                unchanged(Error::new(&error_codes::SYSTEM, "no room").in_file(name.to_string()))
                    .to_string();
            assert!(told.ends_with("no room; nothing was changed"), "{told}");
        }
        let of_lock = LockError::Io {
            path: "games.pgn".into(),
            doing: "making a lock",
            error: std::io::ErrorKind::StorageFull.into(),
        };
        let told = unchanged(Error::from(of_lock));
        assert_eq!(told.to_string().matches("nothing was changed").count(), 1);
    }
}
