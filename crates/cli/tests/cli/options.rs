//! Options that are alike in all commands, old names that are understood or refused, and the configuration file.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

const GAMES: &str = "[Event \"Linares\"]\n[Date \"1990.02.01\"]\n[White \"Kasparov, Garry\"]\n[Black \"Gelfand, Boris\"]\n[Result \"1-0\"]\n\n1. e4 c5 1-0\n\n\
    [Event \"Linares\"]\n[Date \"1991.02.01\"]\n[White \"Gelfand, Boris\"]\n[Black \"Kasparov, Garry\"]\n[Result \"1/2-1/2\"]\n\n1. d4 Nf6 2. c4 1/2-1/2\n\n\
    [Event \"Linares\"]\n[Date \"1991.02.01\"]\n[White \"Gelfand, Boris\"]\n[Black \"Kasparov, Garry\"]\n[Result \"1/2-1/2\"]\n\n1. d4 Nf6 2. c4 1/2-1/2\n\n";

fn place() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.pgn"), GAMES).expect("a file");
    std::fs::write(folder.path().join("b.pgn"), GAMES).expect("a file");
    folder
}

/// The exit code, and what is said on both streams.
fn run_with(
    at: &Path,
    words: &[&str],
    variables: &[(&str, &str)],
) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(at)
        .args(words)
        .env("TABIYA_CONFIG", "")
        .env_remove("TABIYA_OPTIONS")
        .env_remove("COLUMNS")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn run(at: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    run_with(at, words, &[])
}

#[test]
fn other_names_of_commands_and_options_are_understood() {
    let folder = place();
    let at = folder.path();
    for (one, other) in [
        (
            &["find", "a.pgn", "gelfand", "--count"][..],
            &["search", "a.pgn", "gelfand", "--count"][..],
        ),
        (&["show", "a.pgn", "1"], &["cat", "a.pgn", "1"]),
        (&["duplicates", "a.pgn"], &["dedupe", "a.pgn"]),
        (
            &["search", "a.pgn", "gelfand", "--first", "1"],
            &["search", "a.pgn", "gelfand", "-n", "1"],
        ),
        (
            &["search", "gelfand", "a.pgn"],
            &["search", "a.pgn", "gelfand"],
        ),
        (
            &["stats", "a.pgn", "--top", "1"],
            &["stats", "a.pgn", "--limit", "1"],
        ),
        (
            &["check", "a.pgn", "--most", "1"],
            &["check", "a.pgn", "-n", "1"],
        ),
        (
            &["explore", "a.pgn", "--moves", "1"],
            &["explore", "a.pgn", "--limit", "1"],
        ),
        (&["ls", "a.pgn", "1..2"], &["ls", "a.pgn", "1-2"]),
        (
            &["player", "a.pgn", "Gelfand"],
            &["player", "Gelfand", "a.pgn"],
        ),
        (&["a.pgn", "--help"], &["open", "--help"]),
    ] {
        let (one, other) = (run(at, one), run(at, other));
        assert!(matches!(one.0, Some(0 | 1)), "{}", one.2);
        assert_eq!(one, other);
    }
    let (code, _, said) = run(
        at,
        &[
            "convert",
            "a.pgn",
            "-o",
            "c.pgn",
            "--unique",
            "--doubles",
            "d.pgn",
        ],
    );
    assert_eq!(code, Some(0), "{said}");
    assert!(at.join("c.pgn").exists() && at.join("d.pgn").exists());
}

#[test]
fn calls_whose_meaning_has_changed_are_refused_with_the_new_one() {
    let folder = place();
    let at = folder.path();
    for (words, help) in [
        (
            &["eco", "a.pgn", "new.pgn"][..],
            "tabiya eco a.pgn -o new.pgn",
        ),
        (
            &["eco", "a.pgn", "b.pgn", "--force"],
            "tabiya eco a.pgn -o b.pgn",
        ),
        (
            &["analyse", "a.pgn", "-o", "c.pgn", "-j", "2"],
            "--processes 2",
        ),
        (&["tactics", "a.pgn", "-j", "2"], "--processes 2"),
        (
            &["search", "a.pgn", "check", "--without", "index"],
            "use --no-index",
        ),
        (
            &["search", "a.pgn", "check", "--without", "facts"],
            "use --disable facts",
        ),
        (
            &[
                "explore", "a.pgn", "--player", "Gelfand", "--color", "white",
            ],
            "--side white",
        ),
    ] {
        let (code, out, said) = run(at, words);
        assert_eq!((code, &*out), (Some(2), ""), "{words:?}: {said}");
        assert!(said.contains(help), "{words:?}: {said}");
    }
    assert_eq!(
        std::fs::read_to_string(at.join("b.pgn")).expect("text"),
        GAMES
    );
    let files = std::fs::read_dir(at).expect("a folder").count();
    assert_eq!(files, 2);
}

