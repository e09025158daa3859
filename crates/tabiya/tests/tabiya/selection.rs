//! Every job looks at the games that are chosen, and at no others: what it says of a choice is what it says of a file that holds
//! these games alone.

use std::ops::ControlFlow;
use std::path::Path;

use tabiya::bulk::{self, ConvertPlan, ConvertSelection, ConvertTargets};
use tabiya::crosstable::{CrosstableOptions, crosstable};
use tabiya::dedupe::{DedupeOptions, dedupe};
use tabiya::dossier::dossier;
use tabiya::edit::{EditOperation, EditOptions, edit_with};
use tabiya::explorer::{ExploreFilter, ExploreLine, Explorer, san_of};
use tabiya::list::list;
use tabiya::model::Control;
use tabiya::model::editor::StripOptions;
use tabiya::names::{self, NamesOptions};
use tabiya::novelty::novelties;
use tabiya::numbers::GameNumbers;
use tabiya::player::{PlayerOptions, player};
use tabiya::query::{Query, QueryContext};
use tabiya::search::{self, SearchOptions};
use tabiya::show::{GameFormat, show};
use tabiya::stats::{StatsOptions, stats};
use tabiya::{Base, DeletedGames, Opener, Selection, Target, convert, index};

/// A game, as it was planted.
struct PlantedGame {
    text: String,
    won: bool,
    unfinished: bool,
    deleted: bool,
}

fn planted() -> Vec<PlantedGame> {
    let players = [
        "Abel, Anna",
        "Berg, Bo",
        "Berg, B",
        "Cohn, Carl",
        "Dahl, Dora",
    ];
    let lines = [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6",
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4",
        "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5",
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5",
    ];
    let games = 0..60_usize;
    games
        .map(|at| {
            let (white, black) = (players[at % 5], players[(at / 2 + 1) % 5]);
            let unfinished = at % 6 == 5;
            let result = match unfinished {
                true => "*",
                false => ["1-0", "0-1", "1/2-1/2"][at % 3],
            };
            let deleted = at % 4 == 1;
            let flags = match deleted {
                true => "[ScidFlags \"D\"]\n",
                false => "",
            };
            // Some are there twice.
            let day = at / 2 % 28 + 1;
            let text = format!(
                "[Event \"Open {}\"]\n[Site \"Bonn\"]\n[Date \"{}.03.{day:02}\"]\n[Round \"{}\"]\n[White \"{white}\"]\n\
                 [Black \"{black}\"]\n[Result \"{result}\"]\n[WhiteElo \"{}\"]\n{flags}\n{} {result}\n\n",
                at / 20,
                1990 + at / 12,
                at % 9 + 1,
                2000 + at * 7,
                lines[at / 2 % lines.len()],
            );
            PlantedGame {
                text,
                won: result == "1-0",
                unfinished,
                deleted,
            }
        })
        .collect()
}

/// The choices, each with what it leaves of the games, by their places from 0.
type Choice = (
    &'static str,
    fn(Selection) -> Selection,
    fn(usize, &PlantedGame) -> bool,
);

fn won(games: Selection) -> Selection {
    games.matching(Query::parse("result:1-0", QueryContext::default()).expect("a query"))
}

fn numbered(games: Selection) -> Selection {
    let numbers = GameNumbers::parse(&["31-", "5-20", "21-25"]).expect("numbers");
    Selection { numbers, ..games }
}

fn is_numbered(at: usize) -> bool {
    (4..25).contains(&at) || at >= 30
}

fn kept(games: Selection) -> Selection {
    Selection {
        deleted: DeletedGames::LeftOut,
        ..games
    }
}

fn deleted(games: Selection) -> Selection {
    Selection {
        deleted: DeletedGames::Only,
        ..games
    }
}

fn unfinished(games: Selection) -> Selection {
    Selection {
        unfinished: true,
        ..games
    }
}

