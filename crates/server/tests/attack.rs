//! One attack after another on one server, in a process of its own: every request is refused with the right code, the server
//! lives, and its memory stays bounded.
//!
//! What is tried, what it is answered, and where: here, or in the tests of the door and of the neighbours beside this file.
//!
//! | attack | answer | test |
//! |---|---|---|
//! | another host, no port, another port, a target of another host | 421 | `strangers_are_sent_away`, `paths` |
//! | two hosts, none | 400 | `strangers_are_sent_away` |
//! | a foreign `Origin`, `null`, another scheme; `Sec-Fetch-Site` of others | 403 | `strangers_are_sent_away`, `only_our_pages_open_a_socket` |
//! | no cookie, a wrong one, that of another port; the token once more | 401 | `strangers_are_sent_away` |
//! | a change without the header that marks it | 403 | `strangers_are_sent_away` |
//! | each of these on each route, and a name that it does not know | 421, 401, 403, 404 | `routes` |
//! | `..`, encoded or not, zero bytes, numbers out of range, unknown ids | 404, 400 | `paths` |
//! | files outside of the folders, beside them, through a link | 403 | `paths_lead_nowhere_else`, `wishes` |
//! | a body that is too large, announced or in pieces without end | 413 | `bodies` |
//! | lengths that are none; two of them; an unknown coding | 400, 431 | `bodies`, `requests` |
//! | JSON that is broken, deep, of another kind | 400, 422 | `bodies` |
//! | another type of content; another method | 415, 405 | `bodies`, `paths` |
//! | heads that are too long, of another protocol, with control characters | 431, 400 | `requests` |
//! | wishes for what nobody may | 400, 403, 404, 422, 503 | `wishes` |
//! | uploads that swell, lead elsewhere, announce too much | 400, 413, 422, 431 | `uploads` |
//! | an upload that swells | told by the name that its owner knows | `a_bomb_is_told_by_its_own_name` |
//! | uploads of archives that take minutes, whose clients go | end, and keep nothing | `uploads_end_with_their_clients` |
//! | openings of archives that take minutes, whose clients go | end with the last who waits | `openings_end_with_their_clients`, `an_opening_lasts_as_long_as_anybody_waits_for_it` |
//! | a thousand connections | 503 beyond the places | `many` |
//! | a head byte by byte, a body byte by byte | closed, 408 | `slow` |
//! | a body that is not read, `Connection: close` | the answer, whole | `answers_arrive_whole_whatever_is_not_read` |
//! | frames that are broken, too large, or in pieces without end | 1002, 1007, 1008, 1009 | `misused_sockets_end_and_the_server_lives` |
//! | more sockets than there are places | 503 | `sockets_are_counted` |
//! | links out of the folders: listed, opened, changed, added to, made behind; a base that becomes one | 403 | `links_lead_out_of_no_folder` |
//! | a folder that is exchanged with a link, 50,000 times | nothing is read or written outside | `exchanges_between_look_and_use_lead_nowhere` |
//! | the same with a lake, a base of ChessBase, tables of jose in it | nothing either | `exchanges_of_bases_of_several_files_lead_nowhere`, `exchanges_of_tables_lead_nowhere` |
//! | `authorized_keys`, hidden names, hidden folders | 400 | `only_databases_are_made_and_none_is_hidden` |
//! | named pipes, sockets and devices under the names of databases, histories and indexes | 400, told at the start | `what_is_no_file_holds_nothing_up` |
//! | queries that would take hours | end with their client; within their budget, which is told | `bombs_end_with_their_clients_and_hold_nobody_else_up`, `a_query_that_costs_too_much_says_so` |
//! | connections that say nothing, more than there are places | give theirs to those with the cookie | `who_says_nothing_keeps_nobody_out` |
//! | a client that ends its side | the answer | `who_ends_his_side_gets_his_answer` |
//! | more databases than can be open | 409; they can be closed | `databases_are_closed_and_there_is_room_again` |
//! | files that cannot be read, or go | told, beside the others | `what_cannot_be_read_is_told_and_keeps_nothing_back` |
//! | names that were not told, `X-Forwarded-…` of others than the proxy | 421, 403 | `names_that_were_told_are_answered_and_no_others`, `nobody_but_the_proxy_says_where_a_request_comes_from` |
//! | through the proxy: other hosts, other origins, the cookie without TLS, what browsers say of their way | 421, 403, 401, nothing | `the_documented_proxy_works_and_nobody_else_comes_through_it` |
//! | other users who look for copies, drafts, passwords | nothing to see | `copies_are_private_and_go_with_the_server`, `what_is_remembered_tells_nobody_anything` |
//! | Ctrl-C, and a kill, while copies are kept | they go, or with the next ones | `copies_go_with_the_program` |
//! | connections to other addresses of the machine | none | `nobody_answers_at_other_addresses` |
//! | an invitation once more, on another route, a part of it; guesses | 401, one after the other | `an_invitation_is_good_once_and_wrong_tokens_wait` |
//! | the token for programs on the routes of the app; guessed; where there is none | 401 | `a_bearer_gets_the_explorer_and_nothing_else` |
//! | scripts of others, frames, other types of content | forbidden by each answer | `every_answer_forbids_other_scripts`; `a_dossier_is_a_file_and_never_a_page` |
//! | each change where nothing may be changed | 403 | `every_route_that_changes_something_refuses_where_nothing_may_be_changed` |
//! | drafts that somebody has written, wishes that are none | told, refused | `hostile_drafts_harm_nobody`, `hostile_wishes_are_refused` |
//! | engines that are programs of the system | 404 | `an_engine_thinks_as_long_as_somebody_reads`, `games_are_annotated_as_a_job` |
//! | more engines at once than there are places | 503; a place is free when nobody reads any more | `engines_have_places_of_their_own` |
//! | an invitation after its time | 401 | `old_invitations_end` |
//! | engines that never search, read nothing, flood, crash, answer twice, leave their group | told, ended | `crates/engine/tests/engine/misbehaviour.rs` |
//! | the token in the arguments of the browser; a file with it that others can read; pipes as files of options | not there, refused | `crates/cli/tests/cli/serve_start.rs` |
//! | formulas in tables for spreadsheets | texts | `tables_of_the_app_hold_no_formulas` |
//! | hostile and honest clients at once, for long | what is held in the end is what was held at the start | `the_server_holds_in_the_end_what_it_held_at_the_start` |

