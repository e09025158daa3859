//! Busy neighbours: queries that would take hours, connections that say nothing, clients that end their side, and databases
//! without end.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;
use tabiya_server::limits;

use crate::server::Server;
use crate::{MARK, connect};

/// Half-moves of the long game.
const LONG: usize = 300_000;

/// A server of a folder with one long game and a few ordinary ones.
fn with_a_long_game(steps: u64) -> (Server, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "[White \"Long\"]\n[Result \"*\"]\n\n".to_owned();
    for (at, san) in ["Nf3", "Nf6", "Ng1", "Ng8"]
        .iter()
        .cycle()
        .take(LONG)
        .enumerate()
    {
        if at % 2 == 0 {
            write!(text, "{}. ", at / 2 + 1).expect("written");
        }
        text.push_str(san);
        text.push(if at % 16 == 15 { '\n' } else { ' ' });
    }
    text.push_str("*\n");
    std::fs::write(folder.path().join("long.pgn"), text).expect("written");
    let opera = crate::server::corpus().join("opera.pgn");
    std::fs::copy(opera, folder.path().join("opera.pgn")).expect("copied");
    let server = Server::with_steps(folder, steps);
    let bases = server.get("/api/v1/bases").json();
    let id = |name: &str| {
        let all = bases["bases"].as_array().expect("bases");
        let one = all.iter().find(|base| base["name"] == name);
        one.and_then(|base| base["id"].as_str())
            .expect("open")
            .to_owned()
    };
    let (long, opera) = (id("long.pgn"), id("opera.pgn"));
    (server, long, opera)
}

/// A query that looks at each pair of squares of each position in a way of its own, and finds nothing.
fn bomb(at: usize) -> String {
    let leaf = ["*", "A", "a", "(* or -)", "(not K)"];
    let leaf = |at: usize| leaf[at % leaf.len()];
    let mut set = leaf(at).to_owned();
    for level in 0..2 + at % 5 {
        let other = leaf(at / 5 + level);
        set = match (at / 25 + level) % 4 {
            0 => format!("({set} attacks {other})"),
            1 => format!("({other} attacked-by {set})"),
            2 => format!("(between {set} {other})"),
            _ => format!("(near {} {set})", 1 + at % 7),
        };
    }
    let question = format!("men:\"{set}\">=65");
    let pair = format!("some[x]:\"(* or -)\" (some[y]:\"(* or -)\" {question})");
    match at % 3 {
        0 => pair,
        1 => format!("count:({pair})>=3"),
        _ => format!(
            "{}{question}{}",
            "same[flip, mirror]:(".repeat(20),
            ")".repeat(20)
        ),
    }
}

fn search(server: &Server, base: &str, tab: &str, query: &str) -> TcpStream {
    let query: String = query.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let mut stream = connect(server);
    let request = format!(
        "GET /api/v1/bases/{base}/search?query={query} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nX-Tabiya-Tab: {tab}\r\n\r\n",
        server.address(),
        server.cookie
    );
    stream.write_all(request.as_bytes()).expect("sent");
    // The first line says that it has begun.
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !String::from_utf8_lossy(&head).contains("\"view\"") {
        let read = stream.read(&mut piece).expect("an answer");
        assert!(read > 0, "{}", String::from_utf8_lossy(&head));
        head.extend_from_slice(&piece[..read]);
    }
    stream
}

#[test]
#[ignore = "measures, and prints what it has measured"]
fn how_soon_bombs_end_and_the_explorer_answers_beside_four() {
    let (server, long, opera) = with_a_long_game(u64::MAX);
    let mut bombs: std::collections::VecDeque<TcpStream> = (0..limits::WORKERS)
        .map(|at| search(&server, &long, "a", &bomb(at)))
        .collect();
    let tell = |what: &str, mut times: Vec<Duration>| {
        times.sort();
        let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
        println!(
            "{what}: median {:?}, p99 {:?}, longest {:?}",
            at(50),
            at(99),
            at(100)
        );
    };
    let explorer = (0..500).map(|_| {
        let began = Instant::now();
        assert_eq!(
            server.get(&format!("/api/v1/explore?base={opera}")).status,
            200
        );
        began.elapsed()
    });
    tell("the explorer beside four bombs", explorer.collect());
    let left = (0..200).map(|at| {
        let began = Instant::now();
        // As many as one tab gets are under way: the next one begins when one of them has ended.
        drop(bombs.pop_front());
        bombs.push_back(search(&server, &long, "a", &bomb(at)));
        began.elapsed()
    });
    tell(
        "a bomb's place is free after its client's leaving",
        left.collect(),
    );
}

