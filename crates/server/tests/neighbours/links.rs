//! Links, pipes and hidden names: nothing outside of the served folder is listed, read, changed or made, also where a folder is
//! exchanged with a link between a look and a use.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value, json};
use tabiya_io::compression::UnpackLimits;
use tabiya_io::container::InputFiles;

use crate::MARK;
use crate::promises::contents;
use crate::server::{Reply, Server, corpus};

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
        failed.contains("early.pgn") && failed.contains("outside the open folders"),
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
    let bases = server.get("/api/v1/bases").json();
    let told = bases["bases"]
        .as_array()
        .and_then(|all| all.iter().find(|one| one["id"] == base));
    let told = told.expect("the base keeps its place");
    assert_eq!(told["refusal"]["code"], "no-permission", "{told}");
    assert_eq!(told["refusal"]["error"], told["trouble"]);
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

/// The bases that are open, by their names.
fn open_bases(server: &Server) -> BTreeMap<String, String> {
    let bases = server.get("/api/v1/bases").json();
    let all = bases["bases"].as_array().expect("bases");
    let text = |base: &Value, key: &str| base[key].as_str().expect(key).to_owned();
    all.iter()
        .map(|base| (text(base, "name"), text(base, "id")))
        .collect()
}

/// Exchanges the folder `sub` with a link that leads out, while some things are wished and some are read, over and over. Nothing that
/// is answered may hold one of the words that stand outside alone.
fn race(server: &Server, wishes: &[(String, Value)], reads: &[String], secrets: &[&str]) {
    let own = inside(server);
    let (done, asked) = (&AtomicBool::new(false), &AtomicU64::new(0));
    let tells_nothing = |reply: &Reply, what: &dyn Fn() -> String| {
        let text = String::from_utf8_lossy(&reply.body);
        assert!(
            reply.status < 500 || reply.status == 503,
            "{}: {} {text}",
            what(),
            reply.status
        );
        for secret in secrets {
            assert!(!text.contains(secret), "{}: {text}", what());
        }
        asked.fetch_add(1, Ordering::Relaxed);
    };
    let enough = (40 * (wishes.len() + reads.len())).max(400) as u64;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (sub, link, aside) = (own.join("sub"), own.join("link"), own.join("aside"));
            let mut exchanged = 0;
            // So often, and until enough was asked meanwhile.
            while exchanged < EXCHANGES || asked.load(Ordering::Relaxed) < enough {
                std::fs::rename(&sub, &aside).expect("put aside");
                std::fs::rename(&link, &sub).expect("the link in its place");
                std::fs::rename(&sub, &link).expect("the link put aside");
                std::fs::rename(&aside, &sub).expect("and back");
                exchanged += 2;
            }
            done.store(true, Ordering::Release);
        });
        scope.spawn(move || {
            for (path, body) in wishes.iter().cycle() {
                if done.load(Ordering::Acquire) {
                    break;
                }
                let reply = post(server, path, body);
                tells_nothing(&reply, &|| format!("{path} {body}"));
            }
        });
        scope.spawn(move || {
            for path in reads.iter().cycle() {
                if done.load(Ordering::Acquire) {
                    break;
                }
                tells_nothing(&server.get(path), &|| path.clone());
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
    assert!(asked.load(Ordering::Relaxed) >= enough, "{asked:?}");
    crate::lives(server);
}

/// What is read of a base, by every way that reads its files.
fn reads_of(base: &str) -> Vec<String> {
    let all = [
        "rows",
        "games/1",
        "games/1/pgn",
        "games/1/versions",
        "search?query=white:Outside",
        "statistics",
        "doubles",
        "years",
        "history",
    ];
    let mut reads: Vec<String> = all
        .iter()
        .map(|what| format!("/api/v1/bases/{base}/{what}"))
        .collect();
    reads.extend([
        format!("/api/v1/bases/{base}"),
        format!("/api/v1/explore?base={base}"),
        "/api/v1/bases".to_owned(),
    ]);
    reads
}

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
    let open = open_bases(&server);
    let (raced, safe) = (&open["x.pgn"], &open["own.pgn"]);
    // A game of a base that stays is annotated, and saved into the one that is exchanged.
    let begun = post(
        &server,
        &format!("/api/v1/bases/{safe}/games/1/edit"),
        &json!({}),
    );
    assert_eq!(begun.status, 200);
    let edit = begun.json()["id"].as_str().expect("an id").to_owned();
    let file = own.join("sub/x.pgn");
    let change = |change: Value| {
        (
            format!("/api/v1/bases/{raced}/change"),
            json!({ "change": change }),
        )
    };
    let convert = |body: Value| ("/api/v1/conversions".to_owned(), body);
    let wishes = [
        ("/api/v1/bases".to_owned(), json!({"path": file})),
        change(json!({"kind": "delete", "games": [1]})),
        change(json!({"kind": "undo"})),
        change(json!({"kind": "sort", "keys": ["date"]})),
        change(json!({"kind": "compact"})),
        (
            format!("/api/v1/edits/{edit}/save"),
            json!({"base": raced, "new": true, "lossy": "drop"}),
        ),
        (
            "/api/v1/new".to_owned(),
            json!({"path": own.join("sub/new.pgn")}),
        ),
        convert(json!({"sources": [safe], "path": file, "append": true})),
        convert(json!({"sources": [safe], "path": own.join("sub/made.pgn")})),
        convert(json!({"sources": [safe], "path": own.join("sub/parts"), "split": "event"})),
        convert(json!({"sources": [safe], "path": own.join("sub/made.lake")})),
        convert(json!({"damaged": file, "path": "told.pgn", "dry": true})),
        (format!("/api/v1/bases/{raced}/index"), json!({})),
    ];
    race(&server, &wishes, &reads_of(raced), &["Outside, Secret"]);
    outside.is_as_it_was();
}

/// The files of a base of several files, in a folder under other names.
fn copy_base(from: &Path, stem: &str, to: &Path, name: &str) {
    let mut copied = 0;
    for entry in std::fs::read_dir(from).expect("listed").flatten() {
        let path = entry.path();
        if path.file_stem().is_some_and(|own| own == stem)
            && let Some(extension) = path.extension()
        {
            let target = to.join(name).with_extension(extension);
            std::fs::copy(&path, target).expect("copied");
            copied += 1;
        }
    }
    assert!(copied > 2, "{stem}");
}

/// A base of ChessBase and a lake of a text of PGN.
fn fill(folder: tempfile::TempDir, cbh: &str, text: &str) -> tempfile::TempDir {
    let path = folder.path().canonicalize().expect("there");
    std::fs::write(path.join("x.pgn"), text).expect("written");
    copy_base(&shared_corpus().join("cbh/ok"), cbh, &path, "many.cbh");
    let server = Server::of(folder, false);
    let source = open_bases(&server)["x.pgn"].clone();
    let body = json!({"sources": [source], "path": path.join("all.lake")});
    let job = post(&server, "/api/v1/conversions", &body).json();
    assert_eq!(server.ended(job["id"].as_str().expect("a job")), "done");
    server.stop()
}

fn shared_corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// Tables of jose in which the words `Black, B.` are others of the same length.
fn fill_tables(folder: &Path, name: &str) {
    std::fs::create_dir(folder.join("tables")).expect("made");
    let archive = shared_corpus().join("jose/ok/plain-tar.jose");
    let archive = std::fs::File::open(archive).expect("opened");
    let known = b"Black, B.";
    assert_eq!(known.len(), name.len());
    let mut renamed = 0;
    for member in InputFiles::from_reader("tables", Box::new(archive), &UnpackLimits::default()) {
        let mut member = member.expect("a member");
        let path = Path::new(member.name());
        let target = path.file_name().expect("a name").to_owned();
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).expect("read");
        while let Some(at) = bytes.windows(known.len()).position(|it| it == known) {
            bytes[at..at + known.len()].copy_from_slice(name.as_bytes());
            renamed += 1;
        }
        std::fs::write(folder.join("tables").join(target), bytes).expect("written");
    }
    assert!(renamed > 0);
}

