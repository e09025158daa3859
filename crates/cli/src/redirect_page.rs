//! The page that leads the user's browser to the app.
//!
//! Arguments of a browser can be read by every user of the machine before the browser has used them. So the browser gets a
//! file that only its user can read, which redirects to the address with the token.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

use super::output::say;

/// How long to wait for the browser before a message is printed.
const PATIENCE: Duration = Duration::from_secs(8);

/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// A page on disk that leads to an address, as long as this lives.
pub(crate) struct RedirectPage(Arc<Mutex<Option<NamedTempFile>>>);

impl RedirectPage {
    /// A page that only this user can read.
    pub(crate) fn create(url: &str) -> io::Result<RedirectPage> {
        let own = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| Path::new(folder).is_dir());
        let folder = own.map_or_else(tabiya_io::scratch_file::place, Into::into);
        // The file has the mode 0600 from its first moment on; on Windows its folder is closed to others.
        let mut file = Builder::new()
            .prefix("tabiya-")
            .suffix(".html")
            .tempfile_in(folder)?;
        write!(
            file,
            "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta http-equiv=\"refresh\" content=\"0; url={url}\">\n<title>Tabiya</title>\n<p><a href=\"{url}\">Tabiya</a></p>\n"
        )?;
        file.flush()?;
        Ok(RedirectPage(Arc::new(Mutex::new(Some(file)))))
    }

    /// Shows the page in the user's browser, and removes it when the browser has read it; false if no browser can be started.
    pub(crate) fn open(&self, came: &Arc<AtomicBool>) -> bool {
        let Some(mut child) = self.start_browser() else {
            return false;
        };
        let (doorway, came) = (RedirectPage(Arc::clone(&self.0)), Arc::clone(came));
        std::thread::spawn(move || {
            let started = Instant::now();
            while !came.load(Ordering::Relaxed) && started.elapsed() < PATIENCE {
                std::thread::sleep(LOOK);
            }
            if came.load(Ordering::Relaxed) {
                doorway.close();
            } else {
                say(
                    "The browser has not opened the page. It may not be allowed to read files: open the address above in it.",
                );
            }
            // Somebody has to hear of its end.
            let _ = child.wait();
        });
        true
    }

    /// The user's browser with the page.
    fn start_browser(&self) -> Option<Child> {
        let program = if cfg!(target_os = "macos") {
            "open"
        } else if cfg!(windows) {
            "explorer"
        } else {
            "xdg-open"
        };
        let page = self.page().as_ref().map(|file| file.path().to_owned())?;
        Command::new(program)
            .arg(page)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()
    }

    /// Shows the page in the user's browser, waits until it has had the time to read it, and removes it; false if no browser can
    /// be started.
    pub(crate) fn open_for_a_while(&self) -> bool {
        let Some(mut child) = self.start_browser() else {
            return false;
        };
        std::thread::sleep(PATIENCE);
        self.close();
        let _ = child.try_wait();
        true
    }

    /// Takes the page away.
    pub(crate) fn close(&self) {
        drop(self.page().take());
    }

    fn page(&self) -> std::sync::MutexGuard<'_, Option<NamedTempFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
