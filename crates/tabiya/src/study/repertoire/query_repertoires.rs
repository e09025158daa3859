//! The repertoires that queries of others name: databases that are open already. No name is looked up on the disk, so that
//! no query opens a file.

use std::collections::VecDeque;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shakmaty::Color;
use tabiya_model::{Control, Error, Result};
use tabiya_query::RepertoireSource;
use tabiya_repertoire::{ColorSource, Repertoire};

use super::read_at_most;
use crate::error_codes;
use crate::open::base::{Base, BaseGeneration};

/// The most positions of a repertoire that a query names: whoever asks may not have chosen the database.
const POSITIONS: usize = 200_000;
/// The most positions that are kept for further queries.
const KEPT: usize = 2 * POSITIONS;

/// An open database, with the names that a query may use for it.
#[derive(Clone, Debug)]
pub struct RepertoireBase {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The name under which it is shown.
    pub name: String,
    /// The database.
    pub base: Base,
}

/// The databases that queries may name. Only these can be a repertoire.
pub trait RepertoireBases: Sync {
    /// The databases that are open.
    fn open_bases(&self) -> Vec<RepertoireBase>;

    /// The folders that were named: a name may be a path in one of them.
    fn folders(&self) -> Vec<PathBuf>;
}

/// What repertoires are kept by: the state of the files that they were read from, and the side that was asked for.
type CacheKey = (Vec<BaseGeneration>, Option<Color>);

/// The repertoires of some databases: one for each side that they are for.
type SharedRepertoires = Vec<Arc<Repertoire>>;

/// Repertoires that queries have named, so that the next query does not read them again. A database that has changed is read again.
#[derive(Default)]
pub struct RepertoireCache(Mutex<VecDeque<(CacheKey, SharedRepertoires)>>);

impl fmt::Debug for RepertoireCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RepertoireCache")
            .field("kept", &self.lock().len())
            .finish()
    }
}

impl RepertoireCache {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(CacheKey, SharedRepertoires)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, key: &CacheKey) -> Option<SharedRepertoires> {
        let kept = self.lock();
        let found = kept.iter().find(|(known, _)| known == key);
        found.map(|(_, made)| made.clone())
    }

    /// Keeps repertoires; the oldest are dropped first.
    fn keep(&self, key: CacheKey, made: SharedRepertoires) {
        let mut kept = self.lock();
        kept.retain(|(known, _)| *known != key);
        kept.push_back((key, made));
        let size =
            |made: &[Arc<Repertoire>]| made.iter().map(|one| one.positions().len()).sum::<usize>();
        let mut all: usize = kept.iter().map(|(_, made)| size(made)).sum();
        while all > KEPT
            && let Some((_, oldest)) = kept.pop_front()
        {
            all -= size(&oldest);
        }
    }
}

/// The repertoires that one query may name: `repertoire:white.pgn`, `leaves:"openings/white.pgn"`, `leaves:ID`.
pub struct QueryRepertoires<'q> {
    bases: &'q dyn RepertoireBases,
    cache: &'q RepertoireCache,
    control: &'q Control,
    notes: Mutex<Vec<String>>,
}

impl fmt::Debug for QueryRepertoires<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryRepertoires")
            .field("cache", self.cache)
            .finish_non_exhaustive()
    }
}

