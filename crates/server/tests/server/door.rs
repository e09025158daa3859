//! The server as strangers meet it: every request that should not come in is refused with the right code, and the server
//! lives.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use crate::server::{Server, corpus};

const MARK: &str = "X-Tabiya: 1\r\n";

#[test]
fn files_of_the_app_are_sent_as_the_browser_takes_them() {
    let server = Server::start(false);
    let page = String::from_utf8(server.get("/").body).expect("a page");
    let script = page
        .split('"')
        .find(|part| part.starts_with("/assets/") && part.ends_with(".js"))
        .expect("a script");
    let ask = |headers: &str| {
        server.ask(&format!(
            "GET {script} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nSec-Fetch-Site: same-origin\r\n{headers}\r\n",
            server.address(),
            server.cookie
        ))
    };
    let plain = ask("");
    assert_eq!(plain.status, 200);
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(plain.header("vary"), Some("accept-encoding"));
    let packed = ask("Accept-Encoding: gzip, br\r\n");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert_eq!(packed.header("content-type"), plain.header("content-type"));
    assert!(packed.body.len() < plain.body.len());
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed.body[..])
        .read_to_end(&mut bytes)
        .expect("whole");
    assert!(bytes == plain.body);
    // Each form has a mark of its own, by which it is known again.
    let tags = [&plain, &packed].map(|reply| reply.header("etag").expect("a mark").to_owned());
    assert_ne!(tags[0], tags[1]);
    for (tag, accept) in [(&tags[0], ""), (&tags[1], "Accept-Encoding: gzip\r\n")] {
        let again = ask(&format!("{accept}If-None-Match: {tag}\r\n"));
        assert_eq!((again.status, again.body.len()), (304, 0));
        assert_eq!(again.header("content-encoding"), None);
    }
    assert_eq!(ask(&format!("If-None-Match: {}\r\n", tags[1])).status, 200);
}

#[test]
fn the_app_is_served_and_asks() {
    let server = Server::start(false);
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(String::from_utf8_lossy(&page.body).contains("<div id=\"app\">"));
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'none'") && policy.contains("trusted-types"));
    // Every place of the app is the same page; what is missing below the interface is not.
    assert_eq!(server.get("/base/x/game/3").status, 200);
    assert_eq!(server.get("/ui").status, 200);
    assert_eq!(server.get("/api/v1/nothing").status, 404);
    assert_eq!(server.get("/assets/..%2f..%2fCargo.toml").status, 404);
    let base = server.base();
    let rows = server.get(&format!("/api/v1/bases/{base}/rows")).json();
    assert_eq!(rows["total"], 1);
    assert_eq!(rows["rows"][0]["white"], "Morphy, Paul");
    let game = server.get(&format!("/api/v1/bases/{base}/games/1")).json();
    assert_eq!(game["schema"], "tabiya-game-1");
    assert_eq!(
        server.get(&format!("/api/v1/bases/{base}/games/2")).status,
        404
    );
    // Who asks learns what is wrong as data.
    let missing = server.get(&format!("/api/v1/bases/{base}/games/2")).json();
    assert_eq!(missing["code"], "no-such-game");
    assert_eq!(missing["values"]["number"], "2");
    let (error, message) = (&missing["error"], &missing["values"]["message"]);
    let message = message.as_str().expect("a message");
    assert!(message.starts_with("there is no game"), "{message}");
    assert!(error.as_str().is_some_and(|error| error.ends_with(message)));
    let position = server.get(&format!("/api/v1/explore?base={base}&fen=zz"));
    assert_eq!(position.status, 400);
    let position = position.json();
    assert_eq!(position["code"], "bad-position");
    assert_eq!(position["parameter"], "fen");
    let explored = server.get(&format!("/api/v1/explore?base={base}")).json();
    assert_eq!(explored["moves"][0]["san"], "e4");
    let found = server.get(&format!("/api/v1/bases/{base}/search?query=white%3AMorphy"));
    let text = String::from_utf8_lossy(&found.body).into_owned();
    assert!(
        text.contains("\"kind\":\"done\"") && text.contains("Morphy"),
        "{text}"
    );
    let wrong = server.get(&format!("/api/v1/bases/{base}/search?query=nonsense%3A%3A"));
    assert_eq!(wrong.status, 422);
    let wrong = wrong.json();
    assert!(wrong["fault"]["message"].is_string());
    assert_eq!(wrong["values"]["message"], wrong["fault"]["message"]);
}

