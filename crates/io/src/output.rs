//! Files that appear completely or not at all.
//!
//! An [`OutputFile`] is written next to its target under a temporary name and takes the name of the target at
//! [`OutputFile::commit`]. A format of several files gives its outputs to [`commit_all`], which renames none before all
//! are written, and restores the old files if one cannot be renamed. Outputs that are dropped without a commit are
//! removed.
//!
//! * An existing target is refused unless [`OutputOptions::force`] is set, and a target that is one of
//!   the sources always, by any name or link.
//! * A replaced file keeps its permissions and, if the system allows it, its owner; a symbolic link stays a link and the file it points
//!   to is replaced. A new file gets the permissions of any new file.
//! * If a file is replaced, the new content is synced to the disk before the old one is removed, so that
//!   a power failure leaves one of the two. A new file is not synced: after a power failure it can be
//!   missing or empty, but nothing older is lost with it.
//! * `-` is stdout, and devices and named pipes are written to directly: that output
//!   cannot be undone.
//! * Ctrl-C: the program's handler calls [`interrupt`](crate::interrupt::stop), which waits for a running commit, so that a set is
//!   never left half renamed, and removes everything that is not committed.
//! * Files that a killed process has left under a temporary name are removed by the next one that writes into the folder: the file
//!   of a living one is locked.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use super::disk::{Disk, DiskFile};
use super::held_folder::{self, DirectoryEntry};
use super::{interrupt, regular_file};

/// Why an output cannot be written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// There is a file with that name.
    #[error("{}: already exists", .0.display())]
    Exists(PathBuf),
    /// The target is one of the files that are being read.
    #[error("{}: is the same file as the source {}; sources are never overwritten",
        target.display(), source_path.display())]
    IsSource {
        /// The given target.
        target: PathBuf,
        /// The given source.
        source_path: PathBuf,
    },
    /// Two outputs of one set are the same file.
    #[error("{}: would be written twice", .0.display())]
    Twice(PathBuf),
    /// The target is a folder.
    #[error("{}: is a folder", .0.display())]
    IsFolder(PathBuf),
    /// The user has stopped the program.
    #[error("{}: not written, the program is being stopped", .0.display())]
    Stopped(PathBuf),
    /// The system refused.
    #[error("{}: {doing}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation.
        doing: &'static str,
        /// The system error.
        error: io::Error,
    },
}

impl OutputError {
    /// The file in its message.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            OutputError::Exists(path)
            | OutputError::Twice(path)
            | OutputError::IsFolder(path)
            | OutputError::Stopped(path)
            | OutputError::IsSource { target: path, .. }
            | OutputError::Io { path, .. } => path,
        }
    }
}

impl From<OutputError> for io::Error {
    fn from(error: OutputError) -> Self {
        let kind = match &error {
            OutputError::Exists(_) => io::ErrorKind::AlreadyExists,
            OutputError::Stopped(_) => io::ErrorKind::Interrupted,
            OutputError::Io { error, .. } => error.kind(),
            OutputError::IsSource { .. } | OutputError::Twice(_) | OutputError::IsFolder(_) => {
                io::ErrorKind::InvalidInput
            }
        };
        Self::new(kind, error)
    }
}

/// Options of an output.
#[derive(Debug, Clone, Default)]
pub struct OutputOptions {
    /// Whether an existing file may be replaced.
    pub force: bool,
    /// All files that are being read, companions included; `-` is stdin.
    pub sources: Vec<PathBuf>,
}

/// A file under a temporary name, removed when dropped.
#[derive(Debug)]
struct TemporaryFile {
    path: PathBuf,
    live: bool,
}

