//! `tabiya edit` and `tabiya new` from outside: what is asked, told, refused, and what happens to files.

#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::process::{Command, Output};

use tabiya_formats::registry;

const GAMES: &str = "[Event \"One\"]\n[Site \"S\"]\n[Date \"1950.01.02\"]\n[Round \"1\"]\n[White \"A\"]\n[Black \"B\"]\n\
    [Result \"1-0\"]\n\n1. e4 {[%clk 0:01:00] best} e5 (1... c5) 2. Nf3 1-0\n\n\
    [Event \"Two\"]\n[Site \"S\"]\n[Date \"1940.01.02\"]\n[Round \"2\"]\n[White \"C\"]\n[Black \"D\"]\n\
    [Result \"1/2-1/2\"]\n\n1. c4 1/2-1/2\n\n";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        place.put("games.pgn", GAMES);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).expect("written");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        command
            .current_dir(self.0.path())
            .args(args)
            .env_remove("TABIYA_KEEP")
            .env_remove("VISUAL")
            .env_remove("EDITOR")
            .stdin(std::process::Stdio::null());
        command
    }

    #[track_caller]
    fn run(&self, args: &[&str], code: i32) -> (String, String) {
        ended(self.command(args).output().expect("starts"), code)
    }

    /// Every file in the folder with its content.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let entries = std::fs::read_dir(self.0.path()).expect("listed");
        let mut files: Vec<(PathBuf, Vec<u8>)> = entries
            .map(|entry| entry.expect("an entry").path())
            .map(|path| (path.clone(), std::fs::read(&path).unwrap_or_default()))
            .collect();
        files.sort();
        files
    }

    /// A base of any format with the two games, as far as it can hold them.
    fn fill(&self, name: &str) {
        let made = self.command(&["convert", "games.pgn", name]).output();
        let code = made.expect("starts").status.code();
        assert!(matches!(code, Some(0 | 3)), "{name}: {code:?}");
    }

    /// A base of a format with the two games.
    fn base(&self, name: &str) {
        self.run(&["convert", "games.pgn", name], 0);
    }
}

/// A name for a base of every format that is edited.
fn edited() -> Vec<String> {
    let formats = registry::FORMATS.iter().filter(|it| it.edit.is_some());
    let mut names: Vec<String> = formats
        .map(|format| format!("base.{}", format.extensions[0]))
        .filter(|name| name != "base.si3")
        .collect();
    names.push("packed.pgn.gz".to_owned());
    assert!(names.len() >= 8, "{names:?}");
    names
}

#[track_caller]
fn ended(output: Output, code: i32) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(
        output.status.code(),
        Some(code),
        "stdout: {out}\nstderr: {err}"
    );
    (out, err)
}

#[test]
fn new_makes_an_empty_base_of_every_format_that_is_edited() {
    let place = Place::new();
    let mut made = 0;
    for format in registry::FORMATS {
        if format.create.is_none() || format.extensions.is_empty() {
            continue;
        }
        let name = format!("new-{}.{}", format.name, format.extensions[0]);
        if format.edit.is_none() {
            let before = place.files();
            let (_, err) = place.run(&["new", &name, "--to", format.name], 2);
            assert!(err.contains("cannot be edited"), "{err}");
            assert_eq!(place.files(), before);
            continue;
        }
        made += 1;
        place.run(&["new", &name, "--to", format.name], 0);
        let edited = place.command(&["edit", "--lossy=drop", &name, "append", "games.pgn"]);
        let edited = { edited }.output().expect("starts");
        // What is lost is told, and ends with 3.
        assert!(matches!(edited.status.code(), Some(0 | 3)), "{edited:?}");
        let (out, _) = place.run(&["ls", &name, "--json"], 0);
        assert_eq!(out.lines().count(), 2, "{name}");
        place.run(&["edit", &name, "undo"], 0);
        let (out, _) = place.run(&["ls", &name, "--json"], 0);
        assert_eq!(out.lines().count(), 0, "{name}");
        // What is empty again takes games as before.
        let again = place.command(&["edit", "--lossy=drop", &name, "append", "games.pgn"]);
        let again = { again }.output().expect("starts");
        assert!(matches!(again.status.code(), Some(0 | 3)), "{again:?}");
        let (out, _) = place.run(&["ls", &name, "--json"], 0);
        assert_eq!(out.lines().count(), 2, "{name}");
        let (_, err) = place.run(&["new", &name, "--to", format.name], 2);
        assert!(err.contains("exists"), "{err}");
    }
    assert!(made >= 6);
}

