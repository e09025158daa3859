//! Connections: so many at once, none for ever, heads of requests within a time.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tabiya_model::Control;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::limits;

/// How often the wish to stop is looked at.
const LOOK: Duration = Duration::from_millis(25);

/// Takes connections until the control is stopped.
pub(crate) async fn until_stopped(listener: TcpListener, router: Router, control: &Control) {
    let places = Arc::new(Semaphore::new(limits::CONNECTIONS));
    while !control.is_stopped() {
        let Ok(accepted) = tokio::time::timeout(LOOK, listener.accept()).await else {
            continue;
        };
        let Ok((stream, _)) = accepted else {
            // Out of descriptors: those that are open will end.
            tokio::time::sleep(LOOK).await;
            continue;
        };
        // Who comes when all places are taken is sent away, and nobody waits in memory.
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            drop(stream);
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits::HEAD)
                .max_buf_size(64 << 10)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            // A client that goes away is its own affair.
            let _ = tokio::time::timeout(limits::CONNECTION, connection).await;
            drop(place);
        });
    }
}
