//! Long calls: they run on threads of their own while Python goes on, and end when Ctrl-C is pressed.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::prelude::*;
use tabiya::model::{Control, Result};

use crate::failure;

/// How often somebody looks whether Ctrl-C was pressed, and tells how far the job has come.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// What becomes of a job when Ctrl-C is pressed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum JobKind {
    /// Nobody waits for it: it changes nothing, and ends by itself.
    Read,
    /// It is stopped, and waited for: it leaves everything unchanged, or has made its change.
    Write,
}

/// The reins of a job on so many threads; all of them where nothing is said.
pub(crate) fn control(threads: Option<usize>) -> Control {
    let control = Control::default();
    match threads {
        Some(threads) => control.with_threads(threads),
        None => control,
    }
}

/// Runs a job without the interpreter, and asks meanwhile for signals. `progress` is called with games, units of work that are done, and all of
/// them, where that is known; what it raises ends the job.
pub(crate) fn run<T, J>(
    py: Python<'_>,
    kind: JobKind,
    control: &Control,
    progress: Option<Py<PyAny>>,
    job: J,
) -> PyResult<T>
where
    T: Send + 'static,
    J: FnOnce(&Control) -> Result<T> + Send + 'static,
{
    let (to, mut from) = mpsc::channel();
    let reins = control.clone();
    std::thread::spawn(move || {
        // Nobody may be there any more.
        let _ = to.send(job(&reins));
    });
    let mut failed: Option<PyErr> = None;
    let answer = loop {
        let (back, waited) = py.detach(|| {
            let waited = from.recv_timeout(LOOK);
            (from, waited)
        });
        match waited {
            Ok(answer) => break Some(answer),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if failed.is_none()
            && let Err(raised) = look(py, control, progress.as_ref())
        {
            control.stop();
            if kind == JobKind::Read {
                return Err(raised);
            }
            failed = Some(raised);
        }
        from = back;
    };
    match (failed, answer) {
        (Some(raised), _) => Err(raised),
        (None, Some(Ok(answer))) => {
            if let Some(progress) = &progress {
                tell(py, control, progress)?;
            }
            Ok(answer)
        }
        (None, Some(Err(error))) => Err(failure::raised(py, &error)),
        (None, None) => Err(failure::panicked(py)),
    }
}

fn look(py: Python<'_>, control: &Control, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    match progress {
        Some(progress) => tell(py, control, progress),
        None => Ok(()),
    }
}

fn tell(py: Python<'_>, control: &Control, progress: &Py<PyAny>) -> PyResult<()> {
    let now = control.progress();
    progress.call1(py, (now.games, now.done, now.total))?;
    Ok(())
}