/// A program that edits a file as `sed` does.
#[cfg(unix)]
fn editor(place: &Place, script: &str) -> String {
    let path = place.path("editor.sh");
    crate::program::write_script(&path, &format!("#!/bin/sh\nsed -i '{script}' \"$1\"\n"));
    path.display().to_string()
}

#[test]
#[cfg(unix)]
fn a_game_is_changed_in_the_users_editor() {
    for name in ["base.pgn", "base.si5", "base.ndjson"] {
        let place = Place::new();
        place.base(name);
        let game = |script: &str, more: &[&str], code| {
            let mut args = vec!["edit", name, "game", "1"];
            args.extend(more);
            let mut command = place.command(&args);
            command.env("VISUAL", editor(&place, script));
            ended(command.output().expect("starts"), code)
        };
        let before = place.files();
        let (_, err) = game("s/nothing/else/", &[], 0);
        assert!(err.contains("nothing to change"), "{err}");
        let (out, _) = game("s/best/better/", &["--dry-run"], 0);
        assert!(out.contains("better"), "{out}");
        let (_, err) = game("s/Nf3/Ke3/", &[], 2);
        assert!(
            err.contains("not understood") && err.contains("nothing was changed"),
            "{err}"
        );
        let kept = err.split("your text is in ").nth(1).expect("told").trim();
        assert!(std::fs::read_to_string(kept).expect("kept").contains("Ke3"));
        std::fs::remove_dir_all(Path::new(kept).parent().expect("a folder")).expect("removed");
        // A variation before the first move.
        let (_, err) = game("s/^1. e4/(1. d4) 1. e4/", &[], 2);
        assert!(err.contains("nothing was changed"), "{err}");
        let kept = err.split("your text is in ").nth(1).expect("told").trim();
        std::fs::remove_dir_all(Path::new(kept).parent().expect("a folder")).expect("removed");
        let after = place.files();
        let without = |files: &[(PathBuf, Vec<u8>)]| -> Vec<(PathBuf, Vec<u8>)> {
            let files = files
                .iter()
                .filter(|(path, _)| !path.ends_with("editor.sh"));
            files.cloned().collect()
        };
        assert_eq!(without(&before), without(&after));
        let (_, err) = game("s/best/better/", &[], 0);
        assert!(err.contains("game 1 replaced"), "{err}");
        let (out, _) = place.run(&["cat", name, "1"], 0);
        assert!(
            out.contains("[%clk 0:01:00] better") && out.contains("2. Nf3"),
            "{out}"
        );
        place.run(&["edit", name, "undo"], 0);
        place.run(&["diff", "games.pgn", name], 0);
        let (_, err) = place.run(&["edit", name, "game", "1"], 2);
        assert!(err.contains("set VISUAL or EDITOR"), "{err}");
    }
}

