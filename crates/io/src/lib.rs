//! What all formats share about bytes and files: checked cursors, decompression, containers,
//! outputs that appear whole or not at all, changes of several files at once and the right to make
//! them, companions, memory maps, fingerprints, and terminals that obey no file.
//!
//! Nothing here knows a chess format. Files come from strangers: no length that a file claims is
//! trusted, memory is bounded beside the decompression window, and damage is an error that never
//! looks like the end of a file.

mod archive_file;
pub mod awaited;
pub mod blocks;
pub mod bytes;
pub mod cbv;
pub mod change;
pub mod companions;
pub mod compression;
pub mod container;
pub mod decode;
pub mod disk;
pub mod encode;
pub mod faults;
pub mod fingerprint;
pub mod folder;
pub mod held;
pub mod lock;
pub mod mmap;
pub mod output;
pub mod random;
pub mod regular;
pub mod scratch;
pub mod screen;
pub mod seek;
pub mod stop;
pub mod tar;
pub mod windows_names;
pub mod zip;
