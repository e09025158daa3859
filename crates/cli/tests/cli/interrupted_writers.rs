//! Ctrl-C and kills at random moments of every command that writes: the exit code and the files tell one story.
//!
//! Code 130, or the signal itself, says that nothing was done: every file is as it was, and no other is there. Any other code is that of a
//! run that nobody interrupts, and the files are those that such a run leaves. Commands that need an engine are not among these.
//!
//! `TABIYA_FULL=1` interrupts 2,000 times in place of some 150, and kills 500 times in place of 24.

#![cfg(unix)]
#![allow(clippy::print_stderr, reason = "what was done is said")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tabiya_testing::{TestRandom, send_signal};

use tempfile::TempDir;

/// Games of the bases that are written and changed.
const GAMES: usize = 600;

fn game(number: usize) -> String {
    let openings = [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5",
        "1. d4 d5 2. c4 e6",
        "1. c4 {English} e5 (1... c5) 2. g3",
    ];
    format!(
        "[Event \"Event {}\"]\n[Site \"Somewhere\"]\n[Date \"{}.02.03\"]\n[Round \"{number}\"]\n[White \"Player {}\"]\n\
         [Black \"Other {}\"]\n[Result \"1-0\"]\n[WhiteElo \"{}\"]\n\n{} 1-0\n\n",
        number % 50,
        2001 + number % 3,
        number % 97,
        number % 49,
        2000 + number % 700,
        openings[number % openings.len()],
    )
}

/// A command, with what it works on.
struct Case {
    args: &'static [&'static str],
    /// Whether a whole run may also end with 3 and all its files, because what follows the writing was stopped.
    may_be_unverified: bool,
}

const fn case(args: &'static [&'static str]) -> Case {
    Case {
        args,
        may_be_unverified: false,
    }
}

