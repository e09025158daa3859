//! The pages for those who come from other programs: every command that they show runs, and nothing that the other program has
//! is missing.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A few games with something of everything.
const GAMES: &str = "[Event \"Paris\"]\n[Site \"Paris\"]\n[Date \"1858.??.??\"]\n[Round \"?\"]\n[White \"Morphy, Paul\"]\n\
    [Black \"Duke Karl\"]\n[Result \"1-0\"]\n[ECO \"C41\"]\n[Annotator \"me\"]\n\n1. e4 {[%clk 0:01:00] fine} (1. d4 d5) 1... e5 $1 2. Nf3 d6 \
    3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 1-0\n\n\
    [Event \"Mate\"]\n[Site \"?\"]\n[Date \"2024.01.02\"]\n[Round \"1\"]\n[White \"Müller, A\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n\
    1. f3 e5 2. g4 Qh4# 0-1\n\n\
    [Event \"Mate\"]\n[Site \"?\"]\n[Date \"2024.01.02\"]\n[Round \"1\"]\n[White \"Müller, A\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n\
    1. f3 e5 2. g4 Qh4# 0-1\n\n\
    [Event \"Setup\"]\n[Site \"?\"]\n[Date \"2024.01.03\"]\n[Round \"2\"]\n[White \"C\"]\n[Black \"D\"]\n[Result \"1/2-1/2\"]\n\
    [SetUp \"1\"]\n[FEN \"8/8/8/8/8/4k3/4p3/4K3 b - - 0 1\"]\n\n1... Kf3 2. Kd2 e1=Q+ 3. Kxe1 Ke3 1/2-1/2\n\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_tabiya")
}

/// One row of a table.
struct Row {
    line: usize,
    theirs: String,
    here: String,
    note: String,
}

/// The rows of a page's tables that have three columns.
fn rows(page: &str) -> Vec<Row> {
    let path = root().join("docs/coming-from").join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    let mut rows = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let Some(inner) = line
            .strip_prefix("| ")
            .and_then(|line| line.strip_suffix('|'))
        else {
            continue;
        };
        let cells: Vec<&str> = inner.split(" | ").map(str::trim).collect();
        let [theirs, here, note] = cells[..] else {
            // A note may be empty.
            match cells[..] {
                [theirs, here] => {
                    rows.push(row(number, theirs, here.trim_end_matches('|').trim(), ""))
                }
                _ => panic!("{page}, line {number}: three columns are wanted"),
            }
            continue;
        };
        rows.push(row(number, theirs, here, note.trim_end_matches('|').trim()));
    }
    rows.retain(|row| !row.theirs.starts_with("---") && row.here != "here");
    rows
}

fn row(line: usize, theirs: &str, here: &str, note: &str) -> Row {
    Row {
        line,
        theirs: theirs.to_owned(),
        here: here.to_owned(),
        note: note.to_owned(),
    }
}

