//! Repertoires: where games leave one, and that no other file becomes one.

use serde_json::{Value, json};

use super::{GAMES, Tools, folder_with};

const WHITE: &str = "[Repertoire \"white\"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *\n\n";
/// Nothing says for which side it is: White has one move where Black has two.
const PLAIN: &str = "1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *\n\n";

fn folder() -> tempfile::TempDir {
    let folder = folder_with("club.pgn", GAMES);
    std::fs::create_dir(folder.path().join("lines")).expect("a folder");
    for (name, text) in [("white.pgn", WHITE), ("lines/plain.pgn", PLAIN)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

#[test]
fn a_game_is_told_where_it_left_a_repertoire() {
    let folder = folder();
    let tools = Tools::of(folder.path(), false);
    let told = tools
        .call(
            "repertoire_check",
            json!({ "repertoire": "white.pgn", "bases": ["club.pgn"], "gaps": true }),
        )
        .expect("compared");
    let one = &told["repertoires"][0];
    assert_eq!(told["repertoires"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&one["color"], &one["positions"], &one["games"]),
        (&json!("white"), &json!(6), &json!(2))
    );
    let (first, second) = (&one["rows"][0], &one["rows"][1]);
    assert_eq!(
        (&first["end"], &first["ply"]),
        (&json!("line-end"), &json!(3))
    );
    assert_eq!(first["played"], "Nc6");
    assert_eq!((&second["end"], &second["ply"]), (&json!("me"), &json!(0)));
    assert_eq!(
        (&second["expected"], &second["played"]),
        (&json!(["e4"]), &json!("d4"))
    );
    assert_eq!(second["game"]["base"], "club.pgn");
    assert_eq!(one["next"], json!(null));
    let lines = one["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), 2);
    assert!(
        lines
            .iter()
            .any(|line| line["me"] == 1 && line["line"] == "")
    );
    let gaps = one["gaps"].as_array().expect("gaps");
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert_eq!(
        (&gaps[0]["san"], &gaps[0]["end_of_line"]),
        (&json!("Nc6"), &json!(true))
    );
    // The pages, and the games of a player with the side of the repertoire.
    let page = |from: u64| {
        let arguments =
            json!({ "repertoire": "white.pgn", "bases": ["club.pgn"], "limit": 1, "from": from });
        tools.call("repertoire_check", arguments).expect("a page")["repertoires"][0].clone()
    };
    assert_eq!((&page(0)["next"], &page(0)["rows"][0]), (&json!(1), first));
    assert_eq!(
        (&page(1)["next"], &page(1)["rows"][0]),
        (&json!(null), second)
    );
    assert!(page(0).get("gaps").is_none());
    let told = tools
        .call(
            "repertoire_check",
            json!({ "repertoire": "white.pgn", "bases": ["club.pgn"], "player": "Adams" }),
        )
        .expect("compared");
    assert_eq!(told["repertoires"][0]["games"], 1);
    // Where no database is named it is compared with all others; each of them is a game or two.
    let told = tools
        .call("repertoire_check", json!({ "repertoire": "white.pgn" }))
        .expect("compared");
    assert_eq!(told["repertoires"][0]["games"], 3);
    let told = tools
        .call(
            "repertoire_check",
            json!({ "repertoire": "lines", "bases": ["club.pgn"] }),
        )
        .expect("a folder is a repertoire");
    assert_eq!(told["repertoires"][0]["color"], "white");
    assert!(
        told["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("recognised"))
    );
    let refusal = tools
        .call(
            "repertoire_check",
            json!({ "repertoire": "white.pgn", "bases": ["club.pgn"], "side": "black" }),
        )
        .expect_err("the other side");
    assert_eq!(refusal["code"], "no-repertoire");
}

#[test]
fn a_damaged_repertoire_is_told() {
    let folder = folder();
    let damaged = "[Repertoire \"white\"]\n\n1. e4 e5 2. Zz9 {broken\n";
    std::fs::write(folder.path().join("damaged.pgn"), damaged).expect("written");
    let tools = Tools::of(folder.path(), false);
    let note = |told: &Value| -> Vec<String> {
        let notes = told["notes"].as_array().expect("notes").iter();
        let notes = notes.filter_map(|note| note.as_str().map(str::to_owned));
        notes.filter(|note| note.contains("is damaged")).collect()
    };
    let expected =
        "damaged.pgn: 1 game of the repertoire is damaged; what could be read of it is used";
    let told = tools
        .call(
            "repertoire_check",
            json!({ "repertoire": "damaged.pgn", "bases": ["club.pgn"] }),
        )
        .expect("compared");
    assert_eq!(note(&told), [expected]);
    let told = tools
        .call(
            "search",
            json!({ "query": "leaves:damaged.pgn", "bases": ["club.pgn"] }),
        )
        .expect("searched");
    assert_eq!(note(&told), [expected]);
    let told = tools
        .call(
            "repertoire_check",
            json!({ "repertoire": "white.pgn", "bases": ["club.pgn"] }),
        )
        .expect("compared");
    assert_eq!(note(&told), Vec::<String>::new());
}

#[test]
fn queries_name_repertoires_that_are_open() {
    let folder = folder();
    let tools = Tools::of(folder.path(), false);
    let inside = folder
        .path()
        .canonicalize()
        .expect("a path")
        .join("white.pgn");
    let inside = inside.display();
    for (query, total) in [
        ("leaves[by me]:white.pgn".to_owned(), 1),
        ("leaves[by nobody]:white.pgn".to_owned(), 1),
        ("leaves[by opponent]:white.pgn".to_owned(), 0),
        ("repertoire:white.pgn".to_owned(), 0),
        ("repertoire[until 3]:white.pgn".to_owned(), 1),
        (format!("leaves:\"{inside}\""), 1),
        ("leaves:\"lines/plain.pgn\"".to_owned(), 1),
        ("leaves:lines".to_owned(), 1),
    ] {
        let arguments = json!({ "bases": ["club.pgn"], "query": query });
        let found = tools
            .call("search", arguments.clone())
            .unwrap_or_else(|why| panic!("{query}: {why}"));
        assert_eq!(found["total"], total, "{query}");
        let is_told = found["notes"].to_string().contains("recognised");
        assert_eq!(is_told, query.contains("lines"), "{query}: {found}");
        // Every tool that takes a query takes these.
        let counted = tools.call("stats", arguments).expect("counted");
        assert_eq!(counted["games"], total, "{query}");
    }
}

#[test]
fn no_other_file_is_a_repertoire() {
    let folder = folder();
    let outside = folder_with(
        "secret.pgn",
        "[White \"Hidden\"]\n\n1. e4 e5 (1... c5) 2. Nf3 *\n",
    );
    let secret = outside.path().join("secret.pgn");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, folder.path().join("link.pgn")).expect("a link");
        std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).expect("a link");
    }
    let tools = Tools::of(folder.path(), true);
    // What is not open yet is none either, though it lies in the folder.
    std::fs::write(folder.path().join("new.pgn"), WHITE).expect("written");
    let secret = secret.display().to_string();
    let around = folder
        .path()
        .join("lines/../../secret.pgn")
        .display()
        .to_string();
    for name in [
        "../secret.pgn",
        "lines/../../secret.pgn",
        "link.pgn",
        "out",
        "out/secret.pgn",
        "new.pgn",
        "C:\\secret.pgn",
        "C:secret.pgn",
        "\\\\host\\share\\secret.pgn",
        "/etc/passwd",
        "/dev/stdin",
        "-",
        "mysql://root@localhost/jose",
        "white.pgn\u{0}",
        &secret,
        &around,
    ] {
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        for term in ["leaves", "repertoire"] {
            let query = format!("{term}:\"{quoted}\"");
            for tool in ["search", "stats", "explore", "convert"] {
                let mut arguments = json!({ "query": query });
                if tool == "convert" {
                    arguments["target"] = json!("copy.pgn");
                }
                let refusal = tools.call(tool, arguments).expect_err(&query);
                assert_eq!(refusal["code"], "bad-query", "{tool} {query}: {refusal}");
                assert!(!refusal.to_string().contains("Hidden"), "{refusal}");
            }
        }
        let refusal = tools
            .call(
                "repertoire_check",
                json!({ "repertoire": name, "bases": ["club.pgn"] }),
            )
            .expect_err(name);
        assert_eq!(refusal["code"], "no-such-database", "{name}: {refusal}");
    }
    // Once it is looked for, it is one.
    tools
        .call("bases", json!({ "refresh": true }))
        .expect("looked");
    let found = tools
        .call(
            "search",
            json!({ "query": "leaves:new.pgn", "bases": ["club.pgn"] }),
        )
        .expect("found");
    assert_eq!(found["total"], 1);
}
