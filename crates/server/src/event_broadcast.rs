//! Live events: the progress of jobs, and which databases have changed. One socket per tab, on which only the server sends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use tabiya_answers::Answer;
use tabiya_answers::server::{LiveLineAnswer, ServerJobAnswer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tokio::task::spawn_blocking;

use crate::{ServerState, limits};

/// How often the jobs are looked at.
const LOOK: Duration = Duration::from_millis(200);
/// After how many looks the files of the databases are looked at too.
const FILES: u32 = 5;

/// Tells all tabs what has happened; clones speak to the same tabs.
#[derive(Clone)]
pub(crate) struct EventBroadcast {
    told: broadcast::Sender<Utf8Bytes>,
    places: Arc<Semaphore>,
}

impl Default for EventBroadcast {
    fn default() -> EventBroadcast {
        EventBroadcast {
            told: broadcast::channel(limits::SOCKET_LINES).0,
            places: Arc::new(Semaphore::new(limits::SOCKETS)),
        }
    }
}

/// A tab that listens, and its place among them.
pub(crate) struct EventListener {
    pub(crate) lines: broadcast::Receiver<Utf8Bytes>,
    _place: OwnedSemaphorePermit,
}

impl EventBroadcast {
    /// Tells every tab; nobody has to listen.
    pub(crate) fn send(&self, line: &LiveLineAnswer) {
        let _ = self.told.send(line.json().to_string().into());
    }

    /// One tab more; `None` where there are too many.
    pub(crate) fn subscribe(&self) -> Option<EventListener> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(EventListener {
            lines: self.told.subscribe(),
            _place: place,
        })
    }

    /// Whether a tab is open.
    pub(crate) fn is_heard(&self) -> bool {
        self.told.receiver_count() > 0
    }
}

/// How everything stands: the first line of a socket, and the one after a tab has missed some.
pub(crate) fn state_line(shared: &ServerState) -> Utf8Bytes {
    let jobs = shared.jobs.all();
    let line = LiveLineAnswer::Now {
        jobs: jobs.iter().map(|job| job.answer()).collect(),
        bases: shared.library.versions(),
    };
    line.json().to_string().into()
}

/// Looks at jobs and files as long as the server lives, and tells what is new.
pub(crate) async fn watch(shared: ServerState) {
    let mut known: BTreeMap<String, ServerJobAnswer> = BTreeMap::new();
    let mut looks = 0_u32;
    loop {
        tokio::time::sleep(LOOK).await;
        if !shared.live.is_heard() {
            continue;
        }
        let jobs = shared.jobs.all();
        known.retain(|id, _| jobs.iter().any(|job| job.id() == id));
        for job in jobs {
            let told = job.answer();
            if known.get(job.id()) != Some(&told) {
                shared.live.send(&LiveLineAnswer::Job { job: told.clone() });
                known.insert(job.id().to_owned(), told);
            }
        }
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(FILES) {
            let inner = shared.clone();
            // A slow disk delays the next look, and nothing else.
            let _ = spawn_blocking(move || inner.library.check_files()).await;
        }
    }
}
