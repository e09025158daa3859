//! Engines that misbehave in every way: never a hang, never a process left behind, a clear sentence each.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tabiya_engine::{
    Engine, EngineError, EngineFault, EngineSpec, EngineSupervisor, EngineTimeouts,
    PositionEvaluation, SearchLimits, SearchPosition,
};
use tabiya_model::{Board, Control};

fn spec(way: &str) -> EngineSpec {
    let mut spec = EngineSpec::new(env!("CARGO_BIN_EXE_tabiya-fake-engine"));
    spec.name = "fake".to_owned();
    spec.arguments = vec![way.to_owned()];
    spec
}

/// Short, so that the tests are: for engines that do nothing more in their time, however long it is.
fn short() -> EngineTimeouts {
    EngineTimeouts {
        start: Duration::from_secs(3),
        silence: Duration::from_secs(1),
        word: Duration::from_secs(2),
        progress: Duration::from_secs(3),
        stop: Duration::from_secs(1),
        quit: Duration::from_millis(300),
    }
}

/// Longer than any machine takes for what an engine has to do, however much else it has to do itself.
fn long() -> EngineTimeouts {
    EngineTimeouts {
        start: HANGS,
        silence: HANGS,
        word: HANGS,
        progress: HANGS,
        stop: HANGS,
        quit: Duration::from_millis(300),
    }
}

/// What lasts so long hangs. Only a failing test waits so long.
const HANGS: Duration = Duration::from_secs(300);

/// Does something that must come to an end: a hang is a failure with its name, whatever the machine does meanwhile.
fn in_time<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = channel();
    let worker = std::thread::spawn(move || {
        let _ = sender.send(work());
    });
    match done.recv_timeout(HANGS) {
        Ok(done) => done,
        Err(RecvTimeoutError::Timeout) => panic!("{what}: it hangs"),
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => panic!("{what}: no answer"),
        },
    }
}

/// Starts an engine that is to fail in its start: the silent ones after so many seconds, the others whenever they do.
fn fail(way: &'static str, seconds: Option<u64>) -> EngineError {
    let patience = EngineTimeouts {
        start: seconds.map_or(HANGS, Duration::from_secs),
        ..long()
    };
    in_time(way, move || {
        Engine::start(&spec(way), patience, &Control::default())
    })
    .expect_err(way)
}

/// Starts an engine that speaks at least until it is asked to search.
fn start(way: &str, patience: EngineTimeouts) -> Engine {
    Engine::start(&spec(way), starting(patience), &Control::default()).expect(way)
}

/// Only what comes after its start may be given up soon.
fn starting(patience: EngineTimeouts) -> EngineTimeouts {
    EngineTimeouts {
        start: HANGS,
        ..patience
    }
}

fn position() -> SearchPosition {
    SearchPosition::new(&Board::standard()).expect("valid")
}

/// Whether a process of this number runs; one that is dead and unburied runs not.
#[cfg(target_os = "linux")]
fn runs(id: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or("")
            .trim_start()
            .starts_with(['Z', 'X'])
    })
}

/// Whether there is anything of a process, its unburied body included.
#[cfg(target_os = "linux")]
fn is_there(id: u32) -> bool {
    Path::new(&format!("/proc/{id}")).exists()
}

