//! Fuzzing: every reader must survive every sequence of bytes.
//!
//! A [`Target`] is a reader and the files that it wants. Two programs drive the targets:
//!
//! * `tabiya-fuzz` mutates the samples under `corpus/` at random. It runs on any stable toolchain,
//!   watches time and memory, and is a step of `cargo xtask ci`.
//! * `guided` lets libFuzzer look for new paths through the code: `cargo xtask fuzz --guided`.
//!
//! Neither enumerates anything: both loop over [`TARGETS`]. An input that fails is written to
//! `corpus/<folder>/regression/`, where every later run and the conformance suite find it.

pub mod mutate;
pub mod parts;
pub mod seeds;
mod targets;

pub use targets::{TARGETS, TRAPS};

/// One reader and what it is fed.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// What it is called on the command line.
    pub name: &'static str,
    /// The folder under `corpus/` that holds its samples.
    pub folder: &'static str,
    /// The extensions of the files of one sample, which share a stem; most formats have one.
    pub files: &'static [&'static str],
    /// Byte sequences that mean something to the format.
    pub words: &'static [&'static str],
    /// How many bytes may be allocated at once for an input of at most [`MAX_LEN`] bytes.
    pub budget: usize,
    /// Reads the files, in the order of `files`, and panics where a law is broken.
    pub run: fn(&[&[u8]]),
}

impl Target {
    /// Runs the target on one packed input.
    pub fn run(&self, data: &[u8]) {
        (self.run)(&parts::unpack(self.files.len(), data));
    }
}

/// No input is longer than this many bytes.
pub const MAX_LEN: usize = 256 * 1024;

/// The memory budget of a target that has no reason for another one.
pub const BUDGET: usize = 64 * 1024 * 1024;

/// The target of a name, among the real ones and the ones that fail on purpose.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS
        .iter()
        .chain(TRAPS)
        .find(|target| target.name == name)
}