const CHOICES: [Choice; 8] = [
    ("all", |games| games, |_, _| true),
    ("won", won, |_, game| game.won),
    ("numbers", numbered, |at, _| is_numbered(at)),
    ("not deleted", kept, |_, game| !game.deleted),
    ("deleted", deleted, |_, game| game.deleted),
    ("unfinished", unfinished, |_, game| game.unfinished),
    (
        "unfinished, numbers and not deleted",
        |games| kept(numbered(unfinished(games))),
        |at, game| game.unfinished && is_numbered(at) && !game.deleted,
    ),
    (
        "all three",
        |games| kept(numbered(won(games))),
        |at, game| game.won && is_numbered(at) && !game.deleted,
    ),
];

/// What all jobs say of some games, without their numbers.
fn said(games: &Selection, folder: &Path) -> Vec<(&'static str, String)> {
    let control = Control::default();
    let mut all = Vec::new();
    let counts = stats(games, &StatsOptions::default(), &control).expect("counted");
    all.push(("stats", format!("{} {}", counts.games, counts.csv())));
    let tables = crosstable(games, &CrosstableOptions::default(), &control).expect("tables");
    all.push(("crosstable", tables.csv()));
    let spellings = names::find(games, &NamesOptions::default(), &control).expect("names");
    all.push((
        "names",
        format!("{} {:?}", spellings.names, spellings.groups),
    ));
    let berg = PlayerOptions::new("Berg");
    let record = player(games, &berg, &control).expect("a record").csv();
    all.push(("player", record));
    let made = dossier(games, &berg, &control).expect("a dossier");
    let moves = made.sides.iter().map(|side| side.moves.len());
    all.push(("dossier", format!("{:?}", moves.collect::<Vec<_>>())));
    let doubles = dedupe(games, &DedupeOptions::default(), &control, &mut |_| {
        Ok(ControlFlow::Continue(()))
    });
    let doubles = doubles.expect("compared");
    all.push(("dedupe", format!("{} {}", doubles.games, doubles.pairs)));
    let mut new = Vec::new();
    novelties(games, games, &control, &mut |_, novelty| {
        new.push((novelty.ply, novelty.san.clone(), novelty.before));
        Ok(ControlFlow::Continue(()))
    })
    .expect("compared");
    all.push(("novelty", format!("{new:?}")));
    let explorer = Explorer::new(games.clone(), &ExploreFilter::default(), &control);
    let explorer = explorer.expect("ready");
    let line = ExploreLine::read(None, "1. e4").expect("a line");
    let found = explorer.ask(&line, &control).expect("asked");
    let moves = found.tally.moves();
    let moves = moves
        .iter()
        .map(|(step, score)| (san_of(line.board(), *step), score.games));
    all.push(("explorer", format!("{:?}", moves.collect::<Vec<_>>())));
    let found = search::count(games, &SearchOptions::default(), &control).expect("counted");
    all.push(("count", format!("{:?}", found.total)));
    let mut hits = 0;
    search::search(games, &SearchOptions::default(), &control, &mut |_, _| {
        hits += 1;
        Ok(ControlFlow::Continue(()))
    })
    .expect("searched");
    all.push(("search", format!("{hits}")));
    let (mut rows, mut texts) = (Vec::new(), Vec::new());
    for base in &games.bases {
        list(base, games, true, &control, |row| {
            rows.push((row.white, row.date, row.plies));
            Ok(ControlFlow::Continue(()))
        })
        .expect("listed");
        show(
            base,
            games,
            &mut GameFormat::pgn(Default::default()),
            &control,
            |_, text| {
                texts.push(String::from_utf8_lossy(text).into_owned());
                Ok(ControlFlow::Continue(()))
            },
        )
        .expect("shown");
    }
    // Numbers are kept in the order in which they were said.
    rows.sort();
    texts.sort();
    all.push(("list", format!("{rows:?}")));
    all.push(("show", texts.concat()));
    let target = folder.join("copy.pgn");
    let target = Target::new(
        target,
        None,
        tabiya::formats::format::WriteOptions {
            force: true,
            ..Default::default()
        },
    )
    .expect("a target");
    let copied = search::copy(games, &SearchOptions::default(), &target, &control);
    let copied = copied.expect("copied").summary.expect("written").games;
    let text = std::fs::read_to_string(&target.path).expect("read");
    all.push(("copy", format!("{copied} {text}")));
    let plan = ConvertPlan {
        choose: ConvertSelection {
            games: games.clone(),
            ..ConvertSelection::default()
        },
        ..ConvertPlan::default()
    };
    let targets = ConvertTargets {
        main: &target,
        rest: None,
        doubles: None,
    };
    bulk::run(&plan, targets, &Default::default(), &control).expect("converted");
    let text = std::fs::read_to_string(&target.path).expect("read");
    all.push(("convert", text));
    for base in &games.bases {
        let change = EditOperation::Strip {
            games: games.clone(),
            what: StripOptions {
                tags: vec!["Site".to_owned()],
                ..StripOptions::default()
            },
        };
        let options = EditOptions {
            dry_run: true,
            ..EditOptions::default()
        };
        let done = edit_with(
            &Opener::default(),
            base.path(),
            &change,
            &options,
            &control,
            &mut |_| {},
        );
        all.push(("edit", format!("{}", done.expect("told").games)));
    }
    all
}

