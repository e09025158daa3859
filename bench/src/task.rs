//! What is measured: tasks, and the contestants that do them.

use std::{path::PathBuf, process::Command, time::Duration};

use anyhow::Result;

use crate::corpora::Corpus;
use crate::older_build::BuildPrograms;

/// One job that several programs can do, on one corpus.
pub(crate) struct BenchTask {
    /// The name on the command line and in the markers of the results.
    pub(crate) name: &'static str,
    /// What is done, as a heading.
    pub(crate) title: &'static str,
    pub(crate) corpus: Corpus,
    /// The contestant that the others are compared with.
    pub(crate) peer: &'static str,
    pub(crate) contestants: Vec<Contestant>,
}

/// One program, or one function of a library.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    /// What it does exactly, printed under the table.
    pub(crate) note: &'static str,
    /// It gets only so many bytes of the corpus, cut between two games, where all would take too long.
    pub(crate) slice: Option<u64>,
    pub(crate) how: RunMethod,
    /// It opens the file itself, so that nothing is loaded for it.
    pub(crate) opens: bool,
    /// The exit codes that a program ends with when it did its work.
    pub(crate) exit: &'static [i32],
}

/// How a contestant is run. Every run is a process of its own, so that its memory is its own.
pub(crate) enum RunMethod {
    /// A function of this program: the clock runs from its call to its return.
    Function(fn(&FunctionInput) -> Result<WorkCounts>),
    /// A program: the clock runs from its start to its end.
    Program(fn(&ProgramInput) -> Result<Command, MissingProgram>),
    /// A script for a program whose start says nothing: it says itself how long it took.
    Script(fn(&ProgramInput) -> Result<Command, MissingProgram>),
}

/// What a function reads. The bytes are in memory before the clock starts, unless it opens the file itself.
pub(crate) struct FunctionInput {
    /// For contestants that open the file themselves.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

/// What a program is given.
pub(crate) struct ProgramInput<'a> {
    pub(crate) input: PathBuf,
    /// A path in an empty folder, for what it writes.
    pub(crate) output: PathBuf,
    pub(crate) options: &'a BenchOptions,
}

/// Why a contestant cannot run here.
pub(crate) struct MissingProgram(pub(crate) String);

/// What was counted, to see that everybody did the same work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WorkCounts {
    pub(crate) games: u64,
    pub(crate) plies: u64,
}

/// What the command line asks for.
pub(crate) struct BenchOptions {
    /// Only tasks with this in their name.
    pub(crate) only: Option<String>,
    /// Scid's interpreter of Tcl scripts, where it is not `tkscid` on the path.
    pub(crate) scid: Option<PathBuf>,
    /// An older build to compare with, in place of peers.
    pub(crate) before: Option<BuildPrograms>,
    pub(crate) runs: usize,
    /// A contestant that has used so much time is not run again, and is stopped after twice as much.
    pub(crate) limit: Duration,
}

impl BenchOptions {
    /// Whether a task is to be measured.
    pub(crate) fn asks_for(&self, task: &BenchTask) -> bool {
        self.only
            .as_ref()
            .is_none_or(|only| task.name.contains(only.as_str()))
    }
}

impl Contestant {
    pub(crate) fn function(
        name: &'static str,
        note: &'static str,
        function: fn(&FunctionInput) -> Result<WorkCounts>,
    ) -> Self {
        Self::new(name, note, RunMethod::Function(function))
    }

    pub(crate) fn program(
        name: &'static str,
        note: &'static str,
        command: fn(&ProgramInput) -> Result<Command, MissingProgram>,
    ) -> Self {
        Self::new(name, note, RunMethod::Program(command))
    }

    pub(crate) fn script(
        name: &'static str,
        note: &'static str,
        command: fn(&ProgramInput) -> Result<Command, MissingProgram>,
    ) -> Self {
        Self::new(name, note, RunMethod::Script(command))
    }

    fn new(name: &'static str, note: &'static str, how: RunMethod) -> Self {
        Self {
            name,
            note,
            slice: None,
            opens: false,
            exit: &[0],
            how,
        }
    }

    /// The same with other words about what it does.
    pub(crate) fn noted(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// Lets it open the file itself: the time and memory of reading are its own.
    pub(crate) fn opens(self) -> Self {
        Self {
            opens: true,
            ..self
        }
    }

    /// Lets it end with these codes.
    pub(crate) fn may_exit(self, exit: &'static [i32]) -> Self {
        Self { exit, ..self }
    }

    /// Lets it do only so many megabytes of the corpus.
    pub(crate) fn slice(self, megabytes: u64) -> Self {
        Self {
            slice: Some(megabytes * 1_000_000),
            ..self
        }
    }
}
