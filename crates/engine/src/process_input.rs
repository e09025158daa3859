//! The input of a process, line by line: one that reads nothing blocks nobody.

use std::io::Write;
use std::process::ChildStdin;
use std::time::Duration;

/// The most that waits for a process that reads nothing; more is dropped together with the pipe.
const MOST: usize = 1 << 24;

/// How much a pipe that says that there is room takes without waiting: the `PIPE_BUF` of POSIX is at least as much where there is
/// one, and Linux has a page.
#[cfg(unix)]
const PIECE: usize = 512;

/// The lines that a process is told.
#[derive(Debug)]
pub(crate) struct ProcessInput {
    pipe: Option<ChildStdin>,
    /// What the pipe has not taken yet.
    waiting: Vec<u8>,
}

impl ProcessInput {
    pub(crate) fn of(pipe: Option<ChildStdin>) -> ProcessInput {
        ProcessInput {
            pipe,
            waiting: Vec::new(),
        }
    }

    /// Tells a line; what finds no room in the pipe waits.
    pub(crate) fn say(&mut self, line: &str) {
        if self.pipe.is_none() {
            return;
        }
        if self.waiting.len().saturating_add(line.len()) > MOST {
            self.close();
            return;
        }
        let bytes = line.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'));
        self.waiting.extend(bytes);
        self.waiting.push(b'\n');
        self.flush(Duration::ZERO);
    }

    /// Hands over what waits, for so long; whether nothing waits any more. That a process has ended shows when it is listened to.
    #[cfg(unix)]
    pub(crate) fn flush(&mut self, wait: Duration) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let until = std::time::Instant::now() + wait;
        while !self.waiting.is_empty() {
            let Some(pipe) = &mut self.pipe else {
                return true;
            };
            let left = until.saturating_duration_since(std::time::Instant::now());
            let left = Timespec::try_from(left).ok();
            match poll(&mut [PollFd::new(&*pipe, PollFlags::OUT)], left.as_ref()) {
                Ok(0) => return false,
                Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(_) => {
                    self.close();
                    return true;
                }
            }
            let piece = self.waiting.len().min(PIECE);
            match pipe.write(self.waiting.get(..piece).unwrap_or_default()) {
                Ok(written) => drop(self.waiting.drain(..written.min(piece))),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => self.close(),
            }
        }
        true
    }

    /// Hands over what waits. A process that reads nothing is waited for here.
    #[cfg(not(unix))]
    pub(crate) fn flush(&mut self, _: Duration) -> bool {
        if let Some(pipe) = &mut self.pipe
            && pipe.write_all(&self.waiting).is_err()
        {
            self.pipe = None;
        }
        self.waiting.clear();
        true
    }

    /// Ends it; what waits is dropped.
    pub(crate) fn close(&mut self) {
        self.pipe = None;
        self.waiting.clear();
    }
}
