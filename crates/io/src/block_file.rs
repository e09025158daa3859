//! A temporary file for blocks of bytes that many threads write and read in any order.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::scratch_file::ScratchFile;

/// The blocks. Their file is created with the first one.
#[derive(Debug, Default)]
pub struct BlockFile {
    file: OnceLock<ScratchFile>,
    /// Lets only one thread create the file.
    making: Mutex<()>,
    end: AtomicU64,
}

impl BlockFile {
    /// Adds a block and returns its offset.
    pub fn append(&self, block: &[u8]) -> io::Result<u64> {
        let at = self.end.fetch_add(block.len() as u64, Ordering::Relaxed);
        write_at(self.file()?, block, at)?;
        Ok(at)
    }

    /// Reads a block from its place.
    pub fn read(&self, at: u64, block: &mut [u8]) -> io::Result<()> {
        read_at(self.file()?, block, at)
    }

    fn file(&self) -> io::Result<&File> {
        if self.file.get().is_none() {
            let _lock = self.making.lock().unwrap_or_else(PoisonError::into_inner);
            if self.file.get().is_none() {
                let _ = self.file.set(ScratchFile::new()?);
            }
        }
        match self.file.get() {
            Some(scratch) => Ok(scratch.file()),
            None => Err(io::Error::other("the temporary file is missing")),
        }
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let done = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        bytes = bytes.get(done..).unwrap_or(&[]);
        at += done as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let done = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if done == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = bytes.split_at_mut(done).1;
        at += done as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_in_any_order() {
        let blocks = BlockFile::default();
        let block = |number: usize| vec![number as u8; 1000 * (number % 3)];
        let places: Vec<u64> = (0..20)
            .map(|number| blocks.append(&block(number)).expect("written"))
            .collect();
        for (number, at) in places.iter().enumerate().rev() {
            let mut read = block(number);
            read.fill(255);
            blocks.read(*at, &mut read).expect("read");
            assert!(read == block(number));
        }
    }
}
