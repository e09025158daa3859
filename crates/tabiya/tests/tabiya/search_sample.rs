//! Samples of what is found, and what is left out before the first.

use std::ops::ControlFlow;
use std::path::Path;

use tabiya::model::{Control, GameNeeds};
use tabiya::query::{Query, QueryContext};
use tabiya::search::{SearchOptions, search};
use tabiya::{Base, Selection};

/// The games that a search shows, each with its base and the name of White.
fn shown(bases: &[Base], options: &SearchOptions) -> Vec<(usize, u64, String)> {
    let query = Query::parse("number>=1", QueryContext::default()).expect("a query");
    let mut shown = Vec::new();
    let options = SearchOptions {
        keep: Some(GameNeeds::TAGS),
        ..options.clone()
    };
    search(
        &Selection::of(bases).matching(query),
        &options,
        &Control::default(),
        &mut |at, found| {
            let game = found.game.expect("a game");
            shown.push((at, found.hit.number, game.tags.value("White").to_owned()));
            Ok(ControlFlow::Continue(()))
        },
    )
    .expect("searched");
    shown
}

fn bases(folder: &Path) -> Vec<Base> {
    let mut bases = Vec::new();
    for (name, games) in [("one.pgn", 1..40), ("two.pgn", 40..60)] {
        let path = folder.join(name);
        let text: String = games
            .map(|number| {
                format!(
                    "[White \"{:03}\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 *\n\n",
                    number * 7 % 60
                )
            })
            .collect();
        std::fs::write(&path, text).expect("written");
        bases.append(&mut tabiya::open(&path).expect("opened"));
    }
    bases
}

#[test]
fn what_is_left_out_is_what_comes_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let bases = bases(folder.path());
    for sort in [None, Some("-white".parse().expect("a key"))] {
        for sample in [None, Some((30, 5))] {
            let all = SearchOptions {
                sort: sort.clone(),
                sample,
                ..SearchOptions::default()
            };
            let whole = shown(&bases, &all);
            assert_eq!(whole.len(), sample.map_or(59, |_| 30));
            for (offset, first) in [
                (0, Some(4)),
                (3, None),
                (25, Some(10)),
                (38, Some(3)),
                (100, Some(1)),
            ] {
                let some = SearchOptions {
                    offset,
                    first,
                    ..all.clone()
                };
                let expected: Vec<_> = whole
                    .iter()
                    .skip(usize::try_from(offset).expect("small"))
                    .take(first.map_or(usize::MAX, |first| usize::try_from(first).expect("small")))
                    .cloned()
                    .collect();
                assert_eq!(
                    shown(&bases, &some),
                    expected,
                    "{offset} {first:?} {sample:?}"
                );
            }
        }
    }
}

#[test]
fn a_sample_is_of_what_is_found_and_the_same_for_a_seed() {
    let folder = tempfile::tempdir().expect("a folder");
    let bases = bases(folder.path());
    let whole = shown(&bases, &SearchOptions::default());
    let sample = |most, seed| {
        let options = SearchOptions {
            sample: Some((most, seed)),
            ..SearchOptions::default()
        };
        shown(&bases, &options)
    };
    let one = sample(12, 1);
    assert_eq!(one.len(), 12);
    assert!(one.is_sorted_by_key(|(base, number, _)| (*base, *number)));
    assert!(one.iter().all(|game| whole.contains(game)));
    assert_eq!(one, sample(12, 1));
    assert_ne!(one, sample(12, 2));
    assert_eq!(sample(100, 3), whole);
    assert!(sample(0, 3).is_empty());
}