#[test]
fn an_encrypted_archive_is_answered_with_the_hint_that_its_password_is_wanted() {
    let server = Server::start(false);
    let archive = server.folder.path().join("x.cbz");
    std::fs::copy(corpus().join("../../cbh/ok/hidden.cbz"), &archive).expect("copied");
    let wish = serde_json::json!({ "path": archive }).to_string();
    let refused = server.post("/api/v1/bases", MARK, &wish);
    assert_eq!(refused.status, 400);
    let refused = refused.json();
    assert_eq!(refused["code"], "foreign-format");
    assert_eq!(refused["hint"]["code"], "password");
    assert_eq!(refused["password"], true);
    let message = refused["values"]["message"].as_str().expect("a message");
    assert!(message.contains("an encrypted archive"), "{message}");
}

#[test]
fn the_explorer_answers_for_speeds_and_variants() {
    let server = Server::start(false);
    let base = server.base();
    let games = |parameters: &str| {
        let answer = server.get(&format!("/lichess?base={base}&{parameters}"));
        assert_eq!(answer.status, 200, "{parameters}");
        let answer = answer.json();
        assert_eq!(answer["whole"], true, "{parameters}");
        answer["games"].as_u64()
    };
    // Nothing says how fast the game was: it counts for every speed.
    for parameters in [
        "speeds=blitz",
        "speeds=bullet,rapid",
        "speeds=ultraBullet,bullet,blitz,rapid,classical,correspondence",
        "variant=standard",
        "variant=fromPosition",
    ] {
        assert_eq!(games(parameters), Some(1), "{parameters}");
    }
    assert_eq!(games("variant=chess960"), Some(0));
    let wrong = server.get(&format!("/lichess?base={base}&speeds=quick"));
    assert_eq!(wrong.status, 400);
}

#[test]
fn strangers_are_sent_away() {
    let server = Server::start(false);
    let (address, cookie) = (server.address(), server.cookie.clone());
    let port = address.port();
    let get = |headers: &str| {
        server
            .ask(&format!("GET /api/v1/bases HTTP/1.1\r\n{headers}\r\n"))
            .status
    };
    let ours = format!("Host: {address}\r\nCookie: {cookie}\r\n");
    assert_eq!(get(&ours), 200);
    assert_eq!(
        get(&format!("Host: localhost:{port}\r\nCookie: {cookie}\r\n")),
        200
    );
    // Another name that somebody has pointed here, no port, two hosts, none.
    let other_port = format!("127.0.0.1:{}", port ^ 1);
    for host in [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1.evil.example:80",
        &other_port,
    ] {
        assert_eq!(
            get(&format!("Host: {host}\r\nCookie: {cookie}\r\n")),
            421,
            "{host}"
        );
    }
    assert_eq!(
        get(&format!(
            "Host: evil.example:{port}\r\nCookie: {cookie}\r\n"
        )),
        421
    );
    assert_eq!(get(&format!("{ours}Host: {address}\r\n")), 400);
    assert_eq!(get(&format!("Cookie: {cookie}\r\n")), 400);
    // No cookie, a wrong one, one of another port, the token once more.
    assert_eq!(get(&format!("Host: {address}\r\n")), 401);
    assert_eq!(
        get(&format!("Host: {address}\r\nCookie: {cookie}0\r\n")),
        401
    );
    let value = cookie.split_once('=').expect("a pair").1;
    assert_eq!(
        get(&format!("Host: {address}\r\nCookie: tabiya-1={value}\r\n")),
        401
    );
    let token = server.ready.url.split_once("?token=").expect("a token").1;
    let again = server.ask(&format!(
        "GET /?token={token} HTTP/1.1\r\nHost: {address}\r\n\r\n"
    ));
    assert_eq!(again.status, 401);
    // Pages of other sites.
    assert_eq!(get(&format!("{ours}Origin: http://evil.example\r\n")), 403);
    assert_eq!(get(&format!("{ours}Origin: null\r\n")), 403);
    assert_eq!(get(&format!("{ours}Origin: http://{address}\r\n")), 200);
    for site in ["cross-site", "same-site"] {
        assert_eq!(
            get(&format!("{ours}Sec-Fetch-Site: {site}\r\n")),
            403,
            "{site}"
        );
    }
    // What changes something wants its mark.
    let base = server.base();
    let index = format!("/api/v1/bases/{base}/index");
    assert_eq!(server.post(&index, "", "{}").status, 403);
    assert_eq!(server.post(&index, "X-Tabiya: 1\r\n", "{}").status, 200);
}

