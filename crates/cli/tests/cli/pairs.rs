//! Every kind that is stripped with every style of movetext: what is written is read again as what was to be written, by us and, where
//! it can, by python-chess; and what has gone is told as asked for.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::path::{Path, PathBuf};
use std::process::Command;

use tabiya_testing::python_with;

const STRIPS: [&[&str]; 9] = [
    &[],
    &["--strip", "comments"],
    &["--strip", "variations"],
    &["--strip", "nags"],
    &["--strip", "clocks"],
    &["--strip", "evaluations"],
    &["--strip", "marks"],
    &["--strip", "tag:Annotator,flags"],
    &["--keep", "nags,variations"],
];

/// A style, what the reader has to be told of it, and whether python-chess reads it.
struct Style {
    write: &'static [&'static str],
    read: &'static [&'static str],
    python: bool,
}

const fn style(
    write: &'static [&'static str],
    read: &'static [&'static str],
    python: bool,
) -> Style {
    Style {
        write,
        read,
        python,
    }
}

const STYLES: [Style; 15] = [
    style(&["--moves", "san"], &[], true),
    style(&["--moves", "long"], &[], true),
    style(&["--moves", "uci"], &[], true),
    style(&["--moves", "joined"], &[], false),
    style(&["--moves", "squares"], &[], false),
    style(
        &["--pieces", "german"],
        &["--piece-letters", "KDTLS"],
        false,
    ),
    style(&["--pieces", "figurine"], &[], false),
    style(&["--no-numbers"], &[], true),
    style(&["--no-checks"], &[], true),
    style(&["--no-results"], &[], false),
    style(&["--width", "0"], &[], true),
    style(&["--width", "20"], &[], true),
    style(&["--one-line"], &[], false),
    style(&["--comment-lines"], &[], true),
    style(&["--glyphs", "--compact"], &[], false),
];

/// A game with everything that can be stripped, one from a position, and one that castles and promotes.
const GAMES: &str = "[Event \"All\"]\n[Site \"?\"]\n[Date \"2024.01.02\"]\n[Round \"1\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\
    [Annotator \"me\"]\n[ScidFlags \"U\"]\n\n{[%clk 0:03:00] in front} 1. e4 {[%clk 0:02:58] [%eval 0.3] [%csl Gd4] fine} (1. d4 {[%eval 0.2]} 1... d5 $2 (1... Nf6)) \
    1... e5 $1 2. Nf3 {[%cal Ge2e4]} Nc6 3. Bb5 a6 4. Bxc6 $6 dxc6 5. O-O {[%clk 0:02:40]} f6 6. d4 exd4 7. Nxd4 c5 8. Ne2 Qxd1 1-0\n\n\
    [Event \"Setup\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"C\"]\n[Black \"D\"]\n[Result \"0-1\"]\n[SetUp \"1\"]\n\
    [FEN \"4k3/P7/8/5pP1/8/8/1p6/R3K2R w KQ f6 0 30\"]\n\n30. gxf6 $1 {taken} Kd7 31. a8=N (31. a8=Q) 31... Ke6 32. O-O bxa1=B $2 33. Rxa1 0-1\n\n";

fn run(folder: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .arg("convert")
        .args(args)
        .current_dir(folder)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_is_stripped_and_styled_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    std::fs::write(path("games.pgn"), GAMES).expect("a file");
    let has_python = python_with("chess").is_some();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/pairs.py");
    let (mut pairs, mut by_python) = (0, 0);
    for strip in STRIPS {
        let said = run(
            folder.path(),
            &[&["games.pgn", "plain.pgn", "--force"], strip].concat(),
        );
        assert!(!said.contains("lost:"), "{strip:?}: {said}");
        assert_eq!(
            said.contains("nothing lost except as requested"),
            !strip.is_empty(),
            "{strip:?}: {said}"
        );
        let plain = std::fs::read_to_string(path("plain.pgn")).expect("a file");
        let mut for_python = Vec::new();
        for (number, style) in STYLES.iter().enumerate() {
            let styled = format!("styled-{number}.pgn");
            let said = run(
                folder.path(),
                &[&["games.pgn", &styled, "--force"], strip, style.write].concat(),
            );
            assert!(
                !said.contains("lost:"),
                "{strip:?} {:?}: {said}",
                style.write
            );
            run(
                folder.path(),
                &[&[&styled, "again.pgn", "--force"], style.read].concat(),
            );
            let again = std::fs::read_to_string(path("again.pgn")).expect("a file");
            assert_eq!(again, plain, "{strip:?} {:?}", style.write);
            pairs += 1;
            if style.python {
                for_python.push(path(&styled));
            }
        }
        if has_python {
            let output = Command::new("python3")
                .arg(&script)
                .arg(path("plain.pgn"))
                .args(&for_python)
                .output()
                .expect("it runs");
            assert!(output.status.success(), "{strip:?}: {output:?}");
            by_python += for_python.len();
        }
    }
    eprintln!("{pairs} pairs, {by_python} of them read by python-chess too");
    assert_eq!(pairs, STRIPS.len() * STYLES.len());
}

#[test]
fn without_tags_the_moves_are_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("games.pgn"), GAMES).expect("a file");
    let said = run(
        folder.path(),
        &["games.pgn", "bare.pgn", "--no-tags", "--first", "1"],
    );
    assert!(said.contains("left out: Tags were left out"), "{said}");
    run(folder.path(), &["bare.pgn", "again.pgn"]);
    run(folder.path(), &["games.pgn", "whole.pgn", "--first", "1"]);
    let movetext = |name: &str| -> String {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("a file");
        text.lines().filter(|line| !line.starts_with('[')).collect()
    };
    assert_eq!(movetext("again.pgn"), movetext("whole.pgn"));
    let refused = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["convert", "games.pgn", "x.pgn", "--no-tags", "--no-results"])
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
    assert!(!folder.path().join("x.pgn").exists());
}
