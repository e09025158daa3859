//! Links, pipes and hidden names: nothing outside of the served folder is listed, read, changed or made, also where a folder is
//! exchanged with a link between a look and a use.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::json;

use crate::MARK;
use crate::server::{Server, corpus};

/// What stands outside and is to be seen by nobody.
const SECRET: &str = "[White \"Outside, Secret\"]\n[Black \"Secret, Outside\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 *\n";

/// A folder beside the served one, with a database in it.
struct Outside(tempfile::TempDir);

impl Outside {
    fn new() -> Outside {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("x.pgn"), SECRET).expect("written");
        Outside(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().expect("there")
    }

    /// Nothing is there but what was there.
    fn is_as_it_was(&self) {
        let names: Vec<_> = std::fs::read_dir(self.0.path())
            .expect("listed")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert_eq!(names, ["x.pgn"]);
        let text = std::fs::read_to_string(self.0.path().join("x.pgn"));
        assert_eq!(text.expect("read"), SECRET);
    }
}

fn inside(server: &Server) -> PathBuf {
    server.folder.path().canonicalize().expect("there")
}

fn post(server: &Server, path: &str, body: &serde_json::Value) -> crate::server::Reply {
    server.post(path, MARK, &body.to_string())
}

fn says_secret(reply: &crate::server::Reply) -> bool {
    String::from_utf8_lossy(&reply.body).contains("Outside, Secret")
}

#[test]
fn links_lead_out_of_no_folder() {
    let outside = Outside::new();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(corpus().join("opera.pgn"), folder.path().join("opera.pgn")).expect("copied");
    // Before the server starts, and while it runs.
    symlink(
        outside.path().join("x.pgn"),
        folder.path().join("early.pgn"),
    )
    .expect("linked");
    symlink(outside.path(), folder.path().join("folder")).expect("linked");
    let server = Server::of(folder, false);
    let own = inside(&server);
    let listed = server.get("/api/v1/bases");
    assert_eq!(listed.json()["bases"].as_array().map(Vec::len), Some(1));
    assert!(!says_secret(&listed));
    let failed = server.ready.failed.join("\n");
    assert!(
        failed.contains("early.pgn") && failed.contains("leads out"),
        "{failed}"
    );
    symlink(outside.path().join("x.pgn"), own.join("late.pgn")).expect("linked");
    for name in ["early.pgn", "late.pgn", "folder/x.pgn", "folder"] {
        let reply = post(&server, "/api/v1/bases", &json!({"path": own.join(name)}));
        assert_eq!(reply.status, 403, "{name}");
        assert!(!says_secret(&reply));
        let damaged = json!({"damaged": own.join(name), "path": own.join("y.pgn")});
        let status = post(&server, "/api/v1/conversions", &damaged).status;
        assert!(matches!(status, 403 | 404), "{name}: {status}");
    }
    // A base that becomes a link while it is open.
    let base = server.base();
    let opera = own.join("opera.pgn");
    std::fs::remove_file(&opera).expect("removed");
    symlink(outside.path().join("x.pgn"), &opera).expect("linked");
    for what in [
        "rows",
        "games/1",
        "games/1/pgn",
        "history",
        "search?query=white:Outside",
    ] {
        let reply = server.get(&format!("/api/v1/bases/{base}/{what}"));
        assert!(!says_secret(&reply), "{what}");
        assert_eq!(reply.status, 403, "{what}");
    }
    for change in [
        json!({"kind": "delete", "games": [1]}),
        json!({"kind": "compact"}),
    ] {
        let path = format!("/api/v1/bases/{base}/change");
        let reply = post(&server, &path, &json!({"change": change}));
        assert_eq!(reply.status, 403, "{change}");
    }
    // Nothing is added through a link, or made behind one.
    std::fs::remove_file(&opera).expect("removed");
    std::fs::copy(corpus().join("opera.pgn"), &opera).expect("copied");
    assert_eq!(
        server.get(&format!("/api/v1/bases/{base}/rows")).status,
        200
    );
    for (name, append) in [
        ("late.pgn", true),
        ("folder/new.pgn", false),
        ("folder/x.pgn", true),
    ] {
        let wish = json!({"sources": [base], "path": own.join(name), "append": append});
        let status = post(&server, "/api/v1/conversions", &wish).status;
        assert_eq!(status, 403, "{name}");
    }
    outside.is_as_it_was();
}