#[cfg(target_os = "linux")]
fn wait_until(what: &str, done: impl Fn() -> bool + Send + 'static) {
    in_time(what, move || {
        while !done() {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
}

fn search(engine: &mut Engine) -> Result<PositionEvaluation, EngineFault> {
    let control = Control::default();
    engine.new_game(&control)?;
    let found = engine.search(
        &position(),
        &SearchLimits::nodes(100),
        &control,
        &mut |_| true,
    )?;
    PositionEvaluation::of(&found).ok_or(EngineFault::NoEvaluation)
}

#[test]
fn one_that_behaves_is_asked_and_goes() {
    let mut engine = start("", long());
    assert_eq!(engine.id(), "Fake 1");
    assert_eq!(engine.options().len(), 4);
    engine.set("hash", "32").expect("set");
    assert!(matches!(
        engine.set("Hash", "0"),
        Err(EngineFault::BadOption { .. })
    ));
    assert!(matches!(
        engine.set("Hash", "1\nquit"),
        Err(EngineFault::BadOption { .. })
    ));
    assert!(matches!(
        engine.set("Debug Log File", "/x"),
        Err(EngineFault::NoOption(_))
    ));
    let found = search(&mut engine).expect("found");
    assert_eq!((found.depth, found.nodes, found.line.len()), (1, 100, 1));
    let id = engine.process_id();
    engine.quit();
    #[cfg(target_os = "linux")]
    assert!(!is_there(id), "nothing is left of process {id}");
    let _ = id;
}

/// What an engine does at its start, how long it is waited for, and what is said of it.
const AT_THE_START: [(&str, Option<u64>, &str); 7] = [
    ("silent", Some(2), "did not answer `uci`"),
    ("endless-line", Some(2), "did not answer `uci`"),
    (
        "crash-at-start",
        None,
        "it ended with code 3 when asked to answer `uci`",
    ),
    (
        "complain-and-crash",
        None,
        "its last error output: no network file",
    ),
    ("crash-at-uci", None, "it ended with code 4"),
    (
        "crash-at-ready",
        None,
        "it ended with code 5 when asked to get ready",
    ),
    // Until then it has to speak, however slow the machine is.
    (
        "silent-at-ready",
        Some(10),
        "it hangs: no output for 10 s when asked to get ready",
    ),
];

/// What an engine does in a search, and what is said of it.
const IN_A_SEARCH: [(&str, &str); 14] = [
    ("crash-at-newgame", "it ended with code 6"),
    (
        "crash-at-position",
        "it ended with code 7 when asked to search",
    ),
    ("crash-at-go", "it ended with code 8 when asked to search"),
    (
        "crash-after-info",
        "it ended with code 10 when asked to search",
    ),
    ("hang-at-go", "it hangs"),
    ("hang-after-info", "it hangs"),
    ("flood", "it hangs"),
    ("endless-line-at-go", "it hangs"),
    (
        "crash-in-a-line",
        "it ended with code 11 when asked to search",
    ),
    ("idle", "it reports that it is ready, but its search"),
    (
        "idle-after-info",
        "it reports that it is ready, but its search",
    ),
    ("same-info", "it reports that it is ready, but its search"),
    (
        "beyond-limit",
        "it searched 99000000000 nodes and has not stopped; 100 were allowed",
    ),
    ("no-score", "it chose a move without an evaluation"),
];

#[test]
fn every_failure_at_the_start_has_its_sentence() {
    // They wait most of the time, so that they wait together.
    std::thread::scope(|waiting| {
        for (way, seconds, part) in AT_THE_START {
            waiting.spawn(move || {
                let error = fail(way, seconds).to_string();
                assert!(
                    error.starts_with("fake: ") && error.contains(part),
                    "{way}: {error}"
                );
            });
        }
    });
}

#[test]
fn every_failure_in_a_search_has_its_sentence() {
    std::thread::scope(|waiting| {
        for (way, part) in IN_A_SEARCH {
            waiting.spawn(move || fails_in_a_search(way, part));
        }
    });
    let missing = Engine::start(
        &EngineSpec::new("/no/such/engine"),
        long(),
        &Control::default(),
    );
    let error = missing.expect_err("is not there").to_string();
    assert!(error.contains("there is no such engine"), "{error}");
}

fn fails_in_a_search(way: &'static str, part: &str) {
    let patience = if part.starts_with("it hangs") || part.starts_with("it reports") {
        short()
    } else {
        long()
    };
    let (engine, error) = in_time(way, move || {
        let mut engine = start(way, patience);
        let fault = search(&mut engine).expect_err(way);
        let error = engine.error(fault).to_string();
        (engine, error)
    });
    assert!(
        error.starts_with("fake: ") && error.contains(part),
        "{way}: {error}"
    );
    #[cfg(target_os = "linux")]
    {
        let id = engine.process_id();
        in_time(way, move || drop(engine));
        assert!(!is_there(id), "{way}: nothing is left of process {id}");
    }
    #[cfg(not(target_os = "linux"))]
    drop(engine);
}

/// One that says what is wanted before it is asked, and reads nothing: sooner or later it takes nothing any more.
#[test]
fn one_that_reads_nothing_holds_nobody_up() {
    let fault = in_time("reads-nothing", || {
        let mut engine = start("reads-nothing", short());
        let moves: Vec<_> = ["g1f3", "g8f6", "f3g1", "f6g8"]
            .iter()
            .cycle()
            .take(2_000)
            .scan(Board::standard(), |board, text| {
                let m = board.parse_uci(text.as_bytes()).expect("a move");
                board.play(m);
                Some(m)
            })
            .collect();
        let long = SearchPosition::after(&Board::standard(), &moves).expect("valid");
        loop {
            let control = Control::default();
            if let Err(fault) =
                engine.search(&long, &SearchLimits::nodes(100), &control, &mut |_| true)
            {
                return fault;
            }
        }
    });
    assert!(matches!(fault, EngineFault::Deaf(_)), "{fault}");
}

/// It is waited for once, and not again for each position.
#[test]
fn one_that_never_searches_is_not_asked_again() {
    let mut keeper = EngineSupervisor::start(&spec("idle"), starting(short()), &Control::default());
    let keeper = keeper.as_mut().expect("starts");
    let error = keeper
        .work(&Control::default(), search)
        .expect_err("it does not search");
    assert!(matches!(error.fault, EngineFault::Idle(_)), "{error}");
    assert_eq!((keeper.restarts(), keeper.has_worked()), (0, false));
    // Its process is gone, and no other was started.
    assert_eq!(keeper.process_id(), None);
}

/// Who gets further is waited for, in whatever words it tells so.
#[test]
fn slow_progress_is_progress() {
    let patience = EngineTimeouts {
        word: Duration::from_secs(10),
        progress: Duration::from_secs(10),
        ..starting(long())
    };
    let mut engine = start("counts-moves", patience);
    let found = search(&mut engine).expect("found");
    assert_eq!(found.nodes, 100);
}

#[test]
fn slowness_and_nonsense_are_borne() {
    for way in ["slow", "garbage"] {
        let mut engine = start(way, long());
        let found = search(&mut engine).expect(way);
        assert_eq!(found.nodes, 100, "{way}");
        assert_eq!(found.line.len(), 1, "{way}");
        let oddities = engine.take_oddities();
        assert_eq!(oddities.is_empty(), way == "slow", "{way}: {oddities:?}");
    }
}

#[test]
fn illegal_moves_are_reported_and_cut() {
    let mut engine = start("illegal", long());
    let found = search(&mut engine).expect("found");
    assert_eq!(found.line.len(), 1);
    let oddities = engine.take_oddities();
    assert!(
        oddities
            .iter()
            .any(|what| what.contains("illegal move `a1a1`")),
        "{oddities:?}"
    );
    assert!(
        oddities
            .iter()
            .any(|what| what.contains("`a1h8`, which is not legal")),
        "{oddities:?}"
    );
}

/// What it says of one position twice is not taken for what it says of the next one.
#[test]
fn a_second_answer_is_not_that_to_the_next_search() {
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/4q3/R3K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/Q3K3 b - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ];
    let answers = |way: &str| {
        let mut engine = start(way, long());
        let each = fens.map(|fen| {
            let (board, _) = Board::from_fen(fen).expect("valid");
            let position = SearchPosition::new(&board).expect("valid");
            let found = engine
                .search(
                    &position,
                    &SearchLimits::nodes(100),
                    &Control::default(),
                    &mut |_| true,
                )
                .expect("found");
            let best = found.best.expect("a move");
            let line = &found.lines[0];
            (best.bits(), line.score, line.line.clone())
        });
        assert!(engine.take_oddities().is_empty(), "{way}");
        each
    };
    assert_eq!(answers("says-twice"), answers(""));
}

#[test]
fn a_stop_is_a_stop() {
    let control = Control::default();
    let mut engine = start("", long());
    let search = engine
        .search(&position(), &SearchLimits::default(), &control, &mut |_| {
            false
        })
        .expect("stopped");
    assert!(search.stopped && search.lines.len() == 1);
    control.stop();
    let search = engine
        .search(&position(), &SearchLimits::default(), &control, &mut |_| {
            true
        })
        .expect("stopped");
    assert!(search.stopped);
    let stopped = control.clone();
    let fault = in_time("will-not-stop", move || {
        start("will-not-stop", short())
            .search(&position(), &SearchLimits::default(), &stopped, &mut |_| {
                true
            })
            .expect_err("goes on")
    });
    assert!(matches!(fault, EngineFault::WillNotStop), "{fault}");
    let silent = in_time("silent", move || {
        Engine::start(&spec("silent"), long(), &control).expect_err("stopped")
    });
    assert!(matches!(silent.fault, EngineFault::Stopped));
}

#[test]
fn one_that_fails_is_started_again() {
    let folder = tempfile::tempdir().expect("a folder");
    for way in ["crash-once", "hang-once"] {
        let mark = folder.path().join(way);
        let mut spec = spec(way);
        spec.arguments.push(mark.display().to_string());
        let control = Control::default();
        let mut patience = long();
        if way == "hang-once" {
            patience.silence = Duration::from_secs(2);
        }
        let mut keeper = EngineSupervisor::start(&spec, patience, &control).expect("starts");
        let found = keeper.work(&control, search).expect("found in the end");
        assert_eq!(found.nodes, 100);
        // A machine with much else to do may take so long that it looks like a hang once more.
        let restarts = keeper.restarts();
        assert!(
            restarts == 1 || (way == "hang-once" && restarts == 2),
            "{way}"
        );
        let notes = keeper.take_notes();
        assert!(
            notes.len() == 1 && notes[0].contains("it was restarted"),
            "{notes:?}"
        );
    }
    let control = Control::default();
    let mut keeper =
        EngineSupervisor::start(&spec("crash-at-go"), long(), &control).expect("starts");
    let error = keeper
        .work(&control, search)
        .expect_err("always")
        .to_string();
    assert!(error.contains("code 8"), "{error}");
    assert_eq!(keeper.restarts(), 2);
    // It can be asked for something else afterwards.
    assert!(
        keeper
            .work(&control, |engine| engine.new_game(&Control::default()))
            .is_ok()
    );
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_of_one_that_refuses_to_go() {
    let engine = start("refuse-to-quit", long());
    let id = engine.process_id();
    assert!(runs(id));
    in_time("refuse-to-quit", move || drop(engine));
    assert!(!is_there(id));
}

#[cfg(target_os = "linux")]
#[test]
fn children_go_with_their_parent() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("child");
    let mut spec = spec("fork");
    spec.arguments.push(file.display().to_string());
    let mut engine = Engine::start(&spec, long(), &Control::default()).expect("starts");
    search(&mut engine).expect("found");
    let child: u32 = std::fs::read_to_string(&file)
        .expect("told")
        .parse()
        .expect("a number");
    assert!(runs(child));
    engine.quit();
    wait_until("the child is gone", move || !runs(child));
}

/// Those that leave the group of their parent, with a parent and without, go too. One that clears its environment as well is
/// reached where there is a cgroup.
#[cfg(target_os = "linux")]
#[test]
fn children_that_leave_the_group_go_too() {
    for way in ["setsid", "setsid-orphan", "setsid-orphan-bare"] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("child");
        let mut spec = spec(way);
        spec.arguments.push(file.display().to_string());
        let mut engine = Engine::start(&spec, long(), &Control::default()).expect("starts");
        search(&mut engine).expect("found");
        let mark = file.clone();
        wait_until("the child tells its number", move || mark.exists());
        let child: u32 = std::fs::read_to_string(&file)
            .expect("told")
            .parse()
            .expect("a number");
        let held = cgroup_of(child);
        assert!(runs(child), "{way}");
        assert_ne!(group_of(child), group_of(engine.process_id()), "{way}");
        let is_caged = held.contains(&format!("/tabiya-{}-", std::process::id()));
        if way == "setsid-orphan-bare" && !is_caged {
            testing_skips("children that clear their environment: no cgroup can be made here");
            kill(child);
            continue;
        }
        engine.quit();
        wait_until("the child is gone", move || !runs(child));
        if is_caged {
            let place = held.lines().find_map(|line| line.strip_prefix("0::"));
            let name = place.expect("a cgroup").rsplit('/').next().expect("a name");
            let mine = std::fs::read_to_string("/proc/self/mountinfo").expect("mounts");
            let left = mine
                .lines()
                .filter(|line| line.contains(" - cgroup2 "))
                .filter_map(|line| line.split(' ').nth(4))
                .any(|point| Path::new(point).join(name).exists());
            assert!(!left, "{way}: nothing is left of {name}");
        }
    }
}

#[cfg(target_os = "linux")]
fn testing_skips(what: &str) {
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("skipped: {what}\n"));
}

