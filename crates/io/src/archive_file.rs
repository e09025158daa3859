//! The file of an archive with random access: the common part of all archive formats.

use std::io;
use std::sync::Arc;

use super::compression::{UnpackError, UnpackLimits};
use super::random_file::RandomFile;
use super::stream_decoder::UnpackMeter;

/// The file of an archive, with its name for messages, its limits, and the meter that detects decompression bombs.
#[derive(Debug)]
pub(super) struct ArchiveFile {
    pub(super) name: String,
    /// What messages call the kind of archive.
    pub(super) kind: &'static str,
    pub(super) file: Arc<RandomFile>,
    pub(super) limits: UnpackLimits,
    pub(super) meter: UnpackMeter,
}

impl ArchiveFile {
    /// The error for damage at an offset.
    pub(super) fn damaged(&self, input: u64, problem: &str) -> UnpackError {
        UnpackError::Damaged {
            name: self.name.clone(),
            kind: self.kind,
            input,
            output: 0,
            problem: problem.to_owned(),
        }
    }

    /// Fills the buffer from an offset; a file that ends before is an error.
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), UnpackError> {
        self.file
            .read_exact_at(buffer, offset)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => UnpackError::Truncated {
                    name: self.name.clone(),
                    kind: self.kind,
                    input: self.file.size(),
                    output: 0,
                },
                _ => UnpackError::from_io(&self.name, error),
            })
    }
}
