//! Puzzles out of games.

use std::process::Command;

use serde_json::Value;
use tabiya_model::Game;

use super::{Place, answers, games, next, read, run, said, script, stockfish, succeed, tabiya};

/// White mates on the first rank or loses; the first two players see it, the third does not.
const GAMES: &str = r#"[Event "Ours"]
[White "Found"]
[Black "B"]
[Result "1-0"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/7P/1q3PP1/3R2K1 w - - 0 1"]

1. Rd8# 1-0

[Event "Ours"]
[White "Missed"]
[Black "B"]
[Result "*"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/7P/1q3PP1/3R2K1 w - - 0 1"]

1. Kh2 Qe5+ *

[Event "Ours"]
[White "Quiet"]
[Black "B"]
[Result "*"]

1. e4 e5 *
"#;

fn tactics(place: &Place, options: &[&str]) -> Option<Command> {
    let stockfish = stockfish()?;
    std::fs::write(place.path("games.pgn"), GAMES).expect("written");
    let mut command = tabiya();
    command.arg("tactics").arg(place.path("games.pgn"));
    command.arg("--engine").arg(stockfish);
    command
        .args(["--nodes", "2000", "--processes", "1"])
        .args(options);
    Some(command)
}

fn text(mut command: Command) -> String {
    String::from_utf8(succeed(&mut command).stdout).expect("text")
}

#[test]
fn puzzles_are_written_in_three_forms() {
    let place = Place::new();
    let Some(epd) = tactics(&place, &["--form", "epd"]) else {
        return;
    };
    let epd = text(epd);
    let position = "6k1/5ppp/8/8/8/7P/1q3PP1/3R2K1 w - - ";
    let mate = "bm Rd8#; pv Rd8#; c0 \"mate-in-1 back-rank mate\"; ";
    let lines: Vec<&str> = epd.lines().collect();
    assert_eq!(
        lines.first(),
        Some(&&*format!("{position}{mate}id \"game 1 ply 0\";"))
    );
    // The second game has the same position, which is one puzzle.
    assert_eq!(lines.len(), 1);

    let json = text(tactics(&place, &["--form", "json"]).expect("an engine"));
    let puzzles: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(puzzles.len(), lines.len());
    let of = |index: usize| puzzles.get(index).expect("a puzzle");
    assert_eq!(of(0)["schema"], "tabiya-puzzle-1");
    assert_eq!(of(0)["fen"], format!("{position}0 1"));
    assert_eq!(of(0)["moves"], serde_json::json!(["d1d8"]));
    assert_eq!(of(0)["san"], serde_json::json!(["Rd8#"]));
    assert_eq!(of(0)["goal"], "mate-in-1");
    assert_eq!(of(0)["themes"], serde_json::json!(["back-rank", "mate"]));
    assert_eq!(of(0)["found"], true);
    let missed = text(tactics(&place, &["--form", "json", "--missed"]).expect("an engine"));
    let missed: Value = serde_json::from_str(missed.trim()).expect("one puzzle");
    assert_eq!(missed["found"], false);
    assert_eq!(missed["source"]["game"], 2);
    assert_eq!(missed["source"]["white"], "Missed");

    let target = place.path("puzzles.pgn").display().to_string();
    succeed(&mut tactics(&place, &["-o", &target]).expect("an engine"));
    let games = read(&place.path("puzzles.pgn"));
    assert_eq!(games.len(), lines.len());
    let tags = |game: &Game| {
        let of = |name: &str| game.tags.value(name).to_owned();
        [
            of("Goal"),
            of("Themes"),
            of("InGame"),
            of("SourceGame"),
            of("SourcePly"),
            of("White"),
        ]
    };
    let first = games.first().expect("a puzzle");
    assert_eq!(
        tags(first),
        ["mate-in-1", "back-rank mate", "found", "1", "0", "Found"]
    );
    assert_eq!(first.tags.value("FEN"), format!("{position}0 1"));
    assert_eq!(first.tape.plies(), 1);
    let output = run(&mut tactics(&place, &["-o", &target]).expect("an engine"));
    assert_eq!(
        output.status.code(),
        Some(2),
        "it stands there: {}",
        said(&output)
    );
}

#[test]
fn puzzles_are_chosen() {
    let place = Place::new();
    let Some(missed) = tactics(&place, &["--form", "epd", "--missed"]) else {
        return;
    };
    let missed = text(missed);
    assert!(
        missed.starts_with("6k1/5ppp") && missed.contains("game 2 ply 0"),
        "{missed}"
    );
    assert!(!missed.contains("game 1"), "{missed}");
    let one = text(tactics(&place, &["--form", "epd", "--first", "1"]).expect("an engine"));
    assert_eq!(one.lines().count(), 1);
    let none = tactics(&place, &["--query", "white:Quiet"]);
    let output = run(&mut none.expect("an engine"));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(output.stdout.is_empty());
}

/// Puzzles of a corpus from as many places as are wanted, each with the games that follow a place taken at random.
fn puzzles_of(place: &Place, name: &str, places: u64, of_each: u64, nodes: u64) -> String {
    let mut state = 11;
    let source = tabiya_testing::shared(format!("corpora/{name}.pgn.zst")).unwrap_or_else(|| {
        std::fs::write(place.path("games.pgn"), games(9, 40)).expect("written");
        place.path("games.pgn")
    });
    let all = text(counted(&source))
        .trim()
        .parse::<u64>()
        .expect("a count");
    let mut puzzles = String::new();
    for _ in 0..places {
        let from = 1 + next(&mut state) % all.saturating_sub(400).max(1);
        let target = place.path(&format!("puzzles-{from}.pgn"));
        let mut command = tabiya();
        command.arg("tactics").arg(&source);
        command.args(["--query", &format!("number:{from}..{}", from + 400)]);
        command.arg("-o").arg(&target).args(["--processes", "2"]);
        command.args([
            "--first",
            &of_each.to_string(),
            "--nodes",
            &nodes.to_string(),
        ]);
        succeed(command.arg("--engine").arg(stockfish().expect("an engine")));
        puzzles.push_str(&std::fs::read_to_string(&target).expect("read"));
    }
    puzzles
}

fn counted(source: &std::path::Path) -> Command {
    let mut command = tabiya();
    command
        .args(["search", "--count"])
        .arg(source)
        .arg("number>0");
    command
}

/// Another program asks about every move of the solver once more, with ten times the nodes of the second look: exactly
/// one move wins or holds, by the margin that is promised.
#[test]
fn puzzles_have_one_solution_at_ten_times_the_nodes() {
    let Some(stockfish) = stockfish() else { return };
    let (places, of_each, nodes) = if tabiya_testing::is_full() {
        (10, 5, 10_000)
    } else {
        (1, 2, 2_000)
    };
    for name in ["otb", "lichess-real"] {
        let Some(mut peer) = script("unique.py") else {
            return;
        };
        let place = Place::new();
        let target = place.path("puzzles.pgn");
        let puzzles = puzzles_of(&place, name, places, of_each, nodes);
        std::fs::write(&target, puzzles).expect("written");
        let puzzles = read(&target);
        let count = places * of_each;
        assert_eq!(puzzles.len() as u64, count, "{name}");
        assert!(puzzles.iter().all(|puzzle| puzzle.tape.plies() % 2 == 1));
        let more = (nodes * 10 * 10).to_string();
        let found = answers(peer.arg(&stockfish).args([&more, "2"]).arg(&target));
        let bad: Vec<&Value> = found.iter().filter(|one| one["only"] != true).collect();
        eprintln!(
            "{name}: {} moves of {count} puzzles, {} not the only ones",
            found.len(),
            bad.len()
        );
        assert!(
            found.len() as u64 >= count && bad.is_empty(),
            "{name}: {bad:#?}"
        );
    }
}
