//! The output of a process, line by line, with a limit for each wait.
//!
//! The caller waits for the pipe itself: a thread between the two would have to be woken for each line, and then the caller
//! once more. A process that writes faster than its output is read is blocked by its pipe.

use std::io;
use std::ops::Range;
use std::process::ChildStdout;
use std::time::{Duration, Instant};

/// The longest line that is taken; the rest of a longer one is dropped.
pub(crate) const LONGEST_LINE: usize = 1 << 16;

/// How much is read at once.
const CHUNK: usize = 1 << 14;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OutputEvent {
    /// A line without its end, and whether it is whole.
    Line(Vec<u8>, bool),
    /// Nothing in time.
    Nothing,
    /// There will be no more.
    End,
}

/// The lines of a process.
#[derive(Debug)]
pub(crate) struct ProcessOutput {
    pipe: Option<StdoutPipe>,
    /// What was read last, and which part of it is not taken yet.
    chunk: Vec<u8>,
    left: Range<usize>,
    /// A line whose end has not come yet, and whether nothing of it was dropped.
    line: Vec<u8>,
    whole: bool,
}

impl ProcessOutput {
    /// Of a process; of none, nothing comes.
    pub(crate) fn of(stdout: Option<ChildStdout>) -> ProcessOutput {
        ProcessOutput {
            pipe: stdout.map(StdoutPipe::new),
            chunk: vec![0; CHUNK],
            left: 0..0,
            line: Vec::new(),
            whole: true,
        }
    }

    /// Whether the process has closed its end.
    pub(crate) fn is_over(&self) -> bool {
        self.pipe.is_none()
    }

    /// The next line, waited for so long.
    pub(crate) fn next(&mut self, wait: Duration) -> OutputEvent {
        let until = Instant::now() + wait;
        let mut has_read = false;
        loop {
            if let Some(line) = self.take_line() {
                return line;
            }
            let Some(pipe) = &mut self.pipe else {
                return if self.line.is_empty() {
                    OutputEvent::End
                } else {
                    self.end_line()
                };
            };
            // A line without an end comes as fast as it is read: the time ends it, not the pipe.
            let wait = until.saturating_duration_since(Instant::now());
            if wait.is_zero() && has_read {
                return OutputEvent::Nothing;
            }
            match pipe.read(wait, &mut self.chunk) {
                PipeOutcome::Some(read) => (self.left, has_read) = (0..read, true),
                PipeOutcome::Nothing if wait.is_zero() => return OutputEvent::Nothing,
                PipeOutcome::Nothing => {}
                PipeOutcome::End => self.pipe = None,
            }
        }
    }

    /// The next line of what was read, if its end is there.
    fn take_line(&mut self) -> Option<OutputEvent> {
        let rest = self.chunk.get(self.left.clone()).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest);
        let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
        let room = LONGEST_LINE.saturating_sub(self.line.len());
        self.whole &= part.len() <= room;
        self.line
            .extend_from_slice(part.get(..room).unwrap_or(part));
        self.left.start += end.map_or(rest.len(), |end| end + 1);
        end.map(|_| self.end_line())
    }

    fn end_line(&mut self) -> OutputEvent {
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        let whole = std::mem::replace(&mut self.whole, true);
        OutputEvent::Line(std::mem::take(&mut self.line), whole)
    }
}

/// What a look at a pipe brought.
enum PipeOutcome {
    Some(usize),
    Nothing,
    End,
}

impl PipeOutcome {
    fn of(read: io::Result<usize>) -> PipeOutcome {
        match read {
            Ok(0) => PipeOutcome::End,
            Ok(read) => PipeOutcome::Some(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => PipeOutcome::Nothing,
            Err(_) => PipeOutcome::End,
        }
    }
}

/// The reading end of a pipe, where the system can wait for one.
#[cfg(unix)]
#[derive(Debug)]
struct StdoutPipe(ChildStdout);

#[cfg(unix)]
impl StdoutPipe {
    fn new(stdout: ChildStdout) -> StdoutPipe {
        StdoutPipe(stdout)
    }

    /// Reads what comes within a time.
    fn read(&mut self, wait: Duration, to: &mut [u8]) -> PipeOutcome {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::io::Errno;

        let wait = Timespec::try_from(wait).ok();
        match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], wait.as_ref()) {
            Ok(0) | Err(Errno::INTR) => PipeOutcome::Nothing,
            Ok(_) => PipeOutcome::of(io::Read::read(&mut self.0, to)),
            Err(_) => PipeOutcome::End,
        }
    }
}

/// The reading end of a pipe, where only a thread can wait for one.
#[cfg(not(unix))]
#[derive(Debug)]
struct StdoutPipe(std::sync::mpsc::Receiver<Vec<u8>>);

