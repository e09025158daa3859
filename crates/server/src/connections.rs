//! Connections: a limited number, for a limited time, with time limits for the heads of requests and for sending answers.

use std::io::{self, IoSlice, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tabiya_model::Control;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tower_service::Service;

use crate::connection_slots::{ConnectionSlot, ConnectionSlots};
use crate::host_names::ConnectionEnds;
use crate::limits;

/// How often the wish to stop is looked at.
const LOOK: Duration = Duration::from_millis(25);

/// What is told to whoever comes when all places are taken.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 36\r\n\
    Retry-After: 1\r\nConnection: close\r\n\r\ntoo many connections; close a few.\r\n";

/// Takes connections until the control is stopped.
pub(crate) async fn until_stopped(listener: TcpListener, router: Router, control: &Control) {
    let seats = ConnectionSlots::new(limits::CONNECTIONS);
    let leaving = Arc::new(Semaphore::new(limits::CONNECTIONS));
    while !control.is_stopped() {
        let Ok(accepted) = timeout(LOOK, listener.accept()).await else {
            continue;
        };
        let Ok((stream, peer)) = accepted else {
            // Out of descriptors: those that are open will end.
            tokio::time::sleep(LOOK).await;
            continue;
        };
        // Who comes when all places are taken by those who may be here is sent away, and nobody waits in memory.
        let Some(seat) = seats.take() else {
            turn_away(stream, &leaving);
            continue;
        };
        let ends = stream.local_addr();
        let ends = ends.ok().map(|local| ConnectionEnds::new(peer, local));
        let stream = LingeringStream::new(stream, &leaving, Some(Arc::clone(&seat)));
        let (router, inner) = (router.clone(), Arc::clone(&seat));
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Arc::clone(&inner));
            if let Some(ends) = ends {
                request.extensions_mut().insert(ends);
            }
            let asked = inner.begin_request();
            let answer = router.clone().call(request);
            async move { answer.await.map(|response| asked.until_sent(response)) }
        });
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits::HEAD)
                .max_buf_size(64 << 10)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            // A client that goes away is its own affair.
            tokio::select! {
                _ = timeout(limits::CONNECTION, connection) => {}
                () = seat.until_lost() => {}
            }
        });
    }
}

/// Says that all places are taken. What is written to a new connection finds room at once, so that nobody is waited for.
fn turn_away(stream: TcpStream, leaving: &Arc<Semaphore>) {
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write(BUSY);
        if let Ok(stream) = TcpStream::from_std(stream) {
            drop(LingeringStream::new(stream, leaving, None));
        }
    }
}

/// The stream of a connection, which closes it so that what was written arrives.
///
/// A connection that is closed while bytes of the other side wait to be read is reset, and what is still on its way to that side
/// may be lost: the answer to a request whose body nobody wanted. So the end is told first, and what still comes is
/// thrown away, for a while.
///
/// A client that ends its side may wait for its answer, or be gone: nobody can tell. So its end is passed on a little later where
/// it is being answered, and each piece of an answer that it takes puts that off.
struct LingeringStream {
    stream: Option<TcpStream>,
    leaving: Arc<Semaphore>,
    seat: Option<Arc<ConnectionSlot>>,
    /// When the other side's end, which was read, is passed on.
    end: Option<Pin<Box<Sleep>>>,
}

impl LingeringStream {
    fn new(
        stream: TcpStream,
        leaving: &Arc<Semaphore>,
        seat: Option<Arc<ConnectionSlot>>,
    ) -> LingeringStream {
        LingeringStream {
            stream: Some(stream),
            leaving: Arc::clone(leaving),
            seat,
            end: None,
        }
    }

    /// Waits with the other side's end.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let is_asked = self.seat.as_ref().is_some_and(|seat| seat.is_busy());
        if !is_asked {
            return Poll::Ready(());
        }
        let end = self
            .end
            .get_or_insert_with(|| Box::pin(sleep(limits::HALF_CLOSED)));
        end.as_mut().poll(context)
    }

    /// Puts off the end of a side that takes what is written to it.
    fn put_off(&mut self, written: &Poll<io::Result<usize>>) {
        if let (Some(end), Poll::Ready(Ok(1..))) = (&mut self.end, written) {
            end.as_mut().reset(Instant::now() + limits::HALF_CLOSED);
        }
    }

    fn inner(self: Pin<&mut Self>) -> io::Result<Pin<&mut TcpStream>> {
        let stream = self.get_mut().stream.as_mut();
        let stream = stream.ok_or(io::ErrorKind::NotConnected)?;
        Ok(Pin::new(stream))
    }
}

impl Drop for LingeringStream {
    fn drop(&mut self) {
        let Some(stream) = self.stream.take() else {
            return;
        };
        // Whoever has lost the place is told why. It finds room at once, so that nobody is waited for.
        if self.seat.as_ref().is_some_and(|seat| seat.is_lost()) {
            let _ = stream.try_write(BUSY);
        }
        // Where very many leave at once, or the server ends, the rest is closed as it is.
        if let Ok(place) = Arc::clone(&self.leaving).try_acquire_owned()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                let _ = timeout(limits::LEAVING, leave(stream)).await;
                drop(place);
            });
        }
    }
}

/// Tells the end and reads to the other one's end.
async fn leave(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut thrown = [0; 16 << 10];
    let mut read = 0;
    while read < limits::LEAVING_BYTES {
        match stream.read(&mut thrown).await? {
            0 => break,
            some => read += some,
        }
    }
    Ok(())
}

impl AsyncRead for LingeringStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.end.is_some() {
            return this.poll_end(context).map(Ok);
        }
        let before = buffer.filled().len();
        match Pin::new(&mut *this).inner()?.poll_read(context, buffer) {
            Poll::Ready(Ok(())) if buffer.filled().len() == before && buffer.remaining() > 0 => {
                this.poll_end(context).map(Ok)
            }
            read => read,
        }
    }
}

impl AsyncWrite for LingeringStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut *this).inner()?.poll_write(context, bytes);
        this.put_off(&written);
        written
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner()?.poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner()?.poll_shutdown(context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut *this)
            .inner()?
            .poll_write_vectored(context, parts);
        this.put_off(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}
