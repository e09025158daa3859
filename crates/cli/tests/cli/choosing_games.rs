//! `--unfinished`, in every command that chooses games: what it says is what it says of a file with these games alone.

use std::path::Path;

use crate::program::{tabiya, text};

/// A game; the numbers are rounds.
fn game(round: usize, [white, black]: [&str; 2], moves: &str, result: &str) -> String {
    format!(
        "[Event \"Open\"]\n[Site \"Bonn\"]\n[Date \"2001.02.0{round}\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n\
         [Black \"{black}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
    )
}

/// A blunder of White's, with evaluations.
const BLUNDER: &str =
    "1. e4 {[%eval 0.2]} c5 {[%eval 4.2]} 2. Nf3 {[%eval -3.1]} d6 {[%eval -3.0]}";

/// Two files: all games, and those of them without a result, which have the same numbers in both.
fn put_games(folder: &Path) {
    let abel = ["Berg, Bo", "Abel, Anna"];
    let spanish = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6";
    let unfinished = [
        game(1, abel, spanish, "*"),
        game(1, abel, spanish, "*"),
        game(2, ["Berg, B", "Cohn, Carl"], BLUNDER, "*"),
        game(3, ["Cohn, Carl", "Abel, Anna"], "1. d4 d5 2. c4 e6", "*"),
    ]
    .concat();
    let finished = [
        game(4, abel, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", "1-0"),
        game(4, abel, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", "1-0"),
        game(5, ["Berg, Bo", "Cohn, Karl"], BLUNDER, "0-1"),
        game(
            6,
            ["Dahl, Dora", "Abel, Ana"],
            "1. d4 d5 2. c4 e5",
            "1/2-1/2",
        ),
        game(7, abel, "1. e4 e6 2. d4 d5", "0-1"),
        game(8, abel, spanish, "0-1"),
    ]
    .concat();
    let lines = "[Repertoire \"white\"]\n[Result \"*\"]\n\n1. e4 e5 (1... c5 2. Nc3) 2. Nf3 Nc6 3. Bb5 (3. Bc4) *\n\n";
    for (name, games) in [
        ("all.pgn", format!("{unfinished}{finished}")),
        ("few.pgn", unfinished),
        ("white.pgn", lines.to_owned()),
    ] {
        std::fs::write(folder.join(name), games).expect("written");
    }
}

/// The commands, and what they write if they write a file.
const COMMANDS: [(&str, Option<&str>); 26] = [
    ("ls all.pgn", None),
    ("cat all.pgn", None),
    ("search all.pgn plies>1 --json", None),
    (
        "search all.pgn plies>1 -o copy.pgn --force",
        Some("copy.pgn"),
    ),
    ("stats all.pgn --full", None),
    ("explore all.pgn", None),
    ("player Berg all.pgn", None),
    ("crosstable all.pgn", None),
    ("novelty all.pgn --reference few.pgn", None),
    ("deepest all.pgn --reference few.pgn", None),
    ("names all.pgn", None),
    ("dedupe all.pgn", None),
    ("mistakes all.pgn --player Berg", None),
    (
        "book all.pgn -o book.bin --min-games 1 --force",
        Some("book.bin"),
    ),
    ("convert all.pgn -o copy.pgn --force", Some("copy.pgn")),
    (
        "convert all.pgn -o copy.pgn --sort -round --force",
        Some("copy.pgn"),
    ),
    (
        "convert all.pgn -o copy.pgn --unique --force",
        Some("copy.pgn"),
    ),
    ("repertoire check all.pgn --with white.pgn", None),
    (
        "repertoire gaps white.pgn --reference all.pgn --min-games 1",
        None,
    ),
    (
        "repertoire conflicts white.pgn --reference all.pgn --min-games 1",
        None,
    ),
    ("repertoire coverage white.pgn --reference all.pgn", None),
    (
        "repertoire extract all.pgn --side white --min-games 1 -o lines.pgn --force",
        Some("lines.pgn"),
    ),
    (
        "repertoire add all.pgn --with white.pgn -o lines.pgn --force",
        Some("lines.pgn"),
    ),
    ("edit all.pgn --dry-run set Site=Riga", None),
    ("edit all.pgn --dry-run strip evaluations", None),
    ("edit all.pgn --dry-run flag --set W", None),
];

#[test]
fn unfinished_games_are_chosen_by_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    put_games(at);
    for (command, file) in COMMANDS {
        let run = |base: &str, choice: &[&str]| {
            let words = command.split(' ');
            let words = words.map(|word| if word == "all.pgn" { base } else { word });
            let words: Vec<&str> = words.chain(choice.iter().copied()).collect();
            let output = tabiya(at, &words);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                matches!(output.status.code(), Some(0 | 1)),
                "{words:?}: {said}"
            );
            match file {
                // How many games were left out is said on the other stream.
                Some(name) => std::fs::read(at.join(name)).expect("a file"),
                None => format!("{}{said}", text(&output))
                    .replace(base, "BASE")
                    .into_bytes(),
            }
        };
        let chosen = run("all.pgn", &["--unfinished"]);
        let alone = run("few.pgn", &["--games", "1-"]);
        let all = run("all.pgn", &["--games", "1-"]);
        assert_eq!(
            String::from_utf8_lossy(&chosen),
            String::from_utf8_lossy(&alone),
            "{command}"
        );
        assert!(all != alone, "{command}: the choice makes no difference");
    }
}

#[test]
fn a_choice_that_leaves_no_game_is_no_mistake() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let abel = ["Berg, Bo", "Abel, Anna"];
    std::fs::write(at.join("won.pgn"), game(1, abel, "1. e4 e5", "1-0")).expect("written");
    for command in ["ls", "cat"] {
        for choice in ["--unfinished", "--only-deleted"] {
            let output = tabiya(at, &[command, "won.pgn", choice]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{command} {choice}: {said}");
            assert!(!said.contains("numbers"), "{command} {choice}: {said}");
            assert_eq!(text(&output), "", "{command} {choice}");
        }
        let output = tabiya(at, &[command, "won.pgn", "7"]);
        assert_eq!(output.status.code(), Some(2), "{command} 7");
    }
    let spelling = "@PLAYER\nBerg, Bo\n";
    std::fs::write(at.join("names.ssp"), spelling).expect("written");
    for words in [
        &["names", "won.pgn", "--apply", "names.ssp"][..],
        &["dedupe", "won.pgn", "--undo"],
    ] {
        for choice in ["--unfinished", "--only-deleted", "--skip-deleted"] {
            let output = tabiya(at, &[words, &[choice]].concat());
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{words:?} {choice}: {said}");
            assert!(said.contains(choice), "{words:?} {choice}: {said}");
        }
    }
}
