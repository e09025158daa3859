//! `tabiya edit BASE game N` at a terminal: what is asked there, and what becomes of every answer.

// What was skipped is said aloud.
#![allow(clippy::print_stderr)]
#![cfg(unix)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::write_script;

const GAME: &str = "[Event \"One\"]\n[Site \"S\"]\n[Date \"1950.01.02\"]\n[Round \"1\"]\n[White \"A\"]\n[Black \"B\"]\n\
    [Result \"1-0\"]\n\n1. e4 {best} 1... e5 (1... c5) 2. Nf3 1-0\n\n";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        std::fs::write(place.path("base.pgn"), GAME).expect("written");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn base(&self) -> String {
        std::fs::read_to_string(self.path("base.pgn")).expect("read")
    }

    /// An editor whose n-th run does the n-th of these; further runs do nothing.
    fn editor(&self, runs: &[&str]) -> String {
        let mut script =
            "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho >> runs\ncase $(wc -l < runs) in\n"
                .to_owned();
        for (number, run) in (1..).zip(runs) {
            script.push_str(&format!("{number}) {run} ;;\n"));
        }
        script.push_str("esac\n");
        let path = self.path("editor.sh");
        write_script(&path, &script);
        path.display().to_string()
    }

    /// What stands on the terminal after game 1 was edited, and how the program ended.
    fn at_terminal(&self, editor: &str, answers: &str) -> (String, i32) {
        let program = env!("CARGO_BIN_EXE_tabiya");
        let command = format!("'{program}' edit base.pgn game 1");
        let mut child = Command::new("script")
            .args(["-q", "-e", "-c", &command, "/dev/null"])
            .current_dir(self.0.path())
            .env("VISUAL", editor)
            .env("TABIYA", program)
            .env_remove("TABIYA_KEEP")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut input = child.stdin.take().expect("piped");
        input.write_all(answers.as_bytes()).expect("written");
        input.flush().expect("written");
        // The terminal stays until the program has ended.
        let output = child.wait_with_output().expect("ends");
        drop(input);
        let shown = String::from_utf8_lossy(&output.stdout).replace('\r', "");
        (shown, output.status.code().expect("a code"))
    }
}

/// The program that gives others a terminal.
fn has_script() -> bool {
    let asked = Command::new("script").arg("--version").output();
    let is_there = asked.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("skipped: the program `script` (util-linux) is not there");
    }
    is_there
}

/// The file that the user's text was left in.
fn left(shown: &str) -> String {
    let path = shown.split("your text is in ").nth(1).expect("told").trim();
    let text = std::fs::read_to_string(path).expect("left there");
    std::fs::remove_dir_all(Path::new(path).parent().expect("a folder")).expect("removed");
    text
}

const OTHER: &str = "sed -i s/best/better/ \"$1\"; \"$TABIYA\" edit base.pgn set --games 1 Black=Z";

#[test]
fn what_cannot_be_read_is_asked() {
    if !has_script() {
        return;
    }
    let place = Place::new();
    let editor = place.editor(&["sed -i s/Nf3/Ke3/ \"$1\"", "sed -i s/Ke3/Nc3/ \"$1\""]);
    // A word that is no answer, and then the editor once more.
    let (shown, code) = place.at_terminal(&editor, "what\ne\n");
    assert_eq!(code, 0, "{shown}");
    assert!(
        shown.contains("not understood: ") && shown.contains("Ke3"),
        "{shown}"
    );
    assert!(shown.matches("[t/e/l]").count() >= 2, "{shown}");
    assert!(place.base().contains("2. Nc3"), "{}", place.base());

    for (answer, is_taken) in [("t\n", true), ("l\n", false)] {
        let place = Place::new();
        let editor = place.editor(&["sed -i s/Nf3/Ke3/ \"$1\""]);
        let (shown, code) = place.at_terminal(&editor, answer);
        assert_eq!(code == 0, is_taken, "{shown}");
        assert_eq!(place.base().contains("Ke3"), is_taken, "{shown}");
        if !is_taken {
            assert!(left(&shown).contains("Ke3"));
            assert_eq!(place.base(), GAME);
        }
    }
    // Two games, or none, cannot be taken at all.
    let place = Place::new();
    let editor = place.editor(&[
        "cat \"$1\" >> two; cat two >> \"$1\"",
        "head -c 0 two > \"$1\"",
    ]);
    let (shown, code) = place.at_terminal(&editor, "t\ne\nl\n");
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("[e/l]"), "{shown}");
    assert!(
        shown.contains("the text has 2") && shown.contains("the text has 0"),
        "{shown}"
    );
    assert_eq!(left(&shown), "");
    assert_eq!(place.base(), GAME);
}

