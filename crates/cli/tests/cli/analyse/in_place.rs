//! Databases that are annotated where they stand.

use std::path::Path;
use std::process::Stdio;

use tabiya_model::judgement::Evaluations;

use super::resuming::kill_and_resume;
use super::{Place, fake, games, read, run, said, settings, succeed, tabiya};

/// Evaluates a database with the engine of the tests.
fn analyse(place: &Place, base: &Path, options: &[&str]) -> std::process::Command {
    let mut command = tabiya();
    command.arg("analyse").arg(base).arg("--engines");
    command.arg(place.path("engines.conf")).args(options);
    command
}

/// The names of all files beside the games, so that nothing is left lying about; histories are to stay.
fn files(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(".")).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("a file")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.retain(|name| !name.ends_with(".tabiya-history"));
    names.sort();
    names
}

#[test]
fn every_format_gets_what_a_new_file_would() {
    let Some(fake) = fake() else { return };
    for format in ["pgn", "pgn.zst", "si4", "si5", "ndjson"] {
        let place = Place::new();
        settings(&place, &fake, "");
        std::fs::write(place.path("games.pgn"), games(7, 24)).expect("written");
        let base = place.path(&format!("base.{format}"));
        if format != "pgn" {
            let mut convert = tabiya();
            let convert = convert.arg("convert").arg(place.path("games.pgn"));
            assert!(matches!(run(convert.arg(&base)).status.code(), Some(0 | 3)));
        } else {
            std::fs::copy(place.path("games.pgn"), &base).expect("copied");
        }
        let before = files(&place);
        let whole = place.path(&format!("whole.{format}"));
        succeed(analyse(&place, &base, &[]).arg("-o").arg(&whole));
        let output = succeed(&mut analyse(&place, &base, &[]));
        assert!(
            said(&output).contains("7 of 7 games changed"),
            "{format}: {}",
            said(&output)
        );
        let (wanted, found) = (read(&whole), read(&base));
        assert_eq!(wanted.len(), 7, "{format}");
        for (wanted, found) in wanted.iter().zip(&found) {
            assert!(!Evaluations::of(found).is_empty(), "{format}");
            assert_eq!(
                (&wanted.tags, &wanted.tape),
                (&found.tags, &found.tape),
                "{format}"
            );
        }
        // What stands in it is kept the next time.
        let bytes = std::fs::read(&base).expect("read");
        let again = succeed(&mut analyse(&place, &base, &[]));
        assert!(
            said(&again).contains("0 of 7 games changed") && said(&again).contains("7 skipped"),
            "{format}: {}",
            said(&again)
        );
        assert!(std::fs::read(&base).expect("read") == bytes, "{format}");
        let mut after = files(&place);
        after.retain(|name| !name.starts_with("whole"));
        assert_eq!(before, after, "{format}: nothing is left behind");
    }
}

#[test]
fn games_that_are_not_asked_for_keep_their_bytes() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    settings(&place, &fake, "");
    let odd = "[White \"A\"]\r\n[Black \"B\"]\r\n\r\n1.e4    e5 ; odd\r\n  2.Nf3 *\r\n\r\n";
    let other = odd.replace("\"A\"", "\"C\"");
    let base = place.path("base.pgn");
    std::fs::write(&base, format!("{odd}{other}{odd}")).expect("written");
    let output = succeed(&mut analyse(&place, &base, &["--query", "white:C"]));
    assert!(
        said(&output).contains("1 of 1 game changed"),
        "{}",
        said(&output)
    );
    let text = String::from_utf8(place.read("base.pgn")).expect("text");
    assert!(text.starts_with(odd) && text.ends_with(odd), "{text}");
    assert!(
        text.contains("[White \"C\"]") && text.matches("[%eval").count() == 3,
        "{text}"
    );
    assert_eq!(read(&base).len(), 3);
}

#[test]
fn kills_change_nothing_in_place() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    settings(&place, &fake, "think");
    std::fs::write(place.path("whole.pgn"), games(20, 45)).expect("written");
    std::fs::write(place.path("killed.pgn"), games(20, 45)).expect("written");
    succeed(&mut analyse(
        &place,
        &place.path("whole.pgn"),
        &["--processes", "1"],
    ));
    let killed = place.path("killed.pgn");
    let kills = kill_and_resume(
        || analyse(&place, &killed, &["--processes", "2"]),
        20,
        60,
        5,
    );
    assert!(kills > 3, "it was at work");
    assert!(place.read("killed.pgn") == place.read("whole.pgn"));
    let left = ["engines.conf", "killed.pgn", "whole.pgn"];
    assert_eq!(files(&place), left);
}

#[test]
fn a_base_that_changes_meanwhile_is_left_alone_and_nothing_is_lost() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    settings(&place, &fake, "think");
    let base = place.path("base.pgn");
    std::fs::write(&base, games(6, 30)).expect("written");
    let journal = place.path("base.pgn.tabiya-analysis");
    let child = analyse(&place, &base, &["--processes", "1"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    while !journal.exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let mut text = games(6, 30);
    text.push_str("[White \"New\"]\n\n1. d4 *\n");
    std::fs::write(place.path("new.pgn"), &text).expect("written");
    std::fs::rename(place.path("new.pgn"), &base).expect("renamed");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains("was changed by another program"),
        "{}",
        said(&output)
    );
    assert_eq!(place.read("base.pgn"), text.as_bytes());
    // The same command goes on, with the new game.
    let output = succeed(&mut analyse(&place, &base, &["--processes", "1"]));
    assert!(
        said(&output).contains("7 of 7 games changed"),
        "{}",
        said(&output)
    );
    assert!(
        said(&output).contains("already in the journal"),
        "{}",
        said(&output)
    );
}

#[test]
fn what_cannot_be_changed_is_refused_before_any_work() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    settings(&place, &fake, "");
    std::fs::write(place.path("notes.txt"), "no games").expect("written");
    let locked = place.path("locked.pgn");
    std::fs::write(&locked, games(1, 4)).expect("written");
    let mut permissions = std::fs::metadata(&locked).expect("there").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&locked, permissions).expect("set");
    for (base, part) in [(&locked, "read-only"), (&place.path("notes.txt"), "")] {
        let output = run(&mut analyse(&place, base, &[]));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(part), "{}", said(&output));
        assert!(!said(&output).contains("positions"), "{}", said(&output));
    }
    let left = ["engines.conf", "locked.pgn", "notes.txt"];
    assert_eq!(files(&place), left);
}
