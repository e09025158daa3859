//! The program that fetches from sites: the server runs it, and has no network code of its own.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;

/// The most bytes of its standard error that are kept.
const LONGEST: u64 = 16 << 10;

/// The program that fetches from sites.
#[derive(Clone, Debug)]
pub struct FetchProgram {
    /// Its path.
    pub path: PathBuf,
    /// Arguments before the command.
    pub arguments: Vec<OsString>,
}

impl FetchProgram {
    /// Runs a command of it.
    pub(crate) fn run(
        &self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> std::io::Result<FetchRun> {
        let mut child = Command::new(&self.path)
            .args(&self.arguments)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take();
        let error_reader = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stderr.by_ref().take(LONGEST).read_to_end(&mut bytes);
                // The rest is read and dropped: a program whose pipe is full would wait for ever.
                let _ = std::io::copy(&mut stderr, &mut std::io::sink());
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });
        Ok(FetchRun {
            child,
            output,
            error_reader,
            error_text: String::new(),
        })
    }
}

/// A run of the program, which ends with this.
#[derive(Debug)]
pub(crate) struct FetchRun {
    child: Child,
    output: Option<ChildStdout>,
    error_reader: Option<JoinHandle<String>>,
    error_text: String,
}

impl FetchRun {
    /// Its standard output, once.
    pub(crate) fn output(&mut self) -> std::io::Result<ChildStdout> {
        let output = self.output.take();
        output.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::BrokenPipe))
    }

    /// How it has ended, if it has.
    pub(crate) fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Ends it at once. It loses nothing by that: what is whole is in the database, and the next run continues.
    pub(crate) fn stop(&mut self) {
        // One that has ended is not there any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Why it has failed: the last line of its standard error. It is stopped if it has not ended.
    pub(crate) fn reason(&mut self) -> Option<&str> {
        self.stop();
        if let Some(reader) = self.error_reader.take() {
            self.error_text = reader.join().unwrap_or_default();
        }
        let lines = self.error_text.lines().rev().map(str::trim);
        let mut lines = lines.map(|line| line.trim_start_matches("error: "));
        lines.find(|line| !line.is_empty())
    }
}

impl Drop for FetchRun {
    fn drop(&mut self) {
        self.stop();
    }
}