/// The words of a command as a shell would part them.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut quoted, mut escaped, mut is_open) = (false, false, false);
    for c in command.chars() {
        let word = words.last_mut().expect("a word");
        match c {
            c if escaped => {
                word.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => {
                quoted = !quoted;
                is_open = true;
            }
            ' ' if !quoted => {
                if is_open || !word.is_empty() {
                    words.push(String::new());
                }
                is_open = false;
            }
            c => word.push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A folder with everything that the pages name.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let put =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    put("games.pgn", GAMES);
    put(
        "more.pgn",
        GAMES.split_inclusive("1-0\n\n").next().expect("a game"),
    );
    put("options.txt", "# the usual\n--no-comments --width 60\n");
    put("list.txt", "games.pgn\nmore.pgn\n");
    put(
        "games.ndjson",
        include_str!("../../../../corpus/lichess/ok/games.ndjson"),
    );
    put(
        "lines.query",
        "wanted = line:\"1.e4 e5\" or line:\"1.f3\"\n",
    );
    put("names.rules", "White, Black: Morphy = Morphy, Paul\n");
    put(
        "names.ssp",
        "@PLAYER \", .-\"\nMüller, Anna #W GER [2400]\n= Müller, A\n%Elo 2024:2400\n@EVENT\nParis opera\n= Paris\n\
         @SITE\nParis FRA\n= Paris\n@ROUND\nfirst\n= 1\n",
    );
    // A list with one database.
    let list = b"\x0c\x0b\x0a\x0e\0\0\0\x31\xff\x09\0\0\0Databases\
        \x19\x11\0\0\0Games,0,3,2,5,0,0\x09\0\0\0games.pgn";
    std::fs::write(folder.path().join("DBItems.cbini"), list).expect("a file");
    let made = Command::new(program())
        .args(["convert", "games.pgn", "base.si5"])
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    assert!(made.status.success(), "{made:?}");
    folder
}

/// What a cell says of the command here.
enum Here<'c> {
    Command(&'c str),
    /// A command that a person goes on with, in a browser or an editor.
    Interactive(&'c str),
    Nothing,
}

fn here(cell: &str) -> Option<Here<'_>> {
    if cell == "not here" {
        return Some(Here::Nothing);
    }
    let interactive = cell.strip_prefix("interactive: ");
    let command = interactive.unwrap_or(cell);
    let command = command.strip_prefix('`')?.strip_suffix('`')?;
    if !command.starts_with("tabiya ") {
        return None;
    }
    Some(match interactive {
        Some(_) => Here::Interactive(command),
        None => Here::Command(command),
    })
}

/// The program in a folder of its own, without settings of whoever runs the tests.
fn tabiya(folder: &TempDir, words: &[String]) -> Command {
    let mut command = Command::new(program());
    command
        .args(words)
        .current_dir(folder.path())
        .env("TABIYA_KEEP", "10")
        .env("HOME", folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .env("XDG_DATA_HOME", folder.path())
        // An editor that changes nothing.
        .env_remove("VISUAL")
        .env("EDITOR", "true")
        .stdin(Stdio::null());
    command
}

/// Starts the app, and ends it when it says where it is.
fn open_app(folder: &TempDir, words: &[String], place: &str) {
    let mut command = tabiya(folder, words);
    let mut app = command
        .arg("--no-open")
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let stderr = app.stderr.take().expect("piped");
    let told = BufReader::new(stderr).lines().next();
    let _ = app.kill();
    let _ = app.wait();
    let told = told.expect("a line").expect("UTF-8");
    assert!(told.contains("http://127.0.0.1:"), "{place}: {told}");
}

/// Runs a command in a fresh folder.
fn start(command: &str, place: &str) {
    let words = &words(command)[1..];
    let folder = folder();
    if words[0] == "serve" {
        return open_app(&folder, words, place);
    }
    if command.contains("--engine stockfish") && tabiya_testing::stockfish().is_none() {
        return;
    }
    if command.contains(" game 1") && !cfg!(unix) {
        return eprintln!("skipped: {command}: there is no editor that does nothing");
    }
    let output = tabiya(&folder, words).output().expect("it runs");
    let code = output.status.code();
    let error = String::from_utf8_lossy(&output.stderr);
    // 1 says that nothing was found or that something differs, 3 what a target cannot hold.
    assert!(
        matches!(code, Some(0 | 1 | 3)),
        "{place}: {command}: {code:?}\n{error}"
    );
}

/// Runs every command of a page; answers how many were run, are interactive, and are not here.
fn run_page(page: &str) -> (usize, usize, usize) {
    let (mut run, mut interactive, mut missing) = (0, 0, 0);
    let mut done = BTreeSet::new();
    for row in rows(page) {
        let place = format!("{page}, line {}: {}", row.line, row.theirs);
        match here(&row.here)
            .unwrap_or_else(|| panic!("{place}: {} says nothing of these", row.here))
        {
            Here::Nothing => {
                missing += 1;
                assert!(
                    !row.note.is_empty(),
                    "{place}: what is not here has a reason"
                );
            }
            Here::Interactive(command) => {
                interactive += 1;
                if done.insert(command.to_owned()) {
                    start(command, &place);
                }
            }
            Here::Command(command) => {
                run += 1;
                if done.insert(command.to_owned()) {
                    start(command, &place);
                }
            }
        }
    }
    (run, interactive, missing)
}

#[test]
fn every_command_of_the_pages_runs() {
    for (page, least) in [
        ("pgn-extract.md", 110),
        ("scid.md", 60),
        ("chessbase.md", 35),
        ("python-chess.md", 20),
        ("lichess.md", 15),
    ] {
        let (run, interactive, missing) = run_page(page);
        eprintln!("{page}: {run} commands, {interactive} interactive, {missing} not here");
        assert!(run >= least, "{page}: {run} commands");
    }
}

/// The part of an option that stands before what it takes.
fn option_of(word: &str) -> String {
    if word.starts_with("--") {
        return word.to_owned();
    }
    word.chars().take(2).collect()
}

#[test]
fn every_option_of_pgn_extract_is_on_its_page() {
    let Some(found) = tabiya_testing::pgn_extract() else {
        return;
    };
    let help = Command::new(found).arg("--help").output().expect("it runs");
    let help =
        String::from_utf8_lossy(&help.stderr).into_owned() + &String::from_utf8_lossy(&help.stdout);
    let told: BTreeSet<String> = rows("pgn-extract.md")
        .iter()
        .map(|row| option_of(row.theirs.trim_matches('`')))
        .collect();
    let mut options = BTreeSet::new();
    for line in help.lines().filter(|line| line.starts_with('-')) {
        let word = line.split_whitespace().next().unwrap_or("");
        options.insert(option_of(word));
    }
    assert!(options.len() > 80, "{}", options.len());
    let missing: Vec<&String> = options.difference(&told).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for format in [
        "cm",
        "epd",
        "halg",
        "lalg",
        "elalg",
        "xlalg",
        "xolalg",
        "uci",
        "san[PNBRQK]",
    ] {
        let option = format!("`-W{format}`");
        assert!(
            rows("pgn-extract.md")
                .iter()
                .any(|row| row.theirs == option),
            "{option}"
        );
    }
}

#[test]
fn every_entry_of_scids_menus_is_on_its_page() {
    let folder = Path::new("/usr/share/scid/tcl");
    let (Ok(menus), Ok(english)) = (
        std::fs::read(folder.join("menus.tcl")),
        std::fs::read(folder.join("lang/english.tcl")),
    ) else {
        eprintln!("skipped: Scid is not installed");
        return;
    };
    let (menus, english) = (
        String::from_utf8_lossy(&menus),
        String::from_utf8_lossy(&english),
    );
    let told: BTreeSet<String> = rows("scid.md").into_iter().map(|row| row.theirs).collect();
    let mut entries = 0;
    for line in menus
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
    {
        // Menus that hold others are no functions.
        let is_entry = line.contains("add command")
            || line.contains("add checkbutton")
            || line.contains("add radiobutton");
        let Some(label) = line.split("-label ").nth(1).filter(|_| is_entry) else {
            continue;
        };
        let key: String = label
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric())
            .collect();
        let Some(text) = english_of(&english, &key) else {
            continue;
        };
        entries += 1;
        let is_told = told.iter().any(|theirs| {
            theirs
                .split_once(": ")
                .is_some_and(|(_, entry)| entry == text)
        });
        assert!(is_told, "{key}: {text}");
    }
    assert!(entries > 80, "{entries}");
}

fn english_of(english: &str, key: &str) -> Option<String> {
    let start = format!("menuText E {key} \"");
    let rest = english.split(&start).nth(1)?;
    Some(rest.split('"').next()?.to_owned())
}