/// A folder in which `sub` is a folder with bases, which is exchanged with a link to another folder with bases of the same names. Nothing
/// of that one is told or changed, and its words are told to who looks there.
fn race_with(outside: tempfile::TempDir, sub: &Path, names: &[&str], secrets: &[&str]) {
    let mut before = Vec::new();
    contents(outside.path(), &mut before);
    let room = tempfile::tempdir().expect("a folder");
    std::fs::rename(sub, room.path().join("sub")).expect("moved");
    symlink(outside.path(), room.path().join("link")).expect("linked");
    let server = Server::of(room, false);
    let open = open_bases(&server);
    assert!(!open.is_empty());
    let (mut wishes, mut reads) = (Vec::new(), Vec::new());
    let convert = |body: Value| ("/api/v1/conversions".to_owned(), body);
    for base in open.values() {
        wishes.push((format!("/api/v1/bases/{base}/index"), json!({})));
        wishes.push((
            format!("/api/v1/bases/{base}/change"),
            json!({"change": {"kind": "delete", "games": [1]}}),
        ));
        wishes.push(convert(
            json!({"sources": [base], "path": "told.pgn", "dry": true}),
        ));
        reads.extend(reads_of(base));
        for name in names {
            // A lake is added to in its folder, and what is not written is told.
            let path = inside(&server).join("sub").join(name);
            wishes.push(convert(
                json!({"sources": [base], "path": path, "append": true}),
            ));
        }
    }
    for name in names {
        let path = inside(&server).join("sub").join(name);
        wishes.push(("/api/v1/bases".to_owned(), json!({ "path": path })));
        wishes.push(convert(
            json!({"damaged": path, "path": "told.pgn", "dry": true}),
        ));
    }
    race(&server, &wishes, &reads, secrets);
    let mut after = Vec::new();
    contents(outside.path(), &mut after);
    before.sort();
    after.sort();
    assert!(before == after, "something outside was changed");
    drop(server);
    let server = Server::of(outside, false);
    for (name, base) in open_bases(&server) {
        let rows = server.get(&format!("/api/v1/bases/{base}/rows"));
        let text = String::from_utf8_lossy(&rows.body);
        let tells = secrets.iter().any(|secret| text.contains(secret));
        assert!(tells, "{name}: {text}");
    }
}

#[test]
fn exchanges_of_bases_of_several_files_lead_nowhere() {
    let temporary = || tempfile::tempdir().expect("a folder");
    let outside = fill(temporary(), "modern", SECRET);
    let own = std::fs::read_to_string(corpus().join("opera.pgn")).expect("read");
    let sub = fill(temporary(), "western", &own);
    let names = ["all.lake", "many.cbh", "x.pgn"];
    race_with(
        outside,
        sub.path(),
        &names,
        &["Outside, Secret", "Nørresundby"],
    );
}

#[test]
fn exchanges_of_tables_lead_nowhere() {
    let temporary = || tempfile::tempdir().expect("a folder");
    let (outside, sub) = (temporary(), temporary());
    fill_tables(outside.path(), "Secret, X");
    fill_tables(sub.path(), "White, W.");
    race_with(outside, sub.path(), &["tables"], &["Secret, X"]);
}
