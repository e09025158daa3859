//! The program from outside: exit codes, what goes to which stream, and what happens to files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tabiya_formats::registry::FORMATS;
use tempfile::TempDir;

/// Two games without anything odd, as the export format has them.
const GOOD: &str = "[Event \"One\"]\n[Site \"?\"]\n[Date \"2024.01.02\"]\n[Round \"1\"]\n[White \"Müller, A\"]\n\
    [Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 {[%clk 0:01:00] best} (1. d4 d5) 1... e5 $1 2. Nf3 1-0\n\n\
    [Event \"Two\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"C\"]\n[Black \"D\"]\n\
    [Result \"1/2-1/2\"]\n\n1. c4 1/2-1/2\n\n";

/// A game with a move that nobody can play.
const DAMAGED: &str =
    "[Event \"Damaged\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 e5 2. Ke3 Nf6 *\n";

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file");
        path
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file")
    }

    /// Every name in the folder, hidden ones too.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .expect("a folder")
            .map(|entry| {
                let name = entry.expect("an entry").file_name();
                name.into_string().expect("text")
            })
            .collect();
        names.sort();
        names
    }

    /// Runs the program in the folder.
    fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "")
    }

    fn run_with(&self, args: &[&str], stdin: &str) -> Run {
        let mut child = program()
            .current_dir(self.0.path())
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        let text = stdin.to_owned();
        // The program may end before it has read everything.
        let feeding = std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
        let output = child.wait_with_output().expect("the program ends");
        feeding.join().expect("no panic");
        Run(output)
    }
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.env("COLUMNS", "100").env_remove("NO_COLOR");
    command
}

struct Run(Output);

impl Run {
    fn code(&self) -> i32 {
        self.0.status.code().expect("no signal")
    }

    fn out(&self) -> &str {
        std::str::from_utf8(&self.0.stdout).expect("text")
    }

    fn err(&self) -> &str {
        std::str::from_utf8(&self.0.stderr).expect("text")
    }

    #[track_caller]
    fn ends(self, code: i32) -> Run {
        assert_eq!(
            self.code(),
            code,
            "stdout: {}\nstderr: {}",
            self.out(),
            self.err()
        );
        self
    }

    fn json(&self) -> Vec<Value> {
        self.out()
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON in every line"))
            .collect()
    }
}

#[test]
fn exit_codes() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    place.put("one.pgn", DAMAGED);
    for args in [
        &["info", "good.pgn"][..],
        &["info", "--full", "good.pgn"],
        &["identify", "good.pgn"],
        &["ls", "good.pgn"],
        &["cat", "good.pgn", "2"],
        &["check", "good.pgn"],
        &["formats"],
        &["diff", "good.pgn", "good.pgn"],
        &["convert", "good.pgn", "copy.pgn"],
        &["--help"],
        &["--version"],
    ] {
        place.run(args).ends(0);
    }
    place.run(&["diff", "good.pgn", "one.pgn"]).ends(1);
    for args in [
        &["info", "missing.pgn"][..],
        &["cat", "good.pgn", "3"],
        &["cat", "good.pgn", "0"],
        &["ls", "good.pgn", "x"],
        &["convert", "good.pgn"],
        &["convert", "good.pgn", "x.unknown"],
        &["convert", "good.pgn", "folder/that/is/not/there.pgn"],
        &["convert", "--to", "nothing", "good.pgn", "x"],
        &["nonsense"],
        &["check", "--explain", "no-such-code"],
        &[],
    ] {
        let run = place.run(args).ends(2);
        assert!(!run.err().is_empty(), "{args:?} says why");
        assert!(run.out().is_empty(), "{args:?}: {}", run.out());
    }
    place.run(&["check", "one.pgn"]).ends(3);
    place.run(&["convert", "one.pgn", "out.pgn"]).ends(3);
    assert!(place.read("out.pgn").contains("Ke3 Nf6"));
}

