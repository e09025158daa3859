//! Finds out what a path holds and opens it: a database, a pipe, an archive, or a folder of databases.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::archive::{self, Chain, Contents};
use crate::server;
use tabiya_formats::format::{Format, Identity, OpenOptions, Probe, WriteOptions};
use tabiya_formats::registry;
use tabiya_io::compression::{self, Compression, Kind, Peeked};
use tabiya_io::decode::{Decoder, Meter};
use tabiya_model::database::for_each_game;
use tabiya_model::{
    About, Block, Database, Diagnostics, Error, ErrorKind, Game, Info, Losses, Result, Sink,
    Source, Want,
};

/// One database that is open for reading.
pub struct Input {
    /// Its path, or its name within an archive, or `stdin`.
    pub name: String,
    /// Its format.
    pub format: &'static Format,
    content: Content,
}

enum Content {
    Database(Box<dyn Database>),
    /// A database that was unpacked; the folder goes when the database is closed.
    Unpacked(
        Box<dyn Database>,
        #[allow(dead_code)] Arc<tempfile::TempDir>,
    ),
    /// An archive whose members are read one after another, as often as is asked.
    Archive(PathBuf, Box<Inputs>),
    /// A pipe or a member of an archive: read once.
    Stream(Option<Box<dyn Source<'static>>>),
}

/// How inputs are opened.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// What the formats are told.
    pub options: OpenOptions,
    /// The format, where the user says it.
    pub format: Option<&'static Format>,
    /// Look for what is left of damaged databases.
    pub salvage: bool,
}

/// Opens everything that a path holds.
pub fn open(path: impl AsRef<Path>) -> Result<Vec<Input>> {
    Inputs::default().open(path.as_ref())
}

impl Inputs {
    /// Opens everything that a path holds; `-` is standard input.
    pub fn open(&self, path: &Path) -> Result<Vec<Input>> {
        if path.as_os_str() == "-" {
            let stdin = Box::new(std::io::stdin());
            return Ok(vec![self.stream("stdin", "", stdin)?]);
        }
        if let Some(url) = server::of(path) {
            return Ok(vec![Input {
                name: server::shown(url),
                format: &tabiya_formats::jose::FORMAT,
                content: Content::Database(server::open(url, &self.options)?),
            }]);
        }
        let metadata = std::fs::metadata(path).map_err(|error| cannot_open(path, error))?;
        if metadata.is_dir() {
            return self.folder(path);
        }
        if !metadata.is_file() {
            let file = std::fs::File::open(path).map_err(|error| cannot_open(path, error))?;
            return Ok(vec![self.stream(
                &path.display().to_string(),
                "",
                Box::new(file),
            )?]);
        }
        self.file(path)
    }

    /// The format of a path, as `identify` says it.
    pub fn identify(&self, path: &Path) -> Result<Option<(&'static Format, Identity)>> {
        let metadata = std::fs::metadata(path).map_err(|error| cannot_open(path, error))?;
        let (head, _) = if metadata.is_dir() {
            (Vec::new(), Kind::Plain)
        } else {
            head_of(path, &self.limits())?
        };
        Ok(self.probe(Some(path), &extension_of(path), &head, metadata.is_dir()))
    }

    pub(crate) fn limits(&self) -> compression::Limits {
        compression::Limits {
            ratio: self.options.limits.expansion,
            window: self.options.limits.window,
            headerless_bzip2: true,
            ..compression::Limits::default()
        }
    }

    pub(crate) fn probe(
        &self,
        path: Option<&Path>,
        extension: &str,
        head: &[u8],
        is_folder: bool,
    ) -> Option<(&'static Format, Identity)> {
        if let Some(format) = self.format {
            return Some((format, Identity::Yes));
        }
        registry::identify(&Probe {
            path,
            extension,
            head,
            is_folder,
        })
    }

