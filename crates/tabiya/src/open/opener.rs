//! Finds out what a path holds and opens it: a database, a pipe, an archive, or a folder of databases.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error_codes;
use crate::open::archive;
use crate::open::archive::{ArchiveContents, UnpackedArchive};
use crate::open::base::{Base, BaseContent};
use crate::open::folder::{
    FolderFileKind, FolderOrigin, has_main, is_claimed, is_regular, plain_name,
};
use crate::open::inspection::{FileInspection, cannot_open, extension_of, unknown};
pub use crate::open::open_settings::{Opener, Password, PasswordPrompt};
use crate::open::{database_server, foreign_formats};
use tabiya_formats::format::{Format, ProbeAnswer};
use tabiya_io::compression::{self, ContentKind, PeekReader};
use tabiya_io::{held_folder, regular_file, wait_check};
use tabiya_model::{Database, Error, ErrorKind, Result};

/// Opens everything that a path holds.
pub fn open(path: impl AsRef<Path>) -> Result<Vec<Base>> {
    Opener::default().open(path.as_ref())
}

/// What several paths hold, with those that could not be opened.
#[derive(Debug, Default)]
pub struct OpenedBases {
    /// The databases, in the order of the paths.
    pub bases: Vec<Base>,
    /// What could not be opened.
    pub failed: Vec<BaseFailure>,
}

impl OpenedBases {
    /// The bases; if there are none, the first failure.
    pub fn or_fail(self) -> Result<OpenedBases> {
        match self {
            OpenedBases { bases, mut failed } if bases.is_empty() && !failed.is_empty() => {
                Err(failed.swap_remove(0).error)
            }
            opened => Ok(opened),
        }
    }
}

/// A database with which something failed, while the others go on.
#[derive(Debug)]
pub struct BaseFailure {
    /// Its name.
    pub name: String,
    /// Why.
    pub error: Error,
}

/// Takes each base that is found, or why it cannot be opened, and answers whether to go on.
pub(crate) type BaseVisitor<'v> = dyn FnMut(String, Result<Base>) -> bool + 'v;