#[test]
fn data_goes_to_stdout_and_everything_else_to_stderr() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    place.put("bad.pgn", DAMAGED);
    let run = place.run(&["convert", "good.pgn", "copy.pgn"]).ends(0);
    assert_eq!(run.out(), "");
    assert!(
        run.err().contains("2 games read, 2 written"),
        "{}",
        run.err()
    );
    assert_eq!(place.read("copy.pgn"), GOOD);
    let run = place.run(&["cat", "good.pgn"]).ends(0);
    assert_eq!((run.out(), run.err()), (GOOD, ""));
    let run = place.run(&["convert", "bad.pgn", "-"]).ends(3);
    assert!(
        run.out().starts_with("[Event \"Damaged\"]"),
        "{}",
        run.out()
    );
    assert!(run.err().contains("Ke3"), "{}", run.err());
    let escapes = place.run(&["ls", "good.pgn"]).ends(0);
    assert!(!escapes.out().contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn an_existing_target_is_refused_without_force() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    place.put("target.pgn", "mine");
    let run = place.run(&["convert", "good.pgn", "target.pgn"]).ends(2);
    assert!(run.err().contains("target.pgn"), "{}", run.err());
    assert_eq!(place.read("target.pgn"), "mine");
    assert_eq!(place.names(), ["good.pgn", "target.pgn"]);
    place
        .run(&["convert", "--force", "good.pgn", "target.pgn"])
        .ends(0);
    assert_eq!(place.read("target.pgn"), GOOD);
}

#[test]
fn a_source_is_never_written_to() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    place.put("other.pgn", GOOD);
    for target in ["good.pgn", "./good.pgn"] {
        place
            .run(&["convert", "--force", "good.pgn", target])
            .ends(2);
        place
            .run(&["convert", "--force", "other.pgn", "good.pgn", target])
            .ends(2);
        place
            .run(&["repair", "--force", "good.pgn", target])
            .ends(2);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("good.pgn", place.path("link.pgn")).expect("a link");
        place
            .run(&["convert", "--force", "good.pgn", "link.pgn"])
            .ends(2);
        place
            .run(&["convert", "--force", "link.pgn", "good.pgn"])
            .ends(2);
    }
    assert_eq!(place.read("good.pgn"), GOOD);
    let before = std::fs::metadata(place.path("good.pgn")).expect("there");
    for args in [
        &["info", "--full", "good.pgn"][..],
        &["check", "good.pgn"],
        &["ls", "good.pgn"],
        &["convert", "--verify", "good.pgn", "copy.pgn"],
    ] {
        place.run(args).ends(0);
    }
    let after = std::fs::metadata(place.path("good.pgn")).expect("there");
    assert_eq!(
        before.modified().expect("a time"),
        after.modified().expect("a time")
    );
}

/// What a command writes beside games, never in the place of files that it reads or writes.
#[test]
fn reports_and_lists_do_not_take_the_place_of_databases() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    place.run(&["convert", "good.pgn", "base.si5"]).ends(0);
    let names = ["base.si5", "base.sg5", "base.sn5", "good.pgn"];
    let bytes = || names.map(|name| std::fs::read(place.path(name)).expect("read"));
    let before = bytes();
    for name in names {
        let other = format!("./{name}");
        for args in [
            &[
                "convert", "good.pgn", "base.si5", "copy.pgn", "--report", name,
            ][..],
            &[
                "convert", "good.pgn", "base.si5", "copy.pgn", "--report", &other,
            ],
            &[
                "convert", "--force", "good.pgn", "base.si5", "--report", name,
            ],
            &[
                "repair", "--force", "good.pgn", "base.si5", "--report", name,
            ],
            &[
                "names",
                "base.si5",
                "good.pgn",
                "--force",
                "--corrections",
                name,
            ],
        ] {
            place.run(args).ends(2);
        }
    }
    for new in ["new.si5", "new.sg5", "new.sn5"] {
        place
            .run(&["convert", "good.pgn", "new.si5", "--report", new])
            .ends(2);
        assert!(!place.path("new.si5").exists() && !place.path(new).exists());
    }
    assert_eq!(bytes(), before);
    // A report is of one run, and is replaced.
    for copy in ["one.pgn", "two.pgn"] {
        place
            .run(&["convert", "good.pgn", copy, "--report", "report.json"])
            .ends(0);
        assert!(place.read("report.json").contains(copy));
    }
}

