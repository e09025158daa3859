//! The examples of the reference of queries find as many games of two corpora as the reference says.

use std::path::Path;

use tabiya::model::Control;
use tabiya::query::{Query, QueryContext, QueryOptions, search};
use tabiya_testing::TestRandom;
use tabiya_testing::queries::{examples, hostile};

const CORPORA: [&str; 2] = [
    "corpora/annotated-human.pgn.zst",
    "corpora/lichess-real.pgn.zst",
];

#[test]
fn every_example_finds_what_the_reference_says() {
    let paths: Vec<_> = CORPORA
        .into_iter()
        .map_while(tabiya_testing::shared)
        .collect();
    if paths.len() < CORPORA.len() {
        return;
    }
    let open = |path| tabiya::open(path).expect("opened").pop().expect("one");
    let bases: Vec<_> = paths.iter().map(open).collect();
    let control = Control::default().with_threads(2);
    let examples = examples();
    let mut wrong = Vec::new();
    for example in &examples {
        let query = Query::parse(&example.query, QueryContext::default()).expect("a query");
        let hits = |base: &tabiya::Base| {
            let database = base.database().expect("a database");
            let found = search(database, &query, QueryOptions::default(), &control, None);
            found.expect("searched").hits
        };
        let hits: u64 = bases.iter().map(hits).sum();
        if example.found.parse() != Ok(hits) {
            wrong.push(format!("{} # {hits}", example.query));
        }
    }
    assert!(examples.len() > 80, "{} examples", examples.len());
    assert!(
        wrong.is_empty(),
        "the reference should say:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn queries_put_together_from_examples_never_panic() {
    let examples = examples();
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/pgn/ok/annotated.pgn");
    let base = tabiya::open(&games).expect("opened").pop().expect("one");
    let database = base.database().expect("a database");
    let count = if tabiya_testing::is_full() {
        20_000
    } else {
        1_000
    };
    let count = tabiya_testing::number_of("TABIYA_QUERIES", count);
    let mut chance = TestRandom::new(tabiya_testing::number_of("TABIYA_SEED", 1));
    let control = Control::default().with_threads(1);
    let is_sound = |text: &str| Query::parse(text, QueryContext::default()).is_ok();
    let mut accepted = 0;
    for at in 0..count {
        let text = hostile(&mut chance, &examples, at, is_sound);
        match Query::parse(&text, QueryContext::default()) {
            Err(error) => assert!(error.render(&text).contains('^'), "{text}"),
            Ok(query) => {
                accepted += 1;
                let options = QueryOptions {
                    plies: at % 3 == 0,
                    ..QueryOptions::default()
                };
                search(database, &query, options, &control, None).expect("searched");
            }
        }
    }
    assert!(accepted * 2 >= count, "{accepted} of {count} were accepted");
}
