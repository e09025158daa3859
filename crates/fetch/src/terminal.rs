//! Output to the terminal.

use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tabiya_io::terminal_filter::{ControlCharacterMode, TerminalFilter};
use tabiya_model::Control;

/// How often the line of progress is written.
const PERIOD: Duration = Duration::from_millis(500);

/// A line on standard error, which gives a terminal no orders.
pub(crate) fn say(line: &str) {
    let stderr = std::io::stderr().lock();
    let care = match stderr.is_terminal() {
        true => ControlCharacterMode::Show,
        false => ControlCharacterMode::Pass,
    };
    let mut out = TerminalFilter::new(stderr, care);
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// A line for programs on standard output.
pub(crate) fn print(line: &str) {
    let mut out = TerminalFilter::new(std::io::stdout().lock(), ControlCharacterMode::Json);
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Shows how many games came, as long as it lives and standard error is a terminal.
pub(crate) struct FetchProgress(Option<(Sender<()>, JoinHandle<()>)>);

impl FetchProgress {
    /// Starts to look at a job.
    pub(crate) fn of(control: &Control, source: &str, is_quiet: bool) -> FetchProgress {
        if is_quiet || !std::io::stderr().is_terminal() {
            return FetchProgress(None);
        }
        let (done, end) = channel();
        let (control, source) = (control.clone(), source.to_owned());
        let before = control.progress().games;
        let watching = std::thread::spawn(move || {
            let mut length = 0;
            while end.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                let games = control.progress().games.saturating_sub(before);
                let line = format!("{source}: {games} games");
                length = length.max(line.len());
                let mut err = std::io::stderr().lock();
                let _ = write!(err, "\r{line}").and_then(|()| err.flush());
            }
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r{:length$}\r", "").and_then(|()| err.flush());
        });
        FetchProgress(Some((done, watching)))
    }
}

impl Drop for FetchProgress {
    fn drop(&mut self) {
        if let Some((done, watching)) = self.0.take() {
            drop(done);
            let _ = watching.join();
        }
    }
}