#[test]
fn nothing_half_written_stays_behind() {
    let place = Place::new();
    place.put("bad.pgn", &format!("{GOOD}{DAMAGED}{GOOD}"));
    let run = place.run(&["convert", "--strict", "bad.pgn", "out.pgn"]);
    assert_ne!(run.code(), 0, "{}", run.err());
    assert!(run.err().contains("game 3"), "{}", run.err());
    assert_eq!(place.names(), ["bad.pgn"]);
    place.put("good.pgn", GOOD);
    place
        .run(&["convert", "--strict", "good.pgn", "out.pgn"])
        .ends(0);
    assert_eq!(place.names(), ["bad.pgn", "good.pgn", "out.pgn"]);
}

#[test]
fn pipes_work_on_both_ends() {
    let place = Place::new();
    let json = place
        .run_with(&["convert", "-", "--to", "ndjson", "-"], GOOD)
        .ends(0);
    assert_eq!(json.json().len(), 2);
    let pgn = place.run_with(&["convert", "-", "-"], json.out()).ends(0);
    assert_eq!(pgn.out(), GOOD);
    let table = place
        .run_with(&["convert", "--strict", "--to", "csv", "-", "-"], GOOD)
        .ends(0);
    assert_eq!(table.out().lines().count(), 3);
    assert!(table.err().contains("csv-moves"), "{}", table.err());
    place
        .run_with(&["convert", "--verify", "-", "x.pgn"], GOOD)
        .ends(2);
    let empty = place.run_with(&["convert", "-", "-"], "no chess at all");
    assert_eq!((empty.code(), empty.out()), (2, ""));
    assert!(place.names().is_empty());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    place.put("many.pgn", &GOOD.repeat(5_000));
    for args in [
        &["cat", "many.pgn"][..],
        &["cat", "--json", "many.pgn"],
        &["ls", "many.pgn"],
        &["convert", "many.pgn", "-"],
        &["convert", "--to", "ndjson", "many.pgn", "-"],
    ] {
        let mut child = program()
            .current_dir(place.0.path())
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {err}");
        assert!(!err.contains("error"), "{args:?}: {err}");
    }
}

#[test]
fn json_is_json() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    place.put("bad.pgn", DAMAGED);
    let games = place.run(&["cat", "--json", "good.pgn", "2", "1"]).ends(0);
    let games = games.json();
    let numbers: Vec<_> = games.iter().map(|game| &game["number"]).collect();
    assert_eq!(numbers, [2, 1]);
    assert_eq!(games[1]["schema"], "tabiya-game-1");
    assert_eq!(games[1]["moves"][0]["clk"], 60);
    assert_eq!(games[1]["moves"][2]["variation"][1]["san"], "d5");
    let rows = place.run(&["ls", "--json", "good.pgn"]).ends(0).json();
    assert_eq!(rows[0]["white"], "Müller, A");
    let info = place.run(&["info", "--json", "good.pgn"]).ends(0);
    let info: Value = serde_json::from_str(info.out()).expect("JSON");
    assert!(info.is_object() || info.is_array());
    for finding in place.run(&["check", "--json", "bad.pgn"]).ends(3).json() {
        assert!(finding["code"].is_string(), "{finding}");
    }
    let formats = place.run(&["formats", "--json"]).ends(0);
    let formats: Value = serde_json::from_str(formats.out()).expect("JSON");
    let text = formats.to_string();
    for format in FORMATS {
        assert!(text.contains(&format!("\"{}\"", format.name)), "{text}");
    }
}

