//! Folders that are held open: everything below them is reached only through them, so that no link leads outside, even if a
//! folder on the way is replaced by a link between a check and its use.
//!
//! A program that serves some folders to others holds them. From then on, [`crate::regular_file`] and [`crate::disk`] open,
//! create, rename and remove names below them relative to the open folder, and the kernel refuses everything that would lead
//! outside (`openat2` with `RESOLVE_BENEATH`; without such a call, each step of the way is opened without following links).
//! Links from one place below to another one are followed. A program that holds no folder is not affected.

use std::io;
use std::path::{Path, PathBuf};

#[cfg(windows)]
use super::replacement;

/// The purpose for which a file is opened.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum OpenMode {
    /// For reading.
    Read,
    /// For reading and writing.
    Change,
    /// For appending.
    Append,
    /// For reading and writing; created if it does not exist, so that other users cannot read it.
    Make,
    /// For reading and writing; it must not exist.
    MakeNew,
}

/// The error for a name that leads out. Like the system's errors it does not say which name.
fn leads_out() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "outside the open folders")
}

/// The path with all links followed; below a held folder it must not lead outside.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    let real = full_path(path)?;
    match is_held(path) && !is_held(&real) {
        true => Err(leads_out()),
        false => Ok(real),
    }
}

/// The path with all links followed, as people write it.
pub fn full_path(path: &Path) -> io::Result<PathBuf> {
    #[cfg(not(windows))]
    {
        std::fs::canonicalize(path)
    }
    #[cfg(windows)]
    {
        let full = match std::fs::canonicalize(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && replacement::settle(path) => {
                std::fs::canonicalize(path)?
            }
            full => full?,
        };
        let plain = full.to_str().and_then(super::windows_names::plain);
        Ok(plain.map_or(full, PathBuf::from))
    }
}

/// Whether the name exists; a link that leads nowhere, or outside, does not count.
#[must_use]
pub fn exists(path: &Path) -> bool {
    metadata(path).is_ok()
}

/// Whether this is a regular file, or a link to one.
#[must_use]
pub fn is_file(path: &Path) -> bool {
    metadata(path).is_ok_and(|there| there.is_file())
}

/// Whether this is a folder, or a link to one.
#[must_use]
pub fn is_dir(path: &Path) -> bool {
    metadata(path).is_ok_and(|there| there.is_dir())
}

/// An entry of a folder.
#[derive(Clone, Debug)]
pub struct DirectoryEntry {
    /// Its path: that of the folder and its name.
    pub path: PathBuf,
    /// Its own type; a link is not followed.
    pub kind: std::fs::FileType,
}

/// The entries of a folder.
fn entries_of(folder: &Path) -> io::Result<Vec<DirectoryEntry>> {
    std::fs::read_dir(folder)?
        .map(|entry| {
            let entry = entry?;
            Ok(DirectoryEntry {
                path: entry.path(),
                kind: entry.file_type()?,
            })
        })
        .collect()
}

#[cfg(unix)]
pub use unix::{
    HeldFolder, create_private_dir, hold, is_held, metadata, read_dir, remove_dir, remove_dir_all,
    rename, symlink_metadata,
};
#[cfg(unix)]
pub(crate) use unix::{create_dir, hard_link, open, open_folder, remove_file};

#[cfg(not(unix))]
pub(crate) use std::fs::{create_dir, hard_link, remove_file};
#[cfg(not(unix))]
pub use std::fs::{create_dir as create_private_dir, remove_dir, remove_dir_all, symlink_metadata};
#[cfg(not(any(unix, windows)))]
pub use std::fs::{metadata, rename};

/// The metadata of a file or folder. If it is just being replaced, this waits for it.
#[cfg(windows)]
pub fn metadata(path: &Path) -> io::Result<std::fs::Metadata> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && replacement::settle(path) => {
            std::fs::metadata(path)
        }
        found => found,
    }
}