#[test]
fn only_databases_are_made_and_none_is_hidden() {
    let server = Server::start(false);
    let own = inside(&server);
    std::fs::create_dir(own.join(".ssh")).expect("made");
    let base = server.base();
    for name in [
        "authorized_keys",
        ".bashrc",
        ".hidden.pgn",
        ".ssh/keys.pgn",
        "x.sh",
        "crontab",
    ] {
        let path = own.join(name);
        for wish in [
            json!({"sources": [base], "path": path, "format": "pgn"}),
            json!({"sources": [base], "path": path}),
            json!({"sources": [base], "path": path, "format": "pgn", "append": true}),
        ] {
            let status = post(&server, "/api/v1/conversions", &wish).status;
            assert!(status == 400, "{name}: {status}");
        }
        let status = post(&server, "/api/v1/new", &json!({"path": path})).status;
        assert!(status == 400, "{name}: {status}");
    }
    assert_eq!(
        std::fs::read_dir(own.join(".ssh")).expect("listed").count(),
        0
    );
    assert!(!own.join("authorized_keys").exists() && !own.join(".bashrc").exists());
}

#[test]
fn what_is_no_file_holds_nothing_up() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(corpus().join("opera.pgn"), folder.path().join("opera.pgn")).expect("copied");
    let pipe = |path: &Path| {
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.is_ok_and(|status| status.success()));
    };
    for name in [
        "x.pgn",
        "y.si5",
        "opera.pgn.tabiya-history",
        "opera.pgn.tabiya-index",
        "z.cbh",
        "notes",
    ] {
        pipe(&folder.path().join(name));
    }
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("s.pgn"));
    symlink("/dev/zero", folder.path().join("zero.pgn")).expect("linked");
    // It starts, and tells what is no database by its name.
    let server = Server::of(folder, false);
    let own = inside(&server);
    let failed = server.ready.failed.join("\n");
    for name in ["x.pgn", "s.pgn", "zero.pgn"] {
        assert!(failed.contains(name), "{failed}");
    }
    assert!(!failed.contains("notes"), "{failed}");
    let base = server.base();
    pipe(&own.join("late.pgn"));
    for name in ["x.pgn", "late.pgn", "s.pgn", "notes"] {
        let path = own.join(name);
        let status = post(&server, "/api/v1/bases", &json!({"path": path})).status;
        assert!((400..500).contains(&status), "{name}: {status}");
        let wish = json!({"sources": [base], "path": path, "format": "pgn", "append": true});
        let status = post(&server, "/api/v1/conversions", &wish).status;
        assert!((400..500).contains(&status), "{name}: {status}");
    }
    // What should be the history or the index beside a base is a pipe: told, and not waited for.
    for what in ["rows", "history", "games/1"] {
        let status = server.get(&format!("/api/v1/bases/{base}/{what}")).status;
        assert!(status < 500, "{what}: {status}");
    }
    // A base that becomes a pipe while it is open.
    std::fs::remove_file(own.join("opera.pgn")).expect("removed");
    pipe(&own.join("opera.pgn"));
    let status = server.get(&format!("/api/v1/bases/{base}/rows")).status;
    assert!((400..500).contains(&status), "{status}");
    assert_eq!(server.get("/api/v1/explore").status, 200);
    crate::lives(&server);
}

/// How often the folder is exchanged with a link.
const EXCHANGES: u64 = 50_000;

