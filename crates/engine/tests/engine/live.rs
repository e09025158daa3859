//! Live analysis through the library: quick to answer, and gone with its holder.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tabiya_engine::driver::{EngineSpec, EngineTimeouts};
use tabiya_engine::live::{LiveCache, LiveEngines, LiveQuestion, LiveState, LiveUpdate};
use tabiya_engine::program_path;
use tabiya_model::Board;

fn fake(way: &str) -> EngineSpec {
    let mut spec = EngineSpec::new(env!("CARGO_BIN_EXE_tabiya-fake-engine"));
    spec.arguments = vec![way.to_owned()];
    spec
}

fn live(engines: Vec<EngineSpec>, cache: &LiveCache) -> (LiveEngines, Receiver<LiveUpdate>) {
    let (sender, updates) = channel();
    let sender = std::sync::Mutex::new(sender);
    let live = LiveEngines::start(
        engines,
        EngineTimeouts::default(),
        cache.clone(),
        move |update| {
            if let Ok(sender) = sender.lock() {
                let _ = sender.send(update);
            }
        },
    );
    (live, updates)
}

/// What brings nothing for so long hangs. Only a failing test waits so long.
const HANGS: Duration = Duration::from_secs(300);

/// The first update that fits.
fn wait(updates: &Receiver<LiveUpdate>, fits: impl Fn(&LiveUpdate) -> bool) -> LiveUpdate {
    while let Ok(update) = updates.recv_timeout(HANGS) {
        if fits(&update) {
            return update;
        }
    }
    panic!("no such update came");
}

fn ask(lines: u32) -> LiveQuestion {
    LiveQuestion::best(&Board::standard(), &[], lines).expect("valid")
}

#[cfg(target_os = "linux")]
fn children() -> usize {
    // The engines are children of this process, wherever it was started.
    let me = std::process::id().to_string();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| {
            let name = stat.split('(').nth(1).unwrap_or("");
            let rest = stat.rsplit(')').next().unwrap_or("");
            let parent = rest.split_whitespace().nth(1);
            parent == Some(me.as_str()) && name.starts_with("stockfish")
        })
        .count()
}

/// One that says that it is ready and finds nothing is ended, and that is told; the others go on.
#[test]
fn one_that_never_searches_is_told() {
    let patience = EngineTimeouts {
        word: Duration::from_secs(2),
        ..EngineTimeouts::default()
    };
    let (sender, updates) = channel();
    let sender = std::sync::Mutex::new(sender);
    let cache = LiveCache::default();
    let live = LiveEngines::start(vec![fake("idle")], patience, cache, move |update| {
        if let Ok(sender) = sender.lock() {
            let _ = sender.send(update);
        }
    });
    live.show(&ask(1));
    let failed = wait(&updates, |update| {
        matches!(update.state, LiveState::Failed(_))
    });
    assert!(
        matches!(&failed.state, LiveState::Failed(why) if why.contains("its search has had no output")),
        "{failed:?}"
    );
}

#[test]
fn several_engines_answer_and_a_failing_one_says_why() {
    let cache = LiveCache::default();
    let (live, updates) = live(vec![fake(""), fake("crash-at-uci"), fake("")], &cache);
    let question = live.show(&ask(1));
    let of = |engine: usize| {
        move |update: &LiveUpdate| update.engine == engine && update.question == question
    };
    // What the other one of the same name has found may be told before this one has started.
    let first = wait(&updates, |update| {
        of(0)(update) && !update.lines.is_empty() && !update.remembered
    });
    assert!(first.best().is_some());
    assert_eq!(first.name, "Fake 1");
    let (live, updates) = {
        drop(live);
        self::live(vec![fake("crash-at-uci")], &cache)
    };
    live.show(&ask(1));
    let failed = wait(&updates, |update| {
        matches!(update.state, LiveState::Failed(_))
    });
    assert!(
        matches!(&failed.state, LiveState::Failed(why) if why.contains("code 4")),
        "{failed:?}"
    );
}

#[test]
fn stepping_back_shows_what_is_known_at_once() {
    let cache = LiveCache::default();
    let (live, updates) = live(vec![fake("")], &cache);
    live.show(&ask(1));
    wait(&updates, |update| !update.lines.is_empty());
    let board = Board::standard();
    let m = board.parse_uci(b"e2e4").expect("a move");
    let second = live.show(&LiveQuestion::best(&board, &[m], 1).expect("valid"));
    wait(&updates, |update| {
        update.question == second && !update.lines.is_empty()
    });
    let third = live.show(&ask(1));
    // It is told before the call returns.
    let again = updates
        .try_iter()
        .find(|update| update.question == third)
        .expect("at once");
    assert!(again.remembered && !again.lines.is_empty());
    live.pause();
}

#[test]
fn three_holders_at_once_and_nothing_left_behind() {
    let Some(program) = program_path::program(program_path::USUAL) else {
        println!("skipped: there is no Stockfish");
        return;
    };
    let cache = LiveCache::default();
    let holders: Vec<_> = (0..3)
        .map(|_| live(vec![EngineSpec::new(&program)], &cache))
        .collect();
    for (live, _) in &holders {
        live.show(&ask(3));
    }
    for (_, updates) in &holders {
        let update = wait(updates, |update| update.lines.len() == 3);
        assert!(
            update
                .lines
                .iter()
                .all(|info| !info.line.is_empty() && info.wdl.is_some())
        );
    }
    #[cfg(target_os = "linux")]
    assert_eq!(children(), 3);
    drop(holders);
    #[cfg(target_os = "linux")]
    assert_eq!(children(), 0);
}