/// Renames a file or folder; a file with the new name is replaced, even an open one.
#[cfg(windows)]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    replacement::replace(from, to, |from, to| std::fs::rename(from, to))
}

/// The entries of a folder.
#[cfg(not(unix))]
pub fn read_dir(folder: &Path) -> io::Result<Vec<DirectoryEntry>> {
    entries_of(folder)
}

/// A folder that is held until this is dropped; here names are only compared.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct HeldFolder;

/// Holds a folder. On this system names are only compared.
#[cfg(not(unix))]
pub fn hold(_: &Path) -> io::Result<HeldFolder> {
    Ok(HeldFolder)
}

/// Whether a name is below a held folder.
#[cfg(not(unix))]
pub fn is_held(_: &Path) -> bool {
    false
}

/// Opens a file.
#[cfg(not(unix))]
pub(crate) fn open(path: &Path, how: OpenMode) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    match how {
        OpenMode::Read => options.read(true),
        OpenMode::Change => options.read(true).write(true),
        OpenMode::Append => options.append(true),
        OpenMode::Make => options.read(true).write(true).create(true).truncate(false),
        OpenMode::MakeNew => options.read(true).write(true).create_new(true),
    };
    let opened = options.open(path);
    #[cfg(windows)]
    if how != OpenMode::MakeNew
        && let Err(error) = &opened
        && error.kind() == io::ErrorKind::NotFound
        && replacement::settle(path)
    {
        return options.open(path);
    }
    opened
}

/// Opens a folder, to be locked or synced; here folders are not opened.
#[cfg(not(unix))]
pub(crate) fn open_folder(path: &Path) -> io::Result<std::fs::File> {
    std::fs::File::open(path)
}