#[test]
fn paths_lead_nowhere_else() {
    let server = Server::start(false);
    let open = |path: &str| {
        let body = serde_json::json!({ "path": path }).to_string();
        server
            .post("/api/v1/bases", "X-Tabiya: 1\r\n", &body)
            .status
    };
    let inside = server.folder.path().join("opera.pgn");
    assert_eq!(open(&inside.display().to_string()), 200);
    assert_eq!(open("/no/such/file"), 400);
    // A name that begins like the folder is not within it.
    let beside = format!("{}x", server.folder.path().display());
    std::fs::create_dir(&beside).expect("a folder");
    std::fs::copy(&inside, format!("{beside}/a.pgn")).expect("copied");
    assert_eq!(open(&format!("{beside}/a.pgn")), 403);
    let name = Path::new(&beside).file_name().expect("a name");
    let around = server.folder.path().join("..").join(name).join("a.pgn");
    assert_eq!(open(&around.display().to_string()), 403);
    #[cfg(unix)]
    {
        assert_eq!(open("/etc/passwd"), 403);
        let up = server.folder.path().join("../".repeat(20) + "etc/passwd");
        assert_eq!(open(&up.display().to_string()), 403);
        let link = server.folder.path().join("link.pgn");
        std::os::unix::fs::symlink(format!("{beside}/a.pgn"), &link).expect("a link");
        assert_eq!(open(&link.display().to_string()), 403);
    }
    std::fs::remove_dir_all(&beside).expect("removed");
}

#[test]
fn bodies_and_broken_requests_are_bounded() {
    let server = Server::start(true);
    let mark = "X-Tabiya: 1\r\n";
    let large = format!("{{\"path\":\"{}\"}}", "a".repeat(200_000));
    assert_eq!(server.post("/api/v1/bases", mark, &large).status, 413);
    for (body, wanted) in [
        ("", 400),
        ("{", 400),
        ("[]", 422),
        ("{\"path\":1}", 422),
        ("{\"path\":\"a\",\"more\":1}", 422),
        ("\u{0}", 400),
    ] {
        let status = server.post("/api/v1/bases", mark, body).status;
        assert_eq!(status, wanted, "{body}");
    }
    let base = server.base();
    let long = "a".repeat(20_000);
    let asked = server.get(&format!("/api/v1/bases/{base}/search?query={long}"));
    assert_eq!(asked.status, 400);
    // Nothing is changed where nothing may be.
    let index = format!("/api/v1/bases/{base}/index");
    assert_eq!(server.post(&index, mark, "{}").status, 403);
    for request in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "\u{1}\u{2}\u{3}\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
    ] {
        assert_eq!(server.ask(request).status, 400, "{request:?}");
    }
    // Many that say nothing do not keep the others out for ever, and the server lives.
    let idle: Vec<_> = (0..400)
        .filter_map(|_| TcpStream::connect(server.address()).ok())
        .collect();
    drop(idle);
    let mut alive = 0;
    for _ in 0..100 {
        alive = server.get("/api/v1/bases").status;
        if alive == 200 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(alive, 200);
}