#[test]
fn tables_have_a_heading_and_quotes() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    let table = place.run(&["ls", "--csv", "good.pgn"]).ends(0);
    let lines: Vec<&str> = table.out().lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("number,white,white_elo,"));
    assert!(lines[1].starts_with("1,\"Müller, A\","));
    // A table that was asked for leaves out what it has no column for; the number of half-moves is counted.
    place.run(&["convert", "good.pgn", "good.csv"]).ends(0);
    assert_eq!(place.read("good.csv"), table.out());
    let plies: Vec<Value> = place
        .run(&["ls", "--json", "good.pgn"])
        .ends(0)
        .json()
        .iter()
        .map(|game| game["plies"].clone())
        .collect();
    assert_eq!(plies, [3, 1]);
    let plies = place.run(&["cat", "--csv", "good.pgn", "1"]).ends(0);
    let lines: Vec<&str> = plies.out().lines().collect();
    assert_eq!(lines.len(), 1 + 4);
    assert!(
        lines[2].starts_with("1,1,1,white,e4,e2e4,,60,"),
        "{}",
        lines[2]
    );
    place.run(&["cat", "--csv", "--json", "good.pgn"]).ends(2);
}

#[test]
fn a_report_tells_what_was_lost_and_found() {
    let place = Place::new();
    place.put("bad.pgn", &format!("{GOOD}{DAMAGED}"));
    place
        .run(&["convert", "--report", "r.json", "bad.pgn", "out.csv"])
        .ends(3);
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("JSON");
    assert_eq!(report["games"], 3);
    let source = &report["sources"][0];
    assert_eq!(source["games"], 3);
    assert_eq!(source["damaged_games"], 1);
    let kinds: Vec<&str> = source["losses"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|loss| loss["kind"].as_str().expect("a name"))
        .collect();
    assert_eq!(kinds, ["csv-moves"]);
    assert_eq!(source["losses"][0]["count"], 3);
}

/// The collections that `tabiya info` names, with their games.
fn collections(place: &Place, base: &str) -> Vec<String> {
    let info = place.run(&["info", base]).ends(0);
    info.out()
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("collection "))
        .map(|line| {
            line.split_whitespace()
                .skip(1)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .filter(|line| !line.starts_with("collection."))
        .collect()
}

#[test]
fn what_a_database_says_about_itself_goes_along() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    let told = [
        "--description=My \u{2654} games",
        "--database-type=3",
        "--autoload=2",
        "--flag-labels=Sharp,Long",
    ];
    place
        .run(&[&["convert", "good.pgn", "a.si4"][..], &told].concat())
        .ends(0);
    let facts = |base: &str| {
        let info = place.run(&["info", "--json", base]).ends(0);
        let facts = &info.json()[0];
        ["description", "type", "autoload", "flag1", "flag2"]
            .map(|name| facts[name].as_str().unwrap_or("").to_owned())
    };
    place.run(&["convert", "a.si4", "b.si5"]).ends(0);
    let [description, kind, autoload, first, second] = facts("b.si5");
    assert_eq!(description, "My \u{2654} games");
    assert!(
        kind.starts_with("3 (") && autoload.starts_with("2 ("),
        "{kind}, {autoload}"
    );
    assert_eq!([first, second], ["Sharp", "Long"]);
    // The first game is deleted, and the game to show first is another number then.
    place.run(&["edit", "b.si5", "delete", "1"]).ends(0);
    place
        .run(&["convert", "--skip-deleted", "b.si5", "c.si4"])
        .ends(0);
    assert!(facts("c.si4")[2].starts_with("1 ("), "{:?}", facts("c.si4"));
    // What the user says replaces it, and is no loss.
    let run = place
        .run(&["convert", "--description", "Other", "a.si4", "d.si4"])
        .ends(0);
    assert!(run.err().contains("nothing lost"), "{}", run.err());
    assert_eq!(facts("d.si4")[0], "Other");
    // Formats without a place for it report it, each thing alone.
    let run = place.run(&["convert", "a.si4", "e.pgn"]).ends(3);
    assert!(run.err().contains("database-description"), "{}", run.err());
    assert!(run.err().contains("5 losses"), "{}", run.err());
    assert!(run.err().contains("database-setting"), "{}", run.err());
    let run = place.run(&["convert", "a.si4", "f.cdp"]).ends(3);
    assert!(run.err().contains("not in CP1251"), "{}", run.err());
    assert_eq!(facts("f.cdp")[0], "My K games");
    // What is said of one of several holds for none.
    let run = place
        .run(&["convert", "d.si4", "good.pgn", "g.si4"])
        .ends(3);
    assert!(run.err().contains("\"Other\""), "{}", run.err());
    assert_eq!(facts("g.si4")[0], "");
}

