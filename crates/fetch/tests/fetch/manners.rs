//! What is sent to whom, and what is made of answers that are none.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tabiya_fetch::{
    FetchError, FetchSettings, FetchSite, FetchSource, FetchTokens, fetch_dump, fetch_ratings,
};
use tabiya_model::Control;

use crate::lichess::{account, answer};
use crate::stand_in::{Reply, StandIn};
use crate::{fetch_with, settings};

fn rook() -> FetchSource {
    FetchSource::lichess("samplerook").expect("a name")
}

/// What comes of an answer of Lichess.
fn error_of(reply: Reply) -> FetchError {
    error_with(reply, |_| {})
}

fn error_with(reply: Reply, set: impl Fn(&mut FetchSettings)) -> FetchError {
    let server = StandIn::start(move |_| reply.clone());
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    let own = "[Event \"mine\"]\n[Result \"*\"]\n\n1. e4 *\n\n";
    std::fs::write(&base, own).expect("written");
    let mut settings = settings(FetchSite::Lichess, &server);
    set(&mut settings);
    let error = fetch_with(&base, settings, &rook()).expect_err("no games");
    assert_eq!(std::fs::read_to_string(&base).expect("the base"), own);
    error
}

#[test]
fn the_contact_is_named_and_a_token_goes_to_its_host_alone() {
    let account = account(2);
    let lichess = StandIn::start(move |asked| answer(&account, asked));
    let folder = tempfile::tempdir().expect("a folder");
    let ask = |name: &str, tokens: &str| {
        let mut settings = settings(FetchSite::Lichess, &lichess);
        settings.contact = Some("me@example.org".to_owned());
        settings.tokens = FetchTokens::read(tokens, "the test").expect("tokens");
        fetch_with(&folder.path().join(name), settings, &rook()).expect("fetched");
        lichess.take()
    };
    for asked in ask("a.pgn", &format!("{} lip_own", lichess.address)) {
        let agent = asked.header("user-agent").expect("an agent");
        assert!(agent.starts_with("Tabiya/") && agent.ends_with("(me@example.org)"));
        assert_eq!(asked.header("authorization"), Some("Bearer lip_own"));
        // Neither in the address nor in the text.
        assert!(!asked.path.contains("lip_own") && !asked.body.contains("lip_own"));
    }
    // The token of the true site does not go to another one that is asked instead of it.
    for asked in ask("b.pgn", "https://lichess.org lip_true") {
        assert_eq!(asked.header("authorization"), None);
    }
    for entry in std::fs::read_dir(folder.path()).expect("a folder") {
        let text = std::fs::read(entry.expect("an entry").path()).expect("a file");
        assert!(!String::from_utf8_lossy(&text).contains("lip_own"));
    }
}

#[test]
fn another_host_is_not_followed() {
    let other = StandIn::start(|_| Reply::new(200, "application/x-ndjson", ""));
    for status in [301, 302, 303, 307, 308] {
        for target in [
            format!("{}/api/games/user/samplerook", other.address),
            other.address.replacen("http:", "", 1),
            "https://lichess.org/".to_owned(),
            "ftp://lichess.org/".to_owned(),
            String::new(),
        ] {
            let reply = Reply::new(status, "text/plain", "").with("Location", &target);
            let error = error_with(reply, |settings| {
                let place = settings.address(FetchSite::Lichess).to_owned();
                let line = format!("{place} lip_secret");
                settings.tokens = FetchTokens::read(&line, "the test").expect("tokens");
            });
            assert!(matches!(error, FetchError::OtherHost { .. }), "{error}");
            assert!(!error.to_string().contains("lip_secret"));
        }
    }
    assert!(other.take().is_empty());
    // And no circle is followed for ever.
    let reply = Reply::new(302, "text/plain", "").with("Location", "/again");
    assert!(matches!(error_of(reply), FetchError::Status { .. }));
}