#[test]
fn many_games_are_changed_at_once_and_looked_at_before() {
    for name in ["base.pgn", "base.si4"] {
        let place = Place::new();
        place.base(name);
        let set = [
            "edit",
            name,
            "set",
            "--query",
            "white:A",
            "Event=Other",
            "Annotator=Me",
        ];
        let dry: Vec<&str> = set.iter().copied().chain(["--dry-run"]).collect();
        let before = place.files();
        let (out, err) = place.run(&dry, 0);
        assert!(
            out.starts_with("change 1\t") && out.contains("Other"),
            "{out}"
        );
        assert!(
            err.contains("1 game changed (dry run: nothing was changed)"),
            "{err}"
        );
        assert_eq!(place.files(), before);
        place.run(&set, 0);
        place.run(
            &[
                "edit",
                name,
                "strip",
                "--games",
                "1-2",
                "variations",
                "comments",
            ],
            0,
        );
        let (out, _) = place.run(&["cat", name], 0);
        assert!(
            out.contains("[Event \"Other\"]") && out.contains("[Annotator \"Me\"]"),
            "{out}"
        );
        assert!(
            !out.contains("c5") && !out.contains("best") && out.contains("[%clk"),
            "{out}"
        );
        let (out, _) = place.run(&["edit", name, "history", "1"], 0);
        assert_eq!(out.lines().count(), 2, "{out}");
        let (out, _) = place.run(&["edit", name, "history", "1", "--version", "2"], 0);
        assert!(out.contains("best"), "{out}");
        place.run(&["edit", name, "restore", "1", "--version", "1"], 0);
        place.run(&["diff", "games.pgn", name], 0);
    }
}

#[test]
fn what_a_base_cannot_hold_is_said_before_and_refused() {
    let place = Place::new();
    place.run(&["new", "base.cbf"], 0);
    let before = place.files();
    let (_, err) = place.run(&["edit", "base.cbf", "append", "games.pgn"], 2);
    assert!(
        err.contains("nothing was changed") && err.contains("--lossy=comment"),
        "{err}"
    );
    assert_eq!(place.files(), before);
    place.run(
        &["edit", "base.cbf", "append", "games.pgn", "--lossy=drop"],
        3,
    );
    let (out, _) = place.run(&["cat", "base.cbf"], 0);
    assert!(!out.contains("1950.01.02"), "{out}");
    place.run(&["edit", "base.cbf", "undo"], 0);
    place.run(
        &["edit", "base.cbf", "append", "games.pgn", "--lossy=comment"],
        3,
    );
    let (out, _) = place.run(&["cat", "base.cbf"], 0);
    assert!(out.contains("1950.01.02"), "{out}");
}

/// Where there is room for one comment, what is lost is told in the one that the game has already.
#[test]
fn what_cannot_be_held_is_told_beside_a_comment_that_stands_there() {
    let place = Place::new();
    let game = "[White \"A\"]\n[Black \"B\"]\n[WhiteTitle \"GM\"]\n[Result \"*\"]\n\n\
        {before the first move} 1. e4 -- {one} {two} 2. d4 (2. Nf3 {three} {four}) *\n";
    place.put("games.pgn", game);
    for extension in ["si4", "si5", "cbf"] {
        let name = format!("base.{extension}");
        place.run(&["new", &name], 0);
        let (_, err) = place.run(
            &["edit", &name, "append", "games.pgn", "--lossy=comment"],
            3,
        );
        let (out, _) = place.run(&["cat", &name], 0);
        assert!(out.contains("before the first move"), "{name}: {out}");
        let (_, checked) = place.run(&["check", &name], 0);
        assert!(err.contains("1 game added"), "{name}: {err} {checked}");
    }
}