#[path = "server/server.rs"]
#[allow(dead_code, reason = "the other tests use the rest of it")]
mod server;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::Server;
use tabiya_server::limits;

const MARK: &str = "X-Tabiya: 1\r\n";

/// Bytes of memory that this process holds, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// The server answers its own page again, at the latest after a while.
fn lives(server: &Server) {
    let began = Instant::now();
    loop {
        let status = server.get("/api/v1/bases").status;
        if status == 200 {
            break;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "it is dead: {status}"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("connected");
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .expect("a time limit");
    stream
}

#[test]
fn the_server_outlives_every_attack() {
    let server = Server::start(false);
    lives(&server);
    let before = resident();
    let wrong = [
        routes(&server),
        paths(&server),
        bodies(&server),
        requests(&server),
        wishes(&server),
        uploads(&server),
    ]
    .concat();
    assert!(wrong.is_empty(), "{wrong:#?}");
    many(&server);
    slow(&server);
    if let (Some(before), Some(after)) = (before, resident()) {
        let grown = after.saturating_sub(before) >> 20;
        assert!(grown < 96, "{grown} MB more than before");
    }
}

/// Strangers at every door that the description names.
fn routes(server: &Server) -> Vec<String> {
    let mut wrong = Vec::new();
    let described = server.get("/api/v1/openapi.json").json();
    let address = server.address();
    let host = format!("Host: {address}\r\n");
    let cookie = format!("Cookie: {}\r\n", server.cookie);
    let mut asked = 0;
    for (path, methods) in described["paths"].as_object().expect("paths") {
        let at = |name: &str| {
            path.replace("{number}", "1")
                .replace("{base}", name)
                .replace("{view}", name)
                .replace("{job}", name)
                .replace("{edit}", name)
        };
        for method in methods.as_object().expect("methods").keys() {
            let method = method.to_uppercase();
            let ask = |path: &str, headers: &str, body: &str| {
                let length = body.len();
                let head = format!(
                    "{method} {path} HTTP/1.1\r\n{headers}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
                );
                server.ask(&(head + body)).status
            };
            let known = at(&server.base());
            let ours = format!("{host}{cookie}{MARK}");
            let mut tried = vec![
                (format!("Host: evil.example\r\n{cookie}{MARK}"), 421),
                (format!("{host}{MARK}"), 401),
                (format!("{host}Cookie: tabiya=1\r\n{MARK}"), 401),
                (format!("{ours}Origin: http://evil.example\r\n"), 403),
                (format!("{ours}Sec-Fetch-Site: cross-site\r\n"), 403),
            ];
            if method != "GET" {
                tried.push((format!("{host}{cookie}"), 403));
            }
            for (headers, wanted) in tried {
                let status = ask(&known, &headers, "{}");
                if status != wanted {
                    wrong.push(format!(
                        "{method} {path} {headers:?}: {status}, not {wanted}"
                    ));
                }
            }
            let body = match path.as_str() {
                "/api/v1/bases/{base}/change" => r#"{"change": {"kind": "compact"}}"#,
                "/api/v1/bases/{base}/pgn" => r#"{"games": [1]}"#,
                "/api/v1/bases/{base}/sources" => r#"{"hours": 24}"#,
                "/api/v1/bases/{base}/renew" => {
                    r#"{"account": {"site": "lichess", "name": "SampleRook"}}"#
                }
                "/api/v1/bases/{base}/repertoire/lines" => r#"{"moves": ["e2e4"]}"#,
                "/api/v1/bases/{base}/names" => {
                    r#"{"names": [{"kind": "players", "keep": "A", "variants": ["B"]}]}"#
                }
                "/api/v1/edits/{edit}/wishes" => {
                    r#"{"version": 0, "wishes": [{"at": 0, "wish": {"kind": "undo"}}]}"#
                }
                _ => "{}",
            };
            for name in ["nobody", "..%2f..", "%00"] {
                let unknown = at(name);
                if unknown == *path {
                    continue;
                }
                let status = ask(&unknown, &ours, body);
                // Who asks for what is not said asks for nothing that could be missing.
                if !matches!(status, 404 | 400) || (status == 400 && method != "GET") {
                    wrong.push(format!("{method} {unknown}: {status}, not 404"));
                }
            }
            asked += 1;
        }
    }
    assert!(asked >= 56, "{asked} routes are described");
    lives(server);
    wrong
}

/// Paths that want to lead elsewhere.
fn paths(server: &Server) -> Vec<String> {
    let mut wrong = Vec::new();
    let base = server.base();
    for (path, wanted) in [
        ("/assets/..%2f..%2fCargo.toml".to_owned(), 404),
        ("/assets/%2e%2e/%2e%2e/etc/passwd".to_owned(), 404),
        ("/assets/....//etc/passwd".to_owned(), 404),
        ("/assets/app.js%00.html".to_owned(), 404),
        ("/assets/".to_owned(), 404),
        ("/api/v1/../../etc/passwd".to_owned(), 404),
        ("/api/v1/bases/..%2f..%2fetc%2fpasswd".to_owned(), 404),
        (format!("/api/v1/bases/{base}%00"), 404),
        (format!("/api/v1/bases/{base}/games/0"), 404),
        (format!("/api/v1/bases/{base}/games/-1"), 400),
        (
            format!("/api/v1/bases/{base}/games/18446744073709551615"),
            404,
        ),
        (
            format!("/api/v1/bases/{base}/games/99999999999999999999999"),
            400,
        ),
        (
            format!(
                "/api/v1/bases/{base}/rows?from=18446744073709551615&count=18446744073709551615"
            ),
            200,
        ),
        (format!("/api/v1/bases/{base}/rows?from=x"), 400),
        (format!("/api/v1/bases/{base}/search?sort=nonsense"), 400),
        ("/api/v1/views/v18446744073709551616/rows".to_owned(), 404),
        ("/api/v1/explore?base=nothing".to_owned(), 404),
        ("/api/v1/explore?fen=8%2F8".to_owned(), 400),
        (
            "/api/v1/explore?play=e2e4,".to_owned() + &"a".repeat(50_000),
            400,
        ),
        ("/api/v1/explore?fen=%ff%fe%00%zz%".to_owned(), 400),
    ] {
        let status = server.get(&path).status;
        if status != wanted {
            wrong.push(format!("{path:.80}: {status}, not {wanted}"));
        }
    }
    // Another method than the route has.
    for method in ["PUT", "PATCH", "TRACE", "CONNECT", "BREW"] {
        let status = server
            .ask(&format!(
                "{method} /api/v1/bases HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}\r\n",
                server.address(),
                server.cookie
            ))
            .status;
        if status != 405 {
            wrong.push(format!("{method}: {status}"));
        }
    }
    // A target that names another host is one for that host, whatever else is said.
    for (target, wanted) in [
        ("http://evil.example/", 421),
        ("//evil.example/", 404),
        ("*", 404),
        ("evil", 421),
    ] {
        let status = server
            .ask(&format!(
                "GET {target} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n",
                server.address(),
                server.cookie
            ))
            .status;
        if status != wanted {
            wrong.push(format!("{target}: {status}, not {wanted}"));
        }
    }
    lives(server);
    wrong
}

/// Bodies that are too large, no JSON, or not what they say.
fn bodies(server: &Server) -> Vec<String> {
    let mut wrong = Vec::new();
    let opening = "/api/v1/bases";
    let deep = format!("{{\"path\":{}1{}}}", "[".repeat(20_000), "]".repeat(20_000));
    for (body, wanted) in [
        ("a".repeat(limits::BODY + 1), 413),
        (
            format!("{{\"path\":\"{}\"}}", "a".repeat(limits::BODY)),
            413,
        ),
        (deep, 422),
        ("{\"path\":".to_owned(), 400),
        ("nonsense".to_owned(), 400),
        ("{}".to_owned(), 422),
        ("[[]]".to_owned(), 422),
        ("{\"path\":null}".to_owned(), 422),
        ("{\"path\":\"a\",\"path\":\"b\"}".to_owned(), 422),
        ("{\"path\":\"\\u0000\"}".to_owned(), 400),
        ("{\"path\":\"\\ud800\"}".to_owned(), 400),
    ] {
        let status = server.post(opening, MARK, &body).status;
        if status != wanted {
            wrong.push(format!("{body:.60}: {status}, not {wanted}"));
        }
    }
    // A length that nobody could send, and one that lies.
    let head = |length: &str, kind: &str| {
        format!(
            "POST {opening} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n",
            server.address(),
            server.cookie
        )
    };
    for (length, kind, wanted) in [
        ("18446744073709551615", "application/json", 431),
        ("18446744073709551613", "application/json", 413),
        ("-1", "application/json", 400),
        ("1e9", "application/json", 400),
        ("99999999999999999999999999", "application/json", 400),
        ("1, 2", "application/json", 400),
        ("2", "text/plain", 415),
    ] {
        let status = server.ask(&(head(length, kind) + "{}")).status;
        if status != wanted {
            wrong.push(format!(
                "a length of {length}, {kind}: {status}, not {wanted}"
            ));
        }
    }
    // Pieces of a body without end: an upload ends at its bound, the others at theirs.
    for (path, kind, begin) in [
        ("/api/v1/bases", "application/json", ""),
        (
            "/api/v1/uploads",
            "multipart/form-data; boundary=x",
            "--x\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a.pgn\"\r\n\r\n",
        ),
    ] {
        let mut stream = connect(server);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}Content-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n",
            server.address(),
            server.cookie
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut piece = format!("{:x}\r\n", begin.len() + (1 << 20)).into_bytes();
        piece.extend_from_slice(begin.as_bytes());
        piece.resize(piece.len() + (1 << 20), b'a');
        piece.extend_from_slice(b"\r\n");
        let mut rest = format!("{:x}\r\n", 1 << 20).into_bytes();
        rest.resize(rest.len() + (1 << 20), b'a');
        rest.extend_from_slice(b"\r\n");
        let most = 2 * (limits::UPLOAD >> 20);
        let mut sent = 0;
        let mut next = &piece;
        while sent < most && stream.write_all(next).is_ok() {
            next = &rest;
            sent += 1;
        }
        assert!(sent < most, "{path} takes everything");
        let mut answer = [0; 12];
        let read = stream.read(&mut answer).unwrap_or(0);
        let text = String::from_utf8_lossy(answer.get(..read).unwrap_or(&[])).into_owned();
        assert!(text.ends_with("413"), "{path}: {text}");
    }
    lives(server);
    wrong
}

/// Wishes that are sound JSON and want what nobody may.
fn wishes(server: &Server) -> Vec<String> {
    let base = server.base();
    let mut wrong = Vec::new();
    let own = server.folder.path();
    let inside = own.join("x.pgn");
    let up = own.join(format!("../tabiya-attack-{}.pgn", std::process::id()));
    let many: Vec<&str> = vec![base.as_str(); 3_000];
    let conversions = "/api/v1/conversions".to_owned();
    let puzzles = format!("/api/v1/bases/{base}/puzzles");
    let new = "/api/v1/new".to_owned();
    let asked = |path: &std::path::Path| json!({"sources": [base], "path": path});
    let with = |mut body: Value, name: &str, value: Value| {
        body[name] = value;
        body
    };
    let ours = || asked(&inside);
    for (path, body, wanted) in [
        (&conversions, asked(&up), 403),
        (&conversions, asked("/etc/tabiya/x.pgn".as_ref()), 400),
        (&conversions, asked("/x.pgn".as_ref()), 403),
        (&conversions, asked("x.pgn".as_ref()), 400),
        (&conversions, asked("-".as_ref()), 400),
        (
            &conversions,
            asked("mysql://root@localhost/x".as_ref()),
            400,
        ),
        (
            &conversions,
            with(asked("..".as_ref()), "download", true.into()),
            400,
        ),
        (
            &conversions,
            with(asked("/".as_ref()), "dry", true.into()),
            400,
        ),
        (&conversions, with(ours(), "sources", json!(many)), 503),
        (
            &conversions,
            with(ours(), "format", "../../pgn".into()),
            400,
        ),
        (
            &conversions,
            with(ours(), "split", "99999999999999999999999".into()),
            400,
        ),
        (&conversions, with(ours(), "split", "0".into()), 400),
        (&conversions, with(ours(), "unique", "\u{0}".into()), 400),
        (
            &conversions,
            with(ours(), "settings", json!({"width": "-1"})),
            400,
        ),
        (
            &conversions,
            with(ours(), "settings", json!({"x": {"y": []}})),
            422,
        ),
        (
            &conversions,
            with(ours(), "damaged", "/etc/passwd".into()),
            400,
        ),
        (
            &conversions,
            json!({"damaged": "/etc/passwd", "path": inside}),
            403,
        ),
        (&conversions, json!({"damaged": up, "path": inside}), 403),
        (&conversions, with(ours(), "secret", 1.into()), 422),
        (&new, json!({"path": up}), 403),
        (&new, json!({"path": "/etc/x.pgn"}), 403),
        (&new, json!({"path": own.join("x.exe")}), 400),
        (&new, json!({"path": own.join("opera.pgn")}), 400),
        (
            &new,
            json!({"path": inside, "settings": {"nonsense": "1"}}),
            400,
        ),
        (
            &puzzles,
            json!({"query": "a".repeat(limits::QUERY + 1)}),
            400,
        ),
        (&puzzles, json!({"query": "nonsense::"}), 422),
        (&puzzles, json!({"engine": "../../bin/sh"}), 404),
        (
            &puzzles,
            json!({"engine": "/bin/sh", "nodes": u64::MAX, "first": 0}),
            404,
        ),
        (&puzzles, json!({"nodes": -1}), 422),
        (
            &"/api/v1/bases".to_owned(),
            json!({"path": inside, "password": "x".repeat(9_999)}),
            400,
        ),
    ] {
        let status = server.post(path, MARK, &body.to_string()).status;
        if status != wanted {
            wrong.push(format!("{path} {body:.120}: {status}, not {wanted}"));
        }
    }
    for (path, wanted) in [
        ("/api/v1/jobs/j1/files/18446744073709551616".to_owned(), 400),
        ("/api/v1/jobs/..%2F..%2Fetc/files/0".to_owned(), 404),
        (
            format!("/api/v1/bases/{base}/complete?tag=White&start=%ff%fe"),
            200,
        ),
        (format!("/api/v1/bases/{base}/complete?tag=%00&start="), 400),
        (format!("/api/v1/bases/{base}/complete"), 400),
        ("/api/v1/engine?threads=-1&fen=x".to_owned(), 400),
        ("/api/v1/engine?hash=4294967296&fen=x".to_owned(), 400),
    ] {
        let status = server.get(&path).status;
        if status != wanted {
            wrong.push(format!("{path:.80}: {status}, not {wanted}"));
        }
    }
    for path in [&inside, &up] {
        if path.exists() {
            wrong.push(format!("{} was made", path.display()));
        }
    }
    lives(server);
    wrong
}

/// Bits as deflate counts them.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        for at in 0..count {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> at & 1 == 1) << (self.used % 8);
            }
            self.used += 1;
        }
    }

    /// A code of Huffman's begins with its highest bit.
    fn code(&mut self, value: u32, count: u32) {
        self.put(value.reverse_bits() >> (32 - count), count);
    }
}