#[cfg(target_os = "linux")]
fn kill(id: u32) {
    let id = i32::try_from(id).expect("a number");
    let id = rustix::process::Pid::from_raw(id).expect("a number");
    rustix::process::kill_process(id, rustix::process::Signal::KILL).expect("killed");
}

#[cfg(target_os = "linux")]
fn cgroup_of(id: u32) -> String {
    std::fs::read_to_string(format!("/proc/{id}/cgroup")).unwrap_or_default()
}

/// The group of a process.
#[cfg(target_os = "linux")]
fn group_of(id: u32) -> u32 {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("it is there");
    let rest = stat.rsplit_once(')').expect("a name").1;
    let group = rest.split_ascii_whitespace().nth(2).expect("a group");
    group.parse().expect("a number")
}

/// The holder is killed without a chance to do anything: its engines, and what they started, go with it.
#[cfg(target_os = "linux")]
#[test]
fn engines_go_when_their_holder_is_killed() {
    const MARK: &str = "TABIYA_TEST_HOLDER";
    if let Ok(file) = std::env::var(MARK) {
        let mut forks = Vec::new();
        for (way, child) in [("fork", "child"), ("setsid-orphan", "orphan")] {
            let mut spec = spec(way);
            let child = format!("{file}.{child}");
            spec.arguments.push(child.clone());
            forks.push(Engine::start(&spec, long(), &Control::default()).expect("starts"));
            wait_until("it tells", move || Path::new(&child).exists());
        }
        let stubborn = start("refuse-to-quit", long());
        std::fs::write(format!("{file}.new"), stubborn.process_id().to_string()).expect("written");
        std::fs::rename(format!("{file}.new"), &file).expect("renamed");
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("engine");
    let mut holder = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args([
            "--exact",
            "misbehaviour::engines_go_when_their_holder_is_killed",
            "--nocapture",
        ])
        .env(MARK, &file)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("starts");
    let mark = file.clone();
    wait_until("the holder has its engines", move || mark.exists());
    let number = |path: &Path| -> u32 {
        let text = std::fs::read_to_string(path).expect("told");
        text.parse().expect("a number")
    };
    let engine = number(&file);
    let child = number(&folder.path().join("engine.child"));
    let orphan = number(&folder.path().join("engine.orphan"));
    assert!(runs(engine) && runs(child) && runs(orphan));
    holder.kill().expect("killed");
    holder.wait().expect("buried");
    wait_until("the engine is gone", move || !runs(engine));
    wait_until("the child is gone", move || !runs(child));
    wait_until("the orphan is gone", move || !runs(orphan));
}