#[test]
fn collections_stay_apart_or_are_reported() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    place
        .run(&["convert", "--description", "Mine", "good.pgn", "mine.sql"])
        .ends(0);
    place.run(&["convert", "good.pgn", "other.sql"]).ends(0);
    assert_eq!(collections(&place, "mine.sql"), ["Mine, games 1 to 2"]);
    let run = place
        .run(&[
            "convert",
            "--verify",
            "mine.sql",
            "other.sql",
            "good.pgn",
            "both.sql",
        ])
        .ends(0);
    assert!(run.err().contains("nothing lost"), "{}", run.err());
    let both = [
        "Mine, games 1 to 2",
        "other, games 3 to 4",
        "both, games 5 to 6",
    ];
    assert_eq!(collections(&place, "both.sql"), both);
    place
        .run(&["convert", "--verify", "both.sql", "again.sql.gz"])
        .ends(0);
    assert_eq!(collections(&place, "again.sql.gz"), both);
    // One collection is the whole database, and its name the description.
    place.run(&["convert", "mine.sql", "mine.si4"]).ends(0);
    let info = place.run(&["info", "--json", "mine.si4"]).ends(0);
    assert_eq!(info.json()[0]["description"], "Mine");
    place.run(&["convert", "mine.si4", "back.sql"]).ends(0);
    assert_eq!(collections(&place, "back.sql"), ["Mine, games 1 to 2"]);
    // Several are not; nor has PGN a place for one, from a pipe or not.
    let run = place.run(&["convert", "both.sql", "both.si4"]).ends(3);
    assert!(
        run.err().contains("\"other\", games 3 to 4"),
        "{}",
        run.err()
    );
    let dump = place.read("both.sql");
    let run = place.run_with(&["convert", "-", "both.pgn"], &dump).ends(3);
    assert!(run.err().contains("3 losses"), "{}", run.err());
}

#[test]
fn verification_reads_the_target_again() {
    let place = Place::new();
    place.put("good.pgn", GOOD);
    for target in [
        "copy.pgn",
        "copy.ndjson",
        "copy.pgn.gz",
        "copy.ndjson.zst",
        "copy.lake",
    ] {
        let run = place
            .run(&["convert", "--verify", "good.pgn", target])
            .ends(0);
        assert!(
            run.err().contains("no unreported difference"),
            "{}",
            run.err()
        );
        place.run(&["diff", "good.pgn", target]).ends(0);
    }
    // Games that stand in another order cannot be set side by side.
    let months = ["convert", "--verify", "--partition", "month"];
    let months = [&months[..], &["good.pgn", "months.lake"]].concat();
    let run = place.run(&months).ends(2);
    assert!(run.err().contains("--partition none"), "{}", run.err());
    assert!(!place.path("months.lake").exists());
    // What was asked to be left out is told and is no failure.
    let run = place
        .run(&["convert", "--verify", "--reduced", "good.pgn", "small.pgn"])
        .ends(0);
    assert!(run.err().contains("pgn-comments-left-out"), "{}", run.err());
}

