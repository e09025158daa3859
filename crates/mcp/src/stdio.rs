//! One message per line, on standard input and output: each request on a thread of its own, so that another one can stop it.

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tabiya_model::{Control, Result};

use crate::json_rpc::{self, INVALID_REQUEST, MESSAGE, RpcError, RpcMessage};
use crate::protocol::McpServer;

/// Requests that are answered at once; further ones wait.
const REQUESTS: usize = 16;

/// The requests that are being answered.
#[derive(Default)]
struct OpenRequests {
    all: Mutex<BTreeMap<String, Control>>,
    fewer: Condvar,
}

impl OpenRequests {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Control>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place; nothing where a request of this id is open.
    fn begin(&self, id: &str) -> Option<Control> {
        let mut all = self.lock();
        while all.len() >= REQUESTS {
            all = self.fewer.wait(all).unwrap_or_else(PoisonError::into_inner);
        }
        if all.contains_key(id) {
            return None;
        }
        let control = Control::default();
        all.insert(id.to_owned(), control.clone());
        Some(control)
    }

    fn end(&self, id: &str) {
        self.lock().remove(id);
        self.fewer.notify_all();
    }
}

/// What is told of a request even if it meets a fault.
struct RequestEndGuard {
    open: Arc<OpenRequests>,
    id: String,
}

impl Drop for RequestEndGuard {
    fn drop(&mut self) {
        self.open.end(&self.id);
    }
}

/// Answers messages until there are no more, or the control is stopped; then all work is stopped.
///
/// # Errors
///
/// If reading or writing fails.
pub fn serve_stdio<W: Write + Send + 'static>(
    server: &McpServer,
    mut input: impl BufRead,
    output: W,
    control: &Control,
) -> Result<()> {
    let output = Arc::new(Mutex::new(output));
    let open = Arc::new(OpenRequests::default());
    let mut threads = Vec::new();
    let read = loop {
        if control.is_stopped() {
            break Ok(());
        }
        let message = match next_line(&mut input) {
            Ok(None) => break Ok(()),
            Ok(Some(InputLine::TooLong)) => {
                let why = format!("a message has at most {MESSAGE} bytes");
                Err((RpcError::new(INVALID_REQUEST, why), None))
            }
            Ok(Some(InputLine::Whole(line))) if line.trim_ascii().is_empty() => continue,
            Ok(Some(InputLine::Whole(line))) => json_rpc::read(&line),
            Err(error) => break Err(error),
        };
        let written = match message {
            Err((error, id)) => write_line(&output, &error.write(id.as_ref())),
            Ok(RpcMessage::Notification { method, params }) => {
                if method == "notifications/cancelled"
                    && let Some(id) = params.get("requestId")
                    && let Some(request) = open.lock().get(&id.to_string())
                {
                    request.stop();
                }
                Ok(())
            }
            Ok(RpcMessage::Response) => Ok(()),
            Ok(message) => match begin(server, message, &open, &output) {
                Ok(thread) => {
                    threads.push(thread);
                    Ok(())
                }
                Err((error, id)) => write_line(&output, &error.write(Some(&id))),
            },
        };
        if let Err(error) = written {
            break Err(error);
        }
        threads.retain(|thread: &std::thread::JoinHandle<()>| !thread.is_finished());
    };
    // What was asked is answered: what takes long is a job by then. Jobs are told to stop, and end what they write.
    for thread in threads {
        let _ = thread.join();
    }
    server.stop();
    Ok(read?)
}

/// Answers a request on a thread of its own.
fn begin<W: Write + Send + 'static>(
    server: &McpServer,
    message: RpcMessage,
    open: &Arc<OpenRequests>,
    output: &Arc<Mutex<W>>,
) -> std::result::Result<std::thread::JoinHandle<()>, (RpcError, Value)> {
    let id = match &message {
        RpcMessage::Request { id, .. } => id.clone(),
        _ => Value::Null,
    };
    let name = id.to_string();
    let Some(control) = open.begin(&name) else {
        let error = RpcError::new(
            INVALID_REQUEST,
            "a request with this id is still being answered",
        );
        return Err((error, id));
    };
    let ending = RequestEndGuard {
        open: Arc::clone(open),
        id: name,
    };
    let (server, output) = (server.clone(), Arc::clone(output));
    let thread = std::thread::Builder::new().spawn(move || {
        let reply = server.answer_message(&message, None, &control);
        // Nothing is said to a request that was taken back.
        let body = reply.body.filter(|_| !control.is_stopped());
        drop(ending);
        if let Some(body) = body {
            // Where nobody reads any more the input ends as well.
            let _ = write_line(&output, &body);
        }
    });
    thread.map_err(|_| {
        let error = RpcError::new(json_rpc::INTERNAL_ERROR, "too many requests are running");
        (error, id)
    })
}

fn write_line(output: &Mutex<impl Write>, line: &str) -> std::io::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    output.write_all(line.as_bytes())?;
    output.write_all(b"\n")?;
    output.flush()
}

/// A line of the input.
enum InputLine {
    Whole(Vec<u8>),
    /// It is longer than any message, and was skipped.
    TooLong,
}

/// The next line; nothing at the end.
fn next_line(input: &mut impl BufRead) -> std::io::Result<Option<InputLine>> {
    let mut line = Vec::new();
    let most = MESSAGE as u64 + 2;
    let read = input.by_ref().take(most).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') || line.len() as u64 != most {
        return Ok(Some(InputLine::Whole(line)));
    }
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(Some(InputLine::TooLong));
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(InputLine::TooLong));
        }
    }
}
