//! `tabiya analyse` from outside: what it writes, that kills change nothing, and that another program finds the same.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tabiya::engine::find;
use tabiya_model::judgement::Evaluations;
use tabiya_model::nag::Nag;
use tabiya_model::{Board, Game, Op, Want};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file")
    }
}

/// The engine that the tests of the driver have; it is built with the workspace.
fn fake() -> Option<PathBuf> {
    let name = format!("tabiya-fake-engine{}", std::env::consts::EXE_SUFFIX);
    let path = Path::new(env!("CARGO_BIN_EXE_tabiya")).with_file_name(name);
    if !path.exists() {
        eprintln!(
            "skipped: {} is not there; `cargo build -p tabiya-engine` makes it",
            path.display()
        );
        return None;
    }
    Some(path)
}

fn stockfish() -> Option<PathBuf> {
    let found = find::program(find::USUAL);
    if found.is_none() {
        eprintln!("skipped: there is no Stockfish");
    }
    found
}

fn tabiya() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    // The settings of whoever runs the tests are none of theirs.
    command
        .env("TABIYA_ENGINES", "/no/such/file")
        .stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some(), "{said}");
    output
}

fn settings(place: &Place, program: &Path, way: &str) -> PathBuf {
    let path = place.path("engines.conf");
    let text = format!(
        "[toy]\nprogram = {}\narguments = {way}\n",
        program.display()
    );
    std::fs::write(&path, text).expect("written");
    path
}

