//! Slots for work, and whose turn it is: the client with the fewest slots comes first, and nobody gets all of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

tokio::task_local! {
    /// Whose request is answered: a tab says its name, all programs are one.
    static WHO: Arc<str>;
    /// The name that the tab has given to this work; empty without one.
    static WORK: Arc<str>;
}

/// Answers a request as one of somebody, who may have given it a name.
pub(crate) async fn as_client<F: Future>(who: &str, work: &str, answer: F) -> F::Output {
    WHO.scope(who.into(), WORK.scope(work.into(), answer)).await
}

/// The name of the work that is done now.
pub(crate) fn work_name() -> Option<Arc<str>> {
    let name = WORK.try_with(Arc::clone).ok();
    name.filter(|name| !name.is_empty())
}

/// Who asks now.
pub(crate) fn who() -> Arc<str> {
    WHO.try_with(Arc::clone).unwrap_or_else(|_| "".into())
}

/// Places of one kind of work.
#[derive(Clone)]
pub(crate) struct WorkSlots(Arc<WorkSlotsInner>);

struct WorkSlotsInner {
    /// How many there are, and how many of them one client gets at most.
    all: usize,
    each: usize,
    state: Mutex<WorkSlotsState>,
}

#[derive(Default)]
struct WorkSlotsState {
    held: BTreeMap<Arc<str>, usize>,
    /// Those who wait, in the order in which they came.
    waiting: Vec<(Arc<str>, oneshot::Sender<WorkSlot>)>,
}

/// A place, which is free again when this is dropped.
pub(crate) struct WorkSlot {
    of: WorkSlots,
    who: Arc<str>,
}

impl WorkSlots {
    /// So many places, of which one client gets at most so many.
    pub(crate) fn new(all: usize, each: usize) -> WorkSlots {
        WorkSlots(Arc::new(WorkSlotsInner {
            all,
            each,
            state: Mutex::default(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, WorkSlotsState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place.
    pub(crate) async fn acquire(&self) -> Option<WorkSlot> {
        let (give, given) = oneshot::channel();
        self.lock().waiting.push((who(), give));
        self.give();
        given.await.ok()
    }

    /// Places that nobody holds.
    #[cfg(test)]
    pub(crate) fn free(&self) -> usize {
        self.0.all - self.lock().held.values().sum::<usize>()
    }

    /// Gives what is free to those whose turn it is.
    fn give(&self) {
        loop {
            let (place, give) = {
                let mut state = self.lock();
                // Who does not wait any more wants none.
                state.waiting.retain(|(_, give)| !give.is_closed());
                if state.held.values().sum::<usize>() >= self.0.all {
                    return;
                }
                let holds = |who: &Arc<str>| state.held.get(who).copied().unwrap_or(0);
                let waiting = state.waiting.iter().enumerate();
                let next = waiting
                    .map(|(at, (who, _))| (holds(who), at))
                    .filter(|(holds, _)| *holds < self.0.each)
                    .min();
                let Some((_, at)) = next else { return };
                let (who, give) = state.waiting.remove(at);
                *state.held.entry(Arc::clone(&who)).or_default() += 1;
                let of = self.clone();
                (WorkSlot { of, who }, give)
            };
            // Where it is not taken any more it comes back, which must not happen under the lock.
            drop(give.send(place));
        }
    }
}

impl Drop for WorkSlot {
    fn drop(&mut self) {
        {
            let mut state = self.of.lock();
            if let Some(held) = state.held.get_mut(&self.who) {
                *held -= 1;
                if *held == 0 {
                    state.held.remove(&self.who);
                }
            }
        }
        self.of.give();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    fn now(turns: &WorkSlots, who: &str) -> Option<WorkSlot> {
        match poll(pin!(as_client(who, "", turns.acquire()))) {
            Poll::Ready(place) => place,
            Poll::Pending => None,
        }
    }

    #[test]
    fn one_client_leaves_places_to_others() {
        let turns = WorkSlots::new(4, 3);
        let mut mine: Vec<WorkSlot> = (0..3).filter_map(|_| now(&turns, "a")).collect();
        assert_eq!(mine.len(), 3);
        assert!(now(&turns, "a").is_none(), "the last place is for others");
        assert!(now(&turns, "b").is_some());
        mine.pop();
        assert_eq!(turns.free(), 2);
        assert!(now(&turns, "a").is_some());
    }

    #[test]
    fn who_holds_the_fewest_comes_first() {
        let turns = WorkSlots::new(2, 2);
        let first = [now(&turns, "a"), now(&turns, "a")];
        let mut again = pin!(as_client("a", "", turns.acquire()));
        let mut other = pin!(as_client("b", "", turns.acquire()));
        assert!(poll(again.as_mut()).is_pending() && poll(other.as_mut()).is_pending());
        let [one, two] = first;
        drop(one);
        assert!(poll(again.as_mut()).is_pending());
        assert!(poll(other.as_mut()).is_ready());
        drop(two);
        assert!(poll(again.as_mut()).is_ready());
    }

    #[test]
    fn who_goes_holds_nothing_up() {
        let turns = WorkSlots::new(1, 1);
        let place = now(&turns, "a");
        {
            let mut gone = pin!(as_client("b", "", turns.acquire()));
            assert!(poll(gone.as_mut()).is_pending());
        }
        drop(place);
        assert_eq!(turns.free(), 1);
        assert!(now(&turns, "c").is_some());
    }
}
