//! Games that are being annotated. The editor is the library's; this module keeps it for the tabs, and logs every edit, so
//! that a crash loses nothing.
//!
//! There is one session per game: two tabs that annotate it see the same one, and an edit of another state than the current
//! one is refused.

mod difference;
mod file;
mod operation;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tabiya::show::GameFormat;
use tabiya_answers::server::{
    BoardMarkAnswer, DraftAnswer, DraftDetailsAnswer, DraftDifferenceAnswer, DraftSubjectAnswer,
};
use tabiya_model::command::{BoardMark, plain_text};
use tabiya_model::editor::{CommentSide, EditError, GameEditor};
use tabiya_model::{Error, Game, Result, Tape, TapeOp};

use self::difference::difference;
use self::file::{DraftFile, StoredDraft};
use self::operation::{CommentSideParameter, DraftOperationResult};
pub(crate) use self::operation::{DraftOperation, DraftRequest};
use crate::error_codes;
use crate::limits;

/// Which game is annotated.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct DraftSubject {
    /// The id of its base.
    pub(crate) base: String,
    /// The name of the base, for people.
    pub(crate) name: String,
    /// Where the base lies.
    pub(crate) path: PathBuf,
    /// The number of the game; 0 for a new one.
    pub(crate) number: u64,
    /// Who plays.
    pub(crate) title: String,
}

/// A game that is being annotated.
pub(crate) struct DraftSession {
    pub(crate) id: String,
    pub(crate) of: DraftSubject,
    /// What the base holds, as far as it is known here.
    was: Game,
    editor: GameEditor,
    /// The game before all changes.
    first: Game,
    /// Counts up with every change.
    version: u64,
    /// The version that the base holds.
    saved: u64,
    /// Where it is written down; nowhere before the first change, and where this machine keeps nothing.
    file: Option<DraftFile>,
    /// Why the last change is not written down.
    trouble: Option<String>,
    /// The last wish of each tab that was granted, the tab that was heard last at the end: one that comes twice is granted once.
    heard: Vec<(String, u64)>,
    /// The comment that the last wish has made: the tab that typed it, and on which side of its move.
    typed: Option<(String, CommentSideParameter)>,
}

/// What is told of a session beside how it stands.
pub(crate) enum DraftUpdate {
    Nothing,
    /// The whole game.
    Game,
    /// What has changed in the game that the page shows.
    Difference(DraftDifferenceAnswer),
}

/// What came of a wish.
pub(crate) enum DraftOutcome {
    /// So many of the wishes; the others are to be sent again.
    Yes(usize, DraftUpdate),
    /// It was made for another state.
    Outdated,
    No(EditError),
}

impl DraftSession {
    fn new(id: String, of: DraftSubject, game: Game) -> Result<DraftSession> {
        let editor = GameEditor::new(game.clone())?;
        Ok(DraftSession {
            id,
            of,
            was: game.clone(),
            first: game,
            editor,
            version: 0,
            saved: 0,
            file: None,
            trouble: None,
            heard: Vec::new(),
            typed: None,
        })
    }

    pub(crate) fn is_changed(&self) -> bool {
        self.version != self.saved
    }

    /// Whether it still is about a game of the base: it has changes, or the game is the one that it shows.
    fn is_of(&self, game: &Game) -> bool {
        let shown = self.editor.game();
        self.is_changed()
            || (shown.tape == game.tape
                && shown.tags == game.tags
                && shown.start == game.start
                && shown.outcome == game.outcome)
    }

    /// What the base holds, as far as it is known here.
    pub(crate) fn saved_game(&self) -> &Game {
        &self.was
    }

    /// The game as it is now, under its number.
    pub(crate) fn game(&self) -> Game {
        let mut game = self.editor.game().clone();
        game.origin.number = self.of.number;
        game
    }