#[test]
fn bad_wishes_get_one_clear_sentence_and_change_nothing() {
    let place = Place::new();
    place.put("no-games.pgn", "");
    for name in edited() {
        let name = name.as_str();
        place.fill(name);
        let wishes: [&[&str]; 14] = [
            &["replace", "7", "games.pgn"],
            &["replace", "0", "games.pgn"],
            &["delete", "3"],
            &["delete", "0"],
            &["delete", "2-3"],
            &["undelete", "7"],
            &["flag", "1", "--set", "X"],
            &["replace", "1", "no-games.pgn"],
            &["set", "--games", "3", "Event=X"],
            &["set", "--games", "1", "FEN=8/8/8/8/8/8/8/8 w - - 0 1"],
            &["sort", "colour"],
            &["undo"],
            &["restore", "1", "--version", "5"],
            &["strip", "--games", "1", "everything"],
        ];
        for wish in wishes {
            let before = place.files();
            let args: Vec<&str> = ["edit", name].iter().chain(wish).copied().collect();
            let (_, err) = place.run(&args, 2);
            assert_eq!(err.lines().count(), 1, "{wish:?}: {err}");
            assert!(err.starts_with("error: "), "{err}");
            assert_eq!(place.files(), before, "{wish:?}");
        }
        // Read-only files, also for those who are never refused.
        let path = place.path(name);
        let writable = std::fs::metadata(&path).expect("there").permissions();
        let mut locked = writable.clone();
        locked.set_readonly(true);
        std::fs::set_permissions(&path, locked).expect("set");
        let before = place.files();
        let (_, err) = place.run(&["edit", name, "sort", "date"], 2);
        assert!(
            err.contains("read-only") && err.lines().count() == 1,
            "{err}"
        );
        assert_eq!(place.files(), before);
        std::fs::set_permissions(&path, writable).expect("set");
    }
    #[cfg(unix)]
    {
        let made = Command::new("mkfifo").arg(place.path("pipe.pgn")).status();
        assert!(made.is_ok_and(|status| status.success()));
        let (_, err) = place.run(&["edit", "pipe.pgn", "sort", "date"], 2);
        assert!(err.contains("pipe") && err.lines().count() == 1, "{err}");
        std::fs::remove_file(place.path("pipe.pgn")).expect("removed");
    }
    std::fs::create_dir(place.path("folder")).expect("made");
    std::fs::copy(place.path("games.pgn"), place.path("folder/a.pgn")).expect("copied");
    let (_, err) = place.run(&["edit", "folder", "sort", "date"], 2);
    assert!(
        err.contains("folder cannot be changed") && err.lines().count() == 1,
        "{err}"
    );
    for (path, told) in [("-", "pipe"), ("missing.pgn", "missing.pgn"), (".", "")] {
        let (_, err) = place.run(&["edit", path, "sort", "date"], 2);
        assert!(err.contains(told) && err.lines().count() == 1, "{err}");
    }
    let mut tried = 0;
    for format in registry::FORMATS {
        let Some(extension) = format.extensions.first().filter(|_| format.edit.is_none()) else {
            continue;
        };
        let name = format!("fixed-{}.{extension}", format.name);
        let made = place.command(&["convert", "games.pgn", &name, "--to", format.name]);
        let made = { made }.output().expect("starts").status.code();
        if !matches!(made, Some(0 | 3)) {
            // Nobody writes it.
            continue;
        }
        let before = place.files();
        for wish in [
            &["append", "games.pgn"][..],
            &["delete", "1"],
            &["set", "--games", "1", "White=X"],
            &["game", "1"],
            &["merge", "1", "games.pgn"],
            &["undo"],
            &["history"],
        ] {
            let mut command = place.command(&[&["edit", name.as_str()][..], wish].concat());
            let (_, err) = ended(command.env("EDITOR", "true").output().expect("starts"), 2);
            let is_told = err.contains("cannot be changed in place");
            assert!(
                is_told && err.lines().count() == 1,
                "{name} {wish:?}: {err}"
            );
        }
        assert_eq!(place.files(), before);
        tried += 1;
    }
    assert!(tried >= 2, "{tried}");
}

