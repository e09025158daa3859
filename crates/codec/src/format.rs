//! The descriptor of a format, and the options that opening and writing take.
//!
//! A format is one constant. Help texts, the table in `docs/formats`, the conformance suite and the list of fuzz targets loop
//! over the list in `tabiya_formats::registry`. What else names formats is said in CONTRIBUTING.md.

use std::any::Any;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabiya_io::compression;
use tabiya_io::mmap::{FileAccess, FileBytes};
use tabiya_model::charset::Charset;
use tabiya_model::limits::ReadLimits;
use tabiya_model::{Database, DiagnosticCode, Error, LossKind, Result, Sink, Source};

use crate::edit::editor::DatabaseEditor;
use crate::options::{FormatOption, FormatSettings};

/// The data by which a format recognises a file.
#[derive(Copy, Clone, Debug)]
pub struct FormatProbe<'a> {
    /// The name, if there is one.
    pub path: Option<&'a Path>,
    /// The extension in lower case, without a compression's (`pgn` for `games.pgn.gz`).
    pub extension: &'a str,
    /// The first bytes, decompressed: at most [`HEAD`](tabiya_io::compression::HEAD) of them.
    pub head: &'a [u8],
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// The answer of a format to a [`FormatProbe`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ProbeAnswer {
    /// Certainly another format.
    No,
    /// Possibly.
    Maybe,
    /// By name and bytes, or by the bytes alone.
    Yes,
}

/// How far a format is supported in one direction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FormatSupport {
    /// Not at all.
    None,
    /// It works, but could not be checked against the original program.
    Experimental,
    /// Everything in the specification, checked against data from others.
    Full,
}

/// The capabilities of a format.
#[derive(Copy, Clone, Debug)]
pub struct FormatCapabilities {
    /// Reading.
    pub read: FormatSupport,
    /// Writing.
    pub write: FormatSupport,
    /// Changing in place.
    pub edit: bool,
    /// Repairing.
    pub repair: bool,
    /// Any tag, or only those of a list.
    pub any_tag: bool,
    /// Variations.
    pub variations: bool,
    /// Comments anywhere.
    pub comments: bool,
    /// NAGs.
    pub nags: bool,
    /// Games with custom starting positions.
    pub setups: bool,
    /// Chess960.
    pub chess960: bool,
    /// Null moves.
    pub null_moves: bool,
    /// Unreadable movetext.
    pub raw_movetext: bool,
    /// Deleted games, marked.
    pub deleted: bool,
}

/// Options for opening a database.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The charset of texts that are not UTF-8; detected if `None`.
    pub encoding: Option<Charset>,
    /// Texts were decoded with the first charset and should have been with the second.
    pub redecode: Option<(Charset, Charset)>,
    /// Check derived fields too and report their errors.
    pub audit: bool,
    /// Map regular files into memory.
    pub mmap: bool,
    /// Limits.
    pub limits: ReadLimits,
    /// Options of single formats.
    pub settings: FormatSettings,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions {
            encoding: None,
            redecode: None,
            audit: false,
            mmap: true,
            limits: ReadLimits::default(),
            settings: FormatSettings::default(),
        }
    }
}

impl OpenOptions {
    /// How files get into memory.
    pub fn access(&self) -> FileAccess {
        if self.mmap {
            FileAccess::Map
        } else {
            FileAccess::Read
        }
    }

    /// Limits for decompression.
    pub fn unpacking(&self) -> compression::UnpackLimits {
        compression::UnpackLimits {
            ratio: self.limits.expansion,
            window: self.limits.window,
            ..compression::UnpackLimits::default()
        }
    }

    /// The bytes of a file.
    pub fn bytes_of(&self, path: &Path) -> Result<FileBytes> {
        FileBytes::open(path, self.access())
            .map_err(|error| Error::from(error).in_file(path.to_string_lossy()))
    }
}

/// Options for writing a database.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Replace an existing target.
    pub force: bool,
    /// Paths of the sources, which are never overwritten.
    pub sources: Vec<PathBuf>,
    /// The charset of texts, if the format has a choice.
    pub encoding: Option<Charset>,
    /// The database's description.
    pub description: Option<String>,
    /// The database's type number (Scid).
    pub kind: Option<u32>,
    /// The game to show first on opening (Scid).
    pub autoload: Option<u64>,
    /// Labels of custom flags (Scid).
    pub labels: Vec<String>,
    /// Options of single formats.
    pub settings: FormatSettings,
    /// Work on the games before they are put in place.
    pub completion: Option<TargetCompletion>,
}

/// Work on a target before it is put in place, specific to its format: only a format that knows the type does it.
#[derive(Clone)]
pub struct TargetCompletion(Arc<dyn Any + Send + Sync>);

impl TargetCompletion {
    /// One of a format's own type.
    pub fn new(completion: impl Any + Send + Sync) -> TargetCompletion {
        TargetCompletion(Arc::new(completion))
    }

    /// It, if it is of that type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl std::fmt::Debug for TargetCompletion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TargetCompletion")
    }
}

/// Opens a database by path.
pub type OpenFn = fn(&Path, &OpenOptions) -> Result<Box<dyn Database>>;
/// Reads a database from a pipe or out of an archive.
pub type StreamFn = fn(Box<dyn Read + Send>, &OpenOptions) -> Result<Box<dyn Source<'static>>>;
/// Creates a database; the path `-` is standard output for formats of one file.
pub type CreateFn = fn(&Path, &WriteOptions) -> Result<Box<dyn Sink>>;
/// Opens the rest of a damaged database and yields every game that can be found.
pub type SalvageFn = fn(&Path, &OpenOptions) -> Result<Box<dyn Database>>;

/// Opens a database to change it in place.
pub type EditFn = fn(&Path, &OpenOptions) -> Result<Box<dyn DatabaseEditor>>;

/// A format.
pub struct Format {
    /// Short name, for `--to` and tables.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Extensions in lower case, the one to write first.
    pub extensions: &'static [&'static str],
    /// The extensions of companion files; the database is opened by another file.
    pub companions: &'static [&'static str],
    /// Its capabilities.
    pub capabilities: FormatCapabilities,
    /// Recognises it.
    pub identify: fn(&FormatProbe<'_>) -> ProbeAnswer,
    /// Opens it by path.
    pub open: Option<OpenFn>,
    /// Reads it from a pipe.
    pub stream: Option<StreamFn>,
    /// Creates it.
    pub create: Option<CreateFn>,
    /// Opens the rest of a damaged database.
    pub salvage: Option<SalvageFn>,
    /// Opens it to change it in place.
    pub edit: Option<EditFn>,
    /// The options of its reader, in addition to those of all formats.
    pub open_options: &'static [FormatOption],
    /// The same for its writer.
    pub write_options: &'static [FormatOption],
    /// Every diagnostic that its reader can make.
    pub codes: &'static [&'static DiagnosticCode],
    /// Every loss that its writer can report.
    pub losses: &'static [&'static LossKind],
    /// Remarks for the matrix: evidence, limits.
    pub notes: &'static str,
}

impl Format {
    /// Whether a database is opened by a file with this extension, which is then not a companion.
    pub fn opens(&self, extension: &str) -> bool {
        !self.companions.contains(&extension)
    }

    /// Whether it is a table, for reading by people and never read back. Data without a column is left out because a
    /// table was requested.
    pub fn is_table(&self) -> bool {
        self.create.is_some() && self.open.is_none() && self.stream.is_none()
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
