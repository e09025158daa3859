//! The language: the examples of its page, errors and their places, hostile queries.

use tabiya_model::Game;
use tabiya_query::{Aliases, Query, QueryContext, QueryEvaluator, SavedQueries};

fn parse(text: &str) -> Result<Query, tabiya_query::QueryError> {
    Query::parse(text, QueryContext::default())
}

#[test]
fn every_example_of_the_page_is_a_query() {
    let page = include_str!("../../../../docs/query.md");
    let mut count = 0;
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```query";
        } else if inside {
            count += 1;
            // Behind it stands how many games it finds.
            let line = line.rsplit_once(" # ").map_or(line, |(query, _)| query);
            let query = parse(line).unwrap_or_else(|error| panic!("{}", error.render(line)));
            let _ = QueryEvaluator::new(&query, true).hit(&Game::default(), 1);
        }
    }
    assert!(count > 40, "{count} examples");
}

#[test]
fn errors_point_at_their_place() {
    for (text, place, what) in [
        ("", 0..0, "empty"),
        ("wite:Kasparov", 0..4, "no term"),
        ("white:", 6..6, "missing"),
        ("white", 0..5, "operator"),
        ("white:x and", 11..11, "missing"),
        ("white:x or or", 11..13, "missing"),
        ("(white:x", 0..1, "never closed"),
        ("white:x)", 7..8, "has no `(`"),
        ("white:\"x", 6..7, "never closed"),
        ("white<x", 6..7, "compared by size"),
        ("elo:abc", 4..7, "not a number"),
        ("elo:2..1", 4..8, "reversed"),
        ("date:1995..1990.06", 5..18, "reversed"),
        ("eco:C..B", 4..8, "reversed"),
        ("legal-moves:5..3", 12..16, "reversed"),
        ("check[moves 30..20]", 6..18, "reversed"),
        ("check[lasting 5..3]", 6..18, "reversed"),
        ("material:\"KP{3..1} v K\"", 13..17, "reversed"),
        ("date:19x", 5..8, "not a date"),
        ("eco:Z9", 4..6, "not an ECO"),
        ("result:5-5", 7..10, "not a result"),
        ("has:fun", 4..7, "unknown property"),
        ("event:/(/", 7..8, "not a regular expression"),
        ("event:/(\\w{1000}){1000}/", 7..23, "memory"),
        ("position:\"8/8/8/8/8/8/8/7X w\"", 25..26, "FEN"),
        ("position:\"8/8\"", 13..14, "eight ranks"),
        ("position[foo]:\"8/8/8/8/8/8/8/8\"", 9..12, "no such option"),
        ("material:\"KX v K\"", 11..12, "not a piece"),
        ("material[lasting x]:\"K v K\"", 9..18, "number"),
        (
            "pattern:\"8/8/8/8/8/8/8/7x\"",
            24..25,
            "not describe a square",
        ),
        ("line:\"1.e4 Ke4\"", 11..14, "no such move"),
        ("sequence:\"Nf9\"", 10..13, "not a move"),
        ("ends:white:x", 5..10, "only terms about a position"),
        ("same:(check[lasting 2])", 12..21, "no effect here"),
        ("@mine", 0..5, "no saved query"),
        ("tag:x", 0..3, "name of a tag"),
    ] {
        let error = match parse(text) {
            Err(error) => error,
            Ok(query) => panic!("{text} is {query:?}"),
        };
        assert!(error.message.contains(what), "{text}: {error}");
        assert_eq!(error.span, place, "{}", error.render(text));
        assert!(error.render(text).contains('^'));
    }
    let error = parse("wite:Kasparov").expect_err("no field");
    assert_eq!(error.help.as_deref(), Some("did you mean `white`?"));
}

#[test]
fn an_event_can_be_denied() {
    let game = Game::default();
    for (text, answer) in [("first turn:white", true), ("not first turn:white", false)] {
        let query = parse(text).expect("a query");
        assert!(query.texts.is_empty(), "{text}");
        let hit = QueryEvaluator::new(&query, true).hit(&game, 1);
        assert_eq!(hit.is_some(), answer, "{text}");
    }
}

#[test]
fn hostile_queries_are_refused_or_bounded() {
    let deep = "(".repeat(100_000);
    let nots = "not ".repeat(10_000);
    let many = "check ".repeat(5_000);
    let long = format!("white:{}", "a".repeat(1 << 17));
    for text in [&deep, &nots, &many, &long] {
        assert!(parse(text).is_err());
    }
    let saved = SavedQueries::parse("a = @b @b\nb = @a @a\nc = @d @d\nd = check").expect("fine");
    let context = QueryContext {
        saved: Some(&saved),
        ..QueryContext::default()
    };
    assert!(Query::parse("@a", context).is_err());
    assert_eq!(
        Query::parse("@c", context).map(|q| q.terms.len()).ok(),
        Some(2)
    );
    let doubling: String = (0..40)
        .map(|i| format!("q{i} = @q{} @q{}\n", i + 1, i + 1))
        .collect();
    let saved = SavedQueries::parse(&format!("{doubling}q40 = check")).expect("fine");
    let context = QueryContext {
        saved: Some(&saved),
        ..QueryContext::default()
    };
    assert!(Query::parse("@q0", context).is_err());
}

#[test]
fn any_cut_or_changed_query_is_read_or_refused() {
    let page = include_str!("../../../../docs/query.md");
    for line in page.lines().filter(|line| line.contains(':')) {
        for end in 0..=line.len() {
            if let Some(cut) = line.get(..end)
                && let Err(error) = parse(cut)
            {
                assert!(!error.render(cut).is_empty());
            }
        }
        for at in 0..line.len() {
            let mut bytes = line.as_bytes().to_vec();
            bytes[at] ^= 1 << (at % 7);
            if let Ok(changed) = String::from_utf8(bytes)
                && let Err(error) = parse(&changed)
            {
                assert!(error.span.start <= changed.len() + 1, "{changed}");
            }
        }
    }
}

fn game(tags: &[(&str, &str)]) -> Game {
    let mut game = Game::default();
    for (name, value) in tags {
        game.tags.push(name, value);
    }
    game
}

#[test]
fn fields_are_asked_of_tags() {
    let game = game(&[
        ("Event", "Linares 10th"),
        ("Site", "Linares"),
        ("Date", "1992.??.??"),
        ("Round", "1.2"),
        ("White", "Kasparov, Garry"),
        ("Black", "Müller, Karsten"),
        ("Result", "1-0"),
        ("WhiteElo", "2780"),
        ("ECO", "B33"),
        ("WhiteTitle", "GM"),
        ("BlackFed", "GER"),
        ("TimeControl", "180+2"),
        ("ScidFlags", "WD"),
    ]);
    for (text, answer) in [
        ("white:kasparov", true),
        ("white:\"Kasparov, G\"", true),
        ("player:MULLER", true),
        ("white:muller", false),
        ("player:weinstein", true),
        ("white~paro", true),
        ("white:paro", false),
        ("white:kasp*", true),
        ("white=\"kasparov, garry\"", true),
        ("white!=\"kasparov, garry\"", false),
        ("event:linares", true),
        ("event:/\\b10TH$/", true),
        ("round:1", true),
        ("round:2", false),
        ("date:1992", true),
        ("date:1990..1995.06", true),
        ("date>=1992.01.01", false),
        ("date<1992", false),
        ("year>=1992", true),
        ("white-elo>2700", true),
        ("elo>2700", false),
        ("any-elo>2700", true),
        ("black-elo<3000", false),
        ("elo-diff>0", false),
        ("eco:B", true),
        ("eco:B3", true),
        ("eco:B20..B33", true),
        ("eco:B34..", false),
        ("eco:B30..", true),
        ("eco:..B32", false),
        ("eco:..B33", true),
        ("eco>=B33", true),
        ("result:1-0", true),
        ("result:decisive", true),
        ("result:draw", false),
        ("title:gm", true),
        ("black-title:gm", false),
        ("country:ger", true),
        ("tag[whitefed]:x", false),
        ("has:tag[BlackFed]", true),
        ("speed:blitz", true),
        ("flag:deleted", true),
        ("flag:U", false),
        ("number:7", true),
        ("plies:0", true),
        ("white:kasparov or elo>2700", true),
        ("not white:kasparov", false),
        ("white:kasparov not black:kasparov", true),
        ("white:x or white:y and white:z or event:linares", true),
    ] {
        let aliases = Aliases::parse("Kasparov = Weinstein").expect("fine");
        let context = QueryContext {
            aliases: Some(&aliases),
            ..QueryContext::default()
        };
        match Query::parse(text, context) {
            Ok(query) => {
                let hit = QueryEvaluator::new(&query, false).hit(&game, 7);
                assert_eq!(hit.is_some(), answer, "{text}");
            }
            Err(error) => assert!(text.ends_with(".."), "{}", error.render(text)),
        }
    }
}

/// A game whose evaluations after each move are these, in hundredths of a pawn.
fn evaluated(result: &str, scores: &[&str]) -> Game {
    let mut game = game(&[("Result", result)]);
    let mut board = tabiya_model::Board::standard();
    let mut moves = Vec::new();
    for score in scores {
        board.legal_moves(&mut moves);
        let m = moves[0];
        game.tape.push_move(m);
        board.play(m);
        if !score.is_empty() {
            game.tape
                .push_comment(&format!("[%eval {score}] [%clk 0:00:10]"));
        }
    }
    game
}

#[test]
fn evaluations_are_asked_about_moves() {
    // White blunders on move 2, Black lets a mate slip on move 4, and the last move mates and has no evaluation.
    let scores = ["0.20", "0.20", "-3.00", "-2.90", "#-4", "1.00", "1.00", ""];
    let game = evaluated("1-0", &scores);
    for (text, expected) in [
        ("blunder", true),
        ("blunder:3", true),
        ("blunder>3", false),
        ("blunder by:white", true),
        ("blunder:2 by:white", true),
        ("blunder:1 by:black", true),
        ("blunder by:winner", true),
        ("blunder>=2 by:loser", false),
        ("blunder>=2 by:any", true),
        ("mistake", false),
        ("mistake:0 inaccuracy:0", true),
        ("blunder!=3", false),
        ("missed-mate", true),
        ("missed-mate by:black", true),
        ("missed-mate by:white", false),
        ("best-move>=3", true),
        ("best-move>60%", false),
        ("best-move:42..43%", true),
        ("best-move>42.8%", true),
        ("best-move>42.9%", false),
        ("best-move:100% by:white", false),
        ("eval-swing>=10", true),
        ("eval-swing>9 by:white", false),
        ("eval-swing:7..7.2 by:white", true),
        ("accuracy<60 by:white", true),
        ("accuracy>90", false),
        ("accuracy<100", true),
        ("acpl>100 by:white", true),
        ("acpl<20", false),
        ("BLUNDER by:WHITE and not blunder by:white", false),
        ("(blunder by:white) or mistake", true),
    ] {
        let query = parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)));
        let hit = tabiya_query::QueryEvaluator::new(&query, false).hit(&game, 1);
        assert_eq!(hit.is_some(), expected, "{text}");
    }
}

#[test]
fn games_without_evaluations_have_no_moves_to_judge() {
    for scores in [&[][..], &["", "", ""], &["", "0.10", ""]] {
        let game = evaluated("*", scores);
        for text in [
            "blunder:0",
            "mistake",
            "accuracy>=0",
            "acpl>=0",
            "eval-swing>=0",
            "best-move:0%",
            "blunder:0 by:winner",
        ] {
            let query = parse(text).expect(text);
            let hit = tabiya_query::QueryEvaluator::new(&query, false).hit(&game, 1);
            assert!(hit.is_none(), "{text} of {scores:?}");
        }
    }
    // Gaps leave the moves beside them, and take away what is said of the whole game.
    let game = evaluated("*", &["0.20", "", "0.30", "3.00", "0.10"]);
    for (text, expected) in [
        ("blunder by:white", true),
        ("inaccuracy:0", true),
        ("accuracy>=0", false),
        ("blunder by:black", true),
    ] {
        let query = parse(text).expect(text);
        let hit = tabiya_query::QueryEvaluator::new(&query, false).hit(&game, 1);
        assert_eq!(hit.is_some(), expected, "{text}");
    }
}

#[test]
fn terms_about_evaluations_say_what_they_want() {
    for text in [
        "accuracy",
        "acpl",
        "eval-swing",
        "blunder:x",
        "acpl<1.5",
        "accuracy>much",
        "by:white",
        "blunder by:me",
        "blunder by",
        "blunder[x]",
        "acpl<20%",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}