impl TemporaryFile {
    /// Creates a file beside `target`.
    fn create(target: &Path) -> Result<(Self, DiskFile), OutputError> {
        let disk = Disk::current();
        let _inside = interrupt::enter().map_err(|_| OutputError::Stopped(target.to_path_buf()))?;
        sweep(target);
        loop {
            let path = temporary_name(target);
            match disk.create_new(&path) {
                // Another program has just removed it as a leftover.
                Ok(file) if !is_kept(&path, file.inner()) => {}
                Ok(file) => {
                    interrupt::add(&path);
                    return Ok((Self { path, live: true }, file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    let (path, doing) = (target.to_path_buf(), "cannot be created");
                    return Err(OutputError::Io { path, doing, error });
                }
            }
        }
    }

    /// The name is no longer ours: the file was renamed or removed.
    fn forget(&mut self) {
        interrupt::forget(&self.path);
        self.live = false;
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // If the program is being stopped, it has been removed already.
        if self.live
            && let Ok(_inside) = interrupt::enter()
        {
            // Nobody is left to report a failure to.
            let _ = Disk::current().remove(&self.path);
            interrupt::forget(&self.path);
        }
    }
}

/// What precedes the process number in a temporary name.
const OURS: &str = ".tabiya-";
/// The end of a temporary name.
const PART: &str = ".part";
/// The end of the name of an old file that is put aside.
const OLD: &str = ".old";
/// The end of the name of a replaced file that was still open.
const GONE: &str = ".gone";

/// Locks a new file or folder under a temporary name, so that nobody takes it for a leftover; false if somebody else has
/// locked it.
pub(crate) fn is_kept(path: &Path, file: &File) -> bool {
    if cfg!(unix) {
        // On systems without locks, no leftovers are removed.
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return false;
        }
        let own = file.metadata().map(|own| interrupt::number(&own)).ok();
        return own.is_some()
            && own
                == held_folder::symlink_metadata(path)
                    .ok()
                    .map(|it| interrupt::number(&it));
    }
    true
}

/// How many folders are remembered as cleaned. A long-running program that writes into ever new folders cleans some of them
/// again.
const SWEPT_MOST: usize = 256;

/// Removes what killed processes have left under temporary names in the folder of a target, once for each folder.
pub(crate) fn sweep(target: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.len() >= SWEPT_MOST {
        swept.clear();
    }
    if !swept.insert(folder.to_path_buf()) {
        return;
    }
    drop(swept);
    let Ok(entries) = held_folder::read_dir(folder) else {
        return;
    };
    for DirectoryEntry { path, kind } in entries {
        let name = path.file_name().and_then(|name| name.to_str());
        if !name.is_some_and(is_temporary) || !(kind.is_file() || kind.is_dir()) {
            continue;
        }
        #[cfg(windows)]
        if kind.is_file() {
            remove_unused(&path);
        }
        // On other systems, nothing shows whether somebody is writing it.
        if !cfg!(unix) {
            continue;
        }
        // A process that writes it holds its lock.
        let file = match kind.is_dir() {
            true => held_folder::open_folder(&path),
            false => regular_file::open(&path),
        };
        let Ok(file) = file else {
            continue;
        };
        if file.try_lock().is_ok() {
            // If it cannot be removed, it stays.
            let _ = match kind.is_dir() {
                true => Disk::current().remove_folder(&path),
                false => Disk::current().remove(&path),
            };
        }
    }
}

/// Removes a file that nobody has open: a file that is being written or read is open.
#[cfg(windows)]
fn remove_unused(path: &Path) {
    use std::os::windows::fs::OpenOptionsExt as _;
    const DELETE: u32 = 0x0001_0000;
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    let mut options = OpenOptions::new();
    options.access_mode(DELETE).share_mode(0);
    drop(options.custom_flags(DELETE_ON_CLOSE).open(path));
}

/// Whether a name is one of [`temporary_name`] or [`gone_name`].
fn is_temporary(name: &str) -> bool {
    let inner = name
        .strip_prefix('.')
        .and_then(|name| name.strip_suffix(PART).or_else(|| name.strip_suffix(GONE)));
    let numbers = inner.and_then(|name| Some(name.rsplit_once(OURS)?.1));
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, number)| {
            [process, number]
                .iter()
                .all(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
        })
}

