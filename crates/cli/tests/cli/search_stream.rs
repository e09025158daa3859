//! Searches that are not at their end: hits are shown while more is read, and an interrupt ends everything at once.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

const GAME: &str = "[Event \"?\"]\n[White \"Morphy, Paul\"]\n[Black \"Anderssen, Adolf\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n";

#[test]
fn hits_are_shown_before_the_end_and_an_interrupt_stops_at_once() {
    let mut search = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["search", "-", "white:Morphy", "--csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut input = search.stdin.take().expect("a pipe");
    let mut output = BufReader::new(search.stdout.take().expect("a pipe"));
    // The pipe stays open, so that the search has no end of its own.
    let feeder = std::thread::spawn(move || {
        let games = GAME.repeat(10_000);
        while input.write_all(games.as_bytes()).is_ok() {}
    });
    let mut lines = String::new();
    for _ in 0..3 {
        output.read_line(&mut lines).expect("a line");
    }
    assert!(lines.starts_with("base,"), "{lines}");
    assert!(lines.contains("Morphy"), "{lines}");
    assert!(tabiya_testing::send_signal(search.id(), "INT"));
    // What was shown already is read to its end, so that nothing but the signal can stop the search.
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).expect("the rest");
    assert_eq!(search.wait().expect("ended").code(), Some(130));
    feeder.join().expect("the pipe was closed");
}
