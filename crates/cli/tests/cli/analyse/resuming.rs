//! Kills and interrupts: what was found is kept, and nothing shows in what is written.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Place, fake, games, next, settings, stockfish, succeed, tabiya};
#[cfg(unix)]
use super::{run, said};

/// Runs a command, kills it at random moments, and lets it come to its end at last; says how often it was killed.
pub(super) fn kill_and_resume(
    command: impl Fn() -> Command,
    kills: u32,
    most: u64,
    seed: u64,
) -> u32 {
    let mut state = seed;
    for killed in 0..kills {
        let mut child = command().stderr(Stdio::piped()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(10 + next(&mut state) % most));
        if child.try_wait().expect("asked").is_some() {
            let output = child.wait_with_output().expect("ended");
            assert!(output.status.success(), "{output:?}");
            return killed;
        }
        child.kill().expect("killed");
        child.wait().expect("buried");
    }
    succeed(&mut command());
    kills
}

#[test]
fn kills_change_nothing() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    let count = tabiya_testing::by_form(10, 25, 30);
    std::fs::write(place.path("games.pgn"), games(count, 45)).expect("written");
    let settings = settings(&place, &fake, "think");
    for options in [&[][..], &["--reproducible"]] {
        let command = |target: &str, processes: &str| {
            let mut command = tabiya();
            command.arg("analyse").arg(place.path("games.pgn"));
            command.arg("-o").arg(place.path(target));
            command.arg("--engines").arg(&settings);
            command
                .args(["--force", "--processes", processes])
                .args(options);
            command
        };
        succeed(&mut command("whole.pgn", "1"));
        let whole = place.read("whole.pgn");
        assert!(String::from_utf8_lossy(&whole).contains("[%eval"));
        let kills = kill_and_resume(|| command("killed.pgn", "2"), 20, 120, 7);
        // On a busy machine it may be done before the last one.
        let least = tabiya_testing::by_form(1, 4, 20);
        assert!(kills >= least, "it was at work: {kills} kills");
        assert!(place.read("killed.pgn") == whole, "{options:?}");
        assert!(!place.path("killed.pgn.tabiya-analysis").exists());
        std::fs::remove_file(place.path("killed.pgn")).expect("removed");
    }
}

#[test]
fn kills_change_nothing_with_stockfish() {
    let (Some(stockfish), true) = (stockfish(), cfg!(unix)) else {
        return;
    };
    let place = Place::new();
    let (count, most) = if tabiya_testing::is_full() {
        (90, 1_000)
    } else {
        (4, 400)
    };
    std::fs::write(place.path("games.pgn"), games(count, 60)).expect("written");
    for options in [&["--reproducible"][..], &[]] {
        let command = |target: &str| {
            let mut command = tabiya();
            command.arg("analyse").arg(place.path("games.pgn"));
            command.arg("-o").arg(place.path(target));
            command.arg("--engine").arg(&stockfish);
            command.args(["--nodes", "4000", "--force", "--processes", "2"]);
            command.args(options);
            command
        };
        succeed(&mut command("whole.pgn"));
        let kills = kill_and_resume(|| command("killed.pgn"), 20, most, 3);
        eprintln!("{kills} kills with {options:?}");
        assert!(
            kills == 20 || !tabiya_testing::is_full(),
            "it was at work all the time"
        );
        assert!(
            place.read("killed.pgn") == place.read("whole.pgn"),
            "{options:?}"
        );
        std::fs::remove_file(place.path("killed.pgn")).expect("removed");
        if !tabiya_testing::is_full() {
            return;
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_done() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    std::fs::write(place.path("games.pgn"), games(30, 40)).expect("written");
    let settings = settings(&place, &fake, "think");
    let source = place.read("games.pgn");
    // Into another file, and in place.
    for target in [Some("out.pgn"), None] {
        let command = || {
            let mut command = tabiya();
            command.arg("analyse").arg(place.path("games.pgn"));
            if let Some(target) = target {
                command.arg("-o").arg(place.path(target));
            }
            command
                .arg("--engines")
                .arg(&settings)
                .args(["--processes", "2"]);
            command
        };
        let name = target.unwrap_or("games.pgn");
        let journal = place.path(&format!("{name}.tabiya-analysis"));
        let child = command().stderr(Stdio::piped()).spawn().expect("it starts");
        while !journal
            .metadata()
            .is_ok_and(|metadata| metadata.len() > 2_000)
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(tabiya_testing::send_signal(child.id(), "INT"));
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{}", said(&output));
        assert!(
            said(&output).contains("run the same command again to continue"),
            "{}",
            said(&output)
        );
        assert!(journal.exists() && !place.path("out.pgn").exists());
        assert!(place.read("games.pgn") == source, "nothing has changed yet");
        let output = succeed(&mut command());
        assert!(
            said(&output).contains("already in the journal"),
            "{}",
            said(&output)
        );
        assert!(!journal.exists());
        assert!(String::from_utf8_lossy(&place.read(name)).contains("[%eval"));
        if target.is_none() {
            return;
        }
        std::fs::remove_file(place.path(name)).expect("removed");
        // A journal of another analysis is refused.
        let other = "tabiya analysis journal 1\nengine: Other\n\n";
        std::fs::write(&journal, other).expect("written");
        let output = run(command().arg("--force"));
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("of another analysis"));
    }
}
