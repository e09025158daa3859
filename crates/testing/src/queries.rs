//! Queries that tests and measurements ask: the examples of the reference, and what is put together from them.

use crate::TestRandom;
use std::path::Path;

/// An example of `docs/query.md`: a query, and what the page says it finds.
#[derive(Clone, Debug)]
pub struct QueryExample {
    /// The query.
    pub query: String,
    /// What stands behind it.
    pub found: String,
}

/// The examples of `docs/query.md`.
///
/// # Panics
///
/// If the page is not there.
pub fn examples() -> Vec<QueryExample> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/query.md");
    let page = std::fs::read_to_string(page).expect("the reference");
    let (mut inside, mut examples) = (false, Vec::new());
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```query";
        } else if inside {
            let (query, found) = line.rsplit_once(" # ").unwrap_or((line, ""));
            examples.push(QueryExample {
                query: query.trim_end().to_owned(),
                found: found.trim().to_owned(),
            });
        }
    }
    examples
}

/// What damage puts into queries.
const STRANGE: [char; 12] = [
    '(', ')', '"', '[', ']', '…', '\u{0}', '9', ',', '-', ' ', '$',
];

/// A query put together from examples. One with an odd number is damaged by a few letters, the others are sound.
pub fn hostile(
    chance: &mut TestRandom,
    examples: &[QueryExample],
    number: u64,
    is_sound: impl Fn(&str) -> bool,
) -> String {
    let mut one = || &chance.pick(examples).query;
    let (a, b) = (one(), one());
    let text = match chance.below(9) {
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
    if number % 2 == 1 {
        return damaged(chance, &text);
    }
    match is_sound(&text) {
        true => text,
        false => format!("({b}) or ({b})"),
    }
}

fn damaged(chance: &mut TestRandom, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=chance.below(3) {
        let place = chance.below(letters.len());
        let strange = STRANGE[chance.below(STRANGE.len())];
        match chance.below(3) {
            0 => letters[place] = strange,
            1 => letters.insert(place, strange),
            _ => letters.truncate(place + 1),
        }
    }
    letters.into_iter().collect()
}
