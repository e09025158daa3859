//! Databases that are being opened by path: two tabs that ask for the same one wait for the same opening, and it ends when
//! nobody waits for it any more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tabiya_answers::server::BaseAnswer;
use tabiya_model::Control;
use tokio::sync::watch;

use crate::answer::Refusal;
use crate::work_slots;

/// What is opened: the path, and the password where one was given.
pub(crate) type OpeningKey = (String, Option<String>);

/// What comes of it.
type OpeningResult = Result<Vec<BaseAnswer>, Refusal>;

/// One that is under way.
struct DatabaseOpening {
    key: OpeningKey,
    control: Control,
    done: watch::Receiver<Option<OpeningResult>>,
    /// Those who wait for it.
    waiting: usize,
}

/// All that are under way.
#[derive(Clone, Default)]
pub(crate) struct DatabaseOpenings(Arc<Mutex<Vec<DatabaseOpening>>>);

/// One who waits. An opening for which nobody waits any more ends, and the next one who asks begins another one.
struct OpeningWaiter {
    all: DatabaseOpenings,
    done: watch::Receiver<Option<OpeningResult>>,
}

impl Drop for OpeningWaiter {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        let is_same = |one: &DatabaseOpening| self.done.same_channel(&one.done);
        let Some(at) = all.iter().position(is_same) else {
            return;
        };
        if let Some(one) = all.get_mut(at) {
            one.waiting -= 1;
            if one.waiting == 0 {
                one.control.stop();
                all.swap_remove(at);
            }
        }
    }
}

impl DatabaseOpenings {
    fn lock(&self) -> MutexGuard<'_, Vec<DatabaseOpening>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for an opening: one that is under way, or a new one, which goes on as long as anybody waits for it.
    pub(crate) async fn wait<W>(
        &self,
        key: OpeningKey,
        open: impl FnOnce(Control) -> W,
    ) -> OpeningResult
    where
        W: Future<Output = OpeningResult> + Send + 'static,
    {
        let mut waiter = self.join(key, open);
        let done = waiter.done.wait_for(Option::is_some).await;
        let done = done.ok().and_then(|done| done.clone());
        done.unwrap_or_else(|| Err(Refusal::busy()))
    }

    fn join<W>(&self, key: OpeningKey, open: impl FnOnce(Control) -> W) -> OpeningWaiter
    where
        W: Future<Output = OpeningResult> + Send + 'static,
    {
        let mut all = self.lock();
        if let Some(one) = all.iter_mut().find(|one| one.key == key) {
            one.waiting += 1;
            let (all, done) = (self.clone(), one.done.clone());
            return OpeningWaiter { all, done };
        }
        let (done, waiting) = watch::channel(None);
        let control = Control::default();
        let opening = open(control.clone());
        all.push(DatabaseOpening {
            key,
            control,
            done: waiting.clone(),
            waiting: 1,
        });
        // The one who has asked first may go, and somebody else still wait.
        let who = work_slots::who();
        tokio::spawn(async move {
            let found = work_slots::as_client(&who, "", opening).await;
            done.send_replace(Some(found));
        });
        OpeningWaiter {
            all: self.clone(),
            done: waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn key(path: &str) -> OpeningKey {
        (path.to_owned(), None)
    }

    /// An opening that lasts until nobody waits for it, or until it is told to end.
    async fn lasting(control: Control, ends: watch::Receiver<bool>) -> OpeningResult {
        while !*ends.borrow() {
            if control.is_stopped() {
                return Err(Refusal::busy());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(Vec::new())
    }

    #[test]
    fn an_opening_lasts_as_long_as_anybody_waits_for_it() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let openings = DatabaseOpenings::default();
            let (end, ends) = watch::channel(false);
            let begin = |path: &str| {
                let ends = ends.clone();
                openings.join(key(path), |control| lasting(control, ends))
            };
            let (first, other) = (begin("a"), begin("b"));
            let mut second = begin("a");
            assert_eq!(openings.lock().len(), 2);
            let controls: Vec<Control> = openings
                .lock()
                .iter()
                .map(|one| one.control.clone())
                .collect();
            let stopped = || [controls[0].is_stopped(), controls[1].is_stopped()];
            drop(first);
            assert_eq!(stopped(), [false, false]);
            drop(other);
            assert_eq!(stopped(), [false, true]);
            // Who asks after that gets an opening of his own.
            let third = begin("b");
            assert_eq!((openings.lock().len(), stopped()), (2, [false, true]));
            drop(third);
            end.send_replace(true);
            let done = second.done.wait_for(Option::is_some).await;
            let done = done.expect("done").clone();
            assert!(done.is_some_and(|opened| opened.is_ok()));
            drop(second);
            assert!(openings.lock().is_empty());
        });
    }
}