    /// Grants wishes that a page has made one after another, as far as they can be granted, and writes them down.
    pub(crate) fn apply_requests(
        &mut self,
        folder: Option<&Path>,
        seen: u64,
        all: &mut [DraftRequest],
    ) -> DraftOutcome {
        let is_heard = |one: &&DraftRequest| {
            let last = self.heard.iter().find(|(tab, _)| *tab == one.tab);
            !one.tab.is_empty() && last.is_some_and(|(_, seq)| one.seq <= *seq)
        };
        let heard = all.iter().take_while(is_heard).count();
        if heard > 0 {
            // The answer to them has not arrived; what they did may be anywhere in the game by now.
            return DraftOutcome::Yes(heard, DraftUpdate::Game);
        }
        if seen != self.version {
            return DraftOutcome::Outdated;
        }
        let length = self.editor.game().tape.len();
        let (mut lines, mut patches) = (String::new(), Vec::new());
        let mut count = 0;
        let mut refused = None;
        for one in all {
            match self.grant_one(one) {
                Ok(Some(done)) => {
                    count += 1;
                    self.hear(one);
                    if !done.lines.is_empty() {
                        self.version += 1;
                        lines.push_str(&file::with_request_id(&done.lines, &one.tab, one.seq));
                    }
                    patches.extend(done.patches);
                }
                // What the page takes for the game is not what it is.
                Ok(None) if count == 0 => return DraftOutcome::Outdated,
                Ok(None) => break,
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
        }
        if !lines.is_empty() {
            self.write_down(folder, &lines);
        }
        // Whoever sends the others again is told why the first of them is refused.
        if let Some(error) = refused.filter(|_| count == 0) {
            return DraftOutcome::No(error);
        }
        let told = difference(length, &patches, self.editor.game());
        DraftOutcome::Yes(
            count,
            told.map_or(DraftUpdate::Game, DraftUpdate::Difference),
        )
    }

    /// Grants a wish; `None` where the move is not the one that the page names.
    fn grant_one(
        &mut self,
        one: &mut DraftRequest,
    ) -> std::result::Result<Option<DraftOperationResult>, EditError> {
        let tape = &self.editor.game().tape;
        let moves = || tape.ops().filter(|op| matches!(op, TapeOp::Move(_)));
        if one.moves.is_some_and(|count| count != moves().count()) {
            return Ok(None);
        }
        if let Some(named) = &one.named
            && let Some(TapeOp::Move(m)) = one.at.checked_sub(1).and_then(|at| moves().nth(at))
            && !m.is_null()
            && !named.starts_with(&m.from().to_string())
        {
            return Ok(None);
        }
        // Steps back and forth bring their own place.
        if !matches!(one.wish, DraftOperation::Undo | DraftOperation::Redo) {
            self.go_to(one.at)?;
        }
        let typed = self.typed.take();
        let mut now = None;
        if let DraftOperation::Comment { side, again, .. } = &mut one.wish {
            // What somebody else has typed, or on the other side of the move, is another step.
            let own = (one.tab.clone(), *side);
            *again &= typed.as_ref() == Some(&own);
            now = Some(own);
        }
        let done = one.wish.apply(&mut self.editor)?;
        let last = done.lines.lines().last();
        self.typed = now.filter(|_| last.is_some_and(|line| line.starts_with("{\"wish\"")));
        Ok(Some(done))
    }

    /// Remembers that a wish was granted.
    fn hear(&mut self, one: &DraftRequest) {
        if one.tab.is_empty() {
            return;
        }
        self.heard.retain(|(tab, _)| *tab != one.tab);
        if self.heard.len() >= limits::TABS {
            self.heard.remove(0);
        }
        self.heard.push((one.tab.clone(), one.seq));
    }

    /// Puts the cursor behind a move by its number in reading order.
    fn go_to(&mut self, at: usize) -> std::result::Result<(), EditError> {
        let place = place_of(&self.editor.game().tape, at);
        let place = place.ok_or_else(|| EditError::NoSuchPlace {
            place: at.to_string(),
        })?;
        self.editor.go_to(place)
    }

    fn write_down(&mut self, folder: Option<&Path>, lines: &str) {
        let Some(folder) = folder else { return };
        let written = match &mut self.file {
            Some(file) => file.append(lines),
            None => self.write_anew(folder),
        };
        self.trouble = written.err().map(|error| error.to_string());
        if self.trouble.is_some() {
            // Whatever stands there now is replaced with the next wish.
            self.file = None;
        }
    }

    fn write_anew(&mut self, folder: &Path) -> Result<()> {
        let draft = self.editor.to_draft_from(&self.first);
        let file = DraftFile::make(folder, &self.id, (&self.of, &self.heard), &self.was, &draft)?;
        self.file = Some(file);
        Ok(())
    }

    /// The base holds the game now: as this game, under this number.
    pub(crate) fn is_saved(&mut self, of: DraftSubject, held: Game, folder: Option<&Path>) {
        self.of = of;
        self.was = held;
        self.saved = self.version;
        self.forget(folder);
    }

    /// What the base holds is taken for what was annotated: what is saved takes its place.
    pub(crate) fn accept(&mut self, held: Game, folder: Option<&Path>) {
        self.was = held;
        if let Some(folder) = folder.filter(|_| self.is_changed()) {
            self.trouble = self.write_anew(folder).err().map(|error| error.to_string());
        }
    }

    fn forget(&mut self, folder: Option<&Path>) {
        self.trouble = None;
        let Some(folder) = folder else { return };
        match self.file.take() {
            Some(file) => file.remove(folder, &self.id),
            None => file::remove(folder, &self.id),
        }
    }

    /// What stands at the move of a number in reading order: the texts, signs and marks that can be changed there.
    pub(crate) fn details_at(&mut self, at: usize) -> Result<DraftDetailsAnswer> {
        self.go_to(at)?;
        let text = |side| {
            let all = self.editor.comments(side).ok()?;
            let texts = all.iter().map(|(_, text)| plain_text(text));
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            Some(texts.join(" "))
        };
        Ok(DraftDetailsAnswer {
            before: text(CommentSide::Before),
            after: text(CommentSide::After),
            nags: self.editor.nags().iter().map(|nag| nag.0).collect(),
            marks: self.editor.marks().iter().map(of_mark).collect(),
        })
    }

    /// The session as the page shows it.
    pub(crate) fn answer(&self, telling: DraftUpdate) -> Result<DraftAnswer> {
        let word = |change: Option<&tabiya_model::editor::EditorChange>| {
            change.map(|change| change.wish.clone())
        };
        let (game, difference) = match telling {
            DraftUpdate::Nothing => (None, None),
            DraftUpdate::Game => (Some(raw_json(&self.game())?), None),
            DraftUpdate::Difference(difference) => (None, Some(difference)),
        };
        Ok(DraftAnswer {
            subject: told(&self.id, &self.of),
            version: self.version,
            changed: self.is_changed(),
            undo: word(self.editor.done().last()),
            redo: word(self.editor.undone().last()),
            at: order_of(&self.editor.game().tape, self.editor.place()) as u64,
            trouble: self.trouble.clone(),
            heard: self.heard.iter().cloned().collect(),
            game,
            difference,
            granted: None,
            notes: None,
            losses: None,
            base_version: None,
        })
    }
}

/// A game as its own JSON, which may nest more deeply than a value can.
fn raw_json(game: &Game) -> Result<Box<RawValue>> {
    let mut text = Vec::new();
    GameFormat::json().write(game, &mut text);
    let text = String::from_utf8_lossy(&text).trim().to_owned();
    let raw = RawValue::from_string(text);
    raw.map_err(|error| {
        Error::new(
            &error_codes::TOO_LARGE,
            format!("this game cannot be sent: {error}"),
        )
    })
}

fn of_mark(mark: &BoardMark) -> BoardMarkAnswer {
    match mark {
        BoardMark::Arrow { from, to, colour } => BoardMarkAnswer::Arrow {
            from: from.to_string(),
            to: to.to_string(),
            colour: colour.name(),
        },
        BoardMark::Square { square, colour, .. } => BoardMarkAnswer::Square {
            square: square.to_string(),
            colour: colour.name(),
        },
    }
}

/// The place behind a move by its number in reading order; 0 is the start. `None` where there are fewer moves.
fn place_of(tape: &Tape, order: usize) -> Option<usize> {
    if order == 0 {
        return Some(0);
    }
    let moves = tape
        .ops()
        .enumerate()
        .filter(|(_, op)| matches!(op, TapeOp::Move(_)));
    moves.map(|(index, _)| index + 1).nth(order - 1)
}

fn order_of(tape: &Tape, place: usize) -> usize {
    let before = tape.ops().take(place);
    before.filter(|op| matches!(op, TapeOp::Move(_))).count()
}

type OpenDrafts = BTreeMap<String, Arc<Mutex<DraftSession>>>;

/// All of them: those that are open here, and those that lie in the folder.
pub(crate) struct Drafts {
    folder: Option<PathBuf>,
    open: Mutex<OpenDrafts>,
}

impl Drafts {
    /// Those of the folder of what the app remembers; without one they live as long as the server.
    pub(crate) fn of(data: Option<&Path>) -> Drafts {
        let folder = data.map(|data| data.join("drafts"));
        if let Some(folder) = &folder {
            file::sweep(folder, limits::DRAFT_AGE);
        }
        Drafts {
            folder,
            open: Mutex::default(),
        }
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    fn lock(&self) -> MutexGuard<'_, OpenDrafts> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of a game: the one that is open, the one that was left behind, or a new one. `None` where there are too many.
    pub(crate) fn begin(
        &self,
        of: &DraftSubject,
        game: Game,
    ) -> Result<Option<Arc<Mutex<DraftSession>>>> {
        let mut open = self.lock();
        let is_same = |other: &DraftSubject| {
            of.number > 0 && other.base == of.base && other.number == of.number
        };
        let known = open.values().find(|session| is_same(&hold(session).of));
        if let Some(known) = known.map(Arc::clone) {
            if hold(&known).is_of(&game) {
                return Ok(Some(known));
            }
            let id = hold(&known).id.clone();
            open.remove(&id);
        }
        if open.len() >= limits::DRAFTS {
            // One without changes is begun anew at any time.
            let idle = open.iter().find(|(_, session)| !hold(session).is_changed());
            let Some(idle) = idle.map(|(id, _)| id.clone()) else {
                return Ok(None);
            };
            open.remove(&idle);
        }
        let left = self.folder().and_then(|folder| {
            let mut all = file::list(folder).into_iter();
            all.find(|kept| is_same(&kept.of) && !open.contains_key(&kept.id))
        });
        let session = match left {
            Some(left) => left.open()?,
            None => DraftSession::new(crate::guard::secret()?, of.clone(), game)?,
        };
        let id = session.id.clone();
        let session = Arc::new(Mutex::new(session));
        open.insert(id, Arc::clone(&session));
        Ok(Some(session))
    }

    /// The session of an id, taken up again where it was left behind.
    pub(crate) fn get(&self, id: &str) -> Result<Option<Arc<Mutex<DraftSession>>>> {
        let mut open = self.lock();
        if let Some(session) = open.get(id) {
            return Ok(Some(Arc::clone(session)));
        }
        let left = self.folder().map(file::list).unwrap_or_default();
        let Some(kept) = left.into_iter().find(|kept| kept.id == id) else {
            return Ok(None);
        };
        let session = Arc::new(Mutex::new(kept.open()?));
        open.insert(id.to_owned(), Arc::clone(&session));
        Ok(Some(session))
    }

    /// Those with changes that no base holds yet.
    pub(crate) fn list(&self) -> Vec<DraftSubjectAnswer> {
        let open = self.lock();
        let mut all = Vec::new();
        for session in open.values() {
            let session = hold(session);
            if session.is_changed() {
                all.push(told(&session.id, &session.of));
            }
        }
        let left = self.folder().map(file::list).unwrap_or_default();
        let left = left.iter().filter(|kept| !open.contains_key(&kept.id));
        all.extend(left.map(|kept| told(&kept.id, &kept.of)));
        all
    }

    /// Throws one away.
    pub(crate) fn discard(&self, id: &str) -> bool {
        let known = self.lock().remove(id);
        if let Some(session) = &known {
            hold(session).forget(self.folder());
            return true;
        }
        let left = self.folder().map(file::list).unwrap_or_default();
        let is_left = left.iter().any(|kept| kept.id == id);
        if let Some(folder) = self.folder().filter(|_| is_left) {
            file::remove(folder, id);
        }
        is_left
    }
}

fn told(id: &str, of: &DraftSubject) -> DraftSubjectAnswer {
    DraftSubjectAnswer {
        id: id.to_owned(),
        base: of.base.clone(),
        name: of.name.clone(),
        path: of.path.to_string_lossy().into_owned(),
        number: of.number,
        title: of.title.clone(),
    }
}

/// What is behind a lock, a session above all; what a request that failed has left there is whole, for wishes are granted or not.
pub(crate) fn hold<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StoredDraft {
    /// Takes the session up again.
    fn open(self) -> Result<DraftSession> {
        let (was, editor, file, heard) = self.read()?;
        Ok(DraftSession {
            id: self.id,
            of: self.of,
            was,
            first: editor.first(),
            editor,
            version: 1,
            saved: 0,
            heard,
            typed: None,
            file: Some(file),
            trouble: None,
        })
    }
}