fn open(path: &Path) -> Vec<Base> {
    tabiya::open(path).expect("opened")
}

fn write<'g>(path: &Path, games: impl Iterator<Item = &'g PlantedGame>) {
    let text: String = games.map(|game| &*game.text).collect();
    std::fs::write(path, text).expect("written");
}

#[test]
fn every_job_looks_at_the_games_that_are_chosen() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = planted();
    let whole = folder.path().join("whole.pgn");
    write(&whole, all.iter());
    let indexed = folder.path().join("indexed.pgn");
    write(&indexed, all.iter());
    index::make(&open(&indexed)[0], false, &Control::default()).expect("an index");
    let si5 = folder.path().join("whole.si5");
    let target = Target::new(&si5, None, Default::default()).expect("a target");
    convert::convert(
        &open(&whole),
        &target,
        &Default::default(),
        &Control::default(),
    )
    .expect("converted");
    for (name, choose, is_chosen) in CHOICES {
        let alone = folder.path().join("alone.pgn");
        let chosen = all
            .iter()
            .enumerate()
            .filter(|(at, game)| is_chosen(*at, game));
        write(&alone, chosen.map(|(_, game)| game));
        let expected = said(&Selection::of(open(&alone)), folder.path());
        for path in [&whole, &indexed, &si5] {
            for index in [true, false] {
                let games = Selection {
                    index,
                    ..choose(Selection::of(open(path)))
                };
                for (got, wanted) in said(&games, folder.path()).iter().zip(&expected) {
                    // A base of Scid names its games after itself in no job, and keeps what they say.
                    assert_eq!(got, wanted, "{name} of {}", path.display());
                }
            }
        }
    }
}

#[test]
fn a_game_is_unfinished_if_neither_its_tag_nor_its_moves_have_a_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("some.pgn");
    let endings = [
        ("[Result \"*\"]\n", "*", true),
        ("[Result \"1-0\"]\n", "1-0", false),
        ("[Result \"*\"]\n", "0-1", false),
        ("[Result \"1/2-1/2\"]\n", "*", false),
        ("", "*", true),
        ("", "1-0", false),
        ("[Result \"?\"]\n", "*", true),
        ("[Result \"*\"]\n", "", true),
    ];
    let text: String = (1..)
        .zip(endings)
        .map(|(number, (tag, end, _))| format!("[Round \"{number}\"]\n{tag}\n1. e4 {end}\n\n"))
        .collect();
    std::fs::write(&path, text).expect("written");
    let expected: Vec<u64> = (1..)
        .zip(endings)
        .filter(|(_, (.., is_unfinished))| *is_unfinished)
        .map(|(number, _)| number)
        .collect();
    let control = Control::default();
    // Without an index the games are read, with one its facts decide.
    for is_indexed in [false, true] {
        if is_indexed {
            index::make(&open(&path)[0], false, &control).expect("an index");
        }
        let games = unfinished(Selection::of(open(&path)));
        assert!(!games.is_all() && !games.is_by_number());
        let numbers = games.numbers_in(&games.bases[0], &control);
        assert_eq!(numbers.expect("searched").as_deref(), Some(&expected[..]));
        // A copy judges each game as it comes, alone and in an order.
        for sort in [None, Some("-round".parse().expect("an order"))] {
            let is_sorted = sort.is_some();
            let target = Target::new(
                folder.path().join("copy.pgn"),
                None,
                tabiya::formats::format::WriteOptions {
                    force: true,
                    ..Default::default()
                },
            )
            .expect("a target");
            let plan = ConvertPlan {
                choose: ConvertSelection {
                    games: games.clone(),
                    sort,
                    ..ConvertSelection::default()
                },
                ..ConvertPlan::default()
            };
            let targets = ConvertTargets {
                main: &target,
                rest: None,
                doubles: None,
            };
            let done = bulk::run(&plan, targets, &Default::default(), &control);
            assert_eq!(done.expect("converted").left_out, 4);
            let mut rounds = Vec::new();
            for base in open(&target.path) {
                list(&base, &Selection::default(), false, &control, |row| {
                    rounds.push(row.round.parse::<u64>().expect("a number"));
                    Ok(ControlFlow::Continue(()))
                })
                .expect("listed");
            }
            if is_sorted {
                rounds.reverse();
            }
            assert_eq!(rounds, expected, "sorted: {is_sorted}");
        }
    }
}