const CASES: &[Case] = &[
    case(&["convert", "games.pgn", "new.si5"]),
    case(&["convert", "--force", "deleted.si5", "base.si5"]),
    case(&["convert", "--force", "deleted.si5", "old.pgn"]),
    Case {
        args: &["convert", "--verify", "games.pgn", "new.si4"],
        may_be_unverified: true,
    },
    case(&["convert", "games.pgn", "new.cbf"]),
    case(&["convert", "games.pgn", "new.parquet"]),
    case(&["convert", "games.pgn", "new.lake"]),
    case(&["convert", "games.pgn", "new.cdp"]),
    case(&["convert", "games.pgn", "new.sql"]),
    case(&["convert", "games.pgn", "new.ndjson"]),
    case(&["convert", "games.pgn", "new.epd"]),
    case(&["convert", "games.pgn", "new.csv"]),
    case(&["convert", "games.pgn", "new.bin"]),
    case(&["book", "games.pgn", "-o", "new.abk", "--min-games", "1"]),
    case(&["convert", "games.pgn", "new.pgn", "--report", "report.json"]),
    case(&["convert", "--split", "100", "games.pgn", "new.pgn"]),
    case(&[
        "convert",
        "--to",
        "pgn",
        "--split-by",
        "event",
        "games.pgn",
        "new",
    ]),
    case(&[
        "convert",
        "--to",
        "pgn",
        "--split-by",
        "event",
        "--query",
        "white:Player",
        "--rest",
        "rest.pgn",
        "--report",
        "report.json",
        "games.pgn",
        "new",
    ]),
    case(&[
        "convert",
        "--query",
        "white:Player",
        "--rest",
        "rest.pgn",
        "games.pgn",
        "new.pgn",
    ]),
    case(&[
        "convert",
        "--unique",
        "--doubles",
        "doubles.pgn",
        "games.pgn",
        "games.pgn",
        "new.si5",
    ]),
    case(&["convert", "--append", "games.pgn", "base.si5"]),
    case(&["repair", "games.pgn", "new.pgn"]),
    case(&["search", "-o", "new.pgn", "base.si5", "plies>=1"]),
    case(&[
        "search",
        "--sort",
        "elo",
        "-o",
        "new.si5",
        "games.pgn",
        "plies>=1",
    ]),
    case(&["eco", "games.pgn", "-o", "new.si4"]),
    case(&["dedupe", "-o", "new.pgn", "games.pgn", "base.si5"]),
    case(&["dedupe", "--mark", "twice.si5"]),
    case(&["dedupe", "--mark", "--merge", "twice.si5"]),
    case(&["dedupe", "--undo", "marked.si5"]),
    case(&["index", "games.pgn"]),
    case(&["index", "--remove", "old.pgn"]),
    case(&["stats", "games.pgn", "--plot", "new.svg"]),
    case(&["names", "base.si5", "--apply", "names.ssp"]),
    case(&["names", "old.pgn", "--apply", "names.ssp"]),
    case(&[
        "names",
        "games.pgn",
        "--apply",
        "names.ssp",
        "-o",
        "new.si5",
    ]),
    case(&[
        "explore",
        "--no-index",
        "games.pgn",
        "--tree",
        "pgn",
        "-o",
        "new.pgn",
    ]),
    case(&["player", "Player 7", "games.pgn", "--dossier", "new.md"]),
    case(&["names", "games.pgn", "--corrections", "new.ssp"]),
    case(&["new", "new.si5"]),
    case(&["edit", "base.si5", "append", "games.pgn"]),
    case(&["edit", "old.pgn", "append", "games.pgn"]),
    case(&[
        "edit",
        "base.si5",
        "set",
        "--query",
        "white:Player",
        "Annotator=Somebody",
    ]),
    case(&[
        "edit",
        "old.pgn",
        "set",
        "--games",
        "1-40",
        "Annotator=Somebody",
    ]),
    case(&["edit", "base.si5", "strip", "--games", "1-500", "comments"]),
    case(&["edit", "base.si5", "delete", "1-300"]),
    case(&["edit", "old.pgn", "delete", "1-300"]),
    case(&["edit", "base.si5", "flag", "1-300", "--set", "W"]),
    case(&["edit", "base.si5", "sort", "white"]),
    case(&["edit", "base.si5", "replace", "3", "one.pgn"]),
    case(&["edit", "old.pgn", "replace", "3", "one.pgn"]),
    case(&["edit", "base.si5", "merge", "3", "one.pgn"]),
    case(&["edit", "deleted.si5", "undelete", "1-200"]),
    case(&["edit", "changed.si5", "restore", "--version", "1", "8"]),
    case(&["edit", "deleted.si5", "compact"]),
    case(&[
        "edit",
        "base.si5",
        "describe",
        "--description",
        "Something else",
    ]),
    case(&["edit", "changed.si5", "undo"]),
    case(&["lake", "build", "games.pgn", "new.lake"]),
    case(&[
        "lake",
        "build",
        "--positions",
        "--iceberg",
        "games.pgn",
        "new",
    ]),
    case(&["lake", "add", "games.pgn", "lake"]),
    case(&["lake", "add", "damaged.lake"]),
    case(&["lake", "compact", "lake"]),
];

struct Place {
    /// What is there before each command.
    fresh: TempDir,
    room: TempDir,
    temporary: TempDir,
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("made");
    for entry in std::fs::read_dir(from).expect("listed") {
        let path = entry.expect("an entry").path();
        let copied = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &copied);
        } else {
            std::fs::copy(&path, &copied).expect("copied");
        }
    }
}

/// Every file below a folder with its bytes. What holds times, or the place of the base, counts by its name alone.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder_now) = open.pop() {
        for entry in std::fs::read_dir(&folder_now).expect("listed") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(folder).expect("within").to_path_buf();
            let text = name.to_string_lossy().into_owned();
            if path.is_dir() {
                files.insert(name, Vec::new());
                open.push(path);
                continue;
            }
            let is_of_a_moment = [".tabiya-history", ".tabiya-index"]
                .iter()
                .any(|end| text.ends_with(end))
                || text.contains("metadata");
            let bytes = match is_of_a_moment {
                true => Vec::new(),
                false => std::fs::read(&path).expect("read"),
            };
            files.insert(name, bytes);
        }
    }
    files
}

/// What differs, by names.
fn differences(one: &Files, other: &Files) -> Vec<String> {
    let names = one.keys().chain(other.keys());
    let mut differ: Vec<String> = names
        .filter(|name| one.get(*name) != other.get(*name))
        .map(|name| name.display().to_string())
        .collect();
    differ.sort_unstable();
    differ.dedup();
    differ
}

