//! Temporary folders that are gone in the end, also where the program is told to stop.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tabiya_model::{Error, ErrorKind, Result};

/// How often a folder is looked at that is still there.
const TURNS: usize = 20;

/// The temporary folders of this process, until it is told to stop.
static LIVE: Mutex<Live> = Mutex::new(Live {
    paths: BTreeSet::new(),
    stopped: false,
});

struct Live {
    paths: BTreeSet<PathBuf>,
    stopped: bool,
}

/// A folder that nobody else can look into, removed when dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Gone only when it was removed or has taken another name.
    inner: Option<tempfile::TempDir>,
    path: PathBuf,
}

impl Folder {
    /// In the system's place for temporary files.
    pub(crate) fn new() -> Result<Folder> {
        Folder::make(|| tempfile::Builder::new().prefix("tabiya-").tempdir())
    }

    /// Beside a path, hidden, so that it can take that name in the end.
    pub(crate) fn beside(target: &Path) -> Result<Folder> {
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Folder::make(|| {
            tempfile::Builder::new()
                .prefix(".tabiya-")
                .suffix(".part")
                .tempdir_in(parent)
        })
        .map_err(|error| error.in_file(target.to_string_lossy()))
    }

    fn make(make: impl FnOnce() -> std::io::Result<tempfile::TempDir>) -> Result<Folder> {
        // The lock is held so that none is made unseen while all are removed.
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        if live.stopped {
            return Err(stopped());
        }
        let folder = make()?;
        let path = folder.path().to_owned();
        live.paths.insert(path.clone());
        Ok(Folder {
            inner: Some(folder),
            path,
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes a name for good; one that stands there already is left as it is, and this goes.
    pub(crate) fn take_name(mut self, target: &Path) -> Result<()> {
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        if live.stopped {
            return Err(stopped());
        }
        open_to_others(self.path());
        // An empty folder gives its place away, one that holds anything does not.
        if target.is_dir() {
            std::fs::remove_dir(target)?;
        }
        std::fs::rename(self.path(), target)?;
        live.paths.remove(&self.path);
        drop(live);
        // Nothing stands under the old name any more.
        if let Some(mut inner) = self.inner.take() {
            inner.disable_cleanup(true);
        }
        Ok(())
    }
}

/// Gives a folder the rights that any new folder has.
fn open_to_others(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let model = folder.join(".rights");
        if std::fs::create_dir(&model).is_ok() {
            let rights = std::fs::metadata(&model).map(|it| it.permissions().mode());
            // A folder that stays closed to others is whole all the same.
            let _ = std::fs::remove_dir(&model);
            if let Ok(mode) = rights {
                let _ = std::fs::set_permissions(folder, PermissionsExt::from_mode(mode));
            }
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
}

fn stopped() -> Error {
    Error::new(ErrorKind::Interrupted, "the program is being stopped")
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Until it is gone, it is known to who removes all: the program may end in the middle of this.
        drop(self.inner.take());
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        live.paths.remove(&self.path);
    }
}

/// Removes all temporary folders, and lets none be made or take its name from now on.
pub(crate) fn remove_all() {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.stopped = true;
    for folder in &live.paths {
        // A thread may still be writing, or removing it too: what is there then is removed in another turn.
        for _ in 0..TURNS {
            if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
                break;
            }
        }
    }
}