/// A hidden name in the folder of `target` that no other output has.
pub(crate) fn temporary_name(target: &Path) -> PathBuf {
    hidden_name(target, PART)
}

/// A hidden name for the old content of `target`, until nobody reads it any more.
#[cfg(any(test, windows))]
pub(crate) fn gone_name(target: &Path) -> PathBuf {
    hidden_name(target, GONE)
}

fn hidden_name(target: &Path, end: &str) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut name = OsString::from(".");
    // Names have a limit, usually of 255 bytes.
    match target.file_name() {
        Some(own) if own.len() <= 200 => name.push(own),
        _ => name.push("output"),
    }
    name.push(format!("{OURS}{}-{number}{end}", std::process::id()));
    target.with_file_name(name)
}

#[derive(Debug)]
enum OutputDestination {
    /// Renamed to `path` at commit.
    File {
        temporary: TemporaryFile,
        path: PathBuf,
        replaces: bool,
    },
    /// Written directly.
    Direct,
}

/// One file being written, or stdout.
#[derive(Debug)]
pub struct OutputFile {
    writer: BufWriter<DiskFile>,
    destination: OutputDestination,
    name: PathBuf,
    seekable: bool,
    force: bool,
}

impl OutputFile {
    /// Begins to write `target`; `-` is stdout.
    pub fn create(target: &Path, options: &OutputOptions) -> Result<Self, OutputError> {
        if target.as_os_str() == "-" {
            return Self::stdout(options);
        }
        let io_error = |doing, error| OutputError::Io {
            path: target.to_path_buf(),
            doing,
            error,
        };
        let existing = match held_folder::metadata(target) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(io_error("cannot be examined", error)),
        };
        if let Some(metadata) = &existing {
            if metadata.is_dir() {
                return Err(OutputError::IsFolder(target.to_path_buf()));
            }
            refuse_source(target, target, metadata, options)?;
            if !metadata.is_file() {
                // A pipe or a device can only be meant on a command line, not below a held folder.
                if held_folder::is_held(target) {
                    let error = io::Error::other("this is not a regular file");
                    return Err(io_error("cannot be opened", error));
                }
                let file = OpenOptions::new()
                    .write(true)
                    .open(target)
                    .map_err(|error| io_error("cannot be opened", error))?;
                return Ok(Self::direct(file, target));
            }
        }
        // A link that leads nowhere counts as an existing file, too.
        let taken = existing.is_some() || held_folder::symlink_metadata(target).is_ok();
        if taken && !options.force {
            return Err(OutputError::Exists(target.to_path_buf()));
        }
        let path = match &existing {
            Some(_) => held_folder::real(target)
                .map_err(|error| io_error("its link cannot be followed", error))?,
            None => target.to_path_buf(),
        };
        let (temporary, file) = TemporaryFile::create(&path)?;
        if let Some(metadata) = existing {
            file.take_attributes(&metadata)
                .map_err(|error| io_error("cannot get the permissions of the old file", error))?;
        }
        Ok(Self {
            writer: BufWriter::with_capacity(128 * 1024, file),
            destination: OutputDestination::File {
                temporary,
                path,
                replaces: taken,
            },
            name: target.to_path_buf(),
            seekable: true,
            force: options.force,
        })
    }

    fn stdout(options: &OutputOptions) -> Result<Self, OutputError> {
        let name = PathBuf::from("stdout");
        let io_error = |error| OutputError::Io {
            path: name.clone(),
            doing: "cannot be opened",
            error,
        };
        #[cfg(unix)]
        let file = {
            // A handle of our own, since that of the standard library flushes at line ends.
            use std::os::fd::AsFd;
            File::from(
                io::stdout()
                    .as_fd()
                    .try_clone_to_owned()
                    .map_err(io_error)?,
            )
        };
        #[cfg(windows)]
        let file = {
            use std::os::windows::io::AsHandle;
            File::from(
                io::stdout()
                    .as_handle()
                    .try_clone_to_owned()
                    .map_err(io_error)?,
            )
        };
        match file.metadata() {
            Ok(metadata) => refuse_source(&name, Path::new("/dev/stdout"), &metadata, options)?,
            // Windows has none of a pipe, which is no source.
            Err(_) if cfg!(windows) => {}
            Err(error) => return Err(io_error(error)),
        }
        Ok(Self::direct(file, &name))
    }

    fn direct(file: File, name: &Path) -> Self {
        let file = Disk::current().file(file, name, 0);
        Self {
            writer: BufWriter::with_capacity(128 * 1024, file),
            destination: OutputDestination::Direct,
            name: name.to_path_buf(),
            seekable: false,
            force: false,
        }
    }

    /// Restricts the file to users who can read all of the other files that it describes; it gets the owner of the first of
    /// them.
    pub fn restrict_to(&self, others: &[PathBuf]) -> Result<(), OutputError> {
        let io_error = |error| OutputError::Io {
            path: self.name.clone(),
            doing: "cannot get the permissions of the files that it describes",
            error,
        };
        let mut models = Vec::new();
        for other in others {
            models.push(held_folder::metadata(other).map_err(io_error)?);
        }
        let file = self.writer.get_ref();
        file.restrict_to(&models).map_err(io_error)
    }

    /// The given name.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Whether seeking is possible, to fill in a header afterwards; stdout and pipes cannot.
    pub fn is_seekable(&self) -> bool {
        self.seekable
    }

    /// Finishes the file and gives it its name.
    pub fn commit(self) -> Result<(), OutputError> {
        commit_all([self])
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Seek for OutputFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        if !self.seekable {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!(
                    "{}: this format cannot be written to a pipe",
                    self.name.display()
                ),
            ));
        }
        self.writer.seek(position)
    }
}

