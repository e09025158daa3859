//! Slots for connections: those that have shown the cookie keep theirs; of the others the oldest is closed when a new one arrives.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// All places.
pub(crate) struct ConnectionSlots {
    free: Arc<Semaphore>,
    /// The connections of which nothing is known, the oldest first.
    strangers: Arc<Mutex<VecDeque<Weak<ConnectionSlot>>>>,
}

/// The place of a connection.
pub(crate) struct ConnectionSlot {
    place: Mutex<Option<OwnedSemaphorePermit>>,
    /// Whether it has shown the cookie.
    known: AtomicBool,
    /// Whether it has lost its place.
    lost: AtomicBool,
    told: Notify,
    /// Requests that are being answered.
    asked: AtomicUsize,
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ConnectionSlots {
    pub(crate) fn new(all: usize) -> ConnectionSlots {
        ConnectionSlots {
            free: Arc::new(Semaphore::new(all)),
            strangers: Arc::default(),
        }
    }

    /// A place for one connection more: a free one, or that of the oldest stranger.
    pub(crate) fn take(&self) -> Option<Arc<ConnectionSlot>> {
        let free = || Arc::clone(&self.free).try_acquire_owned().ok();
        let place = free().or_else(|| self.oldest())?;
        let seat = Arc::new(ConnectionSlot {
            place: Mutex::new(Some(place)),
            known: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            told: Notify::new(),
            asked: AtomicUsize::new(0),
        });
        let mut strangers = hold(&self.strangers);
        strangers.retain(|stranger| {
            let stranger = stranger.upgrade();
            stranger.is_some_and(|seat| !seat.known.load(Ordering::Acquire))
        });
        strangers.push_back(Arc::downgrade(&seat));
        Some(seat)
    }

    /// Takes the place of the stranger who has had it for the longest time.
    fn oldest(&self) -> Option<OwnedSemaphorePermit> {
        let mut strangers = hold(&self.strangers);
        while let Some(stranger) = strangers.pop_front() {
            let Some(seat) = stranger.upgrade() else {
                continue;
            };
            let mut place = hold(&seat.place);
            if !seat.known.load(Ordering::Acquire)
                && let Some(place) = place.take()
            {
                seat.lost.store(true, Ordering::Release);
                seat.told.notify_one();
                return Some(place);
            }
        }
        None
    }
}

impl ConnectionSlot {
    /// It belongs to somebody who may be here.
    pub(crate) fn mark_known(&self) {
        let _place = hold(&self.place);
        self.known.store(true, Ordering::Release);
    }

    /// Waits until the place is lost.
    pub(crate) async fn until_lost(&self) {
        self.told.notified().await;
    }

    /// Whether the place was lost to another connection.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Whether a request is being answered.
    pub(crate) fn is_busy(&self) -> bool {
        self.asked.load(Ordering::Acquire) > 0
    }

    /// Notes that a request is being answered until what is returned is dropped.
    pub(crate) fn begin_request(self: &Arc<ConnectionSlot>) -> ActiveRequest {
        self.asked.fetch_add(1, Ordering::AcqRel);
        ActiveRequest(Arc::clone(self))
    }
}

/// A request that is being answered.
pub(crate) struct ActiveRequest(Arc<ConnectionSlot>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.asked.fetch_sub(1, Ordering::AcqRel);
    }
}

impl ActiveRequest {
    /// The request is being answered until the body was sent.
    pub(crate) fn until_sent(self, response: Response) -> Response {
        response.map(|body| Body::new(ResponseBody { body, _asked: self }))
    }
}

/// The body of an answer.
struct ResponseBody {
    body: Body,
    _asked: ActiveRequest,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_give_their_places_away_and_others_keep_theirs() {
        let seats = ConnectionSlots::new(3);
        let mut open: Vec<Arc<ConnectionSlot>> = (0..3).filter_map(|_| seats.take()).collect();
        open[0].mark_known();
        let more = seats.take().expect("a place");
        assert!(open[1].is_lost() && !open[0].is_lost() && !open[2].is_lost());
        more.mark_known();
        open[2].mark_known();
        assert!(seats.take().is_none());
        // What ends gives its place back.
        open.remove(0);
        assert!(seats.take().is_some());
    }
}