/// A number that looks random and is the same every time.
fn next(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Games of moves at random, which begin alike.
fn games(count: u64, plies: usize) -> String {
    let mut text = String::new();
    for game in 0..count {
        let mut state = game / 3;
        text.push_str(&format!(
            "[Event \"{game}\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n"
        ));
        let mut board = Board::standard();
        let mut moves = Vec::new();
        for ply in 0..plies {
            board.legal_moves(&mut moves);
            if ply == 8 {
                state = state.wrapping_add(game * 1000);
            }
            let Some(m) =
                moves.get(usize::try_from(next(&mut state)).expect("small") % moves.len().max(1))
            else {
                break;
            };
            let mut san = Vec::new();
            board.play_san(*m, &mut san);
            text.push_str(&String::from_utf8_lossy(&san));
            text.push(' ');
        }
        text.push_str("*\n\n");
    }
    text
}

fn read(path: &Path) -> Vec<Game> {
    let mut games = Vec::new();
    for base in tabiya::open(path).expect("readable") {
        for game in base.games(Want::ALL).expect("readable") {
            games.push(game.expect("readable"));
        }
    }
    games
}

/// Runs a command, kills it at random moments, and lets it come to its end at last; says how often it was killed.
fn kill_and_resume(command: impl Fn() -> Command, kills: u32, most: u64, seed: u64) -> u32 {
    let mut state = seed;
    for killed in 0..kills {
        let mut child = command().stderr(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(10 + next(&mut state) % most));
        if child.try_wait().expect("asked").is_some() {
            return killed;
        }
        child.kill().expect("killed");
        child.wait().expect("buried");
    }
    let output = run(&mut command());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    kills
}

#[test]
fn kills_change_nothing() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    std::fs::write(place.path("games.pgn"), games(30, 45)).expect("written");
    let settings = settings(&place, &fake, "think");
    for options in [&[][..], &["--reproducible"]] {
        let command = |target: &str, processes: &str| {
            let mut command = tabiya();
            command
                .arg("analyse")
                .arg(place.path("games.pgn"))
                .arg("-o")
                .arg(place.path(target));
            command
                .arg("--engines")
                .arg(&settings)
                .args(["--force", "-j", processes])
                .args(options);
            command
        };
        let output = run(&mut command("whole.pgn", "1"));
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let whole = place.read("whole.pgn");
        assert!(String::from_utf8_lossy(&whole).contains("[%eval"));
        let kills = kill_and_resume(|| command("killed.pgn", "2"), 20, 120, 7);
        assert_eq!(kills, 20, "it was at work all the time");
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
    let count = std::env::var("TABIYA_GAMES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(4);
    std::fs::write(place.path("games.pgn"), games(count, 40)).expect("written");
    let command = |target: &str| {
        let mut command = tabiya();
        command
            .arg("analyse")
            .arg(place.path("games.pgn"))
            .arg("-o")
            .arg(place.path(target));
        command.arg("--engine").arg(&stockfish).args([
            "--nodes",
            "4000",
            "--reproducible",
            "-j",
            "2",
        ]);
        command
    };
    assert!(run(&mut command("whole.pgn")).status.success());
    kill_and_resume(|| command("killed.pgn"), 20, 400, 3);
    assert!(place.read("killed.pgn") == place.read("whole.pgn"));
}

#[test]
fn the_order_of_games_and_the_number_of_processes_change_nothing() {
    let Some(stockfish) = stockfish() else { return };
    let place = Place::new();
    let text = games(6, 24);
    std::fs::write(place.path("games.pgn"), &text).expect("written");
    let mut turned: Vec<&str> = text.split_inclusive("*\n\n").collect();
    turned.reverse();
    std::fs::write(place.path("turned.pgn"), turned.concat()).expect("written");
    for (source, target, processes) in [
        ("games.pgn", "one.pgn", "1"),
        ("turned.pgn", "two.pgn", "3"),
    ] {
        let mut command = tabiya();
        command
            .arg("analyse")
            .arg(place.path(source))
            .arg("-o")
            .arg(place.path(target));
        command
            .arg("--engine")
            .arg(&stockfish)
            .args(["--nodes", "2000", "-j", processes]);
        assert!(run(&mut command).status.success());
    }
    let one = read(&place.path("one.pgn"));
    let mut two = read(&place.path("two.pgn"));
    two.reverse();
    let evaluations = |games: &[Game]| games.iter().map(Evaluations::of).collect::<Vec<_>>();
    assert_eq!(evaluations(&one).len(), 6);
    assert_eq!(evaluations(&one), evaluations(&two));
    assert!(evaluations(&one).iter().all(|all| !all.is_empty()));
}

/// The file of games that a peer is asked about, and how many: of the large corpus where it is there.
fn sample(place: &Place) -> (PathBuf, u64) {
    let count = std::env::var("TABIYA_GAMES")
        .ok()
        .and_then(|n| n.parse().ok());
    let shared = match std::env::var_os("TABIYA_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let corpus = shared.join("corpora/otb.pgn.zst");
    let path = place.path("games.pgn");
    if !corpus.exists() {
        eprintln!(
            "skipped: {} is not there; games at random are taken instead",
            corpus.display()
        );
        std::fs::write(&path, games(4, 30)).expect("written");
        return (path, 4);
    }
    let count = count.unwrap_or(4);
    let mut command = tabiya();
    command
        .arg("search")
        .arg(&corpus)
        .arg(format!("number<={count}"))
        .arg("-o")
        .arg(&path);
    assert!(run(&mut command).status.success());
    (path, count)
}

#[test]
fn another_program_finds_the_same() {
    let Some(stockfish) = stockfish() else { return };
    let has_peer = Command::new("python3")
        .args(["-c", "import chess.engine"])
        .output();
    if !has_peer.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no python-chess");
        return;
    }
    let place = Place::new();
    let (path, count) = sample(&place);
    let nodes = std::env::var("TABIYA_NODES").unwrap_or_else(|_| "2000".to_owned());
    let mut command = tabiya();
    command
        .arg("analyse")
        .arg(&path)
        .arg("-o")
        .arg(place.path("out.pgn"));
    command.arg("--report").arg(place.path("report.json"));
    command.arg("--engine").arg(&stockfish).args([
        "--nodes",
        &nodes,
        "--reproducible",
        "--hash",
        "16",
        "--redo",
    ]);
    let output = run(&mut command);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/annotate.py");
    let output = run(Command::new("python3")
        .arg(script)
        .arg(&stockfish)
        .args([&count.to_string(), &nodes])
        .arg(&path));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let peer: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let report: Value = serde_json::from_slice(&place.read("report.json")).expect("JSON");
    let ours = read(&place.path("out.pgn"));
    assert_eq!((ours.len(), peer.len() as u64), (peer.len(), count));
    let mut compared = 0;
    for (index, (game, peer)) in ours.iter().zip(&peer).enumerate() {
        let all = Evaluations::of(game);
        let scores: Vec<Value> = all
            .after
            .iter()
            .map(|score| match score {
                None => Value::Null,
                Some(tabiya_model::command::Score::Centipawns(value)) => {
                    serde_json::json!(["cp", value])
                }
                Some(tabiya_model::command::Score::Mate(moves)) => {
                    serde_json::json!(["mate", moves])
                }
            })
            .collect();
        assert_eq!(Value::from(scores), peer["scores"], "game {}", index + 1);
        let judgements: Vec<Value> = all
            .steps()
            .map(|step| step.judgement().map(|judgement| judgement.name()).into())
            .collect();
        compared += judgements.len();
        assert_eq!(
            Value::from(judgements),
            peer["judgements"],
            "game {}",
            index + 1
        );
        for side in ["white", "black"] {
            let (found, wanted) = (&report["games_found"][index][side], &peer["sides"][side]);
            if wanted.is_null() {
                assert!(found["accuracy"].is_null());
                continue;
            }
            let number = |value: &Value| value["accuracy"].as_f64().expect("a number");
            assert!(
                (number(found) - number(wanted)).abs() < 1e-9,
                "{found} {wanted}"
            );
            assert_eq!(found["average_loss"], wanted["average_loss"]);
        }
        // The signs in the game are those of the judgements, where nobody else has put one.
        let signs = game
            .tape
            .ops()
            .filter(|op| matches!(op, Op::Nag(Nag(2 | 4 | 6))))
            .count();
        assert!(
            signs
                >= all
                    .steps()
                    .filter(|step| step.judgement().is_some())
                    .count()
        );
    }
    eprintln!("{compared} moves of {count} games compared");
    assert!(compared > 50);
}

#[test]
fn what_stands_already_is_kept_added_to_or_redone() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    let settings = settings(&place, &fake, "");
    let source = "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 {[%eval 9.00] mine} e5 2. Nf3 *\n\n\
        [White \"C\"]\n[Black \"D\"]\n[Result \"*\"]\n\n1. d4 d5 *\n\n";
    std::fs::write(place.path("games.pgn"), source).expect("written");
    let analyse = |options: &[&str]| {
        let mut command = tabiya();
        command
            .arg("analyse")
            .arg(place.path("games.pgn"))
            .args(["-o", "-", "--engines"])
            .arg(&settings);
        let output = run(command.args(options));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        (String::from_utf8(output.stdout).expect("text"), said)
    };
    let (kept, said) = analyse(&[]);
    assert!(
        kept.contains("1. e4 {[%eval 9.00] mine} 1... e5 2. Nf3 *"),
        "{kept}"
    );
    assert_eq!(kept.matches("[%eval").count(), 3, "{kept}");
    assert!(said.contains("1 left as they are"), "{said}");
    let (missing, _) = analyse(&["--only-missing"]);
    assert!(
        missing.contains("[%eval 9.00] mine") && missing.matches("[%eval").count() == 5,
        "{missing}"
    );
    let (redone, _) = analyse(&["--redo", "--with-depth"]);
    assert!(
        !redone.contains("9.00") && redone.contains(",1] mine}"),
        "{redone}"
    );
    let (one, _) = analyse(&["--query", "white:C"]);
    assert!(
        one.contains("[White \"C\"]") && !one.contains("[White \"A\"]"),
        "{one}"
    );
    let (book, _) = analyse(&["--redo", "--skip-book", "1"]);
    assert!(
        book.contains("1. e4 {[%eval 9.00] mine} 1... e5 2. Nf3 *"),
        "every position is known: {book}"
    );
    assert_eq!(book.matches("[%eval").count(), 1, "{book}");
}

#[test]
fn an_engine_that_fails_is_told_of_and_the_rest_is_written() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    std::fs::write(place.path("games.pgn"), games(1, 4)).expect("written");
    for (way, code, part) in [
        (
            "crash-at-start",
            2,
            "it ended with code 3 while it was to answer `uci`",
        ),
        ("crash-at-go", 3, "5 positions without an answer"),
        ("illegal", 0, "illegal move"),
    ] {
        let mut command = tabiya();
        command.arg("analyse").arg(place.path("games.pgn")).args([
            "-o",
            "-",
            "-j",
            "1",
            "--engines",
        ]);
        let output = run(command.arg(settings(&place, &fake, way)));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{way}: {said}");
        assert!(said.contains(part), "{way}: {said}");
    }
    let output = run(tabiya().arg("analyse").arg(place.path("games.pgn")).args([
        "-o",
        "-",
        "--engine",
        "no-such-engine",
    ]));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no such engine"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_done() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    std::fs::write(place.path("games.pgn"), games(30, 40)).expect("written");
    let settings = settings(&place, &fake, "think");
    let command = || {
        let mut command = tabiya();
        command
            .arg("analyse")
            .arg(place.path("games.pgn"))
            .arg("-o")
            .arg(place.path("out.pgn"));
        command.arg("--engines").arg(&settings).args(["-j", "2"]);
        command
    };
    let child = command().stderr(Stdio::piped()).spawn().expect("it starts");
    let journal = place.path("out.pgn.tabiya-analysis");
    while !journal
        .metadata()
        .is_ok_and(|metadata| metadata.len() > 2_000)
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let asked = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(asked.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("the same command goes on from there"),
        "{said}"
    );
    assert!(journal.exists() && !place.path("out.pgn").exists());
    let output = run(&mut command());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("known from the journal"),
        "{said}"
    );
    // A journal of another analysis is refused.
    std::fs::write(&journal, "tabiya analysis journal 1\nengine: Other\n\n").expect("written");
    let output = run(command().arg("--force"));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("of another analysis"));
}