#[test]
fn answers_arrive_whole_whatever_is_not_read() {
    let server = Server::start(false);
    let path = server.folder.path().join("opera.pgn");
    let text = std::fs::read_to_string(&path).expect("a sample");
    let (tags, _) = text.split_once("\n\n").expect("tags");
    // An answer that is larger than what waits on its way.
    let long = "Nf3 Nf6 Ng1 Ng8 ".repeat(20_000);
    std::fs::write(&path, format!("{tags}\n\n1. {long}*\n")).expect("written");
    let base = server.base();
    let address = server.address();
    // Head and body apart: when the head is answered nobody has read the body, and what is refused reads none.
    let send = |headers: &str, body: usize| {
        let mut stream = TcpStream::connect(address).expect("connected");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a time limit");
        let head = format!(
            "POST /api/v1/bases/{base}/games/1/edit HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\
             Content-Type: application/json\r\nContent-Length: {body}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let _ = stream.write_all(&vec![b' '; body]);
        std::thread::sleep(Duration::from_millis(50));
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("no reset");
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.expect("a head");
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.split("content-length: ").nth(1).expect("a length");
        let length: usize = length
            .split("\r\n")
            .next()
            .unwrap_or("")
            .parse()
            .expect("it");
        assert_eq!(bytes.len() - end - 4, length, "{head}");
        (head[9..12].to_owned(), length)
    };
    let ours = format!("Cookie: {}\r\nX-Tabiya: 1\r\n", server.cookie);
    for _ in 0..5 {
        let (status, length) = send(&ours, 2);
        assert_eq!(status, "200");
        assert!(length > 1 << 20, "{length}");
        assert_eq!(send("", 50_000_000).0, "403");
        assert_eq!(send("X-Tabiya: 1\r\n", 50_000_000).0, "401");
        assert_eq!(send(&ours, 50_000_000).0, "413");
    }
}

#[test]
fn copies_are_opened_and_their_names_lead_nowhere() {
    let server = Server::start(false);
    let text = std::fs::read_to_string(corpus().join("opera.pgn")).expect("a sample");
    let send = |name: &str, text: &str| {
        let body = format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n--x--\r\n"
        );
        server.ask(&format!(
            "POST /api/v1/uploads HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nX-Tabiya: 1\r\nContent-Type: multipart/form-data; \
             boundary=x\r\nContent-Length: {}\r\n\r\n{body}",
            server.address(),
            server.cookie,
            body.len()
        ))
    };
    let taken = send("mine.pgn", &text);
    assert_eq!(
        taken.status,
        200,
        "{}",
        String::from_utf8_lossy(&taken.body)
    );
    let bases = taken.json();
    assert_eq!(bases[0]["name"], "mine.pgn");
    assert_eq!(bases[0]["copy"], true);
    assert_eq!(bases[0]["index"], "impossible");
    let elsewhere = std::env::temp_dir().join(format!("door-{}.pgn", std::process::id()));
    for name in ["../../x.pgn", &elsewhere.to_string_lossy(), "a\\b.pgn"] {
        // The last part of the name is all that counts.
        assert_eq!(send(name, &text).status, 200, "{name}");
        assert!(!elsewhere.exists());
    }
    for name in ["", ".", "..", ".hidden", "a:b"] {
        assert_eq!(send(name, &text).status, 400, "{name}");
    }
    // What is wrong is said of the files as they were called, and nothing of where they lie here.
    let picture = send("picture.jpg", "\u{0}\u{1}no games");
    assert_eq!(picture.status, 400);
    assert_eq!(
        picture.json()["error"],
        "picture.jpg: there is no chess database here"
    );
    let alone = send("mine.si4", "Scid.si\u{0}").json()["error"].to_string();
    assert!(
        alone.contains("its companion \\\"mine.sg4\\\" is missing in the same folder")
            && !alone.contains('/'),
        "{alone}"
    );
}

#[test]
fn the_description_names_every_route() {
    let server = Server::start(false);
    let described = server.get("/api/v1/openapi.json").json();
    let paths = described["paths"].as_object().expect("paths");
    assert_eq!(paths.len(), 71);
    let base = server.base();
    for (path, methods) in paths {
        let path = path
            .replace("{base}", &base)
            .replace("{number}", "1")
            .replace("{view}", "v1")
            .replace("{job}", "j1")
            .replace("{edit}", "e1")
            .replace("{training}", "t1");
        if methods.get("get").is_some() {
            let reply = server.get(&path);
            let is_missing_route = reply.status == 404
                && String::from_utf8_lossy(&reply.body).contains("there is no such route");
            assert!(
                !is_missing_route && reply.status != 405,
                "{path}: {}",
                reply.status
            );
        }
    }
}

