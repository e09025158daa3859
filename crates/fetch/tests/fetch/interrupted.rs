//! The program itself: it is killed at random moments, and run again.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tabiya_fetch::{FetchSite, FetchSource};
use tabiya_io::disk::guarded;
use tabiya_io::disk_faults::{self, DiskFullFault};
use tabiya_testing::TestRandom;
use tabiya_testing::answers::AnswerSchemas;

use crate::lichess::{account, answer};
use crate::stand_in::StandIn;
use crate::{fetch_with, games, settings, values};

fn program(server: &StandIn, arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya-fetch"));
    command
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder)
        .env_remove("TABIYA_TOKENS")
        .arg("--host")
        .arg(format!("lichess={}", server.address))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(server: &StandIn, arguments: &[&str], folder: &Path) -> Output {
    program(server, arguments, folder)
        .output()
        .expect("the program runs")
}

#[test]
fn killed_at_random_moments_it_goes_on_as_if_nothing_had_happened() {
    let count = 4_000;
    let account = account(count);
    let behind = Arc::clone(&account);
    let server = StandIn::start(move |asked| {
        let mut reply = answer(&behind, asked);
        // Slowly, so that there are moments.
        std::thread::sleep(Duration::from_millis(1));
        reply.headers.push(("X-Test", "1".to_owned()));
        reply
    });
    let folder = tempfile::tempdir().expect("a folder");
    let words = |base: &'static str| ["lichess", "SampleRook", "-o", base];
    let whole = run(&server, &words("whole.pgn"), folder.path());
    assert_eq!(whole.status.code(), Some(0), "{whole:?}");
    let kills = if tabiya_testing::is_full() { 100 } else { 12 };
    let mut random = TestRandom::new(tabiya_testing::seed());
    let mut killed = 0;
    for _ in 0..kills {
        let mut child = program(&server, &words("mine.pgn"), folder.path())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(random.below(400) as u64));
        let _ = child.kill();
        let output = child.wait_with_output().expect("it ends");
        killed += usize::from(output.status.code() != Some(0));
    }
    assert!(killed > 0, "no run was killed");
    let last = run(&server, &words("mine.pgn"), folder.path());
    assert_eq!(last.status.code(), Some(0), "{last:?}");
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a base");
    assert!(text("mine.pgn") == text("whole.pgn"));
    let games = games(&folder.path().join("mine.pgn"));
    assert_eq!(games.len(), count);
    assert!(values(&games, "GameId").values().all(|count| *count == 1));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_that_were_whole() {
    let count = 3_000;
    let account = account(count);
    let behind = Arc::clone(&account);
    let server = StandIn::start(move |asked| {
        let mut reply = answer(&behind, asked);
        // In the middle of the last game the site falls silent.
        reply.cut = Some(reply.body.len() - 50);
        reply.is_silent = true;
        reply
    });
    let folder = tempfile::tempdir().expect("a folder");
    let child = program(
        &server,
        &["lichess", "SampleRook", "-o", "mine.pgn"],
        folder.path(),
    )
    .spawn()
    .expect("the program starts");
    // The first thousand are in the base; the others wait for more.
    let base = folder.path().join("mine.pgn");
    let end = Instant::now() + Duration::from_secs(60);
    while std::fs::metadata(&base).map_or(0, |file| file.len()) < 100_000 {
        assert!(Instant::now() < end, "no game came");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    let pressed = Instant::now();
    assert!(tabiya_testing::send_signal(child.id(), "INT"));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(pressed.elapsed() < Duration::from_secs(8));
    let games = games(&base);
    assert_eq!(games.len(), count - 1);
    assert!(values(&games, "GameId").values().all(|count| *count == 1));
}

#[test]
fn a_disk_that_is_full_at_any_step_loses_and_doubles_nothing() {
    let count = 2_300;
    let account = account(count);
    let behind = Arc::clone(&account);
    let server = StandIn::start(move |asked| answer(&behind, asked));
    let folder = tempfile::tempdir().expect("a folder");
    let source = FetchSource::lichess("SampleRook").expect("an account");
    let fetch = |base: &Path| fetch_with(base, settings(FetchSite::Lichess, &server), &source);
    let whole = folder.path().join("whole.pgn");
    let steps = disk_faults::count(|| {
        assert_eq!(fetch(&whole).expect("fetched").added, count as u64);
    });
    let whole = std::fs::read(&whole).expect("a base");
    let each = match tabiya_testing::is_full() {
        true => 1,
        false => 1 + steps / 25,
    };
    let mut failed = 0;
    for step in (0..steps).step_by(usize::try_from(each).expect("small")) {
        let base = folder.path().join(format!("full-{step}.pgn"));
        let done = guarded(DiskFullFault::at(step, 7), || fetch(&base));
        if let Err(error) = done {
            failed += 1;
            let text = error.to_string();
            assert!(!text.contains("wants a login"), "step {step}: {text}");
        }
        fetch(&base).unwrap_or_else(|error| panic!("step {step}: {error}"));
        let read = std::fs::read(&base).expect("a base");
        let same = read.iter().zip(&whole).take_while(|(a, b)| a == b).count();
        let near = |bytes: &[u8]| {
            let (from, to) = (same.saturating_sub(200), (same + 200).min(bytes.len()));
            String::from_utf8_lossy(bytes.get(from..to).unwrap_or_default()).into_owned()
        };
        assert!(
            read == whole,
            "step {step}: {} and {} bytes are equal up to {same}: {}\nis not\n{}",
            read.len(),
            whole.len(),
            near(&read),
            near(&whole)
        );
    }
    assert!(failed > 0, "no step of {steps} failed");
}

#[test]
fn the_program_tells_what_it_did_and_renews_what_a_base_was_fed_from() {
    let account = account(4);
    let behind = Arc::clone(&account);
    let server = StandIn::start(move |asked| answer(&behind, asked));
    let folder = tempfile::tempdir().expect("a folder");
    let first = run(
        &server,
        &[
            "--json",
            "lichess",
            "SampleRook",
            "closed",
            "-o",
            "mine.si5",
        ],
        folder.path(),
    );
    // One of two accounts is closed: the other one was fetched all the same.
    assert_eq!(first.status.code(), Some(2), "{first:?}");
    let lines: Vec<serde_json::Value> = String::from_utf8_lossy(&first.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    let schemas = AnswerSchemas::of_commands();
    for line in &lines {
        let faults = schemas.faults("FetchAnswer", line);
        assert!(faults.is_empty(), "{faults:?}");
    }
    assert_eq!(lines[0]["added"], 4);
    assert_eq!(lines[0]["source"], "lichess samplerook");
    assert!(lines[0]["error"].is_null());
    assert!(
        lines[1]["error"]
            .as_str()
            .is_some_and(|it| it.contains("closed"))
    );
    let all = run(&server, &["--all", "mine.si5"], folder.path());
    assert_eq!(all.status.code(), Some(0), "{all:?}");
    let said = String::from_utf8_lossy(&all.stderr).into_owned();
    assert!(said.contains("lichess samplerook: 0 new"), "{said}");
    // Nothing is asked for a base that was never fed, nor for words that make no sense.
    server.take();
    for arguments in [
        &["--all", "other.si5"][..],
        &["lichess", "../x", "-o", "mine.si5"],
        &["twic", "1650-x", "-o", "mine.si5"],
        &["lichess", "SampleRook"],
        &[],
    ] {
        let run = run(&server, arguments, folder.path());
        assert_eq!(run.status.code(), Some(2), "{run:?}");
    }
    assert!(server.take().is_empty());
    // A file of tokens that others can read is refused before anything is asked.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let tokens = folder.path().join("tabiya/tokens.conf");
        std::fs::create_dir_all(folder.path().join("tabiya")).expect("a folder");
        std::fs::write(&tokens, format!("{} lip_secret\n", server.address)).expect("written");
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(&tokens, open).expect("set");
        let refused = run(&server, &["--all", "mine.si5"], folder.path());
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(server.take().is_empty());
        let closed = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&tokens, closed).expect("set");
        let taken = run(&server, &["--all", "mine.si5"], folder.path());
        assert_eq!(taken.status.code(), Some(0), "{taken:?}");
        let said = format!("{taken:?}");
        assert!(!said.contains("lip_secret"));
        for asked in server.take() {
            assert_eq!(asked.header("authorization"), Some("Bearer lip_secret"));
        }
    }
}
