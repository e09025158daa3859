//! The model beside py-fsrs.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::io::Write;
use std::process::Stdio;

use tabiya_repertoire::{Fsrs, MemoryState, ReviewRating};

/// Reviews of one position: days since the one before, and the rating.
type History = Vec<(u32, usize)>;

fn histories(count: usize) -> Vec<History> {
    let mut seed = tabiya_testing::seed();
    let mut draw = move |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    (0..count)
        .map(|_| {
            let reviews = 1 + draw(12);
            (0..reviews)
                .map(|_| {
                    let days = match draw(4) {
                        0 => 0,
                        1 => draw(4),
                        2 => draw(40),
                        _ => draw(1_000),
                    };
                    let rating = [0, 1, 2, 2, 2, 3][usize::try_from(draw(6)).expect("small")];
                    (u32::try_from(days).expect("small"), rating)
                })
                .collect()
        })
        .collect()
}

fn near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-9 * one.abs().max(two.abs()).max(1.0)
}

#[test]
fn random_histories_end_as_py_fsrs_has_them() {
    let Some(mut python) = tabiya_testing::python_with("fsrs") else {
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fsrs_peer.py");
    let mut running = python
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let histories = histories(10_000);
    let mut input = running.stdin.take().expect("piped");
    let text: String = histories
        .iter()
        .map(|history| {
            let reviews: Vec<String> = history
                .iter()
                .map(|(days, rating)| format!("{days}:{}", rating + 1))
                .collect();
            format!("{}\n", reviews.join(" "))
        })
        .collect();
    let writing = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = running.wait_with_output().expect("it ends");
    writing.join().expect("no panic").expect("written");
    assert!(output.status.success());
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(told.lines().count(), histories.len());
    let model = Fsrs::default();
    let mut reviews = 0;
    for (history, told) in histories.iter().zip(told.lines()) {
        let mut before: Option<MemoryState> = None;
        for ((days, rating), told) in history.iter().zip(told.split(' ')) {
            let number = |at: usize| -> f64 {
                let field = told.split(',').nth(at).expect("four fields");
                field.parse().expect("a number")
            };
            let recall = before.map_or(0.0, |state| model.retrievability(state, *days));
            let after = model.review(
                before.map(|state| (state, *days)),
                ReviewRating::ALL[*rating],
            );
            let what = format!("{history:?}: {told}");
            assert!(near(after.stability, number(0)), "{what} {after:?}");
            assert!(near(after.difficulty, number(1)), "{what} {after:?}");
            let interval = f64::from(model.interval(after, 0.9));
            assert!((interval - number(2)).abs() < 0.5, "{what} {interval}");
            assert!(near(recall, number(3)), "{what} {recall}");
            before = Some(after);
            reviews += 1;
        }
    }
    assert!(reviews > 40_000, "{reviews}");
}