#[test]
fn years_and_places_are_told() {
    let server = Server::start(true);
    let base = server.base();
    // The base says nothing of its years by itself: its games are read for them, once.
    let years = server.get(&format!("/api/v1/bases/{base}/years")).json()["years"].clone();
    let first = years[0].as_str().unwrap_or_default();
    assert!(first.starts_with("1858"), "{years}");
    let described = server.get(&format!("/api/v1/bases/{base}")).json();
    assert_eq!(described["years"], years);
    assert_eq!(server.get("/api/v1/bases/nobody/years").status, 404);
    let places = server.get("/api/v1/places").json();
    let folders = places["folders"].as_array();
    assert!(folders.is_some_and(|all| !all.is_empty()), "{places}");
}

#[test]
fn games_are_saved_in_the_order_of_their_numbers() {
    let server = Server::start(true);
    let path = format!("/api/v1/bases/{}/pgn", server.base());
    let mark = "X-Tabiya: 1\r\n";
    let reply = server.post(&path, mark, r#"{"games": [1, 1]}"#);
    assert_eq!(reply.status, 200);
    let one = server.get(&format!("/api/v1/bases/{}/games/1/pgn", server.base()));
    assert_eq!(reply.body, one.body);
    assert_eq!(server.post(&path, "", r#"{"games": [1]}"#).status, 403);
    for (body, wanted) in [
        (r#"{"games": []}"#, 400),
        (r#"{"games": [-1]}"#, 422),
        (r#"{"games": "1"}"#, 422),
        ("{}", 422),
    ] {
        let status = server.post(&path, mark, body).status;
        assert_eq!(status, wanted, "{body}");
    }
    let many: Vec<String> = (1..=5_001).map(|number| number.to_string()).collect();
    let body = format!(r#"{{"games": [{}]}}"#, many.join(","));
    assert_eq!(server.post(&path, mark, &body).status, 400);
}

#[test]
fn lists_are_sorted_with_and_without_a_query() {
    let server = Server::start(false);
    let path = server.folder.path().join("opera.pgn");
    let text = std::fs::read_to_string(&path).expect("a sample");
    let other = text.replace("Morphy, Paul", "Anderssen, Adolf");
    std::fs::write(&path, format!("{text}\n{other}")).expect("written");
    let base = server.base();
    let asked = |parameters: &str| {
        let reply = server.get(&format!("/api/v1/bases/{base}/search?{parameters}"));
        assert_eq!(reply.status, 200, "{parameters}");
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        let view = text.split("\"view\":\"").nth(1).expect("a view");
        let view = view.split('"').next().unwrap_or("").to_owned();
        let rows = server.get(&format!("/api/v1/views/{view}/rows")).json();
        let names: Vec<String> = rows["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| row["white"].as_str().unwrap_or("").to_owned())
            .collect();
        (view, names)
    };
    let (anderssen, morphy) = ("Anderssen, Adolf".to_owned(), "Morphy, Paul".to_owned());
    let up = vec![anderssen.clone(), morphy.clone()];
    let down = vec![morphy.clone(), anderssen];
    for index in [false, true] {
        if index {
            let made = server.post(
                &format!("/api/v1/bases/{base}/index"),
                "X-Tabiya: 1\r\n",
                "{}",
            );
            assert_eq!(made.status, 200);
            while server.get("/api/v1/jobs").json()[0]["state"] == "running" {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        assert_eq!(asked("sort=white").1, up);
        assert_eq!(asked("sort=-white").1, down);
        assert_eq!(asked("query=result%3A1-0&sort=white").1, up);
        assert_eq!(
            asked("query=white%3AMorphy&sort=-date").1,
            std::slice::from_ref(&morphy)
        );
    }
    // What was done whole is not done twice, until the files are others.
    let (view, _) = asked("sort=white");
    assert_eq!(asked("sort=white").0, view);
    std::fs::write(&path, &text).expect("written");
    let (another, names) = asked("sort=white");
    assert_ne!(another, view);
    assert_eq!(names, [morphy]);
}
