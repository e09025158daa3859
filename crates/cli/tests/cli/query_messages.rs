//! What is said of queries that are not what their writer meant.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

const GAMES: &str = "[Event \"Linares\"]\n[White \"Kasparov, Garry\"]\n[Black \"Gelfand, Boris\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n\
    [Event \"Wijk aan Zee\"]\n[White \"Carlsen, Magnus\"]\n[Black \"Anand, Viswanathan\"]\n[Result \"1/2-1/2\"]\n\n1. d4 1/2-1/2\n\n";

struct Place {
    folder: TempDir,
    base: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("games.pgn");
    std::fs::write(&base, GAMES).expect("a file");
    Place { folder, base }
}

/// The exit code, and what is said on both streams.
fn run(place: &Place, words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(place.folder.path())
        .args(words)
        .output()
        .expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_bare_word_is_text_and_that_is_said() {
    let place = place();
    for words in [
        &["search", "games.pgn", "gelfand", "--count"][..],
        &["search", "games.pgn", "--count", "\"aan zee\""],
    ] {
        let (code, out, said) = run(&place, words);
        assert_eq!((code, &*out), (Some(0), "1\n"), "{said}");
        assert!(
            said.contains("searched as text in names, events and sites"),
            "{said}"
        );
    }
    let (_, _, said) = run(&place, &["explore", "games.pgn", "--query", "gelfand"]);
    assert!(said.contains("searched as text"), "{said}");
    let (_, _, said) = run(&place, &["stats", "games.pgn", "--query", "gelfand"]);
    assert!(said.contains("searched as text"), "{said}");
    let (code, _, said) = run(
        &place,
        &["convert", "games.pgn", "out.pgn", "--query", "chek"],
    );
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("did you mean the term `check`?"), "{said}");
}

#[test]
fn a_query_without_quotes_is_put_together_again() {
    let place = place();
    let (code, _, said) = run(
        &place,
        &["search", "games.pgn", "player:Kasparov", "year:1990..1995"],
    );
    assert_eq!(code, Some(2));
    let help = "put it in quotes: 'player:Kasparov year:1990..1995'";
    assert!(said.contains(help), "{said}");
    let (code, _, said) = run(&place, &["search", "games.pgn", "nothing.pgn", "player:x"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("nothing.pgn") && !said.contains("quotes"),
        "{said}"
    );
    // The query may come first.
    let (code, out, said) = run(&place, &["search", "gelfand", "games.pgn", "--count"]);
    assert_eq!((code, &*out), (Some(0), "1\n"), "{said}");
}

#[test]
fn a_misspelt_name_brings_those_that_are_near() {
    let place = place();
    for asked in [
        "player:Kasparof",
        "white:Kaspraov",
        "player:\"Kasparow, G\"",
    ] {
        let (code, _, said) = run(&place, &["search", "games.pgn", asked]);
        assert_eq!(code, Some(1), "{asked}: {said}");
        assert!(
            said.contains("did you mean Kasparov, Garry?"),
            "{asked}: {said}"
        );
    }
    for (asked, meant) in [
        ("event:Linarse", "Linares"),
        ("kasparof", "Kasparov, Garry"),
        ("event:Wiik", "Wijk aan Zee"),
    ] {
        let (_, _, said) = run(&place, &["search", "games.pgn", asked]);
        let help = format!("did you mean {meant}?");
        assert!(said.contains(&help), "{asked}: {said}");
    }
    let (_, _, said) = run(&place, &["search", "games.pgn", "player:Botvinnik"]);
    assert!(!said.contains("did you mean"), "{said}");
    let (_, _, said) = run(&place, &["explore", "games.pgn", "--player", "Karlsen"]);
    assert!(said.contains("similar names: Carlsen, Magnus"), "{said}");
}

#[test]
fn a_query_that_looks_like_an_option_is_told_how_to_say_not() {
    let place = place();
    for words in [
        &["search", "games.pgn", "-white:Tal", "--count"][..],
        &["query", "-white:Tal"],
    ] {
        let (code, _, said) = run(&place, words);
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.contains("use `not` to exclude: 'not white:Tal'"),
            "{said}"
        );
    }
    let (code, _, said) = run(&place, &["search", "games.pgn", "check", "--countt"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(!said.contains("`not`"), "{said}");
}

#[test]
fn what_is_found_is_grouped_by_the_word_for_one_or_many() {
    let place = place();
    let table = |by| {
        let words = ["search", "games.pgn", "plies:1", "--csv", "--group-by", by];
        run(&place, &words)
    };
    let (code, out, said) = table("result,player");
    assert_eq!(code, Some(0), "{said}");
    assert!(out.contains("Kasparov"), "{out}");
    assert_eq!(table("results,players").1, out);
}

#[test]
fn the_language_tells_itself() {
    let place = place();
    assert!(place.base.exists());
    let (code, out, _) = run(&place, &["query", "--all"]);
    assert_eq!(code, Some(0));
    let has = |text: &str| out.contains(text);
    assert!(has("    white:Kasparov and result:1-0\n"), "{out}");
    assert!(has("Positions") && !has("```") && !has("|---"));
    for words in [&["help", "query"][..], &["query"]] {
        let (code, out, _) = run(&place, words);
        assert_eq!(code, Some(0));
        assert!(out.contains("eco:B90-B99"), "{out}");
    }
    // A summary is no more than a screen.
    let (_, card, _) = run(&place, &["query"]);
    assert!(card.lines().count() <= 30, "{card}");
    assert!(
        card.lines().all(|line| line.chars().count() <= 80),
        "{card}"
    );
    let (code, _, said) = run(&place, &["man", "pages"]);
    assert_eq!(code, Some(0), "{said}");
    let page = place.folder.path().join("pages/tabiya-query.7");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.starts_with(".TH tabiya\\-query 7"), "{page}");
    assert!(!page.contains("```") && !page.contains("|---"), "{page}");
    let (code, out, _) = run(&place, &["query", "elo>2600 (check or mate)"]);
    assert_eq!((code, &*out), (Some(0), "valid query of 3 terms\n"));
    let (code, _, said) = run(&place, &["query", "--", "-player:Tal"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("`not player:Tal`"), "{said}");
}
