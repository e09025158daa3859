//! The databases that tools can use: those that a front end shows, or those in some folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tabiya::repertoire::{RepertoireBase, RepertoireBases};
use tabiya::{Base, Opener};
use tabiya_io::held_folder::{self, HeldFolder};

use crate::error::McpRefusal;

/// Names that a refusal offers.
const CHOICES: usize = 30;
/// Databases that are open at once.
const BASES: usize = 2_000;
/// Failures that are told.
const FAILED: usize = 50;

/// A database with the name that tools use.
#[derive(Clone, Debug)]
pub struct McpBase {
    /// The name.
    pub name: String,
    /// Its id if the app has one, which also names it.
    pub id: Option<String>,
    /// The database.
    pub base: Base,
    /// Whether it may be changed, if anything may.
    pub is_editable: bool,
}

/// Where tools find databases, and what they may write.
pub trait McpBases: Send + Sync {
    /// All databases, in the order of their names, and those that could not be opened; with `again`, after looking into the folders again.
    fn all(&self, again: bool) -> (Vec<McpBase>, Vec<String>);

    /// The opener that opens them.
    fn opener(&self) -> Opener;

    /// Marks a database as changed here: it is reopened when it is used again.
    fn changed(&self, name: &str);

    /// Where a new file with this name may be written: within the named folders.
    fn target(&self, name: &str) -> Result<PathBuf, McpRefusal>;

    /// Shows what was written to such a place; returns its name, if it is a database.
    fn added(&self, path: &Path) -> Option<String>;

    /// The named folders.
    fn folders(&self) -> Vec<PathBuf>;

    /// The database with a name, in the current state of its files. A part of a name that only one has is enough.
    fn get(&self, name: &str) -> Result<McpBase, McpRefusal> {
        let (all, _) = self.all(false);
        let wanted = name.trim().to_lowercase();
        let exact = |base: &&McpBase| base.name == name || base.id.as_deref() == Some(name);
        let plain = |base: &&McpBase| base.name.to_lowercase() == wanted;
        let found = all.iter().find(exact).or_else(|| all.iter().find(plain));
        let part = || {
            let mut near = all
                .iter()
                .filter(|base| !wanted.is_empty() && base.name.to_lowercase().contains(&wanted));
            near.next().filter(|_| near.next().is_none())
        };
        match found.or_else(part) {
            Some(base) => Ok(base.clone()),
            None => {
                let names = all.iter().take(CHOICES).map(|base| base.name.clone());
                Err(McpRefusal::new(
                    "no-such-database",
                    format!("there is no database {name:.80} here"),
                )
                .with_help("the tool `bases` lists all databases")
                .with_choices(names))
            }
        }
    }
}

/// What of it can be a repertoire that a query names.
pub(crate) struct McpRepertoireBases<'b>(pub(crate) &'b dyn McpBases);

impl RepertoireBases for McpRepertoireBases<'_> {
    fn open_bases(&self) -> Vec<RepertoireBase> {
        let (all, _) = self.0.all(false);
        let told = |base: McpBase| RepertoireBase {
            id: base.id,
            name: base.name,
            base: base.base,
        };
        all.into_iter().map(told).collect()
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.0.folders()
    }
}

/// The databases in some folders, and some that were named directly. Nothing else is read or written, wherever links lead.
pub struct McpFolders {
    opener: Opener,
    /// What was named, without links.
    roots: Vec<PathBuf>,
    /// The folders of all of it, so that no name in them leads out.
    _held: Vec<HeldFolder>,
    open: Mutex<OpenFolders>,
}

#[derive(Default)]
struct OpenFolders {
    bases: BTreeMap<String, Base>,
    failed: Vec<String>,
}

impl McpFolders {
    /// Opens everything that was named; failures are reported with the list of all.
    pub fn open(opener: Opener, paths: &[PathBuf]) -> McpFolders {
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let roots: Vec<PathBuf> = paths.iter().map(real).collect();
        let folders = roots.iter().map(|root| match root.is_dir() {
            true => root.as_path(),
            false => root.parent().unwrap_or(root),
        });
        let held = folders.filter_map(|folder| held_folder::hold(folder).ok());
        let folders = McpFolders {
            opener,
            _held: held.collect(),
            roots,
            open: Mutex::default(),
        };
        folders.look();
        folders
    }

    fn lock(&self) -> MutexGuard<'_, OpenFolders> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens everything again.
    fn look(&self) {
        let opened = self.opener.open_all(&self.roots);
        let failures = opened
            .failed
            .iter()
            .map(|failure| failure.error.to_string());
        let mut found = OpenFolders {
            bases: BTreeMap::new(),
            failed: failures.take(FAILED).collect(),
        };
        for base in opened.bases {
            let name = base.name().to_owned();
            if !self.is_inside(&base) {
                found
                    .failed
                    .push(format!("{name}: leads out of the folders"));
            } else if found.bases.len() >= BASES {
                found.failed.push(format!(
                    "{name}: {BASES} databases are open, which is the maximum"
                ));
                break;
            } else {
                let name = self.name_of(&base, &found.bases);
                found.bases.insert(name, base);
            }
        }
        found.failed.truncate(FAILED);
        *self.lock() = found;
    }

    /// The name of a database: its path below the named folder, or its file.
    fn name_of(&self, base: &Base, known: &BTreeMap<String, Base>) -> String {
        let name = Path::new(base.name());
        let below = self.roots.iter().filter(|root| root.is_dir());
        let mut below = below.filter_map(|root| name.strip_prefix(root).ok());
        let short = match below.next() {
            Some(rest) => rest.display().to_string(),
            None => name.file_name().map_or_else(
                || base.name().to_owned(),
                |name| name.to_string_lossy().into_owned(),
            ),
        };
        let numbered = (2..).map(|number| format!("{short} ({number})"));
        let mut names = std::iter::once(short.clone()).chain(numbered);
        let free = names.find(|name| !known.contains_key(name));
        free.unwrap_or(short)
    }

