//! Servers that speak what the sites speak, on this machine: no request of a test leaves it.

use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name)?;
        Some(&found.1)
    }

    /// A value of the query.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let (_, query) = self.path.split_once('?')?;
        query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// The path without its query.
    pub(crate) fn place(&self) -> &str {
        self.path.split('?').next().unwrap_or("")
    }
}

/// What is sent back.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// So many bytes of the body are sent, then the connection ends.
    pub(crate) cut: Option<usize>,
    /// The connection stays open where it is cut, and nothing more comes.
    pub(crate) is_silent: bool,
    /// The body again and again, without an end.
    pub(crate) endless: bool,
}

impl Reply {
    pub(crate) fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status,
            headers: vec![("Content-Type", kind.to_owned())],
            body: body.into(),
            cut: None,
            is_silent: false,
            endless: false,
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Reply {
        self.headers.push((name, value.to_owned()));
        self
    }
}

type Answering = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A server.
pub(crate) struct StandIn {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    most: Arc<AtomicUsize>,
}

impl StandIn {
    pub(crate) fn start(answering: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> StandIn {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let answering: Arc<Answering> = Arc::new(answering);
        let server = StandIn {
            address,
            asked: Arc::clone(&asked),
            most: Arc::clone(&most),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { continue };
                let (asked, answering) = (Arc::clone(&asked), Arc::clone(&answering));
                let (open, most) = (Arc::clone(&open), Arc::clone(&most));
                std::thread::spawn(move || serve(&stream, &asked, &*answering, &open, &most));
            }
        });
        server
    }

    /// The requests since the last time.
    pub(crate) fn take(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().expect("a lock"))
    }

    /// How many requests were under way at once.
    pub(crate) fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

fn serve(
    stream: &TcpStream,
    asked: &Mutex<Vec<Asked>>,
    answering: &Answering,
    open: &AtomicUsize,
    most: &AtomicUsize,
) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        let count = open.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(count, Ordering::SeqCst);
        asked.lock().expect("a lock").push(request.clone());
        let reply = answering(&request);
        let is_open = write(stream, &reply);
        open.fetch_sub(1, Ordering::SeqCst);
        if !is_open {
            return;
        }
    }
}

fn read(reader: &mut impl std::io::BufRead) -> Option<Asked> {
    let mut line = String::new();
    reader
        .read_line(&mut line)
        .ok()
        .filter(|length| *length > 0)?;
    let mut words = line.split_whitespace();
    let mut asked = Asked {
        method: words.next()?.to_owned(),
        path: words.next()?.to_owned(),
        ..Asked::default()
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        let header = (name.to_ascii_lowercase(), value.trim().to_owned());
        asked.headers.push(header);
    }
    let length = asked
        .header("content-length")
        .and_then(|it| it.parse().ok());
    if let Some(length) = length {
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        asked.body = String::from_utf8_lossy(&body).into_owned();
    }
    Some(asked)
}

/// Sends an answer; false where the connection ends with it.
fn write(mut stream: &TcpStream, reply: &Reply) -> bool {
    let mut head = format!("HTTP/1.1 {} It\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if reply.endless {
        head.push_str("Connection: close\r\n\r\n");
        if stream.write_all(head.as_bytes()).is_err() {
            return false;
        }
        while stream.write_all(&reply.body).is_ok() {}
        return false;
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", reply.body.len()));
    let body = &reply.body[..reply.cut.unwrap_or(reply.body.len()).min(reply.body.len())];
    let is_sent = stream.write_all(head.as_bytes()).is_ok() && stream.write_all(body).is_ok();
    if is_sent && reply.is_silent {
        std::thread::sleep(Duration::from_secs(60));
    }
    is_sent && reply.cut.is_none()
}