impl Opener {
    /// Opens everything that a path holds; `-` is standard input. Stops at the first failure.
    pub fn open(&self, path: &Path) -> Result<Vec<Base>> {
        let mut bases = Vec::new();
        let mut failed = None;
        self.visit(path, &mut |_, base| {
            match base {
                Ok(base) => bases.push(base),
                Err(error) => failed = Some(error),
            }
            failed.is_none()
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(bases),
        }
    }

    /// Opens everything that several paths hold; failures are returned with the rest.
    pub fn open_all<P: AsRef<Path>>(&self, paths: &[P]) -> OpenedBases {
        let mut opened = OpenedBases::default();
        for path in paths {
            self.visit(path.as_ref(), &mut |name, base| {
                match base {
                    Ok(base) => opened.bases.push(base),
                    Err(error) => opened.failed.push(BaseFailure { name, error }),
                }
                wait_check::is_awaited()
            });
        }
        opened
    }

    fn visit(&self, path: &Path, visit: &mut BaseVisitor<'_>) {
        let name = path.display().to_string();
        if path.as_os_str() == "-" {
            let stdin = Box::new(std::io::stdin());
            visit("stdin".to_owned(), self.stream("stdin", path, stdin));
            return;
        }
        if let Some(url) = database_server::server_url(path) {
            let base = database_server::open(url, &self.options).map(|database| {
                self.base(
                    database_server::shown(url),
                    &tabiya_formats::jose::FORMAT,
                    BaseContent::Database(database),
                    path,
                )
            });
            visit(database_server::shown(url), base);
            return;
        }
        let metadata = match held_folder::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                visit(name, Err(cannot_open(path, error)));
                return;
            }
        };
        if metadata.is_dir() {
            self.folder(path, FolderOrigin::Folder, visit);
        } else if !metadata.is_file() && regular_file::is_own_descriptor(path) {
            let file = std::fs::File::open(path).map_err(|error| cannot_open(path, error));
            let base = file.and_then(|file| self.stream(&name, path, Box::new(file)));
            visit(name, base);
        } else {
            self.file(path, visit);
        }
    }

    pub(crate) fn base(
        &self,
        name: String,
        format: &'static Format,
        content: BaseContent,
        path: &Path,
    ) -> Base {
        Base::new(name, format, content, path.to_owned(), self.clone())
    }

    pub(crate) fn file(&self, path: &Path, visit: &mut BaseVisitor<'_>) {
        let name = path.display().to_string();
        if extension_of(path) == "cbz" {
            let asked = || self.ask.and_then(|ask| ask(path));
            if let Some(password) = self.password.clone().or_else(asked) {
                let unpacked = archive::unpack_enciphered(path, &password, &self.limits());
                self.unpacked(path, unpacked, visit);
                return;
            }
        }
        let look = match self.inspect(path) {
            Ok(look) => look,
            Err(error) => {
                visit(name, Err(error));
                return;
            }
        };
        match look {
            // An archive may be a format of its own; only then it is not unpacked here.
            FileInspection {
                found: Some((format, identity)),
                kind,
                ..
            } if kind == ContentKind::Plain || identity == ProbeAnswer::Yes => {
                let database = self.database(format, path);
                let base = database
                    .map(|it| self.base(name.clone(), format, BaseContent::Database(it), path));
                visit(name, base);
            }
            FileInspection {
                foreign: Some(foreign),
                ..
            } => {
                let error = foreign.error(&name);
                visit(name, Err(error));
            }
            FileInspection { kind, .. } if kind != ContentKind::Plain => self.archive(path, visit),
            _ => {
                let error = unknown(&name);
                visit(name, Err(error));
            }
        }
    }

    pub(crate) fn database(
        &self,
        format: &'static Format,
        path: &Path,
    ) -> Result<Box<dyn Database>> {
        let open = if self.salvage {
            format.salvage.or(format.open)
        } else {
            format.open
        };
        let Some(open) = open else {
            return Err(Error::new(
                &error_codes::ONLY_WRITTEN,
                format!("reading {} is not supported", format.title),
            )
            .with("format", format.title)
            .in_file(path.display().to_string()));
        };
        let mut options = self.options.clone();
        options.mmap &= !self.lasting;
        match self.salvage {
            true => open(path, &options),
            false => tabiya_formats::edit::open_settled(format, open, path, &options),
        }
    }

    /// Opens the content of a reader, compressed or not, as a base that is read once, from start to end.
    pub fn open_reader(&self, name: &str, reader: Box<dyn Read + Send>) -> Result<Base> {
        self.stream(name, Path::new(name), reader)
    }

    fn stream(&self, name: &str, path: &Path, reader: Box<dyn Read + Send>) -> Result<Base> {
        let plain = compression::unpack_stream(name, reader, &self.limits())
            .map_err(|error| Error::from(std::io::Error::from(error)))?;
        let peeked = PeekReader::new(plain);
        let found = self.probe(None, "", peeked.head(), false);
        let identity = found.map(|(_, identity)| identity);
        if self.format.is_none()
            && let Some(foreign) =
                foreign_formats::of("", peeked.head(), ContentKind::Plain, identity)
        {
            return Err(foreign.error(name));
        }
        let Some((format, _)) = found else {
            return Err(unknown(name));
        };
        let Some(stream) = format.stream else {
            return Err(Error::new(
                &error_codes::NOT_FROM_PIPE,
                format!(
                    "{} cannot be read from a pipe; save it to a file first",
                    format.title
                ),
            )
            .with("format", format.title)
            .in_file(name.to_string()));
        };
        let source = stream(Box::new(peeked), &self.options)?;
        Ok(self.base(name.to_owned(), format, BaseContent::stream(source), path))
    }

    fn archive(&self, path: &Path, visit: &mut BaseVisitor<'_>) {
        let limits = self.limits();
        let name = path.display().to_string();
        match archive::contents(path, self, &limits) {
            Ok(ArchiveContents::Streams(format)) => {
                let content = BaseContent::Archive(path.to_owned());
                let base = self.base(name.clone(), format, content, path);
                visit(name, Ok(base));
            }
            Ok(ArchiveContents::Files) => {
                self.unpacked(path, archive::unpack(path, &limits), visit)
            }
            Err(error) => {
                visit(name, Err(error));
            }
        }
    }

    /// Every database of an archive that was unpacked.
    fn unpacked(&self, path: &Path, folder: Result<UnpackedArchive>, visit: &mut BaseVisitor<'_>) {
        let name = path.display().to_string();
        match folder {
            Ok(folder) => {
                let folder = Arc::new(folder);
                // The first database tells what is to be told of the archive.
                let mut untold = folder.found.clone();
                for file in self.skipped_files(folder.path()) {
                    untold.push(archive::skipped_file(folder.path(), &file));
                }
                let mut fault = folder.fault();
                let inner = folder.path().display().to_string();
                self.folder(folder.path(), FolderOrigin::Archive, &mut |found, base| {
                    // Databases are named after the archive, and keep the folder as long as they last.
                    let rest = found.strip_prefix(&inner).unwrap_or("");
                    let found = format!("{name}{rest}");
                    let base = base
                        .map(|base| {
                            fault = None;
                            let told = std::mem::take(&mut untold);
                            base.unpacked(found.clone(), path.to_owned(), &folder, told)
                        })
                        // What is missing in an archive that was cut is missing for that reason.
                        .map_err(|error| match fault.take() {
                            Some(fault) => fault,
                            None => renamed(error, &inner, &name),
                        });
                    visit(found, base)
                });
            }
            Err(error) => {
                visit(name, Err(error));
            }
        }
    }

    /// Every database of a folder, in the order of their names.
    pub(crate) fn folder(&self, path: &Path, inside: FolderOrigin, visit: &mut BaseVisitor<'_>) {
        let name = path.display().to_string();
        if let Some((format, _)) = self.probe(Some(path), "", &[], true)
            && format.open.is_some()
        {
            let database = self.database(format, path);
            let base =
                database.map(|it| self.base(name.clone(), format, BaseContent::Database(it), path));
            visit(name, base);
            return;
        }
        let files = match Opener::files_of(path, inside) {
            Ok(files) => files,
            Err(error) => {
                visit(name, Err(error));
                return;
            }
        };
        let names: BTreeSet<String> = files.iter().map(|file| plain_name(file)).collect();
        let mut orphans = BTreeSet::new();
        let mut any = false;
        for file in files {
            let look = match self.inspect(&file) {
                Ok(look) => look,
                // What is no file at all is nobody's database, unless its name says so.
                Err(_) if !is_claimed(&extension_of(&file)) && !is_regular(&file) => continue,
                Err(error) => {
                    any = true;
                    if !visit(file.display().to_string(), Err(error)) {
                        return;
                    }
                    continue;
                }
            };
            let member = FolderFileKind::of(&file, &look);
            let mut go_on = true;
            match member {
                FolderFileKind::Unread(error) if inside == FolderOrigin::Folder => {
                    any = true;
                    go_on = visit(file.display().to_string(), Err(error));
                }
                FolderFileKind::Unread(_) | FolderFileKind::Other => {}
                FolderFileKind::Companion(format) if has_main(format, &file, &names) => {}
                // What is left of a database says what is missing, once.
                FolderFileKind::Companion(_)
                    if !orphans.insert(plain_name(&file.with_extension(""))) => {}
                FolderFileKind::Archive if inside == FolderOrigin::Archive => {}
                FolderFileKind::Database
                | FolderFileKind::Companion(_)
                | FolderFileKind::Archive => {
                    let is_archive = matches!(member, FolderFileKind::Archive);
                    self.file(&file, &mut |name, base| {
                        let is_chess =
                            !matches!(&base, Err(error) if error.kind == ErrorKind::NotThisFormat);
                        // Archives of other things lie in folders too.
                        if is_chess || !is_archive {
                            any = true;
                            go_on = visit(name, base);
                        }
                        go_on
                    });
                }
            }
            if !go_on {
                return;
            }
        }
        if !any {
            let error = Error::new(
                &error_codes::NOTHING_TO_OPEN,
                "there is no chess database here",
            )
            .in_file(path.display().to_string());
            visit(name, Err(error));
        }
    }

    /// The files of a folder that are neither opened nor a part of what is.
    pub(crate) fn skipped_files(&self, folder: &Path) -> Vec<PathBuf> {
        let stem = |file: &Path| plain_name(&file.with_extension(""));
        let mut others = Vec::new();
        let mut stems = BTreeSet::new();
        for file in Opener::files_of(folder, FolderOrigin::Archive).unwrap_or_default() {
            match self
                .inspect(&file)
                .map(|look| FolderFileKind::of(&file, &look))
            {
                Ok(FolderFileKind::Database | FolderFileKind::Companion(_)) => {
                    stems.insert(stem(&file));
                }
                _ => others.push(file),
            }
        }
        others.retain(|file| !stems.contains(&stem(file)));
        others
    }
}

impl Base {
    /// Opens the current state of the same database.
    pub fn reopen(&self) -> Result<Base> {
        if !self.is_repeatable() {
            return Err(self.read_once());
        }
        let found = self.opener().open(self.path())?;
        found
            .into_iter()
            .find(|base| base.name() == self.name())
            .ok_or_else(|| {
                Error::new(&error_codes::DATABASE_GONE, "it no longer exists")
                    .in_file(self.name().to_owned())
            })
    }

    /// This base if its files are unchanged, else the same database opened again.
    pub fn current(&self) -> Result<Base> {
        if self.is_current() {
            Ok(self.clone())
        } else {
            self.reopen()
        }
    }
}

/// The same failure with the archive's name instead of the folder it was unpacked to.
fn renamed(error: Error, folder: &str, archive: &str) -> Error {
    error.with_texts(|text| text.replace(folder, archive))
}
