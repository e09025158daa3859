//! An engine that says that it is ready and never searches: both jobs end, and say why.

use std::time::Duration;

use tabiya::analyse::{self, analyse_in_place};
use tabiya::engine::driver::{EngineSpec, EngineTimeouts, SearchLimits};
use tabiya::tactics;
use tabiya_model::Control;

use super::{Place, fake};

#[test]
fn jobs_with_an_engine_that_never_searches_end() {
    let Some(fake) = fake() else { return };
    let place = Place::new();
    let path = place.path("games.pgn");
    let games = "[Event \"x\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n".repeat(30);
    std::fs::write(&path, games).expect("written");
    let games = tabiya::Selection::of(tabiya::open(&path).expect("opened"));
    let mut engine = EngineSpec::new(fake);
    engine.arguments = vec!["idle".to_owned()];
    let patience = EngineTimeouts {
        start: Duration::from_secs(300),
        word: Duration::from_secs(3),
        ..EngineTimeouts::default()
    };
    let mut options = analyse::AnalyseOptions::new(engine.clone(), SearchLimits::nodes(100));
    options.patience = patience;
    let control = Control::default();
    let analysed = analyse_in_place(&games, &options, &control, &mut |_| {});
    let error = analysed.expect_err("no evaluation").to_string();
    assert!(
        error.contains("its search has had no output for 3"),
        "{error}"
    );

    let mut options = tactics::TacticsOptions::new(engine);
    options.patience = patience;
    let found = tactics::tactics(&games, &options, &control, &mut |_, _| Ok(true));
    let error = found.expect_err("no puzzles").to_string();
    assert!(
        error.contains("its search has had no output for 3"),
        "{error}"
    );
}
