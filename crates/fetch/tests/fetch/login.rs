//! Login in a browser: the program, a stand-in for the site, and a browser that may be anybody's.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::stand_in::{Asked, Reply, StandIn};

const CODE: &str = "liu_code123";
const TOKEN: &str = "lio_secret_token";

/// The values of a query or a form.
fn values(text: &str) -> BTreeMap<String, String> {
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), crate::others::unform(value)))
        .collect()
}

/// A login that is under way.
struct Login {
    child: Child,
    address: String,
    asked: BTreeMap<String, String>,
    tokens: PathBuf,
}

impl Login {
    fn begin(server: &StandIn, folder: &Path) -> Login {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya-fetch"))
            .env("XDG_CONFIG_HOME", folder)
            .env_remove("TABIYA_TOKENS")
            .arg("--host")
            .arg(format!("lichess={}", server.address))
            .arg("login")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut address = String::new();
        let stdout = child.stdout.as_mut().expect("an output");
        BufReader::new(stdout)
            .read_line(&mut address)
            .expect("an address");
        let address = address.trim_end().to_owned();
        let (place, query) = address.split_once('?').expect("a query");
        assert_eq!(place, format!("{}/oauth", server.address));
        Login {
            child,
            asked: values(query),
            address,
            tokens: folder.join("tabiya/tokens.conf"),
        }
    }

    fn port(&self) -> u16 {
        let redirect = self.asked["redirect_uri"].strip_prefix("http://127.0.0.1:");
        let port = redirect.and_then(|rest| rest.strip_suffix('/'));
        port.and_then(|port| port.parse().ok()).expect("a port")
    }

    /// Sends bytes to the place where the browser comes back; what is answered.
    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("set");
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn come_back(&self, query: &str) -> String {
        let port = self.port();
        self.send(&format!(
            "GET /?{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/html\r\n\r\n"
        ))
    }

    /// How it ended: the code, and everything that was said.
    fn end(self) -> (Option<i32>, String) {
        let output = self.child.wait_with_output().expect("it ends");
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    }
}

