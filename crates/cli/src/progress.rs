//! A line on standard error that says how far a long command is, where that is a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use super::output::grouped;

/// How often the line is written.
const PERIOD: Duration = Duration::from_millis(200);

/// The progress of one command.
pub(crate) struct Progress {
    visible: bool,
    started: Instant,
    shown: Option<Instant>,
    games: u64,
    bytes: u64,
    total: Option<u64>,
}

impl Progress {
    /// Starts; `total` is the number of bytes to read, where it is known.
    pub(crate) fn start(total: Option<u64>) -> Progress {
        Progress {
            visible: std::io::stderr().is_terminal(),
            started: Instant::now(),
            shown: None,
            games: 0,
            bytes: 0,
            total: total.filter(|total| *total > 0),
        }
    }

    /// Counts what was done since the last call.
    pub(crate) fn add(&mut self, games: u64, bytes: u64) {
        self.games += games;
        self.bytes += bytes;
        if !self.visible {
            return;
        }
        let now = Instant::now();
        // The first line waits too: short commands show none.
        let since = self.shown.unwrap_or(self.started);
        if now.duration_since(since) >= PERIOD {
            self.shown = Some(now);
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K{}", self.line());
        }
    }

    fn line(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(0.001);
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            clippy::cast_possible_truncation
        )]
        let rate = (self.games as f64 / seconds) as u64;
        let mut line = format!("{} games, {} a second", grouped(self.games), grouped(rate));
        if let Some(total) = self.total
            && self.bytes > 0
        {
            #[allow(clippy::cast_precision_loss)]
            let share = (self.bytes as f64 / total as f64).min(1.0);
            let left = seconds / share - seconds;
            line.push_str(&format!(", {:.0} %, {left:.0} s left", share * 100.0));
        }
        line
    }

    /// Removes the line.
    pub(crate) fn finish(self) {
        if self.shown.is_some() {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}