/// Gzip of some bytes, and so many times 258 bytes more, which repeat the last one, or the last thirteen.
fn repeated(begin: &[u8], times: usize, last_one: bool) -> Vec<u8> {
    let mut bits = Bits::default();
    // One block, the last, with the codes that are fixed.
    bits.put(0b011, 3);
    for byte in begin {
        match u32::from(*byte) {
            low @ 0..=143 => bits.code(0x30 + low, 8),
            high => bits.code(0x190 + high - 144, 9),
        }
    }
    for _ in 0..times {
        bits.code(0b1100_0101, 8);
        if last_one {
            bits.code(0, 5);
        } else {
            bits.code(7, 5);
            bits.put(0, 2);
        }
    }
    bits.code(0, 7);
    let mut out = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    out.extend(bits.bytes);
    out.extend([0; 8]);
    out
}

/// A gzip of a gzip of two gigabytes of spaces: repetitions of 13 bits come again every 13 bytes.
fn bomb() -> Vec<u8> {
    let inner = repeated(b" ", 200, true);
    let begin = inner.get(..64).expect("it is longer");
    repeated(begin, 55_000, false)
}

/// Uploads that swell, that lead elsewhere, or that announce what never comes.
fn uploads(server: &Server) -> Vec<String> {
    let mut wrong = Vec::new();
    let send = |name: &str, content: &[u8], length: Option<u64>| {
        let begin = format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
        );
        let mut body = begin.into_bytes();
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n--x--\r\n");
        let mut stream = connect(server);
        let head = format!(
            "POST /api/v1/uploads HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}Connection: close\r\nContent-Type: multipart/form-data; \
             boundary=x\r\nContent-Length: {}\r\n\r\n",
            server.address(),
            server.cookie,
            length.unwrap_or(body.len() as u64)
        );
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(&body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
        status.unwrap_or(0_u16)
    };
    for (name, content, length, wanted) in [
        ("bomb.pgn.gz", bomb(), None, 422),
        ("bomb.zip", bomb(), None, 400),
        ("ten.pgn", Vec::new(), Some(10 << 30), 413),
        ("ten.pgn", Vec::new(), Some(u64::MAX), 431),
        ("../../../etc/cron.d/x", b"no games".to_vec(), None, 400),
        ("..\\..\\x.exe", b"MZ".to_vec(), None, 400),
        ("x.si4", b"Scid.si\0".to_vec(), None, 422),
        ("x.cbz", vec![0; 4096], None, 400),
    ] {
        let began = Instant::now();
        let status = send(name, &content, length);
        if status != wanted {
            wrong.push(format!("an upload of {name}: {status}, not {wanted}"));
        }
        if began.elapsed() > Duration::from_secs(25) {
            wrong.push(format!("an upload of {name}: {:?}", began.elapsed()));
        }
    }
    lives(server);
    wrong
}

