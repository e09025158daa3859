//! A server for the tests, and requests that are written by hand.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use tabiya_model::{Control, JobCompletion};
use tabiya_server::{ListeningServer, ServerConfig, serve};

#[path = "judge.rs"]
pub(crate) mod judge;

/// A server of a folder with some samples, stopped at the end of the test.
pub(crate) struct Server {
    pub(crate) ready: ListeningServer,
    control: Control,
    thread: Option<JoinHandle<JobCompletion>>,
    pub(crate) folder: tempfile::TempDir,
    /// What the app remembers.
    pub(crate) data: tempfile::TempDir,
    pub(crate) cookie: String,
}

/// What a request was answered.
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/pgn/ok")
}

impl Server {
    pub(crate) fn start(read_only: bool) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::copy(corpus().join("opera.pgn"), folder.path().join("opera.pgn"))
            .expect("a sample");
        let data = tempfile::tempdir().expect("a folder");
        Server::run(folder, data, read_only)
    }

    /// A server of a folder that is ready.
    pub(crate) fn of(folder: tempfile::TempDir, read_only: bool) -> Server {
        Server::run(folder, tempfile::tempdir().expect("a folder"), read_only)
    }

    /// The same, where a query may take so many steps in one game.
    pub(crate) fn with_steps(folder: tempfile::TempDir, steps: u64) -> Server {
        let data = tempfile::tempdir().expect("a folder");
        let config = ServerConfig {
            steps,
            ..ServerConfig::default()
        };
        Server::run_as(folder, data, config)
    }

    /// The same, started in another way.
    pub(crate) fn with(folder: tempfile::TempDir, config: ServerConfig) -> Server {
        Server::run_as(folder, tempfile::tempdir().expect("a folder"), config)
    }

    /// How a job ended, once it has.
    pub(crate) fn ended(&self, job: &str) -> String {
        loop {
            let told = self.get(&format!("/api/v1/jobs/{job}/report")).json();
            let state = told["job"]["state"].as_str().unwrap_or("").to_owned();
            if state != "running" {
                return state;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends it, and starts another one on the same folders.
    pub(crate) fn again(mut self, read_only: bool) -> Server {
        let other = || tempfile::tempdir().expect("a folder");
        let folder = std::mem::replace(&mut self.folder, other());
        let data = std::mem::replace(&mut self.data, other());
        drop(self);
        Server::run(folder, data, read_only)
    }

    /// Ends it, and leaves its folder.
    pub(crate) fn stop(mut self) -> tempfile::TempDir {
        let other = tempfile::tempdir().expect("a folder");
        let folder = std::mem::replace(&mut self.folder, other);
        drop(self);
        folder
    }

    /// Waits for the end that it finds by itself.
    pub(crate) fn wait(&mut self) {
        if let Some(thread) = self.thread.take() {
            assert_eq!(thread.join().expect("no panic"), JobCompletion::Whole);
        }
    }

    fn run(folder: tempfile::TempDir, data: tempfile::TempDir, read_only: bool) -> Server {
        let config = ServerConfig {
            read_only,
            ..ServerConfig::default()
        };
        Server::run_as(folder, data, config)
    }

    fn run_as(folder: tempfile::TempDir, data: tempfile::TempDir, config: ServerConfig) -> Server {
        let config = ServerConfig {
            paths: vec![folder.path().to_owned()],
            data: Some(data.path().to_owned()),
            ..config
        };
        let chosen = config.token.clone();
        let control = Control::default();
        let (told, telling) = mpsc::channel();
        let inner = control.clone();
        let thread = std::thread::spawn(move || {
            serve(config, &inner, |ready| {
                told.send(ready.clone()).expect("somebody listens");
            })
            .expect("it serves")
        });
        let ready = telling
            .recv_timeout(Duration::from_secs(30))
            .expect("ready");
        let mut server = Server {
            ready,
            control,
            thread: Some(thread),
            folder,
            data,
            cookie: String::new(),
        };
        let token = match &chosen {
            Some(token) => token.as_str(),
            None => server.ready.url.split_once("?token=").expect("a token").1,
        };
        let reply = server.ask(&format!(
            "GET /?token={token} HTTP/1.1\r\nHost: {}\r\n\r\n",
            server.address()
        ));
        assert_eq!(reply.status, 303);
        let cookie = reply.header("set-cookie").expect("a cookie");
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
        server.cookie = cookie.split(';').next().unwrap_or("").to_owned();
        server
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.ready.address
    }

    /// Sends bytes and reads the answer to its end.
    pub(crate) fn ask(&self, request: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address()).expect("connected");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a time limit");
        let request = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
        // A server may refuse before it has read everything.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let reply = Reply {
            status: head
                .split(' ')
                .nth(1)
                .and_then(|code| code.parse().ok())
                .unwrap_or(0),
            body: bytes.get(end + 4..).unwrap_or(&[]).to_vec(),
            head,
        };
        // Whatever a test is about: what it is answered is what is described.
        judge::judge(&request, &reply);
        reply
    }

    /// A request of the app.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nSec-Fetch-Site: same-origin\r\n\r\n",
            self.address(),
            self.cookie
        ))
    }

    pub(crate) fn post(&self, path: &str, headers: &str, body: &str) -> Reply {
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address(),
            self.cookie,
            body.len()
        ))
    }

    pub(crate) fn delete(&self, path: &str, headers: &str) -> Reply {
        self.ask(&format!(
            "DELETE {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{headers}\r\n",
            self.address(),
            self.cookie
        ))
    }

    pub(crate) fn base(&self) -> String {
        let bases = self.get("/api/v1/bases").json();
        bases["bases"][0]["id"].as_str().expect("a base").to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.control.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
