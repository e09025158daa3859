//! One output file that is written from front to back, compressed according to its name.

use std::io::Write;
use std::path::{Path, PathBuf};

use tabiya_model::Result;

use crate::format::WriteOptions;
use tabiya_io::compressed_writer::{CompressedWriter, compressed_writer};
use tabiya_io::compression::Compression;
use tabiya_io::output::{self, OutputFile};

/// A file that is being written; no file has its name before [`TargetFile::finish`].
#[derive(Debug)]
pub struct TargetFile {
    writer: CompressedWriter<OutputFile>,
    path: PathBuf,
    bytes: u64,
}

/// A target that is complete.
#[derive(Clone, Debug)]
pub struct FinishedFile {
    /// Its name.
    pub path: PathBuf,
    /// Bytes of its content, before compression.
    pub bytes: u64,
}

impl TargetFile {
    /// Begins a file; the path `-` is standard output.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<TargetFile> {
        let options = output::OutputOptions {
            force: options.force,
            sources: options.sources.clone(),
        };
        let output = OutputFile::create(path, &options)?;
        let compression = Compression::of_target(path).map(|(compression, _)| compression);
        Ok(TargetFile {
            writer: compressed_writer(compression, output)?,
            path: path.to_owned(),
            bytes: 0,
        })
    }

    /// Adds bytes.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        Ok(self.writer.write_all(bytes)?)
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<FinishedFile> {
        self.writer.finish()?.commit()?;
        Ok(FinishedFile {
            path: self.path,
            bytes: self.bytes,
        })
    }
}