#[test]
fn a_page_that_is_full_knows_the_total_only_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    write(&path, planted().iter());
    let games = won(Selection::of([open(&path), open(&path)].concat()));
    let asked = |options: &SearchOptions| {
        let mut shown = Vec::new();
        let report = search::search(&games, options, &Control::default(), &mut |at, found| {
            shown.push((at, found.hit.number));
            Ok(ControlFlow::Continue(()))
        });
        (shown, report.expect("searched").total)
    };
    let (all, total) = asked(&SearchOptions::default());
    assert_eq!((all.len(), total), (40, Some(40)));
    for sort in [None, Some("number".parse().expect("an order"))] {
        let page = SearchOptions {
            offset: 15,
            first: Some(10),
            sort,
            ..SearchOptions::default()
        };
        let is_sorted = page.sort.is_some();
        let (shown, total) = asked(&page);
        assert_eq!((shown.len(), total), (10, is_sorted.then_some(40)));
        let with_total = SearchOptions {
            total: true,
            ..page.clone()
        };
        assert_eq!(asked(&with_total), (shown, Some(40)));
        let none = SearchOptions {
            first: Some(0),
            total: true,
            ..page
        };
        assert_eq!(asked(&none), (Vec::new(), Some(40)));
    }
}

#[test]
fn a_query_that_makes_no_sense_shows_where() {
    let read = || -> tabiya::model::Result<Query> {
        Ok(Query::parse("result:1-0 white:(", QueryContext::default())?)
    };
    let error = read().expect_err("no query").to_string();
    assert!(
        error.contains("result:1-0 white:(\n") && error.ends_with('^'),
        "{error}"
    );
}

#[test]
fn conditions_are_put_together_with_their_terms() {
    let parse = |text: &str| Query::parse(text, QueryContext::default()).expect("a query");
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../corpus/si5/ok/sample.si5"
    );
    let base = tabiya::open(path).expect("opened").remove(0);
    let control = Control::default();
    let numbers = |query: Query| {
        let games = Selection::of([base.clone()]).matching(query);
        games
            .numbers_in(&base, &control)
            .expect("searched")
            .expect("a choice")
    };
    assert_eq!(numbers(Query::all()), [1, 2, 3, 4, 5]);
    assert_eq!(numbers(Query::of_numbers(&[2..3, 4..9])), [2, 4, 5]);
    let queries = [
        "result:1-0",
        "not result:1-0",
        "white:a or black:a",
        "check",
        "plies>20 (check or number:2)",
    ];
    for one in queries {
        for two in queries {
            let together = numbers(parse(one).and(parse(two)));
            let whole = numbers(parse(&format!("({one}) ({two})")));
            assert_eq!(together, whole, "{one} and {two}");
        }
    }
}