impl<'q> QueryRepertoires<'q> {
    /// The repertoires among these databases, read until the control is stopped.
    pub fn new(
        bases: &'q dyn RepertoireBases,
        cache: &'q RepertoireCache,
        control: &'q Control,
    ) -> QueryRepertoires<'q> {
        QueryRepertoires {
            bases,
            cache,
            control,
            notes: Mutex::default(),
        }
    }

    /// The databases that a name means: the id, the shown name or the path of one, or a folder of several. Nothing if no
    /// open database has this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Vec<Base> {
        let open = self.bases.open_bases();
        let by_name = |is_meant: &dyn Fn(&RepertoireBase) -> bool| {
            let mut meant = open.iter().filter(|one| is_meant(one));
            meant.next().filter(|_| meant.next().is_none())
        };
        let found = by_name(&|one| one.id.as_deref() == Some(name))
            .or_else(|| by_name(&|one| one.name == name))
            .or_else(|| by_name(&|one| one.name.to_lowercase() == name.to_lowercase()));
        if let Some(found) = found {
            return vec![found.base.clone()];
        }
        let places = places_of(name, &self.bases.folders());
        let bases = open.into_iter().map(|one| one.base);
        bases.filter(|base| is_at(base, &places)).collect()
    }

    /// The repertoires of some databases: one for each side that they are for, or the one for a side.
    ///
    /// # Errors
    ///
    /// As for [`super::read`], and if there are too many positions.
    pub fn read(&self, bases: &[Base], color: Option<Color>) -> Result<Vec<Arc<Repertoire>>> {
        if let Some(once) = bases.iter().find(|base| !base.is_repeatable()) {
            return Err(Error::new(
                &error_codes::READ_ONCE,
                format!("{} can be read only once", once.name()),
            ));
        }
        let key = (bases.iter().map(Base::generation).collect(), color);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        let made = read_at_most(bases, color, POSITIONS, self.control)?;
        let made: SharedRepertoires = made.into_iter().map(Arc::new).collect();
        self.cache.keep(key, made.clone());
        Ok(made)
    }

    /// Notes on the named repertoires: for which side one was recognised.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.clone()
    }

    fn note(&self, name: &str, repertoire: &Repertoire) {
        let Some(note) = color_note(name, repertoire) else {
            return;
        };
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// Reports for which side a repertoire is, if that was recognised.
#[must_use]
pub fn color_note(name: &str, repertoire: &Repertoire) -> Option<String> {
    let color = repertoire.color().fold_wb("White", "Black");
    (repertoire.source() == ColorSource::Recognised)
        .then(|| format!("{name}: recognised as a repertoire for {color}"))
}

impl RepertoireSource for QueryRepertoires<'_> {
    fn repertoire(
        &self,
        name: &str,
        color: Option<Color>,
    ) -> std::result::Result<Arc<Repertoire>, String> {
        let bases = self.find(name);
        if bases.is_empty() {
            return Err(format!(
                "no open database is called {name:.80}: a repertoire is a database that is open here"
            ));
        }
        let made = only_repertoire(name, self.read(&bases, color))?;
        self.note(name, &made);
        Ok(made)
    }
}

/// The one repertoire that a query can name, or a sentence that explains why there is none.
///
/// # Errors
///
/// If the games are not a repertoire, or are one for each side.
pub fn only_repertoire(
    name: &str,
    read: Result<Vec<Arc<Repertoire>>>,
) -> std::result::Result<Arc<Repertoire>, String> {
    let made = read.map_err(|error| match *error.code == error_codes::UNKNOWN_SIDE {
        true => format!("{error}: write `[as white]` or `[as black]` before the `:`"),
        false => error.to_string(),
    })?;
    match &made[..] {
        [one] => Ok(Arc::clone(one)),
        _ => Err(format!(
            "{name} has games for White and for Black: write `[as white]` or `[as black]` before the `:`"
        )),
    }
}

/// The places that a path may mean: itself, if it is whole and in one of the folders, or below each of the folders. Only its letters
/// are looked at.
fn places_of(name: &str, folders: &[PathBuf]) -> Vec<PathBuf> {
    let path = Path::new(name);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let has_name = path
        .components()
        .any(|part| matches!(part, Component::Normal(_)));
    if !has_name || name.contains('\0') {
        return Vec::new();
    }
    if path.components().all(is_plain) {
        let parts = path.components();
        let plain: PathBuf = parts.filter(|part| *part != Component::CurDir).collect();
        return folders.iter().map(|folder| folder.join(&plain)).collect();
    }
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    let is_inside = folders.iter().any(|folder| path.starts_with(folder));
    match path.is_absolute() && !goes_up && is_inside {
        true => vec![path.to_owned()],
        false => Vec::new(),
    }
}

