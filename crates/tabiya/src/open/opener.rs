//! Finds out what a path holds and opens it: a database, a pipe, an archive, or a folder of databases.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::open::archive;
use crate::open::archive::{ArchiveContents, UnpackedArchive};
use crate::open::base::{Base, BaseContent};
use crate::open::folder::FolderOrigin;
use crate::open::{database_server, foreign_formats};
use tabiya_formats::format::{Format, FormatProbe, OpenOptions, ProbeAnswer};
use tabiya_formats::registry;
use tabiya_io::compression::{self, Compression, ContentKind, PeekReader};
use tabiya_io::stream_decoder::{StreamDecoder, UnpackMeter};
use tabiya_io::{held_folder, regular_file, wait_check};
use tabiya_model::{Database, Error, ErrorKind, Result};

/// How bases are opened.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use tabiya::Opener;
///
/// let opener = Opener { lasting: true, ..Opener::default() };
/// let opened = opener.open_all(&[path, "nowhere.pgn"]);
/// assert_eq!(opened.bases[0].format().name, "si5");
/// assert_eq!(opened.failed[0].name, "nowhere.pgn");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Opener {
    /// What the formats are told.
    pub options: OpenOptions,
    /// The format, where the user says it.
    pub format: Option<&'static Format>,
    /// Look for what is left of damaged databases.
    pub salvage: bool,
    /// The bases are kept for long, as a server does: their files are read piece by piece where they are needed and not
    /// mapped, so that another program that cuts one short does no harm. The index beside a base is mapped all the same:
    /// whoever renews it replaces it as a whole.
    pub lasting: bool,
    /// The password of enciphered archives.
    pub password: Option<Password>,
    /// Asks somebody for the password of an enciphered archive, where none is given here.
    pub ask: Option<PasswordPrompt>,
}

/// Asks for the password of a file; nothing where there is nobody to ask, or no answer.
pub type PasswordPrompt = fn(&Path) -> Option<Password>;

/// A password, which is never shown.
#[derive(Clone)]
pub struct Password(Arc<[u8]>);

impl Password {
    /// Takes a password as its bytes stand in a file.
    pub fn new(bytes: &[u8]) -> Password {
        Password(bytes.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password")
    }
}

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
    /// The bases; where there are none, the first failure.
    pub fn or_fail(self) -> Result<OpenedBases> {
        match self {
            OpenedBases { bases, mut failed } if bases.is_empty() && !failed.is_empty() => {
                Err(failed.swap_remove(0).error)
            }
            opened => Ok(opened),
        }
    }
}

/// A database with which something could not be done, while the others go on.
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
    /// Opens everything that a path holds; `-` is standard input. The first failure ends it.
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

    /// Opens everything that several paths hold; what cannot be opened stands beside the rest.
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

    /// The format of a path, as `identify` says it.
    pub fn identify(&self, path: &Path) -> Result<Option<(&'static Format, ProbeAnswer)>> {
        Ok(self.inspect(path)?.found)
    }

    /// What the name and the first bytes of a path say.
    pub(crate) fn inspect(&self, path: &Path) -> Result<FileInspection> {
        let metadata = held_folder::metadata(path).map_err(|error| cannot_open(path, error))?;
        let (head, kind) = if metadata.is_dir() {
            (Vec::new(), ContentKind::Plain)
        } else {
            head_of(path, &self.limits())?
        };
        let extension = extension_of(path);
        let mut found = self.probe(Some(path), &extension, &head, metadata.is_dir());
        let foreign =
            foreign_formats::of(&extension, &head, kind, found.map(|(_, identity)| identity));
        if foreign.is_some() && self.format.is_none() {
            found = None;
        }
        Ok(FileInspection {
            kind,
            found,
            foreign,
            is_folder: metadata.is_dir(),
        })
    }

    pub(crate) fn limits(&self) -> compression::UnpackLimits {
        compression::UnpackLimits {
            headerless_bzip2: true,
            ..self.options.unpacking()
        }
    }

    pub(crate) fn probe(
        &self,
        path: Option<&Path>,
        extension: &str,
        head: &[u8],
        is_folder: bool,
    ) -> Option<(&'static Format, ProbeAnswer)> {
        if let Some(format) = self.format {
            return Some((format, ProbeAnswer::Yes));
        }
        registry::identify(&FormatProbe {
            path,
            extension,
            head,
            is_folder,
        })
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
                ErrorKind::Unsupported,
                format!(
                    "{}: reading {} is not supported",
                    path.display(),
                    format.title
                ),
            ));
        };
        if !self.salvage {
            tabiya_formats::edit::finish_interrupted(format, path)?;
        }
        let mut options = self.options.clone();
        options.mmap &= !self.lasting;
        open(path, &options)
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
                ErrorKind::Unsupported,
                format!(
                    "{name}: {} cannot be read from a pipe; save it to a file first",
                    format.title
                ),
            ));
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
}

/// What the name and the first bytes of a file say.
#[derive(Debug)]
pub(crate) struct FileInspection {
    /// What kind of file it is below its compression.
    pub(crate) kind: ContentKind,
    /// The format, where one is known.
    pub(crate) found: Option<(&'static Format, ProbeAnswer)>,
    /// What it is instead.
    pub(crate) foreign: Option<&'static foreign_formats::ForeignFormat>,
    /// Whether it is a folder.
    pub(crate) is_folder: bool,
}

/// The extension in lower case, without that of a compression.
pub(crate) fn extension_of(path: &Path) -> String {
    let inner = Compression::of_target(path).map(|(_, inner)| inner);
    let path = inner.as_deref().unwrap_or(path);
    path.extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

/// The first bytes of a file, decompressed, and what kind of file it is below its compression.
fn head_of(path: &Path, limits: &compression::UnpackLimits) -> Result<(Vec<u8>, ContentKind)> {
    let file = tabiya_io::regular_file::open(path).map_err(|error| cannot_open(path, error))?;
    let name = path.display().to_string();
    let (mut kind, mut peeked) = compression::sniff(Box::new(file), limits);
    for _ in 0..limits.depth {
        let ContentKind::Compressed(compression) = kind else {
            break;
        };
        // Damage shows again when the file is read.
        let meter = UnpackMeter::default();
        let Ok(decoder) = StreamDecoder::new(&name, compression, Box::new(peeked), limits, meter)
        else {
            return Ok((Vec::new(), kind));
        };
        (kind, peeked) = compression::sniff(Box::new(decoder), limits);
    }
    Ok((peeked.head().to_vec(), kind))
}

pub(crate) fn cannot_open(path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("{}: {error}", path.display())).because(error)
}

/// The same failure with the archive's name in place of the folder it was unpacked to.
fn renamed(mut error: Error, folder: &str, archive: &str) -> Error {
    error.message = error.message.replace(folder, archive);
    if let Some(file) = &mut error.place.file {
        *file = file.replace(folder, archive);
    }
    error
}

pub(crate) fn unknown(name: &str) -> Error {
    Error::new(
        ErrorKind::NotThisFormat,
        format!(
            "{name}: this is no chess database that Tabiya knows (see `tabiya formats`; --from FORMAT insists)"
        ),
    )
}
