//! An engine that misbehaves. Its first argument says how; without one it behaves, and counts pieces instead of thinking.

use std::io::{BufRead, Write};
use std::process::{Command, Stdio, exit};
use std::time::Duration;

use tabiya_model::board::CastlingStyle;
use tabiya_model::{Board, Move};

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

fn forever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// What the pieces are worth, and a little for how many moves there are.
fn worth(board: &Board) -> i64 {
    let mut value = 0;
    for (letter, worth) in [('p', 100), ('n', 300), ('b', 310), ('r', 500), ('q', 900)] {
        let fen = board.to_fen();
        let pieces = fen.split(' ').next().unwrap_or("");
        let count = |c: char| i64::try_from(pieces.matches(c).count()).unwrap_or(0);
        value += worth * (count(letter.to_ascii_uppercase()) - count(letter));
    }
    if board.turn().is_black() {
        value = -value;
    }
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    value + i64::try_from(moves.len()).unwrap_or(0)
}

/// The best move by what the pieces are worth afterwards.
fn choose(board: &Board) -> Option<(i64, Move)> {
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    moves
        .into_iter()
        .map(|m| {
            let mut next = board.clone();
            next.play(m);
            (
                if next.is_checkmate() {
                    29_999
                } else {
                    -worth(&next)
                },
                m,
            )
        })
        .max_by_key(|(value, m)| (*value, m.bits()))
}

fn set_up(line: &str) -> Option<Board> {
    let rest = line.strip_prefix("position ")?;
    let (start, moves) = rest.split_once(" moves ").unwrap_or((rest, ""));
    let mut board = match start.strip_prefix("fen ") {
        Some(fen) => Board::from_fen(fen).ok()?.0,
        None => Board::standard(),
    };
    for token in moves.split_whitespace() {
        let m = board.parse_uci(token.as_bytes())?;
        board.play(m);
    }
    Some(board)
}

