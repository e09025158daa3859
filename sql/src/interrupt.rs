//! Stopping: Ctrl-C, a signal and the time limit end the program at once, whatever its threads are doing, and leave nothing behind.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// What is removed when the program is stopped.
static REMAINS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Whether a stop ends one query of a shell and not the program.
static IS_SHELL: AtomicBool = AtomicBool::new(false);
/// Tells a shell that its query is to end.
static ASKED: Notify = Notify::const_new();

/// What is done before the program ends.
static AT_END: Mutex<Option<fn()>> = Mutex::new(None);

/// The exit code of a program that was stopped.
const STOPPED: i32 = 130;
/// The exit code of one that failed.
const FAILED: i32 = 2;

/// Makes a file or folder that goes when the program is stopped: no stop comes between making it and noting it.
pub(crate) fn make<T>(
    make: impl FnOnce() -> std::io::Result<T>,
    path: impl Fn(&T) -> &Path,
) -> std::io::Result<T> {
    let mut remains = REMAINS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = make()?;
    remains.push(path(&made).to_owned());
    Ok(made)
}

/// From now on Ctrl-C ends the query of a shell.
pub(crate) fn serve_a_shell() {
    IS_SHELL.store(true, Ordering::Relaxed);
}

/// Comes back when the query of a shell is to end.
pub(crate) async fn asked() {
    ASKED.notified().await;
}

/// From now on this is done before a stop ends the program.
#[cfg(feature = "cluster")]
pub(crate) fn do_at_end(last: fn()) {
    *AT_END.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
}

fn end(code: i32) -> ! {
    let last = *AT_END.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(last) = last {
        last();
    }
    let remains = REMAINS.lock().unwrap_or_else(PoisonError::into_inner);
    for path in remains.iter() {
        // What is not there any more need not be removed.
        let _ = std::fs::remove_file(path);
        let _ = std::fs::remove_dir_all(path);
    }
    tabiya::clean_up();
    std::process::exit(code)
}

/// Ends the program with a sentence about what went wrong, whatever its threads are at.
pub(crate) fn fail(command: &str, words: &str) -> ! {
    crate::messages::complain(command, words);
    end(FAILED)
}

/// Watches for Ctrl-C, and for the end of the time, on a thread that does nothing else: the others may all be busy.
pub(crate) fn watch(command: &'static str, time: Option<Duration>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // The handlers stand before the first query does.
    let (mut signal, mut last) = {
        use tokio::signal::unix::{SignalKind, signal};
        let _inside = runtime.enter();
        (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        )
    };
    std::thread::Builder::new()
        .name("stop".into())
        .spawn(move || {
            runtime.block_on(async move {
                let late = async {
                    match time {
                        Some(time) => tokio::time::sleep(time).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::pin!(late);
                loop {
                    tokio::select! {
                        _ = signal.recv() => {
                            if IS_SHELL.load(Ordering::Relaxed) {
                                ASKED.notify_one();
                            } else {
                                end(STOPPED);
                            }
                        }
                        _ = last.recv() => end(STOPPED),
                        () = &mut late => {
                            fail(command, "the time limit was reached (--timeout)");
                        }
                    }
                }
            });
        })?;
    Ok(())
}