#[test]
fn several_sources_and_folders_are_merged() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).expect("a folder");
    place.put("folder/a.pgn", GOOD);
    place.put("folder/b.pgn", GOOD);
    place.put("folder/table.csv", "number,white\n");
    place.put("c.pgn", GOOD);
    place
        .run(&["convert", "folder", "c.pgn", "all.ndjson"])
        .ends(0);
    let all = place.read("all.ndjson");
    let numbers: Vec<Value> = all
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["number"].clone())
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn every_finding_has_a_page() {
    let place = Place::new();
    for format in FORMATS {
        for code in format.codes {
            let page = place.run(&["check", "--explain", code.name]).ends(0);
            assert!(page.out().contains(code.summary), "{}", code.name);
        }
    }
}

#[test]
fn completions_and_manual_pages_are_made() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let run = place.run(&["completions", shell]).ends(0);
        assert!(run.out().contains("convert"), "{shell}");
    }
    place.run(&["man", "pages"]).ends(0);
    let pages: Vec<_> = std::fs::read_dir(place.path("pages"))
        .expect("the folder")
        .collect();
    assert!(pages.len() > 5);
}

/// The names of the commands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

fn reference(place: &Place, command: &[String], text: &mut String) {
    let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
    args.push("--help");
    let run = place.run(&args).ends(0);
    let help: Vec<&str> = run.out().lines().map(str::trim_end).collect();
    let help = help.join("\n");
    let title = if command.is_empty() {
        "tabiya".to_owned()
    } else {
        format!("tabiya {}", command.join(" "))
    };
    text.push_str(&format!(
        "\n## {title}\n\n```text\n{}\n```\n",
        help.trim_end()
    ));
    for name in commands(&help) {
        let mut inner = command.to_vec();
        inner.push(name);
        reference(place, &inner, text);
    }
}

/// The rule that every command follows.
const EXIT_CODES: &str = "
## Exit codes

| code | when |
|---|---|
| 130 | Stopped by the user (Ctrl-C or a signal to end) before anything was done: no file is changed or left. Work that was finished before the request is kept, and the command ends with the code of that work, or with 3 if a copy could not be compared to its end (`--verify`). Of several databases, those that were finished are reported. |
| 2 | Wrong usage, a failure of the system, or a database that cannot be read. Of several databases, the others are done, and failures are reported at the end. Also a copy that `--verify` finds to differ in a way that was not reported. |
| 1 | Nothing was found (`search`, `ls`, `cat`, `explore`, `stats`, `player`, `crosstable`, `names`, `dedupe`, `novelty`, `deepest`, `identify`, `databases`), or two things differ (`diff`, `eco --compare`, `index --verify`). |
| 3 | Done, but something was damaged in what was read, or lost in what was written; both are reported. Data that an option or a table leaves out by its nature is not lost. With `--strict` nothing is written in this case. |
| 0 | Done, without any of these. Also if the reader of the output has closed it. |

If several apply, the first in this table counts.
";

#[test]
fn the_reference_is_what_the_program_says() {
    let mut text = String::from(
        "# The command line\n\nEvery command with its options, as `--help` prints them. A test makes this file: \
         `TABIYA_BLESS=1 cargo test\n-p tabiya-cli --test cli reference` renews it.\n",
    );
    text.push_str(EXIT_CODES);
    reference(&Place::new(), &[], &mut text);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    if std::env::var_os("TABIYA_BLESS").is_some() {
        std::fs::write(&path, text).expect("the reference is written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = expected.lines().zip(text.lines()).find(|(a, b)| a != b);
    assert!(
        expected == text,
        "docs/cli.md is not what the program says (TABIYA_BLESS=1 renews it): {differs:?}"
    );
}
