//! Memory maps of regular files: the one module that uses `unsafe`.
//!
//! The risk: if another program truncates a mapped file, touching the missing bytes ends this process with a signal
//! (SIGBUS), and if it rewrites the file, the bytes change under a shared reference. Database files are opened for
//! reading while nobody should be writing them, so the speed is worth it by default; for files that others write to,
//! use [`FileAccess::Read`] (`--no-mmap`), which reads the whole file into memory. Pipes, devices and other things that
//! are not regular files are never mapped.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::path::Path;

use super::random_file::RandomFile;
use super::regular_file;

/// How a file gets into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileAccess {
    /// Maps regular files and reads everything else.
    #[default]
    Map,
    /// Reads everything into memory (`--no-mmap`).
    Read,
}

/// The bytes of a file, mapped or owned.
#[derive(Debug)]
pub struct FileBytes(ByteStorage);

#[derive(Debug)]
enum ByteStorage {
    Mapped(memmap2::Mmap, RandomFile),
    Owned(Vec<u8>),
}

impl FileBytes {
    /// Opens a file and maps or reads it.
    pub fn open(path: &Path, access: FileAccess) -> io::Result<Self> {
        Self::from_file(&regular_file::open(path)?, access)
    }

    /// Maps or reads an open file; a read starts at the position of the file.
    pub fn from_file(mut file: &File, access: FileAccess) -> io::Result<Self> {
        let metadata = file.metadata()?;
        // An empty map is an error on some systems, and a file in /proc claims to be empty.
        if access == FileAccess::Map && metadata.is_file() && metadata.len() > 0 {
            // SAFETY: The map is private to reading. That nobody truncates or rewrites the file
            // meanwhile cannot be proved; the module's comment says what then happens and how
            // to avoid it.
            let map = unsafe { memmap2::Mmap::map(file)? };
            let file = RandomFile::new(file.try_clone()?)?;
            return Ok(Self(ByteStorage::Mapped(map, file)));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Self(ByteStorage::Owned(bytes)))
    }

    /// Whether the bytes are a map of the file.
    pub fn is_mapped(&self) -> bool {
        matches!(self.0, ByteStorage::Mapped(..))
    }

    /// Copies a range, or the existing part of it, into a buffer, which is cleared first. For a map, the file is read
    /// instead: the first touch of a page costs more than reading a few hundred bytes, so this is the way to read
    /// small, scattered pieces.
    pub fn copy(&self, range: Range<usize>, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        match &self.0 {
            ByteStorage::Mapped(_, file) => {
                buffer.resize(end - start, 0);
                file.read_exact_at(buffer, start as u64)
            }
            ByteStorage::Owned(bytes) => {
                buffer.extend_from_slice(bytes.get(start..end).unwrap_or(&[]));
                Ok(())
            }
        }
    }

    /// Tells the system that the bytes are going to be read once from front to back.
    pub fn advise_sequential(&self) {
        #[cfg(unix)]
        if let ByteStorage::Mapped(map, _) = &self.0 {
            // If the advice is refused, only speed is lost.
            let _ = map.advise(memmap2::Advice::Sequential);
        }
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(ByteStorage::Owned(bytes))
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            ByteStorage::Mapped(map, _) => map,
            ByteStorage::Owned(bytes) => bytes,
        }
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_and_read_are_the_same_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bytes");
        std::fs::write(&path, b"1. e4 e5 *").expect("written");
        let mapped = FileBytes::open(&path, FileAccess::Map).expect("mapped");
        let read = FileBytes::open(&path, FileAccess::Read).expect("read");
        assert!(mapped.is_mapped() && !read.is_mapped());
        mapped.advise_sequential();
        assert_eq!(&*mapped, b"1. e4 e5 *");
        assert_eq!(*mapped, *read);
        for (range, expected) in [
            (3..5, &b"e4"[..]),
            (9..100, b"*"),
            (50..60, b""),
            (0..0, b""),
        ] {
            for bytes in [&mapped, &read] {
                let mut buffer = vec![b'?'; 3];
                bytes.copy(range.clone(), &mut buffer).expect("copied");
                assert_eq!(buffer, expected);
            }
        }
    }

    #[test]
    fn an_empty_file_is_no_bytes_and_a_folder_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("empty");
        std::fs::write(&path, b"").expect("written");
        assert!(
            FileBytes::open(&path, FileAccess::Map)
                .expect("opened")
                .is_empty()
        );
        assert!(FileBytes::open(folder.path(), FileAccess::Map).is_err());
        assert_eq!(&*FileBytes::from(vec![1, 2]), &[1, 2]);
    }
}