/// What is no request of HTTP, or hides another one.
fn requests(server: &Server) -> Vec<String> {
    let mut wrong = Vec::new();
    let long = "a".repeat(200_000);
    let many = "X: y\r\n".repeat(5_000);
    let ours = format!(
        "Host: {}\r\nCookie: {}\r\n",
        server.address(),
        server.cookie
    );
    for (request, wanted) in [
        (format!("GET /{long} HTTP/1.1\r\n{ours}\r\n"), 431),
        (format!("GET / HTTP/1.1\r\n{ours}X: {long}\r\n\r\n"), 431),
        (format!("GET / HTTP/1.1\r\n{ours}{many}\r\n"), 431),
        (format!("GET / HTTP/1.1\r\n{ours}X\u{1}: y\r\n\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{ours} folded\r\n\r\n"), 400),
        ("GET / HTTP/1.0\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/2.0\r\n\r\n".to_owned(), 400),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), 400),
        (
            format!(
                "POST /api/v1/bases HTTP/1.1\r\n{ours}{MARK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{{}}"
            ),
            400,
        ),
        (
            format!(
                "POST /api/v1/bases HTTP/1.1\r\n{ours}{MARK}Transfer-Encoding: gzip\r\n\r\n{{}}"
            ),
            400,
        ),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n".to_owned(), 400),
    ] {
        let status = server.ask(&request).status;
        if status != wanted {
            wrong.push(format!("{request:.60}: {status}, not {wanted}"));
        }
    }
    lives(server);
    wrong
}

