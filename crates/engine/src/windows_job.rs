//! All processes that an engine starts, on Windows: a job object, which ends with its last holder in any case.

use std::os::windows::io::AsRawHandle;
use std::process::Child;

use win32job::{ExtendedLimitInfo, Job as Object};

/// The job of a process; where the system refuses one, processes are ended by their parents.
#[derive(Debug)]
pub(crate) struct WindowsJob {
    object: Option<Object>,
}

impl WindowsJob {
    /// Takes a process in. What it starts from then on is in it, too.
    pub(crate) fn of(child: &Child) -> WindowsJob {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let object = Object::create_with_limit_info(&limits)
            .ok()
            .filter(|object| {
                object
                    .assign_process(child.as_raw_handle() as isize)
                    .is_ok()
            });
        WindowsJob { object }
    }

    /// Ends all that is in it; whether there was a job.
    pub(crate) fn end(&mut self) -> bool {
        // The only handle is closed with it.
        self.object.take().is_some()
    }
}