    fn file(&self, path: &Path) -> Result<Vec<Input>> {
        let (head, kind) = head_of(path, &self.limits())?;
        let extension = extension_of(path);
        let found = self.probe(Some(path), &extension, &head, false);
        match found {
            // An archive may be a format of its own; only then it is not unpacked here.
            Some((format, identity)) if kind == Kind::Plain || identity == Identity::Yes => {
                let database = self.database(format, path)?;
                Ok(vec![Input {
                    name: path.display().to_string(),
                    format,
                    content: Content::Database(database),
                }])
            }
            _ if kind != Kind::Plain => self.archive(path),
            _ => Err(unknown(&path.display().to_string())),
        }
    }

    fn database(&self, format: &'static Format, path: &Path) -> Result<Box<dyn Database>> {
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
        open(path, &self.options)
    }

    fn stream(&self, name: &str, extension: &str, reader: Box<dyn Read + Send>) -> Result<Input> {
        let plain = compression::unpack_stream(name, reader, &self.limits())
            .map_err(|error| Error::from(std::io::Error::from(error)))?;
        let peeked = Peeked::new(plain);
        let found = self.probe(None, extension, peeked.head(), false);
        let Some((format, _)) = found.filter(|(format, _)| format.stream.is_some()) else {
            return Err(match found {
                None => unknown(name),
                Some((format, _)) => Error::new(
                    ErrorKind::Unsupported,
                    format!(
                        "{name}: {} cannot be read from a pipe; save it to a file first",
                        format.title
                    ),
                ),
            });
        };
        let Some(stream) = format.stream else {
            return Err(unknown(name));
        };
        Ok(Input {
            name: name.to_owned(),
            format,
            content: Content::Stream(Some(stream(Box::new(peeked), &self.options)?)),
        })
    }

    fn archive(&self, path: &Path) -> Result<Vec<Input>> {
        let limits = self.limits();
        let name = path.display().to_string();
        match archive::contents(path, self, &limits)? {
            Contents::Streams(format) => Ok(vec![Input {
                name,
                format,
                content: Content::Archive(path.to_owned(), Box::new(self.clone())),
            }]),
            Contents::Files => {
                let folder = Arc::new(archive::unpack(path, &limits)?);
                let mut inputs = self.folder(folder.path())?;
                for input in &mut inputs {
                    input.keep(&name, &folder);
                }
                Ok(inputs)
            }
        }
    }

    /// Every database of a folder, in the order of their names.
    fn folder(&self, path: &Path) -> Result<Vec<Input>> {
        if let Some((format, _)) = self.probe(Some(path), "", &[], true)
            && format.open.is_some()
        {
            return Ok(vec![Input {
                name: path.display().to_string(),
                format,
                content: Content::Database(self.database(format, path)?),
            }]);
        }
        let mut inputs = Vec::new();
        for file in files_of(path)? {
            let found = self.identify(&file)?;
            match found {
                // Companions stand beside the file that opens them; what can only be written is passed over.
                Some((format, Identity::Yes)) if format.open.is_some() && opens(format, &file) => {
                    inputs.extend(self.file(&file)?);
                }
                _ => {}
            }
        }
        if inputs.is_empty() {
            return Err(Error::new(
                ErrorKind::NotThisFormat,
                format!("{}: no chess database is in this folder", path.display()),
            ));
        }
        Ok(inputs)
    }
}

/// Creates a database of a format; the target may be a server too.
pub fn create(
    path: &Path,
    format: &'static Format,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>> {
    if let Some(url) = server::of(path) {
        return server::create(url, options);
    }
    match format.create {
        Some(create) => create(path, options),
        None => Err(Error::new(
            ErrorKind::Unsupported,
            format!(
                "writing {} is not supported (see `tabiya formats`)",
                format.title
            ),
        )),
    }
}