#[test]
fn bombs_end_with_their_clients_and_hold_nobody_else_up() {
    let (server, long, opera) = with_a_long_game(u64::MAX);
    // Waits until one more search of this tab has its place: as many as a tab gets are under way.
    for _ in 0..5 {
        let bombs: Vec<TcpStream> = (0..limits::WORKERS)
            .map(|at| search(&server, &long, "a", &bomb(at)))
            .collect();
        // Short answers have places of their own, and other tabs get theirs.
        for path in [
            format!("/api/v1/bases/{opera}/rows"),
            format!("/api/v1/bases/{opera}/games/1"),
            format!("/api/v1/explore?base={opera}"),
            format!("/api/v1/bases/{opera}/search?query=white%3AMorphy"),
            "/api/v1/bases".to_owned(),
        ] {
            assert_eq!(server.get(&path).status, 200, "{path}");
        }
        drop(bombs);
        // Their places are free again before anybody loses patience; another round shows it.
    }
}

#[test]
fn a_query_that_costs_too_much_says_so() {
    let (server, long, _) = with_a_long_game(1 << 20);
    let mut stream = search(&server, &long, "a", &bomb(0));
    stream
        .set_read_timeout(Some(Duration::from_secs(300)))
        .expect("a time limit");
    let mut rest = String::new();
    let mut piece = [0; 4096];
    while !rest.contains("\"done\"") {
        let read = stream.read(&mut piece).expect("an answer");
        assert!(read > 0, "{rest}");
        rest.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    assert!(
        rest.contains("\"whole\":false") && rest.contains("too many steps"),
        "{rest}"
    );
}

#[test]
fn who_says_nothing_keeps_nobody_out() {
    let server = Server::start(false);
    let mut ours = connect(&server);
    let ask = format!(
        "GET /api/v1/jobs HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n",
        server.address(),
        server.cookie
    );
    let answered = |stream: &mut TcpStream| {
        stream.write_all(ask.as_bytes()).expect("sent");
        let mut answer = [0; 4096];
        let read = stream.read(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer[..read]).into_owned()
    };
    assert!(answered(&mut ours).starts_with("HTTP/1.1 200"));
    let silent: Vec<TcpStream> = (0..3 * limits::CONNECTIONS)
        .map(|_| connect(&server))
        .collect();
    // Who was here stays, and who comes with the cookie gets the place of a silent one.
    assert!(answered(&mut ours).starts_with("HTTP/1.1 200"));
    for _ in 0..20 {
        assert_eq!(server.get("/api/v1/jobs").status, 200);
    }
    drop(silent);
}

#[test]
fn who_ends_his_side_gets_his_answer() {
    let server = Server::start(false);
    let base = server.base();
    for path in [
        "/".to_owned(),
        "/api/v1/bases".to_owned(),
        format!("/api/v1/bases/{base}/rows"),
        format!("/api/v1/bases/{base}/search?query=white%3AMorphy"),
        format!("/api/v1/explore?base={base}"),
        format!("/api/v1/bases/{base}/statistics"),
    ] {
        let mut stream = connect(&server);
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n",
            server.address(),
            server.cookie
        );
        stream.write_all(request.as_bytes()).expect("sent");
        stream.shutdown(Shutdown::Write).expect("ended");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        assert!(text.starts_with("HTTP/1.1 200"), "{path}: {text:.200}");
        if path.contains("search") {
            assert!(text.contains("\"done\""), "{text}");
        }
    }
}

#[test]
fn databases_are_closed_and_there_is_room_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let opera = crate::server::corpus().join("opera.pgn");
    for at in 0..=limits::BASES {
        std::fs::copy(&opera, folder.path().join(format!("{at:03}.pgn"))).expect("copied");
    }
    let server = Server::of(folder, false);
    let bases = |server: &Server| {
        let all = server.get("/api/v1/bases").json();
        let all = all["bases"].as_array().expect("bases").clone();
        let id = |base: &serde_json::Value| base["id"].as_str().expect("an id").to_owned();
        all.iter().map(id).collect::<Vec<_>>()
    };
    let open = bases(&server);
    assert_eq!(open.len(), limits::BASES);
    assert!(server.ready.failed.join("\n").contains("close some"));
    let last = server
        .folder
        .path()
        .join(format!("{:03}.pgn", limits::BASES));
    let wish = json!({"path": last}).to_string();
    let full = server.post("/api/v1/bases", MARK, &wish);
    assert_eq!(full.status, 409);
    assert!(String::from_utf8_lossy(&full.body).contains("close some"));
    let gone = format!("/api/v1/bases/{}", open[0]);
    assert_eq!(server.delete(&gone, "").status, 403, "without its mark");
    assert_eq!(server.delete(&gone, MARK).status, 200);
    assert_eq!(server.get(&gone).status, 404);
    assert_eq!(server.delete(&gone, MARK).status, 404);
    assert_eq!(server.post("/api/v1/bases", MARK, &wish).status, 200);
    // Nothing has happened to its file.
    assert!(server.folder.path().join("000.pgn").exists());
    assert!(!bases(&server).contains(&open[0]));
}