#[test]
fn exchanges_between_look_and_use_lead_nowhere() {
    let outside = Outside::new();
    let folder = tempfile::tempdir().expect("a folder");
    let sub = folder.path().join("sub");
    std::fs::create_dir(&sub).expect("made");
    std::fs::copy(corpus().join("opera.pgn"), sub.join("x.pgn")).expect("copied");
    std::fs::copy(corpus().join("opera.pgn"), folder.path().join("own.pgn")).expect("copied");
    symlink(outside.path(), folder.path().join("link")).expect("linked");
    let server = Server::of(folder, false);
    let own = inside(&server);
    let bases = server.get("/api/v1/bases").json();
    let id = |name: &str| {
        let all = bases["bases"].as_array().expect("bases");
        let one = all.iter().find(|base| base["name"] == name);
        one.and_then(|base| base["id"].as_str())
            .expect("open")
            .to_owned()
    };
    let (raced, safe) = (id("x.pgn"), id("own.pgn"));
    let (done, asked) = (AtomicBool::new(false), AtomicU64::new(0));
    let (server, own, done, asked) = (&server, own.as_path(), &done, &asked);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (sub, link, aside) = (own.join("sub"), own.join("link"), own.join("aside"));
            let mut exchanged = 0;
            // So often, and until enough was asked meanwhile.
            while exchanged < EXCHANGES || asked.load(Ordering::Relaxed) < 400 {
                std::fs::rename(&sub, &aside).expect("put aside");
                std::fs::rename(&link, &sub).expect("the link in its place");
                std::fs::rename(&sub, &link).expect("the link put aside");
                std::fs::rename(&aside, &sub).expect("and back");
                exchanged += 2;
            }
            done.store(true, Ordering::Release);
        });
        let file = own.join("sub/x.pgn");
        let change = json!({"kind": "delete", "games": [1]});
        let wishes = [
            ("/api/v1/bases".to_owned(), json!({"path": file})),
            (
                format!("/api/v1/bases/{raced}/change"),
                json!({"change": change}),
            ),
            (
                format!("/api/v1/bases/{raced}/change"),
                json!({"change": {"kind": "undo"}}),
            ),
            (
                "/api/v1/new".to_owned(),
                json!({"path": own.join("sub/new.pgn")}),
            ),
            (
                "/api/v1/conversions".to_owned(),
                json!({"sources": [safe], "path": file, "append": true}),
            ),
            (
                "/api/v1/conversions".to_owned(),
                json!({"sources": [safe], "path": own.join("sub/made.pgn")}),
            ),
            (
                "/api/v1/conversions".to_owned(),
                json!({"damaged": file, "path": "told.pgn", "dry": true}),
            ),
            (format!("/api/v1/bases/{raced}/index"), json!({})),
        ];
        scope.spawn(move || {
            for (path, body) in wishes.iter().cycle() {
                if done.load(Ordering::Acquire) {
                    break;
                }
                let reply = post(server, path, body);
                assert!(
                    reply.status < 500 || reply.status == 503,
                    "{path} {body}: {} {}",
                    reply.status,
                    String::from_utf8_lossy(&reply.body)
                );
                assert!(!says_secret(&reply), "{path} {body}");
                asked.fetch_add(1, Ordering::Relaxed);
            }
        });
        scope.spawn(move || {
            let reads = [
                "rows",
                "games/1",
                "games/1/pgn",
                "search?query=white:Outside",
                "history",
            ];
            for what in reads.iter().cycle() {
                if done.load(Ordering::Acquire) {
                    break;
                }
                let reply = server.get(&format!("/api/v1/bases/{raced}/{what}"));
                assert!(!says_secret(&reply), "{what}");
                asked.fetch_add(1, Ordering::Relaxed);
            }
        });
    });
    // What was begun comes to its end.
    while server
        .get("/api/v1/jobs")
        .json()
        .as_array()
        .is_some_and(|all| all.iter().any(|job| job["state"] == "running"))
    {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    outside.is_as_it_was();
    assert!(asked.load(Ordering::Relaxed) > 100, "{asked:?}");
    crate::lives(server);
}
