//! What an index records of the files that it was made from, and whether these are still the same.
//!
//! A file with the same size, times, place on the disk and ends is considered unchanged: systems record the time of every
//! change, and no program can set that time back. If only the content can tell, as with copies, all of it is read again.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use tabiya_formats::format::OpenOptions;
use tabiya_io::bytes::ByteCursor;
use tabiya_io::fingerprint::{Fingerprint, hash_all};
use tabiya_model::{Database, Result};

use crate::open::inspection::cannot_open;

/// The most bytes of copies that are read at each opening; larger ones need an index of their own.
const READ_AGAIN: u64 = 4 << 30;

/// Rises where readers say something else of the same bytes than before: 1 where the Result tag counts before the movetext.
const READING: u8 = 1;

/// The files of a database, the format that they are read in, and what else the user said about reading them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SourceFingerprint {
    reading: Vec<u8>,
    files: Vec<FileFingerprint>,
}

/// A file as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FileFingerprint {
    name: String,
    print: Fingerprint,
    place: FileIdentity,
    /// The hash of the whole content, where it was taken.
    digest: Option<u64>,
}

/// Where a file lies, and when anything about it has changed; zeros where the system does not say.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
struct FileIdentity {
    inode: u64,
    changed: i64,
}

impl FileIdentity {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> FileIdentity {
        use std::os::unix::fs::MetadataExt as _;
        const SECOND: i64 = 1_000_000_000;
        FileIdentity {
            inode: metadata.ino(),
            changed: metadata
                .ctime()
                .saturating_mul(SECOND)
                .saturating_add(metadata.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> FileIdentity {
        FileIdentity::default()
    }
}

impl SourceFingerprint {
    /// What the files of a database are now, their whole content aside.
    pub(super) fn of(database: &dyn Database, reading: &OpenOptions) -> Result<SourceFingerprint> {
        let mut said = database.format().as_bytes().to_vec();
        said.extend_from_slice(&[0, READING]);
        let options = options_of(reading);
        if options != options_of(&OpenOptions::default()) {
            said.extend_from_slice(options.as_bytes());
        }
        let files = database.files().into_iter().map(FileFingerprint::of);
        Ok(SourceFingerprint {
            reading: said,
            files: files.collect::<Result<_>>()?,
        })
    }

    /// The same with the hashes of their whole content.
    pub(super) fn with_digests(mut self, database: &dyn Database) -> Result<SourceFingerprint> {
        for (seen, path) in self.files.iter_mut().zip(database.files()) {
            seen.digest = Some(digest(&path)?);
        }
        Ok(self)
    }

    /// Whether the files of a database are what they were, where `now` is what they are at a glance.
    pub(super) fn is_unchanged(
        &self,
        now: &SourceFingerprint,
        database: &dyn Database,
    ) -> Result<bool> {
        let same_files = self.files.len() == now.files.len()
            && self
                .files
                .iter()
                .zip(&now.files)
                .all(|(old, new)| old.name == new.name && old.print.same_content(&new.print));
        if self.reading != now.reading || !same_files {
            return Ok(false);
        }
        let paths = database.files();
        let files = self.files.iter().zip(&now.files).zip(&paths);
        let other: Vec<(&FileFingerprint, &PathBuf)> = files
            .filter(|((old, new), _)| (old.print, old.place) != (new.print, new.place))
            .map(|((old, _), path)| (old, path))
            .collect();
        let size: u64 = other.iter().map(|(old, _)| old.print.size).sum();
        if size > READ_AGAIN {
            return Ok(false);
        }
        for (old, path) in other {
            if old.digest.is_none() || old.digest != Some(digest(path)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The witness as bytes that are the same on every machine.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.reading.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&self.reading);
        for seen in &self.files {
            bytes.extend_from_slice(&(seen.name.len() as u64).to_le_bytes());
            bytes.extend_from_slice(seen.name.as_bytes());
            bytes.extend_from_slice(&seen.print.to_bytes());
            bytes.extend_from_slice(&seen.place.inode.to_le_bytes());
            bytes.extend_from_slice(&seen.place.changed.to_le_bytes());
            bytes.push(u8::from(seen.digest.is_some()));
            bytes.extend_from_slice(&seen.digest.unwrap_or(0).to_le_bytes());
        }
        bytes
    }

    /// Reads what [`SourceFingerprint::to_bytes`] wrote; nothing where it is something else, such as what earlier versions wrote.
    pub(super) fn read(bytes: &[u8]) -> Option<SourceFingerprint> {
        let mut cursor = ByteCursor::new(bytes);
        let text = |cursor: &mut ByteCursor<'_>| -> Option<Vec<u8>> {
            let length = usize::try_from(cursor.u64_le().ok()?).ok()?;
            Some(cursor.take(length).ok()?.to_vec())
        };
        let reading = text(&mut cursor)?;
        let mut files = Vec::new();
        while cursor.remaining() > 0 {
            files.push(FileFingerprint {
                name: String::from_utf8(text(&mut cursor)?).ok()?,
                print: Fingerprint::read(&mut cursor).ok()?,
                place: FileIdentity {
                    inode: cursor.u64_le().ok()?,
                    changed: i64::from_le_bytes(cursor.array().ok()?),
                },
                digest: match cursor.array::<1>().ok()? {
                    [0] => cursor.u64_le().ok().map(|_| None)?,
                    [1] => Some(cursor.u64_le().ok()?),
                    _ => return None,
                },
            });
        }
        Some(SourceFingerprint { reading, files })
    }
}

impl FileFingerprint {
    fn of(path: PathBuf) -> Result<FileFingerprint> {
        let failed = |error| cannot_open(&path, error);
        let mut file = tabiya_io::regular_file::open(&path).map_err(failed)?;
        let name = path.file_name().unwrap_or_default();
        Ok(FileFingerprint {
            name: name.to_string_lossy().into_owned(),
            print: Fingerprint::of_file(&mut file).map_err(failed)?,
            place: FileIdentity::of(&file.metadata().map_err(failed)?),
            digest: None,
        })
    }
}

fn digest(path: &Path) -> Result<u64> {
    let hashed = tabiya_io::regular_file::open(path).and_then(hash_all);
    hashed
        .map(|(sum, _)| sum)
        .map_err(|error| cannot_open(path, error))
}

/// The options that change what is read.
fn options_of(options: &OpenOptions) -> String {
    format!(
        "{:?}",
        (
            options.encoding,
            options.redecode,
            options.settings.to_string(),
        )
    )
}
