//! Fuzzing: every reader must survive every sequence of bytes.
//!
//! A [`FuzzTarget`] is something that reads, and the files that it wants. Two programs drive the targets:
//!
//! * `tabiya-fuzz` mutates the samples under `corpus/` at random. It runs on any stable toolchain, watches time and
//!   memory, and is a step of `cargo xtask ci`.
//! * `guided` lets libFuzzer look for new paths through the code: `cargo xtask fuzz --guided`.
//!
//! Nothing is enumerated for a format: [`targets::all`] makes its targets from the registry and from the samples in
//! `corpus/<format>/`. An input that fails is written to `corpus/<format>/regression/`, where every later run and the
//! conformance suite find it.

pub mod cbh;
pub mod cbh2;
pub mod chess_assistant;
pub mod databases;
pub mod editor;
pub mod file_parts;
pub mod history;
pub mod lake;
pub mod model;
pub mod mutate;
pub mod position_index;
pub mod readers;
pub mod seeds;
pub mod targets;
pub mod traps;

/// What is done with an input: one slice per file, in the order of [`FuzzTarget::suffixes`]. It panics where a law is broken.
pub type FuzzFunction = Box<dyn Fn(&[&[u8]]) + Send + Sync>;

/// Something that reads, and what it is fed.
pub struct FuzzTarget {
    /// What it is called on the command line.
    pub name: String,
    /// The folder under `corpus/` that holds its samples.
    pub folder: String,
    /// What follows the stem in the names of the files of one sample, dot included; most formats have one.
    pub suffixes: Vec<String>,
    /// Sequences that mean something to the format.
    pub words: &'static [&'static str],
    /// How many bytes may be allocated at once for an input of at most [`MAX_LEN`] bytes.
    pub budget: usize,
    /// Reads the files.
    pub run: FuzzFunction,
}

impl FuzzTarget {
    /// A target with one file, the usual budget and no words.
    pub fn new(name: &str, folder: &str, suffix: &str, run: FuzzFunction) -> Self {
        Self {
            name: name.to_owned(),
            folder: folder.to_owned(),
            suffixes: vec![suffix.to_owned()],
            words: &[],
            budget: BUDGET,
            run,
        }
    }

    /// Runs the target on one packed input.
    pub fn run(&self, data: &[u8]) {
        (self.run)(&file_parts::unpack(self.suffixes.len(), data));
    }
}

/// No input is longer than this many bytes.
pub const MAX_LEN: usize = 256 * 1024;

/// The memory budget of a target that has no reason for another one.
pub const BUDGET: usize = 64 * 1024 * 1024;
