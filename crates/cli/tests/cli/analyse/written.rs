//! What is written, and what stays.

use tabiya_model::Game;
use tabiya_model::judgement::Evaluations;

use super::{Place, fake, games, read, run, said, settings, stockfish, succeed, tabiya};

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
            .args(["--nodes", "2000", "--processes", processes]);
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
    assert!(said.contains("1 skipped"), "{said}");
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
            "it ended with code 3 when asked to answer `uci`",
        ),
        ("crash-at-go", 3, "5 positions not evaluated"),
        ("illegal", 0, "illegal move"),
    ] {
        let mut command = tabiya();
        command.arg("analyse").arg(place.path("games.pgn")).args([
            "-o",
            "-",
            "--processes",
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
    assert!(String::from_utf8_lossy(&output.stderr).contains("no such engine"));
}

#[test]
fn every_format_that_holds_comments_is_written() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    let settings = settings(&place, &fake, "");
    std::fs::write(place.path("games.pgn"), games(5, 20)).expect("written");
    let mut wanted: Option<Vec<Evaluations>> = None;
    for target in ["out.pgn", "out.pgn.gz", "out.si4", "out.si5", "out.ndjson"] {
        let mut command = tabiya();
        command.arg("analyse").arg(place.path("games.pgn"));
        command.arg("-o").arg(place.path(target));
        succeed(
            command
                .arg("--engines")
                .arg(&settings)
                .args(["--nodes", "50"]),
        );
        let games = read(&place.path(target));
        assert_eq!(games.len(), 5, "{target}");
        let found: Vec<Evaluations> = games.iter().map(Evaluations::of).collect();
        assert!(found.iter().all(|all| !all.is_empty()), "{target}");
        assert_eq!(&found, wanted.get_or_insert(found.clone()), "{target}");
        let first = games.first().expect("a game");
        for tag in ["Annotator", "WhiteAccuracy", "BlackACPL"] {
            assert!(first.tags.get(tag).is_some(), "{target}: {tag}");
        }
    }
    // What cannot hold comments tells what it loses.
    let mut command = tabiya();
    command.arg("analyse").arg(place.path("games.pgn"));
    command.arg("-o").arg(place.path("out.cbf"));
    let output = run(command.arg("--engines").arg(&settings));
    assert!(
        matches!(output.status.code(), Some(0 | 2 | 3)),
        "{}",
        said(&output)
    );
}

#[test]
fn chances_are_written_where_they_are_asked_for() {
    let Some(stockfish) = stockfish() else { return };
    let place = Place::new();
    std::fs::write(
        place.path("games.pgn"),
        "1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n",
    )
    .expect("written");
    let analyse = |options: &[&str]| {
        let mut command = tabiya();
        command.arg("analyse").arg(place.path("games.pgn"));
        command.args(["-o", "-", "--engine"]).arg(&stockfish);
        let output = succeed(command.args(["--nodes", "2000"]).args(options));
        String::from_utf8(output.stdout).expect("text")
    };
    let plain = analyse(&[]);
    assert!(
        !plain.contains("wdl") && plain.matches("[%eval").count() == 4,
        "{plain}"
    );
    let text = analyse(&["--wdl"]);
    // White mates behind Black's last move: seen from White all are wins.
    assert!(text.contains("[%eval #1] [%wdl 1000,0,0]"), "{text}");
    assert_eq!(text.matches("[%wdl").count(), 4, "{text}");
    for chances in text.split("[%wdl ").skip(1) {
        let numbers = chances.split(']').next().expect("closed").split(',');
        let sum: u32 = numbers.map(|n| n.parse::<u32>().expect("a number")).sum();
        assert_eq!(sum, 1000, "{text}");
    }
}

#[test]
fn the_book_is_the_same_with_an_index_and_without() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    let settings = settings(&place, &fake, "");
    std::fs::write(place.path("games.pgn"), games(9, 30)).expect("written");
    std::fs::write(place.path("book.pgn"), games(40, 12)).expect("written");
    let analyse = |options: &[&str]| {
        let mut command = tabiya();
        command.arg("analyse").arg(place.path("games.pgn"));
        command.args(["-o", "-", "--engines"]).arg(&settings);
        let output = succeed(command.args(options));
        String::from_utf8(output.stdout).expect("text")
    };
    let book = place.path("book.pgn").display().to_string();
    let (all, from_one) = (analyse(&[]), analyse(&["--skip-book", &book]));
    let from_three = analyse(&["--skip-book", &book, "--book-games", "3"]);
    let evaluations = |text: &str| text.matches("[%eval").count();
    assert!(evaluations(&from_one) < evaluations(&from_three));
    assert!(evaluations(&from_three) < evaluations(&all));
    succeed(tabiya().arg("index").arg(place.path("book.pgn")));
    assert_eq!(analyse(&["--skip-book", &book]), from_one);
    assert_eq!(
        analyse(&["--skip-book", &book, "--book-games", "3"]),
        from_three
    );
    // A game counts once for a position that it comes back to.
    let back = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 *\n";
    std::fs::write(place.path("book.pgn"), back).expect("written");
    std::fs::write(place.path("games.pgn"), "1. Nf3 d5 *\n").expect("written");
    let twice = analyse(&["--skip-book", &book, "--book-games", "2"]);
    assert_eq!(evaluations(&twice), 2, "{twice}");
    let once = analyse(&["--skip-book", &book]);
    assert_eq!(
        evaluations(&once),
        2,
        "the last known position begins: {once}"
    );
}