#[test]
fn every_command_tells_beforehand_what_it_would_do() {
    for name in edited() {
        let name = name.as_str();
        let place = Place::new();
        place.fill(name);
        place
            .command(&[
                "edit",
                name,
                "set",
                "--games",
                "1",
                "White=X",
                "--lossy=drop",
            ])
            .output()
            .expect("starts");
        let before = place.files();
        for (wish, told) in [
            (&["append", "games.pgn", "--lossy=drop"][..], "add\t"),
            (&["replace", "2", "games.pgn", "--lossy=drop"], "change 2\t"),
            (&["delete", "2"], "2\t"),
            (&["set", "--query", "white:X", "White=Y"], "change 1\t"),
            (&["strip", "--games", "1", "variations"], "change 1\t"),
            (&["merge", "2", "games.pgn", "--lossy=drop"], "change 2\t"),
            (&["sort", "-black"], "move "),
            (&["undo"], "change 1\t"),
            (&["restore", "1", "--version", "1"], "change 1\t"),
        ] {
            for flag in ["--dry-run", "-n"] {
                let args = [&["edit", name][..], wish, &[flag]].concat();
                let output = place.command(&args).output().expect("starts");
                let [out, err] = [&output.stdout, &output.stderr]
                    .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                let is_done = matches!(output.status.code(), Some(0 | 3));
                assert!(is_done && out.contains(told), "{name} {wish:?}: {out}{err}");
                assert!(
                    err.contains("dry run: nothing was changed"),
                    "{name} {wish:?}: {err}"
                );
                assert_eq!(place.files(), before, "{name} {wish:?}");
            }
        }
        let (_, err) = place.run(&["edit", name, "compact", "-n"], 0);
        assert!(
            err.contains("no longer be undone") && err.contains("dry run"),
            "{name}: {err}"
        );
        assert_eq!(place.files(), before, "{name}");
    }
}

#[test]
#[cfg(unix)]
fn texts_that_are_no_game_are_refused_in_every_format() {
    let place = Place::new();
    place.put("illegal.pgn", "1. e4 e5 2. Ke3 1-0\n");
    for name in edited() {
        let name = name.as_str();
        place.fill(name);
        for (script, told) in [
            ("s/Nf3/Ke3/", "Ke3"),
            ("s/^1. e4/(1. d4) 1. e4/", "not understood"),
            ("s/1. e4/1. e9/", "e9"),
            ("d", "the text has 0"),
        ] {
            let visual = editor(&place, script);
            let before = place.files();
            let mut command = place.command(&["edit", name, "game", "1"]);
            let (_, err) = ended(command.env("VISUAL", visual).output().expect("starts"), 2);
            assert!(
                err.contains(told) && err.contains("nothing was changed"),
                "{name} {script}: {err}"
            );
            let kept = err.split("your text is in ").nth(1).expect("told").trim();
            std::fs::remove_dir_all(Path::new(kept).parent().expect("a folder")).expect("removed");
            assert_eq!(place.files(), before, "{name} {script}");
        }
        for wish in [
            &["set", "--games", "1", "Bad Name=X"][..],
            &["set", "--games", "1", "SetUp=1"],
            &["set", "--games", "1-x", "White=X"],
            &["merge", "3", "games.pgn"],
            &["game", "3"],
            &["history", "3"],
            &["restore", "--version", "7"],
        ] {
            let before = place.files();
            let mut command = place.command(&[&["edit", name][..], wish].concat());
            let (_, err) = ended(command.env("EDITOR", "true").output().expect("starts"), 2);
            assert_eq!(err.lines().count(), 1, "{name} {wish:?}: {err}");
            assert_eq!(place.files(), before, "{name} {wish:?}");
        }
    }
}

/// Somebody who may not do everything, for tests that are run by the administrator.
#[cfg(unix)]
const NOBODY: u32 = 65_534;

