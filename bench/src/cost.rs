//! What a command costs as a whole process: time, work and memory.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use wait4::Wait4;

/// The costs of one run.
#[derive(Copy, Clone, Default)]
pub(crate) struct CommandCost {
    /// From the start to the end.
    pub(crate) wall: Duration,
    /// Of all processors.
    pub(crate) cpu: Duration,
    /// The most bytes that it held.
    pub(crate) peak: u64,
}

impl CommandCost {
    pub(crate) fn milliseconds(self) -> f64 {
        self.wall.as_secs_f64() * 1e3
    }

    pub(crate) fn mebibytes(self) -> f64 {
        self.peak as f64 / f64::from(1 << 20)
    }
}

/// Runs a command once.
pub(crate) fn once(command: &mut Command) -> Result<CommandCost> {
    let begin = Instant::now();
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let usage = child.wait4()?;
    let wall = begin.elapsed();
    // 1 says that nothing was found, 3 that something was lost, or was damaged.
    if !matches!(usage.status.code(), Some(0 | 1 | 3)) {
        bail!("{command:?} ended with {}", usage.status);
    }
    Ok(CommandCost {
        wall,
        cpu: usage.rusage.utime + usage.rusage.stime,
        peak: usage.rusage.maxrss,
    })
}

/// The middle of several runs; each figure for itself.
pub(crate) fn median(costs: &[CommandCost]) -> CommandCost {
    let middle = costs.len() / 2;
    let mut median = CommandCost::default();
    let durations = |of: fn(&CommandCost) -> Duration| {
        let mut all: Vec<Duration> = costs.iter().map(of).collect();
        all.sort();
        all.get(middle).copied().unwrap_or_default()
    };
    median.wall = durations(|cost| cost.wall);
    median.cpu = durations(|cost| cost.cpu);
    let mut peaks: Vec<u64> = costs.iter().map(|cost| cost.peak).collect();
    peaks.sort_unstable();
    median.peak = peaks.get(middle).copied().unwrap_or_default();
    median
}
