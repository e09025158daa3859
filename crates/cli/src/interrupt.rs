//! Ctrl-C.

use std::sync::Once;

/// From here on Ctrl-C leaves nothing half-written behind and ends the program with its own code. A second request ends
/// at once.
///
/// It takes a thread, which is a good part of what an answer from an index costs: commands that may be done in no time
/// and write no file call this when they turn to longer work.
pub(crate) fn catch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = ctrlc::set_handler(|| {
            tabiya_io::output::remove_temporaries();
            std::process::exit(130);
        });
    });
}