    /// Whether a path without links is one that was named, or is in such a folder.
    fn is_named(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }

    /// Whether all files of a database are in allowed places: links could lead elsewhere.
    fn is_inside(&self, base: &Base) -> bool {
        let Ok(first) = base.path().canonicalize() else {
            return false;
        };
        if !self.is_named(&first) {
            return false;
        }
        let folder = first.parent().unwrap_or(&first);
        let files = match base.is_unpacked() {
            true => Vec::new(),
            false => base.files(),
        };
        files.iter().all(|file| match file.canonicalize() {
            Ok(real) => real.starts_with(folder) || self.is_named(&real),
            Err(_) => true,
        })
    }
}

impl McpBases for McpFolders {
    fn all(&self, again: bool) -> (Vec<McpBase>, Vec<String>) {
        if again {
            self.look();
        }
        let mut open = self.lock();
        let mut all = Vec::new();
        for (name, base) in &mut open.bases {
            if !base.is_current()
                && let Ok(anew) = base.reopen()
                && self.is_inside(&anew)
            {
                *base = anew;
            }
            all.push(McpBase {
                name: name.clone(),
                id: None,
                base: base.clone(),
                is_editable: base.format().edit.is_some() && !base.is_unpacked(),
            });
        }
        (all, open.failed.clone())
    }

    fn opener(&self) -> Opener {
        self.opener.clone()
    }

    fn changed(&self, name: &str) {
        let mut open = self.lock();
        if let Some(base) = open.bases.get_mut(name)
            && let Ok(anew) = base.reopen()
        {
            *base = anew;
        }
    }

    fn target(&self, name: &str) -> Result<PathBuf, McpRefusal> {
        let outside = || {
            McpRefusal::new(
                "outside-folders",
                format!("{name:.200}: files are only written into the named folders"),
            )
        };
        let folders = self.folders();
        let first = folders.first().ok_or_else(outside)?;
        let path = first.join(name);
        let file = path.file_name().ok_or_else(outside)?;
        if file.as_encoded_bytes().starts_with(b".") || name.ends_with(['/', '\\']) {
            return Err(outside());
        }
        let folder = path.parent().unwrap_or(first).canonicalize();
        let folder = folder.map_err(|_| outside())?;
        if !folders.iter().any(|root| folder.starts_with(root)) {
            return Err(outside());
        }
        Ok(folder.join(file))
    }

    fn added(&self, path: &Path) -> Option<String> {
        let base = self.opener.open(path).ok()?.into_iter().next()?;
        if !self.is_inside(&base) {
            return None;
        }
        let mut open = self.lock();
        let name = self.name_of(&base, &open.bases);
        open.bases.insert(name.clone(), base);
        Some(name)
    }

    fn folders(&self) -> Vec<PathBuf> {
        let folders = self.roots.iter().filter(|root| root.is_dir());
        folders.cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, McpFolders) {
        let folder = tempfile::tempdir().expect("a folder");
        let game = "[White \"A\"]\n\n1. e4 e5 *\n";
        std::fs::create_dir(folder.path().join("old")).expect("a folder");
        for name in ["a.pgn", "old/b.pgn"] {
            std::fs::write(folder.path().join(name), game).expect("a file");
        }
        let bases = McpFolders::open(Opener::default(), &[folder.path().to_owned()]);
        (folder, bases)
    }

    #[test]
    fn databases_are_called_by_their_place_in_the_folder() {
        let (_folder, bases) = folder();
        let (all, failed) = bases.all(false);
        let names: Vec<&str> = all.iter().map(|base| &*base.name).collect();
        assert_eq!(names, ["a.pgn", "old/b.pgn"]);
        assert_eq!(failed, Vec::<String>::new());
        assert_eq!(bases.get("B.PGN").expect("one").name, "old/b.pgn");
        for wrong in ["", "c.pgn", "pgn", "/etc/passwd", "../a.pgn"] {
            let refusal = bases.get(wrong).expect_err(wrong);
            assert_eq!(refusal.code(), "no-such-database", "{wrong}");
        }
    }

    #[test]
    fn nothing_is_written_outside_the_folders() {
        let (folder, bases) = folder();
        let real = folder.path().canonicalize().expect("a path");
        assert_eq!(
            bases.target("new.si5").expect("a place"),
            real.join("new.si5")
        );
        assert_eq!(
            bases.target("old/../new.si5").expect("a place"),
            real.join("new.si5")
        );
        for wrong in [
            "../new.pgn",
            "/tmp/new.pgn",
            "",
            "..",
            "old/..",
            ".hidden.pgn",
            "none/new.pgn",
            "old/",
        ] {
            let refusal = bases.target(wrong).expect_err(wrong);
            assert_eq!(refusal.code(), "outside-folders", "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_else() {
        let outside = tempfile::tempdir().expect("a folder");
        std::fs::write(outside.path().join("c.pgn"), "1. e4 *\n").expect("a file");
        let (folder, bases) = folder();
        for (link, target) in [("c.pgn", "c.pgn"), ("out", "")] {
            let target = outside.path().join(target);
            std::os::unix::fs::symlink(target, folder.path().join(link)).expect("a link");
        }
        let (all, failed) = bases.all(true);
        assert_eq!(all.len(), 2);
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert!(bases.target("out/new.pgn").is_err());
    }
}
