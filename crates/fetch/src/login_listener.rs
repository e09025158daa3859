//! The place on this machine to which the site sends the browser back after a login.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use tabiya_model::Control;

use crate::login::{LoginAttempt, LoginCallback, LoginCode};
use crate::{FetchError, Result};

/// How long a connection may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often it is looked whether a connection has come.
const PERIOD: Duration = Duration::from_millis(50);

/// The longest request.
const LONGEST: usize = 8 << 10;

/// Listens on this machine, for nobody else.
#[derive(Debug)]
pub struct LoginListener {
    listener: TcpListener,
    port: u16,
}

/// A browser that waits to be told how the login ended.
#[derive(Debug)]
pub struct LoginVisitor(TcpStream);

impl LoginListener {
    /// Listens on a free port.
    pub fn open() -> Result<LoginListener> {
        let failed = |error| FetchError::File {
            file: "127.0.0.1".to_owned(),
            error,
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(LoginListener { listener, port })
    }

    /// The address to which the browser comes back.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Waits until the browser brings a code. Requests that do not belong to the attempt are answered, and change nothing.
    pub fn wait(
        &self,
        attempt: &LoginAttempt,
        longest: Duration,
        control: &Control,
    ) -> Result<(LoginCode, LoginVisitor)> {
        let end = Instant::now() + longest;
        let site = attempt.site().to_owned();
        loop {
            if control.is_stopped() {
                return Err(FetchError::Stopped);
            }
            if Instant::now() > end {
                return Err(FetchError::LoginLate { site });
            }
            let Ok((stream, _)) = self.listener.accept() else {
                std::thread::sleep(PERIOD);
                continue;
            };
            let query = read_query(&stream, self.port);
            let visitor = LoginVisitor(stream);
            match query.map(|query| attempt.read(&query)) {
                Some(LoginCallback::Code(code)) => return Ok((code, visitor)),
                Some(LoginCallback::Refused) => {
                    visitor.answer(false);
                    return Err(FetchError::LoginRefused { site });
                }
                Some(LoginCallback::Foreign) | None => visitor.answer(false),
            }
        }
    }
}

impl LoginVisitor {
    /// Shows in the browser how the login ended. An answer that cannot be sent changes nothing.
    pub fn answer(mut self, is_done: bool) {
        let (status, text) = match is_done {
            true => ("200 OK", "Tabiya is logged in. You can close this tab."),
            false => (
                "400 Bad Request",
                "Tabiya is not logged in. You can close this tab and try again in Tabiya.",
            ),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
             Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        let _ = self.0.write_all(answer.as_bytes());
    }
}

/// The query of a request to the address of the listener; `None` if it is another request, too long, or too late.
fn read_query(mut stream: &TcpStream, port: u16) -> Option<String> {
    // Systems differ in whether a connection inherits this from its listener.
    stream.set_nonblocking(false).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let end = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    while !head.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() > LONGEST {
            return None;
        }
        stream.set_read_timeout(Some(left)).ok()?;
        let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
        head.extend(buffer.get(..length).unwrap_or_default());
    }
    let head = String::from_utf8(head).ok()?;
    let mut lines = head.split("\r\n");
    let target = lines
        .next()?
        .strip_prefix("GET ")?
        .strip_suffix(" HTTP/1.1")?;
    // Another name for this machine is one that somebody else has made.
    let mut hosts = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then_some(value.trim())
    });
    let own = format!("127.0.0.1:{port}");
    let is_own = hosts.next() == Some(&own[..]) && hosts.next().is_none();
    let query = target.strip_prefix("/?").filter(|_| is_own)?;
    Some(query.to_owned())
}