/// A file that was renamed already, to be undone.
struct OutputReplacement {
    path: PathBuf,
    backup: Option<TemporaryFile>,
}

/// Finishes several files and renames them in the given order, all or none.
pub fn commit_all(outputs: impl IntoIterator<Item = OutputFile>) -> Result<(), OutputError> {
    let mut files = Vec::new();
    for output in outputs {
        let OutputFile {
            mut writer,
            destination,
            name,
            force,
            ..
        } = output;
        let io_error = |doing, error| OutputError::Io {
            path: name.clone(),
            doing,
            error,
        };
        writer
            .flush()
            .map_err(|error| io_error("cannot be written", error))?;
        let (file, _) = writer.into_parts();
        match destination {
            OutputDestination::Direct => {}
            OutputDestination::File {
                temporary,
                path,
                replaces,
            } => {
                if replaces {
                    file.sync()
                        .map_err(|error| io_error("cannot be written", error))?;
                }
                if files.iter().any(|(_, other, _, _, _)| *other == path) {
                    return Err(OutputError::Twice(name));
                }
                // Its lock is held until it has its name.
                files.push((temporary, path, name, force, file));
            }
        }
    }
    let Some((.., first, _, _)) = files.first() else {
        return Ok(());
    };
    let inside = interrupt::enter().map_err(|_| OutputError::Stopped(first.clone()))?;
    let placed = place_all(&mut files)?;
    for done in &placed {
        interrupt::decide(&done.path);
    }
    drop(inside);
    let replaced: BTreeSet<&Path> = placed
        .iter()
        .filter(|placed| placed.backup.is_some())
        .filter_map(|placed| placed.path.parent())
        .collect();
    #[cfg(unix)]
    for folder in replaced {
        // The new name is durable once the folder is synced, which not every file system supports.
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let _ = held_folder::open_folder(folder).and_then(|folder| folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = replaced;
    Ok(())
}

type OutputParts = (TemporaryFile, PathBuf, PathBuf, bool, DiskFile);

fn place_all(files: &mut [OutputParts]) -> Result<Vec<OutputReplacement>, OutputError> {
    // Checked again before anything is renamed: hours may have passed.
    for (_, path, name, force, _) in files.iter() {
        if !force && held_folder::symlink_metadata(path).is_ok() {
            return Err(OutputError::Exists(name.clone()));
        }
    }
    let mut placed = Vec::new();
    for (temporary, path, name, force, _) in files.iter_mut() {
        match place(temporary, path, name, *force) {
            Ok(done) => placed.push(done),
            Err(error) => {
                for done in placed.iter_mut().rev() {
                    undo(done);
                }
                return Err(error);
            }
        }
    }
    for done in &mut placed {
        if let Some(backup) = &mut done.backup {
            // A backup that cannot be removed is only litter.
            let _ = Disk::current().remove(&backup.path);
            backup.forget();
        }
    }
    Ok(placed)
}

/// Renames one file, and keeps the file that it replaces under another name.
fn place(
    temporary: &mut TemporaryFile,
    path: &Path,
    name: &Path,
    force: bool,
) -> Result<OutputReplacement, OutputError> {
    let io_error = |doing, error| OutputError::Io {
        path: name.to_path_buf(),
        doing,
        error,
    };
    let disk = Disk::current();
    let mut placed = OutputReplacement {
        path: path.to_path_buf(),
        backup: None,
    };
    if force {
        if let Ok(metadata) = held_folder::symlink_metadata(path) {
            // The target can have become a folder since the work began, and even a folder could be put aside.
            if metadata.is_dir() {
                return Err(OutputError::IsFolder(name.to_path_buf()));
            }
            placed.backup = Some(
                back_up(path)
                    .map_err(|error| io_error("the old file cannot be moved aside", error))?,
            );
        }
        if let Err(error) = disk.rename(&temporary.path, path) {
            undo(&mut placed);
            return Err(io_error("cannot be renamed", error));
        }
    } else {
        // A link is refused if the name has been taken meanwhile; a rename would not be.
        match disk.link(&temporary.path, path) {
            Ok(()) => {
                let _ = disk.remove(&temporary.path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(OutputError::Exists(name.to_path_buf()));
            }
            // Some file systems do not support links.
            Err(_) => disk
                .rename(&temporary.path, path)
                .map_err(|error| io_error("cannot be renamed", error))?,
        }
    }
    temporary.forget();
    Ok(placed)
}

/// Puts a file aside. The copy is not registered: when the program is stopped, it must not be
/// removed, since it can be all that is left of the old content.
fn back_up(path: &Path) -> io::Result<TemporaryFile> {
    let backup = hidden_name(path, OLD);
    let disk = Disk::current();
    if disk.link(path, &backup).is_err() {
        disk.rename(path, &backup)?;
    }
    Ok(TemporaryFile {
        path: backup,
        live: false,
    })
}

/// Restores the old file.
fn undo(placed: &mut OutputReplacement) {
    // If this fails as well, the old file still exists under its temporary name.
    match &mut placed.backup {
        Some(backup) => {
            let _ = Disk::current().rename(&backup.path, &placed.path);
            backup.forget();
        }
        None => {
            let _ = Disk::current().remove(&placed.path);
        }
    }
}

/// Refuses a regular file that is one of the sources, whatever its name.
fn refuse_source(
    target: &Path,
    path: &Path,
    metadata: &Metadata,
    options: &OutputOptions,
) -> Result<(), OutputError> {
    if !metadata.is_file() {
        return Ok(());
    }
    for source in &options.sources {
        let real = if source.as_os_str() == "-" {
            Path::new("/dev/stdin")
        } else {
            source
        };
        if is_same_file(path, metadata, real) {
            return Err(OutputError::IsSource {
                target: target.to_path_buf(),
                source_path: source.clone(),
            });
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_same_file(_path: &Path, metadata: &Metadata, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    held_folder::metadata(other)
        .is_ok_and(|other| (other.dev(), other.ino()) == (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn is_same_file(path: &Path, _metadata: &Metadata, other: &Path) -> bool {
    match (fs::canonicalize(path), fs::canonicalize(other)) {
        (Ok(path), Ok(other)) => path == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .expect("listed")
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    fn forced() -> OutputOptions {
        OutputOptions {
            force: true,
            ..OutputOptions::default()
        }
    }

    fn write(
        path: &Path,
        content: &[u8],
        options: &OutputOptions,
    ) -> Result<OutputFile, OutputError> {
        let mut output = OutputFile::create(path, options)?;
        output.write_all(content).expect("written");
        Ok(output)
    }

    #[test]
    fn nothing_is_there_before_the_commit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        let output = write(&path, b"*", &OutputOptions::default()).expect("created");
        assert!(!path.exists());
        assert_eq!(names(folder.path()).len(), 1);
        output.commit().expect("committed");
        assert_eq!(names(folder.path()), ["games.pgn"]);
        assert_eq!(fs::read(&path).expect("read"), b"*");
    }

    #[test]
    fn what_is_dropped_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        fs::write(&path, b"old").expect("written");
        drop(write(&path, b"new", &forced()).expect("created"));
        assert_eq!(names(folder.path()), ["games.pgn"]);
        assert_eq!(fs::read(&path).expect("read"), b"old");
    }

    #[test]
    fn an_existing_target_is_refused_before_and_after_the_work() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        let output = write(&path, b"late", &OutputOptions::default()).expect("created");
        fs::write(&path, b"early").expect("written");
        assert!(matches!(
            write(&path, b"", &OutputOptions::default()),
            Err(OutputError::Exists(_))
        ));
        assert!(matches!(output.commit(), Err(OutputError::Exists(_))));
        assert_eq!(fs::read(&path).expect("read"), b"early");
        assert_eq!(names(folder.path()), ["games.pgn"]);
        write(&path, b"forced", &forced())
            .expect("created")
            .commit()
            .expect("committed");
        assert_eq!(fs::read(&path).expect("read"), b"forced");
        assert_eq!(names(folder.path()), ["games.pgn"]);
    }

    #[test]
    #[cfg(unix)]
    fn a_source_is_refused_through_links_even_with_force() {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("games.pgn");
        fs::write(&source, b"source").expect("written");
        let (soft, hard) = (folder.path().join("soft"), folder.path().join("hard"));
        std::os::unix::fs::symlink(&source, &soft).expect("linked");
        fs::hard_link(&source, &hard).expect("linked");
        let options = OutputOptions {
            force: true,
            sources: vec![source.clone()],
        };
        for target in [&source, &soft, &hard, &folder.path().join("./games.pgn")] {
            let error = write(target, b"", &options).expect_err("refused");
            assert!(matches!(error, OutputError::IsSource { .. }), "{error}");
        }
        assert_eq!(fs::read(&source).expect("read"), b"source");
        assert_eq!(names(folder.path()), ["games.pgn", "hard", "soft"]);
    }

    #[test]
    #[cfg(unix)]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("games.pgn"), folder.path().join("link"));
        fs::write(&path, b"old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        std::os::unix::fs::symlink("games.pgn", &link).expect("linked");
        write(&link, b"new", &forced())
            .expect("created")
            .commit()
            .expect("committed");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read(&path).expect("read"), b"new");
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_set_is_renamed_as_a_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["b.si5", "b.sg5", "b.sn5"].map(|name| folder.path().join(name));
        let outputs: Vec<_> = paths
            .iter()
            .map(|path| write(path, b"new", &OutputOptions::default()).expect("created"))
            .collect();
        assert!(paths.iter().all(|path| !path.exists()));
        commit_all(outputs).expect("committed");
        assert!(paths.iter().all(|path| path.exists()));
        assert_eq!(names(folder.path()).len(), 3);
    }

    #[test]
    fn a_set_that_cannot_be_renamed_puts_back_what_was_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["b.si5", "b.sg5", "b.sn5"].map(|name| folder.path().join(name));
        fs::write(&paths[0], b"old").expect("written");
        let outputs: Vec<_> = paths
            .iter()
            .map(|path| write(path, b"new", &forced()).expect("created"))
            .collect();
        // A folder that is not empty cannot be replaced by a file.
        fs::create_dir(&paths[2]).expect("made");
        fs::write(paths[2].join("inside"), b"").expect("written");
        let before = names(folder.path()).len();
        assert_eq!(before, 5);
        let error = commit_all(outputs).expect_err("refused");
        assert!(error.to_string().contains("b.sn5"), "{error}");
        assert_eq!(fs::read(&paths[0]).expect("read"), b"old");
        assert_eq!(names(folder.path()), ["b.si5", "b.sn5"]);
        assert!(paths[2].join("inside").exists());
    }

    #[test]
    fn a_set_with_one_file_twice_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("b.si5");
        let outputs = [1, 2].map(|_| write(&path, b"", &forced()).expect("created"));
        assert!(matches!(commit_all(outputs), Err(OutputError::Twice(_))));
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    #[cfg(unix)]
    fn what_a_killed_process_has_left_is_swept_away_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let left = path(".games.pgn.tabiya-4-0.part");
        fs::write(&left, b"half").expect("written");
        fs::create_dir(path(".lake.tabiya-4-1.part")).expect("made");
        fs::write(path(".lake.tabiya-4-1.part/games"), b"half").expect("written");
        let others = [
            ".games.pgn.4-0.part",
            ".games.tabiya-x-0.part",
            "games.tabiya-4-0.part",
            ".games.pgn.tabiya-4-0.old",
        ];
        for other in others {
            fs::write(path(other), b"").expect("written");
        }
        // A living process is writing this one.
        let living = path(".other.pgn.tabiya-4-7.part");
        let file = File::create(&living).expect("made");
        file.lock().expect("locked");
        let output = write(&path("games.pgn"), b"new", &OutputOptions::default()).expect("created");
        output.commit().expect("committed");
        let mut expected: Vec<&str> = others.to_vec();
        expected.extend([".other.pgn.tabiya-4-7.part", "games.pgn"]);
        expected.sort_unstable();
        assert_eq!(names(folder.path()), expected);
    }

    #[test]
    fn folders_and_missing_folders_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = OutputFile::create(folder.path(), &forced()).expect_err("refused");
        assert!(matches!(error, OutputError::IsFolder(_)));
        let error = OutputFile::create(&folder.path().join("no/games.pgn"), &forced());
        let error = error.expect_err("refused").to_string();
        assert!(error.contains("no/games.pgn: cannot be created"), "{error}");
    }

    #[test]
    fn a_header_can_be_filled_in() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("base");
        let mut output = write(&path, b"????games", &OutputOptions::default()).expect("created");
        assert!(output.is_seekable());
        output.seek(SeekFrom::Start(0)).expect("moved");
        output.write_all(b"HEAD").expect("written");
        output.commit().expect("committed");
        assert_eq!(fs::read(&path).expect("read"), b"HEADgames");
    }

    #[test]
    #[cfg(unix)]
    fn stdout_and_devices_are_written_as_they_are() {
        for target in ["-", "/dev/null"] {
            let mut output = OutputFile::create(Path::new(target), &forced()).expect("opened");
            assert!(!output.is_seekable());
            assert!(output.seek(SeekFrom::Start(0)).is_err());
            output.commit().expect("flushed");
        }
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }

    #[test]
    fn long_names_do_not_get_too_long() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x".repeat(250));
        write(&path, b"1", &OutputOptions::default())
            .expect("created")
            .commit()
            .expect("committed");
        assert_eq!(fs::read(&path).expect("read"), b"1");
    }
}
