//! The socket of a tab: who may open it, what it tells, and what becomes of those who misuse it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::server::Server;
use crate::server::judge;

/// A socket that is open, as bytes.
struct Socket(TcpStream);

/// What opening one was answered.
fn open(server: &Server, headers: &str) -> (u16, Socket) {
    let mut stream = TcpStream::connect(server.address()).expect("connected");
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("a time limit");
    let request = format!(
        "GET /api/v1/live HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: \
         13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n",
        server.address()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    (status.unwrap_or(0), Socket(stream))
}

/// The headers of a page of this server.
fn ours(server: &Server) -> String {
    format!(
        "Origin: http://{}\r\nCookie: {}\r\nSec-Fetch-Site: same-origin\r\n",
        server.address(),
        server.cookie
    )
}

impl Socket {
    /// The kind of the next frame and its bytes; nothing at the end.
    fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).ok()?;
        let length = match head[1] {
            126 => {
                let mut long = [0; 2];
                self.0.read_exact(&mut long).ok()?;
                usize::from(u16::from_be_bytes(long))
            }
            short => usize::from(short),
        };
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).ok()?;
        Some((head[0] & 15, bytes))
    }

    /// The next line.
    fn line(&mut self) -> Option<Value> {
        loop {
            match self.frame()? {
                (1, bytes) => {
                    let line: Option<Value> = serde_json::from_slice(&bytes).ok();
                    line.as_ref().inspect(|line| judge::judge_line(line));
                    return line;
                }
                (8, _) => return None,
                _ => {}
            }
        }
    }

    /// The next line of a kind.
    fn line_of(&mut self, kind: &str) -> Value {
        loop {
            let line = self.line().expect("a line");
            if line["kind"] == kind {
                return line;
            }
        }
    }

    /// How a socket ends after these bytes: the code of the close frame, or none.
    fn ends_after(&mut self, bytes: &[u8]) -> Option<u16> {
        self.0.write_all(bytes).expect("sent");
        while let Some((kind, bytes)) = self.frame() {
            if kind == 8 {
                return Some(u16::from_be_bytes([*bytes.first()?, *bytes.get(1)?]));
            }
        }
        None
    }
}

#[test]
fn only_our_pages_open_a_socket() {
    let server = Server::start(false);
    let (address, cookie) = (server.address(), server.cookie.clone());
    assert_eq!(open(&server, &ours(&server)).0, 101);
    for (headers, wanted) in [
        (format!("Cookie: {cookie}\r\n"), 403),
        (
            format!("Cookie: {cookie}\r\nOrigin: http://evil.example\r\n"),
            403,
        ),
        (format!("Cookie: {cookie}\r\nOrigin: null\r\n"), 403),
        (
            format!("Cookie: {cookie}\r\nOrigin: https://{address}\r\n"),
            403,
        ),
        (format!("Origin: http://{address}\r\n"), 401),
        (
            format!(
                "Origin: http://{address}\r\nCookie: {cookie}\r\nSec-Fetch-Site: cross-site\r\n"
            ),
            403,
        ),
    ] {
        assert_eq!(open(&server, &headers).0, wanted, "{headers}");
    }
    // Asked as a page it is none.
    assert!((400..=426).contains(&server.get("/api/v1/live").status));
}

#[test]
fn jobs_and_changed_files_are_told() {
    let server = Server::start(false);
    let base = server.base();
    let (status, mut socket) = open(&server, &ours(&server));
    assert_eq!(status, 101);
    let now = socket.line().expect("a line");
    assert_eq!(now["kind"], "now");
    assert_eq!(now["bases"][&base], 1);
    let index = format!("/api/v1/bases/{base}/index");
    let job = server.post(&index, "X-Tabiya: 1\r\n", "{}").json();
    let mut told = socket.line_of("job");
    while told["job"]["state"] == "running" {
        told = socket.line_of("job");
    }
    assert_eq!(told["job"]["id"], job["id"]);
    assert_eq!(told["job"]["state"], "done");
    // Somebody else writes to the file.
    let path = server.folder.path().join("opera.pgn");
    let text = std::fs::read_to_string(&path).expect("a sample");
    std::fs::write(&path, format!("{text}\n{text}")).expect("written");
    let mut told = socket.line_of("base");
    if told["why"] == "index" {
        told = socket.line_of("base");
    }
    assert_eq!(told["why"], "files");
    assert_eq!(told["base"], base.as_str());
    let rows = server.get(&format!("/api/v1/bases/{base}/rows")).json();
    assert_eq!(rows["total"], 2);
    // A socket that is opened now hears of the version.
    let (_, mut other) = open(&server, &ours(&server));
    assert_eq!(
        other.line().expect("a line")["bases"][&base],
        told["version"]
    );
}

