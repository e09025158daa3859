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

/// The list of the window of ChessBase, as its program writes it.
fn window_list(databases: &[(&str, &str)], reference: &str) -> Vec<u8> {
    let text = |text: &str| {
        let length = u32::try_from(text.len()).expect("short");
        [&length.to_le_bytes()[..], text.as_bytes()].concat()
    };
    let mut items = [&[0xff][..], &text("Databases")].concat();
    for (path, value) in databases {
        items.push(0x19);
        items.extend(text(value));
        items.extend(text(path));
    }
    items.extend([&[0xff][..], &text("2cbh"), &[0x19]].concat());
    items.extend(text(reference));
    items.extend(text("RefDB"));
    let length = u32::try_from(items.len()).expect("short");
    [&[0x0c, 0x0b, 0x0a, 0x0e][..], &length.to_be_bytes(), &items].concat()
}

#[test]
fn the_databases_of_the_window_of_chessbase_are_listed_and_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("ChessBase");
    std::fs::create_dir_all(inner.join("Bases")).expect("made");
    let opera = corpus().join("opera.pgn");
    std::fs::copy(&opera, inner.join("Bases/here.pgn")).expect("copied");
    // No database: whoever opened it would say so.
    std::fs::write(inner.join("Bases/torn.cbh"), "").expect("written");
    let other = tempfile::tempdir().expect("a folder");
    std::fs::copy(&opera, other.path().join("outside.pgn")).expect("copied");
    let outside = other.path().join("outside.pgn").display().to_string();
    let gone = other.path().join("gone.pgn").display().to_string();
    let moved = format!("{}/ChessBase/Bases/here.pgn", other.path().display());
    std::fs::create_dir_all(other.path().join("ChessBase/Bases")).expect("made");
    std::fs::copy(&opera, &moved).expect("copied");
    let bytes = window_list(
        &[
            ("Bases\\here.pgn", "Here, and listed,0,3,12345,5,1037620,0"),
            ("C:\\x\\ChessBase\\Bases\\torn.cbh", "Torn,0,1,7,1,0,0"),
            (&moved, "Copied,0,3,2,1,0,0"),
            (&outside, "Outside,0,3,9,1,0,0"),
            (&gone, "Gone,0,3,9,1,0,0"),
            ("C:\\x\\ChessBase\\..\\..\\up.pgn", "Up,0,3,9,1,0,0"),
            ("\\\\other\\share\\x.cbh", "Other,0,1,9,1,0,0"),
            ("Bases\\here.pgn", "no numbers"),
        ],
        "Bases\\here.pgn",
    );
    std::fs::write(inner.join("DBItems.cbini"), bytes).expect("written");
    let server = Server::of(folder, true);
    let root = server.get("/api/v1/folders").json();
    assert_eq!(root["window"], Value::Null);
    let root = root["folders"][0]["path"]
        .as_str()
        .expect("a path")
        .to_owned();
    let (_, told) = listed(&server, &root);
    assert_eq!(told["window"], Value::Null, "it has no list");
    let inner = told["folders"][0]["path"]
        .as_str()
        .expect("a path")
        .to_owned();
    let (status, told) = listed(&server, &inner);
    let window = &told["window"];
    assert_eq!((status, &window["trouble"]), (200, &Value::Null), "{told}");
    assert_eq!(window["whole"], true);
    let short = |one: &Value| {
        let opens = one["path"].is_string();
        (
            one["title"].clone(),
            one["games"].clone(),
            one["place"].clone(),
            opens,
        )
    };
    let all: Vec<_> = window["databases"]
        .as_array()
        .expect("a list")
        .iter()
        .map(short)
        .collect();
    let wanted = [
        ("Here, and listed", Value::from(12345), "here", true),
        ("Torn", Value::from(7), "here", true),
        // There is one of this name elsewhere, which is nobody's business here.
        ("Copied", Value::from(2), "here", true),
        ("Outside", Value::from(9), "missing", false),
        ("Gone", Value::from(9), "missing", false),
        ("Up", Value::from(9), "missing", false),
        ("Other", Value::from(9), "network", false),
        ("no numbers", Value::Null, "here", true),
    ];
    let wanted = wanted
        .map(|(title, games, place, opens)| (Value::from(title), games, Value::from(place), opens));
    assert_eq!(all, wanted);
    let answer = told.to_string();
    assert!(!answer.contains("outside.pgn"), "{answer}");
    let [here, torn, copied] = [0, 1, 2].map(|at| window["databases"][at].clone());
    assert_eq!(
        here["path"], copied["path"],
        "the copy below the list is meant"
    );
    assert_eq!(
        (&here["reference"], &torn["reference"]),
        (&true.into(), &false.into())
    );
    assert_eq!(here["format"], "PGN");
    assert_eq!(torn["base"], Value::Null, "it is not open");
    let open = |path: &Value| {
        let body = serde_json::json!({"path": path}).to_string();
        server.post("/api/v1/bases", "X-Tabiya: 1\r\n", &body)
    };
    let opened = open(&here["path"]);
    assert_eq!(opened.status, 200);
    assert_ne!(open(&torn["path"]).status, 200, "it was never a database");
    assert_eq!(here["base"], opened.json()[0]["id"]);
}

#[test]
fn a_list_of_chessbase_that_cannot_be_read_hides_no_database() {
    let server = Server::start(true);
    let root = server.folder.path().to_owned();
    let list = root.join("DBItems.cbini");
    let told = |what: &str| {
        let (status, told) = listed(&server, &root.display().to_string());
        assert_eq!(
            (status, names(&told, "databases")),
            (200, vec!["opera.pgn".to_owned()]),
            "{what}"
        );
        told["window"].clone()
    };
    assert_eq!(told("none"), Value::Null);
    for bytes in [
        &b""[..],
        b"[text]",
        &[0x0c, 0x0b, 0x0a, 0x0e, 0xff, 0xff, 0xff, 0xff, 1],
    ] {
        std::fs::write(&list, bytes).expect("written");
        let window = told("damaged");
        assert!(
            window["trouble"]
                .as_str()
                .is_some_and(|why| why.contains("DBItems.cbini")),
            "{window}"
        );
        assert_eq!(window["databases"], serde_json::json!([]));
    }
    let many: Vec<String> = (0..2_100).map(|at| format!("D:\\{at}.cbh")).collect();
    let many: Vec<_> = many
        .iter()
        .map(|path| (path.as_str(), "Many,0,1,1,1,0,0"))
        .collect();
    let bytes = window_list(&many, "");
    std::fs::write(&list, &bytes).expect("written");
    let window = told("many");
    assert_eq!(window["whole"], false);
    assert_eq!(window["databases"].as_array().map(Vec::len), Some(2_000));
    // One that lies elsewhere is not read.
    #[cfg(unix)]
    {
        let other = tempfile::tempdir().expect("a folder");
        std::fs::rename(&list, other.path().join("list")).expect("moved");
        std::os::unix::fs::symlink(other.path().join("list"), &list).expect("linked");
        assert_eq!(told("elsewhere"), Value::Null);
    }
}

#[test]
fn no_other_folder_is_listed() {
    let server = Server::start(true);
    let root = server.folder.path().display().to_string();
    let other = tempfile::tempdir().expect("a folder");
    let beside = format!("{root}x");
    std::fs::create_dir(&beside).expect("a folder");
    #[cfg_attr(not(unix), expect(unused_mut, reason = "links are made on Unix"))]
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