#[test]
fn who_asks_to_wait_is_waited_for() {
    let account = account(3);
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    let server = StandIn::start(move |asked| match seen.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => Reply::new(429, "text/plain", "Too many requests").with("Retry-After", "1"),
        _ => answer(&account, asked),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    let settings = settings(FetchSite::Lichess, &server);
    let report = fetch_with(&base, settings, &rook()).expect("fetched");
    assert_eq!(report.added, 3);
    assert_eq!(server.most_at_once(), 1);
    // For an hour nobody waits; without a time a minute is meant.
    let long = Reply::new(429, "text/plain", "").with("Retry-After", "3600");
    let error = error_of(long);
    assert!(
        matches!(error, FetchError::Busy { seconds: 3600, .. }),
        "{error}"
    );
    let error = error_with(Reply::new(429, "text/plain", ""), |settings| {
        settings.longest_wait = Duration::from_secs(59);
    });
    assert!(
        matches!(error, FetchError::Busy { seconds: 60, .. }),
        "{error}"
    );
}

#[test]
fn what_is_no_answer_is_told_in_a_sentence_and_changes_nothing() {
    let page = "<!doctype html><html><body>Log in to this network</body></html>";
    for kind in [
        "text/html; charset=utf-8",
        "application/x-ndjson",
        "text/plain",
    ] {
        let error = error_of(Reply::new(200, kind, page));
        assert!(
            matches!(error, FetchError::NotData { .. }),
            "{kind}: {error}"
        );
        assert!(!error.to_string().contains("Log in"), "{error}");
    }
    for (status, is_expected) in [
        (
            401,
            (|it| matches!(it, FetchError::NotAllowed { .. })) as fn(&FetchError) -> bool,
        ),
        (403, |it| matches!(it, FetchError::NotAllowed { .. })),
        (404, |it| matches!(it, FetchError::NotThere { .. })),
        (500, |it| matches!(it, FetchError::Status { .. })),
        (206, |it| matches!(it, FetchError::Status { .. })),
    ] {
        let error = error_of(Reply::new(status, "text/plain", "secret words"));
        assert!(is_expected(&error), "{status}: {error}");
        assert!(!error.to_string().contains("secret words"), "{error}");
    }
    let nobody = |settings: &mut FetchSettings| {
        settings
            .hosts
            .insert(FetchSite::Lichess, "http://127.0.0.1:9".to_owned());
    };
    let error = error_with(Reply::new(200, "text/plain", ""), nobody);
    assert!(matches!(error, FetchError::NoAnswer { .. }), "{error}");
}

#[test]
fn a_page_of_a_network_is_no_answer_of_any_site() {
    let page = "<!doctype html><html><body>Log in to this network</body></html>";
    let server = StandIn::start(move |_| Reply::new(200, "text/html; charset=utf-8", page));
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    let own = "[Event \"mine\"]\n[Result \"*\"]\n\n1. e4 *\n\n";
    std::fs::write(&base, own).expect("written");
    let sites = [
        FetchSite::Lichess,
        FetchSite::Chesscom,
        FetchSite::Twic,
        FetchSite::Fide,
        FetchSite::Dumps,
    ];
    let mut settings = settings(FetchSite::Lichess, &server);
    settings.hosts = sites.map(|site| (site, server.address.clone())).into();
    let sources = [
        FetchSource::lichess("samplerook"),
        FetchSource::chesscom("samplerook"),
        FetchSource::study("abcdefgh"),
        FetchSource::broadcast("abcdefgh"),
        Ok(FetchSource::TwicIssues(1650, 1650)),
    ];
    let mut errors = Vec::new();
    for source in sources {
        let source = source.expect("a source");
        errors.push(fetch_with(&base, settings.clone(), &source).expect_err("no data"));
    }
    let control = Control::default();
    let list = folder.path().join("fide.zip");
    errors.push(fetch_ratings(&list, settings.clone(), &control).expect_err("no list"));
    let month = FetchSource::dump("2026-10").expect("a month");
    let target = folder.path().join("month.pgn");
    errors.push(fetch_dump(&month, &target, None, settings, &control).expect_err("no month"));
    for error in errors {
        let text = error.to_string();
        assert!(matches!(error, FetchError::NotData { .. }), "{error:?}");
        assert!(!text.contains("Log in") && !text.contains('\n'), "{text}");
    }
    assert_eq!(std::fs::read_to_string(&base).expect("the base"), own);
    assert!(!list.exists() && !target.exists());
}

/// With the limits that users have, and little memory.
#[cfg(target_os = "linux")]
#[test]
fn two_gigabytes_are_refused_in_a_sentence_and_little_memory() {
    use std::process::Command;

    let server = StandIn::start(|asked| match asked.place() {
        "/pub/player/samplerook/games/archives" => Reply::new(
            200,
            "application/json",
            r#"{"archives":["https://x/2024/05"]}"#,
        ),
        // One game that does not end, for Lichess, and a list that does not, for chess.com.
        place if place.starts_with("/api/games/user") => Reply {
            endless: true,
            ..Reply::new(
                200,
                "application/x-ndjson",
                r#"{"id":"x","moves":""#.to_owned() + &"e4 ".repeat(20_000),
            )
        }
        .with("Content-Length", "2147483648"),
        _ => Reply {
            endless: true,
            ..Reply::new(200, "application/json", r#"{"games":[],"#.repeat(5_000))
        }
        .with("Content-Length", "2147483648"),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let own = "[Event \"mine\"]\n[Result \"*\"]\n\n1. e4 *\n\n";
    let base = folder.path().join("mine.pgn");
    std::fs::write(&base, own).expect("written");
    for site in ["lichess", "chesscom"] {
        let run = Command::new("sh")
            .args(["-c", "ulimit -v 700000; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_tabiya-fetch"))
            .args(["--host", &format!("{site}={}", server.address)])
            .args([site, "SampleRook", "-o", "mine.pgn"])
            .current_dir(folder.path())
            .env("XDG_CONFIG_HOME", folder.path())
            .output()
            .expect("the program runs");
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{site}: {said}");
        let errors = said.lines().filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{site}: {said}");
        assert_eq!(std::fs::read_to_string(&base).expect("the base"), own);
    }
}

#[test]
fn an_answer_without_an_end_is_not_read_to_its_end() {
    let small = |settings: &mut FetchSettings| {
        settings.game_bytes = 1 << 20;
        settings.answer_bytes = 1 << 20;
    };
    for body in [
        r#"{"id":"x","variant":"standard","players":{},"createdAt":1,"moves":""#.to_owned()
            + &"e4 ".repeat(50_000),
        "x".repeat(100_000),
        " ".repeat(100_000) + "{",
        "\n".repeat(100_000),
    ] {
        let error = error_with(
            Reply {
                endless: true,
                ..Reply::new(200, "application/x-ndjson", body)
            },
            small,
        );
        assert!(
            matches!(error, FetchError::Cut { .. } | FetchError::NotData { .. }),
            "{error}"
        );
    }
    // A month, a list and an archive are bounded as a whole.
    let folder = tempfile::tempdir().expect("a folder");
    let endless = StandIn::start(|asked| match asked.place() {
        "/pub/player/aa/games/archives" => Reply::new(
            200,
            "application/json",
            r#"{"archives":["https://x/2024/05"]}"#,
        ),
        "/pub/player/bb/games/archives" => Reply {
            endless: true,
            ..Reply::new(200, "application/json", "[".repeat(100_000))
        },
        _ => Reply {
            endless: true,
            ..Reply::new(200, "application/json", r#"{"games":[],"#.repeat(10_000))
        },
    });
    for user in ["aa", "bb"] {
        let mut settings = settings(FetchSite::Chesscom, &endless);
        small(&mut settings);
        let source = FetchSource::chesscom(user).expect("a name");
        let base = folder.path().join("mine.pgn");
        let error = fetch_with(&base, settings, &source).expect_err("no end");
        assert!(matches!(error, FetchError::TooLong { .. }), "{error}");
        assert!(!base.exists());
    }
}

#[test]
fn what_swells_when_it_is_unpacked_is_stopped() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let head = r#"{"id":"x","variant":"standard","players":{},"createdAt":1,"moves":""#;
    packer.write_all(head.as_bytes()).expect("packed");
    for _ in 0..1000 {
        packer.write_all(&[b'e'; 1 << 16]).expect("packed");
    }
    let bomb = packer.finish().expect("packed");
    assert!(bomb.len() < 1 << 20);
    let reply = Reply::new(200, "application/x-ndjson", bomb).with("Content-Encoding", "gzip");
    let error = error_with(reply, |settings| settings.game_bytes = 1 << 20);
    assert!(
        matches!(error, FetchError::Cut { .. } | FetchError::NotData { .. }),
        "{error}"
    );
}

#[test]
fn an_archive_that_swells_is_no_issue() {
    // Three hundred megabytes of games, or of one comment, in less than one.
    for text in ["[Event \"x\"]\n\n1. e4 *\n\n", "{"] {
        let packed = swollen_zip("twic1650.pgn", text.as_bytes(), 300 << 20);
        assert!(packed.len() < 2 << 20);
        let server = StandIn::start(move |_| Reply::new(200, "application/zip", packed.clone()));
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("twic.pgn");
        let source = FetchSource::TwicIssues(1650, 1650);
        let error = fetch_with(&base, settings(FetchSite::Twic, &server), &source);
        let error = error.expect_err("no issue").to_string();
        assert!(
            !error.contains('\n') && error.starts_with("http"),
            "{error}"
        );
        assert!(!base.exists());
    }
}

/// An archive with one file that is a text again and again.
fn swollen_zip(name: &str, text: &[u8], size: usize) -> Vec<u8> {
    let block = text.repeat((1 << 20) / text.len());
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    let mut crc = flate2::Crc::new();
    for _ in 0..size / block.len() {
        packer.write_all(&block).expect("packed");
        crc.update(&block);
    }
    let packed = packer.finish().expect("packed");
    let size = u32::try_from(size / block.len() * block.len()).expect("a size");
    let mut common = vec![20, 0, 0, 0, 8, 0, 0, 0, 33, 0];
    common.extend(crc.sum().to_le_bytes());
    common.extend(u32::try_from(packed.len()).expect("a size").to_le_bytes());
    common.extend(size.to_le_bytes());
    common.extend(u16::try_from(name.len()).expect("short").to_le_bytes());
    common.extend([0, 0]);
    let mut file = b"PK\x03\x04".to_vec();
    file.extend(&common);
    file.extend(name.as_bytes());
    file.extend(packed);
    let start = u32::try_from(file.len()).expect("a size");
    file.extend(b"PK\x01\x02\x14\x00");
    file.extend(&common);
    file.extend([0; 14]);
    file.extend(name.as_bytes());
    let length = u32::try_from(file.len()).expect("a size") - start;
    file.extend(b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00");
    file.extend(length.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0; 2]);
    file
}

#[test]
fn a_wrong_certificate_ends_it_before_anything_is_sent() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heard);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut connection =
                rustls::ServerConnection::new(Arc::new(own_certificate())).expect("a connection");
            let mut tls = rustls::Stream::new(&mut connection, &mut stream);
            let mut bytes = vec![0; 4096];
            if let Ok(length) = std::io::Read::read(&mut tls, &mut bytes) {
                let text = bytes.get(..length).unwrap_or_default().to_vec();
                seen.lock().expect("a lock").extend(text);
            }
        }
    });
    let error = error_with(Reply::new(200, "text/plain", ""), |settings| {
        let place = format!("https://localhost:{port}");
        let line = format!("{place} lip_secret");
        settings.tokens = FetchTokens::read(&line, "the test").expect("tokens");
        settings.hosts.insert(FetchSite::Lichess, place);
    });
    assert!(matches!(error, FetchError::Certificate { .. }), "{error}");
    assert!(heard.lock().expect("a lock").is_empty());
}

/// A certificate that nobody has signed but itself.
fn own_certificate() -> rustls::ServerConfig {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let certificate = CertificateDer::from_pem_slice(include_bytes!("../data/localhost.pem"));
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../data/localhost.key"));
    rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.expect("a certificate")],
            key.expect("a key"),
        )
        .expect("a server")
}
