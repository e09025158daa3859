//! Answers that are sent line by line while the work goes on, and end the work when nobody reads them any more.

use std::io::Read;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_core::Stream;
use tabiya_answers::Answer;
use tabiya_model::{Control, Error};
use tokio::sync::mpsc;

/// Lines under way at most: who reads slowly slows the work down.
const AHEAD: usize = 16;

/// Where the work puts its lines.
pub(crate) struct LineSender(mpsc::Sender<String>);

impl LineSender {
    /// Sends a line; false where nobody reads any more.
    pub(crate) fn send(&self, line: &impl Answer) -> bool {
        self.0.blocking_send(format!("{}\n", line.json())).is_ok()
    }
}

/// The reading end; when it goes, the work is told to stop.
struct LineStream {
    lines: mpsc::Receiver<String>,
    control: Control,
}

impl Stream for LineStream {
    type Item = Result<String, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.lines.poll_recv(context).map(|line| line.map(Ok))
    }
}

impl Drop for LineStream {
    fn drop(&mut self) {
        self.control.stop();
    }
}

/// An answer in lines of JSON, and where to put them.
pub(crate) fn lines(control: &Control) -> (LineSender, Response) {
    let (sender, receiver) = mpsc::channel(AHEAD);
    let reading = LineStream {
        lines: receiver,
        control: control.clone(),
    };
    let mut response = Response::new(Body::from_stream(reading));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/x-ndjson"),
    );
    (LineSender(sender), response)
}

/// Bytes of a file that are read at once.
const PIECE: usize = 64 << 10;

/// The pieces of a file, as they are read.
struct FileChunks(mpsc::Receiver<std::io::Result<Vec<u8>>>);

impl Stream for FileChunks {
    type Item = std::io::Result<Vec<u8>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

/// A file to be saved, read as fast as the browser takes it. What `keeps` it there stays until then.
pub(crate) fn file(path: &Path, keeps: impl Send + 'static) -> Result<Response, Error> {
    let mut file = tabiya_io::regular_file::open(path)?;
    let length = file.metadata()?.len();
    let (sender, pieces) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        let _keeps = keeps;
        loop {
            let mut piece = vec![0; PIECE];
            let piece = match file.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => {
                    piece.truncate(read);
                    Ok(piece)
                }
                Err(error) => Err(error),
            };
            let is_last = piece.is_err();
            if sender.blocking_send(piece).is_err() || is_last {
                break;
            }
        }
    });
    let mut response = Response::new(Body::from_stream(FileChunks(pieces)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, length.into());
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, kind);
    let saved = HeaderValue::from_static("attachment");
    headers.insert(header::CONTENT_DISPOSITION, saved);
    Ok(response)
}
