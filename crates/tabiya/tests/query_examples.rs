//! The examples of the reference of queries find as many games of two corpora as the reference says.

use std::path::Path;

use tabiya::model::Control;
use tabiya::query::{Context, Options, Query, search};

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
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/query.md");
    let page = std::fs::read_to_string(page).expect("the reference");
    let control = Control::default().with_threads(2);
    let (mut inside, mut wrong, mut count) = (false, Vec::new(), 0);
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```query";
            continue;
        }
        if !inside {
            continue;
        }
        count += 1;
        let (text, told) = line.rsplit_once(" # ").unwrap_or((line, ""));
        let query = Query::parse(text, Context::default()).expect("a query");
        let hits = |base: &tabiya::Base| {
            let database = base.database().expect("a database");
            let found = search(database, &query, Options::default(), &control, None);
            found.expect("searched").hits
        };
        let hits: u64 = bases.iter().map(hits).sum();
        if told.trim().parse() != Ok(hits) {
            wrong.push(format!("{} # {hits}", text.trim_end()));
        }
    }
    assert!(count > 80, "{count} examples");
    assert!(
        wrong.is_empty(),
        "the reference should say:\n{}",
        wrong.join("\n")
    );
}