/// Whether a file of a set of several is the one by which the set is opened.
fn opens(format: &Format, file: &Path) -> bool {
    let extension = extension_of(file);
    format
        .extensions
        .first()
        .is_none_or(|first| *first == extension)
        || !format.extensions.contains(&extension.as_str())
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| cannot_open(&folder, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| cannot_open(&folder, error))?;
            let kind = entry
                .file_type()
                .map_err(|error| cannot_open(&entry.path(), error))?;
            // Links to folders are not followed: they could lead in a circle.
            if kind.is_dir() {
                folders.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
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
fn head_of(path: &Path, limits: &compression::Limits) -> Result<(Vec<u8>, Kind)> {
    let file = std::fs::File::open(path).map_err(|error| cannot_open(path, error))?;
    let name = path.display().to_string();
    let (mut kind, mut peeked) = compression::sniff(Box::new(file), limits);
    for _ in 0..limits.depth {
        let Kind::Compressed(compression) = kind else {
            break;
        };
        // Damage shows again when the file is read.
        let meter = Meter::default();
        let Ok(decoder) = Decoder::new(&name, compression, Box::new(peeked), limits, meter) else {
            return Ok((Vec::new(), kind));
        };
        (kind, peeked) = compression::sniff(Box::new(decoder), limits);
    }
    Ok((peeked.head().to_vec(), kind))
}

pub(crate) fn cannot_open(path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("{}: {error}", path.display())).because(error)
}

fn unknown(name: &str) -> Error {
    Error::new(
        ErrorKind::NotThisFormat,
        format!(
            "{name}: this is no chess database that Tabiya knows (see `tabiya formats`; --from FORMAT insists)"
        ),
    )
}

/// A source that owns its content, seen as one that borrows it.
struct Owned(Box<dyn Source<'static>>);

impl<'a> Source<'a> for Owned {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        Ok(self
            .0
            .next_block()?
            .map(|block| block as Box<dyn Block + 'a>))
    }

    fn diagnostics(&self) -> Diagnostics {
        self.0.diagnostics()
    }

    fn about(&self) -> About {
        self.0.about()
    }

    fn gone(&self) -> Losses {
        self.0.gone()
    }

    fn total_bytes(&self) -> Option<u64> {
        self.0.total_bytes()
    }
}

impl Input {
    /// Names an unpacked database after its archive, and keeps the folder as long as the database.
    fn keep(&mut self, archive: &str, folder: &Arc<tempfile::TempDir>) {
        let inner = self.name.strip_prefix(&folder.path().display().to_string());
        self.name = format!("{archive}{}", inner.unwrap_or(""));
        let content = std::mem::replace(&mut self.content, Content::Stream(None));
        self.content = match content {
            Content::Database(database) => Content::Unpacked(database, Arc::clone(folder)),
            other => other,
        };
    }

    /// The database, where the input is one; a stream has no random access.
    pub fn database(&self) -> Option<&dyn Database> {
        match &self.content {
            Content::Database(database) | Content::Unpacked(database, _) => Some(&**database),
            Content::Stream(_) | Content::Archive(..) => None,
        }
    }

    /// What is known without reading games.
    pub fn info(&self) -> Info {
        match &self.content {
            Content::Database(database) | Content::Unpacked(database, _) => database.info(),
            Content::Archive(path, _) => Info {
                format: self.format.name,
                files: std::fs::metadata(path)
                    .map(|metadata| vec![(path.clone(), metadata.len())])
                    .unwrap_or_default(),
                ..Info::default()
            },
            Content::Stream(_) => Info {
                format: self.format.name,
                ..Info::default()
            },
        }
    }

    /// Whether [`Input::source`] can be called again.
    pub fn is_repeatable(&self) -> bool {
        !matches!(self.content, Content::Stream(_))
    }

    /// All games; a stream gives them once.
    pub fn source(&mut self) -> Result<Box<dyn Source<'_> + '_>> {
        match &mut self.content {
            Content::Database(database) | Content::Unpacked(database, _) => database.source(None),
            Content::Archive(path, inputs) => {
                Ok(Box::new(Chain::new(path, inputs, &inputs.limits())?))
            }
            Content::Stream(stream) => match stream.take() {
                Some(source) => Ok(Box::new(Owned(source))),
                None => Err(Error::usage(format!("{} can be read only once", self.name))),
            },
        }
    }

    /// Calls `each` with every game, in order.
    pub fn for_each(&mut self, each: impl FnMut(&mut Game) -> Result<()>) -> Result<u64> {
        for_each_game(&mut *self.source()?, Want::ALL, each)
    }
}
