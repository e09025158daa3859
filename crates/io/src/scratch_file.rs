//! Temporary files for data that has to wait or needs random access: spooled archives, spooled rows.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder for temporary files. On Windows it is in the user's own profile, which other users cannot read, and new files
/// inherit that: a shared folder (as for a service, or if `TEMP` points elsewhere) is not used.
#[must_use]
pub fn place() -> PathBuf {
    let usual = std::env::temp_dir();
    if !cfg!(windows) {
        return usual;
    }
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let own = folder("LOCALAPPDATA").map(|folder| folder.join("Temp"));
    private_place(usual, folder("USERPROFILE"), own.filter(|it| it.is_dir()))
}

/// The usual folder if it is in the profile, or else one that is.
fn private_place(usual: PathBuf, profile: Option<PathBuf>, own: Option<PathBuf>) -> PathBuf {
    match profile.is_some_and(|profile| usual.starts_with(profile)) {
        true => usual,
        false => own.unwrap_or(usual),
    }
}

/// A file without a name that lasts as long as this value.
///
/// On Unix the name is removed at once, so that not even a crash leaves the file; elsewhere it is
/// removed when the value is dropped.
#[derive(Debug)]
pub struct ScratchFile {
    file: File,
    /// The name, if it could not be removed yet.
    path: Option<PathBuf>,
}

impl ScratchFile {
    /// Creates an empty file in the system's folder for temporary files.
    pub fn new() -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        {
            // Other users must not read the content, not even for a moment.
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("tabiya-{}-{number}.tmp", std::process::id());
            let path = place().join(name);
            match options.open(&path) {
                Ok(file) => {
                    let removed = cfg!(unix) && std::fs::remove_file(&path).is_ok();
                    return Ok(Self {
                        file,
                        path: (!removed).then_some(path),
                    });
                }
                // Left by an earlier process with the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The file itself, for positioned reads and its size.
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nobody is left to report a failure to.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Read for ScratchFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Write for ScratchFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for ScratchFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spooled_comes_back_and_leaves_no_name() {
        let mut scratch = ScratchFile::new().expect("created");
        scratch.write_all(b"rows").expect("written");
        scratch.seek(SeekFrom::Start(1)).expect("moved");
        let mut content = String::new();
        scratch.read_to_string(&mut content).expect("read");
        assert_eq!(content, "ows");
        assert_eq!(scratch.file().metadata().expect("known").len(), 4);
        assert_eq!(scratch.path.is_some(), !cfg!(unix));
    }

    #[test]
    fn a_place_that_all_share_is_not_taken() {
        let path = |text: &str| PathBuf::from(text);
        let (profile, own) = (path("/users/me"), path("/users/me/local/Temp"));
        for (usual, wanted) in [
            ("/users/me/local/Temp", "/users/me/local/Temp"),
            ("/users/me/elsewhere", "/users/me/elsewhere"),
            ("/windows/temp", "/users/me/local/Temp"),
            ("/users/mean/Temp", "/users/me/local/Temp"),
        ] {
            let chosen = private_place(path(usual), Some(profile.clone()), Some(own.clone()));
            assert_eq!(chosen, path(wanted));
        }
        assert_eq!(
            private_place(path("/windows/temp"), None, Some(own.clone())),
            own
        );
        assert_eq!(
            private_place(path("/windows/temp"), Some(profile), None),
            path("/windows/temp")
        );
    }
}