#[test]
#[cfg(unix)]
fn a_folder_that_nobody_may_write_to_gets_one_clear_sentence() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let place = Place::new();
    let names = edited();
    names.iter().for_each(|name| place.fill(name));
    let folder = place.path("");
    let is_root = std::fs::metadata(&folder).expect("there").uid() == 0;
    let set = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&folder, mode).expect("set");
    };
    let before = place.files();
    for (path, _) in &before {
        // The files could be written to: it is the folder that cannot.
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666)).expect("set");
    }
    set(0o555);
    for name in &names {
        for wish in [
            &["append", "games.pgn", "--lossy=drop"][..],
            &["set", "--games", "1", "White=X"],
            &["sort", "-white"],
        ] {
            let mut command = place.command(&[&["edit", name.as_str()][..], wish].concat());
            if is_root {
                command.uid(NOBODY).gid(NOBODY);
            }
            let (_, err) = ended(command.output().expect("starts"), 2);
            assert_eq!(err.lines().count(), 1, "{name} {wish:?}: {err}");
            assert!(
                err.contains("ermission denied") || err.contains("ead-only"),
                "{name} {wish:?}: {err}"
            );
        }
    }
    assert_eq!(place.files(), before);
    set(0o755);
}

#[test]
#[cfg(unix)]
fn what_lies_beside_a_base_is_seen_by_those_who_see_the_base() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mode = |name: &str| {
        let found = std::fs::metadata(place.path(name)).expect(name);
        found.permissions().mode() & 0o777
    };
    let set = |name: &str, mode: u32| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(place.path(name), mode).expect("set");
    };
    for name in ["base.pgn", "base.si5", "base.ndjson"] {
        place.base(name);
        // The games of Scid's bases stand in another file, and that one alone is private.
        let private = name.replace("si5", "sg5");
        set(&private, 0o600);
        let (index, history) = (
            format!("{name}.tabiya-index"),
            format!("{name}.tabiya-history"),
        );
        place.run(&["index", name], 0);
        assert_eq!(mode(&index), 0o600, "{name}");
        for change in [&["append", "games.pgn"][..], &["sort", "date"], &["undo"]] {
            place.run(&[&["edit", name][..], change].concat(), 0);
            assert_eq!(mode(&index), 0o600, "{name} {change:?}");
            assert_eq!(mode(&history), 0o600, "{name} {change:?}");
        }
        // An index from before its base became private.
        set(&index, 0o644);
        place.run(&["index", name, "--rebuild"], 0);
        assert_eq!(mode(&index), 0o600, "{name}");
    }
}

#[test]
fn the_index_follows_the_base() {
    for name in ["base.si5", "base.pgn", "base.ndjson"] {
        let place = Place::new();
        place.base(name);
        place.run(&["index", name], 0);
        let fresh = || {
            let (_, err) = place.run(&["explore", name, "--line", "1.c4"], 0);
            assert!(!err.contains("not used"), "{err}");
            let (out, err) = place.run(&["index", name, "--verify"], 0);
            assert!(!format!("{out}{err}").contains("not used"), "{out}{err}");
        };
        fresh();
        for turn in 0..12 {
            place.run(&["edit", name, "append", "games.pgn"], 0);
            fresh();
            let (out, _) = place.run(
                &[
                    "search",
                    "--count",
                    name,
                    "position:\"rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1\"",
                ],
                0,
            );
            assert_eq!(out.trim(), (turn + 2).to_string(), "{name}");
        }
        place.run(&["edit", name, "sort", "date"], 0);
        fresh();
        place.run(&["edit", name, "undo"], 0);
        fresh();
    }
}