impl Place {
    fn new() -> Place {
        let place = Place {
            fresh: tempfile::tempdir().expect("a folder"),
            room: tempfile::tempdir().expect("a folder"),
            temporary: tempfile::tempdir().expect("a folder"),
        };
        let fresh = place.fresh.path();
        let games: String = (1..=GAMES).map(game).collect();
        std::fs::write(fresh.join("games.pgn"), &games).expect("written");
        std::fs::write(fresh.join("old.pgn"), &games).expect("written");
        std::fs::write(fresh.join("one.pgn"), game(4)).expect("written");
        let names = "@PLAYER\nSeven, Somebody\n= Player 7\n";
        std::fs::write(fresh.join("names.ssp"), names).expect("written");
        for args in [
            &["convert", "games.pgn", "base.si5"][..],
            &["convert", "games.pgn", "games.pgn", "twice.si5"],
            &["convert", "games.pgn", "deleted.si5"],
            &["edit", "deleted.si5", "delete", "1-200"],
            &["convert", "games.pgn", "changed.si5"],
            &["edit", "changed.si5", "set", "--games", "1-400", "Round=7"],
            &["convert", "games.pgn", "games.pgn", "marked.si5"],
            &["dedupe", "--mark", "marked.si5"],
            &["index", "old.pgn"],
            &["lake", "build", "--positions", "games.pgn", "lake"],
            &["lake", "build", "--positions", "games.pgn", "damaged.lake"],
        ] {
            let status = place.command(fresh, args).status().expect("it starts");
            assert!(status.success(), "{args:?}");
        }
        std::fs::remove_dir_all(fresh.join("damaged.lake/explorer")).expect("removed");
        place
    }

    fn command(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        command
            .current_dir(folder)
            .env("TMPDIR", self.temporary.path())
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// A folder of its own with all that is there before a command.
    fn work(&self, name: &str) -> PathBuf {
        let folder = self.room.path().join(name);
        copy(self.fresh.path(), &folder);
        folder
    }

    fn is_tidy(&self) -> bool {
        std::fs::read_dir(self.temporary.path())
            .expect("listed")
            .next()
            .is_none()
    }
}

/// Moments that are the same for a seed.
struct Moments(TestRandom);

impl Moments {
    /// A number from 0 to 1.
    fn next(&mut self) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        let fraction = (self.0.number() >> 40) as f64 / (1_u64 << 24) as f64;
        fraction
    }

    /// A moment of a run: a third of them lie in its first half, where a quick run can still be stopped, and a third in its
    /// last third, where things get their names.
    fn moment(&mut self, whole: Duration) -> Duration {
        let at = self.next();
        let at = match self.next() * 3.0 {
            ..1.0 => at * 0.5,
            ..2.0 => at,
            _ => 0.67 + at * 0.38,
        };
        whole.mul_f64(at)
    }
}

/// A run that nobody interrupts: its end, its files, and how long it takes.
fn whole(place: &Place, case: &Case) -> (ExitStatus, Files, Duration) {
    let folder = place.work("whole");
    let started = Instant::now();
    let status = place.command(&folder, case.args).status();
    let took = started.elapsed().max(Duration::from_millis(2));
    let status = status.expect("it starts");
    assert!(
        matches!(status.code(), Some(0 | 1 | 3)),
        "{:?}: {status}",
        case.args
    );
    let after = files(&folder);
    std::fs::remove_dir_all(&folder).expect("removed");
    (status, after, took)
}

