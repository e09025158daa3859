//! Work that ends when its client no longer waits for it: from then on, reading and unpacking on its thread fails.
//!
//! Opening a file takes no control, and goes through many functions; nested archives can keep it busy for long. So the
//! information belongs to the thread.

use std::cell::RefCell;
use std::io;

/// Answers whether somebody is still waiting.
type WaitCheck = Box<dyn Fn() -> bool>;

thread_local! {
    static ASKED: RefCell<Vec<WaitCheck>> = const { RefCell::new(Vec::new()) };
}

/// Restores the previous check, even if the work panics.
struct WaitGuard;

impl Drop for WaitGuard {
    fn drop(&mut self) {
        ASKED.with_borrow_mut(|all| drop(all.pop()));
    }
}

/// Does some work on this thread. As soon as its client no longer waits, everything that it reads or unpacks through this crate
/// fails.
pub fn run_while_wanted<T>(is_awaited: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> T {
    ASKED.with_borrow_mut(|all| all.push(Box::new(is_awaited)));
    let asking = WaitGuard;
    let done = work();
    drop(asking);
    done
}

/// Whether a client still waits for the work of this thread; true if no client was given.
#[must_use]
pub fn is_awaited() -> bool {
    ASKED.with_borrow(|all| all.iter().all(|asked| asked()))
}

/// Fails if nobody waits for the work of this thread any more.
pub(crate) fn check() -> io::Result<()> {
    match is_awaited() {
        true => Ok(()),
        // Not `Interrupted`, which would be retried.
        false => Err(io::Error::new(
            io::ErrorKind::ConnectionAborted,
            "the client no longer waits for this",
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn work_ends_with_the_last_who_waits_and_the_next_goes_on() {
        let waits = Rc::new(Cell::new(true));
        let asked = Rc::clone(&waits);
        run_while_wanted(
            move || asked.get(),
            || {
                assert!(check().is_ok());
                run_while_wanted(|| false, || assert!(check().is_err()));
                assert!(check().is_ok());
                waits.set(false);
                assert!(check().is_err());
            },
        );
        assert!(check().is_ok());
        let panicked =
            std::panic::catch_unwind(|| run_while_wanted(|| false, || panic!("on purpose")));
        assert!(panicked.is_err() && check().is_ok());
    }
}
