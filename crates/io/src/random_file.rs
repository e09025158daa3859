//! Positioned reads on a shared file, for random access without a memory map.

use std::fs::File;
use std::io;
use std::path::Path;

use super::regular_file;
use super::scratch_file::ScratchFile;

/// A file that several threads read at their own positions.
#[derive(Debug)]
pub struct RandomFile {
    file: FileHandle,
    size: u64,
}

#[derive(Debug)]
enum FileHandle {
    File(File),
    Scratch(ScratchFile),
}

impl RandomFile {
    /// Opens a regular file; its size is determined now.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::new(regular_file::open(path)?)
    }

    /// Takes over an open regular file; its size is determined now.
    pub fn new(file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "not a regular file: it cannot be read at any offset",
            ));
        }
        Ok(Self {
            size: metadata.len(),
            file: FileHandle::File(file),
        })
    }

    /// Takes over a temporary file with its content.
    pub fn from_scratch(scratch: ScratchFile) -> io::Result<Self> {
        let size = scratch.file().metadata()?.len();
        Ok(Self {
            size,
            file: FileHandle::Scratch(scratch),
        })
    }

    fn file(&self) -> &File {
        match &self.file {
            FileHandle::File(file) => file,
            FileHandle::Scratch(scratch) => scratch.file(),
        }
    }

    /// The size that the file had when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Fills `buffer` from `offset`; fewer bytes than that are an error.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let mut filled = 0usize;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let at = offset.checked_add(filled as u64).ok_or_else(too_far)?;
            match self.read_at(rest, at) {
                Ok(0) => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        format!("at byte {at}: unexpected end of file"),
                    ));
                }
                Ok(count) => filled = filled.saturating_add(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads the bytes of one system call at `offset`; 0 means the end.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        {
            std::os::unix::fs::FileExt::read_at(self.file(), buffer, offset)
        }
        #[cfg(windows)]
        {
            // This moves the file's own position, which nobody uses here.
            std::os::windows::fs::FileExt::seek_read(self.file(), buffer, offset)
        }
        #[cfg(not(any(unix, windows)))]
        {
            let _ = (buffer, offset);
            Err(io::Error::from(io::ErrorKind::Unsupported))
        }
    }
}

fn too_far() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "an offset beyond 2^64")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_read_where_they_like() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bytes");
        let content: Vec<u8> = (0..=255u8).cycle().take(10_000).collect();
        std::fs::write(&path, &content).expect("written");
        let file = RandomFile::open(&path).expect("opened");
        assert_eq!(file.size(), 10_000);
        std::thread::scope(|scope| {
            for thread in 0..4usize {
                let (file, content) = (&file, &content);
                scope.spawn(move || {
                    for at in (thread..9_900).step_by(997) {
                        let mut buffer = [0; 100];
                        file.read_exact_at(&mut buffer, at as u64).expect("inside");
                        assert_eq!(buffer, content[at..at + 100]);
                    }
                });
            }
        });
    }

    #[test]
    fn the_end_is_an_error_and_a_folder_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bytes");
        std::fs::write(&path, b"abc").expect("written");
        let file = RandomFile::open(&path).expect("opened");
        let error = file
            .read_exact_at(&mut [0; 3], 1)
            .expect_err("one too many");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert!(file.read_exact_at(&mut [0; 1], u64::MAX).is_err());
        assert!(file.read_exact_at(&mut [], 99).is_ok());
        assert!(RandomFile::open(folder.path()).is_err());
    }
}
