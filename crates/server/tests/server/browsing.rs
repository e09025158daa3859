//! Looking for databases in the folders that the server was given, and asking how far work has come.

use serde_json::Value;

use crate::server::{Server, corpus};

/// A path as part of an address.
fn escaped(path: &str) -> String {
    path.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn listed(server: &Server, path: &str) -> (u16, Value) {
    let reply = server.get(&format!("/api/v1/folders?path={}", escaped(path)));
    (reply.status, reply.json())
}

fn names(told: &Value, of: &str) -> Vec<String> {
    let all = told[of].as_array().expect("a list").iter();
    let name = |one: &Value| one["name"].as_str().expect("a name").to_owned();
    all.map(name).collect()
}

#[test]
fn folders_are_listed_and_what_lies_in_them_opens() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("league/2026");
    std::fs::create_dir_all(&inner).expect("made");
    let opera = corpus().join("opera.pgn");
    std::fs::copy(&opera, inner.join("late.pgn")).expect("copied");
    std::fs::write(folder.path().join("notes.txt"), "words").expect("written");
    let server = Server::of(folder, true);
    let told = server.get("/api/v1/folders").json();
    assert_eq!(told["path"], Value::Null);
    assert_eq!(told["parent"], Value::Null);
    let root = told["folders"][0]["path"].as_str().expect("a path");
    let (status, told) = listed(&server, root);
    assert_eq!((status, &told["whole"]), (200, &Value::Bool(true)));
    assert_eq!(
        told["parent"],
        Value::Null,
        "what lies around it was not given"
    );
    assert_eq!(names(&told, "folders"), ["league"]);
    assert!(names(&told, "databases").is_empty());
    let (_, told) = listed(
        &server,
        told["folders"][0]["path"].as_str().expect("a path"),
    );
    assert_eq!(told["parent"], root);
    let (_, told) = listed(
        &server,
        told["folders"][0]["path"].as_str().expect("a path"),
    );
    assert_eq!(names(&told, "databases"), ["late.pgn"]);
    let found = &told["databases"][0];
    assert_eq!(found["format"], "PGN");
    let bytes = std::fs::metadata(&opera).expect("there").len();
    assert_eq!(found["bytes"], bytes);
    let body = serde_json::json!({"path": found["path"]}).to_string();
    let opened = server
        .post("/api/v1/bases", "X-Tabiya: 1\r\n", &body)
        .json();
    let (_, told) = listed(&server, &inner_path(&told));
    assert_eq!(told["databases"][0]["base"], opened[0]["id"]);
}

fn inner_path(told: &Value) -> String {
    told["path"].as_str().expect("a path").to_owned()
}

#[test]
fn no_other_folder_is_listed() {
    let server = Server::start(true);
    let root = server.folder.path().display().to_string();
    let other = tempfile::tempdir().expect("a folder");
    let beside = format!("{root}x");
    std::fs::create_dir(&beside).expect("a folder");
    let mut paths = vec![
        "/".to_owned(),
        "/etc".to_owned(),
        "..".to_owned(),
        format!("{root}/.."),
        format!("{root}/../.."),
        beside.clone(),
        other.path().display().to_string(),
    ];
    #[cfg(unix)]
    {
        let link = server.folder.path().join("link");
        std::os::unix::fs::symlink(other.path(), &link).expect("linked");
        paths.push(link.display().to_string());
        let link = server.folder.path().join("inner");
        std::os::unix::fs::symlink("/etc", &link).expect("linked");
        paths.push(format!("{}/ssl", link.display()));
    }
    for path in paths {
        let (status, told) = listed(&server, &path);
        assert!(matches!(status, 400 | 403), "{path}: {status} {told}");
        assert_eq!(told["folders"], Value::Null, "{path}");
    }
    for path in [
        format!("{root}/opera.pgn"),
        format!("{root}/none"),
        "\0".to_owned(),
    ] {
        assert_eq!(listed(&server, &path).0, 400, "{path}");
    }
    // What leads elsewhere is not even shown.
    let (_, told) = listed(&server, &root);
    assert!(names(&told, "folders").is_empty(), "{told}");
    assert_eq!(names(&told, "databases"), ["opera.pgn"]);
    std::fs::remove_dir(&beside).expect("removed");
}

#[test]
fn openings_are_completed_by_name_and_by_code() {
    let server = Server::start(true);
    let base = server.base();
    let names = |tag: &str, start: &str| {
        let start = escaped(start);
        let path = format!("/api/v1/bases/{base}/complete?tag={tag}&start={start}");
        let reply = server.get(&path);
        (reply.status, reply.json()["names"][0].clone())
    };
    let najdorf = Value::from("Sicilian Defense: Najdorf Variation");
    assert_eq!(names("Opening", "sicilian najd"), (200, najdorf));
    let (_, coded) = names("Opening", "B90");
    assert!(
        coded
            .as_str()
            .is_some_and(|name| name.starts_with("B90 Sicilian")),
        "{coded}"
    );
    assert_eq!(names("Annotator", "A").0, 400);
    assert_eq!(
        server
            .get("/api/v1/bases/none/complete?tag=Opening&start=b")
            .status,
        404
    );
}

#[test]
fn nothing_is_done_of_work_that_nobody_does() {
    let server = Server::start(true);
    for name in ["w1", "%00", "..%2f.."] {
        let told = server.get(&format!("/api/v1/works/{name}")).json();
        assert_eq!(
            (&told["games"], &told["total"]),
            (&Value::from(0), &Value::Null)
        );
    }
}
