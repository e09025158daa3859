//! Random scripts of edits keep the laws of the editor: see `tabiya_model::editor::laws`.

use tabiya_model::Game;
use tabiya_model::editor::laws;

use super::games::{self, Wild};
use super::{annotated, samples, seed};
use tabiya_testing::TestRandom;

/// Runs scripts on games in turn and returns how many edits were accepted.
fn run(games: &[Game], scripts: u64, seed: u64, longest: usize) -> usize {
    assert!(!games.is_empty());
    let mut granted = 0;
    for number in 0..scripts {
        let mut random = TestRandom::new(seed.wrapping_add(number));
        let game = &games[random.below(games.len())];
        let length = 8 + random.below(longest);
        let script: Vec<u8> = (0..length).map(|_| random.number() as u8).collect();
        let result = std::panic::catch_unwind(|| laws::check(game, &script));
        match result {
            Ok(wishes) => granted += wishes,
            Err(panic) => {
                let players = (game.tags.value("White"), game.tags.value("Black"));
                eprintln!("script {number} of seed {seed}, on the game {players:?}");
                std::panic::resume_unwind(panic);
            }
        }
    }
    granted
}

#[test]
fn the_laws_hold_on_samples() {
    let games = samples();
    let granted = run(&games, 2_000, seed(), 60);
    assert!(granted > 10_000, "{granted} wishes were granted");
}

#[test]
fn the_laws_hold_on_games_with_everything_in_them() {
    let games = games::games(seed() + 11, 60, Wild::ALL);
    let granted = run(&games, 2_000, seed() + 1_000_000, 60);
    assert!(granted > 10_000, "{granted} wishes were granted");
}

#[test]
fn the_laws_hold_on_annotated_games() {
    let (bytes, scripts) = if tabiya_testing::is_full() {
        (u64::MAX, 100_000)
    } else {
        (2_000_000, 1_000)
    };
    let Some(games) = annotated(bytes) else {
        return;
    };
    let granted = run(&games, scripts, seed() + 2_000_000, 80);
    eprintln!(
        "{scripts} scripts over {} games, {granted} wishes granted",
        games.len()
    );
    assert!(
        granted as u64 > 4 * scripts,
        "{granted} wishes were granted"
    );
}