/// Whether a database is at one of these places, or in a folder or an archive there.
fn is_at(base: &Base, places: &[PathBuf]) -> bool {
    let name = Path::new(base.name());
    let mut places = places.iter();
    places.any(|place| base.path().starts_with(place) || name.starts_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::opener::open;

    const WHITE: &str = "[Repertoire \"white\"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *\n";

    /// Databases that are open, in a folder.
    struct TestBases {
        folder: PathBuf,
        open: Vec<RepertoireBase>,
    }

    impl RepertoireBases for TestBases {
        fn open_bases(&self) -> Vec<RepertoireBase> {
            self.open.clone()
        }

        fn folders(&self) -> Vec<PathBuf> {
            vec![self.folder.clone()]
        }
    }

    /// A folder with `white.pgn`, `lines/black.pgn`, `lines/more.pgn`, and `closed.pgn`, which is not open; beside it `secret.pgn`.
    fn folder() -> (tempfile::TempDir, TestBases) {
        let outer = tempfile::tempdir().expect("a folder");
        let folder = outer.path().canonicalize().expect("a path").join("chess");
        std::fs::create_dir_all(folder.join("lines")).expect("folders");
        let black = WHITE.replace("\"white\"", "\"black\"");
        for (name, text) in [
            ("../secret.pgn", WHITE),
            ("white.pgn", WHITE),
            ("closed.pgn", WHITE),
            ("lines/black.pgn", &black),
            ("lines/more.pgn", &black),
        ] {
            std::fs::write(folder.join(name), text).expect("written");
        }
        let named = |(id, name): (&str, &str)| RepertoireBase {
            id: Some(id.to_owned()),
            name: name.to_owned(),
            base: open(folder.join(name)).expect("opened").remove(0),
        };
        let names = [
            ("id1", "white.pgn"),
            ("id2", "lines/black.pgn"),
            ("id3", "lines/more.pgn"),
        ];
        let open = names.map(named).into();
        (outer, TestBases { folder, open })
    }

    #[test]
    fn a_repertoire_is_called_by_its_id_its_name_or_its_path() {
        let (_outer, bases) = folder();
        let (cache, control) = (RepertoireCache::default(), Control::default());
        let named = QueryRepertoires::new(&bases, &cache, &control);
        let whole = bases.folder.join("white.pgn").display().to_string();
        for (name, count) in [
            ("id1", 1),
            ("white.pgn", 1),
            ("WHITE.pgn", 1),
            ("./white.pgn", 1),
            (&whole, 1),
            ("lines/black.pgn", 1),
            ("lines/./black.pgn", 1),
            ("lines", 2),
        ] {
            assert_eq!(named.find(name).len(), count, "{name}");
        }
        let found = named.repertoire("white.pgn", None).expect("a repertoire");
        assert_eq!(found.color(), Color::White);
        assert_eq!(named.notes(), Vec::<String>::new());
        let both = named.repertoire("lines", None).expect("a repertoire");
        assert_eq!(both.color(), Color::Black);
    }

    #[test]
    fn no_name_leads_to_another_file() {
        let (outer, bases) = folder();
        let (cache, control) = (RepertoireCache::default(), Control::default());
        let named = QueryRepertoires::new(&bases, &cache, &control);
        let secret = outer.path().join("secret.pgn").display().to_string();
        // As text: some paths of Windows leave out `..` when they are joined.
        let folder = bases.folder.display();
        let around = format!("{folder}/../secret.pgn");
        let again = format!("{folder}/lines/../white.pgn");
        let zero = format!("{}\0", bases.folder.join("white.pgn").display());
        #[cfg(unix)]
        std::os::unix::fs::symlink(&secret, bases.folder.join("link.pgn")).expect("a link");
        for name in [
            "",
            " ",
            ".",
            "..",
            "/",
            "../secret.pgn",
            "lines/../../secret.pgn",
            "lines/../white.pgn",
            "closed.pgn",
            "link.pgn",
            "white",
            "white.pgn/..",
            "white.pgn\0",
            "C:\\secret.pgn",
            "C:/secret.pgn",
            "\\\\host\\share\\secret.pgn",
            "file:///etc/passwd",
            "/etc/passwd",
            "/dev/stdin",
            "-",
            &secret,
            &around,
            &again,
            &zero,
        ] {
            assert!(named.find(name).is_empty(), "{name:?}");
            let refusal = named.repertoire(name, None).expect_err(name);
            assert!(refusal.contains("no open database"), "{name:?}: {refusal}");
        }
    }

    #[test]
    fn a_database_that_has_changed_is_read_anew() {
        let (_outer, mut bases) = folder();
        let (cache, control) = (RepertoireCache::default(), Control::default());
        let size = |bases: &TestBases| {
            let named = QueryRepertoires::new(bases, &cache, &control);
            let found = named.repertoire("id1", None).expect("a repertoire");
            found.positions().len()
        };
        assert_eq!((size(&bases), size(&bases)), (6, 6));
        assert_eq!(cache.lock().len(), 1);
        let path = bases.folder.join("white.pgn");
        std::fs::write(&path, WHITE.replace("2. Nf3 *", "2. Nf3 Nc6 *")).expect("written");
        bases.open[0].base = open(&path).expect("opened").remove(0);
        assert_eq!(size(&bases), 7);
    }

    #[test]
    fn what_is_no_one_repertoire_is_refused_in_a_sentence() {
        let (_outer, bases) = folder();
        let (cache, control) = (RepertoireCache::default(), Control::default());
        let named = QueryRepertoires::new(&bases, &cache, &control);
        let refusal = named
            .repertoire("white.pgn", Some(Color::Black))
            .expect_err("the other side");
        assert!(refusal.contains("for the other side"), "{refusal}");
        let both: Vec<Base> = bases.open.iter().map(|one| one.base.clone()).collect();
        let refusal = only_repertoire("all", named.read(&both, None)).expect_err("two of them");
        assert!(refusal.contains("[as white]"), "{refusal}");
        let stopped = Control::default();
        stopped.stop();
        let cache = RepertoireCache::default();
        let named = QueryRepertoires::new(&bases, &cache, &stopped);
        let refusal = named.repertoire("id1", None).expect_err("it was stopped");
        assert!(refusal.contains("was not read completely"), "{refusal}");
    }
}