#[test]
fn an_interrupt_leaves_what_its_code_says() {
    let place = Place::new();
    let before = files(place.fresh.path());
    let is_full = std::env::var_os("TABIYA_FULL").is_some();
    let times = if is_full { 2_000 / CASES.len() + 1 } else { 4 };
    let mut chance = Moments(TestRandom::new(tabiya_testing::seed()));
    let (mut stopped, mut finished) = (0, 0);
    for case in CASES {
        let (end, after, mut took) = whole(&place, case);
        assert!(before != after, "{:?} writes nothing", case.args);
        for _ in 0..times {
            let moment = chance.moment(took);
            let folder = place.work("work");
            let mut child = place
                .command(&folder, case.args)
                .spawn()
                .expect("it starts");
            std::thread::sleep(moment);
            if child.try_wait().expect("it is ours").is_none() {
                send_signal(child.id(), "INT");
            } else {
                // It takes less than was thought, on a machine that is less busy now.
                took = took.min(moment);
            }
            let status = child.wait().expect("it ends");
            let found = files(&folder);
            let told = format!("{:?} at {moment:?} of {took:?}: {status}", case.args);
            match status.code() {
                // Before the program has begun nothing catches the signal.
                None | Some(130) => {
                    stopped += 1;
                    assert_eq!(differences(&before, &found), Vec::<String>::new(), "{told}");
                }
                Some(code) => {
                    finished += 1;
                    let is_end = end.code() == Some(code) || (case.may_be_unverified && code == 3);
                    assert!(is_end, "{told}");
                    assert_eq!(differences(&after, &found), Vec::<String>::new(), "{told}");
                }
            }
            assert!(place.is_tidy(), "{told}");
            std::fs::remove_dir_all(&folder).expect("removed");
        }
    }
    eprintln!("{stopped} stopped, {finished} finished");
    assert!(stopped > CASES.len(), "only {stopped} were stopped");
}

/// What somebody sees who opens all that is there after a kill: no half of anything, and nothing that is in the way.
#[test]
fn a_kill_leaves_the_old_state_or_the_new_and_the_next_command_sweeps() {
    let place = Place::new();
    let is_full = std::env::var_os("TABIYA_FULL").is_some();
    let cases: Vec<&Case> = CASES
        .iter()
        .filter(|case| {
            matches!(case.args, ["edit" | "lake", ..]) || case.args.contains(&"--split-by")
        })
        .collect();
    let times = if is_full { 500 / cases.len() + 1 } else { 2 };
    let mut chance = Moments(TestRandom::new(tabiya_testing::seed() << 7));
    // The games of the bases that a command names, with all that is in them.
    let states = |folder: &Path, case: &Case| -> Vec<Option<Vec<u8>>> {
        let named = case.args.iter().skip(1);
        let named = named.filter(|name| {
            name.ends_with("si5")
                || name.ends_with("old.pgn")
                || name.ends_with("lake")
                || **name == "new"
        });
        let state = |name: &&str| {
            folder.join(name).exists().then(|| {
                let output = place
                    .command(folder, &["cat", name])
                    .stdout(Stdio::piped())
                    .output()
                    .expect("it runs");
                assert!(output.status.success(), "{name}: {}", output.status);
                output.stdout
            })
        };
        named.map(state).collect()
    };
    for case in cases {
        let folder = place.work("whole");
        let started = Instant::now();
        place.command(&folder, case.args).status().expect("it runs");
        let took = started.elapsed();
        let before = states(place.fresh.path(), case);
        let after = states(&folder, case);
        std::fs::remove_dir_all(&folder).expect("removed");
        for _ in 0..times {
            let moment = chance.moment(took);
            let folder = place.work("work");
            let mut child = place
                .command(&folder, case.args)
                .spawn()
                .expect("it starts");
            std::thread::sleep(moment);
            send_signal(child.id(), "KILL");
            child.wait().expect("it ends");
            let told = format!("{:?} at {moment:?} of {took:?}", case.args);
            let found = states(&folder, case);
            assert!(found == before || found == after, "{told}");
            // The folder as a whole: what is half-written is not taken for games.
            let count = |folder: &Path| {
                let output = place
                    .command(folder, &["search", "--count", ".", "plies>=0"])
                    .stdout(Stdio::piped())
                    .output()
                    .expect("it runs");
                let text = String::from_utf8(output.stdout).expect("text");
                let last = text.lines().last().unwrap_or_default().to_owned();
                last.parse::<u64>()
                    .unwrap_or_else(|_| panic!("{told}: {text}"))
            };
            let seen = count(&folder);
            if let ["lake", "build", ..] = case.args {
                let place_of = folder.join(case.args.last().expect("a folder"));
                let expected = match place_of.exists() {
                    true => count(place.fresh.path()) + GAMES as u64,
                    false => count(place.fresh.path()),
                };
                assert_eq!(seen, expected, "{told}");
            }
            // Whoever comes next succeeds, and leaves nothing of what was left.
            if let ["lake", "build", .., target] = case.args
                && !folder.join(target).exists()
            {
                let status = place.command(&folder, case.args).status().expect("it runs");
                assert!(status.success(), "{told}: {status}");
            }
            if let ["lake", "add" | "compact", .., lake] = case.args {
                let run = |args: &[&str]| place.command(&folder, args).status().expect("it runs");
                if *lake == "lake" {
                    assert!(run(&["lake", "verify", lake]).success(), "{told}");
                }
                assert!(run(&["lake", "add", lake]).success(), "{told}");
                assert!(run(&["lake", "verify", lake]).success(), "{told}");
            }
            if let ["convert", "--to", "pgn", "--split-by", .., target] = case.args {
                // A folder that is there is whole, and stays; what else was to be written may still be a part, which goes.
                let expected = if folder.join(target).exists() { 2 } else { 0 };
                let status = place.command(&folder, case.args).status().expect("it runs");
                assert_eq!(status.code(), Some(expected), "{told}");
            }
            if matches!(case.args[0], "lake" | "convert") {
                let left: Vec<_> = files(&folder).into_keys().collect();
                let parts = left.iter().filter(|path| {
                    path.to_string_lossy().ends_with(".part")
                        || path.to_string_lossy().contains("tabiya-lock")
                });
                assert_eq!(parts.count(), 0, "{told}: {left:?}");
            }
            std::fs::remove_dir_all(&folder).expect("removed");
        }
    }
}

