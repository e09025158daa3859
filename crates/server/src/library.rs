//! The databases that are shown, by ids that do not reveal their paths.

mod folders;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use tabiya::info::{InfoReport, info};
use tabiya::repertoire::{RepertoireBase, RepertoireBases};
use tabiya::{Base, Opener, Password, TemporaryFolder};
use tabiya_answers::server::{
    BaseAnswer, BaseChangeAnswer, FindingNumbersAnswer, IndexStateAnswer, LiveLineAnswer,
};
use tabiya_io::held_folder::{self, HeldFolder};
use tabiya_io::wait_check;
use tabiya_model::{Control, Error, Result, Severity};

use crate::answer::Refusal;
use crate::error_codes;
use crate::event_broadcast::EventBroadcast;
use crate::recent_databases::RecentDatabases;
use crate::{ServerConfig, limits};

/// One database.
#[derive(Clone)]
struct LibraryEntry {
    base: Base,
    /// The folder of a copy that a browser has handed over; it goes with the database.
    copy: Option<Arc<TemporaryFolder>>,
    /// Its description, as long as its files are unchanged.
    told: Option<Arc<BaseAnswer>>,
    /// Counts up whenever it has changed.
    version: u64,
    /// Its files have changed since it was opened, and the tabs know.
    stale: bool,
}

/// Why a database is another one than before.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum LibraryChange {
    /// Somebody has changed its files.
    Files,
    /// Its index was made; its games are the same.
    Index,
    /// It was changed here.
    Edited,
}

impl LibraryChange {
    fn answer(self) -> BaseChangeAnswer {
        match self {
            LibraryChange::Files => BaseChangeAnswer::Files,
            LibraryChange::Index => BaseChangeAnswer::Index,
            LibraryChange::Edited => BaseChangeAnswer::Edit,
        }
    }
}

/// What was opened with the program while it ran already.
#[derive(Default)]
struct HandedPaths {
    /// They may be opened and changed, as if they had been named at the start.
    named: Vec<PathBuf>,
    /// The folders of files among them: databases there may be opened, but not changed.
    beside: Vec<PathBuf>,
}

/// All of them.
///
/// Where links are followed here, names are compared with what may be opened, and nothing is read: what is opened goes through the
/// held folders, whatever has become of the names meanwhile.
pub(crate) struct Library {
    opener: Opener,
    /// Folders and files within which databases may be opened, without links.
    roots: Vec<PathBuf>,
    /// What a second start of the program has handed over.
    handed: Mutex<HandedPaths>,
    /// The same and the folders of other databases that were opened: nothing there leads elsewhere.
    held: Mutex<Vec<(PathBuf, HeldFolder)>>,
    bases: Mutex<BTreeMap<String, LibraryEntry>>,
    /// The first database that was opened at the start.
    first: Option<String>,
    /// What had been opened in earlier runs when this one began.
    known: Vec<PathBuf>,
    live: EventBroadcast,
    /// The databases that were opened last; nothing is added where nothing may be changed.
    pub(crate) recent: RecentDatabases,
    read_only: bool,
    /// The clipboard base, whether it is there yet or not.
    clipboard: Option<PathBuf>,
    /// Whose turn it is to change the clipboard.
    turn: Mutex<()>,
}

fn is_below(path: &Path, all: &[PathBuf]) -> bool {
    all.iter().any(|one| path.starts_with(one))
}

fn push_new(all: &mut Vec<PathBuf>, path: &Path) {
    if !all.iter().any(|one| one == path) {
        all.push(path.to_owned());
    }
}

