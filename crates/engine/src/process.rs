//! A child process with bounded lines, which never outlives its holder.
//!
//! On Unix the child is in a process group of its own together with a watcher, a shell that waits for the end of a pipe
//! that only the holder keeps open. When the holder ends the group, or is itself killed in any way, the engine and
//! everything that it started are killed. The watcher is in the group, so that the group's number cannot be reused in the
//! meantime. On Linux that also reaches processes that leave the group ([`crate::offspring`]).

use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use crate::descendants::{self, ProcessDescendants};
use crate::process_input::ProcessInput;
use crate::process_output::{OutputEvent, ProcessOutput};
#[cfg(windows)]
use crate::windows_job::WindowsJob;

/// How much of standard error is kept.
const LAST_WORDS: usize = 400;

/// How long words that were said before the end are waited for.
const WORDS_UNDER_WAY: Duration = Duration::from_millis(500);

/// How long the end of a killed process is waited for.
const REAPING: Duration = Duration::from_secs(2);

/// Something that came from the process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ProcessMessage {
    /// A line, without its end.
    Line(String),
    /// The start of a line that was too long.
    LongLine(String),
    /// Nothing in time.
    Nothing,
    /// Its output has ended.
    End,
}

/// A process that is talked to in lines.
#[derive(Debug)]
pub(crate) struct EngineProcess {
    child: Child,
    input: ProcessInput,
    output: ProcessOutput,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Reads standard error.
    listener: Option<JoinHandle<()>>,
    #[cfg(unix)]
    watcher: GroupWatcher,
    #[cfg(target_os = "linux")]
    offspring: ProcessDescendants,
    #[cfg(windows)]
    job: WindowsJob,
    reaped: bool,
}

impl EngineProcess {
    pub(crate) fn start(
        program: &Path,
        args: &[String],
        folder: Option<&Path>,
    ) -> std::io::Result<EngineProcess> {
        #[cfg(target_os = "linux")]
        let mut offspring = ProcessDescendants::prepare();
        #[cfg(target_os = "linux")]
        let watcher =
            GroupWatcher::start(descendants::FAREWELL, offspring.mark(), offspring.group())?;
        #[cfg(all(unix, not(target_os = "linux")))]
        let watcher = GroupWatcher::start("", "", None)?;
        #[cfg(target_os = "linux")]
        let mut command = offspring.command(program, folder);
        #[cfg(not(target_os = "linux"))]
        let mut command = Command::new(program);
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, watcher.group());
        let mut child = command.spawn()?;
        #[cfg(windows)]
        let job = WindowsJob::of(&child);
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let listener = child.stderr.take().map(|pipe| {
            let last = Arc::clone(&stderr);
            std::thread::spawn(move || keep_last_words(pipe, &last))
        });
        Ok(EngineProcess {
            input: ProcessInput::of(child.stdin.take()),
            output: ProcessOutput::of(child.stdout.take()),
            child,
            stderr,
            listener,
            #[cfg(unix)]
            watcher,
            #[cfg(target_os = "linux")]
            offspring,
            #[cfg(windows)]
            job,
            reaped: false,
        })
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line. That the process has ended shows when it is listened to.
    pub(crate) fn say(&mut self, line: &str) {
        debug_assert!(!line.contains(['\n', '\r']), "one line: {line}");
        self.input.say(line);
    }

    /// Waits so long until it has taken all that it was told; whether it has.
    pub(crate) fn has_taken_all(&mut self, wait: Duration) -> bool {
        self.input.flush(wait)
    }

    /// Listens for so long.
    pub(crate) fn hear(&mut self, wait: Duration) -> ProcessMessage {
        self.input.flush(Duration::ZERO);
        match self.output.next(wait) {
            OutputEvent::Line(bytes, whole) => {
                let line = String::from_utf8_lossy(&bytes).into_owned();
                if whole {
                    ProcessMessage::Line(line)
                } else {
                    ProcessMessage::LongLine(line)
                }
            }
            OutputEvent::Nothing => ProcessMessage::Nothing,
            OutputEvent::End => ProcessMessage::End,
        }
    }

    /// The end of what it wrote to standard error, in one line.
    ///
    /// What a process says right before its end may still be under way; children of it may hold the pipe open for ever.
    pub(crate) fn last_words(&self) -> String {
        let until = Instant::now() + WORDS_UNDER_WAY;
        while self.output.is_over()
            && self.listener.as_ref().is_some_and(|it| !it.is_finished())
            && Instant::now() < until
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        let bytes = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        let plain: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        plain.trim().to_owned()
    }

    /// How it ended, if it has.
    pub(crate) fn status(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok().flatten()?;
        self.reaped = true;
        Some(describe(status))
    }

    /// Waits for its end for so long.
    fn wait(&mut self, most: Duration) -> bool {
        let until = Instant::now() + most;
        let mut pause = Duration::from_micros(200);
        while !self.reaped {
            match self.child.try_wait() {
                Ok(Some(_)) | Err(_) => self.reaped = true,
                Ok(None) if Instant::now() >= until => return false,
                Ok(None) => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(5));
                }
            }
        }
        true
    }

    /// Asks it to go, waits for so long, and then ends it with everything that it started.
    pub(crate) fn end(&mut self, patience: Duration) {
        // A full pipe would hold up a process that reads nothing any more: closing it comes first where it is one.
        self.input.close();
        self.wait(patience);
        // Its own number is its own until it was waited for.
        #[cfg(target_os = "linux")]
        self.offspring.kill((!self.reaped).then(|| self.child.id()));
        #[cfg(unix)]
        self.watcher.kill_group();
        #[cfg(windows)]
        if !self.job.end() && !self.reaped {
            let _ = Command::new("taskkill")
                .args(["/F", "/T", "/PID", &self.child.id().to_string()])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
        }
        if !self.reaped {
            let _ = self.child.kill();
            self.wait(REAPING);
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

fn describe(status: std::process::ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("with code {code}"),
        None => "without a code".to_owned(),
    }
}

fn keep_last_words(mut stderr: ChildStderr, last: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 1024];
    loop {
        let read = match stderr.read(&mut bytes) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        last.extend_from_slice(bytes.get(..read).unwrap_or(&bytes));
        let over = last.len().saturating_sub(LAST_WORDS);
        last.drain(..over);
    }
}

/// The process that kills the group when the holder is gone.
#[cfg(unix)]
#[derive(Debug)]
struct GroupWatcher {
    child: Child,
    /// Kept open as long as the holder lives.
    _pipe: Option<std::process::ChildStdin>,
    group: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl GroupWatcher {
    /// Starts one, which does something more before it ends the group.
    fn start(farewell: &str, mark: &str, group: Option<&Path>) -> std::io::Result<GroupWatcher> {
        let mut command = Command::new("/bin/sh");
        // Nothing is ever written to it: reading returns when the other end is gone.
        command
            .args(["-c", &format!("read -r _\n{farewell}\nkill -KILL 0")])
            .args(["sh", mark])
            .arg(group.unwrap_or(Path::new("")))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let group = i32::try_from(child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        Ok(GroupWatcher {
            _pipe: child.stdin.take(),
            child,
            group,
        })
    }

    fn group(&self) -> i32 {
        self.group.map_or(0, rustix::process::Pid::as_raw_pid)
    }

    /// Kills everything in the group, the watcher too. Done once: the number may be another's afterwards.
    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            // It was killed just now, and a killed shell ends at once.
            let _ = self.child.wait();
        }
    }
}

#[cfg(unix)]
impl Drop for GroupWatcher {
    fn drop(&mut self) {
        self.kill_group();
    }
}