#[test]
fn several_databases_and_standard_input_are_read() {
    let folder = place();
    let at = folder.path();
    let (code, out, said) = run(at, &["ls", "a.pgn", "b.pgn", "1", "--csv"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(out.matches("Kasparov").count(), 2, "{out}");
    let (code, out, _) = run(at, &["ls", "a.pgn", "b.pgn", "-n", "4", "--json"]);
    assert_eq!((code, out.lines().count()), (Some(0), 4));
    let (code, out, _) = run(at, &["eco", "a.pgn", "b.pgn", "--csv"]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("base,number,tag,eco,opening\n"), "{out}");
    assert_eq!(out.lines().count(), 7, "{out}");
    let (_, out, _) = run(at, &["dedupe", "a.pgn", "--csv"]);
    assert!(out.starts_with("keep_base,keep_number,drop_base,"), "{out}");
    assert_eq!(out.lines().count(), 2, "{out}");
    let (_, out, _) = run(at, &["novelty", "a.pgn", "--csv"]);
    assert!(out.starts_with("game_base,game_number,"), "{out}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["identify", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(GAMES.as_bytes()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.starts_with("-: ") && text.contains("PGN"), "{text}");
}

#[test]
fn what_counts_first_is_the_command_line_then_the_variable_then_the_file() {
    let folder = place();
    let at = folder.path();
    let file = at.join("tabiya.conf");
    std::fs::write(
        &file,
        "# mine\n[search]\n--limit 1\n--csv\n[all]\n--quiet\n",
    )
    .expect("a file");
    let path = file.to_str().expect("a path");
    let config = [("TABIYA_CONFIG", path)];
    let search = ["search", "a.pgn", "linares"];
    let (_, out, said) = run_with(at, &search, &config);
    // The heading and a game; nothing is said.
    assert_eq!((out.lines().count(), &*said), (2, ""), "{out}");
    let both = [config[0], ("TABIYA_OPTIONS", "--limit 2 --no-such-option")];
    let (code, out, _) = run_with(at, &search, &both);
    assert_eq!((code, out.lines().count()), (Some(0), 3), "{out}");
    let more = [&search[..], &["--limit", "3"]].concat();
    let (_, out, _) = run_with(at, &more, &both);
    assert_eq!(out.lines().count(), 4, "{out}");
    // What the command line excludes is left out.
    let json = [&search[..], &["--json"]].concat();
    let (code, out, said) = run_with(at, &json, &[config[0]]);
    assert_eq!(code, Some(0), "{said}");
    assert!(out.lines().all(|line| line.starts_with('{')), "{out}");
    std::fs::write(&file, "limit = 1\n").expect("a file");
    let (code, _, said) = run_with(at, &search, &config);
    assert_eq!(code, Some(2));
    assert!(said.contains("line 1"), "{said}");
}

#[test]
fn messages_colours_and_widths_are_chosen() {
    let folder = place();
    let at = folder.path();
    let (_, _, said) = run(at, &["search", "a.pgn", "linares"]);
    assert!(said.ends_with("3 games\n"), "{said}");
    let (_, _, said) = run(at, &["search", "a.pgn", "player:Tal"]);
    assert!(said.contains("no games match"), "{said}");
    let (_, out, said) = run(at, &["search", "a.pgn", "linares", "--quiet"]);
    assert_eq!((out.lines().count(), &*said), (4, ""));
    let (_, _, said) = run(at, &["search", "a.pgn", "linares", "--verbose"]);
    assert!(said.contains("time: "), "{said}");
    let (_, out, _) = run(at, &["ls", "a.pgn", "--color", "always"]);
    assert!(out.contains('\u{1b}'), "{out}");
    let narrow: [(&[&str], &[&str]); 5] = [
        (&["ls", "a.pgn"], &["40", "80"]),
        (&["stats", "a.pgn"], &["60", "80"]),
        (&["explore", "a.pgn"], &["60", "80"]),
        (&["player", "a.pgn", "Kasparov"], &["60", "80"]),
        (&["crosstable", "a.pgn", "Linares"], &["60", "80"]),
    ];
    for (words, widths) in narrow {
        for width in widths {
            let (_, out, _) = run_with(at, words, &[("COLUMNS", width)]);
            let most: usize = width.parse().expect("a number");
            let widest = out.lines().map(|line| line.chars().count()).max();
            assert!(
                widest.is_some_and(|widest| widest <= most),
                "{words:?} in {width}: {out}"
            );
        }
    }
    // A path that is missing is told as a file, and not as a command.
    for missing in ["/no/such.pgn", "such.pgn"] {
        let (code, _, said) = run(at, &[missing]);
        assert_eq!(code, Some(2), "{said}");
        assert!(
            !said.contains("subcommand") && said.contains(missing),
            "{said}"
        );
    }
}

#[test]
fn only_the_name_that_nobody_has_brings_names_that_are_near() {
    let folder = place();
    let at = folder.path();
    let (_, _, said) = run(at, &["search", "a.pgn", "player:Kasparov event:Linarse"]);
    assert!(said.contains("did you mean Linares?"), "{said}");
    let (_, _, said) = run(at, &["search", "a.pgn", "player:Kasparof event:Linares"]);
    assert!(said.contains("did you mean Kasparov, Garry?"), "{said}");
}
