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

/// Small numbers that look random, the same for a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        // A step of SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed >> 32) % end as u64).expect("small")
    }
}

#[test]
fn queries_put_together_from_examples_never_panic() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/query.md");
    let page = std::fs::read_to_string(page).expect("the reference");
    let (mut inside, mut examples) = (false, Vec::new());
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```query";
        } else if inside {
            examples.push(line.rsplit_once(" # ").map_or(line, |(query, _)| query));
        }
    }
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/pgn/ok/annotated.pgn");
    let base = tabiya::open(&games).expect("opened").pop().expect("one");
    let database = base.database().expect("a database");
    let count = if tabiya_testing::is_full() {
        20_000
    } else {
        1_000
    };
    let count = tabiya_testing::number_of("TABIYA_QUERIES", count);
    let mut chance = Chance(tabiya_testing::number_of("TABIYA_SEED", 1));
    let control = Control::default().with_threads(1);
    let mut accepted = 0;
    for at in 0..count {
        let mut one = || examples[chance.below(examples.len())].to_owned();
        let (a, b) = (one(), one());
        let mut text = match chance.below(9) {
            0 => format!("({a}) and ({b})"),
            1 => format!("({a}) or not ({b})"),
            2 => format!("variations:({a} or {b})"),
            3 => format!("order:(({a}) then ({b}))"),
            4 => format!("count[variations]:({a})>=2"),
            5 => format!("same[lasting 1..3, flip, mirror]:({a})"),
            6 => format!("not ({a}) until last ({b})"),
            7 => format!("some[x]:\"* attacks *\" all[y]:\"$x near 2 *\" ({a})"),
            _ => a.clone(),
        };
        // Every other one is a query, the others are damaged.
        if at % 2 == 0 && Query::parse(&text, Context::default()).is_err() {
            text = format!("({b}) or ({b})");
        }
        if at % 2 == 1 {
            let mut letters: Vec<char> = text.chars().collect();
            for _ in 0..=chance.below(3) {
                let place = chance.below(letters.len());
                let strange = [
                    '(', ')', '"', '[', ']', '…', '\u{0}', '9', ',', '-', ' ', '$',
                ];
                match chance.below(3) {
                    0 => letters[place] = strange[chance.below(strange.len())],
                    1 => letters.insert(place, strange[chance.below(strange.len())]),
                    _ => {
                        letters.truncate(place + 1);
                    }
                }
            }
            text = letters.into_iter().collect();
        }
        match Query::parse(&text, Context::default()) {
            Err(error) => assert!(error.render(&text).contains('^'), "{text}"),
            Ok(query) => {
                accepted += 1;
                let options = Options {
                    plies: at % 3 == 0,
                    ..Options::default()
                };
                search(database, &query, options, &control, None).expect("searched");
            }
        }
    }
    assert!(accepted * 2 >= count, "{accepted} of {count} were accepted");
}