/// The id of a database: the same in every run, so that addresses last.
fn id_of(base: &Base) -> String {
    let mut hasher = DefaultHasher::new();
    base.path().hash(&mut hasher);
    base.name().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

impl Library {
    /// Folders and files within which databases may be opened.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Opens what the user has named; says what could not be opened.
    pub(crate) fn open(config: &ServerConfig, live: EventBroadcast) -> (Library, Vec<String>) {
        let paths: Vec<PathBuf> = config
            .paths
            .iter()
            .map(|path| held_folder::full_path(path).unwrap_or_else(|_| path.clone()))
            .collect();
        let recent = RecentDatabases::of(config.data.as_deref());
        let mut shown = paths.clone();
        if config.last {
            shown.extend(recent.paths().into_iter().filter(|path| path.exists()));
        }
        let held = Mutex::default();
        shown.iter().for_each(|path| hold_at(&held, path));
        let opened = config.opener.open_all(&shown);
        let mut library = Library {
            opener: config.opener.clone(),
            roots: paths,
            handed: Mutex::default(),
            held,
            bases: Mutex::default(),
            first: None,
            known: recent.paths(),
            live,
            recent,
            read_only: config.read_only,
            clipboard: config
                .data
                .as_ref()
                .map(|folder| folder.join("clipboard.pgn")),
            turn: Mutex::default(),
        };
        if library.clipboard.as_ref().is_some_and(|path| path.exists()) {
            // One that cannot be opened is told where it is wanted.
            let _ = library.show_clipboard(LibraryChange::Files);
        }
        if let Some(data) = &config.data {
            library.show_repertoires(&data.join(limits::REPERTOIRE_FOLDER));
        }
        let mut failed: Vec<String> = opened
            .failed
            .iter()
            .map(|failure| failure.error.to_string())
            .collect();
        for base in opened.bases {
            let added = library
                .check(&base)
                .and_then(|()| library.add(base, None).ok_or_else(too_many));
            match added {
                Ok(id) => library.first = library.first.take().or(Some(id)),
                Err(refusal) if failed.len() < limits::FAILED => failed.push(refusal.answer.error),
                Err(_) => {}
            }
        }
        (library, failed)
    }

    /// Shows the repertoires that were made where the user had named no folder; one that cannot be opened is left out.
    fn show_repertoires(&self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| path.is_file() && path.extension().is_some_and(|it| it == "pgn"))
            .take(limits::BASES)
            .collect();
        paths.sort();
        for path in paths {
            let _ = self.show(&path);
        }
    }

    /// The id of the first database that was opened at the start.
    pub(crate) fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, LibraryEntry>> {
        self.bases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows one more; `None` where there are too many.
    pub(crate) fn add(&self, base: Base, copy: Option<Arc<TemporaryFolder>>) -> Option<String> {
        let id = id_of(&base);
        let mut bases = self.lock();
        if bases.len() >= limits::BASES && !bases.contains_key(&id) {
            return None;
        }
        let version = bases.get(&id).map_or(1, |known| known.version + 1);
        let shown = LibraryEntry {
            base,
            copy,
            told: None,
            version,
            stale: false,
        };
        bases.insert(id.clone(), shown);
        Some(id)
    }

    /// The opener with a password, which is kept as long as what it opens.
    fn opener_with(&self, password: Option<&str>) -> Opener {
        let mut opener = self.opener.clone();
        if let Some(password) = password.filter(|password| !password.is_empty()) {
            opener.password = Some(Password::new(password.as_bytes()));
        }
        opener
    }

    /// Opens what lies at a path, where it is within what the user has named when the server was started.
    pub(crate) fn open_path(
        &self,
        path: impl AsRef<Path>,
        password: Option<&str>,
        control: &Control,
    ) -> std::result::Result<Vec<String>, Refusal> {
        // Links are followed before it is compared, and by component: `/a/bc` is not within `/a/b`.
        let path = path.as_ref();
        let real = held_folder::full_path(path).map_err(|error| {
            let told = format!("{}: {error}", path.display());
            Refusal::bad(&error_codes::BAD_PATH, told)
        })?;
        // What was opened before is what the user has named then.
        if !self.is_allowed(&real) {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                &error_codes::OUTSIDE_FOLDERS,
                format!(
                    "{} is not in a folder that `tabiya serve` was given; start it with that folder, or \
                     drop the files on this page",
                    path.display()
                ),
            ));
        }
        hold_at(&self.held, &real);
        let opener = self.opener_with(password);
        // Archives within archives, and folders of very many files, can take long.
        let asked = control.clone();
        let opened = wait_check::run_while_wanted(
            move || !asked.is_stopped(),
            || opener.open_all(&[&real]).or_fail(),
        );
        if control.is_stopped() {
            return Err(Refusal::busy());
        }
        let opened = opened.map_err(|error| asking(error, &[real]))?;
        let add = |base: Base| {
            self.check(&base)?;
            self.add(base, None).ok_or_else(too_many)
        };
        let (mut ids, mut refused) = (Vec::new(), None);
        for added in opened.bases.into_iter().map(add) {
            match added {
                Ok(id) => ids.push(id),
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        match refused.filter(|_| ids.is_empty()) {
            Some(refusal) => Err(refusal),
            None => Ok(ids),
        }
    }

    /// Whether a path without links is one that may be opened: the user has named it, or what it lies in, now or before.
    fn is_allowed(&self, real: &Path) -> bool {
        let beside = |handed: &HandedPaths| is_below(real, &handed.beside);
        self.is_named(real) || beside(&self.handed())
    }

    /// Whether the user has named a path without links, or what it lies in, now or before.
    fn is_named(&self, real: &Path) -> bool {
        let mut known = self.known.iter();
        self.is_within(real)
            || is_below(real, &self.handed().named)
            || known.any(|path| path == real)
            || self.recent.paths().iter().any(|path| path == real)
    }

    fn handed(&self) -> MutexGuard<'_, HandedPaths> {
        self.handed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a database may be changed; of one that only lies beside what the user has opened nothing is.
    pub(crate) fn may_change(&self, base: &Base) -> bool {
        let path = base.path();
        let real = held_folder::full_path(path).unwrap_or_else(|_| path.to_owned());
        self.is_clipboard(base) || self.is_named(&real) || !self.is_allowed(&real)
    }

    /// Opens what a second start of the program was given: the ids of the databases.
    pub(crate) fn hand_over(&self, path: &Path) -> std::result::Result<Vec<String>, Refusal> {
        let real = held_folder::full_path(path).map_err(|error| {
            let told = format!("{}: {error}", path.display());
            Refusal::bad(&error_codes::BAD_PATH, told)
        })?;
        let mut handed = self.handed();
        let room = limits::HANDED.saturating_sub(handed.named.len());
        if room == 0 && !handed.named.contains(&real) {
            return Err(too_many());
        }
        if let Some(folder) = real.parent().filter(|_| !real.is_dir()) {
            push_new(&mut handed.beside, folder);
        }
        push_new(&mut handed.named, &real);
        drop(handed);
        self.open_path(&real, None, &Control::default())
    }

    /// Refuses a base that lies elsewhere, or a file of it: links lead there.
    fn check(&self, base: &Base) -> std::result::Result<(), Refusal> {
        let own = || self.clipboard.as_deref().and_then(Path::parent);
        let path = base.path();
        if own().is_some_and(|folder| path.starts_with(folder)) {
            return Ok(());
        }
        let leads_out = |path: &Path| {
            Refusal::new(
                StatusCode::FORBIDDEN,
                &error_codes::OUTSIDE_FOLDERS,
                format!(
                    "{}: this leads out of the folders that `tabiya serve` was given",
                    path.display()
                ),
            )
        };
        let Ok(first) = held_folder::full_path(path) else {
            return Ok(());
        };
        if !self.is_allowed(&first) {
            return Err(leads_out(path));
        }
        // Files beside the first one lie in its folder, whether the user has named the folder or the file.
        let folder = first.parent().unwrap_or(&first);
        let files = match base.is_unpacked() {
            true => Vec::new(),
            false => base.files(),
        };
        for file in files {
            if let Ok(real) = held_folder::full_path(&file)
                && !real.starts_with(folder)
                && !self.is_allowed(&real)
            {
                return Err(leads_out(&file));
            }
        }
        Ok(())
    }

    /// Closes a database: it is shown no more, and nothing happens to its files. A copy goes with it.
    pub(crate) fn close(&self, id: &str) -> std::result::Result<(), Refusal> {
        let closed = self.lock().remove(id);
        let Some(closed) = closed else {
            return Err(Refusal::missing(
                &error_codes::NO_SUCH_DATABASE,
                "this database is not open here",
            ));
        };
        self.live.send(&LiveLineAnswer::Base {
            base: id.to_owned(),
            version: closed.version + 1,
            why: BaseChangeAnswer::Closed,
        });
        Ok(())
    }

    /// Opens files that a browser has handed over.
    pub(crate) fn open_copy(
        &self,
        folder: TemporaryFolder,
        files: &[PathBuf],
        password: Option<&str>,
    ) -> std::result::Result<Vec<String>, Refusal> {
        let opener = self.opener_with(password);
        let opened = opener.open_all(&[folder.path()]).or_fail();
        let opened = opened.map_err(|error| of_copy(asking(error, files), folder.path(), files))?;
        let folder = Arc::new(folder);
        opened
            .bases
            .into_iter()
            .map(|base| {
                self.add(base, Some(Arc::clone(&folder)))
                    .ok_or_else(too_many)
            })
            .collect()
    }

    /// Whether a folder lies within what the user has named when the server was started.
    pub(crate) fn is_within(&self, folder: &Path) -> bool {
        self.roots.iter().any(|root| folder.starts_with(root))
    }

    /// Whether a path has a hidden name in it, below what the user has named.
    pub(crate) fn is_hidden(&self, path: &Path) -> bool {
        let roots = self.roots.iter();
        let below = roots.filter_map(|root| path.strip_prefix(root).ok());
        let below = below.min_by_key(|rest| rest.as_os_str().len());
        let mut parts = below.unwrap_or(path).components();
        parts.any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
    }

    /// Whether a database is a copy that a browser has handed over.
    pub(crate) fn is_copy(&self, id: &str) -> bool {
        self.lock()
            .get(id)
            .is_some_and(|shown| shown.copy.is_some())
    }

    /// Remembers that a database was opened by the user, who finds it among the last ones in the next run.
    pub(crate) fn used(&self, id: &str) {
        let path = self.lock().get(id).and_then(|shown| {
            let own = shown.copy.is_none() && !self.is_clipboard(&shown.base);
            own.then(|| held_folder::full_path(shown.base.path()).ok())
                .flatten()
        });
        // What is remembered may be opened in every later run: a link that leads elsewhere is no reason for that.
        if let Some(path) = path.filter(|path| !self.read_only && self.is_named(path)) {
            self.recent.add(&path);
        }
    }

    /// The id of the database at a path, where it is open.
    pub(crate) fn at(&self, path: &Path) -> Option<String> {
        let bases = self.lock();
        let found = bases.iter().find(|(_, shown)| shown.base.path() == path);
        found.map(|(id, _)| id.clone())
    }

    /// The path of an open database.
    pub(crate) fn path_of(&self, id: &str) -> Option<PathBuf> {
        let bases = self.lock();
        bases.get(id).map(|shown| shown.base.path().to_owned())
    }

    /// Where the clipboard base lies.
    pub(crate) fn clipboard(&self) -> Option<&Path> {
        self.clipboard.as_deref()
    }

    fn is_clipboard(&self, base: &Base) -> bool {
        self.clipboard.as_deref() == Some(base.path())
    }

    pub(crate) fn opener(&self) -> &Opener {
        &self.opener
    }

    /// Waits for the turn to change the clipboard.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the clipboard base as it is now; answers with its id.
    pub(crate) fn show_clipboard(
        &self,
        why: LibraryChange,
    ) -> std::result::Result<String, Refusal> {
        let path = self.clipboard().ok_or_else(Refusal::busy)?;
        if let Some(id) = self.at(path) {
            self.renew(&id, why)?;
            return Ok(id);
        }
        self.show(path)
    }

    /// Shows a database of the app's own folder; answers with its id.
    pub(crate) fn show(&self, path: &Path) -> std::result::Result<String, Refusal> {
        if let Some(id) = self.at(path) {
            return Ok(id);
        }
        let base = self.opener.open(path)?.into_iter().next();
        base.and_then(|base| self.add(base, None))
            .ok_or_else(too_many)
    }

    /// The database of an id, opened anew where its files have changed.
    pub(crate) fn get(&self, id: &str) -> std::result::Result<Base, Refusal> {
        let missing = || {
            Refusal::missing(
                &error_codes::NO_SUCH_DATABASE,
                "this database is not open here",
            )
        };
        let base = self.lock().get(id).ok_or_else(missing)?.base.clone();
        if base.is_current() {
            return Ok(base);
        }
        self.renew(id, LibraryChange::Files)
    }

    /// Opens a database anew, after its files or its index have changed, and tells it to the tabs.
    pub(crate) fn renew(&self, id: &str, why: LibraryChange) -> std::result::Result<Base, Refusal> {
        self.changed(id, why).map(|(base, _)| base)
    }

    /// The same, with the version that the tabs are told: the one whose tab has made the change knows it by that.
    pub(crate) fn changed(
        &self,
        id: &str,
        why: LibraryChange,
    ) -> std::result::Result<(Base, u64), Refusal> {
        let missing = || {
            Refusal::missing(
                &error_codes::NO_SUCH_DATABASE,
                "this database is not open here",
            )
        };
        let base = self.lock().get(id).ok_or_else(missing)?.base.clone();
        let is_copy = self.is_copy(id);
        let base = base.reopen()?;
        if !is_copy {
            self.check(&base)?;
        }
        let mut version = 0;
        if let Some(shown) = self.lock().get_mut(id) {
            shown.base = base.clone();
            shown.told = None;
            // Whoever has seen first that the files are others has told it.
            if !std::mem::take(&mut shown.stale) || why != LibraryChange::Files {
                self.tell(id, shown, why);
            }
            version = shown.version;
        }
        Ok((base, version))
    }

    fn tell(&self, id: &str, shown: &mut LibraryEntry, why: LibraryChange) {
        shown.version += 1;
        self.live.send(&LiveLineAnswer::Base {
            base: id.to_owned(),
            version: shown.version,
            why: why.answer(),
        });
    }

    /// Looks whether files have changed on disk, and tells it once.
    pub(crate) fn check_files(&self) {
        let bases: Vec<(String, Base)> = self
            .lock()
            .iter()
            .filter(|(_, shown)| !shown.stale && shown.copy.is_none())
            .map(|(id, shown)| (id.clone(), shown.base.clone()))
            .collect();
        for (id, base) in bases {
            if base.is_current() {
                continue;
            }
            if let Some(shown) = self.lock().get_mut(&id)
                && !shown.stale
                && shown.base.generation() == base.generation()
            {
                shown.stale = true;
                self.tell(&id, shown, LibraryChange::Files);
            }
        }
    }

    /// How often each database has changed.
    pub(crate) fn versions(&self) -> BTreeMap<String, u64> {
        let bases = self.lock();
        let all = bases.iter();
        all.map(|(id, shown)| (id.clone(), shown.version)).collect()
    }

    /// A number for the state of all databases: another one when a file of any of them has changed.
    pub(crate) fn state(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (id, shown) in self.lock().iter() {
            (id, shown.base.generation()).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The ids, in the order of the names.
    pub(crate) fn ids(&self) -> Vec<String> {
        let bases = self.lock();
        let mut ids: Vec<_> = bases
            .iter()
            .map(|(id, shown)| (shown.base.name().to_lowercase(), id.clone()))
            .collect();
        ids.sort();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// What is told of a database.
    pub(crate) fn describe(&self, id: &str) -> std::result::Result<BaseAnswer, Refusal> {
        let base = self.get(id)?;
        let (copy, told) = match self.lock().get(id) {
            Some(shown) => (shown.copy.is_some(), shown.told.clone()),
            None => (false, None),
        };
        if let Some(told) = told {
            return Ok((*told).clone());
        }
        let mut told = describe(id, &base, copy)?;
        told.clipboard = self.is_clipboard(&base);
        told.editable = told.editable && self.may_change(&base);
        let told = Arc::new(told);
        if let Some(shown) = self.lock().get_mut(id) {
            shown.told = Some(Arc::clone(&told));
        }
        Ok((*told).clone())
    }

    /// What is told of a database in the list of all: of one that cannot be read any more its name, and why.
    pub(crate) fn describe_or_trouble(&self, id: &str) -> Option<BaseAnswer> {
        let refusal = match self.describe(id) {
            Ok(told) => return Some(told),
            Err(refusal) => refusal,
        };
        let bases = self.lock();
        let shown = bases.get(id)?;
        let base = &shown.base;
        let copy = shown.copy.is_some();
        Some(BaseAnswer {
            id: id.to_owned(),
            name: file_name(base),
            path: path_of(base, copy),
            format: base.format().title,
            games: None,
            years: None,
            index: IndexStateAnswer::Impossible,
            index_note: None,
            findings: FindingNumbersAnswer {
                damage: 0,
                warnings: 0,
            },
            direct: false,
            editable: false,
            copy,
            clipboard: self.is_clipboard(base),
            trouble: Some(refusal.answer.error.clone()),
            refusal: Some(refusal.answer),
        })
    }
}

/// Holds a folder, or that of a file, so that no link leads out of it. What it looks at is not held yet.
fn hold_at(held: &Mutex<Vec<(PathBuf, HeldFolder)>>, path: &Path) {
    let folder = match path.is_dir() {
        true => path,
        false => path.parent().unwrap_or(path),
    };
    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
    if !held.iter().any(|(known, _)| folder.starts_with(known))
        && let Ok(one) = held_folder::hold(folder)
    {
        held.push((folder.to_owned(), one));
    }
}

/// There is no room for one more.
fn too_many() -> Refusal {
    Refusal::new(
        StatusCode::CONFLICT,
        &error_codes::TOO_MANY_DATABASES,
        format!(
            "{} databases are open, which is the maximum: close some of them",
            limits::BASES
        ),
    )
}

/// The name of the file of a database.
pub(crate) fn file_name(base: &Base) -> String {
    base.path().file_name().map_or_else(
        || base.name().to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

impl Library {
    /// The years of the games of a base that does not tell them itself, once they were looked for.
    pub(crate) fn keep_years(&self, id: &str, years: &Option<YearRange>) {
        if let Some(shown) = self.lock().get_mut(id)
            && let Some(told) = &mut shown.told
        {
            Arc::make_mut(told).years.clone_from(years);
        }
    }
}

/// The first and the last date of games.
type YearRange = (Option<String>, Option<String>);

/// The first and the last date of a description.
pub(crate) fn years(description: &InfoReport) -> Option<YearRange> {
    let date = |date: &Option<_>| date.as_ref().map(ToString::to_string);
    let overview = description.overview.as_ref();
    overview.map(|overview| (date(&overview.first), date(&overview.last)))
}

/// Where a database lies, as far as it is told: a copy lies in a folder that is nobody's.
fn path_of(base: &Base, copy: bool) -> String {
    match copy {
        true => String::new(),
        false => base.name().to_owned(),
    }
}

/// The same without the folder in which the files lie here: whoever has handed them over knows nothing of it.
pub(crate) fn of_copy(mut refusal: Refusal, folder: &Path, files: &[PathBuf]) -> Refusal {
    let folder = folder.display().to_string();
    let names: Vec<_> = files
        .iter()
        .filter_map(|file| Some(file.file_name()?.to_string_lossy()))
        .collect();
    let inner = format!("{folder}{}", std::path::MAIN_SEPARATOR);
    let hidden = |text: &str| text.replace(&inner, "").replace(&folder, &names.join(", "));
    refusal.answer.error = hidden(&refusal.answer.error);
    for value in refusal.answer.values.values_mut() {
        *value = hidden(value);
    }
    refusal
}

/// Why something cannot be opened, and whether a password is wanted for it.
fn asking(error: Error, files: &[PathBuf]) -> Refusal {
    let is_enciphered = |file: &PathBuf| {
        let extension = file.extension().unwrap_or_default();
        extension.eq_ignore_ascii_case("cbz")
    };
    let wants = files.iter().any(is_enciphered);
    let mut refusal = Refusal::from(error);
    refusal.answer.password = Some(wants);
    // What cannot be read of a file that somebody brings is no fault of the server.
    if refusal.status.is_server_error() {
        refusal.status = StatusCode::UNPROCESSABLE_ENTITY;
    }
    refusal
}

fn describe(id: &str, base: &Base, copy: bool) -> Result<BaseAnswer> {
    let description = info(base, false, &Control::default())?;
    let index = if copy || tabiya::index::path(base).is_err() {
        IndexStateAnswer::Impossible
    } else if base.index().is_some() {
        IndexStateAnswer::Fresh
    } else if base.index_note().is_some() {
        IndexStateAnswer::Stale
    } else {
        IndexStateAnswer::None
    };
    let of = |severity| description.diagnostics.at_least(severity);
    Ok(BaseAnswer {
        id: id.to_owned(),
        name: file_name(base),
        path: path_of(base, copy),
        format: description.format,
        games: description.games,
        years: years(&description),
        index,
        index_note: base.index_note().map(str::to_owned),
        findings: FindingNumbersAnswer {
            damage: of(Severity::Damage),
            warnings: of(Severity::Warning) - of(Severity::Damage),
        },
        direct: base.finds_games(),
        editable: !copy && base.format().edit.is_some(),
        copy,
        clipboard: false,
        trouble: None,
        refusal: None,
    })
}

impl RepertoireBases for Library {
    fn open_bases(&self) -> Vec<RepertoireBase> {
        let ids = self.ids();
        // A database whose files have changed is opened anew.
        let open = ids.into_iter().filter_map(|id| {
            let base = self.get(&id).ok()?;
            Some(RepertoireBase {
                name: file_name(&base),
                id: Some(id),
                base,
            })
        });
        open.collect()
    }

    fn folders(&self) -> Vec<PathBuf> {
        let mut folders = self.roots.clone();
        folders.extend(self.handed().named.iter().cloned());
        folders
    }
}
