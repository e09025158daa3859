//! Ctrl-C at random moments: every long command ends with its own code and leaves nothing behind.
//!
//! `TABIYA_FULL=1` interrupts each command at 20 moments in place of 3.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The code of a command that was interrupted.
const INTERRUPTED: i32 = 130;

/// A game with its number in a tag.
fn game(number: usize) -> String {
    let openings = [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5",
        "1. d4 d5 2. c4 e6",
        "1. c4 {English} e5 (1... c5) 2. g3",
    ];
    format!(
        "[Event \"Event {}\"]\n[Site \"Somewhere\"]\n[Date \"2001.02.03\"]\n[Round \"{number}\"]\n[White \"Player {}\"]\n\
         [Black \"Other {}\"]\n[Result \"1-0\"]\n[WhiteElo \"{}\"]\n\n{} 1-0\n\n",
        number % 50,
        number % 997,
        number % 499,
        2000 + number % 700,
        openings[number % openings.len()],
    )
}

struct Place {
    folder: TempDir,
    /// Where temporary files go.
    temporary: TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let temporary = tempfile::tempdir().expect("a folder");
        let games: String = (1..=20_000).map(game).collect();
        std::fs::write(folder.path().join("games.pgn"), &games).expect("written");
        let place = Place { folder, temporary };
        place.prepare(&["convert", "games.pgn", "base.si5"]);
        place.prepare(&["convert", "games.pgn", "other.si4"]);
        // An archive of a format that has to be unpacked.
        let tar = Command::new("tar")
            .current_dir(place.folder.path())
            .args(["-cf", "packed.tar", "base.si5", "base.sg5", "base.sn5"])
            .status();
        assert!(tar.expect("tar starts").success());
        place
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        command
            .current_dir(self.folder.path())
            .env("TMPDIR", self.temporary.path())
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn start(&self, args: &[&str]) -> Child {
        self.command(args).spawn().expect("the program starts")
    }

    fn prepare(&self, args: &[&str]) {
        assert!(
            self.command(args).status().expect("it starts").success(),
            "{args:?}"
        );
    }

    /// Every file that is there.
    fn files(&self) -> BTreeSet<String> {
        let list = |folder: &Path| -> Vec<String> {
            let entries = std::fs::read_dir(folder).expect("listed");
            entries
                .map(|entry| entry.expect("an entry").path().display().to_string())
                .collect()
        };
        let mut files = list(self.folder.path());
        files.extend(list(self.temporary.path()));
        files.into_iter().collect()
    }
}

fn interrupt(child: &Child) {
    // It may have ended by itself.
    tabiya_testing::send_signal(child.id(), "INT");
}

/// Commands that take their time, each with the files that it makes when nobody interrupts it.
const COMMANDS: &[(&[&str], &[&str])] = &[
    (
        &["convert", "--verify", "games.pgn", "new.si5"],
        &["new.si5", "new.sg5", "new.sn5"],
    ),
    (&["convert", "base.si5", "new.cbf"], &["new.cbf", "new.cbi"]),
    (&["convert", "packed.tar", "new.pgn"], &["new.pgn"]),
    (&["repair", "games.pgn", "new.pgn"], &["new.pgn"]),
    (
        &["search", "-o", "new.pgn", "base.si5", "plies>=1"],
        &["new.pgn"],
    ),
    (
        &["search", "--sort", "elo", "games.pgn", "white:Player"],
        &[],
    ),
    (&["search", "--count", "games.pgn", "comment:English"], &[]),
    (
        &["eco", "games.pgn", "-o", "new.si4"],
        &["new.si4", "new.sg4", "new.sn4"],
    ),
    (&["eco", "games.pgn"], &[]),
    (&["check", "games.pgn", "base.si5"], &[]),
    (&["info", "--full", "games.pgn"], &[]),
    (&["diff", "games.pgn", "base.si5"], &[]),
    (&["ls", "--json", "games.pgn"], &[]),
    (&["cat", "games.pgn"], &[]),
    (
        &[
            "explore",
            "--no-index",
            "games.pgn",
            "--tree",
            "pgn",
            "-o",
            "new.pgn",
        ],
        &["new.pgn"],
    ),
    (&["index", "games.pgn"], &["games.pgn.tabiya-index"]),
    (&["convert", "games.pgn", "new.parquet"], &["new.parquet"]),
    (&["stats", "--full", "games.pgn"], &[]),
    (&["player", "Player 7", "games.pgn"], &[]),
    (&["crosstable", "games.pgn", "--game", "17"], &[]),
    (&["names", "games.pgn"], &[]),
    (&["dedupe", "--count", "games.pgn"], &[]),
    (&["dedupe", "-o", "new.pgn", "games.pgn"], &["new.pgn"]),
    (&["novelty", "games.pgn", "--reference", "base.si5"], &[]),
    (&["deepest", "games.pgn"], &[]),
];