fn uci(board: &Board, m: Move) -> String {
    let mut bytes = Vec::new();
    board.write_uci(m, CastlingStyle::KingMoves, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A file of its own counts how often an engine was started with the same name.
fn started_before(name: &str) -> bool {
    let existed = std::path::Path::new(name).exists();
    let _ = std::fs::write(name, b"x");
    existed
}

/// Starts itself once more, to do something else, holding nothing open.
fn start_child(way: &str, extra: &str, is_bare: bool) {
    let Ok(me) = std::env::current_exe() else {
        return;
    };
    let mut child = Command::new(me);
    child.args([way, extra]);
    child.stdin(Stdio::null()).stdout(Stdio::null());
    child.stderr(Stdio::null());
    if is_bare {
        child.env_clear();
    }
    let child = child.spawn();
    if way == "leave-group-as-orphan"
        && let Ok(mut child) = child
    {
        let _ = child.wait();
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let way = args.next().unwrap_or_default();
    let extra = args.next().unwrap_or_default();
    let way = way.as_str();
    match way {
        "silent" => forever(),
        "crash-at-start" => exit(3),
        "complain-and-crash" => {
            let _ = std::io::stderr().write_all(b"no network file\n");
            exit(1);
        }
        "endless-line" => loop {
            let mut out = std::io::stdout().lock();
            if out.write_all(&[b'x'; 4096]).is_err() {
                exit(0);
            }
        },
        "child-process" => {
            std::thread::sleep(Duration::from_millis(1));
            forever();
        }
        "reads-nothing" => {
            say("id name Fake 1\nuciok");
            loop {
                say("readyok\ninfo depth 1 score cp 1 nodes 100 pv g1f3\nbestmove g1f3");
            }
        }
        // Leaves the group of its parent, and tells its number in a file that is whole when it is there.
        #[cfg(unix)]
        "leave-group" => {
            let _ = rustix::process::setsid();
            let new = format!("{extra}.new");
            let _ = std::fs::write(&new, std::process::id().to_string());
            let _ = std::fs::rename(&new, &extra);
            forever();
        }
        "leave-group-as-orphan" => {
            start_child("leave-group", &extra, false);
            exit(0);
        }
        "setsid" => start_child("leave-group", &extra, false),
        "setsid-orphan" => start_child("leave-group-as-orphan", &extra, false),
        "setsid-orphan-bare" => start_child("leave-group-as-orphan", &extra, true),
        "fork" => {
            // A child in the same group that would stay, holding the output open, and tells its number in a file.
            if let Ok(me) = std::env::current_exe() {
                let child = Command::new(me)
                    .arg("child-process")
                    .stdin(Stdio::null())
                    .spawn();
                if let Ok(child) = child {
                    let _ = std::fs::write(&extra, child.id().to_string());
                }
            }
        }
        _ => {}
    }
    let mut board = Board::standard();
    let stdin = std::io::stdin();
    let mut lines = stdin.lock().lines();
    while let Some(Ok(line)) = lines.next() {
        let word = line.split(' ').next().unwrap_or("");
        match word {
            "uci" => {
                if way == "crash-at-uci" {
                    exit(4);
                }
                if way == "slow" {
                    std::thread::sleep(Duration::from_millis(300));
                }
                if way == "garbage" {
                    say("\u{0}\u{1}garbage option name id info");
                    say("option name");
                    say("option name Broken type");
                    say("option name Huge type spin default 1 min x max y");
                }
                say("id name Fake 1");
                say("id author nobody");
                say("option name Hash type spin default 16 min 1 max 1024");
                say("option name MultiPV type spin default 1 min 1 max 10");
                say("option name Threads type spin default 1 min 1 max 4");
                say("option name Clear Hash type button");
                say("uciok");
            }
            "isready" => {
                if way == "crash-at-ready" {
                    exit(5);
                }
                if way == "silent-at-ready" {
                    forever();
                }
                say("readyok");
            }
            "ucinewgame" if way == "crash-at-newgame" => exit(6),
            "position" if way == "crash-at-position" => exit(7),
            "position" => {
                if let Some(next) = set_up(&line) {
                    board = next;
                }
            }
            "go" => go(way, &extra, &line, &board, &mut lines),
            "quit" => {
                if way == "refuse-to-quit" {
                    forever();
                }
                exit(0);
            }
            _ => {}
        }
    }
    if way == "refuse-to-quit" {
        forever();
    }
}

/// Says that it is ready, and nothing else.
fn idle(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> ! {
    while let Some(Ok(line)) = lines.next() {
        match line.as_str() {
            "isready" => say("readyok"),
            "quit" => exit(0),
            _ => {}
        }
    }
    exit(0);
}

fn go(
    way: &str,
    extra: &str,
    line: &str,
    board: &Board,
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
) {
    let Some((value, best)) = choose(board) else {
        say("bestmove (none)");
        return;
    };
    let best = uci(board, best);
    let info = format!(
        "info depth 1 seldepth 1 multipv 1 score cp {value} nodes 100 nps 1000 time 1 pv {best}"
    );
    match way {
        "crash-at-go" => exit(8),
        "crash-once" if !started_before(extra) => exit(9),
        "crash-after-info" => {
            say(&info);
            exit(10);
        }
        "hang-at-go" => forever(),
        "hang-once" if !started_before(extra) => forever(),
        "hang-after-info" => {
            say(&info);
            forever();
        }
        "think" => {
            std::thread::sleep(Duration::from_millis(4));
            say(&info);
        }
        "crash-in-a-line" => {
            let mut out = std::io::stdout().lock();
            let _ = out.write_all(b"info depth 1 score cp 20 nodes 100 pv");
            let _ = out.flush();
            exit(11);
        }
        "endless-line-at-go" => loop {
            let mut out = std::io::stdout().lock();
            if out.write_all(&[b'x'; 4096]).is_err() {
                exit(0);
            }
        },
        "idle" => idle(lines),
        "idle-after-info" => {
            say(&info);
            idle(lines);
        }
        "same-info" => loop {
            say(&info);
            say("info depth 1 currmove e2e4 currmovenumber 1");
            std::thread::sleep(Duration::from_millis(5));
        },
        "counts-moves" => {
            for place in 1..=60 {
                std::thread::sleep(Duration::from_millis(200));
                say(&format!(
                    "info depth 9 currmove e2e4 currmovenumber {place}"
                ));
            }
            say(&info);
        }
        "slow" => {
            for _ in 0..5 {
                std::thread::sleep(Duration::from_millis(60));
                say(&info);
            }
        }
        "garbage" => {
            say("info score cp");
            say("info depth 99999999999999999999 score cp 5");
            say("info string \u{1b}[31mscore cp 5");
            say("bestmov e2e4");
            say("\u{fffd}\u{0}");
            say(&format!("info {}", "pv ".repeat(40_000)));
            say(&info);
        }
        "illegal" => {
            say(&format!("info depth 2 score cp 5 pv {best} a1a1 h8h8"));
            say("bestmove a1h8");
            return;
        }
        "says-twice" => {
            for _ in 0..2 {
                say(&info);
                say(&format!("bestmove {best}"));
            }
            return;
        }
        "no-score" => {
            say(&format!("bestmove {best}"));
            return;
        }
        "beyond-limit" => loop {
            say("info depth 50 score cp 1 nodes 99000000000");
            std::thread::sleep(Duration::from_millis(5));
        },
        "flood" => loop {
            say("no word of the protocol");
        },
        "will-not-stop" => loop {
            say(&info);
            std::thread::sleep(Duration::from_millis(5));
        },
        _ => say(&info),
    }
    if line.contains("infinite") {
        while let Some(Ok(line)) = lines.next() {
            match line.as_str() {
                "stop" => break,
                "quit" => exit(0),
                "isready" => say("readyok"),
                _ => {}
            }
        }
    }
    say(&format!("bestmove {best}"));
}