#[cfg(unix)]
mod unix {
    use std::ffi::{OsStr, OsString};
    use std::fs::{File, Metadata};
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Component, Path, PathBuf};
    use std::sync::{Arc, Mutex, PoisonError, RwLock};

    use rustix::fs::{self, AtFlags, CWD, Mode, OFlags};
    use rustix::io::Errno;

    use super::{DirectoryEntry, OpenMode, entries_of, leads_out};

    /// How often a path is resolved again if something on it was renamed meanwhile.
    const TURNS: usize = 32;

    static FOLDERS: RwLock<Vec<Arc<FolderHandle>>> = RwLock::new(Vec::new());

    struct FolderHandle {
        path: PathBuf,
        /// The open folder, and its identity.
        open: Mutex<(Arc<OwnedFd>, (u64, u64))>,
    }

    /// A folder that is held until this is dropped.
    pub struct HeldFolder(Arc<FolderHandle>);

    impl std::fmt::Debug for HeldFolder {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_tuple("Held").field(&self.0.path).finish()
        }
    }

    impl Drop for HeldFolder {
        fn drop(&mut self) {
            let mut all = FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = all.iter().position(|one| Arc::ptr_eq(one, &self.0)) {
                all.swap_remove(at);
            }
        }
    }

    /// Holds a folder, named by a path without links.
    pub fn hold(path: &Path) -> io::Result<HeldFolder> {
        let path = std::fs::canonicalize(path)?;
        let open = open_root(&path)?;
        let folder = Arc::new(FolderHandle {
            path,
            open: Mutex::new(open),
        });
        let mut all = FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(&folder));
        Ok(HeldFolder(folder))
    }

    /// Whether a name is below a held folder.
    pub fn is_held(path: &Path) -> bool {
        folder_of(path).is_some()
    }

    fn open_root(path: &Path) -> io::Result<(Arc<OwnedFd>, (u64, u64))> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(fs::open(path, flags, Mode::empty())?);
        // A link may have been put there between the check for links and this call.
        if std::fs::canonicalize(path)? != path {
            return Err(leads_out());
        }
        let about = file.metadata()?;
        Ok((Arc::new(file.into()), (about.dev(), about.ino())))
    }

    /// The innermost held folder that contains a path, and the rest of the path.
    fn folder_of(path: &Path) -> Option<(Arc<FolderHandle>, PathBuf)> {
        let all = FOLDERS.read().unwrap_or_else(PoisonError::into_inner);
        if all.is_empty() {
            return None;
        }
        let within = all.iter().filter(|folder| path.starts_with(&folder.path));
        let folder = within.max_by_key(|folder| folder.path.as_os_str().len())?;
        let rest = path.strip_prefix(&folder.path).ok()?;
        Some((Arc::clone(folder), rest.to_owned()))
    }

    impl FolderHandle {
        /// The open folder. If another folder that is no link has taken its place, that one is held from then on.
        fn open(&self) -> io::Result<Arc<OwnedFd>> {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            if let Ok(now) = std::fs::symlink_metadata(&self.path)
                && now.is_dir()
                && (now.dev(), now.ino()) != open.1
            {
                *open = open_root(&self.path)?;
            }
            Ok(Arc::clone(&open.0))
        }

        /// Opens a path below the folder. Links are followed as long as they stay below.
        fn below(&self, rest: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
            let root = self.open()?;
            let rest = match rest.as_os_str().is_empty() {
                true => Path::new("."),
                false => rest,
            };
            match beneath(&root, rest, flags, mode) {
                Err(Errno::XDEV | Errno::LOOP) => {}
                done => return Ok(done?),
            }
            // An absolute link may lead to another place below.
            let whole = self.path.join(rest);
            let real = std::fs::canonicalize(&whole)?;
            let Some((folder, rest)) = folder_of(&real) else {
                return Err(leads_out());
            };
            let root = folder.open()?;
            stepwise(&root, &rest, flags, mode).map_err(|error| match error {
                Errno::XDEV | Errno::LOOP | Errno::NOTDIR => leads_out(),
                other => other.into(),
            })
        }
    }

    /// Opens a path below a folder.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn beneath(root: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..TURNS {
            match fs::openat2(root, path, flags, mode, resolve) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                // Old kernels lack this call, and some containers forbid it.
                Err(Errno::NOSYS | Errno::PERM) => return stepwise(root, path, flags, mode),
                done => return done,
            }
        }
        Err(Errno::LOOP)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn beneath(root: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        stepwise(root, path, flags, mode)
    }

    /// The same without links, one component after another.
    fn stepwise(root: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        let mut steps: Vec<&OsStr> = Vec::new();
        for step in path.components() {
            match step {
                Component::Normal(name) => steps.push(name),
                Component::CurDir => {}
                _ => return Err(Errno::XDEV),
            }
        }
        let last = steps.pop().unwrap_or(OsStr::new("."));
        let mut folder: Option<OwnedFd> = None;
        for step in steps {
            let on_the_way =
                OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let at = folder.as_ref().unwrap_or(root);
            let next = fs::openat(at, step, on_the_way, Mode::empty());
            folder = Some(next.map_err(|error| match error {
                // A component that should be a folder is a link.
                Errno::NOTDIR => Errno::LOOP,
                other => other,
            })?);
        }
        let at = folder.as_ref().unwrap_or(root);
        fs::openat(at, last, flags | OFlags::NOFOLLOW, mode)
    }

    /// Opens a file.
    pub(crate) fn open(path: &Path, how: OpenMode) -> io::Result<File> {
        let flags = match how {
            OpenMode::Read => OFlags::RDONLY,
            OpenMode::Change => OFlags::RDWR,
            OpenMode::Append => OFlags::WRONLY | OFlags::APPEND,
            OpenMode::Make => OFlags::RDWR | OFlags::CREATE,
            OpenMode::MakeNew => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
        };
        // Opening never blocks, and never makes a terminal the controlling one of this program.
        let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let mode = match how {
            OpenMode::Make => Mode::from_raw_mode(0o600),
            OpenMode::MakeNew => Mode::from_raw_mode(0o666),
            _ => Mode::empty(),
        };
        loop {
            let opened = match folder_of(path) {
                Some((folder, rest)) => folder.below(&rest, flags, mode),
                None => fs::openat(CWD, path, flags, mode).map_err(io::Error::from),
            };
            match opened {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                opened => return opened.map(File::from),
            }
        }
    }

    /// Opens a folder, to be locked or synced.
    pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match folder_of(path) {
            Some((folder, rest)) => folder.below(&rest, flags, Mode::empty()).map(File::from),
            None => File::open(path),
        }
    }

    /// The folder of a path, and the last name; the path itself if no folder is held.
    fn place(path: &Path) -> io::Result<(Option<OwnedFd>, OsString)> {
        let held = folder_of(path).filter(|(_, rest)| !rest.as_os_str().is_empty());
        let (Some((folder, rest)), Some(name)) = (held, path.file_name()) else {
            return Ok((None, path.as_os_str().to_owned()));
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = rest.parent().unwrap_or(Path::new(""));
        let parent = folder.below(parent, flags, Mode::empty())?;
        Ok((Some(parent), name.to_owned()))
    }

    /// Runs an operation on a name relative to its folder.
    macro_rules! at {
        ($folder:expr, $at:ident => $done:expr) => {
            match &$folder {
                Some($at) => $done,
                None => {
                    let $at = CWD;
                    $done
                }
            }
        };
    }

    /// The metadata of a file or folder; links are followed as long as they stay below.
    pub fn metadata(path: &Path) -> io::Result<Metadata> {
        match folder_of(path) {
            Some((folder, rest)) => look(&folder.below(&rest, LOOK, Mode::empty())?),
            None => std::fs::metadata(path),
        }
    }

    /// The metadata of the name itself; a link is not followed.
    pub fn symlink_metadata(path: &Path) -> io::Result<Metadata> {
        match place(path)? {
            (None, _) => std::fs::symlink_metadata(path),
            (Some(folder), name) => look(&fs::openat(
                &folder,
                &name,
                LOOK | OFlags::NOFOLLOW,
                Mode::empty(),
            )?),
        }
    }

    /// Opens only for inspection, if the system supports that: it needs no read permission, and does not block.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const LOOK: OFlags = OFlags::NONBLOCK
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);

    fn look(file: &OwnedFd) -> io::Result<Metadata> {
        File::from(file.try_clone()?).metadata()
    }

    /// The entries of a folder.
    pub fn read_dir(path: &Path) -> io::Result<Vec<DirectoryEntry>> {
        let Some((folder, rest)) = folder_of(path) else {
            return entries_of(path);
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = folder.below(&rest, flags, Mode::empty())?;
        let mut entries = Vec::new();
        for entry in fs::Dir::read_from(&open)? {
            let entry = entry?;
            let bytes = entry.file_name().to_bytes();
            if bytes == b"." || bytes == b".." {
                continue;
            }
            let name = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes);
            // An entry that has just been removed is left out, and so is one that cannot be inspected.
            if let Ok(found) = fs::openat(&open, name, LOOK | OFlags::NOFOLLOW, Mode::empty()) {
                entries.push(DirectoryEntry {
                    path: path.join(name),
                    kind: look(&found)?.file_type(),
                });
            }
        }
        Ok(entries)
    }

    /// Removes an empty folder.
    pub fn remove_dir(path: &Path) -> io::Result<()> {
        let (folder, name) = place(path)?;
        Ok(at!(folder, at => fs::unlinkat(at, &name, AtFlags::REMOVEDIR))?)
    }

    /// Renames something.
    pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
        let ((a, old), (b, new)) = (place(from)?, place(to)?);
        Ok(at!(a, a => at!(b, b => fs::renameat(a, &old, b, &new)))?)
    }

    pub(crate) fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
        let ((a, old), (b, new)) = (place(from)?, place(to)?);
        Ok(at!(a, a => at!(b, b => fs::linkat(a, &old, b, &new, AtFlags::empty())))?)
    }

    pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
        let (folder, name) = place(path)?;
        Ok(at!(folder, at => fs::unlinkat(at, &name, AtFlags::empty()))?)
    }

    pub(crate) fn create_dir(path: &Path) -> io::Result<()> {
        make_dir(path, 0o777)
    }

    /// Creates a folder that other users cannot read.
    pub fn create_private_dir(path: &Path) -> io::Result<()> {
        make_dir(path, 0o700)
    }

    fn make_dir(path: &Path, mode: u16) -> io::Result<()> {
        let (folder, name) = place(path)?;
        let mode = Mode::from_raw_mode(mode.into());
        Ok(at!(folder, at => fs::mkdirat(at, &name, mode))?)
    }

    /// Removes a folder with its content; links in it are removed, but not followed.
    pub fn remove_dir_all(path: &Path) -> io::Result<()> {
        match place(path)? {
            (None, _) => std::fs::remove_dir_all(path),
            (Some(folder), name) => remove_within(&folder, &name, 0),
        }
    }

    /// The maximum nesting of folders that are removed.
    const DEEPEST: usize = 64;

    fn remove_within(folder: &OwnedFd, name: &OsStr, depth: usize) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let inner = fs::openat(folder, name, flags, Mode::empty())?;
        for entry in fs::Dir::read_from(&inner)? {
            let entry = entry?;
            let bytes = entry.file_name().to_bytes();
            if bytes == b"." || bytes == b".." {
                continue;
            }
            let name = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes);
            match fs::unlinkat(&inner, name, AtFlags::empty()) {
                Ok(()) => {}
                // It is a folder: Linux and other systems report that differently.
                Err(Errno::ISDIR | Errno::PERM) if depth < DEEPEST => {
                    remove_within(&inner, name, depth + 1)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(fs::unlinkat(folder, name, AtFlags::REMOVEDIR)?)
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::os::unix::fs::symlink;

        #[test]
        fn links_stay_below_or_are_refused() {
            let room = tempfile::tempdir().expect("a folder");
            let room = room.path().canonicalize().expect("there");
            let (inside, outside) = (room.join("in"), room.join("out"));
            for folder in [&inside, &outside] {
                std::fs::create_dir(folder).expect("made");
                std::fs::write(folder.join("a"), "a").expect("written");
            }
            symlink(outside.join("a"), inside.join("file")).expect("linked");
            symlink("../out/a", inside.join("near")).expect("linked");
            symlink(&outside, inside.join("folder")).expect("linked");
            symlink(inside.join("a"), inside.join("whole")).expect("linked");
            symlink("a", inside.join("part")).expect("linked");
            let held = hold(&inside).expect("held");
            for name in ["file", "near", "folder/a", "folder/../../out/a", "../out/a"] {
                for how in [
                    OpenMode::Read,
                    OpenMode::Change,
                    OpenMode::Append,
                    OpenMode::Make,
                ] {
                    let opened = open(&inside.join(name), how);
                    assert!(opened.is_err(), "{name} {how:?}");
                }
                assert!(super::super::real(&inside.join(name)).is_err(), "{name}");
            }
            for name in ["a", "whole", "part"] {
                assert!(open(&inside.join(name), OpenMode::Change).is_ok(), "{name}");
                assert!(super::super::real(&inside.join(name)).is_ok(), "{name}");
            }
            for name in ["file", "near", "folder/a", "../out/a"] {
                assert!(metadata(&inside.join(name)).is_err(), "{name}");
            }
            assert!(read_dir(&inside.join("folder")).is_err());
            assert!(open_folder(&inside.join("folder")).is_err());
            assert!(open_folder(&inside).is_ok());
            assert!(!super::super::is_dir(&inside.join("folder")));
            assert!(!super::super::is_file(&inside.join("file")));
            assert!(!super::super::exists(&inside.join("near")));
            assert!(super::super::is_file(&inside.join("whole")));
            let link = symlink_metadata(&inside.join("folder")).expect("known");
            assert!(link.is_symlink());
            assert!(symlink_metadata(&inside.join("folder/a")).is_err());
            assert!(metadata(&inside.join("whole")).expect("known").is_file());
            assert!(metadata(&inside).expect("known").is_dir());
            let mut names: Vec<_> = read_dir(&inside).expect("listed");
            names.sort_by(|a, b| a.path.cmp(&b.path));
            let told = names
                .iter()
                .map(|entry| (entry.path.file_name(), entry.kind.is_symlink()));
            let told: Vec<_> = told
                .filter_map(|(name, link)| Some((name?.to_str()?, link)))
                .collect();
            let links = ["file", "folder", "near", "part", "whole"].map(|name| (name, true));
            assert_eq!(told, [&[("a", false)], &links[..]].concat());
            assert!(create_private_dir(&inside.join("folder/b")).is_err());
            assert!(remove_dir(&inside.join("folder")).is_err());
            // Nothing is created, renamed or removed outside.
            let through = inside.join("folder");
            assert!(open(&through.join("b"), OpenMode::MakeNew).is_err());
            assert!(create_dir(&through.join("c")).is_err());
            assert!(rename(&inside.join("a"), &through.join("b")).is_err());
            assert!(rename(&through.join("a"), &inside.join("b")).is_err());
            assert!(hard_link(&through.join("a"), &inside.join("b")).is_err());
            assert!(remove_file(&through.join("a")).is_err());
            assert!(remove_dir_all(&through).is_err());
            assert_eq!(std::fs::read_dir(&outside).expect("listed").count(), 1);
            // Operations below the folder work as they do anywhere.
            create_dir(&inside.join("d")).expect("made");
            drop(open(&inside.join("d/e"), OpenMode::MakeNew).expect("made"));
            rename(&inside.join("d/e"), &inside.join("d/f")).expect("renamed");
            symlink(&outside, inside.join("d/link")).expect("linked");
            create_dir(&inside.join("d/g")).expect("made");
            remove_dir_all(&inside.join("d")).expect("removed");
            assert!(!inside.join("d").exists() && outside.join("a").exists());
            drop(held);
            assert!(open(&inside.join("file"), OpenMode::Read).is_ok());
        }

        #[test]
        fn a_folder_that_was_made_anew_is_held_and_a_link_in_its_place_is_not() {
            let room = tempfile::tempdir().expect("a folder");
            let room = room.path().canonicalize().expect("there");
            let (inside, outside) = (room.join("in"), room.join("out"));
            std::fs::create_dir(&inside).expect("made");
            std::fs::create_dir(&outside).expect("made");
            std::fs::write(outside.join("a"), "outside").expect("written");
            let _held = hold(&inside).expect("held");
            std::fs::rename(&inside, room.join("old")).expect("renamed");
            symlink(&outside, &inside).expect("linked");
            assert!(open(&inside.join("a"), OpenMode::Read).is_err());
            std::fs::remove_file(&inside).expect("removed");
            std::fs::create_dir(&inside).expect("made");
            std::fs::write(inside.join("a"), "inside").expect("written");
            let mut text = String::new();
            let mut file = open(&inside.join("a"), OpenMode::Read).expect("opened");
            io::Read::read_to_string(&mut file, &mut text).expect("read");
            assert_eq!(text, "inside");
        }

        #[test]
        fn without_the_call_of_linux_each_step_is_looked_at() {
            let room = tempfile::tempdir().expect("a folder");
            let inside = room.path().join("in");
            std::fs::create_dir_all(inside.join("deep")).expect("made");
            std::fs::write(inside.join("deep/a"), "a").expect("written");
            symlink(room.path(), inside.join("up")).expect("linked");
            let flags = OFlags::RDONLY | OFlags::DIRECTORY;
            let root = fs::open(&inside, flags, Mode::empty()).expect("opened");
            let step = |path: &str| stepwise(&root, Path::new(path), OFlags::RDONLY, Mode::empty());
            assert!(step("deep/a").is_ok() && step(".").is_ok());
            for path in ["up/in", "up", "../in", "deep/../deep/a", "/etc/passwd"] {
                assert!(step(path).is_err(), "{path}");
            }
        }
    }
}
