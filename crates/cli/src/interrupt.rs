//! Ctrl-C, and the control that every job of this program is given.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tabiya_model::Control;

/// How many milliseconds a job may take to end by itself before the program ends without it.
static PATIENCE: AtomicU64 = AtomicU64::new(75);

/// How many times as long a target on a server may take to be cleaned.
const SERVER_PATIENCE: u32 = 100;

/// The code of a program that was stopped.
const INTERRUPTED: i32 = 130;

static CONTROL: OnceLock<Control> = OnceLock::new();
static ASKED: AtomicBool = AtomicBool::new(false);

/// The control of this program's jobs.
pub(crate) fn control() -> Control {
    CONTROL.get_or_init(Control::default).clone()
}

/// Whether the user has asked to stop.
pub(crate) fn is_requested() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// From here on Ctrl-C stops the job, which leaves nothing half-written, and the program ends with its own code. Once something
/// was put in place, the job ends by itself, and the code reports its result. A second request ends the program at once.
pub(crate) fn install_handler() {
    let control = control();
    let _ = ctrlc::set_handler(move || {
        control.stop();
        if ASKED.swap(true, Ordering::Relaxed) {
            tabiya::clean_up();
            std::process::exit(match tabiya::has_written() {
                // The change is made: the rest is done when the database is opened next.
                true => 0,
                false => INTERRUPTED,
            });
        }
        std::thread::spawn(|| {
            let patience = Duration::from_millis(PATIENCE.load(Ordering::Relaxed));
            std::thread::sleep(patience);
            // Nobody else removes what is half-written on a server.
            for _ in 0..SERVER_PATIENCE {
                if !tabiya::database_server::is_writing() {
                    break;
                }
                std::thread::sleep(patience);
            }
            if tabiya::stop() {
                std::process::exit(INTERRUPTED);
            }
        });
    });
}

/// Lets the job have three seconds to end: for those that have other processes to end, and something to say.
pub(crate) fn extend_grace_period() {
    PATIENCE.store(3_000, Ordering::Relaxed);
}