#[test]
fn what_cannot_be_read_is_told_and_keeps_nothing_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let opera = crate::server::corpus().join("opera.pgn");
    std::fs::copy(&opera, folder.path().join("opera.pgn")).expect("copied");
    std::fs::copy(&opera, folder.path().join("late.pgn")).expect("copied");
    // One that is none.
    std::fs::write(
        folder.path().join("noise.pgn"),
        [0, 159, 146, 150].repeat(500),
    )
    .expect("written");
    std::fs::write(folder.path().join("noise.si5"), "Scid.si\0").expect("written");
    let server = Server::of(folder, false);
    let explored = server.get("/api/v1/explore");
    assert_eq!(explored.status, 200);
    assert_eq!(explored.json()["moves"][0]["san"], "e4");
    // One that is gone while it is open: the others answer, and it is told.
    std::fs::remove_file(server.folder.path().join("late.pgn")).expect("removed");
    let explored = server.get("/api/v1/explore");
    assert_eq!(explored.status, 200);
    let answer = explored.json();
    assert_eq!(
        (&answer["moves"][0]["san"], &answer["whole"]),
        (&json!("e4"), &json!(false))
    );
    assert!(answer["notes"].to_string().contains("late.pgn"), "{answer}");
}

/// A packed archive of some 40 MB whose only file is 32 GB, nearly all zeros: no bomb by its bounds, and a long time to go through.
fn long_archive() -> Vec<u8> {
    let mut header = [0_u8; 512];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"zeros.txt");
    put(100, b"0000644\0");
    // More than digits can say: bytes of a number.
    put(124, &[0x80, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    // What is flushed wholly stands by itself, so that it can be said again and again.
    let mut packed = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    let pack = |bytes: &[u8]| {
        let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
        let mut out = Vec::with_capacity(1 << 20);
        let done = deflate.compress_vec(bytes, &mut out, flate2::FlushCompress::Full);
        done.expect("packed");
        assert_eq!(deflate.total_in(), bytes.len() as u64);
        out
    };
    packed.extend(pack(&header));
    // A little that cannot be packed keeps it within a thousand times.
    let mut piece = vec![0; 32 << 20];
    let mut seed = 1_u64;
    for byte in &mut piece[..8_192] {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *byte = seed.to_be_bytes()[0];
    }
    let piece = pack(&piece);
    assert!(piece.len() * 950 > 32 << 20);
    for _ in 0..1_024 {
        packed.extend_from_slice(&piece);
    }
    packed
}

/// Uploads that nobody waits for any more end, also while an archive is gone through: their places are free for others, and
/// nothing of them is kept.
#[test]
fn uploads_end_with_their_clients() {
    let server = Server::start(false);
    let name = format!("long-{}.tar.gz", std::process::id());
    let archive = long_archive();
    let begin = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
    );
    let end = b"\r\n--x--\r\n";
    let head = format!(
        "POST /api/v1/uploads HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}Content-Type: multipart/form-data; boundary=x\r\n\
         Content-Length: {}\r\n\r\n{begin}",
        server.address(),
        server.cookie,
        begin.len() + archive.len() + end.len()
    );
    let copies = || {
        let rooms = std::fs::read_dir(std::env::temp_dir()).expect("listed");
        let inner = rooms.flatten().flat_map(|room| {
            let folders = std::fs::read_dir(room.path()).into_iter().flatten();
            folders.flatten()
        });
        inner
            .filter(|folder| folder.path().join(&name).exists())
            .count()
    };
    // One that goes while its file is still coming.
    let mut stream = connect(&server);
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(&archive[..1 << 20]).expect("sent");
    drop(stream);
    // As many as one tab gets, again and again: each round waits for the places of the last one.
    for round in 0..3 {
        let uploads: Vec<TcpStream> = (0..limits::WORKERS)
            .map(|_| {
                let mut stream = connect(&server);
                stream.write_all(head.as_bytes()).expect("sent");
                stream.write_all(&archive).expect("sent");
                stream.write_all(end).expect("sent");
                stream
            })
            .collect();
        // They are gone through by now, or wait for their turn.
        std::thread::sleep(Duration::from_millis(500));
        assert!(copies() > 0, "round {round}");
        for stream in &uploads {
            stream.set_nonblocking(true).expect("set");
            let answer = (&*stream).read(&mut [0; 64]);
            assert!(answer.is_err(), "round {round}: none was answered");
        }
        drop(uploads);
    }
    // What needs the same places gets one before anybody loses patience.
    let base = server.base();
    let counted = server.get(&format!("/api/v1/bases/{base}/statistics"));
    assert_eq!(counted.status, 200);
    // All of it would take minutes.
    for _ in 0..200 {
        if copies() == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(copies(), 0, "copies are still there");
    let bases = server.get("/api/v1/bases").json();
    assert_eq!(bases["bases"].as_array().map(Vec::len), Some(1));
}

/// Openings of what lies in the folder end with their clients too.
#[test]
fn openings_end_with_their_clients() {
    let server = Server::start(false);
    let archive = long_archive();
    let paths: Vec<_> = (0..limits::WORKERS)
        .map(|at| server.folder.path().join(format!("long-{at}.tar.gz")))
        .collect();
    for path in &paths {
        std::fs::write(path, &archive).expect("written");
    }
    let begin = |path: &std::path::Path| {
        let body = json!({ "path": path }).to_string();
        let mut stream = connect(&server);
        let head = format!(
            "POST /api/v1/bases HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            server.address(),
            server.cookie,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        stream
    };
    for round in 0..3 {
        // Two wait for each, and the second one leaves a little later.
        let first: Vec<TcpStream> = paths.iter().map(|path| begin(path)).collect();
        let second: Vec<TcpStream> = paths.iter().map(|path| begin(path)).collect();
        std::thread::sleep(Duration::from_millis(500));
        drop(first);
        std::thread::sleep(Duration::from_millis(500));
        for stream in &second {
            stream.set_nonblocking(true).expect("set");
            let answer = (&*stream).read(&mut [0; 64]);
            assert!(answer.is_err(), "round {round}: none was answered");
        }
    }
    // What needs the same places gets one before anybody loses patience.
    let base = server.base();
    let counted = server.get(&format!("/api/v1/bases/{base}/statistics"));
    assert_eq!(counted.status, 200);
    let bases = server.get("/api/v1/bases").json();
    assert_eq!(bases["bases"].as_array().map(Vec::len), Some(1));
}

#[cfg(unix)]
#[test]
fn copies_are_private_and_go_with_the_server() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start(false);
    let name = format!("private-{}.pgn", std::process::id());
    let body = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n[White \"A\"]\n\n1. e4 *\n\r\n--x--\r\n"
    );
    let mut stream = connect(&server);
    let request = format!(
        "POST /api/v1/uploads HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}Connection: close\r\nContent-Type: multipart/form-data; \
         boundary=x\r\nContent-Length: {}\r\n\r\n{body}",
        server.address(),
        server.cookie,
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let find = || {
        let rooms = std::fs::read_dir(std::env::temp_dir())
            .expect("listed")
            .flatten();
        let rooms = rooms.filter(|room| {
            room.file_name()
                .to_string_lossy()
                .starts_with("tabiya-run-")
        });
        let inner = rooms.flat_map(|room| {
            std::fs::read_dir(room.path())
                .into_iter()
                .flatten()
                .flatten()
        });
        inner
            .map(|folder| folder.path().join(&name))
            .find(|path| path.exists())
    };
    let file = find().expect("it is kept");
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path).expect("there").permissions().mode() & 0o777
    };
    assert_eq!(mode(&file), 0o600);
    let folders = file.ancestors().skip(1).take(2);
    assert!(folders.map(mode).all(|mode| mode == 0o700));
    // The clipboard is seen by nobody else either.
    let copied = json!({"base": server.base(), "games": [1]}).to_string();
    assert_eq!(server.post("/api/v1/clipboard", MARK, &copied).status, 200);
    assert_eq!(mode(&server.data.path().join("clipboard.pgn")), 0o600);
    drop(server);
    // A thread that answers may still be at it.
    for _ in 0..200 {
        if find().is_none() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{} is still there", file.display());
}
