//! Names that the server answers for, and a proxy with TLS in front: `docs/nginx.conf`, as it stands there, on this machine alone.

use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::server::Server;
use tabiya_server::ServerConfig;

const MARK: &str = "X-Tabiya: 1\r\n";
const NAME: &str = "chess.example.org";

/// Where the proxy comes from: not where the tests come from.
const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// A port of this machine that was free just now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn server(hosts: &[String], proxy: Option<IpAddr>) -> Server {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = crate::server::corpus().join("opera.pgn");
    std::fs::copy(sample, folder.path().join("opera.pgn")).expect("a sample");
    let config = ServerConfig {
        hosts: hosts.to_vec(),
        proxy,
        ..ServerConfig::default()
    };
    Server::with(folder, config)
}

/// The token of an invitation, which the first browser has asked for.
fn invited(server: &Server) -> String {
    let invitation = server.post("/api/v1/invitations", MARK, "{}").json();
    let url = invitation["url"].as_str().expect("an address").to_owned();
    assert!(url.starts_with(&format!("http://{}/?token=", server.address())));
    url.split_once("token=").expect("a token").1.to_owned()
}

#[test]
fn names_that_were_told_are_answered_and_no_others() {
    let server = server(&[NAME.to_owned(), "tunnel.example:9000".to_owned()], None);
    let port = server.address().port();
    let ask = |host: &str, more: &str| {
        let request = format!(
            "GET /api/v1/bases HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\n{more}\r\n",
            server.cookie
        );
        server.ask(&request).status
    };
    for (host, wanted) in [
        (format!("{NAME}:{port}"), 200),
        (format!("CHESS.Example.org:{port}"), 200),
        ("tunnel.example:9000".to_owned(), 200),
        (format!("tunnel.example:{port}"), 421),
        (NAME.to_owned(), 421),
        (format!("x.{NAME}:{port}"), 421),
        (format!("{NAME}.evil.example:{port}"), 421),
        (format!("user@{NAME}:{port}"), 421),
    ] {
        assert_eq!(ask(&host, ""), wanted, "{host}");
    }
    // The origin follows the name.
    let host = format!("{NAME}:{port}");
    for (origin, wanted) in [
        (format!("http://{host}"), 200),
        (format!("https://{host}"), 403),
        (format!("http://127.0.0.1:{port}"), 403),
        (format!("http://{NAME}"), 403),
    ] {
        assert_eq!(
            ask(&host, &format!("Origin: {origin}\r\n")),
            wanted,
            "{origin}"
        );
    }
    // An invitation leads to where it was asked for.
    let reply = server.ask(&format!(
        "POST /api/v1/invitations HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\n{MARK}Content-Type: application/json\r\n\
         Content-Length: 2\r\n\r\n{{}}",
        server.cookie
    ));
    let url = reply.json()["url"].as_str().expect("an address").to_owned();
    assert!(url.starts_with(&format!("http://{host}/?token=")), "{url}");
    assert_eq!(
        server.ready.others,
        [
            format!("http://{host}/"),
            "http://tunnel.example:9000/".to_owned()
        ]
    );
}

/// Who is not the proxy says what he wants of himself, and is what he is.
#[test]
fn nobody_but_the_proxy_says_where_a_request_comes_from() {
    let server = server(&[NAME.to_owned()], Some(PROXY));
    let address = server.address();
    let ask = |host: &str, more: &str| {
        let request = format!(
            "GET /api/v1/bases HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\n{more}\r\n",
            server.cookie
        );
        server.ask(&request).status
    };
    let own = address.to_string();
    for (host, more, wanted) in [
        (own.as_str(), "", 200),
        (
            &own,
            "X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.example\r\n",
            200,
        ),
        (
            &own,
            "X-Forwarded-Proto: https\r\nOrigin: https://chess.example.org\r\n",
            403,
        ),
        (NAME, "X-Forwarded-Proto: https\r\n", 421),
        (
            "evil.example",
            "X-Forwarded-Proto: https\r\nX-Forwarded-Host: chess.example.org\r\n",
            421,
        ),
        (
            "evil.example",
            "Forwarded: host=chess.example.org;proto=https\r\n",
            421,
        ),
    ] {
        assert_eq!(ask(host, more), wanted, "{host} {more}");
    }
}

