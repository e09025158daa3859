//! A line on standard error with the progress of a long command, if that is a terminal.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tabiya_io::terminal_filter::own;
use tabiya_model::Control;

use super::output::{self, grouped};

/// How often the line is written; the first one waits as long, so that short commands show none.
const PERIOD: Duration = Duration::from_millis(200);

/// Shows how far a job is as long as it lives.
pub(crate) struct ProgressLine(Option<(Sender<()>, JoinHandle<()>)>);

impl ProgressLine {
    /// Starts to look at a job.
    pub(crate) fn of(control: &Control) -> ProgressLine {
        if !std::io::stderr().is_terminal() || !super::global_args::has_progress() {
            return ProgressLine(None);
        }
        let (done, end) = channel();
        let control = control.clone();
        let before = control.progress().games;
        let watching = std::thread::spawn(move || {
            let started = Instant::now();
            let mut shown = false;
            while end.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                let line = line(&control, before, started);
                shown = true;
                let _ = show(&line);
            }
            if shown {
                let _ = show("");
            }
        });
        ProgressLine(Some((done, watching)))
    }

    /// Continues only if the output is not written to a terminal too: there the output itself shows the progress.
    pub(crate) fn beside_output(self) -> Option<ProgressLine> {
        (!super::pager::is_terminal()).then_some(self)
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Some((done, watching)) = self.0.take() {
            drop(done);
            let _ = watching.join();
        }
    }
}

/// Shows a line in the place of the one before.
pub(crate) fn show(line: &str) -> std::io::Result<()> {
    let mut out = output::stderr();
    write!(out, "{}{line}", own("\r\x1b[K"))?;
    out.flush()
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation
)]
fn line(control: &Control, before: u64, started: Instant) -> String {
    let progress = control.progress();
    let games = progress.games.saturating_sub(before);
    let seconds = started.elapsed().as_secs_f64().max(0.001);
    let rate = (games as f64 / seconds) as u64;
    let mut line = format!("{} games, {} per second", grouped(games), grouped(rate));
    if let Some(total) = progress.total.filter(|total| *total > 0)
        && progress.done > 0
    {
        let share = (progress.done as f64 / total as f64).min(1.0);
        let left = seconds / share - seconds;
        line.push_str(&format!(", {:.0} %, {left:.0} s left", share * 100.0));
    }
    line
}
