//! Bytes and files, for all formats: checked cursors, decompression, containers, outputs that appear completely or not
//! at all, changes of several files at once and locks for them, companions, memory maps, fingerprints, and filtering of
//! terminal output.
//!
//! Nothing here knows a chess format. Files come from strangers: no length in a file is trusted, memory is bounded
//! apart from the decompression window, and damage is an error that never looks like the end of a file.

mod archive_file;
pub mod block_file;
pub mod bytes;
pub mod cbv;
pub mod cbv_writer;
pub mod change;
pub mod cloud_placeholder;
pub mod companions;
pub mod compressed_writer;
pub mod compression;
pub mod container;
pub mod disk;
pub mod disk_faults;
pub mod fingerprint;
pub mod held_folder;
pub mod interrupt;
pub mod lock;
pub mod mmap;
pub mod output;
pub mod output_folder;
pub mod random_file;
pub mod regular_file;
#[cfg(any(test, windows))]
mod replacement;
pub mod scratch_file;
pub mod seek_points;
pub mod stream_decoder;
pub mod tar;
pub mod terminal_filter;
pub mod wait_check;
pub mod windows_names;
pub mod zip;
