//! The processes that an engine starts, even if they leave its process group (`setsid`).
//!
//! If this process may create a cgroup of version 2 below its own, the child is put into one: nothing leaves that, and it
//! is killed as a whole. Everywhere on Linux the child has a mark in its environment, which its own children inherit:
//! processes with the mark, and their descendants, are found in `/proc` and killed. So only a process that clears its
//! environment, leaves the group and loses its parent survives, and only without a cgroup.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// The variable that is the mark.
const MARK: &str = "TABIYA_STARTED_BY";

/// The most of an environment that is looked at.
const ENVIRONMENT: u64 = 4 << 20;

/// How often what is left is looked for, and how long between: what is killed takes a moment to go.
const ROUNDS: usize = 200;
const PAUSE: Duration = Duration::from_millis(2);

/// What the watcher does when the holder was killed: `$1` is the mark and `$2` the cgroup, or nothing.
pub(crate) const FAREWELL: &str = r#"
[ -z "$2" ] || echo 1 > "$2/cgroup.kill"
round=0
while [ "$round" -lt 20 ]; do
    round=$((round + 1))
    found=
    for file in $(grep -laF -- "$1" /proc/[0-9]*/environ); do
        file=${file#/proc/}
        kill -KILL "${file%/environ}" && found=1
    done
    [ -n "$found" ] || break
done
[ -z "$2" ] || rmdir "$2" || { sleep 1; rmdir "$2"; }
"#;

/// Enters the cgroup `$1`, and becomes the program `$2`.
const ENTER: &str = r#"{ echo 0 > "$1/cgroup.procs"; } 2>/dev/null; shift; exec "$@""#;

/// All that a process starts.
#[derive(Debug)]
pub(crate) struct ProcessDescendants {
    mark: String,
    group: Option<PathBuf>,
    is_gone: bool,
}

impl ProcessDescendants {
    /// Of a process that is to be started.
    pub(crate) fn prepare() -> ProcessDescendants {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let me = std::process::id();
        let since = std::time::UNIX_EPOCH
            .elapsed()
            .map_or(0, |now| now.as_nanos());
        let name = format!("tabiya-{me}-{count}");
        let group = own_cgroup()
            .map(|own| own.join(&name))
            .filter(|group| fs::create_dir(group).is_ok());
        ProcessDescendants {
            mark: format!("{MARK}={name}-{since}"),
            group,
            is_gone: false,
        }
    }

    /// The mark, as it stands in the environment.
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// The cgroup, where there is one.
    pub(crate) fn group(&self) -> Option<&Path> {
        self.group.as_deref()
    }

    /// The command of a program whose offspring this is to be. It enters the cgroup before it is anything: what it starts at
    /// once is in there, too.
    pub(crate) fn command(&mut self, program: &Path, folder: Option<&Path>) -> Command {
        let mut command = match &self.group {
            // What cannot be started is to say so by itself.
            Some(group) if is_program(program, folder) => {
                let mut command = Command::new("/bin/sh");
                command
                    .args(["-c", ENTER, "sh"])
                    .args([group.as_path(), program]);
                command
            }
            _ => {
                self.leave_group();
                Command::new(program)
            }
        };
        if let Some((name, value)) = self.mark.split_once('=') {
            command.env(name, value);
        }
        command
    }

    fn leave_group(&mut self) {
        if let Some(group) = self.group.take() {
            for _ in 0..ROUNDS {
                match fs::remove_dir(&group) {
                    // Those who were killed are still on their way out.
                    Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
                        std::thread::sleep(PAUSE);
                    }
                    _ => return,
                }
            }
        }
    }

    /// Kills all that the process has started; `root` is its number as long as it is nobody else's.
    pub(crate) fn kill(&mut self, root: Option<u32>) {
        if std::mem::replace(&mut self.is_gone, true) {
            return;
        }
        if let Some(group) = &self.group {
            let _ = fs::write(group.join("cgroup.kill"), "1");
        }
        for _ in 0..ROUNDS {
            if !self.kill_round(root) {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        self.leave_group();
    }

    /// Kills whom it finds; whether there was somebody.
    fn kill_round(&self, root: Option<u32>) -> bool {
        let mut all: Vec<(u32, u32, bool)> = Vec::new();
        for id in processes() {
            if let Some(parent) = parent(id) {
                all.push((id, parent, self.bears_mark(id)));
            }
        }
        let mut doomed: Vec<u32> = all
            .iter()
            .filter(|(id, _, marked)| *marked || Some(*id) == root)
            .map(|(id, ..)| *id)
            .collect();
        let mut at = 0;
        while let Some(parent) = doomed.get(at).copied() {
            for (id, of, _) in &all {
                if *of == parent && !doomed.contains(id) {
                    doomed.push(*id);
                }
            }
            at += 1;
        }
        let me = std::process::id();
        let mut found = false;
        for id in doomed {
            if id == me || Some(id) == root {
                continue;
            }
            let known = all.iter().find(|(one, ..)| *one == id);
            let was = known.map(|(_, parent, marked)| (*parent, *marked));
            found |= kill_if(id, || {
                was.is_some_and(|(of, marked)| {
                    (marked && self.bears_mark(id)) || (!marked && parent(id) == Some(of))
                })
            });
        }
        found
    }

    /// Whether a process bears the mark. A dead one has no environment.
    fn bears_mark(&self, id: u32) -> bool {
        let mut environment = Vec::new();
        let Ok(file) = fs::File::open(format!("/proc/{id}/environ")) else {
            return false;
        };
        if file
            .take(ENVIRONMENT)
            .read_to_end(&mut environment)
            .is_err()
        {
            return false;
        }
        environment
            .split(|byte| *byte == 0)
            .any(|one| one == self.mark.as_bytes())
    }
}

impl Drop for ProcessDescendants {
    fn drop(&mut self) {
        self.leave_group();
    }
}

/// Whether there is a program of this name, as the system looks for it.
fn is_program(program: &Path, folder: Option<&Path>) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let is_there = |path: &Path| {
        let known = fs::metadata(path);
        known.is_ok_and(|known| known.is_file() && known.permissions().mode() & 0o111 != 0)
    };
    // The shell would take it for something else.
    if program.as_os_str().as_encoded_bytes().starts_with(b"-") {
        return false;
    }
    if program.components().count() > 1 {
        return is_there(&folder.map_or(program.to_owned(), |folder| folder.join(program)));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_there(&folder.join(program)))
}

/// Kills a process if it still is what it was when it is held, so that its number is not another's.
fn kill_if(id: u32, is_still: impl Fn() -> bool) -> bool {
    let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else {
        return false;
    };
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(held) => is_still() && pidfd_send_signal(held, Signal::KILL).is_ok(),
        // A system that is too old to hold one.
        Err(rustix::io::Errno::NOSYS) => is_still() && kill_process(pid, Signal::KILL).is_ok(),
        Err(_) => false,
    }
}

/// The numbers of all processes that can be seen.
fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The parent of a process that lives.
fn parent(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the program stands between brackets, and may hold some.
    let mut rest = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    match rest.next()? {
        "Z" | "X" | "x" => None,
        _ => rest.next()?.parse().ok(),
    }
}

/// The cgroup of version 2 that this process is in.
fn own_cgroup() -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        if kind.split(' ').next() != Some("cgroup2") {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let inner = Path::new(own).strip_prefix(root).ok()?;
        Some(Path::new(point).join(inner))
    })
}