#[cfg(not(unix))]
impl StdoutPipe {
    fn new(mut stdout: ChildStdout) -> StdoutPipe {
        let (sender, chunks) = std::sync::mpsc::sync_channel(1);
        std::thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                match PipeOutcome::of(io::Read::read(&mut stdout, &mut chunk)) {
                    PipeOutcome::Some(read) => chunk.truncate(read),
                    PipeOutcome::Nothing => continue,
                    PipeOutcome::End => return,
                }
                if sender.send(chunk).is_err() {
                    return;
                }
            }
        });
        StdoutPipe(chunks)
    }

    /// Reads what comes within a time.
    fn read(&mut self, wait: Duration, to: &mut [u8]) -> PipeOutcome {
        use std::sync::mpsc::RecvTimeoutError;

        match self.0.recv_timeout(wait) {
            Ok(chunk) => {
                to[..chunk.len()].copy_from_slice(&chunk);
                PipeOutcome::Some(chunk.len())
            }
            Err(RecvTimeoutError::Timeout) => PipeOutcome::Nothing,
            Err(RecvTimeoutError::Disconnected) => PipeOutcome::End,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::{PipeWriter, Write};
    use std::os::fd::OwnedFd;
    use std::thread::JoinHandle;

    /// What somebody writes.
    fn written<T: Send + 'static>(
        write: impl FnOnce(PipeWriter) -> T + Send + 'static,
    ) -> (ProcessOutput, JoinHandle<T>) {
        let (from, to) = io::pipe().expect("a pipe");
        let output = ProcessOutput::of(Some(ChildStdout::from(OwnedFd::from(from))));
        (output, std::thread::spawn(|| write(to)))
    }

    /// All that comes until the end, with the times that nothing came left out.
    fn all(output: &mut ProcessOutput) -> Vec<(String, bool)> {
        let mut all = Vec::new();
        loop {
            match output.next(Duration::from_millis(5)) {
                OutputEvent::Line(line, whole) => {
                    all.push((String::from_utf8(line).expect("text"), whole));
                }
                OutputEvent::Nothing => {}
                OutputEvent::End => return all,
            }
        }
    }

    #[test]
    fn lines_come_in_their_order_and_none_is_lost() {
        let (mut output, writer) = written(|mut to| {
            for number in 1..=20_000 {
                writeln!(to, "{number}").expect("somebody listens");
            }
            write!(to, "a\r\n\nlast").expect("somebody listens");
        });
        let found = all(&mut output);
        writer.join().expect("written");
        let wanted = (1..=20_000).map(|number| number.to_string());
        let wanted = wanted.chain(["a", "", "last"].map(str::to_owned));
        assert!(found.into_iter().eq(wanted.map(|line| (line, true))));
        assert!(output.is_over());
    }

    #[test]
    fn a_line_without_end_is_cut_and_what_follows_is_heard() {
        let (mut output, writer) = written(|mut to| {
            to.write_all(&vec![b'x'; LONGEST_LINE * 4])
                .and_then(|()| to.write_all(b"\ny\n"))
        });
        let found = all(&mut output);
        writer.join().expect("an end").expect("somebody listens");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].0.len(), LONGEST_LINE);
        assert_eq!((found[0].1, &found[1]), (false, &("y".to_owned(), true)));
    }

    #[test]
    fn silence_ends_in_time_and_half_a_line_is_kept() {
        let (go, wait) = std::sync::mpsc::channel();
        let (mut output, writer) = written(move |mut to| {
            to.write_all(b"half").expect("somebody listens");
            wait.recv().expect("a word");
            to.write_all(b" and half\n").expect("somebody listens");
        });
        assert_eq!(output.next(Duration::from_millis(50)), OutputEvent::Nothing);
        go.send(()).expect("it waits");
        assert_eq!(all(&mut output), [("half and half".to_owned(), true)]);
        writer.join().expect("written");
    }

    #[test]
    fn who_writes_without_end_is_held_up_and_let_go() {
        let (mut output, writer) = written(|mut to| {
            let mut written = 0_usize;
            while to.write_all(b"info\n").is_ok() {
                written += 5;
            }
            written
        });
        for _ in 0..10 {
            let next = output.next(Duration::from_secs(5));
            assert_eq!(next, OutputEvent::Line(b"info".to_vec(), true));
        }
        assert_eq!(output.chunk.len(), CHUNK);
        drop(output);
        // No more than a pipe and a chunk hold.
        let written = writer.join().expect("it ended");
        assert!((50..1 << 21).contains(&written), "{written}");
    }
}