/// nginx in a folder of its own, which ends with the test.
struct Nginx {
    child: Child,
    folder: tempfile::TempDir,
    port: u16,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a program is there; that it is not is said.
fn has(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    let is_there = output.is_ok_and(|output| output.status.success());
    if !is_there {
        tabiya_testing::skip(&format!("{program} is not installed"));
    }
    is_there
}

impl Nginx {
    /// The configuration of the documentation, with other ports, another certificate, and the address that it comes from.
    fn start(server: u16, port: u16) -> Nginx {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        let made = Command::new("openssl")
            .args([
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
            ])
            .args(["-nodes", "-days", "2", "-subj", &format!("/CN={NAME}")])
            .args([
                "-addext",
                &format!("subjectAltName=DNS:{NAME},DNS:evil.example"),
            ])
            .args(["-keyout", &at("key.pem"), "-out", &at("cert.pem")])
            .output()
            .expect("openssl");
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        let documented = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/nginx.conf");
        let mut text = std::fs::read_to_string(documented).expect("it is documented");
        for (from, to) in [
            ("listen 443 ssl;", format!("listen 127.0.0.1:{port} ssl;")),
            ("listen [::]:443 ssl;", String::new()),
            ("/etc/ssl/certs/chess.example.org.pem", at("cert.pem")),
            ("/etc/ssl/private/chess.example.org.key", at("key.pem")),
            (
                "proxy_pass http://127.0.0.1:8090;",
                format!("proxy_pass http://127.0.0.1:{server}; proxy_bind {PROXY};"),
            ),
        ] {
            assert_eq!(text.matches(from).count(), 1, "{from}");
            text = text.replace(from, &to);
        }
        let whole = format!(
            "daemon off;\nmaster_process off;\npid {};\nerror_log stderr;\nevents {{}}\nhttp {{\n\
             client_body_temp_path {};\nproxy_temp_path {};\nfastcgi_temp_path {};\nuwsgi_temp_path {};\nscgi_temp_path {};\n{text}\n}}\n",
            at("pid"),
            at("body"),
            at("proxy"),
            at("fastcgi"),
            at("uwsgi"),
            at("scgi"),
        );
        std::fs::write(folder.path().join("nginx.conf"), whole).expect("written");
        let child = Command::new("nginx")
            .args(["-p", &at(""), "-c", &at("nginx.conf"), "-e", "stderr"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("nginx");
        let mut nginx = Nginx {
            child,
            folder,
            port,
        };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = nginx.child.try_wait().expect("asked");
            assert!(ended.is_none(), "nginx has ended: {ended:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        nginx
    }

    /// Asks through it as a browser would that knows the certificate: the status and the whole answer.
    fn ask(&self, target: &str, arguments: &[&str]) -> (u16, String) {
        let port = self.port;
        let output = Command::new("curl")
            .args([
                "-s",
                "-i",
                "--http1.1",
                "--noproxy",
                "*",
                "--max-time",
                "20",
            ])
            .args([
                "--cacert",
                &self.folder.path().join("cert.pem").display().to_string(),
            ])
            .args(["--resolve", &format!("{NAME}:{port}:127.0.0.1")])
            .args(arguments)
            .arg(format!("https://{NAME}:{port}{target}"))
            .output()
            .expect("curl");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // What was sent at once is answered with a word before the answer.
        let head = text.trim_start_matches("HTTP/1.1 100 Continue\r\n\r\n");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        (status.unwrap_or(0), text)
    }
}

#[test]
fn the_documented_proxy_works_and_nobody_else_comes_through_it() {
    let all = [
        ("nginx", "-v"),
        ("openssl", "version"),
        ("curl", "--version"),
    ];
    if !all
        .iter()
        .all(|(program, argument)| has(program, &[argument]))
    {
        return;
    }
    // Another test may have taken the port since: then nginx says so.
    let port = free_port();
    let server = server(&[format!("{NAME}:{port}")], Some(PROXY));
    assert_eq!(server.ready.others, [format!("https://{NAME}:{port}/")]);
    let nginx = Nginx::start(server.address().port(), port);

    let (status, _) = nginx.ask("/api/v1/bases", &[]);
    assert_eq!(status, 401, "nobody comes in without the cookie");
    let (status, answer) = nginx.ask(&format!("/?token={}", invited(&server)), &[]);
    assert_eq!(status, 303, "{answer}");
    let cookie = answer
        .lines()
        .find_map(|line| {
            line.to_ascii_lowercase()
                .starts_with("set-cookie:")
                .then(|| line[11..].trim())
        })
        .expect("a cookie");
    for part in [
        "__Host-tabiya-",
        "; Secure",
        "; HttpOnly",
        "; SameSite=Strict",
        "; Path=/",
    ] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = format!("Cookie: {}", cookie.split(';').next().expect("a pair"));
    let with = |target: &str, more: &[&str]| {
        let mut arguments = vec!["-H", cookie.as_str()];
        arguments.extend(more.iter().flat_map(|header| ["-H", header]));
        nginx.ask(target, &arguments)
    };
    let (status, answer) = with("/api/v1/bases", &[]);
    assert_eq!(status, 200, "{answer}");
    let base = server.base();
    let (status, answer) = with(
        &format!("/api/v1/bases/{base}/search?query=white%3AMorphy"),
        &[],
    );
    assert!(
        status == 200 && answer.contains("\"kind\":\"done\""),
        "{answer}"
    );

    let ours = format!("Origin: https://{NAME}:{port}");
    for (headers, wanted) in [
        (vec![ours.as_str()], 200),
        (vec!["Origin: https://evil.example"], 403),
        (vec!["Origin: null"], 403),
        (vec!["Host: evil.example"], 421),
        (vec!["Host: 127.0.0.1"], 421),
        (vec!["Sec-Fetch-Site: cross-site"], 403),
        // What a browser says of itself is replaced by what the proxy knows.
        (
            vec!["X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http"],
            200,
        ),
        (vec!["Forwarded: host=evil.example"], 200),
    ] {
        let (status, answer) = with("/api/v1/bases", &headers);
        assert_eq!(status, wanted, "{headers:?}: {answer}");
    }
    // The cookie of the address without TLS is none here, and the other way round.
    let (status, _) = nginx.ask(
        "/api/v1/bases",
        &["-H", &format!("Cookie: {}", server.cookie)],
    );
    assert_eq!(status, 401);
    let own = format!(
        "GET /api/v1/bases HTTP/1.1\r\nHost: {}\r\n{cookie}\r\n\r\n",
        server.address()
    );
    assert_eq!(server.ask(&own).status, 401);

    let mark = ["-H", "X-Tabiya: 1", "-H", &cookie, "-H", &ours];
    let json = ["-H", "Content-Type: application/json", "--data", "{}"];
    let (status, answer) = nginx.ask("/api/v1/invitations", &[&mark[..], &json[..]].concat());
    assert_eq!(status, 200, "{answer}");
    assert!(
        answer.contains(&format!("https://{NAME}:{port}/?token=")),
        "{answer}"
    );

    // An upload that is larger than nginx takes unless it is told.
    let big = nginx.folder.path().join("big.pgn");
    let game = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n";
    std::fs::write(&big, game.repeat((3 << 20) / game.len())).expect("written");
    let form = format!("file=@{}", big.display());
    let (status, answer) = nginx.ask("/api/v1/uploads", &[&mark[..], &["-F", &form][..]].concat());
    assert_eq!(status, 200, "{answer}");

    // The socket: it stays open, so that curl gives up after a while.
    let socket = [
        "--max-time",
        "3",
        "-H",
        "Connection: Upgrade",
        "-H",
        "Upgrade: websocket",
        "-H",
        "Sec-WebSocket-Version: 13",
        "-H",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "-H",
        &cookie,
    ];
    let (status, answer) = nginx.ask("/api/v1/live", &[&socket[..], &["-H", &ours][..]].concat());
    assert!(
        status == 101 && answer.contains("\"kind\""),
        "{status}: {answer}"
    );
    let (status, answer) = nginx.ask(
        "/api/v1/live",
        &[&socket[..], &["-H", "Origin: https://evil.example"][..]].concat(),
    );
    assert_eq!(status, 403, "{answer}");
}
