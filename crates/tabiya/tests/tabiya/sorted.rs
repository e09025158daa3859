//! What facts tell of an order is what a search that reads its games sorts by.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use tabiya::fact_sort::sorted_numbers;
use tabiya::search::{SearchOptions, search};
use tabiya::{Base, Opener, Selection, index};
use tabiya_model::{Control, Game, GameNeeds, Move};
use tabiya_query::{Query, QueryContext};

const FIELDS: [&str; 13] = [
    "number",
    "white",
    "black",
    "event",
    "site",
    "round",
    "date",
    "result",
    "white-elo",
    "black-elo",
    "elo",
    "eco",
    "plies",
];

/// Games whose tags are alike, odd, missing, or wrong.
fn games(path: &Path) {
    let mut text = String::new();
    let names = [
        "Tal",
        "tal",
        "Tál",
        "?",
        "",
        "-",
        "Zukertort",
        "Émile",
        "Ådne",
        "Łukasz",
        "tal ",
    ];
    let dates = [
        "1960.03.15",
        "1960.??.??",
        "????.??.??",
        "1960/3/15",
        "",
        "1899.13.40",
        "15.03.1960",
    ];
    let elos = ["2600", "", "0", "-", "2600.0", "+2500", "99999", "0900"];
    let rounds = ["4.2", "4.10", "4", "?", "last", "10", "004"];
    let ecos = ["B12", "B12a", "b12", "", "?", "A00", "E99"];
    let results = ["1-0", "0-1", "1/2-1/2", "*"];
    let moves = [
        "1. e4 e5",
        "1. d4",
        "",
        "1. Nf3 d5 2. g3 Nf6 3. Bg2",
        "1. e4 e9",
    ];
    for at in 0..700_usize {
        let of = |all: &[&str], by: usize| all[(at * by + at / 7) % all.len()].to_owned();
        let result = of(&results, 3);
        let _ = write!(
            text,
            "[Event \"{}\"]\n[Site \"{}\"]\n[Date \"{}\"]\n[Round \"{}\"]\n[White \"{}\"]\n[Black \"{}\"]\n[Result \
             \"{result}\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[ECO \"{}\"]\n\n{} {result}\n\n",
            of(&names, 5),
            of(&names, 7),
            of(&dates, 3),
            of(&rounds, 5),
            of(&names, 1),
            of(&names, 3),
            of(&elos, 3),
            of(&elos, 5),
            of(&ecos, 5),
            of(&moves, 3),
        );
    }
    std::fs::write(path, text).expect("written");
}

fn base(path: &Path) -> Base {
    let mut opened = Opener::default().open(path).expect("opened");
    opened.remove(0)
}

fn searched(base: &Base, query: &str, order: &str) -> Vec<u64> {
    let options = SearchOptions {
        sort: Some(order.parse().expect("an order")),
        ..SearchOptions::default()
    };
    let query = Query::parse(query, QueryContext::default()).expect("a query");
    let mut numbers = Vec::new();
    search(
        &Selection::of([base.clone()]).matching(query),
        &options,
        &Control::default(),
        &mut |_, found| {
            numbers.push(found.hit.number);
            Ok(std::ops::ControlFlow::Continue(()))
        },
    )
    .expect("searched");
    numbers
}

fn compared(base: &Base) {
    let control = Control::default();
    for field in FIELDS {
        for order in [field.to_owned(), format!("-{field}")] {
            let parsed = order.parse().expect("an order");
            let all = sorted_numbers(base, &parsed, None, &control).expect("sorted");
            assert_eq!(
                all.as_deref(),
                Some(&*searched(base, "number>=1", &order)),
                "{order}"
            );
            let query = "result:1-0 or white:Tal";
            let mut some = searched(base, query, "number");
            some.reverse();
            let found = sorted_numbers(base, &parsed, Some(&some), &control).expect("sorted");
            assert_eq!(found, Some(searched(base, query, &order)), "{order}");
        }
    }
    // What facts do not tell is left to the search.
    for order in ["ply", "event-date", "date,white"] {
        let parsed = order.parse().expect("an order");
        assert_eq!(
            sorted_numbers(base, &parsed, None, &control).expect("sorted"),
            None,
            "{order}"
        );
    }
}

#[test]
fn of_pgn_with_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    games(&path);
    let plain = base(&path);
    let order = "date".parse().expect("an order");
    let alone = sorted_numbers(&plain, &order, None, &Control::default()).expect("asked");
    assert_eq!(alone, None, "without an index there are no facts");
    index::make(&plain, false, &Control::default()).expect("an index");
    compared(&base(&path));
}

#[test]
fn of_scid() {
    let folder = tempfile::tempdir().expect("a folder");
    let (pgn, scid) = (
        folder.path().join("games.pgn"),
        folder.path().join("games.si5"),
    );
    games(&pgn);
    let target = tabiya::Target::new(&scid, None, Default::default()).expect("a target");
    tabiya::convert::convert(
        &[base(&pgn)],
        &target,
        &Default::default(),
        &Control::default(),
    )
    .expect("converted");
    compared(&base(&scid));
    // Read at positions, records are asked for their tags in runs, and not one by one.
    let mut opener = Opener::default();
    opener.options.mmap = false;
    let opened = opener.open(&scid).expect("opened");
    compared(opened.first().expect("a base"));
}

/// A copy has the games of the search, in the order of the search: of one base as of several.
#[test]
fn copies_keep_the_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (
        folder.path().join("one.pgn"),
        folder.path().join("other.pgn"),
    );
    games(&one);
    games(&other);
    let options = [
        SearchOptions {
            sort: Some("-date,plies".parse().expect("an order")),
            ..SearchOptions::default()
        },
        SearchOptions {
            offset: 30,
            first: Some(40),
            ..SearchOptions::default()
        },
        SearchOptions {
            sample: Some((50, 7)),
            ..SearchOptions::default()
        },
    ];
    for (at, bases) in [vec![base(&one)], vec![base(&one), base(&other)]]
        .into_iter()
        .enumerate()
    {
        for (which, options) in options.iter().enumerate() {
            let games = Selection::of(bases.clone());
            let mut expected = Vec::new();
            let whole = SearchOptions {
                keep: Some(GameNeeds::ALL),
                ..options.clone()
            };
            search(&games, &whole, &Control::default(), &mut |_, found| {
                expected.push(moves_of(&found.game.expect("kept")));
                Ok(ControlFlow::Continue(()))
            })
            .expect("searched");
            let path = folder.path().join(format!("copy-{at}-{which}.ndjson"));
            let target = tabiya::Target::new(&path, None, Default::default()).expect("a target");
            let copied = tabiya::search::copy(&games, options, &target, &Control::default());
            assert!(copied.expect("copied").summary.is_some());
            let copy = base(&path);
            let copied: Vec<_> = (copy.games(GameNeeds::ALL).expect("read"))
                .map(|game| moves_of(&game.expect("a game")))
                .collect();
            assert!(copied == expected, "copy {which} of {} bases", at + 1);
            assert!(copied.len() >= 40);
        }
    }
}

/// What tells a game from the others.
fn moves_of(game: &Game) -> (Vec<String>, Vec<Move>) {
    let tags = game
        .tags
        .iter()
        .map(|tag| format!("{} {}", tag.name, tag.value));
    (tags.collect(), game.tape.main_line().collect())
}