#[test]
fn games_of_a_search_are_merged_into_one() {
    const MORE: &str = "[White \"E\"]\n[Black \"F\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nc3 Nf6 {solid} 3. f4 0-1\n\n\
        [White \"G\"]\n[Black \"H\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nc3 Nc6 0-1\n\n\
        [White \"I\"]\n[Black \"K\"]\n[Result \"1-0\"]\n\n1. d4 d5 1-0\n\n";
    for name in edited() {
        let name = name.as_str();
        let place = Place::new();
        place.put("more.pgn", MORE);
        place.fill(name);
        let merge = |more: &[&str], code| {
            let args = [&["edit", name, "merge", "1"][..], more, &["--lossy=drop"]].concat();
            let output = place.command(&args).output().expect("starts");
            match code {
                // What else is lost, where a format holds less, is told elsewhere.
                0 => assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}"),
                code => assert_eq!(output.status.code(), Some(code), "{output:?}"),
            }
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (text(&output.stdout), text(&output.stderr))
        };
        let before = place.files();
        let (out, err) = merge(&["more.pgn", "--at", "2", "--dry-run"], 0);
        assert!(out.starts_with("change 1\t"), "{name}: {out}");
        assert!(err.contains("2 games merged"), "{name}: {err}");
        for (wrong, told) in [
            (&["more.pgn", "--at", "9"][..], "9"),
            (&["more.pgn", "--at", "x"], "x"),
            (&["more.pgn", "--at", "2", "--query", "white:"], "white:"),
            (&["more.pgn", "--at", "2", "--query", "white:Z"], "position"),
            (&["missing.pgn"], "missing.pgn"),
        ] {
            let (_, err) = merge(wrong, 2);
            assert!(err.contains(told), "{name} {wrong:?}: {err}");
        }
        assert_eq!(place.files(), before, "{name}");
        merge(&["more.pgn", "--at", "2", "--no-names"], 0);
        let (out, _) = place.run(&["cat", name, "1"], 0);
        let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            out.contains("(2. Nc3 Nf6 (2... Nc6) 3. f4)"),
            "{name}: {out}"
        );
        // Once more, there is nothing to do.
        let (_, err) = merge(&["more.pgn", "--at", "2", "--no-names"], 0);
        assert!(err.contains("nothing to change"), "{name}: {err}");
        place.run(&["edit", name, "undo"], 0);
        // A limit, and who played; and one game comes with what is said in it.
        let (_, err) = merge(&["more.pgn", "--at", "2", "--first", "1"], 0);
        assert!(err.contains("there are more"), "{name}: {err}");
        let (out, _) = place.run(&["cat", name, "1"], 0);
        let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            out.contains("2. Nc3 Nf6 {solid} 3. f4 {E - F, 0-1}"),
            "{name}: {out}"
        );
        place.run(&["edit", name, "undo"], 0);
        let (_, err) = merge(
            &[
                "more.pgn", "--at", "2", "--query", "white:G", "--plies", "1",
            ],
            0,
        );
        assert!(err.contains("1 game merged"), "{name}: {err}");
        place.run(&["edit", name, "undo"], 0);
        // The games of the base itself, from its beginning, without the game that grows.
        merge(&[], 0);
        let (out, _) = place.run(&["cat", name, "1"], 0);
        assert!(out.contains("(1. c4"), "{name}: {out}");
    }
}

#[test]
fn an_old_version_is_shown_in_the_bytes_that_it_had() {
    let place = Place::new();
    let odd = "[White \"A\"]\r\n[Black  \"B\"]\r\n[Result \"1-0\"]\r\n\r\n1.e4   e5 ; a rest of the line\r\n2.Nf3 1-0\r\n";
    place.put("base.pgn", odd);
    place.run(&["edit", "base.pgn", "set", "--games", "1", "White=X"], 0);
    let (out, _) = place.run(&["edit", "base.pgn", "history", "1", "--version", "1"], 0);
    assert_eq!(out.trim_end(), odd.trim_end());
    place.base("base.ndjson");
    let before = std::fs::read_to_string(place.path("base.ndjson")).expect("read");
    place.run(
        &["edit", "base.ndjson", "set", "--games", "1", "White=X"],
        0,
    );
    let (out, _) = place.run(
        &["edit", "base.ndjson", "history", "1", "--version", "1"],
        0,
    );
    assert!(
        before.contains(out.trim_end()) && out.contains("best"),
        "{out}"
    );
}