#[test]
fn a_position_is_shown_in_the_terminal() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    let settings = settings(&place, &fake, "");
    let show = |options: &[&str]| {
        let output = run(tabiya()
            .arg("analyse")
            .args(options)
            .arg("--engines")
            .arg(&settings));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
            said,
        )
    };
    let (code, shown, said) = show(&[
        "--fen",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "--nodes",
        "100",
        "--lines",
        "1",
    ]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        shown.contains("Fake 1: depth 1") && shown.contains("1. "),
        "{shown}"
    );
    let (code, shown, _) = show(&["--line", "1. e4 e5 2. Nf3", "--nodes", "100", "--threat"]);
    assert_eq!(code, Some(0));
    assert!(
        shown.contains("3. "),
        "White is to move in the threat: {shown}"
    );
    for (options, part) in [
        (
            &["--fen", "8/8/8/8/8/8/8/8 w - - 0 1"][..],
            "a king is missing",
        ),
        (
            &["--fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\ngo infinite"],
            "more text",
        ),
        (&["--fen", "x"], "bad FEN"),
        (&["--line", "e4 e4"], "there is no move `e4` here"),
        (&["--line", "f3 e5 g4 Qh4"], "the game is over"),
    ] {
        let (code, _, said) = show(options);
        assert_eq!(code, Some(2), "{options:?}");
        assert!(said.contains(part), "{options:?}: {said}");
    }
}