#[test]
fn every_command_ends_with_its_code_and_leaves_nothing() {
    let times = if std::env::var_os("TABIYA_FULL").is_some() {
        20
    } else {
        3
    };
    let place = Place::new();
    let before = place.files();
    // Moments that differ from run to run are found again by their number.
    let mut seed = tabiya_testing::seed();
    let mut interrupted = 0;
    for (args, made) in COMMANDS {
        let started = Instant::now();
        let mut child = place.start(args);
        child.wait().expect("it ends");
        let whole = started.elapsed().max(Duration::from_millis(2));
        for name in *made {
            let path = place.folder.path().join(name);
            std::fs::remove_file(&path).unwrap_or_else(|error| panic!("{args:?}: {name}: {error}"));
        }
        assert_eq!(place.files(), before, "{args:?}, not interrupted");
        for _ in 0..times {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let moment = whole.mul_f64((seed >> 40) as f64 / (1_u64 << 24) as f64);
            let mut child = place.start(args);
            std::thread::sleep(moment);
            interrupt(&child);
            let status = child.wait().expect("it ends");
            let code = status.code();
            if code == Some(INTERRUPTED) {
                interrupted += 1;
            }
            // Before the program has begun nothing catches the signal, and nothing is at stake.
            let is_early = code.is_none();
            let is_whole = matches!(code, Some(0 | 1 | 3));
            assert!(
                is_whole || is_early || code == Some(INTERRUPTED),
                "{args:?} at {moment:?}: {status}"
            );
            let mut after = place.files();
            if !is_early {
                // The whole target may have got its name at the last moment.
                let all = made
                    .iter()
                    .all(|name| place.folder.path().join(name).exists());
                for name in made.iter().filter(|_| all) {
                    let path = place.folder.path().join(name);
                    after.remove(&path.display().to_string());
                    std::fs::remove_file(path).expect("removed");
                }
            }
            assert_eq!(after, before, "{args:?} at {moment:?}: {status}");
        }
    }
    assert!(
        interrupted > COMMANDS.len() / 2,
        "only {interrupted} were interrupted"
    );
}

#[test]
fn an_interrupted_edit_leaves_the_old_base_or_the_new() {
    let place = Place::new();
    let before = place.files();
    let copy = |name: &str| {
        for extension in ["si5", "sg5", "sn5"] {
            let from = place.folder.path().join(format!("base.{extension}"));
            std::fs::copy(
                from,
                place.folder.path().join(format!("{name}.{extension}")),
            )
            .expect("copied");
        }
    };
    for (round, millis) in [3, 20, 60, 120].into_iter().enumerate() {
        let name = format!("edited{round}");
        copy(&name);
        let base = format!("{name}.si5");
        let mut child = place.start(&["edit", &base, "append", "games.pgn"]);
        std::thread::sleep(Duration::from_millis(millis));
        interrupt(&child);
        child.wait().expect("it ends");
        // What a stop leaves to be completed is completed by whoever opens the base next.
        let count = place
            .command(&["search", "--count", &base, "plies>=0"])
            .stdout(Stdio::piped())
            .output();
        let count = String::from_utf8(count.expect("it runs").stdout).expect("text");
        assert!(
            ["20000", "40000"].contains(&count.trim()),
            "{millis}: {count}"
        );
        for extension in ["si5", "sg5", "sn5"] {
            std::fs::remove_file(place.folder.path().join(format!("{name}.{extension}")))
                .expect("removed");
        }
    }
    let left: Vec<String> = place.files().difference(&before).cloned().collect();
    assert!(left.iter().all(|name| name.contains("edited")), "{left:?}");
}