#[test]
fn misused_sockets_end_and_the_server_lives() {
    let server = Server::start(true);
    let text = [0x81, 0x82, 0, 0, 0, 0, b'h', b'i'];
    let long_claim = [
        0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0,
    ];
    let mut long_ping = vec![0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0];
    long_ping.resize(8 + 256, b'x');
    // Text in pieces of 600 bytes, none of which is the last.
    let piece = |kind: u8| {
        let mut bytes = vec![kind, 0xfe, 0x02, 0x58, 0, 0, 0, 0];
        bytes.resize(8 + 600, b'x');
        bytes
    };
    let endless = [piece(0x01), piece(0x00)].concat();
    let mut large = vec![0x81, 0xfe, 0x04, 0x01, 0, 0, 0, 0];
    large.resize(8 + 1_025, b'x');
    let two_texts = [&piece(0x01)[..], &text].concat();
    for (what, bytes, code) in [
        ("a message", &text[..], Some(1008)),
        (
            "a frame without its mask",
            &[0x81, 0x01, b'x'][..],
            Some(1002),
        ),
        ("an unknown kind", &[0x83, 0x80, 0, 0, 0, 0][..], Some(1002)),
        ("reserved bits", &[0xf1, 0x80, 0, 0, 0, 0][..], Some(1002)),
        (
            "a length of nearly all bytes there are",
            &long_claim[..],
            Some(1009),
        ),
        ("a long ping", &long_ping[..], Some(1002)),
        ("a message that is too large", &large[..], Some(1009)),
        ("pieces without end", &endless[..], Some(1009)),
        ("a message within another", &two_texts[..], Some(1002)),
        ("a part of a frame", &text[..5], None),
        (
            "a continuation of nothing",
            &[0x80, 0x80, 0, 0, 0, 0][..],
            Some(1002),
        ),
        (
            "text that is none",
            &[0x81, 0x81, 0, 0, 0, 0, 0xff][..],
            Some(1007),
        ),
    ] {
        let (status, mut socket) = open(&server, &ours(&server));
        assert_eq!(status, 101, "{what}");
        if code.is_none() {
            // What is not whole is waited for, and its end is taken for what it is.
            socket.0.write_all(bytes).expect("sent");
            socket.0.shutdown(std::net::Shutdown::Write).expect("ended");
        } else {
            assert_eq!(socket.ends_after(bytes), code, "{what}");
        }
        while let Some((kind, _)) = socket.frame() {
            assert!(
                code.is_none() && kind == 1 || kind == 8,
                "{what}: it goes on"
            );
        }
    }
    assert_eq!(server.get("/api/v1/bases").status, 200);
}

#[test]
fn sockets_are_counted() {
    let server = Server::start(true);
    let mut open_ones = Vec::new();
    for _ in 0..tabiya_server::limits::SOCKETS {
        let (status, socket) = open(&server, &ours(&server));
        assert_eq!(status, 101);
        open_ones.push(socket);
    }
    assert_eq!(open(&server, &ours(&server)).0, 503);
    // They take no place of requests, and one that goes makes room.
    assert_eq!(server.get("/api/v1/bases").status, 200);
    open_ones.truncate(1);
    let mut again = 0;
    for _ in 0..200 {
        again = open(&server, &ours(&server)).0;
        if again == 101 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(again, 101);
}