/// Asks about every move of a solver once more, with ten times the nodes.
#[test]
fn puzzles_have_one_solution_at_ten_times_the_nodes() {
    use tabiya::engine::driver::{Engine, Patience, Spec};
    use tabiya::engine::tactics::is_only_move;
    use tabiya_model::Control;

    let Some(stockfish) = stockfish() else { return };
    let shared = match std::env::var_os("TABIYA_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let count: usize = std::env::var("TABIYA_PUZZLES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(2);
    let verify: u64 = std::env::var("TABIYA_NODES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(20_000);
    let place = Place::new();
    let control = Control::default();
    let mut engine =
        Engine::start(&Spec::new(&stockfish), Patience::default(), &control).expect("starts");
    let (mut asked, mut state) = (0, 11);
    for corpus in ["otb", "lichess-real"] {
        let corpus = shared.join(format!("corpora/{corpus}.pgn.zst"));
        if !corpus.exists() {
            eprintln!("skipped: {} is not there", corpus.display());
            continue;
        }
        // Games from a place in the corpus that looks random.
        let first = 1 + next(&mut state) % 2_000;
        let target = place.path("puzzles.pgn");
        let mut command = tabiya();
        command
            .arg("tactics")
            .arg(&corpus)
            .arg("-o")
            .arg(&target)
            .args(["--force", "-j", "2"]);
        command.args([
            "--query",
            &format!("number:{first}..{}", first + 20 * count as u64 + 200),
        ]);
        command.args([
            "--first",
            &count.to_string(),
            "--nodes",
            &(verify / 10).to_string(),
        ]);
        let output = run(command.arg("--engine").arg(&stockfish));
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let puzzles = read(&target);
        assert_eq!(puzzles.len(), count);
        for puzzle in &puzzles {
            let mut board = puzzle.start_board();
            assert_eq!(
                puzzle.tape.plies() % 2,
                1,
                "it ends with a move of the solver"
            );
            for (ply, m) in puzzle.tape.main_line().enumerate() {
                if ply % 2 == 0 {
                    asked += 1;
                    engine.new_game(&control).expect("ready");
                    let only = is_only_move(&mut engine, &board, m, verify * 10, 0.5, &control);
                    assert!(only.expect("an answer"), "{} move {m:?}", board.to_fen());
                }
                board.play(m);
            }
        }
    }
    eprintln!("{asked} moves of puzzles asked about once more");
}