/// The site: it gives a token to whoever shows the code with the secret of the challenge.
fn site(challenge: &Arc<Mutex<String>>) -> StandIn {
    let challenge = Arc::clone(challenge);
    StandIn::start(move |asked: &Asked| {
        let form = values(&asked.body);
        let of = |name: &str| form.get(name).map_or("", |value| &value[..]);
        let digest = Sha256::digest(of("code_verifier").as_bytes());
        let is_right = (&asked.method[..], &asked.path[..]) == ("POST", "/api/token")
            && asked.header("content-type") == Some("application/x-www-form-urlencoded")
            && asked.header("authorization").is_none()
            && (of("grant_type"), of("client_id"), of("code"))
                == ("authorization_code", "tabiya", CODE)
            && of("redirect_uri").starts_with("http://127.0.0.1:")
            && base64url(&digest) == *challenge.lock().expect("a lock");
        match is_right {
            true => Reply::new(
                200,
                "application/json",
                format!(
                    r#"{{"token_type":"Bearer","access_token":"{TOKEN}","expires_in":31536000}}"#
                ),
            ),
            false => Reply::new(400, "application/json", r#"{"error":"invalid_grant"}"#),
        }
    })
}

/// Base64 bit by bit.
fn base64url(bytes: &[u8]) -> String {
    let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let digits: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(['-', '_'])
        .collect();
    bits.as_bytes()
        .chunks(6)
        .map(|six| {
            let six = format!("{:0<6}", String::from_utf8_lossy(six));
            digits[usize::from_str_radix(&six, 2).expect("bits")]
        })
        .collect()
}

#[test]
fn a_login_gives_a_token_that_only_its_file_has() {
    let challenge = Arc::default();
    let server = site(&challenge);
    let folder = tempfile::tempdir().expect("a folder");
    let login = Login::begin(&server, folder.path());
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "tabiya"),
        ("code_challenge_method", "S256"),
        ("scope", "study:read study:write"),
    ] {
        assert_eq!(login.asked[name], value, "{}", login.address);
    }
    challenge
        .lock()
        .expect("a lock")
        .clone_from(&login.asked["code_challenge"]);
    let state = login.asked["state"].clone();
    // Others try first: another state, none, another name of the machine, another method, too much, nothing at all.
    let port = login.port();
    let good = format!("code={CODE}&state={state}");
    for wrong in [
        login.come_back(&format!("code={CODE}&state=guessed")),
        login.come_back(&format!("code={CODE}")),
        login.send(&format!(
            "GET /?{good} HTTP/1.1\r\nHost: evil.example\r\n\r\n"
        )),
        login.send(&format!("GET /?{good} HTTP/1.1\r\n\r\n")),
        login.send(&format!(
            "POST /?{good} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        )),
        login.send(&format!(
            "GET /x?{good} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        )),
        login.send(&"x".repeat(20_000)),
        login.send("GET /?"),
    ] {
        assert!(!wrong.contains("is logged in."), "{wrong}");
    }
    assert!(server.take().is_empty());
    assert!(!login.tokens.exists());
    let answer = login.come_back(&good);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("is logged in."), "{answer}");
    assert!(
        !answer.contains(TOKEN) && !answer.contains(CODE),
        "{answer}"
    );
    // The same once more: nobody listens any more.
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    let asked = server.take();
    assert_eq!(asked.len(), 1);
    let verifier = values(&asked[0].body)["code_verifier"].clone();
    let tokens = login.tokens.clone();
    let (code, said) = login.end();
    assert_eq!(code, Some(0), "{said}");
    for secret in [TOKEN, CODE, &verifier] {
        assert!(!said.contains(secret), "{said}");
    }
    let kept = std::fs::read_to_string(&tokens).expect("a file");
    assert_eq!(kept, format!("{} {TOKEN}\n", server.address));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&tokens)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn hostile_answers_of_a_login_give_no_token() {
    let other = StandIn::start(|_| Reply::new(200, "application/json", "{}"));
    let token = |text: &str| Reply::new(200, "application/json", text);
    let endless = Reply {
        endless: true,
        ..token(&" ".repeat(1 << 16))
    };
    let elsewhere = format!("{}/api/token", other.address);
    for (reply, sentence) in [
        (
            Reply::new(400, "application/json", "{}"),
            "did not accept the login",
        ),
        (
            Reply::new(401, "application/json", "{}"),
            "did not accept the login",
        ),
        (
            Reply::new(307, "text/plain", "").with("Location", &elsewhere),
            "did not accept the login",
        ),
        (
            Reply::new(302, "text/plain", "").with("Location", "/api/token"),
            "did not accept the login",
        ),
        (
            Reply::new(429, "text/plain", "").with("Retry-After", "3600"),
            "wait 3600 seconds",
        ),
        (endless, "longer than"),
        (
            Reply::new(200, "text/html", "<html>"),
            "does not answer with",
        ),
        (token("{"), "does not answer with a token"),
        (token("[]"), "does not answer with a token"),
        (
            token(r#"{"token_type":"Bearer"}"#),
            "does not answer with a token",
        ),
        (
            token(r#"{"token_type":"mac","access_token":"lio_x"}"#),
            "does not answer with a token",
        ),
        (
            token(
                "{\"token_type\":\"Bearer\",\"access_token\":\"lio_x\\nhttps://evil.example lip_y\"}",
            ),
            "does not answer with a token",
        ),
        (
            Reply {
                cut: Some(3),
                ..token("{\"token_type\":\"Bearer\"}")
            },
            "cut off",
        ),
    ] {
        let server = StandIn::start(move |_| reply.clone());
        let folder = tempfile::tempdir().expect("a folder");
        let login = Login::begin(&server, folder.path());
        let state = login.asked["state"].clone();
        let answer = login.come_back(&format!("code={CODE}&state={state}"));
        assert!(answer.contains("is not logged in."), "{sentence}: {answer}");
        assert!(!login.tokens.exists(), "{sentence}");
        let (code, said) = login.end();
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(sentence), "{sentence}: {said}");
        assert!(!said.contains(CODE) && !said.contains("lio_x"), "{said}");
    }
    assert!(other.take().is_empty());
}

#[test]
fn a_user_who_refuses_and_a_file_that_others_read_end_the_login() {
    let challenge = Arc::default();
    let server = site(&challenge);
    let folder = tempfile::tempdir().expect("a folder");
    let login = Login::begin(&server, folder.path());
    let state = login.asked["state"].clone();
    // Who does not know the state cannot refuse either.
    login.come_back("error=access_denied&state=guessed");
    login.come_back(&format!("error=access_denied&state={state}"));
    let (code, said) = login.end();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("did not accept the login"), "{said}");
    assert!(server.take().is_empty());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let tokens = folder.path().join("tabiya/tokens.conf");
        std::fs::create_dir_all(folder.path().join("tabiya")).expect("a folder");
        std::fs::write(&tokens, "").expect("written");
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(&tokens, open).expect("set");
        let refused = Command::new(env!("CARGO_BIN_EXE_tabiya-fetch"))
            .env("XDG_CONFIG_HOME", folder.path())
            .arg("login")
            .output()
            .expect("the program runs");
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(refused.stdout.is_empty(), "{refused:?}");
    }
}
