//! What a terminal gets: no text of a file, of a query or of an argument gives it orders.

use std::process::Stdio;

use crate::games::{PROGRAM, TestGames};

/// Runs a program on a terminal of its own and hands on whatever the terminal got.
const ON_A_TERMINAL: &str = "
import os, pty, sys
process, terminal = pty.fork()
if process == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try: got = os.read(terminal, 65536)
    except OSError: break
    if not got: break
    os.write(1, got)
_, status = os.waitpid(process, 0)
sys.exit(os.waitstatus_to_exitcode(status))
";

/// An escape sequence, a title of a window, one of the C1 set, a mark of direction and one that ends lines.
const ORDERS: &str = "a\u{1b}[2Jb\u{1b}]0;title\u{7}c\u{9b}2Jd\u{202e}e\u{2066}f\u{85}g\u{7f}h";

fn is_order(c: char) -> bool {
    let code = u32::from(c);
    code < 0x20
        || (0x7f..0xa0).contains(&code)
        || [0x61c, 0x200e, 0x200f].contains(&code)
        || (0x2028..=0x202e).contains(&code)
        || (0x2066..=0x2069).contains(&code)
}

/// What a terminal gets, and the exit code.
fn on_a_terminal(games: &TestGames, args: &[&str]) -> Option<(String, Option<i32>)> {
    let mut python = tabiya_testing::python_with("pty")?;
    let output = python
        .args(["-c", ON_A_TERMINAL, PROGRAM])
        .args(args)
        .current_dir(games.folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("python");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // The terminal itself makes line ends.
    Some((text.replace("\r\n", "\n"), output.status.code()))
}

#[test]
fn no_text_gives_a_terminal_orders() {
    let games = TestGames::new();
    let folder = games.folder.path();
    let damaged = format!("{ORDERS}.si5");
    std::fs::write(folder.join(&damaged), [0x5a; 4_000]).expect("a file");
    let names = format!("SELECT 'x' AS \"{ORDERS}\"");
    let cells = format!("SELECT '{ORDERS}' AS name, 1 AS n UNION ALL SELECT 'y', 2");
    let last = format!("SELECT 1 AS n, 'one\ntwo{ORDERS}' AS name");
    let asked = format!("SELECT count(*) FROM '{damaged}'");
    let missing = format!("SELECT count(*) FROM 'none{ORDERS}.si5'");
    let none = format!("SELECT none\"{ORDERS}\" FROM");
    let file = format!("{ORDERS}.sql");
    let option = format!("--{ORDERS}");
    for (args, code) in [
        (&["sql", &names][..], 0),
        (&["sql", &cells], 0),
        (&["sql", &last], 0),
        (&["sql", "--csv", &names], 0),
        (&["sql", "--csv", &cells], 0),
        (&["sql", "--json", &names], 0),
        (&["sql", "--json", &cells], 0),
        (&["sql", "SHOW TABLES"], 0),
        (&["sql", &asked], 2),
        (&["sql", &missing], 2),
        (&["sql", &none], 2),
        (&["sql", "-f", &file], 2),
        (&["sql", &option], 2),
        (&["sql", "--memory", ORDERS], 2),
        (&["sql", "--arrow", "SELECT 1"], 2),
        (&[ORDERS], 2),
    ] {
        let Some((text, found)) = on_a_terminal(&games, args) else {
            return;
        };
        assert_eq!(found, Some(code), "{args:?}: {text:?}");
        assert!(!text.is_empty(), "{args:?}");
        let order = text.chars().find(|&c| is_order(c) && c != '\n');
        assert_eq!(order, None, "{args:?}: {text:?}");
    }
}

#[test]
fn files_get_what_is_there_and_json_escapes_orders() {
    let games = TestGames::new();
    let query = format!("SELECT '{ORDERS}' AS name");
    assert_eq!(games.csv(&query), format!("name\n{ORDERS}\n"));
    let query = format!("SELECT '{ORDERS}' AS \"{ORDERS}\"");
    let output = games.run(&["--json", &query]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let order = text.chars().find(|&c| is_order(c) && c != '\n');
    assert_eq!(order, None, "{text:?}");
    let row: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(row[ORDERS], ORDERS);
    // A table for people is one wherever it goes.
    let output = games.run(&[&query]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(!text.chars().any(|c| is_order(c) && c != '\n'), "{text:?}");
}