/// Eight add to one lake at once: each has added all its games, or says that it has not.
#[test]
fn eight_writers_of_a_lake_lose_nothing() {
    let place = Place::new();
    let folder = place.work("work");
    let more: String = (1..=40).map(game).collect();
    std::fs::write(folder.join("more.pgn"), more).expect("written");
    let children: Vec<Child> = (0..8)
        .map(|_| {
            place
                .command(&folder, &["lake", "add", "more.pgn", "lake"])
                .spawn()
                .expect("it starts")
        })
        .collect();
    let mut done = 0;
    for mut child in children {
        let status = child.wait().expect("it ends");
        match status.code() {
            Some(0) => done += 1,
            code => assert_eq!(code, Some(2), "{status}"),
        }
    }
    assert!(done > 0);
    let count = place
        .command(&folder, &["search", "--count", "lake", "plies>=0"])
        .stdout(Stdio::piped())
        .output()
        .expect("it runs");
    let count = String::from_utf8(count.stdout).expect("text");
    assert_eq!(count.trim(), (GAMES + done * 40).to_string());
    let status = place.command(&folder, &["lake", "verify", "lake"]).status();
    assert!(status.expect("it runs").success());
}

/// Folders: hidden names and what is half-written are passed over, and a lake inside of one is one base.
#[test]
fn a_folder_shows_its_bases_and_nothing_else() {
    let place = Place::new();
    let folder = place.room.path().join("all");
    std::fs::create_dir(&folder).expect("made");
    copy(&place.fresh.path().join("lake"), &folder.join("lake"));
    std::fs::copy(place.fresh.path().join("old.pgn"), folder.join("old.pgn")).expect("copied");
    let list = || {
        let output = place
            .command(place.room.path(), &["search", "--count", "all", "plies>=0"])
            .stdout(Stdio::piped())
            .output()
            .expect("it runs");
        assert!(output.status.success(), "{}", output.status);
        String::from_utf8(output.stdout).expect("text")
    };
    let before = list();
    assert!(before.ends_with(&format!("{}\n", 2 * GAMES)), "{before}");
    assert!(before.contains("all/lake\n"), "{before}");
    copy(&folder.join("lake"), &folder.join(".lake.4711-0.part"));
    copy(&folder.join("lake"), &folder.join(".hidden"));
    for name in [
        ".games.pgn.4711-0.part",
        ".hidden.pgn",
        "other.pgn.tabiya-new",
        "._old.pgn",
    ] {
        std::fs::copy(folder.join("old.pgn"), folder.join(name)).expect("copied");
    }
    assert_eq!(list(), before);
}