/// A thousand connections, those that ask and those that say nothing; whoever has no place is sent away.
fn many(server: &Server) {
    let mut open = Vec::new();
    for at in 0..1_000 {
        let mut stream = connect(server);
        if at % 2 == 0 {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: evil.example\r\n");
        }
        open.push(stream);
    }
    std::thread::sleep(Duration::from_millis(500));
    let (mut told, mut closed, mut kept) = (0, 0, 0);
    for stream in &mut open {
        stream
            .set_read_timeout(Some(Duration::from_millis(1)))
            .expect("a time limit");
        let mut answer = [0; 64];
        match stream.read(&mut answer) {
            Ok(0) => closed += 1,
            Ok(_) if answer.starts_with(b"HTTP/1.1 503") => told += 1,
            Ok(_) => panic!("{}", String::from_utf8_lossy(&answer)),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => closed += 1,
            Err(_) => kept += 1,
        }
    }
    assert!(kept <= limits::CONNECTIONS, "{kept} connections at once");
    assert_eq!(closed, 0, "{told} were told why they are sent away");
    drop(open);
    lives(server);
}

/// Requests that come byte by byte, their heads or their bodies, hold their places for a bounded time only.
fn slow(server: &Server) {
    let whole = format!(
        "POST /api/v1/bases HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{MARK}Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n",
        server.address(),
        server.cookie
    );
    let mut streams: Vec<(TcpStream, bool)> =
        (0..40).map(|at| (connect(server), at % 2 == 0)).collect();
    for (stream, is_head) in &mut streams {
        let begin = if *is_head {
            "GET / HTTP/1.1\r\nX: "
        } else {
            &whole
        };
        stream.write_all(begin.as_bytes()).expect("sent");
        stream.set_nonblocking(true).expect("set");
    }
    let began = Instant::now();
    while !streams.is_empty() {
        streams.retain_mut(|(stream, is_head)| {
            let mut answer = [0; 64];
            let read = match stream.read(&mut answer) {
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    let _ = stream.write(b"y");
                    return true;
                }
                Err(_) => 0,
            };
            // A head that never ends is closed, a body that never ends is answered.
            let told = String::from_utf8_lossy(answer.get(..read).unwrap_or(&[])).into_owned();
            let wanted = if *is_head { "" } else { "HTTP/1.1 408" };
            assert!(told.starts_with(wanted), "{is_head}: {told}");
            false
        });
        assert!(
            began.elapsed() < limits::HEAD * 6,
            "{} slow requests are still heard",
            streams.len()
        );
        // While they are under way others are answered.
        assert_eq!(server.get("/api/v1/openapi.json").status, 200);
        std::thread::sleep(Duration::from_millis(200));
    }
    lives(server);
}
