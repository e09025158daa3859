//! Lines on their way from the thread that reads them to whoever listens.
//!
//! An engine tells many lines about a search before it tells the move, and each is told at once. To wake the listener for
//! each of them costs more than to read them: lines that begin with `info` wait until something else comes, until there
//! are many, or until the listener looks by itself, which it does all the time.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Lines that may wait; an engine that writes more is held up.
const WAITING: usize = 256;

/// So many lines are worth a call.
const MANY: usize = WAITING / 2;

/// What came.
pub(crate) enum Next {
    /// A line, and whether it is whole.
    Line(Vec<u8>, bool),
    /// Nothing in time.
    Nothing,
    /// There will be no more.
    End,
}

/// A queue with room for so many lines, for one who reads and one who listens.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    queue: Mutex<Queue>,
    /// Something came that the listener is waiting for.
    came: Condvar,
    /// There is room again.
    room: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    lines: VecDeque<(Vec<u8>, bool)>,
    ended: bool,
    left: bool,
}

impl Lines {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line, when there is room for it; false where nobody listens any more.
    pub(crate) fn add(&self, line: Vec<u8>, whole: bool) -> bool {
        let mut queue = self.lock();
        while queue.lines.len() >= WAITING && !queue.left {
            queue = self
                .room
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if queue.left {
            return false;
        }
        let can_wait = whole && line.starts_with(b"info ") && queue.lines.len() < MANY;
        queue.lines.push_back((line, whole));
        drop(queue);
        if !can_wait {
            self.came.notify_one();
        }
        true
    }

    /// Says that there will be no more.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.came.notify_one();
    }

    /// Says that nobody listens any more.
    pub(crate) fn leave(&self) {
        self.lock().left = true;
        self.room.notify_one();
    }

    /// Whether no more lines will come.
    pub(crate) fn are_over(&self) -> bool {
        self.lock().ended
    }

    /// The next line, waited for so long.
    pub(crate) fn next(&self, wait: Duration) -> Next {
        let until = Instant::now() + wait;
        let mut queue = self.lock();
        loop {
            if let Some((line, whole)) = queue.lines.pop_front() {
                if queue.lines.len() + 1 == WAITING {
                    self.room.notify_one();
                }
                return Next::Line(line, whole);
            }
            if queue.ended {
                return Next::End;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Next::Nothing;
            }
            let waited = self.came.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// All that comes until the end, with the times that nothing came left out.
    fn all(lines: &Lines) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            match lines.next(Duration::from_millis(5)) {
                Next::Line(line, _) => all.push(String::from_utf8(line).expect("text")),
                Next::Nothing => {}
                Next::End => return all,
            }
        }
    }

    #[test]
    fn lines_come_in_their_order_and_none_is_lost() {
        for word in ["info depth", "bestmove"] {
            let lines = Arc::new(Lines::default());
            let reader = Arc::clone(&lines);
            let count = WAITING * 20;
            let thread = std::thread::spawn(move || {
                for number in 0..count {
                    assert!(reader.add(format!("{word} {number}").into_bytes(), true));
                }
                reader.end();
            });
            let found = all(&lines);
            thread.join().expect("it ended");
            let wanted = (0..count).map(|number| format!("{word} {number}"));
            assert!(found.into_iter().eq(wanted), "{word}");
        }
    }

    #[test]
    fn who_writes_without_end_is_held_up_and_let_go() {
        let lines = Arc::new(Lines::default());
        let reader = Arc::clone(&lines);
        let thread = std::thread::spawn(move || {
            let mut written = 0;
            while reader.add(b"info".to_vec(), true) {
                written += 1;
            }
            written
        });
        for _ in 0..10 {
            while matches!(lines.next(Duration::from_millis(1)), Next::Nothing) {}
        }
        lines.leave();
        let written = thread.join().expect("it ended");
        assert!((10..=WAITING + 10).contains(&written), "{written}");
        assert!(lines.lock().lines.len() <= WAITING);
    }
}
