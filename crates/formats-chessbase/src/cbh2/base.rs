//! A database: its files, and the places of the data in them.

use std::path::{Path, PathBuf};

use tabiya_io::mmap::FileBytes;
use tabiya_model::Diagnostics;
use tabiya_model::charset::Charset;

use super::entities::Cbh2EntityFile;
use super::layout::{Cbh2Frame, Cbh2FrameError, Cbh2Record, RECORD};
use super::scratch::Cbh2Scratch;
use super::text;
use crate::cbh::files::CbhFiles;
use tabiya_codec::format::OpenOptions;
use tabiya_codec::missing_parts::MissingParts;
use tabiya_codec::numbered_database::ScratchPool;

/// Files that are read, the header file first.
pub(super) const READ: [&str; 7] = ["2cbh", "2cbg", "2cba", "2lid", "2lgd", "2lcd", "ini"];

/// Files that are known and not needed: keys of the classification.
pub(super) const UNREAD: [&str; 2] = ["cko", "cpo"];

/// A database that is open for reading.
pub struct Cbh2Reader {
    pub(super) files: CbhFiles,
    pub(super) headers: FileBytes,
    pub(super) version: u8,
    pub(super) count: u64,
    pub(super) moves: Option<FileBytes>,
    pub(super) annotations: Option<FileBytes>,
    pub(super) names: Option<Cbh2EntityFile>,
    pub(super) settings: Option<FileBytes>,
    /// Where games begin that have no header, in `.2cbg`.
    pub(super) rescued: Vec<u64>,
    pub(super) options: OpenOptions,
    pub(super) diagnostics: Diagnostics,
    /// What the files claim to hold and what is not there.
    pub(super) claims: MissingParts,
    pub(super) spare: ScratchPool<Cbh2Scratch>,
}

impl Cbh2Reader {
    /// The number of records, without games that were found without one.
    pub(super) fn headers_count(&self) -> u64 {
        self.count
    }

    /// The number of games, texts and analyses.
    pub fn count(&self) -> u64 {
        self.count.saturating_add(self.rescued.len() as u64)
    }

    /// The bytes of a record of the header file, by its number from 1.
    #[inline]
    pub fn record_bytes(&self, number: u64) -> Option<&[u8; RECORD]> {
        let at = usize::try_from(number).ok()?.checked_mul(RECORD)?;
        self.headers.get(at..)?.first_chunk()
    }

    /// A record of the header file, by its number from 1.
    #[inline]
    pub fn record(&self, number: u64) -> Option<Cbh2Record> {
        (number > 0 && number <= self.count)
            .then(|| self.record_bytes(number).map(Cbh2Record::decode))?
    }

    /// The names, if there are any.
    pub fn names(&self) -> Option<&Cbh2EntityFile> {
        self.names.as_ref()
    }

    /// The charset of names and texts that are not UTF-8.
    #[inline]
    pub fn charset(&self) -> Charset {
        self.options.encoding.unwrap_or(text::DEFAULT)
    }

    /// The frame of moves or of a text at an offset; `None` if there is no file of them.
    #[inline]
    pub fn move_frame(&self, offset: i64) -> Option<Result<Cbh2Frame<'_>, Cbh2FrameError>> {
        Some(Cbh2Frame::decode(self.moves.as_ref()?, offset))
    }

    /// The frame of annotations at an offset; `None` if there is no file of them.
    #[inline]
    pub fn annotation_frame(&self, offset: i64) -> Option<Result<Cbh2Frame<'_>, Cbh2FrameError>> {
        Some(Cbh2Frame::decode(self.annotations.as_ref()?, offset))
    }

    /// The files that are read.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.files.read().map(Path::to_path_buf).collect()
    }
}