#[test]
fn a_game_that_somebody_else_changed_meanwhile_is_asked() {
    if !has_script() {
        return;
    }
    let others = GAME.replace("\"B\"", "\"Z\"");
    let place = Place::new();
    let (shown, code) = place.at_terminal(&place.editor(&[OTHER]), "l\n");
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("was changed by somebody else"), "{shown}");
    // What the text would change in the game as it is now is shown.
    assert!(shown.contains('Z') && shown.contains("[t/e/l]"), "{shown}");
    assert!(left(&shown).contains("better"));
    assert_eq!(place.base(), others);

    let place = Place::new();
    let (shown, code) = place.at_terminal(&place.editor(&[OTHER]), "t\n");
    assert_eq!(code, 0, "{shown}");
    assert_eq!(place.base(), GAME.replace("best", "better"));

    // The text is made to fit, and then it is taken; nothing of the other change is lost.
    let place = Place::new();
    let editor = place.editor(&[
        OTHER,
        "sed -i s/.Black..B../[Black\\ \\\\\"Z\\\\\"]/ \"$1\"",
    ]);
    let (shown, code) = place.at_terminal(&editor, "e\nt\n");
    assert_eq!(code, 0, "{shown}");
    assert_eq!(place.base(), others.replace("best", "better"), "{shown}");
    // All of it is in the history.
    let undo = || {
        let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .current_dir(place.path(""))
            .args(["edit", "base.pgn", "undo"])
            .output()
            .expect("starts");
        assert!(output.status.success(), "{output:?}");
        place.base()
    };
    assert_eq!(undo(), others);
    assert_eq!(undo(), GAME);
}

#[test]
fn what_was_written_is_not_lost_where_nobody_can_be_asked() {
    let place = Place::new();
    for (more, told) in [(&[][..], "somebody else"), (&["--yes"], "somebody else")] {
        let _ = std::fs::remove_file(place.path("runs"));
        std::fs::write(place.path("base.pgn"), GAME).expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .current_dir(place.path(""))
            .args(["edit", "base.pgn", "game", "1"])
            .args(more)
            .env("VISUAL", place.editor(&[OTHER]))
            .env("TABIYA", env!("CARGO_BIN_EXE_tabiya"))
            .stdin(Stdio::null())
            .output()
            .expect("starts");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let shown = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(shown.contains(told), "{shown}");
        assert!(left(&shown).contains("better"));
        assert_eq!(place.base(), GAME.replace("\"B\"", "\"Z\""));
    }
    // An editor that fails, and a game that went away meanwhile.
    for (run, told) in [
        ("echo >> \"$1\"; exit 3", " failed; nothing was changed"),
        (
            "sed -i s/best/better/ \"$1\"; \"$TABIYA\" edit base.pgn delete 1",
            "there is no game 1",
        ),
    ] {
        let _ = std::fs::remove_file(place.path("runs"));
        let _ = std::fs::remove_file(place.path("base.pgn.tabiya-history"));
        std::fs::write(place.path("base.pgn"), GAME).expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .current_dir(place.path(""))
            .args(["edit", "base.pgn", "game", "1"])
            .env("VISUAL", place.editor(&[run]))
            .env("TABIYA", env!("CARGO_BIN_EXE_tabiya"))
            .stdin(Stdio::null())
            .output()
            .expect("starts");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let shown = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(shown.contains(told), "{shown}");
        assert!(left(&shown).contains("Nf3"));
    }
}
