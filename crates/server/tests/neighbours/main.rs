//! The server among strangers: other users of the machine, their files and links, and neighbours who keep it busy.

mod busy;
#[cfg(unix)]
mod links;
mod promises;
#[path = "../server/server.rs"]
#[allow(dead_code, reason = "the other tests use the rest of it")]
mod server;

use std::net::TcpStream;
use std::time::Duration;

use server::Server;

const MARK: &str = "X-Tabiya: 1\r\n";

/// The server answers.
#[cfg(unix)]
fn lives(server: &Server) {
    assert_eq!(server.get("/api/v1/bases").status, 200);
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("connected");
    let limit = stream.set_read_timeout(Some(Duration::from_secs(30)));
    limit.expect("a time limit");
    stream
}
